"""A release in Inspect, end to end with its mock model; what is written and refused; logs that nobody vouches for."""

import ast
import contextlib
import json
import os
import shlex
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest
from commands import alone, common, here, is_refusal, recipe, release, relist
from folders import SUPPORT
from unchecked import with_content

from carrara.engine.files import cache_folder
from carrara.errors import CarraraError
from carrara.export.inspect import tasks, write
from carrara.making.proofs import gold_responses
from carrara.release.reader import open_release, rows
from carrara.release.store import Folder
from carrara.row import SCHEMA
from carrara.scoring.errors import ResponsesError
from carrara.scoring.responses import inspect as logs_inspect
from carrara.scoring.responses import inspect as zip_members
from carrara.scoring.responses.files import read_responses
from carrara.scoring.responses.inspect import answered
from carrara.tokens import load_tokenizer

__all__ = ["common", "recipe", "release"]

NEEDLE = "single_needle_en_4k"
# What templates, terminals, logs and C strings stumble over; Inspect puts long texts and data aside as attachments.
SELECTED = [f"needlebench/{NEEDLE[:-3]}/4k/{number:05d}" for number in (1, 3)]
HOSTILE = "{prompt} {{x}} %s $a\x00\x1b[31m\u202e\ufeff</s> attachment://0 data:image/png;base64,AAAA \r\nend \t\n\n"
DATA = "data:image/png;base64,iVBORw0KGgo="


class Runs(NamedTuple):
    """What Inspect made of the small release."""

    release: Path
    rows: dict[str, dict]
    results: dict[str, dict]


def loaded(folder: Path) -> dict[str, dict]:
    opened = open_release(folder)
    return {row["id"]: row for config in opened.configs for row in rows(opened, config)}


def samples(file: str) -> dict[str, dict]:
    """The samples of a log as Inspect wrote them."""
    found = zip_members.members(Path(file), lambda name: name.startswith("samples/"), 1 << 30, 1 << 30)
    return {sample["id"]: sample for sample in (json.loads(raw) for _, raw in found)}


@pytest.fixture(scope="session")
def runs(common, release) -> Runs:
    """All that Inspect is asked for, in one process (it takes seconds to start), by the first who wants it."""
    # Not imported: that is slow and changes zipfile for everybody here.
    if find_spec("inspect_ai") is None or find_spec("datasets") is None:
        pytest.skip("needs inspect-ai: pip install -e '.[harness]'")
    base = common / "inspect 'run'"
    with alone(common):
        if not (base / "results.json").exists():
            shutil.rmtree(base, ignore_errors=True)
            make_run(made_odd(release, base / "release"), base)
    results = json.loads((base / "results.json").read_text())
    return Runs(base / "release", loaded(base / "release"), results)


def made_odd(release: Path, folder: Path) -> Path:
    """A copy of the release with a prompt that nobody would write."""
    shutil.copytree(release, folder)
    file = folder / open_release(folder).configs[NEEDLE].files[0]
    altered = pq.read_table(file).to_pylist()
    altered[0]["prompt"] = HOSTILE + altered[0]["prompt"] + HOSTILE
    pq.write_table(pq.read_table(file).from_pylist(altered, schema=SCHEMA), file, use_dictionary=False)
    relist(folder, NEEDLE)
    return folder


def make_run(folder: Path, base: Path) -> None:
    """Export a release and run it, as the printed commands say and otherwise; results by the name of the run."""
    with contextlib.chdir(base):
        done = here("export", "inspect", folder, "--out", base / "tasks [1]", "--json")
    assert done.code == 0, done
    told = json.loads(done.out)
    file = told["files"][0]
    commands = {kind: shlex.split(command) for kind, command in told["commands"].items()}
    assert commands["one"][:3] == ["inspect", "eval", f"{file}@numeric_sorting_ascending_4k"]
    assert commands["base"][2:5] == [commands["one"][2], "-T", "base=true"]
    (base / "ids.txt").write_text("".join(f"{key}\n" for key in SELECTED))
    some = here("export", "inspect", folder, "--out", base / "some", "--json", "--ids", base / "ids.txt")
    assert some.code == 0 and list(json.loads(some.out)["tasks"]) == [NEEDLE], some
    eight, chinese = f"{file}@single_needle_en_8k", f"{file}@single_needle_zh_4k"
    order = {
        "own": {"tasks": commands["all"][2], "own": True},
        "gold": {"tasks": [f"{file}@{name}" for name in (NEEDLE, "numeric_sorting_ascending_4k")]},
        "base": {"tasks": f"{file}@{NEEDLE}", "task_args": {"base": True, "limit": 1, "reasoning_tokens": 1_000}},
        "least": {"tasks": f"{file}@{NEEDLE}", "task_args": {"limit": 99, "most_tokens": 7}, "limit": 2},
        "mixed": {"tasks": eight},
        "mixed again": {"tasks": eight, "log_format": "json"},
        "chinese": {"tasks": chinese},
        "epochs": {"tasks": chinese, "epochs": 2},
        "selected": {"tasks": f"{json.loads(some.out)['files'][0]}@{NEEDLE}"},
        "same epochs": {"tasks": chinese, "epochs": 2},
    }
    for name, options in order.items():
        options["log_dir"] = str(base / "logs" / name)
    (base / "order.json").write_text(json.dumps({"runs": list(order.values()), "says": said(folder)}))
    load_tokenizer("o200k_base")
    environment = os.environ | {
        # The mock model counts tokens.
        "TIKTOKEN_CACHE_DIR": str(cache_folder() / "tiktoken"),
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(base / "hf"),
        "XDG_DATA_HOME": str(base / "data"),
        "XDG_CACHE_HOME": str(base / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    script = SUPPORT / "inspect_runs.py"
    words = [sys.executable, script, base / "order.json", base / "found.json"]
    run = subprocess.run(words, env=environment, cwd=base, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr[-3_000:]
    results = json.loads((base / "found.json").read_text())
    (base / "results.json").write_text(json.dumps(dict(zip(order, results, strict=True))))


def said(folder: Path) -> dict[str, object]:
    """What the model says to each text: the gold, and where the same is asked again, odd things."""
    table, opened = loaded(folder), open_release(folder)
    golds = gold_responses(opened, list(opened.configs))
    says: dict[str, object] = {row["prompt"]: golds[key] for key, row in table.items()}
    says |= {row["prompt"] + row["answer_prefix"]: golds[key] for key, row in table.items()}
    needles = [row for row in table.values() if row["task"] == "single_needle" and row["bucket"] == "8k"]
    [chinese] = [row for row in table.values() if row["variant"] == "zh"]
    odd = [(needles[0], None), (needles[2], DATA), (needles[3], "attachment://0")]
    says |= {row["prompt"]: [golds[row["id"]], answer] for row, answer in odd}
    says[needles[1]["prompt"]] = ["", "   "]
    says[chinese["prompt"]] = [golds[chinese["id"]], "one", "another", "the same", "the same"]
    return says


# What Inspect does


@pytest.mark.integration
def test_every_config_runs_as_the_command_says(runs):
    logs = runs.results["own"]["logs"]
    assert {log["task"] for log in logs} == set(open_release(runs.release).configs)
    assert {(log["status"], log["error"], log["version"]) for log in logs} == {("success", None, "1.0.0")}


@pytest.mark.integration
def test_the_model_gets_the_prompt_to_the_byte(runs):
    got = [one for name in ("gold", "mixed") for one in runs.results[name]["got"]]
    wanted = [row for row in runs.rows.values() if row["variant"] != "zh"]
    assert sorted(one["text"] for one in got) == sorted(row["prompt"] for row in wanted)
    assert sum(HOSTILE in one["text"] for one in got) == 1
    budgets = {row["prompt"]: row["max_output_tokens"] for row in wanted}
    for one in got:
        assert one["roles"] == ["user"] and one["temperature"] == 0
        assert one["max_tokens"] == budgets[one["text"]]


@pytest.mark.integration
def test_the_log_holds_what_was_asked_and_what_a_viewer_filters_by(runs):
    for log in runs.results["own"]["logs"]:
        for key, sample in samples(log["file"]).items():
            row = runs.rows[key]
            assert sample["input"] == sample["messages"][0]["content"] == row["prompt"]
            assert sample["target"] == row["answers"]
            kept = sample["metadata"]
            for name in ("group", "bucket", "complexity", "depths", "metric", "facts", "max_output_tokens"):
                assert kept[name] == row[name]
            assert not {"prompt", "answers", "evidence"} & set(kept)
            assert sample["scores"]["carrara"]["metadata"] == {"metric": row["metric"]}


@pytest.mark.integration
def test_a_base_model_gets_the_answer_prefix_and_a_budget_on_top(runs):
    [got] = runs.results["base"]["got"]
    row = runs.rows["needlebench/single_needle_en/4k/00000"]
    assert got["text"] == row["prompt"] + row["answer_prefix"] and row["answer_prefix"] and HOSTILE in got["text"]
    assert got["roles"] == ["user"] and got["max_tokens"] == row["max_output_tokens"] + 1_000
    assert runs.results["base"]["logs"][0]["metrics"]["mean"] == 1


@pytest.mark.integration
def test_budgets_have_a_ceiling_and_both_limits_hold(runs):
    assert [one["max_tokens"] for one in runs.results["least"]["got"]] == [7, 7]


@pytest.mark.integration
def test_an_export_of_selected_rows_asks_them_alone(runs):
    assert [one["text"] for one in runs.results["selected"]["got"]] == [runs.rows[key]["prompt"] for key in SELECTED]


# Its logs


@pytest.mark.integration
@pytest.mark.parametrize("name", ["own", "gold", "mixed", "mixed again", "chinese"])
def test_a_log_scores_as_inspect_did(runs, name):
    for log in runs.results[name]["logs"]:
        done = here("score", runs.release, log["file"], "--config", log["task"], "--json")
        assert done.code == 0, done
        found = json.loads(done.out)["configs"][log["task"]]
        mean = log["metrics"]["mean"]
        # Inspect leaves out what ended with an error.
        assert (found["mean"] if name != "mixed again" else found["mean_answered"]) == pytest.approx(mean), log
        assert (mean == 1) == (name in ("gold", "chinese"))


@pytest.mark.integration
def test_the_rows_of_a_group_are_one_question(runs):
    [needles, sorting] = runs.results["gold"]["logs"]
    assert needles["task"] == NEEDLE and needles["metrics"]["stderr"] == sorting["metrics"]["stderr"] == 0
    groups: dict[str, list[float]] = {}
    [log] = runs.results["mixed"]["logs"]
    for sample in samples(log["file"]).values():
        groups.setdefault(sample["metadata"]["group"], []).append(sample["scores"]["carrara"]["value"])
    means = [sum(values) / len(values) for values in groups.values()]
    assert sorted(map(len, groups.values())) == [2, 2] and sorted(means) == [0.5, 1]
    # The standard error of two means that lie 1/2 apart.
    assert log["metrics"]["stderr"] == pytest.approx(0.25)


@pytest.mark.integration
def test_no_response_is_told_apart_from_an_empty_one(runs):
    ids = sorted(key for key in runs.rows if "/8k/" in key)
    first = read_responses(runs.results["mixed"]["logs"][0]["file"])
    assert first.texts[ids[1]] is None and first.reasons == {ids[1]: "content_filter"}
    assert None not in [first.texts[key] for key in ids if key != ids[1]]
    again = read_responses(runs.results["mixed again"]["logs"][0]["file"])
    assert again.texts == {ids[0]: None, ids[1]: "   ", ids[2]: DATA, ids[3]: "attachment://0"}
    assert again.reasons == {ids[0]: "error: RuntimeError('the endpoint is gone')"}


@pytest.mark.integration
def test_a_folder_of_logs_is_the_newest_of_every_task(runs, tmp_path):
    [gold] = [Path(log["file"]).parent for log in runs.results["gold"]["logs"][:1]]
    folder = shutil.copytree(gold, tmp_path / "logs")
    found = read_responses(folder)
    assert len(found.texts) == 6 and found == read_responses(str(folder))
    # An older log of the same model and task, and one that is newer and never ended.
    older = json.loads(Path(runs.results["mixed again"]["logs"][0]["file"]).read_text())
    (folder / "a.json").write_text(log_text(task=NEEDLE, created="2020-01-01T00:00:00+00:00", sample="x"))
    (folder / "b.json").write_text(log_text(task=NEEDLE, created="2999-01-01T00:00:00Z", sample="y", status="started"))
    (folder / "notes.json").write_text("{}")
    assert read_responses(folder) == found
    (folder / "c.json").write_text(log_text(task=NEEDLE, created="2999-01-01T00:00:00+09:00", sample="z"))
    assert set(read_responses(folder).texts) == {"z", *(key for key in found.texts if "sorting" in key)}
    assert older["eval"]["model"] == "mockllm/model"
    (folder / "d.json").write_text(log_text(task=NEEDLE, sample="z", model="other/model"))
    with pytest.raises(ResponsesError, match="logs of 2 models"):
        read_responses(folder)


@pytest.mark.integration
def test_epochs_are_samples(runs):
    for name, expected in (("epochs", 2), ("same epochs", 1)):
        read = read_responses(runs.results[name]["logs"][0]["file"])
        [(key, first)] = read.texts.items()
        assert len(read.of(key)) == 2 and len(set(read.of(key))) == expected and first is not None


# Logs that nobody vouches for


def log_text(task="t", created="2026-01-01T00:00:00Z", sample="x", status="success", model="mockllm/model") -> str:
    output = {"choices": [{"stop_reason": "stop"}], "completion": "said"}
    told = {"task": task, "created": created, "model": model}
    return json.dumps({"version": 2, "status": status, "eval": told, "samples": [{"id": sample, "output": output}]})


def archive(path: Path, members: dict[str, bytes], **options) -> Path:
    with zipfile.ZipFile(path, "w", **options) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return path


def sample_bytes(key="a", text="said", **more) -> bytes:
    output = {"choices": [{"stop_reason": "stop"}], "completion": text}
    return json.dumps({"id": key, "epoch": 1, "output": output, **more}).encode()


def refused(path: Path, match: str) -> None:
    with pytest.raises(ResponsesError, match=match) as caught:
        read_responses(path)
    told = str(caught.value)
    assert told.startswith(path.name) and len(told) < 600 and told.isprintable()


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_other_compressions_and_odd_names_are_read(tmp_path, how):
    names = ("samples/../../etc/passwd_epoch_1.json", "samples//x_epoch_2.json", "samples/a\x1b\n_epoch_3.json")
    members = {name: sample_bytes(str(number)) for number, name in enumerate(names)}
    members |= {"/etc/passwd": b"{", "samples/readme.txt": b"{", "summaries.json": b"["}
    found = read_responses(archive(tmp_path / "odd.eval", members, compression=how))
    assert found.texts == {"0": "said", "1": "said", "2": "said"}
    assert [one.name for one in tmp_path.iterdir()] == ["odd.eval"]


def test_of_a_name_that_stands_twice_the_last_counts(tmp_path):
    with zipfile.ZipFile(tmp_path / "twice.eval", "w") as made:
        made.writestr("samples/a_epoch_1.json", sample_bytes(text="first try"))
        with pytest.warns(UserWarning, match="Duplicate"):
            made.writestr("samples/a_epoch_1.json", sample_bytes(text="second try"))
    assert read_responses(tmp_path / "twice.eval").texts == {"a": "second try"}


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"{", "invalid JSON"),
        (b"[" * 100_000, "invalid JSON"),
        (b'"\xff"', "invalid JSON"),
        (b"[]", "no sample with an id"),
        (b"{}", "no sample with an id"),
        (sample_bytes(key=3), "got '3' as `id`"),
        (sample_bytes(key=""), "expected the id of a row"),
        (sample_bytes(key=["a"]), "got list as `id`"),
    ],
)
def test_a_broken_sample_is_refused(tmp_path, data, match):
    refused(archive(tmp_path / "broken.eval", {"samples/a_epoch_1.json": data}), match)


def test_what_an_archive_says_of_its_sizes_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(logs_inspect, "MAX_SAMPLE", 1 << 20)
    monkeypatch.setattr(logs_inspect, "MAX_BYTES", 3 << 20)
    bomb = {"samples/a_epoch_1.json": b" " * (64 << 20)}
    whole = archive(tmp_path / "bomb.eval", bomb, compression=zipfile.ZIP_DEFLATED)
    assert whole.stat().st_size < 1 << 20
    refused(whole, "more than 1,048,576 bytes")
    small = whole.read_bytes().replace(struct.pack("<L", 64 << 20), struct.pack("<L", 100))
    (tmp_path / "lie.eval").write_bytes(small)
    refused(tmp_path / "lie.eval", "got")
    many = {f"samples/{n}_epoch_1.json": sample_bytes(str(n), "x" * 900_000) for n in range(9)}
    refused(archive(tmp_path / "many.eval", many, compression=zipfile.ZIP_DEFLATED), "bytes, expected at most")


def test_a_bomb_of_zstandard_is_refused(tmp_path, monkeypatch):
    zstandard = pytest.importorskip("zstandard")
    monkeypatch.setattr(logs_inspect, "MAX_SAMPLE", 1 << 20)
    data = zstandard.compress(b" " * (64 << 20))
    plain = sample_bytes()
    for name, raw, size, expected in (
        ("bomb.eval", data, 64 << 20, "more than 1,048,576 bytes"),
        ("broken.eval", b"x" * 50, 50, "broken Zstandard"),
        ("cut.eval", zstandard.compress(plain)[:-3], len(plain), "got"),
        ("sum.eval", zstandard.compress(plain), len(plain), "another checksum"),
    ):
        refused(zstandard_archive(tmp_path / name, raw, size, 0), expected)
    frames = zstandard.compress(plain[:10]) + zstandard.compress(plain[10:])
    good = zstandard_archive(tmp_path / "frames.eval", frames, len(plain), zlib.crc32(plain))
    assert read_responses(good).texts == {"a": "said"}


def test_without_the_library_zstandard_a_log_says_what_to_do(tmp_path, monkeypatch):
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(zip_members.importlib, "import_module", missing)
    refused(zstandard_archive(tmp_path / "log.eval", b"x", 1, 0), "pip install zstandard")


def zstandard_archive(path: Path, raw: bytes, size: int, checksum: int) -> Path:
    """An archive of one sample with compressed data as given, which no standard library writes yet."""
    archive(path, {"samples/a_epoch_1.json": raw})
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = data.index(mark) + at
        data[place : place + 2] = struct.pack("<H", 93)
        data[place + 6 : place + 10] = struct.pack("<L", checksum)
        data[place + 14 : place + 18] = struct.pack("<L", size)
    path.write_bytes(data)
    return path


def test_an_archive_that_is_none_is_refused(tmp_path, monkeypatch):
    whole = archive(tmp_path / "whole.eval", {"samples/a_epoch_1.json": sample_bytes()}).read_bytes()
    for name, data in (
        ("empty.eval", b""),
        ("text.eval", b"not a log"),
        ("cut.eval", whole[:-30]),
        ("half.eval", whole[len(whole) // 2 :]),
        ("end.eval", b"PK\x05\x06" + b"\xff" * 18),
        ("nothing.eval", b"PK\x05\x06" + b"\0" * 18),
    ):
        (tmp_path / name).write_bytes(data)
        refused(tmp_path / name, "got")
    refused(archive(tmp_path / "lzma.eval", {"samples/a_epoch_1.json": b"{}"}, compression=zipfile.ZIP_LZMA), "14")
    locked = bytearray(whole)
    locked[whole.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "locked.eval").write_bytes(locked)
    refused(tmp_path / "locked.eval", "encryption")
    monkeypatch.setattr(zip_members, "MAX_DIRECTORY", 1_000)
    members = {f"samples/{number}_epoch_1.json": sample_bytes(str(number)) for number in range(20)}
    refused(archive(tmp_path / "long.eval", members), "directory of more than 1,000 bytes")


def test_a_log_in_json_is_bounded_and_known_by_its_beginning(tmp_path, monkeypatch):
    path = tmp_path / "log.json"
    path.write_text(log_text())
    assert read_responses(path).texts == {"x": "said"}
    for text, match in (
        (log_text()[:-5], "invalid JSON"),
        ('{"version": 2, "status": "success"}', "no samples"),
        ('{"version": 2, "status": "success", "samples": [1]}', "no sample with an id"),
    ):
        path.write_text(text)
        refused(path, match)
    path.write_text('{"id": "a", "response": "b"}')
    assert read_responses(path).texts == {"a": "b"}
    path.write_text(log_text())
    monkeypatch.setattr(logs_inspect, "MAX_JSON", 100)
    refused(path, "inspect log convert")


def test_a_folder_needs_logs_that_say_what_they_are(tmp_path):
    (tmp_path / "a.json").write_text('{"version": 2, "status": "success", "eval": {"task": "t"}}')
    with pytest.raises(ResponsesError, match="no task, model or date"):
        read_responses(tmp_path)


@pytest.mark.parametrize(
    ("output", "text", "why"),
    [
        ({"choices": [{"stop_reason": "stop"}], "completion": ""}, "", ""),
        ({"choices": [{"stop_reason": "max_tokens"}], "completion": "cut"}, "cut", ""),
        ({"choices": [{"stop_reason": "model_length"}], "completion": "cut", "usage": {"x": 1}}, "cut", ""),
        # Providers' words, not the model's.
        (
            {"choices": [{"stop_reason": "model_length"}], "completion": "prompt is\n too long", "usage": None},
            None,
            "model_length: prompt is too long",
        ),
        ({"choices": [{"stop_reason": "content_filter"}], "completion": "I can't.", "usage": {"x": 1}}, "I can't.", ""),
        ({"choices": [{"stop_reason": "stop"}], "completion": "", "error": "filtered"}, None, "stop: filtered"),
        ({"choices": [], "completion": ""}, None, "no output"),
        ({"choices": [3], "completion": 3}, None, "no output"),
        ({"choices": None}, None, "no output"),
        ({"choices": [{"stop_reason": [[]]}], "completion": "x", "error": [[]]}, "x", ""),
        ({"choices": [{"stop_reason": {}}], "completion": [], "error": {}}, None, "no output"),
        ({}, None, "no output"),
        (None, None, "no output"),
        ([1], None, "no output"),
    ],
)
def test_what_is_a_response(output, text, why):
    assert answered(output) == (text, why)


def test_why_a_completion_ended_and_what_was_thought(tmp_path):
    thought = {"content": [{"type": "reasoning", "reasoning": "said?"}]}
    outputs = {
        "a": {"choices": [{"stop_reason": "stop"}], "completion": "said"},
        "b": {"choices": [{"stop_reason": "max_tokens"}], "completion": "said"},
        "c": {"choices": [{"stop_reason": "max_tokens", "message": thought}], "completion": ""},
        "d": {
            "choices": [{"stop_reason": "stop", "message": {**thought, "reasoning_content": 1}}],
            "completion": "said",
        },
        # Without a completion the text of the message.
        "e": {"choices": [{"message": {"content": [*thought["content"], {"type": "text", "text": "said"}]}}]},
    }
    members = {
        f"samples/{key}_epoch_1.json": json.dumps({"id": key, "output": outputs[key]}).encode() for key in outputs
    }
    found = read_responses(archive(tmp_path / "log.eval", members))
    assert found.texts == {"a": "said", "b": "said", "c": "", "d": "said", "e": "said"}
    assert {key: (found.cut_short(key), found.still_thinking(key)) for key in outputs} == {
        "a": ((), ()), "b": ((0,), ()), "c": ((0,), (0,)), "d": ((), ()), "e": ((), ()),
    }  # fmt: skip


def test_samples_that_did_not_end_say_why(tmp_path):
    members = {
        "samples/a_epoch_1.json": sample_bytes("a", error={"message": "boom\n" + "x" * 9_999}),
        "samples/b_epoch_1.json": sample_bytes("b", error="boom"),
        "samples/c_epoch_1.json": sample_bytes("c", invalidation={"author": "me"}),
        "samples/d_epoch_1.json": json.dumps({"id": "d", "limit": {"type": "time", "limit": 1}}).encode(),
        "samples/f_epoch_1.json": sample_bytes("f", error={"message": [["x"]]}),
        "samples/g_epoch_1.json": json.dumps({"id": "g", "limit": {"type": [[]]}, "output": {}}).encode(),
        "samples/e_epoch_1.json": sample_bytes("e", limit={"type": "token", "limit": 1}),
    }
    found = read_responses(archive(tmp_path / "log.eval", members))
    assert found.texts == {"a": None, "b": None, "c": None, "d": None, "e": "said", "f": None, "g": None}
    assert len(found.reasons.pop("a")) == 300
    assert found.reasons == {
        "b": "error: boom",
        "c": "declared invalid",
        "d": "no output, limit: time",
        "f": "error",
        "g": "no output, limit",
    }


# What is written


def forged(release: Path, *configs: str, **content):
    opened = open_release(release)
    facts = next(iter(opened.configs.values()))
    return with_content(opened, configs=dict.fromkeys(configs, facts), **content)


def test_names_of_configs_become_names_of_tasks():
    names = ["a-b_4k", "a.b_4k", "a_b_4k", "9needles", "import", "Rows", "of", "task", "len", "random", "Any"]
    made = tasks(names)
    assert list(made) == names and len(set(made.values())) == len(names)
    assert all(name.isidentifier() for name in made.values())
    assert made["a-b_4k"] == "a_b_4k" and made["a.b_4k"] == "a_b_4k_2" and made["9needles"] == "_9needles"
    assert not {"Rows", "of", "task", "len", "random", "import"} & set(made.values())


def test_nothing_of_a_release_is_code(release, tmp_path):
    names = ["Rows", "of", "import", "x" * 128, "a-b", "a.b"]
    odd = shutil.copytree(release, tmp_path / 'it\'s "odd"\n{NAME} \\ 雪😀')
    [path] = write(forged(odd, *names), tmp_path / "out")
    tree = ast.parse(path.read_text())
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    values = {
        one.targets[0].id if isinstance(one, ast.Assign) else one.target.id: one.value.value
        for one in tree.body
        if isinstance(one, (ast.Assign, ast.AnnAssign)) and isinstance(one.value, ast.Constant)
    }
    assert values == {"NAME": "small", "VERSION": "1.0.0", "RELEASE": str(odd.resolve()), "REVISION": None}
    called = [functions[name].body[-1].value.args[0].value for name in tasks(names).values()]
    assert called == names
    assert path.read_bytes().isascii() and path.name == "small_1_0_0.py"


def test_a_repository_on_the_hub_takes_the_place_of_the_folder(release, tmp_path):
    done = here("export", "inspect", release, "--out", tmp_path / "out", "--repo", "me/small")
    assert done.code == 0 and done.out.startswith(str(tmp_path / "out" / "small_1_0_0.py")) and not done.err
    assert f"carrara score {release} logs" in done.out and "4 tasks of small@1.0.0" in done.out
    text = (tmp_path / "out" / "small_1_0_0.py").read_text()
    assert "RELEASE = 'me/small'" in text and "REVISION: str | None = '1.0.0'" in text and str(release) not in text
    again = here("export", "inspect", release, "--out", tmp_path / "out", "--repo", "me/small", "--revision", "v2")
    assert again.code == 0 and "= 'v2'" in (tmp_path / "out" / "small_1_0_0.py").read_text()
    for words in (("--repo", "small"), ("--repo", "me/small\n"), ("--repo", "../x/y"), ("--revision", "1.0.0")):
        assert is_refusal(here("export", "inspect", release, "--out", tmp_path / "no", *words), words[0])
    assert is_refusal(
        here("export", "inspect", release, "--out", tmp_path / "no", "--repo", "a/b", "--revision", "-x"),
        "expected a tag",
    )
    assert not (tmp_path / "no").exists()


def write_torn(out: Path, name: str) -> Path:
    torn = out / f".{name}.4000000.tmp"
    torn.write_text("torn")
    os.utime(torn, (0, 0))
    return torn


def test_only_earlier_exports_are_written_over(release, tmp_path):
    out = tmp_path / "out"
    opened = open_release(release)
    [path] = write(opened, out)
    (out / "__pycache__").mkdir()
    # Of an export that was killed.
    torn = write_torn(out, path.name)
    before = path.read_bytes()
    path.write_bytes(before + b"# edited\n")
    write(forged(release, "a", name="other"), out)
    assert write(opened, out) == [path] and path.read_bytes() == before and not torn.exists()
    assert sorted(one.name for one in out.iterdir()) == ["__pycache__", "other_1_0_0.py", "small_1_0_0.py"]
    # Names that differ in what no module may hold.
    write(forged(release, "a", name="a.b"), out)
    with pytest.raises(CarraraError, match="is the export of"):
        write(forged(release, "a", name="a_b"), out)
    (out / "notes.txt").write_text("mine")
    with pytest.raises(CarraraError, match=r"holds 'notes\.txt'"):
        write(opened, out)
    (out / "notes.txt").rename(out / "notes.py")
    with pytest.raises(CarraraError, match=r"holds 'notes\.py'"):
        write(opened, out)
    (out / "notes.py").unlink()
    (tmp_path / "elsewhere.py").write_bytes(before)
    (out / "link.py").symlink_to(tmp_path / "elsewhere.py")
    with pytest.raises(CarraraError, match=r"holds 'link\.py'"):
        write(opened, out)
    for name in ("a[1]", "a*", "a::b"):
        with pytest.raises(CarraraError, match="a pattern character"):
            write(replace(opened, place=Folder(tmp_path / name)), tmp_path / "new")
    with pytest.raises(CarraraError, match="expected a folder"):
        write(opened, tmp_path / "elsewhere.py")
    assert is_refusal(here("export", "inspect", tmp_path, "--out", tmp_path / "new"), "is not a release")
