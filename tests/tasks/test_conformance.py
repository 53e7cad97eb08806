"""What holds of every task: a walk over the task table, at the smallest length, with real tokenizers and sources.

The same twice, in any order, for any number of rows; distinct; solvable; gold scores 1 and wrong answers less; every
mutant is objected to; pairs share their material; a plan survives JSON; two tokenizers say the same.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import pytest
from _pytest.mark import ParameterSet
from cases import case_of
from variants import ITEMS, LONG_ITEMS, folder, is_embedded, maker, many, need, recipe, repeated, row_of, rows

from carrara.making.proofs import gold_response, prove, wrong_responses
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_table
from carrara.row import row_digest
from carrara.scoring import ALTERNATIVES, METRICS
from carrara.scoring.metrics.short_answers import accepted
from carrara.stream import Stream
from carrara.task import Draft, Item, Slot, plan_from_json, plan_json, plan_stream
from carrara.tasks import TASKS


def every_variant() -> Iterator[ParameterSet]:
    """Task and variant, the tests of a variant on one worker: its rows are made once for all of them."""
    for name, task in TASKS.items():
        # Those that need no files first: they are the ones that everybody can run.
        for variant in sorted(task.variants, key=lambda variant: not is_embedded(name, variant)):
            marks = [pytest.mark.repeat] if (name, variant) in repeated() else []
            yield pytest.param(name, variant, marks=[pytest.mark.xdist_group(f"{name} {variant}"), *marks])


of_every_variant = pytest.mark.parametrize(("task", "variant"), [*every_variant()])


@lru_cache(maxsize=64)
def draft_of(made: RowMaker, item: int, bucket: str = "4k") -> tuple[Draft, Slot]:
    (config,) = (config for config in made.recipe.configs() if config.bucket == bucket)
    slot = config.slot(item * config.placements)
    return config.task.render(made.plan(config, item), slot, made.inputs(config.source), made.budget), slot


@of_every_variant
def test_rows_are_the_same_twice_in_any_order_and_for_any_number(task, variant):
    first = maker(task, variant)
    few = recipe(task, variant)
    many = replace(few, cells=(replace(few.cells[0], questions=dict.fromkeys(("4k", "8k", "32k"), ITEMS + 2)),))
    assert few.configs()[0].slot(3) == many.configs()[0].slot(3)
    again = RowMaker(many, folder(task, variant))
    config = again.recipe.configs()[0]
    for item in (ITEMS - 1, 0):
        other = again.make(config, config.slot(item * config.placements)).row.to_arrow()
        assert row_digest(row_of(first, "4k", item)) == row_digest(other), item


@of_every_variant
def test_rows_are_distinct_proven_and_within_budget(task, variant):
    made = rows(maker(task, variant))
    assert len({row["prompt"] for row in made}) == ITEMS
    assert len({row["id"] for row in made}) == ITEMS
    for each in made:
        assert each["tokens"] + each["max_output_tokens"] <= 4_096
        # The card tells what every field says.
        assert set(json.loads(each["facts"])) <= set(TASKS[task].facts)
        assert maker(task, variant).tokenizer.count(each["prompt"]) == each["tokens"]


@pytest.mark.parametrize("bucket", ["4k", "32k"])
@of_every_variant
def test_every_placement_is_proven(task, variant, bucket):
    need(task, variant, 4_096 if bucket == "4k" else 32_768)
    made = maker(task, variant)
    (config,) = (one for one in made.recipe.configs() if one.bucket == bucket)
    for placement in range(config.placements):
        assert row_of(made, bucket, 0, placement)["bucket"] == bucket


@of_every_variant
def test_gold_scores_one_and_wrong_answers_less(task, variant):
    made = rows(maker(task, variant))
    for number, row in enumerate(made):
        answers = tuple(row["answers"])
        assert METRICS[row["metric"]](gold_response(answers, row["metric"]), row) == 1
        other = tuple(made[(number + 1) % ITEMS]["answers"])
        names = accepted(row) if row["metric"] in ALTERNATIVES else ()
        for name, response in wrong_responses(row["prompt"], answers, other, names).items():
            assert METRICS[row["metric"]](response, row) < 1, name
            for metric in TASKS[task].metrics_of(variant):
                assert 0 <= METRICS[metric](response, row) <= 1, (name, metric)


def objected(task: str, variant: str, items: int) -> dict[str, int]:
    """Try every mutant on so many items: how often each was tried. Fails on one that goes unnoticed."""
    made, case = many(task, variant, items), case_of(task)
    tried = dict.fromkeys((mutant.__name__ for mutant in case.mutants_of(variant)), 0)
    for item in range(items):
        draft, _ = draft_of(made, item)
        other, _ = draft_of(made, (item + 1) % items)
        assert not list(TASKS[task].audit(draft))
        for mutant in case.mutants_of(variant):
            if mutant in case.unseen and not TASKS[task].solvable(variant, made.recipe.cells[0].source):
                tried[mutant.__name__] += 1
                continue
            for damaged in mutant(draft, other):
                tried[mutant.__name__] += 1
                solve = TASKS[task].solve
                # Where nothing can be solved, the audit alone has to notice.
                solved = solve is None or solve(damaged.prompt) == damaged.answers
                if solved and not list(TASKS[task].audit(damaged)):
                    pytest.fail(f"{task} {variant} item {item}: {mutant.__name__} goes unnoticed")
    return tried


@of_every_variant
def test_every_mutant_is_objected_to(task, variant):
    tried = objected(task, variant, ITEMS)
    untried = [name for name, times in tried.items() if not times]
    assert untried == list(case_of(task).absent.get(variant, ())), untried


def embedded(task: str) -> list[str]:
    """The variants of a task that need no files."""
    return [variant for variant in TASKS[task].variants if is_embedded(task, variant)]


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_mutants_of_two_hundred_rows_are_objected_to(task):
    for variant in embedded(task):
        assert objected(task, variant, -(-200 // len(embedded(task))))


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_thousand_rows_are_proven(task):
    # `make` raises on any finding: solver, gold, length, fill, evidence, wrong answers. One in ten at 32k.
    for variant in embedded(task):
        each = -(-1_000 // len(embedded(task)))
        made = many(task, variant, each)
        for config in made.recipe.configs():
            step = config.placements
            for item in range(each if config.bucket == "4k" else each // 10 if config.bucket == "32k" else 0):
                made.make(config, config.slot(item * step))


@of_every_variant
def test_proofs_find_a_row_that_is_too_long_or_not_full(task, variant):
    made = maker(task, variant)
    draft, slot = draft_of(made, 0)
    table = row_of(made, "4k", 0)
    count = made.tokenizer.count

    def found(damaged: Draft, columns: dict, at: Slot) -> set[str]:
        return {one.what for one in prove(TASKS[task], damaged, columns, at, True, count)}

    assert found(draft, table, slot) == set()
    assert "length" in found(draft, table, replace(slot, length=slot.length - 200))
    assert "fill" in found(draft, table, replace(slot, length=slot.length + 200))
    assert "gold" in found(replace(draft, answers=()), {**table, "answers": []}, slot)
    assert "gold" in found(replace(draft, answers=("...",)), {**table, "answers": ["..."]}, slot)
    assert "output" in found(replace(draft, max_output_tokens=1), table, slot)
    assert "evidence" in found(replace(draft, evidence=((5, 10**9),)), table, slot)


@pytest.mark.parametrize("bucket", ["4k", pytest.param("32k", marks=pytest.mark.repeat)])
@of_every_variant
def test_two_tokenizers_say_the_same(task, variant, bucket):
    if case_of(task).part:
        pytest.skip("its amount is what fits: see test_a_smaller_row_is_part_of_a_larger_one")
    ours, theirs = maker(task, variant), maker(task, variant, "cl100k_base")
    said = [
        [case_of(task).material(row_of(made, bucket, item)) for item in range(LONG_ITEMS)] for made in (ours, theirs)
    ]
    assert said[0] == said[1]


@of_every_variant
def test_a_smaller_row_is_part_of_a_larger_one(task, variant):
    need(task, variant, 32_768)
    made, case = maker(task, variant), case_of(task)
    for small, large in zip(rows(made, "4k")[:LONG_ITEMS], rows(made, "32k"), strict=True):
        assert small["item"] == large["item"]
        if (part := case.part) is not None:
            part(small, large)
        else:
            assert case.material(small) == case.material(large)


@of_every_variant
def test_variants_of_one_base_share_their_material(task, variant):
    base = TASKS[task].base(variant)
    if base == variant:
        pytest.skip("this variant is its own base")
    for row, of_base in zip(rows(maker(task, variant)), rows(maker(task, base)), strict=True):
        spans = [(one["evidence"][0]["start"], one["evidence"][0]["end"]) for one in (row, of_base)]
        shown = [one["prompt"][start:end] for one, (start, end) in zip((row, of_base), spans, strict=True)]
        if (case := case_of(task)).part is None:
            # What does not grow is the same whole.
            assert shown[0] == shown[1] and case.material(row)[:3] == case.material(of_base)[:3]
            continue
        shared = min(map(len, shown)) - 40
        assert shown[0][:shared] == shown[1][:shared] and shared > 0


@of_every_variant
def test_a_twin_shares_nothing(task, variant):
    made, other = maker(task, variant), maker(task, variant, stream="conformance/2")
    ours, twin = ([draft_of(one, item)[0] for item in range(LONG_ITEMS)] for one in (made, other))
    assert not {draft.prompt for draft in ours} & {draft.prompt for draft in twin}
    # A twin of a release on real texts has the same texts.
    if not case_of(task).shares_answers and is_embedded(task, variant):
        # Of letters the options that they stand for.
        golds = [{answer for draft in one for answer in draft.choices or draft.answers} for one in (ours, twin)]
        assert not golds[0] & golds[1]


@of_every_variant
def test_a_plan_survives_json_and_is_small(task, variant):
    made = maker(task, variant)
    config = made.recipe.configs()[0]
    for item in range(ITEMS):
        plan = made.plan(config, item)
        text = plan_json(plan)
        assert plan_from_json(TASKS[task].plan_type, text) == plan
        assert len(text.encode()) <= 16_384
    again = TASKS[task].plan(
        config.params,
        Item(task, variant, 2),
        made.inputs(config.source),
        plan_stream(TASKS[task], "conformance/1", variant),
    )
    assert again == made.plan(config, 2)


@of_every_variant
def test_planning_sees_no_text_and_no_tokenizer(task, variant):
    made = maker(task, variant)
    config = made.recipe.configs()[0]

    class Only:
        def __init__(self, **given):
            self.__dict__.update(given)

    inputs = Only()
    reads = case_of(task).reads(variant)
    if reads == "pieces":
        # Of a bank of pieces a plan may know the keys and how many pieces each has, of other inputs nothing.
        bank = made.inputs(config.source).tables.pieces()
        inputs = Only(tables=Only(pieces=lambda: Only(keys=bank.keys, count=bank.count)))
    elif reads == "tables":
        # What a plan may read: the tables of the source, which say what there is to ask.
        inputs = Only(tables=made.inputs(config.source).tables)
    elif TASKS[task].variants[variant].search:
        # The frozen run, which says what is asked and what answers it.
        inputs = Only(retrieved=made.inputs(config.source).retrieved)
    stream = plan_stream(TASKS[task], "conformance/1", variant)
    assert TASKS[task].plan(config.params, Item(task, variant, 1), inputs, stream)


@of_every_variant
def test_solvers_are_total(task, variant):
    solve = TASKS[task].solve
    if solve is None:
        pytest.skip("its answer is no computable thing: the written list stands in test_house")
    draft, _ = draft_of(maker(task, variant), 0)
    stream = Stream("damage")
    for text in (
        "",
        " ",
        "\n" * 50,
        "[The text begins]",
        "【正文结束】",
        ">> a",
        "1, 2, 3",
        "\ud800",
        draft.prompt[::-1],
    ):
        assert isinstance(solve(text), tuple)
    for _ in range(60):
        start, end = sorted(stream.below(len(draft.prompt)) for _ in range(2))
        assert isinstance(solve(draft.prompt[:start] + draft.prompt[end:]), tuple)


@pytest.mark.slow
@of_every_variant
def test_a_row_of_a_million_tokens_is_proven(task, variant):
    need(task, variant, 1_048_576)
    million = recipe_from_table(
        {
            "name": "million",
            "version": "1.0.0",
            "stream": "conformance/1",
            "tokenizer": "o200k_base",
            "buckets": {"1M": 1_048_576},
            "cell": [{"task": task, "variants": [variant], "questions": 1}],
        }
    )
    made = RowMaker(million, None)
    config = million.configs()[0]
    row = made.make(config, config.slot(0)).row
    assert row.tokens + row.max_output_tokens <= 1_048_576
    assert row.tokens + row.max_output_tokens >= 0.999 * 1_048_576
