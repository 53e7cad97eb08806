"""Rows of synthetic recall for the tests of its kinds: a maker for one variant, and drafts of any length."""

from functools import cache
from typing import Any

from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_table
from carrara.task import Draft, Item, Slot, plan_stream
from carrara.tasks.helmet.synthetic_recall.task import TASK

BUCKETS = {"4k": 4_096, "32k": 32_768}


@cache
def recall_maker(variant: str, tokenizer: str = "o200k_base", stream: str = "recall/1") -> RowMaker:
    """What makes rows of one variant."""
    return RowMaker(
        recipe_from_table(
            {
                "name": "recall",
                "version": "1.0.0",
                "stream": stream,
                "tokenizer": tokenizer,
                "buckets": BUCKETS,
                "cell": [{"task": "synthetic_recall", "variants": [variant], "questions": 20}],
            }
        ),
        None,
    )


def recall_plan(variant: str, index: int, stream: str = "recall/1", **params: Any) -> Any:
    """An item's plan; it reads no input."""
    return TASK.plan(
        TASK.params(**params), Item(TASK.name, variant, index), NoInputs(), plan_stream(TASK, stream, variant)
    )


class NoInputs:
    """For a plan: neither tables nor text."""


def recall_draft(
    variant: str, index: int, length: int, tokenizer: str = "o200k_base", stream: str = "recall/1", **params: Any
) -> Draft:
    """An item's row of so many tokens, as rendered."""
    made = recall_maker(variant, tokenizer, stream)
    slot = Slot(Item(TASK.name, variant, index), f"{length}", length, index, 0, length)
    plan = recall_plan(variant, index, stream, **params)
    return TASK.render(plan, slot, made.inputs(made.recipe.cells[0].source), made.budget)


def objections(draft: Draft) -> list[str]:
    """What audit and solver object to."""
    found = [finding.what for finding in TASK.audit(draft)]
    return found if TASK.solve(draft.prompt) == draft.answers else [*found, "solver"]


def used(draft: Draft, tokenizer: str = "o200k_base") -> int:
    """Tokens of prompt and answer."""
    return recall_maker("cwe", tokenizer).tokenizer.count(draft.prompt) + draft.max_output_tokens
