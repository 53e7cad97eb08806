"""`carrara sources` and `world`: the real texts that recipes read, and the invented world of a stream."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from carrara.cli.options import JsonOption, QuietOption, SourcesOption
from carrara.errors import CarraraError, ProofError
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.world.world import World

_SHOWN_CONTRADICTIONS = 20
# Ten million entities.
_REALMS = 10_000
_WORKERS = os.cpu_count() or 1


def world(
    stream: Annotated[str, typer.Option("--stream", help="The world's stream: each name gives another world.")],
    show: Annotated[
        str,
        typer.Option(
            "--show",
            help="Show an entity (village:1234), a document (chronicle:3), a story (story:3) or a piece (piece:3).",
        ),
    ] = "",
    lang: Annotated[Literal["en", "zh"], typer.Option("--lang", help="English or Chinese.")] = "en",
    realms: Annotated[
        int, typer.Option("--realms", min=1, max=_REALMS, help="Size of the corpus: 1,000 entities a realm.")
    ] = 1,
    check: Annotated[bool, typer.Option("--check", help="Check that the facts of the realms hold together.")] = False,
    table: Annotated[
        Literal["passages", "entities", "questions", "judgements", "utterances", "documents"] | None,
        typer.Option("--table", help="Write a table as JSON lines to --out."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="File for --table. Default: standard output.")] = None,
    each: Annotated[
        int, typer.Option("--each", min=1, help="With --table: questions or documents of each kind, from each realm.")
    ] = 10,
    size: Annotated[
        int, typer.Option("--size", min=1, help="Length of a document: chapters, items or sentences.")
    ] = 10,
    workers: Annotated[
        int, typer.Option("--workers", min=1, max=1024, help="Number of processes for --check.")
    ] = _WORKERS,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show an entity or a document of the invented world of a stream, check its facts, or write its tables.

    Without --show, --check or --table, print one entity of every class. Examples:

    carrara world --stream mine --show village:1234

    carrara world --stream mine --realms 62 --table passages --out passages.jsonl

    carrara world --stream mine --realms 1000 --check
    """
    if check:
        _check(stream, realms, workers, quiet)
    elif table is not None:
        _write(_rows(stream, realms, lang, table, each, size), out, realms, quiet)
    elif show:
        _show(stream, lang, show, size, as_json)
    else:
        _overview(stream, lang, as_json)


def _show(stream: str, lang: Literal["en", "zh"], show: str, size: int, as_json: bool) -> None:
    from carrara.cli.show import entity_json, show_entity
    from carrara.cli.tables import terminal
    from carrara.text.display import visible
    from carrara.world.realm.realm import Reference, realm_of
    from carrara.world.world import DOCUMENT_KINDS, World

    kind, _, number = show.partition(":")
    here = World(stream)
    if kind in (*DOCUMENT_KINDS, "story", "piece"):
        if not number.isascii() or not number.isdigit() or len(number) > 9:
            raise CarraraError(f"got --show {show[:60]!r}, expected {kind}:NUMBER", f"for example {kind}:3")
        title, shown = _text(here, lang, kind, int(number), size)
        text = shown["text"] if shown["text"].startswith(title) else f"{title}\n\n{shown['text']}"
        typer.echo(_line(shown) if as_json else visible(text))
        return
    try:
        reference = Reference.parse(show)
    except ValueError as error:
        raise CarraraError(str(error), f"texts are {', '.join(DOCUMENT_KINDS)}, story or piece, and a number") from None
    if realm_of(reference) >= _REALMS:
        told = f"expected one of the realms 0 to {_REALMS - 1:,}"
        raise CarraraError(f"{show[:60]} lies in realm {realm_of(reference):,}; {told}", "take a smaller number")
    if as_json:
        typer.echo(json_text(entity_json(here, lang, reference)))
    else:
        show_entity(here, lang, reference, terminal())


def _text(here: "World", lang: Literal["en", "zh"], kind: str, number: int, size: int) -> tuple[str, dict[str, Any]]:
    """A text by its number: its title (or the request that it answers) and all that is known of it."""
    from carrara.world.pieces import FORMATS, STYLES, TOPICS

    if kind == "story":
        story = here.story(number)
        return " and ".join(story.names), asdict(story)
    if kind == "piece":
        # Every number another key at first, then the next piece of each.
        rest, form = divmod(number, len(FORMATS))
        rest, topic = divmod(rest, len(TOPICS))
        again, style = divmod(rest, len(STYLES))
        key = (FORMATS[form], TOPICS[topic], STYLES[style], again)
        asked = here.request(*key)
        return asked, {"request": asked, "text": here.piece(*key)}
    document = here.document(lang, kind, number, size)
    return document.title, asdict(document)


def _overview(stream: str, lang: Literal["en", "zh"], as_json: bool) -> None:
    from carrara.cli.tables import terminal
    from carrara.text.display import visible
    from carrara.world.encyclopedia import ENTITIES_A_REALM, PASSAGES_A_REALM
    from carrara.world.realm.realm import Reference
    from carrara.world.realm.schema import CLASSES
    from carrara.world.world import World

    here = World(stream)
    rows = [here.encyclopedia.row(lang, Reference(class_, 0)) for class_ in CLASSES]
    if as_json:
        typer.echo(json_text([asdict(row) for row in rows]))
        return
    console = terminal()
    console.print(
        f"A realm: {ENTITIES_A_REALM:,} entities, up to {PASSAGES_A_REALM:,} passages. The first of each class:",
        highlight=False,
    )
    for row in rows:
        console.print(visible(f"  {row.id:28} {row.name}: {row.gloss}"), markup=False, highlight=False)
    console.print(f"carrara world --stream {visible(stream)} --show village:0", markup=False, highlight=False)


def _rows(
    stream: str, realms: int, lang: Literal["en", "zh"], table: str, each: int, size: int
) -> Iterator[tuple[int, Any]]:
    """The rows of a table, each with the number of the realm (or intent, or document) that it belongs to."""
    from carrara.tables import LabelledPart
    from carrara.world.questions import QUESTION_KINDS
    from carrara.world.world import DOCUMENT_KINDS, World

    whole = World(stream, realms)
    if table == "utterances":
        for part in get_args(LabelledPart):
            yield from ((0, row) for row in whole.labelled_texts(part))
        return
    if table == "documents":
        for document in DOCUMENT_KINDS:
            yield from ((0, whole.document(lang, document, number, size)) for number in range(each))
        return
    for realm in range(realms):
        here = whole.only(realm)
        if table == "passages":
            yield from ((realm, row) for row in here.passages(lang))
        elif table == "entities":
            yield from ((realm, row) for row in here.entities(lang))
        elif table == "questions":
            for kind in QUESTION_KINDS:
                yield from ((realm, row) for row in here.questions(lang, kind, each))
        else:
            for _, judged in here.judgements(lang, each):
                yield from ((realm, row) for row in judged)


def _write(rows: Iterator[tuple[int, Any]], out: Path | None, realms: int, quiet: bool) -> None:
    """JSON lines, to a temporary name first: a file under its own name is whole."""
    from rich.console import Console
    from rich.progress import Progress

    if out is None:
        for _, row in rows:
            typer.echo(_line(asdict(row)))
        return
    partial = out.with_name(f".{out.name}.partial")
    written = 0
    with Progress(console=Console(stderr=True), disable=quiet, transient=True) as bars:
        bar = bars.add_task(out.name, total=realms)
        try:
            with partial.open("w", encoding="utf-8") as file:
                for realm, row in rows:
                    file.write(_line(asdict(row)) + "\n")
                    written += 1
                    if written % 1_000 == 0:
                        bars.update(bar, completed=realm)
            partial.replace(out)
        finally:
            partial.unlink(missing_ok=True)
    typer.echo(f"{out}: {written:,} rows")


def _check(stream: str, realms: int, workers: int, quiet: bool) -> None:
    from rich.console import Console
    from rich.progress import Progress

    from carrara.engine import processes as engine
    from carrara.world.encyclopedia import ENTITIES_A_REALM

    found: list[str] = []
    with Progress(console=Console(stderr=True), disable=quiet, transient=True) as bars:
        bar = bars.add_task("realms", total=realms)
        for _, objections in engine.run(
            range(realms), _contradictions, workers=workers, start=_open, arguments=(stream,)
        ):
            found += objections
            bars.advance(bar)
    if found:
        told = "\n  ".join(sorted(found)[:_SHOWN_CONTRADICTIONS])
        raise ProofError(
            f"{len(found):,} contradictions in {realms:,} realms\n  {told}",
            "this is a fault in Carrara: please report it",
        )
    typer.echo(f"{realms * ENTITIES_A_REALM:,} entities: no contradiction")


def _open(stream: str) -> "World":
    from carrara.world.world import World

    return World(stream)


def _contradictions(world: "World", realm: int) -> list[str]:
    return list(world.only(realm).contradictions())


def _line(row: Any) -> str:
    return json.dumps(row, ensure_ascii=False)


sources = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Real texts and corpora that recipes read: list them with licence and size, and fetch their files.\n\n"
    "Each file is pinned by its sha256; what differs is never read. Recipes on invented text need none of them.",
)


@sources.command("list", short_help="List the sources with language, size, licence, and whether they are here.")
def list_sources(folder: SourcesOption = None, as_json: JsonOption = False) -> None:
    """List the sources that come pinned with the package: language, files, size, licence, and where each is.

    A recipe names its own in [source.NAME] tables, which `carrara plan RECIPE` looks up.
    """
    from carrara.cli.tables import sources_table, terminal
    from carrara.sources import pins, whereabouts

    listed = [(pin, whereabouts(pin, folder)) for pin in pins().values()]
    if as_json:
        table = {
            pin.name: {
                "title": pin.title,
                "lang": pin.lang,
                "licence": pin.licence,
                "citation": pin.citation,
                "url": pin.url,
                "folder": pin.folder,
                "files": len(pin.files),
                "bytes": sum(file.bytes or 0 for file in pin.files),
                "state": where.state,
                "where": where.told,
            }
            for pin, where in listed
        }
        typer.echo(json_text(table))
        return
    terminal().print(sources_table(listed))


@sources.command("get", short_help="Fetch the files of sources into a folder.")
def get_sources(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Sources, as carrara sources list names them.")],
    folder: Annotated[
        Path, typer.Option("--sources", envvar="CARRARA_SOURCES", help="Folder of sources, made if it is not there.")
    ] = Path("sources"),
    quiet: QuietOption = False,
) -> None:
    """Fetch the files of sources from their publishers into a folder, and check each against its sha256.

    Run it again to go on after a failure. A file that has no public address is named, with where to get it. Then build
    with the same --sources, or set CARRARA_SOURCES.

    \b
      carrara sources get gutenberg --sources sources
      carrara build needlebench-retrieval --sources sources
    """
    from carrara.sources import fetch, find_pin

    wanted = [find_pin(name, None) for name in names]
    folder.mkdir(parents=True, exist_ok=True)
    for pin in wanted:
        typer.echo(f"{pin.name}: {pin.licence}", err=True)
        fetched = fetch(pin, folder, lambda text: None if quiet else typer.echo(text, err=True))
        typer.echo(f"{pin.name}: {len(pin.files)} files in {folder / pin.folder}, {fetched} fetched")
