"""BM25 against its formula and the library's own search; ties, hostile texts, the cache, nothing of the machine."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from math import log
from pathlib import Path

import numpy as np
import pytest
from folders import ROOT, SUPPORT
from hypothesis import given
from hypothesis import strategies as st
from processes import python

from carrara.errors import CarraraError
from carrara.retrieval.bm25 import DECIMALS, K1, B, Bm25, bm25_fingerprint, rank_passages, tokens
from carrara.retrieval.corpus import PassageCorpus, open_corpus
from carrara.stream import Stream
from carrara.tables import Passage

WORDS = ["river", "mill", "Über", "1806", "naïve", "ﬁre", "STRASSE", "straße", "the", "of", "school", "tower", "bridge"]
WORDS += ["keeper", "lamp", "x_1", "北京", "é"]
HOSTILE = ["", "   ", "\0", "\ud800 tower \udfff", "the of and", "?!…—", "tower " * 180_000, "\0" * 1_000_000]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("carrara.retrieval.corpus.SMALL", 0)
    return tmp_path / "cache" / "bm25"


def corpus_of(*texts: str) -> PassageCorpus:
    passages = [Passage(f"p{number}", "", text) for number, text in enumerate(texts)]
    return open_corpus("test", "\0".join(texts), lambda: passages)


def drawn(count: int) -> list[str]:
    """Texts of 0 to 29 words by key, every fourth one twice."""
    stream = Stream("bm25")
    texts = [" ".join(WORDS[stream.below(len(WORDS))] for _ in range(stream.below(30))) for _ in range(count)]
    return [texts[number // 2] if number % 4 == 0 else text for number, text in enumerate(texts)]


def by_formula(texts: list[str], question: str) -> list[float]:
    """Lucene's BM25, in doubles."""
    held = [tokens(text) for text in texts]
    average = sum(map(len, held)) / len(held)
    scores = [0.0] * len(texts)
    for word in tokens(question):
        holding = sum(word in words for words in held)
        inverse = log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for number, words in enumerate(held):
            if times := words.count(word):
                scores[number] += inverse * times / (K1 * (1 - B + B * len(words) / average) + times)
    return scores


QUESTIONS = ["the old mill by the river", "strasse", "naive FIRE bridge bridge bridge", "lamp", "1806 über x_1", "none"]


def test_scores_are_the_formula_and_equal_ones_come_by_number():
    texts = drawn(400)
    numbers, scores = Bm25(corpus_of(*texts)).search(QUESTIONS, 400)
    assert numbers.dtype == np.int64 and scores.dtype == np.float32 and numbers.shape == scores.shape == (6, 400)
    for question, order, found in zip(QUESTIONS, numbers, scores, strict=True):
        assert sorted(order) == list(range(400))
        np.testing.assert_allclose(found, np.array(by_formula(texts, question))[order], atol=1e-4)
        assert (np.round(found.astype(np.float64), DECIMALS).astype(np.float32) == found).all()
        ranks = list(zip(-found, order, strict=True))
        assert ranks == sorted(ranks)
    assert (scores[5] == 0).all() and numbers[5].tolist() == list(range(400))
    assert len(set(scores[0])) < 390, "the drawn texts have ties"


def test_fewer_results_are_the_first_of_all():
    index = Bm25(corpus_of(*drawn(300)))
    numbers, scores = index.search(QUESTIONS, 300)
    for count in (1, 2, 17, 299):
        few, their = index.search(QUESTIONS, count)
        np.testing.assert_array_equal(few, numbers[:, :count])
        np.testing.assert_array_equal(their, scores[:, :count])


def test_the_library_itself_scores_the_same():
    texts = drawn(200)
    import bm25s

    index = bm25s.BM25(k1=K1, b=B, method="lucene")
    index.index([tokens(text) for text in texts], show_progress=False)
    _, ours = Bm25(corpus_of(*texts)).search(["mill river lamp"], 50)
    _, theirs = index.retrieve([tokens("mill river lamp")], k=50, show_progress=False)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_a_row_of_passages_is_ranked_as_their_index_ranks_them():
    texts = drawn(120)
    index = Bm25(corpus_of(*[f"\n{text}" for text in texts]))
    for question in QUESTIONS:
        numbers, _ = index.search([question], 120)
        assert rank_passages(question, texts) == numbers[0].tolist()
    assert rank_passages("mill", []) == [] and rank_passages("mill", ["", "a mill", "mill"]) == [1, 2, 0]


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Mill of Straße, x_1: ﬁve-fold ÉCOLE", ["mill", "strasse", "x_1", "five", "fold", "école"]),
        ("don't U.S.A. 27 November 1806, 1,234", ["don", "t", "u", "s", "27", "november", "1806", "1", "234"]),
        ("Röntgen Ro\u0308ntgen", ["röntgen", "röntgen"]),
        ("北京市，上海。", ["北京市", "上海"]),
        ("if it is not to be", []),
    ],
)
def test_what_a_word_is(text, words):
    assert tokens(text) == words


@given(st.text(max_size=60))
def test_words_are_runs_of_word_characters(text):
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    stop = {word for word in re.findall(r"\w+", folded) if not tokens(word)}
    assert tokens(text) == [word for word in re.findall(r"\w+", folded) if word not in stop]
    assert all(len(word) <= 5 and word.isascii() for word in stop)


# --- hostile ----------------------------------------------------------------------------------------------------------


def test_any_question_has_a_ranking():
    texts = drawn(100)
    index = Bm25(corpus_of(*texts))
    numbers, scores = index.search(HOSTILE, 100)
    assert np.isfinite(scores).all() and all(sorted(row) == list(range(100)) for row in numbers)
    plain, _ = index.search(["tower"], 100)
    np.testing.assert_array_equal(numbers[3], plain[0])
    np.testing.assert_array_equal(numbers[6], plain[0])
    for question, order in zip(HOSTILE, numbers, strict=True):
        assert rank_passages(question, texts) == order.tolist()


def test_a_million_different_words():
    index = Bm25(corpus_of(*drawn(50)))
    numbers, _ = index.search([" ".join(f"w{number}" for number in range(160_000)) + " lamp"], 50)
    np.testing.assert_array_equal(numbers, index.search(["lamp"], 50)[0])


@pytest.mark.parametrize("texts", [["the of"], ["", ""], ["lamp"], ["\0", "lamp", "?"]])
def test_passages_without_words(texts):
    numbers, scores = Bm25(corpus_of(*texts)).search(["lamp", ""], len(texts))
    assert np.isfinite(scores).all() and numbers[1].tolist() == list(range(len(texts)))
    assert (scores[0] > 0).sum() == texts.count("lamp")
    assert rank_passages("lamp", texts) == numbers[0].tolist()


@pytest.mark.parametrize("count", [0, 4])
def test_more_than_there_is_is_refused(count):
    with pytest.raises(CarraraError, match=f"got a request for {count} results from 3"):
        Bm25(corpus_of("a lamp", "mill", "x")).search(["lamp"], count)


# --- the cache, the machine -------------------------------------------------------------------------------------------


def test_an_index_is_kept_and_a_torn_one_made_anew(cache):
    corpus = corpus_of(*drawn(60))
    expected = Bm25(corpus).search(QUESTIONS, 60)
    (kept,) = cache.iterdir()
    stamp = (kept / "files.txt").stat().st_mtime_ns
    Bm25(corpus)
    assert (kept / "files.txt").stat().st_mtime_ns == stamp
    for name in ("data.csc.index.npy", "files.txt", "vocab.index.json"):
        torn = kept / name
        torn.write_bytes(torn.read_bytes()[:-7])
        for got, wanted in zip(Bm25(corpus).search(QUESTIONS, 60), expected, strict=True):
            np.testing.assert_array_equal(got, wanted)
        assert [path.name for path in cache.iterdir()] == [kept.name]
    Bm25(corpus_of(*drawn(61)))
    assert len(list(cache.iterdir())) == 2


def test_of_a_small_corpus_nothing_is_kept_and_all_is_the_same(cache, monkeypatch):
    kept = Bm25(corpus_of(*drawn(60))).search(QUESTIONS, 60)
    shutil.rmtree(cache.parent)
    monkeypatch.setattr("carrara.retrieval.corpus.SMALL", 1 << 20)
    for got, wanted in zip(Bm25(corpus_of(*drawn(60))).search(QUESTIONS, 60), kept, strict=True):
        np.testing.assert_array_equal(got, wanted)
    assert [path.name for path in cache.parent.iterdir()] == ["corpora"]


PROGRAM = """
import hashlib, sys
sys.path[:0] = {tests!r}
import carrara.retrieval.corpus
carrara.retrieval.corpus.SMALL = 0
from retrieval.test_bm25 import QUESTIONS, corpus_of, drawn
from carrara.retrieval.bm25 import Bm25
numbers, scores = Bm25(corpus_of(*drawn(3_000))).search(QUESTIONS, 900)
print(hashlib.sha256(numbers.tobytes() + scores.tobytes()).hexdigest())
"""


@pytest.mark.repeat
def test_two_processes_at_once_other_threads_and_hash_seeds_agree(cache, tmp_path):
    def started(threads: str, seed: str, folder: str) -> "subprocess.Popen[str]":
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "PYTHONHASHSEED": seed}
        environment["CARRARA_CACHE"] = str(tmp_path / folder)
        program = PROGRAM.format(tests=[str(SUPPORT), str(ROOT / "tests")])
        return subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)

    running = [started("1", "0", "cache"), started("2", "1", "cache"), started("4", "2", "other")]
    shown = {process.communicate()[0] for process in running}
    assert all(process.returncode == 0 for process in running)
    numbers, scores = Bm25(corpus_of(*drawn(3_000))).search(QUESTIONS, 900)
    assert shown == {hashlib.sha256(numbers.tobytes() + scores.tobytes()).hexdigest() + "\n"}
    assert len(list(cache.iterdir())) == 1


def test_ranking_a_row_loads_no_library():
    program = (
        "import sys, carrara.cli.app, carrara.retrieval.bm25 as bm25\n"
        "assert bm25.rank_passages('lamp', ['mill', 'lamp']) == [1, 0]\n"
        "print({'torch', 'faiss', 'bm25s', 'scipy'} & set(sys.modules))"
    )
    assert python(program) == "set()\n"


def test_the_fingerprint_names_the_parameters():
    assert bm25_fingerprint() == f"bm25/1 k1=0.9 b=0.4 words-1-unicode-{unicodedata.unidata_version}"
