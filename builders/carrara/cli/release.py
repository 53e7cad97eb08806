"""`carrara croissant`: read a release through its croissant.json, with the library that others read it with.

`carrara diff`: what changed between two versions of a release, or what a release and its twin have in common.

`carrara page`: one HTML file to read a release by.

`carrara verify`: check a copy of a release, in a folder or at the Hub, against its manifest.
"""

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from carrara.cli.options import PLACE_HELP, JsonOption, PlaceArgument, ReleaseArgument, SourcesOption, WorkersOption
from carrara.errors import CarraraError, ProofError, ReleaseError
from carrara.release.hub_store import Remote, place
from carrara.release.store import Place
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.release.reader import Release


def croissant(
    release: ReleaseArgument,
    as_json: JsonOption = False,
) -> None:
    """Validate a release's croissant.json with mlcroissant and read the first record of every record set.

    The release is verified first (level files), so that nothing but its own files is read. Warnings tell what a
    publication or NeurIPS asks for and nobody has given: a [publication] in the recipe, sections of the card.
    """

    from carrara.text.display import visible

    report = examine(release)
    if as_json:
        typer.echo(json_text(report))
    else:
        for kind in ("errors", "warnings"):
            for message in report[kind]:
                typer.echo(f"{kind.removesuffix('s')}: {visible(message, 1_000)}")
        typer.echo(f"{report['record_sets']} record sets, the first record of {report['read']} read")
    if report["errors"]:
        raise ProofError(
            f"croissant.json does not read as it should ({len(report['errors'])} errors)",
            "compare with the release it was built from: carrara verify DIR",
        )


def examine(folder: Path) -> dict[str, Any]:
    """What mlcroissant says of a release: errors, warnings, how many record sets it has and how many could be read.

    Raises ReleaseError where there is nothing to examine, or where the release does not verify.
    """
    from carrara.croissant.responsible_ai import ASKED
    from carrara.release.croissant_check import fetches
    from carrara.release.reader import open_release, parsed_json
    from carrara.release.schema import CROISSANT
    from carrara.release.verify import verify

    opened = open_release(folder)
    if CROISSANT not in opened.files:
        raise ReleaseError(f"{opened.name}@{opened.version} has no {CROISSANT}", "Releases before 0.2 have none.")
    verified = verify(folder, "files")
    if not verified.is_good:
        listed = "; ".join(problem.message for problem in verified.problems[:3])
        raise ProofError(f"{folder} does not verify: {listed}", "carrara verify tells more")
    described = parsed_json(opened.small_file(CROISSANT), CROISSANT)
    if fetches(described):
        raise ReleaseError(f"{CROISSANT} names a context that is not in it", "It was not written by carrara build.")
    asked = [f"NeurIPS asks for {name}: write that section of the card" for name in ASKED if name not in described]
    library = _library()
    try:
        dataset = library.Dataset(folder / CROISSANT)
    except library.ValidationError as error:
        return {"errors": [str(error)], "warnings": asked, "record_sets": 0, "read": 0}
    issues = dataset.metadata.ctx.issues
    errors = sorted(map(str, issues.errors))
    names = [record_set.uuid for record_set in dataset.metadata.record_sets]
    read = 0
    for name in names:
        try:
            read += next(iter(dataset.records(name)), None) is not None
        # The library wraps whatever goes wrong in errors of its own and of what it is made of.
        except Exception as error:
            errors.append(f"{name}: {error}: {error.__cause__ or ''}".rstrip(": "))
    warnings = sorted(map(str, issues.warnings)) + asked
    return {"errors": errors, "warnings": warnings, "record_sets": len(names), "read": read}


def _library() -> Any:
    try:
        import mlcroissant
    except ImportError as error:
        raise CarraraError(
            f"croissant.json is read with mlcroissant, which is not here ({error.name})",
            "pip install 'carrara[croissant]'",
        ) from error
    return mlcroissant


_EXAMPLES = 3


def diff(
    old: Annotated[Place, typer.Argument(parser=place, help=PLACE_HELP)],
    new: Annotated[Place, typer.Argument(parser=place, help="Another: a later version, or a twin.")],
    as_json: JsonOption = False,
) -> None:
    """Say what changed between two releases and which version bump that asks for.

    Of twins (one recipe, two streams) say what they share, which should be nothing, and how alike they are: p of a
    test for lengths, depths, complexities and kinds of question. Exit 1 where twins share a text or differ in kind.
    """
    from carrara.release.reader import open_release
    from carrara.release.twin import are_twins

    before, after = open_release(old), open_release(new)
    if are_twins(before, after):
        _twins(before, after, as_json)
    else:
        _versions(before, after, as_json)


def _versions(before: "Release", after: "Release", as_json: bool) -> None:
    from carrara.release.manifest import difference
    from carrara.release.reader import digest_lines

    lines = [{name: list(digest_lines(one, name)) for name in one.configs} for one in (before, after)]
    found = difference(before.content, lines[0], after.content, lines[1])
    if as_json:
        _print_json({"bump": found.bump, "configs": {name: asdict(one) for name, one in found.configs.items()}})
        return
    for name, one in found.configs.items():
        counts = {"added": one.added, "removed": one.removed, "changed": one.changed}
        text = ", ".join(f"{len(ids)} {what} ({ids[0]}, …)" for what, ids in counts.items() if ids)
        typer.echo(f"{name}: {text}{', order changed' if one.reordered else ''}")
    typer.echo(f"bump: {found.bump}")


def _twins(before: "Release", after: "Release", as_json: bool) -> None:
    from carrara.release.sealed import refuse_sealed
    from carrara.release.twin import compare

    for one in (before, after):
        refuse_sealed(one.content, "compared with a twin")
    reports = {}
    for name, report in compare(before, after):
        reports[name] = report
        if as_json:
            continue
        read = ", ".join(f"{len(report.shared[kind])} of {count} {kind}" for kind, count in report.compared.items())
        tests = ", ".join(f"{key} {p:.3f}" for key, p in report.p.items())
        typer.echo(f"{name}: {'good' if report.is_good else 'NOT GOOD'}; shared: {read or 'nothing read'}; p: {tests}")
        for kind, texts in report.shared.items():
            for text in texts[:_EXAMPLES]:
                typer.echo(f"    {kind}: {json_text(text, None)}")
    if as_json:
        _print_json({"twins": True, "configs": {name: asdict(one) for name, one in reports.items()}})
    if bad := [name for name, report in reports.items() if not report.is_good]:
        raise ProofError(
            f"{len(bad)} of {len(reports)} configs share texts or differ in kind: {', '.join(bad[:5])}",
            "read the lines of these configs above",
        )
    if not as_json:
        shared = sum(len(texts) for report in reports.values() for texts in report.shared.values())
        typer.echo(f"twins: {len(reports)} configs, {shared} texts shared, distributions alike")


def _print_json(value: object) -> None:
    typer.echo(json_text(value))


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
    from carrara.engine.files import write_bytes
    from carrara.page.page import file_name, outside
    from carrara.page.page import page as page_of
    from carrara.release.reader import open_release
    from carrara.text.display import size

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
    from carrara.build.remake import remaker
    from carrara.cli.progress import Progress
    from carrara.cli.tables import terminal, verify_table
    from carrara.release.reader import open_release
    from carrara.release.verify import verify as verify_release
    from carrara.release.verify import verify_row
    from carrara.text.display import size

    again = remaker(release, sources, workers, Progress)
    if row is not None:
        report = verify_row(release, row, again)
    else:
        opened = open_release(release)
        rows = sum(facts.rows for facts in opened.configs.values()) if level != "files" else 0
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
