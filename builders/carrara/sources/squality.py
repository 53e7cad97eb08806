"""SQuALITY v1.3 (arXiv:2205.11465): science fiction stories, five queries on each, four summaries of each query.

    {"metadata": {"passage_id"}, "document", "questions": [{"question_text", "responses": [{"response_text"}]}]}

in JSON lines (the plain-text files `txt/*.jsonl`). Left out of a story is what is no story: who produced the e-text,
the transcriber's note, where the book ends. A query without a summary is left out. Parts are told by the names of
files: train, dev, test. Must not change without a new version of the reader.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from carrara.sources.document import tidy
from carrara.sources.fields import Row, as_row, identifier, rows, text
from carrara.sources.key_points import is_key_points, with_key_points
from carrara.sources.long_documents import JOINT, LongDocuments, Sentences, paragraphs, part
from carrara.sources.passages import content_id
from carrara.sources.rows import json_rows
from carrara.tables import Document, DocumentQuestion

_HEAD: Final = re.compile(r"\A\s*Produced by .{1,300}?\bpgdp\.net\S*\s", re.DOTALL)
_NOTE: Final = re.compile(r"\[Transcriber['’]s Notes?:[^\]]{1,2000}\]")
_END: Final = re.compile(r"\n\s*(?:The )?End of (?:the |this )?Project Gutenberg.*\Z", re.DOTALL | re.IGNORECASE)
# What the markup of italics left behind.
_SPACED: Final = re.compile(r"(?<=\w) (?=[,.;:?!]\s)")


class Squality(LongDocuments):
    """The stories of some files."""

    def __init__(self, name: str, files: Mapping[str, Path]) -> None:
        super().__init__(name, lambda: with_key_points(self._stories(), files))
        self._files = files

    def _stories(self) -> Iterator[Document]:
        for path in sorted(self._files):
            if is_key_points(path):
                continue
            for where, _, value in json_rows(self._files[path], path):
                row = as_row(value, where)
                shown = JOINT.join(paragraphs(_story(text(row, "document", where))))
                metadata = as_row(row.get("metadata", {}), f"{where}, metadata")
                id_ = identifier(metadata, ("passage_id",), where) or content_id(shown)
                if questions := _questions(row, id_, where):
                    yield Document(
                        id=id_,
                        kind=part(path),
                        title="",
                        text=shown,
                        sentences=Sentences(shown),
                        questions=questions,
                    )


def squality(name: str, files: Mapping[str, Path]) -> Squality:
    """The stories of SQuALITY's files. Raises SourceError that names file and record."""
    return Squality(name, files)


def _story(story: str) -> str:
    story = story.replace("\r\n", "\n").replace("\r", "\n")
    return _SPACED.sub("", _END.sub("\n", _NOTE.sub("", _HEAD.sub("", story))))


def _questions(row: Row, id_: str, where: str) -> tuple[DocumentQuestion, ...]:
    found = []
    for number, one in enumerate(rows(row, "questions", where)):
        place = f"{where}, questions[{number}]"
        summaries = [
            JOINT.join(paragraphs(text(response, "response_text", place))) for response in rows(one, "responses", place)
        ]
        asked = tidy(text(one, "question_text", place))
        if accepted := tuple(dict.fromkeys(filter(None, summaries))):
            found.append(DocumentQuestion(f"{id_}-{number}", asked, accepted))
    return tuple(found)
