"""Where the files of a release lie: in a folder here, or elsewhere (`hub.py`), read the same way.

Nothing that a place is asked for leaves it: paths are plain and relative, and links are refused (law 17).
"""

from pathlib import Path
from typing import BinaryIO, Protocol

from carrara.errors import ReleaseError
from carrara.release.schema import HINT, MAX_FILES, is_inside, shown

LINK_HINT = "Copy the release with its links resolved (cp -rL) and use the copy."
_AGAIN = "Download or build the release again."


class Place(Protocol):
    """What reads a release's files. Every method raises ReleaseError on what is not there or cannot be read."""

    @property
    def label(self) -> str:
        """What a person calls the place: a folder, or hf://user/name@revision."""
        ...

    @property
    def version(self) -> str | None:
        """The version that the place's address promises, if it names one."""
        ...

    def is_own(self, relative: str) -> bool:
        """Whether a file belongs to the place, and not to the release: the Hub's .gitattributes and nothing else."""
        ...

    def has(self, relative: str) -> bool:
        """Whether there is a file of that name, which is no link."""
        ...

    def open(self, relative: str) -> BinaryIO:
        """A file, to read and to seek in; the caller closes it."""
        ...

    def listing(self) -> tuple[list[str], list[str]]:
        """Every file, and everything that is neither file nor folder (links above all): sorted paths."""
        ...


class Folder:
    """A folder on this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def label(self) -> str:
        """The folder as it was given."""
        return str(self.path)

    @property
    def version(self) -> str | None:
        """None: a folder may be called anything."""
        return None

    def is_own(self, relative: str) -> bool:
        """Whether it is the file that every repository of the Hub has; a folder of exceptions could hide a model."""
        return relative == ".gitattributes"

    def has(self, relative: str) -> bool:
        """Whether there is a file of that name, which is no link."""
        file = self.path / relative
        return is_inside(relative) and file.is_file() and not file.is_symlink()

    def file(self, relative: str) -> Path:
        """Where a file lies. Raises ReleaseError if its path leaves the folder, goes through a link, or has no file."""
        if not is_inside(relative):
            raise ReleaseError(f"path {shown(relative)} may leave the release, expected a plain relative path", HINT)
        place = self.path
        for part in relative.split("/"):
            place = place / part
            if place.is_symlink():
                raise ReleaseError(f"{relative} goes through a symbolic link, expected a file", LINK_HINT)
        if not place.is_file():
            raise ReleaseError(f"{relative} is missing", _AGAIN)
        return place

    def open(self, relative: str) -> BinaryIO:
        """A file, to read and to seek in."""
        return self.file(relative).open("rb")

    def listing(self) -> tuple[list[str], list[str]]:
        """Every file below the folder, and everything that is neither file nor folder."""
        files: list[str] = []
        odd: list[str] = []
        for place in self.path.rglob("*"):
            if place.is_symlink() or not place.is_dir():
                plain = place.is_file() and not place.is_symlink()
                (files if plain else odd).append(place.relative_to(self.path).as_posix())
            if len(files) + len(odd) > MAX_FILES:
                raise ReleaseError(f"{self.path} holds more than {MAX_FILES} files", HINT)
        return sorted(files), sorted(odd)
