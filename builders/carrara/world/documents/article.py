"""Articles: the journey of a great work from place to place, told so that the order of sentences can be recovered.

An episode has EPISODE sentences on one day at one place. The first gives the date and the place left behind; of the
others, all but one give an hour, and that one speaks of a person whom the sentence before brought in. An episode is a
function of the stream's key, the language, the article's number and its own number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from carrara.stream import Draws, Stream
from carrara.tables import Document
from carrara.task import Lang
from carrara.world.documents.pages import DocumentText, DocumentUnit, DocumentWriter, assembled, date, document_text
from carrara.world.names.names import WorldNames

# Sentences of an episode: the arrival, the morning, four steps of an arc, the day's tally, what comes next.
EPISODE: Final = 8
# Places in an episode of the sentences without which the order of all others is still told.
LOOSE: Final = frozenset((4, 5, 6, 7))
WORKS: Final = ("canal", "railway", "telegraph", "survey")
_STEPS: Final = "abcd"
# What the last two sentences of an episode are.
_CLOSES: Final = (("tally", "next"), ("evening", "next"), ("tally", "night"), ("evening", "night"))
# Days from one episode to the next, give or take one; fathoms of an episode.
_DAYS: Final = 4
_FATHOMS: Final = 55
# Words read at once for the course: a whole block of a stream, and a multiple of the 12 arcs.
_BLOCK: Final = 168
# Minutes after midnight between which the hours of the sentences from the second lie, in order.
_HOURS: Final = ((360, 480), (500, 600), (620, 740), (760, 860), (880, 1000), (1060, 1180), (1200, 1380))
_VALUES: Final = ["P", "P0", "P2", "A", "B", "W", "t", "n", "total", "stage", "day", "gap", "work", "unit"]
_OWN: Final = ("P", "A", "B")


@dataclass(frozen=True, slots=True)
class ArticlePlan:
    """What all episodes share: the work and the day on which it begins."""

    work: str
    first_day: int


@dataclass(frozen=True, slots=True)
class EpisodePlan:
    """An episode: its day, the hour of each sentence in minutes, fathoms done, and which arc it tells."""

    day: int
    minutes: tuple[int, ...]
    done: int
    total: int
    arc: int
    women: tuple[bool, bool]


def article(stream: Stream, lang: Lang, number: int, size: int) -> Document:
    """Article `number` of exactly `size` sentences (one at least), which begin every longer one."""
    if size < 1:
        raise ValueError(f"an article has one sentence or more, got {size}")
    return _Article(stream, lang, number).document(size)


def article_plan(key: Stream) -> ArticlePlan:
    """The work of an article's key; it begins between 1750 and 1960."""
    draws = Draws(key.child("article"))
    return ArticlePlan(WORKS[draws.below(len(WORKS))], 639_000 + draws.below(76_000))


class Course:
    """Days, fathoms and arcs of an article's episodes: each is known without the others, and days and sums grow."""

    __slots__ = ("_arcs", "_blocks", "_first_day", "_key")

    def __init__(self, key: Stream, first_day: int, arcs: int) -> None:
        self._key = key
        self._first_day = first_day
        self._arcs = arcs
        # The block of words last read, by what they are for.
        self._blocks: dict[str, tuple[int, list[int]]] = {}

    def day(self, number: int) -> int:
        """The ordinal of the day of episode `number`, from 0."""
        return self._first_day + _DAYS * number + (self._word("day", number) % 3 if number else 0)

    def total(self, number: int) -> int:
        """Fathoms done by the end of the episode."""
        return _FATHOMS * (number + 1) + self._word("total", number) % (_FATHOMS - 15)

    def arc(self, number: int) -> int:
        """What the episode tells: every run of so many episodes as there are arcs tells each once."""
        block, position = divmod(number, self._arcs)
        order = sorted(range(self._arcs), key=lambda arc: self._word("arc", block * self._arcs + arc))
        return order[position]

    def _word(self, name: str, number: int) -> int:
        block, position = divmod(number, _BLOCK)
        if name not in self._blocks or self._blocks[name][0] != block:
            words = self._key.child("course", name).words(block * _BLOCK, _BLOCK).tolist()
            self._blocks[name] = (block, words)
        return self._blocks[name][1][position]


def episode_plan(key: Stream, course: Course, number: int) -> EpisodePlan:
    """Episode `number` from 0."""
    draws = Draws(key.child("episode", number))
    total = course.total(number)
    return EpisodePlan(
        day=course.day(number),
        minutes=tuple(low + 5 * draws.below((high - low) // 5) for low, high in _HOURS),
        done=total - (course.total(number - 1) if number else 0),
        total=total,
        arc=course.arc(number),
        women=(draws.below(2) == 0, draws.below(2) == 0),
    )


@cache
def _text(lang: Lang, work: str) -> DocumentText:
    return document_text(lang, "article", tuple(_VALUES), _OWN, ("title",), work)


@cache
def _arcs(lang: Lang) -> tuple[str, ...]:
    sections = _text(lang, WORKS[0]).sections
    return tuple(sorted({name.removeprefix("arc_")[:-2] for name in sections if name.startswith("arc_")}))


class _Article:
    """Writes the episodes of one article."""

    def __init__(self, stream: Stream, lang: Lang, number: int) -> None:
        self._key = stream.child("article", number)
        self._id = f"article-{number}"
        self._lang = lang
        self._names = WorldNames(stream)
        self._plan = article_plan(self._key)
        self._text = _text(lang, self._plan.work)
        self._arcs = _arcs(lang)
        self._course = Course(self._key, self._plan.first_day, len(self._arcs))
        # The places asked for last: an episode names three, two of which the one before named.
        self._places: dict[int, str] = {}
        self._work = self._names.word(lang, f"{self._id} work", 0)

    def document(self, size: int) -> Document:
        """The first `size` sentences; each episode is a line."""
        units: list[DocumentUnit] = []
        left = size
        while left > 0:
            unit = DocumentUnit()
            unit.line()
            for sentence in self._episode(len(units))[:left]:
                unit.add(sentence)
            left -= unit.count
            units.append(unit)
        values = {"P": self._place(0), "W": self._work, "work": self._text.terms["work"][0]}
        title = DocumentWriter(self._text, self._key.child("title", self._lang), values).sentence("title")
        return assembled(self._id, "article", self._lang, title, [], units)

    def _place(self, number: int) -> str:
        if number not in self._places:
            self._places.pop(number - 3, None)
            self._places[number] = self._names.word(self._lang, f"{self._id} place", number)
        return self._places[number]

    def _episode(self, number: int) -> list[str]:
        lang, names = self._lang, self._names
        plan = episode_plan(self._key, self._course, number)
        writer = DocumentWriter(self._text, self._key.child("words", lang, number), self._values(number, plan))
        a, b = (
            names.person(lang, f"{self._id} person", 2 * number + index, female=plan.women[index]) for index in (0, 1)
        )
        writer.values |= {"A": a, "B": b}
        sentences = [writer.sentence("arrive" if number else "start")]
        arc = f"arc_{self._arcs[plan.arc]}_"
        sections = ("morning", *(arc + step for step in _STEPS), *_CLOSES[writer.below(len(_CLOSES))])
        for section, minutes in zip(sections, plan.minutes, strict=True):
            writer.values["t"] = clock(lang, minutes, writer.below(3))
            sentences.append(writer.sentence(section))
        return sentences

    def _values(self, number: int, plan: EpisodePlan) -> Mapping[str, str]:
        lang = self._lang
        gap = plan.day - self._course.day(number - 1) if number else 0
        return {
            "P": self._place(number),
            "P0": self._place(max(0, number - 1)),
            "P2": self._place(number + 1),
            "W": self._work,
            "work": self._text.terms["work"][0],
            "unit": self._text.terms["unit"][0],
            "day": date(lang, plan.day),
            "gap": _days(lang, gap),
            "stage": _ordinal(lang, number + 1),
            "n": str(plan.done),
            "total": f"{plan.total:,}" if lang == "en" else str(plan.total),
        }


def _days(lang: Lang, count: int) -> str:
    if lang == "zh":
        return f"{'零一两三四五六七八九'[count]}天"
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    return f"{words[count]} day{'s' * (count != 1)}"


def _ordinal(lang: Lang, number: int) -> str:
    if lang == "zh":
        return f"第{number}"
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


_NUMBERS: Final = ["twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
_MINUTES: Final = ("five", "ten", "a quarter", "twenty", "twenty-five", "half")
_PARTS: Final[Mapping[Lang, tuple[tuple[int, tuple[str, ...]], ...]]] = {
    "en": (
        (12, ("in the morning", "that morning", "of the morning")),
        (18, ("in the afternoon", "that afternoon", "of the afternoon")),
        (24, ("in the evening", "that evening", "at night")),
    ),
    "zh": (
        (8, ("清晨", "清早", "早上")),
        (12, ("上午", "午前", "前晌")),
        (13, ("中午", "正午", "晌午")),
        (18, ("下午", "午后", "后晌")),
        (24, ("晚上", "夜里", "晚间")),
    ),
}


def clock(lang: Lang, minutes: int, way: int = 0) -> str:
    """An hour of the day in words, by the minutes after midnight (a multiple of five): "twenty past six that evening".

    `way` chooses among the names of the part of the day.
    """
    hour, minute = divmod(minutes, 60)
    names = next(names for end, names in _PARTS[lang] if hour < end)
    part = names[way % len(names)]
    if lang == "zh":
        return f"{part}{_HOURS_ZH[hour % 12]}点{_MINUTES_ZH[minute // 5]}"
    if minutes == 720:
        return "noon"
    if minute == 0:
        return f"{_NUMBERS[hour % 12]} o’clock {part}"
    if minute <= 30:
        return f"{_MINUTES[minute // 5 - 1]} past {_NUMBERS[hour % 12]} {part}"
    return f"{_MINUTES[(60 - minute) // 5 - 1]} to {_NUMBERS[(hour + 1) % 12]} {part}"


_HOURS_ZH: Final = ["十二", "一", "两", "三", "四", "五", "六", "七", "八", "九", "十", "十一"]
_MINUTES_ZH: Final = [
    "整",
    "零五分",
    "十分",
    "一刻",
    "二十分",
    "二十五分",
    "半",
    "三十五分",
    "四十分",
    "三刻",
    "五十分",
    "五十五分",
]
