"""Multi-LexSum (arXiv:2206.10883): the papers of civil rights cases with a long and a short summary of each.

Two layouts, in JSON lines, JSON or Parquet:

    {"id", "sources": [text, ...], "summary/long", "summary/short", "summary/tiny"}    as the Hub has it
    {"document", "summary"}                                                          long summary -> short summary

The papers of a case are one document, in their order. Taken as summaries are the long one and the short one. Left out
and counted: cases without papers, and those without both summaries (two in five have no short one). Parts are told by
the names of files: train, validation (or dev, val), test. Must not change without a new version of the reader.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from carrara.sources.fields import as_row, identifier, text, texts
from carrara.sources.key_points import is_key_points, with_key_points
from carrara.sources.long_documents import JOINT, LongDocuments, Sentences, paragraphs, part
from carrara.sources.passages import content_id
from carrara.sources.rows import rows
from carrara.tables import Document

_COLUMNS: Final = ("id", "sources", "summary/long", "summary/short", "document", "summary")


class MultiLexSum(LongDocuments):
    """The cases of some files; `dropped` says how many were left out, and why, once they were read."""

    def __init__(self, name: str, files: Mapping[str, Path]) -> None:
        super().__init__(name, lambda: with_key_points(self._cases(), files))
        self._files = files
        self.dropped: Counter[str] = Counter()

    def _cases(self) -> Iterator[Document]:
        self.dropped.clear()
        for path in sorted(self._files):
            if is_key_points(path):
                continue
            for where, _, value in rows(self._files[path], path, _COLUMNS):
                row = as_row(value, where)
                if "sources" in row:
                    papers = texts(row, "sources", where)
                    long, short = (_summary(text(row, f"summary/{size}", where, "")) for size in ("long", "short"))
                    reason = "" if long and short else "no short summary" if long else "no summary"
                else:
                    papers = [text(row, "document", where)]
                    long, short = _summary(text(row, "summary", where)), ""
                    reason = "" if long else "no summary"
                shown = JOINT.join(one for paper in papers for one in paragraphs(paper))
                if reason or not shown:
                    self.dropped[reason or "no papers"] += 1
                    continue
                yield Document(
                    id=identifier(row, ("id",), where) or content_id(shown),
                    kind=part(path),
                    title="",
                    text=shown,
                    sentences=Sentences(shown),
                    summary=long,
                    short_summary=short,
                )


def multilexsum(name: str, files: Mapping[str, Path]) -> MultiLexSum:
    """The cases of Multi-LexSum's files. Raises SourceError that names file and record."""
    return MultiLexSum(name, files)


def _summary(summary: str) -> str:
    return JOINT.join(paragraphs(summary))
