"""Compares a release with its twin (the same recipe, another stream): what they share, and whether they are alike.

Nothing that a model could have learned from one may help with the other: golds, evidence, options and sentences are
compared as texts. Their distributions are to be the same: lengths and depths by the two-sample Kolmogorov-Smirnov
statistic, complexities and kinds of question by the chi-square statistic of the two samples; p by 2,000 permutations
that are drawn by key, so that a report is the same everywhere.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.recipe.recipe import EMBEDDED
from carrara.release.reader import Release, rows
from carrara.row import ArrowRow
from carrara.stream import Stream

PERMUTATIONS: Final = 2_000
ALIKE: Final = 0.001
# Shorter texts are letters, small numbers and one-word names that two streams may well have in common.
SHORTEST_GOLD: Final = 9
SHORTEST_EVIDENCE: Final = 24
SHORTEST_SENTENCE: Final = 40
# Rows of a config whose sentences are compared, and whose values are tested.
ROWS_READ: Final = 200
ROWS_TESTED: Final = 2_000
# So many sentences at the top and at the end of a prompt may be instructions.
OUTER: Final = 30
# Sentences of a common name and common words that two streams may have in common: one in so many.
RARE: Final = 10_000
_SENTENCE: Final = re.compile(r"[^\n.!?。！？]+[.!?。！？]?")
_COLUMNS: Final = ("id", "item", "tokens", "complexity", "answers", "choices", "depths", "evidence", "facts", "prompt")

Shared = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class ConfigReport:
    """Of one config: texts that both have, by kind, and p of each distribution test; `compared` counts texts read."""

    shared: Shared
    compared: dict[str, int]
    p: dict[str, float]

    @property
    def is_good(self) -> bool:
        """Nothing shared (of sentences, at most one in 10,000), and no test that tells the two apart."""
        sentences = len(self.shared.get("sentences", ()))
        others = any(texts for kind, texts in self.shared.items() if kind != "sentences")
        few = sentences * RARE <= self.compared.get("sentences", 0)
        return few and not others and all(p > ALIKE for p in self.p.values())


def are_twins(one: Release, other: Release) -> bool:
    """Whether two releases come of one recipe but for its stream, which differs, and what it says of itself."""
    apart = ("name", "version", "title", "publication", "stream")
    tables = [two.content.recipe.to_json() for two in (one, other)]
    recipes = [{key: value for key, value in table.items() if key not in apart} for table in tables]
    return recipes[0] == recipes[1] and one.content.stream != other.content.stream


def compare(one: Release, other: Release) -> Iterator[tuple[str, ConfigReport]]:
    """A report for every config of the two; memory holds the texts' digests of one config at a time."""
    for name in one.configs:
        facts = one.configs[name]
        # Real texts are the same in both: only what is hidden in them is new.
        invented = not facts.source or facts.source in EMBEDDED
        seen = (_Seen(invented), _Seen(invented))
        for side, release in zip(seen, (one, other), strict=True):
            for row in rows(release, name, _COLUMNS):
                side.add(row)
        yield name, _report(name, *seen)


@dataclass(slots=True)
class _Seen:
    """What is kept of the rows of one config: texts by kind with the items that hold them, and values to test."""

    invented: bool
    texts: dict[str, dict[bytes, str]] = field(default_factory=dict)
    options: dict[str, set[str]] = field(default_factory=dict)
    sentences: dict[bytes, str] = field(default_factory=dict)
    outer: set[bytes] = field(default_factory=set)
    numbers: dict[str, list[float]] = field(default_factory=dict)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    rows: int = 0

    def add(self, row: ArrowRow) -> None:
        self.rows += 1
        if self.rows <= ROWS_TESTED:
            self.numbers.setdefault("tokens", []).append(row["tokens"])
            self.numbers.setdefault("depths", []).extend(row["depths"])
            self.kinds.setdefault("complexity", Counter())[str(row["complexity"])] += 1
            for key, value in json.loads(row["facts"]).items():
                if isinstance(value, str) and len(value) <= 24:
                    self.kinds.setdefault(key, Counter())[value] += 1
        if not row["choices"]:
            self._keep("golds", (text for text in row["answers"] if len(text) >= SHORTEST_GOLD))
        for option in row["choices"]:
            self.options.setdefault(option, set()).add(row["item"])
        prompt = row["prompt"]
        spans = (prompt[span["start"] : span["end"]] for span in row["evidence"])
        self._keep("evidence", (text for text in spans if len(text) >= SHORTEST_EVIDENCE))
        if self.invented and self.rows <= ROWS_READ:
            found = [match[0].strip() for match in _SENTENCE.finditer(prompt)]
            for place, text in enumerate(found):
                if len(text) >= SHORTEST_SENTENCE:
                    key = _digest(text)
                    self.sentences.setdefault(key, text[:80])
                    if not OUTER <= place < len(found) - OUTER:
                        self.outer.add(key)

    def _keep(self, kind: str, texts: Iterable[str]) -> None:
        kept = self.texts.setdefault(kind, {})
        for text in texts:
            kept.setdefault(_digest(text), text[:80])

    def names(self) -> set[str]:
        """The options, where they are names: in no two items the same. Values of a short list are options, too."""
        return set(self.options) if all(len(items) == 1 for items in self.options.values()) else set()


def _report(name: str, one: _Seen, other: _Seen) -> ConfigReport:
    shared: Shared = {}
    compared: dict[str, int] = {}
    for kind in sorted(one.texts):
        if mine := one.texts[kind]:
            compared[kind] = len(mine)
            shared[kind] = sorted(mine[key] for key in mine.keys() & other.texts.get(kind, {}).keys())
    if one.invented:
        # What stands at the top or the end of both is wording of the task.
        both = one.sentences.keys() & other.sentences.keys() - (one.outer & other.outer)
        compared["sentences"] = len(one.sentences)
        shared["sentences"] = sorted(one.sentences[key] for key in both)
    if names := one.names():
        compared["names"] = len(names)
        shared["names"] = sorted(names & other.names())
    p: dict[str, float] = {}
    for key, values in sorted(one.numbers.items()):
        if values and other.numbers.get(key):
            p[key] = _numbers_alike(values, other.numbers[key], Stream("twin", name, key))
    for key, counts in sorted(one.kinds.items()):
        theirs = other.kinds.get(key, Counter())
        # A text of its own for every row is no kind.
        if 1 < len(counts | theirs) <= max(2, counts.total() // 5) and theirs:
            p[key] = _kinds_alike(counts, theirs, Stream("twin", name, key))
    return ConfigReport(shared, compared, p)


def _numbers_alike(one: Sequence[float], other: Sequence[float], stream: Stream) -> float:
    """p of the largest distance between the two empirical distributions, ties counted once."""
    values = np.concatenate([np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)])
    _, place = np.unique(values, return_inverse=True)
    size = int(place.max()) + 1

    def statistic(mine: NDArray[np.bool_]) -> float:
        first = np.bincount(place[mine], minlength=size).cumsum() / mine.sum()
        second = np.bincount(place[~mine], minlength=size).cumsum() / (~mine).sum()
        return float(np.abs(first - second).max())

    return _permuted(statistic, len(one), len(values), stream)


def _kinds_alike(one: Mapping[str, int], other: Mapping[str, int], stream: Stream) -> float:
    """p of the chi-square statistic of the two samples' counts."""
    kinds = sorted({*one, *other})
    place = np.repeat(
        np.tile(np.arange(len(kinds)), 2), [counts.get(kind, 0) for counts in (one, other) for kind in kinds]
    )
    size = sum(one.values())
    both = np.bincount(place, minlength=len(kinds))

    def statistic(mine: NDArray[np.bool_]) -> float:
        expected = both * (mine.sum() / len(mine))
        return float(((np.bincount(place[mine], minlength=len(kinds)) - expected) ** 2 / expected).sum())

    return _permuted(statistic, size, len(place), stream)


def _permuted(statistic: Callable[[NDArray[np.bool_]], float], size: int, total: int, stream: Stream) -> float:
    first = np.arange(total) < size
    found = statistic(first)
    as_far = 0
    for number in range(PERMUTATIONS):
        # Rounding may tell equal statistics apart.
        as_far += statistic(first[stream.child(number).order(total)]) >= found - 1e-9
    return (as_far + 1) / (PERMUTATIONS + 1)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
