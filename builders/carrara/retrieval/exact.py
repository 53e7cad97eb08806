"""Exact search of the best inner products, block by block, on a CPU or a GPU, for any number of results.

A fast rough score (half precision on a GPU, single on a CPU) names every vector of a block that may still be among the
best; those alone are scored exactly. What must not change: the exact score is the same number on every machine.
Queries are rounded to multiples of 2^-24, where stored half-precision vectors lie too: products are multiples of 2^-48
and, vectors having about unit length, no sum of them needs more than the 53 bits of a double, in any order. It is then
rounded once, to single precision; equal scores are ranked by passage number.

The running best of a query are integers: the score's bits in front, the passage number behind, so that one integer
sort is the whole ranking.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from carrara.errors import CarraraError

GRID: Final = 2.0**-24
# A sum of multiples of 2^-48 below 32 fits a double.
_LONGEST: Final = 32.0
_LOW: Final = 0xFFFF_FFFF
_NOTHING: Final = -(2**63)
# Rough scores held at once, and elements of vectors gathered at once for exact scores.
_ROUGH: Final = {"cpu": 2**25, "cuda": 2**28}
_GATHERED: Final = {"cpu": 2**22, "cuda": 2**27}

# What names the candidates of a block: (block, queries, floor (q,), slack (q,)) to pairs (query, row) of a block; every
# pair whose exact score may reach its floor must be among them. No pairs: the block decides by its own rough scores.
Candidates = Callable[[Any, Any, Any, Any], tuple[Any, Any]]


def block_rows(device: str) -> int:
    """Rows of a block that suit a device: small enough for its memory, large enough to be busy."""
    return 262_144 if device == "cuda" else 16_384


def snapped(queries: NDArray[np.float32]) -> NDArray[np.float32]:
    """Queries of shape (q, d) rounded to multiples of 2^-24, which single precision holds exactly up to 1.

    Raises CarraraError where one is not a number, or is far from unit length.
    """
    rounded = (np.round(np.asarray(queries, dtype=np.float64) / GRID) * GRID).astype(np.float32)
    if rounded.ndim != 2 or not np.isfinite(rounded).all():
        raise CarraraError("queries are not a table of finite numbers", "give an array of shape (queries, dimensions)")
    if rounded.size and float(np.abs(rounded).max()) > 1:
        raise CarraraError("a query has a coordinate beyond 1", "search takes vectors of unit length: normalise them")
    return rounded


def exact_search(
    blocks: Iterable[tuple[int, Any]],
    queries: NDArray[np.float32],
    count: int,
    device: str,
    candidates: Candidates | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Numbers and scores of the best `count` vectors of each query, best first, equal scores by number.

    `blocks`: (number of the first vector, half-precision vectors (rows, d), array or tensor). Both results have the
    shape (queries, count); a place that no vector fills holds -1 and minus infinity.
    """
    import torch

    asked = torch.from_numpy(snapped(queries)).to(device)
    best = torch.full((len(asked), count), _NOTHING, dtype=torch.int64, device=device)
    for first, rows in blocks:
        # A copy: the array may be a read-only map of a file.
        block = rows.to(device) if isinstance(rows, torch.Tensor) else torch.tensor(rows).to(device)
        longest = _longest(asked, block)
        step = max(1, _ROUGH[device] // max(len(block), 1))
        for start in range(0, len(asked), step):
            part = slice(start, start + step)
            best[part] = _advanced(best[part], asked[part], block, first, longest[part], candidates or rough_candidates)
    return _opened(best)


def score_pairs(queries: Any, block: Any, query: Any, row: Any) -> Any:
    """The exact score of each pair (query, row): shape (p,), single precision."""
    import torch

    scores = torch.empty(len(query), dtype=torch.float32, device=block.device)
    step = max(1, _GATHERED[block.device.type] // max(block.shape[1], 1))
    for start in range(0, len(query), step):
        part = slice(start, start + step)
        products = queries[query[part]].double().mul_(block[row[part]])
        # Adding 0 makes -0 a 0, which ranks with it.
        scores[part] = products.sum(1).float() + 0.0
    return scores


def rough_candidates(block: Any, queries: Any, floor: Any, slack: Any) -> tuple[Any, Any]:
    """All pairs whose rough score reaches floor - slack: half precision with sums in single on a GPU, else single."""
    scores = rough_scores(queries, block)
    found = (scores >= (floor - slack)[:, None]).nonzero()
    return found[:, 0], found[:, 1]


def rough_scores(queries: Any, block: Any) -> Any:
    """Rough scores of every pair, shape (q, rows)."""
    import torch

    if block.device.type == "cpu":
        return queries @ block.float().T
    allowed = torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    try:
        return (queries.half() @ block.half().T).float()
    finally:
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = allowed


def _longest(queries: Any, block: Any) -> Any:
    """The largest product of lengths that each query has with a vector of the block; refuses what is not exact."""
    lengths = queries.double().norm(dim=1)
    widest = lengths * (float(block.float().norm(dim=1).max()) if len(block) else 0.0)
    if not bool((widest < _LONGEST).all()):
        raise CarraraError(
            "vectors of the index are not finite, or far from unit length", "encode the corpus again: `carrara index`"
        )
    return widest.float()


def _advanced(best: Any, queries: Any, block: Any, first: int, longest: Any, candidates: Candidates) -> Any:
    """The running best with a block's vectors merged in."""
    import torch

    count, rows = best.shape[1], len(block)
    slack = longest * _error(block.shape[1], block.device.type)
    floor = _scores(best[:, -1])
    if rows > count and bool((best[:, -1] == _NOTHING).any()):
        # Nothing below the block's own count-th can be among the best.
        own = rough_scores(queries, block).topk(count, dim=1).values[:, -1] - slack
        floor = torch.maximum(floor, own)
    query, row = candidates(block, queries, floor, slack)
    if not len(query):
        return best
    keys = _keys(score_pairs(queries, block, query, row), row + first)
    found = torch.bincount(query, minlength=len(queries))
    starts = found.cumsum(0) - found
    order = query.argsort(stable=True)
    place = torch.arange(len(query), device=block.device) - starts[query[order]]
    wide = torch.full((len(queries), int(found.max())), _NOTHING, dtype=torch.int64, device=block.device)
    wide[query[order], place] = keys[order]
    return torch.cat([best, wide], dim=1).topk(count, dim=1).values


def _error(dimensions: int, device: str) -> float:
    """How far a rough score may be from the exact one, for vectors of unit length: the worst case, not the usual one.

    Single precision sums: d roundings of 2^-24. Half on a GPU: 2^-11 for the query's and for the result's rounding each;
    its sums may be cut instead of rounded, hence 2^-22. The last term is what lies below half precision's smallest.
    """
    if device == "cpu":
        return dimensions * 2.0**-23
    return 2.0**-10 + dimensions * 2.0**-22 + dimensions**0.5 * 2.0**-24


def _keys(scores: Any, numbers: Any) -> Any:
    """Integers that sort as (score, then the smaller number): int64."""
    import torch

    bits = scores.view(torch.int32).long()
    ordered = torch.where(bits >= 0, bits, bits ^ 0x7FFF_FFFF)
    return (ordered << 32) | (_LOW - numbers)


def _scores(keys: Any) -> Any:
    import torch

    ordered = keys >> 32
    bits = torch.where(ordered >= 0, ordered, ordered ^ 0x7FFF_FFFF)
    return torch.where(keys == _NOTHING, float("-inf"), bits.int().view(torch.float32))


def _opened(best: Any) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The numbers and scores that keys hold."""
    import torch

    numbers = torch.where(best == _NOTHING, -1, _LOW - (best & _LOW))
    return numbers.cpu().numpy(), _scores(best).cpu().numpy()
