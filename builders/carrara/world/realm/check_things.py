"""Proof of the things of a realm: who was present when, the order of events, and values that fit together."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from carrara.world.realm.check_people import PRESENT, age_problem, day, number, reference, target, term
from carrara.world.realm.realm import Entity, Realm, Reference
from carrara.world.realm.schema import LINKED, RELATIONS, EntityClass

# Who did something in the year of a relation (0: holds a post at present), and how old they are then.
_DEEDS: Final[tuple[tuple[EntityClass, str, str, int, int], ...]] = (
    ("company", "founder", "founded", 22, 60),
    ("company", "chief_executive", "", 25, 85),
    ("educational_institution", "founder", "founded", 21, 100),
    ("educational_institution", "head", "", 21, 100),
    ("mean_of_transportation", "designer", "introduced", 22, 100),
    ("building", "architect", "completed", 24, 100),
    ("natural_place", "surveyor", "first_surveyed", 21, 100),
    ("village", "mayor", "", 21, 100),
    ("animal", "discoverer", "described", 20, 100),
    ("plant", "discoverer", "described", 20, 100),
    ("album", "performer", "released", 18, 75),
    ("album", "producer", "released", 21, 100),
    ("film", "director", "released", 24, 75),
    ("film", "lead_actor", "released", 16, 80),
    ("film", "screenwriter", "released", 16, 80),
    ("written_work", "author", "published", 20, 80),
)
# What a relation names is older: the class, its year, the relation, the year of what it names.
_OLDER: Final[tuple[tuple[EntityClass, str, str, str], ...]] = (
    ("company", "founded", "parent_company", "founded"),
    ("company", "founded", "headquarters", "first_recorded"),
    ("educational_institution", "founded", "location", "first_recorded"),
    ("mean_of_transportation", "introduced", "manufacturer", "founded"),
    ("mean_of_transportation", "introduced", "predecessor", "introduced"),
    ("building", "completed", "location", "first_recorded"),
    ("album", "released", "label", "founded"),
    ("album", "released", "previous_album", "released"),
    ("film", "released", "studio", "founded"),
    ("film", "released", "based_on", "published"),
    ("film", "released", "sequel_to", "released"),
    ("written_work", "published", "publisher", "founded"),
    ("written_work", "published", "sequel_to", "published"),
)
# Of one entity, the second year comes at least so long after the first.
_LATER: Final[tuple[tuple[EntityClass, str, str, int], ...]] = (
    ("mean_of_transportation", "introduced", "withdrawn", 1),
    ("building", "completed", "restored", 30),
    ("natural_place", "first_surveyed", "protected_since", 1),
    ("athlete", "debut", "retired", 1),
)
# The years in which there can be such a thing.
_YEARS: Final[tuple[tuple[EntityClass, str, int, int], ...]] = (
    ("village", "first_recorded", 1100, 1690),
    ("animal", "described", 1750, 2015),
    ("plant", "described", 1750, 2015),
    ("album", "released", 1925, 2019),
    ("film", "released", 1905, 2019),
)
# A term that belongs to a time: the class, the relation, its list, the year that has to lie in the term's years.
_TIMES: Final[tuple[tuple[EntityClass, str, str, str], ...]] = (
    ("company", "industry", "industry", "founded"),
    ("mean_of_transportation", "type", "vehicle", "introduced"),
    ("mean_of_transportation", "power", "power", "introduced"),
    ("building", "type", "building_type", "completed"),
    ("building", "material", "material", "completed"),
    ("album", "genre", "music_genre", "released"),
)
# Companies that bring out such works.
_SERVING: Final[tuple[tuple[EntityClass, str], ...]] = (
    ("mean_of_transportation", "manufacturer"),
    ("album", "label"),
    ("film", "studio"),
    ("written_work", "publisher"),
)
# What continues what: the same maker and kind, one continuation at most.
_SERIES: Final[tuple[tuple[EntityClass, str, tuple[str, ...], str, bool], ...]] = (
    ("mean_of_transportation", "predecessor", ("manufacturer", "type"), "introduced", True),
    ("album", "previous_album", ("performer",), "released", True),
    ("film", "sequel_to", ("director", "genre"), "released", False),
    ("written_work", "sequel_to", ("author", "genre"), "published", False),
)
# How often one target may be named: posts are held once, buildings house one school.
_ONCE: Final[tuple[tuple[EntityClass, str, int], ...]] = (
    ("village", "mayor", 1),
    ("village", "twin_village", 1),
    ("educational_institution", "head", 1),
    ("educational_institution", "main_building", 1),
    ("company", "chief_executive", 2),
    ("film", "sequel_to", 1),
    ("written_work", "sequel_to", 1),
)
_MOST_ANSWERS: Final = 8


def things_contradictions(realm: Realm) -> Iterator[str]:
    """Everything about places, companies, species and works that does not hold together."""
    yield from _deeds(realm)
    yield from _order(realm)
    yield from _times(realm)
    yield from _series(realm)
    yield from _counts(realm)
    yield from _places(realm)
    yield from _companies(realm)
    yield from _crews(realm)
    yield from _subtypes(realm)


def _deeds(realm: Realm) -> Iterator[str]:
    for class_, who, when, low, high in _DEEDS:
        for entity in realm.entities(class_):
            year = number(entity, when) if when else PRESENT
            person = target(realm, entity, who)
            if person and year is not None and (problem := age_problem(person, year, low, high)):
                yield f"{who} of {entity.reference}: {problem}"


def _order(realm: Realm) -> Iterator[str]:
    for class_, when, relation, then in _OLDER:
        for entity in realm.entities(class_):
            older = target(realm, entity, relation)
            if older and (number(older, then) or 0) >= (number(entity, when) or 0):
                yield f"{relation} of {entity.reference}, {older.reference}, is not older ({then}, {when})"
    for class_, first, second, gap in _LATER:
        for entity in realm.entities(class_):
            year, after = number(entity, first), number(entity, second)
            if year is not None and after is not None and after - year < gap:
                yield f"{entity.reference} has {second} {after}, expected {gap} years or more after {first} {year}"


def _times(realm: Realm) -> Iterator[str]:
    for class_, when, low, high in _YEARS:
        for entity in realm.entities(class_):
            year = number(entity, when)
            if year is not None and not low <= year <= high:
                yield f"{entity.reference} has {when} {year}, expected {low} to {high}"
    for class_, relation, terms, when in _TIMES:
        for entity in realm.entities(class_):
            term_, year = term(entity, relation, terms), number(entity, when)
            years = term_.ranges.get(when) if term_ else None
            if term_ and years and year is not None and not years[0] <= year <= years[1]:
                named = f"{relation} {term_.en} and {when} {year}"
                yield f"{entity.reference} has {named}, expected {years[0]} to {years[1]}"


def _series(realm: Realm) -> Iterator[str]:
    for class_, relation, shared, when, always in _SERIES:
        made: dict[tuple[object, ...], list[Entity]] = {}
        for entity in realm.entities(class_):
            made.setdefault(tuple(entity.facts.get(name) for name in shared), []).append(entity)
            before = target(realm, entity, relation)
            for name in shared if before else ():
                if before and before.facts.get(name) != entity.facts.get(name):
                    yield f"{relation} of {entity.reference}, {before.reference}, has another {name}"
        for group in made.values() if always else ():
            group.sort(key=lambda entity: number(entity, when) or 0)
            if relation in group[0].facts:
                yield f"{group[0].reference} has {relation} and is the first"
            for before, entity in pairwise(group):
                if number(before, when) == number(entity, when):
                    yield f"{before.reference} and {entity.reference} have the same maker and {when}"
                if reference(entity, relation) != before.reference:
                    yield f"{relation} of {entity.reference} is not {before.reference}, the last one before it"


def _counts(realm: Realm) -> Iterator[str]:
    limits = list(_ONCE)
    limits += [
        (class_, relation.name, _MOST_ANSWERS)
        for class_, relations in RELATIONS.items()
        for relation in relations
        if relation.inverse
    ]
    for class_, name, most in limits:
        counts: dict[Reference, int] = {}
        for entity in realm.entities(class_):
            if target_ := reference(entity, name):
                counts[target_] = counts.get(target_, 0) + 1
        for target_, count in counts.items():
            if count > most:
                yield f"{target_} is {name} of {count} of {class_}, expected at most {most}"


def _places(realm: Realm) -> Iterator[str]:
    for village in realm.entities("village"):
        twin = target(realm, village, "twin_village")
        if twin and reference(twin, "twin_village") != village.reference:
            yield f"{village.reference} is twinned with {twin.reference}, which is not twinned with it"
        people, houses = number(village, "population") or 0, number(village, "houses") or 0
        if not houses <= people <= 6 * houses + 5:
            yield f"{village.reference} has {houses} houses for {people} people"
    for landscape in realm.entities("natural_place"):
        nearest = target(realm, landscape, "nearest_village")
        if nearest and number(nearest, "region") != number(landscape, "region"):
            yield f"{landscape.reference} lies in another region than its nearest village, {nearest.reference}"
    for school in realm.entities("educational_institution"):
        building = target(realm, school, "main_building")
        if (number(school, "teachers") or 0) * 4 > (number(school, "students") or 0):
            yield f"{school.reference} has too many teachers for its students"
        if building is None:
            continue
        if reference(building, "location") != reference(school, "location"):
            yield f"main_building of {school.reference}, {building.reference}, stands in another village"
        if (number(building, "completed") or 0) < (number(school, "founded") or 0) - 200:
            yield f"main_building of {school.reference}, {building.reference}, is over 200 years older"
        kind = term(building, "type", "building_type")
        if kind and "school" not in kind.links.get("use", ()):
            yield f"main_building of {school.reference}, {building.reference}, is a {kind.en}"


def _subtypes(realm: Realm) -> Iterator[str]:
    for class_, relation, by in LINKED:
        relations = {known.name: known for known in RELATIONS[class_]}
        for entity in realm.entities(class_):
            kind = term(entity, by, relations[by].terms)
            other = target(realm, entity, relation)
            found = term(other, "type", "landform") if other else term(entity, relation, relations[relation].terms)
            if kind and found and found.en not in kind.links[relation]:
                yield f"{entity.reference}, a {kind.en}, has the {relation} {found.en}"


def _companies(realm: Realm) -> Iterator[str]:
    for class_, relation in _SERVING:
        for entity in realm.entities(class_):
            company = target(realm, entity, relation)
            industry = term(company, "industry", "industry") if company else None
            if industry and class_ not in industry.links.get("serves", ()):
                yield f"{relation} of {entity.reference} is in {industry.en}"
    for vehicle in realm.entities("mean_of_transportation"):
        maker = target(realm, vehicle, "manufacturer")
        industry = term(maker, "industry", "industry") if maker else None
        kind, power = term(vehicle, "type", "vehicle"), term(vehicle, "power", "power")
        if kind and industry and industry.en not in kind.links["industry"]:
            yield f"{vehicle.reference}, a {kind.en}, comes from a company in {industry.en}"
        if kind and power and power.en not in kind.links["power"]:
            yield f"{vehicle.reference}, a {kind.en}, is moved by {power.en}"
    for company in realm.entities("company"):
        employees = number(company, "employees") or 0
        for relation in ("revenue", "branches"):
            if (number(company, relation) or 0) > employees:
                yield f"{company.reference} has {relation} {number(company, relation)} with {employees} employees"
    for building in realm.entities("building"):
        owner = target(realm, building, "owner")
        if owner and (number(owner, "founded") or 0) >= 2015:
            yield f"owner of {building.reference}, {owner.reference}, was founded in 2015 or later"


def _crews(realm: Realm) -> Iterator[str]:
    crews: dict[EntityClass, tuple[str, ...]] = {
        "film": ("director", "lead_actor", "screenwriter"),
        "album": ("performer", "producer"),
        "written_work": ("author", "dedicated_to"),
    }
    for class_, relations in crews.items():
        for work in realm.entities(class_):
            crew = [member for relation in relations if (member := reference(work, relation))]
            if len(set(crew)) < len(crew):
                yield f"{work.reference} has the same person as two of {', '.join(relations)}"
    for album in realm.entities("album"):
        if (number(album, "tracks") or 0) * 2 > (number(album, "duration") or 0):
            yield f"{album.reference} is too short for its tracks"
    for book in realm.entities("written_work"):
        friend, year = target(realm, book, "dedicated_to"), number(book, "published") or 0
        if friend and day(friend, "birth_date").year >= year:
            yield f"{book.reference} is dedicated to {friend.reference}, who was not yet born in {year}"
        if (number(book, "chapters") or 0) * 4 > (number(book, "pages") or 0):
            yield f"{book.reference} has too many chapters for its pages"
