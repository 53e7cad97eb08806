"""vt, vt_hard: name every variable with a given value, assigned in a chain of statements (RULER, arXiv:2404.06654).

A chain assigns a number to its first variable, and to each further one the value of the one before; its statements
appear in this order at keyed depths. In vt the filler repeats one paragraph, and there is one chain (or `chains`). In
vt_hard the filler is prose, and 23 more chains of the same length with other values are mixed with the asked one; each
of the 24 is equally likely to be asked. Statements are separate lines between whole paragraphs, so that their cost does
not depend on their position.

Differences from the paper: names are five consonants and values five digits, all distinct within a row, so that none is
part of another or of the prose. In vt every variable in the text is an answer, so naming all of them is correct;
vt_hard closes this shortcut (24 chains of 4 hops have 120 names, and the metric reads room for 66). Must not change:
the chains of an item, which one is asked, and where each statement is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from carrara.context import Assembly, Piece, corrected, fill
from carrara.errors import BudgetError
from carrara.stream import WORD_RANGE, Permutation, Stream
from carrara.task import Budget, Draft, Inputs, Item, Key, Slot, Units
from carrara.tasks.helmet.synthetic_recall.chains_solver import audit, guesses, solve
from carrara.tasks.helmet.synthetic_recall.kind import OUTPUT, Params, RecallKind
from carrara.tasks.helmet.synthetic_recall.prompt import (
    BEGIN,
    COPY,
    END,
    INTRODUCTION,
    NUMBER,
    QUESTION,
    answer_list,
    worked_example,
)

# How many paragraphs may be the last one, and how many of the last sentences may be left out.
_LAST_PARAGRAPHS: Final = 24
_CANDIDATES: Final = 96
SENTENCES: Final = (
    "Rain taps on the window.",
    " The kettle hums on the stove.",
    " A cart rolls down the lane.",
    " Somewhere a dog barks twice.",
    " Then it is quiet again.\n\n",
)
_ROUND: Final = "".join(SENTENCES)
# Further chains of vt_hard, beside those that the recipe sets.
SPURIOUS: Final = 23
LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
LENGTH: Final = 5
_FIRST_VALUE, _VALUES = 10_000, 90_000
# Tokens of filler beyond the room: the last paragraphs are chosen among a few.
_RESERVE: Final = 6_000


def lay_out(head: str, tail: str, units: Units, statements: Sequence[Piece], room: int) -> Assembly:
    """Lay out `room` tokens of filler between head and tail, with the statements (sorted by depth) as lines in it.

    The filler ends at the end of a paragraph; some of the last sentences are left out to fit. Raises BudgetError if the
    filler is too short.
    """
    kept, spent = _kept(units, room)
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.where(kept, units.costs[: len(kept)], 0))])
    parts, spans, depths = [head], [], []
    length, at = len(head), 0
    for statement in statements:
        joint = _joint(units, before, statement.depth * spent)
        stretch = _text(units, kept, at, joint)
        parts += [stretch, statement.text]
        spans.append((length + len(stretch), length + len(stretch) + len(statement.text.rstrip("\n"))))
        length, at = length + len(stretch) + len(statement.text), joint
        depths.append(round(int(before[joint]) / spent, 6) if spent else 0.0)
    parts += [_text(units, kept, at, len(kept)), tail]
    return Assembly("".join(parts), tuple(spans), tuple(depths), spent, room - spent)


def _kept(units: Units, room: int) -> tuple[NDArray[np.bool_], int]:
    """Which units stand, of the first up to the end of a paragraph, and their tokens: `room`, or the nearest below."""
    totals = np.cumsum(units.costs)
    if not len(totals) or totals[-1] < room:
        have = int(totals[-1]) if len(totals) else 0
        raise BudgetError(
            f"the filler holds {have} tokens of {room}: {room - have} are missing",
            "use a larger source or a smaller bucket",
        )
    best, most = np.zeros(0, dtype=np.bool_), 0
    stop = int(np.searchsorted(totals, room))
    for _ in range(_LAST_PARAGRAPHS):
        stop = _paragraph_end(units, stop, len(totals))
        excess = int(totals[stop - 1]) - room if stop else 0
        # The last one ends the paragraph: it stays.
        free = np.flatnonzero(units.droppable[: max(0, stop - 1)])[-_CANDIDATES:]
        offered = int(units.costs[free].sum())
        if offered >= excess:
            filling = fill(units.costs[free], offered - excess)
            if (spent := room - (offered - excess) + filling.tokens) > most:
                kept = np.ones(stop, dtype=np.bool_)
                kept[np.delete(free, filling.kept)] = False
                best, most = kept, spent
        if most == room or stop == len(totals):
            break
    return best, most


def _joint(units: Units, before: NDArray[np.int64], tokens: float) -> int:
    """The joint of two paragraphs that is nearest to so many tokens of filler."""
    at = min(int(np.searchsorted(before, tokens)), len(before) - 1)
    high = _paragraph_end(units, at - 1, len(before) - 1) if at else 0
    low = at
    while low and not units.text(low - 1, low).endswith("\n"):
        low -= 1
    return low if tokens - before[low] <= before[high] - tokens else high


def _paragraph_end(units: Units, start: int, stop: int) -> int:
    """The first joint behind unit `start` that ends a paragraph, at most `stop`."""
    end = min(start + 1, stop)
    while end < stop and not units.text(end - 1, end).endswith("\n"):
        end += 1
    return end


def _text(units: Units, kept: NDArray[np.bool_], start: int, stop: int) -> str:
    """The units of a stretch that are kept, joined."""
    gone = (np.flatnonzero(~kept[start:stop]) + start).tolist()
    edges = zip([start, *(index + 1 for index in gone)], [*gone, stop], strict=True)
    return "".join(units.text(first, last) for first, last in edges if first < last)


@dataclass(frozen=True, slots=True)
class Noise:
    """Rounds of the sentences as units: the inner ones may be left out."""

    costs: NDArray[np.int64]
    droppable: NDArray[np.bool_]

    def text(self, start: int, stop: int) -> str:
        """Join units start .. stop - 1."""
        size = len(SENTENCES)
        first, last = start // size, -(-stop // size)
        before = sum(map(len, SENTENCES[: start % size]))
        behind = sum(map(len, SENTENCES[size - (last * size - stop) :]))
        return (_ROUND * (last - first))[before : (last - first) * len(_ROUND) - behind]


def noise(tokens: int, budget: Budget) -> Noise:
    """Noise of at least so many tokens."""
    costs = budget.count_many(list(SENTENCES))
    rounds = max(0, tokens) // int(costs.sum()) + 1
    inner = [0 < index < len(SENTENCES) - 1 for index in range(len(SENTENCES))]
    return Noise(np.tile(costs, rounds), np.tile(np.array(inner, dtype=np.bool_), rounds))


@dataclass(frozen=True, slots=True)
class VariableChain:
    """A value and the variables that have it, in the order of their statements."""

    value: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """All chains, the number of the asked one, and the key of the depths and of the filler."""

    kind: Literal["vt", "vt_hard"]
    chains: tuple[VariableChain, ...]
    asked: int
    text: Key


@dataclass(frozen=True, slots=True)
class ShownChainPlan(Plan):
    """A plan with a worked example: its chain, of names and a value that the row has nowhere else."""

    example: VariableChain


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's chains; nothing of them depends on the length."""
    own = stream.child(item.index)
    kind: Literal["vt", "vt_hard"] = "vt_hard" if item.variant == "vt_hard" else "vt"
    count = params.chains + (SPURIOUS if kind == "vt_hard" else 0)
    values = Permutation(own.child("values"), _VALUES).take(np.arange(count + 1, dtype=np.int64)) + _FIRST_VALUE
    each = params.hops + 1
    names = _names(own.child("names"), (count + 1) * each)
    *chains, example = (
        VariableChain(value, tuple(names[number * each : (number + 1) * each]))
        for number, value in enumerate(values.tolist())
    )
    asked = own.child("asked").below(count)
    if params.shots == 1:
        return ShownChainPlan(kind, tuple(chains), asked, own.key, example)
    return Plan(kind, tuple(chains), asked, own.key)


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The statements of all chains in filler that fills the slot's length."""
    asked, stream = plan.chains[plan.asked], Stream(*plan.text)
    output = max(OUTPUT, -(-budget.count(answer_list(asked.names)) * 21 // 20))
    wanted = slot.length - output
    placed = _placed(plan, stream.child("depths"))
    head, tail = _example(plan) + INTRODUCTION + BEGIN, END + QUESTION.format(value=asked.value)
    fixed = budget.count(head) + budget.count(tail) + int(budget.count_many([piece.text for piece, _ in placed]).sum())
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
    own = [index for index, (_, chain) in enumerate(placed) if chain == plan.asked]
    return Draft(
        prompt=laid.prompt,
        answers=asked.names,
        complexity=len(asked.names) - 1,
        max_output_tokens=output,
        depths=tuple(laid.depths[index] for index in own),
        evidence=tuple(laid.spans[index] for index in own),
        facts={
            "variant": plan.kind,
            "asked": plan.asked,
            "chains": [{"value": chain.value, "names": list(chain.names)} for chain in plan.chains],
            **({"shots": 1} if isinstance(plan, ShownChainPlan) else {}),
        },
    )


def _example(plan: Plan) -> str:
    """The worked example: a chain with a round of sentences before each of its statements; "" without one."""
    if not isinstance(plan, ShownChainPlan):
        return ""
    shown = "".join(_ROUND + statement for statement in _statements(plan.example))
    question = QUESTION.format(value=plan.example.value)
    return worked_example(f"{INTRODUCTION}{BEGIN}{shown}{END}{question}", plan.example.names)


def _statements(chain: VariableChain) -> list[str]:
    return [
        NUMBER.format(name=chain.names[0], value=chain.value),
        *(COPY.format(name=name, other=other) for other, name in pairwise(chain.names)),
    ]


def _placed(plan: Plan, stream: Stream) -> list[tuple[Piece, int]]:
    """Every statement at its depth with the number of its chain, from the top down; a chain's in its order."""
    placed: list[tuple[Piece, int]] = []
    for number, chain in enumerate(plan.chains):
        depths = sorted(stream.child(number).words(0, len(chain.names)).tolist())
        at = zip(_statements(chain), depths, strict=True)
        placed += [(Piece(text, depth / WORD_RANGE), number) for text, depth in at]
    return sorted(placed, key=lambda statement: statement[0].depth)


def _filler(plan: Plan, stream: Stream, tokens: int, inputs: Inputs, budget: Budget) -> Units:
    if plan.kind == "vt":
        return noise(tokens, budget)
    return inputs.haystack("en", stream.child("haystack"), tokens, False)


def _names(stream: Stream, count: int) -> list[str]:
    """So many names, no two equal."""
    base = len(LETTERS)
    numbers = Permutation(stream, base**LENGTH).take(np.arange(count, dtype=np.int64))
    columns = [(numbers // base**power % base).tolist() for power in reversed(range(LENGTH))]
    return ["".join([LETTERS[digit] for digit in digits]) for digits in zip(*columns, strict=True)]


KIND: Final = RecallKind(
    plan_type=Plan | ShownChainPlan, plan=plan, render=render, solve=solve, audit=audit, guesses=guesses
)
