"""A realm under construction: one column of draws and one column of values for each relation of each class.

Every column has its own stream, so that no values depend on the number of draws for another relation.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from carrara.stream import Stream
from carrara.world.language.terms import entries
from carrara.world.realm.schema import RELATIONS, SIZES, EntityClass, FactValue, Reference

Column = Sequence[FactValue | None]

# The world's present: nothing happens after it.
PRESENT: Final = 2020
# No question of the form "which X of Y?" has more answers than this.
MOST_ANSWERS: Final = 8


class RealmDraft:
    """The columns of a realm so far. `stream` is the realm's own."""

    __slots__ = ("columns", "index", "references", "stream")

    def __init__(self, stream: Stream, index: int) -> None:
        self.stream = stream
        self.index = index
        self.references: dict[EntityClass, list[Reference]] = {
            class_: [Reference(class_, index * size + slot) for slot in range(size)] for class_, size in SIZES.items()
        }
        self.columns: dict[EntityClass, dict[str, Column]] = {class_: {} for class_ in SIZES}

    def words(self, class_: str, relation: str, count: int) -> list[int]:
        """The draws of a column: `count` integers in [0, 2^64)."""
        words: list[int] = self.stream.child(class_, relation).words(0, count).tolist()
        return words

    def order(self, class_: str, relation: str, count: int) -> list[int]:
        """`range(count)` in an order drawn for the column."""
        order: list[int] = self.stream.child(class_, relation).order(count).tolist()
        return order

    def put(self, class_: EntityClass, relation: str, values: Iterable[FactValue | None]) -> None:
        """Set the column of a relation: one value a slot, None where the entity lacks it."""
        self.columns[class_][relation] = list(values)

    def put_references(
        self, class_: EntityClass, relation: str, target: EntityClass, slots: Iterable[int | None]
    ) -> None:
        """Set the column of a relation whose targets are slots of one class."""
        references = self.references[target]
        self.put(class_, relation, (None if slot is None else references[slot] for slot in slots))

    def put_numbers(self, class_: EntityClass, relation: str, low: int, high: int) -> None:
        """Set the column of a relation to numbers of low..high, each equally likely."""
        self.put(class_, relation, (between(word, low, high) for word in self.words(class_, relation, SIZES[class_])))

    def put_octaves(self, class_: EntityClass, relation: str, low: int, high: int, step: int = 1) -> list[int]:
        """Set the column of a relation to multiples of `step`, `low` to `high` times it, small ones more often."""
        drawn = [octave(word, low, high) * step for word in self.words(class_, relation, SIZES[class_])]
        self.columns[class_][relation] = drawn
        return drawn

    def put_terms(self, class_: EntityClass, relation: str) -> list[int]:
        """Set the column of a relation whose terms are drawn evenly from the whole list."""
        count = len(entries(terms_of(class_, relation)))
        drawn = [word % count for word in self.words(class_, relation, SIZES[class_])]
        self.columns[class_][relation] = drawn
        return drawn

    def put_linked(self, class_: EntityClass, relation: str, by: str) -> None:
        """Set a term column from the terms that stand beside the term of the relation `by`."""
        index = {term.en: number for number, term in enumerate(entries(terms_of(class_, relation)))}
        linked = [[index[name] for name in term.links[relation]] for term in entries(terms_of(class_, by))]
        words, chosen = self.words(class_, relation, SIZES[class_]), self.columns[class_][by]
        self.columns[class_][relation] = [
            linked[term][word % len(linked[term])] if isinstance(term, int) else None
            for word, term in zip(words, chosen, strict=True)
        ]

    def put_ranged(self, class_: EntityClass, relations: Iterable[str], by: str) -> None:
        """Set number columns whose ranges stand beside the terms of the relation `by`."""
        terms = entries(terms_of(class_, by))
        chosen = self.columns[class_][by]
        for relation in relations:
            words = self.words(class_, relation, SIZES[class_])
            self.columns[class_][relation] = [
                octave(word, *terms[term].ranges[relation]) if isinstance(term, int) else None
                for word, term in zip(words, chosen, strict=True)
            ]

    def put_villages(
        self, class_: EntityClass, relation: str, most: int = MOST_ANSWERS, settled: Mapping[int, int] | None = None
    ) -> list[int]:
        """Set the column of a relation to villages, some drawn more often; returns their slots.

        `settled`: the village slots of those slots of the class that are not to be drawn.
        """
        settled = settled or {}
        dealer = Dealer(self.words(class_, f"{relation} fame", SIZES["village"]), most, rounds=2)
        for taken in settled.values():
            dealer.left[taken] -= 1
        villages = range(SIZES["village"])
        slots: list[int] = []
        for slot, word in enumerate(self.words(class_, relation, SIZES[class_])):
            home = settled.get(slot)
            village = dealer.deal(villages, word) if home is None else home
            if village is None:
                raise AssertionError(f"{SIZES['village']} villages, {most} times each, are too few for {class_}")
            slots.append(village)
        self.put_references(class_, relation, "village", slots)
        return slots


class Dealer:
    """Deals targets out: the better known ones more often, none more than `most` times.

    `fame` has one number for each target; `rounds` candidates are drawn and the best known one is taken.
    """

    __slots__ = ("fame", "left", "rounds")

    def __init__(self, fame: Sequence[int], most: int, rounds: int = 3) -> None:
        self.fame = fame
        self.left = [most] * len(fame)
        self.rounds = rounds

    def deal(self, candidates: Sequence[int], word: int, fits: Callable[[int], bool] | None = None) -> int | None:
        """One of the candidates that fits and may still be dealt; None if there is none."""
        count = len(candidates)
        if not count:
            return None
        left, fame = self.left, self.fame
        best, start = -1, 0
        for _ in range(self.rounds):
            word, start = divmod(word, count)
            candidate = candidates[start]
            if left[candidate] and (best < 0 or fame[candidate] > fame[best]) and (fits is None or fits(candidate)):
                best = candidate
        if best < 0:
            for step in range(1, count):
                candidate = candidates[(start + step) % count]
                if left[candidate] and (fits is None or fits(candidate)):
                    best = candidate
                    break
            else:
                return None
        left[best] -= 1
        return best


def terms_of(class_: EntityClass, relation: str) -> str:
    """The name of the closed list of a relation."""
    return _TERMS[class_, relation]


def between(word: int, low: int, high: int) -> int:
    """A number in low..high, each equally likely (2^64 words: the bias is below one in 10^14)."""
    return low + word % (high - low + 1)


def octave(word: int, low: int, high: int) -> int:
    """A number in low..high, each doubling equally likely: whole numbers only, so the same on every machine."""
    if low < 1:
        raise ValueError(f"doublings begin at 1, got {low}..{high}")
    word, step = divmod(word, (high // low).bit_length())
    first = low << step
    return first + word % (min(high, 2 * first) - first + 1)


_TERMS: Final = {
    (class_, relation.name): relation.terms
    for class_, relations in RELATIONS.items()
    for relation in relations
    if relation.kind == "term"
}
