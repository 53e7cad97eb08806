"""What the loopback Hub keeps: contents by their hash on disk; repositories with commits, branches and tags."""

import fnmatch
import hashlib
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ATTRIBUTES = "".join(
    f"*{ending} filter=lfs diff=lfs merge=lfs -text\n"
    for ending in (".parquet", ".arrow", ".bin", ".gz", ".zip", ".zst", ".png", ".jpg", ".webp", ".mp4", ".tar.*")
)
LARGE = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a commit. `oid` is the git blob's SHA-1; of an LFS file that of its pointer."""

    sha256: str
    size: int
    lfs: bool
    oid: str


@dataclass(frozen=True, slots=True)
class Commit:
    oid: str
    parent: str
    title: str
    files: Mapping[str, Entry]


class Refused(Exception):
    """Said to the client with a status, and the header X-Error-Code where there is one."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


class Blobs:
    """Contents by their SHA-256, each a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.numbers = itertools.count()
        folder.mkdir(parents=True)

    def path(self, sha256: str) -> Path:
        return self.folder / sha256

    def add(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        if not self.path(sha256).exists():
            part = self.folder / f"part-{next(self.numbers)}"
            part.write_bytes(data)
            part.rename(self.path(sha256))
        return sha256


def git_oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def pointer(sha256: str, size: int) -> bytes:
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()


@dataclass
class Repo:
    """`branches` and `tags` are names of commits; `main` is there from the start, with the Hub's own .gitattributes."""

    id: str
    blobs: Blobs
    private: bool = False
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.branches["main"] = self.record("", "initial commit", {".gitattributes": self.entry(ATTRIBUTES.encode())})

    def entry(self, data: bytes, lfs: bool = False) -> Entry:
        """A file of these bytes, which are kept."""
        sha256 = self.blobs.add(data)
        return Entry(sha256, len(data), lfs, git_oid(pointer(sha256, len(data)) if lfs else data))

    def lfs_entry(self, sha256: str) -> Entry:
        """A file whose bytes were uploaded before."""
        if not self.blobs.path(sha256).is_file():
            raise Refused(400, f"LFS pointer pointed to a file that does not exist: {sha256}")
        size = self.blobs.path(sha256).stat().st_size
        return Entry(sha256, size, True, git_oid(pointer(sha256, size)))

    def record(self, parent: str, title: str, files: Mapping[str, Entry]) -> str:
        known = repr((self.id, parent, title, sorted((path, entry.oid) for path, entry in files.items())))
        oid = hashlib.sha1(known.encode()).hexdigest()
        self.commits[oid] = Commit(oid, parent, title, dict(files))
        return oid

    def resolve(self, revision: str) -> Commit:
        """The commit that a branch, a tag or a hash names."""
        revision = revision.removeprefix("refs/heads/").removeprefix("refs/tags/")
        oid = self.tags.get(revision) or self.branches.get(revision) or revision
        if oid not in self.commits:
            raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return self.commits[oid]

    def change(self, files: Mapping[str, bytes | None], branch: str = "main", title: str = "change") -> str:
        """Commit bytes at paths (None deletes) as no client would: any path is taken."""
        head = self.resolve(branch)
        kept = {path: entry for path, entry in head.files.items() if path not in files}
        added = {path: self.entry(data, self.is_large(path, data)) for path, data in files.items() if data is not None}
        self.branches[branch] = self.record(head.oid, title, kept | added)
        return self.branches[branch]

    def is_large(self, path: str, sample: bytes, size: int = 0) -> bool:
        """Whether such a file is kept as LFS: by .gitattributes, by its size, or because it is no text."""
        patterns = [line.split()[0] for line in ATTRIBUTES.splitlines()]
        named = any(fnmatch.fnmatch(path.rpartition("/")[2], pattern) for pattern in patterns)
        return named or max(size, len(sample)) > LARGE or b"\0" in sample[:512]

    def read(self, path: str, revision: str = "main") -> bytes:
        return self.blobs.path(self.resolve(revision).files[path].sha256).read_bytes()
