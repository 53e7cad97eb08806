"""Data files as they are published: JSON lines, whole JSON, tables with tabs, Parquet, zips of text; gzipped or not.

Lines, tables and Parquet are read as a stream, so that a corpus may be larger than memory; whole JSON is held in it.
Nothing is trusted and nothing is written to disk: a line, a cell, a member of a zip and a whole file are bounded before
they are read, and a torn archive is an error that names the file. JSON is read strictly: what parsers read in different
ways (NaN, Infinity, 1e999, a key twice in one object) is refused, also where a dataset was published so; the error says
to mend a copy. None of the 58 JSON files of the tests' sources holds any of these.

Must not change without a new version of the readers: the order of records, and the names that they are called by.
"""

import csv
import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from carrara.errors import SourceError
from carrara.sources.document import MAX_FILE_BYTES, decode, read_bytes, stem
from carrara.sources.fields import Fields, shown
from carrara.text.json import strict_json

MAX_MEMBERS: Final = 100_000
MAX_MEMBER_BYTES: Final = 64 << 20
_BOM: Final = b"\xef\xbb\xbf"
_BATCH: Final = 1_024
_FORMS: Final = {"json": "json", "jsonl": "json", "jsonlines": "json", "tsv": "tsv", "txt": "txt", "parquet": "parquet"}
_RECORDS_HINT: Final = (
    "Take the file as it was published: JSON lines, an array of records, or an object of named records."
)
_STRICT_HINT: Final = (
    "Parsers differ on this. Mend a copy (null for NaN, every key once), and take it as a source of your own: "
    "[source.NAME] in the recipe."
)


class Record(NamedTuple):
    """A row: where it stands, the name that an object of named rows gives it ("" else), and what it is."""

    where: str
    name: str
    value: Any


def form(path: str) -> str:
    """What a file holds by the ending of its name: "json", "tsv", "txt" or "parquet"."""
    ending = path.removesuffix(".gz").rsplit(".", 1)[-1].lower()
    if ending not in _FORMS:
        raise SourceError(
            f"{path}: a {ending[:20]!r} file, expected {', '.join(f'.{name}' for name in _FORMS)} (or that with .gz)",
            "Convert the file, or correct its name.",
        )
    return _FORMS[ending]


def lines(file: Path, path: str) -> Iterator[tuple[str, str]]:
    """(where, line) of every line that is not blank, without its newline; cut at \\n alone, as JSON text needs it."""
    with _opened(file, path) as stream:
        number = 0
        while raw := stream.readline(MAX_FILE_BYTES + 1):
            number += 1
            where = f"{path}:{number}"
            _bounded(len(raw), where)
            if raw.strip():
                yield where, decode(raw, where).rstrip("\r\n")


def cells(file: Path, path: str, delimiter: str = "\t") -> Iterator[tuple[str, list[str]]]:
    """(where, cells) of every line of a table with tabs, or what else parts its cells; they may be quoted as in CSV."""
    with _opened(file, path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        reader = csv.reader(_text_lines(text, path), delimiter=delimiter, strict=True)
        try:
            for row in reader:
                if row:
                    yield f"{path}:{reader.line_num}", row
        except csv.Error as error:
            raise SourceError(f"{path}:{reader.line_num}: {error}", "Mend the line, or its quotes.") from error
        except UnicodeDecodeError as error:
            raise SourceError(f"{path}: {error}, expected UTF-8", "Convert the file to UTF-8.") from error


def tab_rows(file: Path, path: str, delimiter: str = "\t") -> Iterator[Record]:
    """The rows of a table with tabs, or what else parts its cells, by the names of its head line."""
    head: list[str] = []
    for where, row in cells(file, path, delimiter):
        if not head:
            head = [name.strip() for name in row]
        elif len(row) != len(head):
            raise SourceError(f"{where}: {len(row)} cells, expected {len(head)}: {shown(head)}", "Mend the line.")
        else:
            yield Record(where, "", dict(zip(head, row, strict=True)))


def parsed(where: str, text: str, hint: str = "Fetch the file again.") -> Any:
    """The value of a JSON text. Raises SourceError that says where, for what `strict_json` refuses too."""
    try:
        return strict_json(text)
    except ValueError as error:
        advice = hint if isinstance(error, json.JSONDecodeError) else _STRICT_HINT
        raise SourceError(f"{where}: got {text[:60]!r}, expected JSON ({error})", advice) from error


def json_rows(file: Path, path: str) -> Iterator[Record]:
    """The rows of JSON lines, of a list, or of an object of named rows.

    One object alone is an object of named rows where all its values are objects or lists, else a row; in a file named
    .jsonl it is a row.
    """
    if not _begins_with_a_row(file, path):
        yield from _records_of(path, parsed(path, decode(read_bytes(file, path), path)))
        return
    numbered = lines(file, path)
    held = next(numbered, None)
    after = next(numbered, None)
    if held is not None and after is None and not path.removesuffix(".gz").endswith((".jsonl", ".jsonlines")):
        yield from _records_of(path, parsed(held[0], held[1]))
        return
    for pair in (held, after):
        if pair is not None:
            yield Record(pair[0], "", parsed(*pair))
    for where, line in numbered:
        yield Record(where, "", parsed(where, line))


def parquet_rows(file: Path, path: str, columns: Collection[str] | None = None) -> Iterator[Record]:
    """The rows of a Parquet file: these columns of it, or all but embeddings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as table:
            names = [
                field.name
                for field in table.schema_arrow
                if (columns is None or field.name in columns) and not _is_vector(field.type)
            ]
            number = 0
            for batch in table.iter_batches(batch_size=_BATCH, columns=names):
                for row in batch.to_pylist():
                    number += 1
                    yield Record(f"{path}, row {number}", "", row)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise SourceError(f"{path}: cannot be read as Parquet ({error})", "Fetch the file again.") from error


def rows(file: Path, path: str, columns: Collection[str] | None = None) -> Iterator[Record]:
    """The rows of a file of any form but lines of text; `columns` are those that Parquet needs to give."""
    kind = form(path)
    if kind == "parquet":
        return parquet_rows(file, path, columns)
    if kind == "json":
        return json_rows(file, path)
    if kind == "tsv":
        return tab_rows(file, path)
    raise SourceError(f"{path}: lines of text, expected .json, .jsonl, .tsv or .parquet", "Correct the file's name.")


def named_records(files: Mapping[str, Path]) -> Iterator[tuple[str, str, Fields]]:
    """(where, name, record) of every record of JSON files, in the order of the sorted files.

    The name is the key of a named record, else `<file>/<number>`. Raises SourceError that says where.
    """
    for path in sorted(files):
        data = read_bytes(files[path], path)
        values = _named_lines(path, data) if _is_json_lines(data) else _named_values(path, data)
        for where, name, record in values:
            if not isinstance(record, dict):
                raise SourceError(f"{where}: got {str(record)[:60]!r}, expected a JSON object", _RECORDS_HINT)
            yield where, name, record


def zip_texts(path: Path, name: str, every: bool = False) -> Iterator[tuple[str, str]]:
    """(member name, text) of every `.txt` and `.md` member; others too where `every` file counts."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = sorted(
                (
                    info
                    for info in archive.infolist()
                    if (every and not info.is_dir()) or info.filename.endswith((".txt", ".md"))
                ),
                key=lambda info: info.filename,
            )
            if len(members) > MAX_MEMBERS:
                raise SourceError(f"{name}: {len(members)} members, expected at most {MAX_MEMBERS}", "Cut it up.")
            left = MAX_FILE_BYTES
            for info in members:
                # The size in the header may lie: the read itself is bounded.
                with archive.open(info) as member:
                    data = member.read(min(MAX_MEMBER_BYTES, left) + 1)
                left -= len(data)
                if len(data) > MAX_MEMBER_BYTES or left < 0:
                    raise SourceError(
                        f"{name}: member {info.filename!r} is too large, expected at most {MAX_MEMBER_BYTES} bytes "
                        f"and {MAX_FILE_BYTES} in all",
                        "Cut it into several files.",
                    )
                text = decode(data, f"{name}, member {info.filename!r}")
                yield info.filename, text.replace("\r\n", "\n").replace("\r", "\n")
    # All that the standard library raises for archives that are broken, encrypted or packed in unknown ways.
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise SourceError(f"{name}: cannot be read as a zip ({error})", "Fetch the file again.") from error


def _is_json_lines(data: bytes) -> bool:
    """Whether every line is a record; one line alone may be an object of named records, each an object."""
    first, _, rest = data.strip().partition(b"\n")
    if not (first.startswith(b"{") and first.rstrip().endswith(b"}")):
        return False
    if rest:
        return True
    try:
        table = strict_json(first)
    except ValueError:
        return True
    return not table or not all(isinstance(value, dict) for value in table.values())


def _named_lines(path: str, data: bytes) -> Iterator[tuple[str, str, Any]]:
    # Cut as bytes: JSON text may hold other line separators than a newline.
    for number, raw in enumerate(data.split(b"\n"), start=1):
        if raw.strip():
            where = f"{path}:{number}"
            yield where, f"{stem(path)}/{number}", parsed(where, decode(raw, where), _RECORDS_HINT)


def _named_values(path: str, data: bytes) -> Iterator[tuple[str, str, Any]]:
    table = parsed(path, decode(data, path), _RECORDS_HINT)
    if isinstance(table, list):
        yield from (
            (f"{path}, record {number}", f"{stem(path)}/{number}", record) for number, record in enumerate(table, 1)
        )
    elif isinstance(table, dict):
        yield from ((f"{path}, record {name!r}", name, record) for name, record in table.items())
    else:
        raise SourceError(f"{path}: got {str(table)[:60]!r}, expected records", _RECORDS_HINT)


def _begins_with_a_row(file: Path, path: str) -> bool:
    """Whether the first line is an object of its own; of JSON laid out over many lines it is not."""
    with _opened(file, path) as stream:
        # A list may be one line of hundreds of megabytes.
        if stream.peek(64).removeprefix(_BOM).lstrip()[:1] == b"[":
            return False
        first = b""
        while not first and (raw := stream.readline(MAX_FILE_BYTES + 1)):
            first = raw.removeprefix(_BOM).strip()
    return first.startswith(b"{") and first.endswith(b"}")


def _is_vector(type_: Any) -> bool:
    import pyarrow as pa

    lists = pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_)
    return lists and bool(pa.types.is_floating(type_.value_type))


def _records_of(path: str, table: Any) -> Iterator[Record]:
    if isinstance(table, list):
        yield from (Record(f"{path}, record {number}", "", record) for number, record in enumerate(table, 1))
    elif isinstance(table, dict) and table and all(isinstance(value, dict | list) for value in table.values()):
        yield from (Record(f"{path}, record {name[:60]!r}", name, record) for name, record in table.items())
    elif isinstance(table, dict):
        yield Record(path, "", table)
    else:
        raise SourceError(f"{path}: got {shown(table)}, expected rows", "Fetch the file again.")


def _text_lines(text: io.TextIOWrapper, path: str) -> Iterator[str]:
    number = 0
    while line := text.readline(MAX_FILE_BYTES + 1):
        number += 1
        _bounded(len(line), f"{path}:{number}")
        yield line


def _bounded(size: int, where: str) -> None:
    if size > MAX_FILE_BYTES:
        raise SourceError(f"{where}: a line of more than {MAX_FILE_BYTES} bytes", "Cut the file into lines.")


@contextmanager
def _opened(file: Path, path: str) -> Iterator[io.BufferedReader | gzip.GzipFile]:
    """A file for reading, unpacked; what goes wrong while it is read is an error that names it."""
    try:
        with gzip.open(file) if path.endswith(".gz") else file.open("rb") as stream:
            yield stream
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{path}: cannot be read ({error})", "Fetch the file again, or make it readable.") from error
