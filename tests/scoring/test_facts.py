"""A row is a stranger's: whatever stands in it, a metric gives a score in [0, 1] or RowError, and nothing else."""

import itertools
import json

import pytest

from carrara.scoring import METRICS, RowError, Score, score, score_response
from carrara.scoring.facts import facts_of

HOSTILE = (None, True, -1, 1e308, 10**400, "", "x", "\ud800", [], ["x"], [[]], [["x"]], [[1]], [None], [[None]], [[-1]])
HOSTILE += (
    {},
    {"x": 1},
    {"x": "y"},
    {"": None},
    [1, 2],
    [2, 1],
    [0, 10**30],
    [True, False],
    [[10**30]],
    {"x": 10**400},
)
FACTS = (
    "accepted",
    "answers",
    "body",
    "chance",
    "classes",
    "evidence_inside",
    "grades",
    "key_points",
    "kind",
    "long_summary",
)
FACTS += ("question", "recall_step", "reference", "string", "support", "words")
ANSWERS = ([], [""], ["B"], ["Alpha: a; b\nBeta: c"], ["x" * 30, "7"], ["\ud800", "。"])
RESPONSES = ("", "B", "Alpha: a; b [1][2].", "Ranking: 3 > 1")
ROW = {
    "id": "a/b/32k/00000",
    "task": "b",
    "variant": "",
    "bucket": "32k",
    "prompt": "[1] T\na b\n\n[2] U\nc",
    "choices": ["a", "b"],
}
HONEST = {
    "answers": [["a"], ["b"]],
    "support": [[1], [2]],
    "body": [0, 20],
    "grades": {"1": 2, "3": 0},
    "question": "q?",
}


def outcome(row, response):
    try:
        made = score_response(row, response)
    except RowError as error:
        assert "row 'a/b/32k/00000': got " in str(error) and ", expected " in str(error)
        return
    assert isinstance(made, Score) and made.value is not None and 0 <= made.value <= 1


@pytest.mark.parametrize("name", sorted(METRICS))
def test_any_fact_gives_a_score_or_an_error_of_the_row(name):
    if name.startswith("rouge") and name.endswith("/paper"):
        pytest.importorskip("rouge_score")
    for fact, value in itertools.product(FACTS, HOSTILE):
        outcome(ROW | {"metric": name, "answers": ["a"], "facts": {**HONEST, fact: value}}, "a [1]. Ranking: 3 > 1")


@pytest.mark.parametrize("name", sorted(METRICS))
def test_any_answers_and_choices_give_a_score_or_an_error_of_the_row(name):
    if name.startswith("rouge") and name.endswith("/paper"):
        pytest.importorskip("rouge_score")
    for answers, choices, response in itertools.product(ANSWERS, ([], ["x"], ["", ""], ["x"] * 200), RESPONSES):
        outcome(ROW | {"metric": name, "answers": answers, "choices": choices, "facts": json.dumps(HONEST)}, response)


@pytest.mark.parametrize(
    "column",
    [
        "id",
        "item",
        "task",
        "variant",
        "bucket",
        "group",
        "tokens",
        "complexity",
        "depths",
        "answers",
        "choices",
        "prompt",
        "facts",
        "metric",
    ],
)
def test_any_column_gives_a_report_or_an_error_of_the_row(column):
    for value in HOSTILE:
        row = {"metric": "subem", "answers": ["x"], **ROW, column: value}
        try:
            report = score([row], {str(row["id"]): "x"})
        except RowError as error:
            assert "got " in str(error)
        else:
            json.dumps(report.to_json(), allow_nan=False)


@pytest.mark.parametrize("facts", ["{", "[]", "3", '{"a": NaN}', '{"a": 1, "a": 2}', "[" * 100_000, 7])
def test_facts_are_one_json_object(facts):
    with pytest.raises(RowError, match="expected a JSON object"):
        facts_of({"facts": facts})


def test_a_bug_of_ours_in_a_metric_comes_out_as_it_is(monkeypatch):
    def broken(response, row):
        return {}["bug"]

    monkeypatch.setitem(METRICS, "subem", broken)
    with pytest.raises(KeyError, match="bug"):
        score([ROW | {"metric": "subem", "answers": ["x"]}], {ROW["id"]: "x"})
