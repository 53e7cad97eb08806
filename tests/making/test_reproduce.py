"""Reproducing a frozen release: whole and in parts, with the running code and with that of a commit."""

import json
import shutil
from pathlib import Path

import pytest
from commands import CONFIGS, common, here, is_refusal, recipe, release
from folders import RELEASES, ROOT
from rebuild import CURRENT, NEWEST

from carrara.engine.processes import Silent
from carrara.errors import CarraraError, ProofError, ReleaseError
from carrara.making.reproduce import Rebuild, find_record, made_from, missing_history, part, record_folders, reproduce
from carrara.recipe.recipe import recipe_from_json
from carrara.release.freeze import FrozenCode, code_text
from carrara.release.manifest import canonical, file_entry
from carrara.release.reader import open_release

__all__ = ["common", "recipe", "release"]

NEEDLE = "single_needle_en_4k"


@pytest.fixture
def releases(release, tmp_path) -> Path:
    """A folder of frozen releases that may be altered, of which nobody knows who made them."""
    folder = tmp_path / "frozen"
    done = here("freeze", release, "--releases", folder)
    assert done.code == 0, done
    (folder / "CODE.toml").unlink(missing_ok=True)
    (folder / "small" / "1.0.0" / "provenance.json").write_text('{"carrara": "0.1.9"}\n')
    return folder


def forge(releases: Path, **facts: object) -> None:
    """State other facts of a config."""
    file = releases / "small" / "1.0.0" / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["content"]["configs"][NEEDLE] |= facts
    file.write_bytes(canonical(manifest))


def name_commit(releases: Path, commit: str) -> None:
    manifest = file_entry(releases / "small" / "1.0.0" / "manifest.json").sha256
    code = code_text({"small@1.0.0": FrozenCode(commit=commit, manifest=manifest)})
    (releases / "CODE.toml").write_text(code)


def again(releases: Path, *words: object):
    return here("reproduce", "small@1.0.0", "--releases", releases, "--workers", 1, "--quiet", *words)


def test_a_record_gives_the_release_byte_for_byte(releases, release, tmp_path):
    root = open_release(release).root
    done = again(releases, "--out", tmp_path / "out")
    assert done.code == 0, done
    assert "4 configs of small@1.0.0 built again: the same rows\n" in done.out
    assert f"release root, expected and got:\n  {root}\n" in done.out
    assert done.out.endswith("manifest: the same, byte for byte\n")
    kept = tmp_path / "out" / "small" / "1.0.0"
    assert (kept / "manifest.json").read_bytes() == (release / "manifest.json").read_bytes()
    # Also from a folder, as machines read it.
    table = json.loads(here("reproduce", releases / "small" / "1.0.0", "--json", "--quiet", "--workers", 1).out)
    assert table["good"] and table["exact"] and table["root"] == table["got_root"] == root
    assert sorted(table["got"]) == CONFIGS and table["got"] == table["expected"]


def test_a_part_is_built_alone_and_its_roots_are_those_of_the_whole(releases, release):
    table = json.loads(again(releases, "--bucket", "4k", "--task", "single_needle", "--json").out)
    roots = {name: facts.root for name, facts in open_release(release).configs.items()}
    assert table["got"] == {name: roots[name] for name in (NEEDLE, "single_needle_zh_4k")}
    assert table["good"] and table["got_root"] == ""
    assert "only a part was built" in again(releases, "--config", "*_8k").out
    assert is_refusal(again(releases, "--bucket", "4k", "--out", "x"), "got --out with some of the configs")
    assert is_refusal(again(releases, "--bucket", "5k"), "known: 4k, 8k")


@pytest.mark.parametrize("chosen", ["rag_world_two_hop_32k", "rag_world_two_hop_1M"])
def test_a_part_that_retrieves_draws_the_run_of_the_whole(chosen):
    """The run is as long as the largest bucket asks for, and holds the questions of the bucket with the most."""
    (name,) = (name for name in NEWEST if name.startswith("helmet-world-mini@"))
    content = open_release(RELEASES / name.replace("@", "/")).content
    whole, some = (recipe_from_json(part(content, configs)) for configs in (content.configs, [chosen]))
    for one in (whole, some):
        configs = [config for config in one.configs() if config.variant == "world_two_hop"]
        request = (max(config.items for config in configs), max(config.bucket_tokens for config in configs))
        assert request == (8, 1_048_576)
    assert [config.name for config in some.configs() if config.name == chosen] == [chosen]


def test_every_part_is_of_the_whole():
    for name in sorted(NEWEST):
        content = open_release(RELEASES / name.replace("@", "/")).content
        whole = recipe_from_json(part(content, content.configs))
        configs = {config.name: config for config in whole.configs()}
        assert name not in CURRENT or whole.fingerprint() == content.recipe_fingerprint
        for bucket in whole.buckets:
            chosen = [config.name for config in configs.values() if config.bucket == bucket]
            some = {config.name: config for config in recipe_from_json(part(content, chosen)).configs()}
            assert some.keys() >= set(chosen)
            assert [some[name] for name in chosen] == [configs[name] for name in chosen]


def test_other_rows_are_told_config_by_config(releases):
    forge(releases, root="0" * 64)
    done = again(releases)
    assert done.code == 1 and "4 configs of small@1.0.0 built again: other rows in 1\n" in done.out
    line = next(line for line in done.out.splitlines() if NEEDLE in line)
    assert line.split()[1] == "0" * 16 and len(line.split()[2]) == 16
    assert "release root, expected:\n  " in done.out and "the same, byte" not in done.out


def test_another_manifest_with_the_same_rows_is_good_but_not_exact(releases):
    forge(releases, asks="something else")
    done = again(releases)
    assert done.code == 0 and "files with other bytes: manifest.json" in done.out
    name_commit(releases, "1" * 40)
    done = again(releases)
    assert done.code == 0 and done.out.splitlines()[-1].endswith("carrara reproduce small@1.0.0 --exact")


def test_other_plans_are_told_before_anything_is_built_with_what_to_type(releases, tmp_path, monkeypatch):
    forge(releases, plans="0" * 64)
    said = (f"the running code plans other rows in 1 of 4 configs ({NEEDLE})", "names the commit", "Carrara 0.1.9")
    assert is_refusal(again(releases), *said, code=1)
    name_commit(releases, "1" * 40)
    monkeypatch.chdir(tmp_path)
    typed = (f"git worktree add ../carrara-11111111 {'1' * 40}", "carrara build recipes/small.toml")
    assert is_refusal(again(releases), f"was made by commit {'1' * 40}", *typed, code=1)
    # The others are as they were.
    assert again(releases, "--config", "single_needle_zh*").code == 0


def test_an_edited_record_and_an_unknown_one_are_refused(releases, release):
    name_commit(releases, "1" * 40)
    forge(releases, asks="something else")
    assert is_refusal(again(releases), "is not the one that CODE.toml names")
    for named in ("smal@1.0.0", "small@1.0.1", "small"):
        done = here("reproduce", named, "--releases", releases)
        assert is_refusal(done, f"got '{named}', expected name@version", "small@1.0.0"), named
    shutil.move(releases / "small" / "1.0.0", releases / "small" / "2.0.0")
    with pytest.raises(ReleaseError, match=r"holds small@1\.0\.0, expected small@2\.0\.0"):
        find_record("small@2.0.0", [releases])


def test_the_user_s_folder_of_records_goes_before_the_package_s(releases, tmp_path):
    assert find_record("small@1.0.0", record_folders(releases)).folder == releases / "small" / "1.0.0"
    name = sorted(NEWEST)[0]
    assert find_record(name, record_folders(tmp_path / "none")).folder == RELEASES / name.replace("@", "/")


@pytest.mark.integration
@pytest.mark.skipif(bool(missing_history(ROOT)), reason=missing_history(ROOT))
def test_the_code_of_a_commit_builds_its_release(tmp_path):
    record = open_release(RELEASES / "verbatimeval-mini" / "1.0.0")
    chosen = ["numeric_sorting_ascending_32k"]
    report = reproduce(record, Rebuild(chosen, exact=True), Silent())
    assert report.commit == made_from(record) and report.is_exact and list(report.got) == chosen
    with pytest.raises((CarraraError, ProofError)):
        reproduce(record, Rebuild(chosen, exact=True, out=tmp_path), Silent())
