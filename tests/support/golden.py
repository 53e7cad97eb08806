"""Writes the golden plans: what every task planned for three items, and the bytes of one prompt at 4k.

`make golden` writes `tests/tasks/golden/*.json` anew; `tasks/test_golden_plans.py` compares.
Any difference means that released rows would change: it asks for a MAJOR version of every recipe with the task.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from cases import case_of
from folders import ROOT

from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import EMBEDDED, recipe_from_table
from carrara.task import plan_json
from carrara.tasks import TASKS

FOLDER = ROOT / "tests" / "tasks" / "golden"
# Plans of real sources are golden where they read nothing of them.
CASES = [
    (name, variant)
    for name, task in TASKS.items()
    for variant, known in task.variants.items()
    if known.source in {"", *EMBEDDED} or case_of(name).golden
]
ITEMS = (0, 1, 5)
# The stream of the conformance tests: its prose is in the cache already.
STREAM = "conformance/1"


def golden(task: str, variant: str) -> dict[str, Any]:
    """The plans of items 0, 1 and 5 with default params, and the sha256 of item 0's prompt at 4k under o200k_base.

    Of a variant of real texts, the plans alone.
    """
    recipe = recipe_from_table(
        {
            "name": "golden",
            "version": "1.0.0",
            "stream": STREAM,
            "tokenizer": "o200k_base",
            "buckets": {"4k": 4_096},
            "cell": [{"task": task, "variants": [variant], "questions": max(ITEMS) + 1}],
        }
    )
    maker, config = RowMaker(recipe, None), recipe.configs()[0]
    row = maker.make(config, config.slot(0)).row if config.source in {"", *EMBEDDED} else None
    return {
        "task": task,
        "variant": variant,
        "stream": STREAM,
        "tokenizer": recipe.tokenizer,
        "plans": {str(item): json.loads(plan_json(maker.plan(config, item))) for item in ITEMS},
        "plan_sha256": {str(item): maker.plan_digest(config, item) for item in ITEMS},
        "prompt": row
        and {"id": row.id, "tokens": row.tokens, "sha256": hashlib.sha256(row.prompt.encode()).hexdigest()},
    }


def golden_file(task: str, variant: str) -> Path:
    """Where the golden plans of a task and variant lie."""
    return FOLDER / f"{f'{task}_{variant}' if variant else task}.json"


def golden_text(value: dict[str, Any]) -> str:
    """The text of a golden file."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def main() -> None:
    """Write every golden file, remove those of no task, and say which changed."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = {golden_file(task, variant): golden_text(golden(task, variant)) for task, variant in CASES}
    for file in sorted(FOLDER.glob("*.json")):
        if file not in wanted:
            file.unlink()
            sys.stdout.write(f"removed {file.name}\n")
    for file, text in wanted.items():
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        if before != text:
            file.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{'changed' if before else 'new'} {file.name}: a change is MAJOR\n")


if __name__ == "__main__":
    main()
