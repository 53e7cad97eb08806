"""The report on responses to a release: which rows are read and scored, and what the release holds beside them.

A config without any response was not run and is not read. What the report says of its averages (4 of 17 tasks) is said
of the whole release, whatever was chosen of it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from carrara.errors import CarraraError, ReleaseError
from carrara.release.configs import ChosenNames, choose_configs, config_order
from carrara.release.errata import Affected
from carrara.release.reader import Release, config_of, rows
from carrara.release.schema import shown
from carrara.release.sealed import refuse_sealed
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
    row_metric,
    score,
)
from carrara.scoring.judge.verdicts import Verdicts
from carrara.scoring.result import MAX_COMPLEXITIES

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
    prepare: Callable[[Iterable[ArrowRow]], Iterable[ArrowRow]] = iter,
) -> Report:
    """Score responses to the rows of the chosen configs (all without a choice, `choose_configs`) but those left out.

    `prepare` gets the rows before they are scored. `metric` and `verdicts` are as in `scoring.score`; `model` is by
    default what the run says that it asked.

    Raises CarraraError where nothing chosen was answered, for responses to another release, for a metric that there is
    not and for a judge that is away; ReleaseError for a sealed release and for rows that cannot be scored.
    """
    given = responses if isinstance(responses, Responses) else Responses(dict(responses), {}, ())
    refuse_sealed(release.content, "scored")
    chosen = choose_configs(release.configs, bucket=bucket, task=task, config=config)
    _check_release(release, given)
    homes = {row_id: _home(release, row_id) for row_id in given.texts}
    run = [name for name in chosen if name in set(homes.values())]
    if not run:
        raise _nothing_answered(release, homes)
    check_metrics(release, run)
    # To what is not scored a response is not unknown.
    texts = {
        row_id: text
        for row_id, text in given.texts.items()
        if homes[row_id] in {None, *run} and not (left_out and left_out.has(row_id))
    }
    every = (row for name in run for row in rows(release, name))
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
    return replace(report, chosen=tuple(chosen))


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
    """What the release holds, in its order. Rows that are left out count: who leaves them out is seen to."""
    held = []
    for name in config_order(release.content):
        facts = release.configs[name]
        levels = tuple(sorted(map(int, facts.complexity))[:MAX_COMPLEXITIES])
        held.append(HeldConfig(facts.task, facts.variant, facts.bucket, facts.rows, facts.tokens.min, levels))
    return held
