"""Passages of corpora: ids by content, every layout, and where evidence stands."""

import hashlib
import json
import time

import pytest
from made_files import nested, parquet, write

from carrara.errors import SourceError
from carrara.sources.passages import article, content_id, dump_passage, passage
from carrara.sources.questions import accepted, find, of_passages
from carrara.sources.readers.wikipedia import tables
from carrara.tables import Evidence, Passage


def told(files):
    return [(one.title, one.text) for one in tables("mine", files).passages("en")]


def test_an_id_is_taken_from_title_and_text_after_tidying():
    wanted = hashlib.sha256(b"A b\nC d.").hexdigest()[:16]
    assert passage(" A\u200b  b", "C\nd. ") == Passage(wanted, "A b", "C d.")
    assert content_id("A b\nC d.") == wanted and passage("A b", "C d.", "7").id == "7"
    # Half of a surrogate pair, and NUL, are taken out before anything is encoded.
    assert passage("A\ud800 b\0", "C d.").id == wanted


@pytest.mark.parametrize(
    ("title", "text", "wanted"),
    [
        ("Mae Beavers", "Mae Beavers Mae Beavers (born 1947) is", "Mae Beavers (born 1947) is"),
        ("Ed Lopez", "Ed Lopez Eduardo Lopez is", "Eduardo Lopez is"),
        ("Charmer (song)", 'Charmer (song) "Charmer" is', '"Charmer" is'),
        ("1848", "1848 1848 was", "1848 was"),
        ("iPhone", "iPhone iPhone is", "iPhone is"),
        ("Joseph Kony", "Joseph Kony and others were", "Joseph Kony and others were"),
        ("Cicero", "Cicero's character is", "Cicero's character is"),
        ("Sayaka", "Sayaka , born in Saitama", "Sayaka , born in Saitama"),
        ("Jessie", "In summer. Jessie Jessie was", "In summer. Jessie Jessie was"),
        ("Jessie", "Jessie", "Jessie"),
        ("", "Of no article", "Of no article"),
    ],
)
def test_a_repeated_title_is_taken_off(title, text, wanted):
    assert dump_passage(title, text) == passage(title, wanted)


def test_articles_are_cut_to_a_hundred_words():
    words = [f"w{number}" for number in range(230)]
    found = list(article("T", ["T\n", "Section::::History.", " ".join(words[:150]), "", "BULLET::::- " + words[150]]))
    assert [one.text for one in found] == [" ".join(words[:100]), " ".join(words[100:151])]
    assert {one.title for one in found} == {"T"} and not list(article("T", ["T"]))


LISTED = [{"title": "A", "text": "One.\nTwo."}, {"title": "B", "text": "Three."}]
WANTED = [("A", "One. Two."), ("B", "Three.")]


class TestLayouts:
    def test_lists_and_lines(self, tmp_path):
        for name in ("a__json", "a__jsonl", "a__jsonl__gz"):
            assert told(write(tmp_path, **{name: LISTED})) == WANTED
        listed = [{"title": "A", "text": ["One.", "Two."]}, {"title": "B", "contents": "Three."}]
        assert told(write(tmp_path, b__json=listed)) == WANTED

    def test_an_object_of_sentences(self, tmp_path):
        assert told(write(tmp_path, a__json={"A": ["One.", " Two."], "B": ["Three."]})) == WANTED

    def test_parquet(self, tmp_path):
        rows = [{"id": str(n), **one, "embeddings": [0.1, 0.2]} for n, one in enumerate(LISTED)]
        assert told(parquet(tmp_path, "a.parquet", rows)) == WANTED

    def test_cut_beforehand(self, tmp_path):
        content = 'id\ttext\ttitle\n1\t"A One. ""Two"", A."\tA\n2\tThree, A.\tB\n'
        assert told(write(tmp_path, a__tsv__gz=content)) == [("A", 'One. "Two", A.'), ("B", "Three, A.")]

    def test_kilt(self, tmp_path):
        rows = [
            {"_id": "1", "wikipedia_title": "A", "text": ["A\n", "One.\n", "Section::::B.\n", "Two.\n"], "anchors": []},
            {"_id": "2", "wikipedia_title": "B", "text": ["B\n", " ".join(["word"] * 250)]},
        ]
        found = told(write(tmp_path, kilt__json="\n".join(map(json.dumps, rows))))
        assert [(title, len(text.split())) for title, text in found] == [("A", 2), ("B", 100), ("B", 50)]

    def test_lines_of_passages(self, tmp_path):
        content = "A // A One. // Two. [sep] B // of B. Three.\nB // of B. Three.\n"
        source = tables("mine", write(tmp_path, a__txt=content))
        assert [(one.title, one.text) for one in source.passages("en")] == [
            ("A", "One. // Two."),
            ("B", "of B. Three."),
        ]
        assert source.dropped == {"repeated": 1}

    def test_the_passages_beside_questions(self, tmp_path):
        files = write(
            tmp_path,
            a__jsonl=[{"question": "q", "ctxs": [{"title": "A", "text": "One. Two.", "isgold": True}]}],
            b__json=[{"question": "q", "paragraphs": [{"title": "B", "paragraph_text": "Three."}]}],
            c__json=[{"context": [["A", ["One.", " Two."]], ["C", ["Four."]]]}],
            d__json=[{"context": {"title": ["D"], "sentences": [["Five.", " Six."]]}}],
            e__json=[{"docs": [{"title": "E", "text": "E Seven."}, "Document [2](F (G)): Eight: nine.\n"]}],
            f__json={"instruction": "x", "demos": [{"docs": [{"title": "H", "text": "Ten."}]}]},
        )
        assert told(files) == [
            *(("A", "One. Two."), ("B", "Three."), ("C", "Four."), ("D", "Five. Six."), ("E", "Seven.")),
            *(("F (G)", "Eight: nine."), ("H", "Ten.")),
        ]

    def test_the_same_passage_in_two_files_is_one_and_an_empty_one_none(self, tmp_path):
        files = write(tmp_path, b__json=LISTED, a__jsonl=[LISTED[1], {"title": "C", "text": " \u200b"}])
        source = tables("mine", files)
        found = list(source.passages("en"))
        assert [(one.title, one.text) for one in found] == WANTED[::-1]
        assert source.dropped == {"empty": 1, "repeated": 1}
        assert list(source.passages("en")) == found and source.dropped == {"empty": 1, "repeated": 1}

    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("a__json", [{"title": "A"}], "a.json, record 1: got {'title': 'A'}, expected title and text"),
            ("a__json", [{"title": 1, "text": "x"}], "title is 1, expected text"),
            ("a__json", [{"title": "A", "text": 1}], "record 1"),
            ("a__json", [{"title": "A", "text": ["x", 1]}], "text is 1, expected text in the list"),
            ("a__json", {"A": ["x", 1]}, "record 'A': sentences is 1"),
            ("a__json", [3], "got 3, expected an object"),
            ("a__json", [], "no passages found"),
            ("a__jsonl", [{"ctxs": {}}], "a.jsonl:1: ctxs is {}, expected a list"),
            ("a__jsonl", [{"ctxs": [1]}, {}], "a.jsonl:1, ctxs[0]: got 1"),
            ("a__json", [{"context": "text"}], "context: it is 'text', expected a list of pairs"),
            ("a__json", [{"context": [["A"]]}], "expected a list of pairs"),
            ("a__json", [{"context": [["A", "B"]]}], "expected a list of sentences"),
            ("a__json", [{"context": {"title": ["A"], "sentences": []}}], "1 of title and 0 of sentences"),
            ("a__json", [{"context": [[1, ["B"]]]}], "title is 1"),
            ("a__json", [{"docs": ["Document one"]}], 'expected "Document [1](title): text"'),
            ("a__jsonl", [{"wikipedia_title": "A", "text": "x"}], "text is 'x', expected a list"),
            ("a__txt", "A // b [sep] C\n", "a.txt:1: got 'C', expected title // text"),
            ("a__txt", b"A // \xff\n", "expected UTF-8"),
            ("a__json", '[{"title": "A", "text": ' + nested(400) + "}]", "expected text in the list"),
            ("a__csv", "1,2", "expected .json"),
        ],
    )
    def test_what_is_refused(self, tmp_path, name, content, said):
        with pytest.raises(SourceError) as caught:
            told(write(tmp_path, **{name: content}))
        assert said in str(caught.value) and len(str(caught.value)) < 600

    def test_english_alone_and_nothing_but_passages(self, tmp_path):
        source = tables("mine", write(tmp_path, a__json=LISTED))
        with pytest.raises(SourceError, match="source 'mine' is in en, asked for zh"):
            list(source.passages("zh"))
        with pytest.raises(SourceError, match="holds no questions"):
            source.questions("en", "", 0)


class TestEvidence:
    @pytest.mark.parametrize(
        ("text", "names", "wanted"),
        [
            ("He met Ann Marn.", ["marn", "Ann"], (11, 15)),
            ("The party of art.", ["art"], (13, 16)),
            ("Articles", ["art"], None),
            ("in 1984, and 984", ["984"], (13, 16)),
            ("wall), starting on", ["), starting on"], (4, 18)),
            ("İzmir and Ankara", ["Ankara"], (10, 16)),
            ("İzmir and Ankara", ["ankara"], None),
            ("nothing", [""], None),
            ("nothing", [], None),
        ],
    )
    def test_the_first_name_that_stands_there(self, text, names, wanted):
        assert find(text, names) == wanted
        assert wanted is None or text[slice(*wanted)].lower() in [name.lower() for name in names]

    def test_each_passage_once(self):
        one, other = passage("", "Ann."), passage("", "Bob.")
        assert list(of_passages([one, other, one], [("Ann",)], whole=True)) == [
            Evidence(one.id, 0, 3),
            Evidence(other.id, 0, 4),
        ]
        assert list(of_passages([one, other], [("Ann",)], whole=False)) == [Evidence(one.id, 0, 3)]

    def test_names(self):
        assert accepted([" a\nb", "c", "a b", "\u200b", ""]) == ("a b", "c")

    def test_a_hostile_text_takes_no_time(self):
        start = time.process_time()
        assert find("a" * 2_000_000, ["a" * 1_000_000]) is None
        assert time.process_time() - start < 5
