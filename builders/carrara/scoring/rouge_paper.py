"""ROUGE as HELMET publishes it: through the field's library (rouge-score 0.1.2) with its stemmer.

`rouge_l/paper` and `rouge_l/recall/paper` are of the longest common subsequence of words, `rouge_lsum/paper` is of
the union over lines. The response and what stands behind "Answer:" are tried against every answer; the best counts.
Kept: a word is a run of ASCII letters and digits, so that "Röntgen" is "r" and "ntgen"; another script scores 0.

Bounded: the library fills a table of the words of both texts, half a microsecond a cell, so at most 50,000 characters
are read, and of a response as many words as fill 1,200,000 cells (1,200 against a summary of 1,000 words; what models
may write is less). The library comes with the extra `scoring`, and is imported when it is first asked for.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from carrara.scoring.subem import readings

READ: Final = 50_000
CELLS: Final = 1_200_000
# What a line costs beside its words, in words: a table of its own for every pair of lines.
_LINE: Final = 3
_UNIT: Final = re.compile(r"[a-z0-9]+|\n")


def rouge_l_paper(response: str, row: Mapping[str, Any]) -> float:
    """Return the best F1 of the longest common subsequence, in [0, 1]; ValueError without the library."""
    return _best(response, row, "rougeL", "fmeasure")


def rouge_l_recall_paper(response: str, row: Mapping[str, Any]) -> float:
    """Return the best recall of the longest common subsequence, in [0, 1]; ValueError without the library."""
    return _best(response, row, "rougeL", "recall")


def rouge_lsum_paper(response: str, row: Mapping[str, Any]) -> float:
    """Return the best F1 of the union over lines, in [0, 1]; ValueError without the library."""
    return _best(response, row, "rougeLsum", "fmeasure")


@lru_cache(maxsize=2)
def scorer(kind: str) -> Any:
    """The library's scorer of a kind, with its stemmer. Raises ValueError where the library is not installed."""
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise ValueError(
            "rouge_l/paper, rouge_l/recall/paper and rouge_lsum/paper need rouge-score: pip install 'carrara[scoring]'"
        ) from error
    return RougeScorer([kind], use_stemmer=True)


def _best(response: str, row: Mapping[str, Any], kind: str, part: str) -> float:
    library = scorer(kind)
    golds = [str(answer)[:READ].lower() for answer in row["answers"]]
    most = CELLS // max(1, sum(map(_cost, golds)))
    texts = [_cut(text.lower(), most) for text in readings(response[:READ])]
    return max((float(getattr(library.score(gold, text)[kind], part)) for gold in golds for text in texts), default=0.0)


def _cost(text: str) -> int:
    return _LINE + sum(_LINE if unit[0] == "\n" else 1 for unit in _UNIT.finditer(text))


def _cut(text: str, most: int) -> str:
    """The text as far as its words and lines cost no more than `most`."""
    cost = _LINE
    for unit in _UNIT.finditer(text):
        cost += _LINE if unit[0] == "\n" else 1
        if cost > most:
            return text[: unit.start()]
    return text


NAMES: Final[Sequence[str]] = ("rouge_l/paper", "rouge_l/recall/paper", "rouge_lsum/paper")
