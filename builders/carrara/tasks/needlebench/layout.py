"""Lays needles out in a haystack: the text of a needle task at a wanted length and depth (NeedleBench, section 3)."""

from dataclasses import dataclass
from typing import Literal

from carrara.context import Frame, Piece, assemble
from carrara.stream import Stream
from carrara.task import Budget, Draft, Inputs, Key, Lang, Slot
from carrara.tasks.needlebench.facts import Fact
from carrara.tasks.needlebench.templates import (
    ANSWER_PREFIX,
    ASK,
    ASKED_ABOVE,
    BEGIN,
    DIRECT,
    END,
    INTRODUCTION,
    QUESTION,
    RECALL,
)


def needle_depths(count: int, depth: float) -> list[float]:
    """Where `count` needles stand, top first: spacing s = min(10 %, 100 % / count), the first at d (1 - s (count - 1)).

    The last can stand at the end and none pile up; one needle stands at d = `depth`.
    """
    spacing = min(0.1, 1 / count)
    first = depth * (1 - spacing * (count - 1))
    return [min(1.0, first + spacing * number) for number in range(count)]


def output_tokens(count: int) -> int:
    """Room for the answer: 128 tokens a needle, at most 1,024."""
    return min(1_024, 128 * count)


@dataclass(frozen=True, slots=True)
class NeedlePlan:
    """What a needle task decides before any text exists.

    `facts` in the order asked; `placed[k]` is the number of the fact that stands k-th from the top; `depths` is the
    number of placements, and 1 means the item's own `even_depth`; `haystack` is the key that orders the filler.
    """

    lang: Lang
    facts: tuple[Fact, ...]
    placed: tuple[int, ...]
    depths: int
    even_depth: float
    haystack: Key
    question: Literal["after", "before"]
    recall_step: bool
    buffer: int
    repeat: bool


def check_layout(depths: int, buffer: int) -> None:
    """Refuse placements and free tokens out of range with ValueError."""
    if not 1 <= depths <= 101:
        raise ValueError(f"depths = {depths}: expected 1 to 101")
    if not 0 <= buffer <= 100_000:
        raise ValueError(f"buffer = {buffer}: expected 0 to 100,000 tokens")


def render_needles(plan: NeedlePlan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The needles at the placement's depth in a haystack that fills the slot's length."""
    room = output_tokens(len(plan.facts))
    wanted = slot.length - room - plan.buffer
    depth = slot.placement / (plan.depths - 1) if plan.depths > 1 else plan.even_depth
    sentences = [fact.sentence(plan.lang) for fact in plan.facts]
    pieces = [
        Piece(sentences[number], at)
        for number, at in zip(plan.placed, needle_depths(len(plan.facts), depth), strict=True)
    ]
    units = inputs.haystack(plan.lang, Stream(*plan.haystack), wanted, plan.repeat)
    laid = assemble(_frame(plan), units, pieces, wanted, budget)
    rank = {number: place for place, number in enumerate(plan.placed)}
    return Draft(
        prompt=laid.prompt,
        answers=tuple(fact.name for fact in plan.facts),
        complexity=len(plan.facts),
        max_output_tokens=room,
        depths=tuple(laid.depths[rank[number]] for number in range(len(plan.facts))),
        evidence=tuple(laid.spans[rank[number]] for number in range(len(plan.facts))),
        facts={
            "reference": sentences,
            "needles": [{"object": fact.object, "place": fact.place, "name": fact.name} for fact in plan.facts],
            "depth": round(depth, 6),
            "question": plan.question,
            "recall_step": plan.recall_step,
        },
        answer_prefix=ANSWER_PREFIX[plan.lang],
        kept_free=plan.buffer,
    )


def _frame(plan: NeedlePlan) -> Frame:
    lang, several = plan.lang, len(plan.facts) > 1
    introduction = INTRODUCTION[lang][several].format(count=len(plan.facts))
    questions = [QUESTION[lang].format(object=fact.object, place=fact.place) for fact in plan.facts]
    asked = ASK[lang][several]
    asked += "\n".join(f"{number}. {text}" for number, text in enumerate(questions, 1)) if several else questions[0]
    how = (RECALL if plan.recall_step else DIRECT)[lang][several]
    if plan.question == "before":
        head = f"{introduction}{asked}\n\n{BEGIN[lang]}"
        tail = f"{END[lang]}{ASKED_ABOVE[lang][several]}\n{how}\n"
    else:
        head = f"{introduction}{BEGIN[lang]}"
        tail = f"{END[lang]}{asked}\n{how}\n"
    return Frame(head, tail, "space" if lang == "en" else "none")
