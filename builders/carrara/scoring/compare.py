"""The difference between two results over the same rows, second minus first, by paired bootstrap.

Both values are resampled with the same draws of questions, so that what makes a question hard for every model cancels
out. A difference counts as significant if its 95 % interval excludes 0 and the models differ on at least six questions:
five all go the same way by chance once in sixteen times. One of twenty comparisons without a real difference will still
come out significant.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from carrara.scoring.bootstrap import SINGLE, Estimate, Unit, estimates, interval
from carrara.scoring.papers.weights import AverageLevel, by, by_bucket, shares
from carrara.scoring.report import summaries
from carrara.scoring.result import Result, ResultError, RowScore

OVERALL: Final = "mean of the tasks"
FEWEST: Final = 6


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """One value in both results, the interval of second minus first, and on how many questions each is ahead."""

    part: str
    name: str
    first: float
    second: float
    interval: tuple[float, float] | None
    interval_reason: str
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
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": list(self.interval) if self.interval else None,
            "interval_reason": self.interval_reason,
            "told_apart": self.is_told_apart,
            "questions": self.questions,
            "first_ahead": self.first_ahead,
            "second_ahead": self.second_ahead,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two results over the rows that both have; `left_out` counts the rows that only one of them has."""

    first: str
    second: str
    release: str
    rows: int
    left_out: int
    differences: tuple[PairedDifference, ...]

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


def compare(first: Result, second: Result) -> Comparison:
    """Compare two results of one release. Raises ResultError if they do not answer the same questions.

    Versions with the same MAJOR share their rows; rows that only one result has are left out and counted.
    """
    if first.stream != second.stream or _major(first.release) != _major(second.release):
        raise ResultError(
            f"got results of {first.release} and {second.release}"
            f"{', with other streams' * (first.stream != second.stream)}: other questions; "
            "expected results of one release"
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
        (*_averages(*held), *_papers(*held)),
    )


def _averages(first: Sequence[RowScore], second: Sequence[RowScore]) -> Iterator[PairedDifference]:
    units, against = dict(_cells(first)), dict(_cells(second))
    firsts, seconds = estimates(first, units), estimates(second, against)
    for key in units:
        yield _difference(*key, firsts[key], seconds[key], units[key], against[key])


def _papers(first: Sequence[RowScore], second: Sequence[RowScore]) -> Iterator[PairedDifference]:
    other = summaries(second)
    for paper, summary in summaries(first).items():
        for value, against in zip(summary.values, other[paper].values, strict=True):
            if value.is_headline and value.estimate and against.estimate:
                yield _difference(paper, value.name, value.estimate, against.estimate, value.units, against.units)


def _difference(
    part: str, name: str, first: Estimate, second: Estimate, units: Sequence[Unit], against: Sequence[Unit]
) -> PairedDifference:
    apart = [b - a for a, b in zip(first.samples, second.samples, strict=True) if not math.isnan(a + b)]
    gains = _by_question(units, against)
    return PairedDifference(
        part,
        name,
        first.value,
        second.value,
        interval(apart) if apart else None,
        "" if apart else first.interval_reason or SINGLE,
        first.questions,
        sum(gain < 0 for gain in gains),
        sum(gain > 0 for gain in gains),
    )


def _by_question(units: Sequence[Unit], against: Sequence[Unit]) -> list[float]:
    """How far the second is ahead on each question, weighted as in the value."""
    gains: dict[Any, list[float]] = {}
    for unit, other in zip(units, against, strict=True):
        gains.setdefault(unit.question, []).append((other.score - unit.score) * unit.weight)
    return [math.fsum(parts) for parts in gains.values()]


def _cells(rows: Sequence[RowScore]) -> Iterator[tuple[tuple[str, str], list[Unit]]]:
    tasks = by(rows, lambda row: row.task)
    yield ("average", OVERALL), shares(rows, AverageLevel(lambda row: row.task))
    for task, part in tasks.items():
        yield ("task", task), shares(part)
    for part in by_bucket(rows).values():
        for config, own in by(part, lambda row: row.config).items():
            yield ("config", config), shares(own)
    for task, part in tasks.items():
        levels = by(part, lambda row: row.complexity)
        for complexity, own in levels.items() if len(levels) > 1 else ():
            yield ("complexity", f"{task}, complexity {complexity}"), shares(own)


def _major(release: str) -> str:
    return release.partition(".")[0]


def _identity(row: RowScore) -> Mapping[str, str | int]:
    return {name: getattr(row, name) for name in ("item", "task", "variant", "bucket", "tokens", "complexity", "group")}
