"""The pinned sources themselves: counts, and that no markup or damage remains."""

import pytest
from folders import CORPORA

from carrara.sources import documents, open_source
from carrara.sources.document import read_text, tidy
from carrara.sources.readers import books as novels_zh
from carrara.sources.sentences import split

MARKUP = ("](", "```", "http", "[#]", "=====", "&nbsp;", "\ufffd", "<rt>", "<BR>", "via:")

pytestmark = [
    pytest.mark.repeat,
    pytest.mark.corpora,
    pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES"),
]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("gutenberg", (60, 114880, 34638622)),
        ("zh_novels", (459, 13107, 2510639)),
        ("zh_articles", (688, 17135, 1722805)),
    ],
)
@pytest.mark.repeat
def test_a_real_source(name, wanted):
    source = open_source(name, CORPORA)
    found = list(documents(source))
    paragraphs = [paragraph for document in found for paragraph in document.paragraphs]
    assert (len(found), len(paragraphs), sum(map(len, paragraphs))) == wanted
    assert len({document.id for document in found}) == len(found)
    assert all(document.title and document.paragraphs for document in found)
    assert [line for line in paragraphs if tidy(line) != line or any(mark in line for mark in MARKUP)] == []
    assert source.licence and source.citation
    # Every 50th paragraph, so that the test stays short.
    for line in paragraphs[::50]:
        assert (" " if source.lang == "en" else "").join(split(line, source.lang)) == line


def test_real_sources_are_equal_twice():
    source = open_source("zh_novels", CORPORA)
    assert list(documents(source)) == list(documents(source))
    assert source.fingerprint == open_source("zh_novels", CORPORA).fingerprint


@pytest.mark.parametrize(
    ("name", "dropped"),
    [("hongloumeng", 355), ("sanguoyanyi", 31), ("shuihuzhuan", 274), ("xiyouji", 109)],
)
def test_damaged_paragraphs_of_the_novels(name, dropped):
    path = f"{name}.txt.gz"
    chapters = novels_zh.chapters(read_text(dict(open_source("zh_novels", CORPORA).files)[path], path))
    assert sum(chapter.dropped for chapter in chapters) == dropped
