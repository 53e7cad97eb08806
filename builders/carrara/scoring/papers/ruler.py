"""RULER (arXiv:2404.06654): the mean of its thirteen tasks in a bucket, and of its four classes.

The tasks are variants of `synthetic_recall`, and each counts once. Questions on the invented world (`qa_world`) count
only if neither SQuAD nor HotpotQA is there. A hard variant is reported beside the plain one, with the difference, but
not averaged. The effective length in the notes is the largest bucket whose mean over the full set is above `THRESHOLD`,
the score of Llama2-7B (chat) at 4k in the paper.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from carrara.scoring.papers.helmet import RECALL
from carrara.scoring.papers.summary import PaperSummary, Wanted, summary
from carrara.scoring.papers.weights import AverageLevel, by, by_bucket, difference, pairs, shares, weighted
from carrara.scoring.result import RowScore

TASK: Final = "synthetic_recall"
CLASSES: Final[dict[str, tuple[str, ...]]] = {
    "retrieval": (
        *("niah_single_1", "niah_single_2", "niah_single_3", "niah_multikey_1", "niah_multikey_2", "niah_multikey_3"),
        *("niah_multivalue", "niah_multiquery"),
    ),
    "multi-hop tracing": ("vt",),
    "aggregation": ("cwe", "fwe"),
    "question answering": ("qa_squad", "qa_hotpotqa"),
}
TASKS: Final = tuple(name for names in CLASSES.values() for name in names)
QUESTIONS: Final = CLASSES["question answering"]
WORLD: Final = "qa_world"
HARD: Final = "_hard"
THRESHOLD: Final = 0.856
_PAPER: Final = "/paper"
NOTES: Final = ("Every task of RULER counts once; a hard variant is in no mean.",)


def ruler(rows: Sequence[RowScore]) -> PaperSummary | None:
    """Return the summary of RULER's tasks; None if there are no rows, or only those that HELMET counts."""
    known = {*TASKS, WORLD}
    held = [row for row in rows if row.task == TASK and row.variant.removesuffix(HARD) in known]
    if {row.variant for row in held} <= RECALL:
        return None
    kept = counting(held)
    wanted = [*_means(kept), *_tasks(held), *_hard(held)]
    return summary("ruler", held, wanted, (*NOTES, *_world(kept), *_metrics(held), *_effective(kept)))


def counting(rows: Iterable[RowScore]) -> list[RowScore]:
    """Return the rows that count in RULER's means: its tasks, and `qa_world` in buckets without real questions."""
    counted: list[RowScore] = []
    for part in by_bucket(row for row in rows if row.task == TASK).values():
        real = any(row.variant in QUESTIONS for row in part)
        counted += [row for row in part if row.variant in TASKS or (row.variant == WORLD and not real)]
    return counted


def _means(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    task = AverageLevel(lambda row: row.variant)
    for bucket, part in by_bucket(rows).items():
        count = len({row.variant for row in part})
        keys: dict[str, str | int | float] = {"bucket": bucket, "tasks": count}
        yield Wanted(f"mean {bucket} ({count} of {len(TASKS)} tasks)", keys, shares(part, task), is_headline=True)
        for name, own in _by_class(part):
            few = len({row.variant for row in own})
            note = f" ({few} of {len(CLASSES[name])})" if few < len(CLASSES[name]) else ""
            yield Wanted(f"{name} {bucket}{note}", {"class": name, **keys, "tasks": few}, shares(own, task), None, True)


def _by_class(rows: Sequence[RowScore]) -> Iterator[tuple[str, list[RowScore]]]:
    for name, tasks in CLASSES.items():
        named = {*tasks, WORLD} if tasks == QUESTIONS else set(tasks)
        if own := [row for row in rows if row.variant in named]:
            yield name, own


def _tasks(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    for bucket, part in by_bucket(rows).items():
        for variant, own in by(part, lambda row: row.variant).items():
            yield Wanted(f"{variant} {bucket}", {"variant": variant, "bucket": bucket}, shares(own))


def _hard(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    """A hard variant less the plain one, over the items that both have."""
    pairings = pairs(rows, lambda variant, variants: _plain(variant) if _plain(variant) in variants else None)
    for (_, variant, base), paired in pairings.items():
        value = difference(paired)
        for bucket, own in by_bucket(pair.row for pair in paired).items():
            keys = {"variant": variant, "base": base, "bucket": bucket}
            yield Wanted(f"{variant} less {base} {bucket}", keys, shares(own, value=value), None, True, True)


def _plain(variant: str) -> str:
    return variant.removesuffix(HARD) if variant.endswith(HARD) else ""


def _metrics(rows: Sequence[RowScore]) -> Iterator[str]:
    """The paper's scores are recall: others are named."""
    if names := sorted({row.metric for row in rows if not row.metric.endswith(_PAPER)}):
        yield f"Scored by {', '.join(names)}; the paper scores by ruler/all/paper, questions by ruler/any/paper."


def _world(rows: Sequence[RowScore]) -> Iterator[str]:
    if buckets := list(by_bucket(row for row in rows if row.variant == WORLD)):
        yield f"Of questions {WORLD} counts, in place of {' and '.join(QUESTIONS)}: {', '.join(buckets)}."


def _effective(rows: Sequence[RowScore]) -> Iterator[str]:
    means = {}
    for bucket, part in by_bucket(rows).items():
        variants = {row.variant for row in part}
        if variants >= set(TASKS) or variants >= {*TASKS, WORLD} - set(QUESTIONS):
            value = weighted(shares(part, AverageLevel(lambda row: row.variant)))
            if not math.isnan(value):
                means[bucket] = value
    if means:
        above = [bucket for bucket, value in means.items() if value > THRESHOLD]
        longest = above[-1] if above else f"none of {', '.join(means)}"
        yield (
            f"Effective length (the largest bucket whose mean is above {100 * THRESHOLD:.1f}, Llama2-7B at 4k in the "
            f"paper): {longest}."
        )
