"""Whether passages contain an accepted answer: one rule for a single text and for a whole corpus.

A text holds an answer where one of the answer's spellings (see `spelling`) stands in its normal form on token
boundaries. `AnswerTable` answers the same of every passage of a corpus at once, from a table in the cache: blocks of
passages, each with its tokens, their positions by word, and its own sorted words. So memory is bounded by a block
however large the corpus is, and a question costs the positions of its rarest words instead of a pass over the text.
"""

import os
import tempfile
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from carrara.engine.files import cache_folder
from carrara.errors import SourceError
from carrara.retrieval.answer_forms import BREAK, VERSION, normalise
from carrara.retrieval.answer_forms import spellings as spellings
from carrara.retrieval.corpus import PassageCorpus

_ROWS: Final = 4_096
# Tokens of a block: about 35,000 passages of 100 words.
_BLOCK: Final = 1 << 22
_INTEGERS: Final = pa.list_(pa.int32())
_SCHEMA: Final = pa.schema(
    [
        ("first", pa.int64()),
        ("passages", _INTEGERS),
        ("tokens", _INTEGERS),
        ("positions", _INTEGERS),
        ("starts", _INTEGERS),
        ("words", pa.list_(pa.string())),
    ]
)


def holds(text: str, answers: Sequence[str]) -> bool:
    """Return whether a text contains any of these accepted names; a name without a spelling is never contained."""
    phrases = _all_spellings(answers)
    if not phrases:
        return False
    line = f" {normalise(text)} "
    return any(f" {spelling} " in line for spelling in phrases)


class AnswerTable:
    """Finds the passages of a corpus (title, line break, text) that contain an answer, by the same rule as `holds`.

    The table is built on first use and, unless the corpus is small, cached by its digest and the version of the rules:
    31 s of one core and 140 MB for 200,000 passages of 85 words.
    """

    def __init__(self, corpus: PassageCorpus) -> None:
        self.size = corpus.size
        if corpus.is_small:
            self._blocks = [_Block(batch) for batch in _batches(corpus)]
            return
        path = cache_folder() / "answers" / f"{corpus.digest[:32]}-{VERSION}.arrow"
        if not path.is_file():
            _write(path, corpus)
        # Held open: the arrays read from the map.
        self._map = pa.memory_map(str(path))
        try:
            table = pa.ipc.open_file(self._map)
        except pa.ArrowInvalid as error:
            raise SourceError(f"the table of answers {path} is damaged", "delete it: it is made again") from error
        self._blocks = [_Block(table.get_batch(number)) for number in range(table.num_record_batches)]

    def holding(self, answers: Sequence[str]) -> NDArray[np.int64]:
        """Return the numbers of the passages that contain an accepted name, ascending: shape (n,)."""
        phrases = [spelling.split() for spelling in _all_spellings(answers)]
        parts = [block.holding(phrases) for block in self._blocks]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)


# The last one that was opened: the variants of a recipe ask one corpus one after another.
_LAST: dict[str, AnswerTable] = {}


def open_answers(corpus: PassageCorpus) -> AnswerTable:
    """The table of a corpus, made once while the same one is asked."""
    if corpus.digest not in _LAST:
        _LAST.clear()
        _LAST[corpus.digest] = AnswerTable(corpus)
    return _LAST[corpus.digest]


class _Block:
    """Passages first ... of a corpus: `tokens` are numbers of `words`, `positions` those of the tokens word by word."""

    def __init__(self, batch: Any) -> None:
        columns = {name: batch.column(name) for name in batch.schema.names}
        self._first = columns["first"][0].as_py()
        self._words = columns["words"].values
        self._tokens, self._passages, self._positions, self._starts = (
            columns[name].values.to_numpy(zero_copy_only=True) for name in ("tokens", "passages", "positions", "starts")
        )

    def holding(self, phrases: Iterable[list[str]]) -> NDArray[np.int64]:
        numbers: dict[str, int] = {}
        positions = [self._phrase(phrase, numbers) for phrase in phrases]
        at = np.concatenate(positions) if positions else np.empty(0, np.int64)
        numbers_held: NDArray[np.int64] = np.unique(np.searchsorted(self._passages, at, side="right")) - 1
        return numbers_held + np.int64(self._first)

    def _phrase(self, phrase: list[str], numbers: dict[str, int]) -> NDArray[np.int64]:
        """The positions at which a phrase begins."""
        wanted = []
        for word in phrase:
            if word not in numbers:
                numbers[word] = self._number(word)
            if numbers[word] < 0:
                return np.empty(0, np.int64)
            wanted.append(numbers[word])
        counts = [self._starts[number + 1] - self._starts[number] for number in wanted]
        rarest = counts.index(min(counts))
        start, stop = self._starts[wanted[rarest]], self._starts[wanted[rarest] + 1]
        at: NDArray[np.int64] = self._positions[start:stop].astype(np.int64) - rarest
        at = at[(at >= 0) & (at + len(wanted) <= len(self._tokens))]
        for offset, number in enumerate(wanted):
            if offset != rarest:
                at = at[self._tokens[at + offset] == number]
        return at

    def _number(self, word: str) -> int:
        number = bisect_left(range(len(self._words)), word, key=lambda index: self._words[index].as_py())
        return number if number < len(self._words) and self._words[number].as_py() == word else -1


def _all_spellings(answers: Sequence[str]) -> list[str]:
    """The spellings of all names, each once, less those that hold another one."""
    ordered = sorted(
        {spelling for answer in answers for spelling in spellings(answer)},
        key=lambda spelling_: (len(spelling_), spelling_),
    )
    kept: list[str] = []
    for spelling in ordered:
        if not any(f" {shorter} " in f" {spelling} " for shorter in kept):
            kept.append(spelling)
    return kept


def _write(path: Path, corpus: PassageCorpus) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes may write it at once: each its own file, the same bytes.
    handle, torn = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file, pa.ipc.new_file(file, _SCHEMA) as writer:
            for batch in _batches(corpus):
                writer.write_batch(batch)
        Path(torn).replace(path)
    finally:
        Path(torn).unlink(missing_ok=True)


class _Numbers(dict[str, int]):
    """Words by the number that each got when it was first met."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


def _batches(corpus: PassageCorpus) -> Iterator[Any]:
    numbers, tokens, passages, first = _Numbers(), list[int](), list[int](), 0
    for start in range(0, corpus.size, _ROWS):
        for text in corpus.texts(start, min(start + _ROWS, corpus.size)):
            passages.append(len(tokens))
            tokens += map(numbers.__getitem__, normalise(text).split())
            # No phrase goes on into the next passage.
            tokens.append(numbers[BREAK])
            if len(tokens) >= _BLOCK:
                yield _batch(first, passages, tokens, numbers)
                first += len(passages)
                numbers, tokens, passages = _Numbers(), [], []
    if passages:
        yield _batch(first, passages, tokens, numbers)


def _batch(first: int, passages: list[int], tokens: list[int], numbers: _Numbers) -> Any:
    words = sorted(numbers)
    rank = np.empty(len(words), np.int32)
    rank[[numbers[word] for word in words]] = np.arange(len(words), dtype=np.int32)
    ranked = rank[np.array(tokens, np.int32)]
    positions = np.argsort(ranked, kind="stable").astype(np.int32)
    starts = np.concatenate(([0], np.cumsum(np.bincount(ranked, minlength=len(words))))).astype(np.int32)
    lists = (np.array(passages, np.int32), ranked, positions, starts, words)
    columns = [pa.array([first], pa.int64())]
    columns += [_one_list(values, field.type) for values, field in zip(lists, list(_SCHEMA)[1:], strict=True)]
    return pa.record_batch(columns, schema=_SCHEMA)


def _one_list(values: Any, kind: Any) -> Any:
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), pa.array(values, kind.value_type))
