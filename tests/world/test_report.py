"""Reports: figures that add up, and questions with their answers in the text."""

import hashlib
import re
from collections import Counter
from functools import cache
from itertools import product

import pytest

from carrara.stream import Stream
from carrara.world.documents.report import BOARDS, board_plan, report, section_plan

STREAM = Stream("report test")
LANGS = ("en", "zh")
SIZE = 50
# Reports of all boards.


@cache
def numbers():
    return {board_plan(STREAM.child("report", number)).board: number for number in range(40)}


@cache
def reports():
    return {(lang, board): report(STREAM, lang, number, SIZE) for lang in LANGS for board, number in numbers().items()}


GOLDEN = {
    "en": "b348f02b117e9454a363b2b04ba9b54d753a7e6a42f525cce1b1fe2fcdd763c8",
    "zh": "eb6bc6cf38d69911e68f9092bf9c94f7fd583d6d78ce65a261ef6a206991c420",
}
# Numbers and their sum at the end of a sentence, read from the text alone.
SUMS = {
    "en": r"(.*); (?:total|sum|together|in all|altogether|in the year) ([\d,]+)\.",
    "zh": r"(.*?)，(?:合计|共计|总计|加起来|全年|共)(\d+)。",
}


def number(text: str) -> int:
    return int(text.replace(",", ""))


def test_there_is_a_report_of_every_board():
    assert set(numbers()) == set(BOARDS)


@pytest.mark.parametrize("lang", LANGS)
def test_a_smaller_report_begins_a_larger_one(lang):
    for board, place in numbers().items():
        small, whole = report(STREAM, lang, place, 7), reports()[lang, board]
        assert whole.text.startswith(small.text) and whole.sentences[: len(small.sentences)] == small.sentences
        assert whole.questions[: len(small.questions)] == small.questions
        assert whole.key_points[: len(small.key_points)] == small.key_points
        assert report(Stream("report test"), lang, place, SIZE) == whole


@pytest.mark.parametrize("lang", LANGS)
def test_text_is_pinned(lang):
    texts = "".join(report(STREAM, lang, place, 3).text for _, place in sorted(numbers().items()))
    assert hashlib.sha256(texts.encode()).hexdigest() == GOLDEN[lang]


@pytest.mark.parametrize(("lang", "board"), [*product(LANGS, BOARDS)])
def test_sentences_cover_the_text_and_no_fact_comes_twice(lang, board):
    whole = reports()[lang, board]
    at, rest = 0, ""
    for start, end in whole.sentences:
        assert at <= start < end
        rest += whole.text[at:start]
        at = end
    assert not (rest + whole.text[at:]).strip()
    sentences = [whole.text[start:end] for start, end in whole.sentences]
    told = Counter(sentences)
    assert len(told) > {"en": 0.97, "zh": 0.85}[lang] * len(sentences)
    assert {told[whole.text[slice(*span)]] for question in whole.questions for span in question.evidence} == {1}
    assert not [one for one in sentences if re.search(r"[{}\[\]|]|  | ,|,,|\.\.|，，|。。|的的", one)]


@pytest.mark.parametrize(("lang", "board"), [*product(LANGS, BOARDS)])
def test_totals_add_up(lang, board):
    whole = reports()[lang, board]
    sums = 0
    for start, end in whole.sentences:
        if found := re.fullmatch(SUMS[lang], whole.text[start:end]):
            sums += 1
            assert sum(map(number, re.findall(r"[\d,]*\d", found[1]))) == number(found[2])
    # The income and the counts of every section.
    assert sums == 2 * SIZE


def test_the_change_is_the_difference_of_the_totals():
    key = STREAM.child("report", 0)
    for place in range(200):
        plan = section_plan(key, 1880, place)
        assert plan.total == sum(marks for _, marks in plan.sources) and plan.last not in (0, plan.total)
        assert len({marks for _, marks in plan.sources}) == len(plan.sources)
    for question in reports()["en", "harbour"].questions:
        if question.id.endswith("difference"):
            text = reports()["en", "harbour"].text[slice(*question.evidence[0])]
            before = reports()["en", "harbour"].text[: question.evidence[0][0]]
            total = number(re.findall(r"(?:total|sum|together|in all|altogether) ([\d,]+)\.", before)[-1])
            last = max(map(number, re.findall(r"[\d,]*\d", text.replace(question.answers[0], "", 1))))
            assert abs(total - last) == number(question.answers[0]), text
            assert ("more" in text) == (total > last)


@pytest.mark.parametrize(("lang", "board"), [*product(LANGS, BOARDS)])
def test_questions_have_their_answer_in_the_evidence_and_once_among_the_options(lang, board):
    whole = reports()[lang, board]
    texts = [question.text for question in whole.questions]
    assert len(set(texts)) == len(texts) == 5 * SIZE
    for question in whole.questions:
        (answer,) = question.answers
        (span,) = question.evidence
        assert span in whole.sentences and answer.lower() in whole.text[slice(*span)].lower(), question
        assert len(set(question.options)) == 4 and question.options.count(answer) == 1
        assert answer not in question.text


@pytest.mark.parametrize("lang", LANGS)
def test_every_section_has_a_key_point(lang):
    whole = reports()[lang, "forest"]
    assert len(whole.key_points) == SIZE
    assert all(point.evidence in whole.sentences for point in whole.key_points)
    assert sum(point.text in whole.summary for point in whole.key_points) == 40


def test_facts_are_the_same_in_both_languages():
    for board in BOARDS:
        pairs = zip(reports()["en", board].questions, reports()["zh", board].questions, strict=True)
        for one, other in pairs:
            assert one.id == other.id
            assert one.options.index(one.answers[0]) == other.options.index(other.answers[0])
            if one.id.endswith(("total", "counts", "cost", "difference")):
                assert one.answers[0].replace(",", "") == other.answers[0]


def test_a_report_has_a_section():
    with pytest.raises(ValueError, match="one section or more"):
        report(STREAM, "en", 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
def test_a_report_of_thousands_of_sections_states_no_fact_twice(lang):
    whole = report(STREAM, lang, 2, 2500)
    told = Counter(whole.text[start:end] for start, end in whole.sentences)
    assert len(told) > {"en": 0.8, "zh": 0.65}[lang] * told.total()
    assert {told[whole.text[slice(*span)]] for question in whole.questions for span in question.evidence} == {1}
    assert len({question.text for question in whole.questions}) == len(whole.questions)
