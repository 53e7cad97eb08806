"""Lays needles out in a haystack: the text of a needle task at a wanted length and depth (NeedleBench, section 3)."""

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


def render_needles(
    lang: Lang,
    facts: tuple[Fact, ...],
    placed: tuple[int, ...],
    haystack: Key,
    depth: float,
    question_before: bool,
    recall_step: bool,
    buffer: int,
    repeat: bool,
    slot: Slot,
    inputs: Inputs,
    budget: Budget,
) -> Draft:
    """The draft of a needle task. `placed[k]` is the number of the fact that stands k-th from the top."""
    room = output_tokens(len(facts))
    wanted = slot.length - room - buffer
    sentences = [fact.sentence(lang) for fact in facts]
    depths = needle_depths(len(facts), depth)
    pieces = [Piece(sentences[number], at) for number, at in zip(placed, depths, strict=True)]
    units = inputs.haystack(lang, Stream(*haystack), wanted, repeat)
    frame = _frame(lang, facts, question_before, recall_step)
    laid = assemble(frame, units, pieces, wanted, budget)
    rank = {number: place for place, number in enumerate(placed)}
    return Draft(
        prompt=laid.prompt,
        answers=tuple(fact.name for fact in facts),
        complexity=len(facts),
        max_output_tokens=room,
        depths=tuple(laid.depths[rank[number]] for number in range(len(facts))),
        evidence=tuple(laid.spans[rank[number]] for number in range(len(facts))),
        facts={
            "reference": sentences,
            "needles": [{"object": fact.object, "place": fact.place, "name": fact.name} for fact in facts],
            "depth": round(depth, 6),
            "question": "before" if question_before else "after",
            "recall_step": recall_step,
        },
        answer_prefix=ANSWER_PREFIX[lang],
        kept_free=buffer,
    )


def _frame(lang: Lang, facts: tuple[Fact, ...], question_before: bool, recall_step: bool) -> Frame:
    several = len(facts) > 1
    introduction = INTRODUCTION[lang][several].format(count=len(facts))
    questions = [QUESTION[lang].format(object=fact.object, place=fact.place) for fact in facts]
    asked = ASK[lang][several]
    asked += "\n".join(f"{number}. {text}" for number, text in enumerate(questions, 1)) if several else questions[0]
    how = (RECALL if recall_step else DIRECT)[lang][several]
    if question_before:
        head = f"{introduction}{asked}\n\n{BEGIN[lang]}"
        tail = f"{END[lang]}{ASKED_ABOVE[lang][several]}\n{how}\n"
    else:
        head = f"{introduction}{BEGIN[lang]}"
        tail = f"{END[lang]}{asked}\n{how}\n"
    return Frame(head, tail, "space" if lang == "en" else "none")
