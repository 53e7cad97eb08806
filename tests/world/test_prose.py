import re
from collections import Counter
from typing import get_args

import pytest
from benchmarks.world_variety import figures, words

from carrara.stream import Draws, Stream
from carrara.tables import Lang
from carrara.world.prose import names
from carrara.world.prose.prose import Section, section
from carrara.world.prose.scenes import KINDS, PERIODS, SEASONS, scenes

LANGS: tuple[Lang, ...] = get_args(Lang)
STREAM = Stream("prose test")
# Sections of about 100,000 o200k tokens, and of 1,400,000.
SECTIONS = {"en": 75, "zh": 75}
MANY = {"en": 1050, "zh": 1050}
SHAPE = {
    "en": re.compile(r"(?:“[^“”]+”|[^“”])*(?:[.?!…:]|“[^“”]+[.?!…]”)"),
    "zh": re.compile(r"(?:“[^“”]+”|[^“”])*(?:[。？！：…]|“[^“”]+[。？！…]”)"),
}


def sentences(found: Section) -> list[str]:
    return [sentence for paragraph in found.paragraphs for sentence in paragraph]


@pytest.fixture(scope="module", params=LANGS)
def sample(request: pytest.FixtureRequest) -> tuple[Lang, list[Section]]:
    lang: Lang = request.param
    return lang, [section(STREAM, lang, index) for index in range(SECTIONS[lang])]


Sample = tuple[Lang, list[Section]]


def test_section_stands_alone(sample: Sample) -> None:
    lang, sections = sample
    stream = Stream("prose test")
    stream.word()
    for index in (len(sections) - 1, 7, 0):
        assert section(stream, lang, index) == sections[index]


def test_negative_index_is_refused() -> None:
    with pytest.raises(ValueError, match="0 or more, got -1"):
        section(STREAM, "en", -1)


def test_hardly_a_sentence_twice_or_in_another_stream(sample: Sample) -> None:
    """Only what is short and names nobody: “And the rope?”"""
    lang, sections = sample
    found = [sentence for each in sections for sentence in sentences(each)]
    assert len(found) - len(set(found)) < len(found) / 100
    there = {s for index in range(SECTIONS[lang]) for s in sentences(section(Stream("another"), lang, index))}
    shared = set(found) & there
    assert len(shared) < len(found) / 100


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
def test_hardly_a_long_sentence_twice_in_1400k_tokens(lang: Lang) -> None:
    found = Counter(s for index in range(MANY[lang]) for s in sentences(section(Stream("long"), lang, index)))
    long = Counter({text: count for text, count in found.items() if len(words(text, lang)) > 20})
    assert found.total() > 40_000 and long.total() > 15_000
    assert long.total() - len(long) < long.total() / 1_000


def test_section_has_the_promised_size(sample: Sample) -> None:
    _, sections = sample
    for each in sections:
        assert 6 <= len(each.paragraphs) <= 14
        assert 30 <= len(sentences(each)) <= 90


def test_sentences_are_well_formed(sample: Sample) -> None:
    lang, sections = sample
    for each in sections:
        for text in sentences(each):
            assert SHAPE[lang].fullmatch(text), text
            assert text == text.strip() and not re.search(r"\n|  |[{}|~]", text), text
            if lang == "en":
                assert not re.search(
                    r"['\"]|\s[.,;:?!’”]|,,|\.\.|\b(the|and|was|his|her|with|from|that|for) \1\b", text
                ), text
                assert not re.search(
                    r"\b[Aa] (?!one\b|one-)[aeio]|\b[Aa]n (?!hour|honest|heir)[^aeiou8AEIOU1]", text
                ), text
                assert not text.lstrip("“")[0].islower(), text
            else:
                assert re.fullmatch(r"[\u4e00-\u9fff\d。，；：？！“”‘’《》、…—\u3000]+", text), text
                assert not re.search(r"[。，；：？！、]{2}|的的|在在|了了", text), text


def test_title_is_a_heading(sample: Sample) -> None:
    _, sections = sample
    titles = [each.title for each in sections]
    assert len(set(titles)) == len(titles)
    assert all(len(title) < 70 and title == title.strip() and title[-1].isalnum() for title in titles)


def test_prose_has_the_signs_that_needles_have(sample: Sample) -> None:
    """Digits, quotations and names, so that none of them alone gives a needle away."""
    lang, sections = sample
    found = [sentence for each in sections for sentence in sentences(each)]
    assert sum(bool(re.search(r"\d", text)) for text in found) > len(found) / 10
    assert sum("“" in text for text in found) > len(found) / 10
    people = r"(?<=[a-z,] )[A-Z][a-z]+" if lang == "en" else r"[一-鿿]"
    assert sum(bool(re.search(people, text)) for text in found) > len(found) / 2


def test_text_is_varied(sample: Sample) -> None:
    lang, sections = sample
    found = figures([" ".join(sentences(each)) for each in sections], lang)
    assert found["repeated_8"] < 0.005


@pytest.mark.parametrize("lang", LANGS)
def test_every_season_and_period_has_scenes(lang: Lang) -> None:
    for kind in KINDS:
        for season in SEASONS:
            for time in PERIODS:
                assert len(scenes(lang).fitting[kind, season, time]) >= 6, (kind, season, time)


@pytest.mark.parametrize("lang", LANGS)
def test_names_are_different(lang: Lang) -> None:
    every = max(1, names.VILLAGES[lang] // 20_000)
    villages = [names.village(lang, number) for number in range(0, names.VILLAGES[lang], every)]
    assert len(set(villages)) == len(villages)
    draws = Draws(STREAM.child("people"))
    people = [names.person(lang, number, False, draws)[0] for number in range(5_000)]
    assert len(set(people)) == len(people)
