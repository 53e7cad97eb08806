"""Documents put together: units (an agenda item, a section) of paragraphs of sentences, and what is known of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from carrara.tables import Document, DocumentQuestion, KeyPoint
from carrara.task import Lang

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
class Unit:
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
    id_: str, kind: str, lang: Lang, title: str, head: Sequence[str], units: Sequence[Unit], first_unit: int = 0
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
    for place, unit in enumerate(units, first_unit):
        first = len(spans)
        text, found = joined(unit.lines, joint, at)
        spans += found
        blocks.append(text)
        at += len(text) + 2
        for one in unit.questions:
            evidence = tuple(spans[first + unit.facts[fact]] for fact in one.facts)
            id_of = f"{id_}-{place}-{one.name}"
            questions.append(DocumentQuestion(id_of, one.text, (one.answer,), one.options, evidence, one.name))
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
    heaviest = sorted(range(len(points)), key=lambda place: (-points[place].weight, place))[:MOST_POINTS]
    texts = [points[place].text for place in sorted(heaviest)]
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
