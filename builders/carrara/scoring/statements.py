"""A response as statements with the passages that they cite: `The mayor was Ann Oskel [3].` or `Oskel [3], Varn [5].`

A citation is `[3]`, `[3][5]`, `[3, 5]`, `[Passage 3]`; one that follows a full stop belongs to the sentence before it,
one that begins a line to what follows. A passage that a statement cites twice counts once, a number of no passage ([0],
[999]) as a citation of nothing. A bracket that clings to a word and names no passage, as in `array[0]`, is text.
A sentence ends where the splitter says, but never inside an accepted name; a line always ends. Items end at commas,
semicolons and lines, never inside an accepted name ("Washington, D.C."). List marks are no part of a statement, and
what has no letter or digit is none; nothing else is left out.

Only the first MOST statements are read; every line beyond counts as a statement without citations.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from carrara.scoring.cited import ITEMS, Cited
from carrara.scoring.naming import Named
from carrara.scoring.splitting import Splitter

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
    """A sentence or an item without its citations, the passages that it cites, and how many more that there are not."""

    text: str
    cited: tuple[int, ...]
    invented: int


def statements(response: str, row: Cited, splitter: Splitter) -> tuple[list[Statement], int]:
    """The statements of a readable response in order, and how many lines are beyond the first MOST statements."""
    prefix = _PREFIX.match(response)
    lines = [line for line in response[prefix.end() if prefix else 0 :].splitlines() if any(map(str.isalnum, line))]
    found: list[_Open] = []
    for number, line in enumerate(lines):
        if len(found) >= MOST:
            return [one.closed(row.count) for one in found], len(lines) - number
        early = _read(" ".join(line.split()), row, splitter, found)
        if found:
            found[-1].cited += early
    return [one.closed(row.count) for one in found], 0


@dataclass(slots=True)
class _Open:
    """A statement whose citations are still read."""

    text: str
    start: int
    cited: list[int]

    def closed(self, count: int) -> Statement:
        """With every passage once."""
        each = dict.fromkeys(self.cited)
        real = tuple(number for number in each if 1 <= number <= count)
        return Statement(self.text, real, len(each) - len(real))


def _read(line: str, row: Cited, splitter: Splitter, found: list[_Open]) -> list[int]:
    """Add the statements of a line to what was found; return the citations of a line that has nothing else."""
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
        # What stands before all text is about what follows; else about what began last.
        holder = next((one for one in reversed(own) if one.start < at), own[0])
        holder.cited += numbers
    found += own
    return []


def _apart(line: str, count: int) -> tuple[str, list[tuple[int, list[int]]]]:
    """A line without its citations, and each of these with where it stood in what is left."""
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
    """Where items stand: between commas and semicolons, and before an "and" that follows a citation."""
    cuts = {match.start(): match.end() for match in _COMMA.finditer(bare)}
    cuts |= {match.start(): match.end() for at in cited if (match := _AFTER.match(bare, at))}
    start = 0
    for at in sorted(cuts):
        yield start, at
        start = cuts[at]
    yield start, len(bare)


def _unbroken(spans: Iterable[tuple[int, int]], names: Iterable[Named]) -> list[tuple[int, int]]:
    """Spans, with those joined between which a name stands."""
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
