"""The wordings of every class: complete, enough of each, and in the form that the schema asks for."""

import re
from typing import get_args

import pytest
from world.spelled import of_chronicles, of_documents, of_passages, of_pieces, of_prose

from carrara.stream import Draws, Stream
from carrara.task import Lang
from carrara.world.language.class_texts import ClassText, class_text
from carrara.world.language.grammar import Person, Phrase, Speller
from carrara.world.realm.schema import ASPECTS, CLASSES, RELATIONS, EntityClass

LANGS: tuple[Lang, ...] = get_args(Lang)
CASES = [(lang, class_) for lang in LANGS for class_ in CLASSES]
# A gloss must not give the class away by its own word.
OWN_WORDS = {
    "company": r"\bcompan|\bfirm\b|\bbusiness\b|公司|企业",
    "educational_institution": r"\bschool|\bcollege|\buniversit|\bacadem|学校|大学|学院",
    "artist": r"\bartist|艺术家",
    "athlete": r"\bathlete|\bsports(wo)?man\b|运动员",
    "office_holder": r"\boffice holder|\bpolitician|官员|政治家",
    "mean_of_transportation": r"\bvehicle|交通工具",
    "building": r"\bbuilding|建筑物",
    "natural_place": r"\bnatural place|\blandform|自然景",
    "village": r"\bvillage|\bhamlet|村庄|村子",
    "animal": r"\banimal|动物",
    "plant": r"\bplant\b|植物",
    "album": r"\balbum|专辑",
    "film": r"\bfilm|\bmovie|电影|影片",
    "written_work": r"\bbook\b|\bnovel|小说|书籍",
}


def spelled(phrases: tuple[Phrase, ...], called: str, number: int, **values: str) -> str:
    speller = Speller(Draws(Stream("texts", number)), Person(called), values)
    return speller.phrase(phrases[number % len(phrases)])[0]


@pytest.mark.parametrize(("lang", "class_"), CASES)
def test_every_relation_has_eight_wordings_and_can_stand_alone(lang: Lang, class_: EntityClass):
    text = class_text(lang, class_)
    for relation in RELATIONS[class_]:
        single = text.facts.get((relation.name,), ())
        joint = [one for head in text.heads[relation.name] for one in text.facts[head]]
        assert len(single) >= 2 and len(joint) >= 8, (relation.name, len(single), len(joint))
    assert sum(len(head) > 1 for head in text.facts) >= 5
    for head in text.facts:
        assert any(set(head) <= set(names) for names in ASPECTS[class_].values()), f"{head} share no aspect"


@pytest.mark.parametrize(("lang", "class_"), CASES)
def test_questions_and_phrases_are_complete(lang: Lang, class_: EntityClass):
    text = class_text(lang, class_)
    assert len(text.nouns) >= 2 and len(set(text.nouns)) == len(text.nouns)
    for relation in RELATIONS[class_]:
        asked = text.questions[relation.name]
        assert len(set(asked.of_name)) == len(asked.of_name) >= 3, relation.name
        assert len(set(asked.of_phrase)) == len(asked.of_phrase) >= (1 if relation.kind == "alias" else 2), (
            relation.name
        )
        if relation.kind == "entity":
            assert len(text.phrases[relation.name].of_name) >= 1 and text.phrases[relation.name].of_phrase
        if relation.kind in ("year", "date", "number"):
            assert len(text.comparisons[relation.name]) >= 2, relation.name
    inverses = {one.inverse for each in RELATIONS.values() for one in each if one.inverse and class_ in one.targets}
    assert set(text.inverses) == inverses
    assert all(len(asked) >= 3 for asked in text.inverses.values())


@pytest.mark.parametrize(("lang", "class_"), CASES)
def test_questions_name_their_subject_and_end_as_questions(lang: Lang, class_: EntityClass):
    text = class_text(lang, class_)
    end = "？" if lang == "zh" else "?"
    around = {name: each.of_name + each.of_phrase for name, each in text.questions.items()}
    for name, asked in (*around.items(), *text.inverses.items()):
        for number in range(len(asked)):
            question = spelled(asked, "ZQX", number)
            assert question.count("ZQX") == 1 and question.endswith(end), (name, question)
    for name, asked in text.comparisons.items():
        for number in range(len(asked)):
            question = spelled(asked, "", number, A="AQA", B="BQB")
            assert question.count("AQA") == question.count("BQB") == 1 and question.endswith(end), (name, question)
    for name, each in text.phrases.items():
        for number in range(len(each.of_name + each.of_phrase)):
            phrase = spelled(each.of_name + each.of_phrase, "ZQX", number)
            assert phrase.count("ZQX") == 1 and phrase[-1] not in "?.？。", (name, phrase)


@pytest.mark.parametrize(("lang", "class_"), CASES)
def test_glosses_are_short_and_name_nothing(lang: Lang, class_: EntityClass):
    text = class_text(lang, class_)
    glosses = [spelled(text.glosses, "", number) for number in range(1_500)]
    assert len(set(glosses)) >= 50
    for gloss in glosses:
        if lang == "en":
            assert 3 <= len(gloss.split()) <= 8 and gloss[0].islower() and gloss[-1] not in ".,;", gloss
        else:
            assert 4 <= len(gloss) <= 14 and gloss[-1] not in "。，；", gloss
        assert not re.search(OWN_WORDS[class_], gloss), gloss


@pytest.mark.parametrize(("lang", "class_"), CASES)
def test_every_spelling_is_clean(lang: Lang, class_: EntityClass):
    text = class_text(lang, class_)
    values = {relation.name: "V9" for relation in RELATIONS[class_]}
    everything = [template.phrase for group in text.facts.values() for template in group]
    for number in range(3 * len(everything)):
        speller = Speller(Draws(Stream("clean", number)), Person("Ana"), values)
        sentence, _ = speller.sentence(everything[number % len(everything)])
        assert not set("{}[]|") & set(sentence), sentence
        assert "Ana" in sentence, sentence
        if lang == "en":
            assert re.fullmatch(r"[^ ].*[.!?”]", sentence) and "  " not in sentence, sentence
            assert not re.search(r" [,.;:]|,,|\.\.|\ba [aeio]|\ban [bcdfgjklmnpqrstvwxyz]", sentence), sentence
            assert not re.search(r"\b(\w+) \1\b", sentence.replace("V9", "")), sentence
        else:
            assert sentence.endswith(("。", "！", "？", "”")) and " " not in sentence, sentence
            assert not re.search(r"[，。；、]{2}|[,.;:?!]", sentence), sentence


@pytest.mark.parametrize(("lang", "class_"), CASES)
def test_values_stand_between_words(lang: Lang, class_: EntityClass):
    text: ClassText = class_text(lang, class_)
    if lang == "zh":
        return
    for head, templates in text.facts.items():
        for template in templates:
            values = {name: f"Q{number}Q" for number, name in enumerate(head)}
            for number in range(3):
                sentence, spans = Speller(Draws(Stream("between", number)), Person("Ana"), values).sentence(
                    template.phrase
                )
                assert len(spans) == len(head)
                for _, start, end in spans:
                    around = sentence[start - 1 : start] + sentence[end : end + 1]
                    assert not re.search(r"[A-Za-z0-9]", around), sentence


# --- every alternative of every template ------------------------------------------------------------------------------

# A plural and the verb of a singular: "games was".
_PLURALS = r"games|people|children|women|men|windows|doors|walls|horses|cows|sheep|trees|letters|papers|boots|coins"
ENGLISH = re.compile(
    r"[{}|~]|  | [,.;:?!]|,,|;;|\.\.(?!\.)|,\.|['\"]|“\s|\s”"
    r"|\b([Tt]he|[Aa]n?|of|to|in|and|was|were|is|at|by|for|it|his|her) \1\b"
    r"|\b[Aa] (?!one\b|one-|eu|uni(?!n)|us[aeiu]|ut[ei])[aeio]|\b[Aa]n (?!hour|honest|heir)[bcdfgjklmnpqrstvwxyz]"
    rf"|(?:^|[.;] )(?:The |Two |Three |Ball )?(?:{_PLURALS}) (?:was|is|has) "
    r"|\b(?:was|were|is|are) (?:was|were|is|are)\b"
    r"|\b(?<!-)[Oo]ne (?:weeks|days|months|years)\b|\b1 (?:marks|pence|days)\b"
)
CHINESE = re.compile(r"[{}|~ ,;:?!'\"()]|(?<!\d)\.|[，。；：？！、]{2}|的的|(?<!受不)了了|(?<![实现])在在|是是|又又")


@pytest.mark.repeat
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", [of_passages, of_prose, of_chronicles, of_documents])
def test_every_alternative_reads_right(kind, lang: Lang):
    faults = {where: found for where, text in kind(lang) if (found := _fault(lang, text))}
    assert not faults, f"{len(faults)}: {dict(list(faults.items())[:10])}"


@pytest.mark.repeat
def test_every_alternative_of_the_pieces_reads_right():
    faults = {where: found for where, text in of_pieces() if (found := _fault("en", text))}
    assert not faults, f"{len(faults)}: {dict(list(faults.items())[:10])}"


def _fault(lang: Lang, text: str) -> str:
    found = (ENGLISH if lang == "en" else CHINESE).search(text)
    return text[max(0, found.start() - 30) : found.end() + 30] if found else ""
