"""Makes the content of a manifest from a recipe and the sidecars of its finished files."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from carrara.errors import ReleaseError
from carrara.making import probes
from carrara.making.sidecar import RowRecord, Sidecar
from carrara.recipe.recipe import Config, Recipe
from carrara.release.manifest import OWN_LICENCE, canary, highest_scores
from carrara.release.reader import Release, rows, rows_at
from carrara.release.schema import (
    ConfigFacts,
    Content,
    Fill,
    NoteSummary,
    RecipeFacts,
    RunFacts,
    SourceFacts,
    Summary,
    TokenizerFacts,
)
from carrara.retrieval.run import FrozenRun
from carrara.row import DigestLine, content_root
from carrara.tokens import COMMON, load_tokenizer


def content(
    recipe: Recipe,
    tokenizer_fingerprint: str,
    sources: Mapping[str, SourceFacts],
    sidecars: Mapping[str, Sequence[Sidecar]],
    plans: Mapping[str, str],
    runs: Mapping[str, FrozenRun] | None = None,
) -> Content:
    """The manifest's `content`: sidecars and plan digests by config name, sidecars in file order.

    Raises ReleaseError where a config has no rows, no plans digest or a source that is not given.
    """
    given: dict[str, Any] = {"runs": {name: _run(run) for name, run in runs.items()}} if runs else {}
    if recipe.card:
        given["written"] = recipe.card
    return Content(
        name=recipe.name,
        version=recipe.version,
        stream=recipe.stream,
        title=recipe.title,
        canary=canary(recipe.name, recipe.version, recipe.stream),
        tokenizer=TokenizerFacts(name=recipe.tokenizer, fingerprint=tokenizer_fingerprint),
        recipe=RecipeFacts.model_validate(recipe.to_json()),
        recipe_fingerprint=recipe.fingerprint(),
        sources={name: sources[name] for name in sorted(sources)},
        configs={config.name: _facts(config, sources, sidecars, plans) for config in recipe.configs()},
        **given,
    )


def longest_prompts(release: Release) -> dict[str, dict[str, int]]:
    """Of every config its longest prompt by the release's tokenizer (the first of several), counted with others.

    One row of each: to count all takes a build of long rows a tenth longer.
    """
    others = [load_tokenizer(name) for name in COMMON if name != release.content.tokenizer.name]
    found = {}
    for config in release.configs:
        tokens = [row["tokens"] for row in rows(release, config, ["tokens"])]
        [(_, row)] = rows_at(release, config, [tokens.index(max(tokens))])
        found[config] = {tokenizer.name: tokenizer.count(row["prompt"]) for tokenizer in others}
    return found


def _facts(
    config: Config,
    sources: Mapping[str, SourceFacts],
    sidecars: Mapping[str, Sequence[Sidecar]],
    plans: Mapping[str, str],
) -> ConfigFacts:
    files = sidecars.get(config.name, ())
    rows = [row for file in files for row in file.rows]
    if not rows or config.name not in plans:
        raise ReleaseError(f"{config.name}: got {len(rows)} rows, expected some and a plans digest", "Build it again.")
    for name in config.sources:
        if name not in sources or not sources[name].licence:
            raise ReleaseError(f"{config.name}: source {name!r} states no licence", "State one in the source's pin.")
    fill = [(row.tokens + row.max_output_tokens) / row.length for row in rows]
    depths = Counter(min(9, int(depth * 10)) for row in rows for depth in row.depths)
    lengths = Counter(min(19, row.tokens * 20 // config.bucket_tokens) for row in rows)
    complexity = Counter(row.complexity for row in rows)
    task = config.task
    noted = _notes(rows)
    facts = ConfigFacts(
        task=task.name,
        benchmark=task.benchmark,
        paper=task.paper,
        asks=task.asks,
        variant=config.variant,
        bucket=config.bucket,
        bucket_tokens=config.bucket_tokens,
        source=config.source,
        lengths=config.lengths,
        metric=task.metric(config.variant),
        metrics=tuple(task.metrics_of(config.variant)),
        rows=len(rows),
        items=len({row.item for row in rows}),
        groups=len({row.group for row in rows}),
        files=tuple(file.file for file in files),
        root=content_root([DigestLine(row.digest, row.id) for row in rows]),
        plans=plans[config.name],
        tokens=_summary([row.tokens for row in rows]),
        output_tokens=_summary([row.max_output_tokens for row in rows]),
        fill=Fill(min=round(min(fill), 4), mean=round(math.fsum(fill) / len(fill), 4)),
        complexity={str(value): complexity[value] for value in sorted(complexity)},
        depths=tuple(depths[tenth] for tenth in range(10)),
        histogram=tuple(lengths[twentieth] for twentieth in range(20)),
        answers=len({row.answers for row in rows}),
        licence="; ".join(dict.fromkeys(sources[name].licence for name in config.sources)) or OWN_LICENCE,
        paper_scores=highest_scores(row.paper for row in rows),
        probes=tuple(probes.summary(task, (row.probes for row in rows if row.probes))),
    )
    return facts.model_copy(update={"notes": noted}) if noted else facts


def _run(run: FrozenRun) -> RunFacts:
    """The manifest's facts of a frozen run; the questions stay in the run's file."""
    facts = run.record.model_dump(
        mode="json", exclude_unset=True, include={"corpus", "retriever", "candidates", "dropped", "removed", "digest"}
    )
    return RunFacts.model_validate({"questions": len(run.queries), **facts})


def _notes(rows: Sequence[RowRecord]) -> dict[str, NoteSummary]:
    """Statistics of the numbers that the task notes (`Task.notes`), each over the rows that have it."""
    by_name: dict[str, list[int]] = {}
    for row in rows:
        for name, value in row.notes.items():
            by_name.setdefault(name, []).append(value)
    return {
        name: NoteSummary(min=min(values), max=max(values), mean=round(sum(values) / len(values), 4))
        for name, values in by_name.items()
    }


def _summary(values: Sequence[int]) -> Summary:
    count, total = len(values), sum(values)
    # Integers up to the last step, for the same result on every machine.
    spread = count * sum(value * value for value in values) - total * total
    return Summary(
        sum=total,
        min=min(values),
        max=max(values),
        mean=round(total / count, 4),
        sd=round(math.sqrt(spread / (count * count)), 4),
    )
