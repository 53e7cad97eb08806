"""Questions among documents (RULER's QA, arXiv:2404.06654, section 3): qa_squad, qa_hotpotqa and, invented, qa_world.

The one document that answers a question, or the two of which one leads to the other, stand among others of the same
source in a keyed order, as many as fill the row. Nothing is searched for: the others are any that hold no accepted
answer. The document with the answer stands evenly over items from first to last, the one that leads to it anywhere.

Differs from the paper: wording is ours; documents carry their titles; no other document, no part of the instruction and
not the question holds an accepted answer by any of its names, which an audit of other making proves; questions whose
answer is yes, no, of one or two characters or nothing at all are left out, and the item takes the next one; documents
fill the row to the token and never stand twice; qa_world is answered by a solver that reads the prompt alone.

Must not change without a major version: what a plan draws, which documents a length takes, where a gold stands.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from carrara.errors import BudgetError, SourceError
from carrara.stream import WORD_RANGE, Stream
from carrara.tables import Passage
from carrara.task import Budget, Draft, Inputs, Item, Key, Slot
from carrara.tasks.helmet.passages import BlockForm, PassageListing, PassageSupply, fit
from carrara.tasks.helmet.rag.task import spellings
from carrara.tasks.helmet.synthetic_recall.kind import OUTPUT, Params, RecallKind
from carrara.tasks.helmet.synthetic_recall.prompt import (
    DOCUMENT_NUMBER,
    DOCUMENTS_INTRODUCTION,
    DOCUMENTS_TAIL,
    TITLED,
    UNTITLED,
)
from carrara.tasks.helmet.synthetic_recall.questions_corpus import corpus_of, ranking
from carrara.tasks.helmet.synthetic_recall.questions_solver import audit, guesses, solve

# The kind of question that a variant asks the tables for; "" for the only kind that a real source has.
KIND_OF: Final = {"qa_squad": "", "qa_hotpotqa": "", "qa_world": "one_hop"}
_PARTS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """The question, the passages that answer it, the last with the answer, and where among the others they stand.

    `answers`: what counts as right; `accepted`: these and the other names that no other passage may hold. `depths`, of
    each gold, from 0 (before all others) to below 1. `stated`: every passage that states the answer.
    """

    kind: Literal["questions"]
    id: str
    question: str
    answers: tuple[str, ...]
    accepted: tuple[str, ...]
    gold: tuple[str, ...]
    stated: tuple[str, ...]
    depths: tuple[float, ...]
    order: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's question. Raises SourceError where the source has none left for it."""
    corpus, own = corpus_of(inputs.tables, KIND_OF[item.variant]), stream.child(item.index)
    question = corpus.question(item.index, stream.child("questions"))
    if question is None:
        raise SourceError(
            f"{item.task}_{item.variant} has fewer than {item.index + 1} questions with one answer that says something",
            "ask for fewer questions, or bring a larger part of the dataset",
        )
    stated = corpus.golds(question)
    is_world = item.variant == "qa_world"
    # Of the world's passages each that states the relation asked is enough.
    gold = [own.child("gold").choice(stated)] if is_world else stated
    (names,) = question.answers
    accepted = tuple(dict.fromkeys(form for name in names for form in spellings(name)))
    depths = [own.child("depth", step).word() / WORD_RANGE for step in range(len(gold) - 1)]
    depths.append(stream.child("depths").even(item.index))
    return Plan(
        kind="questions",
        id=question.id,
        question=question.text,
        # The world's passages write the first name; a solver reads that one.
        answers=tuple(spellings(names[0])) if is_world else accepted,
        accepted=accepted,
        gold=tuple(gold),
        stated=tuple(stated),
        depths=tuple(int(depth * _PARTS) / _PARTS for depth in depths),
        order=(*own.key, "order"),
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The documents that fill the slot's length. Raises BudgetError that says how much a source lacks."""
    corpus = corpus_of(inputs.tables, KIND_OF[slot.item.variant])
    supply = PassageSupply(
        ranking(corpus, plan.accepted, plan.order),
        BlockForm(_block, number=lambda index: DOCUMENT_NUMBER.format(number=index + 1)),
        budget,
        without=plan.stated,
    )

    def arrange(taken: Sequence[Passage], placed: Sequence[Passage]) -> Sequence[Passage]:
        arranged = list(taken)
        for depth, gold in sorted(zip(plan.depths, placed, strict=True), key=lambda pair: pair[0], reverse=True):
            arranged.insert(int(depth * (len(taken) + 1)), gold)
        return arranged

    golds = [corpus.passage(id_) for id_ in plan.gold]
    tail, wanted = DOCUMENTS_TAIL.format(question=plan.question), slot.length - OUTPUT
    try:
        laid = fit(DOCUMENTS_INTRODUCTION, tail, supply, golds, arrange, wanted, budget)
    except BudgetError as error:
        missing = wanted - int(supply.costs.sum())
        if not supply.passages or missing <= 0:
            raise
        raise BudgetError(
            f"{len(supply.passages)} passages of the source hold no answer to {plan.id} and take {wanted - missing} "
            f"tokens; the prompt has {wanted}: about {missing} are missing",
            "use a smaller bucket, or bring a larger part of the dataset",
        ) from error
    return _draft(laid, plan, slot)


def _block(passage: Passage) -> str:
    if not passage.title:
        return UNTITLED.format(text=passage.text)
    return TITLED.format(title=passage.title, text=passage.text)


def _draft(laid: PassageListing, plan: Plan, slot: Slot) -> Draft:
    places = [laid.place[id_] for id_ in plan.gold]
    return Draft(
        prompt=laid.prompt,
        answers=plan.answers,
        complexity=len(plan.gold),
        max_output_tokens=OUTPUT,
        depths=tuple(laid.depths[index] for index in places),
        evidence=tuple(laid.spans[index] for index in places),
        facts={
            "variant": slot.item.variant,
            "question": plan.question,
            "question_id": plan.id,
            "accepted": list(plan.accepted),
            "gold": list(plan.gold),
            "gold_sha256": [hashlib.sha256(laid.passages[index].text.encode()).hexdigest() for index in places],
            "wanted_depths": list(plan.depths),
            "passages": len(laid.passages),
            "body": list(laid.body),
        },
    )


KIND: Final = RecallKind(plan_type=Plan, plan=plan, render=render, solve=solve, audit=audit, guesses=guesses)
