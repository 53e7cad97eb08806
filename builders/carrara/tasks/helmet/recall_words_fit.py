"""Which words fill a list to the token when each stands several times in it, and every entry bears its number.

Must not change: which words are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.errors import BudgetError
from carrara.task import Budget

# As many words of the last ones are left out, of these the sum of whose costs is right.
_SPARE: Final = 8
_CANDIDATES: Final = 48
# Numbers of one length that are tried before all are taken to cost the same.
_TRIED: Final = 200


@dataclass(frozen=True, slots=True)
class Choice:
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


def choose(costs: NDArray[np.int64], times: int, numbers: NDArray[np.int64], entries: int, room: int) -> Choice:
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
            f"the words asked for leave {room} tokens for the others; one of them takes {int(spent[1])}",
            "use a larger bucket, or fewer occurrences of the common words",
        )
    if full >= most:
        raise ValueError(f"{len(costs)} words do not reach {room} tokens")
    best = Choice(np.arange(full), room - int(spent[full]))
    for count, spare in [(count, spare) for count in (full, full + 1) for spare in range(_SPARE + 1)]:
        if best.short < times or count + spare > len(costs):
            break
        left = room - int(numbers[entries + times * count])
        first = max(0, count + spare - _CANDIDATES)
        gone = _subset(costs[first : count + spare].tolist(), spare, int(totals[count + spare]) - left // times)
        if gone is not None:
            best = Choice(np.delete(np.arange(count + spare), [first + place for place in gone]), left % times)
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
    for place in range(len(costs) - 1, -1, -1):
        if not layers[place][size] >> wanted & 1:
            chosen.append(place)
            size, wanted = size - 1, wanted - costs[place]
    return chosen
