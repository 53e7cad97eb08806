"""Parses a question of the invented world: the entity that it names, and the relations that it asks for.

A wording of the world must match the whole question, with a name of the right kind in the gap. A phrase in the gap
("the director of ...") is an earlier step; "the poet Wemirow" and "the mayor of Relavia" may mean several people.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from carrara.tasks.helmet.world_reader.templates import is_name, is_region, is_surname, relation_of
from carrara.world.language.class_texts import class_text
from carrara.world.language.grammar import Phrase
from carrara.world.language.terms import terms
from carrara.world.realm.schema import CLASSES, RELATIONS, EntityClass

# The world's longest question has 300 letters and 5 steps.
LONGEST: Final = 1_000
_MOST_STEPS: Final = 5
# How an ambiguous question describes its subject: by its calling, and by its region or surname.
_CALLED_BY: Final[dict[EntityClass, tuple[str, str]]] = {"office_holder": ("office", " of "), "artist": ("field", " ")}


@dataclass(frozen=True, slots=True)
class RelationStep:
    """A step from an entity of one of the classes to the value of a relation."""

    relation: str
    classes: tuple[EntityClass, ...]


@dataclass(frozen=True, slots=True)
class ChainQuestion:
    """Asks for the entity or value to which steps lead from the named entity; a plain question has one step."""

    name: str
    steps: tuple[RelationStep, ...]


@dataclass(frozen=True, slots=True)
class ReadingsQuestion:
    """Asks for a relation of everybody of a class with a calling and, by class, a surname or a region."""

    class_: EntityClass
    calling: str
    shared: str
    relation: str


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """Asks for all entities that have the named entity as the value of a relation: of any of the steps."""

    name: str
    ways: tuple[RelationStep, ...]


ParsedQuestion = ChainQuestion | ReadingsQuestion | ListQuestion


def read_question(question: str) -> list[ParsedQuestion]:
    """Every way to read a question; [] if no wording of the world matches it.

    One wording may ask for the minutes of a film and of an album; what the passages say about the name decides.
    """
    if len(question) > LONGEST:
        return []
    return [*_chains(question), *_readings(question), *_listings(question)]


def _chains(question: str) -> list[ChainQuestion]:
    """Every way to read a question as steps from a name; classes of persons share some relations."""
    classes: dict[tuple[str, tuple[str, ...]], list[set[EntityClass]]] = {}
    for class_, relation, gap in _gaps(question, "questions"):
        for name, path in _subjects(gap, class_, _MOST_STEPS - 1):
            whole = (*path, (class_, relation))
            kept = classes.setdefault((name, tuple(each for _, each in whole)), [set() for _ in whole])
            for every, (of_class, _) in zip(kept, whole, strict=True):
                every.add(of_class)
    return [
        ChainQuestion(
            name,
            tuple(RelationStep(relation, tuple(sorted(every))) for relation, every in zip(path, sets, strict=True)),
        )
        for (name, path), sets in classes.items()
    ]


def _subjects(text: str, class_: EntityClass, left: int) -> Iterator[tuple[str, tuple[tuple[EntityClass, str], ...]]]:
    """Every way to read a text as an entity of a class: its name, or steps from another entity's name."""
    if is_name(class_, text):
        yield text, ()
    elif left:
        for before, relation, gap in _gaps(text, "phrases"):
            if class_ in relation_of(before, relation).targets:
                for name, path in _subjects(gap, before, left - 1):
                    yield name, (*path, (before, relation))


def _readings(question: str) -> Iterator[ReadingsQuestion]:
    for class_, relation, gap in _gaps(question, "questions"):
        if class_ in _CALLED_BY and gap.startswith("the "):
            name, joint = _CALLED_BY[class_]
            calling, separator, shared = gap.removeprefix("the ").rpartition(joint)
            fits = is_region if class_ == "office_holder" else is_surname
            if separator and calling in terms(relation_of(class_, name).terms, "en") and fits(shared):
                yield ReadingsQuestion(class_, calling, shared, relation)


def _listings(question: str) -> list[ListQuestion]:
    by_name: dict[str, tuple[RelationStep, ...]] = {}
    for class_, inverse, gap in _gaps(question, "inverses"):
        if is_name(class_, gap):
            by_name[gap] = _ways(inverse)
    return [ListQuestion(name, ways) for name, ways in by_name.items()]


@cache
def _ways(inverse: str) -> tuple[RelationStep, ...]:
    """The relations whose inverse a list question asks for."""
    classes: dict[str, list[EntityClass]] = {}
    for class_ in CLASSES:
        for relation in RELATIONS[class_]:
            if relation.inverse == inverse:
                classes.setdefault(relation.name, []).append(class_)
    return tuple(RelationStep(relation, tuple(members)) for relation, members in classes.items())


def _gaps(text: str, section: str) -> Iterator[tuple[EntityClass, str, str]]:
    """The class and the relation of every wording that matches a text, and the text in its gap."""
    for class_, relation, before, after in _wordings(section):
        if len(text) > len(before) + len(after) and text.startswith(before) and text.endswith(after):
            yield class_, relation, text[len(before) : len(text) - len(after)]


@cache
def _wordings(section: str) -> tuple[tuple[EntityClass, str, str, str], ...]:
    """The wordings of a section: class, relation, and the texts before and after the gap."""
    wordings: list[tuple[EntityClass, str, str, str]] = []
    for class_ in CLASSES:
        text = class_text("en", class_)
        named = {"questions": text.questions, "phrases": text.phrases, "inverses": text.inverses}[section]
        wordings += [(class_, name, *_cut(phrase)) for name, phrases in named.items() for phrase in phrases]
    return tuple(wordings)


def _cut(phrase: Phrase) -> tuple[str, str]:
    before, _, *after = phrase
    return str(before), "".join(map(str, after))
