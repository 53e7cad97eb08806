"""Where the repository, its tests and the real sources lie."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support"
RELEASES = ROOT / "releases"
CORPORA = Path(os.environ.get("CARRARA_SOURCES") or ROOT.parent / "shared" / "corpora")
