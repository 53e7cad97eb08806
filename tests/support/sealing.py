"""A small release of several tasks from a secret stream, sealed with a known key, for the tests of seal and reveal."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import alone, built_here, write

from carrara.engine.processes import Silent
from carrara.release.manifest import canonical, file_entry
from carrara.release.store import Folder
from carrara.release.verify import Verification
from carrara.row import SCHEMA
from carrara.seal.reveal import open_sealed, reveal
from carrara.seal.seal import Order, Sealed, seal

STREAM = "5f0c2a9be1d37486aa4e0b6d9c81f273"
KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))

# Options that are turned, a needle at two depths, a list, numbers, options with "I don't know", passages of a frozen
# run of the invented world, sentences; several files a config.
RECIPE = """\
name = "probe"
version = "1.0.0"
title = "Probe"
stream = "probe/1"
tokenizer = "o200k_base"
buckets = { 4k = 4096, 8k = 8192 }
rows_per_file = 3

[[cell]]
task = "single_needle"
variants = ["en"]
buckets = ["4k"]
questions = 2
params = { depths = 2 }

[[cell]]
task = "ancestral_trace"
variants = ["direct_en"]
buckets = ["4k"]
questions = 2
params = { steps = [2, 5], circular = true }

[[cell]]
task = "numeric_sorting"
variants = ["ascending"]
buckets = ["4k"]
questions = 4

[[cell]]
task = "latent_list"
buckets = ["4k"]
questions = 3

[[cell]]
task = "idk"
buckets = ["4k"]
source = "world"
questions = 3

[[cell]]
task = "rag"
variants = ["world"]
buckets = ["8k"]
source = "world"
questions = 1
params = { positions = 2, orders = 1 }
retrieval = { realms = 1 }
"""
CONFIGS = [
    "single_needle_en_4k",
    "ancestral_trace_direct_en_4k",
    "numeric_sorting_ascending_4k",
    "latent_list_4k",
    "idk_4k",
    "rag_world_8k",
]
NUMBERS = "numeric_sorting_ascending_4k"
NAME = f"probe-{STREAM}"


@pytest.fixture(scope="session")
def original(common: Path) -> Path:
    """The release that is sealed: a twin of the recipe above."""
    folder = common / "secret" / NAME / "1.0.0"
    with alone(common):
        if not folder.is_dir():
            recipe = write(common / "recipes", RECIPE, "probe.toml")
            assert built_here(recipe, common / "secret", "--stream", STREAM) == folder
    return folder


@pytest.fixture(scope="session")
def kept(original: Path, common: Path) -> Sealed:
    """The two parts of it: to be read, never altered."""
    with alone(common):
        home = common / "sealed" / "probe-sealed"
        if not (home / "1.0.0").is_dir():
            seal(original, Order(common / "sealed"), Silent(), KEY)
    return Sealed(home / "1.0.0", home / "1.0.0.answers")


@pytest.fixture
def parts(kept: Sealed, tmp_path: Path) -> Sealed:
    """The two parts, to damage."""
    return Sealed(*(shutil.copytree(part, tmp_path / part.name) for part in kept))


def revealed(parts: Sealed, configs: tuple[str, ...] = (), **options) -> Verification:
    return reveal(open_sealed(Folder(parts.public)), Folder(parts.answers), configs, **options)


def answers_of(parts: Sealed, config: str) -> Path:
    return parts.answers / "answers" / f"{config}.jsonl"


def edit(parts: Sealed, config: str, change) -> None:
    """Change the lines of a config's answers, as parsed."""
    file = answers_of(parts, config)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    changed = change(lines)
    lines = lines if changed is None else changed
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def forge_manifest(folder: Path, change, path: str = "") -> None:
    """Change a manifest's content, and a file of which it says the hash."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    change(manifest["content"])
    if path:
        manifest["files"][path] = file_entry(folder / path).to_json()
    (folder / "manifest.json").write_bytes(canonical(manifest))


def alter_public(parts: Sealed, config: str, index: int, **columns: object) -> None:
    """Change columns of a row of the public part."""
    for file in sorted((parts.public / "data" / config).iterdir()):
        table = pq.read_table(file).to_pylist()
        if index < len(table):
            table[index].update(columns)
            pq.write_table(pa.Table.from_pylist(table, schema=SCHEMA), file, use_dictionary=False)
            return
        index -= len(table)
