"""ROUGE as HELMET publishes it: with the library rouge-score 0.1.2 and its stemmer.

`rouge_l/paper` and `rouge_l/recall/paper` use the longest common subsequence of words, `rouge_lsum/paper` the union
over lines. The response and the text after "Answer:" are compared with every answer; the best score counts. One defect
is kept: words are runs of ASCII letters and digits, so that "Röntgen" is "r" and "ntgen", and other scripts score 0.

The cost is bounded. The library fills a table over the words of both texts at half a microsecond a cell, so at most
50,000 characters are read, and as many words as fill 1,600,000 cells: 1,600 against a summary of 1,000 words. The
library comes with the extra `scoring` and is imported on first use.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from carrara.scoring.errors import MetricError
from carrara.scoring.facts import ScoredRow
from carrara.scoring.metrics.short_answers import readings
from carrara.text.extras import install

READ: Final = 50_000
CELLS: Final = 1_600_000
# The cost of a line beside its words, in words: every pair of lines has its own table.
_LINE: Final = 3
_UNIT: Final = re.compile(r"[a-z0-9]+|\n")


def rouge_l_paper(response: str, row: ScoredRow) -> float:
    """Return the best F1 of the longest common subsequence, in [0, 1]. Raises MetricError without the library."""
    return _best(response, row, "rougeL", "fmeasure")


def rouge_l_recall_paper(response: str, row: ScoredRow) -> float:
    """Return the best recall of the longest common subsequence, in [0, 1]. Raises MetricError without the library."""
    return _best(response, row, "rougeL", "recall")


def rouge_lsum_paper(response: str, row: ScoredRow) -> float:
    """Return the best F1 of the union over lines, in [0, 1]. Raises MetricError without the library."""
    return _best(response, row, "rougeLsum", "fmeasure")


@lru_cache(maxsize=2)
def scorer(kind: str) -> Any:
    """Return the library's scorer of a kind, with its stemmer. Raises MetricError if it is not installed."""
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise MetricError(
            f"rouge_l/paper, rouge_l/recall/paper and rouge_lsum/paper need rouge-score: {install('rouge')}"
        ) from error
    return RougeScorer([kind], use_stemmer=True)


def _best(response: str, row: ScoredRow, kind: str, part: str) -> float:
    library = scorer(kind)
    golds = [str(answer)[:READ].lower() for answer in row["answers"]]
    left = CELLS // max(1, sum(map(_cost, golds)))
    # Shortest first: the other may use the cells that it leaves.
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
    """The longest start of the text whose words and lines cost at most `most`, and its cost."""
    cost = _LINE
    for unit in _UNIT.finditer(text):
        more = _LINE if unit[0] == "\n" else 1
        if cost + more > most:
            return text[: unit.start()], cost
        cost += more
    return text, cost


NAMES: Final[Sequence[str]] = ("rouge_l/paper", "rouge_l/recall/paper", "rouge_lsum/paper")
