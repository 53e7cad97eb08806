"""Arguments and options that several commands share, described in the same words."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from carrara.release.store import Place


def _place(text: str) -> "Place":
    # Imported on use: --help does without.
    from carrara.release.hub_store import place

    return place(text)


PLACE_HELP = "A release: a folder, hf://user/name@version, or name@version of one that is built in ./out."
PlaceArgument = Annotated[Any, typer.Argument(parser=_place, metavar="RELEASE", help=PLACE_HELP)]
ReleaseArgument = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="The folder of a release: <out>/<name>/<version>.")
]
RecipeArgument = Annotated[
    str,
    typer.Argument(metavar="RECIPE", help="A recipe file, or the name of a recipe in the package, such as quickstart."),
]
StreamOption = Annotated[
    str | None,
    typer.Option("--stream", help="Use another stream name, for a twin: the same distribution, nothing shared."),
]
SourcesOption = Annotated[
    Path | None,
    typer.Option("--sources", envvar="CARRARA_SOURCES", help="Folder of real sources. Default: fetch from the Hub."),
]
ReleasesOption = Annotated[
    Path, typer.Option("--releases", help="The folder of frozen releases, kept in version control.")
]
RELEASES_HERE = Path("releases")
WorkersOption = Annotated[
    int, typer.Option("--workers", min=1, max=1024, help="Number of processes. The result does not depend on it.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print only errors and the result.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
BucketOption = Annotated[
    list[str] | None, typer.Option("--bucket", help="Only this bucket, such as 32k (repeatable; a glob will do).")
]
TaskOption = Annotated[list[str] | None, typer.Option("--task", help="Only this task (repeatable; a glob will do).")]
ConfigOption = Annotated[
    list[str] | None, typer.Option("--config", help="Only this config, or those of a glob: '*_32k' (repeatable).")
]
FormatOption = Annotated[
    Literal["text", "md", "csv", "latex", "json"],
    typer.Option("--format", help="The table alone, to paste: md, csv or latex; json: the whole result."),
]
