"""The form of a manifest that nobody vouches for: which fields it must have, of which kind, size and range (law 17).

Must not change but by additions with a default: what is refused here can no longer be read by any later version.
"""

import re
import reprlib
from collections.abc import Callable, Mapping
from typing import Any

from carrara.errors import ReleaseError
from carrara.recipe.publication import publication_of

FORMAT = "carrara/1"
MANIFEST = "manifest.json"
CROISSANT = "croissant.json"
# Known errors: written beside a release after it was published, so in no manifest.
ERRATA = "errata.json"
MAX_FILES = 200_000
MAX_CONFIGS = 100
MAX_ROWS = 1_000_000
MAX_PROBES = 10_000
MAX_NOTES = 20
MAX_TEXT = 20_000
_MAX_DEPTH = 50
HINT = "Give the folder of a release, as carrara build wrote it or as it was downloaded."

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")
_CONFIG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_PART = re.compile(r"[A-Za-z0-9._-]{1,200}")
_HEX = re.compile(r"[0-9a-f]{64}")
_WHOLE = re.compile(r"[0-9]{1,18}")

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 80


def check_form(manifest: Any) -> None:
    """Raises ReleaseError on a manifest that lacks a field, or holds one of another kind, size or range."""
    _check(manifest, _TOP, MANIFEST)
    if unknown := sorted(set(manifest) - set(_TOP)):
        raise ReleaseError(f"{MANIFEST}: unknown key {shown(unknown[0])}, expected {', '.join(_TOP)}", HINT)
    content, files = manifest["content"], manifest["files"]
    _check(content, _CONTENT, "content")
    _check(content["tokenizer"], {"name": _TEXT, "fingerprint": _TEXT}, "content.tokenizer")
    _check_recipe(content["recipe"])
    for name, source in content["sources"].items():
        _check(source, _SOURCE, f"content.sources.{shown(name)}")
    # Of releases with retrieved passages.
    runs = content.get("runs", {})
    if not _is_table(runs, lambda run: True, MAX_CONFIGS):
        raise ReleaseError(f"content.runs = {shown(runs)}, expected a table of at most {MAX_CONFIGS} runs", HINT)
    for name, run in runs.items():
        _check(run, _RUN, f"content.runs.{shown(name)}")
        _check(run["corpus"], _CORPUS, f"content.runs.{shown(name)}.corpus")
        _check(run["retriever"], _RETRIEVER, f"content.runs.{shown(name)}.retriever")
    # The card's hand-written sections, of releases that have some.
    if not _is_text(content.get("written", "")):
        raise ReleaseError(f"content.written = {shown(content['written'])}, expected {_TEXT[1]}", HINT)
    # Of releases whose answers are withheld.
    if "sealed" in content:
        _check(content["sealed"], _SEALED, "content.sealed")
        if missing := sorted(set(content["configs"]) - set(content["sealed"]["roots"])):
            raise ReleaseError(f"content.sealed.roots has no {shown(missing[0])}, expected every config", HINT)
    for name, facts in content["configs"].items():
        if not _CONFIG.fullmatch(name):
            raise ReleaseError(f"config {shown(name)}, expected letters, digits, '.', '_', '-'", HINT)
        _check(facts, _FACTS, f"content.configs.{name}")
        # Releases before 0.2 have none.
        for number, cell in enumerate(_listed(facts.get("probes", []), f"content.configs.{name}.probes")):
            _check(cell, _PROBE, f"content.configs.{name}.probes[{number}]")
        # Of tasks that tell something of their rows.
        if not _is_table(notes := facts.get("notes", {}), _is_note, MAX_NOTES):
            raise ReleaseError(f"content.configs.{name}.notes = {shown(notes)}, expected tables of numbers", HINT)
    for path, entry in files.items():
        if not is_inside(path) or path == MANIFEST:
            raise ReleaseError(f"files: {shown(path)}, expected a relative path inside the release", HINT)
        _check(entry, {"sha256": _HASH, "bytes": _COUNT}, f"files.{path}")


def _check_recipe(recipe: Mapping[str, Any]) -> None:
    """What is read of a recipe without its code: the cells, which sources are the user's own, who publishes it."""
    _check(recipe, _RECIPE, "content.recipe")
    if not _is_shallow(recipe, _MAX_DEPTH):
        raise ReleaseError(f"content.recipe is nested deeper than {_MAX_DEPTH} levels, expected a recipe", HINT)
    for number, cell in enumerate(recipe["cells"]):
        _check(cell, _CELL, f"content.recipe.cells[{number}]")
        if missing := sorted(set(cell["buckets"]) - set(cell["questions"])):
            told = f"content.recipe.cells[{number}].questions has no {shown(missing[0])}"
            raise ReleaseError(f"{told}, expected every bucket of the cell", HINT)
        corpus = cell.get("retrieval", {})
        if not isinstance(corpus, dict) or not _is_text(corpus.get("corpus", "")):
            raise ReleaseError(f"content.recipe.cells[{number}].retrieval = {shown(corpus)}, expected a table", HINT)
    if not _is_table(own := recipe.get("own_sources", {}), lambda source: isinstance(source, dict), 1_000):
        raise ReleaseError(f"content.recipe.own_sources = {shown(own)}, expected a table of sources", HINT)
    try:
        publication_of(recipe)
    except (TypeError, ValueError) as error:
        raise ReleaseError(f"content.recipe.publication: {shown(str(error))}", HINT) from error


def is_inside(path: str) -> bool:
    """Whether a relative path is plain: ASCII parts joined by '/', none of them '.' or '..'."""
    parts = path.split("/")
    return len(path) <= 400 and all(_PART.fullmatch(part) and part not in {".", ".."} for part in parts)


def is_version(value: Any) -> bool:
    """Whether it is a version, MAJOR.MINOR.PATCH."""
    return isinstance(value, str) and bool(_VERSION.fullmatch(value))


def version_order(version: str) -> tuple[int, int, int]:
    """A version as numbers, in whose order versions come. Raises ReleaseError on anything else."""
    if not (match := _VERSION.fullmatch(version)):
        raise ReleaseError(f"version {shown(version)}", "Expected MAJOR.MINOR.PATCH, like 1.0.0.")
    major, minor, patch = map(int, match.groups())
    return major, minor, patch


def shown(value: Any) -> str:
    """A hostile value for an error line: escaped, at most 80 characters."""
    text = _REPR.repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


_Rule = tuple[Callable[[Any], bool], str]


def _check(table: Any, rules: Mapping[str, _Rule], where: str) -> None:
    if not isinstance(table, dict):
        raise ReleaseError(f"{where} is a {type(table).__name__}, expected a table", HINT)
    for key, (fits, expected) in rules.items():
        if key not in table:
            raise ReleaseError(f"{where} has no {key!r}, expected {expected}", HINT)
        if not fits(table[key]):
            raise ReleaseError(f"{where}: {key} = {shown(table[key])}, expected {expected}", HINT)


def _is_shallow(value: Any, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return True
    return levels > 0 and all(
        _is_shallow(part, levels - 1) for part in (value.values() if isinstance(value, dict) else value)
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _is_list(value: Any, fits: Callable[[Any], bool], most: int) -> bool:
    return isinstance(value, list) and len(value) <= most and all(map(fits, value))


def _is_table(value: Any, fits: Callable[[Any], bool], most: int) -> bool:
    return isinstance(value, dict) and len(value) <= most and all(map(fits, value.values()))


def _is_numbers(value: Any, *keys: str) -> bool:
    if not isinstance(value, dict) or set(value) != set(keys):
        return False
    return all(type(one) in {int, float} and abs(one) < 1 << 63 for one in value.values())


def _is_scores(value: Any) -> bool:
    return _is_table(value, lambda score: isinstance(score, (int, float)) and 0 <= score <= 1, 100)


def _is_note(value: Any) -> bool:
    return _is_numbers(value, "min", "max", "mean")


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _listed(value: Any, where: str) -> list[Any]:
    if not _is_list(value, lambda cell: True, MAX_PROBES):
        raise ReleaseError(f"{where} = {shown(value)}, expected a list of at most {MAX_PROBES}", HINT)
    return list(value)


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and bool(_HEX.fullmatch(value))


def _is_paths(value: Any) -> bool:
    return _is_list(value, lambda path: isinstance(path, str) and is_inside(path), MAX_FILES) and value != []


_TEXT: _Rule = (_is_text, "a text of at most 20,000 characters")
_COUNT: _Rule = (_is_count, "a whole number")
_HASH: _Rule = (_is_hash, "a sha256 in hexadecimal")
_SUMMARY: _Rule = (
    lambda value: _is_numbers(value, "sum", "min", "max", "mean", "sd"),
    "a table of sum, min, max, mean, sd",
)
_TOP: Mapping[str, _Rule] = {
    "format": (lambda value: value == FORMAT, repr(FORMAT)),
    "content": (lambda value: isinstance(value, dict), "a table"),
    "files": (lambda value: _is_table(value, lambda entry: True, MAX_FILES), "a table of files"),
}
_CONTENT: Mapping[str, _Rule] = {
    "name": (lambda value: isinstance(value, str) and bool(_NAME.fullmatch(value)), "a name like needlebench"),
    "version": (is_version, "a version like 1.0.0"),
    **dict.fromkeys(("stream", "title", "canary"), _TEXT),
    "recipe_fingerprint": _HASH,
    "tokenizer": (lambda value: isinstance(value, dict), "a table"),
    "recipe": (lambda value: isinstance(value, dict), "a table"),
    "sources": (lambda value: _is_table(value, lambda entry: True, 1_000), "a table of sources"),
    "configs": (lambda value: _is_table(value, lambda entry: True, MAX_CONFIGS), "a table of at most 100 configs"),
}
_SOURCE: Mapping[str, _Rule] = {
    **dict.fromkeys(("title", "lang", "licence", "citation", "url", "fingerprint"), _TEXT),
    "files": (lambda value: _is_table(value, _is_hash, MAX_FILES), "a table of sha256"),
}
_FACTS: Mapping[str, _Rule] = {
    **dict.fromkeys(("task", "benchmark", "paper", "asks", "variant", "bucket"), _TEXT),
    **dict.fromkeys(("source", "lengths", "metric", "licence"), _TEXT),
    **dict.fromkeys(("bucket_tokens", "items", "groups", "answers"), _COUNT),
    **dict.fromkeys(("root", "plans"), _HASH),
    **dict.fromkeys(("tokens", "output_tokens"), _SUMMARY),
    "rows": (lambda value: _is_count(value) and value <= MAX_ROWS, f"a whole number up to {MAX_ROWS}"),
    "metrics": (lambda value: _is_list(value, _is_text, 100), "a list of metric names"),
    "files": (_is_paths, "a list of relative paths inside the release"),
    "fill": (lambda value: _is_numbers(value, "min", "mean"), "a table of min and mean"),
    "complexity": (
        lambda value: _is_table(value, _is_count, 100_000) and all(map(_WHOLE.fullmatch, value)),
        "a table of counts by whole numbers",
    ),
    "depths": (lambda value: _is_list(value, _is_count, 10) and len(value) == 10, "10 counts"),
    "histogram": (lambda value: _is_list(value, _is_count, 20) and len(value) == 20, "20 counts"),
    "paper_scores": (lambda value: _is_table(value, _is_scores, 100), "a table of tables of scores"),
}
_RECIPE: Mapping[str, _Rule] = {
    "cells": (lambda value: _is_list(value, lambda cell: isinstance(cell, dict), 1_000), "a list of tables"),
}
_CELL: Mapping[str, _Rule] = {
    **dict.fromkeys(("task", "lengths", "source"), _TEXT),
    **dict.fromkeys(("variants", "buckets"), (lambda value: _is_list(value, _is_text, 1_000), "a list of texts")),
    "questions": (lambda value: _is_table(value, _is_count, 1_000), "a table of counts by bucket"),
    "params": (lambda value: isinstance(value, dict), "a table"),
}
_CORPUS: Mapping[str, _Rule] = {"name": _TEXT, "passages": _COUNT}
_RETRIEVER: Mapping[str, _Rule] = {"name": _TEXT}
_RUN: Mapping[str, _Rule] = {
    "digest": _HASH,
    **dict.fromkeys(("questions", "candidates"), _COUNT),
    **dict.fromkeys(("dropped", "removed"), (lambda value: _is_table(value, _is_count, 100), "a table of counts")),
    **dict.fromkeys(("corpus", "retriever"), (lambda value: isinstance(value, dict), "a table")),
}
_SEALED: Mapping[str, _Rule] = {
    "scheme": _TEXT,
    **dict.fromkeys(("stream", "manifest"), _HASH),
    "roots": (lambda value: _is_table(value, _is_hash, MAX_CONFIGS), "a table of commitments by config"),
    "computable": (lambda value: _is_list(value, _is_text, MAX_CONFIGS), "a list of configs"),
}
_PROBE: Mapping[str, _Rule] = {
    **dict.fromkeys(("view", "probe"), _TEXT),
    **dict.fromkeys(("complexity", "items"), _COUNT),
    "mean": (_is_share, "a number from 0 to 1"),
    "histogram": (lambda value: _is_list(value, _is_count, 20) and len(value) == 20, "20 counts"),
}
