"""Labelled texts of real datasets, TREC's questions, BANKING77, CLINC150 and NLU evaluation: each text under one label.

    trec        lines "COARSE:fine question" in Latin-1 (`train_5500.label`, `TREC_10.label`); 6 coarse or 50 fine
                labels
    banking77   train.csv and test.csv: text, category
    clinc150    data_full.json: lists of [text, intent]. Demonstrations are train and oos_train, tests are test and
                oos_test; what is out of scope is a label of its own
    nlu         tables with semicolons, one for each label in `trainset` and `testset`, or all in one; the label is
                scenario_intent (HWU64)

Each is read as well from the Parquet files that the Hub has of it, whose metadata names the classes.

A file is a part of its dataset by its name (`train.csv`, `testset/...`, `test-00000-of-00001.parquet`). Of a dataset
that is published as one table a tenth of every label are tests, by the hash of the text. Texts are compared without
case and marks: one that stands twice under a label is kept once, one under two labels not at all, and a test that is
among the demonstrations is no test. What was left out is counted in `dropped`.

Must not change without a new version of the readers: which texts there are, and their ids.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, NamedTuple

from carrara.errors import SourceError
from carrara.sources.document import read_bytes, tidy
from carrara.sources.fields import Fields, as_row, shown, text
from carrara.sources.formats import json_rows, parquet_rows, tab_rows
from carrara.sources.tables import Lacking
from carrara.tables import LabelledPart, LabelledText
from carrara.text.json import strict_json

# Of a table that is not parted: one text of so many is a test.
ONE_OF: Final = 10
_PART: Final = re.compile(r"(?:^|[/._-])(train|test|validation|valid|val|dev)(?:ing|set)?(?=[/._-])", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+")


class Labelled(NamedTuple):
    """A text as a file has it; `part` is None where nothing says which it belongs to."""

    part: LabelledPart | None
    text: str
    label: str


class LabelledTexts(Lacking):
    """The labelled texts of some files. `may_be_whole`: a dataset whose one table the Hub calls "train"."""

    def __init__(
        self,
        name: str,
        files: Mapping[str, Path],
        read: Callable[[Path, str], Iterator[Labelled]],
        may_be_whole: bool = False,
    ) -> None:
        super().__init__(f"source {name!r}")
        self._files, self._read, self._may_be_whole = files, read, may_be_whole
        self._dropped: Counter[str] = Counter()

    def labelled_texts(self, part: LabelledPart) -> Iterator[LabelledText]:
        """Texts label after label, the labels in alphabetical order, those of one label as the files have them."""
        return iter(self._parts[part])

    @property
    def dropped(self) -> dict[str, int]:
        """How many texts were left out, by the reason."""
        assert self._parts
        return dict(self._dropped)

    @cached_property
    def _parts(self) -> dict[LabelledPart, tuple[LabelledText, ...]]:
        read = self._found()
        known = {part: self._single(read[part]) for part in read}
        shown_before = {folded(labelled.text) for labelled in known["demonstration"]}
        tests = [labelled for labelled in known["test"] if folded(labelled.text) not in shown_before]
        self._dropped["test among the demonstrations"] += len(known["test"]) - len(tests)
        labels = {labelled.label for labelled in known["demonstration"]}
        kept = [labelled for labelled in tests if labelled.label in labels]
        self._dropped["test of a label without demonstrations"] += len(tests) - len(kept)
        self._dropped += Counter()
        for part, texts in (("demonstration", known["demonstration"]), ("test", kept)):
            if not texts:
                raise SourceError(f"{self._what} has no {part}s", "Pin the files of both parts, train and test.")
        return {"demonstration": _by_label(known["demonstration"]), "test": _by_label(kept)}

    def _found(self) -> dict[LabelledPart, list[LabelledText]]:
        """All texts as they stand, by part."""
        texts: dict[LabelledPart, list[LabelledText]] = {"demonstration": [], "test": []}
        whole: list[tuple[str, str]] = []
        for path in sorted(self._files):
            for part, raw, label in self._read(self._files[path], path):
                text = tidy(raw)
                if not text or not label:
                    self._dropped["empty"] += 1
                elif part is None:
                    whole.append((text, label))
                else:
                    texts[part].append(LabelledText(f"{part}/{len(texts[part])}", text, label))
        if self._may_be_whole and not whole and not texts["test"]:
            whole = [(entry.text, entry.label) for entry in texts.pop("demonstration")]
            texts["demonstration"] = []
        if whole and any(texts.values()):
            raise SourceError(
                f"{self._what}: some files are a part (train, test) by their name and some are not",
                "Pin the files of one layout.",
            )
        tests = _a_tenth(whole)
        for number, (text, label) in enumerate(whole):
            part = "test" if number in tests else "demonstration"
            texts[part].append(LabelledText(f"{part}/{number}", text, label))
        return texts

    def _single(self, texts: list[LabelledText]) -> list[LabelledText]:
        """The texts that stand under one label, each once."""
        labels: dict[str, set[str]] = {}
        for labelled in texts:
            labels.setdefault(folded(labelled.text), set()).add(labelled.label)
        kept: dict[str, LabelledText] = {}
        for labelled in texts:
            key = folded(labelled.text)
            if len(labels[key]) > 1:
                self._dropped["under two labels"] += 1
            elif key in kept:
                self._dropped["repeated"] += 1
            else:
                kept[key] = labelled
        return list(kept.values())


def folded(text: str) -> str:
    """A text without case and marks; as it stands, where it has nothing else."""
    return " ".join(_WORD.findall(text.casefold().replace("'", "").replace("’", ""))) or text


def part_of(path: str) -> LabelledPart | None:
    """The part of its dataset that a file is by its name. Raises SourceError on one that is kept for development."""
    if not (words := _PART.findall(path)):
        return None
    # The last word counts: the folder "train" may stand in a folder "tests".
    word = words[-1].lower()
    if word not in ("train", "test"):
        raise SourceError(
            f"{path}: the part {word!r} of a dataset, expected train or test",
            "Leave it out: neither demonstrations nor tests are taken from it.",
        )
    return "demonstration" if word == "train" else "test"


def class_names(file: Path, path: str) -> dict[str, list[str]]:
    """The names of the classes by column, as the Hub's Parquet keeps them in its metadata; none in another file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(file).metadata or {}
        table = strict_json(metadata.get(b"huggingface", b"{}"))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise SourceError(f"{path}: cannot be read as Parquet ({error})", "Fetch the file again.") from error
    for key in ("info", "features"):
        table = table.get(key) if isinstance(table, dict) else None
    return {
        column: [str(name) for name in feature["names"]]
        for column, feature in (table.items() if isinstance(table, dict) else ())
        if isinstance(feature, dict) and isinstance(feature.get("names"), list)
    }


def class_name(value: object, names: list[str], where: str) -> str:
    """The label that a cell means: text as it stands, a number by the names of the classes."""
    if isinstance(value, str):
        return tidy(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
        return tidy(names[value])
    raise SourceError(
        f"{where}: the label is {shown(value)}, expected text or the number of one of {len(names)} classes",
        "Take the Parquet files of the Hub, whose metadata names the classes.",
    )


def _a_tenth(whole: list[tuple[str, str]]) -> set[int]:
    """The numbers of the texts that are tests: of every label those whose hashes are lowest."""
    by_label: dict[str, list[tuple[str, int]]] = {}
    for number, (words, label) in enumerate(whole):
        key = hashlib.sha256(folded(words).encode()).hexdigest()
        by_label.setdefault(label, []).append((key, number))
    return {number for keyed in by_label.values() for _, number in sorted(keyed)[: len(keyed) // ONE_OF]}


def _by_label(texts: list[LabelledText]) -> tuple[LabelledText, ...]:
    return tuple(sorted(texts, key=lambda labelled: labelled.label))


_TREC_LINE: Final = re.compile(r"([A-Z]+):([A-Za-z]+) (.+)")
# The one byte that is no ASCII stands where a space was lost: "sister\xf0city".
_LOST_SPACE: Final = b"\xf0"
_CLINC_PARTS: Final[Mapping[str, LabelledPart]] = {
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
    part: LabelledPart | None = "test" if path.rsplit("/", 1)[-1].upper().startswith("TREC_10") else _trained(path)
    data = read_bytes(file, path).replace(_LOST_SPACE, b" ").decode("latin-1")
    for number, line in enumerate(data.split("\n"), start=1):
        if line.strip():
            match = _TREC_LINE.fullmatch(line.strip())
            if match is None:
                raise SourceError(
                    f"{path}:{number}: got {line[:60]!r}, expected LABEL:label and a question", "Mend it."
                )
            yield Labelled(part, match[3], match[1] if which == "coarse" else f"{match[1]}:{match[2]}")


def _trained(path: str) -> LabelledPart | None:
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
        for number, pair in enumerate(value, start=1):
            if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
                raise SourceError(f"{where}[{number}]: got {shown(pair)}, expected a text and its intent", "Mend it.")
            yield Labelled(_CLINC_PARTS[name], pair[0], pair[1])


def _nlu(file: Path, path: str) -> Iterator[Labelled]:
    part = part_of(path)
    for where, _, value in _semicolons(file, path):
        row = as_row(value, where)
        said = next((row[name] for name in ("answer_normalised", "answer_from_anno") if _is_said(row, name)), "")
        if not said and _is_said(row, "answer_annotation"):
            said = _ANNOTATION.sub(r"\1", row["answer_annotation"])
        scenario, intent = text(row, "scenario", where), text(row, "intent", where)
        yield Labelled(part, said, f"{scenario}_{intent}" if scenario and intent else "")


def _is_said(row: Fields, column: str) -> bool:
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
        column = next((name for name in columns if row.get(name) is not None), columns[-1])
        yield Labelled(part, text(row, "text", where), class_name(row.get(column), names.get(column, []), where))
