"""Dense search: the passages whose vectors have the largest inner products with a question's.

`flat` is exact: FAISS names candidates (on a GPU where FAISS has one), or, for more results than FAISS's limit on GPUs,
half-precision products of whole blocks; either way the scores are those of `exact`, the same on every machine, so that
numbers and scores do not depend on device, threads, block sizes or library. `ivfpq` and `hnsw` may miss passages, but
score those that they find exactly, too. What must not change: results are best first, equal scores by passage number.

Memory is bounded: vectors come in blocks; `ivfpq` holds `code` bytes a passage, `hnsw` half precision and links.
"""

import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from carrara.errors import CarraraError
from carrara.retrieval.exact import Candidates, block_rows, exact_search, rough_candidates, score_pairs, snapped
from carrara.sources.cache import cache_folder

Method = Literal["flat", "ivfpq", "hnsw"]
VERSION: Final = 1
# FAISS on a GPU finds no more; on a CPU blocks are the faster way beyond it as well.
FAISS_LIMIT: Final = 2_048
# Below this many passages every method searches flat: there is too little to train on, and nothing to save.
SMALLEST: Final = 4_096
# Candidates that FAISS gives beyond those asked for, so that one search of a block is mostly enough.
_SPARE: Final = 32


class Vectors(Protocol):
    """What search needs of an index: `retrieval.index.Index` is one."""

    @property
    def digest(self) -> str:
        """Names corpus and encoder."""

    @property
    def size(self) -> int:
        """How many vectors there are."""

    @property
    def dimensions(self) -> int:
        """Coordinates of a vector."""

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
        """Every parameter decided for a corpus and the results asked for."""
        lists = self.lists or max(16, min(65_536, 1 << round(np.log2(4 * size**0.5)), size // 64))
        return replace(
            self,
            lists=lists,
            # An eighth of small corpora, 256 lists of large ones; deep results need more.
            probes=min(lists, self.probes or max(min(256, max(16, lists // 8)), 4 * count * lists // size)),
            code=self.code or _divisor(dimensions, max(8, dimensions // 8)),
            training=min(size, self.training or max(64 * lists, 65_536)),
            searching=max(self.searching or 256, self.candidates * count),
        )


def search_fingerprint(method: Method, settings: Settings | None = None) -> str:
    """What decides which passages a search finds, beside index and questions: the method and its parameters."""
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
    """Numbers and scores of the best `count` passages of each query: shape (queries, count), best first.

    `queries`: shape (q, dimensions), unit length. `device`: "cpu", "cuda", or "auto" for a GPU where there is one.
    Equal scores are ranked by passage number. Raises CarraraError where the index holds fewer than `count` passages
    (a shorter result would pass for a whole one), on queries of another size, and where no GPU is found but asked for.
    """
    if not 1 <= count <= index.size:
        raise CarraraError(
            f"{count} results asked of an index of {index.size} passages", f"ask for 1 to {index.size} results"
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
    if count + _SPARE > FAISS_LIMIT or not _faiss(device):
        return exact_search(blocks, queries, count, device)
    return exact_search(blocks, queries, count, device, _flat_candidates(index.dimensions, count, device))


def _flat_candidates(dimensions: int, count: int, device: str) -> Candidates:
    """Candidates by FAISS's flat index, one block at a time."""
    import faiss
    import torch

    if device == "cuda":
        flat = faiss.GpuIndexFlatIP(faiss.StandardGpuResources(), dimensions)
    else:
        flat = faiss.IndexFlatIP(dimensions)

    def candidates(block: Any, queries: Any, floor: Any, slack: Any) -> tuple[Any, Any]:
        flat.reset()
        flat.add(block.float().cpu().numpy())
        wanted = min(count + _SPARE, len(block))
        found, rows = (torch.from_numpy(array).to(block.device) for array in flat.search(queries.cpu().numpy(), wanted))
        # Where the last one found may still be among the best, equal scores have crowded others out.
        crowded = (found[:, -1] >= floor - slack) if wanted < len(block) else torch.zeros_like(floor, dtype=torch.bool)
        kept = (found >= (floor - slack)[:, None]) & ~crowded[:, None]
        query, place = kept.nonzero(as_tuple=True)
        row = rows[query, place]
        if bool(crowded.any()):
            (those,) = crowded.nonzero(as_tuple=True)
            more, beside = rough_candidates(block, queries[those], floor[those], slack[those])
            query, row = torch.cat([query, those[more]]), torch.cat([row, beside])
        return query, row

    return candidates


def _approximate(
    index: Vectors, queries: NDArray[np.float32], count: int, method: Method, device: str, settings: Settings
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The best of what an approximate index finds, scored exactly; flat for queries that it finds too little for."""
    import faiss

    built = _built(index, method, settings)
    wanted = min(index.size, settings.candidates * count)
    if method == "ivfpq":
        built.nprobe = settings.probes
        if device == "cuda" and max(wanted, settings.probes) <= FAISS_LIMIT and _faiss(device):
            built = faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, built)
    else:
        built.hnsw.efSearch = settings.searching
    asked = snapped(queries)
    _, found = built.search(asked, wanted)
    scores = _exact_scores(index, asked, found)
    scores[found < 0] = -np.inf
    order = np.lexsort((found, -scores), axis=1)[:, :count]
    numbers, best = np.take_along_axis(found, order, axis=1), np.take_along_axis(scores, order, axis=1)
    if (short := (numbers < 0).any(axis=1)).any():
        numbers[short], best[short] = _flat(index, queries[short], count, device)
    return numbers, best


def _exact_scores(index: Vectors, queries: NDArray[np.float32], found: NDArray[np.int64]) -> NDArray[np.float32]:
    """The exact score of every passage found, shape of `found`: one pass over the blocks."""
    import torch

    flat = found.ravel()
    order = np.argsort(flat, kind="stable")
    scores = np.zeros(len(flat), dtype=np.float32)
    asked = torch.from_numpy(queries)
    for first, rows in index.blocks(block_rows("cpu")):
        start, stop = np.searchsorted(flat, [first, first + len(rows)], sorter=order)
        places = order[start:stop]
        if len(places):
            query, row = torch.from_numpy(places // found.shape[1]), torch.from_numpy(flat[places] - first)
            scores[places] = score_pairs(asked, torch.tensor(rows), query, row).numpy()
    return scores.reshape(found.shape)


def _built(index: Vectors, method: Method, settings: Settings) -> Any:
    """FAISS's index, which the cache holds by the digest of the vectors and what decides it, or built and kept there.

    Several threads insert into a graph in no fixed order: two builds of `hnsw` may find different passages.
    """
    import faiss

    kept = replace(settings, probes=0, searching=0, candidates=0)
    key = f"{index.digest} {VERSION} {method} {asdict(kept)} {faiss.__version__}"
    path = cache_folder() / "search" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.faiss"
    if path.is_file():
        return faiss.read_index(str(path))
    if method == "ivfpq":
        # "np": the ordering of codes that FAISS trains otherwise took 33 s of 34 and is not used here.
        built = faiss.index_factory(
            index.dimensions, f"IVF{settings.lists},PQ{settings.code}np", faiss.METRIC_INNER_PRODUCT
        )
        built.train(_sample(index, settings.training))
    else:
        built = faiss.IndexHNSWSQ(
            index.dimensions, faiss.ScalarQuantizer.QT_fp16, settings.links, faiss.METRIC_INNER_PRODUCT
        )
        built.hnsw.efConstruction = settings.building
        # Half precision needs no training, but the index asks for it.
        built.train(np.zeros((1, index.dimensions), dtype=np.float32))
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
    """ "cpu" or "cuda"."""
    import torch

    there = torch.cuda.is_available()
    if device not in ("auto", "cpu", "cuda") or (device == "cuda" and not there):
        raise CarraraError(f"no device {device!r} for search here", 'give "auto" or "cpu"')
    return "cuda" if there and device != "cpu" else "cpu"


def _faiss(device: str) -> bool:
    """Whether FAISS is here for a device: without it, blocks give the same result."""
    try:
        import faiss
    except ImportError:
        return False
    return device == "cpu" or bool(getattr(faiss, "get_num_gpus", int)())
