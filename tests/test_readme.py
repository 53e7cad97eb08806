"""The README is true: its commands are those of `--help`, its recipe loads, its table of tasks is the task table."""

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carrara.cli import app
from carrara.recipe import recipe_from_table
from carrara.tasks import TASKS

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
HELP = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "120", "TERMINAL_WIDTH": "120"}).output
VERBS = dict(re.findall(r"^  (\w+) +(\S.*)$", HELP.split("Commands:")[1], re.MULTILINE))


def test_the_commands_are_those_of_help():
    block = next(part for part in README.split("```") if part.strip().startswith("plan "))
    assert dict(re.findall(r"^  (\w+) +(\S.*)$", block, re.MULTILINE)) == VERBS


@pytest.mark.parametrize("line", re.findall(r"^carrara [^#\n]*", README, re.MULTILINE))
def test_every_command_line_names_verbs_and_options_that_there_are(line):
    verb, *rest = line.split()[1:]
    assert verb in VERBS
    told = CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": "120"}).output
    for option in (word for word in rest if word.startswith("--")):
        assert option in told, (verb, option)


def test_the_recipe_loads():
    blocks = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    recipe = recipe_from_table(tomllib.loads(blocks[0]))
    assert [config.rows for config in recipe.configs()] == [880, 88]
    own = tomllib.loads(blocks[1])["source"]
    assert set(own["reports"]) == {"title", "lang", "reader", "licence", "files"}


def _proof(task):
    """What the table says: some variants of HELMET's retrieval tasks have golds of people alone."""
    return "solver on the world" if task.search else "solver" if task.solve else "audit"


def test_the_table_of_tasks_is_the_task_table():
    rows = [line.split("|")[1:-1] for line in README.splitlines() if line.startswith("| `")]
    told = {
        re.findall(r"`(\w+)`", row[0])[0]: (re.findall(r"`(\w+)`", row[2]), row[3].strip(" `"), row[4].strip())
        for row in rows
    }
    assert told == {
        name: (
            [variant for variant in task.variants if variant],
            task.metrics[0],
            _proof(task),
        )
        for name, task in TASKS.items()
    }
