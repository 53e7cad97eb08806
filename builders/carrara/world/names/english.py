"""English names: what each number is called in a region of sound.

An invented word is a head and a tail, or a head, a middle and a tail. No head is the beginning of another one, nor is
any tail of a region, with or without a middle; so a word can be taken apart in one way, no word is the beginning of
another one, and none belongs to two sets. A region of sound has heads and tails of its own, so that its people,
villages and firms sound alike.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count
from math import gcd
from pathlib import Path
from string import Formatter
from typing import Final, NamedTuple

from carrara.world.names import words as material
from carrara.world.names.words import WordSet
from carrara.world.realm.schema import EntityClass

SOUNDS: Final = len(material.HEADS)
# Of so many surnames the last belongs to no family of the classes.
SHARE: Final = 8
_REAL_WORDS: Final = Path(__file__).parents[1] / "text" / "en" / "real_words.txt"
_TITLED: Final[Sequence[EntityClass]] = ("album", "film", "written_work")
_SPECIES: Final[Sequence[EntityClass]] = ("animal", "plant")

# key, size, number, tweak -> another number of range(size), a bijection for each key and tweak.
Permute = Callable[[tuple[str | int, ...], int, int, int], int]


class WordSpace:
    """The words of a set in a region of sound, numbered from 0: `shorts` of two parts, then those of three.

    The same in all worlds. Use `word_space`: building takes a millisecond.
    """

    __slots__ = ("_heads", "_long_holes", "_long_tails", "_short_holes", "_tails", "shorts", "size")

    def __init__(self, name: WordSet, sound: int, real_words: Sequence[str]) -> None:
        heads = material.HEADS[sound].split()
        self._heads = [head.lower() for head in heads] if name == "epithet" else heads
        self._tails = (material.REGIONAL_TAILS[sound].get(name) or material.TAILS[name]).split()
        self._long_tails = [middle + tail for middle in material.MIDDLES.split() for tail in self._tails]
        self._short_holes, self.shorts = _moved([head.lower() for head in heads], self._tails, real_words)
        self._long_holes, longs = _moved([head.lower() for head in heads], self._long_tails, real_words)
        self.size: int = self.shorts + longs

    def __getitem__(self, number: int) -> str:
        """Word `number` of range(size), capitalised unless it is an epithet."""
        if number < self.shorts:
            tails, number = self._tails, self._short_holes.get(number, number)
        else:
            number -= self.shorts
            tails, number = self._long_tails, self._long_holes.get(number, number)
        head, tail = divmod(number, len(tails))
        return self._heads[head] + tails[tail]


def _moved(heads: Sequence[str], tails: Sequence[str], real_words: Sequence[str]) -> tuple[dict[int, int], int]:
    """By the number of each real word the number of the word in its place; and how many words there are."""
    at, tail_at = ({part: index for index, part in enumerate(parts)} for parts in (heads, tails))
    holes = {
        at[word[:cut]] * len(tails) + tail_at[word[cut:]]
        for word in real_words
        for cut in (2, 3, 4)
        if word[:cut] in at and word[cut:] in tail_at
    }
    numbers = len(heads) * len(tails)
    size = numbers - len(holes)
    spare = (number for number in range(size, numbers) if number not in holes)
    return dict(zip(sorted(hole for hole in holes if hole < size), spare, strict=True)), size


@cache
def word_space(name: WordSet, sound: int) -> WordSpace:
    """The words of a set in a region of sound, without those of `text/en/real_words.txt`."""
    return WordSpace(name, sound, _real_words())


@cache
def _real_words() -> tuple[str, ...]:
    return tuple(_REAL_WORDS.read_text("utf-8").split())


class Part(NamedTuple):
    """A part of the short words of a set: of each SHARE words those at these places."""

    words: WordSet
    places: Sequence[int]

    def size(self, sound: int) -> int:
        """How many words it has."""
        return word_space(self.words, sound).shorts // SHARE * len(self.places)

    def word(self, sound: int, number: int) -> str:
        """Word `number` of range(size)."""
        turn, place = divmod(number, len(self.places))
        return word_space(self.words, sound)[turn * SHARE + self.places[place]]


class _Short(NamedTuple):
    """Short names of a class, a word in a form: `share` of eight entities have one, as long as there are any."""

    share: int
    part: Part
    forms: Sequence[str]


_ALL: Final = tuple(range(SHARE))
_EVEN, _ODD = _ALL[::2], _ALL[1::2]
DIRECTED: Final = tuple(f"{before} {{a}}" for before in material.VILLAGE.split())
# A word that is a name is no part of another one: of villages' words some stand alone, some with another word.
_SHORT: Final[Mapping[EntityClass, Sequence[_Short]]] = {
    "company": (_Short(5, Part("firm", _EVEN), material.COMPANY),),
    "educational_institution": (_Short(8, Part("firm", _EVEN), material.SCHOOL),),
    "building": (_Short(8, Part("firm", _EVEN), material.BUILDING),),
    "mean_of_transportation": (
        _Short(5, Part("firm", _ALL), tuple(f"{{a}} {noun}" for noun in material.VEHICLE.split())),
    ),
    "village": (_Short(4, Part("place", (0, 2, 4)), ("{a}",)), _Short(3, Part("place", (1,)), DIRECTED)),
    "natural_place": (
        _Short(4, Part("wild", _EVEN), ("{a}",)),
        _Short(4, Part("wild", _ODD), tuple(f"{before} {{a}}" for before in material.NATURAL_PLACE.split())),
    ),
}
# The villages of the prose: those of one word, and those that some direction goes before.
PROSE_VILLAGES: Final = (Part("place", (5, 6)), Part("place", (7,)))


class _Pair(NamedTuple):
    """Names of a class for what the short ones leave, and for aliases: two words in a form that hangs on the first."""

    first: Part
    second: Part
    forms: Sequence[str]


_PAIRS: Final[Mapping[EntityClass, _Pair]] = {
    "company": _Pair(Part("firm", _ODD), Part("firm", _ALL), (material.COMPANY_OF_TWO,)),
    "educational_institution": _Pair(Part("firm", _ALL), Part("firm", _ODD), (material.SCHOOL_OF_TWO,)),
    "building": _Pair(Part("firm", _ALL), Part("firm", _ODD), (material.BUILDING_OF_TWO,)),
    "village": _Pair(Part("place", (3,)), Part("coin", _ALL), material.VILLAGE_OF_TWO),
    "natural_place": _Pair(Part("wild", _ODD), Part("wild", _ODD), ("{a} {b}",)),
}
_NUMBERED: Final = tuple(f"{letter}{digit}" for letter in material.VEHICLE_LETTERS for digit in range(2, 10))
_FIELDS: Final = {
    pattern: tuple(name for _, name, _, _ in Formatter().parse(pattern) if name)
    for pattern in (*material.TITLES, material.TITLE_BEYOND)
}
_FILLINGS: Final[dict[str, list[str]]] = {
    name: [each.replace("#", " ") for each in text.split()] for name, text in material.TITLE_WORDS.items()
}


class EnglishNames:
    """The English names of a world, by the number that something has in its region of sound."""

    __slots__ = ("_permute",)

    def __init__(self, permute: Permute) -> None:
        self._permute = permute

    def thing(self, class_: EntityClass, sound: int, number: int, second: int) -> str:
        """The name (`second` 0) or the alias (1) of what is no person."""
        if class_ in _TITLED:
            return self._title(sound, (2 * number + second) * len(_TITLED) + _TITLED.index(class_))
        if class_ in _SPECIES:
            genus, epithet = word_space("genus", sound), word_space("epithet", sound)
            index = (2 * number + second) * len(_SPECIES) + _SPECIES.index(class_)
            a, b = divmod(self._of("species", sound, genus.shorts * epithet.shorts, index), epithet.shorts)
            return f"{genus[a]} {epithet[b]}"
        if not second:
            turn, place = divmod(number, 8)
            for rank, short in enumerate(_SHORT[class_]):
                if 0 <= place < short.share:
                    size = short.part.size(sound) * len(short.forms)
                    if (index := turn * short.share + place) < size:
                        found = self._of(f"{class_} {rank}", sound, size, index)
                        word, form = divmod(found, len(short.forms))
                        return short.forms[form].format(a=short.part.word(sound, word))
                place -= short.share
        return self._long(class_, sound, 2 * number + second)

    def _long(self, class_: EntityClass, sound: int, number: int) -> str:
        if class_ == "mean_of_transportation":
            words = word_space("firm", sound)
            word, form = divmod(self._of(class_, sound, words.shorts * len(_NUMBERED), number), len(_NUMBERED))
            return f"{words[word]} {_NUMBERED[form]}"
        first, second, forms = _PAIRS[class_]
        a, b = divmod(self._of(class_, sound, first.size(sound) * second.size(sound), number), second.size(sound))
        # The form hangs on all digits of a, so that it is not tied to the tail of the word.
        pattern = forms[(a * 0x9E3779B1 >> 20) % len(forms)]
        return pattern.format(a=first.word(sound, a), b=second.word(sound, b))

    def _title(self, sound: int, number: int) -> str:
        # Every pattern once in a block, in an order of the block's own, as long as it has room.
        patterns = len(material.TITLES)
        block, place = divmod(number, patterns)
        rank = self._permute(("en", "patterns", sound), patterns, place, block)
        pattern, words = material.TITLES[rank], word_space("title", sound)
        invented = "w" in _FIELDS[pattern]
        size = _titles(pattern, words)
        # A pattern without an invented word gives every region of sound a part.
        room = size if invented else size // SOUNDS
        if block < room:
            index = block if invented else block * SOUNDS + sound
            found = self._permute(("en", "title", rank, sound if invented else SOUNDS), size, index, 0)
            return _filled(pattern, words, found)
        size = _titles(material.TITLE_BEYOND, words)
        return _filled(material.TITLE_BEYOND, words, self._of("title beyond", sound, size, number))

    def surname(self, sound: int, number: int) -> str:
        """The surname of a family."""
        words = word_space("surname", sound)
        turn, place = divmod(self._tiered("family", words, sound, number, SHARE - 1), SHARE - 1)
        return words[turn * SHARE + place]

    def given(self, sound: int, family: int, member: int, *, female: bool) -> str:
        """The given name of a member of a family: no other member's."""
        name: WordSet = "female" if female else "male"
        words = word_space(name, sound)
        return words[self._permute(("en", name, sound), words.shorts, member, family)]

    def outsider(self, purpose: str, sound: int, number: int, *, female: bool) -> str:
        """Person `number` of a purpose, with a surname that is no family's.

        The first thousand of each gender share neither a surname nor a given name.
        """
        name: WordSet = "female" if female else "male"
        for turn in range(SOUNDS):
            here = (sound + turn) % SOUNDS
            given, words = word_space(name, here), word_space("surname", here)
            surnames = _shares(words.shorts) + _shares(words.size - words.shorts)
            if number < surnames * given.shorts:
                found = self._tiered(f"person {purpose}", words, here, number % surnames, 1)
                # Both walk on with the number; all pairs are met because this step and the given names share no factor.
                step = next(step for step in count(surnames) if gcd(step, given.shorts) == 1) - surnames
                own = (number + number // surnames * step) % given.shorts
                first = self._permute(("en", "person", purpose, name, here), given.shorts, own, 0)
                return f"{given[first]} {words[found * SHARE + SHARE - 1]}"
            number -= surnames * given.shorts
        raise IndexError("there are no more names")

    def region(self, sound: int, number: int) -> str:
        """The name of a region."""
        words = word_space("realm", sound)
        return words[self._tiered("region", words, sound, number, 0)]

    def word(self, purpose: str, sound: int, number: int) -> str:
        """An invented word for anything else, unique within its purpose: those of two parts of all regions first."""
        for long in (False, True):
            for turn in range(SOUNDS):
                here = (sound + turn) % SOUNDS
                words = word_space("coin", here)
                size = words.size - words.shorts if long else words.shorts
                if number < size:
                    found = self._permute(("en", "word", purpose, here, int(long)), size, number, 0)
                    return words[found + (words.shorts if long else 0)]
                number -= size
        raise IndexError("there are no more names")

    def _of(self, kind: str, sound: int, size: int, number: int) -> int:
        return self._permute(("en", kind, sound), size, number, 0)

    def _tiered(self, key: str, words: WordSpace, sound: int, number: int, share: int) -> int:
        """A number of range(words.size) or, of every SHARE words, of `share`: the short words first."""
        shorts, longs = words.shorts, words.size - words.shorts
        if share:
            shorts, longs = _shares(shorts) * share, _shares(longs) * share
        if number < shorts:
            return self._permute(("en", key, "short", sound), shorts, number, 0)
        # The first of the long words counts on from where the shares of the short ones end.
        found = self._permute(("en", key, "long", sound), longs, number - shorts, 0)
        return found + (-(-words.shorts // SHARE) * share if share else shorts)


def _shares(words: int) -> int:
    # One less: the shares of the long words begin with a whole one.
    return words // SHARE - 1


def _titles(pattern: str, words: WordSpace) -> int:
    """How many titles a pattern has with the words of a region of sound."""
    size = 1
    for name in _FIELDS[pattern]:
        size *= words.shorts if name == "w" else len(_FILLINGS[name])
    return size


def _filled(pattern: str, words: WordSpace, number: int) -> str:
    values: dict[str, str] = {}
    for name in _FIELDS[pattern]:
        size = words.shorts if name == "w" else len(_FILLINGS[name])
        number, index = divmod(number, size)
        values[name] = words[index] if name == "w" else _FILLINGS[name][index]
    return pattern.format(**values)
