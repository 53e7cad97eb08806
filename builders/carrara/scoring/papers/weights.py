"""Weights by design: a mean of means of means as one weighted mean over rows; levels of a field; paired variants.

A paper's score is a mean over languages of means over lengths of means over depths, and so on. Written as a weight for
every row it can be estimated under one draw of questions. Rows of one group are averaged first, at every level.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from carrara.scoring.bootstrap import Unit
from carrara.scoring.result import RowScore, bucket_tokens, mean

# More levels than these are no levels (N follows from the length there): rows are taken together by bucket.
MAX_LEVELS: Final = 24
MAX_LENGTHS: Final = 8
DEPTHS: Final = 21
VERBATIM: Final = "verbatim"

RowKey = Callable[[RowScore], Hashable]


@dataclass(frozen=True, slots=True)
class AverageLevel:
    """A step of a mean of means: rows by `key`, each weighing by `weights` (1 without)."""

    key: RowKey
    weights: Mapping[Any, float] | None = None


@dataclass(frozen=True, slots=True)
class PairedRows:
    """A row and the row of the variant that it is compared with: the same item in the same bucket."""

    row: RowScore
    base: RowScore


def by(rows: Iterable[RowScore], key: Callable[[RowScore], Any]) -> dict[Any, list[RowScore]]:
    """Return rows by a key, in the order of the keys."""
    groups: defaultdict[Any, list[RowScore]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return {key: groups[key] for key in sorted(groups)}


def by_bucket(rows: Iterable[RowScore]) -> dict[str, list[RowScore]]:
    """Return rows by bucket, the smallest first."""
    buckets = by(rows, lambda row: (bucket_tokens(row.bucket), row.bucket))
    return {bucket: kept for (_, bucket), kept in buckets.items()}


def shares(
    rows: Sequence[RowScore],
    *levels: AverageLevel,
    weight: float = 1.0,
    value: Callable[[RowScore], float] = lambda row: row.value,
) -> list[Unit]:
    """Return `rows` as the units of a mean of means: `weight` in all, dealt equally (or as told) level by level.

    Below the last level it is dealt equally to groups, and within a group to its rows.
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
        Unit(row.question, value(row), weight / len(groups) / len(group)) for group in groups.values() for row in group
    ]


def weighted(units: Sequence[Unit]) -> float:
    """Return the weighted mean of units, without an interval."""
    return math.fsum(unit.score * unit.weight for unit in units) / math.fsum(unit.weight for unit in units)


def field_value(row: RowScore, field: str) -> float | None:
    """Return what a row has in a field: `length`, `complexity`, `depth`, or a number of its facts (`digits`)."""
    if field == "length":
        return row.length or None
    if field == "complexity":
        return row.complexity
    return row.depth if field == "depth" else row.numbers.get(field)


def by_level(rows: Sequence[RowScore], field: str) -> list[tuple[float, list[RowScore]]]:
    """Return rows by their value of a field, ascending; rows without it are left out.

    More than eight lengths are moved up to powers of two. Where another field has more than 24 values, rows are taken
    together by bucket, at the mean of their values.
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
    """Return the depth of every row that has one, by row id: as it was asked for where there are at most 21 depths,
    else (every item has a depth of its own) moved to the nearest tenth.
    """
    held = {row.id: round(row.depth, 3) for row in rows if row.depth is not None}
    if len(set(held.values())) <= DEPTHS:
        return held
    return {key: round(depth, 1) for key, depth in held.items()}


def base_variant(variant: str, variants: Iterable[str]) -> str | None:
    """Return the variant that another one is compared with: copying (`verbatim`, `<source>_verbatim`) is the base of
    sorting, arranging and grouping, the direct answer (`direct_en`) that of the reasoned one.
    """
    known = set(variants)
    if variant == VERBATIM or variant.endswith(f"_{VERBATIM}"):
        return None
    direct = f"direct{variant.removeprefix('reasoned')}" if variant.startswith("reasoned") else VERBATIM
    return next((base for base in (VERBATIM, f"{variant}_{VERBATIM}", direct) if base in known), None)


def pairs(
    rows: Iterable[RowScore], base_of: Callable[[str, Iterable[str]], str | None] = base_variant
) -> dict[tuple[str, str, str], list[PairedRows]]:
    """Return the paired rows by (task, variant, base variant): rows of one item and place in one bucket.

    `base_of` says which of a task's variants another one is compared with.
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
    """Return the value of a paired row for `shares`: its score less its base's, in [-1, 1]."""
    apart = {pair.row.id: pair.row.value - pair.base.value for pair in paired}
    return lambda row: apart[row.id]


def _place(row: RowScore) -> tuple[str, str]:
    # The index of a row is question-major, with the same placements for every variant of a task.
    return row.bucket, row.id.rpartition("/")[2]
