"""Single-needle retrieval: the name of one invented object, stated once in a long text (NeedleBench, section 3.1).

Differs from the paper: every item has a fact of its own, drawn from a space in which no two items share a name; the
needle stands at a sentence joint, never inside a word or character; the prompt is filled exactly to its length.
Must not change: the fact of an item, which depends on the stream, the variant and the item's number alone.
"""

from dataclasses import dataclass
from typing import Literal

from carrara.stream import Stream
from carrara.task import Budget, Draft, Inputs, Item, Key, Lang, Slot, Task
from carrara.tasks.needlebench.facts import Fact, draw_facts
from carrara.tasks.needlebench.layout import render_needles
from carrara.tasks.needlebench.reading import audit_needles, solve_needles


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set. `depths` placements from top to end; 1 spreads one placement an item evenly."""

    depths: int = 11
    question: Literal["after", "before"] = "after"
    recall_step: bool = True
    buffer: int = 0
    repeat: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.depths <= 101:
            raise ValueError(f"depths = {self.depths}: expected 1 to 101")
        if not 0 <= self.buffer <= 100_000:
            raise ValueError(f"buffer = {self.buffer}: expected 0 to 100,000 tokens")


@dataclass(frozen=True, slots=True)
class Plan:
    """The fact, where it may stand, and the key that orders the haystack."""

    lang: Lang
    fact: Fact
    depths: int
    even_depth: float
    haystack: Key
    question: Literal["after", "before"]
    recall_step: bool
    buffer: int
    repeat: bool


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's fact; nothing of it depends on length or depth."""
    lang: Lang = "zh" if item.variant == "zh" else "en"
    return Plan(
        lang=lang,
        fact=draw_facts(stream, lang, item.index, 1)[0],
        depths=params.depths,
        even_depth=stream.child("depth").even(item.index),
        haystack=(*stream.key, item.index, "haystack"),
        question=params.question,
        recall_step=params.recall_step,
        buffer=params.buffer,
        repeat=params.repeat,
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The needle at the placement's depth in a haystack that fills the slot's length."""
    return render_needles(
        lang=plan.lang,
        facts=(plan.fact,),
        placed=(0,),
        haystack=plan.haystack,
        depth=slot.placement / (plan.depths - 1) if plan.depths > 1 else plan.even_depth,
        question_before=plan.question == "before",
        recall_step=plan.recall_step,
        buffer=plan.buffer,
        repeat=plan.repeat,
        slot=slot,
        inputs=inputs,
        budget=budget,
    )


TASK = Task(
    name="single_needle",
    benchmark="needlebench",
    paper="NeedleBench (arXiv:2407.11963v1), section 3.1",
    asks="Find the one sentence of a long text that names an object, and give the name.",
    metrics=(
        "needlebench/keywords",
        "needlebench/single",
        "needlebench/first",
        "needlebench/keywords/paper",
        "needlebench/single/paper",
    ),
    sources=("prose",),
    variants={"en": "en", "zh": "zh"},
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve_needles,
    audit=audit_needles,
    placements=lambda params: params.depths,
)
