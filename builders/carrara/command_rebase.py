"""`carrara score --rebase`: what old scores, or the responses that they are of, say of a new version of the release."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carrara.errors import CarraraError

if TYPE_CHECKING:
    from carrara.place import Place
    from carrara.read import Release
    from carrara.rebase import Before
    from carrara.scoring.judge_verdicts import Verdicts

_FIRST_LINE = 64 << 20


def rebase(
    old_place: "Place",
    given: Path,
    wanted: str,
    configs: list[str] | None,
    model: str,
    metric: str | None,
    verdicts: "Verdicts | None",
) -> dict[str, Any]:
    """The rebase of a result file, or of responses, as JSON-able data. Raises CarraraError."""
    from carrara.read import open_release
    from carrara.rebase import check_versions
    from carrara.rebase import rebase as rebase_scores
    from carrara.row_metrics import check_metrics
    from carrara.sealed import refuse_sealed

    old, new = open_release(old_place), open_release(_new(old_place, wanted))
    # Before anything is scored.
    check_versions(old, new)
    for one in (old, new):
        refuse_sealed(one.content, "rebased")
        check_metrics(one, [name for name in configs or one.configs if name in one.configs])
    if holds_responses(given):
        before = _of_responses(old, given, configs, model, metric, verdicts)
    elif metric is not None or verdicts is not None:
        raise CarraraError(
            f"got {given.name}, whose rows are scored already, with --metric or --verdicts",
            "expected the responses themselves",
        )
    else:
        before = _of_result(old, given)
    return rebase_scores(old, new, before, configs).to_json()


def _new(old: "Place", wanted: str) -> "Place":
    """Where the new version lies: an address, a folder, or a version beside the old one."""
    from carrara.hub import SCHEME, Remote, place
    from carrara.place import Folder
    from carrara.rebase import beside

    if wanted.startswith(SCHEME):
        return place(wanted)
    if isinstance(old, Folder):
        return Folder(beside(old.path, wanted))
    folder = Folder(Path(wanted))
    if isinstance(old, Remote) and not folder.path.exists():
        return Remote(f"{SCHEME}{old.repository}@{wanted.removeprefix('v')}")
    return folder


def holds_responses(path: Path) -> bool:
    """Whether a file is one of responses and not a result: its first line is a whole table with `id`."""
    if not path.is_file():
        # A pipe could be read only once, and what is missing is told of by the system.
        with path.open("rb"):
            raise CarraraError(f"{path} is no regular file, expected one with --rebase", "save it to a file first")
    if path.suffix in {".gz", ".parquet"}:
        return True
    with path.open("rb") as stream:
        line = stream.readline(_FIRST_LINE)
        while line.isspace():
            line = stream.readline(_FIRST_LINE)
    try:
        table = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return isinstance(table, dict) and "id" in table


def _of_responses(
    old: "Release",
    path: Path,
    configs: list[str] | None,
    model: str,
    metric: str | None,
    verdicts: "Verdicts | None",
) -> "Before":
    from carrara.rebase import scored_before
    from carrara.scoring.responses import ResponsesError, read_responses

    try:
        texts = read_responses(path).texts
    except ResponsesError as error:
        raise CarraraError(str(error), "mend the file: nothing was scored") from error
    return scored_before(old, texts, configs, model=model, metric=metric, verdicts=verdicts)


def _of_result(old: "Release", path: Path) -> "Before":
    from carrara.rebase import Before
    from carrara.scoring.result import ResultError, read_result

    try:
        result = read_result(path)
    except ResultError as error:
        told = "or give the responses: JSON lines with id and response"
        raise CarraraError(str(error), told) from error
    for what, got, expected in (
        ("release", result.release, f"{old.name}@{old.version}"),
        ("stream", result.stream, old.content["stream"]),
    ):
        if got != expected:
            raise CarraraError(
                f"{path.name}: got scores of the {what} {got!a}, expected {expected!a}",
                "give the release that was scored: carrara score OLD RESULT --rebase NEW",
            )
    return Before(result.model, {row.id: row for row in result.rows})
