"""Compares a release with its twin (the same recipe, another stream): texts in common, and differences in distribution.

What a model learned from one release must not help with the other: golds, evidence, options and sentences are compared
as texts. Their distributions must be the same: lengths and depths by the two-sample Kolmogorov-Smirnov statistic,
complexities and kinds of question by the two-sample chi-square statistic; p from 2,000 permutations of the items, whose
rows are no samples of their own, drawn by key, so that a report is the same on every machine.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.recipe.recipe import EMBEDDED
from carrara.release.reader import Release, rows
from carrara.row import ArrowRow
from carrara.stream import Stream

PERMUTATIONS: Final = 2_000
ALIKE: Final = 0.001
# Shorter texts are letters, small numbers and one-word names, which two streams share by chance.
SHORTEST_GOLD: Final = 9
SHORTEST_EVIDENCE: Final = 24
SHORTEST_SENTENCE: Final = 40
# Rows of a config whose sentences are compared, and whose values are tested.
ROWS_READ: Final = 200
ROWS_TESTED: Final = 2_000
# The first and last sentences of a prompt may be instructions.
OUTER: Final = 30
# At most one sentence in so many may be the same: what is short and names nobody ("And the rope?").
RARE: Final = 200
_SENTENCE: Final = re.compile(r"[^\n.!?。！？]+[.!?。！？]?")
_COLUMNS: Final = ("id", "item", "tokens", "complexity", "answers", "choices", "depths", "evidence", "facts", "prompt")

Shared = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class ConfigReport:
    """One config: shared texts by kind, the number of texts compared by kind, and p of each distribution test."""

    shared: Shared
    compared: dict[str, int]
    p: dict[str, float]

    @property
    def is_good(self) -> bool:
        """Whether nothing is shared (at most one sentence in 200) and no test tells the two apart."""
        sentences = len(self.shared.get("sentences", ()))
        others = any(texts for kind, texts in self.shared.items() if kind != "sentences")
        few = sentences * RARE <= self.compared.get("sentences", 0)
        return few and not others and all(p > ALIKE for p in self.p.values())


def are_twins(ours: Release, theirs: Release) -> bool:
    """Whether two releases differ in stream, but in their recipes only in name, version, title and publication."""
    apart = ("name", "version", "title", "publication", "stream")
    tables = [release.content.recipe.to_json() for release in (ours, theirs)]
    recipes = [{key: value for key, value in table.items() if key not in apart} for table in tables]
    return recipes[0] == recipes[1] and ours.content.stream != theirs.content.stream


def compare(ours: Release, theirs: Release) -> Iterator[tuple[str, ConfigReport]]:
    """Yield the name and report of every config; memory holds the text digests of one config at a time."""
    for name in ours.configs:
        facts = ours.configs[name]
        # A real haystack is the same in both: only the needles are new.
        invented = not facts.source or facts.source in EMBEDDED
        seen = (_Seen(invented), _Seen(invented))
        for side, release in zip(seen, (ours, theirs), strict=True):
            for row in rows(release, name, _COLUMNS):
                side.add(row)
        yield name, _report(name, *seen)


@dataclass(slots=True)
class _Seen:
    """What is kept of the rows of one config: texts by kind, options with their items, and values to test."""

    invented: bool
    texts: dict[str, dict[bytes, str]] = field(default_factory=dict)
    options: dict[str, set[str]] = field(default_factory=dict)
    sentences: dict[bytes, str] = field(default_factory=dict)
    outer: set[bytes] = field(default_factory=set)
    # By item.
    numbers: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    kinds: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    rows: int = 0

    def add(self, row: ArrowRow) -> None:
        self.rows += 1
        if self.rows <= ROWS_TESTED:
            for key, numbers in (("tokens", [row["tokens"]]), ("depths", row["depths"])):
                if numbers:
                    self.numbers.setdefault(key, {}).setdefault(row["item"], []).extend(numbers)
            said = {"complexity": str(row["complexity"]), **json.loads(row["facts"])}
            for key, value in said.items():
                if isinstance(value, str) and len(value) <= 24:
                    self.kinds.setdefault(key, {}).setdefault(row["item"], []).append(value)
        if not row["choices"]:
            self._keep("golds", (text for text in row["answers"] if len(text) >= SHORTEST_GOLD))
        for option in row["choices"]:
            self.options.setdefault(option, set()).add(row["item"])
        prompt = row["prompt"]
        spans = (prompt[span["start"] : span["end"]] for span in row["evidence"])
        self._keep("evidence", (text for text in spans if len(text) >= SHORTEST_EVIDENCE))
        if self.invented and self.rows <= ROWS_READ:
            sentences = [match[0].strip() for match in _SENTENCE.finditer(prompt)]
            for position, text in enumerate(sentences):
                if len(text) >= SHORTEST_SENTENCE:
                    digest = _digest(text)
                    self.sentences.setdefault(digest, text[:80])
                    if not OUTER <= position < len(sentences) - OUTER:
                        self.outer.add(digest)

    def _keep(self, kind: str, texts: Iterable[str]) -> None:
        kept = self.texts.setdefault(kind, {})
        for text in texts:
            kept.setdefault(_digest(text), text[:80])

    def names(self) -> set[str]:
        """The options, if each belongs to one item only; else none: options from a short list are shared by design."""
        return set(self.options) if all(len(items) == 1 for items in self.options.values()) else set()


def _report(name: str, ours: _Seen, theirs: _Seen) -> ConfigReport:
    shared: Shared = {}
    compared: dict[str, int] = {}
    for kind in sorted(ours.texts):
        if mine := ours.texts[kind]:
            compared[kind] = len(mine)
            shared[kind] = sorted(mine[key] for key in mine.keys() & theirs.texts.get(kind, {}).keys())
    if ours.invented:
        # A sentence at the top or end of both is the task's wording.
        both = ours.sentences.keys() & theirs.sentences.keys() - (ours.outer & theirs.outer)
        compared["sentences"] = len(ours.sentences)
        shared["sentences"] = sorted(ours.sentences[key] for key in both)
    if names := ours.names():
        compared["names"] = len(names)
        shared["names"] = sorted(names & theirs.names())
    p: dict[str, float] = {}
    for key, numbers in sorted(ours.numbers.items()):
        if key in theirs.numbers:
            others = [*theirs.numbers[key].values()]
            p[key] = _numbers_alike([*numbers.values()], others, Stream("twin", name, key))
    for key, kinds in sorted(ours.kinds.items()):
        said, heard = [*kinds.values()], [*theirs.kinds.get(key, {}).values()]
        # A value that differs in almost every row is not a category.
        if heard and 1 < len({*chain(*said, *heard)}) <= max(2, sum(map(len, said)) // 5):
            p[key] = _kinds_alike(said, heard, Stream("twin", name, key))
    return ConfigReport(shared, compared, p)


def _numbers_alike(ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]], stream: Stream) -> float:
    """p of the largest distance between the two empirical distributions, ties counted once; values by item."""
    items = [*ours, *theirs]
    _, rank = np.unique(np.concatenate([np.asarray(values, dtype=np.float64) for values in items]), return_inverse=True)
    counts = _counts(rank, items)

    def statistic(mine: NDArray[np.bool_]) -> float:
        first, second = (counts[side].sum(axis=0).cumsum() for side in (mine, ~mine))
        return float(np.abs(first / first[-1] - second / second[-1]).max())

    return _permuted(statistic, len(ours), len(items), stream)


def _kinds_alike(ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]], stream: Stream) -> float:
    """p of the chi-square statistic of the two samples' counts; values by item."""
    items = [*ours, *theirs]
    _, kind = np.unique(np.array([*chain(*items)]), return_inverse=True)
    counts = _counts(kind, items)
    both = counts.sum(axis=0)

    def statistic(mine: NDArray[np.bool_]) -> float:
        found = counts[mine].sum(axis=0)
        expected = both * (found.sum() / both.sum())
        return float(((found - expected) ** 2 / expected).sum())

    return _permuted(statistic, len(ours), len(items), stream)


def _counts(numbers: NDArray[np.int64], items: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    """How often each item has each number; shape (items, numbers)."""
    owners = np.repeat(np.arange(len(items)), [len(values) for values in items])
    counts = np.zeros((len(items), int(numbers.max()) + 1), dtype=np.int64)
    np.add.at(counts, (owners, numbers), 1)
    return counts


def _permuted(statistic: Callable[[NDArray[np.bool_]], float], size: int, total: int, stream: Stream) -> float:
    first = np.arange(total) < size
    observed = statistic(first)
    as_far = 0
    for number in range(PERMUTATIONS):
        # Rounding may make equal statistics differ.
        as_far += statistic(first[stream.child(number).order(total)]) >= observed - 1e-9
    return (as_far + 1) / (PERMUTATIONS + 1)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
