"""Proof that a realm is consistent, from its facts alone.

It shares only the schema, the closed lists and the sizes with the generator. The generator's promises are written a
second time here, so that a mistake in either shows.
"""

import datetime
from collections.abc import Iterator
from typing import Final

from carrara.stream import Stream
from carrara.world.language.terms import entries
from carrara.world.realm.check_people import PRESENT, number, people_contradictions
from carrara.world.realm.check_things import things_contradictions
from carrara.world.realm.realm import REGIONS, SIZES, Entity, FactValue, Realm, Reference, realm_of
from carrara.world.realm.schema import CLASSES, PERSONS, RELATIONS, EntityClass, Relation

_LIFE: Final = frozenset(("also_known_as", "death_date", "father", "mother", "spouse", "married", "education"))
# What an entity may lack. Everything else is there.
_OPTIONAL: Final[dict[EntityClass, frozenset[str]]] = {
    "artist": _LIFE | {"teacher", "award", "award_year"},
    "athlete": _LIFE | {"retired", "coach"},
    "office_holder": _LIFE | {"left_office", "successor"},
    "company": frozenset(("also_known_as", "parent_company", "chief_executive")),
    "educational_institution": frozenset(("also_known_as", "main_building", "head")),
    "mean_of_transportation": frozenset(("also_known_as", "withdrawn", "predecessor")),
    "building": frozenset(("also_known_as", "restored", "owner")),
    "natural_place": frozenset(("also_known_as", "protected_since")),
    "village": frozenset(("also_known_as", "mayor", "twin_village")),
    "animal": frozenset(("also_known_as",)),
    "plant": frozenset(("also_known_as",)),
    "album": frozenset(("also_known_as", "label", "previous_album")),
    "film": frozenset(("also_known_as", "studio", "based_on", "sequel_to")),
    "written_work": frozenset(("also_known_as", "publisher", "sequel_to")),
}
# The least and the most of every number that no term says more closely.
_NUMBERS: Final[dict[tuple[EntityClass, str], tuple[int, int]]] = {
    ("athlete", "height"): (150, 205),
    ("athlete", "titles"): (1, 60),
    ("company", "employees"): (10, 50_000),
    ("company", "revenue"): (2, 10_000),
    ("company", "branches"): (2, 400),
    ("educational_institution", "students"): (50, 15_000),
    ("educational_institution", "teachers"): (2, 2_000),
    ("natural_place", "visitors"): (100, 1_000_000),
    ("village", "population"): (50, 10_000),
    ("village", "distance_to_capital"): (1, 600),
    ("village", "houses"): (10, 5_000),
    ("album", "tracks"): (4, 24),
    ("album", "duration"): (12, 110),
    ("album", "copies"): (300, 1_000_000),
    ("film", "running_time"): (50, 200),
    ("film", "budget"): (10, 100_000),
    ("written_work", "pages"): (60, 1_100),
    ("written_work", "chapters"): (3, 60),
    ("written_work", "copies"): (200, 700_000),
}
# The term that says how large a number of a class may be.
_RANGED_BY: Final[dict[EntityClass, str]] = {
    "mean_of_transportation": "type",
    "building": "type",
    "natural_place": "type",
    "animal": "group",
    "plant": "group",
    "village": "product",
}
_FIRST_YEAR: Final = 1100


def contradictions(realm: Realm) -> Iterator[str]:
    """Every rule that the realm breaks, in words; nothing if it holds together.

    If facts are missing or of the wrong kind only that is reported: the other rules could not be read.
    """
    malformed = list(_malformed(realm))
    yield from malformed
    if not malformed:
        yield from people_contradictions(realm)
        yield from things_contradictions(realm)


def validate(stream: Stream, realms: range) -> Iterator[str]:
    """The contradictions of some realms of the world that `stream` writes; one realm in memory at a time."""
    for index in realms:
        for contradiction in contradictions(Realm(stream, index)):
            yield f"realm {index}: {contradiction}"


def _malformed(realm: Realm) -> Iterator[str]:
    for class_ in CLASSES:
        entities = realm.entities(class_)
        first = realm.index * SIZES[class_]
        if [entity.reference for entity in entities] != [
            Reference(class_, first + slot) for slot in range(SIZES[class_])
        ]:
            yield f"the entities of {class_} are not numbers {first} to {first + SIZES[class_] - 1} in order"
        known = {relation.name: relation for relation in RELATIONS[class_]}
        required = [name for name in known if name not in _OPTIONAL[class_]]
        order = list(known)
        for entity in entities:
            name = entity.reference
            if (entity.gender == "none") == (class_ in PERSONS):
                yield f"{name} has gender {entity.gender}"
            if missing := [key for key in required if key not in entity.facts]:
                yield f"{name} lacks {', '.join(missing)}"
            if list(entity.facts) != [key for key in order if key in entity.facts]:
                yield f"{name} has relations that are unknown or out of order: {', '.join(entity.facts)}"
                continue
            for relation, value in entity.facts.items():
                if problem := _value_problem(realm, entity, known[relation], value):
                    yield f"{relation} of {name}: {problem}"


def _value_problem(realm: Realm, entity: Entity, relation: Relation, value: FactValue) -> str:
    """What is wrong with a value by itself; empty if nothing is."""
    kind = relation.kind
    if kind == "alias":
        return "" if value is True else f"got {value!r}, expected True"
    if kind == "entity":
        if not isinstance(value, Reference):
            return f"got {value!r}, expected a reference"
        if value.class_ not in relation.targets:
            return f"got {value}, expected one of {', '.join(relation.targets)}"
        if realm_of(value) != realm.index:
            return f"got {value} of realm {realm_of(value)}"
        return f"got {value}, the entity itself" if value == entity.reference else ""
    if kind == "date":
        if type(value) is not datetime.date:
            return f"got {value!r}, expected a day"
        return "" if value.year <= PRESENT else f"got {value}, after {PRESENT}"
    if type(value) is not int:
        return f"got {value!r}, expected a whole number"
    low, high = _limits(realm, entity, relation)
    return "" if low <= value <= high else f"got {value}, expected {low} to {high}"


def _limits(realm: Realm, entity: Entity, relation: Relation) -> tuple[int, int]:
    """The least and the most that a whole number may be."""
    class_ = entity.reference.class_
    if relation.kind == "year":
        return _FIRST_YEAR, PRESENT
    if relation.kind == "place":
        return realm.index * REGIONS, realm.index * REGIONS + REGIONS - 1
    if relation.kind == "term":
        return 0, len(entries(relation.terms)) - 1
    if (class_, relation.name) in _NUMBERS:
        return _NUMBERS[class_, relation.name]
    by = _RANGED_BY[class_]
    terms = next(entries(candidate.terms) for candidate in RELATIONS[class_] if candidate.name == by)
    rank = number(entity, by)
    if rank is None or not 0 <= rank < len(terms):
        return 0, 0
    return terms[rank].ranges[relation.name]
