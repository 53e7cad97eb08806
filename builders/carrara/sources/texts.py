"""Running text as a table of documents of kind "text", cut into sentences.

A document that has the paragraphs of an earlier one counts once. Sentences are those of `sentences.py`; a document is
cut when it is asked for.
"""

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache

from carrara import tables
from carrara.errors import SourceError
from carrara.sources.document import SourceDocument
from carrara.sources.sentences import split
from carrara.sources.tables import Lacking
from carrara.tables import Lang

KIND = "text"
_KEPT = 16


class Texts(Lacking):
    """The documents of a source of running text; `read` gives them, once."""

    def __init__(self, what: str, lang: Lang, read: Callable[[], Iterable[SourceDocument]]) -> None:
        super().__init__(what)
        self._lang = lang
        self._read = read
        self._cut = lru_cache(maxsize=_KEPT)(self._sentences)

    @cached_property
    def _documents(self) -> list[SourceDocument]:
        different: dict[tuple[str, ...], SourceDocument] = {}
        for document in self._read():
            different.setdefault(document.paragraphs, document)
        return list(different.values())

    def document_count(self, lang: Lang, kind: str) -> int:
        """How many different documents there are; SourceError for another language or kind."""
        if kind != KIND:
            self._lacks(f"documents of kind {kind!r}")
        if lang != self._lang:
            hint = f'give each language a cell of its own, with params = {{ lang = "{self._lang}" }} for this source'
            raise SourceError(f"{self._what} is in {self._lang}, not in {lang}", hint)
        return len(self._documents)

    def document(self, lang: Lang, kind: str, number: int, size: int) -> tables.Document:
        """Document `number` up to its sentence `size`, a paragraph a line."""
        count = self.document_count(lang, kind)
        if not 0 <= number < count or size < 1:
            raise ValueError(f"document {number} of {size} sentences: there are {count}, of one sentence or more")
        document = self._documents[number]
        text, spans = self._cut(number)
        return tables.Document(document.id, KIND, document.title, text[: spans[:size][-1][1]], spans[:size])

    def _sentences(self, number: int) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The text and the spans of its sentences."""
        joint = 1 if self._lang == "en" else 0
        spans: list[tuple[int, int]] = []
        at = 0
        for paragraph in self._documents[number].paragraphs:
            start = at
            for sentence in split(paragraph, self._lang):
                spans.append((start, start + len(sentence)))
                start += len(sentence) + joint
            at += len(paragraph) + 1
        return "\n".join(self._documents[number].paragraphs), tuple(spans)
