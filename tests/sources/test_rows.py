"""Rows of every form of file, lists as Python writes them, and what is refused."""

import gzip
import json
import sys
import time

import pytest
from made_files import nested, parquet, write

from carrara.errors import SourceError
from carrara.sources import formats as room
from carrara.sources.fields import all_text, flag, identifier, integer, only, rows, shown, text, texts, values
from carrara.sources.formats import cells, form, json_rows, lines, tab_rows
from carrara.sources.formats import rows as rows_of
from carrara.sources.readers.open_questions import python_texts as literal

PAIR = [{"a": 1}, {"a": "b\u2028c"}]


def read(files, *more):
    return [found for path in sorted(files) for found in rows_of(files[path], path, *more)]


class TestJson:
    @pytest.mark.parametrize("packed", ["", "__gz"])
    def test_lines_lists_and_named_rows_are_the_same_rows(self, tmp_path, packed):
        for name, content in {
            "a__jsonl": PAIR,
            "b__json": PAIR,
            "c__json": json.dumps(PAIR, indent=1),
            "d__json": "\n\n" + "\n \n".join(map(json.dumps, PAIR)),
            "e__jsonlines": "\ufeff" + "\r\n".join(map(json.dumps, PAIR)),
            "f__json": {"x": PAIR[0], "y": PAIR[1]},
            "g__json": json.dumps({"x": PAIR[0], "y": PAIR[1]}, indent=2),
        }.items():
            assert [one.value for one in read(write(tmp_path, **{name + packed: content}))] == PAIR, name

    def test_rows_say_where_they_stand_and_what_they_are_called(self, tmp_path):
        assert [one.where for one in read(write(tmp_path, a__jsonl='{"a": 1}\n\n{"b": 1}\n'))] == [
            "a.jsonl:1",
            "a.jsonl:3",
        ]
        assert [one[:2] for one in read(write(tmp_path, b__json={"x": [1], "y": {}}))] == [
            ("b.json, record 'x'", "x"),
            ("b.json, record 'y'", "y"),
        ]
        # One row alone, and an object of rows by name: told apart by what its values are.
        assert read(write(tmp_path, c__json={"x": [1], "n": 2})) == [("c.json", "", {"x": [1], "n": 2})]
        assert read(write(tmp_path, c__jsonl=[{"x": [1]}])) == [("c.jsonl:1", "", {"x": [1]})]

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ('{"a": 1}\n{"a": \n', "a.json:2: got '{\"a\": '"),
            ('{"a": 1}\n{"a": 1}{"b": 2}\n', "a.json:2"),
            ("nonsense", "a.json: got 'nonsense', expected JSON"),
            ("3", "a.json: got 3, expected rows"),
            ("", "a.json: got '', expected JSON"),
            (b"\xff\xfe{}", "expected UTF-8"),
            (b'{"a": 1}\n{"a": "\xe9"}\n', "a.json:2: got byte 0xe9"),
            ("[" * 200_000, "expected JSON"),
            ('{"a": 1}\n' + "[" * 200_000, "a.json:2"),
            ('{"a": ' + "9" * 5_000 + "}\n{}", "a.json:1"),
            ('{"a": "\0"}\n{}', "a.json:1"),
        ],
    )
    def test_what_is_refused(self, tmp_path, content, said):
        with pytest.raises(SourceError) as caught:
            read(write(tmp_path, a__json=content))
        assert said in str(caught.value) and len(str(caught.value)) < 500


class TestTables:
    def test_cells_are_quoted_as_in_csv_and_lines_end_as_they_like(self, tmp_path):
        content = '"He said ""no"""\t[1]\r\n\r\nplain "inside"\tb\u2028c\n"two\nlines"\td\n'
        files = write(tmp_path, a__tsv=content, b__tsv__gz="\ufeff" + content)
        for path in files:
            assert [row for _, row in cells(files[path], path)] == [
                ['He said "no"', "[1]"],
                ['plain "inside"', "b\u2028c"],
                ["two\nlines", "d"],
            ]

    def test_a_head_line_names_the_cells(self, tmp_path):
        files = write(tmp_path, a__tsv="id\t text\n1\tx\n2\t\n")
        assert [one.value for one in read(files)] == [{"id": "1", "text": "x"}, {"id": "2", "text": ""}]
        files = write(tmp_path, b__tsv="id\ttext\n1\tx\n2\n")
        with pytest.raises(SourceError, match=r"b\.tsv:3: 1 cells, expected 2"):
            list(tab_rows(files["b.tsv"], "b.tsv"))

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ('a\t"b\n', r"a\.tsv:1: unexpected end"),
            ('a\tb\nc\t"b"c\n', r"a\.tsv:2: '\t' expected"),
            ("a\t" + "b" * 200_000 + "\n", "field larger than field limit"),
            (b"a\tb\n\xff\tb\n", "expected UTF-8"),
        ],
    )
    def test_what_is_refused(self, tmp_path, content, said):
        files = write(tmp_path, a__tsv=content)
        with pytest.raises(SourceError, match=said):
            list(cells(files["a.tsv"], "a.tsv"))


class TestParquet:
    def test_rows_of_the_columns_that_are_wanted(self, tmp_path):
        made = [{"a": number, "b": {"c": ["x"]}, "vectors": [0.5, 1.0]} for number in range(3_000)]
        files = parquet(tmp_path, "a.parquet", made)
        found = read(files)
        assert [one.value["a"] for one in found] == list(range(3_000))
        assert found[2_000].where == "a.parquet, row 2001" and found[0].value == {"a": 0, "b": {"c": ["x"]}}
        assert read(files, ("a", "other"))[5].value == {"a": 5}

    def test_a_damaged_file_is_refused(self, tmp_path):
        whole = parquet(tmp_path, "a.parquet", [{"a": "x" * 1_000}])["a.parquet"].read_bytes()
        for data in (b"", whole[:-40], whole[:200], b"PAR1" + b"\0" * 400 + b"PAR1", b"{}"):
            with pytest.raises(SourceError, match="cannot be read as Parquet"):
                read(write(tmp_path, b__parquet=data))


def test_a_torn_archive_is_refused_where_it_is_torn(tmp_path):
    whole = gzip.compress("".join(f'{{"a": {number}}}\n' for number in range(50_000)).encode())
    for data in (whole[: len(whole) // 2], whole[:5], b"no archive", whole[:-8] + b"\0" * 8):
        (tmp_path / "a.jsonl.gz").write_bytes(data)
        with pytest.raises(SourceError, match=r"a\.jsonl\.gz: cannot be read"):
            list(rows_of(tmp_path / "a.jsonl.gz", "a.jsonl.gz"))
    with pytest.raises(SourceError, match="cannot be read"):
        list(json_rows(tmp_path / "absent.json", "absent.json"))


def test_a_line_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "MAX_FILE_BYTES", 100)
    files = write(tmp_path, a__jsonl='{"a": 1}\n{"a": "' + "x" * 200 + '"}\n', b__tsv="a\n" + "x" * 200)
    with pytest.raises(SourceError, match=r"a\.jsonl:2: a line of more than 100 bytes"):
        list(json_rows(files["a.jsonl"], "a.jsonl"))
    with pytest.raises(SourceError, match=r"b\.tsv:2: a line of more than 100 bytes"):
        list(cells(files["b.tsv"], "b.tsv"))


def test_lines_are_cut_at_newlines_alone(tmp_path):
    files = write(tmp_path, a__txt="a\u2028b\x0cc\r\n\n d\te \nf")
    assert list(lines(files["a.txt"], "a.txt")) == [
        ("a.txt:1", "a\u2028b\x0cc"),
        ("a.txt:3", " d\te "),
        ("a.txt:4", "f"),
    ]


def test_forms():
    names = ("x/a.JSON", "a.b.jsonl.gz", "a.tsv", "a.txt.gz", "a.parquet")
    assert [form(name) for name in names] == ["json", "json", "tsv", "txt", "parquet"]
    for name in ("a.csv", "a", "a.json.zip"):
        with pytest.raises(SourceError, match=r"expected \.json"):
            form(name)


class TestLiterals:
    @pytest.mark.parametrize(
        ("written", "wanted"),
        [
            ("[]", []),
            (" [ ] ", []),
            ("['a']", ["a"]),
            ("""['a', "b's", 'c\\'d',]""", ["a", "b's", "c'd"]),
            (r"""['\xe9\u00e9\U0001f681', "\\n\n\"\t"]""", ["éé🚁", '\\n\n"\t']),
            ("['🚁', '拳闘', '']", ["🚁", "拳闘", ""]),
        ],
    )
    def test_lists(self, written, wanted):
        assert literal(written) == wanted

    @pytest.mark.parametrize(
        "written",
        [
            *("", "a", "['a'", "['a' 'b']", "['a',,]", "['a'] ['b']", "[1]", "[a]", "['a\\q']", "[[]]", "['a', *'b']"),
            *("['a'.upper()]", "['a']()", "[r'a']", "['a", "('a',)", "['\\U00110000']", "[,]", "['\\x4']"),
            *("[__import__('os')]", "{'a'}", "['a' for _ in 'b']"),
        ],
    )
    def test_anything_else_is_refused(self, written):
        with pytest.raises(ValueError, match=r"expected|unknown escape|no character"):
            literal(written)

    def test_hostile_texts_take_linear_time(self):
        start = time.process_time()
        for written in ("['" + "\\" * 1_000_001, "['" + "a" * 1_000_000, "[" + " " * 1_000_000 + "x", nested(100_000)):
            with pytest.raises(ValueError):
                literal(written)
        assert len(literal("[" + "'a', " * 200_000 + "]")) == 200_000
        assert time.process_time() - start < 5


class TestFields:
    def test_values_of_the_wanted_type(self):
        row = {"t": "x", "n": 3, "d": "-12", "f": True, "l": ["a"], "o": [{}], "none": None}
        assert (text(row, "t", ""), text(row, "none", "", "y"), integer(row, "n", ""), integer(row, "d", "")) == (
            *("x", "y", 3, -12),
        )
        assert (flag(row, "f", ""), flag(row, "none", ""), texts(row, "l", ""), values(row, "none", "")) == (
            *(True, False, ["a"], []),
        )
        assert rows(row, "o", "") == [{}] and identifier(row, ("x", "n"), "") == "3" and identifier(row, (), "") == ""

    @pytest.mark.parametrize("value", [1, 1.5, True, [], {}, ["a", 1], [["a"]], None])
    def test_values_of_another_type_say_where(self, value):
        row = {"x": value}
        readers = [text, integer, flag, texts, rows, lambda row, field, where: identifier(row, (field,), where)]
        for reader in readers:
            try:
                reader(row, "x", "here")
            except SourceError as error:
                assert "here" in str(error) and "x" in str(error) and "expected" in str(error)
        with pytest.raises(SourceError, match="here: x is 3, expected text in the list"):
            all_text(["a", 3], "here", "x")
        for wrong in ("1.5", "", "１", "1" * 30, "0x1", "-"):
            with pytest.raises(SourceError, match="an integer"):
                integer({"x": wrong}, "x", "here")
        for wrong in (True, "", " ", "\u200b", 1.5, []):
            with pytest.raises(SourceError, match="text or a number"):
                identifier({"x": wrong}, ("x",), "here")

    def test_an_unknown_field_gets_the_nearest(self):
        with pytest.raises(SourceError, match=r"unknown field 'titel' \(nearest: title\)"):
            only({"titel": 1}, ("title", "text"), "here")

    def test_deep_values_are_shown_short(self):
        value = []
        for _ in range(sys.getrecursionlimit() * 2):
            value = [value]
        assert shown(value) == "a list nested too deep" and len(shown("x" * 10_000)) == 60
