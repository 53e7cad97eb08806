"""VerbatimEval (2025): curves over N, the cost of rearranging instead of copying the same items, and the mean.

N is a row's complexity: its number of numbers, sentences or entities. Where N follows from the length it differs from
row to row; then the rows of a bucket form one point at their mean N. A difference pairs the rows of one item: sorted,
arranged or grouped minus copied. The mean of tasks is a mean over tasks of means over variants, buckets and N.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from carrara.scoring.papers.summary import PaperSummary, Wanted, readers, summary
from carrara.scoring.papers.weights import AverageLevel, PairedRows, by, by_bucket, by_level, difference, pairs, shares
from carrara.scoring.result import RowScore

TASKS: Final = ("numeric_sorting", "sentence_arrangement", "entity_grouping")
PUBLISHED: Final = {
    "numeric_sorting": "verbatim/levenshtein/paper",
    "sentence_arrangement": "verbatim/average@<encoder>",
    "entity_grouping": "grouping/category_recall/paper",
}
AVERAGE: Final = "mean of tasks"
NOTES: Final = (
    f"{AVERAGE} is the mean over tasks of means over variants, buckets and N; a difference pairs rows of one item.",
)


def verbatimeval(rows: Sequence[RowScore]) -> PaperSummary | None:
    """Return the summary of VerbatimEval's tasks; None if there are no rows of them."""
    held = [row for row in rows if row.task in TASKS]
    if not held:
        return None
    paired = pairs(held)
    notes = (*NOTES, *readers(held, PUBLISHED))
    return summary("verbatimeval", held, [*_means(held), *_differences(paired), *_curves(held)], notes)


def _means(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    levels = {
        row.id: n for part in by(rows, _config).values() for n, own in by_level(part, "complexity") for row in own
    }
    variant, bucket = AverageLevel(lambda row: row.variant), AverageLevel(lambda row: row.bucket)
    n = AverageLevel(lambda row: levels[row.id])
    yield Wanted(AVERAGE, {}, shares(rows, AverageLevel(lambda row: row.task), variant, bucket, n), is_headline=True)
    for name, part in by(rows, lambda row: row.dataset).items():
        keys = {"task": part[0].task, "variant": part[0].variant}
        buckets = by_bucket(part)
        if len(buckets) > 1:
            yield Wanted(name, keys, shares(part, bucket, n), is_headline=True)
        for size, own in buckets.items():
            yield Wanted(f"{name} {size}", {**keys, "bucket": size}, shares(own, n), is_headline=len(buckets) == 1)


def _differences(paired: dict[tuple[str, str, str], list[PairedRows]]) -> Iterator[Wanted]:
    for (task, variant, base), pair_rows in paired.items():
        keys = {"task": task, "variant": variant, "base": base}
        value, rows = difference(pair_rows), [pair.row for pair in pair_rows]
        name = f"{task}, {variant} less {base}"
        buckets = by_bucket(rows)
        if len(buckets) > 1:
            units = shares(rows, AverageLevel(lambda row: row.bucket), value=value)
            yield Wanted(name, keys, units, None, True, True)
        for size, own in buckets.items():
            units = shares(own, value=value)
            yield Wanted(f"{name} {size}", {**keys, "bucket": size}, units, None, len(buckets) == 1, True)


def _curves(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    for (name, bucket), part in by(rows, lambda row: (row.dataset, row.bucket)).items():
        for n, own in by_level(part, "complexity"):
            keys = {"task": own[0].task, "variant": own[0].variant, "bucket": bucket, "n": n}
            yield Wanted(f"{name} {bucket}, N = {n:g}", keys, shares(own))


def _config(row: RowScore) -> str:
    return row.config
