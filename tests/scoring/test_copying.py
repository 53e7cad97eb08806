"""V(T, Q) against brute force, its bounds, what it is blind to; strict copies and the average."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel, Levenshtein

from carrara.scoring import METRICS
from carrara.scoring.metrics import copying
from carrara.scoring.metrics.order import Candidates

V, V_INDEL, STRICT, AVERAGE = (METRICS[f"verbatim/{name}"] for name in ("v", "v/indel", "strict", "v_lcs"))
WORDS = st.lists(
    st.sampled_from(["the", "a", "boat", "came", "went", "mill", "late", "never", "nine", "水", "。", ","]),
    min_size=1,
    max_size=9,
)
SENTENCES = st.lists(WORDS.map(" ".join), min_size=1, max_size=6)


def brute(golds, lines, distance) -> float:
    def like(a, b):
        return (len(a) + len(b) - distance(a, b)) / (len(a) + len(b))

    return sum(max((like(gold, line) for line in lines), default=0.0) for gold in golds) / len(golds)


@settings(max_examples=300, deadline=None)
@given(SENTENCES, SENTENCES)
def test_brute_force(golds, lines):
    row = {"answers": golds}
    assert V("\n".join(lines), row) == pytest.approx(brute(golds, lines, Levenshtein.distance))
    assert V_INDEL("\n".join(lines), row) == pytest.approx(brute(golds, lines, Indel.distance))


def sentences(count: int) -> list[str]:
    return [
        f"On day {n} the keeper of gate {n * 7919 % 104_729} counted {n * 31} boats, {n * n % 997} carts and no sheep "
        f"at all, which nobody on the {n % 89}th floor of the customs house could explain to the {n % 13} inspectors."
        for n in range(count)
    ]


def test_v_is_blind_to_order_and_inventions_and_the_average_is_not():
    golds = sentences(40)
    row = {"answers": golds}
    for response in (golds, golds[::-1], golds + golds, [*golds, "A goat walked in."]):
        assert V("\n".join(response), row) == V_INDEL("\n".join(response), row) == 1
    assert AVERAGE("\n".join(golds), row) == 1
    assert AVERAGE("\n".join(golds[::-1]), row) < 0.6
    assert V("", row) == V_INDEL("", row) == AVERAGE("", row) == 0


def test_few_candidates_find_what_all_pairs_find(monkeypatch):
    golds = sentences(60)
    lines = [gold.replace("boats", "goats").replace("day", "night") for gold in golds]
    exact = V("\n".join(lines), {"answers": golds})
    monkeypatch.setattr(copying, "PAIRS", 0)
    assert V("\n".join(lines), {"answers": golds}) == pytest.approx(exact)
    other = [line[::-1] for line in lines]
    few = V("\n".join(other), {"answers": golds})
    monkeypatch.undo()
    assert few <= V("\n".join(other), {"answers": golds})


def test_candidates_share_most_trigrams():
    texts = ["one two three four five", "two three four", "six seven eight", "one two three", "一二三四五", "ab"]
    index = Candidates(texts)
    assert index.like("one two three four", 2) == [0, 1]
    assert index.like("nothing shared here", 9) == []
    assert index.like("九一二三四", 9) == [4]
    assert index.like("ab", 9) == [5]
    assert Candidates(["a b c"] * 300).like("a b c", 9) == []


@pytest.mark.parametrize(
    "changed", ["half", *(pytest.param(one, marks=pytest.mark.repeat) for one in ("one letter", "one word"))]
)
def test_v_of_five_hundred_sentences_is_fast(changed):
    golds = sentences(500)
    lines = {
        "one letter": [gold.replace("boats", "boots") for gold in golds],
        "one word": [gold.replace("customs", "toll") for gold in golds],
        "half": [gold[: len(gold) // 2] for gold in golds],
    }[changed]
    best = 9.0
    for _ in range(3):
        start = time.process_time()
        value = V("\n".join(lines), {"answers": golds})
        best = min(best, time.process_time() - start)
    assert 0.6 < value < 1
    # 0.1 to 0.3 s on a quiet machine.
    assert best < 1.5


@pytest.mark.parametrize("unit", ["[", "x\n", "11\n", "\0", "\ud800\n", "On day 3 the keeper of ", "月"])
def test_hostile_megabytes(unit):
    response = unit * (2_000_000 // len(unit))
    row = {"answers": sentences(60)}
    for metric in (V, V_INDEL, STRICT, AVERAGE):
        start = time.monotonic()
        assert 0 <= metric(response, row) < 1
        assert time.monotonic() - start < 3


@pytest.mark.parametrize(
    ("response", "answers", "value"),
    [
        ("a b\nc", ["a b", "c"], 1),
        ("  a  b c \n", ["a b", "c"], 1),
        ("c\na b", ["a b", "c"], 0),
        ("a b", ["a b", "c"], 0),
        ("a b c d", ["a b", "c"], 0),
        ("A b c", ["a b", "c"], 0),
        ("1, 2, 3", ["1, 2, 3"], 1),
        ("", ["1"], 0),
        ("1" * 100_000, ["1"], 0),
    ],
)
def test_strict(response, answers, value):
    assert STRICT(response, {"answers": answers}) == value
