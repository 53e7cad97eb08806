"""Parquet as written: row groups, empty metadata, page index, the same bytes twice, nothing torn, bounded memory."""

import errno
import hashlib
import json
import tracemalloc
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from toys import ROW

from carrara.engine import files, parquet
from carrara.engine.files import file_sha256, write_bytes, write_json
from carrara.engine.parquet import write_rows
from carrara.errors import CarraraError
from carrara.row import SCHEMA

MIB = 1 << 20


def row(number: int, size: int = 100, **changes):
    # A text that does not compress to nothing, and is another for every row.
    word = hashlib.sha256(str(number).encode()).hexdigest()
    return replace(ROW, id=f"{number:05d}", prompt=(word * (size // 64 + 1))[:size], **changes)


def groups(path) -> list[int]:
    table = pq.ParquetFile(path).metadata
    return [table.row_group(number).num_rows for number in range(table.num_row_groups)]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([100], [1]),
        ([100] * 1_000, [1_000]),
        ([100] * 2_500, [1_000, 1_000, 500]),
        ([MIB + 1] * 4, [1, 1, 1, 1]),
        ([MIB] * 4, [4]),
        ([MIB] * 17, [16, 1]),
        ([100, 100, MIB + 1, 100], [2, 1, 1]),
        ([], []),
    ],
)
def test_row_groups_have_one_long_row_or_up_to_a_thousand_or_16_mib(tmp_path, sizes, expected):
    rows = [row(number, size, answers=()) for number, size in enumerate(sizes)]
    write_rows(tmp_path / "a.parquet", rows)
    assert groups(tmp_path / "a.parquet") == expected
    assert pq.read_table(tmp_path / "a.parquet")["id"].to_pylist() == [one.id for one in rows]


def test_long_answers_and_wide_characters_make_a_row_long(tmp_path):
    long = [row(number, 600_000, answers=("7" * 600_000,)) for number in range(2)]
    wide = [replace(ROW, id=f"w{number}", prompt="字" * 400_000) for number in range(2)]
    write_rows(tmp_path / "a.parquet", [*long, *wide])
    assert groups(tmp_path / "a.parquet") == [1, 1, 1, 1]


def test_the_file_holds_the_schema_and_nothing_else(tmp_path):
    write_rows(tmp_path / "a.parquet", [row(number) for number in range(3)])
    table = pq.ParquetFile(tmp_path / "a.parquet")
    # Parquet calls the items of a list "element"; to Arrow the types are equal.
    assert table.schema_arrow.equals(SCHEMA) and table.schema_arrow.names == SCHEMA.names
    assert not any(field.metadata for field in table.schema_arrow)
    assert pq.read_table(tmp_path / "a.parquet").schema.metadata is None
    # Arrow's own copy of the schema is there; no other key, of ours or of a library, is.
    assert set(table.metadata.metadata or {}) <= {b"ARROW:schema"}
    for number in range(table.metadata.row_group(0).num_columns):
        column = table.metadata.row_group(0).column(number)
        assert column.compression == "ZSTD" and column.has_offset_index, column.path_in_schema
        assert "RLE_DICTIONARY" not in column.encodings
        assert column.has_column_index == column.is_stats_set == (column.path_in_schema == "id")
    names = [table.metadata.row_group(0).column(at).path_in_schema for at in (0, -1 + table.metadata.num_columns)]
    assert names == ["id", "prompt"]


def test_the_same_rows_give_the_same_bytes(tmp_path):
    rows = [row(number, 1_000 * number) for number in range(1, 40)]
    one = write_rows(tmp_path / "a.parquet", rows)
    two = write_rows(tmp_path / "deep" / "er" / "b.parquet", iter(rows))
    assert one == two and (tmp_path / "a.parquet").read_bytes() == (tmp_path / "deep" / "er" / "b.parquet").read_bytes()
    assert one.sha256 == file_sha256(tmp_path / "a.parquet")
    assert one.sha256 == hashlib.sha256((tmp_path / "a.parquet").read_bytes()).hexdigest()
    assert one.bytes == (tmp_path / "a.parquet").stat().st_size
    three = write_rows(tmp_path / "c.parquet", rows[:-1])
    assert three.sha256 != one.sha256


def test_an_error_in_the_rows_leaves_nothing_behind(tmp_path):
    def rows():
        yield row(0, 2 * MIB)
        yield row(1, 2 * MIB)
        raise RuntimeError("no third row")

    with pytest.raises(RuntimeError, match="no third row"):
        write_rows(tmp_path / "a.parquet", rows())
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_the_file_that_was_there(tmp_path):
    write_rows(tmp_path / "a.parquet", [row(0)])
    before = (tmp_path / "a.parquet").read_bytes()

    def rows():
        yield row(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_rows(tmp_path / "a.parquet", rows())
    assert (tmp_path / "a.parquet").read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.parquet"]


def test_a_row_against_the_schema_is_refused(tmp_path):
    for wrong in ({"tokens": 2**31}, {"tokens": "many"}, {"answers": (3,)}, {"prompt": None}, {"prompt": "\ud800"}):
        with pytest.raises((pa.ArrowException, ValueError, TypeError, AttributeError)):
            write_rows(tmp_path / "a.parquet", [replace(ROW, **wrong)])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["rows", "bytes", "json"])
def test_a_full_disk_is_an_error_with_advice(tmp_path, monkeypatch, what):
    def full(temporary, path):
        raise OSError(errno.ENOSPC, "No space left on device")

    for module in (files, parquet):
        monkeypatch.setattr(module, "commit", full)
    path = tmp_path / "a"
    with pytest.raises(CarraraError, match="cannot write a: No space left on device") as caught:
        {
            "rows": lambda: write_rows(path, [ROW]),
            "bytes": lambda: write_bytes(path, b"x"),
            "json": lambda: write_json(path, {}),
        }[what]()
    assert "free some space" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_no_files_is_an_error_of_ours(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises((CarraraError, OSError)):
        write_bytes(tmp_path / "file" / "a", b"x")


def test_small_files_are_canonical_and_whole(tmp_path):
    write_json(tmp_path / "a.json", {"b": 1, "a": "字"})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{"a": "字", "b": 1}\n'
    with pytest.raises(ValueError):
        write_json(tmp_path / "b.json", {"a": float("nan")})
    write_bytes(tmp_path / "c" / "d", b"\x00")
    assert (tmp_path / "c" / "d").read_bytes() == b"\x00"
    assert sorted(file.name for file in tmp_path.rglob("*") if file.is_file()) == ["a.json", "d"]
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == {"a": "字", "b": 1}


def test_memory_holds_one_row_group(tmp_path):
    allocated = []

    def rows():
        for number in range(60):
            allocated.append(pa.total_allocated_bytes())
            yield row(number, 2 * MIB)

    before = pa.total_allocated_bytes()
    tracemalloc.start()
    write_rows(tmp_path / "a.parquet", rows())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert groups(tmp_path / "a.parquet") == [1] * 60
    # 120 MiB in all; a row is held as text, as UTF-8 and as Arrow.
    assert peak < 24 * MIB and max(allocated) - before < 24 * MIB
