"""Ancestral trace: the boxed answer as published (NeedleBench's second release).

`answers` is the letter of the correct option, `choices` holds the options. The score weighted by steps is an aggregate
(`papers/needlebench.py`).
"""

import re
from typing import Final

from carrara.scoring.facts import ScoredRow, first_answer

_BOX: Final = "\\boxed"
# No name is longer.
_READ: Final = 10_000
_BRACES: Final = re.compile(r"\{(.*)\}$")
_COMMANDS: Final = (re.compile(r"\\text\{([^}]+)\}"), re.compile(r"\\boxed\{([^}]+)\}"))
_REMOVED: Final = str.maketrans("", "", "\\\"'")
# What the published scorer reads where nothing is boxed.
_NOTHING: Final = "None"


def boxed_paper(response: str, row: ScoredRow) -> float:
    r"""Return 1 if the last `\boxed{...}` contains the correct option's text, else 0.

    As published, `\text{...}` is read as its content and `~` as a space; quotation marks, apostrophes and backslashes
    are removed from the response but not from the gold, so that a gold with an apostrophe never scores.
    """
    letter, choices = first_answer(row), list(row.get("choices") or ())
    number = ord(letter) - ord("A") if len(letter) == 1 else -1
    gold = str(choices[number]) if 0 <= number < len(choices) else letter
    return float(_cleaned(_last_boxed(response)) == gold.strip())


def _cleaned(inside: str) -> str:
    if not inside:
        return _NOTHING
    text = inside
    for command in _COMMANDS:
        text = command.sub(r"\1", text)
    text = re.sub(r"\\[\[\]]", "", text).translate(_REMOVED)
    return " ".join(text.split()).replace("~", " ").strip()


def _last_boxed(text: str) -> str:
    r"""The content of the last `\boxed{...}`, without a second pair of braces; "" if there is none."""
    start = text.rfind(_BOX) + len(_BOX)
    if start < len(_BOX) or text[start : start + 1] != "{":
        return ""
    depth = 0
    for at in range(start, min(len(text), start + _READ)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if not depth:
            inside = text[start + 1 : at]
            return braces[1] if (braces := _BRACES.match(inside)) else inside
    return ""
