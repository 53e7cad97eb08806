"""A prompt of in-context learning turned back into examples and the text that is asked; nothing here lays one out."""

import re
from dataclasses import dataclass
from typing import Final

from carrara.tasks.helmet.in_context_learning_templates import ASKED, INSTRUCTION, LABEL

_LAST: Final = re.compile("([0-9]{1,3})".join(re.escape(part) for part in INSTRUCTION.split("{last}")))
_MARK: Final = "\n" + LABEL.partition("{number}")[0]
_NUMBER: Final = re.compile("0|[1-9][0-9]{0,2}")


@dataclass(frozen=True, slots=True)
class Reading:
    """The examples in order, the highest number that the instruction names, and the text without a label."""

    last: int
    texts: list[str]
    numbers: list[int]
    asked: str


def read_prompt(prompt: str) -> Reading | None:
    """What a prompt says; None for any other text."""
    head = _LAST.match(prompt)
    at = prompt.rfind(ASKED)
    if head is None or at < head.end() or not prompt.endswith("\n"):
        return None
    asked = prompt[at + len(ASKED) : -1]
    blocks = prompt[head.end() : at].split("\n\n")
    if "\n" in asked or not asked or blocks.pop():
        return None
    texts, numbers = [], []
    for block in blocks:
        text, _, number = block.partition(_MARK)
        if not text or "\n" in text or not _NUMBER.fullmatch(number):
            return None
        texts.append(text)
        numbers.append(int(number))
    return Reading(int(head[1]), texts, numbers, asked)
