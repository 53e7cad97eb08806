"""nltk's English sentence tokenizer for building rows, which must cut alike everywhere: no rules stand in for it.

Its parameters are looked for wherever they may lie (`carrara.text.sentences`); the last resort is nltk's own download
into Carrara's cache.
"""

from functools import cache
from pathlib import Path
from typing import Any

from carrara.engine.cache import cache_folder
from carrara.errors import SourceError, library
from carrara.text.sentences import ENGLISH, objection, parameter_folders, punkt


@cache
def tokenizer() -> Any:
    """The tokenizer with the pinned parameters, made once a process. Raises SourceError where they cannot be had."""
    return punkt(parameter_folder())


def parameter_folder() -> Path:
    """The first folder that holds the four pinned files. Raises SourceError with every folder that does not."""
    reasons: list[str] = []
    for folder in [*parameter_folders(), None]:
        if folder is None:
            folder = _download()
        reason = objection(folder)
        if not reason:
            return folder
        reasons.append(f"{folder}: {reason}")
    raise SourceError(
        "the English sentence parameters of nltk (punkt_tab) were not found; looked in\n    " + "\n    ".join(reasons),
        "Set NLTK_DATA to a folder that holds tokenizers/punkt_tab/english, or let a machine with a network run "
        "python -m nltk.downloader punkt_tab.",
    )


def _download() -> Path:
    folder = cache_folder() / "nltk_data"
    folder.mkdir(parents=True, exist_ok=True)
    # Gives False, and does not raise, when there is no network; the check of the hashes says the rest.
    library("nltk", "build").download("punkt_tab", download_dir=str(folder), quiet=True)
    return folder / ENGLISH
