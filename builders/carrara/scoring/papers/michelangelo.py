"""Michelangelo (arXiv:2409.12640): the cumulative score at length L over stacked subsets, and more for IDK.

The subsets up to 32k, 128k and 1M are stacked, so that short rows are the most frequent. A row has the weight
1 / (number of subsets whose bucket covers its length): 1/3 up to 32k, 1/2 up to 128k, else 1; other buckets follow the
same rule. The score at L is the weighted mean over the rows of at most L tokens; in the mean of tasks each counts once.
MRCR is that of the paper, with one and two needles; rows of four and eight, which are harder, stand apart and outside
the mean.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from carrara.scoring.intervals import Unit
from carrara.scoring.papers.summary import Keys, PaperSummary, Wanted, readers, summary
from carrara.scoring.papers.weights import AverageLevel, by, by_bucket, shares
from carrara.scoring.result import RowScore, bucket_tokens

TASKS: Final = ("latent_list", "mrcr", "idk")
PUBLISHED: Final = {"latent_list": "latent_list/paper", "mrcr": "mrcr/paper"}
HARDER: Final = "mrcr 4-8 needles"
_HARDER_VARIANTS: Final = ("4needle", "8needle")
NOTES: Final = (
    "Cumulative score at length L: the weighted mean over rows of at most L tokens; a row weighs 1 / the number of "
    "stacked subsets that cover its length.",
)
IDK_NOTES: Final = ("Of idk, balanced accuracy is the mean of both complexities; always answering D scores 50 in it.",)


def michelangelo(rows: Sequence[RowScore]) -> PaperSummary | None:
    """Return the summary of Michelangelo's tasks; None if there are no rows of them."""
    held = [row for row in rows if row.task in TASKS]
    if not held:
        return None
    idk = [row for row in held if row.task == "idk"]
    notes = (*NOTES, *IDK_NOTES * bool(idk), *readers(held, PUBLISHED))
    return summary("michelangelo", held, [*_cumulative(held), *_idk(idk)], notes)


def stacked_weights(rows: Sequence[RowScore]) -> dict[str, float]:
    """Return the weight of each row of a task by id: 1 / the number of buckets that cover the row's tokens."""
    sizes = [bucket_tokens(bucket) for bucket in by_bucket(rows)]
    return {row.id: 1 / max(1, sum(size >= row.tokens for size in sizes)) for row in rows}


def thresholds(rows: Sequence[RowScore]) -> list[int]:
    """Return the lengths L of a cumulative curve: 2^n and 1.5 x 2^n tokens from 4k up, and every bucket."""
    sizes = {bucket_tokens(row.bucket) for row in rows}
    steps = {3 << power for power in range(11, 24)} | {1 << power for power in range(12, 25)}
    shortest = min(row.tokens for row in rows)
    return sorted(step for step in sizes | {step for step in steps if step < max(sizes)} if step >= shortest)


def cumulative_units(rows: Sequence[RowScore], length: int) -> list[Unit]:
    """Return the rows of up to `length` tokens as units of a task's cumulative score; the weights sum to 1."""
    weights = stacked_weights(rows)
    kept = [row for row in rows if row.tokens <= length]
    whole = math.fsum(weights[row.id] for row in kept)
    return [Unit(row.question, row.value, weights[row.id] / whole, row.config) for row in kept]


def mean_tokens(rows: Sequence[RowScore], length: int) -> float:
    """Return the mean tokens of the rows of up to `length` tokens, weighted as their score is."""
    weights = stacked_weights(rows)
    kept = [row for row in rows if row.tokens <= length]
    return math.fsum(weights[row.id] * row.tokens for row in kept) / math.fsum(weights[row.id] for row in kept)


def _cumulative(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    tasks = by(rows, lambda row: HARDER if row.variant in _HARDER_VARIANTS else row.task)
    papers = [task for task in tasks if task != HARDER]
    buckets = {bucket_tokens(bucket): bucket for bucket in by_bucket(rows)}
    for length in thresholds([row for row in rows if row.is_run]):
        reached = {task: part for task, part in tasks.items() if any(row.tokens <= length for row in part)}
        label = buckets.get(length) or f"{length / 1024:g}k"
        units = {task: cumulative_units(part, length) for task, part in reached.items()}
        for task, part in reached.items():
            keys: Keys = {"task": part[0].task, "length": length, "mean_tokens": mean_tokens(part, length)}
            if task == HARDER:
                keys = {**keys, "variants": ", ".join(_HARDER_VARIANTS)}
            yield Wanted(f"{task}, cumulative at {label}", keys, units[task], is_headline=length in buckets)
        if len(papers) > 1 and reached.keys() >= set(papers):
            every = [unit._replace(weight=unit.weight / len(papers)) for task in papers for unit in units[task]]
            tokens = sum(mean_tokens(reached[task], length) for task in papers) / len(papers)
            keys = {"length": length, "mean_tokens": tokens}
            yield Wanted(f"mean of {len(papers)} tasks at {label}", keys, every, is_headline=length in buckets)


def _idk(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    if not rows:
        return
    complexity = AverageLevel(lambda row: row.complexity)
    yield Wanted("idk, all rows", {"task": "idk"}, shares(rows), is_headline=True)
    parts = by(rows, lambda row: row.complexity)
    for level, meaning in ((0, "the answer is absent"), (1, "the answer is there")):
        if level in parts:
            keys: Keys = {"task": "idk", "complexity": level}
            yield Wanted(f"idk, complexity {level} ({meaning})", keys, shares(parts[level]), is_headline=True)
    if len(parts) == 2:
        yield Wanted("idk, balanced accuracy", {"task": "idk"}, shares(rows, complexity), is_headline=True)
    run = [row for row in rows if row.is_run]
    constant = sum(row.complexity == 0 for row in run) / len(run) if run else None
    yield Wanted("idk, always D", {"task": "idk", "constant": "D"}, fixed=constant, is_headline=True)
