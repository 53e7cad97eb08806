"""What chronicles say beside their scripts: terms, questions, titles and key points of events.

text/<lang>/chronicle_terms.txt   the terms that slots of events take, as many in every language (`kinds.TERMS`)
text/<lang>/chronicle_asks.txt    [questions] [titles] [keys], a line for each
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from carrara.task import Lang
from carrara.world.documents.chronicle.kinds import KINDS, TERMS
from carrara.world.language.grammar import Phrase, WordingLine, parse, read_sections, split_top

HOUSES: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {name: f"the {name}" for name in ("inn", "mill", "shipping house", "school", "estate", "print shop")},
    "zh": {
        "inn": "客栈",
        "mill": "磨坊",
        "shipping house": "船行",
        "school": "学堂",
        "estate": "庄园",
        "print shop": "印书坊",
    },
}
# The slots of events.
_VALUES: Final = (*"ABCDSKOPNTU", "town", "house")


@dataclass(frozen=True, slots=True)
class ChronicleText:
    """All wordings of one language; those of a question or a title are choices."""

    questions: Mapping[tuple[str, str], tuple[Phrase, ...]]
    titles: Mapping[str, tuple[Phrase, ...]]
    keys: Mapping[str, tuple[Phrase, ...]]
    terms: Mapping[str, tuple[str, ...]]


@cache
def chronicle_text(lang: Lang) -> ChronicleText:
    """Read the wordings; ValueError with file and line where a text is wrong."""
    asks = read_sections(lang, "chronicle_asks")
    return ChronicleText(
        questions={key: _split(line) for key, line in _asked(lang, asks["questions"])},
        titles={name: _split(line) for name, line in _headed(lang, asks["titles"], set(KINDS))},
        keys={name: _split(line) for name, line in _headed(lang, asks["keys"], set(KINDS))},
        terms=_terms(lang),
    )


def _terms(lang: Lang) -> dict[str, tuple[str, ...]]:
    lists: dict[str, tuple[str, ...]] = {}
    for line in read_sections(lang, "chronicle_terms")["terms"]:
        name, _, rest = line.text.partition(":")
        terms = tuple(term.strip() for term in rest.split("/"))
        if TERMS.get(name) != len(terms) or len(set(terms)) != len(terms):
            raise ValueError(f"{line.where}: {len(set(terms))} terms of {name!r}, expected {TERMS.get(name)}")
        lists[name] = terms
    if missing := sorted(set(TERMS) - set(lists)):
        raise ValueError(f"{lang}/chronicle_terms.txt: no list {missing[0]!r}; add it")
    return lists


def _headed(lang: Lang, lines: Sequence[WordingLine], wanted: set[str]) -> Iterator[tuple[str, WordingLine]]:
    heads = [line.text.partition(":")[0] for line in lines]
    if sorted(heads) != sorted(wanted):
        wrong = sorted(set(heads) ^ wanted) or heads
        raise ValueError(f"{lang}/chronicle_asks.txt: {wrong[0]!r} is missing, or too much; there is one line for each")
    for line in lines:
        name, _, rest = line.text.partition(":")
        yield name, WordingLine(line.where, rest.strip())


def _asked(lang: Lang, lines: Sequence[WordingLine]) -> Iterator[tuple[tuple[str, str], WordingLine]]:
    wanted = {f"{name} {fact.name}" for name, kind in KINDS.items() for fact in kind.facts}
    wanted |= {f"{name} {joint.name}" for name, kind in KINDS.items() for joint in kind.joints}
    for head, line in _headed(lang, lines, wanted):
        name, _, asked = head.partition(" ")
        yield (name, asked), line


def _split(line: WordingLine) -> tuple[Phrase, ...]:
    return tuple(
        parse(WordingLine(line.where, text.strip()), lambda _: None, _VALUES) for text in split_top(line.text, "/")
    )
