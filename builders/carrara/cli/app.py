"""The verbs of the command line: parse, call one room, print.

Errors go to standard error: wrong input exits with 2, a failed proof or check with 1, and a fault of Carrara's own with
70 and its traceback.
"""

import json
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from carrara import __version__
from carrara.cli.errata import erratum
from carrara.cli.export import export
from carrara.cli.judge import agreement, judge
from carrara.cli.key_points import keypoints
from carrara.cli.options import (
    PLACE_HELP,
    JsonOption,
    PlaceArgument,
    QuietOption,
    ReleaseArgument,
    SourcesOption,
    WorkersOption,
)
from carrara.cli.pieces import pieces
from carrara.cli.plot import plot
from carrara.cli.publish import publish
from carrara.cli.release import croissant, diff, page, verify
from carrara.cli.retrieval import index, retrieve
from carrara.cli.score import compare, score
from carrara.cli.seal import reveal, seal
from carrara.cli.world import world
from carrara.errors import FAULT, CarraraError
from carrara.release.hub_store import place
from carrara.release.store import Place
from carrara.text.json import json_text

app = typer.Typer(
    name="carrara",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Build, prove, freeze, verify and score long-context benchmark datasets.\n\n"
    "A recipe says what a release holds; `carrara build RECIPE` makes it, row by row, each proven by a solver. "
    "Start with: carrara plan quickstart, then carrara build quickstart.",
)

RecipeArgument = Annotated[str, typer.Argument(help="A recipe file, or the name of one that comes along (quickstart).")]
StreamOption = Annotated[
    str | None,
    typer.Option("--stream", help="Another stream name: a twin of the release, same distribution, nothing shared."),
]
_WORKERS = os.cpu_count() or 1
_DEBUG = "--debug"
_REPORT = "please report it with the traceback above"

# Measured on the two recipes that come along: 0.7 bytes a token on disk with embedded prose, 0.9 with real prose (1.7
# where no two rows share their haystack), and 2.5 million tokens a second and process.
_BYTES_A_TOKEN = 1.0
_TOKENS_A_SECOND = 2_500_000


@app.command(short_help="Say what a build will make, before it is made.")
def plan(
    recipe: RecipeArgument,
    stream: StreamOption = None,
    sources: SourcesOption = None,
    workers: WorkersOption = _WORKERS,
    items: Annotated[int, typer.Option("--items", min=0, help="Also print the first plans of every config.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Say what a build will make: rows, tokens, size and time of every config, before anything is built."""
    from carrara.build.row_maker import RowMaker
    from carrara.cli.tables import plan_table, terminal
    from carrara.task import plan_json

    loaded = _recipe(recipe, stream)
    table = []
    for config in loaded.configs():
        tokens = sum(config.slot(index).length for index in range(config.rows))
        seconds = tokens / _TOKENS_A_SECOND / min(workers, os.cpu_count() or 1)
        table.append(
            {
                "config": config.name,
                "rows": config.rows,
                "files": config.files,
                "tokens": tokens,
                "bytes": int(tokens * _BYTES_A_TOKEN),
                "seconds": round(seconds, 1),
            }
        )
    maker = RowMaker(loaded, sources)
    plans = {
        config.name: [json.loads(plan_json(maker.plan(config, item))) for item in range(min(items, config.items))]
        for config in loaded.configs()
    }
    if as_json:
        _print_json({"name": loaded.name, "version": loaded.version, "configs": table, "plans": plans})
        return
    terminal().print(plan_table(table))
    for name, listed in plans.items():
        for one in listed:
            typer.echo(f"{name}: {json_text(one, None)}")


@app.command(short_help="Build a release; go on where a killed build stopped.")
def build(
    recipe: RecipeArgument,
    out: Annotated[Path, typer.Option("--out", help="Where releases go: <out>/<name>/<version>.")] = Path("out"),
    stream: StreamOption = None,
    sources: SourcesOption = None,
    workers: WorkersOption = _WORKERS,
    runs: Annotated[
        Path | None,
        typer.Option("--runs", help="Folder of frozen runs (of carrara retrieve, or of a release) to start from."),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Build a release; go on where a killed build stopped; print its folder.

    Every row is proven before it is written: its length by the tokenizer, its answer by a solver that reads the
    prompt alone, its metric by gold and wrong answers. --stream NAME makes a twin that shares nothing with the release.
    """
    from carrara.build.build import Run
    from carrara.build.build import build as build_release
    from carrara.cli.progress import Progress
    from carrara.recipe.bundled import beside, written_card

    loaded = _recipe(recipe, stream)
    configs = loaded.configs()
    tokens = sum(config.slot(index).length for config in configs for index in range(config.rows))
    run = Run(out, sources, workers, written_card(recipe), beside(recipe, "releases"), runs)
    with Progress(sum(config.rows for config in configs), tokens, quiet) as progress:
        try:
            folder = build_release(loaded, run, progress)
        except KeyboardInterrupt:
            progress.note("stopped: build again to go on")
            raise
    typer.echo(folder)


@app.command(short_help="Prove the rows of a built release again.")
def audit(
    release: PlaceArgument,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Prove the rows of a built release again: count tokens, run solvers, score gold and wrong answers."""
    from carrara.build.proofs import audit_release
    from carrara.recipe.recipe import recipe_from_json
    from carrara.release.reader import open_release
    from carrara.release.sealed import refuse_sealed
    from carrara.text.display import visible

    opened = open_release(release)
    refuse_sealed(opened.content, "audited")
    loaded = recipe_from_json(opened.content.recipe.to_json())
    note = (lambda text: None) if quiet else (lambda text: typer.echo(text, err=True))
    rows, findings = audit_release(opened, loaded, note)
    if as_json:
        _print_json({"rows": rows, "findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings[:50]:
            typer.echo(visible(f"{finding.what}: {finding.detail}", 2_000))
        typer.echo(f"{rows} rows audited, {len(findings)} findings")
    if findings or not rows:
        raise typer.Exit(1)


@app.command(short_help="Freeze a release; refuse a wrong version bump.")
def freeze(
    release: ReleaseArgument,
    releases: Annotated[
        Path, typer.Option("--releases", help="The folder of frozen releases, kept in version control.")
    ] = Path("releases"),
) -> None:
    """Freeze a built release: put its manifest, recipe and plan digests where they are never edited again.

    Compares with the newest frozen version and refuses any bump but the one that the difference asks for: MAJOR when
    an existing row changed, MINOR when rows were added, PATCH when rows stayed and other bytes changed.
    """
    from carrara.release.freeze import freeze as freeze_release

    typer.echo(freeze_release(release, releases, lambda text: typer.echo(text, err=True)))


app.command(short_help="Check a copy of a release against its manifest.")(verify)
app.command(short_help="Publish a release on the Hugging Face Hub.")(publish)
app.command(short_help="Withhold a release's answers, and commit to them.")(seal)
app.command(short_help="Prove that published answers are the sealed ones.")(reveal)
app.command(short_help="Score a model's responses, with intervals.")(score)
app.command(short_help="Say how two results differ, by paired bootstrap.")(compare)
app.command(short_help="Have a model judge answers and summaries.")(judge)
app.command(short_help="Say how well a judge's verdicts agree with people's.")(agreement)
app.command(short_help="Draw the figures of a paper from results.")(plot)
app.add_typer(export, name="export", short_help="Write task definitions for evaluation harnesses.")


@app.command(short_help="Print one row for a person.")
def show(
    release: PlaceArgument,
    row_id: Annotated[str, typer.Argument(metavar="ID", help="A row id, as in the column `id`.")],
    as_json: JsonOption = False,
) -> None:
    """Print a row for a person: facts, evidence in its neighbourhood with its depth, head and tail of the prompt."""
    from carrara.cli.show import show as show_row
    from carrara.cli.show import show_json
    from carrara.cli.tables import terminal
    from carrara.release.reader import open_release
    from carrara.release.reader import row as read_row

    found = read_row(open_release(release), row_id)
    if as_json:
        _print_json(show_json(found))
    else:
        show_row(found, terminal())


app.command(short_help="Write one HTML page to read a release by.")(page)


@app.command("list", short_help="List tasks, sources and recipes, or a release's configs.")
def list_(
    release: Annotated[
        Place | None,
        typer.Argument(parser=place, help=f"{PLACE_HELP} Without it: tasks and sources."),
    ] = None,
    as_json: JsonOption = False,
    as_table: Annotated[bool, typer.Option("--table", help="Print the README's table of tasks, as Markdown.")] = False,
) -> None:
    """List the configs of a release, or the tasks, sources, recipes and tokenizers that there are."""
    if as_table:
        from carrara.card.task_table import markdown

        if release is not None or as_json:
            raise CarraraError("--table is of all tasks", "give neither a release nor --json with it")
        typer.echo(markdown(), nl=False)
        return
    if release is not None:
        from carrara.release.reader import open_release
        from carrara.text.display import visible

        configs = open_release(release).configs
        if as_json:
            _print_json({name: facts.to_json() for name, facts in configs.items()})
            return
        for name, facts in configs.items():
            typer.echo(f"{name}  {facts.rows} rows  {facts.tokens.mean:.0f} tokens  {visible(facts.metric)}")
        return
    from carrara.recipe.bundled import recipe_folder
    from carrara.sources import pins
    from carrara.tasks import TASKS
    from carrara.tokens import ENCODINGS

    table: dict[str, Any] = {
        "tasks": {
            name: {
                "variants": list(task.variants),
                "metrics": list(task.metrics),
                "own_metrics": {
                    name: list(variant.metrics) for name, variant in task.variants.items() if variant.metrics
                },
                "asks": task.asks,
            }
            for name, task in TASKS.items()
        },
        "sources": {
            "world": {"lang": "en, zh", "licence": "Apache-2.0", "title": "written from the release's stream"},
            **{name: {"lang": pin.lang, "licence": pin.licence, "title": pin.title} for name, pin in pins().items()},
        },
        "tokenizers": [*ENCODINGS, "hf:path-or-repo@revision"],
        "recipes": sorted(path.stem for path in recipe_folder().glob("*.toml")),
    }
    if as_json:
        _print_json(table)
        return
    typer.echo("tasks")
    for name, task in table["tasks"].items():
        variants = " ".join(variant or "(one)" for variant in task["variants"])
        typer.echo(f"  {name} [{variants}]  {', '.join(task['metrics'])}\n      {task['asks']}")
    typer.echo("sources")
    for name, source in table["sources"].items():
        typer.echo(f"  {name} [{source['lang']}]  {source['licence']}\n      {source['title']}")
    typer.echo(f"recipes\n  {', '.join(table['recipes'])}\ntokenizers\n  {', '.join(table['tokenizers'])}")


app.command(short_help="Say what changed between two releases, or whether they are twins.")(diff)
app.command(short_help="Read a release through its croissant.json, as others will.")(croissant)
app.add_typer(erratum, name="erratum", short_help="Note what is wrong with a frozen release, beside it.")
app.command(short_help="Have a language model write pieces for conversations.")(pieces)
app.command(short_help="Have a language model write the key points of summaries.")(keypoints)
app.command(short_help="Encode a corpus for retrieval; go on where a killed run stopped.")(index)
app.command(short_help="Search the corpora of a recipe and freeze what is ranked.")(retrieve)
app.command(short_help="Look into the invented world, check it, write its tables.")(world)


def main() -> None:
    """Run the command line.

    Exit 0 when all is well, 1 when a proof or check fails, 2 when the input is wrong, 70 when Carrara itself is.
    """
    words = sys.argv[1:]
    # Before or after the verb: whoever sees an error adds it to the end of the line.
    with _errors_told(_DEBUG in words):
        app([word for word in words if word != _DEBUG])


@contextmanager
def _errors_told(debug: bool) -> Iterator[None]:
    """Turn an exception into a message and an exit status. `debug`: print the traceback of every one."""
    try:
        yield
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; do not complain while closing either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except (CarraraError, OSError) as error:
        if debug:
            traceback.print_exc()
        told = str(error)
        if isinstance(error, OSError):
            told = f"cannot read or write{f' {error.filename}' if error.filename else ''}: {error.strerror or error}"
        typer.echo(f"error: {told}", err=True)
        sys.exit(error.exit_code if isinstance(error, CarraraError) else CarraraError.exit_code)
    except Exception:
        traceback.print_exc()
        typer.echo(f"error: this is a fault in Carrara {__version__}: {_REPORT}", err=True)
        sys.exit(FAULT)


@app.callback(invoke_without_command=True)
def _global_options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    debug: Annotated[
        bool, typer.Option(_DEBUG, help="Print the traceback of every error; may stand anywhere in the line.")
    ] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


def _recipe(name: str, stream: str | None) -> Any:
    from carrara.recipe.bundled import recipe_path
    from carrara.recipe.recipe import load_recipe

    loaded = load_recipe(recipe_path(name))
    return loaded if stream is None else loaded.twin(stream)


def _print_json(value: Any) -> None:
    typer.echo(json_text(value))
