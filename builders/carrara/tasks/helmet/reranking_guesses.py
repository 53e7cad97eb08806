"""What rankings that do not read the passages, or only count words, score: for tables of chance."""

from collections.abc import Mapping, Sequence
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft
from carrara.tasks.helmet.naming import words
from carrara.tasks.helmet.reranking_solver import Listed, read
from carrara.tasks.helmet.reranking_templates import BEST, JOINT

_RANDOM: Final = 8


def guesses(draft: Draft, stream: Stream) -> Mapping[str, tuple[str, ...]]:
    """By name: as the passages stand, from the end, drawn at random (several times), and as BM25 ranks them."""
    problems = read(draft.prompt)
    if problems is None:
        return {}
    asked = problems[-1]
    ids = [passage.id for passage in asked.passages]
    drawn = [stream.child("ranking", number).sample(ids, min(BEST, len(ids))) for number in range(_RANDOM)]
    return {
        "order of appearance": (_ranking(ids),),
        "reverse order": (_ranking(ids[::-1]),),
        "random order": tuple(map(_ranking, drawn)),
        "BM25": (_ranking(_by_words(asked.question, asked.passages)),),
    }


def _ranking(ids: Sequence[str]) -> str:
    return JOINT.join(ids[:BEST])


def _by_words(question: str, passages: Sequence[Listed]) -> list[str]:
    """The IDs of the passages by BM25 over themselves; equal ones as they stand."""
    import bm25s
    import numpy as np

    index = bm25s.BM25()
    index.index([words(f"{one.title}\n{one.text}").split() for one in passages], show_progress=False)
    known = [word for word in words(question).split() if word in index.vocab_dict]
    scores = index.get_scores(known) if known else np.zeros(len(passages))
    return [passages[number].id for number in np.argsort(-scores, kind="stable").tolist()]
