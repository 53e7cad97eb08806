"""cwe, cwe_hard: the most frequent words in a long numbered list (RULER, arXiv:2404.06654, section 3).

`common` words occur `often` times each, all others `seldom` times. Word j of the others depends on the item's key and j
alone, and so does the position of each occurrence. In cwe_hard six times as many decoys stand once less than the common
words (8 times, not 9), so that no part of the list tells them apart.

Differences from the paper: words are made up, with six letters each and all distinct, so that none is part of another;
the list is filled with whole words, each exactly as often as the rest. The tokens that are left, at most `seldom` - 1,
go to the answer.

Must not change: word j of an item, its positions, and which words a length keeps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from carrara.context import Assembly, corrected
from carrara.errors import BudgetError
from carrara.stream import Permutation, Stream
from carrara.task import Budget, Draft, Inputs, Item, Key, Slot
from carrara.tasks.helmet.synthetic_recall.kind import OUTPUT, Params, RecallKind
from carrara.tasks.helmet.synthetic_recall.prompt import (
    LIST_HEAD,
    LIST_TAIL,
    LIST_TAIL_ONE,
    MARK,
    answer_list,
    worked_example,
)
from carrara.tasks.helmet.synthetic_recall.words_solver import audit_list, guess_list, solve_list

# In cwe_hard, to each common word.
_DECOYS: Final = 6
# As many words of the last ones are left out, of these the sum of whose costs is right.
_SPARE: Final = 8
_CANDIDATES: Final = 48
# Numbers of one length that are tried before all are taken to cost the same.
_TRIED: Final = 200
# A word is three syllables of a consonant and a vowel: one length, so that distinct words are no parts of each other.
SYLLABLES: Final = tuple(a + b for a in "bcdfghjklmnprstvwxyz" for b in "aeiou")
SPACE: Final = len(SYLLABLES) ** 3
# Other words are made in blocks, these at first: as many as tell what a word costs.
_BLOCK: Final = 512
_FIRST_BLOCKS: Final = 3
# No vocabulary writes an entry in fewer tokens: its number, a dot, a word, a new line.
_LEAST_ENTRY: Final = 4
# Words of a worked example that stand once.
_EXAMPLE_OTHERS: Final = 20


@dataclass(frozen=True, slots=True)
class ChosenWords:
    """The places of the chosen words, ascending: shape (n,); `short`: tokens of the room that they leave."""

    kept: NDArray[np.int64]
    short: int


def numbering(count: int, budget: Budget) -> NDArray[np.int64]:
    """Tokens of the entry numbers 1 to n for every n from 0 to `count`: shape (count + 1,).

    Counting 160,000 numbers takes half a second. Numbers of one length cost the same in most vocabularies: where all
    that are tried do, the others are not counted (the finished prompt is, in any case).
    """
    costs = np.zeros(count + 1, dtype=np.int64)
    start = 1
    while start <= count:
        stop = min(10 * start, count + 1)
        step = -(-(stop - start) // _TRIED)
        tried = budget.count_many([f"{number}." for number in range(start, stop, step)])
        if step > 1 and tried.min() != tried.max():
            tried = budget.count_many([f"{number}." for number in range(start, stop)])
        costs[start:stop] = tried if len(tried) == stop - start else tried[0]
        start = stop
    return np.cumsum(costs)


def choose(costs: NDArray[np.int64], times: int, numbers: NDArray[np.int64], entries: int, room: int) -> ChosenWords:
    """The first words, but for a few of the last, that fill `room` when each stands `times` times in the list.

    `costs`: tokens of a word, shape (n,); `numbers`: as `numbering` gives them; `entries`: what the list holds
    already. What n words cost moves in steps of `times`, so that up to `times` - 1 tokens stay: with six-letter words
    no more. Raises BudgetError where not one word fits.
    """
    totals = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(costs)])
    most = len(costs) - _SPARE
    spent = numbers[entries + times * np.arange(most + 1)] + times * totals[: most + 1]
    full = int(np.searchsorted(spent, room, side="right")) - 1
    if full < 1:
        raise BudgetError(
            f"the words asked for leave {room} tokens for the others, and one of those takes {int(spent[1])}",
            "use a larger bucket, or fewer occurrences of the common words",
        )
    if full >= most:
        raise ValueError(f"{len(costs)} words do not reach {room} tokens")
    best = ChosenWords(np.arange(full), room - int(spent[full]))
    for count, spare in [(count, spare) for count in (full, full + 1) for spare in range(_SPARE + 1)]:
        if best.short < times or count + spare > len(costs):
            break
        left = room - int(numbers[entries + times * count])
        first = max(0, count + spare - _CANDIDATES)
        gone = _subset(costs[first : count + spare].tolist(), spare, int(totals[count + spare]) - left // times)
        if gone is not None:
            best = ChosenWords(np.delete(np.arange(count + spare), [first + index for index in gone]), left % times)
    return best


def _subset(costs: Sequence[int], size: int, wanted: int) -> list[int] | None:
    """The places of `size` costs that sum to `wanted`; None where there are none. Sums are the bits of an integer."""
    if wanted < 0:
        return None
    layers = [[1] + [0] * size]
    for cost in costs:
        before = layers[-1]
        layers.append([before[0], *(before[k] | before[k - 1] << cost for k in range(1, size + 1))])
    if not layers[-1][size] >> wanted & 1:
        return None
    chosen = []
    for index in range(len(costs) - 1, -1, -1):
        if not layers[index][size] >> wanted & 1:
            chosen.append(index)
            size, wanted = size - 1, wanted - costs[index]
    return chosen


@dataclass(frozen=True, slots=True)
class Plan:
    """The words asked for, the decoys, and the key of all other words and all positions."""

    kind: Literal["cwe", "cwe_hard"]
    common: tuple[str, ...]
    often: int
    decoys: tuple[str, ...]
    nearly: int
    seldom: int
    words: Key


@dataclass(frozen=True, slots=True)
class ShownWordsPlan(Plan):
    """A plan with a worked example: the words that are common in it, then the others, none of which the row has."""

    example: tuple[str, ...]


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """Draw the item's words; the number of other words depends on the length."""
    key = (*stream.key, item.index, "words")
    hard = item.variant == "cwe_hard"
    first = _words(_numbers(key, 0, (1 + _DECOYS if hard else 1) * params.common))
    often = max(params.seldom + 1, params.often * 3 // 10) if hard else params.often
    made: Callable[..., Plan] = Plan
    if params.shots == 1:
        # The last words of all: no row of a bucket reaches them.
        count = params.common + _EXAMPLE_OTHERS
        made = partial(ShownWordsPlan, example=tuple(_words(_numbers(key, SPACE - count, count))))
    return made(
        kind="cwe_hard" if hard else "cwe",
        common=tuple(first[: params.common]),
        often=often,
        decoys=tuple(first[params.common :]),
        nearly=often - 1 if hard else 0,
        seldom=params.seldom,
        words=key,
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """Write the list of all occurrences of as many words as fill the slot's length."""
    answers = tuple(sorted(plan.common))
    tail = LIST_TAIL.format(count=len(answers)) if len(answers) > 1 else LIST_TAIL_ONE
    output = max(OUTPUT, -(-budget.count(answer_list(answers)) * 21 // 20))
    wanted = slot.length - output
    frequent = _entry_costs(plan.common, budget).sum() * plan.often + _entry_costs(plan.decoys, budget).sum() * (
        plan.nearly
    )
    head = _example(plan, tail) + LIST_HEAD
    room = wanted - budget.count(head) - budget.count(tail) - int(frequent)
    supply = _WordSupply(plan, budget)

    def lay_out(aim: int) -> Assembly:
        supply.reach(aim)
        choice = choose(supply.costs, plan.seldom, supply.numbers, _frequent(plan), aim)
        prompt = f"{head}{_listed(plan, [supply.texts[index] for index in choice.kept], choice.kept)}{tail}"
        return Assembly(prompt, (), (), aim - choice.short, choice.short)

    laid = corrected(lay_out, room, wanted, budget)
    starts = [laid.prompt.index(f" {word}\n", len(head)) + 1 for word in answers]
    return Draft(
        prompt=laid.prompt,
        answers=answers,
        complexity=1,
        # Words that stand three times leave up to two tokens: they are the answer's, and the length is filled.
        max_output_tokens=slot.length - budget.measure(laid.prompt),
        evidence=tuple((start, start + len(word)) for start, word in zip(starts, answers, strict=True)),
        facts={
            "variant": plan.kind,
            "often": plan.often,
            "decoys": sorted(plan.decoys),
            "nearly": plan.nearly,
            "seldom": plan.seldom,
            **({"shots": 1} if isinstance(plan, ShownWordsPlan) else {}),
        },
    )


def _example(plan: Plan, tail: str) -> str:
    """The worked example: a short list of other words, of which as many as are asked come twice; "" without one."""
    if not isinstance(plan, ShownWordsPlan):
        return ""
    common = plan.example[: len(plan.common)]
    entries = Stream(*plan.words).child("example").shuffled([*plan.example, *common])
    listed = "".join([f"{number}{MARK}{word}\n" for number, word in enumerate(entries, 1)])
    return worked_example(f"{LIST_HEAD}{listed}{tail}", sorted(common))


def counts(plan: Plan, tokens: int) -> dict[str, int]:
    """How often each word stands in a row of at least as many words as any of so many tokens holds: no text needed."""
    others = _words(_numbers(plan.words, len(plan.common) + len(plan.decoys), tokens // (_LEAST_ENTRY * plan.seldom)))
    return {
        **dict.fromkeys(others, plan.seldom),
        **dict.fromkeys(plan.decoys, plan.nearly),
        **dict.fromkeys(plan.common, plan.often),
    }


def word_numbers(plan: Plan, tokens: int) -> NDArray[np.int64]:
    """Return the numbers of all words of such a row, common ones first; distinct numbers are distinct words."""
    frequent = len(plan.common) + len(plan.decoys)
    return _numbers(plan.words, 0, frequent + tokens // (_LEAST_ENTRY * plan.seldom))


class _WordSupply:
    """The other words of an item as far as they are needed, what each costs, and what the numbers of entries cost.

    Counting 55,000 words one by one takes half a second, together a tenth of that: a block's tokens stand at its first
    word until the last words that fit are among its own.
    """

    def __init__(self, plan: Plan, budget: Budget) -> None:
        self._plan, self._budget = plan, budget
        self.texts: list[str] = []
        self.costs: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.numbers: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._single: set[int] = set()

    def reach(self, room: int) -> None:
        """Make words until they, and a block more, take more than `room`, and count the last ones one by one."""
        plan, frequent = self._plan, len(self._plan.common) + len(self._plan.decoys)
        while (missing := self._missing(room)) > 0:
            more = _words(_numbers(plan.words, frequent + len(self.texts), missing * _BLOCK))
            self.texts += more
            costs = np.zeros((missing, _BLOCK), dtype=np.int64)
            for number in range(missing):
                block = more[number * _BLOCK : (number + 1) * _BLOCK]
                costs[number, 0] = self._budget.count("".join(map(_entry, block)))
            self.costs = np.append(self.costs, costs)
            self.numbers = numbering(_frequent(plan) + plan.seldom * len(self.texts), self._budget)
        last = int(np.searchsorted(self._spent(), room)) // _BLOCK
        for number in {max(0, last - 1), last, last + 1} - self._single:
            start = number * _BLOCK
            self.costs[start : start + _BLOCK] = _entry_costs(self.texts[start : start + _BLOCK], self._budget)
            self._single.add(number)

    def _spent(self) -> NDArray[np.int64]:
        """Tokens of the first n words and of all numbers up to theirs, by n."""
        times = self._plan.seldom
        entries = _frequent(self._plan) + times * np.arange(1, len(self.costs) + 1)
        spent: NDArray[np.int64] = self.numbers[entries] + times * np.cumsum(self.costs)
        return spent

    def _missing(self, room: int) -> int:
        """How many blocks to make; with a whole one behind the last word that fits, none."""
        if len(self.texts) < _FIRST_BLOCKS * _BLOCK:
            return _FIRST_BLOCKS
        spent = self._spent()
        if (left := room - int(spent[-1 - _BLOCK])) < 0:
            return 0
        return int(left * len(spent) / int(spent[-1]) * 1.005) // _BLOCK + 1


def _frequent(plan: Plan) -> int:
    """Entries of the common words and the decoys."""
    return len(plan.common) * plan.often + len(plan.decoys) * plan.nearly


def _listed(plan: Plan, others: Sequence[str], places: NDArray[np.int64]) -> str:
    """All entries in the order of one key each; `places`: which of the other words these are."""
    stream = Stream(*plan.words).child("order")
    last = int(places[-1]) + 1
    keys = [
        stream.child("common").words(0, len(plan.common) * plan.often),
        stream.child("decoys").words(0, len(plan.decoys) * plan.nearly),
        stream.child("others").words(0, last * plan.seldom).reshape(last, plan.seldom)[places].reshape(-1),
    ]
    words = np.array([*plan.common, *plan.decoys, *others], dtype=object)
    times = [plan.often] * len(plan.common) + [plan.nearly] * len(plan.decoys) + [plan.seldom] * len(others)
    order = np.argsort(np.concatenate(keys), kind="stable")
    entries = np.repeat(words, times)[order].tolist()
    return "".join([f"{number}{MARK}{word}\n" for number, word in enumerate(entries, 1)])


def _entry_costs(words: Sequence[str], budget: Budget) -> NDArray[np.int64]:
    """Tokens of each word as an entry, without its number."""
    counted: NDArray[np.int64] = budget.count_many(list(map(_entry, words)))
    return counted


def _entry(word: str) -> str:
    return f" {word}\n"


def _numbers(key: Key, start: int, count: int) -> NDArray[np.int64]:
    """Words `start` .. of an item as their numbers in the space of all: no two equal."""
    return Permutation(Stream(*key), SPACE).take(np.arange(start, start + count, dtype=np.int64))


def _words(numbers: NDArray[np.int64]) -> list[str]:
    size = len(SYLLABLES)
    parts = (numbers // size**2, numbers // size % size, numbers % size)
    return [
        SYLLABLES[a] + SYLLABLES[b] + SYLLABLES[c] for a, b, c in zip(*(part.tolist() for part in parts), strict=True)
    ]


KIND: Final = RecallKind(
    plan_type=Plan | ShownWordsPlan, plan=plan, render=render, solve=solve_list, audit=audit_list, guesses=guess_list
)
