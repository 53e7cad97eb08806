"""Documents of running text: GovReport, QASPER, MeetingBank, L-Eval, Wiki-727K, and a user's own JSON lines.

Each reader gives the running text of a record, paragraph by paragraph: no titles of sections, no summaries, questions
or captions. What it takes and leaves must not change without a new version of the reader.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from carrara.errors import SourceError
from carrara.sources.document import SourceDocument, decode, kept, read_bytes, read_text, stem
from carrara.sources.fields import Fields
from carrara.sources.formats import named_records, parsed, zip_texts

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


def _read(files: Mapping[str, Path], field: str, texts: Callable[[Fields], list[Any]]) -> Iterator[SourceDocument]:
    for where, name, record in named_records(files):
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


def _meeting(record: Fields) -> list[Any]:
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


_WIKI_SECTION = re.compile(r"={6,},\d{1,2},(.*)")
_WIKI_MARK = re.compile(r"\*\*\*\s?\w[\w ]{0,40}\s?\*\*\*")


def read_wiki727k(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """Wiki-727K: articles cut at lines `========,<level>,<title>.`, a sentence a line, one article a file.

    Files may be plain or in zips, whatever their names end in. Marks of lists, formulas and code (`***LIST***`) go
    with their lines.
    """
    for path in sorted(files):
        articles = (
            ((f"{path}/{member}", text) for member, text in zip_texts(files[path], path, every=True))
            if path.endswith(".zip")
            else [(path, read_text(files[path], path))]
        )
        for name, text in articles:
            if not any(_WIKI_SECTION.match(line) for line in text.split("\n")):
                raise SourceError(
                    f"{name}: no line ========,<level>,<title>. found", "Check that the file is of Wiki-727K."
                )
            lines = (line for line in text.split("\n") if not _WIKI_SECTION.match(line) and not _WIKI_MARK.search(line))
            if paragraphs := kept(lines):
                yield SourceDocument(name, name.rsplit("/", 1)[-1], paragraphs)


def read_own_documents(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """A user's own documents: JSON lines of `text` or `paragraphs`, with `id` and `title` if given (gzip or not).

    Blank lines are passed over. Raises SourceError that names file and line.
    """
    seen: dict[str, str] = {}
    for path in sorted(files):
        # Cut as bytes: JSON text may hold other line separators than a newline.
        for number, raw in enumerate(read_bytes(files[path], path).split(b"\n"), start=1):
            where = f"{path}:{number}"
            if not raw.strip():
                continue
            document = _document(where, decode(raw, where), f"{stem(path)}/{number}")
            if document.id in seen:
                raise SourceError(
                    f"{where}: id {document.id!r} was used at {seen[document.id]}, expected a new one",
                    "Give every document its own id, or none.",
                )
            seen[document.id] = where
            yield document


def _document(where: str, line: str, default_id: str) -> SourceDocument:
    hint = 'Write {"text": "…"} or {"paragraphs": ["…"]}, with "id" and "title" if you like.'
    row: Any = parsed(where, line, hint)
    if not isinstance(row, dict):
        raise SourceError(f"{where}: got {line[:60]!r}, expected a JSON object", hint)
    if ("text" in row) == ("paragraphs" in row):
        raise SourceError(f"{where}: got the fields {sorted(row)}, expected either text or paragraphs", hint)
    if "text" in row:
        lines = row["text"].splitlines() if isinstance(row["text"], str) else None
    else:
        given = row["paragraphs"]
        lines = given if isinstance(given, list) and all(isinstance(line, str) for line in given) else None
    if lines is None:
        raise SourceError(
            f"{where}: got another value than text, expected text as a string, or paragraphs as a list of strings", hint
        )
    if not (paragraphs := kept(lines)):
        raise SourceError(f"{where}: got a document without text, expected at least one paragraph", "Leave it out.")
    name, title = row.get("id", default_id), row.get("title", "")
    if isinstance(name, bool) or not isinstance(name, str | int) or not isinstance(title, str):
        raise SourceError(f"{where}: got id {name!r} and title {title!r}, expected text", hint)
    return SourceDocument(str(name), " ".join(kept([title])) or str(name), paragraphs)
