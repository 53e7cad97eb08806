"""Books of InfiniteBench (arXiv:2402.13718): questions, questions with options, summaries, in its JSON lines.

    {"id", "context", "input": the question, "answer": [...] or text, "options": [...] or none}

Takes longbook_qa_eng, longbook_choice_eng and longbook_sum_eng, also several of them. Rows on one book are one
document. The answer of a row with options is the right option (its letter may stand behind it); the answer of a row of
a file of summaries, or of one that asks nothing or to summarise, is the summary. Left out and counted: rows without
text, question or answer, and those whose answer is no option, or whose options are not distinct. Must not change
without a new version of the reader: which rows are kept, ids, order.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from carrara.sources.document import tidy
from carrara.sources.fields import Fields, all_text, as_row, identifier, text, texts, values
from carrara.sources.formats import rows
from carrara.sources.key_points import is_key_points, with_key_points
from carrara.sources.long_documents import JOINT, LongDocuments, Sentences, paragraphs
from carrara.sources.passages import content_id
from carrara.tables import Document, DocumentQuestion

_COLUMNS: Final = ("id", "context", "input", "answer", "options")
_SUMMARY: Final = re.compile(r"longbook_sum|\bsum(?:mary|mari[sz]ation)?\b", re.IGNORECASE)
_SUMMARISE: Final = re.compile(r"\b(?:summari[sz]e|summary)\b", re.IGNORECASE)
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(slots=True)
class _Book:
    """What the rows say of one book."""

    text: str
    questions: dict[str, DocumentQuestion] = field(default_factory=dict)
    summary: str = ""


class InfBench(LongDocuments):
    """The books of some files; `dropped` says how many rows were left out, and why, once they were read."""

    def __init__(self, name: str, files: Mapping[str, Path]) -> None:
        super().__init__(name, lambda: with_key_points(self._books(), files, queries=False))
        self._files = files
        self.dropped: Counter[str] = Counter()

    def _books(self) -> Iterator[Document]:
        books: dict[str, _Book] = {}
        self.dropped.clear()
        for path in sorted(self._files):
            if is_key_points(path):
                continue
            for where, _, value in rows(self._files[path], path, _COLUMNS):
                self._row(as_row(value, where), where, path, books)
        for id_, book in books.items():
            if book.questions or book.summary:
                yield Document(
                    id=id_,
                    kind="",
                    title="",
                    text=book.text,
                    sentences=Sentences(book.text),
                    questions=tuple(book.questions.values()),
                    summary=book.summary,
                )

    def _row(self, row: Fields, where: str, path: str, books: dict[str, _Book]) -> None:
        shown = JOINT.join(paragraphs(text(row, "context", where)))
        asked = tidy(text(row, "input", where, ""))
        given = row.get("answer")
        answers = [given] if isinstance(given, str) else all_text(values(row, "answer", where), where, "answer")
        options = tuple(map(tidy, texts(row, "options", where)))
        if not shown:
            self.dropped["no text"] += 1
            return
        book = books.setdefault(content_id(shown), _Book(shown))
        if _is_summary(path, asked) and not options:
            book.summary = book.summary or JOINT.join(paragraphs(answers[0] if answers else ""))
            self.dropped["no answer"] += not book.summary
            return
        accepted = _options(answers, options) if options else _accepted(answers)
        if not asked or isinstance(accepted, str) or not accepted:
            self.dropped[accepted if isinstance(accepted, str) else "no question or answer"] += 1
            return
        id_ = identifier(row, ("id",), where) or content_id(asked)
        # Ids are numbers of rows in their file.
        key = f"{path.rsplit('/', 1)[-1].split('.')[0]}-{id_}"
        book.questions.setdefault(key, DocumentQuestion(key, asked, accepted, options))


def infbench(name: str, files: Mapping[str, Path]) -> InfBench:
    """The documents of InfiniteBench's files. Raises SourceError that names file and record."""
    return InfBench(name, files)


def _is_summary(path: str, asked: str) -> bool:
    return _SUMMARY.search(path.rsplit("/", 1)[-1]) is not None or not asked or _SUMMARISE.match(asked) is not None


def _accepted(answers: list[str]) -> tuple[str, ...]:
    """The answers with a letter or digit, each once, the first one first."""
    return tuple(dict.fromkeys(answer for answer in map(tidy, answers) if any(map(str.isalnum, answer))))


def _options(answers: list[str], options: tuple[str, ...]) -> tuple[str, ...] | str:
    """The right option; why there is none, where the answer is no option or the options are not distinct."""
    if len({option.casefold() for option in options}) < len(options) or not 2 <= len(options) <= len(_LETTERS):
        return "options not distinct"
    for answer in map(tidy, answers):
        if answer in options:
            return (answer,)
        if len(answer) == 1 and answer in _LETTERS[: len(options)]:
            return (options[_LETTERS.index(answer)],)
    return "answer is no option"
