"""Summaries as papers report them: requests for values, as weighted units, and their estimates.

A value that would average over configs of which some were not run is left out, and these configs are named.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from carrara.scoring.intervals import Estimate, Unit, estimates
from carrara.scoring.result import RowScore

Keys = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value to estimate: its unique name in the summary, its keys (task, bucket, length, ...) and its units.

    A value without units is `fixed`: it does not depend on the responses. The units of a difference lie in [-1, 1].
    """

    name: str
    keys: Keys
    units: Sequence[Unit] = ()
    fixed: float | None = None
    is_headline: bool = False
    is_difference: bool = False


@dataclass(frozen=True, slots=True)
class PaperValue:
    """A value of a summary with its units. `estimate` is None for a fixed value."""

    name: str
    keys: Keys
    value: float
    estimate: Estimate | None
    is_headline: bool
    units: Sequence[Unit] = field(repr=False, default=())
    is_difference: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the value as JSON-able data."""
        estimate = self.estimate
        return {
            "name": self.name,
            "keys": dict(self.keys),
            "headline": self.is_headline,
            "value": self.value,
            "interval": list(estimate.interval) if estimate and estimate.interval else None,
            "interval_reason": estimate.interval_reason if estimate else "fixed by the rows",
            "apart": estimate.apart if estimate and not self.is_difference else None,
            "questions": estimate.questions if estimate else None,
            "standard_error": estimate.standard_error if estimate else None,
        }


@dataclass(frozen=True, slots=True)
class PaperSummary:
    """The values that a paper reports. `paper`: the benchmark's name; `notes`: definitions, and what is missing.

    `not_run`: the headlines without a value, and the configs of each that were not run.
    """

    paper: str
    values: tuple[PaperValue, ...]
    notes: tuple[str, ...] = field(default=())
    not_run: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON-able data, headline values first."""
        ordered = sorted(self.values, key=lambda value: not value.is_headline)
        return {
            "not_run": {name: list(configs) for name, configs in self.not_run.items()},
            "notes": list(self.notes),
            "values": [value.to_json() for value in ordered],
        }


def readers(rows: Iterable[RowScore], published: Mapping[str, str]) -> tuple[str, ...]:
    """Return a note for each task that is not scored by its published metric (`published`, by task)."""
    used = sorted({(row.task, row.metric) for row in rows if row.metric and row.task in published})
    return tuple(
        f"{task} is scored by {metric}; the paper's own metric is {published[task]} (--task {task} --metric)."
        for task, metric in used
        if not metric.startswith(published[task].partition("<")[0])
    )


def summary(paper: str, rows: Sequence[RowScore], wanted: Iterable[Wanted], notes: Iterable[str] = ()) -> PaperSummary:
    """Estimate the wanted values over `rows`.

    A value over rows that stand in for a config that was not run is left out; a headline is then named in `not_run`.
    """
    listed, not_run = [], {}
    for one in wanted:
        lacking = sorted({unit.config for unit in one.units if math.isnan(unit.score)})
        if not lacking:
            listed.append(one)
        elif one.is_headline and not all(math.isnan(unit.score) for unit in one.units):
            not_run[one.name] = tuple(lacking)
    rows = [row for row in rows if row.is_run]
    units = {value.name: value.units for value in listed if value.units}
    estimated = estimates(rows, units, [value.name for value in listed if value.is_difference])
    if len(estimated) != sum(bool(value.units) for value in listed):
        raise ValueError(f"got two values with one name in the summary of {paper}, expected unique names")
    values = []
    for asked in listed:
        estimate = estimated.get(asked.name)
        value = estimate.value if estimate else asked.fixed
        if value is not None:
            values.append(
                PaperValue(asked.name, asked.keys, value, estimate, asked.is_headline, asked.units, asked.is_difference)
            )
    return PaperSummary(paper, tuple(values), tuple(notes), not_run)
