"""Filler of latent_list sessions: prints of a phrase, even numbers of reverses, and blocks that cancel themselves.

A unit is one or more whole lines and leaves the list as it was. Must not change: unit j of a stream.
"""

from dataclasses import dataclass, field
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.stream import Stream
from carrara.task import Budget
from carrara.tasks.michelangelo.latent_list.program import LARGEST

# A phrase has no digits or brackets and does not mention the list, so no print looks like a result or a hint.
PHRASE_LINE: Final = '>> print("{phrase}")\n'
PHRASES: Final = (
    "Good morning.",
    "Still at work.",
    "One more step.",
    "A light rain is falling.",
    "Moving on.",
    "So far so good.",
    "Please wait.",
    "All is quiet.",
    "Just passing by.",
    "Keep going.",
    "Ready when you are.",
    "The kettle is on.",
    "Only a message.",
    "Halfway there, perhaps.",
    "Thank you for waiting.",
    "Carry on.",
)
REVERSE_LINE: Final = ">> a.reverse()\n"
REVERSES: Final = (2, 4, 6)
# Each leaves any list as it was, empty or not: a remove meets the block's own value first.
CANCELLING: Final = (
    ">> a.append({x})\n>> a.pop()\n",
    ">> a.insert(0, {x})\n>> a.pop(0)\n",
    ">> a.insert(0, {x})\n>> a.remove({x})\n",
    ">> a.append({x})\n>> a.append({y})\n>> a.pop()\n>> a.pop()\n",
    ">> a.insert(0, {x})\n>> a.append({y})\n>> a.pop(0)\n>> a.pop()\n",
    ">> a.append({x})\n>> a.insert(0, {y})\n>> a.pop()\n>> a.remove({y})\n",
    ">> a.insert(0, {x})\n>> a.insert(1, {y})\n>> a.pop(0)\n>> a.pop(0)\n",
    ">> a.append({x})\n>> a.reverse()\n>> a.pop(0)\n>> a.reverse()\n",
    ">> a.insert(0, {x})\n>> a.reverse()\n>> a.pop()\n>> a.reverse()\n",
)
# Every three units are a print, a run of reverses and a block, in one of these orders.
_DEALS: Final = tuple(permutations(range(3)))
_FIRST_UNITS: Final = 1_200
# Tokens of filler beyond the room, so that the amount made never changes what `fill` takes.
_RESERVE: Final = 2_000


class OperationFiller:
    """Endless filler: unit j is a function of (stream, j); each column of draws has a stream of its own."""

    def __init__(self, stream: Stream) -> None:
        self._columns = {
            name: (stream.child(name), limit)
            for name, limit in (
                ("phrase", len(PHRASES)),
                ("reverses", len(REVERSES)),
                ("block", len(CANCELLING)),
                ("x", 2 * LARGEST + 1),
                ("y", 2 * LARGEST + 1),
            )
        }
        self._deals = stream.child("deal")

    def take(self, count: int) -> list[str]:
        """The next `count` units; `count` is a multiple of three, the units of one deal."""
        columns = (stream.below_many(limit, count).tolist() for stream, limit in self._columns.values())
        deals = self._deals.below_many(len(_DEALS), count // 3).tolist()
        kinds = (kind for deal in deals for kind in _DEALS[deal])
        units = []
        for kind, phrase, reverses, block, x, y in zip(kinds, *columns, strict=True):
            if kind == 0:
                units.append(PHRASE_LINE.format(phrase=PHRASES[phrase]))
            elif kind == 1:
                units.append(REVERSE_LINE * REVERSES[reverses])
            else:
                units.append(CANCELLING[block].format(x=x - LARGEST, y=y - LARGEST))
        return units


@dataclass(slots=True)
class PricedFiller:
    """The filler of a session, made on demand, and its costs in tokens."""

    stream: Stream
    budget: Budget
    texts: list[str] = field(default_factory=list)
    costs: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    _filler: OperationFiller | None = None
    _known: dict[str, int] = field(default_factory=dict)

    def reach(self, tokens: int) -> None:
        """Make units until they cost at least `tokens` and the reserve."""
        self._filler = self._filler or OperationFiller(self.stream)
        while (missing := tokens + _RESERVE - int(self.costs.sum())) > 0:
            mean = float(self.costs.mean()) if self.texts else 0.0
            more = self._filler.take(3 * int(missing / mean / 3 + 100) if mean else _FIRST_UNITS)
            new = [text for text in dict.fromkeys(more) if text not in self._known]
            self._known.update(zip(new, self.budget.count_many(new).tolist(), strict=True))
            self.texts += more
            self.costs = np.append(self.costs, np.array([self._known[text] for text in more], dtype=np.int64))
