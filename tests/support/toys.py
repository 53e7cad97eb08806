"""Toy tasks and a toy release of them: two configs of five rows, written without a build."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carrara.making.manifest import content
from carrara.making.sidecar import Sidecar
from carrara.recipe.recipe import Recipe, recipe_from_table
from carrara.release.manifest import write_manifest
from carrara.release.schema import Content
from carrara.row import SCHEMA, DigestLine, Row, canonical_json, row_digest
from carrara.task import Task, Variant

# A row of a release, with a character of each width.
ROW = Row(
    id="needlebench/single_needle_en/4k/00000",
    item="needlebench/single_needle_en/00000",
    task="single_needle",
    variant="en",
    bucket="4k",
    tokens=3_968,
    max_output_tokens=128,
    metric="needlebench/keywords",
    answers=("Ostavel Brune",),
    choices=(),
    complexity=1,
    group="needlebench/single_needle_en/4k/q00000",
    depths=(0.25,),
    evidence=((11, 31),),
    facts='{"depth":0.25}',
    answer_prefix="Answer:",
    prompt="A “text” with 字 and 🧱.\n",
)
# The first file of its first config.
FIRST = "data/alpha_en_1k/test-00000-of-00002.parquet"
TOKENS = [10, 20, 30, 40, 60]


@dataclass(frozen=True)
class ToyParams:
    """No parameters."""


@dataclass(frozen=True)
class ToyPlan:
    """No plan."""


def toy_task(name: str, metric: str = "toy/1", placements: int = 1) -> Task:
    return Task(
        name=name,
        benchmark="toys",
        paper="none",
        asks="nothing",
        metrics=(metric, "toy/paper"),
        sources=(),
        variants={"en": Variant(placements=lambda params: placements)},
        params=ToyParams,
        plan_type=ToyPlan,
        plan=lambda *_: ToyPlan(),
        render=lambda *_: None,
        solve=None,
        audit=lambda _: iter(()),
    )


@pytest.fixture
def tasks(monkeypatch) -> dict[str, Task]:
    table = {name: toy_task(name) for name in ("alpha", "beta")}
    monkeypatch.setattr("carrara.recipe.recipe.TASKS", table)
    return table


def toy_recipe(version: str = "1.0.0", questions: int = 5, names=("alpha", "beta"), title: str = "Toys") -> Recipe:
    cells = [{"task": name, "variants": ["en"], "questions": questions} for name in names]
    return recipe_from_table(
        {
            "name": "toys",
            "version": version,
            "title": title,
            "stream": "toys/1",
            "tokenizer": "o200k_base",
            "buckets": {"1k": 1024},
            "rows_per_file": 3,
            "cell": cells,
        }
    )


def toy_row(config, index: int) -> dict:
    slot = config.slot(index)
    return {
        "id": config.task.row_id(slot),
        "item": config.task.item_id(slot.item),
        "task": config.task.name,
        "variant": "en",
        "bucket": "1k",
        "tokens": TOKENS[index % 5],
        "max_output_tokens": 32,
        "metric": config.task.metric(config.variant),
        "answers": [f"answer {index} of {config.name}"],
        "choices": [],
        "complexity": index % 2,
        "group": config.task.group_id(slot),
        "depths": [0.0, 1.0],
        "evidence": [{"start": 0, "end": 4}],
        "facts": "{}",
        "answer_prefix": "",
        "prompt": f"Überlegung {index} {config.name} " + "word " * 200 + "what?",
    }


def toy_record(row: dict, length: int = 1024) -> dict:
    return {
        "id": row["id"],
        "item": row["item"],
        "plan": "0" * 64,
        "digest": row_digest(row),
        "prompt": hashlib.sha256(row["prompt"].encode()).hexdigest(),
        "answers": hashlib.sha256(canonical_json(row["answers"]).encode()).hexdigest(),
        "tokens": row["tokens"],
        "max_output_tokens": row["max_output_tokens"],
        "length": length,
        "complexity": row["complexity"],
        "group": row["group"],
        "depths": row["depths"],
        "choices": len(row["choices"]),
        "gold_choice": -1,
        "paper": {"latent_list/paper": {"empty": row["complexity"] / 4}},
    }


def toy_sidecars(recipe: Recipe) -> dict[str, list[dict]]:
    return {
        config.name: [
            {
                "key": "0" * 64,
                "file": f"data/{config.name}/test-{number:05d}-of-{config.files:05d}.parquet",
                "sha256": "0" * 64,
                "bytes": 1,
                "rows": [toy_record(toy_row(config, slot.index)) for slot in config.file_slots(number)],
            }
            for number in range(config.files)
        ]
        for config in recipe.configs()
    }


def typed(sidecars: dict[str, list[dict]]) -> dict[str, list[Sidecar]]:
    """Sidecars as a build reads them, of tables that a test may have changed."""
    return {name: [Sidecar.model_validate_json(json.dumps(file)) for file in files] for name, files in sidecars.items()}


def toy_content(recipe: Recipe) -> Content:
    plans = {config.name: hashlib.sha256(config.name.encode()).hexdigest() for config in recipe.configs()}
    return content(recipe, "f" * 64, {}, typed(toy_sidecars(recipe)), plans)


def write_parquet(path: Path, rows: list[dict], **options) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.Table.from_pylist(rows, schema=SCHEMA),
        path,
        **{"compression": "zstd", "use_dictionary": False, "row_group_size": 2, **options},
    )


def write_release(folder: Path, recipe: Recipe, card: str = "# Toys\n") -> Path:
    """A whole release: two configs of five rows in two files each."""
    for config in recipe.configs():
        rows = [toy_row(config, index) for index in range(config.rows)]
        for number in range(config.files):
            part = rows[number * 3 : number * 3 + 3]
            write_parquet(folder / f"data/{config.name}/test-{number:05d}-of-{config.files:05d}.parquet", part)
        lines = "".join(f"{DigestLine(row_digest(row), row['id'])}\n" for row in rows)
        (folder / "digests").mkdir(exist_ok=True)
        (folder / f"digests/{config.name}.txt").write_bytes(lines.encode())
    (folder / "recipe.json").write_text(canonical_json(recipe.to_json()) + "\n")
    (folder / "README.md").write_text(card)
    (folder / "provenance.json").write_text("{}\n")
    write_manifest(folder, toy_content(recipe))
    return folder


def read(file: Path) -> list[dict]:
    return pq.read_table(file).to_pylist()
