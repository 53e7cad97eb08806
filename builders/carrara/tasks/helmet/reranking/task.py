"""Reranking: the ten best of many passages for a question, best first (HELMET, arXiv:2410.02694, section 2.2).

Graded passages are dealt in turn with those of grade 0 (`reranking_deal`) and stand in one of three keyed orders; each
wears a number drawn for the row. The gold ranks up to ten by grade, equal grades as they stand in the prompt; passages
of grade 0 are no part of it.

Differs from the paper: wording is ours; the prompt is filled to the token; passages of the run that nobody judged count
as grade 0, and `facts.counts` tells how many there are; copies of graded passages are left out; of the invented world
the grades can be computed from the prompt, which defines them by names, and a solver does.
Must not change: which passages an item has, their order and their IDs, which depend on the stream, the item and the
run; a shorter row's passages are those of a longer one but for its last units.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from carrara.context import Assembly, corrected
from carrara.errors import BudgetError
from carrara.stream import Permutation, Stream
from carrara.tables import Passage
from carrara.task import Budget, Draft, Inputs, Item, Key, Query, Search, Slot, Task, Variant
from carrara.tasks.helmet.passages import BLANK_LINE, BlockForm, excerpt, holds, is_sound
from carrara.tasks.helmet.reranking.checks import audit, guesses
from carrara.tasks.helmet.reranking.prompt import (
    ANSWER_PREFIX,
    ASK,
    BEST,
    EXAMPLE,
    EXAMPLES,
    FIRST_ID,
    ID_LINE,
    IDS,
    INSTRUCTION,
    JOINT,
    QUESTION,
    RANKED,
    TASK_HEADING,
    TITLE_LINE,
    WORLD_INSTRUCTION,
    PassageDeal,
    fitting,
)
from carrara.tasks.helmet.reranking.solver import solve

ORDERS: Final = 3
_OUTPUT: Final = 256
# Passages of a worked example.
_SHOWN: Final = 4
_FEWEST: Final = 3
# IDs before this one are those of worked examples.
_EXAMPLE_IDS: Final = 100


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set: the number of worked examples, and in how many orders an item's passages come."""

    shots: Literal[0, 2] = 2
    orders: int = ORDERS

    def __post_init__(self) -> None:
        if not 1 <= self.orders <= 16:
            raise ValueError(f"orders = {self.orders}: expected 1 to 16")


@dataclass(frozen=True, slots=True)
class Plan:
    """The item's place in the frozen run, its question, the questions of the worked examples, and the key of the rest.

    `judged`: how many passages of the corpus have each grade.
    """

    variant: str
    item: int
    question_id: str
    question: str
    judged: Mapping[str, int]
    demonstrations: tuple[int, ...]
    key: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's question and worked examples. Raises ValueError where the run lacks either."""
    retrieved = inputs.retrieved(item.task, item.variant)
    if item.index >= len(retrieved.queries):
        raise ValueError(f"the run holds {len(retrieved.queries)} questions, the recipe asks for item {item.index}")
    query, own = retrieved.queries[item.index], stream.child(item.index)
    return Plan(
        variant=item.variant,
        item=item.index,
        question_id=query.question.id,
        question=query.question.text,
        judged=dict(sorted(Counter(map(str, query.grades.values())).items())),
        demonstrations=_examples(query, retrieved.demonstrations, params.shots, own.child("demonstrations")),
        key=own.key,
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The passages that fill the slot's length, in the order of its placement."""
    retrieved = inputs.retrieved(slot.item.task, plan.variant)
    query, key = retrieved.queries[plan.item], Stream(*plan.key)
    numbers = Permutation(key.child("ids", slot.placement), IDS)
    ids = _ids(numbers, 0, len(plan.demonstrations) * _SHOWN)
    head = _head(_instruction(plan.variant), plan.demonstrations, retrieved.demonstrations, ids, key)
    tail = QUESTION.format(question=plan.question) + ASK
    deal = PassageDeal(
        query,
        ranked=lambda count: retrieved.ranked(plan.item, count),
        form=BlockForm(_block),
        ids=lambda count: _ids(numbers, _EXAMPLE_IDS, count),
        budget=budget,
        key=key.child("deal"),
        shown=[passage for number in plan.demonstrations for passage, _ in _shown(number, retrieved.demonstrations)],
    )
    order = key.child("order", slot.placement)
    wanted = slot.length - _OUTPUT
    bare = budget.count(head) + budget.count(tail)

    def lay_out(aim: int) -> _RankingPrompt:
        if (room := aim - bare) <= 0:
            raise BudgetError(
                f"instruction, examples and question take {bare} tokens; the prompt has {aim}",
                "use a larger bucket, or shots = 0",
            )
        return _lay_out(head, tail, deal, order, room)

    return _draft(plan, query, corrected(lay_out, wanted, wanted, budget))


@dataclass(frozen=True, slots=True)
class _RankingPrompt(Assembly):
    """A finished prompt: `passages`, their `ids` and `spans` (of texts, in code points) as they stand, and `body`."""

    passages: tuple[Passage, ...]
    ids: tuple[str, ...]
    body: tuple[int, int]


def _lay_out(head: str, tail: str, deal: PassageDeal, order: Stream, room: int) -> _RankingPrompt:
    dealt = deal.reach(room)
    kept, short = fitting(dealt, room)
    kept.sort(key=lambda number: order.child(dealt.passages[number].id).word())
    parts, spans, at = [head], [], len(head)
    for number in kept:
        passage = dealt.passages[number]
        block = ID_LINE.format(id=dealt.ids[number]) + _block(passage)
        at += len(block)
        spans.append((at - len(BLANK_LINE) - len(passage.text), at - len(BLANK_LINE)))
        parts.append(block)
    tokens = dealt.costs[kept]
    total = int(tokens.sum())
    return _RankingPrompt(
        prompt="".join([*parts, tail]),
        spans=tuple(spans),
        depths=tuple(round(before / total, 6) for before in (np.cumsum(tokens) - tokens).tolist()),
        filler_tokens=total,
        short=short,
        passages=tuple(dealt.passages[number] for number in kept),
        ids=tuple(dealt.ids[number] for number in kept),
        body=(len(head), at),
    )


def _draft(plan: Plan, query: Query, laid: _RankingPrompt) -> Draft:
    """The gold ranks by grade; evidence are the passages of the best grade that stands in the prompt."""
    grades = [max(0, query.grades.get(passage.id, 0)) for passage in laid.passages]
    best = max(grades)
    counts = Counter(str(grade) for grade in grades if grade >= 1)
    counts["0"] = sum(passage.id in query.grades for passage in laid.passages) - sum(counts.values())
    counts["unjudged"] = len(grades) - sum(counts.values())
    # Sorting is stable: equal grades stay as they stand in the prompt. What has no grade ends the gold: its place among
    # the ten says nothing.
    ranking = sorted((number for number in range(len(grades)) if grades[number]), key=lambda number: -grades[number])
    return Draft(
        prompt=laid.prompt,
        answers=(JOINT.join(laid.ids[number] for number in ranking[:BEST]),),
        complexity=0,
        max_output_tokens=_OUTPUT,
        depths=tuple(depth for depth, grade in zip(laid.depths, grades, strict=True) if grade == best),
        evidence=tuple(span for span, grade in zip(laid.spans, grades, strict=True) if grade == best),
        facts={
            "question": plan.question,
            "question_id": plan.question_id,
            "accepted": list(dict.fromkeys(name for names in query.question.answers for name in names)),
            "grades": {id_: grade for id_, grade in zip(laid.ids, grades, strict=True) if grade >= 1},
            "passages": {
                id_: passage.id
                for id_, passage, grade in zip(laid.ids, laid.passages, grades, strict=True)
                if grade >= 1
            },
            "counts": dict(sorted(counts.items())),
            "body": list(laid.body),
        },
    )


def _block(passage: Passage) -> str:
    return (TITLE_LINE.format(title=passage.title) if passage.title else "") + passage.text + BLANK_LINE


def _ids(numbers: Permutation, start: int, count: int) -> list[str]:
    return [str(FIRST_ID + number) for number in numbers.take(np.arange(start, start + count)).tolist()]


# --- worked examples --------------------------------------------------------------------------------------------------


def _examples(query: Query, pool: Sequence[Query], shots: int, key: Stream) -> tuple[int, ...]:
    """The first of the pool, in an order by key, that can be shown and say nothing of the item's answer."""
    names = [name for group in query.question.answers for name in group]
    chosen: list[int] = []
    used = set(query.grades)
    for number in key.order(len(pool)).tolist():
        if len(chosen) == shots:
            break
        shown = _shown(number, pool)
        said = "\n".join([pool[number].question.text, *(f"{passage.title}\n{passage.text}" for passage, _ in shown)])
        fair = pool[number].question.text != query.question.text and not holds(said, names)
        if len(shown) >= _FEWEST and fair and not any(passage.id in used for passage, _ in shown):
            chosen.append(number)
            used |= {passage.id for passage, _ in shown}
    if len(chosen) < shots:
        raise ValueError(f"{len(chosen)} of {len(pool)} demonstrations can be shown with question {query.question.id}")
    return tuple(chosen)


def _shown(number: int, pool: Sequence[Query]) -> list[tuple[Passage, int]]:
    """A short passage of every grade, the best first; the next question's best one where none was judged 0."""
    query = pool[number]
    graded = [
        (passage, query.grades[passage.id])
        for passage in query.gold
        if passage.id in query.grades and is_sound(passage)
    ]
    if not any(grade == 0 for _, grade in graded):
        following = [passage for other in (*pool[number + 1 :], *pool[:number]) for passage in other.gold[:1]]
        graded += [(passage, 0) for passage in following if passage.id not in query.grades and is_sound(passage)][:1]
    shown: list[tuple[Passage, int]] = []
    # What ties a passage to the question: the answer, and whom those that state it are about.
    names = [name for group in query.question.answers for name in group]
    names += [passage.title for passage, grade in graded if grade >= 2]
    for grade in sorted({grade for _, grade in graded}, reverse=True)[:_SHOWN]:
        shortest = min(
            (passage for passage, other in graded if other == grade),
            key=lambda passage: (len(passage.text), passage.id),
        )
        shown.append((excerpt(shortest, query.question.evidence if grade >= 2 else (), names), grade))
    return shown


def _instruction(variant: str) -> str:
    return WORLD_INSTRUCTION if variant == "world" else INSTRUCTION


def _head(instruction: str, examples: Sequence[int], pool: Sequence[Query], ids: Sequence[str], key: Stream) -> str:
    if not examples:
        return instruction + TASK_HEADING
    parts = [instruction, EXAMPLES]
    for number, example in enumerate(examples):
        shown = _shown(example, pool)
        mine = ids[number * _SHOWN : number * _SHOWN + len(shown)]
        parts.append(EXAMPLE.format(number=number + 1))
        for index in key.child("example", number).order(len(shown)).tolist():
            parts.append(ID_LINE.format(id=mine[index]) + _block(shown[index][0]))
        # One passage of each grade, the best first.
        parts.append(QUESTION.format(question=pool[example].question.text) + RANKED.format(ranking=JOINT.join(mine)))
    return "".join([*parts, TASK_HEADING])


def _orders(params: Params) -> int:
    return params.orders


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise."""
    examples = {"examples": EXAMPLES, "example": EXAMPLE, "problem": TASK_HEADING} if params.shots else {}
    return {"introduction": _instruction(variant), **examples, "question": QUESTION, "request": ASK}


TASK = Task(
    name="reranking",
    benchmark="helmet",
    paper="HELMET (arXiv:2410.02694), section 2.2",
    asks="Rank the passages of a long list by how well they answer a question, and name the ten best.",
    facts={
        "question": "the question",
        "question_id": "its id in the source",
        "accepted": "the names that answer it",
        "grades": "relevance by the passage's number in the prompt, of those above 0",
        "passages": "their ids in the source",
        "counts": "passages of each grade",
        "body": "the code points of the prompt that the passages take: [start, end]",
    },
    metrics=("ndcg@10", "ndcg@10/paper", "ndcg@1/paper", "mrr/paper"),
    sources=("world", "msmarco", "own"),
    # Of real topics people gave the grades.
    variants={
        "msmarco": Variant(source="msmarco", solvable=False, search=Search(judged=True), placements=_orders),
        "world": Variant(source="world", search=Search("one_hop", judged=True), placements=_orders),
        "own": Variant(source="own", solvable=False, search=Search(judged=True), placements=_orders),
    },
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    guesses=guesses,
    settled=lambda params, slot: {"complexity": 0, "max_output_tokens": _OUTPUT},
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
