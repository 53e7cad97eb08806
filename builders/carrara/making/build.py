"""Builds a release: its data files one by one, then the audit of the whole, then the release folder in one rename.

Until the rename everything is in `<out>/<name>/.<version>.building` (the release in `release/`, the records of its
files in `sidecars/`). A killed build resumes from there; a change of recipe, code, libraries, vocabulary or sources
makes it start over.

Several hosts share a build without a lock: each makes a share of the data files in a folder of its own (`build_part`),
and `build` takes what these hold. The same key says that they are of one recipe, code and sources.
"""

import json
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from carrara.card.card import finish
from carrara.engine import processes
from carrara.engine import ray as engine_ray
from carrara.engine.code import code_fingerprint, library_versions
from carrara.engine.files import copy_file, file_sha256, owned, sync_folder, write_bytes
from carrara.engine.parquet import write_rows
from carrara.engine.processes import Engine, Silent, Watch
from carrara.errors import BudgetError, CarraraError, ProofError, ReleaseError
from carrara.making.manifest import content as manifest_content
from carrara.making.manifest import longest_prompts
from carrara.making.proofs import OtherAnswers, release_audit
from carrara.making.row_maker import Made, RowMaker, plans_digest
from carrara.making.sidecar import (
    BuildIdentity,
    BuildPart,
    RowRecord,
    Sidecar,
    kept_sidecar,
    read_part,
    write_part,
    write_sidecar,
)
from carrara.recipe.recipe import Config, Recipe, recipe_from_json
from carrara.release import manifest
from carrara.release.manifest import PROVENANCE
from carrara.release.provenance import Provenance, now
from carrara.release.reader import Release, open_release
from carrara.release.schema import FORMAT, MANIFEST, Content, Manifest, SourceFacts, shown
from carrara.release.store import Folder
from carrara.release.verify import verify
from carrara.retrieval.run import FrozenRun, write_run
from carrara.row import DigestLine, Row, canonical_json
from carrara.task import Slot
from carrara.tokens import COMMON, load_tokenizer

# A data file: the config's name and the file's number.
Job = tuple[str, int]
_NAMED = 3
_COUNT = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Run:
    """Where and how a build runs; none of it may change a row."""

    out: Path
    sources: Path | None = None
    workers: int = 1
    releases: Path | None = None
    # Frozen runs to use; without them they are made.
    runs: Path | None = None
    engine: Engine = "processes"
    # Folders of parts that hold data files of this build, and whether those are made that none of them holds.
    parts: tuple[Path, ...] = ()
    is_filling: bool = False


@dataclass(frozen=True, slots=True)
class BuildShare:
    """One of `of` shares of a release's data files, from 1. Together they are all of them; none is in two."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def jobs(self, configs: Sequence[Config]) -> list[Job]:
        """The files of this share, the largest first, so that no worker is left alone with one at the end."""
        tokens = {config.name: config.bucket_tokens * min(config.rows_per_file, config.rows) for config in configs}
        every = [(config.name, number) for config in configs for number in range(config.files)]
        return sorted(every, key=lambda job: -tokens[job[0]])[self.number - 1 :: self.of]

    def rows(self, configs: Sequence[Config]) -> dict[str, int]:
        """How many rows of each config this share makes, of those of which it makes any."""
        slots = self._slots(configs)
        return {name: len(slots[name]) for name in slots}

    def size(self, configs: Sequence[Config]) -> tuple[int, int]:
        """The rows and tokens of this share, prompt and answer."""
        slots = [slot for own in self._slots(configs).values() for slot in own]
        return len(slots), sum(slot.length for slot in slots)

    def _slots(self, configs: Sequence[Config]) -> dict[str, list[Slot]]:
        by_name = {config.name: config for config in configs}
        slots: dict[str, list[Slot]] = {}
        for name, number in self.jobs(configs):
            slots.setdefault(name, []).extend(by_name[name].file_slots(number))
        return slots


WHOLE = BuildShare(1, 1)


def share(text: str) -> BuildShare:
    """The share that `K/N` means. Raises CarraraError for another text."""
    number, _, of = text.partition("/")
    if not (_COUNT.fullmatch(number) and _COUNT.fullmatch(of) and 1 <= int(number) <= int(of)):
        raise CarraraError(f"got part {text!r}, expected K/N with K from 1 to N", "for example --part 3/16")
    return BuildShare(int(number), int(of))


def build(recipe: Recipe, run: Run, watch: Watch) -> Path:
    """Build a recipe's release and return its folder. A release that is there and current is left alone."""
    provenance = Provenance.here(platform=f"{platform.system()} {platform.machine()}", started=now())
    home = run.out / recipe.name
    final, work = home / recipe.version, home / f".{recipe.version}.building"
    for name in COMMON:
        # For the lengths in the card: what is not to be had is told before hours of work.
        load_tokenizer(name)
    inputs = _inputs(recipe, run, watch)
    maker, sources, frozen, key = inputs.maker, inputs.sources, inputs.runs, inputs.identity.key
    _makedirs(home)
    with _owned(home):
        _refuse_strange_work(work)
        _refuse_stranger(final)
        if final.exists() and _is_current(final, key):
            # Left by a build that was killed after the rename, or abandoned.
            shutil.rmtree(work, ignore_errors=True)
            watch.note(f"{final} is already built from this recipe")
            return final
        if _is_current(work / "release", key):
            _give_name(work, final, home)
            return final
        _open_work(work, key, watch)
        if run.parts:
            _gather(recipe, work, inputs.identity, run)
        configs = recipe.configs()
        try:
            sidecars = _make_files(recipe, work, key, run, watch)
            _audit(recipe, sidecars)
            watch.note("rows are proven; writing the card, the digests and the manifest")
            plans = {config.name: plans_digest(maker, config) for config in configs}
            content = manifest_content(recipe, maker.tokenizer.fingerprint, sources, sidecars, plans, frozen)
            _refuse_frozen(recipe, content, run.releases)
        except (BudgetError, ProofError, ReleaseError):
            # The same key gives the same error: there is nothing to resume.
            shutil.rmtree(work)
            raise
        release = work / "release"
        content = _with_longest(content, release)
        for name, frozen_run in frozen.items():
            write_run(release / "runs", name, frozen_run.record, frozen_run.table)
        _write_digests(sidecars, release)
        finish(content, release)
        made = provenance.model_copy(update={"key": key, "finished": now(), "workers": run.workers})
        write_bytes(release / PROVENANCE, made.to_bytes())
        manifest.write_manifest(release, content)
        _give_name(work, final, home)
    return final


def build_part(recipe: Recipe, run: Run, share: BuildShare, watch: Watch) -> Path:
    """Make a share of a release's data files in the folder `run.out`, or go on where that was stopped; return it.

    Raises ReleaseError for a folder that holds something else, or a part of another recipe, code or source.
    """
    inputs = _inputs(recipe, run, watch)
    _makedirs(run.out)
    with _owned(run.out):
        _open_part(recipe, run.out, BuildPart(identity=inputs.identity, number=share.number, of=share.of))
        _make_files(recipe, run.out, inputs.identity.key, run, watch, share)
    return run.out


def replan(recipe: Recipe, sources: Path | None, runs: Path | None = None) -> dict[str, str]:
    """The plans digest of every config, from the recipe, and from frozen runs where it retrieves."""
    maker = RowMaker(recipe, sources, runs)
    return {config.name: plans_digest(maker, config) for config in recipe.configs()}


def _prepare(maker: RowMaker, workers: int, watch: Watch) -> dict[str, SourceFacts]:
    """Open every source and prepare its haystack; return the manifest's facts of the sources."""
    facts = {}
    for config in maker.recipe.configs():
        for name in config.sources:
            if name not in facts:
                watch.note(f"opening source {name}")
                facts[name] = maker.inputs(name).facts
        if lang := config.task.variants[config.variant].haystack:
            maker.inputs(config.source).prepare(lang, workers)
    return facts


def _runs(maker: RowMaker, watch: Watch) -> dict[str, FrozenRun]:
    """The frozen run of every variant that reads retrieved passages, by the name of its files."""
    return {
        f"{config.task.name}_{config.variant}": maker.inputs(config.source).run(
            config.task.name, config.variant, _Notes(watch)
        )
        for config in maker.recipe.configs()
        if config.retrieval
    }


class _Notes(Silent):
    """Passes on notes alone: the questions of a search are no rows of the release."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def note(self, text: str) -> None:
        self._watch.note(text)


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What a build is made from, opened: its identity says which it is."""

    maker: RowMaker
    sources: dict[str, SourceFacts]
    runs: dict[str, FrozenRun]
    identity: BuildIdentity


def _inputs(recipe: Recipe, run: Run, watch: Watch) -> _Inputs:
    maker = RowMaker(recipe, run.sources, run.runs)
    sources = _prepare(maker, run.workers, watch)
    runs = _runs(maker, watch)
    identity = BuildIdentity(
        card=recipe.card,
        recipe=recipe.fingerprint(),
        code=code_fingerprint(),
        libraries=library_versions(),
        tokenizer=maker.tokenizer.fingerprint,
        sources={name: facts.fingerprint for name, facts in sources.items()},
        runs={name: run.digest for name, run in runs.items()},
    )
    return _Inputs(maker, sources, runs, identity)


def _makedirs(home: Path) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CarraraError(f"cannot create {home}: {error.strerror or error}", "give another --out") from error


@contextmanager
def _owned(home: Path) -> Iterator[None]:
    """Hold the lock of an output folder; the system releases it when the process ends, however it ends."""
    try:
        with owned(home, "build"):
            yield
    except OSError as error:
        raise CarraraError(
            f"cannot write {error.filename or home}: {error.strerror or error}",
            "check the free space and the permissions, then build again: finished files are kept",
        ) from error


def _is_current(final: Path, key: str) -> bool:
    """Whether a folder holds the intact release of that key; hashes its files, so that damage leads to a new build."""
    try:
        provenance = Provenance.read(open_release(final).small_file(PROVENANCE))
    except (OSError, ReleaseError):
        return False
    return provenance.key == key and verify(final, "files").is_good


def _built_mark(final: Path) -> Path:
    """The file that holds the sha256 of the manifests that builds here wrote to `final`: what may be replaced."""
    return final.with_name(f".{final.name}.built")


def _manifests_built(final: Path) -> list[str]:
    try:
        return _built_mark(final).read_text("ascii").split()
    except (OSError, UnicodeDecodeError):
        return []


def _refuse_stranger(final: Path) -> None:
    """Raise ReleaseError where `final` is, or holds, something that no build here made: a build would delete it."""
    if not os.path.lexists(final):
        return
    hint = "Move it, or give another --out."
    if final.is_symlink() or not (final / MANIFEST).is_file():
        raise ReleaseError(f"got something other than a release at {final}, expected a release or nothing", hint)
    if file_sha256(final / MANIFEST) not in _manifests_built(final):
        raise ReleaseError(f"got {final}, which no build here made, expected its own release or nothing", hint)
    release = open_release(final)
    files, odd = release.place.listing()
    listed = {*release.files, MANIFEST, PROVENANCE}
    folders = {str(parent) for path in listed for parent in PurePosixPath(path).parents}
    empty = (path.relative_to(final).as_posix() for path in final.rglob("*") if path.is_dir())
    if added := sorted({*files, *odd} - listed | set(empty) - folders):
        named = ", ".join(shown(path) for path in added[:_NAMED]) + ", …" * (len(added) > _NAMED)
        raise ReleaseError(f"got {named} in {final}, expected what its build made alone", hint)


def _refuse_strange_work(work: Path) -> None:
    """Raise ReleaseError where the folder for what is unfinished is something that no build made."""
    if os.path.lexists(work) and not (work / "key").is_file() and not _is_empty_folder(work):
        raise ReleaseError(
            f"got {work}, which no build made, expected an unfinished build or nothing",
            "Move it, or give another --out.",
        )


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and not any(path.iterdir())


def _check_rows(work: Path) -> None:
    """Raise ProofError where the rows that can be read are not the ones that were proven; those are made anew next."""
    if problems := verify(work / "release", "rows").problems:
        (work / "release" / MANIFEST).unlink()
        for config in {problem.config for problem in problems}:
            shutil.rmtree(work / "sidecars" / config)
        listed = "; ".join(f"{problem.config} {problem.message}".strip() for problem in problems[:_NAMED])
        raise ProofError(
            f"the finished files do not hold the rows that were proven: {listed}",
            "Build again: these files are made anew. If it comes again, check the disk and the memory.",
        )


def _open_work(work: Path, key: str, watch: Watch) -> None:
    mark = work / "key"
    if work.exists() and (not mark.is_file() or mark.read_text() != key):
        watch.note("found an unfinished build of another recipe, code or source: starting anew")
        shutil.rmtree(work)
    elif work.exists():
        watch.note("resuming the unfinished build")
        for torn in work.rglob(".*.tmp"):
            torn.unlink()
    work.mkdir(exist_ok=True)
    if not mark.is_file():
        write_bytes(mark, key.encode())


def _open_part(recipe: Recipe, folder: Path, part: BuildPart) -> None:
    """Make the folder of a part ready; what stands there already has to be of the same part."""
    if (there := read_part(folder)) is None:
        if any(entry.name != ".lock" for entry in folder.iterdir()):
            raise ReleaseError(
                f"got {folder}, which holds something other than a part of a build", "Give another --out, or empty it."
            )
        card = {"card": {"text": recipe.card}} if recipe.card else {}
        write_bytes(folder / "recipe.json", f"{canonical_json(recipe.to_json() | card)}\n".encode())
        write_part(folder, part)
    elif there != part:
        raise ReleaseError(
            f"got {folder}, which holds part {there.number}/{there.of}{_told_of_other(there, part.identity)}, expected "
            f"part {part.number}/{part.of} of this build",
            "Give another --out, or empty it.",
        )
    for torn in folder.rglob(".*.tmp"):
        torn.unlink()


def _told_of_other(part: BuildPart, ours: BuildIdentity) -> str:
    differs = part.identity.differs(ours)
    return f" of a build with other {' and '.join(differs)}" if differs else ""


def _gather(recipe: Recipe, work: Path, ours: BuildIdentity, run: Run) -> None:
    """Copy what parts hold into `work`. Raises ReleaseError for parts of other builds and for files in no part."""
    parts: dict[Path, BuildPart] = {}
    for folder in run.parts:
        if (part := read_part(folder)) is None:
            raise ReleaseError(f"got {folder}, expected a part: a folder that carrara build --part wrote")
        if other := _told_of_other(part, ours):
            raise ReleaseError(
                f"{folder} is a part{other} than is here",
                "Make all parts and put them together with the same version of carrara and of its libraries.",
            )
        parts[folder] = part
    by_name = {config.name: config for config in recipe.configs()}
    missing: list[Job] = []
    every = WHOLE.jobs(recipe.configs())
    for name, number in every:
        if kept_sidecar(work, name, number, ours.key) is not None:
            continue
        file = _data_file(by_name[name], number)
        for folder in parts:
            sidecar = kept_sidecar(folder, name, number, ours.key)
            if sidecar is not None and sidecar.file == file:
                # The sidecar is the last: a file without one counts as not there.
                copy_file(folder / "release" / file, work / "release" / file)
                write_sidecar(work, name, number, sidecar)
                break
        else:
            missing.append((name, number))
    if missing and not run.is_filling:
        of = max(part.of for part in parts.values())
        shares = sorted({1 + every.index(job) % of for job in missing})
        named = ", ".join(f"{name} {number}" for name, number in missing[:_NAMED]) + ", …" * (len(missing) > _NAMED)
        raise ReleaseError(
            f"{len(missing):,} of {len(every):,} data files are in no part, or damaged there: {named}",
            f"Make them: carrara build RECIPE --part {shares[0]}/{of} --out PART"
            + f" (and {', '.join(f'{share}/{of}' for share in shares[1:])})" * (len(shares) > 1)
            + "; or --fill makes them here.",
        )


def _data_file(config: Config, number: int) -> str:
    return f"data/{config.name}/test-{number:05d}-of-{config.files:05d}.parquet"


def _make_files(
    recipe: Recipe, work: Path, key: str, run: Run, watch: Watch, share: BuildShare = WHOLE
) -> dict[str, list[Sidecar]]:
    """Make the data files of a share that are not there yet; return the sidecars of all of them, by config."""
    configs = recipe.configs()
    sidecars: dict[str, dict[int, Sidecar]] = {config.name: {} for config in configs}
    rows = share.rows(configs)
    jobs: list[Job] = []
    for config in configs:
        if config.name in rows:
            watch.start(config.name, rows[config.name])
    for name, number in share.jobs(configs):
        if (kept := kept_sidecar(work, name, number, key)) is None:
            jobs.append((name, number))
        else:
            sidecars[name][number] = kept
            watch.advance(name, len(kept.rows), kept.length)
    for (name, number), sidecar in _done(jobs, recipe, work, key, run, watch):
        sidecars[name][number] = sidecar
        watch.advance(name, len(sidecar.rows), sidecar.length)
    return {name: [files[number] for number in sorted(files)] for name, files in sidecars.items()}


def _done(
    jobs: Iterable[Job], recipe: Recipe, work: Path, key: str, run: Run, watch: Watch
) -> Iterator[tuple[Job, Sidecar]]:
    """Every job with its sidecar, as it is done."""
    folders = [str(folder.resolve()) if folder else "" for folder in (run.sources, run.runs)]
    arguments = (canonical_json(recipe.to_json()), *folders, str(work), key)
    if run.engine == "processes":
        yield from processes.run(jobs, _make_file, workers=run.workers, start=_start, arguments=arguments)
        return
    away = engine_ray.run(jobs, _make_away, workers=run.workers, start=_start, arguments=arguments, note=watch.note)
    for (name, number), (sidecar, data) in away:
        write_bytes(work / "release" / sidecar.file, data)
        write_sidecar(work, name, number, sidecar)
        yield (name, number), sidecar


@dataclass(slots=True)
class _Worker:
    """The state of a process that makes data files."""

    maker: RowMaker
    configs: dict[str, Config]
    work: Path
    key: str


def _start(recipe_json: str, sources: str, runs: str, work: str, key: str) -> _Worker:
    recipe = recipe_from_json(json.loads(recipe_json))
    maker = RowMaker(recipe, Path(sources) if sources else None, Path(runs) if runs else None)
    return _Worker(maker, {config.name: config for config in recipe.configs()}, Path(work), key)


def _make_away(worker: _Worker, job: Job) -> tuple[Sidecar, bytes]:
    """Make a file on a host that shares no folder with the build's: its bytes go there."""
    with tempfile.TemporaryDirectory() as folder:
        sidecar = _make_file(replace(worker, work=Path(folder)), job)
        return sidecar, (Path(folder) / "release" / sidecar.file).read_bytes()


def _make_file(worker: _Worker, job: Job) -> Sidecar:
    name, number = job
    config = worker.configs[name]
    relative = _data_file(config, number)
    records: list[RowRecord] = []

    def rows() -> Iterator[Row]:
        others = OtherAnswers()
        longest: Row | None = None
        for slot in config.file_slots(number):
            made: Made = worker.maker.make(config, slot, others.of(slot.item.index))
            others.saw(slot.item.index, made.row.answers)
            records.append(made.record)
            if longest is None or made.row.tokens > longest.tokens:
                longest = made.row
            yield made.row
        if longest is not None:
            worker.maker.encode_whole(longest)

    facts = write_rows(worker.work / "release" / relative, rows())
    sidecar = Sidecar(key=worker.key, file=relative, sha256=facts.sha256, bytes=facts.bytes, rows=tuple(records))
    write_sidecar(worker.work, name, number, sidecar)
    return sidecar


def _audit(recipe: Recipe, sidecars: Mapping[str, Sequence[Sidecar]]) -> None:
    if findings := release_audit(recipe, sidecars):
        listed = "; ".join(f"{finding.what}: {finding.detail}" for finding in findings[:5])
        raise ProofError(
            f"the release is not sound: {listed}",
            "The tasks of the rows named are at fault. Are they tasks of Carrara? Then please report it.",
        )


def _refuse_frozen(recipe: Recipe, content: Content, releases: Path | None) -> None:
    """Raise ReleaseError where a build of a frozen version gives other rows."""
    frozen = releases / recipe.name / recipe.version if releases else None
    if frozen is None or not (frozen / MANIFEST).is_file():
        return
    before, after = open_release(frozen).configs, content.configs
    changed = [
        name
        for name in sorted({*before, *after})
        if name not in before or name not in after or before[name].root != after[name].root
    ]
    if changed:
        raise ReleaseError(
            f"{recipe.name}@{recipe.version} is frozen, and this build gives other rows in {', '.join(changed[:5])}",
            "raise the version in the recipe: a frozen release is never edited",
        )


def _write_digests(sidecars: Mapping[str, Sequence[Sidecar]], release: Path) -> None:
    for name, files in sidecars.items():
        lines = [DigestLine(row.digest, row.id) for file in files for row in file.rows]
        write_bytes(release / "digests" / f"{name}.txt", "".join(f"{line}\n" for line in lines).encode())


def _with_longest(content: Content, folder: Path) -> Content:
    """The content with what the longest prompts measure by other tokenizers."""
    release = Release(Folder(folder), Manifest(format=FORMAT, content=content, files={}))
    configs = {
        name: content.configs[name].model_copy(update={"longest": counts})
        for name, counts in longest_prompts(release).items()
    }
    return content.model_copy(update={"configs": configs})


def _give_name(work: Path, final: Path, home: Path) -> None:
    """Read every row of the finished release and rename it to its final folder; what was there is deleted after that.

    Raises ProofError where the rows are not the proven ones.
    """
    _check_rows(work)
    old, here = work / "old", file_sha256(work / "release" / MANIFEST)
    # Both, so that whichever a kill leaves there is known.
    write_bytes(_built_mark(final), "".join(f"{one}\n" for one in {*_manifests_built(final), here}).encode())
    if final.exists():
        shutil.rmtree(old, ignore_errors=True)
        final.rename(old)
    (work / "release").rename(final)
    sync_folder(home)
    write_bytes(_built_mark(final), f"{here}\n".encode())
    shutil.rmtree(work)
