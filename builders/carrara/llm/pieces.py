"""Pieces of writing from a language model: what to ask for, which answers to keep, and in what order.

The requests follow from a stream, so that a larger order repeats all requests of a smaller one, and another stream asks
for pieces about other people and places. Which answers are kept depends on the answers alone: the same cache gives the
same file, whatever the endpoint, the concurrency or the order of the answers.

Keys are cells of a table of formats and topics that grows as a square: any part of it holds keys that share the format,
the topic or, in another style, both, as the conversations of MRCR want.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from carrara.errors import CarraraError
from carrara.llm.client import Answer, Request, Unanswered
from carrara.sources.readers.pieces import MAX_PIECES, MAX_PIECES_A_KEY, near_duplicates, objection, tidy_text
from carrara.stream import Stream
from carrara.tables import PieceKey
from carrara.world.names.names import WorldNames
from carrara.world.pieces import FORMATS, STYLES, TOPICS, request

# MRCR's pieces are this long at most, under o200k_base.
MAX_TOKENS: Final = 512
# The tokens of a piece of normal length, measured on those of the invented world: for the estimate of the cost.
USUAL_TOKENS: Final = 280
# The most requests for a key, for each piece that it needs.
_NUMBERS_A_PIECE: Final = 3
# After this many answers a quarter of them must be usable.
_TRIAL: Final = 24
_NAMES: Final = 100_000
_MONTHS: Final = "January February March April May June July August September October November December"

_SYSTEM: Final = (
    "You write short pieces on request. Answer with the piece alone, in plain text: no greeting, no remark before or "
    "after it, no markup. A title on the first line is welcome. Write 120 to 250 words in lines or paragraphs. Never "
    "begin a line with User, Model, Assistant, Human or System and a colon. Make the piece unlike any other of its "
    "kind: let somebody called {person} come into it, a place called {town}, and the month of {month}."
)
_REFUSAL = re.compile(
    r"(i[’']m|i am) (very |so )?sorry,? but|sorry,? (but )?i|as an ai\b"
    r"|i (can[’']?t|cannot|can not|won[’']t|am unable to) (help|assist|write|create|provide|comply|fulfil|do that)",
    re.IGNORECASE,
)
# A first line in which the model talks before the piece.
_PREFACE = re.compile(
    r"((sure|certainly|of course|absolutely)[,!.][^\n]{0,200}[:!.]|(here[’']s|here is|here you)\b[^\n]{0,200}:)\n",
    re.IGNORECASE,
)
_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PieceOrder:
    """An order of `count` pieces, `per_key` for each key, in these formats, topics and styles ("" is no style)."""

    stream: str
    model: str
    count: int
    per_key: int = 8
    formats: tuple[str, ...] = FORMATS
    topics: tuple[str, ...] = TOPICS
    styles: tuple[str, ...] = ("", *STYLES)
    parameters: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, given, known in (
            ("format", self.formats, FORMATS),
            ("topic", self.topics, TOPICS),
            ("style", self.styles, ("", *STYLES)),
        ):
            if wrong := [entry for entry in given if entry not in known]:
                raise CarraraError(f"got the unknown {name} {wrong[0]!r}", f"known: {', '.join(filter(None, known))}")
            if not given or len(set(given)) != len(given):
                raise CarraraError(
                    f"got {name}s {', '.join(given)!r}, expected one or more, none twice", "correct the list"
                )
        most = min(MAX_PIECES, self.per_key * len(self.formats) * len(self.topics) * len(self.styles))
        if not 1 <= self.per_key <= MAX_PIECES_A_KEY or not 1 <= self.count <= most:
            message = (
                f"got {self.count:,} pieces, {self.per_key} a key; expected 1 to {most:,}, and 1 to {MAX_PIECES_A_KEY}"
            )
            raise CarraraError(message, "ask for fewer, or allow more formats, topics or styles")


class Written(NamedTuple):
    """A piece that is kept."""

    key: PieceKey
    number: int
    request: str
    text: str

    def row(self) -> dict[str, str]:
        """A line of the file, as the reader `pieces` takes it."""
        style = {"style": self.key.style} if self.key.style else {}
        named = {"format": self.key.format, "topic": self.key.topic, **style}
        return {**named, "request": self.request, "text": self.text}


class Commission:
    """An order in progress: `skipped` counts rejected answers by reason, `unanswered` holds failed requests."""

    def __init__(self, order: PieceOrder, count_tokens: Callable[[str], int]) -> None:
        self.order = order
        self._count_tokens = count_tokens
        self._stream = Stream(order.stream, "pieces of a model")
        self._names = WorldNames(self._stream)
        self.skipped: Counter[str] = Counter()
        self.unanswered: list[Unanswered] = []
        self._judged = 0

    @cached_property
    def keys(self) -> tuple[PieceKey, ...]:
        """The keys of the order: the first of a long sequence that depends on the stream alone."""
        wanted = -(-self.order.count // self.order.per_key)
        sequence = self._sequence()
        return tuple(key for key, _ in zip(sequence, range(wanted), strict=False))

    def wanted(self, index: int) -> int:
        """How many pieces to write for key number `index`: the last key may have fewer."""
        return min(self.order.per_key, self.order.count - index * self.order.per_key)

    def wording(self, key: PieceKey, number: int) -> str:
        """The user's request for a piece, which the file keeps."""
        return request(self._stream, key.format, key.topic, key.style or None, number)

    def request(self, key: PieceKey, number: int) -> Request:
        """The request to the model: the user's request, with names for this piece alone."""
        own = self._stream.child("piece", key.format, key.topic, key.style, number)
        person, town = (self._names.word("en", "pieces", own.below(_NAMES)) for _ in range(2))
        system = _SYSTEM.format(person=person, town=town, month=own.choice(_MONTHS.split()))
        messages = (("system", system), ("user", self.wording(key, number)))
        return Request(self.order.model, messages, self.order.parameters)

    def first_requests(self) -> Iterator[Request]:
        """The requests if every answer is kept."""
        for index, key in enumerate(self.keys):
            for number in range(self.wanted(index)):
                yield self.request(key, number)

    async def fill(self, ask: Callable[[Request], Awaitable[Answer]], tell: Callable[[int], None]) -> list[Written]:
        """Ask until each key has its pieces or its last try; return the pieces sorted by key and number.

        `tell` is called with 1 for each new piece and -1 for one that proves too similar to another. Failed requests
        are in `unanswered`; a later run may then return more pieces.
        """
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._fill_key(key, self.wanted(index), ask, tell))
                for index, key in enumerate(self.keys)
            ]
        written = [piece for task in tasks for piece in task.result()]
        return sorted(written, key=lambda piece: (piece.key.format, piece.key.topic, piece.key.style, piece.number))

    async def _fill_key(
        self, key: PieceKey, wanted: int, ask: Callable[[Request], Awaitable[Answer]], tell: Callable[[int], None]
    ) -> list[Written]:
        good: dict[int, str] = {}
        asked = failed = 0
        while (missing := wanted - len(good) - failed) > 0 and asked < wanted * _NUMBERS_A_PIECE:
            # Another number is another request: an answer that is too long or too similar is never cut or changed.
            numbers = range(asked, min(asked + missing, wanted * _NUMBERS_A_PIECE))
            asked = numbers.stop
            async with asyncio.TaskGroup() as group:
                tasks = {number: group.create_task(self._text(key, number, ask, tell)) for number in numbers}
            texts = {number: task.result() for number, task in tasks.items()}
            failed += sum(text is None for text in texts.values())
            good |= {number: text for number, text in texts.items() if text}
            places = sorted(good)
            for later in near_duplicates([good[number] for number in places]):
                del good[places[later]]
                self.skipped["like another"] += 1
                tell(-1)
        return [Written(key, number, self.wording(key, number), good[number]) for number in sorted(good)]

    async def _text(
        self, key: PieceKey, number: int, ask: Callable[[Request], Awaitable[Answer]], tell: Callable[[int], None]
    ) -> str | None:
        """The text of an answer, "" for a rejected one, None for a failed request."""
        try:
            answer = await ask(self.request(key, number))
        except Unanswered as error:
            self.unanswered.append(error)
            return None
        text, reason = judged(answer, self._count_tokens)
        self._judged += 1
        if reason:
            self.skipped[reason] += 1
            if self._judged >= _TRIAL and 4 * (self._judged - self.skipped.total()) < self._judged:
                raise CarraraError(
                    f"{self.skipped.total()} of {self._judged} answers cannot be used: {told(self.skipped)}",
                    "try another model, or a larger --max-tokens if it thinks before it writes",
                )
            return ""
        tell(1)
        return text

    def _sequence(self) -> Iterator[PieceKey]:
        order = self.order
        formats, topics = (
            self._stream.child("keys", name).shuffled(known)
            for name, known in (("formats", _of(FORMATS, order.formats)), ("topics", _of(TOPICS, order.topics)))
        )
        cells = [(formats[row], topics[column]) for row, column in _square(len(formats), len(topics))]
        for turn in range(len(order.styles)):
            for cell in cells:
                own = self._stream.child("keys", "styles", *cell)
                styles = own.shuffled(_of(("", *STYLES), order.styles))
                # Half of them begin without a style, as people ask.
                if "" in styles and own.child("without").below(2):
                    styles = ["", *filter(None, styles)]
                # Half of the cells have a second style at once, so that small orders have such keys, too.
                at_once = 1 + own.child("second").below(2)
                turns = [0] * at_once + list(range(1, len(styles)))
                yield from (PieceKey(*cell, style) for style, at in zip(styles, turns, strict=False) if at == turn)


def judged(answer: Answer, count_tokens: Callable[[str], int]) -> tuple[str, str]:
    """Return the text of an answer without the model's thoughts, and "" or the reason for rejecting it."""
    text = tidy_text(
        _THOUGHT.sub("", answer.text, count=1) if answer.text.lstrip().startswith("<think>") else answer.text
    )
    if answer.refused or _REFUSAL.match(text):
        return text, "refused"
    if answer.finish == "length":
        return text, "too long"
    if not text:
        return text, "empty"
    if count_tokens(text) > MAX_TOKENS:
        return text, "too long"
    if _PREFACE.match(f"{text}\n") or "<think>" in text:
        return text, "talks about itself"
    return text, "unfit" if objection(text) else ""


def told(skipped: Mapping[str, int]) -> str:
    """Return the reasons with their counts, the most frequent first."""
    return ", ".join(
        f"{count:,} {reason}" for reason, count in sorted(skipped.items(), key=lambda entry: (-entry[1], entry[0]))
    )


def _of(known: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """The chosen names in the order of the known ones, so that the user's order does not matter."""
    return [name for name in known if name in chosen]


def _square(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Every cell of a table, so that the first n * n make a square as long as the table is wide enough."""
    for edge in range(max(rows, columns)):
        yield from ((row, edge) for row in range(min(edge, rows)) if edge < columns)
        yield from ((edge, column) for column in range(min(edge + 1, columns)) if edge < rows)
