"""Parses a NIAH prompt (haystack, needles, keys asked for), answers it, audits rows, and guesses."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.synthetic_recall.prompt import (
    HAY_BEGIN,
    HAY_END,
    HEADS,
    HINTED,
    JOINT,
    KEY_NOUN,
    LAST_JOINT,
    NEEDLE,
    PHRASE,
    QUESTIONS,
    SHAPES,
    VALUE,
    Asks,
    Hay,
    KeyForm,
)

_FORMS: Final[dict[KeyForm, str]] = {
    "words": "[a-z]{2,20}-[a-z]{2,20}",
    "number": "[1-9][0-9]{6}",
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
}
# Longer than any question of sixteen keys.
_LONGEST_TAIL: Final = 2_000
# A sentence of prose is up to 2 % of a prompt of 4k tokens, and characters are not spread as tokens are.
_DEPTH_ERROR: Final = 0.06
_PLACE_ERROR: Final = 1e-5
# What a metric reads of a response that lists everything.
_READ: Final = 400


@dataclass(frozen=True, slots=True)
class NeedlesReading:
    """The haystack, which stands at [start:end] of the prompt, its needles as (key, value), and what is asked.

    `exact`: the haystack is nothing but needles, one a line.
    """

    hay: Hay
    keys: KeyForm
    values: KeyForm
    asks: Asks
    start: int
    end: int
    needles: tuple[tuple[str, str], ...]
    asked: tuple[str, ...]
    exact: bool


def read_prompt(prompt: str) -> NeedlesReading | None:
    """What a prompt says; None where it is not exactly of this kind."""
    for hay, opening in (*HEADS.items(), *HINTED.items()):
        for values, value in VALUE.items():
            for keys, key in KEY_NOUN.items():
                head = opening.format(value=value, key=key) + HAY_BEGIN[hay]
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


def _read(prompt: str, start: int, hay: Hay, keys: KeyForm, values: KeyForm) -> NeedlesReading | None:
    end = prompt.rfind(HAY_END[hay], max(start, len(prompt) - _LONGEST_TAIL))
    if end < 0:
        return None
    tail = prompt[end + len(HAY_END[hay]) :]
    for asks, question in QUESTIONS.items():
        value = VALUE[values]
        before, after = question.format(value=value, form=value.upper(), keys="\n").split("\n", 1)
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
        return NeedlesReading(hay, keys, values, asks, start, end, needles, tuple(asked), exact)
    return None


def _needles(prompt: str, start: int, end: int, keys: KeyForm, values: KeyForm) -> tuple[tuple[str, str], ...]:
    pattern = re.escape(NEEDLE).replace(re.escape("{key}"), f"({_FORMS[keys]})")
    needle = re.compile(pattern.replace(re.escape("{value}"), f"({_FORMS[values]})"))
    return tuple(needle.findall(prompt, start, end))


def audit(draft: Draft) -> Iterator[Finding]:
    """Every needle whole, once and where it shall be; nothing else says anything of a key or holds a value."""
    reading, facts = read_prompt(draft.prompt), draft.facts
    if reading is None:
        yield Finding("layout", "the prompt is not a haystack with a question about keys")
        return
    shape = SHAPES[facts["variant"]]
    if (reading.hay, reading.keys, reading.values, reading.asks) != (shape.hay, shape.keys, shape.values, shape.asks):
        yield Finding("layout", f"the prompt is of {reading.hay} and asks for {reading.asks}: not {facts['variant']}")
    if "\ufffd" in draft.prompt:
        yield Finding("cut character", "the prompt holds U+FFFD")
    if list(reading.asked) != facts["asked"]:
        yield Finding("question", f"the prompt asks for {reading.asked}, the facts say {facts['asked']}")
    if draft.complexity != 1:
        yield Finding("complexity", f"{draft.complexity}; one look-up is 1")
    own = {(key, value) for key, value, _ in facts["needles"]}
    stated = reading.needles
    if shape.hay != "needles" and sorted(stated) != sorted(own):
        yield Finding("needles", f"{len(stated)} needles stand in the text, not the {len(own)} of the facts")
    yield from _unique(draft, reading, stated)
    yield from _haystack(draft, reading)
    yield from _places(draft, reading)


def _unique(draft: Draft, reading: NeedlesReading, stated: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    """No key and no value of the row twice; those of the plan nowhere but in their needles and the question."""
    keys = {key for key, _ in stated}
    own = {key: sum(key == other for other, _, _ in draft.facts["needles"]) for key, _, _ in draft.facts["needles"]}
    again = len(stated) - len(keys) - sum(own.values()) + len(own)
    if again or len({value for _, value in stated}) != len(stated):
        yield Finding("duplicate", f"{again} keys, or values, of {len(stated)} needles stand again")
    for key, times in own.items():
        wanted = times + reading.asked.count(key)
        if (count := draft.prompt.count(key)) != wanted:
            yield Finding("key elsewhere", f"{key} stands {count} times in the prompt, not {wanted}")
    for _, value, _ in draft.facts["needles"]:
        if (count := draft.prompt.count(value)) != 1:
            yield Finding("value elsewhere", f"{value} stands {count} times in the prompt, not once")


def _haystack(draft: Draft, reading: NeedlesReading) -> Iterator[Finding]:
    if reading.hay == "needles" and not (reading.exact and len(reading.needles) > 1):
        yield Finding("haystack", "a line of the register is no needle, or there is one line alone")
    if reading.hay == "phrase":
        rest = draft.prompt[reading.start : reading.end]
        for sentence in (*(NEEDLE.format(key=key, value=value) for key, value in reading.needles), *PHRASE):
            rest = rest.replace(sentence, "")
        if rest.strip():
            yield Finding("haystack", f"{rest.strip()[:80]!r} stands in it beside the phrase")


def _places(draft: Draft, reading: NeedlesReading) -> Iterator[Finding]:
    """The evidence is the needles asked, in the order of the answers, each at its depth."""
    asked = [needle for key in draft.facts["asked"] for needle in draft.facts["needles"] if needle[0] == key]
    if draft.answers != tuple(value for _, value, _ in asked):
        yield Finding("gold", f"the needles asked say {[value for _, value, _ in asked]}, recorded {draft.answers}")
    if draft.facts["values"] * len(draft.facts["asked"]) != len(asked):
        yield Finding(
            "facts", f"{draft.facts['values']} values of {len(draft.facts['asked'])} keys; {len(asked)} asked"
        )
    if not len(asked) == len(draft.evidence) == len(draft.depths):
        yield Finding("evidence", f"{len(asked)} needles, {len(draft.evidence)} spans, {len(draft.depths)} depths")
        return
    for (key, value, depth), (start, end), at in zip(asked, draft.evidence, draft.depths, strict=True):
        if draft.prompt[start:end] != NEEDLE.format(key=key, value=value):
            yield Finding("evidence", f"span {start}..{end} is not the needle of {key}")
        elif reading.hay == "needles":
            last = len(reading.needles) - 1
            position = next((at for at, needle in enumerate(reading.needles) if needle == (key, value)), -1)
            if position != int(depth * (last + 1)) or abs(at - position / max(1, last)) > _PLACE_ERROR:
                yield Finding("depth", f"line {position} of {last}, recorded at {at}, wanted at {depth}")
        else:
            real = (start - reading.start) / (reading.end - reading.start)
            if abs(at - depth) > _DEPTH_ERROR or abs(real - depth) > _DEPTH_ERROR:
                yield Finding("depth", f"the needle of {key} stands at {real:.3f}, recorded {at}, wanted {depth}")


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Equally likely responses of strategies that do not look a key up."""
    reading = read_prompt(draft.prompt)
    if reading is None or not reading.needles:
        return {}
    values = [value for _, value in reading.needles]
    number = len(draft.answers)
    most = _READ // (len(values[0]) + 1)
    middle = max(0, (len(values) - most) // 2)
    return {
        "the first values of the text": ("\n".join(values[:number]),),
        "the last values of the text": ("\n".join(values[-number:]),),
        "any value of the text": tuple(values),
        "as many values as are read, from the middle": ("\n".join(values[middle : middle + most]),),
        "the value of a key that is like the one asked": _like(reading),
        "the keys again": ("\n".join(reading.asked),),
    }


def _like(reading: NeedlesReading) -> tuple[str, ...]:
    """The values of keys that are not asked and share a word, or of UUIDs the first two digits, with one that is."""

    def parts(key: str) -> list[str]:
        return key.split("-") if reading.keys == "words" else [key[:2]]

    words = {part for key in reading.asked for part in parts(key)}
    return tuple(
        value for key, value in reading.needles if key not in reading.asked and not words.isdisjoint(parts(key))
    )
