"""Guessers of rag, who do not look for the relation that is asked: what chance and cheap search would score.

`subem` reads the beginning of a response, so that a passage counts with its first 400 characters, which are two thirds
of it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft
from carrara.tasks.helmet.rag_solver import read_prompt

READ: Final = 400
# Words that begin sentences and name nothing.
_NO_NAMES: Final = frozenset(
    (
        *("The", "A", "An", "It", "Its", "He", "She", "His", "Her", "They", "Their", "In", "On", "At", "As", "Of"),
        *("For", "From", "With", "By", "And", "But", "Or", "This", "That", "These", "Those"),
    )
)
_NAME: Final = re.compile(r"[A-Z][\w’'-]*(?: [A-Z][\w’'-]*)*")
_WORD: Final = re.compile(r"\w+")


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Equally likely responses of each guesser."""
    reading = read_prompt(draft.prompt)
    if reading is None:
        return {}
    texts = [text for _, text in reading.passages]
    best = best_passage(reading.question, [f"{title} {text}" for title, text in reading.passages])
    return {
        "the passage that BM25 ranks first": (texts[best][:READ],),
        "the commonest name of that passage": (commonest_name([texts[best]], reading.question),),
        "the commonest name of all passages": (commonest_name(texts, reading.question),),
        "the first passage": tuple(text[:READ] for text in _first(draft, texts)),
        "any passage": tuple(text[:READ] for text in texts),
        "the title of the passage that BM25 ranks first": (reading.passages[best][0],),
        "no passage: the question again": (reading.question,),
        "no passage: an example's answer": tuple(answer for _, answer in reading.examples),
    }


def _first(draft: Draft, texts: Sequence[str]) -> list[str]:
    """The first passage of each row of the item: probes see one, in which a lone gold may be first by its position."""
    _, placements = draft.facts["position"]
    gold = [draft.prompt[start:end] for start, end in draft.evidence]
    if len(gold) > 1 or placements == 1:
        return [texts[0]]
    others = [text for text in texts if text not in gold]
    return [*gold, *others[:1] * (placements - 1)]


def best_passage(question: str, texts: Sequence[str]) -> int:
    """The number of the text that BM25 ranks first for a question, the first of equals."""
    import bm25s

    index = bm25s.BM25()
    index.index([_WORD.findall(text.lower()) for text in texts], show_progress=False)
    known = [word for word in _WORD.findall(question.lower()) if word in index.vocab_dict]
    return int(index.get_scores(known).argmax()) if known else 0


def commonest_name(texts: Sequence[str], question: str) -> str:
    """The capitalised phrase that stands in most texts and not in the question; "" for none, the first of equals."""
    counts: Counter[str] = Counter()
    for text in texts:
        found = dict.fromkeys(_NAME.findall(text))
        counts.update(name for name in found if name not in _NO_NAMES and name not in question)
    return counts.most_common(1)[0][0] if counts else ""
