"""Meetings: what the minutes state, what is asked of them, and that votes add up."""

import hashlib
import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from carrara.stream import Stream
from carrara.world.documents.meeting import KINDS, REASONS, SITTING, _text, council_plan, excerpt, item_plan, meeting

STREAM = Stream("meeting test")
LANGS = ("en", "zh")
SIZE = 60


@cache
def meetings():
    return {lang: meeting(STREAM, lang, 0, SIZE) for lang in LANGS}


GOLDEN = {
    "en": "1193d58f4a6c57a1cb7556993493e5ae98f5e61056f6151ca83110bfdc688431",
    "zh": "5c7eb8258a191902edca9f0eb7681a84ee477b24c83da3b6e9882b4742db7211",
}
# A vote, and a sitting's count of members present; read from the text alone.
VOTES = {
    "en": r"(\d+) (?:for,|members voted for .+?,) (\d+) against(?:,| and|;) (\d+) abstain",
    "zh": r"赞成(\d+)[票人]，反对(\d+)[票人]，弃权(\d+)[票人]|(\d+)人赞成.+?，(\d+)人反对，(\d+)人弃权",
}
PRESENT = {"en": r"(\d+) of (?:the )?(\d+) members (?:present|in their)", "zh": r"议员(\d+)名，到会(\d+)名"}


@pytest.mark.parametrize("lang", LANGS)
def test_a_smaller_meeting_begins_a_larger_one(lang):
    small = meeting(STREAM, lang, 0, 11)
    whole = meetings()[lang]
    assert whole.text.startswith(small.text) and whole.sentences[: len(small.sentences)] == small.sentences
    assert whole.questions[: len(small.questions)] == small.questions
    assert whole.key_points[: len(small.key_points)] == small.key_points
    assert meeting(Stream("meeting test"), lang, 0, SIZE) == whole
    assert meeting(STREAM, lang, 1, 3).text != meeting(Stream("another"), lang, 1, 3).text


@pytest.mark.parametrize("lang", LANGS)
def test_text_is_pinned(lang):
    assert hashlib.sha256(meeting(STREAM, lang, 0, 5).text.encode()).hexdigest() == GOLDEN[lang]


@pytest.mark.parametrize("lang", LANGS)
def test_an_excerpt_has_the_items_of_the_whole(lang):
    whole = meetings()[lang]
    for start, count in ((40, 7), (0, 2), (18, 30)):
        found = excerpt(STREAM, lang, 0, start, count)
        at = whole.text.index(found.text)
        assert (start == 0) == (at == 0) and found.text.count("\n\n") == count - 1 + (start == 0)
        spans = [(at + first, at + last) for first, last in found.sentences]
        assert spans == [span for span in whole.sentences if at <= span[0] < at + len(found.text)]
        asked = {question.id: question for question in whole.questions}
        assert len(found.questions) == 5 * count
        for one in found.questions:
            assert replace(one, evidence=tuple((at + a, at + b) for a, b in one.evidence)) == asked[one.id]
    with pytest.raises(ValueError, match="from item 0 on"):
        excerpt(STREAM, lang, 0, -1, 1)


@pytest.mark.parametrize("lang", LANGS)
def test_sentences_cover_the_text_and_no_fact_comes_twice(lang):
    whole = meetings()[lang]
    at, rest = 0, ""
    for start, end in whole.sentences:
        assert at <= start < end
        rest += whole.text[at:start]
        at = end
    assert not (rest + whole.text[at:]).strip()
    sentences = [whole.text[start:end] for start, end in whole.sentences]
    told = Counter(sentences)
    assert len(told) > {"en": 0.97, "zh": 0.92}[lang] * len(sentences)
    assert {told[whole.text[slice(*span)]] for question in whole.questions for span in question.evidence} == {1}
    assert not [one for one in sentences if re.search(r"[{}\[\]|]|  | ,|,,|\.\.|，，|。。", one)]


@pytest.mark.parametrize("lang", LANGS)
def test_votes_add_up_to_the_members_present(lang):
    votes = 0
    present = 0
    for start, end in meetings()[lang].sentences:
        sentence = meetings()[lang].text[start:end]
        if sitting := re.search(PRESENT[lang], sentence):
            present = int(sitting[1 if lang == "en" else 2])
        if vote := re.search(VOTES[lang], sentence):
            votes += 1
            assert sum(int(count) for count in vote.groups() if count) == present, sentence
    assert votes == SIZE


@pytest.mark.parametrize("lang", LANGS)
def test_questions_have_their_answer_in_the_evidence_and_once_among_the_options(lang):
    whole = meetings()[lang]
    texts = [question.text for question in whole.questions]
    assert len(set(texts)) == len(texts) == 5 * SIZE
    assert len({question.id for question in whole.questions}) == len(texts)
    for question in whole.questions:
        (answer,) = question.answers
        (span,) = question.evidence
        assert span in whole.sentences and answer in whole.text[slice(*span)], question
        assert len(set(question.options)) == 4 and question.options.count(answer) == 1
        assert question.id.endswith("against") or answer not in question.text


@pytest.mark.parametrize("lang", LANGS)
def test_every_item_has_a_key_point_that_its_decision_states(lang):
    whole = meetings()[lang]
    assert len(whole.key_points) == SIZE
    starts, ends = ({span[side] for span in whole.sentences} for side in (0, 1))
    assert all(point.evidence[0] in starts and point.evidence[1] in ends for point in whole.key_points)
    # Votes, decision and what follows from it.
    assert {whole.text.count("\n", *point.evidence) for point in whole.key_points} == {0}
    said = [point.text for point in whole.key_points if point.text in whole.summary]
    assert len(said) == 40 and len(whole.summary) < 1.1 * sum(map(len, said))


def test_facts_are_the_same_in_both_languages():
    kinds = [[question.id for question in meetings()[lang].questions] for lang in LANGS]
    assert kinds[0] == kinds[1]
    for one, other in zip(meetings()["en"].questions, meetings()["zh"].questions, strict=True):
        assert one.options.index(one.answers[0]) == other.options.index(other.answers[0])
        if one.id.endswith(("granted", "asked", "against")):
            assert re.sub(r"\D", "", one.answers[0]) == re.sub(r"\D", "", other.answers[0])


def test_both_languages_have_as_many_terms():
    counts = [{name: len(terms) for name, terms in _text(lang).terms.items()} for lang in LANGS]
    assert counts[0] == counts[1] and all(counts[0][f"reason_{kind}"] == REASONS for kind in KINDS)


def test_all_kinds_come_and_motions_are_carried_and_lost():
    key = STREAM.child("meeting", 0)
    council = council_plan(key)
    plans = [item_plan(key, council, (), number, dict.fromkeys(KINDS, 9), 4) for number in range(400)]
    for kind in KINDS:
        assert 50 < sum(plan.kind == kind for plan in plans) < 120
    assert 40 < sum(not plan.carried for plan in plans) < 160
    assert 60 < sum(plan.amended for plan in plans) < 220
    for plan in plans:
        assert min(plan.votes) >= 0 and plan.votes[1] >= 1 and plan.reason < REASONS
        assert plan.deadline > council.day(plan.number // SITTING)


def test_a_meeting_has_an_item():
    with pytest.raises(ValueError, match="one item or more"):
        meeting(STREAM, "en", 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
def test_a_meeting_of_thousands_of_items_says_nothing_twice(lang):
    whole = meeting(STREAM, lang, 2, 2500)
    sentences = [whole.text[start:end] for start, end in whole.sentences]
    told = Counter(sentences)
    assert len(told) > {"en": 0.97, "zh": 0.92}[lang] * len(sentences)
    assert {told[whole.text[slice(*span)]] for question in whole.questions for span in question.evidence} == {1}
    assert len({question.text for question in whole.questions}) == len(whole.questions)
