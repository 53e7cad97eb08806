"""Summaries by rules that read little: the first sentences, the last ones, any; each of about the wanted length."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft

_END: Final = re.compile(r"(?<=[.!?”])\s+")
# Characters that a wanted word is looked for in: the ends of a text suffice.
_EACH: Final = 40
_DRAWN: Final = 4


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """By name: the lead (the usual baseline, strong for news, weak for stories), the end, sentences drawn by key."""
    start, end = draft.facts["body"]
    words = draft.facts["words"]
    far = min(end - start, _EACH * words + 1_000)
    first = _END.split(draft.prompt[start : start + far])
    last = _END.split(draft.prompt[end - far : end])
    return {
        "first sentences": (" ".join(_taken(first, words)),),
        "last sentences": (" ".join(reversed(list(_taken(reversed(last), words)))),),
        "random sentences": tuple(
            _random(draft.prompt, start, end, words, stream.child(turn)) for turn in range(_DRAWN)
        ),
    }


def _taken(sentences: Iterable[str], words: int) -> Iterator[str]:
    for sentence in sentences:
        if words <= 0:
            return
        words -= len(sentence.split())
        yield sentence


def _random(prompt: str, start: int, end: int, words: int, stream: Stream) -> str:
    """Whole sentences at places drawn by key, in the order of the text."""
    found: dict[int, str] = {}
    for _ in range(words):
        place = start + stream.below(end - start)
        parts = _END.split(prompt[place : min(end, place + 2_000)], maxsplit=2)
        if len(parts) > 2:
            found[place] = parts[1]
            if (words := words - len(parts[1].split())) <= 0:
                break
    return " ".join(found[place] for place in sorted(found))
