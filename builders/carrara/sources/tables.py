"""Tables of real sources: what a reader of tables gives, and what it says of the kinds that it has not."""

from collections.abc import Iterator, Sequence
from typing import NoReturn

from carrara.errors import SourceError
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
