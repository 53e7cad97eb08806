"""English names: what each number is called in a region of sound.

An invented word is a head and a tail, or a head, a middle and a tail. No head is the beginning of another one, nor is
any tail of a region, with or without a middle; so a word can be taken apart in one way, no word is the beginning of
another one, and none belongs to two sets. A region of sound has heads and tails of its own, so that its people,
villages and firms sound alike.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate, count
from math import gcd, prod
from pathlib import Path
from string import Formatter
from typing import Final, NamedTuple

from carrara.world.names import words as material
from carrara.world.names.words import WordSet
from carrara.world.realm.schema import EntityClass

SOUNDS: Final = len(material.HEADS)
# Of so many surnames the last belongs to no family of the classes.
SHARE: Final = 8
# Second given names: heads that are no word, of all regions.
SECOND_GIVEN: Final[Sequence[str]] = tuple(
    head for heads in material.HEADS for head in heads.split() if head not in frozenset(material.NOT_GIVEN.split())
)
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


class AllWords:
    """The short words of a set in all regions of sound, numbered from 0."""

    __slots__ = ("_ends", "_spaces")

    def __init__(self, name: WordSet) -> None:
        self._spaces = [word_space(name, sound) for sound in range(SOUNDS)]
        self._ends = list(accumulate(space.shorts for space in self._spaces))

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, number: int) -> str:
        sound = bisect_right(self._ends, number)
        return self._spaces[sound][number - (self._ends[sound - 1] if sound else 0)]


@cache
def all_words(name: WordSet) -> AllWords:
    """The short words of a set in all regions of sound."""
    return AllWords(name)


class Pairs(NamedTuple):
    """Names in some forms: {a} is a word of a part, of the region of sound, and {b} a coin word of any region."""

    part: Part
    forms: Sequence[str]

    def size(self, sound: int) -> int:
        """How many names it has."""
        return self.part.size(sound) * len(self.forms) * len(all_words("coin"))

    def name(self, sound: int, number: int) -> str:
        """Name `number` of range(size)."""
        words = all_words("coin")
        number, b = divmod(number, len(words))
        a, form = divmod(number, len(self.forms))
        return self.forms[form].format(a=self.part.word(sound, a), b=words[b])


_ALL: Final = tuple(range(SHARE))
_DIRECTED: Final = tuple(f"{before} {{a}} {{b}}" for before in material.VILLAGE_DIRECTED.split())
_COLOURED: Final = tuple(f"{before} {{a}} {{b}}" for before in material.NATURAL_PLACE_COLOURED.split())
# A name is no part of another one: before some words there is always a direction or a colour, before others never.
_PAIRS: Final[Mapping[EntityClass, Sequence[Pairs]]] = {
    "company": (Pairs(Part("firm", _ALL), material.COMPANY),),
    "educational_institution": (Pairs(Part("firm", _ALL), material.SCHOOL),),
    "building": (Pairs(Part("firm", _ALL), material.BUILDING),),
    "village": (Pairs(Part("place", (0, 2, 3, 4)), material.VILLAGE), Pairs(Part("place", (1,)), _DIRECTED)),
    "natural_place": (Pairs(Part("wild", _ALL[2:]), material.NATURAL_PLACE), Pairs(Part("wild", (0, 1)), _COLOURED)),
}
# The villages of the prose.
PROSE_VILLAGES: Final = (Pairs(Part("place", (5, 6)), material.VILLAGE), Pairs(Part("place", (7,)), _DIRECTED))
_NOUNS: Final = material.VEHICLE.split()
_FIELDS: Final = {
    pattern: tuple(name for _, name, _, _ in Formatter().parse(pattern) if name) for pattern in material.TITLES
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
        index = 2 * number + second
        if class_ in _TITLED:
            return self._title(sound, index * len(_TITLED) + _TITLED.index(class_))
        if class_ in _SPECIES:
            genus, epithet = word_space("genus", sound), all_words("epithet")
            index = index * len(_SPECIES) + _SPECIES.index(class_)
            a, b = divmod(self._of("species", sound, genus.shorts * len(epithet), index), len(epithet))
            return f"{genus[a]} {epithet[b]}"
        if class_ == "mean_of_transportation":
            return self._vehicle(sound, index)
        number = self._of(class_, sound, _size(class_, sound), index)
        for pairs in _PAIRS[class_]:
            if number < (size := pairs.size(sound)):
                return pairs.name(sound, number)
            number -= size
        raise AssertionError("a number beyond the space")

    def _vehicle(self, sound: int, number: int) -> str:
        words, numbers = word_space("firm", sound), material.VEHICLE_NUMBERS
        size = words.shorts * len(_NOUNS) * len(material.VEHICLE_LETTERS) * len(numbers)
        found, digits = divmod(self._of("mean_of_transportation", sound, size, number), len(numbers))
        found, letter = divmod(found, len(material.VEHICLE_LETTERS))
        word, noun = divmod(found, len(_NOUNS))
        return f"{words[word]} {_NOUNS[noun]} {material.VEHICLE_LETTERS[letter]}{numbers[digits]}"

    def _title(self, sound: int, number: int) -> str:
        # Every pattern once in a block, in an order of the block's own.
        patterns = len(material.TITLES)
        block, place = divmod(number, patterns)
        rank = self._permute(("en", "patterns", sound), patterns, place, block)
        pattern, words = material.TITLES[rank], word_space("title", sound)
        return _filled(pattern, words, self._permute(("en", "title", rank, sound), _titles(pattern, words), block, 0))

    def surname(self, sound: int, number: int) -> str:
        """The surname of a family."""
        words = word_space("surname", sound)
        turn, place = divmod(self._tiered("family", words, sound, number, SHARE - 1), SHARE - 1)
        return words[turn * SHARE + place]

    def given(self, sound: int, family: int, member: int, *, female: bool) -> str:
        """The given names of a member of a family: the first one is no other member's."""
        name: WordSet = "female" if female else "male"
        words = word_space(name, sound)
        second = self._permute(("en", "second given", sound), len(SECOND_GIVEN), member, family)
        return f"{words[self._permute(('en', name, sound), words.shorts, member, family)]} {SECOND_GIVEN[second]}"

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
                turn_, place = divmod(number, len(SECOND_GIVEN))
                second = self._permute(("en", "person", purpose, "second", here), len(SECOND_GIVEN), place, turn_)
                return f"{given[first]} {SECOND_GIVEN[second]} {words[found * SHARE + SHARE - 1]}"
            number -= surnames * given.shorts
        raise IndexError("there are no more names")

    def region(self, sound: int, number: int) -> str:
        """The name of a region."""
        words = word_space("realm", sound)
        found = self._of("region", sound, len(SECOND_GIVEN) * words.shorts, number)
        before, word = divmod(found, words.shorts)
        return f"{SECOND_GIVEN[before]} {words[word]}"

    def word(self, purpose: str, sound: int, number: int) -> str:
        """Two invented words for anything else, unique within its purpose: the first thousands share no first word."""
        firsts, seconds = word_space("coin", sound), all_words("coin")
        turn, place = divmod(number, firsts.shorts)
        first = self._permute(("en", "word", purpose), firsts.shorts, place, 0)
        second = self._permute(("en", "second word", purpose), len(seconds), turn, first)
        return f"{firsts[first]} {seconds[second]}"

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


@cache
def _size(class_: EntityClass, sound: int) -> int:
    return sum(pairs.size(sound) for pairs in _PAIRS[class_])


def _shares(words: int) -> int:
    # One less: the shares of the long words begin with a whole one.
    return words // SHARE - 1


def _fillings(name: str, words: WordSpace) -> int:
    """How many words a slot of a title has: {w} one of the region of sound, {v} one of any."""
    if name == "w":
        return words.shorts
    return len(all_words("title")) if name == "v" else len(_FILLINGS[name])


def _titles(pattern: str, words: WordSpace) -> int:
    """How many titles a pattern has in a region of sound with these words."""
    return prod(_fillings(name, words) for name in _FIELDS[pattern])


def _filled(pattern: str, words: WordSpace, number: int) -> str:
    values: dict[str, str] = {}
    for name in _FIELDS[pattern]:
        number, index = divmod(number, _fillings(name, words))
        values[name] = (
            words[index] if name == "w" else all_words("title")[index] if name == "v" else _FILLINGS[name][index]
        )
    return pattern.format(**values)
