"""The labelled texts of a source for an item: examples by class, tests by class, and the cost of each text.

A class is a label of the source. Texts with two labels, and tests that are also examples, are left out; texts are
compared without case and punctuation.
"""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.tables import LabelledText, Tables
from carrara.task import Budget

Integers = NDArray[np.int64]
# With fewer classes there is nothing to ask; with more, numbers have four digits.
CLASSES: Final = range(2, 1_000)
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """`texts` are all examples, `lengths` their code points; class c has the examples `of_class[c]` (indices, int64).

    `tests`: those of each class that has any, in the order of the source.
    """

    classes: tuple[str, ...]
    texts: tuple[str, ...]
    lengths: Integers
    of_class: tuple[Integers, ...]
    tests: Mapping[str, tuple[LabelledText, ...]]


@lru_cache(maxsize=1 << 17)
def folded(text: str) -> str:
    """A text without case and punctuation; unchanged if it is only punctuation."""
    return " ".join(_WORD.findall(text.casefold())) or text


def material(tables: Tables, mixed: bool = False) -> Material:
    """The material of a source's tables, read once a process; `mixed`: texts on several matters.

    Raises BudgetError for too few or too many classes.
    """
    return _material(cast(Hashable, tables), mixed)


@lru_cache(maxsize=8)
def _material(tables: Hashable, mixed: bool) -> Material:
    given = cast(Tables, tables)
    examples = _single(list(given.labelled_texts("mixed demonstration" if mixed else "demonstration")))
    shown = {folded(example.text) for example in examples}
    tests: dict[str, list[LabelledText]] = {}
    for labelled in _single(list(given.labelled_texts("mixed test" if mixed else "test"))):
        if folded(labelled.text) not in shown:
            tests.setdefault(labelled.label, []).append(labelled)
    numbers: dict[str, list[int]] = {}
    for number, example in enumerate(examples):
        numbers.setdefault(example.label, []).append(number)
    classes = tuple(sorted(numbers))
    if len(classes) not in CLASSES:
        raise BudgetError(
            f"the source has {len(classes)} labels, expected {CLASSES[0]} to {CLASSES[-1]}", "use another source"
        )
    return Material(
        classes=classes,
        texts=tuple(example.text for example in examples),
        lengths=np.array([len(example.text) for example in examples], dtype=np.int64),
        of_class=tuple(np.array(numbers[label], dtype=np.int64) for label in classes),
        tests={label: tuple(tests[label]) for label in classes if label in tests},
    )


def _single(texts: list[LabelledText]) -> list[LabelledText]:
    """The texts that have only one label, each once."""
    keys = [folded(labelled.text) for labelled in texts]
    labels: dict[str, str] = {}
    double: set[str] = set()
    for key, labelled in zip(keys, texts, strict=True):
        if labels.setdefault(key, labelled.label) != labelled.label:
            double.add(key)
    kept: dict[str, LabelledText] = {}
    for key, labelled in zip(keys, texts, strict=True):
        if key not in double:
            kept.setdefault(key, labelled)
    return list(kept.values())


def drawn(material: Material, tests: Stream, item: int) -> LabelledText:
    """The text that an item asks about: every block of items asks once for each class that still has a text.

    No text is asked twice. Raises BudgetError if the source has no more.
    """
    before = block = 0
    while left := [label for label, texts in material.tests.items() if len(texts) > block]:
        if item < before + len(left):
            label = tests.child("classes", block).shuffled(left)[item - before]
            texts = material.tests[label]
            return texts[int(tests.child("texts", label).order(len(texts))[block])]
        before, block = before + len(left), block + 1
    raise BudgetError(f"item {item} is asked for, the source has {before} texts to ask about", "ask fewer questions")


class PricedTexts:
    """The costs of texts in tokens, each counted once a process."""

    def __init__(self, material: Material, budget: Budget) -> None:
        self._material, self._budget = material, budget
        self._known = np.full(len(material.texts), -1, dtype=np.int64)

    def of(self, numbers: Integers) -> Integers:
        """Tokens of these texts, each with the newline that ends it: the shape of `numbers`, whose -1 cost 0."""
        wanted = np.unique(numbers[numbers >= 0])
        fresh = wanted[self._known[wanted] < 0]
        if len(fresh):
            self._known[fresh] = self._budget.count_many(
                [f"{self._material.texts[number]}\n" for number in fresh.tolist()]
            )
        return np.where(numbers >= 0, self._known[numbers], 0)


def costs_of(material: Material, budget: Budget) -> PricedTexts:
    """The costs of a material's texts by a budget."""
    return _costs(material, cast(Hashable, budget))


@lru_cache(maxsize=4)
def _costs(material: Material, budget: Hashable) -> PricedTexts:
    return PricedTexts(material, cast(Budget, budget))
