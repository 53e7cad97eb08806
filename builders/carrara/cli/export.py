"""`carrara export`: a release as tasks of lm-evaluation-harness or Inspect, which read and score it unchanged."""

import glob
import json
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from carrara.cli.options import JsonOption, PlaceArgument
from carrara.errors import CarraraError
from carrara.release.hub_store import Remote
from carrara.release.store import Place

export = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Write a release as tasks of an evaluation harness, which then runs it unchanged: its prompts byte for byte, "
    "its scores by Carrara's own scorers.\n\n"
    "The harness needs carrara beside it (pip install carrara). What it logs is scored again by carrara score, with "
    "intervals and the papers' averages.",
)

_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")

RepoOption = Annotated[
    str | None,
    typer.Option("--repo", help="Read the rows from this dataset of the Hub (USER/NAME) instead of the folder."),
]
RevisionOption = Annotated[
    str | None, typer.Option("--revision", help="With --repo: tag or commit; else the tag that is the version.")
]


@export.command("lm-eval", short_help="Write tasks for EleutherAI's lm-evaluation-harness.")
def lm_eval(
    release: PlaceArgument,
    out: Annotated[
        Path, typer.Option("--out", help="A folder for the tasks: new or empty, or of an earlier export: replaced.")
    ],
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

    carrara export lm-eval out/quickstart/1.3.1 --out tasks
    """
    from carrara.export import lm_eval as harness
    from carrara.release.reader import open_release
    from carrara.release.row_metrics import check_metrics
    from carrara.release.sealed import refuse_sealed
    from carrara.text.display import visible

    opened = open_release(release)
    refuse_sealed(opened.content, "exported")
    check_metrics(opened, opened.configs)
    repo, revision = dataset(release, repo, revision)
    written = harness.write(opened, out, repo, revision)
    members = harness.groups(opened) | harness.groups(opened, harness.BASE)
    rooms = harness.rooms(opened)
    whole = f"carrara_{opened.name}"
    runs = {
        "chat": _lm_eval_run(whole, out, rooms[whole], "--apply_chat_template"),
        "base": _lm_eval_run(whole + harness.BASE, out, rooms[whole]),
        "score": f"carrara score {shlex.quote(release.label)} results/MODEL",
    }
    if as_json:
        _print({"files": [str(path) for path in written], "groups": members, "room": rooms, "commands": runs})
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


@export.command("inspect", short_help="Write tasks for Inspect (inspect-ai).")
def inspect(
    release: PlaceArgument,
    out: Annotated[Path, typer.Option("--out", help="A folder for the tasks: empty, or of earlier exports.")],
    repo: RepoOption = None,
    revision: RevisionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a release as tasks of Inspect (inspect-ai): a Python file with a task for each config.

    A prompt is the user's message byte for byte, its row's max_output_tokens the model's budget, and the score is by
    the row's metric, with a standard error that takes the rows of a group for one question. What judge/* rows get is
    ROUGE-L, and says so. Each task takes -T base=true (prompt and answer prefix as one text, for the providers
    vllm-completions and openai-api-completions), limit=N, reasoning_tokens=N (added to every budget) and most_tokens=N
    (a ceiling); the file says more. carrara score reads Inspect's logs, or a folder of them. Example:

    carrara export inspect out/quickstart/1.3.1 --out tasks
    """
    from carrara.export.inspect import tasks, write
    from carrara.release.reader import open_release
    from carrara.release.row_metrics import check_metrics
    from carrara.release.sealed import refuse_sealed
    from carrara.text.display import visible

    opened = open_release(release)
    refuse_sealed(opened.content, "exported")
    check_metrics(opened, opened.configs)
    repo, revision = dataset(release, repo, revision)
    path = write(opened, out, repo, revision)[0]
    names = tasks(opened.configs)
    # A file without a task's name is a pattern to Inspect, and one that begins at the root is refused.
    every, one = glob.escape(os.path.relpath(path)), f"{path}@{next(iter(names.values()), '')}"
    runs = {"one": _inspect_run(one), "all": _inspect_run(every), "base": _inspect_run(one, "base=true")}
    if as_json:
        _print({"files": [str(path)], "tasks": names, "commands": runs})
        return
    typer.echo(f"{visible(str(path))}: {len(names)} tasks of {opened.name}@{opened.version}")
    for kind, told in (("one", "one of them"), ("all", "all of them"), ("base", "for a base model")):
        typer.echo(f"{told}:\n  {visible(runs[kind])}")
    typer.echo(f"then, with intervals:\n  {visible(f'carrara score {shlex.quote(release.label)} logs')}")


def _inspect_run(what: str, argument: str = "") -> str:
    model = "vllm-completions/MODEL" if argument else "openai/MODEL"
    return shlex.join(["inspect", "eval", what, *(["-T", argument] if argument else []), "--model", model])


def dataset(release: Place, repo: str | None, revision: str | None) -> tuple[str | None, str | None]:
    """The dataset on the Hub that is to be read and its revision: as asked, or that of the release's own address.

    Refuses names that are no dataset's or tag's, and a revision of nothing.
    """
    from carrara.publish.plan import check_name

    if repo is None and revision is None and isinstance(release, Remote):
        return release.repository, release.version or release.commit
    if repo is not None:
        check_name(repo)
    if revision is not None and not _REVISION.fullmatch(revision):
        raise CarraraError(f"--revision {ascii(revision)[:200]} is no tag or commit", "give a tag, such as 1.0.0")
    if revision is not None and repo is None:
        raise CarraraError("got --revision without --repo, expected both", "the folder DIR is one version already")
    return repo, revision


def _print(table: Mapping[str, Any]) -> None:
    typer.echo(json.dumps(table, indent=1, sort_keys=True))
