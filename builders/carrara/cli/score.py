"""`carrara score`: score a model's responses; `carrara compare`: the difference of two results.

`carrara score --rebase NEW` says what old scores, or the responses that they are of, say of a new version of a release.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from carrara.cli.options import BucketOption, ConfigOption, FormatOption, JsonOption, PlaceArgument, TaskOption
from carrara.errors import CarraraError, ProofError
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.making.rescore import Before
    from carrara.release.configs import ChosenNames
    from carrara.release.errata import Affected
    from carrara.release.reader import Release
    from carrara.release.store import Place
    from carrara.row import ArrowRow
    from carrara.scoring import Report, Responses, Result
    from carrara.scoring.judge.verdicts import Verdicts

_FIRST_LINE = 64 << 20


def rebase(
    old_place: "Place",
    given: Path,
    wanted: str,
    names: Mapping[str, "ChosenNames"],
    model: str,
    metric: str | None,
    verdicts: "Verdicts | None",
) -> dict[str, object]:
    """The rebase of a result file, or of responses, as JSON-able data. `names` are as `choose_configs` takes them.

    Raises CarraraError.
    """
    from carrara.making.rescore import check_versions
    from carrara.making.rescore import rebase as rebase_scores
    from carrara.release.configs import choose_configs
    from carrara.release.reader import open_release
    from carrara.release.report import check_metrics
    from carrara.release.sealed import refuse_sealed

    old, new = open_release(old_place), open_release(_new(old_place, wanted))
    # Before anything is scored.
    check_versions(old, new)
    # Without options over the configs that the scores hold.
    configs = choose_configs({**new.configs, **old.configs}, **names) if any(names.values()) else None
    for opened in (old, new):
        refuse_sealed(opened.content, "rebased")
        check_metrics(opened, [name for name in configs or opened.configs if name in opened.configs])
    if holds_responses(given):
        before = _of_responses(old, given, configs, model, metric, verdicts)
    elif metric is not None or verdicts is not None:
        raise CarraraError(
            f"got {given.name}, whose rows are scored already, with --metric or --verdicts",
            "expected the responses themselves",
        )
    else:
        before = _of_result(old, given)
    return rebase_scores(old, new, before, configs).to_json()


def _new(old: "Place", wanted: str) -> "Place":
    """Where the new version lies: an address, a folder, or a version beside the old one."""
    from carrara.making.rescore import beside
    from carrara.release.hub_store import SCHEME, Remote, place
    from carrara.release.store import Folder

    if wanted.startswith(SCHEME):
        return place(wanted)
    if isinstance(old, Folder):
        return Folder(beside(old.path, wanted))
    folder = Folder(Path(wanted))
    if isinstance(old, Remote) and not folder.path.exists():
        return Remote(f"{SCHEME}{old.repository}@{wanted.removeprefix('v')}")
    return folder


def holds_responses(path: Path) -> bool:
    """Whether a file is one of responses and not a result: its first line is a whole table with `id`."""
    if not path.is_file():
        # A pipe could be read only once, and what is missing is told of by the system.
        with path.open("rb"):
            raise CarraraError(f"got {path} with --rebase, expected a regular file", "save it to a file first")
    if path.suffix in {".gz", ".parquet"}:
        return True
    with path.open("rb") as stream:
        line = stream.readline(_FIRST_LINE)
        while line.isspace():
            line = stream.readline(_FIRST_LINE)
    try:
        table = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return isinstance(table, dict) and "id" in table


def _of_responses(
    old: "Release",
    path: Path,
    configs: list[str] | None,
    model: str,
    metric: str | None,
    verdicts: "Verdicts | None",
) -> "Before":
    from carrara.making.rescore import scored_before

    return scored_before(old, _responses([path]).texts, configs, model=model, metric=metric, verdicts=verdicts)


def _of_result(old: "Release", path: Path) -> "Before":
    from carrara.making.rescore import Before
    from carrara.scoring.result import ResultError, read_result

    try:
        result = read_result(path)
    except ResultError as error:
        told = "or give the responses: JSON lines with id and response"
        raise CarraraError(str(error), told) from error
    for what, got, expected in (
        ("release", result.release, f"{old.name}@{old.version}"),
        ("stream", result.stream, old.content.stream),
    ):
        if got != expected:
            raise CarraraError(
                f"{path.name}: got scores of the {what} {got!a}, expected {expected!a}",
                "give the release that was scored: carrara score OLD RESULT --rebase NEW",
            )
    return Before(result.model, {row.id: row for row in result.rows})


ResultArgument = Annotated[Path, typer.Argument(help="A result file that carrara score --out wrote.")]
_GOLD = "gold"


def score(
    release: PlaceArgument,
    responses: Annotated[
        list[Path] | None,
        typer.Argument(
            help="JSON lines with id and response, also .gz and .parquet; or the samples that lm_eval run "
            "--log_samples wrote, or Inspect's logs, as files or as their folder (the newest of every task)."
        ),
    ] = None,
    metric: Annotated[str | None, typer.Option("--metric", help="Another metric than the rows' own.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="What the model is called; else the name of the responses file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the result with every row's score here, to plot and compare.")
    ] = None,
    gold: Annotated[
        bool, typer.Option("--gold", help="Score the release's own answers instead: 100 everywhere, or exit 1.")
    ] = False,
    bucket: BucketOption = None,
    task: TaskOption = None,
    config: ConfigOption = None,
    first: Annotated[
        int | None,
        typer.Option(
            "--first", min=1, metavar="N", help="Only the first N rows of every config were asked (lm_eval --limit N)."
        ),
    ] = None,
    verdicts: Annotated[
        Path | None,
        typer.Option("--verdicts", help="What a model judged (carrara judge); without it judge/* is ROUGE-L."),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also by config, complexity and depth, and as the papers report.")
    ] = False,
    format: FormatOption = "text",
    chance: Annotated[
        bool, typer.Option("--chance", help="Also score guesses (any piece, any list) for the histogram of chance.")
    ] = False,
    errata: Annotated[
        Path | None,
        typer.Option("--errata", help="Known errors of the release; else those of the releases that come along."),
    ] = None,
    without_errata: Annotated[
        bool, typer.Option("--without-errata", help="Leave rows with known errors out of every average.")
    ] = False,
    rebase: Annotated[
        str | None,
        typer.Option(
            "--rebase",
            metavar="NEW",
            help="Say what these responses, or the result of them, score under another version: its folder, or a "
            "version beside DIR (v1.1).",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Score a model's responses: one table, task by bucket, with 95 % bootstrap intervals.

    What was not run is "not run", never 0: a config for which the responses have no line. In a config that was run a
    row without a response counts 0 and is named, and so does one without the verdict that it needs. Averages are over
    what was run, and say so. --details adds the scores as the papers report them, each with its noise floor: how far
    two equally good models differ by chance. Rows with known errors are counted (carrara erratum).

    A row is scored by its own metric, one of a closed table, or by --metric, which alone can plug in a model:
    citations@http://HOST:PORT/v1#MODEL, semantic/cosine@FOLDER.

    --rebase NEW says which rows differ in another version, and the score there, or its bounds where a response to a
    row as it is now would be needed: carrara score OLD responses.jsonl --rebase NEW. A result will do for responses.
    """
    from carrara.cli.tables import score_screen, terminal
    from carrara.engine.files import write_bytes
    from carrara.release.configs import choose_configs
    from carrara.release.reader import open_release
    from carrara.release.report import score_release
    from carrara.release.sealed import refuse_sealed

    if metric is not None:
        _check_metric(metric)
    if rebase is not None:
        if not responses or len(responses) > 1 or gold or chance or without_errata or errata is not None:
            raise CarraraError(
                "got --rebase, expected one file of responses or their result, and neither --gold, --chance nor errata",
                "carrara score OLD responses.jsonl --rebase NEW",
            )
        names = {"bucket": bucket, "task": task, "config": config}
        is_json = as_json or format == "json"
        _rebase(release, responses[0], rebase, names, model, metric, _verdicts(verdicts), out, is_json)
        return
    opened = open_release(release)
    refuse_sealed(opened.content, "scored")
    chosen = choose_configs(opened.configs, bucket=bucket, task=task, config=config)
    if gold == bool(responses):
        raise CarraraError("expected either a file of responses or --gold", "carrara score DIR responses.jsonl")
    if verdicts is not None and gold:
        raise CarraraError("got --verdicts with --gold, expected them with responses", "verdicts are about responses")
    affected = _affected(opened, chosen, errata, without_errata)
    judged = _verdicts(verdicts)
    given = _responses(responses) if responses else _gold_responses(opened, chosen)
    if first is not None:
        given = replace(given, asked=dict.fromkeys(opened.configs, first))
    report = score_release(
        opened,
        given,
        config=chosen,
        metric=metric,
        model=_model(given.model or None if model is None else model, responses),
        verdicts=judged,
        left_out=affected if without_errata else None,
        prepare=partial(_with_chance, verdicts=judged) if chance else iter,
    )
    if judged is not None:
        _check_judged(report, judged)
    if out is not None or as_json or format == "json":
        table = report.to_json() | ({"errata": affected.to_json(without_errata)} if affected else {})
        text = json_text(table, allow_nan=False)
    if out is not None:
        write_bytes(out, f"{text}\n".encode())
    if as_json or format == "json":
        typer.echo(text)
    elif format == "text":
        console = terminal()
        console.print(score_screen(report, console.width, details))
    else:
        for told in report.warnings():
            typer.echo(f"warning: {told}", err=True)
        typer.echo(report.table(format))
    if gold and any(row.score != 1 for row in report.scores):
        by = f" by {metric}" if metric else ""
        raise ProofError(f"a row's own answer does not score 1{by}", "audit the release: carrara audit DIR")


def _check_metric(metric: str) -> None:
    """Load a metric before anything is scored, and say where the key of its judge goes."""
    from carrara.llm.client import read_address
    from carrara.llm.judges import plug_in
    from carrara.scoring import metric as named
    from carrara.scoring.errors import MetricError

    plug_in()
    try:
        named(metric)
    except MetricError as error:
        raise CarraraError(str(error), "nothing was scored: give another metric") from error
    judge = metric.partition("@")[2]
    if judge.startswith("http") and (told := read_address(judge).told):
        typer.echo(told, err=True)


def _responses(paths: list[Path]) -> "Responses":
    from carrara.scoring import ResponsesError, read_responses

    try:
        return read_responses(*paths)
    except ResponsesError as error:
        raise CarraraError(str(error), "nothing was scored: mend the file") from error


def _gold_responses(opened: "Release", configs: list[str]) -> "Responses":
    from carrara.making.proofs import gold_responses
    from carrara.scoring import Responses

    return Responses(dict(gold_responses(opened, configs)), {}, ())


def _with_chance(rows: "Iterable[ArrowRow]", verdicts: "Verdicts | None") -> "Iterator[ArrowRow]":
    """Rows with what guesses score; those that a judge judges without: beside its scores that would say nothing."""
    from carrara.making.probes import with_chance
    from carrara.scoring.facts import about, check_row, facts_of
    from carrara.scoring.judge.judge import JUDGED

    for row in rows:
        if verdicts is not None and row["metric"] in JUDGED:
            yield row
            continue
        with about(row):
            check_row(row)
            facts_of(row)
        yield with_chance(row)


def _affected(opened: "Release", chosen: list[str], given: Path | None, left_out: bool) -> "Affected | None":
    """The rows of these configs with known errors, told on standard error; None where no errata are known of."""
    from carrara.release.errata import affected, come_along, read_errata

    file = given or come_along(opened.name)
    if file is None:
        if left_out:
            raise CarraraError(
                f"got --without-errata, but Carrara has no errata of {opened.name}", "give a file: --errata errata.json"
            )
        return None
    found = affected(read_errata(file), opened, chosen)
    if left_out and found.count == sum(opened.configs[name].rows for name in chosen):
        raise CarraraError(
            "got --without-errata, and every row has a known error: none is left", "score without the option"
        )
    if found.count:
        numbers = ", ".join(map(str, found.numbers[:10])) + (", …" if len(found.numbers) > 10 else "")
        then = "left out" if left_out else "--without-errata leaves them out"
        told = f"rows with known errors: {found.count:,} (errata {numbers}; carrara erratum list {opened.name}): {then}"
        typer.echo(told, err=True)
    return found


def _rebase(
    release: "Place",
    given: Path,
    wanted: str,
    names: Mapping[str, "ChosenNames"],
    model: str | None,
    metric: str | None,
    verdicts: "Verdicts | None",
    out: Path | None,
    as_json: bool,
) -> None:
    from carrara.cli.tables import rebase_table, terminal
    from carrara.engine.files import write_bytes

    called = _model(model, [given])
    table = rebase(release, given, wanted, names, called, metric, verdicts)
    if model is not None:
        # A result has a name for its model; what is asked for goes before it.
        table["model"] = called
    if out is not None:
        write_bytes(out, f"{_json(table)}\n".encode())
    if as_json:
        typer.echo(_json(table))
    else:
        terminal().print(rebase_table(table))


def compare(
    first: ResultArgument,
    second: ResultArgument,
    details: Annotated[
        bool, typer.Option("--details", help="Also by config and complexity, and as the papers report.")
    ] = False,
    format: FormatOption = "text",
    as_json: JsonOption = False,
) -> None:
    """Compare two results over the same rows: one table, task by bucket, second minus first, with intervals and p.

    Both are resampled with the same draws of questions (paired bootstrap), so that a question that is hard for both
    does not count as noise. Rows that only one result holds are left out and counted.
    """
    from carrara import api
    from carrara.cli.tables import compare_screen, terminal

    comparison = api.compare(first, second)
    if format == "text" and not as_json:
        console = terminal()
        console.print(compare_screen(comparison, console.width, details))
        return
    for told in comparison.warnings():
        typer.echo(f"warning: {told}", err=True)
    typer.echo(comparison.table("json" if as_json else format))


def read(path: Path) -> "Result":
    """Read a result file. Raises CarraraError for anything else."""
    from carrara.scoring.result import ResultError, read_result

    try:
        return read_result(path)
    except ResultError as error:
        raise CarraraError(str(error)) from error


def _verdicts(path: Path | None) -> "Verdicts | None":
    from carrara.scoring.judge.verdicts import VerdictsError, read_verdicts

    try:
        return None if path is None else read_verdicts(path)
    except VerdictsError as error:
        raise CarraraError(str(error), "nothing was scored: give a file that carrara judge wrote") from error


def _check_judged(report: "Report", verdicts: "Verdicts") -> None:
    """Refuse verdicts that are about nothing here: the scores would look like a judge's."""
    from carrara.scoring.judge.judge import JUDGED

    metrics = {verdicts.metric(name) for name in JUDGED}
    rows = [row for row in report.scores if row.metric in metrics]
    if not rows:
        raise CarraraError("got --verdicts, but no row has a metric that a model judges", "leave --verdicts out")
    if report.unjudged.count and all(row.score is None for row in rows):
        told = f"the file holds no verdict on any of these {report.unjudged.count:,} responses"
        raise CarraraError(
            told, "judge them first: carrara judge RELEASE responses.jsonl --base-url URL --model NAME --out FILE"
        )


def _model(model: str | None, responses: list[Path] | None) -> str:
    """What is scored: as it was called, or as its file is without the endings; of several files, as their folder."""
    from carrara.scoring.result import MAX_MODEL, is_model

    if model is None:
        paths = [path.resolve() for path in responses or ()]
        name = paths[0].name if len(paths) == 1 else paths[0].parent.name if paths else _GOLD
        for ending in (".gz", ".jsonl", ".json", ".parquet", ".eval"):
            name = name.removesuffix(ending)
        model = " ".join("".join(part if part.isprintable() else "?" for part in name).split())[:MAX_MODEL] or "model"
    if not is_model(model):
        raise CarraraError(
            f"got --model {ascii(model)[:100]}, expected 1 to {MAX_MODEL} printable characters", "rename it"
        )
    return model


def _json(table: Any) -> str:
    """JSON as it is printed and written."""
    return json_text(table, allow_nan=False)
