"""Multi-needle reasoning: a question whose answer follows from two to five facts of a long text (NeedleBench, 3.1).

Differs from the paper: with the world as source, the facts are a chain over invented entities that share no name with
another item's, and a solver proves each row. With a source of people's derivations (R4C), questions are dropped whose
answer stands in the question or in no fact. The facts stand in a drawn order, and never pile up. `answers` has only the
best name, for some metrics give the share of answers found; `facts` has the other names that count. With the step of
copying first, a response that copies all facts contains the answer, so the default metric reads the final answer. The
world's facts stand among those of other chains (`decoys = 0`: none).
Must not change: the derivation of an item, which depends only on the stream, the variant, the number of needles and the
number of earlier items with as many needles.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from carrara.errors import RecipeError
from carrara.stream import Draws, Permutation, Stream
from carrara.tables import Derivation
from carrara.task import Budget, Draft, Inputs, Item, Lang, Slot, Task
from carrara.tasks.needlebench.needle_reasoning.solver import audit_reasoning, solve_reasoning
from carrara.tasks.needlebench.needles.layout import (
    VARIANTS,
    LayoutParams,
    LayoutPlan,
    NeedleWording,
    check_needles,
    frame_parts,
    lay_out,
    placing,
    settled,
)
from carrara.tasks.needlebench.needles.prompt import (
    ANSWER_PREFIX,
    ASK,
    INTRODUCTION,
    REASONING_DIRECT,
    REASONING_HINT,
    REASONING_RECALL,
)
from carrara.tasks.needlebench.needles.solver import guesses

NEEDLES = (2, 3, 4, 5)
_WORLD: Final = frozenset(("world", "prose"))


@dataclass(frozen=True, slots=True)
class Params(LayoutParams):
    """What a recipe may set. `needles`: facts of a question, 2 to 5, or a list balanced over the items."""

    needles: int | tuple[int, ...] = NEEDLES

    def __post_init__(self) -> None:
        LayoutParams.__post_init__(self)
        check_needles(self.counts(), NEEDLES[0], NEEDLES[-1])

    def counts(self) -> tuple[int, ...]:
        """The numbers of needles, balanced over the items."""
        return self.needles if isinstance(self.needles, tuple) else (self.needles,)


@dataclass(frozen=True, slots=True)
class ReasoningPlan(LayoutPlan):
    """A layout, the derivation whose facts are the needles, and its number in the source's list."""

    derivation: Derivation
    number: int


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> ReasoningPlan:
    """The item's derivation: the next one with its number of facts, in a keyed order of the source's list.

    Raises RecipeError if the source has no more of them.
    """
    lang: Lang = "zh" if item.variant == "zh" else "en"
    needles, before = _dealt(params.counts(), item.index, stream.child("needles"))
    derivations = inputs.tables.derivations(lang, needles)
    if before >= len(derivations):
        raise RecipeError(
            f"item {item.index} of {item.task}_{item.variant} asks for question {before + 1} of {needles} needles; "
            f"the source has {len(derivations)}",
            "ask fewer questions, or for other numbers of needles",
        )
    number = Permutation(stream.child("derivations", needles), len(derivations))[before]
    return ReasoningPlan(
        derivation=derivations[number],
        number=number,
        **placing(params, lang, needles, item.index, stream),
    )


def render(plan: ReasoningPlan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The facts at the placement's depth in a haystack that fills the slot's length."""
    derivation = plan.derivation
    names = [name.strip("《》") for name in derivation.names]
    decoys = _decoys(plan, plan.decoy_count(len(derivation.facts), slot.length), inputs)
    laid = lay_out(plan, derivation.facts, names, _wording(plan), slot, inputs, budget, decoys)
    return Draft(
        prompt=laid.prompt,
        answers=derivation.answers[:1],
        complexity=len(derivation.facts),
        max_output_tokens=laid.max_output_tokens,
        depths=laid.depths,
        evidence=laid.evidence,
        facts={
            "reference": list(derivation.facts),
            "derivation": derivation.id,
            "asked": derivation.question,
            "accepted": list(derivation.answers),
            "names": list(derivation.names),
            "depth": laid.depth,
            "question": plan.question,
            "recall_step": plan.recall_step,
            "hint": plan.hint,
        },
    )


def _decoys(plan: ReasoningPlan, count: int, inputs: Inputs) -> list[str]:
    """The facts of other derivations of as many steps, at least `count` but for a rest; no name in common with the
    plan's. None for people's derivations, whose names come again."""
    steps = len(plan.derivation.facts)
    if not plan.derivation.names:
        return []
    others = inputs.tables.derivations(plan.lang, steps)
    start = Draws(Stream(*plan.haystack).child("others")).below(len(others))
    chosen = [(start + step) % len(others) for step in range(min(count // steps, len(others) - 1) + 1)]
    facts = [fact for number in chosen if number != plan.number for fact in others[number].facts]
    return Draws(Stream(*plan.haystack).child("facts")).shuffled(facts)[:count]


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise."""
    lang: Lang = "zh" if variant == "zh" else "en"
    return {
        "introduction": REASONING_HINT[lang] if params.hint else INTRODUCTION[lang][0],
        "request": (REASONING_RECALL if params.recall_step else REASONING_DIRECT)[lang],
        "asked": ASK[lang][0],
        **frame_parts(params, lang),
    }


def _dealt(counts: Sequence[int], item: int, stream: Stream) -> tuple[int, int]:
    """An item's number of needles, and the number of earlier items with as many."""
    block, position = divmod(item, len(counts))
    dealt = [stream.balanced(counts, block * len(counts) + number) for number in range(position + 1)]
    needles = dealt.pop()
    return needles, block * list(counts).count(needles) + dealt.count(needles)


def _wording(plan: ReasoningPlan) -> NeedleWording:
    lang = plan.lang
    hint = REASONING_HINT[lang].format(count=len(plan.derivation.facts))
    return NeedleWording(
        introduction=hint if plan.hint else INTRODUCTION[lang][0],
        asked=ASK[lang][0] + plan.derivation.question,
        how=(REASONING_RECALL if plan.recall_step else REASONING_DIRECT)[lang],
        several=False,
    )


TASK = Task(
    name="needle_reasoning",
    benchmark="needlebench",
    paper="NeedleBench (arXiv:2407.11963v1), section 3.1",
    asks="Find the sentences of a long text from which the answer to one question follows, and give it.",
    facts={
        "reference": "the sentences of the needles, in the order of the answers",
        "derivation": "the question's id in the source",
        "asked": "the question",
        "accepted": "the answers that count",
        "names": "the names from the one in the question to the answer",
        "depth": "where the needles were to stand, from 0 (top) to 1 (end)",
        "question": "whether the question stands after or before the text",
        "recall_step": "whether the prompt asks to write the needles down first",
        "hint": "whether the prompt tells how many sentences have nothing to do with the rest",
    },
    metrics=(
        "needlebench/answer",
        "needlebench/keywords",
        "needlebench/last",
        "needlebench/paper",
        "needlebench/keywords/paper",
        "needlebench/keyword_v2/paper",
    ),
    sources=("world", "r4c", "needlebench_reasoning_en", "needlebench_reasoning_zh"),
    # For real sources people wrote question and answer; the world's facts are a chain that a solver can follow.
    variants={name: replace(variant, solvable=_WORLD) for name, variant in VARIANTS.items()},
    params=Params,
    plan_type=ReasoningPlan,
    plan=plan,
    render=render,
    solve=solve_reasoning,
    audit=audit_reasoning,
    guesses=guesses,
    settled=settled,
    unused=lambda params: params.buffer,
    answer_prefix=lambda params, variant: ANSWER_PREFIX["zh" if variant == "zh" else "en"],
    parts=parts,
)
