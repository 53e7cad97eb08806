"""The verbs as a user types them: what they print, what they refuse and how, and what `datasets` makes of a release."""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import (
    CONFIGS,
    PACKAGE,
    RECIPE,
    TINY,
    common,
    forge,
    here,
    is_refusal,
    nothing_written,
    recipe,
    release,
    run,
    tree,
    write,
)

from carrara import __version__
from carrara.making import mutants
from carrara.making.mutants import FACTS, ROWS, SETS
from carrara.release.configs import config_groups
from carrara.release.reader import open_release, rows
from carrara.row import SCHEMA

__all__ = ["common", "recipe", "release"]

VERBS = ["audit", "build", "compare", "diff", "freeze", "list", "plan", "plot", "score", "show", "verify"]
ROW = "needlebench/single_needle_en/4k/00001"


@pytest.fixture
def copy(release, tmp_path) -> Path:
    """A release to damage."""
    return shutil.copytree(release, tmp_path / "copy")


def file_of(folder: Path, config: str, number: int = 0) -> Path:
    return folder / open_release(folder).configs[config].files[number]


def alter(file: Path, change, **options) -> None:
    """Write a data file again with its first rows changed."""
    table = pq.read_table(file)
    changed = table.to_pylist()
    change(changed)
    pq.write_table(table.from_pylist(changed, schema=SCHEMA), file, use_dictionary=False, **options)


def alter_answer(found: list[dict]) -> None:
    """One character of the second row's answer."""
    answer = found[1]["answers"][0]
    found[1]["answers"][0] = ("a" if answer[0] != "a" else "b") + answer[1:]


def problems(*words: object, code: int = 1) -> list[dict[str, str]]:
    done = here("verify", *words, "--json")
    assert done.code == code, done
    return json.loads(done.out)["problems"]


# The command line itself


def test_the_version_and_the_module(recipe):
    assert run("--version").out == f"{__version__}\n"
    script = Path(sys.executable).parent / "carrara"
    if script.exists():
        assert subprocess.run([script, "--version"], capture_output=True, text=True).stdout == f"{__version__}\n"


@pytest.mark.parametrize("verb", VERBS)
def test_help(verb):
    done = here(verb, "--help")
    assert done.code == 0 and f"carrara {verb}" in done.out and not done.err
    assert verb in here("--help").out


def test_no_verb_and_wrong_verbs():
    assert "Usage" in (here().out + here().err)
    for words in (("polish",), ("build",), ("build", "a", "b"), ("plan", "quickstart", "--workers", 0), ("verify",)):
        done = here(*words)
        assert done.code == 2 and "Usage" in done.err, words
    assert here("verify", "x", "--level", "soul").code == 2


def test_an_error_in_a_process_has_no_trace(tmp_path):
    done = run("build", tmp_path / "none.toml", "--out", tmp_path / "out")
    assert is_refusal(done, "none.toml", "No such file") and done.out == "" and nothing_written(tmp_path)


# Verify and audit


@pytest.mark.parametrize("level", ["files", "rows", "plans"])
def test_a_good_release_verifies(release, level):
    done = here("verify", release, "--level", level)
    assert done.code == 0 and "all is as the manifest says" in done.out
    assert problems(release, "--level", level, code=0) == []


@pytest.mark.repeat
def test_a_good_release_is_rebuilt(recipe, release, common):
    before = sorted(path.name for path in release.parent.iterdir())
    done = run("verify", release, "--level", "rebuild", "--workers", 1)
    assert done.code == 0 and "4 root" in done.out, done
    assert sorted(path.name for path in release.parent.iterdir()) == before


@pytest.mark.repeat
@pytest.mark.parametrize("level", ["files", "rows"])
def test_one_character_of_an_answer(copy, level):
    alter(file_of(copy, "single_needle_en_4k"), alter_answer)
    found = [one for one in problems(copy, "--level", level) if one["row"]]
    assert [(one["config"], one["row"], one["column"]) for one in found] == [("single_needle_en_4k", ROW, "answers")]
    done = run("verify", copy, "--level", level)
    assert done.code == 1 and f"{ROW} answers" in done.out, done


def test_one_row(copy, release):
    assert problems(release, "--row", ROW, code=0) == []
    alter(file_of(copy, "single_needle_en_4k"), alter_answer)
    assert problems(copy, "--row", ROW.replace("00001", "00000"), code=0) == []
    (found,) = problems(copy, "--row", ROW)
    assert (found["config"], found["row"], found["column"]) == ("single_needle_en_4k", ROW, "answers")
    for row in ("", "x", ROW.replace("00001", "00099"), ROW.replace("4k", "16k"), "../../etc/passwd"):
        for words in (("verify", copy, "--row", row), ("show", copy, row)):
            assert is_refusal(here(*words), "row"), words


def test_a_reencoded_copy_is_another_download_of_the_same_rows(copy):
    alter(file_of(copy, "single_needle_zh_4k"), lambda found: None, compression="gzip")
    (found,) = problems(copy)
    assert (found["level"], found["config"]) == ("files", "single_needle_zh_4k") and "re-encoded" in found["message"]
    assert problems(copy, "--level", "rows", code=0) == []
    assert "re-encoded" in here("verify", copy, "--level", "rows").out


def test_altered_plans_and_recipes_are_found(copy, release):
    def other_plans(content):
        content["configs"]["single_needle_zh_4k"]["plans"] = "0" * 64

    def other_recipe(content):
        content["recipe"]["cells"][0]["params"]["question"] = "before"

    forge(copy, other_plans)
    assert problems(copy, code=0) == problems(copy, "--level", "rows", code=0) == []
    (found,) = problems(copy, "--level", "plans")
    assert (found["level"], found["config"]) == ("plans", "single_needle_zh_4k")
    shutil.copy(release / "manifest.json", copy / "manifest.json")
    forge(copy, other_recipe)
    assert problems(copy, "--level", "rows", code=0) == []
    needles = ["single_needle_en_4k", "single_needle_en_8k"]
    assert [one["config"] for one in problems(copy, "--level", "plans")] == needles
    done = here("verify", copy, "--level", "rebuild", "--workers", 1, "--json")
    found = json.loads(done.out)["problems"]
    rebuilt = {(one["config"], one["message"].partition(" is ")[0]) for one in found if one["level"] == "rebuild"}
    assert done.code == 1 and {(name, "root") for name in needles} <= rebuilt
    assert {config for config, _ in rebuilt} == {*needles, ""}
    (copy / "recipe.json").write_text("{}\n")
    assert any("recipe.json is not the recipe" in one["message"] for one in problems(copy))


def test_audit(copy, release):
    done = here("audit", release)
    assert done.code == 0 and done.out.splitlines()[-1] == "11 rows audited, 0 findings", done
    assert json.loads(here("audit", release, "--json", "--quiet").out) == {"rows": 11, "findings": []}
    alter(file_of(copy, "single_needle_en_4k"), alter_answer)
    done = here("audit", copy, "--quiet")
    assert done.code == 1 and ROW in done.out and "solver" in done.out and not done.err


def test_a_release_of_long_rows_alone_is_counted_again(tmp_path):
    """Its probes were made on shorter prompts, which no row shows."""
    recipe = tmp_path / "long.toml"
    recipe.write_text(
        'name = "long"\nversion = "1.0.0"\ntitle = "Long"\nstream = "tests/1"\ntokenizer = "o200k_base"\n'
        'buckets = { 40k = 40960 }\n[[cell]]\ntask = "latent_list"\nquestions = 2\n'
    )
    assert here("build", recipe, "--out", tmp_path / "out", "--workers", 1).code == 0
    built = tmp_path / "out" / "long" / "1.0.0"
    assert open_release(built).configs["latent_list_40k"].probes
    assert problems(built, "--level", "rows", code=0) == []


def test_every_kind_of_damage_is_noticed_and_a_blunt_proof_is_found_out(release, monkeypatch):
    kinds = {*ROWS, *SETS, *FACTS}
    done = here("audit", release, "--mutants", 2 * len(kinds), "--json")
    found = json.loads(done.out)
    assert done.code == 0 and len(kinds) >= 45
    # This release has no options and no probes to forge.
    missing = kinds - {one["kind"] for one in found}
    assert len(missing) <= 12 and all(one["proof"] and one["objection"] for one in found), missing
    assert {one["proof"] for one in found} >= {"audit", "rows"}
    assert done.out == here("audit", release, "--mutants", 2 * len(kinds), "--json").out
    monkeypatch.setattr(mutants, "row_findings", lambda *arguments: [])
    done = here("audit", release, "--mutants", 30)
    assert done.code == 0 and "rebuild" in done.out
    monkeypatch.setattr(mutants, "row_digest", lambda row: "")
    done = here("audit", release, "--mutants", 30)
    assert done.code == 1 and "missed:" in done.out


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("facts", "{"),
        ("metric", "charm"),
        *(
            pytest.param(*case, marks=pytest.mark.repeat)
            for case in (("answers", []), ("facts", "[]"), ("depths", [float("nan")]))
        ),
    ],
)
def test_rows_that_no_task_makes(copy, column, value):
    """A hostile release gets a finding, a problem or one error, and no verb falls over it."""

    def hostile(found):
        found[1][column] = value

    alter(file_of(copy, "single_needle_en_4k"), hostile)
    assert (ROW, column) in {(one["row"], one["column"]) for one in problems(copy, "--level", "rows")}
    for words in (("audit", copy, "--quiet"), ("score", copy, "--gold"), ("show", copy, ROW), ("list", copy)):
        done = here(*words)
        assert done.code in (0, 1) or is_refusal(done), words


# What is refused: one error, exit 2, nothing written

BAD_RECIPES = {
    "unknown key": ("name =", "nmae =", ["unknown key 'nmae'", "did you mean 'name'"]),
    "unknown key of a cell": ("questions =", "question =", ["unknown key 'question'", "'questions'"]),
    "unknown parameter": ("depths =", "depth =", ["unknown key 'depth'", "'depths'"]),
    "too many needles": (
        'task = "single_needle"\nvariants = ["en"]\nquestions = 1\nparams = { depths = 1 }',
        'task = "multi_needle"\nvariants = ["en"]\nquestions = 1\nparams = { needles = 30, depths = 20 }',
        ["needles = 30", "expected 1 to 20"],
    ),
    "unknown task": ("single_needle", "simple_needle", ["unknown task 'simple_needle'", "'single_needle'"]),
    "unknown variant": ('["en"]', '["fr"]', ["no variant 'fr'"]),
    "unknown tokenizer": ("o200k_base", "o300k_base", ["o300k_base", "o200k_base"]),
    "unknown source": ("questions =", 'source = "gutemberg"\nquestions =', ["'gutemberg'", "gutenberg"]),
    "no questions": ("questions = 1", "questions = 0", ["questions = 0", "at least 1"]),
    "wrong bucket": ("4k = 4096", "4k = 4095", ["bucket 4k = 4095", "4000", "4096"]),
    "nothing left": ("4k = 4096", "1k = 1000", ["reserve = 1024", "0 to 999"]),
    "small bucket": ("4k = 4096", "0k = 0", ["bucket 0k"]),
    "wrong version": ("1.0.0", "1.0", ["version = '1.0'"]),
    "name that leaves the folder": ('"tiny"', '"../tiny"', ["name = '../tiny'"]),
    "empty stream": ('"tests/1"', '""', ["stream = ''"]),
    "no cell": ("[[cell]]", "[[cells]]", ["unknown key 'cells'", "'cell'"]),
    "no TOML": ("[[cell]]", "[[cell", ["cannot parse", "as TOML"]),
    "a key that takes all memory": ("[[cell]]", f"{'a.' * 400_000}a = 1\n[[cell]]", ["cannot parse", "100 parts"]),
}


@pytest.mark.parametrize("case", BAD_RECIPES)
def test_bad_recipes(common, tmp_path, case):
    old, new, said = BAD_RECIPES[case]
    assert TINY.count(old) >= 1
    path = write(tmp_path / "recipes", TINY.replace(old, new))
    for words in (("build", path, "--out", tmp_path / "out"), ("plan", path)):
        assert is_refusal(here(*words), *said), words
    assert not (tmp_path / "out").exists()


def test_recipes_that_are_no_text(tmp_path):
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    huge = tmp_path / "huge.toml"
    huge.write_bytes(b"#" * (2 << 20))
    for path, said in ((binary, "binary.toml"), (huge, "at most 1 MiB"), (tmp_path, "Is a directory")):
        assert is_refusal(here("build", path, "--out", tmp_path / "out"), said)
    assert not (tmp_path / "out").exists()


def test_a_folder_with_the_name_of_a_recipe_hides_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quickstart").mkdir()
    assert here("plan", "quickstart").code == 0


@pytest.mark.parametrize("stream", ["", "!!!", "…", "  "])
def test_a_stream_without_a_name(recipe, tmp_path, stream):
    assert is_refusal(here("build", recipe, "--out", tmp_path / "out", "--stream", stream), "stream", "2027-spring")
    assert not (tmp_path / "out").exists()


def test_a_bucket_too_small_for_what_must_stand_in_it(common, tmp_path):
    text = TINY.replace("{ 4k = 4096 }", "{ 1k = 1024 }\nreserve = 0").replace(
        "depths = 1", "depths = 1, buffer = 2000"
    )
    done = here("build", write(tmp_path, text), "--out", tmp_path / "out", "--workers", 1)
    assert is_refusal(done, "needlebench/single_needle_en/1k/00000", "larger bucket") and nothing_written(
        tmp_path / "out"
    )


@pytest.mark.parametrize("place", ["out", "name", "lock"])
def test_a_file_in_the_place_of_a_folder(common, tmp_path, place):
    recipe, out = write(tmp_path, TINY), tmp_path / "out"
    if place == "out":
        out.write_text("mine")
    elif place == "name":
        write(out, "mine", "tiny")
    else:
        (out / "tiny" / ".lock").mkdir(parents=True)
    assert is_refusal(here("build", recipe, "--out", out, "--workers", 1), "cannot", str(out))
    assert not (out / "tiny" / "1.0.0").exists()


def test_a_folder_that_nobody_may_write(common, tmp_path):
    done = here("build", write(tmp_path, TINY), "--out", "/proc/carrara", "--workers", 1)
    assert is_refusal(done, "cannot create /proc/carrara")


def no_release(folder: Path, kind: str) -> Path:
    place = folder / "place"
    if kind == "file":
        place.write_text("{}")
    elif kind != "missing":
        write(place, {"empty": "", "list": "[]", "other": '{"a": 1}', "broken": "{", "deep": "[" * 100_000}[kind])
        (place / "recipe.toml").rename(place / ("manifest.json" if kind != "empty" else "notes.txt"))
    return place


@pytest.mark.parametrize("kind", ["missing", "file", "empty", "list", "other", "broken", "deep"])
def test_a_folder_that_is_no_release(release, tmp_path, kind):
    place = no_release(tmp_path, kind)
    for words in (
        ("verify", place),
        ("verify", place, "--row", ROW),
        ("audit", place),
        ("show", place, ROW),
        ("list", place),
        ("score", place, "--gold"),
        ("diff", release, place),
        ("freeze", place, "--releases", tmp_path / "releases"),
    ):
        assert is_refusal(here(*words), "place" if kind in {"missing", "file", "empty"} else "manifest.json"), words
    assert not (tmp_path / "releases").exists()


# Sources of a user's own

SENTENCES = [
    f"{name} walked to the {place} {number} times before the {thing} was found."
    for number in range(2, 12)
    for name in ("Anna", "Bertil", "Chiara", "Dmitri", "Esther", "Farid")
    for place in ("harbour", "mill", "market", "tower", "bridge")
    for thing in ("lamp", "ledger", "kettle")
]


def own(folder: Path, documents: str | bytes, table: str = "", **fields: str) -> Path:
    """A recipe that reads documents of its own from `folder/sources/mine/text.jsonl`."""
    file = folder / "sources" / "mine" / "text.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(documents if isinstance(documents, bytes) else documents.encode())
    sha256 = fields.get("sha256", hashlib.sha256(file.read_bytes()).hexdigest())
    pin = f'\n[source.mine]\nreader = "jsonl"\nlang = "en"\nlicence = "CC0-1.0"\n{table}'
    pin += f'\n[source.mine.files]\n"{fields.get("path", "text.jsonl")}" = "{sha256}"\n'
    return write(folder, TINY.replace("questions =", 'source = "mine"\nquestions =') + pin)


def documents(sentences: list[str], each: int = 30) -> str:
    parts = [sentences[start : start + each] for start in range(0, len(sentences), each)]
    return "".join(json.dumps({"paragraphs": [" ".join(part)]}) + "\n" for part in parts)


def build_own(folder: Path, recipe: Path):
    return here("build", recipe, "--out", folder / "out", "--sources", folder / "sources", "--workers", 1)


def test_own_documents(common, tmp_path):
    done = build_own(tmp_path, own(tmp_path, documents(SENTENCES)))
    assert done.code == 0, done
    folder = Path(done.out.strip())
    (row,) = rows(open_release(folder), "single_needle_en_4k")
    assert "walked to the harbour" in row["prompt"]
    facts = open_release(folder).content.sources["mine"]
    assert facts.licence == "CC0-1.0" and list(facts.files) == ["text.jsonl"]
    assert str(tmp_path) not in (folder / "manifest.json").read_text()
    assert here("verify", folder, "--level", "rows").code == 0
    words = ("verify", folder, "--level", "rebuild", "--workers", 1)
    assert here(*words, "--sources", tmp_path / "sources").code == 0
    (found,) = problems(*words[1:])
    assert found["level"] == "rebuild" and "text.jsonl is missing" in found["message"]


def test_a_haystack_that_is_too_small(common, tmp_path):
    done = build_own(tmp_path, own(tmp_path, documents(SENTENCES[:30])))
    assert is_refusal(done, "needlebench/single_needle_en/4k/00000") and nothing_written(tmp_path / "out")


BAD_SOURCES = {
    "wrong hash": (documents(SENTENCES), {"sha256": "0" * 64}, ["got sha256", "expected 0000"]),
    "no hash": (documents(SENTENCES), {"sha256": ""}, ["expected 64 hex digits", "paste", "bytes ="]),
    "missing file": (documents(SENTENCES), {"path": "other.jsonl"}, ["other.jsonl is missing", "put it at"]),
    "path that climbs out": (documents(SENTENCES), {"path": "../../secret"}, ["leaves its folder"]),
    "absolute path": (documents(SENTENCES), {"path": "/etc/hostname"}, ["leaves its folder"]),
    "broken line": ('{"text": "A line."}\n{"text": \n', {}, ["text.jsonl:2", "expected JSON"]),
    "no UTF-8": (b'{"text": "\xff\xfe"}\n', {}, ["text.jsonl"]),
    "no documents": ("\n\n", {}, ["no documents"]),
    "unknown reader": (documents(SENTENCES), {"table": 'colour = "red"'}, ["unknown field 'colour'"]),
}


@pytest.mark.parametrize("case", BAD_SOURCES)
def test_bad_sources(common, tmp_path, case):
    text, fields, said = BAD_SOURCES[case]
    done = build_own(tmp_path, own(tmp_path, text, **fields))
    assert is_refusal(done, *said) and nothing_written(tmp_path / "out")


def test_a_source_that_cannot_be_read(common, tmp_path):
    recipe = own(tmp_path, documents(SENTENCES))
    file = tmp_path / "sources" / "mine" / "text.jsonl"
    file.unlink()
    file.mkdir()
    assert is_refusal(build_own(tmp_path, recipe), "text.jsonl", "cannot be read")
    file.rmdir()
    file.symlink_to("/etc/hostname")
    assert is_refusal(build_own(tmp_path, recipe), "leaves its folder through a symbolic link")
    done = here("build", recipe, "--out", tmp_path / "out", "--sources", tmp_path / "nowhere", "--workers", 1)
    assert is_refusal(done, "nowhere", "expected an existing folder")
    assert is_refusal(here("build", recipe, "--out", tmp_path / "out", "--workers", 1), "is missing")
    assert nothing_written(tmp_path / "out")


# Plan, list, show


def test_plan(recipe, release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = here("plan", recipe)
    assert done.code == 0 and all(name in done.out for name in CONFIGS) and "all" in done.out, done
    table = json.loads(here("plan", recipe, "--json", "--items", 5).out)
    assert (table["name"], table["version"]) == ("small", "1.0.0")
    configs = open_release(release).configs
    assert {one["config"]: (one["rows"], one["files"]) for one in table["configs"]} == {
        name: (facts.rows, len(facts.files)) for name, facts in configs.items()
    }
    assert {name: len(plans) for name, plans in table["plans"].items()} == {
        name: facts.items for name, facts in configs.items()
    }
    assert {one["config"]: one["questions"] for one in table["configs"]} == {
        name: facts.items for name, facts in configs.items()
    }
    assert all((one["apart"] is None) == (one["questions"] < 6) for one in table["configs"])
    # Of the mean of the tasks: items of two buckets are the same ones.
    assert table["apart"] is None and table["questions_for_5_points"] == 1_605
    # The same items at every length: the plans of two buckets are one.
    assert table["plans"]["single_needle_en_4k"] == table["plans"]["single_needle_en_8k"]
    printed = here("plan", recipe, "--items", 1).out.splitlines()
    assert sum(line.startswith(tuple(f"{name}: {{" for name in CONFIGS)) for line in printed) == len(CONFIGS)
    assert list(tmp_path.iterdir()) == []


OWN = """
[source.notes]
reader = "books"
lang = "en"
licence = "CC0-1.0"
url = "https://example.org/notes"
files = { "notes.txt" = { sha256 = "%s", bytes = 5 } }
"""


def test_plan_says_where_every_source_is(common, tmp_path):
    mine = TINY.replace("questions =", 'source = "notes"\nquestions =')
    own = write(tmp_path, mine + OWN % ("0" * 64))

    def told(path, *words):
        return [
            (one["source"], one["state"]) for one in json.loads(here("plan", path, "--json", *words).out)["sources"]
        ]

    assert told("quickstart") == [("world", "embedded")]
    assert told(own, "--sources", tmp_path) == [("notes", "missing")]
    done = here("plan", own)
    assert done.code == 1 and "https://example.org/notes" in done.out and "(5 B)" in done.out, done
    assert "not at hand: notes" in done.err
    (tmp_path / "notes.txt").write_text("four")
    assert "has 4 bytes, expected 5" in here("plan", own, "--sources", tmp_path).out
    (tmp_path / "notes.txt").write_text("fifth")
    assert told(own, "--sources", tmp_path) == [("notes", "folder")]
    assert here("plan", own, "--sources", tmp_path).code == 0
    pinned = OWN.replace("[source.notes]", '[source.notes]\nhub = { repo = "a/b", revision = "%s" }' % ("a" * 40))
    hub = write(tmp_path, mine + pinned % ("0" * 64), "hub.toml")
    done = here("plan", hub, "--json")
    # The build would fetch it: that is not to have it.
    assert done.code == 1 and told(hub) == [("notes", "hub")] and "(5 B)" in done.out and "a/b at aaaa" in done.out
    # Not pinned yet: what it takes is planned, and the line to paste is printed.
    unpinned = write(tmp_path, mine + OWN % "", "unpinned.toml")
    done = here("plan", unpinned, "--sources", tmp_path)
    assert done.code == 1 and "missing" in done.out and 'sha256 = "' in done.out
    assert is_refusal(here("plan", own, "--sources", tmp_path / "none"), "expected an existing folder")


def test_plan_names_the_encoders_that_are_not_at_hand(common, tmp_path):
    done = here("plan", "helmet-paper")
    assert done.code == 1 and "sentence-transformers/gtr-t5-xxl: hub" in done.out, done
    assert "gte-large-en-v1.5: missing" in done.out and "never run here" in done.out
    assert "gtr-t5-xxl" in done.err and "world" not in done.err


def test_plan_needs_no_vocabulary(common, tmp_path):
    env = {"CARRARA_CACHE": str(tmp_path), "PYTHONPATH": f"{tmp_path}{os.pathsep}{PACKAGE.parent}"}
    (tmp_path / "tiktoken.py").write_text("raise ImportError('none here')")
    assert run("plan", "quickstart", env=env).code == 0


def test_list(release):
    listed = json.loads(here("list", "--json").out)
    assert {"single_needle", "numeric_sorting"} <= set(listed["tasks"]) and "quickstart" in listed["recipes"]
    assert "world" in listed["sources"] and "o200k_base" in listed["tokenizers"]
    text = here("list").out
    assert all(name in text for group in ("tasks", "sources", "recipes") for name in listed[group])
    assert sorted(json.loads(here("list", release, "--json").out)) == CONFIGS
    assert sorted(line.split()[0] for line in here("list", release).out.splitlines()) == CONFIGS


def test_show(release):
    row = next(one for one in rows(open_release(release), "single_needle_en_4k") if one["id"] == ROW)
    done = here("show", release, ROW)
    assert done.code == 0 and ROW in done.out and row["answers"][0] in done.out, done
    table = json.loads(here("show", release, ROW, "--json").out)
    assert table["id"] == ROW and table["answers"] == row["answers"]
    assert json.loads(row["facts"]) == table["facts"]


# Score


def answer_all(release: Path) -> list[dict[str, str]]:
    opened = open_release(release)
    return [{"id": row["id"], "response": "\n".join(row["answers"])} for name in CONFIGS for row in rows(opened, name)]


def lines(folder: Path, records: list[dict[str, str]], name: str = "responses.jsonl") -> Path:
    return write(folder, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), name)


def test_gold_scores_one_everywhere(release, tmp_path):
    done = here("score", release, "--gold", "--out", tmp_path / "deep" / "score.json", "--details")
    assert done.code == 0 and "100.0" in done.out, done
    table = json.loads((tmp_path / "deep" / "score.json").read_text())
    for group in ("configs", "tasks"):
        assert {cell["mean"] for cell in table[group].values()} == {1}
    assert sorted(table["configs"]) == CONFIGS and table["missing"]["count"] == table["unknown"]["count"] == 0
    assert json.loads(here("score", release, "--gold", "--json").out) == table
    (config,) = json.loads(here("score", release, "--gold", "--json", "--config", CONFIGS[0]).out)["configs"]
    assert config == CONFIGS[0]


def test_gold_that_does_not_score_one(copy, release):
    assert is_refusal(here("score", release, "--gold", "--metric", "latent_list"), "by latent_list", code=1)

    def no_answer(found):
        found[0]["answers"] = [""]

    alter(file_of(copy, "single_needle_en_4k"), no_answer)
    done = here("score", copy, "--gold", "--unverified")
    assert is_refusal(done, "does not score 1", code=1)


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "parquet"])
def test_responses_in_every_form(release, tmp_path, form):
    records = answer_all(release)
    path = tmp_path / f"responses.{form}"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(records), path)
    else:
        data = lines(tmp_path, records, "plain").read_bytes()
        path.write_bytes(data if form == "jsonl" else gzip.compress(data))
    table = json.loads(here("score", release, path, "--json").out)
    assert table["overall"]["mean"] == 1 and table["missing"]["count"] == 0


def test_missing_unknown_and_double_responses_are_named(release, tmp_path):
    records = answer_all(release)
    wrong = [{**records[-1], "response": "nothing of the kind"}]
    path = lines(tmp_path, [*records[1:-1], *wrong, records[3], {"id": "who/knows/4k/00000", "response": "x"}])
    done = here("score", release, path)
    assert done.code == 0, done
    table = json.loads(here("score", release, path, "--json").out)
    assert table["missing"] == {"count": 1, "first": [records[0]["id"]]}
    assert table["unknown"] == {"count": 1, "first": ["who/knows/4k/00000"]}
    assert table["duplicates"] == {"count": 1, "first": [records[3]["id"]]}
    for group in ("missing", "unknown", "duplicates"):
        assert table[group]["first"][0] in done.out, done.out
    assert table["configs"]["numeric_sorting_ascending_4k"]["mean"] == 0.5
    assert table["configs"]["single_needle_zh_4k"]["mean"] < 1


def test_what_was_not_run_is_not_run_and_in_no_average(release, tmp_path):
    path = lines(tmp_path, [one for one in answer_all(release) if "/single_needle_en/4k/" in one["id"]], "needle")
    done = here("score", release, path)
    assert done.code == 0 and done.out.startswith("small@1.0.0, needle: 4 of 11 rows\n"), done
    assert "warning: not run: 8k; numeric_sorting at 4k\n" in done.out
    cells = {line.split()[0]: line.split() for line in done.out.splitlines() if line[:1].islower()}
    # Of two configs of this cell, one was run, of which four rows are two questions.
    few = ["n", "=", "2,", "too", "few"]
    assert cells["single_needle"] == ["single_needle", "100.0*", *few, "not", "run"]
    assert cells["numeric_sorting"][1:] == ["not", "run", "–"]
    assert cells["mean"] == ["mean", "of", "the", "tasks", "100.0*", *few, "not", "run"]
    assert cells["tasks"] == ["tasks", "run", "1", "of", "2", "0", "of", "1"]
    assert "* Over a part of the rows: single_needle 4k 4 of 5." in done.out
    told = here("score", release, path, "--format", "csv")
    assert told.err == "warning: not run: 8k; numeric_sorting at 4k\n"
    assert told.out.splitlines() == [
        "task,bucket,rows,score,low,high,of,judge,cut,cut_wrong,cut_left_out",
        "single_needle,4k,4,100.0,,,5,,0,,",
        "single_needle,8k,0,,,,4,,0,,",
        "numeric_sorting,4k,0,,,,2,,0,,",
    ]
    assert here("score", release, path, "--format", "json").out == here("score", release, path, "--json").out
    assert is_refusal(
        here("score", release, path, "--bucket", "8k"), "got responses to 1 configs", "none to those chosen"
    )


def test_a_table_can_be_pasted(release, tmp_path):
    records = answer_all(release)
    records[-1] = {**records[-1], "response": "nothing of the kind"}
    path = lines(tmp_path, records, "all_of_it")
    latex = here("score", release, path, "--format", "latex", "--task", "single_needle").out.splitlines()
    assert latex[:2] == ["% small@1.0.0, all\\_of\\_it: 9 of 11 rows", "\\begin{tabular}{lrr}"]
    line = next(line for line in latex if line.startswith("single"))
    assert re.fullmatch(r"single\\_needle( & [0-9.]+ \{\\footnotesize \(n = [23], too few\)\}){2} \\\\", line), line
    assert line.count("footnotesize") == 2 and "100.0" in line
    assert [line for line in latex if line.startswith("\\") and "rule" in line] == [
        "\\toprule",
        *["\\midrule"] * 2,
        "\\bottomrule",
    ]
    markdown = here("score", release, path, "--format", "md", "--bucket", "4k").out.splitlines()
    assert markdown[:2] == ["| task | 4k |", "| --- | ---: |"]
    assert re.fullmatch(r"\| single\\_needle \| [0-9.]+ \(n = 3, too few\) \|", markdown[2]), markdown


def test_ids_of_no_row_are_refused_with_what_ids_look_like(release, tmp_path):
    path = lines(tmp_path, [{"id": f"sample-{n}", "response": "x"} for n in range(3)])
    done = here("score", release, path)
    assert is_refusal(done, "got 3 responses ('sample-0', 'sample-1', …), none to a row of small@1.0.0", "such as '")


def test_only_the_rows_that_a_run_asked_are_scored(release, tmp_path):
    folder = tmp_path / "runs" / "mine"
    folder.mkdir(parents=True)
    asked = {"single_needle_en_4k": 3, "numeric_sorting_ascending_4k": 1}
    kept = [
        one
        for one in answer_all(release)
        if one["id"].endswith("/00000") and "/4k/" in one["id"] and "_zh" not in one["id"]
    ]
    lines(folder, kept, "responses.jsonl")
    write(folder, json.dumps({"release": "small@1.0.0", "model": "ours", "asked": asked}), "run.json")
    for given in (folder, folder / "responses.jsonl"):
        table = json.loads(here("score", release, given, "--json").out)
        assert table["model"] == "ours" and table["missing"]["count"] == 2
        assert {name: cell["rows"] for name, cell in table["configs"].items()} == asked
    # The file alone does not say what was asked: the others count 0, or --first says so.
    alone = lines(tmp_path, kept, "alone.jsonl")
    assert json.loads(here("score", release, alone, "--json").out)["missing"]["count"] == 4
    assert json.loads(here("score", release, alone, "--json", "--first", 1).out)["missing"]["count"] == 0
    write(folder, json.dumps({"release": "other@1.0.0", "model": "ours", "asked": asked}), "run.json")
    assert is_refusal(here("score", release, folder), "got a run of 'other@1.0.0', expected one of small@1.0.0")


def test_another_metric(release, tmp_path):
    path = lines(tmp_path, answer_all(release))
    table = json.loads(
        here("score", release, path, "--json", "--metric", "verbatim/indel", "--config", "single_needle_en_4k").out
    )
    assert table["overall"]["mean"] == 1 and table["overall"]["metrics"] == ["verbatim/indel"]


def test_results_are_compared_and_drawn(release, tmp_path):
    records = answer_all(release)
    wrong = [{**one, "response": "nothing of the kind"} for one in records]
    for name, answers in (("right", records), ("wrong", wrong)):
        path = lines(tmp_path, answers, f"{name} model")
        done = here("score", release, path, "--details", "--out", tmp_path / f"{name}.json")
        assert done.code == 0 and "as needlebench reports" in done.out and "apart" in done.out, done
    table = json.loads((tmp_path / "right.json").read_text())
    assert (table["model"], table["release"]) == ("right model", "small@1.0.0")
    assert {"needlebench", "verbatimeval"} <= set(table["papers"])
    done = here("compare", tmp_path / "right.json", tmp_path / "wrong.json", "--json")
    differences = {one["name"]: one for one in json.loads(done.out)["differences"]}
    assert differences["single_needle_en_4k"]["difference"] < -0.5
    done = here("plot", tmp_path / "right.json", tmp_path / "wrong.json", "--out", tmp_path, "--kind", "categories")
    assert done.code == 0 and (tmp_path / "categories.png").stat().st_size > 5_000, done


def test_samples_of_a_row_are_scored_together(release, tmp_path):
    right = answer_all(release)
    wrong = [{**one, "response": "nothing of the kind"} for one in right]
    numbered = [{**one, "sample": number} for number, part in enumerate((right, wrong)) for one in part]
    for path, option in (
        (lines(tmp_path, numbered, "a"), ()),
        (lines(tmp_path, [*right, *wrong], "b"), ("--samples",)),
    ):
        table = json.loads(here("score", release, path, "--json", *option).out)
        assert table["samples"]["samples"] == 2 and table["samples"]["pass_at"]["2"]["mean"] == 1
        assert 0.4 < table["overall"]["mean"] < 0.8
        assert "2 samples a row: pass@1" in here("score", release, path, *option).out
    told = here("score", release, tmp_path / "b")
    assert is_refusal(told, "two different responses", "--samples")
    assert is_refusal(
        here("score", release, tmp_path / "a", "--rebase", release), "several samples a row, expected one"
    )


def test_the_model_is_named_as_asked_or_as_its_file(release, tmp_path):
    path = lines(tmp_path, answer_all(release), "some.model.jsonl")
    words = ("score", release, path, "--json", "--config", CONFIGS[0])
    assert json.loads(here(*words).out)["model"] == "some.model"
    assert json.loads(here(*words, "--model", "模型 7B").out)["model"] == "模型 7B"
    for name in ("", "a\nb", "x" * 81, "\u202e"):
        assert is_refusal(here(*words, "--model", name), "--model")


def test_what_score_refuses(release, tmp_path):
    good = lines(tmp_path, answer_all(release), "good.jsonl")
    for name, text, said in (
        ("broken", '{"id": "a", "response": "b"}\n{"id": \n', ["broken, line 2", "expected one JSON object"]),
        ("list", "[1]\n", ["list, line 1"]),
        ("number", '{"id": "a", "response": 1}\n', ["number, line 1", "response"]),
        ("nameless", '{"response": "a"}\n', ["no `id`"]),
        ("conflict", '{"id": "a", "response": "b"}\n{"id": "a", "response": "c"}\n', ["two different responses"]),
        ("empty", "", ["no responses"]),
        ("torn.gz", "no gzip", ["torn.gz"]),
        ("torn.parquet", "no Parquet", ["torn.parquet"]),
    ):
        done = here("score", release, write(tmp_path, text, name), "--out", tmp_path / "score.json")
        assert is_refusal(done, *said), name
    for words, said in (
        (("none.jsonl",), "none.jsonl"),
        ((tmp_path,), "got no samples"),
        ((), "--gold"),
        ((good, "--gold"), "--gold"),
        ((good, "--metric", "charm"), "got the unknown metric 'charm'"),
        ((good, "--metric", "semantic/cosine@no/such/model"), "no/such/model"),
        ((good, "--config", "needle_64k"), "got config 'needle_64k'"),
        ((good, "--out", good / "score.json"), "good.jsonl"),
    ):
        assert is_refusal(here("score", release, *words), said), words
    assert not (tmp_path / "score.json").exists()


# Load

LOAD = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
folder, configs = sys.argv[1], json.loads(sys.argv[2])
names = get_dataset_config_names(folder)
assert sorted(names[4:]) == configs and names[:4] == ["4k", "8k", "single_needle", "numeric_sorting"]
assert load_dataset(folder, split="test")["bucket"] == ["4k"] * 7
found = {}
for config in names:
    whole = load_dataset(folder, config, split="test")
    streamed = list(load_dataset(folder, config, split="test", streaming=True))
    assert streamed == list(whole)
    assert list(load_dataset(folder, config)) == ["test"]
    found[config] = {"ids": whole["id"][:], "schema": str(whole.features.arrow_schema.remove_metadata())}
print(json.dumps(found))
"""


@pytest.mark.integration
def test_every_name_loads_with_datasets_offline(release, tmp_path):
    pytest.importorskip("datasets")
    before = tree(release)
    home = {name: str(tmp_path / name) for name in ("HF_HOME", "HF_DATASETS_CACHE", "HOME")}
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(release), json.dumps(CONFIGS)],
        env={**os.environ, **home, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    opened = open_release(release)
    expected = str(SCHEMA).replace(" not null", "")
    for name in CONFIGS:
        assert found[name]["ids"] == [row["id"] for row in rows(opened, name)]
    for name, members in config_groups(opened.content).items():
        assert sorted(found[name]["ids"]) == sorted(id for member in members for id in found[member]["ids"])
    assert {one["schema"].replace(" not null", "") for one in found.values()} == {expected}
    assert tree(release) == before


@pytest.mark.integration
def test_the_lines_of_a_card_work_where_they_are_pasted(release, tmp_path):
    pytest.importorskip("datasets")
    place = tmp_path / "out" / "small" / "1.0.0"
    shutil.copytree(release, place)
    card = (place / "README.md").read_text()
    code = card.partition("```python\n")[2].partition("```")[0]
    home = {name: str(tmp_path / name) for name in ("HF_HOME", "HF_DATASETS_CACHE")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **home, "HF_HUB_OFFLINE": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    first = next(rows(open_release(release), min(CONFIGS)))
    assert done.stdout == f"{first['prompt'][-500:]} {first['answers']}\n"
    lines = card.partition("```sh\n")[2].partition("```")[0].replace("\\\n", "").splitlines()
    for command, options in ((line.split()[1], re.findall("--[a-z-]+", line)) for line in lines):
        assert not set(options) - set(re.findall("--[a-z-]+", here(command, "--help").out)), command
    assert [line.split()[1] for line in lines] == ["run", "score"] and tree(place) == tree(release)


def test_the_recipe_is_a_script_and_its_release_says_which(recipe, release):
    assert json.loads((release / "recipe.json").read_text())["name"] == "small"
    assert recipe.read_text() == RECIPE
    done = here("build", release / "recipe.json", "--out", release.parents[1], "--workers", 1)
    assert done.code == 0 and "already built" in done.err and Path(done.out.strip()) == release
