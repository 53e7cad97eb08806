"""From a recipe to scored responses, through all that others touch: quickstart is built, described, published on a Hub
on this machine, loaded by its tag, verified there, and run by two evaluation harnesses.

`make publication` runs this file and prints what each step took and gave. Real programs throughout, each in a process
of its own; the models are the harnesses' own dummies.
"""

import json
import os
import sys
import time
from pathlib import Path

import pytest
from hub_server import Hub, serve

from carrara.engine.files import cache_folder
from carrara.recipe.recipe import load_recipe, recipe_path
from carrara.release.reader import open_release

pytestmark = pytest.mark.integration


REPO = "tester/quickstart"
ROW = "needlebench/single_needle_en/1M/00000"
LOADED = """
import json, sys
from datasets import disable_progress_bars, load_dataset
from carrara.row import row_digest
disable_progress_bars()
repo, version, *names = sys.argv[1:]
for name in names:
    rows = load_dataset(repo, name, split="test", revision=version)
    print(json.dumps([name, [[row_digest(row), row["id"]] for row in rows]]))
"""


class Steps:
    """Runs commands against the Hub, each to its end, and says what it took."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        self.hub, self.folder = hub, folder
        # The project's cache, wherever it is; what the Hub's clients keep goes with the test.
        self.more = {"CARRARA_CACHE": str(cache_folder()), "TIKTOKEN_CACHE_DIR": str(cache_folder() / "tiktoken")}

    def __call__(self, what: str, *command: object) -> str:
        started = time.perf_counter()
        words = [str(word) for word in command]
        done = self.hub.run(*words, **self.more)
        assert done.returncode == 0, f"{what}: {' '.join(words[:6])}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        print(f"{what}: {time.perf_counter() - started:.1f} s")
        return done.stdout

    def carrara(self, what: str, *arguments: object) -> str:
        return self(what, sys.executable, "-m", "carrara", *arguments)

    def tool(self, name: str) -> Path:
        """A command of a harness, beside the Python that runs this."""
        found = Path(sys.executable).parent / name
        assert found.is_file(), f"{name} is not installed: make setup"
        return found


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    with serve(tmp_path_factory.mktemp("end") / "hub") as made:
        yield made


def test_from_the_recipe_to_scored_responses(hub, tmp_path):
    steps = Steps(hub, tmp_path)
    recipe = load_recipe(recipe_path("quickstart"))
    address = f"hf://{REPO}@{recipe.version}"

    folder = Path(steps.carrara("built", "build", "quickstart", "--out", tmp_path / "out", "--quiet").strip())
    release = open_release(folder)
    rows = sum(facts.rows for facts in release.configs.values())
    firsts = {facts.task: name for name, facts in reversed(release.configs.items()) if facts.bucket == "32k"}
    print(f"  {rows} rows, {len(release.configs)} configs, {len(firsts)} tasks")

    described = json.loads(steps.carrara("croissant validated and read", "croissant", folder, "--json"))
    print(f"  {described}"[:200])

    steps.carrara("publication, dry run", "publish", folder, "--repo", REPO)
    assert hub.repos == {}
    steps.carrara("published", "publish", folder, "--repo", REPO, "--yes", "--quiet")
    assert list(hub.repo(REPO).tags) == [recipe.version]
    uploads = len([one for one in hub.requests if one.method == "PUT"])
    assert "already" in steps.carrara("published again", "publish", folder, "--repo", REPO, "--yes").lower()
    assert uploads == len([one for one in hub.requests if one.method == "PUT"]) >= len(release.configs)

    wanted = [*firsts.values(), "single_needle_en_1M"]
    told = steps("loaded by tag with datasets", sys.executable, "-c", LOADED, REPO, recipe.version, *wanted)
    loaded = dict(json.loads(line) for line in told.splitlines())
    assert set(loaded) == set(wanted)
    for name, found in loaded.items():
        lines = "".join(f"{digest}  {row}\n" for digest, row in found)
        assert lines == (folder / "digests" / f"{name}.txt").read_text(), name

    report = json.loads(steps.carrara("verified at the Hub", "verify", address, "--level", "rows", "--json", "--quiet"))
    assert report["good"] and report["checked"]["rows"] == rows
    hub.forget()
    steps.carrara("a row of 1M verified at the Hub", "verify", address, "--row", ROW)
    print(f"  {hub.bytes_sent:,} bytes, {len(hub.requests)} requests")
    assert 0 < hub.bytes_sent < 20_000_000

    lm_eval(steps, address, tmp_path)
    inspect(steps, address, tmp_path, [firsts[task] for task in sorted(firsts)])


def lm_eval(steps: Steps, address: str, folder: Path) -> None:
    """Every config of 32k, from the Hub; its own means are those of `carrara score` where rows are no groups."""
    tasks, out = folder / "lm-eval", folder / "lm-eval-out"
    steps.carrara("exported for lm-evaluation-harness", "export", "lm-eval", address, "--out", tasks)
    words = ["--tasks", "carrara_quickstart_32k", "--include_path", tasks, "--output_path", out, "--log_samples"]
    steps("run by lm-evaluation-harness", steps.tool("lm_eval"), "run", "--model", "dummy", *words)
    (results,) = out.glob("*/results_*.json")
    theirs = json.loads(results.read_text())["results"]
    table = json.loads(steps.carrara("scored from its log", "score", address, out, "--json"))
    agree(table, {name.removeprefix("carrara_quickstart_"): scores for name, scores in theirs.items()}, "_32k")


def agree(table: dict, theirs: dict, ending: str) -> None:
    """The means of a harness and ours."""
    compared = 0
    ours = {name: cell["mean"] for name, cell in table["configs"].items() if cell["missing"] < cell["rows"]}
    for config, mean in ours.items():
        scores = [value for key, value in theirs[config].items() if key.endswith(",none") and "stderr" not in key]
        assert config.endswith(ending) and scores == [pytest.approx(mean, abs=1e-9)], config
        compared += 1
    print(f"  {compared} configs with the harness's mean")
    assert compared >= 30


def inspect(steps: Steps, address: str, folder: Path, configs: list[str]) -> None:
    """One config of every task, from the Hub."""
    tasks, logs = folder / "inspect", folder / "inspect-logs"
    told = json.loads(steps.carrara("exported for Inspect", "export", "inspect", address, "--out", tasks, "--json"))
    (file,) = told["files"]
    chosen = [f"{os.path.relpath(file, steps.hub.folder)}@{told['tasks'][config]}" for config in configs]
    words = ["--model", "mockllm/model", "--log-dir", logs, "--display", "plain"]
    steps("run by Inspect", steps.tool("inspect"), "eval", *chosen, *words)
    table = json.loads(steps.carrara("scored from its logs", "score", address, logs, "--json"))
    answered = {name for name, cell in table["configs"].items() if cell["missing"] < cell["rows"]}
    print(f"  {len(answered)} configs, mean {table['overall']['mean']:.4f}")
    assert answered == set(configs)
