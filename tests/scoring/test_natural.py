"""Fairness, as data: however a model says a right answer it scores 1, and however it says a wrong one less than half.

The ways of saying it stand in `natural/<task>_<language>.toml`, written by hand after what chat models, reasoning
models, base models and lazy models answer; `tests/support/natural.py` says what their placeholders stand for.
"""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from _pytest.mark import ParameterSet
from natural import FOLDER, WHO, file_of, language, said_in, ways
from variants import ITEMS, is_embedded, maker, row_of

from carrara.errors import ProofError
from carrara.making.row_maker import RowMaker
from carrara.scoring.scores import METRICS, heard
from carrara.tasks import TASKS

FEWEST = {"right": 40, "wrong": 25}
# Rows whose answers are put in every way; those beside them give the wrong ones.
ROWS = 3


def every_variant() -> Iterator[ParameterSet]:
    """`repeat`: a variant that has the task, the metric and the language of one before it."""
    taken: set[tuple[str, str, str]] = set()
    for task in sorted(TASKS):
        for variant in sorted(TASKS[task].variants, key=lambda variant: not is_embedded(task, variant)):
            if not (FOLDER / f"{task}_{language(variant)}.toml").is_file():
                continue
            path = (task, TASKS[task].metric(variant), language(variant))
            yield pytest.param(task, variant, marks=[pytest.mark.repeat] if path in taken else [])
            taken.add(path)


@pytest.mark.parametrize(("task", "variant"), [*every_variant()])
def test_right_answers_score_one_and_wrong_ones_less_than_half(task, variant):
    made, lang = maker(task, variant), language(variant)
    rows = list(answerable(made))
    bound = file_of(task, lang).get("bound", 1)
    failed = {}
    for place in range(ROWS):
        for side, who, template, text in ways(said_in(rows, place), task, lang):
            metric = rows[place]["metric"]
            score = METRICS[metric](heard(metric, text), rows[place])
            if score < bound if side == "right" else score >= 0.5:
                failed.setdefault((side, who, template), (place, score, text))
    assert not failed, report(f"{task}_{lang}.toml", variant, failed)


def answerable(made: RowMaker) -> Iterator[dict]:
    """The rows of 4k tokens; where a run ranks the answer of a question too low for them, the row is left out."""
    for item in range(ITEMS):
        with suppress(ProofError):
            yield row_of(made, "4k", item)


def report(file: str, variant: str, failed: dict) -> str:
    lines = [f"{len(failed)} ways of {file} fail on rows of {variant}:"]
    for (side, who, template), (place, score, text) in failed.items():
        lines.append(f"  {side}, {who}, row {place}: {score:.3f}  {template!r}\n      {text[:200]!r}")
    return "\n".join(lines)


def test_every_task_and_language_has_enough_ways_each_once():
    known = {f"{task}_{language(variant)}" for task in TASKS for variant in TASKS[task].variants}
    # A new task begins without.
    files = {file.stem for file in FOLDER.glob("*.toml")}
    assert files <= known and len(files) >= 21
    for name in sorted(files):
        told = {"right": [], "wrong": []}
        for kind, sides in file_of(*name.rsplit("_", 1)).items():
            if kind != "bound":
                for side, by_whom in sides.items():
                    assert set(by_whom) <= set(WHO), (name, kind, side)
                    told[side] += [(kind, template) for templates in by_whom.values() for template in templates]
        for side, fewest in FEWEST.items():
            assert len(told[side]) == len(set(told[side])) >= fewest, (name, side)
