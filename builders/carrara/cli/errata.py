"""`carrara erratum`: note what is wrong with a frozen release, list it, say in which version it is fixed."""

import datetime
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from carrara.errors import CarraraError
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.release.errata import Erratum

erratum = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Note what is wrong with a frozen release, beside it in releases/<name>/errata.json; the release stays as it "
    "is. carrara score names the rows that are affected.",
)

ReleasesOption = Annotated[
    Path, typer.Option("--releases", help="The folder of frozen releases, kept in version control.")
]
FrozenArgument = Annotated[str, typer.Argument(metavar="NAME@VERSION", help="A frozen release, like quickstart@1.0.0.")]
_HERE = Path("releases")
_NAMED = 5


@erratum.command(short_help="Note what is wrong with rows of a frozen release.")
def add(
    release: FrozenArgument,
    what: Annotated[str, typer.Option("--what", help="What is wrong, in a sentence.")],
    row: Annotated[list[str] | None, typer.Option("--row", help="A row id (repeatable).")] = None,
    config: Annotated[
        list[str] | None, typer.Option("--config", help="A config, for all of its rows (repeatable).")
    ] = None,
    severity: Annotated[
        Literal["gold wrong", "prompt wrong", "metadata"] | None,
        typer.Option("--severity", help="Of which kind the error is."),
    ] = None,
    fixed_in: Annotated[
        str | None, typer.Option("--fixed-in", metavar="VERSION", help="The later version that is right.")
    ] = None,
    date: Annotated[
        str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="When it was noted; else today.")
    ] = None,
    releases: ReleasesOption = _HERE,
) -> None:
    """Note what is wrong with rows of a frozen release: ids are checked, the release itself is not touched.

    An entry is never edited afterwards, but for the version that fixes it (carrara erratum fixed). Example:

    carrara erratum add quickstart@1.0.0 --row needlebench/single_needle_en/32k/00000 --what "The gold is misspelt."
    """
    from carrara.release.errata import Erratum
    from carrara.release.errata import add as add_erratum

    name, version = _named(release)
    if not row and not config:
        raise CarraraError("got neither --row nor --config", "say which rows are wrong; --config NAME is all of them")
    when = date if date is not None else datetime.datetime.now(datetime.UTC).date().isoformat()
    rows = (*(row or ()), *(config or ()))
    added, told = add_erratum(releases, name, Erratum(version, rows, what, severity, fixed_in, when))
    _tell(name, added, told)


@erratum.command("list", short_help="List the known errors of a frozen release.")
def list_(
    release: Annotated[
        str, typer.Argument(metavar="NAME[@VERSION]", help="A frozen release; with a version: what is wrong with that.")
    ],
    releases: ReleasesOption = _HERE,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")] = False,
) -> None:
    """List the known errors of a frozen release, or those that one of its versions has.

    Rows are the same within a MAJOR, so that a version has the errors that were noted of another, until they are fixed.
    """
    from carrara.release.errata import Errata, errata_of

    name, _, version = release.partition("@")
    if "@" in release:
        _named(release)
    found = errata_of(releases, name)
    kept = Errata(name, tuple(entry for entry in found.entries if not version or entry.holds_for(version)))
    if as_json:
        typer.echo(json_text(kept.to_json()))
        return
    for entry in kept.entries:
        typer.echo(_line(name, entry))
    if not kept.entries:
        typer.echo(f"{release} has no known errors")


@erratum.command(short_help="Say in which version an error is fixed.")
def fixed(
    release: FrozenArgument,
    number: Annotated[int, typer.Argument(min=1, help="The number of the erratum.")],
    version: Annotated[str, typer.Option("--in", metavar="VERSION", help="The later version that is right.")],
    releases: ReleasesOption = _HERE,
) -> None:
    """Say in which version an error is fixed: the one thing of an entry that is ever written anew, and once."""
    from carrara.release.errata import mark_fixed

    name, about = _named(release)
    entry, told = mark_fixed(releases, name, about, number, version)
    _tell(name, entry, told)


def _named(release: str) -> tuple[str, str]:
    match = re.fullmatch(r"([^@]+)@([^@]+)", release)
    if not match:
        raise CarraraError(f"got {release!a}, expected NAME@VERSION", "like quickstart@1.0.0")
    from carrara.release.schema import version_order

    version_order(match[2])
    return match[1], match[2]


def _tell(name: str, entry: "Erratum", told: list[str]) -> None:
    from carrara.text.display import visible

    typer.echo(_line(name, entry))
    for text in dict.fromkeys(told):
        typer.echo(f"note: {visible(text)}", err=True)


def _line(name: str, entry: "Erratum") -> str:
    """An entry for a person; every text of it is of a file that nobody vouches for."""
    from carrara.text.display import visible

    fixed_in = f"fixed in {entry.fixed_in}" if entry.fixed_in else "not fixed"
    head = "  ".join(
        (f"{entry.number}", f"{name}@{entry.version}", entry.date, *filter(None, [entry.severity]), fixed_in)
    )
    rows = ", ".join(entry.rows[:_NAMED])
    more = f" and {len(entry.rows) - _NAMED:,} more" if len(entry.rows) > _NAMED else ""
    what = visible(entry.what).replace("\n", "␊")
    return f"{visible(head)}\n    {what}\n    {visible(rows)}{more}"
