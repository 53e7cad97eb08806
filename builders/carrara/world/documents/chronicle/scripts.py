"""The scripts of chronicles, read from `text/<lang>/chronicle/*.txt`, and who deals them.

`paragraphs.py` says how a script is written. Its head is one of

    = intro hums | A: female            presents a person of the cast, in the first chapter
    = open thaw | season: spring        begins a chapter; {date} is its day
    = event gift parcel | setting: inn  an event of the kind `gift`; `!giver` marks the sentence that states that fact
    = scene baking                      daily life of {A} and {B}
    = scene doubts | after: lend        between a loan and its paying back, with the letters of the loan
    = scene find | recalls: thing       {O}, or with `recalls: place` {P}, is one of an earlier event
    = close lamps                       ends a chapter

A list `fruit_summer` is {fruit} in summer, `sign_inn` is {sign} in a chronicle of an inn; `_lists.txt`, where there is
one, holds what all files share.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from carrara.stream import Stream
from carrara.task import Lang
from carrara.world.documents.chronicle.kinds import KINDS
from carrara.world.documents.chronicle.plot import SETTINGS
from carrara.world.language.cast import SlotNames
from carrara.world.language.grammar import Alternatives, Phrase, PhraseLists, ValueField, read_sections
from carrara.world.language.paragraphs import Paragraph, Traits, read_paragraphs

SEASONS: Final = ("spring", "summer", "autumn", "winter")
LETTERS: Final = "ABCDKSXY"
# Slots that the caller fills, beside those of persons.
_SLOTS: Final = SlotNames(
    r"(?:[ABCDKSXYOP])(?:'s)?|[NTU]|town|Q|R|house|date|month",
    "A A's he:A B C D K S X Y O P N T U town Q R house date month",
)
_ASPECTS: Final = ("intro", "open", "close", "scene", *(f"event {kind}" for kind in KINDS))


@dataclass(frozen=True, slots=True)
class Script:
    """A script: its text, the letters of persons in it, and the lists of the season and the setting, by season."""

    text: Paragraph
    letters: tuple[str, ...]
    lists: Mapping[str, PhraseLists]

    def fits(self, traits: Traits) -> bool:
        """Whether its conditions hold of a season and of the persons' genders, by letter."""
        return all(condition.holds((), traits) for condition in self.text.conditions)


@dataclass(frozen=True, slots=True)
class Scripts:
    """All scripts of one language that fit a setting."""

    intros: tuple[Script, ...]
    opens: tuple[Script, ...]
    closes: tuple[Script, ...]
    daily: tuple[Script, ...]
    # By kind of event: of the event itself, and of the time behind it.
    events: Mapping[str, tuple[Script, ...]]
    after: Mapping[str, tuple[Script, ...]]
    # By "thing" and "place".
    recalls: Mapping[str, tuple[Script, ...]]


@cache
def scripts(lang: Lang, setting: str) -> Scripts:
    """Read the scripts; ValueError with file and line where a text is wrong, or where a kind of event has none."""
    folder = files("carrara.world").joinpath("text", lang, "chronicle")
    names = sorted(entry.name.removesuffix(".txt") for entry in folder.iterdir() if entry.name.endswith(".txt"))
    shared = read_sections(lang, "chronicle/_lists") if "_lists" in names else {}
    found: dict[str, list[Script]] = {aspect: [] for aspect in _ASPECTS}
    for name in names:
        if not name.startswith("_"):
            for aspect, script in _read(lang, name, setting, shared):
                found[aspect].append(script)
    scenes = found["scene"]
    read = Scripts(
        tuple(found["intro"]),
        tuple(found["open"]),
        tuple(found["close"]),
        tuple(script for script in scenes if not _asked(script, "after") and not _asked(script, "recalls")),
        {kind: tuple(found[f"event {kind}"]) for kind in KINDS},
        {kind: tuple(script for script in scenes if _asked(script, "after") == kind) for kind in KINDS},
        {what: tuple(script for script in scenes if _asked(script, "recalls") == what) for what in ("thing", "place")},
    )
    for kind, known in {"open": read.opens, "close": read.closes, "scene": read.daily, **read.events}.items():
        if not any(all(each.key in LETTERS for each in script.text.conditions) for script in known):
            raise ValueError(f"text/{lang}/chronicle: no script {kind!r} fits every season and house; add one")
    return read


def _read(lang: Lang, name: str, setting: str, shared: Mapping[str, Sequence]) -> Iterator[tuple[str, Script]]:
    own = read_sections(lang, f"chronicle/{name}")
    sections = {head: [*shared.get(head, ()), *own.get(head, ())] for head in {**shared, **own}}
    which = {*SEASONS, *(each.replace(" ", "_") for each in SETTINGS)}
    listed = [
        re.fullmatch(rf"(\w+?)_({'|'.join(which)})", line.text.partition(":")[0]) for line in sections.get("lists", ())
    ]
    conditions = {
        "season": SEASONS,
        "setting": SETTINGS,
        "after": tuple(KINDS),
        "recalls": ("thing", "place"),
        **dict.fromkeys(LETTERS, ("male", "female")),
    }
    paragraphs, lists = read_paragraphs(
        sections, {}, _ASPECTS, conditions, _SLOTS, {match[1] for match in listed if match}
    )
    varying = {
        season: {
            match[1]: lists[match[0]] for match in listed if match and match[2] in (season, setting.replace(" ", "_"))
        }
        for season in SEASONS
    }
    for aspect, known in paragraphs.by_aspect.items():
        for paragraph in known:
            if aspect.startswith("event "):
                _states(paragraph, aspect.removeprefix("event "))
            if all(
                condition.holds((), {"setting": setting})
                for condition in paragraph.conditions
                if condition.key == "setting"
            ):
                slots = {slot.partition(":")[2] or slot for slot in _slots_of(paragraph)}
                letters = tuple(letter for letter in LETTERS if letter in slots or f"{letter}'s" in slots)
                yield aspect, Script(paragraph, letters, varying)


def _asked(script: Script, key: str) -> str:
    """The one value of a condition, "" where there is none."""
    return next((value for each in script.text.conditions if each.key == key for value in each.values), "")


def _states(paragraph: Paragraph, kind: str) -> None:
    """Every fact of the kind stands in one sentence, whose wordings hold its question and answer outside of brackets."""
    facts = {fact.name: fact for fact in KINDS[kind].facts}
    stated = [fact for fact in paragraph.facts if fact]
    if sorted(stated) != sorted(facts):
        raise ValueError(f"{paragraph.where}: states {stated}, expected each of {list(facts)} once, marked !name")
    for name, wordings in zip(paragraph.facts, paragraph.sentences, strict=True):
        for wording in wordings:
            here = {part.name.removesuffix("'s") for part in wording if isinstance(part, ValueField)}
            if name and (missing := set(facts[name].answer + facts[name].with_) - here):
                raise ValueError(f"{paragraph.where}: !{name} must hold {sorted(missing)} outside of brackets")


def _slots_of(paragraph: Paragraph) -> Iterator[str]:
    """The slots for the caller's values in a script."""

    def inside(phrase: Phrase) -> Iterator[str]:
        for part in phrase:
            if isinstance(part, ValueField):
                yield part.name
            elif isinstance(part, Alternatives):
                for each in part.phrases:
                    yield from inside(each)

    for wordings in paragraph.sentences:
        for wording in wordings:
            yield from inside(wording)
    for entries in paragraph.variables.values():
        for entry in entries:
            for phrase in entry:
                yield from inside(phrase)


@dataclass(slots=True)
class Deck:
    """Deals the scripts of pools so that each comes about equally often, and counts how often each came."""

    stream: Stream
    _left: dict[str, list[int]] = field(default_factory=dict)
    _rounds: dict[str, int] = field(default_factory=dict)
    _told: dict[str, int] = field(default_factory=dict)

    def take(self, name: str, pool: Sequence[Script], fits: Callable[[Script], bool]) -> tuple[Script, int] | None:
        """The next script of a pool that fits, and how often it was told before; None where none fits."""
        left = self._left.setdefault(name, [])
        for _ in range(2):
            for index, number in enumerate(left):
                if fits(script := pool[number]):
                    del left[index]
                    turn = self._told.get(script.text.where, 0)
                    self._told[script.text.where] = turn + 1
                    return script, turn
            round_ = self._rounds[name] = self._rounds.get(name, -1) + 1
            kept = set(left)
            left += [int(number) for number in self.stream.child(name, round_).order(len(pool)) if number not in kept]
        return None
