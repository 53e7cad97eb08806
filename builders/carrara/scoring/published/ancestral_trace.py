"""Ancestral trace: the boxed answer as published (NeedleBench's second release).

`answers` is the letter of the correct option, `choices` holds the options. The score weighted by steps is an aggregate
(`papers/needlebench.py`).
"""

from typing import Final

from carrara.scoring.facts import ScoredRow, first_answer

_BOX: Final = "\\boxed{"
# No name is longer.
_READ: Final = 10_000
_QUOTES: Final = str.maketrans("", "", "\"'")


def boxed_paper(response: str, row: ScoredRow) -> float:
    r"""Return 1 if the last `\boxed{...}` contains the correct option's text, else 0.

    As published, quotation marks and apostrophes are removed from the response but not from the gold, so that a gold
    with an apostrophe never scores.
    """
    letter, choices = first_answer(row), list(row.get("choices") or ())
    number = ord(letter) - ord("A") if len(letter) == 1 else -1
    gold = str(choices[number]) if 0 <= number < len(choices) else letter
    boxed = _last_boxed(response)
    return float(boxed is not None and boxed.translate(_QUOTES).strip() == gold)


def _last_boxed(text: str) -> str | None:
    r"""The content of the last `\boxed{...}`, without a second pair of braces; None if there is none."""
    start = text.rfind(_BOX)
    if start < 0:
        return None
    start += len(_BOX)
    depth = 1
    for at in range(start, min(len(text), start + _READ)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if not depth:
            inside = text[start:at]
            return inside[1:-1] if inside.startswith("{") and inside.endswith("}") else inside
    return None
