"""Long documents with summaries: Multi-LexSum, QMSum and SQuALITY. Parts (train, test) are told by the names of files.

Multi-LexSum (arXiv:2206.10883): the papers of a civil rights case, in their order, with a long and a short summary; in
JSON lines, JSON or Parquet. Left out and counted: cases without papers, and those without both summaries (two in five
have no short one).

    {"id", "sources": [text, ...], "summary/long", "summary/short", "summary/tiny"}    as the Hub has it
    {"document", "summary"}                                                          long summary -> short summary

QMSum (arXiv:2104.05938): transcripts of meetings, queries on the whole and on matters in it, a summary of each; in JSON
lines. A turn is a paragraph, "Speaker: what was said". Left out are the transcribers' marks ({disfmarker},
{vocalsound}, ...), the spaces of its tokens before marks and in contractions, and turns that then say nothing.

    {"meeting_transcripts": [{"speaker", "content"}], "general_query_list": [{"query", "answer"}],
     "specific_query_list": [{"query", "answer", "relevant_text_span": [[first turn, last turn], ...]}]}

SQuALITY v1.3 (arXiv:2205.11465): science fiction stories, five queries on each, four summaries of each query; in JSON
lines (the plain-text files `txt/*.jsonl`). Left out of a story is what is no story: who produced the e-text, the
transcriber's note, where the book ends. A query without a summary is left out.

    {"metadata": {"passage_id"}, "document", "questions": [{"question_text", "responses": [{"response_text"}]}]}

Must not change without a new version of the readers: texts, spans, ids, which queries are kept.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Final

from carrara.sources.document import tidy
from carrara.sources.fields import Fields, as_row, identifier, integer, text, texts, values, wrong
from carrara.sources.fields import rows as objects
from carrara.sources.formats import Record, json_rows, rows
from carrara.sources.key_points import is_key_points, with_key_points
from carrara.sources.long_documents import JOINT, LongDocuments, Sentences, paragraphs, part
from carrara.sources.passages import content_id
from carrara.tables import Document, DocumentQuestion

_COLUMNS: Final = ("id", "sources", "summary/long", "summary/short", "document", "summary")


class MultiLexSum(LongDocuments):
    """The cases of some files; `dropped` says how many were left out, and why, once they were read."""

    def __init__(self, name: str, files: Mapping[str, Path]) -> None:
        super().__init__(name, lambda: with_key_points(self._cases(), files))
        self._files = files
        self.dropped: Counter[str] = Counter()

    def _cases(self) -> Iterator[Document]:
        self.dropped.clear()
        for path, where, row in _records(self._files, partial(rows, columns=_COLUMNS)):
            if "sources" in row:
                papers = texts(row, "sources", where)
                long, short = (_summary(text(row, f"summary/{size}", where, "")) for size in ("long", "short"))
                reason = "" if long and short else "no short summary" if long else "no summary"
            else:
                papers = [text(row, "document", where)]
                long, short = _summary(text(row, "summary", where)), ""
                reason = "" if long else "no summary"
            shown = JOINT.join(paragraph for paper in papers for paragraph in paragraphs(paper))
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


def _records(
    files: Mapping[str, Path], read: Callable[[Path, str], Iterator[Record]] = json_rows
) -> Iterator[tuple[str, str, Fields]]:
    """The records of all files but key points: the file's name, where the record stands, its fields."""
    for path in sorted(files):
        if not is_key_points(path):
            for where, _, value in read(files[path], path):
                yield path, where, as_row(value, where)


def _with_questions(
    name: str, files: Mapping[str, Path], read: Callable[[Fields, str], tuple[str, str, Iterable[DocumentQuestion]]]
) -> LongDocuments:
    """The documents that `read` makes of records: id, text, questions. One without questions is left out."""

    def documents() -> Iterator[Document]:
        for path, where, row in _records(files):
            id_, shown, found = read(row, where)
            if questions := tuple(found):
                yield Document(
                    id=id_, kind=part(path), title="", text=shown, sentences=Sentences(shown), questions=questions
                )

    return LongDocuments(name, lambda: with_key_points(documents(), files))


_MARK: Final = re.compile(r"\{[a-z]{1,20}\}|(?<!\S)@(?!\S)")
_SPACE_BEFORE_MARK: Final = re.compile(r" (?=[,.;:?!](?:\s|$))")
_CONTRACTED: Final = re.compile(r"(?<=\w) (?='(?:s|m|d|t|re|ve|ll)\b)")
_SAID: Final = re.compile(r"\w")


def qmsum(name: str, files: Mapping[str, Path]) -> LongDocuments:
    """The meetings of QMSum's files. Raises SourceError that names file and record."""
    return _with_questions(name, files, _meeting)


def _meeting(row: Fields, where: str) -> tuple[str, str, Iterator[DocumentQuestion]]:
    turns = [_turn(turn, where) for turn in objects(row, "meeting_transcripts", where)]
    shown = JOINT.join(filter(None, turns))
    id_ = content_id(shown)
    return id_, shown, _meeting_questions(row, id_, turns, where)


def _turn(row: Fields, where: str) -> str:
    """A turn as a paragraph; "" where nothing is said."""
    said = _clean(text(row, "content", where))
    speaker = tidy(text(row, "speaker", where))
    return f"{speaker}: {said}" if _SAID.search(said) else ""


def _clean(said: str) -> str:
    return _CONTRACTED.sub("", _SPACE_BEFORE_MARK.sub("", tidy(_MARK.sub(" ", said))))


def _meeting_questions(row: Fields, id_: str, turns: list[str], where: str) -> Iterator[DocumentQuestion]:
    ends = list(accumulate(len(turn) + len(JOINT) if turn else 0 for turn in turns))
    for kind in ("general", "specific"):
        for number, query in enumerate(objects(row, f"{kind}_query_list", where)):
            here = f"{where}, {kind}_query_list[{number}]"
            asked, answer = _clean(text(query, "query", here)), _clean(text(query, "answer", here))
            if asked and answer:
                spans = tuple(sorted(set(_spans(query, turns, ends, here))))
                yield DocumentQuestion(f"{id_}-{kind}-{number}", asked, (answer,), evidence=spans, kind=kind)


def _spans(row: Fields, turns: list[str], ends: list[int], where: str) -> Iterator[tuple[int, int]]:
    """From the first to the last turn of every range that says something."""
    for bounds in values(row, "relevant_text_span", where):
        if not isinstance(bounds, list) or len(bounds) != 2:
            raise wrong(where, "relevant_text_span", bounds, "the first and the last turn")
        first, last = (integer({"turn": bound}, "turn", where) for bound in bounds)
        said = [turn for turn in range(max(0, first), min(last + 1, len(turns))) if turns[turn]]
        if said:
            yield ends[said[0]] - len(turns[said[0]]) - len(JOINT), ends[said[-1]] - len(JOINT)


_HEAD: Final = re.compile(r"\A\s*Produced by .{1,300}?\bpgdp\.net\S*\s", re.DOTALL)
# Title and author, a line each; lines of a paragraph are wrapped, these are not.
_TITLE: Final = re.compile(r"\A\s*([^\n]{1,100})\n[^\S\n]*(By [A-Z][A-Z. ,&'-]{2,80})\n", re.ASCII)
# In brackets, or a heading and a paragraph.
_NOTE: Final = re.compile(
    r"\[Transcriber(?:['’]s)? Notes?:[^\]]{1,2000}\]"
    r"|Transcriber(?:['’]s)? Notes?:\s+This etext was produced(?:[^\n]|\n(?!\s*\n)){0,1000}"
)
_END: Final = re.compile(r"\n\s*(?:The )?End of (?:the |this )?Project Gutenberg.*\Z", re.DOTALL | re.IGNORECASE)
# What the markup of italics left behind.
_SPACE_LEFT_BY_MARKUP: Final = re.compile(r"(?<=\w) (?=[,.;:?!][\s\"”])")


def squality(name: str, files: Mapping[str, Path]) -> LongDocuments:
    """The stories of SQuALITY's files. Raises SourceError that names file and record."""
    return _with_questions(name, files, _story)


def _story(row: Fields, where: str) -> tuple[str, str, Iterator[DocumentQuestion]]:
    shown = JOINT.join(paragraphs(_cleaned(text(row, "document", where))))
    metadata = as_row(row.get("metadata", {}), f"{where}, metadata")
    id_ = identifier(metadata, ("passage_id",), where) or content_id(shown)
    return id_, shown, _story_questions(row, id_, where)


def _cleaned(story: str) -> str:
    story = story.replace("\r\n", "\n").replace("\r", "\n")
    story = _END.sub("\n", _NOTE.sub("", _HEAD.sub("", story)))
    return _SPACE_LEFT_BY_MARKUP.sub("", _TITLE.sub(r"\1\n\n\2\n\n", story))


def _story_questions(row: Fields, id_: str, where: str) -> Iterator[DocumentQuestion]:
    for number, question in enumerate(objects(row, "questions", where)):
        here = f"{where}, questions[{number}]"
        summaries = [
            JOINT.join(paragraphs(text(response, "response_text", here)))
            for response in objects(question, "responses", here)
        ]
        asked = tidy(text(question, "question_text", here))
        if accepted := tuple(dict.fromkeys(filter(None, summaries))):
            yield DocumentQuestion(f"{id_}-{number}", asked, accepted)
