"""The frame of an MRCR conversation: two worked examples, the question, and the user's remarks.

Remarks are sentences before the last requests. They fill a short prompt to the exact token if no choice of turns does;
a prompt of 8k tokens or more rarely needs them. Must not change: the order of the draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.context import fill
from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.tables import PieceKey
from carrara.task import Budget
from carrara.tasks.michelangelo.mrcr.filler import FillerTurn, write_turn
from carrara.tasks.michelangelo.mrcr.prompt import (
    ABOUT,
    ANSWER_PREFIX,
    CONVERSATION,
    EXAMPLE_REQUESTS,
    EXAMPLES,
    INTRODUCTION,
    ORDINALS,
    QUESTION,
    REMARKS,
    STYLED,
    TURN_END,
    USER,
)

STRING: Final = 12
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
# The most remarks before one request.
_A_TURN: Final = 4
# If few turns must take many tokens, only remarks of at least so many tokens are used.
_LONG: Final = 8


def draw_string(stream: Stream) -> str:
    """Twelve letters and digits."""
    return "".join(_LETTERS[at] for at in stream.below_many(len(_LETTERS), STRING).tolist())


def write_question(string: str, key: PieceKey, ordinal: int) -> str:
    """The last turn; `ordinal` counts from 1, 0 where the key has one piece."""
    what = f"{ORDINALS[ordinal - 1]} " if ordinal else ""
    what += f"{key.format}{ABOUT}{key.topic}"
    if key.style:
        what += STYLED.format(a="an" if key.style[0] in "aeiouAEIOU" else "a", style=key.style)
    return USER + QUESTION.format(string=string, what=what) + "\n"


def write_head(stream: Stream, asked: PieceKey, several: bool) -> str:
    """Introduction and examples; one example asks for the first of its two pieces, the other for the second.

    The two pieces share a key if the problem asks for one of `several`; otherwise they have two keys. No example has
    the asked key's format or topic.
    """
    theirs = {asked.format.casefold(), asked.topic.casefold()}
    usable = [example for example in EXAMPLES if not theirs.intersection(example[:2])]
    chosen = stream.child("examples").sample(usable, 4)
    first = stream.child("order").below(2)
    parts = [INTRODUCTION]
    for number in (0, 1):
        example, other = chosen[2 * number : 2 * number + 2]
        shown = (
            ((example, example[2]), (example, example[3])) if several else ((example, example[2]), (other, other[3]))
        )
        position = (number + first) % 2
        string = draw_string(stream.child("string", number))
        key = PieceKey(*shown[position][0][:2])
        parts.append(CONVERSATION.format(number=number + 1))
        for wording, ((format_, topic, _, _), piece) in zip(EXAMPLE_REQUESTS, shown, strict=True):
            parts.append(write_turn(FillerTurn(wording.format(format=format_, topic=topic), piece)))
        parts += [write_question(string, key, position + 1 if several else 0)]
        parts.append(f"{ANSWER_PREFIX} {string}{shown[position][1]}{TURN_END}")
    return "".join([*parts, CONVERSATION.format(number=3)])


@dataclass(frozen=True, slots=True)
class Remarks:
    """Remarks that contain no part of the asked key, each with a leading space, and their costs in tokens."""

    texts: list[str]
    costs: NDArray[np.int64]

    def fit(self, tokens: int, turns: int) -> list[str] | None:
        """Remarks of `tokens` together for the last of `turns` turns, the last turn's first; None if none add up."""
        for shortest, longest in ((0, tokens), (_LONG, tokens), (tokens, tokens)):
            usable = np.flatnonzero((self.costs >= shortest) & (self.costs <= longest))
            try:
                filling = fill(self.costs[usable], tokens)
            except BudgetError:
                continue
            if filling.tokens == tokens and len(filling.kept) <= _A_TURN * turns:
                break
        else:
            return None
        kept = [self.texts[usable[at]] for at in filling.kept]
        said = max(1, min(turns, -(-len(kept) // 2)))
        return ["".join(sorted(kept[at::said], key=len)) for at in range(said)]


def usable_remarks(stream: Stream, asked: PieceKey, budget: Budget) -> Remarks:
    """The remarks of an item, in the order of a stream."""
    words = [part.casefold() for part in (asked.format, asked.topic, asked.style) if part]
    order = (REMARKS[at] for at in stream.order(len(REMARKS)).tolist())
    texts = [f" {remark}" for remark in order if not any(word in remark.casefold() for word in words)]
    return Remarks(texts, budget.count_many(texts))


def spare_remarks(remarks: Sequence[str], turns: int) -> list[str]:
    """The remark before each of `turns` turns, "" for none: the remarks stand before the last turns."""
    said = [""] * turns
    for number, remark in enumerate(remarks, 1):
        said[-number] = remark
    return said
