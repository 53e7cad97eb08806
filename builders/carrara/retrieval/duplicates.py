"""Near-duplicates of a gold passage: what says nearly the same is no negative, whether or not it holds the answer.

Measured on 25,706 real passages (Wikipedia in 100-word windows and in articles, NQ's gold) and on MS MARCO's hits, by
shared shingles of five words: a window of the same article shifted by half, and another copy of the article, share 40
shingles or more and at least half of the shorter text. Texts of one template about two subjects (villages of a
district, brothers in a dynasty) share up to 85 % of a short text but rarely 40 shingles, and they are wanted: they
are the hard negatives. So 347 of 364 pairs found in a quarter of the passages have one title; with 30 shingles 36 of
387 have two, with 0.3 of the text most are templates. A short copy is found by the second rule, 95 % of its shingles
inside the other. No two passages of the invented world share a fifth.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

SHINGLE: Final = 5
# Of the shorter text: the share and the number of shingles that a shifted window has in common, the share of a copy.
SHARED, SHINGLES, COPIED = 0.5, 40, 0.95
# Words are UTF-8: bytes are parted at punctuation four times as fast as a pattern parts letters.
_PARTED: Final = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))
_TYPOGRAPHIC: Final = tuple(mark.encode() for mark in "\u00a0\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2212")
_Shingles = set[tuple[bytes, ...]]
_RUN: Final = bytes([1] * SHINGLE)


def near_duplicates(gold: Sequence[str], texts: Sequence[str]) -> NDArray[np.bool_]:
    """Whether each text says nearly what one of the gold texts says: shape (len(texts),).

    Compares words alone, without case and punctuation; texts of fewer than five words are duplicates if equal.
    """
    wanted = [(words, _shingles(words)) for words in map(_words, gold)]
    known = {word for words, _ in wanted for word in words}
    found = np.zeros(len(texts), np.bool_)
    for place, text in enumerate(texts):
        words = _words(text)
        # Most texts have no five words of the gold's in a row: one pass settles them (a tenth of the time).
        if len(words) < SHINGLE or _RUN in bytes(map(known.__contains__, words)):
            shingles = _shingles(words)
            found[place] = any(_near(words, shingles, *one) for one in wanted)
    return found


def _near(words: list[bytes], shingles: _Shingles, gold_words: list[bytes], gold: _Shingles) -> bool:
    if not shingles or not gold:
        return words == gold_words
    shared, shorter = len(shingles & gold), min(len(shingles), len(gold))
    return shared >= COPIED * shorter or (shared >= SHINGLES and shared >= SHARED * shorter)


def _words(text: str) -> list[bytes]:
    line = text.casefold().encode(errors="surrogatepass")
    if not text.isascii():
        for mark in _TYPOGRAPHIC:
            line = line.replace(mark, b" ")
    return line.translate(_PARTED).split()


def _shingles(words: list[bytes]) -> _Shingles:
    return set(zip(*(words[place:] for place in range(SHINGLE)), strict=False))
