"""cwe and fwe: exact counts, no word within another, lengths filled to the token, the shorter list in the longer."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from recalled import objections, recall_draft, recall_plan, used

from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.task import plan_from_json, plan_json
from carrara.tasks.helmet.synthetic_recall import coded_words as recall_words_coded
from carrara.tasks.helmet.synthetic_recall import words as recall_words
from carrara.tasks.helmet.synthetic_recall.words import choose, numbering
from carrara.tasks.helmet.synthetic_recall.words_solver import solve_code, solve_list
from carrara.tasks.helmet.synthetic_recall.zipf import occurrences, shares

LISTS = ("cwe", "cwe_hard")
CODES = ("fwe", "fwe_hard")
ODD_LENGTHS = (4_096, 4_097, 4_099, 5_555, 8_192, 8_950, 9_001, 20_011, 32_768)


def law(alpha, hard, dots):
    return occurrences(shares(alpha, hard, dots), dots)


def entries(draft):
    body = draft.prompt[draft.prompt.index("begins]\n") + 8 : draft.prompt.index("[The list ends]")]
    numbers, words = zip(*(line.split(". ") for line in body.splitlines()), strict=True)
    assert list(map(int, numbers)) == list(range(1, len(numbers) + 1))
    return list(words)


def units(draft):
    text = draft.prompt
    return text[text.index("begins]") + 8 : text.index(" [The coded text ends]")].split(" ")


def is_subsequence(short, long):
    rest = iter(long)
    return all(one in rest for one in short)


GOLDEN = {
    "cwe": ["sopabo", "tefego", "goweba"],
    "cwe_hard": ["bazema", "jofaro", "lamuxa"],
    "fwe": ["knpjdk", "srnhtm", "rtqzbj"],
    "fwe_hard": ["hdpvld", "fcqksp", "xzfxvs"],
}


@pytest.mark.parametrize("variant", [*LISTS, *CODES])
def test_what_a_key_says_is_pinned(variant):
    plan = recall_plan(variant, 0)
    words = plan.common if variant in LISTS else plan.asked
    assert list(words[:3]) == GOLDEN[variant]
    kind = recall_words.Plan if variant in LISTS else recall_words_coded.Plan
    assert plan_from_json(kind, plan_json(plan)) == plan


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("variant", LISTS)
def test_every_word_stands_exactly_as_often_as_its_kind(variant, tokenizer):
    for length in ODD_LENGTHS:
        draft = recall_draft(variant, 0, length, tokenizer)
        found = Counter(entries(draft))
        plan = recall_plan(variant, 0)
        assert {word: found.pop(word) for word in plan.common} == dict.fromkeys(plan.common, 30)
        assert {word: found.pop(word) for word in plan.decoys} == dict.fromkeys(plan.decoys, 27)
        assert set(found.values()) == {3} and len(plan.decoys) == (10 if variant == "cwe_hard" else 0)
        assert draft.answers == tuple(sorted(plan.common))
        # To the token: the answer takes what is left by words that cost three times themselves.
        assert used(draft, tokenizer) == length and 128 <= draft.max_output_tokens <= 130
        assert objections(draft) == []


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("variant", CODES)
def test_coded_words_follow_the_law_to_the_token(variant, tokenizer):
    for length in ODD_LENGTHS:
        draft = recall_draft(variant, 1, length, tokenizer)
        found = Counter(units(draft))
        dots = found.pop("...")
        times = [count for _, count in found.most_common()]
        assert [word for word, _ in found.most_common(3)] == list(draft.answers) == list(recall_plan(variant, 1).asked)
        assert times[0] > times[1] > times[2] > times[3]
        # Dots fill what the law leaves.
        assert any(law(2.0, variant == "fwe_hard", dots - more).tolist() == times for more in range(40))
        assert used(draft, tokenizer) == length and draft.max_output_tokens == 128
        assert objections(draft) == []


def test_the_law_is_zipfs():
    plain = law(2.0, False, 1_000_000)
    assert plain[:4].tolist() == [250_000, 111_111, 62_500, 40_000] and plain[-1] == 1
    assert abs(plain.sum() + 1_000_000 - 1_000_000 * np.pi**2 / 6) < 2_000
    leading = law(2.0, True, 1_000_000)
    assert leading[:9].tolist() == [122_222, 116_666, 111_111, *[105_555] * 5, 40_000]
    for alpha in (1.5, 2.0, 4.0):
        for hard in (False, True):
            smaller = law(alpha, hard, 5_000)
            larger = law(alpha, hard, 5_001)
            assert (larger[: len(smaller)] >= smaller).all() and (np.diff(larger) <= 0).all()


@pytest.mark.parametrize("variant", LISTS)
def test_a_shorter_list_stands_in_a_longer_one(variant):
    small, middle, large = (entries(recall_draft(variant, 2, length)) for length in (4_096, 8_192, 32_768))
    assert is_subsequence(small, middle) and is_subsequence(middle, large)


@pytest.mark.parametrize("variant", CODES)
def test_a_shorter_text_stands_in_a_longer_one(variant):
    small, large = (units(recall_draft(variant, 2, length)) for length in (4_096, 32_768))
    # The dots that fill a text are its own.
    words = [[one for one in listed if one != "..."] for listed in (small, large)]
    assert is_subsequence(*words)


@pytest.mark.parametrize("variant", [*LISTS, *CODES])
def test_tokenizers_change_only_the_amount(variant):
    ours, theirs = (recall_draft(variant, 3, 8_192, name) for name in ("o200k_base", "cl100k_base"))
    assert ours.answers == theirs.answers and ours.facts == theirs.facts
    taken = entries if variant in LISTS else units
    listed = [[one for one in taken(draft) if one in set(ours.answers)] for draft in (ours, theirs)]
    shorter, longer = sorted(listed, key=len)
    assert is_subsequence(shorter, longer)


@pytest.mark.parametrize("plans", [20, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", LISTS)
def test_no_word_stands_twice_nor_in_another_at_a_million_tokens(variant, plans):
    for index in range(plans):
        numbers = recall_words.word_numbers(recall_plan(variant, index), 1_048_576)
        assert len(numbers) > 87_000 and len(np.unique(numbers)) == len(numbers)
        # Numbers below this are distinct words, all of six letters.
        assert numbers.min() >= 0 and numbers.max() < recall_words.SPACE
    counts = recall_words.counts(recall_plan(variant, 0), 1_048_576)
    assert len(counts) == len(recall_words.word_numbers(recall_plan(variant, 0), 1_048_576))
    assert set(map(len, counts)) == {6} and all(re.fullmatch("([^aeiou][aeiou]){3}", word) for word in counts)
    assert len(set(recall_words.SYLLABLES)) == 100 and set(map(len, recall_words.SYLLABLES)) == {2}


@pytest.mark.parametrize("variant", CODES)
def test_coded_words_are_apart_at_a_million_tokens(variant):
    for index in range(500):
        plan = recall_plan(variant, index)
        counts = recall_words_coded.counts(plan, 1_048_576)
        times = list(counts.values())
        assert len(counts) == len(law(2.0, variant == "fwe_hard", 1_048_576)) >= 1_000
        assert times[0] > times[1] > times[2] > times[3] == max(times[3:])
        assert tuple(counts)[:3] == plan.asked and {len(word) for word in counts} == {6}


@pytest.mark.parametrize("variant", CODES)
def test_the_first_four_are_apart_at_every_length(variant):
    # By the dots alone, whatever words cost: none of the texts of 4k tokens or more has as few as 500.
    for dots in range(500, 3_000):
        times = law(2.0, variant == "fwe_hard", dots).tolist()
        assert times[0] > times[1] > times[2] > times[3]
    assert Counter(units(recall_draft(variant, 0, 4_096, "cl100k_base")))["..."] >= 500


def test_what_a_recipe_may_set():
    one = recall_draft("cwe", 0, 8_192, common=1, often=200, seldom=100)
    assert objections(one) == [] and one.prompt.endswith("this one word and nothing else.\n") and len(one.answers) == 1
    assert used(one) == 8_192
    many = recall_draft("cwe_hard", 0, 32_768, common=32)
    assert objections(many) == [] and len(many.answers) == len(many.facts["decoys"]) == 32
    assert used(many) == 32_768 and "Which 32 words" in many.prompt
    each = recall_draft("cwe", 0, 8_192, seldom=1)
    assert used(each) == 8_192 and each.max_output_tokens == 128 and objections(each) == []
    # Nearly as often is never less often than the others.
    assert recall_plan("cwe_hard", 0, often=4, seldom=3).nearly == 3
    for alpha in (1.5, 3.0):
        for variant in CODES:
            draft = recall_draft(variant, 0, 32_768, alpha=alpha)
            assert objections(draft) == [] and used(draft) == 32_768
    with pytest.raises(BudgetError):
        recall_draft("cwe", 0, 1_024)
    with pytest.raises(BudgetError):
        recall_draft("cwe", 0, 128)
    with pytest.raises(BudgetError):
        recall_draft("fwe", 0, 128)
    with pytest.raises(BudgetError):
        recall_draft("fwe_hard", 0, 512)


class Digits:
    """A vocabulary in which a number costs what its digits say."""

    def count_many(self, texts):
        return np.array([sum(map(int, text.removesuffix("."))) for text in texts], dtype=np.int64)


class Ones:
    """A vocabulary in which every number costs its length; it counts how many it was asked for."""

    asked = 0

    def count_many(self, texts):
        self.asked += len(texts)
        return np.array([len(text) for text in texts], dtype=np.int64)


def test_numbers_of_entries_are_counted_or_known():
    assert numbering(12_345, Digits())[-1] == sum(int(digit) for n in range(1, 12_346) for digit in str(n))
    ones = Ones()
    assert numbering(12_345, ones)[-1] == sum(len(str(n)) + 1 for n in range(1, 12_346)) and ones.asked < 1_000
    assert numbering(0, ones).tolist() == [0]


def test_whole_words_fit_any_room():
    stream = Stream("fit")
    for number in range(300):
        own = stream.child(number)
        times = own.choice((1, 2, 3, 5))
        costs = own.below_many(3, 2_000) + 2
        numbers = numbering(20_000, Ones())
        held = own.below(2_000)
        room = int(numbers[held]) + 3_000 + own.below(9_000)
        choice = choose(costs, times, numbers, held, room)
        spent = int(numbers[held + times * len(choice.kept)]) + times * int(costs[choice.kept].sum())
        assert room - spent == choice.short < times
        assert list(choice.kept) == sorted(set(choice.kept))
        # All but a few of the last are taken.
        assert (choice.kept[:-48] == np.arange(len(choice.kept) - 48)).all()


def test_words_of_one_cost_leave_less_than_one_of_them():
    numbers = numbering(9_000, Ones())
    choice = choose(np.full(2_000, 7, dtype=np.int64), 3, numbers, 100, 10_000)
    assert 0 <= choice.short < 3 * (7 + 5)
    with pytest.raises(BudgetError):
        choose(np.full(2_000, 7, dtype=np.int64), 3, numbers, 100, 100)
    with pytest.raises(ValueError, match="do not reach"):
        choose(np.full(20, 7, dtype=np.int64), 3, numbers, 100, 10_000)


def test_the_common_words_come_all_along():
    # Not only in some part: each tenth of a long list holds some of every common word's thirty.
    listed = entries(recall_draft("cwe", 5, 32_768))
    places = {}
    for place, word in enumerate(listed):
        places.setdefault(word, []).append(place / len(listed))
    for word in recall_plan("cwe", 5).common:
        gaps = [b - a for a, b in pairwise([0.0, *places[word], 1.0])]
        assert max(gaps) < 0.3


def test_solvers_leave_what_is_open():
    text = recall_draft("cwe", 0, 4_096).prompt
    first = entries(recall_draft("cwe", 0, 4_096))[0]
    assert solve_list(text) and not solve_code(text)
    for damaged in (
        text[:-1],
        text + "\n",
        text.replace("1. ", "2. ", 1),
        text.replace("Which 10", "Which 0"),
        "x" + text,
    ):
        assert solve_list(damaged) == ()
    # Ten words are asked where the tenth and the eleventh stand equally often.
    tied = text.replace("Which 10 words", "Which 12 words").replace("these 10 words", "these 12 words")
    assert solve_list(tied) == () and first
    coded = recall_draft("fwe", 0, 4_096).prompt
    third, fourth = [word for word, _ in Counter(re.findall("[a-z]{6}(?= )", coded[300:])).most_common(4)][2:]
    assert solve_code(coded) and not solve_list(coded)
    assert third != fourth and solve_code(coded.replace(third, fourth)) != solve_code(coded)
    for damaged in (coded[:-1], coded + " ", coded.replace(" ... ", " .. ", 1), coded.replace(" ... ", "  ", 1)):
        assert solve_code(damaged) == ()
