"""PopQA: questions about one relation of a person or thing, with how often its article is read.

Takes the JSON list that carries `paragraphs`, and the original table with tabs (akariasai/PopQA on the Hub) without.
`kind` is the relation, `popularity` the subject's monthly views (`s_pop`); which of them count as rare is the task's
choice. The paragraphs marked as supporting are the subject's article and the object's; the object's says nothing of
the subject, so evidence is the subject's alone, and only where it names an answer (739 of 1,000 in the sample).
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from carrara.errors import SourceError
from carrara.sources.contexts import contexts
from carrara.sources.document import tidy
from carrara.sources.evidence import accepted, of_passages
from carrara.sources.fields import Row, all_text, as_row, identifier, integer, shown, text
from carrara.sources.questions import NO_ANSWER, Asked, Questions, question_id
from carrara.sources.rows import rows
from carrara.tables import Question

_COLUMNS: Final = ("id", "subj", "prop", "obj", "s_wiki_title", "s_pop", "question", "possible_answers", "paragraphs")


def tables(name: str, files: Mapping[str, Path]) -> Questions:
    """The questions of the files. Raises SourceError that names file and line."""
    return Questions(name, files, _read)


def _read(file: Path, path: str) -> Iterator[Asked]:
    for where, _, value in rows(file, path, _COLUMNS):
        yield _asked(as_row(value, where), where)


def _asked(row: Row, where: str) -> Asked:
    found = contexts(row, where)
    passages = tuple(context.passage for context in found)
    asked = tidy(text(row, "question", where))
    names = accepted([text(row, "obj", where, ""), *_listed(row, "possible_answers", where)])
    if not asked or not names:
        return Asked(NO_ANSWER, passages)
    subject = {tidy(text(row, field, where, "")) for field in ("s_wiki_title", "subj")} - {""}
    gold = [context.passage for context in found if context.supporting and context.passage.title in subject]
    question = Question(
        id=question_id(identifier(row, ("id",), where), asked),
        kind=tidy(text(row, "prop", where, "")) or "relation",
        text=asked,
        answers=(names,),
        evidence=tuple(of_passages(gold, [names], whole=False)),
        popularity=integer(row, "s_pop", where, 0),
    )
    return Asked(question, passages)


def _listed(row: Row, field: str, where: str) -> list[str]:
    """A list of texts that is itself written as JSON text."""
    value = row.get(field)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise SourceError(
                f"{where}: {field} is {value[:60]!r}, expected a list written as JSON ({error})", "Fetch it again."
            ) from error
    if not isinstance(value, list):
        raise SourceError(f"{where}: {field} is {shown(value)}, expected a list of texts", "Fetch it again.")
    return all_text(value, where, field)
