"""The schema of the invented world: the 14 DBpedia classes, their relations, aspects, and what an entity is.

An aspect is one passage about an entity. It states exactly the relations listed for it, which only other aspects that
list them too may state. A relation that an entity lacks (no spouse, no sequel) is left out.
"""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

EntityClass = Literal[
    "company",
    "educational_institution",
    "artist",
    "athlete",
    "office_holder",
    "mean_of_transportation",
    "building",
    "natural_place",
    "village",
    "animal",
    "plant",
    "album",
    "film",
    "written_work",
]
CLASSES: Final[tuple[EntityClass, ...]] = get_args(EntityClass)
PERSONS: Final[tuple[EntityClass, ...]] = ("artist", "athlete", "office_holder")
RelationKind = Literal["entity", "term", "place", "alias", "date", "year", "number"]


@dataclass(frozen=True, slots=True)
class Relation:
    """One thing that can be said of an entity of a class.

    kind: "entity" (another entity, of one of `targets`), "term" (of the closed list `terms`), "place" (a region of the
    realm), "alias" (another name of the entity itself), "date" (a day), "year", "number" (in `unit`).
    `inverse` names the list question that the relation answers from its other end ("films" of a director).
    """

    name: str
    kind: RelationKind
    targets: tuple[EntityClass, ...] = ()
    terms: str = ""
    unit: str = ""
    inverse: str = ""


def _entity(name: str, *targets: EntityClass, inverse: str = "") -> Relation:
    return Relation(name, "entity", targets=targets, inverse=inverse)


def _term(name: str, terms: str) -> Relation:
    return Relation(name, "term", terms=terms)


def _number(name: str, unit: str) -> Relation:
    return Relation(name, "number", unit=unit)


def _year(name: str) -> Relation:
    return Relation(name, "year")


_ALIAS: Final = Relation("also_known_as", "alias")
_LIFE: Final = (
    _ALIAS,
    Relation("birth_date", "date"),
    _entity("birth_place", "village", inverse="natives"),
    Relation("death_date", "date"),
    _entity("father", *PERSONS, inverse="children"),
    _entity("mother", *PERSONS),
    _entity("spouse", *PERSONS),
    _year("married"),
    _entity("education", "educational_institution", inverse="alumni"),
    _entity("residence", "village"),
)

RELATIONS: Final[dict[EntityClass, tuple[Relation, ...]]] = {
    "artist": (
        *_LIFE,
        _term("field", "art_field"),
        _term("style", "art_style"),
        _entity("teacher", *PERSONS, inverse="pupils"),
        _year("first_exhibited"),
        _term("award", "award"),
        _year("award_year"),
    ),
    "athlete": (
        *_LIFE,
        _term("sport", "sport"),
        _year("debut"),
        _year("retired"),
        _entity("coach", *PERSONS),
        _number("height", "cm"),
        _number("titles", ""),
    ),
    "office_holder": (
        *_LIFE,
        _term("office", "office"),
        Relation("region", "place"),
        _year("took_office"),
        _year("left_office"),
        _entity("successor", "office_holder"),
        _term("party", "party"),
    ),
    "company": (
        _ALIAS,
        _entity("founder", *PERSONS, inverse="companies_founded"),
        _year("founded"),
        _entity("headquarters", "village", inverse="companies_seated"),
        _term("industry", "industry"),
        _number("employees", ""),
        _entity("parent_company", "company", inverse="subsidiaries"),
        _entity("chief_executive", *PERSONS),
        _number("revenue", "million_marks"),
        _term("emblem", "emblem"),
        _number("branches", ""),
    ),
    "educational_institution": (
        _ALIAS,
        _entity("founder", *PERSONS),
        _year("founded"),
        _entity("location", "village", inverse="schools"),
        _term("specialty", "subject"),
        _number("students", ""),
        _number("teachers", ""),
        _entity("main_building", "building"),
        _entity("head", *PERSONS),
        _term("colours", "colour"),
        _term("emblem", "emblem"),
    ),
    "mean_of_transportation": (
        _ALIAS,
        _term("type", "vehicle"),
        _entity("manufacturer", "company", inverse="vehicles"),
        _entity("designer", *PERSONS),
        _year("introduced"),
        _year("withdrawn"),
        _number("units_built", ""),
        _number("top_speed", "km/h"),
        _number("length", "m"),
        _entity("predecessor", "mean_of_transportation"),
        _entity("home_base", "village"),
        _term("power", "power"),
    ),
    "building": (
        _ALIAS,
        _term("type", "building_type"),
        _entity("location", "village", inverse="buildings"),
        _entity("architect", "artist", inverse="buildings_designed"),
        _year("completed"),
        _year("restored"),
        _term("material", "material"),
        _number("height", "m"),
        _number("rooms", ""),
        _entity("owner", "company"),
        _number("cost", "thousand_marks"),
    ),
    "natural_place": (
        _ALIAS,
        _term("type", "landform"),
        Relation("region", "place"),
        _entity("nearest_village", "village", inverse="natural_places"),
        _year("first_surveyed"),
        _entity("surveyor", *PERSONS, inverse="surveys"),
        _number("area", "km2"),
        _number("elevation", "m"),
        _year("protected_since"),
        _term("rock", "rock"),
        _number("visitors", ""),
    ),
    "village": (
        _ALIAS,
        Relation("region", "place"),
        _year("first_recorded"),
        _number("population", ""),
        _number("elevation", "m"),
        _entity("mayor", *PERSONS),
        _term("product", "product"),
        _entity("twin_village", "village"),
        _term("festival_month", "month"),
        _number("distance_to_capital", "km"),
        _number("houses", ""),
    ),
    "animal": (
        _ALIAS,
        _term("group", "animal_group"),
        _entity("discoverer", *PERSONS, inverse="animals_described"),
        _year("described"),
        _entity("habitat", "natural_place", inverse="animals"),
        _entity("food_plant", "plant"),
        _number("length", "cm"),
        _number("weight", "g"),
        _number("lifespan", "years"),
        _term("colour", "coat_colour"),
        _number("young", ""),
    ),
    "plant": (
        _ALIAS,
        _term("group", "plant_group"),
        _entity("discoverer", *PERSONS, inverse="plants_described"),
        _year("described"),
        _entity("habitat", "natural_place", inverse="plants"),
        _number("height", "cm"),
        _term("flower_colour", "flower_colour"),
        _term("flowering_month", "month"),
        _term("use", "plant_use"),
        _number("petals", ""),
        _number("seeds", ""),
    ),
    "album": (
        _ALIAS,
        _entity("performer", "artist", inverse="albums"),
        _year("released"),
        _entity("label", "company", inverse="records_issued"),
        _entity("producer", *PERSONS),
        _number("tracks", ""),
        _number("duration", "min"),
        _term("genre", "music_genre"),
        _entity("recorded_in", "village"),
        _entity("previous_album", "album"),
        _number("copies", ""),
        _term("lead_instrument", "instrument"),
    ),
    "film": (
        _ALIAS,
        _entity("director", "artist", inverse="films_directed"),
        _entity("screenwriter", *PERSONS),
        _entity("lead_actor", *PERSONS, inverse="films_starred"),
        _year("released"),
        _entity("studio", "company", inverse="films_produced"),
        _number("running_time", "min"),
        _term("genre", "film_genre"),
        _entity("filmed_in", "village"),
        _entity("based_on", "written_work"),
        _entity("sequel_to", "film"),
        _number("budget", "thousand_marks"),
    ),
    "written_work": (
        _ALIAS,
        _term("genre", "book_genre"),
        _entity("author", "artist", inverse="books"),
        _year("published"),
        _entity("publisher", "company", inverse="books_published"),
        _number("pages", ""),
        _entity("setting", "village"),
        _entity("dedicated_to", *PERSONS),
        _entity("sequel_to", "written_work"),
        _number("copies", ""),
        _number("chapters", ""),
    ),
}

# Each aspect is one passage; most state three to six facts, fewer where the entity lacks some.
ASPECTS: Final[dict[EntityClass, dict[str, tuple[str, ...]]]] = {
    "artist": {
        "life": ("field", "birth_date", "birth_place", "also_known_as", "death_date"),
        "family": ("father", "mother", "spouse", "married", "residence"),
        "work": ("education", "teacher", "style", "first_exhibited", "field"),
        "reception": ("award", "award_year", "style", "residence"),
    },
    "athlete": {
        "life": ("sport", "birth_date", "birth_place", "also_known_as", "death_date"),
        "family": ("father", "mother", "spouse", "married", "residence"),
        "career": ("sport", "coach", "debut", "retired", "education"),
        "records": ("titles", "height", "debut", "education"),
    },
    "office_holder": {
        "life": ("office", "birth_date", "birth_place", "also_known_as", "death_date"),
        "family": ("father", "mother", "spouse", "married", "residence"),
        "career": ("office", "region", "took_office", "left_office", "party"),
        "legacy": ("successor", "education", "region", "party"),
    },
    "company": {
        "overview": ("industry", "headquarters", "founder", "founded", "also_known_as"),
        "business": ("employees", "revenue", "branches", "industry"),
        "direction": ("chief_executive", "parent_company", "emblem", "headquarters"),
    },
    "educational_institution": {
        "overview": ("location", "founder", "founded", "also_known_as", "specialty"),
        "campus": ("main_building", "students", "teachers", "location"),
        "customs": ("colours", "emblem", "head", "specialty"),
    },
    "mean_of_transportation": {
        "overview": ("type", "manufacturer", "introduced", "designer", "also_known_as"),
        "design": ("length", "top_speed", "power", "predecessor"),
        "service": ("units_built", "home_base", "withdrawn", "introduced", "type"),
    },
    "building": {
        "overview": ("type", "location", "architect", "completed", "also_known_as"),
        "structure": ("material", "height", "rooms", "cost"),
        "history": ("owner", "restored", "completed", "type"),
    },
    "natural_place": {
        "overview": ("type", "region", "nearest_village", "also_known_as", "area"),
        "survey": ("surveyor", "first_surveyed", "elevation", "rock"),
        "visitors": ("visitors", "protected_since", "nearest_village", "type"),
    },
    "village": {
        "overview": ("region", "population", "first_recorded", "also_known_as", "elevation"),
        "economy": ("product", "houses", "mayor", "population"),
        "customs": ("festival_month", "twin_village", "distance_to_capital", "region"),
    },
    "animal": {
        "overview": ("group", "habitat", "discoverer", "described", "also_known_as"),
        "appearance": ("length", "weight", "colour", "group"),
        "ecology": ("food_plant", "lifespan", "young", "habitat"),
    },
    "plant": {
        "overview": ("group", "habitat", "discoverer", "described", "also_known_as"),
        "appearance": ("height", "flower_colour", "petals", "group"),
        "ecology": ("flowering_month", "seeds", "use", "habitat"),
    },
    "album": {
        "overview": ("performer", "released", "label", "genre", "also_known_as"),
        "recording": ("producer", "recorded_in", "tracks", "duration", "lead_instrument"),
        "reception": ("copies", "previous_album", "genre", "released"),
    },
    "film": {
        "overview": ("director", "released", "genre", "lead_actor", "also_known_as"),
        "production": ("studio", "screenwriter", "filmed_in", "budget", "based_on"),
        "reception": ("running_time", "sequel_to", "genre", "director"),
    },
    "written_work": {
        "overview": ("author", "genre", "published", "publisher", "also_known_as"),
        "content": ("setting", "chapters", "pages", "dedicated_to"),
        "reception": ("copies", "sequel_to", "author", "published"),
    },
}

# Relations whose terms hang on another term of the entity, beside which `terms.txt` lists them; of a habitat, the type.
LINKED: Final[tuple[tuple[EntityClass, str, str], ...]] = (
    ("animal", "colour", "group"),
    ("animal", "habitat", "group"),
    ("plant", "flower_colour", "group"),
    ("plant", "use", "group"),
    ("plant", "habitat", "group"),
    ("natural_place", "rock", "type"),
    ("building", "material", "type"),
    ("album", "lead_instrument", "genre"),
)


def relation(class_: EntityClass, name: str) -> Relation:
    """The relation of a class by its name."""
    for known in RELATIONS[class_]:
        if known.name == name:
            return known
    raise KeyError(
        f"{class_} has no relation {name!r}; it has {', '.join(known_.name for known_ in RELATIONS[class_])}"
    )


Gender = Literal["male", "female", "none"]

REGIONS: Final = 8
# Entities of each class in a realm: 1,000 in all. Another number here is another world.
SIZES: Final[dict[EntityClass, int]] = {
    "company": 80,
    "educational_institution": 50,
    "artist": 96,
    "athlete": 72,
    "office_holder": 72,
    "mean_of_transportation": 60,
    "building": 60,
    "natural_place": 60,
    "village": 80,
    "animal": 60,
    "plant": 60,
    "album": 80,
    "film": 80,
    "written_work": 90,
}


@dataclass(frozen=True, slots=True)
class Reference:
    """Which entity: number `number` of its class in the whole world. Written "village:1234"."""

    class_: EntityClass
    number: int

    def __str__(self) -> str:
        return f"{self.class_}:{self.number}"

    @classmethod
    def parse(cls, text: str) -> "Reference":
        """The reference that a text writes. ValueError says what is wrong with it."""
        class_, colon, number = text.partition(":")
        if not colon:
            raise ValueError(f"a reference is written 'village:1234', got {text!r}")
        if class_ not in CLASSES:
            raise ValueError(f"no class {class_!r} in the reference {text!r}; there are {', '.join(CLASSES)}")
        if not (number.isascii() and number.isdigit()) or (number[0] == "0" and number != "0"):
            raise ValueError(f"the number of a reference is written in plain digits, got {number!r} in {text!r}")
        return cls(class_, int(number))


# entity: a reference; term: its place in the closed list; place: the number of the region in the world (realm * 8 + r);
# year and number: the number; date: the day; alias: True.
FactValue = Reference | int | datetime.date | bool


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity and all that is so of it: the keys of `facts` are relations of its class, in the schema's order."""

    reference: Reference
    gender: Gender
    facts: Mapping[str, FactValue]


def realm_of(reference: Reference) -> int:
    """The realm that an entity lies in."""
    return reference.number // SIZES[reference.class_]
