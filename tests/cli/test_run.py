"""`carrara run` through both harnesses against a real server: killed, interrupted, refused by it, and not paid for."""

import json
import os
import signal
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from commands import CONFIGS, Running, common, here, is_refusal, release, run, wait_for
from endpoint import completion, endpoint

from carrara.making.proofs import gold_responses
from carrara.release.reader import open_release, rows
from carrara.scoring import read_responses

__all__ = ["common", "endpoint", "release"]
KEY = "sk-run-0123456789abcdef"
WRONG = "I cannot say."
HARNESSES = ["inspect", "lm-eval"]
LIBRARIES = {"inspect": "inspect_ai", "lm-eval": "lm_eval"}


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, common):
    """A key, no proxy, and folders of its own for what the harnesses keep."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("HF_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(common / "run" / name))


@pytest.fixture(params=HARNESSES)
def harness(request):
    if find_spec(LIBRARIES[request.param]) is None:
        pytest.skip(f"needs {request.param}: pip install -e '.[{request.param}]'")
    return request.param


class Model:
    """A model of known accuracy behind the endpoint: every third row wrong. What it is sent is by row id."""

    def __init__(self, endpoint, release: Path) -> None:
        opened = open_release(release)
        golds = gold_responses(opened, list(opened.configs))
        self.rows = {row["id"]: row for config in opened.configs for row in rows(opened, config)}
        self.says = {key: WRONG if number % 3 == 0 else golds[key] for number, key in enumerate(sorted(self.rows))}
        self.by_prompt = {row["prompt"]: key for key, row in self.rows.items()}
        self.endpoint = endpoint
        endpoint.answer = lambda body: completion(self.says[self.row_of(body)])

    def row_of(self, body) -> str:
        [message] = body["messages"]
        assert message["role"] == "user" and body["model"] == "tester"
        return self.by_prompt[message["content"]]

    def asked(self) -> Counter[str]:
        return Counter(map(self.row_of, self.endpoint.bodies))


@pytest.fixture
def model(endpoint, release):
    return Model(endpoint, release)


def words(model, release, out, *more):
    return ("run", release, "--model", "tester", "--base-url", model.endpoint.url, "--out", out, "--yes", *more)


def lines(out: Path) -> dict[str, dict]:
    table = [json.loads(line) for line in (out / "responses.jsonl").read_text().splitlines()]
    assert len({row["id"] for row in table}) == len(table)
    return {row["id"]: row for row in table}


def holds(folder: Path, text: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@pytest.mark.integration
def test_a_run_that_is_killed_twice_asks_no_row_again_that_was_answered(model, release, tmp_path, harness):
    out, server = tmp_path / "runs" / "tester", model.endpoint
    server.seconds = 0.4
    options = words(model, release, out, "--harness", harness, "--workers", 2, "--extra", '{"top_p": 1, "odd": [2]}')
    options = (*options, "--reasoning-tokens", 100)
    done_before: set[str] = set()
    for some in (3, 7):
        running = Running(*options)
        assert wait_for(lambda enough=some: len(answered(out)) >= enough, 60), running.done()
        os.killpg(running.process.pid, signal.SIGKILL)
        running.done()
        assert done_before < answered(out)
        done_before = answered(out)
    before = model.asked()
    done = run(*options)
    assert done.code == 0 and "Traceback" not in done.err, done
    assert f"{len(done_before)} answered before" in done.err
    asked = model.asked()
    assert set(asked) == set(model.rows) and all(asked[key] == before[key] for key in done_before)
    # Two kills with two requests under way each.
    assert asked.total() - len(asked) <= 4
    assert all(body["max_tokens"] == budget(model, body) + 100 for body in server.bodies)
    assert all(body["top_p"] == 1 and body["odd"] == [2] and body["temperature"] == 0 for body in server.bodies)
    assert server.authorizations == {f"Bearer {KEY}"} and f"the key in OPENAI_API_KEY goes to {server.url}" in done.err
    assert holds(tmp_path, KEY) == []
    found = lines(out)
    assert {key: row["response"] for key, row in found.items()} == model.says
    assert read_responses(out / "responses.jsonl").texts == model.says
    assert read_responses(out / "logs").texts == model.says
    scores = {row["id"]: row["score"] for row in json.loads((out / "result.json").read_text())["scores"]}
    assert {key for key, score in scores.items() if score == 1} == {key for key in model.says if right(model, key)}
    again = run(*options)
    assert again.code == 0 and "none to ask" in again.err and again.out == done.out
    assert model.asked() == asked
    endpoints = {session["endpoint"] for session in json.loads((out / "run.json").read_text())["sessions"]}
    assert endpoints == {server.url}
    assert is_refusal(here(*options[:-1], 200), "its reasoning_tokens is 100, got 200", "another folder: --out")


def answered(out: Path) -> set[str]:
    """The rows with an answer, by a file that may end in half a line."""
    text = (out / "responses.jsonl").read_text() if (out / "responses.jsonl").exists() else ""
    found = map(json.loads, text[: text.rfind("\n") + 1].splitlines())
    return {row["id"] for row in found if row["response"] is not None}


def budget(model, body) -> int:
    return model.rows[model.row_of(body)]["max_output_tokens"]


def right(model, key) -> bool:
    return model.says[key] != WRONG


@pytest.mark.integration
def test_rows_that_the_endpoint_refuses_are_named_counted_and_asked_again(model, release, tmp_path, harness):
    out, server = tmp_path / "run", model.endpoint
    long = sorted(model.rows)[1]
    server.refuses = lambda body: model.row_of(body) == long
    server.faults = ["busy 1", "500"]
    options = words(model, release, out, "--harness", harness, "--retries", 1, "--workers", 3)
    done = run(*options)
    assert done.code == 1, done
    assert f"  {long}  error 400: " in done.err and "unsupported parameter" in done.err
    assert model.asked()[long] == 1, model.asked()
    assert "the same command asks them again: 1\n" in done.err
    found = lines(out)
    assert found.keys() == model.rows.keys() and found[long]["response"] is None
    assert {key: row["response"] for key, row in found.items() if key != long} == {
        key: text for key, text in model.says.items() if key != long
    }
    scores = {row["id"]: row["score"] for row in json.loads((out / "result.json").read_text())["scores"]}
    assert scores.keys() == model.rows.keys() and scores[long] is None
    before = server.requests
    server.refuses = lambda body: False
    assert run(*options).code == 0
    assert server.requests == before + 1 and lines(out)[long]["response"] == model.says[long]


@pytest.mark.integration
def test_what_no_row_would_get_past_ends_the_run(model, release, tmp_path, harness):
    status, hint = {"inspect": (401, "--key-env"), "lm-eval": (404, "--base-url")}[harness]
    out, model.endpoint.faults, model.endpoint.models = tmp_path / "run", [str(status)] * 99, ["tester-2"]
    done = run(*words(model, release, out, "--harness", harness, "--retries", 0, "--workers", 2))
    assert is_refusal(done, f"the endpoint answered {status}", hint, "0 of 11 answers kept"), done
    assert "does not list a model 'tester'" in done.err and "did you mean 'tester-2'?" in done.err
    # What the endpoint says repeats the key.
    assert KEY not in done.err and holds(out, KEY) == []
    assert {row["response"] for row in lines(out).values()} == {None}
    assert model.endpoint.requests <= 4


@pytest.mark.integration
def test_interrupted_it_says_what_is_kept(model, release, tmp_path, harness):
    out, server = tmp_path / "run", model.endpoint
    server.seconds = 0.4
    running = Running(*words(model, release, out, "--harness", harness, "--workers", 2))
    assert wait_for(lambda: len(answered(out)) >= 3, 60), running.done()
    running.process.send_signal(signal.SIGINT)
    done = running.done()
    assert done.code not in (0, 1, 2, 70) and "Traceback" not in done.err, done
    assert "answers kept: run the same command to go on" in done.err
    kept = [row for row in lines(out).values() if row["response"] is not None]
    # A row that was never sent has no line.
    assert 3 <= len(kept) <= len(lines(out)) < 11


@pytest.mark.integration
def test_thoughts_are_kept_apart_and_a_cut_answer_is_named(model, release, tmp_path, harness):
    config = CONFIGS[0]
    first, second = (key for key, row in model.rows.items() if f"{row['task']}_{row['variant']}_4k" == config)
    odd = {first: completion("the answer", reasoning_content="it may be"), second: completion("cut", "length")}
    model.endpoint.answer = lambda body: odd[model.row_of(body)]
    done = run(*words(model, release, tmp_path / "run", "--config", config, "--harness", harness))
    assert done.code == 0, done
    found = lines(tmp_path / "run")
    assert found[first]["response"] == "the answer" and found[first]["thoughts"] == "it may be"
    assert {(row["tokens_in"], row["tokens_out"]) for row in found.values()} == {(100, 200)}
    assert found[second]["stop"] == "max_tokens" and "1 row cut at the output limit" in " ".join(done.out.split())
    told = json.loads((tmp_path / "run" / "result.json").read_text())
    again = json.loads(here("score", release, tmp_path / "run", "--json").out)
    assert told["cut"] == again["cut"] and told["cut"]["first"] == [second] and told["cut"]["overall"]["rows"] == 1


@pytest.mark.integration
def test_thoughts_that_are_cut_are_an_empty_response_and_no_missing_one(model, release, tmp_path, harness):
    config = CONFIGS[0]
    model.endpoint.answer = lambda body: completion(None, "length", reasoning_content="it may be")
    done = run(*words(model, release, tmp_path / "run", "--config", config, "--harness", harness))
    assert done.code == 0, done
    assert {row["response"] for row in lines(tmp_path / "run").values()} == {""}
    told = json.loads((tmp_path / "run" / "result.json").read_text())
    assert [told[name]["count"] for name in ("missing", "empty", "cut", "thinking")] == [0, 0, 2, 2]


@pytest.mark.integration
def test_a_limited_run_of_selected_rows_is_scored_over_what_it_asked(model, release, tmp_path, harness):
    out, ids = tmp_path / "run", tmp_path / "ids.txt"
    # None is its config's first, and there are gaps.
    ids.write_text("".join(f"{key}\n" for key in model.rows if key[-1] in "13"))
    options = ("--ids", ids, "--limit", 4, "--harness", harness)
    done = run(*words(model, release, out, *options))
    assert done.code == 0 and "4 of 5 rows" in done.err, done
    told = json.loads((out / "result.json").read_text())
    asked = {row["id"] for row in told["scores"]}
    assert set(model.asked()) == asked == set(lines(out)) and all(key[-1] in "13" for key in asked)
    again = json.loads(here("score", release, out, "--json").out)
    assert again["model"] == told["model"] == "tester" and again["missing"]["count"] == 0
    assert again["configs"] == told["configs"] and again["cells"] == told["cells"] and len(again["scores"]) == 4
    # Killed before an answer: a row that was to be asked is missing, and the others are not.
    kept = [line for line in (out / "responses.jsonl").read_text().splitlines(True) if "en/4k/00003" not in line]
    (out / "responses.jsonl").write_text("".join(kept))
    again = json.loads(here("score", release, out, "--json").out)
    assert again["missing"]["first"] == ["needlebench/single_needle_en/4k/00003"] and len(again["scores"]) == 4
    assert is_refusal(here(*words(model, release, out, "--harness", harness)), "holds another run")


# What is refused before anything is asked


def test_it_says_first_what_it_takes(model, release, tmp_path):
    pytest.importorskip("inspect_ai")
    out = tmp_path / "run"
    done = here(*words(model, release, out, "--estimate", "--limit", 4, "--price-in", 2, "--price-out", 1, "--json"))
    facts = json.loads(done.out)
    assert facts["rows"] == facts["left"] == 4 and facts["buckets"] == {"4k": 3, "8k": 1}
    assert facts["cost"] == pytest.approx((2 * facts["tokens_in"] + facts["tokens_out"]) / 1e6, abs=1e-6)
    assert "small@1.0.0: 4 of 11 rows (3 at 4k, 1 at 8k)\nto ask: 4 rows, " in done.err and not out.exists()
    told = here(*words(model, release, out, "--estimate", "--bucket", "8k")).out
    assert "4 rows (4 at 8k)" in told and "cost unknown" in told
    assert is_refusal(here(*words(model, release, out)[:-1]), "no terminal", "--yes")
    assert is_refusal(here(*words(model, release, out, "--limit-tokens", 9)), "over --limit-tokens 9")
    assert is_refusal(here(*words(model, release, out, "--extra", '{"max_tokens": 9}')), "the command sets it")
    assert is_refusal(here(*words(model, release, out, "--bucket", "32k")), "got bucket '32k'")
    assert model.endpoint.requests == 0 and not out.exists()


def test_a_key_goes_nowhere_in_clear_and_no_folder_is_taken_over(model, release, tmp_path):
    pytest.importorskip("inspect_ai")
    away = ("run", release, "--model", "m", "--base-url", "http://example.org/v1", "--out", tmp_path / "a", "--yes")
    assert is_refusal(here(*away), "would travel unencrypted", "https")
    assert is_refusal(here(*away, "--key-env", "NO_SUCH_KEY"), "no such variable is set")
    assert is_refusal(here(*away[:4], "--base-url", "http://user:pass@x/v1", *away[6:]), "plain address")
    assert is_refusal(here(*away[:4], "--base-url", "http://127.0.0.1:9/v1", *away[6:]), "no connection to", "Start")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "notes.txt").write_text("mine")
    assert is_refusal(here(*words(model, release, tmp_path / "b")), "holds no run")
    assert not (tmp_path / "a").exists() and [one.name for one in (tmp_path / "b").iterdir()] == ["notes.txt"]


@pytest.mark.integration
def test_a_file_of_settings_that_lies_in_a_release_names_no_key_and_no_endpoint(model, release, tmp_path, monkeypatch):
    pytest.importorskip("inspect_ai")
    monkeypatch.delenv("OPENAI_API_KEY")
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY=stolen\nOPENAI_BASE_URL={model.endpoint.url}\n")
    inside = ("run", release, "--model", "openai/tester", "--out", tmp_path / "run", "--yes", "--retries", 0)
    assert is_refusal(run(*inside, cwd=tmp_path), "OPENAI_API_KEY", "PROVIDER/NAME")
    assert model.endpoint.requests == 0
