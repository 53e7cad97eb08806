"""Reports: groups first, nothing missing is dropped, the same interval on every machine."""

import json
import math

import pytest
from processes import python

from carrara.scoring import Responses
from carrara.scoring.facts import depth_label
from carrara.scoring.report import score
from carrara.scoring.result import Bounds


def row(number, *, task="single_needle", group="", complexity=1, depths=(0.5,), variant="en", bucket="32k"):
    return {
        "id": f"needlebench/{task}_{variant}/{bucket}/{number:05}",
        "task": task,
        "variant": variant,
        "bucket": bucket,
        "metric": "needlebench/keywords",
        "answers": ["yes"],
        "complexity": complexity,
        "group": group,
        "depths": list(depths),
        "prompt": "",
    }


def answered(rows, texts):
    return {r["id"]: text for r, text in zip(rows, texts, strict=True) if text != "absent"}


def unanswered(rows):
    """Every row was asked, and none answered."""
    return {r["id"]: None for r in rows}


def test_groups_are_averaged_first():
    rows = [row(0, group="a"), row(1, group="a"), row(2, group="a"), row(3, group="b")]
    report = score(iter(rows), answered(rows, ["yes", "yes", "yes", "no"]))
    cell = report.configs["single_needle_en_32k"]
    assert (cell.mean, cell.groups, cell.rows, cell.scored, cell.missing) == (0.5, 2, 4, 4, 0)
    assert cell.metrics == ("needlebench/keywords",)
    assert report.overall.mean == 0.5


def test_equal_group_words_of_two_variants_are_two_questions():
    rows = [row(0, group="a"), row(0, group="a", variant="zh")]
    assert score(rows, unanswered(rows)).tasks["single_needle"].groups == 2


def test_missing_counts_as_0_and_is_named():
    rows = [row(n) for n in range(4)]
    responses = answered(rows, ["yes", "no", None, "absent"]) | {"stranger": "yes"}
    report = score(rows, Responses(responses, {rows[2]["id"]: "time-out"}, (rows[0]["id"],)))
    cell = report.tasks["single_needle"]
    assert (cell.mean, cell.mean_answered, cell.scored, cell.missing) == (0.25, 0.5, 2, 2)
    assert report.missing.count == 2
    assert report.missing.first == (rows[2]["id"], rows[3]["id"])
    assert report.unknown.first == ("stranger",)
    assert report.duplicates.first == (rows[0]["id"],)
    assert [scored.reason for scored in report.scores[2:]] == ["time-out", "no response with this id"]
    assert score(rows, unanswered(rows)).overall.mean_answered is None


def test_only_the_first_twenty_ids_are_named():
    rows = [row(n) for n in range(30)]
    report = score(rows, unanswered(rows))
    assert (report.missing.count, len(report.missing.first)) == (30, 20)


def test_overall_is_the_mean_of_tasks():
    rows = [row(n) for n in range(3)] + [row(9, task="multi_needle")]
    report = score(rows, answered(rows, ["no", "no", "no", "yes"]))
    assert report.overall.mean == 0.5
    assert (report.overall.interval, report.overall.interval_reason) == (None, "n = 4, too few")


def test_complexity_and_depth_cells():
    rows = [row(n, complexity=n % 2, depths=[n / 10]) for n in range(11)] + [row(11, depths=[]), row(12, depths=[0, 1])]
    report = score(rows, unanswered(rows))
    assert set(report.complexity) == {("single_needle", 0), ("single_needle", 1)}
    assert [report.depths["single_needle", n].rows for n in range(10)] == [1, 1, 1, 1, 1, 2, 1, 1, 1, 2]
    assert (depth_label(0), depth_label(9)) == ("0-10%", "90-100%")


def test_the_metric_can_be_overridden():
    rows = [row(0)]
    assert score(rows, answered(rows, ["yes"]), "needlebench/first").tasks["single_needle"].metrics == (
        "needlebench/first",
    )


def test_config_leaves_out_an_empty_variant():
    rows = [row(0) | {"task": "idk", "variant": "", "bucket": "1M"}]
    assert list(score(rows, unanswered(rows)).configs) == ["idk_1M"]


def test_the_interval_holds_the_mean_and_ignores_row_order():
    rows = [row(n) for n in range(40)]
    responses = answered(rows, ["yes", "no"] * 20)
    report = score(rows, responses)
    low, high = report.overall.interval
    assert (low, high) == (0.338018, 0.661982)
    assert report == score(reversed(rows), responses)


def test_the_interval_of_a_mean_of_tasks_weighs_every_task_alike():
    rows = [row(n) for n in range(30)] + [row(n, task="multi_needle") for n in range(15)]
    report = score(rows, answered(rows, ["yes", "no"] * 15 + ["yes"] * 15))
    one, other, both = report.tasks["single_needle"], report.tasks["multi_needle"], report.overall
    assert (one.questions, other.questions, both.questions, both.mean) == (30, 15, 45, 0.75)
    assert other.interval[1] == 1.0 > other.interval[0] > 0.75 and both.interval[0] > one.interval[0]
    assert both.apart < one.apart
    assert score([row(0)], unanswered([row(0)])).overall.apart is None


def test_nothing_to_score_and_doubled_rows_are_errors():
    with pytest.raises(ValueError, match="got no rows"):
        score([], {})
    with pytest.raises(ValueError, match="twice"):
        score([row(0), row(0)], {})
    with pytest.raises(
        ValueError, match=r"no response to any of the rows: the ids .* are 'sample-1', expected ids such as"
    ):
        score([row(0)], {"sample-1": "yes"})


def test_a_config_without_a_line_was_not_run_and_is_in_no_average():
    rows = [
        row(n, task=task, bucket=bucket)
        for task in ("single_needle", "multi_needle")
        for bucket in ("32k", "1M")
        for n in range(2)
    ]
    run = [one for one in rows if one["bucket"] == "32k" and one["task"] == "single_needle"]
    report = score(rows, {run[0]["id"]: "yes", run[1]["id"]: None})
    assert (report.overall.mean, report.overall.rows, report.missing.count) == (0.5, 2, 1)
    assert list(report.cells) == [("single_needle", "32k")] and list(report.buckets) == ["32k"]
    assert [one.config for one in report.not_run] == [
        "multi_needle_en_1M",
        "multi_needle_en_32k",
        "single_needle_en_1M",
    ]
    # One line is enough: what else was asked, and dropped, counts 0.
    report = score(rows, {rows[-1]["id"]: "yes"})
    assert (report.overall.mean, report.missing.first) == (0.5, (rows[-2]["id"],))


def test_rows_behind_those_that_a_run_asked_are_left_out_and_none_between_them():
    rows = [row(n) for n in range(6)] + [row(n, variant="zh") for n in range(6)]
    asked = ({"single_needle_en_32k": range(4)},)
    report = score(rows, Responses({rows[n]["id"]: "yes" for n in (0, 1, 2)}, {}, (), asked))
    assert (report.overall.mean, report.overall.rows, report.missing.first) == (0.75, 4, (rows[3]["id"],))
    assert [one.config for one in report.not_run] == ["single_needle_zh_32k"]
    # A row that is answered was asked, whatever is said; one that is in no config's share was not.
    report = score(rows, Responses({rows[5]["id"]: "no", rows[7]["id"]: "yes"}, {}, (), asked))
    assert [one.id for one in report.scores] == [rows[n]["id"] for n in (0, 1, 2, 3, 5, 7)]


def test_a_run_of_the_first_rows_alone_is_told_what_to_add():
    rows = [row(n) for n in range(5)] + [row(n, variant="zh") for n in range(3)]
    first = {one["id"]: "yes" for one in rows if int(one["id"][-5:]) < 3}
    assert (
        "(needlebench/single_needle_en/32k/00003, needlebench/single_needle_en/32k/00004); if only the first 3 of"
        in (score(rows, first).warnings()[0])
    )
    # A hole between them, or another number in each config, is no limit.
    del first[rows[1]["id"]]
    assert "--first" not in score(rows, first).warnings()[0]
    assert "--first" not in score(rows, {one["id"]: "yes" for one in (*rows[:4], rows[5])}).warnings()[0]


def test_rows_as_a_data_frame_count_what_is_missing_as_0():
    pytest.importorskip("pandas")
    rows = [row(n) for n in range(4)]
    frame = score(rows, answered(rows, ["yes", "no", None, "absent"])).to_pandas()
    assert frame.groupby(["task", "bucket"]).score.mean().to_dict() == {("single_needle", "32k"): 0.25}
    assert frame.answered.tolist() == [True, True, False, False] and set(frame.config) == {"single_needle_en_32k"}


def test_cut_responses_are_scored_as_they_stand_counted_and_bounded():
    rows = [row(n) for n in range(6)] + [row(9, task="multi_needle")]
    texts = answered(rows, ["yes", "yes and", "no, as", "<think>yes", "", "yes", "yes"])
    cut = frozenset((rows[number]["id"], 0) for number in (1, 2, 3))
    report = score(rows, Responses(texts, {}, (), cut=cut, thoughts=frozenset([(rows[4]["id"], 0)]), tells_stops=True))
    assert [scored.cut for scored in report.scores] == [(), (), (0,), (0,), (0,), (), ()]
    assert (report.cut.count, report.thinking.first, report.empty.count) == (3, (rows[3]["id"], rows[4]["id"]), 0)
    # Of single_needle: three of six right, two if what was cut is wrong, two of three without that.
    assert report.tasks["single_needle"].mean == 0.5
    assert report.bounds == Bounds(3, (2 / 6 + 1) / 2, (2 / 3 + 1) / 2)
    told = report.to_json()["cut"]
    assert told["tasks"] == {"single_needle": {"rows": 3, "wrong": 2 / 6, "left_out": 2 / 3}}
    assert list(told["configs"]) == ["single_needle_en_32k"] and len(told["cells"]) == 1
    line = "Cut at the output limit: 3 rows; the mean is 66.7 with all of them wrong, 83.3 without them."
    assert line in report.table() and line in report.table("md") and line in report.table("latex")
    assert report.table("csv").splitlines()[2].endswith(",3,33.33,66.67")
    named = "; ".join(report.warnings())
    assert "3 rows cut at the output limit" in named and "2 rows still thinking at the end" in named
    whole = score(rows, answered(rows, ["yes"] * 7))
    assert whole.bounds is None and whole.notes == () and whole.table("csv").splitlines()[1].endswith(",0,,")


def test_a_cut_sample_is_bounded_with_its_row():
    rows = [row(0), row(1)]
    texts = answered(rows, ["yes", "yes"])
    cut = frozenset([(rows[0]["id"], 1), (rows[1]["id"], 0), (rows[1]["id"], 1)])
    more = {rows[0]["id"]: ("yes",), rows[1]["id"]: ("no",)}
    report = score(rows, Responses(texts, {}, (), more=more, cut=cut, tells_stops=True))
    assert (report.overall.mean, report.bounds) == (0.75, Bounds(2, 0.25, 1.0))
    nothing = score(rows[1:], Responses({rows[1]["id"]: "yes"}, {}, (), cut=cut, tells_stops=True))
    assert nothing.bounds == Bounds(1, 0.0, None) and "nothing is left without them" in nothing.table()


def test_a_response_of_white_space_is_named_and_scored():
    rows = [row(n) for n in range(3)]
    report = score(rows, answered(rows, ["", " \n", "yes"]))
    assert (report.empty.count, report.missing.count, report.overall.mean) == (2, 0, 1 / 3)


def test_the_mean_of_a_bucket_is_that_of_its_tasks_and_a_cell_of_one_config_has_its_interval():
    rows = [row(n, variant=variant) for n in range(4) for variant in ("en", "zh")] + [
        row(n, task="idk", variant="") for n in range(2)
    ]
    report = score(rows, answered(rows, ["yes", "no"] * 4 + ["yes", "yes"]))
    assert report.buckets["32k"] == report.overall
    assert report.overall.mean == 0.75
    assert report.cells["idk", "32k"] == report.configs["idk_32k"]
    assert report.cells["single_needle", "32k"].rows == 8


def test_samples_of_a_row_are_averaged_and_say_how_far_they_differ():
    """Four samples a row, right 4, 2, 0 times and once; of the last row two samples have no response."""
    rows = [row(n) for n in range(4)]
    said = [["yes"] * 4, ["yes", "no", "yes", "no"], ["no"] * 4, ["yes", None]]
    texts = {one["id"]: own[0] for one, own in zip(rows, said, strict=True)}
    more = {one["id"]: tuple(own[1:]) for one, own in zip(rows, said, strict=True)}
    report = score(rows, Responses(texts, {}, (), more=more))
    assert [one.score for one in report.scores] == [1.0, 0.5, 0.0, 0.25]
    assert report.scores[3].samples == (1.0, None, None, None)
    assert (report.overall.mean, report.overall.mean_answered) == (0.4375, 0.625)
    assert (report.overall.rows, report.overall.missing, report.missing.count) == (4, 0, 0)
    found = report.samples
    assert (found.samples, found.unscored) == (4, 3)
    # Of two draws without replacement: 1, 1 - 1/6, 0, 1 - 3/6.
    assert {k: one.mean for k, one in found.pass_at.items()} == pytest.approx(
        {1: 0.4375, 2: (1 + 5 / 6 + 0 + 1 / 2) / 4, 4: 0.75}
    )
    within = (0 + 1 / 3 + 0 + 1 / 4) / 4
    between = sum((value - 0.4375) ** 2 for value in (1, 0.5, 0, 0.25)) / 3 - within / 4
    assert (found.within, found.between) == pytest.approx((math.sqrt(within), math.sqrt(between)))
    assert "4 samples a row: pass@1 43.8, pass@2 58.3, pass@4 75.0; standard deviation within" in report.table("md")
    assert "3 samples without a score, counted 0" in report.warnings()
    assert report.to_json()["samples"]["pass_at"]["4"]["mean"] == 0.75
    assert score(rows, texts).samples is None and score(rows, texts).to_json()["samples"] is None


def test_a_row_of_samples_without_any_response_is_missing():
    rows = [row(n) for n in range(2)]
    texts, more = {one["id"]: None for one in rows} | {rows[0]["id"]: " "}, {rows[0]["id"]: ("yes",)}
    report = score(rows, Responses(texts, {rows[1]["id"]: "time-out"}, (), more=more))
    assert [(one.score, one.samples) for one in report.scores] == [(0.5, (0.0, 1.0)), (None, (None, None))]
    assert (report.missing.first, report.empty.first) == ((rows[1]["id"],), (rows[0]["id"],))
    assert report.scores[1].reason == "time-out"


PROGRAM = """
import json
from carrara.scoring import Responses
from carrara.scoring.report import score
rows = [{"id": f"r{n}", "task": "t", "bucket": "32k", "metric": "needlebench/keywords", "answers": ["yes", f"{n}"],
         "group": f"g{n % 13}", "depths": [n / 50]} for n in range(50)]
report = score(rows, {f"r{n}": f"yes {n % 7}" for n in range(48)})
print(json.dumps(report.to_json(), sort_keys=True, allow_nan=False))
"""


def test_two_processes_give_the_same_report():
    outputs = {python(PROGRAM, PYTHONHASHSEED=seed) for seed in ("0", "1", "77")}
    assert len(outputs) == 1
    report = json.loads(outputs.pop())
    assert report["overall"]["interval"] == [0.424527, 0.653468], "intervals have changed"
    assert report["scores"][0] == {
        "id": "r0",
        "item": "",
        "task": "t",
        "variant": "",
        "bucket": "32k",
        "tokens": 0,
        "max_output_tokens": 0,
        "complexity": 0,
        "group": "g0",
        "depths": [0.0],
        "metric": "needlebench/keywords",
        "reason": "needlebench/keywords",
        "score": 1.0,
    }
