"""Confidence intervals, tests, and how small a difference can be told: one method for every mean and difference.

A value is a weighted mean over clusters. All rows of a question (depths, lengths, buckets, rotations, paired variants,
samples) are one cluster, and so are all questions about one document. The score of a cluster lies in [0, 1], that of a
difference in [-1, 1].

The interval is Clopper and Pearson's (1934), carried over to such scores as Gaffke (2005) and Learned-Miller and Thomas
(arXiv:1905.06208) do: for the lower limit one more cluster is taken to have scored the least, for the upper limit the
most, and the limits are quantiles of the mean under random (Dirichlet) weights of all of them. Here that distribution
is the Beta of the same mean and variance. For independent right and wrong answers this is Clopper and Pearson's
interval exactly; where all differences go one way it is a sign test; and it is never of width 0, since the cluster that
is added does not agree with all.

Chosen by simulation (benchmarks/coverage.py): Wilson's interval (1927) covers 84 % at a rate of 0.99 over 17 questions;
Student's t, the bootstrap and Korn and Graubard's effective sample size (1998) fall below 75 % where scores are skewed.

Weights differ where a mean is over tasks. The added cluster weighs as much as the mean cluster, each counted by its
part in the variance: sum(w^3) / sum(w^2). The variance is estimated within strata (a task, the configs that ask a
question, a complexity). Of fewer than twelve clusters no variance could be trusted: such a stratum is pooled with the
others of its task, then with those of other tasks, which can only widen the interval.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist, variance
from typing import Final, NamedTuple, TypeVar

from carrara.scoring.result import QuestionKey, RowScore, mean

# Below this no interval is given: with four questions, all right, it would span 60 points.
FEWEST: Final = 5
# Strata of five that were not pooled made means over two tasks cover 91 %, of ten 92 %.
SMALLEST_STRATUM: Final = 12
POWER: Final = 0.8
_TAIL: Final = 0.025
_NORMAL: Final = NormalDist()
# Beyond this a Beta is a normal distribution but for its skewness, to 1e-8; its continued fraction takes seconds.
_LARGE: Final = 100_000
# A model that is right half the time: the largest variance that a score in [0, 1] can have.
_LARGEST: Final = 0.25
_STEPS: Final = 200
# Below this the square of a value may be 0, and its limit is.
_NOTHING: Final = 1e-12
_DIGITS: Final = 6
KeyT = TypeVar("KeyT")
# Task and material, the configs that ask the question, its complexity.
Stratum = tuple[str, str, int]
# The weighted score and the weight of every cluster.
Clusters = Mapping[QuestionKey, tuple[float, float]]


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
    """A weighted mean with its 95 % interval (or why there is none) and number of clusters (`questions`).

    `p`: of the value being 0, for differences, two-sided. `size`: as how many questions of equal weight they count.
    """

    value: float
    interval: tuple[float, float] | None
    interval_reason: str
    standard_error: float | None
    questions: int
    size: float
    p: float | None = None

    @property
    def apart(self) -> float | None:
        """The smallest difference from another model that is told with 80 % power, if both fail on other questions.

        None where no difference is.
        """
        return None if self.standard_error is None else _told(self.size, self.size * self.standard_error**2)


def strata(rows: Iterable[RowScore]) -> dict[QuestionKey, Stratum]:
    """Return the stratum of every cluster of the rows."""
    configs_of: defaultdict[QuestionKey, set[str]] = defaultdict(set)
    for row in rows:
        configs_of[row.cluster].add(row.config)
    return {cluster: (cluster[0], " ".join(sorted(configs)), cluster[1]) for cluster, configs in configs_of.items()}


def estimates(
    rows: Iterable[RowScore], values: Mapping[KeyT, Sequence[Unit]], differences: Iterable[KeyT] = ()
) -> dict[KeyT, Estimate]:
    """Estimate every value, the weighted mean of its units; `rows` say which clusters and strata there are.

    The units of the values named in `differences` lie in [-1, 1]. Raises ValueError for a value without units, or whose
    weights sum to 0.
    """
    listed, signed = list(rows), set(differences)
    places, cluster_of = strata(listed), {row.question: row.cluster for row in listed}
    return {
        name: estimate(_clusters(name, units, cluster_of), places, name in signed) for name, units in values.items()
    }


def estimate(clusters: Clusters, places: Mapping[QuestionKey, Stratum], is_difference: bool = False) -> Estimate:
    """Estimate a mean of clusters whose weights sum to 1; in [-1, 1] if it is a difference."""
    clusters = {question: pair for question, pair in clusters.items() if pair[1] > 0}
    low = -1.0 if is_difference else 0.0
    value = min(1.0, max(low, math.fsum(top for top, _ in clusters.values())))
    count = len(clusters)
    size = _size([weight for _, weight in clusters.values()])
    if count < FEWEST:
        return Estimate(value, None, f"n = {count}, too few", None, count, size)
    spread = _variance(clusters, places)
    # Everything below is of values in [0, 1].
    unit, shrunk = (value - low) / (1 - low), spread * (1 - 1 / count) / (1 - low) ** 2
    return Estimate(
        value,
        _limits(unit, shrunk, size, low),
        "",
        math.sqrt(spread),
        count,
        size,
        _p_value(unit, shrunk, size) if is_difference else None,
    )


def smallest_difference(questions: float) -> float | None:
    """Return the smallest difference of two models that `compare` tells with 80 % power over so many questions.

    It is the least favourable case: both are right about half the time, and on questions of their own. Models that fail
    on the same questions are told apart sooner. None where no difference is ever told: below six questions.
    """
    return _told(questions, _LARGEST)


@cache
def questions_for(difference: float) -> int:
    """Return over how many questions two models that differ by so much, in (0, 1), are told apart with 80 % power."""
    low, high = FEWEST, FEWEST
    while (told := smallest_difference(high)) is None or told > difference:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        told = smallest_difference(middle)
        low, high = (low, middle) if told is not None and told <= difference else (middle, high)
    return high


def deviation(values: Sequence[float]) -> float:
    """Return the population standard deviation of the values (divided by n, not n - 1)."""
    middle = mean(values)
    return math.sqrt(math.fsum([(value - middle) ** 2 for value in values]) / len(values))


def pass_at(k: int, samples: Sequence[float | None]) -> float:
    """Return how likely one of k samples, drawn from these without replacement, scores 1."""
    wrong = sum(value is None or value < 1 for value in samples)
    return 1 - math.comb(wrong, k) / math.comb(len(samples), k) if samples else 0.0


def variances(rows: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the variance of the samples of a row, and of the rows' expected scores; two samples a row or more."""
    within = mean([variance(samples) for samples in rows])
    between = variance([mean(samples) for samples in rows]) if len(rows) > 1 else 0.0
    return within, max(0.0, between - within / len(rows[0]))


def beta_share(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function: how much of Beta(a, b), both above 0, lies below x in [0, 1]."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if min(a, b) > _LARGE:
        middle, spread, skew = _moments(a, b)
        z = (x - middle) / spread
        return _NORMAL.cdf(z - (z * z - 1) * skew / 6)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    # Its continued fraction by Lentz's method, which takes about sqrt(max(a, b)) steps.
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or tiny)
    whole = d
    for m in range(1, _STEPS + 4 * math.isqrt(int(max(a, b)))):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + factor * d or tiny)
            c = 1 + factor / c or tiny
            whole *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return min(1.0, front * whole / a)


def beta_quantile(share: float, a: float, b: float) -> float:
    """Return below which x so much of Beta(a, b) lies, within 1e-8."""
    middle, spread, skew = _moments(a, b)
    if min(a, b) > _LARGE:
        z = _NORMAL.inv_cdf(share)
        return middle + spread * (z + (z * z - 1) * skew / 6)
    low, high = 0.0, 1.0
    x = min(0.999, max(0.001, middle - 2 * spread))
    for _ in range(_STEPS):
        beyond = beta_share(x, a, b) - share
        low, high = (low, x) if beyond > 0 else (x, high)
        slope = math.exp(
            math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x)
        )
        step = x - beyond / slope if slope > 1e-12 else math.nan
        # Newton's step, or half of the bracket where that leaves it.
        after = step if low < step < high else (low + high) / 2
        if abs(after - x) < 1e-11 or high - low < 1e-11:
            return after
        x = after
    return x


def _moments(a: float, b: float) -> tuple[float, float, float]:
    """The mean, standard deviation and skewness of Beta(a, b)."""
    total = a + b
    spread = math.sqrt(a * b / (total + 1)) / total
    return a / total, spread, 2 * (b - a) * math.sqrt(total + 1) / ((total + 2) * math.sqrt(a * b))


def _clusters(name: object, units: Sequence[Unit], cluster_of: Mapping[QuestionKey, QuestionKey]) -> Clusters:
    """The weighted score and the weight of every cluster, each divided by the total weight."""
    totals: defaultdict[QuestionKey, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for question, score, weight, _ in units:
        tops, weights = totals[cluster_of[question]]
        tops.append(score * weight)
        weights.append(weight)
    whole = math.fsum(weight for _, weights in totals.values() for weight in weights)
    if not whole:
        raise ValueError(f"got nothing to average for {name!r}, expected units of positive weight")
    return {key: (math.fsum(tops) / whole, math.fsum(weights) / whole) for key, (tops, weights) in totals.items()}


def _size(weights: Sequence[float]) -> float:
    """1 / the weight of the mean question, each counted by its part in the variance; n if all weigh alike."""
    return math.fsum(weight**2 for weight in weights) / math.fsum(weight**3 for weight in weights)


def _variance(clusters: Clusters, places: Mapping[QuestionKey, Stratum]) -> float:
    """The variance of the mean, from the spread within strata."""
    total = []
    for questions in _pools(clusters, places):
        pairs = [clusters[question] for question in questions]
        middle = mean(top / weight for top, weight in pairs)
        apart = math.fsum((top - weight * middle) ** 2 for top, weight in pairs)
        total.append(apart * len(pairs) / (len(pairs) - 1))
    return math.fsum(total)


def _pools(clusters: Clusters, places: Mapping[QuestionKey, Stratum]) -> list[list[QuestionKey]]:
    """The questions by stratum; the small strata of a task together, then what is small still."""
    pools: dict[tuple[str, ...], list[QuestionKey]] = {}
    for question in sorted(clusters):
        task, where, complexity = places[question]
        pools.setdefault((task, where, str(complexity)), []).append(question)
    for wider in (lambda key: (key[0].partition(" ")[0],), lambda key: ()):
        small = [key for key, questions in pools.items() if len(questions) < SMALLEST_STRATUM]
        for key in small:
            own = pools.pop(key)
            pools.setdefault(wider(key), []).extend(own)
    rest = pools.get((), [])
    if rest and len(rest) < SMALLEST_STRATUM and len(pools) > 1:
        nearest = min((key for key in pools if key), key=lambda key: (len(pools[key]), key))
        rest += pools.pop(nearest)
    return list(pools.values())


def _posterior(value: float, variance: float, size: float) -> tuple[float, float]:
    """The Beta whose lower quantile is the lower limit of a value above 0: one more question of `size` scored 0."""
    middle = size * value / (size + 1)
    spread = (size**2 * variance + value**2 * size / (size + 1)) / ((size + 1) * (size + 2))
    # Never less certain than after a single answer: unequal weights could say so.
    sure = max(1.0, middle * (1 - middle) / spread - 1)
    return middle * sure, (1 - middle) * sure


def _lower(value: float, variance: float, size: float) -> float:
    return beta_quantile(_TAIL, *_posterior(value, variance, size)) if value > _NOTHING else 0.0


def _limits(value: float, variance: float, size: float, low: float) -> tuple[float, float]:
    """The limits of a value in [0, 1], put back into [low, 1]. Rounded: a logarithm's last bits differ by machine."""
    lower, upper = _lower(value, variance, size), 1 - _lower(1 - value, variance, size)
    return round(low + (1 - low) * lower, _DIGITS), round(low + (1 - low) * upper, _DIGITS)


def _p_value(value: float, variance: float, size: float) -> float:
    """Two-sided, of the middle of [0, 1]: at 0.05 one of the limits is the middle."""
    further = max(value, 1 - value)
    return float(f"{min(1.0, 2 * beta_share(0.5, *_posterior(further, variance, size))):.{_DIGITS}g}")


def _told(size: float, variance: float) -> float | None:
    """The smallest difference told with 80 % power, over `size` questions on which a score has this variance."""

    def is_told(difference: float) -> bool:
        # Of two models that fail on questions of their own; at a difference of 1 there is nothing left to vary.
        spread = 2 * variance * (1 - difference**2) / 4 / size
        # In four of five comparisons the difference comes out above this.
        seen = (1 + difference) / 2 - _NORMAL.inv_cdf(POWER) * math.sqrt(spread)
        return seen > 0.5 and beta_share(0.5, *_posterior(seen, spread, size)) <= _TAIL

    if not is_told(1.0):
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (low, middle) if is_told(middle) else (middle, high)
    return round(high, 4)
