"""Order: how far a response has the gold's sentences (`order/lcs`, `order/kendall`) or numbers in the right order.

All three are 1 only for exactly the gold's items in order: a missing, changed, repeated or invented one costs, and so
does a wrong position.

Right forms of sentences: one a line, with or without numbers, bullets, quotes and Markdown, in a table, in JSON, or all
in one paragraph; after "Answer:", after a line that introduces them (it ends with a colon or stands alone as a
heading), and before a closing remark of at most 200 characters. Case, punctuation and white space may be others.
Wrong: another order, sentences left out, added, told twice or in other words.

The response is read line by line, exact matches first, then slightly changed ones. A line that is not a gold sentence
is tried again without marks around it, then in pieces cut at end marks. Lines without a letter or digit are ignored.
The remaining pieces and gold sentences are compared: a piece whose similarity to a gold sentence,
1 - (insertions + deletions) / (|a| + |b|), is at least LIKE matches it with that weight.

The cost is bounded. Above PAIRS comparisons a piece is compared only with the FEW gold sentences that share the most
word trigrams with it (character trigrams in text without spaces), which `Candidates` finds by an index. A trigram in
more than COMMON texts says little and is skipped, so that a look-up takes at most (trigrams of the text) x COMMON
steps. At most max(10,000, 2.5 x gold length) characters of a response are read; the rest counts as surplus sentences
of the gold's mean length.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import pairwise
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import Indel

from carrara.scoring.facts import ScoredRow, first_answer
from carrara.scoring.responses.reading import answer, entries, plain

COMMON: Final = 256
# At most so many trigrams of a text are looked up: a sentence of a document has at most 600 characters.
LOOKED_UP: Final = 600


class Candidates:
    """A trigram index over texts."""

    __slots__ = ("_holders",)

    def __init__(self, texts: Sequence[str]) -> None:
        holders: defaultdict[object, list[int]] = defaultdict(list)
        for index, text in enumerate(texts):
            for gram in _trigrams(text):
                held = holders[gram]
                if len(held) <= COMMON:
                    held.append(index)
        self._holders = holders

    def like(self, text: str, most: int) -> list[int]:
        """Return the indices of at most `most` texts that share a trigram with `text`, those that share most first."""
        shared: defaultdict[int, int] = defaultdict(int)
        for gram in _trigrams(text):
            held = self._holders.get(gram, ())
            if len(held) <= COMMON:
                for index in held:
                    shared[index] += 1
        return nlargest(most, shared, key=lambda index: (shared[index], -index))


def _trigrams(text: str) -> dict[object, None]:
    """The distinct trigrams of a text, in order; a shorter text is its own trigram."""
    words = text.split()
    parts: Sequence[str] = words if len(words) > 2 else text
    if len(parts) < 3:
        return {text: None}
    cut = parts[: LOOKED_UP + 2]
    return dict.fromkeys(zip(cut, cut[1:], cut[2:], strict=False))


LIKE: Final = 0.8
PAIRS: Final = 250_000
FEW: Final = 8
SHORTEST_READ: Final = 10_000

_CUT: Final = re.compile(r"(?<=[.?!…])[\"'”’)\]]{0,4}\s+|(?<=[。！？])[\"”’」』）]{0,4}\s*")
_MARK: Final = re.compile(r"(?:[-*•>#]{1,6}|[*_]{0,3}\(?[0-9]{1,7}[.):][*_]{0,3}) |\(?[0-9]{1,7}[）、]\s?")
_NO_LETTERS: Final = re.compile(r"[\W_]+")
_TYPOGRAPHY: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u02bc", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | {"\u2026": "..."}
)
# Around a sentence, never part of it: quotes, emphasis, the marks of JSON and tables.
_AROUND: Final = " \"'`*_[],|「」『』"
REMARK: Final = 200
_FIGURE: Final = re.compile(r"[0-9]+")
_NUMBERED: Final = re.compile(r"^[^\w\n]{0,6}[0-9]{1,7}[.):][ \t]+(?=[0-9])", re.MULTILINE)
_WIDTHS: Final = 4
_ENDED: Final = re.compile(r"[.?!。！？][\"'”’)\]*_]{0,4}$")


@dataclass(frozen=True, slots=True)
class Alignment:
    """The match of a response with `count` gold sentences.

    `places`: the indices of the matched gold sentences, in the order of the response, each once; `weights`: 1 for an
    exact match, else its similarity. `surplus`: the number of sentences that match nothing or repeat a match.
    """

    count: int
    places: tuple[int, ...]
    weights: tuple[float, ...]
    surplus: int


def golds_of(row: ScoredRow) -> list[str]:
    """Return the gold sentences with single spaces."""
    return [" ".join(str(answer).split()) for answer in row["answers"]]


def readable(response: str, golds: Sequence[str]) -> tuple[str, int]:
    """Return the part of a response that is read, and the number of characters that are not."""
    length = sum(map(len, golds)) + len(golds)
    limit = max(SHORTEST_READ, 5 * length // 2)
    return response[:limit], max(0, len(response) - limit)


def align(response: str, row: ScoredRow) -> Alignment:
    """Align a response with the gold sentences of a row."""
    golds = [_bare(gold) for gold in golds_of(row)]
    read, beyond = readable(response, golds)
    reader = _Reader(golds)
    units = reader.list_units(read, bool(beyond))
    if (told := answer(read)) is not None:
        # What stands after "Answer:", unless the list stands before it.
        after = reader.list_units(told, bool(beyond))
        units = after if _known(after) >= _known(units) else units
    taken = {unit for unit in units if isinstance(unit, int)}
    missing = [index for index in range(len(golds)) if index not in taken]
    changed = [number for number, unit in enumerate(units) if isinstance(unit, str)]
    like = _like([str(units[number]) for number in changed], [golds[index] for index in missing])
    nearest = {changed[number]: (missing[index], weight) for number, (index, weight) in like.items()}
    places: dict[int, float] = {}
    surplus = 0
    for number, unit in enumerate(units):
        index, weight = (unit, 1.0) if isinstance(unit, int) else nearest.get(number, (-1, 0.0))
        if index < 0 or index in places:
            surplus += 1
        else:
            places[index] = weight
    mean = max(1, sum(map(len, golds)) // max(1, len(golds)))
    return Alignment(len(golds), tuple(places), tuple(places.values()), surplus + -(-beyond // mean))


def _bare(text: str) -> str:
    return text.translate(_TYPOGRAPHY).strip(_AROUND)


def _key(text: str) -> str:
    """The letters and digits of a text: what two forms of one sentence share."""
    return _NO_LETTERS.sub("", text.casefold())


def _known(units: Sequence[int | str]) -> int:
    return len({unit for unit in units if isinstance(unit, int)})


class _Reader:
    """Splits lines into gold sentences and other text."""

    def __init__(self, golds: Sequence[str]) -> None:
        self._golds = golds
        self._exact = {key: index for index, gold in enumerate(golds) if (key := _key(gold))}
        self._longest = max(map(len, golds), default=0)
        # First piece -> the possible numbers of pieces of a gold sentence, most first. Built on first use.
        self._starts: dict[str, tuple[int, ...]] | None = None

    def list_units(self, text: str, is_cut: bool) -> list[int | str]:
        """Return the content of a text in order, less what introduces the list and a remark behind a whole one."""
        lines = [line for line in text.splitlines() if not line.lstrip().startswith(("```", "~~~"))]
        if lines and (inner := "\n".join(lines).strip())[:1] + inner[-1:] == "[]":
            lines = [entry.text for entry in entries(inner)]
        # A line that occurs a hundred thousand times is parsed once.
        held = {line: tuple(self._units(line)) for line in dict.fromkeys(lines)}
        known = [number for number, line in enumerate(lines) if _known(held[line])]
        if known:
            lead, listed, rest = lines[: known[0]], lines[known[0] : known[-1] + 1], lines[known[-1] + 1 :]
            is_whole = _known([unit for line in listed for unit in held[line]]) == len(self._exact)
            is_apart = rest and (not rest[0].strip() or not _ENDED.search(rest[-1].rstrip()[-8:]))
            if is_whole and not is_cut and is_apart and sum(map(len, rest)) <= REMARK:
                rest = []
            told = [line for line in lead if line.strip()]
            if not (told and sum(map(len, told)) <= REMARK and not _ENDED.search(told[-1].rstrip()[-8:])):
                listed = [*(line for line in told if _ENDED.search(line.rstrip()[-8:])), *listed]
            lines = [*listed, *rest]
        return [unit for line in lines for unit in held[line]]

    def _units(self, line: str) -> Iterator[int | str]:
        """Yield the content of a line in order: the index of a gold sentence, or other text."""
        text = _bare(" ".join(line.split()))
        if not (key := _key(text)):
            return
        mark = _MARK.match(text)
        rest = _bare(text[mark.end() :]) if mark else ""
        cells = text.split("|") if "|" in text else ()
        for one in (key, _key(rest), *map(_key, cells)):
            if (index := self._exact.get(one)) is not None:
                yield index
                return
        yield from self._pieces(rest if any(map(str.isalnum, rest)) else text)

    def _pieces(self, text: str) -> Iterator[int | str]:
        if self._starts is None:
            self._starts = _starts(self._golds)
        ends = [mark.end() for mark in _CUT.finditer(text)]
        bounds = [0, *ends, len(text)]
        pieces = [text[start:end] for start, end in pairwise(bounds)]
        at, rest = 0, 0
        while at < len(pieces):
            for many in self._starts.get(_key(pieces[at]), ()):
                index = self._exact.get(_key("".join(pieces[at : at + many])))
                if index is not None and at + many <= len(pieces):
                    yield from self._other(pieces[rest:at])
                    yield index
                    at = rest = at + many
                    break
            else:
                at += 1
        yield from self._other(pieces[rest:])

    def _other(self, pieces: list[str]) -> Iterator[str]:
        """Text between gold sentences: one sentence if it is short enough, else one for each piece."""
        whole = "".join(pieces).strip()
        if len(whole) <= self._longest * 5 // 4:
            pieces = [whole]
        yield from (piece.strip() for piece in pieces if any(map(str.isalnum, piece)))


def _starts(golds: Sequence[str]) -> dict[str, tuple[int, ...]]:
    starts: dict[str, set[int]] = {}
    for gold in golds:
        ends = [mark.end() for mark in _CUT.finditer(gold) if mark.end() < len(gold)]
        first = gold[: ends[0]] if ends else gold
        starts.setdefault(_key(first), set()).add(len(ends) + 1)
    return {first: tuple(sorted(many, reverse=True)) for first, many in starts.items()}


def _like(pieces: Sequence[str], golds: Sequence[str]) -> dict[int, tuple[int, float]]:
    """Map the number of a piece to (index of the most similar gold sentence, similarity); each is taken once."""
    nearest: dict[int, tuple[int, float]] = {}
    if not pieces or not golds:
        return nearest
    candidates = Candidates(golds) if len(pieces) * len(golds) > PAIRS else None
    free = dict(enumerate(golds))
    # A piece without a match never gets one later, since gold sentences only become fewer.
    unlike: set[str] = set()
    for number, piece in enumerate(pieces):
        if piece in unlike:
            continue
        choices = free
        if candidates is not None:
            choices = {index: free[index] for index in candidates.like(piece, FEW) if index in free}
        best = process.extractOne(piece, choices, scorer=Indel.normalized_similarity, score_cutoff=LIKE)
        if best is not None:
            nearest[number] = (best[2], best[1])
            del free[best[2]]
        else:
            unlike.add(piece)
    return nearest


def lcs(response: str, row: ScoredRow) -> float:
    """Return the weight of the heaviest common subsequence of gold and response, divided by N + surplus.

    N is the number of gold sentences, surplus the number of sentences that match none or repeat one.
    """
    alignment = align(response, row)
    total = alignment.count + alignment.surplus
    return _heaviest(alignment) / total if total else 1.0


def kendall(response: str, row: ScoredRow) -> float:
    """Return the share of pairs in the right order, (tau + 1) / 2, among all pairs of N + surplus sentences.

    A pair with a missing or surplus sentence is not in order; a pair with a changed sentence counts in part.
    """
    alignment = align(response, row)
    total = alignment.count + alignment.surplus
    if total < 2:
        return sum(alignment.weights) / total if total else 1.0
    below = _Sums(alignment.count)
    ordered = 0.0
    for index, weight in zip(alignment.places, alignment.weights, strict=True):
        ordered += weight * below.up_to(index)
        below.add(index, weight)
    return ordered / (total * (total - 1) / 2)


def numbers(response: str, row: ScoredRow) -> float:
    """Return the longest common subsequence of the gold's numbers and the response's, divided by N + surplus.

    N is the number of the gold's numbers; surplus counts those that are none of them or repeat one. Numbers made up
    without the list score 0, and a copy of a shuffled list about 2 / sqrt(N): 0.18 of 100, 0.06 of 1,000.

    Right: joined by commas or spaces, one a line, numbered, in brackets, JSON or a table, with separators of thousands,
    after "Answer:" or any other text. Of all figures only those with as many digits as the gold's count as numbers.
    Wrong: another order; numbers left out, changed or added. An echo of the prompt scores 0.
    """
    golds = _FIGURE.findall(first_answer(row))
    length = sum(map(len, golds)) + 2 * len(golds)
    limit = max(SHORTEST_READ, 3 * length)
    text, beyond = plain(response[:limit]), max(0, len(response) - limit)
    widths = {len(gold) for gold in golds}
    found = _figures(text, widths)
    for told in (answer(text), answer(f"Answer: {text}")):
        # What stands after "Answer:", and before a problem of the model's own, unless the list stands elsewhere.
        if told is not None and len(after := _figures(told, widths)) >= len(golds) * 9 // 10:
            found = after
            break
    places = {gold: place for place, gold in enumerate(golds)}
    ends: list[int] = []
    for number in found:
        if (place := places.get(number)) is not None:
            at = bisect_left(ends, place)
            ends[at : at + 1] = [place]
    surplus = len(found) - len(places.keys() & set(found)) + beyond // max(1, length // max(1, len(golds)))
    total = len(golds) + surplus
    value = len(ends) / total if total else 1.0
    prompt = str(row.get("prompt") or "")
    return 0.0 if value and prompt and prompt in response else value


def _figures(text: str, widths: set[int]) -> list[str]:
    """The numbers of so many digits in a text, in order."""
    text = _NUMBERED.sub("", text)
    for width in sorted(widths, reverse=True)[:_WIDTHS]:
        if width > 3:
            lead, groups = (width - 1) % 3 + 1, (width - 1) // 3
            grouped = rf"(?<![0-9])[0-9]{{{lead}}}([,.'_ ])[0-9]{{3}}(?:\1[0-9]{{3}}){{{groups - 1}}}(?![0-9])"
            text = re.sub(grouped, lambda match: match[0].replace(match[1], ""), text)
    return [figure for figure in _FIGURE.findall(text) if len(figure) in widths]


def _heaviest(alignment: Alignment) -> float:
    """The largest sum of weights over an increasing subsequence of indices."""
    # Increasing indices, each with the largest weight of a subsequence that ends there or before: both lists increase.
    indices: list[int] = []
    most: list[float] = []
    for index, weight in zip(alignment.places, alignment.weights, strict=True):
        at = bisect_left(indices, index)
        value = (most[at - 1] if at else 0.0) + weight
        end = at
        while end < len(indices) and most[end] <= value:
            end += 1
        indices[at:end] = [index]
        most[at:end] = [value]
    return most[-1] if most else 0.0


class _Sums:
    """Prefix sums of weights that are added one by one (a Fenwick tree)."""

    __slots__ = ("_tree",)

    def __init__(self, count: int) -> None:
        self._tree = [0.0] * (count + 1)

    def up_to(self, index: int) -> float:
        """Return the sum of the weights at indices below `index`."""
        total = 0.0
        while index:
            total += self._tree[index]
            index &= index - 1
        return total

    def add(self, index: int, weight: float) -> None:
        """Add a weight at an index."""
        index += 1
        while index < len(self._tree):
            self._tree[index] += weight
            index += index & -index
