"""Entity grouping: the names that a response lists under their class (VerbatimEval 2025, formula (3), section 2.3).

A row with `classes` in its `facts` asks for one line for each class; its gold consists of such lines, `Class: a; b; c`.
A row without them asks for a copy of a list, names joined by a comma and a space; `grouping/f1` then scores the order
too. A name under two classes counts for neither, and a response that contains the whole prompt scores 0, except in
`/paper`. Recall ignores invented and repeated names; only `grouping/f1` penalises them.

Right forms: a line for each class, "Film: a; b; c"; headings ("## Films", "**Film (12):**", "Class: Film") with
bullets, numbers or lines below; tables with a class and its names in a row, a name and its class, or a class in each
column; JSON of several shapes; classes in the plural; names between commas, the last after "and"; all of it after
"Answer:", with lines around it that hold no name and end like a sentence or with a colon. Wrong: a name under another
class, under two, left out, changed or invented. Names must match in spelling, in any case: only white space, bullets,
list numbers, quotes, emphasis and a full stop around them are removed.

`read` takes any string, in linear time: at most max(20,000, 3 x gold length) characters, and 1,000 lines and items more
than twice those of the gold, are read; the rest counts as wrong items.
"""

import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from carrara.scoring.facts import ScoredRow, facts_of, texts_fact
from carrara.scoring.responses.reading import answer

SHORTEST_READ: Final = 20_000
SPARE: Final = 1_000
# A label ends within this many characters of its line.
_HEAD: Final = 80
_LINE: Final = re.compile(r"[^\r\n]+")
# Every part is optional, so that a match never backtracks.
_LEAD: Final = re.compile(r"[\s#*+>•_`–-]*(?:[0-9]{1,6}[.)]\s+)?[\s*_`]*")
_BULLET: Final = re.compile(r"^[*+•–-]\s+")
_NUMBER: Final = re.compile(r"^[0-9]{1,6}[.)]\s+")
_PUBLISHED_COUNT: Final = re.compile(r"\s?\([0-9]{1,9}\)$")
_COUNT: Final = re.compile(r"\s{0,4}(?:[(\[][0-9]{1,9}(?: [a-z]{1,20})?[)\]]|[-–—] ?[0-9]{1,9})$")
_KIND: Final = re.compile(r"(?:class|category|group|type)\b ?(?:[0-9]{1,3})?[ .:：)*_-]{0,4}", re.IGNORECASE)
_NO_LETTERS: Final = re.compile(r"[\W_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD: Final = re.compile(r"[^\W_]+")
_RULE: Final = re.compile(r"[|:+=\s-]+")
_TABLE_RULE: Final = re.compile(r"\r?\n[ |:]{0,4}--[-|: ]*(?=[\r\n]|$)")
_BREAK: Final = re.compile(r"<br ?/?>", re.IGNORECASE)
# Running text, unless it holds a name of the row.
_ENDED: Final = re.compile(r"[.!?:。！？：][*_)\"'”]{0,4}\s*$")
_MARKS: Final = "*_`\"'“”‘’[]"
_OTHER_SEPARATORS: Final = str.maketrans(",；，", ";;;")


@dataclass(frozen=True, slots=True)
class Read:
    """The items of a response in order as (label, name), both spelled as in the row where it has them.

    The label is None for an unknown or missing class. `beyond`: the number of items that were not read.
    """

    items: list[tuple[str | None, str]]
    beyond: int


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as pairs, since keys may repeat."""


class _Number(str):
    """A JSON number as text: 1984 may be a title, and Python refuses to parse 5,000 digits."""

    __slots__ = ()


_JSON: Final = json.JSONDecoder(
    object_pairs_hook=_Pairs, parse_int=_Number, parse_float=_Number, parse_constant=_Number
)


def read(response: str, labels: Sequence[str], names: Sequence[str], *, exact: bool = False) -> Read:
    """Return the items of a response; without labels it is one list. `labels` and `names` are those of the row.

    `exact`, for the published metrics, keeps white space in names from JSON, and takes a class by its letters and
    digits alone: no plural, count or kind; no table.
    """
    most = max(SHORTEST_READ, 3 * sum(len(name) + 2 for name in names))
    text, rest = response[:most], response[most:]
    known = _Known(labels, names, exact)
    items = list(_from_json(text, known, exact))
    if items:
        return Read(items, _separators(rest))
    return _from_lines(text, rest, known, 2 * len(names) + SPARE)


class _Known:
    """The labels and names of a row, in the spellings that responses may use."""

    __slots__ = ("_folded", "exact", "labels", "longest", "names")

    def __init__(self, labels: Sequence[str], names: Sequence[str], exact: bool) -> None:
        self.exact = exact
        self.labels = {_letters(label) if exact else _stems(label): label for label in labels}
        self.names: Mapping[str, str] = {name: name for name in names} | {_tidy(name): name for name in names}
        self._folded = {} if exact else {_folded(name): name for name in names}
        self.longest = 2 * max(map(len, names), default=0) + _HEAD

    def label(self, text: str) -> str | None:
        """The label that a text spells, also in the plural or with a count behind it; None if it is not one."""
        if len(text) > _HEAD:
            return None
        if self.exact:
            return self.labels.get(_letters(text))
        if text.strip() in self.names and _letters(text) not in self.labels:
            return None
        bare = _COUNT.sub("", text.strip("*_`#: "))
        return self.labels.get(_stems(bare)) or self.labels.get(_stems(_KIND.sub("", bare, count=1)))

    def name(self, item: str) -> str:
        """The row's name that an item spells, else the item itself."""
        if (name := self._spelled(item)) is not None or self.exact:
            return name or item
        return self._folded.get(_folded(item), item)

    def _spelled(self, item: str) -> str | None:
        names = self.names
        if (name := names.get(item)) is not None:
            return name
        if len(item) > self.longest:
            return None
        # A name may itself begin or end with such a mark: remove one more only if the text is not yet a name.
        text = item
        for less in _PUBLISHED if self.exact else _MARKED:
            text = less(text)
            if (name := names.get(text)) is not None or (name := names.get(text.removesuffix("."))) is not None:
                return name
        return None


def _tidy(text: str) -> str:
    # Called a million times, and most names are tidy.
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _folded(text: str) -> str:
    return _tidy(_unquoted(_tidy(text)).rstrip(".")).casefold()


def _unprefixed(text: str) -> str:
    return text.removeprefix("Answer:").lstrip()


def _unjoined(text: str) -> str:
    return text.removeprefix("and ").removeprefix("& ")


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


# In this order; the published metrics read no "and".
_PUBLISHED: Final = (_tidy, _unprefixed, _unbulleted, _unnumbered, _plain, _unquoted)
_MARKED: Final = (*_PUBLISHED[:4], _unjoined, *_PUBLISHED[4:])


def _from_lines(text: str, rest: str, known: _Known, most: int) -> Read:
    items: list[tuple[str | None, str]] = []
    table = _Table(known)
    label: str | None = None
    for number, match in enumerate(_LINE.finditer(text)):
        line = match[0]
        if line.isspace() or line.lstrip(" ").startswith(("```", "~~~")):
            continue
        parts = [(label, line)]
        if not known.exact and (line.lstrip(" ").startswith("|") or line.count(" | ") > 1):
            parts = table.parts(line, label, _TABLE_RULE.match(text, match.end()) is not None)
        elif known.labels:
            headed, line = _headed(line, known)
            parts = [(headed or label, line)]
        label = parts[-1][0] if parts else label
        room = most - len(items)
        more = [
            (own, known.name(piece.strip()))
            for own, part in parts
            if own or not known.labels
            for piece in part.translate(_OTHER_SEPARATORS).split(";")
            if piece and not piece.isspace()
        ]
        if _ENDED.search(line.rstrip()[-8:]) and not any(name in known.names for _, name in more):
            more = []
        items += more[:room]
        if len(more) > room or number >= 2 * most:
            behind = text[match.end() :]
            return Read(items, max(0, len(more) - room) + _separators(behind) + _separators(rest))
    return Read(items, _separators(rest))


class _Table:
    """The rows of a table in Markdown: with a class in one cell of each, or with a class at the head of each column."""

    def __init__(self, known: _Known) -> None:
        self._known = known
        self._columns: list[str | None] = []

    def parts(self, line: str, label: str | None, is_head: bool) -> list[tuple[str | None, str]]:
        """The cells of a row with their labels; `label`: that of the row before."""
        if _RULE.fullmatch(line):
            return []
        cells = [_BREAK.sub(";", cell).strip() for cell in line.strip().strip("|").split("|")]
        found = [self._known.label(cell) for cell in cells]
        if sum(map(bool, found)) > 1:
            self._columns = found
            return []
        if is_head:
            return []
        if len(self._columns) == len(cells):
            return [*zip(self._columns, cells, strict=True)]
        own = next(filter(None, found), label)
        # Not the class, nor how many there are, nor the number of a row.
        return [
            (own, cell)
            for cell, spelled in zip(cells, found, strict=True)
            if spelled is None and (not cell.isdigit() or cell in self._known.names)
        ]


def _headed(line: str, known: _Known) -> tuple[str | None, str]:
    """The label at the start of a line and the text after it; (None, the line) if there is none."""
    # Bounded, because a line may be megabytes of bullets.
    lead = _LEAD.match(line, 0, _HEAD)
    bare = line[lead.end() :] if lead else line
    head, colon, _ = bare[:_HEAD].replace("：", ":").partition(":")
    if colon and (label := known.label(head)):
        return label, bare[len(head) + 1 :].lstrip("*_` ")
    if known.exact:
        alone = _PUBLISHED_COUNT.sub("", bare.rstrip("*_`#: ")) if len(bare) <= _HEAD else ""
        return known.label(alone), "" if known.label(alone) else line
    if label := known.label(_COUNT.sub("", bare.rstrip("*_`#: "))):
        return label, ""
    head, colon, rest = bare[: 2 * _HEAD].partition(": ") if _KIND.match(bare) else ("", "", "")
    inner, colon, _ = rest.partition(":")
    if colon and (label := known.label(inner)):
        return label, bare[len(head) + len(inner) + 3 :].lstrip("*_` ")
    for dash in (" - ", " – ", " — "):
        head, colon, _ = bare[:_HEAD].partition(dash)
        if colon and (label := known.label(head)):
            return label, bare[len(head) + len(dash) :]
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
        # Otherwise it is a bracket in running text.
        if any(item in known.names for _, item in items):
            yield from items
            return


def _walk(value: Any, known: _Known) -> Iterator[tuple[str | None, str]]:
    """Yield (label, item) for every text in a JSON value, in order; the label is that of its key or its record."""
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
    """Yield an object's values with labels: {"Film": [...]}, {"class": "Film", "names": [...]}, {"a name": "Film"}."""
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
    """The number of items that unread text may contain."""
    if not text or text.isspace():
        return 0
    return 1 + sum(text.count(mark) for mark in ";,\n")


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())


def _stems(text: str) -> str:
    """The letters of a text, its words in the singular."""
    words = _WORD.findall(_CAMEL.sub(" ", text).casefold())
    return "".join(f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s") for word in words)


def f1(response: str, row: ScoredRow) -> float:
    """Return 2 x correct / (items of the response + names of the gold), over pairs of a name and a class.

    A name is correct if it is listed under its class and no other, and counts once; every item counts in the
    denominator, so repetitions and inventions cost. For a list to be copied, the correct names are the longest
    subsequence in gold order.
    """
    gold = _gold(row)
    if not gold.classes or _echoes(response, row):
        return 0.0
    listed = _listed(response, gold)
    right = len(_under_their_class(listed, gold)) if gold.labels else _in_order(listed, gold)
    return 2 * right / (len(listed.items) + listed.beyond + len(gold.classes))


def category_recall(response: str, row: ScoredRow) -> float:
    """Return the mean over classes of the share of a class's names that are listed under it."""
    return _mean(_recalls(response, row))


def category_recall_paper(response: str, row: ScoredRow) -> float:
    """Return the published recall, with the 1/K that the printed formula lacks: a name may be under several classes."""
    gold = _gold(row)
    listed = read(response, gold.labels, list(gold.classes), exact=True)
    pairs = set(listed.items)
    return _mean(_shares({name for name, label in gold.classes.items() if (label or None, name) in pairs}, gold))


def global_recall(response: str, row: ScoredRow) -> float:
    """Return the share of the gold's names in the response, under any class."""
    gold = _gold(row)
    if not gold.classes or _echoes(response, row):
        return 0.0
    names = {name for _, name in _listed(response, gold).items}
    return len(names & gold.classes.keys()) / len(gold.classes)


def global_recall_paper(response: str, row: ScoredRow) -> float:
    """Return the published share of the gold's names in the response: white space counts, and so does an echo."""
    gold = _gold(row)
    names = {name for _, name in read(response, gold.labels, list(gold.classes), exact=True).items}
    return len(names & gold.classes.keys()) / len(gold.classes) if gold.classes else 0.0


def per_class(response: str, row: ScoredRow) -> dict[str, float]:
    """Return the recall of each class, in the order of the prompt, as in `category_recall`; {} for a copied list."""
    return _recalls(response, row) if _gold(row).labels else {}


@dataclass(frozen=True, slots=True)
class _Gold:
    """The labels in order (none for a copied list), and the label of each name in order ("" for a copied list)."""

    labels: tuple[str, ...]
    classes: dict[str, str]


def _gold(row: ScoredRow) -> _Gold:
    text = "\n".join(row["answers"])
    labels = tuple(texts_fact(facts_of(row), "classes"))
    if not labels:
        return _Gold((), dict.fromkeys((name for name in text.split(", ") if name), ""))
    lines = (line.partition(": ") for line in text.split("\n"))
    return _Gold(labels, {name: label for label, _, names in lines for name in names.split("; ") if name})


def _listed(response: str, gold: _Gold) -> Read:
    """The items after the last "Answer:", unless the list stands before it."""
    names = list(gold.classes)
    listed = read(response, gold.labels, names)
    if (told := answer(response)) is None:
        return listed
    after = read(told, gold.labels, names)
    held = [{name for _, name in one.items} & gold.classes.keys() for one in (after, listed)]
    return after if len(held[0]) >= len(held[1]) else listed


def _under_their_class(listed: Read, gold: _Gold) -> set[str]:
    labels: dict[str, set[str]] = {}
    for label, name in listed.items:
        if label is not None:
            labels.setdefault(name, set()).add(label)
    return {name for name, label in gold.classes.items() if labels.get(name) == {label}}


def _in_order(listed: Read, gold: _Gold) -> int:
    """The length of the longest subsequence of names in gold order, each name once."""
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
    listed = _listed(response, gold)
    right = _under_their_class(listed, gold) if gold.labels else {name for _, name in listed.items}
    return _shares(right, gold)


def _shares(right: set[str], gold: _Gold) -> dict[str, float]:
    """The share of each class's names that are correct; a copied list is one class without a label."""
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
