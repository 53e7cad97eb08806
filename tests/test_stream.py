"""Draws depend on their key alone, are uniform, and stay what they are for ever (golden values)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import python

from carrara.stream import Permutation, Stream

KEYS = st.lists(st.one_of(st.text(max_size=8), st.integers(0, 2**40)), min_size=1, max_size=4)


def test_golden_values_hold_for_ever():
    stream = Stream("needlebench/1", "single_needle", "en", 7)
    assert [stream.word() for _ in range(3)] == GOLDEN_WORDS
    assert [stream.child("below").below(1000) for _ in range(2)] == [GOLDEN_BELOW, GOLDEN_BELOW]
    assert stream.child("many").below_many(6, 12).tolist() == GOLDEN_DICE
    assert stream.child("sample").sample("abcdefgh", 5) == GOLDEN_SAMPLE
    assert stream.child("order").order(8).tolist() == GOLDEN_ORDER
    assert Permutation(stream.child("permutation"), 1000).take(np.arange(6)).tolist() == GOLDEN_PERMUTATION
    assert [stream.child("balanced").balanced("abc", i) for i in range(9)] == GOLDEN_BALANCED
    assert [round(stream.child("even").even(i), 9) for i in range(3)] == GOLDEN_EVEN
    assert stream.child("weighted").weighted("abc", [1, 0, 5]) == GOLDEN_WEIGHTED


@given(KEYS, st.integers(1, 2**63), st.integers(0, 400))
def test_bulk_draws_equal_scalar_draws(key, n, count):
    scalar, bulk = Stream(*key), Stream(*key)
    assert [scalar.below(n) for _ in range(count)] == bulk.below_many(n, count).tolist()
    assert scalar.word() == bulk.word()


@given(KEYS, st.integers(0, 500), st.integers(0, 400))
def test_any_word_is_had_without_the_ones_before(key, start, count):
    stream = Stream(*key)
    every = [stream.word() for _ in range(start + count)]
    assert Stream(*key).words(start, count).tolist() == every[start:]


def test_rejection_in_bulk_and_scalar_agree_where_it_happens():
    # A third of all words is rejected below 3 * 2^62.
    n = 3 << 61
    scalar, bulk = Stream("r"), Stream("r")
    assert [scalar.below(n) for _ in range(1000)] == bulk.below_many(n, 1000).tolist()


def test_keys_do_not_run_together():
    assert Stream("a", "b").word() != Stream("ab").word()
    assert Stream("a", 1).word() != Stream("a", "1").word()
    assert Stream("a").child("b").word() == Stream("a", "b").word()
    with pytest.raises(TypeError):
        Stream("a", True)
    with pytest.raises(TypeError):
        Stream("a", 1.5)


def test_a_child_does_not_depend_on_what_its_parent_drew():
    drawn, fresh = Stream("p"), Stream("p")
    drawn.below(10)
    assert drawn.child("c").word() == fresh.child("c").word()


def test_draws_are_uniform():
    counts = np.bincount(Stream("uniform").below_many(10, 100_000), minlength=10)
    assert abs(counts - 10_000).max() < 400  # four standard deviations
    orders = {}
    for index in range(6_000):
        key = tuple(Stream("orders", index).shuffled("abc"))
        orders[key] = orders.get(key, 0) + 1
    assert len(orders) == 6 and all(abs(number - 1_000) < 130 for number in orders.values())


@given(KEYS, st.integers(1, 3000))
def test_a_permutation_is_a_bijection(key, size):
    assert sorted(Permutation(Stream(*key), size).take(np.arange(size)).tolist()) == list(range(size))


def test_a_permutation_is_had_value_by_value_and_refuses_what_is_outside():
    permutation = Permutation(Stream("p"), 900_000_000)
    taken = permutation.take(np.arange(100_000))
    assert len(set(taken.tolist())) == 100_000 and taken.min() >= 0 and taken.max() < 900_000_000
    assert permutation[77] == taken[77]
    with pytest.raises(IndexError):
        permutation[900_000_000]
    with pytest.raises(ValueError, match="values"):
        Permutation(Stream("p"), 0)


@given(KEYS, st.integers(0, 60), st.integers(0, 60))
def test_order_of_fewer_is_a_subsequence_of_the_order_of_more(key, few, more):
    few, more = sorted((few, more))
    order = Stream(*key).order(more).tolist()
    assert [unit for unit in order if unit < few] == Stream(*key).order(few).tolist()


@given(KEYS, st.integers(1, 12), st.integers(0, 5))
def test_blocks_are_balanced(key, size, block):
    drawn = [Stream(*key).balanced(range(size), block * size + i) for i in range(size)]
    assert sorted(drawn) == list(range(size))


def test_even_points_are_spread():
    points = sorted(Stream("e").even(i) for i in range(100))
    gaps = np.diff([points[-1] - 1, *points])
    assert gaps.max() < 0.03


def test_weighted_draws_follow_their_weights():
    counts = {"a": 0, "b": 0, "c": 0}
    for index in range(6_000):
        counts[Stream("w", index).weighted("abc", [1, 0, 5])] += 1
    assert counts["b"] == 0 and abs(counts["a"] - 1_000) < 130
    with pytest.raises(ValueError, match="weight"):
        Stream("w").weighted("abc", [1, 2])


@pytest.mark.parametrize("bad", [0, -1, 2**64 + 1])
def test_impossible_draws_are_refused(bad):
    with pytest.raises(ValueError, match="below"):
        Stream("x").below(bad)
    with pytest.raises(ValueError, match="sample"):
        Stream("x").sample([1, 2], 3)


def test_draws_do_not_depend_on_the_hash_seed():
    code = "from carrara.stream import Stream; print(Stream('h', 1).child('x').shuffled(range(20)))"
    assert len({python(code, PYTHONHASHSEED=seed) for seed in ("0", "1", "77")}) == 1


GOLDEN_WORDS = [1949035782393052899, 10587509983158033867, 8040944127097767881]
GOLDEN_BELOW = 76
GOLDEN_DICE = [2, 5, 0, 4, 3, 0, 1, 4, 2, 2, 2, 3]
GOLDEN_SAMPLE = ["a", "g", "b", "f", "d"]
GOLDEN_ORDER = [5, 1, 2, 3, 0, 4, 7, 6]
GOLDEN_PERMUTATION = [835, 634, 821, 1, 552, 928]
GOLDEN_BALANCED = ["b", "c", "a", "c", "b", "a", "a", "b", "c"]
GOLDEN_EVEN = [0.59694541, 0.214979398, 0.833013387]
GOLDEN_WEIGHTED = "c"
