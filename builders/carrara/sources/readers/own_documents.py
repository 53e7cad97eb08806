"""A user's own documents: JSON lines with `text` or `paragraphs`, optionally `id` and `title` (gzip or not)."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from carrara.errors import SourceError
from carrara.sources.document import SourceDocument, decode, kept, read_bytes, stem


def read(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """One document a line; blank lines are passed over. Raises SourceError that names file and line."""
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
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{where}: got {line[:60]!r}, expected one JSON object ({error})", hint) from error
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
        raise SourceError(f"{where}: text is no string, or paragraphs no list of strings", hint)
    if not (paragraphs := kept(lines)):
        raise SourceError(f"{where}: got a document without text, expected at least one paragraph", "Leave it out.")
    name, title = row.get("id", default_id), row.get("title", "")
    if isinstance(name, bool) or not isinstance(name, str | int) or not isinstance(title, str):
        raise SourceError(f"{where}: got id {name!r} and title {title!r}, expected text", hint)
    return SourceDocument(str(name), " ".join(kept([title])) or str(name), paragraphs)
