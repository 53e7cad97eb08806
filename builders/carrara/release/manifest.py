"""The manifest file: its canonical bytes, its table of files, the canary, and the version rule.

Must not change: the canonical form (two builds are compared by its bytes) and the meaning of MAJOR, MINOR and PATCH.
Nothing here holds a clock, a host or a path.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from carrara.engine.files import write_bytes
from carrara.errors import ReleaseError
from carrara.release.schema import FORMAT, MANIFEST, Content, FileEntry, Manifest, is_inside, shown
from carrara.release.store import LINK_HINT, Folder
from carrara.row import DigestLine, canonical_json, content_root

Bump = Literal["none", "patch", "minor", "major"]
PROVENANCE = "provenance.json"
_BLOCK = 1 << 20
# Rows without an outside source have the licence of this package.
OWN_LICENCE = "Apache-2.0"


def canary(name: str, version: str, stream: str) -> str:
    """The line that identifies a release in a training corpus: in card and manifest, never in a prompt."""
    return "carrara-canary " + hashlib.sha256(canonical_json([name, version, stream]).encode()).hexdigest()[:32]


def release_root(content: Content) -> str:
    """The release root: the one hash that a paper cites for a dataset.

    The sha256 over one line a config, `<content root>  <config>.txt`, sorted by file name. As a content root is the
    sha256 of the config's digest list, this prints it too, in the folder of a release:

        cd digests && sha256sum *.txt | LC_ALL=C sort -k 2 | sha256sum

    It commits to the configs, their names, and of every row in its place each column: id, prompt, answers, choices,
    facts, metric, answer length, evidence. Responses to these rows, scored by one version of Carrara, give one number.
    It does not commit to the card, the baselines, the recipe, the version or the bytes of the Parquet files: a PATCH
    and a re-encoded copy keep the root. Nor does it to the scorers' code or to errata noted later: cite
    `name@version` and Carrara's version beside it. The root of a sealed release is that of its rows without answers.
    """
    lines = sorted((f"{name}.txt", facts.root) for name, facts in content.configs.items())
    return hashlib.sha256("".join(f"{root}  {file}\n" for file, root in lines).encode()).hexdigest()


def canonical(table: Mapping[str, object]) -> bytes:
    """The canonical bytes of a JSON file: sorted keys, one value a line."""
    text = json.dumps(table, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def manifest_bytes(manifest: Manifest) -> bytes:
    """The canonical bytes of `manifest.json`: those that it was read from, unless somebody edited it."""
    return canonical(manifest.to_json())


def recipe_file(content: Content) -> dict[str, object]:
    """What `recipe.json` holds: the manifest's recipe, and the card's hand-written sections, to build alone."""
    card = {"card": {"text": content.written}} if content.written else {}
    return {**content.recipe.to_json(), **card}


def highest_scores(scores: Iterable[Mapping[str, Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    """The highest score by published scorer and kind of wrong answer, over rows or configs."""
    most: dict[str, dict[str, float]] = {}
    for row in scores:
        for metric, by_answer in row.items():
            of_metric = most.setdefault(metric, {})
            for answer, score in by_answer.items():
                of_metric[answer] = max(score, of_metric.get(answer, 0.0))
    return most


def file_entry(file: Path) -> FileEntry:
    """The manifest's entry of a file: its sha256 and size in bytes. Reads in blocks."""
    with file.open("rb") as stream:
        return stream_entry(stream)


def stream_entry(stream: BinaryIO) -> FileEntry:
    """The entry of an open file; the size is that of the bytes read."""
    digest, size = hashlib.sha256(), 0
    while block := stream.read(_BLOCK):
        digest.update(block)
        size += len(block)
    return FileEntry(sha256=digest.hexdigest(), bytes=size)


def files_table(folder: Path) -> dict[str, FileEntry]:
    """The manifest's `files`: every file of a release folder but manifest and provenance. Raises ReleaseError."""
    files, odd = Folder(folder).listing()
    if odd:
        raise ReleaseError(f"{shown(odd[0])} is a link or no regular file, expected only regular files", LINK_HINT)
    table = {path: file_entry(folder / path) for path in files if path not in {MANIFEST, PROVENANCE} and _named(path)}
    if not table:
        raise ReleaseError(f"{folder} holds no files, expected a finished release", "Build it first.")
    return table


def _named(path: str) -> bool:
    if not is_inside(path):
        raise ReleaseError(
            f"got file name {shown(path)}, expected letters, digits, '.', '_', '-'", "Rename or remove it."
        )
    return True


def write_manifest(folder: Path, content: Content) -> Path:
    """Write `manifest.json`, after every other file; whole or not at all."""
    file = folder / MANIFEST
    write_bytes(file, manifest_bytes(Manifest(format=FORMAT, content=content, files=files_table(folder))))
    return file


@dataclass(frozen=True, slots=True)
class ConfigDifference:
    """How one config differs, as row ids; `reordered`: the kept rows do not come first in their old order."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    reordered: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two releases: the configs whose rows differ, and whether other facts do."""

    configs: Mapping[str, ConfigDifference]
    facts: bool

    @property
    def bump(self) -> Bump:
        """The bump that the difference requires."""
        if any(config.removed or config.changed or config.reordered for config in self.configs.values()):
            return "major"
        if self.configs:
            return "minor"
        return "patch" if self.facts else "none"


def lines_difference(old: Sequence[DigestLine], new: Sequence[DigestLine]) -> ConfigDifference:
    """The difference of two digest lists; of a duplicate id the first line counts, the others are added rows."""
    before, after = _by_id(old), _by_id(new)
    order = [line.id for line in new]
    added = [name for name in after if name not in before]
    twice = [name for name, times in Counter(order).items() if times > 1 for _ in range(times - 1)]
    kept = [name for name in before if name in after]
    return ConfigDifference(
        added=tuple(added + twice),
        removed=tuple(name for name in before if name not in after),
        changed=tuple(name for name in kept if before[name] != after[name]),
        reordered=kept != order[: len(kept)],
    )


def _by_id(lines: Sequence[DigestLine]) -> dict[str, DigestLine]:
    table: dict[str, DigestLine] = {}
    for line in lines:
        table.setdefault(line.id, line)
    return table


def difference(
    old_content: Content,
    old_lines: Mapping[str, Sequence[DigestLine]],
    new_content: Content,
    new_lines: Mapping[str, Sequence[DigestLine]],
) -> Difference:
    """The difference of two releases, from the digest lists of both by config name."""
    names = sorted({*old_lines, *new_lines})
    configs = {name: lines_difference(old_lines.get(name, ()), new_lines.get(name, ())) for name in names}
    return Difference(
        {name: config for name, config in configs.items() if config != ConfigDifference()},
        old_content.to_json() != new_content.to_json(),
    )


RootChange = Literal["added", "removed", "changed", "extended"]


def root_changes(
    old: Content, new: Content, new_lines: Mapping[str, Sequence[DigestLine]] | None = None
) -> dict[str, RootChange]:
    """How the configs of two releases differ by their content roots, where rows or digest lists are missing.

    A config is "extended" where its first lines in `new_lines` have the old root; without lines it is "changed".
    """
    changes: dict[str, RootChange] = {}
    for name in sorted({*old.configs, *new.configs}):
        before, after = old.configs.get(name), new.configs.get(name)
        if before is None or after is None:
            changes[name] = "added" if before is None else "removed"
        elif before.root != after.root:
            lines = (new_lines or {}).get(name, ())
            grown = len(lines) > before.rows and content_root(lines[: before.rows]) == before.root
            changes[name] = "extended" if grown else "changed"
    return changes


def bump(old: Manifest, new: Manifest, new_lines: Mapping[str, Sequence[DigestLine]]) -> Bump:
    """The bump between two manifests by the version rule; of the old release only the manifest is needed.

    `new_lines` must be the digest lists of `new` (`verify` checks that).
    """
    changes = set(root_changes(old.content, new.content, new_lines).values())
    if changes & {"removed", "changed"}:
        return "major"
    if changes:
        return "minor"
    return "none" if manifest_bytes(old) == manifest_bytes(new) else "patch"
