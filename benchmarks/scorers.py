"""Throws responses at every scorer: mutated golds, hostile texts, noise. None may raise, leave [0, 1] or take 0.5 s.

    python -m benchmarks.scorers 11200                            every metric, so many responses a metric
    python -m benchmarks.scorers 20000 mrcr order                 only metrics that begin so
    python -m benchmarks.scorers 5000 --first 30000 --log FILE    responses 30,000 to 34,999; a second run goes on

A response is read as `carrara score` reads it, thoughts off. Responses are drawn by key, so a number names one for
ever, and ranges of numbers are parts of one fuzz. The log has a line for every metric that is through. 70 in 100 are
golds cut, doubled, reordered, in another case, wrapped or thought; 20 hostile (1 in 100 of these a megabyte, the rest
up to 20 kB); 10 noise. The slowest is printed, in seconds of processor time.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

from benchmarks.scorer_rows import FAMILIES, retrieved_rows
from carrara.making.proofs import gold_response
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_table
from carrara.scoring import METRICS
from carrara.scoring.scores import heard
from carrara.stream import Stream
from carrara.tasks import TASKS

ITEMS = 6
LONGEST_GOLD = 20_000
MEGABYTE = 1_000_000
SLOWEST = 0.5
# Metrics that no task carries, by the beginnings of their names, and one whose rows they can read.
LIKE: Final = {
    "choice/helmet/paper": "choice",
    "infinitebench/choice/paper": "choice",
    "infinitebench": "subem",
    "judge/qa": "rouge_l",
    "judge/summary/paper": "judge/summary",
    "longbench/classification": "label",
    "longbench": "subem",
    "needlebench/parallel_recall/paper": "needlebench/answer",
    "needlebench/single/trim/paper": "needlebench/answer",
    "rouge_l": "rouge_l",
    "ruler/any": "ruler/all",
    "ruler/recall/paper": "ruler/all",
}


def rows_of(metric: str) -> list[dict[str, Any]]:
    """Rows of every task and variant that carry the metric, or one like it, in the smallest bucket that they fit."""
    metric = next((rows for begin, rows in LIKE.items() if metric.startswith(begin)), metric)
    if metric.startswith(FAMILIES):
        return retrieved_rows(metric, ITEMS)
    found = []
    for task in TASKS.values():
        if metric not in task.metrics:
            continue
        for variant in task.variants:
            if task.variants[variant].source not in ("", "world") or variant.startswith("documents"):
                continue
            recipe = recipe_from_table(
                {
                    "name": "scorers",
                    "version": "1.0.0",
                    "stream": "scorers/1",
                    "tokenizer": "o200k_base",
                    "buckets": {"4k": 4_096},
                    "cell": [{"task": task.name, "variants": [variant], "questions": ITEMS}],
                }
            )
            maker = RowMaker(recipe, None)
            (config,) = recipe.configs()
            each = config.rows // config.items
            for item in range(ITEMS):
                found.append(maker.make(config, config.slot(item * each)).row.to_arrow())
    return found


def mutated(gold: str, stream: Stream) -> str:
    """A gold as a careless model might give it."""
    lines, at = gold.split("\n"), stream.below(max(1, len(gold)))
    parts = gold.split(", ")
    kinds: Sequence[Callable[[], str]] = (
        lambda: gold[:at],
        lambda: gold[at:],
        lambda: gold + gold,
        lambda: gold + "\n" + gold[:at],
        lambda: ", ".join(stream.shuffled(parts)),
        lambda: "\n".join(stream.shuffled(lines)),
        gold.upper,
        gold.lower,
        gold.title,
        gold.swapcase,
        lambda: json.dumps({"answer": gold}),
        lambda: json.dumps([gold]),
        lambda: f"```\n{gold}\n```",
        lambda: f"**{gold}**",
        lambda: f'"{gold}"',
        lambda: f"“{gold}”",
        lambda: f"\\boxed{{{gold}}}",
        lambda: f"The answer is {gold}.",
        lambda: f"Answer: {gold}",
        lambda: f"> {gold}",
        lambda: gold[:at] + chr(32 + stream.below(95)) + gold[at + 1 :],
        lambda: gold[:at] + gold[at + 1 :],
        lambda: " ".join(gold),
        lambda: gold[::-1],
        lambda: "\n".join(f"- {line}" for line in lines),
        lambda: "\n".join(f"{number}. {line}" for number, line in enumerate(lines)),
        lambda: f"<think>{gold[at:]}</think>{gold}",
        lambda: f"<think>{gold}",
        lambda: f"{gold[:at]}</think>{gold}",
        lambda: f"<reasoning>x</reasoning><answer>{gold}</answer>",
        lambda: f"<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>{gold}",
        lambda: "| # | Answer |\n|---|---|\n" + "\n".join(f"| {n} | {part} |" for n, part in enumerate(parts, 1)),
        lambda: json.dumps({str(number): part for number, part in enumerate(parts, 1)}),
        lambda: f"Answer: {gold[:at]}\n\nWait, no.\n\n**Answer:** {gold}",
        lambda: f"I cannot tell. It is not {gold}, or it is.",
    )
    return kinds[stream.below(len(kinds))]()


def hostile(gold: str, stream: Stream) -> str:
    """What no model means to say: long runs, deep nests, broken text."""
    size = MEGABYTE if stream.below(100) == 0 else 1 + stream.below(20_000)
    kinds: Sequence[Callable[[], str]] = (
        lambda: "9" * size,
        lambda: "[" * min(size, 10_000) + "]" * min(size, 10_000),
        lambda: "{" * min(size, 10_000),
        lambda: ">" * size,
        lambda: "id > " * (size // 5),
        lambda: "\ud800" * size,
        lambda: "\x00" * size,
        lambda: "\u202e\u2066" * (size // 2),
        lambda: "a" * size,
        lambda: " " * size,
        lambda: "\n" * size,
        lambda: ", " * (size // 2),
        lambda: "1, " * (size // 3),
        lambda: "**" * (size // 2),
        lambda: "Answer: " * (size // 8),
        lambda: "\\boxed{" * (size // 7),
        lambda: "\\text{" * (size // 12) + "}" * (size // 12),
        lambda: "<think>" * (size // 7),
        lambda: "</think>" * (size // 8),
        lambda: "<think></think>" * (size // 15) + gold,
        lambda: "<answer>" * (size // 8) + gold,
        lambda: "<|channel|>final<|message|>" * (size // 27),
        lambda: "Answer:\n" * (size // 8) + gold,
        lambda: "答案：" * (size // 3),
        lambda: "| a " * (size // 4),
        lambda: "1. a\n" * (size // 5),
        lambda: "1. a 2. b " * (size // 10),
        lambda: "not " * (size // 4) + gold,
        lambda: " or ".join([gold] * max(1, min(1_000, size // (len(gold) + 4)))),
        lambda: "```\n" * (size // 4),
        lambda: "&amp;" * (size // 5),
        lambda: "[a](http://b) " * (size // 14),
        lambda: "(A) " * (size // 4),
        lambda: '{"a":' * min(size, 10_000),
        lambda: "\ufdfa" * (size // 18),
        lambda: "e\u0301" * (size // 2),
        lambda: "。" * size,
        lambda: (gold + " ") * max(1, size // (len(gold) + 1)),
        lambda: gold + "9" * size,
        lambda: "x" * size + gold,
    )
    return kinds[stream.below(len(kinds))]()


def noise(stream: Stream) -> str:
    """Characters from everywhere."""
    spans = ((32, 95), (32, 95), (0x4E00, 20_000), (0, 0x110000))
    first, width = spans[stream.below(len(spans))]
    return "".join(chr(first + stream.below(width)) for _ in range(stream.below(400)))


def response(row: Mapping[str, Any], stream: Stream) -> str:
    """Response number k of a metric: 70 % mutated, 20 % hostile, 10 % noise."""
    gold, kind = gold_response(tuple(row["answers"]))[:LONGEST_GOLD], stream.below(10)
    if kind < 7:
        text = mutated(gold, stream)
        return mutated(text, stream) if stream.below(3) == 0 else text
    return hostile(gold, stream) if kind < 9 else noise(stream)


def throw(job: tuple[str, int, int]) -> tuple[str, int, float, float, str, list[str]]:
    """Responses first .. last - 1 of a metric: (metric, count, seconds, slowest, what it was, what went wrong)."""
    metric, first, last = job
    rows, wrong, slowest, what = _ROWS[metric], [], 0.0, ""
    spent = 0.0
    for number in range(first, last):
        stream = Stream("scorers", metric, number)
        row = rows[stream.below(len(rows))]
        text = response(row, stream)
        started = time.process_time()
        try:
            value = METRICS[metric](heard(metric, text), row)
        except Exception as error:  # any exception is the finding
            wrong.append(f"response {number} of {row['id']}: {type(error).__name__}: {error}"[:300])
            continue
        took = time.process_time() - started
        spent += took
        if not 0 <= value <= 1:
            wrong.append(f"response {number} of {row['id']}: {value}")
        if took > slowest:
            slowest, what = took, f"response {number} ({len(text)} characters, {text[:24]!r}) to {row['id']}"
    return metric, last - first, spent, slowest, what, wrong


_ROWS: dict[str, list[dict[str, Any]]] = {}


def _start(metric: str) -> None:
    _ROWS[metric] = rows_of(metric)
    for row in _ROWS[metric]:
        # What is loaded once is no part of what a response takes.
        METRICS[metric]("A first response.", row)


def main() -> int:
    """Print a line a metric; exit 1 if any response went wrong or took over half a second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=20_000, help="responses a metric")
    parser.add_argument("metrics", nargs="*", default=[""], help="only metrics that begin so")
    parser.add_argument("--first", type=int, default=0, help="the number of the first response")
    parser.add_argument("--log", type=Path, help="what is written here is not thrown again")
    given = parser.parse_args()
    count, end = given.count, given.first + given.count
    done = given.log.read_text(encoding="utf-8").splitlines() if given.log and given.log.exists() else []
    chosen = sorted(name for name in METRICS if name.startswith(tuple(given.metrics)))
    begun, bad = time.monotonic(), 0
    for place, metric in enumerate(chosen, start=1):
        part = f"{metric} {given.first}-{end}: "
        if known := next((line for line in done if line.startswith(part)), ""):
            bad += known.endswith(_BAD)
            continue
        step = max(1, count // 64)
        jobs = [(metric, first, min(end, first + step)) for first in range(given.first, end, step)]
        with ProcessPoolExecutor(2, initializer=_start, initargs=(metric,)) as pool:
            results = list(pool.map(throw, jobs))
        spent, slowest = sum(one[2] for one in results), max(results, key=lambda one: one[3])
        wrong = [text for one in results for text in one[5]]
        is_bad = bool(wrong) or slowest[3] > SLOWEST
        bad += is_bad
        mean = spent / count * 1e6
        told = f"{part}{mean:.0f} us each, slowest {slowest[3]:.3f} s: {slowest[4]}"
        print(f"[{place}/{len(chosen)}, {(time.monotonic() - begun) / 60:.0f} min] {told}")
        for text in wrong[:5]:
            print(f"    WRONG {text}")
        sys.stdout.flush()
        if given.log:
            with given.log.open("a", encoding="utf-8") as stream:
                stream.write(f"{told}{_BAD * is_bad}\n")
    print(f"{count * len(chosen):,} responses, {bad} metrics with findings")
    return int(bad > 0)


# The end of a metric's line in the log.
_BAD: Final = " WRONG"


if __name__ == "__main__":
    sys.exit(main())
