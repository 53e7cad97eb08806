"""Arguments and options that several commands share, described in the same words."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from carrara.errors import CarraraError

if TYPE_CHECKING:
    from carrara.llm.client import Address
    from carrara.recipe.recipe import Recipe
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
WithoutOption = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="SOURCE", help="Leave out the cells that need this source (repeatable)."),
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
IdsOption = Annotated[
    Path | None, typer.Option("--ids", help="Only the rows that this file lists, one id a line (carrara select).")
]
UnverifiedOption = Annotated[
    bool,
    typer.Option("--unverified", help="Take rows as they are, without a look at their digests; a result says so."),
]
FormatOption = Annotated[
    Literal["text", "md", "csv", "latex", "json"],
    typer.Option("--format", help="The table alone, to paste: md, csv or latex; json: the whole result."),
]
BaseUrlOption = Annotated[
    str, typer.Option("--base-url", help="An OpenAI-compatible server, such as http://localhost:8000/v1.")
]
ModelOption = Annotated[str, typer.Option("--model", help="The name that the server knows the model by.")]
KEY = "OPENAI_API_KEY"
KeyEnvOption = Annotated[
    str | None, typer.Option("--key-env", help=f"The variable that holds the key. Default: {KEY}, where it is set.")
]


def chosen(recipe: str, stream: str | None, without: list[str] | None) -> "Recipe":
    """The recipe that these options name; the configs that are left out are told."""
    from carrara.recipe import recipe as recipes

    loaded = recipes.Recipe.from_toml(recipe)
    loaded = loaded if stream is None else loaded.twin(stream)
    if not without:
        return loaded
    less = recipes.without(loaded, without)
    kept = {config.name for config in less.configs()}
    missing = [config.name for config in loaded.configs() if config.name not in kept]
    typer.echo(f"missing in {less.name}: {', '.join(missing)}", err=True)
    return less


def address(base_url: str, model: str, key_env: str | None) -> "Address":
    """The model that --base-url and --model name, with its key. Raises CarraraError, also without the key."""
    from carrara.llm import client

    if key_env and not os.environ.get(key_env, "").strip():
        raise CarraraError(f"got --key-env {key_env[:60]}, and no such variable is set", f"export {key_env[:60]}=...")
    try:
        return client.address(base_url, model, key_env or KEY)
    except ValueError as error:
        raise CarraraError(str(error), "nothing was asked: check --base-url, --model and --key-env") from error
