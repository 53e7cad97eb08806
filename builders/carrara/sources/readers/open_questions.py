"""Open questions with short answers: Natural Questions, TriviaQA and PopQA.

Natural Questions: Lost in the Middle's lines (`ctxs`, of which the gold is marked `isgold`), the official lines without
passages, the Hub's Parquet. TriviaQA: the official JSON, the Hub's Parquet. Both: DPR's topics (question TAB list of
answers as Python writes it, cells quoted as in CSV), and any rows of `question` and `answers`. Where a list of aliases
does not say which is best, those of letters and digits come first. Long answers and yes/no of Natural Questions are no
part of these files.

PopQA asks for one relation of a person or thing: the JSON list that carries `paragraphs`, and the original table with
tabs (akariasai/PopQA on the Hub) without. `kind` is the relation, `popularity` the subject's monthly views (`s_pop`);
which of them count as rare is the task's choice. The paragraphs marked as supporting are the subject's article and the
object's; the object's says nothing of the subject, so evidence is the subject's alone, and only where it names an
answer (739 of 1,000 in the sample).

Must not change without a new version of the readers: which questions there are, and the order of their names.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from carrara.errors import SourceError
from carrara.sources.document import tidy
from carrara.sources.fields import Fields, all_text, as_row, identifier, integer, rows, shown, text, texts
from carrara.sources.formats import cells, form, parsed
from carrara.sources.formats import rows as records
from carrara.sources.passages import contexts
from carrara.sources.questions import NO_ANSWER, QuestionFiles, QuestionRecord, accepted, of_passages, question_id
from carrara.tables import Question

_TEXT: Final = re.compile(r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)\"""", re.DOTALL)
_COMMA: Final = re.compile(r"\s*+(,\s*+)?")
_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_PLAIN: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def python_texts(literal: str) -> list[str]:
    """The texts of a list. Raises ValueError that says at which character the list stops being one."""
    literal = literal.strip()
    if not literal.startswith("["):
        raise ValueError("expected [ at character 0")
    names: list[str] = []
    at = len(literal) - len(literal[1:].lstrip())
    comma = True
    while literal[at : at + 1] != "]":
        text = _TEXT.match(literal, at)
        if text is None or not comma:
            raise ValueError(f"expected a text in quotation marks, a comma or ] at character {at}")
        names.append(_unescaped(text[1] if text[1] is not None else text[2], at))
        gap = _COMMA.match(literal, text.end())
        assert gap is not None  # It matches nothing, too.
        comma, at = gap[1] is not None, gap.end()
    if at + 1 != len(literal):
        raise ValueError(f"expected nothing after ] at character {at}")
    return names


def _unescaped(text: str, at: int) -> str:
    def plain(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            number = int(code[1:], 16)
            if number > 0x10FFFF:
                raise ValueError(f"no character {code!r} in the text at character {at}")
            return chr(number)
        if code not in _PLAIN:
            raise ValueError(f"unknown escape {match[0]!r} in the text at character {at}")
        return _PLAIN[code]

    return _ESCAPE.sub(plain, text) if "\\" in text else text


KIND: Final = "open"
# Hidden answers of TriviaQA's test part on the Hub.
_HIDDEN: Final = "<unk>"
_IDS: Final = ("question_id", "QuestionId", "id", "_id")
_COLUMNS: Final = (*_IDS, "question", "answer", "answers", "ctxs")


def open_questions(name: str, files: Mapping[str, Path]) -> QuestionFiles:
    """The questions of the files. Raises SourceError that names file and line."""
    return QuestionFiles(name, files, _read)


def _read(file: Path, path: str) -> Iterator[QuestionRecord]:
    if form(path) in ("txt", "tsv"):
        yield from _topics(file, path)
        return
    for where, _, value in records(file, path, _COLUMNS):
        row = as_row(value, where)
        # The official TriviaQA: an object that holds a list.
        for number, entry in enumerate(rows(row, "Data", where) if "Data" in row else [row]):
            yield _record(entry, f"{where}, Data[{number}]" if "Data" in row else where)


def _topics(file: Path, path: str) -> Iterator[QuestionRecord]:
    for where, row in cells(file, path):
        if len(row) != 2:
            raise SourceError(f"{where}: {len(row)} cells, expected a question and a list of answers", "Mend the line.")
        try:
            names = python_texts(row[1])
        except ValueError as error:
            raise SourceError(
                f"{where}: got {row[1][:60]!r}, expected a list of texts ({error})", "Mend the line."
            ) from error
        # Aliases come in no order: an emoji may be the first.
        names.sort(key=lambda name: not any(letter.isascii() and letter.isalnum() for letter in name))
        yield _record_of("", row[0], names, {}, where)


def _record(row: Fields, where: str) -> QuestionRecord:
    asked = text(row, "Question" if "Question" in row else "question", where)
    accepted_ = next((row[field] for field in ("answers", "answer", "Answer") if row.get(field) is not None), None)
    if isinstance(accepted_, dict):
        best, *names = ("Value", "Aliases") if "Value" in accepted_ else ("value", "aliases")
        given = [
            text(accepted_, best, where),
            *(name for field in names for name in texts(accepted_, field, where)),
        ]
        given = [] if given[0] == _HIDDEN else given
    else:
        given = [accepted_] if isinstance(accepted_, str) else texts({"answers": accepted_}, "answers", where)
    return _record_of(identifier(row, _IDS, where), asked, given, row, where)


def _record_of(id: str, asked: str, given: list[str], row: Fields, where: str) -> QuestionRecord:
    beside = contexts(row, where)
    passages = tuple(context.passage for context in beside)
    asked = tidy(asked)
    names = accepted(given)
    if not asked or not names:
        return QuestionRecord(NO_ANSWER, passages)
    gold = [context.passage for context in beside if context.supporting]
    evidence = tuple(of_passages(gold, [names], whole=True))
    return QuestionRecord(Question(question_id(id, asked), KIND, asked, (names,), evidence), passages)


_POPQA_COLUMNS: Final = (
    "id",
    "subj",
    "prop",
    "obj",
    "s_wiki_title",
    "s_pop",
    "question",
    "possible_answers",
    "paragraphs",
)


def popqa(name: str, files: Mapping[str, Path]) -> QuestionFiles:
    """The questions of the files. Raises SourceError that names file and line."""
    return QuestionFiles(name, files, _read_popqa)


def _read_popqa(file: Path, path: str) -> Iterator[QuestionRecord]:
    for where, _, value in records(file, path, _POPQA_COLUMNS):
        yield _popqa_record(as_row(value, where), where)


def _popqa_record(row: Fields, where: str) -> QuestionRecord:
    beside = contexts(row, where)
    passages = tuple(context.passage for context in beside)
    asked = tidy(text(row, "question", where))
    names = accepted([text(row, "obj", where, ""), *_listed(row, "possible_answers", where)])
    if not asked or not names:
        return QuestionRecord(NO_ANSWER, passages)
    subject = {tidy(text(row, field, where, "")) for field in ("s_wiki_title", "subj")} - {""}
    gold = [context.passage for context in beside if context.supporting and context.passage.title in subject]
    question = Question(
        id=question_id(identifier(row, ("id",), where), asked),
        kind=tidy(text(row, "prop", where, "")) or "relation",
        text=asked,
        answers=(names,),
        evidence=tuple(of_passages(gold, [names], whole=False)),
        popularity=integer(row, "s_pop", where, 0),
    )
    return QuestionRecord(question, passages)


def _listed(row: Fields, field: str, where: str) -> list[str]:
    """A list of texts that is itself written as JSON text."""
    value = row.get(field)
    if isinstance(value, str):
        value = parsed(f"{where}, {field}", value)
    if not isinstance(value, list):
        raise SourceError(f"{where}: {field} is {shown(value)}, expected a list of texts", "Fetch it again.")
    return all_text(value, where, field)
