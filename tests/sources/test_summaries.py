"""Documents with summaries: Multi-LexSum, SQuALITY, QMSum, key points, a user's own; what is dropped and refused."""

from collections import Counter

import pytest
from folders import CORPORA
from made_files import parquet, write

from carrara.errors import SourceError
from carrara.sources import open_source, tables
from carrara.sources.passages import content_id
from carrara.sources.readers import own_tables
from carrara.sources.readers.summaries import multilexsum, qmsum, squality
from carrara.sources.sentences import split
from carrara.tables import KeyPoint

CASE = {
    "id": "AK-1",
    "sources": ["COMPLAINT\n\nThe plaintiff sued.  He was\nheld.", "", "ORDER\n\nGranted."],
    "summary/long": "A man sued. He won.\n\nThe case is closed.",
    "summary/short": "A man sued and won. It is closed.",
    "summary/tiny": "A man won.",
}


def only(source):
    assert source.document_count("en", "") == 1
    return source.document("en", "", 0, 0)


def texts(document):
    return [document.text[start:end] for start, end in document.sentences]


class TestMultiLexSum:
    def test_lines_and_parquet(self, tmp_path):
        of_lines = multilexsum("mine", write(tmp_path, test__jsonl=[CASE]))
        of_parquet = multilexsum("mine", parquet(tmp_path, "test-00000-of-00001.parquet", [CASE]))
        found = only(of_lines)
        assert found == found and only(of_parquet).text == found.text
        assert (found.id, found.kind) == ("AK-1", "test")
        assert found.text == "COMPLAINT\n\nThe plaintiff sued. He was held.\n\nORDER\n\nGranted."
        assert texts(found) == ["COMPLAINT", "The plaintiff sued.", "He was held.", "ORDER", "Granted."]
        assert found.summary == "A man sued. He won.\n\nThe case is closed."
        assert found.short_summary == "A man sued and won. It is closed."
        assert [point.text for point in found.key_points] == ["A man sued and won.", "It is closed."]
        assert found.key_points_from == "sentences"

    def test_long_to_short(self, tmp_path):
        row = {"document": "He sued.\n\nHe won.", "summary": "He sued and won."}
        found = only(multilexsum("mine", write(tmp_path, a__jsonl=[row])))
        assert (found.text, found.summary, found.short_summary) == ("He sued.\n\nHe won.", "He sued and won.", "")
        assert (found.id, found.kind) == (content_id(found.text), "")

    def test_cases_without_both_summaries_or_papers_are_dropped_and_counted(self, tmp_path):
        rows = [
            CASE,
            {**CASE, "id": "2", "summary/short": None},
            {**CASE, "id": "3", "summary/long": "", "summary/short": None},
            {**CASE, "id": "4", "sources": [" ", ""]},
        ]
        source = multilexsum("mine", write(tmp_path, train__jsonl=rows))
        assert only(source).kind == "train"
        assert source.dropped == Counter({"no short summary": 1, "no summary": 1, "no papers": 1})

    @pytest.mark.parametrize(
        ("row", "what"),
        [
            ({**CASE, "sources": "text"}, "sources is 'text', expected a list"),
            ({**CASE, "sources": [3]}, "sources is 3, expected text in the list"),
            ({**CASE, "summary/long": 3}, "summary/long is 3, expected text"),
            ({"summary": "x"}, "document is None, expected text"),
            ([1], "expected an object"),
        ],
    )
    def test_what_is_no_case_is_refused(self, tmp_path, row, what):
        with pytest.raises(SourceError, match=what):
            multilexsum("mine", write(tmp_path, a__jsonl=[row])).document_count("en", "")


STORY = (
    "\n\n\n\nProduced by A B, C D and the Online\nDistributed Proofreading Team at http://www.pgdp.net\n"
    "RAIDERS OF MARS\nBy GENE ELLER\nA strange fate.\n \n  [Transcriber's Note: This etext was\n   \n  produced.]\n"
    'Beyond earth swings\na mass . "Go !" he said ....\n \n  They went.\n'
    "End of Project Gutenberg's Raiders, by Eller\n\n"
)


class TestSquality:
    def test_a_story_without_what_is_no_story(self, tmp_path):
        row = {
            "metadata": {"passage_id": "63"},
            "document": STORY,
            "questions": [
                {
                    "question_text": "What  happens?",
                    "responses": [{"response_text": one} for one in ("a.", "b.", "a.")],
                },
                {"question_text": "Nothing?", "responses": []},
            ],
        }
        found = only(squality("mine", write(tmp_path, dev__jsonl=[row])))
        assert found.text == (
            "RAIDERS OF MARS\n\nBy GENE ELLER\n\nA strange fate.\n\n"
            'Beyond earth swings a mass. "Go!" he said ....\n\nThey went.'
        )
        assert (found.id, found.kind, found.summary) == ("63", "validation", "")
        (question,) = found.questions
        assert (question.id, question.text, question.answers) == ("63-0", "What happens?", ("a.", "b."))
        assert question.key_points == ("a.",)

    def test_a_story_without_queries_is_left_out(self, tmp_path):
        with pytest.raises(SourceError, match="no documents found"):
            squality("mine", write(tmp_path, a__jsonl=[{"document": "x", "questions": []}])).document_count("en", "")


MEETING = {
    "meeting_transcripts": [
        {"speaker": "Grad A", "content": "OK , so {disfmarker}"},
        {"speaker": "Prof  B", "content": "{vocalsound} {pause}"},
        {"speaker": "Prof B", "content": "I 'm done ! We ca n't ."},
        {"speaker": "Grad A", "content": "Right ."},
    ],
    "general_query_list": [{"query": "Summarize the whole meeting .", "answer": "They were {gap} done ."}],
    "specific_query_list": [
        {"query": "What of B?", "answer": "Done.", "relevant_text_span": [["1", "2"], ["3", "3"]]},
        {"query": "What of A?", "answer": "", "relevant_text_span": []},
    ],
}


class TestQMSum:
    def test_a_transcript_is_cleaned_and_spans_are_found(self, tmp_path):
        found = only(qmsum("mine", write(tmp_path, val__jsonl__gz=[MEETING])))
        assert found.text == "Grad A: OK, so\n\nProf B: I'm done! We ca n't.\n\nGrad A: Right."
        whole, part = found.questions
        assert (whole.text, whole.answers) == ("Summarize the whole meeting.", ("They were done.",))
        assert (whole.kind, whole.evidence, part.kind) == ("general", (), "specific")
        assert [found.text[start:end] for start, end in part.evidence] == [
            "Prof B: I'm done! We ca n't.",
            "Grad A: Right.",
        ]
        assert found.kind == "validation"

    @pytest.mark.parametrize("span", [["1"], "1", [["1", "2", "3"]], [["x", "2"]]])
    def test_a_span_that_is_none_is_refused(self, tmp_path, span):
        query = {"query": "q", "answer": "a", "relevant_text_span": span}
        with pytest.raises(SourceError, match="expected"):
            row = {**MEETING, "specific_query_list": [query]}
            qmsum("mine", write(tmp_path, a__jsonl=[row])).document_count("en", "")


class TestKeyPoints:
    def files(self, tmp_path, *rows):
        return write(tmp_path, test__jsonl=[CASE], key_points__jsonl=list(rows))

    def test_those_of_a_file_take_the_place_of_the_sentences(self, tmp_path):
        files = self.files(tmp_path, {"document": "AK-1", "key_points": ["A man  sued.", "He won.", " "]})
        found = only(multilexsum("mine", files))
        assert found.key_points == (KeyPoint("A man sued.", (0, 0)), KeyPoint("He won.", (0, 0)))
        assert found.key_points_from == "model"

    def test_those_of_a_query(self, tmp_path):
        meeting = only(qmsum("mine", write(tmp_path, a__jsonl=[MEETING])))
        rows = [{"question": one.id, "key_points": [f"{number}."]} for number, one in enumerate(meeting.questions)]
        found = only(qmsum("mine", write(tmp_path, a__jsonl=[MEETING], key_points__jsonl=rows)))
        assert [one.key_points for one in found.questions] == [("0.",), ("1.",)]
        assert found.key_points_from == "model"

    @pytest.mark.parametrize(
        ("rows", "what"),
        [
            ([{"document": "other", "key_points": ["x"]}], "no key points of 'AK-1'"),
            (
                [{"document": "AK-1", "key_points": ["x"]}, {"document": "other", "key_points": ["x"]}],
                "'other' names no document",
            ),
            ([{"document": "AK-1", "key_points": []}], "expected a list of statements"),
            ([{"document": "AK-1", "key_points": "x"}], "expected a list"),
            ([{"document": "AK-1", "key_points": ["x"]}] * 2, "one new document"),
            ([{"document": "AK-1", "points": ["x"]}], "unknown field 'points'"),
        ],
    )
    def test_a_file_that_does_not_fit_is_refused(self, tmp_path, rows, what):
        with pytest.raises(SourceError, match=what):
            multilexsum("mine", self.files(tmp_path, *rows)).document_count("en", "")


class TestOwn:
    def test_documents_with_summaries_and_questions(self, tmp_path):
        rows = [
            {"id": "a", "text": "One. Two.\n\nThree.", "summary": "Long one.", "short_summary": "S."},
            {"text": "Four.", "key_points": ["It is four."], "summary": "4.", "part": "train", "title": " T "},
            {"text": "Five.", "questions": [{"text": "How many?", "answers": ["5", "five"]}]},
        ]
        source = own_tables.english("mine", write(tmp_path, documents__jsonl=rows))
        first, second, third = (source.document("en", "", number, 0) for number in range(3))
        assert source.document_count("en", "") == 3 and texts(first) == ["One.", "Two.", "Three."]
        assert (first.short_summary, [one.text for one in first.key_points]) == ("S.", ["S."])
        assert (second.kind, second.title, second.key_points_from) == ("train", "T", "model")
        assert (third.questions[0].answers, third.questions[0].options) == (("5", "five"), ())
        assert third.id == content_id("Five.")

    @pytest.mark.parametrize(
        ("row", "what"),
        [
            ({"text": " "}, "expected text that is not empty"),
            ({"text": "a", "summery": "b"}, "unknown field 'summery'"),
            ({"text": "a", "short_summary": "b"}, "expected a summary beside the short one"),
            ({"text": "a", "questions": [{"text": "q", "answers": []}]}, "text or answers are empty"),
            (
                {"text": "a", "questions": [{"text": "q", "answers": ["x"], "options": ["y", "z"]}]},
                "one of the options",
            ),
        ],
    )
    def test_what_does_not_fit_is_refused(self, tmp_path, row, what):
        with pytest.raises(SourceError, match=what):
            own_tables.english("mine", write(tmp_path, documents__jsonl=[row])).document_count("en", "")

    def test_an_id_is_used_once(self, tmp_path):
        rows = [{"id": "a", "text": "b"}, {"id": "a", "text": "c"}]
        with pytest.raises(SourceError, match="used before"):
            own_tables.english("mine", write(tmp_path, documents__jsonl=rows)).document_count("en", "")


@pytest.mark.repeat
@pytest.mark.corpora
@pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")
@pytest.mark.parametrize(
    ("name", "documents", "queries", "parts"),
    [
        ("multilexsum_sample", 868, 0, {"test": 868}),
        ("squality", 127, 635, {"train": 50, "validation": 25, "test": 52}),
        ("qmsum", 70, 553, {"validation": 35, "test": 35}),
    ],
)
def test_a_real_source(name, documents, queries, parts):
    source = tables(open_source(name, CORPORA))
    found = [source.document("en", "", number, 0) for number in range(source.document_count("en", ""))]
    assert (len(found), sum(len(one.questions) for one in found)) == (documents, queries)
    assert Counter(one.kind for one in found) == parts
    for one in found:
        assert not any(mark in one.text for mark in ("\ufffd", "{disf", "Gutenberg's", "Transcriber's", "pgdp.net"))
        assert one.key_points_from == "sentences" and (one.summary or all(each.key_points for each in one.questions))
    for one in found[::20]:
        paragraphs = one.text.split("\n\n")
        assert texts(one) == [sentence for paragraph in paragraphs for sentence in split(paragraph, "en")]
        for question in one.questions:
            assert all(0 <= start < end <= len(one.text) for start, end in question.evidence)
