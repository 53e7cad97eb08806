"""Filler of one kind made and counted as far as a row needs it: unit j is a function of a key and j alone."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

FIRST_UNITS = 256
# Tokens beyond the room, so that how much was made never decides what `fill` takes.
_RESERVE = 4_000


@dataclass(slots=True)
class Filler:
    """Units 0, 1, ... of `make(start, count)`, which gives their texts, with their costs: shape (n,), int64.

    `price` gives the costs of texts; the first call is for `FIRST_UNITS` of them.
    """

    make: Callable[[int, int], list[str]]
    price: Callable[[list[str]], NDArray[np.int64]]
    texts: list[str] = field(default_factory=list)
    costs: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def reach(self, tokens: int) -> None:
        """Make units until they cost at least `tokens` and the reserve."""
        while (missing := tokens + _RESERVE - int(self.costs.sum())) > 0:
            count = int(missing / float(self.costs.mean()) * 1.01) + 16 if self.texts else FIRST_UNITS
            more = self.make(len(self.texts), count)
            self.texts += more
            self.costs = np.append(self.costs, self.price(more).astype(np.int64))
