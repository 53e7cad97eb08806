"""The Python API: what `import carrara` offers, and what the command line calls.

    import carrara

    rows = carrara.load("quickstart@3.0.0", bucket="32k")
    answers = {row.id: ask(row.prompt, row.max_output_tokens) for row in rows}
    report = carrara.score(rows, answers, model="mine")

A *place* is where a release lies: a folder, `hf://user/name@version`, or `name@version` of one that is built in ./out.
A *recipe* is the name of one in the package, the path of a TOML file, or a `Recipe`. `progress` is a function that is
called with what is made or checked, how much of it is done, and of how much; or a `Watch`.

Nothing here prints or ends the process. What is wrong with what was given is a `CarraraError` with `message` and
`hint`; a file that cannot be opened is an `OSError`.

The examples use a release `small` in ./out, of eleven rows.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, overload

from carrara.engine.processes import Engine, Silent, Watch, steps
from carrara.errors import CarraraError, ReleaseError, library
from carrara.release import reader
from carrara.release.configs import ChosenNames, choose_configs
from carrara.release.hub_store import Remote, place
from carrara.release.reader import Release
from carrara.release.schema import shown
from carrara.release.store import OUT, Folder, Place
from carrara.row import ArrowRow, Row

if TYPE_CHECKING:
    from datasets import Dataset

    from carrara.making.build import Run
    from carrara.making.forecast import BuildPlan
    from carrara.making.reproduce import Reproduction
    from carrara.recipe.recipe import Recipe
    from carrara.release.report import GivenResponses
    from carrara.release.verify import Level, Verification
    from carrara.scoring.compare import Comparison, Comparisons
    from carrara.scoring.judge.verdicts import Verdicts
    from carrara.scoring.report import Report
    from carrara.scoring.result import Result

    GivenResult = str | Path | Report | Result

# Told of what is made or checked, how much of it is done, and of how much.
Tell = Callable[[str, int, int], None]


# --- reading ----------------------------------------------------------------------------------------------------------


def open_release(where: str | Path | Place | Release) -> Release:
    """Open a release and check its manifest; reads no rows. Raises ReleaseError, and HubError for one on the Hub.

    >>> release = carrara.open_release("small@1.0.0")
    >>> release.name, release.version, list(release.configs)[0]
    ('small', '1.0.0', 'numeric_sorting_ascending_4k')
    """
    if isinstance(where, Release):
        return where
    if isinstance(where, list):
        raise CarraraError(
            "got a list, expected the place of a release",
            "To score some rows of every config give what carrara.load gave, and first=N.",
        )
    return reader.open_release(place(str(where)) if isinstance(where, str | Path) else where)


def load(
    where: str | Path | Place | Release,
    *,
    bucket: ChosenNames = None,
    task: ChosenNames = None,
    config: ChosenNames = None,
    unverified: bool = False,
) -> "Rows":
    """The rows of a release, or of some of its configs: one name or several of buckets, tasks or configs, or globs.

    Every row is checked against its digest as it is read, unless they are taken `unverified`; ReleaseError for another.
    Raises CarraraError, with the nearest names, for a name that nothing has; and what `open_release` does.

    >>> rows = carrara.load("small@1.0.0", task="single_needle", bucket="4k")
    >>> len(rows)
    5
    >>> row = rows[0]
    >>> row.id, row.tokens + row.max_output_tokens <= 4096, row.answers
    ('needlebench/single_needle_en/4k/00000', True, ('...',))
    """
    release = open_release(where)
    release.refuse_record()
    release = replace(release, unverified=release.unverified or unverified)
    return Rows(release, choose_configs(release.configs, bucket=bucket, task=task, config=config))


class Rows:
    """Rows of a release, in the order of its configs: to iterate over as often as wanted, count, and look up.

    Iterating holds one batch of a row group in memory, at most 16 MiB of prompts or one prompt. A row is found by its
    id or its position, and reads its row group and its config's list of digests alone.
    """

    def __init__(self, release: Release, configs: Sequence[str]) -> None:
        self.release = release
        self.configs = tuple(configs)

    def __repr__(self) -> str:
        of = len(self.release.configs)
        which = f"{len(self.configs):,} of {of:,} configs" if len(self.configs) < of else f"{of:,} configs"
        return f"Rows of {self.release.name}@{self.release.version}: {len(self):,} rows of {which}"

    def __len__(self) -> int:
        return sum(self.release.configs[name].rows for name in self.configs)

    def __iter__(self) -> Iterator[Row]:
        for name in self.configs:
            for found in reader.checked_rows(self.release, name):
                yield _row(found)

    @overload
    def __getitem__(self, key: int | str) -> Row: ...

    @overload
    def __getitem__(self, key: slice) -> list[Row]: ...

    def __getitem__(self, key: int | str | slice) -> Row | list[Row]:
        """The row with an id or at a position, or those of a slice.

        Raises ReleaseError for an id that is not among them, IndexError for a position behind the last.
        """
        if isinstance(key, slice):
            return [self[place] for place in range(*key.indices(len(self)))]
        if isinstance(key, str):
            if (name := reader.config_of(self.release, key)) not in self.configs:
                raise ReleaseError(f"got row {shown(key)}, which is not among these rows", "Load its config, or all.")
            return self._at(name, int(key.rpartition("/")[2]))
        left = key + len(self) if key < 0 else key
        for name in self.configs if left >= 0 else ():
            if left < (held := self.release.configs[name].rows):
                return self._at(name, left)
            left -= held
        raise IndexError(f"got row {key}, expected one of {len(self):,} rows")

    def _at(self, config: str, index: int) -> Row:
        [(_, found)] = reader.checked_rows_at(self.release, config, [index])
        return _row(found)

    def to_dataset(self) -> "Dataset":
        """The rows as a `datasets.Dataset`, in the cache of that library. Raises MissingLibraryError without it.

        The columns are those of `Row`, lists for tuples and `{"start": ..., "end": ...}` for spans.
        """
        datasets = library("datasets", "load")
        where = self.release.place
        paths = [path for name in self.configs for path in self.release.configs[name].files]
        if isinstance(where, Folder):
            files = [str(where.file(path)) for path in paths]
        elif isinstance(where, Remote):
            files = [f"hf://datasets/{where.repository}@{where.commit}/{path}" for path in paths]
        else:
            raise ReleaseError(f"got {where.label}, expected a folder or hf://user/name@version", "Load it from there.")
        made: Dataset = datasets.Dataset.from_parquet(files, split="test")
        return made


def _row(found: ArrowRow) -> Row:
    try:
        return Row.from_arrow(found)
    except TypeError as error:
        problem = f"row {shown(found['id'])} has no span where one is expected, or no list"
        raise ReleaseError(problem, "The release was altered: run carrara verify.") from error


# --- planning, making, checking ---------------------------------------------------------------------------------------


def plan(
    recipe: "str | Path | Recipe",
    *,
    stream: str | None = None,
    sources: str | Path | None = None,
    workers: int | None = None,
    items: int = 0,
) -> "BuildPlan":
    """What a build will make: rows, tokens, size and time of every config, and which sources it needs. Builds nothing.

    Every source is looked for: in the folder `sources` (else CARRARA_SOURCES), else the Hub has it, else it is missing.
    `missing` of the plan holds what is not on this machine, encoders included.
    `items` asks for the plans of the first items of every config too, for which the sources are read. Raises
    RecipeError, and SourceError with the nearest name for a source that nobody knows.

    >>> carrara.plan("recipes/small.toml", workers=1)
    BuildPlan of small@1.0.0: 11 rows, 50.2k tokens, 50.2 kB, about 9 s; sources: world (embedded)
    """
    from carrara.making.forecast import forecast

    return forecast(_recipe(recipe, stream), _sources(sources), _workers(workers), items)


def build(
    recipe: "str | Path | Recipe",
    out: str | Path = OUT,
    *,
    stream: str | None = None,
    sources: str | Path | None = None,
    workers: int | None = None,
    runs: str | Path | None = None,
    engine: Engine = "processes",
    progress: Tell | Watch | None = None,
) -> Release:
    """Build a recipe's release into <out>/<name>/<version>, or go on where a build was stopped; prove every row.

    A release that is there and current is left alone. `stream` makes a twin, which shares nothing with the release;
    `sources` is the folder of real sources (else the environment variable CARRARA_SOURCES, else the Hub); `workers`
    are processes, as many as there are processors by default; `runs` is a folder of frozen runs; `engine` "ray" works
    on the hosts of a Ray cluster. None of the last four changes a row. Raises RecipeError, SourceError, BudgetError,
    ProofError and ReleaseError.

    >>> carrara.build("recipes/small.toml")
    Release small@1.0.0 in out/small/1.0.0
      11 rows (7 of 4k, 4 of 8k), 45.7k tokens, 4 configs of 2 tasks
      root ...
    """
    from carrara.making.build import build as build_release
    from carrara.recipe.recipe import beside

    loaded = _recipe(recipe, stream)
    file = str(loaded.file) if loaded.file else None
    run = _run(out, sources, workers, runs, engine)
    frozen = beside(file, "releases") if file else None
    return reader.open_release(build_release(loaded, replace(run, releases=frozen), _watch(progress)))


def build_part(
    recipe: "str | Path | Recipe",
    part: str,
    out: str | Path,
    *,
    stream: str | None = None,
    sources: str | Path | None = None,
    workers: int | None = None,
    runs: str | Path | None = None,
    engine: Engine = "processes",
    progress: Tell | Watch | None = None,
) -> Path:
    """Make one part of a build, such as "3/16", in the folder `out`; `assemble` puts parts together to the release.

    The folder is the part's own: hosts that make parts share nothing. Raises as `build` does.
    """
    from carrara.making.build import build_part as build_one
    from carrara.making.build import share

    return build_one(_recipe(recipe, stream), _run(out, sources, workers, runs, engine), share(part), _watch(progress))


def assemble(
    parts: Sequence[str | Path],
    out: str | Path = OUT,
    *,
    fill: bool = False,
    sources: str | Path | None = None,
    workers: int | None = None,
    runs: str | Path | None = None,
    releases: str | Path | None = None,
    progress: Tell | Watch | None = None,
) -> Release:
    """Put the parts of a build together to its release in <out>/<name>/<version>: that of `build`, byte for byte.

    What is in no part is made here with `fill`, else refused, as are parts of another recipe, code, library, vocabulary
    or source. `releases` is the folder of frozen releases. Raises as `build` does.
    """
    from carrara.making.build import build as build_release
    from carrara.recipe.recipe import Recipe

    if not parts:
        raise CarraraError("got no part, expected at least one", "carrara assemble PART...")
    run = replace(
        _run(out, sources, workers, runs, "processes"),
        parts=tuple(map(Path, parts)),
        is_filling=fill,
        releases=None if releases is None else Path(releases),
    )
    loaded = Recipe.from_toml(Path(parts[0]) / "recipe.json")
    return reader.open_release(build_release(loaded, run, _watch(progress)))


def verify(
    where: str | Path | Place | Release,
    level: "Level" = "files",
    *,
    row: str | None = None,
    sources: str | Path | None = None,
    workers: int | None = None,
    progress: Tell | Watch | None = None,
) -> "Verification":
    """Check a copy of a release against its manifest: `files`, `rows`, `plans` or `rebuild`, each with those before.

    `files`: is this the download? `rows`: is this the dataset? `plans`: does the recipe plan these rows? `rebuild`:
    does it make them? With `row` only the row of that id is checked. What differs is in `problems` of the result, which
    `is_good` where there are none. Raises ReleaseError where there is no readable manifest.

    >>> carrara.verify("small@1.0.0", "rows").is_good
    True
    """
    from carrara.making.remake import remaker
    from carrara.release.verify import verify as verify_release
    from carrara.release.verify import verify_row

    found, watch = open_release(where).place, _watch(progress)
    again = remaker(found, _sources(sources), _workers(workers), watch)
    if row is not None:
        return verify_row(found, row, again)
    return verify_release(found, level, again, steps(watch))


def reproduce(
    where: str | Path | Place | Release,
    *,
    bucket: ChosenNames = None,
    task: ChosenNames = None,
    config: ChosenNames = None,
    exact: bool = False,
    out: str | Path | None = None,
    releases: str | Path = "releases",
    sources: str | Path | None = None,
    workers: int | None = None,
    progress: Tell | Watch | None = None,
) -> "Reproduction":
    """Build a frozen release again from its record, or some of its configs, and compare the root of every config.

    A record is found by `name@version`, in the folder `releases` or in the package; any other release will do, too.
    `exact` builds with the code of the commit that made it, and compares every byte; else that code is used only where
    the running code plans other rows. The built release is kept in `out`, if one is given. Raises ProofError where that
    code cannot be had, with what to type.

    >>> carrara.reproduce("small@1.0.0", bucket="8k").is_good
    True
    """
    from carrara.making.reproduce import Rebuild, find_record, record_folders
    from carrara.making.reproduce import reproduce as build_again

    record = find_record(where, record_folders(Path(releases))) if isinstance(where, str) else open_release(where)
    chosen = choose_configs(record.configs, bucket=bucket, task=task, config=config)
    kept = None if out is None else Path(out)
    return build_again(record, Rebuild(chosen, exact, kept, _sources(sources), _workers(workers)), _watch(progress))


# --- scoring ----------------------------------------------------------------------------------------------------------


def score(
    where: str | Path | Place | Release | Rows,
    responses: "GivenResponses",
    *,
    bucket: ChosenNames = None,
    task: ChosenNames = None,
    config: ChosenNames = None,
    first: int | None = None,
    metric: str | None = None,
    model: str | None = None,
    verdicts: "str | Path | Verdicts | None" = None,
    errata: str | Path | None = None,
    without_errata: bool = False,
    chance: bool = False,
    samples: bool = False,
    ids: str | Path | None = None,
    unverified: bool = False,
) -> "Report":
    """Score a model's responses to a release, or to those of its rows that were loaded, each by its own metric.

    `responses` are texts by row id (None: asked, without a response), or files: JSON lines with `id` and `response`,
    Parquet, or the logs of a harness or their folder. Several samples of a row are numbered in a field `sample`, or
    follow from the order of its lines with `samples`. A config without any response was not run and counts nowhere; in
    one that was run a missing response counts 0, but for `first`: where only so many rows of every config were asked.
    `model` names what is scored: by default what the run or the file is called. `metric` takes the place of the rows'
    own, `verdicts` is a file of `carrara judge`. Rows with known errors (`errata`: a file, by default what Carrara
    knows of the release) are counted, and left out with `without_errata`. `chance` also scores guesses. `ids` is a file
    that lists rows (`carrara select`): only these are scored, and the others count nowhere. Rows are checked against
    their digests, unless they are `unverified`, which the report says.

    Raises CarraraError where nothing can be scored: for ids of another release, an unknown metric, a broken file;
    ReleaseError for a sealed release.

    >>> rows = carrara.load("small@1.0.0", bucket="4k")
    >>> report = carrara.score(rows, {row.id: row.answers[0] for row in rows}, model="an oracle")
    >>> report
    Report on small@1.0.0, an oracle: 7 of 11 rows, mean of the tasks 100.0
    >>> report.tasks["single_needle"].interval, [config.config for config in report.not_run]
    (None, ['single_needle_en_8k'])
    """
    from carrara.release.report import (
        affected_rows,
        check_metric,
        model_name,
        responses_of,
        score_release,
        verdicts_of,
    )
    from carrara.release.selection import read_ids
    from carrara.scoring.result import KnownErrors

    rows = where if isinstance(where, Rows) else load(where)
    selected = None if ids is None else read_ids(Path(ids), rows.release)
    release = replace(rows.release, unverified=rows.release.unverified or unverified)
    held = {name: rows.release.configs[name] for name in rows.configs}
    chosen = choose_configs(held, bucket=bucket, task=task, config=config)
    check_metric(metric)
    given, judged = responses_of(responses, samples), verdicts_of(verdicts)
    if first is not None:
        given = replace(given, asked=(dict.fromkeys(rows.release.configs, range(first)),))
    affected = affected_rows(rows.release, chosen, errata, without_errata)
    report = score_release(
        release,
        given,
        config=chosen,
        metric=metric,
        model=model_name(model, given.model, responses),
        verdicts=judged,
        left_out=affected if without_errata else None,
        selected=selected,
        prepare=partial(_with_chance, verdicts=judged) if chance else iter,
    )
    if affected is None:
        return report
    count = affected.count if selected is None else sum(map(affected.has, selected.ids))
    return replace(report, known_errors=KnownErrors(affected.numbers, count, without_errata))


@overload
def compare(first: "GivenResult", second: "GivenResult", /) -> "Comparison": ...


@overload
def compare(
    first: "GivenResult", second: "GivenResult", third: "GivenResult", /, *others: "GivenResult"
) -> "Comparisons": ...


def compare(first: "GivenResult", second: "GivenResult", /, *others: "GivenResult") -> "Comparison | Comparisons":
    """Compare two results over the same rows, second less first, question by question, with 95 % intervals.

    Of more than two all pairs are compared, and p is corrected for their number (Holm). Each is a report, or a result
    file that `carrara score --out` wrote. Raises CarraraError where they do not answer the same questions.
    """
    from carrara.scoring.compare import compare as compare_results
    from carrara.scoring.compare import compare_all
    from carrara.scoring.result import ResultError

    try:
        if others:
            return compare_all([_result(one) for one in (first, second, *others)])
        return compare_results(_result(first), _result(second))
    except ResultError as error:
        raise CarraraError(str(error), "nothing was compared") from error


def _result(given: "GivenResult") -> "Result":
    from carrara.scoring.report import Report
    from carrara.scoring.result import Result, ResultError, read_result

    if isinstance(given, Result):
        return given
    if isinstance(given, Report):
        told = given.root, given.unverified
        return Result(given.model, given.release, given.stream, given.scores, given.held, *told)
    try:
        return read_result(given)
    except ResultError as error:
        raise CarraraError(str(error)) from error


def _with_chance(rows: Iterable[ArrowRow], verdicts: "Verdicts | None") -> Iterator[ArrowRow]:
    """Rows with what guesses score; those that a judge judges without: beside its scores that would say nothing."""
    from carrara.making.probes import with_chance
    from carrara.scoring.facts import about, check_row, facts_of
    from carrara.scoring.judge.judge import JUDGED

    for row in rows:
        if verdicts is not None and row["metric"] in JUDGED:
            yield row
            continue
        with about(row):
            check_row(row)
            facts_of(row)
        yield with_chance(row)


# --- what is given ----------------------------------------------------------------------------------------------------


def _recipe(recipe: "str | Path | Recipe", stream: str | None) -> "Recipe":
    from carrara.recipe.recipe import Recipe

    loaded = recipe if isinstance(recipe, Recipe) else Recipe.from_toml(recipe)
    return loaded if stream is None else loaded.twin(stream)


def _sources(given: str | Path | None) -> Path | None:
    folder = given or os.environ.get("CARRARA_SOURCES")
    return Path(folder) if folder else None


def _run(
    out: str | Path,
    sources: str | Path | None,
    workers: int | None,
    runs: str | Path | None,
    engine: Engine,
) -> "Run":
    from carrara.making.build import Run

    frozen = None if runs is None else Path(runs)
    return Run(Path(out), _sources(sources), _workers(workers), runs=frozen, engine=engine)


def _workers(given: int | None) -> int:
    return os.cpu_count() or 1 if given is None else given


def _watch(progress: Tell | Watch | None) -> Watch:
    if progress is None:
        return Silent()
    return _Calling(progress) if callable(progress) else progress


class _Calling(Silent):
    """A watch that calls a function."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._totals: dict[str, int] = {}
        self._done: dict[str, int] = {}

    def start(self, config: str, rows: int) -> None:
        """So many rows are to come."""
        self._totals[config] = rows

    def advance(self, config: str, rows: int, tokens: int) -> None:
        """So many more rows are done."""
        self._done[config] = self._done.get(config, 0) + rows
        self._tell(config, self._done[config], self._totals.get(config, 0))
