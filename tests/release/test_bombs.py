"""Files of some kilobytes that decode to gigabytes: each is refused, in a process of less than half a gigabyte."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import PACKAGE
from toys import FIRST, toy_recipe, toy_row, toy_task, write_release

from carrara.errors import SourceError
from carrara.retrieval.run import SCHEMA as SCHEMA_OF_RUN
from carrara.retrieval.run import _ranked
from carrara.row import SCHEMA

# Not what the system says of a child: that counts what its parent held when it began.
MEASURED = """
import json, re, sys
from carrara.cli.app import main
for words in json.loads(sys.stdin.read()):
    sys.argv = ["carrara", *words]
    try:
        main()
    except SystemExit as left:
        print("exit", left.code, file=sys.stderr)
    with open("/proc/self/status") as status:
        print("peak", int(re.search("VmHWM:(.+) kB", status.read())[1]) >> 10, file=sys.stderr)
"""
MOST_MEGABYTES = 500
MOST_BYTES = 1_200_000
# One page holds it all.
PAGES = {"dictionary_pagesize_limit": 1 << 28, "data_page_size": 1 << 28}


@pytest.fixture
def release(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(
        "carrara.recipe.recipe.TASKS", {name: toy_task(name, metric="subem") for name in ("alpha", "beta")}
    )
    return write_release(tmp_path / "release", toy_recipe())


def are_refused(*said: tuple[list[object], str]) -> None:
    """Whether carrara, in one process of bounded memory, refuses each of these commands and says this."""
    commands = json.dumps([list(map(str, words)) for words, _ in said])
    done = subprocess.run(
        [sys.executable, "-c", MEASURED],
        input=commands,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr[-4000:]
    told = re.findall(r"(.*?)exit (\d+)\npeak (\d+)\n", done.stderr, re.DOTALL)
    assert len(told) == len(said), done.stderr
    for (text, code, peak), (words, expected) in zip(told, said, strict=True):
        assert code == "2" and expected in text and int(peak) < MOST_MEGABYTES, (words, code, peak, text)


def table(rows: int = 1, **columns: pa.Array) -> pa.Table:
    """Rows of the schema that are all the same, but for these columns."""
    one = pa.Table.from_pylist([toy_row(toy_recipe().configs()[0], 0)], schema=SCHEMA)
    same = one.take(pa.array(np.zeros(rows, np.int64)))
    for name, column in columns.items():
        same = same.set_column(SCHEMA.get_field_index(name), name, column)
    return same.cast(SCHEMA)


def alone(values: pa.Array) -> pa.Array:
    """One list of all these values."""
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


def spans(count: int) -> pa.Array:
    zeros = pa.array(np.zeros(count, np.int64))
    return alone(pa.StructArray.from_arrays([zeros, zeros], ["start", "end"]))


def shared(text: str, rows: int) -> pa.Array:
    """So many rows of one text, which a dictionary holds."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text], pa.large_string()))


LONG = "a" * (10 << 20)
ROWS = {
    # Six rows here; with as many as one likes the file is no larger.
    "not plain": lambda: table(6, prompt=pa.array([LONG] * 6, pa.large_string())),
    "decodes to 62,": lambda: table(prompt=pa.array([6 * LONG], pa.large_string())),
    "2100000 values": lambda: table(evidence=spans(2_100_000)),
    "a row that takes": lambda: table(evidence=spans(700_000)),
    "2200000 values": lambda: table(answers=alone(pa.nulls(2_200_000, pa.string()))),
    "decodes to 83,": lambda: table(answers=alone(pa.array(["b" * (1 << 20)] * 80))),
    # Just within the bound, and four bytes a character in memory.
    "not as released": lambda: table(prompt=pa.array([4 * LONG + "😀"], pa.large_string())),
}


def test_a_small_file_of_rows_takes_no_memory(release, tmp_path):
    responses = tmp_path / "r.jsonl"
    responses.write_text(json.dumps({"id": "toys/alpha_en/1k/00000", "response": "x"}))
    commands = []
    for said, make in ROWS.items():
        folder, made = tmp_path / said, make()
        shutil.copytree(release, folder)
        pq.write_table(made, folder / FIRST, compression="zstd", use_dictionary=len(made) > 1, **PAGES)
        assert (folder / FIRST).stat().st_size < MOST_BYTES
        commands.append((["score", folder, responses, "--metric", "subem"], said))
    are_refused(*commands)


# As pandas and others write them: with dictionaries.
RESPONSES = {
    "one answer": lambda: {"id": [f"a/{n}" for n in range(7_500)], "response": shared("x" * (1 << 20), 7_500)},
    "many parts of one text": lambda: {"id": ["a"], "response": alone(parts(100_000, "x" * 100_000))},
    "an answer that repeats itself": lambda: {"id": ["a"], "response": [8 * LONG]},
    "parts that are nothing": lambda: {"id": ["a"], "response": alone(pa.nulls(9_000_000, pa.string()))},
}


def parts(count: int, text: str) -> pa.Array:
    return pa.StructArray.from_arrays([pa.array(["text"] * count), shared(text, count)], ["type", "text"])


def lines(*given: tuple[bytes, int]) -> bytes:
    return gzip.compress(b"".join(line * times for line, times in given), 9)


PACKED = {
    "unpacks to over": lambda: lines((b'{"id": "b", "response": "x"}' + b" " * 1000 + b"\n", 120_000)),
    " unpacks to over": lambda: lines((b'{"id": "a", "response": "', 1), (b"x" * 1000, 120_000), (b'"}', 1)),
    "brackets and commas": lambda: lines((b'{"id": "a", "response": [', 1), (b"[],", 3_000_000), (b"[]]}", 1)),
    "expected one JSON object": lambda: lines((b"[", 1_000_000)),
}


def test_a_small_file_of_responses_takes_no_memory(release, tmp_path):
    files = []
    for name, make in RESPONSES.items():
        files.append((tmp_path / f"{name}.parquet", "to over"))
        pq.write_table(pa.table(make()), files[-1][0], compression="zstd", **PAGES)
    for said, make in PACKED.items():
        files.append((tmp_path / f"{said}.jsonl.gz", said))
        files[-1][0].write_bytes(make())
    files.append((tmp_path / "log.eval", "got more than"))
    with zipfile.ZipFile(files[-1][0], "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("samples/a_epoch_1.json", b" " * 100_000_000)
    assert max(file.stat().st_size for file, _ in files) < MOST_BYTES
    are_refused(*((["score", release, file, "--metric", "subem"], said) for file, said in files))


def test_a_small_frozen_run_takes_no_memory(tmp_path):
    """Of its reader alone: a release with runs takes minutes."""
    lines = 5_000
    columns = [pa.array(np.zeros(lines, kind)) for kind in (np.int32, np.int32, np.float32)]
    texts = [shared("q", lines), shared("p" * (1 << 20), lines), shared("", lines)]
    item, rank, score = columns
    pq.write_table(
        pa.table([item, texts[0], rank, texts[1], score, texts[2]], names=SCHEMA_OF_RUN.names),
        tmp_path / "run.parquet",
        compression="zstd",
        **PAGES,
    )
    assert (tmp_path / "run.parquet").stat().st_size < MOST_BYTES
    before = pa.total_allocated_bytes()
    with pytest.raises(SourceError, match="unpacks to over"):
        _ranked(tmp_path / "run.parquet")
    assert pa.total_allocated_bytes() - before < 1 << 24
