"""What a prompt of many-shot in-context learning says: instruction, examples, and the text that has no label yet."""

from typing import Final

INSTRUCTION: Final = (
    "Every text below has a label under it: a whole number from 0 to {last}. Each number stands for one kind of text. "
    "What the kinds are is not told; it can be seen from the examples. The last text has no label yet. Decide which "
    "kind it is, and give the number of that kind. Answer with one line, “label: ” and the number, and with nothing "
    "else.\n\n"
)
LABEL: Final = "label: {number}\n\n"
ASKED: Final = "The text that has no label yet:\n\n"
ANSWER_PREFIX: Final = "label:"
