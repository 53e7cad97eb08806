"""Lays needles out in a haystack: the text of a needle task at a wanted length and depth (NeedleBench, section 3).

All needle tasks share the depths of the needles, the recipe's settings for them, and the prompt around the haystack.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from carrara.context import Frame, Piece, assemble
from carrara.stream import Draws, Stream
from carrara.task import Budget, Inputs, Key, Lang, Slot, Variant
from carrara.tasks.needlebench.needles.prompt import ASKED_ABOVE, BEGIN, END

# A long text has a decoy for so many tokens; a short one has at most one for so many, of which it takes 20 to 30.
_TOKENS_A_DECOY: Final = 512
_TOKENS_AROUND: Final = 96
_PERCENT: Final = frozenset(range(101))
# Two depths with more tokens between them are never at one joint of two sentences.
_TOKENS_A_JOINT: Final = 256


def needle_depths(count: int, depth: float) -> list[float]:
    """The depths of `count` needles, top first: spacing s = min(10 %, 100 % / count), from d (1 - s (count - 1)) on.

    The last can stand at the end, and none pile up; a single needle stands at d = `depth`.
    """
    spacing = min(0.1, 1 / count)
    first = depth * (1 - spacing * (count - 1))
    return [min(1.0, first + spacing * number) for number in range(count)]


def output_tokens(count: int) -> int:
    """Room for the answer: 96 tokens a needle and 64, at most 1,536 (20 in Chinese, copied, then listed: 1,240)."""
    return min(1_536, 64 + 96 * count)


@dataclass(frozen=True, slots=True)
class LayoutParams:
    """What a recipe may set of any needle task.

    `depths` placements from top to end, or a list of their depths in percent, as in the paper from 32k on; 1 spreads
    one placement an item evenly. `buffer` tokens are kept free; `repeat` lets a haystack that runs out begin again.
    `hint` tells, as the paper does, that some sentences have nothing to do with the rest, and how many. `decoys`:
    sentences in the needles' own wording that answer nothing asked, so many to each needle and more in a long text
    (`LayoutPlan.decoy_count`); 0, as in the paper, leaves every needle the odd sentence of its text.
    """

    depths: int | tuple[int, ...] = 11
    question: Literal["after", "before"] = "after"
    recall_step: bool = True
    buffer: int = 0
    repeat: bool = False
    hint: bool = False
    decoys: int = 12

    def __post_init__(self) -> None:
        if not 0 <= self.decoys <= 100:
            raise ValueError(f"decoys = {self.decoys}: expected 0 to 100 to each needle")
        if self.hint and self.decoys:
            raise ValueError(f"hint = true tells how many odd sentences there are; with decoys = {self.decoys} it lies")
        if isinstance(self.depths, tuple):
            if not self.depths or list(self.depths) != sorted(set(self.depths)) or not _PERCENT.issuperset(self.depths):
                raise ValueError(
                    f"depths = {list(self.depths)}: expected percents from 0 to 100, each larger than the last"
                )
        elif not 1 <= self.depths <= 101:
            raise ValueError(f"depths = {self.depths}: expected 1 to 101")
        if not 0 <= self.buffer <= 100_000:
            raise ValueError(f"buffer = {self.buffer}: expected 0 to 100,000 tokens")


def _placements(params: LayoutParams) -> int:
    return len(params.depths) if isinstance(params.depths, tuple) else params.depths


def _depth(depths: int | tuple[int, ...], placement: int) -> float | None:
    """The depth of a placement; None for the item's own."""
    if isinstance(depths, tuple):
        return depths[placement] / 100
    return placement / (depths - 1) if depths > 1 else None


def language(variant: str) -> Lang:
    """The language of a needle task's variant."""
    return "zh" if variant.endswith("zh") else "en"


# The languages of every needle task: each has a haystack of its own.
VARIANTS: Final[Mapping[str, Variant]] = {
    "en": Variant(haystack="en", placements=_placements),
    "zh": Variant(haystack="zh", placements=_placements),
}


@dataclass(frozen=True, slots=True)
class LayoutPlan:
    """What every needle task decides before any text exists.

    `placed[k]`: the number of the needle that stands k-th from the top. `depths`: the number of placements, or each in
    percent; 1 means the item's own `even_depth`. `haystack`: the key that orders the filler.
    """

    lang: Lang
    placed: tuple[int, ...]
    depths: int | tuple[int, ...]
    even_depth: float
    haystack: Key
    question: Literal["after", "before"]
    recall_step: bool
    buffer: int
    repeat: bool
    hint: bool
    decoys: int

    def decoy_count(self, needles: int, length: int) -> int:
        """How many decoys a prompt and answer of `length` tokens have beside the needles: as many as the recipe says to
        each, more in a long text, and never so many that all of them take more than about a third of a short one."""
        if not self.decoys:
            return 0
        most = (length - output_tokens(needles)) // _TOKENS_AROUND - needles
        return max(0, min(max(self.decoys * needles, length // _TOKENS_A_DECOY), most))


def check_needles(counts: tuple[int, ...], least: int, most: int) -> None:
    """Refuse numbers of needles out of range with ValueError."""
    for needles in counts:
        if not least <= needles <= most:
            raise ValueError(f"needles = {needles}: expected {least} to {most} needles")
    if not counts:
        raise ValueError("needles = []: expected a number or a list of numbers")


def placing(params: LayoutParams, lang: Lang, needles: int, item: int, stream: Stream) -> dict[str, Any]:
    """The fields of an item's `LayoutPlan`; they do not depend on the text of the needles."""
    return {
        "lang": lang,
        "placed": tuple(stream.child(item, "placed").shuffled(range(needles))),
        "depths": params.depths,
        "even_depth": stream.child("depth").even(item),
        "haystack": (*stream.key, item, "haystack"),
        "question": params.question,
        "recall_step": params.recall_step,
        "buffer": params.buffer,
        "repeat": params.repeat,
        "hint": params.hint,
        "decoys": params.decoys,
    }


def settled(params: LayoutParams, slot: Slot) -> dict[str, object]:
    """What settings and slot decide of a row's facts, for every needle task."""
    facts: dict[str, object] = {f"facts.{name}": getattr(params, name) for name in ("question", "recall_step", "hint")}
    if (depth := _depth(params.depths, slot.placement)) is not None:
        facts["facts.depth"] = round(depth, 6)
    return facts


@dataclass(frozen=True, slots=True)
class NeedleWording:
    """The text around the haystack: what the reader will find, the question, and how to answer.

    `several`: more than one question is asked.
    """

    introduction: str
    asked: str
    how: str
    several: bool


@dataclass(frozen=True, slots=True)
class LaidNeedles:
    """A finished prompt; `depths` and `evidence` in the order of the given needles; `depth`: the wanted one."""

    prompt: str
    depth: float
    depths: tuple[float, ...]
    evidence: tuple[tuple[int, int], ...]
    max_output_tokens: int


def lay_out(
    plan: LayoutPlan,
    needles: Sequence[str],
    names: Sequence[str],
    wording: NeedleWording,
    slot: Slot,
    inputs: Inputs,
    budget: Budget,
    decoys: Sequence[str] = (),
) -> LaidNeedles:
    """The needles at the placement's depth in a haystack that fills the slot's length and holds none of their `names`.

    `decoys` stand anywhere but in the last sixteenth, where the filler is fitted to the length. A text of so few
    sentences that two placements of an item meet at one joint has other filler for the second: no two rows are one
    prompt. Raises BudgetError if the prompt without its haystack is longer than the length.
    """
    wanted = slot.length - output_tokens(len(needles)) - plan.buffer

    def at(placement: int, haystack: Stream) -> LaidNeedles:
        depth = _depth(plan.depths, placement)
        depth = plan.even_depth if depth is None else depth
        return _laid(plan, needles, names, wording, depth, wanted, haystack, inputs, budget, decoys)

    haystack = Stream(*plan.haystack)
    laid = at(slot.placement, haystack)
    placements = len(plan.depths) if isinstance(plan.depths, tuple) else plan.depths
    if (
        slot.placement
        and wanted <= _TOKENS_A_JOINT * placements
        and at(slot.placement - 1, haystack).prompt == laid.prompt
    ):
        return at(slot.placement, haystack.child("meeting", slot.placement))
    return laid


def _laid(
    plan: LayoutPlan,
    needles: Sequence[str],
    names: Sequence[str],
    wording: NeedleWording,
    depth: float,
    wanted: int,
    haystack: Stream,
    inputs: Inputs,
    budget: Budget,
    decoys: Sequence[str],
) -> LaidNeedles:
    """The prompt of `wanted` tokens with the needles from a depth on."""
    at_random = Draws(haystack.child("decoys"))
    # (depth, number, piece): needles are numbered from the top, decoys behind them; of one depth the needle is first.
    placed = sorted(
        [
            *(
                (at, rank, Piece(needles[number], at))
                for rank, (number, at) in enumerate(zip(plan.placed, needle_depths(len(needles), depth), strict=True))
            ),
            *(
                (at, len(needles) + rank, Piece(decoy, at))
                for rank, decoy in enumerate(decoys)
                for at in (at_random.below(15 << 20) / (16 << 20),)
            ),
        ],
        key=lambda each: each[:2],
    )
    pieces = [piece for _, _, piece in placed]
    units = inputs.haystack(plan.lang, haystack, wanted, plan.repeat, names)
    laid = assemble(_frame(plan, wording), units, pieces, wanted, budget)
    index = {rank: place for place, (_, rank, _) in enumerate(placed)}
    rank = {number: index[which] for which, number in enumerate(plan.placed)}
    return LaidNeedles(
        prompt=laid.prompt,
        depth=round(depth, 6),
        depths=tuple(laid.depths[rank[number]] for number in range(len(needles))),
        evidence=tuple(laid.spans[rank[number]] for number in range(len(needles))),
        max_output_tokens=output_tokens(len(needles)),
    )


def frame_parts(params: LayoutParams, lang: Lang) -> dict[str, str]:
    """The parts around the haystack that a recipe may word otherwise, for every needle task."""
    above = dict(zip(("asked_above_one", "asked_above"), ASKED_ABOVE[lang], strict=True))
    return {"begin": BEGIN[lang], "end": END[lang], **(above if params.question == "before" else {})}


def _frame(plan: LayoutPlan, wording: NeedleWording) -> Frame:
    lang = plan.lang
    if plan.question == "before":
        head = f"{wording.introduction}{wording.asked}\n\n{BEGIN[lang]}"
        tail = f"{END[lang]}{ASKED_ABOVE[lang][wording.several]}\n{wording.how}\n"
    else:
        head = f"{wording.introduction}{BEGIN[lang]}"
        tail = f"{END[lang]}{wording.asked}\n{wording.how}\n"
    return Frame(head, tail, "space" if lang == "en" else "none")
