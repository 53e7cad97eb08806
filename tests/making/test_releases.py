"""The frozen releases: the commit that makes each is known, and each is built again, byte for byte.

All of them with `make rebuild`, which needs the whole history.
"""

import hashlib
import json
import tomllib

import pytest
from folders import RELEASES
from rebuild import FROZEN, current, git, missing_history, rebuild

from carrara.release.freeze import CODE, code_text, frozen_code


def test_every_frozen_release_names_its_commit_and_manifest():
    code = frozen_code(RELEASES)
    assert {name: known.manifest for name, known in code.items()} == {
        name: hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest() for name, folder in FROZEN.items()
    }
    assert (RELEASES / CODE).read_text(encoding="utf-8") == code_text(code)


@pytest.mark.skipif(bool(missing_history()), reason=missing_history())
def test_the_commits_are_in_the_history_with_the_recipe_and_card():
    for name, known in frozen_code(RELEASES).items():
        recipe, _, version = name.partition("@")
        git("merge-base", "--is-ancestor", known.commit, "HEAD")
        assert tomllib.loads(git("show", f"{known.commit}:recipes/{recipe}.toml"))["version"] == version
        git("cat-file", "-e", f"{known.commit}:dataset_cards/{recipe}.md")


@pytest.mark.rebuild
def test_a_recipe_that_was_frozen_is_frozen_in_its_version():
    assert {name.partition("@")[0] for name in FROZEN} == {name.partition("@")[0] for name in current()}


@pytest.mark.rebuild
@pytest.mark.slow
@pytest.mark.parametrize("release", FROZEN)
def test_a_frozen_release_is_built_again_the_same(release, tmp_path):
    built, frozen = (
        (folder / "manifest.json").read_bytes() for folder in (rebuild(release, tmp_path), FROZEN[release])
    )
    # Other roots are other rows: the worse of two faults, and what to look at first.
    assert roots(built) == roots(frozen) and built == frozen


def roots(manifest: bytes) -> dict[str, str]:
    return {config: facts["root"] for config, facts in json.loads(manifest)["content"]["configs"].items()}
