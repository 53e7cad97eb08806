"""Where a source's files lie: the local folder first, else the Hub at the pinned commit.

Every file is hashed at every opening; what does not match its pin is never read. A source without a Hub pin never asks
the network, but for `fetch`.
"""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from carrara.engine import files as disk
from carrara.engine.hub import hub_file, is_cached
from carrara.errors import SourceError
from carrara.sources.registry import Pin, PinnedFile
from carrara.text.display import size as told_size

# Seconds without a byte; bytes of a file whose pin states no size, and how much larger than the pinned, packed file
# the published one may be: text packs to a fifth, and to a fiftieth where it repeats itself.
_TIMEOUT = 60.0
_LARGEST = 1 << 30
_UNPACKED = 64


class Whereabouts(NamedTuple):
    """Whether a source is here, on the Hub alone, or missing, and where: `told` is a sentence for a person."""

    state: Literal["folder", "hub", "missing"]
    told: str


def whereabouts(pin: Pin, folder: Path | None) -> Whereabouts:
    """Where a source's files would be read from; looks for them and at their sizes, and hashes nothing.

    Raises SourceError where `folder` is none.
    """
    _check_folder(folder)
    absent: list[PinnedFile] = []
    for file in sorted(pin.files):
        local = _local(pin, file.path, folder)
        if local is None:
            if pin.hub is None or not is_cached(pin.hub.repo, pin.hub.revision, file.path):
                absent.append(file)
            continue
        try:
            size = local.stat().st_size
        except OSError as error:
            return Whereabouts("missing", f"{local} cannot be read ({error.strerror}): make it readable")
        if file.bytes not in (None, size):
            return Whereabouts("missing", f"{local} has {size:,} bytes, expected {file.bytes:,}: get it again")
    if not absent:
        return Whereabouts("folder", f"{folder or 'cache of the Hub'}, {len(pin.files):,} files")
    known = [file.bytes for file in absent if file.bytes is not None]
    weight = told_size(sum(known)) if len(known) == len(absent) else "size unknown"
    which = f"{len(absent):,} of {len(pin.files):,} files ({weight}), first {absent[0].path}"
    if pin.hub is not None:
        return Whereabouts("hub", f"{which}: from the Hub, {pin.hub.repo} at {pin.hub.revision}")
    return Whereabouts("missing", f"{which}: {_advice(pin, folder, absent[0].path)}")


def _advice(pin: Pin, folder: Path | None, path: str) -> str:
    """What to do where a file of a source is missing."""
    if all(file.address for file in pin.files):
        return f"fetch it: carrara sources get {pin.name} --sources {folder or 'sources'}"
    wanted = f"put it at {folder or '<folder>'}/{pin.folder}/{path}"
    given = "" if folder else " and give --sources <folder> (or set CARRARA_SOURCES)"
    return f"get it from {pin.url or 'its publisher'}, {wanted}{given}"


def locate(pin: Pin, folder: Path | None) -> dict[str, Path]:
    """Path of each pinned file, in sorted order, hashed now. Raises SourceError on a missing or altered file."""
    _check_folder(folder)
    paths: dict[str, Path] = {}
    for file in sorted(pin.files):
        local = _local(pin, file.path, folder)
        path = local if local is not None else _from_hub(pin, file.path, folder)
        _check(pin, file, path)
        paths[file.path] = path
    return paths


def fetch(pin: Pin, folder: Path, note: Callable[[str], None]) -> int:
    """Put those files of a source into `folder` that are not there, from the Hub or their publisher; how many came.

    Nothing that differs from its pin is kept. Raises SourceError on a file that cannot be had or is another one; those
    that came before it stay, and the next call goes on.
    """
    fetched = 0
    for file in sorted(pin.files):
        if (local := _local(pin, file.path, folder)) is not None:
            _check(pin, file, local)
            continue
        path = disk.inside(folder / pin.folder, file.path)
        if pin.hub is not None:
            note(f"{path}: from the Hub, {pin.hub.repo}")
            content = _from_hub(pin, file.path, folder).read_bytes()
        else:
            note(f"{path}: from {file.address or 'an unknown address'}")
            content = _published(pin, file, path)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{path.name}.part")
        temporary.write_bytes(content)
        try:
            _check(pin, file, temporary)
        except SourceError:
            temporary.unlink()
            raise
        disk.commit(temporary, path)
        fetched += 1
    return fetched


def _published(pin: Pin, file: PinnedFile, path: Path) -> bytes:
    """The content of a file as its publisher has it, packed as the pin has it."""
    import urllib.request  # Loads slowly, and only this function asks a server.

    if not file.address:
        raise SourceError(
            f"source {pin.name!r}: no address of file {file.path} is known",
            f"Get it from {pin.url or 'its publisher'}, and put it at {path}.",
        )
    limit = _LARGEST if file.bytes is None else _UNPACKED * file.bytes
    try:
        with urllib.request.urlopen(file.address, timeout=_TIMEOUT) as answer:
            content = bytes(answer.read(limit + 1))
    except OSError as error:
        raise SourceError(
            f"source {pin.name!r}: {file.address} could not be read ({error})",
            f"Check the network, or get the file elsewhere and put it at {path}.",
        ) from error
    if len(content) > limit:
        raise SourceError(
            f"source {pin.name!r}: {file.address} has over {limit:,} bytes, expected what the pin was made of",
            f"Get the file from {pin.url or 'its publisher'}, and put it at {path}.",
        )
    is_packed = file.path.endswith(".gz") and not file.address.endswith(".gz")
    return gzip.compress(content, 9, mtime=0) if is_packed else content


def _check_folder(folder: Path | None) -> None:
    if folder is not None and not folder.is_dir():
        raise SourceError(
            f"--sources: got {str(folder)!r}, expected an existing folder", "Give the folder that holds the sources."
        )


def _local(pin: Pin, path: str, folder: Path | None) -> Path | None:
    for start in [] if folder is None else [folder / pin.folder, folder]:
        full = disk.inside(start, path)
        try:
            full.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise SourceError(
                f"source {pin.name!r}, file {path}: cannot be read ({error.strerror})", "Make its folder readable."
            ) from error
        return full
    return None


def _from_hub(pin: Pin, path: str, folder: Path | None) -> Path:
    looked = "no --sources folder was given" if folder is None else f"not in {folder / pin.folder} nor in {folder}"
    if pin.hub is None:
        raise SourceError(
            f"source {pin.name!r}: file {path} is missing: {looked}, and the source has no Hub pin",
            _advice(pin, folder, path),
        )
    try:
        return hub_file(pin.hub.repo, pin.hub.revision, path)
    except SourceError as error:
        raise SourceError(
            f"source {pin.name!r}: file {path} is missing: {looked}; {error.message}", error.hint
        ) from error


def _check(pin: Pin, file: PinnedFile, path: Path) -> None:
    sha256, size = disk.digest(path, f"source {pin.name!r}, file {file.path}")
    if sha256 != file.sha256 or file.bytes not in (None, size):
        wanted = "" if file.bytes is None else f" ({file.bytes} bytes)"
        raise SourceError(
            f"source {pin.name!r}, file {file.path}: got sha256 {sha256} ({size} bytes), "
            f"expected {file.sha256}{wanted}",
            f"Replace {path} with the pinned file; for another text, pin your own source in the recipe.",
        )
