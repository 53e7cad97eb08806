"""Scores responses to a release: which of its rows are read, and what the release holds beside them.

A config without any response was not run and is not read. The report counts what was run against the whole release
(4 of 17 tasks), whatever was chosen of it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from carrara.errors import CarraraError, ReleaseError
from carrara.llm.judges import plug_in
from carrara.release.configs import ChosenNames, choose_configs, config_order
from carrara.release.errata import Affected, affected, come_along, read_errata
from carrara.release.reader import Release, checked_rows, checked_rows_at, config_of, rows
from carrara.release.schema import refuse_sealed, shown
from carrara.release.selection import SelectedRows
from carrara.row import ArrowRow
from carrara.scoring import (
    METRICS,
    HeldConfig,
    JudgeError,
    MetricError,
    Report,
    Responses,
    ResponsesError,
    RowError,
    read_responses,
    row_metric,
    score,
)
from carrara.scoring import metric as named_metric
from carrara.scoring.judge.judge import QA, SUMMARY
from carrara.scoring.judge.verdicts import Verdicts, VerdictsError, read_verdicts
from carrara.scoring.result import MAX_COMPLEXITIES, MAX_MODEL, is_model

# A file, several, texts by row id (None: asked, without a response), or what `read_responses` gave.
GivenResponses = str | Path | Sequence[str | Path] | Mapping[str, str | None] | Responses

_NAMED = 2
_NOTHING = "nothing was scored"
_METRIC_HINT = (
    "Nothing was scored: download or build the release again; use --metric to name a judge or encoder of your own."
)


def score_release(
    release: Release,
    responses: Responses | Mapping[str, str | None],
    *,
    bucket: ChosenNames = None,
    task: ChosenNames = None,
    config: ChosenNames = None,
    metric: str | None = None,
    model: str = "",
    verdicts: Verdicts | None = None,
    left_out: Affected | None = None,
    selected: SelectedRows | None = None,
    prepare: Callable[[Iterable[ArrowRow]], Iterable[ArrowRow]] = iter,
) -> Report:
    """Score responses to the rows of the chosen configs (all without a choice, `choose_configs`) but those left out.

    With `selected` only these rows are scored, and the report says how many of each config they are. `prepare` gets the
    rows before they are scored. `metric` and `verdicts` are as in `scoring.score`; `model` is by default what the run
    says that it asked.

    Raises CarraraError where nothing chosen was answered, for responses to another release, for a metric that there is
    not and for a judge that is away; ReleaseError for a sealed release, for rows that cannot be scored and, unless it
    is `unverified`, for rows that are not as released.
    """
    given = responses if isinstance(responses, Responses) else Responses(dict(responses), {}, ())
    refuse_sealed(release.content, "scored")
    chosen = choose_configs(release.configs, bucket=bucket, task=task, config=config)
    if selected is not None:
        chosen = selected.configs(chosen)
        if left_out and all(map(left_out.has, selected.ids)):
            raise CarraraError("every selected row has a known error: none is left", "score without --without-errata")
    _check_release(release, given)
    homes = {row_id: _home(release, row_id) for row_id in given.texts}
    answered = set(homes.values())
    run = [name for name in chosen if name in answered]
    if not run:
        raise _nothing_answered(release, homes)
    check_metrics(release, run)
    # To what is not scored a response is not unknown.
    texts = {
        row_id: text
        for row_id, text in given.texts.items()
        if homes[row_id] in {None, *run} and not (left_out and left_out.has(row_id))
        if selected is None or homes[row_id] is None or row_id in selected.ids
    }
    every = (row for name in run for row in _rows(release, name, selected))
    try:
        report = score(
            prepare(row for row in every if left_out is None or not left_out.has(row["id"])),
            replace(given, texts=texts),
            metric,
            model=model or given.model,
            release=f"{release.name}@{release.version}",
            stream=str(release.content.stream),
            verdicts=verdicts,
            held=_held(release),
        )
    except RowError as error:
        raise ReleaseError(f"{release.place.label}: {error}", "audit it: carrara audit DIR") from error
    except (MetricError, ResponsesError) as error:
        raise CarraraError(str(error), _NOTHING) from error
    except JudgeError as error:
        raise CarraraError(str(error), f"{_NOTHING}: look at the judge, then run the same again") from error
    if verdicts is not None:
        _check_judged(report, verdicts)
    return replace(
        report,
        chosen=tuple(chosen),
        selected={} if selected is None else {name: len(selected.places[name]) for name in chosen},
        root=release.root,
        unverified=release.unverified,
    )


def _rows(release: Release, config: str, selected: SelectedRows | None) -> Iterator[ArrowRow]:
    if selected is None:
        return checked_rows(release, config)
    return (row for _, row in checked_rows_at(release, config, selected.places[config]))


def check_metrics(release: Release, configs: Iterable[str]) -> None:
    """Raise ReleaseError for a config with an unknown metric, and for a row whose metric is not its config's.

    A release is untrusted: it may name a metric of the closed table alone (`scoring.METRICS`), never a model or an
    endpoint. Reads only the columns id and metric.
    """
    for config in configs:
        expected = release.configs[config].metric
        if expected not in METRICS:
            raise ReleaseError(
                f"{config}: got metric {shown(expected)}, which this version does not know: expected a name of "
                "carrara.scoring.METRICS",
                _METRIC_HINT,
            )
        for row in rows(release, config, ["id", "metric"]):
            try:
                row_metric(row, expected)
            except ValueError as error:
                raise ReleaseError(str(error), _METRIC_HINT) from error


def responses_of(given: GivenResponses, samples: bool = False) -> Responses:
    """The responses of a file, of several, of a harness's logs, or of a table by row id. Raises CarraraError.

    With `samples` every further line of an id is another sample of its row.
    """
    if isinstance(given, Responses):
        return given
    if isinstance(given, Mapping):
        for row_id, text in given.items():
            if not isinstance(row_id, str) or not isinstance(text, str | None):
                told = f"got {type(text).__name__} as the response to {shown(row_id)}, expected a text or None"
                raise CarraraError(told, f"{_NOTHING}: give texts by the ids of rows")
        return Responses(dict(given), {}, ())
    files = [given] if isinstance(given, str | Path) else list(given)
    if not files or not all(isinstance(file, str | Path) for file in files):
        raise CarraraError("got no file of responses, expected one or more, or texts by the ids of rows", _NOTHING)
    try:
        return read_responses(*files, samples=samples)
    except ResponsesError as error:
        raise CarraraError(str(error), f"{_NOTHING}: mend the file") from error


def model_name(model: str | None, run: str | None, given: object) -> str:
    """What is scored: as it is called, else by its run, else as its file is, without endings; of several, their folder.

    Raises CarraraError for a name that no result may hold.
    """
    if (called := model if model is not None else run or None) is not None:
        if not is_model(called):
            raise CarraraError(
                f"got --model {ascii(called)[:100]}, expected 1 to {MAX_MODEL} printable characters", "rename it"
            )
        return called
    files = [given] if isinstance(given, str | Path) else given if isinstance(given, Sequence) else ()
    paths = [Path(file).resolve() for file in files]
    name = paths[0].name if len(paths) == 1 else paths[0].parent.name if paths else ""
    for ending in (".gz", ".jsonl", ".json", ".parquet", ".eval"):
        name = name.removesuffix(ending)
    return " ".join("".join(part if part.isprintable() else "?" for part in name).split())[:MAX_MODEL] or "model"


def check_metric(metric: str | None) -> None:
    """Load a metric before anything is scored. Raises CarraraError for one that there is not."""
    if metric is not None:
        plug_in()
        try:
            named_metric(metric)
        except MetricError as error:
            raise CarraraError(str(error), f"{_NOTHING}: give another metric") from error


def verdicts_of(given: str | Path | Verdicts | None) -> Verdicts | None:
    """The verdicts of a file that `carrara judge` wrote. Raises CarraraError for another."""
    try:
        return read_verdicts(given) if isinstance(given, str | Path) else given
    except VerdictsError as error:
        raise CarraraError(str(error), f"{_NOTHING}: give a file that carrara judge wrote") from error


def _check_judged(report: Report, verdicts: Verdicts) -> None:
    """Refuse verdicts that are about nothing here: the scores would look like a judge's."""
    metrics = {verdicts.metric(name) for name in (QA, SUMMARY)}
    rows = [row for row in report.scores if row.metric in metrics]
    if not rows:
        raise CarraraError("got --verdicts, but no row has a metric that a model judges", "leave --verdicts out")
    if report.unjudged.count and all(row.score is None for row in rows):
        told = f"the file holds no verdict on any of these {report.unjudged.count:,} responses"
        hint = "judge them first: carrara judge RELEASE responses.jsonl --base-url URL --model NAME --out FILE"
        raise CarraraError(told, hint)


def affected_rows(release: Release, chosen: list[str], given: str | Path | None, left_out: bool) -> Affected | None:
    """The rows of these configs with known errors; None where no errata are known of."""
    file = Path(given) if given is not None else come_along(release.name)
    if file is None:
        if left_out:
            raise CarraraError(
                f"got --without-errata, but Carrara has no errata of {release.name}",
                "give a file: --errata errata.json",
            )
        return None
    found = affected(read_errata(file), release, chosen)
    if left_out and found.count == sum(release.configs[name].rows for name in chosen):
        raise CarraraError(
            "got --without-errata, and every row has a known error: none is left", "score without the option"
        )
    return found


def _check_release(release: Release, given: Responses) -> None:
    """Refuse the run of another release; versions of one MAJOR share their rows."""
    is_same = given.release.partition(".")[0] == f"{release.name}@{release.version}".partition(".")[0]
    if given.release and not is_same:
        raise CarraraError(
            f"got a run of {shown(given.release)}, expected one of {release.name}@{release.version}",
            f"{_NOTHING}: rows of the same id may ask other things; give the release that was run",
        )


def _home(release: Release, row_id: str) -> str | None:
    """The config that a row is of; None for an id of no row."""
    try:
        return config_of(release, row_id)
    except ReleaseError:
        return None


def _nothing_answered(release: Release, homes: Mapping[str, str | None]) -> CarraraError:
    known = Counter(name for name in homes.values() if name)
    if known:
        named = ", ".join(name for name, _ in known.most_common(5)) + (", …" if len(known) > 5 else "")
        return CarraraError(
            f"got responses to {len(known):,} configs ({named}), none to those chosen",
            f"{_NOTHING}: choose some of these with --bucket, --task, --config",
        )
    first = next(iter(release.configs))
    expected = next((row["id"] for row in rows(release, first, ["id"])), "<benchmark>/<config>/<bucket>/<index>")
    got = ", ".join(map(shown, list(homes)[:_NAMED]))
    return CarraraError(
        f"got {len(homes):,} responses ({got}{', …' if len(homes) > _NAMED else ''}), none to a row of "
        f"{release.name}@{release.version}",
        f"{_NOTHING}: expected the ids of rows, such as {expected!r}",
    )


def _held(release: Release) -> list[HeldConfig]:
    """The configs of the release, in its order. Rows that errata leave out count, so that a table shows it."""
    held = []
    for name in config_order(release.content):
        facts = release.configs[name]
        levels = tuple(sorted(map(int, facts.complexity))[:MAX_COMPLEXITIES])
        held.append(HeldConfig(facts.task, facts.variant, facts.bucket, facts.rows, facts.tokens.min, levels))
    return held
