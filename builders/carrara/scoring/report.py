"""Reports: scores of many rows, averaged over groups, with what is missing in plain sight.

Rows stream through (a prompt is never kept). Rows that share `group` are one question and are averaged first.
`mean` counts a missing response, and one that no judge judged, as 0, `mean_answered` leaves them out; which ids are
missing and which unjudged is said. Every number is
the same on every machine: sums are exact (`fsum`) and the bootstrap draws from SHAKE-128 of the cell's name.
What `Report.to_json` gives is the result file (`carrara score --out`), described in `result.py`.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from carrara.scoring.bootstrap import SINGLE, deviation, interval, noise_floor, resampled_means
from carrara.scoring.errors import RowError
from carrara.scoring.facts import about, chance_of, check_row, facts_of, numbers_of
from carrara.scoring.judge.verdicts import Verdicts
from carrara.scoring.papers.helmet import helmet
from carrara.scoring.papers.michelangelo import michelangelo
from carrara.scoring.papers.needlebench import needlebench
from carrara.scoring.papers.ruler import ruler
from carrara.scoring.papers.summary import PaperSummary
from carrara.scoring.papers.verbatimeval import verbatimeval
from carrara.scoring.responses.files import Responses
from carrara.scoring.result import (
    FORMAT,
    MAX_DEPTHS,
    MAX_REASON,
    VERSION,
    RowScore,
    mean,
)
from carrara.scoring.scores import Score, parts_of, recorded, score_response

NAMED: Final = 20
BINS: Final = 10
_PAPERS: Final = (michelangelo, helmet, ruler, verbatimeval, needlebench)


@dataclass(frozen=True, slots=True)
class Average:
    """One average: means in [0, 1] over `groups`, and a 95 % bootstrap interval of `mean` or why there is none.

    `noise` is the noise floor of `mean`: how far two equally good models differ by chance (`bootstrap.py`).
    """

    mean: float
    mean_answered: float | None
    interval: tuple[float, float] | None
    interval_reason: str
    noise: float
    groups: int
    rows: int
    scored: int
    missing: int
    metrics: tuple[str, ...]
    unjudged: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the cell as JSON-able data."""
        return {
            "groups": self.groups,
            "interval": list(self.interval) if self.interval else None,
            "interval_reason": self.interval_reason,
            "mean": self.mean,
            "mean_answered": self.mean_answered,
            "metrics": list(self.metrics),
            "missing": self.missing,
            "noise": self.noise,
            "rows": self.rows,
            "scored": self.scored,
            "unjudged": self.unjudged,
        }


@dataclass(frozen=True, slots=True)
class Means:
    """The means of a report without all else: the same numbers. `overall` is None for no rows."""

    overall: float | None
    tasks: dict[str, float]
    configs: dict[str, float]


@dataclass(frozen=True, slots=True)
class Ids:
    """How many ids, and the first twenty of them in order."""

    count: int
    first: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the ids as JSON-able data."""
        return {"count": self.count, "first": list(self.first)}


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a table or a plot needs.

    `complexity` is keyed (task, complexity), `depths` (task, bin 0-9; bin i is [10 i, 10 i + 10) % of the context,
    the last one closed), `overall` is the unweighted mean of the tasks. `model`, `release` (name@version) and `stream`
    say whose answers to what these are, `metric` by which other metric than the rows' own they were scored.
    """

    overall: Average
    configs: dict[str, Average]
    tasks: dict[str, Average]
    complexity: dict[tuple[str, int], Average]
    depths: dict[tuple[str, int], Average]
    missing: Ids
    unknown: Ids
    duplicates: Ids
    scores: tuple[RowScore, ...]
    model: str = ""
    release: str = ""
    stream: str = ""
    metric: str | None = None
    unjudged: Ids = field(default_factory=lambda: Ids(0, ()))

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-able data, lists sorted, without NaN: the result file (`result.py`)."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "model": self.model,
            "release": self.release,
            "stream": self.stream,
            "metric": self.metric,
            "complexity": [{"task": t, "complexity": c} | cell.to_json() for (t, c), cell in self.complexity.items()],
            "configs": {name: cell.to_json() for name, cell in self.configs.items()},
            "depths": [{"task": t, "depth": depth_label(b)} | cell.to_json() for (t, b), cell in self.depths.items()],
            "duplicates": self.duplicates.to_json(),
            "missing": self.missing.to_json(),
            "overall": self.overall.to_json(),
            "papers": {name: paper.to_json() for name, paper in summaries(self.scores).items()},
            "scores": [row.to_json() for row in self.scores],
            "tasks": {name: cell.to_json() for name, cell in self.tasks.items()},
            "unjudged": self.unjudged.to_json(),
            "unknown": self.unknown.to_json(),
        }


def summaries(rows: Iterable[RowScore]) -> dict[str, PaperSummary]:
    """The summary of every paper that has tasks among the rows, by the benchmark's name.

    Every value has its interval and its noise floor. What a summary needs and the rows lack is left out, never guessed;
    a missing response counts 0.
    """
    ordered = sorted(rows, key=lambda row: row.id)
    made = [summary for summarise in _PAPERS if (summary := summarise(ordered)) is not None]
    return {summary.paper: summary for summary in made}


def depth_label(depth_bin: int) -> str:
    """Return the name of a depth bin: 0 -> "0-10%"."""
    return f"{depth_bin * 100 // BINS}-{(depth_bin + 1) * 100 // BINS}%"


@dataclass(slots=True)
class _Gathered:
    """Scores of one cell by group, before averaging."""

    groups: defaultdict[tuple[str, str], list[float | None]] = field(default_factory=lambda: defaultdict(list))
    metrics: set[str] = field(default_factory=set)
    unjudged: int = 0

    def add(self, row: RowScore, is_unjudged: bool) -> None:
        self.groups[row.group_key].append(row.score)
        self.metrics.add(row.metric)
        self.unjudged += is_unjudged

    def group_means(self) -> list[float]:
        # Sorted, so that the order of the rows decides nothing.
        return [mean([value or 0.0 for value in self.groups[group]]) for group in sorted(self.groups)]

    def answered(self) -> float | None:
        kept = [[value for value in values if value is not None] for values in self.groups.values()]
        return mean([mean(values) for values in kept if values]) if any(kept) else None

    def noise(self) -> float:
        means = self.group_means()
        return noise_floor(deviation(means) / math.sqrt(len(means)), len(means))

    def cell(self, name: str) -> Average:
        means = self.group_means()
        limits = interval(resampled_means(name, means)) if len(means) > 1 else None
        rows = sum(map(len, self.groups.values()))
        unscored = sum(values.count(None) for values in self.groups.values())
        return Average(
            mean(means),
            self.answered(),
            limits,
            "" if limits else SINGLE,
            self.noise(),
            len(means),
            rows,
            rows - unscored,
            unscored - self.unjudged,
            tuple(sorted(self.metrics)),
            self.unjudged,
        )


def score(
    rows: Iterable[Mapping[str, object]],
    responses: Responses | Mapping[str, str | None],
    metric: str | None = None,
    *,
    model: str = "",
    release: str = "",
    stream: str = "",
    verdicts: Verdicts | None = None,
) -> Report:
    """Score the responses of a model against the rows of a release, each by its own metric or by `metric`.

    `rows` are mappings with a release's columns, each read once and not kept. `responses` is what `read_responses`
    gives, or texts by row id (None: no response). A row without a response is missing: 0 in `mean`, absent from
    `mean_answered`. What a model judges is scored by `verdicts`; a response that they do not hold is unjudged, and
    counts as a missing one does. `model`, `release` (name@version) and `stream` are taken over as they are.

    Raises RowError for a row without what its metric reads, for no rows and for a row id that comes twice; MetricError
    for an unknown metric and for one whose library is not installed; JudgeError where a judge in `metric` is away.
    """
    answered = responses if isinstance(responses, Responses) else Responses(dict(responses), {}, ())
    configs: defaultdict[str, _Gathered] = defaultdict(_Gathered)
    tasks: defaultdict[str, _Gathered] = defaultdict(_Gathered)
    complexity: defaultdict[tuple[str, int], _Gathered] = defaultdict(_Gathered)
    depths: defaultdict[tuple[str, int], _Gathered] = defaultdict(_Gathered)
    scores: dict[str, RowScore] = {}
    unjudged: list[str] = []
    for row in rows:
        row_id = _required(row, "id")
        if row_id in scores:
            raise RowError("got this id twice, expected every id once", row_id)
        response = answered.texts.get(row_id)
        score = score_response(row, response, metric, verdicts=verdicts)
        is_unjudged = score.value is None and response is not None
        reason = score.reason if is_unjudged else _reason(score, row_id, answered)
        scored = _scored(row, score, reason, response, metric, verdicts)
        scores[row_id] = scored
        if is_unjudged:
            unjudged.append(row_id)
        cells = [configs[scored.config], tasks[scored.task], complexity[scored.task, scored.complexity]]
        if (depth_bin := _depth_bin(row.get("depths"))) is not None:
            cells.append(depths[scored.task, depth_bin])
        for cell in cells:
            cell.add(scored, is_unjudged)
    if not scores:
        raise RowError("got no rows, expected at least one to score")
    return Report(
        overall=_overall(tasks),
        configs={name: configs[name].cell(f"config:{name}") for name in sorted(configs)},
        tasks={name: tasks[name].cell(f"task:{name}") for name in sorted(tasks)},
        complexity={key: complexity[key].cell(f"complexity:{key[0]}:{key[1]}") for key in sorted(complexity)},
        depths={key: depths[key].cell(f"depth:{key[0]}:{key[1]}") for key in sorted(depths)},
        missing=_ids({row.id for row in scores.values() if row.score is None} - set(unjudged)),
        unknown=_ids(key for key in answered.texts if key not in scores),
        duplicates=_ids(answered.duplicates),
        scores=tuple(scores[key] for key in sorted(scores)),
        model=model,
        release=release,
        stream=stream,
        metric=None if metric is None else recorded(metric, verdicts),
        unjudged=_ids(unjudged),
    )


def row_score(
    row: Mapping[str, object], response: str | None, metric: str | None = None, *, verdicts: Verdicts | None = None
) -> RowScore:
    """Score one response as `score` does; None tells where the row stands. Raises what `score_response` does."""
    score = score_response(row, response, metric, verdicts=verdicts)
    return _scored(row, score, score.reason, response, metric, verdicts)


def means(rows: Iterable[RowScore]) -> Means:
    """Average rows that are scored already: rows of a group first, then groups, then (`overall`) tasks."""
    tasks: defaultdict[str, _Gathered] = defaultdict(_Gathered)
    configs: defaultdict[str, _Gathered] = defaultdict(_Gathered)
    for row in rows:
        tasks[row.task].add(row, False)
        configs[row.config].add(row, False)
    of_tasks = {name: mean(tasks[name].group_means()) for name in sorted(tasks)}
    of_configs = {name: mean(configs[name].group_means()) for name in sorted(configs)}
    return Means(mean(of_tasks.values()) if of_tasks else None, of_tasks, of_configs)


def _scored(
    given: Mapping[str, object],
    score: Score,
    reason: str,
    response: str | None,
    metric: str | None,
    verdicts: Verdicts | None,
) -> RowScore:
    name = metric or str(given["metric"])
    with about(given):
        row = check_row(given)
        facts = facts_of(row)
        parts = parts_of(name, response, row) if response is not None else {}
    return RowScore(
        id=_required(row, "id"),
        score=score.value,
        reason=reason[:MAX_REASON],
        metric=recorded(name, verdicts),
        item=str(row.get("item") or ""),
        task=_required(row, "task"),
        variant=str(row.get("variant") or ""),
        bucket=_required(row, "bucket"),
        tokens=int(row.get("tokens") or 0),
        max_output_tokens=int(row.get("max_output_tokens") or 0),
        complexity=int(row.get("complexity") or 0),
        group=str(row.get("group") or ""),
        depths=tuple(float(depth) for depth in list(row.get("depths") or ())[:MAX_DEPTHS]),
        numbers=numbers_of(facts),
        chance=chance_of(facts),
        classes=dict(sorted(parts.items())),
    )


def _overall(tasks: Mapping[str, _Gathered]) -> Average:
    """Average the tasks, each counting once; a resample is the mean of one resample of every task."""
    names = sorted(tasks)
    means = {name: tasks[name].group_means() for name in names}
    answered = [value for name in names if (value := tasks[name].answered()) is not None]
    # One task of a single group would count as known exactly: then there is no interval.
    limits = None
    if all(len(means[name]) > 1 for name in names):
        resampled = [resampled_means(f"task:{name}", means[name]) for name in names]
        limits = interval([mean(values) for values in zip(*resampled, strict=True)])
    rows = sum(len(values) for name in names for values in tasks[name].groups.values())
    unscored = sum(values.count(None) for name in names for values in tasks[name].groups.values())
    unjudged = sum(tasks[name].unjudged for name in names)
    return Average(
        mean=mean([mean(means[name]) for name in names]),
        mean_answered=mean(answered) if answered else None,
        interval=limits,
        interval_reason="" if limits else SINGLE,
        noise=min(1.0, math.hypot(*(tasks[name].noise() for name in names)) / len(names)),
        groups=sum(map(len, means.values())),
        rows=rows,
        scored=rows - unscored,
        missing=unscored - unjudged,
        metrics=tuple(sorted({metric for name in names for metric in tasks[name].metrics})),
        unjudged=unjudged,
    )


def _depth_bin(depths: Any) -> int | None:
    kept = [float(depth) for depth in depths or () if math.isfinite(depth)]
    return min(BINS - 1, max(0, math.floor(mean(kept) * BINS))) if kept else None


def _reason(score: Score, row_id: str, answered: Responses) -> str:
    if score.value is not None:
        return score.reason
    return answered.reasons.get(row_id, score.reason) if row_id in answered.texts else "no response with this id"


def _required(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise RowError(f"got no {name}, expected a text", str(row.get("id") or ""))
    return value


def _ids(ids: Iterable[str]) -> Ids:
    ordered = sorted(ids)
    return Ids(len(ordered), tuple(ordered[:NAMED]))
