"""Where the model of a plugged metric lies: a folder that is named as one, or one commit of a repository on the Hub.

`/models/gte`, `./gte`, `../gte` and `~/gte` are folders; `owner/name@<40 hex digits>` is a commit of the Hub, fetched
into its client's own cache. A bare word is neither: what it names would depend on where the command runs and on what
lies there. Weights are safetensors alone, and of the Hub nothing but settings and safetensors is fetched: code that
comes with a model is never run.
"""

import re
from pathlib import Path
from typing import Final

from carrara.scoring.errors import MetricError

_HUB: Final = re.compile(r"([\w.-]{1,96}/[\w.-]{1,96})@([0-9a-f]{40})", re.ASCII)
_FOLDERS: Final = ("/", "./", "../", "~")
_WANTED: Final = ("*.json", "*.txt", "*.model", "model*.safetensors", "*/model*.safetensors")


def model_folder(name: str) -> Path:
    """The folder of a model. Raises MetricError for another name, a model that cannot be had, and pickled weights."""
    if name.startswith(_FOLDERS):
        folder = Path(name).expanduser()
        if not folder.is_dir():
            raise MetricError(f"got model {name!r}, and there is no such folder")
    elif match := _HUB.fullmatch(name):
        folder = _fetched(match[1], match[2])
    else:
        raise MetricError(
            f"got model {name!r}, expected a folder that begins with /, ./, ../ or ~, or OWNER/NAME@COMMIT of the Hub "
            "with the 40 hex digits of a commit"
        )
    for file in sorted(folder.rglob("pytorch_model*.bin")):
        if not any(file.parent.glob("model*.safetensors")):
            raise MetricError(
                f"got model {name!r} with the pickle {file.relative_to(folder)}, expected safetensors alone: save it "
                "anew with model.save(folder) or model.save_pretrained(folder)"
            )
    return folder


def _fetched(repo: str, commit: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MetricError(f"got model {repo!r} of the Hub, which needs pip install 'carrara[hub]'") from error
    try:
        return Path(snapshot_download(repo, revision=commit, allow_patterns=list(_WANTED)))
    except Exception as error:  # The client raises its own, its transport's and the system's errors.
        raise MetricError(f"got model {repo}@{commit}, which cannot be fetched ({type(error).__name__})") from error
