"""`carrara select`: the rows that fit a model's window; `carrara lengths`: what rows measure by other tokenizers."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrara.cli.options import (
    BucketOption,
    ConfigOption,
    JsonOption,
    PlaceArgument,
    QuietOption,
    TaskOption,
    WorkersOption,
)
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.cli.progress import Progress
    from carrara.release.reader import Release

_WORKERS = os.cpu_count() or 1
# What a recipe leaves free of a bucket, unless it says otherwise.
_RESERVE = 1_024
_NAMES = "o200k_base, cl100k_base, or hf:PATH_OR_REPO@REVISION (a tokenizer.json, or its folder)"


def select(
    release: PlaceArgument,
    window: Annotated[int, typer.Option("--window", min=1, help="The model's window, in tokens.")],
    out: Annotated[Path, typer.Option("--out", help="Write the ids here, one a line.")],
    tokenizer: Annotated[
        str | None, typer.Option("--tokenizer", help=f"The model's: {_NAMES}. Default: the release's own.")
    ] = None,
    reserve: Annotated[
        int, typer.Option("--reserve", min=0, help="Tokens that stay free, for a chat template and a system prompt.")
    ] = _RESERVE,
    thinking: Annotated[
        int, typer.Option("--thinking", min=0, help="Tokens that stay free for thinking (run --reasoning-tokens).")
    ] = 0,
    paired: Annotated[
        bool, typer.Option("--paired", help="Only questions that fit in every bucket of which rows are selected.")
    ] = False,
    bucket: BucketOption = None,
    task: TaskOption = None,
    config: ConfigOption = None,
    workers: WorkersOption = _WORKERS,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write the ids of the rows that fit a model's window, for --ids of run, score, page and export.

    A row fits if its prompt, its max_output_tokens, --reserve and --thinking take no more than --window. By the
    release's own tokenizer lengths are those recorded; by another every prompt is counted whole. The orders of one
    ancestral trace are scored together, so all of them fit or none is taken.

    --paired is for curves over buckets. Of every task and variant it keeps the questions (items) that fit in each
    bucket of which any row was selected, and of these, at every length, all depths or none, so that buckets differ in
    length alone. A bucket of which few questions fit leaves few in all: leave it out with --bucket. Tasks are paired
    each for itself; of one whose questions stand in one bucket each, nothing may be left. Example:

    \b
    carrara select quickstart@3.0.0 --window 128000 --tokenizer cl100k_base \\
        --thinking 16000 --out ids.txt
    carrara run quickstart@3.0.0 --ids ids.txt --reasoning-tokens 16000 \\
        --model openai/NAME --out runs/NAME
    """
    from carrara.cli.tables import selection_table, terminal
    from carrara.engine.files import write_bytes
    from carrara.page.page import outside
    from carrara.release.configs import choose_configs
    from carrara.release.reader import open_release
    from carrara.release.selection import ModelWindow, fitting, ids_file, row_lengths
    from carrara.text.display import visible

    opened, file = open_release(release), outside(out)
    opened.refuse_record()
    chosen = choose_configs(opened.configs, bucket=bucket, task=task, config=config)
    with _progress(opened, chosen, 1, quiet) as progress:
        every = row_lengths(opened, chosen, tokenizer, workers, progress)
    free = ModelWindow(window, reserve, thinking)
    found = fitting(opened, every, free, paired)
    ids = [row.id for own in found.values() for row in own]
    name, rows = visible(tokenizer or opened.content.tokenizer.name, 400), sum(map(len, every.values()))
    told = (
        f"{len(ids):,} of {rows:,} rows: prompt (by {name}) + answer + {reserve:,} in reserve + {thinking:,} to think "
        f"<= {window:,}{', paired' * paired}"
    )
    write_bytes(file, ids_file(opened, ids, told))
    if as_json:
        facts = {
            config: {
                "rows": len(own),
                "selected": len(found[config]),
                "longest": max((row.tokens for row in found[config]), default=0),
                "taken": max(map(free.taken, found[config]), default=0),
            }
            for config, own in every.items()
        }
        typer.echo(json_text({"file": str(file), "rows": rows, "selected": len(ids), "configs": facts}))
        return
    if not quiet:
        terminal().print(selection_table(every, found, free))
    typer.echo(f"{visible(str(file), 400)}: {told}")


def lengths(
    release: PlaceArgument,
    tokenizer: Annotated[
        list[str] | None,
        typer.Option("--tokenizer", help=f"Count with it (repeatable): {_NAMES}. Default: the first two."),
    ] = None,
    bucket: BucketOption = None,
    task: TaskOption = None,
    config: ConfigOption = None,
    workers: WorkersOption = _WORKERS,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Print, for every bucket, how long its rows are by other tokenizers: the longest prompt and the median.

    Every prompt is counted whole. Beside each number stands how many times that of the release's own tokenizer it is.
    """
    from carrara.cli.tables import lengths_table, terminal
    from carrara.release.configs import choose_configs
    from carrara.release.reader import open_release
    from carrara.release.selection import bucket_lengths, row_lengths
    from carrara.tokens import COMMON

    opened = open_release(release)
    opened.refuse_record()
    chosen = choose_configs(opened.configs, bucket=bucket, task=task, config=config)
    names = list(dict.fromkeys(tokenizer or COMMON))
    with _progress(opened, chosen, len(names), quiet) as progress:
        measured = {name: row_lengths(opened, chosen, name, workers, progress) for name in names}
    found = [one for name, every in measured.items() for one in bucket_lengths(opened, name, every)]
    if as_json:
        typer.echo(json_text([asdict(one) for one in found]))
    else:
        terminal().print(lengths_table(opened.content.tokenizer.name, found))


def _progress(release: "Release", configs: Sequence[str], times: int, quiet: bool) -> "Progress":
    """Tells how the counting of these configs goes on, so many times."""
    from carrara.cli.progress import Progress

    facts = [release.configs[config] for config in configs]
    return Progress(times * sum(one.rows for one in facts), times * sum(one.tokens.sum for one in facts), quiet)
