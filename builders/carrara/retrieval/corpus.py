"""A corpus: the passages of a source by number, written to the cache once and read through a memory map.

The order is the source's own. `digest` names the content (ids, titles, texts in order) whatever file holds it: indexes
and runs are keyed by it.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from carrara.engine.files import cache_folder
from carrara.errors import SourceError
from carrara.tables import Passage

# Bytes of titles and texts below which a corpus is kept compressed (read in 0.04 s, not through the map), and its index
# and its table of answers are made when they are needed (1 s each) and not kept.
SMALL: Final = 1 << 24
_ROWS: Final = 4_096
_SCHEMA: Final = pa.schema([("id", pa.string()), ("title", pa.string()), ("text", pa.string())])


class PassageCorpus:
    """Passages 0 .. size - 1 of one file."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        # Held open: the arrays read from the map.
        self._map = pa.memory_map(str(path))
        self._table = pa.ipc.open_file(self._map).read_all()
        self._columns = [self._table.column(name) for name in ("id", "title", "text")]
        self.digest = self._table.schema.metadata[b"digest"].decode()

    @property
    def size(self) -> int:
        """The number of passages."""
        return int(self._table.num_rows)

    def passage(self, number: int) -> Passage:
        """Passage `number`."""
        id_, title, text = (column[number].as_py() for column in self._columns)
        return Passage(id_, title, text)

    def take(self, numbers: Sequence[int]) -> list[Passage]:
        """The passages of those numbers, in their order."""
        table = self._table.take(pa.array(numbers, pa.int64()))
        return list(map(Passage, *(table.column(name).to_pylist() for name in ("id", "title", "text"))))

    def passages(self, start: int = 0, stop: int | None = None) -> Iterator[Passage]:
        """Passages start .. stop - 1, in order."""
        table = self._table.slice(start, (self.size if stop is None else stop) - start)
        for batch in table.to_batches(max_chunksize=_ROWS):
            yield from map(Passage, *(column.to_pylist() for column in batch.columns))

    def texts(self, start: int = 0, stop: int | None = None) -> list[str]:
        """Return passages start .. stop - 1 as retrievers read them: the title, a newline, the text."""
        return [f"{passage.title}\n{passage.text}" for passage in self.passages(start, stop)]

    @property
    def is_small(self) -> bool:
        """Whether what is made of this corpus is not worth keeping."""
        return int(self.sizes.sum()) < SMALL

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The bytes of every passage, title and text: shape (size,)."""
        lengths = [pc.binary_length(column).to_numpy() for column in self._columns[1:]]
        sizes: NDArray[np.int64] = (lengths[0] + lengths[1]).astype(np.int64)
        return sizes

    def number(self, id: str) -> int | None:
        """Return the number of the passage with this id, or None."""
        return self._numbers.get(id)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {id_: number for number, id_ in enumerate(self._columns[0].to_pylist())}


def open_corpus(name: str, key: str, passages: Callable[[], Iterable[Passage]]) -> PassageCorpus:
    """Open the corpus with this key from the cache, or write it there from `passages`.

    `key` identifies what the passages follow from (the fingerprint of a source, or of the world and its stream). Raises
    SourceError for a corpus without passages, and if two passages have the same id.
    """
    path = cache_folder() / "corpora" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.arrow"
    if not path.is_file():
        _write(name, path, passages())
    return PassageCorpus(name, path)


def corpus_digest(passages: Iterable[Passage]) -> str:
    """The sha256 over the passages in order, each a line of JSON [id, title, text]."""
    digest = hashlib.sha256()
    for passage in passages:
        digest.update(_line(passage))
    return digest.hexdigest()


def _line(passage: Passage) -> bytes:
    return json.dumps([passage.id, passage.title, passage.text], ensure_ascii=False).encode() + b"\n"


def _write(name: str, path: Path, passages: Iterable[Passage]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    held: set[str] = set()
    digest = hashlib.sha256()
    batches = []
    rest = iter(passages)
    while rows := list(islice(rest, _ROWS)):
        for passage in rows:
            if passage.id in held:
                raise SourceError(f"corpus {name!r}: two passages have the id {passage.id!r}", "give each its own id")
            held.add(passage.id)
            digest.update(_line(passage))
        columns = [[getattr(passage, name) for passage in rows] for name in _SCHEMA.names]
        batches.append(pa.record_batch(columns, schema=_SCHEMA))
    if not held:
        raise SourceError(f"corpus {name!r} holds no passages", "check that the source is a corpus")
    schema = _SCHEMA.with_metadata({b"digest": digest.hexdigest().encode()})
    small = sum(batch.nbytes for batch in batches) < SMALL
    options = pa.ipc.IpcWriteOptions(compression="zstd" if small else None)
    # Two processes may write it at once: each its own file, the same bytes.
    handle, torn = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=".tmp", dir=path.parent)
    with os.fdopen(handle, "wb") as file, pa.ipc.new_file(file, schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))
    Path(torn).replace(path)
