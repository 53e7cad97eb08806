"""Filler prose in English and Chinese, written from a stream: the haystack where no real corpus is at hand.

Section j is a function of (stream key, language, j) alone. It has a village, its neighbours, a season of a year and
four persons; a paragraph about the place, then three stories in parts, told in turns, with the same people in each, and
a paragraph or two about the season between them. The scenes and who can be in them are in `scenes.py`. Villages' and
persons' names belong to one section only; the stories of a season are dealt in turn, so that each comes about equally
often.

Must not change: a draw or a text that moves changes every section; golden digests in the tests pin them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Final

import numpy as np

from carrara.stream import Draws, Permutation, Stream
from carrara.task import Lang
from carrara.world.language.cast import Called, CastValues, PersonGender
from carrara.world.language.grammar import Person, Speller, with_articles
from carrara.world.language.paragraphs import TextParagraph
from carrara.world.language.surface import month
from carrara.world.prose import names
from carrara.world.prose.scenes import BYSTANDERS, EXTRAS, LETTERS, PERIODS, SEASONS, Kind, Role, Scenes, Thread, scenes

THREADS: Final = 3
# People of a section who have names: its cast, and those who pass through.
_NAMED: Final = 16
# Words drawn at once.
_DRAWN: Final = 840
_SEASONAL: Final = 2
_TITLES: Final[Mapping[Lang, Sequence[str]]] = {
    "en": (
        "{P}, {month} {year}",
        "The {season} of {year} at {P}",
        "{P} and {Q}",
        "{A} of {P}",
        "A {season} in {P}",
        "{A} and {B}",
        "{P} on the {R}",
        "From {P} to {T}",
    ),
    "zh": (
        "{P}，{year}年{month}",
        "{year}年{season}的{P}",
        "{P}与{Q}",
        "{P}的{A}",
        "{P}的{season}",
        "{A}和{B}",
        "{R}边的{P}",
    ),
}
_SEASONS: Final = {"spring": "春天", "summer": "夏天", "autumn": "秋天", "winter": "冬天"}


@dataclass(frozen=True, slots=True)
class Section:
    """A titled stretch of prose: paragraphs of sentences, without white space at the ends of a sentence."""

    title: str
    paragraphs: tuple[tuple[str, ...], ...]


def section(stream: Stream, lang: Lang, index: int) -> Section:
    """Section `index` of the stream: some 40 to 80 sentences in 6 to 12 paragraphs."""
    if index < 0:
        raise ValueError(f"a section has an index of 0 or more, got {index}")
    return _SectionWriter(scenes(lang), lang, stream.child(lang), index).section()


@dataclass(frozen=True, slots=True)
class _ToldPart:
    """A part of a thread: who plays its letters, and how often the thread was told before."""

    part: TextParagraph
    people: "list[_CastMember]"
    thread: Thread
    turn: int


@dataclass(slots=True)
class _CastMember:
    """A person of a section; `fits` has a bit for each role that the threads so far allow."""

    fits: int
    role: Role | None = None
    called: Called = field(default_factory=lambda: Called("", "", "male", "en"))


class _SectionWriter:
    """Writes one section."""

    def __init__(self, known: Scenes, lang: Lang, stream: Stream, index: int) -> None:
        self._known, self._lang, self._stream, self._index = known, lang, stream, index
        self._draws = Draws(stream.child(index), _DRAWN)
        # Seasons and periods come in turn, so that the stories of each can be dealt one after the other.
        self._turn, when = divmod(index, len(SEASONS) * len(PERIODS))
        self.season = SEASONS[when % len(SEASONS)]
        self.time = list(PERIODS)[when // len(SEASONS)]
        self._everybody = (1 << len(known.roles)) - 1
        self._cast = [_CastMember(self._everybody) for _ in LETTERS]
        self._others: list[int] = []
        self._speller = Speller(self._draws, Person(""), {})
        self._seed = stream.child("seed").word()

    def section(self) -> Section:
        """The section."""
        place = self._dealt("place", 1)
        stories = self._dealt("scene", THREADS)
        seasonal = self._dealt("season", _SEASONAL)
        self._people()
        first, last = PERIODS[self.time]
        year = first + self._draws.below(last - first + 1)
        numbers = _keyed(self._stream.child("places"), names.VILLAGES[self._lang], 3, self._index)
        villages = [names.village(self._lang, number) for number in numbers]
        landmarks = names.landmarks(self._lang, self._draws)
        fixed = dict(zip(("P", "Q", "T", "R", "H", "inn"), (*villages, *landmarks), strict=True))
        values = _SectionValues(self._lang, self._draws, fixed, self.season, year, self._others)
        title = values.title(self._draws.choice(_TITLES[self._lang]), self._cast)
        told = [self._paragraph(values, each) for each in (*place, *self._order(stories, seasonal))]
        return Section(title, tuple(told))

    def _dealt(self, kind: Kind, count: int) -> list[_ToldPart]:
        """The parts of the next `count` threads of a kind that go together with those taken before."""
        pool = self._known.fitting[kind, self.season, self.time]
        found: list[_ToldPart] = []
        position = self._turn * count
        tried = 0
        while count and tried < len(pool):
            round_, rank = divmod(position + tried, len(pool))
            order = self._stream.child(kind, self.season, self.time, round_).order(len(pool))
            thread = pool[int(order[rank])]
            tried += 1
            if (people := self._fit(thread)) is not None:
                # A thread is told once in a round of each season and period that it fits.
                turn = round_ * len(thread.lists) + list(thread.lists).index((self.season, self.time))
                found += [_ToldPart(part, people, thread, turn) for part in thread.parts]
                count -= 1
        return found

    def _fit(self, thread: Thread) -> list[_CastMember] | None:
        """Who plays which letter of a thread; None if nobody can."""
        wanted = [thread.people.get(letter, self._everybody) for letter in LETTERS]
        for players in permutations(self._draws.shuffled(self._cast)):
            if all(player.fits & fits for player, fits in zip(players, wanted, strict=True)):
                for player, fits in zip(players, wanted, strict=True):
                    player.fits &= fits
                return list(players)
        return None

    def _people(self) -> None:
        """Give each person a role that fits all threads, no role twice where it can be, and a name."""
        taken = 0
        numbers = _keyed(self._stream.child("names"), names.PEOPLE[self._lang], _NAMED, self._index)
        numbers, self._others = numbers[: len(self._cast)], numbers[len(self._cast) :]
        for member, number in zip(self._cast, numbers, strict=True):
            fits = member.fits & ~taken or member.fits
            bits = [bit for bit in range(len(self._known.roles)) if fits >> bit & 1]
            bit = bits[self._draws.below(len(bits))]
            # A role stands once for each gender.
            taken |= sum(1 << (bit ^ flip) for flip in (0, 1))
            member.role = self._known.roles[bit]
            female = member.role.gender == "female"
            name, short = names.person(self._lang, number, female, self._draws)
            member.called = Called(name, short, member.role.gender, self._lang)

    def _order(
        self,
        stories: Sequence[_ToldPart],
        seasonal: Sequence[_ToldPart],
    ) -> list[_ToldPart]:
        """The parts of the stories told in turns, a paragraph of the season before each but the first and the last."""
        left: dict[str, list[_ToldPart]] = {}
        for each in stories:
            left.setdefault(each.thread.name, []).append(each)
        out = []
        while left:
            name = self._draws.choice(list(left))
            out.append(left[name].pop(0))
            if not left[name]:
                del left[name]
        for each in seasonal:
            out.insert(1 + self._draws.below(max(1, len(out) - 1)), each)
        return out

    def _paragraph(self, values: "_SectionValues", told: _ToldPart) -> tuple[str, ...]:
        speller, part = self._speller, told.part
        values.play(told.thread.name, told.people)
        speller.values = values
        speller.own_lists = told.thread.lists[self.season, self.time]
        speller.begin(told.turn, self._seed * part.salt | 1)
        speller.variables = {
            name: entries[speller.among(name, len(entries))] for name, entries in part.variables.items()
        }
        return tuple(
            sentence
            for index, wordings in enumerate(part.sentences)
            for sentence in sentences(speller.text(speller.wording(str(index), wordings)))
        )


_END: Final = re.compile(r"[.?!。？！…]+(?= |[^，、；：。？！…”])")


def sentences(text: str) -> list[str]:
    """The sentences of a line of a scene; what is quoted stays with who says it."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        said = text[start : end.end()]
        if said.count("“") == said.count("”"):
            found.append(said.strip())
            start = end.end()
    return [*found, text[start:].strip()]


class _SectionValues(CastValues):
    """What the slots of a section stand for: its places and persons, and dates of its year and season."""

    def __init__(
        self, lang: Lang, draws: Draws, places: Mapping[str, str], season: str, year: int, others: Sequence[int]
    ) -> None:
        super().__init__({**places, "year": str(year)})
        self._lang, self._draws, self._year, self._season = lang, draws, year, season
        self._others = list(others)
        self._roles: Mapping[str, str] = {}
        self._thread = ""
        self._extras: dict[str, dict[str, Called]] = {}

    def _another(self, gender: PersonGender) -> Called:
        """Somebody whom the section has not named, as long as there is somebody."""
        number = self._others.pop() if len(self._others) > 1 else self._others[0]
        return Called(*names.person(self._lang, number, gender == "female", self._draws), gender, self._lang)

    def play(self, thread: str, people: "Sequence[_CastMember]") -> None:
        """Who is called by which letter from now on, in a part of a thread."""
        self.people = {letter: member.called for letter, member in zip(LETTERS, people, strict=True)}
        self._thread = thread
        self._roles = {
            letter: member.role.name for letter, member in zip(LETTERS, people, strict=True) if member.role is not None
        }

    def __missing__(self, name: str) -> str:
        word, _, rest = name.partition(":")
        if name in BYSTANDERS[self._lang]:
            return self._another(BYSTANDERS[self._lang][name]).full
        letter = rest or name.removesuffix("'s")
        if letter in EXTRAS and letter not in self.people:
            known = self._extras.setdefault(self._thread, {})
            if letter not in known:
                known[letter] = self._another(EXTRAS[letter])
            self.people = {**self.people, letter: known[letter]}
        if word == "month":
            return month((2 + 3 * SEASONS.index(self._season) + self._draws.below(3)) % 12 + 1, self._lang)
        if word == "day":
            return str(1 + self._draws.below(28))
        if word == "ago":
            least, _, most = rest.partition("-")
            return str(self._year - int(least) - self._draws.below(int(most) - int(least) + 1))
        return self._roles[rest] if word == "role" else super().__missing__(name)

    def title(self, form: str, cast: Sequence[_CastMember]) -> str:
        """A title: people by their full names."""
        words = {"season": _SEASONS[self._season] if self._lang == "zh" else self._season, "month": self["month"]}
        named = dict(zip(LETTERS, (member.called.full for member in cast), strict=True))
        text = with_articles(form.format_map({**self, **words, **named}))
        return text[:1].upper() + text[1:]


def _keyed(stream: Stream, size: int, width: int, index: int) -> list[int]:
    """`width` numbers below `size` that belong to section `index` alone, until the numbers are used up."""
    numbers = (np.arange(width, dtype=np.int64) + width * index) % size
    return [int(number) for number in Permutation(stream, size).take(numbers)]
