"""A corpus is the same whoever wrote it, and is written once."""

import pytest

from carrara.errors import SourceError
from carrara.retrieval.corpus import corpus_digest, open_corpus
from carrara.tables import Passage

PASSAGES = [Passage(f"p{number}", "Röntgen" * (number % 2), f"Text {number}: 中文\x00.") for number in range(9_000)]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path))


def test_passages_are_had_by_number_by_id_and_in_order():
    corpus = open_corpus("ours", "key", lambda: PASSAGES)
    assert corpus.size == 9_000 and list(corpus.passages()) == PASSAGES
    assert corpus.passage(4_097) == PASSAGES[4_097] and corpus.number("p8999") == 8_999
    assert corpus.number("p9000") is None
    assert corpus.take([5, 3, 5]) == [PASSAGES[5], PASSAGES[3], PASSAGES[5]] and corpus.take([]) == []
    assert corpus.texts(1, 3) == ["Röntgen\nText 1: 中文\x00.", "\nText 2: 中文\x00."]
    assert corpus.sizes[1] == len("RöntgenText 1: 中文\x00.".encode()) and corpus.sizes.shape == (9_000,)
    assert corpus.digest == corpus_digest(PASSAGES)


def test_it_is_written_once():
    first = open_corpus("ours", "key", lambda: PASSAGES)
    again = open_corpus("ours", "key", lambda: pytest.fail("read from the cache"))
    assert again.digest == first.digest and list(again.passages(8_998)) == PASSAGES[8_998:]


def test_content_decides_the_digest():
    one = open_corpus("ours", "a", lambda: PASSAGES[:5])
    assert open_corpus("other", "b", lambda: PASSAGES[:5]).digest == one.digest
    assert open_corpus("ours", "c", lambda: PASSAGES[4::-1]).digest != one.digest


def test_no_passages_and_doubled_ids_are_refused():
    with pytest.raises(SourceError, match="holds no passages"):
        open_corpus("none", "none", lambda: [])
    with pytest.raises(SourceError, match="two passages have the id 'p1'"):
        open_corpus("two", "two", lambda: [PASSAGES[1], PASSAGES[1]])
