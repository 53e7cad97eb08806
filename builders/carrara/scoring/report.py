"""Reports: scores of many rows, averaged over groups, with what is missing in plain sight.

Rows stream through (a prompt is never kept). Rows that share `group` are one question and are averaged first.

A config is what a harness runs. If the responses have no line for any of its rows, it was not run: it is in no
average, and it is named. In a config that was run, a row without a response counts 0, and so does one that no judge
judged, so that dropping what failed raises no score; `mean_answered` leaves both out, and their ids are given. If a run
says which rows of each config it asked (`Responses.asked`), the others are left out, and no row besides.

Numbers are the same on every machine: sums are exact, limits rounded. `result.py` tells what `Report.to_json` gives.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from carrara.scoring.errors import ResponsesError, RowError
from carrara.scoring.facts import ScoredRow, about, chance_of, depth_bin, depth_label, facts_of, numbers_of
from carrara.scoring.intervals import Stratum, estimate, pass_at, strata, variances
from carrara.scoring.judge.judge import judge_of, stand_in
from carrara.scoring.judge.verdicts import Verdicts
from carrara.scoring.papers import helmet, michelangelo, needlebench, ruler, verbatimeval
from carrara.scoring.papers.summary import PaperSummary
from carrara.scoring.papers.weights import by
from carrara.scoring.responses.files import Responses
from carrara.scoring.result import (
    FORMAT,
    MAX_CONTEXT,
    MAX_DEPTHS,
    MAX_REASON,
    NO_LINE,
    UNVERIFIED,
    VERSION,
    Average,
    Bounds,
    HeldConfig,
    Ids,
    KnownErrors,
    QuestionKey,
    RowScore,
    SampleSummary,
    bounds,
    bucket_tokens,
    held_configs,
    mean,
)
from carrara.scoring.scores import Score, parts_of, recorded, reported_value, score_checked, score_response
from carrara.scoring.table import NOT_RUN, Coverage, TableFormat, comma_separated, judge_notes, listed_ids, one_line
from carrara.text.json import json_text

NAMED: Final = 20
# The summary of each paper, and the paper's tasks.
_PAPERS: Final[Mapping[Callable[[Sequence[RowScore]], PaperSummary | None], frozenset[str]]] = {
    michelangelo.michelangelo: frozenset(michelangelo.TASKS),
    helmet.helmet: frozenset(helmet.PAPER),
    ruler.ruler: frozenset((ruler.TASK,)),
    verbatimeval.verbatimeval: frozenset(verbatimeval.TASKS),
    needlebench.needlebench: frozenset((*needlebench.WEIGHTS, needlebench.TRACE)),
}


@dataclass(frozen=True, slots=True)
class Means:
    """The means of a report without all else: the same numbers. `overall` is None for no rows."""

    overall: float | None
    tasks: dict[str, float]
    configs: dict[str, float]


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """All that a table or a plot needs. Averages are over what was run; `held` are all configs of the release.

    `cells` is keyed (task, bucket), `complexity` (task, complexity), `depths` (task, bin 0-9; bin i is
    [10 i, 10 i + 10) % of the context, the last one closed). `buckets` are the unweighted means of the tasks that were
    run in a bucket, `overall` is that of all tasks that were run, each over all its rows. `model`, `release`
    (name@version), its `root` and `stream` say whose answers to what these are, `unverified` that nobody checked the
    rows; `metric` is by which other metric than the rows' own they were scored; `chosen` are the configs that a table
    shows, all without a choice, and `selected` how many rows of each config were selected by their ids, where rows
    were: the others are in no average.
    """

    overall: Average
    buckets: dict[str, Average]
    tasks: dict[str, Average]
    cells: dict[tuple[str, str], Average]
    configs: dict[str, Average]
    complexity: dict[tuple[str, int], Average]
    depths: dict[tuple[str, int], Average]
    held: tuple[HeldConfig, ...]
    missing: Ids
    empty: Ids
    unjudged: Ids
    unknown: Ids
    duplicates: Ids
    scores: tuple[RowScore, ...]
    model: str = ""
    release: str = ""
    stream: str = ""
    root: str = ""
    unverified: bool = False
    metric: str | None = None
    chosen: tuple[str, ...] = ()
    known_errors: KnownErrors | None = None
    samples: SampleSummary | None = None
    selected: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Report on {self.title}, mean of the tasks {100 * self.overall.mean:.1f}"

    @property
    def not_run(self) -> tuple[HeldConfig, ...]:
        """The configs that the release holds and for which the responses have no line."""
        return tuple(one for one in self.held if one.config not in self.configs)

    @property
    def papers(self) -> dict[str, PaperSummary]:
        """The scores as the papers report them (`summaries`): computed on every access, for many rows in seconds."""
        return summaries(self.scores, self.held)

    @property
    def cut(self) -> Ids:
        """The rows with a response that was cut at its limit of tokens; it is scored as it stands (`bounds`)."""
        return _ids(row.id for row in self.scores if row.cut)

    @property
    def thinking(self) -> Ids:
        """The rows with a response that ends within a thought: it holds no answer."""
        return _ids(row.id for row in self.scores if row.thinking)

    @property
    def bounds(self) -> Bounds | None:
        """Between what the mean of the tasks lies, depending on the cut responses; None where none was cut."""
        return bounds(*by(self.scores, lambda row: row.task).values()) if self.cut.count else None

    @property
    def title(self) -> str:
        """What the scores are of: release, model, and how many of the release's rows were run."""
        named = ", ".join(filter(None, (one_line(self.release, 200), one_line(self.model, 100)))) or "scores"
        by = f", scored by {one_line(self.metric, 200)}" if self.metric else ""
        judges = sorted({judge_of(row.metric) for row in self.scores if row.metric.startswith("judge/")} - {""})
        by += "".join(f", judged by {one_line(judge, 200)}" for judge in judges)
        return f"{named}: {self.overall.rows:,} of {sum(one.rows for one in self.held):,} rows{by}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What stands below the table: the judges of scores, several samples a row, responses that were cut."""
        told = judge_notes(self.scores) + ([self.samples.told] if self.samples else [])
        if limits := self.bounds:
            told.append(f"Cut at the output limit: {_rows(limits.rows)}; the mean is {limits.told}.")
        return tuple(told)

    def warnings(self) -> tuple[str, ...]:
        """What a reader of the table must know: what counts 0, what was not run, which responses were not used."""
        told = [UNVERIFIED] * self.unverified
        first = self._first() if self.missing.count else None
        limited = f"if only the first {first:,} of every config were asked: --first {first}" if first else ""
        for ids, what, hint in (
            (self.missing, "without a response, counted 0", limited),
            (self.unjudged, "with a response that no judge judged, counted 0", ""),
            (self.empty, "with an empty response", ""),
            (self.cut, "cut at the output limit, scored as far as they go", ""),
            (
                self.thinking,
                "still thinking at the end, so without an answer",
                "raise the limit (carrara run --reasoning-tokens)",
            ),
        ):
            if ids.count:
                told.append(f"{_rows(ids.count)} {what} ({listed_ids(ids)}){'; ' * bool(hint)}{hint}")
        if self.unknown.count:
            told.append(f"{self.unknown.count:,} ids of no row of the release ({listed_ids(self.unknown)})")
        if self.duplicates.count:
            told.append(f"{self.duplicates.count:,} ids twice with the same response ({listed_ids(self.duplicates)})")
        if self.samples and self.samples.unscored:
            told.append(f"{self.samples.unscored:,} samples without a score, counted 0")
        if not_run := self._coverage().not_run():
            told.append(f"{NOT_RUN}: {not_run}")
        if fallback := sum(row.score is not None and stand_in(row.reason) != "" for row in self.scores):
            what = "scored by words in common with a reference: no model judged them (carrara judge)"
            told.append(f"{_rows(fallback)} {what}")
        if (known := self.known_errors) and known.rows:
            errata = ", ".join(map(str, known.errata[:10])) + ", …" * (len(known.errata) > 10)
            listed = f"errata {errata}; carrara erratum list {self.release.partition('@')[0]}"
            then = "left out" if known.left_out else "--without-errata leaves them out"
            told.append(f"{_rows(known.rows)} with known errors ({listed}): {then}")
        return tuple(told)

    def table(self, format: TableFormat = "text", width: int | None = None) -> str:
        """One table, task by bucket, in points with 95 % intervals, as text, Markdown, LaTeX (booktabs) or CSV.

        CSV has the columns task, bucket, rows (that were run), score, low, high, of (the rows of the release), judge,
        cut (rows with a cut response), cut_wrong and cut_left_out (the score with these wrong, and without). JSON is
        the whole result. Text wider than `width` has intervals below the values; below five questions there is none.

        >>> print(report.table("md"))
        """
        if format == "json":
            return json_text(self.to_json(), allow_nan=False)
        if format == "csv":
            bounds = self._bounds(lambda row: (row.task, row.bucket))
            return comma_separated(self._coverage().records(bounds, self.scores))
        grid = self._coverage().grid(self.title, self.buckets, self.overall)
        return replace(grid, notes=(*grid.notes, *self.notes)).written(format, width)

    def _first(self) -> int | None:
        """How many rows of every config have a line, where these are its first ones; None where any other lacks one."""
        counts = {}
        for config, rows in by(self.scores, lambda row: row.config).items():
            lines = [row.reason != NO_LINE for row in rows]
            counts[config] = sum(lines)
            if not all(lines[: counts[config]]):
                return None
        cut = {number for config, number in counts.items() if number < self.configs[config].rows}
        return max(cut) if len(cut) == 1 and max(counts.values()) <= max(cut) else None

    def _bounds(self, name: Callable[[RowScore], Any]) -> dict[Any, Bounds]:
        """The bounds of the averages that have cut responses, by what they are of."""
        return {key: limits for key, own in by(self.scores, name).items() if (limits := bounds(own)).rows}

    def _cut_to_json(self) -> dict[str, object]:
        if (overall := self.bounds) is None:
            return self.cut.to_json()
        tasks, configs = self._bounds(lambda row: row.task), self._bounds(lambda row: row.config)
        cells = self._bounds(lambda row: (row.task, row.bucket))
        return self.cut.to_json() | {
            "overall": overall.to_json(),
            "tasks": {name: limits.to_json() for name, limits in tasks.items()},
            "cells": [{"task": task, "bucket": name} | limits.to_json() for (task, name), limits in cells.items()],
            "configs": {name: limits.to_json() for name, limits in configs.items()},
        }

    def _coverage(self) -> Coverage:
        return Coverage(self.held, self.cells, self.chosen, self.selected)

    def to_pandas(self) -> Any:
        """The rows that were run as a pandas.DataFrame, one line a row; what counts 0 has the score 0.

        Raises ImportError where pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("pandas is not installed: pip install 'carrara[load]'") from error
        more = ({"config": row.config, "score": row.value, "answered": row.score is not None} for row in self.scores)
        return pandas.DataFrame.from_records(
            [row.to_json() | also for row, also in zip(self.scores, more, strict=True)]
        )

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-able data, lists sorted, without NaN: the result file (`result.py`)."""
        return {
            "format": FORMAT,
            "version": VERSION,
            **{name: getattr(self, name) for name in ("model", "release", "root", "unverified", "stream", "metric")},
            "release_configs": [config.to_json() for config in self.held],
            "not_run": [config.config for config in self.not_run],
            "buckets": {name: cell.to_json() for name, cell in self.buckets.items()},
            "cells": [{"task": task, "bucket": name} | cell.to_json() for (task, name), cell in self.cells.items()],
            "complexity": [{"task": t, "complexity": c} | cell.to_json() for (t, c), cell in self.complexity.items()],
            "configs": {name: cell.to_json() for name, cell in self.configs.items()},
            "cut": self._cut_to_json(),
            "depths": [{"task": t, "depth": depth_label(b)} | cell.to_json() for (t, b), cell in self.depths.items()],
            **{name: getattr(self, name).to_json() for name in ("duplicates", "empty", "missing", "thinking")},
            **{name: getattr(self, name).to_json() for name in ("unjudged", "unknown")},
            "overall": self.overall.to_json(),
            "papers": {name: paper.to_json() for name, paper in self.papers.items()},
            "samples": self.samples.to_json() if self.samples else None,
            "scores": [row.to_json() for row in self.scores],
            "tasks": {name: cell.to_json() for name, cell in self.tasks.items()},
            **({"errata": self.known_errors.to_json()} if self.known_errors else {}),
        }


def summaries(rows: Iterable[RowScore], held: Iterable[HeldConfig] = ()) -> dict[str, PaperSummary]:
    """The summary of every paper that has tasks among the rows, by the benchmark's name.

    Every value has its interval. What the release lacks is left out, never guessed; a missing
    response counts 0. `held` are the release's configs: a headline that averages over one that has no rows here is left
    out and named in `not_run`. A bucket without rows of a paper is no part of its summary, and a note says so, but for
    a larger one with shorter rows: Michelangelo's subsets are stacked.
    """
    ordered = sorted(rows, key=lambda row: row.id)
    run, configs = {row.config for row in ordered}, list(held)
    made: dict[str, PaperSummary] = {}
    for summarise, tasks in _PAPERS.items():
        own = [row for row in ordered if row.task in tasks]
        buckets = {row.bucket for row in own}
        longest = max(map(bucket_tokens, buckets), default=0)
        lacking = [one for one in configs if one.task in tasks and one.config not in run]
        needed = [one for one in lacking if one.bucket in buckets or one.tokens <= longest]
        if own and (summary := summarise([*own, *(row for one in needed for row in one.stand_ins())])) is not None:
            if others := sorted({one.bucket for one in lacking} - buckets, key=bucket_tokens):
                kept = sorted(buckets, key=bucket_tokens)
                note = f"Of {' and '.join(kept)} only; not run: {', '.join(others)}."
                summary = replace(summary, notes=(note, *summary.notes))
            rows_held = sum(one.rows for one in configs if one.task in tasks and one.config in run)
            if len(own) < rows_held:
                note = f"Over {len(own):,} of the {rows_held:,} rows of these configs."
                summary = replace(summary, notes=(note, *summary.notes))
            made[summary.paper] = summary
    return made


class _Means:
    """Averages of scored rows: rows of a group first, then groups; each with its interval over the questions."""

    def __init__(self, rows: Sequence[RowScore], unjudged: frozenset[str]) -> None:
        self._unjudged = unjudged
        # Once for every row, which stands in several averages.
        self._places = {row.id: (row.group_key, row.cluster) for row in rows}
        self._strata: dict[QuestionKey, Stratum] = strata(rows)

    def of(self, *parts: Sequence[RowScore]) -> Average:
        """The mean of parts, which all weigh the same."""
        grouped = [self._grouped(rows) for rows in parts]
        # Plain sums in the order of ids: of a million rows in fifty averages exact ones would take a minute.
        tops: defaultdict[QuestionKey, float] = defaultdict(float)
        weights: defaultdict[QuestionKey, float] = defaultdict(float)
        means = []
        for groups in grouped:
            each = 1 / len(groups) / len(parts)
            values = [own[0].value if len(own) == 1 else mean([row.value for row in own]) for own in groups.values()]
            means.append(mean(values))
            for own, value in zip(groups.values(), values, strict=True):
                cluster = self._places[own[0].id][1]
                tops[cluster] += each * value
                weights[cluster] += each
        found = estimate({cluster: (top, weights[cluster]) for cluster, top in tops.items()}, self._strata)
        answered = [over for groups in grouped if (over := _answered(groups.values())) is not None]
        rows = [row for part in parts for row in part]
        unscored = sum(row.score is None for row in rows)
        unjudged = sum(row.id in self._unjudged for row in rows)
        return Average(
            mean=mean(means),
            mean_answered=mean(answered) if answered else None,
            interval=found.interval,
            interval_reason=found.interval_reason,
            apart=found.apart,
            questions=found.questions,
            groups=sum(map(len, grouped)),
            rows=len(rows),
            scored=len(rows) - unscored,
            missing=unscored - unjudged,
            metrics=tuple(sorted({row.metric for row in rows})),
            unjudged=unjudged,
        )

    def _grouped(self, rows: Iterable[RowScore]) -> dict[tuple[str, str], list[RowScore]]:
        groups: dict[tuple[str, str], list[RowScore]] = {}
        for row in rows:
            groups.setdefault(self._places[row.id][0], []).append(row)
        return groups


def _answered(groups: Iterable[Sequence[RowScore]]) -> float | None:
    kept = []
    for rows in groups:
        if values := [value for row in rows if (value := row.answered) is not None]:
            kept.append(values[0] if len(values) == 1 else mean(values))
    return mean(kept) if kept else None


def score(
    rows: Iterable[Mapping[str, object]],
    responses: Responses | Mapping[str, str | None],
    metric: str | None = None,
    *,
    model: str = "",
    release: str = "",
    stream: str = "",
    verdicts: Verdicts | None = None,
    held: Iterable[HeldConfig] = (),
) -> Report:
    """Score the responses of a model against the rows of a release, each by its own metric or by `metric`.

    `rows` are mappings with a release's columns, each read once and not kept. `responses` is what `read_responses`
    gives, or texts by row id (None: asked, and no response). A config without any entry was not run. In the others a
    row without a response is missing: 0 in `mean`, absent from `mean_answered`. What a model judges is scored by
    `verdicts`; a response that they do not hold is unjudged, and counts as a missing one does. `model`, `release`
    (name@version) and `stream` are taken over as they are.

    `held` are the configs of the release in its order, for those that are not among the rows; without it, the release
    is taken to hold these rows and no others.

    Raises RowError for a row without what its metric reads, for no rows and for a row id that comes twice;
    ResponsesError where no response is for any row; MetricError for an unknown metric and for one whose library is not
    installed; JudgeError where a judge in `metric` is away.
    """
    answered = responses if isinstance(responses, Responses) else Responses(dict(responses), {}, ())
    found: dict[str, RowScore] = {}
    unjudged: set[str] = set()
    left: set[str] = set()
    repeats = max((len(more) for more in answered.more.values()), default=0)
    for row in rows:
        row_id = _required(row, "id")
        if row_id in found:
            raise RowError("got this id twice, expected every id once", row_id)
        response = answered.texts.get(row_id)
        score = score_response(row, response, metric, verdicts=verdicts)
        is_unjudged = score.value is None and response is not None
        reason = score.reason if is_unjudged else _reason(score, row_id, answered)
        scored = _scored(row, score, reason, response, metric, verdicts)
        if repeats and row_id in answered.texts:
            others = answered.more.get(row_id, ())
            # Samples often say the same.
            known = {response: scored}
            for text in others:
                if text not in known:
                    known[text] = _again(row, text, metric, verdicts)
            scored = _together(scored, [known[text] for text in others], repeats + 1)
            is_unjudged = scored.score is None and any(text is not None for text in answered.of(row_id))
        thinking = answered.still_thinking(row_id)
        cut = answered.cut_short(row_id) if answered.tells_stops else thinking
        found[row_id] = scored = replace(scored, cut=cut, thinking=thinking) if cut or thinking else scored
        if is_unjudged:
            unjudged.add(row_id)
        if not answered.has_asked(row_id, scored.config):
            left.add(row_id)
    if not found:
        raise RowError("got no rows, expected at least one to score")
    run = {row.config for row in found.values() if row.id in answered.texts}
    if not run:
        raise ResponsesError(_strangers(answered, found))
    configs = {one.config: one for one in held}
    configs |= {one.config: one for one in held_configs(found.values()) if one.config not in configs}
    scores = [found[row_id] for row_id in sorted(found) if found[row_id].config in run and row_id not in left]
    return _report(
        scores,
        frozenset(unjudged),
        held=tuple(configs.values()),
        missing=_ids({row.id for row in scores if row.score is None} - unjudged),
        empty=_ids(row.id for row in scores if not row.thinking and answered.has_blank(row.id)),
        unknown=_ids(key for key in answered.texts if key not in found),
        duplicates=_ids(answered.duplicates),
        model=model,
        release=release,
        stream=stream,
        metric=None if metric is None else recorded(metric, verdicts),
    )


def _report(rows: Sequence[RowScore], unjudged: frozenset[str], **told: Any) -> Report:
    """Average rows that were run, at least one."""
    scores, rows = tuple(rows), needlebench.right_together(rows)
    means = _Means(rows, unjudged)
    tasks, configs = by(rows, lambda row: row.task), by(rows, lambda row: row.config)
    cells = by(rows, lambda row: (row.task, bucket_tokens(row.bucket), row.bucket))
    buckets = sorted({(size, bucket) for _, size, bucket in cells})
    binned = [row for row in rows if depth_bin(row.depths) is not None]
    return Report(
        overall=means.of(*tasks.values()),
        buckets={
            bucket: means.of(*(own for (_, _, name), own in cells.items() if name == bucket)) for _, bucket in buckets
        },
        tasks={name: means.of(own) for name, own in tasks.items()},
        cells={(task, bucket): means.of(own) for (task, _, bucket), own in cells.items()},
        configs={name: means.of(own) for name, own in configs.items()},
        complexity={key: means.of(own) for key, own in by(rows, lambda row: (row.task, row.complexity)).items()},
        depths={key: means.of(own) for key, own in by(binned, lambda row: (row.task, depth_bin(row.depths))).items()},
        unjudged=_ids(unjudged),
        scores=scores,
        samples=_sampled(means, rows),
        **told,
    )


def _again(given: Any, response: str | None, metric: str | None, verdicts: Verdicts | None) -> RowScore:
    """A further sample of a row: its score alone, without the row's columns."""
    row, name = cast(ScoredRow, given), metric or given["metric"]
    score = score_checked(row, response, name, verdicts)
    parts = {} if response is None else parts_of(name, response, row)
    reason = score.reason[:MAX_REASON]
    return RowScore("", score.value, reason, classes=parts, reported=reported_value(row, response))


def _together(first: RowScore, others: Sequence[RowScore], samples: int) -> RowScore:
    """The score of a row that was asked several times; what a sample lacks counts 0."""
    every = [first, *others]
    values = [row.score for row in every] + [None] * (samples - len(every))
    classes = {name for row in every for name in row.classes}
    scored = next((row for row in every if row.score is not None), None)
    return replace(
        first,
        reason=(scored or first).reason,
        score=mean([value or 0.0 for value in values]) if scored else None,
        samples=tuple(values),
        reported=None if (scored or first).reported is None else sum(row.reported or 0 for row in every) / samples,
        classes={name: math.fsum(row.classes.get(name, 0.0) for row in every) / samples for name in sorted(classes)},
    )


def _sampled(means: _Means, rows: Sequence[RowScore]) -> SampleSummary | None:
    most = max(len(row.samples) for row in rows)
    if not most:
        return None
    every = by(rows, lambda row: row.task).values()
    spreads = [variances([[value or 0.0 for value in row.samples] or [0.0] * most for row in own]) for own in every]
    return SampleSummary(
        most,
        sum(row.samples.count(None) for row in rows),
        {
            k: means.of(*([replace(row, score=pass_at(k, row.samples)) for row in own] for own in every))
            for k in sorted({*(1 << power for power in range(most.bit_length())), most})
        },
        math.sqrt(mean([within for within, _ in spreads])),
        math.sqrt(mean([between for _, between in spreads])),
    )


def row_score(
    row: Mapping[str, object], response: str | None, metric: str | None = None, *, verdicts: Verdicts | None = None
) -> RowScore:
    """Score one response as `score` does; None tells where the row stands. Raises what `score_response` does."""
    score = score_response(row, response, metric, verdicts=verdicts)
    return _scored(row, score, score.reason, response, metric, verdicts)


def means(rows: Iterable[RowScore]) -> Means:
    """Average rows that are scored already: rows of a group first, then groups, then (`overall`) tasks."""
    listed = needlebench.right_together(list(rows))
    of_tasks, of_configs = (
        {
            name: mean([mean([row.value for row in own]) for own in by(part, lambda row: row.group_key).values()])
            for name, part in by(listed, key).items()
        }
        for key in (lambda row: row.task, lambda row: row.config)
    )
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
        # `score_response` has checked it.
        row = cast(ScoredRow, given)
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
        reported=reported_value(row, response),
        context=document[:MAX_CONTEXT] if isinstance(document := facts.get("document"), str) else "",
    )


def _reason(score: Score, row_id: str, answered: Responses) -> str:
    if score.value is not None:
        return score.reason
    return answered.reasons.get(row_id, score.reason) if row_id in answered.texts else NO_LINE


def _strangers(answered: Responses, rows: Iterable[str]) -> str:
    """Why nothing can be scored: what the ids of the rows look like, and those of the responses."""
    got = ", ".join(ascii(key)[:100] for key in list(answered.texts)[:2]) or "none"
    expected = " or ".join(list(rows)[:2])
    return f"got no response to any of the rows: the ids of the responses are {got}, expected ids such as {expected}"


def _required(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise RowError(f"got no {name}, expected a text", str(row.get("id") or ""))
    return value


def _ids(ids: Iterable[str]) -> Ids:
    ordered = sorted(ids)
    return Ids(len(ordered), tuple(ordered[:NAMED]))


def _rows(number: int) -> str:
    return f"{number:,} row{'s' * (number != 1)}"
