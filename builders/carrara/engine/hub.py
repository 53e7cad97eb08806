"""Files of the Hugging Face Hub at a pinned commit, in the Hub client's own cache."""

import re
from pathlib import Path
from typing import Literal

from carrara.errors import SourceError

REVISION = re.compile(r"[0-9a-f]{40}")


def hub_file(repo: str, revision: str, path: str, repo_type: Literal["dataset", "model"] = "dataset") -> Path:
    """A file of a Hub repository at one commit, in the Hub client's own cache."""
    if not REVISION.fullmatch(revision):
        raise SourceError(
            f"Hub repository {repo}: revision is {revision!r}, expected the 40 hex digits of a commit",
            "Pin the commit: a branch or tag moves.",
        )
    try:
        from huggingface_hub import hf_hub_download
    except ImportError as error:
        raise SourceError(
            f"Hub repository {repo}: file {path} is needed and the Hub client is not installed",
            "pip install 'carrara[hub]', or give the file from a local folder.",
        ) from error
    try:
        return Path(hf_hub_download(repo, path, repo_type=repo_type, revision=revision))
    except Exception as error:  # The client raises its own, its transport's and the system's errors.
        raise SourceError(
            f"Hub repository {repo} at {revision}: file {path} could not be read ({type(error).__name__})",
            "Check the network and the access to the repository, or give the file from a local folder.",
        ) from error
