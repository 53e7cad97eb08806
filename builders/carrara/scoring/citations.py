"""Answers with citations: are they right, is every statement supported, is every citation of use? (ALCE, HELMET)

- `citations/correctness`: of statements, `citations/str_em`; of items, the F1 of whole items against the answers.
- `citations/str_em`: the share of the answers that can be found (`facts.evidence_inside`) which the response names; of
  items, the share that is an item, whole.
- `citations/recall`: the share of statements that the passages which they cite support together.
- `citations/precision`: the share of citations that are of use: their statement is supported, and the passage supports
  it alone or the others do not without it.
- `citations`: the mean of correctness, recall and precision.

Unlike the published ones (`citations_paper.py`): nothing is skipped, an empty response and an echo of the prompt get 0,
[0] is no passage, a citation of no passage is one that is of no use, a passage cited twice counts once, an item counts
once, a name may hold a comma, and a name that normalises to nothing matches nothing. The first max(400, 8 x gold
length) characters are read. Who judges is said by the name (`entailment.py`): without an `@`, the lexical judge.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from carrara.scoring import citations_paper
from carrara.scoring.cited import ITEMS, Cited, cited
from carrara.scoring.entailment import Judge, Lexical, judge
from carrara.scoring.naming import readable, words
from carrara.scoring.splitting import Rules, splitter
from carrara.scoring.statements import Statement, statements
from carrara.scoring.text import SHORTEST_WINDOW, WINDOW_PER_GOLD, is_echo

Metric = Callable[[str, Mapping[str, Any]], float]
_LEXICAL: Final = Lexical()
# Items are cut at commas; nltk takes seconds to load.
_NO_SENTENCES: Final = Rules()


@dataclass(frozen=True, slots=True)
class Marks:
    """What a response gets, each in [0, 1]."""

    str_em: float
    correctness: float
    recall: float
    precision: float

    @property
    def mean(self) -> float:
        """Of correctness, recall and precision."""
        return (self.correctness + self.recall + self.precision) / 3


def marks(response: str, row: Mapping[str, Any], by: Judge = _LEXICAL) -> Marks:
    """Mark a response by a judge. Raises JudgeError where the judge gives no verdict."""
    gold = sum(len(str(answer)) for answer in row["answers"])
    read = readable(response, max(SHORTEST_WINDOW, WINDOW_PER_GOLD * gold))
    asked = cited(row)
    if not asked.answers:
        return Marks(0.0, 0.0, 0.0, 0.0)
    found, beyond = statements(read, asked, _NO_SENTENCES if asked.kind == ITEMS else splitter())
    if not found or is_echo(response, row):
        return Marks(0.0, 0.0, 0.0, 0.0)
    right, wrong = _named(found, asked)
    share = len(right & asked.inside) / len(asked.inside) if asked.inside else 0.0
    correct = share
    if asked.kind == ITEMS:
        kept = len(right & asked.inside)
        exact = kept / (kept + wrong) if kept else 0.0
        correct = 2 * share * exact / (share + exact) if kept else 0.0
    supported, useful = _judged(found, asked, by)
    given = sum(len(one.cited) + one.invented for one in found)
    return Marks(share, correct, supported / (len(found) + beyond), useful / given if given else 0.0)


def str_em(response: str, row: Mapping[str, Any]) -> float:
    """Return the share of the answers inside that the response names."""
    return marks(response, row).str_em


def correctness(response: str, row: Mapping[str, Any]) -> float:
    """Return the share of the answers inside that the response names; of items, the F1 of whole items."""
    return marks(response, row).correctness


def recall(response: str, row: Mapping[str, Any]) -> float:
    """Return the share of statements that are supported by what they cite, by the lexical judge."""
    return marks(response, row).recall


def precision(response: str, row: Mapping[str, Any]) -> float:
    """Return the share of citations that are of use, by the lexical judge."""
    return marks(response, row).precision


def citations(response: str, row: Mapping[str, Any]) -> float:
    """Return the mean of correctness, citation recall and citation precision, by the lexical judge."""
    return marks(response, row).mean


def parts(response: str, row: Mapping[str, Any], by: Judge = _LEXICAL) -> dict[str, float]:
    """What `citations` is the mean of."""
    found = marks(response, row, by)
    return {"correctness": found.correctness, "citation recall": found.recall, "citation precision": found.precision}


def reason(name: str, row: Mapping[str, Any]) -> str:
    """A metric's name and, where sentences were cut for it, by what."""
    cuts = name.partition("@")[0] in _CUTTING and cited(row).kind != ITEMS
    return f"{name}, sentences by {splitter().name}" if cuts else name


# What a judge is plugged into, by the name before the "@".
_JUDGED: Final[Mapping[str, Callable[[str, Mapping[str, Any], Judge], float]]] = {
    "citations": lambda response, row, by: marks(response, row, by).mean,
    "citations/recall": lambda response, row, by: marks(response, row, by).recall,
    "citations/precision": lambda response, row, by: marks(response, row, by).precision,
    "citations/paper": citations_paper.mean,
    "citations/recall/paper": citations_paper.recall,
    "citations/precision/paper": citations_paper.precision,
}
_CUTTING: Final = frozenset((*_JUDGED, "citations/correctness", "citations/str_em"))
PREFIXES: Final = tuple(f"{name}@" for name in _JUDGED)


@lru_cache(maxsize=16)
def named(name: str) -> Metric:
    """The metric of a name such as `citations/recall@nli:<model>`; ValueError for a judge that cannot be had."""
    base, _, which = name.partition("@")
    by = judge(which)
    return lambda response, row: _JUDGED[base](response, row, by)


def named_parts(name: str, response: str, row: Mapping[str, Any]) -> dict[str, float]:
    """What `citations@<judge>` is the mean of; {} for another metric."""
    base, _, which = name.partition("@")
    return parts(response, row, judge(which)) if base == "citations" else {}


def _named(found: Sequence[Statement], row: Cited) -> tuple[frozenset[int], int]:
    """The answers that are named, and how many different items are none."""
    if row.kind != ITEMS:
        names = row.names.found("\n".join(one.text for one in found))
        return frozenset(answer for one in names for answer in one.answers), 0
    items = {tuple(word.text for word in words(readable(one.text), joined=False)): one.text for one in found}
    whole = [row.names.whole(text) for text in items.values()]
    return frozenset(answer for answers in whole for answer in answers), sum(not answers for answers in whole)


def _judged(found: Sequence[Statement], row: Cited, by: Judge) -> tuple[int, int]:
    """How many statements are supported, and how many citations are of use: three rounds of questions to the judge."""
    asked = [one for one in found if one.cited]
    verdicts = by.verdicts(row, [(one.cited, one.text) for one in asked])
    supported = [one for one, is_so in zip(asked, verdicts, strict=True) if is_so]
    several = [(one, number) for one in supported if len(one.cited) > 1 for number in one.cited]
    alone = by.verdicts(row, [((number,), one.text) for one, number in several])
    rest = [one for one, is_so in zip(several, alone, strict=True) if not is_so]
    without = [(tuple(other for other in one.cited if other != number), one.text) for one, number in rest]
    needless = sum(by.verdicts(row, without))
    return len(supported), sum(len(one.cited) for one in supported) - needless
