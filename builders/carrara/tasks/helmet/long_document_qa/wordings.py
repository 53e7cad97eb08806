"""The wordings of chronicles and minutes as patterns: what a sentence states about a question's names.

This reader shares only the templates of the world's text files with what writes them. A slot of a question matches
words of its kind. In a sentence, the question's names are given, the answer matches words of its kind, and every list
(which varies the sentence) matches any words, for no list contains a name or ends a sentence.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from carrara.world.documents.chronicle.kinds import KINDS
from carrara.world.language.grammar import file_names, read_sections

_PERSON: Final = "[A-Z][a-z]+ [A-Z][a-z]+ [A-Z][a-z]+"
_SUM: Final = "[0-9]{1,3}(?:,[0-9]{3})* marks"
_TERM: Final = r"[^\n]{1,120}?"
# Words of a list, within one sentence.
_ANY: Final = r"[^.?!\n]{0,400}?"
# Values by the fillings of `chronicle_kinds`; every other filling is a list of terms.
_VALUES: Final = {
    **dict.fromkeys(("cast", "woman", "man", "goer", "owner", "person", "child"), _PERSON),
    **dict.fromkeys(("thing", "held"), "the [A-Z][a-z]+ [A-Z][a-z]+ [a-z][a-z -]{1,40}?"),
    "place": "[A-Z][a-z]+ [A-Z][a-z]+",
    "sum": _SUM,
}
_MINUTES: Final = {
    "granted": _SUM,
    "asked": _SUM,
    "reporter": f"Councillor {_PERSON}",
    "deadline": "[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}",
    "k": "[0-9]{1,7}",
}
# The mark of the sentence that states what minutes are asked of; the mover is the speaker.
STATED: Final[Mapping[str, str]] = {
    "mover": "move mover",
    "granted": "decided decision",
    "asked": "cost asked",
    "reporter": "action action",
    "deadline": "action action",
}
_SLOT: Final = re.compile(r"\{(?:(a|cap):)?([A-Za-z_0-9:-]+)((?:['’]s)?)\}")
_MARKED: Final = re.compile(r"[+>~-] !(\w+) ")
# An article, as a template may write it before any word.
_ARTICLE: Final = re.compile(r"(?<![A-Za-z’-])([Aa])n?(?=\\ |$)")


@dataclass(frozen=True, slots=True)
class ChronicleFact:
    """A fact of chronicles: the wordings of questions about it and of sentences that state it."""

    kind: str
    # The slot of the answer, and the pattern of every slot.
    answer: str
    slots: Mapping[str, str]
    questions: tuple[str, ...]
    sentences: tuple[str, ...]


@cache
def facts() -> tuple[ChronicleFact, ...]:
    """The facts of chronicles whose answer is a name or a sum."""
    events = _stating()
    lines = (line.text.partition(": ") for line in read_sections("en", "chronicle/_asks")["questions"])
    asked = {head: tuple(rest.split(" / ")) for head, _, rest in lines}
    entries: list[ChronicleFact] = []
    for name, kind in KINDS.items():
        slots = {letter: _VALUES.get(filling, _TERM) for letter, filling in kind.slots}
        for fact in kind.facts:
            if slots[fact.answer] != _TERM:
                head = f"{name} {fact.name}"
                entries.append(ChronicleFact(head, fact.answer, slots, asked[head], tuple(events[head])))
    return tuple(entries)


def _stating() -> Mapping[str, list[str]]:
    """The sentences of scripts that are marked as stating a fact, by kind of event and fact."""
    found: dict[str, list[str]] = {}
    for name in file_names("en", "chronicle"):
        for head, fact, template in _marked(name):
            if head[0] == "event":
                found.setdefault(f"{head[1]} {fact}", []).append(template)
    return found


def _marked(file: str) -> Iterator[tuple[list[str], str, str]]:
    """Words of a paragraph's head, the fact and the template of every sentence of a text file that states one."""
    head: list[str] = []
    for line in read_sections("en", file).get("paragraphs", ()):
        if line.text.startswith("="):
            head = line.text[1:].split()
        elif (match := _MARKED.match(line.text)) is not None:
            yield head, match[1], line.text[match.end() :]


@cache
def asked_of_minutes() -> Mapping[str, re.Pattern[str]]:
    """The question on each thing that minutes are asked of, with the groups `sub` and `k`."""
    sections = read_sections("en", "meeting")
    return {name: re.compile(pattern(sections[f"q_{name}"][0].text, _MINUTES, {}, "sub")) for name in STATED}


@cache
def stated_in_minutes(name: str) -> tuple[str, ...]:
    """The templates of the sentences that state a fact of minutes."""
    return tuple(template for head, fact, template in _marked("meeting") if f"{head[0]} {fact}" == STATED[name])


def minutes_pattern(template: str, name: str, given: Mapping[str, str]) -> str:
    """The pattern of a sentence of minutes; what is asked is the group of that name."""
    return pattern(template, _MINUTES, given, name)


def pattern(template: str, slots: Mapping[str, str], given: Mapping[str, str], *named: str) -> str:
    """A template as a pattern: given slots by their words, those of `slots` by their kind, lists by any words.

    The slots of `slots`, and those `named`, are groups of their name, the second time the same words.
    """
    seen: set[str] = set()
    return "".join(_parts(template, slots, given, frozenset(named), seen))


def _parts(
    text: str, slots: Mapping[str, str], given: Mapping[str, str], named: frozenset[str], seen: set[str]
) -> Iterator[str]:
    at = 0
    while at < len(text):
        if text[at] == "[":
            end = _closing(text, at)
            choices = ("".join(_parts(choice, slots, given, named, seen)) for choice in _choices(text[at + 1 : end]))
            yield f"(?:{'|'.join(choices)})"
            at = end + 1
        elif (slot := _SLOT.match(text, at)) is not None:
            if slot[1] == "a":
                yield "an? "
            yield _value(slot[2], slots, given, named, seen) + ("’s?" if slot[3] else "")
            at = slot.end()
        else:
            end = min(index if (index := text.find(mark, at)) >= 0 else len(text) for mark in "[{")
            yield _ARTICLE.sub(r"\1n?", re.escape(text[at:end]))
            at = end


def _value(name: str, slots: Mapping[str, str], given: Mapping[str, str], named: frozenset[str], seen: set[str]) -> str:
    if name in given:
        return re.escape(given[name])
    if name in seen:
        return f"(?P={name})"
    if name in slots or name in named:
        seen.add(name)
        return f"(?P<{name}>{slots.get(name, _TERM)})"
    return _ANY


def _closing(text: str, at: int) -> int:
    """The index at which the bracket at `at` closes."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "[") - (text[end] == "]")
        if not depth:
            return end
    raise ValueError(f"{text!r}: a bracket is not closed")


def _choices(text: str) -> list[str]:
    """The alternatives of the inside of a bracket."""
    parts, depth, start = [], 0, 0
    for at, mark in enumerate(text):
        depth += (mark == "[") - (mark == "]")
        if mark == "|" and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
