import ast
import datetime
import inspect
import re
from functools import cache

import pytest

from carrara.stream import Stream
from carrara.world.language.terms import entries, place
from carrara.world.realm import check as consistency
from carrara.world.realm import check_people as consistency_people
from carrara.world.realm import check_things as consistency_things
from carrara.world.realm.check import contradictions, validate
from carrara.world.realm.realm import Entity, Realm, Reference
from carrara.world.realm.schema import PERSONS, RELATIONS

WORLD = Stream("test", "consistency")
PROOF = (consistency, consistency_people, consistency_things)


@pytest.fixture(scope="module")
def realm():
    return Realm(WORLD, 4)


@pytest.mark.repeat
def test_twenty_realms_hold_together():
    assert list(validate(WORLD, range(20))) == []


@pytest.mark.slow
def test_two_hundred_realms_of_another_world_hold_together():
    assert list(validate(Stream("test", "consistency 2"), range(1000, 1200))) == []


# --- every rule can fail ----------------------------------------------------------------------------------------------


class Change:
    """Changes facts of a realm and puts them back."""

    def __init__(self, realm):
        self.realm = realm
        self.kept = []
        self.undone = []

    def set(self, entity, **facts):
        """Change facts of an entity (None takes one away), in the schema's order; what it does not know goes last."""
        self.kept.append((entity, dict(entity.facts)))
        changed = {name: value for name, value in {**entity.facts, **facts}.items() if value is not None}
        order = [one.name for one in RELATIONS[entity.reference.class_] if one.name in changed]
        entity.facts.clear()
        entity.facts.update({name: changed[name] for name in [*order, *changed]})

    def undo(self):
        for undo in self.undone:
            undo()
        for entity, facts in reversed(self.kept):
            entity.facts.clear()
            entity.facts.update(facts)

    def find(self, class_, *present, fit=lambda entity: True):
        classes = PERSONS if class_ == "person" else (class_,)
        for one in classes:
            for entity in self.realm.entities(one):
                if all(name in entity.facts for name in present) and fit(entity):
                    return entity
        raise LookupError(f"no {class_} with {present} that fits")

    def of(self, entity, relation):
        return self.realm.entity(entity.facts[relation])


@pytest.fixture(scope="module")
def reports(realm):
    """What is reported of the realm with one mutation, each computed once."""

    @cache
    def found(name):
        change = Change(realm)
        MUTATIONS[name][0](change)
        said = list(contradictions(realm))
        change.undo()
        return said

    return found


MUTATIONS = {}


def mutation(expected):
    def keep(function):
        MUTATIONS[function.__name__] = (function, expected)
        return function

    return keep


@mutation("has gender male")
def male_company(change):
    replace(change, change.find("company"), "male")


@mutation("in order")
def entities_out_of_order(change):
    firms = change.realm._entities["plant"]
    change.realm._entities["plant"] = (*firms[1:], firms[0])
    change.undone.append(lambda: change.realm._entities.update(plant=firms))


@mutation("lacks birth_date")
def missing_birth(change):
    change.set(change.find("artist"), birth_date=None)


@mutation("a lighthouse, has the material river cobble")
def lighthouse_of_cobble(change):
    cobble = [one.en for one in entries("material")].index("river cobble")
    lighthouse = [one.en for one in entries("building_type")].index("lighthouse")
    change.set(change.find("building", fit=lambda one: one.facts["type"] == lighthouse), material=cobble)


@mutation("unknown or out of order")
def unknown_relation(change):
    change.set(change.find("film"), shoe_size=4)


@mutation("expected 0 to")
def unknown_term(change):
    change.set(change.find("film"), genre=400)


@mutation("expected a whole number")
def truth_for_a_number(change):
    change.set(change.find("film"), running_time=True)


@mutation("expected a day")
def year_for_a_day(change):
    change.set(change.find("artist"), birth_date=1900)


@mutation("expected a reference")
def number_for_a_reference(change):
    change.set(change.find("artist"), birth_place=7)


@mutation("expected True")
def name_for_an_alias(change):
    change.set(change.find("artist", "also_known_as"), also_known_as=1)


@mutation("expected one of village")
def wrong_class(change):
    change.set(change.find("artist"), birth_place=change.find("company").reference)


@mutation("of realm 5")
def other_realm(change):
    change.set(change.find("artist"), birth_place=Reference("village", 5 * 80))


@mutation("the entity itself")
def own_twin(change):
    village = change.find("village", "twin_village")
    change.set(village, twin_village=village.reference)


@mutation("expected 32 to 39")
def other_region(change):
    change.set(change.find("office_holder"), region=7)


@mutation("after 2020")
def death_to_come(change):
    change.set(change.find("athlete", "death_date"), death_date=datetime.date(2021, 1, 1))


@mutation("expected 1100 to 2020")
def year_to_come(change):
    change.set(change.find("building", "restored"), restored=2021)


@mutation("expected 150 to 205")
def giant(change):
    change.set(change.find("athlete"), height=230)


@mutation("top_speed of")
def fast_barge(change):
    barge = change.find(
        "mean_of_transportation", fit=lambda one: entries("vehicle")[one.facts["type"]].en != "airliner"
    )
    change.set(barge, top_speed=921)


@mutation("before the birth on")
def dead_before_born(change):
    change.set(change.find("artist", "death_date"), death_date=datetime.date(1700, 1, 1))


@mutation("lived 5 years")
def dead_child(change):
    artist = change.find("artist", "death_date")
    born = artist.facts["birth_date"]
    change.set(artist, death_date=datetime.date(born.year + 5, 12, 31))


@mutation("has not died")
def immortal(change):
    change.set(
        change.find("artist", "death_date", fit=lambda one: one.facts["birth_date"].year < 1880), death_date=None
    )


@mutation("is not on record in")
def born_before_the_village(change):
    artist = change.find("artist", fit=lambda one: one.facts["birth_date"].year < 1850)
    change.set(change.of(artist, "birth_place"), first_recorded=1900)


@mutation("an award without a year")
def award_without_year(change):
    change.set(change.find("artist", "award"), award_year=None)


@mutation("a spouse without a wedding")
def no_wedding(change):
    change.set(change.find("artist", "spouse"), married=None)


@mutation("competes at over 41")
def old_athlete(change):
    change.set(change.find("athlete", "retired", fit=lambda one: one.facts["birth_date"].year < 1970), retired=None)


@mutation("is female")
def fathers_gender(change):
    woman = change.find("person", fit=lambda one: one.gender == "female")
    child = change.find("person", "father", fit=lambda one: one.reference != woman.reference)
    change.set(child, father=woman.reference)


@mutation("at the birth, expected 19 to 44")
def old_mother(change):
    child = change.find("person", "mother")
    born = change.of(child, "mother").facts["birth_date"]
    change.set(change.of(child, "mother"), birth_date=born.replace(year=born.year - 30, day=1))


@mutation("had died before the birth")
def dead_mother(change):
    child = change.find("person", "mother")
    change.set(
        change.of(child, "mother"),
        death_date=child.facts["birth_date"].replace(month=1, day=1, year=child.facts["birth_date"].year),
    )


@mutation("not before the birth")
def late_wedding(change):
    child = change.find("person", "mother")
    change.set(change.of(child, "mother"), married=child.facts["birth_date"].year)


@mutation("a mother and no father")
def no_father(change):
    change.set(change.find("person", "mother"), father=None)


@mutation("is not the wife of the father")
def other_mother(change):
    child = change.find("person", "mother")
    other = change.find("person", fit=lambda one: one.gender == "female" and one.reference != child.facts["mother"])
    change.set(child, mother=other.reference)


@mutation("who is not married to")
def one_sided_marriage(change):
    person = change.find("person", "spouse")
    wife = person.facts["spouse"]
    other = change.find("person", "spouse", fit=lambda one: one.gender != person.gender and one.reference != wife)
    change.set(person, spouse=other.reference)


@mutation("married in different years")
def two_weddings(change):
    person = change.find("person", "spouse")
    change.set(person, married=person.facts["married"] - 1)


@mutation("are both female")
def same_gender(change):
    one = change.find("person", "spouse", fit=lambda one: one.gender == "female")
    other = change.find("person", "spouse", fit=lambda two: two.gender == "female" and two is not one)
    change.set(one, spouse=other.reference)
    change.set(other, spouse=one.reference)


@mutation("married: ")
def child_bride(change):
    person = change.find("person", "spouse")
    year = person.facts["birth_date"].year + 18
    change.set(person, married=year)
    change.set(change.of(person, "spouse"), married=year)


@mutation("are married and closely related")
def cousins(change):
    man = change.find("person", "father", "spouse", fit=lambda one: one.gender == "male")
    change.set(change.of(man, "spouse"), father=man.facts["father"])


@mutation("siblings born")
def hasty_siblings(change):
    one = change.find("person", "father")
    other = change.find("person", fit=lambda two: two is not one and two.facts.get("father") == one.facts["father"])
    change.set(one, birth_date=other.facts["birth_date"] + datetime.timedelta(days=200))


@mutation("first_exhibited: ")
def child_artist(change):
    artist = change.find("artist")
    change.set(artist, first_exhibited=artist.facts["birth_date"].year + 12)


@mutation("before the first exhibition")
def award_for_nothing(change):
    artist = change.find("artist", "award")
    change.set(artist, award_year=artist.facts["first_exhibited"] - 1)


@mutation("award_year: ")
def award_after_death(change):
    artist = change.find("artist", "award", "death_date")
    change.set(artist, award_year=artist.facts["death_date"].year + 1)


@mutation("debut: ")
def late_debut(change):
    athlete = change.find("athlete")
    change.set(athlete, debut=athlete.facts["birth_date"].year + 26)


@mutation("too late")
def school_not_yet_founded(change):
    person = change.find("person", "education")
    change.set(change.of(person, "education"), founded=2000)


@mutation("years older, expected 12 to 45")
def young_teacher(change):
    pupil = change.find("artist", "teacher")
    born = pupil.facts["birth_date"]
    change.set(change.of(pupil, "teacher"), birth_date=born.replace(year=born.year - 3, day=1))


@mutation("is no artist")
def teacher_of_another_class(change):
    change.set(change.find("artist", "teacher"), teacher=change.find("athlete").reference)


@mutation("died before the pupil was 20")
def dead_teacher(change):
    pupil = change.find("artist", "teacher")
    change.set(change.of(pupil, "teacher"), death_date=datetime.date(pupil.facts["birth_date"].year + 19, 5, 5))


@mutation("is no athlete of the same sport")
def coach_of_another_sport(change):
    athlete = change.find("athlete", "coach")
    change.set(athlete, sport=(athlete.facts["sport"] + 1) % 12)


@mutation("years older, expected 15")
def young_coach(change):
    athlete = change.find("athlete", "coach")
    change.set(athlete, birth_date=change.of(athlete, "coach").facts["birth_date"])


@mutation("coach: ")
def dead_coach(change):
    athlete = change.find("athlete", "coach")
    change.set(change.of(athlete, "coach"), death_date=datetime.date(athlete.facts["debut"], 2, 2))


@mutation("after the death in")
def office_after_death(change):
    holder = change.find("office_holder", "left_office", "death_date")
    change.set(holder, left_office=holder.facts["death_date"].year + 1)


@mutation("has not left office")
def dead_in_office(change):
    change.set(change.find("office_holder", "left_office", "death_date"), left_office=None)


@mutation("expected at most 14 years")
def long_in_office(change):
    change.set(
        change.find("office_holder", "left_office", fit=lambda one: one.facts["took_office"] < 2000), left_office=None
    )


@mutation("expected 1 to 14 years")
def left_before_taking(change):
    holder = change.find("office_holder", "left_office")
    change.set(holder, left_office=holder.facts["took_office"])


@mutation("who came next")
def passed_over(change):
    change.set(change.find("office_holder", "successor"), successor=None)


@mutation("did not take office in the year in which")
def interregnum(change):
    follower = change.of(change.find("office_holder", "successor"), "successor")
    change.set(follower, took_office=follower.facts["took_office"] + 1)


@mutation("who did not hold the same office")
def no_chain(change):
    last = change.find("office_holder", fit=lambda one: "successor" not in one.facts)
    change.set(last, successor=change.find("office_holder", fit=lambda one: one is not last).reference)


@mutation("with works of")
def painter_of_films(change):
    film = change.find("film")
    change.set(change.of(film, "director"), field=place("art_field", "potter"))


@mutation("founder of company")
def founder_as_a_child(change):
    company = change.find("company")
    change.set(company, founded=change.of(company, "founder").facts["birth_date"].year + 9)


@mutation("founder of educational_institution")
def school_of_the_dead(change):
    school = change.find("educational_institution", fit=lambda one: "death_date" in change.of(one, "founder").facts)
    change.set(school, founded=change.of(school, "founder").facts["death_date"].year)


@mutation("chief_executive of company")
def dead_executive(change):
    dead = change.find("person", "death_date")
    change.set(change.find("company", "chief_executive"), chief_executive=dead.reference)


@mutation("mayor of village")
def dead_mayor(change):
    change.set(change.find("village", "mayor"), mayor=change.find("person", "death_date").reference)


@mutation("lead_actor of film")
def unborn_actor(change):
    film = change.find("film", fit=lambda one: one.facts["released"] < 1960)
    unborn = change.find("person", fit=lambda one: one.facts["birth_date"].year > film.facts["released"])
    change.set(film, lead_actor=unborn.reference)


@mutation("surveyor of natural_place")
def unborn_surveyor(change):
    change.set(change.find("natural_place"), first_surveyed=1750)


@mutation("discoverer of animal")
def dead_discoverer(change):
    animal = change.find("animal", fit=lambda one: "death_date" in change.of(one, "discoverer").facts)
    change.set(animal, described=change.of(animal, "discoverer").facts["death_date"].year + 1)


@mutation("is not older (founded, founded)")
def daughter_before_mother(change):
    company = change.find("company", "parent_company")
    change.set(company, parent_company=None, founded=company.facts["founded"])
    younger = change.find("company", fit=lambda one: one.facts["founded"] > company.facts["founded"])
    change.set(company, parent_company=younger.reference)


@mutation("is not older (founded, released)")
def label_from_the_future(change):
    album = change.find("album", "label")
    change.set(change.of(album, "label"), founded=album.facts["released"])


@mutation("is not older (published, released)")
def film_before_the_book(change):
    film = change.find("film", "based_on")
    change.set(change.of(film, "based_on"), published=film.facts["released"])


@mutation("expected 30 years or more after")
def restored_too_soon(change):
    building = change.find("building", "restored")
    change.set(building, restored=building.facts["completed"] + 5)


@mutation("expected 1 years or more after first_surveyed")
def protected_before_known(change):
    place_ = change.find("natural_place", "protected_since")
    change.set(place_, protected_since=place_.facts["first_surveyed"])


@mutation("expected 1750 to 2015")
def described_too_late(change):
    change.set(change.find("plant"), described=2016)


@mutation("has type steam locomotive")
def late_steam(change):
    engine = change.find("mean_of_transportation")
    change.set(
        engine, type=place("vehicle", "steam locomotive"), introduced=1990, top_speed=90, length=12, units_built=10
    )


@mutation("is moved by")
def odd_power(change):
    change.set(change.find("mean_of_transportation"), power=place("power", "reindeer pair"), introduced=1950)


@mutation("comes from a company in")
def wrong_works(change):
    vehicle = change.find("mean_of_transportation", fit=lambda one: maker_industry(change, one) != "boat building")
    change.set(change.of(vehicle, "manufacturer"), industry=place("industry", "boat building"))


@mutation("is in tea trading")
def tea_label(change):
    change.set(change.of(change.find("album", "label"), "label"), industry=place("industry", "tea trading"))


@mutation("has another genre")
def sequel_of_another_genre(change):
    film = change.find("film", "sequel_to")
    change.set(film, genre=(film.facts["genre"] + 1) % 12)


@mutation("has another director")
def sequel_of_another_director(change):
    film = change.find("film", "sequel_to")
    other = change.find("film", fit=lambda one: one.facts["director"] != film.facts["director"])
    change.set(film, director=other.facts["director"])


@mutation("the last one before it")
def forgotten_album(change):
    change.set(change.find("album", "previous_album"), previous_album=None)


@mutation("and is the first")
def album_before_the_first(change):
    first = change.find("album", fit=lambda one: "previous_album" not in one.facts)
    change.set(first, previous_album=change.find("album", fit=lambda one: one is not first).reference)


@mutation("have the same maker and released")
def two_albums_a_year(change):
    album = change.find("album", "previous_album")
    change.set(album, released=change.of(album, "previous_album").facts["released"])


@mutation("expected at most 1")
def two_towns_one_mayor(change):
    mayor = change.find("village", "mayor").facts["mayor"]
    change.set(change.find("village", "mayor", fit=lambda one: one.facts["mayor"] != mayor), mayor=mayor)


@mutation("expected at most 8")
def too_many_buildings(change):
    home = change.find("village").reference
    for building in change.realm.entities("building")[:9]:
        change.set(building, location=home)


@mutation("which is not twinned with it")
def one_sided_twin(change):
    village = change.find("village", "twin_village")
    other = change.find(
        "village", fit=lambda one: one is not village and one.reference != village.facts["twin_village"]
    )
    change.set(village, twin_village=other.reference)


@mutation("houses for")
def empty_houses(change):
    village = change.find("village", fit=lambda one: one.facts["population"] < 4000)
    change.set(village, houses=village.facts["population"] + 1)


@mutation("another region than its nearest village")
def misplaced_lake(change):
    lake = change.find("natural_place")
    change.set(lake, region=4 * 8 + (lake.facts["region"] + 1) % 8)


@mutation("too many teachers")
def crowded_staff(change):
    change.set(change.find("educational_institution", fit=lambda one: one.facts["students"] < 900), teachers=450)


@mutation("stands in another village")
def far_campus(change):
    school = change.find("educational_institution", "main_building")
    other = change.find("village", fit=lambda one: one.reference != school.facts["location"])
    change.set(change.of(school, "main_building"), location=other.reference)


@mutation("is over 200 years older")
def old_campus(change):
    school = change.find("educational_institution", "main_building")
    change.set(change.of(school, "main_building"), completed=1500)


@mutation("is a lighthouse")
def lighthouse_school(change):
    school = change.find("educational_institution", "main_building")
    change.set(
        change.of(school, "main_building"), type=place("building_type", "lighthouse"), height=20, rooms=5, cost=100
    )


@mutation("has branches")
def more_branches_than_people(change):
    change.set(change.find("company", fit=lambda one: one.facts["employees"] < 300), branches=399)


@mutation("founded in 2015 or later")
def new_owner(change):
    building = change.find("building", "owner")
    change.set(change.of(building, "owner"), founded=2016)


@mutation("has the same person as two of director")
def director_acts(change):
    film = change.find("film")
    change.set(film, screenwriter=film.facts["director"])


@mutation("has the same person as two of author")
def own_dedication(change):
    book = change.find("written_work")
    change.set(book, dedicated_to=book.facts["author"])


@mutation("not yet born")
def dedicated_to_the_future(change):
    book = change.find("written_work", fit=lambda one: one.facts["published"] < 1900)
    unborn = change.find("person", fit=lambda one: one.facts["birth_date"].year > 1950)
    change.set(book, dedicated_to=unborn.reference)


@mutation("too short for its tracks")
def short_album(change):
    change.set(change.find("album"), tracks=24, duration=30)


@mutation("too many chapters")
def thin_book(change):
    change.set(change.find("written_work"), pages=64, chapters=48)


def replace(change, entity, gender):
    class_ = entity.reference.class_
    before = change.realm._entities[class_]
    other = Entity(entity.reference, gender, entity.facts)
    change.realm._entities[class_] = tuple(other if one is entity else one for one in before)
    change.undone.append(lambda: change.realm._entities.update({class_: before}))


def maker_industry(change, vehicle):
    return entries("industry")[change.of(vehicle, "manufacturer").facts["industry"]].en


def test_the_unchanged_realm_holds_together(realm):
    assert list(contradictions(realm)) == []


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_changed_fact_is_reported(name, reports):
    expected = MUTATIONS[name][1]
    assert any(expected in one for one in reports(name)), reports(name)


def test_every_rule_of_the_proof_is_broken_by_some_mutation(reports):
    found = [report for name in MUTATIONS for report in reports(name)]
    patterns = {pattern for module in PROOF for pattern in messages(module)}
    assert len(patterns) >= 60
    assert sorted(pattern for pattern in patterns if not any(re.fullmatch(pattern, one) for one in found)) == []


def messages(module):
    """A pattern for every f-string that the module yields about a realm."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.JoinedStr):
            parts = [re.escape(part.value) if isinstance(part, ast.Constant) else ".+" for part in node.value.values]
            if parts[0] != re.escape("realm "):
                yield "".join(parts)


def test_a_contradiction_names_its_realm(monkeypatch):
    monkeypatch.setattr("carrara.world.realm.check.contradictions", lambda realm: iter([f"seen {realm.index}"]))
    assert list(validate(WORLD, range(2, 4))) == ["realm 2: seen 2", "realm 3: seen 3"]
