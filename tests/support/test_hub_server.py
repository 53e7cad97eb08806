"""The loopback Hub speaks with the real clients, huggingface_hub and datasets, as the Hub does."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hub_server import Fault, client, hub

__all__ = ["client", "hub"]

CARD = """---
configs:
- config_name: first
  data_files:
  - {split: '4k', path: data/first/4k.parquet}
---
# A card
"""


@pytest.fixture
def folder(tmp_path):
    """A dataset of one config whose Parquet has three row groups."""
    made = tmp_path / "made"
    (made / "data" / "first").mkdir(parents=True)
    (made / "README.md").write_text(CARD)
    (made / "manifest.json").write_text("{}\n")
    with pq.ParquetWriter(made / "data" / "first" / "4k.parquet", pa.schema([("id", pa.string())])) as writer:
        for name in "abc":
            writer.write_table(pa.table({"id": [name]}))
    return made


def test_a_folder_goes_up_and_comes_down(hub, folder):
    code = f"""
import json, pathlib
print(api.create_repo("tester/made", repo_type="dataset", private=True))
print(api.create_repo("tester/made", repo_type="dataset", exist_ok=True))
first = api.upload_folder(repo_id="tester/made", repo_type="dataset", folder_path={str(folder)!r})
again = api.upload_folder(repo_id="tester/made", repo_type="dataset", folder_path={str(folder)!r})
assert first.oid == again.oid, (first, again)
api.create_tag("tester/made", tag="v1.0.0", revision=first.oid, repo_type="dataset")
api.create_branch("tester/made", branch="next", repo_type="dataset")
refs = api.list_repo_refs("tester/made", repo_type="dataset")
assert [ref.name for ref in refs.tags] == ["v1.0.0"] and refs.tags[0].target_commit == first.oid
assert [ref.name for ref in refs.branches] == ["main", "next"]
assert api.whoami()["name"] == "tester"
assert len(api.list_repo_commits("tester/made", repo_type="dataset")) == 2
tree = api.list_repo_tree("tester/made", repo_type="dataset", revision="v1.0.0", recursive=True)
info = api.dataset_info("tester/made", revision="v1.0.0")
one = hf_hub_download("tester/made", "data/first/4k.parquet", repo_type="dataset", revision="v1.0.0")
all_ = snapshot_download("tester/made", repo_type="dataset", revision="v1.0.0")
paths = api.get_paths_info("tester/made", ["README.md", "data", "none"], repo_type="dataset", revision="v1.0.0")
print(json.dumps({{
    "tree": {{entry.path: getattr(entry, "size", None) for entry in tree}},
    "sha": info.sha,
    "one": pathlib.Path(one).read_bytes().hex(),
    "all": sorted(path.relative_to(all_).as_posix() for path in pathlib.Path(all_).rglob("*") if path.is_file()),
    "paths": [path.path for path in paths],
    "there": [api.file_exists("tester/made", name, repo_type="dataset") for name in ("README.md", "none")],
}}))
"""
    *made, told = hub.python(code).splitlines()
    assert made == [f"{hub.endpoint}/datasets/tester/made"] * 2
    repo = hub.repo("tester/made")
    files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert {path: repo.read(path, "v1.0.0") for path in files} == files
    assert repo.private and set(repo.resolve("v1.0.0").files) == {*files, ".gitattributes"}
    assert [path for path, entry in repo.resolve("main").files.items() if entry.lfs] == ["data/first/4k.parquet"]
    told = json.loads(told)
    sizes = {path: len(data) for path, data in files.items()}
    attributes = {".gitattributes": len(repo.read(".gitattributes"))}
    assert told["tree"] == {"data": None, "data/first": None} | sizes | attributes
    assert told["sha"] == repo.tags["v1.0.0"]
    assert bytes.fromhex(told["one"]) == files["data/first/4k.parquet"]
    assert told["all"] == sorted([*files, ".gitattributes"])
    assert told["paths"] == ["README.md", "data"] and told["there"] == [True, False]
    # No token went to the other origin.
    assert not any(request.authorization for request in hub.requests if request.path.startswith("/objects/"))
    assert {request.authorization for request in hub.requests if "/api/datasets/" in request.path} == {
        f"Bearer {hub.token}"
    }


@pytest.mark.integration
def test_datasets_loads_a_tag_whole_and_streaming(hub, folder):
    hub.put_folder("tester/made", folder, "v1.0.0")
    hub.repo("tester/made").change({"README.md": b"# no configs any more"})
    code = """
from datasets import load_dataset
for streaming in (False, True):
    rows = load_dataset("tester/made", "first", split="4k", revision="v1.0.0", streaming=streaming)
    print([row["id"] for row in rows])
"""
    assert hub.python(code).split("\n")[:2] == ["['a', 'b', 'c']"] * 2


def test_ranges_are_served_and_counted(hub, folder):
    repo = hub.put_folder("tester/made", folder, "v1.0.0")
    data = repo.read("data/first/4k.parquet")
    code = """
with HfFileSystem().open("datasets/tester/made@v1.0.0/data/first/4k.parquet", block_size=64, cache_type="none") as file:
    file.seek(100)
    print(file.read(50).hex())
with HfFileSystem().open("datasets/tester/made@v1.0.0/README.md", block_size=10, cache_type="none") as file:
    file.seek(4)
    print(file.read(7).hex())
"""
    first, second = hub.python(code).split()
    assert bytes.fromhex(first) == data[100:150] and bytes.fromhex(second) == CARD.encode()[4:11]
    assert hub.ranges("data/first/4k.parquet") == ["bytes=100-149"] and hub.ranges("README.md") == ["bytes=4-10"]
    assert hub.sent["data/first/4k.parquet"] == 50 and hub.sent["README.md"] == 7
    assert hub.bytes_sent > 57
    hub.forget()
    assert hub.bytes_sent == 0


def test_a_tree_comes_in_pages(hub, client, folder):
    from huggingface_hub import HfApi

    hub.put_folder("tester/made", folder)
    hub.page = 2
    listed = [entry.path for entry in HfApi().list_repo_tree("tester/made", repo_type="dataset", recursive=True)]
    expected = [".gitattributes", "README.md", "data", "data/first", "data/first/4k.parquet", "manifest.json"]
    assert listed == expected and sum("/tree/" in request.path for request in hub.requests) == 3


def test_commits_take_their_parent_and_whole_paths_only(hub, client, folder):
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
    from huggingface_hub.errors import HfHubHTTPError

    repo = hub.put_folder("tester/made", folder)
    repo.tags["v0"] = head = repo.branches["main"]

    def commit(*operations):
        where = {"repo_id": "tester/made", "repo_type": "dataset", "parent_commit": head}
        return HfApi().create_commit(operations=operations, commit_message="x", **where)

    delete = [CommitOperationDelete("manifest.json"), CommitOperationDelete("data/", is_folder=True)]
    made = commit(*delete)
    assert made.oid == repo.branches["main"] != head
    with pytest.raises(HfHubHTTPError) as refused:
        commit(CommitOperationAdd("new.txt", b"new"))
    assert refused.value.response.status_code == 412
    HfApi().delete_tag("tester/made", tag="v0", repo_type="dataset")
    assert repo.tags == {} and sorted(repo.resolve("main").files) == [".gitattributes", "README.md"]


def test_strangers_and_missing_things_are_refused_as_by_the_hub(hub, client, folder):
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    hub.put_folder("tester/made", folder).private = True
    hub.put_folder("lab/open", folder)

    def told(token):
        api = HfApi(token=token)
        new = {"path_or_fileobj": b"x", "path_in_repo": "x", "repo_id": "lab/open", "repo_type": "dataset"}
        for attempt in (
            lambda: api.dataset_info("tester/made"),
            lambda: api.dataset_info("lab/open"),
            lambda: api.dataset_info("lab/none"),
            lambda: api.dataset_info("lab/open", revision="none"),
            lambda: list(api.list_repo_tree("lab/open", "none", repo_type="dataset")),
            lambda: api.upload_file(**new),
            lambda: api.create_repo("other/made", repo_type="dataset"),
        ):
            try:
                attempt()
                yield "fine"
            except HfHubHTTPError as error:
                yield f"{type(error).__name__} {error.response.status_code}"

    missing = ["RepositoryNotFoundError 404", "RevisionNotFoundError 404", "RemoteEntryNotFoundError 404"]
    assert list(told(hub.token)) == ["fine", "fine", *missing, "fine", "HfHubHTTPError 403"]
    stranger = list(told(False))
    assert stranger[:2] == ["RepositoryNotFoundError 401", "fine"]
    assert stranger[2:] == ["RepositoryNotFoundError 401", *missing[1:], *["HfHubHTTPError 401"] * 2]
    assert list(told("hf_other")) == ["HfHubHTTPError 401"] * 7


@pytest.mark.parametrize("what", ["drop", "500", "busy 1"])
def test_faults_come_once_and_the_client_goes_on(hub, client, folder, what):
    from huggingface_hub import HfApi

    hub.put_folder("tester/made", folder)
    hub.faults = [Fault(what, "PUT", "/objects/")]
    data = bytes(range(256)) * 4096
    HfApi().upload_file(path_or_fileobj=data, path_in_repo="new.bin", repo_id="tester/made", repo_type="dataset")
    assert hub.repo("tester/made").read("new.bin") == data
    statuses = [request.status for request in hub.requests if request.method == "PUT"]
    assert len(statuses) == 2 and statuses.count(200) == 1


def test_altered_bytes_are_served_where_the_tree_tells_others(hub, folder):
    hub.put_folder("tester/made", folder, "v1.0.0")
    hub.altered = {"README.md": b"altered", "data/first/4k.parquet": b"no parquet"}
    code = """
for path in ("README.md", "data/first/4k.parquet"):
    print(HfFileSystem().cat_file(f"datasets/tester/made@v1.0.0/{path}", start=0, end=7))
"""
    assert hub.python(code).splitlines() == ["b'altered'", "b'no parq'"]
