"""NeedleBench (arXiv:2407.11963v1): needle tasks over depths and lengths, and the ancestral trace challenge.

A needle task's score in a bucket is a mean over languages of means over numbers of needles (needle_reasoning only),
lengths and depths. Overall = 0.4 single + 0.3 multi + 0.3 reasoning, given only if all three are there. The matrix has
one value for each depth and length. All of them are by the paper's formula (`needlebench/paper`): 1 where the keyword
stands, else 0.2 x (1 - Levenshtein / longer length). Beside each headline stands the same by the metric of the rows.

Ancestral trace: rows of one group and length that differ only in the order of the options are correct only together
(circular evaluation), so that a constant answer scores 0. A question that was not asked in all four orders has no
value. P_step is the share correct at a number of steps, the task score is sum(P_step x step) / sum(step), and the
overall score is the mean over the variants that are there (direct or reasoned, in two languages: four in the paper).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from carrara.scoring.intervals import Unit
from carrara.scoring.metrics.choice import circular as together
from carrara.scoring.papers.summary import Keys, PaperSummary, Wanted, summary
from carrara.scoring.papers.weights import AverageLevel, by, by_bucket, depth_levels, shares
from carrara.scoring.result import RowScore, mean

WEIGHTS: Final = {"single_needle": 0.4, "multi_needle": 0.3, "needle_reasoning": 0.3}
TRACE: Final = "ancestral_trace"
TRACE_VARIANTS: Final = 4
# The options of a question, and so the orders in which circular evaluation asks it.
ORDERS: Final = 4
NEEDLE_NOTES: Final = (
    "Of needle tasks: the mean over languages, needles (reasoning), lengths and depths; overall = 0.4 single + 0.3 "
    "multi + 0.3 reasoning. A row scores 1 where the keyword stands, else 0.2 x (1 - Levenshtein / longer length); "
    '"by ..." is the same mean by the metric of the rows.',
)
UNREPORTED: Final = (
    "The paper's score of needle tasks is missing: this result was made before it was kept; score again."
)
TRACE_NOTES: Final = (
    "Of ancestral_trace: sum(P_step x step) / sum(step), where the orders of one question are right only together.",
)


def needlebench(rows: Sequence[RowScore]) -> PaperSummary | None:
    """Return the summary of NeedleBench's tasks; None if there are no rows of them."""
    needles = [row for row in rows if row.task in WEIGHTS]
    trace = [row for row in rows if row.task == TRACE]
    if not needles and not trace:
        return None
    complete = _complete(trace)
    is_reported = all(row.reported is not None for row in needles if row.score is not None and row.is_run)
    matrix = _matrix(needles) if is_reported else ()
    wanted = [*_needles(needles, is_reported), *_trace(complete), *matrix]
    notes = [*NEEDLE_NOTES * bool(needles), *[UNREPORTED] * (not is_reported), *TRACE_NOTES * bool(trace)]
    if lacking := len({(row.bucket, row.group_key) for row in trace}) - len(
        {(row.bucket, row.group_key) for row in complete}
    ):
        notes.append(
            f"{lacking:,} questions of ancestral_trace were not asked in all {ORDERS} orders of their options, as the "
            "paper asks them (circular = true in a recipe), and are left out."
        )
    return summary("needlebench", [*needles, *complete], wanted, notes)


def needle_units(
    rows: Sequence[RowScore], *above: AverageLevel, value: Callable[[RowScore], float] = lambda row: row.paper_value
) -> list[Unit]:
    """Return needle rows as units of a mean over `above`, languages, needles (reasoning), lengths and depths."""
    depths = depth_levels(rows)
    return shares(
        rows,
        *above,
        AverageLevel(lambda row: row.variant),
        AverageLevel(lambda row: row.complexity if row.task == "needle_reasoning" else 0),
        AverageLevel(lambda row: row.length),
        AverageLevel(lambda row: depths.get(row.id, -1.0)),
        value=value,
    )


def _complete(rows: Sequence[RowScore]) -> list[RowScore]:
    """The rows of questions that were asked in every order of their options, or stand for what was not run."""
    return [row for group in _rotations(rows) for row in group if len(group) >= ORDERS or not row.is_run]


def circular(rows: Sequence[RowScore]) -> list[RowScore]:
    """Merge the rows of each ancestral trace question at one length: correct only if all are. Others are kept."""
    made = [group[0] for group in _rotations(right_together(rows))]
    return [*(row for row in rows if row.task != TRACE), *made]


def right_together(rows: Sequence[RowScore]) -> list[RowScore]:
    """Return the rows with those of one ancestral trace question at one length scored 1 if all are right, else 0.

    A row without a response keeps having none; of several samples each counts by itself.
    """
    made = {}
    for group in _rotations(rows):
        if len(group) > 1 and group[0].is_run:
            number = max(len(row.samples) for row in group)
            samples = tuple(
                # A row may have fewer samples in a file that nobody vouches for.
                together([(row.samples[sample] or 0.0) if sample < len(row.samples) else row.value for row in group])
                for sample in range(number)
            )
            value = mean(samples) if samples else together([row.value for row in group])
            for row in group:
                made[row.id] = replace(row, score=None if row.score is None else value, samples=samples)
    return [made.get(row.id, row) for row in rows]


def _rotations(rows: Sequence[RowScore]) -> list[list[RowScore]]:
    """The rows of ancestral traces, those of one question at one length together."""
    trace = (row for row in rows if row.task == TRACE)
    return list(by(trace, lambda row: (row.bucket, *row.group_key, row.length)).values())


def trace_units(rows: Sequence[RowScore], weight: float = 1.0) -> list[Unit]:
    """Return rows of one variant and bucket as units of its task score; step n has weight n, shared by its rows."""
    questions = circular(rows)
    steps = Counter(row.complexity for row in questions)
    whole = sum(steps)
    return [
        Unit(row.question, row.value, weight * row.complexity / whole / steps[row.complexity], row.config)
        for row in questions
        if row.complexity
    ]


def _needles(rows: Sequence[RowScore], is_reported: bool) -> Iterator[Wanted]:
    metrics = " and ".join(sorted({row.metric for row in rows if row.is_run}))
    readings: dict[str, Callable[[RowScore], float]] = {"": lambda row: row.paper_value} if is_reported else {}
    readings[f", by {metrics}"] = lambda row: row.value
    task = AverageLevel(lambda row: row.task, WEIGHTS)
    for bucket, part in by_bucket(rows).items():
        tasks = by(part, lambda row: row.task)
        for by_metric, value in readings.items() if len(tasks) == len(WEIGHTS) else ():
            keys = {"bucket": bucket} | ({"metric": metrics} if by_metric else {})
            yield Wanted(f"overall {bucket}{by_metric}", keys, needle_units(part, task, value=value), is_headline=True)
        for name, own in tasks.items():
            for by_metric, value in readings.items():
                keys = {"task": name, "bucket": bucket} | ({"metric": metrics} if by_metric else {})
                yield Wanted(f"{name} {bucket}{by_metric}", keys, needle_units(own, value=value), is_headline=True)
            keys = {"task": name, "bucket": bucket}
            languages = by(own, lambda row: row.variant) if is_reported else {}
            for variant, spoken in languages.items() if len(languages) > 1 else ():
                yield Wanted(f"{name}_{variant} {bucket}", {**keys, "variant": variant}, needle_units(spoken))


def _matrix(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    for (dataset, bucket), part in by(rows, lambda row: (row.dataset, row.bucket)).items():
        depths = depth_levels(part)
        cells: defaultdict[tuple[int, float], list[RowScore]] = defaultdict(list)
        for row in part:
            if row.id in depths:
                cells[row.length, depths[row.id]].append(row)
        for (length, depth), own in sorted(cells.items()):
            keys = {"task": own[0].task, "variant": own[0].variant, "bucket": bucket, "length": length, "depth": depth}
            units = shares(own, value=lambda row: row.paper_value)
            yield Wanted(f"{dataset} {bucket}, {length} tokens, depth {depth:g}", keys, units)


def _trace(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    for bucket, part in by_bucket(row for row in rows if row.complexity).items():
        variants = by(part, lambda row: row.variant)
        units = [unit for own in variants.values() for unit in trace_units(own, 1 / len(variants))]
        several = f"{len(variants)} of {TRACE_VARIANTS} variants"
        keys: Keys = {"task": TRACE, "bucket": bucket}
        yield Wanted(f"{TRACE} {bucket}, overall ({several})", keys, units, is_headline=True)
        for variant, own in variants.items():
            name, keys = f"{TRACE}_{variant} {bucket}", {"task": TRACE, "bucket": bucket, "variant": variant}
            yield Wanted(name, keys, trace_units(own), is_headline=True)
            for step, right in by(circular(own), lambda row: row.complexity).items():
                yield Wanted(f"{name}, {step} steps", {**keys, "steps": step}, shares(right))
