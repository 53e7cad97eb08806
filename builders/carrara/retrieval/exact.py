"""Exact search for the largest inner products, block by block, on a CPU or a GPU, for any number of results.

A fast rough score (half precision on a GPU, single on a CPU) selects every vector of a block that may still be among
the best; those are scored exactly, singly if they are few, with their whole block if they are many.

What must not change: the exact score is the same number on every machine. Queries are rounded to multiples of 2^-24,
where stored half-precision vectors lie too: products are multiples of 2^-48 and, vectors having about unit length, no
sum of them needs more than the 53 bits of a double, in any order. It is then rounded once, to single precision; equal
scores are ranked by passage number.

The running best of a query are integers: the score's bits in front, the passage number behind, so that one integer
sort is the whole ranking.
"""

from collections.abc import Callable, Iterable
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from carrara.errors import CarraraError

GRID: Final = 2.0**-24
# A sum of multiples of 2^-48 below 32 fits a double.
_LONGEST: Final = 32.0
_LOW: Final = 0xFFFF_FFFF
_NOTHING: Final = -(2**63)
# Scores held at once, and coordinates of vectors gathered at once for exact scores.
_HELD: Final = {"cpu": 2**24, "cuda": 2**27}
_GATHERED: Final = {"cpu": 2**22, "cuda": 2**27}
# The share of candidates from which the whole block is scored: a product of matrices is that much faster a score.
_MANY: Final = {"cpu": 1 / 256, "cuda": 1 / 64}

# What names the candidates of a block: (block, queries, floor (q,), slack (q,)) to a mask (q, rows); it must hold every
# pair whose exact score may reach its query's floor, where rough scores may be off by `slack`.
CandidateSearch = Callable[[Any, Any, Any, Any], Any]


def block_rows(device: str) -> int:
    """Rows of a block that suit a device: small enough for its memory, large enough to be busy."""
    return 16_384 if device == "cpu" else 262_144


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
    candidates: CandidateSearch | None = None,
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
        step = max(1, _HELD[block.device.type] // max(len(block), 1))
        for start in range(0, len(asked), step):
            part = slice(start, start + step)
            best[part] = _advanced(best[part], asked[part], block, first, longest[part], candidates or rough_candidates)
    return _opened(best)


def score_pairs(queries: Any, block: Any, query: Any, row: Any) -> Any:
    """The exact score of each pair (query, row): shape (p,), single precision."""
    import torch

    scores = torch.empty(len(query), dtype=torch.float32, device=block.device)
    # On a CPU half precision is slow to gather and to multiply.
    wide = block.float() if block.device.type == "cpu" else block
    step = max(1, _GATHERED[block.device.type] // max(block.shape[1], 1))
    for start in range(0, len(query), step):
        part = slice(start, start + step)
        products = queries[query[part]].double().mul_(wide[row[part]].double())
        # Adding 0 makes -0 a 0, which ranks with it.
        scores[part] = products.sum(1).float() + 0.0
    return scores


def score_all(queries: Any, block: Any) -> Any:
    """The exact score of every pair: shape (q, rows), single precision."""
    return (queries.double() @ block.double().T).float() + 0.0


def rough_scores(queries: Any, block: Any) -> Any:
    """Rough scores of every pair, shape (q, rows): half precision, sums in single, on a GPU; else single precision."""
    import torch

    if block.device.type == "cpu":
        return queries @ block.float().T
    allowed = torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    try:
        return queries.half() @ block.half().T
    finally:
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = allowed


def rough_candidates(block: Any, queries: Any, floor: Any, slack: Any) -> Any:
    """The mask of pairs whose rough score reaches floor - slack."""
    return rough_scores(queries, block) >= (floor - slack)[:, None]


def _longest(queries: Any, block: Any) -> Any:
    """The largest product of lengths that each query has with a vector of the block; refuses what is not exact."""
    lengths = queries.double().norm(dim=1)
    widest = lengths * (float(block.float().norm(dim=1).max()) if len(block) else 0.0)
    if not bool((widest < _LONGEST).all()):
        raise CarraraError(
            "vectors of the index are not finite, or far from unit length", "encode the corpus again: `carrara index`"
        )
    return widest.float()


def _advanced(best: Any, queries: Any, block: Any, first: int, longest: Any, candidates: CandidateSearch) -> Any:
    """The running best with a block's vectors merged in."""
    import torch

    count, rows = best.shape[1], len(block)
    slack = longest * _error(block.shape[1], block.device.type)
    floor = _scores(best[:, -1])
    if rows > count and bool((best[:, -1] == _NOTHING).any()):
        # Nothing below the block's own count-th can be among the best.
        own = rough_scores(queries, block).topk(count, dim=1).values[:, -1] - slack
        floor = torch.maximum(floor, own)
    mask = candidates(block, queries, floor, slack)
    if int(mask.sum()) > _MANY[block.device.type] * mask.numel():
        scores = score_all(queries, block)
        mask &= scores >= floor[:, None]
        query, row = mask.nonzero(as_tuple=True)
        exact = scores[query, row]
    else:
        query, row = mask.nonzero(as_tuple=True)
        exact = score_pairs(queries, block, query, row)
    if not len(query):
        return best
    return _merged(best, query, _keys(exact, row + first))


def _merged(best: Any, query: Any, keys: Any) -> Any:
    """The best of what was held and of the keys that queries, in ascending order, have won."""
    import torch

    counts = torch.bincount(query, minlength=len(best))
    column = torch.arange(len(query), device=best.device) - (counts.cumsum(0) - counts)[query]
    wide = torch.full((len(best), int(counts.max())), _NOTHING, dtype=torch.int64, device=best.device)
    wide[query, column] = keys
    return torch.cat([best, wide], dim=1).topk(best.shape[1], dim=1).values


def _error(dimensions: int, device: str) -> float:
    """How far a rough score may be from the exact one, for vectors of unit length: the worst case, not the usual one.

    Sums in single precision: d roundings of 2^-24, taken twice. On a GPU the query and the result are rounded to half
    precision, 2^-11 each; its sums may be cut instead of rounded, hence 2^-22; the last term is what lies below half
    precision's smallest number.
    """
    if device == "cpu":
        return dimensions * 2.0**-23
    return 2.0**-10 + dimensions * 2.0**-22 + sqrt(dimensions) * 2.0**-24


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
