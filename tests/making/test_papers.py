"""Every config of the papers' recipes, scaled down, from files in the formats in which the datasets are published."""

import fnmatch
import hashlib
import tempfile
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from folders import ROOT
from paper_files import WRITTEN

from carrara import api
from carrara.making.proofs import gold_response
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import load_recipe, recipe_from_table
from carrara.scoring import METRICS
from carrara.sources import pins

NAMES = ("michelangelo-paper", "needlebench-paper", "verbatimeval-paper", "ruler-paper", "helmet-paper")
# What of a recipe's numbers a row of a few thousand tokens holds.
SMALL: dict[str, Any] = {
    "buffer": lambda value: value // 10,
    "depths": lambda value: value if value == 1 else 2 if isinstance(value, int) else [0, 100],
    "count": lambda value: [max(20, one // 10) for one in value] if isinstance(value, list) else max(20, value // 10),
}


@cache
def written() -> Path:
    """A folder with the files of every source."""
    return Path(tempfile.mkdtemp(prefix="carrara-papers-"))


@cache
def pin(name: str) -> dict[str, Any]:
    """The files of a source in its format, and the hash of each, as a recipe has them."""
    files = WRITTEN[name]()
    for path, content in files.items():
        full = written() / _own(name) / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content)
    return {path: {"sha256": hashlib.sha256(content).hexdigest()} for path, content in files.items()}


def _own(name: str) -> str:
    """Its name in the small recipe: what comes with the package keeps its own."""
    return f"{name}_made" if name in pins() else name


def scaled(name: str, buckets: int, questions: int) -> dict[str, Any]:
    """The recipe with its first buckets made small, a few questions a config, and the files written here."""
    table = tomllib.loads((ROOT / "recipes" / f"{name}.toml").read_text(encoding="utf-8"))
    given = list(table["buckets"])
    sizes = {f"{4 + at}k": (4 + at) * 1_024 for at in range(len(given))}
    renamed = dict(zip(given, sizes, strict=True))
    kept, needed = [], set()
    for cell in table["cell"]:
        own = [bucket for bucket in cell.get("buckets", given) if given.index(bucket) < buckets]
        if not own:
            continue
        cell["buckets"] = [renamed[bucket] for bucket in own]
        cell["questions"] = questions
        if "grid" in cell:
            cell["grid"] = [sizes[cell["buckets"][0]]]
        params = cell.get("params", {})
        cell["params"] = {key: SMALL[key](value) if key in SMALL else value for key, value in params.items()}
        if cell["task"] == "sentence_arrangement":
            cell["params"]["spread"] = 10
        if "retrieval" in cell:
            cell["retrieval"] = {key: value for key, value in cell["retrieval"].items() if key == "corpus"}
        sources = {cell.get("source", ""), cell.get("retrieval", {}).get("corpus", "")} - {"", "world"}
        needed |= sources
        if cell.get("source") in sources:
            cell["source"] = _own(cell["source"])
        kept.append(cell)
    own_tables = table.get("source", {})
    small = {}
    for source in sorted(needed):
        known = pins().get(source)
        form = own_tables.get(source) or {"reader": known.reader, "lang": known.lang, "licence": known.licence}
        small[_own(source)] = {**form, "files": pin(source)}
    # One stream has one world and one haystack, made once for all recipes.
    return {**table, "stream": "recall questions/files", "buckets": sizes, "cell": kept, "source": small}


def build(name: str, buckets: int, questions: int) -> set[str]:
    """Make every row, which proves it, and score its gold; the configs made."""
    recipe = recipe_from_table(scaled(name, buckets, questions))
    maker = RowMaker(recipe, written())
    for config in recipe.configs():
        for index in range(config.rows):
            row = maker.make(config, config.slot(index)).row.to_arrow()
            golds = row["answers"] if row["metric"].startswith(("ruler/any", "subem", "rouge")) else []
            response = golds[0] if golds else gold_response(row["answers"])
            assert METRICS[row["metric"]](response, row) == 1, row["id"]
    return {f"{config.task.name}_{config.variant}" for config in recipe.configs()}


@pytest.mark.parametrize("name", NAMES)
def test_every_variant_of_a_papers_recipe_is_built_and_its_gold_scores_all(name):
    whole = load_recipe(ROOT / "recipes" / f"{name}.toml")
    # Of NeedleBench and VerbatimEval not every variant is in the first bucket.
    made = build(name, {"needlebench-paper": 2, "verbatimeval-paper": len(whole.buckets)}.get(name, 1), 1)
    assert {f"{config.task.name}_{config.variant}" for config in whole.configs()} == made


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_config_of_a_papers_recipe_is_built_and_its_gold_scores_all(name):
    build(name, 10, 3)


def parts() -> list[dict[str, Any]]:
    """What the page on the papers is made of."""
    found: list[dict[str, Any]] = tomllib.loads((ROOT / "docs" / "papers.toml").read_text(encoding="utf-8"))["part"]
    return found


def test_the_table_of_the_papers_says_what_is_so():
    covered: list[str] = []
    for part in parts():
        assert {"paper", "where", "holds", "state"} <= part.keys(), part
        assert part["state"] in {"done", "differs", "cannot"} and (part["state"] == "done") == ("why" not in part), part
        assert f"{part['paper']}-paper" in NAMES and len({"recipe", "metric", "details"} & part.keys()) <= 1, part
        if "recipe" in part:
            names = [config.name for config in load_recipe(ROOT / "recipes" / f"{part['recipe']}.toml").configs()]
            for pattern in part["configs"]:
                matched = fnmatch.filter(names, pattern)
                assert matched and part["recipe"] == f"{part['paper']}-paper", part
                covered += [f"{part['recipe']} {name}" for name in matched]
        elif "metric" in part:
            assert part["metric"] in METRICS, part
        elif "details" in part:
            import_module(f"carrara.scoring.papers.{part['details']}")
        else:
            assert part["state"] != "done", part
    # Every config of every recipe stands in one line, and every paper has a grid, a metric and its own aggregation.
    built = [f"{name} {config.config}" for name in NAMES for config in api.plan(name).configs]
    assert sorted(covered) == sorted(built)
    for name in NAMES:
        own = [part for part in parts() if f"{part['paper']}-paper" == name]
        assert all(any(kind in part for part in own) for kind in ("recipe", "metric", "details")), name


def test_a_papers_recipe_is_planned_without_its_sources_and_names_them():
    for name in NAMES:
        planned = api.plan(name)
        sources = {source for config in planned.recipe.configs() for source in config.sources}
        assert {source.source for source in planned.missing} >= sources - {"world"}, name
        assert all(source.told for source in planned.missing)
    # What the test above writes is what is missing.
    assert sources - {"world"} == {source for source in sources if source in WRITTEN}
