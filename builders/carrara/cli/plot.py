"""`carrara plot`: the figures of a paper, from results that `carrara score --out` wrote."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from carrara.cli.options import BucketOption, JsonOption, TaskOption
from carrara.cli.score import read
from carrara.text.json import json_text


def plot(
    results: Annotated[
        list[Path], typer.Argument(help="Results of carrara run, or of carrara score --out: one for each model.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder for the figures, each as PNG, SVG and PDF.")],
    kind: Annotated[
        list[str] | None, typer.Option("--kind", help="Draw only these kinds of figures (repeatable).")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            "--field", help="Draw curves over these fields: length, complexity, or a number in the rows' facts."
        ),
    ] = None,
    band: Annotated[
        Literal["interval", "deviation", "range"],
        typer.Option(
            "--band",
            help="Band around a curve: the mean's 95 % interval, the standard deviation of the questions, or their "
            "lowest and highest score.",
        ),
    ] = "interval",
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            help="Only rows with FIELD=VALUE or FIELD=LOW..HIGH (repeatable; of one field, any): complexity=20, "
            "variant=2needle, digits=4..8.",
        ),
    ] = None,
    bucket: BucketOption = None,
    task: TaskOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the figures of a paper from the results of one or more models.

    Results of one model over several releases are drawn as one; every model then has results of each.

    Kinds: cumulative (score over rows of up to L tokens), curve (over a field of the rows), depth_map, depth_curves,
    categories (by length), pairs (paired variants), spearman, chance, radar. Depths stand in eleven bins, or in 21 for
    rows at twentieths. A kind that the results cannot show is skipped, and the reason is printed. The same results give
    the same bytes.
    """
    from carrara.engine.files import write_bytes
    from carrara.plots.figures import condition, draw
    from carrara.plots.style import Options

    chosen = tuple(
        map(
            condition,
            [*(where or ()), *(f"bucket={name}" for name in bucket or ()), *(f"task={name}" for name in task or ())],
        )
    )
    loaded = [read(path) for path in results]
    written: list[str] = []
    notes: list[str] = []
    for drawn in draw(loaded, kind or (), Options(tuple(field or ()), band, chosen), notes.append):
        for ending, data in (("png", drawn.png), ("svg", drawn.svg), ("pdf", drawn.pdf)):
            write_bytes(out / f"{drawn.name}.{ending}", data)
            written.append(f"{drawn.name}.{ending}")
    if as_json:
        typer.echo(json_text({"out": str(out), "written": written, "skipped": notes}))
        return
    for name in written:
        typer.echo(out / name)
    for text in notes:
        typer.echo(text, err=True)
