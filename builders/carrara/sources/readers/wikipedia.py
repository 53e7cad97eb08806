"""Corpora of Wikipedia passages, in the layouts in which they go round, as one table without repetitions.

Read are: articles of KILT (JSON lines of `wikipedia_title` and paragraphs, cut to passages of 100 words); tables cut
beforehand as DPR and KILT have them (id TAB text TAB title, with a head line and quoted cells); lists and lines of
{title, text}; an object title -> sentences; lines of passages "title // text" joined by " [sep] "; the passages beside
the questions of a dataset; Parquet of any of these columns. Other passages keep the length that they have.

Must not change without a new version of the reader: which passages there are, their texts, and their order (by file,
then as they stand there).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from carrara.errors import SourceError
from carrara.sources.fields import Fields, all_text, as_row, shown, text, texts
from carrara.sources.fields import rows as list_of_rows
from carrara.sources.formats import Record, form, lines, rows
from carrara.sources.passages import article, contexts, dump_passage, passage
from carrara.sources.tables import Lacking
from carrara.tables import Lang, Passage

_BETWEEN: Final = " [sep] "
_AFTER_TITLE: Final = " // "
_BESIDE: Final = ("ctxs", "paragraphs", "context", "docs")
_COLUMNS: Final = (*_BESIDE, "supporting_facts", "wikipedia_title", "title", "text", "contents", "sentences")


class Corpora(Lacking):
    """The passages of some files, in English. `dropped` counts the repeated and the empty ones of the last reading."""

    def __init__(self, name: str, files: Mapping[str, Path]) -> None:
        super().__init__(f"source {name!r}")
        self._files = files
        self.dropped: Counter[str] = Counter()

    def passages(self, lang: Lang) -> Iterator[Passage]:
        """Every passage once, in the order of the files. Raises SourceError that names file and line."""
        if lang != "en":
            raise SourceError(f"{self._what} is in en, asked for {lang}", "take a source in that language")
        held: set[str] = set()
        self.dropped.clear()
        for path in sorted(self._files):
            for passage_ in _file(self._files[path], path):
                if not passage_.text:
                    self.dropped["empty"] += 1
                elif passage_.id in held:
                    self.dropped["repeated"] += 1
                else:
                    held.add(passage_.id)
                    yield passage_
        if not held:
            raise SourceError(f"{self._what}: no passages found", "Check that the reader fits the files.")


def tables(name: str, files: Mapping[str, Path]) -> Corpora:
    """The passages of the files."""
    return Corpora(name, files)


def _file(file: Path, path: str) -> Iterator[Passage]:
    if form(path) == "txt":
        for where, line in lines(file, path):
            yield from _titled(line, where)
        return
    for record in rows(file, path, _COLUMNS):
        yield from _of_row(record, dump=form(path) == "tsv")


def _titled(line: str, where: str) -> Iterator[Passage]:
    for piece in line.split(_BETWEEN):
        title, mark, body = piece.partition(_AFTER_TITLE)
        if not mark:
            raise SourceError(
                f"{where}: got {piece[:60]!r}, expected title{_AFTER_TITLE}text, joined by {_BETWEEN.strip()}",
                "Give other text files as a table or as JSON lines.",
            )
        yield dump_passage(title, body)


def _of_row(record: Record, dump: bool) -> Iterator[Passage]:
    where, name, value = record
    if name and isinstance(value, list):
        yield passage(name, " ".join(all_text(value, where, "sentences")))
        return
    row = as_row(value, where)
    if "wikipedia_title" in row:
        yield from article(text(row, "wikipedia_title", where), texts(row, "text", where))
    elif "demos" in row:
        # The worked examples of ALCE's prompts.
        for number, demo in enumerate(list_of_rows(row, "demos", where)):
            yield from (context.passage for context in contexts(demo, f"{where}, demos[{number}]"))
    elif any(row.get(field) is not None for field in _BESIDE):
        yield from (context.passage for context in contexts(row, where))
    else:
        yield (dump_passage if dump else passage)(text(row, "title", where, ""), _body(row, where))


def _body(row: Fields, where: str) -> str:
    value: Any = next((row[field] for field in ("text", "contents", "sentences") if row.get(field) is not None), None)
    if isinstance(value, list):
        return " ".join(all_text(value, where, "text"))
    if not isinstance(value, str):
        raise SourceError(
            f"{where}: got {shown(row)}, expected title and text, or the passages of a question ({', '.join(_BESIDE)})",
            "Check that the reader fits the file.",
        )
    return value
