"""What a build knows of a finished data file beside its bytes: one sidecar a file, with a record of every row.

The manifest and the audit of the whole are made from sidecars, so that no row is read again. A killed build goes on
from those that stand. Nothing of a sidecar is released.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from carrara.engine.files import file_sha256, write_bytes
from carrara.release.schema import Number


class _Record(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class StrategyScores(_Record):
    """What a cheap strategy scores on one row: the mean of its outcomes, and how many fall into each of 20 bins."""

    mean: Number
    histogram: tuple[int, ...]


class RowProbes(_Record):
    """The probes of one item, by strategy."""

    view: str
    complexity: int
    scores: dict[str, StrategyScores]


class RowRecord(_Record):
    """One row: digests of plan, row, prompt and answers in place of the texts, and what the manifest sums up.

    `paper`: the scores of wrong answers by published scorer; it and `probes` only of an item's first row.
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


class Sidecar(_Record):
    """One data file: the key of its build, its path in the release, its sha256 and size, and its rows in order."""

    key: str
    file: str
    sha256: str
    bytes: int
    rows: tuple[RowRecord, ...]

    @property
    def tokens(self) -> int:
        """The tokens of all prompts."""
        return sum(row.tokens for row in self.rows)


def write_sidecar(work: Path, config: str, number: int, sidecar: Sidecar) -> None:
    """Write the sidecar of a config's file `number`, whole or not at all."""
    write_bytes(_path(work, config, number), f"{sidecar.model_dump_json()}\n".encode())


def kept_sidecar(work: Path, config: str, number: int, key: str) -> Sidecar | None:
    """The sidecar of a file that an earlier run finished, if the file is whole and of the same key."""
    try:
        sidecar = Sidecar.model_validate_json(_path(work, config, number).read_bytes())
        file = work / "release" / sidecar.file
        is_whole = file.stat().st_size == sidecar.bytes and file_sha256(file) == sidecar.sha256
    except (OSError, ValueError):
        return None
    return sidecar if sidecar.key == key and is_whole else None


def _path(work: Path, config: str, number: int) -> Path:
    return work / "sidecars" / config / f"{number:05d}.json"
