"""Reports: the yearly report of a board of an invented region, a section for each place, figures that add up.

What a section states is planned from the stream's key, the number of the report and the section's own number alone,
the same in every language; then it is written down.
"""

import datetime
from dataclasses import dataclass
from functools import cache
from typing import Final

from carrara.stream import Draws, Stream
from carrara.tables import Document
from carrara.task import Lang
from carrara.world.documents.pages import (
    DocumentText,
    DocumentUnit,
    DocumentWriter,
    UnitQuestion,
    assembled,
    date,
    document_text,
    near,
    options,
)
from carrara.world.names.names import WorldNames

BOARDS: Final = ("harbour", "forest", "school", "water")
# Sources of income of a section, and how many persons inspect in turn.
_SOURCES: Final = (3, 5)
_INSPECTORS: Final = 5
# The terms of every board: as many in each list, so that a plan can be drawn before it is written.
_TERMS: Final = {"income": 8, "counts": 3, "defect": 10, "measure": 10, "cause": 8}
_VALUES: Final = [
    "W",
    "unit",
    "head",
    "post",
    "k",
    "date",
    "inspector",
    "region",
    "year",
    "board",
    "table",
    "total",
    "last",
    "difference",
    "more",
    "q1",
    "q2",
    "q3",
    "q4",
    "qtotal",
    "counted",
    "defect",
    "cause",
    "measure",
    "cost",
    "deadline",
]
_OWN: Final = ("W", "head", "k")
_FREE: Final = ("title", "more", "less")
# The paragraphs of a section.
_REMARKS: Final = ("visit", "figures", "fault", "advice")
_CONDITIONS: Final = (
    ("board", BOARDS),
    ("change", ("more", "less")),
    ("defect", ()),
    ("cause", ()),
    ("counts", ()),
)


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """What all sections share: the board, the year, and which inspectors are women."""

    board: str
    year: int
    women: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """What a section states; terms by their places in the lists of the board, sums in marks.

    `sources` are (term, sum) of the income, no two sums equal; `defect` is the place of the measure too.
    """

    number: int
    woman: bool
    inspector: int
    day: int
    sources: tuple[tuple[int, int], ...]
    last: int
    counted: int
    quarters: tuple[int, int, int, int]
    defect: int
    cause: int
    cost: int
    deadline: int

    @property
    def total(self) -> int:
        """The income of the year."""
        return sum(marks for _, marks in self.sources)


def report(stream: Stream, lang: Lang, number: int, size: int) -> Document:
    """Report `number` with `size` sections (one at least); its text begins that of every larger one."""
    if size < 1:
        raise ValueError(f"a report has one section or more, got {size}")
    return _Report(stream, lang, number).document(size)


def board_plan(key: Stream) -> BoardPlan:
    """The board of a report's key."""
    draws = Draws(key.child("board"))
    women = tuple(draws.below(2) == 0 for _ in range(_INSPECTORS))
    return BoardPlan(BOARDS[draws.below(len(BOARDS))], 1750 + draws.below(240), women)


def section_plan(key: Stream, year: int, number: int) -> SectionPlan:
    """What section `number` (from 0) states."""
    draws = Draws(key.child("section", number))
    count = _SOURCES[0] + draws.below(_SOURCES[1] - _SOURCES[0] + 1)
    terms = draws.shuffled(range(_TERMS["income"]))[:count]
    sums: list[int] = []
    while len(sums) < count:
        marks = 40 + draws.below(1900)
        if marks not in sums:
            sums.append(marks)
    total = sum(sums)
    change = 1 + draws.below(total // 4)
    first = datetime.date(year, 1, 1).toordinal()
    return SectionPlan(
        number=number,
        woman=draws.below(2) == 0,
        inspector=draws.below(_INSPECTORS),
        day=first + draws.below(365),
        sources=tuple(zip(terms, sums, strict=True)),
        last=total + (change if draws.below(2) else -change),
        counted=draws.below(_TERMS["counts"]),
        quarters=(20 + draws.below(400), 20 + draws.below(400), 20 + draws.below(400), 20 + draws.below(400)),
        defect=draws.below(_TERMS["defect"]),
        cause=draws.below(_TERMS["cause"]),
        cost=50 * (2 + draws.below(120)),
        deadline=first + 395 + draws.below(300),
    )


@cache
def _text(lang: Lang, board: str) -> DocumentText:
    text = document_text(lang, "report", tuple(_VALUES), _OWN, _FREE, board, _REMARKS, _CONDITIONS)
    for name, count in _TERMS.items():
        if len(text.terms[name]) != count:
            raise ValueError(f"{lang}/report.txt: {board} has {len(text.terms[name])} terms {name!r}, expected {count}")
    return text


class _Report:
    """Writes the sections of one report."""

    def __init__(self, stream: Stream, lang: Lang, number: int) -> None:
        self._key = stream.child("report", number)
        self._id = f"report-{number}"
        self._lang = lang
        self._names = WorldNames(stream)
        self._plan = board_plan(self._key)
        self._text = _text(lang, self._plan.board)
        terms = self._text.terms
        self._shared = {
            "board": terms["board"][0],
            "unit": terms["unit"][0],
            "post": terms["post"][0],
            "year": str(self._plan.year),
            "region": self._names.word(lang, f"{self._id} region", 0),
        }
        self._inspectors = [
            self._names.person(lang, f"{self._id} inspector", person, female=woman)
            for person, woman in enumerate(self._plan.women)
        ]

    def document(self, size: int) -> Document:
        """The first `size` sections."""
        title = DocumentWriter(self._text, self._key.child("title", self._lang), self._shared).sentence("title")
        units = [self._section(section_plan(self._key, self._plan.year, number)) for number in range(size)]
        return assembled(self._id, "report", self._lang, title, [title], units)

    def _values(self, plan: SectionPlan) -> dict[str, str]:
        lang, terms = self._lang, self._text.terms
        pairs = [f"{terms['income'][term]}{' ' * (lang == 'en')}{self._count(marks)}" for term, marks in plan.sources]
        values = self._shared | {
            "k": str(plan.number + 1),
            "W": self._names.word(lang, f"{self._id} place", plan.number),
            "head": self._names.person(lang, f"{self._id} head", plan.number, female=plan.woman),
            "inspector": self._inspectors[plan.inspector],
            "date": date(lang, plan.day),
            "deadline": date(lang, plan.deadline),
            "table": (", " if lang == "en" else "、").join(pairs),
            "total": self._count(plan.total),
            "last": self._count(plan.last),
            "difference": self._count(abs(plan.total - plan.last)),
            "more": self._text.words["more" if plan.total > plan.last else "less"],
            "qtotal": self._count(sum(plan.quarters)),
            "cost": self._count(plan.cost),
            "counted": terms["counts"][plan.counted],
            "defect": terms["defect"][plan.defect],
            "measure": terms["measure"][plan.defect],
            "cause": terms["cause"][plan.cause],
        }
        return values | {f"q{index + 1}": self._count(count) for index, count in enumerate(plan.quarters)}

    def _count(self, number: int) -> str:
        return f"{number:,}" if self._lang == "en" else str(number)

    def _section(self, plan: SectionPlan) -> DocumentUnit:
        stream = self._key.child("words", self._lang, plan.number)
        writer = DocumentWriter(self._text, stream, self._values(plan), self._key.child("deal"), plan.number)
        traits = {name: writer.values[held] for name, held in (("defect",) * 2, ("cause",) * 2, ("counts", "counted"))}
        traits |= {"board": self._plan.board, "change": "more" if plan.total > plan.last else "less"}
        unit = DocumentUnit()
        unit.line()
        mark = ". " if self._lang == "en" else "、"
        unit.add(f"{plan.number + 1}{mark}{writer.sentence('heading')}")
        for aspect in _REMARKS:
            unit.line()
            for sentence, fact in writer.remark(aspect, traits):
                unit.add(sentence, *[fact] * bool(fact))
        self._ask(writer, unit, plan)
        return unit

    def _ask(self, writer: DocumentWriter, unit: DocumentUnit, plan: SectionPlan) -> None:
        lang, terms, values = self._lang, self._text.terms, writer.values
        draws = Draws(self._key.child("questions", plan.number))

        def ask(name: str, answer: str, wrong: list[str], fact: str) -> None:
            chosen = options(draws.below, answer, wrong)
            unit.questions.append(UnitQuestion(name, writer.sentence(f"q_{name}"), answer, chosen, (fact,)))

        def numbers(number: int, step: int) -> list[str]:
            return [self._count(count_) for count_ in near(number, step * (1 + draws.below(4)), 1)]

        largest = max(plan.sources, key=lambda source: source[1])[0]
        change, counted = abs(plan.total - plan.last), sum(plan.quarters)
        figures = [
            ("total", values["total"], [*numbers(plan.total, 10), values["last"]], "income"),
            ("largest", terms["income"][largest], list(terms["income"]), "income"),
            ("difference", values["difference"], numbers(change, 1 + change // 20), "compare"),
            ("counts", values["qtotal"], numbers(counted, 10), "counts"),
        ]
        closed = [(name, values[name], list(terms[name]), name) for name in ("defect", "cause", "measure")]
        closed[2] = (*closed[2][:3], "recommend")
        days = [date(lang, day) for day in near(plan.deadline, 7 * (1 + draws.below(3)), plan.deadline - 60)]
        tasks = [
            ("cost", values["cost"], numbers(plan.cost, 50), "recommend"),
            ("deadline", values["deadline"], days, "charge"),
        ]
        for figure in (*draws.shuffled(figures)[:2], *draws.shuffled(closed)[:2], draws.choice(tasks)):
            ask(*figure)
        unit.points.append((writer.sentence("key"), plan.cost, ("recommend",)))
