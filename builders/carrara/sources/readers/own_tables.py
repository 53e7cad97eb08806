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

Everything is checked, field by field: an unknown field, an id used twice, a passage that is named and not there are
errors. Must not change without a new version of the readers: texts, ids, order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar, get_args

from carrara.errors import SourceError
from carrara.sources.document import tidy
from carrara.sources.fields import Fields, as_row, identifier, integer, nearest, only, rows, text, texts, values, wrong
from carrara.sources.formats import json_rows
from carrara.sources.key_points import of_sentences
from carrara.sources.long_documents import JOINT, Sentences, paragraphs
from carrara.sources.passages import content_id, passage
from carrara.sources.questions import accepted, find
from carrara.sources.readers.msmarco import GRADES
from carrara.sources.tables import Lacking
from carrara.tables import (
    ENTITY_CLASSES,
    Derivation,
    Document,
    DocumentQuestion,
    EntityRow,
    Evidence,
    Judgement,
    KeyPoint,
    LabelledPart,
    LabelledText,
    Lang,
    Passage,
    Question,
)

_QUESTION: Final = ("id", "text", "answers", "kind", "evidence", "options", "hops", "popularity", "readings")
_DOCUMENT: Final = ("id", "title", "part", "text", "summary", "short_summary", "key_points", "questions")
_SEPARATORS: Final = ",;，；、"


def passage_of(row: Fields, where: str) -> Passage:
    """A line of passages.jsonl; without an id it is called by what it holds."""
    only(row, ("id", "title", "text"), where)
    passage_ = passage(text(row, "title", where, ""), text(row, "text", where), identifier(row, ("id",), where))
    if not passage_.text:
        raise wrong(where, "text", row["text"], "text that is not empty")
    return passage_


def question_of(row: Fields, where: str, passages: Mapping[str, str] | None) -> Question:
    """A line of questions.jsonl. `passages`: the texts of those named as evidence; None where the source has none."""
    only(row, _QUESTION, where)
    asked = tidy(text(row, "text", where))
    if not asked:
        raise wrong(where, "text", row["text"], "a question")
    if "answers" not in row:
        raise SourceError(f"{where}: no answers, expected a list", "Of a question without an answer write [].")
    hops, popularity = integer(row, "hops", where, 1), integer(row, "popularity", where, 0)
    if hops < 1 or popularity < 0:
        raise SourceError(f"{where}: hops {hops}, popularity {popularity}, expected at least 1 and 0", "Correct them.")
    groups = tuple(_group(group, where) for group in values(row, "answers", where))
    return Question(
        id=identifier(row, ("id",), where) or content_id(asked),
        kind=tidy(text(row, "kind", where, "")),
        text=asked,
        answers=groups,
        evidence=tuple(
            _evidence(entry, groups, f"{where}, evidence[{number}]", passages)
            for number, entry in enumerate(rows(row, "evidence", where))
        ),
        options=accepted(texts(row, "options", where)),
        hops=hops,
        popularity=popularity,
        readings=tuple(
            question_of(entry, f"{where}, readings[{number}]", passages)
            for number, entry in enumerate(rows(row, "readings", where))
        ),
    )


def named_passages(row: Fields, where: str) -> Iterator[str]:
    """The ids of the passages that a question and its readings name as evidence."""
    for entry in rows(row, "evidence", where):
        yield identifier(entry, ("passage",), where)
    for reading in rows(row, "readings", where):
        yield from named_passages(reading, where)


def judgement_of(row: Fields, where: str) -> Judgement:
    """A line of judgements.jsonl."""
    only(row, ("question", "passage", "grade"), where)
    grade = integer(row, "grade", where)
    if grade not in GRADES:
        raise wrong(where, "grade", grade, "0 (not relevant) to 3 (it states the answer)")
    return Judgement(identifier(row, ("question",), where), identifier(row, ("passage",), where), grade)


def entity_of(row: Fields, where: str, number: int) -> EntityRow:
    """A line of entities.jsonl."""
    only(row, ("id", "name", "class", "aliases", "gloss"), where)
    name, class_ = tidy(text(row, "name", where)), text(row, "class", where)
    if class_ not in ENTITY_CLASSES:
        known = f"One of {', '.join(ENTITY_CLASSES)}{nearest(class_, ENTITY_CLASSES)}."
        raise wrong(where, "class", class_, "one of the 14 classes", known)
    if not name or any(mark in name for mark in _SEPARATORS):
        raise wrong(where, "name", name, "a name without comma or semicolon")
    id_ = identifier(row, ("id",), where) or f"{class_}:{number}"
    return EntityRow(id_, name, accepted(texts(row, "aliases", where)), class_, tidy(text(row, "gloss", where, "")))


def derivation_of(row: Fields, where: str) -> Derivation:
    """A line of derivations.jsonl."""
    only(row, ("id", "question", "facts", "answers", "names"), where)
    question, facts = tidy(text(row, "question", where)), tuple(map(tidy, texts(row, "facts", where)))
    answers = accepted(texts(row, "answers", where))
    if not (question and answers and facts and all(facts)):
        raise SourceError(f"{where}: question, facts or answers are empty", "Write all three, or leave the line out.")
    id_ = identifier(row, ("id",), where) or content_id(question)
    return Derivation(id_, question, facts, answers, accepted(texts(row, "names", where)))


def labelled_of(row: Fields, where: str, number: int) -> tuple[LabelledPart, LabelledText]:
    """A line of labelled.jsonl, and the part that it belongs to."""
    only(row, ("id", "text", "label", "part"), where)
    said, label, part = (tidy(text(row, field, where)) for field in ("text", "label", "part"))
    if not said or not label:
        raise SourceError(f"{where}: text or label are empty", "Write both, or leave the line out.")
    if part not in get_args(LabelledPart):
        raise wrong(where, "part", part, '"demonstration" or "test"', "Write one of the two.")
    id_ = identifier(row, ("id",), where) or f"{part}/{number}"
    return ("test" if part == "test" else "demonstration"), LabelledText(id_, said, label)


def document_of(row: Fields, where: str) -> Document:
    """A line of documents.jsonl. Key points are those given, else the sentences of the short or only summary."""
    only(row, _DOCUMENT, where)
    shown = JOINT.join(paragraphs(text(row, "text", where)))
    if not shown:
        raise wrong(where, "text", row["text"], "text that is not empty")
    id_ = identifier(row, ("id",), where) or content_id(shown)
    document = Document(
        id=id_,
        kind=tidy(text(row, "part", where, "")),
        title=tidy(text(row, "title", where, "")),
        text=shown,
        sentences=Sentences(shown),
        questions=tuple(
            _document_question(question, f"{id_}-{number}", f"{where}, questions[{number}]")
            for number, question in enumerate(rows(row, "questions", where))
        ),
        summary=JOINT.join(paragraphs(text(row, "summary", where, ""))),
        short_summary=JOINT.join(paragraphs(text(row, "short_summary", where, ""))),
    )
    if document.short_summary and not document.summary:
        raise wrong(where, "summary", "", "a summary beside the short one", 'Write the only one as "summary".')
    stated = of_sentences(document)
    if points := accepted(texts(row, "key_points", where)):
        given = tuple(KeyPoint(point, (0, 0)) for point in points)
        return replace(stated, key_points=given, key_points_from="model")
    return stated


def _document_question(row: Fields, id_: str, where: str) -> DocumentQuestion:
    only(row, ("id", "text", "answers", "options"), where)
    asked = tidy(text(row, "text", where))
    answers = tuple(dict.fromkeys(JOINT.join(paragraphs(answer)) for answer in texts(row, "answers", where)))
    options = accepted(texts(row, "options", where))
    if not asked or not answers or not all(answers):
        raise SourceError(f"{where}: text or answers are empty", "Write both, or leave the question out.")
    if options and answers[0] not in options:
        raise wrong(where, "answers", answers[0], "one of the options first")
    return DocumentQuestion(identifier(row, ("id",), where) or id_, asked, answers, options)


def known_passage(id: str, known: Mapping[str, str] | set[str] | None, where: str) -> None:
    """Refuses an id that no passage has; `known` is None where the source has no passages."""
    if not id or (known is not None and id not in known):
        raise wrong(where, "passage", id, "the id of a passage", "Correct the id, or add the passage.")


def _group(group: object, where: str) -> tuple[str, ...]:
    names = accepted(texts({"answers": group}, "answers", where)) if isinstance(group, list) else ()
    if not names:
        hint = 'Write [["a", "b"]] for one answer with two names, [["a"], ["b"]] for two answers.'
        raise wrong(where, "answers", group, "a list of names for each answer", hint)
    return names


def _evidence(row: Fields, groups: Sequence[Sequence[str]], where: str, passages: Mapping[str, str] | None) -> Evidence:
    only(row, ("passage", "start", "end"), where)
    id_ = identifier(row, ("passage",), where)
    known_passage(id_, passages, where)
    if passages is None:
        if "start" not in row or "end" not in row:
            raise SourceError(f"{where}: no start and end", "Write both, or pin passages.jsonl beside the questions.")
        start, end, size = integer(row, "start", where), integer(row, "end", where), None
    else:
        size = len(passages[id_])
        span = find(passages[id_], [name for group in groups for name in group]) or (0, size)
        start, end = integer(row, "start", where, span[0]), integer(row, "end", where, span[1])
    if not 0 <= start <= end or (size is not None and end > size):
        raise SourceError(f"{where}: span {start} to {end}, expected one within the text ({size})", "Correct it.")
    return Evidence(id_, start, end)


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
        wanted = [question for question in self._questions if kind in ("", question.kind)]
        if not wanted:
            kinds = sorted({question.kind for question in self._questions})
            raise SourceError(
                f"{self._what} has no questions of kind {kind!r}{nearest(kind, kinds)}, expected one of {kinds}",
                'Ask for "": all of them.',
            )
        return islice(wanted, each if each > 0 else None)

    def judgements(self, lang: Lang, each: int) -> Iterator[tuple[Question, list[Judgement]]]:
        """The judged questions with their judgements, in the order of the questions, the first `each` (0: all)."""
        self._has("judgements", lang)
        self._has("questions", lang)
        judged = [
            (question, self._judgements[question.id]) for question in self._questions if question.id in self._judgements
        ]
        return islice(judged, each if each > 0 else None)

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
        if not (wanted := [derivation for derivation in self._derivations if len(derivation.facts) == hops]):
            sizes = sorted({len(derivation.facts) for derivation in self._derivations})
            raise SourceError(f"{self._what} has no derivations of {hops} facts", f"Ask for one of {sizes}.")
        return wanted

    def labelled_texts(self, part: LabelledPart) -> Iterator[LabelledText]:
        """The labelled texts of a part, label after label, those of one label in the order of the file."""
        if "labelled" not in self._files:
            self._lacks("labelled texts")
        return iter(sorted(self._labelled[part], key=lambda labelled: labelled.label))

    @cached_property
    def _labelled(self) -> dict[LabelledPart, list[LabelledText]]:
        parts: dict[LabelledPart, list[LabelledText]] = {"demonstration": [], "test": []}
        held: set[str] = set()
        for number, (where, row) in enumerate(self._rows("labelled")):
            part, labelled = labelled_of(row, where, number)
            if labelled.id in held:
                raise SourceError(
                    f"{where}: the id {labelled.id!r} is used before", "Give every row its own id, or none."
                )
            held.add(labelled.id)
            parts[part].append(labelled)
        return parts

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
            texts = {known.id: known.text for known in self.passages(self._lang) if known.id in wanted}
        return list(self._distinct("questions", lambda row, where: question_of(row, where, texts)))

    @cached_property
    def _judgements(self) -> dict[str, list[Judgement]]:
        questions = {entry.id for entry in self._questions}
        passages = {entry.id for entry in self.passages(self._lang)} if "passages" in self._files else None
        judgements: dict[str, list[Judgement]] = {}
        held: set[tuple[str, str]] = set()
        for where, row in self._rows("judgements"):
            entry = judgement_of(row, where)
            if entry.question not in questions:
                raise wrong(where, "question", entry.question, "the id of a question", "Add it to the questions.")
            known_passage(entry.passage, passages, where)
            if (entry.question, entry.passage) in held:
                raise SourceError(f"{where}: {entry.passage!r} was judged for {entry.question!r} before", "Keep one.")
            held.add((entry.question, entry.passage))
            judgements.setdefault(entry.question, []).append(entry)
        return judgements

    @cached_property
    def _roll(self) -> "Roll":
        numbered = enumerate(self._rows("entities"))
        entities = [(where, entity_of(row, where, number)) for number, (where, row) in numbered]
        names: dict[str, str] = {}
        for where, entity in entities:
            if entity.name in names:
                raise SourceError(f"{where}: the name {entity.name!r} stands at {names[entity.name]}, too", "Keep one.")
            names[entity.name] = where
        return Roll([entity for _, entity in entities])

    @cached_property
    def _derivations(self) -> list[Derivation]:
        return list(self._distinct("derivations", derivation_of))

    def _distinct(self, table: str, make: Callable[[Fields, str], MadeT]) -> Iterator[MadeT]:
        """The rows of a table, each with an id of its own."""
        held: set[str] = set()
        for where, row in self._rows(table):
            made = make(row, where)
            if made.id in held:
                raise SourceError(f"{where}: the id {made.id!r} is used before", "Give every row its own id, or none.")
            held.add(made.id)
            yield made

    def _rows(self, table: str) -> Iterator[tuple[str, Fields]]:
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
