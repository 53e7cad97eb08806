"""Text as the sound substring metrics see it: folded, read up to a bound, matched on boundaries, free of echo.

Every function is total: any string is accepted, lone surrogates included. What must not change: a keyword and
a response always pass through the same `fold`, and the cost of the echo test follows the response, not the prompt.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

SHINGLE: Final = 8
ECHO_SHARE: Final = 5  # a fifth of the prompt's distinct shingles
SHORTEST_WINDOW: Final = 400
WINDOW_PER_GOLD: Final = 8

# Scripts written without spaces, or (Hangul) with particles that attach to a name: no boundary is asked inside them.
CJK: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_CJK_CHARACTER: Final = re.compile(f"[{CJK}]")
_SPACE_BETWEEN_CJK: Final = re.compile(f"(?<=[{CJK}]) (?=[{CJK}])")
# One Chinese character is a unit, like one word elsewhere.
_UNIT: Final = re.compile(f"[{CJK}]|[^\\W{CJK}]+")
APOSTROPHES: Final = str.maketrans(dict.fromkeys("\u2018\u2019\u201b\u02bc\u02b9\u2032\u0060\u00b4\uff07", "'"))


def fold(text: str) -> str:
    """Return `text` in NFKC and casefolded, one kind of apostrophe, single spaces, none between CJK characters."""
    if text.isascii():
        # The same, four times as fast.
        return " ".join(text.replace("`", "'").lower().split())
    # Apostrophes first: NFKC turns the acute accent into a space and a combining mark.
    text = unicodedata.normalize("NFKC", text.translate(APOSTROPHES)).casefold()
    return tidy(text)


def tidy(text: str) -> str:
    """Return `text` as `fold` does, but in the case that it has."""
    text = unicodedata.normalize("NFKC", text.translate(APOSTROPHES)).translate(APOSTROPHES)
    return _SPACE_BETWEEN_CJK.sub("", " ".join(text.split()))


def window(response: str, golds: Sequence[str]) -> str:
    """Return the part of `response` that a substring metric reads: max(400, 8 x gold length) characters, folded.

    The gold length is the sum over `golds`, in code points: an answer of several keywords is longer than one.
    """
    return fold(response[: max(SHORTEST_WINDOW, WINDOW_PER_GOLD * sum(map(len, golds)))])


def occurs(keyword: str, text: str) -> bool:
    """Tell whether `keyword` stands in `text` (both folded) with a boundary at each end that asks for one."""
    return keyword in text and any(True for _ in places(keyword, text))


def places(keyword: str, text: str) -> Iterator[int]:
    """Yield where `keyword` begins in `text` (both folded), with a boundary at each end that asks for one.

    A Latin letter or digit at an end asks for a neighbour that is none; a CJK character asks for nothing. A dot
    or comma between digits is inside a number, so that neither "7" in "1.7" nor "500" in "1,500" counts. The
    empty keyword never occurs.
    """
    at = text.find(keyword) if keyword else -1
    while at >= 0:
        end = at + len(keyword)
        if not _joined(text, at, keyword) and not _joined(text, end, keyword):
            yield at
        at = text.find(keyword, at + 1)


def share_found(golds: Sequence[str], response: str) -> float:
    """Return the share of `golds` that occur in the window of `response`, in [0, 1]; 0 for no golds."""
    if not golds:
        return 0.0
    text = window(response, golds)
    return sum(occurs(fold(gold), text) for gold in golds) / len(golds)


def is_echo(response: str, row: Mapping[str, object]) -> bool:
    """Tell whether `response` holds a fifth or more of the distinct 8-unit shingles of the row's prompt.

    A unit is a word, or one CJK character; a prompt of fewer units is one shingle. A row without a prompt cannot
    be echoed. The prompt is read only until it has shown more than five times the shingles of the response:
    then the share is below a fifth whatever follows. At most twice the prompt's length is read of a response.
    """
    prompt = str(row.get("prompt") or "")
    if prompt and prompt in response:
        # The whole prompt: no need to shingle millions of characters.
        return True
    size = sum(1 for _ in islice(_UNIT.finditer(prompt), SHINGLE))
    if size == 0:
        return False
    held = set(_shingles(response[: 2 * len(prompt) + SHORTEST_WINDOW], size))
    if not held:
        return False
    most = ECHO_SHARE * len(held)
    # A power of two, so that responses of about the same length share it; a large one is not kept.
    wanted = 1 << most.bit_length()
    seen = (_kept_opening if wanted <= _MOST_KEPT else _opening)(prompt, size, wanted)
    return len(seen) <= most and ECHO_SHARE * len(seen & held) >= len(seen)


def _opening(prompt: str, size: int, most: int) -> frozenset[str]:
    """The first `most` distinct shingles of a prompt."""
    seen: set[str] = set()
    for shingle in _shingles(prompt, size):
        seen.add(shingle)
        if len(seen) >= most:
            break
    return frozenset(seen)


_MOST_KEPT: Final = 4_096
_kept_opening: Final = lru_cache(maxsize=4)(_opening)


def _joined(text: str, at: int, keyword: str) -> bool:
    """Tell whether the cut of `text` before position `at` runs through a word or a number."""
    if at == 0 or at == len(text):
        return False
    before, after = text[at - 1], text[at]
    if _is_word(before) and _is_word(after):
        return True
    if before in ".," and after.isdigit():
        return at > 1 and text[at - 2].isdigit() and _may_be_part(keyword, before)
    if after in ".," and before.isdigit():
        return at + 1 < len(text) and text[at + 1].isdigit() and _may_be_part(keyword, after)
    return False


def _may_be_part(keyword: str, mark: str) -> bool:
    # "1953,1954" is a list of years: a group of thousands has three digits at most.
    return mark == "." or not (keyword.isdigit() and len(keyword) > 3)


def _is_word(character: str) -> bool:
    return (character.isalnum() or character == "_") and not _CJK_CHARACTER.match(character)


def _shingles(text: str, size: int) -> Iterator[str]:
    recent: deque[str] = deque(maxlen=size)
    for match in _UNIT.finditer(text):
        unit = match[0]
        recent.append(unit.lower() if unit.isascii() else unicodedata.normalize("NFKC", unit).casefold())
        if len(recent) == size:
            yield " ".join(recent)
