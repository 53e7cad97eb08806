"""Answers with citations: are they correct, is every statement supported, is every citation needed? (ALCE, HELMET)

- `citations/correctness`: for statements, `citations/str_em`; for items, the F1 of items against the answers.
- `citations/str_em`: the share of the answers with evidence in the prompt (`facts.evidence_inside`) that the response
  names; for items, the share that equals an item.
- `citations/recall`: the share of statements that the cited passages, taken together, support.
- `citations/precision`: the share of useful citations: the statement is supported, and the passage either supports it
  alone or is needed beside the others.
- `citations`: the mean of correctness, recall and precision.

Differences from the published metrics (`published/alce.py`): nothing is skipped; an empty response and an echo of the
prompt score 0; [0] is not a passage; a citation of no passage counts as useless; a passage cited twice, and an item
given twice, count once; a name may contain a comma; a name that normalises to nothing matches nothing. The first
max(400, 8 x gold length) characters are read. The metric's name holds the judge (`entailment.py`); without an `@` it is
the lexical one.

`statements` splits a response into statements and the passages that they cite: `The mayor was Ann Oskel [3].` or, for
items, `Oskel [3], Varn [5].` A citation is `[3]`, `[3][5]`, `[3, 5]` or `[Passage 3]`. After a full stop it belongs to
the sentence before it, at the start of a line to the text that follows. A number without a passage ([0], [999]) counts
as an invented citation. A bracket directly after a word that names no passage, as in `array[0]`, is text.
A sentence ends where the splitter says and at the end of a line, but never inside an accepted name. Items end at
commas, semicolons and line ends, never inside an accepted name ("Washington, D.C."). List marks are removed, and text
without a letter or digit is not a statement; nothing else is left out.

Only the first MOST statements are read; every further line counts as a statement without citations.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from carrara.scoring.facts import ScoredRow
from carrara.scoring.metrics.entailment import ITEMS, Cited, Lexical, SupportJudge, cited, judge
from carrara.scoring.metrics.short_answers import Named, readable, words
from carrara.scoring.published import alce as citations_paper
from carrara.text.fold import SHORTEST_WINDOW, WINDOW_PER_GOLD, is_echo
from carrara.text.sentences import Rules, Splitter, splitter

MOST: Final = 200

_CITATION: Final = re.compile(
    r"\[ ?(?:(?:passage|document|doc|source)s? ?)?([0-9]{1,9}(?:(?:, ?|; ?| )[0-9]{1,9})*) ?\]", re.IGNORECASE
)
_LIST_MARK: Final = re.compile(r"(?:[-*•>]{1,3}|\(?[0-9]{1,4}[.):]) ")
_PREFIX: Final = re.compile(r"\W{0,4}answers?[^\w\n]{0,4}:[*_ ]*", re.IGNORECASE)
_COMMA: Final = re.compile(r"(?<![0-9])[,;]|[,;](?![0-9])")
# "2006 [1],1977 [2] and 2004 [3]"
_AFTER: Final = re.compile(r"\s+(?:and|&)\s+|[,;]")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or an item without its citation marks, the passages that it cites, and the number of invented ones."""

    text: str
    cited: tuple[int, ...]
    invented: int


def statements(response: str, row: Cited, splitter: Splitter) -> tuple[list[Statement], int]:
    """Return the statements of a readable response in order, and the number of lines after the first MOST of them."""
    prefix = _PREFIX.match(response)
    lines = [line for line in response[prefix.end() if prefix else 0 :].splitlines() if any(map(str.isalnum, line))]
    started: list[_Open] = []
    for number, line in enumerate(lines):
        if len(started) >= MOST:
            return [statement.closed(row.count) for statement in started], len(lines) - number
        early = _read(" ".join(line.split()), row, splitter, started)
        if started:
            started[-1].cited += early
    return [statement.closed(row.count) for statement in started], 0


@dataclass(slots=True)
class _Open:
    """A statement that may still get citations."""

    text: str
    start: int
    cited: list[int]

    def closed(self, count: int) -> Statement:
        """The finished statement, each passage once; `count` passages exist."""
        each = dict.fromkeys(self.cited)
        real = tuple(number for number in each if 1 <= number <= count)
        return Statement(self.text, real, len(each) - len(real))


def _read(line: str, row: Cited, splitter: Splitter, started: list[_Open]) -> list[int]:
    """Append the statements of a line to `started`; return the citations of a line that holds nothing else."""
    mark = _LIST_MARK.match(line)
    if mark and any(map(str.isalnum, line[mark.end() :])):
        line = line[mark.end() :]
    bare, cited = _apart(line, row.count)
    names = row.names.found(bare)
    spans = _items(bare, [at for at, _ in cited]) if row.kind == ITEMS else splitter.spans(bare)
    own = [
        _Open(text, start, [])
        for start, end in _unbroken(spans, names)
        if any(map(str.isalnum, text := _tidy(bare[start:end], row)))
    ]
    if not own:
        return [number for _, numbers in cited for number in numbers]
    for at, numbers in cited:
        # A citation before any text belongs to what follows, every other one to the statement that started last.
        holder = next((statement for statement in reversed(own) if statement.start < at), own[0])
        holder.cited += numbers
    started += own
    return []


def _apart(line: str, count: int) -> tuple[str, list[tuple[int, list[int]]]]:
    """A line without its citations, and each citation with its offset in that text."""
    parts: list[str] = []
    cited: list[tuple[int, list[int]]] = []
    size = before = 0
    for match in _CITATION.finditer(line):
        numbers = [int(number) for number in re.findall("[0-9]+", match[1])]
        clings = match.start() > 0 and line[match.start() - 1].isalnum()
        if clings and not all(1 <= number <= count for number in numbers):
            continue
        part = line[before : match.start()].rstrip()
        parts.append(part)
        size += len(part)
        before = match.end()
        cited.append((size, numbers))
    return "".join((*parts, line[before:])), cited


def _items(bare: str, cited: list[int]) -> Iterator[tuple[int, int]]:
    """The spans of items: between commas and semicolons, and before an "and" that follows a citation."""
    cuts = {match.start(): match.end() for match in _COMMA.finditer(bare)}
    cuts |= {match.start(): match.end() for at in cited if (match := _AFTER.match(bare, at))}
    start = 0
    for at in sorted(cuts):
        yield start, at
        start = cuts[at]
    yield start, len(bare)


def _unbroken(spans: Iterable[tuple[int, int]], names: Iterable[Named]) -> list[tuple[int, int]]:
    """Spans, joined where a name crosses their boundary."""
    made: list[tuple[int, int]] = []
    waiting = sorted(names, key=lambda name: name.start)
    at, reach = 0, -1
    for start, end in spans:
        while at < len(waiting) and waiting[at].start < start:
            reach = max(reach, waiting[at].end)
            at += 1
        if made and reach > start:
            made[-1] = made[-1][0], end
        else:
            made.append((start, end))
    return made


def _tidy(text: str, row: Cited) -> str:
    text = text.strip()
    if row.kind != ITEMS:
        return text
    text = text.rstrip(".").rstrip()
    if row.names.whole(text):
        return text
    rest = text.removeprefix("and ").removeprefix("& ")
    mark = _LIST_MARK.match(rest)
    return rest[mark.end() :] if mark else rest


_LEXICAL: Final = Lexical()
# Items are cut at commas; nltk takes seconds to load.
_NO_SENTENCES: Final = Rules()


@dataclass(frozen=True, slots=True)
class Marks:
    """The scores of a response, each in [0, 1]."""

    str_em: float
    correctness: float
    recall: float
    precision: float

    @property
    def mean(self) -> float:
        """The mean of correctness, recall and precision."""
        return (self.correctness + self.recall + self.precision) / 3


def marks(response: str, row: ScoredRow, by: SupportJudge = _LEXICAL) -> Marks:
    """Score a response with a judge. Raises JudgeError if the judge returns no verdict."""
    gold = sum(len(str(answer)) for answer in row["answers"])
    read = readable(response, max(SHORTEST_WINDOW, WINDOW_PER_GOLD * gold))
    asked = cited(row)
    if not asked.answers:
        return Marks(0.0, 0.0, 0.0, 0.0)
    stated, beyond = statements(read, asked, _NO_SENTENCES if asked.kind == ITEMS else splitter())
    if not stated or is_echo(response, row):
        return Marks(0.0, 0.0, 0.0, 0.0)
    right, wrong = _named(stated, asked)
    share = len(right & asked.inside) / len(asked.inside) if asked.inside else 0.0
    correct = share
    if asked.kind == ITEMS:
        kept = len(right & asked.inside)
        exact = kept / (kept + wrong) if kept else 0.0
        correct = 2 * share * exact / (share + exact) if kept else 0.0
    supported, useful = _judged(stated, asked, by)
    given = sum(len(statement.cited) + statement.invented for statement in stated)
    return Marks(share, correct, supported / (len(stated) + beyond), useful / given if given else 0.0)


def str_em(response: str, row: ScoredRow) -> float:
    """Return the share of the answers with evidence in the prompt that the response names."""
    return marks(response, row).str_em


def correctness(response: str, row: ScoredRow) -> float:
    """Return the same share for statements; for items, the F1 of items against the answers."""
    return marks(response, row).correctness


def recall(response: str, row: ScoredRow) -> float:
    """Return the share of statements that their citations support, by the lexical judge."""
    return marks(response, row).recall


def precision(response: str, row: ScoredRow) -> float:
    """Return the share of useful citations, by the lexical judge."""
    return marks(response, row).precision


def citations(response: str, row: ScoredRow) -> float:
    """Return the mean of correctness, citation recall and citation precision, by the lexical judge."""
    return marks(response, row).mean


def parts(response: str, row: ScoredRow, by: SupportJudge = _LEXICAL) -> dict[str, float]:
    """Return the three scores whose mean is `citations`, by name."""
    marked = marks(response, row, by)
    return {"correctness": marked.correctness, "citation recall": marked.recall, "citation precision": marked.precision}


def reason(name: str, row: ScoredRow) -> str:
    """Return a metric's name and, if it depends on sentences, the splitter's name."""
    cuts = name.partition("@")[0] in _CUTTING and cited(row).kind != ITEMS
    return f"{name}, sentences by {splitter().name}" if cuts else name


# The metrics that take a judge, by the name before the "@".
_JUDGED: Final[Mapping[str, Callable[[str, ScoredRow, SupportJudge], float]]] = {
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
def named(name: str) -> Callable[[str, ScoredRow], float]:
    """Return the metric of a name such as `citations/recall@nli:<model>`. Raises MetricError without that judge."""
    base, _, which = name.partition("@")
    by = judge(which)
    return lambda response, row: _JUDGED[base](response, row, by)


def named_parts(name: str, response: str, row: ScoredRow) -> dict[str, float]:
    """Return the three scores whose mean is `citations@<judge>`, by name; {} for another metric."""
    base, _, which = name.partition("@")
    return parts(response, row, judge(which)) if base == "citations" else {}


def _named(stated: Sequence[Statement], row: Cited) -> tuple[frozenset[int], int]:
    """The answers that are named, and the number of distinct items that match none."""
    if row.kind != ITEMS:
        names = row.names.found("\n".join(statement.text for statement in stated))
        return frozenset(answer for name in names for answer in name.answers), 0
    items = {
        tuple(word.text for word in words(readable(statement.text), joined=False)): statement.text
        for statement in stated
    }
    whole = [row.names.whole(text) for text in items.values()]
    return frozenset(answer for answers in whole for answer in answers), sum(not answers for answers in whole)


def _judged(stated: Sequence[Statement], row: Cited, by: SupportJudge) -> tuple[int, int]:
    """The numbers of supported statements and of useful citations, in three rounds of questions to the judge."""
    asked = [statement for statement in stated if statement.cited]
    verdicts = by.verdicts(row, [(statement.cited, statement.text) for statement in asked])
    supported = [statement for statement, is_so in zip(asked, verdicts, strict=True) if is_so]
    several = [(statement, number) for statement in supported if len(statement.cited) > 1 for number in statement.cited]
    alone = by.verdicts(row, [((number,), statement.text) for statement, number in several])
    rest = [citation for citation, is_so in zip(several, alone, strict=True) if not is_so]
    without = [
        (tuple(other for other in statement.cited if other != number), statement.text) for statement, number in rest
    ]
    needless = sum(by.verdicts(row, without))
    return len(supported), sum(len(statement.cited) for statement in supported) - needless
