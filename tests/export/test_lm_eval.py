"""lm-evaluation-harness runs an exported release: prompts to the byte, our scores, and its logs scored again."""

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from commands import CONFIGS, alone, common, here, is_refusal, recipe, release, relist
from endpoint import Endpoint, completion
from folders import SUPPORT
from unchecked import unchecked, with_content

from carrara.errors import CarraraError, ReleaseError
from carrara.export import lm_eval_functions
from carrara.export.lm_eval import FUNCTIONS, quoted, write
from carrara.making.proofs import gold_response
from carrara.release.reader import open_release, rows
from carrara.release.schema import ConfigFacts
from carrara.row import SCHEMA

__all__ = ["common", "recipe", "release"]

# What templates, YAML, terminals and careless code would change. None is a letter or digit that a scorer would read.
HOSTILE = [
    "{{7*7}} {% raw %}{{ prompt }}{% endraw %} {# #}",
    "\ufeff \t first and last white space \r\n\n\n",
    "!function os.system $(x) `x` %s {0} \\n \\u0041 '''\"\"\"",
    "月光石 \U0001f600 e\u0301 \u2028\u2029\u202e\u0085\x1b[31m\x7f\x01 <|endoftext|>",
]
ODD = "a \"b\" 'c' 月 \U0001f600 #: {{d}}"
PREFIXES = ["Answer:", "", "回答：", "Answer:\n"]


def make_odd(release: Path, folder: Path) -> Path:
    """The small release in a folder with an odd name, its prompts hostile."""
    odd = shutil.copytree(release, folder / ODD)
    number = 0
    for facts in open_release(odd).configs.values():
        for file in facts.files:
            found = pq.read_table(odd / file).to_pylist()
            for row in found:
                row["prompt"] = f"{HOSTILE[number % 4]}{row['id']}{HOSTILE[number // 2 % 4]}"
                row["answer_prefix"] = PREFIXES[number % 4]
                number += 1
            pq.write_table(SCHEMA.empty_table().from_pylist(found, schema=SCHEMA), odd / file, use_dictionary=False)
    relist(odd, *CONFIGS)
    return odd


def make_run(odd: Path, folder: Path) -> None:
    """Run the exported release as `carrara export` says: by a chat model that knows all, a base model that knows every
    other answer, and an endpoint; keep what each was sent.
    """
    told = here("export", "lm-eval", odd, "--out", folder / "tasks")
    assert told.code == 0, told
    commands = []
    for line, kind in zip(re.findall("^  lm_eval run .+", told.out, re.MULTILINE), ("chat", "base"), strict=True):
        words = shlex.split(line)
        changes = {"--model": "table", "--model_args": "pretrained=some/model", "--output_path": str(folder / kind)}
        for option, value in changes.items():
            words[words.index(option) + 1] = value
        commands.append(words)
    answers = {}
    for config in CONFIGS:
        for number, row in enumerate(rows(open_release(odd), config)):
            gold = gold_response(tuple(row["answers"]), row["metric"])
            answers[json.dumps([{"role": "user", "content": row["prompt"]}])] = gold
            if number % 2 == 0:
                answers[row["prompt"] + row["answer_prefix"]] = f" {gold}\n\n"
    with served(answers) as server:
        changes = {
            "--tasks": f"carrara_small_{CONFIGS[1]}",
            "--model": "local-chat-completions",
            "--model_args": f"model=some,base_url={server.url}/chat/completions,max_retries=1",
            "--output_path": str(folder / "api"),
        }
        words = list(commands[0])
        for option, value in changes.items():
            words[words.index(option) + 1] = value
        repeats = list(commands[0])
        repeats[repeats.index("--tasks") + 1] = "repeated"
        repeats[repeats.index("--output_path") + 1] = str(folder / "repeats")
        lines = f"include: carrara_small_{CONFIGS[0]}.yaml\ntask: repeated\nrepeats: 3\n"
        (folder / "tasks" / "repeated.yaml").write_text(lines)
        job = {"commands": [*commands, words, repeats], "answers": answers, "received": str(folder / "received.json")}
        (folder / "job.json").write_text(json.dumps(job))
        done = subprocess.run(
            [sys.executable, SUPPORT / "harness_jobs.py", folder / "job.json"],
            env={
                **os.environ,
                **{name: str(folder / "cache") for name in ("HF_HOME", "HF_DATASETS_CACHE")},
                **{"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "NO_PROXY": "127.0.0.1"},
                "PYTHONPATH": str(Path(lm_eval_functions.__file__).parents[2]),
            },
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr[-4000:]
    (folder / "ran.json").write_text(json.dumps({"told": told.out, "bodies": server.bodies}))


class Ran:
    """What a run of the harness left."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.release = folder, folder / ODD
        self.rows = {name: list(rows(open_release(self.release), name)) for name in CONFIGS}
        self.received = json.loads((folder / "received.json").read_text())
        ran = json.loads((folder / "ran.json").read_text())
        self.told, self.bodies = ran["told"], ran["bodies"]

    def results(self, kind: str) -> dict[str, dict]:
        (path,) = (self.folder / kind).glob("*/results_*.json")
        return json.loads(path.read_text())["results"]

    def samples(self, kind: str) -> list[Path]:
        return sorted((self.folder / kind).glob("*/samples_*.jsonl"))


@pytest.fixture(scope="session")
def ran(common, release) -> Ran:
    """The harness's runs, made by the first test process that wants them."""
    if find_spec("lm_eval") is None:
        pytest.skip("needs lm_eval: pip install -e '.[harness]'")
    folder = common / "lm-eval"
    with alone(common):
        if not (folder / "ran.json").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make_run(make_odd(release, folder), folder)
    return Ran(folder)


@contextlib.contextmanager
def served(answers: dict[str, str]) -> Iterator[Endpoint]:
    """An endpoint that knows the same answers, and whose first answer is none."""
    server = Endpoint()

    def answer(body: dict) -> dict:
        made = completion(answers[json.dumps(body["messages"])] if len(server.bodies) > 1 else None)
        made["choices"][0]["index"] = 0
        return made

    server.answer = answer
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def sent(ran: Ran, config: str, kind: str = "") -> list[tuple[str, dict]]:
    return [(text, options) for task, text, options in ran.received if task == f"carrara_small_{config}{kind}"]


@pytest.mark.integration
@pytest.mark.parametrize("config", CONFIGS)
def test_prompts_arrive_to_the_byte(ran, config):
    chat = [json.loads(text) for text, _ in sent(ran, config)]
    assert chat == [[{"role": "user", "content": row["prompt"]}] for row in ran.rows[config]]
    base = [text for text, _ in sent(ran, config, "_base")]
    assert base == [row["prompt"] + row["answer_prefix"] for row in ran.rows[config]]


@pytest.mark.integration
@pytest.mark.parametrize("config", CONFIGS)
def test_decoding_is_greedy_and_nothing_cuts_an_answer(ran, config):
    longest = max(row["max_output_tokens"] for row in ran.rows[config])
    wanted = {"until": [], "do_sample": False, "temperature": 0.0, "max_gen_toks": longest}
    assert all(options == wanted for kind in ("", "_base") for _, options in sent(ran, config, kind))


@pytest.mark.integration
def test_an_endpoint_is_sent_the_same(ran):
    found = {body["messages"][0]["content"]: body for body in ran.bodies}
    assert set(found) == {row["prompt"] for row in ran.rows[CONFIGS[1]]} and len(ran.bodies) == len(found)
    longest = max(row["max_output_tokens"] for row in ran.rows[CONFIGS[1]])
    for body in ran.bodies:
        assert [message["role"] for message in body["messages"]] == ["user"]
        assert (body["stop"], body["temperature"], body["max_tokens"]) == ([], 0.0, longest)
    scores = sorted(row["score"] for row in scored(ran, ran.folder / "api")["scores"] if row["score"] is not None)
    assert scores == [0.0] + [1.0] * (len(ran.bodies) - 1)


@pytest.mark.integration
def test_golds_score_1_by_the_metric_of_the_row(ran):
    found = ran.results("chat")
    for config in CONFIGS:
        metric = ran.rows[config][0]["metric"]
        assert found[f"carrara_small_{config}"][f"{metric},none"] == 1.0
        assert found[f"carrara_small_{config}"]["alias"] == config
    assert set(found) == {"carrara_small", "carrara_small_4k", "carrara_small_8k"} | {
        f"carrara_small_{config}" for config in CONFIGS
    }


def scored(ran: Ran, *responses: Path) -> dict:
    done = here("score", ran.release, *responses, "--json")
    assert done.code == 0, done
    return json.loads(done.out)


@pytest.mark.integration
def test_the_logged_samples_score_as_the_harness_says(ran):
    found = ran.results("base")
    table = scored(ran, ran.folder / "base")
    assert table["missing"]["count"] == table["unknown"]["count"] == 0
    means = {name: one["mean"] for name, one in table["configs"].items()}
    assert set(means) == set(CONFIGS) and 0 < sum(means.values()) < len(CONFIGS)
    for config in CONFIGS:
        metric = ran.rows[config][0]["metric"]
        assert found[f"carrara_small_{config}_base"][f"{metric},none"] == pytest.approx(means[config], abs=1e-4)
    logged = {}
    for file in ran.samples("base"):
        # Not splitlines, which also splits at the line separators of a prompt.
        for line in file.read_text(encoding="utf-8").strip().split("\n"):
            sample = json.loads(line)
            logged[sample["doc"]["id"]] = sample[sample["doc"]["metric"]]
    assert {row["id"]: row["score"] for row in table["scores"]} == pytest.approx(logged)


@pytest.mark.integration
def test_files_are_as_good_as_their_folder(ran):
    (model,) = (ran.folder / "chat").iterdir()
    table = scored(ran, *ran.samples("chat"))
    assert table["scores"] == scored(ran, ran.folder / "chat")["scores"] == scored(ran, model)["scores"]
    assert table["model"] == model.name == "some__model"
    assert all(row["score"] == 1.0 for row in table["scores"])
    one = scored(ran, ran.samples("chat")[0])
    assert list(one["configs"]) == [CONFIGS[0]] and sorted(one["not_run"]) == sorted({*CONFIGS} - {CONFIGS[0]})


@pytest.mark.integration
def test_repeats_are_samples_of_a_row(ran):
    table = scored(ran, ran.folder / "repeats")
    assert table["samples"]["samples"] == 3 and table["overall"]["mean"] == 1
    assert [row["samples"] for row in table["scores"]] == [[1.0] * 3] * len(ran.rows[CONFIGS[0]])


@pytest.mark.integration
def test_two_models_and_two_answers_are_refused(ran, tmp_path):
    done = here("score", ran.release, *ran.samples("chat"), *ran.samples("base"))
    assert is_refusal(done, "two different responses for", "keep one of them")
    for name in ("one", "two"):
        shutil.copytree(next((ran.folder / "chat").iterdir()), tmp_path / "out" / name)
    assert is_refusal(here("score", ran.release, tmp_path / "out"), "samples of 2 models ('one', 'two')")
    assert scored(ran, tmp_path / "out" / "two")["missing"]["count"] == 0


@pytest.mark.integration
def test_samples_of_another_release_are_refused(ran, tmp_path):
    file = tmp_path / "samples_x_2026-01-01T00-00-00.jsonl"
    text = ran.samples("chat")[0].read_text(encoding="utf-8")
    file.write_text(text.replace('"id": "verbatimeval/', '"id": "elsewhere/'), encoding="utf-8")
    assert is_refusal(here("score", ran.release, file), "none to a row of small@1.0.0", "expected the ids of rows")


@pytest.mark.integration
def test_what_is_told_is_what_is_needed(ran):
    release = open_release(ran.release)
    needed = max(one.tokens.max + one.output_tokens.max for one in release.configs.values())
    assert f"  carrara_small  {needed:,}\n" in ran.told and f"max_length={needed}" in ran.told
    assert "--tasks carrara_small_base " in ran.told and ran.told.count("--apply_chat_template") == 1
    assert f"carrara score {shlex.quote(str(ran.release))} results/MODEL" in ran.told


# Written without the harness


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_every_config_has_two_tasks_and_nothing_else_is_written(release, tmp_path):
    written = write(open_release(release), tmp_path / "a")
    groups = {f"carrara_small{name}" for name in ("", "_4k", "_8k")}
    tasks = {f"carrara_small_{config}" for config in CONFIGS}
    names = {f"{name}{kind}.yaml" for name in groups | tasks for kind in ("", "_base")} | {f"{FUNCTIONS}.py"}
    assert {path.name for path in written} == set(files(tmp_path / "a")) == names and len(written) == len(names)
    assert all(data.isascii() for name, data in files(tmp_path / "a").items() if name.endswith(".yaml"))
    functions = (tmp_path / "a" / f"{FUNCTIONS}.py").read_text()
    assert functions.startswith(Path(lm_eval_functions.__file__).read_text())
    metrics = {facts.metric for facts in open_release(release).configs.values()}
    assert set(re.findall('return score\\(doc, results, "(.+)"\\)', functions)) == metrics


def test_an_earlier_export_is_replaced(release, tmp_path):
    out, opened = tmp_path / "a", open_release(release)
    fewer = with_content(opened, configs={CONFIGS[0]: opened.configs[CONFIGS[0]]})
    write(opened, out)
    whole = files(out)
    (out / "__pycache__").mkdir()
    # Of an export that was killed just now.
    (out / ".carrara_small.yaml.4000000.tmp").write_text("torn")
    assert write(fewer, out) and len(list(out.iterdir())) == 9
    (out / ".carrara_small.yaml.4000000.tmp").unlink()
    (out / "__pycache__").rmdir()
    write(opened, out)
    assert files(out) == whole


@pytest.mark.parametrize("what", ["file", "yaml", "link", "functions", "folder"])
def test_a_folder_of_something_else_is_left_alone(release, tmp_path, what):
    out, opened = tmp_path / "a", open_release(release)
    if what != "file":
        write(opened, out)
    yaml = out / "carrara_small.yaml"
    if what == "file":
        out.write_text("mine")
    elif what == "yaml":
        yaml.write_text("task: mine")
    elif what == "link":
        yaml.rename(tmp_path / "elsewhere.yaml")
        yaml.symlink_to(tmp_path / "elsewhere.yaml")
    elif what == "functions":
        (out / f"{FUNCTIONS}.py").unlink()
    else:
        (out / "carrara_mine.yaml").mkdir()
    before = sorted(out.rglob("*")) if out.is_dir() else out.read_text()
    assert is_refusal(here("export", "lm-eval", release, "--out", out), "a new or empty folder")
    assert (sorted(out.rglob("*")) if out.is_dir() else out.read_text()) == before


def test_nothing_is_written_into_a_release(release):
    for out in (release, release / "tasks"):
        assert is_refusal(here("export", "lm-eval", release, "--out", out), "inside the release")
    assert not (release / "tasks").exists()


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"metric": "citations@hf:evil"}, "does not know"),
        ({"metric": 'x"\nevil: 1'}, "does not know"),
        ({"bucket": "4k\nevil: 1"}, "expected one like 32k"),
        ({"output_tokens": {"max": 0}}, "at least 1"),
        ({"output_tokens": {"max": 1.5}}, "at least 1"),
    ],
)
def test_a_hostile_manifest_writes_nothing(release, tmp_path, facts, said):
    opened = open_release(release)
    configs = {**opened.configs, CONFIGS[1]: unchecked(ConfigFacts, opened.configs[CONFIGS[1]].to_json() | facts)}
    with pytest.raises(ReleaseError, match=said):
        write(with_content(opened, configs=configs), tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_a_release_without_configs_is_refused(release, tmp_path):
    opened = open_release(release)
    with pytest.raises(ReleaseError, match="no configs"):
        write(with_content(opened, configs={}), tmp_path / "a")


@pytest.mark.parametrize("name", ["4k", "single_needle_en_4k_base"])
def test_names_that_would_fall_together_are_refused(release, tmp_path, name):
    opened = open_release(release)
    configs = {**opened.configs, name: opened.configs[CONFIGS[1]]}
    with pytest.raises(ReleaseError, match="two tasks or groups would have the name"):
        write(with_content(opened, configs=configs), tmp_path / "a")


def test_a_published_release_is_read_from_the_hub(release, tmp_path):
    def export(*words):
        return here("export", "lm-eval", release, "--out", tmp_path / "a", "--repo", "user/small", *words)

    def places():
        lines = (tmp_path / "a" / f"carrara_small_{CONFIGS[0]}.yaml").read_text().splitlines()
        return [line for line in lines if line.startswith("dataset_")]

    done = export("--revision", "v2", "--json")
    table = json.loads(done.out)
    assert done.code == 0 and sorted(table["files"]) == sorted(str(path) for path in (tmp_path / "a").iterdir())
    wanted = ['dataset_path: "user/small"', 'dataset_kwargs: {"revision": "v2"}', f'dataset_name: "{CONFIGS[0]}"']
    assert places() == wanted
    assert export().code == 0 and 'dataset_kwargs: {"revision": "1.0.0"}' in places()
    assert str(release) not in "".join(path.read_text() for path in (tmp_path / "a").iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ("--repo", "small"),
        ("--repo", "../x"),
        ("--repo", "a/b c"),
        ("--repo", "a/b", "--revision", "../x"),
        ("--repo", "a/b", "--revision", ""),
        ("--revision", "1.0.0"),
    ],
)
def test_names_that_the_hub_does_not_have_are_refused(release, tmp_path, words):
    assert is_refusal(here("export", "lm-eval", release, "--out", tmp_path / "a", *words), "--re")
    assert not (tmp_path / "a").exists()


def test_quoted_text_is_read_back():
    yaml = pytest.importorskip("yaml")
    for text in (*HOSTILE, ODD, "", "\x00", "'", "- a: b", "&x *x", "\ud7ff\ue000\uffff"):
        assert quoted(text).isascii() and yaml.safe_load(f"key: {quoted([text])}\n") == {"key": [text]}
    with pytest.raises(CarraraError, match="UTF-8"):
        quoted("\udc80")


def test_the_functions(release):
    row = next(rows(open_release(release), CONFIGS[1]))
    gold = gold_response(tuple(row["answers"]))
    score, metric = lm_eval_functions.score, row["metric"]
    assert score(row, [gold], metric) == {metric: 1.0}
    assert score(row, [None], metric) == score(row, [""], metric) == {metric: 0.0}
    assert score({**row, "metric": "judge/qa"}, [gold], "judge/qa") == {"rouge_l": 1.0}
    assert json.loads(lm_eval_functions.gold({**row, "answers": ["[1]", '"']})) == ["[1]", '"']
