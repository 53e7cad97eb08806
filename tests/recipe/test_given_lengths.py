"""`lengths = "given"`: the recipe sets how many numbers or names; what is left of the bucket stays free."""

import json

import pyarrow.parquet as pq
import pytest
from commands import here

from carrara.recipe.recipe import recipe_from_json, recipe_from_table

RECIPE = """\
name = "given"
version = "1.0.0"
stream = "tests/1"
tokenizer = "o200k_base"
buckets = { 2k = 2048, 8k = 8192 }
reserve = 0

[[cell]]
task = "numeric_sorting"
variants = ["ascending", "verbatim"]
buckets = ["2k"]
questions = 4
lengths = "given"
params = { count = [50, 100], digits = [6, 9] }

[[cell]]
task = "numeric_sorting"
variants = ["ascending"]
buckets = ["8k"]
questions = 2
lengths = "given"
params = { count = 500 }

[[cell]]
task = "entity_grouping"
variants = ["world", "world_verbatim"]
buckets = ["2k"]
questions = 2
lengths = "given"
params = { count = [20, 50] }

[[cell]]
task = "entity_grouping"
variants = ["world"]
buckets = ["8k"]
questions = 2
lengths = "given"
params = { count = 200 }
"""
# N of every row; of numbers also their digits.
SIZES = {
    "numeric_sorting_ascending_2k": {(50, 6), (50, 9), (100, 6), (100, 9)},
    "numeric_sorting_verbatim_2k": {(50, 6), (50, 9), (100, 6), (100, 9)},
    "numeric_sorting_ascending_8k": {(500, 9)},
    "entity_grouping_world_2k": {(20, 0), (50, 0)},
    "entity_grouping_world_verbatim_2k": {(20, 0), (50, 0)},
    "entity_grouping_world_8k": {(200, 0)},
}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("given")
    (folder / "given.toml").write_text(RECIPE)
    built = here("build", folder / "given.toml", "--out", folder / "out", "--workers", 1)
    assert built.code == 0, built
    return folder / "out" / "given" / "1.0.0"


def test_rows_have_the_sizes_that_the_recipe_gives(release):
    found, numbers = {}, {}
    for config in SIZES:
        rows = [
            row for file in sorted((release / "data" / config).glob("*")) for row in pq.read_table(file).to_pylist()
        ]
        facts = [json.loads(row["facts"]) for row in rows]
        found[config] = {(one["n"], one.get("digits", 0)) for one in facts}
        numbers[config] = [(row["complexity"], row["item"].rsplit("/", 1)[1]) for row in rows]
        assert all(row["complexity"] == one["n"] for row, one in zip(rows, facts, strict=True))
        assert all(row["tokens"] + row["max_output_tokens"] <= int(config[-2]) * 1_024 for row in rows)
    assert found == SIZES
    # Dealt alike to the variants of one base.
    assert numbers["numeric_sorting_ascending_2k"] == numbers["numeric_sorting_verbatim_2k"]
    assert numbers["entity_grouping_world_2k"] == numbers["entity_grouping_world_verbatim_2k"]


@pytest.mark.parametrize("level", ["plans", "rebuild"])
@pytest.mark.repeat
def test_the_release_verifies(release, level):
    verified = here("verify", release, "--level", level)
    assert verified.code == 0, verified


def test_its_golds_score_1(release):
    golds = release.parent / "golds.jsonl"
    rows = [row for file in release.rglob("*.parquet") for row in pq.read_table(file).to_pylist()]
    lines = [json.dumps({"id": row["id"], "response": "\n".join(row["answers"])}) for row in rows]
    golds.write_text("\n".join(lines))
    scored = here("score", release, golds, "--json")
    assert scored.code == 0, scored
    parts = json.loads(scored.out)["complexity"]
    assert sum(part["scored"] for part in parts) == len(lines) == 16
    assert {part["mean"] for part in parts} == {1.0}


def test_a_bucket_that_is_too_small_is_told(tmp_path):
    (tmp_path / "given.toml").write_text(RECIPE.replace("count = 200", "count = 500"))
    built = here("build", tmp_path / "given.toml", "--out", tmp_path / "out", "--workers", 1)
    assert built.code != 0 and "500 entities and their answer take" in built.err.replace("\n", " ")


@pytest.mark.parametrize(
    ("params", "kept"),
    [
        ({}, {"count": None, "digits": 9}),
        ({"count": 100}, {"count": 100, "digits": 9}),
        ({"count": [100, 500]}, {"count": [100, 500], "digits": 9}),
        ({"digits": [5, 15]}, {"count": None, "digits": [5, 15]}),
    ],
)
def test_sizes_survive_the_manifest(params, kept):
    table = {
        "name": "sizes",
        "version": "1.0.0",
        "stream": "tests/1",
        "tokenizer": "o200k_base",
        "buckets": {"8k": 8_192},
        "cell": [{"task": "numeric_sorting", "variants": ["ascending"], "questions": 2, "params": params}],
    }
    recipe = recipe_from_table(table)
    assert recipe.to_json()["cells"][0]["params"] == kept
    assert recipe_from_json(json.loads(json.dumps(recipe.to_json()))) == recipe
