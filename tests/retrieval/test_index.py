"""The index of a corpus: the same bytes however it was made, kept shard by shard, and refused where it is not whole."""

import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import index_jobs as jobs
import numpy as np
import pytest
from commands import PACKAGE, here, is_refusal, wait_for
from folders import SUPPORT

from carrara.errors import CarraraError, SourceError
from carrara.retrieval.encoder import EncoderSpec, load_encoder
from carrara.retrieval.index import open_index

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """One cache for the module, with the corpus."""
    before = os.environ.get("CARRARA_CACHE")
    os.environ["CARRARA_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    os.environ.pop("CARRARA_CACHE")
    if before is not None:
        os.environ["CARRARA_CACHE"] = before


@pytest.fixture(scope="module")
def encoder():
    return load_encoder(EncoderSpec(), "cpu", "float32")


@pytest.fixture(scope="module")
def whole(cache, tmp_path_factory):
    """The folder of a finished index, which no test may change."""
    folder = tmp_path_factory.mktemp("whole")
    jobs.make(folder)
    return folder


@pytest.fixture
def copy(whole, tmp_path):
    """A copy of the finished index."""
    folder = tmp_path / "copy"
    folder.mkdir()
    for file in whole.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def opened(folder, encoder):
    return open_index(folder, jobs.corpus().digest, encoder.fingerprint)


def digest(folder):
    return json.loads((folder / "index.json").read_text())["digest"]


def shards(folder):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.glob("shard-*.npy"))}


def test_vectors_are_those_of_the_encoder_in_half_precision(whole, encoder):
    index, corpus = opened(whole, encoder), jobs.corpus()
    assert (index.size, index.dimensions) == (160, 384)
    expected = np.concatenate(
        [
            encoder.encode(corpus.texts(start, min(start + jobs.ROWS, 160)), "passage").astype(np.float16)
            for start in range(0, 160, jobs.ROWS)
        ]
    )
    for rows in (1, 7, 16, 32, 50, 160, 1_000):
        blocks = list(index.blocks(rows))
        assert [start for start, _ in blocks] == list(range(0, 160, rows))
        assert all(len(block) == rows for _, block in blocks[:-1])
        assert np.array_equal(np.concatenate([block for _, block in blocks]), expected)
    assert blocks[0][1].dtype == np.float16
    wanted = np.array([159, 0, 15, 16, 0, 80], dtype=np.int64)
    assert np.array_equal(index.rows(wanted), expected[wanted])


def test_a_block_inside_a_shard_is_not_copied(whole, encoder):
    block = next(opened(whole, encoder).blocks(8))[1]
    assert not block.flags.owndata and not block.flags.writeable


def test_the_digest_does_not_depend_on_the_number_of_processes(whole, tmp_path):
    assert jobs.make(tmp_path, workers=2).digest == digest(whole)
    assert shards(tmp_path) == shards(whole)


def test_a_finished_index_is_left_alone(copy):
    before = {file.name: file.stat().st_mtime_ns for file in copy.glob("shard-*")}
    told = jobs.Told()
    jobs.make(copy, told)
    assert told.rows == 160 and not told.notes
    assert {file.name: file.stat().st_mtime_ns for file in copy.glob("shard-*")} == before


def test_a_killed_run_goes_on_where_it_stopped(whole, tmp_path, encoder):
    folder = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, str(SUPPORT / "index_jobs.py"), str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), str(SUPPORT)])},
    )
    try:
        assert wait_for(lambda: len(list(folder.glob("shard-*.json"))) >= 3, 120)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    finally:
        if process.poll() is None:
            process.kill()
    done = {file.name: file.stat().st_mtime_ns for file in folder.glob("shard-*.json")}
    assert 3 <= len(done) < 10 and not (folder / "index.json").exists()
    with pytest.raises(SourceError, match=r"shards of an unfinished index.*\n.*continues an unfinished one"):
        opened(folder, encoder)
    # What a kill in the middle of a write leaves.
    (folder / ".shard-00009.npy.12345.tmp").write_bytes(b"torn")
    told = jobs.Told()
    assert jobs.make(folder, told).digest == digest(whole)
    assert told.notes == [f"going on: {len(done)} of 10 shards are whole"]
    assert {name: (folder / name).stat().st_mtime_ns for name in done} == done
    assert not list(folder.glob(".*.tmp"))


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[200] ^= 1
    file.write_bytes(bytes(data))


@pytest.mark.parametrize("harm", [flip, lambda file: file.write_bytes(b""), Path.unlink])
def test_a_shard_that_is_not_what_was_written_is_named_refused_and_made_anew(harm, copy, whole, encoder):
    harm(copy / "shard-00004.npy")
    with pytest.raises(SourceError, match=r"got shard-00004\.npy of sha256 .*, expected [0-9a-f]{64}\n.*rebuilds this"):
        opened(copy, encoder)
    told = jobs.Told()
    jobs.make(copy, told)
    assert len([note for note in told.notes if "shard-00004.npy" in note and "anew" in note]) == 1
    assert shards(copy) == shards(whole) and opened(copy, encoder).digest == digest(whole)


def test_a_torn_sidecar_means_the_shard_is_made_anew(copy, whole):
    (copy / "shard-00002.json").write_text("{")
    jobs.make(copy)
    assert shards(copy) == shards(whole)


def test_another_corpus_or_encoder_is_refused_by_name(copy, encoder, monkeypatch):
    with pytest.raises(SourceError, match="got one of the corpus .*, expected " + "0" * 64):
        open_index(copy, "0" * 64, encoder.fingerprint)
    with pytest.raises(SourceError, match="got one of the encoder .*, expected " + "1" * 64):
        open_index(copy, jobs.corpus().digest, "1" * 64)
    before = shards(copy)
    monkeypatch.setattr(jobs, "corpus", lambda real=jobs.corpus: real(40))
    with pytest.raises(SourceError, match=r"index of the corpus [0-9a-f]{64}, expected [0-9a-f]{64}\n.*another --out"):
        jobs.make(copy)
    assert shards(copy) == before


def test_the_number_format_is_that_which_the_folder_was_begun_with(copy, whole):
    assert jobs.make(copy, numbers="auto").digest == digest(whole)
    with pytest.raises(SourceError, match="index of numbers float32, expected bfloat16"):
        jobs.make(copy, numbers="bfloat16")
    with pytest.raises(SourceError, match="passages a shard: 16, expected 64"):
        jobs.make(copy, shard_rows=64)


def test_the_number_format_is_part_of_the_digest(tmp_path, whole):
    other = jobs.make(tmp_path, numbers="bfloat16")
    assert other.digest != digest(whole) and other.numbers == "bfloat16"


def test_no_index_is_an_error_with_advice(tmp_path, encoder):
    with pytest.raises(SourceError, match=r"got no index, expected a finished one\n.*carrara index"):
        opened(tmp_path, encoder)


def test_one_process_owns_a_folder(copy):
    with (copy / ".lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(CarraraError, match="another index owns"):
            jobs.make(copy)


def test_wrong_weights_are_refused_before_anything_is_made(tmp_path):
    with pytest.raises(SourceError, match=r"got weights of sha256 53aa5117.*, expected 000"):
        jobs.build_index(jobs.corpus(), EncoderSpec(weights="0" * 64), tmp_path / "new", watch=jobs.Told())
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_a_ray_cluster_makes_the_same_bytes(whole, tmp_path, monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE.parent))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        told = jobs.Told()
        assert jobs.make(tmp_path, told, workers=2, engine="ray").digest == digest(whole)
        assert shards(tmp_path) == shards(whole) and told.rows == 160
    finally:
        ray.shutdown()


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_makes_an_index_of_a_source_of_ones_own(tmp_path):
    table = tmp_path / "passages.jsonl"
    rows = [{"id": one.id, "title": one.title, "text": one.text} for one in jobs.passages(40)]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sha256 = hashlib.sha256(table.read_bytes()).hexdigest()
    recipe = tmp_path / "own.toml"
    recipe.write_text(
        'name = "own"\nversion = "1.0.0"\nstream = "tests/1"\ntokenizer = "o200k_base"\nbuckets = { 4k = 4096 }\n'
        '[[cell]]\ntask = "numeric_sorting"\nvariants = ["ascending"]\nquestions = 1\n'
        '[source.mine]\ntitle = "Mine"\nlang = "en"\nreader = "tables"\nlicence = "CC0-1.0"\n'
        f'[source.mine.files]\n"passages.jsonl" = {{ sha256 = "{sha256}" }}\n'
    )
    words = ("--recipe", recipe, "--sources", tmp_path, "--out", tmp_path / "index", "--device", "cpu")
    made = here("index", "mine", *words, "--json")
    facts = json.loads(made.out)
    assert made.code == 0 and facts["passages"] == 40 and facts["digest"] == digest(tmp_path / "index")
    assert "40 passages" in made.err
    again = here("index", "mine", *words, "--quiet")
    assert again.code == 0 and again.err == "" and facts["digest"] in again.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["world"], "expected world:STREAM:REALMS"),
        (["world:mine"], "expected world:STREAM:REALMS"),
        (["world:mine:0"], "expected world:STREAM:REALMS"),
        (["world:mine:many"], "expected world:STREAM:REALMS"),
        (["nothing"], "unknown source 'nothing'"),
    ],
)
def test_a_corpus_that_there_is_not_is_refused(words, told, tmp_path):
    refused = here("index", *words, "--out", tmp_path / "index")
    assert is_refusal(refused) and told in refused.err
    assert not (tmp_path / "index").exists()
