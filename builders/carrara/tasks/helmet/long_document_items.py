"""Which question of a source of real documents is which item, and which questions are demonstrations.

A document shorter than a row is not used in that row's bucket, and a plan sees no bucket: the longest documents come
first. They are in classes by length (the power of two of their characters), the classes in falling order; in a class
come rounds over its documents in a keyed order, the first question of each, then the second of each, so that the first
items of a large bucket are those whose documents fill it, and are on as many documents as there are.

The shortest documents, an eighth, at least two and at most eight, are for demonstrations, and no item is on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from carrara.errors import SourceError
from carrara.stream import Stream
from carrara.tables import DocumentQuestion, Tables
from carrara.task import Key

_SHARE, _LEAST, _MOST = 8, 2, 8


@dataclass(frozen=True, slots=True)
class Asked:
    """A question by the number of its document."""

    document: int
    question: DocumentQuestion


@dataclass(frozen=True, slots=True)
class Pool:
    """The questions of the items, in their order, and those of the demonstrations."""

    items: Sequence[Asked]
    demonstrations: Sequence[Asked]


def pool(tables: Tables, choice: bool, key: Key) -> Pool:
    """The questions of a source, with options or without. Raises SourceError where there are too few documents."""
    held: Any = tables
    return _pool(held, choice, key)


@lru_cache(maxsize=8)
def _pool(tables: Any, choice: bool, key: Key) -> Pool:
    stream = Stream(*key)
    found: dict[int, list[DocumentQuestion]] = {}
    lengths: dict[int, int] = {}
    for number in range(tables.document_count("en", "")):
        document = tables.document("en", "", number, 0)
        questions = [one for one in document.questions if bool(one.options) == choice]
        if questions:
            ranks = stream.child("questions", number).order(len(questions)).tolist()
            found[number] = [questions[rank] for rank in ranks]
            lengths[number] = len(document.text)
    apart = min(_MOST, max(_LEAST, len(found) // _SHARE))
    if len(found) <= apart:
        raise SourceError(
            f"{len(found)} documents have questions {'with' if choice else 'without'} options; {apart + 1} are wanted",
            "use a source with more documents: some are for demonstrations alone",
        )
    order = sorted(found, key=lambda number: (-lengths[number], number))
    items, kept = order[:-apart], order[-apart:]
    place = {number: stream.child("documents", number).word() for number in items}
    ranked = sorted(
        (-lengths[number].bit_length(), turn, place[number], number)
        for number in items
        for turn in range(len(found[number]))
    )
    return Pool(
        [Asked(number, found[number][turn]) for _, turn, _, number in ranked],
        [Asked(number, question) for number in kept for question in found[number]],
    )


def unlike(one: DocumentQuestion, others: Sequence[DocumentQuestion]) -> bool:
    """Whether a demonstration tells nothing of other questions: none of their words, answers or options."""
    held = {text.casefold() for other in others for text in (*other.answers, *other.options, other.text)}
    return not held & {text.casefold() for text in (*one.answers, one.text)}
