"""The recipes that come along, and the cards and frozen releases beside a recipe's folder."""

from pathlib import Path

from carrara.recipe.recipe import load_recipe


def recipe_path(name: str) -> Path:
    """A recipe file as given, or the one of that name that comes along."""
    path = Path(name)
    if not path.is_file() and path.suffix != ".toml" and (packaged := recipe_folder() / f"{name}.toml").is_file():
        return packaged
    return path


def recipe_folder() -> Path:
    """Where the recipes that come along lie: in the package once installed, else in the checkout."""
    installed = Path(__file__).parents[1] / "recipes"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "recipes"


def beside(recipe: str, folder: str) -> Path | None:
    """`dataset_cards` or `releases` beside the folder that a recipe lies in, if there is one."""
    found = recipe_path(recipe).resolve().parent.parent / folder
    return found if found.is_dir() else None


def written_card(recipe: str) -> Path | None:
    """The hand-written sections of a card: a twin's are its original's."""
    cards = beside(recipe, "dataset_cards")
    card = cards / f"{load_recipe(recipe_path(recipe)).name}.md" if cards else None
    return card if card is not None and card.is_file() else None
