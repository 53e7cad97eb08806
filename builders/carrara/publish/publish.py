"""Publishes a release as a dataset repository on the Hugging Face Hub: files, a check of what arrived, then the tag.

Large files go up in batches, then main changes in one commit (in several where one would be too much for the server);
the tag, which is the version, comes last, and only when the Hub's own hashes are the manifest's. Whatever is stopped
before that is not published, and publishing again goes on: the Hub says what it has. Nothing is written into the
release's folder. Must not change: what `plan.py` says. The token is never printed.
"""

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from carrara.engine.hub import BUSY, REVISION
from carrara.engine.processes import Watch
from carrara.errors import CarraraError, ProofError, ReleaseError
from carrara.publish.plan import (
    MAX_OPERATIONS,
    Changes,
    Held,
    Outgoing,
    Repository,
    changes,
    is_published,
    kind_of,
    misfits,
    parts,
    refuse_public,
    same_but_provenance,
)
from carrara.release.reader import MAX_JSON_BYTES
from carrara.release.schema import ERRATA, MANIFEST, MAX_FILES, shown
from carrara.text.display import visible

# How often a busy Hub is asked before it is an error.
_TRIES, _MAX_WAIT = 6, 120.0
# Files that go up together: small enough that progress moves, large enough that connections are shared.
_BATCH_FILES, _BATCH_BYTES = 32, 512 * 1024 * 1024
_THREADS = 8
AnswerT = TypeVar("AnswerT")


class Hub:
    """One dataset repository, asked with patience."""

    def __init__(self, name: str, token_variable: str | None = None) -> None:
        """Raises CarraraError without the Hub's client, and where the variable that is named holds no token."""
        try:
            from huggingface_hub import HfApi, constants, get_token
            from huggingface_hub.utils import disable_progress_bars
        except ImportError as error:
            raise CarraraError("publishing needs huggingface_hub", "pip install 'carrara[hub]'") from error
        disable_progress_bars()
        self.name = name
        self.url = f"{constants.ENDPOINT}/datasets/{name}"
        self._token = os.environ.get(token_variable, "").strip() if token_variable else get_token() or ""
        if token_variable and not self._token:
            raise CarraraError(f"the variable {token_variable} holds no token", "set it, or log in: hf auth login")
        self._api = HfApi(token=self._token or False)

    @property
    def has_token(self) -> bool:
        """Whether there is a token to write with."""
        return bool(self._token)

    def look(self, version: str) -> Repository:
        """What is there: main's files, the tags, the manifests of main and of the version."""
        try:
            facts = self._asked(lambda: self._api.dataset_info(self.name))
        except _NothingError:
            return Repository(self.name)
        tags = {
            tag.name: tag.target_commit for tag in self._asked(lambda: self._api.list_repo_refs(**self._which)).tags
        }
        head = _oid(facts.sha)
        files = self.files(head)
        found = Repository(self.name, True, bool(facts.private), head, files, tags)
        if MANIFEST in files:
            found = replace(found, manifest=self.read(MANIFEST, head, MAX_JSON_BYTES))
        if ERRATA in files:
            found = replace(found, errata=self.read(ERRATA, head, MAX_JSON_BYTES))
        if version in tags:
            found = replace(found, tagged=self.read(MANIFEST, self.commit_of(version), MAX_JSON_BYTES))
        return found

    def commit_of(self, revision: str) -> str:
        """The commit that a tag or a branch names."""
        return _oid(self._asked(lambda: self._api.dataset_info(self.name, revision=revision)).sha)

    def files(self, commit: str) -> dict[str, Held]:
        """Every file of a commit."""

        def listed() -> dict[str, Held]:
            entries = self._api.list_repo_tree(recursive=True, revision=commit, **self._which)
            # Folders are listed, too, and have no content.
            files = [entry for entry in islice(entries, 2 * MAX_FILES) if hasattr(entry, "blob_id")]
            return {str(one.path): _held(one) for one in files}

        return self._asked(listed)

    def read(self, path: str, commit: str, limit: int) -> bytes:
        """A file of a commit, whole. Raises ReleaseError where it has more bytes than that."""
        from huggingface_hub.utils import build_hf_headers, hf_raise_for_status, http_stream_backoff

        def fetched() -> bytes:
            address = f"{self.url}/resolve/{commit}/{quote(path)}"
            headers = build_hf_headers(token=self._token or False)
            data = bytearray()
            with http_stream_backoff("GET", address, headers=headers, follow_redirects=True) as response:
                hf_raise_for_status(response)
                for block in response.iter_bytes():
                    data += block
                    if len(data) > limit:
                        raise _LargeError(f"{self.name}: {shown(path)} has over {limit} bytes", "look at it there")
            return bytes(data)

        return self._asked(fetched)

    def create(self, private: bool) -> None:
        """Make the repository."""
        self._asked(lambda: self._api.create_repo(private=private, exist_ok=True, **self._which))

    def send(self, files: Mapping[str, Path | bytes], watch: Watch) -> list[Any]:
        """Send the large ones of these files, batch by batch; gives what `commit` takes. What is there is not sent."""
        from huggingface_hub import CommitOperationAdd

        operations = []
        for batch in _batches(files):
            made = [
                CommitOperationAdd(path, str(data) if isinstance(data, Path) else data) for path, data in batch.items()
            ]
            self._send(made)
            operations += made
            for operation in made:
                watch.advance(kind_of(operation.path_in_repo), 1, operation.upload_info.size)
        return operations

    def _send(self, operations: list[Any]) -> None:
        self._asked(
            lambda: self._api.preupload_lfs_files(
                additions=operations, revision="main", free_memory=False, **self._which
            )
        )

    def commit(self, operations: list[Any], deleted: Sequence[str], message: str, parent: str) -> str:
        """Commit to main, onto `parent` and nothing else; the new commit. Asked once: who fails looks again."""
        from huggingface_hub import CommitOperationDelete

        with self._told():
            gone = [CommitOperationDelete(path, is_folder=False) for path in deleted]
            made = self._api.create_commit(
                operations=[*operations, *gone],
                commit_message=message,
                revision="main",
                parent_commit=parent,
                **self._which,
            )
        return _oid(made.oid)

    def tag(self, version: str, commit: str, message: str) -> None:
        """Place a tag on a commit; that it stands already is an error."""
        self._asked(lambda: self._api.create_tag(tag=version, revision=commit, tag_message=message, **self._which))

    @property
    def _which(self) -> dict[str, str]:
        return {"repo_id": self.name, "repo_type": "dataset"}

    def _asked(self, call: Callable[[], AnswerT]) -> AnswerT:
        """The answer to what may be asked twice; waits as long as a busy server says, and not for ever."""
        for number in range(_TRIES):
            try:
                with self._told():
                    return call()
            except _BusyError as error:
                if number == _TRIES - 1:
                    raise
                time.sleep(min(_MAX_WAIT, error.wait or 2.0**number))
        raise AssertionError("unreachable")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of the client as ours, without the token."""
        try:
            yield
        except CarraraError:
            raise
        # The client raises its own errors, those of its HTTP library, and plain ones on an answer of odd form.
        except Exception as error:
            raise self._as_ours(error) from None

    def _as_ours(self, error: BaseException) -> CarraraError:
        from huggingface_hub.errors import RepositoryNotFoundError

        response = next(
            (found for one in _causes(error) if (found := getattr(one, "response", None)) is not None), None
        )
        status = int(getattr(response, "status_code", 0) or 0)
        text = " ".join(str(one) for one in _causes(error))
        text = text.replace(self._token, "***") if self._token else text
        told = visible(" ".join(text.split()), 300)
        if isinstance(error, RepositoryNotFoundError):
            return _NothingError(
                f"the Hub has no repository {self.name}, or hides it from this token: {told}",
                "Check --repo and HF_TOKEN.",
            )
        if status in BUSY or (response is None and _is_connection(error)):
            wait = str(response.headers.get("Retry-After", "")) if response is not None else ""
            return _BusyError(
                f"the Hub is busy{f' (HTTP {status})' if status else ''}: {told}",
                "publish again: it goes on",
                _seconds(wait),
            )
        if status in (401, 403):
            hint = f"set HF_TOKEN to a token that may write to {self.name}, or log in: hf auth login"
            return ReleaseError(f"the Hub refuses this token for {self.name} ({status}): {told}", hint)
        if status in (409, 412):
            return _MovedError(f"{self.name} was changed by another: {told}", "publish again")
        return ReleaseError(
            f"the Hub refuses the request: {told}", "Look at the repository, then publish again: it goes on."
        )


class _BusyError(ReleaseError):
    """The Hub is busy; it asks for `wait` seconds of patience, or 0."""

    def __init__(self, message: str, hint: str, wait: float = 0.0) -> None:
        super().__init__(message, hint)
        self.wait = wait


class _MovedError(ReleaseError):
    """Another commit came first."""


class _LargeError(ReleaseError):
    """A file has more bytes than it may have."""


class _NothingError(ReleaseError):
    """No such repository, as far as this token sees."""


def publish(out: Outgoing, hub: Hub, private: bool, watch: Watch, errata: bytes | None = None) -> str:
    """Publish a release, or go on with it; the commit that its tag names. What is published already is left alone.

    Raises ReleaseError where it is refused, ProofError where what arrived is not the release: then no tag is placed.
    """
    repository = hub.look(out.release.version)
    refuse_public(repository, private)
    kept = errata if errata is not None else repository.errata
    if is_published(out, repository):
        commit = hub.commit_of(out.release.version)
        if wrong := same_but_provenance(out, hub.files(commit)):
            raise ProofError(
                f"{hub.name} has {out.title}, and it is not whole: {'; '.join(wrong[:3])}", "do not use it"
            )
    else:
        if not repository.exists:
            hub.create(private)
        commit = _bring(out, hub, watch)
        _check(out, hub, commit, watch)
        hub.tag(out.release.version, commit, f"{out.title}, verified")
        if hub.commit_of(out.release.version) != commit:
            told = f"the tag {out.release.version} of {hub.name} names another commit than {commit}, which was checked"
            raise ProofError(told, "look at the repository's tags: another published at the same time")
        watch.note(f"tag {out.release.version} placed on {commit}")
    if kept is not None:
        _put_errata(out, hub, kept, watch)
    return commit


def _put_errata(out: Outgoing, hub: Hub, errata: bytes, watch: Watch) -> None:
    """Put the errata on main, in a commit of their own, if they are not there: a version's commit took them off."""
    repository = hub.look(out.release.version)
    if repository.errata != errata:
        hub.commit(hub.send({ERRATA: errata}, watch), [], f"Errata of {out.release.name}", repository.head)
        watch.note("errata put on main")


def _bring(out: Outgoing, hub: Hub, watch: Watch) -> str:
    """Make main hold exactly the release; the commit. A commit that fails is looked at again: it may have arrived."""
    for number in range(_TRIES):
        repository = hub.look(out.release.version)
        planned = changes(out, repository)
        if not planned.any:
            return repository.head
        try:
            return _commit(out, hub, planned, repository.head, watch, max(1, MAX_OPERATIONS >> number))
        except _BusyError as error:
            if number == _TRIES - 1:
                raise
            watch.note(f"{error.message}; looking again")
            time.sleep(min(_MAX_WAIT, error.wait or 2.0**number))
    raise AssertionError("unreachable")


def _commit(out: Outgoing, hub: Hub, planned: Changes, head: str, watch: Watch, most: int) -> str:
    listed = list(parts(out, planned, most))
    operations = hub.send({path: out.folder / path for added, _ in listed for path in added}, watch)
    by_path = {operation.path_in_repo: operation for operation in operations}
    for path, operation in by_path.items():
        # What was verified is what goes out, also if the file was changed since.
        if operation.upload_info.sha256.hex() != out.files[path].sha256:
            raise ProofError(f"{path} was changed while it was published", "verify the release, then publish again")
    for number, (added, deleted) in enumerate(listed, 1):
        of = f" (part {number} of {len(listed)})" if len(listed) > 1 else ""
        head = hub.commit([by_path[path] for path in added], deleted, f"{out.title}{of}", head)
    return head


def _check(out: Outgoing, hub: Hub, commit: str, watch: Watch) -> None:
    """The Hub's own hashes of the large files, and the small files read back, against the release."""
    held = hub.files(commit)
    wrong = list(misfits(out, held))
    if not wrong:
        small = sorted(path for path in out.files if not held[path].sha256)

        def differs(path: str) -> bool:
            try:
                data = hub.read(path, commit, out.files[path].bytes)
            except _LargeError:
                return True
            return hashlib.sha256(data).hexdigest() != out.files[path].sha256

        with ThreadPoolExecutor(_THREADS) as pool:
            found = pool.map(differs, small)
            wrong = [f"{path} has other bytes there" for path, is_other in zip(small, found, strict=True) if is_other]
    if wrong:
        raise ProofError(
            f"what arrived at {hub.name} is not {out.title}: {'; '.join(wrong[:3])}",
            "no tag was placed: publish again; if it stays so, the repository is not to be trusted",
        )
    watch.note(f"checked: {len(out.files)} files arrived as they are in the manifest")


def _batches(files: Mapping[str, Path | bytes]) -> Iterator[dict[str, Path | bytes]]:
    batch: dict[str, Path | bytes] = {}
    size = 0
    for path, data in files.items():
        batch[path] = data
        size += data.stat().st_size if isinstance(data, Path) else len(data)
        if len(batch) == _BATCH_FILES or size >= _BATCH_BYTES:
            yield batch
            batch, size = {}, 0
    if batch:
        yield batch


def _held(entry: Any) -> Held:
    large = entry.lfs
    return Held(int(large.size if large else entry.size), str(large.sha256) if large else "", str(entry.blob_id))


def _oid(value: Any) -> str:
    if not isinstance(value, str) or not REVISION.fullmatch(value):
        raise ReleaseError(f"got the commit {shown(value)} from the Hub, expected 40 hexadecimal digits", "Try again.")
    return value


def _causes(error: BaseException | None) -> list[BaseException]:
    """An error and what it came of: the client wraps those of its uploads."""
    found: list[BaseException] = []
    while error is not None and error not in found and len(found) < 5:
        found.append(error)
        error = error.__cause__
    return found


def _is_connection(error: BaseException) -> bool:
    names = {name.__name__ for one in _causes(error) for name in type(one).__mro__}
    return bool(names & {"ConnectionError", "TimeoutException", "NetworkError", "RemoteProtocolError", "TimeoutError"})


def _seconds(text: str) -> float:
    return float(text) if re.fullmatch(r"[0-9]{1,6}", text) else 0.0
