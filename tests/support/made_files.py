"""Small data files for the tests of readers."""

import gzip
import json
from pathlib import Path


def write(folder: Path, **contents) -> dict[str, Path]:
    """Files by name (a dot is written as two underscores): bytes, text, or what becomes JSON or JSON lines."""
    files = {}
    for name, content in contents.items():
        path = name.replace("__", ".")
        if not isinstance(content, bytes | str):
            lines = ".jsonl" in path and isinstance(content, list)
            content = "".join(json.dumps(one) + "\n" for one in content) if lines else json.dumps(content)
        data = content.encode() if isinstance(content, str) else content
        files[path] = folder / path
        files[path].write_bytes(gzip.compress(data) if path.endswith(".gz") else data)
    return files


def parquet(folder: Path, name: str, rows) -> dict[str, Path]:
    """A Parquet file of these rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(rows), folder / name)
    return {name: folder / name}


def nested(depth: int) -> str:
    """A list in a list in a list."""
    return "[" * depth + "]" * depth
