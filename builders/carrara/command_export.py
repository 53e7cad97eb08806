"""`carrara export`: a release as tasks of lm-evaluation-harness or Inspect, which read and score it unchanged."""

import json
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from carrara.command_score import JsonOption

export = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Write a release as tasks of an evaluation harness, which then runs it unchanged: its prompts byte for byte, "
    "its scores by Carrara's own scorers.\n\n"
    "The harness needs carrara beside it (pip install carrara). What it logs is scored again by carrara score, with "
    "intervals and the papers' averages.",
)

ReleaseArgument = Annotated[Path, typer.Argument(help="A release folder: <out>/<name>/<version>.")]
OutOption = Annotated[Path, typer.Option("--out", help="The folder for the tasks; an earlier export is replaced.")]
RepoOption = Annotated[
    str | None,
    typer.Option("--repo", help="Read the rows from this dataset of the Hub (USER/NAME) instead of the folder."),
]
RevisionOption = Annotated[
    str | None, typer.Option("--revision", help="With --repo: tag or commit; else the tag that is the version.")
]


@export.command("lm-eval", short_help="Write tasks for EleutherAI's lm-evaluation-harness.")
def lm_eval(
    release: ReleaseArgument,
    out: OutOption,
    repo: RepoOption = None,
    revision: RevisionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a release as tasks of lm-evaluation-harness (0.4.13 or later), and print how to run them.

    Every config becomes two tasks. carrara_<release>_<config> is for chat models: run it with --apply_chat_template,
    and the prompt is the user's turn. The same with _base is for base models: prompt and answer prefix, without a
    template. Groups hold all of them, or those of one bucket; the harness also takes patterns
    ('carrara_quickstart_rag_*_32k').

    Decoding is greedy, without examples and without stop sequences. The harness knows one output length a task: it is
    the largest max_output_tokens of the config's rows, so that rows with a smaller one may be answered at more length.
    An endpoint that refuses an empty list of stop sequences needs eos_string=... among its --model_args.

    Give the model its whole length (max_length, max_model_len): the harness cuts a prompt that does not fit, from the
    left. What judge/* rows get is ROUGE-L, and is called rouge_l. The harness's standard errors take rows for
    independent, which placements of one question are not; with --log_samples, carrara score gives intervals that know
    this. Example:

    carrara export lm-eval out/quickstart/1.3.0 --out tasks
    """
    from carrara.console import visible
    from carrara.export import lm_eval as harness
    from carrara.read import open_release

    opened = open_release(release)
    written = harness.write(opened, out, repo, revision)
    members = harness.groups(opened) | harness.groups(opened, harness.BASE)
    rooms = harness.rooms(opened)
    whole = f"carrara_{opened.name}"
    runs = {
        "chat": _lm_eval_run(whole, out, rooms[whole], "--apply_chat_template"),
        "base": _lm_eval_run(whole + harness.BASE, out, rooms[whole]),
        "score": f"carrara score {shlex.quote(str(release))} results/MODEL",
    }
    if as_json:
        _print(out, written, {"groups": members, "room": rooms, "run": runs})
        return
    count = len(opened.configs)
    typer.echo(f"{visible(str(out))}: {len(written)} files, {count} configs of {opened.name}@{opened.version}")
    typer.echo("groups, each with _base too, and the tokens that prompt and output need by the release's tokenizer:")
    for name, room in rooms.items():
        typer.echo(f"  {name}  {room:,}")
    for kind, told in (("chat", "a chat model"), ("base", "a base model"), ("score", "then, with intervals")):
        typer.echo(f"{told}:\n  {visible(runs[kind])}")


def _lm_eval_run(group: str, out: Path, longest: int, *more: str) -> str:
    words = ["lm_eval", "run", "--tasks", group, "--include_path", str(out.resolve()), "--model", "hf", "--model_args"]
    words += [f"pretrained=MODEL,max_length={longest}", *more, "--log_samples", "--output_path", "results"]
    return shlex.join(words)


@export.command("inspect", short_help="Write tasks for Inspect, of the UK AI Security Institute.")
def inspect(
    release: ReleaseArgument,
    out: OutOption,
    repo: RepoOption = None,
    revision: RevisionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a release as tasks of Inspect (inspect-ai), and print where they are.

    Every row keeps its prompt and its own largest output; Carrara's scorers score it. Example:

    carrara export inspect out/quickstart/1.3.0 --out tasks
    """
    from carrara.export.inspect import write
    from carrara.read import open_release

    _print_paths(out, write(open_release(release), out, repo, revision), as_json)


def _print_paths(out: Path, written: list[Path], as_json: bool) -> None:
    from carrara.console import visible

    if as_json:
        _print(out, written, {})
        return
    for path in written:
        typer.echo(visible(str(path)))


def _print(out: Path, written: list[Path], more: dict[str, Any]) -> None:
    names = [str(path) for path in written]
    typer.echo(json.dumps({"out": str(out), "written": names, **more}, indent=1, sort_keys=True))
