"""Names of everything in the invented world: name j is a function of j, and no two are equal.

A name is an index in a space of names, taken there by a keyed permutation: unique by construction in constant memory.
Classes whose names have one form (albums, films and written works; animals and plants; companies, schools, buildings
and vehicles; villages and natural places; all persons) share one permutation in turn, so no two classes share a name.

Limits (ValueError beyond): 475,000 families in Chinese and 2,077,937 in English, that is 3.8 million artists and 2.85
million each of athletes and office holders in Chinese; 1.6 billion of every other class in Chinese, more in English;
119,320 regions, realms or words of a purpose in Chinese.

Names and aliases of a class are such that none is the beginning of another one:

* Two invented words {a} and {b} in a form that depends on {a} alone. Were one name the beginning of another, both would
  have the same {a} (words in front of {a} are no invented words), hence the same form, and the two {b} would be equal
  or one be the beginning of the other, which `word_space.py` rules out. So {a} and {b} are equal: one index, one name.
* Titles: a title is an adjective, a noun and an invented word in one of `TITLES`, which differ in their fixed words
  before one of them could end. The last word is an invented word or a noun; neither kind holds a word that begins
  another one, and no English word begins with an invented one.
* Chinese names of a class have one length. Persons have three characters, the first of which stands in no other class.
  A region, a realm or a `word` has two, the second of which is a first character of persons, so neither it nor a
  person's name is a part of any other kind of name.

Persons: 8 artists, 6 athletes and 6 office holders are one family of FAMILY_SIZE, in that order of places. A family has
one surname to itself; in Chinese a first character that it shares with others, and 40 pairs of given characters.
Surnames of aliases and of `person` are no family's.
"""

from collections.abc import Mapping
from typing import Final

from carrara.stream import NumberPermutation, Stream
from carrara.task import Lang
from carrara.world.names.word_space import word_space
from carrara.world.names.words import (
    ADJECTIVES,
    BUILDING,
    COMPANY,
    FIRST_CHARACTERS,
    NATURAL_PLACE,
    NOUNS,
    OTHER_CHARACTERS,
    SCHOOL,
    SPECIES,
    TITLES,
    VEHICLE,
    VILLAGE,
    WordSet,
)
from carrara.world.realm.schema import CLASSES, EntityClass

FAMILY_SIZE: Final = 20
# Artist number i is of family i // 8, athletes and office holders i // 6.
FAMILY_CLASSES: Final[Mapping[EntityClass, int]] = {"artist": 8, "athlete": 6, "office_holder": 6}
_FIRST_PLACE: Final[Mapping[EntityClass, int]] = {"artist": 0, "athlete": 8, "office_holder": 14}

# Two-word names by group: the sets of the two words, and the forms of each class of the group.
_PAIRS: Final[Mapping[tuple[WordSet, WordSet], Mapping[EntityClass, tuple[str, ...]]]] = {
    ("firm", "firm"): {
        "company": COMPANY,
        "educational_institution": SCHOOL,
        "mean_of_transportation": VEHICLE,
        "building": BUILDING,
    },
    ("place", "place"): {"natural_place": NATURAL_PLACE, "village": VILLAGE},
    ("genus", "epithet"): {"animal": SPECIES, "plant": SPECIES},
}
_TITLED: Final[Mapping[EntityClass, int]] = {"album": 0, "film": 1, "written_work": 2}
# The sets of a class's two words, the place of the class among those that share them, how many share, and its forms.
_FORMS: Final[Mapping[EntityClass, tuple[tuple[WordSet, WordSet], int, int, tuple[str, ...]]]] = {
    class_: (words, rank, len(classes), forms)
    for words, classes in _PAIRS.items()
    for rank, (class_, forms) in enumerate(classes.items())
}
# The classes that are no persons, and their places in the order of Chinese names.
_THINGS: Final[Mapping[EntityClass, int]] = {
    class_: rank for rank, class_ in enumerate(class_name for class_name in CLASSES if class_name not in FAMILY_CLASSES)
}
_ADJECTIVES: Final = [adjective.capitalize() for adjective in ADJECTIVES.split()]
_NOUNS: Final = [noun.capitalize() for noun in NOUNS.split()]

# The surnames are dealt in turn to families, aliases and further persons.
_SURNAME_USES: Final = 3
_FIRSTS: Final = len(FIRST_CHARACTERS)
_OTHERS: Final = len(OTHER_CHARACTERS)
# Pairs of two different characters: 192,282.
_GIVEN_PAIRS: Final = _OTHERS * (_OTHERS - 1)
# Of them families take 100,000 for each first character (2,500 families of 20 names and 20 aliases), `person` the rest.
_FAMILIES_OF_FIRST: Final = 2_500
_FAMILY_PAIRS: Final = _FAMILIES_OF_FIRST * 2 * FAMILY_SIZE
CHINESE_FAMILIES: Final = _FIRSTS * _FAMILIES_OF_FIRST
_CHINESE_GUESTS: Final = _FIRSTS * (_GIVEN_PAIRS - _FAMILY_PAIRS)
# Four characters, no two neighbours equal.
_FOURS: Final = _OTHERS * (_OTHERS - 1) ** 3
# Two characters, the second a first character of persons, not equal.
_OTHER_TWOS: Final = _OTHERS * _FIRSTS
_TWOS: Final = _OTHER_TWOS + _FIRSTS * (_FIRSTS - 1)
# Permutations kept at hand: a purpose may be as short-lived as one text.
_KEPT: Final = 1_024


class WorldNames:
    """All names of the world of one stream; number >= 0, ValueError beyond what a kind of name has room for.

    Pinned for ever: a name depends on the stream's key, the language, the kind and the number alone.
    """

    __slots__ = ("_permutations", "_stream")

    def __init__(self, stream: Stream) -> None:
        self._stream = stream.child("names")
        # By kind of name and purpose, made when first asked for.
        self._permutations: dict[tuple[str, ...], NumberPermutation] = {}

    def name(self, lang: Lang, class_: EntityClass, number: int, *, female: bool = False) -> str:
        """The name of entity `number` of a class; `female` chooses the Latin given name of a person.

        A person has one male and one female name; neither is another person's.
        """
        return self._name(lang, class_, number, 0, female)

    def alias(self, lang: Lang, class_: EntityClass, number: int, *, female: bool = False) -> str:
        """The second name of the entity: of the same kind, and no entity's name or other alias."""
        return self._name(lang, class_, number, 1, female)

    def surname(self, lang: Lang, family: int) -> str:
        """The last word (Chinese: the first character) of the names of a family's members."""
        if lang == "zh":
            return FIRST_CHARACTERS[self._family_zh(family)[0]]
        words = word_space("surname")
        return words[_SURNAME_USES * self._taken(("en", "family"), words.size // _SURNAME_USES, family)]

    def region(self, lang: Lang, number: int) -> str:
        """The name of a region: one word, or two Chinese characters."""
        return self._land(lang, number, from_end=False)

    def realm(self, lang: Lang, number: int) -> str:
        """The name of a country: one word, or two Chinese characters.

        Realms are dealt from the end of the regions' space: no region is called like a realm as long as both together
        are fewer than the space holds (119,320 in Chinese).
        """
        return self._land(lang, number, from_end=True)

    def word(self, lang: Lang, purpose: str, number: int) -> str:
        """An invented word (Chinese: two characters) for anything else, unique within its purpose."""
        if lang == "zh":
            return _two(self._taken(("zh", "word", purpose), _TWOS, number))
        words = word_space("coin")
        return words[self._taken(("en", "word", purpose), words.size, number)]

    def person(self, lang: Lang, purpose: str, number: int, *, female: bool = False) -> str:
        """A person outside of the classes, unique within the purpose; no such name is one of the classes'."""
        if lang == "zh":
            index = self._taken(("zh", "person", purpose), _CHINESE_GUESTS, number)
            pair, first = divmod(index, _FIRSTS)
            return self._three(first, _FAMILY_PAIRS + pair)
        return self._outsider(("en", "person", purpose), number, 2, female)

    def _name(self, lang: Lang, class_: EntityClass, number: int, second: int, female: bool) -> str:
        if number < 0:
            raise ValueError(f"{class_} number {number}: entities are numbered from 0")
        if class_ in FAMILY_CLASSES:
            family, member = divmod(number, FAMILY_CLASSES[class_])
            return self._member(lang, family, member + _FIRST_PLACE[class_], second, female)
        if lang == "zh":
            index = self._taken(("zh", "things"), _FOURS, (2 * number + second) * len(_THINGS) + _THINGS[class_])
            return _four(index)
        if class_ in _TITLED:
            return self._title((2 * number + second) * len(_TITLED) + _TITLED[class_])
        sets, rank, classes, forms = _FORMS[class_]
        firsts, lasts = word_space(sets[0]), word_space(sets[1])
        index = self._taken(("en", *sets), firsts.size * lasts.size, (2 * number + second) * classes + rank)
        a, b = divmod(index, lasts.size)
        # The form hangs on all digits of a, so that it is not tied to the ending of the word.
        form = forms[(a * 0x9E3779B1 >> 20) % len(forms)]
        return form.format(a=firsts[a], b=lasts[b])

    def _member(self, lang: Lang, family: int, member: int, second: int, female: bool) -> str:
        if lang == "zh":
            first, own = self._family_zh(family)
            return self._three(first, (own * 2 + second) * FAMILY_SIZE + member)
        if second:
            _check(("en", "family"), word_space("surname").size // _SURNAME_USES, family)
            return self._outsider(("en", "alias"), family * FAMILY_SIZE + member, 1, female)
        gender: WordSet = "female" if female else "male"
        given = word_space(gender)
        return f"{given[self._taken(('en', gender), given.size, member, family)]} {self.surname(lang, family)}"

    def _outsider(self, key: tuple[str, ...], number: int, use: int, female: bool) -> str:
        """A person with a surname that is no family's."""
        gender: WordSet = "female" if female else "male"
        given, surnames = word_space(gender), word_space("surname")
        index = self._taken((*key, gender), given.size * (surnames.size // _SURNAME_USES), number)
        surname, first = divmod(index, given.size)
        return f"{given[first]} {surnames[_SURNAME_USES * surname + use]}"

    def _title(self, number: int) -> str:
        words = word_space("title")
        size = len(TITLES) * len(_ADJECTIVES) * len(_NOUNS) * words.size
        rest, word = divmod(self._taken(("en", "title"), size, number), words.size)
        rest, noun = divmod(rest, len(_NOUNS))
        form, adjective = divmod(rest, len(_ADJECTIVES))
        return TITLES[form].format(adjective=_ADJECTIVES[adjective], noun=_NOUNS[noun], w=words[word])

    def _land(self, lang: Lang, number: int, *, from_end: bool) -> str:
        words = word_space("realm")
        size = _TWOS if lang == "zh" else words.size
        index = self._taken((lang, "land"), size, size - 1 - number if from_end and 0 <= number < size else number)
        return _two(index) if lang == "zh" else words[index]

    def _family_zh(self, family: int) -> tuple[int, int]:
        """The first character of a family and its number among the families of that character."""
        first, own = divmod(self._taken(("zh", "family"), CHINESE_FAMILIES, family), _FAMILIES_OF_FIRST)
        return first, own

    def _three(self, first: int, pair: int) -> str:
        index, step = divmod(self._taken(("zh", "given"), _GIVEN_PAIRS, pair, first), _OTHERS - 1)
        return FIRST_CHARACTERS[first] + OTHER_CHARACTERS[index] + OTHER_CHARACTERS[(index + 1 + step) % _OTHERS]

    def _taken(self, key: tuple[str, ...], size: int, number: int, tweak: int = 0) -> int:
        """Where the permutation of a kind of name takes a number; a key has one size."""
        _check(key, size, number)
        permutation = self._permutations.get(key)
        if permutation is None:
            if len(self._permutations) >= _KEPT:
                self._permutations.clear()
            permutation = self._permutations[key] = NumberPermutation(self._stream.child(*key), size)
        return permutation(number, tweak)


def _check(key: tuple[str, ...], size: int, number: int) -> None:
    if not 0 <= number < size:
        raise ValueError(f"names of the kind {' '.join(key)} are numbered 0 to {size - 1}, got {number}; ask for fewer")


def _four(index: int) -> str:
    out: list[str] = []
    position = 0
    for digits in (_OTHERS, _OTHERS - 1, _OTHERS - 1, _OTHERS - 1):
        index, step = divmod(index, digits)
        # After the first, a step of at least one: no two neighbours are equal.
        position = step if not out else (position + 1 + step) % _OTHERS
        out.append(OTHER_CHARACTERS[position])
    return "".join(out)


def _two(index: int) -> str:
    if index < _OTHER_TWOS:
        left, right = divmod(index, _FIRSTS)
        return OTHER_CHARACTERS[left] + FIRST_CHARACTERS[right]
    left, step = divmod(index - _OTHER_TWOS, _FIRSTS - 1)
    return FIRST_CHARACTERS[left] + FIRST_CHARACTERS[(left + 1 + step) % _FIRSTS]
