"""`carrara score`: score a model's responses; `carrara compare`: the difference of two results.

`carrara score --rebase NEW` says what old scores, or the responses that they are of, say of a new version of a release.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from carrara.cli.options import (
    BucketOption,
    ConfigOption,
    FormatOption,
    IdsOption,
    JsonOption,
    PlaceArgument,
    TaskOption,
    UnverifiedOption,
)
from carrara.errors import CarraraError, ProofError
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.api import Rows
    from carrara.making.rescore import Before
    from carrara.release.configs import ChosenNames
    from carrara.release.reader import Release
    from carrara.release.store import Place
    from carrara.scoring import Responses, Result
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
    from carrara.release.schema import refuse_sealed

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
    from carrara.release.report import responses_of

    given = responses_of(path)
    if given.more:
        raise CarraraError(f"got {path.name} with several samples a row, expected one", "keep one sample of each row")
    return scored_before(old, given.texts, configs, model=model, metric=metric, verdicts=verdicts)


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
        ("root", result.root or old.root, old.root),
    ):
        if got != expected:
            raise CarraraError(
                f"{path.name}: got scores of the {what} {got!a}, expected {expected!a}",
                "give the release that was scored: carrara score OLD RESULT --rebase NEW",
            )
    return Before(result.model, {row.id: row for row in result.rows})


ResultArguments = Annotated[
    list[Path],
    typer.Argument(
        help="Two results or more: result.json of a carrara run, or what carrara score --out wrote.", show_default=False
    ),
]
_GOLD = "gold"


def score(
    release: PlaceArgument,
    responses: Annotated[
        list[Path] | None,
        typer.Argument(
            help="The folder of a carrara run; JSON lines with id and response (also .gz, .parquet); or the samples of "
            "lm_eval run --log_samples or the logs of Inspect, as files or as their folder (the newest of each task)."
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
    ids: IdsOption = None,
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
    samples: Annotated[
        bool,
        typer.Option("--samples", help="Every further line of an id is another sample of its row, not an error."),
    ] = False,
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
    unverified: UnverifiedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score a model's responses: one table, task by bucket, with 95 % intervals.

    A config without a line in the responses was not run and is in no average. In a config that was run, a row without
    a response counts 0 and is named; so does a row whose response no judge judged. A response that its limit of tokens
    cut is scored as it stands; such rows are counted, and the score is also given with all of them wrong, and without
    them. --details adds the scores as the
    papers report them, each with the smallest difference to another model that so many questions can tell. Rows with
    known errors are counted (carrara erratum).

    A row may have several samples: lines with a field sample (0, 1, ...), repeats of lm_eval, epochs of Inspect, or
    --samples. Its score is their mean; pass@k and the spread within and between questions stand below the table.

    Every row is checked against its digest as it is read: an altered copy is refused. The result names the root of the
    release.

    A row is scored by its own metric, one of a closed table, or by --metric, which alone can plug in a model:
    citations@http://HOST:PORT/v1#MODEL, semantic/cosine@FOLDER, verbatim/average@FOLDER.

    --rebase NEW says which rows differ in another version, and the score there, or its bounds where a response to a
    row as it is now would be needed: carrara score OLD responses.jsonl --rebase NEW. A result will do for responses.
    """
    from carrara import api
    from carrara.cli.tables import score_screen, terminal
    from carrara.engine.files import write_bytes
    from carrara.release.report import verdicts_of

    if metric is not None:
        _tell_of_key(metric)
    if rebase is not None:
        others = gold or chance or samples or without_errata or errata is not None or first is not None
        others = others or ids is not None or unverified
        if not responses or len(responses) > 1 or others or format not in {"text", "json"}:
            raise CarraraError(
                "got --rebase, expected one file of responses or their result, and neither --gold, --chance, --first, "
                "--ids, --samples, --unverified, errata nor a --format to paste",
                "carrara score OLD responses.jsonl --rebase NEW",
            )
        names = {"bucket": bucket, "task": task, "config": config}
        is_json = as_json or format == "json"
        _rebase(release, responses[0], rebase, names, model, metric, verdicts_of(verdicts), out, is_json)
        return
    if gold == bool(responses):
        raise CarraraError("expected either a file of responses or --gold", "carrara score DIR responses.jsonl")
    if gold and (verdicts is not None or first is not None):
        raise CarraraError("got --gold with --verdicts or --first, expected it alone", "both are about responses")
    rows = api.load(release, bucket=bucket, task=task, config=config, unverified=unverified)
    report = api.score(
        rows,
        responses or _gold_responses(rows),
        first=first,
        metric=metric,
        model=model if responses else model or _GOLD,
        verdicts=verdicts,
        errata=errata,
        without_errata=without_errata,
        chance=chance,
        samples=samples,
        ids=ids,
    )
    if out is not None or as_json or format == "json":
        text = json_text(report.to_json(), allow_nan=False)
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


def _tell_of_key(metric: str) -> None:
    """Check a metric, and say where the key of its judge goes."""
    from carrara.llm.client import read_address
    from carrara.release.report import check_metric

    check_metric(metric)
    judge = metric.partition("@")[2]
    if judge.startswith("http") and (told := read_address(judge).told):
        typer.echo(told, err=True)


def _gold_responses(rows: "Rows") -> "Responses":
    from carrara.making.proofs import gold_responses
    from carrara.scoring import Responses

    return Responses(dict(gold_responses(rows.release, list(rows.configs))), {}, ())


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
    from carrara.release.report import model_name

    called = model_name(model, None, given)
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
    results: ResultArguments,
    details: Annotated[
        bool, typer.Option("--details", help="Also by config and complexity, and as the papers report.")
    ] = False,
    format: FormatOption = "text",
    as_json: JsonOption = False,
) -> None:
    """Compare two results over the same rows: one table, task by bucket, second minus first, with intervals and p.

    Differences are taken question by question, so that a question that is hard for both does not count as noise. Of
    three results or more every pair is compared, and p is corrected for the number of pairs (Holm). Rows that not all
    results hold are left out and counted. Results of one version with two roots are refused: one copy was altered.
    """
    from carrara import api
    from carrara.cli.tables import compare_screen, terminal

    if len(results) < 2:
        raise CarraraError("got one result, expected two or more", "carrara compare first.json second.json")
    comparison = api.compare(*results)
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


def _json(table: Any) -> str:
    """JSON as it is printed and written."""
    return json_text(table, allow_nan=False)
