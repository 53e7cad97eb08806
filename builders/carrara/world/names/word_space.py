"""All invented words of a set as a numbered space: a bijection of `range(size)` to words, with holes for real words.

A word is onset, vowels, consonants, vowels, ... , ending. It has a short shape (two vowels before the ending) or a long
one (three), and its onset alone decides which. Endings begin with a vowel, the parts before it alternate between vowels
and consonants, so a word can be taken apart in one way: its runs of letters are its parts, and what is left is the
ending. Hence no word of any set is the beginning of another word of any set: both would have the same onset, so the
same shape, so the same parts, and one ending would be the beginning of the other, which `words.ENDINGS` rules
out.
"""

from functools import cache
from itertools import product
from pathlib import Path
from typing import Final

from carrara.world.names import words as material
from carrara.world.names.words import WordSet

# At most so many letters before and after the cut in the middle of a word, in the short and in the long shape.
_SHORT_LETTERS: Final = (5, 6)
_LONG_LETTERS: Final = (4, 7)
# Latin endings are longer by a letter.
_LATIN: Final[tuple[WordSet, ...]] = ("genus", "epithet")
_REAL_WORDS: Final = Path(__file__).parents[1] / "text" / "en" / "real_words.txt"


class WordSpace:
    """The words of one set, numbered from 0; the same in all worlds. Use `word_space`: building takes milliseconds."""

    __slots__ = ("_heads", "_long_heads", "_long_tails", "_moved", "_shorts", "_tails", "size")

    def __init__(self, name: WordSet, real_words: frozenset[str]) -> None:
        more = 1 if name in _LATIN else 0
        endings = material.ENDINGS[name].split()
        onsets, long_onsets = material.ONSETS.split(), ["", *material.LONG_ONSETS.split()]
        vowels, short_vowels, long_vowels = _parts(material.VOWELS, material.SHORT_VOWELS, material.LONG_VOWELS)
        inner, last, long_inner, long_last = _parts(
            material.INNER, material.LAST, material.LONG_INNER, material.LONG_LAST
        )
        self._heads = _joined(_SHORT_LETTERS[0], onsets, vowels, inner)
        self._tails = _joined(_SHORT_LETTERS[1] + more, short_vowels, last, endings)
        self._long_heads = _joined(_LONG_LETTERS[0], long_onsets, short_vowels, long_inner, long_vowels)
        self._long_tails = _joined(_LONG_LETTERS[1] + more, long_last, long_vowels, long_inner, endings)
        self._shorts = len(self._heads) * len(self._tails)
        numbers = self._shorts + len(self._long_heads) * len(self._long_tails)
        holes = {number for word in real_words if (number := self._parsed(word)) is not None}
        self.size: int = numbers - len(holes)
        # The holes below `size` are as many as the words from `size` on: each takes one of them.
        spare = [number for number in range(self.size, numbers) if number not in holes]
        self._moved = dict(zip(sorted(hole for hole in holes if hole < self.size), spare, strict=True))
        if name != "epithet":
            self._heads = [head.capitalize() for head in self._heads]
            self._long_heads = [head.capitalize() for head in self._long_heads]

    def __getitem__(self, number: int) -> str:
        """Word `number` of range(size), capitalised unless it is an epithet."""
        number = self._moved.get(number, number)
        if number < self._shorts:
            head, tail = divmod(number, len(self._tails))
            return self._heads[head] + self._tails[tail]
        head, tail = divmod(number - self._shorts, len(self._long_tails))
        return self._long_heads[head] + self._long_tails[tail]

    def _parsed(self, word: str) -> int | None:
        """The number of a small-letter word before holes are cut, None if the set does not hold it."""
        for cut in range(1, len(word)):
            head, tail = word[:cut], word[cut:]
            if head in self._heads and tail in self._tails:
                return self._heads.index(head) * len(self._tails) + self._tails.index(tail)
            if head in self._long_heads and tail in self._long_tails:
                long = self._long_heads.index(head) * len(self._long_tails) + self._long_tails.index(tail)
                return self._shorts + long
        return None


@cache
def word_space(name: WordSet) -> WordSpace:
    """The words of a set, without those of `text/en/real_words.txt`."""
    return WordSpace(name, frozenset(_REAL_WORDS.read_text("utf-8").split()))


def _parts(*listed: str) -> list[list[str]]:
    return [each.split() for each in listed]


def _joined(letters: int, *parts: list[str]) -> list[str]:
    """All concatenations of one of each part that have at most so many letters, in order."""
    return [joined for chosen in product(*parts) if len(joined := "".join(chosen)) <= letters]
