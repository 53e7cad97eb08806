"""Where sentences end: nltk's punkt with its English parameters, or rules where those files are not on this machine.

Punkt is what the published scorers use. Its four files are looked for where nltk and Carrara keep them, and taken only
with the bytes that are pinned here; nothing is fetched. The rules need no files and cut otherwise in about one sentence
of fifty, so that which of the two was used is told with every score that rests on it (`splitter().name`).
"""

import hashlib
import importlib.util
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Protocol

# The files that hold punkt's English parameters, with their sha256: other files would cut other sentences.
SHA256: Final = {
    "abbrev_types.txt": "92a3e070f43d9b4c5534758ca40ad7343b04e7e29bfe0c2eb658a39445a4f779",
    "collocations.tab": "8e2da1225e4dd2cc9dba261ee231ccb134859e21b46006e7f472c5ee269af0cf",
    "ortho_context.tab": "4bbcca25ed3d3f06c02402abf8419b9f033b8adc06e7b482eca4e45f81a5dc4c",
    "sent_starters.txt": "f3f8535483e1dba487241b764945168123bca3209a9645e59acd1225dc76edac",
}
# Where nltk keeps them below a folder of its data.
ENGLISH: Final = "tokenizers/punkt_tab/english"
# Punkt takes quadratic time on long words of marks, and 0.1 ms for every mark.
_LONGEST_WORD: Final = 200
_MOST_MARKS: Final = 2_000

_END: Final = re.compile(r"(?:(?<![.?!…])[.?!…]+[\"'”’)\]]{0,4}(?=\s)|(?<![。！？])[。！？]+[\"”’」』）]{0,4})\s*")
_ABBREVIATIONS: Final = frozenset(
    (
        *("mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "capt", "col", "gen", "lt", "sgt", "rev", "hon", "gov"),
        *("sen", "rep", "mt", "ft", "no", "vol", "ed", "eds", "pp", "ca", "c", "cf", "e.g", "i.e", "etc", "vs", "fig"),
        *(
            "jan",
            "feb",
            "mar",
            "apr",
            "jun",
            "jul",
            "aug",
            "sep",
            "sept",
            "oct",
            "nov",
            "dec",
            "inc",
            "ltd",
            "co",
            "u.s",
        ),
    )
)


class Splitter(Protocol):
    """Cuts text into sentences."""

    @property
    def name(self) -> str:
        """What it is called in results."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the sentences of a text stand: [start, end) in order, without the white space between."""


@dataclass(frozen=True, slots=True)
class Punkt:
    """nltk's sentence tokenizer."""

    tokenizer: Any
    name: str = "nltk punkt"

    def spans(self, text: str) -> list[tuple[int, int]]:
        """As the tokenizer cuts; a text with over 2,000 end marks or a word of over 200 characters by the rules."""
        if sum(map(text.count, ".?!")) > _MOST_MARKS or any(len(word) > _LONGEST_WORD for word in text.split()):
            return Rules().spans(text)
        return [(int(start), int(end)) for start, end in self.tokenizer.span_tokenize(text)]


@dataclass(frozen=True, slots=True)
class Rules:
    """A sentence ends at an end mark before white space and no small letter, unless an abbreviation stands there."""

    name: str = "rules"

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The sentences."""
        cuts = [0]
        for mark in _END.finditer(text):
            following = text[mark.end() : mark.end() + 1]
            if following and not following.islower() and not _is_abbreviation(text, mark.start(), cuts[-1]):
                cuts.append(mark.end())
        whole = ((start, text[start:end]) for start, end in pairwise([*cuts, len(text)]))
        return [
            (start + len(part) - len(part.lstrip()), start + len(part.rstrip()))
            for start, part in whole
            if part.strip()
        ]


@cache
def splitter() -> Splitter:
    """Punkt, or the rules where nltk or its parameters are not here; looked for once a process."""
    folder = next((folder for folder in parameter_folders() if not objection(folder)), None)
    if folder is None or importlib.util.find_spec("nltk") is None:
        return Rules()
    return Punkt(punkt(folder))


def punkt(folder: Path) -> Any:
    """nltk's sentence tokenizer with the English parameters in a folder that `objection` has nothing against."""
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    # Read here and not by nltk: it refuses files with more than one hard link, which some installers make.
    parameters.abbrev_types = set(_lines(folder, "abbrev_types.txt"))
    parameters.sent_starters = set(_lines(folder, "sent_starters.txt"))
    parameters.collocations = {tuple(line.split("\t")) for line in _lines(folder, "collocations.tab")}
    for line in _lines(folder, "ortho_context.tab"):
        word, flags = line.rsplit("\t", 1)
        parameters.ortho_context[word] = int(flags)
    tokenizer = PunktSentenceTokenizer()
    tokenizer._params = parameters
    return tokenizer


def parameter_folders() -> Iterator[Path]:
    """Where the parameters may lie: nltk's own places, Carrara's cache, a package that carries them."""
    for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep):
        if folder:
            yield Path(folder) / ENGLISH
    for home in (os.environ.get("CARRARA_CACHE"), Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "carrara"):
        if home:
            yield _expanded(Path(home)) / "nltk_data" / ENGLISH
    yield _expanded(Path("~/nltk_data")) / ENGLISH
    yield Path("/usr/share/nltk_data") / ENGLISH
    # This package carries the files; it is found without being imported.
    spec = importlib.util.find_spec("llama_index")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        yield Path(folder) / "core/_static/nltk_cache" / ENGLISH


def objection(folder: Path) -> str:
    """Why a folder does not hold the pinned parameters; "" where it does."""
    if not folder.is_dir():
        return "no such folder"
    for name, wanted in SHA256.items():
        try:
            got = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        except OSError as error:
            return f"{name}: cannot be read ({error.strerror or error})"
        if got != wanted:
            return f"{name} has sha256 {got[:12]}…, expected {wanted[:12]}…"
    return ""


def _lines(folder: Path, name: str) -> list[str]:
    return [line for line in (folder / name).read_text(encoding="utf-8").split("\n") if line]


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:
        # No home folder.
        return path


def _is_abbreviation(text: str, at: int, start: int) -> bool:
    """Tell whether the word before `at` is an initial or an abbreviation, so that its full stop ends no sentence."""
    if text[at] != "." or text[at : at + 2] == "..":
        return False
    word = text[max(start, at - 12) : at].rpartition(" ")[2].strip("(\"'“‘")
    return (len(word) == 1 and word.isupper()) or word.lower() in _ABBREVIATIONS
