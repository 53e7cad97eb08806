"""Keys and values of needles: names of two words, numbers of seven digits, UUIDs; none is equal to or part of another.

Names are the pairs of two word lists, numbered; no adjective ends with another one and no noun begins with another one,
so that no name is part of another. Names and numbers go through keyed permutations, so that needle j is known without
those before it and no two are equal. Must not change: the lists, and needle j of a stream.
"""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.stream import Permutation, Stream
from carrara.tasks.helmet.recall_needles_templates import KEY, Form
from carrara.tasks.helmet.recall_uuids import uuids
from carrara.world.names_words import ADJECTIVES, NOUNS

LEAST_NUMBER: Final = 1_000_000
NUMBERS: Final = 9 * LEAST_NUMBER


# The prose has great-aunts and great-uncles, which are no keys.
_TAKEN: Final = frozenset(("great",))


@cache
def word_lists() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Adjectives of which none ends with another, and nouns of which none begins with another."""
    adjectives = [word for word in ADJECTIVES.split() if word not in _TAKEN]
    nouns = NOUNS.split()
    return (
        tuple(word for word in adjectives if not any(word != one and word.endswith(one) for one in adjectives)),
        tuple(word for word in nouns if not any(word != one and word.startswith(one) for one in nouns)),
    )


def supply(form: Form) -> int:
    """How many keys or values of a form there are (of UUIDs, as many as a permutation can number)."""
    adjectives, nouns = word_lists()
    return {"words": len(adjectives) * len(nouns), "number": NUMBERS, "uuid": 1 << 62}[form]


def drawn(stream: Stream, form: Form, start: int, count: int) -> list[str]:
    """Keys or values `start` .. `start + count - 1` of a stream, all different; in turn again past the supply."""
    if form == "uuid":
        return uuids(stream, start, count)
    size = supply(form)
    return _texts(Permutation(stream, size).take(np.arange(start, start + count, dtype=np.int64) % size), form)


def _texts(numbers: NDArray[np.int64], form: Form) -> list[str]:
    if form == "number":
        return [str(number) for number in (numbers + LEAST_NUMBER).tolist()]
    adjectives, nouns = word_lists()
    return [
        KEY.format(adjective=adjectives[first], noun=nouns[second])
        for first, second in zip(*(part.tolist() for part in np.divmod(numbers, len(nouns))), strict=True)
    ]
