"""ROUGE-L: how much of a reference's words a response holds in their order (Lin, 2004).

F1 of precision and recall of the longest common subsequence of words; of several references the best one counts. Words
are runs of ASCII letters and digits, in lower case, as the field's library (rouge-score) reads them, without its
stemmer, under which a cut word is the whole one. The subsequence is found by rapidfuzz, bit by bit: the library fills a
table, 7 s for two texts of 30,000 characters; a test compares the two. Text without one ASCII letter or digit
(Chinese) is read character by character.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rapidfuzz.distance import LCSseq

_WORD: Final = re.compile(r"[a-z0-9]+")


def rouge_l(response: str, row: Mapping[str, Any]) -> float:
    """The best F1 over the row's `answers`, in [0, 1]."""
    said = words(response)
    return max((f1(words(answer), said) for answer in row["answers"]), default=0.0)


def words(text: str) -> list[str]:
    """The words that ROUGE compares."""
    found = _WORD.findall(text.lower())
    return found or [character for character in text if character.isalnum()]


def f1(reference: Sequence[str], said: Sequence[str]) -> float:
    """F1 of the longest common subsequence of two lists of words."""
    if not reference or not said:
        return 0.0
    common = LCSseq.similarity(reference, said)
    return 2 * common / (len(reference) + len(said))
