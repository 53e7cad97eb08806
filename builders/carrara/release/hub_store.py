"""Reads a published release from the Hugging Face Hub, `hf://user/name@version`, by byte ranges of its files.

A tag or branch is resolved once, to a commit, and everything is read from that commit even if the name moves. Nothing
is stored on disk, and at most one block of a file in memory. A failure of the Hub is a HubError, a fault of the release
a ReleaseError; no message holds a token or a signed address.
"""

import io
import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from carrara.engine.hub import BUSY, REVISION
from carrara.errors import CarraraError, ReleaseError
from carrara.release.schema import HINT, MANIFEST, MAX_FILES, is_inside, is_version, shown, version_order
from carrara.release.store import OUT, Folder, Place
from carrara.text.extras import install

SCHEME = "hf://"
# The smallest and the largest range of one request; sequential reading doubles it.
FIRST_BLOCK = 64 * 1024
LAST_BLOCK = 8 * 1024 * 1024
# Seconds before another attempt, and the longest wait that a server may ask for.
_PAUSES = (0.5, 1.0, 2.0, 4.0)
_LONGEST_PAUSE = 60.0
# Seconds without a byte received.
_TIMEOUT = 30.0
_LISTED = 5

_ADDRESS = re.compile(
    r"hf://(?:datasets/)?([A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95})(?:@([\w][\w./-]{0,199}))?", re.A
)
_VERSION = re.compile(r"v?(\d+\.\d+\.\d+)")
_NAMED = re.compile(r"([a-z0-9][a-z0-9._-]{0,63})(?:@(\d{1,6}\.\d{1,6}\.\d{1,6}))?", re.A)
_FORM = "Write hf://user/name@version, like hf://user/name@1.0.0."

_T = TypeVar("_T")


class HubError(CarraraError):
    """The Hub cannot be reached, refuses, or has no such dataset, version or file."""


def place(text: str) -> Place:
    """The place that a user names: a folder, hf://user/name@version, or name@version of a release built in ./out.

    Raises HubError for another address, and ReleaseError where nothing of that name and version is built here.
    """
    if text.startswith(SCHEME):
        return Remote(text)
    folder, named = Path(text), _NAMED.fullmatch(text)
    if named is None or folder.exists():
        if not (folder / MANIFEST).is_file() and (held := _versions(folder)):
            told = ", ".join(str(folder / version) for version in held[:_LISTED])
            raise ReleaseError(f"{text} is not a release: it has no {MANIFEST}", f"Give one that it holds: {told}.")
        return Folder(folder)
    name, version = named.groups()
    if version and (OUT / name / version / MANIFEST).is_file():
        return Folder(OUT / name / version)
    tried = [text, *([str(OUT / name / version)] if version else [])]
    told = ", ".join(f"{name}@{number}" for number in _versions(OUT / name)[:_LISTED])
    here = f"Built here: {told}. " if told else ""
    # Recipes import every task: only who mistypes waits for that.
    from carrara.recipe.recipe import recipe_folder

    frozen = version and (recipe_folder().parent / "releases" / name / version / MANIFEST).is_file()
    make = (
        f"Build it from its record: carrara reproduce {text} --out {OUT}"
        if frozen
        else f"Build one: carrara build {name}"
    )
    raise ReleaseError(
        f"found no release {text}: there is no folder {' and no folder '.join(tried)}",
        f"{here}{make}. Or read it from the Hub: hf://user/{name}@{version or '1.0.0'}.",
    )


def _versions(folder: Path) -> list[str]:
    """The versions of the releases in a folder, the newest first."""
    found = [file.parent.name for file in folder.glob(f"*/{MANIFEST}") if is_version(file.parent.name)]
    return sorted(found, key=version_order, reverse=True)


class Remote:
    """A dataset on the Hub at one commit: a `Place`. Sends no request before the first read."""

    def __init__(self, address: str) -> None:
        match = _ADDRESS.fullmatch(address)
        if not match or ".." in address:
            raise HubError(f"got {shown(address)}, expected the address of a dataset on the Hub", _FORM)
        self.repository: str = match[1]
        self._revision: str | None = match[2]
        self._commit = ""
        self._sizes: dict[str, int] | None = None
        self._odd: list[str] = []
        # Bytes of files read so far.
        self.fetched = 0

    @property
    def label(self) -> str:
        """The address in its short form."""
        return f"{SCHEME}{self.repository}" + (f"@{self._revision}" if self._revision else "")

    @property
    def version(self) -> str | None:
        """The version that the address names, if it names one."""
        match = _VERSION.fullmatch(self._revision or "")
        return match[1] if match else None

    @property
    def commit(self) -> str:
        """The commit to read, 40 hexadecimal digits. Raises HubError."""
        if not self._commit:
            self._commit = self._resolved()
        return self._commit

    def is_own(self, relative: str) -> bool:
        """Whether the Hub itself made the file: .gitattributes, which every new repository has."""
        return relative == ".gitattributes"

    def has(self, relative: str) -> bool:
        """Whether the commit holds a file of that name."""
        return is_inside(relative) and relative in self._tree()

    def open(self, relative: str) -> BinaryIO:
        """Open a file for reading and seeking; ranges are fetched as they are read. Raises ReleaseError, HubError."""
        if not is_inside(relative):
            raise ReleaseError(f"path {shown(relative)} may leave the release, expected a plain relative path", HINT)
        if relative not in self._tree():
            raise ReleaseError(f"{relative} is missing", f"It is not in {self.label}.")
        return io.BufferedReader(_File(self, relative, self._tree()[relative]))

    def listing(self) -> tuple[list[str], list[str]]:
        """The sorted paths of all files of the commit, and of entries that are neither file nor folder."""
        return sorted(self._tree()), sorted(self._odd)

    def fetch(self, relative: str, start: int, length: int, size: int) -> bytes:
        """Fetch `length` bytes of a file from `start`. Raises ReleaseError if the file is not of `size`, HubError."""
        data = self._attempt(lambda: self._range(relative, start, length, size), relative)
        self.fetched += len(data)
        return data

    def _range(self, relative: str, start: int, length: int, size: int) -> bytes:
        hub = _library()
        url = hub.hf_hub_url(self.repository, relative, repo_type="dataset", revision=self.commit)
        # Without "identity" the range may apply to a compressed body, or be ignored.
        wanted = {"Range": f"bytes={start}-{start + length - 1}", "Accept-Encoding": "identity"}
        headers = hub.utils.build_hf_headers(library_name="carrara", headers=wanted)
        with hub.get_session().stream("GET", url, headers=headers, timeout=_TIMEOUT) as response:
            if response.status_code not in (200, 206, 416):
                hub.utils.hf_raise_for_status(response)
            content_range = re.fullmatch(r"bytes (\d+-\d+|\*)/(\d{1,18})", response.headers.get("Content-Range", ""))
            length_told = re.fullmatch(r"\d{1,18}", response.headers.get("Content-Length", ""))
            total = int(content_range[2] if content_range else length_told[0] if length_told else -1)
            if response.status_code == 200 and start == 0:
                content_range = None
            elif response.status_code == 200 or not content_range:
                raise _Again(f"the Hub sent no range of {relative}")
            if total != size:
                raise ReleaseError(
                    f"{relative}: the Hub serves {total} bytes, its list of files says {size}",
                    "Try again later; if it persists, tell the release's authors.",
                )
            if content_range and content_range[1] != f"{start}-{start + length - 1}":
                raise _Again(f"the Hub sent another range of {relative}")
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) >= length:
                    break
        if len(data) < length:
            raise _Again(f"the Hub ended {relative} early")
        return bytes(data[:length])

    def _tree(self) -> dict[str, int]:
        if self._sizes is None:
            self._sizes = self._attempt(self._listed, "its list of files", ())
        return self._sizes

    def _listed(self) -> dict[str, int]:
        sizes: dict[str, int] = {}
        self._odd = []
        api = _library().HfApi(library_name="carrara")
        tree = api.list_repo_tree(self.repository, repo_type="dataset", revision=self.commit, recursive=True)
        entries = self._parsed(lambda: list(islice(tree, 2 * MAX_FILES + 1)), "its list of files")
        if len(entries) > 2 * MAX_FILES:
            raise ReleaseError(f"{self.label} holds more than {MAX_FILES} files", HINT)
        for entry in entries:
            path, size = entry.path, getattr(entry, "size", None)
            if size is None:
                continue
            if isinstance(path, str) and isinstance(size, int) and size >= 0 and path not in sizes:
                sizes[path] = size
            else:
                self._odd.append(str(path))
        return sizes

    def _resolved(self) -> str:
        if self._revision is None:
            raise HubError(f"{self.label} names no version", f"{_FORM} {self._known()}")
        if REVISION.fullmatch(self._revision):
            return self._revision
        api = _library().HfApi(library_name="carrara")
        ask = partial(api.dataset_info, self.repository, revision=self._revision, timeout=_TIMEOUT, expand=["sha"])
        info = self._attempt(lambda: self._parsed(ask, "its version"))
        if not isinstance(info.sha, str) or not REVISION.fullmatch(info.sha):
            raise HubError(
                f"{self.label}: got commit {shown(info.sha)} from the Hub, expected 40 digits", "Try again later."
            )
        return info.sha

    def _known(self) -> str:
        """A sentence that lists the known versions, for the hint of an error."""
        api = _library().HfApi(library_name="carrara")
        ask = partial(api.list_repo_refs, self.repository, repo_type="dataset")
        refs = self._attempt(lambda: self._parsed(ask, "its versions"))
        names = [ref.name for ref in refs.tags]
        names.sort(key=lambda name: [int(part) for part in re.findall(r"\d{1,9}", name)], reverse=True)
        more = ", ..." if len(names) > _LISTED else ""
        return f"Its versions: {', '.join(shown(name)[1:-1] for name in names[:_LISTED]) or 'none'}{more}"

    def _attempt(self, what: Callable[[], _T], about: str = "", pauses: Sequence[float] = _PAUSES) -> _T:
        """Call `what`, again after errors that may pass. Raises HubError in place of the library's errors."""
        errors = _library().errors
        # The library's own base of connection errors (httpx or its successor).
        connection = errors.HfHubHTTPError.__mro__[1]
        for pause in (*pauses, None):
            try:
                return what()
            except errors.HfHubHTTPError as error:
                status = error.response.status_code
                if pause is None or status not in BUSY:
                    raise self._refused(error, about) from error
                time.sleep(max(pause, _bidden(error)))
            except (connection, _Again) as error:
                # A Hub that was never reached is offline: fail at once.
                away = (
                    type(error).__name__ in ("ConnectError", "ConnectTimeout") and not self.fetched and not self._commit
                )
                if pause is None or away:
                    raise HubError(
                        f"{self.label}: {_where()} cannot be reached ({type(error).__name__}: {shown(str(error))})",
                        "Check the network, then run the command again.",
                    ) from error
                time.sleep(pause)
            except errors.OfflineModeIsEnabled as error:
                raise HubError(
                    f"{self.label}: HF_HUB_OFFLINE forbids reading from the Hub", "Unset HF_HUB_OFFLINE."
                ) from error
        raise AssertionError("the last attempt returns or raises")

    def _parsed(self, answer: Callable[[], _T], about: str) -> _T:
        """What a call of the library makes of the Hub's answer. Raises HubError where the answer has another form."""
        try:
            return answer()
        # The library does not check the JSON that it takes apart; no code of ours runs in here.
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            problem = f"{self.label}: the Hub's answer for {about} cannot be read"
            raise HubError(f"{problem} ({type(error).__name__}: {shown(str(error))})", "Try again later.") from error

    def _refused(self, error: Any, about: str) -> CarraraError:
        errors = _library().errors
        status = error.response.status_code
        if isinstance(error, errors.GatedRepoError):
            return HubError(f"{self.label} is gated", f"Ask for access at {_where()}/datasets/{self.repository}.")
        if isinstance(error, errors.RevisionNotFoundError):
            return HubError(f"{self.repository} has no version {shown(self._revision)}", self._known())
        if isinstance(error, errors.RepositoryNotFoundError):
            problem = f"{_where()} has no dataset {self.repository}, or hides it from this token"
            return HubError(
                problem,
                "Check the name; if the dataset is private, log in with a token that may read it: hf auth login.",
            )
        if status in (401, 403):
            return HubError(
                f"{self.label}: the Hub refuses the token ({status})", "Give another: hf auth login, or HF_TOKEN."
            )
        if isinstance(error, errors.EntryNotFoundError):
            return ReleaseError(
                f"{about} is missing", f"The Hub lists it for {self.label}, but does not serve it. Try again later."
            )
        again = "The Hub may be busy: try again later." if status in BUSY else _FORM
        return HubError(f"{self.label}: the Hub answers {status}{f' for {about}' if about else ''}", again)


class _File(io.RawIOBase):
    """A file on the Hub; holds one block, which doubles in size while reading is sequential."""

    def __init__(self, remote: Remote, relative: str, size: int) -> None:
        self._remote = remote
        self._relative = relative
        self._size = size
        self._at = 0
        self._start = 0
        self._block = b""
        self._ahead = FIRST_BLOCK

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """The position of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to another position; fetches nothing."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise ValueError("negative seek position")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from one block; return the number of bytes, 0 at the end."""
        view = memoryview(buffer).cast("B")
        if not view or self._at >= self._size:
            return 0
        end = self._start + len(self._block)
        if not self._start <= self._at < end:
            # Read ahead only behind the last block: a single column read must not fetch more than it needs.
            self._ahead = 2 * self._ahead if self._block and self._at == end else FIRST_BLOCK
            length = min(max(self._ahead, len(view)), LAST_BLOCK, self._size - self._at)
            self._block = self._remote.fetch(self._relative, self._at, length, self._size)
            self._start = self._at
        got = min(len(view), self._start + len(self._block) - self._at)
        first = self._at - self._start
        view[:got] = self._block[first : first + got]
        self._at += got
        return got


class _Again(Exception):
    """An answer that is worth another attempt."""


def _bidden(error: Any) -> float:
    """The seconds that the server asks to wait."""
    seconds = error.response.headers.get("Retry-After", "")
    return min(float(seconds), _LONGEST_PAUSE) if seconds.isdecimal() else 0.0


def _where() -> str:
    endpoint: str = _library().constants.ENDPOINT
    # An endpoint may hold a password.
    return re.sub(r"//[^/@]*@", "//", endpoint)


def _library() -> Any:
    try:
        import huggingface_hub
        import huggingface_hub.errors
        import huggingface_hub.utils
    except ImportError as error:
        raise HubError("huggingface_hub is not installed", install("hub")) from error
    return huggingface_hub
