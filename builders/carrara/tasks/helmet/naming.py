"""Which texts hold a name: compared word by word, whatever the case, the accents and the punctuation.

Stands on the makers' side alone (worked examples, supporting passages, audits); solvers read names by other means.
Must not change without a major version: what counts as a word, for it decides which passages support an answer.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
_MARKS: Final = re.compile("[\u0300-\u036f]")
# Scripts that are written without spaces: a name may begin and end anywhere in a run of letters.
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def words(text: str) -> str:
    """The words of a text in lower case without accents, a space before and behind each; numbers without commas."""
    text = text.casefold()
    if not text.isascii():
        text = _MARKS.sub("", unicodedata.normalize("NFKD", text))
        text = _UNSPACED.sub(r" \g<0> ", text)
    return f" {' '.join(_WORD.findall(_joined_numbers(text)))} "


def holds(text: str, names: Sequence[str]) -> bool:
    """Whether a text holds one of some names, on word boundaries."""
    return bool(holding([text], [names])[0])


def holding(texts: Sequence[str], groups: Sequence[Sequence[str]]) -> list[list[int]]:
    """For every group of names the numbers of the texts that hold one of them, ascending.

    A name without a letter or digit is in no text. Linear in the texts, whatever the number of names.
    """
    sought: dict[str, list[tuple[str, int]]] = {}
    for group, names in enumerate(groups):
        for name in {words(name) for name in names} - {"  "}:
            sought.setdefault(name.split(maxsplit=1)[0], []).append((name, group))
    found: list[list[int]] = [[] for _ in groups]
    for number, text in enumerate(texts):
        flat = words(text)
        here = {group for first in sought.keys() & set(flat.split()) for name, group in sought[first] if name in flat}
        for group in here:
            found[group].append(number)
    return found


def _joined_numbers(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3})", "", text) if "," in text else text
