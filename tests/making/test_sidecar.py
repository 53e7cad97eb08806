"""Sidecars: a file that an earlier run finished is kept for the same key alone, and only while it is whole."""

import hashlib

import pyarrow as pa
import pyarrow.parquet as pq

from carrara.making.sidecar import Sidecar, kept_sidecar, write_sidecar


def test_a_finished_file_is_kept_for_its_key_while_it_is_whole(tmp_path):
    file = tmp_path / "release" / "data" / "alpha.parquet"
    file.parent.mkdir(parents=True)
    texts, numbers = pa.array([], pa.string()), pa.array([], pa.int32())
    columns = dict.fromkeys(("id", "item", "group"), texts)
    columns |= dict.fromkeys(("tokens", "max_output_tokens", "complexity"), numbers)
    pq.write_table(pa.table(columns), file)
    whole = file.read_bytes()
    digest = hashlib.sha256(whole).hexdigest()
    sidecar = Sidecar(key="1", file="data/alpha.parquet", sha256=digest, bytes=len(whole), rows=())
    write_sidecar(tmp_path, "alpha", 0, sidecar)
    assert kept_sidecar(tmp_path, "alpha", 0, "1") == sidecar
    assert kept_sidecar(tmp_path, "alpha", 0, "2") is None
    assert kept_sidecar(tmp_path, "alpha", 1, "1") is None
    for torn in (whole[:-1] + b"?", whole + b"more", b""):
        file.write_bytes(torn)
        assert kept_sidecar(tmp_path, "alpha", 0, "1") is None, torn
    file.unlink()
    assert kept_sidecar(tmp_path, "alpha", 0, "1") is None
    file.write_bytes(whole)
    path = tmp_path / "sidecars" / "alpha" / "00000.json"
    for torn in (path.read_bytes()[:-5], b"[]", b'{"key": "1"}'):
        path.write_bytes(torn)
        assert kept_sidecar(tmp_path, "alpha", 0, "1") is None, torn
