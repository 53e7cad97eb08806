"""`carrara keypoints`: have a language model write the key points that a judge looks for in summaries."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from carrara.cli.judge import TOKENS_A_REQUEST, cost_of, price
from carrara.cli.options import BaseUrlOption, KeyEnvOption, ModelOption, SourcesOption, address
from carrara.cli.pieces import extra_parameters, first_error
from carrara.errors import CarraraError, SourceError

if TYPE_CHECKING:
    from carrara.llm.client import Cache, Endpoint
    from carrara.llm.key_points import SourceSummary

_RESERVED = ("model", "messages", "stream", "n")
_NAMED = 20
# For the estimate, not measured: statements say again what the summary says, with names for pronouns.
_OUT_OF_IN = 1.2


def keypoints(
    source: Annotated[str, typer.Argument(help="A source of documents with summaries (see carrara list).")],
    base_url: BaseUrlOption,
    model: ModelOption,
    out: Annotated[Path, typer.Option("--out", help="The file to write: key_points.jsonl.")],
    key_env: KeyEnvOption = None,
    sources: SourcesOption = None,
    recipe: Annotated[
        str, typer.Option("--recipe", help="A recipe whose [source.NAME] tables pin the source, if it is your own.")
    ] = "",
    lang: Annotated[Literal["en", "zh"], typer.Option("--lang", help="English or Chinese.")] = "en",
    workers: Annotated[int, typer.Option("--workers", min=1, max=256, help="Requests at a time.")] = 8,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds to wait for an answer.")] = 120.0,
    retries: Annotated[int, typer.Option("--retries", min=0, max=20, help="Tries after the first.")] = 5,
    extra: Annotated[
        str, typer.Option("--extra", help="Parameters to send, a JSON object: '{\"temperature\": 0}'.")
    ] = "",
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what it takes, ask nothing.")] = False,
    price_in: Annotated[
        float | None, typer.Option("--price-in", "--price-input", min=0.0, help="Price of a million tokens in.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option("--price-out", "--price-output", min=0.0, help="Price of a million tokens out.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Where answers are kept; else CARRARA_CACHE/llm.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether the cost is all right.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Have a model write the key points of a source's summaries, once: a judge looks for them in every response.

    Without such a file the key points are the sentences of the short or only summary. Every answer is kept in the
    cache, so that a killed run goes on where it stopped and another asks nothing. The file is written when it is whole;
    pin it beside the source's own files by the hash that is printed. Where a summary gets no answer that has the form,
    it is named with its reason, nothing is written, and the exit is 1. Answers that do not have the form are kept too:
    another model or other parameters (--extra) are asked anew. Example:

    \b
    carrara keypoints squality --out key_points.jsonl --estimate \\
        --base-url http://localhost:8000/v1 --model NAME
    """
    from carrara.engine.files import cache_folder
    from carrara.llm.client import Cache, Endpoint
    from carrara.llm.key_points import summaries
    from carrara.recipe.recipe import load_recipe, recipe_path
    from carrara.sources import open_source, tables
    from carrara.tokens import load_tokenizer

    by = address(base_url, model, key_env)
    if out.suffix != ".jsonl" or not out.parent.is_dir():
        raise CarraraError(f"got --out {out}, expected a name that ends in .jsonl, in a folder that exists")
    own = load_recipe(recipe_path(recipe)).own_sources if recipe else None
    opened = open_source(source, sources, own)
    try:
        wanted = list(summaries(tables(opened), lang))
    except ValueError as error:
        raise SourceError(f"source {source}: {error}", "name a source of documents with summaries") from error
    if not wanted:
        raise CarraraError(f"source {source}: no document has a summary", "name one that has: squality, qmsum")
    parameters = extra_parameters(extra, _RESERVED)
    kept = Cache(cache if cache is not None else cache_folder() / "llm")
    new = [one for one in wanted if kept.get(one.request(by.model, parameters)) is None]
    tokens = said = 0
    for one in new:
        system, user = (load_tokenizer("o200k_base").count(text) for _, text in one.request("", {}).messages)
        tokens, said = tokens + TOKENS_A_REQUEST + system + user, said + user
    likely = int(_OUT_OF_IN * said)
    cost = cost_of((price_in, price_out), tokens, likely)
    told = f"{len(wanted):,} summaries: {len(new):,} to ask, {len(wanted) - len(new):,} in the cache; "
    told += f"about {tokens:,} tokens in and {likely:,} out"
    typer.echo(told + (f", {price(cost, 'about ')}" if cost is not None else ""), err=not estimate)
    if estimate:
        return
    if new and by.told:
        typer.echo(by.told, err=True)
    if new and not yes:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise CarraraError("got no terminal to confirm the cost on", "add --yes")
        typer.confirm("Ask for them?", abort=True, err=True)
    where = Endpoint(by.url, by.key, workers, timeout, retries)
    _write(wanted, where, kept, by.model, parameters, out, quiet)


def _write(
    wanted: "list[SourceSummary]",
    where: "Endpoint",
    kept: "Cache",
    model: str,
    parameters: dict[str, object],
    out: Path,
    quiet: bool,
) -> None:
    import asyncio

    from carrara.cli.progress import Progress
    from carrara.engine.files import digest, write_bytes
    from carrara.llm.client import Client
    from carrara.llm.key_points import file_text, take_apart
    from carrara.text.display import visible
    from carrara.tokens import load_tokenizer

    client = Client(where, kept, load_tokenizer("o200k_base").count)

    async def all_of_it(progress: Progress) -> tuple[dict[int, tuple[str, ...]], dict[int, str]]:
        async with client:
            return await take_apart(wanted, client.ask, model, parameters, lambda: progress.advance("keypoints", 1, 0))

    with Progress(len(wanted), 0, quiet, unit="summaries", aside=lambda: f"{client.asked:,} asked") as progress:
        progress.start("keypoints", len(wanted))
        try:
            found, failed = asyncio.run(all_of_it(progress))
        except ExceptionGroup as group:
            raise first_error(group) from None
    if failed:
        typer.echo(f"{len(failed):,} of {len(wanted):,} summaries have no key points, and nothing is written:")
        for number in sorted(failed)[:_NAMED]:
            typer.echo(f"  {visible(wanted[number].id, 200)}  {visible(failed[number], 400)}")
        typer.echo("Run the same again; for answers without the form take another model, or other --extra.")
        raise typer.Exit(1)
    write_bytes(out, file_text(wanted, found).encode())
    sha256, size = digest(out, out.name)
    number = sum(map(len, found.values()))
    typer.echo(f"{visible(out)}: {number:,} key points of {len(wanted):,} summaries, {client.asked:,} asked")
    typer.echo(f'for the files of the source:\n{json.dumps(out.name)} = {{ sha256 = "{sha256}", bytes = {size} }}')
