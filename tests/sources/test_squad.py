"""SQuAD in the form in which it is published and in that of the Hub: texts of our own, and what is refused."""

import gzip
import hashlib
import json

import pytest
from made_files import nested, parquet, write

from carrara.errors import SourceError
from carrara.sources import open_source, pins, tables
from carrara.sources.passages import content_id, passage
from carrara.sources.readers.squad import tables as squad
from carrara.tables import Evidence, Question

BRIDGE = "The  Orla bridge was opened in 1931.\nIt was built by Mara Lund, and Mara Lund painted it green."
TIDY = "The Orla bridge was opened in 1931. It was built by Mara Lund, and Mara Lund painted it green."
MILL = "Cafe\u0301 Mill stands on the river Ister."
BRIDGE_ID = passage("Orla bridge", BRIDGE).id


def spans(*pairs):
    return [{"text": name, "answer_start": start} for name, start in pairs]


def original(**changes):
    """Two articles as the site has them: `qas` of paragraphs of articles, the impossible among them."""
    qas = [
        {
            "id": "q1",
            "question": "Who  built it?",
            "answers": spans(("Lund", 58), ("Mara Lund", 53), ("Mara Lund", 53)),
        },
        {"id": "q2", "question": "When was it opened?", "answers": spans(("1931", 31), ("in 1931", 28))},
        {
            "id": "q3",
            "question": "Who burned it?",
            "answers": [],
            "plausible_answers": spans(("Mara Lund", 53)),
            "is_impossible": True,
        },
    ]
    mill = [{"id": "q4", "question": "What is the mill called?", "answers": spans(("Cafe\u0301 Mill", 0))}]
    return {
        "version": "v2.0",
        "data": [
            {"title": "Orla_bridge", "paragraphs": [{"context": BRIDGE, "qas": qas}]},
            {"title": "Mills", "paragraphs": [{"context": MILL, "qas": mill}, {"context": "No question.", "qas": []}]},
        ],
    } | changes


def hub():
    """The same as rows of the Hub: one a question, answers as two lists."""
    found = []
    for article in original()["data"]:
        for paragraph in article["paragraphs"]:
            for one in paragraph["qas"]:
                answers = {field: [span[field] for span in one["answers"]] for field in ("text", "answer_start")}
                row = {"id": one["id"], "title": article["title"], "context": paragraph["context"]}
                found.append({**row, "question": one["question"], "answers": answers})
    return found


WANTED = [
    Question("q1", "extractive", "Who built it?", (("Mara Lund", "Lund"),), (Evidence(BRIDGE_ID, 52, 61),)),
    Question("q2", "extractive", "When was it opened?", (("1931", "in 1931"),), (Evidence(BRIDGE_ID, 30, 34),)),
    Question(
        *("q4", "extractive", "What is the mill called?", (("Café Mill",),)),
        (Evidence(passage("Mills", "Café Mill stands on the river Ister.").id, 0, 9),),
    ),
]


def asked(found):
    return list(squad("mine", found).questions("en", "", 0))


def test_the_original_and_the_hub_give_the_same(tmp_path):
    layouts = (
        write(tmp_path, a__json=original()),
        write(tmp_path, b__json=json.dumps(original(), indent=1)),
        write(tmp_path, c__json__gz={"data": original()["data"]}),
        parquet(tmp_path, "validation-00000-of-00001.parquet", hub()),
        write(tmp_path, d__jsonl=hub()),
    )
    for found in layouts:
        source = squad("mine", found)
        assert list(source.questions("en", "extractive", 0)) == WANTED == asked(found)
        assert source.dropped == {"impossible": 1}
        first, second = list(source.passages("en"))[:2]
        assert (first.id, first.title, first.text) == (BRIDGE_ID, "Orla bridge", TIDY)
        assert second.title == "Mills"


def test_the_span_of_every_answer_holds_it(tmp_path):
    source = squad("mine", write(tmp_path, a__json=original()))
    texts = {one.id: one.text for one in source.passages("en")}
    for question in source.questions("en", "", 0):
        (span,) = question.evidence
        assert texts[span.passage][span.start : span.end] == question.answers[0][0]


def test_a_paragraph_without_a_question_is_a_passage_of_the_original_where_it_has_one(tmp_path):
    table = original()
    table["data"][1]["paragraphs"][1]["qas"] = [{"id": "q5", "question": "None?", "answers": [], "is_impossible": True}]
    source = squad("mine", write(tmp_path, a__json=table))
    assert [one.text for one in source.passages("en")][2] == "No question."
    assert len(list(source.questions("en", "", 0))) == 3


def test_the_nearest_of_two_places_is_evidence(tmp_path):
    table = original()
    for start, wanted in ((68, 67), (52, 52), (60, 52), (62, 67), (0, 52), (10**9, 67)):
        table["data"][0]["paragraphs"][0]["qas"][0]["answers"] = spans(("Mara Lund", start))
        assert asked(write(tmp_path, a__json=table))[0].evidence[0].start == wanted


def test_an_answer_that_is_not_in_its_paragraph_is_left_out_and_counted(tmp_path):
    table = original()
    table["data"][0]["paragraphs"][0]["qas"][0]["answers"] = spans(("Nobody", 3))
    table["data"][0]["paragraphs"][0]["qas"][1]["answers"] = spans((" ", 3))
    source = squad("mine", write(tmp_path, a__json=table))
    assert [one.id for one in source.questions("en", "", 0)] == ["q4"]
    assert source.dropped == {"impossible": 1, "no answer": 1, "answer not in its passage": 1}


def test_both_parts_of_two_versions_are_one_dataset(tmp_path):
    old = original(version="1.1")
    old["data"][0]["paragraphs"][0]["qas"] = old["data"][0]["paragraphs"][0]["qas"][:2]
    source = squad("mine", write(tmp_path, a__json=old, b__json=original()))
    assert list(source.questions("en", "", 0)) == WANTED and source.dropped["repeated"] == 3


def test_a_row_without_an_id_is_called_by_its_question(tmp_path):
    rows = [{key: value for key, value in row.items() if key not in ("id", "title")} for row in hub()]
    (first, *_) = asked(write(tmp_path, a__jsonl=rows))
    assert first.id == content_id("Who built it?")
    assert first.evidence[0].passage == passage("", BRIDGE).id


def qas(**change):
    table = original()
    table["data"][0]["paragraphs"][0]["qas"][0] |= change
    return table


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (original(data=3), "data is 3, expected a list"),
        (original(data=[3]), "data[0]: got 3"),
        (original(data=[{"title": 1}]), "title is 1"),
        (original(data=[{"title": "T", "paragraphs": {}}]), "paragraphs is {}"),
        (original(data=[{"paragraphs": [{"qas": []}]}]), "paragraphs[0]: context is None, expected text"),
        (qas(question=None), "paragraphs[0], qas[0]: question is None"),
        (qas(id=["x"]), "id is ['x']"),
        (qas(is_impossible="no"), "is_impossible is 'no', expected true or false"),
        (qas(answers="Lund"), "answers is 'Lund', expected a list"),
        (qas(answers=[{"text": 3, "answer_start": 0}]), "text is 3"),
        (qas(answers=[{"text": "Lund"}]), "answer_start is None, expected an integer"),
        (qas(answers=[{"text": "Lund", "answer_start": True}]), "answer_start is True"),
        (qas(answers=[{"text": "Lund", "answer_start": -4}]), "answer_start is -4, expected a place"),
        (qas(answers={"text": ["a", "b"], "answer_start": [1]}), "expected 2 numbers, one for each text"),
        (qas(answers={"text": "a", "answer_start": [1]}), "text is 'a', expected a list"),
        ([3], "got 3, expected an object"),
        ([{"question": "q"}], "context is None"),
        ("[" * 100_000, "expected JSON"),
        ('{"data": ' + nested(400) + "}", "data[0]: got"),
        ('{"version": "v2.0", "data": [', "expected JSON"),
        (b"\xff\xfe{}", "expected UTF-8"),
    ],
)
def test_what_is_refused(tmp_path, table, said):
    with pytest.raises(SourceError) as caught:
        asked(write(tmp_path, a__json=table))
    assert said in str(caught.value) and "a.json" in str(caught.value)


def test_a_torn_file_is_refused(tmp_path):
    packed = gzip.compress(json.dumps(original()).encode())
    (tmp_path / "a.json.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(SourceError, match="cannot be read"):
        asked({"a.json.gz": tmp_path / "a.json.gz"})
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(SourceError, match="Parquet"):
        asked({"a.parquet": tmp_path / "a.parquet"})


def test_hostile_texts_are_tidied_and_bounded(tmp_path):
    table = original()
    paragraph = table["data"][0]["paragraphs"][0]
    paragraph["context"] = "\u202eab\u0000 \ud800 " + "a" * 200_000 + " Mara Lund"
    paragraph["qas"] = [
        {"id": "1", "question": "Who\u2028 \udfff?", "answers": spans(("a", 199_990))},
        {"id": "2", "question": "Whose?", "answers": spans(("\u200bMara Lund\ud800", 1 << 40))},
    ]
    first, second = asked(write(tmp_path, a__json=table))[:2]
    assert first.text == "Who ?" and second.answers == (("Mara Lund",),)
    (found,) = (one for one in squad("mine", {"a.json": tmp_path / "a.json"}).passages("en") if "Lund" in one.text)
    assert found.text.startswith("ab aaa")
    assert found.text[second.evidence[0].start : second.evidence[0].end] == "Mara Lund"


def test_a_file_without_questions_and_another_language_are_refused(tmp_path):
    with pytest.raises(SourceError, match="no questions found"):
        asked(write(tmp_path, a__json=original(data=[])))
    with pytest.raises(SourceError, match="is in en, asked for zh"):
        list(squad("mine", write(tmp_path, a__json=original())).questions("zh", "", 0))
    with pytest.raises(SourceError, match="expected one of extractive"):
        list(squad("mine", write(tmp_path, a__json=original())).questions("en", "bridge", 0))


def test_the_pin_and_a_pin_of_ones_own(tmp_path):
    pin = pins()["squad"]
    assert [file.path for file in pin.files] == ["dev-v2.0.json", "train-v2.0.json"]
    assert pin.licence.startswith("CC-BY-SA-4.0") and pin.reader == "squad"
    with pytest.raises(SourceError, match=r"squad"):
        open_source("squad", tmp_path)
    (tmp_path / "squad").mkdir()
    (tmp_path / "squad" / "dev-v2.0.json").write_text(json.dumps(original()))
    with pytest.raises(SourceError, match=r"dev-v2\.0\.json"):
        open_source("squad", tmp_path)
    own = {"reader": "squad", "lang": "en", "licence": "CC-BY-SA-4.0", "files": ["dev-v2.0.json"], "folder": "squad"}
    # A file without a hash: the error prints the line that pins it.
    sha256 = hashlib.sha256((tmp_path / "squad" / "dev-v2.0.json").read_bytes()).hexdigest()
    with pytest.raises(SourceError) as caught:
        open_source("mine", tmp_path, {"mine": own})
    assert sha256 in str(caught.value) and "paste" in str(caught.value)
    source = open_source("mine", tmp_path, {"mine": {**own, "files": {"dev-v2.0.json": sha256}}})
    assert list(tables(source).questions("en", "", 0)) == WANTED
