"""Where files are found, and what is refused on the way."""

import gzip
import hashlib
import os
import sys
import threading
import types
import zipfile
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from carrara.engine import files as engine_files
from carrara.engine.files import inside
from carrara.engine.hub import hub_file
from carrara.errors import SourceError
from carrara.sources import documents, open_source
from carrara.sources.document import MAX_FILE_BYTES, read_bytes
from carrara.sources.files import fetch, locate, whereabouts
from carrara.sources.registry import PinnedFile, pin_from_table, pins

TEXT = b"A line of text.\n"
SHA256 = hashlib.sha256(TEXT).hexdigest()
REVISION = "0123456789" * 4


def pin(path="a.txt", **changes):
    files = {path: {"sha256": SHA256, "bytes": len(TEXT)}}
    return pin_from_table("mine", {"reader": "books", "lang": "en", "licence": "MIT", "files": files} | changes)


def test_the_sources_own_folder_comes_first(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT)
    assert locate(pin(), tmp_path) == {"a.txt": tmp_path / "a.txt"}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/a.txt").write_bytes(TEXT)
    assert locate(pin(), tmp_path) == {"a.txt": tmp_path / "mine/a.txt"}


def test_a_missing_file_says_what_where_and_what_to_do(tmp_path):
    with pytest.raises(SourceError) as caught:
        locate(pin(url="https://example.org"), tmp_path)
    for said in ("a.txt is missing", str(tmp_path / "mine"), "https://example.org"):
        assert said in str(caught.value)
    with pytest.raises(SourceError, match=r"no --sources folder was given(.|\n)*give --sources <folder>"):
        locate(pin(), None)
    with pytest.raises(SourceError, match="expected an existing folder"):
        locate(pin(), tmp_path / "absent")


def test_a_changed_file_is_refused_at_every_opening(tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes(TEXT)
    locate(pin(), tmp_path)
    file.write_bytes(TEXT + b"!")
    with pytest.raises(SourceError) as caught:
        locate(pin(), tmp_path)
    assert SHA256 in str(caught.value) and hashlib.sha256(TEXT + b"!").hexdigest() in str(caught.value)


@pytest.mark.parametrize("path", ["../a.txt", "x/../../a.txt", "/etc/hostname", "", "~/a", "a\\..\\b", "C:/a", "a\0b"])
def test_a_path_that_leaves_its_folder_is_refused(tmp_path, path):
    with pytest.raises(SourceError, match="leaves its folder"):
        inside(tmp_path, path)


def test_a_link_that_leaves_its_folder_is_refused(tmp_path):
    (tmp_path / "outside.txt").write_bytes(TEXT)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").symlink_to(tmp_path / "outside.txt")
    with pytest.raises(SourceError, match="symbolic link"):
        locate(pin(), folder)
    (folder / "a.txt").unlink()
    (folder / "mine").symlink_to(tmp_path)
    (tmp_path / "a.txt").write_bytes(TEXT)
    # The folder of a source may be a link itself: the user made it.
    assert locate(pin(), folder) == {"a.txt": folder / "mine/a.txt"}
    (folder / "mine").unlink()
    (folder / "a.txt").symlink_to(folder / "a.txt")
    with pytest.raises(SourceError):
        locate(pin(), folder)


def test_a_folder_in_place_of_a_file_is_refused(tmp_path):
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(SourceError, match="cannot be read"):
        locate(pin(), tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may read every file")
def test_a_file_without_permission_is_refused(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "a.txt").chmod(0)
    with pytest.raises(SourceError, match="cannot be read"):
        locate(pin(), tmp_path)


def fake_hub(monkeypatch, answer):
    asked = []

    def hf_hub_download(repo, path, *, repo_type, revision):
        asked.append((repo, path, repo_type, revision))
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    monkeypatch.setitem(sys.modules, "huggingface_hub", types.SimpleNamespace(hf_hub_download=hf_hub_download))
    return asked


def test_the_hub_is_asked_at_the_pinned_commit(tmp_path, monkeypatch):
    (tmp_path / "download").write_bytes(TEXT)
    asked = fake_hub(monkeypatch, tmp_path / "download")
    hub = {"repo": "owner/name", "revision": REVISION}
    assert locate(pin(hub=hub), None) == {"a.txt": tmp_path / "download"}
    assert asked == [("owner/name", "a.txt", "dataset", REVISION)]
    # The second has the size that is pinned: the hash alone tells it.
    for altered in (b"other", TEXT.swapcase()):
        (tmp_path / "download").write_bytes(altered)
        with pytest.raises(SourceError, match="got sha256"):
            locate(pin(hub=hub), tmp_path)


def test_a_hub_that_does_not_answer_is_an_error_with_advice(monkeypatch):
    hub = {"repo": "owner/name", "revision": REVISION}
    fake_hub(monkeypatch, OSError("no route"))
    with pytest.raises(SourceError, match=r"could not be read \(OSError\)"):
        locate(pin(hub=hub), None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(SourceError, match=r"\[hub\]"):
        locate(pin(hub=hub), None)
    with pytest.raises(SourceError, match="40 hex digits"):
        hub_file("owner/name", "main", "tokenizer.json", repo_type="model")


def own(tmp_path, reader, name, data):
    (tmp_path / name).write_bytes(data)
    files = {name: hashlib.sha256(data).hexdigest()}
    tables = {"mine": {"reader": reader, "lang": "en", "licence": "MIT", "files": files}}
    return list(documents(open_source("mine", tmp_path, tables)))


def test_packed_and_plain_files_read_alike(tmp_path):
    plain = own(tmp_path, "books", "1_a_book.txt", "\ufeffCaf\u0065\u0301.\r\n\r\nTwo.".encode())
    packed = own(tmp_path, "books", "1_a_book.txt.gz", gzip.compress("Café.\n\nTwo.".encode()))
    assert plain == packed and plain[0].paragraphs == ("Café.", "Two.")
    assert (plain[0].id, plain[0].title) == ("1_a_book", "A book")


def test_other_encodings_and_broken_files_are_refused(tmp_path):
    with pytest.raises(SourceError, match=r"a\.txt: got byte 0xe9 at offset 6, expected UTF-8"):
        own(tmp_path, "books", "a.txt", b"\xef\xbb\xbfCaf\xe9")
    with pytest.raises(SourceError, match="cannot be read"):
        own(tmp_path, "books", "a.txt.gz", b"no gzip")
    with pytest.raises(SourceError, match="cannot be read"):
        own(tmp_path, "books", "a.txt.gz", gzip.compress(b"some text to cut off")[:-9])
    with pytest.raises(SourceError, match="cannot be read as a zip"):
        own(tmp_path, "text_zip", "a.zip", b"no zip")
    with pytest.raises(SourceError, match="no documents"):
        own(tmp_path, "books", "a.txt", b"* * *\n")


def test_unpacked_sizes_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("carrara.sources.document.MAX_FILE_BYTES", 1000)
    bomb = tmp_path / "a.txt.gz"
    bomb.write_bytes(gzip.compress(b"a" * 2000))
    with pytest.raises(SourceError, match="more than 1000 bytes"):
        read_bytes(bomb, "a.txt.gz")
    assert MAX_FILE_BYTES == 256 * 2**20
    monkeypatch.setattr("carrara.sources.formats.MAX_MEMBER_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"a" * 2000)
    with pytest.raises(SourceError, match="too large"):
        own(tmp_path, "text_zip", "b.zip", (tmp_path / "a.zip").read_bytes())


def test_a_zip_gives_its_texts_in_order(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("b.md", "Second text.")
        archive.writestr("../a.txt", "First text.")
        archive.writestr("c.png", b"\x89PNG")
    found = own(tmp_path, "text_zip", "b.zip", (tmp_path / "a.zip").read_bytes())
    assert [document.paragraphs for document in found] == [("First text.",), ("Second text.",)]
    assert [document.title for document in found] == ["A", "B"]


def test_own_documents_in_json_lines(tmp_path):
    lines = '{"text": "One.\\n\\n Two\\u2028three. "}\n\n{"paragraphs": [" a  b ", ""], "id": "x", "title": "T"}\n'
    for name, data in (("a.jsonl", lines.encode()), ("a.jsonl.gz", gzip.compress(lines.encode()))):
        first, second = own(tmp_path, "jsonl", name, data)
        assert (first.id, first.title, first.paragraphs) == ("a/1", "a/1", ("One.", "Two", "three."))
        assert (second.id, second.title, second.paragraphs) == ("x", "T", ("a b",))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "expected JSON"),
        ("[" * 100_000, "expected JSON"),
        ("[]", "expected a JSON object"),
        ("{}", "either text or paragraphs"),
        ('{"text": "a", "paragraphs": []}', "either text or paragraphs"),
        ('{"text": 1}', "expected text as a string"),
        ('{"paragraphs": "a"}', "expected text as a string"),
        ('{"text": " "}', "without text"),
        ('{"text": "a", "id": null}', "expected text"),
        ('{"text": "a", "id": "ok"}', "used at a.jsonl:1"),
        ('{"text": "\\udc00"}', "without text"),
    ],
)
def test_a_broken_line_is_named(tmp_path, line, said):
    with pytest.raises(SourceError) as caught:
        own(tmp_path, "jsonl", "a.jsonl", f'{{"text": "b", "id": "ok"}}\n{line}\n'.encode())
    assert "a.jsonl:2" in str(caught.value) and said in str(caught.value)


def test_the_cache_folder_is_made_where_it_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path / "a/b"))
    assert engine_files.cache_folder() == tmp_path / "a/b" and (tmp_path / "a/b").is_dir()
    monkeypatch.delenv("CARRARA_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert engine_files.cache_folder() == tmp_path / "x/carrara"


# --- fetching ---------------------------------------------------------------------------------------------------------


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def publisher(tmp_path):
    """A folder that a server publishes, and the server's address."""
    folder = tmp_path / "published"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def published(address, **files):
    """A source whose files, by name, are at the publisher's: pins take https alone, which no test can serve."""
    made = (
        PinnedFile(name.replace("_", "."), hashlib.sha256(data).hexdigest(), len(data), f"{address}/{where}")
        for name, (data, where) in files.items()
    )
    return replace(pin(), files=tuple(made))


def test_files_are_fetched_as_they_are_pinned_and_a_second_call_fetches_the_rest(tmp_path, publisher):
    folder, address = publisher
    packed = gzip.compress(TEXT, 9, mtime=0)
    (folder / "x.txt").write_bytes(TEXT)
    wanted = published(address, a_txt=(TEXT, "x.txt"), b_txt_gz=(packed, "x.txt"), c_gz=(packed, "x.gz"))
    notes = []
    with pytest.raises(SourceError, match=r"x\.gz could not be read \(HTTP Error 404"):
        fetch(wanted, tmp_path, notes.append)
    (folder / "x.gz").write_bytes(packed)
    assert fetch(wanted, tmp_path, notes.append) == 1 and len(notes) == 4
    assert [path.read_bytes() for path in locate(wanted, tmp_path).values()] == [TEXT, packed, packed]
    assert fetch(wanted, tmp_path, notes.append) == 0


def test_what_differs_from_its_pin_is_not_kept(tmp_path, publisher):
    folder, address = publisher
    (folder / "x").write_bytes(TEXT.upper())
    with pytest.raises(SourceError, match="got sha256"):
        fetch(published(address, a=(TEXT, "x")), tmp_path, str)
    (folder / "x").write_bytes(TEXT * 1_000)
    with pytest.raises(SourceError, match=f"has over {64 * len(TEXT):,} bytes"):
        fetch(published(address, a=(TEXT, "x")), tmp_path, str)
    with pytest.raises(SourceError, match=r"no address of file a\.txt is known(.|\n)*put it at"):
        fetch(pin(), tmp_path, str)
    assert not [*(tmp_path / "mine").iterdir()]


@pytest.mark.parametrize("address", ["http://example.org/{path}", "file:///etc/{path}", "https://a b/{path}", "x", 3])
def test_files_come_from_https_alone(address):
    with pytest.raises(SourceError, match="from is"):
        pin(**{"from": address})


def test_sources_of_the_package_say_how_they_are_had():
    addresses = {name: [file.address for file in known.files] for name, known in pins().items()}
    assert addresses["gutenberg"][0].endswith("/original/1023_bleak_house.txt")
    assert addresses["nq"] == [addresses["nq"][0]] and addresses["nq"][0].endswith("/nq-open-oracle.jsonl.gz")
    assert {name for name, known in addresses.items() if "" in known} == {"zh_articles", "trec_coarse", "trec_fine"}
    assert "carrara sources get gutenberg" in whereabouts(pins()["gutenberg"], None).told
