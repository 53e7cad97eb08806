"""numeric_sorting: pinned plans, token formula, as many numbers as fit, shared material, and mutants objected to."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from cases import Case, Row
from mutants import edited, gold_exchanged

from carrara.errors import BudgetError
from carrara.making.row_maker import TokenBudget
from carrara.row import canonical_json
from carrara.scoring import METRICS
from carrara.task import Draft, Item, Slot, plan_from_json, plan_json, plan_stream
from carrara.tasks.verbatimeval.numeric_sorting import TASK, Params
from carrara.tokens import load_tokenizer


class NoInputs:
    """The task reads no source."""

    def haystack(self, lang, order, tokens, repeat):
        raise AssertionError("numeric_sorting takes no haystack")


VARIANTS = tuple(TASK.variants)


def make_plan(variant, index, **params):
    item = Item("numeric_sorting", variant, index)
    return TASK.plan(Params(**params), item, NoInputs(), plan_stream(TASK, "golden/1", variant))


@cache
def make(variant, index, length, tokenizer="o200k_base", digits=9, count=None) -> Draft:
    slot = Slot(Item("numeric_sorting", variant, index), f"{length}", length, index, 0, length)
    plan = make_plan(variant, index, digits=digits, count=count)
    return TASK.render(plan, slot, NoInputs(), TokenBudget(load_tokenizer(tokenizer)))


def numbers_of(draft: Draft):
    ((start, end),) = draft.evidence
    return draft.prompt[start:end].split(", ")


def objections(draft: Draft):
    found = [finding.what for finding in TASK.audit(draft)]
    return found if TASK.solve(draft.prompt) == draft.answers else [*found, "solver"]


def listing(draft: Draft, numbers):
    """The draft with another list in its prompt."""
    ((start, end),) = draft.evidence
    text = ", ".join(numbers)
    return replace(
        draft, prompt=draft.prompt[:start] + text + draft.prompt[end:], evidence=((start, start + len(text)),)
    )


GOLDEN_PLANS = {
    ("ascending", 0): '{"count":null,"digits":9,"numbers":["golden/1","numeric_sorting","ascending",0,"numbers"],'
    '"order":"ascending"}',
    ("descending", 1): '{"count":null,"digits":9,"numbers":["golden/1","numeric_sorting","ascending",1,"numbers"],'
    '"order":"descending"}',
    ("verbatim", 2): '{"count":null,"digits":9,"numbers":["golden/1","numeric_sorting","ascending",2,"numbers"],'
    '"order":"verbatim"}',
}
# A plan holds a key: what the key says is pinned too.
GOLDEN_NUMBERS = {
    "ascending": ["873270863", "206777781", "325091556", "809615210"],
    "descending": ["873270863", "206777781", "325091556", "809615210"],
    "verbatim": ["873270863", "206777781", "325091556", "809615210"],
}


@pytest.mark.parametrize(("variant", "index"), list(GOLDEN_PLANS))
def test_plans_are_pinned(variant, index):
    plan = make_plan(variant, index)
    assert plan_json(plan) == GOLDEN_PLANS[variant, index]
    assert plan_from_json(TASK.plan_type, plan_json(plan)) == plan


def test_numbers_are_pinned():
    found = {variant: numbers_of(make(variant, 0, 4_096))[:4] for variant in VARIANTS}
    assert found == GOLDEN_NUMBERS


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize(
    ("count", "tokens"), [(100, 498), (500, 2_498), (1_000, 4_998), (1_500, 7_498), (2_000, 9_998)]
)
def test_tokens_of_the_bare_list(tokenizer, count, tokens):
    draft = make("ascending", 0, 32_768, tokenizer, 9, count)
    counter = load_tokenizer(tokenizer).count
    assert counter(", ".join(numbers_of(draft))) == counter(draft.answers[0]) == tokens == 3 * count + 2 * (count - 1)
    assert draft.complexity == count
    assert counter(draft.prompt) + draft.max_output_tokens <= 32_768


@pytest.mark.parametrize("digits", range(5, 16))
def test_digits(digits):
    draft = make("descending", 0, 8_192, digits=digits)
    assert objections(draft) == []
    assert all(len(number) == digits for number in numbers_of(draft))
    n = draft.complexity
    assert load_tokenizer("o200k_base").count(draft.answers[0]) == n * -(-digits // 3) + 2 * (n - 1)


@pytest.mark.parametrize("tokenizer", ["o200k_base", pytest.param("cl100k_base", marks=pytest.mark.repeat)])
def test_solver_audit_and_fit_within_one_number(tokenizer):
    count = load_tokenizer(tokenizer).count
    for length, items in ((4_096, 22), (32_768, 3)):
        for variant in VARIANTS:
            for index in range(items):
                draft = make(variant, index, length, tokenizer)
                assert objections(draft) == []
                gold = count(draft.answers[0])
                # A number and its joint cost five tokens, in the list and, with the margin, in the answer; the other
                # wording may be two tokens longer.
                left = length - count(draft.prompt) - draft.max_output_tokens
                assert 0 <= left < 5 + 5.25 + 1 + 2
                assert draft.max_output_tokens == -(-gold * 105 // 100)


def test_n_is_the_largest():
    counts = [make("verbatim", 0, length).complexity for length in range(4_096, 4_096 + 42)]
    assert {b - a for a, b in pairwise(counts)} == {0, 1}
    # Four numbers are 41 tokens: 20 in the list and 21 in the answer.
    assert counts[41] - counts[0] == 4
    for length in (4_096, 4_101, 4_111):
        draft = make("verbatim", 0, length)
        with pytest.raises(BudgetError):
            make("verbatim", 0, length, count=draft.complexity + 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_lists_of_sizes_are_dealt_jointly_and_evenly(variant):
    sizes = {"digits": (6, 9), "count": (100, 500, 1_000)}
    dealt = [(plan.digits, plan.count) for plan in (make_plan(variant, index, **sizes) for index in range(60))]
    every = sorted((digits, count) for digits in sizes["digits"] for count in sizes["count"])
    assert all(sorted(dealt[start : start + 6]) == every for start in range(0, 60, 6))
    assert len({tuple(dealt[start : start + 6]) for start in range(0, 60, 6)}) > 5
    # The same for the variants of one base, and whatever a list of one says is said without.
    assert dealt[:6] == [(plan.digits, plan.count) for plan in (make_plan("ascending", n, **sizes) for n in range(6))]
    assert make_plan(variant, 7, digits=(9,), count=(100,)) == make_plan(variant, 7, digits=9, count=100)
    assert [make_plan(variant, n, digits=(6, 9)).count for n in range(4)] == [None] * 4


@pytest.mark.parametrize("skew", [3, 40, 300])
def test_where_counts_do_not_add_up_the_final_count_decides(skew):
    class Skewed(TokenBudget):
        def measure(self, prompt):
            return self.count(prompt) + skew

    budget = Skewed(load_tokenizer("o200k_base"))
    slot = Slot(Item("numeric_sorting", "ascending", 0), "4k", 4_096, 0, 0, 4_096)
    draft = TASK.render(make_plan("ascending", 0), slot, NoInputs(), budget)
    assert 0 <= 4_096 - budget.measure(draft.prompt) - draft.max_output_tokens < 2 * 10.25 + 2
    assert objections(draft) == []


def test_two_tokenizers_list_the_same_numbers():
    for variant in VARIANTS:
        one, other = make(variant, 0, 4_096), make(variant, 0, 4_096, "cl100k_base")
        assert (one.answers, one.facts) == (other.answers, other.facts)


def test_a_shorter_list_is_the_beginning_of_a_longer():
    for variant in VARIANTS:
        short, long = numbers_of(make(variant, 1, 4_096)), numbers_of(make(variant, 1, 32_768))
        assert len(short) < len(long) and long[: len(short)] == short


def test_pairs_share_their_material():
    for length in (*range(4_096, 4_107), 32_768):
        of_base = numbers_of(make("ascending", 3, length))
        assert numbers_of(make("verbatim", 3, length)) == numbers_of(make("descending", 3, length)) == of_base
    assert numbers_of(make("ascending", 3, 4_096)) != numbers_of(make("ascending", 4, 4_096))


@pytest.mark.slow
def test_a_million_tokens():
    for variant in VARIANTS:
        draft = make(variant, 0, 1 << 20)
        assert objections(draft) == []
        assert draft.complexity > 102_000
        assert len(set(numbers_of(draft))) == draft.complexity


# Every pair must be possible.
LISTS = ({"digits": (9, 4)}, {"count": (10, 9)}, {"digits": (9, 5), "count": (90_001,)}, {"digits": ()}, {"count": ()})


def test_the_range_is_a_limit():
    with pytest.raises(BudgetError, match="all 90000 numbers of 5 digits"):
        make("ascending", 0, 1 << 20, digits=5)
    with pytest.raises(BudgetError, match="expected at least 10"):
        make("ascending", 0, 150)
    with pytest.raises(BudgetError, match="expected at least 10"):
        make("ascending", 0, 20)
    for wrong in ({"digits": 4}, {"digits": 16}, {"count": 9}, {"digits": 5, "count": 90_001}, *LISTS):
        with pytest.raises(ValueError, match="expected"):
            Params(**wrong)


@pytest.mark.parametrize("variant", VARIANTS)
def test_mutants(variant):
    draft = make(variant, 0, 4_096)
    given, gold = numbers_of(draft), draft.answers[0].split(", ")
    assert objections(listing(draft, given)) == []
    for at in (0, 1, 100, len(given) - 1):
        assert {"count", "multiset", "solver"} <= set(objections(listing(draft, given[:at] + given[at + 1 :])))
        assert {"duplicate", "solver"} <= set(objections(listing(draft, [*given, given[at]])))
        other = str(int(given[at]) ^ 1)
        assert {"multiset", "solver"} <= set(objections(listing(draft, [*given[:at], other, *given[at + 1 :]])))
        for wrong in (gold[:at] + gold[at + 1 :], [*gold, gold[at]], [*gold[:at], other, *gold[at + 1 :]]):
            assert {"multiset", "solver"} <= set(objections(replace(draft, answers=(", ".join(wrong),))))
    swapped = [gold[1], gold[0], *gold[2:]]
    assert {"gold", "solver"} <= set(objections(replace(draft, answers=(", ".join(swapped),))))
    if variant == "verbatim":
        assert {"gold", "solver"} <= set(objections(listing(draft, [given[1], given[0], *given[2:]])))
    assert "sorted" in objections(listing(draft, sorted(given)))
    assert "sorted" in objections(listing(draft, sorted(given, reverse=True)))
    assert {"layout", "solver"} <= set(objections(listing(draft, [])))
    assert "evidence" in objections(replace(draft, evidence=((0, 10),)))
    assert "digits" in objections(replace(draft, facts={**draft.facts, "digits": 8}))
    assert "count" in objections(replace(draft, complexity=draft.complexity + 1))
    for other in VARIANTS:
        if other != variant:
            asked = replace(draft, prompt=make(other, 0, 4_096).prompt)
            assert {"order", "solver"} <= set(objections(asked))
    assert "solver" in objections(replace(draft, prompt=make(variant, 1, 4_096).prompt))


def test_solve_is_total_and_exact():
    prompt = make("ascending", 0, 4_096).prompt
    for text in (
        "",
        "\ud800",
        prompt[:-1],
        prompt + "\n",
        prompt.replace(", ", ",", 1),
        prompt.replace("[The list e", ""),
    ):
        assert TASK.solve(text) == ()
    assert TASK.solve(prompt.replace("smallest to the largest", "largest to the smallest", 1)) == ()


def test_wrong_answers_score_below_one():
    for variant in VARIANTS:
        draft, other = make(variant, 0, 4_096), make(variant, 1, 4_096)
        row = {"answers": list(draft.answers), "prompt": draft.prompt, "facts": canonical_json(draft.facts)}
        gold = draft.answers[0]
        numbers = gold.split(", ")
        wrong = ["", draft.prompt, gold[: -len(gold) // 10], other.answers[0], ", ".join(numbers[1:])]
        wrong += [", ".join([numbers[1], numbers[0], *numbers[2:]]), ", ".join([*numbers, numbers[-1]])]
        for name in TASK.metrics:
            assert METRICS[name](gold, row) == 1
            assert all(METRICS[name](text, row) < 1 for text in wrong)


def test_facts_are_small():
    draft = make("ascending", 0, 32_768)
    assert json.loads(canonical_json(draft.facts)) == {"n": draft.complexity, "order": "ascending", "digits": 9}
    assert draft.depths == ()


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


def numbers_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two numbers of the gold change places."""
    numbers = draft.answers[0].split(", ")
    numbers[3], numbers[7] = numbers[7], numbers[3]
    yield replace(draft, answers=(", ".join(numbers),))


def number_dropped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A number is missing: in the list, and in the gold."""
    ((start, end),) = draft.evidence
    numbers = draft.prompt[start:end].split(", ")
    yield edited(draft, start, end, ", ".join(numbers[:4] + numbers[5:]))
    gold = draft.answers[0].split(", ")
    yield replace(draft, answers=(", ".join(gold[:-1]),))


def number_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A number stands twice: in the list, in the gold, in both."""
    ((start, end),) = draft.evidence
    numbers = draft.prompt[start:end].split(", ")
    doubled = edited(draft, start, end, ", ".join([*numbers[:5], numbers[4], *numbers[5:]]))
    gold = draft.answers[0].split(", ")
    at = gold.index(numbers[4])
    both = ", ".join([*gold[:at], numbers[4], *gold[at:]])
    yield doubled
    yield replace(draft, answers=(both,))
    yield replace(doubled, answers=(both,))


# --- what the tests of all tasks have to know -------------------------------------------------------------------------


def is_prefix(small: Row, large: Row) -> None:
    """A longer list begins like a shorter one, but for the number that fills the length."""
    numbers = [row["prompt"][row["evidence"][0]["start"] : row["evidence"][0]["end"]] for row in (small, large)]
    assert numbers[1].startswith(numbers[0].rsplit(", ", 1)[0])


CASE = Case(
    variants=dict.fromkeys(("ascending", "descending", "verbatim"), ("ascending", "order/numbers")),
    mutants=(numbers_swapped, number_dropped, number_doubled, gold_exchanged),
    part=is_prefix,
)
