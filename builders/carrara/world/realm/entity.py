"""The parts of a realm: references, values and entities, and the sizes that locate an entity."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from carrara.world.realm.schema import CLASSES, EntityClass

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
