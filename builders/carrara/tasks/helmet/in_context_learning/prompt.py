"""A prompt of many-shot in-context learning: its wording, and rounds of examples that fill it to the token.

A round has one example of every class, in a keyed order. Example r of a class is a function of the item's key, the
class and r: each class's examples have a keyed order, and a class whose examples are used up starts again in a new
order, if repetition is allowed. The last round is cut: a subset-sum chooses its examples, so that all examples cost
exactly the room and no class has two more than another. If no subset does (few classes), the examples of the last
rounds are chosen among the next ones of their class. So a smaller row is a prefix of a larger one except for its last
rounds.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.tasks.helmet.in_context_learning.material import Integers, Material, PricedTexts

_WAYS: Final = 8
# Tried in turn: how many whole rounds are chosen besides the cut one, among how many examples of a class, and whether
# also among its next cycle: if few labels are just used up, nothing else is left to choose from.
_STAGES: Final = (
    *((0, 1, False), (0, _WAYS, False), (1, _WAYS, False), (2, _WAYS, False)),
    *((1, _WAYS, True), (2, _WAYS, True)),
)
_BEYOND: Final = 3 * _WAYS
_FIRST: Final = 32
INSTRUCTION: Final = (
    "Every text below has a label under it: a whole number from 0 to {last}. Each number stands for one kind of text. "
    "What the kinds are is not told; it can be seen from the examples. The last text has no label yet.\n\n"
)
LABEL: Final = "label: {number}\n\n"
# Before the text and not behind it, so that a model that continues the prompt sees it as it sees the examples.
ASKED: Final = (
    "Decide of which kind the next text is, and reply with one line of the form “label: NUMBER”, where NUMBER is the "
    "number of that kind.\n\n"
)
ANSWER_PREFIX: Final = "label:"


@dataclass(frozen=True, slots=True)
class LaidExamples:
    """The examples of a row in order: the class of each and its text, shape (n,); `rounds`: the number of whole rounds.

    `short`: the tokens of room that they leave.
    """

    classes: Integers
    texts: Integers
    rounds: int
    short: int


@dataclass(frozen=True, slots=True)
class _ExamplePlace:
    """A place of the last rounds: a class, and (cost, text) of the examples that may stand there."""

    class_: int
    choices: tuple[tuple[int, int], ...]
    optional: bool


class Rounds:
    """The examples of an item. `label_costs`: tokens of each class's label line, shape (classes,)."""

    def __init__(
        self, material: Material, costs: PricedTexts, label_costs: Integers, key: Stream, repeat: bool
    ) -> None:
        self._material, self._costs, self._labels = material, costs, label_costs
        self._key, self._repeat = key, repeat
        self._sizes = np.array([len(numbers) for numbers in material.of_class], dtype=np.int64)
        self._orders: list[Integers] = []

    def laid(self, room: int) -> LaidExamples:
        """The examples that cost `room` tokens together, else a few less.

        Raises BudgetError if not even one of each class fits, or if the source is used up.
        """
        texts = self._reaching(room)
        costs = np.where(texts >= 0, self._costs.of(texts) + self._labels, 0)
        whole = len(texts) if self._repeat else min(len(texts), int(self._sizes.min()))
        totals = np.cumsum(costs[:whole].sum(axis=1))
        rounds = int(np.searchsorted(totals, room, side="right"))
        if not rounds:
            raise BudgetError(
                f"one example of each of the {len(self._sizes)} labels takes {int(totals[0])} tokens; {room} are left",
                "use a larger bucket",
            )
        best: tuple[int, int, list[tuple[int, int]]] | None = None
        for back, ways, further in _STAGES:
            base = rounds - back
            if base < 0:
                continue
            left = room - (int(totals[base - 1]) if base else 0)
            window = (base, back, ways, further)
            places = [place for number in range(back + 1) for place in self._places(texts, number, *window)]
            choice = _chosen(places, left)
            if choice is not None and (best is None or choice[0] < best[0]):
                best = (choice[0], base, choice[1])
            if best is not None and best[0] == 0:
                break
        assert best is not None  # The first stage may leave every place empty.
        short, base, tail = best
        if short and not self._repeat and rounds == int(self._sizes.min()):
            self._used_up(int(totals[-1]), room)
        return self._joined(texts, base, tail, rounds, short)

    def _used_up(self, held: int, room: int) -> None:
        scarcest = int(self._sizes.argmin())
        raise BudgetError(
            f"the source holds {held} tokens of examples with every label equally often (label "
            f"{self._material.classes[scarcest]!r} has {int(self._sizes[scarcest])}); {room} are needed",
            "allow repetition (repeat = true), or use a smaller bucket or a larger source",
        )

    def _reaching(self, room: int) -> Integers:
        """The texts of enough rounds to cost more than `room`, and of some more: shape (rounds, classes).

        -1 if a class has no more. All texts, if repetition is not allowed and they cost less.
        """
        most = int(self._sizes.max())
        count = _FIRST
        while True:
            count = count if self._repeat else min(count, most)
            texts = self._texts(count)
            inner = texts[: max(1, count - _BEYOND)]
            cost = int((self._costs.of(inner) + self._labels).sum())
            if cost > room or (not self._repeat and count == most):
                return texts
            count = int(len(inner) * room / cost * 1.02) + _BEYOND + 2

    def _texts(self, count: int) -> Integers:
        table = np.full((count, len(self._sizes)), -1, dtype=np.int64)
        for class_, numbers in enumerate(self._material.of_class):
            own, size = self._key.child("examples", self._material.classes[class_]), len(numbers)
            cycles = -(-count // size) if self._repeat else 1
            orders = [numbers[own.child(cycle).order(size)] for cycle in range(cycles)]
            column = np.concatenate(orders)[:count]
            table[: len(column), class_] = column
        return table

    def _order(self, number: int) -> Integers:
        """The order of the classes in a round."""
        while len(self._orders) <= number:
            self._orders.append(self._key.child("round", len(self._orders)).order(len(self._sizes)))
        return self._orders[number]

    def _places(
        self, texts: Integers, number: int, base: int, back: int, ways: int, further: bool
    ) -> list[_ExamplePlace]:
        """The places of round `base + number`, of which round `base + back` is cut.

        No two rounds choose among the same examples, and only `further` ones among those of the next cycle.
        """
        places, first = [], base + number
        for class_ in self._order(first).tolist():
            size = int(self._sizes[class_])
            at = [first + (back + 1) * way for way in range(ways)]
            at = [index for index in at if index < len(texts) and (further or index // size == first // size)]
            held = [text for text in texts[at, class_].tolist() if text >= 0]
            costs = (self._costs.of(np.array(held, dtype=np.int64)) + self._labels[class_]).tolist() if held else []
            places.append(_ExamplePlace(class_, tuple(zip(costs, held, strict=True)), number == back))
        return places

    def _joined(self, texts: Integers, base: int, tail: list[tuple[int, int]], rounds: int, short: int) -> LaidExamples:
        orders = [self._order(number) for number in range(base)]
        classes = np.concatenate([*orders, np.array([class_ for class_, _ in tail], dtype=np.int64)])
        body = [texts[number, order] for number, order in enumerate(orders)]
        chosen = np.concatenate([*body, np.array([text for _, text in tail], dtype=np.int64)])
        whole = len(classes) // len(self._sizes)
        return LaidExamples(classes, chosen, whole, short)


def _chosen(places: list[_ExamplePlace], room: int) -> tuple[int, list[tuple[int, int]]] | None:
    """(tokens left over, (class, text) of every place taken), with the fewest tokens left over.

    None if the places that must be taken cost more. Reachable sums are the bits of an integer; among the ways to reach
    a sum, the one that leaves the last places empty and takes the next examples is chosen.
    """
    mask = (1 << room + 1) - 1
    layers = [1]
    for place in places:
        reached = layers[-1] if place.optional else 0
        for cost in {cost for cost, _ in place.choices}:
            reached |= layers[-1] << cost
        layers.append(reached & mask)
    if not layers[-1]:
        return None
    target = layers[-1].bit_length() - 1
    short, taken = room - target, []
    for number in range(len(places) - 1, -1, -1):
        place, before = places[number], layers[number]
        if place.optional and before >> target & 1:
            continue
        cost, text = next(
            choice for choice in place.choices if choice[0] <= target and before >> target - choice[0] & 1
        )
        taken.append((place.class_, text))
        target -= cost
    return short, taken[::-1]
