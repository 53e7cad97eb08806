"""`carrara publish`, `seal`, `reveal` and `erratum`: a release given out, its answers withheld, its errors recorded."""

import datetime
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from carrara.cli.options import RELEASES_HERE, JsonOption, QuietOption, ReleaseArgument, ReleasesOption
from carrara.errors import CarraraError
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.publish.plan import Changes, Outgoing, Repository
    from carrara.release.errata import Erratum
    from carrara.release.reader import Release
    from carrara.release.store import Folder
    from carrara.seal.reveal import Remake

_LISTED_PATHS = 20
_LISTED_ROWS = 5


def publish(
    release: ReleaseArgument,
    repo: Annotated[str, typer.Option("--repo", help="The dataset repository on the Hub: user/name.")],
    profile: Annotated[
        Literal["whole", "permissive"],
        typer.Option("--profile", help="whole, or permissive: only the configs with permissive sources."),
    ] = "whole",
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Keep the permissive part: <out>/<name>-permissive/<version>."),
    ] = None,
    errata: Annotated[
        Path | None,
        typer.Option("--errata", help="Also publish this errata file (releases/<name>/errata.json), on main only."),
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Make the repository private.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Publish. Without it, only print what would change.")] = False,
    token_variable: Annotated[
        str | None,
        typer.Option("--token-variable", help="Environment variable with the token. Default: HF_TOKEN, or the login."),
    ] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Publish a release on the Hub. Without --yes, print what would change there and change nothing.

    The tag is the version. It is set last, on a commit with exactly the release's files, after the Hub's hashes were
    compared with the manifest's. If an upload was stopped, run the same command again to continue it. A published
    version is never overwritten. A release that does not verify (level rows) is refused, and so are licences that
    forbid publication or exclude each other.
    """
    from carrara.publish.plan import by_kind, changes, check_name, errata_of, is_published, outgoing, refuse_public
    from carrara.publish.publish import Hub
    from carrara.publish.publish import publish as publish_release

    if out is not None and profile == "whole":
        raise CarraraError(
            "got --out without --profile permissive, expected both or neither",
            "add --profile permissive, or drop --out",
        )
    hub = Hub(check_name(repo), token_variable)
    with _folder(release, profile, out) as folder:
        going = outgoing(folder)
        about = errata_of(errata, going.release.name) if errata else None
        # Refused before hours are spent on reading rows.
        repository = hub.look(going.release.version)
        refuse_public(repository, private)
        there = is_published(going, repository)
        planned = None if there else changes(going, repository)
        if yes and not hub.has_token:
            raise CarraraError("got no token, expected one to publish with", "set HF_TOKEN, or log in: hf auth login")
        _prove(going, quiet)
        table = _table(going, repository, planned, private)
        if not as_json and not quiet:
            _print_changes(table, going, planned, hub.url)
        has_errata = about is None or about == repository.errata
        table["errata"] = not has_errata
        if yes:
            from carrara.cli.progress import Progress

            moved = (*planned.new, *planned.changed) if planned else ()
            with Progress(len(moved), planned.bytes if planned else 0, quiet, unit="files") as progress:
                for kind, (count, _) in by_kind(going, moved).items():
                    progress.start(kind, count)
                table["commit"] = publish_release(going, hub, private, progress, about)
            table["done"] = True
        if as_json:
            typer.echo(json_text(table))
        elif there:
            typer.echo(f"already published: {hub.url}/tree/{going.release.version}")
        elif yes:
            typer.echo(f"published: {hub.url}/tree/{going.release.version}")
        if not as_json and not yes and not (there and has_errata):
            typer.echo("nothing was changed: add --yes to publish", err=True)


@contextmanager
def _folder(release: Path, profile: str, out: Path | None) -> Iterator[Path]:
    """The folder to publish: the release's own, or its permissive part, in `out` or for the time of the command."""
    if profile == "whole":
        yield release
        return
    from carrara.publish.permissive import permissive_part

    with tempfile.TemporaryDirectory(prefix=".carrara-part-", dir=release.resolve().parent) as folder:
        part = permissive_part(release, out or Path(folder))
        if part == release:
            typer.echo("every config is permissive: the release is published whole", err=True)
        yield part


def _prove(out: "Outgoing", quiet: bool) -> None:
    from carrara.cli.progress import Progress
    from carrara.publish.plan import prove

    rows = {name: facts.rows for name, facts in out.release.configs.items()}
    with Progress(sum(rows.values()), 0, quiet, unit="rows verified") as progress:
        progress.start(out.title, sum(rows.values()))

        def told(what: str, done: int, total: int) -> None:
            if what in rows:
                progress.advance(out.title, 1, 0)

        prove(out, told)


def _table(out: "Outgoing", repository: "Repository", planned: "Changes | None", private: bool) -> dict[str, Any]:
    """What a machine reads: every path with its size."""
    from carrara.release.licences import by_terms

    moved = {"new": planned.new, "changed": planned.changed} if planned else {"new": (), "changed": ()}
    return {
        "release": out.release.name,
        "version": out.release.version,
        "tag": out.release.version,
        "repository": repository.name,
        "exists": repository.exists,
        "private": repository.private if repository.exists else private,
        "published": planned is None,
        "done": False,
        "commit": None,
        "licences": by_terms(out.release.content, out.release.configs),
        **{what: {path: out.files[path].bytes for path in paths} for what, paths in moved.items()},
        "deleted": {path: repository.files[path].bytes for path in planned.deleted} if planned else {},
        "unchanged": len(planned.same) if planned else len(out.files),
        "bytes": planned.bytes if planned else 0,
    }


def _print_changes(table: dict[str, Any], out: "Outgoing", planned: "Changes | None", url: str) -> None:
    from carrara.publish.plan import by_kind
    from carrara.text.display import size, visible

    access = "private" if table["private"] else "public"
    state = f"{access}, exists" if table["exists"] else f"{access}, new (or hidden from this token)"
    lines = [f"release     {out.title}", f"repository  {url} ({state})"]
    lines.append(f"tag         {table['tag']}{' (published)' if planned is None else ''}")
    for licence, configs in table["licences"].items():
        lines.append(f"licence     {licence}: {len(configs)} configs")
    if planned is not None:
        for what, paths in (("new", planned.new), ("changed", planned.changed)):
            for kind, (count, total) in sorted(by_kind(out, paths).items()):
                lines.append(f"{what:<11} {kind}: {count:,} files, {size(total)}")
        for path, held in list(table["deleted"].items())[:_LISTED_PATHS]:
            lines.append(f"deleted     {path} ({size(held)})")
        if len(planned.deleted) > _LISTED_PATHS:
            lines.append(f"deleted     and {len(planned.deleted) - _LISTED_PATHS:,} more")
        lines.append(f"unchanged   {len(planned.same):,} files")
        lines.append(f"to send     {size(planned.bytes)} at most")
    for line in lines:
        typer.echo(visible(line, 400))


def seal(
    release: ReleaseArgument,
    out: Annotated[
        Path, typer.Option("--out", help="Folder for the two parts: <out>/<name>/<version> and <version>.answers.")
    ],
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the public part. Default: the recipe's name with -sealed.")
    ] = None,
    releases: Annotated[
        Path, typer.Option("--releases", help="Folder of frozen releases: their streams are known, and refused.")
    ] = RELEASES_HERE,
    quiet: QuietOption = False,
) -> None:
    """Split the answers off a release, and make a public release of the rest that commits to every row.

    The public part holds prompts, choices and lengths, and for every row a salted commitment in place of its answer. It
    is verified, loaded and published like any release. Keep the folder of answers private until carrara reveal: its key
    cannot be made again. The release must come from a stream that nobody can guess:

    carrara build RECIPE --stream "$(openssl rand -hex 16)"
    """
    from carrara.cli.progress import Progress
    from carrara.recipe.recipe import recipe_folder
    from carrara.release.reader import open_release
    from carrara.seal.seal import Order
    from carrara.seal.seal import seal as seal_release

    configs = open_release(release).configs.values()
    total = sum(facts.rows for facts in configs), sum(int(facts.tokens.sum) for facts in configs)
    order = Order(out, name, (releases, recipe_folder().parent / "releases"))
    with Progress(*total, quiet) as progress:
        parts = seal_release(release, order, progress)
        progress.note(f"publish {parts.public}; keep {parts.answers} private and safe")
    typer.echo(parts.public)
    typer.echo(parts.answers)


def reveal(
    sealed: Annotated[Path, typer.Argument(help="The folder of a sealed release, its public part.")],
    answers: Annotated[
        Path, typer.Argument(help="The folder of answers that carrara seal made and that is now published.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Also put the whole release together: <out>/<name>/<version>.")
    ] = None,
    config: Annotated[
        list[str] | None, typer.Option("--config", help="Only the rows of these configs (repeatable).")
    ] = None,
    sources: Annotated[
        Path | None,
        typer.Option(
            "--sources", envvar="CARRARA_SOURCES", help="Folder of real sources, to say which columns were altered."
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Prove that published answers are those that a sealed release committed to. Exit 1 and name the row if one is not.

    Every row must have one answer that opens its commitment, and the completed rows must have the content roots of
    the original. That proves what was sealed. To check that the recipe makes these rows, run carrara verify --level
    rebuild on the release that --out writes. Compare the sealed manifest's sha256, which is printed, with the one that
    was published.
    """
    from carrara.cli.progress import Progress
    from carrara.cli.tables import terminal, verify_table
    from carrara.engine.processes import steps
    from carrara.release.schema import MANIFEST
    from carrara.release.store import Folder
    from carrara.seal.restore import reassemble
    from carrara.seal.reveal import open_sealed, open_told
    from carrara.seal.reveal import reveal as reveal_answers

    if out is not None and config:
        raise CarraraError(
            "got --out with --config, expected one of them", "drop --config: a release is put together whole"
        )
    opened, place = open_sealed(Folder(sealed)), Folder(answers)
    chosen = list(dict.fromkeys(config or []))
    counted = [opened.configs[name] for name in chosen or opened.configs if name in opened.configs]
    rows = sum(facts.rows for facts in counted) * (1 if out is None else 2)
    whole: tuple[Path, list[str]] | None = None
    with Progress(rows, 0, quiet, unit="answers") as progress:
        step = steps(progress)
        report = reveal_answers(opened, place, chosen, cache(lambda: _remake(place, sources)), step)
        if out is not None and report.is_good:
            whole = reassemble(opened, place, open_told(opened, place), out, steps(progress, "writing "))
            report.reencoded += whole[1]
    manifest = _sha256(opened, MANIFEST)
    table = {
        **asdict(report),
        "good": report.is_good,
        "sealed": {"release": f"{opened.name}@{opened.version}", "manifest": manifest},
        "partial": bool(chosen),
        "out": str(whole[0]) if whole else None,
    }
    if as_json:
        typer.echo(json_text(table))
    else:
        terminal().print(verify_table(report))
        if report.is_good:
            typer.echo("every answer is the one that was sealed")
        typer.echo(f"sealed manifest: sha256 {manifest}")
        if chosen:
            typer.echo(f"only {len(chosen)} of {len(opened.configs)} configs were checked")
        if whole:
            typer.echo(whole[0])
    if not report.is_good:
        raise typer.Exit(1)


def _remake(answers: "Folder", sources: Path | None) -> "Remake":
    """Makes rows from the original's recipe and its frozen runs, if it has any."""
    from carrara.making.row_maker import RowMaker
    from carrara.recipe.recipe import recipe_from_json
    from carrara.release.reader import open_release
    from carrara.seal.seal import ORIGINAL

    folder = answers.path / ORIGINAL
    runs = folder / "runs" if (folder / "runs").is_dir() else None
    return RowMaker(recipe_from_json(open_release(folder).content.recipe.to_json()), sources, runs).remake


def _sha256(release: "Release", path: str) -> str:
    from carrara.release.manifest import stream_entry

    with release.open(path) as stream:
        return stream_entry(stream).sha256


erratum = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Record known errors of a frozen release in releases/<name>/errata.json. The release itself is not changed. "
    "carrara score names the affected rows.",
)

FrozenArgument = Annotated[
    str, typer.Argument(metavar="NAME@VERSION", help="A frozen release, such as quickstart@1.0.0.")
]


@erratum.command(short_help="Record an error in rows of a frozen release.")
def add(
    release: FrozenArgument,
    what: Annotated[str, typer.Option("--what", help="What is wrong, in one sentence.")],
    row: Annotated[list[str] | None, typer.Option("--row", help="A row id (repeatable).")] = None,
    config: Annotated[
        list[str] | None, typer.Option("--config", help="A config, for all its rows (repeatable).")
    ] = None,
    severity: Annotated[
        Literal["gold wrong", "prompt wrong", "metadata"] | None,
        typer.Option("--severity", help="The kind of error."),
    ] = None,
    fixed_in: Annotated[
        str | None, typer.Option("--fixed-in", metavar="VERSION", help="The later version without the error.")
    ] = None,
    date: Annotated[
        str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="When it was recorded. Default: today.")
    ] = None,
    releases: ReleasesOption = RELEASES_HERE,
) -> None:
    """Record an error in rows of a frozen release. Row ids are checked; the release is not changed.

    An entry is never edited afterwards, except to add the version that fixes it (carrara erratum fixed). Example:

    carrara erratum add quickstart@1.0.0 --row needlebench/single_needle_en/32k/00000 --what "The gold is misspelt."
    """
    from carrara.release.errata import Erratum
    from carrara.release.errata import add as add_erratum

    name, version = _name_and_version(release)
    if not row and not config:
        raise CarraraError(
            "got neither --row nor --config, expected the rows in error", "name them with --row ID or --config NAME"
        )
    when = date if date is not None else datetime.datetime.now(datetime.UTC).date().isoformat()
    rows = sorted({*(row or ()), *(config or ())})
    entry = Erratum.of(version=version, rows=rows, what=what, severity=severity, fixed_in=fixed_in, date=when)
    added, told = add_erratum(releases, name, entry)
    _print_entry(name, added, told)


@erratum.command("list", short_help="List the known errors of a frozen release.")
def list_errata(
    release: Annotated[str, typer.Argument(metavar="NAME[@VERSION]", help="A frozen release, or one version of it.")],
    releases: ReleasesOption = RELEASES_HERE,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")] = False,
) -> None:
    """List the known errors of a frozen release, or of one of its versions.

    Rows stay the same within a MAJOR version, so a version also has the errors recorded for another one of it, until
    they are fixed.
    """
    from carrara.release.errata import errata_of

    name, _, version = release.partition("@")
    if "@" in release:
        _name_and_version(release)
    found = errata_of(releases, name)
    kept = [entry for entry in found.errata if not version or entry.holds_for(version)]
    if as_json:
        typer.echo(json_text(found.to_json() | {"errata": [entry.to_json() for entry in kept]}))
        return
    for entry in kept:
        typer.echo(_entry_lines(name, entry))
    if not kept:
        typer.echo(f"{release} has no known errors")


@erratum.command(short_help="Record which version fixes an error.")
def fixed(
    release: FrozenArgument,
    number: Annotated[int, typer.Argument(min=1, help="The number of the erratum.")],
    version: Annotated[str, typer.Option("--in", metavar="VERSION", help="The later version without the error.")],
    releases: ReleasesOption = RELEASES_HERE,
) -> None:
    """Record which version fixes an error. Nothing else in an entry can be changed, and this only once."""
    from carrara.release.errata import mark_fixed

    name, about = _name_and_version(release)
    entry, told = mark_fixed(releases, name, about, number, version)
    _print_entry(name, entry, told)


def _name_and_version(release: str) -> tuple[str, str]:
    match = re.fullmatch(r"([^@]+)@([^@]+)", release)
    if not match:
        raise CarraraError(f"got {release!a}, expected NAME@VERSION", "for example quickstart@1.0.0")
    from carrara.release.schema import version_order

    version_order(match[2])
    return match[1], match[2]


def _print_entry(name: str, entry: "Erratum", told: list[str]) -> None:
    from carrara.text.display import visible

    typer.echo(_entry_lines(name, entry))
    for text in dict.fromkeys(told):
        typer.echo(f"note: {visible(text)}", err=True)


def _entry_lines(name: str, entry: "Erratum") -> str:
    """An entry as two lines; its texts come from an untrusted file."""
    from carrara.text.display import visible

    fixed_in = f"fixed in {entry.fixed_in}" if entry.fixed_in else "not fixed"
    head = "  ".join(
        (f"{entry.number}", f"{name}@{entry.version}", entry.date, *filter(None, [entry.severity]), fixed_in)
    )
    rows = ", ".join(entry.rows[:_LISTED_ROWS])
    more = f" and {len(entry.rows) - _LISTED_ROWS:,} more" if len(entry.rows) > _LISTED_ROWS else ""
    what = visible(entry.what).replace("\n", "␊")
    return f"{visible(head)}\n    {what}\n    {visible(rows)}{more}"
