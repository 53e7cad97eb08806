"""Summarization: as much of a long document as fits, and a request for a summary (HELMET, arXiv:2410.02694).

A row shows a document from its first sentence on and cuts it at the end of a sentence; the request states the length of
the references. Cases, novels, stories and meetings have summaries by people, which cover the whole document. For the
invented world's chronicles and minutes the summary consists of the most important key points in the shown text.

Differences from the paper: the wording is ours; a document shorter than the row is not used at that length, unless the
recipe says `short = "whole"`, as the paper does; worked examples come from separate documents, whose text is left out;
the world's documents fill every length. A summary cannot be computed, so no variant has a solver: instead the audit
proves where the world's key points are, and that they state nothing beyond the text there.

Must not change without a major version: what a plan draws, how many key points a length takes, how lengths are rounded.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from carrara.errors import BudgetError, SourceError
from carrara.stream import Stream
from carrara.tables import Document, KeyPoint
from carrara.task import Budget, Draft, Finding, Inputs, Item, Slot, Task, Variant
from carrara.tasks.helmet.documents import (
    QuestionPlace,
    Short,
    ShownDocument,
    deal,
    demonstrations,
    opening,
    refuse_whole,
    show,
)
from carrara.tasks.helmet.passages import Costs
from carrara.tasks.helmet.summarization.checks import audit_row, guesses
from carrara.tasks.helmet.summarization.prompt import (
    ANSWER_PREFIX,
    ENDED,
    EXAMPLE,
    EXAMPLES,
    INTRODUCED,
    SHOWN,
    TAIL,
    WORDINGS,
)

# The least output allowed; more if the reference needs it.
OUTPUT: Final[Mapping[str, int]] = {"multilexsum": 512, "infbench_sum": 1_200}
_STEP: Final = 64
# Kinds of the world's documents by variant, and about how many tokens a chapter or an item has.
KINDS: Final[Mapping[str, tuple[str, int]]] = {"world": ("chronicle", 1_900), "world_meeting": ("meeting", 630)}
# One key point for this many tokens, within these bounds.
EACH: Final = 3_000
FEWEST: Final = 3
MOST: Final = 40
PARAGRAPH: Final = 6
# Worked examples of the world: short documents with the highest numbers, which no item has.
_SHORT: Final = 6
_APART: Final = 1 << 20
# Lengths in words are stated to the nearest ten.
_ROUND: Final = 10


@dataclass(frozen=True, slots=True)
class Params:
    """The parameters of a recipe. `shots`: worked examples. `short`: of a document that is shorter than its row."""

    shots: Literal[0, 2] = 2
    short: Short = "refused"

    def __post_init__(self) -> None:
        if self.shots not in (0, 2):
            raise ValueError(f"shots = {self.shots}: expected 0 or 2")


@dataclass(frozen=True, slots=True)
class Plan:
    """The indices of the document and its question (-1: the document's own summary), and of the worked examples."""

    document: int
    question: int
    demonstrations: tuple[QuestionPlace, ...]


@dataclass(frozen=True, slots=True)
class WholeSummaryPlan(Plan):
    """A plan whose document is shown whole where it is shorter than its row."""

    short: Literal["whole"]


@dataclass(frozen=True, slots=True)
class _SummaryRequest:
    """A request, its reference summaries, and its key points."""

    request: str
    references: tuple[str, ...]
    key_points: tuple[str, ...]
    whose: str
    # Where the document states it; empty where nobody says.
    spans: tuple[tuple[int, int], ...] = ()
    # The long summary beside a short reference.
    long: str = ""


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """Draw the item's document and worked examples. Raises SourceError if the source has none for it."""
    own = stream.child(item.index).child("demonstrations")
    if item.variant in KINDS:
        refuse_whole(params.short)
        count = inputs.tables.document_count("en", KINDS[item.variant][0])
        shown: dict[int, None] = {}
        while len(shown) < params.shots:
            shown[count - 1 - own.below(_APART)] = None
        return Plan(item.index, -1, tuple((number, -1) for number in shown))
    dealt = deal(inputs.tables, stream, _questions, params.short)
    if item.index >= len(dealt.items):
        raise SourceError(
            f"{item.task}_{item.variant} has {len(dealt.items)} summaries, the recipe asks for item {item.index}",
            "ask for fewer questions",
        )
    document, question = dealt.items[item.index]
    examples = demonstrations(dealt, params.shots, own)
    if params.short == "whole":
        return WholeSummaryPlan(document, question, examples, "whole")
    return Plan(document, question, examples)


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """Write as much of the document, from its beginning, as fits with the request and the answer."""
    return (_world if slot.item.variant in KINDS else _real)(plan, slot, inputs, budget)


def audit(draft: Draft) -> Iterator[Finding]:
    """Check the frame, the stated length, and that the world's key points are in the text."""
    yield from audit_row(draft)


def _questions(document: Document) -> tuple[int, ...]:
    """The requests for a document: each of its queries, or its summary."""
    queries = tuple(
        number for number, question in enumerate(document.questions) if question.answers and not question.options
    )
    return queries if queries and not document.summary else (-1,) * bool(document.summary)


# --- summaries of people ----------------------------------------------------------------------------------------------


def _real(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    variant = slot.item.variant
    document = inputs.tables.document("en", "", plan.document, 0)
    asked = _asked(document, plan.question, variant)
    examples = [
        _asked(inputs.tables.document("en", "", number, 0), question, variant)
        for number, question in plan.demonstrations
    ]
    output = max(OUTPUT.get(variant, 0), *(_output(text, budget) for text in asked.references))
    head, tail = _head(variant, examples), _tail(variant, asked)
    sentences, costs = opening(document, slot.length, budget)
    short: Short = "whole" if isinstance(plan, WholeSummaryPlan) else "refused"
    shown = show(head, sentences, tail, slot.length - output, budget, costs, short)
    return _draft(shown, head, tail, asked, document, slot, output, costs)


def _asked(document: Document, question: int, variant: str) -> _SummaryRequest:
    request = WORDINGS[variant].request
    if question >= 0:
        query = document.questions[question]
        return _SummaryRequest(query.text, query.answers, query.key_points, document.key_points_from, query.evidence)
    points = tuple(point.text for point in document.key_points)
    short, long = document.short_summary, document.summary
    return _SummaryRequest(request, (short or long,), points, document.key_points_from, long=long if short else "")


# --- the world --------------------------------------------------------------------------------------------------------


def _world(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    variant = slot.item.variant
    kind, _ = KINDS[variant]
    examples = [
        _told(_weightiest(inputs.tables.document("en", kind, number, _SHORT).key_points, FEWEST), variant)
        for number, _ in plan.demonstrations
    ]
    head = _head(variant, examples)
    document, sentences, costs = _long(inputs, variant, plan.document, slot.length, budget)
    totals, ends = np.cumsum(costs), np.cumsum([len(sentence) for sentence in sentences])
    before = budget.count(head)
    end = len(document.text)
    # The shown text depends on the summary's length and the summary on the shown text: the cut only moves back.
    while True:
        asked = _told(_weightiest(_inside(document, end), _count(slot.length)), variant)
        tail, output = _tail(variant, asked), _output(asked.references[0], budget)
        room = slot.length - output - before - budget.count("." + tail) + budget.count(".")
        kept = int(np.searchsorted(totals, room, side="right"))
        reached = int(ends[kept - 1]) if kept else 0
        if reached >= end:
            shown = show(head, sentences, tail, slot.length - output, budget, costs)
            reached = len(shown.prompt) - len(head) - len(tail)
            if all(last <= reached for _, last in asked.spans):
                return _draft(shown, head, tail, asked, document, slot, output, costs)
        end = min(end - 1, reached)


def _long(inputs: Inputs, variant: str, number: int, tokens: int, budget: Budget) -> tuple[Document, list[str], Costs]:
    """A document of more than so many tokens from its beginning on, its sentences, and the tokens of each."""
    kind, each = KINDS[variant]
    size = tokens // each + 2
    while True:
        document = inputs.tables.excerpt("en", kind, number, 0, size)
        sentences, costs = opening(document, tokens, budget)
        if int(costs.sum()) > tokens:
            return document, sentences, costs
        size += size // 4 + 1


def _inside(document: Document, end: int) -> list[KeyPoint]:
    """The key points that end before an offset. Raises BudgetError if there is none."""
    if points := [point for point in document.key_points if point.evidence[1] <= end]:
        return points
    raise BudgetError(f"the {end} characters of {document.id} that fit contain no key point", "use a larger bucket")


def _count(tokens: int) -> int:
    """The number of key points in the summary of a row of this many tokens."""
    return min(MOST, max(FEWEST, tokens // EACH))


def _weightiest(points: Sequence[KeyPoint], count: int) -> list[KeyPoint]:
    """The `count` most important key points, in the order of the text."""
    kept = sorted(range(len(points)), key=lambda number: (-points[number].weight, number))[:count]
    return sorted((points[number] for number in kept), key=lambda point: point.evidence)


def _told(points: Sequence[KeyPoint], variant: str) -> _SummaryRequest:
    """The summary made of key points, in paragraphs of six."""
    texts = tuple(point.text for point in points)
    paragraphs = [" ".join(texts[start : start + PARAGRAPH]) for start in range(0, len(texts), PARAGRAPH)]
    return _SummaryRequest(
        WORDINGS[variant].request, ("\n".join(paragraphs),), texts, "world", tuple(point.evidence for point in points)
    )


# --- the prompt -------------------------------------------------------------------------------------------------------


def _head(variant: str, examples: Sequence[_SummaryRequest]) -> str:
    wording = WORDINGS[variant]
    parts = [wording.introduction, EXAMPLES.format(nouns=wording.nouns) if examples else ""]
    parts += [
        EXAMPLE.format(
            number=number,
            noun=wording.noun,
            request=example.request,
            words=_words(example.references),
            summary=example.references[0],
        )
        for number, example in enumerate(examples, 1)
    ]
    return "".join([*parts, INTRODUCED.format(noun=wording.noun) if examples else "", SHOWN.format(noun=wording.noun)])


def _tail(variant: str, asked: _SummaryRequest) -> str:
    noun = WORDINGS[variant].noun
    return ENDED.format(noun=noun) + TAIL.format(noun=noun, request=asked.request, words=_words(asked.references))


def _words(references: Sequence[str]) -> int:
    """The mean length of the references in words, to the nearest ten."""
    total, count = sum(len(text.split()) for text in references), _ROUND * len(references)
    return max(_ROUND, (2 * total + count) // (2 * count) * _ROUND)


def _output(text: str, budget: Budget) -> int:
    """What a summary takes, a twentieth more, rounded up."""
    return -(-21 * budget.count(text) // (20 * _STEP)) * _STEP


def _draft(
    shown: ShownDocument,
    head: str,
    tail: str,
    asked: _SummaryRequest,
    document: Document,
    slot: Slot,
    output: int,
    costs: Costs,
) -> Draft:
    start, end = len(head), len(shown.prompt) - len(tail)
    inside = [span for span in asked.spans if start + span[1] <= end]
    known = {"evidence_inside": len(inside) == len(asked.spans)} if asked.spans else {}
    return Draft(
        prompt=shown.prompt,
        answers=asked.references,
        complexity=0,
        max_output_tokens=output,
        depths=_depths(shown, head, inside, costs),
        evidence=tuple((start + first, start + last) for first, last in inside),
        facts={
            "variant": slot.item.variant,
            "document": document.id,
            "body": [start, end],
            "body_sha256": hashlib.sha256(shown.prompt[start:end].encode()).hexdigest(),
            "whole_characters": len(document.text),
            "request": asked.request,
            "words": _words(asked.references),
            "key_points": list(asked.key_points),
            "key_points_from": asked.whose,
            "long_summary": asked.long,
            **known,
        },
        next_unit=shown.next_unit,
    )


def _depths(shown: ShownDocument, head: str, spans: Sequence[tuple[int, int]], costs: Costs) -> tuple[float, ...]:
    """Of each span the tokens before its first sentence / all of the document that are shown."""
    totals = [0, *np.cumsum(costs[: len(shown.spans)]).tolist()]
    starts = [begin - len(head) for begin, _ in shown.spans]
    return tuple(round(totals[bisect_right(starts, start) - 1] / shown.filler_tokens, 6) for start, _ in spans)


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise."""
    wording = WORDINGS[variant]
    examples = {"examples": EXAMPLES.format(nouns=wording.nouns), "problem": INTRODUCED.format(noun=wording.noun)}
    return {
        "introduction": wording.introduction,
        **(examples if params.shots else {}),
        "begin": SHOWN.format(noun=wording.noun),
        "end": ENDED.format(noun=wording.noun),
        "request": TAIL.format(noun=wording.noun, request="{request}", words="{words}"),
    }


TASK = Task(
    name="summarization",
    benchmark="helmet",
    paper="HELMET (arXiv:2410.02694), summarization",
    asks="Summarize a long document, of which as much is shown as fits, in about as many words as people took.",
    facts={
        "variant": "the row's variant",
        "document": "the document's id in the source",
        "body": "the code points of the prompt that its shown part takes: [start, end]",
        "body_sha256": "the sha256 of that part",
        "whole_characters": "characters of the whole document",
        "request": "what the summary is asked to tell",
        "words": "the number of words asked for",
        "key_points": "what a good summary tells; a judge looks for each",
        "key_points_from": "who wrote the key points",
        "long_summary": "a longer summary for a judge; empty where there is none",
        "evidence_inside": "whether the part shown tells all key points; of invented documents alone",
    },
    metrics=("judge/summary", "summary_overlap", "rouge_l"),
    sources=("world", "multilexsum", "infbench_sum", "squality", "qmsum", "own"),
    variants={name: Variant(source="world" if name in KINDS else name, solvable=False) for name in WORDINGS},
    params=Params,
    plan_type=Plan | WholeSummaryPlan,
    plan=plan,
    render=render,
    solve=None,
    audit=audit,
    unused=lambda params: None if params.short == "whole" else 0,
    exact=False,
    guesses=guesses,
    settled=lambda params, slot: {"complexity": 0},
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
