"""Haystacks: the prose of a source as counted units, in an order of its own for every item.

A source is cut into sections of whole paragraphs, a section into sentences. Sections are addressed, their order is a
sort by key, so a shorter row's haystack is a prefix of a longer one's. Units and their token costs are made
once and kept in the cache by content; they are read through memory maps, so that workers share them.
"""

import hashlib
import json
import shutil
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carrara.engine.code import code_fingerprint
from carrara.engine.files import cache_folder
from carrara.errors import SourceError
from carrara.stream import Stream
from carrara.task import Lang
from carrara.tokens import Tokenizer

# A section ends at the first paragraph's end past this many characters: a few pages, so that order has room to vary.
SECTION_CHARACTERS = {"en": 12_000, "zh": 4_000}
# Tokens kept ready beyond what is asked, so that the fit has units to choose from.
_MARGIN = 20_000
Paragraph = Sequence[str]
SectionText = Sequence[Paragraph]


@dataclass(frozen=True, slots=True)
class Haystack:
    """The units of a source under one tokenizer.

    `blob`: UTF-8 text of all units in source order; `offsets`: shape (units + 1,), bytes; `sections`: shape
    (sections + 1,), unit numbers; `costs`: shape (units,), tokens that a unit adds after the one before it in its
    section; `droppable`: shape (units,).
    """

    name: str
    fingerprint: str
    blob: memoryview
    offsets: NDArray[np.int64]
    sections: NDArray[np.int64]
    costs: NDArray[np.int64]
    droppable: NDArray[np.bool_]

    def ordered(self, order: Stream, tokens: int, repeat: bool, without: Sequence[str] = ()) -> "Ordered":
        """The units in an order of sections by key: at least `tokens` tokens, or all there are.

        With `repeat` the sections come again, in a new order each time, until there are enough. Sections that hold one
        of the texts `without` are passed over: the names of needles that would stand there by accident.
        """
        count = len(self.sections) - 1
        totals = np.add.reduceat(self.costs, self.sections[:-1])
        wanted = tokens + _MARGIN
        passes = -(-wanted // int(totals.sum())) if repeat else 1
        sequence = np.concatenate([order.child(number).order(count) for number in range(passes)])
        enough = int(np.searchsorted(np.cumsum(totals[sequence]), wanted)) + 1
        kept = self._free(sequence[:enough], without)
        # Few sections are passed over: what they leave missing is taken from those that follow.
        while without and enough < len(sequence) and (missing := wanted - int(totals[kept].sum())) > 0:
            further = int(np.searchsorted(np.cumsum(totals[sequence[enough:]]), missing)) + 1
            kept = np.concatenate([kept, self._free(sequence[enough : enough + further], without)])
            enough += further
        return Ordered(self, kept)

    def _free(self, sequence: NDArray[np.int64], without: Sequence[str]) -> NDArray[np.int64]:
        """The sections that hold none of the texts, in the same order."""
        if not without:
            return sequence
        sought = [text.encode() for text in without]
        bounds = self.offsets[self.sections]
        texts = (self.blob[bounds[section] : bounds[section + 1]].tobytes() for section in sequence.tolist())
        free = [not any(each in text for each in sought) for text in texts]
        return sequence[np.array(free, dtype=np.bool_)]


class Ordered:
    """Units of a haystack in the order of an item: what `context.assemble` fills a prompt with."""

    def __init__(self, haystack: Haystack, sequence: NDArray[np.int64]) -> None:
        self._haystack = haystack
        starts, stops = haystack.sections[:-1][sequence], haystack.sections[1:][sequence]
        self._starts = starts.tolist()
        self._first = [0, *np.cumsum(stops - starts).tolist()]
        ranges = [slice(start, stop) for start, stop in zip(starts, stops, strict=True)]
        # Nothing at first: all sections may have been passed over.
        self.costs: NDArray[np.int64] = np.concatenate([haystack.costs[:0], *(haystack.costs[part] for part in ranges)])
        self.droppable: NDArray[np.bool_] = np.concatenate(
            [haystack.droppable[:0], *(haystack.droppable[part] for part in ranges)]
        )

    def text(self, start: int, stop: int) -> str:
        """The text of units start .. stop - 1 of this order."""
        pieces = []
        section = bisect_right(self._first, start) - 1
        while start < stop:
            end = min(stop, self._first[section + 1])
            shift = self._starts[section] - self._first[section]
            low, high = self._haystack.offsets[start + shift], self._haystack.offsets[end + shift]
            pieces.append(self._haystack.blob[low:high].tobytes())
            start, section = end, section + 1
        return b"".join(pieces).decode()


def sections_of(paragraphs: Iterable[Paragraph], lang: Lang) -> Iterator[list[Paragraph]]:
    """Cut a document's paragraphs (each a sequence of sentences) into sections."""
    section: list[Paragraph] = []
    size = 0
    for paragraph in paragraphs:
        section.append(paragraph)
        size += sum(map(len, paragraph))
        if size >= SECTION_CHARACTERS[lang]:
            yield section
            section, size = [], 0
    if section:
        yield section


def unit_texts(section: SectionText, lang: Lang) -> tuple[list[str], list[bool]]:
    """The units of a section with the white space that they own, and whether each may be left out.

    Between sentences a space begins the later one (none in Chinese); a blank line ends a paragraph's last. Inner
    sentences may be left out, and paragraphs of one sentence; a first or last sentence holds its paragraph's edge.
    """
    texts, droppable = [], []
    space = " " if lang == "en" else ""
    for paragraph in section:
        for number, sentence in enumerate(paragraph):
            first, last = number == 0, number == len(paragraph) - 1
            texts.append(("" if first else space) + sentence + ("\n\n" if last else ""))
            droppable.append(first == last)
    return texts, droppable


class HaystackPart(NamedTuple):
    """Some consecutive sections as counted units: arrays by unit, but `sections`: units of each section."""

    blob: bytes
    sizes: NDArray[np.int64]
    sections: NDArray[np.int64]
    droppable: NDArray[np.bool_]
    costs: NDArray[np.int64]


def make_part(sections: Iterable[SectionText], lang: Lang, tokenizer: Tokenizer) -> HaystackPart:
    """Cut sections into units and count them; parts may be made apart, for no cost reaches over a section's end."""
    blob = bytearray()
    sizes: list[int] = []
    droppable: list[bool] = []
    lengths: list[int] = []
    costs: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    for section in sections:
        texts, free = unit_texts(section, lang)
        encoded = [text.encode() for text in texts]
        blob += b"".join(encoded)
        sizes += map(len, encoded)
        droppable += free
        lengths.append(len(texts))
        costs.append(_costs(texts, tokenizer))
    return HaystackPart(
        bytes(blob),
        np.array(sizes, dtype=np.int64),
        np.array(lengths, dtype=np.int64),
        np.array(droppable, dtype=np.bool_),
        np.concatenate(costs),
    )


def open_haystack(
    name: str, key: str, lang: Lang, parts: Callable[[], Iterable[HaystackPart]], tokenizer: Tokenizer
) -> Haystack:
    """The haystack of a source: from the cache when it is there, else made from `parts()` and kept.

    `key` identifies the source's content; code that cuts text is part of the cache's key. Raises SourceError on a
    source without text.
    """
    identity = json.dumps([key, lang, code_fingerprint("sources", "text", "stream.py")])
    fingerprint = hashlib.sha256(identity.encode()).hexdigest()
    folder = cache_folder() / "haystacks" / fingerprint[:32]
    costs_file = folder / f"costs-{tokenizer.fingerprint[:32]}.npy"
    if not (folder / "units.json").is_file():
        _write(folder, costs_file.name, name, parts())
    facts = json.loads((folder / "units.json").read_text())
    # Not as arrays: a slice of a mapped one takes longer than the text in it.
    blob = np.memmap(folder / "units.bin", dtype=np.uint8, mode="r").data
    if hashlib.sha256(blob).hexdigest() != facts["sha256"]:
        # A damaged cache must not reach a row: make it again.
        shutil.rmtree(folder)
        return open_haystack(name, key, lang, parts, tokenizer)
    offsets = np.asarray(np.load(folder / "offsets.npy", allow_pickle=False, mmap_mode="r"))
    bounds = np.load(folder / "sections.npy", allow_pickle=False)
    droppable = np.load(folder / "droppable.npy", allow_pickle=False)
    if not costs_file.is_file():
        _save(costs_file, _count_again(blob, offsets, bounds, tokenizer))
    costs = np.load(costs_file, allow_pickle=False)
    return Haystack(name, fingerprint, blob, offsets, bounds, costs, droppable)


def _write(folder: Path, costs_name: str, name: str, parts: Iterable[HaystackPart]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=folder.parent))
    digest = hashlib.sha256()
    kept: list[HaystackPart] = []
    with (work / "units.bin").open("wb") as file:
        for part in parts:
            file.write(part.blob)
            digest.update(part.blob)
            kept.append(part._replace(blob=b""))
    if not sum(len(part.sizes) for part in kept):
        shutil.rmtree(work)
        raise SourceError(f"source {name!r} has no documents with text", "check that the reader fits the files")
    zero = np.zeros(1, dtype=np.int64)
    np.save(work / "offsets.npy", np.concatenate([zero, np.cumsum(np.concatenate([part.sizes for part in kept]))]))
    np.save(work / "sections.npy", np.concatenate([zero, np.cumsum(np.concatenate([part.sections for part in kept]))]))
    np.save(work / "droppable.npy", np.concatenate([part.droppable for part in kept]))
    np.save(work / costs_name, np.concatenate([part.costs for part in kept]))
    (work / "units.json").write_text(json.dumps({"sha256": digest.hexdigest()}))
    try:
        work.rename(folder)
    except OSError:
        # Another process was faster; what it made is the same.
        shutil.rmtree(work)


def _count_again(
    blob: memoryview, offsets: NDArray[np.int64], bounds: NDArray[np.int64], tokenizer: Tokenizer
) -> NDArray[np.int64]:
    """The costs under another tokenizer, section by section: memory stays that of one."""
    edges = offsets.tolist()
    return np.concatenate(
        [
            _costs([blob[edges[i] : edges[i + 1]].tobytes().decode() for i in range(first, last)], tokenizer)
            for first, last in pairwise(bounds.tolist())
        ]
    )


def _costs(texts: Sequence[str], tokenizer: Tokenizer) -> NDArray[np.int64]:
    """Tokens that each unit of a section adds after its predecessor: its own, and what the joint costs beyond.

    Joints with white space cost nothing under an additive tokenizer; the others are counted on the pair.
    """
    own = tokenizer.count_many(texts)
    costs = own.copy()
    for i in range(1, len(texts)):
        if not (tokenizer.additive and _is_free(texts[i - 1], texts[i])):
            costs[i] += tokenizer.count(texts[i - 1] + texts[i]) - int(own[i - 1]) - int(own[i])
    return costs


def _is_free(left: str, right: str) -> bool:
    """Whether a joint costs nothing under an additive tokenizer: a newline before a letter or quote, or a space.

    Not before every character: o200k joins a slash to the newlines before it.
    """
    return right[0] == " " or (left[-1] == "\n" and (right[0].isalnum() or right[0] in "“‘\"'"))


def _save(path: Path, array: NDArray[np.int64]) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".npy", delete=False) as file:
        np.save(file, array)
    Path(file.name).replace(path)
