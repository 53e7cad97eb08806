"""`carrara croissant`: read a release through its croissant.json, with the library that others read it with."""

from pathlib import Path
from typing import Any

import typer

from carrara.command_options import JsonOption, ReleaseArgument
from carrara.errors import CarraraError, ProofError, ReleaseError
from carrara.json_text import json_text


def croissant(
    release: ReleaseArgument,
    as_json: JsonOption = False,
) -> None:
    """Validate a release's croissant.json with mlcroissant and read the first record of every record set.

    The release is verified first (level files), so that nothing but its own files is read. Warnings tell what a
    publication or NeurIPS asks for and nobody has given: a [publication] in the recipe, sections of the card.
    """

    from carrara.console import visible

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
    from carrara.croissant_check import fetches
    from carrara.croissant_rai import ASKED
    from carrara.croissant_terms import CROISSANT
    from carrara.read import open_release, parsed_json
    from carrara.verify import verify

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
