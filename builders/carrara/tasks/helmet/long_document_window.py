"""The part of a chronicle or of minutes that a row shows: as much as fits, a question's evidence at the wanted depth.

The text before the evidence is what the depth asks of the row's room, rounded down to where a line begins (an item of
minutes), the rest stands behind it: a larger row shows more on both sides. Which chapters are asked for follows from
counted tokens; that they are asked for in blocks does not show.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np

from carrara.tables import Document, DocumentQuestion, Tables
from carrara.task import Budget

Kind = Literal["chronicle", "meeting"]
# About the tokens of a chapter and of an item: how many are asked for at first; more where they do not fill a row.
_TOKENS: Final = {"chronicle": 2_500, "meeting": 620}
# What stands before a place where a row may begin.
_BEFORE: Final = {"chronicle": "\n", "meeting": "\n\n"}


@dataclass(frozen=True, slots=True)
class Window:
    """Sentences with the white space (and the heading) that they own, from where the row begins.

    Number `evidence` of them, which without what it owns is `sentence`, has so many tokens `before` it. `costs`: tokens
    of each, shape (n,).
    """

    pieces: Sequence[str]
    costs: Any
    evidence: int
    sentence: str
    before: int


def pieces(text: str, sentences: Sequence[tuple[int, int]]) -> list[str]:
    """The sentences of a text with what stands between them: a newline ends one, a space or a heading begins one."""
    if not sentences:
        return []
    cuts = [0]
    for (_, end), (start, _) in pairwise(sentences):
        gap = text[end:start]
        space = gap[: len(gap) - len(gap.lstrip())]
        cuts.append(end + space.rfind("\n") + 1)
    cuts.append(sentences[-1][1])
    return [text[start:end] for start, end in pairwise(cuts)]


def window(
    tables: Tables,
    kind: Kind,
    number: int,
    question: DocumentQuestion,
    unit: int,
    depth: float,
    room: int,
    budget: Budget,
) -> Window:
    """What a row of `room` tokens shows around a question that chapter or item `unit` answers; a little more than fits.

    `depth` is the share of the room that stands before the evidence, in [0, 1).
    """
    units = room // _TOKENS[kind] + 1
    first = max(0, unit - int(depth * units) - 2)
    last = unit + int((1 - depth) * units) + 3
    while True:
        document = tables.excerpt("en", kind, number, first, last - first)
        shown = pieces(document.text, document.sentences)
        place, sentence = _place(document, question)
        costs = budget.count_many(shown)
        totals = np.concatenate(([0], np.cumsum(costs)))
        # The evidence itself has to fit too.
        aim = depth * (room - int(totals[place + 1] - totals[place]))
        if totals[place] < aim and first:
            first = max(0, first - max(2, units // 8))
        elif (begin := _begin(kind, shown, totals.tolist(), place, aim)) is not None:
            if totals[-1] - totals[begin] > room:
                before = int(totals[place] - totals[begin])
                return Window(shown[begin:], costs[begin:], place - begin, sentence, before)
            last += max(2, units // 8)
        else:
            first -= 1


def _place(document: Document, question: DocumentQuestion) -> tuple[int, str]:
    """The number of the sentence that answers the question, and the sentence."""
    (same,) = (one for one in document.questions if one.id == question.id)
    return document.sentences.index(same.evidence[0]), document.text[slice(*same.evidence[0])]


def _begin(kind: Kind, shown: Sequence[str], totals: Sequence[int], place: int, aim: float) -> int | None:
    """Where the row begins: the first place with at most `aim` tokens before the evidence, else the last there is."""
    places = [at for at in range(place + 1) if not at or shown[at - 1].endswith(_BEFORE[kind])]
    return next((at for at in places if totals[place] - totals[at] <= aim), places[-1])
