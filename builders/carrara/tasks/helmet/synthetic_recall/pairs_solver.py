"""Reads a json_kv prompt back (every line is a pair, one key is asked), answers it, proves a row, and guesses."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.synthetic_recall.prompt import (
    ANSWER_PREFIX,
    CLOSE,
    EXAMPLE,
    EXAMPLES,
    OBJECT,
    OBJECT_INTRODUCTION,
    OPEN,
    PAIR,
    TAIL,
)

UUID: Final = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
# Every pair but the last ends with a comma and a newline, and all have one length.
_LINE: Final = re.escape(PAIR).replace(re.escape("{key}"), f"({UUID})").replace(re.escape("{value}"), f"({UUID})")
_PAIR: Final = re.compile(_LINE)
_PAIR_LENGTH: Final = len(PAIR.format(key="", value="")) + 2 * 36
_ASKED: Final = re.compile(re.escape(CLOSE + TAIL).replace(re.escape("{key}"), f"({UUID})"))
_TAIL_LENGTH: Final = len(CLOSE + TAIL.format(key="")) + 36
_UUID: Final = re.compile(UUID)


@dataclass(frozen=True, slots=True)
class PairsReading:
    """The pairs of the object that stands at [start:end] of the prompt, braces included, the key asked, the examples.

    Of an example: its pairs, the key asked and the value given.
    """

    start: int
    end: int
    pairs: tuple[tuple[str, str], ...]
    key: str
    examples: tuple[tuple[tuple[tuple[str, str], ...], str, str], ...]


def read_prompt(prompt: str) -> PairsReading | None:
    """What a prompt says; None where it is not exactly of this kind."""
    asked = _ASKED.fullmatch(prompt, max(0, len(prompt) - _TAIL_LENGTH))
    # Both occur once before the object, and nothing of either inside it.
    begin = prompt.find(OBJECT + OPEN)
    if asked is None or begin < 0:
        return None
    examples = _examples(prompt[:begin])
    start = begin + len(OBJECT)
    pairs = _read_pairs(prompt, start + len(OPEN), asked.start())
    if examples is None or pairs is None:
        return None
    return PairsReading(start, asked.start() + len(CLOSE), pairs, asked[1], examples)


def solve(prompt: str) -> tuple[str, ...]:
    """The value of the key asked; () for any other prompt, and where the key stands in no pair or in two."""
    reading = read_prompt(prompt)
    if reading is None:
        return ()
    values = [value for key, value in reading.pairs if key == reading.key]
    return tuple(values) if len(values) == 1 else ()


def _read_pairs(text: str, start: int, end: int) -> tuple[tuple[str, str], ...] | None:
    # The comma that the last pair lacks is put back.
    lines = text[start:end] + ",\n"
    pairs = tuple(_PAIR.findall(lines))
    return pairs if pairs and len(pairs) * _PAIR_LENGTH == len(lines) else None


def _examples(head: str) -> tuple[tuple[tuple[tuple[str, str], ...], str, str], ...] | None:
    if head == OBJECT_INTRODUCTION:
        return ()
    if not head.startswith(OBJECT_INTRODUCTION + EXAMPLES):
        return None
    examples = []
    at = len(OBJECT_INTRODUCTION + EXAMPLES)
    for number in (1, 2):
        title = EXAMPLE[: EXAMPLE.index("{shown}")].format(number=number) + OPEN
        stop = head.find(CLOSE, at)
        if stop < 0 or not head.startswith(title, at):
            return None
        pairs = _read_pairs(head, at + len(title), stop)
        asked = re.compile(rf"\n\nKey: ({UUID})\n{ANSWER_PREFIX} ({UUID})\n\n").match(head, stop + len(CLOSE))
        if pairs is None or asked is None:
            return None
        examples.append((pairs, asked[1], asked[2]))
        at = asked.end()
    return tuple(examples) if at == len(head) else None


def audit(draft: Draft) -> Iterator[Finding]:
    """The object is JSON, no UUID stands twice but the key asked, and the asked pair stands where it shall."""
    reading = read_prompt(draft.prompt)
    if reading is None:
        yield Finding("layout", "the prompt is not examples, an object of UUIDs, one pair a line, and a key")
        return
    facts, prompt = draft.facts, draft.prompt
    if (read := _loaded(prompt[reading.start : reading.end])) != list(reading.pairs):
        yield Finding("object", f"as JSON it has {len(read)} pairs; {len(reading.pairs)} are read from its lines")
    uuids = _UUID.findall(prompt)
    # Every pair has two, every example names two of its own again, and the question one of the object's.
    given = 2 * (len(reading.pairs) + sum(len(pairs) for pairs, _, _ in reading.examples))
    named = 1 + 2 * len(reading.examples)
    if len(uuids) != given + named or len(set(uuids)) != given:
        yield Finding("duplicate", f"{len(set(uuids))} UUIDs of {given} in the pairs, {len(uuids)} times in all")
    if reading.key != facts["key"]:
        yield Finding("question", f"the prompt asks for {reading.key}, the facts say {facts['key']}")
    for number, (pairs, key, value) in enumerate(reading.examples, 1):
        if (key, value) not in pairs:
            yield Finding("example", f"example {number} gives {value} for {key}, which is no pair of its object")
    if facts["shots"] != len(reading.examples) or draft.complexity != 1:
        yield Finding("facts", f"{len(reading.examples)} examples, complexity {draft.complexity}")
    places = [index for index, (key, _) in enumerate(reading.pairs) if key == facts["key"]]
    if len(places) != 1 or len(draft.evidence) != 1 or len(draft.depths) != 1:
        yield Finding("evidence", f"the key stands at places {places[:5]}; {len(draft.evidence)} spans")
        return
    ((key, value),) = [reading.pairs[index] for index in places]
    if draft.answers != (value,):
        yield Finding("gold", f"the object gives {value}, recorded {draft.answers}")
    ((start, end),) = draft.evidence
    if prompt[start:end] != PAIR.format(key=key, value=value).removesuffix(",\n"):
        yield Finding("evidence", f"the span holds {prompt[start : min(end, start + 100)]!r}, not the asked pair")
    yield from _position(draft, places[0], len(reading.pairs) - 1)


def _position(draft: Draft, position: int, last: int) -> Iterator[Finding]:
    placement, positions = draft.facts["position"]
    share = placement / (positions - 1) if positions > 1 else draft.facts["depth"]
    # Rounded, so that an exact half may go either way.
    if abs(position - share * last) > 0.5 + 1e-6:
        yield Finding("position", f"the pair stands at place {position} of {last}, not at {share} of them")
    if abs(draft.depths[0] - position / max(1, last)) > 1e-6:
        yield Finding("position", f"depth {draft.depths[0]} recorded of place {position} of {last}")


def _loaded(text: str) -> list[tuple[str, str]]:
    try:
        read = json.loads(text, object_pairs_hook=list)
    except (RecursionError, ValueError):
        return []
    return read if isinstance(read, list) else []


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Equally likely responses of strategies that do not look the key up."""
    reading = read_prompt(draft.prompt)
    if reading is None:
        return {}
    values = [value for _, value in reading.pairs]
    keys = [key for key, _ in reading.pairs]
    position = keys.index(draft.facts["key"])
    return {
        "the first value": _at_an_end(draft, values, 0),
        "the last value": _at_an_end(draft, values, -1),
        "any value": tuple(values),
        "a value beside the right one": tuple(
            values[at] for at in (position - 1, position + 1) if 0 <= at < len(values)
        ),
        "the key most like the one asked": (values[_likest(keys, position)],),
        "an example's value": tuple(value for _, _, value in reading.examples),
        "the key again": (reading.key,),
    }


def _at_an_end(draft: Draft, values: list[str], end: int) -> tuple[str, ...]:
    """The value at an end in each row of the item: probes see one row, and in one of them the asked pair stands there.

    With a single position the row that is seen is the only one.
    """
    _, positions = draft.facts["position"]
    others = [value for value in (values if end == 0 else values[::-1]) if value not in draft.answers]
    return (*draft.answers, *others[:1] * (positions - 1)) if positions > 1 else (values[end],)


def _likest(keys: list[str], position: int) -> int:
    """The place of the key, but for the one at `place`, that begins with most of its characters."""
    asked = keys[position]

    def shared(at: int) -> int:
        pairs = zip(keys[at], asked, strict=True)
        return next((number for number, (own, other) in enumerate(pairs) if own != other), len(asked))

    return max((at for at in range(len(keys)) if at != position), key=shared, default=position)
