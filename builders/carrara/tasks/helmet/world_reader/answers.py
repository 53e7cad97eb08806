"""Answers questions of the invented world from passages alone, and grades the passages; the solvers are built on it.

It reads only the passages that matter: those about the entities in question and, for lists and for relations that hold
both ways, those that name the entities. A question that cannot be read in exactly one way has no answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.tasks.helmet.world_reader.questions import (
    ChainQuestion,
    ListQuestion,
    ParsedQuestion,
    ReadingsQuestion,
    RelationStep,
    read_question,
)
from carrara.tasks.helmet.world_reader.templates import Stated, is_about, is_name, relation_of, stated
from carrara.world.realm.schema import PERSONS, EntityClass

# Relations that hold both ways: the relation back, and the classes that have it.
_BOTH_WAYS: Final[dict[str, RelationStep]] = {
    "spouse": RelationStep("spouse", PERSONS),
    "married": RelationStep("spouse", PERSONS),
    "twin_village": RelationStep("twin_village", ("village",)),
}
# The most passages about an entity, naming it, or in a list. The world has at most 4, about 60, and 8 answers with 3
# each; only hostile text exceeds these bounds, and then there is no answer.
_MOST_ABOUT, _MOST_NAMING, _MOST_LISTED = 16, 400, 64


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """A passage that answers: its number, the answer as the world writes it, and whose relation it is.

    hop: the step of the question, 1, 2, ...; the last gives the answer. name: the entity with the relation (for an
    ambiguous question, the reading; for a list, the entity asked about, and each value is the title that answers).
    start, end: where the passage states the value, in code points of its text.
    """

    passage: int
    value: str
    hop: int
    name: str
    start: int
    end: int


def answers(question: str, passages: Sequence[tuple[str, str]]) -> list[FoundAnswer]:
    """The passages, as (title, text), that answer a question or a step of it: by step, then in order.

    [] if the question cannot be read in one way, or if the passages do not state a step, or state two values for it.
    """
    corpus = _TitledPassages(passages)
    results = [each for asked in read_question(question) if (each := corpus.answers_to(asked))]
    return results[0] if results and all(each == results[0] for each in results) else []


def grades(question: str, passages: Sequence[tuple[str, str]]) -> list[int]:
    """The relevance of each passage, as (title, text), to a plain question, from these passages alone.

    3: it states the answer; 2: another passage about the entity asked about; 1: another passage that names this entity
    or, if the answer is an entity, is about the answer or names it; 0: any other passage. All are 0 if the question is
    not a plain question about one entity.
    """
    asked = read_question(question)
    plain = [reading for reading in asked if isinstance(reading, ChainQuestion) and len(reading.steps) == 1]
    if not plain or len(plain) < len(asked) or len({reading.name for reading in plain}) > 1:
        return [0] * len(passages)
    hits = answers(question, passages)
    name = plain[0].name
    # A relation has the same kind of value in all classes.
    (step,) = plain[0].steps
    entity = relation_of(step.classes[0], step.relation).kind == "entity"
    named = {name, *(hit.value for hit in hits if entity)}
    out = [
        2 if title == name else int(title in named or any(mention in text for mention in named))
        for title, text in passages
    ]
    for hit in hits:
        out[hit.passage] = 3
    return out


class _TitledPassages:
    """Passages by title."""

    __slots__ = ("_at", "_passages")

    def __init__(self, passages: Sequence[tuple[str, str]]) -> None:
        self._passages = passages
        self._at: dict[str, list[int]] = {}
        for number, (title, _) in enumerate(passages):
            self._at.setdefault(title, []).append(number)

    def answers_to(self, asked: ParsedQuestion) -> list[FoundAnswer]:
        """The passages that answer one reading of a question."""
        if isinstance(asked, ChainQuestion):
            return self.chain(asked)
        return self.readings(asked) if isinstance(asked, ReadingsQuestion) else self.listing(asked)

    def chain(self, asked: ChainQuestion) -> list[FoundAnswer]:
        """The passages that state each step; [] if a step has no value, or two."""
        hits: list[FoundAnswer] = []
        name = asked.name
        for hop, step in enumerate(asked.steps, start=1):
            here = self.step(name, step, hop)
            if len({hit.value for hit in here}) != 1:
                return []
            hits += here
            name = here[0].value
        return hits

    def step(self, name: str, step: RelationStep, hop: int = 1) -> list[FoundAnswer]:
        """The passages that state a relation of the named entity, from either side."""
        hits: dict[FoundAnswer, None] = {}
        for number in self._of(name):
            for statement in self._agreed(step, number):
                hits[FoundAnswer(number, statement.value, hop, name, statement.start, statement.end)] = None
        if other := _BOTH_WAYS.get(step.relation):
            for number, linked, class_ in self._naming(name, other):
                if other.relation == step.relation:
                    hits[FoundAnswer(number, self._passages[number][0], hop, name, linked.start, linked.end)] = None
                else:
                    for statement in self._stated(class_, step.relation, number):
                        hits[FoundAnswer(number, statement.value, hop, name, statement.start, statement.end)] = None
        return sorted(hits, key=lambda hit: (hit.passage, hit.start))

    def readings(self, asked: ReadingsQuestion) -> list[FoundAnswer]:
        """The same for all people whom the question may mean, as far as passages state their calling."""
        read = [self.step(name, RelationStep(asked.relation, (asked.class_,))) for name in self._meant(asked)]
        hits = [hit for each in read if len({hit.value for hit in each}) == 1 for hit in each]
        return sorted(hits, key=lambda hit: (hit.passage, hit.start, hit.name))

    def _meant(self, asked: ReadingsQuestion) -> Iterator[str]:
        """The people to whom passages give the calling, and the region or the surname."""
        office = asked.class_ == "office_holder"
        for title in self._at:
            numbers = self._of(title)
            if office:
                meant = is_name(asked.class_, title) and self._says(numbers, asked.class_, "region", asked.shared)
            else:
                meant = title.endswith(f" {asked.shared}") and is_name(asked.class_, title)
            if meant and self._says(numbers, asked.class_, "office" if office else "field", asked.calling):
                yield title

    def _says(self, numbers: Sequence[int], class_: EntityClass, relation: str, value: str) -> bool:
        """Whether one of the passages states a value of a relation."""
        return any(
            # Without the first letter, which is a capital at the beginning of a sentence.
            value[1:] in self._passages[number][1]
            and any(statement.value == value for statement in self._stated(class_, relation, number))
            for number in numbers
        )

    def listing(self, asked: ListQuestion) -> list[FoundAnswer]:
        """The passages that give the entity of the name as the value of a relation, by their titles."""
        hits: dict[FoundAnswer, None] = {}
        for step in asked.ways:
            for number, statement, class_ in self._naming(asked.name, step):
                if len(hits) == _MOST_LISTED:
                    return []
                # One sentence may fit an animal as well as a plant: the rest of the passage decides.
                if is_about(class_, *self._passages[number]):
                    hits[
                        FoundAnswer(number, self._passages[number][0], 1, asked.name, statement.start, statement.end)
                    ] = None
        return sorted(hits, key=lambda hit: (hit.passage, hit.start))

    def _of(self, name: str) -> list[int]:
        """The passages about an entity."""
        numbers = self._at.get(name, [])
        return numbers if len(numbers) <= _MOST_ABOUT else []

    def _naming(self, name: str, step: RelationStep) -> Iterator[tuple[int, Stated, EntityClass]]:
        """The passages of other entities that give a name as the value of a relation."""
        naming = [number for number, (title, text) in enumerate(self._passages) if name in text and title != name]
        for number in naming if len(naming) <= _MOST_NAMING else ():
            for class_ in step.classes:
                for statement in self._stated(class_, step.relation, number, name):
                    if statement.value == name:
                        yield number, statement, class_

    def _agreed(self, step: RelationStep, number: int) -> tuple[Stated, ...]:
        """What a passage states of an entity of one of the classes; if classes disagree, the whole passage decides."""
        readings = {class_: read for class_ in step.classes if (read := self._stated(class_, step.relation, number))}
        if len(set(readings.values())) > 1:
            readings = {class_: read for class_, read in readings.items() if is_about(class_, *self._passages[number])}
        return tuple(dict.fromkeys(statement for read in readings.values() for statement in read))

    def _stated(self, class_: EntityClass, relation: str, number: int, holding: str = "") -> tuple[Stated, ...]:
        """What a passage states of an entity of the class; () if its title is no name of the class."""
        title, text = self._passages[number]
        return stated(class_, relation, title, text, holding) if is_name(class_, title) else ()
