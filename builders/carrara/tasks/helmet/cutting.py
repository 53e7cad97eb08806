"""Documents cut at a sentence, from the end (HELMET, arXiv:2410.02694): as many sentences as a row has room for.

A document that is too short for a row is not used there: what fills a bucket must be its text, never padding.
Must not change without a major version: which sentences are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrara.context import Assembly, corrected
from carrara.errors import BudgetError
from carrara.task import Budget


@dataclass(frozen=True, slots=True)
class Shown(Assembly):
    """A prompt with the beginning of a document: `spans` of its sentences in the prompt, in code points.

    `next_unit`: tokens of the first sentence that did not fit. A span holds the white space that its sentence owns.
    """

    next_unit: int


def show(
    head: str, sentences: Sequence[str], tail: str, wanted: int, budget: Budget, costs: NDArray[np.int64] | None = None
) -> Shown:
    """The longest prompt of at most `wanted` tokens: `head`, the first sentences, `tail`.

    Sentences come with the white space that they own: a newline ends one, a space begins one (English); the last one
    shown loses its own at the end, so that `tail` brings what stands before it. `costs`: their tokens, shape (n,),
    where they are counted already. Raises BudgetError for a document that ends before the prompt is full.
    """
    if costs is None:
        costs = budget.count_many(list(sentences))
    totals = np.cumsum(costs)
    around = budget.count(head) + budget.count(tail)

    def lay_out(aim: int) -> Shown:
        kept = int(np.searchsorted(totals, aim - around, side="right"))
        if kept == len(sentences):
            raise BudgetError(
                f"the document has {int(totals[-1]) if kept else 0} tokens; its row has room for {aim - around}",
                "ask for fewer questions in this bucket (the longest documents come first), or use a smaller bucket",
            )
        if not kept:
            raise BudgetError(
                f"no sentence of the document fits: the fixed text takes {around} of {aim} tokens",
                "use a larger bucket, or shots = 0",
            )
        taken = [*sentences[: kept - 1], sentences[kept - 1].rstrip()]
        ends = (len(head) + np.cumsum([len(one) for one in taken])).tolist()
        text = "".join(taken)
        return Shown(
            prompt=head + text + tail,
            spans=tuple(zip([len(head), *ends[:-1]], ends, strict=True)),
            depths=(),
            filler_tokens=int(totals[kept - 1]),
            short=aim - around - int(totals[kept - 1]),
            next_unit=int(costs[kept]),
        )

    return corrected(lay_out, wanted, wanted, budget)
