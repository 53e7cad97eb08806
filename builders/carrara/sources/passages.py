"""Passages of real corpora: what becomes of a title and a text, and the id, which is taken from both.

The same passage in two files is one passage: the id is the first 16 hex digits of the sha256 of "title\\ntext" after
tidying. Must not change without a new version of every reader that makes passages: the id, and where articles are cut.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

from carrara.sources.document import tidy
from carrara.tables import Passage

WORDS: Final = 100
_OPENING: Final = "\"'“‘«"


def content_id(text: str) -> str:
    """The first 16 hex digits of the sha256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def passage(title: str, text: str, id: str = "") -> Passage:
    """A passage of one line each, its text perhaps empty; without an `id` it is called by what it holds."""
    title, text = tidy(title), tidy(text)
    return Passage(id or content_id(f"{title}\n{text}"), title, text)


def dump_passage(title: str, text: str) -> Passage:
    """A passage of the Wikipedia dump of DPR, whose text begins with the title where the article begins.

    The title is taken off where the text says it again, or goes on as a sentence begins: with a capital, a digit or a
    quotation mark. "Joseph Kony and others were ..." keeps it.
    """
    title, text = tidy(title), tidy(text)
    rest = text[len(title) + 1 :]
    if title and text.startswith(f"{title} ") and rest:
        begins = rest[0].isupper() or rest[0].isdigit() or rest[0] in _OPENING
        if begins or rest.startswith(title):
            text = rest
    return Passage(content_id(f"{title}\n{text}"), title, text)


def article(title: str, paragraphs: Iterable[str]) -> Iterator[Passage]:
    """An article in passages of 100 words, the last one shorter; headings and list marks of KILT are left out."""
    words: list[str] = []
    for number, line in enumerate(paragraphs):
        line = tidy(line)
        if line.startswith("Section::::") or (number == 0 and line == tidy(title)):
            continue
        words += line.removeprefix("BULLET::::").removeprefix("- ").split()
    for start in range(0, len(words), WORDS):
        yield passage(title, " ".join(words[start : start + WORDS]))
