"""The manifest: what a release says of itself, from recipe and sidecars; the audit of the whole; the version rule.

Must not change: the canonical form (two builds are compared by its bytes) and the meaning of MAJOR, MINOR and PATCH.
Nothing here holds a clock, a host or a path (law 12).
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from carrara import probes
from carrara.errors import ReleaseError
from carrara.manifest_form import FORMAT, MANIFEST, is_inside, shown
from carrara.place import LINK_HINT, Folder
from carrara.recipe import Config, Recipe
from carrara.retrieval.run import FrozenRun
from carrara.row import canonical_json, content_root, digest_line
from carrara.task import Finding
from carrara.write import write_bytes

Bump = Literal["none", "patch", "minor", "major"]
PROVENANCE = "provenance.json"
_BLOCK = 1 << 20
# Rows without an outside source are our own words, under the licence of the package.
OWN_LICENCE = "Apache-2.0"
# Benchmarks whose answers are long and drawn at random: two items with one gold are a defect, not chance.
_UNSHARED = ("needlebench/", "verbatim/", "order/", "grouping/", "mrcr")


def canary(name: str, version: str, stream: str) -> str:
    """The line by which a release is found in a training corpus: in card and manifest, never in a prompt."""
    return "carrara-canary " + hashlib.sha256(canonical_json([name, version, stream]).encode()).hexdigest()[:32]


def canonical(manifest: Mapping[str, Any]) -> bytes:
    """The bytes of `manifest.json`."""
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def content(
    recipe: Recipe,
    tokenizer_fingerprint: str,
    sources: Mapping[str, Mapping[str, Any]],
    sidecars: Mapping[str, Sequence[Mapping[str, Any]]],
    plans: Mapping[str, str],
    runs: Mapping[str, FrozenRun] | None = None,
    written: str | None = None,
) -> dict[str, Any]:
    """The manifest's `content`: sidecars and plan digests by config name, sidecars in file order.

    `written` are the card's hand-written sections, in Markdown.

    Raises ReleaseError where a config has no rows, no plans digest or a source that is not given.
    """
    return {
        "name": recipe.name,
        "version": recipe.version,
        "stream": recipe.stream,
        "title": recipe.title,
        "canary": canary(recipe.name, recipe.version, recipe.stream),
        "tokenizer": {"name": recipe.tokenizer, "fingerprint": tokenizer_fingerprint},
        "recipe": recipe.to_json(),
        "recipe_fingerprint": recipe.fingerprint(),
        "sources": {name: dict(sources[name]) for name in sorted(sources)},
        "configs": {config.name: _facts(config, sources, sidecars, plans) for config in recipe.configs()},
        **({"runs": {name: _run(run) for name, run in runs.items()}} if runs else {}),
        **({"written": written.strip()} if written and written.strip() else {}),
    }


def _facts(
    config: Config,
    sources: Mapping[str, Mapping[str, Any]],
    sidecars: Mapping[str, Sequence[Mapping[str, Any]]],
    plans: Mapping[str, str],
) -> dict[str, Any]:
    files = sidecars.get(config.name, ())
    rows = [row for file in files for row in file["rows"]]
    if not rows or config.name not in plans:
        raise ReleaseError(f"{config.name} has {len(rows)} rows and no digest of its plans", "Build it again.")
    for name in config.sources:
        if not sources.get(name, {}).get("licence"):
            raise ReleaseError(f"{config.name}: no licence of source {name!r}", "State it in the source's pin.")
    fill = [(row["tokens"] + row["max_output_tokens"]) / row["length"] for row in rows]
    depths = Counter(min(9, int(depth * 10)) for row in rows for depth in row["depths"])
    lengths = Counter(min(19, row["tokens"] * 20 // config.bucket_tokens) for row in rows)
    complexity = Counter(row["complexity"] for row in rows)
    task = config.task
    return {
        "task": task.name,
        "benchmark": task.benchmark,
        "paper": task.paper,
        "asks": task.asks,
        "variant": config.variant,
        "bucket": config.bucket,
        "bucket_tokens": config.bucket_tokens,
        "source": config.source,
        "lengths": config.lengths,
        "metric": task.metric(config.variant),
        "metrics": list(task.metrics_of(config.variant)),
        "rows": len(rows),
        "items": len({row["item"] for row in rows}),
        "groups": len({row["group"] for row in rows}),
        "files": [file["file"] for file in files],
        "root": content_root([digest_line(row["digest"], row["id"]) for row in rows]),
        "plans": plans[config.name],
        "tokens": _summary([row["tokens"] for row in rows]),
        "output_tokens": _summary([row["max_output_tokens"] for row in rows]),
        "fill": {"min": round(min(fill), 4), "mean": round(math.fsum(fill) / len(fill), 4)},
        "complexity": {str(value): complexity[value] for value in sorted(complexity)},
        "depths": [depths[tenth] for tenth in range(10)],
        "histogram": [lengths[twentieth] for twentieth in range(20)],
        "answers": len({row["answers"] for row in rows}),
        "licence": "; ".join(dict.fromkeys(sources[name]["licence"] for name in config.sources)) or OWN_LICENCE,
        "paper_scores": highest_scores(row["paper"] for row in rows),
        "probes": probes.summary(task, (row["probes"] for row in rows if row["probes"])),
        **({"notes": noted} if (noted := _notes(rows)) else {}),
    }


def _run(run: FrozenRun) -> dict[str, Any]:
    """What a frozen run is and was made of; its questions are in its own file."""
    told = ("corpus", "retriever", "candidates", "dropped", "removed", "digest")
    return {"questions": len(run.queries), **{name: run.facts[name] for name in told}}


def _notes(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int | float]]:
    """What the task tells of its rows (`Task.notes`), over those that it tells it of; sidecars of others hold none."""
    found: dict[str, list[int]] = {}
    for row in rows:
        for name, value in row.get("notes", {}).items():
            found.setdefault(name, []).append(value)
    return {
        name: {"min": min(values), "max": max(values), "mean": round(sum(values) / len(values), 4)}
        for name, values in found.items()
    }


def highest_scores(scores: Iterable[Mapping[str, Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    """The highest score that each published scorer gave to each kind of wrong answer, over rows or configs."""
    most: dict[str, dict[str, float]] = {}
    for row in scores:
        for metric, by_answer in row.items():
            of_metric = most.setdefault(metric, {})
            for answer, score in by_answer.items():
                of_metric[answer] = max(score, of_metric.get(answer, 0.0))
    return most


def _summary(values: Sequence[int]) -> dict[str, int | float]:
    count, total = len(values), sum(values)
    # In integers up to the last step: the same on every machine.
    spread = count * sum(value * value for value in values) - total * total
    return {
        "sum": total,
        "min": min(values),
        "max": max(values),
        "mean": round(total / count, 4),
        "sd": round(math.sqrt(spread / (count * count)), 4),
    }


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


def file_entry(file: Path) -> dict[str, Any]:
    """What `files` says of a file: its sha256 and its size in bytes. Reads in blocks."""
    with file.open("rb") as stream:
        return stream_entry(stream)


def stream_entry(stream: BinaryIO) -> dict[str, Any]:
    """The same of an open file; counts what it reads, not what is said of it."""
    digest, size = hashlib.sha256(), 0
    while block := stream.read(_BLOCK):
        digest.update(block)
        size += len(block)
    return {"sha256": digest.hexdigest(), "bytes": size}


def files_table(folder: Path) -> dict[str, dict[str, Any]]:
    """The manifest's `files`: every file of a release folder but manifest and provenance. Refuses links."""
    files, odd = Folder(folder).listing()
    if odd:
        raise ReleaseError(f"{shown(odd[0])} is a link or no regular file, expected files alone", LINK_HINT)
    table = {path: file_entry(folder / path) for path in files if path not in {MANIFEST, PROVENANCE} and _named(path)}
    if not table:
        raise ReleaseError(f"{folder} holds no files, expected a finished release", "Build it first.")
    return table


def _named(path: str) -> bool:
    if not is_inside(path):
        raise ReleaseError(f"file name {shown(path)}, expected letters, digits, '.', '_', '-'", "Rename or remove it.")
    return True


def write_manifest(folder: Path, content: Mapping[str, Any]) -> Path:
    """Write `manifest.json` last of all: to a temporary name, synced, renamed."""
    file = folder / MANIFEST
    write_bytes(file, canonical({"format": FORMAT, "content": content, "files": files_table(folder)}))
    return file


@dataclass(frozen=True, slots=True)
class ConfigDifference:
    """Row ids of one config; `reordered`: the rows that stayed do not stand first, in their old order."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    reordered: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """What lies between two releases: the configs whose rows differ, and whether anything else does."""

    configs: Mapping[str, ConfigDifference]
    facts: bool

    @property
    def bump(self) -> Bump:
        """The bump that the difference asks for (law 10)."""
        if any(one.removed or one.changed or one.reordered for one in self.configs.values()):
            return "major"
        if self.configs:
            return "minor"
        return "patch" if self.facts else "none"


def lines_difference(old: Sequence[str], new: Sequence[str]) -> ConfigDifference:
    """What lies between two digest lists; of an id that stands twice the first line counts, the others are added."""
    before, after = _by_id(old), _by_id(new)
    order = [line[66:] for line in new]
    added = [name for name in after if name not in before]
    twice = [name for name, times in Counter(order).items() if times > 1 for _ in range(times - 1)]
    kept = [name for name in before if name in after]
    return ConfigDifference(
        added=tuple(added + twice),
        removed=tuple(name for name in before if name not in after),
        changed=tuple(name for name in kept if before[name] != after[name]),
        reordered=kept != order[: len(kept)],
    )


def _by_id(lines: Sequence[str]) -> dict[str, str]:
    table: dict[str, str] = {}
    for line in lines:
        table.setdefault(line[66:], line)
    return table


def difference(
    old_content: Mapping[str, Any],
    old_lines: Mapping[str, Sequence[str]],
    new_content: Mapping[str, Any],
    new_lines: Mapping[str, Sequence[str]],
) -> Difference:
    """What lies between two releases whose digest lists are both at hand (lists by config name)."""
    names = sorted({*old_lines, *new_lines})
    configs = {name: lines_difference(old_lines.get(name, ()), new_lines.get(name, ())) for name in names}
    return Difference(
        {name: one for name, one in configs.items() if one != ConfigDifference()}, old_content != new_content
    )


def bump(old: Mapping[str, Any], new: Mapping[str, Any], new_lines: Mapping[str, Sequence[str]]) -> Bump:
    """The bump between two manifests by law 10; of the old release the manifest alone is needed.

    A config is unchanged, or only longer, when the first lines of its new list hash to its old root. `new_lines` must
    be the lists of `new` (`verify` holds that).
    """
    before, after = old["content"]["configs"], new["content"]["configs"]
    for name, facts in before.items():
        lines = new_lines.get(name, ())
        if name not in after or len(lines) < facts["rows"]:
            return "major"
        if content_root(list(lines[: facts["rows"]])) != facts["root"]:
            return "major"
    if any(name not in before or len(new_lines[name]) > before[name]["rows"] for name in after):
        return "minor"
    return "none" if canonical(old) == canonical(new) else "patch"
