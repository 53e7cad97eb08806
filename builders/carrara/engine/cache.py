"""Where downloads and counted units are kept between runs. Nothing in it bears identity: it may be deleted.

Files below a folder: paths that cannot leave it, hashes that are read anew each time.
"""

import hashlib
import os
from pathlib import Path, PurePosixPath

from carrara.errors import SourceError


def cache_folder() -> Path:
    """CARRARA_CACHE, else `carrara` in the user's cache folder; made on use."""
    if named := os.environ.get("CARRARA_CACHE"):
        folder = Path(named)
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "carrara"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def inside(folder: Path, path: str) -> Path:
    """`folder/path`; a path that is absolute, climbs out, or leaves through a symbolic link is refused."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith(("/", "~")) or ".." in parts or "\\" in path or ":" in parts[0] or "\0" in path:
        raise SourceError(
            f"path {path!r} leaves its folder or is no plain path",
            "Write it relative to the folder, with '/' between names and without '..'.",
        )
    full = folder / path
    try:
        target, root = full.resolve(), folder.resolve()
    except (OSError, RuntimeError) as error:
        raise SourceError(f"path {path!r} cannot be followed ({error})", "Put the file itself there.") from error
    if not target.is_relative_to(root):
        raise SourceError(
            f"path {path!r} leaves its folder through a symbolic link", "Put the file itself into the folder."
        )
    return full


def digest(path: Path, name: str) -> tuple[str, int]:
    """sha256 (hex) and size in bytes of a file as it is now."""
    try:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            return sha256, file.tell()
    except OSError as error:
        raise SourceError(
            f"{name}: cannot be read ({error.strerror or error})", "Make it a readable file, or fetch it again."
        ) from error
