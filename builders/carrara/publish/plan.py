"""Plans what publishing a release changes in a repository, and when to refuse; sends no request (`publish.py` does).

A version is published when its tag exists: the tag comes last, on a checked commit that holds exactly the release's
files. Must not change: a tag is never moved or overwritten, and main never returns to an earlier version.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from carrara.engine.processes import Steps
from carrara.errors import ProofError, ReleaseError
from carrara.release.errata import read_errata
from carrara.release.licences import by_terms, config_terms
from carrara.release.manifest import PROVENANCE, file_entry
from carrara.release.provenance import Provenance
from carrara.release.reader import Release, open_release, parsed_json
from carrara.release.schema import MANIFEST, SIGNATURE, Content, Manifest, shown, version_order
from carrara.release.verify import verify

# The Hub's own file, which says which files it stores as large.
ATTRIBUTES = ".gitattributes"
# The files that the Hub itself puts into a new repository.
_OWN = {ATTRIBUTES, "README.md"}
# The server has a minute to check a commit: about this many files, and bytes of small files.
MAX_OPERATIONS, MAX_SMALL_BYTES = 400, 32 * 1024 * 1024
# Files of the first part, which name the release, and of the last: a card must not list missing configs.
_FIRST, _LAST = (MANIFEST, "recipe.json"), ("README.md",)
_ERRATA_HINT = "give releases/<name>/errata.json"
_MAX_PROVENANCE = 1024 * 1024
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_BLOCK = 1 << 20


class File(NamedTuple):
    """A file of the release, as its manifest lists it."""

    sha256: str
    bytes: int


class Held(NamedTuple):
    """A file of a commit, as the Hub lists it: `sha256` of a large file, else ""; `blob` is the git object's name."""

    bytes: int
    sha256: str
    blob: str


@dataclass(frozen=True, slots=True)
class Repository:
    """The state of a repository; `head` and `files` are main's. A missing repository has only a name."""

    name: str
    exists: bool = False
    private: bool = False
    head: str = ""
    files: Mapping[str, Held] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    # The manifests of main and of the version's tag, and main's errata, if they exist.
    manifest: bytes | None = None
    tagged: bytes | None = None
    errata: bytes | None = None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A release to publish, whose licences allow it."""

    folder: Path
    release: Release
    manifest: bytes
    files: Mapping[str, File]

    @property
    def title(self) -> str:
        """name@version."""
        return f"{self.release.name}@{self.release.version}"


@dataclass(frozen=True, slots=True)
class Changes:
    """The paths on main that are new, changed, deleted or the same, and the bytes to send at most."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    same: tuple[str, ...]
    bytes: int

    @property
    def any(self) -> bool:
        """Whether main must change."""
        return bool(self.new or self.changed or self.deleted)


def check_name(repository: str) -> str:
    """Check a repository name, user/name, and return it. Raises ReleaseError."""
    odd = any(part in repository for part in ("--", "..")) or any(
        part.endswith((".", "-", ".git", ".ipynb")) for part in repository.split("/")
    )
    if not _REPOSITORY.fullmatch(repository) or odd:
        problem = f"got --repo {shown(repository)}, expected user/name"
        raise ReleaseError(problem, "letters, digits, '.', '_', '-', at most 96 each, like lab/needlebench")
    return repository


def outgoing(folder: Path) -> Outgoing:
    """Open a release to publish. Raises ReleaseError on licences that forbid it. `prove` checks the files."""
    release = open_release(folder)
    refuse_licences(release)
    files = {path: File(entry.sha256, entry.bytes) for path, entry in release.files.items()}
    for name in (MANIFEST, PROVENANCE, SIGNATURE):
        # The manifest lists none of these files.
        if release.place.has(name):
            entry = file_entry(folder / name)
            files[name] = File(entry.sha256, entry.bytes)
    if PROVENANCE in files:
        Provenance.read(release.small_file(PROVENANCE, _MAX_PROVENANCE))
    return Outgoing(folder, release, release.small_file(MANIFEST), files)


def prove(out: Outgoing, on_progress: Steps | None = None) -> None:
    """Verify every file and row. Raises ProofError on a release that does not verify at level `rows`.

    Re-encoded files are refused, too: the published bytes are the frozen ones.
    """
    report = verify(out.folder, "rows", on_progress=on_progress)
    if not report.is_good or report.reencoded:
        first = [problem.message for problem in report.problems[:3]] or report.reencoded[:1]
        problem = "; ".join(first) or "nothing was checked"
        why = "" if report.problems else " was re-encoded: its rows are right, its bytes are not"
        raise ProofError(f"{out.title} does not verify: {problem}{why}", f"carrara verify {out.folder} --level rows")


def refuse_licences(release: Release) -> None:
    """Raise ReleaseError where a config's licences forbid publication, are unknown or exclude each other."""
    content = release.content
    refused = {name: why for name in release.configs if (why := config_terms(content, name).objection)}
    if not refused:
        return
    listed = "; ".join(
        f"{', '.join(of_it[:3])}{f' and {len(of_it) - 3} more' if len(of_it) > 3 else ''}: {refused[of_it[0]]}"
        for of_it in list(by_terms(content, refused).values())[:3]
    )
    raise ReleaseError(
        f"{release.name}@{release.version} may not be published: {listed}",
        "Publish the permissive part with --profile permissive, or build without these configs.",
    )


def is_published(out: Outgoing, repository: Repository) -> bool:
    """Whether the version's tag exists, on this release. Raises ReleaseError on a tag of another."""
    _shown_version(out, repository)
    version = out.release.version
    if version not in repository.tags:
        return False
    if repository.tagged != out.manifest:
        raise ReleaseError(
            f"{repository.name} has another release of version {version} already",
            "a published version is never overwritten: raise the version in the recipe, build and publish that",
        )
    return True


def changes(out: Outgoing, repository: Repository) -> Changes:
    """The changes after which main holds exactly the release. Raises ReleaseError where main is another's."""
    _refuse_stranger(out, repository)
    held = repository.files
    new = [path for path in out.files if path not in held]
    changed = [path for path, file in out.files.items() if path in held and not _is_same(out, path, file, held[path])]
    moved = {*new, *changed}
    return Changes(
        new=tuple(sorted(new)),
        changed=tuple(sorted(changed)),
        deleted=tuple(sorted(path for path in held if path not in out.files and path != ATTRIBUTES)),
        same=tuple(sorted(path for path in out.files if path not in moved)),
        bytes=sum(out.files[path].bytes for path in moved),
    )


def parts(out: Outgoing, planned: Changes, most: int = MAX_OPERATIONS) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the (added, deleted) paths of each commit: one commit if it is small enough, else several.

    The manifest comes first, card and deletions last. Between parts main is mixed; only the last gets a tag.
    """
    rank = {**dict.fromkeys(_FIRST, 0), **dict.fromkeys(_LAST, 2)}
    added = sorted((*planned.new, *planned.changed), key=lambda path: (rank.get(path, 1), path))
    if not added:
        yield [], list(planned.deleted)
    start = 0
    while start < len(added):
        end, small = start, 0
        while end < len(added) and end - start < most and (end == start or small <= MAX_SMALL_BYTES):
            # Parquet and PNG are stored as large files, outside the commit.
            small += 0 if added[end].endswith((".parquet", ".png")) else out.files[added[end]].bytes
            end += 1
        yield added[start:end], list(planned.deleted) if end == len(added) else []
        start = end


def misfits(out: Outgoing, held: Mapping[str, Held]) -> Iterator[str]:
    """Yield messages on where a commit differs from the release; small files are not read."""
    for path in sorted(set(held) - set(out.files) - {ATTRIBUTES}):
        yield f"{shown(path)} is not in the manifest"
    for path, file in out.files.items():
        if (there := held.get(path)) is None:
            yield f"{path} is missing"
        elif there.bytes != file.bytes:
            yield f"{path} has {there.bytes} bytes, expected {file.bytes}"
        elif there.sha256 and there.sha256 != file.sha256:
            yield f"{path} has sha256 {shown(there.sha256)}, expected {file.sha256}"


def same_but_provenance(out: Outgoing, held: Mapping[str, Held]) -> list[str]:
    """The misfits of a published version but for its provenance, which differs between builds of the same manifest."""
    files = {path: file for path, file in out.files.items() if path != PROVENANCE}
    kept = {path: file for path, file in held.items() if path != PROVENANCE}
    return list(misfits(Outgoing(out.folder, out.release, out.manifest, files), kept))


def _refuse_stranger(out: Outgoing, repository: Repository) -> None:
    """Raise ReleaseError unless main is empty or holds this release in this version or an earlier one."""
    if repository.manifest is None:
        for path in sorted(set(repository.files) - _OWN):
            raise ReleaseError(
                f"{repository.name} holds {shown(path)} but no release, expected an empty repository or this release",
                "give it a repository of its own",
            )
        return
    version = _shown_version(out, repository)
    if version_order(version) > version_order(out.release.version):
        raise ReleaseError(
            f"{repository.name} shows {shown(version)}, which is newer than {out.release.version}",
            "Main never returns to an earlier version: publish versions in order.",
        )


def _shown_version(out: Outgoing, repository: Repository) -> str:
    """The version on main, "" if there is none. Raises ReleaseError where main holds another release."""
    if repository.manifest is None:
        return ""
    there = _content(repository)
    if there.name != out.release.name:
        problem = f"{repository.name} holds the release {there.name}, expected {out.release.name}"
        raise ReleaseError(problem, "give each release a repository of its own")
    return there.version


def _content(repository: Repository) -> Content:
    try:
        return Manifest.from_json(parsed_json(repository.manifest or b"", MANIFEST)).content
    except ReleaseError as error:
        problem = f"{repository.name} has a {MANIFEST} that is not a release's: {error.message}"
        raise ReleaseError(problem, "give it a repository of its own") from error


def _is_same(out: Outgoing, path: str, file: File, held: Held) -> bool:
    if held.bytes != file.bytes:
        return False
    return held.sha256 == file.sha256 if held.sha256 else held.blob == git_name(out.folder / path, file.bytes)


def git_name(file: Path, size: int) -> str:
    """The git object name of a file, a SHA-1: it proves nothing, but spares sending an identical file again."""
    digest = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def refuse_public(repository: Repository, private: bool) -> None:
    """Raise ReleaseError where --private is given and the repository is public."""
    if private and repository.exists and not repository.private:
        raise ReleaseError(
            f"{repository.name} is public, expected a private repository",
            "Leave out --private, or make the repository private.",
        )


def errata_of(file: Path, name: str) -> bytes:
    """The bytes of a release's errata file. Raises ReleaseError on any other file."""
    try:
        named = read_errata(file).name
    except ReleaseError as error:
        raise ReleaseError(f"{file} holds no errata of {name}: {error.message}", _ERRATA_HINT) from error
    if named != name:
        raise ReleaseError(f"{file} holds no errata of {name} but those of {shown(named)}", _ERRATA_HINT)
    return file.read_bytes()


def kind_of(path: str) -> str:
    """The kind under which a file is counted: its top folder, or "card and manifest"."""
    return path.partition("/")[0] if "/" in path else "card and manifest"


def by_kind(out: Outgoing, paths: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The number of files and bytes by kind."""
    totals: dict[str, tuple[int, int]] = {}
    for path in paths:
        count, size = totals.get(kind_of(path), (0, 0))
        totals[kind_of(path)] = (count + 1, size + out.files[path].bytes)
    return totals
