"""Questions of many answers whose responses cite passages: ASQA and QAMPARI, as ALCE gives them and as published.

ASQA (`kind` "ambiguous"): one reading for each of `qa_pairs`, its short answers one group; also the official object
{part: {id: record}} and the Hub's Parquet, whose passages are those that annotators used. QAMPARI ("list"): one group
for each answer. Evidence is every passage of a record that names an answer. ALCE's prompt files hold worked examples:
those of QAMPARI are questions (answers and evidence from the citations; a part of all answers that there are), those of
ASQA state no short answers and are of kind "demonstration", one group for each cited statement.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from carrara.errors import SourceError
from carrara.sources.document import tidy
from carrara.sources.fields import Fields, as_row, identifier, rows, text, texts, values
from carrara.sources.formats import rows as rows_of
from carrara.sources.passages import contexts, passage
from carrara.sources.questions import NO_ANSWER, QuestionFiles, QuestionRecord, accepted, find, of_passages, question_id
from carrara.tables import Evidence, Passage, Question

_CITED: Final = re.compile(r"((?:\[\d{1,4}\])+)")
_NUMBER: Final = re.compile(r"\d+")
_NO_CONTEXT: Final = "No context provided"
_IDS: Final = ("sample_id", "qid", "id", "_id")
Groups = tuple[tuple[str, ...], ...]


def asqa(name: str, files: Mapping[str, Path]) -> QuestionFiles:
    """The questions of ASQA's files. Raises SourceError that names file and record."""
    return QuestionFiles(name, files, _read_asqa)


def qampari(name: str, files: Mapping[str, Path]) -> QuestionFiles:
    """The questions of QAMPARI's files. Raises SourceError that names file and record."""
    return QuestionFiles(name, files, _read_qampari)


def _read_asqa(file: Path, path: str) -> Iterator[QuestionRecord]:
    for where, id_, row in _records(file, path):
        if "qa_pairs" in row:
            yield _ambiguous(row, id_, where)
        elif "docs" in row:
            yield _example(row, "demonstration", where)
        else:
            raise SourceError(f"{where}: neither qa_pairs nor docs, expected a record of ASQA", "Fetch it again.")


def _read_qampari(file: Path, path: str) -> Iterator[QuestionRecord]:
    for where, id_, row in _records(file, path):
        if "answers" in row or "answer_list" in row:
            yield _list(row, id_, where)
        else:
            yield _example(row, "list", where)


def _records(file: Path, path: str) -> Iterator[tuple[str, str, Fields]]:
    """The records of a file; those of an official part, and the examples of a prompt file, one by one."""
    for where, name, value in rows_of(file, path):
        row = as_row(value, where)
        if "demos" in row:
            yield from (
                (f"{where}, demos[{number}]", "", record) for number, record in enumerate(rows(row, "demos", where))
            )
        elif name in ("train", "dev", "test"):
            for id_, record in row.items():
                yield f"{where}, {id_[:60]!r}", tidy(id_), as_row(record, f"{where}, {id_[:60]!r}")
        else:
            yield where, tidy(name), row


def _ambiguous(row: Fields, name: str, where: str) -> QuestionRecord:
    passages = [context.passage for context in contexts(row, where)]
    asked = tidy(text(row, "question" if "question" in row else "ambiguous_question", where))
    id_ = question_id(identifier(row, _IDS, where) or name, asked)
    pairs: list[tuple[str, tuple[str, ...]]] = []
    notes: list[Passage] = []
    for number, pair in enumerate(rows(row, "qa_pairs", where)):
        here = f"{where}, qa_pairs[{number}]"
        notes += _noted(text(pair, "wikipage", here, ""), text(pair, "context", here, ""))
        pairs.append((tidy(text(pair, "question", here)), accepted(texts(pair, "short_answers", here))))
    for annotation in rows(row, "annotations", where):
        for note in rows(annotation, "knowledge", where):
            notes += _noted(text(note, "wikipage", where, ""), text(note, "content", where, ""))
    pairs = [pair for pair in dict.fromkeys(pairs) if all(pair)]
    # Annotators' notes are no passages of the dump that `docs` come from.
    passages = list(dict.fromkeys(passages or notes))
    if not asked or not pairs:
        return QuestionRecord(NO_ANSWER, tuple(passages))
    readings = tuple(
        Question(f"{id_}/{number}", "reading", reading, (names,), tuple(of_passages(passages, [names], whole=False)))
        for number, (reading, names) in enumerate(pairs, start=1)
    )
    groups = tuple(names for _, names in pairs)
    evidence = tuple(of_passages(passages, groups, whole=False))
    return QuestionRecord(Question(id_, "ambiguous", asked, groups, evidence, readings=readings), tuple(passages))


def _list(row: Fields, name: str, where: str) -> QuestionRecord:
    passages = tuple(context.passage for context in contexts(row, where))
    asked = tidy(text(row, "question" if "question" in row else "question_text", where))
    given: list[list[str]] = []
    for number, group in enumerate(values(row, "answers", where)):
        listed = [group] if isinstance(group, str) else texts({"answers": group}, "answers", f"{where}, [{number}]")
        given.append(listed)
    for answer in rows(row, "answer_list", where):
        given.append([text(answer, "answer_text", where), *texts(answer, "aliases", where)])
    groups = _distinct(accepted(group) for group in given)
    if not asked or not groups:
        return QuestionRecord(NO_ANSWER, passages)
    id_ = question_id(identifier(row, _IDS, where) or name, asked)
    return QuestionRecord(
        Question(id_, "list", asked, groups, tuple(of_passages(passages, groups, whole=False))), passages
    )


def _example(row: Fields, kind: str, where: str) -> QuestionRecord:
    """A worked example: what its response says before each citation, and the passages that it cites."""
    asked, response = tidy(text(row, "question", where)), tidy(text(row, "answer", where))
    documents = [context.passage for context in contexts(row, where)]
    *cited, _ = _CITED.split(response)
    said: list[tuple[str, ...]] = []
    evidence: dict[str, Evidence] = {}
    for statement, marks in zip(cited[::2], cited[1::2], strict=True):
        statement = statement.strip(" ,.;")
        if not statement:
            continue
        said.append((statement,))
        for number in map(int, _NUMBER.findall(marks)):
            if not 1 <= number <= len(documents):
                raise SourceError(
                    f"{where}: cites passage {number}, expected 1 to {len(documents)}", "Mend the answer."
                )
            evidence.setdefault(documents[number - 1].id, _stated(documents[number - 1], statement))
    groups = _distinct(said)
    if not asked or not groups:
        return QuestionRecord(NO_ANSWER, tuple(documents))
    return QuestionRecord(
        Question(question_id("", asked), kind, asked, groups, tuple(evidence.values())), tuple(documents)
    )


def _stated(document: Passage, statement: str) -> Evidence:
    return Evidence(document.id, *(find(document.text, [statement]) or (0, len(document.text))))


def _noted(title: str, content: str) -> list[Passage]:
    """A passage that annotators read, of an article that they name."""
    noted = passage(title, "" if content == _NO_CONTEXT else content)
    return [noted] if noted.text else []


def _distinct(groups: Sequence[tuple[str, ...]] | Iterator[tuple[str, ...]]) -> Groups:
    """The groups that name something, each once."""
    return tuple(dict.fromkeys(group for group in groups if group))
