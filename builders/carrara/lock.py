"""One process owns a folder: a lock that the system lets go of when the process ends, however it ends."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from carrara.errors import CarraraError


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
