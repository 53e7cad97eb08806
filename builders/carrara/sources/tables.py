"""Tables of real sources: what a source lacks, and running text as a table of documents.

A reader of tables makes a subclass of `Lacking`; what it does not override is an error that names the kind of table.
Running text is a table of documents of kind "text", cut into sentences when one is asked for; a document that has the
paragraphs of an earlier one counts once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NoReturn

from carrara.errors import SourceError
from carrara.sources.document import SourceDocument
from carrara.sources.sentences import split
from carrara.tables import (
    Derivation,
    Document,
    EntityRoll,
    EntityRow,
    Judgement,
    LabelledPart,
    LabelledText,
    Lang,
    Passage,
    Pieces,
    Question,
    Story,
)


class Lacking:
    """A source without any table. A reader's tables are a subclass with the methods of the kinds that it has."""

    def __init__(self, what: str) -> None:
        self._what = what

    def passages(self, lang: Lang) -> Iterator[Passage]:
        """No corpus."""
        self._lacks("passages")

    def entities(self, lang: Lang) -> Iterator[EntityRow]:
        """No entities."""
        self._lacks("entities")

    def entity_roll(self, lang: Lang) -> EntityRoll:
        """No entities."""
        self._lacks("entities")

    def questions(self, lang: Lang, kind: str, each: int) -> Iterator[Question]:
        """No questions."""
        self._lacks("questions")

    def judgements(self, lang: Lang, each: int) -> Iterator[tuple[Question, list[Judgement]]]:
        """No judgements."""
        self._lacks("graded passages")

    def document_count(self, lang: Lang, kind: str) -> int:
        """No documents."""
        self._lacks("documents")

    def document(self, lang: Lang, kind: str, number: int, size: int) -> Document:
        """No documents."""
        self._lacks("documents")

    def excerpt(self, lang: Lang, kind: str, number: int, start: int, size: int) -> Document:
        """No excerpts of documents: a real document begins with its first sentence."""
        self._lacks("excerpts of documents")

    def labelled_texts(self, part: LabelledPart) -> Iterator[LabelledText]:
        """No labelled texts."""
        self._lacks("labelled texts")

    def pieces(self) -> Pieces:
        """No pieces of writing."""
        self._lacks("pieces of writing")

    def derivations(self, lang: Lang, hops: int) -> Sequence[Derivation]:
        """No derivations."""
        self._lacks("derivations")

    def story(self, number: int) -> Story:
        """No stories."""
        self._lacks("stories")

    def _lacks(self, kind: str) -> NoReturn:
        raise SourceError(f"{self._what} holds no {kind}", 'take source = "world", or a source that has them')


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

    def document(self, lang: Lang, kind: str, number: int, size: int) -> Document:
        """Document `number` up to its sentence `size`, a paragraph a line."""
        count = self.document_count(lang, kind)
        if not 0 <= number < count or size < 1:
            raise ValueError(f"document {number} of {size} sentences: there are {count}, of one sentence or more")
        document = self._documents[number]
        text, spans = self._cut(number)
        return Document(document.id, KIND, document.title, text[: spans[:size][-1][1]], spans[:size])

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
