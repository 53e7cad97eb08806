"""Finishes a release folder whose rows and digests stand: what follows from the manifest's `content` and the files.

Written are the recipe, the figures, the card and the Croissant. A build, the permissive part of a release and a
sealed release finish alike.
"""

from pathlib import Path

from carrara.card import card, figures
from carrara.croissant.dataset import croissant
from carrara.engine.files import write_bytes
from carrara.release.manifest import files_table, recipe_file
from carrara.release.schema import CROISSANT, Content
from carrara.row import canonical_json

# What `finish` writes, and nothing else in a release does: folders end with a '/'.
FINISHED = ("recipe.json", "README.md", "figures/", CROISSANT)


def finish(content: Content, folder: Path) -> None:
    """Write what follows from `content` and the files that stand there. The manifest alone comes after it."""
    write_bytes(folder / "recipe.json", (canonical_json(recipe_file(content)) + "\n").encode())
    (folder / "figures").mkdir(exist_ok=True)
    figures.length_histogram(content, folder / "figures" / "lengths.svg")
    figures.chance_histograms(content, folder / "figures" / "chance.svg")
    write_bytes(folder / "README.md", card.card(content).encode())
    # Last: it lists every other file but the manifest, which lists it.
    write_bytes(folder / CROISSANT, croissant(content, files_table(folder)))
