"""`carrara export`: a release as tasks of lm-evaluation-harness or Inspect."""

import glob
import json
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrara.cli.options import IdsOption, JsonOption, PlaceArgument, UnverifiedOption
from carrara.errors import CarraraError
from carrara.release.hub_store import Remote
from carrara.release.store import Folder, Place

if TYPE_CHECKING:
    from carrara.release.reader import Release

export = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Write a release as tasks of an evaluation harness. The harness then sends the prompts byte for byte and "
    "scores with Carrara's scorers.\n\n"
    "Install carrara beside the harness (pip install carrara). carrara score reads the harness's logs, and adds "
    "intervals and the papers' averages.",
)

_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")

RepoOption = Annotated[
    str | None,
    typer.Option("--repo", help="Read the rows from this dataset on the Hub (USER/NAME), not from the folder."),
]
RevisionOption = Annotated[
    str | None, typer.Option("--revision", help="With --repo: a tag or commit. Default: the version's tag.")
]


@export.command("lm-eval", short_help="Write tasks for EleutherAI's lm-evaluation-harness.")
def lm_eval(
    release: PlaceArgument,
    out: Annotated[
        Path,
        typer.Option("--out", help="Folder for the tasks: new, empty, or of an earlier export, which is replaced."),
    ],
    repo: RepoOption = None,
    revision: RevisionOption = None,
    ids: IdsOption = None,
    unverified: UnverifiedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a release as tasks of lm-evaluation-harness (0.4.13 or later), and print how to run them.

    Every config becomes two tasks. carrara_<release>_<config> is for chat models: run it with --apply_chat_template,
    and the prompt becomes the user's turn. carrara_<release>_<config>_base is for base models: prompt and answer
    prefix, without a template. There is a group of all tasks and one for each bucket. The harness also accepts patterns
    ('carrara_quickstart_rag_*_32k').

    Decoding is greedy, without examples or stop sequences. The harness has one output length per task: the largest
    max_output_tokens of the config's rows. An endpoint that refuses an empty list of stop sequences needs
    eos_string=... among its --model_args.

    Give the model its full length (max_length, max_model_len), because the harness cuts a prompt that does not fit from
    the left. Rows with a judge/* metric get rouge_l or summary_overlap, and are reported as that. The harness's
    standard errors treat placements of one question as independent rows. Use --log_samples and carrara score for
    correct intervals. Every row of a folder is checked against its digest first. Example:

    carrara export lm-eval out/quickstart/3.0.0 --out tasks
    """
    from carrara.export import lm_eval as harness
    from carrara.release.reader import open_release
    from carrara.release.report import check_metrics
    from carrara.release.schema import refuse_sealed
    from carrara.text.display import visible

    opened = open_release(release)
    refuse_sealed(opened.content, "exported")
    opened, chosen = _chosen(opened, ids)
    check_metrics(opened, opened.configs)
    _check_rows(opened, unverified)
    repo, revision = dataset(release, repo, revision)
    written = harness.write(opened, out, repo, revision, chosen)
    members = harness.groups(opened) | harness.groups(opened, harness.BASE)
    rooms = harness.rooms(opened)
    whole = f"carrara_{opened.name}"
    runs = {
        "chat": _lm_eval_run(whole, out, rooms[whole], "--apply_chat_template"),
        "base": _lm_eval_run(whole + harness.BASE, out, rooms[whole]),
        "score": _score(release, "results/MODEL", ids),
    }
    if as_json:
        _print({"files": [str(path) for path in written], "groups": members, "room": rooms, "commands": runs})
        return
    count = len(opened.configs)
    typer.echo(f"{visible(str(out))}: {len(written)} files, {count} configs of {opened.name}@{opened.version}")
    typer.echo(
        "groups (each also with _base) and the tokens of their longest prompt and answer, by the release's tokenizer:"
    )
    for name, room in rooms.items():
        typer.echo(f"  {name}  {room:,}")
    for kind, told in (("chat", "chat model"), ("base", "base model"), ("score", "then score with intervals")):
        typer.echo(f"{told}:\n  {visible(runs[kind])}")


def _check_rows(release: "Release", unverified: bool) -> None:
    """Raise ReleaseError for a folder with a row that is not as released: what a harness reads there nobody checks."""
    from carrara.release.reader import checked_rows

    if not unverified and isinstance(release.place, Folder):
        for config in release.configs:
            for _ in checked_rows(release, config):
                pass


def _lm_eval_run(group: str, out: Path, longest: int, *more: str) -> str:
    words = ["lm_eval", "run", "--tasks", group, "--include_path", str(out.resolve()), "--model", "hf", "--model_args"]
    words += [f"pretrained=MODEL,max_length={longest}", *more, "--log_samples", "--output_path", "results"]
    return shlex.join(words)


@export.command("inspect", short_help="Write tasks for Inspect (inspect-ai).")
def inspect(
    release: PlaceArgument,
    out: Annotated[Path, typer.Option("--out", help="Folder for the tasks: empty, or of an earlier export.")],
    repo: RepoOption = None,
    revision: RevisionOption = None,
    ids: IdsOption = None,
    unverified: UnverifiedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a release as tasks of Inspect (inspect-ai): a Python file with a task for each config.

    The prompt is the user's message, byte for byte, and the row's max_output_tokens limits the answer. Rows are scored
    by their metric, with a standard error that counts the rows of a group as one question. Rows with a judge/* metric
    get ROUGE-L, and their scores say so.

    Each task accepts -T base=true (prompt and answer prefix as one text, for the providers vllm-completions and
    openai-api-completions), limit=N, reasoning_tokens=N (added to every limit) and most_tokens=N (a ceiling). carrara
    score reads Inspect's logs, or a folder of them. Every row of a folder is checked against its digest first. Example:

    carrara export inspect out/quickstart/3.0.0 --out tasks
    """
    from carrara.export.inspect import tasks, write
    from carrara.release.reader import open_release
    from carrara.release.report import check_metrics
    from carrara.release.schema import refuse_sealed
    from carrara.text.display import visible

    opened = open_release(release)
    refuse_sealed(opened.content, "exported")
    opened, chosen = _chosen(opened, ids)
    check_metrics(opened, opened.configs)
    _check_rows(opened, unverified)
    repo, revision = dataset(release, repo, revision)
    path = write(opened, out, repo, revision, chosen)[0]
    names = tasks(opened.configs)
    # A file without a task's name is a pattern to Inspect, and one that begins at the root is refused.
    every, one = glob.escape(os.path.relpath(path)), f"{path}@{next(iter(names.values()), '')}"
    runs = {"one": _inspect_run(one), "all": _inspect_run(every), "base": _inspect_run(one, "base=true")}
    if as_json:
        _print({"files": [str(path)], "tasks": names, "commands": runs})
        return
    typer.echo(f"{visible(str(path))}: {len(names)} tasks of {opened.name}@{opened.version}")
    for kind, told in (("one", "one task"), ("all", "all tasks"), ("base", "base model")):
        typer.echo(f"{told}:\n  {visible(runs[kind])}")
    typer.echo(f"then score with intervals:\n  {visible(_score(release, 'logs', ids))}")


def _chosen(opened: "Release", ids: Path | None) -> tuple["Release", frozenset[str]]:
    """The release with what `ids` lists alone, and these ids; all of it, and none, without such a file."""
    from carrara.release.selection import narrowed, read_ids

    if ids is None:
        return opened, frozenset()
    selected = read_ids(ids, opened)
    return narrowed(opened, selected), selected.ids


def _score(release: Place, results: str, ids: Path | None) -> str:
    """The command that scores what the harness leaves: rows that it did not ask are no missing ones."""
    return shlex.join(["carrara", "score", release.label, results, *(["--ids", str(ids)] if ids else [])])


def _inspect_run(what: str, argument: str = "") -> str:
    model = "vllm-completions/MODEL" if argument else "openai/MODEL"
    return shlex.join(["inspect", "eval", what, *(["-T", argument] if argument else []), "--model", model])


def dataset(release: Place, repo: str | None, revision: str | None) -> tuple[str | None, str | None]:
    """The dataset on the Hub to read, and its revision: as given, or from the release's own address.

    Raises CarraraError for a name or revision of another form, and for a revision without a dataset.
    """
    from carrara.publish.plan import check_name

    if repo is None and revision is None and isinstance(release, Remote):
        return release.repository, release.version or release.commit
    if repo is not None:
        check_name(repo)
    if revision is not None and not _REVISION.fullmatch(revision):
        raise CarraraError(f"got --revision {ascii(revision)[:200]}, expected a tag or commit", "for example 1.0.0")
    if revision is not None and repo is None:
        raise CarraraError(
            "got --revision without --repo, expected both", "drop --revision: a folder holds one version"
        )
    return repo, revision


def _print(table: Mapping[str, object]) -> None:
    typer.echo(json.dumps(table, indent=1, sort_keys=True))
