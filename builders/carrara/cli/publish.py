"""`carrara publish`: a release as a dataset repository on the Hugging Face Hub; a dry run, until one says --yes."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from carrara.cli.options import JsonOption, QuietOption, ReleaseArgument
from carrara.errors import CarraraError
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.publish.plan import Changes, Outgoing, Repository

_NAMED = 20


def publish(
    release: ReleaseArgument,
    repo: Annotated[str, typer.Option("--repo", help="The dataset repository on the Hub: user/name.")],
    profile: Annotated[
        Literal["whole", "permissive"],
        typer.Option("--profile", help="whole, or permissive: only configs whose every source's licence is."),
    ] = "whole",
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Keep the permissive part here: <out>/<name>-permissive/<version>."),
    ] = None,
    errata: Annotated[
        Path | None,
        typer.Option("--errata", help="Put this file of errata on main, behind the tag (releases/<name>/errata.json)."),
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Make the repository private.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without it nothing is changed.")] = False,
    token_variable: Annotated[
        str | None,
        typer.Option("--token-variable", help="The environment variable with the token; else HF_TOKEN or the login."),
    ] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Publish a release on the Hub: say what would change there; with --yes change it, check it, and tag it.

    The tag is the version. It is placed last, on a commit that holds exactly the release's files, after the Hub's own
    hashes were compared with the manifest's. A stopped upload goes on where it stopped; a published version is never
    overwritten. Refused are releases that do not verify (level rows) and licences that forbid it or exclude each other.
    """
    from carrara.publish.plan import by_kind, changes, check_name, errata_of, is_published, outgoing, refuse_public
    from carrara.publish.publish import Hub
    from carrara.publish.publish import publish as publish_release

    if out is not None and profile == "whole":
        raise CarraraError("got --out without --profile permissive", "the whole release lies where it lies")
    hub = Hub(check_name(repo), token_variable)
    with _folder(release, profile, out) as folder:
        going = outgoing(folder)
        about = errata_of(errata, going.release.name) if errata else None
        # What the repository refuses is told before hours are spent on reading rows.
        repository = hub.look(going.release.version)
        refuse_public(repository, private)
        there = is_published(going, repository)
        planned = None if there else changes(going, repository)
        if yes and not hub.has_token:
            raise CarraraError("there is no token to publish with", "set HF_TOKEN, or log in: hf auth login")
        _prove(going, quiet)
        table = _table(going, repository, planned, private)
        if not as_json and not quiet:
            _show(table, going, planned, hub.url)
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
            typer.echo("nothing was changed: add --yes to do it", err=True)


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
            typer.echo("every config is permissive: the part is the release itself", err=True)
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


def _show(table: dict[str, Any], out: "Outgoing", planned: "Changes | None", url: str) -> None:
    from carrara.publish.plan import by_kind
    from carrara.text.display import size, visible

    seen = "private" if table["private"] else "public"
    state = f"{seen}, there" if table["exists"] else f"{seen}, new (or not to be seen with this token)"
    lines = [f"release     {out.title}", f"repository  {url} ({state})"]
    lines.append(f"tag         {table['tag']}{' (stands)' if planned is None else ''}")
    for licence, configs in table["licences"].items():
        lines.append(f"licence     {licence}: {len(configs)} configs")
    if planned is not None:
        for what, paths in (("new", planned.new), ("changed", planned.changed)):
            for kind, (count, total) in sorted(by_kind(out, paths).items()):
                lines.append(f"{what:<11} {kind}: {count:,} files, {size(total)}")
        for path, held in list(table["deleted"].items())[:_NAMED]:
            lines.append(f"deleted     {path} ({size(held)})")
        if len(planned.deleted) > _NAMED:
            lines.append(f"deleted     and {len(planned.deleted) - _NAMED:,} more")
        lines.append(f"unchanged   {len(planned.same):,} files")
        lines.append(f"to send     {size(planned.bytes)} at most")
    for line in lines:
        typer.echo(visible(line, 400))
