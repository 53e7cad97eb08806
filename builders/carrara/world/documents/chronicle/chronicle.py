"""Chronicles: long novels of the invented world, with questions and a summary whose answers are known.

A chronicle follows a cast over the years, chapter by chapter. What happens is planned first, the same in every language
(`plot.py`), then told (`scene.py`). A chapter is a function of the stream's key, the language, the
number of the chronicle and the plan up to it, which hangs on nothing that comes later: a chronicle of few chapters is
the beginning of a longer one.

Wrong options are values of the right one's kind that the chronicle told of before, for something else.

Must not change: what is drawn, and the order of the draws.
"""

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from carrara.stream import Stream
from carrara.tables import Document, DocumentQuestion, KeyPoint
from carrara.task import Lang
from carrara.world.documents.chronicle.kinds import KINDS, TERMS, ChapterLink, EventFact
from carrara.world.documents.chronicle.plot import ChapterPlan, Event, Plot
from carrara.world.documents.chronicle.scene import ChapterDraft, Director, SceneWriter
from carrara.world.documents.chronicle.scripts import HOUSES, SEASONS, ChronicleText, chronicle_text, scripts
from carrara.world.documents.pages import joined
from carrara.world.language.cast import Called, PersonGender
from carrara.world.language.surface import date, month
from carrara.world.names.names import WorldNames

WRONG: Final = 3
# So many values back are options drawn from.
_KEPT: Final = 60
# Places that no chapter tells of, where too few are told of yet.
_NOWHERE: Final = 60_000
_CAST: Final = ("cast", "woman", "man", "goer", "owner")


class AnswerPool:
    """What was told until now, by kind of value."""

    def __init__(self) -> None:
        self._told: dict[str, list[int]] = {}

    def told(self, event: Event) -> None:
        """Remember the values of an event."""
        for letter, filling in KINDS[event.kind].slots:
            kept = self._told.setdefault(_kind(event.kind, filling), [])
            if event.slots[letter] not in kept:
                kept.append(event.slots[letter])
                del kept[:-_KEPT]

    def wrong(
        self,
        below: Callable[[int], int],
        event: Event,
        letter: str,
        filling: str,
        events: Sequence[Event],
        cast: Sequence[int],
    ) -> list[int]:
        """Three values of the slot's kind that no event of `events` holds."""
        held = {
            asked.slots[slot] for asked in events for slot, other in KINDS[asked.kind].slots if _alike(filling, other)
        }
        right = event.slots[letter]
        pool = [value for value in self._told.get(_kind(event.kind, filling), []) if value not in held]
        if filling in _CAST or (filling in ("person", "child") and len(pool) < WRONG):
            pool += [person for person in cast if person not in held and person not in pool]
        out: list[int] = []
        while pool and len(out) < WRONG:
            out.append(pool.pop(below(len(pool))))
        step = 0
        while len(out) < WRONG:
            step += 1
            value = _other(below, filling, right, step)
            if value not in out and value not in held:
                out.append(value)
        return out


def _kind(event: str, filling: str) -> str:
    if filling in _CAST:
        return "cast"
    return f"sum {event}" if filling == "sum" else filling


def _alike(left: str, right: str) -> bool:
    people = (*_CAST, "person", "child")
    return left == right or (left in people and right in people)


def _other(below: Callable[[int], int], filling: str, right: int, step: int) -> int:
    """A value of the kind that was not told of."""
    if filling == "sum":
        # Between two thirds and three halves of the right one, at even steps.
        return max(2, right * (66 + below(85)) // 100 + step) // 2 * 2
    if filling == "place":
        return _NOWHERE + right * WRONG + step
    if filling in TERMS:
        return (right + below(TERMS[filling])) % TERMS[filling]
    raise ValueError(f"no wrong option for a {filling}: a chronicle's cast has four persons or more")


# Key points in a summary: two for five chapters, and no more than this.
MOST_KEY_POINTS: Final = 40
# Events of so many chapters back may be recalled in passing.
_RECALLED: Final = 60
# Slots that persons fill.
_PERSONS: Final = ("cast", "woman", "man", "goer", "owner", "person", "child")


@dataclass(frozen=True, slots=True)
class ChapterQuestion:
    """A question, answered by sentences given as (chapter, sentence of the chapter).

    `kind` is the event and what of it is asked ("buy price"), `value` what the answer is, as `kinds` calls
    it. Where an earlier chapter that answers it was not told, `evidence` is empty.
    """

    text: str
    answer: str
    # The right option and three wrong ones, in an order drawn by key.
    options: tuple[str, ...]
    evidence: tuple[tuple[int, int], ...]
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class ChapterPoint:
    """A statement that a summary may hold, and how much it weighs: larger is more."""

    text: str
    weight: tuple[int, int]
    # The sentences of the chapter that state it, the first and the last.
    sentences: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ChronicleChapter:
    """A chapter: its text (title, then paragraphs, a line each) and what is known of it.

    `sentences` are spans of `text`. Questions ask of this chapter, or of it and an earlier one.
    """

    number: int
    title: str
    text: str
    sentences: tuple[tuple[int, int], ...]
    questions: tuple[ChapterQuestion, ...]
    points: tuple[ChapterPoint, ...]


def chapters(stream: Stream, lang: Lang, number: int) -> Iterator[ChronicleChapter]:
    """The chapters of chronicle `number`, without end."""
    writer = _Chronicle(stream, lang, number)
    for plan in Plot(stream.child("chronicle", number)).chapters():
        yield writer.chapter(plan)


def chronicle(stream: Stream, lang: Lang, number: int, chapters: int) -> Document:
    """Chronicle `number` of so many chapters (one at least); its text begins every longer one's."""
    if chapters < 1:
        raise ValueError(f"a chronicle has one chapter or more, got {chapters}")
    return document(f"chronicle-{number}", lang, list(islice(_chapters(stream, lang, number), chapters)))


_chapters = chapters


def excerpt(stream: Stream, lang: Lang, number: int, start: int, chapters: int) -> Document:
    """Chapters `start` .. `start + chapters - 1` of chronicle `number`, word for word as the whole chronicle has them.

    Its questions are those that one sentence of these chapters answers. What stands before them is planned and not
    told; what was told is kept for a while, for rows ask for one chronicle many times.
    """
    if start < 0 or chapters < 1:
        raise ValueError(f"a chronicle has one chapter or more from chapter 0 on, got {chapters} from {start}")
    telling = _telling(stream.key, lang, number).chapters(start, chapters)
    return document(f"chronicle-{number}", lang, telling, most=1)


def document(id_: str, lang: Lang, consecutive: Sequence[ChronicleChapter], most: int = 2) -> Document:
    """The document of successive chapters of a chronicle; its questions have at most so many evidence sentences."""
    spans: list[tuple[int, int]] = []
    firsts: list[int] = []
    at = 0
    for chapter in consecutive:
        firsts.append(len(spans))
        spans += [(at + start, at + end) for start, end in chapter.sentences]
        at += len(chapter.text) + 2
    questions = tuple(
        DocumentQuestion(
            id=f"{id_}-{chapter.number}-{position}",
            text=question.text,
            answers=(question.answer,),
            options=question.options,
            evidence=tuple(
                spans[firsts[number_ - consecutive[0].number] + sentence] for number_, sentence in question.evidence
            ),
            kind=question.kind,
            value=question.value,
        )
        for chapter in consecutive
        for position, question in enumerate(chapter.questions)
        if 0 < len(question.evidence) <= most
    )
    points = [
        KeyPoint(
            text=point.text,
            evidence=(spans[first + point.sentences[0]][0], spans[first + point.sentences[1]][1]),
            weight=point.weight[0] << 64 | point.weight[1],
        )
        for chapter, first in zip(consecutive, firsts, strict=True)
        for point in chapter.points
    ]
    return Document(
        id=id_,
        kind="chronicle",
        title=consecutive[0].title,
        text="\n\n".join(chapter.text for chapter in consecutive),
        sentences=tuple(spans),
        questions=questions,
        summary=_summary(_weightiest(points, len(consecutive)), lang),
        key_points=tuple(points),
        key_points_from="world",
    )


def _weightiest(points: Sequence[KeyPoint], chapters: int) -> list[str]:
    """The points of a summary, in the order of the text."""
    count = min(MOST_KEY_POINTS, max(3, chapters * 2 // 5))
    kept = sorted(range(len(points)), key=lambda index: points[index].weight, reverse=True)[:count]
    return [points[index].text for index in sorted(kept)]


def _summary(points: Sequence[str], lang: Lang) -> str:
    """The points in paragraphs of six."""
    joint = " " if lang == "en" else ""
    return "\n".join(joint.join(points[start : start + 6]) for start in range(0, len(points), 6))


def _season(plan: ChapterPlan) -> str:
    return SEASONS[(datetime.date.fromordinal(plan.day).month - 3) % 12 // 3]


def _slots(event: Event) -> tuple[tuple[str, str], ...]:
    return KINDS[event.kind].slots


class _Telling:
    """The chapters of one chronicle by number; those that were told are kept, up to a number that few rows exceed."""

    _KEPT: Final = 1_200

    def __init__(self, stream: Stream, lang: Lang, number: int) -> None:
        self._key = (stream, lang, number)
        self._further = Plot(stream.child("chronicle", number)).chapters()
        self._plans: list[ChapterPlan] = []
        self._told: dict[int, ChronicleChapter] = {}

    def chapters(self, start: int, count: int) -> list[ChronicleChapter]:
        """So many chapters; a run of chapters that were not told is told in one go."""
        self._plans += islice(self._further, max(0, start + count - len(self._plans)))
        if len(self._told) + count > self._KEPT:
            self._told.clear()
        numbers = range(start, start + count)
        if missing := [number for number in numbers if number not in self._told]:
            writer = _Chronicle(*self._key)
            for plan in self._plans[: missing[0]]:
                writer.skip(plan)
            for plan in self._plans[missing[0] : missing[-1] + 1]:
                if plan.number in self._told:
                    writer.skip(plan)
                else:
                    self._told[plan.number] = writer.chapter(plan)
        return [self._told[number] for number in numbers]


@lru_cache(maxsize=2)
def _telling(key: tuple[str | int, ...], lang: Lang, number: int) -> _Telling:
    return _Telling(Stream(*key), lang, number)


class _Chronicle:
    """Tells the chapters of one chronicle, in order."""

    def __init__(self, stream: Stream, lang: Lang, number: int) -> None:
        self._key = stream.child("chronicle", number)
        self._plot = Plot(self._key)
        self._lang = lang
        self._names = WorldNames(stream)
        self._purpose = f"chronicle {number}"
        self._called: dict[int, Called] = {}
        self._taken: set[str] = set()
        # Where facts of events stand: (chapter, sentence).
        self._stated: dict[tuple[int, str], tuple[int, int]] = {}
        self._past: list[Event] = []
        self._options = AnswerPool()
        self._women: frozenset[int] = frozenset()
        self._persons = 0
        self._seed = self._key.child(lang, "seed").word()
        self._director = Director(scripts(lang, self._plot.setting), self._key.child(lang, "scripts"))

    def skip(self, plan: ChapterPlan) -> None:
        """Pass over the next chapter, whose facts are then told nowhere."""
        self._meet(plan)
        for event in plan.events:
            self._options.told(event)
        self._director.direct(plan, _season(plan), self._past[-_RECALLED:])
        self._remember(plan)

    def _meet(self, plan: ChapterPlan) -> None:
        """Name all persons of a chapter in the order of their numbers: names hang on what names there are before."""
        self._women = plan.women
        slots = (event.slots[slot] for event in plan.events for slot, filling in _slots(event) if filling in _PERSONS)
        most = max(*plan.cast, *slots, self._persons - 1)
        for person in range(self._persons, most + 1):
            self._person(person)
        self._persons = most + 1

    def _remember(self, plan: ChapterPlan) -> None:
        self._past += [event for event in plan.events if event.slots.keys() & {"O", "P"}]
        del self._past[: -2 * _RECALLED]

    def chapter(self, plan: ChapterPlan) -> ChronicleChapter:
        """The next chapter."""
        lang = self._lang
        self._meet(plan)
        day = datetime.date.fromordinal(plan.day)
        text = chronicle_text(lang)
        season = _season(plan)
        values = {
            "town": self._place(0, text),
            "Q": self._names.word(lang, f"{self._purpose} near", 0),
            "R": self._names.word(lang, f"{self._purpose} river", 0),
            "house": HOUSES[lang][self._plot.setting],
            "date": date(day, lang),
            "month": month(day.month, lang),
        }
        stream = self._key.child(lang, plan.number)
        writer = SceneWriter(lang, stream, self._seed, season, values, self._person)
        told = self._director.direct(plan, season, self._past[-_RECALLED:])
        page = writer.chapter(told, lambda event: self._values(event, text))
        questions: list[ChapterQuestion] = []
        points: list[ChapterPoint] = []
        for event in plan.events:
            for fact in KINDS[event.kind].facts:
                self._stated[event.number, fact.name] = (plan.number, page.facts[event.number, fact.name])
            self._options.told(event)
        for event in plan.events:
            values_ = self._values(event, text)
            for fact_ in KINDS[event.kind].facts:
                questions.append(self._fact(writer, text, plan, event, fact_, values_))
            for joint in KINDS[event.kind].joints:
                questions += self._joint(writer, text, plan, event, joint, values_)
            points += self._point(writer, text, page, event, values_)
        self._remember(plan)
        head = max(plan.events, key=lambda event: (KINDS[event.kind].rank, -event.number))
        name = writer.line(text.titles[head.kind], self._values(head, text))
        title = f"Chapter {plan.number + 1}: {name}" if lang == "en" else f"第{plan.number + 1}章：{name}"
        body, spans = joined(page.paragraphs, " " if lang == "en" else "", len(title) + 1)
        return ChronicleChapter(plan.number, title, f"{title}\n{body}", tuple(spans), tuple(questions), tuple(points))

    def _fact(
        self,
        writer: SceneWriter,
        text: ChronicleText,
        plan: ChapterPlan,
        event: Event,
        fact: EventFact,
        values: Mapping[str, str],
    ) -> ChapterQuestion:
        asked = writer.line(text.questions[event.kind, fact.name], values)
        options = self._choices(writer, text, plan, event, fact.answer, (event,))
        evidence = (self._stated[event.number, fact.name],)
        value = dict(_slots(event))[fact.answer]
        return ChapterQuestion(asked, values[fact.answer], options, evidence, f"{event.kind} {fact.name}", value)

    def _joint(
        self,
        writer: SceneWriter,
        text: ChronicleText,
        plan: ChapterPlan,
        event: Event,
        joint: ChapterLink,
        values: Mapping[str, str],
    ) -> Iterator[ChapterQuestion]:
        first = next((earlier_event for earlier_event in event.before if earlier_event.kind == joint.first), None)
        if first is None:
            return
        asked = writer.line(text.questions[event.kind, joint.name], values)
        options = self._choices(writer, text, plan, first, joint.answer, (event, first))
        earlier = self._stated.get((first.number, joint.fact))
        evidence = (earlier, self._stated[event.number, joint.later]) if earlier else ()
        value = dict(_slots(first))[joint.answer]
        answer = self._values(first, text)[joint.answer]
        yield ChapterQuestion(asked, answer, options, evidence, f"{event.kind} {joint.name}", value)

    def _choices(
        self,
        writer: SceneWriter,
        text: ChronicleText,
        plan: ChapterPlan,
        event: Event,
        letter: str,
        events: tuple[Event, ...],
    ) -> tuple[str, ...]:
        """The right value of a slot and three others of its kind, shuffled."""
        filling = dict(KINDS[event.kind].slots)[letter]
        wrong = self._options.wrong(writer.below, event, letter, filling, events, plan.cast)
        values = [self._value(filling, value, text) for value in (event.slots[letter], *wrong)]
        order: list[str] = []
        while values:
            order.append(values.pop(writer.below(len(values))))
        return tuple(order)

    def _point(
        self, writer: SceneWriter, text: ChronicleText, page: ChapterDraft, event: Event, values: Mapping[str, str]
    ) -> Iterator[ChapterPoint]:
        kind = KINDS[event.kind]
        if kind.rank:
            weight = (kind.rank, self._key.child("point", event.number).word())
            said = writer.line(text.keys[event.kind], values)
            facts = [page.facts[event.number, fact.name] for fact in kind.facts]
            sentences = [sentence for paragraph in page.paragraphs for sentence in paragraph]
            named = [value for value in values.values() if value in said]
            # Of what is pawned or sold no one sentence tells everything.
            whole = next((index for index in facts if all(value in sentences[index] for value in named)), None)
            yield ChapterPoint(said, weight, (min(facts), max(facts)) if whole is None else (whole, whole))

    def _values(self, event: Event, text: ChronicleText) -> dict[str, str]:
        """The slots of an event as they are written."""
        kind = KINDS[event.kind]
        return {letter: self._value(filling, event.slots[letter], text) for letter, filling in kind.slots}

    def _value(self, filling: str, value: int, text: ChronicleText) -> str:
        if filling == "sum":
            return f"{value:,} marks" if self._lang == "en" else f"{value}马克"
        if filling == "place":
            return self._place(value, text)
        if filling in ("thing", "held"):
            return self._thing(value, text)
        if filling in text.terms:
            return text.terms[filling][value]
        return self._person(value).full

    def _thing(self, number: int, text: ChronicleText) -> str:
        mark = self._names.word(self._lang, f"{self._purpose} mark", number)
        nouns = text.terms["noun"]
        noun = nouns[self._key.child("noun", number).below(len(nouns))]
        return f"the {mark} {noun}" if self._lang == "en" else f"{mark}{noun}"

    def _place(self, number: int, text: ChronicleText) -> str:
        name = self._names.word(self._lang, f"{self._purpose} place", number)
        return name if self._lang == "en" else name + "镇村渡堡集城"[number % 6]

    def _person(self, number: int) -> Called:
        """How a person is called; no two of a chronicle share a given name or a surname."""
        if number not in self._called:
            self._called[number] = self._call(number, number in self._women)
        return self._called[number]

    def _call(self, number: int, female: bool) -> Called:
        lang, stride = self._lang, 1 << 16
        gender: PersonGender = "female" if female else "male"
        if lang == "zh":
            name = self._names.person(lang, self._purpose, number, female=female)
            return Called(name, name, gender, lang)
        for step in range(50):
            name = self._names.person(lang, self._purpose, number + step * stride, female=female)
            words = name.split()
            if not self._taken & set(words):
                break
        self._taken.update(words)
        return Called(name, words[0], gender, lang)
