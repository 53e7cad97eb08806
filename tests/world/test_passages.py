"""Passages: what they state and where, how they call their subject, how long they are, that none is another's."""

import hashlib
import re
from collections import Counter
from typing import get_args

import pytest

from carrara.stream import Stream
from carrara.task import Lang
from carrara.world.encyclopedia import ENTITIES_A_REALM, PASSAGES_A_REALM, Encyclopedia, WorldPassage
from carrara.world.passages import CHARACTERS_A_WORD
from carrara.world.realm.realm import Reference
from carrara.world.realm.schema import ASPECTS, CLASSES, PERSONS

LANGS: tuple[Lang, ...] = get_args(Lang)
STREAM = Stream("passages test")
GOLDEN = {
    ("en", "village:1234", "overview"): "30042bc02b13d869c6012a9fb2c65633d8135af097246dc620e3c285874481f8",
    ("en", "artist:7", "work"): "550748c267554220f8e27bdd036f84e32141653007e22244d4ecd0a3c06257da",
    ("zh", "film:99", "production"): "324993dff4d98b35115c207000cef031c6df91c662bb2071791459dd6be61f76",
    ("zh", "office_holder:5", "career"): "d911dc71603cee448fb377a6f1ebffb5cbf38f55835ec75836c2c6f0560455eb",
}
END = {"en": re.compile(r"(?<=[.?!])(?<![A-Z]\.) (?=[A-Z“])"), "zh": re.compile(r"(?<=[。？！])(?=.)")}


def length(lang: Lang, text: str) -> float:
    return len(text.split()) if lang == "en" else len(text) / CHARACTERS_A_WORD


@pytest.fixture(scope="module", params=LANGS)
def written(request: pytest.FixtureRequest) -> tuple[Lang, Encyclopedia, list[WorldPassage]]:
    book = Encyclopedia(STREAM)
    return request.param, book, list(book.passages(request.param, [3]))


@pytest.mark.parametrize(("lang", "reference", "aspect"), GOLDEN)
def test_text_is_pinned(lang: Lang, reference: str, aspect: str):
    passage = Encyclopedia(Stream("golden")).passage(lang, Reference.parse(reference), aspect).passage
    assert hashlib.sha256(passage.text.encode()).hexdigest() == GOLDEN[lang, reference, aspect]


def test_a_passage_stands_alone(written):
    lang, _, passages = written
    other = Encyclopedia(STREAM)
    for one in (passages[-1], passages[1_500], passages[0]):
        assert other.passage(lang, one.subject, one.aspect) == one


def test_a_realm_has_its_passages(written):
    _, _book, passages = written
    assert len({one.passage.id for one in passages}) == len(passages)
    assert PASSAGES_A_REALM * 0.97 < len(passages) <= PASSAGES_A_REALM
    assert {one.subject.class_ for one in passages} == set(CLASSES)
    assert len({one.subject for one in passages}) == ENTITIES_A_REALM
    assert {one.subject.number // 96 for one in passages if one.subject.class_ == "artist"} == {3}


def test_every_fact_stands_where_it_is_said_to(written):
    lang, book, passages = written
    for one in passages[::3]:
        entity = book.entity(one.subject)
        expected = {name for name in ASPECTS[one.subject.class_][one.aspect] if name in entity.facts}
        assert [fact.relation for fact in one.stated] != [] and {fact.relation for fact in one.stated} == expected
        for fact in one.stated:
            said = one.passage.text[fact.start : fact.end]
            value = book.written(lang, entity, fact.relation)
            assert said == value or said == value[0].upper() + value[1:]
            accepted = book.accepted(lang, entity, fact.relation)
            assert said.lower() in {answer.lower() for answer in accepted}


def test_the_first_sentence_names_the_subject_in_full(written):
    lang, book, passages = written
    for one in passages:
        first = END[lang].split(one.passage.text)[0]
        assert one.passage.title in first
        assert one.passage.title == book.name(lang, one.subject)


def test_a_species_is_shortened_where_a_paragraph_goes_on():
    book, short = Encyclopedia(Stream("species")), 0
    for number in range(20):
        one = book.passage("en", Reference("animal", number), next(iter(ASPECTS["animal"])), 200)
        genus, epithet = one.passage.title.split()
        brief = f"{genus[0]}. {epithet}"
        last = max(fact.end for fact in one.stated)
        assert brief not in one.passage.text[:last] and one.passage.title in one.passage.text[:last]
        paragraph = one.passage.text[last:].partition(".")[2]
        assert one.passage.title not in paragraph
        short += brief in paragraph
    assert short > 10


def test_length_is_near_what_is_asked(written):
    lang, book, passages = written
    lengths = [length(lang, one.passage.text) for one in passages]
    mean = sum(lengths) / len(lengths)
    assert 95 < mean < 120
    assert sum(80 < each < 150 for each in lengths) > 0.95 * len(lengths)
    # A shorter one still states its facts, which take about 75 words.
    some = passages[::40]
    short, long = (
        sum(length(lang, book.passage(lang, one.subject, one.aspect, words).passage.text) for one in some) / len(some)
        for words in (50, 200)
    )
    assert 50 <= short < mean - 15 and 190 < long < 225


def test_text_is_clean(written):
    lang, _, passages = written
    for one in passages:
        text = one.passage.text
        assert not set("{}[]|\n\t") & set(text) and "  " not in text
        assert text == text.strip() and text[-1] in ".?!。？！”"
        if lang == "zh":
            assert " " not in text and not re.search(r"[，。；、]{2}", text), text
        else:
            assert not re.search(r" [,.;:]|,,|\.\.", text), text


def test_no_sentence_comes_twice(written):
    lang, _, passages = written
    # Two passages of one subject may state a fact alike; no sentence about one subject is said of another.
    subjects: dict[str, set[Reference]] = {}
    told = Counter(sentence for one in passages for sentence in END[lang].split(one.passage.text))
    for one in passages:
        for sentence in END[lang].split(one.passage.text):
            subjects.setdefault(sentence, set()).add(one.subject)
    assert told.total() > 12_000 and told.total() - len(told) < told.total() / 100
    # Some sentences name nobody: they may come again, but hardly do.
    assert sum(len(of) > 1 for of in subjects.values()) < len(subjects) / 1_000


def test_a_person_is_called_by_one_gender(written):
    lang, book, passages = written
    pronouns = {"male": "他", "female": "她"} if lang == "zh" else {"male": r"\b[Hh]e\b", "female": r"\b[Ss]he\b"}
    seen = Counter()
    for one in passages:
        if one.subject.class_ in PERSONS:
            gender = book.entity(one.subject).gender
            other = {"male": "female", "female": "male"}[gender]
            seen[gender] += bool(re.search(pronouns[gender], one.passage.text))
            # Behind the facts others come in: a grandmother, a rival.
            facts = one.passage.text[: max(fact.end for fact in one.stated)]
            assert not re.search(pronouns[other], facts), one.passage.text
    assert min(seen.values()) > 100


def test_another_word_of_length_keeps_the_facts(written):
    lang, book, passages = written
    for one in passages[::200]:
        longer = book.passage(lang, one.subject, one.aspect, 160)
        facts = {(fact.relation, one.passage.text[fact.start : fact.end].lower()) for fact in one.stated}
        assert {(f.relation, longer.passage.text[f.start : f.end].lower()) for f in longer.stated} == facts


def test_glosses_and_popularity(written):
    lang, book, passages = written
    subjects = list(dict.fromkeys(one.subject for one in passages))
    rows = [book.row(lang, subject) for subject in subjects]
    for row in rows:
        assert row.gloss and not any(part in row.gloss for part in row.name.split() if not part.islower())
    popularity = sorted((book.popularity(subject) for subject in subjects), reverse=True)
    # Zipf: the share above x is 10 / x.
    assert popularity[-1] >= 10 and 60 < sum(each > 100 for each in popularity) < 140
    assert popularity[0] > 2_000


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
def test_two_worlds_share_nothing(lang: Lang):
    """No English name in common in 100,000 passages; of a million tokens hardly a sentence, more of 16 million."""
    sentences: list[list[set[bytes]]] = []
    names: list[set[str]] = []
    for stream in ("one", "two"):
        book = Encyclopedia(Stream(stream))
        mine: list[set[bytes]] = []
        called: set[str] = set()
        # Two realms are a million tokens.
        for realms in (range(2), range(2, 32)):
            mine.append(set())
            for one in book.passages(lang, realms):
                called.add(one.passage.title)
                for sentence in END[lang].split(one.passage.text):
                    mine[-1].add(hashlib.blake2b(sentence.encode(), digest_size=12).digest())
        sentences.append(mine)
        names.append(called)
    assert min(map(len, names)) == 32_000
    (one_few, one_more), (two_few, two_more) = sentences
    assert len(one_few) > 30_000 and len(one_few & two_few) <= len(one_few) / 200
    assert len((one_few | one_more) & (two_few | two_more)) <= (len(one_few) + len(one_more)) / 50
    shared = names[0] & names[1]
    assert not shared if lang == "en" else len(shared) < 320
