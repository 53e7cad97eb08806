"""NIAH: needles with one wording in a haystack, asked for by key (RULER, arXiv:2404.06654, section 3.1).

A needle states the value that a register lists under a key. Keys are names of two words or UUIDs, values are numbers of
seven digits or UUIDs; the haystack is a repeated phrase, prose, or only needles with other keys. `SHAPES` lists the
variants.

Differences from the paper: within a row no key equals or contains another, and no value repeats; the same needles have
the same depths at every length, and each length is filled to the token; the needles of one key or one question are
spread over the text. Must not change: the needles, depths and other lines of an item.
"""

from dataclasses import dataclass
from typing import Final, Literal

from carrara.context import Assembly, Frame, Piece, assemble, corrected
from carrara.stream import Stream
from carrara.task import Budget, Draft, Inputs, Item, Key, Slot
from carrara.tasks.helmet.synthetic_recall.kind import OUTPUT, Params, RecallKind
from carrara.tasks.helmet.synthetic_recall.needles_hay import Register, RepeatedPhrase, drawn
from carrara.tasks.helmet.synthetic_recall.needles_solver import audit, guesses, solve
from carrara.tasks.helmet.synthetic_recall.prompt import (
    HAY_BEGIN,
    HAY_END,
    HEADS,
    HINTED,
    JOINT,
    KEY_NOUN,
    LAST_JOINT,
    NEEDLE,
    QUESTIONS,
    SHAPES,
    VALUE,
    answer_list,
)

# Needles of item i have numbers from i * PER_ITEM on: no two of the first 8,000 items share a key.
PER_ITEM: Final = 32
# The n needles of one question stand one in each n-th of the text, over items evenly at each of so many places of it.
_PLACES: Final = 20


@dataclass(frozen=True, slots=True)
class Needle:
    """A key and its value, and their depth in the text: 0 is before all filler, 1 after it."""

    key: str
    value: str
    depth: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The needles in order, the indices of those asked for, in the order of the question, and the filler's key.

    `hint`: whether the prompt says that needles are hidden.
    """

    kind: Literal["niah"]
    variant: str
    needles: tuple[Needle, ...]
    asked: tuple[int, ...]
    filler: Key
    hint: bool


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """Draw the item's needles, which do not depend on the length."""
    shape, own = SHAPES[item.variant], stream.child(item.index)
    first_depth = round(stream.child("depth").even(item.index), 6)
    if shape.asks == "all":
        count, keys = params.values, 1
    elif shape.asks == "each":
        count = keys = params.queries
    else:
        count = keys = 1 + (params.distractors if item.variant == "niah_multikey_1" else 0)
    names = drawn(stream.child("keys"), shape.keys, item.index * PER_ITEM, keys)
    values = drawn(stream.child("values"), shape.values, item.index * PER_ITEM, count)
    if shape.asks == "one":
        depths = [first_depth, *(own.child("depth", number).below(1_000_000) / 1_000_000 for number in range(1, count))]
    else:
        depths = [_spread(stream, item.index, number, count) for number in range(count)]
    made = [Needle(names[number % keys], values[number], depths[number]) for number in range(count)]
    order = sorted(range(count), key=lambda number: (depths[number], number))
    asked = [0] if shape.asks == "one" else list(range(count))
    if shape.asks == "each":
        asked = own.child("asked").shuffled(asked)
    return Plan(
        kind="niah",
        variant=item.variant,
        needles=tuple(made[number] for number in order),
        asked=tuple(order.index(number) for number in asked),
        filler=(*stream.key, item.index, "filler"),
        hint=params.hint,
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """Write the needles at their depths into a haystack that fills the slot's length to the token."""
    shape = SHAPES[plan.variant]
    value, key = VALUE[shape.values], KEY_NOUN[shape.keys]
    keys = list(dict.fromkeys(plan.needles[number].key for number in plan.asked))
    heads = HINTED if plan.hint else HEADS
    head = heads[shape.hay].format(value=value, key=key) + HAY_BEGIN[shape.hay]
    tail = HAY_END[shape.hay] + QUESTIONS[shape.asks].format(value=value, form=value.upper(), keys=_listed(keys))
    asked = [plan.needles[number] for number in plan.asked]
    output = max(OUTPUT, -(-budget.count(answer_list([needle.value for needle in asked])) * 21 // 20))
    laid = _lay_out(plan, head, tail, slot.length - output, inputs, budget)
    return Draft(
        prompt=laid.prompt,
        answers=tuple(needle.value for needle in asked),
        complexity=1,
        max_output_tokens=output,
        depths=tuple(laid.depths[number] for number in plan.asked),
        evidence=tuple(laid.spans[number] for number in plan.asked),
        facts={
            "variant": plan.variant,
            "asked": keys,
            "values": len(asked) // len(keys),
            "needles": [[needle.key, needle.value, needle.depth] for needle in plan.needles],
        },
    )


def _lay_out(plan: Plan, head: str, tail: str, wanted: int, inputs: Inputs, budget: Budget) -> Assembly:
    shape = SHAPES[plan.variant]
    sentences = [NEEDLE.format(key=needle.key, value=needle.value) for needle in plan.needles]
    if shape.hay == "needles":
        own = [(needle.key, needle.value) for needle in plan.needles]
        register = Register(Stream(*plan.filler), shape.keys, shape.values, own, budget)
        line, depth = f"{sentences[0]}\n", plan.needles[0].depth
        fixed = sum(budget.count(text) for text in (head, line, tail))
        return corrected(lambda aim: register.lay_out(head, line, tail, depth, fixed, aim), wanted, wanted, budget)
    pieces = [Piece(text, needle.depth) for text, needle in zip(sentences, plan.needles, strict=True)]
    frame = Frame(head, tail, "space")
    if shape.hay == "phrase":
        return assemble(frame, RepeatedPhrase(wanted, budget), pieces, wanted, budget)
    return assemble(frame, inputs.haystack("en", Stream(*plan.filler), wanted, False), pieces, wanted, budget)


def _spread(stream: Stream, item: int, number: int, count: int) -> float:
    """The depth of needle `number` of `count`: in its own n-th of the text, evenly over items."""
    step = stream.child("depth", number).balanced(range(_PLACES), item)
    return round((number + (step + 0.5) / _PLACES) / count, 6)


def _listed(keys: list[str]) -> str:
    return LAST_JOINT.join(filter(None, (JOINT.join(keys[:-1]), keys[-1])))


KIND: Final = RecallKind(plan_type=Plan, plan=plan, render=render, solve=solve, audit=audit, guesses=guesses)
