"""Datasets of long documents in the form in which they were published: GovReport, QASPER, MeetingBank, L-Eval.

Each reader gives the running text of a record, paragraph by paragraph: no titles of sections, no summaries, questions
or captions. What it takes and leaves must not change without a new version of the reader.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from carrara.errors import SourceError
from carrara.sources.document import SourceDocument, kept
from carrara.sources.formats import records

# A tree of sections that is deeper is no report.
_DEEPEST = 16
_TRANSCRIPTS = ("transcript", "transcripts", "meeting_transcripts")
_SPOKEN = ("text", "content")


def read_govreport(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """GovReport: records with `report`, a text or a tree of sections with `paragraphs` and `subsections`."""
    return _read(files, "report", lambda record: _sections(record.get("report"), 0))


def read_qasper(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """QASPER: papers by id with `full_text`, sections of `paragraphs`; the abstract comes first."""
    return _read(
        files, "full_text", lambda record: [record.get("abstract") or "", *_sections(record.get("full_text"), 0)]
    )


def read_meetingbank(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """MeetingBank: meetings with a transcript, a text or what was said turn by turn, whole or in agenda items.

    Takes `transcript`, `transcripts` or `meeting_transcripts` (so in QMSum too), and below `itemInfo` the same of every
    item in order. Who speaks is not said.
    """
    return _read(files, "transcript", _meeting)


def read_leval(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """L-Eval: records with the document as `input`."""
    return _read(files, "input", lambda record: [record.get("input")])


def _read(
    files: Mapping[str, Path], field: str, texts: Callable[[Mapping[str, Any]], list[Any]]
) -> Iterator[SourceDocument]:
    for where, name, record in records(files):
        given = texts(record)
        if not given or not all(isinstance(text, str) for text in given):
            raise SourceError(
                f"{where}: got the fields {sorted(record)}, and no text in `{field}`",
                "Check that the reader fits the files.",
            )
        # A record without a word (a sample's empty paper) is no document.
        if paragraphs := kept(line for text in given for line in text.splitlines()):
            title = record.get("title")
            yield SourceDocument(name, " ".join(kept([title if isinstance(title, str) else ""])) or name, paragraphs)


def _sections(value: Any, depth: int) -> list[Any]:
    """The paragraphs of a text, or of a tree of sections."""
    if not isinstance(value, list):
        return [value]
    paragraphs: list[Any] = []
    for part in value:
        if isinstance(part, dict) and depth < _DEEPEST:
            paragraphs += _sections(part.get("paragraphs") or [], depth + 1)
            paragraphs += _sections(part.get("subsections") or [], depth + 1)
        else:
            paragraphs.append(part)
    return paragraphs


def _meeting(record: Mapping[str, Any]) -> list[Any]:
    texts = [text for field in _TRANSCRIPTS if field in record for text in _spoken(record[field])]
    items = record.get("itemInfo")
    if isinstance(items, dict):
        texts += [text for item in items.values() if isinstance(item, dict) for text in _meeting(item)]
    return texts


def _spoken(value: Any) -> list[Any]:
    if not isinstance(value, list):
        return [value]
    turns: list[Any] = []
    for turn in value:
        turns.append(
            next((turn[field] for field in _SPOKEN if field in turn), turn) if isinstance(turn, dict) else turn
        )
    return turns
