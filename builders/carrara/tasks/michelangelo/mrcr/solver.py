"""Reads MRCR prompts and answers them: the third conversation's turns, its last request, the pieces that it means.

A user's turn asks for a key if it names the key's format, topic and style (if any) as whole words, in any case and
order; so every request of a bank must name its own key and no other. The solver shares nothing with planning and
rendering, and is linear in the prompt.

The guessers of the paper (Michelangelo, section 3) begin with the right string and repeat a piece without looking it
up: any piece of the conversation (4 %), or any that shares topic or format with the asked one (9 %). A third guesser
repeats the last piece, the one nearest to the question.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft
from carrara.tasks.michelangelo.mrcr.prompt import (
    ABOUT,
    CONVERSATION,
    INTRODUCTION,
    MODEL,
    ORDINALS,
    QUESTION,
    STYLED,
    TURN_END,
    USER,
)

_START: Final = TURN_END + CONVERSATION.format(number=3) + USER
_NEXT: Final = TURN_END + USER
_QUESTION: Final = re.compile(
    re.escape(QUESTION).replace(r"\{string\}", "(?P<string>[A-Za-z0-9]{12})").replace(r"\{what\}", "(?P<what>[^\n]+)")
)
# A topic followed by a style.
_STYLED: Final = re.compile("(?P<topic>.+)" + STYLED.format(a="an?", style="(?P<style>.+)"))


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """What the user said, and where the model's piece stands in the prompt."""

    said: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PieceRequest:
    """What the last turn asks for: `ordinal` counts from 1, 0 where none is named; `style` "" for none."""

    string: str
    ordinal: int
    format: str
    topic: str
    style: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """The third conversation, which begins at `start`, and its last turn, the request, which begins at `end`."""

    turns: tuple[ReadTurn, ...]
    request: PieceRequest
    start: int
    end: int


def read_conversation(prompt: str) -> Conversation | None:
    """The third conversation of a prompt; None if the layout is not exactly this task's."""
    start = prompt.find(_START) + len(_START)
    end = prompt.rfind(_NEXT)
    if not prompt.startswith(INTRODUCTION) or start < len(_START) or end < start or prompt[-1:] != "\n":
        return None
    if (request := _request(prompt[end + len(_NEXT) : -1])) is None:
        return None
    turns = []
    at = start
    for text in prompt[start:end].split(_NEXT):
        if (cut := text.find(MODEL)) < 0:
            return None
        turns.append(ReadTurn(text[:cut], at + cut + len(MODEL), at + len(text)))
        at += len(text) + len(_NEXT)
    return Conversation(tuple(turns), request, start, end)


def matching(conversation: Conversation) -> Iterator[ReadTurn]:
    """The turns in which the user asked for the key of the last turn, in order."""
    asked = conversation.request
    words = [_words(part) for part in (asked.topic, asked.format, asked.style) if part]
    for turn in conversation.turns:
        if all(word.search(turn.said) for word in words):
            yield turn


def names_key(request: PieceRequest, text: str) -> bool:
    """Whether a text names format, topic and style of what is asked."""
    return all(_words(part).search(text) for part in (request.topic, request.format, request.style) if part)


def answer(prompt: str) -> str | None:
    """The string and the piece that the last turn asks for; None unless the prompt has exactly one such piece."""
    if (conversation := read_conversation(prompt)) is None:
        return None
    turns = list(matching(conversation))
    ordinal = conversation.request.ordinal
    if not turns or ordinal > len(turns) or (not ordinal and len(turns) > 1):
        return None
    turn = turns[max(0, ordinal - 1)]
    return conversation.request.string + prompt[turn.start : turn.end]


def _request(said: str) -> PieceRequest | None:
    if not (match := _QUESTION.fullmatch(said)):
        return None
    first, _, rest = match["what"].partition(" ")
    ordinal = ORDINALS.index(first) + 1 if first in ORDINALS else 0
    format_, about, topic = (rest if ordinal else match["what"]).partition(ABOUT)
    style = ""
    if styled := _STYLED.fullmatch(topic):
        topic, style = styled["topic"], styled["style"]
    return PieceRequest(match["string"], ordinal, format_, topic, style) if about and format_ and topic else None


def _words(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.IGNORECASE)


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Each guesser's equally likely responses; those of the first three include the asked piece."""
    conversation = read_conversation(draft.prompt)
    if conversation is None:
        return {}
    key = draft.facts["key"]
    shared = re.compile(rf"(?<!\w)(?:{re.escape(key['format'])}|{re.escape(key['topic'])})(?!\w)", re.IGNORECASE)
    string = conversation.request.string
    pieces = [(turn.said, string + draft.prompt[turn.start : turn.end]) for turn in conversation.turns]
    of_key = tuple(string + draft.prompt[turn.start : turn.end] for turn in matching(conversation))
    return {
        "any piece": tuple(piece for _, piece in pieces),
        "any piece of the topic or the format": tuple(piece for said, piece in pieces if shared.search(said)),
        # Where the key has a single piece, to find it is what is asked.
        "any piece of the key: the ordinal ignored": of_key if conversation.request.ordinal else (),
        "the last piece": (pieces[-1][1],),
    }
