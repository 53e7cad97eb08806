"""vt, vt_hard: every variable that has a certain value, set in a chain of statements (RULER, arXiv:2404.06654).

A chain gives its first variable a number and each further one the value of the one before; its statements stand in
this order at keyed depths. In vt the filler is one paragraph over and over, and there is one chain (`chains` of them).
In vt_hard it is prose, and 23 chains more, of the same length and with other values, stand among the asked one's
statements; any of the 24 is asked as likely as the next.

Differs from the paper: names are five consonants and values five digits, all distinct in a row, so that none is a part
of another or of the prose; where every variable of a text is an answer, as in vt, naming all of them is right, which
vt_hard closes (24 chains of 4 hops have 120 names, and 66 fit what the metric reads). Must not change: the chains of
an item, which is asked, and where each statement stands.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from carrara.context import Assembly, Piece, corrected
from carrara.errors import BudgetError
from carrara.stream import WORD_RANGE, Permutation, Stream
from carrara.task import Budget, Draft, Inputs, Item, Key, Slot, Units
from carrara.tasks.helmet.recall_chains_audit import audit, guesses
from carrara.tasks.helmet.recall_chains_layout import lay_out
from carrara.tasks.helmet.recall_chains_noise import noise
from carrara.tasks.helmet.recall_chains_solver import solve
from carrara.tasks.helmet.recall_chains_templates import (
    ANSWER_PREFIX,
    BEGIN,
    COPY,
    END,
    INTRODUCTION,
    NUMBER,
    QUESTION,
)
from carrara.tasks.helmet.recall_kind import OUTPUT, Kind, Params

# Chains of vt_hard beside those that a recipe sets.
SPURIOUS: Final = 23
LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
LENGTH: Final = 5
_FIRST_VALUE, _VALUES = 10_000, 90_000
# Tokens of filler beyond the room: the last paragraphs are chosen among a few.
_RESERVE: Final = 6_000


@dataclass(frozen=True, slots=True)
class Chain:
    """A value and the variables that have it, in the order of their statements."""

    value: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """All chains, the number of the asked one, and the key of the depths and of the filler."""

    kind: Literal["vt", "vt_hard"]
    chains: tuple[Chain, ...]
    asked: int
    text: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's chains; nothing of them depends on the length."""
    own = stream.child(item.index)
    kind: Literal["vt", "vt_hard"] = "vt_hard" if item.variant == "vt_hard" else "vt"
    count = params.chains + (SPURIOUS if kind == "vt_hard" else 0)
    values = Permutation(own.child("values"), _VALUES).take(np.arange(count, dtype=np.int64)) + _FIRST_VALUE
    each = params.hops + 1
    names = _names(own.child("names"), count * each)
    return Plan(
        kind=kind,
        chains=tuple(
            Chain(value, tuple(names[number * each : (number + 1) * each]))
            for number, value in enumerate(values.tolist())
        ),
        asked=own.child("asked").below(count),
        text=own.key,
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The statements of all chains in filler that fills the slot's length."""
    asked, stream = plan.chains[plan.asked], Stream(*plan.text)
    output = max(OUTPUT, -(-budget.count("\n".join(asked.names)) * 21 // 20))
    wanted = slot.length - output
    placed = _placed(plan, stream.child("depths"))
    head, tail = INTRODUCTION + BEGIN, END + QUESTION.format(value=asked.value)
    fixed = budget.count(head) + budget.count(tail) + int(budget.count_many([one.text for one, _ in placed]).sum())
    if fixed >= wanted:
        raise BudgetError(
            f"the question and {len(placed)} statements take {fixed} tokens; the prompt has {wanted}",
            "use a larger bucket, fewer chains or fewer hops",
        )
    units = _filler(plan, stream, wanted - fixed + _RESERVE, inputs, budget)
    pieces = [piece for piece, _ in placed]

    def lay(aim: int) -> Assembly:
        return lay_out(head, tail, units, pieces, aim)

    laid = corrected(lay, wanted - fixed, wanted, budget)
    own = [place for place, (_, chain) in enumerate(placed) if chain == plan.asked]
    return Draft(
        prompt=laid.prompt,
        answers=asked.names,
        complexity=len(asked.names) - 1,
        max_output_tokens=output,
        depths=tuple(laid.depths[place] for place in own),
        evidence=tuple(laid.spans[place] for place in own),
        facts={
            "variant": plan.kind,
            "asked": plan.asked,
            "chains": [{"value": chain.value, "names": list(chain.names)} for chain in plan.chains],
        },
        answer_prefix=ANSWER_PREFIX,
    )


def _placed(plan: Plan, stream: Stream) -> list[tuple[Piece, int]]:
    """Every statement at its depth with the number of its chain, from the top down; a chain's in its order."""
    placed: list[tuple[Piece, int]] = []
    for number, chain in enumerate(plan.chains):
        depths = sorted(stream.child(number).words(0, len(chain.names)).tolist())
        texts = [NUMBER.format(name=chain.names[0], value=chain.value)]
        texts += [COPY.format(name=name, other=other) for other, name in pairwise(chain.names)]
        placed += [(Piece(text, depth / WORD_RANGE), number) for text, depth in zip(texts, depths, strict=True)]
    return sorted(placed, key=lambda one: one[0].depth)


def _filler(plan: Plan, stream: Stream, tokens: int, inputs: Inputs, budget: Budget) -> Units:
    if plan.kind == "vt":
        return noise(tokens, budget)
    return inputs.haystack("en", stream.child("haystack"), tokens, False)


def _names(stream: Stream, count: int) -> list[str]:
    """So many names, no two equal."""
    base = len(LETTERS)
    numbers = Permutation(stream, base**LENGTH).take(np.arange(count, dtype=np.int64))
    columns = [(numbers // base**place % base).tolist() for place in reversed(range(LENGTH))]
    return ["".join([LETTERS[digit] for digit in digits]) for digits in zip(*columns, strict=True)]


KIND: Final = Kind(plan_type=Plan, plan=plan, render=render, solve=solve, audit=audit, guesses=guesses)
