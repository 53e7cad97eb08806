"""json_kv: the value of one key in a long JSON object of UUIDs (HELMET, arXiv:2410.02694, synthetic recall).

Pair j of the filler is a function of the item's key and j; the asked pair is the item's own and stands at place
round(j (n - 1) / (positions - 1)) of the n pairs that a row holds, in a row for every j. Two short objects with their
answers come first.

Differs from the paper: no key and no value stands twice (of the published rows of a million tokens 0.9 % repeat a key);
every length is filled to the token. Must not change: the asked pair, the examples and pair j of an item.
"""

from dataclasses import dataclass
from typing import Final, Literal

from carrara.context import Assembly, corrected, fill
from carrara.errors import BudgetError, RecipeError
from carrara.stream import Stream
from carrara.task import Budget, Draft, Inputs, Item, Key, Slot
from carrara.tasks.helmet.synthetic_recall.filler import CountedUnits, uuids
from carrara.tasks.helmet.synthetic_recall.kind import OUTPUT, Params, RecallKind
from carrara.tasks.helmet.synthetic_recall.pairs_solver import audit, guesses, solve
from carrara.tasks.helmet.synthetic_recall.prompt import (
    CLOSE,
    EXAMPLE,
    EXAMPLES,
    OBJECT,
    OBJECT_INTRODUCTION,
    OPEN,
    PAIR,
    TAIL,
)

# Pairs of an example's object.
EXAMPLE_PAIRS: Final = 4
# Pairs have nearly one length: a gap between what four and what five of them cost is passed by taking more.
_FURTHER: Final = 16


@dataclass(frozen=True, slots=True)
class KeyValue:
    """A key and its value."""

    key: str
    value: str

    def line(self) -> str:
        """The pair as it stands in an object."""
        return PAIR.format(key=self.key, value=self.value)


@dataclass(frozen=True, slots=True)
class Example:
    """A short object and which of its pairs is asked."""

    pairs: tuple[KeyValue, ...]
    asked: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The asked pair, the examples and the key of all other pairs.

    `positions` rows have the asked pair at even places; where there is one, it stands at `even_depth`.
    """

    kind: Literal["json_kv"]
    asked: KeyValue
    examples: tuple[Example, ...]
    positions: int
    even_depth: float
    pairs: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's pair and examples; how many other pairs there are is the length's affair."""
    if params.shots == 1:
        raise RecipeError("shots = 1 with json_kv", "expected 0 or 2; give vt and cwe a cell of their own")
    own = stream.child(item.index)
    (asked,) = _pairs(own.child("asked"), 0, 1)
    # Two examples ask for pairs at different places.
    places = own.child("example places").sample(range(EXAMPLE_PAIRS), params.shots)
    examples = tuple(
        Example(tuple(_pairs(own.child("example", number), 0, EXAMPLE_PAIRS)), position)
        for number, position in enumerate(places)
    )
    key = (*stream.key, item.index, "pairs")
    depth = round(stream.child("depth").even(item.index), 6)
    return Plan("json_kv", asked, examples, params.positions, depth, key)


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The object of the most pairs that fit the slot's length to the token."""
    head, tail = _head(plan) + OPEN, CLOSE + TAIL.format(key=plan.asked.key)
    filler = CountedUnits(lambda start, count: _lines(Stream(*plan.pairs), start, count), budget.count_many)
    line = plan.asked.line()
    # The last pair loses its comma: its quotation mark then stands with what closes the object.
    fixed = budget.count(head) + budget.count(line) + budget.count(f'"{tail}') - budget.count('",\n')
    wanted = slot.length - OUTPUT
    if fixed > wanted:
        raise BudgetError(
            f"the examples, the asked pair and the question take {fixed} tokens; the prompt has {wanted}",
            "use a larger bucket",
        )

    def lay_out(aim: int) -> Assembly:
        filler.reach(aim - fixed)
        filling = fill(filler.costs, aim - fixed, further=_FURTHER)
        lines = [filler.texts[index] for index in filling.kept]
        position = _place(plan, slot.placement, len(lines))
        start = len(head) + sum(map(len, lines[:position]))
        lines.insert(position, line)
        prompt = head + "".join(lines).removesuffix(",\n") + tail
        span = (start, start + len(line) - len(",\n"))
        depth = round(position / (len(lines) - 1), 6) if len(lines) > 1 else 0.0
        return Assembly(prompt, (span,), (depth,), filling.tokens, aim - fixed - filling.tokens)

    laid = corrected(lay_out, wanted, wanted, budget)
    return Draft(
        prompt=laid.prompt,
        answers=(plan.asked.value,),
        complexity=1,
        max_output_tokens=OUTPUT,
        depths=laid.depths,
        evidence=laid.spans,
        facts={
            "variant": plan.kind,
            "key": plan.asked.key,
            "position": [slot.placement, plan.positions],
            "depth": plan.even_depth if plan.positions == 1 else None,
            "shots": len(plan.examples),
        },
    )


def _place(plan: Plan, placement: int, last: int) -> int:
    """The place of the asked pair among `last` + 1, as an integer rounded half up."""
    if plan.positions == 1:
        return int(plan.even_depth * last + 0.5)
    steps = plan.positions - 1
    return (2 * placement * last + steps) // (2 * steps)


def _head(plan: Plan) -> str:
    parts = [OBJECT_INTRODUCTION]
    for number, example in enumerate(plan.examples, 1):
        shown = OPEN + "".join(pair.line() for pair in example.pairs).removesuffix(",\n") + CLOSE
        asked = example.pairs[example.asked]
        parts.append(EXAMPLE.format(number=number, shown=shown, key=asked.key, value=asked.value))
    return "".join([*parts[:1], *([EXAMPLES] if plan.examples else []), *parts[1:], OBJECT])


def _pairs(stream: Stream, start: int, count: int) -> list[KeyValue]:
    keys, values = (uuids(stream.child(column), start, count) for column in ("keys", "values"))
    return [KeyValue(key, value) for key, value in zip(keys, values, strict=True)]


def _lines(stream: Stream, start: int, count: int) -> list[str]:
    return [pair.line() for pair in _pairs(stream, start, count)]


KIND: Final = RecallKind(plan_type=Plan, plan=plan, render=render, solve=solve, audit=audit, guesses=guesses)
