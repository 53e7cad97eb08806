"""Models of the Hub at one commit: their folder in the Hub client's own cache. Weights are safetensors, no pickles."""

from pathlib import Path

from carrara.errors import SourceError
from carrara.sources.registry import REVISION

_WANTED = ("*.json", "*.txt", "*.model", "model*.safetensors", "*/model*.safetensors")
_UNWANTED = ("onnx/*", "openvino/*", "README.md")


def hub_model(repo: str, revision: str) -> Path:
    """The folder of a model repository at one commit. A commit that the cache holds asks nothing of the network."""
    if not REVISION.fullmatch(revision):
        raise SourceError(
            f"encoder {repo}: revision is {revision!r}, expected the 40 hex digits of a commit",
            f"Pin the commit: a branch or tag moves. https://huggingface.co/{repo}/commits/main lists them.",
        )
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise SourceError(
            f"encoder {repo}: the Hub client is not installed", "pip install 'carrara[hub]', or give a local folder."
        ) from error
    wanted, unwanted = list(_WANTED), list(_UNWANTED)
    try:
        return Path(snapshot_download(repo, revision=revision, allow_patterns=wanted, ignore_patterns=unwanted))
    except Exception as error:  # The client raises its own, its transport's and the system's errors.
        raise SourceError(
            f"encoder {repo} at {revision} could not be read ({type(error).__name__})",
            "Check the network and the access to the repository, or give a folder that holds the model.",
        ) from error
