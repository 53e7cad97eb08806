"""Exact-fit assembly: a head, filler with pieces at given depths, and a tail, together of a wanted token length.

Exact fit is arithmetic: units are taken in order until they pass the wanted length by a small excess, and a
bit-set subset-sum says which of the last units to leave out so that what they cost is that excess. The finished
prompt is counted once as proof. White space belongs to units so that counts add up: a newline ends its unit, a space
begins it; a joint without white space (Chinese) costs what its two neighbours cost together beyond their sum.

Must not change without a major version: which units are kept, and where a piece stands.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from carrara.errors import BudgetError
from carrara.task import Budget, Units

TokenCounter = Callable[[str], int]
TokenCosts = NDArray[np.int64]
PieceJoint = Literal["space", "none"]

# The excess that the subset-sum removes, in mean unit costs, and the number of units that it may choose from.
_EXCESS_UNITS = 4
_CANDIDATES = 32
# Where no subset meets the excess (short prompts, many pieces), a run of units is left out that does, or one unit more
# is taken and both are tried again. Of 17,600 rows of 1k to 8k tokens all fitted but prompts of 384 with five needles.
_STOPS = 256
_SUBSETS = 16
_SEAM = 4
_ROUNDS = 4
_CORRECTIONS = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A text to place in the filler: a needle or a statement; `depth` 0 is before all filler, 1 after it."""

    text: str
    depth: float


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the filler. `joint` says how a piece meets its neighbours inside a paragraph.

    "space": a space begins it; "none": nothing (Chinese). At a paragraph's end it becomes a paragraph of its own.
    """

    head: str
    tail: str
    joint: PieceJoint


@dataclass(frozen=True, slots=True)
class Assembly:
    """A finished prompt: `spans` of the pieces in code points, `depths` as achieved, and the tokens of its filler.

    `short`: how many of the wanted tokens it lacks by the sum of its parts, where no choice of units adds up.
    """

    prompt: str
    spans: tuple[tuple[int, int], ...]
    depths: tuple[float, ...]
    filler_tokens: int
    short: int


AssemblyT = TypeVar("AssemblyT", bound=Assembly)


@dataclass(frozen=True, slots=True)
class Filling:
    """The units that fill a length: all below `stop` except `dropped`; their costs sum to `tokens`."""

    stop: int
    dropped: tuple[int, ...]
    tokens: int

    @property
    def kept(self) -> list[int]:
        """The indices of the units that are kept, in order."""
        gone = set(self.dropped)
        return [index for index in range(self.stop) if index not in gone]


def fill(costs: TokenCosts, wanted: int, droppable: NDArray[np.bool_] | None = None, further: int = 0) -> Filling:
    """Choose a prefix of independent units without a few of its last ones, so that the costs sum to `wanted`.

    `costs`: shape (n,). Serves statements, examples, passages and pieces whose joints cost nothing. The sum is
    `wanted` wherever a subset reaches it, else the nearest below. Only units of `droppable`, shape (n,), are left out
    (all may be). Units of nearly one cost (passages) leave gaps between what four and what five of them cost: up to
    `further` more are then taken and left out. Raises BudgetError when all units together cost less.
    """
    totals = np.cumsum(costs)
    best = Filling(0, (), -1)
    for more in range(further + 1):
        stop = _stop(totals, wanted, costs, more)
        excess = int(totals[stop - 1]) - wanted if stop else 0
        for candidates in (_CANDIDATES, _STOPS):
            last = [i for i in range(max(0, stop - candidates), stop) if droppable is None or droppable[i]]
            dropped, removed = _subset([(int(costs[i]), i) for i in last], excess)
            if removed == excess:
                break
        filling = Filling(stop, tuple(sorted(dropped)), wanted + excess - removed)
        if best.tokens < 0 or best.tokens < filling.tokens <= wanted:
            best = filling
        if removed == excess or stop == len(totals):
            break
    return best


def assemble(frame: Frame, units: Units, pieces: Sequence[Piece], wanted: int, budget: Budget) -> Assembly:
    """Lay out a prompt of `wanted` tokens; pieces must be sorted by depth.

    Raises BudgetError if head, pieces and tail alone are longer, or if the filler is too short.
    """
    if any(a.depth > b.depth for a, b in pairwise(pieces)):
        raise ValueError("got unsorted pieces, expected them sorted by depth")
    return corrected(lambda aim: _lay_out(frame, units, pieces, aim, budget.count), wanted, wanted, budget)


def corrected(lay_out: Callable[[int], AssemblyT], aim: int, wanted: int, budget: Budget) -> AssemblyT:
    """The longest prompt of at most `wanted` tokens that `lay_out` gives, as counted; first for `aim`, its own measure.

    Where counts add up the first one has exactly `wanted`, or is as near as its units reach; where they do not
    (SentencePiece) the final count decides, and the filler absorbs the difference. Raises BudgetError where every
    prompt is longer.
    """
    longest, best = -1, None
    for _ in range(_CORRECTIONS + 1):
        laid = lay_out(aim)
        tokens = budget.measure(laid.prompt)
        if longest < tokens <= wanted:
            longest, best = tokens, laid
        if tokens == wanted or (laid.short and tokens < wanted):
            break
        aim += wanted - tokens
    if best is None:
        raise BudgetError(
            f"the prompt has {tokens} tokens after {_CORRECTIONS} corrections, expected at most {wanted}",
            "the tokenizer's counts do not add up where texts are joined: use another tokenizer, or report it",
        )
    return best


def _lay_out(frame: Frame, units: Units, pieces: Sequence[Piece], wanted: int, count: TokenCounter) -> Assembly:
    """The prompt of `wanted` tokens by the sum of its parts, `short` of it where no choice of units adds up."""
    totals = np.cumsum(units.costs)
    ends = _Ends(frame, units, pieces, count)
    inner = sum(piece.depth < 1 for piece in pieces)
    best: _Cut | None = None
    # Behind the last piece, unless nothing fits there; then between pieces.
    for gap, further in product(range(inner, -1, -1), range(_STOPS)):
        cut = _cut(ends, totals, wanted, gap, further)
        if cut is not None and (best is None or cut.short < best.short):
            best = cut
        if (best is not None and not best.short) or (cut is not None and cut.stop == len(totals)):
            break
    if best is None:
        raise BudgetError(
            f"no filler fits into a prompt of {wanted} tokens with {len(pieces)} pieces",
            "use a larger bucket or fewer needles",
        )
    return _write(frame, units, pieces, best, totals)


@dataclass(frozen=True, slots=True)
class _Cut:
    """The joint of each piece, the units that are taken and those left out; `short`: tokens below the wanted length."""

    joints: list[int]
    stop: int
    dropped: list[int]
    short: int


def _cut(ends: "_Ends", totals: NDArray[np.int64], wanted: int, gap: int, further: int) -> _Cut | None:
    units, pieces, placed = ends.units, ends.pieces, ends.dressed
    joints: list[int] = []
    depths = np.array([piece.depth for piece in pieces], dtype=np.float64)
    for _ in range(_ROUNDS):
        room = wanted - ends.bare - placed
        if room < 0:
            raise BudgetError(
                f"the fixed text and its {len(pieces)} pieces take {wanted - room} tokens; the prompt has {wanted}",
                "use a larger bucket, fewer needles or a smaller max_output_tokens",
            )
        stop = _stop(totals, room, units.costs, further)
        before = joints
        excess = (int(totals[stop - 1]) if stop else 0) - room
        joints, low, high = _joints(totals, stop, depths, room, excess, gap)
        placed = ends.correct(stop) + sum(ends.insertion(joint, stop, joints) for joint in sorted(set(joints)))
        if joints == before:
            break
    excess = (int(totals[stop - 1]) if stop else 0) + ends.bare + placed - wanted
    dropped, removed = _drops(units, low, high, joints, stop, excess, ends.count) if further < _SUBSETS else ([], 0)
    if removed != excess and (run := _run(ends, totals, low, high, ends.body(low, joints), excess)):
        dropped, removed = list(run), excess
    return _Cut(joints, stop, dropped, removed - excess) if removed >= excess else None


class _Ends:
    """The cost that the ends of the filler, and the pieces in it, add to the sum of the units."""

    def __init__(self, frame: Frame, units: Units, pieces: Sequence[Piece], count: TokenCounter) -> None:
        self.frame, self.units, self.pieces, self.count = frame, units, pieces, count
        self.bare = count(frame.head) + count(frame.tail)
        self.dressed = sum(count(_dress(piece.text, frame.joint, False)) for piece in pieces)
        self._inserted: dict[tuple[int, int, int, bool], int] = {}

    def left(self, joint: int) -> str:
        return self.units.text(joint - 1, joint) if joint else self.frame.head

    def right(self, joint: int, stop: int, left: str) -> str:
        return self.units.text(joint, joint + 1) if joint < stop else _closing(left) + self.frame.tail

    def correct(self, stop: int) -> int:
        """The cost of head, first unit, last unit and tail together, minus `bare` and the units' own costs."""
        if not stop:
            whole = _closing(self.frame.head)
            return self.count(self.frame.head + whole + self.frame.tail) - self.bare
        first, last = self.units.text(0, 1), self.units.text(stop - 1, stop)
        top = self.count(self.frame.head + first) - self.count(self.frame.head) - int(self.units.costs[0])
        closing = _closing(last)
        return top + self.count(last + closing + self.frame.tail) - self.count(last) - self.count(self.frame.tail)

    def body(self, joint: int, joints: Sequence[int]) -> str:
        """The text of the pieces at a joint; `joints` are sorted."""
        here = self.pieces[bisect_left(joints, joint) : bisect_right(joints, joint)]
        return _dressed(self.left(joint), [piece.text for piece in here], self.frame.joint)

    def insertion(self, joint: int, stop: int, joints: Sequence[int]) -> int:
        """The cost of pieces at a joint: that of the neighbourhood with them minus that without.

        It is counted once: from one round to the next few of two thousand pieces move.
        """
        key = (joint, bisect_left(joints, joint), bisect_right(joints, joint), joint < stop)
        if (known := self._inserted.get(key)) is not None:
            return known
        left, body = self.left(joint), self.body(joint, joints)
        without = left + self.right(joint, stop, left)
        cost = self.count(left + body + self.right(joint, stop, left + body)) - self.count(without)
        return self._inserted.setdefault(key, cost)


def _dressed(left: str, texts: Sequence[str], joint: PieceJoint) -> str:
    body = ""
    for text in texts:
        body += _dress(text, joint, (left + body).endswith("\n"))
    return body


def _dress(text: str, joint: PieceJoint, after_newline: bool) -> str:
    return f"{text}\n\n" if after_newline else f" {text}" if joint == "space" else text


def _closing(left: str) -> str:
    return "" if left.endswith("\n") else "\n\n"


def _stop(totals: NDArray[np.int64], wanted: int, costs: NDArray[np.int64], further: int = 0) -> int:
    """The number of units to take before the excess is removed, plus `further`."""
    if wanted <= 0:
        return 0
    have = int(totals[-1]) if len(totals) else 0
    if have < wanted:
        raise BudgetError(
            f"the filler has {have} tokens, expected {wanted}: {wanted - have} are missing",
            "use a larger source, a smaller bucket, or allow repetition (repeat = true)",
        )
    near = int(np.searchsorted(totals, wanted)) + 1
    mean = int(costs[max(0, near - 64) : near].mean()) + 1
    return min(int(np.searchsorted(totals, wanted + _EXCESS_UNITS * mean)) + 1 + further, len(totals))


def _joints(
    totals: NDArray[np.int64], stop: int, depths: NDArray[np.float64], room: int, excess: int, gap: int
) -> tuple[list[int], int, int]:
    """The joint of every piece (a piece at joint j stands before unit j), and the joints between which units are cut.

    What is cut out of gap `gap` (behind so many pieces) makes later pieces come `excess` tokens earlier in the prompt
    than in the source. Gap = the pieces before the end: a shorter prompt's filler is then the beginning of a longer
    one's but for its last units.
    """
    shifts = np.where(np.arange(len(depths)) >= gap, excess, 0)
    joints = np.where(depths >= 1, stop, _nearest(totals[:stop], depths * room + shifts)).tolist()
    return joints, joints[gap - 1] if gap else 0, joints[gap] if gap < len(joints) else stop


def _nearest(totals: NDArray[np.int64], tokens: NDArray[np.float64]) -> NDArray[np.int64]:
    """The joints with a number of tokens before them nearest to each of `tokens`, the earlier of two."""
    edges = np.concatenate(([0], totals)).astype(np.float64)
    joints = np.searchsorted(edges[1:], tokens)
    after = edges[np.minimum(joints + 1, len(edges) - 1)]
    return joints + ((joints < len(totals)) & (tokens - edges[joints] > after - tokens))


def _drops(
    units: Units, low: int, high: int, joints: Sequence[int], stop: int, excess: int, count: TokenCounter
) -> tuple[list[int], int]:
    """Which units between two joints to leave out so that `excess` tokens go, and how many go; never two neighbours.

    A unit beside a piece or at the ends stays, so that what a unit saves does not depend on what else is left out.
    """
    savings: list[tuple[int, int]] = []
    taboo = set(joints) | {joint - 1 for joint in joints} | {0, stop - 1}
    index = high - 1
    while index > low and len(savings) < _CANDIDATES:
        if units.droppable[index] and index not in taboo:
            before, after = units.text(index - 1, index), units.text(index + 1, index + 2)
            whole = count(before + units.text(index, index + 1) + after)
            savings.append((whole - count(before + after), index))
            index -= 1
        index -= 1
    dropped, removed = _subset(savings, excess)
    return sorted(dropped), removed


def _run(ends: _Ends, totals: NDArray[np.int64], low: int, high: int, body: str, excess: int) -> range | None:
    """The last run of units between two joints whose removal saves exactly `excess` tokens, or None.

    `body`: the pieces at joint `low`. The run touches the edge of a paragraph on both sides or on neither, so that no
    paragraph begins with a space.
    """
    units, count = ends.units, ends.count

    def seam(left: str, right: str) -> int:
        return count(left + right) - count(left) - count(right)

    for first in range(high - 2, max(low - 1, 0, high - _STOPS), -1):
        before = int(totals[first - 1])
        aims = [before + excess - _SEAM, before + excess + _SEAM + 1]
        nearest, furthest = np.searchsorted(totals[first : high - 1], aims) + first + 1
        for end in range(int(nearest), min(int(furthest), high)):
            previous, start, lost, right = (units.text(at, at + 1) for at in (first - 1, first, end - 1, end))
            left = previous + (body if first == low else "")
            if left.endswith("\n") != lost.endswith("\n"):
                continue
            seams = seam(left, start) - seam(previous, start) + seam(lost, right) - seam(left, right)
            if int(totals[end - 1]) - before + seams == excess:
                return range(first, end)
    return None


def _subset(savings: Sequence[tuple[int, int]], excess: int) -> tuple[list[int], int]:
    """The units whose savings sum to `excess`, or else to the smallest sum above it, or none; and that sum.

    Reachable sums are the bits of an integer, so that adding a unit is one shift and one OR.
    """
    if excess <= 0:
        return [], 0
    usable = [(saving, index) for saving, index in savings if saving > 0]
    layers = [1]
    for saving, _ in usable:
        layers.append(layers[-1] | layers[-1] << saving)
    above = layers[-1] >> excess
    if not above:
        return [], 0
    total = target = excess + ((above & -above).bit_length() - 1)
    chosen = []
    for number in range(len(usable) - 1, -1, -1):
        saving, index = usable[number]
        if not layers[number] >> target & 1:
            chosen.append(index)
            target -= saving
    return chosen, total


def _write(frame: Frame, units: Units, pieces: Sequence[Piece], cut: _Cut, totals: NDArray[np.int64]) -> Assembly:
    joints, stop, dropped = cut.joints, cut.stop, cut.dropped
    removed = [0]
    for index in dropped:
        removed.append(removed[-1] + int(totals[index]) - (int(totals[index - 1]) if index else 0))
    filler_tokens = (int(totals[stop - 1]) if stop else 0) - removed[-1]

    parts = [frame.head]
    length, last = len(frame.head), frame.head
    spans: list[tuple[int, int]] = []
    depths: list[float] = []
    cuts = sorted(
        [(joint, 0, number) for number, joint in enumerate(joints)] + [(index, 1, index) for index in dropped]
    )
    at = 0
    for where, kind, number in [*cuts, (stop, 2, 0)]:
        if where > at:
            part = units.text(at, where)
            parts.append(part)
            length, last, at = length + len(part), part, where
        if kind == 1:
            at = where + 1
        elif kind == 0:
            bare = pieces[number].text
            part = _dress(bare, frame.joint, last.endswith("\n"))
            start = length + part.index(bare)
            spans.append((start, start + len(bare)))
            before = (int(totals[where - 1]) if where else 0) - removed[bisect_right(dropped, where - 1)]
            depths.append(round(before / filler_tokens, 6) if filler_tokens else 0.0)
            parts.append(part)
            length, last = length + len(part), part
    parts.append(_closing(last) + frame.tail)
    return Assembly("".join(parts), tuple(spans), tuple(depths), filler_tokens, cut.short)
