"""Encoders turn texts into vectors of length one: a sentence-transformers model, run in batches of similar length.

Texts are tokenised together, sorted by length, and split into batches with a maximum number of tokens, padding
included: a small batch fits a processor's cache, a large one fills a GPU. The batches depend on the texts alone.

The last bits of a vector depend on the batch, the number format and the machine's arithmetic (not on threads; a test
checks that). An index therefore records its number format, and vectors from another machine may differ in the last
digits.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from multiprocessing import current_process
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from carrara.errors import SourceError
from carrara.retrieval.encoder_files import EMBEDDED, EncoderFiles, EncoderSpec, locate
from carrara.text.extras import install

__all__ = ["EMBEDDED", "EncoderSpec", "TextEncoder", "TextKind", "load_encoder", "numbers_of"]

TextKind = Literal["query", "passage"]
Precision = Literal["float32", "bfloat16"]

# Tokens of a batch, padding included. On a processor 1,024 is 1.2 times as fast as 4,096, whose activations leave its
# cache; a GPU wants to be filled.
_BATCH: Final = {"cpu": 1_024, "cuda": 65_536}
# Processors that multiply bfloat16 themselves; on others it is slower than float32.
_FAST_BFLOAT16: Final = frozenset({"avx512_bf16", "amx_bf16"})


class TextEncoder(Protocol):
    """Turns texts into vectors with `size` coordinates; `fingerprint` covers all that decides them but arithmetic."""

    @property
    def name(self) -> str:
        """The encoder's name."""

    @property
    def fingerprint(self) -> str:
        """The sha256 over weights, tokenizer, settings, prefixes and window."""

    @property
    def size(self) -> int:
        """The number of coordinates of a vector."""

    def encode(self, texts: Sequence[str], kind: TextKind) -> NDArray[np.float32]:
        """A vector of length one for each text: shape (n, size)."""


class SentenceEncoder:
    """A sentence-transformers model on one device."""

    def __init__(self, files: EncoderFiles, device: str, numbers: Precision, batch: int) -> None:
        self.name, self.fingerprint = files.name, files.fingerprint
        self.device, self.numbers = device, numbers
        self._batch = batch
        self._model = _load(files, device)
        self.window = min(files.window or self._model.max_seq_length, self._model.max_seq_length)
        self.size = int(self._model.get_embedding_dimension())
        prompts = {key: text or "" for key, text in (self._model.prompts or {}).items()}
        self._prefix: dict[str, str] = {
            "query": files.query or prompts.get("query", ""),
            "passage": files.passage or prompts.get("passage") or prompts.get("document", ""),
        }
        self._tokenizer = self._model.tokenizer
        self._first, *self._rest = self._model.children()
        if numbers == "bfloat16":
            # The transformer alone: pooling sums over tokens, which eight bits of mantissa are too few for.
            import torch

            self._first.to(torch.bfloat16)

    def encode(self, texts: Sequence[str], kind: TextKind) -> NDArray[np.float32]:
        """A vector of length one for each text: shape (n, size). What is beyond the window of a text is not read."""
        import torch

        out = np.zeros((len(texts), self.size), dtype=np.float32)
        if not texts:
            return out
        prefix = self._prefix[kind]
        tokens: list[list[int]] = self._tokenizer(
            [f"{prefix}{_readable(text)}" for text in texts],
            truncation=True,
            max_length=self.window,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )["input_ids"]
        with torch.inference_mode():
            # Results stay on the device until the last batch is under way: a GPU is never waited for in between.
            done = [(rows, self._forward([tokens[row] for row in rows])) for rows in _batches(tokens, self._batch)]
            for rows, vectors in done:
                out[rows] = vectors.cpu().numpy()
        return out

    def _forward(self, tokens: list[list[int]]) -> Any:
        import torch

        width = len(tokens[0])
        pad = self._tokenizer.pad_token_id or 0
        ids = np.full((len(tokens), width), pad, dtype=np.int64)
        mask = np.zeros((len(tokens), width), dtype=np.int64)
        for row, tokens_ in enumerate(tokens):
            ids[row, : len(tokens_)] = tokens_
            mask[row, : len(tokens_)] = 1
        features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        if "token_type_ids" in self._tokenizer.model_input_names:
            features["token_type_ids"] = torch.zeros_like(features["input_ids"])
        features = self._first({name: value.to(self.device, non_blocking=True) for name, value in features.items()})
        if self.numbers == "bfloat16":
            features = {name: _wide(value) for name, value in features.items()}
        for module in self._rest:
            features = module(features)
        return torch.nn.functional.normalize(features["sentence_embedding"].float(), dim=1)


def load_encoder(spec: EncoderSpec, device: str = "auto", numbers: str = "auto") -> SentenceEncoder:
    """Load an encoder on a device: "auto", "cpu", "cuda" or "cuda:<number>".

    `numbers` "auto" is bfloat16 on a GPU and on processors that multiply it, else float32. Raises SourceError if the
    model, a library or the device is missing, or if the weights are unpinned or altered.
    """
    device, chosen = numbers_of(device, numbers)
    return _loaded(locate(spec), device, chosen)


def numbers_of(device: str, numbers: str = "auto") -> tuple[str, Precision]:
    """Return the device and number format, with "auto" resolved for this machine."""
    try:
        import torch
    except ImportError as error:
        raise SourceError("encoders need the library torch", install("retrieval")) from error
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    kind, _, number = device.partition(":")
    if kind not in _BATCH or (number and (kind == "cpu" or not number.isdecimal())):
        raise SourceError(f"got device {device!r}, expected auto, cpu, cuda or cuda:NUMBER", "Correct --device.")
    if kind == "cuda" and (count := torch.cuda.device_count()) <= int(number or 0):
        raise SourceError(f"got device {device!r}, and {count} GPUs can be used here", "Take --device cpu.")
    if numbers not in ("auto", "float32", "bfloat16"):
        raise SourceError(f"got numbers {numbers!r}, expected auto, float32 or bfloat16", "Correct --numbers.")
    if numbers == "auto":
        numbers = "bfloat16" if kind == "cuda" or _multiplies_bfloat16() else "float32"
    return device, "bfloat16" if numbers == "bfloat16" else "float32"


@lru_cache(maxsize=2)
def _loaded(files: EncoderFiles, device: str, numbers: Precision) -> SentenceEncoder:
    return SentenceEncoder(files, device, numbers, _BATCH[device.partition(":")[0]])


def _load(files: EncoderFiles, device: str) -> Any:
    model_class = _model_class(files.name)
    try:
        model = model_class(
            str(files.folder),
            device=device,
            # The files are all here: nothing is looked up on the network, and no code of theirs is run.
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, "dtype": "float32"},
        )
    except Exception as error:  # The library raises its own and the system's errors.
        raise SourceError(
            f"encoder {files.name!r} cannot be loaded from {files.folder} ({type(error).__name__}: {error})",
            "Give a folder that sentence-transformers can open; code that comes with a model is never run.",
        ) from error
    return model.eval()


def _model_class(name: str) -> Any:
    # Read as the Hub's client is imported: it would draw a bar of its own across that of the command.
    silent = "HF_HUB_DISABLE_PROGRESS_BARS"
    before = os.environ.get(silent)
    os.environ[silent] = "1"
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise SourceError(f"encoder {name!r} needs sentence-transformers", install("retrieval")) from error
    finally:
        if before is None:
            del os.environ[silent]
        else:
            os.environ[silent] = before
    return SentenceTransformer


def _batches(tokens: Sequence[Sequence[int]], most: int) -> Iterator[list[int]]:
    """The rows, longest first (ties by number), in batches of at most `most` tokens with padding, or of one row."""
    batch: list[int] = []
    for row in sorted(range(len(tokens)), key=lambda row: (-len(tokens[row]), row)):
        if batch and (len(batch) + 1) * len(tokens[batch[0]]) > most:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _wide(value: Any) -> Any:
    to: Callable[[], Any] | None = getattr(value, "float", None)
    return to() if to is not None and value.is_floating_point() else value


def _readable(text: str) -> str:
    """The text without lone surrogates, which tokenizers reject."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _multiplies_bfloat16() -> bool:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
            flags = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        return False
    return not _FAST_BFLOAT16.isdisjoint(flags.split())


def own_gpu(device: str) -> str:
    """The GPU of this worker: of "cuda", the one that its number in the pool falls on; every other device as it is."""
    if device != "cuda":
        return device
    import torch

    # The pool's processes are named SpawnProcess-1, -2 and so on; any other process takes the first.
    number = current_process().name.rpartition("-")[2]
    count = max(1, torch.cuda.device_count())
    return f"cuda:{(int(number) - 1) % count if number.isdecimal() else 0}"
