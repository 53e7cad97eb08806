"""A Hugging Face Hub on this machine, for the real clients: it keeps datasets, counts what it sends, and misbehaves.

The clients run in processes of their own (`Hub.python`, `Hub.carrara`): huggingface_hub reads its endpoint once, when
it is imported. Large files come, as from the Hub, from another origin, to which no token may go. There is no Xet.
"""

import base64
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest
import yaml
from commands import Done
from hub_store import Blobs, Entry, Refused, Repo

import carrara

USER, ORGANIZATION = "tester", "lab"
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


# Seconds: longer than an answer takes, shorter than one that hangs.
WAIT = 1.0


@dataclass(frozen=True)
class Request:
    """One that came. `path` is without the query; `range` as the client asked; `sent` counts the bytes of the body."""

    method: str
    path: str
    query: str
    range: str
    status: int
    sent: int
    authorization: str


@dataclass
class Fault:
    """What goes wrong at the next `times` requests of a method whose path holds `part`, after `skip` that go well.

    `what`: a status (`500`, `503`, `401`), `busy 7` (429 with Retry-After 7), `drop` (the connection ends in the middle
    of the body that comes or goes), `whole` (a range is answered with all), `hang` (an upload: nothing for 3 seconds,
    then the end).
    """

    what: str
    method: str = ""
    part: str = ""
    times: int = 1
    skip: int = 0


@dataclass
class Hub:
    """The server as a test sees it."""

    folder: Path
    blobs: Blobs
    token: str = "hf_" + "t0kenOfTheTests" * 2
    repos: dict[str, Repo] = field(default_factory=dict)
    noted: list[Request] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    # Bytes that are served at a path of any repository instead of those committed; the tree still tells the old ones.
    altered: dict[str, bytes] = field(default_factory=dict)
    # Changes what is said of the tree, for example a size.
    edit_tree: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda entries: entries
    page: int = 1000
    endpoint: str = ""
    storage: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    # Requests that are being answered: a client may have its answer before the request is noted.
    open: int = 0

    @property
    def requests(self) -> list[Request]:
        """The requests in the order in which their answers ended; those under way are waited for."""
        until = time.monotonic() + WAIT
        while self.open and time.monotonic() < until:
            time.sleep(0.001)
        return self.noted

    @property
    def bytes_sent(self) -> int:
        """Of all bodies."""
        return sum(request.sent for request in self.requests)

    @property
    def sent(self) -> Counter[str]:
        """The bytes of every file that was sent, by its path in its repository."""
        counted: Counter[str] = Counter()
        for request in self.requests:
            if match := re.search(r"/resolve/[^/]+/(.+)", request.path):
                counted[unquote(match[1])] += request.sent
            elif request.path.startswith("/objects/") and request.method == "GET":
                counted[unquote(request.query.removeprefix("file="))] += request.sent
        return counted

    def ranges(self, path: str) -> list[str]:
        """The ranges that were asked of a file, in order; "" for all of it."""
        return [
            request.range
            for request in self.requests
            if request.method == "GET"
            and request.status in (200, 206)
            and (request.path.endswith(f"/{quote(path)}") or request.query == f"file={quote(path)}")
        ]

    def repo(self, name: str) -> Repo:
        if name not in self.repos:
            raise Refused(404, "Repository not found", "RepoNotFound")
        return self.repos[name]

    def put_folder(self, name: str, folder: Path, tag: str | None = None) -> Repo:
        """A dataset with the files of a folder, as if a client had uploaded them; quicker."""
        repo = self.repos.setdefault(name, Repo(name, self.blobs))
        files = {
            file.relative_to(folder).as_posix(): file.read_bytes()
            for file in sorted(folder.rglob("*"))
            if file.is_file() and not file.is_symlink()
        }
        gone = {path: None for path in repo.resolve("main").files if path not in files and path != ".gitattributes"}
        repo.change({**files, **gone}, title="upload")
        if tag:
            repo.tags[tag] = repo.branches["main"]
        return repo

    def forget(self) -> None:
        """Count from here."""
        self.requests.clear()

    def environment(self, **more: str) -> dict[str, str]:
        """What a client's process runs with; a variable that is "" here is not set."""
        package = Path(carrara.__file__).parents[1]
        mine = {
            "HF_ENDPOINT": self.endpoint,
            "HF_TOKEN": self.token,
            "HF_HOME": str(self.folder / "home"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_OFFLINE": "",
            "NO_PROXY": "127.0.0.1",
            "PYTHONPATH": os.pathsep.join([str(package), str(Path(__file__).parent)]),
            **more,
        }
        unset = {"CARRARA_HUB_ENDPOINT", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_CACHE"}
        kept = {key: value for key, value in os.environ.items() if key not in unset}
        return {key: value for key, value in (kept | mine).items() if value}

    def run(self, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command against this server."""
        return subprocess.run(
            command, env=self.environment(**more), cwd=self.folder, capture_output=True, text=True, timeout=300
        )

    def carrara(self, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the command line against this server."""
        return self.run(sys.executable, "-m", "carrara", *map(str, arguments), **more)

    def python(self, code: str, **more: str) -> str:
        """Run code against this server, with `api` and the Hub's functions at hand; give what it prints."""
        lead = "import huggingface_hub as hub; from huggingface_hub import *; api = HfApi()\n"
        done = self.run(sys.executable, "-c", lead + code, **more)
        assert done.returncode == 0, done.stderr[-4000:]
        return done.stdout


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Of more connections at once than wait here, the others come a second later.
    request_queue_size = 128

    def __init__(self, hub: Hub, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.hub = hub

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed or has gone: nothing to tell."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are sent apart: the body would wait 40 ms for the acknowledgement of the headers.
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    @property
    def hub(self) -> Hub:
        return self.server.hub

    def handle_one(self) -> None:
        url = urlsplit(self.path)
        self.parts = [unquote(part) for part in url.path.split("/")[1:]]
        self.where, self.query = url.path, url.query
        self.asked = {key: values[-1] for key, values in parse_qs(url.query).items()}
        self.fault = self.next_fault()
        self.status = self.sent = 0
        with self.hub.lock:
            self.hub.open += 1
        try:
            if self.fault in ("hang", "drop") and self.command not in ("GET", "HEAD"):
                self.rfile.read(int(self.headers.get("Content-Length") or 0) // 2)
                time.sleep(3 if self.fault == "hang" else 0)
                self.hang_up()
            else:
                self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.answer()
        except Refused as error:
            self.say(error.status, {"error": error.message}, {"X-Error-Code": error.code} if error.code else {})
        finally:
            with self.hub.lock:
                self.hub.open -= 1
                self.hub.noted.append(
                    Request(
                        self.command,
                        self.where,
                        self.query,
                        self.headers.get("Range", ""),
                        self.status,
                        self.sent,
                        self.headers.get("Authorization", ""),
                    )
                )

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_one

    def next_fault(self) -> str:
        with self.hub.lock:
            for fault in self.hub.faults:
                if fault.times and fault.method in ("", self.command) and fault.part in unquote(self.path):
                    if fault.skip:
                        fault.skip -= 1
                        return ""
                    fault.times -= 1
                    return fault.what
        return ""

    def answer(self) -> None:
        if self.fault.startswith("busy "):
            self.say(429, {"error": "slow down"}, {"Retry-After": self.fault.removeprefix("busy ")})
        elif self.fault.isdigit():
            self.say(int(self.fault), {"error": f"told to say {self.fault}"})
        else:
            self.give()

    def give(self) -> None:
        raise NotImplementedError

    def say(self, status: int, what: object, headers: dict[str, str] | None = None) -> None:
        self.send(status, json.dumps(what).encode(), {"Content-Type": "application/json", **(headers or {})})

    def send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
        self.status = status
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        cut = len(data) // 2 if self.fault == "drop" else len(data)
        try:
            self.wfile.write(data[:cut])
            self.wfile.flush()
            self.sent = cut
        except OSError:
            self.close_connection = True
            return
        if self.fault == "drop":
            self.hang_up()

    def hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def send_file(self, data: bytes, headers: dict[str, str]) -> None:
        """A file or the range of it that is asked for."""
        headers = {"Content-Type": "application/octet-stream", "Accept-Ranges": "bytes", **headers}
        match = _RANGE.fullmatch(self.headers.get("Range", ""))
        if not match or self.fault == "whole":
            self.send(200, data, headers)
            return
        first, last = match.groups()
        start = int(first) if first else max(0, len(data) - int(last))
        end = min(int(last) + 1 if first and last else len(data), len(data))
        if start >= end:
            self.send(416, b"", {**headers, "Content-Range": f"bytes */{len(data)}"})
        else:
            self.send(206, data[start:end], {**headers, "Content-Range": f"bytes {start}-{end - 1}/{len(data)}"})


class _Storage(_Handler):
    """Where large files go to and come from: another origin, which takes no token."""

    def give(self) -> None:
        sha256 = self.parts[-1]
        if self.command == "PUT":
            if hashlib.sha256(self.body).hexdigest() != sha256:
                raise Refused(400, "the bytes are not those of the hash")
            self.hub.blobs.add(self.body)
            self.send(200, b"", {"ETag": f'"{sha256}"'})
            return
        data = self.hub.altered.get(self.asked["file"])
        if data is None:
            data = self.hub.blobs.path(sha256).read_bytes()
        self.send_file(data, {"ETag": f'"{sha256}"'})


class _Api(_Handler):
    """The Hub itself."""

    def give(self) -> None:
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token and token != self.hub.token:
            message = "Invalid credentials in Authorization header"
            self.say(401, {"error": message}, {"X-Error-Message": message})
            return
        self.known = bool(token)
        kind = self.parts[0] if self.parts[0] != "api" else f"api/{self.parts[1]}"
        match kind, self.parts:
            case "api/whoami-v2", _:
                self.needs_token()
                name = {"type": "user", "name": USER, "fullname": USER, "orgs": [{"type": "org", "name": ORGANIZATION}]}
                self.say(200, {**name, "auth": {"type": "access_token", "accessToken": {"role": "write"}}})
            case "api/validate-yaml", _:
                self.validate_yaml()
            case "api/repos", ["api", "repos", verb]:
                self.repos(verb)
            case "api/datasets", ["api", "datasets", owner, name, *rest]:
                self.dataset(self.visible(f"{owner}/{name}"), rest)
            case "datasets", ["datasets", owner, name, "info", "lfs", "objects", "batch"]:
                self.needs_token()
                self.batch(self.visible(f"{owner}/{name.removesuffix('.git')}"))
            case "datasets", ["datasets", owner, name, "resolve", revision, *path]:
                self.resolve(self.visible(f"{owner}/{name}"), revision, "/".join(path))
            case _:
                raise Refused(404, "Not found")

    def needs_token(self) -> None:
        if not self.known:
            raise Refused(401, "Invalid username or password.")

    def visible(self, name: str) -> Repo:
        # The Hub says 401 of what is not there, too, to a stranger.
        if not self.known and (name not in self.hub.repos or self.hub.repos[name].private):
            raise Refused(401, "Invalid username or password.", "RepoNotFound")
        return self.hub.repo(name)

    def validate_yaml(self) -> None:
        content = json.loads(self.body)["content"]
        try:
            match = re.match(r"---\n(.*?)\n---", content, re.DOTALL)
            facts = yaml.safe_load(match[1]) if match else {}
            wrong = "" if isinstance(facts, dict) else "metadata is no mapping"
        except yaml.YAMLError as error:
            wrong = str(error)
        told = [] if match else [{"message": "empty or missing yaml metadata in repo card"}]
        self.say(400 if wrong else 200, {"errors": [{"message": wrong}] if wrong else [], "warnings": told})

    def repos(self, verb: str) -> None:
        self.needs_token()
        asked = json.loads(self.body)
        owner = asked.get("organization") or USER
        name = f"{owner}/{asked['name']}"
        if asked.get("type") != "dataset" or owner not in (USER, ORGANIZATION):
            raise Refused(403, f"You don't have the rights to create a repo under the namespace {owner!r}")
        if verb == "delete":
            self.hub.repos.pop(self.hub.repo(name).id)
            self.say(200, {})
            return
        private = asked.get("private") or asked.get("visibility") == "private"
        with self.hub.lock:
            there = name in self.hub.repos
            if not there:
                self.hub.repos[name] = Repo(name, self.hub.blobs, bool(private))
        url = {"url": f"{self.hub.endpoint}/datasets/{name}", "name": name, "id": name}
        self.say(
            409 if there else 200, {**url, **({"error": "You already created this dataset repo"} if there else {})}
        )

    def dataset(self, repo: Repo, rest: list[str]) -> None:
        if self.command in ("POST", "DELETE", "PUT") and rest[:1] != ["paths-info"]:
            self.needs_token()
        match self.command, rest:
            case "GET", []:
                self.info(repo, "main")
            case "GET", ["revision", revision]:
                self.info(repo, revision)
            case "GET", ["tree", revision, *path]:
                self.tree(repo, revision, "/".join(path))
            case "GET", ["refs"]:
                self.say(
                    200, {"branches": _refs("heads", repo.branches), "tags": _refs("tags", repo.tags), "converts": []}
                )
            case "GET", ["commits", revision]:
                self.say(200, list(_history(repo, revision)))
            case "GET", ["auth-check"]:
                self.say(200, {})
            case "PUT", ["settings"]:
                asked = json.loads(self.body)
                repo.private = asked.get("private", asked.get("visibility") == "private")
                self.say(200, {"private": repo.private})
            case "POST", ["paths-info", revision]:
                self.paths_info(repo, revision)
            case "POST", ["preupload", revision]:
                self.preupload(repo, revision)
            case "POST", ["commit", branch]:
                self.commit(repo, branch)
            case "POST" | "DELETE", ["tag" | "branch" as kind, name]:
                self.reference(repo, kind, name)
            case _:
                raise Refused(404, "Not found")

    def info(self, repo: Repo, revision: str) -> None:
        commit = repo.resolve(revision)
        facts = {"_id": "0", "id": repo.id, "author": repo.id.split("/")[0], "sha": commit.oid, "private": repo.private}
        more = {"lastModified": "2026-01-02T03:04:05.000Z", "createdAt": "2026-01-02T03:04:05.000Z", "tags": []}
        siblings = [{"rfilename": path} for path in sorted(commit.files)]
        self.say(200, {**facts, **more, "gated": False, "disabled": False, "downloads": 0, "siblings": siblings})

    def tree(self, repo: Repo, revision: str, under: str) -> None:
        files = repo.resolve(revision).files
        lead = f"{under}/" if under else ""
        found: dict[str, dict[str, Any]] = {}
        for path, entry in files.items():
            if not path.startswith(lead):
                continue
            steps = path.removeprefix(lead).split("/")
            for depth in range(1, len(steps)):
                folder = lead + "/".join(steps[:depth])
                oid = hashlib.sha1(folder.encode()).hexdigest()
                found[folder] = {"type": "directory", "oid": oid, "size": 0, "path": folder}
                if self.asked.get("recursive", "").lower() != "true":
                    break
            else:
                found[path] = self.described(path, entry)
        if not found and under:
            raise Refused(404, f"{under} does not exist on {revision!r}", "EntryNotFound")
        entries = self.hub.edit_tree([found[path] for path in sorted(found)])
        if not isinstance(entries, list):
            self.say(200, entries)
            return
        size = min(self.hub.page, 50) if self.asked.get("expand", "").lower() == "true" else self.hub.page
        start = int(self.asked.get("cursor", "0"))
        headers = {}
        if start + size < len(entries):
            kept = "&".join(f"{key}={value}" for key, value in self.asked.items() if key != "cursor")
            headers["Link"] = f'<{self.hub.endpoint}{self.where}?{kept}&cursor={start + size}>; rel="next"'
        self.say(200, entries[start : start + size], headers)

    def described(self, path: str, entry: Entry) -> dict[str, Any]:
        told: dict[str, Any] = {"type": "file", "oid": entry.oid, "size": entry.size, "path": path}
        if entry.lfs:
            told["lfs"] = {"oid": entry.sha256, "size": entry.size, "pointerSize": 130}
        if self.asked.get("expand", "").lower() == "true":
            told["lastCommit"] = {"id": "0" * 40, "title": "change", "date": "2026-01-02T03:04:05.000Z"}
        return told

    def paths_info(self, repo: Repo, revision: str) -> None:
        asked = parse_qs(self.body.decode())
        files = repo.resolve(revision).files
        told = [self.described(path, files[path]) for path in asked.get("paths", []) if path in files]
        for path in asked.get("paths", []):
            if any(file.startswith(f"{path}/") for file in files):
                told.append(
                    {"type": "directory", "oid": hashlib.sha1(path.encode()).hexdigest(), "size": 0, "path": path}
                )
        self.say(200, self.hub.edit_tree(told))

    def preupload(self, repo: Repo, revision: str) -> None:
        there = repo.resolve(revision).files
        told = []
        for file in json.loads(self.body)["files"]:
            large = repo.is_large(file["path"], base64.b64decode(file["sample"]), file["size"])
            one = {"path": file["path"], "uploadMode": "lfs" if large else "regular", "shouldIgnore": False}
            if (entry := there.get(file["path"])) is not None:
                one["oid"] = entry.sha256 if entry.lfs else entry.oid
            told.append(one)
        self.say(200, {"files": told})

    def batch(self, repo: Repo) -> None:
        objects = []
        for one in json.loads(self.body)["objects"]:
            told = {"oid": one["oid"], "size": one["size"]}
            if not self.hub.blobs.path(one["oid"]).is_file():
                told["actions"] = {"upload": {"href": f"{self.hub.storage}/objects/{one['oid']}"}}
            objects.append(told)
        self.say(200, {"transfer": "basic", "objects": objects})

    def commit(self, repo: Repo, branch: str) -> None:
        lines = [json.loads(line) for line in self.body.splitlines() if line]
        header = next(line["value"] for line in lines if line["key"] == "header")
        with self.hub.lock:
            if branch not in repo.branches:
                raise Refused(404, f"Invalid rev id: {branch}", "RevisionNotFound")
            head = repo.resolve(branch)
            if header.get("parentCommit", head.oid) != head.oid:
                raise Refused(412, "A commit has happened since. Please refresh and try again.")
            files = dict(head.files)
            for line in lines:
                path = str(line["value"].get("path", ""))
                if line["key"] in ("file", "lfsFile") and any(
                    part in ("", ".", "..", ".git") for part in path.split("/")
                ):
                    raise Refused(400, f"invalid path {path}")
                match line["key"]:
                    case "file":
                        files[path] = repo.entry(base64.b64decode(line["value"]["content"]))
                    case "lfsFile":
                        files[path] = repo.lfs_entry(line["value"]["oid"])
                    case "deletedFile":
                        if files.pop(path, None) is None:
                            raise Refused(400, f"{path} does not exist")
                    case "deletedFolder":
                        files = {
                            name: entry for name, entry in files.items() if not name.startswith(f"{path.rstrip('/')}/")
                        }
            repo.branches[branch] = oid = repo.record(head.oid, header["summary"], files)
        self.say(
            200,
            {"success": True, "commitOid": oid, "commitUrl": f"{self.hub.endpoint}/datasets/{repo.id}/commit/{oid}"},
        )

    def reference(self, repo: Repo, kind: str, name: str) -> None:
        asked = json.loads(self.body or b"{}")
        known = repo.tags if kind == "tag" else repo.branches
        if self.command == "DELETE":
            if known.pop(name, None) is None:
                raise Refused(404, f"no {kind} {name}", "RevisionNotFound")
        else:
            # A tag's address names the revision that is tagged, a branch's its own name.
            start, made = (name, asked["tag"]) if kind == "tag" else (asked.get("startingPoint", "main"), name)
            if made in known:
                raise Refused(409, f"{kind} {made} already exists")
            known[made] = repo.resolve(start).oid
        self.say(200, {})

    def resolve(self, repo: Repo, revision: str, path: str) -> None:
        commit = repo.resolve(revision)
        if (entry := commit.files.get(path)) is None:
            raise Refused(404, "Entry not found", "EntryNotFound")
        headers = {"X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
        if entry.lfs:
            linked = {
                "X-Linked-Size": str(entry.size),
                "X-Linked-ETag": f'"{entry.sha256}"',
                "ETag": f'"{entry.sha256}"',
            }
            place = f"{self.hub.storage}/objects/{entry.sha256}?file={quote(path)}"
            self.send(302, b"", {**headers, **linked, "Location": place})
            return
        data = self.hub.altered.get(path)
        if data is None:
            data = self.hub.blobs.path(entry.sha256).read_bytes()
        self.send_file(data, {**headers, "ETag": f'"{entry.oid}"'})


def _refs(kind: str, names: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid} for name, oid in names.items()]


def _history(repo: Repo, revision: str) -> Iterator[dict[str, Any]]:
    oid = repo.resolve(revision).oid
    while oid:
        commit = repo.commits[oid]
        yield {
            "id": oid,
            "title": commit.title,
            "message": "",
            "date": "2026-01-02T03:04:05.000Z",
            "authors": [{"user": USER}],
        }
        oid = commit.parent


@contextmanager
def serve(folder: Path) -> Iterator[Hub]:
    """A Hub with no datasets, whose files lie in a new folder."""
    made = Hub(folder, Blobs(folder / "blobs"))
    with _Server(made, _Api) as api, _Server(made, _Storage) as storage:
        made.endpoint, made.storage = api.url, storage.url
        for server in (api, storage):
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield made
        for server in (api, storage):
            server.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A Hub with no datasets. Run clients through its `python` and `carrara`."""
    with serve(tmp_path / "hub") as made:
        yield made


@pytest.fixture
def client(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Hub's client in this process, as in one of its own, but that it does not wait for a busy Hub."""
    from huggingface_hub import close_session, constants

    constants_of_a_process = {
        "ENDPOINT": hub.endpoint,
        "HF_HUB_DISABLE_XET": True,
        "HF_HUB_OFFLINE": False,
        "HF_TOKEN_PATH": str(hub.folder / "token"),
    }
    for name, value in constants_of_a_process.items():
        monkeypatch.setattr(constants, name, value)
    for name, value in hub.environment().items():
        monkeypatch.setenv(name, value)
    close_session()
    monkeypatch.setattr("huggingface_hub.utils._http.time", SimpleNamespace(sleep=lambda seconds: None))


class Client:
    """One process that runs one command line after another: quicker than a process for each.

    `pauses` are the seconds for which the last command meant to wait; none of them passes.
    """

    CODE = """
import contextlib, io, json, os, sys, time
from carrara.cli.app import main
pauses = []
time.sleep = pauses.append
for line in sys.stdin:
    pauses.clear()
    out, err, code = io.StringIO(), io.StringIO(), 0
    words, more = json.loads(line)
    sys.argv = ["carrara", *words]
    kept = dict(os.environ)
    os.environ.update(more)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
    os.environ.clear()
    os.environ.update(kept)
    print(json.dumps([pauses, code, out.getvalue(), err.getvalue()]), file=sys.__stdout__, flush=True)
"""

    def __init__(self, hub: Hub) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", self.CODE],
            env=hub.environment(COLUMNS="200"),
            cwd=hub.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: object, **more: str) -> Done:
        """Run it. Of variables only those count that are not read when a library is imported: HF_TOKEN is one."""
        self.process.stdin.write(json.dumps([[str(argument) for argument in arguments], more]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the client died with {self.process.wait()}"
        self.pauses, *done = json.loads(line)
        return Done(*done)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
