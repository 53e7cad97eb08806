"""What answers that do not read the passages score: for tables of chance."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft
from carrara.tasks.helmet.citations_solver import read
from carrara.tasks.helmet.citations_templates import CITED

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")
_PHRASE: Final = re.compile(r"(?:[A-Z][\w’'-]+)(?: [A-Z][\w’'-]+)+")


def guesses(draft: Draft, stream: Stream) -> Mapping[str, tuple[str, ...]]:
    """By name: the question again, the first sentence of the first passage, the phrase in capitals said most often."""
    reading = read(draft.prompt)
    if reading is None:
        return {}
    asked = reading.asked
    said = {"the question's words": asked.question.rstrip("?")}
    said["first sentence"] = _SENTENCE.split(asked.passages[0].text)[0].rstrip(".")
    phrases = Counter(phrase for one in asked.passages for phrase in _PHRASE.findall(f"{one.title}\n{one.text}"))
    if phrases:
        # Equally frequent ones: the first in the alphabet.
        said["most frequent phrase"] = min(phrases, key=lambda phrase: (-phrases[phrase], phrase))
    return {name: (CITED.format(statement=text, number=1),) for name, text in said.items()}
