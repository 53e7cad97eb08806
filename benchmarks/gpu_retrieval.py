"""What a GPU makes of retrieval: the encoder's share of the roofline, and exact search of millions of vectors.

`python -m benchmarks.gpu_retrieval [--vectors 5000000] [--dimensions 768] [--questions 1000] [--results 8192]`
`python -m benchmarks.gpu_retrieval --device cpu --vectors 20000` runs the same code small, anywhere.

1. A large product of bfloat16 matrices (single precision on a CPU, as encoders there), measured: the roofline.
2. Passages of the invented world through an encoder (`--encoder`, by default the embedded one; "none" leaves it out).
   Its work is counted from its layers: two operations a weight of every linear layer and token, and for attention four
   a coordinate of the hidden state, layer, token and token attended to. Padding is no work.
3. The exact best results of random questions over random vectors that lie on the device, in half precision; held
   against every score in double precision and a full sort for some of the questions.

Exits with 2 where there is no CUDA and no `--device cpu`.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from carrara.errors import CarraraError
from carrara.retrieval.exact import block_rows, exact_search, snapped


def seconds_of(work: Callable[[], Any], device: str, repeats: int = 1) -> tuple[float, Any]:
    """The fastest of some runs, the device waited for."""
    import torch

    fastest, done = float("inf"), None
    for _ in range(repeats):
        if device != "cpu":
            torch.cuda.synchronize()
        started = time.perf_counter()
        done = work()
        if device != "cpu":
            torch.cuda.synchronize()
        fastest = min(fastest, time.perf_counter() - started)
    return fastest, done


def show(what: str, *figures: str) -> None:
    print(f"{what:<44}", *(f"{figure:>20}" for figure in figures), flush=True)


def roofline(device: str) -> float:
    """Operations a second of a large product of matrices, in the numbers that encoders use on the device."""
    import torch

    side, numbers = (8_192, torch.bfloat16) if device != "cpu" else (1_024, torch.float32)
    generator = torch.Generator(device).manual_seed(0)
    # Not of zeros: a device multiplies them faster.
    left, right = (torch.randn(side, side, device=device, generator=generator).to(numbers) for _ in range(2))
    left @ right
    seconds, _ = seconds_of(lambda: left @ right, device, 10)
    show(f"{numbers} product, side {side}", f"{2 * side**3 / seconds / 1e12:.3f} TFLOP/s")
    return 2 * side**3 / seconds


def passages(count: int) -> list[str]:
    """Passages of the invented world."""
    from carrara.world.world import World

    world, texts = World("benchmark/1"), []
    for realm in range(count):
        for passage in world.only(realm).passages("en"):
            texts.append(f"{passage.title}\n{passage.text}")
            if len(texts) == count:
                return texts
    return texts


def encoding(name: str, count: int, device: str, most: float) -> None:
    """Passages and tokens a second of an encoder, and its share of the roofline."""
    import torch

    from carrara.retrieval.encoder import load_encoder
    from carrara.retrieval.encoder_files import EMBEDDED, EncoderSpec

    encoder = load_encoder(EncoderSpec(name or EMBEDDED), device, "float32" if device == "cpu" else "auto")
    texts = passages(count)
    transformer, tokenizer = encoder._first, encoder._tokenizer
    config = transformer.auto_model.config
    lengths = [len(one) for one in tokenizer(texts, truncation=True, max_length=encoder.window)["input_ids"]]
    layers = [module for module in transformer.modules() if isinstance(module, torch.nn.Linear)]
    # A pooler reads one token a passage: no work to speak of.
    weights = sum(layer.weight.numel() for layer in layers) - (
        config.hidden_size**2 if getattr(transformer.auto_model, "pooler", None) is not None else 0
    )
    attention = 4 * config.hidden_size * config.num_hidden_layers
    work = sum(2 * weights * length + attention * length * length for length in lengths)
    encoder.encode(texts[: max(1, count // 10)], "passage")
    seconds, _ = seconds_of(lambda: encoder.encode(texts, "passage"), device)
    show(f"{encoder.name}, {len(texts)} passages", f"{len(texts) / seconds:.0f} passages/s")
    show(f"  of {sum(lengths) / len(lengths):.0f} tokens", f"{sum(lengths) / seconds:.0f} tokens/s")
    show("  of the roofline", f"{work / seconds / 1e12:.3f} TFLOP/s", f"{work / seconds / most:.1%}")


def drawn(count: int, dimensions: int, device: str, seed: int) -> Any:
    """Random vectors of unit length on the device, half precision: shape (count, dimensions)."""
    import torch

    generator = torch.Generator(device).manual_seed(seed)
    vectors = torch.empty(count, dimensions, dtype=torch.float16, device=device)
    step = block_rows(device)
    for start in range(0, count, step):
        rows = torch.randn(min(step, count - start), dimensions, device=device, generator=generator)
        vectors[start : start + step] = torch.nn.functional.normalize(rows, dim=1).half()
    return vectors


def searching(options: argparse.Namespace) -> bool:
    """Time the exact search and hold it against the plain one; whether they agree."""
    import torch

    device, count = options.device, min(options.results, options.vectors)
    vectors = drawn(options.vectors, options.dimensions, device, 1)
    # Some passages are there twice, as in real corpora.
    vectors[1::1000] = vectors[0 : options.vectors - 1 : 1000]
    queries = torch.nn.functional.normalize(drawn(options.questions, options.dimensions, device, 2).float(), dim=1)
    asked = queries.cpu().numpy()
    step = block_rows(device)

    def blocks(most: int) -> Iterator[tuple[int, Any]]:
        for start in range(0, most, step):
            yield start, vectors[start : min(start + step, most)]

    exact_search(blocks(min(options.vectors, 2 * step)), asked, count, device)
    seconds, (numbers, scores) = seconds_of(
        lambda: exact_search(blocks(options.vectors), asked, count, device), device, options.repeats
    )
    size = vectors.numel() * 2
    work = 2 * vectors.numel() * len(asked)
    show(f"exact best {count} of {options.vectors:,} x {options.dimensions}", f"{seconds:.3f} s")
    show(
        f"  {len(asked)} questions",
        f"{len(asked) / seconds:.0f} questions/s",
        f"{seconds / len(asked) * 1e3:.3f} ms each",
    )
    show("  vectors read", f"{size / seconds / 1e9:.1f} GB/s", f"{work / seconds / 1e12:.3f} TFLOP/s")
    if device != "cpu":
        show("  memory", f"{torch.cuda.max_memory_allocated() / 2**30:.1f} GiB", f"{size / 2**30:.1f} GiB of vectors")
    checked = np.linspace(0, len(asked) - 1, min(options.checked, len(asked))).astype(int)
    same = 0
    for place in checked:
        query = torch.from_numpy(snapped(asked[place : place + 1])[0]).to(device).double()
        every = torch.cat([rows.double() @ query for _, rows in blocks(options.vectors)]).float()
        # A stable sort leaves equal scores by number.
        best, order = every.sort(descending=True, stable=True)
        same += bool(
            (order[:count].cpu().numpy() == numbers[place]).all()
            and (best[:count].cpu().numpy() == scores[place]).all()
        )
    show("  numbers and scores as by a full sort", f"{same} of {len(checked)} questions")
    return same == len(checked)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--vectors", type=int, default=5_000_000)
    parser.add_argument("--dimensions", type=int, default=768)
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--results", type=int, default=8_192)
    parser.add_argument("--checked", type=int, default=20, help="questions held against a full sort")
    parser.add_argument("--repeats", type=int, default=3, help="runs of the search; the fastest counts")
    parser.add_argument("--encoder", default="", help='a name or a folder, or "none"')
    parser.add_argument("--passages", type=int, default=20_000, help="texts to encode")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("needs torch: pip install torch")
    if options.device == "cuda" and not torch.cuda.is_available():
        print(
            "no CUDA device here: run it where there is one, or small with --device cpu --vectors 20000",
            file=sys.stderr,
        )
        raise SystemExit(2)
    show(torch.cuda.get_device_name() if options.device == "cuda" else "CPU", f"torch {torch.__version__}")
    most = roofline(options.device)
    if options.encoder != "none":
        try:
            encoding(options.encoder, options.passages, options.device, most)
        except (CarraraError, ImportError) as error:
            print(f"no encoder: {error}")
    if not searching(options):
        sys.exit("the exact search is not exact")


if __name__ == "__main__":
    main()
