"""The frozen releases: the commit that makes each is known, and each is built again, byte for byte.

One of them in every run; all of them with `make rebuild`, which needs the whole history.
"""

import hashlib
import json
import tomllib

import pytest
from folders import RELEASES
from rebuild import CURRENT, FROZEN, git, missing_history, rebuild

from carrara.release.freeze import CODE, code_text, frozen_code

# The quickest to build that has every bucket.
ALWAYS = "verbatimeval-mini@1.0.0"


def test_every_frozen_release_names_its_commit_and_manifest():
    code = frozen_code(RELEASES)
    assert {name: known.manifest for name, known in code.items()} == {
        name: hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest() for name, folder in FROZEN.items()
    }
    assert (RELEASES / CODE).read_text(encoding="utf-8") == code_text(code)
    assert ALWAYS in CURRENT and FROZEN.keys() >= CURRENT


@pytest.mark.skipif(bool(missing_history()), reason=missing_history())
def test_the_commits_are_in_the_history_with_the_recipe_and_card():
    for name, known in frozen_code(RELEASES).items():
        recipe, _, version = name.partition("@")
        git("merge-base", "--is-ancestor", known.commit, "HEAD")
        assert tomllib.loads(git("show", f"{known.commit}:recipes/{recipe}.toml"))["version"] == version
        git("cat-file", "-e", f"{known.commit}:dataset_cards/{recipe}.md")


@pytest.mark.rebuild
@pytest.mark.parametrize(
    "release", [pytest.param(name, marks=() if name == ALWAYS else pytest.mark.slow, id=name) for name in FROZEN]
)
def test_a_frozen_release_is_built_again_the_same(release, tmp_path):
    built, frozen = (
        (folder / "manifest.json").read_bytes() for folder in (rebuild(release, tmp_path), FROZEN[release])
    )
    # Other roots are other rows: the worse of two faults, and what to look at first.
    assert roots(built) == roots(frozen) and built == frozen


def roots(manifest: bytes) -> dict[str, str]:
    return {config: facts["root"] for config, facts in json.loads(manifest)["content"]["configs"].items()}
