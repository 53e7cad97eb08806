"""The frozen releases, and what the code of this checkout must make of them.

`NEWEST`, the newest frozen version of every name. `CURRENT`, what the recipes still state: the code of this checkout
makes them, every byte. A recipe takes a new version when its bytes change, and its frozen ones are then made by the
code of their commits alone.
"""

from folders import RELEASES, ROOT

from carrara.recipe.recipe import load_recipe
from carrara.release.schema import version_order

FROZEN = {
    f"{file.parent.parent.name}@{file.parent.name}": file.parent for file in sorted(RELEASES.glob("*/*/manifest.json"))
}
NEWEST = frozenset(
    f"{home.name}@{max((folder.parent.name for folder in home.glob('*/manifest.json')), key=version_order)}"
    for home in RELEASES.iterdir()
    if home.is_dir()
)
CURRENT = frozenset(
    f"{recipe.name}@{recipe.version}" for recipe in map(load_recipe, sorted((ROOT / "recipes").glob("*.toml")))
) & set(FROZEN)
