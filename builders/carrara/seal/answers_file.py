"""The answers of a sealed release as files: JSON lines, one a row in the order of the rows, with the row's salt.

Written by `seal`, for its owner alone to read; read by `reveal` as hostile input: a line at a time, bounded, its form
checked.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from carrara.errors import ReleaseError
from carrara.release.reader import parsed_json
from carrara.release.schema import MAX_ROWS, shown
from carrara.release.store import Place
from carrara.row import ArrowRow, canonical_json
from carrara.seal.scheme import WITHHELD, Withheld, is_told, withheld

FOLDER: Final = "answers"
# A row of 16M tokens may rest on a million spans.
MAX_LINE: Final = 64 * 1024 * 1024
_HEX: Final = re.compile(r"[0-9a-f]{64}")
_BLOCK: Final = 1 << 20
_HINT: Final = "Expected what carrara seal wrote: copy the folder of answers again."


@dataclass(frozen=True, slots=True)
class Line:
    """What is told of one row: its salt and the withheld columns, in a form that a row can have."""

    number: int
    id: str
    salt: str
    told: Withheld


def answers_path(config: str) -> str:
    """Where the answers of a config lie in the folder of answers."""
    return f"{FOLDER}/{config}.jsonl"


def line_of(row: ArrowRow, salt: str) -> bytes:
    """The line of a row. Raises ReleaseError on a row that could not be read back."""
    told = withheld(row)
    raw = f"{canonical_json({'id': row['id'], 'salt': salt, **told})}\n".encode()
    if not is_told(told) or len(raw) > MAX_LINE:
        raise ReleaseError(f"{row['id']} holds columns that no task makes", "Build the release again.")
    return raw


def lines(place: Place, config: str) -> Iterator[Line]:
    """The lines of a config. Raises ReleaseError on the first that is none, naming it."""
    path = answers_path(config)
    with place.open(path) as stream:
        number = 0
        while raw := stream.readline(MAX_LINE + 1):
            number += 1
            where = f"{path}, line {number}"
            if not raw.endswith(b"\n") or number > MAX_ROWS:
                raise ReleaseError(f"{where} is no whole line of at most {MAX_LINE} bytes", _HINT)
            yield _line(parsed_json(raw, where), number, where)


def _line(value: Any, number: int, where: str) -> Line:
    if not isinstance(value, dict) or set(value) != {"id", "salt", *WITHHELD}:
        raise ReleaseError(f"{where}: {shown(value)}, expected id, salt, {', '.join(WITHHELD)}", _HINT)
    row_id, salt = value["id"], value["salt"]
    if not isinstance(row_id, str) or not isinstance(salt, str) or not _HEX.fullmatch(salt):
        raise ReleaseError(f"{where}: id {shown(row_id)}, salt {shown(salt)}, expected a row's id and 64 digits", _HINT)
    told: object = {name: value[name] for name in WITHHELD}
    if not is_told(told):
        raise ReleaseError(f"{where}: row {shown(row_id)} has columns of another kind than a row's", _HINT)
    return Line(number, row_id, salt, told)


@contextmanager
def private_file(path: Path) -> Iterator[BinaryIO]:
    """A new file that its owner alone can read, synced when it is done."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def copy_private(source: BinaryIO, path: Path) -> None:
    """Copy a file so that its owner alone can read it; in blocks."""
    with private_file(path) as file:
        while block := source.read(_BLOCK):
            file.write(block)
