"""Names of the prose: people, villages, rivers, hills and inns, by number and by draw.

They are made of what the names of the world are made of, and none of them is a name of an entity.
"""

from typing import Final

from carrara.stream import Draws
from carrara.task import Lang
from carrara.world.names import characters, chinese
from carrara.world.names.english import DIRECTED, PROSE_VILLAGES, SHARE, SOUNDS, word_space

_INN_ADJECTIVES: Final = "Blue White Black Red Golden Old Green Silver Three Two Brown Grey".split()
_INN_NOUNS: Final = "Bell Heron Plough Anchor Lamb Wheel Horseshoe Swan Sheaf Otter Saddle Lantern Barrel Crown".split()
_ZH_RIVER_ENDS: Final = "河溪江水"
_ZH_HILL_ENDS: Final = "山岭岗坡"
_ZH_INNS: Final = (
    "同春 悦来 顺风 聚仙 福安 永和 迎宾 广源 长兴 三元 万盛 临江 望月 平安 仁和 四海 如意 回春 德兴 老槐 渡口 半山 "
    "桥头 南关"
).split()
_ZH_INN_ENDS: Final = ("客栈", "茶馆", "饭铺", "酒馆", "茶楼", "车马店")

# By region of sound: so many of each, the fewest that one of them has.
_GIVEN: Final = min(word_space(gender, sound).shorts for gender in ("male", "female") for sound in range(SOUNDS))
_SINGLE, _DIRECTED = (
    min(part.size(sound) for sound in range(SOUNDS)) * forms * SOUNDS
    for part, forms in zip(PROSE_VILLAGES, (1, len(DIRECTED)), strict=True)
)
_ZH_VILLAGES: Final = characters.VILLAGE.split()
_ZH_USUAL: Final = characters.VILLAGE_USUAL.split()
_ZH_SINGLE: Final = len(chinese.stems("T")) * len(_ZH_VILLAGES)
_ZH_LASTS: Final = min(len(lasts) for lasts in characters.GIVEN_LAST.values())

# A person's number is below PEOPLE, a village's below VILLAGES: other numbers are other names. Four of seven villages
# have one word in English, three of seven a short name in Chinese, as in the world.
PEOPLE: Final[dict[Lang, int]] = {
    "en": _GIVEN * SOUNDS,
    "zh": len(characters.SURNAMES) * len(chinese.OUTSIDE_FIRST) * _ZH_LASTS,
}
VILLAGES: Final[dict[Lang, int]] = {"en": _SINGLE * 7 // 4, "zh": _ZH_SINGLE * 7 // 3}


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
    return f"{given} {surnames[draws.below(surnames.shorts // SHARE) * SHARE + SHARE - 1]}", given


def village(lang: Lang, number: int) -> str:
    """The name of a village."""
    if lang == "zh":
        if number < _ZH_SINGLE:
            stem, end = divmod(number, len(_ZH_VILLAGES))
            return chinese.stems("T")[stem] + _ZH_VILLAGES[end]
        rest, end = divmod(number - _ZH_SINGLE, len(_ZH_USUAL))
        before, stem = divmod(rest, len(chinese.stems("T")))
        return characters.PREFIXES[before] + chinese.stems("T")[stem] + _ZH_USUAL[end]
    single, directed = PROSE_VILLAGES
    if number < _SINGLE:
        own, sound = divmod(number, SOUNDS)
        return single.word(sound, own)
    rest, sound = divmod(number - _SINGLE, SOUNDS)
    own, form = divmod(rest, len(DIRECTED))
    return DIRECTED[form].format(a=directed.word(sound, own))


def landmarks(lang: Lang, draws: Draws) -> tuple[str, str, str]:
    """A river, a hill and an inn: not unique, there are some hundreds of each."""
    if lang == "zh":
        river, hill = (draws.choice(chinese.stems("T")) for _ in range(2))
        inn = draws.choice(_ZH_INNS) + draws.choice(_ZH_INN_ENDS)
        return river + draws.choice(_ZH_RIVER_ENDS), hill + draws.choice(_ZH_HILL_ENDS), inn
    sound = draws.below(SOUNDS)
    rivers, hills = word_space("coin", sound), word_space("title", sound)
    adjective = draws.choice(_INN_ADJECTIVES)
    plural = "s" if adjective in ("Three", "Two") else ""
    river, hill = rivers[draws.below(rivers.shorts)], hills[draws.below(hills.shorts)]
    return river, f"{hill} Hill", f"the {adjective} {draws.choice(_INN_NOUNS)}{plural}"
