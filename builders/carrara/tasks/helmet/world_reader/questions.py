"""Parses a question of the invented world: the entity that it names, and the relations that it asks for.

A wording of the world must match the whole question, with a name of the right kind in the gap. A phrase in the gap
("the director of ...") is an earlier step; "the poet Wemirow" and "the mayor of Relavia" may mean several people.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from carrara.tasks.helmet.world_reader.templates import is_name, is_region, is_surname, relation_of
from carrara.world.language.class_texts import ClassText, class_text
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
    for asked, gap in _gaps(question, "questions"):
        for name, path in _subjects(gap, asked, _MOST_STEPS - 1):
            whole = (*path, (asked.class_, asked.relation))
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


def _subjects(text: str, around: "_Wording", left: int) -> Iterator[tuple[str, tuple[tuple[EntityClass, str], ...]]]:
    """Every way to read what stands in a wording's gap: a name, or steps from another entity's name."""
    if not around.of_phrase:
        if is_name(around.class_, text):
            yield text, ()
    elif left:
        for called, gap in _gaps(text, "phrases"):
            if around.class_ in relation_of(called.class_, called.relation).targets:
                for name, path in _subjects(gap, called, left - 1):
                    yield name, (*path, (called.class_, called.relation))


def _readings(question: str) -> Iterator[ReadingsQuestion]:
    for asked, gap in _gaps(question, "questions"):
        class_ = asked.class_
        if class_ in _CALLED_BY and not asked.of_phrase and gap.startswith("the "):
            name, joint = _CALLED_BY[class_]
            calling, separator, shared = gap.removeprefix("the ").rpartition(joint)
            fits = is_region if class_ == "office_holder" else is_surname
            if separator and calling in terms(relation_of(class_, name).terms, "en") and fits(shared):
                yield ReadingsQuestion(class_, calling, shared, asked.relation)


def _listings(question: str) -> list[ListQuestion]:
    by_name: dict[str, tuple[RelationStep, ...]] = {}
    for asked, gap in _gaps(question, "inverses"):
        if is_name(asked.class_, gap):
            by_name[gap] = _ways(asked.relation)
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


def _gaps(text: str, section: str) -> Iterator[tuple["_Wording", str]]:
    """Every wording of a section that matches a text, and the text in its gap."""
    for wording in _wordings(section):
        before, after = wording.before, wording.after
        if len(text) > len(before) + len(after) and text.startswith(before) and text.endswith(after):
            yield wording, text[len(before) : len(text) - len(after)]


class _Wording(NamedTuple):
    """Of what it asks, the texts before and after its gap, and whether a phrase or a name stands in the gap."""

    class_: EntityClass
    relation: str
    before: str
    after: str
    of_phrase: bool


@cache
def _wordings(section: str) -> tuple[_Wording, ...]:
    return tuple(
        _Wording(class_, name, *_cut(phrase), of_phrase)
        for class_ in CLASSES
        for name, phrases, of_phrase in _phrases(class_text("en", class_), section)
        for phrase in phrases
    )


def _phrases(text: ClassText, section: str) -> Iterator[tuple[str, tuple[Phrase, ...], bool]]:
    """The wordings of a section by what they ask for, and whether they are those for phrases."""
    if section == "inverses":
        for name, phrases in text.inverses.items():
            yield name, phrases, False
    else:
        for name, wordings in (text.questions if section == "questions" else text.phrases).items():
            yield name, wordings.of_name, False
            yield name, wordings.of_phrase, True


def _cut(phrase: Phrase) -> tuple[str, str]:
    before, _, *after = phrase
    return str(before), "".join(map(str, after))
