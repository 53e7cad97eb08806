"""Carries old scores over to a new version of a release: which rows changed, and the new score, or its bounds.

The digest lists show which rows differ; only those are read. An identical row keeps its old score. A changed row with
the same question is scored again if its response is given; without the response it keeps its old score if nothing that
the score depends on has changed. The score of any other changed row, of a new row and of one without an old score is
unknown: it counts as 0 for the lower bound and as 1 for the upper, and both averages are made as in any report.

Must not change: `ASKED` and `SCORED`, which decide whether a score is exact.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from carrara.errors import CarraraError, ReleaseError
from carrara.release.reader import Release, checked_rows, config_of, digest_lines
from carrara.release.reader import row as read_row
from carrara.release.reader import rows as read_rows
from carrara.release.schema import MANIFEST, is_version, shown, version_order
from carrara.row import SCHEMA, ArrowRow, content_root, row_digest
from carrara.scoring.errors import JudgeError, MetricError, RowError
from carrara.scoring.judge.verdicts import Verdicts
from carrara.scoring.report import means, row_score
from carrara.scoring.result import RowScore

FORMAT: Final = "carrara/rebase"
VERSION: Final = 1
# What the model sees: if one of these differs, the old response answers another question.
ASKED: Final = ("prompt", "answer_prefix", "max_output_tokens")
# What a score depends on: metrics read no other column.
SCORED: Final = (*ASKED, "answers", "choices", "metric", "facts")
# The columns to read of a row that is counted but not scored: no texts.
_PLACE: Final = tuple(name for name in SCHEMA.names if name not in {"prompt", "answers", "choices", "evidence"})
# Up to this many rows of a config are read one by one; for more its files are read once.
_FEW: Final = 8
_VERIFY: Final = "Download or build it again; carrara verify DIR shows what differs."
_WANTED: Final = re.compile(r"v?([0-9]{1,6}(?:\.[0-9]{1,6}){0,2})")

Fate = Literal["same", "kept", "rescored", "open", "added", "removed"]
KINDS: Final[tuple[Fate, ...]] = ("same", "kept", "rescored", "open", "added", "removed")


@dataclass(frozen=True, slots=True)
class Before:
    """Old scores by row id, and the responses behind them by row id, if they are given."""

    model: str
    rows: Mapping[str, RowScore]
    texts: Mapping[str, str | None] | None = None
    metric: str | None = None
    verdicts: Verdicts | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A changed row: its changed columns, its old score (None: unanswered) and its new one (None: unknown)."""

    id: str
    kind: Fate
    columns: tuple[str, ...]
    old: float | None
    new: float | None

    def to_json(self) -> dict[str, object]:
        """The change as JSON-able data."""
        return {
            "id": self.id,
            "kind": self.kind,
            "columns": list(self.columns),
            "old": self.old,
            "new": self.new,
        }


@dataclass(frozen=True, slots=True)
class Value:
    """One average: the old value, and the lower and upper bound of the new; None where there are no rows."""

    old: float | None
    low: float | None
    high: float | None
    counts: Mapping[Fate, int]

    @property
    def is_exact(self) -> bool:
        """Whether the score of every row is known, so that low equals high."""
        return not self.counts.get("open") and not self.counts.get("added")

    def to_json(self) -> dict[str, object]:
        """The value as JSON-able data."""
        counts = {kind: self.counts.get(kind, 0) for kind in KINDS}
        return {"old": self.old, "low": self.low, "high": self.high, "exact": self.is_exact, "rows": counts}


@dataclass(frozen=True, slots=True)
class Rebase:
    """Old scores under a new version: averages over all tasks, by task and by config, and the changed rows."""

    model: str
    old: str
    new: str
    has_responses: bool
    overall: Value
    tasks: Mapping[str, Value]
    configs: Mapping[str, Value]
    changes: tuple[Change, ...]

    def to_json(self) -> dict[str, object]:
        """The rebase as JSON-able data."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "model": self.model,
            "old": self.old,
            "new": self.new,
            "from": "responses" if self.has_responses else "scores",
            "overall": self.overall.to_json(),
            "tasks": {name: value.to_json() for name, value in self.tasks.items()},
            "configs": {name: value.to_json() for name, value in self.configs.items()},
            "changed": [change.to_json() for change in self.changes],
        }


@dataclass(slots=True)
class _Found:
    """The new rows by fate: those with a known score, those without, the changes, and the counts by config."""

    known: list[RowScore] = field(default_factory=list)
    unknown: list[RowScore] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    counts: dict[str, Counter[Fate]] = field(default_factory=dict)


def beside(old: Path, wanted: str) -> Path:
    """The folder of the new version: the one given, or the newest beside the old that fits a version (v1.1: 1.1.x).

    Raises CarraraError where none fits.
    """
    given = Path(wanted)
    if not (match := _WANTED.fullmatch(wanted)) or (given / MANIFEST).is_file():
        return given
    home = old.resolve().parent
    versions = sorted((folder.name for folder in home.glob("*") if is_version(folder.name)), key=version_order)
    fits = [version for version in versions if f"{version}.".startswith(f"{match[1]}.")]
    if not fits:
        raise CarraraError(
            f"got --rebase {wanted}, but no such version lies beside {old}",
            f"beside it: {', '.join(versions) or 'none'}; or give the folder of the new version",
        )
    return home / fits[-1]


def check_versions(old: Release, new: Release) -> None:
    """Raise ReleaseError on two releases that are not versions of the same one."""
    for what, first, second in (
        ("name", old.name, new.name),
        ("stream", old.content.stream, new.content.stream),
    ):
        if first != second:
            raise ReleaseError(
                f"got {new.name}@{new.version} with the {what} {shown(second)}, expected a version of {old.name} "
                f"with the {what} {shown(first)}",
                "Other releases and twins hold other rows: score their own responses.",
            )


def scored_before(
    old: Release,
    texts: Mapping[str, str | None],
    configs: Sequence[str] | None = None,
    *,
    model: str = "",
    metric: str | None = None,
    verdicts: Verdicts | None = None,
) -> Before:
    """Score responses (by row id) under the old version, over all its configs or those of `configs` that it holds.

    A config without any response was not run, and is left out. `metric` and `verdicts` as in `scoring.score`. Raises
    ReleaseError for a row that its metric cannot read.
    """
    before = Before(model, {}, texts, metric, verdicts)
    scored: dict[str, RowScore] = {}
    for config in (name for name in configs or old.configs if name in old.configs):
        ids = [line.id for line in digest_lines(old, config)]
        if not any(row_id in texts for row_id in ids):
            continue
        for row in checked_rows(old, config):
            scored[row["id"]] = _scored(old, config, row, texts.get(row["id"]), before)
    return replace(before, rows=scored)


def rebase(old: Release, new: Release, before: Before, configs: Sequence[str] | None = None) -> Rebase:
    """Carry the old scores over to the new version, over `configs`.

    By default over all configs of both versions or, if the scores lack some config of the old version, over those that
    they hold. Memory holds the scores, and the digest lists and a batch of rows of one config. Raises ReleaseError
    where the scores belong to other rows, and where a release contradicts its manifest.
    """
    check_versions(old, new)
    held = _held(old, before)
    chosen = _chosen(old, new, held, configs)
    sorted_rows = _Found()
    for name in chosen:
        _compare(old, new, name, before, sorted_rows)
    scored = means(before.rows[row_id] for name in chosen for row_id in held.get(name, ()))
    low, high = (
        means([*sorted_rows.known, *(replace(row, score=end) for row in sorted_rows.unknown)]) for end in (0.0, 1.0)
    )
    ends = (scored, low, high)
    by_task: dict[str, Counter[Fate]] = {}
    for name, counts in sorted_rows.counts.items():
        task = (new.configs.get(name) or old.configs[name]).task
        by_task.setdefault(task, Counter()).update(counts)
    return Rebase(
        before.model,
        f"{old.name}@{old.version}",
        f"{new.name}@{new.version}",
        before.texts is not None,
        Value(scored.overall, low.overall, high.overall, sum(sorted_rows.counts.values(), Counter())),
        {name: _value([end.tasks for end in ends], name, by_task[name]) for name in sorted(by_task)},
        {name: _value([end.configs for end in ends], name, sorted_rows.counts[name]) for name in sorted(chosen)},
        tuple(sorted(sorted_rows.changes, key=lambda change: change.id)),
    )


def _value(averages: Sequence[Mapping[str, float]], name: str, counts: Mapping[Fate, int]) -> Value:
    old, low, high = (average.get(name) for average in averages)
    return Value(old, low, high, counts)


def _held(old: Release, before: Before) -> dict[str, list[str]]:
    """The ids of the scored rows, by config."""
    held: dict[str, list[str]] = {}
    for row_id, row in before.rows.items():
        config = config_of(old, row_id)
        if (row.config, row.task) != (config, old.configs[config].task):
            raise ReleaseError(
                f"got a score of {shown(row_id)} under config {shown(row.config)}, expected {config}",
                "Score the responses again: carrara score DIR responses.jsonl --out FILE",
            )
        held.setdefault(config, []).append(row_id)
    return held


def _chosen(old: Release, new: Release, held: Mapping[str, object], asked: Sequence[str] | None) -> list[str]:
    known = list(dict.fromkeys([*old.configs, *new.configs]))
    if asked:
        return [name for name in known if name in asked]
    return known if held.keys() >= old.configs.keys() else [name for name in known if name in held]


def _compare(old: Release, new: Release, config: str, before: Before, comparison: _Found) -> None:
    """Sort the rows of one config into those with a known score under the new version and those without."""
    was, now = (_digests(release, config) for release in (old, new))
    counts = comparison.counts.setdefault(config, Counter())
    same = [row_id for row_id in now if was.get(row_id) == now[row_id]]
    comparison.known += [before.rows[row_id] for row_id in same if row_id in before.rows]
    counts["same"] = sum(row_id in before.rows for row_id in same)
    counts["open"] = len(same) - counts["same"]
    added = {row_id for row_id in now if row_id not in was}
    counts["added"] = len(added)
    unscored = added | {row_id for row_id in same if row_id not in before.rows}
    for row in _picked(new, config, [row_id for row_id in now if row_id in unscored], _PLACE):
        comparison.unknown.append(_scored(new, config, row, None, before))
    changed = [row_id for row_id in now if row_id in was and was[row_id] != now[row_id]]
    pairs = zip(_whole(old, config, changed, was), _whole(new, config, changed, now), strict=True)
    for first, second in pairs:
        change, scored = _changed(new, config, first, second, before)
        (comparison.unknown if change.kind == "open" else comparison.known).append(scored)
        comparison.changes.append(change)
        counts[change.kind] += 1
    counts["removed"] = sum(row_id not in now for row_id in was)


def _changed(new: Release, config: str, first: ArrowRow, second: ArrowRow, before: Before) -> tuple[Change, RowScore]:
    """A changed row: its change, and its new score if that is known."""
    row_id, scored = second["id"], before.rows.get(second["id"])
    was: Mapping[str, object] = first
    now: Mapping[str, object] = second
    columns = tuple(name for name in SCHEMA.names if was[name] != now[name])
    kind: Fate = "open"
    row = _scored(new, config, second, None, before)
    if before.texts is not None and not set(ASKED) & set(columns):
        kind, row = "rescored", _scored(new, config, second, before.texts.get(row_id), before)
    elif scored is not None and not set(SCORED) & set(columns):
        kind = "kept"
        row = replace(row, score=scored.score, reason=scored.reason, metric=scored.metric, classes=scored.classes)
        row = replace(row, reported=scored.reported)
    return Change(row_id, kind, columns, scored.score if scored else None, row.score), row


def _scored(release: Release, config: str, row: ArrowRow, response: str | None, before: Before) -> RowScore:
    """Score a row; without a response only its config and task are set. Raises ReleaseError on an unreadable row."""
    try:
        scored = row_score(row, response, before.metric, verdicts=before.verdicts)
    except JudgeError as error:
        raise CarraraError(str(error), "nothing was scored: check the judge, then run the command again") from error
    except RowError as error:
        raise ReleaseError(f"{release.name}@{release.version}: {error}", "Audit it: carrara audit DIR") from error
    except MetricError as error:
        raise CarraraError(str(error), "nothing was scored") from error
    if (scored.config, scored.task) != (config, release.configs[config].task):
        raise ReleaseError(f"{shown(scored.id)} says that it is of {shown(scored.config)}, expected {config}", _VERIFY)
    return scored


def _digests(release: Release, config: str) -> dict[str, str]:
    """The digest of every row of a config by id, in order; empty where the version has no such config."""
    if config not in release.configs:
        return {}
    lines = list(digest_lines(release, config))
    table = {line.id: line.digest for line in lines}
    facts = release.configs[config]
    if len(table) != facts.rows or content_root(lines) != facts.root:
        raise ReleaseError(
            f"digests/{config}.txt of {release.version} is not the list that its manifest names", _VERIFY
        )
    return table


def _whole(release: Release, config: str, ids: Sequence[str], digests: Mapping[str, str]) -> Iterator[ArrowRow]:
    """Whole rows, each checked against its digest."""
    for row in _picked(release, config, ids, None):
        try:
            is_right = row_digest(row) == digests[row["id"]]
        except ValueError:
            # NaN, or half a surrogate pair.
            is_right = False
        if not is_right:
            raise ReleaseError(f"{shown(row['id'])} of {release.version} is not the row of its digest", _VERIFY)
        yield row


def _picked(release: Release, config: str, ids: Iterable[str], columns: Sequence[str] | None) -> Iterator[ArrowRow]:
    """These rows of a config, in the order of its rows."""
    left = list(ids)
    if columns is None and len(left) <= _FEW:
        yield from (read_row(release, row_id) for row_id in left)
        return
    position = 0
    for row in read_rows(release, config, columns) if left else ():
        if row["id"] == left[position]:
            yield row
            position += 1
            if position == len(left):
                return
    if position < len(left):
        raise ReleaseError(
            f"{shown(left[position])} is in the digests of {release.version}, but not among its rows", _VERIFY
        )
