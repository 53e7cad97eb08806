"""Fingerprints of code and libraries: what decides bytes beside the recipe. A change of any of them ends a resume.

One process owns a folder: a lock that the system lets go of when the process ends, however it ends.
"""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

from carrara.errors import CarraraError

_PACKAGE = Path(__file__).parents[1]
# Libraries whose version may change what a row says or how a file is written.
_LIBRARIES = ("matplotlib", "nltk", "numpy", "pyarrow", "pydantic", "tiktoken")


@cache
def code_fingerprint(*parts: str) -> str:
    """The sha256 over the package's own source files below `parts` (all of them by default), by name and content."""
    digest = hashlib.sha256()
    roots = [_PACKAGE / part for part in parts] or [_PACKAGE]
    if gone := [root.name for root in roots if not root.exists()]:
        raise ValueError(f"got {gone}, expected files and folders of the package: a cache would outlive its code")
    files = {file for root in roots for file in ([root] if root.is_file() else root.rglob("*"))}
    for file in sorted(files):
        if file.suffix in {".py", ".toml", ".txt"}:
            digest.update(f"{file.relative_to(_PACKAGE).as_posix()}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


@cache
def library_versions() -> dict[str, str]:
    """The versions of the libraries that decide bytes."""
    return {name: version(name) for name in _LIBRARIES}


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
