"""A forged release, against a server that listens and code that leaves a mark: no key is sent, no model is loaded."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cited_rows import STATEMENTS
from commands import common, forge, here, is_refusal, recipe, release
from endpoint import completion, endpoint

from carrara.export.lm_eval import FUNCTIONS, scorer_name
from carrara.release.manifest import canonical, file_entry
from carrara.release.reader import open_release, rows
from carrara.row import SCHEMA, DigestLine, content_root, row_digest
from carrara.scoring import METRICS, row_metric, score_response
from carrara.scoring.metrics import citations
from carrara.scoring.metrics.entailment import judge

__all__ = ["common", "endpoint", "recipe", "release"]

CONFIG = "single_needle_en_4k"
METRIC = "needlebench/answer"
KEY = "sk-a-key-that-nobody-may-see"
# A gold that cites: a judge is asked about it.
CITED = {name: STATEMENTS[name] for name in ("prompt", "facts")} | {"answers": ["The river rose [1]."]}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.delenv("CARRARA_JUDGE_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for made in (judge, citations.named):
        made.cache_clear()


def forged(release: Path, folder: Path, **columns: object) -> Path:
    """A copy whose second row of CONFIG says something else, with every digest and hash put right."""
    copy = shutil.copytree(release, folder / "copy")
    rewrite(copy, columns)
    return copy


def rewrite(copy: Path, columns: dict[str, object]) -> None:
    path = open_release(copy).configs[CONFIG].files[0]
    table = pq.read_table(copy / path).to_pylist()
    table[1] |= columns
    pq.write_table(pa.Table.from_pylist(table, schema=SCHEMA), copy / path, use_dictionary=False)
    lines = [DigestLine(row_digest(row), row["id"]) for row in rows(open_release(copy), CONFIG)]
    listed = f"digests/{CONFIG}.txt"
    (copy / listed).write_text("".join(f"{line}\n" for line in lines))
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["files"] |= {name: file_entry(copy / name).to_json() for name in (path, listed)}
    (copy / "manifest.json").write_bytes(canonical(manifest))
    forge(copy, lambda content: content["configs"][CONFIG].update(root=content_root(lines)))


def row_of(folder: Path) -> dict:
    return list(rows(open_release(folder), CONFIG))[1]


def answers(folder: Path, path: Path) -> Path:
    path.write_text(json.dumps({"id": row_of(folder)["id"], "response": "The river rose [1]."}) + "\n")
    return path


def test_a_row_cannot_have_the_key_sent(release, endpoint, tmp_path):
    evil = forged(release, tmp_path, metric=f"citations@{endpoint.url}#m", **CITED)
    told = here("verify", evil, "--level", "rows")
    assert told.code == 1 and "metric" in told.out
    responses = answers(evil, tmp_path / "responses.jsonl")
    for words in (
        ("score", evil, "--gold"),
        ("score", evil, responses, "--out", tmp_path / "score.json"),
        ("score", evil, responses, "--metric", "subem"),
        ("score", release, responses, "--rebase", evil),
        ("score", evil, responses, "--rebase", release),
        (
            "judge",
            evil,
            responses,
            "--base-url",
            endpoint.url,
            "--model",
            "m",
            "--out",
            tmp_path / "verdicts.jsonl",
            "--yes",
        ),
        ("export", "lm-eval", evil, "--out", tmp_path / "tasks"),
        ("export", "inspect", evil, "--out", tmp_path / "tasks"),
        ("run", evil, "--base-url", endpoint.url, "--model", "m", "--out", tmp_path / "run", "--yes"),
    ):
        done = here(*words)
        assert is_refusal(done, "got metric 'citations@http://127.0.0.1", f"expected '{METRIC}'", "--metric"), words
    for metric in (None, METRIC):
        with pytest.raises(ValueError, match="only --metric can name a model"):
            row_metric(row_of(evil), metric)
    with pytest.raises(ValueError, match=r"expected a name of carrara\.scoring\.METRICS"):
        score_response(row_of(evil), "The river rose [1].")
    assert endpoint.requests == 0
    assert {path.name for path in tmp_path.iterdir()} == {"copy", "responses.jsonl"}


def test_nor_can_its_config_or_another_metric_of_the_table(release, endpoint, tmp_path):
    evil = forged(release, tmp_path, metric="subem")
    assert is_refusal(here("score", evil, "--gold"), "got metric 'subem'", f"expected '{METRIC}'")
    name = f"citations@{endpoint.url}#m"
    rewrite(evil, {"metric": name, **CITED})
    forge(evil, lambda content: content["configs"][CONFIG].update(metric=name))
    assert is_refusal(here("score", evil, "--gold"), f"{CONFIG}: got metric 'citations@http", "does not know")
    assert endpoint.requests == 0


def test_who_scores_can_and_is_told_where_the_key_goes(release, endpoint, tmp_path):
    endpoint.answer = lambda body: completion("yes")
    copy = forged(release, tmp_path, **CITED)
    responses = answers(copy, tmp_path / "responses.jsonl")
    words = ("score", copy, responses, "--config", CONFIG, "--metric", f"citations@{endpoint.url}#m")
    done = here(*words)
    assert done.code == 0 and f"the key in OPENAI_API_KEY goes to {endpoint.url}\n" in done.err, done
    assert endpoint.requests and endpoint.authorizations == {f"Bearer {KEY}"}


def test_a_judge_that_is_away_stops_the_command(release, endpoint, tmp_path):
    endpoint.faults = ["401"]
    copy = forged(release, tmp_path, **CITED)
    responses = answers(copy, tmp_path / "responses.jsonl")
    done = here("score", copy, responses, "--config", CONFIG, "--metric", f"citations@{endpoint.url}#m")
    assert done.code == 2 and done.out == "" and "401" in done.err and "nothing was scored" in done.err


def test_exported_tasks_of_lm_eval_take_their_own_metric_alone(release, endpoint, tmp_path):
    copy = shutil.copytree(release, tmp_path / "copy")
    assert here("export", "lm-eval", copy, "--out", tmp_path / "tasks").code == 0
    # Forged when the tasks were written: they may as well read another copy from the Hub.
    name = f"citations@{endpoint.url}#m"
    honest = row_of(copy)
    rewrite(copy, {"metric": name, **CITED})
    functions = loaded(tmp_path / "tasks" / f"{FUNCTIONS}.py")
    function = scorer_name(METRIC)
    task = (tmp_path / "tasks" / f"carrara_small_{CONFIG}.yaml").read_text()
    assert f"process_results: !function {FUNCTIONS}.{function}\n" in task
    score = getattr(functions, function)
    assert score(honest, honest["answers"]) == {METRIC: 1.0}
    for row in (row_of(copy), {**honest, "metric": "subem"}, {**honest, "metric": ["subem"]}):
        with pytest.raises(ValueError, match=f"got metric .*, expected '{METRIC}'"):
            score(row, ["The river rose [1]."])
    assert endpoint.requests == 0
    assert len({scorer_name(metric) for metric in METRICS}) == len(METRICS)


def loaded(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


INSPECT = """
import asyncio, importlib.util, json, sys
path, config, metric, row = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
spec = importlib.util.spec_from_file_location("tasks", path)
tasks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tasks)
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

def score(row):
    output = ModelOutput.from_content("m", row["answers"][0])
    state = TaskState("m", row["id"], 1, row["prompt"], [], output=output, metadata=row)
    return asyncio.run(tasks.carrara(False, tasks.METRICS[config])(state, Target(row["answers"])))

assert score({**row, "metric": metric}).value == 1
for attempt in (lambda: score(row), lambda: score({**row, "metric": "subem"}), lambda: tasks.Rows(config, False, None)):
    try:
        attempt()
    except ValueError as error:
        print(error)
"""


@pytest.mark.integration
def test_exported_tasks_of_inspect_take_their_own_metric_alone(release, endpoint, tmp_path):
    if importlib.util.find_spec("inspect_ai") is None or importlib.util.find_spec("datasets") is None:
        pytest.skip("needs inspect-ai: pip install -e '.[harness]'")
    copy = shutil.copytree(release, tmp_path / "copy")
    done = here("export", "inspect", copy, "--out", tmp_path / "tasks", "--json")
    rewrite(copy, {"metric": f"citations@{endpoint.url}#m"})
    folders = {name: str(tmp_path / "own") for name in ("HF_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    environment = os.environ | folders | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", INSPECT, json.loads(done.out)["files"][0], CONFIG, METRIC, json.dumps(row_of(copy))]
    run = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr[-2_000:]
    assert re.findall("got metric '(\\w+).*expected '(.+?)'", run.stdout) == [
        ("citations", METRIC),
        ("subem", METRIC),
        ("citations", METRIC),
    ]
    assert endpoint.requests == 0


def hostile_model(folder: Path, mark: Path, how: str) -> Path:
    """A model whose code, as soon as it is imported, leaves a mark."""
    folder.mkdir(parents=True)
    kind = "evil.Evil" if how == "module" else "sentence_transformers.models.Transformer"
    (folder / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": kind}]))
    code = {name: f"evil.{name}" for name in ("AutoConfig", "AutoModel", "AutoTokenizer")}
    (folder / "config.json").write_text(json.dumps({"model_type": "evil", "auto_map": code}))
    (folder / "evil.py").write_text(f"open({str(mark)!r}, 'w').close()\n\n\nclass Evil:\n    pass\n")
    return folder


def test_a_row_cannot_have_a_model_loaded_that_lies_in_its_release(release, tmp_path):
    mark, place = tmp_path / "mark", ".cache/huggingface/model"
    evil = forged(release, tmp_path, metric=f"semantic/cosine@{tmp_path / 'copy' / place}")
    hostile_model(evil / place, mark, "module")
    assert is_refusal(here("score", evil, "--gold"), "got metric 'semantic/cosine@", f"expected '{METRIC}'")
    done = here("verify", evil, "--json")
    said = [one["message"] for one in json.loads(done.out)["problems"]]
    assert done.code == 1 and [message.split(" is ")[0] for message in said] == [
        f"'{place}/{name}'" for name in ("config.json", "evil.py", "modules.json")
    ]
    assert all("delete the folder .cache/huggingface" in message for message in said)
    shutil.rmtree(evil / ".cache")
    assert here("verify", evil).code == 0 and not mark.exists()


@pytest.mark.integration
@pytest.mark.parametrize("how", ["module", "auto_map"])
def test_code_of_a_model_that_was_typed_is_not_run(release, tmp_path, how):
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("needs sentence-transformers: pip install -e '.[retrieval]'")
    folder = hostile_model(tmp_path / "model", tmp_path / "mark", how)
    done = here("score", release, "--gold", "--metric", f"semantic/cosine@{folder}")
    assert is_refusal(done, "which cannot be loaded", "trust_remote_code")
    assert not (tmp_path / "mark").exists()
