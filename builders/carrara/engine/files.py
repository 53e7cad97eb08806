"""Files that are there whole or not at all: to a temporary name, synced, renamed; the folder is synced too.

One process owns a folder: a lock that the system lets go of when the process ends, however it ends.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from carrara.errors import CarraraError


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


@contextmanager
def owned(folder: Path, work: str) -> Iterator[None]:
    """Hold the lock of a folder; CarraraError where another process does its `work` ("build") there."""
    with (folder / ".lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CarraraError(
                f"another {work} owns {folder}", "wait for it, stop it, or give another --out"
            ) from error
        yield
