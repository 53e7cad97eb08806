"""How often the printed 95 % interval holds the true value, simulated: questions, clusters, means, differences.

    python -m benchmarks.coverage            # 10,000 draws a cell, some minutes on two cores
    python -m benchmarks.coverage --draws 500

Every draw goes through `carrara.scoring.intervals.estimate`, as a score does. Beside it stand the bootstrap of
questions that Carrara used before (1,000 resamples, the middle 95 %) and Student's t over questions.
"""

import argparse
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.special import betaincinv

from carrara.scoring.intervals import estimate
from carrara.stream import Stream

QUESTIONS: Final = (5, 10, 30, 100)
RATES: Final = (0.5, 0.8, 0.9, 0.95, 0.99)
RESAMPLES: Final = 1_000
# 97.5 % quantiles of Student's t for n - 1 degrees of freedom.
STUDENT: Final = {5: 2.776445, 10: 2.262157, 30: 2.045230, 100: 1.984217}
Scores = Any  # numpy float64 (draws, questions)


class Dice:
    """Uniform numbers that follow from a key."""

    def __init__(self, *key: str | int) -> None:
        self._stream, self._at = Stream("coverage", *key), 0

    def uniform(self, *shape: int) -> Scores:
        """Numbers in (0, 1)."""
        count = math.prod(shape)
        words = self._stream.words(self._at, count)
        self._at += count
        return ((words >> np.uint64(11)).astype(np.float64) + 0.5).reshape(shape) / 2**53

    def beta(self, mean: float, total: float, *shape: int) -> Scores:
        """Numbers of the Beta distribution of this mean and sum of parameters."""
        return betaincinv(mean * total, (1 - mean) * total, self.uniform(*shape))


Draw = Callable[[Dice, float, int, int], Scores]


def single(dice: Dice, rate: float, draws: int, questions: int) -> Scores:
    """One row a question, right or wrong."""
    return (dice.uniform(draws, questions) < rate).astype(np.float64)


def six(correlation: float) -> Draw:
    """Six rows a question (positions), right or wrong, with this correlation between the rows of a question."""

    def draw(dice: Dice, rate: float, draws: int, questions: int) -> Scores:
        own = dice.beta(rate, 1 / correlation - 1, draws, questions, 1)
        return (dice.uniform(draws, questions, 6) < own).mean(2)

    return draw


def partial(total: float) -> Draw:
    """Scores between 0 and 1: Beta, of this sum of parameters."""
    return lambda dice, rate, draws, questions: dice.beta(rate, total, draws, questions)


def failing(dice: Dice, rate: float, draws: int, questions: int) -> Scores:
    """Scores near 1, and 0 where a model fails altogether: what no model of the middle foresees."""
    near = max(0.96, 1 - (1 - rate) / 2)
    return np.where(single(dice, rate / near, draws, questions) > 0, dice.beta(near, 30, draws, questions), 0)


KINDS: Final[dict[str, Draw]] = {
    "right or wrong": single,
    "six rows a question, correlation 0.1": six(0.1),
    "six rows a question, correlation 0.5": six(0.5),
    "six rows a question, correlation 0.9": six(0.9),
    "partial scores, Beta of sum 2": partial(2),
    "partial scores, Beta of sum 20": partial(20),
    "near 1 or failed": failing,
}
# Questions of each task in a mean over tasks.
DESIGNS: Final[dict[str, tuple[int, ...]]] = {
    "29 tasks, 28 of one question": (*[1] * 28, 10),
    "7 tasks of 5": (5,) * 7,
    "7 tasks of 30": (30,) * 7,
    "3 tasks of 2": (2,) * 3,
    "2 tasks, of 5 and 100": (5, 100),
    "2 tasks, of 12 and 100": (12, 100),
}
SPREADS: Final = ("one rate", "rates differ", "half perfect")


class Cell(NamedTuple):
    """A line of the table: what was drawn, of how many questions at which rate, and how many draws."""

    kind: str
    questions: int
    rate: float
    draws: int


class Covered(NamedTuple):
    """How often an interval holds the true value, and its mean width."""

    share: float
    width: float


def of_questions(cell: Cell) -> dict[str, Covered]:
    """The coverage of three intervals of one cell of `KINDS`."""
    dice = Dice("questions", cell.kind, cell.questions, str(cell.rate))
    scores = KINDS[cell.kind](dice, cell.rate, cell.draws, cell.questions)
    weights = np.full(cell.questions, 1 / cell.questions)
    found = {"carrara": _covered(_intervals(scores, weights, [0] * cell.questions), cell.rate)}
    found["bootstrap"] = _covered(_bootstrap(dice, scores), cell.rate)
    half = STUDENT[cell.questions] * scores.std(1, ddof=1) / np.sqrt(cell.questions)
    middle = scores.mean(1)
    return found | {"t": _covered(np.clip(np.stack([middle - half, middle + half], 1), 0, 1), cell.rate)}


def of_tasks(cell: Cell, spread: str) -> Covered:
    """The coverage of a mean over the tasks of one design, every task of its own true rate."""
    sizes = DESIGNS[cell.kind]
    dice = Dice("tasks", cell.kind, str(cell.rate), spread)
    rates = _rates(dice, cell.rate, len(sizes), spread)
    scores = np.concatenate([single(dice, rate, cell.draws, n) for rate, n in zip(rates, sizes, strict=True)], axis=1)
    weights = np.concatenate([np.full(n, 1 / len(sizes) / n) for n in sizes])
    tasks = [task for task, n in enumerate(sizes) for _ in range(n)]
    return _covered(_intervals(scores, weights, tasks), float(np.mean(rates)))


def of_differences(cell: Cell, alike: float) -> Covered:
    """The coverage of the difference of two models, of `cell.rate` and 0.8, right on the same questions or not."""
    dice = Dice("differences", cell.questions, str(cell.rate), str(alike))
    shared, *own = (dice.uniform(cell.draws, cell.questions) for _ in range(3))
    same = dice.uniform(cell.draws, cell.questions) < alike
    first, second = (np.where(same, shared, one) < rate for one, rate in zip(own, (0.8, cell.rate), strict=True))
    weights = np.full(cell.questions, 1 / cell.questions)
    differences = second.astype(np.float64) - first
    return _covered(_intervals(differences, weights, [0] * cell.questions, True), cell.rate - 0.8)


def _intervals(scores: Scores, weights: Scores, tasks: Sequence[int], is_difference: bool = False) -> Scores:
    keys = [(f"task{task}", 0, str(number)) for number, task in enumerate(tasks)]
    places = {key: (key[0], "", 0) for key in keys}
    shares = weights.tolist()

    # In one task of equal weights the order of the questions says nothing, and few outcomes differ.
    @lru_cache(None if len(set(tasks)) == 1 else 0)
    def limits(values: tuple[float, ...]) -> tuple[float, float]:
        pairs = {key: (value * share, share) for key, value, share in zip(keys, values, shares, strict=True)}
        found = estimate(pairs, places, is_difference).interval
        assert found is not None
        return found

    if len(set(tasks)) == 1:
        scores = np.sort(scores, axis=1)
    return np.array([limits(tuple(values)) for values in scores.tolist()])


def _bootstrap(dice: Dice, scores: Scores) -> Scores:
    questions = scores.shape[1]
    chosen = (dice.uniform(RESAMPLES, questions) * questions).astype(np.int64)
    drawn = np.stack([np.bincount(row, minlength=questions) for row in chosen], axis=1) / questions
    parts = [np.sort(part @ drawn, axis=1)[:, [24, -25]] for part in np.array_split(scores, 10)]
    return np.concatenate(parts)


def _covered(limits: Scores, true: float) -> Covered:
    holds = (limits[:, 0] <= true + 1e-6) & (limits[:, 1] >= true - 1e-6)
    return Covered(float(holds.mean()), float((limits[:, 1] - limits[:, 0]).mean()))


def _rates(dice: Dice, rate: float, tasks: int, spread: str) -> list[float]:
    if spread == "one rate":
        return [rate] * tasks
    if spread == "half perfect":
        low = max(1, tasks // 2)
        return [max(0.0, 1 - (1 - rate) * tasks / low)] * low + [1.0] * (tasks - low)
    drawn = dice.beta(rate, 2, tasks)
    return [float(one) for one in np.clip(drawn + rate - drawn.mean(), 0, 1)]


def _tables(pool: ProcessPoolExecutor, draws: int) -> Iterator[str]:
    """The tables as Markdown, as docs/explanations/intervals.md shows them."""
    cells = [Cell(kind, questions, rate, draws) for kind in KINDS for questions in QUESTIONS for rate in RATES]
    found = list(pool.map(of_questions, cells))
    covered = [f"{one['carrara'].share:.3f} ({one['bootstrap'].share:.3f})" for one in found]
    yield from _table(("scores", "n", *RATES), ((cell.kind, cell.questions) for cell in cells), covered)
    yield f"Lowest: {min(one['carrara'].share for one in found):.3f}. In brackets: the bootstrap."
    widths = [f"{one['carrara'].width:.3f} ({one['t'].width:.3f}, {one['t'].share:.3f})" for one in found]
    yield from _table(("mean width", "n", *RATES), ((cell.kind, cell.questions) for cell in cells), widths)
    yield "In brackets: Student's t, its width and how often it holds the true value."
    designs = [
        (Cell(kind, sum(DESIGNS[kind]), rate, draws), spread)
        for kind in DESIGNS
        for spread in SPREADS
        for rate in RATES
    ]
    shares = [one.share for one in pool.map(of_tasks, *zip(*designs, strict=True))]
    names = ((cell.kind, spread) for cell, spread in designs)
    yield from _table(("mean over tasks", "of each", *RATES), names, [f"{share:.3f}" for share in shares])
    yield f"Lowest: {min(shares):.3f}."
    pairs = [
        (Cell("", questions, rate, draws), alike)
        for alike in (0.0, 0.5, 0.9)
        for questions in QUESTIONS
        for rate in RATES
    ]
    shares = [one.share for one in pool.map(of_differences, *zip(*pairs, strict=True))]
    names = ((f"right together: {alike:.0%}", cell.questions) for cell, alike in pairs)
    yield from _table(("difference to a model of 0.8", "n", *RATES), names, [f"{share:.3f}" for share in shares])
    yield f"Lowest: {min(shares):.3f}."


def _table(header: Sequence[object], names: Iterable[tuple[object, object]], values: Sequence[str]) -> Iterator[str]:
    """A line for every name, whose values stand together: one a rate."""
    yield f"\n| {' | '.join(map(str, header))} |"
    yield f"| --- | --- |{' ---: |' * len(RATES)}"
    for place, name in enumerate(list(names)[:: len(RATES)]):
        own = values[place * len(RATES) : (place + 1) * len(RATES)]
        yield f"| {' | '.join(map(str, (*name, *own)))} |"
    yield ""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=10_000, help="draws a cell")
    with ProcessPoolExecutor(2) as pool:
        for line in _tables(pool, parser.parse_args().draws):
            print(line, flush=True)


if __name__ == "__main__":
    main()
