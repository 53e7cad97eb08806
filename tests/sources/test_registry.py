"""Pins: what is checked, what is refused, what a user pastes."""

import hashlib
import tomllib

import pytest

from carrara.errors import SourceError
from carrara.sources import documents, open_source
from carrara.sources.readers.registry import READERS
from carrara.sources.registry import fingerprint, pin_from_table, pins

TEXT = "One line.\n\nAnother line.\n"
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()


def table(**changes):
    return {"reader": "books", "lang": "en", "licence": "CC0-1.0", "files": {"a.txt": SHA256}} | changes


# Files of every pin.
FILES = {
    "asqa": 2,
    "banking77": 2,
    "clinc150": 1,
    "dbpedia": 1,
    "govreport": 1,
    "gutenberg": 60,
    "hotpotqa": 2,
    "msmarco": 14,
    "multilexsum_sample": 1,
    "musique": 1,
    "needlebench_reasoning_en": 1,
    "needlebench_reasoning_zh": 1,
    "nlu": 128,
    "nq": 1,
    "popqa": 1,
    "qampari": 1,
    "qasper": 1,
    "qmsum": 2,
    "r4c": 2,
    "squad": 2,
    "squality": 3,
    "trec_coarse": 2,
    "trec_fine": 2,
    "triviaqa": 1,
    "wikipedia_passages": 13,
    "zh_articles": 1,
    "zh_novels": 4,
}


def test_every_entry_is_complete():
    assert {name: len(pin.files) for name, pin in pins().items()} == FILES
    for name, pin in pins().items():
        assert pin.name == name and pin.reader in READERS and pin.lang in ("en", "zh")
        assert all((pin.title, pin.licence, pin.citation, pin.folder)) and pin.url.startswith("https://")
        assert list(pin.files) == sorted(pin.files) and all(file.bytes for file in pin.files)
        assert len({file.sha256 for file in pin.files}) == len(pin.files)


def test_every_reader_has_its_own_name():
    assert all(name == reader.name and reader.version >= 1 for name, reader in READERS.items())


def test_fingerprint_follows_bytes_and_reader_alone():
    pin = pin_from_table("mine", table())
    assert fingerprint(pin) == fingerprint(pin_from_table("yours", table(title="T", licence="MIT", folder="f")))
    assert fingerprint(pin) != fingerprint(pin_from_table("mine", table(reader="jsonl")))
    assert fingerprint(pin) != fingerprint(pin_from_table("mine", table(files={"a.txt": "0" * 64})))
    assert fingerprint(pin) != fingerprint(pin_from_table("mine", table(files={"b.txt": SHA256})))
    # Pinned: it is part of every release that is built on a source.
    assert fingerprint(pin) == "158388b637a55d3093f7cf3fd12a9eb639efddfca9a2b43935ae4b5e12606b8a"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"licens": "x"}, "nearest: licence"),
        ({"licence": ""}, "no licence"),
        ({"licence": 3}, "expected text"),
        ({"reader": "book"}, "nearest: books"),
        ({"lang": "de"}, "expected one of en, zh"),
        ({"files": {}}, "at least one file"),
        ({"files": {"a.txt": {"sha25": SHA256}}}, "nearest: sha256"),
        ({"files": {"a.txt": {"sha256": SHA256, "bytes": True}}}, "expected a size"),
        ({"files": {"a.txt": "abc"}}, "expected 64 hex digits"),
        ({"files": {"../a.txt": SHA256}}, "leaves its folder"),
        ({"files": {"/a.txt": SHA256}}, "leaves its folder"),
        ({"folder": ".."}, "leaves its folder"),
        ({"hub": {"repo": "a/b", "revision": "main"}}, "40 hex digits"),
        ({"hub": {"repo": "a/b"}}, "40 hex digits"),
        ({"hub": {"repo": "../b", "revision": "0" * 40, "x": 1}}, "40 hex digits"),
    ],
)
def test_a_bad_table_is_refused(changes, said):
    with pytest.raises(SourceError) as caught:
        pin_from_table("mine", table(**changes))
    assert said in str(caught.value)


def test_a_bad_name_is_refused():
    for name in ("", "Mine", "a b", "x" * 65):
        with pytest.raises(SourceError, match="expected at most 64 lower-case letters"):
            pin_from_table(name, table())


def test_the_printed_line_pins_the_file(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.txt").write_text(TEXT)
    for files in (["a.txt"], {"a.txt": ""}, {"a.txt": {}}):
        with pytest.raises(SourceError) as caught:
            pin_from_table("mine", table(files=files), tmp_path)
        line = str(caught.value).splitlines()[-1].strip()
        own = tomllib.loads(f'[mine]\nreader="books"\nlang="en"\nlicence="CC0-1.0"\n[mine.files]\n{line}\n')
        source = open_source("mine", tmp_path, own)
        assert [document.paragraphs for document in documents(source)] == [("One line.", "Another line.")]


def test_an_unpinned_file_that_is_not_there_says_where_to_put_it(tmp_path):
    with pytest.raises(SourceError, match=r"mine/a\.txt"):
        pin_from_table("mine", table(files=["a.txt"]), tmp_path)


def test_unknown_names_get_the_nearest():
    with pytest.raises(SourceError, match="nearest: gutenberg"):
        open_source("gutenburg", None)
    with pytest.raises(SourceError, match="nearest: mine"):
        open_source("mnie", None, {"mine": table()})
    with pytest.raises(SourceError, match="nearest: world"):
        open_source("wrld", None)
    with pytest.raises(SourceError, match="unknown source 'world', expected"):
        open_source("world", None)


def test_an_own_source_cannot_take_a_name_that_is_taken():
    with pytest.raises(SourceError, match="another name"):
        open_source("gutenberg", None, {"gutenberg": table()})
