"""DBpedia: both layouts, what is dropped and counted, what is refused, and the real samples."""

import gzip
import hashlib
import json

import pytest
from folders import CORPORA

from carrara.errors import SourceError
from carrara.sources import documents, open_source, tables
from carrara.sources.readers.dbpedia import tables as read
from carrara.tables import ENTITY_CLASSES, EntityRow
from carrara.world.realm.schema import CLASSES

real = [
    pytest.mark.corpora,
    pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES"),
]


def entry(label, title, abstract="It is known."):
    return {"label": label, "sentence": f"Title: {title}\nText:  {abstract}\n"}


@pytest.fixture
def made(tmp_path):
    def made(text, name="a.json"):
        path = tmp_path / name
        data = text.encode() if isinstance(text, str) else text
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return read("mine", {name: path})

    return made


def titles(source):
    return [name for name, _ in source.named(range(source.size))]


def test_the_classes_are_those_of_the_world():
    assert ENTITY_CLASSES == CLASSES


def test_json(made):
    listed = [entry("Office Holder", "Ann  Marn\u00a0"), entry("MeanOfTransportation", "HMS Dove (1801)", "a\nb")]
    for name in ("a.json", "a.json.gz"):
        source = made(json.dumps(listed), name)
        assert titles(source) == ["Ann Marn", "HMS Dove (1801)"]
        assert [source.class_of(number) for number in range(2)] == ["office_holder", "mean_of_transportation"]
    assert list(source.entities("en"))[1] == EntityRow(
        "mean_of_transportation:1", "HMS Dove (1801)", (), "mean_of_transportation", ""
    )
    assert source.entity_roll("en") is source and source.named([1]) == [("HMS Dove (1801)", "")]


def test_csv(made):
    rows = '1,TY KU, TY KU is a company.\n14,"The ""Odd"" One","A, b"\n,,\n\n"9","Oskel "," A village."\n,, \n'
    for text in (rows, rows.replace("\n", "\r\n"), "\ufeff" + rows):
        source = made(text, "test.csv")
        assert titles(source) == ["TY KU", 'The "Odd" One', "Oskel"]
        assert [source.class_of(number) for number in range(3)] == ["company", "written_work", "village"]
        assert source.dropped["empty row"] == 3


def test_what_is_dropped_is_counted(made):
    listed = [
        entry("Film", "Dawn"),
        entry("Film", "Dawn"),
        entry("Film", "Dawn"),
        entry("Film", "Dusk"),
        entry("Album", "Dusk"),
        entry("Film", "Ash, Elm"),
        entry("Film", "Ash; Elm"),
        entry("Film", "灰，榆"),
        entry("Film", "?!"),
        entry("Film", ""),
        entry("Film", "Album"),
        entry("Film", "Office-holder: a life"),
        entry("Film", "Albums: a life"),
        entry("Film", "dawn"),
    ]
    source = made(json.dumps(listed))
    assert titles(source) == ["Dawn", "Albums: a life", "dawn"]
    assert source.dropped == {
        "repeated": 2,
        "two classes": 2,
        "comma or semicolon": 3,
        "no letter or digit": 2,
        "called like a class": 2,
    }
    assert source.size + source.dropped.total() == len(listed)


@pytest.mark.parametrize(
    ("text", "name", "wanted"),
    [
        ("1,Acme", "a.csv", "line 1: got"),
        ("1,Acme,It is.\n2,,It is.\n", "a.csv", "line 2: got"),
        ("1,Acme,It is.\n2,Name,\n", "a.csv", "line 2: got"),
        (",Acme,It is.", "a.csv", "line 1: got"),
        ("0,Acme,It is.", "a.csv", "expected a class from 1 to 14"),
        ("15,Acme,It is.", "a.csv", "expected a class from 1 to 14"),
        ("Class,Title,Content", "a.csv", "expected a class from 1 to 14"),
        ("1" * 5_000 + ",Acme,It is.", "a.csv", "expected a class from 1 to 14"),
        ("１,Acme,It is.", "a.csv", "expected a class from 1 to 14"),
        ('1,"Acme,It is.', "a.csv", "line 1"),
        (",,\n,,\n", "a.csv", "no entities found"),
        ("[]", "a.json", "no entities found"),
        ("{}", "a.json", "got a dict, expected a list"),
        ("[1]", "a.json", "entry 0: got 1"),
        ('[{"label": "Film"}]', "a.json", "entry 0"),
        ('[{"label": 1, "sentence": "Title: A\\nText: b"}]', "a.json", "entry 0"),
        ('[{"label": "Ship", "sentence": "Title: A\\nText: b"}]', "a.json", "entry 0"),
        ('[{"label": "Film", "sentence": "A\\nText: b"}]', "a.json", "entry 0"),
        ("[" * 100_000, "a.json", "expected JSON"),
        ("nonsense", "a.json", "expected JSON"),
        (b"\xff\xfe", "a.json", "expected UTF-8"),
        ("a", "a.txt", "a 'txt' file, expected .csv or .json"),
    ],
)
def test_what_is_refused(made, text, name, wanted):
    with pytest.raises(SourceError) as caught:
        made(text, name)
    assert wanted in str(caught.value) and ("no entities" in wanted or name in str(caught.value))


def test_it_has_entities_in_english_alone(made):
    source = made(json.dumps([entry("Film", "Dawn")]))
    with pytest.raises(SourceError, match="source 'mine' is in en, asked for zh"):
        source.entity_roll("zh")
    with pytest.raises(SourceError, match="source 'mine' holds no passages"):
        source.passages("en")


class TestReal:
    """The samples themselves."""

    pytestmark = real

    def test_the_json_sample(self):
        source = open_source("dbpedia", CORPORA)
        found = tables(source)
        assert source.licence.startswith("CC-BY-SA") and source.lang == "en"
        assert (found.size, found.dropped.total()) == (7_600, 0)
        counts = [sum(found.class_of(number) == class_ for number in range(7_600)) for class_ in ENTITY_CLASSES]
        assert (min(counts), max(counts)) == (506, 583)
        assert found.named([0]) == [("William V. Brady", "")] and found.class_of(0) == "office_holder"
        with pytest.raises(SourceError, match="holds tables"):
            list(documents(source))

    def test_the_csv_sample_has_empty_rows(self):
        path = CORPORA / "dbpedia14" / "cdle-test.csv.gz"
        pin = {
            "reader": "dbpedia",
            "lang": "en",
            "licence": "CC-BY-SA-3.0",
            "folder": "dbpedia14",
            "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest()},
        }
        found = tables(open_source("companies", CORPORA, {"companies": pin}))
        assert (found.size, found.dropped) == (641, {"empty row": 4_014, "repeated": 0})
        assert found.named([0, 640]) == [("TY KU", ""), ("Glenmark Pharmaceuticals", "")]
