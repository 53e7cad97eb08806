"""What a good summary of a document holds: key points that a model wrote once, else the sentences of the summary.

A source may pin a file `key_points.jsonl` (.gz may follow) beside its own. It is hashed like all its files, so that
every judge is asked about the same statements, whichever model wrote them:

    {"document": id, "key_points": ["...", ...]}
    {"question": id of a query, "key_points": ["...", ...]}

Must not change without a new version of the readers: which summary is cut into sentences.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from carrara.errors import SourceError
from carrara.sources.document import tidy
from carrara.sources.fields import as_row, identifier, only, texts, wrong
from carrara.sources.formats import json_rows
from carrara.sources.long_documents import paragraphs
from carrara.sources.sentences import split
from carrara.tables import Document, DocumentQuestion, KeyPoint

NAME: Final = "key_points.jsonl"
# Where a statement stands in the document, nobody says.
_NOWHERE: Final = (0, 0)
Points = Mapping[str, tuple[str, ...]]


def is_key_points(path: str) -> bool:
    """Whether a file of a source holds key points."""
    return path.removesuffix(".gz").rsplit("/", 1)[-1] == NAME


def with_key_points(
    documents: Iterable[Document], files: Mapping[str, Path], queries: bool = True
) -> Iterator[Document]:
    """The documents with the key points of their summaries, and of their queries where those ask for summaries.

    Raises SourceError where a file of key points names what is not there, or not everything that has a summary.
    """
    given: dict[str, tuple[str, ...]] = {}
    where = ""
    for path in filter(is_key_points, sorted(files)):
        for where, _, value in json_rows(files[path], path):
            row = as_row(value, where)
            only(row, ("document", "question", "key_points"), where)
            id_ = identifier(row, ("question", "document"), where)
            points = tuple(filter(None, map(tidy, texts(row, "key_points", where))))
            if not id_ or not points or id_ in given:
                raise wrong(where, "key_points", row.get("key_points"), "a list of statements of one new document")
            given[id_] = points
    used: set[str] = set()
    for document in documents:
        yield _with(document, given, used, queries) if given else of_sentences(document, queries)
    if unknown := sorted(given.keys() - used):
        raise SourceError(f"{NAME}: {unknown[0][:60]!r} names no document or query of the source", "Correct the id.")


def of_sentences(document: Document, queries: bool = True) -> Document:
    """The document with the sentences of its summaries as key points."""
    points = _sentences(document.short_summary or document.summary)
    return replace(
        document,
        key_points=tuple(KeyPoint(text, _NOWHERE) for text in points),
        questions=tuple(
            replace(question, key_points=_sentences(question.answers[0]))
            if queries and not question.options
            else question
            for question in document.questions
        ),
        key_points_from="sentences",
    )


def _with(document: Document, given: Points, used: set[str], queries: bool) -> Document:
    def points(id_: str, summary: str) -> tuple[str, ...]:
        if summary and id_ not in given:
            raise SourceError(f"{NAME}: no key points of {id_!r}", "Add them, or leave the file out.")
        used.add(id_)
        return given.get(id_, ())

    def asked(question: DocumentQuestion) -> DocumentQuestion:
        return (
            replace(question, key_points=points(question.id, question.answers[0]))
            if queries and not question.options
            else question
        )

    return replace(
        document,
        key_points=tuple(KeyPoint(text, _NOWHERE) for text in points(document.id, document.summary)),
        questions=tuple(map(asked, document.questions)),
        key_points_from="model",
    )


def _sentences(summary: str) -> tuple[str, ...]:
    return tuple(sentence for paragraph in paragraphs(summary) for sentence in split(paragraph, "en"))
