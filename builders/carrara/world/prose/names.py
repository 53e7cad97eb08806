"""Names of the prose: people, villages, rivers, hills and inns, by number and by draw.

They are made of what the names of the world are made of, and none of them is a name of an entity.
"""

from typing import Final

from carrara.stream import Draws
from carrara.task import Lang
from carrara.world.names import characters, chinese
from carrara.world.names.english import PROSE_VILLAGES, SECOND_GIVEN, SHARE, SOUNDS, all_words, word_space

_INNS: Final = ("Arms", "Inn", "Tavern", "House", "Hotel", "Coffee House", "Taproom", "Alehouse")
_ZH_RIVER_ENDS: Final = "河溪江水"
_ZH_HILL_ENDS: Final = "山岭岗坡"
_ZH_INN_ENDS: Final = ("客栈", "茶馆", "饭铺", "酒馆", "茶楼", "车马店")

# By region of sound: so many of each, the fewest that one of them has.
_GIVEN: Final = min(word_space(gender, sound).shorts for gender in ("male", "female") for sound in range(SOUNDS))
_VILLAGES: Final = [min(pairs.size(sound) for sound in range(SOUNDS)) for pairs in PROSE_VILLAGES]
_ZH_VILLAGES: Final = characters.VILLAGE.split()
_ZH_LASTS: Final = min(len(lasts) for lasts in characters.GIVEN_LAST.values())

# A person's number is below PEOPLE, a village's below VILLAGES: other numbers are other names.
PEOPLE: Final[dict[Lang, int]] = {
    "en": _GIVEN * SOUNDS,
    "zh": len(characters.SURNAMES) * len(chinese.OUTSIDE_FIRST) * _ZH_LASTS,
}
VILLAGES: Final[dict[Lang, int]] = {
    "en": sum(_VILLAGES) * SOUNDS,
    "zh": len(chinese.stems("T")) * len(chinese.stems("P")) * len(_ZH_VILLAGES),
}


def person(lang: Lang, number: int, female: bool, draws: Draws) -> tuple[str, str]:
    """The full name of a person and the name for short, which no other number has."""
    gender: chinese.GivenGender = "female" if female else "male"
    if lang == "zh":
        rest, last = divmod(number, _ZH_LASTS)
        surname, first = divmod(rest, len(chinese.OUTSIDE_FIRST))
        given = chinese.OUTSIDE_FIRST[first] + characters.GIVEN_LAST[gender][last]
        return (name := characters.SURNAMES[surname] + given), name
    own, sound = divmod(number, SOUNDS)
    given = word_space(gender, sound)[own]
    surnames = word_space("surname", sound)
    # Surnames that no family of the world has.
    surname_ = surnames[draws.below(surnames.shorts // SHARE) * SHARE + SHARE - 1]
    return f"{given} {draws.choice(SECOND_GIVEN)} {surname_}", given


def village(lang: Lang, number: int) -> str:
    """The name of a village."""
    if lang == "zh":
        number, end = divmod(number, len(_ZH_VILLAGES))
        first, second = divmod(number, len(chinese.stems("P")))
        return chinese.stems("T")[first] + chinese.stems("P")[second] + _ZH_VILLAGES[end]
    number, sound = divmod(number, SOUNDS)
    single, directed = PROSE_VILLAGES
    if number < _VILLAGES[0]:
        return single.name(sound, number)
    return directed.name(sound, number - _VILLAGES[0])


def landmarks(lang: Lang, draws: Draws) -> tuple[str, str, str]:
    """A river, a hill and an inn: drawn, so that equal ones are rare."""
    if lang == "zh":
        river, hill = (draws.choice(chinese.stems("T")) + draws.choice(chinese.stems("P")) for _ in range(2))
        inn = "".join(draws.choice(characters.FORTUNATE) for _ in range(3)) + draws.choice(_ZH_INN_ENDS)
        return river + draws.choice(_ZH_RIVER_ENDS), hill + draws.choice(_ZH_HILL_ENDS), inn
    sound = draws.below(SOUNDS)
    pairs = []
    for first in (word_space("coin", sound), word_space("title", sound), word_space("firm", sound)):
        second = all_words("coin")
        pairs.append(f"{first[draws.below(first.shorts)]} {second[draws.below(len(second))]}")
    river, hill, inn = pairs
    return river, f"{hill} Hill", f"the {inn} {draws.choice(_INNS)}"
