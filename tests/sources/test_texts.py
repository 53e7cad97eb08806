"""Documents of sentences: what each reader of published datasets takes, and running text as a table."""

import gzip
import json
import zipfile

import pytest
from folders import CORPORA

from carrara.errors import SourceError
from carrara.sources import documents, open_source, tables
from carrara.sources.document import SourceDocument
from carrara.sources.readers import running_text
from carrara.sources.readers.running_text import read_wiki727k as read_wiki
from carrara.sources.tables import Texts

REPORT = {"id": "R1", "title": "On  wells", "report": "The wells are dry.\n\nNobody knows why.", "summary": "Dry."}
TREE = [
    {
        "section_title": "Why",
        "paragraphs": ["One is deep.", "Two is old."],
        "subsections": [{"section_title": "How", "paragraphs": ["Three was sold."], "subsections": []}],
    },
    {"section_title": "End", "paragraphs": ["Four is lost."]},
]
PAPER = {
    "title": "A paper",
    "abstract": "We count wells.",
    "full_text": [
        {"section_name": "Introduction", "paragraphs": ["Wells are many.", ""]},
        {"section_name": "Method", "paragraphs": ["We walked."]},
    ],
    "qas": [{"question": "How many?"}],
}


def place(tmp_path, name, data):
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return {name: file}


def lines(*rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_govreport(tmp_path):
    found = list(running_text.read_govreport(place(tmp_path, "g.jsonl", lines(REPORT, {"id": "R2", "report": TREE}))))
    assert found == [
        SourceDocument("g/1", "On wells", ("The wells are dry.", "Nobody knows why.")),
        SourceDocument("g/2", "g/2", ("One is deep.", "Two is old.", "Three was sold.", "Four is lost.")),
    ]
    packed = place(tmp_path, "g.jsonl.gz", gzip.compress(lines(REPORT).encode()))
    assert [document.paragraphs for document in running_text.read_govreport(packed)] == [found[0].paragraphs]


def test_qasper(tmp_path):
    wanted = SourceDocument("1909.1", "A paper", ("We count wells.", "Wells are many.", "We walked."))
    for text in (json.dumps({"1909.1": PAPER}), json.dumps({"1909.1": PAPER}, indent=2)):
        assert list(running_text.read_qasper(place(tmp_path, "q.json", text))) == [wanted]
    assert [one.id for one in running_text.read_qasper(place(tmp_path, "q.json", json.dumps([PAPER, PAPER])))] == [
        "q/1",
        "q/2",
    ]


@pytest.mark.parametrize(
    "meeting",
    [
        {"transcript": "I call the roll.\nAll are here."},
        {"transcripts": ["I call the roll.", "All are here."]},
        {"transcripts": [{"speaker": 1, "text": "I call the roll."}, {"speaker": 2, "text": "All are here."}]},
        {"meeting_transcripts": [{"speaker": "A", "content": "I call the roll."}, {"content": "All are here."}]},
        {"itemInfo": {"1": {"transcripts": [{"text": "I call the roll."}]}, "2": {"transcript": "All are here."}}},
    ],
)
def test_meetingbank(tmp_path, meeting):
    (found,) = running_text.read_meetingbank(place(tmp_path, "m.json", json.dumps({"City_1": meeting})))
    assert found == SourceDocument("City_1", "City_1", ("I call the roll.", "All are here."))
    (found,) = running_text.read_meetingbank(place(tmp_path, "m.json", lines({"uid": "x", "id": 3, **meeting})))
    assert found.paragraphs == ("I call the roll.", "All are here.")


def test_leval(tmp_path):
    found = list(
        running_text.read_leval(place(tmp_path, "l.jsonl", lines({"input": "\tOne.\nTwo.", "outputs": ["x"]})))
    )
    assert found == [SourceDocument("l/1", "l/1", ("One.", "Two."))]


ARTICLE = """========,1,preface.
A well is a hole.
It holds water.

========,2,History of wells.
***LIST***
Wells are old.
========,3,Formulas.
The depth is ***formula*** here.
"""


def test_wiki727k(tmp_path):
    wanted = ("A well is a hole.", "It holds water.", "Wells are old.")
    assert list(read_wiki(place(tmp_path, "train/0/17", ARTICLE))) == [SourceDocument("train/0/17", "17", wanted)]
    with zipfile.ZipFile(tmp_path / "w.zip", "w") as archive:
        archive.writestr("train/", "")
        archive.writestr("train/2", ARTICLE)
        archive.writestr("train/1", ARTICLE.replace("well", "hill"))
    found = list(running_text.read_wiki727k({"w.zip": tmp_path / "w.zip"}))
    assert [one.id for one in found] == ["w.zip/train/1", "w.zip/train/2"] and found[1].paragraphs == wanted
    with pytest.raises(SourceError, match=r"no line ========,<level>,<title>\. found"):
        list(read_wiki(place(tmp_path, "other", "Plain text.\n")))


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (running_text.read_govreport, lines({"text": "x"}), r"g:1: got the fields \['text'\], and no text in `report`"),
        (running_text.read_govreport, lines({"report": 3}), "no text in `report`"),
        (running_text.read_govreport, lines({"report": [{"paragraphs": [3]}]}), "no text in `report`"),
        (running_text.read_meetingbank, lines({"summary": "x"}), "no text in `transcript`"),
        (running_text.read_meetingbank, lines({"transcripts": [{"words": "x"}]}), "no text in `transcript`"),
        (running_text.read_leval, "[1, 2]", "g, record 1: got '1', expected a JSON object"),
        (running_text.read_leval, "17", "expected records"),
        (running_text.read_leval, '{"input": ', "expected JSON"),
        (running_text.read_leval, "[" * 100_000, "expected JSON"),
        (running_text.read_leval, f"{lines({'input': 'x'})}nonsense\n", "g:2: got"),
        (running_text.read_leval, b'{"input": "\xff"}', "expected UTF-8"),
    ],
)
def test_what_is_refused(tmp_path, read, text, said):
    with pytest.raises(SourceError, match=said):
        list(read(place(tmp_path, "g", text)))


def test_records_without_words_are_no_documents(tmp_path):
    rows = lines({"report": ""}, {"report": " \n\t"}, {"report": []}, REPORT)
    with pytest.raises(SourceError, match="g:3"):
        list(running_text.read_govreport(place(tmp_path, "g", rows)))
    rows = lines({"report": ""}, {"report": " \n\t"}, REPORT)
    assert [one.id for one in running_text.read_govreport(place(tmp_path, "g", rows))] == ["g/3"]


# --- the table --------------------------------------------------------------------------------------------------------


def test_texts_are_documents_of_sentences():
    given = [
        SourceDocument("a", "A", ("One came. Two came (late).", "Three, at last, came too.")),
        SourceDocument("b", "B", ("Dr. Four came.",)),
        SourceDocument("c", "C", ("One came. Two came (late).", "Three, at last, came too.")),
    ]
    reads = []
    found = Texts("source 'x'", "en", lambda: reads.append(1) or given)
    assert reads == []
    assert found.document_count("en", "text") == 2
    whole = found.document("en", "text", 0, 99)
    assert (whole.id, whole.kind, whole.title) == ("a", "text", "A")
    assert whole.text == "One came. Two came (late).\nThree, at last, came too."
    sentences = [whole.text[start:end] for start, end in whole.sentences]
    assert sentences == ["One came.", "Two came (late).", "Three, at last, came too."]
    for size in (1, 2, 3):
        part = found.document("en", "text", 0, size)
        assert part.sentences == whole.sentences[:size] and whole.text.startswith(part.text)
    assert [found.document("en", "text", 1, 9).id, len(reads)] == ["b", 1]
    for kind, lang, said in (
        ("article", "en", "no documents of kind 'article'"),
        ("text", "zh", "is in en, not in zh"),
    ):
        with pytest.raises(SourceError, match=said):
            found.document(lang, kind, 0, 9)
    for number, size in ((2, 1), (-1, 1), (0, 0)):
        with pytest.raises(ValueError, match="there are 2, of one sentence or more"):
            found.document("en", "text", number, size)
    with pytest.raises(SourceError, match="holds no passages"):
        found.passages("en")


def test_chinese_texts():
    found = Texts("x", "zh", lambda: [SourceDocument("a", "A", ("一来了。二也来了！", "“三呢？”"))]).document(
        "zh", "text", 0, 9
    )
    assert [found.text[start:end] for start, end in found.sentences] == ["一来了。", "二也来了！", "“三呢？”"]


def test_a_source_of_running_text_is_a_table(tmp_path):
    import hashlib

    data = b'{"text": "One came. Two came."}\n{"text": "One came. Two came."}\n{"text": "Three came."}\n'
    (tmp_path / "a.jsonl").write_bytes(data)
    own = {
        "mine": {
            "reader": "jsonl",
            "lang": "en",
            "licence": "MIT",
            "files": {"a.jsonl": hashlib.sha256(data).hexdigest()},
        }
    }
    found = tables(open_source("mine", tmp_path, own))
    assert found.document_count("en", "text") == 2
    assert found.document("en", "text", 0, 1).text == "One came."


# --- the real ones ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "records", "different"), [("govreport", 14, 13), ("qasper", 23, 20)])
@pytest.mark.corpora
@pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")
def test_the_pinned_samples(name, records, different):
    source = open_source(name, CORPORA)
    assert len(list(documents(source))) == records
    found = tables(source)
    assert found.document_count("en", "text") == different
    sizes = [len(found.document("en", "text", number, 10_000).sentences) for number in range(different)]
    assert min(sizes) >= 90


@pytest.mark.corpora
@pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")
def test_original_layouts_of_real_files():
    paper = CORPORA / "leval-sample/qasper_sample_small.json.gz"
    (found,) = running_text.read_qasper({"q.json.gz": paper})
    assert found.id == "1909.00694" and found.paragraphs[0] == "This is the abstract of the paper"
    assert len(found.paragraphs) == 6
    meetings = list(running_text.read_meetingbank({"val.jsonl.gz": CORPORA / "qmsum/val.jsonl.gz"}))
    assert len(meetings) == 35 and min(len(one.paragraphs) for one in meetings) > 100
    spoken = list(running_text.read_leval({"meeting_summ.jsonl.gz": CORPORA / "leval-sample/meeting_summ.jsonl.gz"}))
    assert len(spoken) == 23
