"""The pinned sources of questions, passages and judgements themselves: counts, and where evidence stands."""

import hashlib
from collections import Counter

import pytest
from folders import CORPORA

from carrara.sources import open_source, tables
from carrara.sources.document import tidy
from carrara.sources.passages import content_id
from carrara.sources.readers import open_questions
from carrara.sources.readers.multi_hop import hotpotqa

pytestmark = [
    # The readers themselves are tested on small files of the same form.
    pytest.mark.repeat,
    pytest.mark.corpora,
    pytest.mark.skipif(not (CORPORA / "nq-open").is_dir(), reason="no folder of real sources: set CARRARA_SOURCES"),
]


def opened(name):
    return tables(open_source(name, CORPORA))


@pytest.fixture(scope="module")
def corpus():
    return {one.id: one for one in opened("wikipedia_passages").passages("en")}


def test_the_passages_of_wikipedia(corpus):
    assert len(corpus) == 26_737
    source = opened("wikipedia_passages")
    found = list(source.passages("en"))
    assert found == list(corpus.values()) and source.dropped == {"repeated": 4_320}
    for one in found:
        assert one.title and one.text and "\n" not in one.title + one.text
        assert one.id == content_id(f"{one.title}\n{one.text}")
    assert [one for one in found[::50] if (tidy(one.title), tidy(one.text)) != (one.title, one.text)] == []
    # The title is not said twice where an article of the dump begins.
    assert sum(one.text.startswith(f"{one.title} {one.title}") for one in found) == 0


@pytest.mark.parametrize(
    ("name", "count", "dropped", "kinds", "evidence"),
    [
        ("nq", 2_655, {}, {"open": 2_655}, {1: 2_655}),
        ("triviaqa", 8_837, {}, {"open": 8_837}, {0: 8_837}),
        (
            *("popqa", 998, {"same words, other answers": 2}),
            *({"place of birth": 543, "occupation": 455}, {1: 737, 0: 261}),
        ),
        ("hotpotqa", 200, {}, {"bridge": 157, "comparison": 43}, {2: 200}),
        ("musique", 100, {}, {"2hop": 68, "3hop1": 24, "3hop2": 3, "4hop1": 3, "4hop3": 2}, {2: 68, 3: 27, 4: 5}),
        ("asqa", 1, {}, {"ambiguous": 1}, {1: 1}),
        ("qampari", 4, {}, {"list": 4}, {3: 4}),
    ],
)
def test_questions(corpus, name, count, dropped, kinds, evidence):
    source = opened(name)
    found = list(source.questions("en", "", 0))
    assert (len(found), source.dropped, len({one.id for one in found})) == (count, dropped, count)
    assert Counter(one.kind for one in found) == kinds
    assert Counter(len(one.evidence) for one in found) == evidence
    for question in found:
        assert question.text and question.answers and all(all(group) for group in question.answers)
        names = {tidy(name).lower() for group in question.answers for name in group}
        for one in question.evidence:
            text = corpus[one.passage].text
            assert 0 <= one.start < one.end <= len(text)
            assert text[one.start : one.end].lower() in names or (one.start, one.end) == (0, len(text))


def test_what_is_peculiar_to_each():
    rare = [one for one in opened("popqa").questions("en", "", 0) if one.popularity < 1_000]
    assert len(rare) == 772 and all(one.hops == 1 for one in rare)
    assert all(one.hops == len(one.evidence) for one in opened("musique").questions("en", "", 0))
    trivia = list(opened("triviaqa").questions("en", "", 0))
    assert trivia[0].answers[0][0] == "Helicopters" and trivia[0].answers[0][-1] == "🚁"
    assert sum('"' in one.text for one in trivia) > 100 and not any("\r" in one.text for one in trivia)
    demonstrations = list(opened("asqa").questions("en", "demonstration", 0))
    assert len(demonstrations) == 4 and all(one.answers and one.evidence for one in demonstrations)
    (asqa,) = opened("asqa").questions("en", "", 0)
    assert [reading.answers for reading in asqa.readings] == [(group,) for group in asqa.answers]


def pinned(reader, path):
    file = CORPORA / path
    table = {
        "reader": reader,
        "lang": "en",
        "licence": "CC-BY-SA-4.0",
        "files": {path: hashlib.sha256(file.read_bytes()).hexdigest()},
    }
    return tables(open_source("mine", CORPORA, {"mine": table}))


@pytest.mark.parametrize(
    ("reader", "path", "count"),
    [
        ("open_questions", "nq-open/NQ-open.dev.jsonl.gz", 3_610),
        ("open_questions", "nq-open/NQ-open.efficientqa.dev.1.1.jsonl.gz", 1_800),
        ("open_questions", "nq-open/nq-open-oracle-doc.jsonl.gz", 2_579),
        ("open_questions", "triviaqa/topics.dpr.trivia.test.txt.gz", 11_313),
        ("open_questions", "triviaqa/topics.dpr.nq.dev.txt.gz", 8_757),
        ("open_questions", "triviaqa/topics.dpr.nq.test.txt.gz", 3_610),
        ("hotpotqa", "hotpotqa/hotpot_dev_v1_simplified.json.gz", 7_405),
    ],
)
def test_files_that_no_pin_names(reader, path, count):
    source = pinned(reader, path)
    found = len(list(source.questions("en", "", 0)))
    assert found + source.dropped["repeated"] + source.dropped["same words, other answers"] == count


def test_a_question_in_two_files_is_one():
    paths = ("nq-open/nq-open-oracle.jsonl.gz", "nq-open/NQ-open.dev.jsonl.gz")
    source = open_questions.open_questions("mine", {path: CORPORA / path for path in paths})
    found = list(source.questions("en", "", 0))
    assert (len(found), source.dropped["repeated"], sum(bool(one.evidence) for one in found)) == (3_610, 2_655, 2_655)
    paths = ("hotpotqa/hotpot_dev_distractor_v1.json.gz", "hotpotqa/hotpot_dev_v1_simplified.json.gz")
    source = hotpotqa("mine", {path: CORPORA / path for path in paths})
    found = list(source.questions("en", "", 0))
    assert (len(found), source.dropped["repeated"], sum(bool(one.evidence) for one in found)) == (7_405, 100, 100)


def test_msmarco():
    source = opened("msmarco")
    judged = list(source.judgements("en", 0))
    assert source.dropped == {
        "judged passage without a text": 11_798,
        "topic without a text": 0,
        "topic without judgements": 146,
    }
    grades = Counter(one.grade for _, found in judged for one in found)
    assert grades == {0: 4_104, 1: 2_064, 2: 1_737, 3: 943} and grades.total() + 11_798 == 9_260 + 11_386
    # 43 topics of 2019, which come first by name, and 54 of the 200 of 2020.
    assert len(judged) == 43 + 54 and len(list(source.questions("en", "", 0))) == 43 + 200
    assert judged[0][0].text == "do goldfish grow" and len(list(source.judgements("en", 5))) == 5
    held = {one.id for one in source.passages("en")}
    assert len(held) == 24_884 and {one.passage for _, found in judged for one in found} <= held
    assert all(any(one.grade >= 2 for one in found) for _, found in judged)
    runs = source.runs()
    assert sorted(map(len, runs.values())) == [4_300] * 5 + [5_400] * 5
    assert {one.passage for run in runs.values() for one in run} == held
