"""A few short sentences, the same paragraph over and over: the noise that vt's statements stand in."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.task import Budget

SENTENCES: Final = (
    "Rain taps on the window.",
    " The kettle hums on the stove.",
    " A cart rolls down the lane.",
    " Somewhere a dog barks twice.",
    " Then it is quiet again.\n\n",
)
_ROUND: Final = "".join(SENTENCES)


@dataclass(frozen=True, slots=True)
class Noise:
    """Rounds of the sentences as units: the inner ones may be left out."""

    costs: NDArray[np.int64]
    droppable: NDArray[np.bool_]

    def text(self, start: int, stop: int) -> str:
        """The text of units start .. stop - 1, joined."""
        size = len(SENTENCES)
        first, last = start // size, -(-stop // size)
        before = sum(map(len, SENTENCES[: start % size]))
        behind = sum(map(len, SENTENCES[size - (last * size - stop) :]))
        return (_ROUND * (last - first))[before : (last - first) * len(_ROUND) - behind]


def noise(tokens: int, budget: Budget) -> Noise:
    """Noise of at least so many tokens."""
    costs = budget.count_many(list(SENTENCES))
    rounds = max(0, tokens) // int(costs.sum()) + 1
    inner = [0 < place < len(SENTENCES) - 1 for place in range(len(SENTENCES))]
    return Noise(np.tile(costs, rounds), np.tile(np.array(inner, dtype=np.bool_), rounds))
