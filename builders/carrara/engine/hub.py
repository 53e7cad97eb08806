"""Files of the Hugging Face Hub at a pinned commit, in the Hub client's own cache.

Only a commit is read, since a branch or tag moves. Of models, safetensors alone are fetched, never pickles.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from carrara.errors import MissingLibraryError, SourceError, library

REVISION: Final = re.compile(r"[0-9a-f]{40}")
# What the Hub answers when it is busy, or asked too often: worth another attempt, after the wait it asks for.
BUSY: Final = frozenset({408, 429, 500, 502, 503, 504})
_MODEL_FILES: Final = ("*.json", "*.txt", "*.model", "model*.safetensors", "*/model*.safetensors")
_NO_MODEL_FILES: Final = ("onnx/*", "openvino/*", "README.md")


def hub_file(repo: str, revision: str, path: str, repo_type: Literal["dataset", "model"] = "dataset") -> Path:
    """A file of a Hub repository at one commit. Raises SourceError where it cannot be had."""

    def fetch(hub: Any) -> str:
        return str(hub.hf_hub_download(repo, path, repo_type=repo_type, revision=revision))

    return _pinned(fetch, f"Hub repository {repo}", revision, f"file {path}")


def is_cached(repo: str, revision: str, path: str, repo_type: Literal["dataset", "model"] = "dataset") -> bool:
    """Whether the Hub client's cache holds a file at one commit. Asks nothing of the network."""
    try:
        hub = library("huggingface_hub", "hub")
        return isinstance(hub.try_to_load_from_cache(repo, path, revision=revision, repo_type=repo_type), str)
    except (MissingLibraryError, ValueError):  # The client raises ValueError on a name that is none.
        return False


def hub_model(repo: str, revision: str) -> Path:
    """The folder of a model repository at one commit. A commit that the cache holds asks nothing of the network."""

    def fetch(hub: Any) -> str:
        allowed, ignored = list(_MODEL_FILES), list(_NO_MODEL_FILES)
        return str(hub.snapshot_download(repo, revision=revision, allow_patterns=allowed, ignore_patterns=ignored))

    return _pinned(fetch, f"encoder {repo}", revision, "its files")


def _pinned(fetch: Callable[[Any], str], repository: str, revision: str, wanted: str) -> Path:
    if not REVISION.fullmatch(revision):
        raise SourceError(
            f"{repository}: revision is {revision!r}, expected the 40 hex digits of a commit",
            "Pin the commit: a branch or tag moves. The repository's page lists its commits.",
        )
    try:
        hub = library("huggingface_hub", "hub")
    except MissingLibraryError as error:
        raise SourceError(
            f"{repository}, {wanted}: {error.message}",
            f"{error.hint}, or give a local folder that holds it.",
        ) from error
    try:
        return Path(fetch(hub))
    except Exception as error:  # The client raises its own, its transport's and the system's errors.
        raise SourceError(
            f"{repository} at {revision}: {wanted} could not be read ({type(error).__name__})",
            "Check the network and the access to the repository, or give a local folder that holds it.",
        ) from error
