"""The index of a corpus: a vector for every passage, in half precision, in shards of fixed ranges of passages.

A shard is the unit of commit: first `shard-00000.npy`, synced and renamed, then its sidecar with hash and key;
`index.json` comes last. A killed run continues after the complete shards. The batches of a shard depend on its passages
alone, so that on one machine the bytes are the same for any number of workers and interruptions. Another machine may
round differently; a release contains the frozen run, not the index.

Must not change, or every index has to be rebuilt: shard names, the range of a shard, the key, the content of `digest`.
"""

import hashlib
import io
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from carrara.engine import processes
from carrara.engine import ray as engine_ray
from carrara.engine.files import file_sha256, owned, write_bytes, write_json
from carrara.engine.processes import Engine, Watch
from carrara.errors import CarraraError, SourceError
from carrara.retrieval.corpus import PassageCorpus
from carrara.retrieval.encoder import TextEncoder, load_encoder, numbers_of, own_gpu
from carrara.retrieval.encoder_files import EncoderSpec, locate
from carrara.row import canonical_json

SHARD_ROWS: Final = 8_192
_BEGUN: Final = "begun.json"
_DONE: Final = "index.json"


@dataclass(frozen=True, slots=True)
class _Key:
    """What decides a shard's vectors: the digests of corpus and encoder, the number format, passages a shard."""

    corpus: str
    encoder: str
    numbers: str
    rows: int

    def digest(self) -> str:
        return hashlib.sha256(canonical_json(asdict(self)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _ShardFacts:
    """The sidecar of a shard: the digest of its key, the sha256 of its file, and its shape."""

    key: str
    sha256: str
    rows: int
    dimensions: int


@dataclass(frozen=True, slots=True)
class _IndexFacts:
    """What index.json says of a finished index; `shards` are the hashes of their files, `digest` is over the key's."""

    corpus: str
    encoder: str
    numbers: str
    shards: list[str]
    corpus_name: str
    encoder_name: str
    digest: str
    size: int
    dimensions: int


class Index:
    """The vectors of a finished index, read through memory maps; the hash of every shard has been checked."""

    def __init__(self, folder: Path, facts: _IndexFacts) -> None:
        self.folder = folder
        self.digest = facts.digest
        self.corpus = facts.corpus
        self.encoder = facts.encoder
        self.numbers = facts.numbers
        self.size = facts.size
        self.dimensions = facts.dimensions
        names = [folder / _name(number) for number in range(len(facts.shards))]
        self._shards: list[NDArray[np.float16]] = [np.load(name, mmap_mode="r") for name in names]

    def blocks(self, rows: int) -> Iterator[tuple[int, NDArray[np.float16]]]:
        """(first passage, its vectors and those after it): `rows` rows in every block but the last.

        What lies in one shard is a view of the map; what spans several is copied.
        """
        each = len(self._shards[0])
        for start in range(0, self.size, rows):
            stop = min(start + rows, self.size)
            numbers = range(start // each, (stop - 1) // each + 1)
            parts = [self._shards[n][max(0, start - n * each) : stop - n * each] for n in numbers]
            yield start, parts[0] if len(parts) == 1 else np.concatenate(parts)

    def rows(self, numbers: NDArray[np.int64]) -> NDArray[np.float16]:
        """The vectors of these passages, in that order: shape (n, dimensions)."""
        each = len(self._shards[0])
        out = np.empty((len(numbers), self.dimensions), dtype=np.float16)
        shards = numbers // each
        for shard in np.unique(shards):
            at = np.flatnonzero(shards == shard)
            out[at] = self._shards[shard][numbers[at] - shard * each]
        return out


def build_index(
    corpus: PassageCorpus,
    spec: EncoderSpec,
    folder: Path,
    *,
    watch: Watch,
    device: str = "auto",
    numbers: str = "auto",
    workers: int = 1,
    engine: Engine = "processes",
    shard_rows: int = SHARD_ROWS,
) -> Index:
    """Encode a corpus into a folder, or continue an unfinished index there, and open it.

    Shards that are whole are kept; torn or altered ones are named and made anew. `numbers` is the number format that
    the encoder computes in, "auto" the one that the folder was begun with, else the device's. Raises SourceError
    where the folder is of another corpus, encoder, number format or shard size, CarraraError where another process
    owns it.
    """
    files = locate(spec)
    _makedirs(folder)
    with owned(folder, "index"):
        begun = _begun(folder)
        if begun is not None and numbers == "auto":
            numbers = begun.numbers
        device, numbers = _format(device, numbers, workers, engine)
        key = _Key(corpus.digest, files.fingerprint, numbers, shard_rows)
        _mark(folder, begun, key)
        shards = _make(corpus, spec, folder, key, _How(device, workers, engine), watch)
        _finish(folder, corpus, files.name, key, shards)
    return Index(folder, _finished(folder))


def open_index(folder: Path, corpus_digest: str, encoder_fingerprint: str) -> Index:
    """Open the finished index in a folder and check the hash of every shard.

    Raises SourceError if there is none, if it belongs to another corpus or encoder, or if a shard is missing or
    altered; the message names the shard.
    """
    try:
        facts = _finished(folder)
    except (OSError, ValueError) as error:
        begun = sum(1 for _ in folder.glob("shard-*.json"))
        raise SourceError(
            f"index {folder}: got {f'{begun} shards of an unfinished index' if begun else 'no index'}, expected a "
            "finished one",
            "Make it with carrara index, which continues an unfinished one.",
        ) from error
    for what, got, expected in (
        ("corpus", facts.corpus, corpus_digest),
        ("encoder", facts.encoder, encoder_fingerprint),
    ):
        if got != expected:
            raise SourceError(
                f"index {folder}: got one of the {what} {got}, expected {expected}",
                f"Name the index of this {what}, or make it: carrara index CORPUS --out FOLDER.",
            )
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        hashes = list(pool.map(_hash, [folder / _name(number) for number in range(len(facts.shards))]))
    for number, (got, expected) in enumerate(zip(hashes, facts.shards, strict=True)):
        if got != expected:
            raise SourceError(
                f"index {folder}: got {_name(number)} of sha256 {got or '(no such file)'}, expected {expected}",
                "Run the same carrara index again: it rebuilds this shard.",
            )
    return Index(folder, facts)


class _How(NamedTuple):
    device: str
    workers: int
    engine: Engine


@dataclass(frozen=True, slots=True)
class _Job:
    """The texts of one shard. They travel, not the corpus's file: another host has none."""

    number: int
    texts: list[str]


def _make(
    corpus: PassageCorpus, spec: EncoderSpec, folder: Path, key: _Key, how: _How, watch: Watch
) -> list[_ShardFacts]:
    """The sidecars of all shards in order; what is not there yet is made."""
    each = key.rows
    ranges = [(start, min(start + each, corpus.size)) for start in range(0, corpus.size, each)]
    watch.start("passages", corpus.size)
    done: dict[int, _ShardFacts] = {}
    for number, (start, stop) in enumerate(ranges):
        if (kept := _kept(folder, number, key, stop - start, watch)) is not None:
            done[number] = kept
            watch.advance("passages", stop - start, 0)
    if done and len(done) < len(ranges):
        watch.note(f"going on: {len(done):,} of {len(ranges):,} shards are whole")
    elif not done:
        watch.note(f"encoding {corpus.size:,} passages; each {min(each, corpus.size):,} of them are kept once done")
    jobs = (_Job(n, corpus.texts(*bounds)) for n, bounds in enumerate(ranges) if n not in done)
    for job, vectors in _run(jobs, how, _arguments(spec, key, how)):
        done[job.number] = _commit(folder, job.number, vectors, key)
        watch.advance("passages", len(vectors), 0)
    return [done[number] for number in range(len(ranges))]


def _run(jobs: Iterator[_Job], how: _How, arguments: tuple[Any, ...]) -> Iterator[tuple[_Job, NDArray[np.float16]]]:
    if how.engine == "ray":
        gpus = 1.0 if how.device.startswith("cuda") else 0.0
        return engine_ray.run(jobs, _encode, workers=how.workers, start=_start, arguments=arguments, gpus=gpus)
    return processes.run(jobs, _encode, workers=how.workers, start=_start, arguments=arguments, hurry=True)


def _arguments(spec: EncoderSpec, key: _Key, how: _How) -> tuple[Any, ...]:
    # One process uses every core; several share them out, or they would get in each other's way. An actor has one.
    threads = 0 if how.workers <= 1 else max(1, (os.cpu_count() or 1) // how.workers)
    return spec, how.device, key.numbers, 1 if how.engine == "ray" else threads


def _commit(folder: Path, number: int, vectors: NDArray[np.float16], key: _Key) -> _ShardFacts:
    buffer = io.BytesIO()
    np.save(buffer, vectors, allow_pickle=False)
    data = buffer.getvalue()
    write_bytes(folder / _name(number), data)
    facts = _ShardFacts(key.digest(), hashlib.sha256(data).hexdigest(), len(vectors), vectors.shape[1])
    write_json(_sidecar(folder, number), asdict(facts))
    return facts


def _kept(folder: Path, number: int, key: _Key, rows: int, watch: Watch) -> _ShardFacts | None:
    """The sidecar of a shard that an earlier run finished, if the shard is whole and of the same key."""
    try:
        facts = TypeAdapter(_ShardFacts).validate_json(_sidecar(folder, number).read_bytes())
    except (OSError, ValueError):
        return None
    if facts.key != key.digest() or facts.rows != rows:
        return None
    if (got := _hash(folder / _name(number))) != facts.sha256:
        fault = f"got sha256 {got}, expected {facts.sha256}" if got else "it is missing"
        watch.note(f"{_name(number)} is not what was written ({fault}): making it anew")
        return None
    return facts


def _finish(folder: Path, corpus: PassageCorpus, encoder: str, key: _Key, shards: list[_ShardFacts]) -> None:
    content = {
        "corpus": key.corpus,
        "encoder": key.encoder,
        "numbers": key.numbers,
        "shards": [shard.sha256 for shard in shards],
    }
    digest = hashlib.sha256(canonical_json(content).encode()).hexdigest()
    size, dimensions = sum(shard.rows for shard in shards), shards[0].dimensions
    names = {"corpus_name": corpus.name, "encoder_name": encoder}
    write_json(folder / _DONE, {**content, **names, "digest": digest, "size": size, "dimensions": dimensions})


def _start(spec: EncoderSpec, device: str, numbers: str, threads: int) -> TextEncoder:
    if threads:
        import torch

        torch.set_num_threads(threads)
    return load_encoder(spec, own_gpu(device), numbers)


def _encode(encoder: TextEncoder, job: _Job) -> NDArray[np.float16]:
    vectors: NDArray[np.float16] = encoder.encode(job.texts, "passage").astype(np.float16)
    return vectors


def _format(device: str, numbers: str, workers: int, engine: Engine) -> tuple[str, str]:
    """The device and the number format of the workers, which on Ray may have GPUs where this host has none."""
    if engine == "ray" and device != "cpu":
        if device == "auto" and engine_ray.connect(workers).cluster_resources().get("GPU", 0) < 1:
            return numbers_of("cpu", numbers)
        return "cuda", "bfloat16" if numbers == "auto" else numbers
    return numbers_of(device, numbers)


def _begun(folder: Path) -> _Key | None:
    try:
        return TypeAdapter(_Key).validate_json((folder / _BEGUN).read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise SourceError(
            f"index {folder}: {_BEGUN} is not what carrara index writes", "Give another --out, or remove the folder."
        ) from error


def _mark(folder: Path, begun: _Key | None, key: _Key) -> None:
    """Write down whose folder it is. What is of another corpus or encoder may have taken days: it is not replaced."""
    for torn in folder.glob(".*.tmp"):
        torn.unlink()
    if begun is None:
        write_json(folder / _BEGUN, asdict(key))
        return
    for label, got, expected in (
        ("the corpus", begun.corpus, key.corpus),
        ("the encoder", begun.encoder, key.encoder),
        ("numbers", begun.numbers, key.numbers),
        ("passages a shard:", begun.rows, key.rows),
    ):
        if got != expected:
            raise SourceError(
                f"index {folder}: got an index of {label} {got}, expected {expected}",
                "Give another --out, or remove the folder if it is not wanted.",
            )


def _makedirs(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CarraraError(f"cannot make {folder}: {error.strerror or error}", "give another --out") from error


def _finished(folder: Path) -> _IndexFacts:
    """What index.json says. Raises OSError or ValueError where there is none, or another file of that name."""
    return TypeAdapter(_IndexFacts).validate_json((folder / _DONE).read_bytes())


def _hash(path: Path) -> str:
    try:
        return file_sha256(path)
    except FileNotFoundError:
        return ""


def _name(number: int) -> str:
    return f"shard-{number:05d}.npy"


def _sidecar(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:05d}.json"
