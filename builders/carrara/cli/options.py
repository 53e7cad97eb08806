"""Arguments and options that several commands have, in the same words."""

from pathlib import Path
from typing import Annotated

import typer

from carrara.release.hub_store import place
from carrara.release.store import Place

PLACE_HELP = "A release folder, or hf://user/name@version."
PlaceArgument = Annotated[Place, typer.Argument(parser=place, help=PLACE_HELP)]
ReleaseArgument = Annotated[Path, typer.Argument(help="A release folder: <out>/<name>/<version>.")]
SourcesOption = Annotated[
    Path | None,
    typer.Option("--sources", envvar="CARRARA_SOURCES", help="Folder of real sources; else the Hub is asked."),
]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=1, max=1024, help="Processes. The result does not depend on it.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors and the result.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")]
