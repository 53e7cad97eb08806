"""The public face of the invented world: the normalised tables, as a real source gives them.

    world = World("my release/1")
    for passage in world.passages("en"): ...

A world is endless; `realms` sets how much of it forms the corpus. Each realm has 1,000 entities and about 3,000
passages, and refers to nothing outside it. Worlds of different streams share no passage or question, and few names.
"""

from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from typing import Final, Literal, get_args

from carrara.stream import Stream
from carrara.tables import (
    Derivation,
    Document,
    EntityRoll,
    EntityRow,
    Judgement,
    LabelledPart,
    LabelledText,
    Passage,
    PieceKey,
    Pieces,
    Question,
    Story,
)
from carrara.task import Lang
from carrara.world.chains.chains import Chains
from carrara.world.documents.article import article
from carrara.world.documents.chronicle.chronicle import chronicle
from carrara.world.documents.chronicle.chronicle import excerpt as chapters_of
from carrara.world.documents.meeting import excerpt as items_of
from carrara.world.documents.meeting import meeting
from carrara.world.documents.report import report
from carrara.world.encyclopedia import WORDS, Encyclopedia, WorldRoll
from carrara.world.pieces import FORMATS, STYLES, TOPICS, piece, request
from carrara.world.questions import QUESTION_KINDS, WorldQuestions
from carrara.world.realm.check import validate
from carrara.world.stories import story
from carrara.world.utterances import INTENTS, MIXED, utterances

DocumentKind = Literal["chronicle", "meeting", "report", "article"]
DOCUMENT_KINDS: Final[tuple[DocumentKind, ...]] = get_args(DocumentKind)
# A bound that no release reaches.
DOCUMENTS: Final = 1 << 31
PIECES_A_KEY: Final = 1 << 40
_WRITERS: Final = {"chronicle": chronicle, "meeting": meeting, "report": report, "article": article}
_EXCERPTS: Final = {"chronicle": chapters_of, "meeting": items_of}


# Facts, names and wordings belong to an edition; a change of any of them makes the next one.
EDITION: Final = 2


class World:
    """The tables of the world of one stream; see `carrara.tables` for the rows.

    `edition` says which text is meant; this code writes one only. ValueError for another.
    """

    def __init__(self, stream: Stream | str, realms: int = 1, *, edition: int = EDITION) -> None:
        if realms < 1:
            raise ValueError(f"a world has 1 realm or more, got {realms}")
        if edition != EDITION:
            raise ValueError(
                f"this code writes edition {EDITION} of the world, got {edition}; a release of an earlier edition is "
                "built again by the commit that releases/CODE.toml names"
            )
        self.stream = Stream(stream) if isinstance(stream, str) else stream
        self.realms = range(realms)
        self._rolls = cache(lambda lang: WorldRoll(self.encyclopedia, self.realms, lang))

    @cached_property
    def encyclopedia(self) -> Encyclopedia:
        """Entities and passages one by one, with what each passage states."""
        return Encyclopedia(self.stream.child("world"))

    def only(self, realm: int) -> "World":
        """The same world, with one realm as the corpus."""
        single = World(self.stream)
        single.encyclopedia, single.realms = self.encyclopedia, range(realm, realm + 1)
        return single

    def passages(self, lang: Lang, words: int = WORDS) -> Iterator[Passage]:
        """The corpus, of about so many words a passage."""
        for written in self.encyclopedia.passages(lang, self.realms, words):
            yield written.passage

    def entities(self, lang: Lang) -> Iterator[EntityRow]:
        """Every entity of the corpus."""
        for entity in self.encyclopedia.entities(self.realms):
            yield self.encyclopedia.row(lang, entity.reference)

    def entity_roll(self, lang: Lang) -> EntityRoll:
        """The entities of the corpus by number, without drawing their realms."""
        return self._rolls(lang)

    def questions(self, lang: Lang, kind: str, each: int) -> Iterator[Question]:
        """Up to `each` questions of a kind from every realm of the corpus, their evidence in it."""
        for known in QUESTION_KINDS:
            if known == kind:
                return WorldQuestions(self.encyclopedia, lang).of(known, self.realms, each)
        raise ValueError(f"no questions of kind {kind!r}; there are {', '.join(QUESTION_KINDS)}")

    def judgements(self, lang: Lang, each: int) -> Iterator[tuple[Question, list[Judgement]]]:
        """One-hop questions, up to `each` a realm, and graded passages of the corpus for each."""
        return WorldQuestions(self.encyclopedia, lang).judged(self.realms, each)

    def document_count(self, lang: Lang, kind: str) -> int:
        """More documents than any release takes."""
        if kind not in DOCUMENT_KINDS:
            raise ValueError(f"no documents of kind {kind!r}; there are {', '.join(DOCUMENT_KINDS)}")
        return DOCUMENTS

    def document(self, lang: Lang, kind: str, number: int, size: int) -> Document:
        """Document `number` of a kind, of `size` chapters, items, sections or sentences: fewer are a prefix."""
        if kind not in DOCUMENT_KINDS:
            raise ValueError(f"no documents of kind {kind!r}; there are {', '.join(DOCUMENT_KINDS)}")
        return _WRITERS[kind](self.stream.child("world"), lang, number, size)

    def excerpt(self, lang: Lang, kind: str, number: int, start: int, size: int) -> Document:
        """Chapters or items start .. start + size - 1 of a chronicle or meeting, as the whole document has them.

        With the questions that one sentence of them answers; ValueError for another kind.
        """
        if kind not in _EXCERPTS:
            raise ValueError(f"no excerpts of documents of kind {kind!r}; there are {', '.join(_EXCERPTS)}")
        return _EXCERPTS[kind](self.stream.child("world"), lang, number, start, size)

    def labelled_texts(self, part: LabelledPart) -> Iterator[LabelledText]:
        """Utterances with their intents, intent after intent (English)."""
        for intent in MIXED if part.startswith("mixed") else range(len(INTENTS)):
            yield from utterances(self.stream.child("world"), intent, part)

    def story(self, number: int) -> Story:
        """Story `number`, with the attributes that it states and those that it does not (English)."""
        return story(self.stream.child("world"), number)

    def request(self, format: str, topic: str, style: str | None, number: int) -> str:
        """A user's wording of a request for a piece of writing (English); see `pieces.FORMATS`, TOPICS and STYLES."""
        return request(self.stream.child("world"), format, topic, style, number)

    def piece(self, format: str, topic: str, style: str | None, number: int) -> str:
        """The piece of writing that answers it: another number is another text."""
        return piece(self.stream.child("world"), format, topic, style, number)

    def pieces(self) -> Pieces:
        """Pieces of writing by format, topic and style (English)."""
        return WorldPieces(self.stream.child("world"))

    def derivations(self, lang: Lang, hops: int) -> Sequence[Derivation]:
        """Questions whose answer follows from `hops` facts, 2 to 5, and from no fewer: 20,000 of each number.

        They lie in realms of their own, so that no two have a name in common, nor with a corpus of up to 1,000 realms.
        """
        return Chains(self.encyclopedia, lang, hops)

    def contradictions(self) -> Iterator[str]:
        """What the validator objects to in the facts of the realms: nothing."""
        return validate(self.encyclopedia.stream, self.realms)


class WorldPieces:
    """The pieces of a stream: every key has more than any conversation takes."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def keys(self) -> Sequence[PieceKey]:
        """Every format of every topic, without a style and in each."""
        return _keys()

    def count(self, key: PieceKey) -> int:
        """A bound that no release reaches."""
        return PIECES_A_KEY

    def request(self, key: PieceKey, number: int) -> str:
        """A user's wording of the request for piece `number`."""
        return request(self._stream, key.format, key.topic, key.style or None, number)

    def piece(self, key: PieceKey, number: int) -> str:
        """Piece `number`, at most 512 tokens."""
        return piece(self._stream, key.format, key.topic, key.style or None, number)


@lru_cache(maxsize=4)
def shared_world(stream: str, realms: int) -> World:
    """The world of a stream, one for all in this process that ask for it: what it has drawn is drawn once."""
    return World(stream, realms)


@cache
def _keys() -> tuple[PieceKey, ...]:
    return tuple(PieceKey(format_, topic, style) for format_ in FORMATS for topic in TOPICS for style in ("", *STYLES))
