"""A built release of mixed licences, for the tests of parts and of publishing; the session's processes share it."""

import hashlib
import json
from pathlib import Path

import pytest
from commands import alone, built_here, common, write

__all__ = ["common", "mixed", "mixed_sources"]

# Permissive: the world (with retrieval), and documents of one's own. Not: documents and passages under other licences.
RECIPE = """\
name = "mixed"
version = "1.0.0"
title = "Mixed"
stream = "tests/1"
tokenizer = "o200k_base"
buckets = { 4k = 4096, 8k = 8192 }
reserve = 0

[[cell]]
task = "single_needle"
variants = ["en"]
source = "free"
questions = 1
params = { depths = 1 }

[[cell]]
task = "sentence_arrangement"
variants = ["documents"]
source = "sold"
buckets = ["4k"]
questions = 2

[[cell]]
task = "numeric_sorting"
variants = ["ascending"]
buckets = ["4k"]
questions = 1

[[cell]]
task = "rag"
variants = ["world"]
source = "world"
buckets = ["4k"]
questions = 1
params = { shots = 0 }
retrieval = { retriever = "bm25", realms = 1 }

[[cell]]
task = "rag"
variants = ["own"]
source = "own"
buckets = ["4k"]
questions = 1
params = { shots = 0 }
"""
PINS = {
    "free": ("jsonl", "CC-BY-4.0 (texts); MIT (the selection)", ("free.jsonl",)),
    "sold": ("jsonl", "CC-BY-NC-4.0", ("sold.jsonl",)),
    "own": ("tables", "CC-BY-SA-4.0 (passages)", ("passages.jsonl", "questions.jsonl")),
}
PERMISSIVE = ["numeric_sorting_ascending_4k", "rag_world_4k", "single_needle_en_4k", "single_needle_en_8k"]
OTHERS = ["rag_own_4k", "sentence_arrangement_documents_4k"]
NAMES = ("Anna", "Bertil", "Chiara", "Dmitri", "Esther", "Farid", "Greta", "Hanno", "Ines", "Jonas")
PLACES = ("harbour", "mill", "market", "tower", "bridge", "quarry", "station", "orchard")
THINGS = ("lamp", "ledger", "kettle", "map", "violin", "ladder")


def sentences(verb: str, count: int) -> list[str]:
    listed = [
        f"{name} {verb} the {place} {number} times before the {thing} was found."
        for number in range(2, 12)
        for name in NAMES
        for place in PLACES
        for thing in THINGS
    ]
    return listed[:count]


def lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def documents(verb: str) -> str:
    every = sentences(verb, 2_400)
    parts = [every[start : start + 240] for start in range(0, len(every), 240)]
    return lines([{"paragraphs": [" ".join(part)]} for part in parts])


def tables() -> dict[str, str]:
    every = sentences("passed", 4_000)
    passages = [
        {"id": f"p{number}", "title": f"Report {number}", "text": " ".join(every[number * 8 : number * 8 + 8])}
        for number in range(400)
    ]
    towns = [
        f"{start}{middle}{end}" for start in ("Bren", "Ost", "Vol") for middle in ("ga", "mi") for end in ("dur", "lex")
    ]
    for number, town in enumerate(towns):
        passages[number]["text"] = f"The old registry of the valley lies in {town}. {passages[number]['text']}"
    questions = [
        {
            "id": f"q{number}",
            "text": f"In which town lies the old registry that report {number} tells of?",
            "answers": [[town]],
            "evidence": [{"passage": f"p{number}"}],
        }
        for number, town in enumerate(towns)
    ]
    return {"passages.jsonl": lines(passages), "questions.jsonl": lines(questions)}


def write_sources(folder: Path) -> str:
    """Write the files below `folder`; the recipe's tables of them."""
    contents = {"free.jsonl": documents("walked to"), "sold.jsonl": documents("ran past"), **tables()}
    pins = ""
    for name, (reader, licence, files) in PINS.items():
        pins += f'\n[source.{name}]\ntitle = "{name}"\nreader = "{reader}"\nlang = "en"\nlicence = "{licence}"\n'
        pins += f"[source.{name}.files]\n"
        for file in files:
            write(folder / name, contents[file], file)
            pins += f'"{file}" = "{hashlib.sha256(contents[file].encode()).hexdigest()}"\n'
    return pins


@pytest.fixture(scope="session")
def mixed_sources(common: Path) -> Path:
    """The folder of its sources."""
    return common / "mixed" / "sources"


@pytest.fixture(scope="session")
def mixed(common: Path, mixed_sources: Path) -> Path:
    """The release: to be read, never altered."""
    home = common / "mixed"
    with alone(common):
        if not (home / "out" / "mixed" / "1.0.0").is_dir():
            recipe = write(home / "recipes", RECIPE + write_sources(mixed_sources), "mixed.toml")
            built_here(recipe, home / "out", "--sources", mixed_sources)
    return home / "out" / "mixed" / "1.0.0"
