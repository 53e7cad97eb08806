"""What several test modules use: real tokenizers, the folder of real sources, a small release."""

import gc
import os
import sys
from pathlib import Path

import pytest
from folders import ROOT
from hypothesis import HealthCheck, settings

from carrara.tokens import load_tokenizer

# Compiled tests are kept, whatever the environment says: to compile them anew costs every worker over ten seconds.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# What collection makes stays: looked through once, at its end.
gc.disable()


# The groups that take longest, of `make fast` and of all: they start first, and no worker waits for one at the end.
LONGEST = (
    # The first group of tests/tasks/test_conformance.py.
    "latent_list ",
    "tests/test_docs.py",
    "tests/publish/test_publish.py",
    "tests/making/test_build.py",
    "tests/release/test_hub_store.py",
    "tests/test_end_to_end.py",
    "tests/cli/test_pieces.py",
    "tests/plots/test_plots.py",
    "tests/cli/test_app.py",
    "tests/test_house.py",
    "tests/support/test_hub_server.py",
    "tests/scoring/test_judge_ask.py",
    "tests/tasks/test_rag.py",
    "tests/cli/test_judge.py",
    "tests/seal/test_reveal.py",
    "tests/scoring/test_entailment.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests of a group together: a variant's, else a file's; one worker makes once what they share.

    Tests that install extras take minutes and gigabytes: they run where -m names them alone.
    """
    if "extras" not in config.option.markexpr:
        items[:] = [item for item in items if item.get_closest_marker("extras") is None]
    place = {name: number for number, name in enumerate(LONGEST)}
    for item in items:
        if (group := item.get_closest_marker("xdist_group")) is None:
            item.add_marker(group := pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
        place.setdefault(group.args[0], len(place))
    items.sort(key=lambda item: place[item.get_closest_marker("xdist_group").args[0]])


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


settings.register_profile(
    "carrara", deadline=None, max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("carrara")


@pytest.fixture(scope="session")
def o200k():
    return load_tokenizer("o200k_base")


@pytest.fixture(scope="session")
def cl100k():
    return load_tokenizer("cl100k_base")


@pytest.fixture(scope="session")
def corpora() -> Path:
    folder = Path(os.environ.get("CARRARA_SOURCES") or ROOT.parent / "shared" / "corpora")
    if not (folder / "gutenberg-litbank").is_dir():
        pytest.skip(f"no real sources in {folder}: set CARRARA_SOURCES to their folder")
    return folder
