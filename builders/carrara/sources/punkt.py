"""Punkt's English parameters, found wherever they lie and checked against hashes pinned here.

The boundaries of English sentences follow from these four files and from nltk's algorithm: another set of files
would give other rows, so that a folder with other bytes is passed over.
"""

import importlib.util
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from carrara.errors import SourceError
from carrara.sources import disk
from carrara.sources.cache import cache_folder

SHA256 = {
    "abbrev_types.txt": "92a3e070f43d9b4c5534758ca40ad7343b04e7e29bfe0c2eb658a39445a4f779",
    "collocations.tab": "8e2da1225e4dd2cc9dba261ee231ccb134859e21b46006e7f472c5ee269af0cf",
    "ortho_context.tab": "4bbcca25ed3d3f06c02402abf8419b9f033b8adc06e7b482eca4e45f81a5dc4c",
    "sent_starters.txt": "f3f8535483e1dba487241b764945168123bca3209a9645e59acd1225dc76edac",
}
_ENGLISH = "tokenizers/punkt_tab/english"


@cache
def tokenizer() -> Any:
    """nltk's sentence tokenizer with the pinned English parameters; made once a process."""
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    folder = parameter_folder()
    parameters = PunktParameters()
    # Read here and not by nltk: it refuses files with more than one hard link, which some installers make.
    parameters.abbrev_types = set(_lines(folder, "abbrev_types.txt"))
    parameters.sent_starters = set(_lines(folder, "sent_starters.txt"))
    parameters.collocations = {tuple(line.split("\t")) for line in _lines(folder, "collocations.tab")}
    for line in _lines(folder, "ortho_context.tab"):
        word, flags = line.rsplit("\t", 1)
        parameters.ortho_context[word] = int(flags)
    made = PunktSentenceTokenizer()
    made._params = parameters
    return made


def parameter_folder() -> Path:
    """The first folder that holds the four pinned files; the last resort is nltk's own download into our cache."""
    reasons: list[str] = []
    for folder in [*_folders(), None]:
        if folder is None:
            folder = _download()
        reason = _objection(folder)
        if not reason:
            return folder
        reasons.append(f"{folder}: {reason}")
    raise SourceError(
        "the English sentence parameters of nltk (punkt_tab) were not found; looked in\n    " + "\n    ".join(reasons),
        "Set NLTK_DATA to a folder that holds tokenizers/punkt_tab/english, or let a machine with a network run "
        "python -m nltk.downloader punkt_tab.",
    )


def _folders() -> Iterator[Path]:
    for place in os.environ.get("NLTK_DATA", "").split(os.pathsep):
        if place:
            yield Path(place) / _ENGLISH
    yield cache_folder() / "nltk_data" / _ENGLISH
    # This package carries the files; it is found without being imported.
    spec = importlib.util.find_spec("llama_index")
    for place in (spec.submodule_search_locations or []) if spec else []:
        yield Path(place) / "core/_static/nltk_cache" / _ENGLISH


def _download() -> Path:
    import nltk

    place = cache_folder() / "nltk_data"
    place.mkdir(parents=True, exist_ok=True)
    # Gives False, and does not raise, when there is no network; the check of the hashes says the rest.
    nltk.download("punkt_tab", download_dir=str(place), quiet=True)
    return place / _ENGLISH


def _objection(folder: Path) -> str:
    if not folder.is_dir():
        return "no such folder"
    for name, wanted in SHA256.items():
        try:
            got, _ = disk.digest(folder / name, name)
        except SourceError as error:
            return error.message
        if got != wanted:
            return f"{name} has sha256 {got[:12]}…, expected {wanted[:12]}…"
    return ""


def _lines(folder: Path, name: str) -> list[str]:
    return [line for line in (folder / name).read_text(encoding="utf-8").split("\n") if line]
