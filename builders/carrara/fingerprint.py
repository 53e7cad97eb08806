"""Fingerprints of code and libraries: what decides bytes beside the recipe. A change of any of them ends a resume."""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

_PACKAGE = Path(__file__).parent
# Libraries whose version may change what a row says or how a file is written.
_LIBRARIES = ("matplotlib", "nltk", "numpy", "pyarrow", "pydantic", "tiktoken")


@cache
def code_fingerprint(*parts: str) -> str:
    """The sha256 over the package's own source files below `parts` (all of them by default), by name and content."""
    digest = hashlib.sha256()
    roots = [_PACKAGE / part for part in parts] or [_PACKAGE]
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
