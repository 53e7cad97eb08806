"""Re-ranking: nDCG@10 with linear gain, nDCG@1 and reciprocal rank over `facts.grades` ({id: grade}, others 0).

`ndcg@10` reads ids in the requested form (`12 > 7 > 30`) and as models write them: with "ID", brackets, titles and
reasons, with commas, one on each line, numbered, in a table, as JSON. It reads what follows the last "Ranking:" or
"Answer:" with a number behind it; the longest run of ids counts, each id at its first occurrence. Where all graded ids
have as many digits, four or more, a number of other length is no id: a rank, a year, a grade. An unknown id takes a
rank with grade 0. The first ten ids in the order of the prompt are not a ranking and score 0, unless that order is
ideal; an echo of the prompt scores 0 too. The `/paper` metrics parse as HELMET does (numbers joined by ">", the longest
run by characters, of the first 100,000) and score as trec_eval does, rounded to five digits.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from carrara.scoring.facts import ScoredRow, facts_of, grades_fact, span_fact
from carrara.scoring.responses.reading import plain
from carrara.text.fold import is_echo

TOP: Final = 10
READ: Final = 1 << 16
# Ids of so many digits look unlike ranks and years.
_LONG_IDS: Final = 4
# Ids with ">" between them that are surely the ranking.
_SURE: Final = 3
PAPER_READ: Final = 100_000

_NUMBER: Final = re.compile("[0-9]+")
_ANSWER: Final = re.compile(r"(?:ranking|ranked list|answer)[^\w\n]{0,4}:", re.IGNORECASE)
# The model goes on with another question.
_NEXT: Final = re.compile(r"^\W{0,4}(?:question|query)[^\w\n]{0,4}:", re.IGNORECASE | re.MULTILINE)
# "1. 4512" and "2) 3321" on lines of their own: the first number is not an id.
_LIST_MARK: Final = re.compile(
    r"^[ \t>*•-]{0,8}\(?[0-9]{1,4}[.)]\*{0,2}[ \t]{1,8}(?=[^0-9\n]{0,16}[0-9])", re.MULTILINE
)
# Words and marks around an id; after their removal only separators may be left between two ids.
_AROUND: Final = re.compile(r"\b(?:ids?|passages?|documents?|docs?)\b|[\s\[\](){}\"'`*#:_|.•–—-]+", re.IGNORECASE)
# What may stand before the id in a line of a list: its rank.
_RANK: Final = re.compile(
    r"\b(?:rank(?:ed)?|place|no|number|top|st|nd|rd|th|first|second|third|is)\b|[0-9]+(?:st|nd|rd|th)?", re.IGNORECASE
)
# A title or a reason behind an id, which holds no id.
_ASIDE: Final = re.compile(r"\([^()\n]{0,200}\)|\"[^\"\n]{0,200}\"|“[^“”\n]{0,200}”")
_BEFORE: Final = 60
_BETWEEN: Final = 80
_THEN: Final = re.compile(r"\b(?:then|next|followed by|finally|lastly)\b", re.IGNORECASE)
_ORDER: Final = ">→≻"
_MARKS: Final = re.compile("(?:>|→|≻|›|»|,|;|=|<|and)+|")
_ID_LINE: Final = re.compile(r"^ID: *([0-9]{1,20})\s*$", re.MULTILINE)
_PAPER_RUN: Final = re.compile(r"(\d+)(?:\s*>\s*(\d+))*")


def ndcg_10(response: str, row: ScoredRow) -> float:
    """Return nDCG@10 of the ids in the response: the sum of grade / log2(1 + rank), divided by the ideal one.

    Takes the right order as 1 in every form above, after reasons and before a closing sentence. Gives 0 to other
    passages, and to no ids; the right passages in another order lose what nDCG takes, which is seldom more than half.
    """
    grades = {_bare(name): grade for name, grade in _grades(row).items()}
    ids = read_ids(response, grades)
    value = _ndcg([grades.get(name, 0) for name in ids], grades.values(), TOP)
    if not value or is_echo(response, row) or (value < 1 and _is_prompt_order(ids, row)):
        return 0.0
    return value


def ndcg_10_paper(response: str, row: ScoredRow) -> float:
    """Return the published nDCG@10."""
    return _ndcg_paper(response, row, TOP)


def ndcg_1_paper(response: str, row: ScoredRow) -> float:
    """Return the published nDCG@1."""
    return _ndcg_paper(response, row, 1)


def mrr_paper(response: str, row: ScoredRow) -> float:
    """Return the published reciprocal rank of the first id with a grade above 0; 0 if there is none."""
    grades = _grades(row)
    ranks = (rank for rank, name in enumerate(trec_order(parse_rankings(response)), 1) if grades.get(name, 0) > 0)
    return round(1 / rank, 5) if (rank := next(ranks, 0)) else 0.0


def read_ids(response: str, grades: Mapping[str, float] | None = None) -> list[str]:
    """Return the ids of the longest run in a response, in order, each once and without leading zeros.

    Runs of three ids and more with ">" come first, then the longest one, then the last one. Reading starts after the
    last "Ranking:" or "Answer:" with a number behind it and stops at another question. 65,536 characters are read.

        read_ids("Ranking: [12] > [7] > 030")  # ["12", "7", "30"]
    """
    text = plain(response[-READ:])
    if further := _NEXT.search(text):
        text = text[: further.start()]
    digits = _digits(grades or {})
    last = max((match.start() for match in digits.finditer(text)), default=0)
    text = text[max((mark.end() for mark in _ANSWER.finditer(text) if mark.end() <= last), default=0) :]
    if digits is _NUMBER:
        text = _LIST_MARK.sub("", text)
    else:
        text = _ASIDE.sub(lambda aside: aside[0] if digits.search(aside[0]) else " ", text)
    runs = [*_runs(text, digits), (1, _lines(text, digits))]
    if digits is not _NUMBER:
        runs.append((1, _chain(text, digits)))
        if text.lstrip(" `").startswith(("[", "{")):
            runs.append((1, [*dict.fromkeys(digits.findall(text))]))
    return max(reversed(runs), key=lambda run: (run[0] > 1 and len(run[1]) >= _SURE, len(run[1]), run[0]))[1]


def _digits(grades: Mapping[str, float]) -> re.Pattern[str]:
    """What is an id: a number of the digits that all graded ids have; any number if they differ or are short."""
    sizes = {len(name) for name in grades if name.isdigit()}
    if len(sizes) != 1 or (size := sizes.pop()) < _LONG_IDS:
        return _NUMBER
    return re.compile(rf"(?<![0-9])[1-9][0-9]{{{size - 1}}}(?![0-9])")


def _chain(text: str, digits: re.Pattern[str]) -> list[str]:
    """The ids of lines with ">": the first of each part, whatever is said of it."""
    parts = (part for line in text.splitlines() if ">" in line or "→" in line for part in re.split("[>→]", line))
    return [*dict.fromkeys(match[0] for part in parts if (match := digits.search(part)))]


def parse_rankings(response: str) -> dict[str, float]:
    """Parse as published: id -> score, from the number of ids down to 1; a text without digits is one id."""
    text = re.sub(r"[\[\]:]", "", response[:PAPER_READ]).lower().replace("id", "")
    longest = max((match[0] for match in _PAPER_RUN.finditer(text)), key=len, default="")
    names = [name.strip() for name in longest.split(">")] if longest else [text]
    scores: dict[str, float] = {}
    for index, name in enumerate(names):
        scores.setdefault(name, float(len(names) - index))
    return scores


def trec_order(scores: Mapping[str, float]) -> list[str]:
    """Return ids by score, highest first; ties by id in descending text order, as trec_eval breaks them."""
    return sorted(scores, key=lambda name: (scores[name], name), reverse=True)


def _ndcg_paper(response: str, row: ScoredRow, top: int) -> float:
    grades = _grades(row)
    ranked = [grades.get(name, 0) for name in trec_order(parse_rankings(response))]
    return round(_ndcg(ranked, grades.values(), top), 5)


def _ndcg(ranked: Sequence[float], grades: Iterator[float] | Any, top: int) -> float:
    ideal = _gain(sorted((grade for grade in grades if grade > 0), reverse=True)[:top])
    return min(1.0, _gain(ranked[:top]) / ideal) if ideal else 0.0


def _gain(ranked: Sequence[float]) -> float:
    return math.fsum(max(0.0, grade) / math.log2(rank + 1) for rank, grade in enumerate(ranked, start=1))


def _grades(row: ScoredRow) -> dict[str, float]:
    return grades_fact(facts_of(row), "grades")


def _runs(text: str, digits: re.Pattern[str]) -> Iterator[tuple[int, list[str]]]:
    """Runs of ids with only separators between them, ids once each; with 2 for a ">" in the run, else 0."""
    run: dict[str, None] = {}
    before = rank = 0
    for match in digits.finditer(text):
        between = text[before : match.start()]
        if run and not _separates(between, digits is not _NUMBER):
            yield rank, list(run)
            run, rank = {}, 0
        if run and any(mark in between for mark in _ORDER):
            rank = 2
        run[_bare(match[0])] = None
        before = match.end()
    yield rank, list(run)


def _lines(text: str, digits: re.Pattern[str]) -> list[str]:
    """The ids at the start of lines, behind their ranks."""
    begins = (digits.search(line[:_BEFORE]) for line in text.splitlines())
    ids: dict[str, None] = {}
    for match in begins:
        if match is None:
            continue
        before = match.string[: match.start()]
        if not _AROUND.sub("", before if digits is _NUMBER else _RANK.sub("", before)):
            ids[_bare(match[0])] = None
    return [*ids]


def _separates(between: str, is_long: bool) -> bool:
    """Whether a text may stand between two ids of a run: a mark, or the end of a line; between long ids also a space.

    An empty line parts two lists.
    """
    if len(between) > _BETWEEN:
        return False
    left = _AROUND.sub("", _THEN.sub("", between) if is_long else between)
    if left:
        return _MARKS.fullmatch(left) is not None
    return is_long if "\n" not in between else "\n\n" not in between


def _bare(name: str) -> str:
    return name.lstrip("0") or "0"


def _is_prompt_order(ids: Sequence[str], row: ScoredRow) -> bool:
    """Tell whether the first ten ids (or all, if fewer) are those of the prompt in its order."""
    prompt = str(row.get("prompt") or "")
    start, end = span_fact(facts_of(row), "body", (0, len(prompt)))
    shown = [_bare(match[1]) for match in islice(_ID_LINE.finditer(prompt, start, end), TOP)]
    return len(shown) > 1 and list(ids[: len(shown)]) == shown
