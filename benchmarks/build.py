"""Tokens a second of plan, render, proof, write and verify, beside tokenising and compressing the same bytes once.

`python -m benchmarks.build [--bucket 1M] [--rows 4] [--task mrcr] [--source gutenberg --sources FOLDER]`, one process;
the last column is a whole build by two processes, start and card included, prompts and their answers counted.
Rendering counts its finished prompt: the time of that count, measured apart, is taken off it. `verify` is the digest
of rows in memory. Ratios are what to read: the machine's speed falls out of them.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from carrara.cli.progress import Progress
from carrara.engine.parquet import write_rows
from carrara.making.build import Run, build
from carrara.making.proofs import prove
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_table
from carrara.row import row_digest
from carrara.task import Item, plan_json, plan_stream
from carrara.tasks import TASKS

CASES = [
    (task.name, variant)
    for task in TASKS.values()
    for variant in task.variants
    if task.variants[variant].source in ("", "world") and task.base(variant) == variant and variant != "documents"
]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    done = work()
    return time.perf_counter() - started, done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bucket", default="1M", help="128k or 1M")
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--task", default="", help="this task alone")
    parser.add_argument("--source", default="", help="a source of English prose for single_needle en")
    parser.add_argument("--sources", type=Path, default=os.environ.get("CARRARA_SOURCES"))
    options = parser.parse_args()
    length = {"32k": 32_768, "128k": 131_072, "1M": 1_048_576}[options.bucket]
    header = (
        "task",
        "plan",
        "render",
        "count",
        "proof",
        "write",
        "verify",
        "| encode",
        "zstd-3",
        "| all/encode",
        "| 2 processes",
    )
    print("million tokens a second; all/encode: time of all steps over the time to tokenise once")
    print("  ".join(f"{name:>12}" for name in header))
    for name, variant in CASES:
        if options.task not in ("", name):
            continue
        cell: dict[str, Any] = {"task": name, "variants": [variant], "questions": options.rows}
        if "depths" in TASKS[name].params.__dataclass_fields__:
            cell["params"] = {"depths": 1}
            if options.source and variant == "en":
                cell["source"] = options.source
        recipe = recipe_from_table(
            {"name": "bench", "version": "1.0.0", "stream": "bench/1", "tokenizer": "o200k_base",
             "buckets": {options.bucket: length}, "rows_per_file": 1, "cell": [cell]}
        )  # fmt: skip
        print("  ".join(f"{text:>12}" for text in [*measure(recipe, options.sources), whole(recipe, options.sources)]))


def whole(recipe: Any, sources: Path | None) -> str:
    """Tokens a second, prompt and answer, of a build by two processes from the recipe to the folder."""
    (config,) = recipe.configs()
    tokens = sum(config.slot(index).length for index in range(config.rows))
    with tempfile.TemporaryDirectory() as folder, Progress(config.rows, tokens, quiet=True) as watch:
        seconds, _ = timed(lambda: build(recipe, Run(Path(folder), sources, 2, None, None), watch))
    return f"{tokens / seconds / 1e6:.2f}"


def measure(recipe: Any, sources: Path | None) -> list[str]:
    """One line of the table: tokens a second of every step."""
    maker = RowMaker(recipe, sources)
    (config,) = recipe.configs()
    task = config.task
    maker.make(config, config.slot(0))  # Warm: haystack counted, tables built.
    slots = [config.slot(index) for index in range(config.rows)]
    stream = plan_stream(task, recipe.stream, config.variant)
    inputs = maker.inputs(config.source)

    def plan_all() -> list[Any]:
        plans = [
            task.plan(config.params, Item(task.name, config.variant, slot.item.index), inputs, stream) for slot in slots
        ]
        assert all(plan_json(plan) for plan in plans)
        return plans

    plan_time, plans = timed(plan_all)
    rows = [maker.make(config, slot).row for slot in slots]
    tokens = sum(row.tokens for row in rows)
    render_time, drafts = timed(
        lambda: [task.render(plan, slot, inputs, maker.budget) for plan, slot in zip(plans, slots, strict=True)]
    )
    encode_time, _ = timed(lambda: [maker.tokenizer.count(draft.prompt) for draft in drafts])
    tables = [row.to_arrow() for row in rows]
    proof_time, findings = timed(
        lambda: [
            finding
            for draft, table, slot in zip(drafts, tables, slots, strict=True)
            for finding in prove(task, draft, table, slot, True, maker.tokenizer.count)
        ]
    )
    assert not findings, findings
    with tempfile.TemporaryDirectory() as folder:
        write_time, _ = timed(lambda: write_rows(Path(folder) / "rows.parquet", iter(rows)))
    verify_time, _ = timed(lambda: [row_digest(table) for table in tables])
    texts = [draft.prompt.encode() for draft in drafts]
    zstd_time, _ = timed(lambda: [pa.compress(text, codec="zstd", asbytes=True) for text in texts])
    render_alone = max(render_time - encode_time, 1e-9)
    every = plan_time + render_alone + encode_time + proof_time + write_time + verify_time
    steps = (plan_time, render_alone, encode_time, proof_time, write_time, verify_time, encode_time, zstd_time)
    return [
        f"{task.name[:9]}_{config.variant[:2]}",
        *(f"{tokens / step / 1e6:.1f}" for step in steps),
        f"{every / encode_time:.2f}",
    ]


if __name__ == "__main__":
    main()
