"""`carrara diff`: what changed between two versions of a release, or what a release and its twin have in common."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from carrara.command_options import PLACE_HELP, JsonOption
from carrara.errors import ProofError
from carrara.hub import place
from carrara.json_text import json_text
from carrara.place import Place

if TYPE_CHECKING:
    from carrara.read import Release

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
    from carrara.read import open_release
    from carrara.twin import are_twins

    before, after = open_release(old), open_release(new)
    if are_twins(before, after):
        _twins(before, after, as_json)
    else:
        _versions(before, after, as_json)


def _versions(before: "Release", after: "Release", as_json: bool) -> None:
    from carrara.manifest import difference
    from carrara.read import digest_lines

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
    from carrara.sealed import refuse_sealed
    from carrara.twin import compare

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
