"""What a variant's rows are made of in tests: the invented world, files written for the tests, or the real sources.

A variant whose source a user must bring is tested on files that hold texts of the world in that source's form (see
`Case.files`); one whose source is pinned in the registry, on the folder of real sources, at 4k alone, and skipped where
that is absent.
"""

import tempfile
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pytest
from cases import case_of
from folders import CORPORA

from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import EMBEDDED, Recipe, recipe_from_table
from carrara.sources import pins
from carrara.stream import Stream
from carrara.tables import Question
from carrara.tasks import TASKS
from carrara.world.documents.article import article

# Long enough for rows of 32k; more than the items of a test.
_SENTENCES = 700
_DOCUMENTS = 9
ITEMS = 6
# Rows of 32k tokens take eight times as long to make.
LONG_ITEMS = 3


def source_of(task: str, variant: str) -> str:
    """The source that a cell of the variant has by default; "" for a task that takes none."""
    sources = TASKS[task].sources
    return TASKS[task].variants[variant].source or (sources[0] if sources else "")


def is_embedded(task: str, variant: str) -> bool:
    """Whether the variant needs no files."""
    return source_of(task, variant) in {"", *EMBEDDED}


@cache
def repeated() -> frozenset[tuple[str, str]]:
    """Task and variant of those that take the code paths of one before them.

    They differ from it in wordings, language or source alone. Those that need no files come first: everybody can run
    them; what reads the others' files has tests of its own.
    """
    taken: set[tuple[object, ...]] = set()
    found = set()
    for name, task in TASKS.items():
        own = [variant for variant in task.variants if is_embedded(name, variant)]
        for variant in [*own, *(one for one in task.variants if one not in own)]:
            path = (name, task.metric(variant), task.base(variant) == variant, case_of(name).mutants_of(variant))
            if path in taken or (own and variant not in own):
                found.add((name, variant))
            taken.add(path)
    return frozenset(found)


def need(task: str, variant: str, tokens: int = 4_096) -> None:
    """Skip the test where the variant's source is not here, or has no texts for rows of so many tokens."""
    source = source_of(task, variant)
    if source in case_of(task).few:
        pytest.skip(f"the published sample of {source} has fewer questions than these tests take")
    if source in case_of(task).files:
        if tokens > 32_768:
            pytest.skip(f"the files written for {source} have no text for rows of {tokens} tokens")
    elif source in pins():
        if not CORPORA.is_dir():
            pytest.skip(f"{source} is not here: set CARRARA_SOURCES to the folder of real sources")
        if not (CORPORA / pins()[source].folder).is_dir():
            pytest.skip(f"the folder of real sources has no {source}")
        if tokens > 4_096:
            pytest.skip(f"{source} has no text for rows of {tokens} tokens")
    elif not is_embedded(task, variant):
        pytest.skip(f"no files in the form of {source} are written here")


def folder(task: str, variant: str) -> Path | None:
    """Where the files of the variant's source lie."""
    if is_embedded(task, variant):
        return None
    source = source_of(task, variant)
    return _written(task, source)[0] if source in case_of(task).files else CORPORA


def own_sources(task: str, variant: str) -> dict[str, Any]:
    """The pins of files written here, as a recipe has them."""
    source = source_of(task, variant)
    return {source: _written(task, source)[1]} if source in case_of(task).files else {}


@cache
def _written(task: str, source: str) -> tuple[Path, dict[str, Any]]:
    parent = Path(tempfile.mkdtemp(prefix=f"carrara-{source}-"))
    files = case_of(task).files[source]
    texts = files.write()
    for name, text in texts.items():
        (parent / source / name).parent.mkdir(parents=True, exist_ok=True)
        (parent / source / name).write_text(text, encoding="utf-8")
    return parent, files.pin(texts)


@cache
def articles() -> list[list[str]]:
    """Long texts of the world, paragraph by paragraph."""
    return [article(Stream("variants"), "en", number, _SENTENCES).text.split("\n\n") for number in range(_DOCUMENTS)]


def question_row(question: Question) -> dict[str, Any]:
    """A question as a line of a user's own table."""
    return {key: value for key, value in asdict(question).items() if key != "readings"}


def recipe(task: str, variant: str, tokenizer: str = "o200k_base", stream: str = "conformance/1", **cell) -> Recipe:
    if TASKS[task].variants[variant].search is not None and is_embedded(task, variant):
        # The smallest corpus of the world: every stream has one to make and to search.
        cell = {"retrieval": {"corpus": "world", "realms": 1}, **cell}
    return recipe_from_table(
        {
            "name": "conformance",
            "version": "1.0.0",
            "stream": stream,
            "tokenizer": tokenizer,
            "buckets": {"4k": 4_096, "8k": 8_192, "32k": 32_768},
            "cell": [
                {
                    "task": task,
                    "variants": [variant],
                    "questions": ITEMS,
                    "params": case_of(task).params.get(variant, {}),
                    **cell,
                }
            ],
            "source": own_sources(task, variant),
        }
    )


def maker(task: str, variant: str, tokenizer: str = "o200k_base", stream: str = "conformance/1") -> RowMaker:
    need(task, variant)
    return made_once(task, variant, tokenizer, stream)


@lru_cache(maxsize=8)
def made_once(task: str, variant: str, tokenizer: str, stream: str) -> RowMaker:
    return RowMaker(recipe(task, variant, tokenizer, stream), folder(task, variant))


def many(task: str, variant: str, items: int) -> RowMaker:
    """What makes so many items: a run of retrieved passages holds as many questions as its recipe asks."""
    if TASKS[task].variants[variant].search is None or items <= ITEMS:
        return maker(task, variant)
    need(task, variant)
    searched = {"corpus": "world", "realms": 16} if is_embedded(task, variant) else {}
    return RowMaker(recipe(task, variant, questions=items, retrieval=searched), folder(task, variant))


@lru_cache(maxsize=128)
def row_of(made: RowMaker, bucket: str, item: int, placement: int = 0) -> dict[str, Any]:
    """A row, made once: `make` raises on any finding of solver, gold, length, fill, evidence or wrong answers."""
    (config,) = (config for config in made.recipe.configs() if config.bucket == bucket)
    return made.make(config, config.slot(item * config.placements + placement)).row.to_arrow()


def rows(made: RowMaker, bucket: str = "4k") -> list[dict[str, Any]]:
    return [row_of(made, bucket, item) for item in range(ITEMS if bucket == "4k" else LONG_ITEMS)]
