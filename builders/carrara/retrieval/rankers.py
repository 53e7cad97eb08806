"""The retrievers that a recipe may name: BM25, or an encoder with a cached index."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from carrara.engine.files import cache_folder
from carrara.engine.processes import Watch
from carrara.retrieval.bm25 import Bm25, bm25_fingerprint
from carrara.retrieval.build_run import Ranker
from carrara.retrieval.corpus import PassageCorpus
from carrara.retrieval.encoder import EncoderSpec, load_encoder
from carrara.retrieval.index import build_index
from carrara.retrieval.run import RetrieverUsed
from carrara.retrieval.search import search, search_fingerprint
from carrara.task import Retrieval

BM25 = "bm25"


# The last one that was opened: the variants of a recipe search one corpus one after another, and to open an index is to
# load its encoder and hash its shards.
_LAST: dict[tuple[Retrieval, str], Ranker] = {}


def open_ranker(retrieval: Retrieval, corpus: PassageCorpus, watch: Watch) -> Ranker:
    """Open a recipe's retriever over a corpus; an encoder's index is built if the cache has none."""
    key = (retrieval, corpus.digest)
    if key not in _LAST:
        _LAST.clear()
        _LAST[key] = LexicalRanker(corpus) if retrieval.retriever == BM25 else Dense(retrieval, corpus, watch)
    return _LAST[key]


class LexicalRanker:
    """BM25."""

    def __init__(self, corpus: PassageCorpus) -> None:
        self._bm25 = Bm25(corpus)

    @property
    def facts(self) -> RetrieverUsed:
        """What decides its ranking."""
        return RetrieverUsed(name=BM25, fingerprint=bm25_fingerprint())

    def rank(self, queries: Sequence[str], count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Passage numbers and scores."""
        return self._bm25.search(queries, count)


class _Shards:
    """Tells of encoded passages in words, for whoever counts questions."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._rows = self._done = 0

    def start(self, config: str, rows: int) -> None:
        """So many passages are to be encoded."""
        self._rows, self._done = rows, 0

    def advance(self, config: str, rows: int, tokens: int) -> None:
        """A shard is encoded."""
        self._done += rows
        self._watch.note(f"{self._done} of {self._rows} passages are encoded")

    def note(self, text: str) -> None:
        """Something a person may want to know."""
        self._watch.note(text)


class Dense:
    """An encoder and a search of its index."""

    def __init__(self, retrieval: Retrieval, corpus: PassageCorpus, watch: Watch) -> None:
        spec = EncoderSpec(retrieval.retriever, retrieval.revision, retrieval.weights)
        self._encoder = load_encoder(spec)
        self._method = retrieval.search
        folder = cache_folder() / "indexes" / f"{corpus.digest[:16]}-{self._encoder.fingerprint[:16]}"
        watch.note(f"the index of {corpus.name} for {spec.name}: what is encoded is kept")
        self._index = build_index(corpus, spec, folder, watch=_Shards(watch))

    @property
    def facts(self) -> RetrieverUsed:
        """What decides its ranking."""
        return RetrieverUsed(
            name=self._encoder.name,
            fingerprint=self._encoder.fingerprint,
            index=self._index.digest,
            search=search_fingerprint(self._method),
        )

    def rank(self, queries: Sequence[str], count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Passage numbers and scores."""
        return search(self._index, self._encoder.encode(queries, "query"), count, self._method)
