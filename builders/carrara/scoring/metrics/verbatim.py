"""VerbatimEval: how much of a long text is copied, by edit distance on code points (VerbatimEval 2025, formula (1)).

The gold text is `answers[0]`; white space around the response is ignored, except in `/paper`. `levenshtein` and `indel`
read max(10,000, 1.25 x gold length) characters; each further character counts as a deletion, which can only lower the
score. No response within its output budget (gold + 5 %) reaches that limit.

Distances are computed in bounded time. They are exact for texts whose comparison has at most EXACT cells (185,000
characters each, so every row of up to 128k tokens) and wherever at most NEAR characters differ. Otherwise they are an
upper bound, so that a score can only be too low: the texts are cut at the longest chain of positions where the same RUN
consecutive words occur once in each, or else into equal shares; the parts between two cuts are compared exactly, in
blocks of at most BLOCK characters.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

from rapidfuzz.distance import Indel, Levenshtein, Postfix, Prefix

from carrara.scoring.facts import ScoredRow, first_answer

SHORTEST_READ: Final = 10_000
EXACT: Final = 1 << 35
# Measured on two lists of 104,850 nine-digit numbers (1.15M characters), all different: 52 s for the exact distance,
# 3 s for the bound. With 1 % different 0.6 s, exact.
NEAR: Final = 50_000
RUN: Final = 3
BLOCK: Final = 1 << 15
# The distance that rapidfuzz tries first: without it, 40 s when 1 % of 1.15M characters differ.
HINT: Final = 1_000

_WORD: Final = re.compile(r"\S+")
_Distance = Callable[[str, str], int]


def levenshtein(response: str, row: ScoredRow) -> float:
    """Return (|a| + |b| - lev) / (|a| + |b|); for two empty texts, undefined in the paper, 1.

    Right: exactly the gold, with any white space around it. Whatever else stands there counts as a difference.
    """
    read, beyond, gold = _texts(response, row)
    return _share(levenshtein_distance(read, gold) + beyond, len(read) + beyond + len(gold))


def indel(response: str, row: ScoredRow) -> float:
    """Return 1 - (insertions + deletions) / (|a| + |b|), which the published tables seem to use."""
    read, beyond, gold = _texts(response, row)
    return _share(indel_distance(read, gold) + beyond, len(read) + beyond + len(gold))


def levenshtein_paper(response: str, row: ScoredRow) -> float:
    """Return what `levenshtein` does of the response as it stands: a newline at its end costs."""
    read, beyond, gold = _texts(response, row, as_it_stands=True)
    return _share(levenshtein_distance(read, gold) + beyond, len(read) + beyond + len(gold))


def indel_paper(response: str, row: ScoredRow) -> float:
    """Return what `indel` does of the response as it stands: a newline at its end costs."""
    read, beyond, gold = _texts(response, row, as_it_stands=True)
    return _share(indel_distance(read, gold) + beyond, len(read) + beyond + len(gold))


def strict(response: str, row: ScoredRow) -> float:
    """Return 1 if the response is exactly the gold, all answers in order, else 0; white space counts as one space."""
    gold = "\n".join(map(str, row["answers"]))
    # A response of more than ten times the gold's length is not split.
    return float(len(response) <= 10 * len(gold) + SHORTEST_READ and response.split() == gold.split())


def _texts(response: str, row: ScoredRow, as_it_stands: bool = False) -> tuple[str, int, str]:
    """Return (what is read of the response, how many characters are not, the gold)."""
    gold = first_answer(row)
    response = response if as_it_stands or response == gold else response.strip()
    read = response[: max(SHORTEST_READ, len(gold) + len(gold) // 4)]
    return read, len(response) - len(read), gold


def _share(distance: int, total: int) -> float:
    return (total - distance) / total if total else 1.0


def levenshtein_distance(a: str, b: str) -> int:
    """Return the Levenshtein distance, or an upper bound for long texts with many differences."""
    if a == b or len(a) * len(b) <= EXACT:
        return 0 if a == b else _levenshtein(a, b)
    bound = _bound(a, b, _levenshtein)
    return Levenshtein.distance(a, b, score_cutoff=bound, score_hint=HINT) if bound <= NEAR else bound


def indel_distance(a: str, b: str) -> int:
    """Return the number of insertions and deletions, or an upper bound for long texts with many differences."""
    if a == b or len(a) * len(b) <= EXACT:
        return 0 if a == b else Indel.distance(a, b)
    bound = _bound(a, b, Indel.distance)
    return Indel.distance(a, b, score_cutoff=bound) if bound <= NEAR else bound


def _levenshtein(a: str, b: str) -> int:
    return Levenshtein.distance(a, b, score_hint=HINT)


def _bound(a: str, b: str, distance: _Distance) -> int:
    """The smaller of two upper bounds: with cuts at common words, and with equal shares."""
    through = 0
    at = (0, 0)
    for here in (*_anchors(a, b), (len(a), len(b))):
        through += _blocks(a[at[0] : here[0]], b[at[1] : here[1]], distance)
        at = here
    # No distance is below the difference in length, so then the other bound cannot be better.
    return through if through <= max(NEAR, abs(len(a) - len(b))) else min(through, _blocks(a, b, distance))


def _blocks(a: str, b: str, distance: _Distance) -> int:
    """The distance of two texts cut into equally many equal shares, after removing the common prefix and suffix."""
    start = Prefix.similarity(a, b)
    a, b = a[start:], b[start:]
    end = Postfix.similarity(a, b)
    a, b = a[: len(a) - end], b[: len(b) - end]
    parts = -(-max(len(a), len(b)) // BLOCK)
    if parts <= 1:
        return distance(a, b)
    cuts = [(len(a) * part // parts, len(b) * part // parts) for part in range(parts + 1)]
    return sum(distance(a[cuts[n][0] : cuts[n + 1][0]], b[cuts[n][1] : cuts[n + 1][1]]) for n in range(parts))


def _anchors(a: str, b: str) -> list[tuple[int, int]]:
    """The longest chain of increasing positions (in a, in b) where the same RUN words start that occur once in each."""
    ours, theirs = dict(_runs(a)), dict(_runs(b))
    chain: list[tuple[int, int, int]] = []
    ends: list[int] = []
    last: list[int] = []
    for run, here in ours.items():
        there = theirs.get(run, -1)
        if here < 0 or there < 0:
            continue
        at = bisect_left(ends, there)
        last[at : at + 1] = [len(chain)]
        ends[at : at + 1] = [there]
        chain.append((here, there, last[at - 1] if at else -1))
    anchors: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        anchors.append(chain[at][:2])
        at = chain[at][2]
    return anchors[::-1]


def _runs(text: str) -> Iterator[tuple[str, int]]:
    """Every run of words and its start, -1 for a repeated one."""
    starts = [word.start() for word in _WORD.finditer(text)]
    ends = [*starts[1:], len(text)]
    seen: set[str] = set()
    for first in range(len(starts) - RUN + 1):
        run = text[starts[first] : ends[first + RUN - 1]].rstrip()
        yield run, -1 if run in seen else starts[first]
        seen.add(run)
