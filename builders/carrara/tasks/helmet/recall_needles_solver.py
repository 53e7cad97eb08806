"""Reads a NIAH prompt back and answers it: which haystack, which needles stand in it, which keys are asked."""

import re
from dataclasses import dataclass
from typing import Final

from carrara.tasks.helmet.recall_needles_templates import (
    BEGIN,
    END,
    HEADS,
    JOINT,
    KEY_NOUN,
    LAST_JOINT,
    NEEDLE,
    QUESTIONS,
    VALUE,
    Asks,
    Form,
    Hay,
)

_FORMS: Final[dict[Form, str]] = {
    "words": "[a-z]{2,20}-[a-z]{2,20}",
    "number": "[1-9][0-9]{6}",
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
}
# Longer than any question of sixteen keys.
_LONGEST_TAIL: Final = 2_000


@dataclass(frozen=True, slots=True)
class Reading:
    """The haystack, which stands at [start:end] of the prompt, its needles as (key, value), and what is asked.

    `exact`: the haystack is nothing but needles, one a line.
    """

    hay: Hay
    keys: Form
    values: Form
    asks: Asks
    start: int
    end: int
    needles: tuple[tuple[str, str], ...]
    asked: tuple[str, ...]
    exact: bool


def read_prompt(prompt: str) -> Reading | None:
    """What a prompt says; None where it is not exactly of this kind."""
    for hay, opening in HEADS.items():
        for values, value in VALUE.items():
            for keys, key in KEY_NOUN.items():
                head = opening.format(value=value, key=key) + BEGIN[hay]
                if prompt.startswith(head) and (reading := _read(prompt, len(head), hay, keys, values)):
                    return reading
    return None


def solve(prompt: str) -> tuple[str, ...]:
    """The values asked, in the order asked; () for any other prompt, and where what is listed is missing or unclear."""
    reading = read_prompt(prompt)
    if reading is None or (reading.hay == "needles" and not reading.exact):
        return ()
    answers: list[str] = []
    for key in reading.asked:
        values = [value for other, value in reading.needles if other == key]
        # A key that stands anywhere else is in a sentence that this grammar does not read.
        if prompt.count(key, reading.start, reading.end) != len(values) or len(set(values)) != len(values):
            return ()
        if (len(values) < 2) if reading.asks == "all" else (len(values) != 1):
            return ()
        answers += values
    return tuple(answers)


def _read(prompt: str, start: int, hay: Hay, keys: Form, values: Form) -> Reading | None:
    end = prompt.rfind(END[hay], max(start, len(prompt) - _LONGEST_TAIL))
    if end < 0:
        return None
    tail = prompt[end + len(END[hay]) :]
    for asks, question in QUESTIONS.items():
        before, after = question.format(value=VALUE[values], keys="\n").split("\n", 1)
        if not (tail.startswith(before) and tail.endswith(after) and len(tail) > len(before) + len(after)):
            continue
        asked = tail[len(before) : len(tail) - len(after)].replace(LAST_JOINT, JOINT).split(JOINT)
        if not all(re.fullmatch(_FORMS[keys], key) for key in asked) or (len(asked) > 1) != (asks == "each"):
            return None
        needles = _needles(prompt, start, end, keys, values)
        # A newline ends each line.
        bare = len(NEEDLE.format(key="", value="")) + 1
        size = bare * len(needles) + sum(len(key) + len(value) for key, value in needles)
        exact = size == end - start and prompt.count("\n", start, end) == len(needles)
        return Reading(hay, keys, values, asks, start, end, needles, tuple(asked), exact)
    return None


def _needles(prompt: str, start: int, end: int, keys: Form, values: Form) -> tuple[tuple[str, str], ...]:
    pattern = re.escape(NEEDLE).replace(re.escape("{key}"), f"({_FORMS[keys]})")
    needle = re.compile(pattern.replace(re.escape("{value}"), f"({_FORMS[values]})"))
    return tuple(needle.findall(prompt, start, end))
