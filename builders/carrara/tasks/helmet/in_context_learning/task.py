"""Many-shot in-context learning: label a text as similar texts are labelled (HELMET, arXiv:2410.02694).

Labels are arbitrary numbers (a keyed permutation for every item), so that only the examples teach them. The examples
fill the prompt in rounds of one example per label, each round in an order of its own.

Differs from the paper: wording is ours. The prompt is filled to the token, so the last round is cut. No example is
used twice unless the recipe allows it (`repeat`), and the row records how often. Texts that occur twice, under two
labels, or in both examples and tests are left out. Tests are drawn evenly over the labels, none twice. clinc150 has a
label for what is out of scope. `world` has 166 intents of an invented town, which a solver knows. Each text of
`world_mixed` speaks of two or three matters and says that all but one are settled: the label is that of the one, and
the example with most words in common has any of them.
Must not change: which text item i asks about, its labels' numbers, example r of a label and the order of a round; they
depend only on the stream, the item's number and the source's texts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from carrara.context import Assembly, corrected
from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.task import Budget, Draft, Inputs, Item, Key, Slot, Task, Variant
from carrara.tasks.helmet.in_context_learning.checks import audit, guesses
from carrara.tasks.helmet.in_context_learning.material import Material, costs_of, drawn, material
from carrara.tasks.helmet.in_context_learning.prompt import (
    ANSWER_PREFIX,
    ASKED,
    INSTRUCTION,
    LABEL,
    LaidExamples,
    Rounds,
)
from carrara.tasks.helmet.in_context_learning.solver import solve

_OUTPUT: Final = 32
# The most examples of the asked label recorded as evidence: at 1M tokens there may be thousands.
_EVIDENCE: Final = 64
_SOURCES: Final = ("world", "trec_coarse", "trec_fine", "banking77", "clinc150", "nlu", "own")


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set: whether a label whose examples are used up repeats them in a new order."""

    repeat: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The item's number among the tests, which all items share, and the key of its numbers and examples."""

    item: int
    tests: Key
    key: Key
    repeat: bool
    mixed: bool


@dataclass(frozen=True, slots=True)
class _ExamplesPrompt(Assembly):
    """A finished prompt with its examples."""

    laid: LaidExamples


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The keys of the item's draws from its source."""
    return Plan(
        item.index,
        stream.child("tests").key,
        stream.child(item.index).key,
        params.repeat,
        item.variant == "world_mixed",
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The examples that fill the slot's length, and the text asked. Raises BudgetError if the source is used up."""
    held, key = material(inputs.tables, plan.mixed), Stream(*plan.key)
    asked = drawn(held, Stream(*plan.tests), plan.item)
    numbers = key.child("numbers").order(len(held.classes))
    lines = [LABEL.format(number=number) for number in numbers.tolist()]
    rounds = Rounds(held, costs_of(held, budget), budget.count_many(lines), key, plan.repeat)
    head = INSTRUCTION.format(last=len(held.classes) - 1)
    tail = f"{ASKED}{asked.text}\n"
    wanted = slot.length - _OUTPUT
    bare = budget.count(head) + budget.count(tail)
    class_ = held.classes.index(asked.label)

    def lay_out(aim: int) -> _ExamplesPrompt:
        if aim <= bare:
            raise BudgetError(f"instruction and text take {bare} tokens; the prompt has {aim}", "use a larger bucket")
        return _lay_out(head, tail, rounds.laid(aim - bare), held, lines, class_)

    shown = corrected(lay_out, wanted, wanted, budget)
    copies = np.bincount(shown.laid.texts)
    return Draft(
        prompt=shown.prompt,
        answers=(str(int(numbers[class_])),),
        complexity=0,
        max_output_tokens=_OUTPUT,
        evidence=shown.spans,
        facts={
            "question": asked.text,
            "question_id": asked.id,
            "label": asked.label,
            "labels": len(held.classes),
            "repeat": plan.repeat,
            "rounds": shown.laid.rounds,
            "examples": len(shown.laid.texts),
            "distinct": int(np.count_nonzero(copies)),
            "most": int(copies.max()),
        },
    )


def _lay_out(head: str, tail: str, laid: LaidExamples, held: Material, lines: list[str], asked: int) -> _ExamplesPrompt:
    classes, texts = laid.classes.tolist(), laid.texts.tolist()
    blocks = [f"{held.texts[text]}\n{lines[class_]}" for class_, text in zip(classes, texts, strict=True)]
    ends = len(head) + np.cumsum(held.lengths[laid.texts] + 1 + np.array([len(line) for line in lines])[laid.classes])
    spans = []
    for index in np.flatnonzero(laid.classes == asked)[:_EVIDENCE].tolist():
        # Without the blank line after it.
        spans.append((int(ends[index]) - len(blocks[index]), int(ends[index]) - 2))
    return _ExamplesPrompt("".join([head, *blocks, tail]), tuple(spans), (), 0, laid.short, laid)


def notes(draft: Draft) -> Mapping[str, int]:
    """The number of examples in a row, and their repetition."""
    return {
        "examples": draft.facts["examples"],
        "examples that differ": draft.facts["distinct"],
        "most copies of one example": draft.facts["most"],
        "whole rounds of every label": draft.facts["rounds"],
    }


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise."""
    return {"introduction": INSTRUCTION, "request": ASKED}


TASK = Task(
    name="in_context_learning",
    benchmark="helmet",
    paper="HELMET (arXiv:2410.02694), section 2.2",
    asks="Give a text the numbered label that texts of its kind have among thousands of examples.",
    facts={
        "question": "the text to label",
        "question_id": "its id in the source",
        "label": "the name of its label",
        "labels": "labels to choose from",
        "repeat": "whether an example may stand more than once",
        "rounds": "rounds of one example a label",
        "examples": "examples in the prompt",
        "distinct": "how many of them differ",
        "most": "how often the most repeated one stands",
    },
    metrics=("label", "label/paper"),
    sources=_SOURCES,
    # People labelled the real texts.
    variants={
        **{name: Variant(source=name, solvable=name == "world") for name in (*_SOURCES[1:], "world")},
        "world_mixed": Variant(source="world"),
    },
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    guesses=guesses,
    notes=notes,
    settled=lambda params, slot: {"complexity": 0, "max_output_tokens": _OUTPUT, "facts.repeat": params.repeat},
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
