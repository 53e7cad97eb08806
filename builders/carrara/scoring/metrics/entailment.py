"""What a response of the task `citations` is held against, and the judges: is a statement supported by what it cites?

`cited` reads a row's facts: `answers` (the accepted names of each answer), `support` (for each the numbers of the
passages that state it), `evidence_inside` (which can be found), `kind` ("statements" or "items"), `question`, and
`body`: where in the prompt the passages stand, each `[n] title`, a line of text and an empty line, n = 1, 2, ...

`lexical`, the default judge, needs no model: a statement is supported where it names an accepted answer and every
answer that it names is stated by a cited passage (`facts.support`); an item must be such a name, whole. It is blind to
all else that a statement says. The other judges are models of natural language inference, asked with the cited passages
as premise (`Title: ...` and a line of text each, joined by lines) and the statement as hypothesis:

- `nli:<model>`: a transformers model in this process (`local_models.py`), a folder or a commit of the Hub;
- `http(s)://host:port/v1#<model>`: a language model behind an OpenAI-compatible endpoint (`carrara.llm.judges`).

A judge's name is part of its metric's: `citations@nli:<model>`. Verdicts are kept per premise and hypothesis while the
process lives; only the first 20 passages that a statement cites are read.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Protocol

from carrara.scoring.errors import MetricError
from carrara.scoring.facts import ScoredRow, facts_of, flags_fact, groups_fact, numbers_fact, span_fact, text_fact
from carrara.scoring.metrics.local_models import LocalModel
from carrara.scoring.metrics.short_answers import AcceptedNames

ITEMS: Final = "items"
_NUMBER: Final = re.compile(r"\[([0-9]{1,9})\] ")


@dataclass(frozen=True, slots=True)
class Cited:
    """What a response to a row is held against. `count` is the number of passages; `inside` numbers answers from 0."""

    kind: str
    question: str
    answers: tuple[tuple[str, ...], ...]
    support: tuple[frozenset[int], ...]
    inside: frozenset[int]
    count: int
    names: AcceptedNames = field(repr=False)
    _prompt: str = field(repr=False, default="")
    _body: tuple[int, int] = (0, 0)

    def passage(self, number: int) -> tuple[str, str]:
        """Title and text of a passage; both empty where the prompt does not hold it."""
        start, end = self._body
        head = f"[{number}] "
        at = start if self._prompt.startswith(head, start, end) else self._prompt.find(f"\n\n{head}", start, end) + 2
        if at < start + 2 and at != start:
            return "", ""
        stop = self._prompt.find("\n\n", at, end)
        title, _, text = self._prompt[at + len(head) : stop if stop >= 0 else end].partition("\n")
        return title.strip(), text.strip()

    def claim(self, text: str) -> str:
        """What a passage must say: a statement as it is, an item as an answer to the question."""
        return f"{self.question} {text}".strip() if self.kind == ITEMS else text


def cited(row: ScoredRow) -> Cited:
    """Read a row. What its facts lack is empty: then nothing is right."""
    facts = facts_of(row)
    answers = tuple(map(tuple, groups_fact(facts, "answers")))
    support = tuple(map(frozenset, numbers_fact(facts, "support")))
    support += (frozenset(),) * (len(answers) - len(support))
    flags = flags_fact(facts, "evidence_inside")
    inside = [bool(numbers) for numbers in support] if flags is None else flags
    prompt = str(row.get("prompt") or "")
    start, end = span_fact(facts, "body", (0, 0))
    last = max((number for numbers in support for number in numbers), default=0)
    return Cited(
        kind=text_fact(facts, "kind") or "statements",
        question=text_fact(facts, "question"),
        answers=answers,
        support=support,
        inside=frozenset(number for number, is_inside in enumerate(inside[: len(answers)]) if is_inside),
        count=_count(prompt, start, end) or last,
        names=AcceptedNames(answers),
        _prompt=prompt,
        _body=(start, end),
    )


def _count(prompt: str, start: int, end: int) -> int:
    """The number of the last passage."""
    at = prompt.rfind("\n\n[", start, end)
    match = _NUMBER.match(prompt, at + 2 if at >= 0 else start, end)
    return int(match[1]) if match else 0


MOST_PASSAGES: Final = 20
_MOST_KEPT: Final = 1_000_000

# Numbers of passages, in the order cited, and a statement without its citations.
SupportQuery = tuple[tuple[int, ...], str]


class SupportJudge(Protocol):
    """Says which statements of a response are supported."""

    def verdicts(self, row: Cited, queries: Sequence[SupportQuery]) -> list[bool]:
        """One verdict a query. Raises JudgeError where none can be had."""


class Entailment(Protocol):
    """A model of natural language inference."""

    def entails(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Whether the first text of a pair, the premise, entails the second. Raises JudgeError."""


class Lexical:
    """The judge without a model."""

    def verdicts(self, row: Cited, queries: Sequence[SupportQuery]) -> list[bool]:
        """By the names alone."""
        return [_supports(row, frozenset(cited), text) for cited, text in queries]


class KnownSupport:
    """Verdicts that are known: by cited numbers, in order, and claim; all else is not supported."""

    def __init__(self, known: Mapping[SupportQuery, bool]) -> None:
        self._known = dict(known)

    def verdicts(self, row: Cited, queries: Sequence[SupportQuery]) -> list[bool]:
        """What the table says."""
        return [self._known.get((cited, row.claim(text)), False) for cited, text in queries]


class Passages:
    """A model, asked about the passages of the prompt."""

    def __init__(self, model: Entailment) -> None:
        self._model = model
        self._known: dict[bytes, bool] = {}

    def verdicts(self, row: Cited, queries: Sequence[SupportQuery]) -> list[bool]:
        """The model's verdicts; it is asked at once, and never twice the same."""
        pairs = [(premise(row, cited), row.claim(text)) for cited, text in queries]
        keys = [_key(pair) for pair in pairs]
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._known}
        if new:
            if len(self._known) + len(new) > _MOST_KEPT:
                asked = {key: self._known[key] for key in keys if key in self._known}
                self._known = asked
            self._known |= zip(new, self._model.entails(list(new.values())), strict=True)
        return [self._known[key] for key in keys]


def premise(row: Cited, numbers: Sequence[int]) -> str:
    """The passages of those numbers as one text."""
    passages = (row.passage(number) for number in numbers[:MOST_PASSAGES])
    return "\n".join(f"Title: {title}\n{text}" for title, text in passages)


# Models that other rooms bring, by how their names begin, so that scoring needs no client of theirs.
_PLUGGED: Final[dict[str, Callable[[str], Entailment]]] = {}


def plug_in(beginning: str, make: Callable[[str], Entailment]) -> None:
    """Let `make` load the model of every judge whose name begins so."""
    _PLUGGED[beginning] = make


@lru_cache(maxsize=4)
def judge(name: str) -> SupportJudge:
    """The judge of a name: `nli:<model>` or an endpoint with `#<model>`; loaded or checked once.

    Raises MetricError for another name, and for a model that cannot be had.
    """
    if name.startswith("nli:"):
        return Passages(LocalModel(name.removeprefix("nli:")))
    for beginning, make in _PLUGGED.items():
        if name.startswith(beginning):
            return Passages(make(name))
    if name.startswith(("http://", "https://")):
        raise MetricError(
            f"got judge {name!r}, but nothing here speaks to endpoints: call carrara.llm.judges.plug_in() first"
        )
    raise MetricError(f"judge {name!r} is unknown, expected nli:<model> or http://host:port/v1#<model>")


def _supports(row: Cited, cited: frozenset[int], text: str) -> bool:
    """A name that several answers share is stated where one of them is."""
    if row.kind == ITEMS:
        named = [whole] if (whole := row.names.whole(text)) else []
    else:
        named = [name.answers for name in row.names.found(text)]
    return bool(named) and all(any(row.support[answer] & cited for answer in answers) for answers in named)


def _key(pair: tuple[str, str]) -> bytes:
    return hashlib.sha256("\0".join(pair).encode("utf-8", "surrogatepass")).digest()
