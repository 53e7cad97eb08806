"""Reads an untrusted release: the manifest, the digest lists, rows by row group, one row by its id.

Everything is checked before use: structure, types, sizes, and (`store.py`) that no path leaves the release.
What is scored, judged, asked or shown is read by `checked_rows` and `checked_rows_at`: every row against its digest,
the digests against the manifest's roots. `rows` and the like take rows as they are, for what looks for differences.
Memory is bounded by one row group, whatever a file says of its sizes: its pages are plain, as `engine/parquet.py`
writes them, and what their headers say is bounded before one is decoded. Nothing here writes, and nothing needs the
recipe's code.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from carrara.errors import ReleaseError
from carrara.release.manifest import release_root
from carrara.release.schema import HINT, MANIFEST, MAX_ROWS, PLANS, ConfigFacts, Content, FileEntry, Manifest, shown
from carrara.release.store import Folder, Place
from carrara.row import SCHEMA, ArrowRow, DigestLine, row_digest
from carrara.text.display import count, visible
from carrara.text.json import strict_json
from carrara.text.parquet import lighter, pages, weight

# Bounds on reading: a recipe has at most 100 configs of a million rows; a row of 16M tokens is under 128 MiB.
MAX_JSON_BYTES = 64 * 1024 * 1024
MAX_FOOTER_BYTES = 4 * 1024 * 1024
# Of a row group, decoded: a text that repeats itself packs a thousand times, a text of the world five times. So 10M
# tokens of one sentence are read, and any text of 16M; what takes hundreds of megabytes has many to begin with.
FREE_GROUP_BYTES = 48 * 1024 * 1024
MAX_PACKING = 8
# Elements of one list column: more than a row group of real spans has.
MAX_ELEMENTS = 2_000_000
_LINE_BYTES = 512
_BATCH_ROWS = 256
_END_BYTES = 64 * 1024
_BATCH_BYTES = 16 * 1024 * 1024
# Of a row as Python values: the 500,000 spans that a row may have.
_ROW_BYTES = 192 * 1024 * 1024
_AGAIN = "Download or build the release again."

_ROW_ID = re.compile(r"([!-.0-~]{1,100})/([!-.0-~]{1,100})/([!-.0-~]{1,20})/([0-9]{5,7})")


@dataclass(frozen=True, slots=True, repr=False)
class Release:
    """A release with a checked manifest, and the place that its files are read from.

    `unverified`: rows are taken as they are, without a look at their digests; a result says so.
    """

    place: Place
    manifest: Manifest
    unverified: bool = False

    def __repr__(self) -> str:
        """Three lines: what it is and where, how much it holds, and the root by which it is cited."""
        facts = self.configs.values()
        rows: dict[str, int] = {}
        for config in sorted(facts, key=lambda config: config.bucket_tokens):
            rows[config.bucket] = rows.get(config.bucket, 0) + config.rows
        buckets = ", ".join(f"{number:,} of {visible(bucket, 20)}" for bucket, number in rows.items())
        return (
            f"Release {self.name}@{self.version} in {visible(self.place.label)}\n"
            f"  {sum(rows.values()):,} rows ({buckets}), {count(sum(config.tokens.sum for config in facts))} tokens, "
            f"{len(self.configs):,} configs of {len({config.task for config in facts}):,} tasks\n"
            f"  root {self.root}"
        )

    @property
    def content(self) -> Content:
        """The manifest's content."""
        return self.manifest.content

    @property
    def files(self) -> Mapping[str, FileEntry]:
        """Every file but the manifest and the provenance, by its path."""
        return self.manifest.files

    @property
    def name(self) -> str:
        """The release's name."""
        return self.content.name

    @property
    def version(self) -> str:
        """The release's version, MAJOR.MINOR.PATCH."""
        return self.content.version

    @property
    def configs(self) -> Mapping[str, ConfigFacts]:
        """The facts of every config, by its name."""
        return self.content.configs

    @property
    def root(self) -> str:
        """The release root, the one hash to cite: see `release_root`."""
        return release_root(self.content)

    @property
    def folder(self) -> Path:
        """The folder of the release. Raises ReleaseError for a release that is read from the Hub."""
        if isinstance(self.place, Folder):
            return self.place.path
        raise ReleaseError(f"got {self.place.label}, expected a folder on this machine", "Download the release first.")

    @property
    def is_record(self) -> bool:
        """Whether this is a frozen record: manifest, recipe and plan digests, without rows."""
        data = (path for facts in self.configs.values() for path in facts.files)
        return self.place.has(PLANS) and not any(map(self.place.has, data))

    def refuse_record(self) -> None:
        """Raise ReleaseError for a frozen record, where rows are needed."""
        if self.is_record:
            raise ReleaseError(
                f"{self.place.label} is the frozen record of {self.name}@{self.version}, without rows; "
                "expected a built release",
                f"Build it from the record and compare: carrara reproduce {self.place.label}; --out DIR keeps it.",
            )

    def open(self, relative: str) -> BinaryIO:
        """Open a file of the release for reading and seeking. Raises ReleaseError if it is missing or a link."""
        if relative in self.files and not self.place.has(relative):
            self.refuse_record()
        return self.place.open(relative)

    def small_file(self, relative: str, limit: int = MAX_JSON_BYTES) -> bytes:
        """The bytes of a file of at most `limit` bytes. Raises ReleaseError."""
        return _bounded(self.place, relative, limit)


def open_release(where: Path | Place, unverified: bool = False) -> Release:
    """Open a release in a folder or another place: read and check its manifest. Raises ReleaseError."""
    place = Folder(where) if isinstance(where, Path) else where
    if not place.has(MANIFEST):
        raise ReleaseError(f"{place.label} is not a release: it has no {MANIFEST}", HINT)
    return Release(
        place, Manifest.from_json(parsed_json(_bounded(place, MANIFEST, MAX_JSON_BYTES), MANIFEST)), unverified
    )


def _bounded(place: Place, relative: str, limit: int) -> bytes:
    with place.open(relative) as stream:
        # Look at the size first: reading from the Hub is a download.
        too_long = stream.seek(0, SEEK_END) > limit
        stream.seek(0)
        raw = b"" if too_long else stream.read(limit + 1)
    if too_long or len(raw) > limit:
        raise ReleaseError(f"{relative} has more than {limit} bytes", HINT)
    return raw


def parsed_json(raw: bytes, name: str) -> Any:
    """Parse JSON without NaN, infinity or duplicate keys; errors cite `name`. Raises ReleaseError."""
    try:
        value = strict_json(raw)
        # Half a surrogate pair cannot be written again, so it is refused here.
        json.dumps(value, ensure_ascii=False).encode()
        return value
    except (ValueError, RecursionError) as error:
        raise ReleaseError(f"{name} is not valid JSON: {shown(str(error))}", HINT) from error


def digest_lines(release: Release, config: str) -> Iterator[DigestLine]:
    """The lines of `digests/<config>.txt`, each of checked form. Raises ReleaseError."""
    path = f"digests/{config}.txt"
    with release.open(path) as stream:
        number = 0
        while raw := stream.readline(_LINE_BYTES + 1):
            number += 1
            text = raw.decode("ascii", errors="replace")
            line = DigestLine.parse(text[:-1])
            if not text.endswith("\n") or line is None or number > MAX_ROWS:
                raise ReleaseError(
                    f"{path}, line {number}: got {shown(text)}, expected '<row digest>  <row id>'",
                    _AGAIN,
                )
            yield line


def digest_line_of(release: Release, row_id: str) -> DigestLine:
    """The digest line of a row, read at the offset that the row's index gives. Raises ReleaseError."""
    config, index = config_of(release, row_id), int(row_id.rpartition("/")[2])
    path = f"digests/{config}.txt"
    width = 67 + len(row_id.rpartition("/")[0]) + 1
    # Indices have five digits, then as many as they need.
    digits = 5 * index + sum(max(0, index - 10**power) for power in (5, 6))
    with release.open(path) as stream:
        stream.seek(max(0, width * index + digits - 1))
        before = stream.read(1) if index else b"\n"
        text = stream.readline(_LINE_BYTES).decode("ascii", errors="replace")
    line = DigestLine.parse(text[:-1])
    if before != b"\n" or not text.endswith("\n") or line is None or line.id != row_id:
        raise ReleaseError(
            f"{path}: got {shown(text)}, expected the line of {row_id}",
            "The list was altered: download or build the release again.",
        )
    return line


def config_of(release: Release, row_id: str) -> str:
    """The config that a row id `<benchmark>/<task>[_<variant>]/<bucket>/<index>` belongs to. Raises ReleaseError."""
    if match := _ROW_ID.fullmatch(row_id):
        benchmark, name, bucket, index = match.groups()
        config = f"{name}_{bucket}"
        facts = release.configs.get(config)
        if facts and facts.benchmark == benchmark and facts.bucket == bucket:
            if index == f"{int(index):05d}" and int(index) < facts.rows:
                return config
            raise ReleaseError(f"no row {shown(row_id)}: {config} has rows 00000 to {facts.rows - 1:05d}")
    first = f"{id_stem(*min(release.configs.items()))}/00000"
    raise ReleaseError(
        f"no row {shown(row_id)} in {release.name}@{release.version}",
        f"Expected <benchmark>/<task>[_<variant>]/<bucket>/<index>, such as {first}; carrara list prints its configs.",
    )


def id_stem(config: str, facts: ConfigFacts) -> str:
    """The prefix of a config's row ids, up to the index."""
    return f"{facts.benchmark}/{config.removesuffix(f'_{facts.bucket}')}/{facts.bucket}"


def rows(release: Release, config: str, columns: Sequence[str] | None = None) -> Iterator[ArrowRow]:
    """The rows of a config as Arrow returns them, in order; memory is bounded by one row group."""
    for path in _facts(release, config).files:
        yield from file_rows(release, path, columns)


def file_rows(release: Release, path: str, columns: Sequence[str] | None = None) -> Iterator[ArrowRow]:
    """The rows of one data file, in order; memory is bounded by one row group."""
    with open_table(release, path) as table:
        for group in range(table.groups):
            yield from _group_rows(table, group, columns)


def checked_rows(release: Release, config: str) -> Iterator[ArrowRow]:
    """The rows of a config in order, each as its digest says. Raises ReleaseError at the first that is another."""
    if release.unverified:
        yield from rows(release, config)
        return
    _check_list(release, config)
    lines = digest_lines(release, config)
    for found in rows(release, config):
        yield _checked(release, found, next(lines, None))
    if (left := next(lines, None)) is not None:
        raise _altered(release, f"row {left.id} is missing")


def checked_rows_at(release: Release, config: str, indices: Sequence[int]) -> Iterator[tuple[int, ArrowRow]]:
    """What `rows_at` gives, each row as its digest says. Raises ReleaseError at the first that is another."""
    if not release.unverified:
        _check_list(release, config)
    stem = id_stem(config, _facts(release, config))
    for index, found in rows_at(release, config, indices):
        line = None if release.unverified else digest_line_of(release, f"{stem}/{index:05d}")
        yield index, found if release.unverified else _checked(release, found, line)


def digest_line(row: ArrowRow) -> DigestLine:
    """The line that a row has in the list of digests; one that no list holds for a row without canonical bytes."""
    try:
        return DigestLine(row_digest(row), str(row["id"]))
    except ValueError:
        # NaN in a depth, or half a surrogate pair.
        return DigestLine("-" * 64, str(row["id"]))


def _checked(release: Release, row: ArrowRow, line: DigestLine | None) -> ArrowRow:
    if line is None or digest_line(row) != line:
        expected = f"row {line.id} with digest {line.digest[:16]}…" if line else "no more rows"
        raise _altered(release, f"got row {shown(row['id'])[:100]}, which is not as released: expected {expected}")
    return row


def _check_list(release: Release, config: str) -> None:
    """Raise ReleaseError where a list of digests is not the one whose root the manifest gives."""
    facts, path, digest, lines = _facts(release, config), f"digests/{config}.txt", hashlib.sha256(), 0
    with release.open(path) as stream:
        while block := stream.read(_BATCH_BYTES):
            digest.update(block)
            lines += block.count(b"\n")
            if lines > facts.rows:
                break
    if (digest.hexdigest(), lines) != (facts.root, facts.rows):
        raise _altered(release, f"{path} is not the list of {facts.rows:,} digests whose root is {facts.root[:16]}…")


def _altered(release: Release, what: str) -> ReleaseError:
    return ReleaseError(
        f"{release.place.label}: {what}",
        "This copy was altered: carrara verify --level rows says where. Download or build it again, or give "
        "--unverified to take rows as they are; a result then says so.",
    )


def row(release: Release, row_id: str) -> ArrowRow:
    """One row; reads footers and its row group. Raises ReleaseError if another row is at its position."""
    arrow_row = row_at(release, config_of(release, row_id), int(row_id.rpartition("/")[2]))
    if arrow_row["id"] != row_id:
        raise ReleaseError(
            f"row {shown(arrow_row['id'])} is at the position of {row_id}", "Rows are out of order: run carrara verify."
        )
    return arrow_row


def row_at(release: Release, config: str, index: int) -> ArrowRow:
    """The row at a position of a config, whatever its id. Raises ReleaseError where there is none."""
    left = index
    for path in _facts(release, config).files:
        with open_table(release, path) as table:
            for group in range(table.groups):
                size = table.rows(group)
                if left < size:
                    return _nth(_group_rows(table, group, None), left)
                left -= size
    raise ReleaseError(f"{config} holds {index - left} rows, no row {index}", _AGAIN)


def rows_at(release: Release, config: str, indices: Sequence[int]) -> Iterator[tuple[int, ArrowRow]]:
    """The rows at these positions of a config (increasing) with their positions; reads no other row groups.

    Raises ReleaseError where the config holds fewer rows.
    """
    wanted = list(indices)
    first = 0
    for path in _facts(release, config).files:
        if not wanted:
            return
        with open_table(release, path) as table:
            for group in range(table.groups):
                size = table.rows(group)
                here = [index for index in wanted if index < first + size]
                if here:
                    yield from _some(table, group, first, here)
                wanted = wanted[len(here) :]
                first += size
    if wanted:
        raise ReleaseError(f"{config} holds {first} rows, no row {wanted[0]}", _AGAIN)


class OpenTable(NamedTuple):
    """An open Parquet file of a release, and where its bytes are read from."""

    path: str
    file: Any
    source: Any

    @property
    def groups(self) -> int:
        """How many row groups it has."""
        return int(self.file.num_row_groups)

    def rows(self, group: int) -> int:
        """How many rows a row group has."""
        return int(self.file.metadata.row_group(group).num_rows)


@contextmanager
def open_table(release: Release, path: str) -> Iterator[OpenTable]:
    """Open a Parquet file of the release, with SCHEMA. Raises ReleaseError, also later."""
    try:
        with release.open(path) as stream, pa.PythonFile(stream, mode="r") as source:
            _check_footer(source, path)
            with pq.ParquetFile(source) as table:
                _check_table(table, path)
                yield OpenTable(path, table, source)
    # ValueError: text that is not UTF-8 (and ArrowInvalid).
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ReleaseError(f"{path} is not valid Parquet: {shown(str(error))}", _AGAIN) from error


def _facts(release: Release, config: str) -> ConfigFacts:
    if config not in release.configs:
        known = ", ".join(sorted(release.configs))
        raise ReleaseError(f"no config {shown(config)} in {release.name}@{release.version}", f"Its configs: {known}")
    return release.configs[config]


def _check_table(table: Any, path: str) -> None:
    schema = table.schema_arrow
    if schema.names != SCHEMA.names:
        raise ReleaseError(f"{path}: got columns {shown(schema.names)}", f"Expected {', '.join(SCHEMA.names)}.")
    for got, expected in zip(schema, SCHEMA, strict=True):
        # Equality ignores the name of a list's element ("item", "element"): writers differ.
        if not got.equals(expected) or _metadata(got):
            raise ReleaseError(
                f"{path}: column {shown(got.name)} is {shown(str(got))}", f"Expected {expected}, no metadata."
            )
    surprises = {*(table.metadata.metadata or {})} - {b"ARROW:schema"}
    if schema.metadata or surprises:
        raise ReleaseError(f"{path}: schema metadata {shown(sorted(surprises))}", "Expected none.")
    for group in range(table.num_row_groups):
        if (count := table.metadata.row_group(group).num_rows) > MAX_ROWS:
            raise ReleaseError(f"{path}: a row group of {count} rows", f"Expected at most {MAX_ROWS} rows.")


def _check_footer(source: Any, path: str) -> None:
    """Refuse a footer that is too long to be parsed; what is too short is no Parquet."""
    if (size := source.size()) >= 8:
        # As much as Arrow reads then, so that from the Hub it is fetched once.
        end = source.read_at(tail := min(size, _END_BYTES), size - tail)
        length = int.from_bytes(end[-8:-4], "little")
        if MAX_FOOTER_BYTES < length <= size:
            raise ReleaseError(f"{path}: a footer of {length} bytes", f"Expected at most {MAX_FOOTER_BYTES} bytes.")


def _decoded(table: OpenTable, group: int, columns: Sequence[str] | None) -> int:
    """The bytes that these columns of a row group decode to, by the headers of their pages. Refuses what is too much.

    Raises ReleaseError, and ValueError for pages that are not well-formed.
    """
    part = table.file.metadata.row_group(group)
    decoded = packed = 0
    for number in range(part.num_columns):
        chunk = part.column(number)
        name, _, below = chunk.path_in_schema.partition(".")
        if columns is not None and name not in columns:
            continue
        found = pages(table.source.read_at, chunk)
        if not all(page.is_plain for page in found):
            raise ReleaseError(
                f"{table.path}: column {name} has pages that are not plain (a dictionary, say): their size is unknown",
                "Expected what carrara build writes; with pyarrow: use_dictionary=False.",
            )
        if chunk.num_values > MAX_ELEMENTS if below else chunk.num_values != part.num_rows:
            raise ReleaseError(
                f"{table.path}: column {name} has {chunk.num_values} values in a row group of {part.num_rows} rows",
                f"Expected as many, or in lists at most {MAX_ELEMENTS}.",
            )
        decoded += sum(page.bytes for page in found)
        packed += chunk.total_compressed_size
    if decoded > (most := FREE_GROUP_BYTES + MAX_PACKING * packed):
        raise ReleaseError(
            f"{table.path}: a row group of {packed:,} bytes that decodes to {decoded:,}", f"Expected at most {most:,}."
        )
    return decoded


def _metadata(field: Any) -> bool:
    kind = field.type
    return bool(field.metadata) or any(_metadata(kind.field(child)) for child in range(kind.num_fields))


def _group_rows(table: OpenTable, group: int, columns: Sequence[str] | None) -> Iterator[ArrowRow]:
    for batch in _batches(table, group, columns):
        yield from batch.to_pylist()


def _some(table: OpenTable, group: int, first: int, indices: Sequence[int]) -> Iterator[tuple[int, ArrowRow]]:
    """The rows of a row group at these positions of the config; `first` is the position of the group's first row."""
    left = list(indices)
    for batch in _batches(table, group, None):
        while left and left[0] < first + batch.num_rows:
            index = left.pop(0)
            yield index, batch.slice(index - first, 1).to_pylist()[0]
        if not left:
            return
        first += batch.num_rows
    raise ReleaseError(f"a row group ends before its row {left[0]}", _AGAIN)


def _batches(table: OpenTable, group: int, columns: Sequence[str] | None) -> Iterator[Any]:
    if columns is not None and (unknown := set(columns) - set(SCHEMA.names)):
        raise ReleaseError(f"unknown columns {shown(sorted(unknown))}", f"Known: {', '.join(SCHEMA.names)}")
    each = max(1, _decoded(table, group, columns) // max(1, table.rows(group)))
    size = max(1, min(_BATCH_ROWS, _BATCH_BYTES // each))
    wanted = list(columns) if columns is not None else None
    for batch in table.file.iter_batches(batch_size=size, row_groups=[group], columns=wanted):
        for part in lighter(batch, 2 * _BATCH_BYTES):
            if part.num_rows == 1 and (bytes_ := sum(map(weight, part.columns))) > _ROW_BYTES:
                raise ReleaseError(
                    f"{table.path}: a row that takes {bytes_:,} bytes", f"Expected {_ROW_BYTES:,} at most."
                )
            yield part


def _nth(group_rows: Iterator[ArrowRow], index: int) -> ArrowRow:
    for number, arrow_row in enumerate(group_rows):
        if number == index:
            return arrow_row
    raise ReleaseError(f"a row group ends before its row {index}", _AGAIN)
