"""Where a source's files lie: the local folder first, else the Hub at the pinned commit.

Every file is hashed at every opening; what does not match its pin is never read. A source without a Hub pin never asks
the network.
"""

from pathlib import Path
from typing import Literal, NamedTuple

from carrara.engine import files as disk
from carrara.engine.hub import hub_file
from carrara.errors import SourceError
from carrara.sources.registry import Pin, PinnedFile


class Whereabouts(NamedTuple):
    """Whether a source can be had here, and where: `told` is a sentence for a person."""

    state: Literal["folder", "hub", "missing"]
    told: str


def whereabouts(pin: Pin, folder: Path | None) -> Whereabouts:
    """Where a source's files would be read from; looks for them and at their sizes, and hashes nothing.

    Raises SourceError where `folder` is none.
    """
    _check_folder(folder)
    absent = []
    for file in sorted(pin.files):
        local = _local(pin, file.path, folder)
        if local is None:
            absent.append(file.path)
            continue
        try:
            size = local.stat().st_size
        except OSError as error:
            return Whereabouts("missing", f"{local} cannot be read ({error.strerror}): make it readable")
        if file.bytes not in (None, size):
            return Whereabouts("missing", f"{local} has {size:,} bytes, expected {file.bytes:,}: get it again")
    if not absent:
        return Whereabouts("folder", f"{folder}, {len(pin.files):,} files")
    which = f"{len(absent):,} of {len(pin.files):,} files, first {absent[0]}"
    if pin.hub is not None:
        return Whereabouts("hub", f"{which}: from the Hub, {pin.hub.repo} at {pin.hub.revision}")
    wanted = f"{folder or '<folder>'}/{pin.folder}"
    given = "" if folder else " and give --sources <folder> (or set CARRARA_SOURCES)"
    return Whereabouts("missing", f"{which}: get it from {pin.url or 'its publisher'}, put it in {wanted}{given}")


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
            f"Get it from {pin.url or 'where it is published'}, put it at <folder>/{pin.folder}/{path} and pass "
            "--sources <folder> (or set CARRARA_SOURCES).",
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
