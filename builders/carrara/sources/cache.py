"""Where downloads and counted units are kept between runs. Nothing in it bears identity: it may be deleted."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """CARRARA_CACHE, else `carrara` in the user's cache folder; made on use."""
    if named := os.environ.get("CARRARA_CACHE"):
        folder = Path(named)
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "carrara"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
