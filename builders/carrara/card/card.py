"""The card of a release: README.md as a Hugging Face dataset card, from the manifest's `content` and nothing else.

The same content gives the same bytes: no clock, no path, no host (law 12). Hand-written sections (intended use,
limits, deviations; `written`) are joined in as they are; every other text is escaped (law 17).
"""

from collections.abc import Iterable, Mapping

from carrara.card.chance import CHANCE, chance, outcomes
from carrara.card.sections import notes, runs, sealed, use_sealed
from carrara.release.configs import config_order, languages
from carrara.release.manifest import highest_scores
from carrara.release.schema import CellFacts, ConfigFacts, Content
from carrara.row import canonical_json
from carrara.text.markdown import code, escape, link, number, one_line, percent, quoted, table

# Where `figures.length_histogram` draws what the card shows.
LENGTHS = "figures/lengths.png"

# Names that the Hub knows, by what our sources state.
_LICENCES = {
    name: name
    for name in (
        *("apache-2.0", "mit", "cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0"),
        *("cc-by-nc-4.0", "cc-by-nc-sa-4.0", "odc-by", "odbl", "pddl", "gpl-3.0", "gfdl"),
    )
}
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
_STREAM = {
    False: "Another stream gives a twin: other rows of the same distribution.",
    True: "That is a commitment to it: with the stream itself anyone could make the answers.",
}
_NO_NOTES = """\
## Intended use, limits, deviations

Nobody has written notes for this release. Where a task departs from its paper is said in the task's module."""


def card(content: Content) -> str:
    """The card of a release, from content that was checked where it came in. Raises ReleaseError without a config."""
    names = config_order(content)
    parts = [
        "\n".join(_front_matter(content, names)),
        "\n".join(_head(content)),
        *(["\n".join(sealed(content))] if content.is_sealed else []),
        "\n".join(_configs(content, names)),
        "\n".join(_tasks(content, names)),
        *filter(None, ["\n".join(runs(content)).strip()]),
        "\n".join(_use(content, names)),
        "\n".join(_licences(content, names)),
        content.written or _NO_NOTES,
        "\n".join(_training(content)),
    ]
    return "\n\n".join(parts) + "\n"


def _front_matter(content: Content, names: list[str]) -> Iterable[str]:
    configs = content.configs
    rows = sum(configs[name].rows for name in names)
    licences = {one_line(configs[name].licence).lower() for name in names}
    yield "---"
    yield f"pretty_name: {quoted(content.title or content.name)}"
    yield "language:"
    yield from (f"- {quoted(language)}" for language in languages(content))
    if len(licences) == 1 and (known := _LICENCES.get(min(licences))):
        yield f"license: {quoted(known)}"
    else:
        yield 'license: "other"'
        yield 'license_name: "stated-per-config"'
        yield 'license_link: "README.md"'
    yield "size_categories:"
    yield f"- {quoted(next((size for limit, size in _SIZES if rows < limit), _LARGEST))}"
    yield "task_categories:"
    yield '- "question-answering"'
    if {configs[name].benchmark for name in names} - _QUESTIONS_ONLY:
        yield '- "text-generation"'
    yield "tags:"
    yield '- "long-context"'
    yield '- "benchmark"'
    yield "configs:"
    for name in names:
        yield f"- config_name: {quoted(name)}"
        yield "  data_files:"
        yield '  - split: "test"'
        yield f"    path: {quoted(f'data/{name}/test-*.parquet')}"
    yield "---"


def _head(content: Content) -> Iterable[str]:
    configs = content.configs.values()
    rows, tokens = sum(config.rows for config in configs), sum(config.tokens.sum for config in configs)
    sizes = sorted({(config.bucket_tokens, config.bucket) for config in configs})
    buckets = ", ".join(f"{escape(name)} ({number(size)} tokens)" for size, name in sizes)
    tokenizer = content.tokenizer
    yield f"# {escape(content.title or content.name)}"
    yield ""
    yield f"{code(content.name + '@' + content.version)} is a frozen set of long-context problems:"
    yield f"{number(rows)} rows in {len(configs)} configs, {number(tokens)} tokens of prompt. A config is one task,"
    yield "one variant and one size class (bucket); its only split is `test`."
    yield ""
    yield f"- **Buckets:** {buckets}. Prompt and answer together never exceed the bucket."
    yield f"- **Tokenizer:** {code(tokenizer.name)}, vocabulary {code(tokenizer.fingerprint)}."
    yield f"- **Stream:** {code(content.stream)}. {_STREAM[content.is_sealed]}"
    yield f"- **Recipe:** `recipe.json`, fingerprint {code(content.recipe_fingerprint)}."
    yield ""
    yield "**Not for training.** The rows measure models; a model that has seen them cannot be measured any more."


def _configs(content: Content, names: list[str]) -> Iterable[str]:
    header = ("config", "rows", "questions", "answers", "tokens, mean ± sd", "min", "max", "fill, mean (min)")
    lines = []
    for name in names:
        config = content.configs[name]
        tokens, fill = config.tokens, config.fill
        lines.append(
            [
                code(name),
                number(config.rows),
                number(config.items),
                "withheld" if content.is_sealed else number(config.answers),
                f"{number(tokens.mean)} ± {number(tokens.sd)}",
                number(tokens.min),
                number(tokens.max),
                f"{percent(fill.mean)} ({percent(fill.min)})",
                "withheld" if content.is_sealed else _complexity(config.complexity),
                code(config.metric),
            ]
        )
    yield "## Configs"
    yield ""
    yield from table((*header, "complexity", "metric"), lines, right=range(1, 8))
    yield ""
    yield "Tokens are those of the prompt. Fill is the share of a row's length that prompt and answer take together."
    yield "Answers counts the different gold answers. Complexity is the number of steps, needles or operations."
    yield ""
    yield f"![Rows by tokens of the prompt, one panel a bucket, one strip a config]({LENGTHS})"
    yield ""
    yield "The height of a bar is its share of the rows, scaled to the strip's highest bar."


def _complexity(counts: Mapping[str, int]) -> str:
    values = sorted(int(value) for value in counts)
    if len(values) > 4:
        return f"{values[0]} to {values[-1]} ({len(values)} values)"
    return ", ".join(str(value) for value in values)


def _tasks(content: Content, names: list[str]) -> Iterable[str]:
    configs = content.configs
    yield "## Tasks"
    for task in dict.fromkeys(configs[name].task for name in names):
        of_task = [configs[name] for name in names if configs[name].task == task]
        first = of_task[0]
        yield ""
        yield f"### {code(task)}"
        yield ""
        # Every text stands behind words of ours: at the start of a line it could begin a list or a heading.
        yield f"- **Asks:** {escape(first.asks)}"
        yield f"- **Paper:** {escape(first.paper)}"
        others = [code(metric) for metric in first.metrics if metric != first.metric]
        yield f"- **Metric:** {code(first.metric)}{'; also ' + ', '.join(others) if others else ''}"
        yield from _paper_scores(of_task)
        for cell in content.recipe.cells:
            if cell.task == task:
                yield from _cell(content, cell)
        if any(depths := [sum(counts) for counts in zip(*(config.depths for config in of_task), strict=True)]):
            yield ""
            yield "Depth of the evidence (0 % is the top), pieces of evidence:"
            yield ""
            labels = [f"{start}–{start + 10} %" for start in range(0, 100, 10)]
            yield from table(labels, [[number(count) for count in depths]], right=range(10))
        yield from notes([(name, configs[name]) for name in names if configs[name].task == task])
        yield from chance(of_task)
    if any(outcomes([config]) for config in configs.values()):
        yield ""
        yield f"![Histograms of the scores that strategies get which do not read the context]({CHANCE})"


def _paper_scores(configs: list[ConfigFacts]) -> Iterable[str]:
    """Published scorers that reward wrong answers are named with what they give."""
    most = highest_scores(config.paper_scores for config in configs)
    for metric in sorted(most):
        given = "; ".join(
            f"{escape(answer)} {score:.2f}" for answer, score in sorted(most[metric].items()) if score > 0
        )
        if given:
            yield f"- **Published scorer:** {code(metric)}, kept as it is, gives wrong answers up to: {given}."


def _cell(content: Content, cell: CellFacts) -> Iterable[str]:
    variants = ", ".join(code(variant) for variant in cell.variants if variant)
    questions = ", ".join(f"{number(cell.questions[bucket])} at {escape(bucket)}" for bucket in cell.buckets)
    yield f"- **Rows{' of ' + variants if variants else ''}:** {questions} (questions)."
    yield f"  Lengths: {escape(_LENGTHS.get(cell.lengths, cell.lengths))}."
    if cell.source:
        title = content.sources[cell.source].title if cell.source in content.sources else ""
        yield f"  Source: {code(cell.source)}{' (' + escape(title) + ')' if title else ''}."
    if cell.params:
        settings = (f"{name} = {canonical_json(value)}" for name, value in sorted(cell.params.items()))
        yield f"  Settings: {', '.join(code(setting) for setting in settings)}."


def _use(content: Content, names: list[str]) -> Iterable[str]:
    longest = max(names, key=lambda name: content.configs[name].bucket_tokens)
    yield f"""\
## Use

Load one config, from a folder or from a repository on the Hub; stream the long ones:

```python
from datasets import load_dataset

rows = load_dataset("<folder or repo>", {quoted(names[0])}, split="test")
long = load_dataset("<folder or repo>", {quoted(longest)}, split="test", streaming=True)
```"""
    if content.is_sealed:
        yield from use_sealed()
        return
    yield """
`prompt` is ready to send and ends where the answer begins; `answers` holds the gold, `evidence` the spans of the
prompt that it rests on, `group` binds the rows that are one question, `max_output_tokens` is the room for the answer.

Verify a copy (`DIR` is the folder of this file). The levels are files, rows, plans and rebuild, each with more work:

```sh
carrara verify DIR
carrara verify DIR --level rebuild
```

Build it again from its recipe, or build a twin that nobody has seen:

```sh
carrara build recipe.json
carrara build recipe.json --stream 2027-spring
```

Score responses, one JSON object a line with `id` and `response`:

```sh
carrara score DIR responses.jsonl
```"""


def _licences(content: Content, names: list[str]) -> Iterable[str]:
    configs = content.configs
    yield "## Licences and sources"
    yield ""
    yield "A config has the strictest licence of what it is made of:"
    yield ""
    for licence in dict.fromkeys(configs[name].licence for name in names):
        under = [name for name in names if configs[name].licence == licence]
        which = "all configs" if len(under) == len(names) else ", ".join(code(name) for name in under)
        yield f"- Licence {escape(licence)}: {which}"
    for name, source in sorted(content.sources.items()):
        yield ""
        yield f"**{escape(source.title or name)}** ({code(name)})"
        yield ""
        yield f"- Licence: {escape(source.licence)}"
        if source.citation:
            yield f"- Citation: {escape(source.citation)}"
        if source.url:
            yield f"- Origin: {link(source.url)}"
        files = len(source.files)
        pinned = f"{number(files)} file{'s' if files != 1 else ''}" if files else "written by this project, no files"
        yield f"- Language: {escape(source.lang)}; {pinned}; fingerprint {code(source.fingerprint)}"


def _training(content: Content) -> Iterable[str]:
    yield "## Not for training"
    yield ""
    yield "Keep this release out of training data. The line below stands in this card and in the manifest, never in a"
    yield "prompt; a model that can complete it, or a corpus that holds it, has met the release:"
    yield ""
    yield code(content.canary)
