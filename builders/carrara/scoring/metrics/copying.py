"""V(T, Q): how well each sentence of a text is copied, in any order (VerbatimEval 2025, formula (2)).

V is the mean over gold sentences of the best similarity to a line of the response. It ignores order, repetition and
invented text: an echo of a shuffled passage scores 1. `verbatim/v` uses formula (1), (|a| + |b| - lev) / (|a| + |b|);
`verbatim/v/indel` counts insertions and deletions only, as the published tables seem to do.

White space counts as one space. Lines that equal a gold sentence are matched first. For the other gold sentences the
best line is exact up to PAIRS comparisons; above that only the FEW lines that share the most word trigrams with a
sentence are compared (`order.py`), which can only lower the score. At most max(10,000, 2 x gold length) characters of a
response are read, and of a line LONG times the length of the longest gold sentence.
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
# Compared first: a good score from these rules out most other lines by their length.
_FIRST: Final = 3

# (gold sentence, lines, best similarity so far) -> best similarity.
_Best = Callable[[str, Sequence[str], float], float]


def v(response: str, row: ScoredRow) -> float:
    """Return V with the similarity of formula (1)."""
    return _mean(response, row, _best_levenshtein)


def v_indel(response: str, row: ScoredRow) -> float:
    """Return V with a similarity of insertions and deletions only."""
    return _mean(response, row, _best_indel)


def v_lcs(response: str, row: ScoredRow) -> float:
    """Return the mean of `verbatim/v` (how well sentences are copied) and `order/lcs` (in which order).

    The paper's "average similarity" is another mean, of V and the similarity of meaning: `verbatim/average@<encoder>`.
    """
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
    """Try lines by an upper bound from the longest common subsequence, until no other line can be better."""
    # lev >= max(|a|, |b|) - lcs, and 2 lcs = indel similarity x (|a| + |b|): to reach a similarity s, a line needs an
    # indel similarity of at least 2 s - 1.
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
