"""Releases with retrieved passages: they carry their runs, and are rebuilt from them without retriever or cache."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from folders import ROOT

from carrara.engine import processes as engine
from carrara.errors import ProofError, SourceError
from carrara.making.build import Run, build
from carrara.recipe.recipe import recipe_from_table
from carrara.release.verify import verify
from carrara.retrieval.answers import holds

pytestmark = pytest.mark.integration


RECIPE = {
    "name": "searched",
    "version": "1.0.0",
    "stream": "searched/1",
    "tokenizer": "o200k_base",
    "buckets": {"4k": 4_096, "8k": 8_192},
    "cell": [
        {"task": "rag", "variants": ["world"], "questions": 2, "retrieval": {"realms": 1}, "params": {"positions": 3}},
        {"task": "rag", "variants": ["world_two_hop"], "questions": 1, "retrieval": {"realms": 1}},
        {"task": "reranking", "variants": ["world"], "questions": 1, "retrieval": {"realms": 1}},
        {"task": "citations", "variants": ["world_list"], "questions": 2, "retrieval": {"realms": 1}},
    ],
}
RUNS = ("citations_world_list", "rag_world", "rag_world_two_hop", "reranking_world")


def recipe(**changes):
    return recipe_from_table({**RECIPE, **changes})


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return build(recipe(), Run(tmp_path_factory.mktemp("out")), engine.Silent())


def roots(folder):
    configs = json.loads((folder / "manifest.json").read_text())["content"]["configs"]
    return {name: config["root"] for name, config in configs.items()}


def test_a_release_carries_its_runs(release):
    assert sorted(path.name for path in (release / "runs").iterdir()) == sorted(
        f"{name}.{kind}" for name in RUNS for kind in ("json", "parquet")
    )
    told = json.loads((release / "manifest.json").read_text())["content"]["runs"]
    assert sorted(told) == sorted(RUNS)
    for name, run in told.items():
        facts = json.loads((release / "runs" / f"{name}.json").read_text())
        assert facts["digest"] == run["digest"] and len(facts["queries"]) == run["questions"]
        assert run["retriever"]["name"] == "bm25" and run["corpus"]["passages"] == 3_240
    assert "## Retrieved passages" in (release / "DETAILS.md").read_text()
    assert verify(release, "rows").is_good


def test_removed_passages_are_listed_with_a_true_reason(release):
    lines = pq.read_table(release / "runs" / "rag_world.parquet").to_pylist()
    facts = json.loads((release / "runs" / "rag_world.json").read_text())
    assert {line["reason"] for line in lines} >= {"", "gold", "answer"}
    for item, query in enumerate(facts["queries"]):
        ranked = [line["passage"] for line in lines if line["item"] == item and line["reason"] == "gold"]
        assert ranked == query["gold"] or not ranked
        assert [line["rank"] for line in lines if line["item"] == item] == list(
            range(1, 1 + sum(line["item"] == item for line in lines))
        )


def test_no_row_holds_an_answer_in_a_distractor(release):
    rows = pq.read_table(release / "data" / "rag_world_8k").to_pylist()
    assert len(rows) == 6
    for row in rows:
        facts = json.loads(row["facts"])
        start, end = facts["body"]
        (gold,) = row["evidence"]
        others = row["prompt"][start : gold["start"]] + row["prompt"][gold["end"] : end]
        assert holds(row["prompt"][gold["start"] : gold["end"]], facts["accepted"])
        assert not holds(others, facts["accepted"]), row["id"]


# Heavy libraries cannot be had, nor can a retriever be opened: what is rebuilt comes from the runs alone.
REBUILD = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "faiss", "sentence_transformers", "transformers"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import carrara.making.inputs
def refuse(*_):
    raise AssertionError("a retriever is opened")
carrara.making.inputs.open_ranker = refuse
from pathlib import Path
from carrara.making.remake import remaker
made = remaker(Path(sys.argv[1]), None, 1).rebuild().content.configs
print(sorted((name, facts.root) for name, facts in made.items()))
"""


def test_a_rebuild_needs_neither_retriever_nor_cache(release, tmp_path):
    environment = {**os.environ, "CARRARA_CACHE": str(tmp_path), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    source = str(ROOT / "builders")
    environment["PYTHONPATH"] = source
    tokens = Path(os.environ["CARRARA_CACHE"]) if "CARRARA_CACHE" in os.environ else None
    if tokens and (tokens / "tiktoken").is_dir():
        (tmp_path / "tiktoken").symlink_to(tokens / "tiktoken")
    done = subprocess.run(
        [sys.executable, "-c", REBUILD, str(release)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    assert done.stdout.splitlines()[-1] == str(sorted(roots(release).items()))


def test_a_build_from_given_runs_is_the_same(release, tmp_path):
    again = build(recipe(), Run(tmp_path, runs=release / "runs"), engine.Silent())
    assert (again / "manifest.json").read_bytes() == (release / "manifest.json").read_bytes()


def test_runs_of_another_stream_are_refused(release, tmp_path):
    with pytest.raises(SourceError, match="another recipe: got stream"):
        build(recipe(stream="searched/2"), Run(tmp_path, runs=release / "runs"), engine.Silent())


def test_an_altered_run_is_refused(release, tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    for path in (release / "runs").iterdir():
        (runs / path.name).write_bytes(path.read_bytes())
    facts = json.loads((runs / "rag_world.json").read_text())
    facts["queries"][0]["question"]["answers"] = [["Somebody Else"]]
    (runs / "rag_world.json").write_text(json.dumps(facts))
    with pytest.raises((SourceError, ProofError), match="digest"):
        build(recipe(), Run(tmp_path / "out", runs=runs), engine.Silent())


def test_more_questions_append_rows(release, tmp_path):
    cells = [{**RECIPE["cell"][0], "questions": 3}]
    more = build(recipe(cell=cells), Run(tmp_path), engine.Silent())
    before = (release / "digests" / "rag_world_4k.txt").read_text().splitlines()
    after = (more / "digests" / "rag_world_4k.txt").read_text().splitlines()
    assert after[: len(before)] == before and len(after) == 9


def test_a_corpus_without_enough_questions_says_what_was_dropped(tmp_path):
    cells = [{**RECIPE["cell"][0], "questions": 190}]
    with pytest.raises(SourceError, match=r"of 200 candidates can be used, 190 are asked for; dropped: .*short answer"):
        build(recipe(cell=cells), Run(tmp_path), engine.Silent())
