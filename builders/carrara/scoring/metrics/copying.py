"""V(T, Q): how well each sentence of a text was copied, wherever the copy stands (VerbatimEval 2025, formula (2)).

V is the mean over gold sentences of the best similarity to a line of the response. It is blind to order, to repetition
and to what was invented: an echo of a shuffled passage scores 1. `verbatim/v` takes formula (1), (|a| + |b| - lev) /
(|a| + |b|); `verbatim/v/indel` takes insertions and deletions alone, which the published tables look like.

White space counts as one space. Lines that are a gold sentence are found first. The best line of every other gold
sentence is exact up to PAIRS comparisons of gold sentences with lines; above that only the FEW lines that share most
word trigrams with it are compared (`order.py`), which can only lower the score. Of a response at most
max(10,000, 2 x gold length) characters are read, of a line so many times the longest gold sentence as LONG says.
"""

from collections.abc import Callable, Sequence
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import Indel, Levenshtein

from carrara.scoring.facts import ScoredRow
from carrara.scoring.metrics import order
from carrara.scoring.metrics.order import Candidates, golds_of

PAIRS: Final = 2_000 * 2_000
FEW: Final = 50
SHORTEST_READ: Final = 10_000
LONG: Final = 20
# Lines that are compared first, so that most of the others are ruled out by their length.
_FIRST: Final = 3

# The best similarity of a gold sentence to some lines, given one that has been reached.
_Best = Callable[[str, Sequence[str], float], float]


def v(response: str, row: ScoredRow) -> float:
    """V with formula (1)."""
    return _mean(response, row, _best_levenshtein)


def v_indel(response: str, row: ScoredRow) -> float:
    """V with insertions and deletions alone."""
    return _mean(response, row, _best_indel)


def average(response: str, row: ScoredRow) -> float:
    """The mean of `verbatim/v`, which sees how sentences are copied, and `order/lcs`, which sees where they stand."""
    return (v(response, row) + order.lcs(response, row)) / 2


def _mean(response: str, row: ScoredRow, best: _Best) -> float:
    golds = golds_of(row)
    if not golds:
        return 1.0
    length = sum(map(len, golds)) + len(golds)
    cut = LONG * max(1, *map(len, golds))
    read = response[: max(SHORTEST_READ, 2 * length)]
    lines = dict.fromkeys(" ".join(line.split()) for line in read.splitlines())
    lines.pop("", None)
    changed = list(dict.fromkeys(gold for gold in golds if gold not in lines))
    similarities = _best_similarities(changed, list(dict.fromkeys(line[:cut] for line in lines)), best)
    return sum(similarities.get(gold, 1.0) for gold in golds) / len(golds)


def _best_similarities(golds: Sequence[str], lines: Sequence[str], best: _Best) -> dict[str, float]:
    """The best similarity of each gold sentence to a line; 0 without lines."""
    if not golds or not lines:
        return dict.fromkeys(golds, 0.0)
    candidates = Candidates(lines)
    few = len(golds) * len(lines) > PAIRS
    similarities: dict[str, float] = {}
    for gold in golds:
        near = [lines[index] for index in candidates.like(gold, FEW if few else _FIRST)]
        value = best(gold, near, 0.0)
        similarities[gold] = value if few else best(gold, lines, value)
    return similarities


def _best_indel(gold: str, lines: Sequence[str], reached: float) -> float:
    best = process.extractOne(gold, lines, scorer=Indel.normalized_similarity, score_cutoff=reached)
    return max(reached, best[1]) if best is not None else reached


def _best_levenshtein(gold: str, lines: Sequence[str], reached: float) -> float:
    """Lines by a bound that the longest common subsequence gives, until none can be better."""
    # lev >= max(|a|, |b|) - lcs, and 2 lcs = indel similarity x (|a| + |b|): a line that is to reach a similarity has
    # an indel similarity of at least 2 x that - 1.
    cutoff = max(0.0, 2 * reached - 1 - 1e-9)
    alike = process.extract(gold, lines, scorer=Indel.normalized_similarity, score_cutoff=cutoff, limit=None)
    bounds: list[tuple[float, str]] = []
    for line, similarity, _ in alike:
        total = len(gold) + len(line)
        bounds.append((1 - (max(len(gold), len(line)) - similarity * total / 2) / total, line))
    for bound, line in sorted(bounds, key=lambda it: -it[0]):
        if bound <= reached - 1e-9:
            break
        total = len(gold) + len(line)
        most = int(total * (1 - reached)) + 1
        distance = Levenshtein.distance(gold, line, score_cutoff=most)
        reached = max(reached, (total - distance) / total)
    return reached
