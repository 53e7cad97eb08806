"""`carrara verify`, `sign`, `reproduce`, `show`, `page`, `list`, `diff` and `croissant`: a release checked and read."""

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from carrara.cli.options import (
    PLACE_HELP,
    RELEASES_HERE,
    BucketOption,
    ConfigOption,
    IdsOption,
    JsonOption,
    PlaceArgument,
    QuietOption,
    ReleaseArgument,
    ReleasesOption,
    SourcesOption,
    TaskOption,
    UnverifiedOption,
    WorkersOption,
)
from carrara.errors import CarraraError, ProofError
from carrara.release.hub_store import Remote, place
from carrara.release.store import Place
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.release.reader import Release

_WORKERS = os.cpu_count() or 1
_EXAMPLES = 3
# What a good verification does not say yet, by its level.
_MORE = {
    "files": "These are the published files. To compare every row with its digest:\n  carrara verify {} --level rows",
    "rows": "These are the published rows. To plan them again from the recipe:\n  carrara verify {} --level plans",
    "plans": "The recipe plans these rows. To build them again and compare:\n  carrara reproduce {}",
    "rebuild": "The recipe makes these rows.",
}


def verify(
    release: PlaceArgument,
    level: Annotated[
        Literal["files", "rows", "plans", "rebuild"],
        typer.Option(
            "--level",
            help="files: is this the download? rows: is this the dataset? plans: does the recipe plan these rows? "
            "rebuild: does the recipe make them?",
        ),
    ] = "files",
    row: Annotated[
        str | None, typer.Option("--row", help="Check only the row with this id, against its digest.")
    ] = None,
    signed_by: Annotated[
        Path | None,
        typer.Option(
            "--signed-by", metavar="PEM", help="Ask for a signature by the holder of this key or certificate."
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="DIR", help="Ask for the root that DIR/ROOTS has of this name and version."),
    ] = None,
    sources: SourcesOption = None,
    workers: WorkersOption = _WORKERS,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Check a copy of a release against its manifest. Exit 1 if anything differs, and name config, row and column.

    A published copy (hf://user/name@version) is streamed from the Hub, one row group at a time; nothing is written to
    disk. With --row only the part of the file with that row is read.

    A manifest proves that the files belong together, not whose they are: --against and --signed-by ask for that. What a
    tag on the Hub holds is remembered, and a tag that moved is told (exit 1).
    """
    from carrara import api
    from carrara.cli.progress import Progress
    from carrara.cli.tables import terminal, verify_table
    from carrara.engine.files import state_folder
    from carrara.release.hub_store import SCHEME
    from carrara.release.trust import check_against, check_seen, check_signature
    from carrara.text.display import size, visible

    opened = api.open_release(release)
    believed = [check_against(opened, against)] if against else []
    believed += [check_signature(opened, signed_by)] if signed_by else []
    remote = release if isinstance(release, Remote) else None
    tag = f"{SCHEME}{remote.repository}@{remote.version}" if remote and remote.version else ""
    if tag:
        check_seen(tag, opened, state_folder(), remember=False)
    rows = sum(facts.rows for facts in opened.configs.values())
    steps = len(opened.files) + {"files": 0, "rebuild": 2 * rows}.get(level, rows)
    # A folder is read quickly: a log needs no progress.
    silent = quiet or row is not None or not (remote or level == "rebuild" or sys.stderr.isatty())
    fetched = (lambda: f"{size(remote.fetched)} read") if remote else None
    with Progress(steps, 0, silent, unit="checked", aside=fetched) as progress:
        if remote:
            progress.note(f"{remote.label} is commit {remote.commit}")
        report = api.verify(opened, level, row=row, sources=sources, workers=workers, progress=progress)
    if tag and report.is_good and (first := check_seen(tag, opened, state_folder())):
        believed.append(first)
    table = {**asdict(report), "good": report.is_good, "believed": believed}
    if as_json:
        typer.echo(json_text(table))
    else:
        terminal().print(verify_table(report))
        for line in believed:
            typer.echo(visible(line, 1_000))
        if report.is_good and not row:
            # Not through the console, which would break a long line that one is to paste.
            typer.echo(_MORE[level].format(visible(release.label, 400)))
    if not report.is_good:
        raise typer.Exit(1)


def sign(
    release: ReleaseArgument,
    key: Annotated[Path, typer.Option("--key", metavar="PEM", help="A private key of an elliptic curve, in PEM.")],
) -> None:
    """Verify a release and sign its manifest: who has your public key can tell your release from a forged one.

    Writes signature.sigstore.json into the release, which carrara publish takes along: an in-toto statement of recipe,
    commit and builder about the manifest's sha256. Nothing is sent anywhere.

    \b
      openssl ecparam -name prime256v1 -genkey -noout -out key.pem
      openssl ec -in key.pem -pubout -out key.pub
      carrara sign out/quickstart/3.0.0 --key key.pem
      carrara verify out/quickstart/3.0.0 --signed-by key.pub
    """
    from carrara.release.trust import sign as sign_release

    typer.echo(f"signed with the key of sha256 {sign_release(release, key)}")


def reproduce(
    release: Annotated[
        str,
        typer.Argument(
            metavar="NAME@VERSION", help="A frozen release by name@version, its folder, or hf://user/name@version."
        ),
    ],
    bucket: BucketOption = None,
    task: TaskOption = None,
    config: ConfigOption = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Build with the code of the commit that made it, and compare every byte."),
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Keep the built release in <out>/<name>/<version>. Default: delete it.")
    ] = None,
    releases: ReleasesOption = RELEASES_HERE,
    sources: SourcesOption = None,
    workers: WorkersOption = _WORKERS,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Build a frozen release again from its record, and compare the root of every config. Exit 1 if any differs.

    The record is looked for in ./releases, then in the package, and can be any release in a folder or at the Hub. The
    running code builds it if it plans the same rows. If not, the code of the commit that made it does, from the history
    of the git checkout that Carrara or you are in; without one you are told what to type.
    """
    from carrara import api
    from carrara.cli.progress import Progress
    from carrara.cli.tables import reproduction_table, terminal
    from carrara.making.reproduce import find_record, made_from, record_folders
    from carrara.release.configs import choose_configs

    record = find_record(release, record_folders(releases))
    chosen = choose_configs(record.configs, bucket=bucket, task=task, config=config)
    facts = [record.configs[name] for name in chosen]
    tokens = sum(one.tokens.sum + one.output_tokens.sum for one in facts)
    with Progress(sum(one.rows for one in facts), tokens, quiet) as progress:
        commit = made_from(record)
        by = f", made by commit {commit[:12]}" if commit else ""
        progress.note(f"{record.name}@{record.version} as {record.place.label} records it{by}")
        report = api.reproduce(
            record, config=chosen, exact=exact, out=out, sources=sources, workers=workers, progress=progress
        )
    if as_json:
        typer.echo(json_text({**asdict(report), "good": report.is_good, "exact": report.is_exact}))
    else:
        terminal().print(reproduction_table(report))
        if not report.commit and commit and (report.files or not report.is_good):
            typer.echo(f"To build with the code that made it, byte for byte:\n  carrara reproduce {release} --exact")
    if not report.is_good or (exact and not report.is_exact):
        raise typer.Exit(1)


def show(
    release: PlaceArgument,
    row_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="A row id, as in the column `id`. Default: its first row.")
    ] = None,
    unverified: UnverifiedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Print a row: its facts, each piece of evidence with its depth and the text around it, both ends of the prompt."""
    from carrara import api
    from carrara.cli.show import show as show_row
    from carrara.cli.show import show_json
    from carrara.cli.tables import terminal

    rows = api.load(release, unverified=unverified)
    row = (next(iter(rows)) if row_id is None else rows[row_id]).to_arrow()
    if as_json:
        typer.echo(json_text(show_json(row)))
    else:
        show_row(row, terminal())


def page(
    release: PlaceArgument,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The file or folder to write. Default: <name>-<version>.html in this folder."),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            min=0,
            max=20_000,
            help="Rows of each config, evenly spread. Default: 20, or fewer of many configs.",
        ),
    ] = None,
    row: Annotated[list[str] | None, typer.Option("--row", help="Also show the row with this id (repeatable).")] = None,
    responses: Annotated[
        list[Path] | None,
        typer.Option(
            "--responses",
            help="Show a model's responses beside the gold, with their scores: what carrara score reads, or the folder "
            "of carrara run (repeatable).",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="What the model is called; else the name of the responses file.")
    ] = None,
    verdicts: Annotated[
        Path | None,
        typer.Option("--verdicts", help="What a model judged (carrara judge); without it judge/* is ROUGE-L."),
    ] = None,
    bucket: BucketOption = None,
    task: TaskOption = None,
    config: ConfigOption = None,
    ids: IdsOption = None,
    unverified: UnverifiedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write one HTML file that shows a release: what it is, rows with their evidence, lengths, depths, chance levels.

    The file needs no network and no server, and runs no code of the release or of a response. It holds some rows of
    each config, and says how many of how many: of each row the answers, the evidence in its place, and both ends of the
    prompt. With --responses it holds rows that were asked, each with the response and its score, and finds those that
    are right, wrong or missing. Rows that it shows are checked against their digests, its charts are of the columns as
    they are. It is never written into a release.
    """
    from carrara.engine.files import write_bytes
    from carrara.page.page import file_name, outside
    from carrara.page.page import page as page_of
    from carrara.page.rows import ModelAnswers
    from carrara.release.configs import choose_configs
    from carrara.release.reader import open_release
    from carrara.release.report import model_name, responses_of, score_release, verdicts_of
    from carrara.release.selection import read_ids
    from carrara.text.display import size

    opened = open_release(release, unverified)
    opened.refuse_record()
    chosen = choose_configs(opened.configs, bucket=bucket, task=task, config=config)
    selected = None
    if ids is not None:
        selected = read_ids(ids, opened)
        chosen = selected.configs(chosen)
    named = Path(file_name(opened))
    file = outside(named if out is None else out / named if out.is_dir() else out)
    note = (lambda text: None) if as_json else (lambda text: typer.echo(text, err=True))
    answered = None
    if responses:
        given = responses_of(responses)
        called = model_name(model, given.model, responses)
        judged = verdicts_of(verdicts)
        scored = score_release(opened, given, config=chosen, model=called, verdicts=judged, selected=selected)
        texts = given.texts | {row_id: _samples(given.of(row_id)) for row_id in given.more}
        answered = ModelAnswers(texts, scored)
    elif model is not None or verdicts is not None:
        option = "--verdicts" if model is None else "--model"
        raise CarraraError(f"got {option} without --responses, expected both", "carrara page RELEASE --responses FILE")
    made = page_of(opened, rows, row or (), note, configs=chosen, answered=answered, selected=selected)
    write_bytes(file, made.data)
    if as_json:
        facts = {"file": str(file), "bytes": len(made.data), "rows": made.held, "of": made.rows}
        typer.echo(json_text(facts))
        return
    typer.echo(f"{made.held:,} of {made.rows:,} rows, {size(len(made.data))}", err=True)
    typer.echo(file)


def _samples(responses: Sequence[str | None]) -> str:
    """Several samples of a row as one text."""
    return "\n\n".join(f"[sample {number}] {text or ''}" for number, text in enumerate(responses, start=1))


def list_(
    release: Annotated[
        Place | None,
        typer.Argument(
            parser=place, help=f"{PLACE_HELP} Default: list tasks, sources, metrics, recipes and tokenizers."
        ),
    ] = None,
    as_json: JsonOption = False,
    as_table: Annotated[bool, typer.Option("--table", help="Print the table of tasks, as Markdown.")] = False,
    template: Annotated[
        str, typer.Option(metavar="TASK", help="Print a task's wording as a TOML file, to word prompts otherwise.")
    ] = "",
) -> None:
    """List the configs of a release; without one, the package's tasks, sources, metrics, recipes and tokenizers."""
    if template:
        from carrara.recipe.wording import template_text
        from carrara.tasks import TASKS
        from carrara.text.display import nearest

        if release is not None or as_json or as_table:
            raise CarraraError("got --template with more, expected it alone", "leave the others out")
        if template not in TASKS:
            raise CarraraError(f"got --template {template!r}, expected a task", nearest(template, TASKS))
        typer.echo(template_text(TASKS[template]), nl=False)
    elif as_table:
        from carrara.card.task_table import markdown

        if release is not None or as_json:
            raise CarraraError("got --table with a release or --json, expected it alone", "leave the others out")
        typer.echo(markdown(), nl=False)
    elif release is not None:
        _list_configs(release, as_json)
    else:
        _list_package(as_json)


def _list_configs(release: Place, as_json: bool) -> None:
    from carrara.release.reader import open_release
    from carrara.text.display import visible

    configs = open_release(release).configs
    if as_json:
        typer.echo(json_text({name: facts.to_json() for name, facts in configs.items()}))
        return
    for name, facts in configs.items():
        typer.echo(f"{name}  {facts.rows} rows  {facts.tokens.mean:.0f} tokens  {visible(facts.metric)}")


def _list_package(as_json: bool) -> None:
    from carrara.recipe.recipe import recipe_folder
    from carrara.scoring import METRICS
    from carrara.sources import pins
    from carrara.tasks import TASKS
    from carrara.tokens import ENCODINGS

    table: dict[str, Any] = {
        "tasks": {
            name: {
                "variants": list(task.variants),
                "metrics": list(task.metrics),
                "own_metrics": {
                    name: list(variant.metrics) for name, variant in task.variants.items() if variant.metrics
                },
                "asks": task.asks,
            }
            for name, task in TASKS.items()
        },
        "sources": {
            "world": {"lang": "en, zh", "licence": "Apache-2.0", "title": "written from the release's stream"},
            **{name: {"lang": pin.lang, "licence": pin.licence, "title": pin.title} for name, pin in pins().items()},
        },
        "metrics": sorted(METRICS),
        "tokenizers": [*ENCODINGS, "hf:path-or-repo@revision"],
        "recipes": sorted(path.stem for path in recipe_folder().glob("*.toml")),
    }
    if as_json:
        typer.echo(json_text(table))
        return
    typer.echo("tasks")
    for name, task in table["tasks"].items():
        variants = " ".join(variant or "(one)" for variant in task["variants"])
        typer.echo(f"  {name} [{variants}]  {', '.join(task['metrics'])}\n      {task['asks']}")
    typer.echo("sources")
    for name, source in table["sources"].items():
        typer.echo(f"  {name} [{source['lang']}]  {source['licence']}\n      {source['title']}")
    for name in ("metrics", "recipes", "tokenizers"):
        typer.echo(f"{name}\n  {', '.join(table[name])}")


def diff(
    old: Annotated[Place, typer.Argument(parser=place, help=PLACE_HELP)],
    new: Annotated[Place, typer.Argument(parser=place, help="Another release: a later version, or a twin.")],
    as_json: JsonOption = False,
) -> None:
    """Compare two releases: what changed, and which version bump that asks for.

    For twins (one recipe, two streams): what they share, which should be nothing, and the p-value of a test for equal
    distributions of lengths, depths, complexities and kinds of question. Exit 1 if twins share a text or differ in
    distribution.
    """
    from carrara.release.reader import open_release
    from carrara.release.twin import are_twins

    before, after = open_release(old), open_release(new)
    if are_twins(before, after):
        _twins(before, after, as_json)
        return
    _refuse_strangers(before, after)
    if before.is_record or after.is_record:
        _records(before, after, as_json)
    else:
        _versions(before, after, as_json)


def _refuse_strangers(before: "Release", after: "Release") -> None:
    """Raise CarraraError for two releases without the same name, the same stream or a config in common."""
    same = any(
        name in before.configs and facts.root == before.configs[name].root for name, facts in after.configs.items()
    )
    if before.name != after.name and before.content.stream != after.content.stream and not same:
        raise CarraraError(
            f"got {before.name}@{before.version} and {after.name}@{after.version}, other rows from other streams",
            "expected two versions of one release, or a release and its twin: one recipe built with two --stream",
        )


def _versions(before: "Release", after: "Release", as_json: bool) -> None:
    from carrara.release.manifest import difference
    from carrara.release.reader import digest_lines

    old_lines, new_lines = (
        {name: list(digest_lines(release, name)) for name in release.configs} for release in (before, after)
    )
    found = difference(before.content, old_lines, after.content, new_lines)
    if as_json:
        configs = {name: asdict(rows) for name, rows in found.configs.items()}
        typer.echo(json_text({"bump": found.bump, "roots": [before.root, after.root], "configs": configs}))
        return
    for name, rows in found.configs.items():
        counts = {"added": rows.added, "removed": rows.removed, "changed": rows.changed}
        text = ", ".join(f"{len(ids)} {what} ({ids[0]}, …)" for what, ids in counts.items() if ids)
        typer.echo(f"{name}: {text}{', order changed' if rows.reordered else ''}")
    _tell_roots(before, after)
    typer.echo(f"bump: {found.bump}")


def _records(before: "Release", after: "Release", as_json: bool) -> None:
    """Compare by content roots alone, where one of the two is a frozen record."""
    from carrara.release.manifest import bump, root_changes
    from carrara.release.reader import digest_lines

    lines = {} if after.is_record else {name: list(digest_lines(after, name)) for name in after.configs}
    changes = root_changes(before.content, after.content, lines)
    found: str = bump(before.manifest, after.manifest, lines)
    changed = [name for name, change in changes.items() if change == "changed"]
    grown = all(after.configs[name].rows > before.configs[name].rows for name in changed)
    if after.is_record and changed and grown and "removed" not in changes.values():
        found = "minor or major"
    if as_json:
        typer.echo(json_text({"bump": found, "roots": [before.root, after.root], "configs": changes}))
        return
    for name, change in changes.items():
        typer.echo(f"{name}: {change}")
    files = sum(before.files.get(path) != after.files.get(path) for path in {*before.files, *after.files})
    _tell_roots(before, after)
    typer.echo(f"files that differ: {files}")
    unsure = ": a record does not tell whether the old rows stayed" if " " in found else ""
    typer.echo(f"bump: {found}{unsure}")


def _tell_roots(before: "Release", after: "Release") -> None:
    if before.root == after.root:
        typer.echo(f"release root: {before.root}, the same rows")
    else:
        typer.echo(f"release root: {before.root} -> {after.root}")


def _twins(before: "Release", after: "Release", as_json: bool) -> None:
    from carrara.release.schema import refuse_sealed
    from carrara.release.twin import compare

    for release in (before, after):
        refuse_sealed(release.content, "compared with a twin")
    reports = {}
    for name, report in compare(before, after):
        reports[name] = report
        if as_json:
            continue
        shared_of = ", ".join(
            f"{len(report.shared[kind])} of {count} {kind}" for kind, count in report.compared.items()
        )
        tests = ", ".join(f"{key} {p:.3f}" for key, p in report.p.items())
        typer.echo(
            f"{name}: {'good' if report.is_good else 'NOT GOOD'}; shared: {shared_of or 'nothing compared'}; p: {tests}"
        )
        for kind, texts in report.shared.items():
            for text in texts[:_EXAMPLES]:
                typer.echo(f"    {kind}: {json_text(text, None)}")
    if as_json:
        typer.echo(json_text({"twins": True, "configs": {name: asdict(report) for name, report in reports.items()}}))
    if bad := [name for name, report in reports.items() if not report.is_good]:
        raise ProofError(
            f"{len(bad)} of {len(reports)} configs share texts or differ in distribution: {', '.join(bad[:5])}",
            "see the lines of these configs above",
        )
    if not as_json:
        shared = sum(len(texts) for report in reports.values() for texts in report.shared.values())
        typer.echo(f"twins: {len(reports)} configs, {shared} texts shared, same distributions")


def croissant(
    release: ReleaseArgument,
    as_json: JsonOption = False,
) -> None:
    """Validate a release's croissant.json with mlcroissant, and read the first record of every record set.

    The release is verified first (level files), so that only its own files are read. Warnings name what a publication
    or NeurIPS expects and the release lacks: a [publication] in the recipe, or a section of the card.
    """
    from carrara.croissant.dataset import examine
    from carrara.text.display import visible

    report = examine(release)
    if as_json:
        typer.echo(json_text(report))
    else:
        for kind in ("errors", "warnings"):
            for message in report[kind]:
                typer.echo(f"{kind.removesuffix('s')}: {visible(message, 1_000)}")
        typer.echo(f"{report['record_sets']} record sets, the first record of {report['read']} read")
    if report["errors"]:
        raise ProofError(
            f"croissant.json is not valid: {len(report['errors'])} errors",
            "see them above; carrara verify DIR says whether the release was altered",
        )
