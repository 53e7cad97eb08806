"""What publishing a release would change in a repository, and when it is refused; reads no network (`publish.py` does).

A version is published when its tag stands: the tag is placed last, on a commit that holds exactly the release's files
and was checked. Must not change: a tag that stands is never moved or overwritten, and main never goes back.
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
from carrara.release.reader import Release, open_release, parsed_json
from carrara.release.schema import MANIFEST, Content, Manifest, shown, version_order
from carrara.release.verify import verify

# The Hub's own file says which files it keeps as large; ours on main alone tells of errors found later.
ATTRIBUTES = ".gitattributes"
# What the Hub makes of itself in a new repository, so that it is no stranger's.
_OWN = {ATTRIBUTES, "README.md"}
# A commit is looked through by the server within a minute: about so many files, and so many bytes of small ones.
MAX_OPERATIONS, MAX_SMALL_BYTES = 400, 32 * 1024 * 1024
# With the first part of many, a repository says whose it is; with the last, its card names configs that are there.
_FIRST, _LAST = (MANIFEST, "recipe.json"), ("README.md",)
_ERRATA_HINT = "give releases/<name>/errata.json"
_MAX_PROVENANCE = 1024 * 1024
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_BLOCK = 1 << 20


class File(NamedTuple):
    """A file of the release, as its manifest has it."""

    sha256: str
    bytes: int


class Held(NamedTuple):
    """A file of a commit, as the Hub tells of it: the sha256 of a large one, else "" and the git object's name."""

    bytes: int
    sha256: str
    blob: str


@dataclass(frozen=True, slots=True)
class Repository:
    """What the Hub says of a repository; `head` and `files` are main's. Where there is none, only its name is known."""

    name: str
    exists: bool = False
    private: bool = False
    head: str = ""
    files: Mapping[str, Held] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    # The manifests of main and of the version's tag, and main's errata, where they are there.
    manifest: bytes | None = None
    tagged: bytes | None = None
    errata: bytes | None = None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A release that may be published: verified, its licences looked at."""

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
    """Paths by what happens to them on main, and the bytes that may have to be sent."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    same: tuple[str, ...]
    bytes: int

    @property
    def any(self) -> bool:
        """Whether main has to change at all."""
        return bool(self.new or self.changed or self.deleted)


def check_name(repository: str) -> str:
    """A name user/name, as the Hub takes it. Raises ReleaseError."""
    odd = any(part in repository for part in ("--", "..")) or any(
        part.endswith((".", "-", ".git", ".ipynb")) for part in repository.split("/")
    )
    if not _REPOSITORY.fullmatch(repository) or odd:
        told = f"got --repo {shown(repository)}, expected user/name"
        raise ReleaseError(told, "letters, digits, '.', '_', '-', at most 96 each, like lab/needlebench")
    return repository


def outgoing(folder: Path) -> Outgoing:
    """A release that is to go out. Raises ReleaseError on licences that forbid it. `prove` reads the files."""
    release = open_release(folder)
    refuse_licences(release)
    files = {path: File(entry.sha256, entry.bytes) for path, entry in release.files.items()}
    for name in (MANIFEST, PROVENANCE):
        # The two files that the manifest cannot vouch for.
        if release.place.has(name):
            entry = file_entry(folder / name)
            files[name] = File(entry.sha256, entry.bytes)
    if PROVENANCE in files:
        parsed_json(release.small_file(PROVENANCE, _MAX_PROVENANCE), PROVENANCE)
    return Outgoing(folder, release, release.small_file(MANIFEST), files)


def prove(out: Outgoing, on_progress: Steps | None = None) -> None:
    """Read every file and row. Raises ProofError on a release that does not verify at level `rows`.

    Also where its rows are right and its files are not: what is published is what was frozen.
    """
    report = verify(out.folder, "rows", on_progress=on_progress)
    if not report.is_good or report.reencoded:
        first = [problem.message for problem in report.problems[:3]] or report.reencoded[:1]
        told = "; ".join(first) or "nothing was checked"
        why = "" if report.problems else " was re-encoded: its rows are right, its bytes are not"
        raise ProofError(f"{out.title} does not verify: {told}{why}", f"carrara verify {out.folder} --level rows")


def refuse_licences(release: Release) -> None:
    """Raises ReleaseError where a config may not be published: no known licence, or several that exclude each other."""
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
        "publish what may be, with --profile permissive; or build it without these configs",
    )


def is_published(out: Outgoing, repository: Repository) -> bool:
    """Whether the version's tag stands, with this very release. Raises ReleaseError on a tag with anything else."""
    _shown_version(out, repository)
    version = out.release.version
    if version not in repository.tags:
        return False
    if repository.tagged != out.manifest:
        raise ReleaseError(
            f"{repository.name} has version {version} already, and it is another than this",
            "a published version is never overwritten: raise the version in the recipe, build and publish that",
        )
    return True


def changes(out: Outgoing, repository: Repository) -> Changes:
    """What makes main hold exactly the release. Raises ReleaseError where main is not this release's to change."""
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
    """(added, deleted) paths of each commit: one where it is bounded, else the manifest first, card and deletions last.

    Between the parts main is mixed; a tag is on none but the last.
    """
    rank = {**dict.fromkeys(_FIRST, 0), **dict.fromkeys(_LAST, 2)}
    added = sorted((*planned.new, *planned.changed), key=lambda path: (rank.get(path, 1), path))
    if not added:
        yield [], list(planned.deleted)
    start = 0
    while start < len(added):
        end, small = start, 0
        while end < len(added) and end - start < most and (end == start or small <= MAX_SMALL_BYTES):
            # Parquet is kept as large, and its bytes do not stand in a commit.
            small += 0 if added[end].endswith((".parquet", ".png")) else out.files[added[end]].bytes
            end += 1
        yield added[start:end], list(planned.deleted) if end == len(added) else []
        start = end


def misfits(out: Outgoing, held: Mapping[str, Held]) -> Iterator[str]:
    """What is wrong with a commit that should hold the release: lines for a person; small files are not read."""
    for path in sorted(set(held) - set(out.files) - {ATTRIBUTES}):
        yield f"{shown(path)} is there and in no manifest"
    for path, file in out.files.items():
        if (there := held.get(path)) is None:
            yield f"{path} is missing"
        elif there.bytes != file.bytes:
            yield f"{path} has {there.bytes} bytes, expected {file.bytes}"
        elif there.sha256 and there.sha256 != file.sha256:
            yield f"{path} has sha256 {shown(there.sha256)}, expected {file.sha256}"


def same_but_provenance(out: Outgoing, held: Mapping[str, Held]) -> list[str]:
    """The misfits of a version that was published from another build of the same manifest: provenance may differ."""
    files = {path: file for path, file in out.files.items() if path != PROVENANCE}
    kept = {path: one for path, one in held.items() if path != PROVENANCE}
    return list(misfits(Outgoing(out.folder, out.release, out.manifest, files), kept))


def _refuse_stranger(out: Outgoing, repository: Repository) -> None:
    """Main belongs to this release, to an earlier version of it, or to nobody yet."""
    if repository.manifest is None:
        for path in sorted(set(repository.files) - _OWN):
            raise ReleaseError(
                f"{repository.name} holds {shown(path)} and no release, expected an empty repository or this release",
                "give it a repository of its own",
            )
        return
    version = _shown_version(out, repository)
    if version_order(version) > version_order(out.release.version):
        raise ReleaseError(
            f"{repository.name} shows {shown(version)}, which is newer than {out.release.version}",
            "main never goes back: publish versions in their order",
        )


def _shown_version(out: Outgoing, repository: Repository) -> str:
    """The version that main shows, "" of none. Raises ReleaseError where main shows another release."""
    if repository.manifest is None:
        return ""
    there = _content(repository)
    if there.name != out.release.name:
        told = f"{repository.name} holds the release {there.name}, expected {out.release.name}"
        raise ReleaseError(told, "give each release a repository of its own")
    return there.version


def _content(repository: Repository) -> Content:
    try:
        return Manifest.from_json(parsed_json(repository.manifest or b"", MANIFEST)).content
    except ReleaseError as error:
        told = f"{repository.name} has a {MANIFEST} that is no release's: {error.message}"
        raise ReleaseError(told, "give it a repository of its own") from error


def _is_same(out: Outgoing, path: str, file: File, held: Held) -> bool:
    if held.bytes != file.bytes:
        return False
    return held.sha256 == file.sha256 if held.sha256 else held.blob == git_name(out.folder / path, file.bytes)


def git_name(file: Path, size: int) -> str:
    """What git calls a file's content: a SHA-1, by which nothing is proven, only spared from being sent again."""
    digest = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def refuse_public(repository: Repository, private: bool) -> None:
    """Raises ReleaseError where a private repository is asked for and a public one is there."""
    if private and repository.exists and not repository.private:
        raise ReleaseError(f"{repository.name} is public, expected a private repository", "leave --private out")


def errata_of(file: Path, name: str) -> bytes:
    """The bytes of a release's errata. Raises ReleaseError on a file of anything else."""
    try:
        found = read_errata(file).name
    except ReleaseError as error:
        raise ReleaseError(f"{file} holds no errata of {name}: {error.message}", _ERRATA_HINT) from error
    if found != name:
        raise ReleaseError(f"{file} holds no errata of {name} but of {shown(found)}", _ERRATA_HINT)
    return file.read_bytes()


def kind_of(path: str) -> str:
    """What a file is counted with: those of its folder, or those outside any."""
    return path.partition("/")[0] if "/" in path else "card and manifest"


def by_kind(out: Outgoing, paths: Iterable[str]) -> dict[str, tuple[int, int]]:
    """How many files and bytes there are of each kind."""
    found: dict[str, tuple[int, int]] = {}
    for path in paths:
        count, size = found.get(kind_of(path), (0, 0))
        found[kind_of(path)] = (count + 1, size + out.files[path].bytes)
    return found
