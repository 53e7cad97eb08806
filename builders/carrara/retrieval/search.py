"""Dense search: the passages whose vectors have the largest inner products with that of a question.

`flat` is exact. FAISS selects candidates block by block, on a GPU if it supports one; for more results than FAISS
handles well, products of whole blocks do. Either way the scores are those of `exact`, so that numbers and scores do not
depend on machine, device, threads, block sizes or library. `ivfpq` and `hnsw` may miss passages, but score exactly what
they find. Results must stay best first, equal scores by passage number.

Memory is bounded: vectors come in blocks; `ivfpq` keeps `code` bytes for each passage, `hnsw` half precision and links.
"""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from carrara.engine.files import cache_folder
from carrara.errors import CarraraError
from carrara.retrieval.exact import CandidateSearch, block_rows, exact_search, rough_candidates, score_pairs, snapped
from carrara.text.extras import install

Method = Literal["flat", "ivfpq", "hnsw"]
VERSION: Final = 1
# FAISS finds no more than 2,048 on a GPU; on a CPU blocks are the faster way from some hundreds on (the best 1,000 of
# 60,000 x 384 vectors for 500 questions, one thread: 2.0 s against 4.0 s).
FAISS_LIMIT: Final = {"cpu": 256, "cuda": 2_048}
# Below this many passages every method searches flat: there is too little to train on, and nothing to save.
SMALLEST: Final = 4_096
# Candidates that FAISS gives beyond those asked for, so that one search of a block is mostly enough.
_SPARE: Final = 32


class Vectors(Protocol):
    """The part of an index that search needs; `retrieval.index.Index` has it."""

    @property
    def digest(self) -> str:
        """Names corpus and encoder."""

    @property
    def size(self) -> int:
        """The number of vectors."""

    @property
    def dimensions(self) -> int:
        """The number of coordinates of a vector."""

    def blocks(self, rows: int) -> Iterator[tuple[int, NDArray[np.float16]]]:
        """Every vector in order: number of the first, at most `rows` vectors."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Parameters of the approximate methods; 0: decided by the size of the corpus."""

    # ivfpq: lists of the coarse quantiser, lists read per query, bytes of a vector's code, vectors trained on.
    lists: int = 0
    probes: int = 0
    code: int = 0
    training: int = 0
    # hnsw: links of a vector, candidates held while building, candidates held while searching.
    links: int = 32
    building: int = 128
    searching: int = 0
    # Found and scored exactly for each result that is asked for.
    candidates: int = 4

    def resolved(self, size: int, dimensions: int, count: int) -> "Settings":
        """Return the settings with every 0 replaced, for a corpus and a number of results."""
        lists = self.lists or max(16, min(65_536, 1 << round(np.log2(4 * size**0.5)), size // 64))
        return replace(
            self,
            lists=lists,
            # A quarter of small corpora, 256 lists of large ones; deep results need more.
            probes=min(lists, self.probes or max(min(256, max(16, lists // 4)), 4 * count * lists // size)),
            # FAISS on a GPU takes 96 bytes and no more.
            code=self.code or _divisor(dimensions, min(96, max(8, dimensions // 4))),
            training=min(size, self.training or max(64 * lists, 65_536)),
            searching=max(self.searching or 256, self.candidates * count),
        )


def search_fingerprint(method: Method, settings: Settings | None = None) -> str:
    """Return the fingerprint of the method and its parameters, which decide the results for an index and questions."""
    if method == "flat":
        return f"flat/{VERSION}"
    named = ("lists", "probes", "code", "training") if method == "ivfpq" else ("links", "building", "searching")
    table = asdict(settings or Settings())
    return f"{method}/{VERSION} " + " ".join(f"{name}={table[name] or 'auto'}" for name in (*named, "candidates"))


def search(
    index: Vectors,
    queries: NDArray[np.float32],
    count: int,
    method: Method = "flat",
    device: str = "auto",
    settings: Settings | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return numbers and scores of the best `count` passages of each query: shape (queries, count), best first.

    `queries`: shape (q, dimensions), unit length. `device`: "cpu", "cuda", "cuda:1", or "auto" for a GPU if there is
    one. Equal scores are ranked by passage number. Raises CarraraError if the index has fewer than `count` passages,
    for queries of another size, and for a missing device.
    """
    if not 1 <= count <= index.size:
        raise CarraraError(
            f"got a request for {count} results from {index.size} passages", f"ask for 1 to {index.size} results"
        )
    if queries.ndim != 2 or queries.shape[1] != index.dimensions:
        raise CarraraError(
            f"queries of shape {queries.shape}, but the index holds vectors of {index.dimensions} coordinates",
            "encode the questions with the encoder of the index",
        )
    chosen = _device(device)
    if method == "flat" or index.size < SMALLEST:
        return _flat(index, queries, count, chosen)
    tuned = (settings or Settings()).resolved(index.size, index.dimensions, count)
    # FAISS's graph has no GPU form.
    return _approximate(index, queries, count, method, "cpu" if method == "hnsw" else chosen, tuned)


def _flat(
    index: Vectors, queries: NDArray[np.float32], count: int, device: str
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    blocks = index.blocks(block_rows(device))
    by_faiss = count + _SPARE <= _limit(device) and _faiss(device)
    return exact_search(blocks, queries, count, device, flat_candidates(count, device) if by_faiss else None)


def flat_candidates(count: int, device: str) -> CandidateSearch:
    """Candidates by FAISS's exact search of one block at a time, in the device's rough precision."""
    import faiss
    import torch

    if device != "cpu":
        # Lets FAISS take tensors where they lie.
        import faiss.contrib.torch_utils

        resources = faiss.StandardGpuResources()

    def nearest(queries: Any, block: Any, wanted: int) -> tuple[Any, Any]:
        if device != "cpu":
            number, product = block.device.index, faiss.METRIC_INNER_PRODUCT
            return faiss.knn_gpu(resources, queries.half(), block.half(), wanted, metric=product, device=number)
        products = faiss.knn(queries.numpy(), block.float().numpy(), wanted, metric=faiss.METRIC_INNER_PRODUCT)
        return torch.from_numpy(products[0]), torch.from_numpy(products[1])

    def candidates(block: Any, queries: Any, floor: Any, slack: Any) -> Any:
        wanted = min(count + _SPARE, len(block))
        scores, rows = nearest(queries, block, wanted)
        near = scores >= (floor - slack)[:, None]
        mask = torch.zeros((len(queries), len(block)), dtype=torch.bool, device=block.device)
        mask.scatter_(1, rows, near)
        # Where the last one found may still be among the best, equal scores have crowded others out.
        (crowded,) = (near[:, -1] & (wanted < len(block))).nonzero(as_tuple=True)
        if len(crowded):
            mask[crowded] = rough_candidates(block, queries[crowded], floor[crowded], slack[crowded])
        return mask

    return candidates


def _approximate(
    index: Vectors, queries: NDArray[np.float32], count: int, method: Method, device: str, settings: Settings
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The best of what an approximate index finds, scored exactly; flat for queries that it finds too little for."""
    if not _faiss("cpu"):
        raise CarraraError(f"method {method!r} needs FAISS", f"{install('retrieval')}, or search flat")
    import faiss

    built = _built(index, method, settings)
    wanted = min(index.size, settings.candidates * count)
    if method == "ivfpq":
        built.nprobe = settings.probes
        if device != "cpu" and max(wanted, settings.probes) <= _limit(device) and _faiss(device):
            options = faiss.GpuClonerOptions()
            # Tables of codes this long fit its shared memory in half precision only.
            options.useFloat16 = True
            number = int(device.partition(":")[2] or 0)
            built = faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), number, built, options)
    else:
        built.hnsw.efSearch = settings.searching
    asked = snapped(queries)
    _, neighbours = built.search(asked, wanted)
    scores = _exact_scores(index, asked, neighbours)
    scores[neighbours < 0] = -np.inf
    order = np.lexsort((neighbours, -scores), axis=1)[:, :count]
    numbers, best = np.take_along_axis(neighbours, order, axis=1), np.take_along_axis(scores, order, axis=1)
    if (short := (numbers < 0).any(axis=1)).any():
        numbers[short], best[short] = _flat(index, queries[short], count, device)
    return numbers, best


def _exact_scores(index: Vectors, queries: NDArray[np.float32], neighbours: NDArray[np.int64]) -> NDArray[np.float32]:
    """The exact score of every passage found, shape of `neighbours`: one pass over the blocks."""
    import torch

    flat = neighbours.ravel()
    order = np.argsort(flat, kind="stable")
    scores = np.zeros(len(flat), dtype=np.float32)
    asked = torch.from_numpy(queries)
    for first, rows in index.blocks(block_rows("cpu")):
        start, stop = np.searchsorted(flat, [first, first + len(rows)], sorter=order)
        places = order[start:stop]
        if len(places):
            query, row = torch.from_numpy(places // neighbours.shape[1]), torch.from_numpy(flat[places] - first)
            scores[places] = score_pairs(asked, torch.tensor(rows), query, row).numpy()
    return scores.reshape(neighbours.shape)


def _built(index: Vectors, method: Method, settings: Settings) -> Any:
    """FAISS's index, which the cache holds by the digest of the vectors and what decides it, or built and kept there.

    Several threads insert into a graph in no fixed order: two builds of `hnsw` may find different passages.
    """
    import faiss

    kept = replace(settings, probes=0, searching=0, candidates=0)
    key = f"{index.digest} {VERSION} {method} {asdict(kept)} {faiss.__version__}"
    path = cache_folder() / "search" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.faiss"
    # A torn file is made anew.
    with suppress(RuntimeError):
        return faiss.read_index(str(path))
    # "np": the order of codes that FAISS trains otherwise took 33 s of 34 and is not used here.
    form = f"IVF{settings.lists},PQ{settings.code}np" if method == "ivfpq" else f"HNSW{settings.links}_SQfp16"
    built: Any = faiss.index_factory(index.dimensions, form, faiss.METRIC_INNER_PRODUCT)
    if method == "hnsw":
        built.hnsw.efConstruction = settings.building
    built.train(_sample(index, settings.training))
    for _, rows in index.blocks(block_rows("cpu")):
        built.add(rows.astype(np.float32))
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".made-", dir=path.parent) as folder:
        faiss.write_index(built, str(Path(folder) / "index"))
        (Path(folder) / "index").replace(path)
    return built


def _sample(index: Vectors, wanted: int) -> NDArray[np.float32]:
    """`wanted` vectors, evenly spaced over the corpus, single precision."""
    numbers = np.arange(wanted, dtype=np.int64) * index.size // wanted
    chosen = np.empty((wanted, index.dimensions), dtype=np.float32)
    for first, rows in index.blocks(block_rows("cpu")):
        start, stop = np.searchsorted(numbers, [first, first + len(rows)])
        chosen[start:stop] = rows[numbers[start:stop] - first]
    return chosen


def _divisor(dimensions: int, most: int) -> int:
    """The largest divisor of `dimensions` that is at most `most`."""
    return max(part for part in range(1, min(most, dimensions) + 1) if dimensions % part == 0)


def _device(device: str) -> str:
    """ "cpu", "cuda" or "cuda:NUMBER"."""
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    kind, _, number = device.partition(":")
    if device == "cpu" or (
        kind == "cuda" and f"0{number}".isdecimal() and int(f"0{number}") < torch.cuda.device_count()
    ):
        return device
    raise CarraraError(f"no device {device!r} for search here", 'give "auto", "cpu" or the "cuda:NUMBER" of a GPU')


def _faiss(device: str) -> bool:
    """Whether FAISS is here for a device: without it, blocks give the same result."""
    try:
        import faiss
    except ImportError:
        return False
    return device == "cpu" or bool(getattr(faiss, "get_num_gpus", int)())


def _limit(device: str) -> int:
    return FAISS_LIMIT[device.partition(":")[0]]
