"""Rows of a user's own tables, checked field by field; the layouts stand in `own_tables`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, get_args

from carrara.errors import SourceError
from carrara.sources.document import tidy
from carrara.sources.evidence import accepted, find
from carrara.sources.fields import Row, identifier, integer, nearest, only, rows, text, texts, values, wrong
from carrara.sources.key_points import of_sentences
from carrara.sources.labelled import Part
from carrara.sources.long_documents import JOINT, Sentences, paragraphs
from carrara.sources.passages import content_id, passage
from carrara.sources.trec import GRADES
from carrara.tables import (
    ENTITY_CLASSES,
    Derivation,
    Document,
    DocumentQuestion,
    EntityRow,
    Evidence,
    Judgement,
    KeyPoint,
    LabelledText,
    Passage,
    Question,
)

_QUESTION: Final = ("id", "text", "answers", "kind", "evidence", "options", "hops", "popularity", "readings")
_DOCUMENT: Final = ("id", "title", "part", "text", "summary", "short_summary", "key_points", "questions")
_SEPARATORS: Final = ",;，；、"


def passage_of(row: Row, where: str) -> Passage:
    """A line of passages.jsonl; without an id it is called by what it holds."""
    only(row, ("id", "title", "text"), where)
    found = passage(text(row, "title", where, ""), text(row, "text", where), identifier(row, ("id",), where))
    if not found.text:
        raise wrong(where, "text", row["text"], "text that is not empty")
    return found


def question_of(row: Row, where: str, passages: Mapping[str, str] | None) -> Question:
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
            _evidence(one, groups, f"{where}, evidence[{number}]", passages)
            for number, one in enumerate(rows(row, "evidence", where))
        ),
        options=accepted(texts(row, "options", where)),
        hops=hops,
        popularity=popularity,
        readings=tuple(
            question_of(one, f"{where}, readings[{number}]", passages)
            for number, one in enumerate(rows(row, "readings", where))
        ),
    )


def named_passages(row: Row, where: str) -> Iterator[str]:
    """The ids of the passages that a question and its readings name as evidence."""
    for one in rows(row, "evidence", where):
        yield identifier(one, ("passage",), where)
    for reading in rows(row, "readings", where):
        yield from named_passages(reading, where)


def judgement_of(row: Row, where: str) -> Judgement:
    """A line of judgements.jsonl."""
    only(row, ("question", "passage", "grade"), where)
    grade = integer(row, "grade", where)
    if grade not in GRADES:
        raise wrong(where, "grade", grade, "0 (not relevant) to 3 (it states the answer)")
    return Judgement(identifier(row, ("question",), where), identifier(row, ("passage",), where), grade)


def entity_of(row: Row, where: str, number: int) -> EntityRow:
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


def derivation_of(row: Row, where: str) -> Derivation:
    """A line of derivations.jsonl."""
    only(row, ("id", "question", "facts", "answers", "names"), where)
    question, facts = tidy(text(row, "question", where)), tuple(map(tidy, texts(row, "facts", where)))
    answers = accepted(texts(row, "answers", where))
    if not (question and answers and facts and all(facts)):
        raise SourceError(f"{where}: question, facts or answers are empty", "Write all three, or leave the line out.")
    id_ = identifier(row, ("id",), where) or content_id(question)
    return Derivation(id_, question, facts, answers, accepted(texts(row, "names", where)))


def labelled_of(row: Row, where: str, number: int) -> tuple[Part, LabelledText]:
    """A line of labelled.jsonl, and the part that it belongs to."""
    only(row, ("id", "text", "label", "part"), where)
    said, label, part = (tidy(text(row, field, where)) for field in ("text", "label", "part"))
    if not said or not label:
        raise SourceError(f"{where}: text or label are empty", "Write both, or leave the line out.")
    if part not in get_args(Part):
        raise wrong(where, "part", part, '"demonstration" or "test"', "Write one of the two.")
    id_ = identifier(row, ("id",), where) or f"{part}/{number}"
    return ("test" if part == "test" else "demonstration"), LabelledText(id_, said, label)


def document_of(row: Row, where: str) -> Document:
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
            _document_question(one, f"{id_}-{number}", f"{where}, questions[{number}]")
            for number, one in enumerate(rows(row, "questions", where))
        ),
        summary=JOINT.join(paragraphs(text(row, "summary", where, ""))),
        short_summary=JOINT.join(paragraphs(text(row, "short_summary", where, ""))),
    )
    if document.short_summary and not document.summary:
        raise wrong(where, "summary", "", "a summary beside the short one", 'Write the only one as "summary".')
    found = of_sentences(document)
    if points := accepted(texts(row, "key_points", where)):
        given = tuple(KeyPoint(point, (0, 0)) for point in points)
        return replace(found, key_points=given, key_points_from="model")
    return found


def _document_question(row: Row, id_: str, where: str) -> DocumentQuestion:
    only(row, ("id", "text", "answers", "options"), where)
    asked = tidy(text(row, "text", where))
    answers = tuple(dict.fromkeys(JOINT.join(paragraphs(one)) for one in texts(row, "answers", where)))
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


def _evidence(row: Row, groups: Sequence[Sequence[str]], where: str, passages: Mapping[str, str] | None) -> Evidence:
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
