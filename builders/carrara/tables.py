"""The normalised tables that every source gives, real or invented: what tasks and retrieval read.

A row is small and immutable; a table is an iterator over rows, or a sequence where a row has a number. Texts are plain
Unicode; positions are code points.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

Lang = Literal["en", "zh"]
# Which texts of a labelled dataset: those shown with their labels, or those asked about.
# "mixed": of texts that speak of several matters, all but one of which are settled; the world alone has them.
LabelledPart = Literal["demonstration", "test", "mixed demonstration", "mixed test"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a corpus: about 100 words on one subject."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where an accepted answer stands: `text[start:end]` of a passage (or document) that states it."""

    passage: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold.

    `answers` holds one group for each answer that counts (a list question has several, most have one), each group the
    accepted names of that answer, the best first. `evidence` names every passage that states the relation asked. Of an
    unanswerable question `answers` is empty. `kind` is the source's own word ("one_hop", "list", ...).
    """

    id: str
    kind: str
    text: str
    answers: tuple[tuple[str, ...], ...]
    evidence: tuple[Evidence, ...] = ()
    # Of a multiple-choice or unanswerable question.
    options: tuple[str, ...] = ()
    # Relations from the named entity to the answer.
    hops: int = 1
    # How often the subject is asked about, relative to others: an integer, larger is more popular.
    popularity: int = 0
    # Of an ambiguous question: the questions that it may mean, each with its own answers.
    readings: tuple["Question", ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """How relevant a passage is to a question: 0 (not) to 3 (it states the answer)."""

    question: str
    passage: str
    grade: int


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """A question about a document: its accepted answers, and what is known of them.

    `options` are the right one (`answers[0]`) and wrong ones of its kind, the world's in an order drawn by key; empty
    where nobody gives any. `evidence` are the sentences that state the answer, empty where unknown.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    options: tuple[str, ...] = ()
    evidence: tuple[tuple[int, int], ...] = ()
    # What is asked, in the source's own word, and what kind of value the answer is; "" where the source does not say.
    kind: str = ""
    value: str = ""
    # Of a request for a summary: what the first of its answers should hold.
    key_points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyPoint:
    """One statement that a summary should hold, and where the document states it: from a sentence to the end of one.

    The span is (0, 0) where nobody knows. `weight`: larger is more; a short summary holds the weightiest.
    """

    text: str
    evidence: tuple[int, int]
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A long text with what is known of it. `sentences` are the spans of its sentences, in order.

    A real document's are found as far as they are read: iterate, for what asks how many there are reads all. `summary`
    is the only one, or the long one beside a `short_summary`. `key_points_from` says whose the key points are: the
    "world"'s, a "model"'s, or the "sentences" of the short or only summary.
    """

    id: str
    kind: str
    title: str
    text: str
    sentences: Sequence[tuple[int, int]] = ()
    questions: tuple[DocumentQuestion, ...] = ()
    summary: str = ""
    key_points: tuple[KeyPoint, ...] = ()
    short_summary: str = ""
    key_points_from: str = ""


@dataclass(frozen=True, slots=True)
class LabelledText:
    """An utterance and its label."""

    id: str
    text: str
    label: str


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity of one of the 14 DBpedia classes; the gloss implies the class and names nothing."""

    id: str
    name: str
    aliases: tuple[str, ...]
    class_: str
    gloss: str


# The 14 classes of the DBpedia ontology data set, in its order.
ENTITY_CLASSES: Final = (
    "company",
    "educational_institution",
    "artist",
    "athlete",
    "office_holder",
    "mean_of_transportation",
    "building",
    "natural_place",
    "village",
    "animal",
    "plant",
    "album",
    "film",
    "written_work",
)


class EntityRoll(Protocol):
    """The named entities of a source by number, each name once: what a list of them is drawn from (entity_grouping)."""

    @property
    def size(self) -> int:
        """How many entities there are: numbers 0 .. size - 1."""

    def class_of(self, number: int) -> str:
        """The class of an entity: one of ENTITY_CLASSES."""

    def named(self, numbers: Sequence[int]) -> list[tuple[str, str]]:
        """The name and the gloss ("" where the source has none) of each; a name holds no comma and no semicolon."""


@dataclass(frozen=True, slots=True)
class PieceKey:
    """What a piece of writing was asked to be: a poem about penguins, in the style of a telegram ("" for none)."""

    format: str
    topic: str
    style: str = ""


class Pieces(Protocol):
    """Pieces of writing by key, each number another text, and the requests that they answer (MRCR)."""

    def keys(self) -> Sequence[PieceKey]:
        """Every key there is, in the same order every time."""

    def count(self, key: PieceKey) -> int:
        """How many pieces of a key there are: numbers 0 .. count - 1."""

    def request(self, key: PieceKey, number: int) -> str:
        """A user's wording of the request; it names format, topic and style."""

    def piece(self, key: PieceKey, number: int) -> str:
        """The text that answers it."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """A question, the facts from which its answer follows step by step, and the accepted answers, best first."""

    id: str
    question: str
    facts: tuple[str, ...]
    answers: tuple[str, ...]
    # What the facts lead over, from the name in the question to the answer, as they write it; empty where unknown.
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoryAttribute:
    """Something that may be asked of a story's main person.

    `value` is None where the story does not state it; `start`, `end` are the span of the stated value. `elsewhere` is a
    value of the same kind that the story gives to the companion, `wrong` are values that the story does not hold.
    """

    kind: str
    question: str
    value: str | None
    elsewhere: str | None
    wrong: tuple[str, ...]
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Story:
    """A story of about 150 words on one line: main person and companion, and every attribute that may be asked."""

    text: str
    names: tuple[str, str]
    attributes: tuple[StoryAttribute, ...]


class Tables(Protocol):
    """What a source of tables gives, the invented world as well as a real dataset; a kind it lacks is a ValueError."""

    def __hash__(self) -> int:
        """By identity: tasks keep what they read of a source under it."""

    def passages(self, lang: Lang) -> Iterator[Passage]:
        """The corpus, in the same order every time."""

    def entities(self, lang: Lang) -> Iterator[EntityRow]:
        """Named entities with their classes."""

    def entity_roll(self, lang: Lang) -> EntityRoll:
        """The same entities, each had by its number alone."""

    def questions(self, lang: Lang, kind: str, each: int) -> Iterator[Question]:
        """Questions of a kind whose evidence is in the corpus, up to `each` from every part of the corpus."""

    def judgements(self, lang: Lang, each: int) -> Iterator[tuple[Question, list[Judgement]]]:
        """Questions with graded passages, up to `each` from every part of the corpus."""

    def document_count(self, lang: Lang, kind: str) -> int:
        """How many documents of a kind there are: numbers 0 .. count - 1."""

    def document(self, lang: Lang, kind: str, number: int, size: int) -> Document:
        """Document `number` of a kind, at most `size` of its units long."""

    def excerpt(self, lang: Lang, kind: str, number: int, start: int, size: int) -> Document:
        """Units start .. start + size - 1 of a document, told as in the document, with the questions on them alone."""

    def labelled_texts(self, part: LabelledPart) -> Iterator[LabelledText]:
        """Labelled texts, label after label; demonstrations and tests are disjoint."""

    def pieces(self) -> Pieces:
        """Pieces of writing with their requests."""

    def derivations(self, lang: Lang, hops: int) -> Sequence[Derivation]:
        """Questions of so many facts each; a sequence that may be longer than memory."""

    def story(self, number: int) -> Story:
        """Story `number`, with what it states of its main person and what it does not (English)."""
