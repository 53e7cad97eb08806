"""The difference between two results over the same rows, second minus first, by paired bootstrap.

Both values are resampled with the same draws of questions, so that what makes a question hard for every model cancels
out. A difference counts as significant if its 95 % interval excludes 0 and the models differ on at least six questions:
five all go the same way by chance once in sixteen times. One of twenty comparisons without a real difference will still
come out significant. `p` is two-sided and of the same bootstrap: twice the share of resamples on the other side
of 0, but never below what a sign test could reach on the questions that differ.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from carrara.scoring.bootstrap import SINGLE, Estimate, Unit, estimates, interval
from carrara.scoring.papers.weights import AverageLevel, by, by_bucket, shares
from carrara.scoring.report import summaries
from carrara.scoring.result import HeldConfig, Result, ResultError, RowScore
from carrara.scoring.table import MEAN, Grid, GridCell, GridLine, TableFormat, comma_separated, one_line, points
from carrara.text.json import json_text

OVERALL: Final = MEAN
FEWEST: Final = 6


class ComparedValue(NamedTuple):
    """What is compared: a part of the comparison, the value's name in it, and the task and bucket that it is of."""

    part: str
    name: str
    task: str = ""
    bucket: str = ""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """One value in both results, the interval of second minus first, and on how many questions each is ahead.

    `task` and `bucket` are "" if the value is of several; `p` is None without an interval.
    """

    part: str
    name: str
    task: str
    bucket: str
    first: float
    second: float
    interval: tuple[float, float] | None
    interval_reason: str
    p: float | None
    questions: int
    first_ahead: int
    second_ahead: int

    @property
    def difference(self) -> float:
        """Second minus first."""
        return self.second - self.first

    @property
    def is_told_apart(self) -> bool:
        """Whether the interval excludes 0 and enough questions differ."""
        differ = self.first_ahead + self.second_ahead
        return differ >= FEWEST and self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]

    def to_json(self) -> dict[str, Any]:
        """Return the difference as JSON-able data."""
        return {
            "part": self.part,
            "name": self.name,
            "task": self.task,
            "bucket": self.bucket,
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": list(self.interval) if self.interval else None,
            "interval_reason": self.interval_reason,
            "p": self.p,
            "told_apart": self.is_told_apart,
            "questions": self.questions,
            "first_ahead": self.first_ahead,
            "second_ahead": self.second_ahead,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two results over the rows that both have; `left_out` counts the rows that only one of them has.

    `tasks` is the order of the release.
    """

    first: str
    second: str
    release: str
    rows: int
    left_out: int
    differences: tuple[PairedDifference, ...]
    tasks: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON-able data."""
        return {
            "first": self.first,
            "second": self.second,
            "release": self.release,
            "rows": self.rows,
            "left_out": self.left_out,
            "differences": [difference.to_json() for difference in self.differences],
        }

    @property
    def title(self) -> str:
        """What is compared, and over how many rows."""
        models = f"{one_line(self.second, 100)} minus {one_line(self.first, 100)}"
        return f"{one_line(self.release, 200)}: {models}, {self.rows:,} rows"

    def warnings(self) -> tuple[str, ...]:
        """What a reader of the table must know."""
        if not self.left_out:
            return ()
        return (f"rows that only one of the results has, left out: {self.left_out:,}",)

    def table(self, format: TableFormat = "text", width: int | None = None) -> str:
        """One table, task by bucket: differences in points with 95 % intervals and p, as `Report.table` writes them.

        CSV has the columns task, bucket, questions, first, second, difference, low, high, p. JSON is everything.
        """
        if format == "json":
            return json_text(self.to_json(), allow_nan=False)
        cells = {(one.task, one.bucket): one for one in self.differences if one.part in {"cell", "bucket"}}
        tasks = sorted(
            {task for task, _ in cells}, key=lambda task: (self.tasks.index(task) if task in self.tasks else 0, task)
        )
        buckets = list(dict.fromkeys(bucket for _, bucket in cells))
        if format == "csv":
            pairs = [(task, bucket) for task in tasks for bucket in buckets if task and (task, bucket) in cells]
            return comma_separated([_record(cells[pair]) for pair in pairs])
        lines = [
            GridLine(one_line(task) or OVERALL, tuple(_cell(cells.get((task, bucket))) for bucket in buckets), not task)
            for task in [*filter(None, tasks), ""]
        ]
        overall = next(one for one in self.differences if one.part == "average")
        value = _cell(overall)
        notes = [f"Mean of the tasks, each over all its rows: {value.value} ({value.interval})."] * (len(buckets) > 1)
        notes.append(f"* The interval leaves out 0, and the models differ on at least {FEWEST} questions.")
        return Grid(self.title, tuple(buckets), tuple(lines), tuple(notes)).written(format, width)


def _cell(one: PairedDifference | None) -> GridCell:
    if one is None:
        return GridCell("–")
    value = f"{100 * one.difference:+.1f}{'*' * one.is_told_apart}"
    if one.interval is None or one.p is None or one.interval[0] == one.interval[1]:
        return GridCell(value)
    p = f"p {one.p:.3f}" if one.p >= 0.0025 else "p < 0.0025"
    return GridCell(value, f"{100 * one.interval[0]:+.1f} to {100 * one.interval[1]:+.1f}, {p}")


def _record(one: PairedDifference) -> dict[str, str | int | float | None]:
    low, high = one.interval or (None, None)
    values = {"first": one.first, "second": one.second, "difference": one.difference, "low": low, "high": high}
    shares = {name: points(value) for name, value in values.items()}
    return {
        "task": one_line(one.task),
        "bucket": one_line(one.bucket),
        "questions": one.questions,
        **shares,
        "p": one.p,
    }


def compare(first: Result, second: Result) -> Comparison:
    """Compare two results of one release. Raises ResultError if they do not answer the same questions.

    Versions with the same MAJOR share their rows; rows that only one result has are left out and counted.
    """
    if first.stream != second.stream or _major(first.release) != _major(second.release):
        raise ResultError(
            f"got results of {first.release} and {second.release}"
            f"{', with other streams' * (first.stream != second.stream)}: other questions; "
            "expected results of one release: score the responses of both models to the same one"
        )
    shared = {row.id for row in first.rows} & {row.id for row in second.rows}
    if not shared:
        raise ResultError("got results with no row in common, expected the same rows in both")
    held = [[row for row in result.rows if row.id in shared] for result in (first, second)]
    for row, other in zip(*held, strict=True):
        if row.metric != other.metric:
            raise ResultError(
                f"got {row.id} scored by {row.metric!a} and by {other.metric!a}, expected one metric; score both alike"
            )
        if _identity(row) != _identity(other):
            raise ResultError(f"got two different rows {row.id}, expected results of one release")
    return Comparison(
        first.model,
        second.model,
        second.release,
        len(shared),
        len(first.rows) + len(second.rows) - 2 * len(shared),
        (*_averages(*held), *_papers(held[0], held[1], first.held)),
        tuple(dict.fromkeys(config.task for config in first.held)),
    )


def _averages(first: Sequence[RowScore], second: Sequence[RowScore]) -> Iterator[PairedDifference]:
    units, against = dict(_cells(first)), dict(_cells(second))
    firsts, seconds = estimates(first, units), estimates(second, against)
    for key in units:
        yield _difference(key, firsts[key], seconds[key], units[key], against[key])


def _papers(
    first: Sequence[RowScore], second: Sequence[RowScore], held: Sequence[HeldConfig]
) -> Iterator[PairedDifference]:
    other = summaries(second, held)
    for paper, summary in summaries(first, held).items():
        for value, against in zip(summary.values, other[paper].values, strict=True):
            if value.is_headline and value.estimate and against.estimate:
                named = ComparedValue(paper, value.name)
                yield _difference(named, value.estimate, against.estimate, value.units, against.units)


def _difference(
    named: ComparedValue, first: Estimate, second: Estimate, units: Sequence[Unit], against: Sequence[Unit]
) -> PairedDifference:
    apart = [b - a for a, b in zip(first.samples, second.samples, strict=True) if not math.isnan(a + b)]
    gains = _by_question(units, against)
    return PairedDifference(
        *named,
        first.value,
        second.value,
        interval(apart) if apart else None,
        "" if apart else first.interval_reason or SINGLE,
        _p_value(apart, sum(gain != 0 for gain in gains)),
        first.questions,
        sum(gain < 0 for gain in gains),
        sum(gain > 0 for gain in gains),
    )


def _p_value(samples: Sequence[float], differ: int) -> float | None:
    """Twice the smaller share of samples on either side of 0, bounded by a sign test on `differ` questions."""
    if not samples:
        return None
    smaller = min(sum(sample <= 0 for sample in samples), sum(sample >= 0 for sample in samples))
    # Four questions that all go one way are resampled to four that go that way: that is no p of 0.002.
    return min(1.0, max(2 * (smaller + 1) / (len(samples) + 1), 2 * 0.5**differ))


def _by_question(units: Sequence[Unit], against: Sequence[Unit]) -> list[float]:
    """How far the second is ahead on each question, weighted as in the value."""
    gains: dict[Any, list[float]] = {}
    for unit, other in zip(units, against, strict=True):
        gains.setdefault(unit.question, []).append((other.score - unit.score) * unit.weight)
    return [math.fsum(parts) for parts in gains.values()]


def _cells(rows: Sequence[RowScore]) -> Iterator[tuple[ComparedValue, list[Unit]]]:
    tasks, task_level = by(rows, lambda row: row.task), AverageLevel(lambda row: row.task)
    yield ComparedValue("average", OVERALL), shares(rows, task_level)
    for bucket, part in by_bucket(rows).items():
        yield ComparedValue("bucket", f"{OVERALL} {bucket}", bucket=bucket), shares(part, task_level)
        for task, own in by(part, lambda row: row.task).items():
            yield ComparedValue("cell", f"{task} {bucket}", task, bucket), shares(own)
    for task, part in tasks.items():
        yield ComparedValue("task", task, task), shares(part)
    for bucket, part in by_bucket(rows).items():
        for config, own in by(part, lambda row: row.config).items():
            yield ComparedValue("config", config, own[0].task, bucket), shares(own)
    for task, part in tasks.items():
        levels = by(part, lambda row: row.complexity)
        for complexity, own in levels.items() if len(levels) > 1 else ():
            yield ComparedValue("complexity", f"{task}, complexity {complexity}", task), shares(own)


def _major(release: str) -> str:
    return release.partition(".")[0]


def _identity(row: RowScore) -> Mapping[str, str | int]:
    return {name: getattr(row, name) for name in ("item", "task", "variant", "bucket", "tokens", "complexity", "group")}
