"""`carrara new-task`: what it writes builds and passes the tests of every task, in a copy of the checkout."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest
from folders import ROOT

TASK = "parcels"


@pytest.fixture
def checkout(tmp_path):
    for folder in ("builders", "tests", "recipes", "dataset_cards", "releases"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, tmp_path)
    return tmp_path


def run(folder, *words, **environment):
    paths = os.pathsep.join(str(folder / name) for name in ("builders", "tests", "tests/support"))
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths} | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def new_task(folder, *words):
    return run(folder, "-m", "carrara", "new-task", *words)


def lint(folder):
    # `make test` installs no linter, `make check` does.
    if find_spec("ruff") is None:
        return
    for tool in (["check", "-q"], ["format", "--check", "-q"]):
        linted = run(folder, "-m", "ruff", *tool, "builders/carrara/tasks", "tests/tasks")
        assert linted.returncode == 0, linted.stdout


@pytest.mark.integration
def test_a_new_task_passes_every_test_of_a_task(checkout):
    recipe = checkout / "recipes/verbatimeval.toml"
    made = new_task(checkout, f"needlebench/{TASK}", "--recipe", "recipes/verbatimeval.toml")
    assert made.returncode == 0 and len(made.stdout.splitlines()) == 4, made.stderr
    assert recipe.read_text(encoding="utf-8").count(f'task = "{TASK}"') == 1
    write = f"import golden as g; g.golden_file('{TASK}', 'en').write_text(g.golden_text(g.golden('{TASK}', 'en')))"
    assert run(checkout, "-c", write).returncode == 0
    files = [f"tests/tasks/test_{name}.py" for name in (TASK, "conformance", "golden_plans")]
    words = ("-x", "-k", f"{TASK} or solver or sees_the_tasks or table or closed_lists", "-m", "not slow")
    tested = run(
        checkout, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files, "tests/test_house.py", *words
    )
    assert tested.returncode == 0 and " failed" not in tested.stdout, tested.stdout[-3_000:]
    lint(checkout)


# Several commands in one process: its start takes longer than they do.
COMMANDS = """
import contextlib, io, json, sys
from carrara.cli.app import main
for words in json.loads(sys.argv[1]):
    sys.argv, err, code = ["carrara", "new-task", *words], io.StringIO(), 0
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as left:
            code = left.code or 0
    print(json.dumps([code, err.getvalue()]))
"""


def test_nothing_is_written_over(checkout):
    # The first makes a task that the second meets.
    first = (
        (["needlebench/single_needle"], "there is a task single_needle"),
        (["needlebench/mrcr"], "there is a task mrcr"),
        (["ours/other"], ""),
    )
    second = (
        (["ours/other"], "there is a task other"),
        (["needlebench/needles"], "exists, and nothing is written over"),
        (["../x"], "expected BENCHMARK/NAME"),
        (["needlebench/another", "--recipe", "absent.toml"], "expected a file"),
    )
    for cases in (first, second):
        done = run(checkout, "-c", COMMANDS, json.dumps([words for words, _ in cases]))
        for (_, said), line in zip(cases, done.stdout.splitlines(), strict=True):
            code, told = json.loads(line)
            assert code == (2 if said else 0) and said in told, told
    assert not (checkout / "tests/tasks/test_another.py").exists()
    lint(checkout)
