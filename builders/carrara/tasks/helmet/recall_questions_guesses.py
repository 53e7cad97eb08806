"""Guessers of questions among documents, who do not look for what is asked: what chance and cheap search would score.

`ruler/any` reads the beginning of a response, so that a document counts with its first 400 characters.
"""

from typing import Final

from carrara.stream import Stream
from carrara.task import Draft
from carrara.tasks.helmet.rag_guesses import READ, best_passage, commonest_name
from carrara.tasks.helmet.recall_questions_solver import read_prompt

_MOST: Final = 2_000


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Equally likely responses of each guesser."""
    reading = read_prompt(draft.prompt)
    if reading is None:
        return {}
    texts = [text for _, text in reading.documents[:_MOST]]
    best = best_passage(reading.question, [f"{title} {text}" for title, text in reading.documents[:_MOST]])
    return {
        "the document that BM25 ranks first": (texts[best][:READ],),
        "the commonest name of that document": (commonest_name([texts[best]], reading.question),),
        "the title of that document": (reading.documents[best][0],),
        "any document": tuple(text[:READ] for text in texts),
    }
