"""`carrara sources`: the texts that recipes read, what each needs, and how they come here."""

from pathlib import Path
from typing import Annotated

import typer

from carrara.cli.options import JsonOption, QuietOption, SourcesOption
from carrara.text.json import json_text

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
