"""`carrara seal`: withhold a release's answers and commit to them; `carrara reveal`: prove published answers."""

from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrara.cli.options import JsonOption, QuietOption, ReleaseArgument
from carrara.errors import CarraraError
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.cli.progress import Progress
    from carrara.release.reader import Release
    from carrara.release.store import Folder
    from carrara.seal.reveal import Remake


def seal(
    release: ReleaseArgument,
    out: Annotated[
        Path, typer.Option("--out", help="Where the parts go: <out>/<name>/<version> and <version>.answers.")
    ],
    name: Annotated[
        str | None, typer.Option("--name", help="The public part's name; else the recipe's with -sealed behind it.")
    ] = None,
    releases: Annotated[
        Path, typer.Option("--releases", help="Frozen releases, whose streams are known and refused.")
    ] = Path("releases"),
    quiet: QuietOption = False,
) -> None:
    """Split the answers off a release; make a public release of the rest that commits to every row.

    The public part holds prompts, choices and lengths, and for every row a salted commitment in place of its answer;
    it is verified, loaded and published like any release. Keep the folder of answers to yourself until carrara reveal:
    its key cannot be made again. The release must be made from a stream that nobody can guess:

    carrara build RECIPE --stream "$(openssl rand -hex 16)"
    """
    from carrara.cli.progress import Progress
    from carrara.recipe.bundled import recipe_folder
    from carrara.release.reader import open_release
    from carrara.seal.seal import Order
    from carrara.seal.seal import seal as seal_release

    configs = open_release(release).configs.values()
    total = sum(facts.rows for facts in configs), sum(int(facts.tokens.sum) for facts in configs)
    order = Order(out, name, (releases, recipe_folder().parent / "releases"))
    with Progress(*total, quiet) as progress:
        parts = seal_release(release, order, progress)
        progress.note(f"publish {parts.public}; keep {parts.answers} to yourself, and safe")
    typer.echo(parts.public)
    typer.echo(parts.answers)


def reveal(
    sealed: Annotated[Path, typer.Argument(help="The folder of a sealed release, its public part.")],
    answers: Annotated[Path, typer.Argument(help="The folder of answers that carrara seal made, published since.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Put the whole release together again: <out>/<name>/<version>.")
    ] = None,
    config: Annotated[
        list[str] | None, typer.Option("--config", help="Only the rows of these configs (repeatable).")
    ] = None,
    sources: Annotated[
        Path | None,
        typer.Option("--sources", envvar="CARRARA_SOURCES", help="Folder of real sources, to name altered columns."),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Prove that published answers are those that a sealed release committed to; exit 1 if one is not, naming the row.

    Every row must have one answer that opens its commitment, and put together the rows must have the content roots of
    the original. What whoever sealed it committed to is then certain; that the recipe makes these rows, carrara verify
    --level rebuild says of the release that --out puts together. Hold the sealed manifest's sha256, which is printed,
    against the one that was published.
    """
    from carrara.cli.progress import Progress
    from carrara.cli.tables import terminal, verify_table
    from carrara.release.schema import MANIFEST
    from carrara.release.store import Folder
    from carrara.seal.restore import reassemble
    from carrara.seal.reveal import open_sealed, open_told
    from carrara.seal.reveal import reveal as reveal_answers

    if out is not None and config:
        raise CarraraError("got --out with --config, expected one of them", "a release is put together whole")
    opened, place = open_sealed(Folder(sealed)), Folder(answers)
    chosen = list(dict.fromkeys(config or []))
    counted = [opened.configs[name] for name in chosen or opened.configs if name in opened.configs]
    rows = sum(facts.rows for facts in counted) * (1 if out is None else 2)
    put: tuple[Path, list[str]] | None = None
    with Progress(rows, 0, quiet, unit="answers") as progress:
        step = _step(progress, "")
        report = reveal_answers(opened, place, chosen, cache(lambda: _remake(place, sources)), step)
        if out is not None and report.is_good:
            put = reassemble(opened, place, open_told(opened, place), out, _step(progress, "writing "))
            report.reencoded += put[1]
    manifest = _sha256(opened, MANIFEST)
    table = {
        **asdict(report),
        "good": report.is_good,
        "sealed": {"release": f"{opened.name}@{opened.version}", "manifest": manifest},
        "partial": bool(chosen),
        "out": str(put[0]) if put else None,
    }
    if as_json:
        typer.echo(json_text(table))
    else:
        terminal().print(verify_table(table))
        if report.is_good:
            typer.echo("every answer is the one that was committed to")
        typer.echo(f"sealed manifest: sha256 {manifest}")
        if chosen:
            typer.echo(f"only {len(chosen)} of {len(opened.configs)} configs: the others stay unproven")
        if put:
            typer.echo(put[0])
    if not report.is_good:
        raise typer.Exit(1)


def _step(progress: "Progress", words: str) -> Callable[[str, int, int], None]:
    """What tells the progress of one more row of a config."""

    def step(config: str, done: int, total: int) -> None:
        if done == 1:
            progress.start(words + config, total)
        progress.advance(words + config, 1, 0)

    return step


def _remake(answers: "Folder", sources: Path | None) -> "Remake":
    """Makes rows from the original's recipe, and from its frozen runs where it has some."""
    from carrara.build.row_maker import RowMaker
    from carrara.recipe.recipe import recipe_from_json
    from carrara.release.reader import open_release
    from carrara.seal.seal import ORIGINAL

    folder = answers.path / ORIGINAL
    runs = folder / "runs" if (folder / "runs").is_dir() else None
    return RowMaker(recipe_from_json(open_release(folder).content.recipe.to_json()), sources, runs).remake


def _sha256(release: "Release", path: str) -> str:
    from carrara.release.manifest import stream_entry

    with release.open(path) as stream:
        return str(stream_entry(stream).sha256)
