"""NeedleBench: is the needle's keyword in the response? (arXiv 2407.11963v1, section 3.1)

The corrected metrics read a bounded window, match whole words and score an echo of the prompt 0. Those whose names end
in `/paper` are the published evaluators, defects included: some ignore case, and "no" matches in "know". A row's
`answers` are the keywords in the order of the questions; `facts["reference"]` lists the reference sentences.
"""

from collections.abc import Sequence
from typing import Final

from rapidfuzz.distance import Levenshtein

from carrara.scoring.facts import ScoredRow, facts_of, texts_fact
from carrara.text.fold import fold, is_echo, occurs, share_found, window

ALPHA: Final = 0.2


def single(response: str, row: ScoredRow) -> float:
    """Return 1 if a keyword occurs, else 0.2 x the Levenshtein similarity to the nearest reference sentence."""
    if is_echo(response, row):
        return 0.0
    answers = list(row["answers"])
    text = _window(response, row)
    if any(occurs(fold(answer), text) for answer in answers):
        return 1.0
    return ALPHA * max((_similarity(text, fold(reference)) for reference in _references(row)), default=0.0)


def keywords(response: str, row: ScoredRow) -> float:
    """Return the share of the row's keywords in the response."""
    answers = list(row["answers"])
    if not answers or is_echo(response, row):
        return 0.0
    text = _window(response, row)
    return sum(occurs(fold(answer), text) for answer in answers) / len(answers)


def first(response: str, row: ScoredRow) -> float:
    """Return 1 if the first keyword occurs, else 0: recall by number of needles."""
    answers = list(row["answers"])
    if not answers or is_echo(response, row):
        return 0.0
    return float(occurs(fold(answers[0]), _window(response, row)))


def last(response: str, row: ScoredRow) -> float:
    """Return the share of the keywords in the last non-empty line: copied sentences before it do not count."""
    line = response.rstrip().rpartition("\n")[2]
    return 0.0 if is_echo(response, row) else share_found(list(row["answers"]), line)


def single_paper(response: str, row: ScoredRow) -> float:
    """Return the published single-needle score: a case-sensitive substring, else the similarity without spaces."""
    return _single_paper(response, row, trim=False)


def single_trim_paper(response: str, row: ScoredRow) -> float:
    """Return the published single-needle score of a response trimmed to about the length of the reference."""
    return _single_paper(response, row, trim=True)


def keyword_v2_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if a keyword is a case-sensitive substring of the response, else 0 (NeedleBench's second release)."""
    return float(any(answer in response for answer in row["answers"]))


def keywords_paper(response: str, row: ScoredRow) -> float:
    """Return the published reasoning score: the share of the keywords' words that are substrings, ignoring case."""
    words = " ".join(row["answers"]).lower().split()
    lowered = response.lower()
    return sum(word in lowered for word in words) / len(words) if words else 0.0


def parallel_recall_paper(response: str, row: ScoredRow) -> float:
    """Return the published multi-needle recall: the share of keywords that are case-sensitive substrings."""
    answers = list(row["answers"])
    return sum(answer in response for answer in answers) / len(answers) if answers else 0.0


def _window(response: str, row: ScoredRow) -> str:
    """Return the folded part of a response that is read.

    If the row asks to copy the reference sentences before the answer, the window has room for them.
    """
    answers, references = list(row["answers"]), _references(row)
    copied = references if len(references) > len(answers) and facts_of(row).get("recall_step") else []
    return window(response, [*answers, *copied])


def _single_paper(response: str, row: ScoredRow, *, trim: bool) -> float:
    if any(answer in response for answer in row["answers"]):
        return 1.0
    best = 0.0
    for sentence in _references(row):
        reference = "".join(sentence.split())
        prediction = "".join(response.split())
        best = max(best, _similarity(_trimmed(prediction, reference) if trim else prediction, reference))
    return ALPHA * best


def _trimmed(prediction: str, reference: str) -> str:
    """Cut to 1.2 x the reference's length, or earlier at the reference's last character after 0.8 x its length."""
    shortest = int(0.8 * len(reference))
    prediction = prediction[: int(1.2 * len(reference))]
    end = prediction.find(reference[-1], shortest) if reference else -1
    return prediction[: end + 1] if end >= 0 else prediction


def _similarity(left: str, right: str) -> float:
    longest = max(len(left), len(right))
    return 1.0 - Levenshtein.distance(left, right) / longest if longest else 1.0


def _references(row: ScoredRow) -> Sequence[str]:
    facts = facts_of(row)
    reference = facts.get("reference")
    return [reference] if isinstance(reference, str) else texts_fact(facts, "reference")
