"""Names of everything in the invented world: name j is a function of j, and no two of a kind are equal.

A name is an index in a space of names, taken there by a keyed permutation: unique by construction in constant memory.
No name or alias of a class is the beginning or a part of another one of the class, and none of two classes are equal:
the forms and the sets of invented words (English), the endings (Chinese) tell them apart.

Two worlds share hardly a name: n names of each out of a space of s share n * n / s on average. Of 62 realms each (names
and aliases: 29,760 persons, 31,000 titles, 6,200 to 9,920 of any other class) that is at most 0.05 names of a kind in
either language, with spaces of 10^9 names and more; but 0.6 % of the Chinese persons, since common surnames and given
names are few: 120 * 103,532 names of three characters and, of every 24th person, 120 * 131 of two. Single words are
shared: one English surname in twenty, all Chinese ones.

A realm's names are of one region of sound in English: eight realms in a row have different ones; second words, second
given names and epithets are of all regions. 8 artists, 6 athletes and 6 office holders are one family of FAMILY_SIZE,
in that order of places, with one surname; in English no other family has it, in Chinese no other family of the realm.
Aliases of a person have the surname too; persons outside of the classes have other surnames (English) or other given
names (Chinese).

Limits (ValueError beyond): 11,000 realms of everything.
"""

from collections.abc import Mapping
from typing import Final

from carrara.stream import NumberPermutation, Stream
from carrara.task import Lang
from carrara.world.names import chinese, english
from carrara.world.realm.schema import PERSONS, REGIONS, SIZES, EntityClass

FAMILY_SIZE: Final = 20
# Artist number i is of family i // 8, athletes and office holders i // 6.
FAMILY_CLASSES: Final[Mapping[EntityClass, int]] = {"artist": 8, "athlete": 6, "office_holder": 6}
_FIRST_PLACE: Final[Mapping[EntityClass, int]] = {"artist": 0, "athlete": 8, "office_holder": 14}
_FAMILIES: Final = SIZES["artist"] // FAMILY_CLASSES["artist"]
# Realms for which every kind of name has room; ten million entities are 10,000.
REALMS: Final = 11_000
# Permutations kept at hand: a purpose may be as short-lived as one text, patterns of titles are some hundreds.
_KEPT: Final = 4_096


class WorldNames:
    """All names of the world of one stream; number >= 0, ValueError beyond what a kind of name has room for.

    Pinned for ever: a name depends on the stream's key, the language, the kind and the number alone.
    """

    __slots__ = ("_chinese", "_english", "_permutations", "_sounds", "_stream")

    def __init__(self, stream: Stream) -> None:
        self._stream = stream.child("names")
        # By kind of name and purpose, made when first asked for.
        self._permutations: dict[tuple[str | int, ...], NumberPermutation] = {}
        self._english = english.EnglishNames(self._permute)
        self._chinese = chinese.ChineseNames(self._permute)
        self._sounds = [self._permute(("en", "sounds"), english.SOUNDS, turn, 0) for turn in range(english.SOUNDS)]

    def name(self, lang: Lang, class_: EntityClass, number: int, *, female: bool = False) -> str:
        """The name of entity `number` of a class; `female` chooses the given name of a person.

        A person has one male and one female name; neither is another person's.
        """
        return self._name(lang, class_, number, 0, female)

    def alias(self, lang: Lang, class_: EntityClass, number: int, *, female: bool = False) -> str:
        """The second name of the entity: of the same kind, and no entity's name or other alias."""
        return self._name(lang, class_, number, 1, female)

    def short(self, lang: Lang, class_: EntityClass, name: str) -> str:
        """What a running text may call an entity once its name is given: "V. orbensis", a surname; else the name."""
        if lang == "en" and class_ in ("animal", "plant"):
            return f"{name[0]}. {name.partition(' ')[2]}"
        return name.rpartition(" ")[2] if lang == "en" and class_ in PERSONS else name

    def surname(self, lang: Lang, family: int) -> str:
        """The surname of a family's members."""
        _check("family", family, REALMS * _FAMILIES)
        if lang == "zh":
            return self._chinese.surname(family)
        return self._english.surname(*self._sounded(family, _FAMILIES))

    def region(self, lang: Lang, number: int) -> str:
        """The name of a region."""
        _check("region", number, REALMS * REGIONS)
        return self._chinese.region(number) if lang == "zh" else self._english.region(*self._sounded(number, REGIONS))

    def word(self, lang: Lang, purpose: str, number: int) -> str:
        """Two invented words (Chinese: five characters) for anything else, unique within their purpose.

        The first four thousand of a purpose share no first word.
        """
        _check(f"word of {purpose!r}", number)
        try:
            if lang == "zh":
                return self._chinese.word(purpose, number)
            return self._english.word(purpose, self._sound_of(purpose), number)
        except IndexError as error:
            raise ValueError(f"word number {number} of {purpose!r}: {error}") from None

    def person(self, lang: Lang, purpose: str, number: int, *, female: bool = False) -> str:
        """A person outside of the classes, unique within the purpose; no such name is one of the classes'."""
        _check(f"person of {purpose!r}", number)
        try:
            if lang == "zh":
                return self._chinese.outsider(purpose, number, female=female)
            return self._english.outsider(purpose, self._sound_of(purpose), number, female=female)
        except IndexError as error:
            raise ValueError(f"person number {number} of {purpose!r}: {error}") from None

    def _name(self, lang: Lang, class_: EntityClass, number: int, second: int, female: bool) -> str:
        _check(class_, number, REALMS * SIZES[class_])
        if class_ in FAMILY_CLASSES:
            family, place = divmod(number, FAMILY_CLASSES[class_])
            member = place + _FIRST_PLACE[class_] + second * FAMILY_SIZE
            if lang == "zh":
                return self._chinese.person(family, member, 2 * FAMILY_SIZE, female=female)
            sound, own = self._sounded(family, _FAMILIES)
            return f"{self._english.given(sound, own, member, female=female)} {self._english.surname(sound, own)}"
        if lang == "zh":
            return self._chinese.thing(class_, number, second)
        return self._english.thing(class_, *self._sounded(number, SIZES[class_]), second)

    def _sounded(self, number: int, a_realm: int) -> tuple[int, int]:
        """The region of sound of what stands `a_realm` times in a realm, and its number there."""
        realm, place = divmod(number, a_realm)
        block, turn = divmod(realm, english.SOUNDS)
        return self._sounds[turn], block * a_realm + place

    def _sound_of(self, purpose: str) -> int:
        """All purposes of a text ("report-3 head", "report-3 place") have one region of sound."""
        words = purpose.replace("-", " ").split()
        text = " ".join(words[:-1] if len(words) > 1 and not words[-1].isdigit() else words)
        return self._permute(("en", "sound", text), english.SOUNDS, 0, 0)

    def _permute(self, key: tuple[str | int, ...], size: int, number: int, tweak: int) -> int:
        """A number's place in a space, keyed; each `tweak` is a permutation of its own. IndexError beyond the space."""
        permutation = self._permutations.get(key)
        if permutation is None:
            if len(self._permutations) >= _KEPT:
                self._permutations.clear()
            permutation = self._permutations[key] = NumberPermutation(self._stream.child(*key), size)
        return permutation(number, tweak)


def _check(kind: str, number: int, size: int | None = None) -> None:
    if number < 0:
        raise ValueError(f"{kind} number {number}: entities are numbered from 0")
    if size is not None and number >= size:
        raise ValueError(f"{kind} number {number}: there are names for numbers 0 to {size - 1}")
