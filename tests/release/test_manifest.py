"""The manifest: facts from sidecars, audit of the whole, version rule. Holds the toy release of three modules."""

import hashlib
import json
import math
import subprocess
from dataclasses import replace

import pytest
from folders import ROOT
from hypothesis import given
from hypothesis import strategies as st
from processes import python
from toys import tasks, toy_content, toy_recipe, toy_row, toy_sidecars, toy_task, typed, write_release
from unchecked import unchecked

from carrara.errors import ReleaseError
from carrara.making.manifest import content
from carrara.making.proofs import release_audit
from carrara.recipe.recipe import Recipe
from carrara.release.manifest import (
    bump,
    canary,
    canonical,
    difference,
    files_table,
    lines_difference,
    manifest_bytes,
    release_root,
)
from carrara.release.reader import open_release
from carrara.release.schema import Manifest, NoteSummary, SourceFacts
from carrara.row import DigestLine, content_root, row_digest

__all__ = ["tasks"]


def lines_of(recipe: Recipe) -> dict[str, list[str]]:
    return {
        config.name: [
            DigestLine(row_digest(row), row["id"]) for row in (toy_row(config, index) for index in range(config.rows))
        ]
        for config in recipe.configs()
    }


def test_facts_of_a_config(tasks):
    recipe = toy_recipe()
    facts = toy_content(recipe).configs["alpha_en_1k"].to_json()
    assert (facts["rows"], facts["items"], facts["groups"], facts["answers"]) == (5, 5, 5, 5)
    assert facts["tokens"] == {"sum": 160, "min": 10, "max": 60, "mean": 32.0, "sd": round(math.sqrt(296), 4)}
    assert facts["output_tokens"] == {"sum": 160, "min": 32, "max": 32, "mean": 32.0, "sd": 0.0}
    assert facts["fill"] == {"min": round(42 / 1024, 4), "mean": round(64 / 1024, 4)}
    assert facts["complexity"] == {"0": 3, "1": 2}
    assert facts["depths"] == [5, 0, 0, 0, 0, 0, 0, 0, 0, 5]
    assert facts["paper_scores"] == {"latent_list/paper": {"empty": 0.25}}
    assert sum(facts["histogram"]) == 5 and facts["histogram"][:2] == [4, 1]
    assert facts["root"] == content_root(lines_of(recipe)["alpha_en_1k"])
    assert facts["files"] == [f"data/alpha_en_1k/test-0000{n}-of-00002.parquet" for n in (0, 1)]
    assert facts["licence"] == "Apache-2.0"


def test_the_release_root_is_what_sha256sum_prints_of_the_digest_lists(tasks, tmp_path):
    release = open_release(write_release(tmp_path / "release", toy_recipe()))
    lines = "cd digests && sha256sum *.txt | LC_ALL=C sort -k 2 | sha256sum"
    done = subprocess.run(lines, shell=True, cwd=release.folder, capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == release.root == release_root(release.content)
    # "-" stands before the "." of a file's name, "_" behind it.
    names = ("a-b_1k", "a", "a_b", "a.b")
    first = next(iter(release.configs.values()))
    named = release.content.model_copy(update={"configs": dict.fromkeys(names, first)})
    listed = "".join(f"{first.root}  {name}.txt\n" for name in ("a-b_1k", "a.b", "a", "a_b"))
    assert release_root(named) == hashlib.sha256(listed.encode()).hexdigest()


def test_the_release_root_holds_rows_and_config_names_and_nothing_else(tasks):
    before = toy_content(toy_recipe())
    other = toy_content(replace(toy_recipe(), name="other", version="1.0.1", title="Another card"))
    assert release_root(other) == release_root(before) and other != before
    (name, facts), *rest = before.configs.items()
    for configs in (dict(rest), {"other": facts, **dict(rest)}, {name: rest[0][1], **dict(rest)}):
        assert release_root(before.model_copy(update={"configs": configs})) != release_root(before)


def test_what_a_task_tells_of_its_rows_is_summed_up(tasks):
    recipe = toy_recipe()
    sidecars = toy_sidecars(recipe)
    assert "notes" not in toy_content(recipe).configs["alpha_en_1k"].to_json()
    rows = [row for file in sidecars["alpha_en_1k"] for row in file["rows"]]
    for number, row in enumerate(rows[:4]):
        row["notes"] = {"examples": 10 * number, "copies": 2}
    configs = content(recipe, "f", {}, typed(sidecars), dict.fromkeys(sidecars, "e" * 64)).configs
    assert configs["alpha_en_1k"].notes == {
        "examples": NoteSummary(min=0, max=30, mean=15.0),
        "copies": NoteSummary(min=2, max=2, mean=2.0),
    }
    assert "notes" not in configs["beta_en_1k"].to_json()


def test_a_full_row_counts_in_the_last_bin(tasks):
    recipe = toy_recipe()
    sidecars = toy_sidecars(recipe)
    sidecars["alpha_en_1k"][0]["rows"][0]["tokens"] = 1024
    facts = content(recipe, "f", {}, typed(sidecars), dict.fromkeys(sidecars, "e" * 64)).configs["alpha_en_1k"]
    assert facts.histogram[19] == 1


def test_content_refuses_what_is_missing(tasks):
    recipe = toy_recipe()
    with pytest.raises(ReleaseError, match="beta_en_1k: got 0 rows"):
        content(
            recipe,
            "f",
            {},
            typed(toy_sidecars(toy_recipe(names=("alpha",)))),
            dict.fromkeys(("alpha_en_1k", "beta_en_1k"), "e" * 64),
        )
    with pytest.raises(ReleaseError, match="plans"):
        content(recipe, "f", {}, typed(toy_sidecars(recipe)), {})


def test_content_refuses_a_source_without_licence(tasks):
    tasks["alpha"] = replace(tasks["alpha"], sources=("world",))
    recipe = toy_recipe(names=("alpha",))
    plans = {"alpha_en_1k": "e" * 64}
    with pytest.raises(ReleaseError, match="source 'world' states no licence"):
        content(recipe, "f", {}, typed(toy_sidecars(recipe)), plans)
    made = content(
        recipe, "f", {"world": unchecked(SourceFacts, {"licence": "CC-BY-4.0"})}, typed(toy_sidecars(recipe)), plans
    )
    assert made.configs["alpha_en_1k"].licence == "CC-BY-4.0"


def test_canonical_bytes_do_not_depend_on_order_or_hash_seed():
    one = canonical({"b": [1.5, "é"], "a": {"y": 1, "x": 2}})
    assert one == canonical({"a": {"x": 2, "y": 1}, "b": [1.5, "é"]}) and one.endswith(b"}\n")
    with pytest.raises(ValueError, match="JSON"):
        canonical({"a": math.nan})
    assert canary("toys", "1.0.0", "toys/1") == "carrara-canary 2ae4947b20d90a509ecf7ed56b736aae"
    code = "from carrara.release.manifest import canary; print(canary('toys', '1.0.0', 'toys/1'))"
    for seed in ("1", "2"):
        assert python(code, PYTHONHASHSEED=seed).strip() == canary("toys", "1.0.0", "toys/1")


def whats(recipe, sidecars) -> list[str]:
    return [finding.what for finding in release_audit(recipe, typed(sidecars))]


def test_audit_passes_a_sound_release(tasks):
    recipe = toy_recipe()
    assert whats(recipe, toy_sidecars(recipe)) == []


def test_audit_objects(tasks):
    recipe = toy_recipe()
    sidecars = toy_sidecars(recipe)
    rows = sidecars["alpha_en_1k"][0]["rows"]
    rows[0], rows[1] = rows[1], rows[0]
    assert whats(recipe, sidecars) == ["order"]

    sidecars = toy_sidecars(recipe)
    del sidecars["alpha_en_1k"][1]["rows"][-1]
    assert whats(recipe, sidecars) == ["row count"]

    sidecars = toy_sidecars(recipe)
    sidecars["beta_en_1k"][0]["rows"][0]["prompt"] = sidecars["alpha_en_1k"][0]["rows"][0]["prompt"]
    assert whats(recipe, sidecars) == ["duplicate prompt"]

    sidecars = toy_sidecars(recipe)
    sidecars["alpha_en_1k"][0]["rows"][1] = sidecars["alpha_en_1k"][0]["rows"][0]
    assert whats(recipe, sidecars) == ["duplicate id", "order"]

    sidecars = toy_sidecars(recipe)
    sidecars["gamma_en_1k"] = []
    del sidecars["beta_en_1k"]
    assert whats(recipe, sidecars) == ["unknown config", "row count"]


def test_shared_golds_matter_where_answers_are_long(tasks):
    for metric, expected in (("toy/1", []), ("needlebench/keywords", ["shared gold"])):
        tasks["alpha"] = toy_task("alpha", metric)
        recipe = toy_recipe(names=("alpha",))
        sidecars = toy_sidecars(recipe)
        rows = sidecars["alpha_en_1k"][0]["rows"]
        rows[1]["answers"] = rows[0]["answers"]
        assert whats(recipe, sidecars) == expected
        rows[1]["item"] = rows[0]["item"]
        assert whats(recipe, sidecars) == []


@pytest.mark.parametrize(
    ("golds", "good"),
    [
        ([0, 1, 1, 0, 0, 1, 1, 0], True),
        ([0, 0, 0, 0, 0, 0, 1, 1], False),
        ([0, 1, 0, 1, 0, 1, 0, 0], False),
        ([0, 1, 1, 0, 1, 0, 0, 1, 1], True),
        ([-1] * 8, True),
    ],
)
def test_options_are_balanced_over_full_blocks(tasks, golds, good):
    recipe = toy_recipe(names=("alpha",), questions=len(golds))
    sidecars = toy_sidecars(recipe)
    rows = [row for file in sidecars["alpha_en_1k"] for row in file["rows"]]
    for row, gold in zip(rows, golds, strict=True):
        row.update(choices=2, gold_choice=gold)
    assert whats(recipe, sidecars) == ([] if good else ["unbalanced options"])


def test_blocks_are_of_items_not_of_rows(tasks):
    # Three permutations share their gold: rows 0-5 are two items, a block of two options.
    tasks["alpha"] = toy_task("alpha", placements=3)
    recipe = toy_recipe(names=("alpha",), questions=3)
    sidecars = toy_sidecars(recipe)
    rows = [row for file in sidecars["alpha_en_1k"] for row in file["rows"]]
    for index, row in enumerate(rows):
        row.update(choices=2, gold_choice=index // 3 % 2)
    assert whats(recipe, sidecars) == []


def test_files_table(tasks, tmp_path):
    folder = write_release(tmp_path / "r", toy_recipe())
    table = files_table(folder)
    assert set(table) == set(json.loads((folder / "manifest.json").read_text())["files"])
    assert not {"manifest.json", "provenance.json"} & set(table)
    readme = (folder / "README.md").read_bytes()
    assert table["README.md"].to_json() == {"sha256": hashlib.sha256(readme).hexdigest(), "bytes": len(readme)}
    (folder / "link").symlink_to(folder / "README.md")
    with pytest.raises(ReleaseError, match="link"):
        files_table(folder)
    (folder / "link").unlink()
    (folder / "odd\nname").write_text("x")
    with pytest.raises(ReleaseError, match="file name"):
        files_table(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ReleaseError, match="no files"):
        files_table(tmp_path / "empty")


def test_manifest_is_the_same_twice_and_leaves_no_temporary_file(tasks, tmp_path):
    one, two = (write_release(tmp_path / name, toy_recipe()) for name in ("a", "b"))
    assert (one / "manifest.json").read_bytes() == (two / "manifest.json").read_bytes()
    assert not [path for path in one.rglob("*") if path.name.endswith(".tmp")]


def manifest_of(lines: dict[str, list[str]], text: str = "") -> Manifest:
    configs = {name: {"rows": len(one), "root": content_root(one)} for name, one in lines.items()}
    return unchecked(Manifest, {"content": {"configs": configs, "title": text}, "files": {}})


DIGESTS = st.sampled_from([letter * 64 for letter in "abc"])
LINES = st.dictionaries(st.integers(0, 8), DIGESTS, min_size=1).flatmap(
    lambda table: st.permutations([DigestLine(digest, f"toys/x/1k/{i:05d}") for i, digest in table.items()])
)
RELEASES = st.dictionaries(st.sampled_from(["x", "y"]), LINES, min_size=1)
ORDER = ["none", "patch", "minor", "major"]


@given(RELEASES, RELEASES)
def test_bump_needs_no_old_lists(old, new):
    gap = difference(manifest_of(old).content, old, manifest_of(new).content, new)
    assert bump(manifest_of(old), manifest_of(new), new) == gap.bump


@given(RELEASES, st.data())
def test_appending_is_minor(old, data):
    new = {name: list(lines) for name, lines in old.items()}
    name = data.draw(st.sampled_from(sorted(new)))
    new[name].append(DigestLine("d" * 64, "toys/x/1k/00009"))
    assert bump(manifest_of(old), manifest_of(new), new) == "minor"
    gap = difference(manifest_of(old).content, old, manifest_of(new).content, new)
    assert gap.configs[name].added == ("toys/x/1k/00009",)
    assert bump(manifest_of(new), manifest_of(old), old) == "major"


@given(RELEASES, st.data())
def test_any_touched_row_is_major(old, data):
    name = data.draw(st.sampled_from(sorted(old)))
    place = data.draw(st.integers(0, len(old[name]) - 1))
    new = {key: list(lines) for key, lines in old.items()}
    new[name][place] = DigestLine("d" * 64, old[name][place].id)
    assert bump(manifest_of(old), manifest_of(new), new) == "major"
    gap = difference(manifest_of(old).content, old, manifest_of(new).content, new)
    assert gap.configs[name].changed == (old[name][place].id,)


@given(RELEASES)
def test_same_rows(old):
    assert bump(manifest_of(old), manifest_of(old), old) == "none"
    assert bump(manifest_of(old), manifest_of(old, "other words"), old) == "patch"
    assert difference(manifest_of(old).content, old, manifest_of(old).content, old).bump == "none"


@given(LINES, LINES)
def test_a_difference_accounts_for_every_row(old, new):
    gap = lines_difference(old, new)
    before, after = {line.id for line in old}, {line.id for line in new}
    assert set(gap.added) == after - before
    assert set(gap.removed) == before - after
    assert set(gap.changed) <= before & after
    assert (gap == lines_difference([], [])) == (old == new)


def test_an_insertion_and_a_swap_are_reorderings():
    a, b, c = (DigestLine("a" * 64, name) for name in ("t/x/1k/00000", "t/x/1k/00001", "t/x/1k/00002"))
    assert lines_difference([a, c], [a, b, c]).reordered
    assert lines_difference([a, b], [b, a]).reordered
    assert not lines_difference([a, b, c], [a, c]).reordered
    assert lines_difference([a], [a, a]).added == ("t/x/1k/00000",)


@pytest.mark.parametrize("file", sorted((ROOT / "releases").glob("*/*/manifest.json")), ids=lambda file: file.parts[-3])
def test_a_frozen_manifest_is_read_and_written_back_byte_for_byte(file):
    raw = file.read_bytes()
    assert manifest_bytes(Manifest.from_json(json.loads(raw))) == raw


def test_what_a_later_version_adds_is_kept(tasks):
    table = toy_content(toy_recipe()).to_json()
    table |= {"reviewers": [{"name": "A"}], "written": "## Limits"}
    table["configs"]["alpha_en_1k"]["speed"] = 1.0
    manifest = {"format": "carrara/1", "content": table, "files": {"a": {"sha256": "0" * 64, "bytes": 0, "git": "x"}}}
    assert Manifest.from_json(manifest).to_json() == manifest
