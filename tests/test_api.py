"""The Python API: its examples, what it loads and when, what it refuses, that a user's script is type-checked."""

import doctest
import json
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import PACKAGE, common, recipe, release, tree
from folders import ROOT
from processes import python

import carrara
from carrara import api
from carrara.release.reader import open_release
from carrara.row import SCHEMA, Row

__all__ = ["common", "recipe", "release"]

ROW = "needlebench/single_needle_en/4k/00001"


@pytest.fixture
def home(common, release, monkeypatch):
    """A folder with `recipes` and `out`, as a user has it."""
    monkeypatch.chdir(common)
    return common


def test_every_example_runs(home):
    examples = [api, carrara.Recipe.from_toml]
    found = [test for one in examples for test in doctest.DocTestFinder().find(one, globs={"carrara": carrara})]
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    told: list[str] = []
    for test in found:
        runner.run(test, out=told.append)
    assert runner.summarize(verbose=False) == (0, runner.tries) and runner.tries >= 9, "".join(told)


def test_every_name_is_there_and_none_is_hidden_by_a_room():
    assert set(carrara.__all__) <= set(dir(carrara))
    for name in carrara.__all__:
        assert getattr(carrara, name).__name__ == name
        # Python sets a subpackage over a name of its package as soon as it is imported.
        assert not (PACKAGE / name).exists() and not (PACKAGE / f"{name}.py").exists()
    with pytest.raises(AttributeError, match="'load_all'"):
        getattr(carrara, "lo" + "ad_all")


def test_importing_the_package_loads_nothing_more():
    code = "import sys; before = set(sys.modules); import carrara; print(*sorted(set(sys.modules) - before))"
    assert {name.partition(".")[0] for name in python(code).split()} - sys.stdlib_module_names == {"carrara"}
    scoring = python(code.replace("import carrara;", "import carrara.scoring;"))
    assert not {"carrara.api", "carrara.tasks", "pyarrow", "pydantic", "typer"} & set(scoring.split())


def test_rows_are_those_of_the_files_in_their_order(release):
    rows = carrara.load(release, config="single_needle_*")
    read = [Row.from_arrow(row) for name in rows.configs for row in _columns(release, name)]
    assert list(rows) == list(rows) == read
    assert [rows[place] for place in range(-len(rows), len(rows))] == [*read, *read]
    assert rows[-2:] == read[-2:] and rows[1:7:3] == read[1:7:3]
    assert rows[ROW].id == ROW and repr(rows) == "Rows of small@1.0.0: 9 rows of 3 of 4 configs"
    with pytest.raises(IndexError):
        rows[len(rows)]
    with pytest.raises(carrara.ReleaseError, match="not among these rows"):
        carrara.load(release, bucket="8k")[ROW]


def _columns(release, config):
    return [row for file in sorted((release / "data" / config).iterdir()) for row in pq.read_table(file).to_pylist()]


def test_a_dataset_holds_the_same_rows(release, tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    rows = carrara.load(release, bucket="4k")
    assert [Row.from_arrow(row) for row in rows.to_dataset()] == list(rows)


def test_iterating_holds_one_row_group(release, monkeypatch):
    groups = []
    read = pq.ParquetFile.iter_batches
    monkeypatch.setattr(
        pq.ParquetFile,
        "iter_batches",
        lambda self, **words: (groups.append(words["row_groups"]), read(self, **words))[1],
    )
    next(iter(carrara.load(release)))
    assert len(groups) == 1 and len(groups[0]) == 1


def test_a_row_with_a_hole_is_refused(release, tmp_path):
    folder = tmp_path / "holed"
    for name, data in tree(release).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    file = next((folder / "data" / "single_needle_en_8k").iterdir())
    table = pq.read_table(file).to_pylist()
    table[0]["evidence"] = [None]
    pq.write_table(pa.Table.from_pylist(table, SCHEMA), file, use_dictionary=False)
    with pytest.raises(carrara.ReleaseError, match="is not as released"):
        list(carrara.load(folder, config="single_needle_en_8k"))
    with pytest.raises(carrara.ReleaseError, match="has no span") as caught:
        list(carrara.load(folder, config="single_needle_en_8k", unverified=True))
    assert "carrara verify" in caught.value.hint


@pytest.mark.parametrize(
    ("place", "said", "hint"),
    [
        ("small@9.9.9", "no folder small@9.9.9 and no folder out/small/9.9.9", "Built here: small@1.0.0."),
        ("small", "there is no folder small", "Built here: small@1.0.0."),
        ("quickstart@1.3.1", "no folder out/quickstart/1.3.1", "carrara reproduce quickstart@1.3.1 --out out."),
        ("other@1.0.0", "no folder out/other/1.0.0", "Build one: carrara build other. Or read it from the Hub: hf://"),
        ("out", "out is not a release", "the folder of a release"),
        ("out/small", "out/small is not a release", "Give one that it holds: out/small/1.0.0."),
        ("../small@1.0.0", "is not a release", "the folder of a release"),
        (
            str(ROOT / "releases" / "quickstart" / "1.3.1"),
            "is the frozen record of quickstart@1.3.1",
            "carrara reproduce",
        ),
        ("hf://small", "'hf://small'", "hf://user/name@1.0.0"),
    ],
)
def test_a_place_without_a_release_says_what_to_type(home, place, said, hint):
    with pytest.raises(carrara.CarraraError) as caught:
        carrara.load(place)
    assert said in caught.value.message and hint in caught.value.hint


def test_an_unknown_name_of_a_recipe_gets_the_nearest():
    with pytest.raises(carrara.RecipeError) as caught:
        carrara.Recipe.from_toml("quickstar")
    assert "'quickstart'" in caught.value.hint


def test_a_function_is_told_how_a_check_goes_on(release):
    told = []
    assert carrara.verify(release, "rows", progress=lambda *step: told.append(step)).is_good
    files = len(open_release(release).files)
    assert told[:files] == [("files", done, files) for done in range(1, files + 1)]
    assert told[-1] == ("single_needle_zh_4k", 1, 1)


def test_rows_are_scored_that_were_loaded_and_asked(release, tmp_path):
    rows = carrara.load(release, task="single_needle")
    right = {row.id: row.answers[0] for row in carrara.load(release)}
    report = carrara.score(rows, right)
    assert (report.model, report.overall.mean, report.overall.rows) == ("model", 1.0, len(rows))
    assert {score.bucket for score in carrara.score(rows, right, bucket="8k").scores} == {"8k"}
    few = {row.id: row.answers[0] for row in rows[:1]}
    with pytest.raises(carrara.CarraraError, match="first=N"):
        carrara.score(rows[:1], few)
    assert carrara.score(rows, few).overall.mean == 1 / 4 and carrara.score(rows, few, first=1).overall.mean == 1
    file = tmp_path / "gpt.jsonl"
    file.write_text("".join(json.dumps({"id": key, "response": text}) + "\n" for key, text in few.items()))
    from_file, again = carrara.score(rows, file), carrara.score(release, [str(file)], config="*")
    assert from_file.model == "gpt" and from_file.scores == again.scores
    compared = carrara.compare(from_file, report)
    assert (compared.first, compared.second, compared.left_out) == ("gpt", "model", len(rows) - from_file.overall.rows)
    every = carrara.compare(from_file, report, carrara.score(rows, right, model="third"))
    assert isinstance(every, carrara.Comparisons) and len(every.pairs) == 3 and len(every.ties) == 3


@pytest.mark.parametrize(
    ("responses", "words", "said"),
    [
        ({}, {}, "0 responses"),
        ({ROW: 7}, {}, "got int as the response to"),
        ([], {}, "got no file of responses"),
        ({"none/of/these/00000": "x"}, {}, "none to a row of small@1.0.0"),
        ({ROW: "x"}, {"metric": "charm"}, "unknown metric 'charm'"),
        ({ROW: "x"}, {"model": ""}, "got --model ''"),
        ({ROW: "x"}, {"bucket": "8k"}, "none to those chosen"),
        ({ROW: "x"}, {"without_errata": True}, "no errata of small"),
        ({ROW: "x"}, {"verdicts": "recipes/small.toml"}, "small.toml"),
    ],
)
def test_what_cannot_be_scored_is_told(home, responses, words, said):
    with pytest.raises(carrara.CarraraError) as caught:
        carrara.score("small@1.0.0", responses, **words)
    assert said in caught.value.message and caught.value.hint


@pytest.mark.integration
def test_a_script_without_a_guard_builds_with_several_processes(home, tmp_path):
    """A spawned worker imports the caller's script, which would build again."""
    script = tmp_path / "script.py"
    script.write_text(
        "import carrara\n"
        "told = []\n"
        f"made = carrara.build({str(home / 'recipes' / 'small.toml')!r}, 'out', stream='twin', workers=2,\n"
        "    progress=lambda *step: told.append(step))\n"
        "print(made.name, told[-1][1] == told[-1][2], sorted({step[0] for step in told}) == list(made.configs))\n"
    )
    ours = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env=ours, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("small-twin True True\n", "")


RIGHT = """
import carrara


def ask(prompt: str, limit: int) -> str:
    return prompt[-limit:]


def tell(what: str, done: int, total: int) -> None:
    print(f"{what}: {done / total:.0%}")


def main() -> None:
    recipe = carrara.Recipe.from_toml("quickstart").twin("2027-spring")
    planned = carrara.plan(recipe, workers=2)
    print(planned.seconds / 60, [source.told for source in planned.missing])
    try:
        release: carrara.Release = carrara.build(recipe, "out", workers=2, progress=tell)
    except carrara.RecipeError as error:
        print(error.message, error.hint)
        return
    check: carrara.Verification = carrara.verify(release, "rows")
    print(check.is_good, release.root, release.configs["idk_32k"].rows)
    rows: carrara.Rows = carrara.load(release, bucket=["32k", "128k"])
    first: carrara.Row = rows[0]
    print(len(rows), [first.prompt[start:end] for start, end in first.evidence])
    answers: dict[str, str | None] = {row.id: ask(row.prompt, row.max_output_tokens) for row in rows}
    report: carrara.Report = carrara.score(rows, answers, model="mine")
    print(report.table("md"), report.tasks["idk"].interval, report.warnings())
    print(carrara.compare(report, "other.json").differences[0].interval)


if __name__ == "__main__":
    main()
"""
# Each wrong line, and what a type checker says of it.
WRONG = {
    'carrara.laod("small@1.0.0")': 'Module has no attribute "laod"',
    'carrara.load("small@1.0.0", buckets="32k")': 'did you mean "bucket"?',
    'carrara.verify("small@1.0.0", "row")': "expected \"Literal['files', 'rows', 'plans', 'rebuild']\"",
    'carrara.build("quickstart", progress=print_all)': 'has incompatible type "Callable[[list[int]], None]"',
    'length: str = carrara.load("small@1.0.0")[0].tokens': 'expression has type "int", variable has type "str"',
    'carrara.load("small@1.0.0")[0].promt': 'maybe "prompt"?',
}


@pytest.mark.integration
def test_a_type_checker_reads_a_script_of_a_user(tmp_path):
    (tmp_path / "right.py").write_text(RIGHT)
    head = ["import carrara", "def print_all(numbers: list[int]) -> None: ..."]
    (tmp_path / "wrong.py").write_text("\n".join([*head, *WRONG]))
    # The cache of the checkout: without one it takes half a minute.
    options = [
        "--strict",
        "--config-file=",
        "--follow-imports=silent",
        f"--cache-dir={ROOT / '.mypy_cache' / 'scripts'}",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "right.py", "wrong.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": ""},
        capture_output=True,
        text=True,
    )
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert len(errors) == len(WRONG), done.stdout + done.stderr
    for number, (said, error) in enumerate(zip(WRONG.values(), errors, strict=True), len(head) + 1):
        assert error.startswith(f"wrong.py:{number}: ") and said in error, error
    # What makes a type checker read an installed package at all.
    assert (PACKAGE / "py.typed").is_file()
