"""English plain-text books (one file each, gzip or not) and zips of plain text -> documents.

Paragraphs are blocks between blank lines, their hard-wrapped lines joined. Wording, spelling and dashes stay;
what goes is what the transcription added: `_italics_`, rules of asterisks, notes on illustrations, page marks,
footnotes, and headings that only number a chapter. What is dropped must not change without a new reader version.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from carrara.sources import archive
from carrara.sources.document import Document, read_text, stem, tidy

# `{301}`, `{Endnote 1}`, `[1]`, `[*]`: page and note marks inside a line.
_MARKS = re.compile(r"\{(?:\d{1,4}[a-z]?|Endnote \d{1,3})\}|\[(?:\d{1,3}|\*)\]|<BR>")
_SUBSCRIPT = re.compile(r"_\{(\d{1,3})\}")
_BLANK = re.compile(r"_{2,}")
_NOTE = re.compile(r"\[\s?_?(?:Illustration|Picture|Transcribers?|Transcriber['’]s|Footnote|Note|Sidenote)\b")
_NUMBER = re.compile(r"[IVXLC]{1,8}\.?|[ivxl]{1,8}\.?|[\divxlIVXLC.\s-]{1,12}")
_HEADING = re.compile(
    r"(?:CHAPTER|Chapter|BOOK|Book|PART|Part|VOLUME|Volume|STAVE|LETTER|Endnote)\s+"
    r"(?:[IVXLC]{1,8}|\d{1,3}|the\s+[A-Z][a-z]{1,12}|First|Second|Third|[A-Z][a-z]{2,10}th"
    r"|[A-Z]{3,12}(?:-[A-Z]{3,12})?|[ivxl]{1,8}(?=\.|$)|(?:One|Two|Three|Four|Five)$)(?![\w'’])"
)
_HEADING_CHARACTERS = 150
_LETTER = re.compile(r"[^\W\d_]")


def read(files: Mapping[str, Path]) -> Iterator[Document]:
    """One document a file."""
    for path in sorted(files):
        yield from _document(path, stem(path), read_text(files[path], path))


def read_zip(files: Mapping[str, Path]) -> Iterator[Document]:
    """One document a member."""
    for path in sorted(files):
        for member, text in archive.texts(files[path], path):
            yield from _document(f"{path}/{member}", f"{stem(path)}/{member.rsplit('.', 1)[0]}", text)


def paragraphs(text: str) -> Iterator[str]:
    """The running text of a book, a paragraph at a time."""
    block: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line := line.strip():
            block.append(line)
        elif block:
            if paragraph := _paragraph(block):
                yield paragraph
            block = []


def _document(path: str, name: str, text: str) -> Iterator[Document]:
    if found := tuple(paragraphs(text)):
        words = re.sub(r"^\d+_", "", stem(path)).replace("_", " ")
        yield Document(name, tidy(words[:1].upper() + words[1:]), found)


def _paragraph(lines: list[str]) -> str:
    """The block as one line, or nothing when it is no running text."""
    first = lines[0]
    if _NOTE.match(first) or first.startswith("[*]") or (first.startswith("*") and _LETTER.search(first)):
        return ""
    joined = ""
    for line in lines:
        # A line that a dash ends or begins was broken inside a word group that has no space.
        tight = joined.endswith(("--", "—")) or not joined or _ends_in_hyphen(joined) or line.startswith(("--", "—"))
        joined += line if tight else f" {line}"
    joined = _MARKS.sub("", _SUBSCRIPT.sub(r"\1", joined))
    joined = _BLANK.sub("--", joined).replace("_", "").replace("*", "").replace("|", "")
    paragraph = tidy(joined)
    if _HEADING.match(paragraph) and len(paragraph) <= _HEADING_CHARACTERS:
        return ""
    return "" if not _LETTER.search(paragraph) or _NUMBER.fullmatch(paragraph) else paragraph


def _ends_in_hyphen(text: str) -> bool:
    return len(text) > 1 and text[-1] == "-" and text[-2].isalpha()
