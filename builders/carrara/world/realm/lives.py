"""The lives of a realm's people: schooling, art, sport, offices, and current posts."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final

from carrara.world.language.terms import entries
from carrara.world.realm.draft import MOST_ANSWERS, PRESENT, Dealer, RealmDraft, between
from carrara.world.realm.people import PEOPLE, People
from carrara.world.realm.schema import PERSONS, REGIONS, SIZES, EntityClass, FactValue, Reference

# Artists whose pupils and athletes whose charges are drawn are at least so much older.
TEACHER_YEARS: Final = (12, 45)
COACH_YEARS: Final = 15
LONGEST_CHAIN: Final = 6


def draw_lives(draft: RealmDraft, people: People, schools_founded: Sequence[int]) -> None:
    """All of the people but the artists' fields, which follow from their works."""
    _put_people(draft, people, "birth_date", people.born)
    _put_people(draft, people, "death_date", people.died)
    _put_people(draft, people, "married", people.married)
    for relation, others in (("father", people.father), ("mother", people.mother), ("spouse", people.spouse)):
        _put_people(draft, people, relation, map(people.reference, others))
    villages = draft.references["village"]
    for relation in ("birth_place", "residence"):
        dealer = Dealer(draft.words("people", f"{relation} fame", SIZES["village"]), MOST_ANSWERS, rounds=2)
        dealt = (dealer.deal(range(len(villages)), word) for word in draft.words("people", relation, PEOPLE))
        _put_people(draft, people, relation, (None if slot is None else villages[slot] for slot in dealt))
    _draw_education(draft, people, schools_founded)
    _draw_artists(draft, people)
    _draw_athletes(draft, people)
    _draw_offices(draft, people)


def draw_posts(draft: RealmDraft, people: People) -> None:
    """Mayors, chief executives and heads of schools at present: nobody has two posts of a kind."""
    posts: tuple[tuple[EntityClass, str], ...] = (
        ("village", "mayor"),
        ("company", "chief_executive"),
        ("educational_institution", "head"),
    )
    living = people.aged(PRESENT, 30, 84)
    for class_, relation in posts:
        size = SIZES[class_]
        holders = [living[index] for index in draft.order(class_, relation, len(living))][:size]
        slots = draft.order(class_, f"{relation} order", size)
        column: list[Reference | None] = [None] * size
        for slot, holder in zip(slots, holders, strict=False):
            column[slot] = people.references[holder]
        draft.put(class_, relation, column)


def draw_fields(draft: RealmDraft, people: People, works: Sequence[dict[str, int]]) -> None:
    """The artists' fields; works: for each artist slot how many works of which class there are."""
    fields = entries("art_field")
    fit: dict[str, list[int]] = {}
    for index, field in enumerate(fields):
        for work in field.links["work"]:
            fit.setdefault(work, []).append(index)
    column: list[int] = []
    for done, word in zip(works, draft.words("artist", "field", SIZES["artist"]), strict=True):
        if done:
            most = max(done.values())
            best = sorted(work for work, count in done.items() if count == most)
            places = fit[best[word % len(best)]]
        else:
            places = fit["none"]
        column.append(places[(word >> 8) % len(places)])
    draft.put("artist", "field", column)


def _put_people(draft: RealmDraft, people: People, relation: str, values: Iterable[FactValue | None]) -> None:
    """Set the column of a relation for all classes of people: one value for each person."""
    columns: dict[EntityClass, list[FactValue | None]] = {class_: [] for class_ in PERSONS}
    for class_, value in zip(people.classes, values, strict=True):
        columns[class_].append(value)
    for class_, column in columns.items():
        draft.put(class_, relation, column)


def _draw_education(draft: RealmDraft, people: People, founded: Sequence[int]) -> None:
    by_age = sorted(range(len(founded)), key=lambda school: (founded[school], school))
    years = [founded[school] for school in by_age]
    dealer = Dealer(draft.words("people", "education fame", len(founded)), MOST_ANSWERS, rounds=2)
    schools = draft.references["educational_institution"]
    values: list[Reference | None] = []
    for person, word in enumerate(draft.words("people", "education", PEOPLE)):
        dealt = dealer.deal(by_age[: bisect_left(years, people.years[person] + 16)], word)
        values.append(None if dealt is None else schools[dealt])
    _put_people(draft, people, "education", values)


def _draw_artists(draft: RealmDraft, people: People) -> None:
    size = SIZES["artist"]
    draft.put_terms("artist", "style")
    artists = sorted(people.by_class["artist"])
    dealer = Dealer(draft.words("artist", "teacher fame", PEOPLE), MOST_ANSWERS)
    teachers: list[Reference | None] = []
    shown: list[int] = []
    awards: list[FactValue | None] = []
    award_years: list[FactValue | None] = []
    words = zip(
        draft.words("artist", "teacher", size),
        draft.words("artist", "first_exhibited", size),
        draft.words("artist", "award", size),
        draft.words("artist", "award_year", size),
        strict=True,
    )
    prizes = len(entries("award"))
    least, most = TEACHER_YEARS
    for artist, (teacher_word, shown_word, award_word, year_word) in zip(artists, words, strict=True):
        lessons = people.years[artist] + 20
        teacher = dealer.deal(people.aged(lessons, 20 + least, 20 + most - 1, people.by_class["artist"]), teacher_word)
        teachers.append(people.reference(teacher))
        shown.append(between(shown_word, *people.span(artist, 18, 35)))
        first, last = people.span(artist, 25, 70)
        honoured = award_word % 4 > 0
        awards.append((award_word >> 8) % prizes if honoured else None)
        award_years.append(between(year_word, max(first, shown[-1]), last) if honoured else None)
    draft.put("artist", "teacher", teachers)
    draft.put("artist", "first_exhibited", shown)
    draft.put("artist", "award", awards)
    draft.put("artist", "award_year", award_years)


def _draw_athletes(draft: RealmDraft, people: People) -> None:
    size = SIZES["athlete"]
    athletes = sorted(people.by_class["athlete"])
    slot_of = {athlete: slot for slot, athlete in enumerate(athletes)}
    sports = draft.put_terms("athlete", "sport")
    dealer = Dealer(draft.words("athlete", "coach fame", PEOPLE), 4, rounds=2)
    words = draft.words("athlete", "coach", size)
    coaches: list[int | None] = [None] * size
    debuts, retirements = [0] * size, draft.words("athlete", "retired", size)
    debut_words = draft.words("athlete", "debut", size)
    retired: list[int | None] = [None] * size
    for athlete in people.by_class["athlete"]:
        slot = slot_of[athlete]
        debuts[slot] = between(debut_words[slot], *people.span(athlete, 15, 24))
        first, last = people.span(athlete, 27, 41, last=PRESENT)
        end = between(retirements[slot], first, last)
        retired[slot] = end if end < PRESENT else None
        # Older athletes come first, so that a coach's own sport is settled: it is handed on.
        older = people.aged(
            debuts[slot], debuts[slot] - people.years[athlete] + COACH_YEARS, 78, people.by_class["athlete"]
        )
        coach = dealer.deal(older, words[slot])
        if coach is not None:
            coaches[slot] = slot_of[coach]
            sports[slot] = sports[slot_of[coach]]
    draft.put("athlete", "sport", sports)
    draft.put_references("athlete", "coach", "athlete", coaches)
    draft.put("athlete", "debut", debuts)
    draft.put("athlete", "retired", retired)
    heights = draft.words("athlete", "height", size)
    tall = ((164, 204) if people.genders[athlete] == "male" else (151, 188) for athlete in athletes)
    draft.put("athlete", "height", (between(word, *span) for word, span in zip(heights, tall, strict=True)))
    draft.put_numbers("athlete", "titles", 2, 34)


def _draw_offices(draft: RealmDraft, people: People) -> None:
    """Offices are held one after the other: whoever is of an age takes up one that falls vacant, or a new one."""
    size = SIZES["office_holder"]
    holders = people.by_class["office_holder"]
    slot_of = {holder: slot for slot, holder in enumerate(sorted(holders))}
    kinds = len(entries("office")) * REGIONS
    seats = draft.order("office_holder", "office", kinds)
    choices = draft.words("office_holder", "took_office", size)
    terms = draft.words("office_holder", "left_office", size)
    chains: list[list[int]] = []
    vacant: list[int | None] = []
    took, left = [0] * size, list[int | None]([None] * size)
    for holder in holders:
        slot = slot_of[holder]
        first, last = people.span(holder, 28, 60)
        word = choices[slot]
        open_chains = [
            chain
            for chain, year in enumerate(vacant)
            if year is not None and first <= year <= last and len(chains[chain]) < LONGEST_CHAIN
        ]
        if open_chains and word % 6:
            chain = open_chains[(word >> 8) % len(open_chains)]
            chains[chain].append(slot)
            year = vacant[chain] or 0
        else:
            chain = len(chains)
            chains.append([slot])
            vacant.append(None)
            year = between(word >> 8, first, min(last, first + 14))
        took[slot] = year
        end = min(year + between(terms[slot], 1, 14), people.until[holder])
        left[slot] = vacant[chain] = end if end <= PRESENT else None
    offices, regions = [0] * size, [0] * size
    successors: list[int | None] = [None] * size
    for seat, chain_slots in zip(seats, chains, strict=False):
        for index, slot in enumerate(chain_slots):
            offices[slot], region = divmod(seat, REGIONS)
            regions[slot] = draft.index * REGIONS + region
            successors[slot] = chain_slots[index + 1] if index + 1 < len(chain_slots) else None
    draft.put("office_holder", "office", offices)
    draft.put("office_holder", "region", regions)
    draft.put("office_holder", "took_office", took)
    draft.put("office_holder", "left_office", left)
    draft.put_references("office_holder", "successor", "office_holder", successors)
    draft.put_terms("office_holder", "party")
