"""The plot of a chronicle: persons, things and events by number, chapter after chapter, the same in every language.

The plot is played: a chapter's events follow from what stood before it, so that nobody acts who is dead or gone, a
thing is sold by the one who owns it, and a debt is paid after it was made. Chapters are dealt without end; their
number is asked nowhere, so a longer chronicle begins as a shorter one. Persons, places and things are numbered as
they appear and are named elsewhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from carrara.stream import Draws, Stream
from carrara.world.documents.chronicle.kinds import KINDS, TERMS, EventKind

# Persons of the cast at the start, those of them who stay, and the most at one time.
FIRST_CAST: Final = 9
STAYING: Final = 4
MOST_CAST: Final = 15
# So long one of those stays at least; about 40 years.
STAYS_CHAPTERS: Final = 1200
# What the house of a chronicle is.
SETTINGS: Final = ("inn", "mill", "shipping house", "school", "estate", "print shop")

# Amounts in marks: least and most, and the step between two.
_SUMS: Final[dict[str, tuple[int, int, int]]] = {
    "buy": (14, 480, 2),
    "pawn": (12, 240, 2),
    "lend": (60, 2400, 20),
    "bet": (2, 60, 1),
    "contest": (10, 150, 5),
    "build": (240, 8800, 20),
}


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens; `slots` gives the number of the person, thing, place, sum or term of each letter."""

    kind: str
    slots: Mapping[str, int]
    # Its number among all events of the chronicle.
    number: int
    # The chapter, from 0, and the earlier event that this one follows from or whose thing it ends.
    chapter: int
    before: tuple["Event", ...] = ()


@dataclass(frozen=True, slots=True)
class ChapterPlan:
    """What a chapter tells: its day, its events in order, and who is at hand for the rest of it."""

    number: int
    # Days since 1 January of the year 1.
    day: int
    events: tuple[Event, ...]
    # Those of the cast who neither come nor go in this chapter.
    cast: tuple[int, ...]
    # The numbers of all women so far.
    women: frozenset[int]
    # Events of earlier chapters whose sequel comes in a later one.
    open: tuple[Event, ...] = ()


@dataclass(slots=True)
class PlotState:
    """The state before a chapter: what a plot may use."""

    draws: Draws
    cast: list[int] = field(default_factory=list)
    women: set[int] = field(default_factory=set)
    joined: dict[int, int] = field(default_factory=dict)
    married: set[int] = field(default_factory=set)
    # Things by owner, in the order in which they came; what may not change hands now; where each came from.
    owner: dict[int, int] = field(default_factory=dict)
    origin: dict[int, Event] = field(default_factory=dict)
    locked: set[int] = field(default_factory=set)
    # Persons with something to come.
    bound: dict[int, int] = field(default_factory=dict)
    once: set[tuple[str, tuple[int, ...]]] = field(default_factory=set)
    # Numbers used up.
    persons: int = 0
    places: int = 1
    things: int = 0
    events: int = 0

    def person(self) -> int:
        """A new person, woman or man."""
        self.persons += 1
        if self.draws.below(2):
            self.women.add(self.persons - 1)
        return self.persons - 1


@dataclass(frozen=True, slots=True)
class _Thread:
    """What is to come: an event that follows another."""

    due: int
    kind: str
    slots: Mapping[str, int]
    before: Event


class Plot:
    """The chapters of one chronicle, to be read once, in order."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        draws = Draws(stream.child("start"))
        self.world = PlotState(draws)
        self.setting = SETTINGS[draws.below(len(SETTINGS))]
        # Trades of the first cast, and terms' numbers elsewhere, are drawn where they are told.
        self._day = 365 * (1720 + draws.below(90)) + draws.below(365)
        self._threads: list[_Thread] = []
        self._recent: dict[str, list[int]] = {}
        for _ in range(FIRST_CAST):
            person = self.world.person()
            self.world.cast.append(person)
            self.world.joined[person] = 0

    def chapters(self) -> Iterator[ChapterPlan]:
        """All chapters, without end."""
        number = 0
        while True:
            self.world.draws = Draws(self._stream.child("chapter", number))
            yield self._chapter(number)
            number += 1

    def _chapter(self, number: int) -> ChapterPlan:
        world = self.world
        before = tuple(world.cast)
        self._day += 5 + world.draws.below(16)
        wanted = 4 + (world.draws.below(3) > 0)
        events: list[Event] = []
        busy: set[int] = set()
        due = [thread for thread in self._threads if thread.due <= number][:3]
        for thread in due:
            if (event := self._event(thread.kind, number, busy, thread)) is not None:
                self._threads.remove(thread)
                events.append(event)
        kinds = [name for name, kind in KINDS.items() if kind.weight]
        taken = {event.kind for event in events}
        for _ in range(60):
            if len(events) >= wanted:
                break
            name = world_choice(world.draws, kinds, [KINDS[kind].weight for kind in kinds])
            if name in taken or not self._fits(name, number, taken):
                continue
            if (event := self._event(name, number, busy)) is not None:
                taken.add(name)
                events.append(event)
        events.sort(key=lambda event: ({"arrive": 0, "leave": 2, "death": 2}.get(event.kind, 1), event.number))
        return ChapterPlan(
            number,
            self._day,
            tuple(events),
            tuple(person for person in before if person in world.cast),
            frozenset(world.women),
            tuple(thread.before for thread in self._threads if thread.before.chapter < number),
        )

    def _fits(self, name: str, number: int, taken: set[str]) -> bool:
        cast = len(self.world.cast)
        if name == "arrive":
            return number > 1 and cast < MOST_CAST and self.world.draws.below(MOST_CAST - 7) >= cast - 8
        if name in ("leave", "death"):
            return number > 4 and cast > FIRST_CAST and not taken & {"arrive", "leave", "death"}
        if name in ("hear", "find"):
            return len(self.world.owner) < 14
        return name != "final" or len(self.world.owner) > 5

    def _event(self, name: str, chapter: int, busy: set[int], thread: _Thread | None = None) -> Event | None:
        """An event with all slots filled, played; None where nobody fits."""
        kind = KINDS[name]
        world = self.world
        slots: dict[str, int] = dict(thread.slots) if thread else {}
        cast = world.draws.shuffled([person for person in world.cast if person not in busy])
        cast = [person for person in cast if person not in slots.values() or not thread]
        if thread and set(_persons(kind, slots)) & busy:
            return None
        for letter, filling in kind.slots:
            if letter in slots:
                continue
            number = self._fill(name, filling, letter, slots, cast, chapter)
            if number is None:
                return None
            slots[letter] = number
            if number in cast and filling in _CAST_FILLINGS:
                cast.remove(number)
        if kind.once:
            letters = kind.once.replace("+", "")
            values = [slots[letter] for letter in letters]
            key = (name, tuple(sorted(values) if "+" in kind.once else values))
            if key in world.once:
                return None
            world.once.add(key)
        if name == "wedding" and not self._may_marry(slots):
            return None
        for letter, filling in kind.slots:
            if letter not in (thread.slots if thread else {}):
                slots[letter] = self._new(filling, slots[letter])
        busy.update(_persons(kind, slots))
        earlier = [thread.before] if thread else []
        if "O" in slots and name not in ("hear", "buy", "find") and (origin := world.origin.get(slots["O"])):
            earlier += [origin, *origin.before]
        event = Event(name, slots, world.events, chapter, tuple(earlier))
        world.events += 1
        self._play(event)
        return event

    def _may_marry(self, slots: Mapping[str, int]) -> bool:
        return slots["A"] not in self.world.married and slots["B"] not in self.world.married

    def _fill(
        self, name: str, filling: str, letter: str, slots: Mapping[str, int], cast: list[int], chapter: int
    ) -> int | None:
        """The number for a slot; -1 for what is new, which is numbered only when the event is certain."""
        world = self.world
        if filling == "sum":
            least, most, step = _SUMS[name]
            # The square of an even draw: small sums are commoner.
            part = world.draws.below(1000) * world.draws.below(1000)
            return least + part * ((most - least) // step + 1) // 1_000_000 * step
        if filling in TERMS:
            return self._term(filling)
        if filling in ("thing", "place", "person", "child"):
            return -1
        if filling == "held":
            held = [
                thing for thing, person in world.owner.items() if person == slots["A"] and thing not in world.locked
            ]
            held = [thing for thing in held if (name, (thing,)) not in world.once]
            if name == "final":
                held = [thing for thing in held if chapter - world.origin[thing].chapter > 10]
            return held[world.draws.below(len(held))] if held else None
        for person in cast:
            if self._may(person, filling, chapter, name):
                return person
        return None

    def _may(self, person: int, filling: str, chapter: int, name: str) -> bool:
        world = self.world
        if filling == "cast":
            return True
        if filling == "owner":
            return person in world.owner.values()
        if filling in ("woman", "man"):
            return person not in world.married and (person in world.women) == (filling == "woman")
        settled = person in self._staying() and chapter - world.joined[person] < STAYS_CHAPTERS
        tied = name == "leave" and (person in world.owner.values() or person in world.married)
        return not settled and not tied and not world.bound.get(person) and chapter - world.joined[person] > 6

    def _staying(self) -> list[int]:
        return sorted(self.world.cast)[:STAYING]

    def _term(self, name: str) -> int:
        """A term not among the ones drawn last from its list."""
        recent = self._recent.setdefault(name, [])
        count = TERMS[name]
        number = self.world.draws.below(count)
        while number in recent:
            number = (number + 1) % count
        recent.append(number)
        if len(recent) > count // 2:
            del recent[0]
        return number

    def _new(self, filling: str, value: int) -> int:
        world = self.world
        if filling in ("person", "child"):
            return world.person()
        if filling == "place":
            world.places += 1
            return world.places - 1
        if filling == "thing":
            world.things += 1
            return world.things - 1
        return value

    def _play(self, event: Event) -> None:
        """What the event changes, and what is to come of it."""
        world, slots, name = self.world, event.slots, event.kind
        if name in ("buy", "find"):
            world.owner[slots["O"]] = slots["A"]
            world.origin[slots["O"]] = event
        elif name == "gift":
            world.owner[slots["O"]] = slots["B"]
        elif name in ("theft", "pawn"):
            world.locked.add(slots["O"])
        elif name in ("unmask", "redeem"):
            world.locked.discard(slots["O"])
        elif name == "final":
            del world.owner[slots["O"]]
        elif name == "wedding":
            world.married |= {slots["A"], slots["B"]}
        elif name == "arrive":
            world.cast.append(slots["D"])
            world.joined[slots["D"]] = event.chapter
        elif name in ("leave", "death"):
            world.cast.remove(slots["A"])
            if name == "death":
                for thing, owner in world.owner.items():
                    if owner == slots["A"]:
                        world.owner[thing] = slots["B"]
        self._tie(event)

    def _tie(self, event: Event) -> None:
        world = self.world
        # What was to come has come, and its persons are free.
        for before in event.before[:1]:
            follow = KINDS[before.kind].follow
            if follow is not None and follow[0] == event.kind:
                for person in _persons(KINDS[before.kind], before.slots):
                    world.bound[person] -= 1
        follow = KINDS[event.kind].follow
        if follow is not None:
            kind, least, most, pairs = follow
            slots = {pair[1]: event.slots[pair[0]] for pair in pairs.split()}
            due = event.chapter + least + world.draws.below(most - least + 1)
            self._threads.append(_Thread(due, kind, slots, event))
            self._threads.sort(key=lambda thread: (thread.due, thread.before.number))
            for person in _persons(KINDS[event.kind], event.slots):
                world.bound[person] = world.bound.get(person, 0) + 1


_CAST_FILLINGS: Final = frozenset(("cast", "woman", "man", "goer", "owner"))


def _persons(kind: EventKind, slots: Mapping[str, int]) -> list[int]:
    """The persons of the cast in an event."""
    return [slots[letter] for letter, filling in kind.slots if filling in _CAST_FILLINGS and letter in slots]


def world_choice(draws: Draws, items: list[str], weights: list[int]) -> str:
    """One of the items, as often as its weight says."""
    number = draws.below(sum(weights))
    for item, weight in zip(items, weights, strict=True):
        if number < weight:
            return item
        number -= weight
    raise AssertionError("a draw below the sum of the weights falls on one of them")
