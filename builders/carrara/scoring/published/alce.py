"""ALCE's scorers as HELMET publishes them (eval_alce.py), defects included; in [0, 1], not 0-100.

Line ends in a response become spaces. All answers count, with evidence in the prompt or not. [0] is the last passage;
one citation of a missing passage discards all others of its sentence; the first three citations of a sentence count,
repeated ones too; sentences of less than five characters are skipped, and a response of nothing else, which has no
published score, is 0 here. Items are cut at commas and must equal an answer; "[5" without its end is a citation.

The published scorers ask a model of natural language inference; without one in the metric's name (`@nli:...`) the
lexical judge is used. At most max(10,000, 8 x gold length) characters are read.
"""

import re
from collections.abc import Sequence
from typing import Final

from carrara.scoring.facts import ScoredRow
from carrara.scoring.metrics.entailment import ITEMS, Cited, Lexical, SupportJudge, SupportQuery, cited
from carrara.scoring.metrics.short_answers import normalised
from carrara.text.fold import WINDOW_PER_GOLD
from carrara.text.sentences import Splitter, splitter

SHORTEST_READ: Final = 10_000
AT_MOST: Final = 3
SHORTEST_SENTENCE: Final = 5
TOP: Final = 5
_LEXICAL: Final = Lexical()
_CITATION: Final = re.compile(r"\[(\d+)")


def str_em(response: str, row: ScoredRow) -> float:
    """Return the share of answers with a name that is a substring of the response, both normalised."""
    present = _present(response, row)
    return sum(present) / len(present) if present else 0.0


def str_hit(response: str, row: ScoredRow) -> float:
    """Return 1 if every answer has such a name, else 0."""
    present = _present(response, row)
    return float(bool(present) and all(present))


def qampari_recall(response: str, row: ScoredRow) -> float:
    """Return the share of answers that equal an item."""
    _, hits, count = _items(response, row)
    return hits / count if count else 0.0


def qampari_recall5(response: str, row: ScoredRow) -> float:
    """Return the share of answers that equal an item; five are enough for 1."""
    _, hits, count = _items(response, row)
    return min(TOP, hits) / min(TOP, count) if count else 0.0


def qampari_precision(response: str, row: ScoredRow) -> float:
    """Return the share of items that equal an answer; repeated items count again."""
    return _items(response, row)[0]


def qampari_f1(response: str, row: ScoredRow) -> float:
    """Return the F1 of precision and recall-5."""
    precise, recalled = qampari_precision(response, row), qampari_recall5(response, row)
    return 2 * precise * recalled / (precise + recalled) if precise + recalled else 0.0


def recall(response: str, row: ScoredRow, by: SupportJudge = _LEXICAL, by_sentences: Splitter | None = None) -> float:
    """Return the share of sentences that their citations support."""
    return _auto_ais(response, row, by, by_sentences)[0]


def precision(
    response: str, row: ScoredRow, by: SupportJudge = _LEXICAL, by_sentences: Splitter | None = None
) -> float:
    """Return the share of useful citations."""
    return _auto_ais(response, row, by, by_sentences)[1]


def mean(response: str, row: ScoredRow, by: SupportJudge = _LEXICAL) -> float:
    """Return the mean of correctness (str-EM; for items recall-5), citation recall and citation precision."""
    is_list = cited(row).kind == ITEMS
    right = qampari_recall5(response, row) if is_list else str_em(response, row)
    return (right + sum(_auto_ais(response, row, by, None))) / 3


def without_citations(text: str) -> str:
    """Return a text without citation marks, removed as published."""
    return re.sub(r"\[\d+", "", re.sub(r" \[\d+", "", text)).replace(" |", "").replace("]", "")


def _cleaned(response: str, row: ScoredRow) -> str:
    gold = sum(len(str(answer)) for answer in row["answers"])
    read = response[: max(SHORTEST_READ, WINDOW_PER_GOLD * gold)]
    return re.sub(r"\n+", " ", read).replace("<|im_end|>", "")


def _present(response: str, row: ScoredRow) -> list[bool]:
    text = normalised(without_citations(_cleaned(response, row)))
    return [any(normalised(name) in text for name in names) for names in cited(row).answers]


def _items(response: str, row: ScoredRow) -> tuple[float, int, int]:
    """The precision of the items, the number of answers among them, and the number of all answers."""
    text = without_citations(_cleaned(response, row)).rstrip().rstrip(".").rstrip(",")
    items = [item for part in text.split(",") if (item := normalised(part.strip()))]
    answers = [[normalised(name) for name in names] for names in cited(row).answers]
    known, given = {name for names in answers for name in names}, set(items)
    hits = sum(any(name in given for name in names) for names in answers)
    return (sum(item in known for item in items) / len(items) if items else 0.0), hits, len(answers)


def _auto_ais(response: str, row: ScoredRow, by: SupportJudge, by_sentences: Splitter | None) -> tuple[float, float]:
    asked, text = cited(row), _cleaned(response, row)
    if not asked.count:
        return 0.0, 0.0
    if asked.kind == ITEMS:
        sentences = [part.strip() for part in text.rstrip().rstrip(".").rstrip(",").split(",")]
    else:
        spans = (by_sentences or splitter()).spans(text)
        sentences = [text[start:end] for start, end in spans if end - start >= SHORTEST_SENTENCE]
    if not sentences:
        return 0.0, 0.0
    queries = [query for sentence in sentences if (query := _query(sentence, asked))]
    verdicts = by.verdicts(asked, queries)
    supported = [query for query, is_so in zip(queries, verdicts, strict=True) if is_so]
    several = [(numbers, text, at) for numbers, text in supported if len(numbers) > 1 for at in range(len(numbers))]
    alone = by.verdicts(asked, [((numbers[at],), text) for numbers, text, at in several])
    rest = [citation for citation, is_so in zip(several, alone, strict=True) if not is_so]
    # As published: of a passage cited twice, the first copy is always the one left out.
    firsts = [(numbers, text, numbers.index(numbers[at])) for numbers, text, at in rest]
    without = [(numbers[:at] + numbers[at + 1 :], text) for numbers, text, at in firsts]
    useful = sum(len(numbers) for numbers, _ in supported) - sum(by.verdicts(asked, without))
    total = sum(len(numbers) for numbers, _ in queries)
    return len(supported) / len(sentences), useful / total if total else 0.0


def _query(sentence: str, row: Cited) -> SupportQuery | None:
    """The first three citations of a sentence and its text; None if it has none or cites a missing passage."""
    numbers: Sequence[str] = _CITATION.findall(sentence)
    if not numbers or any(len(number) > 9 or int(number) > row.count for number in numbers):
        return None
    cited_first = tuple(int(number) or row.count for number in numbers[:AT_MOST])
    return cited_first, without_citations(sentence).strip()
