"""Surface forms: the value of a relation in words, in English or Chinese."""

import datetime
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from carrara.task import Lang
from carrara.world.language.terms import terms
from carrara.world.realm.schema import PERSONS, EntityClass, FactValue, Reference, Relation

MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

# What a long Chinese question calls a thing that it comes to, first and from then on.
STAND_INS: Final[Mapping[EntityClass, tuple[str, str]]] = {
    **dict.fromkeys(PERSONS, ("某人", "此人")),
    "company": ("某公司", "该公司"),
    "educational_institution": ("某校", "该校"),
    "mean_of_transportation": ("某型交通工具", "该型交通工具"),
    "building": ("某建筑", "该建筑"),
    "natural_place": ("某个自然地点", "该地点"),
    "village": ("某村", "该村"),
    "animal": ("某种动物", "该动物"),
    "plant": ("某种植物", "该植物"),
    "album": ("某张专辑", "这张专辑"),
    "film": ("某部电影", "这部电影"),
    "written_work": ("某本书", "该书"),
}

# Chinese counts money in 万: "million marks" are written in ten thousands, "thousand marks" in marks.
_ZH_MONTHS: Final = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_ZH_UNITS: Final = {"million_marks": 100, "thousand_marks": 1000}


class Naming(Protocol):
    """What has a name for every entity and region of the world."""

    def name(self, lang: Lang, class_: EntityClass, number: int, *, female: bool = False) -> str:
        """The name of an entity."""

    def alias(self, lang: Lang, class_: EntityClass, number: int, *, female: bool = False) -> str:
        """The other name of an entity."""

    def region(self, lang: Lang, number: int) -> str:
        """The name of a region."""


def surface(
    value: FactValue, relation: Relation, lang: Lang, names: Naming, female: Callable[[Reference], bool]
) -> str:
    """The words for a value of a relation, without unit; Chinese templates write 年 behind a year themselves.

    Pass the entity's own reference as the value of an alias. `female` is asked about people only. TypeError says what
    the value of such a relation is.
    """
    kind = relation.kind
    if isinstance(value, Reference):
        if kind == "entity" or kind == "alias":
            write = names.name if kind == "entity" else names.alias
            return write(lang, value.class_, value.number, female=value.class_ in PERSONS and female(value))
    elif isinstance(value, bool):
        pass
    elif isinstance(value, int):
        if kind == "year":
            return str(value)
        if kind == "number":
            return f"{value:,}" if lang == "en" else str(value * _ZH_UNITS.get(relation.unit, 1))
        if kind == "term":
            return terms(relation.terms, lang)[value]
        if kind == "place":
            return names.region(lang, value)
    elif kind == "date":
        return date(value, lang)
    expected = "the reference of the entity itself" if kind == "alias" else f"a value of kind {kind}"
    raise TypeError(f"cannot write {value!r} as {relation.name}: expected {expected}")


def month(number: int, lang: Lang) -> str:
    """A month, from 1: "May", 五月."""
    return MONTHS[number - 1] if lang == "en" else f"{_ZH_MONTHS[number - 1]}月"


def date(day: datetime.date, lang: Lang) -> str:
    """A day: "3 March 1891", "1891年3月3日"."""
    if lang == "en":
        return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
    return f"{day.year}年{day.month}月{day.day}日"
