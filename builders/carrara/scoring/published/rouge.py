"""ROUGE as HELMET publishes it: through the field's library (rouge-score 0.1.2) with its stemmer.

`rouge_l/paper` and `rouge_l/recall/paper` are of the longest common subsequence of words, `rouge_lsum/paper` is of
the union over lines. The response and what stands behind "Answer:" are tried against every answer; the best counts.
Kept: a word is a run of ASCII letters and digits, so that "Röntgen" is "r" and "ntgen"; another script scores 0.

Bounded: the library fills a table of the words of both texts, half a microsecond a cell, so at most 50,000 characters
are read, and of what is tried as many words as fill 1,600,000 cells together: 1,600 against a summary of 1,000 words.
The library comes with the extra `scoring`, and is imported when it is first asked for.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from carrara.scoring.errors import MetricError
from carrara.scoring.facts import ScoredRow
from carrara.scoring.metrics.short_answers import readings

READ: Final = 50_000
CELLS: Final = 1_600_000
# What a line costs beside its words, in words: a table of its own for every pair of lines.
_LINE: Final = 3
_UNIT: Final = re.compile(r"[a-z0-9]+|\n")


def rouge_l_paper(response: str, row: ScoredRow) -> float:
    """Return the best F1 of the longest common subsequence, in [0, 1]; MetricError without the library."""
    return _best(response, row, "rougeL", "fmeasure")


def rouge_l_recall_paper(response: str, row: ScoredRow) -> float:
    """Return the best recall of the longest common subsequence, in [0, 1]; MetricError without the library."""
    return _best(response, row, "rougeL", "recall")


def rouge_lsum_paper(response: str, row: ScoredRow) -> float:
    """Return the best F1 of the union over lines, in [0, 1]; MetricError without the library."""
    return _best(response, row, "rougeLsum", "fmeasure")


@lru_cache(maxsize=2)
def scorer(kind: str) -> Any:
    """The library's scorer of a kind, with its stemmer. Raises MetricError where the library is not installed."""
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise MetricError(
            "rouge_l/paper, rouge_l/recall/paper and rouge_lsum/paper need rouge-score: pip install 'carrara[scoring]'"
        ) from error
    return RougeScorer([kind], use_stemmer=True)


def _best(response: str, row: ScoredRow, kind: str, part: str) -> float:
    library = scorer(kind)
    golds = [str(answer)[:READ].lower() for answer in row["answers"]]
    left = CELLS // max(1, sum(map(_cost, golds)))
    # The shortest first: what it leaves the other may take.
    texts = sorted(dict.fromkeys(text.lower().strip() for text in readings(response[:READ])), key=len)
    best = 0.0
    for number, text in enumerate(texts):
        kept, cost = _cut(text, left // (len(texts) - number))
        left -= cost
        best = max([best, *(float(getattr(library.score(gold, kept)[kind], part)) for gold in golds)])
    return best


def _cost(text: str) -> int:
    return _cut(text, READ * _LINE)[1]


def _cut(text: str, most: int) -> tuple[str, int]:
    """The text as far as its words and lines cost no more than `most`, and what they cost."""
    cost = _LINE
    for unit in _UNIT.finditer(text):
        more = _LINE if unit[0] == "\n" else 1
        if cost + more > most:
            return text[: unit.start()], cost
        cost += more
    return text, cost


NAMES: Final[Sequence[str]] = ("rouge_l/paper", "rouge_l/recall/paper", "rouge_lsum/paper")
