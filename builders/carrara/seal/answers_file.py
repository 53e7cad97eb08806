"""The answers of a sealed release as JSON Lines files: one line for each row, in order, with the row's salt.

`seal` writes them with access for their owner only; `reveal` reads them as hostile input: line by line, bounded and
checked.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from pydantic import ValidationError

from carrara.errors import ReleaseError
from carrara.release.reader import parsed_json
from carrara.release.schema import MAX_ROWS, Closed, Name, Sha256, Version, refusal, shown
from carrara.release.store import Place
from carrara.row import ArrowRow, canonical_json
from carrara.seal.scheme import WITHHELD, Salts, Withheld, is_told, withheld

REVEAL: Final = "reveal.json"
FOLDER: Final = "answers"
# A row of 16M tokens may have a million evidence spans.
MAX_LINE: Final = 64 * 1024 * 1024
_HEX: Final = re.compile(r"[0-9a-f]{64}")
_SMALL: Final = 4_096
_BLOCK: Final = 1 << 20
_HINT: Final = "Expected what carrara seal wrote: copy the folder of answers again."


class Secrets(Closed):
    """`reveal.json` in the folder of answers: the sealed release that they belong to, and the key of all its salts."""

    scheme: Literal["carrara-seal/1"]
    name: Name
    version: Version
    key: Sha256

    @property
    def salts(self) -> Salts:
        """All salts of the release."""
        return Salts(bytes.fromhex(self.key))


def read_secrets(place: Place) -> Secrets:
    """Read `reveal.json`. Raises ReleaseError where it is missing or of another form."""
    with place.open(REVEAL) as stream:
        table = parsed_json(stream.read(_SMALL), REVEAL)
    try:
        return Secrets.model_validate(table)
    except ValidationError as error:
        raise ReleaseError(f"{REVEAL}: {refusal(error, 'the file')}", _HINT) from error


@dataclass(frozen=True, slots=True)
class Line:
    """The line of one row: its salt, and its withheld columns in `told`, with checked types."""

    number: int
    id: str
    salt: str
    told: Withheld


def answers_path(config: str) -> str:
    """The path of a config's answers in the folder of answers."""
    return f"{FOLDER}/{config}.jsonl"


def line_of(row: ArrowRow, salt: str) -> bytes:
    """The line of a row, as bytes. Raises ReleaseError on a row that could not be read back."""
    columns = withheld(row)
    raw = f"{canonical_json({'id': row['id'], 'salt': salt, **columns})}\n".encode()
    if not is_told(columns) or len(raw) > MAX_LINE:
        raise ReleaseError(f"{row['id']} holds columns that no task makes", "Build the release again.")
    return raw


def lines(place: Place, config: str) -> Iterator[Line]:
    """The lines of a config's answers. Raises ReleaseError on the first line of a wrong form."""
    path = answers_path(config)
    with place.open(path) as stream:
        number = 0
        while raw := stream.readline(MAX_LINE + 1):
            number += 1
            where = f"{path}, line {number}"
            if not raw.endswith(b"\n") or number > MAX_ROWS:
                raise ReleaseError(f"{where}: expected a whole line of at most {MAX_LINE} bytes", _HINT)
            yield _line(parsed_json(raw, where), number, where)


def _line(value: Any, number: int, where: str) -> Line:
    if not isinstance(value, dict) or set(value) != {"id", "salt", *WITHHELD}:
        raise ReleaseError(f"{where}: got {shown(value)}, expected id, salt, {', '.join(WITHHELD)}", _HINT)
    row_id, salt = value["id"], value["salt"]
    if not isinstance(row_id, str) or not isinstance(salt, str) or not _HEX.fullmatch(salt):
        raise ReleaseError(f"{where}: id {shown(row_id)}, salt {shown(salt)}, expected a row's id and 64 digits", _HINT)
    columns: object = {name: value[name] for name in WITHHELD}
    if not is_told(columns):
        raise ReleaseError(f"{where}: row {shown(row_id)} has columns of a wrong type, expected those of a row", _HINT)
    return Line(number, row_id, salt, columns)


@contextmanager
def private_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that only its owner can read; synced on closing."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def copy_private(source: BinaryIO, path: Path) -> None:
    """Copy into a file that only its owner can read; in blocks."""
    with private_file(path) as file:
        while block := source.read(_BLOCK):
            file.write(block)
