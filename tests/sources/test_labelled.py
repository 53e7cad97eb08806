"""Labelled texts: the published files and the Hub's Parquet, what is dropped, and the real sources where they are."""

import json
from collections import Counter
from pathlib import Path

import pytest
from folders import CORPORA
from made_files import write

from carrara.errors import SourceError
from carrara.sources import open_source, tables
from carrara.sources.readers import labelled as labelled_forms
from carrara.sources.readers.labelled import class_names, folded, part_of

TRAIN = b"""LOC:city Which city is a sister\xf0city with Los Angeles ?
DESC:manner How did serfdom develop in Russia ?
DESC:def What is an atom ?
ENTY:other What is an atom ?
LOC:city which city is a sister city with los angeles
"""
TEST = b"LOC:city What is the oldest city ?\nDESC:manner How did serfdom develop in Russia ?\nHUM:ind Who ran ?\n"


def both(source):
    return [
        [(one.id, one.text, one.label) for one in source.labelled_texts(part)] for part in ("demonstration", "test")
    ]


def hub(folder: Path, name: str, rows: list[dict], **classes: list[str]) -> dict[str, Path]:
    """A Parquet file as the Hub has it: numbers of classes, whose names stand in the metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    features = {column: {"names": names, "_type": "ClassLabel"} for column, names in classes.items()}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows).replace_schema_metadata(metadata), folder / name)
    return {name: folder / name}


# --- the published forms ----------------------------------------------------------------------------------------------


def test_trec_has_two_sets_of_labels_and_one_lost_space(tmp_path):
    files = write(tmp_path, train_5500__label=TRAIN, TREC_10__label__gz=TEST)
    coarse, fine = labelled_forms.trec_coarse("trec", files), labelled_forms.trec_fine("trec", files)
    assert both(coarse) == [
        [
            ("demonstration/1", "How did serfdom develop in Russia ?", "DESC"),
            ("demonstration/0", "Which city is a sister city with Los Angeles ?", "LOC"),
        ],
        [("test/0", "What is the oldest city ?", "LOC")],
    ]
    assert coarse.dropped == {
        "under two labels": 2,
        "repeated": 1,
        "test among the demonstrations": 1,
        "test of a label without demonstrations": 1,
    }
    assert [label for _, _, label in both(fine)[0]] == ["DESC:manner", "LOC:city"]


def test_banking77(tmp_path):
    train = 'text,category\n"Is it here, yet?",card_arrival\nWhere is it?,card_arrival\nIs it here yet,card_arrival\n'
    files = write(tmp_path, train__csv=train, test__csv='text,category\n"It ""came""",card_arrival\n')
    assert both(labelled_forms.banking77("b", files)) == [
        [
            ("demonstration/0", "Is it here, yet?", "card_arrival"),
            ("demonstration/1", "Where is it?", "card_arrival"),
        ],
        [("test/0", 'It "came"', "card_arrival")],
    ]


def test_clinc150_takes_what_is_out_of_scope_as_a_label(tmp_path):
    data = {
        "oos_val": [["not used", "oos"]],
        "val": [["not used either", "bill"]],
        "train": [["pay my bill", "bill"]],
        "oos_test": [["who is she", "oos"]],
        "test": [["a bill please", "bill"]],
        "oos_train": [["a circle's area", "oos"]],
    }
    found = both(labelled_forms.clinc150("c", write(tmp_path, data_full__json=data)))
    assert [[one[1:] for one in part] for part in found] == [
        [("pay my bill", "bill"), ("a circle's area", "oos")],
        [("a bill please", "bill"), ("who is she", "oos")],
    ]
    # One file holds both parts: an id is counted within its own.
    assert {one[0] for part in found for one in part} == {
        f"{part}/{n}" for part in ("demonstration", "test") for n in (0, 1)
    }


NLU = "answerid;scenario;intent;answer_annotation;answer_from_anno;answer_from_user\n"


def test_nlu_by_folders(tmp_path):
    for part, line in (
        ("trainset", '1;iot;light_on;"turn on [device_type : disco lights]";"turn on disco lights";"Turn!"\n'),
        ("testset", 'null;iot;light_on;"[place : hall] lights on";"null";"null"\n'),
    ):
        (tmp_path / part).mkdir()
        (tmp_path / part / "iot_light_on.csv").write_text(NLU + line)
    files = {f"{part}/iot_light_on.csv": tmp_path / part / "iot_light_on.csv" for part in ("trainset", "testset")}
    assert both(labelled_forms.nlu("n", files)) == [
        [("demonstration/0", "turn on disco lights", "iot_light_on")],
        [("test/0", "hall lights on", "iot_light_on")],
    ]


def test_nlu_as_one_table_gives_a_tenth_of_every_label_to_the_tests(tmp_path):
    head = (
        "userid;answerid;scenario;intent;status;answer_annotation;notes;suggested_entities;"
        "answer_normalised;answer;question\n"
    )
    lines = [
        f"1;{n};iot;{label};null;x;null;null;say {label} {n};Say;What?\n" for label in ("on", "off") for n in range(25)
    ]
    made = {}
    for name, order in (("a.csv", lines), ("b.csv", lines[::-1])):
        (tmp_path / name).write_text(head + "".join(order))
        made[name] = labelled_forms.nlu("n", {name: tmp_path / name})
    for source in made.values():
        demonstrations, tests = both(source)
        assert Counter(label for *_, label in tests) == {"iot_on": 2, "iot_off": 2}
        assert len(demonstrations) == 46 and len({one[0].split("/")[1] for one in demonstrations + tests}) == 50
    # Which are tests says the text, not where it stands.
    texts = [{one[1] for one in both(source)[1]} for source in made.values()]
    assert texts[0] == texts[1]


# --- the Hub's Parquet ------------------------------------------------------------------------------------------------


def test_trec_of_the_hub(tmp_path):
    coarse, fine = ["ABBR", "LOC"], ["ABBR:abb", "LOC:city", "LOC:state"]
    files = hub(
        tmp_path,
        "default/train/0000.parquet",
        [
            {"text": "What is FM ?", "coarse_label": 0, "fine_label": 0},
            {"text": "Where ?", "coarse_label": 1, "fine_label": 2},
        ],
        coarse_label=coarse,
        fine_label=fine,
    )
    test = [{"text": "Where is it ?", "coarse_label": 1, "fine_label": 2}]
    files |= hub(tmp_path, "default/test/0000.parquet", test, coarse_label=coarse, fine_label=fine)
    assert [[one[2] for one in part] for part in both(labelled_forms.trec_fine("t", files))] == [
        ["ABBR:abb", "LOC:state"],
        ["LOC:state"],
    ]
    assert [[one[2] for one in part] for part in both(labelled_forms.trec_coarse("t", files))] == [
        ["ABBR", "LOC"],
        ["LOC"],
    ]


@pytest.mark.parametrize(
    ("reader", "column", "train", "test"),
    [
        ("banking77", "label", "data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet"),
        ("clinc150", "intent", "plus/train-00000-of-00001.parquet", "plus/test-00000-of-00001.parquet"),
    ],
)
def test_two_parts_of_the_hub(tmp_path, reader, column, train, test):
    names = {column: ["restaurant", "oos"]}
    files = hub(tmp_path, train, [{"text": "a table", column: 0}, {"text": "a circle", column: 1}], **names)
    files |= hub(tmp_path, test, [{"text": "two seats", column: 0}], **names)
    assert [[one[1:] for one in part] for part in both(getattr(labelled_forms, reader)("h", files))] == [
        [("a circle", "oos"), ("a table", "restaurant")],
        [("two seats", "restaurant")],
    ]


def test_one_part_of_the_hub_is_split(tmp_path):
    rows = [{"text": f"wake me at {n}", "scenario": "alarm", "label": n % 2} for n in range(40)]
    found = []
    for path in ("default/train/0000.parquet", "nlu_evaluation_data.parquet"):
        source = labelled_forms.nlu("n", hub(tmp_path, path, rows, label=["alarm_query", "alarm_set"]))
        demonstrations, tests = both(source)
        assert (len(demonstrations), Counter(one[2] for one in tests)) == (36, {"alarm_query": 2, "alarm_set": 2})
        found.append(tests)
    assert found[0] == found[1]


def test_text_labels_need_no_names(tmp_path):
    files = hub(tmp_path, "train.parquet", [{"text": "a", "label": 3, "label_text": "card"}])
    files |= hub(tmp_path, "test.parquet", [{"text": "b", "label": 3, "label_text": "card"}])
    assert both(labelled_forms.banking77("b", files))[1] == [("test/0", "b", "card")]
    assert class_names(tmp_path / "test.parquet", "test.parquet") == {}


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reader", "files", "message"),
    [
        (
            "trec_coarse",
            {"train_5500__label": "Who ran ?\n"},
            "train_5500.label:1: got 'Who ran \\?', expected LABEL:label",
        ),
        ("banking77", {"train__csv": "text,category\na\n"}, "train.csv:2: 1 cells, expected 2"),
        ("banking77", {"train__csv": "text,label\na,b\n"}, "train.csv:2: category is None, expected text"),
        ("banking77", {"dev__csv": "text,category\na,b\n"}, "the part 'dev' of a dataset, expected train or test"),
        ("banking77", {"train__csv": "text,category\na,b\n"}, "source 's' has no tests"),
        (
            "banking77",
            {"train__csv": "text,category\na,b\n", "all__csv": "text,category\na,b\n"},
            "some files are a part",
        ),
        ("clinc150", {"a__json": {"train": [["x"]]}}, "a.json, record 'train'\\[1\\]: got \\['x'\\]"),
        ("clinc150", {"a__json": {"training": [["x", "y"]]}}, "expected lists of texts named train"),
        ("nlu", {"train__csv": "a;b\n1;2\n"}, "scenario is None"),
    ],
)
def test_a_wrong_file_is_an_error_with_its_place(tmp_path, reader, files, message):
    with pytest.raises(SourceError, match=message):
        both(getattr(labelled_forms, reader)("s", write(tmp_path, **files)))


def test_a_number_without_a_name_is_an_error(tmp_path):
    files = hub(tmp_path, "train.parquet", [{"text": "a", "label": 2}], label=["x", "y"])
    with pytest.raises(
        SourceError, match=r"train\.parquet, row 1: the label is 2, expected text or the number of one of 2"
    ):
        both(labelled_forms.banking77("b", files))


def test_a_torn_parquet_file_is_an_error(tmp_path):
    with pytest.raises(SourceError, match="cannot be read as Parquet"):
        both(labelled_forms.banking77("b", write(tmp_path, train__parquet=b"PAR1")))


def test_parts_by_name():
    assert [part_of(path) for path in ("train.csv.gz", "a/testset/x.csv", "plus/test-00000.parquet", "latest.csv")] == [
        *("demonstration", "test", "test", None)
    ]


def test_texts_are_compared_without_case_and_marks():
    assert folded("What's  my Balance?") == folded("whats my balance") != folded("what is my balance")
    assert folded("?!") == "?!"


# --- the sources themselves -------------------------------------------------------------------------------------------


@pytest.mark.repeat
@pytest.mark.corpora
@pytest.mark.skipif(not (CORPORA / "trec-qc").is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")
@pytest.mark.parametrize(
    ("name", "texts", "labels", "fewest", "dropped"),
    [
        ("trec_coarse", (5_376, 489), (6, 6), 86, {"repeated": 76, "test among the demonstrations": 11}),
        (
            *("trec_fine", (5_375, 489), (50, 42), 3),
            {"repeated": 75, "under two labels": 2, "test among the demonstrations": 11},
        ),
        (
            *("banking77", (9_970, 3_049), (77, 77), 35),
            {"repeated": 34, "under two labels": 4, "test among the demonstrations": 26},
        ),
        ("clinc150", (15_058, 5_471), (151, 151), 93, {"repeated": 45, "test among the demonstrations": 26}),
        (
            *("nlu", (9_951, 1_075), (64, 64), 35),
            {"repeated": 5, "under two labels": 4, "test among the demonstrations": 1},
        ),
    ],
)
def test_a_real_source(name, texts, labels, fewest, dropped):
    source = tables(open_source(name, CORPORA))
    parts = [list(source.labelled_texts(part)) for part in ("demonstration", "test")]
    assert tuple(map(len, parts)) == texts and source.dropped == dropped
    assert tuple(len({one.label for one in part}) for part in parts) == labels
    assert min(Counter(one.label for one in parts[0]).values()) == fewest
    plain = [folded(one.text) for part in parts for one in part]
    assert len(set(plain)) == len(plain) and len({one.id for part in parts for one in part}) == len(plain)
    for part in parts:
        assert [one.label for one in part] == sorted(one.label for one in part)
        assert all(one.text and "\n" not in one.text and "\xf0" not in one.text for one in part)
