"""NarrativeQA (arXiv:1712.07040): books and film scripts with questions that were asked of their summaries.

Takes the official files (documents.csv, qaps.csv, summaries.csv and the texts as they were fetched, named after the
document's id, as `tmp/<id>.content` or `<id>.txt`) and the Hub's Parquet, in which every question holds its document.
Documents without a text and questions without an answer are left out and counted.

A text loses markup (tags, scripts, entities) where it has any, and the licence and notes that Project Gutenberg puts
before and after a book where both its marks are there. Must not change without a new version of the reader: texts, ids,
which questions are kept, order.
"""

import csv
import html
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from carrara.errors import SourceError
from carrara.sources.document import read_bytes, read_text, tidy
from carrara.sources.fields import Fields, as_row, text
from carrara.sources.fields import rows as row_list
from carrara.sources.formats import parquet_rows
from carrara.sources.long_documents import JOINT, LongDocuments, Sentences, paragraphs
from carrara.sources.passages import content_id
from carrara.tables import Document, DocumentQuestion

_COLUMNS: Final = ("document", "question", "answers")
_TABLES: Final = ("documents.csv", "qaps.csv", "summaries.csv")
_GUTENBERG: Final = re.compile(
    r"\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG EBOOK[^\n]*\n(.*?)\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG",
    re.DOTALL | re.IGNORECASE,
)
_MARKED: Final = re.compile(
    r"</?(?:html|head|body|pre|p|br|b|i|div|table|td)(?: ?/|\s+[a-z-]{1,20} ?=[^<>]{0,500})?>", re.I
)
_UNREAD: Final = re.compile(
    r"<(script|style|head)\b[^<>]{0,1000}>.{0,200000}?</\1\s*>|<!--.{0,20000}?-->", re.DOTALL | re.I
)
_BREAK: Final = re.compile(r"<(?:/?p|/?div|/?h[1-6]|/?tr|/?li|hr)\b[^<>]{0,1000}>", re.IGNORECASE)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,1000}>|<![A-Za-z][^<>]{0,1000}>")
# A mark of a tag is looked for in so much of a text.
_LOOKED: Final = 20_000


@dataclass(slots=True)
class _Story:
    """What the rows say of one document."""

    kind: str = ""
    title: str = ""
    text: str = ""
    summary: str = ""
    questions: dict[str, DocumentQuestion] = field(default_factory=dict)


class NarrativeQA(LongDocuments):
    """The stories of some files; `dropped` says how many were left out, and why, once they were read."""

    def __init__(self, name: str, files: Mapping[str, Path]) -> None:
        super().__init__(name, self._stories)
        self._files = files
        self.dropped: Counter[str] = Counter()

    def _stories(self) -> Iterator[Document]:
        self.dropped.clear()
        stories: dict[str, _Story] = {}
        tables = {_base(path): path for path in sorted(self._files)}
        for path in sorted(self._files):
            if path.removesuffix(".gz").endswith(".parquet"):
                for where, _, value in parquet_rows(self._files[path], path, _COLUMNS):
                    self._hub(as_row(value, where), where, stories)
        if any(name in tables for name in _TABLES):
            self._official(tables, stories)
        for id_, story in stories.items():
            if not story.text:
                self.dropped["document without a text"] += 1
            elif story.questions:
                yield Document(
                    id=id_,
                    kind=story.kind,
                    title=story.title,
                    text=story.text,
                    sentences=Sentences(story.text),
                    questions=tuple(story.questions.values()),
                    summary=story.summary,
                )

    def _official(self, tables: Mapping[str, str], stories: dict[str, _Story]) -> None:
        if missing := [name for name in _TABLES[:2] if name not in tables]:
            raise SourceError(f"{self._what}: {missing[0]} is missing", "Pin it too: it lies beside the others.")
        for where, row in self._rows(tables["documents.csv"]):
            id_ = tidy(text(row, "document_id", where))
            path = next((tables[name] for name in (f"{id_}.content", f"{id_}.txt") if name in tables), "")
            shown = cleaned(_lenient(self._files[path], path)) if path else ""
            stories[id_] = _Story(tidy(text(row, "kind", where, "")), tidy(text(row, "wiki_title", where, "")), shown)
        for where, row in self._rows(tables["summaries.csv"]) if "summaries.csv" in tables else ():
            self._known(row, where, stories).summary = JOINT.join(paragraphs(text(row, "summary", where)))
        for where, row in self._rows(tables["qaps.csv"]):
            answers = [text(row, name, where, "") for name in ("answer1", "answer2")]
            self._asked(self._known(row, where, stories), text(row, "question", where), answers)

    def _hub(self, row: Fields, where: str, stories: dict[str, _Story]) -> None:
        held = as_row(row.get("document"), f"{where}, document")
        id_ = tidy(text(held, "id", where))
        if id_ not in stories:
            summary = as_row(held.get("summary") or {}, f"{where}, summary")
            stories[id_] = _Story(
                kind=tidy(text(held, "kind", where, "")),
                title=tidy(text(summary, "title", where, "")),
                text=cleaned(text(held, "text", where)),
                summary=JOINT.join(paragraphs(text(summary, "text", where, ""))),
            )
        asked = as_row(row.get("question"), f"{where}, question")
        answers = [text(answer, "text", where, "") for answer in row_list(row, "answers", where)]
        self._asked(stories[id_], text(asked, "text", where), answers)

    def _known(self, row: Fields, where: str, stories: Mapping[str, _Story]) -> _Story:
        id_ = tidy(text(row, "document_id", where))
        if id_ not in stories:
            raise SourceError(f"{where}: document {id_[:60]!r} is not in documents.csv", "Fetch the files again.")
        return stories[id_]

    def _asked(self, story: _Story, question: str, answers: list[str]) -> None:
        asked = tidy(question)
        accepted = tuple(dict.fromkeys(answer for answer in map(tidy, answers) if any(map(str.isalnum, answer))))
        if not any(map(str.isalnum, asked)) or not accepted:
            self.dropped["no question or answer"] += 1
            return
        id_ = content_id(f"{story.title}\n{asked}")
        if id_ in story.questions:
            self.dropped["repeated"] += 1
        story.questions.setdefault(id_, DocumentQuestion(id_, asked, accepted))

    def _rows(self, path: str) -> Iterator[tuple[str, Fields]]:
        reader = csv.DictReader(io.StringIO(read_text(self._files[path], path), newline=""), strict=True)
        try:
            for row in reader:
                yield f"{path}, line {reader.line_num}", {name: cell for name, cell in row.items() if name}
        except csv.Error as error:
            raise SourceError(f"{path}, line {reader.line_num}: {error}", "Mend the quotes of the row.") from error


def narrativeqa(name: str, files: Mapping[str, Path]) -> NarrativeQA:
    """The documents of NarrativeQA's files. Raises SourceError that names file and record."""
    return NarrativeQA(name, files)


def cleaned(page: str) -> str:
    """The paragraphs of a text without markup and without what Project Gutenberg puts around a book."""
    page = page.replace("\r\n", "\n").replace("\r", "\n")
    if _MARKED.search(page, 0, _LOOKED):
        page = _TAG.sub("", _BREAK.sub("\n\n", _UNREAD.sub(" ", page)))
        page = html.unescape(page)
    if (book := _GUTENBERG.search(page)) is not None:
        page = book[1]
    return JOINT.join(paragraphs(page))


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".gz")


def _lenient(file: Path, path: str) -> str:
    """A fetched page, in UTF-8 or else in Latin-1, as most old ones are."""
    data = read_bytes(file, path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="ignore")
