"""Ancestral trace: the eldest ancestor to whom a person can be traced among shuffled statements of kinship
(NeedleBench, arXiv:2407.11963v1, section 3.2: the Ancestral Trace Challenge).

The quartet: four lines with the same number of steps are drawn, and one of their bottoms is asked about; the options
are the answers for all four. So every rule that does not read the asked name is right in one row of four. One such
rule (the answer is mentioned once, or is nobody's child) solves all published items.

Differs from the paper: wording and names are ours, and every person of a row has another name. All three topologies
that the paper draws are built. Statements of other families fill the prompt, so that steps and length are independent.
The options are the quartet's (`options = "paper"` keeps the published form: people of the asked line).
Must not change: the four lines of an item, and statement j of its filler; both depend only on the stream and the
item's number.
"""

from dataclasses import dataclass
from typing import Final, Literal

from carrara.stream import Stream
from carrara.task import Inputs, Item, Lang, Task, Variant
from carrara.tasks.needlebench.ancestral_trace.checks import audit_trace
from carrara.tasks.needlebench.ancestral_trace.guesses import guesses
from carrara.tasks.needlebench.ancestral_trace.layout import render_trace
from carrara.tasks.needlebench.ancestral_trace.material import MAX_SHOTS, AncestralPlan
from carrara.tasks.needlebench.ancestral_trace.prompt import (
    ANSWER_PREFIX,
    BEGIN,
    END,
    EXAMPLE,
    EXAMPLES,
    HOW,
    INTRODUCTION,
    PROBLEM,
    QUESTIONS,
    TOLD,
    KinshipQuestion,
    Topology,
)
from carrara.tasks.needlebench.ancestral_trace.solver import solve_trace
from carrara.tasks.needlebench.ancestral_trace.structures import LINES, draw_structure

MAX_STEPS: Final = 160
_DEFAULT_STEPS: Final = (2, 9)


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set.

    `steps`: one number; two numbers, a range with its ends (the paper's is [2, 19]); or a list of three or more. They
    are balanced over the items. With `fill = "steps"` the bucket decides them; with `fill = "none"`, as in the paper, a
    prompt holds its own four lines and no other family, whatever its bucket is. `circular` makes four rows of an item,
    with the options rotated by one place each.
    """

    steps: int | tuple[int, ...] = _DEFAULT_STEPS
    topology: Topology = "chain"
    question: KinshipQuestion = "eldest"
    fill: Literal["families", "steps", "none"] = "families"
    options: Literal["quartet", "paper"] = "quartet"
    circular: bool = False
    shots: int = 4

    def __post_init__(self) -> None:
        # Four different distances need three steps of one or two generations.
        least = 3 if self.question == "distance" else 2
        counts = self.counts()
        if not counts or not all(least <= count <= MAX_STEPS for count in counts):
            raise ValueError(
                f"steps = {self.steps}: expected numbers from {least} to {MAX_STEPS}, a range with its ends"
            )
        if len(set(counts)) != len(counts):
            raise ValueError(f"steps = {self.steps}: expected each once")
        if not 0 <= self.shots <= MAX_SHOTS:
            raise ValueError(f"shots = {self.shots}: expected 0 to {MAX_SHOTS}")
        if self.options == "paper" and self.question != "eldest":
            raise ValueError(
                f"question = {self.question!r} with options = 'paper': the published question is the eldest"
            )
        if self.fill == "steps" and self.question == "distance":
            raise ValueError("fill = 'steps' with question = 'distance': distances that differ want a number of steps")
        if self.fill == "steps" and self.steps != _DEFAULT_STEPS:
            raise ValueError(f"steps = {self.steps} with fill = 'steps': the bucket decides them, leave them out")

    def counts(self) -> tuple[int, ...]:
        """The numbers of steps, balanced over the items."""
        if isinstance(self.steps, int):
            return (self.steps,)
        return tuple(range(self.steps[0], self.steps[1] + 1)) if len(self.steps) == 2 else self.steps


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> AncestralPlan:
    """The item's four lines, the line asked about, and the position of its answer among the options."""
    steps = stream.child("steps").balanced(params.counts(), item.index)
    own = stream.child(item.index)
    # In four items each letter is right once and each line is asked once; in sixteen, each line once at each letter.
    gold = stream.child("letters").balanced(range(LINES), item.index)
    asked = (stream.child("asked").balanced(range(LINES), item.index // LINES) + gold) % LINES
    lines = own.child("options").shuffled([line for line in range(LINES) if line != asked])
    structure = None
    if params.fill != "steps":
        structure = draw_structure(own.child("structure"), params.topology, params.question, steps)
    lang: Lang = "zh" if item.variant.endswith("zh") else "en"
    return AncestralPlan(
        lang=lang,
        reasoned=item.variant.startswith("reasoned"),
        topology=params.topology,
        question=params.question,
        options=params.options,
        shots=params.shots,
        structure=structure,
        alone=params.fill == "none",
        lines=(*lines[:gold], asked, *lines[gold:]),
        gold=gold,
        item=item.index,
        key=own.key,
        names=stream.key,
    )


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise; examples and problem share them."""
    lang: Lang = "zh" if variant.endswith("zh") else "en"
    reasoned = variant.startswith("reasoned")
    examples = {"examples": EXAMPLES[lang][params.shots > 1], "example": EXAMPLE[lang]} if params.shots else {}
    return {
        "introduction": INTRODUCTION[lang],
        "told": TOLD[lang][params.question],
        **examples,
        "problem": PROBLEM[lang],
        "begin": BEGIN[lang],
        "end": END[lang],
        "question": QUESTIONS[lang][params.question],
        "request": HOW[lang][reasoned],
    }


def _rotations(params: Params) -> int:
    return LINES if params.circular else 1


TASK = Task(
    name="ancestral_trace",
    benchmark="needlebench",
    paper="NeedleBench (arXiv:2407.11963v1), section 3.2",
    asks="Trace a person through shuffled statements of kinship and say who the eldest ancestor is.",
    facts={
        "steps": "statements from the person asked about to the answer",
        "topology": "chain, tree or graph: how the families are linked",
        "question": "what is asked: eldest, ancestor, descendant or distance",
        "fill": "families: other families fill the prompt; steps: steps do; none: nothing does",
        "options": "quartet: the answers for four like lines; paper: people of the asked line",
        "shots": "worked examples",
        "generations": "generations from the person asked about to the answer",
        "path": "the names from the person asked about to the answer",
    },
    metrics=("choice", "ancestral_trace/boxed/paper"),
    sources=(),
    variants={
        "direct_en": Variant(placements=_rotations),
        "reasoned_en": Variant("direct_en", placements=_rotations),
        "direct_zh": Variant(placements=_rotations),
        "reasoned_zh": Variant("direct_zh", placements=_rotations),
    },
    params=Params,
    plan_type=AncestralPlan,
    plan=plan,
    render=render_trace,
    solve=solve_trace,
    audit=audit_trace,
    guesses=guesses,
    unused=lambda params: None if params.fill == "none" else 0,
    view=lambda draft: str(draft.facts["topology"]),
    settled=lambda params, slot: {
        f"facts.{name}": getattr(params, name) for name in ("question", "fill", "options", "shots", "topology")
    },
    answer_prefix=lambda params, variant: ANSWER_PREFIX["zh" if variant.endswith("zh") else "en"][
        variant.startswith("reasoned")
    ],
    parts=parts,
)
