"""InfiniteBench: books shared by rows, options, summaries, what is left out; spans that are found as they are read."""

import pytest
from made_files import parquet, write

from carrara.errors import SourceError
from carrara.sources.long_documents import Sentences
from carrara.sources.readers.infbench import infbench
from carrara.sources.sentences import split
from carrara.tables import DocumentQuestion

BOOK = "  Chapter I\n\nMr. Fogg slept. He woke\nat noon.\n \n“Late!” he said. \n"
OTHER = "One line.\r\nAnother line. It ends.\r\n"
QA = [
    {"id": 0, "context": BOOK, "input": "Who  slept?", "answer": ["Fogg", "Mr. Fogg", "Fogg", " "], "options": []},
    {"id": 1, "context": OTHER, "input": "What ends?", "answer": "the line", "options": None},
    {"id": 2, "context": BOOK, "input": "When?", "answer": ["at noon"]},
    {"id": 3, "context": BOOK, "input": "Why?", "answer": ["?"]},
    {"id": 4, "context": " \n", "input": "Where?", "answer": ["here"]},
]
CHOICE = [
    {
        "id": 0,
        "context": BOOK,
        "input": "Who woke?",
        "answer": ["Mr. Fogg"],
        "options": ["Ann", "Mr. Fogg", "Bob", "Cy"],
    },
    {"id": 1, "context": BOOK, "input": "Who said it?", "answer": ["He", "B"], "options": ["Ann", "He", "Bob", "Cy"]},
    {"id": 2, "context": BOOK, "input": "Which?", "answer": "D", "options": ["one", "two", "three", "four"]},
    {"id": 3, "context": BOOK, "input": "Which two?", "answer": ["five"], "options": ["one", "two", "three", "four"]},
    {"id": 4, "context": BOOK, "input": "Same?", "answer": ["one"], "options": ["one", "One", "three", "four"]},
]
SUMS = [{"id": 7, "context": OTHER, "input": "", "answer": ["A short tale.\n\nIt ends."], "options": []}]


def test_rows_on_one_book_are_one_document(tmp_path):
    source = infbench("mine", write(tmp_path, longbook_qa_eng__jsonl=QA))
    assert source.document_count("en", "") == 2
    book, other = (source.document("en", "", number, 0) for number in (0, 1))
    assert book.text == "Chapter I\n\nMr. Fogg slept. He woke at noon.\n\n“Late!” he said."
    assert [book.text[a:b] for a, b in book.sentences] == [
        *("Chapter I", "Mr. Fogg slept.", "He woke at noon.", "“Late!” he said."),
    ]
    assert book.questions == (
        DocumentQuestion("longbook_qa_eng-0", "Who slept?", ("Fogg", "Mr. Fogg")),
        DocumentQuestion("longbook_qa_eng-2", "When?", ("at noon",)),
    )
    # Without an empty line every line is a paragraph.
    assert other.text == "One line.\n\nAnother line. It ends." and other.id != book.id
    assert source.dropped == {"no question or answer": 1, "no text": 1}


def test_options_and_summaries_of_the_same_books(tmp_path):
    files = write(tmp_path, longbook_choice_eng__jsonl=CHOICE, longbook_sum_eng__jsonl=SUMS, longbook_qa_eng__jsonl=QA)
    source = infbench("mine", files)
    book, other = (source.document("en", "", number, 0) for number in (0, 1))
    right = {one.text: (one.answers, one.options) for one in book.questions if one.options}
    assert right == {
        "Who woke?": (("Mr. Fogg",), ("Ann", "Mr. Fogg", "Bob", "Cy")),
        "Who said it?": (("He",), ("Ann", "He", "Bob", "Cy")),
        "Which?": (("four",), ("one", "two", "three", "four")),
    }
    assert len({one.id for one in book.questions}) == len(book.questions) == 5
    assert (book.summary, other.summary) == ("", "A short tale.\n\nIt ends.")
    assert source.dropped["answer is no option"] == source.dropped["options not distinct"] == 1


def test_the_same_in_parquet_and_gzipped(tmp_path):
    rows = [
        {"options": [], **row, "answer": [row["answer"]] if isinstance(row["answer"], str) else row["answer"]}
        for row in QA
    ]
    lines = infbench("mine", write(tmp_path, longbook_qa_eng__jsonl__gz=QA))
    table = infbench("mine", parquet(tmp_path, "longbook_qa_eng.parquet", rows))
    for number in (0, 1):
        one, same = (source.document("en", "", number, 0) for source in (lines, table))
        assert (one.id, one.text, one.questions) == (same.id, same.text, same.questions)


def test_what_cannot_be_read_names_its_place(tmp_path):
    for rows, message in (
        ([{"id": 0, "context": 5, "input": "", "answer": []}], "qa.jsonl:1: context is 5"),
        ([{"id": 0, "context": "a", "input": "b", "answer": [1]}], "answer is 1"),
        (["text"], "expected rows"),
        ([{"id": 0, "context": "a", "input": "b", "answer": []}], "no documents found"),
    ):
        with pytest.raises(SourceError, match=message):
            infbench("mine", write(tmp_path, qa__jsonl=rows)).document_count("en", "")
    source = infbench("mine", write(tmp_path, qa__jsonl=QA))
    for lang, kind in (("zh", ""), ("en", "chronicle")):
        with pytest.raises(SourceError):
            source.document_count(lang, kind)
    with pytest.raises(SourceError, match="excerpts"):
        source.excerpt("en", "", 0, 0, 1)
    with pytest.raises(ValueError, match="there are 2"):
        source.document("en", "", 2, 0)


def test_sentences_are_found_as_they_are_read(monkeypatch):
    read = []
    monkeypatch.setattr(
        "carrara.sources.long_documents.split", lambda text, lang: read.append(text) or split(text, lang)
    )
    text = "\n\n".join(f"It is {number}. So it is." for number in range(1_000))
    spans = Sentences(text)
    first = iter(spans)
    assert [text[slice(*next(first))] for _ in range(3)] == ["It is 0.", "So it is.", "It is 1."] and len(read) == 2
    assert spans[5] == (text.index("It is 2.") + 9, text.index("\n\nIt is 3.")) and len(read) == 3
    assert len(spans) == 2_000 == len(list(spans)) and len(read) == 1_000
    assert text[slice(*spans[-1])] == "So it is." and len(spans[10:20]) == 10
    with pytest.raises(IndexError):
        spans[2_000]
