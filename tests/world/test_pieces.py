"""Pieces on request: lengths, marks of the formats, and that no two are alike."""

import difflib
import hashlib
import itertools
import re
from collections import defaultdict
from functools import cache

import pytest

from carrara.stream import Stream
from carrara.tokens import load_tokenizer
from carrara.world.pieces import FORMATS, STYLES, TOPICS, doing, past, piece, plural, request, topics

STREAM = Stream("pieces test")
GOLDEN = "a0f786da686ffbf8f3b942dc8ce4645b29f3c3c41600811f11362eab30d93a37"


def keys(count: int) -> list[tuple[str, str, str | None, int]]:
    draws = STREAM.child("keys")
    styles = (None, *STYLES)
    found = dict.fromkeys(
        (draws.choice(FORMATS), draws.choice(TOPICS), draws.choice(styles), draws.below(8)) for _ in range(2 * count)
    )
    return list(found)[:count]


@cache
def all_keys():
    return keys(3000)


@cache
def all_pieces():
    return [piece(STREAM, *key) for key in all_keys()]


def of(format: str) -> list[tuple[str, str]]:
    return [(key[1], text) for key, text in zip(all_keys(), all_pieces(), strict=True) if key[0] == format]


def similar(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def test_there_is_enough_of_everything():
    assert len(FORMATS) >= 10 and len(TOPICS) >= 80 and len(STYLES) >= 8
    for topic in topics().values():
        assert len(topic.words["thing"]) >= 8 and len(topic.words["things"]) == len(topic.words["thing"])
        assert {len(topic.words[form]) for form in ("do", "doing", "did", "done")} == {len(topic.words["do"])}


def test_a_piece_stands_alone():
    for place in (2999, 7, 0):
        assert piece(STREAM, *all_keys()[place]) == all_pieces()[place]
    assert request(STREAM, *all_keys()[5]) == request(STREAM, *all_keys()[5])
    assert len(set(all_pieces())) == len(all_pieces())
    assert not set(all_pieces()) & {piece(Stream("another"), *key) for key in all_keys()[:500]}


def test_text_is_pinned():
    told = "\n".join(request(STREAM, *key) + piece(STREAM, *key) for key in all_keys()[:40])
    assert hashlib.sha256(told.encode()).hexdigest() == GOLDEN


def test_lengths_in_tokens():
    counts = load_tokenizer("o200k_base").count_many(all_pieces()[:2000])
    assert counts.max() <= 450 and counts.min() >= 110
    assert 250 <= counts.mean() <= 330


def test_text_is_clean():
    for text in all_pieces():
        assert text == text.strip() and not set("{}[]|^¶#") & set(text)
        # A full stop or a comma stands neither twice nor after a blank.
        assert not re.search(r"  | [,.;?!]|[.,;:][,;:.]|[?!]\.|\n ", text), text
        assert not re.search(r"\ba [aeio]\w+\b(?<!one)|\ban (?!hour|honest|heir)[^aeiouAEIOU8\W]", text), text
        assert not re.search(r"(?im)^(user|assistant|system|human)\b", text)


def test_no_long_sentence_comes_in_two_pieces():
    seen: dict[str, int] = {}
    for place, text in enumerate(all_pieces()):
        for sentence in set(re.split(r"(?<=[.!?])[”)]*\s+|\n+", text)):
            if len(sentence.split()) > 5:
                assert seen.setdefault(sentence, place) == place, sentence


@pytest.mark.parametrize(
    "format", [*FORMATS[:3], *(pytest.param(one, marks=pytest.mark.repeat) for one in FORMATS[3:])]
)
def test_pieces_of_a_key_differ(format):
    own = STREAM.child("similar", format)
    texts = [piece(STREAM, format, own.choice(TOPICS), None, 0)]
    topic = own.choice(TOPICS)
    texts += [piece(STREAM, format, topic, "terse", number) for number in range(3)]
    assert max(similar(one, other) for one, other in itertools.combinations(texts, 2)) < 0.6


@pytest.mark.slow
def test_many_pieces_of_keys_and_formats_differ():
    groups: dict[str, list[str]] = defaultdict(list)
    for key, text in zip(all_keys(), all_pieces(), strict=True):
        groups[key[0]].append(text)
    for format in FORMATS:
        own = [piece(STREAM, format, "tides", "playful", number) for number in range(8)]
        assert max(similar(one, other) for one, other in itertools.combinations(own, 2)) < 0.6
        assert max(similar(*groups[format][2 * i : 2 * i + 2]) for i in range(24)) < 0.6


def test_requests_name_their_key_and_vary():
    assert len({request(STREAM, "poem", "tides", "solemn", number) for number in range(60)}) >= 25
    for format, topic, style, number in all_keys()[:500]:
        asked = request(STREAM, format, topic, style, number)
        assert (
            f" {format} about {topic}" in asked and (style or "") in asked and ("style" in asked) == (style is not None)
        )
        assert asked[0].isupper() and asked[-1] in ".?" and "  " not in asked
        assert ("an " if format[0] in "aeiou" else "a ") + format in asked


def test_a_riddle_keeps_its_answer_and_ends_with_the_question():
    for topic, text in of("riddle"):
        assert text.endswith("?")
        for word in set(topic.split()) - {"a", "the", "old"}:
            assert not re.search(rf"\b{word.removesuffix('s')}", text, re.IGNORECASE), (topic, text)


def test_a_riddle_of_somebody_whose_name_gives_it_away_gets_other_names():
    # Of this number the second person would be called Riveretobal, and every wording of a line names that person.
    told = piece(Stream("golden/1", "world"), "riddle", "rivers", "tender", 43_188_883)
    assert told.endswith("?") and not re.search(r"\briver", told, re.IGNORECASE)


def test_formats_have_their_marks():
    for _, text in of("email"):
        assert re.match(r"Subject: \S.*\n\n(Dear|Hello|Hi|Good \w+),? [A-Z][^\n]*,\n\n", text)
        assert re.search(r",\n[A-Z]\w+(\n\([^\n]+\))?$", text)
    for _, text in of("letter"):
        assert re.search(r"\n\n(Dear|My dear|Dearest) \w+,\n\n", text) and re.search(r",\n[A-Z]\w+$", text)
    for _, text in of("play"):
        assert len(re.findall(r"(?m)^[A-Z]{4,}: ", text)) >= 5 and re.search(r"(?m)^\(", text)
    for _, text in of("set of instructions"):
        assert [line[:2] for line in text.splitlines() if line[:1].isdigit()][:4] == ["1.", "2.", "3.", "4."]
    for format in ("poem", "song"):
        for _, text in of(format):
            assert len(text.splitlines()) >= 14 and max(map(len, text.splitlines())) < 190
    for _, text in of("essay"):
        assert text.count("\n\n") >= 2


def test_every_piece_but_a_riddle_is_about_its_topic():
    for (format, topic, _, _), text in zip(all_keys(), all_pieces(), strict=True):
        words = topics()[topic].words
        told = text.lower()
        found = [form for forms in words.values() for form in forms if form.lower() in told]
        assert len(found) >= 3, (format, topic, text)
        assert format == "riddle" or topic in told


def test_an_unknown_key_is_named():
    for key in (("sonnet", "tides", None), ("poem", "nothing", None), ("poem", "tides", "rude")):
        with pytest.raises(ValueError, match="unknown"):
            piece(STREAM, *key, 0)
        with pytest.raises(ValueError, match="unknown"):
            request(STREAM, *key, 0)


@pytest.mark.parametrize(
    ("verb", "gerund", "told"),
    [
        ("skim the froth", "skimming the froth", "skimmed the froth"),
        ("write one", "writing one", "wrote one"),
        ("tie a knot", "tying a knot", "tied a knot"),
        ("unplug it", "unplugging it", "unplugged it"),
        ("carry on", "carrying on", "carried on"),
    ],
)
def test_forms_of_verbs(verb, gerund, told):
    assert (doing(verb), past(verb)) == (gerund, told)


def test_forms_of_things():
    assert [plural(one) for one in ("coil of rope", "low branch", "dinghy", "shelf", "snowman", "buoy")] == [
        *("coils of rope", "low branches", "dinghies", "shelves", "snowmen", "buoys")
    ]
