"""The people of a realm: twelve families of twenty, seven generations along the male lines.

Members of a family: 0 begins it; 1, 2 are his children; 3, 4 those of 1; 5, 6 those of 3; 7, 8 those of 5; 9 to 12
those of 7; 13 to 15 those of 9; 16 to 19 those of 11. Member 0 and odd members are men. A man marries member + 1 of
another family, the same number of families further for all twelve, so that everyone has one spouse at most.
"""

import datetime
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from carrara.world.realm.draft import PRESENT, RealmDraft, between
from carrara.world.realm.schema import PERSONS, EntityClass, Gender, Reference

FAMILIES: Final = 12
MEMBERS: Final = 20
PEOPLE: Final = FAMILIES * MEMBERS
# From 1760 on the last two generations hold enough people alive in 2020 for 80 mayors, 80 chief executives and 50
# heads of schools: about 100. A start in 1720 leaves none.
FIRST_BASE, LAST_BASE = 1760, 1790
STEP: Final = 31
BIRTH_YEARS: Final = 9
# A little more than ten months.
APART: Final = 310
YOUNGEST_DEATH, OLDEST_DEATH = 55, 97

_FATHERS: Final = (None, 0, 0, 1, 1, 3, 3, 5, 5, 7, 7, 7, 7, 9, 9, 9, 11, 11, 11, 11)
_GENERATION: Final = (0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6)
_HUSBANDS: Final = (1, 3, 5, 7, 9, 11, 13, 15, 17)
_BROODS: Final = ((0,), (1, 2), (3, 4), (5, 6), (7, 8), (9, 10, 11, 12), (13, 14, 15), (16, 17, 18, 19))
_EARLY: Final = 9
_EARLY_CLASSES: Final[tuple[EntityClass, ...]] = ("artist",) * 4 + ("office_holder",) * 5
_LATE_CLASSES: Final[tuple[EntityClass, ...]] = ("artist",) * 4 + ("athlete",) * 6 + ("office_holder",)


def genders_of_people() -> list[Gender]:
    """The genders of the people of any realm, by place: shape (PEOPLE,)."""
    return ["male" if member % 2 or not member else "female" for member in range(MEMBERS)] * FAMILIES


def classes_of_people(words: Sequence[int]) -> list[EntityClass]:
    """The classes of the people of a realm by place, from its draws of the column ("people", "class").

    Who is n-th of a class in this order is its entity number n of the realm.
    """
    classes: list[EntityClass] = ["artist"] * PEOPLE
    for family in range(0, PEOPLE, MEMBERS):
        for first, wanted in ((0, _EARLY_CLASSES), (_EARLY, _LATE_CLASSES)):
            places = range(family + first, family + first + len(wanted))
            for index, class_ in zip(sorted(places, key=words.__getitem__), wanted, strict=True):
                classes[index] = class_
    return classes


class People:
    """Everybody of a realm by place 0..239 (family * 20 + member): when they live and who belongs to whom.

    `until` is the first year in which somebody is certainly not alive all year: the year of death, or 2021.
    """

    __slots__ = (
        "_births",
        "base",
        "born",
        "by_class",
        "classes",
        "died",
        "everyone",
        "father",
        "genders",
        "married",
        "mother",
        "references",
        "slots",
        "spouse",
        "until",
        "years",
    )

    def __init__(self, draft: RealmDraft) -> None:
        self.base = between(draft.words("people", "base", 1)[0], FIRST_BASE, LAST_BASE)
        self.genders = genders_of_people()
        self._assign_classes(draft)
        self._draw_births(draft)
        self._draw_deaths(draft)
        self._marry(draft)
        self.everyone = sorted(range(PEOPLE), key=lambda person: (self.born[person], person))
        self.by_class: dict[EntityClass, list[int]] = {
            class_: [person for person in self.everyone if self.classes[person] == class_] for class_ in PERSONS
        }
        self._births = {id(group): [self.years[member] for member in group] for group in self.by_class.values()}
        self._births[id(self.everyone)] = [self.years[member] for member in self.everyone]

    def aged(self, year: int, low: int, high: int, group: list[int] | None = None) -> Sequence[int]:
        """Who is low..high years old and alive on every day of the year: places of `everyone` or of a class's list."""
        who = self.everyone if group is None else group
        births = self._births[id(who)]
        last = bisect_right(births, year - low - 1)
        if high < YOUNGEST_DEATH:
            return who[bisect_left(births, year - high) : last]
        # Nobody dies before 55: only the older ones have to be looked at.
        sure = bisect_left(births, year - YOUNGEST_DEATH + 1)
        until = self.until
        matching = [person for person in who[bisect_left(births, year - high) : sure] if until[person] > year]
        matching += who[sure:last]
        return matching

    def span(self, person: int, low: int, high: int, first: int = 0, last: int = PRESENT - 1) -> tuple[int, int]:
        """The years (first, last; empty if last < first) in which somebody is low..high years old and alive."""
        born = self.years[person]
        return max(first, born + low + 1), min(last, born + high, self.until[person] - 1)

    def reference(self, person: int | None) -> Reference | None:
        """The reference of a person by place."""
        return None if person is None else self.references[person]

    def _assign_classes(self, draft: RealmDraft) -> None:
        self.classes = classes_of_people(draft.words("people", "class", PEOPLE))
        self.references: list[Reference] = []
        self.slots: list[int] = []
        taken = dict.fromkeys(PERSONS, 0)
        for class_ in self.classes:
            self.slots.append(taken[class_])
            self.references.append(draft.references[class_][taken[class_]])
            taken[class_] += 1

    def _draw_births(self, draft: RealmDraft) -> None:
        words = draft.words("people", "birth_date", PEOPLE)
        self.born = [datetime.date.min] * PEOPLE
        starts = [datetime.date(self.base + STEP * generation, 1, 1).toordinal() for generation in range(7)]
        days = BIRTH_YEARS * 365
        for family in range(0, PEOPLE, MEMBERS):
            for brood in _BROODS:
                start = starts[_GENERATION[brood[0]]]
                free = days - APART * (len(brood) - 1)
                offsets = sorted(words[family + member] % free for member in brood)
                # The low digits say the day, the high ones who is older.
                elder = [member for _, member in sorted((words[family + member] >> 32, member) for member in brood)]
                for index, (offset, member) in enumerate(zip(offsets, elder, strict=True)):
                    self.born[family + member] = datetime.date.fromordinal(start + offset + APART * index)
        self.years = [born.year for born in self.born]

    def _draw_deaths(self, draft: RealmDraft) -> None:
        words = draft.words("people", "death_date", PEOPLE)
        self.died: list[datetime.date | None] = []
        self.until: list[int] = []
        half = (OLDEST_DEATH - YOUNGEST_DEATH) // 2
        for born, word in zip(self.born, words, strict=True):
            # The sum of two draws: most live to about 76.
            age = YOUNGEST_DEATH + word % (half + 1) + (word >> 20) % (half + 1)
            day = born.toordinal() + age * 1461 // 4 + 2 + (word >> 40) % 360
            died = datetime.date.fromordinal(day)
            self.died.append(died if died.year <= PRESENT else None)
            self.until.append(min(died.year, PRESENT + 1))

    def _marry(self, draft: RealmDraft) -> None:
        shifts = _shifts(draft.words("people", "spouse", len(_HUSBANDS)))
        words = draft.words("people", "married", PEOPLE)
        self.father: list[int | None] = [None] * PEOPLE
        self.mother: list[int | None] = [None] * PEOPLE
        self.spouse: list[int | None] = [None] * PEOPLE
        self.married: list[int | None] = [None] * PEOPLE
        for family in range(FAMILIES):
            home = family * MEMBERS
            for husband in _HUSBANDS:
                man = home + husband
                woman = (family + shifts[husband]) % FAMILIES * MEMBERS + husband + 1
                self.spouse[man], self.spouse[woman] = woman, man
            for member, father in enumerate(_FATHERS):
                if father is not None:
                    self.father[home + member] = home + father
                    self.mother[home + member] = self.spouse[home + father]
        first_child: dict[int, int] = {}
        for child, father in enumerate(self.father):
            if father is not None:
                first_child[father] = min(first_child.get(father, PRESENT), self.years[child])
        for man, wife in enumerate(self.spouse):
            if wife is not None and self.genders[man] == "male":
                grown = max(self.years[man], self.years[wife]) + 20
                latest = first_child[man] - 1 if man in first_child else grown + 12
                year = between(words[man], max(grown, latest - 8), latest)
                self.married[man] = self.married[wife] = year


def _shifts(words: Sequence[int]) -> dict[int, int]:
    """How many families further the wives of each husband's place are found; no two first cousins marry."""
    shifts: dict[int, int] = {}
    for husband, word in zip(_HUSBANDS, words, strict=True):
        his, hers = shifts.get(_FATHERS[husband] or 0, 0), shifts.get(_FATHERS[husband + 1] or 0, 0)
        # His parents are of families 0 and `his`, hers of families t and t + `hers`.
        cousins = {0, FAMILIES - hers, his, his - hers + FAMILIES, his - hers}
        allowed = [shift for shift in range(1, FAMILIES) if shift not in cousins]
        shifts[husband] = allowed[word % len(allowed)]
    return shifts
