"""What a value looks like in the invented world's English, by its kind: names by their endings, terms, days, figures.

Some forms of names begin as a shorter one does ("Renoril & Ladumin", "Renoril & Ladumin Limited"): both ends are given,
and what follows decides.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from carrara.world.names_words import (
    BUILDING,
    COMPANY,
    ENDINGS,
    NATURAL_PLACE,
    SCHOOL,
    SPECIES,
    TITLES,
    VILLAGE,
    WordSet,
)
from carrara.world.schema import RELATIONS, Class, Relation
from carrara.world.terms import terms

# No value of the world is longer; it bounds what hostile text can cost.
LONGEST: Final = 120

_WORK: Final = tuple(form.replace("{adjective}", "[A-Z][a-z]+").replace("{noun}", r"[A-Z][a-z]+\b") for form in TITLES)
# By class: the patterns of its names, in which {a} and {b} are invented words of the two sets.
_FORMS: Final[dict[Class, tuple[tuple[str, ...], tuple[WordSet, ...], tuple[WordSet, ...]]]] = {
    "company": (COMPANY, ("firm",), ("firm",)),
    "educational_institution": (SCHOOL, ("firm",), ("firm",)),
    "mean_of_transportation": (("{a} {b}", r"{a} {b} [A-Z][2-9]\b"), ("firm",), ("firm",)),
    "building": (BUILDING, ("firm",), ("firm",)),
    "natural_place": (NATURAL_PLACE, ("place",), ("place",)),
    "village": (VILLAGE, ("place",), ("place",)),
    "animal": (SPECIES, ("genus",), ("epithet",)),
    "plant": (SPECIES, ("genus",), ("epithet",)),
    "album": (_WORK, ("title",), ("title",)),
    "film": (_WORK, ("title",), ("title",)),
    "written_work": (_WORK, ("title",), ("title",)),
    "artist": (("{a} {b}",), ("male", "female"), ("surname",)),
    "athlete": (("{a} {b}",), ("male", "female"), ("surname",)),
    "office_holder": (("{a} {b}",), ("male", "female"), ("surname",)),
}
_MONTHS: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"  # a day: 3 March 1891
)
_DATE: Final = re.compile(rf"[1-9][0-9]? (?:{_MONTHS}) [1-9][0-9]{{2,3}}(?![\w,]*\d)")
_YEAR: Final = re.compile(r"[1-9][0-9]{2,3}(?![\d,]*\d)")
_NUMBER: Final = re.compile(r"(?:0|[1-9][0-9]{0,2}(?:,[0-9]{3}){0,4})(?![\d,]*\d)")


def relation_of(class_: Class, name: str) -> Relation:
    """The relation of a class by its name; KeyError where it has none."""
    return _relations(class_)[name]


@cache
def _relations(class_: Class) -> dict[str, Relation]:
    return {one.name: one for one in RELATIONS[class_]}


def is_name(class_: Class, text: str) -> bool:
    """Whether a text is a name that an entity of the class may have."""
    return len(text) <= LONGEST and len(text) in name_ends(class_, text, 0)


def is_surname(text: str) -> bool:
    """Whether a text is the surname of a person."""
    return len(text) <= LONGEST and _word(("surname",)).fullmatch(text) is not None


def is_region(text: str) -> bool:
    """Whether a text is the name of a region."""
    return len(text) <= LONGEST and _word(("realm",)).fullmatch(text) is not None


def name_ends(class_: Class, text: str, at: int) -> Sequence[int]:
    """Where a name of the class that begins at a place may end: none, one or two places."""
    return [found.end() for pattern in _names(class_) if (found := pattern.match(text, at, at + LONGEST))]


def value_ends(class_: Class, relation: Relation, text: str, at: int) -> Sequence[int]:
    """Where a value of a relation of the class that begins at a place may end."""
    kind = relation.kind
    if kind == "entity":
        return name_ends(relation.targets[0], text, at)
    if kind == "alias":
        return name_ends(class_, text, at)
    if kind == "term":
        return [at + len(term) for term in terms(relation.terms, "en") if text.startswith(term, at)]
    pattern = (
        _word(("realm",)) if kind == "place" else _DATE if kind == "date" else _YEAR if kind == "year" else _NUMBER
    )
    found = pattern.match(text, at, at + LONGEST)
    return (found.end(),) if found else ()


@cache
def _names(class_: Class) -> tuple[re.Pattern[str], ...]:
    """Patterns of the names of a class: no form of one begins as another of its forms does."""
    forms, first, second = _FORMS[class_]
    longer = [form for form in forms if any(form.startswith(f"{other} ") for other in forms)]
    a, b = _letters(first), _letters(second)
    return tuple(
        re.compile("|".join(f"(?:{form.replace('{a}', a).replace('{b}', b).replace('{w}', a)})" for form in group))
        for group in ([form for form in forms if form not in longer], longer)
        if group
    )


@cache
def _word(sets: tuple[WordSet, ...]) -> re.Pattern[str]:
    return re.compile(_letters(sets))


def _letters(sets: tuple[WordSet, ...]) -> str:
    """An invented word of one of the sets, as a pattern."""
    endings = "|".join(ending for name in sets for ending in ENDINGS[name].split())
    return rf"[{'a-z' if sets == ('epithet',) else 'A-Z'}][a-z]{{1,20}}(?:{endings})\b"
