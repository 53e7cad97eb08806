"""Remakes rows, plans and content roots from the recipe in a release's manifest, for `verify` to compare with."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from carrara.engine.processes import Silent, Watch
from carrara.errors import ReleaseError
from carrara.making.build import Run, replan, roots
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import Recipe, recipe_from_json
from carrara.release.manifest import file_entry
from carrara.release.reader import Release, open_release
from carrara.release.store import Folder, Place
from carrara.release.verify import Remaker

# Runs hold ranks, not texts: those of a whole release take some megabytes.
_MOST_BYTES = 1024**3


def remaker(
    release: Path | Place,
    sources: Path | None,
    workers: int,
    watch: Watch | None = None,
) -> Remaker:
    """The functions that remake rows, plans and content roots; each reads its inputs when first called.

    `watch` is told how a rebuild goes on.
    """

    place = Folder(release) if isinstance(release, Path) else release

    @cache
    def runs() -> Path | None:
        return frozen_runs(open_release(place))

    @cache
    def recipe() -> Recipe:
        return recipe_from_json(open_release(place).content.recipe.to_json())

    @cache
    def maker() -> RowMaker:
        return RowMaker(recipe(), sources, runs())

    def rebuilt() -> dict[str, str]:
        near = place.path.resolve().parent if isinstance(place, Folder) else None
        with tempfile.TemporaryDirectory(prefix="carrara-rebuild-", dir=near) as folder:
            return roots(recipe(), Run(Path(folder), sources, workers, runs=runs()), watch or Silent())

    return Remaker(lambda row_id: maker().remake(row_id), lambda: replan(recipe(), sources, runs()), rebuilt)


def frozen_runs(release: Release) -> Path | None:
    """The folder of a release's frozen runs of retrieved passages, fetched from the Hub; None where it has none."""
    if not isinstance(release.place, Folder):
        return _copied_runs(release)
    folder = release.place.path / "runs"
    return folder if folder.is_dir() else None


def _copied_runs(release: Release) -> Path | None:
    """Copy the frozen runs of a release on the Hub into a folder that is deleted when the process ends."""
    names = [path for path in release.files if path.startswith("runs/")]
    if not names:
        return None
    if sum(release.files[name].bytes for name in names) > _MOST_BYTES:
        raise ReleaseError(
            f"{release.name} lists runs of over {_MOST_BYTES} bytes, expected less", "Download the release first."
        )
    folder = Path(tempfile.mkdtemp(prefix="carrara-runs-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with release.open(name) as stream, target.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        if file_entry(target) != release.files[name]:
            raise ReleaseError(f"{name} is not the file in the manifest", "Nothing was made: run carrara verify DIR.")
    return folder / "runs"
