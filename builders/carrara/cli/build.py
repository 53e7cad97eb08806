"""`carrara plan`, `build`, `assemble`, `audit` and `freeze`: from a recipe to a frozen release."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from carrara.cli.options import (
    RELEASES_HERE,
    JsonOption,
    PlaceArgument,
    QuietOption,
    RecipeArgument,
    ReleaseArgument,
    ReleasesOption,
    SourcesOption,
    StreamOption,
    WithoutOption,
    WorkersOption,
    chosen,
)
from carrara.engine.processes import Engine
from carrara.release.store import OUT
from carrara.text.display import visible
from carrara.text.json import json_text

_WORKERS = os.cpu_count() or 1
_LISTED_FINDINGS = 50


def plan(
    recipe: RecipeArgument,
    stream: StreamOption = None,
    without: WithoutOption = None,
    sources: SourcesOption = None,
    workers: WorkersOption = _WORKERS,
    items: Annotated[int, typer.Option("--items", min=0, help="Also print the first plans of every config.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Print what a build will make: rows, tokens, size and time of every config, and where its sources are.

    Also how many questions a config asks, and by how many points two models must differ for these to tell them apart.

    Builds nothing. Exit 1 if a source or encoder is not at hand: each is named, with its size and how to get it.
    """
    from carrara import api
    from carrara.cli.tables import plan_table, source_line, terminal
    from carrara.scoring.intervals import questions_for

    planned = api.plan(chosen(recipe, stream, without), sources=sources, workers=workers, items=items)
    if as_json:
        table = {
            "name": planned.recipe.name,
            "version": planned.recipe.version,
            "configs": [asdict(config) for config in planned.configs],
            "sources": [asdict(source) for source in planned.sources],
            "seconds": round(planned.seconds, 1),
            "apart": planned.apart,
            "questions_for_5_points": questions_for(0.05),
            "plans": planned.items,
        }
        typer.echo(json_text(table))
        if planned.missing:
            raise typer.Exit(1)
        return
    console = terminal()
    console.print(plan_table(planned))
    for source in planned.sources:
        # A line to paste stays one line.
        console.print(source_line(source), soft_wrap=True)
    for name, of_config in planned.items.items():
        for item in of_config:
            typer.echo(f"{name}: {json_text(item, None)}")
    if planned.missing:
        names = ", ".join(visible(source.source) for source in planned.missing)
        typer.echo(f"not at hand: {names}. Get them as told above, then build", err=True)
        raise typer.Exit(1)


EngineOption = Annotated[
    Engine,
    typer.Option("--engine", help="ray: run on the hosts of a Ray cluster (RAY_ADDRESS)."),
]
RunsOption = Annotated[
    Path | None,
    typer.Option("--runs", help="Folder of frozen runs to start from, made by carrara retrieve or in a release."),
]


def build(
    recipe: RecipeArgument,
    out: Annotated[
        Path, typer.Option("--out", help="Folder for releases: this one goes to <out>/<name>/<version>.")
    ] = OUT,
    stream: StreamOption = None,
    without: WithoutOption = None,
    sources: SourcesOption = None,
    workers: WorkersOption = _WORKERS,
    runs: RunsOption = None,
    engine: EngineOption = "processes",
    part: Annotated[
        str | None,
        typer.Option(
            "--part",
            metavar="K/N",
            help="Make only share K of N of the data files, in the folder --out, for carrara assemble.",
        ),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Build a release and print its folder. If a build was stopped, run the same command again to continue it.

    Every row is proven before it is written: the tokenizer counts its length, a solver that reads only the prompt
    finds its answer, and its metric gives full marks to the gold and fewer to wrong answers. --stream NAME makes a
    twin, which shares nothing with the release. --without SOURCE makes what does without that source, under a name that
    says so. Hosts that share nothing each make a part. Examples:

    carrara build michelangelo-mini

    carrara build needlebench --part 3/16 --out parts/3
    """
    from carrara import api
    from carrara.cli.progress import Progress
    from carrara.making.build import WHOLE, share

    loaded = chosen(recipe, stream, without)
    own = WHOLE if part is None else share(part)
    if part is not None and out == OUT:
        out = OUT / f"{loaded.name}-{loaded.version}-part-{own.number}-of-{own.of}"
    with Progress(*own.size(loaded.configs()), quiet) as progress:
        try:
            if part is None:
                made = api.build(
                    loaded, out, sources=sources, workers=workers, runs=runs, engine=engine, progress=progress
                ).folder
            else:
                made = api.build_part(
                    loaded, part, out, sources=sources, workers=workers, runs=runs, engine=engine, progress=progress
                )
        except KeyboardInterrupt:
            progress.note("stopped: run the same command to continue")
            raise
    typer.echo(made)


def assemble(
    parts: Annotated[list[Path], typer.Argument(help="Folders that carrara build --part wrote, in any order.")],
    out: Annotated[
        Path, typer.Option("--out", help="Folder for releases: this one goes to <out>/<name>/<version>.")
    ] = OUT,
    fill: Annotated[bool, typer.Option("--fill", help="Make what is in no part here, instead of refusing.")] = False,
    sources: SourcesOption = None,
    workers: WorkersOption = _WORKERS,
    runs: RunsOption = None,
    releases: ReleasesOption = RELEASES_HERE,
    quiet: QuietOption = False,
) -> None:
    """Put the parts of a build together to a release, and print its folder.

    The release is that of a build on one machine, byte for byte. Every file is checked by its hash, and parts of
    another recipe, code, library, vocabulary or source are refused. The parts stay as they are; one may be given twice,
    or hold what others hold. Example:

    carrara assemble parts/* --out out
    """
    from carrara import api
    from carrara.cli.progress import Progress
    from carrara.making.build import WHOLE
    from carrara.recipe.recipe import Recipe

    loaded = Recipe.from_toml(parts[0] / "recipe.json")
    with Progress(*WHOLE.size(loaded.configs()), quiet) as progress:
        made = api.assemble(
            parts,
            out,
            fill=fill,
            sources=sources,
            workers=workers,
            runs=runs,
            releases=releases,
            progress=progress,
        )
    typer.echo(made.folder)


def audit(
    release: PlaceArgument,
    mutants: Annotated[
        int,
        typer.Option(
            "--mutants",
            min=0,
            max=100_000,
            help="Damage the release so many times, in memory, and say which proof notices: does the audit bite?",
        ),
    ] = 0,
    stream: Annotated[str, typer.Option("--stream", help="What the damages are drawn from.")] = "mutants/1",
    sources: SourcesOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Prove the rows of a built release again: count tokens, run solvers, score gold and wrong answers.

    Exit 1 if any row fails. With --mutants the rows are not proven; the proofs are: the damages that each kind of proof
    notices are counted, and one that none notices is named and ends in exit 1.
    """
    from carrara.cli.tables import mutants_table, terminal
    from carrara.making.mutants import MutantCampaign
    from carrara.making.proofs import audit_release
    from carrara.making.remake import remaker
    from carrara.recipe.recipe import recipe_from_json
    from carrara.release.reader import open_release
    from carrara.release.schema import refuse_sealed

    opened = open_release(release)
    refuse_sealed(opened.content, "audited")
    loaded = recipe_from_json(opened.content.recipe.to_json())
    note = (lambda text: None) if quiet else (lambda text: typer.echo(text, err=True))
    if mutants:
        remake = remaker(release, sources, 1).remake
        results = list(MutantCampaign(opened, loaded, remake, stream).results(mutants)) if remake else []
        if as_json:
            typer.echo(json_text([asdict(result) for result in results]))
        else:
            terminal().print(mutants_table(results))
        if not results or any(not result.proof for result in results):
            raise typer.Exit(1)
        return
    rows, findings = audit_release(opened, loaded, note)
    if as_json:
        typer.echo(json_text({"rows": rows, "findings": [asdict(finding) for finding in findings]}))
    else:
        for finding in findings[:_LISTED_FINDINGS]:
            typer.echo(visible(f"{finding.what}: {finding.detail}", 2_000))
        typer.echo(f"{rows} rows audited, {len(findings)} findings")
    if findings or not rows:
        raise typer.Exit(1)


def freeze(release: ReleaseArgument, releases: ReleasesOption = RELEASES_HERE) -> None:
    """Freeze a built release: keep its manifest, recipe and plan digests in version control, never to be edited.

    The release is compared with the newest frozen version, and only the version bump that the difference asks for is
    accepted: MAJOR if an existing row changed, MINOR if rows were added, PATCH if the rows stayed and other bytes
    changed.
    """
    from carrara.release.freeze import freeze as freeze_release

    typer.echo(freeze_release(release, releases, lambda text: typer.echo(text, err=True)))
