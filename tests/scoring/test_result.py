"""The result file: what is written is read back, and a hostile file is refused by name, in bounded time and memory."""

import json
import time

import pytest
from made_results import michelangelo, result, row

from carrara.scoring import Responses
from carrara.scoring.report import score
from carrara.scoring.result import COLUMNS, MAX_MODEL, ResultError, is_model, read_result

ROWS = [row("idk", "", "32k", n, complexity=n % 2, depths=(0.25,), numbers={"digits": n}) for n in range(4)]


def written(folder, table):
    path = folder / "result.json"
    path.write_text(table if isinstance(table, str) else json.dumps(table), encoding="utf-8")
    return path


def test_a_report_is_read_back(tmp_path):
    rows = [
        {
            "id": f"x/mrcr_2needle/32k/{n:05d}", "item": f"x/mrcr_2needle/{n:05d}", "task": "mrcr",
            "variant": "2needle", "bucket": "32k", "metric": "needlebench/keywords", "answers": ["yes"],
            "complexity": 2, "prompt": "",
            "depths": [0.1, 1.0], "tokens": 9_000, "max_output_tokens": 100, "group": f"g{n}",
            "facts": json.dumps({"depth": 0.5, "chance": [0.1, 0.2]}),
        }
        for n in range(3)
    ]  # fmt: skip
    responses = {rows[0]["id"]: "yes", rows[1]["id"]: None}
    reasons = {rows[1]["id"]: "time-out \ud800"}
    report = score(rows, Responses(responses, reasons, ()), model="a b", release="made@1.2.3", stream="made/1")
    text = json.dumps(report.to_json(), ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    found = read_result(written(tmp_path, text))
    assert (found.model, found.release, found.stream) == ("a b", "made@1.2.3", "made/1")
    assert found.rows == report.scores
    assert [one.score for one in found.rows] == [1, None, None]
    cut = Responses({rows[0]["id"]: "<think>yes"}, {}, ())
    (first, *_) = read_result(
        written(tmp_path, score(rows, cut, model="m", release="made@1.2.3", stream="s").to_json())
    ).rows
    assert (first.cut, first.thinking, first.score) == ((0,), (0,), 0)


def test_averages_in_the_file_are_not_believed(tmp_path):
    table = result(ROWS) | {"overall": {"mean": 1}, "papers": "nonsense"}
    assert read_result(written(tmp_path, table)).rows == read_result(written(tmp_path, result(ROWS))).rows


def test_samples_are_read_back_and_a_score_that_contradicts_them_is_not_believed(tmp_path):
    table = result(ROWS)
    for one, samples in zip(table["scores"], ([1, None], [None, None], [0.5, 0.25, 1], []), strict=True):
        one |= {"score": 0.9, "samples": samples, "context": "book"}
    found = read_result(written(tmp_path, table)).rows
    assert [one.score for one in found] == [0.5, None, pytest.approx(7 / 12), 0.9]
    assert found[0].samples == (1, None) and found[0].answered == 1 and found[0].context == "book"
    table["version"] = 2
    assert read_result(written(tmp_path, table)).rows == found


def test_a_file_of_version_1_is_read_and_what_was_not_run_is_told_from_what_is_missing(tmp_path):
    rows = [*ROWS, *(row("idk", "", bucket, n) for bucket in ("128k", "1M") for n in range(2))]
    table = {name: value for name, value in result(rows).items() if name != "release_configs"} | {"version": 1}
    for one in (one for one in table["scores"] if "/1M/" in one["id"] or one["id"].endswith("128k/00001")):
        one |= {"score": None, "reason": "no response with this id"}
    found = read_result(written(tmp_path, table))
    # At 1M nothing was answered; at 128k one row was, so that the other one is missing.
    assert {(one.bucket, one.score is None) for one in found.rows} == {("32k", False), ("128k", False), ("128k", True)}
    assert [(one.config, one.rows) for one in found.held] == [("idk_128k", 2), ("idk_1M", 2), ("idk_32k", 4)]


@pytest.mark.parametrize("config", [7, {}, {"rows": -1}, {"bucket": "32"}, {"complexities": [0.5]}, {"task": "../x"}])
def test_broken_configs_of_the_release_are_refused(tmp_path, config):
    table = result(ROWS)
    table["release_configs"].append(config if config == 7 or not config else table["release_configs"][0] | config)
    with pytest.raises(ResultError, match="config 2: got "):
        read_result(written(tmp_path, table))


BAD = {
    "no JSON": (lambda table: "{", "invalid JSON"),
    "a list": (lambda table: [table], "carrara/result"),
    "another format": (lambda table: table | {"format": "carrara/1"}, "carrara/result"),
    "no version": (lambda table: {k: v for k, v in table.items() if k != "version"}, "version None"),
    "a later version": (lambda table: table | {"version": 5}, "version 5, expected 1 to 4"),
    "a true version": (lambda table: table | {"version": True}, "version True"),
    "no root": (lambda table: table | {"version": 4, "unverified": False}, "root = None"),
    "a short root": (lambda table: table | {"version": 4, "unverified": False, "root": "ab"}, "root = 'ab'"),
    "half verified": (lambda table: table | {"version": 4, "unverified": 0, "root": ""}, "unverified = 0"),
    "no model": (lambda table: table | {"model": ""}, "model = ''"),
    "a model of two lines": (lambda table: table | {"model": "a\nb"}, "model"),
    "a model that turns the line": (lambda table: table | {"model": "a\u202eb"}, "model"),
    "a long model": (lambda table: table | {"model": "a" * (MAX_MODEL + 1)}, "model"),
    "a model that is no text": (lambda table: table | {"model": 1}, "model = 1"),
    "a release without version": (lambda table: table | {"release": "made"}, "release"),
    "half a surrogate pair": (lambda table: table | {"stream": "\ud800"}, "stream"),
    "no rows": (lambda table: table | {"scores": []}, "scores = 'list'"),
    "a number for a row": (lambda table: table | {"scores": [1]}, "row 1: got 1"),
    "a row twice": (lambda table: table | {"scores": table["scores"][:1] * 2}, "twice"),
    "NaN": (lambda table: json.dumps(table).replace('"complexity": 1', '"complexity": NaN'), "NaN is no JSON"),
    "a key twice": (lambda table: json.dumps(table).replace('"model"', '"version": 1, "model"'), "twice"),
    "deep nesting": (lambda table: "[" * 100_000, "invalid JSON"),
    "a huge number": (lambda table: json.dumps(table).replace('"tokens": 3', '"tokens": 3' + "0" * 5_000), "JSON"),
}
BAD_FIELDS = {
    "id": ["", 1, None, "x" * 401],
    "score": ["1", True, -0.1, 1.1, [], 1e400],
    "task": ["", "a b", "../x", 1, "x" * 101],
    "variant": [None, "a/b"],
    "bucket": ["", "32", "32K", "99999k", 32],
    "tokens": [-1, 1.5, "1", True, 1 << 40],
    "complexity": [None, -1],
    "depths": [None, [2], ["x"], [0.5] * 5_000, {}],
    "numbers": [[], {"A": 1}, {"x": "1"}, {"x": 1e300}, {f"n{n}": 1 for n in range(17)}],
    "chance": [0.5, [2], [0.5] * 5_000],
    "cut": [0, [-1], ["0"], [0] * 1_001],
    "thinking": [None, [0.5]],
    "samples": [0.5, [2], ["1"], [0.5] * 1_001, {}],
    "context": [None, 1, "x" * 401],
    "classes": [{"": 1}, {"x": 2}, {str(n): 1 for n in range(65)}],
}


@pytest.mark.parametrize("kind", BAD)
def test_a_broken_file_is_refused(tmp_path, kind):
    change, said = BAD[kind]
    with pytest.raises(ResultError) as error:
        read_result(written(tmp_path, change(result(ROWS))))
    assert said in str(error.value) and "result.json" in str(error.value)


@pytest.mark.parametrize("field", BAD_FIELDS)
def test_a_broken_row_is_refused(tmp_path, field):
    for value in BAD_FIELDS[field]:
        table = result(ROWS)
        table["scores"][1][field] = value
        text = json.dumps(table).replace("Infinity", "1e400")
        with pytest.raises(ResultError, match=r"row 2|too large"):
            read_result(written(tmp_path, text))
    if field in COLUMNS:
        del table["scores"][1][field]
        with pytest.raises(ResultError, match=f"got no {field}"):
            read_result(written(tmp_path, table))


def test_no_utf_8_and_too_many_bytes_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "result.json"
    path.write_bytes(b'{"model": "\xff"}')
    with pytest.raises(ResultError, match="invalid JSON"):
        read_result(path)
    monkeypatch.setattr("carrara.scoring.result.MAX_BYTES", 100)
    with pytest.raises(ResultError, match="at most 100"):
        read_result(written(tmp_path, result(ROWS)))


def test_names_of_models():
    for name in ("a", "GPT 5 (high)", "模型", "x" * MAX_MODEL):
        assert is_model(name)
    for name in ("", " a", "a  b", "a\tb", "\u200b", "x" * (MAX_MODEL + 1)):
        assert not is_model(name)


@pytest.mark.repeat
def test_a_large_file_is_read_quickly(tmp_path):
    rows = [one for one in michelangelo() if one.task == "mrcr"]
    table = result(rows)
    table["scores"] = [one | {"id": f"{one['id']}-{n}"} for n in range(40) for one in table["scores"]]
    path = written(tmp_path, table)
    start = time.process_time()
    assert len(read_result(path).rows) == len(rows) * 40
    assert time.process_time() - start < 30
