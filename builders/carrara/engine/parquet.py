"""Rows to Parquet: the only room that writes it. Files are the unit of commit: a file, then its sidecar, both synced.

Must not change: schema and its empty metadata, column order, row-group rule, compression and level. Memory is bounded
by one row group: one row where rows exceed 1 MiB, else at most 1,000 rows or 16 MiB.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from carrara.engine.files import commit, file_sha256
from carrara.errors import CarraraError
from carrara.row import SCHEMA, ArrowRow, Row

_LONG_ROW = 1 << 20
_GROUP_BYTES = 16 << 20
_GROUP_ROWS = 1_000
_LEVEL = 3


class FileFacts(NamedTuple):
    """What was written: sha256 in hexadecimal and size."""

    sha256: str
    bytes: int


def write_rows(path: Path, rows: Iterable[Row]) -> FileFacts:
    """Write rows as one Parquet file: to a temporary name, synced, renamed. Raises CarraraError on a full disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = pq.ParquetWriter(
            temporary,
            SCHEMA,
            compression="zstd",
            compression_level=_LEVEL,
            use_dictionary=False,
            write_statistics=["id"],
            write_page_index=True,
        )
        try:
            for group in _groups(rows):
                writer.write_batch(pa.RecordBatch.from_pylist(group, schema=SCHEMA), row_group_size=len(group))
        finally:
            writer.close()
        facts = FileFacts(file_sha256(temporary), temporary.stat().st_size)
        commit(temporary, path)
        return facts
    except OSError as error:
        raise CarraraError(
            f"cannot write {path.name}: {error.strerror or error}",
            "free some space and build again: finished files are kept and not made again",
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_small(path: Path, table: pa.Table) -> FileFacts:
    """Write a small table (a frozen run) as one Parquet file, whole or not at all; its schema carries no metadata."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        plain = table.replace_schema_metadata(None)
        pq.write_table(plain, temporary, compression="zstd", compression_level=_LEVEL, write_page_index=True)
        facts = FileFacts(file_sha256(temporary), temporary.stat().st_size)
        commit(temporary, path)
        return facts
    except OSError as error:
        raise CarraraError(f"cannot write {path.name}: {error.strerror or error}", "free some space") from error
    finally:
        temporary.unlink(missing_ok=True)


def _groups(rows: Iterable[Row]) -> Iterator[list[ArrowRow]]:
    group: list[ArrowRow] = []
    size = 0
    for row in rows:
        length = len(row.prompt.encode()) + sum(len(answer) for answer in row.answers)
        if group and (length > _LONG_ROW or size + length > _GROUP_BYTES or len(group) == _GROUP_ROWS):
            yield group
            group, size = [], 0
        group.append(row.to_arrow())
        size += length
        if length > _LONG_ROW:
            yield group
            group, size = [], 0
    if group:
        yield group
