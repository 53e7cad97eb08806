"""`carrara publish` against a Hub on the loopback, with the real client in processes of its own, killed and refused."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from commands import forge, here, tree, wait_for
from hub_server import Fault, client, hub
from hub_store import ATTRIBUTES
from toys import FIRST, read, tasks, toy_content, toy_recipe, toy_row, write_release

from carrara.card.card import card
from carrara.engine.files import write_bytes
from carrara.errors import ReleaseError
from carrara.publish.plan import (
    Changes,
    Held,
    Repository,
    by_kind,
    changes,
    check_name,
    errata_of,
    git_name,
    is_published,
    misfits,
    outgoing,
    parts,
)
from carrara.publish.publish import Hub
from carrara.release.reader import open_release
from carrara.release.verify import verify
from carrara.row import SCHEMA

__all__ = ["client", "hub", "tasks"]

REPO = "tester/toys"
DATA = [f"data/{name}_en_1k/test-0000{part}-of-00002.parquet" for name in ("alpha", "beta") for part in (0, 1)]
SMALL = ["README.md", "digests/alpha_en_1k.txt", "digests/beta_en_1k.txt", "manifest.json", "provenance.json"]
FILES = sorted([*DATA, *SMALL, "recipe.json"])


def made(folder: Path, **recipe) -> Path:
    told = toy_recipe(**recipe)
    return write_release(folder, told, card(toy_content(told)))


@pytest.fixture
def release(tasks, tmp_path) -> Path:
    return made(tmp_path / "release")


@pytest.fixture
def second(tasks, tmp_path) -> Path:
    """The next version: more rows, and one config less, so that files of the first are gone."""
    return made(tmp_path / "second", version="2.0.0", questions=7, names=("alpha",))


@pytest.fixture
def pauses(monkeypatch) -> list[float]:
    """The seconds for which publishing means to wait; none of them passes."""
    made: list[float] = []
    monkeypatch.setattr("carrara.publish.publish.time", SimpleNamespace(sleep=made.append))
    return made


def publish(hub, folder: Path, *words: object, code: int = 0) -> dict | str:
    """Publish, and what it told: its table, or its error. Wants `client`."""
    done = here("publish", folder, "--repo", REPO, "--yes", "--quiet", "--json", *words)
    assert done.code == code, done
    assert "Traceback" not in done.err and hub.token not in done.out + done.err, done
    return json.loads(done.out) if code == 0 else done.err[done.err.index("error: ") :]


def blobs(hub) -> list[str]:
    """The hashes of the blobs that arrived."""
    return [one.path.rpartition("/")[2] for one in hub.requests if one.method == "PUT" and one.status == 200]


def commits(hub) -> int:
    """How many commits were made."""
    return sum("/commit/" in one.path and one.status == 200 for one in hub.requests)


def hashes(folder: Path, paths: list[str]) -> set[str]:
    return {open_release(folder).files[path].sha256 for path in paths}


# --- what is published ------------------------------------------------------------------------------------------------


def test_a_dry_run_changes_nothing_and_tells_all(hub, client, release):
    done = hub.carrara("publish", release, "--repo", REPO)
    assert done.returncode == 0, done
    assert "toys@1.0.0" in done.stdout and "Apache-2.0: 2 configs" in done.stdout and "data: 4 files" in done.stdout
    assert "(public, new (or" in done.stdout and "add --yes" in done.stderr
    table = json.loads(here("publish", release, "--repo", REPO, "--json", "--quiet", "--private").out)
    assert sorted(table["new"]) == FILES and table["changed"] == table["deleted"] == {}
    assert table["bytes"] == sum((release / path).stat().st_size for path in FILES) == sum(table["new"].values())
    assert table["licences"] == {"Apache-2.0": ["alpha_en_1k", "beta_en_1k"]}
    assert (table["tag"], table["published"], table["done"], table["private"]) == ("1.0.0", False, False, True)
    assert hub.repos == {} and {one.method for one in hub.requests} == {"GET"}


@pytest.mark.integration
def test_a_release_is_published_and_loads_by_its_version(hub, client, release, tmp_path):
    before = {path: (release / path).stat().st_mtime_ns for path in tree(release)}
    done = hub.carrara("publish", release, "--repo", REPO, "--yes", "--private", "--json")
    assert done.returncode == 0 and "checked: the 10 uploaded files match" in done.stderr, done
    told = json.loads(done.stdout)
    repo = hub.repo(REPO)
    assert repo.private and repo.tags == {"1.0.0": repo.branches["main"]} == {"1.0.0": told["commit"]}
    assert {path: repo.read(path, "1.0.0") for path in FILES} == {path: (release / path).read_bytes() for path in FILES}
    assert sorted(repo.resolve("1.0.0").files) == sorted([*FILES, ".gitattributes"])
    assert {path for path, entry in repo.resolve("main").files.items() if entry.lfs} == set(DATA)
    # Nothing is written into the release: neither a cache nor a mark.
    assert {path: (release / path).stat().st_mtime_ns for path in tree(release)} == before
    assert sorted(path.name for path in release.iterdir()) == sorted({path.split("/")[0] for path in FILES})
    code = f"""
import json
import carrara
from datasets import load_dataset
rows = load_dataset({REPO!r}, "alpha_en_1k", split="test", revision="1.0.0")
print(json.dumps(list(rows)))
loaded = carrara.load("hf://{REPO}@1.0.0", config="alpha_*")
assert [row.to_arrow() for row in loaded] == list(loaded.to_dataset()) == list(rows)
# Without a name: the smallest bucket, which is the whole of this release.
whole = load_dataset({REPO!r}, split="test", revision="1.0.0", streaming=True)
assert [row["id"] for row in load_dataset({REPO!r}, "alpha", split="test")] == rows["id"][:]
assert set(rows["id"]) < {{row["id"] for row in whole}} and whole.features == rows.features
snapshot_download({REPO!r}, repo_type="dataset", revision="1.0.0", local_dir={str(tmp_path / "copy")!r})
"""
    expected = [toy_row(toy_recipe().configs()[0], index) for index in range(5)]
    assert json.loads(hub.python(code).splitlines()[-1]) == expected
    shutil.rmtree(tmp_path / "copy" / ".cache")
    (tmp_path / "copy" / ".gitattributes").unlink()
    assert hub.carrara("verify", tmp_path / "copy").returncode == 0
    # The command line has no task of this name, which it says; what needs none of its code is as published.
    told = hub.carrara("verify", tmp_path / "copy", "--level", "rows")
    assert told.returncode == 1 and "unknown task" in told.stdout and "1 problem" in told.stdout
    assert verify(tmp_path / "copy", "rows").is_good


def test_published_again_nothing_is_done(hub, client, release):
    first = publish(hub, release)
    hub.forget()
    # Another build of the same release: what nothing hashes differs.
    (release / "provenance.json").write_text('{"workers": 9}\n')
    again = publish(hub, release)
    assert again["published"] and again["commit"] == first["commit"]
    assert {one.method for one in hub.requests} == {"GET"}
    done = here("publish", release, "--repo", REPO, "--yes")
    assert done.code == 0 and "already published" in done.out


@pytest.mark.integration
def test_what_is_killed_while_it_uploads_goes_on(hub, client, release):
    # Two blobs arrive, the others stay on their way.
    hub.faults.append(Fault("hang", "PUT", "/objects/", times=99, skip=2))
    command = [sys.executable, "-m", "carrara", "publish", str(release), "--repo", REPO, "--yes", "--quiet"]
    running = subprocess.Popen(command, env=hub.environment(), cwd=hub.folder, start_new_session=True)
    assert wait_for(lambda: len(blobs(hub)) == 2, 60)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    hub.faults.clear()
    arrived = set(blobs(hub))
    assert hub.repo(REPO).tags == {} and set(hub.repo(REPO).resolve("main").files) == {".gitattributes"}
    hub.forget()
    publish(hub, release)
    assert len(blobs(hub)) == 2 and {*blobs(hub), *arrived} == hashes(release, DATA) and not arrived & set(blobs(hub))
    assert hub.repo(REPO).tags == {"1.0.0": hub.repo(REPO).branches["main"]} and commits(hub) == 1


def test_what_stopped_before_the_tag_gets_it(hub, client, release):
    hub.faults.append(Fault("403", "POST", "/tag/"))
    assert "refuses this token" in publish(hub, release, code=2)
    repo = hub.repo(REPO)
    assert repo.tags == {} and sorted(repo.resolve("main").files) == sorted([*FILES, ".gitattributes"])
    hub.forget()
    publish(hub, release)
    assert blobs(hub) == [] and commits(hub) == 0 and repo.tags == {"1.0.0": repo.branches["main"]}


def test_the_next_version_takes_stale_files_away_and_the_tag_keeps_them(hub, client, release, second):
    first = publish(hub, release)
    hub.forget()
    done = here("publish", second, "--repo", REPO, "--yes")
    assert done.code == 0 and "deleted     data/beta_en_1k/test-00000-of-00002.parquet" in done.out, done
    repo = hub.repo(REPO)
    assert sorted(repo.resolve("2.0.0").files) == sorted([*tree(second), "provenance.json", ".gitattributes"])
    assert {path: repo.read(path, "1.0.0") for path in FILES} == {path: (release / path).read_bytes() for path in FILES}
    assert repo.tags == {"1.0.0": first["commit"], "2.0.0": repo.branches["main"]} and commits(hub) == 1
    # The first three rows are in a file of the same name and content: it was not sent again.
    assert not hashes(release, DATA) & set(blobs(hub))
    assert publish(hub, release)["published"]


def test_main_never_goes_back(hub, client, release, second, tasks, tmp_path):
    publish(hub, second)
    hub.forget()
    told = publish(hub, made(tmp_path / "patch", version="1.0.1"), code=2)
    assert "2.0.0" in told and "newer than 1.0.1" in told and "publish versions in order" in told
    assert {one.method for one in hub.requests} == {"GET"}


def test_a_published_version_is_never_overwritten(hub, client, release, tasks, tmp_path):
    publish(hub, release)
    hub.forget()
    told = publish(hub, made(tmp_path / "other", title="Other toys"), code=2)
    assert "has another release of version 1.0.0 already" in told and "never overwritten" in told
    assert {one.method for one in hub.requests} == {"GET"}


def test_errata_stand_on_main_alone_and_survive_the_next_version(hub, client, release, second, tmp_path):
    file = tmp_path / "errata.json"
    file.write_text('{"format": "carrara/errata", "version": 1, "name": "toys", "errata": []}\n')
    publish(hub, release, "--errata", file)
    repo = hub.repo(REPO)
    assert repo.read("errata.json") == file.read_bytes() and "errata.json" not in repo.resolve("1.0.0").files
    hub.forget()
    publish(hub, release, "--errata", file)
    assert commits(hub) == 0
    publish(hub, second)
    assert repo.read("errata.json") == file.read_bytes() and "errata.json" not in repo.resolve("2.0.0").files
    assert sorted(repo.resolve("main").files) == sorted([*repo.resolve("2.0.0").files, "errata.json"])
    file.write_text(file.read_text() + " ")
    assert publish(hub, second, "--errata", file)["published"]
    assert repo.read("errata.json") == file.read_bytes() and repo.tags["2.0.0"] != repo.branches["main"]


def test_a_release_of_many_files_is_committed_in_parts(hub, client, release, monkeypatch):
    monkeypatch.setattr("carrara.publish.publish.MAX_OPERATIONS", 3)
    told = here("publish", release, "--repo", REPO, "--yes")
    assert told.code == 0 and "all: 10 files" in told.err, told
    repo = hub.repo(REPO)
    assert commits(hub) == 4 and repo.tags["1.0.0"] == repo.branches["main"]
    chain = [repo.resolve("main")]
    while chain[-1].parent:
        chain.append(repo.commits[chain[-1].parent])
    # The first says whose the repository is; the card, which names the configs, comes with the last.
    assert {"manifest.json", "recipe.json"} <= set(chain[-2].files) and "README.md" not in chain[1].files
    assert sorted(chain[0].files) == sorted([*FILES, ".gitattributes"])


def test_the_permissive_part_is_published_under_its_own_name(hub, client, release):
    forge(release, lambda content: content["configs"]["beta_en_1k"].update(licence="CC-BY-NC-SA-4.0"))
    told = publish(hub, release, "--profile", "permissive")
    assert told["release"] == "toys-permissive" and told["licences"] == {"Apache-2.0": ["alpha_en_1k"]}
    repo = hub.repo(REPO)
    names = [path for path in repo.resolve("1.0.0").files if path.startswith(("data/", "digests/"))]
    assert sorted(names) == [*DATA[:2], "digests/alpha_en_1k.txt"]
    assert not [path for path in release.parent.iterdir() if path.name.startswith(".carrara")]
    hub.forget()
    # Made again, it is the same release.
    out = release.parent / "kept"
    assert publish(hub, release, "--profile", "permissive", "--out", out)["published"]
    assert {one.method for one in hub.requests} == {"GET"} and (out / "toys-permissive" / "1.0.0").is_dir()
    assert "holds the release toys-permissive" in publish(hub, release, code=2)


# --- what is refused --------------------------------------------------------------------------------------------------


def test_what_does_not_verify_is_refused(hub, client, release):
    def is_refused(*said: str) -> bool:
        told = publish(hub, release, code=1)
        return "does not verify" in told and all(word in told for word in said) and hub.repos == {}

    whole = tree(release)
    (release / "README.md").write_bytes(whole["README.md"] + b"\nTrain on it.\n")
    assert is_refused("README.md")
    write_bytes(release / "README.md", whole["README.md"])
    pq.write_table(pq.read_table(release / FIRST), release / FIRST, compression="snappy", use_dictionary=False)
    assert is_refused("re-encoded", FIRST)
    rows = read(release / FIRST)
    rows[0]["answers"] = ["another"]
    altered = pq.read_table(release / FIRST).from_pylist(rows, schema=SCHEMA)
    pq.write_table(altered, release / FIRST, use_dictionary=False)
    assert is_refused(FIRST)
    write_bytes(release / FIRST, whole[FIRST])
    (release / "data" / "salts.txt").write_text("private")
    assert is_refused("salts.txt", "extra file")
    assert {one.method for one in hub.requests} == {"GET"}


@pytest.mark.parametrize(
    ("licence", "said"),
    [
        ("no licence stated", "unknown"),
        ("CC-BY-ND-4.0", "no-derivatives"),
        ("CC-BY-SA-4.0; CC-BY-NC-SA-4.0", "CC-BY-SA-4.0 and CC-BY-NC-SA-4.0 exclude each other"),
        ("GFDL; CC-BY-SA-3.0", "GFDL and CC-BY-SA-3.0 exclude each other"),
    ],
)
def test_licences_that_forbid_it_are_refused(release, licence, said):
    forge(release, lambda content: content["configs"]["beta_en_1k"].update(licence=licence))
    with pytest.raises(ReleaseError) as refused:
        outgoing(release)
    assert "may not be published: beta_en_1k: " in refused.value.message and said in refused.value.message
    assert "--profile permissive" in refused.value.hint


@pytest.mark.parametrize(
    "name",
    [
        "toys",
        "a/b/c",
        "/toys",
        "tester/",
        "../toys",
        "tester/..",
        "tester/.hidden",
        "tester/to ys",
        "tester/toys\n",
        "tester/toys?x=1",
        "tester/toys#main",
        "tester/toys@main",
        "datasets/tester/toys",
        "http://127.0.0.1/x",
        "tester/toys.git",
        "tester/to--ys",
        "tester/toys.",
        "tester/" + "t" * 97,
        "täster/toys",
        "tester/\x1b[31mtoys",
        "",
    ],
)
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(ReleaseError, match="expected user/name") as refused:
        check_name(name)
    assert refused.value.message.isprintable()


def test_names_that_the_hub_has():
    assert check_name("tester/toys") and check_name("Lab-1/needle_bench.v2")


def test_a_stranger_s_repository_is_left_alone(hub, client, release, tmp_path):
    folder = tmp_path / "others"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "train.parquet").write_bytes(b"theirs")
    hub.put_folder(REPO, folder)
    assert "holds 'data/train.parquet' but no release" in publish(hub, release, code=2)
    (folder / "manifest.json").write_text('{"format": "theirs"}')
    hub.put_folder(REPO, folder)
    assert "is not a release's" in publish(hub, release, code=2)
    (folder / "manifest.json").write_text('{"format": "carrara/1", "content": {"name": "\\u001b[31mdolls"}}')
    hub.put_folder(REPO, folder)
    told = publish(hub, release, code=2)
    assert "is not a release's" in told and "\x1b" not in told
    assert "is public" in publish(hub, release, "--private", code=2)
    assert {one.method for one in hub.requests} == {"GET"}


def test_without_a_token_that_may_write_nothing_is_done(hub, client, release, monkeypatch):
    other = "hf_" + "wrongToken" * 4
    monkeypatch.setenv("HF_TOKEN", other)
    told = publish(hub, release, code=2)
    assert "401" in told and "HF_TOKEN" in told and other not in told
    monkeypatch.setenv("HF_TOKEN", "")
    assert "no token" in publish(hub, release, code=2)
    assert "MY_TOKEN holds no token" in publish(hub, release, "--token-variable", "MY_TOKEN", code=2)
    assert hub.repos == {}
    monkeypatch.setenv("MY_TOKEN", hub.token)
    publish(hub, release, "--token-variable", "MY_TOKEN")
    assert hub.repo(REPO).tags


def test_a_hub_that_is_away_is_told_soon(hub, client, release, pauses, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    said = publish(hub, release, code=2)
    assert "the Hub at http://127.0.0.1:9 cannot be reached" in said and said.count("Connection refused") == 1
    assert "Check the network and HF_ENDPOINT" in said and pauses == [1, 2]


def test_what_the_hub_is_too_busy_for_is_asked_again(hub, client, release, pauses):
    hub.faults += [
        Fault("busy 1", "POST", "/api/repos/create", 2),
        Fault("busy 1", "POST", "/preupload/"),
        Fault("busy 1", "PUT", "/objects/"),
        Fault("drop", "PUT", "/objects/", skip=1),
        Fault("busy 7", "POST", "/commit/"),
        Fault("500", "POST", "/commit/"),
        Fault("busy 1", "GET", "/tree/"),
        Fault("500", "POST", "/tag/", 3),
        Fault("busy 900", "POST", "/tag/"),
        Fault("500", "POST", "/tag/"),
        Fault("busy 1", "GET", "/resolve/"),
    ]
    publish(hub, release)
    assert hub.repo(REPO).tags and not [fault for fault in hub.faults if fault.times] and commits(hub) == 1
    # They grow, or are those that the Hub asks for, up to two minutes; the client waits by itself before most requests.
    assert pauses == [1, 1, 7, 2, 1, 2, 4, 120, 16]
    hub.repo(REPO).tags.clear()
    hub.faults = [Fault("503", "POST", "/tag/", 99)]
    assert "the Hub is busy (HTTP 503)" in publish(hub, release, code=2)
    assert 99 - hub.faults[0].times == 6 and pauses[9:] == [1, 2, 4, 8, 16]


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda hub: hub.altered.update({"README.md": b"0" * 10}), "README.md has other bytes on the Hub"),
        (lambda hub: hub.altered.update({"recipe.json": b"0" * 100_000}), "recipe.json has other bytes on the Hub"),
        (lambda hub: setattr(hub, "edit_tree", larger), "has 1 bytes, expected"),
        (lambda hub: setattr(hub, "edit_tree", otherwise), "has sha256"),
        (lambda hub: setattr(hub, "edit_tree", lacking), "is missing"),
    ],
)
def test_what_arrived_as_something_else_gets_no_tag(hub, client, release, harm, said):
    publish(hub, release)
    hub.repo(REPO).tags.clear()
    harm(hub)
    done = here("publish", release, "--repo", REPO, "--yes", "--quiet")
    assert done.code == 1 and said in done.err and "Traceback" not in done.err, done
    assert hub.repo(REPO).tags == {}


def larger(entries: list[dict]) -> list[dict]:
    return [one | {"size": 1} if one["path"] == "README.md" else one for one in entries]


def otherwise(entries: list[dict]) -> list[dict]:
    return [one | {"lfs": one["lfs"] | {"oid": "0" * 64}} if one["path"] == FIRST else one for one in entries]


def lacking(entries: list[dict]) -> list[dict]:
    return [one for one in entries if one["path"] != "recipe.json"]


def test_errors_hold_no_secret_and_nothing_that_a_terminal_obeys(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secretOfMine")
    asked = Hub("tester/toys")
    told = str(asked._as_ours(ValueError("echo: Bearer hf_secretOfMine \x1b[2J " + "x" * 5_000)))
    assert "secretOfMine" not in told and "\x1b" not in told and len(told) < 600


# --- what would change ------------------------------------------------------------------------------------------------


def test_changes_are_found_by_what_the_hub_says(release):
    out = outgoing(release)
    held = {path: Held(file.bytes, file.sha256 if path in DATA else "", "") for path, file in out.files.items()}
    held = {
        path: one if one.sha256 else one._replace(blob=git_name(release / path, one.bytes))
        for path, one in held.items()
    }
    there = Repository("tester/toys", True, files={**held, ".gitattributes": Held(1, "", "")}, manifest=out.manifest)
    assert not changes(out, there).any and len(changes(out, there).same) == len(FILES)
    files = {**held, "old.txt": Held(7, "", ""), FIRST: held[FIRST]._replace(sha256="0" * 64)}
    files["README.md"] = held["README.md"]._replace(blob="0" * 40)
    del files["recipe.json"]
    found = changes(out, Repository("tester/toys", True, files=files, manifest=out.manifest))
    assert (found.new, found.changed, found.deleted) == (("recipe.json",), ("README.md", FIRST), ("old.txt",))
    assert found.bytes == sum(out.files[path].bytes for path in ("recipe.json", "README.md", FIRST))
    assert len(list(misfits(out, files))) == 3 and not list(misfits(out, held))
    assert git_name(release / "provenance.json", 3) == "0967ef424bce6791893e9a57bb952f80fd536e93"


def test_commits_are_bounded(release):
    out = outgoing(release)
    planned = Changes(tuple(FILES), (), ("old.txt",), (), 0)
    assert list(parts(out, planned)) == [
        (
            [
                "manifest.json",
                "recipe.json",
                *[one for one in FILES if one not in ("README.md", "manifest.json", "recipe.json")],
                "README.md",
            ],
            ["old.txt"],
        )
    ]
    for most in (1, 2, 3, 4, 100):
        listed = list(parts(out, planned, most))
        assert sorted(path for added, _ in listed for path in added) == FILES
        assert all(len(added) <= most for added, _ in listed) and [gone for _, gone in listed if gone] == [["old.txt"]]
        assert listed[0][0][0] == "manifest.json" and listed[-1] == (listed[-1][0], ["old.txt"])
        assert listed[-1][0][-1] == "README.md"
    assert list(parts(out, Changes((), (), ("old.txt",), (), 0))) == [([], ["old.txt"])]


def test_small_files_that_are_many_bytes_are_spread(release, monkeypatch):
    monkeypatch.setattr("carrara.publish.plan.MAX_SMALL_BYTES", 1_000)
    out = outgoing(release)
    listed = list(parts(out, Changes(tuple(FILES), (), (), (), 0)))
    assert len(listed) >= 3 and sorted(path for added, _ in listed for path in added) == FILES


def test_a_tag_of_anything_else_is_refused(release):
    out = outgoing(release)
    assert not is_published(out, Repository("a/b", True, tags={"0.9.0": "1"}))
    assert is_published(out, Repository("a/b", True, tags={"1.0.0": "1"}, tagged=out.manifest))
    for other in (None, b"", out.manifest + b" "):
        with pytest.raises(ReleaseError, match="never overwritten"):
            is_published(out, Repository("a/b", True, tags={"1.0.0": "1"}, tagged=other))


def test_kinds_of_files(release):
    told = by_kind(outgoing(release), FILES)
    assert {kind: count for kind, (count, _) in told.items()} == {"card and manifest": 4, "data": 4, "digests": 2}


def test_a_repository_may_hold_what_the_hub_makes_itself(release):
    files = {".gitattributes": Held(len(ATTRIBUTES), "", ""), "README.md": Held(3, "", "")}
    found = changes(outgoing(release), Repository("a/b", True, files=files))
    assert found.changed == ("README.md",) and not found.deleted


@pytest.mark.parametrize("text", ["", "[]", '{"format": "carrara/errata", "name": "dolls"}', "{", "null", '"x"'])
def test_errata_of_something_else_are_refused(tmp_path, text):
    file = tmp_path / "errata.json"
    file.write_text(text)
    with pytest.raises(ReleaseError, match="no errata of toys"):
        errata_of(file, "toys")
    with pytest.raises(ReleaseError, match="no errata of toys"):
        errata_of(tmp_path / "none.json", "toys")
