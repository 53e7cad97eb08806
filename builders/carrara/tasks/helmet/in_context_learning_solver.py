"""Solves prompts whose texts are the world's utterances: the intent of a text, and the number that the intent has.

The intent is read by the world's wordings (`in_context_learning_wording.py`), its number off the examples: the number
whose examples are all of that intent. Of other texts people gave the labels, which no rule gives again.
"""

from carrara.tasks.helmet.in_context_learning_reading import read_prompt
from carrara.tasks.helmet.in_context_learning_wording import intents, is_of


def solve(prompt: str) -> tuple[str, ...]:
    """The label of the text that is asked; () where no one intent spells it, or its examples do not tell the number."""
    reading = read_prompt(prompt)
    if reading is None or len(found := intents(reading.asked)) != 1:
        return ()
    (intent,) = found
    shown: dict[int, bool] = {}
    fits = is_of(intent)
    for text, number in zip(reading.texts, reading.numbers, strict=True):
        if shown.get(number, True):
            shown[number] = fits(text)
    numbers = [number for number, alike in shown.items() if alike]
    return (str(numbers[0]),) if len(numbers) == 1 else ()
