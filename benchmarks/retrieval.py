"""How often the gold passage of real questions is found by BM25 and by the embedded encoder, and how fast.

`python -m benchmarks.retrieval [--sources FOLDER] [--passages N] [--questions 1000] [--encoder NAME|none]`

The questions are those of Natural Questions (open) with their gold passages; they are searched among all Wikipedia
passages of the folder. Then, with an encoder: FAISS's flat index held against a plain product in numpy (ties allowed:
what scores as much as the last exact result counts as found), and what IVF-PQ and HNSW find of the flat results.
Where the encoder or its libraries are not installed, BM25 alone is measured.
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carrara.cli.progress import Progress
from carrara.engine.code import code_fingerprint
from carrara.engine.files import cache_folder
from carrara.errors import CarraraError
from carrara.retrieval.bm25 import Bm25
from carrara.retrieval.corpus import PassageCorpus, corpus_digest, open_corpus
from carrara.retrieval.search import search
from carrara.sources import open_source, tables

DEPTHS = (5, 20, 100)
Found = tuple[NDArray[np.int64], NDArray[np.float32]]


def corpus_of(sources: Path, most: int) -> tuple[PassageCorpus, list[tuple[str, int]]]:
    """All real Wikipedia passages, or `most` of them, golds first; the questions whose gold is there, by its number."""
    source = open_source("wikipedia_passages", sources)
    asked = list(tables(open_source("nq", sources)).questions("en", "", 0))
    # The corpus that builds search, and so its index where there is one.
    corpus = open_corpus(
        source.name, f"{source.fingerprint} {code_fingerprint('sources')}", lambda: tables(source).passages("en")
    )
    if most < corpus.size:
        golds = {one.evidence[0].passage for one in asked}
        passages = sorted(corpus.passages(), key=lambda passage: passage.id not in golds)[:most]
        corpus = open_corpus("benchmark", f"benchmarks.retrieval {corpus_digest(passages)}", lambda: passages)
    found = ((one.text, corpus.number(one.evidence[0].passage)) for one in asked)
    return corpus, [(question, gold) for question, gold in found if gold is not None]


def timed(work: Callable[[], Found]) -> tuple[float, Found]:
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def show(name: str, shares: list[float], figures: list[str]) -> None:
    print("  ".join([f"{name:<34}", *(f"{share:>10.4f}" for share in shares), *(f"{text:>14}" for text in figures)]))


def header(first: str, *rest: str) -> None:
    print(
        "  ".join(
            [f"\n{first:<35}", *(f"{f'recall@{depth}':>10}" for depth in DEPTHS), *(f"{one:>14}" for one in rest)]
        )
    )


def recall_of_gold(found: Found, golds: NDArray[np.int64]) -> list[float]:
    ranks = found[0] == golds[:, None]
    return [float(ranks[:, :depth].any(axis=1).mean()) for depth in DEPTHS]


def recall_of_flat(found: Found, flat: Found) -> list[float]:
    """The share of the exact results that are found, ties allowed: scores are exact in both."""
    return [float((found[1][:, :depth] >= flat[1][:, depth - 1 : depth]).mean()) for depth in DEPTHS]


def numpy_scores(index: Any, queries: NDArray[np.float32], numbers: NDArray[np.int64], depth: int) -> Any:
    """By plain numpy: the score of the best `depth` of every query, and the scores of the passages numbered."""
    vectors = np.concatenate([rows for _, rows in index.blocks(8_192)]).astype(np.float32)
    best = np.empty((len(queries), depth), dtype=np.float32)
    scores = np.empty(numbers.shape, dtype=np.float32)
    for place, query in enumerate(queries):
        products = vectors @ query
        best[place] = -np.sort(-products)[:depth]
        scores[place] = products[numbers[place]]
    return best, scores


def flat_against_numpy(index: Any, queries: NDArray[np.float32]) -> None:
    """FAISS's own flat index, and ours, against numpy."""
    import faiss

    vectors = np.concatenate([rows for _, rows in index.blocks(8_192)]).astype(np.float32)
    plain = faiss.IndexFlatIP(index.dimensions)
    plain.add(vectors)
    depth = min(max(DEPTHS), index.size)
    header(f"against numpy, {len(queries)} questions", "queries/s")
    searches: dict[str, Callable[[], Found]] = {
        "faiss.IndexFlatIP": lambda: plain.search(queries, depth)[::-1],
        "search flat": lambda: search(index, queries, depth, device="cpu"),
    }
    for name, work in searches.items():
        seconds, (numbers, _) = timed(work)
        best, scores = numpy_scores(index, queries, numbers, depth)
        # Single-precision products summed in another order differ in the last bits.
        shares = [float((scores[:, :at] >= best[:, at - 1 : at] - 1e-6).mean()) for at in DEPTHS if at <= depth]
        show(name, shares, [f"{len(queries) / seconds:.0f}"])
        assert all(share == 1 for share in shares), f"{name} is not exact"


def dense(options: argparse.Namespace, corpus: PassageCorpus, questions: list[str], golds: NDArray[np.int64]) -> None:
    """The encoder's part; CarraraError or ImportError where it cannot be had."""
    from carrara.retrieval.encoder import load_encoder
    from carrara.retrieval.encoder_files import EMBEDDED, EncoderSpec
    from carrara.retrieval.index import build_index

    spec = EncoderSpec(options.encoder or EMBEDDED)
    encoder = load_encoder(spec)
    folder = options.index or cache_folder() / "indexes" / f"{corpus.digest[:16]}-{encoder.fingerprint[:16]}"
    started = time.perf_counter()
    with Progress(corpus.size, 0, quiet=True) as watch:
        index = build_index(corpus, spec, folder, watch=watch)
    print(f"\nindex of {encoder.name}: {index.size} x {index.dimensions}, {time.perf_counter() - started:.0f} s")
    queries = encoder.encode(questions, "query")
    depth = min(max(DEPTHS), corpus.size)
    seconds, flat = timed(lambda: search(index, queries, depth))
    header("gold passage found", "queries/s")
    show(f"{encoder.name}, flat", recall_of_gold(flat, golds), [f"{len(queries) / seconds:.0f}"])
    approximate = {}
    for method in ("ivfpq", "hnsw"):
        building, _ = timed(lambda method=method: search(index, queries[:1], depth, method))
        seconds, found = timed(lambda method=method: search(index, queries, depth, method))
        approximate[method] = (building, seconds, found)
        show(f"{encoder.name}, {method}", recall_of_gold(found, golds), [f"{len(queries) / seconds:.0f}"])
    header(f"of the flat results, {len(queries)} questions", "queries/s", "first query, s")
    for method, (building, seconds, found) in approximate.items():
        show(method, recall_of_flat(found, flat), [f"{len(queries) / seconds:.0f}", f"{building:.1f}"])
    flat_against_numpy(index, queries)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, default=os.environ.get("CARRARA_SOURCES"))
    parser.add_argument("--passages", type=int, default=10**9, help="at most so many, gold passages first")
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--encoder", default="", help='a name, a folder, or "none": BM25 alone')
    parser.add_argument("--index", type=Path, help="the folder of the encoder's index (default: in the cache)")
    options = parser.parse_args()
    if options.sources is None:
        parser.error("give --sources, the folder of real sources")
    corpus, asked = corpus_of(options.sources, options.passages)
    asked = asked[: options.questions]
    questions, golds = [question for question, _ in asked], np.array([gold for _, gold in asked])
    print(f"{corpus.size} passages, {len(asked)} questions, digest {corpus.digest[:16]}")
    started = time.perf_counter()
    index = Bm25(corpus)
    opened = time.perf_counter() - started
    depth = min(max(DEPTHS), corpus.size)
    seconds, found = timed(lambda: index.search(questions, depth))
    header("gold passage found", "queries/s", "index, s")
    show("bm25", recall_of_gold(found, golds), [f"{len(asked) / seconds:.0f}", f"{opened:.1f}"])
    if options.encoder != "none":
        try:
            dense(options, corpus, questions, golds)
        except (CarraraError, ImportError) as error:
            print(f"\nno encoder: {error}")


if __name__ == "__main__":
    main()
