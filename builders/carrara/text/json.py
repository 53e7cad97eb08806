"""JSON in and out: read strictly, written so that a person can read it and a terminal obeys nothing in it.

A release, a log, a result or an endpoint's answer is hostile input. `strict_json` refuses what two readers
would read in two ways: a key twice in one object, NaN, infinity, and numbers that become infinite. `json_text` keeps
Unicode readable and escapes what a terminal would obey or not show; it stays the same JSON.
"""

import json
import math
import re
import unicodedata
from collections import Counter
from typing import Any, Final

_PLAIN: Final = re.compile(r"[^\n -~]")
# Control, direction and zero width, private use, half pairs, the two separators of lines and paragraphs.
_OBEYED: Final = frozenset(("Cc", "Cf", "Co", "Cs", "Zl", "Zp"))
_SHOWN: Final = 60


def strict_json(text: str | bytes) -> Any:
    """Read JSON in UTF-8. Raises ValueError, in a few words, for anything else and for what the module refuses."""
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        return json.loads(
            decoded, object_pairs_hook=_unique_keys, parse_constant=_refused_constant, parse_float=_finite
        )
    except RecursionError:
        raise ValueError("nested too deep") from None


def json_text(value: Any, indent: int | None = 1, allow_nan: bool = True) -> str:
    """A value as JSON, keys sorted. Raises ValueError on NaN and infinity where they are not allowed."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, sort_keys=True, allow_nan=allow_nan)
    return _PLAIN.sub(_escaped, text)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        again = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {_shown(again)} stands twice in one object")
    return table


def _refused_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {_shown(digits)} is too large")
    return number


def _shown(text: str) -> str:
    return ascii(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}...")


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1] if unicodedata.category(match[0]) in _OBEYED else match[0]
