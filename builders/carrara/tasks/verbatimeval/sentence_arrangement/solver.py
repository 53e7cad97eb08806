"""Reads a prompt of sentence arrangement, and orders the sentences of a world article by their content alone.

A sentence with a date begins a day. Every other sentence names a place or a person of its day: a place is named with
the date or as the next place, a person enters at a place or with another person. Within a day, sentences follow their
hours; a sentence without an hour follows the sentence that introduced a person whom it names.
"""

import datetime
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.tasks.verbatimeval.sentence_arrangement.passage import HEAD, ORDERS, TAIL, SentenceOrder

_MONTHS: Final = [
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
]
_HOURS: Final = ["twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
_MINUTES: Final = {"five": 5, "ten": 10, "a quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
_DATE: Final = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(_MONTHS)}) (\d{{4}})\b")
_CLOCK: Final = re.compile(
    rf"\bnoon\b|\b(?:({'|'.join(_HOURS)}) o’clock|({'|'.join(sorted(_MINUTES, key=len, reverse=True))}) (past|to) "
    rf"({'|'.join(_HOURS)})) (?:in the|that|of the|at) (morning|afternoon|evening|night)\b"
)
# A run of capitalised words: a name, or the first word of a sentence and a name.
_CAPITALS: Final = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*")
_NOON: Final = 720


@dataclass(frozen=True, slots=True)
class PassageReading:
    """The order that a prompt asks for, and the sentences that it lists."""

    order: SentenceOrder
    sentences: tuple[str, ...]


def read(prompt: str) -> PassageReading | None:
    """The order asked for and the sentences listed; None if the prompt is not exactly this task's."""
    for lang, orders in ORDERS.items():
        for order, words in orders.items():
            head, tail = HEAD[lang].format(order=words), TAIL[lang].format(order=words)
            if prompt.startswith(head) and prompt.endswith(f"\n{tail}") and len(prompt) > len(head) + len(tail):
                listed = prompt[len(head) : len(prompt) - len(tail) - 1].split("\n")
                marks = {head.rstrip("\n").rsplit("\n", 1)[1], tail.split("\n", 1)[0]}
                return None if marks & set(listed) or not all(listed) else PassageReading(order, tuple(listed))
    return None


def in_order(sentences: Sequence[str]) -> tuple[str, ...]:
    """The sentences in the order of the events; () if one of them belongs to no day."""
    names = _names(sentences)
    dates = [_date(sentence) for sentence in sentences]
    hours = [_hour(sentence) if date is None else None for sentence, date in zip(sentences, dates, strict=True)]
    introduced: dict[str, int] = {}
    for hour, own_names in zip(hours, names, strict=True):
        if hour is not None:
            for name in own_names:
                introduced[name] = min(hour, introduced.get(name, hour))
    keys: list[tuple[int, int, int]] = []
    for date, day, hour, own_names in zip(dates, _days(dates, names), hours, names, strict=True):
        if day is None:
            return ()
        if date is not None:
            keys.append((day, -1, 0))
        elif hour is not None:
            keys.append((day, hour, 0))
        else:
            keys.append((day, max((introduced.get(name, -1) for name in own_names), default=-1), 1))
    return tuple(sentences[index] for index in sorted(range(len(sentences)), key=keys.__getitem__))


def _names(sentences: Sequence[str]) -> list[list[str]]:
    """The names in each sentence: capitalised words that also stand inside some sentence and are no month."""
    inner: list[list[str]] = []
    for sentence in sentences:
        inner.append([run[0] for run in _CAPITALS.finditer(sentence) if run.start() and run[0] not in _MONTHS])
    known = {name for own_names in inner for name in own_names}
    for sentence, own_names in zip(sentences, inner, strict=True):
        if first := _CAPITALS.match(sentence):
            words = first[0].split(" ")
            # "From Tarkov ..." and "Given Surname ..." both begin with a capital.
            own_names += [name for start in range(len(words)) if (name := " ".join(words[start:])) in known][:1]
    return inner


def _hour(sentence: str) -> int | None:
    """The time that a sentence gives, in minutes after midnight; None without one."""
    match = _CLOCK.search(sentence)
    if match is None:
        return None
    if match[0] == "noon":
        return _NOON
    if match[1]:
        minutes = 60 * (_HOURS.index(match[1]) or 12)
    else:
        minutes = 60 * (_HOURS.index(match[4]) or 12) + _MINUTES[match[2]] * (1 if match[3] == "past" else -1)
    return minutes if match[5] == "morning" or minutes >= _NOON else minutes + _NOON


def _date(sentence: str) -> int | None:
    """The date that a sentence gives, as an ordinal; None without one."""
    match = _DATE.search(sentence)
    if match is None:
        return None
    try:
        return datetime.date(int(match[3]), _MONTHS.index(match[2]) + 1, int(match[1])).toordinal()
    except ValueError:
        return None


def _days(dates: Sequence[int | None], names: Sequence[Iterable[str]]) -> list[int | None]:
    """The day of each sentence: its date, or the earliest day of one of its names."""
    days = list(dates)
    first: dict[str, int] = {}
    beside: defaultdict[str, list[int]] = defaultdict(list)
    for index, (date, own_names) in enumerate(zip(dates, names, strict=True)):
        for name in own_names:
            beside[name].append(index)
            if date is not None:
                first[name] = min(date, first.get(name, date))
    # A name without a date takes the day of a name beside it, and passes it on.
    waiting = sorted(first, key=first.__getitem__)
    for name in waiting:
        for index in beside[name]:
            if days[index] is None:
                days[index] = first[name]
                for other in names[index]:
                    if other not in first:
                        first[other] = first[name]
                        waiting.append(other)
    return days
