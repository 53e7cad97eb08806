"""Several needles: dealt, spaced and asked in an order of their own. What holds of every needle: test_single_needle."""

import json

import pytest
from cases import Case, separate
from mutants import NEEDLES
from tasks.test_single_needle import STREAM, haystack_of, longest_sentence, made_row, maker

from carrara.errors import BudgetError, ProofError, RecipeError
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_table
from carrara.task import Item, plan_stream
from carrara.tasks import TASKS
from carrara.tasks.needlebench.needles.layout import needle_depths


@pytest.mark.parametrize("lang", ["en", pytest.param("zh", marks=pytest.mark.repeat)])
@pytest.mark.parametrize("needles", [5, pytest.param(20, marks=pytest.mark.repeat)])
def test_several_needles_stand_where_they_are_wanted(lang, needles):
    made = maker("multi_needle", lang, needles=needles, decoys=0)
    count = made.tokenizer.count
    for bucket in ("8k", "32k"):
        for placement in (0, 5, 10):
            row = made_row(made, bucket, 1, placement)
            wanted = needle_depths(needles, placement / 10)
            text, places = haystack_of(row, lang)
            for depth, aim, (place, _) in zip(sorted(row.depths), wanted, places, strict=True):
                half = (longest_sentence(text, place, count, lang) / 2 + 4) / count(text)
                assert abs(depth - aim) <= half, (bucket, placement, depth, aim)
                assert count(text[:place]) / count(text) == pytest.approx(depth, abs=8 / count(text))
            order = [start for start, _ in row.evidence]
            assert [depth for _, depth in sorted(zip(order, row.depths, strict=True))] == sorted(row.depths)


def test_a_list_of_needles_is_dealt_evenly():
    counts = (1, 5, 10, 15, 20)
    params = TASKS["multi_needle"].params(needles=counts)
    stream = plan_stream(TASKS["multi_needle"], STREAM, "en")
    drawn = [
        len(TASKS["multi_needle"].plan(params, Item("multi_needle", "en", item), None, stream).facts)
        for item in range(40)
    ]
    for block in range(0, 40, 5):
        assert sorted(drawn[block : block + 5]) == list(counts)
    assert len({tuple(drawn[block : block + 5]) for block in range(0, 40, 5)}) > 1


def test_needles_stand_in_another_order_than_they_are_asked():
    stream = plan_stream(TASKS["multi_needle"], STREAM, "en")
    params = TASKS["multi_needle"].params()
    orders = [
        TASKS["multi_needle"].plan(params, Item("multi_needle", "en", item), None, stream).placed for item in range(300)
    ]
    assert all(sorted(order) == list(range(5)) for order in orders)
    # The first asked stands first in about a fifth of the items: asked first is not found first.
    first = [order.index(0) for order in orders]
    assert all(40 <= first.count(place) <= 80 for place in range(5))


@pytest.mark.parametrize("needles", [0, 21, -1, [3, 21]])
def test_impossible_numbers_of_needles_are_refused(needles):
    with pytest.raises(RecipeError, match="needles"):
        maker.__wrapped__("multi_needle", "en", needles=needles)


def test_too_many_needles_for_a_length_say_so():
    tiny = {
        "name": "tiny",
        "version": "1.0.0",
        "stream": STREAM,
        "tokenizer": "o200k_base",
        "buckets": {"1k": 1_024},
        "cell": [{"task": "multi_needle", "variants": ["en"], "questions": 1, "params": {"needles": 20}}],
    }
    made = RowMaker(recipe_from_table(tiny), None)
    with pytest.raises(BudgetError, match="multi_needle_en/1k/00000") as caught:
        made.make(made.recipe.configs()[0], made.recipe.configs()[0].slot(0))
    assert "larger bucket" in caught.value.hint


@pytest.mark.parametrize("lang", ["en", pytest.param("zh", marks=pytest.mark.repeat)])
def test_every_length_of_the_smallest_grid_can_be_made(lang):
    grid = {
        "name": "grid",
        "version": "1.0.0",
        "stream": STREAM,
        "tokenizer": "o200k_base",
        "buckets": {"4k": 4_096},
        "cell": [
            {"task": task, "variants": [lang], "questions": 1, "lengths": "grid", "params": {"depths": 3}}
            for task in ("single_needle", "multi_needle")
        ],
    }
    made = RowMaker(recipe_from_table(grid), None)
    for one in made.recipe.configs():
        for index in range(one.rows):
            slot = one.slot(index)
            try:
                row = made.make(one, slot).row
            except (BudgetError, ProofError) as error:
                pytest.fail(f"{one.name} row {index} at {slot.length} tokens: {error}")
            assert row.tokens + row.max_output_tokens == slot.length


@pytest.mark.parametrize("lang", ["en", pytest.param("zh", marks=pytest.mark.repeat)])
def test_two_depths_of_a_text_of_few_sentences_are_two_prompts(lang):
    short = {
        "name": "short",
        "version": "1.0.0",
        "stream": STREAM,
        "tokenizer": "o200k_base",
        "buckets": {"4k": 4_000},
        "cell": [
            {
                "task": "multi_needle",
                "variants": [lang],
                "questions": 1,
                "lengths": "grid",
                "grid": [1_000, 2_000],
                "params": {"depths": 20, "decoys": 0},
            }
        ],
    }
    made = RowMaker(recipe_from_table(short), None)
    (config,) = made.recipe.configs()
    rows = [made.make(config, config.slot(index)).row for index in range(config.rows)]
    assert len({row.prompt for row in rows}) == len(rows) == 40
    assert all(json.loads(row.facts)["depth"] == round(number % 20 / 19, 6) for number, row in enumerate(rows))


CASE = Case(variants=separate("en", "zh", metric="needlebench/answer"), mutants=NEEDLES)
