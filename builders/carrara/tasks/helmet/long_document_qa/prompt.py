"""A long document prompt: its wording, and the part of a chronicle or of minutes that a row shows.

A row shows as much as fits with the question's evidence at the wanted depth. The depth gives the length of the text
before the evidence, rounded down to the beginning of a line (or of an item of minutes); the rest follows the evidence.
So a larger row shows more on both sides. Counted tokens decide which chapters are shown; the blocks in which they are
read do not matter. Planner and solver share only the wording.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np

from carrara.tables import Document, DocumentQuestion, Tables
from carrara.task import Budget

DocumentForm = Literal["story", "story_choice", "chronicle", "chronicle_choice", "meeting"]

_STORY: Final = "Below is a long text, the beginning of a book or a script, as much of it as there is room for."
_CHRONICLE: Final = "Below is a part of a long chronicle: the lives of some people in a town, chapter by chapter."
_CHOICE: Final = "After it comes a question with options, of which one is right.\n\n"
INTRODUCTION: Final[Mapping[DocumentForm, str]] = {
    "story": f"{_STORY} After it comes a question.\n\n",
    "story_choice": f"{_STORY} {_CHOICE}",
    "chronicle": f"{_CHRONICLE} After it comes a question.\n\n",
    "chronicle_choice": f"{_CHRONICLE} {_CHOICE}",
    "meeting": ("Below is a part of the minutes of a town council, item by item. After it comes a question.\n\n"),
}
EXAMPLES: Final = "Two examples show the form of a reply; the text that each of them asks about is left out.\n\n"
EXAMPLE: Final = "Example {number}\n{placeholder}\nQuestion: {question}\n{options}Answer: {answer}\n\n"
PLACEHOLDER: Final[Mapping[DocumentForm, str]] = {
    "story": "[the text of another story]",
    "story_choice": "[the text of another story]",
    "chronicle": "[a part of another chronicle]",
    "chronicle_choice": "[a part of another chronicle]",
    "meeting": "[a part of the minutes of another council]",
}
OPTION: Final = "{letter}. {text}\n"
TEXT: Final = "[The text begins]\n\n"
END: Final = "\n\n[The text ends]\n\n"
QUESTION: Final = "Question: {question}\n"
TAIL: Final = END + QUESTION + "{options}\n{ask}\n"
_ALONE: Final = "Reply with one line of the form “Answer: ANSWER”, where ANSWER is the answer alone"
_LETTER: Final = "Reply with one line of the form “Answer: X”, where X is the letter of the right option."
ASK: Final[Mapping[DocumentForm, str]] = {
    "story": f"{_ALONE}, in as few words as it takes.",
    "story_choice": _LETTER,
    "chronicle": f"{_ALONE}: a name or a sum, as the chronicle writes it.",
    "chronicle_choice": _LETTER,
    "meeting": f"{_ALONE}: a name, a sum or a date, as the minutes write it.",
}
ANSWER_PREFIX: Final = "Answer:"
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


LongDocumentKind = Literal["chronicle", "meeting"]
# Roughly the tokens of a chapter and of an item: for the first number to read; more if they do not fill a row.
_TOKENS: Final = {"chronicle": 2_500, "meeting": 620}
# The text before an index at which a row may begin.
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
    """The sentences of a text with the gaps: a newline belongs to the one before, a space or heading to the next."""
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
    kind: LongDocumentKind,
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
        index, sentence = _place(document, question)
        costs = budget.count_many(shown)
        totals = np.concatenate(([0], np.cumsum(costs)))
        # The evidence itself has to fit too.
        aim = depth * (room - int(totals[index + 1] - totals[index]))
        if totals[index] < aim and first:
            first = max(0, first - max(2, units // 8))
        elif (begin := _begin(kind, shown, totals.tolist(), index, aim)) is not None:
            if totals[-1] - totals[begin] > room:
                before = int(totals[index] - totals[begin])
                return Window(shown[begin:], costs[begin:], index - begin, sentence, before)
            last += max(2, units // 8)
        else:
            first -= 1


def _place(document: Document, question: DocumentQuestion) -> tuple[int, str]:
    """The index of the sentence that answers the question, and the sentence."""
    (same,) = (candidate for candidate in document.questions if candidate.id == question.id)
    return document.sentences.index(same.evidence[0]), document.text[slice(*same.evidence[0])]


def _begin(kind: LongDocumentKind, shown: Sequence[str], totals: Sequence[int], index: int, aim: float) -> int | None:
    """The index at which the row begins: the first with at most `aim` tokens before the evidence, else the last."""
    places = [at for at in range(index + 1) if not at or shown[at - 1].endswith(_BEFORE[kind])]
    return next((at for at in places if totals[index] - totals[at] <= aim), places[-1])
