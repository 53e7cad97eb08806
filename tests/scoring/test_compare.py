"""Comparing two results: differences by hand, pairing that helps, and what cannot be compared."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from commands import here, is_refusal
from made_results import michelangelo, needlebench, result, row, write_results

from carrara.scoring.compare import OVERALL, compare, compare_all
from carrara.scoring.intervals import estimates
from carrara.scoring.papers.weights import shares
from carrara.scoring.result import Result, ResultError, read_result


def results(first, second, task="idk", **fields) -> tuple[Result, Result]:
    """Two results over rows of one task, with these scores."""
    made = [row(task, "", "32k", n, complexity=0, **fields) for n in range(len(first))]
    return tuple(
        Result(name, "made@1.0.0", "made/1", tuple(replace(one, score=s) for one, s in zip(made, scores, strict=True)))
        for name, scores in (("a", first), ("b", second))
    )


def named(comparison) -> dict:
    return {one.name: one for one in comparison.differences}


def test_a_difference_by_hand():
    first, second = results([1, 0, 0, 1, None, 0], [1, 1, 1, 0, 1, 0])
    found = named(compare(first, second))["idk"]
    assert (found.first, found.second) == (pytest.approx(2 / 6), pytest.approx(4 / 6))
    assert found.difference == pytest.approx(2 / 6)
    assert (found.first_ahead, found.second_ahead, found.questions) == (1, 3, 6)
    assert found.interval[0] < found.difference < found.interval[1]
    assert not found.is_told_apart


def test_the_other_way_round_changes_the_sign_alone():
    first, second = results([0.1 * n for n in range(10)], [0.5] * 10)
    one, other = named(compare(first, second)), named(compare(second, first))
    for name, found in one.items():
        assert other[name].difference == -found.difference
        assert other[name].interval == pytest.approx((-found.interval[1], -found.interval[0]))
        assert (other[name].first_ahead, other[name].second_ahead) == (found.second_ahead, found.first_ahead)


def test_a_result_does_not_differ_from_itself():
    first, _ = results([1, 0, 1, 0.5], [0] * 4)
    for found in compare(first, replace(first, model="again")).differences:
        assert (found.difference, found.interval_reason, found.is_told_apart) == (0, "n = 4, too few", False)
        assert (found.first_ahead, found.second_ahead, found.ties) == (0, 0, 4)
    first, second = results([1, 0, 1, 0.5, 0], [1, 0, 1, 0.5, 0])
    comparison = compare(first, second)
    found = named(comparison)["idk"]
    # What was not asked may differ: of five questions that agree little is known.
    assert found.interval == pytest.approx((-0.45, 0.45), abs=0.05) and found.p == 1
    assert "The models score the same on all 5 questions." in comparison.table()


def test_pairing_tells_apart_what_the_intervals_alone_do_not():
    # Hard and easy questions, and the second model always a little better.
    hard = [0.02 + 0.9 * (n % 10) / 10 for n in range(40)]
    first, second = results(hard, [value + 0.15 for value in hard])
    found = named(compare(first, second))["idk"]
    each = [estimates(one.rows, {"x": shares(one.rows)})["x"] for one in (first, second)]
    assert each[0].interval[1] > each[1].interval[0] and each[0].apart > found.difference
    assert found.is_told_apart and 0 < found.interval[0] < found.difference < found.interval[1]


def test_every_part_and_every_paper_is_compared(tmp_path):
    rows = [*michelangelo(), *needlebench(["4k"])]
    first, second = (read_result(path) for path in write_results(tmp_path, rows, {"strong": 0.95, "weak": 0.5}))
    comparison = compare(first, second)
    found = named(comparison)
    parts = {one.part for one in comparison.differences}
    assert parts == {
        *("average", "bucket", "cell", "task", "config", "complexity"),
        *("michelangelo", "needlebench"),
    }
    assert found[OVERALL].is_told_apart and found[OVERALL].difference < -0.2
    assert found["mean of 3 tasks at 1M"].difference < 0 and found["overall 4k"].questions == 24
    assert "idk, always D" not in found
    assert json.loads(json.dumps(comparison.to_json(), allow_nan=False))["rows"] == len(rows)


def test_rows_of_one_result_alone_are_left_out_and_counted():
    first, second = results([1, 0, 1, 1], [0, 0, 1, 1])
    comparison = compare(first, replace(second, release="made@1.1.0", rows=second.rows[:3]))
    assert (comparison.rows, comparison.left_out) == (3, 1)
    assert named(comparison)["idk"].first == pytest.approx(2 / 3)


def test_cut_responses_are_counted_by_model():
    first, second = results([1, 0, 1, 1], [0, 0, 1, 1])
    second = replace(second, rows=tuple(replace(one, cut=(0,)) for one in second.rows[:2]) + second.rows[2:])
    told = ("rows cut at the output limit, scored as far as they go: b 2",)
    assert compare(first, second).warnings() == compare_all([first, second]).warnings() == told
    assert compare(first, second).to_json()["cut"] == [0, 2] and compare(first, first).warnings() == ()


def test_what_cannot_be_compared():
    first, second = results([1, 0], [0, 1])
    for other, said in (
        (replace(second, release="made@2.0.0"), "made@1.0.0 and made@2.0.0"),
        (replace(second, release="other@1.0.0"), "other questions"),
        (replace(second, stream="twin"), "other streams"),
        (replace(second, rows=tuple(replace(one, id=f"{one.id}x") for one in second.rows)), "no row in common"),
        (replace(second, rows=tuple(replace(one, metric="other") for one in second.rows)), "scored by"),
        (replace(second, rows=tuple(replace(one, tokens=7) for one in second.rows)), "two different rows"),
    ):
        with pytest.raises(ResultError, match=said):
            compare(first, other)


def test_p_is_of_both_sides_and_goes_with_the_interval():
    first, second = results([0, 1] * 20, [1, 0] * 20)
    found = named(compare(first, second))["idk 32k"]
    assert (found.task, found.bucket, found.part) == ("idk", "32k", "cell") and found.p > 0.5
    first, second = results([0] * 20, [1] * 8 + [0] * 12)
    found = named(compare(first, second))["idk 32k"]
    assert 0.001 < found.p < 0.02 and found.is_told_apart
    assert named(compare(second, first))["idk 32k"].p == found.p
    # All five of five go one way, as they do by chance once in sixteen times.
    assert named(compare(*results([0] * 5, [1] * 5)))["idk 32k"].p == 1 / 16


def test_few_questions_tell_nothing_apart():
    first, second = results([0] * 20, [1] * 5 + [0] * 15)
    assert not named(compare(first, second))["idk"].is_told_apart
    first, second = results([0] * 20, [1] * 6 + [0] * 14)
    assert named(compare(first, second))["idk"].is_told_apart


def test_a_single_question_has_no_interval():
    first, second = results([1], [0])
    found = named(compare(first, second))["idk"]
    assert (found.difference, found.interval, found.is_told_apart) == (-1, None, False)
    assert found.interval_reason == "n = 1, too few"


def several(*scores) -> list[Result]:
    """Results of models a, b, ... over the same rows, with these scores."""
    return [replace(results(own, own)[0], model=name) for name, own in zip("abcdef", scores, strict=False)]


def test_of_several_models_every_pair_is_compared_and_p_corrected():
    weak, good, alike = [0] * 30 + [1] * 10, [0] * 10 + [1] * 30, [1] + [0] * 10 + [1] * 29
    found = compare_all(several(weak, good, alike))
    assert found.models == ("b", "c", "a") and found.means == (0.75, 0.75, 0.25)
    assert [(pair.second, pair.first) for pair in found.pairs] == [("b", "c"), ("b", "a"), ("c", "a")]
    same, *apart = (named(pair)[OVERALL] for pair in found.pairs)
    assert found.ties == (("b", "c"),) and not same.is_told_apart and same.holm == 1
    # Holm: the smallest p three times, the next one twice, and none below one that was smaller.
    small, large = sorted(one.p for one in apart)
    assert sorted(one.holm for one in apart) == [3 * small, max(3 * small, 2 * large)]
    assert all(one.is_told_apart and one.difference == 0.5 for one in apart)
    assert json.loads(found.table("json"))["ties"] == [["b", "c"]]
    assert found.table("csv").splitlines()[0].startswith("first,second,bucket,questions,of_first,of_second,difference")
    assert "Not told apart in the mean of the tasks: b and c." in found.table("md")


def test_holm_takes_back_what_one_of_many_pairs_shows_by_chance():
    base = [0] * 40
    models = [base, [1] * 6 + base[6:], *([0] * n + [1] + base[n + 1 :] for n in (10, 20, 30, 39))]
    one = named(compare(*several(*models[:2])))[OVERALL]
    found = compare_all(several(*models))
    pair = next(pair for pair in found.pairs if {pair.first, pair.second} == {"a", "b"})
    assert one.is_told_apart and named(pair)[OVERALL].p == one.p and not named(pair)[OVERALL].is_told_apart
    assert len(found.ties) == len(found.pairs) == 15


def test_several_results_that_cannot_be_compared():
    first, second, third = several([1] * 6, [0] * 6, [1, 0] * 3)
    with pytest.raises(ResultError, match="two results of one model name"):
        compare_all([first, second, replace(third, model="a")])
    with pytest.raises(ResultError, match="no row in common, expected the same rows in all"):
        compare_all([first, second, replace(third, rows=tuple(replace(one, id=f"{one.id}x") for one in third.rows))])
    fewer = compare_all([first, second, replace(third, rows=third.rows[:5])])
    assert (fewer.rows, fewer.left_out) == (5, 1) and "left out: 1" in fewer.warnings()[0]


def test_the_command(tmp_path, monkeypatch):
    # Wide enough that no name of the table is broken.
    monkeypatch.setenv("COLUMNS", "160")
    rows = [one for one in michelangelo() if one.task == "latent_list"]
    first, second = write_results(tmp_path, rows, {"strong one": 0.95, "weak": 0.5})
    done = here("compare", first, second)
    assert done.code == 0 and OVERALL in done.out and "michelangelo" not in done.err, done
    assert "complexity 20" not in done.out and "complexity 20" in here("compare", first, second, "--details").out
    table = json.loads(here("compare", first, second, "--json").out)
    assert table["second"] == "weak" and table["differences"][0]["told_apart"] is True
    text = here("compare", first, second, "--format", "csv").out.splitlines()
    assert text[0] == "task,bucket,questions,first,second,difference,low,high,p" and len(text) == 4
    assert text[1].startswith("latent_list,32k,60,") and 0 < float(text[1].rpartition(",")[2]) < 0.001
    assert "weak minus strong one, 135 rows" in done.out and "p < 0.001" in done.out
    left = json.loads(second.read_text())
    second.write_text(json.dumps(left | {"scores": left["scores"][1:]}))
    assert "has, left out: 1\n" in here("compare", first, second).out
    [third] = write_results(tmp_path, rows, {"middling": 0.9})
    done = here("compare", first, second, third)
    assert done.code == 0 and "strong one − weak" in done.out and "3 models, 134 rows" in done.out, done
    assert "Not told apart in the mean of the tasks:" in done.out and "left out: 1" in done.out
    assert "strong one" in here("compare", first, second, third, "--details").out
    assert is_refusal(here("compare", first), "two or more")


def test_what_the_command_refuses(tmp_path):
    good = tmp_path / "good.json"
    good.write_text(json.dumps(result([row("idk", "", "32k", 0)])))
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(result([row("idk", "", "32k", 0)], stream="twin")))
    assert is_refusal(here("compare", good, bad), "other streams")
    bad.write_text('{"format": "carrara/result", "version": 1, "model": "\\u001b[31m"}')
    done = here("compare", good, bad)
    assert is_refusal(done, "bad.json", "model") and "\x1b" not in done.err
    for place in (tmp_path, tmp_path / "none.json", Path("/dev/null")):
        assert is_refusal(here("compare", good, place))
