"""Questions about paragraphs of Wikipedia: SQuAD 1.1 and 2.0.

Read are the original JSON (`data`, of articles, of paragraphs, of questions) and the columns of the Hub (Parquet or
JSON lines: id, title, context, question, answers). An answer is a span of its paragraph, which is the one passage of
the question and its evidence; several people's spans are one group of names, what most of them marked first. Questions
of 2.0 that have no answer are left out; their paragraphs stay as passages.

Must not change without a new version of the reader: which questions there are, the order of their names, the passages.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from carrara.sources.document import tidy
from carrara.sources.fields import Fields, as_row, flag, identifier, integer, rows, text, texts, values, wrong
from carrara.sources.formats import rows as rows_of
from carrara.sources.passages import passage
from carrara.sources.questions import NO_ANSWER, QuestionFiles, QuestionRecord, accepted, question_id
from carrara.tables import Evidence, Passage, Question

KIND: Final = "extractive"
IMPOSSIBLE: Final = "impossible"
ASTRAY: Final = "answer not in its passage"
_COLUMNS: Final = ("id", "title", "context", "question", "answers", "is_impossible")
# Places of one name in one paragraph; a text made of nothing else would take the square of its length.
_TRIES: Final = 1_000


class _Span(NamedTuple):
    """An answer as its row has it, and where it says that it stands in the text before tidying."""

    name: str
    start: int


def tables(name: str, files: Mapping[str, Path]) -> QuestionFiles:
    """The questions and the paragraphs of the files. Raises SourceError that names file and record."""
    return QuestionFiles(name, files, _read)


def _read(file: Path, path: str) -> Iterator[QuestionRecord]:
    for where, name, value in rows_of(file, path, _COLUMNS):
        # The original is one object; with no version beside them its articles are a named list.
        if name == "data" and isinstance(value, list):
            yield from _articles({"data": value}, where)
        elif isinstance(value, dict) and "data" in value:
            yield from _articles(value, where)
        else:
            row = as_row(value, where)
            yield _asked(row, _passage(row, text(row, "title", where, ""), where), where)


def _articles(table: Fields, where: str) -> Iterator[QuestionRecord]:
    for number, article in enumerate(rows(table, "data", where)):
        title = text(article, "title", where, "")
        for index, paragraph in enumerate(rows(article, "paragraphs", f"{where}, data[{number}]")):
            here = f"{where}, data[{number}], paragraphs[{index}]"
            passage_ = _passage(paragraph, title, here)
            for asked, row in enumerate(rows(paragraph, "qas", here)):
                yield _asked({"context": paragraph["context"], **row}, passage_, f"{here}, qas[{asked}]")


def _passage(row: Fields, title: str, where: str) -> Passage:
    """The paragraph with its article's title, in which blanks are written as in an address."""
    return passage(title.replace("_", " "), text(row, "context", where))


def _asked(row: Fields, paragraph: Passage, where: str) -> QuestionRecord:
    passages = (paragraph,) if paragraph.text else ()
    asked = tidy(text(row, "question", where))
    spans = _spans(row, where)
    if flag(row, "is_impossible", where) or not spans:
        return QuestionRecord(IMPOSSIBLE, passages)
    votes = Counter(tidy(span.name) for span in spans)
    names = accepted(sorted(votes, key=lambda name: -votes[name]))
    if not asked or not names:
        return QuestionRecord(NO_ANSWER, passages)
    best = next(span for span in spans if tidy(span.name) == names[0])
    start = _place(paragraph.text, names[0], len(tidy(text(row, "context", where)[: best.start])))
    if start is None:
        return QuestionRecord(ASTRAY, passages)
    question = Question(
        id=question_id(identifier(row, ("id",), where), asked),
        kind=KIND,
        text=asked,
        answers=(names,),
        evidence=(Evidence(paragraph.id, start, start + len(names[0])),),
    )
    return QuestionRecord(question, passages)


def _spans(row: Fields, where: str) -> list[_Span]:
    """The answers, from a list of objects or from two lists."""
    given_ = row.get("answers")
    if isinstance(given_, dict):
        names, starts = texts(given_, "text", where), values(given_, "answer_start", where)
        if len(names) != len(starts):
            raise wrong(where, "answer_start", starts, f"{len(names)} numbers, one for each text")
        given: list[Fields] = [{"text": name, "answer_start": at} for name, at in zip(names, starts, strict=True)]
    else:
        given = rows(row, "answers", where)
    spans = [_Span(text(answer, "text", where), integer(answer, "answer_start", where)) for answer in given]
    for span in spans:
        if span.start < 0:
            raise wrong(where, "answer_start", span.start, "a place in the text, 0 or more")
    return spans


def _place(within: str, name: str, near: int) -> int | None:
    """Where a name stands nearest to a place: tidying and a slip of the annotators move it by a few characters."""
    nearest: int | None = None
    at = within.find(name)
    for _ in range(_TRIES):
        if at < 0 or (nearest is not None and abs(at - near) > abs(nearest - near)):
            break
        nearest, at = at, within.find(name, at + 1)
    return nearest
