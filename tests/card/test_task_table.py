"""The table of tasks that `carrara list --table` prints and the documentation holds is that of the code."""

import re

from typer.testing import CliRunner

from carrara.card.task_table import markdown
from carrara.cli.app import app
from carrara.errors import CarraraError
from carrara.tasks import TASKS


def test_the_command_prints_it():
    assert CliRunner().invoke(app, ["list", "--table"]).output == markdown()


def rows_of_the_table():
    """What each row tells: task, variants, sources, buckets, metric, proof."""
    for line in (one for one in markdown().splitlines() if one.startswith("| `")):
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
    # Of a dataset in full, too, which helmet-paper takes in its place.
    assert told["rag", "nq"] == told["citations", "asqa"] == "8k 16k 32k 64k 128k"
    assert told["rag", "own"] == "what yours fill" and told["rag", "world"] == "any, to 1M"
    assert told["sentence_arrangement", "govreport"] == "48k"
    assert told["sentence_arrangement", "documents"] == "what yours fill"
    assert told["sentence_arrangement", "wiki727k"] == "48k"
    assert told["single_needle", "gutenberg"] == "4k 8k 32k 128k 1M"


def test_table_goes_with_nothing_else():
    told = CliRunner().invoke(app, ["list", "--table", "--json"])
    assert isinstance(told.exception, CarraraError)


def test_a_task_has_the_buckets_that_recipes_ask_of_it_alone():
    # Of single_needle, whose variants have the same names, they ask 4k too.
    buckets = [row[5] for row in rows_of_the_table() if row[0] == "multi_needle" and "gutenberg" in row[4]]
    assert buckets == ["8k 32k 128k 1M"]
