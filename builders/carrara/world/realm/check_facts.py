"""Access to facts for the proof of a realm: values by kind, and when a person had an age and was alive."""

import datetime
from typing import Final

from carrara.world.language.terms import Term, entries
from carrara.world.realm.realm import Entity, Realm, Reference

PRESENT: Final = 2020
FIRST_DEATH, LAST_DEATH = 55, 97


def number(entity: Entity, relation: str) -> int | None:
    """A year, number, region or term as a number; None if the entity lacks the relation."""
    value = entity.facts.get(relation)
    return value if isinstance(value, int) else None


def reference(entity: Entity, relation: str) -> Reference | None:
    """What a relation refers to."""
    value = entity.facts.get(relation)
    return value if isinstance(value, Reference) else None


def target(realm: Realm, entity: Entity, relation: str) -> Entity | None:
    """The entity that a relation refers to."""
    named = reference(entity, relation)
    return None if named is None else realm.entity(named)


def day(entity: Entity, relation: str) -> datetime.date:
    """A day; the first of all days if the entity lacks the relation."""
    value = entity.facts.get(relation)
    return value if isinstance(value, datetime.date) else datetime.date.min


def term(entity: Entity, relation: str, terms: str) -> Term | None:
    """The entry of a closed list that a relation names."""
    value = number(entity, relation)
    return None if value is None else entries(terms)[value]


def age_problem(person: Entity, year: int, low: int, high: int) -> str:
    """What is wrong with somebody of `low` to `high` years, alive all year, doing something; empty if nothing is.

    The age counts whatever the day: at least `low` on the first of January, at most `high` on the last of December.
    """
    born = day(person, "birth_date").year
    if not low < year - born <= high:
        return f"{person.reference} was born in {born} and not {low} to {high} years old in {year}"
    if "death_date" in person.facts and day(person, "death_date").year <= year:
        return f"{person.reference} died in {day(person, 'death_date').year}, not after {year}"
    return ""
