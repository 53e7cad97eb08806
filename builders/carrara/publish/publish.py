"""Publishes a release as a dataset repository on the Hugging Face Hub: files, a check of what arrived, then the tag.

Large files are uploaded in batches, then main changes in one commit (in several if one would be too large for the
server). The tag, named like the version, comes last, and only if the Hub's hashes match the manifest. A run that stops
before that publishes nothing; the next one continues with what the Hub has. Nothing is written into the release's
folder. Must not change: the rules of `plan.py`. The token is never printed.
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
from carrara.text.extras import install

# Attempts at a busy Hub, those at one that has answered nothing yet, and the longest wait between two in seconds.
_TRIES, _FIRST_TRIES, _MAX_WAIT = 6, 3, 120.0
# One batch of files: small enough to show progress, large enough to share connections.
_BATCH_FILES, _BATCH_BYTES = 32, 512 * 1024 * 1024
_THREADS = 8
AnswerT = TypeVar("AnswerT")


class Hub:
    """One dataset repository on the Hub; requests are repeated while the Hub is busy."""

    def __init__(self, name: str, token_variable: str | None = None) -> None:
        """Raise CarraraError without huggingface_hub, and where the named variable holds no token."""
        try:
            from huggingface_hub import HfApi, constants, get_token
            from huggingface_hub.utils import disable_progress_bars
        except ImportError as error:
            raise CarraraError("publishing needs huggingface_hub", install("hub")) from error
        disable_progress_bars()
        self.name = name
        self.endpoint = constants.ENDPOINT
        self.url = f"{self.endpoint}/datasets/{name}"
        self._token = os.environ.get(token_variable, "").strip() if token_variable else get_token() or ""
        if token_variable and not self._token:
            raise CarraraError(f"the variable {token_variable} holds no token", "set it, or log in: hf auth login")
        self._api = HfApi(token=self._token or False)
        self._has_answered = False

    @property
    def has_token(self) -> bool:
        """Whether there is a token to write with."""
        return bool(self._token)

    def look(self, version: str) -> Repository:
        """The state of the repository: main's files, the tags, the manifests of main and of the version."""
        try:
            facts = self._asked(lambda: self._api.dataset_info(self.name))
        except _NothingError:
            return Repository(self.name)
        tags = {
            tag.name: tag.target_commit for tag in self._asked(lambda: self._api.list_repo_refs(**self._which)).tags
        }
        head = _oid(facts.sha)
        files = self.files(head)
        repository = Repository(self.name, True, bool(facts.private), head, files, tags)
        if MANIFEST in files:
            repository = replace(repository, manifest=self.read(MANIFEST, head, MAX_JSON_BYTES))
        if ERRATA in files:
            repository = replace(repository, errata=self.read(ERRATA, head, MAX_JSON_BYTES))
        if version in tags:
            repository = replace(repository, tagged=self.read(MANIFEST, self.commit_of(version), MAX_JSON_BYTES))
        return repository

    def commit_of(self, revision: str) -> str:
        """The commit that a tag or a branch names."""
        return _oid(self._asked(lambda: self._api.dataset_info(self.name, revision=revision)).sha)

    def files(self, commit: str) -> dict[str, Held]:
        """Every file of a commit."""

        def listed() -> dict[str, Held]:
            entries = self._api.list_repo_tree(recursive=True, revision=commit, **self._which)
            # Folders are listed, too, without a blob.
            files = [entry for entry in islice(entries, 2 * MAX_FILES) if hasattr(entry, "blob_id")]
            return {str(entry.path): _held(entry) for entry in files}

        return self._asked(listed)

    def read(self, path: str, commit: str, limit: int) -> bytes:
        """The bytes of a file of a commit. Raises ReleaseError where they are more than `limit`."""
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
                        raise _LargeError(
                            f"{self.name}: {shown(path)} has over {limit} bytes, expected at most that",
                            "Look at it on the Hub.",
                        )
            return bytes(data)

        return self._asked(fetched)

    def create(self, private: bool) -> None:
        """Make the repository."""
        self._asked(lambda: self._api.create_repo(private=private, exist_ok=True, **self._which))

    def send(self, files: Mapping[str, Path | bytes], watch: Watch) -> list[Any]:
        """Upload the large files, batch by batch; return the operations for `commit`. What the Hub has is not sent."""
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
        """Commit to main on top of `parent` only; return the new commit. Never repeated: after a failure look again."""
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
        """Place a tag on a commit. Raises ReleaseError where the tag exists."""
        self._asked(lambda: self._api.create_tag(tag=version, revision=commit, tag_message=message, **self._which))

    @property
    def _which(self) -> dict[str, str]:
        return {"repo_id": self.name, "repo_type": "dataset"}

    def _asked(self, call: Callable[[], AnswerT]) -> AnswerT:
        """The answer to a request that may be repeated; waits for a busy server, a few times."""
        for number in range(_TRIES):
            try:
                with self._told():
                    answer = call()
                self._has_answered = True
                return answer
            except _BusyError as error:
                if number == (_TRIES if self._has_answered else _FIRST_TRIES) - 1:
                    raise
                time.sleep(min(_MAX_WAIT, error.wait or 2.0**number))
        raise AssertionError("unreachable")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn errors of the client into ours, without the token."""
        try:
            yield
        except CarraraError:
            raise
        # The client raises its own errors, those of its HTTP library, and built-in ones on a malformed answer.
        except Exception as error:
            raise self._as_ours(error) from None

    def _as_ours(self, error: BaseException) -> CarraraError:
        from huggingface_hub.errors import RepositoryNotFoundError

        response = next(
            (answer for cause in _causes(error) if (answer := getattr(cause, "response", None)) is not None), None
        )
        status = int(getattr(response, "status_code", 0) or 0)
        # The client repeats what its transport said.
        text = " ".join(dict.fromkeys(str(cause) for cause in _causes(error)))
        text = text.replace(self._token, "***") if self._token else text
        detail = visible(" ".join(text.split()), 300)
        if isinstance(error, RepositoryNotFoundError):
            return _NothingError(
                f"the Hub has no repository {self.name}, or hides it from this token: {detail}",
                "Check --repo and HF_TOKEN.",
            )
        if response is None and _is_connection(error):
            return _BusyError(
                f"the Hub at {self.endpoint} cannot be reached: {detail}",
                "Check the network and HF_ENDPOINT, then publish again: it continues.",
            )
        if status in BUSY:
            self._has_answered = True
            wait = _seconds(str(response.headers.get("Retry-After", "")) if response is not None else "")
            return _BusyError(f"the Hub is busy (HTTP {status}): {detail}", "Publish again: it continues.", wait)
        if status in (401, 403):
            hint = f"set HF_TOKEN to a token that may write to {self.name}, or log in: hf auth login"
            return ReleaseError(f"the Hub refuses this token for {self.name} ({status}): {detail}", hint)
        if status in (409, 412):
            return _MovedError(f"{self.name} was changed by somebody else: {detail}", "Publish again.")
        return ReleaseError(
            f"the Hub refuses the request: {detail}", "Look at the repository, then publish again: it continues."
        )


class _BusyError(ReleaseError):
    """The Hub is busy or away; `wait` is the number of seconds that it asks for, or 0."""

    def __init__(self, message: str, hint: str, wait: float = 0.0) -> None:
        super().__init__(message, hint)
        self.wait = wait


class _MovedError(ReleaseError):
    """Another commit came first."""


class _LargeError(ReleaseError):
    """A file is larger than expected."""


class _NothingError(ReleaseError):
    """The repository does not exist, or the token may not see it."""


def publish(out: Outgoing, hub: Hub, private: bool, watch: Watch, errata: bytes | None = None) -> str:
    """Publish a release, or continue; return the commit of its tag. A published release is left alone.

    Raises ReleaseError where publication is refused, and ProofError where the uploaded files are not the release: then
    no tag is placed.
    """
    repository = hub.look(out.release.version)
    refuse_public(repository, private)
    kept = errata if errata is not None else repository.errata
    if is_published(out, repository):
        commit = hub.commit_of(out.release.version)
        if wrong := same_but_provenance(out, hub.files(commit)):
            raise ProofError(
                f"{hub.name} holds a damaged {out.title}: {'; '.join(wrong[:3])}",
                "Do not use it: publish a new version.",
            )
    else:
        if not repository.exists:
            hub.create(private)
        commit = _bring(out, hub, watch)
        _check(out, hub, commit, watch)
        hub.tag(out.release.version, commit, f"{out.title}, verified")
        if hub.commit_of(out.release.version) != commit:
            problem = (
                f"the tag {out.release.version} of {hub.name} names another commit than {commit}, which was checked"
            )
            raise ProofError(problem, "Look at the repository's tags: somebody else published at the same time.")
        watch.note(f"tag {out.release.version} placed on {commit}")
    if kept is not None:
        _put_errata(out, hub, kept, watch)
    return commit


def _put_errata(out: Outgoing, hub: Hub, errata: bytes, watch: Watch) -> None:
    """Commit the errata to main unless they are there: the commit of a version removes them."""
    repository = hub.look(out.release.version)
    if repository.errata != errata:
        hub.commit(hub.send({ERRATA: errata}, watch), [], f"Errata of {out.release.name}", repository.head)
        watch.note("errata committed to main")


def _bring(out: Outgoing, hub: Hub, watch: Watch) -> str:
    """Make main hold exactly the release; return its commit. After a failure look again: the commit may exist."""
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
        # Publish what was verified: a file may have changed since.
        if operation.upload_info.sha256.hex() != out.files[path].sha256:
            raise ProofError(f"{path} changed during the upload", "Verify the release, then publish again.")
    for number, (added, deleted) in enumerate(listed, 1):
        of = f" (part {number} of {len(listed)})" if len(listed) > 1 else ""
        head = hub.commit([by_path[path] for path in added], deleted, f"{out.title}{of}", head)
    return head


def _check(out: Outgoing, hub: Hub, commit: str, watch: Watch) -> None:
    """Check the commit: the Hub's hashes of the large files, and the small files read back."""
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
            results = pool.map(differs, small)
            wrong = [
                f"{path} has other bytes on the Hub" for path, is_other in zip(small, results, strict=True) if is_other
            ]
    if wrong:
        raise ProofError(
            f"the files of {hub.name} are not {out.title}: {'; '.join(wrong[:3])}",
            "No tag was placed: publish again. If the error stays, do not trust the repository.",
        )
    watch.note(f"checked: the {len(out.files)} uploaded files match the manifest")


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
    """An error and its causes: the client wraps those of its uploads."""
    chain: list[BaseException] = []
    while error is not None and error not in chain and len(chain) < 5:
        chain.append(error)
        error = error.__cause__
    return chain


def _is_connection(error: BaseException) -> bool:
    names = {name.__name__ for cause in _causes(error) for name in type(cause).__mro__}
    return bool(names & {"ConnectionError", "TimeoutException", "NetworkError", "RemoteProtocolError", "TimeoutError"})


def _seconds(text: str) -> float:
    return float(text) if re.fullmatch(r"[0-9]{1,6}", text) else 0.0
