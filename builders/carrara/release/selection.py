"""Which rows of a release are used: those that fit a window, counted with any tokenizer, and files that list their ids.

A file of ids has one a line; lines that begin with # are comments, and the first one that `carrara select` writes says
of which release they are, by its root. Releases and such files are untrusted.
"""

import re
import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from carrara.engine import processes as engine
from carrara.engine.processes import Watch
from carrara.errors import CarraraError, ReleaseError
from carrara.release.reader import Release, config_of, rows
from carrara.release.schema import ConfigFacts, shown
from carrara.row import ArrowRow
from carrara.scoring.papers.needlebench import TRACE
from carrara.scoring.result import RowScore
from carrara.tokens import Tokenizer, load_tokenizer

_NAMED: Final = 3
_MAX_BYTES: Final = 256 << 20
_OF: Final = re.compile(r"# carrara ids of ([!-~]{1,100}), root ([0-9a-f]{64})")
_COLUMNS: Final = ("id", "item", "group", "tokens", "max_output_tokens")


# --- lengths ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RowLength:
    """How long a row is: its prompt by the release's tokenizer (`own`) and by another, and the room for its answer."""

    id: str
    item: str
    group: str
    own: int
    tokens: int
    max_output_tokens: int


def row_lengths(
    release: Release, configs: Sequence[str], name: str | None, workers: int, watch: Watch
) -> dict[str, list[RowLength]]:
    """The lengths of the rows of these configs, in order, by the tokenizer `name`.

    By the release's own tokenizer (None, or one with the same vocabulary) they are as recorded; by another every prompt
    is counted whole. Raises CarraraError for a tokenizer that there is not and a prompt that it cannot count.
    """
    own = release.content.tokenizer
    if name is None or load_tokenizer(name).fingerprint == own.fingerprint:
        return {config: [_length(row) for row in rows(release, config, _COLUMNS)] for config in configs}
    found: dict[str, list[RowLength]] = {config: [] for config in configs}

    def jobs() -> Iterator[tuple[str, int, str]]:
        for config in configs:
            watch.start(config, release.configs[config].rows)
            for place, row in enumerate(rows(release, config, (*_COLUMNS, "prompt"))):
                found[config].append(_length(row))
                yield config, place, row["prompt"]

    done = engine.run(jobs(), _count, workers=workers, start=load_tokenizer, arguments=(name,), hurry=True)
    for (config, place, _), tokens in done:
        found[config][place] = replace(found[config][place], tokens=tokens)
        watch.advance(config, 1, tokens)
    return found


def _length(row: ArrowRow) -> RowLength:
    if None in row.values():
        raise ReleaseError(f"row {shown(row['id'])} lacks a column", "The release was altered: run carrara verify.")
    tokens = row["tokens"]
    return RowLength(row["id"], row["item"], row["group"], tokens, tokens, row["max_output_tokens"])


def _count(tokenizer: Tokenizer, job: tuple[str, int, str]) -> int:
    config, place, prompt = job
    try:
        return tokenizer.count(prompt)
    except ValueError as error:
        # Of a million spaces, say.
        raise CarraraError(
            f"{config}, row {place}: {tokenizer.name} cannot count its prompt ({shown(str(error))})",
            "choose other rows (--bucket, --task, --config), or another tokenizer",
        ) from error


@dataclass(frozen=True, slots=True)
class BucketLength:
    """The longest and the median prompt of a bucket by a tokenizer, and by the release's own (`own_...`)."""

    bucket: str
    rows: int
    tokenizer: str
    longest: int
    median: int
    own_longest: int
    own_median: int


def bucket_lengths(release: Release, tokenizer: str, lengths: Mapping[str, Sequence[RowLength]]) -> list[BucketLength]:
    """What the rows of each bucket measure, the smallest bucket first."""
    buckets: dict[tuple[int, str], list[RowLength]] = {}
    for config, every in lengths.items():
        facts = release.configs[config]
        buckets.setdefault((facts.bucket_tokens, facts.bucket), []).extend(every)
    found = []
    for (_, bucket), every in sorted(buckets.items()):
        tokens, own = ([row.tokens for row in every], [row.own for row in every])
        if every:
            sizes = [size for counted in (tokens, own) for size in (max(counted), statistics.median_high(counted))]
            found.append(BucketLength(bucket, len(every), tokenizer, *sizes))
    return found


# --- what fits --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelWindow:
    """A model's window in tokens, and what of it stays free: for a chat template, and for thinking."""

    size: int
    reserve: int
    thinking: int

    def taken(self, row: RowLength) -> int:
        """What a row takes: its prompt, its longest answer, and what stays free."""
        return row.tokens + row.max_output_tokens + self.reserve + self.thinking


def fitting(
    release: Release, lengths: Mapping[str, Sequence[RowLength]], window: ModelWindow, is_paired: bool
) -> dict[str, list[RowLength]]:
    """The rows that fit a window, by config, in order.

    Orders of one ancestral trace are scored together, so they are selected together or not at all. With `is_paired` so
    are all rows of one question at one length (its depths), and of every task and variant only questions are kept that
    stand in each bucket of which rows are selected. Raises CarraraError where nothing is left.
    """
    found = {}
    for config, every in lengths.items():
        facts = release.configs[config]
        is_whole = is_paired or facts.task == TRACE
        too_long = {_unit(row, facts) for row in every if window.taken(row) > window.size}
        found[config] = [
            row
            for row in every
            if window.taken(row) <= window.size and not (is_whole and _unit(row, facts) in too_long)
        ]
    if not any(found.values()):
        raise _nothing_fits(lengths, window)
    if is_paired:
        found = _paired(release, found)
        if not any(found.values()):
            raise CarraraError(
                "no question stands in every bucket of which rows fit, so that nothing is paired",
                "leave out the buckets of which few rows fit (--bucket), or --paired",
            )
    return found


def _unit(row: RowLength, facts: ConfigFacts) -> tuple[str, int]:
    """What is selected together: the rows of a question at one length, as scores see it."""
    length = RowScore(
        row.id, None, "", bucket=facts.bucket, tokens=row.own, max_output_tokens=row.max_output_tokens
    ).length
    return row.group or row.id, length


def _paired(release: Release, found: Mapping[str, list[RowLength]]) -> dict[str, list[RowLength]]:
    items: dict[tuple[str, str], list[set[str]]] = {}
    for config, kept in found.items():
        if kept:
            items.setdefault(_of(release, config), []).append({row.item for row in kept})
    shared = {key: set.intersection(*buckets) for key, buckets in items.items()}
    return {config: [row for row in kept if row.item in shared[_of(release, config)]] for config, kept in found.items()}


def _of(release: Release, config: str) -> tuple[str, str]:
    return release.configs[config].task, release.configs[config].variant


def _nothing_fits(lengths: Mapping[str, Sequence[RowLength]], window: ModelWindow) -> CarraraError:
    every = [row for own in lengths.values() for row in own]
    if not every:
        return CarraraError("got no rows, expected at least one", "verify the release: carrara verify DIR")
    row = min(every, key=window.taken)
    return CarraraError(
        f"no row fits a window of {window.size:,} tokens: {shown(row.id)} takes the least, {window.taken(row):,} "
        f"(prompt {row.tokens:,}, answer {row.max_output_tokens:,}, reserve {window.reserve:,}, thinking "
        f"{window.thinking:,})",
        "give a larger --window, or less to --reserve and --thinking",
    )


# --- files of ids -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """Rows of a release that were chosen by their ids: their positions by config, rising."""

    ids: frozenset[str]
    places: Mapping[str, tuple[int, ...]]

    def configs(self, chosen: Collection[str]) -> list[str]:
        """Of these configs those with a selected row. Raises CarraraError where there is none."""
        if not (kept := [config for config in chosen if config in self.places]):
            named = ", ".join(list(self.places)[:_NAMED])
            raise CarraraError(
                f"got --ids of {len(self.places):,} configs ({named}), none of them among those chosen",
                "choose some of these with --bucket, --task, --config, or leave these out",
            )
        return kept


def ids_file(release: Release, file_ids: Sequence[str], told: str) -> bytes:
    """A file of ids; `told` says how they were chosen."""
    head = [f"# carrara ids of {release.name}@{release.version}, root {release.root}", f"# {told}"]
    return "".join(f"{line}\n" for line in (*head, *file_ids)).encode()


def read_ids(file: Path, release: Release) -> SelectedRows:
    """The rows that a file lists. Raises CarraraError for ids of no row, and for a file that is of another release."""
    with file.open("rb") as stream:
        raw = stream.read(_MAX_BYTES + 1)
    if len(raw) > _MAX_BYTES:
        raise CarraraError(f"{file.name} has more than {_MAX_BYTES:,} bytes", "give a file of ids, one a line")
    ids: dict[str, str] = {}
    strangers: dict[str, None] = {}
    # No replacement character is in an id.
    for line in map(str.strip, raw.decode("utf-8-sig", errors="replace").split("\n")):
        if (of := _OF.fullmatch(line)) and of[2] != release.root:
            same = " of other rows" * (of[1] == f"{release.name}@{release.version}")
            raise CarraraError(
                f"{file.name} is of {of[1]}{same} (root {of[2][:12]}…), expected ids of "
                f"{release.name}@{release.version} (root {release.root[:12]}…)",
                "give the release that they were selected from, or select again: carrara select RELEASE",
            )
        if not line or line.startswith("#") or line in ids or line in strangers:
            continue
        try:
            ids[line] = config_of(release, line)
        except ReleaseError:
            strangers[line] = None
    if strangers:
        named = ", ".join(map(shown, list(strangers)[:_NAMED])) + ", …" * (len(strangers) > _NAMED)
        raise CarraraError(
            f"{file.name} lists {len(strangers):,} ids of no row of {release.name}@{release.version}: {named}",
            "give one id a line, as in the column id",
        )
    if not ids:
        raise CarraraError(f"{file.name} lists no id, expected one a line", "write it with carrara select RELEASE")
    places: dict[str, list[int]] = {}
    for row_id, config in ids.items():
        places.setdefault(config, []).append(int(row_id.rpartition("/")[2]))
    ordered = {config: tuple(sorted(places[config])) for config in release.configs if config in places}
    return SelectedRows(frozenset(ids), ordered)


def narrowed(release: Release, selected: SelectedRows) -> Release:
    """The release with only the configs that have a selected row, and the longest lengths of the selected rows."""
    configs = {}
    for config, places in selected.places.items():
        facts = release.configs[config]
        kept = [
            row for row in rows(release, config, ("id", "tokens", "max_output_tokens")) if row["id"] in selected.ids
        ]
        if len(kept) != len(places):
            raise ReleaseError(f"{config} lacks rows that its manifest counts", "Check it: carrara verify DIR")
        tokens = facts.tokens.model_copy(update={"max": max(row["tokens"] for row in kept)})
        output = facts.output_tokens.model_copy(update={"max": max(row["max_output_tokens"] for row in kept)})
        configs[config] = facts.model_copy(update={"tokens": tokens, "output_tokens": output})
    manifest = release.manifest
    content = manifest.content.model_copy(update={"configs": configs})
    return replace(release, manifest=manifest.model_copy(update={"content": content}))
