"""Semantic similarity of two long texts: the cosine of their mean embeddings, `semantic/cosine@<encoder>`.

`verbatim/average@<encoder>` is VerbatimEval's average similarity: the mean of that and of V (`copying.py`).

A text is cut into chunks of at most the encoder's window of tokens, at white space if there is any in the second half
of the window. Its embedding is the mean of the chunks' embeddings, weighted by their tokens. At most
max(10,000, 1.25 x gold length) characters of a response are read. A cosine below 0 counts as 0; equal texts score 1.

Any object with the methods of `Encoder` is an encoder; `SentenceTransformer` wraps a model of the library
sentence-transformers (the extra `retrieval`), from a folder or a commit on the Hub (`local_models.py`). An encoder at
an endpoint is named `http(s)://host:port/v1#<model>` (`carrara.llm.judges`).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Protocol

from carrara.scoring.errors import MetricError
from carrara.scoring.facts import ScoredRow
from carrara.scoring.metrics import copying
from carrara.scoring.metrics.local_models import check_model, model_folder
from carrara.text.extras import install

PREFIX: Final = "semantic/cosine@"
AVERAGE: Final = "verbatim/average@"
PREFIXES: Final = (PREFIX, AVERAGE)
SHORTEST_READ: Final = 10_000
# Older versions run code from the model's folder even if told not to.
_LEAST: Final = 6


class Encoder(Protocol):
    """Turns texts into vectors."""

    @property
    def window(self) -> int:
        """The maximum number of tokens of a text."""

    def tokens(self, text: str) -> Sequence[tuple[int, int]]:
        """Return the span of each token in order: (start, end) in code points."""

    def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector for each text, all of the same size."""


def cosine(encoder: Encoder) -> Callable[[str, ScoredRow], float]:
    """Return the metric `semantic/cosine` for an encoder: (response, row) -> value in [0, 1]."""

    def metric(response: str, row: ScoredRow) -> float:
        gold = "\n".join(map(str, row["answers"])).strip()
        read = response.strip()[: max(SHORTEST_READ, len(gold) + len(gold) // 4)]
        if read == gold:
            return 1.0
        ours, theirs = (embedding(_readable(text), encoder) for text in (read, gold))
        product = math.fsum(a * b for a, b in zip(ours, theirs, strict=False))
        size = math.sqrt(math.fsum(a * a for a in ours) * math.fsum(b * b for b in theirs))
        value = product / size if size else 0.0
        return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0

    return metric


def embedding(text: str, encoder: Encoder) -> list[float]:
    """Return the mean embedding of a text's chunks, weighted by their tokens; [] for a text without tokens."""
    pieces = list(chunks(text, encoder))
    total = sum(weight for _, weight in pieces)
    vectors = encoder.encode([chunk for chunk, _ in pieces]) if pieces else []
    mean: list[float] = []
    for vector, (_, weight) in zip(vectors, pieces, strict=True):
        mean = mean or [0.0] * len(vector)
        mean = [a + weight / total * float(b) for a, b in zip(mean, vector, strict=True)]
    return mean


def chunks(text: str, encoder: Encoder) -> Iterator[tuple[str, int]]:
    """Yield the chunks of a text with their numbers of tokens, each at most the encoder's window."""
    spans, window = encoder.tokens(text), max(1, encoder.window)
    start = 0
    while start < len(spans):
        stop = min(start + window, len(spans))
        if stop < len(spans):
            # A cut inside a word would change the tokens of both parts.
            cuts = range(stop, start + window // 2, -1)
            stop = next((cut for cut in cuts if spans[cut][0] > spans[cut - 1][1]), stop)
        yield text[spans[start][0] : spans[stop - 1][1]], stop - start
        start = stop


class SentenceTransformer:
    """A model of the library sentence-transformers."""

    def __init__(self, name: str) -> None:
        """Load a model. Raises MetricError if the library or the model is missing, or the model needs its own code."""
        check_model(name)
        try:
            import sentence_transformers
        except ImportError as error:
            raise MetricError(f"{PREFIX}{name} needs sentence-transformers: {install('retrieval')}") from error
        if int((version := str(sentence_transformers.__version__)).partition(".")[0]) < _LEAST:
            raise MetricError(
                f"got sentence-transformers {version}, expected {_LEAST} or later, which never runs code of a model: "
                f"{install('retrieval')} --upgrade"
            )
        folder = str(model_folder(name))
        try:
            self._model = sentence_transformers.SentenceTransformer(
                folder, local_files_only=True, trust_remote_code=False, model_kwargs={"use_safetensors": True}
            )
        except Exception as error:  # The library raises its own, its transport's and the system's errors.
            cause = f"{type(error).__name__}: {error}"
            raise MetricError(f"got model {name!r}, which cannot be loaded ({cause})") from error
        self._special = int(self._model.tokenizer.num_special_tokens_to_add())

    @property
    def window(self) -> int:
        """The model's maximum sequence length minus its special tokens."""
        return int(self._model.max_seq_length) - self._special

    def tokens(self, text: str) -> Sequence[tuple[int, int]]:
        """Return the span of each token in order: (start, end) in code points."""
        encoded = self._model.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        return [(start, end) for start, end in encoded["offset_mapping"] if end > start]

    def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector of length 1 for each text."""
        vectors: list[list[float]] = self._model.encode(
            list(texts), normalize_embeddings=True, show_progress_bar=False
        ).tolist()
        return vectors


def average(encoder: Encoder) -> Callable[[str, ScoredRow], float]:
    """Return the metric `verbatim/average` for an encoder: the mean of the cosine and of V, each in [0, 1]."""
    alike = cosine(encoder)
    return lambda response, row: (alike(response, row) + copying.v(response, row)) / 2


# Loaders of encoders registered by other rooms, by name prefix, so that scoring needs no client.
_PLUGGED: Final[dict[str, Callable[[str], Encoder]]] = {}


def plug_in(beginning: str, make: Callable[[str], Encoder]) -> None:
    """Register `make` as the loader of every encoder whose name has this beginning."""
    _PLUGGED[beginning] = make


def named(name: str) -> Callable[[str, ScoredRow], float]:
    """Return the metric of a name `semantic/cosine@<encoder>` or `verbatim/average@<encoder>`. Raises MetricError."""
    kind, _, model = name.partition("@")
    return (average if f"{kind}@" == AVERAGE else cosine)(_encoder(model))


@lru_cache(maxsize=2)
def _encoder(name: str) -> Encoder:
    """The encoder of a name, loaded once."""
    make = next((make for beginning, make in _PLUGGED.items() if name.startswith(beginning)), None)
    if make is None and name.startswith(("http://", "https://")):
        raise MetricError(
            f"got encoder {name!r}, but no client for endpoints is loaded: call carrara.llm.judges.plug_in() first"
        )
    return SentenceTransformer(name) if make is None else make(name)


def _readable(text: str) -> str:
    """The text without lone surrogates, which tokenizers reject."""
    return text.encode("utf-8", "replace").decode("utf-8")
