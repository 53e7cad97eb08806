"""The closed lists of the invented world: what an entity's "term" facts can say, in both languages.

`text/terms.txt` holds one list a heading and one `english = 中文` a line, which may go on with `| relation low high`
(the whole numbers that the relation can have beside this term) and `| relation: word / word` (what goes with it).
A term is stored as its place in the list and drawn from the whole list: a line that is added, moved or taken away
makes other worlds.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from carrara.task import Lang

_TEXT: Final = Path(__file__).parents[1] / "text" / "terms.txt"
_RANGE: Final = re.compile(r"(\w+) (\d+) (\d+)")
_LINK: Final = re.compile(r"(\w+): (.+)")


@dataclass(frozen=True, slots=True)
class Term:
    """An entry of a list: its words, the numbers that go with it (low, high; both included) and the terms that do."""

    en: str
    zh: str
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def terms(name: str, lang: Lang) -> tuple[str, ...]:
    """The words of a list, in its order: shape (entries,). KeyError names the lists that there are."""
    return _words(name)[lang]


def entries(name: str) -> tuple[Term, ...]:
    """The entries of a list, in its order: shape (entries,). KeyError names the lists that there are."""
    lists = _lists()
    if name not in lists:
        raise KeyError(f"no list of terms {name!r}; there are {', '.join(lists)}")
    return lists[name]


def place(name: str, english: str) -> int:
    """Where in its list an English word stands."""
    try:
        return terms(name, "en").index(english)
    except ValueError:
        raise KeyError(f"the list {name} has no entry {english!r}; it has {', '.join(terms(name, 'en'))}") from None


def read_terms(lines: Iterable[str]) -> dict[str, tuple[Term, ...]]:
    """The lists by name. ValueError names the first line that is malformed."""
    lists: dict[str, list[Term]] = {}
    current: list[Term] | None = None
    for number, line in enumerate(map(str.strip, lines), start=1):
        if line.startswith("# "):
            if line[2:] in lists:
                raise ValueError(f"line {number}: the list {line[2:]!r} begins a second time")
            current = lists[line[2:]] = []
        elif line:
            if current is None:
                raise ValueError(
                    f"line {number}: {line!r} stands before the first heading, expected '# name of a list'"
                )
            current.append(_term(line, number))
    return {name: tuple(terms_) for name, terms_ in lists.items()}


def _term(line: str, number: int) -> Term:
    words, *notes = (part.strip() for part in line.split("|"))
    en, equals, zh = (part.strip() for part in words.partition("="))
    if not (en and equals and zh):
        raise ValueError(f"line {number}: got {words!r}, expected 'english = 中文'")
    ranges: dict[str, tuple[int, int]] = {}
    links: dict[str, tuple[str, ...]] = {}
    for note in notes:
        if match := _RANGE.fullmatch(note):
            ranges[match[1]] = (int(match[2]), int(match[3]))
        elif match := _LINK.fullmatch(note):
            links[match[1]] = tuple(match[2].split(" / "))
        else:
            raise ValueError(f"line {number}: got {note!r}, expected 'relation low high' or 'relation: word / word'")
    return Term(en, zh, ranges, links)


@cache
def _lists() -> dict[str, tuple[Term, ...]]:
    return read_terms(_TEXT.read_text(encoding="utf-8").splitlines())


@cache
def _words(name: str) -> dict[Lang, tuple[str, ...]]:
    terms_ = entries(name)
    return {"en": tuple(term.en for term in terms_), "zh": tuple(term.zh for term in terms_)}
