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

_FILES: Final = ("abbrev_types.txt", "collocations.tab", "ortho_context.tab", "sent_starters.txt")
# sha256 of the four files, one behind the other.
_SHA256: Final = "87b7437941fb4df13edcd8cad64ff370f548f8c3e9503a795e05bef42bf34bdc"
_ENGLISH: Final = "tokenizers/punkt_tab/english"
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
    found = next((files for folder in _folders() if (files := _read(folder)) is not None), None)
    if found is None or importlib.util.find_spec("nltk") is None:
        return Rules()
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    abbreviations, collocations, contexts, starters = (text.split("\n") for text in found)
    parameters = PunktParameters()
    parameters.abbrev_types = {*filter(None, abbreviations)}
    parameters.sent_starters = {*filter(None, starters)}
    parameters.collocations = {tuple(line.split("\t")) for line in collocations if line}
    for line in filter(None, contexts):
        word, flags = line.rsplit("\t", 1)
        parameters.ortho_context[word] = int(flags)
    made = PunktSentenceTokenizer()
    made._params = parameters
    return Punkt(made)


def _folders() -> Iterator[Path]:
    """Where the files may lie: nltk's places, Carrara's cache, a package that carries them."""
    for place in os.environ.get("NLTK_DATA", "").split(os.pathsep):
        if place:
            yield Path(place) / _ENGLISH
    for home in (os.environ.get("CARRARA_CACHE"), Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "carrara"):
        if home:
            yield _expanded(Path(home)) / "nltk_data" / _ENGLISH
    yield _expanded(Path("~/nltk_data")) / _ENGLISH
    yield Path("/usr/share/nltk_data") / _ENGLISH
    spec = importlib.util.find_spec("llama_index")
    for place in (spec.submodule_search_locations or []) if spec else []:
        yield Path(place) / "core/_static/nltk_cache" / _ENGLISH


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:
        # No home folder.
        return path


def _read(folder: Path) -> list[str] | None:
    try:
        data = [(folder / name).read_bytes() for name in _FILES]
    except OSError:
        return None
    if hashlib.sha256(b"".join(data)).hexdigest() != _SHA256:
        return None
    return [part.decode() for part in data]


def _is_abbreviation(text: str, at: int, start: int) -> bool:
    """Tell whether the word before `at` is an initial or an abbreviation, so that its full stop ends no sentence."""
    if text[at] != "." or text[at : at + 2] == "..":
        return False
    word = text[max(start, at - 12) : at].rpartition(" ")[2].strip("(\"'“‘")
    return (len(word) == 1 and word.isupper()) or word.lower() in _ABBREVIATIONS
