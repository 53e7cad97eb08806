"""Pieces on request: lengths, marks of the formats, and that no two are alike."""

import difflib
import itertools
import re
from collections import Counter, defaultdict
from functools import cache

import pytest

from carrara.stream import Stream
from carrara.tokens import load_tokenizer
from carrara.world.pieces import FORMATS, STYLES, TOPICS, piece, request

STREAM = Stream("pieces test")


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


def test_a_piece_stands_alone():
    for place in (2999, 7, 0):
        assert piece(STREAM, *all_keys()[place]) == all_pieces()[place]
    assert request(STREAM, *all_keys()[5]) == request(STREAM, *all_keys()[5])
    assert len(set(all_pieces())) == len(all_pieces())
    assert not set(all_pieces()) & {piece(Stream("another"), *key) for key in all_keys()[:500]}


def test_lengths_in_tokens():
    counts = load_tokenizer("o200k_base").count_many(all_pieces()[:2000])
    assert counts.max() <= 450 and counts.min() >= 90
    assert 180 <= counts.mean() <= 330


def test_text_is_clean():
    for text in all_pieces():
        assert text == text.strip() and not set("{}[]|^¶#") & set(text)
        # A full stop or a comma stands neither twice nor after a blank.
        assert not re.search(r"  | [,.;?!]|(?<!etc)(?<!Mem)[.,;:][,;:.]|[?!]\.|\n ", text), text
        assert not re.search(r"\ba [aeio]\w+\b(?<!one)|\ban (?!hour|honest|heir)[^aeiouAEIOU8\W]", text), text
        assert not re.search(r"(?im)^(user|assistant|system|human)\b", text)


def test_hardly_a_long_sentence_comes_in_two_pieces():
    told = Counter(
        sentence
        for text in all_pieces()
        for sentence in set(re.split(r"(?<=[.!?])[”)]*\s+|\n+", text))
        if len(sentence.split()) > 8
    )
    assert told.total() > 20_000 and told.total() - len(told) < told.total() / 8


@pytest.mark.parametrize(
    "format", [*FORMATS[:3], *(pytest.param(one, marks=pytest.mark.repeat) for one in FORMATS[3:])]
)
def test_pieces_of_a_key_differ(format):
    own = STREAM.child("similar", format)
    topic = own.choice(TOPICS)
    texts = [piece(STREAM, format, topic, "terse", number) for number in range(4)]
    assert max(similar(one, other) for one, other in itertools.combinations(texts, 2)) < 0.6


@pytest.mark.slow
def test_many_pieces_of_keys_and_formats_differ():
    groups: dict[str, list[str]] = defaultdict(list)
    for key, text in zip(all_keys(), all_pieces(), strict=True):
        groups[key[0]].append(text)
    for format in FORMATS:
        own = [piece(STREAM, format, "tides", "playful", number) for number in range(8)]
        assert max(similar(one, other) for one, other in itertools.combinations(own, 2)) < 0.6
        assert sum(similar(*groups[format][2 * i : 2 * i + 2]) > 0.6 for i in range(24)) <= 2


def test_requests_name_their_key_and_vary():
    assert len({request(STREAM, "poem", "tides", "solemn", number) for number in range(60)}) >= 25
    for format, topic, style, number in all_keys()[:500]:
        asked = request(STREAM, format, topic, style, number)
        assert (
            f" {format} about {topic}" in asked and (style or "") in asked and ("style" in asked) == (style is not None)
        )
        assert asked[0].isupper() and asked[-1] in ".?" and "  " not in asked
        assert ("an " if format[0] in "aeiou" else "a ") + format in asked


def test_a_riddle_keeps_its_answer():
    for topic, text in of("riddle"):
        last = re.sub(r"^(?:an? |the )?(?:old )?|s$", "", topic)
        assert not re.search(rf"\b{last}(?:s|es)?\b", text, re.IGNORECASE), (topic, text)


def test_formats_have_their_marks():
    for _, text in of("email"):
        assert re.match(r"Subject: \S.*\n\n(Dear|Hello|Hi|Good \w+),? [A-Z][^\n]*,\n\n", text)
        assert re.search(r",\n[A-Z]\w+(, [a-z ]+|\n\([^\n]+\))?$", text)
    for _, text in of("letter"):
        assert text.count("\n\n") >= 3
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
    keys_ = zip(all_keys(), all_pieces(), strict=True)
    named = [topic.removesuffix("s") in text.lower() for (format, topic, _, _), text in keys_ if format != "riddle"]
    assert sum(named) > 0.97 * len(named)


def test_an_unknown_key_is_named():
    for key in (("sonnet", "tides", None), ("poem", "nothing", None), ("poem", "tides", "rude")):
        with pytest.raises(ValueError, match="unknown"):
            piece(STREAM, *key, 0)
        with pytest.raises(ValueError, match="unknown"):
            request(STREAM, *key, 0)
