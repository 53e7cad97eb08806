"""The difference between results over the same rows, second minus first, question by question.

The difference on each question is what is averaged (a paired comparison), so that what makes a question hard for every
model cancels out. Its interval and p are those of every mean (`intervals.py`), of scores between -1 and 1: where all
questions that differ go one way, p is that of a sign test, so that five of five (p = 0.06) are never told apart.

One of twenty comparisons without a real difference still comes out significant. Of several models all pairs are
compared, and p is corrected for their number (Holm, 1979).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, NamedTuple

from carrara.scoring.intervals import Unit, estimates
from carrara.scoring.papers.needlebench import right_together
from carrara.scoring.papers.weights import AverageLevel, by, by_bucket, shares, weighted
from carrara.scoring.report import summaries
from carrara.scoring.result import UNVERIFIED, HeldConfig, Result, ResultError, RowScore
from carrara.scoring.table import (
    MEAN,
    Grid,
    GridCell,
    GridLine,
    TableFormat,
    comma_separated,
    judge_notes,
    one_line,
    points,
)
from carrara.text.json import json_text

OVERALL: Final = MEAN
LEVEL: Final = 0.05
# Sums of the same numbers in another order.
_ALIKE: Final = 1e-12


class ComparedValue(NamedTuple):
    """What is compared: a part of the comparison, the value's name in it, and the task and bucket that it is of."""

    part: str
    name: str
    task: str = ""
    bucket: str = ""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """One value in both results, the interval of second minus first, and on how many questions each is ahead.

    `task` and `bucket` are "" if the value is of several; `p` is None without an interval. `holm` is p corrected for
    the pairs of several models, None for two.
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
    holm: float | None = None

    @property
    def ties(self) -> int:
        """On how many questions both score the same."""
        return self.questions - self.first_ahead - self.second_ahead

    @property
    def difference(self) -> float:
        """Second minus first."""
        return self.second - self.first

    @property
    def is_told_apart(self) -> bool:
        """Whether p, corrected for the pairs of several models, is below 0.05: for two the interval leaves out 0."""
        p = self.p if self.holm is None else self.holm
        return p is not None and p < LEVEL

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
            "holm": self.holm,
            "told_apart": self.is_told_apart,
            "questions": self.questions,
            "first_ahead": self.first_ahead,
            "second_ahead": self.second_ahead,
            "ties": self.ties,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two results over the rows that both have; `left_out` counts the rows that only one of them has.

    `tasks` is the order of the release; `judges` names those on whom scores rest, as tables do. `cut`: of the rows of
    each result, how many have a response that was cut at its limit; `unverified`: whose rows nobody checked.
    """

    first: str
    second: str
    release: str
    rows: int
    left_out: int
    differences: tuple[PairedDifference, ...]
    tasks: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    cut: tuple[int, int] = (0, 0)
    unverified: tuple[bool, bool] = (False, False)

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON-able data."""
        return {
            "first": self.first,
            "second": self.second,
            "release": self.release,
            "rows": self.rows,
            "left_out": self.left_out,
            "judges": list(self.judges),
            "cut": list(self.cut),
            "unverified": list(self.unverified),
            "differences": [difference.to_json() for difference in self.differences],
        }

    @property
    def title(self) -> str:
        """What is compared, and over how many rows."""
        models = f"{one_line(self.second, 100)} minus {one_line(self.first, 100)}"
        return f"{one_line(self.release, 200)}: {models}, {self.rows:,} rows"

    def warnings(self) -> tuple[str, ...]:
        """What a reader of the table must know."""
        alone = [f"rows that only one of the results has, left out: {self.left_out:,}"] * bool(self.left_out)
        models = self.first, self.second
        cut, unverified = dict(zip(models, self.cut, strict=True)), dict(zip(models, self.unverified, strict=True))
        return (*alone, *_told_of_cut(cut), *_told_of_unverified(unverified))

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
        notes += [f"* The interval leaves out 0. {_ties(overall)}.", *self.judges]
        return Grid(self.title, tuple(buckets), tuple(lines), tuple(notes)).written(format, width)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All pairs of several results, the better model second, over the rows that all of them have.

    `models` are in the order of their means, the best first.
    """

    models: tuple[str, ...]
    means: tuple[float, ...]
    pairs: tuple[Comparison, ...]
    left_out: int

    @property
    def rows(self) -> int:
        """The rows that all results have."""
        return self.pairs[0].rows

    @property
    def ties(self) -> tuple[tuple[str, str], ...]:
        """The pairs of models that are not told apart in the mean of the tasks."""
        return tuple((pair.second, pair.first) for pair in self.pairs if not _overall(pair).is_told_apart)

    @property
    def title(self) -> str:
        """What is compared, and over how many rows."""
        return f"{one_line(self.pairs[0].release, 200)}: {len(self.models):,} models, {self.rows:,} rows"

    def warnings(self) -> tuple[str, ...]:
        """What a reader of the table must know."""
        alone = [f"rows that not all of the results have, left out: {self.left_out:,}"] * bool(self.left_out)
        cut = {
            name: rows for pair in self.pairs for name, rows in zip((pair.first, pair.second), pair.cut, strict=True)
        }
        unverified = {
            name: is_so
            for pair in self.pairs
            for name, is_so in zip((pair.first, pair.second), pair.unverified, strict=True)
        }
        return (*alone, *_told_of_cut(cut), *_told_of_unverified(unverified))

    def to_json(self) -> dict[str, Any]:
        """Return the comparisons as JSON-able data."""
        return {
            "release": self.pairs[0].release,
            "rows": self.rows,
            "left_out": self.left_out,
            "models": [{"model": name, "mean": mean} for name, mean in zip(self.models, self.means, strict=True)],
            "ties": [list(pair) for pair in self.ties],
            "pairs": [pair.to_json() for pair in self.pairs],
        }

    def table(self, format: TableFormat = "text", width: int | None = None) -> str:
        """One table, pair by bucket, in points with 95 % intervals and Holm's p, as `Report.table` writes them.

        CSV has the columns first, second, bucket, questions, of_first, of_second, difference, low, high, p, holm.
        """
        if format == "json":
            return json_text(self.to_json(), allow_nan=False)
        buckets = [one.bucket for one in self.pairs[0].differences if one.part == "bucket"]
        several = len(buckets) > 1
        found = [
            [*({one.bucket: one for one in pair.differences if one.part == "bucket"}[name] for name in buckets)]
            + [_overall(pair)] * several
            for pair in self.pairs
        ]
        if format == "csv":
            return comma_separated(
                [
                    {"first": one_line(pair.first), "second": one_line(pair.second)} | _pair_record(one)
                    for pair, own in zip(self.pairs, found, strict=True)
                    for one in own
                ]
            )
        lines = [
            GridLine(f"{one_line(pair.second, 28)} − {one_line(pair.first, 28)}", tuple(map(_cell, own)))
            for pair, own in zip(self.pairs, found, strict=True)
        ]
        ranked = zip(self.models, self.means, strict=True)
        told = "; ".join(f"{one_line(better)} and {one_line(worse)}" for better, worse in self.ties)
        notes = (
            f"Mean of the tasks: {', '.join(f'{one_line(name)} {100 * mean:.1f}' for name, mean in ranked)}.",
            f"* Told apart: p, after Holm's correction for {len(self.pairs)} pairs, is below {LEVEL}.",
            f"Not told apart in the mean of the tasks: {told or 'none'}.",
            *self.pairs[0].judges,
        )
        columns = (*map(one_line, buckets), *["all"] * several)
        return Grid(self.title, columns, tuple(lines), notes, "pair").written(format, width)


def _overall(comparison: Comparison) -> PairedDifference:
    return next(one for one in comparison.differences if one.part == "average")


def _ties(one: PairedDifference) -> str:
    """On how many questions the models differ, and who is ahead."""
    if one.ties == one.questions:
        return f"The models score the same on all {one.questions:,} questions"
    return (
        f"Of {one.questions:,} questions the second is ahead on {one.second_ahead:,}, the first on {one.first_ahead:,}"
    )


def _cell(one: PairedDifference | None) -> GridCell:
    if one is None:
        return GridCell("–")
    value = f"{100 * one.difference:+.1f}{'*' * one.is_told_apart}"
    if one.interval is None or one.p is None:
        return GridCell(value, one.interval_reason)
    p = one.p if one.holm is None else one.holm
    told = f"p {p:.3f}" if p >= 0.001 else "p < 0.001"
    return GridCell(value, f"{100 * one.interval[0]:+.1f} to {100 * one.interval[1]:+.1f}, {told}")


def _pair_record(one: PairedDifference) -> dict[str, str | int | float | None]:
    low, high = one.interval or (None, None)
    values = {"of_first": one.first, "of_second": one.second, "difference": one.difference, "low": low, "high": high}
    shares = {name: points(value) for name, value in values.items()}
    return {"bucket": one.bucket or "all", "questions": one.questions, **shares, "p": one.p, "holm": one.holm}


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


def _told_of_cut(rows: Mapping[str, int]) -> list[str]:
    """What is to be known of responses that were cut, by model."""
    told = ", ".join(f"{one_line(name, 100)} {count:,}" for name, count in rows.items() if count)
    return [f"rows cut at the output limit, scored as far as they go: {told}"] * bool(told)


def _told_of_unverified(models: Mapping[str, bool]) -> list[str]:
    """Whose rows nobody checked."""
    told = ", ".join(one_line(name, 100) for name, is_so in models.items() if is_so)
    return [f"{UNVERIFIED}: {told}"] * bool(told)


def compare(first: Result, second: Result) -> Comparison:
    """Compare two results of one release. Raises ResultError if they do not answer the same questions of the same rows.

    Versions with the same MAJOR share their rows; rows that only one result has are left out and counted.
    """
    if first.stream != second.stream or _major(first.release) != _major(second.release):
        raise ResultError(
            f"got results of {first.release} and {second.release}"
            f"{', with other streams' * (first.stream != second.stream)}: other questions; "
            "expected results of one release: score the responses of both models to the same one"
        )
    # A version has one root; other versions of a MAJOR hold more rows, and so have another.
    if first.release == second.release and len({first.root, second.root} - {""}) > 1:
        raise ResultError(
            f"got results of two releases that call themselves {first.release}: root {first.root[:16]}… of "
            f"{first.model!a} and {second.root[:16]}… of {second.model!a}; expected one: find the altered copy "
            "(carrara verify prints its root), and score both responses with the other"
        )
    shared = {row.id for row in first.rows} & {row.id for row in second.rows}
    if not shared:
        raise ResultError("got results with no row in common, expected the same rows in both")
    held = [right_together([row for row in result.rows if row.id in shared]) for result in (first, second)]
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
        tuple(judge_notes(row for rows in held for row in rows)),
        (sum(bool(row.cut) for row in held[0]), sum(bool(row.cut) for row in held[1])),
        (first.unverified, second.unverified),
    )


def compare_all(results: Sequence[Result]) -> Comparisons:
    """Compare several results of one release pair by pair. Raises ResultError for those that `compare` refuses."""
    shared = set.intersection(*({row.id for row in result.rows} for result in results))
    if not shared:
        raise ResultError("got results with no row in common, expected the same rows in all")
    if len({result.model for result in results}) < len(results):
        raise ResultError("got two results of one model name, expected another name for each: carrara score --model")
    kept = [replace(one, rows=tuple(right_together([row for row in one.rows if row.id in shared]))) for one in results]
    task = AverageLevel(lambda row: row.task)
    ranked = sorted(((weighted(shares(one.rows, task)), place, one) for place, one in enumerate(kept)), key=_rank)
    pairs = [compare(worse, better) for (*_, better), (*_, worse) in combinations(ranked, 2)]
    # By name: results of two MINOR versions may hold other configs, and so other values of a paper.
    p_values: dict[tuple[str, str], list[float | None]] = {}
    for pair in pairs:
        for one in pair.differences:
            p_values.setdefault((one.part, one.name), []).append(one.p)
    corrected = {name: iter(_holm(values)) for name, values in p_values.items()}
    pairs = [
        replace(
            pair,
            differences=tuple(replace(one, holm=next(corrected[one.part, one.name])) for one in pair.differences),
        )
        for pair in pairs
    ]
    left_out = len({row.id for result in results for row in result.rows} - shared)
    return Comparisons(
        tuple(one.model for *_, one in ranked), tuple(mean for mean, *_ in ranked), tuple(pairs), left_out
    )


def _rank(entry: tuple[float, int, Result]) -> tuple[float, int]:
    """The best first; of equal ones the first that was given."""
    return -entry[0], entry[1]


def _holm(values: Sequence[float | None]) -> list[float | None]:
    """Every p, corrected for the number of them; None where there is none."""
    known = sorted((p, place) for place, p in enumerate(values) if p is not None)
    corrected: list[float | None] = [None] * len(values)
    most = 0.0
    for rank, (p, place) in enumerate(known):
        most = max(most, min(1.0, p * (len(known) - rank)))
        corrected[place] = most
    return corrected


def _averages(first: Sequence[RowScore], second: Sequence[RowScore]) -> Iterator[PairedDifference]:
    units, against = dict(_cells(first)), dict(_cells(second))
    yield from _differences(first, units, against)


def _papers(
    first: Sequence[RowScore], second: Sequence[RowScore], held: Sequence[HeldConfig]
) -> Iterator[PairedDifference]:
    other = summaries(second, held)
    for paper, summary in summaries(first, held).items():
        units, against = {}, {}
        for value, its in zip(summary.values, other[paper].values, strict=True):
            if value.is_headline and value.units:
                named = ComparedValue(paper, value.name)
                units[named], against[named] = value.units, its.units
        yield from _differences(first, units, against)


def _differences(
    rows: Sequence[RowScore],
    units: Mapping[ComparedValue, Sequence[Unit]],
    against: Mapping[ComparedValue, Sequence[Unit]],
) -> Iterator[PairedDifference]:
    apart = {
        name: [unit._replace(score=other.score - unit.score) for unit, other in zip(own, against[name], strict=True)]
        for name, own in units.items()
    }
    for name, found in estimates(rows, apart, apart).items():
        gains = _by_question(apart[name])
        yield PairedDifference(
            *name,
            weighted(units[name]),
            weighted(against[name]),
            found.interval,
            found.interval_reason,
            found.p,
            len(gains),
            sum(gain < -_ALIKE for gain in gains),
            sum(gain > _ALIKE for gain in gains),
        )


def _by_question(apart: Sequence[Unit]) -> list[float]:
    """How far the second is ahead on each question, weighted as in the value."""
    gains: dict[Any, list[float]] = {}
    for unit in apart:
        gains.setdefault(unit.question, []).append(unit.score * unit.weight)
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
