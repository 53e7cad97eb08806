"""MRCR: how similar the text after the requested string is to the piece (Michelangelo, arXiv:2409.12640, section 2.2).

The gold is `answers[0]`: the string, directly followed by the piece. The string is `facts["string"]`, else the first 12
characters of the gold. Pieces of the invented world on one request are alike by 0.33 on average, and by 0.5 or more in
3 % of pairs (at most 0.62 in 1,200): `mrcr` scores 0 there, the published ones the ratio. At most
max(4,000, 2 x gold length) characters after the string are compared; each further one counts as a character without a
match.

`ratio` gives the values of difflib's `SequenceMatcher(None, a, b).ratio()`, but faster and in bounded time. difflib
takes the longest common run of characters (ties: the earliest in `a`, then in `b`), then searches the rectangle before
it (a range of `a`, a range of `b`) and the one after it, and so on. Here all maximal common runs of `GRAM` characters
or more are found at once and taken longest first, cut where they overlap a taken one. Shorter ones are found in passes
over a range of `a`: while `a[at:at + n]` occurs in the range of `b`, n grows, else `at` advances. After the longest run
so far there is no longer one, so the pass continues there, and before it there are only shorter ones. That takes one
pass for each length, at most sqrt(2 x length of a). With `autojunk` and a `b` of at least 200 characters, characters
that make up more than a hundredth of `b` start no run; they extend one at both ends, or the start of a rectangle
without one.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from heapq import heapify, heappop, heappush
from typing import Final

from carrara.scoring.facts import ScoredRow, facts_of, first_answer, number_fact, text_fact
from carrara.scoring.responses.reading import plain

# The fastest of 4, 5, 6, 8 and 10 on pairs of 2 kB.
GRAM: Final = 8
# Texts with more common pieces of GRAM characters (endless repetition) use passes alone; natural ones of 2 kB have a
# few hundred.
_PAIRS: Final = 200_000
JUNK_FROM: Final = 200
_Rectangle = tuple[int, int, int, int]
# Minus the length, the start in a, the start in b.
_Run = tuple[int, int, int]


def ratio(a: str, b: str, autojunk: bool) -> float:
    """Return 2 x matches / (length of a + length of b), in [0, 1]; two empty texts are equal: 1."""
    total = len(a) + len(b)
    return 2.0 * matches(a, b, autojunk) / total if total else 1.0


def matches(a: str, b: str, autojunk: bool) -> int:
    """Return the total length of difflib's matching blocks."""
    whole = (0, len(a), 0, len(b))
    if autojunk and len(b) >= JUNK_FROM:
        return _Rare(a, b).matches(len(a), whole)
    if a == b:
        return len(a)
    if (runs := _long_runs(a, b)) is None:
        return _short_runs(a, b, len(a), whole)
    taken, rectangles = _take(runs, whole)
    return taken + sum(_short_runs(a, b, GRAM - 1, rectangle) for rectangle in rectangles)


def _long_runs(a: str, b: str) -> list[_Run] | None:
    """Return every maximal common run of GRAM characters or more; None if there are too many common pieces."""
    ours = [a[at : at + GRAM] for at in range(len(a) - GRAM + 1)]
    theirs = [b[at : at + GRAM] for at in range(len(b) - GRAM + 1)]
    common = set(ours).intersection(theirs)
    places: dict[str, list[int]] = {piece: [] for piece in common}
    for at, piece in enumerate(theirs):
        if piece in common:
            places[piece].append(at)
    shared = [(at, places[piece]) for at, piece in enumerate(ours) if piece in common]
    if sum(len(starts) for _, starts in shared) > _PAIRS:
        return None
    runs: list[_Run] = []
    # Position in b of a run's last common piece -> start of the run in a.
    live: dict[int, int] = {}
    last = -2
    for at, starts in [*shared, (len(a) + 1, [])]:
        now = {in_b: live.pop(in_b - 1, at) for in_b in starts} if at == last + 1 else dict.fromkeys(starts, at)
        runs += [(start - last - GRAM, start, in_b - last + start) for in_b, start in live.items()]
        live, last = now, at
    return runs


def _take(runs: list[_Run], whole: _Rectangle) -> tuple[int, list[_Rectangle]]:
    """Take runs longest first; return their total length and the rectangles between them."""
    heapify(runs)
    taken, starts, rectangles = 0, [whole[0]], [whole]
    while runs:
        length, at, in_b = heappop(runs)
        end, shift = at - length, in_b - at
        number = max(0, bisect_right(starts, at) - 1)
        while number < len(starts) and starts[number] < end:
            a_low, a_high, b_low, b_high = rectangles[number]
            low, high = max(at, a_low, b_low - shift), min(end, a_high, b_high - shift)
            if low == at and high == end:
                taken += end - at
                parts = [(a_low, at, b_low, in_b), (end, a_high, end + shift, b_high)]
                parts = [part for part in parts if part[0] < part[1] and part[2] < part[3]]
                rectangles[number : number + 1] = parts
                starts[number : number + 1] = [part[0] for part in parts]
                break
            # The part of this run that no taken run overlaps goes back into the queue.
            if high - low >= GRAM:
                heappush(runs, (low - high, low, low + shift))
            number += 1
    return taken, rectangles


def _short_runs(a: str, b: str, most: int, rectangle: _Rectangle) -> int:
    """Return the matches of a rectangle that has no common run of more than `most` characters."""
    a_low, a_high, b_low, b_high = rectangle
    total, find = 0, b.find
    while True:
        size, at, start, in_b = 0, a_low, a_low, b_low
        while size < most and at + size < a_high:
            if (hit := find(a[at : at + size + 1], b_low, b_high)) < 0:
                at += 1
            else:
                size, start, in_b = size + 1, at, hit
        if not size:
            return total
        total += size
        if size > 1 and start > a_low and in_b > b_low:
            total += _short_runs(a, b, size - 1, (a_low, start, b_low, in_b))
        a_low, b_low, most = start + size, in_b + size, size


class _Rare:
    """Two texts in which the popular characters of `b` start no run (autojunk)."""

    def __init__(self, a: str, b: str) -> None:
        self._a, self._b = a, b
        most = len(b) // 100 + 1
        rare = {character for character, times in Counter(b).items() if times <= most}
        self._starts = [at for at, character in enumerate(a) if character in rare]
        # For each of them, where the rare characters from there on end.
        self._ends = [0] * len(self._starts)
        behind, end = -1, 0
        for number in range(len(self._starts) - 1, -1, -1):
            at = self._starts[number]
            end = end if at + 1 == behind else at + 1
            self._ends[number], behind = end, at

    def matches(self, most: int, rectangle: _Rectangle) -> int:
        """Return the matches of a rectangle that has no common run of more than `most` rare characters."""
        a, b, find, starts = self._a, self._b, self._b.find, self._starts
        a_low, a_high, b_low, b_high = rectangle
        total = 0
        while True:
            size, start, in_b = 0, a_low, b_low
            for number in range(bisect_left(starts, a_low), bisect_left(starts, a_high)) if most else ():
                at, end = starts[number], min(self._ends[number], a_high)
                while at + size < end and (hit := find(a[at : at + size + 1], b_low, b_high)) >= 0:
                    size, start, in_b = size + 1, at, hit
                if size == most:
                    break
            if not size:
                room = min(a_high - a_low, b_high - b_low)
                return total + next((n for n in range(room) if a[a_low + n] != b[b_low + n]), max(0, room))
            end, shift, most = start + size, in_b - start, size
            while start > a_low and start + shift > b_low and a[start - 1] == b[start + shift - 1]:
                start -= 1
            while end < a_high and end + shift < b_high and a[end] == b[end + shift]:
                end += 1
            total += end - start
            if start > a_low and start + shift > b_low:
                total += self.matches(size - 1, (a_low, start, b_low, start + shift))
            a_low, b_low = end, end + shift


STRING: Final = 12
SHORTEST_READ: Final = 4_000
# What may stand before the string and after the piece: "Sure! Here it is:", "Let me know if you need another one."
REMARK: Final = 200
_LINES: Final = 4
_TYPOGRAPHY: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u02bc", "'")
    | dict.fromkeys("\u201c\u201d\u201e", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
)
_EDGES: Final = " \"'`:()-"
# A base model goes on with the user's next turn.
_FURTHER: Final = re.compile(r"^[ ]?(?:(?:User|Human) ?:|Conversation [0-9]{1,4}$)", re.IGNORECASE | re.MULTILINE)


def mrcr(response: str, row: ScoredRow) -> float:
    """Return how much nearer than `facts["floor"]` the text after the string comes to the piece, 1 for the piece.

    With a ratio r and a floor f, max(0, (r - f) / (1 - f)), so that any other piece on the same request scores 0; in a
    row without the fact f is 0. The ratio is without `autojunk`, which would ignore every letter that makes up a
    hundredth of the gold: a copy with a few slips drops to 0.84.

    Right: the string first, or after at most 200 characters ("Model:", "Sure! Here it is:"), then the piece, whatever
    its quotes, dashes, white space and Markdown, in a code fence or not; a closing remark in lines of its own, of at
    most 200 characters together; a further turn of the user. Wrong: the piece without the string; another piece.
    """
    string, gold = _gold(row)
    read = max(SHORTEST_READ, 2 * len(gold)) + len(string) + REMARK
    text = plain(response[:read])
    if not string or (at := text.rfind(string, 0, REMARK + len(string))) < 0:
        return 0.0
    text, piece = text[at + len(string) :], _folded(plain(gold))
    beyond = max(0, len(response) - read)
    if (further := _FURTHER.search(text)) and not _FURTHER.search(gold):
        text, beyond = text[: further.start()], 0
    if not beyond and _has_remark(text, piece):
        return 1.0
    copied = _folded(text)
    total = len(copied) + beyond + len(piece)
    alike = 2.0 * matches(copied, piece, autojunk=False) / total if total else 1.0
    floor = min(0.99, max(0.0, number_fact(facts_of(row), "floor")))
    return max(0.0, (alike - floor) / (1 - floor))


def likeness(text: str, piece: str) -> float:
    """Return the ratio of two texts as `mrcr` reads them."""
    return ratio(_folded(plain(text)), _folded(plain(piece)), autojunk=False)


def _has_remark(text: str, piece: str) -> bool:
    """Whether a text is the piece and a remark in the lines after it."""
    whole = text.rstrip()
    for _ in range(_LINES):
        whole = whole[: max(0, whole.rfind("\n"))].rstrip()
        if len(text) - len(whole) > REMARK or not whole:
            return False
        if _folded(whole) == piece:
            return True
    return False


def _folded(text: str) -> str:
    return " ".join(text.translate(_TYPOGRAPHY).split()).strip(_EDGES)


def mrcr_paper(response: str, row: ScoredRow) -> float:
    """Return the ratio (response, gold) of the text after the first occurrence of the string, with autojunk."""
    string, gold = _gold(row)
    _, mark, text = response.partition(string) if string else ("", "", "")
    return _alike(text, gold, autojunk=True) if mark else 0.0


def mrcr_openai(response: str, row: ScoredRow) -> float:
    """Return the ratio (response, gold) of the text after the string at the very first character, with autojunk."""
    string, gold = _gold(row)
    if not string or not response.startswith(string):
        return 0.0
    return _alike(response[len(string) :], gold, autojunk=True)


def mrcr_deepmind(response: str, row: ScoredRow) -> float:
    """Return the ratio (gold, response) of the text after the last occurrence of the string, with autojunk.

    Both texts are stripped; any text before the string is ignored.
    """
    string, gold = _gold(row)
    text = response.strip()
    if not string or (at := text.rfind(string)) < 0:
        return 0.0
    return _alike(gold.strip(), text[at + len(string) :].strip(), autojunk=True, response_last=True)


def _gold(row: ScoredRow) -> tuple[str, str]:
    """Return (the string, the piece); the string is "" for a gold that is too short."""
    gold = first_answer(row)
    string = text_fact(facts_of(row), "string") or (gold[:STRING] if len(gold) >= STRING else "")
    return string, gold.removeprefix(string)


def _alike(a: str, b: str, autojunk: bool, response_last: bool = False) -> float:
    read = max(SHORTEST_READ, 2 * len(a if response_last else b))
    total = len(a) + len(b)
    if response_last:
        b = b[:read]
    else:
        a = a[:read]
    return 2.0 * matches(a, b, autojunk) / total if total else 1.0
