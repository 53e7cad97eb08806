"""Where a source's files lie: the local folder first, else the Hub at the pinned commit.

Every file is hashed at every opening; what does not match its pin is never read. The only module of this room that
reaches the network, and only for a source that has a Hub pin.
"""

from pathlib import Path
from typing import Literal

from carrara.errors import SourceError
from carrara.sources import disk
from carrara.sources.registry import REVISION, Pin, PinnedFile


def locate(pin: Pin, folder: Path | None) -> dict[str, Path]:
    """Path of each pinned file, in sorted order, hashed now. Raises SourceError on a missing or altered file."""
    if folder is not None and not folder.is_dir():
        raise SourceError(f"sources folder {str(folder)!r} is no folder", "Point --sources at an existing folder.")
    found: dict[str, Path] = {}
    for file in sorted(pin.files):
        local = _local(pin, file.path, folder)
        path = local if local is not None else _from_hub(pin, file.path, folder)
        _check(pin, file, path)
        found[file.path] = path
    return found


def hub_file(repo: str, revision: str, path: str, repo_type: Literal["dataset", "model"] = "dataset") -> Path:
    """A file of a Hub repository at one commit, in the Hub client's own cache."""
    if not REVISION.fullmatch(revision):
        raise SourceError(
            f"Hub repository {repo}: revision is {revision!r}, expected the 40 hex digits of a commit",
            "Pin the commit: a branch or tag moves.",
        )
    try:
        from huggingface_hub import hf_hub_download
    except ImportError as error:
        raise SourceError(
            f"Hub repository {repo}: file {path} is needed and the Hub client is not installed",
            "pip install 'carrara[hub]', or give the file from a local folder.",
        ) from error
    try:
        return Path(hf_hub_download(repo, path, repo_type=repo_type, revision=revision))
    except Exception as error:  # The client raises its own, its transport's and the system's errors.
        raise SourceError(
            f"Hub repository {repo} at {revision}: file {path} could not be read ({type(error).__name__})",
            "Check the network and the access to the repository, or give the file from a local folder.",
        ) from error


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
