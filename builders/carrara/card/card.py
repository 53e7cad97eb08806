"""The card of a release: README.md as a Hugging Face dataset card, from the manifest's `content` and nothing else.

The text is a template, `card.md.jinja`; this module works out its values. The same content gives the same bytes: no
clock, no path, no host (law 12). Hand-written sections (intended use, limits, deviations; `written`) are joined in as
they are; the template escapes every other value (law 17).
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import jinja2

from carrara.card.chance import chance, outcomes
from carrara.release.configs import config_groups, config_order, data_files, languages
from carrara.release.licences import hub_id
from carrara.release.manifest import highest_scores
from carrara.release.schema import CellFacts, ConfigFacts, Content, NoteSummary
from carrara.row import canonical_json
from carrara.text.markdown import Markdown, code, escape, link, number, percent, quoted, table

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST = "1M<n<10M"
# Benchmarks whose every task asks a question about a text; the others ask for longer text, too.
_QUESTIONS_ONLY = {"needlebench"}
_LENGTHS = {
    "full": "every row fills its bucket: prompt and answer together take the bucket's size",
    "cumulative": "spread evenly from 2k up to the bucket, so a larger bucket also holds short rows",
    "grid": "every question stands at several lengths, in even steps up to the bucket, and at every depth",
    "given": "the recipe sets the size of the problem; the bucket is the smallest that holds prompt and answer",
}
_LISTED = 20


class CellSummary(NamedTuple):
    """What the card says of a cell of the recipe; `questions` are numbers of questions with their buckets."""

    variants: list[str]
    questions: list[tuple[int, str]]
    lengths: str
    source: str
    source_title: str
    settings: list[str]


class TaskSummary(NamedTuple):
    """What the card says of a task.

    `published`: published scorers with the wrong answers that they reward, and the scores. `depths`: pieces of evidence
    by tenths. `notes` and `chance` are tables whose columns depend on the task, "" if there is nothing to say.
    """

    name: str
    asks: str
    paper: str
    metric: str
    other_metrics: list[str]
    published: list[tuple[str, list[tuple[str, float]]]]
    cells: list[CellSummary]
    depths: list[int]
    notes: Markdown
    chance: Markdown


class SealSummary(NamedTuple):
    """Of which configs answers can be computed: of none, of all, of those `named`, or of all but those `named`."""

    some: bool
    all: bool
    all_but: bool
    named: list[str]
    more: int


def card(content: Content) -> str:
    """The card of a release, from content that was checked where it came in. Raises ReleaseError without a config."""
    configs = {name: content.configs[name] for name in config_order(content)}
    rows = sum(config.rows for config in configs.values())
    licences: dict[str, list[str]] = {}
    for name, config in configs.items():
        licences.setdefault(config.licence, []).append(name)
    return _template().render(
        content=content,
        title=content.title or content.name,
        languages=languages(content),
        hub_licence=hub_id(licences),
        size_category=next((size for limit, size in _SIZES if rows < limit), _LARGEST),
        asks_for_text=bool({config.benchmark for config in configs.values()} - _QUESTIONS_ONLY),
        configs=configs,
        load_names=_load_names(content),
        rows=rows,
        tokens=sum(config.tokens.sum for config in configs.values()),
        buckets=sorted({(config.bucket_tokens, config.bucket) for config in configs.values()}),
        sealed=_sealed(content.sealed.computable, content.configs) if content.sealed else None,
        tasks=[
            _task(content, name, {key: config for key, config in configs.items() if config.task == name})
            for name in dict.fromkeys(config.task for config in configs.values())
        ],
        has_outcomes=any(outcomes([config]) for config in configs.values()),
        first=next(iter(configs)),
        longest=max(configs, key=lambda name: configs[name].bucket_tokens),
        licences=licences,
    )


@cache
def _template() -> jinja2.Template:
    """The template; a value that no filter has made safe is escaped, and a name that is not given is an error."""
    environment = jinja2.Environment(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        # In place of autoescape, which knows HTML alone.
        finalize=_safe,
        autoescape=False,
    )
    environment.filters.update(
        code=lambda value: Markdown(code(value)),
        link=lambda value: Markdown(link(value)),
        number=lambda value: Markdown(number(value)),
        percent=lambda value: Markdown(percent(value)),
        quoted=lambda value: Markdown(quoted(value)),
        paths=lambda globs: Markdown(quoted(globs[0]) if len(globs) == 1 else canonical_json(globs)),
        hand_written=Markdown,
        complexities=_complexities,
        # Jinja's own would forget what is safe.
        join=lambda values, mark: Markdown(mark.join(map(_safe, values))),
    )
    environment.globals["separator"] = lambda loop, mark=", ": Markdown("" if loop.last else mark)
    return environment.from_string(files("carrara").joinpath("card", "card.md.jinja").read_text(encoding="utf-8"))


def _safe(value: Any) -> str:
    return value if isinstance(value, Markdown) else escape(value)


def _load_names(content: Content) -> dict[str, list[str]]:
    """Globs of data files by the names that `load_dataset` takes; the first is the default: the smallest bucket."""
    names = config_order(content)
    groups = {group: data_files(group, members, names) for group, members in config_groups(content).items()}
    return groups | {name: [f"data/{name}/test-*.parquet"] for name in names}


def _task(content: Content, name: str, configs: Mapping[str, ConfigFacts]) -> TaskSummary:
    first = next(iter(configs.values()))
    scores = highest_scores(config.paper_scores for config in configs.values())
    published = [
        (metric, [(answer, score) for answer, score in sorted(answers.items()) if score > 0])
        for metric, answers in sorted(scores.items())
    ]
    return TaskSummary(
        name,
        first.asks,
        first.paper,
        first.metric,
        [metric for metric in first.metrics if metric != first.metric],
        [(metric, answers) for metric, answers in published if answers],
        [_cell(content, cell) for cell in content.recipe.cells if cell.task == name],
        [sum(counts) for counts in zip(*(config.depths for config in configs.values()), strict=True)],
        _table(_notes(configs)),
        _table(chance(list(configs.values()))),
    )


def _cell(content: Content, cell: CellFacts) -> CellSummary:
    return CellSummary(
        [variant for variant in cell.variants if variant],
        [(cell.questions[bucket], bucket) for bucket in cell.buckets],
        _LENGTHS.get(cell.lengths, cell.lengths),
        cell.source,
        content.sources[cell.source].title if cell.source in content.sources else "",
        [f"{name} = {canonical_json(value)}" for name, value in sorted(cell.params.items())],
    )


def _sealed(computable: Iterable[str], configs: Mapping[str, ConfigFacts]) -> SealSummary:
    known = [name for name in computable if name in configs]
    others = [name for name in configs if name not in set(known)]
    all_but = 0 < len(others) < len(known)
    named = others if all_but else known
    return SealSummary(bool(known), not others, all_but, named[:_LISTED], max(0, len(named) - _LISTED))


def _notes(configs: Mapping[str, ConfigFacts]) -> Iterable[str]:
    """Lines of a table of what a task tells of its rows (`Task.notes`), config by config."""
    by_config = {name: config.notes for name, config in configs.items() if config.notes}
    # Sorted: a manifest that was read again has lost their order.
    names = sorted({note for notes in by_config.values() for note in notes})
    lines = [[code(config), *(_range(notes.get(note)) for note in names)] for config, notes in by_config.items()]
    return table(("config", *map(escape, names)), lines, right=range(1, len(names) + 1)) if lines else ()


def _range(note: NoteSummary | None) -> str:
    if note is None:
        return ""
    if note.min == note.max:
        return number(note.min)
    return f"{number(note.min)}–{number(note.max)} ({number(note.mean)})"


def _table(lines: Iterable[str]) -> Markdown:
    return Markdown("\n".join(lines))


def _complexities(counts: Mapping[str, int]) -> str:
    values = sorted(int(value) for value in counts)
    if len(values) > 4:
        return f"{values[0]} to {values[-1]} ({len(values)} values)"
    return ", ".join(str(value) for value in values)
