"""Speed and likeness of the encoder beside a bare `SentenceTransformer.encode`, on the same passages in one process.

python -m benchmarks.encoder                          # the embedded encoder, 400 passages of the invented world
python -m benchmarks.encoder --device cuda --passages 50000
python -m benchmarks.encoder --words 20               # short passages
python -m benchmarks.encoder --encoder FOLDER --weights SHA256

The rivals: the library with its own defaults (float32, 32 texts a batch), and in bfloat16. Each is run --rounds times,
in turn; the best time counts, of the process's own processor seconds on a CPU (another program's work is not in them)
and of the clock on a GPU, whose ratio to ours is printed.
"""

import argparse
import time
from collections.abc import Callable
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from carrara.retrieval.encoder import EMBEDDED, EncoderSpec, load_encoder, numbers_of
from carrara.retrieval.encoder_files import locate
from carrara.world.world import World

Encode = Callable[[list[str]], NDArray[np.float32]]


def bare(spec: EncoderSpec, device: str, dtype: str) -> Encode:
    """The library as its documentation shows it."""
    from sentence_transformers import SentenceTransformer

    files = locate(spec)
    model = SentenceTransformer(str(files.folder), device=device, model_kwargs={"dtype": dtype})

    def encode(texts: list[str]) -> NDArray[np.float32]:
        prefixed = [f"{files.passage}{text}" for text in texts]
        vectors = model.encode(prefixed, normalize_embeddings=True, show_progress_bar=False, convert_to_tensor=True)
        return vectors.float().cpu().numpy()

    return encode


def ours(spec: EncoderSpec, device: str, numbers: str) -> Encode:
    encoder = load_encoder(spec, device, numbers)
    return lambda texts: encoder.encode(texts, "passage")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", default=EMBEDDED)
    parser.add_argument("--revision", default="")
    parser.add_argument("--weights", default="")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--passages", type=int, default=400)
    parser.add_argument("--words", type=int, default=0, help="cut passages to so many words")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow-formats", action="store_true", help="also what the device has no instructions for")
    arguments = parser.parse_args()

    spec = EncoderSpec(arguments.encoder, arguments.revision, arguments.weights)
    device, usual = numbers_of(arguments.device)
    realms = arguments.passages // 3_000 + 1
    texts = [
        f"{one.title}\n{one.text}" for one in islice(World("benchmark/1", realms).passages("en"), arguments.passages)
    ]
    if arguments.words:
        texts = [" ".join(text.split()[: arguments.words]) for text in texts]
    formats = ["float32", "bfloat16"] if usual == "bfloat16" or arguments.slow_formats else ["float32"]
    runs: dict[str, Encode] = {}
    for numbers in formats:
        runs[f"ours {numbers}"] = ours(spec, device, numbers)
        runs[f"bare {numbers}"] = bare(spec, device, numbers)
    clock = time.process_time if device == "cpu" else time.perf_counter
    best = dict.fromkeys(runs, float("inf"))
    found: dict[str, NDArray[np.float32]] = {}
    for encode in runs.values():
        encode(texts[:64])
    for _ in range(arguments.rounds):
        for name, encode in runs.items():
            started = clock()
            found[name] = encode(texts)
            best[name] = min(best[name], clock() - started)
    print(f"{len(texts):,} passages of {np.mean([len(text.split()) for text in texts]):.0f} words, {device}")
    own = best[f"ours {usual}"]
    for name, seconds in best.items():
        cosines = (found[name] * found["bare float32"]).sum(axis=1)
        rate = f"{len(texts) / seconds:10,.1f} passages/s, ours ({usual}) is {seconds / own:5.2f} times as fast"
        print(f"{name:14} {rate}; cosine with bare float32: least {cosines.min():.6f}, mean {cosines.mean():.6f}")


if __name__ == "__main__":
    main()
