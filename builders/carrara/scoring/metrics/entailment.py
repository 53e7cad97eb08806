"""Judges for the task `citations`: do the cited passages support a statement?

`cited` reads a row's facts: `answers` (the accepted names of each answer), `support` (for each answer the numbers of
the passages that state it), `evidence_inside` (which answers have evidence in the prompt), `kind` ("statements" or
"items"), `question`, and `body`: the span of the passages in the prompt, each `[n] title`, a line of text and an empty
line, n = 1, 2, ...

The lexical judge, the default, needs no model: a statement is supported if it names an accepted answer and a cited
passage states every answer that it names (`facts.support`); an item must equal such a name. It ignores everything else
that a statement says. The other judges are models of natural language inference. Their premise is the cited passages
(`Title: ...` and a line of text each, joined by line ends), their hypothesis the statement:

- `nli:<model>`: a transformers model in this process (`local_models.py`), from a folder or a commit on the Hub;
- `http(s)://host:port/v1#<model>`: a language model behind an OpenAI-compatible endpoint (`carrara.llm.judges`).

The metric's name contains the judge's: `citations@nli:<model>`. Verdicts are cached by premise and hypothesis for the
life of the process; only the first 20 passages that a statement cites are read.
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
    """A row as the judges see it. `count`: the number of passages; `inside`: indices of answers with evidence."""

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
        """Title and text of a passage; both empty if the prompt does not contain it."""
        start, end = self._body
        head = f"[{number}] "
        at = start if self._prompt.startswith(head, start, end) else self._prompt.find(f"\n\n{head}", start, end) + 2
        if at < start + 2 and at != start:
            return "", ""
        stop = self._prompt.find("\n\n", at, end)
        title, _, text = self._prompt[at + len(head) : stop if stop >= 0 else end].partition("\n")
        return title.strip(), text.strip()

    def claim(self, text: str) -> str:
        """The hypothesis: a statement as it is, an item behind the question that it answers."""
        return f"{self.question} {text}".strip() if self.kind == ITEMS else text


def cited(row: ScoredRow) -> Cited:
    """Read a row. Missing facts are empty, so that nothing counts as correct."""
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

# The numbers of the cited passages, in order, and the statement without its citation marks.
SupportQuery = tuple[tuple[int, ...], str]


class SupportJudge(Protocol):
    """Decides which statements of a response are supported."""

    def verdicts(self, row: Cited, queries: Sequence[SupportQuery]) -> list[bool]:
        """Return one verdict for each query. Raises JudgeError if the judge returns none."""


class Entailment(Protocol):
    """A model of natural language inference."""

    def entails(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return for each (premise, hypothesis) whether the first entails the second. Raises JudgeError."""


class Lexical:
    """The judge that needs no model."""

    def verdicts(self, row: Cited, queries: Sequence[SupportQuery]) -> list[bool]:
        """Decide by the accepted names alone."""
        return [_supports(row, frozenset(cited), text) for cited, text in queries]


class KnownSupport:
    """A fixed table of verdicts by (cited numbers in order, claim); everything else is not supported."""

    def __init__(self, known: Mapping[SupportQuery, bool]) -> None:
        self._known = dict(known)

    def verdicts(self, row: Cited, queries: Sequence[SupportQuery]) -> list[bool]:
        """Look the queries up."""
        return [self._known.get((cited, row.claim(text)), False) for cited, text in queries]


class Passages:
    """A judge that asks a model about the passages of the prompt."""

    def __init__(self, model: Entailment) -> None:
        self._model = model
        self._known: dict[bytes, bool] = {}

    def verdicts(self, row: Cited, queries: Sequence[SupportQuery]) -> list[bool]:
        """Ask the model for all unknown verdicts in one call; none is asked for twice."""
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
    """Return the passages with these numbers as one text."""
    passages = (row.passage(number) for number in numbers[:MOST_PASSAGES])
    return "\n".join(f"Title: {title}\n{text}" for title, text in passages)


# Loaders of models registered by other rooms, by name prefix, so that scoring needs no client.
_PLUGGED: Final[dict[str, Callable[[str], Entailment]]] = {}


def plug_in(beginning: str, make: Callable[[str], Entailment]) -> None:
    """Register `make` as the loader of every judge whose name has this beginning."""
    _PLUGGED[beginning] = make


@lru_cache(maxsize=4)
def judge(name: str) -> SupportJudge:
    """Return the judge of a name, `nli:<model>` or an endpoint with `#<model>`; it is loaded once.

    Raises MetricError for another name and for a model that is not available.
    """
    if name.startswith("nli:"):
        return Passages(LocalModel(name.removeprefix("nli:")))
    for beginning, make in _PLUGGED.items():
        if name.startswith(beginning):
            return Passages(make(name))
    if name.startswith(("http://", "https://")):
        raise MetricError(
            f"got judge {name!r}, but no client for endpoints is loaded: call carrara.llm.judges.plug_in() first"
        )
    raise MetricError(f"got the unknown judge {name!r}, expected nli:<model> or http://host:port/v1#<model>")


def _supports(row: Cited, cited: frozenset[int], text: str) -> bool:
    """A name that several answers share counts as stated if one of them is."""
    if row.kind == ITEMS:
        named = [whole] if (whole := row.names.whole(text)) else []
    else:
        named = [name.answers for name in row.names.found(text)]
    return bool(named) and all(any(row.support[answer] & cited for answer in answers) for answers in named)


def _key(pair: tuple[str, str]) -> bytes:
    return hashlib.sha256("\0".join(pair).encode("utf-8", "surrogatepass")).digest()
