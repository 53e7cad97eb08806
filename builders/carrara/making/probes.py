"""Probes: the scores, row by row, of strategies that do not read the context.

A task gives its cheap strategies (`Task.guesses`) as equally likely responses; here they are scored by the task's
default metric on the item's first row of every bucket; wrong answers in its smallest bucket alone. The manifest holds
their statistics by config, view and complexity, and the card prints them as a baseline.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from carrara.making.sidecar import RowProbes, StrategyScores
from carrara.release.schema import ProbeFacts
from carrara.row import ArrowRow, canonical_json
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.task import Draft, Task
from carrara.tasks import TASKS

BINS: Final = 20
# Of a strategy with more outcomes (any of hundreds of pieces) a sample of this size is scored, drawn by key.
OUTCOMES: Final = 24
# A strategy of fewer outcomes needs no histogram.
WIDE: Final = 5
# Wrong answers are scored on prompts of at most this many tokens.
TRIAL_TOKENS: Final = 32_768
WRONG: Final = ("prompt echo", "gold of another item")


def probe(task: Task[Any, Any], draft: Draft, row: ArrowRow, stream: Stream, known: Mapping[str, float]) -> RowProbes:
    """The scores of every strategy on one row: by name, their mean and a histogram of 20 bins.

    `known`: the scores of wrong answers, the prompt itself and another item's gold; {} where they were not tried.
    """
    metric = METRICS[row["metric"]]
    scored = {name: _scored([known[name]]) for name in WRONG if name in known}
    guesses = task.guesses(draft, stream) if task.guesses else {}
    for name, responses in {**_options(draft), **guesses}.items():
        if len(responses) > OUTCOMES:
            responses = tuple(stream.child("outcomes", name).sample(responses, OUTCOMES))
        if responses:
            scored[name] = _scored([metric(text, row) for text in responses])
    view = task.view(draft) if task.view else ""
    return RowProbes(view=view, complexity=draft.complexity, scores=scored)


def with_chance(row: ArrowRow) -> ArrowRow:
    """A row with the scores of its widest strategy added as `facts.chance`; unchanged if it has none.

    The widest strategy has the most outcomes (any piece of a conversation); rows of over 32k tokens stay unchanged.
    """
    task, facts = TASKS.get(row["task"]), json.loads(row["facts"])
    if task is None or task.guesses is None or row["tokens"] > TRIAL_TOKENS:
        return row
    draft = Draft(
        prompt=row["prompt"],
        answers=tuple(row["answers"]),
        complexity=row["complexity"],
        max_output_tokens=row["max_output_tokens"],
        choices=tuple(row["choices"]),
        evidence=tuple((span["start"], span["end"]) for span in row["evidence"]),
        facts=facts,
    )
    widest = max(task.guesses(draft, Stream("probes", row["item"])).values(), key=len, default=())
    if len(widest) < WIDE:
        return row
    scores = [round(METRICS[row["metric"]](text, row), 6) for text in widest[:OUTCOMES]]
    return {**row, "facts": canonical_json({**facts, "chance": scores})}


def summary(task: Task[Any, Any], probed: Iterable[RowProbes]) -> list[ProbeFacts]:
    """Probes of many items by view, complexity and strategy: items, mean over items, histogram of all outcomes.

    A random model that the paper computes without rows is added with 0 items.
    """
    cells: dict[tuple[str, int, str], tuple[list[float], list[int]]] = {}
    for row_probes in probed:
        for name, score in row_probes.scores.items():
            means, bins = cells.setdefault((row_probes.view, row_probes.complexity, name), ([], [0] * BINS))
            means.append(score.mean)
            for number, count in enumerate(score.histogram):
                bins[number] += count
    table = [
        _cell(view, complexity, name, len(means), sum(means) / len(means), bins)
        for (view, complexity, name), (means, bins) in sorted(cells.items())
    ]
    if task.chance is None:
        return table
    views = sorted({(view, complexity) for view, complexity, _ in cells})
    return table + [
        _cell(view, complexity, name, 0, mean, [0] * BINS)
        for view, complexity in views
        for name, mean in task.chance(view, complexity).items()
    ]


def _cell(view: str, complexity: int, name: str, items: int, mean: float, bins: list[int]) -> ProbeFacts:
    return ProbeFacts(
        view=view, complexity=complexity, probe=name, items=items, mean=round(mean, 6), histogram=tuple(bins)
    )


def _options(draft: Draft) -> dict[str, tuple[str, ...]]:
    """The strategies of a task with options: always the same option, and any option."""
    letters = [chr(ord("A") + number) for number in range(len(draft.choices))]
    if not letters:
        return {}
    answers = [f"Answer: {letter}" for letter in letters]
    return {"any option": tuple(answers)} | {
        f"always {letter}": (answer,) for letter, answer in zip(letters, answers, strict=True)
    }


def _scored(values: Sequence[float]) -> StrategyScores:
    return StrategyScores(mean=round(sum(values) / len(values), 6), histogram=tuple(_histogram(values)))


def _histogram(values: Sequence[float]) -> list[int]:
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, int(value * BINS))] += 1
    return counts
