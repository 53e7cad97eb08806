"""Load every config of a release with `datasets`, offline, whole and streaming: `python -m benchmarks.load DIR`."""

import json
import os
import sys
import tempfile
import time
from pathlib import Path


def main(folder: Path) -> None:
    """Print one line a config: rows, columns and the time to load and to stream the first row."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(HF_HOME=cache, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
        import datasets

        datasets.disable_progress_bars()
        configs = json.loads((folder / "manifest.json").read_text())["content"]["configs"]
        print(f"datasets {datasets.__version__}")
        for name, facts in configs.items():
            started = time.perf_counter()
            loaded = datasets.load_dataset(str(folder), name, split="test")
            seconds = time.perf_counter() - started
            assert len(loaded) == facts["rows"], (name, len(loaded), facts["rows"])
            started = time.perf_counter()
            first = next(iter(datasets.load_dataset(str(folder), name, split="test", streaming=True)))
            assert first == loaded[0], name
            streamed = time.perf_counter() - started
            print(f"{name}: {len(loaded)} rows in {seconds:.2f} s, first streamed row in {streamed:.2f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
