"""The frozen releases: the commit that makes each is known, and each is built again, byte for byte.

All of them with `make rebuild`, which needs the whole history.
"""

import hashlib
import tomllib

import pytest
from folders import RELEASES, ROOT
from rebuild import CURRENT, FROZEN, NEWEST

from carrara.engine.code import git
from carrara.engine.processes import Silent
from carrara.making.reproduce import Rebuild, missing_history, reproduce
from carrara.recipe.recipe import load_recipe
from carrara.release.freeze import CODE, code_text, frozen_code
from carrara.release.reader import open_release
from carrara.release.schema import version_order


def test_every_frozen_release_names_its_commit_and_manifest():
    code = frozen_code(RELEASES)
    assert {name: known.manifest for name, known in code.items()} == {
        name: hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest() for name, folder in FROZEN.items()
    }
    assert (RELEASES / CODE).read_text(encoding="utf-8") == code_text(code)
    assert FROZEN.keys() >= NEWEST >= CURRENT


@pytest.mark.skipif(bool(missing_history()), reason=missing_history())
def test_the_commits_are_in_the_history_with_the_recipe_and_card():
    for name, known in frozen_code(RELEASES).items():
        recipe, _, version = name.partition("@")
        git(ROOT, "merge-base", "--is-ancestor", known.commit, "HEAD")
        assert tomllib.loads(git(ROOT, "show", f"{known.commit}:recipes/{recipe}.toml"))["version"] == version
        git(ROOT, "cat-file", "-e", f"{known.commit}:dataset_cards/{recipe}.md")


def built_again() -> list[tuple[str, bool]]:
    """Every frozen release, and whether the code of its commit builds it, or that of this checkout."""
    return [(name, name not in CURRENT) for name in FROZEN]


def test_a_recipe_states_no_version_before_its_newest_frozen_one():
    stated = {recipe.name: recipe.version for recipe in map(load_recipe, sorted((ROOT / "recipes").glob("*.toml")))}
    for name, _, version in (release.partition("@") for release in sorted(NEWEST)):
        assert version_order(stated[name]) >= version_order(version), name


@pytest.mark.rebuild
@pytest.mark.slow
@pytest.mark.parametrize(("release", "exact"), built_again())
def test_a_frozen_release_is_built_again_the_same(release, exact):
    report = reproduce(open_release(FROZEN[release]), Rebuild(exact=exact), Silent())
    # Other roots are other rows: the worse of two faults, and what to look at first.
    assert report.got == report.expected and bool(report.commit) == exact
    assert report.is_exact
