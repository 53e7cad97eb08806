"""TREC's plain formats: topics (id TAB text), judgements ("qrels": topic, any word, passage, grade) and runs.

A run has six columns: topic, "Q0", passage, rank, score, name of the run. BEIR's judgements (three columns under a head
line) are read too. White space parts the columns; nothing is quoted.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from carrara.errors import SourceError
from carrara.sources.rows import lines

GRADES: Final = (0, 1, 2, 3)
_HEAD: Final = ["query-id", "corpus-id", "score"]


class Grade(NamedTuple):
    """How relevant a passage was judged to be to a topic."""

    where: str
    topic: str
    passage: str
    grade: int


class Ranked(NamedTuple):
    """A passage that a run gives for a topic."""

    topic: str
    passage: str
    rank: int
    score: float


def pairs(file: Path, path: str) -> Iterator[tuple[str, str, str]]:
    """(where, id, text) of every line of topics or of a collection; a text may hold tabs and quotation marks."""
    for where, line in lines(file, path):
        id_, tab, text = line.partition("\t")
        if not tab or not id_.strip():
            raise SourceError(f"{where}: got {line[:60]!r}, expected an id, a tab and a text", "Mend the line.")
        yield where, id_.strip(), text


def judged(file: Path, path: str) -> Iterator[Grade]:
    """The judgements of a file. Raises SourceError on a grade that is not 0 to 3."""
    for where, line in lines(file, path):
        columns = line.split()
        if columns == _HEAD:
            continue
        if len(columns) not in (3, 4) or columns[-1] not in map(str, GRADES):
            raise SourceError(
                f"{where}: got {line[:60]!r}, expected a topic, a word, a passage and a grade from 0 to 3", "Mend it."
            )
        yield Grade(where, columns[0], columns[-2], int(columns[-1]))


def ranked(file: Path, path: str) -> Iterator[Ranked]:
    """The lines of a run, in their order."""
    for where, line in lines(file, path):
        columns = line.split()
        rank, score = (_integer(columns[3]), _number(columns[4])) if len(columns) == 6 else (None, None)
        if rank is None or score is None:
            raise SourceError(
                f"{where}: got {line[:60]!r}, expected topic, Q0, passage, rank, score and the run's name", "Mend it."
            )
        yield Ranked(columns[0], columns[2], rank, score)


def _integer(text: str) -> int | None:
    return int(text) if len(text) < 19 and text.isascii() and text.isdigit() else None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
