"""JSON as commands print it: readable Unicode, but for what a terminal would obey or not show, which is escaped.

A release, a log or a result is hostile input, and `--json` is read by people, too (law 17). It stays the same JSON.
"""

import json
import re
import unicodedata
from typing import Any, Final

_PLAIN: Final = re.compile(r"[^\n -~]")
# Control, direction and zero width, private use, half pairs, the two separators of lines and paragraphs.
_OBEYED: Final = frozenset(("Cc", "Cf", "Co", "Cs", "Zl", "Zp"))


def json_text(value: Any, indent: int | None = 1, allow_nan: bool = True) -> str:
    """A value as JSON, keys sorted. Raises ValueError on NaN and infinity where they are not allowed."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, sort_keys=True, allow_nan=allow_nan)
    return _PLAIN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1] if unicodedata.category(found[0]) in _OBEYED else found[0]
