"""Bootstrap over questions: confidence intervals, standard errors, the noise floor.

The bootstrap estimates what a model would score on other questions of the same kind. Questions are drawn with
replacement, and all rows of a question (depths, lengths, buckets, rotations, paired variants) are drawn together. Draws
come from SHAKE-128 of a name, so that every number is the same on every machine and two results over the same rows
share their draws: their difference, resample by resample, is the paired bootstrap.

The noise floor of a value is how much the scores of two equally good models differ by chance if each fails on questions
of its own: 95 of 100 differences are smaller than 1.96 x sqrt(2) x the standard error. Where all questions have the
same outcome (ten of ten right) the standard error would be 0, which is too good to be true; it is taken as if one
question in n + 2 had gone the other way. A difference above the floor is unlikely to be chance. A smaller one may still
be real, since models tend to fail on the same questions: `compare` tests that.
"""

import hashlib
import math
import struct
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from carrara.scoring.result import QuestionKey, RowScore, mean

RESAMPLES: Final = 1_000
CUT: Final = 24  # resampled values left out at each end: 2.5 % of 1,000
SINGLE: Final = "a single group: nothing to resample"
KeyT = TypeVar("KeyT")
_NOTHING: Final = (0.0, 0.0)
_ALIKE: Final = 1e-9
# Resampled sums are of whole numbers, which add up to the same in any order: 2^-40, of weights that are 1 in all.
_ONE: Final = 1 << 40
_TWO_SYSTEMS: Final = 1.96 * math.sqrt(2)


class Unit(NamedTuple):
    """One term of a weighted mean: the score of a row, or of rows that count as one, its weight and its config.

    The score is NaN for a config that was not run.
    """

    question: QuestionKey
    score: float
    weight: float
    config: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A weighted mean with its 95 % interval (or why there is none), noise floor and number of questions.

    `samples[i]` is the value under resample i, NaN if it drew none of the questions; empty without an interval.
    """

    value: float
    interval: tuple[float, float] | None
    interval_reason: str
    standard_error: float | None
    noise: float
    questions: int
    samples: "array[float]" = field(repr=False, compare=False, default_factory=lambda: array("d"))


def draws(name: str, size: int) -> Iterator[list[int]]:
    """Yield 1,000 resamples of `size` things as lists of indices: resample i from SHAKE-128 of (name, i).

    An index is (word x size) >> 32 of a 32-bit little-endian word: integers only, within n / 2^32 of uniform.
    """
    unpack = struct.Struct(f"<{size}I").unpack
    for words in _words(name, size):
        yield [word * size >> 32 for word in unpack(words)]


def resampled_means(name: str, values: Sequence[float]) -> list[float]:
    """Return the means of 1,000 resamples of `values`."""
    size = len(values)
    return [math.fsum([values[index] for index in drawn]) / size for drawn in draws(name, size)]


def interval(samples: Sequence[float]) -> tuple[float, float]:
    """Return the middle 95 % of resampled values."""
    ordered = sorted(samples)
    cut = CUT * len(ordered) // RESAMPLES
    return ordered[cut], ordered[-1 - cut]


def deviation(values: Sequence[float]) -> float:
    """Return the population standard deviation of the values (divided by n, not n - 1)."""
    middle = mean(values)
    return math.sqrt(math.fsum([(value - middle) ** 2 for value in values]) / len(values))


def noise_floor(standard_error: float, questions: int) -> float:
    """Return how much two equally good models differ by chance, at most 1, from the standard error of one value."""
    if questions > 1 and standard_error > _ALIKE:
        # Resampling few questions understates the spread by a factor of sqrt((n - 1) / n).
        return min(1.0, _TWO_SYSTEMS * standard_error * math.sqrt(questions / (questions - 1)))
    once = 1 / (questions + 2)
    return min(1.0, _TWO_SYSTEMS * math.sqrt(once * (1 - once) / questions))


def strata(rows: Iterable[RowScore]) -> dict[str, list[QuestionKey]]:
    """Return the questions of `rows` by stratum, sorted. Strata are resampled separately, which keeps the design.

    A stratum is a task at one complexity, over the same variants and buckets. Complexities with a single question share
    one stratum, since a question alone would never vary.
    """
    configs_of: defaultdict[QuestionKey, set[str]] = defaultdict(set)
    for row in rows:
        configs_of[row.question].add(row.config)
    whole: defaultdict[tuple[str, str, str], list[QuestionKey]] = defaultdict(list)
    for question, configs in configs_of.items():
        whole[question[0], " ".join(sorted(configs)), str(question[1])].append(question)
    kept: defaultdict[str, list[QuestionKey]] = defaultdict(list)
    for (task, where, complexity), questions in whole.items():
        kept[f"{task}:{where}:{complexity if len(questions) > 1 else 'single'}"] += questions
    return {name: sorted(kept[name]) for name in sorted(kept)}


def estimates(rows: Iterable[RowScore], values: Mapping[KeyT, Sequence[Unit]]) -> dict[KeyT, Estimate]:
    """Estimate every value, the weighted mean of its units; all share the same draws of the questions of `rows`.

    Raises ValueError for a value without units, or whose weights sum to 0.
    """
    # Imported here: a score needs no numpy, and an evaluation harness may not have it.
    import numpy as np

    parts = {name: _by_question(name, units) for name, units in values.items()}
    sums = {name: np.zeros((2, RESAMPLES), np.int64) for name in values}
    varied: set[KeyT] = set()
    holders: defaultdict[QuestionKey, list[KeyT]] = defaultdict(list)
    for name, part in parts.items():
        for question in part:
            holders[question].append(name)
    for stratum, questions in strata(rows).items():
        names = list(dict.fromkeys(name for question in questions for name in holders[question]))
        if not names:
            continue
        # Shape (questions, 2 x values): tops, then weights.
        held = [[parts[name].get(question, _NOTHING) for name in names] for question in questions]
        whole = np.array(
            [[round(pair[column] * _ONE) for column in (0, 1) for pair in line] for line in held], np.int64
        )
        drawn = (_counts(stratum, len(questions)) @ whole).T.reshape(2, len(names), RESAMPLES)
        for index, name in enumerate(names):
            sums[name] += drawn[:, index]
        if len(questions) > 1:
            varied.update(names)
    return {name: _estimate(parts[name], sums[name], name in varied) for name in values}


def _words(name: str, size: int) -> Iterator[bytes]:
    for resample in range(RESAMPLES):
        key = f"carrara.bootstrap/{resample}/{name}".encode("utf-8", "surrogatepass")
        yield hashlib.shake_128(key).digest(4 * size)


def _counts(name: str, size: int) -> Any:
    """How often each of `size` things occurs in each resample of `draws`: shape (1,000, size), int64."""
    import numpy as np

    counts = np.zeros((RESAMPLES, size), np.int64)
    for resample, words in enumerate(_words(name, size)):
        drawn = np.frombuffer(words, "<u4").astype(np.uint64) * np.uint64(size) >> np.uint64(32)
        counts[resample] = np.bincount(drawn.astype(np.int64), minlength=size)
    return counts


def _by_question(name: object, units: Sequence[Unit]) -> dict[QuestionKey, tuple[float, float]]:
    """The weighted score and the weight of every question, each divided by the total weight."""
    totals: defaultdict[QuestionKey, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for question, score, weight, _ in units:
        tops, weights = totals[question]
        tops.append(score * weight)
        weights.append(weight)
    whole = math.fsum(weight for _, weights in totals.values() for weight in weights)
    if not whole:
        raise ValueError(f"got nothing to average for {name!r}, expected units of positive weight")
    return {key: (math.fsum(tops) / whole, math.fsum(weights) / whole) for key, (tops, weights) in totals.items()}


def _estimate(parts: Mapping[QuestionKey, tuple[float, float]], sums: Any, is_varied: bool) -> Estimate:
    value = math.fsum(top for top, _ in parts.values()) / math.fsum(weight for _, weight in parts.values())
    if not is_varied:
        return Estimate(value, None, SINGLE, None, noise_floor(0.0, len(parts)), len(parts))
    samples = array("d", [top / weight if weight else math.nan for top, weight in sums.T.tolist()])
    drawn = [sample for sample in samples if not math.isnan(sample)]
    # With few questions in many strata, most draws hold none of them.
    if 2 * len(drawn) < RESAMPLES:
        return Estimate(value, None, "too few questions to resample", None, noise_floor(0.0, len(parts)), len(parts))
    error = deviation(drawn)
    return Estimate(value, interval(drawn), "", error, noise_floor(error, len(parts)), len(parts), samples)
