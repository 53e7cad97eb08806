"""Latent List: the value of a view of a Python list (Michelangelo, arXiv 2409.12640, section 2.1).

A gold that starts with "[" is a printed list: the whole list must be equal. Any other gold is an integer t, and a
response p scores 1 - min(1, |p - t| / (|t| + 1e-10)). Nothing is evaluated: numbers are found by a pattern, and no
integer of more than 300 digits is built, since Python refuses to parse 5,000.
"""

import re
import unicodedata
from typing import Final

from carrara.scoring.errors import RowError
from carrara.scoring.facts import ScoredRow, first_answer
from carrara.text.fold import is_echo

EPSILON: Final = 1e-10
READ: Final = 65_536
MOST_DIGITS: Final = 300

_MINUS: Final = str.maketrans({"\u2212": "-", "\u2012": "-", "\u2013": "-"})
_NUMBER: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_THOUSANDS: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_BRACKETS: Final = re.compile(r"\[([^\[\]]*)\]")


def latent_list(response: str, row: ScoredRow) -> float:
    """Score the last bracketed list of integers, or the last integer, in the response; an echo of the prompt scores 0.

    The last max(65,536, 2 x gold length) characters are read. "1,234" is one number, "3, 14" two; a decimal
    counts if its fraction is zero; "True" is not a number.
    """
    gold = first_answer(row).strip()
    tail = response[-max(READ, 2 * len(gold)) :].translate(_MINUS)
    # Character by character: normalising a long run of combining marks at once takes quadratic time.
    strange = {
        ord(character): unicodedata.normalize("NFKC", character) for character in set(tail) if not character.isascii()
    }
    tail = tail.translate(strange)[-2 * READ :]
    if gold.startswith("["):
        wanted = _list(gold[1:-1])
        value = float(wanted is not None and _last_list(tail) == wanted)
    else:
        value = _closeness(_last_integer(tail), gold)
    # The echo test comes last: it is the only step that reads the prompt.
    return 0.0 if value and is_echo(response, row) else value


def latent_list_paper(response: str, row: ScoredRow) -> float:
    """Score the whole response as the value: a list must match exactly, a number scores by its distance."""
    gold = first_answer(row).strip()
    if gold.startswith("["):
        return float(response == gold)
    # A longer response cannot be an integer that scores, so it is not parsed.
    value = response[: READ + 1].strip()
    return _closeness(value if len(response) <= READ and _INTEGER.fullmatch(value) else None, gold)


def _closeness(value: str | None, gold: str) -> float:
    if value is None:
        return 0.0
    value, gold = _canonical(value), _canonical(gold)
    if value == gold:
        return 1.0
    if max(len(value), len(gold)) > MOST_DIGITS:
        return 0.0
    if not _INTEGER.fullmatch(gold):
        raise RowError(f"got the answer {gold[:80]!a}, expected an integer or a list in brackets")
    wrong, right = int(value), int(gold)
    return 1.0 - min(1.0, abs(wrong - right) / (abs(right) + EPSILON))


def _canonical(number: str) -> str:
    digits = number.lstrip("+-").lstrip("0") or "0"
    return f"-{digits}" if number.startswith("-") and digits != "0" else digits


def _last_integer(text: str) -> str | None:
    last = None
    for match in _NUMBER.finditer(text):
        before = text[match.start() - 1] if match.start() else " "
        after = text[match.end()] if match.end() < len(text) else " "
        if _is_latin(before) or _is_latin(after):
            continue  # "a1" and "10th" are words
        digits = _whole(match[0])
        if digits is not None:
            # A hyphen after a letter or a digit joins ("3-5", "step-4"); elsewhere it is a sign.
            signed = before == "-" and digits[0] == 0 and not _joins(text, match.start() - 1)
            last = f"-{digits[1]}" if signed else digits[1]
    return last


def _whole(number: str) -> tuple[int, str] | None:
    """Return the last integer in `number` with its offset, or None for a fraction."""
    start = 0
    head, dot, fraction = number.rpartition(".")
    if dot and not fraction.strip("0"):
        number = head
    if "." in number:
        return None
    if "," in number and not _THOUSANDS.fullmatch(number):
        start = number.rindex(",") + 1
    return start, number[start:].replace(",", "")


def _joins(text: str, hyphen: int) -> bool:
    return hyphen > 0 and (_is_latin(text[hyphen - 1]) or text[hyphen - 1].isdigit())


def _is_latin(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalpha())


def _last_list(text: str) -> list[str] | None:
    last = None
    for match in _BRACKETS.finditer(text):
        items = _list(match[1])
        if items is not None:
            last = items
    return last


def _list(inside: str) -> list[str] | None:
    """Return the integers between two brackets in canonical form, or None for any other content."""
    if not inside.strip():
        return []
    items = [item.strip() for item in inside.split(",")]
    if not all(_INTEGER.fullmatch(item) for item in items):
        return None
    return [_canonical(item) for item in items]
