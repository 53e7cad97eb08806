"""What a paper's summary is made of: values wanted, as units with their weights, and values found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from carrara.scoring.bootstrap import Estimate, Unit, estimates
from carrara.scoring.result import RowScore

Keys = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value to estimate: a name of its own in the summary, where it stands (task, bucket, length, ...), its units.

    A value without units is `fixed` by the rows and has no chance in it.
    """

    name: str
    keys: Keys
    units: Sequence[Unit] = ()
    fixed: float | None = None
    is_headline: bool = False


@dataclass(frozen=True, slots=True)
class PaperValue:
    """A value of a summary and what it is made of. `estimate` is None for one that the rows fix."""

    name: str
    keys: Keys
    value: float
    estimate: Estimate | None
    is_headline: bool
    units: Sequence[Unit] = field(repr=False, default=())

    def to_json(self) -> dict[str, Any]:
        """Return the value as JSON-able data."""
        found = self.estimate
        return {
            "name": self.name,
            "keys": dict(self.keys),
            "headline": self.is_headline,
            "value": self.value,
            "interval": list(found.interval) if found and found.interval else None,
            "interval_reason": found.interval_reason if found else "fixed by the rows",
            "noise": found.noise if found else None,
            "questions": found.questions if found else None,
            "standard_error": found.standard_error if found else None,
        }


@dataclass(frozen=True, slots=True)
class PaperSummary:
    """What a paper reports: `paper` is the benchmark's name; `notes` say how values were made, or what is left out."""

    paper: str
    values: tuple[PaperValue, ...]
    notes: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON-able data, headline values first."""
        ordered = sorted(self.values, key=lambda value: not value.is_headline)
        return {"notes": list(self.notes), "values": [value.to_json() for value in ordered]}


def summary(paper: str, rows: Sequence[RowScore], wanted: Iterable[Wanted], notes: Iterable[str] = ()) -> PaperSummary:
    """Estimate what is wanted over `rows`, all under the same draws of questions."""
    listed = list(wanted)
    found = estimates(rows, {one.name: one.units for one in listed if one.units})
    if len(found) != sum(bool(one.units) for one in listed):
        raise ValueError(f"got two values of one name in the summary of {paper}, expected every name once")
    values = []
    for one in listed:
        estimate = found.get(one.name)
        value = estimate.value if estimate else one.fixed
        if value is not None:
            values.append(PaperValue(one.name, one.keys, value, estimate, one.is_headline, one.units))
    return PaperSummary(paper, tuple(values), tuple(notes))
