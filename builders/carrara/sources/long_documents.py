"""Long documents with questions or summaries as tables: what the readers of such datasets share.

Paragraphs stand apart by an empty line; sentences are those of `sentences.py`, found as far as they are read, for a
document of a million tokens has 60,000. Must not change without a new version of the readers: texts, spans, order.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, overload

from carrara.errors import SourceError
from carrara.sources.document import kept
from carrara.sources.sentences import split
from carrara.sources.tables import Lacking
from carrara.tables import Document, Lang

JOINT: Final = "\n\n"
_WORD: Final = re.compile(r"[a-z]+")
_PARTS: Final = {
    "train": {"train", "training"},
    "validation": {"validation", "valid", "val", "dev"},
    "test": {"test"},
}
_BLANK: Final = re.compile(r"\n[^\S\n]*\n")


def paragraphs(text: str) -> tuple[str, ...]:
    """The tidied paragraphs of a text: between empty lines; where it has none, its lines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    parts = _BLANK.split(text)
    return kept(parts if len(parts) > 1 else text.split("\n"))


def part(path: str) -> str:
    """Which part of its dataset a file is by its name: "train", "validation" or "test"; "" where it does not say."""
    words = set(_WORD.findall(path.rsplit("/", 1)[-1].lower()))
    return next((name for name, known in _PARTS.items() if words & known), "")


class Sentences(Sequence[tuple[int, int]]):
    """The spans of the sentences of a text of paragraphs, found when they are read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[tuple[int, int]] = []
        self._rest = self._cut()

    def __iter__(self) -> Iterator[tuple[int, int]]:
        number = 0
        while number < len(self._found) or self._more():
            yield self._found[number]
            number += 1

    def __len__(self) -> int:
        while self._more():
            pass
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> tuple[int, int]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[int, int]]: ...

    def __getitem__(self, index: int | slice) -> tuple[int, int] | Sequence[tuple[int, int]]:
        wanted = -1 if isinstance(index, slice) else index
        while (wanted < 0 or wanted >= len(self._found)) and self._more():
            pass
        return self._found[index]

    def _more(self) -> bool:
        """Find the sentences of one more paragraph; whether there was one."""
        span = next(self._rest, None)
        self._found += span or ()
        return span is not None

    def _cut(self) -> Iterator[list[tuple[int, int]]]:
        at = 0
        for paragraph in self._text.split(JOINT):
            spans: list[tuple[int, int]] = []
            for sentence in split(paragraph, "en"):
                spans.append((at, at + len(sentence)))
                at += len(sentence) + 1
            at += len(JOINT) - 1
            yield spans


class LongDocuments(Lacking):
    """The English documents that `read` gives, read when they are first asked for; no two have one id."""

    def __init__(self, name: str, read: Callable[[], Iterable[Document]]) -> None:
        super().__init__(f"source {name!r}")
        self._read = read

    def document_count(self, lang: Lang, kind: str) -> int:
        """How many documents there are; SourceError for another language, or a kind other than "" (all)."""
        if lang != "en":
            raise SourceError(f"{self._what} is in en, asked for {lang}", "take a source in that language")
        if kind:
            self._lacks(f"documents of kind {kind!r}")
        return len(self._documents)

    def document(self, lang: Lang, kind: str, number: int, size: int) -> Document:
        """Document `number`, whole: a real document is cut where it is shown, so that `size` must be 0."""
        count = self.document_count(lang, kind)
        if not 0 <= number < count or size:
            raise ValueError(f"document {number}, {size} units of it: there are {count}, each to be had whole (0)")
        return self._documents[number]

    @cached_property
    def _documents(self) -> list[Document]:
        by_id = {document.id: document for document in self._read()}
        if not by_id:
            raise SourceError(f"{self._what}: no documents found", "Check that the reader fits the files.")
        return list(by_id.values())
