"""Reads a release through its croissant.json, with the library (mlcroissant) that others read it with."""

from pathlib import Path
from typing import TypedDict

from carrara.croissant.responsible_ai import ASKED
from carrara.errors import ProofError, ReleaseError, library
from carrara.release.reader import open_release, parsed_json
from carrara.release.schema import CROISSANT
from carrara.release.verify import fetches, verify


class Examination(TypedDict):
    """What mlcroissant says of a release, and how many record sets there are and could be read."""

    errors: list[str]
    warnings: list[str]
    record_sets: int
    read: int


def examine(folder: Path) -> Examination:
    """Validate croissant.json and read the first record of every record set.

    Raises ReleaseError for a release without croissant.json or with one that would fetch something, ProofError for a
    release that does not verify, MissingLibraryError without mlcroissant.
    """
    opened = open_release(folder)
    if CROISSANT not in opened.files:
        raise ReleaseError(f"{opened.name}@{opened.version} has no {CROISSANT}", "releases before 0.2 have none")
    verified = verify(folder, "files")
    if not verified.is_good:
        listed = "; ".join(problem.message for problem in verified.problems[:3])
        raise ProofError(f"{folder} does not verify: {listed}", "see all problems with carrara verify")
    described = parsed_json(opened.small_file(CROISSANT), CROISSANT)
    if fetches(described):
        raise ReleaseError(
            f"{CROISSANT} refers to a context elsewhere, expected all of it inside",
            "build the release again: carrara build writes it so",
        )
    expected = [f"NeurIPS asks for {name}: write that section of the card" for name in ASKED if name not in described]
    mlcroissant = library("mlcroissant", "croissant")
    try:
        dataset = mlcroissant.Dataset(folder / CROISSANT)
    except mlcroissant.ValidationError as error:
        return {"errors": [str(error)], "warnings": expected, "record_sets": 0, "read": 0}
    issues = dataset.metadata.ctx.issues
    errors = sorted(map(str, issues.errors))
    names = [record_set.uuid for record_set in dataset.metadata.record_sets]
    read = 0
    for name in names:
        try:
            read += next(iter(dataset.records(name)), None) is not None
        # The library raises errors of its own and of pandas, fsspec and others.
        except Exception as error:
            errors.append(f"{name}: {error}: {error.__cause__ or ''}".rstrip(": "))
    warnings = sorted(map(str, issues.warnings)) + expected
    return {"errors": errors, "warnings": warnings, "record_sets": len(names), "read": read}
