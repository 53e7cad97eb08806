"""RULER (arXiv:2404.06654, section 3): which of a row's answers occur in the response.

The corrected metrics read a bounded window, match whole words ignoring case, and score an echo of the prompt 0. Those
whose names end in /paper are the published ones and match substrings, so that "1234567" is found in "112345678".
RULER's clean the response with `printable`; HELMET's (`ruler/recall/paper`) does not.
"""

import re
from typing import Final

from carrara.scoring.facts import ScoredRow
from carrara.text.fold import fold, is_echo, occurs, share_found, window

_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f]")


def every(response: str, row: ScoredRow) -> float:
    """Return the share of the row's answers in the response (`ruler/all`)."""
    return 0.0 if is_echo(response, row) else share_found(list(row["answers"]), response)


def either(response: str, row: ScoredRow) -> float:
    """Return 1 if any of the row's answers occurs, else 0 (`ruler/any`)."""
    answers = list(row["answers"])
    text = window(response, [max(answers, key=len, default="")])
    return float(not is_echo(response, row) and any(occurs(fold(answer), text) for answer in answers))


def every_paper(response: str, row: ScoredRow) -> float:
    """Return RULER's published recall: the share of the answers that are substrings, ignoring case."""
    return recall_paper(printable(response), row)


def either_paper(response: str, row: ScoredRow) -> float:
    """Return RULER's published score for questions: 1 if any answer is a substring, ignoring case."""
    text = printable(response).lower()
    return float(any(answer.lower() in text for answer in row["answers"]))


def recall_paper(response: str, row: ScoredRow) -> float:
    """Return HELMET's published recall: the share of the answers that are substrings, ignoring case."""
    answers, text = list(row["answers"]), response.lower()
    return sum(answer.lower() in text for answer in answers) / len(answers) if answers else 0.0


def printable(response: str) -> str:
    """Clean a response as RULER does: strip it, and turn control characters (TAB too) into line ends."""
    return _UNPRINTABLE.sub("\n", response.strip()).strip()
