"""The kinship graph: four lines of ancestors with the same number of steps, as chains, trees or one linked family.

A group has four lines, numbered 0 to 3. Step t of a line leads from its person t (0 is the bottom) to its person t + 1,
over one generation or two. Further statements (`extras`) make the topology:

* chain: none; four families of one line each.
* tree: four families, alike except for names. Some people of a line have further descendants, who never reach the
  generation of the line's bottom, or a second parent or grandparent, whose own line ends below the line's root.
* graph: one family. Everybody has one birth generation. A link leads from a line to another with a lower root, so that
  a line's root is the only ancestor of the earliest generation that its bottom has.

In every topology exactly one person answers each of the four questions about a group.
Must not change: the structure of a stream. A shorter structure is a prefix of a longer one except for its last steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, permutations
from typing import Final, Literal

from carrara.stream import Stream
from carrara.tasks.needlebench.ancestral_trace.prompt import KinshipQuestion, Topology

LINES: Final = 4
# In a tree every second person of a line has a branch; in a graph every third has a link (on average).
_BRANCHES: Final[tuple[Literal["", "down", "up"], ...]] = ("", "", "down", "up")
_LINK_ONE_IN: Final = 3
_ORDERS: Final = tuple(permutations(range(LINES)))
# (younger, elder, generations), people by number.
NumberedTie = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Structure:
    """A group. `terms`: the generations of each line's steps, bottom first; `extras`: further statements.

    Person t of line l has number 4 * stride * t + l; branches have the numbers between. The path asked about runs from
    step `low` to step `high`.
    """

    terms: tuple[tuple[int, ...], ...]
    extras: tuple[NumberedTie, ...]
    stride: int
    low: int
    high: int

    def person(self, line: int, step: int) -> int:
        """The number of a line's person; the lower end of its path is at step `low`, the upper at `high`."""
        return LINES * self.stride * step + line

    def generations(self, line: int) -> int:
        """How many generations lie between the ends of a line's path."""
        return sum(self.terms[line][self.low : self.high])

    @property
    def people(self) -> int:
        """One more than the largest number of a person."""
        return LINES * self.stride * (len(self.terms[0]) + 1)


def draw_structure(stream: Stream, topology: Topology, question: KinshipQuestion, steps: int) -> Structure:
    """A group whose paths have `steps` steps: at least 2, or 3 for distances, which must differ."""
    low, high = (1, steps + 1) if question == "descendant" else (0, steps)
    # An ancestor asked for by generations is no root, and a descendant no bottom: they must be found by counting.
    top = high + 1 if question == "ancestor" else high
    if question == "distance":
        terms = _different_terms(stream.child("terms"), top)
    else:
        shared = (1 + stream.child("terms").below_many(2, top)).tolist()
        if question != "eldest":
            # In a graph, roots asked for by generations are two apart: a step of one never meets another root.
            shared[-1 if question == "ancestor" else 0] = 1
        terms = (tuple(shared),) * LINES
    if topology == "chain":
        return Structure(terms, (), 1, low, high)
    if topology == "tree":
        return Structure(terms, tuple(_branches(stream.child("branches"), terms, low, high)), 3, low, high)
    apart = 2 if question in ("ancestor", "descendant") else 1
    return Structure(terms, tuple(_Links(stream.child("links"), terms, apart).draw()), 1, low, high)


def _different_terms(stream: Stream, top: int) -> tuple[tuple[int, ...], ...]:
    """Terms of four lines with different sums: drawn freely, except that three of each line make the sums differ."""
    places = [stream.child("places", line).sample(range(top), 3) for line in range(LINES)]
    free = [(1 + stream.child("free", line).below_many(2, top)).tolist() for line in range(LINES)]
    sums = [sum(line) - sum(line[at] for at in own) for line, own in zip(free, places, strict=True)]
    orders = [order for order in _ORDERS if len({sum(pair) for pair in zip(sums, order, strict=True)}) == LINES]
    for line, own, twos in zip(free, places, stream.child("order").choice(orders), strict=True):
        for number, at in enumerate(own):
            line[at] = 2 if number < twos else 1
    return tuple(map(tuple, free))


def _branches(stream: Stream, terms: Sequence[Sequence[int]], low: int, high: int) -> list[NumberedTie]:
    """Branches of one or two people, downwards and upwards, the same on all four lines; at least one."""
    heights = [list(accumulate(line, initial=0)) for line in terms]
    top = len(terms[0])
    limits = {"kind": len(_BRANCHES), "first": 2, "second": 3}
    columns = [stream.child(name).below_many(limit, top + 1).tolist() for name, limit in limits.items()]
    ties: list[NumberedTie] = []
    for step, (kind, first, second) in enumerate(zip(*columns, strict=True)):
        # Nobody stands above a root.
        if (direction := _BRANCHES[kind]) and not (direction == "up" and step == top):
            ties += _branch(heights, low, high, step, direction, (1 + first, second))
    return ties or _branch(heights, low, high, top, "down", (1,))


def _branch(
    heights: Sequence[Sequence[int]], low: int, high: int, step: int, direction: str, spans: Sequence[int]
) -> list[NumberedTie]:
    """One person for each span, until one would reach the generation of an end of the path."""
    ties: list[NumberedTie] = []
    reached = [line[step] for line in heights]
    for number, span in enumerate(spans):
        reached = [height + (span if direction == "up" else -span) for height in reached]
        both = list(zip(reached, heights, strict=True))
        inside = (height < line[high] if direction == "up" else height > line[low] for height, line in both)
        if not span or not all(inside):
            break
        for line in range(LINES):
            old, new = (LINES * (3 * step + at) + line for at in (number, number + 1))
            ties.append((old, new, span) if direction == "up" else (new, old, span))
    return ties


class _Links:
    """Draws the links of a graph; generations count from the bottom of the lowest line."""

    def __init__(self, stream: Stream, terms: Sequence[Sequence[int]], apart: int) -> None:
        self.stream, self.terms, self.top = stream, terms, len(terms[0])
        # From the line with the lowest root to that with the highest.
        self.order = stream.child("order").shuffled(range(LINES))
        sums = [sum(line) for line in terms]
        bottoms = {line: apart * rank + max(sums) - sums[line] for rank, line in enumerate(self.order)}
        self.heights = [list(accumulate(terms[line], initial=bottoms[line])) for line in range(LINES)]
        self.steps = [{height: step for step, height in enumerate(line)} for line in self.heights]
        # If two parents of a person are stated, the second has the other sex than the first, and the first is nobody's
        # second.
        self.firsts: set[int] = set()
        self.seconds: set[int] = set()

    def draw(self) -> list[NumberedTie]:
        """Links from every line except the lowest, at least one of each if generations allow; at most one a person."""
        ties: list[NumberedTie] = []
        for rank, line in enumerate(self.order[1:], 1):
            own = self.stream.child(line)
            limits = {"link": _LINK_ONE_IN, "target": rank, "first": 2}
            columns = [own.child(name).below_many(limit, self.top).tolist() for name, limit in limits.items()]
            drawn: list[NumberedTie] = []
            for step, (link, target, first) in enumerate(zip(*columns, strict=True)):
                if not link:
                    drawn += self._link(line, step, self.order[target], (1 + first, 2 - first))
            for step in range(self.top):
                for lower in self.order[rank - 1 :: -1]:
                    drawn = drawn or self._link(line, step, lower, (1, 2))
            ties += drawn
        return ties

    def _link(self, line: int, step: int, lower: int, spans: Sequence[int]) -> list[NumberedTie]:
        """The link from a line's person to a person of a lower line one of `spans` generations above, if any."""
        for span in spans:
            # 0: nobody there, or the bottom, who has no children.
            if not (at := self.steps[lower].get(self.heights[line][step] + span, 0)):
                continue
            younger, own, elder = LINES * step + line, LINES * (step + 1) + line, LINES * at + lower
            if span == self.terms[line][step] == 1:
                if elder in self.firsts | self.seconds or own in self.seconds:
                    continue
                self.firsts.add(own)
                self.seconds.add(elder)
            return [(younger, elder, span)]
        return []
