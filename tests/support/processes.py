"""Runs lines of Python in a process of its own: for what an import loads and what no process may change."""

import os
import subprocess
import sys
from pathlib import Path


def python(code: str, *words: object, cwd: Path | None = None, **environment: str) -> str:
    """What the code prints; it imports what the tests import, under these variables beside those of the tests."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
