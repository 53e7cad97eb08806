"""Chinese names: common characters put together as names are, by number.

A person has a surname and one or two given characters, the last of which tells the gender. Everything else is two stems
of two characters and an ending that tells the class.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Final, Literal

from carrara.world.names import characters as material
from carrara.world.names.english import Permute
from carrara.world.realm.schema import EntityClass

SURNAMES: Final[Sequence[str]] = (*material.SURNAMES, *material.DOUBLE_SURNAMES.split())
# Given names of people outside of the classes begin with one of every six first characters.
OUTSIDE_FIRST: Final = material.GIVEN_FIRST[5::6]
_FAMILY_FIRST: Final = "".join(each for each in material.GIVEN_FIRST if each not in OUTSIDE_FIRST)
# Of so many stems of places the last is not of the classes.
SHARE: Final = 8
# One person of so many has a single given character, as long as there are any.
_SINGLE: Final = 24
_TITLED: Final[Sequence[EntityClass]] = ("album", "film", "written_work")

GivenGender = Literal["male", "female"]
# The letters of forms and what they stand for.
_Stem = Literal["P", "A", "L", "E", "B", "Y", "D", "T"]


@cache
def stems(kind: _Stem) -> Sequence[str]:
    """What a letter of a form stands for: stems without those that are words."""
    parts: Mapping[_Stem, tuple[str, str]] = {
        "P": (material.PLACE_FIRST, material.PLACE_LAST),
        "T": (material.PLACE_FIRST, material.PLACE_LAST),
        "A": (material.FORTUNATE, material.FORTUNATE),
        "L": (material.LEARNED, material.LEARNED),
        "E": (material.SCENE_FIRST, material.SCENE_LAST),
        "B": (material.SCENE_FIRST, material.SCENE_LAST + material.BUILDING_LAST),
        "Y": (material.SPECIES_FIRST, material.PLANT_LAST),
        "D": (material.SPECIES_FIRST, material.ANIMAL_LAST),
    }
    real = frozenset(material.REAL_STEMS.split())
    found = [a + b for a in parts[kind][0] for b in parts[kind][1] if a != b and a + b not in real]
    if kind == "T":
        return found[SHARE - 1 :: SHARE]
    if kind == "P":
        del found[SHARE - 1 :: SHARE]
    return found


_Parts = tuple[_Stem | Sequence[str], ...]
_FORMS: Final[Mapping[EntityClass, _Parts]] = {
    "village": ("P", "P", material.VILLAGE.split()),
    "company": ("A", "A", material.COMPANY.split()),
    "educational_institution": ("L", "L", material.SCHOOL.split()),
    "building": ("B", "B", material.BUILDING.split()),
    "mean_of_transportation": ("E", "E", material.VEHICLE.split()),
    "natural_place": ("E", "E", material.NATURAL_PLACE.split()),
    "plant": ("Y", "Y", material.PLANT.split()),
    "animal": ("D", "D", material.ANIMAL.split()),
}
_REGION: Final[_Parts] = ("P", material.FORTUNATE, material.REGION.split())
_REST_OF_WORD: Final[_Parts] = ("P", material.WORD.split())
_TITLES: Final = material.TITLES.split()
_FIELDS: Final = {pattern: tuple(name for _, name, _, _ in Formatter().parse(pattern) if name) for pattern in _TITLES}
_FILLINGS: Final = {name: text.split() for name, text in material.TITLE_WORDS.items()}


class ChineseNames:
    """The Chinese names of a world."""

    __slots__ = ("_permute",)

    def __init__(self, permute: Permute) -> None:
        self._permute = permute

    def thing(self, class_: EntityClass, number: int, second: int) -> str:
        """The name (`second` 0) or the alias (1) of what is no person."""
        if class_ in _TITLED:
            return self._title((2 * number + second) * len(_TITLED) + _TITLED.index(class_))
        return self._of(class_, _FORMS[class_], 2 * number + second)

    def _of(self, kind: str, parts: _Parts, number: int) -> str:
        return _joined(parts, self._permute(("zh", kind), _size(parts), number, 0))

    def _title(self, number: int) -> str:
        # Every pattern once in a block, in an order of the block's own.
        block, place = divmod(number, len(_TITLES))
        rank = self._permute(("zh", "patterns"), len(_TITLES), place, block)
        pattern = _TITLES[rank]
        return _filled(pattern, self._permute(("zh", "title", rank), _room(pattern), block, 0))

    def surname(self, family: int) -> str:
        """The surname of a family: every surname once in ten realms, so that no two of a realm are equal."""
        turn, place = divmod(family, len(SURNAMES))
        return SURNAMES[self._permute(("zh", "surname"), len(SURNAMES), place, turn)]

    def person(self, family: int, member: int, members: int, *, female: bool) -> str:
        """A member of a family; `members` is how many names a family has."""
        turn, place = divmod(family, len(SURNAMES))
        surname = self._permute(("zh", "surname"), len(SURNAMES), place, turn)
        gender: GivenGender = "female" if female else "male"
        number = turn * members + member
        ones = material.GIVEN_ONE[gender]
        if number % _SINGLE == 0 and number // _SINGLE < len(ones):
            return SURNAMES[surname] + ones[self._permute(("zh", "one", gender), len(ones), number // _SINGLE, surname)]
        lasts = material.GIVEN_LAST[gender]
        given = self._permute(("zh", "given", gender), len(_FAMILY_FIRST) * len(lasts), number, surname)
        return SURNAMES[surname] + _given(_FAMILY_FIRST, lasts, given)

    def outsider(self, purpose: str, number: int, *, female: bool) -> str:
        """Person `number` of a purpose, none of the families': the first hundreds share no surname."""
        gender: GivenGender = "female" if female else "male"
        lasts = material.GIVEN_LAST[gender]
        # Single surnames: who is outside of the classes may be called by the surname.
        singles = len(material.SURNAMES)
        turn, place = divmod(number, singles)
        surname = self._permute(("zh", "person", purpose), singles, place, turn)
        given = self._permute(("zh", "person", purpose, gender), len(OUTSIDE_FIRST) * len(lasts), turn, surname)
        return material.SURNAMES[surname] + _given(OUTSIDE_FIRST, lasts, given)

    def region(self, number: int) -> str:
        """The name of a region."""
        return self._of("region", _REGION, number)

    def word(self, purpose: str, number: int) -> str:
        """Two stems and an ending for anything else, unique within its purpose: the first thousands share no stem."""
        firsts = stems("P")
        turn, place = divmod(number, len(firsts))
        first = self._permute(("zh", "word", purpose), len(firsts), place, 0)
        rest = self._permute(("zh", "rest of word", purpose), _size(_REST_OF_WORD), turn, first)
        return firsts[first] + _joined(_REST_OF_WORD, rest)


def _given(firsts: str, lasts: str, number: int) -> str:
    first, last = divmod(number, len(lasts))
    return firsts[first] + lasts[last]


def _values(part: _Stem | Sequence[str]) -> Sequence[str]:
    return stems(part) if part in ("P", "A", "L", "E", "B", "Y", "D", "T") else part


def _size(parts: _Parts) -> int:
    size = 1
    for part in parts:
        size *= len(_values(part))
    return size


def _joined(parts: _Parts, number: int) -> str:
    name = ""
    for part in parts:
        values = _values(part)
        number, index = divmod(number, len(values))
        name += values[index]
    return name


@cache
def _room(pattern: str) -> int:
    """How many titles a pattern has."""
    size = 1
    for name in _FIELDS[pattern]:
        size *= len(stems("P")) if name in "pq" else len(_FILLINGS[name])
    return size


def _filled(pattern: str, number: int) -> str:
    values: dict[str, str] = {}
    for name in _FIELDS[pattern]:
        filling = stems("P") if name in "pq" else _FILLINGS[name]
        number, index = divmod(number, len(filling))
        values[name] = filling[index]
    return pattern.format(**values)
