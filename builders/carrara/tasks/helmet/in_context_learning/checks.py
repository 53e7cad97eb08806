"""The audit of in-context learning rows, which does not know their texts, and guesses that only compare words.

The audit proves rounds, balance, labels and repetition. The guesses measure chance and cheap search.
"""

import re
from collections import Counter
from collections.abc import Iterator
from math import log
from typing import Final

import numpy as np

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.in_context_learning.material import folded
from carrara.tasks.helmet.in_context_learning.solver import ExamplesReading, read_prompt

_WORD: Final = re.compile(r"\w+")


def audit(draft: Draft) -> Iterator[Finding]:
    """Check that labels are equally frequent except in the cut round, each text has one label, the asked text none."""
    reading, facts = read_prompt(draft.prompt), draft.facts
    if reading is None or not reading.numbers:
        yield Finding("layout", "the prompt is not an instruction, labelled texts and a text without a label")
        return
    if reading.last + 1 != facts["labels"]:
        yield Finding("labels", f"the instruction names {reading.last + 1} labels, the record {facts['labels']}")
    if reading.asked != facts["question"]:
        yield Finding("question", f"the prompt asks {reading.asked[:60]!r}, the record {facts['question'][:60]!r}")
    yield from _rounds(reading, facts["rounds"])
    yield from _texts(reading)
    copies = Counter(reading.texts)
    counted = {"examples": len(reading.texts), "distinct": len(copies), "most": max(copies.values())}
    if any(facts[name] != value for name, value in counted.items()):
        yield Finding(
            "repetition", f"the record has { ({name: facts[name] for name in counted}) }, the prompt {counted}"
        )
    if counted["most"] > 1 and not facts["repeat"]:
        yield Finding("repetition", f"a text stands {counted['most']} times")
    yield from _evidence(draft, reading)


def _rounds(reading: ExamplesReading, rounds: int) -> Iterator[Finding]:
    """Check that every whole round has each label once, and the cut round none twice."""
    labels = reading.last + 1
    numbers = np.array(reading.numbers, dtype=np.int64)
    whole = len(numbers) // labels
    if whole != rounds or not whole:
        yield Finding("rounds", f"{len(numbers)} examples of {labels} labels are {whole} rounds, recorded {rounds}")
    table = np.sort(numbers[: whole * labels].reshape(whole, labels), axis=1)
    if (table != np.arange(labels)).any():
        yield Finding("balance", "a round does not hold every label once")
    rest = numbers[whole * labels :]
    if len(np.unique(rest)) != len(rest) or (rest >= labels).any():
        yield Finding("balance", "the cut round holds a label twice, or one that there is not")


def _texts(reading: ExamplesReading) -> Iterator[Finding]:
    known: dict[str, int] = {}
    for text, number in zip(reading.texts, reading.numbers, strict=True):
        if known.setdefault(text, number) != number:
            yield Finding("label", f"{text[:60]!r} has the labels {known[text]} and {number}")
            return
    # No two texts may differ only in case and punctuation.
    plain = set(map(folded, known))
    if folded(reading.asked) in plain:
        yield Finding("question", f"{reading.asked[:60]!r} stands among the examples")
    if len(plain) < len(known):
        yield Finding("label", f"{len(known) - len(plain)} examples stand twice but for case and marks")


def _evidence(draft: Draft, reading: ExamplesReading) -> Iterator[Finding]:
    answer = draft.answers[0] if len(draft.answers) == 1 else ""
    if answer not in map(str, range(reading.last + 1)):
        yield Finding("gold", f"{answer!r} is no label")
        return
    held = [draft.prompt[start:end] for start, end in draft.evidence]
    shown = [f"{text}\nlabel: {number}" for text, number in zip(reading.texts, reading.numbers, strict=True)]
    wanted = [example for example, number in zip(shown, reading.numbers, strict=True) if str(number) == answer]
    if not held or held != wanted[: len(held)]:
        yield Finding("evidence", f"the spans do not hold the first examples of label {answer}")


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


def _nearest(reading: ExamplesReading) -> tuple[int, int]:
    """The label of the nearest example, and the label whose examples are nearest on average; the first of equals.

    A common word counts by its rarity among the examples; the sum is divided by the example's length.
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
