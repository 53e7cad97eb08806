"""Task definitions for Inspect (inspect-ai): one Python file that runs a release, with one task for each config.

The code of that file is `inspect_tasks.txt`, the same for every release. The export adds the release's name, version,
location and the metrics of its configs, each written with `ascii`, and one function for each config, named with
letters, digits and underscores. Nothing else from a release reaches the source. Three things must not change: the model
gets the row's exact prompt (a base model the prompt and the answer prefix), the scores are those of `carrara.scoring`,
and the names of tasks, to which published results refer.
"""

import keyword
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

from carrara.engine.files import is_torn, write_bytes
from carrara.errors import CarraraError
from carrara.release.reader import Release
from carrara.release.schema import shown

_TEMPLATE = "inspect_tasks.txt"
_ALL = "SELECTED: frozenset[str] = frozenset()"
_MARK = "# Written by carrara export inspect for "
_MARK_BYTES = 512
_PATTERN = re.compile(r"[*?\[\]]|::")
_UNFIT = re.compile(r"[^A-Za-z0-9_]")
_FUNCTION = """

@task{called}
def {function}(
    base: bool = False, limit: int | None = None, reasoning_tokens: int = 0, most_tokens: int | None = None
) -> Task:
    return of({config}, base, limit, reasoning_tokens, most_tokens)
"""


def write(
    release: Release, out: Path, repo: str | None = None, revision: str | None = None, ids: Iterable[str] = ()
) -> list[Path]:
    """Write the task definitions of a release into the folder `out`; return the paths.

    Rows are read from the release's folder, or from the dataset repository `repo` on the Hub at `revision` (the
    release's version by default); with `ids` only these, and the release holds only their configs. Files of other
    exports stay; the file of this release is replaced. Raises CarraraError if the folder holds anything else, and
    OSError if it cannot be written.
    """
    # Inspect ignores files that begin with an underscore.
    path = out / f"{_UNFIT.sub('_', f'{release.name}_{release.version}')}.py"
    _check(out, path, f"{release.name}@{release.version}")
    dataset = str(release.folder.resolve()) if repo is None else repo
    if repo is None and _PATTERN.search(dataset):
        raise CarraraError(
            f"{shown(dataset)} contains a pattern character, which the library datasets would expand",
            "move the release to a folder without *, ?, [, ] and ::",
        )
    at = None if repo is None else revision or release.version
    text = _source(release, path.name, dataset, at, sorted(ids))
    # Fail now, not when the harness runs, if the source does not parse.
    compile(text, path.name, "exec")
    write_bytes(path, text.encode())
    return [path]


def tasks(configs: Iterable[str]) -> dict[str, str]:
    """Return the task name of each config: its own name, changed if it is no valid or free name of a function."""
    names: dict[str, str] = {}
    # Avoid every word of the file, comments included, so that no function shadows a name that it uses.
    used = set(re.findall(r"\w+", _template()))
    for config in configs:
        name = own = _identifier(config)
        number = 1
        while name in used:
            number += 1
            name = f"{own}_{number}"
        used.add(name)
        names[config] = name
    return names


def _source(release: Release, file: str, dataset: str, revision: str | None, ids: Sequence[str]) -> str:
    names = tasks(release.configs)
    metrics = {config: str(facts.metric) for config, facts in release.configs.items()}
    lines = {
        "FILE@TASK": f"{file}@{next(iter(names.values()), '')}",
        'NAME = ""': f"NAME = {release.name!a}",
        'VERSION = ""': f"VERSION = {release.version!a}",
        'RELEASE = ""': f"RELEASE = {dataset!a}",
        "REVISION: str | None = None": f"REVISION: str | None = {revision!a}",
        "METRICS: dict[str, str] = {}": f"METRICS: dict[str, str] = {metrics!a}",
        **({_ALL: _ALL.replace("()", f"({ids!a})")} if ids else {}),
    }
    # In one pass, so that inserted text is never replaced again.
    pattern = re.compile("|".join(f"^{re.escape(line)}$" if " " in line else line for line in lines), re.MULTILINE)
    body = pattern.sub(lambda match: lines[match[0]], _template())
    functions = [_FUNCTION.format(called="", function=name, config=ascii(config)) for config, name in names.items()]
    return f"{_MARK}{release.name}@{release.version}\n{body}{''.join(functions)}"


def _template() -> str:
    return files("carrara.export").joinpath(_TEMPLATE).read_text(encoding="utf-8")


def _identifier(text: str) -> str:
    name = _UNFIT.sub("_", text)
    return f"_{name}" if name[:1].isdigit() or keyword.iskeyword(name) or not name else name


def _check(out: Path, path: Path, called: str) -> None:
    """Refuse a folder that holds anything but earlier exports, and a file that is the export of another release."""
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_dir():
        raise CarraraError(f"got {out}, expected a folder", "give another one: --out FOLDER")
    for entry in sorted(out.iterdir()):
        # Left by Python after a run of the export, and by an export that was killed.
        if entry.name == "__pycache__" or is_torn(entry.name):
            continue
        mark = _mark(entry)
        if mark is None:
            raise CarraraError(
                f"{out} holds {shown(entry.name)}, expected an empty folder or earlier exports", "give another folder"
            )
        if entry.name == path.name and mark != called:
            raise CarraraError(f"{entry.name} is the export of {shown(mark)}, not {called}", "give another folder")


def _mark(path: Path) -> str | None:
    """The release that a file is an export of; None for any other file."""
    if path.is_symlink() or not path.is_file() or path.suffix != ".py":
        return None
    with path.open("rb") as stream:
        line = stream.readline(_MARK_BYTES).decode("utf-8", errors="replace")
    return line[len(_MARK) :].rstrip("\n") if line.startswith(_MARK) else None
