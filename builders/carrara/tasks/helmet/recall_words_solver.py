"""The answers of common-words and frequent-words prompts, counted from the prompt alone."""

import re
from collections import Counter
from itertools import pairwise

from carrara.tasks.helmet.recall_words_templates import (
    CODE_HEAD,
    CODE_TAIL,
    DOTS,
    LIST_HEAD,
    LIST_TAIL,
    LIST_TAIL_ONE,
    MARK,
)

_TAIL = re.compile(re.escape(LIST_TAIL).replace(re.escape("{count}"), "([0-9]{1,2})", 1).replace(r"\{count\}", r"\1"))
_CODED = re.compile("[b-df-hj-np-tv-xz]{6}")


def solve_list(prompt: str) -> tuple[str, ...]:
    """The commonest words in the order of the alphabet; () where the prompt is no such list or leaves them open."""
    if (read := read_list(prompt)) is None:
        return ()
    entries, asked = read
    ranked = Counter(entries).most_common(asked + 1)
    if len(ranked) <= asked or ranked[asked - 1][1] == ranked[asked][1]:
        return ()
    return tuple(sorted(word for word, _ in ranked[:asked]))


def solve_code(prompt: str) -> tuple[str, ...]:
    """The three most frequent words, the first first; () where the prompt is no coded text or leaves them open."""
    if (units := read_code(prompt)) is None:
        return ()
    found = Counter(units)
    del found[DOTS]
    ranked = found.most_common(4)
    if len(ranked) < 4 or any(a[1] == b[1] for a, b in pairwise(ranked)):
        return ()
    return tuple(word for word, _ in ranked[:3])


def read_list(prompt: str) -> tuple[list[str], int] | None:
    """The words of the list in order, and how many are asked for; None where the prompt is not exactly such a list."""
    end = prompt.rfind("[The list ends]")
    if not prompt.startswith(LIST_HEAD) or end < len(LIST_HEAD):
        return None
    tail = prompt[end:]
    asked = 1 if tail == LIST_TAIL_ONE else int(match[1]) if (match := _TAIL.fullmatch(tail)) else 0
    body = prompt[len(LIST_HEAD) : end]
    entries = body.split()[1::2]
    if not asked or body != "".join([f"{number}{MARK}{word}\n" for number, word in enumerate(entries, 1)]):
        return None
    return entries, asked


def read_code(prompt: str) -> list[str] | None:
    """The words and dots of the text in order; None where the prompt is not exactly such a text."""
    if not prompt.startswith(CODE_HEAD) or not prompt.endswith(CODE_TAIL):
        return None
    body = prompt[len(CODE_HEAD) : len(prompt) - len(CODE_TAIL)]
    blank, *units = body.split(" ")
    if blank or any(unit != DOTS and not _CODED.fullmatch(unit) for unit in set(units)):
        return None
    return units
