"""Answers with citations: are they correct, is every statement supported, is every citation needed? (ALCE, HELMET)

- `citations/correctness`: for statements, `citations/str_em`; for items, the F1 of items against the answers.
- `citations/str_em`: the share of the answers with evidence in the prompt (`facts.evidence_inside`) that the response
  names; for items, the share that equals an item.
- `citations/recall`: the share of statements that the cited passages, taken together, support.
- `citations/precision`: the share of useful citations: the statement is supported, and the passage either supports it
  alone or is needed beside the others.
- `citations`: the mean of correctness, recall and precision.

Differences from the published metrics (`published/alce.py`): no statement is skipped for its length; an empty response
and an echo of the prompt score 0; [0] is not a passage; a citation of no passage counts as useless; a passage cited
twice, and an item given twice, count once; a name may contain a comma; a name that normalises to nothing matches
nothing. All citations of a statement count, where the published metrics read three; but who cites more than MOST_CITED
passages for one statement, most of which do not support it, cites none: right answers that cite everything would get
two thirds. The metric's name holds the judge (`entailment.py`); without an `@` it is the lexical one.

`read` takes of a response what follows its last line "Answer:", of that the first max(400, 8 x gold length) characters.
A citation is `[3]`, `[3][5]`, `[3, 5]`, `[3-5]`, `[Passage 3]`, `[3](#link)`, `【3】`; in a response without brackets
also `(3)`, a superscript, or "passage 3". After a full stop it belongs to the sentence before it, at the start of a
line to the text that follows. A number without a passage ([0], [999]) counts as an invented citation. A bracket
directly after a word that names no passage, as in `array[0]`, is text.

`statements` splits the text into statements with the passages that they cite: `The mayor was Ann Oskel [3].` or, for
items, `Oskel [3], Varn [5].` A sentence ends where the splitter says and at the end of a line, but never inside an
accepted name. Items end at commas, semicolons and line ends, and where a citation closes them, never inside an accepted
name ("Washington, D.C."). An item is its name, where other words around it ("The answers are Oskel", "Oskel – a river")
name nothing. What speaks of the answer itself ("Here is what the passages say:", "They mention no other.") without a
citation, and without a name or number that the question does not have, is no statement, nor is a text without a letter
or digit; nothing else is left out.

Only the first MOST statements are read; every further line counts as a statement without citations.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from carrara.scoring.facts import ScoredRow
from carrara.scoring.metrics.entailment import ITEMS, Cited, Lexical, SupportJudge, cited, judge
from carrara.scoring.metrics.short_answers import Named, readable, words
from carrara.scoring.published import alce as citations_paper
from carrara.scoring.responses.reading import plain
from carrara.text.fold import SHORTEST_WINDOW, WINDOW_PER_GOLD, is_echo
from carrara.text.sentences import Rules, Splitter, splitter

MOST: Final = 200

MOST_CITED: Final = 5
READ: Final = 1 << 16

_OF: Final = r"(?:(?:passage|document|doc|source|reference|ref|text)s?|no|p|#|\^)?[.:]? ?#?"
_ONE: Final = rf"{_OF}[0-9]{{1,9}}(?: ?[-–—] ?[0-9]{{1,9}})?"
_SEVERAL: Final = rf"{_ONE}(?:(?: ?(?:,|;|/|&|\band\b) ?(?:and )?| ){_ONE}){{0,99}}"
_CITATION: Final = re.compile(rf"\[ ?{_SEVERAL} ?\]", re.IGNORECASE)
_NUMBERS: Final = re.compile("([0-9]{1,9})(?: ?[-–—] ?([0-9]{1,9}))?")
_LONGEST_RANGE: Final = 20
# What becomes [3]: a link, a footnote, a bracket of other scripts or with a backslash before it.
_LINKED: Final = re.compile(
    r"\\?\[{1,2}\^?([0-9]{1,9})\\?\]{1,2}(?:\([^()\s]{1,300}\))?|【([0-9]{1,9})[^【】\n]{0,40}】"
)
# Where no bracket cites.
_RAISED: Final = re.compile(
    "[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,4}|<sup>\\s?([0-9]{1,4}(?:, ?[0-9]{1,4}){0,20})\\s?</sup>"
)
_ROUND: Final = re.compile(rf"(?<=\S) ?\( ?(?:see |cf\. |from )?({_SEVERAL}) ?\)", re.IGNORECASE)
_BARE: Final = re.compile(
    r"\b(?:passage|document|doc|source)s? (?:no\. ?|#)?([0-9]{1,9}(?:(?:, and |, | and | & )[0-9]{1,9}){0,20})\b",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"^[^\w\n]{0,16}(?:(?:the|my|final|complete|short|full) ){0,2}answers?[^\w\n]{0,4}:[*_ ]*",
    re.IGNORECASE | re.MULTILINE,
)
# What a base model adds, and a list of the passages at the end.
_FURTHER: Final = re.compile(
    r"^[^\w\n]{0,8}(?:question ?:|example [0-9]{1,4}\b|your task\b"
    r"|(?:references|sources|citations|works cited) ?:?\s{0,8}$)",
    re.IGNORECASE | re.MULTILINE,
)
_RULE: Final = re.compile(r"\|?[ :]*-[-:| ]*")
_LIST_MARK: Final = re.compile(r"(?:[-*•>|+–]{1,3}|\(?[0-9]{1,4}[.):]|answer [0-9]{1,4}[.):]) ", re.IGNORECASE)
_COMMA: Final = re.compile(r"(?<![0-9])[,;]|[,;](?![0-9])")
# "2006 [1],1977 [2] and 2004 [3]. 1990 [4] 2. 1991 [5]"
_AFTER: Final = re.compile(
    r"\s+(?:and|&|plus|as well as)\s+|[,;]|[.!?]\s+|(?<=[.!?])\s+|\s+(?=\(?[0-9]{1,3}[.)]\s)", re.IGNORECASE
)
# What may follow the name that a line of a list begins with.
_BEHIND: Final = re.compile(r"[\"'”’*|]{0,4}\s{0,4}(?:[,:;(|–—-]|$)")
_WORD: Final = re.compile(r"[^\W_][\w’'-]*")
# Words that may begin with a capital and are no name.
_COMMON: Final = frozenset(
    (
        *("a", "an", "the", "this", "that", "these", "those", "there", "here", "it", "its", "they", "their", "we"),
        *("i", "you", "he", "she", "his", "her", "one", "ones", "none", "no", "not", "all", "both", "each", "every"),
        *("some", "several", "multiple", "many", "two", "three", "four", "five", "other", "others", "another", "any"),
        *("and", "but", "or", "so", "thus", "hence", "therefore", "however", "also", "as", "at", "by", "for", "from"),
        *("in", "of", "on", "to", "with", "within", "about", "if", "since", "while", "although", "depending", "based"),
        *("according", "given", "note", "please", "sure", "sorry", "let", "hope", "feel", "is", "are", "was", "were"),
        *("answer", "answers", "passage", "passages", "document", "documents", "source", "sources", "context", "text"),
        *("question", "list", "what", "which", "who", "whose", "only", "overall", "summary", "besides", "nothing"),
    )
)
# "unfortunately", and not "Italy".
_ADVERB: Final = 6
_NEGATED: Final = re.compile(r"\b(?:not|no|never|neither|nor|except|without|unlike|than)\b|n't\b", re.IGNORECASE)
# Speech about the answer and not of it.
_ABOUT: Final = (
    r"passages?|documents?|sources?|texts?|context|information|details?|questions?|answers?|mention(?:s|ed)?|above|below"
    r"|following|listed|list|meanings?|readings?|senses?|interpretations?|ambiguous|refers?|depend(?:s|ing)?|hope|help"
    r"|let me know|citations?|provided|based on|according to|as follows|here (?:is|are)|there (?:is|are) (?:no|two"
    r"|three|four|five|six|several|multiple|many)|no(?:ne)? (?:other|others|further|more|additional)"
)
_TALK: Final = re.compile(rf"\b(?:{_ABOUT})\b", re.IGNORECASE)
# Among items also what is a clause: an item is a name.
_CLAUSE: Final = re.compile(
    rf"\b(?:{_ABOUT}|i|we|you|it|they|there|this|these|those|which|can|could|is|are|was|were|be|do|does|did|have|has"
    r"|not|namely|includ(?:es?|ing)|as far as|so far|found)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or an item without its citation marks, the passages that it cites, and the number of invented ones."""

    text: str
    cited: tuple[int, ...]
    invented: int


def read(response: str, row: Cited, most: int) -> str:
    """Return the answer in a response, readable, with its citations in brackets: at most `most` characters."""
    text = _LINKED.sub(lambda mark: f"[{mark[1] or mark[2]}]", response[: max(READ, most)])
    if not _CITATION.search(text):
        text = _RAISED.sub(lambda mark: f"[{mark[1] or mark[0]}]", text)
    text = readable(plain(text))
    if further := _FURTHER.search(text):
        before = text[: further.start()]
        # A question that is told again before the answer ends nothing.
        if _CITATION.search(before) or (any(map(str.isalnum, before)) and not _CITATION.search(text)):
            text = before
    text = _labelled(text).lstrip()[:most]
    if _CITATION.search(text):
        return text
    for written in (_ROUND, _BARE):
        text = written.sub(lambda mark: _bracketed(mark, row.count), text)
    return text


def _labelled(text: str) -> str:
    """What follows the last "Answer:", or the first of several on successive lines; the whole text without one."""
    start = None
    for label in reversed([*_LABEL.finditer(text)]):
        if start is None and not any(map(str.isalnum, text[label.end() :])):
            continue
        if start is not None and "\n" in text[label.end() : start].strip():
            break
        start = label.start()
    return text if start is None else _LABEL.sub("", text[start:])


def _bracketed(mark: re.Match[str], count: int) -> str:
    """Numbers of passages in brackets; other numbers as they stand."""
    numbers = _numbers(mark[1])
    return f" {numbers}" if all(1 <= number <= count for number in numbers) else mark[0]


def _numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for found in _NUMBERS.finditer(text):
        first, last = int(found[1]), int(found[2] or found[1])
        numbers += range(first, last + 1) if 0 < last - first <= _LONGEST_RANGE else dict.fromkeys((first, last))
    return numbers


def statements(response: str, row: Cited, splitter: Splitter) -> tuple[list[Statement], int]:
    """Return the statements of a response (from `read`) in order, and the number of lines after the first MOST."""
    every = response.splitlines()
    heads = {place - 1 for place, line in enumerate(every) if "|" in line and _RULE.fullmatch(line.strip())}
    lines = [line for place, line in enumerate(every) if place not in heads and any(map(str.isalnum, line))]
    started: list[_Open] = []
    beyond = 0
    for number, line in enumerate(lines):
        if len(started) >= MOST:
            beyond = len(lines) - number
            break
        early = _read(" ".join(line.split()), row, splitter, started)
        if started:
            started[-1].cited += early
    closed = (statement.closed(row.count) for statement in started)
    return [statement for statement in closed if not _is_talk(statement, row)], beyond


def _is_talk(statement: Statement, row: Cited) -> bool:
    """Whether a statement is about the answer and says nothing: no citation, no name, no number."""
    if statement.cited or statement.invented or _names_more(statement.text, row):
        return False
    talk = _CLAUSE if row.kind == ITEMS else _TALK
    is_lead = statement.text.endswith(":")
    return (is_lead or talk.search(statement.text) is not None) and not row.names.found(statement.text)


def _names_more(text: str, row: Cited) -> bool:
    """Whether a text has a capitalised word or a number that is neither a common word nor in the question."""
    asked = _words_of(row.question)
    return any(
        (word[0].isupper() or word[0].isdigit()) and not _is_common(word.casefold()) and word.casefold() not in asked
        for word in _WORD.findall(text)
    )


@lru_cache(maxsize=64)
def _words_of(question: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(readable(question)))


def _is_common(word: str) -> bool:
    return word.partition("'")[0] in _COMMON or (word.endswith("ly") and len(word) > _ADVERB)


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
    if row.kind != ITEMS:
        spans: Iterable[tuple[int, int]] = splitter.spans(bare)
    elif headed := _headed(bare, names, mark is not None and bool(cited)):
        spans = [headed]
    else:
        spans = _items(bare, [at for at, _ in cited])
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


def _headed(bare: str, names: Sequence[Named], listed: bool) -> tuple[int, int] | None:
    """The span of the one item of a line: the name that it begins with, and a description behind it.

    A line of a list that names nothing known is one item, too.
    """
    if not names and listed:
        return 0, len(bare)
    if len(names) != 1 or any(map(str.isalnum, bare[: names[0].start])):
        return None
    behind = _BEHIND.match(bare, names[0].end)
    if behind is None or not (listed or behind[0].strip(" \"'”’*|") not in (",", ";")):
        return None
    return names[0].start, names[0].end


def _apart(line: str, count: int) -> tuple[str, list[tuple[int, list[int]]]]:
    """A line without its citations, and each citation with its offset in that text."""
    parts: list[str] = []
    cited: list[tuple[int, list[int]]] = []
    size = before = 0
    for match in _CITATION.finditer(line):
        numbers = _numbers(match[0])
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
    """A statement without the white space around it; an item without what is not its name."""
    text = text.strip()
    if row.kind != ITEMS:
        return text
    text = text.rstrip(".").rstrip()
    if row.names.whole(text):
        return text
    rest = text.removeprefix("and ").removeprefix("& ")
    mark = _LIST_MARK.match(rest)
    rest = rest[mark.end() :] if mark else rest
    if row.names.whole(rest):
        return rest
    named = row.names.found(rest)
    if len(named) == 1:
        around = f"{rest[: named[0].start]} {rest[named[0].end :]}"
        if not _NEGATED.search(around) and not _names_more(around, row):
            return rest[named[0].start : named[0].end]
    return rest


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
    asked = cited(row)
    if not asked.answers:
        return Marks(0.0, 0.0, 0.0, 0.0)
    text = read(response, asked, max(SHORTEST_WINDOW, WINDOW_PER_GOLD * gold))
    stated, beyond = statements(text, asked, _NO_SENTENCES if asked.kind == ITEMS else splitter())
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
    """Return the mean of correctness, citation recall and citation precision, by the lexical judge.

    Takes as 1: the answers in sentences or in a list, with bullets, numbers or in a table, with any of the marks of
    citation above, with words before and after that name nothing. Gives below 0.5: the right answers without citations,
    with wrong ones or with all passages cited for each (1/3), other answers, an echo of the prompt (0). One wrong or
    missing answer or citation among several costs its share.
    """
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
    several = [(place, number) for place, one in enumerate(supported) if len(one.cited) > 1 for number in one.cited]
    alone = by.verdicts(row, [((number,), supported[place].text) for place, number in several])
    good = Counter(place for (place, _), is_so in zip(several, alone, strict=True) if is_so)
    # Who cites everything points at nothing.
    scattered = {
        place for place, one in enumerate(supported) if len(one.cited) > MOST_CITED and 2 * good[place] < len(one.cited)
    }
    rest = [
        (supported[place], number)
        for (place, number), is_so in zip(several, alone, strict=True)
        if not is_so and place not in scattered
    ]
    without = [(tuple(other for other in one.cited if other != number), one.text) for one, number in rest]
    needless = sum(by.verdicts(row, without))
    kept = [one for place, one in enumerate(supported) if place not in scattered]
    return len(kept), sum(len(one.cited) for one in kept) - needless
