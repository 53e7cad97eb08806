"""Releases read at a Hub: a real server, the real client in a process of its own, and what goes wrong between them."""

import hashlib
import io
import json
import re
import shutil
import sys

import pytest
import toys
from commands import Done, common, here, is_refusal, release
from hub_server import Client, Fault, serve
from toys import toy_recipe, toy_row, toy_task, write_release

from carrara.errors import CarraraError, ReleaseError
from carrara.release.hub_store import FIRST_BLOCK, LAST_BLOCK, HubError, Remote, place
from carrara.release.reader import open_release
from carrara.release.store import Folder
from carrara.release.trust import note_root
from carrara.release.verify import verify
from carrara.text.extras import install

__all__ = ["common", "release"]

AT = "hf://lab/small@1.0.0"
CONFIG = "single_needle_en_4k"
DATA = f"data/{CONFIG}/test-00000-of-00002.parquet"
ROW = "needlebench/single_needle_en/4k/00001"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A Hub, and a client that goes on running."""
    with serve(tmp_path_factory.mktemp("served") / "hub") as hub:
        client = Client(hub)
        yield hub, client
        client.close()


@pytest.fixture
def hub(served, release):
    """The Hub with the small release as lab/small, tagged, and nothing else."""
    hub = served[0]
    hub.repos.clear()
    hub.faults, hub.altered, hub.edit_tree, hub.page = [], {}, lambda entries: entries, 1000
    hub.put_folder("lab/small", release, "1.0.0")
    hub.forget()
    return hub


@pytest.fixture
def client(served, hub):
    return served[1]


def said(done) -> str:
    """What a verification that finds something objects to."""
    assert done.code == 1, done
    return "\n".join(problem["message"] for problem in json.loads(done.out)["problems"])


# What is sound


@pytest.mark.parametrize("level", ["files", "rows", "plans", "rebuild"])
def test_a_published_copy_passes_at_every_level(hub, client, release, level):
    done = client("verify", AT, "--level", level, "--json", "--workers", 1)
    assert done.code == 0, done
    report = json.loads(done.out)
    manifest = json.loads((release / "manifest.json").read_text())
    rows = sum(facts["rows"] for facts in manifest["content"]["configs"].values())
    assert report["good"] and not report["reencoded"]
    assert report["checked"]["files"] == len(manifest["files"])
    assert report["checked"]["rows"] == (0 if level == "files" else rows)
    # What is read stands on the screen while it goes on, and is not asked twice of a moving name.
    assert f"{AT} is commit {hub.repo('lab/small').tags['1.0.0']}" in done.err and "read, done" in done.err
    asked = [request.path for request in hub.requests if "/revision/" in request.path]
    assert set(asked) == {"/api/datasets/lab/small/revision/1.0.0"}
    assert not any(
        "1.0.0" in request.path or "/main" in request.path for request in hub.requests if request.path not in asked
    )


def test_a_published_release_is_built_again_from_its_record_there(hub, client, release):
    done = client("reproduce", AT, "--config", "single_needle_zh*", "--json", "--workers", 1)
    assert done.code == 0, done
    table = json.loads(done.out)
    assert table["good"] and list(table["got"]) == ["single_needle_zh_4k"] and not table["got_root"]
    # The manifest and the provenance tell all; no row is read.
    assert not [request.path for request in hub.requests if request.path.endswith(".parquet")]


def test_what_takes_a_release_folder_takes_an_address(hub, client, release):
    for words in (["list"], ["list", "--json"], ["show", ROW], ["score", "--gold"], ["audit", "--quiet"]):
        verb, *rest = words
        there, here = client(verb, AT, *rest), client(verb, release, *rest)
        assert there.code == here.code == 0 and there.out == here.out, words
    assert client("diff", release, AT).out.endswith("the same rows\nbump: none\n")
    assert client("verify", "hf://datasets/lab/small@1.0.0", "--quiet").err == ""


def test_a_branch_is_read_at_the_commit_that_it_named_at_the_start(hub, client, release):
    repo = hub.repo("lab/small")
    first = repo.branches["main"]
    # The branch moves as soon as it was resolved.
    hub.edit_tree = lambda entries: (repo.change({"README.md": b"moved"}), entries)[1]
    done = client("verify", "hf://lab/small@main")
    assert done.code == 0 and first in done.err and repo.branches["main"] != first
    hub.edit_tree = lambda entries: entries
    assert "README.md has 5 bytes" in said(client("verify", "hf://lab/small@main", "--json"))
    assert client("verify", f"hf://lab/small@{first}").code == 0


def test_what_belongs_to_the_hub_or_comes_later_is_no_part_of_a_release(hub, client, release, tmp_path):
    repo = hub.repo("lab/small")
    assert ".gitattributes" in repo.resolve("main").files
    repo.change({"errata.json": b"{}"})
    assert client("verify", "hf://lab/small@main").code == 0
    # A download holds these, too, and the records of who downloaded it.
    copy = tmp_path / "copy"
    hub.python(f"""
snapshot_download("lab/small", repo_type="dataset", revision="1.0.0", local_dir={str(copy)!r})""")
    assert (copy / ".gitattributes").is_file() and list((copy / ".cache" / "huggingface").rglob("*.metadata"))
    # Records are no part of it either, and a folder that verify overlooked could hide a model with its code.
    problems = verify(copy, "rows").problems
    assert problems and all("delete the folder .cache/huggingface" in one.message for one in problems)
    shutil.rmtree(copy / ".cache")
    assert verify(copy, "rows").is_good
    repo.change({".cache/huggingface/x": b"x", "sub/.gitattributes": b"* text"})
    message = said(client("verify", "hf://lab/small@main", "--json"))
    assert "'.cache/huggingface/x' is not in the manifest" in message and "'sub/.gitattributes' is not" in message


# What is altered


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("README.md", "README.md has sha256"),
        (f"digests/{CONFIG}.txt", f"digests/{CONFIG}.txt"),
        ("recipe.json", "recipe.json has sha256"),
        (DATA, f"{DATA} has sha256"),
    ],
)
def test_a_changed_byte_is_found_and_its_file_named(hub, client, release, path, words):
    data = bytearray((release / path).read_bytes())
    data[len(data) // 2] ^= 1
    hub.altered = {path: bytes(data)}
    for level in ("files", "rows"):
        message = said(client("verify", AT, "--json", "--level", level))
        # At `rows` the rows say what is wrong with a data file; a byte that they do not hold is none.
        assert words in message or (level == "rows" and path == DATA), message
    # Committed, it is no better.
    hub.altered = {}
    hub.repo("lab/small").change({path: bytes(data)})
    assert words in said(client("verify", "hf://lab/small@main", "--json"))


def test_a_file_that_is_served_longer_or_shorter_than_listed(hub, client, release):
    for path in ("README.md", DATA):
        for data in (b"short", (release / path).read_bytes() + b"more"):
            hub.altered = {path: data}
            assert f"{path}: the Hub serves {len(data)} bytes, its list of files says" in said(
                client("verify", AT, "--json")
            )
    hub.altered = {DATA: b"short"}
    assert "bytes, its list of files says" in said(client("verify", AT, "--json", "--row", ROW))


def test_an_altered_row_is_named_with_its_column(hub, client, release, tmp_path):
    import pyarrow.parquet as pq

    table = pq.read_table(release / DATA).to_pylist()
    index = next(index for index, row in enumerate(table) if row["id"] == ROW)
    table[index]["answers"] = ["another"]
    toys.write_parquet(tmp_path / "altered.parquet", table)
    hub.repo("lab/small").change({DATA: (tmp_path / "altered.parquet").read_bytes()})
    for words in (["--row", ROW], ["--level", "rows"]):
        done = client("verify", "hf://lab/small@main", "--json", *words)
        assert done.code == 1
        (problem,) = json.loads(done.out)["problems"] if words[0] == "--row" else [json.loads(done.out)["problems"][0]]
        assert (problem["config"], problem["row"], problem["column"]) == (CONFIG, ROW, "answers")
    assert client("verify", AT, "--row", ROW).code == 0


def test_missing_and_extra_files(hub, client):
    hub.repo("lab/small").change({"recipe.json": None, DATA: None, "data/more.parquet": b"more"})
    message = said(client("verify", "hf://lab/small@main", "--json"))
    assert "'data/more.parquet' is not in the manifest: an extra file" in message
    assert "recipe.json is missing" in message and f"{DATA} is missing" in message
    assert said(client("verify", "hf://lab/small@main", "--json", "--row", ROW)) == f"{DATA} is missing"
    hub.repo("lab/small").change({"manifest.json": None})
    assert is_refusal(client("verify", "hf://lab/small@main"), "is not a release: it has no manifest.json")


def test_a_tag_that_moved_to_other_rows_is_told(hub, client, release, long_release, tmp_path):
    """Both are sound, by their own manifests: only who saw the first can tell, or who has a table of roots."""
    hub.put_folder("lab/moved", release, "1.0.0")
    (tmp_path / "ROOTS").touch()
    note_root(open_release(release), tmp_path)
    first = client("verify", "hf://lab/moved@1.0.0", "--against", tmp_path)
    assert first.code == 0 and "First seen here" in first.out and "It is small@1.0.0 as" in first.out
    assert "First seen" not in client("verify", "hf://lab/moved@v1.0.0").out
    hub.put_folder("lab/moved", long_release, "1.0.0")
    for words in ([], ["--level", "rows"]):
        moved = client("verify", "hf://lab/moved@1.0.0", *words)
        assert is_refusal(moved, "its tag was moved: other rows", "delete line", code=1)
    assert is_refusal(client("verify", "hf://lab/moved@1.0.0", "--against", tmp_path), "has no line for", code=1)


def test_a_tag_that_names_another_version(hub, client):
    hub.repo("lab/small").tags["v1.1.0"] = hub.repo("lab/small").tags["1.0.0"]
    for words in ([], ["--row", ROW]):
        message = said(client("verify", "hf://lab/small@v1.1.0", "--json", *words))
        assert message == "hf://lab/small@v1.1.0 holds version 1.0.0: its tag was moved"
    assert is_refusal(client("reproduce", "hf://lab/small@v1.1.0"), "holds version 1.0.0: its tag was moved")
    hub.repo("lab/small").tags["v1.0.0"] = hub.repo("lab/small").tags["1.0.0"]
    assert client("verify", "hf://lab/small@v1.0.0").code == 0


def test_an_edited_manifest(hub, client, release):
    manifest = (release / "manifest.json").read_bytes()
    hub.altered = {"manifest.json": manifest.replace(b": ", b":  ", 1)}
    hub.edit_tree = lambda entries: [
        {**entry, "size": len(manifest) + 1} if entry["path"] == "manifest.json" else entry for entry in entries
    ]
    assert "manifest.json is not in its canonical form" in said(client("verify", AT, "--json"))


# One row of many


@pytest.fixture(scope="module")
def long_release(tmp_path_factory):
    """A release with files of two row groups, each over 300 kB: texts that do not compress."""

    def longer(config, index):
        row = toy_row(config, index)
        return {**row, "prompt": hashlib.shake_128(row["id"].encode()).hexdigest(300_000)}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("carrara.recipe.recipe.TASKS", {name: toy_task(name) for name in ("alpha", "beta")})
        patch.setattr(toys, "toy_row", longer)
        return write_release(tmp_path_factory.mktemp("long") / "toys", toy_recipe())


def test_one_row_is_verified_by_its_row_group_and_its_digest_line(hub, client, long_release):
    hub.put_folder("lab/toys", long_release, "1.0.0")
    data = [f"data/alpha_en_1k/test-0000{number}-of-00002.parquet" for number in (0, 1)]
    whole = (long_release / data[0]).stat().st_size
    for index, file, parts in ((0, 0, 2), (2, 0, 1), (4, 1, 2)):
        hub.forget()
        assert client("verify", "hf://lab/toys@1.0.0", "--row", f"toys/alpha_en/1k/0000{index}").code == 0
        assert set(hub.sent) <= {"manifest.json", "digests/alpha_en_1k.txt", *data}
        # The one or two rows of a group, of three in the first file; the end of the file; what is read on in blocks.
        assert parts / 3 * whole < hub.sent[data[file]] < parts / 3 * whole + 6 * FIRST_BLOCK, hub.ranges(data[file])
        assert hub.sent[data[1 - file]] <= FIRST_BLOCK
        assert all(re.fullmatch(r"bytes=\d+-\d+", asked) for path in data for asked in hub.ranges(path))
        assert len(hub.requests) < 16
    hub.forget()
    assert "has rows 00000 to 00004" in client("verify", "hf://lab/toys@1.0.0", "--row", "toys/alpha_en/1k/00005").err
    assert set(hub.sent) == {"manifest.json"}


def test_a_wrong_digest_line_is_found_by_its_row(hub, client, long_release):
    lines = (long_release / "digests/alpha_en_1k.txt").read_text().splitlines(keepends=True)
    lines[2] = ("0" if lines[2][0] != "0" else "1") + lines[2][1:]
    hub.put_folder("lab/toys", long_release).change({"digests/alpha_en_1k.txt": "".join(lines).encode()})
    assert "column unknown" in said(client("verify", "hf://lab/toys@main", "--json", "--row", "toys/alpha_en/1k/00002"))
    assert client("verify", "hf://lab/toys@main", "--row", "toys/alpha_en/1k/00001").code == 0


# What goes wrong on the way


def test_what_fails_for_a_moment_is_asked_again_after_a_pause(hub, client, long_release):
    """The pauses grow, or are those that the Hub asks for, where these are longer, up to a minute."""
    for fault, pauses in (
        (Fault("500", "GET", "/resolve/", 2), [0.5, 1]),
        (Fault("503", "GET", "/objects/", 1), [0.5]),
        (Fault("500", "GET", "/revision/", 1), [0.5]),
        (Fault("drop", "GET", "/objects/", 1), [0.5]),
        (Fault("drop", "GET", "manifest.json", 4), [0.5, 1, 2, 4]),
        # All of a file that is read from its beginning is what was asked for.
        (Fault("whole", "GET", "/objects/", 1), []),
        (Fault("busy 7", "GET", "/resolve/", 1), [7]),
        (Fault("busy 1", "GET", "/objects/", 4), [1, 1, 2, 4]),
        (Fault("busy 900", "GET", "/resolve/", 1), [60]),
        (Fault("busy soon", "GET", "/resolve/", 1), [0.5]),
    ):
        hub.faults = [fault]
        assert client("verify", AT, "--row", ROW).code == 0, fault
        assert fault.times == 0 and client.pauses == pauses, fault
    hub.put_folder("lab/toys", long_release, "1.0.0")
    hub.faults = [Fault("whole", "GET", "/objects/", 1)]
    assert client("verify", "hf://lab/toys@1.0.0", "--row", "toys/alpha_en/1k/00001").code == 0
    assert client.pauses == [0.5]


def test_what_fails_for_good_is_no_fault_of_the_release(hub, client, long_release):
    """Between the footer and the row group, too: a network that fails is told as such, with exit 2."""
    hub.put_folder("lab/toys", long_release, "1.0.0")
    row = ("--row", "toys/alpha_en/1k/00001")
    for part, skip in (("/objects/", 0), ("/objects/", 1), ("digests", 0), ("tree", 0)):
        hub.faults = [Fault("403", "GET", part, 99, skip)]
        done = client("verify", "hf://lab/toys@1.0.0", *row)
        assert is_refusal(done, "the Hub refuses the token (403)", "hf auth login"), done
    hub.faults = [Fault("418", "GET", "/objects/", 99)]
    assert is_refusal(client("verify", AT, "--level", "rows"), "the Hub answers 418 for data/")


def test_a_server_that_goes_on_failing(hub, client):
    hub.faults = [Fault("drop", "GET", "/objects/", 99)]
    assert is_refusal(client("verify", AT, "--row", ROW), "cannot be reached", "run the command again")
    assert 99 - hub.faults[0].times == 5 and client.pauses == [0.5, 1, 2, 4]


def test_what_is_not_there_is_named(hub, client):
    hub.repo("lab/small").tags["1.2.0"] = hub.repo("lab/small").tags["1.0.0"]
    hub.repo("lab/small").tags["1.10.0"] = hub.repo("lab/small").tags["1.0.0"]
    for address, words in (
        ("hf://lab/none@1.0.0", ["has no dataset lab/none, or hides it"]),
        ("hf://lab/small@3.0.0", ["lab/small has no version '3.0.0'", "Its versions: 1.10.0, 1.2.0, 1.0.0"]),
        ("hf://lab/small", ["names no version", "hf://user/name@version", "Its versions: 1.10.0, 1.2.0, 1.0.0"]),
        (f"hf://lab/small@{'0' * 40}", ["has no version"]),
        ("hf://lab", ["expected the address of a dataset"]),
        ("hf://lab/small/data@1", ["expected the address of a dataset"]),
        ("hf://lab/small@..%2f1", ["expected the address of a dataset"]),
        ("hf://lab/../small@1.0.0", ["expected the address of a dataset"]),
        ("hf://lab/sm\x1b[31mall@1", ["'hf://lab/sm\\x1b[31mall@1'"]),
    ):
        assert is_refusal(client("verify", address), *words), address
    assert is_refusal(client("freeze", AT), "is not a release")


def test_no_network_no_leave_and_no_library(hub, client, monkeypatch):
    hub.put_folder("lab/secret", hub.folder / "blobs").private = True
    refused = client("verify", AT, HF_TOKEN="hf_" + "s3cret" * 5)
    assert is_refusal(refused, "refuses the token (401)", "hf auth login")
    stranger = client("verify", "hf://lab/secret@main", HF_TOKEN="", HF_HUB_DISABLE_IMPLICIT_TOKEN="1")
    assert is_refusal(stranger, "has no dataset lab/secret", "hf auth login")
    away = hub.carrara("verify", AT, HF_ENDPOINT="http://me:password@127.0.0.1:9")
    off = hub.carrara("verify", AT, HF_HUB_OFFLINE="1")
    assert is_refusal(Done(away.returncode, "", away.stderr), "http://127.0.0.1:9 cannot be reached", "network")
    assert is_refusal(Done(off.returncode, "", off.stderr), "forbids reading from the Hub", "Unset HF_HUB_OFFLINE")
    said = "".join([refused.err, stranger.err, away.stderr, off.stderr])
    assert not any(secret in said for secret in ("s3cret", "password", hub.token))
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert is_refusal(here("verify", AT), "huggingface_hub is not installed", install("hub"))


# Repositories of someone hostile


def test_paths_that_leave_are_objected_to_and_never_asked_for(hub, client):
    odd = ["../../etc/passwd", "/etc/shadow", "data/../x", "a\x1b[31m", "data//two", "名前"]
    hub.repo("lab/small").change(dict.fromkeys(odd, b"x"))
    message = said(client("verify", "hf://lab/small@main", "--json"))
    assert message.count("an extra file") == len(odd) and "\x1b" not in message
    assert not any(path in request.path for request in hub.requests for path in ("passwd", "shadow", ".."))


def test_sizes_that_are_claimed_are_not_read(hub, client):
    def claim(path, size):
        hub.edit_tree = lambda entries: [{**one, "size": size} if one["path"] == path else one for one in entries]
        hub.forget()

    claim(DATA, 10**15)
    assert f"{DATA} has {10**15} bytes, expected" in said(client("verify", AT, "--json"))
    claim("manifest.json", 10**12)
    assert is_refusal(client("verify", AT), f"manifest.json has more than {64 << 20} bytes")
    claim("manifest.json", 10**7)
    assert is_refusal(client("verify", AT), f"its list of files says {10**7}")
    assert hub.bytes_sent < 200_000
    for size in (-5, "x", None, 1.5):
        claim("README.md", size)
        done = client("verify", AT)
        assert done.code in (1, 2) and "README.md" in done.out + done.err and "Traceback" not in done.err


def test_a_giant_manifest_is_refused_without_reading_it_whole(hub, client):
    hub.repo("lab/small").change({"manifest.json": b"[" * (66 << 20)})
    assert is_refusal(client("verify", "hf://lab/small@main"), f"manifest.json has more than {64 << 20} bytes")
    assert hub.bytes_sent < 20_000


@pytest.mark.parametrize(
    "entries", [{"x": 1}, [1], [{"type": "file"}], [{"type": "file", "path": 3, "oid": "", "size": 3}]]
)
def test_a_list_of_files_that_is_none(hub, client, entries):
    hub.edit_tree = lambda _: entries
    if isinstance(entries, dict):
        hub.altered = {}
    done = client("verify", AT)
    assert done.code == 2 and "Traceback" not in done.err, done


# The reader alone


class Here(Remote):
    """A file of known bytes, served from here."""

    def __init__(self, data: bytes) -> None:
        super().__init__("hf://lab/here@1.0.0")
        self.data = data
        self.asked: list[tuple[int, int]] = []
        self._sizes = {"file": len(data)}

    def fetch(self, relative: str, start: int, length: int, size: int) -> bytes:
        self.asked.append((start, length))
        return self.data[start : start + length]


def test_the_reader_reads_what_is_there_in_blocks_of_bounded_size():
    data = hashlib.shake_128(b"file").digest(30 << 20)
    there = Here(data)
    with there.open("file") as stream:
        assert stream.seek(0, io.SEEK_END) == len(data) and not there.asked
        assert stream.read(10) == b"" and not there.asked
        for start, length in ((5, 10), (FIRST_BLOCK - 3, 9), (len(data) - 4, 100), (1 << 20, 3 << 20), (7, 0)):
            stream.seek(start)
            assert stream.read(length) == data[start : start + length]
        stream.seek(0)
        there.asked.clear()
        assert hashlib.sha256(b"".join(iter(lambda: stream.read(4096), b""))).digest() == hashlib.sha256(data).digest()
        # From block to block twice as much, and never more than the largest; every byte once.
        assert [length for _, length in there.asked[:4]] == [FIRST_BLOCK << number for number in range(4)]
        assert max(length for _, length in there.asked) == LAST_BLOCK
        assert sum(length for _, length in there.asked) == len(data)
        with pytest.raises((ValueError, OSError)):
            stream.seek(-1)
    with pytest.raises(ReleaseError, match="missing"):
        there.open("other")
    for path in ("../file", "/file", "a//b"):
        assert not there.has(path)
        with pytest.raises(ReleaseError, match="may leave"):
            there.open(path)


def test_an_address_is_told_from_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert isinstance(place("out/toys/1.0.0"), Folder) and isinstance(place("hf:/lab/toys"), Folder)
    there = place("hf://datasets/lab/to.ys-2@v1.0.0")
    assert isinstance(there, Remote)
    assert (there.repository, there.label, there.version) == ("lab/to.ys-2", "hf://lab/to.ys-2@v1.0.0", "1.0.0")
    assert [place(f"hf://lab/toys@{name}").version for name in ("1.2.3", "main", "0" * 40, "1.2")] == [
        "1.2.3",
        *[None] * 3,
    ]
    for text in ("hf://", "hf://a", "hf://a/b@", "hf://a/b@x y", "hf://a/b/c", "hf://a/b@1@2", "hf://-a/b@1"):
        with pytest.raises(HubError, match="expected the address") as caught:
            place(text)
        assert isinstance(caught.value, CarraraError) and caught.value.exit_code == 2


# Measured once in a while


MEASURED = """
import pathlib, re, sys
from carrara.cli.app import main
sys.argv = ["carrara", "verify", *sys.argv[1:]]
try:
    main()
finally:
    # Not getrusage: that begins with the peak of the process which started this one.
    print("peak", re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""


@pytest.mark.slow
def test_one_row_of_a_million_tokens_takes_two_megabytes(hub, client, tmp_path):
    text = """
name = "long"
version = "1.0.0"
stream = "tests/1"
tokenizer = "o200k_base"
buckets = { 1M = 1048576 }

[[cell]]
task = "single_needle"
variants = ["en"]
questions = 2
params = { depths = 2 }
"""
    (tmp_path / "long.toml").write_text(text)
    done = hub.carrara("build", tmp_path / "long.toml", "--out", tmp_path, "--workers", 1, "--quiet")
    assert done.returncode == 0, done.stderr
    hub.put_folder("lab/long", tmp_path / "long" / "1.0.0", "1.0.0")
    whole = sum(file.stat().st_size for file in (tmp_path / "long").rglob("*.parquet"))
    hub.forget()
    assert client("verify", "hf://lab/long@1.0.0", "--row", "needlebench/single_needle_en/1M/00002").code == 0
    assert hub.bytes_sent < 2_500_000 < whole, (hub.bytes_sent, whole)
    assert len(hub.requests) < 16


@pytest.mark.slow
def test_memory_does_not_grow_with_the_release(hub, tmp_path):
    # One thread and the system's allocator, which gives back what it does not need: the peak is that of what is held.
    plain = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}

    def longer(config, index):
        row = toy_row(config, index)
        return {**row, "prompt": hashlib.shake_128(row["id"].encode()).hexdigest(5_000_000)}

    peaks = {}
    for questions in (1, 10):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("carrara.recipe.recipe.TASKS", {name: toy_task(name) for name in ("alpha", "beta")})
            patch.setattr(toys, "toy_row", longer)
            folder = write_release(tmp_path / str(questions), toy_recipe(questions=questions))
        hub.put_folder("lab/heavy", folder, "1.0.0")
        for level in ("files", "rows"):
            done = hub.run(sys.executable, "-c", MEASURED, "hf://lab/heavy@1.0.0", "--level", level, **plain)
            assert done.returncode == 0, done.stderr
            peaks[level, questions] = int(re.search(r"peak (\d+)", done.stderr)[1]) >> 10
        shutil.rmtree(folder)
        del hub.repos["lab/heavy"]
    # Of a file two blocks at most; of rows a row group, which holds two rows here.
    assert peaks["files", 10] < peaks["files", 1] + 24, peaks
    assert peaks["rows", 10] < peaks["rows", 1] + 64, peaks
