"""The build's record of a finished data file: one sidecar per file, with a record of every row.

The manifest and the audit of the release are made from sidecars, so that no row is read again. A killed build resumes
from them. Sidecars are not released. A folder that holds a part of a build says of which, by what that is made from.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict

from carrara.engine.files import file_sha256, write_bytes
from carrara.release.schema import Number
from carrara.row import ArrowRow, canonical_json, row_digest
from carrara.task import Slot

_PART = "part.json"
# What a record and its row both say; a row's digest is compared when the release is whole.
_COLUMNS = ("id", "item", "tokens", "max_output_tokens", "complexity", "group")


class _Record(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class StrategyScores(_Record):
    """The scores of a cheap strategy on one row: the mean of its outcomes, and their histogram of 20 bins."""

    mean: Number
    histogram: tuple[int, ...]


class RowProbes(_Record):
    """The probes of one item, by strategy."""

    view: str
    complexity: int
    scores: dict[str, StrategyScores]


class RowRecord(_Record):
    """One row: digests of plan, row, prompt and answers instead of texts, and the numbers that the manifest sums up.

    `paper` holds the scores of wrong answers by published scorer. Only an item's first row has `paper` and `probes`.
    """

    id: str
    item: str
    plan: str
    digest: str
    prompt: str
    answers: str
    tokens: int
    max_output_tokens: int
    length: int
    complexity: int
    group: str
    depths: tuple[float, ...]
    choices: int
    gold_choice: int
    paper: dict[str, dict[str, Number]] = {}
    probes: RowProbes | None = None
    notes: dict[str, int] = {}


def row_record(
    row: ArrowRow,
    slot: Slot,
    plan: str = "",
    paper: dict[str, dict[str, float]] | None = None,
    probes: RowProbes | None = None,
    notes: dict[str, int] | None = None,
) -> RowRecord:
    """The record of a row in its slot."""
    return RowRecord(
        id=row["id"],
        item=row["item"],
        plan=plan,
        digest=row_digest(row),
        prompt=hashlib.sha256(row["prompt"].encode()).hexdigest(),
        answers=hashlib.sha256(canonical_json(list(row["answers"])).encode()).hexdigest(),
        tokens=row["tokens"],
        max_output_tokens=row["max_output_tokens"],
        length=slot.length,
        complexity=row["complexity"],
        group=row["group"],
        depths=tuple(row["depths"]),
        choices=len(row["choices"]),
        gold_choice=gold_choice(row["choices"], row["answers"][0]) if row["answers"] else -1,
        paper=paper or {},
        probes=probes,
        notes=notes or {},
    )


def gold_choice(choices: Sequence[str], answer: str) -> int:
    """The index of the option that is gold, given by its text or its letter; -1 where no option is."""
    if answer in choices:
        return choices.index(answer)
    number = ord(answer) - ord("A") if len(answer) == 1 else -1
    return number if 0 <= number < len(choices) else -1


class Sidecar(_Record):
    """One data file: the key of its build, its path in the release, its sha256 and size, and its rows in order."""

    key: str
    file: str
    sha256: str
    bytes: int
    rows: tuple[RowRecord, ...]

    @property
    def length(self) -> int:
        """The tokens of all rows, prompt and answer."""
        return sum(row.length for row in self.rows)


class BuildIdentity(_Record):
    """What decides the bytes of a build: its card and recipe, its code, and the fingerprints of all that it reads."""

    card: str
    recipe: str
    code: str
    libraries: dict[str, str]
    tokenizer: str
    sources: dict[str, str]
    runs: dict[str, str]

    @property
    def key(self) -> str:
        """One word for all of it."""
        return hashlib.sha256(canonical_json(self.model_dump()).encode()).hexdigest()

    def differs(self, other: "BuildIdentity") -> list[str]:
        """By name, what is another thing there."""
        theirs = other.model_dump()
        return [name for name, value in self.model_dump().items() if value != theirs[name]]


class BuildPart(_Record):
    """A folder that holds share `number` of `of` of a build's data files, and their sidecars."""

    identity: BuildIdentity
    number: int
    of: int


def write_part(folder: Path, part: BuildPart) -> None:
    """Mark a folder as that of a part."""
    write_bytes(folder / _PART, f"{part.model_dump_json()}\n".encode())


def read_part(folder: Path) -> BuildPart | None:
    """The mark of a part's folder; None where there is none that can be read."""
    try:
        return BuildPart.model_validate_json((folder / _PART).read_bytes())
    except (OSError, ValueError):
        return None


def write_sidecar(work: Path, config: str, number: int, sidecar: Sidecar) -> None:
    """Write the sidecar of a config's file `number`, whole or not at all."""
    write_bytes(_path(work, config, number), f"{sidecar.model_dump_json()}\n".encode())


def kept_sidecar(work: Path, config: str, number: int, key: str) -> Sidecar | None:
    """The sidecar of a file that an earlier run finished; None if the file is not whole, the key is another, or the
    sidecar says something else of a row than the file's columns.
    """
    try:
        sidecar = Sidecar.model_validate_json(_path(work, config, number).read_bytes())
        file = work / "release" / sidecar.file
        is_whole = file.stat().st_size == sidecar.bytes and file_sha256(file) == sidecar.sha256
        if sidecar.key != key or not is_whole:
            return None
        columns = pq.read_table(file, columns=list(_COLUMNS)).to_pydict()
    except (OSError, ValueError):
        return None
    return sidecar if all(columns[name] == [getattr(row, name) for row in sidecar.rows] for name in _COLUMNS) else None


def _path(work: Path, config: str, number: int) -> Path:
    return work / "sidecars" / config / f"{number:05d}.json"
