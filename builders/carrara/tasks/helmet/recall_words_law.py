"""How often the words of a coded text stand: Zipf's law in whole numbers, the same on every machine.

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


def occurrences(alpha: float, hard: bool, dots: int) -> NDArray[np.int64]:
    """How often each word stands beside so many dots, in the order of the words: shape (n,), n of which stand at all.

    Grows with `dots`, word by word. The dots have the first rank, the words those from the second on.
    """
    # Beyond this rank a word would stand less than once.
    last = int(max(dots, 1) ** (1 / alpha)) + 2
    ranks = range(_NEXT_RANK if hard else 2, last + 1)
    shares = [round(rank**-alpha * (1 << _BITS)) for rank in ranks]
    if hard:
        third = round(3**-alpha * (1 << _BITS))
        shares = [third * part // 100 for part in (*_LEADERS, *_DECOYS)] + shares
    found = np.array(shares, dtype=np.int64) * dots >> _BITS
    return found[: int(np.count_nonzero(found))]
