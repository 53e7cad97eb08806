"""Peak memory of streaming the first row of a config: `python -m benchmarks.stream_first_row DIR CONFIG`."""

import os
import resource
import sys
import tempfile


def main(folder: str, config: str) -> None:
    """Print the length of the first prompt and the peak memory of this process, in MB."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(HF_HOME=cache, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
        import datasets

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        row = next(iter(datasets.load_dataset(folder, config, split="test", streaming=True)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"datasets {datasets.__version__}: {row['tokens']} tokens, {len(row['prompt'])} characters")
        print(f"{before:.0f} MB after the import, peak {peak:.0f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:3])
