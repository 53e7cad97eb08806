"""The list of entity_grouping: its wording, its entities, their number and their order.

The entities of a source are drawn without replacement: units 0 to 13 are the first of each class in a keyed permutation
of the whole source; the further units are the other entities in its order. The list is sorted by a key per unit, so a
smaller list is a subsequence of a larger one except for its last units, which are chosen to fill the length. Planner
and solver share only the wording; a change to it changes every row.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from carrara.context import fill
from carrara.errors import BudgetError
from carrara.stream import Permutation, Stream
from carrara.tables import EntityRoll
from carrara.task import Budget, Key

GroupingRequest = Literal["group", "copy"]
# "glossed": a name and its gloss a line; "bare": names joined by a comma and a space.
Layout = Literal["glossed", "bare"]

# The classes of the DBpedia ontology data set, in its order; the lines of the answer have the same order.
LABELS: Final = {
    "company": "Company",
    "educational_institution": "Educational institution",
    "artist": "Artist",
    "athlete": "Athlete",
    "office_holder": "Office holder",
    "mean_of_transportation": "Mean of transportation",
    "building": "Building",
    "natural_place": "Natural place",
    "village": "Village",
    "animal": "Animal",
    "plant": "Plant",
    "album": "Album",
    "film": "Film",
    "written_work": "Written work",
}
_CLASSES: Final = ", ".join(LABELS.values())

_GLOSSED: Final = "Below is a list of names, one a line, each with a short description in brackets."
_BARE: Final = "Below is a list of names, joined by a comma and a space."
_GROUP: Final = f"Every name belongs to exactly one of these 14 classes: {_CLASSES}. Sort the names into the classes."
_BEGIN: Final = "Leave no name out, add none and change none.\n\n[The list begins]\n"
HEADS: Final[dict[tuple[GroupingRequest, Layout], str]] = {
    ("group", "glossed"): f"{_GLOSSED} {_GROUP} {_BEGIN}",
    ("group", "bare"): f"{_BARE} {_GROUP} {_BEGIN}",
    ("copy", "glossed"): f"{_GLOSSED} Write all the names again, in exactly the order in which they stand. {_BEGIN}",
    ("copy", "bare"): f"{_BARE} Write all of them again, in exactly the order in which they stand. {_BEGIN}",
}

_END: Final = "\n[The list ends]\n\nNow "
_LINES: Final = (
    f"sort the names into the 14 classes: {_CLASSES}. Write one line for each class, in this order: the class, a colon "
    "and a space, and then its names, joined by a semicolon and a space."
)
_LINE: Final = "write the names in exactly the order in which they stand, on one line, joined by a comma and a space."
TAILS: Final[dict[tuple[GroupingRequest, Layout], str]] = {
    ("group", "glossed"): (
        f"{_END}{_LINES} Leave the descriptions out, and write nothing else before or after these lines.\n"
    ),
    ("group", "bare"): f"{_END}{_LINES} Write nothing else before or after these lines.\n",
    ("copy", "glossed"): (
        f"{_END}{_LINE} Leave the descriptions out, and write nothing else before or after the names.\n"
    ),
    ("copy", "bare"): f"{_END}{_LINE} Write nothing else before or after the names.\n",
}
ANSWER_PREFIX: Final = "Answer:"


CLASSES: Final = len(LABELS)
# Costs are in twentieths of a token, because the output has room for the answer and a twentieth more.
TWENTIETHS: Final = 20
_MARGIN: Final = 21
_SCAN: Final = 256
_CHUNK: Final = 64
# The reserve beyond the room, in mean unit costs: more than `fill` looks ahead.
_RESERVE: Final = 8


@dataclass(frozen=True, slots=True)
class ListedEntity:
    """One entity of the list."""

    name: str
    gloss: str
    class_: str


class EntitySupply:
    """The units of an item, made on demand."""

    def __init__(self, key: Key, layout: Layout, roll: EntityRoll, budget: Budget) -> None:
        self._roll, self._budget, self._layout = roll, budget, layout
        self._key = key
        self._permutation = Permutation(Stream(*key, "drawn"), roll.size)
        self._firsts = self._first_of_each_class()
        self._known = _costs(cast(Hashable, roll), cast(Hashable, budget), layout)

    def first(self, count: int) -> list[ListedEntity]:
        """The first `count` units in list order. Raises BudgetError if the source has fewer."""
        if count > self._roll.size:
            raise BudgetError(
                f"{count} entities are needed, the source has {self._roll.size}",
                "use a larger source or fewer entities",
            )
        return self._in_order(np.arange(count))

    def filling(self, room: int) -> list[ListedEntity]:
        """As many units as fit `room` twentieths of a token, list and answer together, in list order.

        Raises BudgetError if the first of each class do not fit, or if all entities of the source leave room.
        """
        size, costs = 0, np.empty(0, dtype=np.int64)
        while True:
            spent = int(costs.sum())
            mean = spent // size if size else 1
            if size and (spent > room + _RESERVE * mean or size == self._roll.size):
                break
            more = max(_CHUNK, int((room - spent) / mean * 1.01) + _CHUNK) if size else _CHUNK
            fresh = self._numbers(min(self._roll.size, size + more))[size:]
            costs = np.append(costs, self._costs_of(fresh))
            size += len(fresh)
        if spent < room:
            raise BudgetError(
                f"all {size} entities of the source take {spent // TWENTIETHS} tokens, list and answer together; "
                f"the row has {room // TWENTIETHS}",
                "use a larger source or a smaller bucket",
            )
        left = room - int(costs[:CLASSES].sum())
        if left < 0:
            raise BudgetError(
                f"one entity of each of the {CLASSES} classes takes {(room - left) // TWENTIETHS} tokens, list and "
                f"answer together; the row has {max(0, room) // TWENTIETHS}",
                "use a larger bucket",
            )
        kept = [*range(CLASSES), *(CLASSES + unit for unit in fill(costs[CLASSES:], left).kept)]
        return self._in_order(np.array(kept, dtype=np.int64))

    def _first_of_each_class(self) -> NDArray[np.int64]:
        """The first position of each class in the permutation, ascending: shape (CLASSES,)."""
        firsts: dict[str, int] = {}
        for start in range(0, self._roll.size, _SCAN):
            places = np.arange(start, min(start + _SCAN, self._roll.size), dtype=np.int64)
            for position, number in zip(places.tolist(), self._permutation.take(places).tolist(), strict=True):
                firsts.setdefault(self._roll.class_of(number), position)
            if len(firsts) == CLASSES:
                return np.array(sorted(firsts.values()), dtype=np.int64)
        missing = ", ".join(label for class_, label in LABELS.items() if class_ not in firsts)
        raise BudgetError(f"the source has no entity of the classes {missing}", "use a source that has all 14")

    def _numbers(self, count: int) -> list[int]:
        """The entities of the first `count` units, by number in the source."""
        others = np.arange(count, dtype=np.int64)
        others = others[~np.isin(others, self._firsts)]
        numbers: list[int] = self._permutation.take(np.append(self._firsts, others)[:count]).tolist()
        return numbers

    def _costs_of(self, numbers: list[int]) -> NDArray[np.int64]:
        """The cost of each entity in the list and, with the margin, in the answer, in twentieths of a token."""
        fresh = [number for number in numbers if number not in self._known]
        named = self._roll.named(fresh)
        glossed = self._layout == "glossed"
        shown = [f"{name} ({gloss})\n" if glossed else f" {name}," for name, gloss in named]
        listed = self._budget.count_many(shown).tolist() if fresh else []
        answered = self._budget.count_many([f" {name};" for name, _ in named]).tolist() if fresh else []
        for number, in_list, in_answer in zip(fresh, listed, answered, strict=True):
            self._known[number] = TWENTIETHS * in_list + _MARGIN * in_answer
        return np.array([self._known[number] for number in numbers], dtype=np.int64)

    def _in_order(self, units: NDArray[np.int64]) -> list[ListedEntity]:
        count = int(units.max()) + 1 if len(units) else 0
        keys = Stream(*self._key, "order").words(0, count)[units]
        drawn = self._numbers(count)
        numbers = [drawn[unit] for unit in units[np.argsort(keys, kind="stable")].tolist()]
        return [
            ListedEntity(name, gloss, self._roll.class_of(number))
            for number, (name, gloss) in zip(numbers, self._roll.named(numbers), strict=True)
        ]


@lru_cache(maxsize=8)
def _costs(roll: Hashable, budget: Hashable, layout: Layout) -> dict[int, int]:
    """The cache of the entities' costs for a source and a tokenizer: rows share most of them."""
    return {}
