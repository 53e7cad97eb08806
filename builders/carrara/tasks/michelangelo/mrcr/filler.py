"""The filler turns of an MRCR conversation: their keys and numbers, their texts and costs.

Unit j of a session is a function of (stream, j). It shares format, topic, both (not the style) or neither with the
asked key, in a stated mix. No number of a key comes twice: when a key runs out, the next key of its group follows,
then the next group; the session ends when all have run out. Must not change: the order of the draws.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.stream import Stream
from carrara.tables import PieceKey, Pieces
from carrara.task import Budget
from carrara.tasks.michelangelo.mrcr.prompt import MODEL, TURN_END, USER

GROUPS: Final = ("format", "topic", "both", "neither")
# Reserve beyond the room, in costs of the longest unit, so that the number made never changes which are taken: `fill`
# looks four mean costs and one unit ahead.
_AHEAD: Final = 6
_FIRST_UNITS: Final = 12


@dataclass(frozen=True, slots=True)
class FillerTurn:
    """A request and the piece that answers it."""

    request: str
    piece: str


def write_turn(turn: FillerTurn, remark: str = "") -> str:
    """The turn as it stands in a prompt; a remark begins with a space, as does the request after it."""
    return f"{USER}{remark} {turn.request}{MODEL}{turn.piece}{TURN_END}"


def group_keys(asked: PieceKey, keys: Sequence[PieceKey]) -> tuple[list[PieceKey], ...]:
    """The keys of each of GROUPS, in the order of `keys`, without those whose words name the asked key in full.

    If the asked key has no style, no key shares both: "the poem about tides" would mean any of them.
    """
    groups: tuple[list[PieceKey], ...] = ([], [], [], [])
    words = [
        re.compile(rf"(?<!\w){re.escape(part)}(?!\w)", re.IGNORECASE)
        for part in (asked.topic, asked.format, asked.style)
        if part
    ]
    for key in keys:
        if key.format == asked.format:
            number = 2 if key.topic == asked.topic else 0
        else:
            number = 1 if key.topic == asked.topic else 3
        if number == 2 and (not asked.style or key.style in ("", asked.style)):
            continue
        if asked.topic in f"{key.format} {key.topic} {key.style}":
            said = f"{key.format} about {key.topic} in {key.style} style"
            if all(word.search(said) for word in words):
                continue
        groups[number].append(key)
    return groups


class TurnDeal:
    """Keys and numbers of the units, in order; `first`: the number with which each key begins, modulo its count."""

    def __init__(
        self, stream: Stream, bank: Pieces, groups: Sequence[Sequence[PieceKey]], mix: Sequence[int], first: int
    ) -> None:
        dealt = [(name, keys, share) for name, keys, share in zip(GROUPS, groups, mix, strict=True) if keys and share]
        self._bank, self._first = bank, first
        self._groups = [list(keys) for _, keys, _ in dealt]
        self._columns = [stream.child(name) for name, _, _ in dealt]
        self._mix = stream.child("mix")
        self._shares = [number for number, (_, _, share) in enumerate(dealt) for _ in range(share)]
        self._dealt: dict[PieceKey, int] = {}

    def take(self, count: int) -> list[tuple[PieceKey, int]]:
        """The next `count` units, fewer where the bank has no more."""
        if not self._shares:
            return []
        columns = zip(self._groups, self._columns, strict=True)
        places = [column.below_many(len(keys), count).tolist() if keys else [] for keys, column in columns]
        units = []
        for at, share in enumerate(self._mix.below_many(len(self._shares), count).tolist()):
            first = self._shares[share]
            for step in range(len(self._groups)):
                group = (first + step) % len(self._groups)
                if self._groups[group] and (unit := self._next(group, places[group][at])):
                    units.append(unit)
                    break
            else:
                break
        return units

    def _next(self, group: int, offset: int) -> tuple[PieceKey, int] | None:
        keys = self._groups[group]
        for step in range(len(keys)):
            key = keys[(offset + step) % len(keys)]
            count, dealt = self._bank.count(key), self._dealt.get(key, 0)
            if dealt < count:
                self._dealt[key] = dealt + 1
                return key, (self._first + dealt) % count
        return None


@dataclass(slots=True)
class PricedTurns:
    """The units of a session, written on demand, and their costs in tokens."""

    deal: TurnDeal
    bank: Pieces
    budget: Budget
    turns: list[FillerTurn] = field(default_factory=list)
    costs: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    _ended: bool = False

    def reach(self, tokens: int) -> None:
        """Write units until they cost `tokens` and a reserve, or until the bank has no more."""
        while not self._ended:
            have, longest = int(self.costs.sum()), int(self.costs.max()) if self.turns else 0
            missing = tokens + _AHEAD * longest - have
            if self.turns and missing <= 0:
                return
            count = int(missing / (have / len(self.turns))) + 4 if self.turns else _FIRST_UNITS
            dealt = self.deal.take(count)
            new = [FillerTurn(self.bank.request(key, number), self.bank.piece(key, number)) for key, number in dealt]
            self.turns += new
            if new:
                self.costs = np.append(self.costs, self.budget.count_many([write_turn(turn) for turn in new]))
            self._ended = len(new) < count
