"""Entities of the DBpedia ontology data set: titles of Wikipedia articles, each of one of 14 classes.

Takes both layouts in which copies go round: the original CSV without a head line (class index from 1, title, abstract;
a row may be wholly empty, a half-empty one is an error) and JSON (a list of {"label", "sentence"}, a sentence being
"Title: ...\\nText: ..."). Only titles are read. What could not stand in a list, or not be sorted, is dropped and
counted; numbers follow the files. Must not change without a new version of the reader: which titles are kept.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from carrara.errors import SourceError
from carrara.sources.document import read_text, tidy
from carrara.sources.formats import parsed
from carrara.sources.tables import Lacking
from carrara.tables import ENTITY_CLASSES, EntityRow, Lang

# "Mean of Transportation" in one copy, "MeanOfTransportation" in another.
_BY_LABEL: Final = {class_.replace("_", ""): class_ for class_ in ENTITY_CLASSES}
_SEPARATORS: Final = re.compile("[,;\uff0c\uff1b\u3001]")
_SENTENCE: Final = re.compile(r"Title: ([^\n]*)\nText:")
_COLUMNS: Final = 3


class DBpedia(Lacking):
    """The entities that are kept; `dropped` says how many rows were not, and why."""

    def __init__(self, name: str, rows: Iterator[tuple[str, str] | None]) -> None:
        super().__init__(f"source {name!r}")
        self.dropped: Counter[str] = Counter()
        names: dict[str, list[str]] = {}
        for row in rows:
            if row is None:
                self.dropped["empty row"] += 1
            elif why := _unfit(title := tidy(row[1])):
                self.dropped[why] += 1
            else:
                names.setdefault(title, []).append(row[0])
        self._entities: list[tuple[str, str]] = []
        for title, classes in names.items():
            if len(set(classes)) > 1:
                self.dropped["two classes"] += len(classes)
                continue
            self.dropped["repeated"] += len(classes) - 1
            self._entities.append((title, classes[0]))
        if not self._entities:
            raise SourceError(f"source {name!r}: no entities found", "Check that the reader fits the files.")

    @property
    def size(self) -> int:
        """How many entities there are."""
        return len(self._entities)

    def class_of(self, number: int) -> str:
        """The class of an entity."""
        return self._entities[number][1]

    def named(self, numbers: Sequence[int]) -> list[tuple[str, str]]:
        """The title of each entity; there are no glosses."""
        return [(self._entities[number][0], "") for number in numbers]

    def entity_roll(self, lang: Lang) -> "DBpedia":
        """The entities by number. SourceError in another language than English."""
        if lang != "en":
            raise SourceError(f"{self._what} is in en, asked for {lang}", "take a source in that language")
        return self

    def entities(self, lang: Lang) -> Iterator[EntityRow]:
        """The entities as rows, in the order of the files."""
        roll = self.entity_roll(lang)
        for number, (title, class_) in enumerate(roll._entities):
            yield EntityRow(f"{class_}:{number}", title, (), class_, "")


def tables(name: str, files: Mapping[str, Path]) -> DBpedia:
    """The entities of the files, in the order of their paths. Raises SourceError that names file and row."""
    return DBpedia(name, (row for path in sorted(files) for row in _rows(files[path], path)))


def _rows(file: Path, path: str) -> Iterator[tuple[str, str] | None]:
    """(class, title) of every row; None for a wholly empty one."""
    kind = path.removesuffix(".gz").rsplit(".", 1)[-1]
    if kind == "csv":
        return _csv_rows(read_text(file, path), path)
    if kind == "json":
        return _json_rows(read_text(file, path), path)
    raise SourceError(f"{path}: a {kind!r} file, expected .csv or .json (packed as .gz or not)", "Convert the file.")


def _csv_rows(text: str, path: str) -> Iterator[tuple[str, str] | None]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if not any(field.strip() for field in row):
                yield None
                continue
            index = row[0].strip()
            known = len(index) < 4 and index.isascii() and index.isdigit() and 1 <= int(index) <= len(ENTITY_CLASSES)
            if len(row) != _COLUMNS or not known or not row[1].strip() or not row[2].strip():
                raise SourceError(
                    f"{path}, line {reader.line_num}: got {str(row)[:120]}, "
                    f"expected a class from 1 to {len(ENTITY_CLASSES)}, a title and an abstract",
                    "Mend or remove the row; a wholly empty one is passed over.",
                )
            yield ENTITY_CLASSES[int(index) - 1], row[1]
    except csv.Error as error:
        raise SourceError(f"{path}, line {reader.line_num}: {error}", "Mend the quotes of the row.") from error


def _json_rows(text: str, path: str) -> Iterator[tuple[str, str] | None]:
    entries = parsed(path, text)
    if not isinstance(entries, list):
        raise SourceError(
            f"{path}: got a {type(entries).__name__}, expected a list of entries", "Fetch the file again."
        )
    for number, entry in enumerate(entries):
        label, sentence = (entry.get("label"), entry.get("sentence")) if isinstance(entry, dict) else (None, None)
        class_ = _BY_LABEL.get("".join(label.casefold().split())) if isinstance(label, str) else None
        match = _SENTENCE.match(sentence) if isinstance(sentence, str) else None
        if class_ is None or match is None:
            raise SourceError(
                f"{path}, entry {number}: got {str(entry)[:120]}, "
                'expected {"label": one of the 14 classes, "sentence": "Title: ...\\nText: ..."}',
                "Mend or remove the entry.",
            )
        yield class_, match[1]


def _unfit(title: str) -> str:
    """Why a title cannot stand in a list that is to be sorted into lines of classes; "" where it can."""
    if not any(character.isalnum() for character in title):
        return "no letter or digit"
    if _SEPARATORS.search(title):
        return "comma or semicolon"
    head = "".join(character for character in title.partition(":")[0].casefold() if character.isalnum())
    return "called like a class" if head in _BY_LABEL else ""
