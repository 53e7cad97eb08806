"""Questions that need two or more passages: HotpotQA and MuSiQue.

HotpotQA: the official list of pairs, the columns of the Hub (JSON or Parquet), and lists of question and answer alone.
MuSiQue: `paragraphs` with `is_supporting`, two to four hops. Evidence is every supporting passage, where it names the
answer, else as a whole; `kind` is the dataset's own ("bridge", "comparison"; "2hop", "3hop1", ...). Questions marked as
not answerable are left out; yes and no stay, as answers of the dataset.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from carrara.sources.document import tidy
from carrara.sources.fields import Fields, as_row, flag, identifier, text, texts, values
from carrara.sources.formats import rows
from carrara.sources.passages import contexts, supporting_titles
from carrara.sources.questions import NO_ANSWER, QuestionFiles, QuestionRecord, accepted, of_passages, question_id
from carrara.tables import Question

_HOPS: Final = 2


def hotpotqa(name: str, files: Mapping[str, Path]) -> QuestionFiles:
    """The questions of HotpotQA's files. Raises SourceError that names file and record."""
    return QuestionFiles(name, files, _read)


def musique(name: str, files: Mapping[str, Path]) -> QuestionFiles:
    """The questions of MuSiQue's files. Raises SourceError that names file and record."""
    return QuestionFiles(name, files, _read)


def _read(file: Path, path: str) -> Iterator[QuestionRecord]:
    for where, _, value in rows(file, path):
        yield _asked(as_row(value, where), where)


def _asked(row: Fields, where: str) -> QuestionRecord:
    beside = contexts(row, where)
    passages = tuple(context.passage for context in beside)
    asked = tidy(text(row, "question", where))
    names = accepted([text(row, "answer", where, ""), *texts(row, "answer_aliases", where)])
    if "answerable" in row and not flag(row, "answerable", where):
        return QuestionRecord("not answerable", passages)
    if not asked or not names:
        return QuestionRecord(NO_ANSWER, passages)
    id_ = identifier(row, ("_id", "id"), where)
    gold = [context.passage for context in beside if context.supporting]
    named = supporting_titles(row, where)
    if named - {passage.title for passage in gold}:
        # A fact that is not here cannot be shown: the others alone would not lead to the answer.
        gold = []
    steps = len(values(row, "question_decomposition", where))
    kind = tidy(text(row, "type", where, "")) or (id_.partition("__")[0] if steps else "multi_hop")
    question = Question(
        id=question_id(id_, asked),
        kind=kind,
        text=asked,
        answers=(names,),
        evidence=tuple(of_passages(gold, [names], whole=True)),
        hops=steps or len(named) or _HOPS,
    )
    return QuestionRecord(question, passages)
