"""A frozen record told apart from a release, and two releases that nothing connects."""

import json
from pathlib import Path

import pytest
from commands import TINY, common, here, is_refusal, recipe, release, write

from carrara.release.reader import open_release

__all__ = ["common", "recipe", "release"]

ROW = "needlebench/single_needle_en/4k/00001"


@pytest.fixture(scope="module")
def record(release, tmp_path_factory) -> Path:
    done = here("freeze", release, "--releases", tmp_path_factory.mktemp("frozen"))
    assert done.code == 0, done
    return Path(done.out.strip())


@pytest.mark.parametrize(
    "words",
    [
        ("verify",),
        ("verify", "--level", "rebuild"),
        ("verify", "--row", ROW),
        ("show", ROW),
        ("audit", "--quiet"),
        ("score", "--gold"),
        ("page",),
    ],
    ids=str,
)
def test_a_frozen_record_says_what_it_is_and_what_to_type(record, words):
    verb, *rest = words
    done = here(verb, record, *rest)
    assert is_refusal(
        done, f"{record} is the frozen record of small@1.0.0, without rows", f"carrara reproduce {record}"
    )


def test_a_damaged_release_is_no_record(copy_without_rows):
    """Only the plan digests make a folder without rows a record."""
    assert here("list", copy_without_rows).code == 0
    done = here("verify", copy_without_rows)
    assert done.code == 1 and "is missing" in done.out


@pytest.fixture
def copy_without_rows(release, tmp_path) -> Path:
    folder = tmp_path / "cut"
    folder.mkdir()
    for name in ("manifest.json", "recipe.json", "provenance.json"):
        (folder / name).write_bytes((release / name).read_bytes())
    return folder


def test_a_release_is_compared_with_a_record_by_roots(record, release, tmp_path):
    root = open_release(release).root
    for words in ((release, record), (record, release), (record, record)):
        done = here("diff", *words)
        assert done.code == 0
        assert done.out == f"release root: {root}, the same rows\nfiles that differ: 0\nbump: none\n", words
    assert json.loads(here("diff", release, record, "--json").out) == {
        "bump": "none",
        "configs": {},
        "roots": [root, root],
    }
    # More questions for one config, and none for another: what a record tells of each.
    grown = grow(record, tmp_path / "grown")
    assert here("diff", record, grown).out.splitlines()[0] == "single_needle_en_4k: changed"
    assert "bump: minor or major" in here("diff", record, grown).out
    assert here("diff", grown, record).out.endswith("bump: major\n")


def grow(record: Path, folder: Path) -> Path:
    """A record that states more rows, and another root."""
    folder.mkdir()
    for file in record.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    manifest = json.loads((folder / "manifest.json").read_text())
    facts = manifest["content"]["configs"]["single_needle_en_4k"]
    facts["rows"] += 1
    facts["root"] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_releases_that_nothing_connects_are_not_compared(release, tmp_path):
    tiny = write(tmp_path, TINY.replace("tests/1", "tests/other"), "tiny.toml")
    other = here("build", tiny, "--out", tmp_path / "out", "--workers", 1, "--quiet").out.strip()
    for words in ((release, other), (other, release)):
        done = here("diff", *words)
        assert is_refusal(done, "small@1.0.0", "tiny@1.0.0", "other rows", "two versions of one release")


def test_a_good_verification_says_the_root_and_what_else_can_be_checked(release):
    root = open_release(release).root
    for level, after in (
        ("files", "--level rows"),
        ("rows", "--level plans"),
        ("plans", f"carrara reproduce {release}"),
    ):
        done = here("verify", release, "--level", level)
        assert f"release root: {root}\n" in done.out and done.out.splitlines()[-1].endswith(after)
    assert json.loads(here("verify", release, "--json").out)["root"] == root
