"""What chronicles say, read from `text/<lang>/chronicle/*.txt`: scripts and who deals them, and what is asked.

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

Beside the scripts:

    text/<lang>/chronicle/_terms.txt   the terms that slots of events take, as many in every language (`kinds.TERMS`)
    text/<lang>/chronicle/_asks.txt    [questions] [titles] [keys] of events, a line for each
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from carrara.stream import Stream
from carrara.task import Lang
from carrara.world.documents.chronicle.kinds import KINDS, TERMS
from carrara.world.documents.chronicle.plot import SETTINGS
from carrara.world.language.cast import SlotNames
from carrara.world.language.grammar import (
    Phrase,
    PhraseLists,
    ValueField,
    WordingLine,
    file_names,
    parse,
    read_sections,
    split_top,
)
from carrara.world.language.paragraphs import TextParagraph, Traits, lists_ending, read_paragraphs

HOUSES: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {name: f"the {name}" for name in ("inn", "mill", "shipping house", "school", "estate", "print shop")},
    "zh": {
        "inn": "客栈",
        "mill": "磨坊",
        "shipping house": "船行",
        "school": "学堂",
        "estate": "庄园",
        "print shop": "印书坊",
    },
}
# The slots of events.
_EVENT_SLOTS: Final = (*"ABCDSKOPNTU", "town", "house")
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

    text: TextParagraph
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
    shared = read_sections(lang, "chronicle/_lists")
    found: dict[str, list[Script]] = {aspect: [] for aspect in _ASPECTS}
    for name in file_names(lang, "chronicle"):
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


def _read(
    lang: Lang, name: str, setting: str, shared: Mapping[str, Sequence[WordingLine]]
) -> Iterator[tuple[str, Script]]:
    own = read_sections(lang, name)
    sections = {head: [*shared.get(head, ()), *own.get(head, ())] for head in {**shared, **own}}
    conditions = {
        "season": SEASONS,
        "setting": SETTINGS,
        "after": tuple(KINDS),
        "recalls": ("thing", "place"),
        **dict.fromkeys(LETTERS, ("male", "female")),
    }
    endings = (*SEASONS, *SETTINGS)
    paragraphs, lists = read_paragraphs(sections, {}, _ASPECTS, conditions, _SLOTS, endings)
    varying = {season: lists_ending(lists, endings, season, setting) for season in SEASONS}
    for aspect, known in paragraphs.by_aspect.items():
        for paragraph in known:
            if aspect.startswith("event "):
                _states(paragraph, aspect.removeprefix("event "))
            if all(
                condition.holds((), {"setting": setting})
                for condition in paragraph.conditions
                if condition.key == "setting"
            ):
                slots = {slot.partition(":")[2] or slot for slot in paragraph.slots()}
                letters = tuple(letter for letter in LETTERS if letter in slots or f"{letter}'s" in slots)
                yield aspect, Script(paragraph, letters, varying)


def _asked(script: Script, key: str) -> str:
    """The one value of a condition, "" where there is none."""
    return next((value for each in script.text.conditions if each.key == key for value in each.values), "")


def _states(paragraph: TextParagraph, kind: str) -> None:
    """Every fact of the kind stands in one sentence, which holds question and answer outside of brackets."""
    facts = {fact.name: fact for fact in KINDS[kind].facts}
    stated = [fact for fact in paragraph.facts if fact]
    if sorted(stated) != sorted(facts):
        raise ValueError(f"{paragraph.where}: states {stated}, expected each of {list(facts)} once, marked !name")
    for name, lines in zip(paragraph.facts, paragraph.lines, strict=True):
        for line in lines if name else ():
            here = {part.name.removesuffix("'s") for part in paragraph.parse(line) if isinstance(part, ValueField)}
            if missing := set(facts[name].answer + facts[name].with_) - here:
                raise ValueError(f"{paragraph.where}: !{name} must hold {sorted(missing)} outside of brackets")


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


@dataclass(frozen=True, slots=True)
class ChronicleText:
    """All wordings of one language; those of a question or a title are choices."""

    questions: Mapping[tuple[str, str], tuple[Phrase, ...]]
    titles: Mapping[str, tuple[Phrase, ...]]
    keys: Mapping[str, tuple[Phrase, ...]]
    terms: Mapping[str, tuple[str, ...]]


@cache
def chronicle_text(lang: Lang) -> ChronicleText:
    """Read the wordings; ValueError with file and line where a text is wrong."""
    asks = read_sections(lang, "chronicle/_asks")
    return ChronicleText(
        questions={key: _split(line) for key, line in _lines_of_facts(lang, asks["questions"])},
        titles={name: _split(line) for name, line in _headed(lang, asks["titles"], set(KINDS))},
        keys={name: _split(line) for name, line in _headed(lang, asks["keys"], set(KINDS))},
        terms=_terms(lang),
    )


def _terms(lang: Lang) -> dict[str, tuple[str, ...]]:
    lists: dict[str, tuple[str, ...]] = {}
    for line in read_sections(lang, "chronicle/_terms")["terms"]:
        name, _, rest = line.text.partition(":")
        terms = tuple(term.strip() for term in rest.split("/"))
        if TERMS.get(name) != len(terms) or len(set(terms)) != len(terms):
            raise ValueError(f"{line.where}: {len(set(terms))} terms of {name!r}, expected {TERMS.get(name)}")
        lists[name] = terms
    if missing := sorted(set(TERMS) - set(lists)):
        raise ValueError(f"{lang}/chronicle/_terms.txt: no list {missing[0]!r}; add it")
    return lists


def _headed(lang: Lang, lines: Sequence[WordingLine], wanted: set[str]) -> Iterator[tuple[str, WordingLine]]:
    heads = [line.text.partition(":")[0] for line in lines]
    if sorted(heads) != sorted(wanted):
        wrong = sorted(set(heads) ^ wanted) or heads
        raise ValueError(
            f"{lang}/chronicle/_asks.txt: {wrong[0]!r} is missing, or too much; there is one line for each"
        )
    for line in lines:
        name, _, rest = line.text.partition(":")
        yield name, WordingLine(line.where, rest.strip())


def _lines_of_facts(lang: Lang, lines: Sequence[WordingLine]) -> Iterator[tuple[tuple[str, str], WordingLine]]:
    wanted = {f"{name} {fact.name}" for name, kind in KINDS.items() for fact in kind.facts}
    wanted |= {f"{name} {joint.name}" for name, kind in KINDS.items() for joint in kind.joints}
    for head, line in _headed(lang, lines, wanted):
        name, _, asked = head.partition(" ")
        yield (name, asked), line


def _split(line: WordingLine) -> tuple[Phrase, ...]:
    return tuple(
        parse(WordingLine(line.where, text.strip()), lambda _: None, _EVENT_SLOTS) for text in split_top(line.text, "/")
    )
