"""Verifying and reading releases that were altered, cut short, re-encoded or made up by someone hostile."""

import hashlib
import json
import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from processes import python
from toys import FIRST, read, tasks, toy_recipe, toy_row, write_parquet, write_release

from carrara.errors import CarraraError, ReleaseError
from carrara.release.manifest import canonical, files_table
from carrara.release.reader import config_of, digest_line_of, digest_lines, open_release, row, row_at, rows
from carrara.release.schema import Manifest, is_inside, shown
from carrara.release.verify import Remaker, verify, verify_row
from carrara.row import SCHEMA, DigestLine, content_root, row_digest

__all__ = ["tasks"]

SECOND = "data/alpha_en_1k/test-00001-of-00002.parquet"


@pytest.fixture
def recipe(tasks):
    return toy_recipe()


@pytest.fixture
def release(recipe, tmp_path) -> Path:
    return write_release(tmp_path / "release", recipe)


def made(recipe, row_id: str) -> dict:
    config = next(one for one in recipe.configs() if row_id.split("/")[1] + "_1k" == one.name)
    return toy_row(config, int(row_id[-5:]))


def remaker(recipe) -> Remaker:
    return Remaker(remake=lambda row_id: made(recipe, row_id))


def found(report) -> list[tuple[str, str, str, str]]:
    return [(one.level, one.config, one.row, one.column) for one in report.problems]


def said(report) -> str:
    return "\n".join(problem.message for problem in report.problems)


def listed(folder: Path) -> dict:
    """The table of files as JSON."""
    return {path: entry.to_json() for path, entry in files_table(folder).items()}


def rewrite_manifest(folder: Path, change) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest)
    (folder / "manifest.json").write_bytes(canonical(manifest))


@pytest.mark.parametrize("level", ["files", "rows"])
def test_a_sound_release_passes(release, level):
    told = []
    report = verify(release, level, on_progress=lambda *what: told.append(what))
    assert report.is_good and not report.problems and not report.reencoded
    assert report.checked == {"files": 8, "configs": 2 * (level == "rows"), "rows": 10 * (level == "rows")}
    assert ("files", 8, 8) in told


def test_an_altered_answer_is_named_by_config_row_and_column(release, recipe):
    table = read(release / FIRST)
    table[1]["answers"] = ["answer 7 of alpha_en_1k"]
    write_parquet(release / FIRST, table)
    for level in ("files", "rows"):
        report = verify(release, level, remaker(recipe))
        assert ("rows", "alpha_en_1k", "toys/alpha_en/1k/00001", "answers") in found(report)
        assert {problem.config for problem in report.problems} == {"alpha_en_1k"}
        assert "got ['answer 7 of alpha_en_1k'], expected ['answer 1 of alpha_en_1k']" in said(report)
    report = verify(release, "rows")
    assert "column unknown" in said(report)
    report = verify_row(release, "toys/alpha_en/1k/00001", remaker(recipe))
    assert found(report) == [("rows", "alpha_en_1k", "toys/alpha_en/1k/00001", "answers")]
    assert verify_row(release, "toys/alpha_en/1k/00002").is_good


def test_a_changed_character_deep_in_a_prompt_is_shown_where_it_is(release, recipe):
    table = read(release / FIRST)
    prompt = table[0]["prompt"]
    table[0]["prompt"] = prompt[:500] + "\x1b" + prompt[501:]
    write_parquet(release / FIRST, table)
    message = next(one.message for one in verify(release, "rows", remaker(recipe)).problems if one.column == "prompt")
    assert "first difference at 500" in message and "\\x1b" in message and "\x1b" not in message
    assert len(message) < 300


def test_at_most_five_rows_are_made_again(tasks, tmp_path):
    recipe = toy_recipe(questions=20)
    folder = write_release(tmp_path / "release", recipe)
    for file in sorted((folder / "data/alpha_en_1k").glob("*")):
        write_parquet(file, [{**one, "facts": "{'x'}"} for one in read(file)])
    asked = []

    def remake(row_id: str) -> dict:
        asked.append(row_id)
        return made(recipe, row_id)

    report = verify(folder, "rows", Remaker(remake=remake))
    assert len(asked) == 5
    assert "its columns were not compared (10 more)" in said(report)


def test_other_code_is_not_taken_for_an_altered_column(release, recipe):
    write_parquet(release / FIRST, [{**one, "facts": "[]"} for one in read(release / FIRST)])
    report = verify(release, "rows", Remaker(remake=lambda row_id: {**made(recipe, row_id), "group": "other"}))
    assert "the recipe here makes another row" in said(report)

    def fails(row_id: str) -> dict:
        raise CarraraError("no such source")

    assert "the recipe cannot remake the row: no such source" in said(verify(release, "rows", Remaker(remake=fails)))


def test_a_dropped_row(release):
    write_parquet(release / FIRST, [one for one in read(release / FIRST) if not one["id"].endswith("1")])
    report = verify(release, "rows")
    assert ("rows", "alpha_en_1k", "toys/alpha_en/1k/00001", "") in found(report)
    assert "4 rows, expected 5" in said(report) and "the row is missing" in said(report)


def test_swapped_rows(release):
    table = read(release / FIRST)
    write_parquet(release / FIRST, [table[1], table[0], table[2]])
    report = verify(release, "rows")
    assert "row 0 is 'toys/alpha_en/1k/00001': rows are out of order" in said(report)
    assert "at its position: rows are out of order" in said(verify_row(release, "toys/alpha_en/1k/00000"))
    with pytest.raises(ReleaseError, match="is at the position of"):
        row(open_release(release), "toys/alpha_en/1k/00000")


def test_added_and_doubled_rows(release):
    table = read(release / SECOND)
    write_parquet(release / SECOND, [*table, table[0]])
    assert "two rows have the same id" in said(verify(release, "rows"))
    write_parquet(release / SECOND, table * 50)
    assert "more than 10 rows, expected 5" in said(verify(release, "rows"))


def test_a_reencoded_copy_fails_files_and_passes_rows(release):
    write_parquet(release / FIRST, read(release / FIRST), compression="snappy", row_group_size=3)
    report = verify(release, "files")
    assert len(report.problems) == 1 and "re-encoded: rows are identical" in said(report)
    report = verify(release, "rows")
    assert report.is_good and report.reencoded == [FIRST]


def test_an_extra_column(release):
    table = pq.read_table(release / FIRST)
    pq.write_table(table.append_column("hint", pa.array(["x"] * 3)), release / FIRST)
    assert "columns [" in said(verify(release, "rows"))


@pytest.mark.parametrize("where", ["schema", "field", "type", "order", "nullable"])
def test_schema_drift(release, where):
    table = pq.read_table(release / FIRST)
    fields = list(SCHEMA)
    if where == "schema":
        table = table.replace_schema_metadata({"note": "hello"})
    elif where == "field":
        table = table.cast(pa.schema([fields[0].with_metadata({"a": "b"}), *fields[1:]]))
    elif where == "type":
        table = table.cast(pa.schema([*fields[:5], pa.field("tokens", pa.int64(), nullable=False), *fields[6:]]))
    elif where == "order":
        table = table.select([*SCHEMA.names[1:], "id"])
    else:
        table = table.cast(pa.schema([fields[0].with_nullable(True), *fields[1:]]))
    pq.write_table(table, release / FIRST, use_dictionary=False)
    report = verify(release, "rows")
    assert not report.is_good and FIRST in said(report)


def test_text_that_is_no_text_and_numbers_that_are_none(release):
    table = read(release / FIRST)
    table[0]["depths"] = [math.nan]
    write_parquet(release / FIRST, table)
    assert not verify(release, "rows").is_good
    columns = [
        pa.array([b"\xff\xfe"] * 3).cast(pa.large_binary()).view(pa.large_string()) if name == "prompt" else column
        for name, column in zip(SCHEMA.names, pq.read_table(release / FIRST).columns, strict=True)
    ]
    pq.write_table(pa.table(columns, schema=SCHEMA), release / FIRST, use_dictionary=False)
    assert "is not valid Parquet" in said(verify(release, "rows"))


def test_a_truncated_file(release):
    data = (release / FIRST).read_bytes()
    for size in (0, 4, len(data) // 2, len(data) - 3):
        (release / FIRST).write_bytes(data[:size])
        for level in ("files", "rows"):
            report = verify(release, level)
            assert f"{FIRST} has {size} bytes" in said(report) and "is not valid Parquet" in said(report)
    report = verify_row(release, "toys/alpha_en/1k/00000")
    assert not report.is_good


@pytest.mark.repeat
def test_every_flipped_byte_is_noticed(release):
    data = bytearray((release / FIRST).read_bytes())
    for place in range(0, len(data), 97):
        data[place] ^= 1
        (release / FIRST).write_bytes(data)
        report = verify(release, "rows")
        assert report.problems or report.reencoded == [FIRST]
        assert verify(release, "files").problems
        data[place] ^= 1


def test_extra_missing_and_linked_files(release):
    (release / "run.py").write_text("print()")
    assert "'run.py' is not in the manifest: an extra file" in said(verify(release))
    (release / "run.py").unlink()
    (release / FIRST).rename(release.parent / "moved.parquet")
    report = verify(release)
    assert f"{FIRST} is missing" in said(report) and len(report.problems) == 1
    (release / FIRST).symlink_to(release.parent / "moved.parquet")
    assert "is a link" in said(verify(release, "rows"))
    with pytest.raises(ReleaseError, match="symbolic link"):
        list(rows(open_release(release), "alpha_en_1k"))


def test_a_linked_folder_is_not_followed(release):
    (release / "data").rename(release.parent / "data")
    (release / "data").symlink_to(release.parent / "data")
    report = verify(release, "rows")
    assert "is a link" in said(report) and "no row was checked" in said(report)


def test_altered_card_and_digest_list(release):
    (release / "README.md").write_text("# Toyz\n")
    assert "README.md has sha256" in said(verify(release, "rows"))
    list_file = release / "digests/alpha_en_1k.txt"
    lines = list_file.read_text().splitlines(keepends=True)
    list_file.write_text("".join(["0" * 64 + lines[0][64:], *lines[1:]]))
    report = verify(release, "rows")
    assert "does not have the manifest's content root; the rows are intact" in said(report)
    assert len(report.problems) == 3  # The card, the list and its root: no row is blamed.
    assert not verify_row(release, "toys/alpha_en/1k/00000").is_good
    assert verify_row(release, "toys/alpha_en/1k/00001").is_good
    for text in ("", "x\n", lines[0] * 5, lines[0][:-1], "a" * 10_000_000):
        list_file.write_text(text)
        assert not verify(release, "rows").is_good
        assert not verify_row(release, "toys/alpha_en/1k/00003").is_good


def test_a_row_and_its_digest_altered_together_do_not_have_the_root(release, recipe):
    table = read(release / FIRST)
    table[0]["answers"] = ["mine"]
    write_parquet(release / FIRST, table)
    lines = [DigestLine(row_digest(one), one["id"]) for one in rows(open_release(release), "alpha_en_1k")]
    (release / "digests/alpha_en_1k.txt").write_text("".join(f"{line}\n" for line in lines))
    rewrite_manifest(release, lambda manifest: manifest.update(files=listed(release)))
    report = verify(release, "files")
    assert found(report) == [("files", "alpha_en_1k", "", "")] and "digests/alpha_en_1k.txt has" in said(report)
    report = verify(release, "rows", remaker(recipe))
    assert "the rows differ from it, too" in said(report)

    def forge(manifest):
        manifest["content"]["configs"]["alpha_en_1k"]["root"] = content_root(lines)

    rewrite_manifest(release, forge)
    assert verify(release, "rows").is_good
    built = open_release(release).manifest
    report = verify(release, "rebuild", Remaker(replan=lambda: plans(release), rebuild=lambda: built))
    assert report.is_good
    # A fresh build that has other rows, another title and another card.
    other = json.loads((release / "manifest.json").read_text())
    other["content"]["configs"]["alpha_en_1k"]["root"] = "0" * 64
    other["content"]["title"] = "Another"
    other["files"] = {path: entry for path, entry in other["files"].items() if path != "recipe.json"}
    report = verify(
        release, "rebuild", Remaker(replan=lambda: plans(release), rebuild=lambda: Manifest.model_validate(other))
    )
    assert found(report) == [("rebuild", "alpha_en_1k", "", ""), ("rebuild", "", "", ""), ("rebuild", "", "", "")]
    assert all(part in said(report) for part in ("root is", "title is", "recipe.json is not made"))


def test_what_the_manifest_says_of_rows_is_what_they_bear_out(release):
    stated = open_release(release).content
    assert verify(release, "rows", Remaker(recount=lambda: stated)).checked["facts"] > 50
    counted = stated.model_copy(
        update={
            "configs": {
                name: facts.model_copy(update={"licence": "other", "groups": facts.groups + 1, "asks": "newly worded"})
                for name, facts in stated.configs.items()
            }
        }
    )
    report = verify(release, "rows", Remaker(recount=lambda: counted))
    assert [one.config for one in report.problems] == ["alpha_en_1k"] * 2 + ["beta_en_1k"] * 2
    assert "licence is" in said(report) and "groups is" in said(report) and "asks" not in said(report)


def test_the_ids_are_those_of_the_recipe(release):
    known = {name: [line.id for line in digest_lines(open_release(release), name)] for name in plans(release)}
    good = Remaker(replan=lambda: plans(release), row_ids=known.__getitem__)
    assert verify(release, "plans", good).is_good
    for wrong, says in ((known["alpha_en_1k"][:-1], "the recipe makes"), (known["alpha_en_1k"][::-1], "row 0 is")):
        ids = {**known, "alpha_en_1k": wrong}
        report = verify(release, "plans", Remaker(replan=lambda: plans(release), row_ids=ids.__getitem__))
        assert [one.config for one in report.problems] == ["alpha_en_1k"] and says in said(report)


def plans(folder: Path) -> dict[str, str]:
    return {name: facts.plans for name, facts in open_release(folder).configs.items()}


def test_plans(release):
    assert verify(release, "plans", Remaker(replan=lambda: plans(release))).checked["plans"] == 2
    assert "nothing to compare with" in said(verify(release, "plans"))
    assert not verify(release, "plans", Remaker(replan=dict)).is_good
    report = verify(release, "plans", Remaker(replan=lambda: {**plans(release), "gamma": "0"}))
    assert found(report) == [("plans", "gamma", "", "")]


def test_nothing_to_check_is_a_problem(release):
    rewrite_manifest(release, lambda manifest: manifest["content"].update(configs={}))
    assert "no configs: nothing to check" in said(verify(release))
    assert "no row was checked" in said(verify(release, "rows"))
    rewrite_manifest(release, lambda manifest: manifest.update(files={}))
    assert "lists no files: nothing to check" in said(verify(release))


def test_a_config_without_rows(release):
    for path in (FIRST, SECOND):
        write_parquet(release / path, [])
    (release / "digests/alpha_en_1k.txt").write_text("")

    def empty(manifest):
        manifest["files"] = listed(release)
        manifest["content"]["configs"]["alpha_en_1k"].update(rows=0, root=hashlib.sha256().hexdigest())

    rewrite_manifest(release, empty)
    assert "no rows: nothing to check" in said(verify(release, "rows"))


def test_a_manifest_that_contradicts_itself(release):
    changes = {
        "canary": lambda m: m["content"].update(canary="carrara-canary 0"),
        "recipe_fingerprint": lambda m: m["content"]["recipe"].update(stream="other"),
        "stream": lambda m: m["content"].update(stream="other"),
        "belongs to two configs": lambda m: m["content"]["configs"]["beta_en_1k"].update(files=[FIRST]),
        "belongs to no config": lambda m: m["content"]["configs"]["alpha_en_1k"].update(files=[FIRST]),
        "is not in the manifest's files": lambda m: m["files"].pop(FIRST),
    }
    original = (release / "manifest.json").read_bytes()
    for expected, change in changes.items():
        rewrite_manifest(release, change)
        assert expected in said(verify(release)), expected
        (release / "manifest.json").write_bytes(original)
    (release / "manifest.json").write_bytes(original + b"\n")
    assert "canonical form" in said(verify(release))


HOSTILE = [
    lambda m: [],
    lambda m: "text",
    lambda m: None,
    lambda m: {**m, "format": "carrara/2"},
    lambda m: {**m, "more": 1},
    lambda m: {**m, "files": []},
    lambda m: {**m, "files": {"../x": {"sha256": "0" * 64, "bytes": 1}}},
    lambda m: {**m, "files": {"/etc/passwd": {"sha256": "0" * 64, "bytes": 1}}},
    lambda m: {**m, "files": {"manifest.json": {"sha256": "0" * 64, "bytes": 1}}},
    lambda m: {**m, "files": {"x": {"sha256": "0" * 40, "bytes": 1}}},
    lambda m: {**m, "files": {"x": {"sha256": "0" * 64, "bytes": True}}},
    lambda m: {**m, "content": []},
    lambda m: {**m, "content": {**m["content"], "configs": []}},
    lambda m: {**m, "content": {**m["content"], "configs": {"../../x": {}}}},
    lambda m: {**m, "content": {**m["content"], "configs": {"x": []}}},
    lambda m: {**m, "content": {**m["content"], "name": "../x"}},
    lambda m: {**m, "content": {**m["content"], "version": "1.0"}},
    lambda m: {**m, "content": {**m["content"], "sources": {"x": []}}},
    lambda m: {**m, "content": {**m["content"], "title": "x" * 30_000}},
    lambda m: {**m, "content": {**m["content"], "stream": "\ud800"}},
]
FACTS = [
    {"rows": -1},
    {"rows": 10**9},
    {"rows": 1.5},
    {"rows": True},
    {"root": "x"},
    {"files": []},
    {"files": ["../x"]},
    {"files": "data"},
    {"tokens": {"sum": 1}},
    {"fill": {"min": "x", "mean": 1}},
    {"depths": [1]},
    {"histogram": [-1] * 20},
    {"notes": [1]},
    {"notes": {"examples": {"min": 1}}},
    {"notes": {"examples": {"min": "x", "mean": 1, "max": 1}}},
    {"tokens": {"sum": 10**400, "min": 1, "max": 1, "mean": 1, "sd": 1}},
]


@pytest.mark.parametrize("change", range(len(HOSTILE)))
def test_hostile_manifests_are_refused(release, change):
    manifest = HOSTILE[change](json.loads((release / "manifest.json").read_text()))
    (release / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ReleaseError):
        verify(release)


@pytest.mark.parametrize("change", FACTS, ids=str)
def test_hostile_facts_are_refused(release, change):
    rewrite_manifest(release, lambda m: m["content"]["configs"]["beta_en_1k"].update(change))
    with pytest.raises(ReleaseError, match=next(iter(change))):
        open_release(release)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, '{"a": NaN}', '{"a": 1e999}', '{"a": 1, "a": 2}', "\ufeff{}", "9" * 5_000, '"\\ud800"'],
    ids=lambda text: text[:8],
)
def test_a_manifest_that_is_no_json(release, text):
    (release / "manifest.json").write_text(text)
    with pytest.raises(ReleaseError):
        open_release(release)
    (release / "manifest.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(ReleaseError):
        open_release(release)


def test_a_key_may_not_stand_twice(release):
    file = release / "manifest.json"
    file.write_text(file.read_text().replace('"format":', '"format": "carrara/0", "format":'))
    with pytest.raises(ReleaseError, match="twice"):
        open_release(release)


def test_a_folder_that_is_no_release(release, tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere", release / "README.md"):
        with pytest.raises(ReleaseError, match="is not a release") as caught:
            open_release(folder)
        assert caught.value.hint
    (release / "manifest.json").rename(tmp_path / "m.json")
    (release / "manifest.json").symlink_to(tmp_path / "m.json")
    with pytest.raises(ReleaseError, match="is not a release"):
        open_release(release)


def test_paths():
    assert is_inside("data/x/test-00000-of-00001.parquet")
    for path in ("", "/x", "a//b", "a/../b", "..", "./a", "a/", "a\\b", "C:/x", "a\nb", "é", "a" * 500):
        assert not is_inside(path)


def test_shown_is_short_and_escaped():
    for value in ("\x1b[31m" * 99, {"a": ["x" * 999] * 99}, "\u202e", [[[[[[[1]]]]]]], 10**300):
        assert len(shown(value)) <= 80 and shown(value).isprintable()


def test_reading_rows(release, recipe):
    opened = open_release(release)
    config = recipe.configs()[0]
    assert list(rows(opened, "alpha_en_1k")) == [toy_row(config, index) for index in range(5)]
    assert list(rows(opened, "alpha_en_1k", ["id"]))[4] == {"id": "toys/alpha_en/1k/00004"}
    for index in range(5):
        row_id = f"toys/alpha_en/1k/{index:05d}"
        assert row(opened, row_id) == toy_row(config, index)
        assert digest_line_of(opened, row_id) == DigestLine(row_digest(toy_row(config, index)), row_id)
    assert config_of(opened, "toys/beta_en/1k/00004") == "beta_en_1k"
    with pytest.raises(ReleaseError, match="no config"):
        list(rows(opened, "alpha_en_2k"))
    with pytest.raises(ReleaseError, match="unknown columns"):
        list(rows(opened, "alpha_en_1k", ["gold"]))
    with pytest.raises(ReleaseError, match="no row 5"):
        row_at(opened, "alpha_en_1k", 5)


def test_a_row_reads_only_its_row_group(release, monkeypatch):
    groups = []
    original = pq.ParquetFile.iter_batches

    def spy(self, **options):
        groups.append(options["row_groups"])
        return original(self, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", spy)
    row(open_release(release), "toys/alpha_en/1k/00002")
    assert groups == [[1]]


@pytest.mark.parametrize(
    "row_id",
    ["", "x", "toys/alpha_en/1k/00005", "toys/alpha_en/1k/000001", "toys/alpha_en/1k/1", "other/alpha_en/1k/00001",
     "toys/alpha_en/2k/00001", "toys/alpha/en_1k/00001", "toys/../1k/00001", "toys/alpha_en/1k/0000١", "a/b/c/d/00001",
     "toys/alpha_en/1k/00001\n"],
)  # fmt: skip
def test_ids_that_are_no_rows(release, row_id):
    with pytest.raises(ReleaseError):
        row(open_release(release), row_id)
    with pytest.raises(ReleaseError):
        verify_row(release, row_id)


def test_digest_lines_are_found_beyond_five_digits(release):
    prefix = "toys/alpha_en/1k/"
    with (release / "digests/alpha_en_1k.txt").open("w") as file:
        file.writelines(f"{index:064x}  {prefix}{index:05d}\n" for index in range(100_020))
    rewrite_manifest(release, lambda m: m["content"]["configs"]["alpha_en_1k"].update(rows=100_020))
    opened = open_release(release)
    for index in (0, 1, 9, 99_998, 99_999, 100_000, 100_001, 100_019):
        assert int(digest_line_of(opened, f"{prefix}{index:05d}").digest, 16) == index


def test_an_unknown_level(release):
    with pytest.raises(ReleaseError, match="level 'all'"):
        verify(release, "all")


@pytest.mark.repeat
def test_a_big_file_is_hashed_in_blocks(release, tmp_path):
    """1 GB, mostly a hole on the disk, that may cost 100 MB of memory."""
    with (release / "figures.bin").open("wb") as file:
        file.truncate(1 << 30)
    rewrite_manifest(release, lambda m: m["files"].update({"figures.bin": {"sha256": "0" * 64, "bytes": 1 << 30}}))
    code = (
        "import resource, sys; from pathlib import Path; from carrara.release.verify import verify\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "problems = verify(Path(sys.argv[1])).problems\n"
        "assert len(problems) == 1 and 'figures.bin has sha256' in problems[0].message, problems\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    assert int(python(code, release)) < 100_000, "kilobytes"


def test_verification_writes_nothing(release):
    before = {path: path.stat().st_mtime_ns for path in release.rglob("*")}
    verify(release, "rows")
    assert before == {path: path.stat().st_mtime_ns for path in release.rglob("*")}
