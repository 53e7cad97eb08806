"""`carrara score`: score a model's responses; `carrara compare`: the difference of two results."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from carrara.errors import CarraraError, ProofError, ReleaseError

if TYPE_CHECKING:
    from carrara.scoring.aggregate import Report
    from carrara.scoring.judge_verdicts import Verdicts
    from carrara.scoring.result import Result

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")]
ResultArgument = Annotated[Path, typer.Argument(help="A result file that carrara score --out wrote.")]
_GOLD = "gold"


def score(
    release: Annotated[Path, typer.Argument(help="A release folder: <out>/<name>/<version>.")],
    responses: Annotated[
        Path | None, typer.Argument(help="JSON lines with id and response; also .gz and .parquet.")
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
    config: Annotated[list[str] | None, typer.Option("--config", help="Only these configs (repeatable).")] = None,
    verdicts: Annotated[
        Path | None,
        typer.Option("--verdicts", help="What a model judged (carrara judge); without it judge/* is ROUGE-L."),
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Also by complexity and depth.")] = False,
    chance: Annotated[
        bool, typer.Option("--chance", help="Also score guesses (any piece, any list) for the histogram of chance.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Score a model's responses: per task, config, complexity and depth, with 95 % bootstrap intervals.

    Below stand the scores as the papers report them, each with its noise floor: how far two equally good models differ
    by chance. A missing response counts 0 and is named, and so does one without the verdict that it needs; unknown ids
    and duplicates are counted and named.
    """
    from carrara.audit import gold_responses
    from carrara.console import score_table, terminal
    from carrara.manifest_form import shown
    from carrara.probes import with_chance
    from carrara.read import open_release, rows
    from carrara.scoring import metric as named
    from carrara.scoring.aggregate import score_rows
    from carrara.scoring.entailment import JudgeError
    from carrara.scoring.judge import JUDGED
    from carrara.scoring.responses import Responses, ResponsesError, read_responses
    from carrara.sealed import refuse_sealed
    from carrara.write import write_bytes

    opened = open_release(release)
    refuse_sealed(opened.content, "scored")
    if metric is not None:
        try:
            named(metric)
        except ValueError as error:
            raise CarraraError(str(error), "nothing was scored: give another metric") from error
    chosen = config or list(opened.configs)
    for name in chosen:
        if name not in opened.configs:
            raise CarraraError(f"the release has no config {name!r}", f"known: {', '.join(opened.configs)}")
    if gold == (responses is not None):
        raise CarraraError("score wants a responses file or --gold, and not both", "carrara score DIR responses.jsonl")
    if verdicts is not None and gold:
        raise CarraraError("got --verdicts with --gold, expected them with responses", "verdicts are about responses")
    called = _model(model, responses)
    judged = _verdicts(verdicts)
    try:
        answered = Responses({}, {}, ()) if responses is None else read_responses(responses)
    except ResponsesError as error:
        raise CarraraError(str(error), "mend the file: nothing was scored") from error
    try:
        report = score_rows(
            (
                # Guesses are scored without a judge: beside its scores they would say nothing.
                with_chance(row) if chance and (judged is None or row["metric"] not in JUDGED) else row
                for name in chosen
                for row in rows(opened, name)
            ),
            gold_responses(opened, chosen) if gold else answered.texts,
            metric,
            reasons=answered.reasons,
            duplicates=answered.duplicates,
            model=called,
            release=f"{opened.name}@{opened.version}",
            stream=str(opened.content["stream"]),
            verdicts=judged,
        )
        table = report.to_json()
    except JudgeError as error:
        raise CarraraError(str(error), "nothing was scored: look at the judge, then run the same again") from error
    # Metrics are total over responses, not over rows that no task made.
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {shown(str(error))}"
        raise ReleaseError(
            f"{release} holds a row that no task makes ({what})", "audit it: carrara audit DIR"
        ) from error
    if judged is not None:
        _check_judged(report, judged)
    if out is not None:
        write_bytes(out, f"{_json(table)}\n".encode())
    if as_json:
        typer.echo(_json(table))
    else:
        terminal().print(score_table(table, details))
    if gold and any(score.score != 1 for score in report.scores):
        by = f" by {metric}" if metric else ""
        raise ProofError(f"a row's own answer does not score 1{by}", "audit the release: carrara audit DIR")


def compare(
    first: ResultArgument,
    second: ResultArgument,
    details: Annotated[bool, typer.Option("--details", help="Also by complexity.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two results over the same rows, second less first, with 95 % intervals by paired bootstrap.

    Both are resampled with the same draws of questions, so that a question that is hard for both does not count as
    noise. Rows that only one result holds are left out and counted.
    """
    from carrara.console import compare_table, terminal
    from carrara.scoring.compare import compare as compare_results
    from carrara.scoring.result import ResultError

    results = [read(path) for path in (first, second)]
    try:
        table = compare_results(*results).to_json()
    except ResultError as error:
        raise CarraraError(str(error), "nothing was compared") from error
    if as_json:
        typer.echo(_json(table))
    else:
        terminal().print(compare_table(table, details))


def read(path: Path) -> "Result":
    """Read a result file. Raises CarraraError for anything else."""
    from carrara.scoring.result import ResultError, read_result

    try:
        return read_result(path)
    except ResultError as error:
        raise CarraraError(str(error)) from error


def _verdicts(path: Path | None) -> "Verdicts | None":
    from carrara.scoring.judge_verdicts import VerdictsError, read_verdicts

    try:
        return None if path is None else read_verdicts(path)
    except VerdictsError as error:
        raise CarraraError(str(error), "nothing was scored: give a file that carrara judge wrote") from error


def _check_judged(report: "Report", verdicts: "Verdicts") -> None:
    """Refuse verdicts that are about nothing here: the scores would look like a judge's."""
    from carrara.scoring.judge import JUDGED

    metrics = {verdicts.metric(name) for name in JUDGED}
    rows = [row for row in report.scores if row.metric in metrics]
    if not rows:
        raise CarraraError("got --verdicts, but no row here has a metric that a model judges", "leave --verdicts out")
    if report.unjudged.count and all(row.score is None for row in rows):
        told = f"the file holds no verdict on any of these {report.unjudged.count:,} responses"
        raise CarraraError(told, "judge them first: carrara judge DIR responses.jsonl --judge URL#MODEL --out FILE")


def _model(model: str | None, responses: Path | None) -> str:
    """What is scored: as it was called, or as its file is without the endings."""
    from carrara.scoring.result import MAX_MODEL, is_model

    if model is None:
        name = responses.name if responses else _GOLD
        for ending in (".gz", ".jsonl", ".json", ".parquet"):
            name = name.removesuffix(ending)
        model = " ".join("".join(part if part.isprintable() else "?" for part in name).split())[:MAX_MODEL] or "model"
    if not is_model(model):
        raise CarraraError(f"--model {ascii(model)[:100]}", f"expected 1 to {MAX_MODEL} printing characters")
    return model


def _json(table: Any) -> str:
    """JSON as it is printed and written; half a surrogate pair (an id of a hostile file) as its escape."""
    text = json.dumps(table, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode()
