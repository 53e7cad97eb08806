"""Freezing: the version rule, no overwriting, all or nothing."""

import hashlib
import json
import os
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from toys import tasks, toy_content, toy_recipe, write_parquet, write_release

from carrara.errors import ReleaseError
from carrara.release.freeze import freeze, frozen_code, next_version, plans_text
from carrara.release.manifest import canonical, write_manifest
from carrara.release.reader import open_release
from carrara.release.schema import Content
from carrara.row import DigestLine, canonical_json, content_root, row_digest

__all__ = ["tasks"]


@pytest.fixture
def make(tasks, tmp_path):
    def make(version: str, change=None, card: str = "# Toys\n", **options) -> Path:
        number = len(list(tmp_path.glob("built*")))
        folder = write_release(tmp_path / f"built{number}", toy_recipe(version, **options), card)
        if change:
            change(folder)
        return folder

    return make


@pytest.fixture
def releases(tmp_path) -> Path:
    return tmp_path / "releases"


def test_a_first_release(make, releases):
    folder = make("0.3.7")
    told = []
    place = freeze(folder, releases, told.append)
    assert place == releases / "toys" / "0.3.7" and "first" in told[0]
    assert sorted(file.name for file in place.iterdir()) == [
        "manifest.json",
        "plans.txt",
        "provenance.json",
        "recipe.json",
    ]
    assert (place / "manifest.json").read_bytes() == (folder / "manifest.json").read_bytes()
    configs = open_release(folder).configs
    assert (place / "plans.txt").read_text().splitlines() == [
        f"{configs[name].plans}  {name}" for name in ("alpha_en_1k", "beta_en_1k")
    ]
    assert plans_text(open_release(place).content) == (place / "plans.txt").read_text()
    assert [path.name for path in (releases / "toys").iterdir()] == ["0.3.7"]


def test_the_same_again_changes_nothing(make, releases):
    place = freeze(make("1.0.0"), releases)
    before = {path: path.stat().st_mtime_ns for path in place.iterdir()}
    told = []
    assert freeze(make("1.0.0"), releases, told.append) == place
    assert told[0] == "toys@1.0.0 is frozen already, with the same content"
    assert before == {path: path.stat().st_mtime_ns for path in place.iterdir()}


def test_a_frozen_version_is_not_overwritten(make, releases):
    place = freeze(make("1.0.0"), releases)
    before = (place / "manifest.json").read_bytes()
    with pytest.raises(ReleaseError, match=r"is frozen.*patch") as caught:
        freeze(make("1.0.0", card="# Better toys\n"), releases)
    assert "1.0.1" in caught.value.hint
    with pytest.raises(ReleaseError, match=r"is frozen.*minor") as caught:
        freeze(make("1.0.0", questions=6), releases)
    assert "1.1.0" in caught.value.hint
    assert (place / "manifest.json").read_bytes() == before


def test_a_frozen_folder_that_was_edited_is_noticed(make, releases):
    place = freeze(make("1.0.0"), releases)
    (place / "plans.txt").write_text("")
    with pytest.raises(ReleaseError, match="was edited"):
        freeze(make("1.0.0"), releases)


@pytest.mark.parametrize(
    ("options", "wanted", "kind"),
    [
        ({"card": "# Better toys\n"}, "1.0.1", "patch"),
        ({"title": "Better toys"}, "1.0.1", "patch"),
        ({"questions": 7}, "1.1.0", "minor"),
        ({"names": ("beta", "alpha")}, "1.0.1", "patch"),
        ({"questions": 4}, "2.0.0", "major"),
        ({"names": ("alpha",)}, "2.0.0", "major"),
    ],
)
def test_the_version_rule(make, releases, options, wanted, kind):
    freeze(make("1.0.0"), releases)
    for version in {"1.0.1", "1.1.0", "2.0.0", "1.0.2", "3.0.0"} - {wanted}:
        with pytest.raises(ReleaseError, match=f"{kind} change of 1.0.0, expected version {wanted}"):
            freeze(make(version, **options), releases)
        assert not (releases / "toys" / version).exists()
    assert freeze(make(wanted, **options), releases).name == wanted


def test_a_new_config_is_minor(make, releases):
    freeze(make("1.0.0", names=("alpha",)), releases)
    assert freeze(make("1.1.0"), releases).name == "1.1.0"


def alter_first_row(folder: Path) -> None:
    """Another first row, with digests, root and manifest to match: what a build of another recipe gives."""
    file = folder / "data/alpha_en_1k/test-00000-of-00002.parquet"
    table = pq.read_table(file).to_pylist()
    table[0]["facts"] = '{"x":1}'
    write_parquet(file, table)
    digests = folder / "digests/alpha_en_1k.txt"
    lines = digests.read_text().splitlines(keepends=True)
    digests.write_text("".join([row_digest(table[0]) + lines[0][64:], *lines[1:]]))
    table = open_release(folder).content.to_json()
    table["configs"]["alpha_en_1k"]["root"] = content_root(
        DigestLine.parse(line) for line in digests.read_text().splitlines()
    )
    (folder / "manifest.json").unlink()
    write_manifest(folder, Content.model_validate(table))


def test_a_changed_row_is_major(make, releases):
    freeze(make("1.0.0"), releases)
    with pytest.raises(ReleaseError, match=r"major change of 1.0.0, expected version 2.0.0"):
        freeze(make("1.1.0", change=alter_first_row), releases)
    freeze(make("2.0.0", change=alter_first_row), releases)


def test_the_newest_earlier_version_counts(make, releases):
    freeze(make("1.0.0"), releases)
    freeze(make("1.1.0", questions=6), releases)
    freeze(make("1.2.0", questions=7), releases)
    # A correction of the card of 1.1 still compares with 1.1.
    freeze(make("1.1.1", questions=6, card="# Better toys\n"), releases)
    (releases / "toys" / "9.0.0-draft").mkdir()
    with pytest.raises(ReleaseError, match=r"expected version 1.2.1"):
        freeze(make("1.3.0", questions=7), releases)
    with pytest.raises(ReleaseError, match="older than the first"):
        freeze(make("0.9.0"), releases)


def test_ten_is_newer_than_nine(make, releases):
    freeze(make("1.9.0"), releases)
    freeze(make("1.10.0", questions=6), releases)
    with pytest.raises(ReleaseError, match=r"patch change of 1.10.0, expected version 1.10.1"):
        freeze(make("1.11.0", questions=6, card="# Better toys\n"), releases)


def test_a_release_that_does_not_verify_is_not_frozen(make, releases):
    folder = make("1.0.0")
    (folder / "extra").write_text("x")
    with pytest.raises(ReleaseError, match="extra file"):
        freeze(folder, releases)
    (folder / "extra").unlink()
    (folder / "digests/beta_en_1k.txt").write_text("")
    with pytest.raises(ReleaseError, match="does not verify"):
        freeze(folder, releases)
    assert not releases.exists()


def test_a_reencoded_release_is_not_frozen(make, releases):
    folder = make("1.0.0")
    file = folder / "data/alpha_en_1k/test-00000-of-00002.parquet"
    write_parquet(file, pq.read_table(file).to_pylist(), compression="snappy")
    with pytest.raises(ReleaseError, match="re-encoded"):
        freeze(folder, releases)


def test_a_folder_without_provenance_is_not_frozen(make, releases):
    folder = make("1.0.0")
    (folder / "provenance.json").unlink()
    with pytest.raises(ReleaseError, match=r"provenance.json is missing"):
        freeze(folder, releases)


def built_by(**code):
    record = {"key": "0" * 64, "code": {"sha256": "0" * 64, **code}}
    return lambda folder: (folder / "provenance.json").write_text(json.dumps(record))


def test_a_frozen_release_has_the_commit_that_makes_it(make, releases):
    told = []
    freeze(make("1.10.0", change=built_by(commit="a" * 40, dirty=False)), releases, told.append)
    assert told[-1] == f"CODE.toml names the commit {'a' * 40} for toys@1.10.0"
    # A build of changed files, or of none that are known, proves no commit; a later one of the same bytes does.
    for code in (
        {"commit": "b" * 40, "dirty": True},
        {"commit": None, "dirty": None, "reason": "git cannot be run"},
        {"commit": "b" * 40, "dirty": None},
    ):
        place = freeze(make("1.11.0", questions=6, change=built_by(**code)), releases, told.append)
        assert told[-1].startswith("toys@1.11.0 has no line in CODE.toml: ") and list(frozen_code(releases)) == [
            "toys@1.10.0"
        ]
    part = json.dumps({"code": {"sha256": "0" * 64, "commit": "b" * 40, "dirty": False}})
    freeze(make("1.11.0", questions=6, change=lambda folder: (folder / "provenance.json").write_text(part)), releases)
    assert list(frozen_code(releases)) == ["toys@1.10.0"]
    freeze(make("1.11.0", questions=6, change=built_by(commit="b" * 40, dirty=False)), releases, told.append)
    freeze(make("1.10.1", title="Toys again", change=built_by(commit="c" * 40, dirty=False)), releases)
    known = frozen_code(releases)
    assert [name.partition("@")[2] for name in known] == ["1.10.0", "1.10.1", "1.11.0"]
    assert known["toys@1.11.0"].commit == "b" * 40
    assert known["toys@1.11.0"].manifest == hashlib.sha256((place / "manifest.json").read_bytes()).hexdigest()
    # What is named once stays: the same release from another commit.
    freeze(make("1.11.0", questions=6, change=built_by(commit="d" * 40, dirty=False)), releases)
    assert frozen_code(releases) == known


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "the file: [], expected a table"),
        ('{"key": 1}', "the file: key = 1, expected a sha256"),
        ('{"workers": -1}', "workers = -1, expected a whole number from 0"),
        ('{"finished": "yesterday"}', "expected a time like"),
        ('{"code": {"sha256": "", "commit": null, "dirty": null}}', "code: sha256 = '', expected"),
        (
            '{"code": {"sha256": "%s", "commit": "\\u001b[2J"}}' % ("0" * 64),
            "code: commit = '\\x1b[2J', expected a commit",
        ),
        (f'{{"code": {{"sha256": "{"0" * 64}", "commit": null, "dirty": 1}}}}', "dirty = 1, expected true or false"),
        (f'{{"more": {"[" * 60}{"]" * 60}}}', "at most 50 levels"),
    ],
)
def test_a_provenance_of_another_form_is_refused(make, releases, text, said):
    with pytest.raises(ReleaseError, match=f"provenance.json: .*{re.escape(said)}"):
        freeze(make("1.0.0", change=lambda folder: (folder / "provenance.json").write_text(text)), releases)
    assert not (releases / "toys").exists()


@pytest.mark.parametrize("text", ["[", '["toys@1.0.0"]\ncommit = "a"\n', "toys = 1\n"])
def test_a_damaged_code_file_is_told(make, releases, text):
    releases.mkdir()
    (releases / "CODE.toml").write_text(text)
    with pytest.raises(ReleaseError, match=r"CODE.toml is damaged"):
        freeze(make("1.0.0"), releases)
    assert [file.name for file in releases.iterdir()] == ["CODE.toml"]


def test_an_interrupted_freeze_leaves_no_release(make, releases, monkeypatch):
    folder = make("1.0.0")
    renames = []

    def fails(self, target):
        renames.append(target)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fails)
        with pytest.raises(ReleaseError, match="No space left"):
            freeze(folder, releases)
    assert renames and not (releases / "toys" / "1.0.0").exists()
    assert freeze(folder, releases).is_dir()
    assert [path.name for path in (releases / "toys").iterdir()] == ["1.0.0"]


def test_a_forged_frozen_manifest(make, releases):
    place = freeze(make("1.0.0"), releases)
    manifest = json.loads((place / "manifest.json").read_text())
    manifest["content"]["version"] = "1.5.0"
    (place / "manifest.json").write_bytes(canonical(manifest))
    with pytest.raises(ReleaseError, match=r"holds toys@1.5.0"):
        freeze(make("1.0.1", card="# Better toys\n"), releases)
    (place / "manifest.json").write_text("[]")
    with pytest.raises(ReleaseError, match="expected a table"):
        freeze(make("1.0.1", card="# Better toys\n"), releases)


def test_a_dangling_link_in_its_place_is_refused(make, releases):
    (releases / "toys").mkdir(parents=True)
    (releases / "toys" / "1.0.0").symlink_to(releases / "nowhere")
    with pytest.raises(ReleaseError, match="is not a release"):
        freeze(make("1.0.0"), releases)
    assert not os.path.lexists(releases / "nowhere")


def test_next_version():
    assert [next_version("1.2.3", kind) for kind in ("none", "patch", "minor", "major")] == [
        "1.2.3",
        "1.2.4",
        "1.3.0",
        "2.0.0",
    ]
    with pytest.raises(ReleaseError, match="MAJOR"):
        next_version("1.2", "patch")


def test_frozen_bytes_do_not_depend_on_where(make, releases, tmp_path):
    one, two = freeze(make("1.0.0"), releases), freeze(make("1.0.0"), tmp_path / "elsewhere")
    for file in one.iterdir():
        assert file.read_bytes() == (two / file.name).read_bytes()
    recipe = json.loads((one / "recipe.json").read_text())
    assert canonical_json(recipe) + "\n" == (one / "recipe.json").read_text()
    assert recipe == toy_content(toy_recipe()).recipe.to_json()
