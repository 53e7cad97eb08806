"""Reads a json_kv prompt back and answers it: every line of the object is a pair, and one key is asked."""

import re
from dataclasses import dataclass
from typing import Final

from carrara.tasks.helmet.recall_pairs_templates import (
    ANSWER_PREFIX,
    CLOSE,
    EXAMPLE,
    EXAMPLES,
    INTRODUCTION,
    OBJECT,
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


@dataclass(frozen=True, slots=True)
class Reading:
    """The pairs of the object that stands at [start:end] of the prompt, braces included, the key asked, the examples.

    Of an example: its pairs, the key asked and the value given.
    """

    start: int
    end: int
    pairs: tuple[tuple[str, str], ...]
    key: str
    examples: tuple[tuple[tuple[tuple[str, str], ...], str, str], ...]


def read_prompt(prompt: str) -> Reading | None:
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
    return Reading(start, asked.start() + len(CLOSE), pairs, asked[1], examples)


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
    if head == INTRODUCTION:
        return ()
    if not head.startswith(INTRODUCTION + EXAMPLES):
        return None
    found = []
    at = len(INTRODUCTION + EXAMPLES)
    for number in (1, 2):
        title = EXAMPLE[: EXAMPLE.index("{shown}")].format(number=number) + OPEN
        stop = head.find(CLOSE, at)
        if stop < 0 or not head.startswith(title, at):
            return None
        pairs = _read_pairs(head, at + len(title), stop)
        asked = re.compile(rf"\n\nKey: ({UUID})\n{ANSWER_PREFIX} ({UUID})\n\n").match(head, stop + len(CLOSE))
        if pairs is None or asked is None:
            return None
        found.append((pairs, asked[1], asked[2]))
        at = asked.end()
    return tuple(found) if at == len(head) else None
