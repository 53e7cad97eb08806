"""Ancestral trace as published by NeedleBench: the first option of a choice, and the boxed answer (second release).

`answers` is the letter of the correct option, `choices` holds the options. The score weighted by steps is an aggregate
(`papers/needlebench.py`).

`choice/paper` is NeedleBench's published reader (arXiv:2407.11963v1), defects included: the first option letter that a
pattern finds. An article "A" counts as option A, and so does the first capital of a name that is one of the letters.
The patterns are tried in order, each over the whole text: a Chinese verdict, "the answer is X", X as the last word, X
as a word, X with a colon, X anywhere. One difference: only the first 4,096 characters are read.
"""

import re
from functools import lru_cache
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


OPTION_READ: Final = 4_096
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# X is any of the letters. The published patterns in their order; adjacent ones are merged where order does not matter.
_STEPS: Final = (
    r"答案(?:应该?)?[是为选]?\s?[：:]?\s?(X)",
    r"选择?\s?(X)",
    r"只有选?项?\s?(X)\s?(?:是?[对错]|不?正确|错误)",
    r"说法(?:不?对|不?正确|错误)选?项?的?是\s?(X)",
    r"(X)\s?是正确(?:的|答案)",
    r"选项\s?(X)\s?正确",
    r"(?:所以答?|所有|因此|显然)\s?(X)[.。]?$",
    r"[\s，：:,](X)[。，,.]?$",
    r"[是为。]\s?(X)[。.]?$",
    r"[Tt]he (?:correct )?answer (?:to the question )?is (?:option )?(X)",
    r"^(X)\s?选?项",
    r"(?:\s|^)(X)(?=[\s。，,：:.$]|$)",
    r"(X):",
    r"(X)",
)


def choice_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if the first option found in the response is `answers[0]`, else 0."""
    letters = _LETTERS[: len(row.get("choices") or ())]
    return float(bool(letters) and first_option(response, letters) == first_answer(row))


def first_option(response: str, letters: str) -> str:
    """Return the letter that the first matching pattern finds; "" if none matches."""
    text = response[:OPTION_READ]
    return next((match[1] for step in _compiled(letters) if (match := step.search(text))), "")


@lru_cache(maxsize=32)
def _compiled(letters: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(step.replace("X", f"[{letters}]")) for step in _STEPS)
