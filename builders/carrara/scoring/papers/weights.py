"""Nested means as weights of rows; levels of a field; paired variants.

A paper's score is a mean over languages of means over lengths of means over depths, and so on. Written as one weighted
mean over rows, it has one interval, as every mean has. Rows of one group are always averaged first.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from carrara.scoring.intervals import Unit
from carrara.scoring.result import RowScore, bucket_tokens, mean

# With more values N follows from the length, and the rows of a bucket form one level.
MAX_LEVELS: Final = 24
MAX_LENGTHS: Final = 8
DEPTHS: Final = 21
VERBATIM: Final = "verbatim"

RowKey = Callable[[RowScore], Hashable]


@dataclass(frozen=True, slots=True)
class AverageLevel:
    """One level of a nested mean: rows grouped by `key`, each group with its weight (1 if `weights` is None)."""

    key: RowKey
    weights: Mapping[Any, float] | None = None


@dataclass(frozen=True, slots=True)
class PairedRows:
    """A row and the same item's row, in the same bucket, of the variant that it is compared with."""

    row: RowScore
    base: RowScore


def by(rows: Iterable[RowScore], key: Callable[[RowScore], Any]) -> dict[Any, list[RowScore]]:
    """Return rows grouped by a key, sorted by key."""
    groups: defaultdict[Any, list[RowScore]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return {key: groups[key] for key in sorted(groups)}


def by_bucket(rows: Iterable[RowScore]) -> dict[str, list[RowScore]]:
    """Return rows grouped by bucket, smallest first."""
    buckets = by(rows, lambda row: (bucket_tokens(row.bucket), row.bucket))
    return {bucket: kept for (_, bucket), kept in buckets.items()}


def shares(
    rows: Sequence[RowScore],
    *levels: AverageLevel,
    weight: float = 1.0,
    value: Callable[[RowScore], float] = lambda row: row.value,
) -> list[Unit]:
    """Return `rows` as the units of a nested mean whose weights sum to `weight`, divided level by level.

    Each level divides the weight equally, or by its `weights`. Below the last level it is divided equally among groups
    of rows, and within a group among its rows.
    """
    if levels:
        parts = by(rows, levels[0].key)
        weights = levels[0].weights
        each = {key: weights[key] if weights else 1.0 for key in parts}
        whole = sum(each.values())
        return [
            unit
            for key, part in parts.items()
            for unit in shares(part, *levels[1:], weight=weight * each[key] / whole, value=value)
        ]
    groups = by(rows, lambda row: (row.task, row.bucket, *row.group_key))
    return [
        Unit(row.question, value(row), weight / len(groups) / len(group), row.config)
        for group in groups.values()
        for row in group
    ]


def weighted(units: Sequence[Unit]) -> float:
    """Return the weighted mean of units, without an interval."""
    return math.fsum(unit.score * unit.weight for unit in units) / math.fsum(unit.weight for unit in units)


def field_value(row: RowScore, field: str) -> float | None:
    """Return a row's value of a field: `length`, `complexity`, `depth`, or a number of its facts (`digits`)."""
    if field == "length":
        return row.length or None
    if field == "complexity":
        return row.complexity
    return row.depth if field == "depth" else row.numbers.get(field)


def by_level(rows: Sequence[RowScore], field: str) -> list[tuple[float, list[RowScore]]]:
    """Return rows grouped by their value of a field, ascending; rows without a value are left out.

    More than eight lengths are rounded up to powers of two. With more than 24 values of another field, the rows of each
    bucket form one group at the mean of their values.
    """
    held = [(value, row) for row in rows if (value := field_value(row, field)) is not None]
    if field == "length" and len({value for value, _ in held}) > MAX_LENGTHS:
        held = [(1 << (int(value) - 1).bit_length(), row) for value, row in held]
    levels: defaultdict[float, list[RowScore]] = defaultdict(list)
    for value, row in held:
        levels[value].append(row)
    if len(levels) <= MAX_LEVELS:
        return sorted(levels.items())
    values = {row.id: value for value, row in held}
    together = by_bucket(row for _, row in held).values()
    return sorted(((mean(values[row.id] for row in part), part) for part in together), key=lambda entry: entry[0])


def depth_levels(rows: Sequence[RowScore]) -> dict[str, float]:
    """Return the depth of each row that has one, by row id; more than 21 distinct depths are rounded to tenths."""
    held = {row.id: round(row.depth, 3) for row in rows if row.depth is not None}
    if len(set(held.values())) <= DEPTHS:
        return held
    return {key: round(depth, 1) for key, depth in held.items()}


def depth_bins(rows: Sequence[RowScore]) -> dict[str, float]:
    """Return the depth of each row that has one, by row id, at the nearest of eleven depths, 0 to 1, as papers draw it.

    Rows that stand at twentieths (an evaluation at 21 depths) keep them.
    """
    depths = {row.id: row.depth for row in rows if row.depth is not None}
    is_fine = all(abs(20 * depth - round(20 * depth)) < 0.02 for depth in depths.values())
    steps = 20 if is_fine and any(round(20 * depth) % 2 for depth in depths.values()) else 10
    return {row_id: round(steps * depth) / steps for row_id, depth in depths.items()}


def base_variant(variant: str, variants: Iterable[str]) -> str | None:
    """Return the variant that another is compared with, or None.

    Sorting, arranging and grouping are compared with copying (`verbatim`, `<source>_verbatim`), reasoned answers with
    direct ones (`direct_en`).
    """
    known = set(variants)
    if variant == VERBATIM or variant.endswith(f"_{VERBATIM}"):
        return None
    direct = f"direct{variant.removeprefix('reasoned')}" if variant.startswith("reasoned") else VERBATIM
    return next((base for base in (VERBATIM, f"{variant}_{VERBATIM}", direct) if base in known), None)


def pairs(
    rows: Iterable[RowScore], base_of: Callable[[str, Iterable[str]], str | None] = base_variant
) -> dict[tuple[str, str, str], list[PairedRows]]:
    """Return paired rows by (task, variant, base variant): rows of the same item and depth in one bucket.

    `base_of(variant, variants)` names the variant that one is compared with, or None.
    """
    pairings: dict[tuple[str, str, str], list[PairedRows]] = {}
    for task, part in by(rows, lambda row: row.task).items():
        variants = by(part, lambda row: row.variant)
        for variant, own in variants.items():
            if (base := base_of(variant, variants)) is None:
                continue
            bases = {_place(row): row for row in variants[base]}
            paired = [PairedRows(row, bases[_place(row)]) for row in own if _place(row) in bases]
            if paired:
                pairings[task, variant, base] = paired
    return pairings


def difference(paired: Iterable[PairedRows]) -> Callable[[RowScore], float]:
    """Return a `value` for `shares`: a paired row's score minus its base's, in [-1, 1]."""
    apart = {pair.row.id: pair.row.value - pair.base.value for pair in paired}
    return lambda row: apart[row.id]


def _place(row: RowScore) -> tuple[str, str]:
    # Row indices are question-major, with the same placements for every variant of a task.
    return row.bucket, row.id.rpartition("/")[2]
