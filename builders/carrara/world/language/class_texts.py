"""The wordings of one class in one language, read from `text/<lang>/<class>.txt` and checked.

Sections; `grammar.py` says what stands in a template:

    [nouns]        what the class is called when the text refers to the subject: `film / picture`
    [facts]        `@ director released` heads the templates that state exactly these relations; each holds every one of
                   them once as a slot, and names the subject
    [questions]    `director: Who directed (the film) {X}? / * In which village was the film {X} shot? / ...`
    [phrases]      `director: the director of (the film) {X} / ...`, for questions over several hops
    [inverses]     `films_directed: Which films did {X} direct? / ...`, by the schema's `inverse`
    [comparisons]  `released: Which came out first, {A} or {B}? / ...`; the smaller (earlier) one is asked
    [glosses]      3 to 8 words that imply the class and name nothing

In questions and phrases {X} is a name or, in a question over several hops, a phrase ("the director of ..."). Words in
round brackets stand before a name only: they say what it names. A wording with a star is for names only. Any other has
the gap where a phrase reads well, however long: at its end in English, at its beginning in Chinese.

Persons share `person.txt`. [facts], and what stands beside the facts, are in `text/<lang>/paragraphs/<class>.txt`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from carrara.task import Lang
from carrara.world.language.grammar import (
    Alternatives,
    Mention,
    Phrase,
    ValueField,
    WordingLine,
    parse,
    read_sections,
    split_top,
)
from carrara.world.language.paragraphs import PERIODS, ClassParagraphs, read_paragraphs
from carrara.world.language.terms import terms
from carrara.world.realm.schema import ASPECTS, PERSONS, RELATIONS, EntityClass, Relation, RelationKind


@dataclass(frozen=True, slots=True)
class SentenceTemplate:
    """A sentence: its phrase, and how likely two spellings of it are the same but for the subject.

    `alike` is the chance between two worlds, which share no name; `repeats` that within one, where two subjects may
    have a value in common that is a name.
    """

    phrase: Phrase
    alike: float
    repeats: float


@dataclass(frozen=True, slots=True)
class GapWordings:
    """The wordings of one question or phrase: those around a name, and those around a phrase."""

    of_name: tuple[Phrase, ...]
    of_phrase: tuple[Phrase, ...]


Facts = Mapping[tuple[str, ...], tuple[SentenceTemplate, ...]]
NamedPhrases = Mapping[str, tuple[Phrase, ...]]

# How likely two values of a kind are the same, between two worlds: names never are, years and numbers crowd in part of
# their range.
_ALIKE: Final[dict[RelationKind, float]] = {
    "entity": 0.0,
    "place": 0.0,
    "alias": 0.0,
    "date": 1e-4,
    "year": 0.01,
    "number": 0.01,
    "term": 0.08,
}
# The same for a name within one world: somebody's second film, two people of one village.
_SAME_NAME: Final = 1e-3
# Where the gap of a wording for phrases stands, the words in round brackets left out.
_GAP_OF_PHRASE: Final[dict[Lang, re.Pattern[str]]] = {
    "en": re.compile(r"[^{}]+ \{X\}\??"),
    "zh": re.compile(r"离?\{X\}[^{}]+"),
}
_BEFORE_NAMES: Final = re.compile(r"\(([^()]+)\)( ?)")


@dataclass(frozen=True, slots=True)
class ClassText:
    """All wordings of a class in one language."""

    nouns: tuple[str, ...]
    # By the relations stated, in schema order.
    facts: Facts
    paragraphs: ClassParagraphs
    questions: Mapping[str, GapWordings]
    phrases: Mapping[str, GapWordings]
    inverses: NamedPhrases
    comparisons: NamedPhrases
    glosses: tuple[Phrase, ...]
    # By a relation: the keys of `facts` that state it.
    heads: Mapping[str, tuple[tuple[str, ...], ...]]

    # The results of `starting`: a class has a few hundred combinations.
    kept: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    def starting(self, left: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """The keys of `facts` that state the first relation of `left` and otherwise only others of it."""
        heads = self.kept.get(left)
        if heads is None:
            heads = tuple(head for head in self.heads[left[0]] if all(other in left for other in head))
            self.kept[left] = heads
        return heads


@cache
def class_text(lang: Lang, class_: EntityClass) -> ClassText:
    """Read the wordings of a class; ValueError with file and line where the text is wrong."""
    names = ("person", class_) if class_ in PERSONS else (class_,)
    sections = [read_sections(lang, name) for name in names]
    relations = tuple(relation.name for relation in RELATIONS[class_])

    def lines(section: str) -> Iterator[WordingLine]:
        for each in sections:
            yield from each.get(section, [])

    def named(section: str, values: Sequence[str], known: Sequence[str]) -> dict[str, tuple[Phrase, ...]]:
        return _named(lines(section), values, known)

    written: dict[str, list[WordingLine]] = {}
    for name in ("_lists", *names):
        for section, found in read_sections(lang, f"paragraphs/{name}").items():
            written[section] = [*written.get(section, ()), *found]
    paragraphs, own = read_paragraphs(written, {}, ASPECTS[class_], _conditions(lang, class_))
    _one_aspect(paragraphs)
    for name in relations:
        if name in own:
            raise ValueError(f"{lang}/paragraphs/{class_}.txt: a list is called {name!r} as a relation is; rename it")
    facts = _facts(written.get("facts", ()), own.get, RELATIONS[class_])
    return ClassText(
        nouns=tuple(noun.strip() for line in lines("nouns") for noun in split_top(line.text, "/")),
        facts=facts,
        paragraphs=paragraphs,
        questions=_gapped(lines("questions"), lang, relations),
        phrases=_gapped(lines("phrases"), lang, relations),
        inverses=named("inverses", (), _inverses(class_)),
        comparisons=named("comparisons", ("A", "B"), relations),
        glosses=tuple(_parsed(line) for line in lines("glosses")),
        heads={name: tuple(head for head in facts if name in head) for name in relations},
    )


def _one_aspect(paragraphs: ClassParagraphs) -> None:
    """A topic belongs to one aspect, or two passages of one entity could contradict each other."""
    aspects: dict[str, str] = {}
    for aspect, known in paragraphs.by_aspect.items():
        for paragraph in known:
            if (other := aspects.setdefault(paragraph.topic, aspect)) != aspect:
                raise ValueError(
                    f"{paragraph.where}: the topic {paragraph.topic!r} belongs to the aspect {other!r}; "
                    "give it another name"
                )


def _conditions(lang: Lang, class_: EntityClass) -> dict[str, Collection[str]]:
    """What conditions of paragraphs can ask, and the values."""
    words = {relation.name: terms(relation.terms, lang) for relation in RELATIONS[class_] if relation.kind == "term"}
    return {
        "period": PERIODS,
        "gender": ("male", "female"),
        "has": [relation.name for relation in RELATIONS[class_]],
        **words,
    }


def _inverses(class_: EntityClass) -> list[str]:
    """List questions about an entity of the class: the inverses of relations that lead to it."""
    return [
        relation.inverse
        for each in RELATIONS.values()
        for relation in each
        if relation.inverse and class_ in relation.targets
    ]


def _named(
    lines: Iterator[WordingLine],
    values: Sequence[str],
    known: Sequence[str],
) -> dict[str, tuple[Phrase, ...]]:
    out: dict[str, tuple[Phrase, ...]] = {}
    for name, line in _wordings(lines, known):
        out[name] = (*out.get(name, ()), _parsed(line, values))
    return out


def _wordings(lines: Iterator[WordingLine], known: Sequence[str]) -> Iterator[tuple[str, WordingLine]]:
    """The wordings of `name: wording / wording` lines, each with its name."""
    for line in lines:
        name, _, rest = line.text.partition(":")
        if name not in known:
            raise ValueError(f"{line.where}: {name!r} is none of {', '.join(known)}")
        for text in split_top(rest, "/"):
            yield name, WordingLine(line.where, text.strip())


def _parsed(line: WordingLine, values: Sequence[str] = ()) -> Phrase:
    """A wording, which has no lists."""
    return parse(line, lambda _: None, values)


def _gapped(lines: Iterator[WordingLine], lang: Lang, known: Sequence[str]) -> dict[str, GapWordings]:
    of_name: dict[str, list[Phrase]] = {}
    of_phrase: dict[str, list[Phrase]] = {}
    for name, line in _wordings(lines, known):
        text = line.text.removeprefix("* ")
        of_name.setdefault(name, []).append(_parsed(WordingLine(line.where, _BEFORE_NAMES.sub(r"\1\2", text))))
        if text == line.text:
            bare = _BEFORE_NAMES.sub("", text)
            if not _GAP_OF_PHRASE[lang].fullmatch(bare):
                raise ValueError(
                    f"{line.where}: a phrase in the gap of {bare!r} would not read well; put the gap "
                    f"{'first' if lang == 'zh' else 'last'}, or write `* ` before the wording: for names only"
                )
            of_phrase.setdefault(name, []).append(_parsed(WordingLine(line.where, bare)))
    return {name: GapWordings(tuple(every), tuple(of_phrase.get(name, ()))) for name, every in of_name.items()}


def _facts(
    lines: Iterable[WordingLine], lists: Callable[[str], Alternatives | None], schema: Sequence[Relation]
) -> dict[tuple[str, ...], tuple[SentenceTemplate, ...]]:
    relations = [relation.name for relation in schema]
    alike = {relation.name: _ALIKE[relation.kind] for relation in schema}
    repeats = {name: share or _SAME_NAME for name, share in alike.items()}
    by_values: dict[tuple[str, ...], list[SentenceTemplate]] = {}
    stated: tuple[str, ...] = ()
    for line in lines:
        if line.text.startswith("@ "):
            asked = line.text.removeprefix("@ ").split()
            if unknown := [name for name in asked if name not in relations]:
                raise ValueError(f"{line.where}: no relation {unknown[0]!r}; the class has {', '.join(relations)}")
            stated = tuple(name for name in relations if name in asked)
            continue
        if not stated:
            raise ValueError(f"{line.where}: a wording before the first `@ relation` line")
        phrase = parse(line, lists, stated)
        _check(line, phrase, stated)
        by_values.setdefault(stated, []).append(
            SentenceTemplate(phrase, chance(phrase, alike), chance(phrase, repeats))
        )
    return {key: tuple(templates) for key, templates in by_values.items()}


def _check(line: WordingLine, phrase: Phrase, stated: Sequence[str]) -> None:
    """Every relation once and outside of alternatives (else a choice could leave the fact out), the subject named."""
    values = [part.name for part in phrase if isinstance(part, ValueField)]
    if sorted(values) != sorted(stated):
        raise ValueError(f"{line.where}: states {values}, expected each of {list(stated)} once, outside of [..|..]")
    if not any(isinstance(part, Mention) for part in phrase):
        raise ValueError(f"{line.where}: does not name the subject; put {{X}}, {{Xo}} or {{X's}} outside of [..|..]")


def chance(phrase: Phrase, values: Mapping[str, float]) -> float:
    """The probability that two spellings of a phrase, drawn independently, are equal, the subject left out.

    `values` gives that probability for each value of the caller: 0 for a name that nothing else has.
    """
    out = 1.0
    for part in phrase:
        if isinstance(part, ValueField):
            out *= values[part.name]
        elif isinstance(part, Alternatives):
            out *= _list_alike(part)
    return out


_LISTS_ALIKE: dict[int, tuple[Alternatives, float]] = {}


def _list_alike(part: Alternatives) -> float:
    """The same for a list: looked at once, for it stands in many templates, and kept, so that its id is its own."""
    if id(part) not in _LISTS_ALIKE:
        share = sum(chance(phrase, {}) if _free(phrase) else 1.0 for phrase in part.phrases) / len(part.phrases) ** 2
        _LISTS_ALIKE[id(part)] = (part, share)
    return _LISTS_ALIKE[id(part)][1]


def _free(phrase: Phrase) -> bool:
    return not any(isinstance(part, ValueField) for part in phrase)
