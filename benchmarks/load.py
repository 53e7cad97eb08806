"""Load every config of a release with `datasets`, offline, whole and streaming: `python -m benchmarks.load DIR`."""

import json
import os
import sys
import tempfile
import time
from pathlib import Path


def main(folder: Path) -> None:
    """Check that every config loads and streams as the manifest says, and print one line with the times."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(HF_HOME=cache, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
        import datasets

        datasets.disable_progress_bars()
        configs = json.loads((folder / "manifest.json").read_text())["content"]["configs"]
        rows = 0
        slowest = (0.0, "")
        began = time.perf_counter()
        for name, facts in configs.items():
            started = time.perf_counter()
            loaded = datasets.load_dataset(str(folder), name, split="test")
            assert len(loaded) == facts["rows"], (name, len(loaded), facts["rows"])
            first = next(iter(datasets.load_dataset(str(folder), name, split="test", streaming=True)))
            assert first == loaded[0], name
            rows += len(loaded)
            slowest = max(slowest, (time.perf_counter() - started, name))
        seconds = time.perf_counter() - began
    print(
        f"datasets {datasets.__version__} loads and streams {len(configs)} configs, {rows} rows: {seconds:.1f} s, "
        f"at most {slowest[0]:.1f} s ({slowest[1]})"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
