"""The places of a realm: villages, natural places, buildings and schools, and what grows and lives there."""

from collections.abc import Sequence
from typing import Final

from carrara.world.language.terms import entries
from carrara.world.realm.draft import MOST_ANSWERS, PRESENT, Dealer, RealmDraft, between, terms_of
from carrara.world.realm.people import PEOPLE, People
from carrara.world.realm.schema import REGIONS, SIZES, EntityClass

# Nothing with a founder, a surveyor or a describer happens before the first family's founders are grown up.
FIRST_DEED: Final = 32
MAIN_BUILDINGS: Final = 37


def draw_villages(draft: RealmDraft) -> list[int]:
    """All of a village but its mayor; returns the region (0..7) of each village slot."""
    size = SIZES["village"]
    order = draft.order("village", "region", size)
    regions = [0] * size
    for rank, slot in enumerate(order):
        regions[slot] = rank % REGIONS
    draft.put("village", "region", (draft.index * REGIONS + region for region in regions))
    draft.put_numbers("village", "first_recorded", 1100, 1690)
    population = draft.put_octaves("village", "population", 60, 9600)
    people_a_house = draft.words("village", "houses", size)
    draft.put(
        "village",
        "houses",
        (many * 10 // between(word, 22, 45) for many, word in zip(population, people_a_house, strict=True)),
    )
    draft.put_numbers("village", "distance_to_capital", 4, 480)
    draft.put_terms("village", "product")
    draft.put_ranged("village", ("elevation",), by="product")
    draft.put_terms("village", "festival_month")
    # The order deals regions in turn: an odd number of steps further lies another region.
    twins: list[int | None] = [None] * size
    keep = draft.words("village", "twin_village", size // 2)
    for pair in range(size // 2):
        if keep[pair] % 8:
            first, second = order[2 * pair], order[2 * pair + 1]
            twins[first], twins[second] = second, first
    draft.put_references("village", "twin_village", "village", twins)
    return regions


def draw_natural_places(draft: RealmDraft, people: People, regions: Sequence[int]) -> None:
    """Everything of a natural place: it lies in the region of its nearest village."""
    size = SIZES["natural_place"]
    draft.put_terms("natural_place", "type")
    draft.put_linked("natural_place", "rock", by="type")
    draft.put_ranged("natural_place", ("area", "elevation"), by="type")
    nearest = draft.put_villages("natural_place", "nearest_village")
    draft.put("natural_place", "region", (draft.index * REGIONS + regions[slot] for slot in nearest))
    surveyed, _ = _put_deeds(draft, people, "natural_place", "surveyor", "first_surveyed", 22, 66)
    protected: list[int | None] = []
    for year, word in zip(surveyed, draft.words("natural_place", "protected_since", size), strict=True):
        first = max(year + 1, 1860)
        protected.append(between(word >> 8, first, 2018) if word % 5 and first <= 2018 else None)
    draft.put("natural_place", "protected_since", protected)
    draft.put_octaves("natural_place", "visitors", 20, 90_000, step=10)


def draw_plants(draft: RealmDraft, people: People) -> None:
    """Everything of a plant."""
    for relation in ("group", "flowering_month"):
        draft.put_terms("plant", relation)
    for relation in ("flower_colour", "use"):
        draft.put_linked("plant", relation, by="group")
    draft.put_ranged("plant", ("height", "petals", "seeds"), by="group")
    _put_deeds(draft, people, "plant", "discoverer", "described", 20, 70)
    _put_habitats(draft, "plant")


def draw_animals(draft: RealmDraft, people: People) -> None:
    """Everything of an animal; call after the plants."""
    size = SIZES["animal"]
    draft.put_terms("animal", "group")
    draft.put_linked("animal", "colour", by="group")
    draft.put_ranged("animal", ("length", "weight", "lifespan", "young"), by="group")
    _put_deeds(draft, people, "animal", "discoverer", "described", 20, 70)
    _put_habitats(draft, "animal")
    dealer = Dealer(draft.words("animal", "food_plant fame", SIZES["plant"]), 4, rounds=1)
    plants = range(SIZES["plant"])
    eaten = [dealer.deal(plants, word) for word in draft.words("animal", "food_plant", size)]
    draft.put_references("animal", "food_plant", "plant", eaten)


def draw_schools(draft: RealmDraft, people: People) -> tuple[list[int], list[int]]:
    """All of a school but its head and main building; returns the founding year and the village of each slot."""
    size = SIZES["educational_institution"]
    # Spread over the years, so that nearly every generation finds a school that is already there.
    founded, _ = _put_deeds(
        draft, people, "educational_institution", "founder", "founded", 25, 66, most=2, last=people.base + 185
    )
    seats = draft.put_villages("educational_institution", "location", most=3)
    for relation in ("specialty", "colours", "emblem"):
        draft.put_terms("educational_institution", relation)
    students = draft.put_octaves("educational_institution", "students", 60, 14_000)
    shares = draft.words("educational_institution", "teachers", size)
    draft.put(
        "educational_institution",
        "teachers",
        (many // between(word, 8, 24) for many, word in zip(students, shares, strict=True)),
    )
    return founded, seats


def draw_buildings(
    draft: RealmDraft, people: People, seats: Sequence[int], companies_founded: Sequence[int]
) -> list[int]:
    """Everything of a building, and the schools' main buildings, which stand in `seats`; returns the architects."""
    size = SIZES["building"]
    schools = draft.order("educational_institution", "main_building", SIZES["educational_institution"])
    school_of = dict(zip(draft.order("building", "school", size)[:MAIN_BUILDINGS], schools, strict=False))
    draft.put_villages("building", "location", settled={slot: seats[school] for slot, school in school_of.items()})
    main: list[int | None] = [None] * SIZES["educational_institution"]
    for slot, school in school_of.items():
        main[school] = slot
    draft.put_references("educational_institution", "main_building", "building", main)
    completed, architects = _put_deeds(draft, people, "building", "architect", "completed", 24, 74)
    _put_fabric(draft, completed, set(school_of))
    restored: list[int | None] = []
    for year, word in zip(completed, draft.words("building", "restored", size), strict=True):
        after = year + between(word >> 8, 30, 120)
        restored.append(after if word % 8 and after < PRESENT else None)
    draft.put("building", "restored", restored)
    old_firms = [slot for slot, founded in enumerate(companies_founded) if founded < 2015]
    dealer = Dealer(draft.words("building", "owner fame", SIZES["company"]), 4, rounds=2)
    owners = (
        dealer.deal(old_firms, word >> 8) if word % 10 else None for word in draft.words("building", "owner", size)
    )
    draft.put_references("building", "owner", "company", owners)
    return architects


def _put_fabric(draft: RealmDraft, completed: Sequence[int], of_schools: set[int]) -> None:
    """What a building is and is made of: something that there was in the year, a school's own fit for it."""
    size = SIZES["building"]
    kinds, materials = entries("building_type"), entries("material")
    fabric: dict[str, list[int]] = {"type": [], "material": []}
    words = zip(draft.words("building", "type", size), draft.words("building", "material", size), strict=True)
    for slot, ((type_word, material_word), year) in enumerate(zip(words, completed, strict=True)):
        fit = [
            index
            for index, kind in enumerate(kinds)
            if _in_time(kind.ranges.get("completed"), year) and (slot not in of_schools or "use" in kind.links)
        ]
        fabric["type"].append(fit[type_word % len(fit)])
        fitting = kinds[fabric["type"][-1]].links["material"]
        at_hand = [
            index
            for index, material in enumerate(materials)
            if material.en in fitting and _in_time(material.ranges.get("completed"), year)
        ]
        fabric["material"].append(at_hand[material_word % len(at_hand)])
    for relation, drawn in fabric.items():
        draft.put("building", relation, drawn)
    draft.put_ranged("building", ("height", "rooms", "cost"), by="type")


def _in_time(years: tuple[int, int] | None, year: int) -> bool:
    return years is None or years[0] <= year <= years[1]


def _put_deeds(
    draft: RealmDraft,
    people: People,
    class_: EntityClass,
    who: str,
    when: str,
    youngest: int,
    oldest: int,
    most: int = MOST_ANSWERS,
    last: int = 2014,
) -> tuple[list[int], list[int]]:
    """Who did something and when: years spread evenly, for each somebody of the right age; returns years, people."""
    size = SIZES[class_]
    first = people.base + FIRST_DEED
    last = min(last, 2014)
    group = people.by_class["artist"] if who == "architect" else people.everyone
    dealer = Dealer(draft.words(class_, f"{who} fame", PEOPLE), most)
    ranks = draft.order(class_, f"{when} order", size)
    span = last - first + 1
    persons: list[int] = []
    years: list[int] = []
    words = zip(draft.words(class_, when, size), draft.words(class_, who, size), ranks, strict=True)
    for year_word, who_word, rank in words:
        year = between(year_word, first + rank * span // size, first + (rank + 1) * span // size - 1)
        # Deeds of one person are limited: when all of that age have done enough, some years later others are grown up.
        while (person := dealer.deal(people.aged(year, youngest, oldest, group), who_word)) is None:
            year = year + 1 if year < last else first
        persons.append(person)
        years.append(year)
    draft.put(class_, who, map(people.reference, persons))
    draft.put(class_, when, years)
    return years, persons


def _put_habitats(draft: RealmDraft, class_: EntityClass) -> None:
    """The natural place where each species lives: of a landform that stands beside its group."""
    dealer = Dealer(draft.words(class_, "habitat fame", SIZES["natural_place"]), MOST_ANSWERS, rounds=2)
    landforms = entries("landform")
    types = [landforms[type_].en for type_ in draft.columns["natural_place"]["type"] if isinstance(type_, int)]
    by_group = [
        [slot for slot, type_ in enumerate(types) if type_ in group.links["habitat"]]
        for group in entries(terms_of(class_, "group"))
    ]
    groups = [group for group in draft.columns[class_]["group"] if isinstance(group, int)]
    words = draft.words(class_, "habitat", SIZES[class_])
    habitats = [dealer.deal(by_group[group], word) for group, word in zip(groups, words, strict=True)]
    # Where all places of its kind are full, a species shares the next best; of 60 places hardly ever.
    everywhere = range(SIZES["natural_place"])
    found = (
        dealer.deal(everywhere, word) if slot is None else slot for slot, word in zip(habitats, words, strict=True)
    )
    draft.put_references(class_, "habitat", "natural_place", found)
