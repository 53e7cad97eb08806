"""Which code runs: its fingerprint, the versions of the libraries that decide bytes, and the commit it was taken from.

The fingerprint decides bytes beside the recipe: a change of it ends a resume. The commit is told in `provenance.json`
alone, which no digest covers: it may not reach a row, a manifest or a key.
"""

import hashlib
import os
import subprocess
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
# Libraries whose version may change what a row says or how a file is written.
_LIBRARIES = ("nltk", "numpy", "pyarrow", "pydantic", "tiktoken")
_GIT_SECONDS = 20


@cache
def code_fingerprint(*parts: str) -> str:
    """The sha256 over the package's own source files below `parts` (all of them by default), by name and content."""
    digest = hashlib.sha256()
    roots = [_PACKAGE / part for part in parts] or [_PACKAGE]
    if gone := [root.name for root in roots if not root.exists()]:
        raise ValueError(f"got {gone}, expected files and folders of the package: a cache would outlive its code")
    files = {file for root in roots for file in ([root] if root.is_file() else root.rglob("*"))}
    for file in sorted(files):
        # Templates and papers, too: the card of a release follows from them.
        if file.suffix in {".py", ".toml", ".txt", ".jinja", ".bib"}:
            digest.update(f"{file.relative_to(_PACKAGE).as_posix()}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


@cache
def library_versions() -> dict[str, str]:
    """The versions of the libraries that decide bytes."""
    return {name: version(name) for name in _LIBRARIES}


@cache
def code_origin() -> dict[str, object]:
    """What `provenance.json` says of the code: the sha256 over the package's files and, of a checkout, its commit.

    `dirty` tells whether the package's files differ from the commit's. Without a checkout `commit` and `dirty` are null
    and `reason` says why: the version and the sha256 name the installed wheel. Holds no host, path or user.
    """
    origin = {"sha256": code_fingerprint()}
    ask = partial(git, _PACKAGE, seconds=_GIT_SECONDS)
    try:
        # A package installed into an ignored folder of another project's checkout is not that project's code.
        ask("ls-files", "--error-unmatch", "--", "__init__.py")
        commit = ask("rev-parse", "--verify", "HEAD").strip()
        changed = bool(ask("status", "--porcelain", "--untracked-files=all", "--", "."))
    except OSError:
        return {**origin, "commit": None, "dirty": None, "reason": "git cannot be run"}
    except subprocess.TimeoutExpired:
        return {**origin, "commit": None, "dirty": None, "reason": f"git did not answer in {_GIT_SECONDS} s"}
    except subprocess.CalledProcessError:
        return {**origin, "commit": None, "dirty": None, "reason": "the package does not lie in a git checkout"}
    return {**origin, "commit": commit, "dirty": changed}


def git(folder: Path, *words: str, seconds: float | None = None) -> str:
    """What git prints in a folder. It runs no hook, and heeds no repository of the caller.

    Raises CalledProcessError, TimeoutExpired, and OSError where there is no git.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=seconds
    )
    return done.stdout
