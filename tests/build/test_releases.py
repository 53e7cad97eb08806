"""The frozen releases, built again from their recipes: every config has the content root that was frozen.

One of them in every run; all of them with `make rebuild`.
"""

from pathlib import Path

import pytest
from folders import ROOT

from carrara.build.build import Run, roots
from carrara.engine.processes import Silent
from carrara.recipe.recipe import load_recipe
from carrara.release.reader import open_release

FROZEN = sorted(file.parent for file in (ROOT / "releases").glob("*/*/manifest.json"))
# The quickest to build that has every bucket.
ALWAYS = "verbatimeval-mini-1.0.0"


def name(folder: Path) -> str:
    return f"{folder.parent.name}-{folder.name}"


@pytest.mark.rebuild
@pytest.mark.parametrize(
    "folder",
    [pytest.param(one, marks=() if name(one) == ALWAYS else pytest.mark.slow, id=name(one)) for one in FROZEN],
)
def test_a_frozen_release_is_built_again_the_same(folder, tmp_path):
    frozen = {config: facts["root"] for config, facts in open_release(folder).configs.items()}
    # One process: as many of these run at once as there are cores.
    assert roots(load_recipe(folder / "recipe.json"), Run(tmp_path), Silent()) == frozen and frozen


def test_one_release_is_built_again_in_every_run():
    assert ALWAYS in map(name, FROZEN)
