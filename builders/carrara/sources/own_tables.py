"""A user's own tables: JSON lines, one file for each table, named after it (`passages.jsonl`, `passages.jsonl.gz`).

    passages.jsonl     {"id"?, "title"?, "text"}
    questions.jsonl    {"id"?, "text", "answers": [["name", "other name"], ...], "kind"?, "evidence"?, "options"?,
                        "hops"?, "popularity"?, "readings"?}; evidence: [{"passage", "start"?, "end"?}, ...]
    judgements.jsonl   {"question", "passage", "grade"}, a grade from 0 to 3
    entities.jsonl     {"id"?, "name", "class", "aliases"?, "gloss"?}, one of the 14 classes
    derivations.jsonl  {"id"?, "question", "facts": [...], "answers": [...], "names"?}
    labelled.jsonl     {"id"?, "text", "label", "part"}, the part being "demonstration" or "test"
    documents.jsonl    {"id"?, "title"?, "part"?, "text", "summary"?, "short_summary"?, "key_points"?: [...],
                        "questions"?: [{"id"?, "text", "answers": [...], "options"?}, ...]}; English

`answers` has a group for each answer that counts: the names that are accepted for it, the best first. Texts are tidied
to one line, those of documents and their summaries to one for each paragraph; spans count in the tidied text, and are
found by the names where they are not given. A document of the part "train" is a worked example, never a question.
Everything is checked:
an unknown field, an id used twice, a passage that is named and not there are errors. Must not change without a new
version of the readers: texts, ids, order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from carrara.errors import SourceError
from carrara.sources.fields import Row, as_row, nearest, wrong
from carrara.sources.labelled import Part
from carrara.sources.own_rows import (
    derivation_of,
    document_of,
    entity_of,
    judgement_of,
    known_passage,
    labelled_of,
    named_passages,
    passage_of,
    question_of,
)
from carrara.sources.rows import json_rows
from carrara.sources.tables import Lacking
from carrara.tables import Derivation, Document, EntityRow, Judgement, LabelledText, Lang, Passage, Question

TABLES: Final = ("passages", "questions", "judgements", "entities", "derivations", "labelled", "documents")
MadeT = TypeVar("MadeT", Passage, Question, EntityRow, Derivation, Document)


class OwnTables(Lacking):
    """The tables of some files in one language; each is read, and checked as a whole, when it is first asked for."""

    def __init__(self, name: str, lang: Lang, files: Mapping[str, Path]) -> None:
        super().__init__(f"source {name!r}")
        self._lang = lang
        self._files: dict[str, tuple[Path, str]] = {}
        for path in sorted(files):
            table = _table(path)
            if table in self._files:
                raise SourceError(f"{path}: {self._files[table][1]} holds {table} already", "Join the two files.")
            self._files[table] = (files[path], path)

    def passages(self, lang: Lang) -> Iterator[Passage]:
        """The passages in the order of the file, whose ids are distinct."""
        self._has("passages", lang)
        return self._distinct("passages", passage_of)

    def questions(self, lang: Lang, kind: str, each: int) -> Iterator[Question]:
        """The questions of a kind ("": all), the first `each` of them (0 or less: all)."""
        self._has("questions", lang)
        found = [one for one in self._questions if kind in ("", one.kind)]
        if not found:
            kinds = sorted({one.kind for one in self._questions})
            raise SourceError(
                f"{self._what} has no questions of kind {kind!r}{nearest(kind, kinds)}, expected one of {kinds}",
                'Ask for "": all of them.',
            )
        return islice(found, each if each > 0 else None)

    def judgements(self, lang: Lang, each: int) -> Iterator[tuple[Question, list[Judgement]]]:
        """The judged questions with their judgements, in the order of the questions, the first `each` (0: all)."""
        self._has("judgements", lang)
        self._has("questions", lang)
        found = [(one, self._judgements[one.id]) for one in self._questions if one.id in self._judgements]
        return islice(found, each if each > 0 else None)

    def entities(self, lang: Lang) -> Iterator[EntityRow]:
        """The entities in the order of the file, whose names are distinct."""
        return iter(self.entity_roll(lang).entities)

    def entity_roll(self, lang: Lang) -> "Roll":
        """The same entities by number."""
        self._has("entities", lang)
        return self._roll

    def derivations(self, lang: Lang, hops: int) -> Sequence[Derivation]:
        """The derivations of so many facts, in the order of the file."""
        self._has("derivations", lang)
        if not (found := [one for one in self._derivations if len(one.facts) == hops]):
            sizes = sorted({len(one.facts) for one in self._derivations})
            raise SourceError(f"{self._what} has no derivations of {hops} facts", f"Ask for one of {sizes}.")
        return found

    def labelled_texts(self, part: Part) -> Iterator[LabelledText]:
        """The labelled texts of a part, label after label, those of one label in the order of the file."""
        if "labelled" not in self._files:
            self._lacks("labelled texts")
        return iter(sorted(self._labelled[part], key=lambda one: one.label))

    @cached_property
    def _labelled(self) -> dict[Part, list[LabelledText]]:
        found: dict[Part, list[LabelledText]] = {"demonstration": [], "test": []}
        held: set[str] = set()
        for number, (where, row) in enumerate(self._rows("labelled")):
            part, one = labelled_of(row, where, number)
            if one.id in held:
                raise SourceError(f"{where}: the id {one.id!r} is used before", "Give every row its own id, or none.")
            held.add(one.id)
            found[part].append(one)
        return found

    def document_count(self, lang: Lang, kind: str) -> int:
        """How many documents there are; they are of no kind ("")."""
        self._has("documents", lang)
        if kind or lang != "en":
            self._lacks(f"documents of kind {kind!r}, or in another language than English")
        return len(self._documents)

    def document(self, lang: Lang, kind: str, number: int, size: int) -> Document:
        """Document `number`, whole: it is cut where it is shown, so that `size` must be 0."""
        count = self.document_count(lang, kind)
        if not 0 <= number < count or size:
            raise ValueError(f"document {number}, {size} units of it: there are {count}, each to be had whole (0)")
        return self._documents[number]

    @cached_property
    def _documents(self) -> list[Document]:
        return list(self._distinct("documents", document_of))

    @cached_property
    def _questions(self) -> list[Question]:
        texts = None
        if "passages" in self._files:
            wanted = {id_ for where, row in self._rows("questions") for id_ in named_passages(row, where)}
            texts = {one.id: one.text for one in self.passages(self._lang) if one.id in wanted}
        return list(self._distinct("questions", lambda row, where: question_of(row, where, texts)))

    @cached_property
    def _judgements(self) -> dict[str, list[Judgement]]:
        questions = {one.id for one in self._questions}
        passages = {one.id for one in self.passages(self._lang)} if "passages" in self._files else None
        found: dict[str, list[Judgement]] = {}
        held: set[tuple[str, str]] = set()
        for where, row in self._rows("judgements"):
            one = judgement_of(row, where)
            if one.question not in questions:
                raise wrong(where, "question", one.question, "the id of a question", "Add it to the questions.")
            known_passage(one.passage, passages, where)
            if (one.question, one.passage) in held:
                raise SourceError(f"{where}: {one.passage!r} was judged for {one.question!r} before", "Keep one.")
            held.add((one.question, one.passage))
            found.setdefault(one.question, []).append(one)
        return found

    @cached_property
    def _roll(self) -> "Roll":
        numbered = enumerate(self._rows("entities"))
        found = [(where, entity_of(row, where, number)) for number, (where, row) in numbered]
        names: dict[str, str] = {}
        for where, one in found:
            if one.name in names:
                raise SourceError(f"{where}: the name {one.name!r} stands at {names[one.name]}, too", "Keep one.")
            names[one.name] = where
        return Roll([one for _, one in found])

    @cached_property
    def _derivations(self) -> list[Derivation]:
        return list(self._distinct("derivations", derivation_of))

    def _distinct(self, table: str, make: Callable[[Row, str], MadeT]) -> Iterator[MadeT]:
        """The rows of a table, each with an id of its own."""
        held: set[str] = set()
        for where, row in self._rows(table):
            one = make(row, where)
            if one.id in held:
                raise SourceError(f"{where}: the id {one.id!r} is used before", "Give every row its own id, or none.")
            held.add(one.id)
            yield one

    def _rows(self, table: str) -> Iterator[tuple[str, Row]]:
        """(where, row) of every line; none at all is an error."""
        where = ""
        for where, _, value in json_rows(*self._files[table]):
            yield where, as_row(value, where)
        if not where:
            raise SourceError(f"{self._files[table][1]}: no rows", f"Write at least one, or leave out {table}.")

    def _has(self, table: str, lang: Lang) -> None:
        if table not in self._files:
            self._lacks(table)
        if lang != self._lang:
            raise SourceError(f"{self._what} is in {self._lang}, asked for {lang}", "take a source in that language")


class Roll:
    """Entities by number."""

    def __init__(self, entities: Sequence[EntityRow]) -> None:
        self.entities = entities

    @property
    def size(self) -> int:
        """How many entities there are."""
        return len(self.entities)

    def class_of(self, number: int) -> str:
        """The class of an entity."""
        return self.entities[number].class_

    def named(self, numbers: Sequence[int]) -> list[tuple[str, str]]:
        """The name and the gloss of each."""
        return [(self.entities[number].name, self.entities[number].gloss) for number in numbers]


def english(name: str, files: Mapping[str, Path]) -> OwnTables:
    """A user's own tables in English. Raises SourceError on a file that is named after no table."""
    return OwnTables(name, "en", files)


def chinese(name: str, files: Mapping[str, Path]) -> OwnTables:
    """A user's own tables in Chinese. Raises SourceError on a file that is named after no table."""
    return OwnTables(name, "zh", files)


def _table(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    table = name.removesuffix(".gz").removesuffix(".jsonl")
    if table not in TABLES or ".jsonl" not in name:
        raise SourceError(
            f"{path}: no name of a table{nearest(table, TABLES)}, expected one of {', '.join(TABLES)} with .jsonl",
            "Name each file after its table: passages.jsonl, questions.jsonl, ... (.gz may follow).",
        )
    return table
