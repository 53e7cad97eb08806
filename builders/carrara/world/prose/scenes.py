"""The scenes of the prose, read from `text/<lang>/prose/*.txt`.

`_lists.txt` holds what all files share: [subtypes] are the roles of people with their tags (`@ miller: craft, water`),
[lists] are lists; of a list `weather_spring` or `lamp_horse` the season or the period of a section says whether it is
`weather` or `lamp` there. The other files hold [lists] of their own and [paragraphs], as `paragraphs.py`
reads them, with heads

    = place bend-of-river                a paragraph about the village, for the beginning of a section
    = season haymaking | season: summer  one about work or weather
    = scene loan.1of2 | A: craft | B: not learned, female | period: horse
                                         a part of a thread; what must hold of the thread stands at its first part

A, B, C and D are persons, whom conditions give roles (or tags, `male`, `female`); E is a man and F a woman who pass
through.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, get_args

from carrara.task import Lang
from carrara.world.language.cast import PersonGender, SlotNames
from carrara.world.language.grammar import (
    PhraseLists,
    WordingLine,
    file_names,
    read_sections,
)
from carrara.world.language.paragraphs import ClassParagraphs, TextParagraph, lists_ending, read_paragraphs

Kind = Literal["place", "season", "scene"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
GENDERS: Final[tuple[PersonGender, ...]] = get_args(PersonGender)
LETTERS: Final = "ABCD"
SEASONS: Final = ("spring", "summer", "autumn", "winter")
# Periods and their years: both included.
PERIODS: Final = {"horse": (1862, 1924), "motor": (1925, 1988)}
_ENDINGS: Final = (*SEASONS, *PERIODS)
# Persons who only pass through: E is a man, F a woman, the same in all parts of a thread; the other names stand for
# somebody else at each use.
EXTRAS: Final[Mapping[str, PersonGender]] = {"E": "male", "F": "female"}
BYSTANDERS: Final[Mapping[Lang, Mapping[str, PersonGender]]] = {
    "en": {
        **dict.fromkeys(("man", "hand", "mate", "pupil", "elder"), "male"),
        **dict.fromkeys(("woman", "gossip"), "female"),
    },
    "zh": {},
}
_SLOTS: Final = {
    lang: SlotNames(
        r"[PQTRH](?:'s)?|inn|year|month|day|ago:\d{1,3}-\d{1,3}|[A-F](?:'s)?|role:[ABCD]"
        + "".join(f"|{name}" for name in BYSTANDERS[lang]),
        "A A's he:A his:A role:A surname:A E F P Q T R H inn year ago:8-30 month day",
    )
    for lang in BYSTANDERS
}
_PART: Final = re.compile(r"([\w-]+?)(?:\.(\d+)of(\d+))?")


@dataclass(frozen=True, slots=True)
class Role:
    """What a person is in a village, and as whom: one bit of the masks that conditions are."""

    name: str
    gender: PersonGender
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Thread:
    """A story in parts, or a single paragraph: what it asks of its people, and when it may happen.

    people: for each letter that it names, a bit for every role of `Scenes.roles` that fits.
    """

    name: str
    parts: tuple[TextParagraph, ...]
    people: dict[str, int]
    # By season and period, where it may happen at all: the lists that hang on them.
    lists: Mapping[tuple[str, str], PhraseLists]


@dataclass(frozen=True, slots=True)
class Scenes:
    """All scenes of a language: by kind, season and period, in the order of the files."""

    roles: tuple[Role, ...]
    fitting: Mapping[tuple[Kind, str, str], tuple[Thread, ...]]


@cache
def scenes(lang: Lang) -> Scenes:
    """The scenes of a language; ValueError with file and line where a text is wrong."""
    shared = read_sections(lang, "prose/_lists")
    tags = {tag.strip() for line in shared["subtypes"] for tag in re.split("[:,]", line.text.removeprefix("@ "))}
    conditions = {"season": SEASONS, "period": tuple(PERIODS), **dict.fromkeys(LETTERS, (*tags, *GENDERS))}
    read = _read(lang, shared, shared, {}, conditions)
    roles = tuple(
        Role(name, gender, subtype.tags | {gender}) for name, subtype in read[0].subtypes.items() for gender in GENDERS
    )
    found: dict[Kind, list[Thread]] = {kind: [] for kind in KINDS}
    for name in file_names(lang, "prose"):
        paragraphs, lists = _read(lang, read_sections(lang, name), shared, read[1], conditions)
        varying = {
            (season, time): lists_ending(lists, _ENDINGS, season, time) for season in SEASONS for time in PERIODS
        }
        for kind in KINDS:
            found[kind] += _threads(paragraphs.by_aspect[kind], roles, varying)
    return Scenes(
        roles,
        {
            (kind, season, time): tuple(thread for thread in found[kind] if (season, time) in thread.lists)
            for kind in KINDS
            for season in SEASONS
            for time in PERIODS
        },
    )


def _read(
    lang: Lang,
    sections: Mapping[str, list[WordingLine]],
    shared: Mapping[str, list[WordingLine]],
    known: PhraseLists,
    conditions: Mapping[str, Collection[str]],
) -> tuple[ClassParagraphs, PhraseLists]:
    return read_paragraphs(
        {**sections, "subtypes": shared["subtypes"]}, known, KINDS, conditions, _SLOTS[lang], _ENDINGS
    )


def _threads(
    paragraphs: Sequence[TextParagraph], roles: Sequence[Role], varying: Mapping[tuple[str, str], PhraseLists]
) -> Iterator[Thread]:
    by_name: dict[str, list[TextParagraph]] = {}
    for paragraph in paragraphs:
        part = _PART.fullmatch(paragraph.topic)
        if part is None:
            raise ValueError(f"{paragraph.where}: got {paragraph.topic!r}, expected a name as 'loan' or 'loan.1of2'")
        parts = by_name.setdefault(part[1], [])
        parts.append(paragraph)
        if int(part[2] or 1) != len(parts):
            raise ValueError(f"{paragraph.where}: part {part[2] or 1} of {part[1]} stands as part {len(parts)}")
    for name, parts in by_name.items():
        last = _PART.fullmatch(parts[-1].topic)
        if last is None or int(last[3] or 1) != len(parts):
            raise ValueError(f"{parts[-1].where}: {name} ends with part {len(parts)}, its head says {last and last[3]}")
        yield _thread(name, parts, roles, varying)


def _thread(
    name: str,
    parts: Sequence[TextParagraph],
    roles: Sequence[Role],
    varying: Mapping[tuple[str, str], PhraseLists],
) -> Thread:
    held = {condition.key: condition for condition in parts[0].conditions}
    letters = {
        slot[-1] for part in parts for slot in (name.removesuffix("'s") for name in part.slots()) if slot[-1] in LETTERS
    }
    people = {}
    for letter in sorted(letters | (held.keys() & set(LETTERS))):
        fits = held.get(letter)
        people[letter] = sum(
            1 << bit
            for bit, role in enumerate(roles)
            if fits is None or fits.negated == fits.values.isdisjoint(role.tags)
        )
        if not people[letter]:
            raise ValueError(f"{parts[0].where}: nobody can be {letter}")
    when = {
        (season, time): lists
        for (season, time), lists in varying.items()
        if all(
            condition.holds((), {"season": season, "period": time})
            for key, condition in held.items()
            if key in ("season", "period")
        )
    }
    return Thread(name, tuple(parts), people, when)
