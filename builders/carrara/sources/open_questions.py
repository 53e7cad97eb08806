"""Open questions with short answers: Natural Questions and TriviaQA.

Natural Questions: Lost in the Middle's lines (`ctxs`, of which the gold is marked `isgold`), the official lines without
passages, the Hub's Parquet. TriviaQA: the official JSON, the Hub's Parquet. Both: DPR's topics (question TAB list of
answers as Python writes it, cells quoted as in CSV), and any rows of `question` and `answers`. Where a list of aliases
does not say which is best, those of letters and digits come first. Long answers and yes/no of Natural Questions are no
part of these files.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from carrara.errors import SourceError
from carrara.sources import literals
from carrara.sources.contexts import contexts
from carrara.sources.document import tidy
from carrara.sources.evidence import accepted, of_passages
from carrara.sources.fields import Row, as_row, identifier, rows, text, texts
from carrara.sources.questions import NO_ANSWER, Asked, Questions, question_id
from carrara.sources.rows import cells, form
from carrara.sources.rows import rows as rows_of
from carrara.tables import Question

KIND: Final = "open"
# Hidden answers of TriviaQA's test part on the Hub.
_HIDDEN: Final = "<unk>"
_IDS: Final = ("question_id", "QuestionId", "id", "_id")
_COLUMNS: Final = (*_IDS, "question", "answer", "answers", "ctxs")


def tables(name: str, files: Mapping[str, Path]) -> Questions:
    """The questions of the files. Raises SourceError that names file and line."""
    return Questions(name, files, _read)


def _read(file: Path, path: str) -> Iterator[Asked]:
    if form(path) in ("txt", "tsv"):
        yield from _topics(file, path)
        return
    for where, _, value in rows_of(file, path, _COLUMNS):
        row = as_row(value, where)
        # The official TriviaQA: an object that holds a list.
        for number, one in enumerate(rows(row, "Data", where) if "Data" in row else [row]):
            yield _asked(one, f"{where}, Data[{number}]" if "Data" in row else where)


def _topics(file: Path, path: str) -> Iterator[Asked]:
    for where, row in cells(file, path):
        if len(row) != 2:
            raise SourceError(f"{where}: {len(row)} cells, expected a question and a list of answers", "Mend the line.")
        try:
            names = literals.texts(row[1])
        except ValueError as error:
            raise SourceError(
                f"{where}: got {row[1][:60]!r}, expected a list of texts ({error})", "Mend the line."
            ) from error
        # Aliases come in no order: an emoji may be the first.
        names.sort(key=lambda name: not any(one.isascii() and one.isalnum() for one in name))
        yield _question("", row[0], names, {}, where)


def _asked(row: Row, where: str) -> Asked:
    asked = text(row, "Question" if "Question" in row else "question", where)
    found = next((row[field] for field in ("answers", "answer", "Answer") if row.get(field) is not None), None)
    if isinstance(found, dict):
        best, *names = ("Value", "Aliases") if "Value" in found else ("value", "aliases")
        given = [text(found, best, where), *(name for field in names for name in texts(found, field, where))]
        given = [] if given[0] == _HIDDEN else given
    else:
        given = [found] if isinstance(found, str) else texts({"answers": found}, "answers", where)
    return _question(identifier(row, _IDS, where), asked, given, row, where)


def _question(id: str, asked: str, given: list[str], row: Row, where: str) -> Asked:
    found = contexts(row, where)
    passages = tuple(context.passage for context in found)
    asked = tidy(asked)
    names = accepted(given)
    if not asked or not names:
        return Asked(NO_ANSWER, passages)
    gold = [context.passage for context in found if context.supporting]
    evidence = tuple(of_passages(gold, [names], whole=True))
    return Asked(Question(question_id(id, asked), KIND, asked, (names,), evidence), passages)
