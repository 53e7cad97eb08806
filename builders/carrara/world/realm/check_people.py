"""Proof of the people of a realm: lives, families, marriages, teachers, successive offices.

At the end stand the accessors to facts that the proofs of a realm share.
"""

import datetime
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from carrara.world.language.terms import Term, entries
from carrara.world.realm.realm import Entity, Realm, Reference
from carrara.world.realm.schema import PERSONS, EntityClass

PRESENT: Final = 2020
FIRST_DEATH, LAST_DEATH = 55, 97
# The age at which people do what their own facts tell: class, relation, at least, at most.
_OWN_AGES: Final[tuple[tuple[EntityClass, str, int, int], ...]] = (
    ("artist", "first_exhibited", 18, 35),
    ("artist", "award_year", 25, 70),
    ("athlete", "debut", 15, 24),
    ("athlete", "retired", 27, 41),
    ("office_holder", "took_office", 28, 60),
)
# Works by their maker's relation and the name of the art field's link.
_MADE: Final[tuple[tuple[EntityClass, str], ...]] = (
    ("film", "director"),
    ("album", "performer"),
    ("written_work", "author"),
    ("building", "architect"),
)


def people_contradictions(realm: Realm) -> Iterator[str]:
    """Everything about people that does not hold together."""
    people = {entity.reference: entity for class_ in PERSONS for entity in realm.entities(class_)}
    for person in people.values():
        yield from _life(realm, person)
        yield from _birth(realm, person)
        yield from _marriage(people, person)
        yield from _learning(realm, person)
    yield from _siblings(people)
    for class_, relation, low, high in _OWN_AGES:
        for person in realm.entities(class_):
            year = number(person, relation)
            if year is not None and (problem := age_problem(person, year, low, high)):
                yield f"{relation}: {problem}"
    yield from _offices(realm)
    yield from _fields(realm)


def _life(realm: Realm, person: Entity) -> Iterator[str]:
    name, born, died = person.reference, day(person, "birth_date"), day(person, "death_date")
    if "death_date" in person.facts:
        if died <= born:
            yield f"{name} died on {died}, before the birth on {born}"
        elif not FIRST_DEATH <= (lived := _years_between(born, died)) <= LAST_DEATH:
            yield f"{name} lived {lived} years, expected {FIRST_DEATH} to {LAST_DEATH}"
    elif PRESENT - born.year > LAST_DEATH + 1:
        yield f"{name} was born in {born.year} and has not died"
    for relation in ("birth_place", "residence"):
        village = target(realm, person, relation)
        if village and (number(village, "first_recorded") or 0) >= born.year:
            yield f"{relation} of {name}, {village.reference}, is not on record in {born.year}"
    if ("award" in person.facts) != ("award_year" in person.facts):
        yield f"{name} has an award without a year or a year without an award"
    if (number(person, "award_year") or PRESENT) < (number(person, "first_exhibited") or 0):
        yield f"{name} won an award before the first exhibition"
    if ("spouse" in person.facts) != ("married" in person.facts):
        yield f"{name} has a spouse without a wedding or a wedding without a spouse"
    if person.reference.class_ == "athlete" and "retired" not in person.facts and PRESENT - born.year > 41:
        yield f"{name} competes at over 41"


def _birth(realm: Realm, person: Entity) -> Iterator[str]:
    name, born = person.reference, day(person, "birth_date")
    father, mother = target(realm, person, "father"), target(realm, person, "mother")
    for relation, parent, gender, oldest in (("father", father, "male", 60), ("mother", mother, "female", 44)):
        if parent is None:
            continue
        if parent.gender != gender:
            yield f"{relation} of {name}, {parent.reference}, is {parent.gender}"
        if not 19 <= (age := _years_between(day(parent, "birth_date"), born)) <= oldest:
            yield f"{relation} of {name}, {parent.reference}, was {age} at the birth, expected 19 to {oldest}"
        if "death_date" in parent.facts and day(parent, "death_date") < born:
            yield f"{relation} of {name}, {parent.reference}, had died before the birth"
        if (wedding := number(parent, "married")) is not None and wedding >= born.year:
            yield f"{relation} of {name}, {parent.reference}, married in {wedding}, not before the birth"
    if mother and not father:
        yield f"{name} has a mother and no father"
    elif father and reference(father, "spouse") != reference(person, "mother"):
        yield f"mother of {name} is not the wife of the father, {father.reference}"


def _marriage(people: Mapping[Reference, Entity], person: Entity) -> Iterator[str]:
    spouse_name = reference(person, "spouse")
    if spouse_name is None:
        return
    name, spouse = person.reference, people[spouse_name]
    wedding = number(person, "married") or 0
    if reference(spouse, "spouse") != name:
        yield f"{name} is married to {spouse_name}, who is not married to {name}"
    if number(spouse, "married") != wedding:
        yield f"{name} and {spouse_name} married in different years"
    if {person.gender, spouse.gender} != {"male", "female"}:
        yield f"{name} and {spouse_name} are both {person.gender}"
    if problem := age_problem(person, wedding, 19, 60):
        yield f"married: {problem}"
    kin, spouse_kin = _kin(people, person), _kin(people, spouse)
    if spouse_name in kin or name in spouse_kin or kin & spouse_kin:
        yield f"{name} and {spouse_name} are married and closely related"


def _kin(people: Mapping[Reference, Entity], person: Entity) -> set[Reference]:
    """Parents and grandparents."""
    checked: set[Reference] = set()
    new = [person]
    for _ in range(2):
        names = [reference(child, relation) for child in new for relation in ("father", "mother")]
        new = [people[name] for name in names if name]
        checked.update(child.reference for child in new)
    return checked


def _siblings(people: Mapping[Reference, Entity]) -> Iterator[str]:
    broods: dict[Reference, list[Entity]] = {}
    for person in people.values():
        if father := reference(person, "father"):
            broods.setdefault(father, []).append(person)
    for brood in broods.values():
        brood.sort(key=lambda sibling: day(sibling, "birth_date"))
        for elder, younger in pairwise(brood):
            days = (day(younger, "birth_date") - day(elder, "birth_date")).days
            if days < 300:
                yield f"{elder.reference} and {younger.reference} are siblings born {days} days apart"


def _learning(realm: Realm, person: Entity) -> Iterator[str]:
    name, born = person.reference, day(person, "birth_date").year
    school = target(realm, person, "education")
    if school and (number(school, "founded") or 0) >= born + 16:
        yield f"education of {name}, {school.reference}, was founded in {number(school, 'founded')}, too late"
    teacher = target(realm, person, "teacher")
    if teacher:
        if teacher.reference.class_ != "artist":
            yield f"teacher of {name}, {teacher.reference}, is no artist"
        if not 12 <= (older := born - day(teacher, "birth_date").year) <= 45:
            yield f"teacher of {name}, {teacher.reference}, is {older} years older, expected 12 to 45"
        if "death_date" in teacher.facts and day(teacher, "death_date").year < born + 20:
            yield f"teacher of {name}, {teacher.reference}, died before the pupil was 20"
    coach = target(realm, person, "coach")
    if coach:
        if coach.reference.class_ != "athlete" or number(coach, "sport") != number(person, "sport"):
            yield f"coach of {name}, {coach.reference}, is no athlete of the same sport"
        if (older := born - day(coach, "birth_date").year) < 15:
            yield f"coach of {name}, {coach.reference}, is {older} years older, expected 15"
        if problem := age_problem(coach, number(person, "debut") or 0, 15, 100):
            yield f"coach: {problem}"


def _offices(realm: Realm) -> Iterator[str]:
    chains: dict[tuple[int | None, int | None], list[Entity]] = {}
    for holder in realm.entities("office_holder"):
        chains.setdefault((number(holder, "office"), number(holder, "region")), []).append(holder)
        took, left = number(holder, "took_office") or 0, number(holder, "left_office")
        died = day(holder, "death_date").year if "death_date" in holder.facts else PRESENT
        if left is None and "death_date" in holder.facts:
            yield f"{holder.reference} died and has not left office"
        if left is None and took + 14 < PRESENT:
            yield f"{holder.reference} is in office since {took}, expected at most 14 years"
        if left is not None and not 1 <= left - took <= 14:
            yield f"{holder.reference} was in office from {took} to {left}, expected 1 to 14 years"
        if left is not None and left > died:
            yield f"{holder.reference} left office in {left}, after the death in {died}"
    for chain in chains.values():
        chain.sort(key=lambda holder: number(holder, "took_office") or 0)
        for holder, follower in pairwise(chain):
            if reference(holder, "successor") != follower.reference:
                yield f"successor of {holder.reference} is not {follower.reference}, who came next"
            if number(holder, "left_office") != number(follower, "took_office"):
                yield f"{follower.reference} did not take office in the year in which {holder.reference} left it"
        if "successor" in chain[-1].facts:
            yield f"{chain[-1].reference} has a successor, who did not hold the same office afterwards"


def _fields(realm: Realm) -> Iterator[str]:
    made: dict[Reference, set[str]] = {}
    for class_, relation in _MADE:
        for work in realm.entities(class_):
            if maker := reference(work, relation):
                made.setdefault(maker, set()).add(class_)
    for artist in realm.entities("artist"):
        field = term(artist, "field", "art_field")
        works = made.get(artist.reference, {"none"})
        if field and not works.intersection(field.links["work"]):
            yield f"{artist.reference} is {field.en}, with works of {', '.join(sorted(works))} only"


def _years_between(start: datetime.date, end: datetime.date) -> int:
    return end.year - start.year - ((end.month, end.day) < (start.month, start.day))


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
