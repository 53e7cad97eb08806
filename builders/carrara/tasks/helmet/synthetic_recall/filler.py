"""Filler generated and counted on demand (unit j depends on a key and j alone), random UUIDs, and counts by Zipf's law.

UUIDs are of version 4 in the usual form, 8-4-4-4-12 lower-case hex digits. Two are equal with a probability of 2^-122,
so that a row of fifty thousand has no duplicate; audits check it.

The counts are integers, the same on every machine.

Must not change: UUID j of a stream, which is made of its words 2j and 2j + 1; the shares and how they are rounded.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.stream import Stream

FIRST_UNITS = 256
# Extra tokens, so that the amount generated never affects what `fill` chooses.
_RESERVE = 4_000


@dataclass(slots=True)
class CountedUnits:
    """The texts of units 0, 1, ... from `make(start, count)`, with their costs in tokens: shape (n,), int64.

    `price` returns the costs of texts; its first call gets `FIRST_UNITS` of them.
    """

    make: Callable[[int, int], list[str]]
    price: Callable[[list[str]], NDArray[np.int64]]
    texts: list[str] = field(default_factory=list)
    costs: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def reach(self, tokens: int) -> None:
        """Generate units until they cost at least `tokens` plus the reserve."""
        while (missing := tokens + _RESERVE - int(self.costs.sum())) > 0:
            count = int(missing / float(self.costs.mean()) * 1.01) + 16 if self.texts else FIRST_UNITS
            more = self.make(len(self.texts), count)
            self.texts += more
            self.costs = np.append(self.costs, self.price(more).astype(np.int64))


# The version and the variant that the form prescribes: digit 13 is a 4, digit 17 one of 8, 9, a, b.
_HIGH = (np.uint64(0xFFFF_FFFF_FFFF_0FFF), np.uint64(0x4000))
_LOW = (np.uint64(0x3FFF_FFFF_FFFF_FFFF), np.uint64(0x8000_0000_0000_0000))


def uuids(stream: Stream, start: int, count: int) -> list[str]:
    """UUIDs `start` .. `start + count - 1` of a stream."""
    words = stream.words(2 * start, 2 * count)
    words[0::2] = words[0::2] & _HIGH[0] | _HIGH[1]
    words[1::2] = words[1::2] & _LOW[0] | _LOW[1]
    digits = words.astype(">u8").tobytes().hex()
    return [
        f"{digits[at : at + 8]}-{digits[at + 8 : at + 12]}-{digits[at + 12 : at + 16]}-{digits[at + 16 : at + 20]}-"
        f"{digits[at + 20 : at + 32]}"
        for at in range(0, 32 * count, 32)
    ]


# Shares are integers of this many binary places: the last bit of a power may differ between machines, these do not.
_BITS: Final = 32
# Of fwe_hard, in hundredths of what the third rank has: the words asked, then the decoys.
LEADERS: Final = (110, 105, 100)
DECOYS: Final = (95,) * 17
# The rank at which the law goes on behind them.
_NEXT_RANK: Final = 5


def shares(alpha: float, hard: bool, dots: int) -> NDArray[np.int64]:
    """The share of each word that stands beside `dots` dots, in units of 2^-32 of them, in the order of the words.

    The dots have the first rank, the words those from the second on.
    """
    # Beyond this rank a word would stand less than once.
    last = int(max(dots, 1) ** (1 / alpha)) + 2
    ranks = range(_NEXT_RANK if hard else 2, last + 1)
    shared = [round(rank**-alpha * (1 << _BITS)) for rank in ranks]
    if hard:
        third = round(3**-alpha * (1 << _BITS))
        shared = [third * part // 100 for part in (*LEADERS, *DECOYS)] + shared
    return np.array(shared, dtype=np.int64)


def occurrences(shared: NDArray[np.int64], dots: int) -> NDArray[np.int64]:
    """How often each word stands beside so many dots: shape (n,), n of which stand at all.

    Grows with `dots`, word by word. `shared`: as `shares` gives them for as many dots or more.
    """
    times = shared * dots >> _BITS
    return times[: int(np.count_nonzero(times))]
