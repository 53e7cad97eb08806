"""QMSum (arXiv:2104.05938): transcripts of meetings, queries on the whole and on matters in it, a summary of each.

    {"meeting_transcripts": [{"speaker", "content"}], "general_query_list": [{"query", "answer"}],
     "specific_query_list": [{"query", "answer", "relevant_text_span": [[first turn, last turn], ...]}]}

in JSON lines. A turn is a paragraph, "Speaker: what was said". Left out are the transcribers' marks ({disfmarker},
{vocalsound}, ...), the spaces of its tokens before marks and in contractions, and turns that then say nothing. Parts
are told by the names of files: train, val, test. Must not change without a new version of the reader.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Final

from carrara.sources.document import tidy
from carrara.sources.fields import Row, as_row, integer, rows, text, values, wrong
from carrara.sources.key_points import is_key_points, with_key_points
from carrara.sources.long_documents import JOINT, LongDocuments, Sentences, part
from carrara.sources.passages import content_id
from carrara.sources.rows import json_rows
from carrara.tables import Document, DocumentQuestion

_MARK: Final = re.compile(r"\{[a-z]{1,20}\}|(?<!\S)@(?!\S)")
_SPACED: Final = re.compile(r" (?=[,.;:?!](?:\s|$))")
_CONTRACTED: Final = re.compile(r"(?<=\w) (?='(?:s|m|d|t|re|ve|ll)\b)")
_SAID: Final = re.compile(r"\w")


class QMSum(LongDocuments):
    """The meetings of some files."""

    def __init__(self, name: str, files: Mapping[str, Path]) -> None:
        super().__init__(name, lambda: with_key_points(self._meetings(), files))
        self._files = files

    def _meetings(self) -> Iterator[Document]:
        for path in sorted(self._files):
            if is_key_points(path):
                continue
            for where, _, value in json_rows(self._files[path], path):
                row = as_row(value, where)
                turns = [_turn(one, where) for one in rows(row, "meeting_transcripts", where)]
                shown = JOINT.join(filter(None, turns))
                id_ = content_id(shown)
                if questions := tuple(_questions(row, id_, turns, where)):
                    yield Document(
                        id=id_,
                        kind=part(path),
                        title="",
                        text=shown,
                        sentences=Sentences(shown),
                        questions=questions,
                    )


def qmsum(name: str, files: Mapping[str, Path]) -> QMSum:
    """The meetings of QMSum's files. Raises SourceError that names file and record."""
    return QMSum(name, files)


def _turn(row: Row, where: str) -> str:
    """A turn as a paragraph; "" where nothing is said."""
    said = _clean(text(row, "content", where))
    speaker = tidy(text(row, "speaker", where))
    return f"{speaker}: {said}" if _SAID.search(said) else ""


def _clean(said: str) -> str:
    return _CONTRACTED.sub("", _SPACED.sub("", tidy(_MARK.sub(" ", said))))


def _questions(row: Row, id_: str, turns: list[str], where: str) -> Iterator[DocumentQuestion]:
    ends = list(accumulate(len(turn) + len(JOINT) if turn else 0 for turn in turns))
    for kind in ("general", "specific"):
        for number, one in enumerate(rows(row, f"{kind}_query_list", where)):
            place = f"{where}, {kind}_query_list[{number}]"
            asked, answer = _clean(text(one, "query", place)), _clean(text(one, "answer", place))
            if asked and answer:
                spans = tuple(sorted(set(_spans(one, turns, ends, place))))
                yield DocumentQuestion(f"{id_}-{kind}-{number}", asked, (answer,), evidence=spans, kind=kind)


def _spans(row: Row, turns: list[str], ends: list[int], where: str) -> Iterator[tuple[int, int]]:
    """From the first to the last turn of every range that says something."""
    for bounds in values(row, "relevant_text_span", where):
        if not isinstance(bounds, list) or len(bounds) != 2:
            raise wrong(where, "relevant_text_span", bounds, "the first and the last turn")
        first, last = (integer({"turn": bound}, "turn", where) for bound in bounds)
        said = [turn for turn in range(max(0, first), min(last + 1, len(turns))) if turns[turn]]
        if said:
            yield ends[said[0]] - len(turns[said[0]]) - len(JOINT), ends[said[-1]] - len(JOINT)
