"""Reads a prompt of in-context learning, and solves it if its texts are utterances of the invented world.

The world's wordings give the intent of a text, the examples its number: the number whose examples all have that
intent. People labelled the other texts, and no rule reproduces their labels.

The wordings are in text files (`text/en/utterances*.txt`); this solver shares only their lines with what writes
utterances. It matches a frame with a gap for its core, and looks up the words in the gap among the cores, in any case.
It ignores bounds of length, and the lists that a frame may not use beside a core: it reads more than is ever written.
Of a text on several matters it reads what is left without the sentences that say of one that it is settled.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from carrara.tasks.helmet.in_context_learning.prompt import ASKED, INSTRUCTION, LABEL
from carrara.world.language.grammar import read_sections
from carrara.world.utterances import DOMAINS

_LAST: Final = re.compile("([0-9]{1,3})".join(re.escape(part) for part in INSTRUCTION.split("{last}")))
_MARK: Final = "\n" + LABEL.partition("{number}")[0]
_NUMBER: Final = re.compile("0|[1-9][0-9]{0,2}")
# The longest utterance has 22 words, and a text on several matters three of them.
LONGEST: Final = 800
_SHARED: Final = "utterances"
_LISTS: Final = "lists"
_SETTLED: Final = "settled_"
_ASKED: Final = "asked_"
_SENTENCE: Final = re.compile(r"(?<=[.?]) ")
_GAP: Final = "{core}"
# A place or a surname, which a stream has of its own.
_NAMED: Final = re.compile(r"@[pws][0-9]+")
_SLOT: Final = re.compile(r"\{(?:cap:)?([a-z_]+)\}")
_LITERAL: Final = re.compile(r"[^\[\]{}|]+")


@dataclass(frozen=True, slots=True)
class ExamplesReading:
    """The examples in order, the highest number in the instruction (`last`), and the text without a label."""

    last: int
    texts: list[str]
    numbers: list[int]
    asked: str


def read_prompt(prompt: str) -> ExamplesReading | None:
    """The parts of a prompt; None for any other text."""
    head = _LAST.match(prompt)
    at = prompt.rfind(ASKED)
    if head is None or at < head.end() or not prompt.endswith("\n"):
        return None
    asked = prompt[at + len(ASKED) : -1]
    blocks = prompt[head.end() : at].split("\n\n")
    if "\n" in asked or not asked or blocks.pop():
        return None
    texts, numbers = [], []
    for block in blocks:
        text, _, number = block.partition(_MARK)
        if not text or "\n" in text or not _NUMBER.fullmatch(number):
            return None
        texts.append(text)
        numbers.append(int(number))
    return ExamplesReading(int(head[1]), texts, numbers, asked)


@dataclass(frozen=True, slots=True)
class _Core:
    """A core of an intent: its kind, the longest literal that it always contains, and its pattern."""

    intent: str
    kind: str
    sure: str
    pattern: str


def intents(text: str) -> frozenset[str]:
    """The intents whose wordings match a text."""
    low = text.lower()
    if len(low) > LONGEST:
        return frozenset()
    return frozenset(
        core.intent
        for domain in DOMAINS
        for part in (low, *_unsettled(domain, low))
        for kind, gap in _gaps(domain, part)
        for core in _by_kind(domain).get(kind, ())
        if core.sure in gap and _compiled(core.pattern).fullmatch(gap)
    )


def is_of(intent: str) -> Callable[[str], bool]:
    """A function that says whether an intent's wordings match a text."""
    domain = next(name for name in DOMAINS if intent in _cores(name))
    own = _cores(domain)[intent]
    sure = re.compile("|".join(sorted({re.escape(core.sure) for core in own})))

    def spells(text: str) -> bool:
        low = text.lower()
        if len(low) > LONGEST or not sure.search(low):
            return False
        return any(
            core.kind == kind and core.sure in gap and _compiled(core.pattern).fullmatch(gap)
            for part in (low, *_unsettled(domain, low))
            for kind, gap in _gaps(domain, part)
            for core in own
        )

    return spells


def _unsettled(domain: str, low: str) -> Iterator[str]:
    """What a text holds beside sentences, at its beginning and end, that say of another matter that it is settled."""
    for joint in _SENTENCE.finditer(low):
        for said, rest in ((low[: joint.start()], low[joint.end() :]), (low[joint.end() :], low[: joint.start()])):
            if any(_compiled(pattern.replace(_GAP, ".+")).fullmatch(said) for pattern in _settled(domain)):
                yield rest
                yield from _unsettled(domain, rest)


@cache
def _settled(domain: str) -> tuple[str, ...]:
    lists = {**_lists(domain), "core": _GAP}
    return tuple(
        _pattern(line.text.lower(), lists)
        for kind, lines in read_sections("en", _SHARED).items()
        if kind.startswith(_SETTLED)
        for line in lines
    )


def _gaps(domain: str, low: str) -> Iterator[tuple[str, str]]:
    """(kind, text in the gap) of every frame that matches a text, with the longest and the shortest gap."""
    seen: set[tuple[str, str]] = set()
    for kind, starts, pattern in _frames(domain):
        if starts and not low.startswith(starts):
            continue
        for greedy in ("(.+)", "(.+?)"):
            if match := _compiled(pattern.replace(_GAP, greedy)).fullmatch(low):
                seen.add((kind, match[1]))
    yield from sorted(seen)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _frames(domain: str) -> tuple[tuple[str, str, str], ...]:
    """(kind, literal beginning, pattern with a gap) of every frame, with the lists of a domain."""
    sections, lists = read_sections("en", _SHARED), {**_lists(domain), "core": _GAP}
    return tuple(
        (kind.removeprefix(_ASKED), _beginning(line.text.lower()), _pattern(line.text.lower(), lists))
        for kind, lines in sections.items()
        if kind != _LISTS and not kind.startswith(_SETTLED)
        for line in lines
    )


@cache
def _lists(domain: str) -> Mapping[str, str]:
    """The pattern of every list that a domain's phrases may name."""
    patterns: dict[str, str] = {}
    for name in (_SHARED, f"{_SHARED}_{domain}"):
        entries = {}
        for line in read_sections("en", name)[_LISTS]:
            key, _, phrases = line.text.partition(":")
            entries[key.strip()] = _split(phrases.lower(), " / ")
        # A list may name other lists of its file, in any order.
        waiting = dict(entries)
        while waiting:
            ready = [key for key, phrases in waiting.items() if not (_named(phrases) & waiting.keys() - {key})]
            if not ready:
                raise ValueError(f"{name}: the lists {sorted(waiting)} name each other")
            for key in ready:
                patterns[key] = _any(_pattern(phrase.strip(), patterns) for phrase in waiting.pop(key))
    return patterns


def _named(phrases: list[str]) -> set[str]:
    return {name for phrase in phrases for name in _SLOT.findall(phrase)}


@cache
def _cores(domain: str) -> Mapping[str, tuple[_Core, ...]]:
    lists = _lists(domain)
    return {
        intent: tuple(
            _Core(intent, kind.strip(), _sure(phrase), _pattern(phrase, lists))
            for line in lines
            for kind, _, phrases in [line.text.partition(":")]
            for phrase in map(str.strip, _split(phrases.lower(), " / "))
        )
        for intent, lines in read_sections("en", f"{_SHARED}_{domain}").items()
        if intent != _LISTS
    }


@cache
def _by_kind(domain: str) -> Mapping[str, list[_Core]]:
    by_kind: dict[str, list[_Core]] = {}
    for cores in _cores(domain).values():
        for core in cores:
            by_kind.setdefault(core.kind, []).append(core)
    return by_kind


def _pattern(phrase: str, lists: Mapping[str, str]) -> str:
    """A phrase as a pattern: slots by their lists, alternatives in brackets."""
    out, at = [], 0
    while at < len(phrase):
        if slot := _SLOT.match(phrase, at):
            out.append(lists[slot[1]])
            at = slot.end()
        elif phrase[at] == "[":
            end = _closing(phrase, at)
            out.append(_any(_pattern(part, lists) for part in _split(phrase[at + 1 : end], "|")))
            at = end + 1
        else:
            literal = _LITERAL.match(phrase, at)
            assert literal is not None, phrase
            out.append(_NAMED.sub("[a-z’-]+\\.?(?: [a-z’-]+)?", re.escape(literal[0])))
            at = literal.end()
    return "".join(out)


def _any(patterns: Iterator[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


def _split(phrase: str, mark: str) -> list[str]:
    """The parts of a phrase between marks outside brackets."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(phrase):
        depth += (phrase[at] == "[") - (phrase[at] == "]")
        if not depth and phrase.startswith(mark, at):
            parts.append(phrase[start:at])
            start = at = at + len(mark)
            continue
        at += 1
    return [*parts, phrase[start:]]


def _closing(phrase: str, at: int) -> int:
    depth = 0
    for index in range(at, len(phrase)):
        depth += (phrase[index] == "[") - (phrase[index] == "]")
        if not depth:
            return index
    raise ValueError(f"{phrase!r}: a bracket is not closed")


def _beginning(phrase: str) -> str:
    """The literal words at the beginning of a phrase."""
    return "" if phrase[0] in "[{" else re.split(r"[\[{]", phrase, maxsplit=1)[0]


def _sure(phrase: str) -> str:
    """The longest literal of a phrase outside slots and brackets."""
    out, depth = [], 0
    for part in re.split(r"([\[\]{}])", phrase):
        if part and part in "[{":
            depth += 1
            out.append("\n")
        elif part and part in "]}":
            depth -= 1
        elif not depth:
            out.append(part)
    return max("".join(out).split("\n"), key=len)


def solve(prompt: str) -> tuple[str, ...]:
    """The label of the asked text; () unless exactly one intent matches it and its examples give the number."""
    reading = read_prompt(prompt)
    if reading is None or len(matches := intents(reading.asked)) != 1:
        return ()
    (intent,) = matches
    shown: dict[int, bool] = {}
    fits = is_of(intent)
    for text, number in zip(reading.texts, reading.numbers, strict=True):
        if shown.get(number, True):
            shown[number] = fits(text)
    numbers = [number for number, alike in shown.items() if alike]
    return (str(numbers[0]),) if len(numbers) == 1 else ()
