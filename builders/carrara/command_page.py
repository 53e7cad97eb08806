"""`carrara page`: one HTML file to read a release by."""

from pathlib import Path
from typing import Annotated

import typer

from carrara.command_options import JsonOption, PlaceArgument
from carrara.json_text import json_text


def page(
    release: PlaceArgument,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The file, or folder, to write; else <name>-<version>.html in this folder."),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows", min=0, max=20_000, help="Rows of each config, evenly spread; else 20, fewer of many configs."
        ),
    ] = None,
    row: Annotated[list[str] | None, typer.Option("--row", help="Also the row of this id (repeatable).")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write one HTML file to read a release by: what it holds, lengths, depths, chance, rows with their evidence.

    The file needs no network, no server and no installation; all that a browser does with it is show it. It holds some
    rows of each config and says how many of how many, and of a row what a reader wants: facts, answers, every piece of
    evidence in its place, both ends of the prompt. It is never written into a release.
    """
    from carrara.console import size
    from carrara.page import file_name, outside
    from carrara.page import page as page_of
    from carrara.read import open_release
    from carrara.write import write_bytes

    opened = open_release(release)
    named = Path(file_name(opened))
    file = outside(named if out is None else out / named if out.is_dir() else out)
    note = (lambda text: None) if as_json else (lambda text: typer.echo(text, err=True))
    made = page_of(opened, rows, row or (), note)
    write_bytes(file, made.data)
    if as_json:
        told = {"file": str(file), "bytes": len(made.data), "rows": made.held, "of": made.rows}
        typer.echo(json_text(told))
        return
    typer.echo(f"{made.held:,} of {made.rows:,} rows, {size(len(made.data))}", err=True)
    typer.echo(file)
