"""What a build will make, what it needs and how long it takes: estimated from the recipe, without a vocabulary."""

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from carrara.errors import SourceError
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import EMBEDDED, Config, Recipe
from carrara.release.schema import refuse_sealed_stream
from carrara.retrieval.encoder_files import EncoderSpec
from carrara.retrieval.encoder_files import whereabouts as whereabouts_of_encoder
from carrara.retrieval.rankers import BM25
from carrara.scoring.intervals import smallest_difference
from carrara.sources import find_pin, whereabouts
from carrara.task import plan_json
from carrara.text.display import count, size
from carrara.tokens import check_tokenizer

# Measured on the recipes in the package, on two cores. Bytes of a token on disk: 0.7 with invented prose, 0.9 with real
# prose, 1.7 where no two rows share their haystack.
_BYTES_A_TOKEN = 1.0
# Seconds of one core for a million tokens: needles in prose cost least, lists and long chains most.
_SECONDS_A_MILLION = {
    **dict.fromkeys(("single_needle", "multi_needle", "needle_reasoning", "idk"), 0.4),
    **dict.fromkeys(("mrcr", "ancestral_trace", "entity_grouping"), 1.6),
}
_USUAL_SECONDS = 0.9
# For an item, whose wrong answers and probes are scored once; for a passage that is searched; to begin and to finish.
_SECONDS_AN_ITEM, _SECONDS_A_PASSAGE, _SECONDS_AROUND = 0.08, 0.0015, 8.0
_PASSAGES_A_REALM = 3_240


@dataclass(frozen=True, slots=True)
class PlannedConfig:
    """What a build will make of a config: `tokens` of prompts and answers, `bytes` on disk, `seconds`; estimated.

    `apart`: the smallest difference of two models, in [0, 1], that its `questions` tell with 80 % power; None for none.
    """

    config: str
    rows: int
    questions: int
    apart: float | None
    files: int
    tokens: int
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PlannedSource:
    """A source or encoder that a build reads, and whether it is at hand: `told` says where, or what to do."""

    source: str
    state: Literal["embedded", "folder", "hub", "missing"]
    told: str


@dataclass(frozen=True, slots=True, repr=False)
class BuildPlan:
    """What a build will make and what it needs. `around`: seconds of `seconds` to begin, to search and to finish.

    `apart` is of the mean of the tasks what it is of a config. `items` holds the plans of the first items of every
    config, where they were asked for.
    """

    recipe: Recipe
    configs: tuple[PlannedConfig, ...]
    sources: tuple[PlannedSource, ...]
    around: float
    apart: float | None
    items: Mapping[str, tuple[object, ...]]

    def __repr__(self) -> str:
        needed = ", ".join(f"{source.source} ({source.state})" for source in self.sources) or "none"
        return (
            f"BuildPlan of {self.recipe.name}@{self.recipe.version}: {self.rows:,} rows, {count(self.tokens)} tokens, "
            f"{size(self.bytes)}, about {self.seconds:.0f} s; sources: {needed}"
        )

    @property
    def rows(self) -> int:
        """Rows of all configs."""
        return sum(config.rows for config in self.configs)

    @property
    def tokens(self) -> int:
        """Tokens of all rows, prompt and answer."""
        return sum(config.tokens for config in self.configs)

    @property
    def bytes(self) -> int:
        """Size of the release on disk, estimated."""
        return sum(config.bytes for config in self.configs)

    @property
    def seconds(self) -> float:
        """Time of the build on a quiet machine, estimated: within a factor of two or so."""
        return sum(config.seconds for config in self.configs) + self.around

    @property
    def missing(self) -> tuple[PlannedSource, ...]:
        """The sources and encoders that are not at hand: a build must download them first, or stops."""
        return tuple(source for source in self.sources if source.state in ("missing", "hub"))


def forecast(recipe: Recipe, folder: Path | None, workers: int, items: int = 0) -> BuildPlan:
    """The plan of a build with sources in `folder`, and of the first `items` items of every config.

    Raises CarraraError for a sealed stream and for an unknown tokenizer, SourceError for an unknown source.
    """
    refuse_sealed_stream(recipe.stream)
    check_tokenizer(recipe.tokenizer)
    configs = recipe.configs()
    names = dict.fromkeys(name for config in configs for name in config.sources)
    sources = (*(_planned_source(name, folder, recipe) for name in names), *_planned_encoders(configs))
    processes = min(workers, os.cpu_count() or 1, sum(config.files for config in configs))
    searches = {(config.retrieval.corpus, config.retrieval.realms) for config in configs if config.retrieval}
    passages = _PASSAGES_A_REALM * sum(realms for _, realms in searches)
    return BuildPlan(
        recipe,
        tuple(_planned_config(config, max(1, processes)) for config in configs),
        sources,
        _SECONDS_AROUND + _SECONDS_A_PASSAGE * passages,
        _apart(configs),
        _planned_items(recipe, folder, items) if items else {},
    )


def _planned_config(config: Config, processes: int) -> PlannedConfig:
    tokens = config.tokens
    seconds = tokens / 1e6 * _SECONDS_A_MILLION.get(config.task.name, _USUAL_SECONDS) + config.items * _SECONDS_AN_ITEM
    held = int(tokens * _BYTES_A_TOKEN)
    return PlannedConfig(
        config=config.name,
        rows=config.rows,
        questions=config.items,
        apart=smallest_difference(config.items),
        files=config.files,
        tokens=tokens,
        bytes=held,
        seconds=round(seconds / processes, 1),
    )


def _apart(configs: Iterable[Config]) -> float | None:
    """The smallest difference that a mean of the tasks tells: items of several buckets or instructions are the same."""
    asked: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for config in configs:
        material = asked[config.task.name]
        base = config.task.base(config.variant)
        material[base] = max(config.items, material.get(base, 0))
    return smallest_difference(1 / sum(1 / len(asked) ** 2 / sum(items.values()) for items in asked.values()))


def _planned_source(name: str, folder: Path | None, recipe: Recipe) -> PlannedSource:
    if name in EMBEDDED:
        return PlannedSource(name, "embedded", "the invented world, written from the stream")
    try:
        pin = find_pin(name, folder, recipe.own_sources)
    except SourceError as error:
        if name not in recipe.own_sources:
            raise
        # A recipe may name files that nobody has hashed yet: its configs can be planned all the same.
        return PlannedSource(name, "missing", f"{error.message}. {error.hint}")
    found = whereabouts(pin, folder)
    return PlannedSource(name, found.state, found.told)


def _planned_encoders(configs: Iterable[Config]) -> tuple[PlannedSource, ...]:
    searches = (config.retrieval for config in configs if config.retrieval and config.retrieval.retriever != BM25)
    specs = dict.fromkeys(EncoderSpec(one.retriever, one.revision, one.weights) for one in searches)
    found = ((spec.name, whereabouts_of_encoder(spec)) for spec in specs)
    return tuple(PlannedSource(name, where.state, where.told) for name, where in found)


def _planned_items(recipe: Recipe, folder: Path | None, items: int) -> dict[str, tuple[object, ...]]:
    maker = RowMaker(recipe, folder)
    return {
        config.name: tuple(json.loads(plan_json(maker.plan(config, item))) for item in range(min(items, config.items)))
        for config in recipe.configs()
    }
