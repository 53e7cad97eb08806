"""Frozen runs: the questions of a variant's items and the passages that a retriever ranked for each.

A run consists of two files: `<task>_<variant>.parquet` has one line for each ranked passage, with the reason why it
cannot be a negative ("" if it can), and `<task>_<variant>.json` has the questions, their gold, and the inputs of the
run. A release contains its runs, so that a rebuild needs neither encoder nor index. The files are untrusted.

Must not change: the columns, the order of the lines (item, rank), and the content of `digest`.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict

from carrara.engine.files import write_json
from carrara.engine.parquet import write_small
from carrara.errors import BudgetError, SourceError
from carrara.retrieval.corpus import PassageCorpus
from carrara.row import canonical_json
from carrara.tables import Passage, Question
from carrara.task import Query, Retrieval
from carrara.text.json import strict_json
from carrara.text.parquet import dictionaries, weight

# Why a ranked passage is no negative: it is the gold, holds an accepted answer, says nearly what the gold says.
REASONS: Final = ("", "gold", "answer", "duplicate")
SCHEMA: Final = pa.schema(
    [
        ("item", pa.int32()),
        ("question", pa.string()),
        ("rank", pa.int32()),
        ("passage", pa.string()),
        ("score", pa.float32()),
        ("reason", pa.string()),
    ]
)
_HINT: Final = "take the runs of the release as it was published, or leave --runs out: the run is then made anew"
_MAX_JSON: Final = 256 << 20
# A line takes a few bytes, for its texts repeat, and some 400 as Python values.
_FREE_BYTES: Final = 128 << 20
_PACKING: Final = 400
# Of an item: its rows at every placement and length are made one after another.
_KEPT: Final = 4


@dataclass(frozen=True, slots=True)
class RunRequest:
    """All that decides a run beside the code. `tokens` is the largest bucket, which decides the run's depth."""

    task: str
    variant: str
    source: str
    stream: str
    retrieval: Retrieval
    items: int
    tokens: int

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.task}_{self.variant}"

    def to_json(self) -> dict[str, Any]:
        """As the run's own file says it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Kept:
    """A question as the run's file holds it: its gold by id, the grades of judged passages by theirs."""

    question: Question
    gold: tuple[str, ...] = ()
    grades: Mapping[str, int] | None = None


class _RunPart(BaseModel):
    """A table of the run's file; what this version does not know is kept, for the digest is over it, too."""

    model_config = ConfigDict(frozen=True, extra="allow")


class SearchedCorpus(_RunPart):
    """The searched corpus; `passages` is their number."""

    name: str
    digest: str
    passages: int


class RetrieverUsed(_RunPart):
    """The retriever, and the fingerprint of what decides its ranking; an encoder's `index` and `search`, too."""

    name: str
    fingerprint: str = ""
    index: str = ""
    search: str = ""


class RunRecord(_RunPart):
    """The run's JSON: the request, the inputs, the questions, counts and the digest."""

    wanted: RunRequest
    corpus: SearchedCorpus
    retriever: RetrieverUsed
    candidates: int = 0
    dropped: dict[str, int] = {}
    removed: dict[str, int] = {}
    queries: list[Kept]
    demonstrations: list[Kept]
    digest: str = ""

    def to_json(self) -> dict[str, Any]:
        """As the file holds it: the keys that were given."""
        return self.model_dump(mode="json", exclude_unset=True)

    def content_digest(self, table: pa.Table) -> str:
        """The sha256 of the run's content with its ranked lines, whatever `digest` says."""
        content = self.model_dump(mode="json", exclude_unset=True, exclude={"digest"})
        digest = hashlib.sha256(canonical_json(content).encode())
        for line in _digest_lines(table):
            digest.update(line)
        return digest.hexdigest()

    def with_digest(self, table: pa.Table) -> "RunRecord":
        """The finished record of a run with these ranked lines."""
        return self.model_copy(update={"digest": self.content_digest(table)})


class FrozenRun:
    """A run over its corpus: what `Inputs.retrieved` gives."""

    def __init__(self, record: RunRecord, table: pa.Table, corpus: PassageCorpus) -> None:
        self.record = record
        self.table = table
        self.corpus = corpus
        self.queries = [self._query(kept) for kept in record.queries]
        self.demonstrations = [self._query(kept) for kept in record.demonstrations]
        items = table.column("item").to_numpy()
        self._first = [int(items.searchsorted(item)) for item in range(len(self.queries) + 1)]
        self._negatives = lru_cache(maxsize=_KEPT)(self._negatives_of)

    @property
    def digest(self) -> str:
        """The sha256 of the run's content, whatever file holds it."""
        return self.record.digest

    def ranked(self, item: int, count: int) -> Sequence[Passage]:
        """Return the best `count` negatives for an item's question. Raises BudgetError if the run has fewer."""
        negatives = self._negatives(item)
        if len(negatives) < count:
            raise BudgetError(
                f"the frozen run holds {len(negatives)} passages for item {item}; {count} are wanted",
                "search a larger corpus (of the world: more realms), or take a smaller bucket",
            )
        return negatives[:count]

    def rank(self, item: int, passage: str) -> int:
        """Return the rank of a passage, from 1; 0 if it is not in the run."""
        lines = self._lines(item)
        ids = lines.column("passage").to_pylist()
        return int(lines.column("rank")[ids.index(passage)].as_py()) if passage in ids else 0

    def _lines(self, item: int) -> pa.Table:
        return self.table.slice(self._first[item], self._first[item + 1] - self._first[item])

    def _negatives_of(self, item: int) -> list[Passage]:
        lines = self._lines(item)
        pairs = zip(lines.column("passage").to_pylist(), lines.column("reason").to_pylist(), strict=True)
        return self.corpus.take([self._number(passage) for passage, reason in pairs if reason == ""])

    def _number(self, passage: str) -> int:
        number = self.corpus.number(passage)
        if number is None:
            raise SourceError(f"the frozen run names passage {passage!r}, which is not in the corpus", _HINT)
        return number

    def _query(self, kept: Kept) -> Query:
        gold = self.corpus.take([self._number(passage) for passage in kept.gold])
        return Query(kept.question, tuple(gold), dict(kept.grades or {}))


def write_run(folder: Path, name: str, record: RunRecord, table: pa.Table) -> None:
    """Write a run's two files, the JSON last."""
    write_small(folder / f"{name}.parquet", table)
    write_json(folder / f"{name}.json", record.to_json())


def read_run(folder: Path, wanted: RunRequest, corpus: PassageCorpus) -> FrozenRun | None:
    """Read a run from a folder; None if it has no run of that name.

    Raises SourceError if the run belongs to another recipe or corpus, is incomplete, or does not match its digest.
    """
    path = folder / f"{wanted.name}.json"
    if not path.is_file():
        return None
    try:
        if path.stat().st_size > _MAX_JSON:
            raise SourceError(f"{path.name} has {path.stat().st_size} bytes, expected at most {_MAX_JSON}", _HINT)
        record = RunRecord.model_validate(strict_json(path.read_bytes()))
        table = _ranked(folder / f"{wanted.name}.parquet")
    except (OSError, ValueError, pa.ArrowException) as error:
        raise SourceError(f"the frozen run {wanted.name} cannot be read: {error!r}"[:500], _HINT) from error
    if record.wanted != wanted:
        got, expected = record.wanted.to_json(), wanted.to_json()
        differences = ", ".join(
            f"{key} {got[key]!r}, expected {value!r}" for key, value in expected.items() if got[key] != value
        )
        raise SourceError(f"the frozen run {wanted.name} belongs to another recipe: got {differences}"[:500], _HINT)
    if record.corpus.digest != corpus.digest:
        raise SourceError(
            f"the frozen run {wanted.name} was searched in corpus {record.corpus.digest}; this one is {corpus.digest}",
            _HINT,
        )
    if (digest := record.content_digest(table)) != record.digest:
        raise SourceError(f"the frozen run {wanted.name} has digest {digest}, its file says {record.digest}", _HINT)
    return FrozenRun(record, table, corpus)


def _ranked(path: Path) -> pa.Table:
    """The ranked lines of a run's file. Raises SourceError, ValueError, OSError or what Arrow does."""
    most = _FREE_BYTES + _PACKING * path.stat().st_size
    with pa.OSFile(str(path)) as source, pq.ParquetFile(source) as file:
        if file.schema_arrow.names != SCHEMA.names:
            raise SourceError(f"{path.name} has the columns {file.schema_arrow.names}", _HINT)
        texts = dictionaries(source.read_at, file.metadata, SCHEMA.names, _FREE_BYTES, most)
    table = pq.read_table(path, read_dictionary=texts)
    if sum(weight(chunk) for column in table.columns for chunk in column.chunks) > most:
        raise SourceError(f"{path.name}: got a file that unpacks to over {most:,} bytes, for its size too many", _HINT)
    return table.cast(SCHEMA).combine_chunks()


def _digest_lines(table: pa.Table) -> Iterator[bytes]:
    for batch in table.to_batches(max_chunksize=65_536):
        columns = [batch.column(name).to_pylist() for name in ("item", "rank", "passage", "reason")]
        # Scores tell how a rank came about; no row depends on them.
        yield "".join(f"{a}\t{b}\t{c}\t{d}\n" for a, b, c, d in zip(*columns, strict=True)).encode()
