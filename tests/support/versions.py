"""Small releases in several versions, with rows and answers as a test wants them: what errata and rebases are about."""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from unittest import mock

from toys import toy_record, toy_task, typed, write_parquet

from carrara.making.manifest import content
from carrara.recipe.recipe import Recipe, recipe_from_table
from carrara.release.manifest import write_manifest
from carrara.row import DigestLine, canonical_json, row_digest

# Two rows an item: rows of one group, which count as one.
PLACEMENTS = 2
METRIC = "ruler/all"
TASKS = ("alpha", "beta")


def toys() -> AbstractContextManager[object]:
    """Two tasks in the place of ours; a release needs them to be made and frozen, not to be read or scored."""
    return mock.patch("carrara.recipe.recipe.TASKS", {task: toy_task(task, METRIC, PLACEMENTS) for task in TASKS})


def recipe(version: str, items: Mapping[str, int], name: str = "toys", stream: str = "toys/1") -> Recipe:
    """A recipe with so many items of every task."""
    return recipe_from_table(
        {
            "name": name,
            "version": version,
            "title": "Toys",
            "stream": stream,
            "tokenizer": "o200k_base",
            "buckets": {"1k": 1024},
            "rows_per_file": 3,
            "cell": [
                {"task": task, "variants": ["en"], "questions": number} for task, number in items.items() if number
            ],
        }
    )


def row(config, index: int) -> dict:
    """Row `index`: a question with two answers, "gold 3" and "more 3"."""
    slot = config.slot(index)
    return {
        "id": config.task.row_id(slot),
        "item": config.task.item_id(slot.item),
        "task": config.task.name,
        "variant": "en",
        "bucket": "1k",
        "tokens": 100 + index,
        "max_output_tokens": 32,
        "metric": METRIC,
        "answers": [f"gold {index}", f"more {index}"],
        "choices": [],
        "complexity": 1,
        "group": config.task.group_id(slot),
        "depths": [0.5],
        "evidence": [{"start": 0, "end": 4}],
        "facts": canonical_json({"number": index}),
        "answer_prefix": "",
        "prompt": f"{config.name} {index}: " + " ".join(f"word{place}" for place in range(40)) + " what?",
    }


def version(
    folder: Path,
    number: str = "1.0.0",
    items: Mapping[str, int] | None = None,
    changes: Mapping[str, Mapping] | None = None,
    **names: str,
) -> Path:
    """Write a whole release: two items of two rows of each task, or `items`; `changes` are columns by row id."""
    with toys():
        return _written(folder, recipe(number, items or dict.fromkeys(TASKS, 2), **names), changes or {})


def _written(folder: Path, made: Recipe, changes: Mapping[str, Mapping]) -> Path:
    sidecars = {}
    for config in made.configs():
        rows = [row(config, index) for index in range(config.rows)]
        rows = [one | dict(changes.get(one["id"], {})) for one in rows]
        parts = [rows[start : start + 3] for start in range(0, len(rows), 3)]
        sidecars[config.name] = []
        for place, part in enumerate(parts):
            file = f"data/{config.name}/test-{place:05d}-of-{len(parts):05d}.parquet"
            write_parquet(folder / file, part)
            unmade = {"key": "", "sha256": "", "bytes": 0}
            sidecars[config.name].append({**unmade, "file": file, "rows": [toy_record(one) for one in part]})
        lines = "".join(f"{DigestLine(row_digest(one), one['id'])}\n" for one in rows)
        (folder / "digests").mkdir(exist_ok=True)
        (folder / f"digests/{config.name}.txt").write_bytes(lines.encode())
    (folder / "recipe.json").write_text(canonical_json(made.to_json()) + "\n")
    (folder / "README.md").write_text("# Toys\n")
    (folder / "provenance.json").write_text("{}\n")
    plans = {config.name: hashlib.sha256(config.name.encode()).hexdigest() for config in made.configs()}
    write_manifest(folder, content(made, "f" * 64, {}, typed(sidecars), plans))
    return folder


def id_of(task: str, index: int) -> str:
    return f"toys/{task}_en/1k/{index:05d}"


def responses(file: Path, texts: Mapping[str, str | None]) -> Path:
    """A file of responses."""
    lines = [json.dumps({"id": key, "response": text}) for key, text in texts.items()]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def all_right(items: int = 2, text: Callable[[int], str] = lambda index: f"gold {index} and more {index}") -> dict:
    """The right response to every row."""
    return {id_of(task, index): text(index) for task in TASKS for index in range(items * PLACEMENTS)}
