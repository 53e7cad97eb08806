"""Finishes a release folder whose rows and digests stand: what follows from the manifest's `content` and the files.

Written are the recipe, the figures, the card and the Croissant. A build, the permissive part of a release and a
sealed release finish alike.
"""

from pathlib import Path

import pyarrow.parquet as pq

from carrara.card import card, figures
from carrara.croissant.dataset import croissant
from carrara.engine.files import write_bytes
from carrara.release.configs import config_order
from carrara.release.manifest import files_table, recipe_file
from carrara.release.schema import CROISSANT, Content
from carrara.row import ArrowRow, canonical_json

# What `finish` writes, and nothing else in a release does: folders end with a '/'.
FINISHED = ("recipe.json", card.CARD, card.DETAILS, "figures/", CROISSANT)


def finish(content: Content, folder: Path) -> None:
    """Write what follows from `content` and the files that stand there. The manifest alone comes after it."""
    write_bytes(folder / "recipe.json", (canonical_json(recipe_file(content)) + "\n").encode())
    (folder / "figures").mkdir(exist_ok=True)
    figures.length_histogram(content, folder / "figures" / "lengths.svg")
    figures.chance_histograms(content, folder / "figures" / "chance.svg")
    # The end of a prompt may hold what the gold says: a list to copy.
    sample = None if content.is_sealed else _sample(content, folder)
    write_bytes(folder / card.CARD, card.card(content, sample).encode())
    write_bytes(folder / card.DETAILS, card.details(content).encode())
    # Last: it lists every other file but the manifest, which lists it.
    write_bytes(folder / CROISSANT, croissant(content, files_table(folder)))


def _sample(content: Content, folder: Path) -> ArrowRow:
    """The row that the card shows: the first of the recipe's first config in the smallest bucket."""
    first = min(config_order(content), key=lambda name: content.configs[name].bucket_tokens)
    with pq.ParquetFile(folder / content.configs[first].files[0]) as table:
        row: ArrowRow = next(table.iter_batches(batch_size=1)).to_pylist()[0]
    return row
