"""Dense search: exact ways against fractions and a sort, to the last bit; approximate ways find most, score exactly."""

import hashlib
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from processes import python

from carrara.errors import CarraraError
from carrara.retrieval.exact import GRID, block_rows, exact_search, rough_candidates, snapped
from carrara.retrieval.search import SMALLEST, Settings, Vectors, search, search_fingerprint
from carrara.stream import Stream

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module", autouse=True)
def libraries():
    for name in ("torch", "faiss"):
        pytest.importorskip(name, reason=f"dense search needs {name}")


@dataclass
class Held:
    """Vectors in one array."""

    vectors: np.ndarray
    digest: str = "held"

    @classmethod
    def of(cls, path: Path) -> "Held":
        return cls(np.load(path, mmap_mode="r"), path.stem)

    @property
    def size(self) -> int:
        return len(self.vectors)

    @property
    def dimensions(self) -> int:
        return self.vectors.shape[1]

    def blocks(self, rows):
        for first in range(0, self.size, rows):
            yield first, self.vectors[first : first + rows]


def drawn(key: str, count: int, dimensions: int) -> np.ndarray:
    """Vectors of unit length by key: shape (count, dimensions), single precision."""
    words = Stream("search", key).words(0, count * dimensions).astype(np.float64)
    vectors = (words / 2.0**64 - 0.5).reshape(count, dimensions)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def with_ties(count: int, dimensions: int) -> np.ndarray:
    """Half precision vectors, a fifth of them doubled, some of the doubles with one coordinate moved by one bit."""
    vectors = drawn("passages", count, dimensions).astype(np.float16)
    for place in range(7, count, 5):
        vectors[place] = vectors[place // 3]
        if place % 2:
            vectors[place, place % dimensions] = np.nextafter(vectors[place, place % dimensions], np.float16(1))
    return vectors


def sorted_all(vectors: np.ndarray, queries: np.ndarray, count: int):
    """Every score as the fraction that it is, rounded once; a plain sort."""
    rows = [[Fraction(float(one)) for one in row] for row in vectors]
    numbers, scores = [], []
    for query in queries:
        asked = [Fraction(round(float(one) * 2**24), 2**24) for one in query]
        exact = [np.float32(float(sum(a * b for a, b in zip(asked, row, strict=True)))) for row in rows]
        order = sorted(range(len(rows)), key=lambda number: (-exact[number], number))[:count]
        numbers.append(order)
        scores.append([exact[number] for number in order])
    return np.array(numbers, dtype=np.int64), np.array(scores, dtype=np.float32)


def in_double(vectors: np.ndarray, queries: np.ndarray, count: int):
    """The same in numpy, for sizes at which fractions are slow."""
    scores = (snapped(queries).astype(np.float64) @ vectors.astype(np.float64).T).astype(np.float32) + np.float32(0)
    numbers = np.stack([np.lexsort((np.arange(len(vectors)), -row))[:count] for row in scores])
    return numbers, np.take_along_axis(scores, numbers, axis=1)


def assert_same(got, expected):
    assert got[0].dtype == np.int64 and got[1].dtype == np.float32
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[1], expected[1])


def halved(block, queries, floor, slack):
    """What a GPU does, on a CPU: half precision, and the slack that goes with it."""
    from carrara.retrieval.exact import _error

    wider = slack * (_error(block.shape[1], "cuda") / _error(block.shape[1], "cpu"))
    return (queries.half() @ block.half().T) >= (floor - wider)[:, None]


# --- exact ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 10, 64, 300])
def test_every_exact_way_gives_the_fractions_sorted(count):
    vectors, queries = with_ties(300, 24), drawn("queries", 6, 24)
    expected = sorted_all(vectors, queries, count)
    assert_same(in_double(vectors, queries, count), expected)
    assert_same(search(Held(vectors), queries, count, device="cpu"), expected)
    for rows in (1, 7, 64, 299, 300, 1000):
        assert_same(exact_search(Held(vectors).blocks(rows), queries, count, "cpu"), expected)
        assert_same(exact_search(Held(vectors).blocks(rows), queries, count, "cpu", halved), expected)


@pytest.mark.parametrize("count", [20, 200, 250, 3000])
def test_faiss_and_blocks_equal_numpy_on_many_vectors(count, monkeypatch):
    vectors, queries = with_ties(20_000, 48), drawn("queries", 60, 48)
    expected = in_double(vectors, queries, count)
    assert_same(search(Held(vectors), queries, count, device="cpu"), expected)
    monkeypatch.setattr("carrara.retrieval.search._faiss", lambda device: False)
    assert_same(search(Held(vectors), queries, count, device="cpu"), expected)
    assert_same(exact_search(Held(vectors).blocks(1_111), queries, count, "cpu", halved), expected)


def test_plain_faiss_finds_the_same_but_for_ties():
    import faiss

    vectors, queries = with_ties(20_000, 48), drawn("queries", 200, 48)
    flat = faiss.IndexFlatIP(48)
    flat.add(vectors.astype(np.float32))
    scores, _ = flat.search(queries, 100)
    _, ours = search(Held(vectors), queries, 100, device="cpu")
    np.testing.assert_allclose(ours, scores, atol=2e-6)


def test_equal_vectors_come_by_number_whatever_crowds_faiss():
    vectors = np.repeat(drawn("passages", 1, 16).astype(np.float16), 5_000, axis=0)
    vectors[4_321] = 0
    numbers, scores = search(Held(vectors), drawn("queries", 3, 16), 100, device="cpu")
    np.testing.assert_array_equal(numbers[scores[:, 0] > 0], np.arange(100)[None].repeat((scores[:, 0] > 0).sum(), 0))
    below = numbers[scores[:, 0] <= 0]
    assert (below[:, 0] == 4_321).all() and (below[:, 1:] == np.arange(99)).all()
    assert (scores[:, 1:] == scores[:, 1:2]).all()


def test_zeros_of_both_signs_are_one_score():
    vectors = np.zeros((4, 2), dtype=np.float16)
    vectors[:, 0] = [-1, 0, 1, 0]
    numbers, scores = search(Held(vectors), np.array([[0, 1], [0, -1]], dtype=np.float32), 4, device="cpu")
    assert numbers.tolist() == [[0, 1, 2, 3]] * 2 and not np.signbit(scores).any()


@pytest.mark.parametrize("numbers", ["cpu", "cuda"])
def test_rough_scores_stay_within_the_slack(numbers):
    import torch

    from carrara.retrieval.exact import _error

    for dimensions in (8, 384, 1024):
        vectors, queries = drawn("passages", 400, dimensions).astype(np.float16), drawn("queries", 50, dimensions)
        # The worst: all signs alike, so that every rounding adds up.
        vectors, queries = np.abs(np.concatenate([vectors, vectors])), snapped(np.concatenate([queries, abs(queries)]))
        exact = queries.astype(np.float64) @ vectors.astype(np.float64).T
        asked, block = torch.from_numpy(queries), torch.from_numpy(vectors)
        rough = (asked.half() @ block.T).double() if numbers == "cuda" else (asked @ block.float().T).double()
        assert np.abs(rough.numpy() - exact).max() < 1.001 * _error(dimensions, numbers)


def test_one_passage_and_no_question():
    vectors = drawn("passages", 1, 8).astype(np.float16)
    numbers, scores = search(Held(vectors), drawn("queries", 3, 8), 1, device="cpu")
    assert numbers.tolist() == [[0]] * 3 and scores.shape == (3, 1)
    numbers, scores = search(Held(vectors), np.zeros((0, 8), dtype=np.float32), 1, device="cpu")
    assert numbers.shape == scores.shape == (0, 1)


def test_blocks_are_read_once_and_one_at_a_time():
    vectors, alive = with_ties(40_000, 8), []

    class Counted(Held):
        def blocks(self, rows):
            assert rows == block_rows("cpu") < self.size
            for first, block in super().blocks(rows):
                alive.append(first)
                yield first, block

    search(Counted(vectors), drawn("queries", 2, 8), 5_000, device="cpu")
    assert alive == list(range(0, 40_000, block_rows("cpu")))


@pytest.mark.parametrize(
    ("queries", "count", "device", "says"),
    [
        (drawn("queries", 2, 8), 0, "cpu", "got a request for 0 results from 30 passages"),
        (drawn("queries", 2, 8), 31, "cpu", "got a request for 31 results from 30 passages"),
        (drawn("queries", 2, 9), 3, "cpu", "holds vectors of 8"),
        (drawn("queries", 2, 8)[0], 3, "cpu", "queries of shape"),
        (drawn("queries", 2, 8) * 40, 3, "cpu", "beyond 1"),
        (drawn("queries", 2, 8) * np.float32("nan"), 3, "cpu", "finite"),
        (drawn("queries", 2, 8), 3, "tpu", "no device 'tpu'"),
    ],
)
def test_what_cannot_be_searched_is_refused(queries, count, device, says):
    with pytest.raises(CarraraError, match=says):
        search(Held(drawn("passages", 30, 8).astype(np.float16)), queries, count, device=device)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 60_000])
def test_vectors_that_no_encoder_gives_are_refused(wrong):
    vectors = drawn("passages", 30, 8).astype(np.float16)
    vectors[17, 3] = wrong
    with pytest.raises(CarraraError, match="not finite"):
        search(Held(vectors), drawn("queries", 2, 8), 3, device="cpu")


def test_snapping_moves_no_coordinate_by_more_than_half_a_step():
    queries = drawn("queries", 20, 64)
    moved = snapped(queries)
    assert moved.dtype == np.float32 and np.abs(moved - queries).max() <= GRID / 2
    assert (moved.astype(np.float64) / GRID % 1 == 0).all() and (snapped(moved) == moved).all()


PROGRAM = """
import hashlib, sys
import numpy as np
from retrieval.test_search import Held, drawn, with_ties
from carrara.retrieval.search import search
for count in (50, 700):
    numbers, scores = search(Held(with_ties(9_000, 40)), drawn("queries", 30, 40), count, device="cpu")
    print(hashlib.sha256(numbers.tobytes() + scores.tobytes()).hexdigest())
"""


def test_threads_and_hash_seed_change_nothing(tmp_path):
    shown = set()
    for threads, seed in (("1", "0"), ("3", "77")):
        shown.add(python(PROGRAM, OMP_NUM_THREADS=threads, MKL_NUM_THREADS=threads, PYTHONHASHSEED=seed))
    results = [search(Held(with_ties(9_000, 40)), drawn("queries", 30, 40), count, device="cpu") for count in (50, 700)]
    here = [hashlib.sha256(numbers.tobytes() + scores.tobytes()).hexdigest() for numbers, scores in results]
    assert shown == {"\n".join(here) + "\n"}


# --- approximate ------------------------------------------------------------------------------------------------------


@pytest.fixture
def clustered(tmp_path, monkeypatch) -> Held:
    """6,000 vectors about 60 centres, in a file: what an approximate index is made for."""
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path / "cache"))
    centres, noise = drawn("centres", 60, 32), drawn("noise", 6_000, 32)
    vectors = centres[np.arange(6_000) % 60] + 0.4 * noise
    np.save(tmp_path / "clustered.npy", (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16))
    return Held.of(tmp_path / "clustered.npy")


def asked_of(clustered: Held) -> np.ndarray:
    vectors = clustered.vectors[::151].astype(np.float32) + 0.2 * drawn("queries", 40, 32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("method", ["ivfpq", "hnsw"])
def test_approximate_ways_find_most_and_score_exactly(clustered, method):
    queries = asked_of(clustered)
    exact_numbers, _ = search(clustered, queries, 20, device="cpu")
    numbers, scores = search(clustered, queries, 20, method, "cpu")
    found = np.mean([len(set(a) & set(b)) / 20 for a, b in zip(numbers, exact_numbers, strict=True)])
    assert found > 0.9
    truth = snapped(queries).astype(np.float64) @ clustered.vectors.astype(np.float64).T
    np.testing.assert_array_equal(scores, np.take_along_axis(truth.astype(np.float32), numbers, axis=1))
    pairs = [list(zip(-row, those, strict=True)) for row, those in zip(scores, numbers, strict=True)]
    assert all(row == sorted(row) and len({number for _, number in row}) == 20 for row in pairs)


@pytest.mark.parametrize("method", ["ivfpq", "hnsw"])
def test_an_approximate_index_is_kept_and_a_torn_one_made_anew(clustered, method, tmp_path):
    queries = asked_of(clustered)
    first = search(clustered, queries, 10, method, "cpu")
    (kept,) = (tmp_path / "cache" / "search").iterdir()
    stamp = kept.stat().st_mtime_ns
    assert_same(search(clustered, queries, 10, method, "cpu"), first)
    assert kept.stat().st_mtime_ns == stamp
    search(Held(clustered.vectors, "another"), queries, 10, method, "cpu")
    assert len(list((tmp_path / "cache" / "search").iterdir())) == 2
    kept.write_bytes(kept.read_bytes()[: kept.stat().st_size // 2])
    again = search(clustered, queries, 10, method, "cpu")
    assert kept.stat().st_size > 6_000 and again[0].shape == first[0].shape


def test_lists_that_hold_too_little_are_filled_from_all(clustered):
    queries = asked_of(clustered)
    settings = Settings(lists=64, probes=1, candidates=1)
    numbers, scores = search(clustered, queries, 1_500, "ivfpq", "cpu", settings)
    assert_same((numbers, scores), search(clustered, queries, 1_500, device="cpu"))


@pytest.mark.parametrize("method", ["ivfpq", "hnsw"])
def test_a_small_corpus_is_searched_flat(method):
    held = Held(with_ties(SMALLEST - 1, 8))
    queries = drawn("queries", 3, 8)
    assert_same(search(held, queries, 9, method, "cpu"), search(held, queries, 9, device="cpu"))


@pytest.mark.parametrize("size", [SMALLEST, 50_000, 1_000_000, 22_000_000])
@pytest.mark.parametrize("dimensions", [384, 768, 1_000, 31])
def test_parameters_follow_the_size(size, dimensions):
    settings = Settings().resolved(size, dimensions, 100)
    assert 16 <= settings.lists <= min(65_536, size // 64) and 1 <= settings.probes <= settings.lists
    assert dimensions % settings.code == 0 and settings.code <= dimensions
    assert settings.training <= size and settings.searching >= 400
    # Enough is read for what is asked.
    assert settings.probes * size / settings.lists >= 400
    given = Settings(lists=128, probes=4, code=1, training=4_000, searching=999)
    assert given.resolved(size, dimensions, 10) == given


def test_the_fingerprint_names_what_decides_the_result():
    assert search_fingerprint("flat") == search_fingerprint("flat", Settings(links=8)) == "flat/1"
    assert search_fingerprint("hnsw", Settings(links=8)) != search_fingerprint("hnsw")
    assert search_fingerprint("hnsw", Settings(lists=8)) == search_fingerprint("hnsw")
    assert search_fingerprint("ivfpq", Settings(probes=8)) == (
        "ivfpq/1 lists=auto probes=8 code=auto training=auto candidates=4"
    )
    with pytest.raises(FrozenInstanceError):
        Settings().links = 3


def test_a_stand_in_is_what_search_takes():
    import torch

    held: Vectors = Held(with_ties(50, 8))
    mask = rough_candidates(
        torch.from_numpy(held.vectors), torch.from_numpy(drawn("queries", 2, 8)), torch.zeros(2), torch.zeros(2)
    )
    assert mask.shape == (2, 50) and mask.dtype == torch.bool
