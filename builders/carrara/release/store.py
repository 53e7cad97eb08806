"""Where the files of a release are: a folder on this machine, or the Hub (`hub_store.py`), with one interface.

No path leaves the place: paths are plain and relative, and links are refused.
"""

from pathlib import Path
from typing import BinaryIO, Protocol

from carrara.errors import ReleaseError
from carrara.release.schema import HINT, MAX_FILES, is_inside, shown

# Where `carrara build` puts releases by default, as <name>/<version>, and where name@version is looked for.
OUT = Path("out")
LINK_HINT = "Copy the release with its links resolved (cp -rL) and use the copy."
_AGAIN = "Download or build the release again."


class Place(Protocol):
    """Reads the files of a release. Every method raises ReleaseError on a file that is missing or unreadable."""

    @property
    def label(self) -> str:
        """The name of the place for a user: a folder, or hf://user/name@revision."""
        ...

    @property
    def version(self) -> str | None:
        """The version in the address of the place, if it names one."""
        ...

    def is_own(self, relative: str) -> bool:
        """Whether a file belongs to the place, not to the release: only the Hub's .gitattributes does."""
        ...

    def has(self, relative: str) -> bool:
        """Whether there is a file of that name, which is no link."""
        ...

    def open(self, relative: str) -> BinaryIO:
        """Open a file for reading and seeking; the caller closes it."""
        ...

    def listing(self) -> tuple[list[str], list[str]]:
        """The sorted paths of all files, and of entries that are neither file nor folder (links above all)."""
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
        """None: the name of a folder promises no version."""
        return None

    def is_own(self, relative: str) -> bool:
        """Whether it is .gitattributes; exempting a whole folder could hide other files."""
        return relative == ".gitattributes"

    def has(self, relative: str) -> bool:
        """Whether there is a file of that name, which is no link."""
        file = self.path / relative
        return is_inside(relative) and file.is_file() and not file.is_symlink()

    def file(self, relative: str) -> Path:
        """The path of a file. Raises ReleaseError if it leaves the folder, goes through a link, or is missing."""
        if not is_inside(relative):
            raise ReleaseError(f"path {shown(relative)} may leave the release, expected a plain relative path", HINT)
        path = self.path
        for part in relative.split("/"):
            path = path / part
            if path.is_symlink():
                raise ReleaseError(f"{relative} goes through a symbolic link, expected a file", LINK_HINT)
        if not path.is_file():
            raise ReleaseError(f"{relative} is missing", _AGAIN)
        return path

    def open(self, relative: str) -> BinaryIO:
        """Open a file for reading and seeking."""
        return self.file(relative).open("rb")

    def listing(self) -> tuple[list[str], list[str]]:
        """The sorted paths of all files below the folder, and of entries that are neither file nor folder."""
        files: list[str] = []
        odd: list[str] = []
        for path in self.path.rglob("*"):
            if path.is_symlink() or not path.is_dir():
                plain = path.is_file() and not path.is_symlink()
                (files if plain else odd).append(path.relative_to(self.path).as_posix())
            if len(files) + len(odd) > MAX_FILES:
                raise ReleaseError(f"{self.path} holds more than {MAX_FILES} files", HINT)
        return sorted(files), sorted(odd)
