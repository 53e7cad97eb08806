"""The template language: what it spells, and what it refuses with file and line."""

import pytest

from carrara.stream import Draws, Stream
from carrara.world.language.class_texts import chance
from carrara.world.language.grammar import (
    Alternatives,
    Person,
    Speller,
    WordingLine,
    capital,
    parse,
    possessive,
    read_lists,
    split_top,
)

SHE = Person("Ana Vell", ("Vell",), ("she", "her", "her", "herself"))


def lists(**entries: str) -> dict[str, Alternatives]:
    return read_lists([WordingLine("test:1", f"{name}: {text}") for name, text in entries.items()], {})


def spelled(
    text: str, known: dict[str, Alternatives] | None = None, call: str = "name", number: int = 0, **values: str
) -> str:
    speller = Speller(Draws(Stream("grammar", number)), SHE, values)
    speller.call = call
    return speller.sentence(parse(WordingLine("test:1", text), (known or {}).get, tuple(values)))[0]


def all_spellings(text: str, known: dict[str, Alternatives] | None = None, **values: str) -> set[str]:
    return {spelled(text, known, number=number, **values) for number in range(200)}


def test_slots_alternatives_and_lists():
    known = lists(fruit="apple / pear / [red|black] currant", dish="{fruit} pie / {fruit} soup")
    assert all_spellings("she ate {a:fruit}.", known) == {
        "She ate an apple.",
        "She ate a pear.",
        "She ate a red currant.",
        "She ate a black currant.",
    }
    assert all_spellings("[|very ]hot {dish}", known) >= {"Hot apple pie", "Very hot red currant soup"}
    assert spelled("{cap:fruit} and {place}.", lists(fruit="fig / fig tree"), place="Rome")[0] == "F"


def test_the_subject_is_named_once_and_then_a_pronoun():
    text = "in May {X} sold {Xo} and {X's} {his} {himself}."
    assert spelled(text) == "In May Ana Vell sold her and her her herself."
    assert spelled(text, call="short") == "In May Vell sold her and her her herself."
    assert spelled(text, call="pronoun") == "In May she sold her and her her herself."
    assert spelled("{X's} house", call="name") == "Ana Vell’s house"
    assert (possessive("Hollis"), possessive("Vell")) == ("Hollis’", "Vell’s")


def test_values_are_told_with_their_place():
    speller = Speller(Draws(Stream("spans")), SHE, {"year": "1807", "who": "Bo"})
    template = parse(
        WordingLine("t:1", "{a:thing} of {year} for {who}, {year}"), lists(thing="oak / elm").get, ("year", "who")
    )
    text, spans = speller.sentence(template)
    assert [(name, text[start:end]) for name, start, end in spans] == [
        ("year", "1807"),
        ("who", "Bo"),
        ("year", "1807"),
    ]
    assert text.startswith("An ")


def test_a_phrase_does_not_come_twice_in_one_text_while_there_are_others():
    known = lists(tree="oak / elm / ash / fir")
    speller = Speller(Draws(Stream("twice")), SHE, {})
    template = parse(WordingLine("t:1", "{tree}"), known.get)
    assert {speller.sentence(template)[0] for _ in range(4)} == {"Oak", "Elm", "Ash", "Fir"}
    assert speller.sentence(template)[0] in {"Oak", "Elm", "Ash", "Fir"}


@pytest.mark.parametrize(
    ("word", "article"),
    [
        *[
            (word, "an")
            for word in ("apple", "hour", "honest man", "heir", "8 km road", "unnamed mare", "uneven road", "oak")
        ],
        *[
            (word, "a")
            for word in ("pear", "useful man", "unit", "European", "one-armed man", "uniform", "house", "80s"[1:] + "x")
        ],
    ],
)
def test_articles_go_by_sound(word, article):
    assert spelled("{a:word} stood", word=word) == f"{capital(article)} {word} stood"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{nothing}", "no list and no value is called 'nothing'"),
        ("[one]", "has one alternative"),
        ("[one|two", "stays open"),
        ("one]", "closes nothing"),
        ("{a:nothing}", "no list"),
    ],
)
def test_a_malformed_template_is_refused(text, told):
    with pytest.raises(ValueError, match=told) as error:
        parse(WordingLine("en/film.txt:7", text), {}.get)
    assert str(error.value).startswith("en/film.txt:7: ")


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ({"one": "a / / b"}, "no empty phrase"),
        ({"one": "a / a"}, "stands twice in one list"),
        ({"one": "{two} / x", "two": "{one} / y"}, "round in a circle: one -> two -> one"),
        ({"One": "a / b"}, "expected `name: phrase / phrase`"),
    ],
)
def test_a_malformed_list_is_refused(entries, told):
    with pytest.raises(ValueError, match=told):
        lists(**entries)


def test_a_list_stands_once():
    with pytest.raises(ValueError, match="stands twice; give one another name"):
        read_lists([WordingLine("t:1", "a: x / y"), WordingLine("t:2", "a: x / z")], {})
    with pytest.raises(ValueError, match="stands twice"):
        read_lists([WordingLine("t:1", "a: x / y")], lists(a="p / q"))


def test_marks_inside_brackets_split_nothing():
    assert split_top("a [b/c] {d/e}/f", "/") == ["a [b/c] {d/e}", "f"]


def test_chance_of_equal_spellings():
    known = lists(fruit="apple / pear", dish="{fruit} pie / soup")
    assert chance(parse(WordingLine("t:1", "{fruit}"), known.get), {}) == 1 / 2
    # "soup" twice: 1/4; a pie twice: 1/4, of one fruit: 1/2.
    assert chance(parse(WordingLine("t:1", "{dish}"), known.get), {}) == 1 / 4 + 1 / 8
    assert chance(
        parse(WordingLine("t:1", "{dish} [a|b] {year}"), known.get, ("year",)), {"year": 0.1}
    ) == pytest.approx(0.01875)
    # Measured: two independent spellings are equal about as often.
    pairs = [(spelled("{dish}", known, number=2 * n), spelled("{dish}", known, number=2 * n + 1)) for n in range(2_000)]
    assert 0.34 < sum(one == other for one, other in pairs) / 2_000 < 0.41
