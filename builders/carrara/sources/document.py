"""The normalised table of documents that every reader makes, and the white space rules that hold in it.

A paragraph is one line: NFC, inner white space collapsed to single spaces, no control characters, no outer white
space, never empty. What `tidy` and `decode` do must not change without a new version of every reader that uses them.
"""

import gzip
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from carrara.errors import SourceError
from carrara.tables import Tables

# No book comes near it; a compressed file that does is no book.
MAX_FILE_BYTES = 256 * 2**20

# Named by code point, not by category: the categories move with Python's Unicode tables, these do not.
_INVISIBLE = dict.fromkeys(
    code
    for first, last in (
        (0x00, 0x08),
        (0x0E, 0x1B),
        (0x7F, 0x84),
        (0x86, 0x9F),
        (0xAD, 0xAD),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x2064),
        (0x2066, 0x206F),
        (0xD800, 0xDFFF),
        (0xFEFF, 0xFEFF),
        (0xFFF9, 0xFFFB),
    )
    for code in range(first, last + 1)
)


# Translating costs ten times as much as looking whether there is anything to translate.
_ANY_INVISIBLE = re.compile(f"[{re.escape(''.join(map(chr, _INVISIBLE)))}]")


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One text of a source: a book, a chapter, an article."""

    id: str
    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceReader:
    """How a source's files become documents of running text, or tables. A change of either takes a new `version`.

    `tables` is given the source's name, for errors, and its files.
    """

    name: str
    version: int
    read: Callable[[Mapping[str, Path]], Iterator[SourceDocument]] | None = None
    tables: Callable[[str, Mapping[str, Path]], Tables] | None = None


def tidy(text: str) -> str:
    """One line of text in the form that the table promises; it may come out empty."""
    if _ANY_INVISIBLE.search(text):
        text = text.translate(_INVISIBLE)
    return " ".join(unicodedata.normalize("NFC", text).split())


def kept(paragraphs: Iterable[str]) -> tuple[str, ...]:
    """The paragraphs, tidied, without the empty ones."""
    return tuple(line for line in map(tidy, paragraphs) if line)


def read_bytes(path: Path, name: str) -> bytes:
    """A file's content, unpacked when its name ends in `.gz`; never more than MAX_FILE_BYTES."""
    try:
        with gzip.open(path) if name.endswith(".gz") else path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{name}: cannot be read ({error})", "Fetch the file again, or make it readable.") from error
    if len(data) > MAX_FILE_BYTES:
        raise SourceError(
            f"{name}: more than {MAX_FILE_BYTES} bytes of text, expected at most that many",
            "Cut it into several files.",
        )
    return data


def decode(data: bytes, name: str) -> str:
    """Strict UTF-8, a byte order mark allowed."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from behind the mark.
        offset = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        raise SourceError(
            f"{name}: got byte 0x{data[offset]:02x} at offset {offset}, expected UTF-8", "Convert the file to UTF-8."
        ) from error


def read_text(path: Path, name: str) -> str:
    """A file's text with newlines as `\\n`."""
    return decode(read_bytes(path, name), name).replace("\r\n", "\n").replace("\r", "\n")


def stem(path: str) -> str:
    """A path without folders and without the endings of text files: what a document is called by."""
    name = path.rsplit("/", 1)[-1].removesuffix(".gz")
    for ending in (".txt", ".md", ".jsonl", ".json", ".zip"):
        name = name.removesuffix(ending)
    return name
