"""Builds a frozen release again with the code that makes it.

Which code that is: this checkout's where the recipe still has the release's version (`current`), else that of the
commit in `releases/CODE.toml`, with its recipe and card, taken from the history.
"""

import os
import re
import subprocess
import sys
import tarfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

from folders import RELEASES, ROOT

from carrara.engine.code import library_versions
from carrara.recipe.recipe import load_recipe
from carrara.release.freeze import frozen_code

FROZEN = {
    f"{file.parent.parent.name}@{file.parent.name}": file.parent for file in sorted(RELEASES.glob("*/*/manifest.json"))
}


@cache
def current() -> set[str]:
    """The frozen releases that this checkout builds: their recipes still have their version."""
    recipes = map(load_recipe, sorted((ROOT / "recipes").glob("*.toml")))
    return FROZEN.keys() & {f"{recipe.name}@{recipe.version}" for recipe in recipes}


def git(*words: str) -> str:
    """What git prints. Raises CalledProcessError, or OSError where there is no git."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def missing_history() -> str:
    """Why commits of old releases cannot be read here; "" where they can."""
    try:
        if git("rev-parse", "--is-shallow-repository") == "false":
            return ""
    except (OSError, subprocess.CalledProcessError):
        return "there is no git history here: old releases are built by the code of their commit; clone the repository"
    return "this clone is shallow: old releases are built by the code of their commit; run git fetch --unshallow"


def rebuild(release: str, folder: Path) -> Path:
    """Build `name@version` anew in an empty folder, in one process, and return the built release.

    Raises LookupError where the code of its commit cannot be had, CalledProcessError where the build fails.
    """
    name, _, version = release.partition("@")
    if release in current():
        checkout, python, cache = ROOT, sys.executable, os.environ.get("CARRARA_CACHE", str(ROOT / ".cache"))
    else:
        checkout = _checkout(frozen_code(RELEASES)[release].commit, folder / "checkout")
        # Old code knows nothing of what newer code caches.
        python, cache = _python(checkout, folder / "environment"), str(folder / "cache")
    environment = {**os.environ, "PYTHONPATH": str(checkout / "builders"), "CARRARA_CACHE": cache}
    words = ["build", f"recipes/{name}.toml", "--out", folder / "out", "--workers", "1", "--quiet"]
    subprocess.run([python, "-B", "-m", "carrara", *words], cwd=checkout, env=environment, check=True)
    return folder / "out" / name / version


def _checkout(commit: str, folder: Path) -> Path:
    """The files of a commit. An archive leaves no trace in the repository, as a worktree would."""
    if reason := missing_history():
        raise LookupError(reason)
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    git("archive", f"--output={archive}", commit)
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder


def _python(checkout: Path, folder: Path) -> str:
    """The interpreter that has the libraries which the checkout pins.

    The running one serves where those that decide bytes have the pinned versions: the checkout's code is imported by
    PYTHONPATH. Else an environment is made, from the package index.
    """
    pins = (checkout / "constraints.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", pins, re.MULTILINE))
    # Figures of cards before quickstart 2.0.0 were drawn by matplotlib.
    deciding = library_versions() | {"matplotlib": version("matplotlib")}
    if all(pinned.get(name) == installed for name, installed in deciding.items()):
        return sys.executable
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = str(folder / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--constraint", "constraints.txt"]
    # Code older than its extras brings all of this by itself; pip warns, and goes on.
    subprocess.run([*install, ".[build]"], cwd=checkout, check=True)
    # It carries the tokenizers' vocabularies; nothing imports what it depends on.
    subprocess.run([*install, "--no-deps", "llama-index-core"], cwd=checkout, check=True)
    return python
