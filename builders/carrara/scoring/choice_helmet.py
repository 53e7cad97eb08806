"""Choice as HELMET publishes it (infbench_choice), defects included: exact match after SQuAD's normalisation.

The response, or what stands behind "Answer:", must equal the letter or "B. text" once articles and punctuation are
gone, so that "the" is right where the answer is A, whose letter is an article; "b. text" anywhere in the response is
right too. The first 100,000 characters are read. `choice` is the sound metric.
"""

from collections.abc import Mapping
from typing import Any

from carrara.scoring.subem import PAPER_READ, normalised, readings


def choice_helmet_paper(response: str, row: Mapping[str, Any]) -> float:
    """Return 1 if the response is the letter of `answers[0]` or holds its option, as published; else 0."""
    letter, choices = str(row["answers"][0]), list(row.get("choices") or ())
    number = ord(letter) - ord("A") if len(letter) == 1 else len(choices)
    option = f"{letter}. {choices[number]}" if 0 <= number < len(choices) else letter
    golds = {normalised(letter), normalised(option)}
    if any(normalised(text) in golds for text in readings(response)):
        return 1.0
    return float(option != letter and option.lower() in response[:PAPER_READ].lower())
