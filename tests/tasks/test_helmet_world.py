"""The reader of the world's passages and questions: it finds what the world knows, and nothing else."""

import time
from dataclasses import replace

import pytest

from carrara.tasks.helmet.world_reader.answers import FoundAnswer, answers, grades
from carrara.tasks.helmet.world_reader.questions import (
    ChainQuestion,
    ListQuestion,
    ReadingsQuestion,
    _wordings,
    read_question,
)
from carrara.tasks.helmet.world_reader.templates import is_about, is_name, stated
from carrara.world.language.class_texts import class_text
from carrara.world.language.grammar import Alternatives, Mention, ValueField
from carrara.world.realm.realm import Reference
from carrara.world.realm.schema import CLASSES, PERSONS, RELATIONS
from carrara.world.world import World

KINDS = ("one_hop", "bridge", "list", "ambiguous")
# Classes whose names are alike.
ALIKE = ({"animal", "plant"}, {"album", "film", "written_work"}, set(PERSONS))


class Corpus:
    """The passages of some realms, as a prompt shows them."""

    def __init__(self, stream, realms):
        self.world = World(stream, realms)
        self.passages = list(self.world.passages("en"))
        self.shown = [(one.title, one.text) for one in self.passages]
        self.at = {one.id: place for place, one in enumerate(self.passages)}

    def asked(self, kind, each):
        return list(self.world.questions("en", kind, each))

    def title(self, reference):
        return self.world.encyclopedia.title("en", Reference.parse(reference))

    def expected(self, question):
        """The evidence of a question, by place."""
        return {(self.at[one.passage], one.start, one.end) for one in question.evidence}

    def only(self, *ids):
        return [self.shown[self.at[one]] for one in ids]


@pytest.fixture(scope="module")
def corpus():
    return Corpus("helmet/1", 1)


def check(corpus, question):
    found = answers(question.text, corpus.shown)
    assert {(one.passage, one.start, one.end) for one in found} == corpus.expected(question), question
    last = max(one.hop for one in found)
    assert last == question.hops, question
    assert {one.value for one in found if one.hop == last} == {group[0] for group in question.answers}, question
    _, reference, *_ = question.id.split("/")
    if question.kind == "ambiguous":
        named = {corpus.title(one.id.split("/")[1]): one.answers[0][0] for one in question.readings}
        assert {one.name: one.value for one in found} == named, question
    else:
        assert {one.name for one in found if one.hop == 1} == {corpus.title(reference)}, question
    for one in found:
        said = corpus.shown[one.passage][1][one.start : one.end]
        # The other side of a marriage names the one asked about; a list's passages name what the question names.
        assert one.value in (said, said[:1].lower() + said[1:]) or said == one.name, question


# --- it finds all that there is ---------------------------------------------------------------------------------------


@pytest.mark.repeat
@pytest.mark.parametrize("kind", KINDS)
def test_it_answers_every_question_from_all_passages(corpus, kind):
    asked = corpus.asked(kind, 150)
    assert len(asked) >= 60 and (kind != "bridge" or {one.hops for one in asked} == {2, 3, 4, 5})
    for question in asked:
        check(corpus, question)


@pytest.mark.slow
@pytest.mark.parametrize("stream", ["helmet/2", "another stream"])
def test_it_answers_every_question_of_three_realms(stream):
    corpus = Corpus(stream, 3)
    assert len(corpus.shown) > 9_000
    for kind in KINDS:
        for question in corpus.asked(kind, 150):
            check(corpus, question)
    for question, judged in corpus.world.judgements("en", 60):
        assert grades(question.text, corpus.shown) == expected_grades(corpus, judged), question


def test_it_reads_every_fact_of_a_passage_and_no_other(corpus):
    read = 0
    for place, written in enumerate(corpus.world.encyclopedia.passages("en", range(1))):
        if place % 12 == 3:
            class_, passage = written.subject.class_, written.passage
            said = {name: set() for name in (one.name for one in RELATIONS[class_])}
            for one in written.stated:
                said[one.relation].add((one.start, one.end))
            for name, spans in said.items():
                found = stated(class_, name, passage.title, passage.text)
                assert {(one.start, one.end) for one in found} == spans, (passage, name)
                read += len(spans)
    assert read > 1_000


def test_a_whole_passage_tells_the_class(corpus):
    for place, written in enumerate(corpus.world.encyclopedia.passages("en", range(1))):
        class_, passage = written.subject.class_, written.passage
        if place % 20 == 7:
            assert is_about(class_, passage.title, passage.text)
            for other in next((group for group in ALIKE if class_ in group), {class_}) - {class_}:
                # Persons of all classes have families.
                assert is_about(other, passage.title, passage.text) == (written.aspect == "family"), passage


def test_names_are_those_of_their_class(corpus):
    encyclopedia = corpus.world.encyclopedia
    for entity in encyclopedia.entities(range(1)):
        class_ = entity.reference.class_
        for name in encyclopedia.called("en", entity.reference):
            fitting = {other for other in CLASSES if is_name(other, name)}
            assert fitting == next((group for group in ALIKE if class_ in group), {class_}), name
            # A title may end with any English word.
            cut = name[1:] if class_ in ALIKE[1] else name[:-1]
            assert not any(is_name(class_, wrong) for wrong in (cut, f"{name} ", f"The {name}", "")), name


# --- questions --------------------------------------------------------------------------------------------------------


def test_a_question_is_read_in_one_way(corpus):
    for kind in KINDS:
        for question in corpus.asked(kind, 100):
            (found,) = read_question(question.text)
            expected = {"list": ListQuestion, "ambiguous": ReadingsQuestion}.get(kind, ChainQuestion)
            assert isinstance(found, expected), question
            if kind in ("one_hop", "bridge"):
                _, reference, *path = question.id.split("/")
                assert found.name == corpus.title(reference), question
                assert [step.relation for step in found.steps] == path, question


@pytest.mark.parametrize("section", ["questions", "phrases", "inverses"])
def test_no_two_relations_of_names_that_are_alike_share_a_wording(section):
    for one in _wordings(section):
        for other in _wordings(section):
            alike = any({one.class_, other.class_} <= group for group in ({one.class_}, *ALIKE))
            if one[2:] == other[2:] and alike and not one.of_phrase:
                assert one.relation == other.relation, (one, other)


@pytest.mark.parametrize("class_", CLASSES)
def test_templates_are_of_the_form_that_is_read(class_):
    text = class_text("en", class_)
    seen = set()

    def strings(phrase):
        for part in phrase:
            if isinstance(part, str):
                yield part
            elif isinstance(part, Alternatives) and id(part) not in seen:
                seen.add(id(part))
                # Values and mentions stand outside of choices.
                assert not any(isinstance(one, (ValueField, Mention)) for each in part.phrases for one in each)
                for each in part.phrases:
                    yield from strings(each)

    gapped = [*text.questions.values(), *text.phrases.values()]
    for phrases in (*text.inverses.values(), *(each.of_name + each.of_phrase for each in gapped)):
        for phrase in phrases:
            assert isinstance(phrase[0], str) and isinstance(phrase[1], Mention) and phrase[1].form != "possessive"
            assert len(phrase) == 2 or (len(phrase) == 3 and isinstance(phrase[2], str))
    for template in (one for found in text.facts.values() for one in found):
        written = list(strings(template.phrase))
        # How many sentences it is must not depend on a choice.
        inside = [each for each in written if each not in template.phrase]
        assert written[-1].endswith(".") and not any(". " in each for each in inside)


# --- what is not there is not found -----------------------------------------------------------------------------------


def test_without_its_passages_a_question_has_no_answer(corpus):
    for kind in KINDS:
        for question in corpus.asked(kind, 30):
            evidence = {one.passage for one in question.evidence}
            left = [shown for one, shown in zip(corpus.passages, corpus.shown, strict=True) if one.id not in evidence]
            assert answers(question.text, left) == [], question
            assert answers(question.text, []) == []


def test_each_passage_alone_answers_and_both_sides_do(corpus):
    sides = 0
    for question in corpus.asked("one_hop", 300):
        for one in question.evidence:
            (found,) = answers(question.text, corpus.only(one.passage))
            assert (found.value, found.start, found.end) == (question.answers[0][0], one.start, one.end), question
            sides += corpus.shown[corpus.at[one.passage]][0] != found.name
    assert sides >= 5


def test_a_chain_breaks_where_a_step_is_not_shown(corpus):
    for question in corpus.asked("bridge", 60):
        found = answers(question.text, corpus.shown)
        for hop in range(1, question.hops + 1):
            gone = {one.passage for one in found if one.hop == hop}
            left = [shown for place, shown in enumerate(corpus.shown) if place not in gone]
            assert answers(question.text, left) == [], question


def test_a_reading_is_found_where_passages_give_its_calling(corpus):
    for question in corpus.asked("ambiguous", 40):
        class_ = question.id.split("/")[1].split(":")[0]
        tell = {"artist": {"life", "work"}, "office_holder": {"life", "career"}}[class_]
        one, *others = (reading.id.split("/")[1] for reading in question.readings)
        shown = [
            shown
            for passage, shown in zip(corpus.passages, corpus.shown, strict=True)
            if not (passage.id.split("/")[0] == one and passage.id.split("/")[1] in tell)
        ]
        found = {each.name for each in answers(question.text, shown)}
        told = {corpus.title(reading.id.split("/")[1]) for reading in question.readings[1:]}
        assert found == told, (question, others)


def test_passages_that_disagree_answer_nothing(corpus):
    question = next(one for one in corpus.asked("one_hop", 200) if one.id.endswith("/birth_date"))
    (evidence,) = question.evidence
    ((title, text),) = corpus.only(evidence.passage)
    other = "1 May 1801" if text[evidence.start : evidence.end] != "1 May 1801" else "2 May 1801"
    changed = text[: evidence.start] + other + text[evidence.end :]
    assert [one.value for one in answers(question.text, [(title, changed)])] == [other]
    assert answers(question.text, [(title, text), (title, changed)]) == []


def test_a_passage_is_read_letter_for_letter(corpus):
    tried = 0
    for question in corpus.asked("one_hop", 60):
        one = question.evidence[0]
        ((title, text),) = corpus.only(one.passage)
        start, end = text.rfind(". ", 0, one.start) + 1, text.find(". ", one.end)
        sentence = text[start : end if end > 0 else len(text)].strip()
        # Another kind of value, another subject, words that no template has, a sentence that goes on.
        for wrong in (
            (title, text[: one.start] + "something" + text[one.end :]),
            (f"{title}x", text),
            (title, text.replace(sentence, sentence.replace(" ", " indeed ", 1))),
            (title, text.replace(sentence, sentence.rstrip(".") + ", as they say.")),
            (title, text.replace(sentence, sentence.replace(title, "Zogu Brolu"))) if title in sentence else ("", text),
        ):
            assert wrong != (title, text) and answers(question.text, [wrong]) == [], (question, wrong)
            tried += 1
    assert tried == 300


@pytest.mark.parametrize("change", [str.upper, lambda text: text[1:], lambda text: text[:-1], lambda text: f"{text} "])
def test_a_question_is_read_letter_for_letter(corpus, change):
    for kind in KINDS:
        for question in corpus.asked(kind, 20):
            assert answers(change(question.text), corpus.shown) == []


def test_questions_of_other_kinds_are_not_answered(corpus):
    for question in corpus.asked("comparison", 40):
        assert answers(question.text, corpus.shown) == []
    for question in corpus.asked("unanswerable", 60):
        assert answers(question.text, corpus.shown) == [], question


def test_the_order_of_the_passages_is_the_order_of_what_is_found(corpus):
    question = next(one for one in corpus.asked("bridge", 50) if len(one.evidence) > 2)
    found = answers(question.text, corpus.shown)
    assert found == sorted(found, key=lambda one: (one.hop, one.passage))
    count = len(corpus.shown)
    turned = [replace(one, passage=count - 1 - one.passage) for one in answers(question.text, corpus.shown[::-1])]
    assert set(turned) == set(found) and isinstance(found[0], FoundAnswer)


# --- grades -----------------------------------------------------------------------------------------------------------


def expected_grades(corpus, judged):
    out = [0] * len(corpus.shown)
    for one in judged:
        out[corpus.at[one.passage]] = one.grade
    return out


def test_grades_are_the_judgements_of_the_world(corpus):
    seen = set()
    for question, judged in corpus.world.judgements("en", 120):
        assert grades(question.text, corpus.shown) == expected_grades(corpus, judged), question
        # Some of the graded passages: one that states the answer is among them.
        (first, *_) = question.evidence
        some = [one for place, one in enumerate(judged) if one.passage == first.passage or place % 2]
        assert grades(question.text, corpus.only(*(one.passage for one in some))) == [one.grade for one in some]
        seen |= {one.grade for one in judged}
    assert seen == {0, 1, 2, 3}


def test_only_plain_questions_are_graded(corpus):
    for kind in ("bridge", "list", "ambiguous", "comparison"):
        for question in corpus.asked(kind, 5):
            assert set(grades(question.text, corpus.shown)) == {0}
    assert grades("", corpus.shown[:3]) == [0, 0, 0] and grades("Who?", []) == []


# --- any text ---------------------------------------------------------------------------------------------------------

SHORT = 1.5


def hostile(name):
    yield from ("{[()]}" * 170_000, "1," * 500_000, "\ud800\0" * 500_000, ". " * 500_000, "The " * 250_000)
    yield from (f"{name} was married to " * 30_000, f"{name}. " * 40_000, "[" * 10_000 + "]" * 10_000)


def timed(function, *arguments):
    start = time.process_time()
    found = function(*arguments)
    assert time.process_time() - start < SHORT
    return found


def test_any_text_is_read_in_bounded_time(corpus):
    question = next(one for one in corpus.asked("one_hop", 300) if one.id.endswith("/spouse"))
    name = corpus.title(question.id.split("/")[1])
    assert answers(question.text, corpus.shown)
    for junk in hostile(name):
        size = len(junk) // 8_000 + 1
        pieces = [junk[start : start + size] for start in range(0, len(junk), size)]
        for passages in ([(name, junk)], [(junk, name)], [(name, one) for one in pieces], [(junk[:90], junk)]):
            assert timed(answers, question.text, passages) == []
            assert len(timed(grades, question.text, passages)) == len(passages)
        assert timed(answers, junk, corpus.shown) == []
    for often in (question.evidence[0], question.evidence[-1]):
        assert timed(answers, question.text, corpus.only(often.passage) * 8_000) == []
    assert timed(answers, "Who was the father of " + "the father of " * 40 + f"{name}?", corpus.shown) == []
