"""`carrara verify`: check a copy of a release, in a folder or at the Hub, against its manifest."""

import os
import sys
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from carrara.command_options import JsonOption, PlaceArgument, SourcesOption, WorkersOption
from carrara.hub import Remote
from carrara.json_text import json_text

_WORKERS = os.cpu_count() or 1


def verify(
    release: PlaceArgument,
    level: Annotated[
        Literal["files", "rows", "plans", "rebuild"],
        typer.Option(
            "--level",
            help="files: is this the download? rows: is this the dataset? plans: does the recipe plan it? "
            "rebuild: does the recipe make it?",
        ),
    ] = "files",
    row: Annotated[str | None, typer.Option("--row", help="Check this row id alone, by its own digest line.")] = None,
    sources: SourcesOption = None,
    workers: WorkersOption = _WORKERS,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Check a copy of a release against its manifest; exit 1 if anything differs, naming config, row and column.

    A published copy (hf://user/name@version) is read where it lies: all of it, but never more than a row group at a
    time in memory and nothing on the disk; with --row only that row's part of it.
    """
    from carrara.console import size, terminal, verify_table
    from carrara.progress import Progress
    from carrara.read import open_release
    from carrara.remake import remaker
    from carrara.verify import verify as verify_release
    from carrara.verify import verify_row

    again = remaker(release, sources, workers)
    if row is not None:
        report = verify_row(release, row, again)
    else:
        opened = open_release(release)
        rows = sum(facts["rows"] for facts in opened.configs.values()) if level != "files" else 0
        remote = release if isinstance(release, Remote) else None
        # A folder is read quickly, and a log need not tell of it.
        silent = quiet or not (remote or sys.stderr.isatty())
        words = (lambda: f"{size(remote.fetched)} read") if remote else None
        with Progress(len(opened.files) + rows, 0, silent, unit="checked", aside=words) as progress:
            if remote:
                progress.note(f"{remote.label} is commit {remote.commit}")

            def told(what: str, done: int, total: int) -> None:
                if done == 1:
                    progress.start(what, total)
                progress.advance(what, 1, 0)

            report = verify_release(release, level, again, told)
    table = {**asdict(report), "good": report.is_good}
    if as_json:
        typer.echo(json_text(table))
    else:
        terminal().print(verify_table(table))
    if not report.is_good:
        raise typer.Exit(1)
