"""The row: its schema, canonical bytes and digests, pinned for ever, and the same after a trip through Parquet."""

import hashlib
import json
from dataclasses import fields, replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import ROW

from carrara.engine.parquet import write_rows
from carrara.release.reader import _check_table
from carrara.row import SCHEMA, DigestLine, Row, canonical_bytes, canonical_json, config_name, content_root, row_digest

_PROMPT = hashlib.sha256(ROW.prompt.encode()).hexdigest()
GOLDEN = (
    '{"answer_prefix":"Answer:","answers":["Ostavel Brune"],"bucket":"4k","choices":[],"complexity":1,"depths":[0.25],'
    '"evidence":[{"end":31,"start":11}],"facts":"{\\"depth\\":0.25}","group":"needlebench/single_needle_en/4k/q00000",'
    '"id":"needlebench/single_needle_en/4k/00000","item":"needlebench/single_needle_en/00000",'
    f'"max_output_tokens":128,"metric":"needlebench/keywords","prompt":"sha256:{_PROMPT}","task":"single_needle",'
    '"tokens":3968,"variant":"en"}'
)


def test_columns_and_types_are_those_of_the_design():
    assert [(field.name, str(field.type), field.nullable) for field in SCHEMA] == [
        ("id", "string", False),
        ("item", "string", False),
        ("task", "string", False),
        ("variant", "string", False),
        ("bucket", "string", False),
        ("tokens", "int32", False),
        ("max_output_tokens", "int32", False),
        ("metric", "string", False),
        ("answers", "list<item: string>", False),
        ("choices", "list<item: string>", False),
        ("complexity", "int32", False),
        ("group", "string", False),
        ("depths", "list<item: double>", False),
        ("evidence", "list<item: struct<start: int64, end: int64>>", False),
        ("facts", "string", False),
        ("answer_prefix", "string", False),
        ("prompt", "large_string", False),
    ]
    assert SCHEMA.metadata is None
    assert [field.name for field in fields(Row)] == SCHEMA.names == list(ROW.to_arrow())


def test_canonical_bytes_and_digest_are_golden():
    assert canonical_bytes(ROW.to_arrow()).decode() == GOLDEN
    assert row_digest(ROW.to_arrow()) == hashlib.sha256(GOLDEN.encode()).hexdigest()
    assert row_digest(ROW.to_arrow()) == "3ab50a7e5d6ba4db6da48d67ceea37a4c28fe1acd0a57bfcb867b744d3f69773"


def test_the_order_of_columns_does_not_matter():
    assert row_digest(dict(reversed(ROW.to_arrow().items()))) == row_digest(ROW.to_arrow())


@pytest.mark.parametrize("name", SCHEMA.names)
def test_every_column_is_in_the_digest(name):
    value = getattr(ROW, name)
    other = {
        str: lambda: f"{value} ",
        int: lambda: value + 1,
        tuple: lambda: (*value, *({"depths": (0.5,), "evidence": ((0, 1),)}.get(name, ("x",)))),
    }[type(value)]()
    assert row_digest(replace(ROW, **{name: other}).to_arrow()) != row_digest(ROW.to_arrow())


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_refused(number):
    with pytest.raises(ValueError):
        canonical_bytes(replace(ROW, depths=(number,)).to_arrow())
    with pytest.raises(ValueError):
        canonical_json({"a": number})


def test_a_column_too_many_or_too_few_is_refused():
    row = ROW.to_arrow()
    with pytest.raises(ValueError, match="extra"):
        canonical_bytes({**row, "extra": 1})
    del row["facts"]
    with pytest.raises(ValueError, match="row columns"):
        canonical_bytes(row)


def test_half_a_surrogate_pair_is_refused_everywhere():
    for name in ("prompt", "facts", "id"):
        with pytest.raises(UnicodeEncodeError):
            canonical_bytes(replace(ROW, **{name: "\ud800"}).to_arrow())


TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)
ROWS = st.builds(
    Row,
    id=TEXTS,
    item=TEXTS,
    task=TEXTS,
    variant=TEXTS,
    bucket=TEXTS,
    tokens=st.integers(0, 2**31 - 1),
    max_output_tokens=st.integers(0, 2**31 - 1),
    metric=TEXTS,
    answers=st.lists(TEXTS, max_size=3).map(tuple),
    choices=st.lists(TEXTS, max_size=3).map(tuple),
    complexity=st.integers(0, 2**31 - 1),
    group=TEXTS,
    depths=st.lists(st.floats(0, 1), max_size=4).map(tuple),
    evidence=st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, 2**40)), max_size=3).map(tuple),
    facts=TEXTS,
    answer_prefix=TEXTS,
    prompt=TEXTS,
)


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_digests_are_equal_after_a_trip_through_parquet(tmp_path_factory, made):
    file = tmp_path_factory.mktemp("rows") / "rows.parquet"
    write_rows(file, made)
    back = pq.read_table(file).to_pylist()
    assert back == [row.to_arrow() for row in made]
    assert [row_digest(row) for row in back] == [row_digest(row.to_arrow()) for row in made]


def test_rows_of_odd_characters_come_back(tmp_path):
    odd = ("\x00", "\r\n", "\u2028", "e\u0301", "é", "\ufeff", "🇩🇪", "字" * 50, "\U0010ffff", "", "\\u0041")
    made = [replace(ROW, id=str(number), prompt=text, facts=canonical_json(text)) for number, text in enumerate(odd)]
    write_rows(tmp_path / "odd.parquet", made)
    table = pq.read_table(tmp_path / "odd.parquet")
    assert [row_digest(row) for row in table.to_pylist()] == [row_digest(row.to_arrow()) for row in made]
    # Nothing is normalised: composed and decomposed letters are two prompts.
    assert len({row_digest({**row, "id": ""}) for row in table.to_pylist()}) == len(odd)


def test_slices_and_batches_of_a_table_give_the_same_digests():
    table = pa.Table.from_pylist(
        [replace(ROW, id=str(number), answers=("x",) * number).to_arrow() for number in range(6)], SCHEMA
    )
    whole = [row_digest(row) for row in table.to_pylist()]
    assert [row_digest(row) for part in (table[:2], table[2:]) for row in part.to_pylist()] == whole
    assert [row_digest(row) for row in pa.concat_tables([table[:3], table[3:]]).to_pylist()] == whole


def test_the_reader_takes_what_was_written(tmp_path):
    write_rows(tmp_path / "rows.parquet", [ROW])
    with pq.ParquetFile(tmp_path / "rows.parquet") as table:
        _check_table(table, "rows.parquet")


def test_content_roots_are_the_digest_file():
    lines = [DigestLine("0" * 64, "a/b/4k/00000"), DigestLine("1" * 64, "a/b/4k/00001")]
    assert str(lines[0]) == f"{'0' * 64}  a/b/4k/00000"
    assert content_root(lines) == hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    assert content_root([]) == hashlib.sha256(b"").hexdigest()
    assert content_root(lines) != content_root(lines[::-1]) != content_root(lines[:1])


def test_names_of_configs():
    assert config_name("single_needle", "en", "32k") == "single_needle_en_32k"
    assert config_name("latent_list", "", "1M") == "latent_list_1M"


def test_canonical_json_has_one_form():
    value = {"b": [1, 2.5, None, True], "a": "字“"}
    assert canonical_json(value) == '{"a":"字“","b":[1,2.5,null,true]}'
    assert canonical_json(json.loads(canonical_json(value))) == canonical_json(value)
