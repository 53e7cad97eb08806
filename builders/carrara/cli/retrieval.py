"""`carrara index` and `carrara retrieve`: corpora encoded, and the frozen runs of a recipe made before its build."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from carrara.cli.options import JsonOption, QuietOption, RecipeArgument, SourcesOption
from carrara.errors import CarraraError, SourceError
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.retrieval.corpus import PassageCorpus
    from carrara.retrieval.run import FrozenRun
    from carrara.tables import Passage

_MOST_REALMS = 10_000


def index(
    corpus: Annotated[
        str,
        typer.Argument(help="world:STREAM:REALMS, or the name of a source of passages (see carrara list)."),
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the index. An unfinished index is continued.")],
    encoder: Annotated[
        str, typer.Option("--encoder", help="all-minilm-l6-v2, a folder, or OWNER/NAME on the Hub with --revision.")
    ] = "all-minilm-l6-v2",
    revision: Annotated[str, typer.Option("--revision", help="The commit of a Hub model: 40 hex digits.")] = "",
    weights: Annotated[
        str, typer.Option("--weights", help="Sha256 of the weights. Without it, the error message says what it is.")
    ] = "",
    device: Annotated[
        str, typer.Option("--device", help="auto (a GPU if there is one), cpu, cuda or cuda:NUMBER.")
    ] = "auto",
    numbers: Annotated[
        Literal["auto", "float32", "bfloat16"],
        typer.Option("--numbers", help="Number format of the encoder. auto: bfloat16 where the device supports it."),
    ] = "auto",
    workers: Annotated[
        int,
        typer.Option(
            "--workers", min=1, max=1024, help="Number of processes, or of actors on Ray. They share the GPUs."
        ),
    ] = 1,
    engine: Annotated[
        Literal["processes", "ray"],
        typer.Option("--engine", help="ray: run on the hosts of a Ray cluster (RAY_ADDRESS)."),
    ] = "processes",
    sources: SourcesOption = None,
    recipe: Annotated[
        str, typer.Option("--recipe", help="For a corpus of your own: the recipe with its [source.NAME] table.")
    ] = "",
    lang: Annotated[Literal["en", "zh"], typer.Option("--lang", help="English or Chinese.")] = "en",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Encode a corpus into a folder of vectors, and print the folder and its digest.

    Every 8,192 passages are written as a shard. If a run was stopped, run the same command again to continue it; this
    also repairs damaged shards. A folder of another corpus or encoder is refused, never replaced.

    The default encoder comes with the extra retrieval. It reads the first 256 tokens of a passage and
    encodes about 15 passages of 190 tokens per second and core, or thousands per second on a GPU. Any other
    sentence-transformers model is given as a folder, or by its name on the Hub and a commit. Its weights are pinned by
    their hash, which the first run prints.

    Vectors are kept in half precision. Use --workers 2 on a processor with two cores; on a GPU the second worker
    tokenizes while the first one encodes. For several hosts, run ray start on each and use --engine ray. Examples:

    carrara index world:mine:62 --out indexes/mine --workers 2

    carrara index popqa --out indexes/popqa --encoder intfloat/e5-large-v2 --revision COMMIT --weights SHA256
    --device cuda
    """
    from carrara.cli.progress import Progress
    from carrara.retrieval.encoder_files import EncoderSpec
    from carrara.retrieval.index import build_index
    from carrara.text.display import visible

    spec = EncoderSpec(encoder, revision, weights)
    opened = _corpus(corpus, sources, recipe, lang, quiet)
    with Progress(opened.size, 0, quiet, unit="passages") as progress:
        try:
            made = build_index(
                opened, spec, out, watch=progress, device=device, numbers=numbers, workers=workers, engine=engine
            )
        except KeyboardInterrupt:
            progress.note("stopped: run the same command to continue")
            raise
    facts = {"out": str(out), "digest": made.digest, "passages": made.size, "dimensions": made.dimensions}
    facts |= {"corpus": made.corpus, "encoder": made.encoder, "numbers": made.numbers}
    told = f"{visible(str(out))}: {made.size:,} vectors of {made.dimensions:,} numbers\ndigest {made.digest}"
    typer.echo(json.dumps(facts, ensure_ascii=False) if as_json else told)


def _corpus(name: str, sources: Path | None, recipe: str, lang: Literal["en", "zh"], quiet: bool) -> "PassageCorpus":
    from carrara.retrieval.corpus import open_corpus

    if not quiet:
        typer.echo(f"opening the corpus {name}", err=True)
    if name == "world" or name.startswith("world:"):
        return _of_world(name, lang)
    from carrara.recipe.recipe import load_recipe, recipe_path
    from carrara.sources import open_source, tables

    source = open_source(name, sources, load_recipe(recipe_path(recipe)).own_sources if recipe else None)

    def passages() -> "Iterable[Passage]":
        try:
            return tables(source).passages(lang)
        except ValueError as error:
            raise SourceError(f"source {name}: {error}", "name a source of passages: see carrara list") from error

    return open_corpus(name, f"{source.fingerprint} {lang}", passages)


def _of_world(name: str, lang: Literal["en", "zh"]) -> "PassageCorpus":
    from carrara.engine.code import code_fingerprint
    from carrara.retrieval.corpus import open_corpus

    stream, _, number = name.removeprefix("world").removeprefix(":").rpartition(":")
    if not stream or not number.isascii() or not number.isdecimal() or not 1 <= int(number[:6]) <= _MOST_REALMS:
        raise CarraraError(
            f"got corpus {name[:80]!r}, expected world:STREAM:REALMS", "for example world:mine:62, of 200,000 passages"
        )

    def passages() -> "Iterable[Passage]":
        from carrara.world.world import World

        return World(stream, int(number)).passages(lang)

    return open_corpus(name, f"{name} {lang} {code_fingerprint('world', 'stream.py')}", passages)


# Ranks at which recall of the gold is reported (DPR, table 2).
DEPTHS: Final = (1, 5, 20, 100)


def retrieve(
    recipe: RecipeArgument,
    runs: Annotated[Path, typer.Option("--runs", help="Folder for the runs, two files per variant.")] = Path("runs"),
    stream: Annotated[
        str | None, typer.Option("--stream", help="Use another stream name, for the runs of a twin.")
    ] = None,
    sources: SourcesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search the corpora of a recipe and freeze the ranked lists, for carrara build --runs.

    A run holds, for every question of a variant, the passages that the retriever ranks, and says which of them cannot
    serve as negatives and why: they are the gold, hold an accepted answer, or repeat the gold's text. A build without
    --runs does the same and keeps the runs in the cache. A release carries its runs. If the cache has no index for an
    encoder, it is built first.
    """
    from carrara.cli.progress import Progress
    from carrara.making.row_maker import RowMaker
    from carrara.recipe.recipe import load_recipe, recipe_path
    from carrara.retrieval.run import write_run

    loaded = load_recipe(recipe_path(recipe))
    loaded = loaded if stream is None else loaded.twin(stream)
    searched = {
        (one.task.name, one.variant): one
        for one in sorted(loaded.configs(), key=lambda config: config.items)
        if one.retrieval
    }
    if not searched:
        raise CarraraError(
            f"recipe {loaded.name} searches no corpus, expected rag, reranking or citations in it",
            "give another recipe",
        )
    maker = RowMaker(loaded, sources)
    table = []
    for (task, variant), config in searched.items():
        with Progress(config.items, 0, unit="questions") as progress:
            run = maker.inputs(config.source).run(task, variant, progress)
        write_run(runs, f"{task}_{variant}", run.record, run.table)
        table.append({"run": f"{task}_{variant}", **_told(run)})
    if as_json:
        typer.echo(json_text(table))
        return
    for row in table:
        typer.echo(f"{row['run']}: {row['questions']} questions by {row['retriever']} in {row['corpus']}")
        for part in ("dropped", "removed"):
            counts = ", ".join(f"{count} {reason}" for reason, count in row[part].items()) or "none"
            typer.echo(f"  {part}: {counts}")
        recalls = ", ".join(f"@{depth} {100 * share:.1f}" for depth, share in row["recall"].items())
        typer.echo(f"  gold among the ranked, recall in %: {recalls}; mean rank of the gold found {row['mean_rank']}")
    typer.echo(str(runs))


def _told(run: "FrozenRun") -> dict[str, Any]:
    """Counts of a run and where its gold stands: the best ranked of a question's gold passages."""
    ranks = []
    for item, query in enumerate(run.queries):
        found = [
            rank
            for passage in query.gold
            if query.grades.get(passage.id, 3) >= 2 and (rank := run.rank(item, passage.id))
        ]
        ranks.append(min(found, default=0))
    held = [rank for rank in ranks if rank]
    return {
        "questions": len(run.queries),
        "retriever": run.record.retriever.name,
        "corpus": f"{run.record.corpus.name} ({run.record.corpus.passages} passages)",
        "dropped": run.record.dropped,
        "removed": run.record.removed,
        "recall": {depth: sum(0 < rank <= depth for rank in ranks) / len(ranks) for depth in DEPTHS},
        "mean_rank": round(sum(held) / len(held), 2) if held else None,
        "digest": run.digest,
    }
