"""What the recipe in a release's manifest can make again, for `verify` to compare with."""

import tempfile
from functools import cache
from pathlib import Path

from carrara.build import Run, replan, roots
from carrara.make import RowMaker
from carrara.progress import Progress
from carrara.read import open_release
from carrara.recipe import Recipe, recipe_from_json
from carrara.verify import Remaker


def remaker(release: Path, sources: Path | None, workers: int) -> Remaker:
    """Rows, plans and content roots from the recipe alone; nothing is read or made before it is asked for."""

    runs = release / "runs" if (release / "runs").is_dir() else None

    @cache
    def recipe() -> Recipe:
        return recipe_from_json(open_release(release).content["recipe"])

    @cache
    def maker() -> RowMaker:
        return RowMaker(recipe(), sources, runs)

    def rebuilt() -> dict[str, str]:
        configs = recipe().configs()
        tokens = sum(config.bucket_tokens * config.rows for config in configs)
        near = release.resolve().parent
        with (
            tempfile.TemporaryDirectory(prefix="carrara-rebuild-", dir=near) as folder,
            Progress(sum(config.rows for config in configs), tokens) as progress,
        ):
            return roots(recipe(), Run(Path(folder), sources, workers, runs=runs), progress)

    return Remaker(lambda row_id: maker().remake(row_id), lambda: replan(recipe(), sources, runs), rebuilt)
