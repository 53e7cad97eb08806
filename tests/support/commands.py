"""Runs the command line as a user does, in processes that can be killed or here, on one small recipe."""

import contextlib
import fcntl
import hashlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import psutil
import pytest

import carrara
from carrara.cli.app import main
from carrara.release.manifest import canonical, file_entry
from carrara.release.reader import digest_line, open_release, rows
from carrara.release.schema import CROISSANT
from carrara.row import canonical_json, content_root

PACKAGE = Path(carrara.__file__).parent

# Two languages, two buckets, a task with a haystack and one without; six files, so that a kill finds some finished.
RECIPE = """\
name = "small"
version = "1.0.0"
title = "Small"
stream = "tests/1"
tokenizer = "o200k_base"
buckets = { 4k = 4096, 8k = 8192 }
rows_per_file = 2

[[cell]]
task = "single_needle"
variants = ["en"]
questions = 2
params = { depths = 2 }

[[cell]]
task = "single_needle"
variants = ["zh"]
buckets = ["4k"]
questions = 1
params = { depths = 1 }

[[cell]]
task = "numeric_sorting"
variants = ["ascending"]
buckets = ["4k"]
questions = 2
"""
CONFIGS = ["numeric_sorting_ascending_4k", "single_needle_en_4k", "single_needle_en_8k", "single_needle_zh_4k"]

# One row on the embedded source: for what is refused before or after it is made.
TINY = """\
name = "tiny"
version = "1.0.0"
stream = "tests/1"
tokenizer = "o200k_base"
buckets = { 4k = 4096 }

[[cell]]
task = "single_needle"
variants = ["en"]
questions = 1
params = { depths = 1 }
"""


class Done(NamedTuple):
    """What a command left: exit status and texts."""

    code: int
    out: str
    err: str


class Running:
    """A command in a process group of its own, with a mark by which every process that it starts is known."""

    def __init__(self, *words: object, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> None:
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"
        environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "carrara", *map(str, words)],
            env={**environment, "PYTHONPATH": str(PACKAGE.parent), **(env or {}), "CARRARA_TEST_MARK": self.mark},
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def done(self) -> Done:
        out, err = self.process.communicate(timeout=300)
        return Done(self.process.returncode, out, err)

    def alive(self) -> list[psutil.Process]:
        """The processes that this command started and that still run."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("CARRARA_TEST_MARK") == self.mark and process.status() != "zombie":
                    found.append(process)
        return found

    def workers(self) -> list[psutil.Process]:
        return [one for one in self.alive() if any("spawn_main" in word for word in one.cmdline())]

    def leaves_no_orphan(self) -> bool:
        """Whether all that it started is gone, within the seconds that a worker takes to notice."""
        return wait_for(lambda: not self.alive(), 10)


def wait_for(what: Callable[[], object], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.005)
    return False


def run(*words: object, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Done:
    """Run `carrara` with these words in a process."""
    return Running(*words, env=env, cwd=cwd).done()


def here(*words: object) -> Done:
    """Run the same in this process: quicker."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with (
        mock.patch.object(sys, "argv", ["carrara", *map(str, words)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as left:
            code = left.code
    return Done(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


def built(recipe: Path, out: Path, *words: object, env: Mapping[str, str] | None = None) -> Path:
    """Build in a process; the folder of the release."""
    done = run("build", recipe, "--out", out, *words, env=env)
    assert done.code == 0, done
    return Path(done.out.strip())


def built_here(recipe: Path, out: Path, *words: object) -> Path:
    """Build in this process, which has loaded the tokenizer; the folder of the release."""
    done = here("build", recipe, "--out", out, "--workers", 1, *words)
    assert done.code == 0, done
    return Path(done.out.strip())


def write(folder: Path, text: str, name: str = "recipe.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a release but the one that nothing hashes."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if name != "provenance.json"}


def forge(folder: Path, change) -> None:
    """Change the content of a manifest and put everything that guards it right again."""
    manifest = json.loads((folder / "manifest.json").read_text())
    content = manifest["content"]
    change(content)
    content["recipe_fingerprint"] = hashlib.sha256(canonical_json(content["recipe"]).encode()).hexdigest()
    (folder / "recipe.json").write_text(canonical_json(content["recipe"]) + "\n")
    manifest["files"]["recipe.json"] = file_entry(folder / "recipe.json").to_json()
    # Toy releases have none.
    if (folder / CROISSANT).is_file():
        described = json.loads((folder / CROISSANT).read_text()) | {key: content[key] for key in ("name", "version")}
        # A set of files has neither hash nor size.
        for one in (entry for entry in described["distribution"] if "contentUrl" in entry):
            entry = manifest["files"][one["contentUrl"]]
            one |= {"sha256": entry["sha256"], "contentSize": f"{entry['bytes']} B"}
        (folder / CROISSANT).write_text(json.dumps(described))
        manifest["files"][CROISSANT] = file_entry(folder / CROISSANT).to_json()
    (folder / "manifest.json").write_bytes(canonical(manifest))


def relist(folder: Path, *configs: str) -> None:
    """Put the digests of altered rows right, and the manifest: a release of other rows, and of another root."""
    for config in configs:
        lines = [digest_line(row) for row in rows(open_release(folder), config)]
        (folder / "digests" / f"{config}.txt").write_text("".join(f"{line}\n" for line in lines))
        root = content_root(lines)
        forge(folder, lambda content, config=config, root=root: content["configs"][config].update(root=root))


def is_swept(release: Path) -> bool:
    """Whether nothing lies beside a release but its lock and its mark, and in it nothing of a build's own."""
    beside = sorted(path.name for path in release.parent.iterdir())
    inside = [path for path in release.rglob("*") if path.name.startswith(".") or path.name in {"key", "sidecars"}]
    return beside == [f".{release.name}.built", ".lock", release.name] and not inside


def is_refusal(done: Done, *said: str, code: int = 2) -> bool:
    """Whether a command ended with one error that says all of this, and without a trace."""
    lines = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == code, done
    assert len(lines) == 1 and "Traceback" not in done.err, done.err
    text = done.err[done.err.index("error: ") :]
    assert [word for word in said if word not in text] == [], text
    return True


def nothing_written(out: Path) -> bool:
    """Whether a refused build left no file but a lock."""
    return [path for path in out.rglob("*") if path.is_file() and path.name != ".lock"] == []


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold what the test processes share: one makes it, the others find it made."""
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def common(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the test processes share; in it a release, made by whoever comes first.

    The cache is the user's: its keys hold the code, so that what no change of code touched is not made again.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "carrara-common"
    folder.mkdir(exist_ok=True)
    with alone(folder):
        if not (folder / "out" / "small" / "1.0.0").is_dir():
            built_here(write(folder / "recipes", RECIPE, "small.toml"), folder / "out")
    return folder


@pytest.fixture(scope="session")
def recipe(common: Path) -> Path:
    """The small recipe."""
    return common / "recipes" / "small.toml"


@pytest.fixture(scope="session")
def release(common: Path) -> Path:
    """A release of it: to be read, never altered."""
    return common / "out" / "small" / "1.0.0"
