"""Simulated models: what they say scores the same from JSON lines, from lm-eval's samples and from Inspect's log."""

import importlib.util
import os
import subprocess
import sys

import pytest
from folders import ROOT, SUPPORT


@pytest.mark.integration
def test_three_ways_to_write_down_answers_score_the_same():
    # In a process of its own: Inspect patches the standard library.
    if importlib.util.find_spec("inspect_ai") is None:
        pytest.skip("needs the extra inspect")
    path = os.pathsep.join(map(str, (ROOT / "builders", ROOT / "tests", SUPPORT)))
    command = [sys.executable, "-m", "benchmarks.simulated_models", "--models", "3", "--rows", "2"]
    told = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert "models whose three scores differ: 0" in told.stdout
