"""Programs of latent_list (operations on a list and a view of it), and the paper's random model of them.

Every operation of a program counts: without it, the view of the final list differs (an error is a difference). This
module makes no text and shares nothing with the solver: Python's own list methods run the operations.

The random model (Michelangelo, section 3) takes, after k relevant operations, a list of 0 to k numbers from
[-4000, 4000], every length equally likely, and answers with the view of that. `len` has a closed form: over all pairs
of a true and a guessed length 1/2, 53/144 and 38.68 % for k = 1, 5, 20, the paper's figures. The other views are drawn.
Must not change: the order of the draws.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from carrara.errors import RecipeError
from carrara.stream import Stream

View = Literal["print", "sum", "min", "max", "len"]
OperationName = Literal["append", "insert", "pop", "remove", "sort", "reverse"]
Ints = NDArray[np.int64]

START: Final = (1, 2, 3, 4, 5, 6)
LARGEST: Final = 4_000
TRIES: Final = 2_000
_NAMES: Final[tuple[OperationName, ...]] = ("append", "insert", "pop", "remove", "sort", "reverse")
# The length is blind to order: a sort or a reverse can never count.
_RESIZING: Final[tuple[OperationName, ...]] = ("append", "insert", "pop", "remove")
# No value, sum or difference of a program's lists comes near these.
_ABSENT: Final = 1 << 40
DRAWS: Final = 64


@dataclass(frozen=True, slots=True)
class Operation:
    """One call on the list: insert has (position, value), append and remove (value), pop (position) or ()."""

    name: OperationName
    arguments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """Operations, the slice [start:stop] viewed (0, 0 for `len`), the final length and the value shown."""

    view: View
    operations: tuple[Operation, ...]
    start: int
    stop: int
    length: int
    value: int | tuple[int, ...]


def draw_program(stream: Stream, view: View, count: int) -> Program:
    """The first program, over keyed tries 0, 1, ..., with a slice for which each of `count` operations counts.

    Raises RecipeError if none of 2,000 tries qualifies.
    """
    for number in range(TRIES):
        own = stream.child(number)
        operations, states = _draw_operations(own, view, count)
        final = states[-1]
        others = _leave_each_out(operations, states, view == "len")
        if others is None:
            continue
        if view == "len":
            return Program(view, operations, 0, 0, len(final), len(final))
        slices = _telling_slices(view, final, others)
        if slices:
            start, stop = own.choice(slices)
            return Program(view, operations, start, stop, len(final), _value(view, final[start:stop]))
    raise RecipeError(
        f"no program of {count} operations with view {view!r} in {TRIES} tries in which each operation counts",
        "use a smaller complexity",
    )


def _draw_operations(stream: Stream, view: View, count: int) -> tuple[tuple[Operation, ...], list[list[int]]]:
    """Valid operations that never restore an earlier list, with the list before each and at the end.

    Two successive reverses would each count, and yet they are filler: a block that cancels itself.
    """
    names = _RESIZING if view == "len" else _NAMES
    operations: list[Operation] = []
    states = [list(START)]
    while len(operations) < count:
        now = states[-1]
        name = stream.choice(names)
        arguments: tuple[int, ...] = ()
        if name == "append":
            arguments = (stream.below(2 * LARGEST + 1) - LARGEST,)
        elif name == "insert":
            arguments = (stream.below(len(now) + 1), stream.below(2 * LARGEST + 1) - LARGEST)
        elif name in ("pop", "remove"):
            # An emptied list would make most slices impossible.
            if len(now) < 2:
                continue
            if name == "remove":
                arguments = (stream.choice(now),)
            elif stream.below(2):
                arguments = (stream.below(len(now)),)
        operation = Operation(name, arguments)
        after = list(now)
        _apply(after, operation)
        if after not in states:
            operations.append(operation)
            states.append(after)
    return tuple(operations), states


def _apply(values: list[int], operation: Operation) -> None:
    """Raises IndexError or ValueError as Python does."""
    if operation.name == "append":
        values.append(*operation.arguments)
    elif operation.name == "insert":
        values.insert(*operation.arguments)
    elif operation.name == "pop":
        values.pop(*operation.arguments)
    elif operation.name == "remove":
        values.remove(*operation.arguments)
    elif operation.name == "sort":
        values.sort()
    else:
        values.reverse()


def _leave_each_out(
    operations: Sequence[Operation], states: Sequence[list[int]], by_length: bool
) -> list[list[int]] | None:
    """The final lists with one operation left out each, if no error stops it; None if one equals the program's own.

    The last operations are tried first: they take the fewest steps, and most programs fail on one of them.
    """
    final = states[-1]
    others = []
    for left_out in range(len(operations) - 1, -1, -1):
        values = list(states[left_out])
        try:
            for operation in operations[left_out + 1 :]:
                _apply(values, operation)
        except (IndexError, ValueError):
            continue
        if len(values) == len(final) if by_length else values == final:
            return None
        others.append(values)
    return others


def _telling_slices(view: View, final: list[int], others: Sequence[list[int]]) -> list[tuple[int, int]]:
    """The non-empty slices whose view of the final list differs from the same view of every other list."""
    size = len(final)
    rows = np.full((len(others) + 1, size), _ABSENT, dtype=np.int64)
    rows[0] = final
    for number, values in enumerate(others, 1):
        rows[number, : len(values)] = values[:size]
    seen = _views(view, rows)
    # A printed slice differs if at least one of its positions does: count them.
    counts = seen[1:] != (0 if view == "print" else seen[:1])
    telling = np.triu(counts.all(axis=0)) if len(others) else np.triu(np.ones((size, size), dtype=np.bool_))
    return [(int(start), int(last) + 1) for start, last in np.argwhere(telling)]


def _views(view: View, rows: Ints) -> Ints:
    """The view of every slice of each row: shape (rows, first, last), valid where first <= last.

    A slice is cut at the end of a shorter list, as in Python; `_ABSENT` marks an empty slice.
    """
    if view in ("print", "sum"):
        parts = (rows != rows[0]).astype(np.int64) if view == "print" else np.where(rows == _ABSENT, 0, rows)
        sums = np.concatenate([np.zeros((len(rows), 1), dtype=np.int64), parts.cumsum(axis=1)], axis=1)
        return np.asarray(sums[:, None, 1:] - sums[:, :-1, None], dtype=np.int64)
    extreme = np.minimum if view == "min" else np.maximum
    filled = np.where(rows == _ABSENT, -_ABSENT, rows) if view == "max" else rows
    seen = np.full((len(rows), rows.shape[1], rows.shape[1]), _ABSENT, dtype=np.int64)
    for first in range(rows.shape[1]):
        seen[:, first, first:] = extreme.accumulate(filled[:, first:], axis=1)
    return seen


def _value(view: View, values: list[int]) -> int | tuple[int, ...]:
    if view == "print":
        return tuple(values)
    if view == "sum":
        return sum(values)
    return min(values) if view == "min" else max(values)


def guesses(stream: Stream, view: View, complexity: int) -> tuple[str, ...]:
    """Equally likely responses: every length for `len`, 64 draws for the other views."""
    if view == "len":
        return tuple(map(str, range(complexity + 1)))
    return tuple(_seen(view, _draw(stream, complexity)) for _ in range(DRAWS))


def length_chance(complexity: int) -> float:
    """The random model against itself on `len`: the mean score over all pairs of lengths 0 .. complexity."""
    lengths = range(complexity + 1)
    return sum(_closeness(guess, true) for true in lengths for guess in lengths) / len(lengths) ** 2


def model_chance(stream: Stream, view: View, complexity: int, pairs: int = 4_000) -> float:
    """The random model against itself, the paper's column: exact for `len`, otherwise a mean over `pairs` pairs."""
    if view == "len":
        return length_chance(complexity)
    scores: list[float] = []
    for _ in range(pairs):
        guess, true = _draw(stream, complexity), _draw(stream, complexity)
        scores.append(
            float(guess == true) if view == "print" else _closeness(_number(view, guess), _number(view, true))
        )
    return sum(scores) / pairs


def _draw(stream: Stream, complexity: int) -> list[int]:
    return [stream.below(2 * LARGEST + 1) - LARGEST for _ in range(stream.below(complexity + 1))]


def _number(view: View, values: Iterable[int]) -> int:
    ordered = sorted(values)
    if view == "sum" or not ordered:
        return sum(ordered)
    return ordered[0] if view == "min" else ordered[-1]


def _seen(view: View, values: list[int]) -> str:
    return str(values) if view == "print" else str(_number(view, values))


def _closeness(guess: int, true: int) -> float:
    # As the metric: relative error against |t| + 1e-10.
    return 1 - min(1.0, abs(guess - true) / (abs(true) + 1e-10))
