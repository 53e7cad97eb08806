"""Wiki-727K: Wikipedia articles cut at lines `========,<level>,<title>.`, a sentence a line, one article a file.

Files may be plain or in zips, whatever their names end in. Marks of lists, formulas and code (`***LIST***`) go with
their lines. What is dropped must not change without a new reader version.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from carrara.errors import SourceError
from carrara.sources import formats as archive
from carrara.sources.document import SourceDocument, kept, read_text

_SECTION = re.compile(r"={6,},\d{1,2},(.*)")
_MARK = re.compile(r"\*\*\*\s?\w[\w ]{0,40}\s?\*\*\*")


def read(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """One document an article, called by its file."""
    for path in sorted(files):
        articles = (
            ((f"{path}/{member}", text) for member, text in archive.texts(files[path], path, every=True))
            if path.endswith(".zip")
            else [(path, read_text(files[path], path))]
        )
        for name, text in articles:
            if not any(_SECTION.match(line) for line in text.split("\n")):
                raise SourceError(
                    f"{name}: no line ========,<level>,<title>. found", "Check that the file is of Wiki-727K."
                )
            lines = (line for line in text.split("\n") if not _SECTION.match(line) and not _MARK.search(line))
            if paragraphs := kept(lines):
                yield SourceDocument(name, name.rsplit("/", 1)[-1], paragraphs)
