"""Pinned inputs: `open_source` finds and checks a source's files, `documents` reads them.

The embedded world (`world`) is not here; these are real texts that a user brings or that the Hub holds. Nothing that
identifies a source depends on where its files lie.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from carrara.errors import SourceError
from carrara.sources.document import SourceDocument
from carrara.sources.fields import nearest
from carrara.sources.files import Whereabouts, fetch, locate, whereabouts
from carrara.sources.readers.registry import READERS
from carrara.sources.registry import Pin, fingerprint, pin_from_table, pins
from carrara.sources.tables import Texts
from carrara.tables import Lang, Tables

__all__ = [
    "Lang",
    "Pin",
    "Source",
    "SourceDocument",
    "Whereabouts",
    "documents",
    "fetch",
    "find_pin",
    "has_text",
    "open_source",
    "pins",
    "tables",
    "whereabouts",
]


@dataclass(frozen=True, slots=True)
class Source:
    """A source whose files are here and match their pins.

    `files` are (pinned path, where it lies), sorted; `sha256` the hash of each, which opening has checked.
    """

    name: str
    lang: Lang
    title: str
    licence: str
    citation: str
    url: str
    fingerprint: str
    reader: str
    files: tuple[tuple[str, Path], ...]
    sha256: Mapping[str, str]


OwnSources = Mapping[str, Mapping[str, object]]


def find_pin(name: str, folder: Path | None, own: OwnSources | None = None) -> Pin:
    """The pin of source `name`: one of the package, or of a recipe's `[source.<name>]` tables. Reads no file of it.

    Raises SourceError on an unknown name, with the nearest ones, on a table that takes the name of a source of the
    package, and on one that pins nothing.
    """
    tables = own or {}
    if name in tables:
        if name in pins():
            raise SourceError(
                f"source {name!r} comes with the package, expected another name for your own",
                f"Rename [source.{name}] in the recipe.",
            )
        return pin_from_table(name, tables[name], folder)
    if name not in pins():
        known = sorted({*pins(), *tables})
        # The embedded source has no pin, and is the one most often meant.
        near = nearest(name, [*known, "world"]) if name != "world" else ""
        raise SourceError(
            f"unknown source {name!r}{near}, expected one of {', '.join(known)}",
            f"Correct the name, or pin your own in the recipe: [source.{name}].",
        )
    return pins()[name]


def open_source(name: str, folder: Path | None, own: OwnSources | None = None) -> Source:
    """Find source `name` below `folder` (else on the Hub) and hash every file of it.

    `own` holds a recipe's `[source.<name>]` tables. Raises SourceError as `find_pin` does, and on a missing, altered or
    unreadable file.
    """
    pin = find_pin(name, folder, own)
    return Source(
        name=pin.name,
        lang=pin.lang,
        title=pin.title,
        licence=pin.licence,
        citation=pin.citation,
        url=pin.url,
        fingerprint=fingerprint(pin),
        reader=pin.reader,
        files=tuple(locate(pin, folder).items()),
        sha256={file.path: file.sha256 for file in pin.files},
    )


def documents(source: Source, only: str | None = None) -> Iterator[SourceDocument]:
    """The source's documents in the order of its sorted files, or of one file alone.

    A source without any document is an error; a file without any is not.
    """
    empty, read = True, READERS[source.reader].read
    if read is None:
        raise SourceError(
            f"source {source.name!r} holds tables (reader {source.reader!r}), and no running text",
            "Take a source of running text for a haystack, like the world or gutenberg.",
        )
    for document in read({path: file for path, file in source.files if only in (None, path)}):
        empty = False
        yield document
    if empty and only is None:
        raise SourceError(
            f"source {source.name!r}: no documents found by reader {source.reader!r}",
            "Check that the reader fits the files.",
        )


def has_text(source: Source) -> bool:
    """Whether the source holds running text; else it holds tables alone."""
    return READERS[source.reader].read is not None


def tables(source: Source) -> Tables:
    """The source's normalised tables; running text is a table of documents."""
    if (make := READERS[source.reader].tables) is not None:
        return make(source.name, dict(source.files))
    return Texts(f"source {source.name!r}", source.lang, lambda: documents(source))
