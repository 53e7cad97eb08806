"""Lays statements out between the paragraphs of filler, to the token.

Statements are lines of their own and whole paragraphs stand between them, so that what a statement costs does not
depend on where it stands: of a hundred statements in a short text none keeps the others from their place.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.context import Assembly, Piece, fill
from carrara.errors import BudgetError
from carrara.task import Units

# The paragraphs that may be the last, and how many of the last sentences may be left out.
_LAST_PARAGRAPHS: Final = 24
_CANDIDATES: Final = 96


def lay_out(head: str, tail: str, units: Units, statements: Sequence[Piece], room: int) -> Assembly:
    """`room` tokens of filler between head and tail, and the statements in it; sorted by depth, each a line.

    The filler ends with a paragraph, of whose sentences some before it are left out. Raises BudgetError where the
    filler is too short.
    """
    kept, spent = _kept(units, room)
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.where(kept, units.costs[: len(kept)], 0))])
    parts, spans, depths = [head], [], []
    length, at = len(head), 0
    for statement in statements:
        joint = _joint(units, before, statement.depth * spent)
        stretch = _text(units, kept, at, joint)
        parts += [stretch, statement.text]
        spans.append((length + len(stretch), length + len(stretch) + len(statement.text.rstrip("\n"))))
        length, at = length + len(stretch) + len(statement.text), joint
        depths.append(round(int(before[joint]) / spent, 6) if spent else 0.0)
    parts += [_text(units, kept, at, len(kept)), tail]
    return Assembly("".join(parts), tuple(spans), tuple(depths), spent, room - spent)


def _kept(units: Units, room: int) -> tuple[NDArray[np.bool_], int]:
    """Which units stand, of the first up to the end of a paragraph, and their tokens: `room`, or the nearest below."""
    totals = np.cumsum(units.costs)
    if not len(totals) or totals[-1] < room:
        have = int(totals[-1]) if len(totals) else 0
        raise BudgetError(
            f"the filler holds {have} tokens; {room} are wanted: {room - have} are missing",
            "use a larger source or a smaller bucket",
        )
    best, most = np.zeros(0, dtype=np.bool_), 0
    stop = int(np.searchsorted(totals, room))
    for _ in range(_LAST_PARAGRAPHS):
        stop = _paragraph_end(units, stop, len(totals))
        excess = int(totals[stop - 1]) - room if stop else 0
        # The last one ends the paragraph: it stays.
        free = np.flatnonzero(units.droppable[: max(0, stop - 1)])[-_CANDIDATES:]
        offered = int(units.costs[free].sum())
        if offered >= excess:
            filling = fill(units.costs[free], offered - excess)
            if (spent := room - (offered - excess) + filling.tokens) > most:
                kept = np.ones(stop, dtype=np.bool_)
                kept[np.delete(free, filling.kept)] = False
                best, most = kept, spent
        if most == room or stop == len(totals):
            break
    return best, most


def _joint(units: Units, before: NDArray[np.int64], tokens: float) -> int:
    """The joint of two paragraphs that is nearest to so many tokens of filler."""
    at = min(int(np.searchsorted(before, tokens)), len(before) - 1)
    high = _paragraph_end(units, at - 1, len(before) - 1) if at else 0
    low = at
    while low and not units.text(low - 1, low).endswith("\n"):
        low -= 1
    return low if tokens - before[low] <= before[high] - tokens else high


def _paragraph_end(units: Units, start: int, stop: int) -> int:
    """The first joint behind unit `start` that ends a paragraph, at most `stop`."""
    end = min(start + 1, stop)
    while end < stop and not units.text(end - 1, end).endswith("\n"):
        end += 1
    return end


def _text(units: Units, kept: NDArray[np.bool_], start: int, stop: int) -> str:
    """The units of a stretch that are kept, joined."""
    gone = (np.flatnonzero(~kept[start:stop]) + start).tolist()
    edges = zip([start, *(place + 1 for place in gone)], [*gone, stop], strict=True)
    return "".join(units.text(first, last) for first, last in edges if first < last)
