"""`carrara export`: task definitions with which an evaluation harness runs a release unchanged."""

import glob
import json
import os
import re
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from carrara.errors import CarraraError

export = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Write task definitions that run a release unchanged in an evaluation harness.",
)

_MODEL = "openai/gpt-5"
_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")

ReleaseArgument = Annotated[Path, typer.Argument(help="A release folder: <out>/<name>/<version>.")]
OutOption = Annotated[Path, typer.Option("--out", help="A folder for the definitions: empty, or of earlier exports.")]
RepoOption = Annotated[
    str | None, typer.Option("--repo", help="Read the rows from this dataset on the Hub (user/name), not from DIR.")
]
RevisionOption = Annotated[
    str | None, typer.Option("--revision", help="With --repo: which tag of it; else the release's version.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead.")]


@export.command("inspect", short_help="Write task definitions for Inspect (inspect-ai).")
def inspect(
    release: ReleaseArgument,
    out: OutOption,
    repo: RepoOption = None,
    revision: RevisionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write task definitions for Inspect (inspect-ai): a Python file with a task for each config.

    Prompts are sent to the byte, each with its row's budget, and scored by its row's metric. What Inspect logs is read
    by carrara score DIR LOG.
    """
    from carrara.export.inspect import tasks, write
    from carrara.read import open_release

    opened = open_release(release)
    check_place(repo, revision)
    path = write(opened, out, repo, revision)[0]
    names = tasks(opened.configs)
    first = next(iter(names.values()), "")
    # A file without the name of a task is a pattern to Inspect, and must be relative.
    every = quote(glob.escape(os.path.relpath(path)))
    commands = [f"inspect eval {quote(f'{path}@{first}')} --model {_MODEL}", f"inspect eval {every} --model {_MODEL}"]
    if as_json:
        table = {"files": [str(path)], "tasks": names, "commands": commands}
        typer.echo(json.dumps(table, ensure_ascii=False, indent=1, sort_keys=True))
        return
    typer.echo(path)
    typer.echo(f"one of {len(names)} tasks:  {commands[0]}\nall of them:  {commands[1]}", err=True)


def check_place(repo: str | None, revision: str | None) -> None:
    """Refuse names that are no dataset's or tag's on the Hub, and a revision of nothing."""
    if repo is not None and not _REPO.fullmatch(repo):
        raise CarraraError(f"--repo {repo!r} is no dataset's name", "give user/name, as on the Hub")
    if revision is not None and not _REVISION.fullmatch(revision):
        raise CarraraError(f"--revision {revision!r} is no tag or commit", "give a tag, such as 1.0.0")
    if revision is not None and repo is None:
        raise CarraraError("got --revision without --repo, expected both", "the folder DIR is one version already")
