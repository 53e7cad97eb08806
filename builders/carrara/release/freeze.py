"""Freezes a release: its manifest, recipe and plan digests in `releases/<name>/<version>/`, never edited again.

Compares with the newest earlier version and refuses a version number that does not fit the difference. The
earlier manifest is enough: a change is MINOR when the first lines of the new digest list hash to the old root.

`releases/CODE.toml` names the commit whose code makes each frozen release, `releases/ROOTS` what each name stands for.
"""

import hashlib
import os
import shutil
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import ValidationError

from carrara.engine.files import sync_folder, write_bytes
from carrara.errors import ReleaseError
from carrara.release.manifest import PROVENANCE, Bump, bump, manifest_bytes
from carrara.release.provenance import Commit, Provenance
from carrara.release.reader import Release, digest_lines, open_release
from carrara.release.schema import MANIFEST, PLANS, Closed, Content, Sha256, is_version, refusal, version_order
from carrara.release.trust import note_root
from carrara.release.verify import verify
from carrara.text.display import visible

RECIPE, CODE = "recipe.json", "CODE.toml"
_CODE_HEADER = """\
# The commit that makes each frozen release (its code, recipe and card), and the sha256 of the release's manifest.json:
# `carrara build recipes/NAME.toml` in a checkout of the commit gives these bytes. `carrara freeze` writes this file.
"""


def freeze(folder: Path, releases: Path, say: Callable[[str], None] | None = None) -> Path:
    """Freeze a built release and return its folder in `releases`.

    Freezing the same release again changes nothing; `say` gets a line for every outcome.
    Raises ReleaseError on a release that does not verify, on a wrong version number (naming the right one), and on a
    version that is frozen with other content.
    """
    tell = say or _silent
    report = verify(folder, "rows")
    if report.problems or report.reencoded:
        listed = "; ".join(problem.message for problem in report.problems[:3])
        raise ReleaseError(f"{folder} does not verify: {listed or 'files are re-encoded'}", "Build it again.")
    release, code = open_release(folder), frozen_code(releases)
    home = releases / release.name
    target = home / release.version
    parts = _frozen_parts(release)
    provenance = Provenance.read(parts[PROVENANCE])
    if os.path.lexists(target):
        _refuse_other(target, release, parts)
        tell(f"{release.name}@{release.version} is frozen already, with the same content")
        _note(release, code, releases, provenance, tell)
        return target
    before = _earlier(home, release)
    if before is None:
        tell(f"{release.name}@{release.version} is the first frozen release of its name")
    else:
        kind = _bump(before, release)
        wanted = next_version(before.version, kind)
        if release.version != wanted:
            raise ReleaseError(
                f"{release.name}@{release.version} is a {kind} change of {before.version}, expected version {wanted}",
                f'Write version = "{wanted}" in the recipe and build again: {_WHY[kind]}.',
            )
        tell(f"{release.name}@{release.version} is a {kind} change of {before.version}")
    _write(home, target, parts)
    _note(release, code, releases, provenance, tell)
    return target


_WHY: Mapping[Bump, str] = {
    "none": "nothing changed",
    "patch": "the rows are the same, other bytes are not",
    "minor": "rows were added, the old ones are identical",
    "major": "rows that were there are changed, moved or gone",
}


def next_version(version: str, kind: Bump) -> str:
    """The version after a bump; "none" keeps it."""
    major, minor, patch = version_order(version)
    following = {
        "none": (major, minor, patch),
        "patch": (major, minor, patch + 1),
        "minor": (major, minor + 1, 0),
        "major": (major + 1, 0, 0),
    }[kind]
    return ".".join(map(str, following))


def plans_text(content: Content) -> str:
    """What `plans.txt` holds: `<plans digest>  <config>` lines, sorted by config."""
    configs = content.configs
    return "".join(f"{configs[name].plans}  {name}\n" for name in sorted(configs))


class FrozenCode(Closed):
    """The line of `CODE.toml` for a frozen release: the commit that makes it, and the sha256 of its `manifest.json`."""

    commit: Commit
    manifest: Sha256


def frozen_code(releases: Path) -> dict[str, FrozenCode]:
    """`CODE.toml` of a folder of frozen releases, by `name@version`; empty where there is none. Raises ReleaseError."""
    file = releases / CODE
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        return {release: FrozenCode.model_validate(known) for release, known in table.items()}
    except ValueError as error:
        why = refusal(error, "a release") if isinstance(error, ValidationError) else error
        raise ReleaseError(f"{file} is damaged: {why}", "Restore it from version control.") from error


def _note(
    release: Release,
    code: Mapping[str, FrozenCode],
    releases: Path,
    provenance: Provenance,
    tell: Callable[[str], None],
) -> None:
    """Add a release to `ROOTS`, and to `CODE.toml` or say why its commit is not known."""
    name = f"{release.name}@{release.version}"
    if note_root(release, releases):
        tell(f"ROOTS has the root of {name}")
    if name in code:
        return
    commit, why = made_by(provenance)
    if not commit:
        tell(f"{name} has no line in {CODE}: {why}")
        return
    frozen = FrozenCode(commit=commit, manifest=hashlib.sha256(manifest_bytes(release.manifest)).hexdigest())
    write_bytes(releases / CODE, code_text({**code, name: frozen}).encode())
    tell(f"{CODE} names the commit {commit} for {name}")


def made_by(provenance: Provenance) -> tuple[str, str]:
    """The commit that a build was made from, by its provenance; or "" and the reason."""
    # Only a build has a key: a sealed release or a permissive part has none.
    if provenance.key is None:
        return "", "it is not the build of a recipe"
    again = "commit code, recipe and card, build again, and freeze again"
    if provenance.code is None or provenance.code.commit is None:
        why = (provenance.code and provenance.code.reason) or "its code has no commit"
        return "", f"{visible(why, 80)}; Carrara {visible(provenance.carrara, 40)} reproduces it without one"
    if provenance.code.dirty is not False:
        return "", f"its code differs from the commit; {again}"
    return provenance.code.commit, ""


def code_text(known: Mapping[str, FrozenCode]) -> str:
    """The text of `CODE.toml`: releases sorted by name and version."""

    def by_version(release: str) -> tuple[str, tuple[int, ...]]:
        name, _, version = release.partition("@")
        return name, version_order(version)

    return _CODE_HEADER + "".join(
        f'\n["{name}"]\ncommit = "{known[name].commit}"\nmanifest = "{known[name].manifest}"\n'
        for name in sorted(known, key=by_version)
    )


def _silent(text: str) -> None:
    """Say nothing."""


def _frozen_parts(release: Release) -> dict[str, bytes]:
    """The frozen files by name; the manifest comes last, because it makes a folder a release."""
    parts = {name: release.small_file(name) for name in (RECIPE, PROVENANCE)}
    parts[PLANS] = plans_text(release.content).encode()
    parts[MANIFEST] = manifest_bytes(release.manifest)
    return parts


def _refuse_other(target: Path, release: Release, parts: Mapping[str, bytes]) -> None:
    frozen = open_release(target)
    if manifest_bytes(frozen.manifest) != parts[MANIFEST]:
        kind = _bump(frozen, release)
        raise ReleaseError(
            f"{release.name}@{release.version} is frozen, and this release differs from it ({kind}: {_WHY[kind]})",
            f'A frozen release is never edited: write version = "{next_version(release.version, kind)}" in the recipe.',
        )
    for name in (RECIPE, PLANS):
        if frozen.small_file(name) != parts[name]:
            raise ReleaseError(f"{target / name} was edited after it was frozen", "Restore it from version control.")


def _bump(before: Release, release: Release) -> Bump:
    lines = {name: list(digest_lines(release, name)) for name in release.configs}
    return bump(before.manifest, release.manifest, lines)


def _earlier(home: Path, release: Release) -> Release | None:
    """The newest frozen version before this one; None for the first of its name."""
    versions = sorted(version_order(folder.name) for folder in home.glob("*") if is_version(folder.name))
    if not versions:
        return None
    earlier = [version for version in versions if version < version_order(release.version)]
    if not earlier:
        first = ".".join(map(str, versions[0]))
        raise ReleaseError(
            f"{release.name}@{release.version} is older than the first frozen version {first}",
            "Raise the version in the recipe and build again.",
        )
    folder = home / ".".join(map(str, earlier[-1]))
    before = open_release(folder)
    if (before.name, before.version) != (release.name, folder.name):
        raise ReleaseError(f"{folder} holds {before.name}@{before.version}", "Restore it from version control.")
    return before


def _write(home: Path, target: Path, parts: Mapping[str, bytes]) -> None:
    work = home / f".{target.name}.freezing"
    try:
        if work.exists():
            shutil.rmtree(work)
        work.mkdir(parents=True)
        for name, data in parts.items():
            write_bytes(work / name, data)
        work.rename(target)
        sync_folder(home)
    except OSError as error:
        raise ReleaseError(f"cannot write {target}: {error.strerror or error}", "Freeze again.") from error
