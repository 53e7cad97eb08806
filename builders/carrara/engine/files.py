"""Files and folders: written whole or not at all, hashed as they are now, never outside their folder; the cache.

What is written goes to a temporary name, is synced and renamed; its folder is synced too. Nothing in the cache bears
identity: it may be deleted.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from carrara.errors import CarraraError, SourceError

# What is not finished: `.NAME.PROCESS.tmp`.
_TORN = re.compile(r"\.(.+)\.([0-9]{1,10})\.tmp", re.DOTALL)
# The process may run on another machine that writes to the same disk.
_TORN_SECONDS = 3_600
_TURN_SECONDS = 60


def write_json(path: Path, value: Mapping[str, object]) -> None:
    """Write a small JSON file (a sidecar): to a temporary name, synced, renamed."""
    write_bytes(path, (json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n").encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Write a small file so that it is there whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        commit(temporary, path)
        _sweep(path)
    except OSError as error:
        raise CarraraError(f"cannot write {path.name}: {error.strerror or error}", "free some space") from error
    finally:
        temporary.unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file so that the copy is there whole or not at all."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, temporary)
        commit(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def is_torn(name: str, of: str = "") -> bool:
    """Whether a name is that of a file (`of`: this one) that a process did not finish, or never will."""
    match = _TORN.fullmatch(name)
    return match is not None and of in ("", match[1])


def _sweep(path: Path) -> None:
    """Delete what killed processes left of a file an hour ago or more."""
    for left in path.parent.iterdir():
        try:
            if is_torn(left.name, path.name) and time.time() - left.lstat().st_mtime > _TORN_SECONDS:
                left.unlink()
        except OSError:
            # Another process swept it, or may not.
            continue


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


@contextmanager
def in_turn(folder: Path, work: str) -> Iterator[None]:
    """Hold a folder while it is read and written anew; others wait. Leaves no file: it may be in version control.

    Raises CarraraError where another process holds it for a minute.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        end = time.monotonic() + _TURN_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > end:
                    told = f"another process has held {folder} for {_TURN_SECONDS} seconds"
                    raise CarraraError(told, f"stop it, then {work} again: nothing was written") from error
                time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)


def cache_folder() -> Path:
    """What is kept between runs: in CARRARA_CACHE, else in `carrara` in the user's cache folder; made on use."""
    if named := os.environ.get("CARRARA_CACHE"):
        folder = Path(named)
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "carrara"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def state_folder() -> Path:
    """What must outlast a cache: in `carrara` in XDG_STATE_HOME, else in ~/.local/state; made on use."""
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "carrara"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def inside(folder: Path, path: str) -> Path:
    """`folder/path`. Raises SourceError where the path is absolute, climbs out or leaves through a symbolic link."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith(("/", "~")) or ".." in parts or "\\" in path or ":" in parts[0] or "\0" in path:
        raise SourceError(
            f"path {path!r} leaves its folder or is not a plain relative path",
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
    """sha256 (hexadecimal) and size in bytes of a file as it is now. Raises SourceError that calls the file `name`."""
    try:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            return sha256, file.tell()
    except OSError as error:
        raise SourceError(
            f"{name}: cannot be read ({error.strerror or error})", "Make it a readable file, or fetch it again."
        ) from error
