"""The command line: its commands, and what becomes of an error.

Errors go to standard error. Wrong input exits with 2, a failed proof or check with 1, and a fault in Carrara itself
with 70 and a traceback.
"""

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from carrara import __version__
from carrara.cli.build import assemble, audit, build, freeze, plan
from carrara.cli.export import export
from carrara.cli.judge import agreement, judge
from carrara.cli.key_points import keypoints
from carrara.cli.lengths import lengths, select
from carrara.cli.new_task import new_task
from carrara.cli.pieces import pieces
from carrara.cli.plot import plot
from carrara.cli.publish import erratum, publish, reveal, seal
from carrara.cli.release import croissant, diff, list_, page, reproduce, show, sign, verify
from carrara.cli.retrieval import index, retrieve
from carrara.cli.run import run
from carrara.cli.score import compare, score
from carrara.cli.world import sources, world
from carrara.errors import FAULT, CarraraError


class _Grouped(TyperGroup):
    """The commands of `--help`, by what one does with them."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for every group, in the order of the table below."""
        # Typer has its own, private copy of click: the types of both arguments have no public name.
        width = max(map(len, self.commands))
        for group, commands in _GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(f"{name:{width}}", told) for name, _, told in commands])


app = typer.Typer(
    name="carrara",
    cls=_Grouped,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Build, prove, freeze, verify and score long-context benchmark datasets.\n\n"
    "A recipe says what a release holds. `carrara build RECIPE` makes the release row by row and proves each row. "
    "To begin: carrara plan quickstart, then carrara build quickstart.",
)
_GROUPS: dict[str, tuple[tuple[str, Callable[..., None] | typer.Typer, str], ...]] = {
    "Use": (
        ("list", list_, "List tasks, sources and recipes, or a release's configs."),
        ("show", show, "Print one row."),
        ("page", page, "Write one HTML page that shows a release."),
        ("lengths", lengths, "Print how long rows are by other tokenizers."),
        ("select", select, "Write the ids of the rows that fit a model's window."),
        ("run", run, "Ask a model the rows of a release, and score its answers."),
        ("score", score, "Score a model's responses, with intervals."),
        ("compare", compare, "Compare results question by question, with p."),
        ("plot", plot, "Draw a paper's figures from results."),
    ),
    "Make": (
        ("plan", plan, "Print what a build will make."),
        ("build", build, "Build a release, or continue a build that was stopped."),
        ("assemble", assemble, "Put the parts of a build together that several hosts made."),
        ("audit", audit, "Prove the rows of a built release again."),
        ("diff", diff, "Compare two releases, or a release and its twin."),
        ("new-task", new_task, "Write a small task that passes its tests, to begin one of yours."),
    ),
    "Release": (
        ("freeze", freeze, "Freeze a release, and refuse a wrong version bump."),
        ("verify", verify, "Check a copy of a release against its manifest."),
        ("reproduce", reproduce, "Build a frozen release again, and compare its rows."),
        ("publish", publish, "Publish a release on the Hugging Face Hub."),
        ("sign", sign, "Sign a release's manifest with a key."),
        ("seal", seal, "Withhold a release's answers, and commit to them."),
        ("reveal", reveal, "Prove that published answers are the sealed ones."),
        ("erratum", erratum, "Record known errors of a frozen release."),
        ("croissant", croissant, "Validate a release's croissant.json and read records through it."),
    ),
    "Prepare": (
        ("sources", sources, "List real texts and corpora, and fetch them."),
        ("world", world, "Show the invented world, check it, write its tables."),
        ("index", index, "Encode a corpus for retrieval, or continue where a run stopped."),
        ("retrieve", retrieve, "Search the corpora of a recipe and freeze the ranked lists."),
        ("pieces", pieces, "Have a language model write pieces for conversations."),
        ("keypoints", keypoints, "Have a language model write the key points of summaries."),
    ),
    "Judge": (
        ("judge", judge, "Have a model judge answers and summaries."),
        ("agreement", agreement, "Measure how well a judge agrees with people, or with another."),
    ),
    "Export": (("export", export, "Write a release as tasks of an evaluation harness."),),
}
for _commands in _GROUPS.values():
    for _name, _command, _told in _commands:
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, name=_name, short_help=_told)
        else:
            app.command(_name, short_help=_told)(_command)

# One word may stand anywhere in the line: whoever sees an error adds it at the end.
_DEBUG = "--debug"


def main() -> None:
    """Run the command line.

    Exit 0 when all is well, 1 when a proof or check fails, 2 when the input is wrong, 70 when Carrara itself is.
    """
    words = sys.argv[1:]
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
        typer.echo(
            f"error: this is a fault in Carrara {__version__}: please report it with the traceback above", err=True
        )
        sys.exit(FAULT)


@app.callback(invoke_without_command=True)
def _global_options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    debug: Annotated[
        bool, typer.Option(_DEBUG, help="Print the traceback of every error. May stand anywhere in the line.")
    ] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit
