"""Word counts of a coded text: Zipf's law in integers, the same on every machine.

Must not change: the shares and how they are rounded.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

# Shares are integers of this many binary places: the last bit of a power may differ between machines, these do not.
_BITS: Final = 32
# Of fwe_hard, in hundredths of what the third rank has: the words asked, then the decoys.
_LEADERS: Final = (110, 105, 100)
_DECOYS: Final = (95,) * 5
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
        shared = [third * part // 100 for part in (*_LEADERS, *_DECOYS)] + shared
    return np.array(shared, dtype=np.int64)


def occurrences(shared: NDArray[np.int64], dots: int) -> NDArray[np.int64]:
    """How often each word stands beside so many dots: shape (n,), n of which stand at all.

    Grows with `dots`, word by word. `shared`: as `shares` gives them for as many dots or more.
    """
    times = shared * dots >> _BITS
    return times[: int(np.count_nonzero(times))]
