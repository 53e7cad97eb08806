"""The audit of a whole release: what no single row shows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from carrara.recipe.recipe import Config, Recipe
from carrara.task import Finding

# Benchmarks whose answers are long and drawn at random: two items with one gold are a defect, not chance.
_UNSHARED = ("needlebench/", "verbatim/", "order/", "grouping/", "mrcr")


def release_audit(recipe: Recipe, sidecars: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Finding]:
    """What only the whole release shows: rows missing, out of order or double, shared golds, unbalanced options."""
    findings: list[Finding] = []
    ids: set[str] = set()
    prompts: dict[str, tuple[str, str, str]] = {}
    configs = recipe.configs()
    if not configs:
        findings.append(Finding("nothing to audit", "the recipe has no config"))
    for name in sorted(set(sidecars) - {config.name for config in configs}):
        findings.append(Finding("unknown config", f"{name} is not in the recipe"))
    for config in configs:
        rows = [row for file in sidecars.get(config.name, ()) for row in file["rows"]]
        if len(rows) != config.rows:
            findings.append(Finding("row count", f"{config.name} has {len(rows)} rows, expected {config.rows}"))
        for row in rows:
            if row["id"] in ids:
                findings.append(Finding("duplicate id", row["id"]))
            first, item, owner = prompts.setdefault(row["prompt"], (row["id"], row["item"], config.name))
            # Grids share lengths (16k is in that of 32k and of 128k): an item may meet itself in another bucket.
            if first != row["id"] and row["id"] not in ids and (item != row["item"] or owner == config.name):
                findings.append(Finding("duplicate prompt", f"{row['id']} has the prompt of {first}"))
            ids.add(row["id"])
        findings += _disorder(config, rows)
        findings += _shared_golds(config, rows)
        findings += _unbalanced(config, rows)
        findings += _too_roomy(config, recipe.buckets, rows)
    return findings


def _disorder(config: Config, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    for index, row in enumerate(rows):
        if row["id"] != (expected := config.task.row_id(config.slot(index))):
            yield Finding("order", f"{config.name}: row {index} is {row['id']}, expected {expected}")
            return


def _shared_golds(config: Config, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    # Questions that people wrote may have an answer in common.
    task, variant = config.task, config.variant
    if not task.metric(variant).startswith(_UNSHARED) or not task.solvable(variant, config.source):
        return
    owners: dict[str, str] = {}
    for row in rows:
        if row["choices"] == 0 and (first := owners.setdefault(row["answers"], row["item"])) != row["item"]:
            yield Finding("shared gold", f"{row['id']} has the answers of {first}")


def _too_roomy(config: Config, buckets: Mapping[str, int], rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Where the recipe gives the size of the problem, its bucket is the smallest that holds every row of the config."""
    smaller = {size: name for name, size in buckets.items() if size < config.bucket_tokens}
    if config.lengths != "given" or not smaller or not rows:
        return
    longest = max(row["tokens"] + row["max_output_tokens"] for row in rows)
    if longest <= max(smaller):
        yield Finding("bucket", f"{config.name}: no row has over {longest} tokens: put it into {smaller[max(smaller)]}")


def _unbalanced(config: Config, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Full blocks of as many items as there are options: each option is gold equally often, but for 1 + 10 %.

    Blocks are of items: the rows of one item may share their gold (permutations) or turn it (rotations). Rows whose
    gold is no option (-1) and configs with a varying number of options have nothing to balance.
    """
    options = {row["choices"] for row in rows}
    if len(options) != 1 or 0 in options or not config.task.balanced:
        return
    number = options.pop()
    items = list(dict.fromkeys(row["item"] for row in rows))
    full = set(items[: len(items) // number * number])
    counts = Counter(row["gold_choice"] for row in rows if row["item"] in full and row["gold_choice"] >= 0)
    if not counts:
        return
    each = [counts[option] for option in range(number)]
    if max(each) - min(each) > 1 + 0.1 * sum(each) / number:
        yield Finding("unbalanced options", f"{config.name}: the gold is option 0, 1, ... in {each} rows")
