"""BM25: the second retriever, and the probe that answers from the passage that shares most words with the question.

The library bm25s builds and keeps the index (Lucene's form of the formula). The tokeniser is ours, and no stemmer is
used, so that no third library decides what a word is: NFKC, casefold, runs of word characters, less 33 English function
words. What must not change: scores are sums in single precision in the order in which a corpus first uses the words,
rounded to 1e-4, equal ones ranked by passage number; so neither machine nor threads nor hash seed reach a ranking.
"""

import shutil
import tempfile
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from math import log
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from carrara.engine.files import cache_folder
from carrara.errors import CarraraError
from carrara.retrieval.corpus import PassageCorpus

K1: Final = 0.9
B: Final = 0.4
DECIMALS: Final = 4
# Raised with any change of what `tokens` gives; Unicode's tables come with Python.
TOKENISER: Final = f"words-1-unicode-{unicodedata.unidata_version}"
_FUNCTION_WORDS: Final = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
)
_STOP: Final = frozenset(_FUNCTION_WORDS.split())
_PASSAGES: Final = 4_096


class _Spaced(dict[int, int | str]):
    """For str.translate: characters that are no part of a word (what `\\w` leaves out) become spaces."""

    def __missing__(self, code: int) -> int | str:
        character = chr(code)
        self[code] = code if character.isalnum() or character == "_" else " "
        return self[code]


_SPACED: Final = _Spaced()
# Bytes go six times as fast as a regular expression.
_SPACED_ASCII: Final = "".join(chr(code) if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128))
_SPACED_BYTES: Final = _SPACED_ASCII.lower().encode() + bytes([32]) * 128


def tokens(text: str) -> list[str]:
    """The words of a text that count, in order. Any string has some or none; lone surrogates are no part of words."""
    if text.isascii():
        spaced = text.encode().translate(_SPACED_BYTES).decode()
    else:
        # Casefolding may leave what NFKC would still change.
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        spaced = folded.translate(_SPACED)
    return [word for word in spaced.split() if word not in _STOP]


def bm25_fingerprint() -> str:
    """What decides a ranking beside corpus and question."""
    return f"bm25/1 k1={K1} b={B} {TOKENISER}"


class Bm25:
    """The index of a corpus, built on first use and, unless small, cached by the corpus's digest and the tokeniser.

    Building needs about 30 bytes of memory for each word of the corpus; searching reads the index through memory maps
    and keeps one single-precision score for each passage.
    """

    def __init__(self, corpus: PassageCorpus) -> None:
        self.size = corpus.size
        if corpus.is_small:
            self._index = _built(corpus)
            return
        path = cache_folder() / "bm25" / f"{corpus.digest[:32]}-{TOKENISER}-bm25s-{version('bm25s')}"
        if not _whole(path):
            _write(path, corpus)
        self._index = _loaded(path)

    def search(self, queries: Sequence[str], count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return numbers and scores of the best `count` passages of each query: shape (queries, count), best first.

        Passages that share no word with a query score 0 and come last, by number. Raises CarraraError if the corpus has
        fewer than `count` passages.
        """
        if not 1 <= count <= self.size:
            raise CarraraError(
                f"got a request for {count} results from {self.size} passages", f"ask for 1 to {self.size} results"
            )
        numbers = np.empty((len(queries), count), dtype=np.int64)
        scores = np.empty((len(queries), count), dtype=np.float32)
        for row, query in enumerate(queries):
            numbers[row], scores[row] = _best(self._scores(query), count)
        return numbers, scores

    def _scores(self, query: str) -> NDArray[np.float32]:
        """The score of every passage; a word counts as often as the query says it."""
        known = self._index.vocab_dict
        data, passages, starts = (self._index.scores[name] for name in ("data", "indices", "indptr"))
        scores = np.zeros(self.size, dtype=np.float32)
        # The library would walk a word's passages once per repetition: a hostile query would never end.
        for word, times in sorted(Counter(known[word] for word in tokens(query) if word in known).items()):
            postings = slice(starts[word], starts[word + 1])
            scores[passages[postings]] += data[postings] * np.float32(times)
        return scores


def rank_passages(question: str, texts: Sequence[str]) -> list[int]:
    """Return the indices of `texts`, best first, ranked as `Bm25` over them alone would; nothing is cached."""
    counted = [Counter(tokens(text)) for text in texts]
    lengths = np.array([sum(words.values()) for words in counted], dtype=np.float64)
    asked = Counter(tokens(question))
    average = float(lengths.mean()) if len(texts) else 0.0
    scores = np.zeros(len(texts), dtype=np.float32)
    # The order of first use, as an index numbers its words.
    for word in dict.fromkeys(word for words in counted for word in words if word in asked):
        times = np.array([words[word] for words in counted], dtype=np.float32)
        holding = np.flatnonzero(times)
        inverse = np.float32(log(1 + (len(texts) - len(holding) + 0.5) / (len(holding) + 0.5)))
        held = times[holding].astype(np.float64)
        part = inverse * (held / (K1 * ((1 - B) + B * lengths[holding] / average) + held))
        scores[holding] += part.astype(np.float32) * np.float32(asked[word])
    return _best(scores, len(texts))[0].tolist() if texts else []


def _best(scores: NDArray[np.float32], count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The best `count`, rounded first, equal scores by number."""
    rounded = np.round(scores.astype(np.float64), DECIMALS).astype(np.float32)
    limit = np.partition(rounded, len(rounded) - count)[len(rounded) - count]
    above = np.flatnonzero(rounded > limit)
    level = np.flatnonzero(rounded == limit)[: count - len(above)]
    numbers = np.concatenate([above[np.argsort(-rounded[above], kind="stable")], level])
    return numbers, rounded[numbers]


def _built(corpus: PassageCorpus) -> Any:
    import bm25s

    # A word's number is its place of first use; the empty one makes a corpus without words an index, too.
    numbers: dict[str, int] = {"": 0}
    held = list(_numbered(corpus, numbers))
    index = bm25s.BM25(k1=K1, b=B, method="lucene")
    with np.errstate(invalid="ignore"):
        # A corpus without words has no average length.
        index.index((held, numbers), show_progress=False)
    return index


def _write(path: Path, corpus: PassageCorpus) -> None:
    """The index, written beside its place and renamed: of two processes the first to end leaves its own."""
    index = _built(corpus)
    path.parent.mkdir(parents=True, exist_ok=True)
    torn = Path(tempfile.mkdtemp(prefix=".made-", dir=path.parent))
    try:
        index.save(torn / "index", show_progress=False)
        files = sorted((torn / "index").iterdir())
        sizes = "".join(f"{file.name} {file.stat().st_size}\n" for file in files)
        (torn / "index" / "files.txt").write_text(sizes, encoding="utf-8")
        if path.exists() and not _whole(path):
            shutil.rmtree(path, ignore_errors=True)
        try:
            (torn / "index").rename(path)
        except OSError:
            if not _whole(path):
                raise
    finally:
        shutil.rmtree(torn, ignore_errors=True)


def _numbered(corpus: PassageCorpus, numbers: dict[str, int]) -> Iterable["array[int]"]:
    for start in range(0, corpus.size, _PASSAGES):
        for text in corpus.texts(start, min(start + _PASSAGES, corpus.size)):
            # Four bytes a word instead of the eight of a list.
            yield array("i", [numbers.setdefault(word, len(numbers)) for word in tokens(text)])


def _whole(path: Path) -> bool:
    """Whether every file of an index is there at its size."""
    try:
        lines = (path / "files.txt").read_text(encoding="utf-8").splitlines()
        return all((path / name).stat().st_size == int(size) for name, size in (line.split() for line in lines))
    except (OSError, ValueError):
        return False


def _loaded(path: Path) -> Any:
    import bm25s

    return bm25s.BM25.load(path, mmap=True)
