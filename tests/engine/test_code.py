"""What a release says of the code that made it: the commit of a checkout, or why there is none; never a path."""

import json
import os
import subprocess
import tomllib

import pytest
from folders import ROOT

from carrara import __version__
from carrara.engine import code

IDENTITY = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b.c",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b.c",
}


def git(folder, *words) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, env={**os.environ, **IDENTITY}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package in a checkout of one commit."""
    folder = tmp_path / "builders" / "carrara"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (tmp_path / ".gitignore").write_text(".venv/\n__pycache__/\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "One")
    monkeypatch.setattr(code, "_PACKAGE", folder)
    monkeypatch.setattr(code, "code_fingerprint", lambda: "0" * 64)
    return folder


def origin() -> dict:
    return code.code_origin.__wrapped__()


def test_a_checkout_has_its_commit(package, monkeypatch):
    known = {"sha256": "0" * 64, "commit": git(package, "rev-parse", "HEAD")}
    (package.parent / "notes.txt").write_text("not of the package")
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "a.pyc").write_text("")
    # As in a hook of another repository.
    monkeypatch.setenv("GIT_DIR", os.devnull)
    assert origin() == {**known, "dirty": False}
    (package / "new.py").write_text("")
    assert origin() == {**known, "dirty": True}
    (package / "new.py").unlink()
    (package / "__init__.py").write_text("changed = 1\n")
    assert origin() == {**known, "dirty": True}


def test_a_package_installed_inside_another_checkout_has_no_commit(package, monkeypatch):
    installed = package.parents[1] / ".venv" / "carrara"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text("")
    monkeypatch.setattr(code, "_PACKAGE", installed)
    nothing = {"sha256": "0" * 64, "commit": None, "dirty": None}
    assert origin() == {**nothing, "reason": "the package does not lie in a git checkout"}
    monkeypatch.setenv("PATH", os.devnull)
    assert origin() == {**nothing, "reason": "git cannot be run"}


def test_a_changed_template_is_changed_code(tmp_path, monkeypatch):
    """A card follows from a template: a build must not go on beside one that another text made."""
    monkeypatch.setattr(code, "_PACKAGE", tmp_path)
    prints = set()
    for text in ("one", "two"):
        (tmp_path / "card.md.jinja").write_text(text)
        prints.add(code.code_fingerprint.__wrapped__())
    assert len(prints) == 2


def test_the_fingerprint_of_a_part_that_is_not_there_is_an_error():
    with pytest.raises(ValueError, match="nowhere"):
        code.code_fingerprint("nowhere.py")
    assert code.code_fingerprint("stream.py") != code.code_fingerprint("row.py")


def test_the_version_stands_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in project["project"] and project["project"]["dynamic"] == ["version"]
    assert (ROOT / project["tool"]["hatch"]["version"]["path"]).read_text().count(f'"{__version__}"') == 1
    assert f"\n## {__version__} - 20" in (ROOT / "CHANGELOG.md").read_text(), "the changelog tells of this version"


def test_it_is_plain_json():
    assert json.loads(json.dumps(code.code_origin())) == code.code_origin()
