"""Distances of long texts: exact where they say so, an upper bound elsewhere, in bounded time."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel, Levenshtein

from carrara.scoring.metrics import verbatim
from carrara.stream import Stream

PAIRS = ((verbatim.levenshtein_distance, Levenshtein.distance), (verbatim.indel_distance, Indel.distance))


@pytest.fixture
def small(monkeypatch):
    """Every text is long."""
    monkeypatch.setattr(verbatim, "EXACT", 0)
    monkeypatch.setattr(verbatim, "NEAR", 20)
    monkeypatch.setattr(verbatim, "BLOCK", 64)


TEXTS = st.lists(st.sampled_from(["12", "345", "678,", "90", "水", "a"]), max_size=60).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS)
def test_an_upper_bound_that_is_exact_for_near_texts(a, b):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("EXACT", 0), ("NEAR", 20), ("BLOCK", 64)):
            patch.setattr(verbatim, name, value)
        for ours, exact in PAIRS:
            true = exact(a, b)
            assert true <= ours(a, b) <= len(a) + len(b)
            assert ours(a, a) == 0


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_short_texts_are_exact(a, b):
    for ours, exact in PAIRS:
        assert ours(a, b) == exact(a, b)


def numbers(count: int, name: str = "numbers") -> list[str]:
    return [str(10**8 + n) for n in sorted(Stream(name).below_many(9 * 10**8, count).tolist())]


def test_what_is_missing_wrong_or_inserted_is_found_exactly(small):
    gold = numbers(400)
    text = ", ".join(gold)
    for damaged in (
        gold[40:],
        gold[:200] + gold[260:],
        [*gold[:200], "17", *gold[200:]],
        [*gold[:200], "100", *gold[201:]],
        [*gold[:200], *gold[150:]],
    ):
        response = ", ".join(damaged)
        for ours, exact in PAIRS:
            assert ours(response, text) == exact(response, text)


def test_wrong_lists_are_bounded_closely(small):
    gold, other = numbers(400), numbers(400, "others")
    shuffled = Stream("shuffle").shuffled(gold)
    for wrong in (other, shuffled, gold[::-1]):
        for ours, exact in PAIRS:
            a, b = ", ".join(wrong), ", ".join(gold)
            assert exact(a, b) <= ours(a, b) <= 1.2 * exact(a, b)


@pytest.mark.slow
def test_a_list_of_a_million_tokens():
    gold, other = numbers(104_850), numbers(104_850, "others")
    near = [number if n % 100 else number[::-1] for n, number in enumerate(gold)]
    for response, seconds, low, high in ((near, 10, 0.99, 1), (other, 60, 0.5, 0.9)):
        for ours, _ in PAIRS:
            a, b = ", ".join(response), ", ".join(gold)
            start = time.process_time()
            found = ours(a, b)
            assert time.process_time() - start < seconds
            assert low < 1 - found / (len(a) + len(b)) < high
