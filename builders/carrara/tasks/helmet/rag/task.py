"""Retrieval-augmented generation: a question among the passages that a search found for it (HELMET, arXiv:2410.02694).

A row has the passages that answer the question (one, or two of which one leads to the other) and the best other
passages without an accepted answer. A single gold passage stands at six positions, from first to last, among the
others in search order; two golds and the rest stand in keyed orders.

Differs from the paper: wording is ours. No other passage contains an accepted answer in any of its names and
spellings, and an independent audit proves it. The passages fill the prompt to the token. The demonstrations, drawn by
key, contain no answer of the item. A solver answers the world's questions from the text.
Of `world_latent` question and gold share no word but those without content (`world/latent.py`): the gold is a passage
of one sentence, others of its forms stand among the world's passages, one for every `LATENT_TOKENS`, in keyed orders.
Must not change: what a plan draws, which ranks a length takes, where a gold stands.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from carrara.errors import SourceError
from carrara.stream import Draws, Permutation, Stream
from carrara.tables import Passage, Question
from carrara.task import Budget, Draft, Finding, Inputs, Item, Key, Query, Search, Slot, Task, Variant
from carrara.tasks.helmet.passages import BlockForm, PassageListing, PassageSupply, fit
from carrara.tasks.helmet.rag.checks import audit_row, guesses
from carrara.tasks.helmet.rag.solver import (
    ANSWER_PREFIX,
    EXAMPLE,
    EXAMPLES,
    INTRODUCTION,
    PASSAGES,
    TAIL,
    TITLED,
    UNTITLED,
    solve_world,
)
from carrara.world import latent

OUTPUT: Final = 64
MOST_PLACEMENTS: Final = 64
# Variants whose questions have two golds.
TWO_GOLDS: Final = ("hotpotqa", "world_two_hop")
# The variant whose question and gold share no word with content; tokens of a prompt for each decoy of it.
LATENT: Final = "world_latent"
LATENT_TOKENS: Final = 256
# A million tokens take 3,907 decoys.
_DECOYS_PER_ITEM: Final = 4_096


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set: demonstrations, and the rows of an item.

    `positions` of one gold passage, evenly from first to last; `orders` of two and the rest.
    """

    shots: Literal[0, 2] = 2
    positions: int = 6
    orders: int = 3

    def __post_init__(self) -> None:
        if self.shots not in (0, 2):
            raise ValueError(f"shots = {self.shots}: expected 0 or 2")
        for name, count in (("positions", self.positions), ("orders", self.orders)):
            if not 1 <= count <= MOST_PLACEMENTS:
                raise ValueError(f"{name} = {count}: expected 1 to {MOST_PLACEMENTS}")


@dataclass(frozen=True, slots=True)
class Plan:
    """The question, the passages that answer it (the last holds the answer) and the numbers of its demonstrations."""

    id: str
    question: str
    gold: tuple[str, ...]
    demonstrations: tuple[int, ...]
    placements: int
    orders: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's question and demonstrations. Raises SourceError if the run has none for it."""
    retrieved, own = inputs.retrieved(item.task, item.variant), stream.child(item.index)
    if item.index >= len(retrieved.queries):
        raise SourceError(
            f"{item.task}_{item.variant} has {len(retrieved.queries)} questions, the recipe asks for item {item.index}",
            "ask for fewer questions, or retrieve for more",
        )
    query = retrieved.queries[item.index]
    if item.variant == LATENT:
        query = _latent(item.index, stream)
    names = [_letters(name) for name in _accepted(query.question)]
    gold = sorted(query.gold, key=lambda passage: any(name in _letters(_block(passage)) for name in names))
    return Plan(
        id=query.question.id,
        question=query.question.text,
        gold=tuple(passage.id for passage in gold),
        demonstrations=_demonstrations(
            query, retrieved.demonstrations, names, params.shots, own.child("demonstrations")
        ),
        placements=_placements(item.variant)(params),
        orders=(*own.key, "orders"),
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The passages that fill the slot's length, gold at the slot's position or all in its order."""
    retrieved = inputs.retrieved(slot.item.task, slot.item.variant)
    query = retrieved.queries[slot.item.index]
    decoys: list[Passage] = []
    if slot.item.variant == LATENT:
        stream = Stream(*plan.orders[:-2])
        query = _latent(slot.item.index, stream)
        decoys = _decoys(slot.item.index, stream, slot.length // LATENT_TOKENS)
    passages = {passage.id: passage for passage in query.gold}
    if query.question.id != plan.id or set(passages) != set(plan.gold):
        raise ValueError(f"the run asks {query.question.id} of item {slot.item.index}, the plan {plan.id}")
    gold = [passages[id_] for id_ in plan.gold]
    shown = [retrieved.demonstrations[number] for number in plan.demonstrations]
    supply = PassageSupply(
        lambda count: retrieved.ranked(slot.item.index, count),
        BlockForm(_block),
        budget,
        without={passage.id for each_query in (*shown, query) for passage in each_query.gold},
    )

    def arrange(taken: Sequence[Passage], placed: Sequence[Passage]) -> Sequence[Passage]:
        if len(placed) > 1:
            orders = Stream(*plan.orders, slot.placement)
            return sorted((*placed, *taken), key=lambda passage: orders.child(passage.id).word())
        position = _place(slot.placement, plan.placements, len(taken) + 1)
        return [*taken[:position], *placed, *taken[position:]]

    tail = TAIL.format(question=plan.question)
    laid = fit(_head(shown), tail, supply, [*gold, *decoys], arrange, slot.length - OUTPUT, budget)
    return _draft(laid, plan, slot, query)


def solve(prompt: str) -> tuple[str, ...]:
    """The answer to a question of the world in every spelling; () unless the passages give exactly one."""
    return solve_world(prompt)


def audit(draft: Draft) -> Iterator[Finding]:
    """Check that only the golds contain the answer, and that they stand at their positions."""
    yield from audit_row(draft)


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise; every variant has the same."""
    examples = {"examples": EXAMPLES} if params.shots else {}
    return {"introduction": INTRODUCTION, **examples, "passages": PASSAGES, "request": TAIL}


# --- plan -------------------------------------------------------------------------------------------------------------


def _accepted(question: Question) -> tuple[str, ...]:
    """Every accepted name with its other spellings, each once, without those that have no letter or digit (emoji)."""
    names = (name for group in question.answers for name in group if any(map(str.isalnum, name)))
    return tuple(dict.fromkeys(form for name in names for form in spellings(name)))


def spellings(name: str) -> Iterator[str]:
    """A name, a number without its commas, a day as Americans write it."""
    yield name
    if re.fullmatch(r"\d{1,3}(,\d{3})+", name):
        yield name.replace(",", "")
    parts = name.split(" ")
    if len(parts) == 3 and parts[0].isdecimal() and parts[1].istitle() and parts[2].isdecimal():
        yield f"{parts[1]} {parts[0]}, {parts[2]}"


def _letters(text: str) -> str:
    """Letters and digits alone, without accents and case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text))).casefold()


def _demonstrations(
    query: Query, pool: Sequence[Query], names: Sequence[str], shots: int, stream: Stream
) -> tuple[int, ...]:
    """The first demonstrations in a keyed order that contain neither an answer nor a gold passage of the item."""
    gold = {passage.id for passage in query.gold}
    chosen: list[int] = []
    # A name of one letter or digit would be in every text.
    names = [name for name in names if len(name) > 1]
    for number in stream.order(len(pool)).tolist() if shots else ():
        candidate = pool[number]
        parts = [
            candidate.question.text,
            *_accepted(candidate.question),
            *(f"{each.title} {each.text}" for each in candidate.gold),
        ]
        held = _letters(" ".join(parts))
        if (
            candidate.gold
            and not gold & {each.id for each in candidate.gold}
            and not any(name in held for name in names)
        ):
            chosen.append(number)
            if len(chosen) == shots:
                return tuple(chosen)
    if shots:
        raise SourceError(
            f"{len(chosen)} of {len(pool)} demonstrations hold no answer to {query.question.id}, expected {shots}",
            "retrieve with more demonstrations, or set shots = 0",
        )
    return ()


def _latent(item: int, stream: Stream) -> Query:
    """The latent question of an item and its passage; `stream` is the variant's."""
    draws = Draws(stream.child(item, "latent"))
    name = latent.name(Permutation(stream.child("names"), latent.names("en"))[item], "en")
    said = latent.drawn("en", draws, name)
    question = Question(f"latent/{item}", "latent", latent.question("en", said), ((name,),))
    return Query(question, (_told(f"latent/{item}/gold", said, draws),))


def _decoys(item: int, stream: Stream, count: int) -> list[Passage]:
    """`count` passages of the gold's forms, of which none fits the question; more of them begin with the same."""
    draws = Draws(stream.child(item, "latent"))
    needle = latent.drawn("en", draws, "")
    draws = Draws(stream.child(item, "decoys"))
    # Names are counted from the end, so many to an item: no gold has them.
    names = Permutation(stream.child("names"), latent.names("en"))
    numbers = latent.names("en") - 1 - (np.arange(count) + item * _DECOYS_PER_ITEM) % latent.names("en")
    return [
        _told(f"latent/{item}/{number}", latent.decoy("en", needle, number, draws, latent.name(name, "en")), draws)
        for number, name in enumerate(names.take(numbers).tolist())
    ]


def _told(id_: str, said: latent.LatentSentence, draws: Draws) -> Passage:
    return Passage(id_, said.name, latent.sentence("en", said, draws.below(len(latent.NEEDLES["en"]))))


# --- render -----------------------------------------------------------------------------------------------------------


def _block(passage: Passage) -> str:
    if not passage.title:
        return UNTITLED.format(text=passage.text)
    return TITLED.format(title=passage.title, text=passage.text)


def _head(shown: Sequence[Query]) -> str:
    examples = [
        EXAMPLE.format(
            number=number,
            passages="".join(map(_block, example.gold)),
            question=example.question.text,
            answer=_accepted(example.question)[0],
        )
        for number, example in enumerate(shown, 1)
    ]
    return "".join([INTRODUCTION, *([EXAMPLES] if shown else ()), *examples, PASSAGES])


def _place(position: int, positions: int, count: int) -> int:
    """The index of the gold among `count` passages: position / (positions - 1) of the way, rounded."""
    return (2 * position * (count - 1) + positions - 1) // (2 * (positions - 1)) if positions > 1 else count // 2


def _draft(laid: PassageListing, plan: Plan, slot: Slot, query: Query) -> Draft:
    places = [laid.place[id_] for id_ in plan.gold]
    is_world = slot.item.variant.startswith("world")
    accepted = _accepted(query.question)
    return Draft(
        prompt=laid.prompt,
        answers=tuple(spellings(_written(query, plan.gold[-1]))) if is_world else accepted,
        complexity=len(plan.gold),
        max_output_tokens=OUTPUT,
        depths=tuple(laid.depths[index] for index in places),
        evidence=tuple(laid.spans[index] for index in places),
        facts={
            "question": plan.question,
            "question_id": plan.id,
            "accepted": list(accepted),
            "gold": list(plan.gold),
            "gold_sha256": [_sha256(laid.passages[index].text) for index in places],
            "position": [slot.placement, plan.placements],
            "passages": len(laid.passages),
            "body": list(laid.body),
            "world": is_world,
        },
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _written(query: Query, last: str) -> str:
    """The answer as the last gold passage writes it: in its evidence, or anywhere in it."""
    (passage,) = (candidate for candidate in query.gold if candidate.id == last)
    names = _accepted(query.question)
    stated = [
        passage.text[evidence.start : evidence.end] for evidence in query.question.evidence if evidence.passage == last
    ]
    texts = [text for text in stated if text in names] + [name for name in names if name in _block(passage)]
    return texts[0] if texts else names[0]


def _positions(params: Params) -> int:
    return params.positions


def _orders(params: Params) -> int:
    return params.orders


def _placements(variant: str) -> Callable[[Params], int]:
    """Rows of an item: several orders with two golds or with decoys, several positions with one gold."""
    return _orders if variant in (*TWO_GOLDS, LATENT) else _positions


def _real(source: str, hops: int | None = None, popularity: int | None = None) -> Variant:
    """A variant of questions that people asked and answered, over the passages of Wikipedia."""
    return Variant(
        source=source,
        solvable=False,
        search=Search("", hops, popularity, "wikipedia_passages", places_gold=True),
        placements=_placements(source),
    )


TASK = Task(
    name="rag",
    benchmark="helmet",
    paper="HELMET (arXiv:2410.02694), retrieval-augmented generation",
    asks="Answer a question from the one or two passages that decide it, among as many as a search finds next to them.",
    facts={
        "question": "the question",
        "question_id": "its id in the source",
        "accepted": "the answers that count, aliases included",
        "gold": "ids of the gold passages in the source",
        "gold_sha256": "the sha256 of their texts",
        "position": "[which, of how many] positions the gold has in this row, from 0",
        "passages": "passages in the prompt",
        "body": "the code points of the prompt that they take: [start, end]",
        "world": "whether the passages are of the invented world",
    },
    metrics=("subem", "subem/paper", "em/paper", "f1/paper"),
    sources=("world", "nq", "triviaqa", "popqa", "hotpotqa", "own"),
    variants={
        "nq": _real("nq"),
        "triviaqa": _real("triviaqa"),
        "popqa": _real("popqa", popularity=1_000),
        "hotpotqa": _real("hotpotqa", hops=2),
        "world": Variant(source="world", search=Search("one_hop", places_gold=True), placements=_positions),
        "world_two_hop": Variant(source="world", search=Search("bridge", 2, places_gold=True), placements=_orders),
        LATENT: Variant(source="world", search=Search("one_hop", places_gold=True), placements=_orders),
        "own": Variant(source="own", solvable=False, search=Search(places_gold=True), placements=_positions),
    },
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    guesses=guesses,
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
