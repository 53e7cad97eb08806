"""How far sentences stand in the right order: `order/lcs` and `order/kendall`.

Both are 1 for the gold alone, and in both a sentence that is missing, changed, repeated or invented costs as well as
one in a wrong place. The gold is one sentence an answer.

Both align a response with the gold alike: exact matches first, then slightly changed ones. It is read line by line; a
line that is no gold sentence is read again without a list mark ("12. "), then in pieces cut at end marks, so that
sentences written as one paragraph are found too. White space counts as one space, and lines without a letter or digit
are layout. What is left on both sides is compared: a piece that is LIKE a gold sentence, by 1 - (insertions +
deletions) / (|a| + |b|), stands for it with that weight.

Costs are bounded. Above PAIRS comparisons only the FEW gold sentences that share most word trigrams with a piece are
compared, which `Candidates` finds by an index (character trigrams in text without spaces); a trigram that more than
COMMON texts hold says little and is passed over, so that a look-up takes at most (trigrams of the text) x COMMON steps.
Of a response at most max(10,000, 1.25 x gold length) characters are read; what lies beyond counts as surplus sentences
of the gold's mean length.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import pairwise
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import Indel

from carrara.scoring.facts import ScoredRow

COMMON: Final = 256
# At most so many trigrams of a text are looked up: a sentence of a document has at most 600 characters.
LOOKED_UP: Final = 600


class Candidates:
    """An index over some texts."""

    __slots__ = ("_places",)

    def __init__(self, texts: Sequence[str]) -> None:
        holders: defaultdict[object, list[int]] = defaultdict(list)
        for index, text in enumerate(texts):
            for gram in _trigrams(text):
                held = holders[gram]
                if len(held) <= COMMON:
                    held.append(index)
        self._places = holders

    def like(self, text: str, most: int) -> list[int]:
        """Places of at most `most` texts that share a trigram with `text`, those that share most first."""
        shared: defaultdict[int, int] = defaultdict(int)
        for gram in _trigrams(text):
            held = self._places.get(gram, ())
            if len(held) <= COMMON:
                for index in held:
                    shared[index] += 1
        return nlargest(most, shared, key=lambda index: (shared[index], -index))


def _trigrams(text: str) -> dict[object, None]:
    """The different trigrams of a text, in order; a text too short for one is one itself."""
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
_MARK: Final = re.compile(r"(?:[-*•>]{1,3}|\(?[0-9]{1,7}[.):]) |\(?[0-9]{1,7}[）、]\s?")


@dataclass(frozen=True, slots=True)
class Alignment:
    """What a response holds of `count` gold sentences.

    `places`: the gold sentence of each sentence of the response that is one, in the order of the response, none twice;
    `weights`: 1 where it is exact, else how like it is. `surplus`: sentences that are none, or one again.
    """

    count: int
    places: tuple[int, ...]
    weights: tuple[float, ...]
    surplus: int


def golds_of(row: ScoredRow) -> list[str]:
    """The gold sentences with white space as single spaces."""
    return [" ".join(str(answer).split()) for answer in row["answers"]]


def readable(response: str, golds: Sequence[str]) -> tuple[str, int]:
    """The part of a response that is read, and how many characters are not."""
    length = sum(map(len, golds)) + len(golds)
    limit = max(SHORTEST_READ, length + length // 4)
    return response[:limit], max(0, len(response) - limit)


def align(response: str, row: ScoredRow) -> Alignment:
    """Align a response with the gold sentences of a row."""
    golds = golds_of(row)
    read, beyond = readable(response, golds)
    exact = {gold: index for index, gold in enumerate(golds)}
    reader = _Reader(exact)
    lines = read.splitlines()
    # A line that stands a hundred thousand times is read once.
    held = {line: tuple(reader.units(line)) for line in dict.fromkeys(lines)}
    units = [unit for line in lines for unit in held[line]]
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


class _Reader:
    """Reads lines as gold sentences and as what is none."""

    def __init__(self, exact: Mapping[str, int]) -> None:
        self._exact = exact
        self._longest = max(map(len, exact), default=0)
        # By its first piece: how many pieces a gold sentence may have, most first. Made when a line is in pieces.
        self._starts: dict[str, tuple[int, ...]] | None = None

    def units(self, line: str) -> Iterator[int | str]:
        """The gold sentences of a line by their places, and its other text."""
        text = " ".join(line.split())
        if not any(map(str.isalnum, text)):
            return
        if (index := self._exact.get(text)) is not None:
            yield index
            return
        mark = _MARK.match(text)
        if mark and (bare := text[mark.end() :]) and any(map(str.isalnum, bare)):
            text = bare
        if (index := self._exact.get(text)) is not None:
            yield index
            return
        yield from self._pieces(text)

    def _pieces(self, text: str) -> Iterator[int | str]:
        if self._starts is None:
            self._starts = _starts(self._exact)
        ends = [mark.end() for mark in _CUT.finditer(text)]
        bounds = [0, *ends, len(text)]
        pieces = [text[start:end] for start, end in pairwise(bounds)]
        at, rest = 0, 0
        while at < len(pieces):
            for many in self._starts.get(pieces[at].strip(), ()):
                index = self._exact.get("".join(pieces[at : at + many]).strip())
                if index is not None and at + many <= len(pieces):
                    yield from self._other(pieces[rest:at])
                    yield index
                    at = rest = at + many
                    break
            else:
                at += 1
        yield from self._other(pieces[rest:])

    def _other(self, pieces: list[str]) -> Iterator[str]:
        """Text between gold sentences: one sentence if it may be, else one a piece."""
        whole = "".join(pieces).strip()
        if len(whole) <= self._longest * 5 // 4:
            pieces = [whole]
        yield from (piece.strip() for piece in pieces if any(map(str.isalnum, piece)))


def _starts(exact: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    starts: dict[str, set[int]] = {}
    for gold in exact:
        ends = [mark.end() for mark in _CUT.finditer(gold) if mark.end() < len(gold)]
        first = gold[: ends[0]] if ends else gold
        starts.setdefault(first.strip(), set()).add(len(ends) + 1)
    return {first: tuple(sorted(many, reverse=True)) for first, many in starts.items()}


def _like(pieces: Sequence[str], golds: Sequence[str]) -> dict[int, tuple[int, float]]:
    """For each piece that is like a gold sentence: which, and how like. The first such piece takes it."""
    nearest: dict[int, tuple[int, float]] = {}
    if not pieces or not golds:
        return nearest
    candidates = Candidates(golds) if len(pieces) * len(golds) > PAIRS else None
    free = dict(enumerate(golds))
    # What is like none stays so, for gold sentences only become fewer.
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
    """The weight of the heaviest common subsequence of the gold order and the response, over N + surplus.

    N is the number of gold sentences, surplus that of the response's sentences which are none or one again.
    """
    alignment = align(response, row)
    total = alignment.count + alignment.surplus
    return _heaviest(alignment) / total if total else 1.0


def kendall(response: str, row: ScoredRow) -> float:
    """The share of pairs in the right order, (tau + 1) / 2: of all pairs of N + surplus sentences.

    A pair with a sentence that is missing or surplus is not in order; one with a changed sentence counts in part.
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


def _heaviest(alignment: Alignment) -> float:
    """The largest sum of weights over a rising subsequence of places."""
    # Rising places, each with the most that a subsequence ending there or before weighs: both lists rise.
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
    """Sums of weights below a place, with weights added one by one (a Fenwick tree)."""

    __slots__ = ("_tree",)

    def __init__(self, count: int) -> None:
        self._tree = [0.0] * (count + 1)

    def up_to(self, index: int) -> float:
        """The sum of the weights at places before `place`."""
        total = 0.0
        while index:
            total += self._tree[index]
            index &= index - 1
        return total

    def add(self, index: int, weight: float) -> None:
        """Add a weight at a place."""
        index += 1
        while index < len(self._tree):
            self._tree[index] += weight
            index += index & -index
