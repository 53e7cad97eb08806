"""Rows to Parquet: the only room that writes it. Files are the unit of commit: a file, then its sidecar, both synced.

Must not change: schema and its empty metadata, column order, row-group rule, compression and level. Memory is bounded
by one row group: one row where rows exceed 1 MiB, else at most 1,000 rows or 16 MiB.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from carrara.errors import CarraraError
from carrara.row import SCHEMA, Row

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


def _groups(rows: Iterable[Row]) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
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


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a small JSON file (a sidecar): to a temporary name, synced, renamed."""
    write_bytes(path, (json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n").encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Write a small file so that it is there whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        commit(temporary, path)
    except OSError as error:
        raise CarraraError(f"cannot write {path.name}: {error.strerror or error}", "free some space") from error
    finally:
        temporary.unlink(missing_ok=True)


def commit(temporary: Path, path: Path) -> None:
    """Sync a finished file and give it its name; the folder is synced too, so that the name survives a crash."""
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_sha256(path: Path) -> str:
    """The sha256 of a file's bytes, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
