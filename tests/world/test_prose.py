import hashlib
import re
from typing import get_args

import pytest

from carrara.stream import Stream
from carrara.tables import Lang
from carrara.world.prose import chinese as prose_zh
from carrara.world.prose import english as prose_en
from carrara.world.prose.prose import MATERIAL, Section, section

LANGS: tuple[Lang, ...] = get_args(Lang)
# Mean o200k tokens of a section are about 1,430 (en) and 1,640 (zh): see the 100k and 1.4M counts below.
SECTIONS_100K = {"en": 75, "zh": 65}
SECTIONS_1400K = {"en": 1010, "zh": 890}
SHAPE = {
    "en": re.compile(r"(?:“[^“”]+”|[^“”])*(?:[.?!]|“[^“”]+[.?!]”)"),
    "zh": re.compile(r"(?:“[^“”]+”|[^“”])*(?:[。？！]|……|“[^“”]+[。？！]”)"),
}
# The needles of the tasks speak of objects that lie hidden somewhere; the filler must not.
BANNED = {
    "en": re.compile(
        r"\b(?:hid|hidd?en|hides?|hiding|treasures?|secrets?|buried|needles?|haystacks?|magic|passwords?|codes?)\b"
    ),
    "zh": re.compile(r"[藏针宝埋]|秘密|密码|隐"),
}
GOLDEN = {
    ("en", 0): "06bb6a1945b974f8ca4d24840f8898535e52eaf5fadd1794245c804c99a505d2",
    ("en", 1): "a3d5e48c8ed9ffa8eec0ab8cd765c48654be860431c0788289a70ea42f568d0b",
    ("en", 4096): "cafd3b75d8867311cfb589cc3440544cebf1e8b630fa06659351dd6bc0907bf7",
    ("zh", 0): "2f03d452efd2f17d177a52152ca3696ae274b62bcbd3e7dd14d743f4c3415519",
    ("zh", 1): "db6cf03ad6bc76997ef6aed58985768dcd4daea42c6121c5052cdde83b8d4cb3",
    ("zh", 4096): "e6f71af91493c22228a7b5e060afd9d03382305a4f1608c25fd5803b65cc5f11",
}


def sentences(found: Section) -> list[str]:
    return [sentence for paragraph in found.paragraphs for sentence in paragraph]


def digest(found: Section) -> str:
    text = "\n\n".join([found.title, *("\n".join(paragraph) for paragraph in found.paragraphs)])
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(scope="module", params=LANGS)
def sample(request: pytest.FixtureRequest) -> tuple[Lang, list[Section]]:
    lang: Lang = request.param
    return lang, [section(Stream("prose test"), lang, index) for index in range(SECTIONS_100K[lang])]


@pytest.mark.parametrize(("lang", "index"), GOLDEN)
def test_text_is_pinned(lang: Lang, index: int) -> None:
    assert digest(section(Stream("golden"), lang, index)) == GOLDEN[lang, index]


def test_section_stands_alone(sample: tuple[Lang, list[Section]]) -> None:
    lang, sections = sample
    stream = Stream("prose test")
    stream.word()
    for index in (len(sections) - 1, 7, 0):
        assert section(stream, lang, index) == sections[index]


@pytest.mark.parametrize("lang", LANGS)
def test_negative_index_is_refused(lang: Lang) -> None:
    with pytest.raises(ValueError, match="0 or more, got -1"):
        section(Stream("prose test"), lang, -1)


def test_no_sentence_twice(sample: tuple[Lang, list[Section]]) -> None:
    _, sections = sample
    found = [sentence for each in sections for sentence in sentences(each)]
    assert len(set(found)) == len(found)


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
def test_no_sentence_twice_in_1400k_tokens(lang: Lang) -> None:
    found = [s for index in range(SECTIONS_1400K[lang]) for s in sentences(section(Stream("long"), lang, index))]
    assert len(found) > 50_000
    assert len(set(found)) == len(found)


def test_two_streams_share_no_sentence(sample: tuple[Lang, list[Section]]) -> None:
    lang, sections = sample
    here = {sentence for each in sections[:40] for sentence in sentences(each)}
    there = {s for index in range(40) for s in sentences(section(Stream("another"), lang, index))}
    assert not here & there


def test_section_has_the_promised_size(sample: tuple[Lang, list[Section]]) -> None:
    _, sections = sample
    for each in sections:
        assert 6 <= len(each.paragraphs) <= 12
        assert 40 <= len(sentences(each)) <= 80
        assert len({len(paragraph) for paragraph in each.paragraphs}) > 1


def test_sentences_are_well_formed(sample: tuple[Lang, list[Section]]) -> None:
    lang, sections = sample
    for each in sections:
        for text in sentences(each):
            assert SHAPE[lang].fullmatch(text), text
            assert text == text.strip() and "\n" not in text and "  " not in text, text
            assert not re.search(r"[{}~/\d]", text), text
            assert not BANNED[lang].search(text.lower()), text


def test_title_is_a_heading(sample: tuple[Lang, list[Section]]) -> None:
    _, sections = sample
    titles = [each.title for each in sections]
    assert len(set(titles)) == len(titles)
    for title in titles:
        assert len(title) < 60 and title == title.strip() and title[-1].isalpha()


@pytest.mark.parametrize("index", range(40))
def test_english_spelling(index: int) -> None:
    for text in sentences(section(Stream("prose test"), "en", index)):
        assert not re.search(r"['\"]|\s[.,;:?!’”]|,,|\.\.", text), text
        assert not re.search(r"\b[Aa] (?!one-)[aeiou]|\b[Aa]n (?!hour)[^aeiou]", text), text
        assert not re.search(r"\b(\w+) \1\b", text), text
        start = text[1] if text[0] == "“" else text[0]
        assert start.isupper(), text


@pytest.mark.parametrize("index", range(40))
def test_chinese_characters(index: int) -> None:
    for text in sentences(section(Stream("prose test"), "zh", index)):
        assert re.fullmatch(r"[\u4e00-\u9fff。，；：？！“”《》、…]+", text), text
        assert not re.search(r"[。，；：？！、]{2}|的的|在在", text), text


@pytest.mark.parametrize("lang", LANGS)
def test_enough_material(lang: Lang) -> None:
    material = MATERIAL[lang]
    scenes = [*material.scenes.values(), *((theme.opening, theme.body) for theme in material.themes)]
    assert sum(len(opening) + len(body) for opening, body in scenes) >= 300
    assert len(material.themes) >= 12
    assert all(len(lists["opener"]) >= 30 for lists in material.lists.values())


def test_names_are_different() -> None:
    for names in (prose_en, prose_zh):
        places = {names.place_name(number) for number in range(names.PLACE_NAMES)}
        assert len(places) == names.PLACE_NAMES
    for pronoun in ("she", "he"):
        given = {prose_en.given_name(number, pronoun) for number in range(prose_en.GIVEN_NAMES)}
        assert len(given) == prose_en.GIVEN_NAMES
    persons = {prose_zh.person_name(number) for number in range(prose_zh.GIVEN_NAMES)}
    assert len(persons) == prose_zh.GIVEN_NAMES
