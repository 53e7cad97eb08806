"""NarrativeQA: the official files, the Hub's Parquet, pages with markup, books of Project Gutenberg; real stories."""

import csv
import io
from itertools import islice

import pytest
from folders import CORPORA
from made_files import parquet, write

from carrara.errors import SourceError
from carrara.sources.readers.narrativeqa import cleaned, narrativeqa
from carrara.tables import DocumentQuestion

BOOK = (
    "The Project Gutenberg EBook of A Tale\r\n\r\n"
    "*** START OF THIS PROJECT GUTENBERG EBOOK A TALE ***\r\n\r\nA TALE\r\n\r\n"
    "It was a bark-\r\ning dog.  It ran.\r\n\r\n*** END OF THIS PROJECT GUTENBERG EBOOK A TALE ***\r\n\r\nLicence.\r\n"
)
SCRIPT = (
    "<html><head><title>x</title></head><body><script>var a = 1 < 2;</script><!-- gone --><pre>\nINT. HOUSE\n"
    "\n<b>ANN</b>\nFish &amp; chips &lt;now&gt;.\n</pre></body></html>"
)
DOCUMENTS = [("d1", "test", "gutenberg", "A Tale"), ("d2", "train", "movie", "A Film"), ("d3", "test", "movie", "Lost")]
QUESTIONS = [
    ("d1", "test", "What  ran?", "A dog.", "the dog"),
    ("d2", "train", "What is eaten?", "Fish, and chips", "Fish, and chips"),
    ("d1", "test", "Why?", " ", "?"),
    ("d1", "test", "What ran?", "A cat", "cat"),
    ("d3", "test", "Where?", "Here", "there"),
]


def table(head, rows) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerows([head.split(), *rows])
    return text.getvalue()


def official(folder, **more):
    (folder / "tmp").mkdir(exist_ok=True)
    files = {
        "documents__csv": table("document_id set kind wiki_title", DOCUMENTS),
        "qaps__csv": table("document_id set question answer1 answer2", QUESTIONS),
        "summaries__csv__gz": table("document_id set summary", [("d1", "test", "A dog\nruns.")]),
        "tmp/d1__content": BOOK,
        "tmp/d2__content": SCRIPT.encode("cp1252"),
        **more,
    }
    return write(folder, **{name: text for name, text in files.items() if text is not None})


def test_the_official_files(tmp_path):
    source = narrativeqa("mine", official(tmp_path))
    assert source.document_count("en", "") == 2
    book, film = (source.document("en", "", number, 0) for number in (0, 1))
    assert (book.id, book.kind, book.title, book.summary) == ("d1", "gutenberg", "A Tale", "A dog\n\nruns.")
    assert book.text == "A TALE\n\nIt was a bark- ing dog. It ran."
    assert [book.text[a:b] for a, b in book.sentences] == ["A TALE", "It was a bark- ing dog.", "It ran."]
    (asked,) = book.questions
    assert asked == DocumentQuestion(asked.id, "What ran?", ("A dog.", "the dog"))
    assert film.text == "INT. HOUSE\n\nANN Fish & chips <now>." and film.summary == ""
    assert film.questions[0].answers == ("Fish, and chips",)
    assert source.dropped == {"document without a text": 1, "no question or answer": 1, "repeated": 1}


def test_the_parquet_of_the_hub_says_the_same(tmp_path):
    texts = {"d1": BOOK, "d2": SCRIPT}
    rows = [
        {
            "document": {
                "id": id_,
                "kind": kind,
                "url": "",
                "text": texts[id_],
                "summary": {"text": "A dog\nruns." if id_ == "d1" else "", "title": title},
            },
            "question": {"text": question, "tokens": ["x"]},
            "answers": [{"text": one, "tokens": []}, {"text": two, "tokens": []}],
        }
        for id_, _, kind, title in DOCUMENTS[:2]
        for asked, _, question, one, two in QUESTIONS
        if asked == id_
    ]
    hub = narrativeqa("mine", parquet(tmp_path, "test-00000.parquet", rows))
    files = narrativeqa("mine", official(tmp_path))
    for number in (0, 1):
        one, same = (source.document("en", "", number, 0) for source in (hub, files))
        assert list(one.sentences) == list(same.sentences) and one.questions == same.questions
        assert (one.id, one.kind, one.title, one.text, one.summary) == (
            *(same.id, same.kind, same.title, same.text, same.summary),
        )


def test_text_with_angle_brackets_is_no_page():
    assert cleaned("If a <b then c> d.\n\nEnd &amp; all.") == "If a <b then c> d.\n\nEnd &amp; all."
    assert cleaned("One\ntwo\n") == "One\n\ntwo"
    assert cleaned("<p>" * 5_000 + "x" + "<" * 50_000).startswith("x<")


def test_what_cannot_be_read_names_its_place(tmp_path):
    unknown = table("document_id set question answer1 answer2", [("d9", "test", "What?", "a", "b")])
    for change, message in (
        ({"qaps__csv": None}, "qaps.csv is missing"),
        ({"qaps__csv": unknown}, "'d9' is not in documents.csv"),
        ({"documents__csv": 'document_id,set\n"d1'}, "documents.csv, line 1: unexpected end"),
        ({"tmp/d1__content": None, "tmp/d2__content": None}, "no documents found"),
    ):
        with pytest.raises(SourceError, match=message):
            narrativeqa("mine", official(tmp_path, **change)).document_count("en", "")


@pytest.mark.repeat
@pytest.mark.corpora
@pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")
def test_real_stories_in_the_real_list_of_documents(tmp_path):
    """The list is whole, and some of its novels are at hand; no question of theirs is, so that this asks its own."""
    lines = (CORPORA / "narrativeqa" / "gutenberg-overlap.tsv").read_text(encoding="utf-8").splitlines()[1:]
    asked, titles, files = [], {}, {"documents.csv.gz": CORPORA / "narrativeqa" / "documents.csv.gz"}
    for _, book, id_, part, title in (line.split("\t") for line in lines):
        if (file := CORPORA / "gutenberg-litbank" / book).exists():
            files[f"tmp/{id_}.txt.gz"] = file
            titles[id_] = title
            asked.append((id_, part, "What is it called?", title, title))
    files |= write(tmp_path, qaps__csv=table("document_id set question answer1 answer2", asked))
    source = narrativeqa("mine", files)
    found = [source.document("en", "", number, 0) for number in range(source.document_count("en", ""))]
    assert {one.id: one.title for one in found} == titles and len(found) > 20
    assert source.dropped == {"document without a text": 1_572 - len(found)}
    for one in found:
        assert one.questions[0].answers == (one.title,) and len(one.text) > 10_000
        head = [one.text[a:b] for a, b in islice(one.sentences, 50)]
        assert "".join(one.text[: one.sentences[49][1]].split()) == "".join("".join(head).split())
