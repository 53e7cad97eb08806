"""Finishes a release folder whose rows and digests stand: everything that follows from the manifest's `content` alone.

Written are the recipe, the figures and the card. A build and a part of a release (`subset.py`) finish alike.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from carrara import card, figures
from carrara.row import canonical_json
from carrara.write import write_bytes

# What `finish` writes, and nothing else in a release does: folders end with a '/'.
FINISHED = ("recipe.json", "README.md", "figures/", "croissant.json")


def finish(content: Mapping[str, Any], folder: Path) -> None:
    """Write what follows from `content` and the files that stand: data, digests, runs. The manifest comes after it."""
    write_bytes(folder / "recipe.json", (canonical_json(content["recipe"]) + "\n").encode())
    (folder / "figures").mkdir(exist_ok=True)
    figures.length_histogram(content, folder / "figures" / "lengths.png")
    figures.chance_histograms(content, folder / "figures" / "chance.png")
    write_bytes(folder / "README.md", card.card(content).encode())
