"""MS MARCO: collection, topics, judgements, runs of TREC and of rank_llm, the Hub's tables; what is refused."""

import pytest
from made_files import parquet, write

from carrara.errors import SourceError
from carrara.sources.passages import passage
from carrara.sources.readers.msmarco import RunEntry, tables
from carrara.tables import Judgement, Question

COLLECTION = '7\tText of seven.\r\n8\t"Eight" is\tquoted. \n9\t \n'
TOPICS = "q2\twhat  is two\r\nq1\twhat is one\r\nq3\twhat is three\r\n"
QRELS = "q1 Q0 7 3\nq1 Q0 8 0\nq1 Q0 9 2\nq2 0 8 1\nq9 Q0 7 1\n\n"
HITS = [
    {
        "query": "what is one",
        "hits": [
            {"content": "Text of ten.", "qid": "q1", "docid": "10", "rank": 1, "score": 9.5},
            {"content": "Another\nseven.", "qid": "q1", "docid": 7, "rank": 2, "score": 9},
        ],
    },
    {"query": {"text": "what is four", "qid": "q4"}, "hits": [{"content": "Four.", "docid": "11", "score": 1.0}]},
]
FILES = {"collection__tsv": COLLECTION, "topics__dl__txt": TOPICS, "qrels__dl-passage__txt": QRELS}


def judged(source, each=0):
    return [(one.text, [(j.passage, j.grade) for j in found]) for one, found in source.judgements("en", each)]


def test_the_plain_files(tmp_path):
    source = tables("mine", write(tmp_path, **FILES))
    assert list(source.passages("en")) == [passage("", "Text of seven.", "7"), passage("", '"Eight" is quoted.', "8")]
    assert [one.id for one in source.questions("en", "", 0)] == ["q2", "q1", "q3"]
    assert list(source.questions("en", "topic", 1)) == [Question("q2", "topic", "what is two", ())]
    assert judged(source) == [("what is two", [("8", 1)]), ("what is one", [("7", 3), ("8", 0)])]
    assert judged(source, 1) == [("what is two", [("8", 1)])]
    assert next(source.judgements("en", 0))[1] == [Judgement("q2", "8", 1)]
    assert source.dropped == {
        "judged passage without a text": 1,
        "topic without a text": 1,
        "topic without judgements": 1,
    }


def test_runs_of_rank_llm_bring_passages_and_topics(tmp_path):
    files = write(tmp_path, **FILES, **{"BM25__retrieve_results__json__gz": HITS})
    source = tables("mine", files)
    # A passage that the collection holds is read from there.
    assert [one.text for one in source.passages("en")] == [
        *("Text of seven.", '"Eight" is quoted.', "Text of ten.", "Four."),
    ]
    assert [one.id for one in source.questions("en", "", 0)] == ["q2", "q1", "q3", "q4"]
    assert source.runs() == {
        "BM25.retrieve_results.json.gz": [
            RunEntry("q1", "10", 1, 9.5),
            RunEntry("q1", "7", 2, 9.0),
            RunEntry("q4", "11", 1, 1.0),
        ]
    }
    only = tables("mine", write(tmp_path, **{"qrels__txt": QRELS, "retrieve_results__json": HITS}))
    assert judged(only) == [("what is one", [("7", 3)])]
    assert only.dropped == {
        "judged passage without a text": 2,
        "topic without a text": 2,
        "topic without judgements": 1,
    }


def test_runs_of_trec(tmp_path):
    files = write(tmp_path, **FILES, **{"run__bm25__txt": "q2 Q0 8 2 1.5 bm25\nq2 Q0 7 1 1e1 bm25\nq1 Q0 7 1 3 bm25\n"})
    assert tables("mine", files).runs() == {
        "run.bm25.txt": [RunEntry("q1", "7", 1, 3.0), RunEntry("q2", "7", 1, 10.0), RunEntry("q2", "8", 2, 1.5)]
    }


def test_the_tables_of_the_hub(tmp_path):
    corpus = [{"_id": "7", "title": "Seven", "text": "Text."}, {"_id": "8", "title": "", "text": "Eight."}]
    files = {
        **parquet(tmp_path, "corpus.parquet", corpus),
        **write(tmp_path, queries__jsonl=[{"_id": "q1", "text": "what is one"}]),
        **write(tmp_path, **{"qrels-test__tsv": "query-id\tcorpus-id\tscore\nq1\t7\t2\nq1\t8\t0\n"}),
    }
    source = tables("mine", files)
    assert list(source.passages("en")) == [passage("Seven", "Text.", "7"), passage("", "Eight.", "8")]
    assert judged(source) == [("what is one", [("7", 2), ("8", 0)])]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("qrels__txt", "q1 Q0 7 4\n", "qrels.txt:1: got 'q1 Q0 7 4', expected a topic, a word, a passage and a grade"),
        ("qrels__txt", "q1 Q0 7 1\nq1 Q0 7 -1\n", "qrels.txt:2"),
        ("qrels__txt", "q1 Q0 7\n", "grade from 0 to 3"),
        ("qrels__txt", "q1 Q0 7 1.5\n", "grade from 0 to 3"),
        ("qrels__txt", "q1 Q0 7 1\nq1 Q0 7 2\n", "qrels.txt:2: passage 7 has another grade for topic q1 before"),
        ("topics__txt", "q1 without a tab\n", "topics.txt:1: got 'q1 without a tab', expected an id, a tab"),
        ("topics__txt", "\ttext\n", "expected an id"),
        ("topics__txt", b"q1\t\xff\n", "expected UTF-8"),
        ("topics__json", [{"text": "x"}], "topics.json, record 1: none of qid, _id, id"),
        ("collection__tsv", "7\n", "collection.tsv:1"),
        ("corpus__jsonl", [{"_id": "7"}], "corpus.jsonl:1: text is None"),
        ("corpus__jsonl", [{"text": "x"}], "none of docid, _id, pid, id"),
        ("retrieve_results__json", [{"hits": []}], "query is None"),
        ("retrieve_results__json", [{"query": "q", "hits": [{"docid": 1}]}], "none of qid"),
        ("retrieve_results__json", [{"query": "q", "hits": [{"qid": 1, "docid": 1}]}], "content is None"),
        (
            "retrieve_results__json",
            '[{"query": "q", "hits": [{"qid": 1, "docid": 1, "score": NaN}]}]',
            "NaN is no JSON number",
        ),
        ("queries__jsonl", '{"text": "x", "text": "y"}\n', "the key 'text' stands twice"),
        ("queries__jsonl", '{"text": "x"\n', "Fetch the file again"),
        ("retrieve_results__json", [{"query": "q", "qid": 1, "hits": [3]}], "hits[0]: got 3"),
        ("retrieve_results__json", "[" * 100_000, "expected JSON"),
        ("run__txt", "q1 Q0 7 1 high bm25\n", "run.txt:1"),
        ("run__txt", "q1 Q0 7 1 nan bm25\n", "run.txt:1"),
        ("run__txt", "q1 Q0 7 1 1.0\n", "run.txt:1"),
        ("run__txt", "q1 Q0 7 x 1.0 bm25\n", "run.txt:1"),
        ("passages__txt", "x", "its name does not say what it holds"),
    ],
)
def test_what_is_refused(tmp_path, name, content, said):
    needed = {other: text for other, text in FILES.items() if other.split("__")[0] != name.split("__")[0]}
    with pytest.raises(SourceError) as caught:
        source = tables("mine", write(tmp_path, **{**needed, name: content}))
        list(source.passages("en"))
        list(source.judgements("en", 0))
        source.runs()
    assert said in str(caught.value) and len(str(caught.value)) < 500


def test_what_it_does_not_hold(tmp_path):
    source = tables("mine", write(tmp_path, topics__txt=TOPICS))
    with pytest.raises(SourceError, match="holds no passages"):
        list(source.passages("en"))
    with pytest.raises(SourceError, match="holds no graded passages"):
        source.judgements("en", 0)
    for call in (source.questions, lambda lang, kind, each: source.judgements(lang, each)):
        with pytest.raises(SourceError, match="is in en, asked for zh"):
            call("zh", "", 0)
    with pytest.raises(SourceError, match="no questions of kind 'list'"):
        source.questions("en", "list", 0)
