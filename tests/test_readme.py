"""The README is true: its commands are those of `--help`, its recipe loads, its table of tasks is the task table."""

import re
import tomllib

import pytest
from folders import ROOT
from readme import table_of, with_table
from typer.testing import CliRunner

from carrara.card.task_table import markdown
from carrara.cli.app import app
from carrara.errors import CarraraError
from carrara.recipe.recipe import recipe_from_table
from carrara.tasks import TASKS

README = (ROOT / "README.md").read_text(encoding="utf-8")
HELP = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "120", "TERMINAL_WIDTH": "120"}).output
VERBS = dict(re.findall(r"^  (\w+) +(\S.*)$", HELP.split("Use:")[1], re.MULTILINE))


def help_of(*verbs: str) -> str:
    return CliRunner().invoke(app, [*verbs, "--help"], env={"COLUMNS": "120"}).output


def test_the_commands_are_those_of_help():
    block = next(part for part in README.split("```") if part.strip().startswith("plan "))
    assert dict(re.findall(r"^  (\w+) +(\S.*)$", block, re.MULTILINE)) == VERBS


@pytest.mark.parametrize("line", re.findall(r"^carrara [^#\n]*", README, re.MULTILINE))
def test_every_command_line_names_verbs_and_options_that_there_are(line):
    verb, *rest = line.split()[1:]
    assert verb in VERBS
    told = help_of(verb)
    if "COMMAND [ARGS]" in told:
        assert re.search(rf"^  {re.escape(rest[0])} ", told, re.MULTILINE), (verb, rest[0])
        told = help_of(verb, rest[0])
    for option in (word for word in rest if word.startswith("--")):
        assert option in told, (verb, option)


def test_the_recipe_loads():
    blocks = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    recipe = recipe_from_table(tomllib.loads(blocks[0]))
    assert [config.rows for config in recipe.configs()] == [880, 88]
    own = tomllib.loads(blocks[1])["source"]
    assert set(own["reports"]) == {"title", "lang", "reader", "licence", "files"}


def test_the_table_of_tasks_is_what_the_command_prints():
    printed = CliRunner().invoke(app, ["list", "--table"]).output
    assert printed == markdown()
    assert table_of(README) == printed, "make readme writes the table anew"
    assert with_table(README, "else\n").count("| `") < README.count("| `")


def rows_of_the_table():
    """What each row tells: task, variants, sources, buckets, metric, proof."""
    for line in (one for one in table_of(README).splitlines() if one.startswith("| `")):
        task, asks, variants, sources, buckets, metric, proof = (cell.strip() for cell in line.strip("|").split("|"))
        name, benchmark = re.fullmatch(r"`(\w+)` \((\w+)\)", task).groups()
        names = [re.findall(r"`(\w+)`", cell) for cell in (variants, sources)]
        yield name, benchmark, asks, *names, buckets, metric.strip("`"), proof


def test_every_task_variant_and_source_stands_in_the_table():
    told = list(rows_of_the_table())
    assert list(dict.fromkeys(row[0] for row in told)) == list(TASKS)
    for name, task in TASKS.items():
        rows = [row for row in told if row[0] == name]
        assert {row[1].lower() for row in rows} == {task.benchmark}
        assert [row[2] for row in rows] == [task.asks, *[""] * (len(rows) - 1)]
        assert {variant for row in rows for variant in row[3]} == set(task.variants) - {""}
        assert {source for row in rows for source in row[4]} >= set(task.sources) - {"prose"}
        for _, _, _, variants, sources, buckets, metric, proof in rows:
            assert {task.metric(variant) for variant in variants or [""]} == {metric}
            for variant in variants or [""]:
                bound = task.variants[variant].source
                assert not bound or bound in sources, (name, variant)
                solved = {bool(task.solve) and task.solvable(variant, bound or one) for one in sources or [""]}
                assert proof in {"solver" if is_so else "audit" for is_so in solved}
            assert (buckets == "any, to 1M") == (not sources or sources == ["world"])


def test_buckets_of_real_sources_are_those_of_the_recipes():
    told = {(row[0], source): row[5] for row in rows_of_the_table() for source in row[4]}
    assert told["rag", "nq"] == told["citations", "asqa"] == "32k 128k 1M"
    assert told["rag", "own"] == "what yours fill" and told["rag", "world"] == "any, to 1M"
    assert told["sentence_arrangement", "govreport"] == "16k"
    assert told["sentence_arrangement", "documents"] == "what yours fill"
    assert told["sentence_arrangement", "wiki727k"] == "what they fill"
    assert told["single_needle", "gutenberg"] == "4k 8k 32k 128k 1M"


def test_table_goes_with_nothing_else():
    told = CliRunner().invoke(app, ["list", "--table", "--json"])
    assert isinstance(told.exception, CarraraError)
