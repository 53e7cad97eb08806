"""Documents put together from units (an agenda item, a section), what is known of them, and their wordings.

A unit is paragraphs of sentences. Its wordings are read from `text/<lang>/<kind>.txt` and drawn from fast:

    [lists]        lists as in `grammar.py`; values of the caller may stand in them
    [lists_x]      lists of variant x alone (a kind of board, a kind of work)
    [terms]        `name: term / term`: closed values that facts take, as many in every language
    [terms_x]      those of variant x
    [groups]       names for several terms, for conditions
    [paragraphs]   remarks of connected sentences under conditions, as `paragraphs.py` reads them; `!fact` marks the
                   sentence that states a fact
    [anything]     templates, one sentence or phrase a line

`own` names the values that no other unit has (the name of its place, its number). Each template and each sentence that
states a fact holds one of them, and reading fails where it does not: no question has its answer in two places.
"""

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from carrara.stream import Draws, Stream
from carrara.tables import Document, DocumentQuestion, KeyPoint
from carrara.task import Lang
from carrara.world.language.grammar import (
    Alternatives,
    Person,
    Phrase,
    Speller,
    ValueField,
    WordingLine,
    capital,
    parse,
    read_sections,
    split_top,
)
from carrara.world.language.paragraphs import ClassParagraphs, TextParagraph, Traits, read_paragraphs
from carrara.world.language.surface import date as written_date

# A summary holds so many key points: all, or the weightiest.
MOST_POINTS: Final = 40
# Options of a question: the right one and three others.
OPTIONS: Final = 4


@dataclass(frozen=True, slots=True)
class UnitQuestion:
    """A question of a unit; `facts` name the sentences that state the answer."""

    name: str
    text: str
    answer: str
    options: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(slots=True)
class DocumentUnit:
    """A unit as it is written: lines of sentences, and the number of the sentence that states each fact."""

    lines: list[list[str]] = field(default_factory=list)
    facts: dict[str, int] = field(default_factory=dict)
    questions: list[UnitQuestion] = field(default_factory=list)
    # Key points: text, weight (larger is more), the facts whose sentences state it, from the first one's to the last's.
    points: list[tuple[str, int, tuple[str, ...]]] = field(default_factory=list)
    count: int = 0

    def line(self) -> None:
        """Begin a line."""
        self.lines.append([])

    def add(self, sentence: str, *facts: str) -> None:
        """Write a sentence into the last line; it states these facts."""
        self.lines[-1].append(sentence)
        for fact in facts:
            self.facts[fact] = self.count
        self.count += 1


def joined(paragraphs: Sequence[Sequence[str]], joint: str, at: int) -> tuple[str, list[tuple[int, int]]]:
    """The text of paragraphs of sentences, a line each, and the sentences' spans in a text that has it from `at` on.

    `joint` stands between the sentences of a paragraph; a paragraph without a sentence is left out.
    """
    spans: list[tuple[int, int]] = []
    lines: list[str] = []
    for sentences in filter(None, paragraphs):
        for sentence in sentences:
            spans.append((at, at + len(sentence)))
            at += len(sentence) + len(joint)
        at += 1 - len(joint)
        lines.append(joint.join(sentences))
    return "\n".join(lines), spans


def assembled(
    id_: str, kind: str, lang: Lang, title: str, head: Sequence[str], units: Sequence[DocumentUnit], first_unit: int = 0
) -> Document:
    """The document of a head (its lines are sentences too) and units, an empty line after each.

    `first_unit` is the number of the first of them, from which questions take their ids.
    """
    joint = " " if lang == "en" else ""
    spans: list[tuple[int, int]] = []
    blocks: list[str] = []
    at = 0
    for line in head:
        spans.append((at, at + len(line)))
        blocks.append(line)
        at += len(line) + 2
    questions: list[DocumentQuestion] = []
    points: list[KeyPoint] = []
    for number, unit in enumerate(units, first_unit):
        first = len(spans)
        text, starts = joined(unit.lines, joint, at)
        spans += starts
        blocks.append(text)
        at += len(text) + 2
        for question in unit.questions:
            evidence = tuple(spans[first + unit.facts[fact]] for fact in question.facts)
            id_of = f"{id_}-{number}-{question.name}"
            answers = (question.answer,)
            questions.append(DocumentQuestion(id_of, question.text, answers, question.options, evidence, question.name))
        for said, weight, facts in unit.points:
            stated = [spans[first + unit.facts[fact]] for fact in facts]
            points.append(KeyPoint(said, (stated[0][0], stated[-1][1]), weight))
    return Document(
        id=id_,
        kind=kind,
        title=title,
        text="\n\n".join(blocks),
        sentences=tuple(spans),
        questions=tuple(questions),
        summary=_summary(points, joint),
        key_points=tuple(points),
        key_points_from="world",
    )


def _summary(points: Sequence[KeyPoint], joint: str) -> str:
    """The weightiest points, in the order of the text, in paragraphs of five."""
    heaviest = sorted(range(len(points)), key=lambda index: (-points[index].weight, index))[:MOST_POINTS]
    texts = [points[index].text for index in sorted(heaviest)]
    return "\n".join(joint.join(texts[start : start + 5]) for start in range(0, len(texts), 5))


def options(below: Callable[[int], int], answer: str, wrong: Sequence[str]) -> tuple[str, ...]:
    """The answer and three of the wrong ones (distinct, none the answer), in random order."""
    others = [text for text in dict.fromkeys(wrong) if text != answer]
    if len(others) < OPTIONS - 1:
        raise ValueError(f"{answer!r} has {len(others)} wrong options {others}, expected {OPTIONS - 1} or more")
    chosen = [others.pop(below(len(others))) for _ in range(OPTIONS - 1)]
    chosen.insert(below(OPTIONS), answer)
    return tuple(chosen)


def near(value: int, step: int, least: int = 0) -> list[int]:
    """Numbers about a number, `step` apart, none below `least` and none the number: wrong options."""
    return [value + step * far for far in (-3, -2, -1, 1, 2, 3, 4) if value + step * far >= least]


# Remarks of one aspect that a unit has at most.
_A_UNIT: Final = 4
# Words drawn at once: a unit of a document takes 200 to 500.
_BLOCK: Final = 336


@dataclass(frozen=True, slots=True)
class DocumentText:
    """All wordings of a kind of document in one language and variant."""

    lang: Lang
    sections: Mapping[str, tuple[Phrase, ...]]
    terms: Mapping[str, tuple[str, ...]]
    # The bare text of the sections of one line without a choice.
    words: Mapping[str, str]
    remarks: ClassParagraphs


@cache
def document_text(
    lang: Lang,
    kind: str,
    values: tuple[str, ...],
    own: tuple[str, ...],
    free: tuple[str, ...] = (),
    variant: str = "",
    remarks: tuple[str, ...] = (),
    conditions: tuple[tuple[str, tuple[str, ...]], ...] = (),
) -> DocumentText:
    """Read the wordings; ValueError with file and line where a text is wrong.

    `values` are the slots that the caller fills; every template names one of `own` in each of its spellings, but for
    those of the sections `free`. `remarks` are the aspects of the paragraphs, `conditions` the keys of their heads with
    the values of each; a key without values takes the terms of its name, those of all variants.
    """
    sections = read_sections(lang, kind)
    raw = [*sections.get("lists", []), *sections.get(f"lists_{variant}", [])]
    raw = [_dealt(line) for line in raw]
    known = {key: held or _all_terms(sections, key) for key, held in conditions}
    read, lists = read_paragraphs({**sections, "lists": raw}, {}, remarks, known, values)
    for paragraph in (each for all_ in read.by_aspect.values() for each in all_):
        for fact, wordings in zip(paragraph.facts, paragraph.lines, strict=True):
            if fact and not all(names_one(paragraph.parse(wording), frozenset(own)) for wording in wordings):
                raise ValueError(f"{paragraph.where}: !{fact} must name one of {', '.join(own)} in every spelling")
    parsed: dict[str, tuple[Phrase, ...]] = {}
    for name, lines in sections.items():
        if name.split("_")[0] in ("lists", "terms", "groups", "paragraphs"):
            continue
        templates: list[Phrase] = []
        for line in lines:
            phrase = parse(line, lists.get, values)
            if name not in free and not names_one(phrase, frozenset(own)):
                raise ValueError(f"{line.where}: names none of {', '.join(own)} in every spelling; put one outside")
            templates.append(phrase)
        parsed[name] = tuple(templates)
    terms = dict(_terms([*sections.get("terms", []), *sections.get(f"terms_{variant}", [])]))
    words = {
        name: str(lines[0][0]) for name, lines in parsed.items() if len(lines) == 1 and isinstance(lines[0][0], str)
    }
    return DocumentText(lang, parsed, terms, words, read)


def _all_terms(sections: Mapping[str, Sequence[WordingLine]], key: str) -> tuple[str, ...]:
    """The terms `key` and `key_...` of every variant."""
    found = [
        term
        for name, lines in sections.items()
        if name.split("_")[0] == "terms"
        for known, terms in _terms(lines)
        if known == key or known.startswith(f"{key}_")
        for term in terms
    ]
    return tuple(dict.fromkeys(found))


def _dealt(line: WordingLine) -> WordingLine:
    """A list of one phrase with a choice in it as a list of several, one for each alternative of the first choice."""
    name, _, rest = line.text.partition(":")
    start = rest.find("[")
    if start < 0 or len(split_top(rest, "/")) > 1:
        return line
    depth = end = 0
    for end in range(start, len(rest)):
        depth += (rest[end] in "[{") - (rest[end] in "]}")
        if depth == 0:
            break
    phrases = (rest[:start] + choice + rest[end + 1 :] for choice in split_top(rest[start + 1 : end], "|"))
    return WordingLine(line.where, f"{name}: {' / '.join(phrases)}")


def names_one(phrase: Phrase, own: frozenset[str]) -> bool:
    """Whether every spelling of a phrase holds one of these values."""
    return any(
        part.name in own
        if isinstance(part, ValueField)
        else isinstance(part, Alternatives) and all(names_one(each, own) for each in part.phrases)
        for part in phrase
    )


def _terms(lines: Sequence[WordingLine]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in lines:
        name, _, rest = line.text.partition(":")
        terms = tuple(term.strip() for term in split_top(rest, "/"))
        if len(set(terms)) != len(terms) or "" in terms:
            raise ValueError(f"{line.where}: the terms of {name!r} are not distinct, or one is empty")
        yield name, terms


class DocumentWriter:
    """Writes one unit of a document: no template twice, no phrase of a list twice until all were used.

    `values` may be changed between sentences.
    """

    __slots__ = ("_deal", "_number", "_speller", "_spent", "_told", "below", "text", "values")

    def __init__(
        self, text: DocumentText, stream: Stream, values: Mapping[str, str], deal: Stream | None = None, number: int = 0
    ) -> None:
        """`stream` is the unit's own; from `deal`, the document's, unit `number` has its remarks."""
        draws = Draws(stream, _BLOCK)
        self.below = draws.below
        self.values = dict(values)
        self.text = text
        self._deal = deal or stream
        self._number = number
        self._speller = Speller(draws, Person(""), self.values)
        self._spent: dict[str, int] = {}
        self._told: list[TextParagraph] = []

    def sentence(self, section: str) -> str:
        """A template of the section that the unit has not had, with a capital; ValueError if there is none left."""
        return capital(self.phrase(section))

    def phrase(self, section: str) -> str:
        """The same as it stands."""
        templates = self.text.sections[section]
        count = len(templates)
        number = self.below(count) if count > 1 else 0
        spent = self._spent.get(section, 0)
        if spent:
            if spent == (1 << count) - 1:
                raise ValueError(f"a unit wants more than the {count} templates of [{section}]; write more of them")
            while spent >> number & 1:
                number = (number + 1) % count
        self._spent[section] = spent | 1 << number
        return self._speller.said(templates[number])

    def remark(self, aspect: str, traits: Traits) -> Iterator[tuple[str, str]]:
        """The sentences of a remark that fits and that the unit has not had, each with the fact that it states or "".

        All remarks of an aspect come before one comes again, then with other choices. ValueError if none fits.
        """
        remarks = self.text.remarks
        fits = remarks.fitting(aspect, "", traits)
        pool = [known for known, fit in zip(remarks.by_aspect[aspect], fits, strict=True) if fit]
        place = _A_UNIT * self._number + sum(told.aspect == aspect for told in self._told)
        if not pool:
            raise ValueError(f"text/{self.text.lang}: no remark {aspect!r} fits {dict(traits)}; write one")
        turn, rank = divmod(place, len(pool))
        order = self._deal.child(aspect, len(pool), turn).order(len(pool)).tolist()
        dealt = [pool[index] for index in (*order[rank:], *order[:rank])]
        remark = next((each for each in dealt if each not in self._told), dealt[0])
        self._told.append(remark)
        speller = self._speller
        speller.begin(turn, remark.salt)
        speller.variables = {
            name: entries[speller.among(name, len(entries))] for name, entries in remark.variables.items()
        }
        for index, (wordings, fact) in enumerate(zip(remark.sentences, remark.facts, strict=True)):
            yield speller.text(speller.wording(str(index), wordings)), fact
        speller.begin(None)
        speller.variables = {}

    def again(self, section: str) -> None:
        """Let the templates of a section be used again."""
        self._spent.pop(section, None)


def date(lang: Lang, day: int) -> str:
    """A day, by its proleptic ordinal, as it is written: "3 May 1874"."""
    return written_date(datetime.date.fromordinal(day), lang)


def money(lang: Lang, marks: int) -> str:
    """A sum as it is written: "1,250 marks"."""
    return f"{marks:,} marks" if lang == "en" else f"{marks}马克"
