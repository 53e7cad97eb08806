"""Single-needle retrieval: the name of one invented object, stated once in a long text (NeedleBench, section 3.1).

Differs from the paper: every item has a fact of its own, drawn from a space in which no two items share a name; the
needle stands at a sentence joint, never inside a word or character; the prompt is filled exactly to its length.
Must not change: the fact of an item, which depends on the stream, the variant and the item's number alone.
"""

from dataclasses import dataclass
from typing import Literal

from carrara.stream import Stream
from carrara.task import Inputs, Item, Lang, Task
from carrara.tasks.needlebench.facts import draw_facts
from carrara.tasks.needlebench.layout import NeedlePlan, check_layout, render_needles
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
        check_layout(self.depths, self.buffer)


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> NeedlePlan:
    """The item's fact; nothing of it depends on length or depth."""
    lang: Lang = "zh" if item.variant == "zh" else "en"
    return NeedlePlan(
        lang=lang,
        facts=draw_facts(stream, lang, item.index, 1),
        placed=(0,),
        depths=params.depths,
        even_depth=stream.child("depth").even(item.index),
        haystack=(*stream.key, item.index, "haystack"),
        question=params.question,
        recall_step=params.recall_step,
        buffer=params.buffer,
        repeat=params.repeat,
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
    sources=("world",),
    variants={"en": "en", "zh": "zh"},
    params=Params,
    plan_type=NeedlePlan,
    plan=plan,
    render=render_needles,
    solve=solve_needles,
    audit=audit_needles,
    placements=lambda params: params.depths,
)
