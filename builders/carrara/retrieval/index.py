"""The index of a corpus: a vector for every passage, in half precision, in shards of fixed ranges of passages.

A shard is the unit of commit: `shard-00000.npy`, synced and renamed, then its sidecar with hash and key; `index.json`
comes last. A killed run goes on after the shards that are whole. A shard's batches depend on its passages alone: on
one machine the bytes are the same however often it is killed and however many workers there are. Another machine
may round otherwise; the frozen run, not the index, is what travels with a release.

Must not change, or every index is made anew: shard names, the range of a shard, the key, what `digest` is over.
"""

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carrara.engine import processes
from carrara.engine import ray as engine_ray
from carrara.engine.files import file_sha256, owned, write_bytes, write_json
from carrara.engine.processes import Watch
from carrara.errors import CarraraError, SourceError
from carrara.retrieval.corpus import PassageCorpus
from carrara.retrieval.encoder import TextEncoder, load_encoder, numbers_of, own_gpu
from carrara.retrieval.encoder_files import EncoderSpec, locate
from carrara.row import canonical_json

Engine = Literal["processes", "ray"]

SHARD_ROWS: Final = 8_192
_BEGUN: Final = "begun.json"
_DONE: Final = "index.json"


class Index:
    """The vectors of a finished index, read through memory maps. Every shard has been held against its hash."""

    def __init__(self, folder: Path, content: Mapping[str, Any]) -> None:
        self.folder = folder
        self.digest: str = content["digest"]
        self.corpus: str = content["corpus"]
        self.encoder: str = content["encoder"]
        self.numbers: str = content["numbers"]
        self.size: int = content["size"]
        self.dimensions: int = content["dimensions"]
        names = [folder / _name(number) for number in range(len(content["shards"]))]
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
    """Encode a corpus into a folder, or go on with what is begun there, and open the index.

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
            numbers = begun.get("numbers", numbers)
        device, numbers = _format(device, numbers, workers, engine)
        key = {"corpus": corpus.digest, "encoder": files.fingerprint, "numbers": numbers, "rows": shard_rows}
        _mark(folder, begun, key)
        shards = _make(corpus, spec, folder, key, _How(device, workers, engine), watch)
        _finish(folder, corpus, files.name, key, shards)
    return Index(folder, _read(folder / _DONE))


def open_index(folder: Path, corpus_digest: str, encoder_fingerprint: str) -> Index:
    """The finished index in a folder, every shard held against its hash.

    Raises SourceError where there is none, where it is of another corpus or encoder, and naming a shard that is
    missing or altered.
    """
    try:
        content = _read(folder / _DONE)
    except (OSError, ValueError) as error:
        begun = sum(1 for _ in folder.glob("shard-*.json"))
        raise SourceError(
            f"index {folder}: got {f'{begun} shards of an unfinished index' if begun else 'no index'}, expected a "
            "finished one",
            "Make it with carrara index; what is begun goes on.",
        ) from error
    for what, got, expected in (
        ("corpus", content["corpus"], corpus_digest),
        ("encoder", content["encoder"], encoder_fingerprint),
    ):
        if got != expected:
            raise SourceError(
                f"index {folder}: got one of the {what} {got}, expected {expected}",
                f"Name the index of this {what}, or make it: carrara index CORPUS --out FOLDER.",
            )
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        hashes = list(pool.map(_hash, [folder / _name(number) for number in range(len(content["shards"]))]))
    for number, (got, expected) in enumerate(zip(hashes, content["shards"], strict=True)):
        if got != expected:
            raise SourceError(
                f"index {folder}: got {_name(number)} of sha256 {got or '(no such file)'}, expected {expected}",
                "Run the same carrara index again: it makes this shard anew.",
            )
    return Index(folder, content)


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
    corpus: PassageCorpus, spec: EncoderSpec, folder: Path, key: Mapping[str, Any], how: _How, watch: Watch
) -> list[dict[str, Any]]:
    """The sidecars of all shards in order; what is not there yet is made."""
    each: int = key["rows"]
    ranges = [(start, min(start + each, corpus.size)) for start in range(0, corpus.size, each)]
    watch.start("passages", corpus.size)
    done: dict[int, dict[str, Any]] = {}
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


def _arguments(spec: EncoderSpec, key: Mapping[str, Any], how: _How) -> tuple[Any, ...]:
    # One process uses every core; several share them out, or they would get in each other's way. An actor has one.
    threads = 0 if how.workers <= 1 else max(1, (os.cpu_count() or 1) // how.workers)
    return spec, how.device, key["numbers"], 1 if how.engine == "ray" else threads


def _commit(folder: Path, number: int, vectors: NDArray[np.float16], key: Mapping[str, Any]) -> dict[str, Any]:
    buffer = io.BytesIO()
    np.save(buffer, vectors, allow_pickle=False)
    data = buffer.getvalue()
    write_bytes(folder / _name(number), data)
    sidecar = {
        "key": _hashed(key),
        "sha256": hashlib.sha256(data).hexdigest(),
        "rows": len(vectors),
        "dimensions": vectors.shape[1],
    }
    write_json(_sidecar(folder, number), sidecar)
    return sidecar


def _kept(folder: Path, number: int, key: Mapping[str, Any], rows: int, watch: Watch) -> dict[str, Any] | None:
    """The sidecar of a shard that an earlier run finished, if the shard is whole and of the same key."""
    try:
        sidecar = _read(_sidecar(folder, number))
    except (OSError, ValueError):
        return None
    if sidecar.get("key") != _hashed(key) or sidecar.get("rows") != rows:
        return None
    if (got := _hash(folder / _name(number))) != sidecar.get("sha256"):
        fault = f"got sha256 {got}, expected {sidecar.get('sha256')}" if got else "it is missing"
        watch.note(f"{_name(number)} is not what was written ({fault}): making it anew")
        return None
    return sidecar


def _finish(
    folder: Path, corpus: PassageCorpus, encoder: str, key: Mapping[str, Any], shards: list[dict[str, Any]]
) -> None:
    content = {
        "corpus": key["corpus"],
        "encoder": key["encoder"],
        "numbers": key["numbers"],
        "shards": [shard["sha256"] for shard in shards],
    }
    digest = hashlib.sha256(canonical_json(content).encode()).hexdigest()
    size, dimensions = sum(shard["rows"] for shard in shards), shards[0]["dimensions"]
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


def _begun(folder: Path) -> dict[str, Any] | None:
    try:
        return _read(folder / _BEGUN)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise SourceError(
            f"index {folder}: {_BEGUN} cannot be read as JSON", "Give another --out, or remove the folder."
        ) from error


def _mark(folder: Path, begun: Mapping[str, Any] | None, key: Mapping[str, Any]) -> None:
    """Write down whose folder it is. What is of another corpus or encoder may have taken days: it is not replaced."""
    for torn in folder.glob(".*.tmp"):
        torn.unlink()
    if begun is None:
        write_json(folder / _BEGUN, key)
        return
    words = {"corpus": "the corpus", "encoder": "the encoder", "numbers": "numbers", "rows": "passages a shard:"}
    for name, label in words.items():
        if begun.get(name) != key[name]:
            raise SourceError(
                f"index {folder}: got an index of {label} {begun.get(name)}, expected {key[name]}",
                "Give another --out, or remove the folder if it is not wanted.",
            )


def _makedirs(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CarraraError(f"cannot make {folder}: {error.strerror or error}", "give another --out") from error


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _hash(path: Path) -> str:
    try:
        return file_sha256(path)
    except FileNotFoundError:
        return ""


def _hashed(key: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical_json(key).encode()).hexdigest()


def _name(number: int) -> str:
    return f"shard-{number:05d}.npy"


def _sidecar(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:05d}.json"
