"""Remakes rows, plans and whole releases from the recipe in a manifest, and counts from the rows what it says of them.

For `verify` to compare with.
"""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from carrara.engine.processes import Silent, Watch
from carrara.errors import ReleaseError
from carrara.making.build import Run, build, replan
from carrara.making.inputs import SourceInputs
from carrara.making.manifest import content as manifest_content
from carrara.making.manifest import longest_prompts
from carrara.making.probes import TRIAL_TOKENS, WRONG, probe
from carrara.making.proofs import OtherAnswers, paper_scores, read_back, wrong_scores
from carrara.making.row_maker import RowMaker
from carrara.making.sidecar import RowRecord, Sidecar, row_record
from carrara.recipe.recipe import EMBEDDED, Config, Recipe, recipe_from_json
from carrara.release.manifest import file_entry, recipe_file
from carrara.release.reader import Release, open_release, rows
from carrara.release.schema import Content, Manifest, ProbeFacts, SourceFacts
from carrara.release.store import Folder, Place
from carrara.release.verify import Remaker
from carrara.sources import find_pin
from carrara.stream import Stream
from carrara.tokens import Tokenizer, load_tokenizer

# Runs hold ranks, not texts: those of a whole release take some megabytes.
_MOST_BYTES = 1024**3


def remaker(
    release: Path | Place,
    sources: Path | None,
    workers: int,
    watch: Watch | None = None,
) -> Remaker:
    """The functions that remake rows, plans and content roots; each reads its inputs when first called.

    `watch` is told how a rebuild goes on.
    """

    place = Folder(release) if isinstance(release, Path) else release

    @cache
    def runs() -> Path | None:
        return frozen_runs(open_release(place))

    @cache
    def recipe() -> Recipe:
        return recipe_from_json(recipe_file(open_release(place).content))

    @cache
    def maker() -> RowMaker:
        return RowMaker(recipe(), sources, runs())

    def rebuilt() -> Manifest:
        near = place.path.resolve().parent if isinstance(place, Folder) else None
        with tempfile.TemporaryDirectory(prefix="carrara-rebuild-", dir=near) as folder:
            run = Run(Path(folder), sources, workers, runs=runs())
            return open_release(build(recipe(), run, watch or Silent())).manifest

    return Remaker(
        lambda row_id: maker().remake(row_id),
        lambda: replan(recipe(), sources, runs()),
        rebuilt,
        lambda name: row_ids(recipe(), name),
        lambda: recounted(open_release(place), recipe()),
    )


def row_ids(recipe: Recipe, name: str) -> list[str]:
    """The ids of the rows that a recipe makes for a config, in order; none where it has no such config."""
    found = [config for config in recipe.configs() if config.name == name]
    return [config.task.row_id(config.slot(index)) for config in found for index in range(config.rows)]


def recounted(release: Release, recipe: Recipe) -> Content:
    """The content that a manifest should have by its rows and recipe; every prompt is encoded again.

    What no row shows is the manifest's own: files of sources, plan digests, frozen runs, and the scores of wrong
    answers to rows of over 32k tokens, which were tried on shorter ones. Raises RowError, ReleaseError.
    """
    stated, tokenizer = release.content, load_tokenizer(recipe.tokenizer)
    configs = {config.name: config for config in recipe.configs() if config.name in release.configs}
    smallest: dict[tuple[str, str], int] = {}
    for config in configs.values():
        key = (config.task.name, config.variant)
        smallest[key] = min(config.bucket_tokens, smallest.get(key, config.bucket_tokens))
    sidecars = {}
    scored: dict[str, str] = {}
    for name, config in configs.items():
        is_probed = config.bucket_tokens == smallest[config.task.name, config.variant]
        metrics: set[str] = set()
        records = list(_records(release, config, is_probed, tokenizer.count, metrics))
        scored[name] = ", ".join(sorted(metrics))
        each = config.rows_per_file
        sidecars[name] = [
            Sidecar(key="", file=file, sha256="", bytes=0, rows=tuple(records[number * each : (number + 1) * each]))
            for number, file in enumerate(release.configs[name].files)
        ]
    sources = {name: _source(name, facts, recipe, tokenizer) for name, facts in stated.sources.items()}
    plans = {name: facts.plans for name, facts in stated.configs.items()}
    made = manifest_content(recipe, tokenizer.fingerprint, sources, sidecars, plans)
    facts = {}
    longest = longest_prompts(release) if any(one.longest for one in stated.configs.values()) else {}
    for name, one in made.configs.items():
        firsts = range(0, configs[name].rows, configs[name].rows // configs[name].items)
        config = configs[name]
        is_probed = config.bucket_tokens == smallest[config.task.name, config.variant]
        tried_shorter = is_probed and any(config.slot(index).length > TRIAL_TOKENS for index in firsts)
        own: dict[str, object] = {"longest": longest[name]} if longest else {}
        if tried_shorter:
            wrong = [cell for cell in stated.configs[name].probes if cell.probe in WRONG]
            probes = sorted((*one.probes, *wrong), key=_place)
            own |= {"probes": tuple(probes), "paper_scores": stated.configs[name].paper_scores}
        facts[name] = one.model_copy(update={"metric": scored[name], **own})
    return made.model_copy(update={"configs": facts, **({"runs": stated.runs} if stated.runs else {})})


def _place(cell: ProbeFacts) -> tuple[bool, str, int, str]:
    """Where a probe stands in a manifest: what rests on no question comes last, as its task gives it."""
    return cell.items == 0, cell.view, cell.complexity, cell.probe if cell.items else ""


def _source(name: str, stated: SourceFacts, recipe: Recipe, tokenizer: Tokenizer) -> SourceFacts:
    """What this copy of Carrara, or the recipe, says of a source; its files are the manifest's."""
    if name in EMBEDDED:
        return SourceInputs(name, recipe, None, tokenizer).facts
    pin = find_pin(name, None, recipe.own_sources)
    said = {key: getattr(pin, key) for key in ("title", "lang", "licence", "citation", "url")}
    return stated.model_copy(update=said)


def _records(
    release: Release, config: Config, is_probed: bool, count: Callable[[str], int], metrics: set[str]
) -> Iterator[RowRecord]:
    """The records of a config's rows; the metrics that they name are put into `metrics`."""
    task, others = config.task, OtherAnswers()
    for index, row in enumerate(rows(release, config.name)):
        if index == config.rows:
            return
        if index % config.rows_per_file == 0:
            others = OtherAnswers()
        slot = config.slot(index)
        draft = read_back(config, slot, row)
        metrics.add(row["metric"])
        table = row.copy()
        table["tokens"] = count(row["prompt"])
        paper: dict[str, dict[str, float]] = {}
        probes = None
        other = others.of(slot.item.index)
        if index % (config.rows // config.items) == 0:
            wrong: dict[str, float] = {}
            if is_probed and slot.length <= TRIAL_TOKENS:
                paper = paper_scores(task, row, other)
                wrong = wrong_scores(row, other)
            probes = probe(task, draft, row, Stream("probes", task.item_id(slot.item)), wrong)
        others.saw(slot.item.index, draft.answers)
        yield row_record(table, slot, "", paper, probes, dict(task.notes(draft)) if task.notes else {})


def frozen_runs(release: Release) -> Path | None:
    """The folder of a release's frozen runs of retrieved passages, fetched from the Hub; None where it has none."""
    if not isinstance(release.place, Folder):
        return _copied_runs(release)
    folder = release.place.path / "runs"
    return folder if folder.is_dir() else None


def _copied_runs(release: Release) -> Path | None:
    """Copy the frozen runs of a release on the Hub into a folder that is deleted when the process ends."""
    names = [path for path in release.files if path.startswith("runs/")]
    if not names:
        return None
    if sum(release.files[name].bytes for name in names) > _MOST_BYTES:
        raise ReleaseError(
            f"{release.name} lists runs of over {_MOST_BYTES} bytes, expected less", "Download the release first."
        )
    folder = Path(tempfile.mkdtemp(prefix="carrara-runs-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with release.open(name) as stream, target.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        if file_entry(target) != release.files[name]:
            raise ReleaseError(f"{name} is not the file in the manifest", "Nothing was made: run carrara verify DIR.")
    return folder / "runs"
