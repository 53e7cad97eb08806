"""MRCR's metrics: difflib's very values, what counts as the string, and bounded time for any response."""

import difflib
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrara.scoring import METRICS, RowError
from carrara.scoring.metrics.mrcr import GRAM, JUNK_FROM, likeness, ratio

STRING = "aB3dE6gH9jK2"
GOLD = (
    "Tides, for Orbelimest\n\nAt the mouth of the estuary, for all to see,\nYou taught me to watch the harbour fill, "
    "dear Orbelimest, for you and me.\nThirty silver mooring ropes like a song,\nAnd you beside them all day long."
)
NAMES = ("mrcr", "mrcr/deepmind", "mrcr/openai", "mrcr/paper")


def row(gold=GOLD, string=STRING):
    return {"answers": [string + gold], "facts": json.dumps({"string": string}), "prompt": f"… {string} …"}


def score(name, response, gold=GOLD):
    return METRICS[name](response, row(gold))


def scores(response, gold=GOLD):
    return [score(name, response, gold) for name in NAMES]


def theirs(a, b, autojunk):
    return difflib.SequenceMatcher(None, a, b, autojunk=autojunk).ratio()


# --- the ratio --------------------------------------------------------------------------------------------------------

FEW = st.text("ab", max_size=90) | st.text("abc d", max_size=120) | st.text("abcdefghij klmnop", max_size=150)
LONG = st.lists(st.sampled_from(["the ", "tide ", "is ", "at ", "Q", "x1", "z", "%", "ab", "\n", "é"]), max_size=120)


@settings(max_examples=400, deadline=None)
@given(FEW, FEW)
def test_short_texts_are_as_alike_as_difflib_says(a, b):
    for autojunk in (True, False):
        assert ratio(a, b, autojunk) == theirs(a, b, autojunk)


@settings(max_examples=150, deadline=None)
@given(LONG, LONG, st.integers(0, 60), st.integers(0, 300))
def test_texts_with_popular_characters_are_as_alike_as_difflib_says(a, b, cut, more):
    one = "".join(a)
    other = "".join(b)[:cut] + one[cut:] + "".join(chr(0x4E00 + 7 * at % 90) for at in range(more))
    for autojunk in (True, False):
        assert ratio(one, other, autojunk) == theirs(one, other, autojunk)
        assert ratio(other, one, autojunk) == theirs(other, one, autojunk)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60), st.integers(1, 6))
def test_any_characters_will_do(a, b, times):
    for autojunk in (True, False):
        assert ratio(a * times, b + a, autojunk) == theirs(a * times, b + a, autojunk)
        assert 0 <= ratio(a, "\udc80" + b + "\x00", autojunk) <= 1


@pytest.mark.parametrize("b", ["", "a", "a" * (GRAM - 1), "ab" * JUNK_FROM, "a" * JUNK_FROM, GOLD * 3])
def test_borders(b):
    for a in ("", "a", b, b[::-1], b + b, "\n" + b, GOLD):
        for autojunk in (True, False):
            assert ratio(a, b, autojunk) == theirs(a, b, autojunk)


def test_texts_of_more_common_pieces_than_are_held_go_another_way():
    a, b = "ab" * 500 + "abc" * 200, "abab" * 300 + "cab" * 100
    assert ratio(a, b, autojunk=False) == theirs(a, b, autojunk=False)


# --- the metrics ------------------------------------------------------------------------------------------------------


def test_gold_scores_one_in_all():
    assert scores(STRING + GOLD) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        # mrcr, deepmind, openai, paper
        (f"\n  {STRING}{GOLD}", (1, 1, 0, 1)),
        (f"{STRING}\n\n{GOLD}\n", (1, 1, None, None)),
        (f"Here it is: {STRING}{GOLD}", (1, 1, 0, 1)),
        (f"{'x' * 201}{STRING}{GOLD}", (0, 1, 0, 1)),
        (f"{STRING.lower()}{GOLD}", (0, 0, 0, 0)),
        (GOLD, (0, 0, 0, 0)),
        ("", (0, 0, 0, 0)),
        (STRING, (0, 0, 0, 0)),
        (f"{STRING}{STRING}{GOLD}", (1, 1, None, None)),
        (f"{STRING}Wrong at first. {STRING}{GOLD}", (1, 1, None, None)),
        (f"Model: {STRING}{GOLD}", (1, 1, 0, 1)),
        (f"**{STRING}**\n{GOLD}", (1, None, 0, None)),
        (f"```text\n{STRING}{GOLD}\n```", (1, None, 0, None)),
        (f'"{STRING}{GOLD}"', (1, None, 0, None)),
        (f"{STRING}: {' '.join(GOLD.split())}", (1, None, None, None)),
        (f"{STRING}{GOLD}\n\nLet me know if you need another one.", (1, None, None, None)),
        (f"{STRING}{GOLD}\n\nUser: Thanks.\nModel: {GOLD}", (1, None, None, None)),
    ],
)
def test_where_the_string_may_stand(response, expected):
    for name, value, wanted in zip(NAMES, scores(response), expected, strict=True):
        assert value == wanted if wanted is not None else 0 < value < 1, name


def test_a_copy_with_slips_keeps_its_worth_without_autojunk():
    slips = GOLD.replace("harbour", "harbor").replace("silver ", "")
    assert score("mrcr", STRING + slips) == theirs(" ".join(slips.split()), " ".join(GOLD.split()), False) > 0.9
    assert score("mrcr/paper", STRING + slips) == theirs(slips, GOLD, True)
    assert score("mrcr/openai", STRING + slips) == theirs(slips, GOLD, True)
    assert score("mrcr/deepmind", STRING + slips) == theirs(GOLD, slips, True)


def test_another_piece_on_the_same_request_scores_nothing():
    other = GOLD.replace("Tides, for Orbelimest", "Tides, for Vrusmule").replace(
        "silver mooring ropes like a song", "gulls"
    )
    floor = likeness(other, GOLD)
    held = {"answers": [STRING + GOLD], "facts": json.dumps({"string": STRING, "floor": floor})}
    assert METRICS["mrcr"](STRING + GOLD, held) == 1 and 0.8 < floor < 1
    assert METRICS["mrcr"](STRING + other, held) == 0
    with pytest.raises(RowError, match="expected a number"):
        METRICS["mrcr"](STRING, {**held, "facts": {"string": STRING, "floor": "x"}})


def test_rows_without_facts_have_the_string_in_the_gold():
    bare = {"answers": [STRING + GOLD]}
    assert [METRICS[name](STRING + GOLD, bare) for name in NAMES] == [1, 1, 1, 1]
    assert [METRICS[name]("x", {"answers": ["short"]}) for name in NAMES] == [0, 0, 0, 0]
    assert [METRICS[name]("", {"answers": [""]}) for name in NAMES] == [0, 0, 0, 0]


def test_what_is_not_read_counts_as_wrong():
    short = score("mrcr", STRING + GOLD + "x" * 5_000)
    assert score("mrcr", STRING + GOLD + "x" * 100_000) < short / 10
    assert score("mrcr", STRING + GOLD + "x" * 3_000) == pytest.approx(
        2 * len(GOLD) / (2 * len(GOLD) + 3_000), abs=0.01
    )


HOSTILE = {
    "one letter": "e" * 1_000_000,
    "spaces in words": " e" * 500_000,
    "a word": " the" * 250_000,
    "digits": "0123456789" * 100_000,
    "brackets": "[" * 10_000 + "]" * 990_000,
    "surrogates": "\ud800" * 1_000_000,
    "NUL": "\x00" * 1_000_000,
    "the string": STRING * 80_000,
    "white space": " \n\t" * 330_000,
    "every letter rarely": "".join(chr(33 + at * 7 % 90) for at in range(90)) * 11_111,
}


@pytest.mark.parametrize("gold", ["prose", "one letter", "two letters"])
@pytest.mark.parametrize("hostile", list(HOSTILE))
def test_any_response_is_scored_in_bounded_time(hostile, gold):
    text = {"prose": (GOLD * 5)[:2_000], "one letter": "e" * 2_000, "two letters": " e" * 1_000}[gold]
    for response in (HOSTILE[hostile], STRING + HOSTILE[hostile]):
        for name in NAMES:
            begun = time.process_time()
            assert 0 <= score(name, response, text) <= 1
            assert time.process_time() - begun < 1
