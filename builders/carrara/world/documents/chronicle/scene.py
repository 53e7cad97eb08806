"""Tells the chapters of a chronicle: which scripts, with whom, and their spelling.

A chapter has an `open` script, behind each event's script a scene, and a `close` script. Which scripts are told is
settled for every chapter in order (`Director`), for they are dealt over the whole chronicle; the spelling of a chapter
hangs on its own plan and directions alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.stream import Draws, Stream
from carrara.task import Lang
from carrara.world.documents.chronicle.kinds import KINDS
from carrara.world.documents.chronicle.plot import ChapterPlan, Event
from carrara.world.documents.chronicle.scripts import Deck, Script, Scripts
from carrara.world.language.cast import Called, CastValues
from carrara.world.language.grammar import Person, Phrase, Speller

# Words drawn at once.
_BLOCK: Final = 256
_CAST: Final = frozenset(("cast", "woman", "man", "goer", "owner"))
_PERSONS: Final = _CAST | {"person", "child"}
# So many scenes look back on one event while it is open.
_AFTER: Final = 2


@dataclass(slots=True)
class ChapterDraft:
    """What is written of a chapter: paragraphs of sentences, and the sentence number of each fact."""

    paragraphs: list[list[str]]
    facts: dict[tuple[int, str], int]
    count: int = 0

    def paragraph(self) -> None:
        """Begin a paragraph."""
        self.paragraphs.append([])

    def add(self, sentence: str) -> int:
        """Write a sentence; its number in the chapter."""
        self.paragraphs[-1].append(sentence)
        self.count += 1
        return self.count - 1


@dataclass(frozen=True, slots=True)
class Direction:
    """A script to be told: who has which letter, the event that its other letters are of, how often it came before."""

    script: Script
    people: Mapping[str, int]
    event: Event | None
    turn: int


class Director:
    """Settles the scripts of chapter after chapter, to be asked in order."""

    def __init__(self, scripts: Scripts, stream: Stream) -> None:
        self._scripts = scripts
        self._stream = stream
        self._deck = Deck(stream.child("deck"))
        # How many scenes looked back on an open event.
        self._looked: dict[int, int] = {}
        self._women: frozenset[int] = frozenset()
        self._season = ""

    def direct(self, plan: ChapterPlan, season: str, past: Sequence[Event]) -> list[Direction]:
        """The scripts of the next chapter, in order; `past` are events whose thing or place may be recalled."""
        self._women, self._season = plan.women, season
        draws = Draws(self._stream.child("cast", plan.number), _BLOCK)
        scripts = self._scripts
        told = [self._free("open", scripts.opens, plan.cast, draws)]
        if plan.number == 0:
            told += [self._free("intro", scripts.intros, (person,), draws) for person in plan.cast]
        for event in plan.events:
            told += [self._event(event, plan.cast, draws), self._scene(plan, past, draws)]
        told.append(self._free("close", scripts.closes, plan.cast, draws))
        return told

    def _traits(self, people: Mapping[str, int]) -> dict[str, str]:
        genders = {letter: "female" if person in self._women else "male" for letter, person in people.items()}
        return {"season": self._season, **genders}

    def _free(
        self,
        name: str,
        pool: Sequence[Script],
        cast: Sequence[int],
        draws: Draws,
        event: Event | None = None,
        fixed: Mapping[str, int] | None = None,
    ) -> Direction:
        """A script with anybody of the cast in the letters that are not fixed."""
        order = draws.shuffled(cast)
        found: dict[str, int] = {}

        def fits(script: Script) -> bool:
            nonlocal found
            found = dict(fixed or {})
            if not script.fits(self._traits(found)):
                return False
            for letter in script.letters:
                if letter in found:
                    continue
                free = (person for person in order if person not in found.values())
                person = next((each for each in free if script.fits(self._traits({**found, letter: each}))), None)
                if person is None:
                    return False
                found[letter] = person
            return True

        taken = self._deck.take(name, pool, fits)
        if taken is None:
            raise ValueError(
                f"no script {name!r} of {self._season} fits {len(cast)} persons; add one without conditions"
            )
        return Direction(taken[0], found, event, taken[1])

    def _event(self, event: Event, cast: Sequence[int], draws: Draws) -> Direction:
        people = _people(event)
        others = [person for person in cast if person not in people.values()]
        return self._free(f"event {event.kind}", self._scripts.events[event.kind], others, draws, event, people)

    def _scene(self, plan: ChapterPlan, past: Sequence[Event], draws: Draws) -> Direction:
        """A scene behind an event: on what is still open, on something past, or of every day."""
        which = draws.below(3)
        waiting = [event for event in plan.open if self._looked.get(event.number, 0) < _AFTER]
        if which == 0 and waiting:
            event = draws.choice(waiting)
            people = _people(event)
            present = all(
                people[letter] in plan.cast for letter, filling in KINDS[event.kind].slots if filling in _CAST
            )
            taken = present and self._deck.take(
                f"after {event.kind}",
                self._scripts.after[event.kind],
                lambda script: script.fits(self._traits(people)) and set(script.letters) <= people.keys(),
            )
            if taken:
                self._looked[event.number] = self._looked.get(event.number, 0) + 1
                return Direction(taken[0], people, event, taken[1])
        if which == 1 and past:
            event = draws.choice(past)
            what = "thing" if "O" in event.slots else "place"
            # Others than those who know best: a scene must not look like the telling of the event.
            slot = "O" if "O" in event.slots else "P"
            known = {
                person
                for other in (*past, *plan.events)
                if other.slots.get(slot) == event.slots[slot]
                for person in _people(other).values()
            }
            others = [person for person in plan.cast if person not in known]
            if self._scripts.recalls[what] and len(others) > 2:
                return self._free(f"recalls {what}", self._scripts.recalls[what], others, draws, event)
        return self._free("scene", self._scripts.daily, plan.cast, draws)


def _people(event: Event) -> dict[str, int]:
    return {letter: event.slots[letter] for letter, filling in KINDS[event.kind].slots if filling in _PERSONS}


class SceneWriter:
    """Writes one chapter."""

    def __init__(
        self,
        lang: Lang,
        stream: Stream,
        seed: int,
        season: str,
        values: Mapping[str, str],
        called: Callable[[int], Called],
    ) -> None:
        self._lang, self._season, self._called = lang, season, called
        self.values = CastValues(values)
        draws = Draws(stream, _BLOCK)
        self.below = draws.below
        self._speller = Speller(draws, Person(""), self.values)
        # The chronicle's: were it the chapter's, tellings of a script would not take turns at its wordings.
        self._seed = seed
        self.page = ChapterDraft([], {})

    def chapter(self, told: Sequence[Direction], values: Callable[[Event], Mapping[str, str]]) -> ChapterDraft:
        """The chapter of these directions; `values` spells an event's slots."""
        for direction in told:
            self._tell(direction, values(direction.event) if direction.event else {})
        return self.page

    def _tell(self, direction: Direction, values: Mapping[str, str]) -> None:
        script, speller = direction.script, self._speller
        text = script.text
        given = self.values
        for letter in "OPNTU":
            given.pop(letter, None)
        given |= {letter: value for letter, value in values.items() if letter in "OPNTU"}
        given.people = {letter: self._called(person) for letter, person in direction.people.items()}
        speller.own_lists = script.lists[self._season]
        speller.begin(direction.turn, self._seed * text.salt | 1)
        speller.variables = {
            name: entries[speller.among(name, len(entries))] for name, entries in text.variables.items()
        }
        for index, (wordings, mark, fact) in enumerate(zip(text.sentences, text.marks, text.facts, strict=True)):
            if mark != "+" or not index:
                self.page.paragraph()
            given.in_full = bool(fact)
            number = self.page.add(speller.text(speller.wording(str(index), wordings)))
            if fact and direction.event is not None:
                self.page.facts[direction.event.number, fact] = number
        given.in_full = False

    def line(self, phrases: Sequence[Phrase], values: Mapping[str, str]) -> str:
        """A line of its own, a question or a title, with the values of an event."""
        speller = self._speller
        kept, speller.values = speller.values, {**self.values, **values}
        speller.begin(None)
        text = speller.text(phrases[self.below(len(phrases))])
        speller.values = kept
        return text
