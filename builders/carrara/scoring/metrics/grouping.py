"""Entity grouping: which names stand under their class (VerbatimEval 2025, formula (3) and section 2.3).

A row whose `facts` have `classes` wants one line for each of them; its gold is such lines, `Class: a; b; c`. A row
without is a list to be copied, names joined by a comma and a space; then `grouping/f1` asks for their order too.
A name under two classes stands under none, but for `/paper`; a response that holds the whole prompt scores 0, but for
`/paper`. Recall is blind to what is invented or written twice: only `grouping/f1` marks it.

`read` takes lines, Markdown headings with bullets, or JSON of several shapes. It is total and linear: of any string at
most max(20,000, 3 x gold length) characters are read, and so many lines and items as twice the gold has and a thousand
more; what lies behind counts as items that are wrong. A name is taken as it is spelled, case and all: only white space,
bullets, numbers of a list, quotes, emphasis and a full stop around it go.
"""

import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from carrara.scoring.facts import ScoredRow, facts_of, texts_fact

SHORTEST_READ: Final = 20_000
SPARE: Final = 1_000
# A label stands within so many characters of a line.
_HEAD: Final = 80
_LINE: Final = re.compile(r"[^\r\n]+")
# Every part is optional, so that a match never goes back.
_LEAD: Final = re.compile(r"[\s#*+>•_`–-]*(?:[0-9]{1,6}[.)]\s+)?[\s*_`]*")
_BULLET: Final = re.compile(r"^[*+•–-]\s+")
_NUMBER: Final = re.compile(r"^[0-9]{1,6}[.)]\s+")
_COUNT: Final = re.compile(r"\s?\([0-9]{1,9}\)$")
_NO_LETTERS: Final = re.compile(r"[\W_]+")
_MARKS: Final = "*_`\"'“”‘’[]"
_OTHER_SEPARATORS: Final = str.maketrans(",；，", ";;;")


@dataclass(frozen=True, slots=True)
class Read:
    """Items in order, each (label, name): the label as the row spells it, None for an unknown class or for none.

    A name that the gold has is spelled as there. `beyond`: how many items were left unread.
    """

    items: list[tuple[str | None, str]]
    beyond: int


class _Pairs(list[tuple[str, Any]]):
    """A JSON object: keys may come twice."""


class _Number(str):
    """A JSON number as it is written: "1984" may be a title, and Python refuses to read 5,000 digits."""

    __slots__ = ()


_JSON: Final = json.JSONDecoder(
    object_pairs_hook=_Pairs, parse_int=_Number, parse_float=_Number, parse_constant=_Number
)


def read(response: str, labels: Sequence[str], names: Sequence[str], *, exact: bool = False) -> Read:
    """The items of a response. Without labels it is one list. `exact`: names of JSON are taken with their white space.

    `labels` and `names` are those of the row; a class is recognised by its letters and digits alone.
    """
    most = max(SHORTEST_READ, 3 * sum(len(name) + 2 for name in names))
    text, rest = response[:most], response[most:]
    known = _Known(labels, names)
    items = list(_from_json(text, known, exact))
    if items:
        return Read(items, _separators(rest))
    return _from_lines(text, rest, known, 2 * len(names) + SPARE)


class _Known:
    """The labels and names of a row, as responses may spell them."""

    __slots__ = ("labels", "longest", "names")

    def __init__(self, labels: Sequence[str], names: Sequence[str]) -> None:
        self.labels = {_letters(label): label for label in labels}
        self.names: Mapping[str, str] = {name: name for name in names} | {_tidy(name): name for name in names}
        self.longest = 2 * max(map(len, names), default=0) + _HEAD

    def label(self, text: str) -> str | None:
        """The label that a text spells; None where it spells none."""
        return self.labels.get(_letters(text)) if len(text) <= _HEAD else None

    def name(self, item: str) -> str:
        """The name of the row that an item spells, else the item."""
        names = self.names
        if (name := names.get(item)) is not None:
            return name
        if len(item) > self.longest:
            return item
        # A name may begin or end with such a mark itself: each is taken off only where what was left is no name.
        text = item
        for less in (_tidy, _unprefixed, _unbulleted, _unnumbered, _plain, _unquoted):
            text = less(text)
            if (name := names.get(text)) is not None or (name := names.get(text.removesuffix("."))) is not None:
                return name
        return item


def _unprefixed(text: str) -> str:
    return text.removeprefix("Answer:").lstrip()


def _unbulleted(text: str) -> str:
    return _BULLET.sub("", text, count=1)


def _unnumbered(text: str) -> str:
    return _NUMBER.sub("", text, count=1)


def _plain(text: str) -> str:
    for mark in ("**", "__", "*", "_", "`"):
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            return text[len(mark) : -len(mark)]
    return text


def _unquoted(text: str) -> str:
    return text.strip(_MARKS)


def _from_lines(text: str, rest: str, known: _Known, most: int) -> Read:
    items: list[tuple[str | None, str]] = []
    label: str | None = None
    for number, match in enumerate(_LINE.finditer(text)):
        line = match[0]
        if line.isspace() or line.lstrip(" ").startswith("```"):
            continue
        if known.labels:
            headed, line = _headed(line, known)
            label = headed or label
            if label is None:
                continue
        pieces = [piece for piece in line.translate(_OTHER_SEPARATORS).split(";") if piece and not piece.isspace()]
        room = most - len(items)
        items += [(label, known.name(piece.strip())) for piece in pieces[:room]]
        if len(pieces) > room or number >= 2 * most:
            behind = text[match.end() :]
            return Read(items, max(0, len(pieces) - room) + _separators(behind) + _separators(rest))
    return Read(items, _separators(rest))


def _headed(line: str, known: _Known) -> tuple[str | None, str]:
    """The label at the head of a line and what stands behind it; (None, the line) where there is none."""
    # The lead is looked for in a bounded part: a line may be megabytes of bullets.
    lead = _LEAD.match(line, 0, _HEAD)
    bare = line[lead.end() :] if lead else line
    head, colon, _ = bare[:_HEAD].replace("：", ":").partition(":")
    if colon and (label := known.label(head)):
        return label, bare[len(head) + 1 :].lstrip("*_` ")
    if len(bare) <= _HEAD and (label := known.label(_COUNT.sub("", bare.rstrip("*_`#: ")))):
        return label, ""
    return None, line


def _from_json(text: str, known: _Known, exact: bool) -> Iterator[tuple[str | None, str]]:
    for start in sorted(start for mark in "{[" if (start := text.find(mark)) >= 0):
        try:
            value, _ = _JSON.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        items = [
            (label, item if exact else known.name(item.strip()))
            for label, item in _walk(value, known)
            if item in known.names or not (isinstance(item, _Number) or (known.labels and known.label(item)))
        ]
        # Else it is a bracket in running text.
        if any(item in known.names for _, item in items):
            yield from items
            return


def _walk(value: Any, known: _Known) -> Iterator[tuple[str | None, str]]:
    """(label, item) of every text in a JSON value, in order: a class holds what stands at its key or in its record."""
    stack: list[tuple[Any, str | None]] = [(value, None)]
    while stack:
        node, label = stack.pop()
        if isinstance(node, str):
            yield label, node
        elif isinstance(node, _Pairs):
            stack += reversed(list(_members(node, label, known)))
        elif isinstance(node, list):
            stack += [(child, label) for child in reversed(node)]


def _members(pairs: _Pairs, label: str | None, known: _Known) -> Iterator[tuple[Any, str | None]]:
    """What an object holds, with its label: {"Film": [...]}, {"class": "Film", "names": [...]}, {"a name": "Film"}."""
    spelled = [known.label(value) if isinstance(value, str) else None for _, value in pairs]
    named = [spelling for spelling in spelled if spelling]
    if len(named) == 1 and len(pairs) > 1:
        yield from ((value, named[0]) for (_, value), spelling in zip(pairs, spelled, strict=True) if spelling is None)
        return
    for (key, value), spelling in zip(pairs, spelled, strict=True):
        if spelling:
            yield key, spelling
        else:
            yield value, known.label(key) or label


def _separators(text: str) -> int:
    """How many items a text that is not read may hold."""
    if not text or text.isspace():
        return 0
    return 1 + sum(text.count(mark) for mark in ";,\n")


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())


def _tidy(text: str) -> str:
    # Most names are tidy: this is looked at a million times.
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    return unicodedata.normalize("NFC", " ".join(text.split()))


def f1(response: str, row: ScoredRow) -> float:
    """Return 2 x right / (items of the response + names of the gold), over pairs of a name and a class.

    Right is a name that stands under its class and under no other, once however often it is written; every item counts,
    so doubles and inventions cost. Of a list to be copied, the right ones are the longest run of names in gold order,
    others left out.
    """
    gold = _gold(row)
    if not gold.classes or _echoes(response, row):
        return 0.0
    listed = read(response, gold.labels, list(gold.classes))
    right = len(_under_their_class(listed, gold)) if gold.labels else _in_order(listed, gold)
    return 2 * right / (len(listed.items) + listed.beyond + len(gold.classes))


def category_recall(response: str, row: ScoredRow) -> float:
    """Return the mean over the classes of the share of their names that stand under them."""
    return _mean(_recalls(response, row))


def category_recall_paper(response: str, row: ScoredRow) -> float:
    """Return the same as published, with the 1/K that the printed formula lacks: a name counts under every class."""
    gold = _gold(row)
    listed = read(response, gold.labels, list(gold.classes), exact=True)
    pairs = set(listed.items)
    return _mean(_shares({name for name, label in gold.classes.items() if (label or None, name) in pairs}, gold))


def global_recall(response: str, row: ScoredRow) -> float:
    """Return the share of the gold's names that the response has, under whichever class."""
    gold = _gold(row)
    if not gold.classes or _echoes(response, row):
        return 0.0
    names = {name for _, name in read(response, gold.labels, list(gold.classes)).items}
    return len(names & gold.classes.keys()) / len(gold.classes)


def per_class(response: str, row: ScoredRow) -> dict[str, float]:
    """Return the recall of every class in the order of the prompt, as `category_recall` takes it; {} for a copy."""
    return _recalls(response, row) if _gold(row).labels else {}


@dataclass(frozen=True, slots=True)
class _Gold:
    """The labels in order (none for a copy), and the label of every name in order ("" in a copy)."""

    labels: tuple[str, ...]
    classes: dict[str, str]


def _gold(row: ScoredRow) -> _Gold:
    text = "\n".join(row["answers"])
    labels = tuple(texts_fact(facts_of(row), "classes"))
    if not labels:
        return _Gold((), dict.fromkeys((name for name in text.split(", ") if name), ""))
    lines = (line.partition(": ") for line in text.split("\n"))
    return _Gold(labels, {name: label for label, _, names in lines for name in names.split("; ") if name})


def _under_their_class(listed: Read, gold: _Gold) -> set[str]:
    labels: dict[str, set[str]] = {}
    for label, name in listed.items:
        if label is not None:
            labels.setdefault(name, set()).add(label)
    return {name for name, label in gold.classes.items() if labels.get(name) == {label}}


def _in_order(listed: Read, gold: _Gold) -> int:
    """The length of the longest rising subsequence of the names' places: each place counts once."""
    order = {name: number for number, name in enumerate(gold.classes)}
    ends: list[int] = []
    for _, name in listed.items:
        if (number := order.get(name)) is not None:
            at = bisect_left(ends, number)
            ends[at : at + 1] = [number]
    return len(ends)


def _recalls(response: str, row: ScoredRow) -> dict[str, float]:
    gold = _gold(row)
    if _echoes(response, row):
        return _shares(set(), gold)
    listed = read(response, gold.labels, list(gold.classes))
    right = _under_their_class(listed, gold) if gold.labels else {name for _, name in listed.items}
    return _shares(right, gold)


def _shares(right: set[str], gold: _Gold) -> dict[str, float]:
    """The share of each class's names that are right; a copy is one class without a label."""
    total = dict.fromkeys(gold.labels or ("",), 0)
    hit = dict(total)
    for name, label in gold.classes.items():
        if label in total:
            total[label] += 1
            hit[label] += name in right
    return {label: hit[label] / count if count else 0.0 for label, count in total.items()}


def _mean(shares: Mapping[str, float]) -> float:
    return sum(shares.values()) / len(shares)


def _echoes(response: str, row: ScoredRow) -> bool:
    prompt = str(row.get("prompt") or "")
    return bool(prompt) and prompt in response
