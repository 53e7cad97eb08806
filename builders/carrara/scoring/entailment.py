"""Judges: is a statement supported by the passages that it cites?

`lexical`, the default, needs no model: a statement is supported where it names an accepted answer and every answer
that it names is stated by a cited passage (`facts.support`); an item must be such a name, whole. It is blind to all
else that a statement says. The other judges are models of natural language inference, asked with the cited passages as
premise (`Title: ...` and a line of text each, joined by lines) and the statement as hypothesis:

- `nli:<model>`: a transformers model in this process (`entailment_local.py`), a folder or a commit of the Hub
  (`model_folder.py`);
- `http(s)://host:port/v1#<model>`: a language model behind an OpenAI-compatible endpoint (`entailment_endpoint.py`).

A judge's name is part of its metric's: `citations@nli:<model>`. Verdicts are kept per premise and hypothesis while the
process lives; only the first 20 passages that a statement cites are read.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, Protocol

from carrara.scoring.cited import ITEMS, Cited

MOST_PASSAGES: Final = 20
_MOST_KEPT: Final = 1_000_000

# Numbers of passages, in the order cited, and a statement without its citations.
Query = tuple[tuple[int, ...], str]


class JudgeError(RuntimeError):
    """A judge that gives no verdict: nothing can be scored with it."""


class Judge(Protocol):
    """Says which statements of a response are supported."""

    def verdicts(self, row: Cited, queries: Sequence[Query]) -> list[bool]:
        """One verdict a query. Raises JudgeError where none can be had."""


class Entailment(Protocol):
    """A model of natural language inference."""

    def entails(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Whether the first text of a pair, the premise, entails the second. Raises JudgeError."""


class Lexical:
    """The judge without a model."""

    def verdicts(self, row: Cited, queries: Sequence[Query]) -> list[bool]:
        """By the names alone."""
        return [_supports(row, frozenset(cited), text) for cited, text in queries]


class Table:
    """Verdicts that are known: by cited numbers, in order, and claim; all else is not supported."""

    def __init__(self, known: Mapping[Query, bool]) -> None:
        self._known = dict(known)

    def verdicts(self, row: Cited, queries: Sequence[Query]) -> list[bool]:
        """What the table says."""
        return [self._known.get((cited, row.claim(text)), False) for cited, text in queries]


class Passages:
    """A model, asked about the passages of the prompt."""

    def __init__(self, model: Entailment) -> None:
        self._model = model
        self._known: dict[bytes, bool] = {}

    def verdicts(self, row: Cited, queries: Sequence[Query]) -> list[bool]:
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


@lru_cache(maxsize=4)
def judge(name: str) -> Judge:
    """The judge of a name: `nli:<model>` or an endpoint with `#<model>`; loaded or checked once.

    Raises ValueError for another name, and for a model that cannot be had.
    """
    if name.startswith("nli:"):
        from carrara.scoring.entailment_local import LocalModel

        return Passages(LocalModel(name.removeprefix("nli:")))
    if name.startswith(("http://", "https://")):
        from carrara.scoring.entailment_endpoint import EndpointModel

        return Passages(EndpointModel(name))
    raise ValueError(f"judge {name!r} is unknown, expected nli:<model> or http://host:port/v1#<model>")


def _supports(row: Cited, cited: frozenset[int], text: str) -> bool:
    """A name that several answers share is stated where one of them is."""
    if row.kind == ITEMS:
        named = [whole] if (whole := row.names.whole(text)) else []
    else:
        named = [one.answers for one in row.names.found(text)]
    return bool(named) and all(any(row.support[answer] & cited for answer in answers) for answers in named)


def _key(pair: tuple[str, str]) -> bytes:
    return hashlib.sha256("\0".join(pair).encode("utf-8", "surrogatepass")).digest()
