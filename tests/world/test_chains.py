"""Chains of facts: true of the world, without a way past any fact, and with no name in common."""

import re
from functools import cache
from itertools import chain as joined
from itertools import pairwise

import pytest

from carrara.stream import Stream
from carrara.world.chains.chains import CHAINS_A_REALM, FIRST_REALM, HOPS, REALMS, WORDINGS, Chains, wording_key
from carrara.world.prose.prose import section
from carrara.world.realm.realm import realm_of
from carrara.world.realm.schema import CLASSES, PERSONS, RELATIONS
from carrara.world.world import World

LANGS = ("en", "zh")
WORLD = World("chains/1")
# Two realms of every number of facts.
MANY = 2 * CHAINS_A_REALM


@cache
def derivations(lang: str, hops: int, stream: str = "chains/1"):
    return World(stream).derivations(lang, hops)[:MANY]


@cache
def chains_of(hops: int):
    chains = Chains(WORLD.encyclopedia, "en", hops)
    return [chains.chain(number) for number in range(MANY)]


# --- wordings ---------------------------------------------------------------------------------------------------------


def test_every_relation_to_an_entity_is_worded_in_both_languages():
    wanted = {
        wording_key(class_, relation.name)
        for class_ in CLASSES
        for relation in RELATIONS[class_]
        if relation.kind == "entity"
    }
    assert set(WORDINGS["en"]) == set(WORDINGS["zh"]) == wanted
    for key in wanted:
        assert set(WORDINGS["en"][key]) == set(WORDINGS["zh"][key]) >= {"facts", "of", "asked"}, key
        # What holds both ways has no other end.
        both_ways = key in {"person spouse", "village twin_village"}
        assert ("back" in WORDINGS["en"][key]) == ("back_asked" in WORDINGS["en"][key]) == (not both_ways), key


@pytest.mark.parametrize("lang", LANGS)
def test_wordings_are_whole(lang):
    for key, sections in WORDINGS[lang].items():
        assert len(sections["facts"]) >= 3
        for fact in sections["facts"]:
            assert fact.count("{a}") == fact.count("{b}") == 1 and "{x}" not in fact, key
            assert fact.endswith("." if lang == "en" else "。"), key
        for name in ("of", "back", "asked", "back_asked"):
            for wording in sections.get(name, ()):
                assert wording.count("{x}") == 1 and wording.count("{") == 1, key
                assert ("asked" in name) == wording.endswith("?" if lang == "en" else "？"), key
                if lang == "en":
                    assert wording.endswith("{x}?" if "asked" in name else "{x}"), key
                    assert wording[0].isupper() == ("asked" in name), key
        every = list(joined.from_iterable(sections.values()))
        assert len(set(every)) == len(every), key


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("sections", [("of", "back"), ("asked", "back_asked")])
def test_no_wording_of_a_question_reads_as_another(lang, sections):
    every = {one for each in WORDINGS[lang].values() for name in sections for one in each.get(name, ())}
    for one in every:
        for other in every - {one}:
            before, after = one.split("{x}")
            assert not (other.startswith(before) and other.endswith(after) and len(other) > len(one)), (one, other)


@pytest.mark.parametrize("lang", LANGS)
def test_no_fact_of_one_relation_reads_as_one_of_another(lang):
    names = ("Doran Velt", "Mira Osk") if lang == "en" else ("甲乙丙", "丁戊己")
    patterns = {
        key: [
            re.compile(re.escape(fact).replace(re.escape(known), name).replace(re.escape(free), r"[^.。]+"))
            for fact in sections["facts"]
            for known, free in (("{a}", "{b}"), ("{b}", "{a}"))
            for name in names
        ]
        for key, sections in WORDINGS[lang].items()
    }
    for key, sections in WORDINGS[lang].items():
        for fact in sections["facts"]:
            said = fact.format(a=names[0], b=names[1])
            assert [other for other, each in patterns.items() if any(one.search(said) for one in each)] == [key], said


# --- chains -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hops", HOPS)
def test_every_step_is_true_of_the_world_and_leads_to_one_entity(hops):
    encyclopedia = WORLD.encyclopedia
    for number, found in enumerate(chains_of(hops)):
        assert len(found.steps) == hops
        realm = encyclopedia.realm(realm_of(found.start))
        everybody = [entity for class_ in CLASSES for entity in realm.entities(class_)]
        here = found.start
        for step in found.steps:
            if step.onward:
                relation = step.wording.split(" ")[1]
                assert wording_key(here.class_, relation) == step.wording
                assert encyclopedia.entity(here).facts[relation] == step.to
            else:
                # Looked for everywhere, and not through the realm's own inverses.
                leading = [
                    entity.reference
                    for entity in everybody
                    for relation, value in entity.facts.items()
                    if value == here and wording_key(entity.reference.class_, relation) == step.wording
                ]
                assert leading == [step.to], (number, step)
            here = step.to


@pytest.mark.parametrize("hops", HOPS)
@pytest.mark.parametrize("lang", LANGS)
def test_the_answer_follows_from_all_facts_and_from_no_fewer(lang, hops):
    for one in derivations(lang, hops):
        assert len(one.facts) == hops and len(one.names) == hops + 1 and len(set(one.names)) == hops + 1
        for number, fact in enumerate(one.facts):
            held = [place for place, name in enumerate(one.names) if name in fact]
            assert held == [number, number + 1], one
        answer = one.answers[0]
        assert one.names[-1].strip("《》") == answer
        assert [answer in fact for fact in one.facts] == [False] * (hops - 1) + [True]
        assert [place for place, name in enumerate(one.names) if name in one.question] == [0]
        assert all(accepted not in one.question for accepted in one.answers)
        assert one.names[-1] in one.answers and len(set(one.answers)) == len(one.answers)
        assert one.question.count(one.names[0]) == 1
        assert one.question[-1] == ("?" if lang == "en" else "？")
        if lang == "en":
            assert all(fact[0].isupper() and "  " not in fact for fact in (*one.facts, one.question))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.repeat
def test_no_two_derivations_share_a_name_or_an_entity(lang):
    names = [name for hops in HOPS for one in derivations(lang, hops) for name in one.names]
    assert len(set(names)) == len(names)
    met = [
        one for hops in HOPS for found in chains_of(hops) for one in (found.start, *(step.to for step in found.steps))
    ]
    assert len(set(met)) == len(met) == MANY * sum(hops + 1 for hops in HOPS)


def test_no_realm_serves_two_numbers_of_facts_or_a_corpus():
    realms = {}
    for hops in HOPS:
        chains = Chains(WORLD.encyclopedia, "en", hops)
        for number in (0, CHAINS_A_REALM - 1, CHAINS_A_REALM, len(chains) - 1):
            realms.setdefault(realm_of(chains.chain(number).start), set()).add(hops)
    assert all(len(numbers) == 1 for numbers in realms.values())
    assert min(realms) == FIRST_REALM and max(realms) == FIRST_REALM + REALMS - 1


def test_a_number_tells_of_the_same_entities_in_both_languages():
    for hops in HOPS:
        english, chinese = (Chains(WORLD.encyclopedia, lang, hops) for lang in LANGS)
        for number in (0, 5, 17):
            assert english.chain(number) == chinese.chain(number)
            assert english[number].id == chinese[number].id == f"chain/{hops}/{number}"
            assert english[number].names != chinese[number].names


# --- the sequence -----------------------------------------------------------------------------------------------------


def test_a_derivation_is_known_without_those_before_it():
    for lang in LANGS:
        listed = WORLD.derivations(lang, 3)
        fresh = World("chains/1").derivations(lang, 3)
        assert len(listed) == REALMS // len(HOPS) * CHAINS_A_REALM == 20_000
        for number in (11, 3, 19_999, 8_123):
            assert fresh[number] == listed[number]
        assert listed[-1] == listed[19_999]
        assert listed[2:6:3] == [listed[2], listed[5]]
        for number in (20_000, -20_001):
            with pytest.raises(IndexError, match="numbered 0 to 19999"):
                listed[number]


@pytest.mark.parametrize("hops", [-1, 0, 1, 6])
def test_other_numbers_of_facts_are_refused(hops):
    with pytest.raises(ValueError, match="there are 2 to 5"):
        WORLD.derivations("en", hops)


@pytest.mark.parametrize("lang", LANGS)
def test_a_twin_shares_no_name(lang):
    ours, theirs = (
        {name for hops in HOPS for one in derivations(lang, hops, stream) for name in (*one.names, *one.answers)}
        for stream in ("chains/1", "chains/2")
    )
    assert not ours & theirs


def test_chains_are_of_many_kinds():
    starts, relations, ends = set(), set(), set()
    for hops in HOPS:
        for found in chains_of(hops):
            starts.add(found.start.class_)
            ends.add(found.steps[-1].to.class_)
            relations |= {(step.wording, step.onward) for step in found.steps}
    assert starts == set(CLASSES)
    assert len(ends) >= 10 and ends & set(PERSONS)
    # 47 relations, most of them passable both ways.
    assert len(relations) >= 60


@pytest.mark.parametrize("lang", LANGS)
def test_names_do_not_stand_in_the_prose_that_hides_them(lang):
    stream = Stream("chains/1", "prose")
    text = "\n".join(
        sentence
        for index in range(30)
        for paragraph in section(stream, lang, index).paragraphs
        for sentence in paragraph
    )
    for hops in HOPS:
        for one in derivations(lang, hops):
            assert not [name for name in (*one.names, *one.answers) if name in text]


@pytest.mark.parametrize(
    ("lang", "hops", "number", "question", "facts"),
    [
        (
            "en",
            2,
            0,
            "Which company owns the parent company of Seltack & Cremvard?",
            (
                "The company Seltack & Cremvard belongs to Stamgent Ponloon & Sons.",
                "The parent company of Stamgent Ponloon & Sons is Hibtack Paglam Company.",
            ),
        ),
        (
            "zh",
            2,
            0,
            "美平发盛行隶属的公司隶属于哪家公司？",
            (
                "美平发盛行的母公司是乾锦大顺厂。",
                "生腾新腾总厂是乾锦大顺厂的母公司。",
            ),
        ),
        (
            "en",
            5,
            19999,
            "Which album was recorded in the village twinned with the seat of the company that published "
            "the book that was continued by the book Letters to Sektrand Buncrest?",
            (
                "The story of The Secret of Hubraud Bramwaith goes on in the book Letters to Sektrand Buncrest.",
                "The publisher of the book The Secret of Hubraud Bramwaith is Wemlack Rurnal Brothers.",
                "The company Wemlack Rurnal Brothers is based in South Mubbach Pomvum.",
                "The twin village of South Mubbach Pomvum is Kedstadt upon Hurjin.",
                "It was in Kedstadt upon Hurjin that the album One Carnival of Viaducts in Nubault Culleigh was "
                "recorded.",
            ),
        ),
        (
            "zh",
            5,
            19999,
            "已知某公司是《高河荒原里的地主和斗笠》一书所接续的前一本书的出版者，某村是该公司的总部所在地的姊妹村，请问哪张专辑在该村录制？",
            (
                "《高河荒原里的地主和斗笠》一书是《鸽巷龟泉的陌生人》的续篇。",
                "《鸽巷龟泉的陌生人》一书由太裕平力行出版。",
                "梅洲松涧湾是太裕平力行的总部所在地。",
                "村庄梅洲松涧湾和铜浦苔涧湾互为姊妹村。",
                "专辑《赤坑砖墩夜话》在铜浦苔涧湾录制。",
            ),
        ),
    ],
)
def test_derivations_are_as_they_were(lang, hops, number, question, facts):
    one = WORLD.derivations(lang, hops)[number]
    assert (one.question, one.facts) == (question, facts)


def test_steps_of_a_chain_follow_on_one_another():
    for hops in HOPS:
        for found in chains_of(hops):
            places = [found.start, *(step.to for step in found.steps)]
            assert len(set(places)) == hops + 1
            for (_, to), step in zip(pairwise(places), found.steps, strict=True):
                assert step.to == to and realm_of(to) == realm_of(found.start)
