"""The card of a release: README.md as a Hugging Face dataset card, and DETAILS.md with the tables too long for it.

The texts are templates, `card.md.jinja` and `details.md.jinja`; this module works out their values. The same content
and sample row give the same bytes: no clock, no path, no host. Hand-written sections (intended use, limits,
deviations; `written`) are joined in as they are; the templates escape every other value.

`finish` writes the card and what else follows from a manifest's `content` and the files: a build, the permissive part
of a release and a sealed release finish alike.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

import jinja2
import pyarrow.parquet as pq

from carrara.card import figures
from carrara.card.chance import chance, hundred, outcomes, shortcuts
from carrara.card.task_table import BENCHMARKS
from carrara.croissant.dataset import citation, croissant
from carrara.croissant.vocabulary import COLUMNS
from carrara.engine.files import write_bytes
from carrara.recipe.publication import publication_of
from carrara.release.configs import config_groups, config_order, data_files, languages
from carrara.release.licences import hub_id
from carrara.release.manifest import files_table, highest_scores, recipe_file, release_root
from carrara.release.schema import CROISSANT, CellFacts, ConfigFacts, Content, NoteSummary
from carrara.row import SCHEMA, ArrowRow, canonical_json
from carrara.scoring.intervals import smallest_difference
from carrara.scoring.judge.judge import CITED
from carrara.tasks import TASKS
from carrara.text.markdown import Markdown, code, escape, fenced, link, number, one_line, percent, quoted, table

CARD: Final = "README.md"
DETAILS: Final = "DETAILS.md"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST = "1M<n<10M"
# Benchmarks whose every task asks a question about a text; the others ask for longer text, too.
_QUESTIONS_ONLY = {"needlebench"}
_LENGTHS = {
    "full": "every row fills its bucket: prompt, answer and what the recipe reserves take its size",
    "cumulative": "spread evenly from 2k up to the bucket, so a larger bucket also holds short rows",
    "grid": "every question stands at several lengths up to the bucket, and at every depth",
    "given": "the recipe sets the size of the problem; the bucket is the smallest that holds prompt and answer",
}
_LISTED = 20
_SHORTCUTS = 60
# Of the sample row: characters and lines of the prompt's end, and characters of an answer.
_END, _LINES, _ANSWER = 400, 9, 120
_HUB = re.compile(r"https://huggingface\.co/datasets/([A-Za-z0-9_.-]{1,96}/[A-Za-z0-9_.-]{1,96})/?")
_ARXIV = re.compile(r"arXiv:([0-9]{4}\.[0-9]{5}(?:v[0-9]{1,2})?)")


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

    `rows` has a number for every bucket; `facts` says what the fields of a row's facts hold.
    `published`: published scorers with the wrong answers that they reward, and the scores. `depths`: pieces of evidence
    by tenths. `notes` and `chance` are tables whose columns depend on the task, "" if there is nothing to say.
    """

    name: str
    asks: str
    paper: str
    rows: list[int]
    facts: Mapping[str, str]
    metrics: list[str]
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


class Bucket(NamedTuple):
    """A bucket: its size in tokens, and its name."""

    tokens: int
    name: str


class PlaceName(NamedTuple):
    """What `load_dataset` and `carrara` call the release: its repository on the Hub, or the folder of its build."""

    loaded: str
    opened: Markdown
    is_hub: bool


class _Column(NamedTuple):
    """A column: its name, its type in Arrow, and what it holds."""

    name: str
    type: Markdown
    told: str


class Sample(NamedTuple):
    """What the card shows of a row: the end of its prompt as a block of code, its first answer, how many more."""

    id: str
    tokens: int
    metric: str
    end: Markdown
    answer: Markdown
    more: int


def card(content: Content, row: ArrowRow | None = None) -> str:
    """The card of a release, from content that was checked where it came in, with a row of it to show.

    Raises ReleaseError without a config.
    """
    return _rendered("card.md.jinja", content, sample=_sample(row) if row else None)


def details(content: Content) -> str:
    """The tables beside the card: configs, tasks with settings and probes, retrieved passages, sources."""
    return _rendered("details.md.jinja", content)


def _rendered(template: str, content: Content, **values: object) -> str:
    configs = {name: content.configs[name] for name in config_order(content)}
    facts = list(configs.values())
    rows = sum(config.rows for config in facts)
    buckets = [Bucket(*size) for size in sorted({(config.bucket_tokens, config.bucket) for config in facts})]
    tasks = [
        _task(content, name, {key: config for key, config in configs.items() if config.task == name}, buckets)
        for name in dict.fromkeys(config.task for config in facts)
    ]
    unsolved = [config for config in facts if not _is_solved(config)]
    return _template(template).render(
        values,
        content=content,
        title=content.title or content.name,
        languages=languages(content),
        hub_licence=hub_id(dict.fromkeys(config.licence for config in facts)),
        size_category=next((size for limit, size in _SIZES if rows < limit), _LARGEST),
        asks_for_text=bool({config.benchmark for config in facts} - _QUESTIONS_ONLY),
        configs=configs,
        load_names=_load_names(content),
        details=Markdown(DETAILS),
        rows=rows,
        longest_prompt=max(config.tokens.max for config in facts),
        longest=_longest(content, buckets),
        buckets=buckets,
        papers=list(_papers(facts).items()),
        worded=sorted({cell.task for cell in content.recipe.cells if cell.template}),
        sealed=_sealed(content.sealed.computable, content.configs) if content.sealed else None,
        tasks=tasks,
        columns=[_Column(column.name, _type(column.type), COLUMNS[column.name]) for column in SCHEMA],
        root=release_root(content),
        solved=rows - sum(config.rows for config in unsolved),
        unsolved=list(dict.fromkeys(config.task for config in unsolved)),
        judged=any(config.metric.startswith("judge/") for config in facts),
        cited=any(config.metric in CITED for config in facts),
        baselines=shortcuts(facts)[:_SHORTCUTS],
        invented=Markdown(_text("world_text.md").strip() if _is_invented(content) else ""),
        has_outside=any(source.files for source in content.sources.values()),
        has_outcomes=any(outcomes([config]) for config in facts),
        first=next(iter(configs)),
        licences=_licences(configs),
        bibtex=_bibtex(content),
        papers_bibtex=_papers_bibtex(facts),
        url=publication_of(content.recipe.to_json()).url,
        place=_place(content),
    )


@cache
def _template(name: str) -> jinja2.Template:
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
        # Of addresses that this module makes.
        address=Markdown,
        hundred=lambda mean: Markdown(hundred(mean)),
        number=lambda value: Markdown(number(value)),
        percent=lambda value: Markdown(percent(value)),
        quoted=lambda value: Markdown(quoted(value)),
        paths=lambda globs: Markdown(quoted(globs[0]) if len(globs) == 1 else canonical_json(globs)),
        hand_written=Markdown,
        complexities=_complexities,
        apart=lambda questions: Markdown(hundred(smallest_difference(questions)) or "none"),
        # Jinja's own would forget what is safe.
        join=lambda values, mark: Markdown(mark.join(map(_safe, values))),
    )
    environment.globals["separator"] = lambda loop, mark=", ": Markdown("" if loop.last else mark)
    return environment.from_string(_text(name))


def _text(name: str) -> str:
    return files("carrara").joinpath("card", name).read_text(encoding="utf-8")


def _safe(value: Any) -> str:
    return value if isinstance(value, Markdown) else escape(value)


def _load_names(content: Content) -> dict[str, list[str]]:
    """Globs of data files by the names that `load_dataset` takes; the first is the default: the smallest bucket."""
    names = config_order(content)
    groups = {group: data_files(group, members, names) for group, members in config_groups(content).items()}
    return groups | {name: [f"data/{name}/test-*.parquet"] for name in names}


def _task(content: Content, name: str, configs: Mapping[str, ConfigFacts], buckets: Sequence[Bucket]) -> TaskSummary:
    first = next(iter(configs.values()))
    metrics = list(dict.fromkeys(config.metric for config in configs.values()))
    others = dict.fromkeys(metric for config in configs.values() for metric in config.metrics)
    scores = highest_scores(config.paper_scores for config in configs.values())
    published = [
        (metric, [(answer, score) for answer, score in sorted(answers.items()) if score > 0])
        for metric, answers in sorted(scores.items())
    ]
    return TaskSummary(
        name,
        first.asks,
        first.paper,
        [sum(config.rows for config in configs.values() if config.bucket == bucket.name) for bucket in buckets],
        TASKS[name].facts if name in TASKS else {},
        metrics,
        [metric for metric in others if metric not in metrics],
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
        _lengths(cell),
        cell.source,
        content.sources[cell.source].title if cell.source in content.sources else "",
        [f"{name} = {canonical_json(value)}" for name, value in sorted(cell.params.items())],
    )


def _lengths(cell: CellFacts) -> str:
    """How long its rows are, where what it shows may be shorter, too."""
    if cell.params.get("short") == "whole":
        return "a document that is shorter than its row is shown whole; the other rows fill their bucket"
    if cell.params.get("fill") == "none":
        return "every row is as long as what it tells; nothing fills its bucket"
    return _LENGTHS.get(cell.lengths, cell.lengths)


def _is_invented(content: Content) -> bool:
    """Whether rows hold the world's text: haystacks, documents, passages, pieces."""
    return any(cell.source == "world" for cell in content.recipe.cells)


def _sealed(computable: Iterable[str], configs: Mapping[str, ConfigFacts]) -> SealSummary:
    known = [name for name in computable if name in configs]
    others = [name for name in configs if name not in set(known)]
    all_but = 0 < len(others) < len(known)
    named = others if all_but else known
    return SealSummary(bool(known), not others, all_but, named[:_LISTED], max(0, len(named) - _LISTED))


def _licences(configs: Mapping[str, ConfigFacts]) -> dict[str, list[str]]:
    """What stands under each licence: task and variant, or the config where its other buckets have another one."""
    stems = {name: name.removesuffix(f"_{config.bucket}") for name, config in configs.items()}
    of_stem: dict[str, set[str]] = {}
    for name, config in configs.items():
        of_stem.setdefault(stems[name], set()).add(config.licence)
    found: dict[str, dict[str, None]] = {}
    for name, config in configs.items():
        stem = stems[name]
        found.setdefault(config.licence, {})[stem if len(of_stem[stem]) == 1 else name] = None
    return {licence: list(names) for licence, names in found.items()}


def _is_solved(config: ConfigFacts) -> bool:
    """Whether a solver had to find the config's answers before they were written."""
    task = TASKS.get(config.task)
    known = task is not None and task.solve is not None and config.variant in task.variants
    return bool(known and task and task.solvable(config.variant, config.source))


def _sample(row: ArrowRow) -> Sample:
    prompt, answers = row["prompt"], row["answers"] or [""]
    end = "\n".join(prompt[-_END:].split("\n")[-_LINES:])
    if prompt[: -len(end)].endswith("\n"):
        end = f"…\n{end}"
    elif len(end) < len(prompt):
        # From the next word on; Chinese has no spaces.
        word, _, rest = end.partition(" ")
        end = "… " + (end if "\n" in word else rest or end)
    answer = one_line(answers[0])
    shown = Markdown(code(answer[:_ANSWER]) + "…" * (len(answer) > _ANSWER))
    return Sample(row["id"], row["tokens"], row["metric"], fenced(end, "text"), shown, len(answers) - 1)


def _place(content: Content) -> PlaceName:
    if match := _HUB.fullmatch(publication_of(content.recipe.to_json()).url):
        return PlaceName(match[1], Markdown(f"hf://{match[1]}@{content.version}"), True)
    # Name and version are plain: the manifest's schema says so.
    folder = f"out/{content.name}/{content.version}"
    return PlaceName(folder, Markdown(folder), False)


def _bibtex(content: Content) -> Markdown:
    """The recipe's own citation, or an entry made of what the manifest knows."""
    if stated := publication_of(content.recipe.to_json()).citation:
        return fenced(stated, "bibtex")
    fields = {**citation(content), "note": f"Release root sha256:{release_root(content)}"}
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return fenced("\n".join([f"@misc{{{content.name}-{content.version},", *lines, "}"]), "bibtex")


def _papers_bibtex(configs: Iterable[ConfigFacts]) -> Markdown:
    """The entries of `papers.bib` whose key stands in what a config says of its paper."""
    named = " ".join(dict.fromkeys(config.paper for config in configs))
    entries = [entry for entry in _text("papers.bib").splitlines() if re.search(rf"\b{_key(entry)}\b", named)]
    return fenced("\n".join(entries), "bibtex") if entries else Markdown("")


def _key(entry: str) -> str:
    return entry.partition("{")[2].partition(",")[0]


def _papers(configs: Iterable[ConfigFacts]) -> dict[str, str]:
    """The benchmarks by their names, with the address of the paper that a config states first, "" where it has none."""
    found: dict[str, str] = {}
    for config in configs:
        match = _ARXIV.search(config.paper)
        name = BENCHMARKS.get(config.benchmark, config.benchmark)
        found.setdefault(name, f"https://arxiv.org/abs/{match[1]}" if match else "")
    return found


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


def _type(kind: Any) -> Markdown:
    """A type of the schema as Arrow writes it, but for the names of a list's items."""
    return Markdown(f"`{str(kind).replace('item: ', '').replace('element: ', '')}`")


def _longest(content: Content, buckets: Sequence[Bucket]) -> dict[str, list[int]]:
    """The tokens of every bucket's longest prompt by each tokenizer, the release's own first; {} without others."""
    own, configs = content.tokenizer.name, content.configs.values()
    if not all(config.longest for config in configs):
        return {}
    counts = [(config.bucket, {own: config.tokens.max, **config.longest}) for config in configs]
    names = dict.fromkeys([own, *(name for _, of_config in counts for name in of_config)])
    return {
        name: [max(of_config.get(name, 0) for place, of_config in counts if place == bucket.name) for bucket in buckets]
        for name in names
    }


def _table(lines: Iterable[str]) -> Markdown:
    return Markdown("\n".join(lines))


def _complexities(counts: Mapping[str, int]) -> str:
    values = sorted(int(value) for value in counts)
    if len(values) > 4:
        return f"{values[0]} to {values[-1]} ({len(values)} values)"
    return ", ".join(str(value) for value in values)


# --- a release folder -----------------------------------------------------------------------------------------------

# What `finish` writes, and nothing else in a release does: folders end with a '/'.
FINISHED = ("recipe.json", CARD, DETAILS, "figures/", CROISSANT)


def finish(content: Content, folder: Path) -> None:
    """Write what follows from `content` and the files that stand there. The manifest alone comes after it."""
    write_bytes(folder / "recipe.json", (canonical_json(recipe_file(content)) + "\n").encode())
    (folder / "figures").mkdir(exist_ok=True)
    figures.length_histogram(content, folder / "figures" / "lengths.svg")
    figures.chance_histograms(content, folder / "figures" / "chance.svg")
    # The end of a prompt may hold what the gold says: a list to copy.
    sample = None if content.is_sealed else _shown_row(content, folder)
    write_bytes(folder / CARD, card(content, sample).encode())
    write_bytes(folder / DETAILS, details(content).encode())
    # Last: it lists every other file but the manifest, which lists it.
    write_bytes(folder / CROISSANT, croissant(content, files_table(folder)))


def _shown_row(content: Content, folder: Path) -> ArrowRow:
    """The row that the card shows: the first of the recipe's first config in the smallest bucket."""
    first = min(config_order(content), key=lambda name: content.configs[name].bucket_tokens)
    with pq.ParquetFile(folder / content.configs[first].files[0]) as table:
        row: ArrowRow = next(table.iter_batches(batch_size=1)).to_pylist()[0]
    return row
