from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from carrara.errors import BudgetError
from carrara.making.row_maker import TokenBudget
from carrara.stream import Stream
from carrara.tables import Passage
from carrara.tasks.helmet.passages import BlockForm, PassageListing, PassageSupply, fit, is_sound, prices
from carrara.tokens import Tokenizer, load_tokenizer

WORDS = ("the", "of", "barn", "miller", "1847", "quietly", "O’Connor’s", "sheep,", "“late”", "Ulm", "and", "x")


def passage(number: int, size: int | None = None) -> Passage:
    stream = Stream("passages", number)
    words = [stream.choice(WORDS) for _ in range(size or 90 + stream.below(40))]
    return Passage(f"p{number}", f"Title {number}", f"Passage {number}. {' '.join(words)}.")


@cache
def many():
    return [passage(number) for number in range(4_000)]


PLAIN = BlockForm(lambda one: f"Title: {one.title}\n{one.text}\n\n")
NUMBERED = BlockForm(lambda one: f" {one.title}\n{one.text}\n\n", number=lambda place: f"[{place + 1}]")
LABELLED = replace(PLAIN, label=lambda one: f"ID: {7 * len(one.text) + 10_000}\n")
FORMS = {"plain": PLAIN, "numbered": NUMBERED, "labelled": LABELLED}


def ranked(passages):
    def read(count: int):
        if count > len(passages):
            raise BudgetError(f"the run holds {len(passages)}")
        return passages[:count]

    return read


def laid(
    form: BlockForm, wanted: int, budget, placed=(), passages=None, arrange=lambda taken, placed: [*taken, *placed]
):
    supply = PassageSupply(ranked(many() if passages is None else passages), form, budget)
    return fit("Read this.\n\n", "Question: who?\n", supply, placed, arrange, wanted, budget)


@pytest.fixture(params=["o200k_base", pytest.param("cl100k_base", marks=pytest.mark.repeat)])
def budget(request):
    return TokenBudget(load_tokenizer(request.param))


def check(found: PassageListing, form: BlockForm) -> None:
    start, end = found.body
    assert "".join(found.prompt[a : b + 2] for a, b in found.blocks) == found.prompt[start:end]
    for place, (one, (a, b), (c, d)) in enumerate(zip(found.passages, found.spans, found.blocks, strict=True)):
        assert found.prompt[a:b] == one.text and found.prompt[d : d + 2] == "\n\n"
        assert form.number is None or found.prompt[c:].startswith(f"[{place + 1}] {one.title}\n")
    assert list(found.depths) == sorted(found.depths) and found.depths[0] == 0
    assert found.place == {one.id: place for place, one in enumerate(found.passages)}


@pytest.mark.parametrize("name", FORMS)
def test_passages_fill_a_prompt_to_the_token(budget, name):
    # Lengths around which the count passes 9, 99 and 999, where a number takes a token more.
    around = range(214_000, 217_000, 1_000) if name == "numbered" else ()
    for wanted in (1_900, 2_013, 4_032, 19_000, 20_500, 50_000, *around):
        for placed in ((), (passage(9_001), passage(9_002))):
            found = laid(FORMS[name], wanted, budget, placed)
            assert budget.measure(found.prompt) == wanted and found.short == 0
            assert {one.id for one in placed} <= set(found.place)
            check(found, FORMS[name])


def test_the_best_ranks_stay_and_a_shorter_prompt_is_part_of_a_longer_one(budget):
    numbers = []
    for wanted in (4_032, 8_128, 32_704):
        kept = [int(one.id[1:]) for one in laid(PLAIN, wanted, budget).passages]
        assert kept == sorted(kept) and kept[-1] + 1 - len(kept) <= 22
        first_lost = next((number for number, held in enumerate(kept) if number != held), len(kept))
        assert first_lost >= len(kept) - 24
        numbers.append(kept)
    assert set(numbers[0]) < set(numbers[1]) < set(numbers[2])


def test_depths_are_tokens_before_over_tokens_of_all(budget):
    found = laid(NUMBERED, 4_032, budget, (passage(9_001),))
    costs = [budget.count(found.prompt[a : b + 2]) for a, b in found.blocks]
    assert sum(costs) == found.filler_tokens
    assert found.depths == tuple(round(sum(costs[:place]) / sum(costs), 6) for place in range(len(costs)))


def test_unsound_passages_and_what_was_said_before_are_left_out(budget):
    bad = [
        Passage("empty", "T", " "),
        Passage("short", "T", "See: a b."),
        Passage("lost", "T", f"{many()[0].text}\ufffd"),
        Passage("title", "T\ufffd", many()[0].text),
        Passage("lines", "T", "One line of text.\nAnd another one."),
    ]
    assert not any(map(is_sound, bad)) and all(map(is_sound, many()[:50]))
    assert is_sound(Passage("dots", "", f"{'. ' * 60}Ten letters here"))
    twice = replace(many()[1], id="again")
    read = [*bad, *many()[:2], twice, *many()[2:200]]
    supply = PassageSupply(ranked(read), PLAIN, budget, without={"p3"})
    supply.reach(5_000)
    assert [one.id for one in supply.passages[:4]] == ["p0", "p1", "p2", "p4"]
    assert len(supply.costs) == len(supply.passages) < 190


def test_how_deep_a_run_is_does_not_decide_what_is_kept(budget):
    deep = laid(PLAIN, 20_000, budget)
    for depth in (180, 200, 1_000):
        assert laid(PLAIN, 20_000, budget, passages=many()[:depth]).prompt == deep.prompt


def test_a_run_is_used_to_its_end_and_then_refused(budget):
    whole = sum(budget.count(PLAIN.write(one)) for one in many()[:100])
    bare = budget.count("Read this.\n\n") + budget.count("Question: who?\n")
    found = laid(PLAIN, whole + bare, budget, passages=many()[:100])
    assert len(found.passages) == 100
    with pytest.raises(BudgetError, match="the run holds 100"):
        laid(PLAIN, whole + bare + 1, budget, passages=many()[:100])


def test_what_is_placed_must_fit(budget):
    with pytest.raises(BudgetError, match="2 placed passages take"):
        laid(PLAIN, 150, budget, (passage(9_001), passage(9_002)))


def test_counts_that_do_not_add_up_are_corrected():
    # A merge over every blank line: the whole is shorter than its parts.
    def count(text: str) -> int:
        return len(text) // 4 + 1 - text.count("\n\n")

    budget = TokenBudget(Tokenizer("odd", "", count, False))
    found = laid(PLAIN, 4_000, budget, (passage(9_001),))
    assert 3_960 <= budget.measure(found.prompt) <= 4_000


def test_prices_are_counted_once_for_each_budget():
    counted: list[str] = []

    class Counting(TokenBudget):
        def count_many(self, texts):
            counted.extend(texts)
            return super().count_many(texts)

    budget = Counting(load_tokenizer("o200k_base"))
    texts = ["one two", "three", "one two"]
    assert prices(texts, budget).tolist() == [budget.count(text) for text in texts]
    assert prices(["three", "four five"], budget).dtype == np.int64 and counted == ["one two", "three", "four five"]
    prices(["three"], TokenBudget(load_tokenizer("cl100k_base")))
    assert len(counted) == 3 and prices([], budget).tolist() == []
