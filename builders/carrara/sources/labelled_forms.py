"""The published forms of four datasets of labelled texts: TREC's questions, BANKING77, CLINC150, NLU evaluation.

    trec        lines "COARSE:fine question" in Latin-1 (`train_5500.label`, `TREC_10.label`); 6 coarse or 50 fine
                labels
    banking77   train.csv and test.csv: text, category
    clinc150    data_full.json: lists of [text, intent]. Demonstrations are train and oos_train, tests are test and
                oos_test; what is out of scope is a label of its own
    nlu         tables with semicolons, one for each label in `trainset` and `testset`, or all in one; the label is
                scenario_intent (HWU64)

Each is read as well from the Parquet files that the Hub has of it, whose metadata names the classes.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

from carrara.errors import SourceError
from carrara.sources.document import read_bytes
from carrara.sources.fields import Row, as_row, shown, text
from carrara.sources.labelled import Labelled, LabelledTexts, Part, class_name, class_names, part_of
from carrara.sources.rows import json_rows, parquet_rows, tab_rows

_TREC_LINE: Final = re.compile(r"([A-Z]+):([A-Za-z]+) (.+)")
# The one byte that is no ASCII stands where a space was lost: "sister\xf0city".
_LOST_SPACE: Final = b"\xf0"
_CLINC_PARTS: Final[Mapping[str, Part]] = {
    "train": "demonstration",
    "oos_train": "demonstration",
    "test": "test",
    "oos_test": "test",
}
_CLINC_UNUSED: Final = frozenset(("val", "oos_val"))
# "[time : five am]" stands for "five am".
_ANNOTATION: Final = re.compile(r"\[[^\[\]:]*:([^\[\]]*)\]")
# Columns of the Parquet files with the label; the first that is there.
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "coarse": ("coarse_label", "label-coarse"),
    "fine": ("fine_label", "label-fine"),
    "banking77": ("label_text", "label"),
    "clinc150": ("intent",),
    "nlu": ("label",),
}


def trec_coarse(name: str, files: Mapping[str, Path]) -> LabelledTexts:
    """TREC's questions under the 6 coarse labels."""
    return LabelledTexts(name, files, _or_parquet("coarse", lambda file, path: _trec(file, path, "coarse")))


def trec_fine(name: str, files: Mapping[str, Path]) -> LabelledTexts:
    """TREC's questions under the 50 fine labels."""
    return LabelledTexts(name, files, _or_parquet("fine", lambda file, path: _trec(file, path, "fine")))


def banking77(name: str, files: Mapping[str, Path]) -> LabelledTexts:
    """BANKING77: messages to a bank under 77 labels."""
    return LabelledTexts(name, files, _or_parquet("banking77", _banking77))


def clinc150(name: str, files: Mapping[str, Path]) -> LabelledTexts:
    """CLINC150: messages to an assistant under 150 labels, and those that are out of scope."""
    return LabelledTexts(name, files, _or_parquet("clinc150", _clinc150))


def nlu(name: str, files: Mapping[str, Path]) -> LabelledTexts:
    """NLU evaluation data (HWU64): messages to a home robot under 68 labels, 64 in its folds."""
    return LabelledTexts(name, files, _or_parquet("nlu", _nlu), may_be_whole=True)


def _trec(file: Path, path: str, which: Literal["coarse", "fine"]) -> Iterator[Labelled]:
    part: Part | None = "test" if path.rsplit("/", 1)[-1].upper().startswith("TREC_10") else _trained(path)
    data = read_bytes(file, path).replace(_LOST_SPACE, b" ").decode("latin-1")
    for number, line in enumerate(data.split("\n"), start=1):
        if line.strip():
            found = _TREC_LINE.fullmatch(line.strip())
            if found is None:
                raise SourceError(
                    f"{path}:{number}: got {line[:60]!r}, expected LABEL:label and a question", "Mend it."
                )
            yield Labelled(part, found[3], found[1] if which == "coarse" else f"{found[1]}:{found[2]}")


def _trained(path: str) -> Part | None:
    return "demonstration" if path.rsplit("/", 1)[-1].startswith("train") else part_of(path)


def _banking77(file: Path, path: str) -> Iterator[Labelled]:
    part = part_of(path)
    for where, _, row in tab_rows(file, path, ","):
        yield Labelled(part, text(row, "text", where), text(row, "category", where))


def _clinc150(file: Path, path: str) -> Iterator[Labelled]:
    for where, name, value in json_rows(file, path):
        if name in _CLINC_UNUSED:
            continue
        if name not in _CLINC_PARTS or not isinstance(value, list):
            known = ", ".join((*_CLINC_PARTS, *sorted(_CLINC_UNUSED)))
            raise SourceError(f"{where}: expected lists of texts named {known}", "Take data_full.json as published.")
        for number, one in enumerate(value, start=1):
            if not isinstance(one, list) or len(one) != 2 or not all(isinstance(part, str) for part in one):
                raise SourceError(f"{where}[{number}]: got {shown(one)}, expected a text and its intent", "Mend it.")
            yield Labelled(_CLINC_PARTS[name], one[0], one[1])


def _nlu(file: Path, path: str) -> Iterator[Labelled]:
    part = part_of(path)
    for where, _, value in _semicolons(file, path):
        row = as_row(value, where)
        said = next((row[name] for name in ("answer_normalised", "answer_from_anno") if _is_said(row, name)), "")
        if not said and _is_said(row, "answer_annotation"):
            said = _ANNOTATION.sub(r"\1", row["answer_annotation"])
        scenario, intent = text(row, "scenario", where), text(row, "intent", where)
        yield Labelled(part, said, f"{scenario}_{intent}" if scenario and intent else "")


def _is_said(row: Row, column: str) -> bool:
    return str(row.get(column) or "null").strip().lower() != "null"


def _semicolons(file: Path, path: str) -> Iterator[tuple[str, str, object]]:
    yield from tab_rows(file, path, ";")


def _or_parquet(
    dataset: str, read: Callable[[Path, str], Iterator[Labelled]]
) -> Callable[[Path, str], Iterator[Labelled]]:
    """The reader of a dataset's own form, which reads Parquet as the Hub has it too."""

    def reading(file: Path, path: str) -> Iterator[Labelled]:
        return _parquet(file, path, _COLUMNS[dataset]) if path.endswith(".parquet") else read(file, path)

    return reading


def _parquet(file: Path, path: str, columns: tuple[str, ...]) -> Iterator[Labelled]:
    part, names = part_of(path), class_names(file, path)
    for where, _, value in parquet_rows(file, path, ("text", *columns)):
        row = as_row(value, where)
        column = next((one for one in columns if row.get(one) is not None), columns[-1])
        yield Labelled(part, text(row, "text", where), class_name(row.get(column), names.get(column, []), where))
