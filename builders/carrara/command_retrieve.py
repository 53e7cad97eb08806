"""`carrara retrieve`: make the frozen runs of a recipe before it is built, and tell how hard their negatives are."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from carrara.command_options import JsonOption, SourcesOption
from carrara.errors import CarraraError
from carrara.json_text import json_text

if TYPE_CHECKING:
    from carrara.retrieval.run import FrozenRun

# Ranks at which the recall of the gold is told (DPR, table 2).
DEPTHS: Final = (1, 5, 20, 100)


def retrieve(
    recipe: Annotated[str, typer.Argument(help="A recipe file, or the name of one that comes along.")],
    runs: Annotated[Path, typer.Option("--runs", help="Where the runs go: two files for each variant.")] = Path("runs"),
    stream: Annotated[str | None, typer.Option("--stream", help="Another stream name: the runs of a twin.")] = None,
    sources: SourcesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search the corpora of a recipe and freeze what is ranked, for carrara build --runs.

    For every variant that reads retrieved passages: the questions of its items by key, what the retriever ranks for
    each, and which ranked passages are no negatives, with the reason: the gold, an accepted answer in them, or nearly
    the gold's text. A build without --runs does the same and keeps it in the cache; a release carries its runs.
    An encoder's index is built first where the cache has none: finished shards are kept when it is stopped.
    """
    from carrara.make import RowMaker
    from carrara.packaged import recipe_path
    from carrara.progress import Progress
    from carrara.recipe import load_recipe
    from carrara.retrieval.run import write_run

    loaded = load_recipe(recipe_path(recipe))
    loaded = loaded if stream is None else loaded.twin(stream)
    searched = {
        (one.task.name, one.variant): one
        for one in sorted(loaded.configs(), key=lambda config: config.items)
        if one.retrieval
    }
    if not searched:
        raise CarraraError(f"recipe {loaded.name} searches no corpus", "give one with rag, reranking or citations")
    maker = RowMaker(loaded, sources)
    table = []
    for (task, variant), config in searched.items():
        with Progress(config.items, 0, unit="questions") as progress:
            run = maker.inputs(config.source).run(task, variant, progress)
        write_run(runs, f"{task}_{variant}", run.facts, run.table)
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
        typer.echo(f"  gold among the ranked, recall in %: {recalls}; mean rank of what is found {row['mean_rank']}")
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
        "retriever": run.facts["retriever"]["name"],
        "corpus": f"{run.facts['corpus']['name']} ({run.facts['corpus']['passages']} passages)",
        "dropped": run.facts["dropped"],
        "removed": run.facts["removed"],
        "recall": {depth: sum(0 < rank <= depth for rank in ranks) / len(ranks) for depth in DEPTHS},
        "mean_rank": round(sum(held) / len(held), 2) if held else None,
        "digest": run.digest,
    }
