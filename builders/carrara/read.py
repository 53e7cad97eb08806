"""Reads a release folder that nobody vouches for: the manifest, the digest lists, rows by row group, one row by its id.

Everything used is checked first (law 17): structure, types, sizes, and that no path leaves the folder or goes through a
link. Memory is bounded by one row group. Nothing here writes, and nothing needs the recipe's code.
"""

import json
import re
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from carrara.errors import ReleaseError
from carrara.row import SCHEMA

FORMAT = "carrara/1"
MANIFEST = "manifest.json"
# Bounds of what is read: a recipe has at most 100 configs of a million rows; a row of 16M tokens is under 128 MiB.
MAX_JSON_BYTES = 64 * 1024 * 1024
MAX_FILES = 200_000
MAX_CONFIGS = 100
MAX_ROWS = 1_000_000
MAX_GROUP_BYTES = 2 * 1024 * 1024 * 1024
_LINE_BYTES = 512
_BATCH_ROWS = 256
_BATCH_BYTES = 16 * 1024 * 1024
LINK_HINT = "Copy the release with its links resolved (cp -rL) and use the copy."
_AGAIN = "Download or build the release again."
_HINT = "Give the folder of a release, as carrara build wrote it or as it was downloaded."

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")
_CONFIG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_PART = re.compile(r"[A-Za-z0-9._-]{1,200}")
_HEX = re.compile(r"[0-9a-f]{64}")
_LINE = re.compile(r"([0-9a-f]{64})  ([!-~]{1,400})")
_ROW_ID = re.compile(r"([!-.0-~]{1,100})/([!-.0-~]{1,100})/([!-.0-~]{1,20})/([0-9]{5,7})")


@dataclass(frozen=True, slots=True)
class Release:
    """A release folder whose manifest has been checked: `content` and `files` are the manifest's two parts."""

    folder: Path
    content: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]]

    @property
    def name(self) -> str:
        """The release's name."""
        return str(self.content["name"])

    @property
    def version(self) -> str:
        """The release's version, MAJOR.MINOR.PATCH."""
        return str(self.content["version"])

    @property
    def configs(self) -> Mapping[str, Mapping[str, Any]]:
        """The facts of every config, by its name."""
        configs: Mapping[str, Mapping[str, Any]] = self.content["configs"]
        return configs

    def path(self, relative: str) -> Path:
        """Where a file of the release lies. Raises ReleaseError if it leaves the folder, is a link or is missing."""
        if not is_inside(relative):
            raise ReleaseError(f"path {shown(relative)} may leave the release, expected a plain relative path", _HINT)
        place = self.folder
        for part in relative.split("/"):
            place = place / part
            if place.is_symlink():
                raise ReleaseError(f"{relative} goes through a symbolic link, expected a file", LINK_HINT)
        if not place.is_file():
            raise ReleaseError(f"{relative} is missing", _AGAIN)
        return place


def open_release(folder: Path) -> Release:
    """Read and check the manifest of a release folder. Raises ReleaseError on a folder that is no release."""
    file = folder / MANIFEST
    if file.is_symlink() or not file.is_file():
        raise ReleaseError(f"{folder} is no release: it has no {MANIFEST}", _HINT)
    manifest = load_json(file)
    _check(manifest, _TOP, MANIFEST)
    if unknown := sorted(set(manifest) - set(_TOP)):
        raise ReleaseError(f"{MANIFEST}: unknown key {shown(unknown[0])}, expected {', '.join(_TOP)}", _HINT)
    content, files = manifest["content"], manifest["files"]
    _check(content, _CONTENT, "content")
    _check(content["tokenizer"], {"name": _TEXT, "fingerprint": _TEXT}, "content.tokenizer")
    for name, source in content["sources"].items():
        _check(source, _SOURCE, f"content.sources.{shown(name)}")
    for name, facts in content["configs"].items():
        if not _CONFIG.fullmatch(name):
            raise ReleaseError(f"config {shown(name)}, expected letters, digits, '.', '_', '-'", _HINT)
        _check(facts, _FACTS, f"content.configs.{name}")
    for path, entry in files.items():
        if not is_inside(path) or path == MANIFEST:
            raise ReleaseError(f"files: {shown(path)}, expected a relative path inside the release", _HINT)
        _check(entry, {"sha256": _HASH, "bytes": _COUNT}, f"files.{path}")
    return Release(folder, content, files)


def load_json(file: Path, limit: int = MAX_JSON_BYTES) -> Any:
    """A JSON file of bounded size, without NaN, infinity or a key twice. Raises ReleaseError."""
    try:
        with file.open("rb") as stream:
            raw = stream.read(limit + 1)
        if len(raw) > limit:
            raise ReleaseError(f"{file.name} has more than {limit} bytes", _HINT)
        value = json.loads(raw.decode(), object_pairs_hook=_once, parse_constant=_no_constant)
        # Half a surrogate pair, or 1e999: what cannot be written again must not come in.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        return value
    except (OSError, ValueError, RecursionError) as error:
        raise ReleaseError(f"{file.name} is no readable JSON: {shown(str(error))}", _HINT) from error


def is_inside(path: str) -> bool:
    """Whether a relative path is plain: ASCII parts joined by '/', none of them '.' or '..'."""
    parts = path.split("/")
    return len(path) <= 400 and all(_PART.fullmatch(part) and part not in {".", ".."} for part in parts)


def shown(value: Any) -> str:
    """A hostile value for an error line: escaped, at most 80 characters."""
    text = _REPR.repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def listing(folder: Path) -> tuple[list[str], list[str]]:
    """Every file below a folder, and everything that is neither file nor folder (links above all): sorted paths."""
    files: list[str] = []
    odd: list[str] = []
    for place in folder.rglob("*"):
        if place.is_symlink() or not place.is_dir():
            (odd if place.is_symlink() or not place.is_file() else files).append(place.relative_to(folder).as_posix())
        if len(files) + len(odd) > MAX_FILES:
            raise ReleaseError(f"{folder} holds more than {MAX_FILES} files", _HINT)
    return sorted(files), sorted(odd)


def digest_lines(release: Release, config: str) -> Iterator[str]:
    """The lines of `digests/<config>.txt`, each checked for its form. Raises ReleaseError."""
    path = f"digests/{config}.txt"
    with release.path(path).open("rb") as stream:
        number = 0
        while raw := stream.readline(_LINE_BYTES + 1):
            number += 1
            text = raw.decode("ascii", errors="replace")
            if not text.endswith("\n") or not _LINE.fullmatch(text[:-1]) or number > MAX_ROWS:
                raise ReleaseError(
                    f"{path}, line {number}: {shown(text)}, expected '<row digest>  <row id>'",
                    _AGAIN,
                )
            yield text[:-1]


def digest_line_of(release: Release, row_id: str) -> str:
    """The one line of a row: its place follows from the row's index, so that the list is not read up to it."""
    config, index = config_of(release, row_id), int(row_id.rpartition("/")[2])
    path = f"digests/{config}.txt"
    width = 67 + len(row_id.rpartition("/")[0]) + 1
    # Indices have five digits, then as many as they need.
    digits = 5 * index + sum(max(0, index - 10**power) for power in (5, 6))
    with release.path(path).open("rb") as stream:
        stream.seek(max(0, width * index + digits - 1))
        before = stream.read(1) if index else b"\n"
        line = stream.readline(_LINE_BYTES).decode("ascii", errors="replace")
    if before != b"\n" or not line.endswith("\n") or not _LINE.fullmatch(line[:-1]) or line[66:-1] != row_id:
        raise ReleaseError(
            f"{path}: {shown(line)} where the line of {row_id} should stand",
            "The list was altered: download or build the release again.",
        )
    return line[:-1]


def config_of(release: Release, row_id: str) -> str:
    """The config that a row id `<benchmark>/<task>[_<variant>]/<bucket>/<index>` belongs to. Raises ReleaseError."""
    if match := _ROW_ID.fullmatch(row_id):
        benchmark, name, bucket, index = match.groups()
        config = f"{name}_{bucket}"
        facts = release.configs.get(config)
        if facts and facts["benchmark"] == benchmark and facts["bucket"] == bucket:
            if index == f"{int(index):05d}" and int(index) < facts["rows"]:
                return config
            raise ReleaseError(f"row {shown(row_id)}: {config} has the rows 00000 to {facts['rows'] - 1:05d}")
    known = ", ".join(sorted(release.configs)[:5])
    raise ReleaseError(
        f"no row {shown(row_id)} in {release.name}@{release.version}",
        f"Expected <benchmark>/<task>[_<variant>]/<bucket>/<index> of one of its configs: {known}, ...",
    )


def rows(release: Release, config: str, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a config as Arrow returns them, in order; memory is bounded by one row group."""
    for path in _facts(release, config)["files"]:
        with open_table(release, path) as table:
            for group in range(table.num_row_groups):
                yield from _group_rows(table, group, columns)


def row(release: Release, row_id: str) -> dict[str, Any]:
    """One row; reads footers and the row group that holds it. Raises ReleaseError if another row stands there."""
    found = row_at(release, config_of(release, row_id), int(row_id.rpartition("/")[2]))
    if found["id"] != row_id:
        raise ReleaseError(
            f"row {shown(found['id'])} stands where {row_id} should", "Rows are out of order: run carrara verify."
        )
    return found


def row_at(release: Release, config: str, index: int) -> dict[str, Any]:
    """The row at a position of a config, whatever its id."""
    left = index
    for path in _facts(release, config)["files"]:
        with open_table(release, path) as table:
            for group in range(table.num_row_groups):
                size = table.metadata.row_group(group).num_rows
                if left < size:
                    return _nth(_group_rows(table, group, None), left)
                left -= size
    raise ReleaseError(f"{config} holds {index - left} rows, no row {index}", _AGAIN)


@contextmanager
def open_table(release: Release, path: str) -> Iterator[Any]:
    """A Parquet file of the release with SCHEMA and row groups of bounded size. Raises ReleaseError, also when read."""
    try:
        with pq.ParquetFile(release.path(path)) as table:
            _check_table(table, path)
            yield table
    # ValueError: text that is no UTF-8 (and ArrowInvalid).
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ReleaseError(f"{path} is no readable Parquet: {shown(str(error))}", _AGAIN) from error


def _facts(release: Release, config: str) -> Mapping[str, Any]:
    if config not in release.configs:
        known = ", ".join(sorted(release.configs))
        raise ReleaseError(f"no config {shown(config)} in {release.name}@{release.version}", f"Its configs: {known}")
    return release.configs[config]


def _check_table(table: Any, path: str) -> None:
    schema = table.schema_arrow
    if schema.names != SCHEMA.names:
        raise ReleaseError(f"{path}: columns {shown(schema.names)}", f"Expected {', '.join(SCHEMA.names)}.")
    for got, expected in zip(schema, SCHEMA, strict=True):
        # Equality ignores what the element of a list is called ("item", "element"): writers differ there.
        if not got.equals(expected) or _metadata(got):
            raise ReleaseError(
                f"{path}: column {shown(got.name)} is {shown(str(got))}", f"Expected {expected}, no metadata."
            )
    surprises = {*(table.metadata.metadata or {})} - {b"ARROW:schema"}
    if schema.metadata or surprises:
        raise ReleaseError(f"{path}: schema metadata {shown(sorted(surprises))}", "Expected none.")
    for group in range(table.num_row_groups):
        part = table.metadata.row_group(group)
        if part.num_rows > MAX_ROWS or part.total_byte_size > MAX_GROUP_BYTES:
            raise ReleaseError(
                f"{path}: a row group of {part.num_rows} rows, {part.total_byte_size} bytes",
                f"Expected at most {MAX_ROWS} rows and {MAX_GROUP_BYTES} bytes.",
            )


def _metadata(field: Any) -> bool:
    kind = field.type
    return bool(field.metadata) or any(_metadata(kind.field(place)) for place in range(kind.num_fields))


def _group_rows(table: Any, group: int, columns: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    if columns is not None and (unknown := set(columns) - set(SCHEMA.names)):
        raise ReleaseError(f"unknown columns {shown(sorted(unknown))}", f"Known: {', '.join(SCHEMA.names)}")
    part = table.metadata.row_group(group)
    each = max(1, part.total_byte_size // max(1, part.num_rows))
    size = max(1, min(_BATCH_ROWS, _BATCH_BYTES // each))
    wanted = list(columns) if columns is not None else None
    for batch in table.iter_batches(batch_size=size, row_groups=[group], columns=wanted):
        yield from batch.to_pylist()


def _nth(found: Iterator[dict[str, Any]], index: int) -> dict[str, Any]:
    for number, one in enumerate(found):
        if number == index:
            return one
    raise ReleaseError(f"a row group ends before its row {index}", _AGAIN)


_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 80


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key stands twice in one table")
    return table


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_Rule = tuple[Callable[[Any], bool], str]


def _check(table: Any, rules: Mapping[str, _Rule], where: str) -> None:
    if not isinstance(table, dict):
        raise ReleaseError(f"{where} is a {type(table).__name__}, expected a table", _HINT)
    for key, (fits, expected) in rules.items():
        if key not in table:
            raise ReleaseError(f"{where} has no {key!r}, expected {expected}", _HINT)
        if not fits(table[key]):
            raise ReleaseError(f"{where}: {key} = {shown(table[key])}, expected {expected}", _HINT)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 20_000


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _is_list(value: Any, fits: Callable[[Any], bool], most: int) -> bool:
    return isinstance(value, list) and len(value) <= most and all(map(fits, value))


def _is_table(value: Any, fits: Callable[[Any], bool], most: int) -> bool:
    return isinstance(value, dict) and len(value) <= most and all(map(fits, value.values()))


def _is_numbers(value: Any, *keys: str) -> bool:
    if not isinstance(value, dict) or set(value) != set(keys):
        return False
    return all(type(one) in {int, float} and abs(one) < 1 << 63 for one in value.values())


def _is_scores(value: Any) -> bool:
    return _is_table(value, lambda score: isinstance(score, (int, float)) and 0 <= score <= 1, 100)


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and bool(_HEX.fullmatch(value))


def _is_paths(value: Any) -> bool:
    return _is_list(value, lambda path: isinstance(path, str) and is_inside(path), MAX_FILES) and value != []


_TEXT: _Rule = (_is_text, "a text of at most 20,000 characters")
_COUNT: _Rule = (_is_count, "a whole number")
_HASH: _Rule = (_is_hash, "a sha256 in hexadecimal")
_SUMMARY: _Rule = (
    lambda value: _is_numbers(value, "sum", "min", "max", "mean", "sd"),
    "a table of sum, min, max, mean, sd",
)
_TOP: Mapping[str, _Rule] = {
    "format": (lambda value: value == FORMAT, repr(FORMAT)),
    "content": (lambda value: isinstance(value, dict), "a table"),
    "files": (lambda value: _is_table(value, lambda entry: True, MAX_FILES), "a table of files"),
}
_CONTENT: Mapping[str, _Rule] = {
    "name": (lambda value: isinstance(value, str) and bool(_NAME.fullmatch(value)), "a name like needlebench"),
    "version": (lambda value: isinstance(value, str) and bool(_VERSION.fullmatch(value)), "a version like 1.0.0"),
    **dict.fromkeys(("stream", "title", "canary"), _TEXT),
    "recipe_fingerprint": _HASH,
    "tokenizer": (lambda value: isinstance(value, dict), "a table"),
    "recipe": (lambda value: isinstance(value, dict), "a table"),
    "sources": (lambda value: _is_table(value, lambda entry: True, 1_000), "a table of sources"),
    "configs": (lambda value: _is_table(value, lambda entry: True, MAX_CONFIGS), "a table of at most 100 configs"),
}
_SOURCE: Mapping[str, _Rule] = {
    **dict.fromkeys(("title", "lang", "licence", "citation", "url", "fingerprint"), _TEXT),
    "files": (lambda value: _is_table(value, _is_hash, MAX_FILES), "a table of sha256"),
}
_FACTS: Mapping[str, _Rule] = {
    **dict.fromkeys(("task", "benchmark", "paper", "asks", "variant", "bucket"), _TEXT),
    **dict.fromkeys(("source", "lengths", "metric", "licence"), _TEXT),
    **dict.fromkeys(("bucket_tokens", "items", "groups", "answers"), _COUNT),
    **dict.fromkeys(("root", "plans"), _HASH),
    **dict.fromkeys(("tokens", "output_tokens"), _SUMMARY),
    "rows": (lambda value: _is_count(value) and value <= MAX_ROWS, f"a whole number up to {MAX_ROWS}"),
    "metrics": (lambda value: _is_list(value, _is_text, 100), "a list of metric names"),
    "files": (_is_paths, "a list of relative paths inside the release"),
    "fill": (lambda value: _is_numbers(value, "min", "mean"), "a table of min and mean"),
    "complexity": (lambda value: _is_table(value, _is_count, 100_000), "a table of counts"),
    "depths": (lambda value: _is_list(value, _is_count, 10) and len(value) == 10, "10 counts"),
    "histogram": (lambda value: _is_list(value, _is_count, 20) and len(value) == 20, "20 counts"),
    "paper_scores": (lambda value: _is_table(value, _is_scores, 100), "a table of tables of scores"),
}
