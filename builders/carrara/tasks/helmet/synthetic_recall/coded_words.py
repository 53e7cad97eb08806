"""fwe, fwe_hard: the three most frequent words in a long coded text (RULER, arXiv:2404.06654, section 3).

Coded words and dots follow Zipf's law: with T dots the word of rank k occurs T / k^alpha times, from rank 2 on. Every
occurrence has its own key, and the text is sorted by key, so that a longer text contains the words of a shorter one in
the same order. In fwe_hard the three words and 17 decoys are nearly equally frequent, in steps of 5 %, and half of each
stand in a fifth of the text of its own, so that no part tells what is frequent in all.

Differences from the paper: counts follow the law exactly, rounded down, and are not drawn, so that the first four are
distinct in every text and the first three are always the same words; dots fill the remaining tokens. Must not change:
word k of an item, its law, and the key of each occurrence.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from carrara.context import Assembly, corrected
from carrara.errors import BudgetError
from carrara.stream import Permutation, Stream
from carrara.task import Budget, Draft, Inputs, Item, Key, Slot
from carrara.tasks.helmet.synthetic_recall.filler import DECOYS, LEADERS, occurrences, shares
from carrara.tasks.helmet.synthetic_recall.kind import OUTPUT, Params, RecallKind
from carrara.tasks.helmet.synthetic_recall.prompt import CODE_HEAD, CODE_TAIL, DOTS
from carrara.tasks.helmet.synthetic_recall.words_solver import audit_code, guess_code, solve_code

ASKED: Final = 3
# Only consonants, so that no coded word is a real word; one length, so that none is part of another.
LETTERS: Final = "bcdfghjklmnpqrstvwxz"
LENGTH: Final = 6


@dataclass(frozen=True, slots=True)
class Plan:
    """The three words, most frequent first, the exponent, and the key of all words and positions."""

    kind: Literal["fwe", "fwe_hard"]
    asked: tuple[str, ...]
    alpha: float
    words: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """Draw the item's words; their counts depend on the length."""
    key = (*stream.key, item.index, "words")
    kind: Literal["fwe", "fwe_hard"] = "fwe_hard" if item.variant == "fwe_hard" else "fwe"
    return Plan(kind, tuple(_words(key, ASKED)), params.alpha, key)


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """Write the text with as many dots and words as fill the slot's length under the law."""
    wanted = slot.length - OUTPUT
    room = wanted - budget.count(CODE_HEAD) - budget.count(CODE_TAIL)
    dot = budget.count(f" {DOTS}")
    if room < dot:
        raise BudgetError(f"the question leaves {room} tokens for the text", "use a larger bucket")
    shared = _shares(plan, room // dot)
    words = _words(plan.words, len(shared))
    costs: NDArray[np.int64] = budget.count_many([f" {word}" for word in words])

    def lay_out(aim: int) -> Assembly:
        dots, times = _most(shared, costs, dot, aim)
        left = aim - dots * dot - int(times @ costs[: len(times)])
        text = _written(plan, words, dots + left // dot, times)
        return Assembly(f"{CODE_HEAD}{text}{CODE_TAIL}", (), (), aim - left % dot, left % dot)

    laid = corrected(lay_out, room, wanted, budget)
    starts = [laid.prompt.index(f" {word} ", len(CODE_HEAD)) + 1 for word in plan.asked]
    return Draft(
        prompt=laid.prompt,
        answers=plan.asked,
        complexity=1,
        # Where dots cost several tokens, what they leave is the answer's.
        max_output_tokens=slot.length - budget.measure(laid.prompt),
        evidence=tuple((start, start + LENGTH) for start in starts),
        facts={"variant": plan.kind, "alpha": plan.alpha},
    )


def counts(plan: Plan, tokens: int) -> dict[str, int]:
    """How often each word stands in a row of at least as many words as any of so many tokens holds: no text needed."""
    times = occurrences(_shares(plan, tokens), tokens).tolist()
    return dict(zip(_words(plan.words, len(times)), times, strict=True))


def _shares(plan: Plan, dots: int) -> NDArray[np.int64]:
    return shares(plan.alpha, plan.kind == "fwe_hard", dots)


def _most(shared: NDArray[np.int64], costs: NDArray[np.int64], dot: int, room: int) -> tuple[int, NDArray[np.int64]]:
    """The most dots that fit `room` with the words that the law gives them, and how often each word stands.

    Raises BudgetError where the first four words are not apart.
    """
    low, high = 0, room // dot
    while low < high:
        middle = (low + high + 1) // 2
        times = occurrences(shared, middle)
        if middle * dot + int(times @ costs[: len(times)]) <= room:
            low = middle
        else:
            high = middle - 1
    times = occurrences(shared, low)
    first = times[: ASKED + 1].tolist()
    if len(first) <= ASKED or not all(a > b for a, b in pairwise(first)):
        raise BudgetError(
            f"in a text of {room} tokens the words asked for occur {first} times: not clearly the most frequent",
            "use a larger bucket or a smaller alpha",
        )
    return low, times


def _written(plan: Plan, words: list[str], dots: int, times: NDArray[np.int64]) -> str:
    """All dots and words in the order of one key each, a space before each."""
    stream = Stream(*plan.words).child("order")
    keys = [stream.child("dots").words(0, dots)]
    keys += [_placed(plan, stream.child(rank), rank, count) for rank, count in enumerate(times.tolist())]
    units = np.array([f" {DOTS}", *(f" {word}" for word in words[: len(times)])], dtype=object)
    order = np.argsort(np.concatenate(keys), kind="stable")
    return "".join(np.repeat(units, [dots, *times.tolist()])[order].tolist())


def _placed(plan: Plan, stream: Stream, rank: int, count: int) -> NDArray[np.uint64]:
    """A key for each occurrence of a word: uniform but for the frequent ones of fwe_hard."""
    keys = stream.words(0, count)
    if plan.kind == "fwe_hard" and rank < len(LEADERS) + len(DECOYS):
        begin = stream.child("begin").word()
        # Behind the end of the text its beginning follows: sums of 64 bits do so.
        keys = np.where(keys & 1, keys, np.uint64(begin) + keys // 5)
    return keys


def _words(key: Key, count: int) -> list[str]:
    """The first `count` words of an item, no two equal."""
    base = len(LETTERS)
    numbers = Permutation(Stream(*key), base**LENGTH).take(np.arange(count, dtype=np.int64))
    columns = [(numbers // base**power % base).tolist() for power in reversed(range(LENGTH))]
    return ["".join([LETTERS[digit] for digit in digits]) for digits in zip(*columns, strict=True)]


KIND: Final = RecallKind(
    plan_type=Plan, plan=plan, render=render, solve=solve_code, audit=audit_code, guesses=guess_code
)
