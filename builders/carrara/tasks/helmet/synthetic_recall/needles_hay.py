"""Keys and values of needles, and the haystacks: a repeated phrase, or other needles.

Keys and values are names of two words, numbers of seven digits, or UUIDs; none equals or contains another. A name is a
numbered pair from two word lists; no adjective ends with another adjective and no noun begins with another noun, so
that no name is part of another. Names and numbers pass through keyed permutations, so that needle j can be computed
alone and no two are equal.
Must not change: the lists, needle j of a stream, the units of the phrase, and line j of a register.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.context import Assembly, fill
from carrara.errors import BudgetError
from carrara.stream import Permutation, Stream
from carrara.task import Budget
from carrara.tasks.helmet.synthetic_recall.filler import CountedUnits, uuids
from carrara.tasks.helmet.synthetic_recall.prompt import KEY, NEEDLE, PHRASE, KeyForm
from carrara.world.names.words import ADJECTIVES, NOUNS

LEAST_NUMBER: Final = 1_000_000
NUMBERS: Final = 9 * LEAST_NUMBER


# The prose contains great-aunts, half-hours, first-years and open windows, which must not look like keys.
_TAKEN: Final = frozenset(("first", "great", "half", "open"))
# Lines have nearly one length: a gap between what four and what five of them cost is passed by taking more.
_FURTHER: Final = 16
# Tokens of the phrase kept ready beyond what is asked, so that the fit has units to choose from.
_MARGIN: Final = 20_000


@cache
def word_lists() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return adjectives of which none ends with another, and nouns of which none begins with another."""
    adjectives = [word for word in ADJECTIVES.split() if word not in _TAKEN]
    nouns = NOUNS.split()
    return (
        tuple(
            word
            for word in adjectives
            if not any(word != adjective and word.endswith(adjective) for adjective in adjectives)
        ),
        tuple(word for word in nouns if not any(word != noun and word.startswith(noun) for noun in nouns)),
    )


def supply(form: KeyForm) -> int:
    """Return the number of keys or values of a form (of UUIDs, as many as a permutation can number)."""
    adjectives, nouns = word_lists()
    return {"words": len(adjectives) * len(nouns), "number": NUMBERS, "uuid": 1 << 62}[form]


def drawn(stream: Stream, form: KeyForm, start: int, count: int) -> list[str]:
    """Return keys or values `start` .. `start + count - 1` of a stream, all different until the supply runs out."""
    if form == "uuid":
        return uuids(stream, start, count)
    size = supply(form)
    return _texts(Permutation(stream, size).take(np.arange(start, start + count, dtype=np.int64) % size), form)


def _texts(numbers: NDArray[np.int64], form: KeyForm) -> list[str]:
    if form == "number":
        return [str(number) for number in (numbers + LEAST_NUMBER).tolist()]
    adjectives, nouns = word_lists()
    return [
        KEY.format(adjective=adjectives[first], noun=nouns[second])
        for first, second in zip(*(part.tolist() for part in np.divmod(numbers, len(nouns))), strict=True)
    ]


class RepeatedPhrase:
    """Units of the repeated phrase: its sentences, each phrase a paragraph; at least `tokens` tokens of it."""

    def __init__(self, tokens: int, budget: Budget) -> None:
        last = len(PHRASE) - 1
        self._units = [
            ("" if number == 0 else " ") + sentence + ("\n\n" if number == last else "")
            for number, sentence in enumerate(PHRASE)
        ]
        each = budget.count_many(self._units).astype(np.int64)
        times = (tokens + _MARGIN) // int(each.sum()) + 1
        self.costs: NDArray[np.int64] = np.tile(each, times)
        self.droppable: NDArray[np.bool_] = np.tile(np.array([0 < n < last for n in range(last + 1)]), times)

    def text(self, start: int, stop: int) -> str:
        """The text of units start .. stop - 1."""
        size = len(self._units)
        first, skipped = divmod(start, size)
        cut = len("".join(self._units[:skipped]))
        whole, more = divmod(stop - first * size, size)
        return ("".join(self._units) * whole + "".join(self._units[:more]))[cut:]


class NamePrices:
    """The cost of lines whose keys are names, summed over words if the first lines show that this adds up.

    1M tokens have 85,000 lines: counting each took longer than everything else together.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._words: tuple[dict[str, int], dict[str, int]] | None = None
        self._adds_up = False

    def __call__(self, lines: list[str]) -> NDArray[np.int64]:
        """The tokens of each line: shape (n,)."""
        if self._words is None:
            counted: NDArray[np.int64] = self._budget.count_many(lines).astype(np.int64)
            self._words = self._priced()
            self._adds_up = bool((self._sums(lines, *self._words) == counted).all())
            return counted
        return self._sums(lines, *self._words) if self._adds_up else self._budget.count_many(lines)

    def _priced(self) -> tuple[dict[str, int], dict[str, int]]:
        """Of an adjective, what a line with it and the first noun costs; of a noun, how much more than the first."""
        adjectives, nouns = word_lists()
        keys = [KEY.format(adjective=adjective, noun=nouns[0]) for adjective in adjectives]
        keys += [KEY.format(adjective=adjectives[0], noun=noun) for noun in nouns]
        lines = [NEEDLE.format(key=key, value=LEAST_NUMBER) + "\n" for key in keys]
        costs = self._budget.count_many(lines).tolist()
        first, second = costs[: len(adjectives)], costs[len(adjectives) :]
        more = [cost - second[0] for cost in second]
        return dict(zip(adjectives, first, strict=True)), dict(zip(nouns, more, strict=True))

    def _sums(self, lines: list[str], adjectives: dict[str, int], nouns: dict[str, int]) -> NDArray[np.int64]:
        begin = NEEDLE.index("{key}")
        names = (line[begin : line.index(" ", begin)].split("-") for line in lines)
        costs = (adjectives[adjective] + nouns[noun] for adjective, noun in names)
        return np.fromiter(costs, dtype=np.int64, count=len(lines))


class Register:
    """Lines with keys other than the row's own, generated and counted on demand; line j depends on the key and j."""

    def __init__(
        self, stream: Stream, keys: KeyForm, values: KeyForm, own: Sequence[tuple[str, str]], budget: Budget
    ) -> None:
        self._stream, self._forms = stream, {"keys": keys, "values": values}
        self._own = {"keys": {key for key, _ in own}, "values": {value for _, value in own}}
        self._filler = CountedUnits(self._make, NamePrices(budget) if keys == "words" else budget.count_many)

    def lay_out(self, head: str, line: str, tail: str, depth: float, fixed: int, aim: int) -> Assembly:
        """The lines that fill `aim` tokens with head, tail and the asked line, which cost `fixed`; it stands at depth.

        Its place among n lines is floor(depth * n).
        """
        if aim < fixed:
            raise BudgetError(
                f"the question and its line take {fixed} tokens; the prompt has {aim}", "use a larger bucket"
            )
        self._filler.reach(aim - fixed)
        filling = fill(self._filler.costs, aim - fixed, further=_FURTHER)
        lines = [self._filler.texts[index] for index in filling.kept]
        position = int(depth * (len(lines) + 1))
        start = len(head) + sum(map(len, lines[:position]))
        lines.insert(position, line)
        depths = (round(position / (len(lines) - 1), 6) if len(lines) > 1 else 0.0,)
        spans = ((start, start + len(line) - 1),)
        prompt = f"{head}{''.join(lines)}{tail}"
        return Assembly(prompt, spans, depths, filling.tokens, aim - fixed - filling.tokens)

    def _make(self, start: int, count: int) -> list[str]:
        keys, values = self._column("keys", start, count), self._column("values", start, count)
        return [NEEDLE.format(key=key, value=value) + "\n" for key, value in zip(keys, values, strict=True)]

    def _column(self, name: str, start: int, count: int) -> list[str]:
        """Keys or values of lines start .. start + count - 1: those of a permutation but for the row's own."""
        form, own = self._forms[name], self._own[name]
        if start + count + len(own) > supply(form):
            raise BudgetError(
                f"{start + count} lines are needed, there are only {supply(form)} {name} of the form {form!r}",
                "use a smaller bucket",
            )
        # As many more as may fall away; those before `start` that did are behind them.
        texts = drawn(self._stream.child(name), form, 0, start + count + len(own))
        return [text for text in texts if text not in own][start : start + count]
