"""Guessers of in-context learning, who compare words at most: what chance and cheap search would score."""

import re
from collections import Counter
from math import log
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft
from carrara.tasks.helmet.in_context_learning_reading import Reading, read_prompt

_WORD: Final = re.compile(r"\w+")


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Equally likely responses of each guesser."""
    reading = read_prompt(draft.prompt)
    if reading is None or not reading.numbers:
        return {}
    counts = Counter(reading.numbers)
    most = max(counts.values())
    nearest, kind = _nearest(reading)
    return {
        "any label": tuple(map(_said, range(reading.last + 1))),
        "a most frequent label": tuple(_said(number) for number in sorted(counts) if counts[number] == most),
        "the last example's label": (_said(reading.numbers[-1]),),
        "the label of the example with most words in common": (_said(nearest),),
        "the label whose examples have most words in common": (_said(kind),),
    }


def _said(number: int) -> str:
    return f"label: {number}"


def _nearest(reading: Reading) -> tuple[int, int]:
    """The label of the nearest example, and the label whose examples are nearest together; the first of equals.

    Words in common count by how rare they are among the examples, against the length of the example.
    """
    bags = [frozenset(_WORD.findall(text.lower())) for text in reading.texts]
    held = Counter(word for bag in bags for word in bag)
    rare = {word: log(len(bags) / held[word]) for word in _WORD.findall(reading.asked.lower()) if word in held}
    scores = [sum(rare[word] for word in rare.keys() & bag) / (1 + len(bag)) for bag in bags]
    best = max(range(len(scores)), key=scores.__getitem__)
    sums: dict[int, float] = {}
    for number, score in zip(reading.numbers, scores, strict=True):
        sums[number] = sums.get(number, 0.0) + score
    counts = Counter(reading.numbers)
    return reading.numbers[best], max(sums, key=lambda number: (sums[number] / counts[number], -number))
