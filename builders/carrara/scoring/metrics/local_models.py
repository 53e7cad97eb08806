"""Models that metrics load in this process: where they come from, and a model of entailment.

A model is named by its folder (`/models/gte`, `./gte`, `../gte`, `~/gte`) or by a commit of a repository on the Hub
(`owner/name@<40 hex digits>`), which is fetched into the Hub client's cache. A bare word is neither: its meaning would
depend on the working directory. Weights are read from safetensors only (other formats are pickles: convert them), only
settings and safetensors are fetched, and a model's own code is never run.

`LocalModel` supports two kinds: a pair classifier with exactly one label that begins with "entail" (entailed if that is
the likeliest label), and a generative model that answers `premise: ... hypothesis: ...` with "1" for entailed, such as
Google's t5_xxl_true_nli_mixture. A premise that is too long is cut at its end; the statement never is. A GPU is used if
there is one.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from carrara.scoring.errors import MetricError
from carrara.text.extras import install

BATCH: Final = 16
# For a model that states no maximum length.
LONGEST: Final = 4_096
_WRITTEN: Final = 10
_CUTS: Final = 8
_HUB: Final = re.compile(r"([\w.-]{1,96}/[\w.-]{1,96})@([0-9a-f]{40})", re.ASCII)
_FOLDERS: Final = ("/", "./", "../", "~")
_WANTED: Final = ("*.json", "*.txt", "*.model", "model*.safetensors", "*/model*.safetensors")


def check_model(name: str) -> None:
    """Raise MetricError for an invalid name or a missing folder: at once, as the libraries take seconds to load."""
    if name.startswith(_FOLDERS):
        if not Path(name).expanduser().is_dir():
            raise MetricError(f"got model {name!r}, expected an existing folder")
    elif not _HUB.fullmatch(name):
        raise MetricError(
            f"got model {name!r}, expected a folder that begins with /, ./, ../ or ~, or OWNER/NAME@COMMIT on the Hub "
            "with a full commit of 40 hex digits"
        )


def model_folder(name: str) -> Path:
    """Return the folder of a model. Raises MetricError for an invalid name, a missing model, or pickled weights."""
    check_model(name)
    folder = Path(name).expanduser() if name.startswith(_FOLDERS) else _fetched(*name.split("@"))
    for file in sorted(folder.rglob("pytorch_model*.bin")):
        if not any(file.parent.glob("model*.safetensors")):
            raise MetricError(
                f"got model {name!r} with the pickle {file.relative_to(folder)}, expected safetensors only: save it "
                "again with model.save(folder) or model.save_pretrained(folder)"
            )
    return folder


def _fetched(repo: str, commit: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MetricError(f"got model {repo!r} on the Hub, which needs huggingface_hub: {install('hub')}") from error
    try:
        return Path(snapshot_download(repo, revision=commit, allow_patterns=list(_WANTED)))
    except Exception as error:  # The client, its transport and the system raise errors of many types.
        raise MetricError(f"got model {repo}@{commit}, which cannot be fetched ({type(error).__name__})") from error


class LocalModel:
    """An entailment model, named as `model_folder` takes it."""

    def __init__(self, name: str) -> None:
        """Load the model. Raises MetricError if it or the library is missing, or if it is of neither kind."""
        check_model(name)
        try:
            import torch
            import transformers
        except ImportError as error:
            raise MetricError(f"nli:{name} needs transformers and torch: {install('retrieval')}") from error
        self._torch = torch
        folder = model_folder(name)
        device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            config = transformers.AutoConfig.from_pretrained(folder, trust_remote_code=False)
            self._writes = bool(config.is_encoder_decoder) and not _is_classifier(config)
            kind = (
                transformers.AutoModelForSeq2SeqLM if self._writes else transformers.AutoModelForSequenceClassification
            )
            model = kind.from_pretrained(
                folder,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.bfloat16 if device == "cuda" and self._writes else torch.float32,
            )
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        except Exception as error:  # The library, its transport and the system raise errors of many types.
            cause = f"{type(error).__name__}: {error}"
            raise MetricError(f"got model {name!r}, which cannot be loaded ({cause})") from error
        self._model: Any = model.to(device).eval()
        self._device = device
        self._entailed = -1 if self._writes else _entailed(name, config.id2label)
        self._longest = LONGEST
        # A generative model has no last position, and its tokenizer's limit would cut the statement off.
        if not self._writes:
            places = min(self._tokenizer.model_max_length, getattr(config, "max_position_embeddings", None) or LONGEST)
            # Some models reserve two positions.
            self._longest = max(8, min(LONGEST, int(places)) - 2)

    def entails(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return a verdict for each (premise, claim), computed in batches of similar length."""
        entailed = [False] * len(pairs)
        order = sorted(range(len(pairs)), key=lambda number: len(pairs[number][0]) + len(pairs[number][1]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            texts = [tuple(map(_readable, pairs[number])) for number in batch]
            with self._torch.inference_mode():
                verdicts = self._written(texts) if self._writes else self._classified(texts)
            for number, verdict in zip(batch, verdicts, strict=True):
                entailed[number] = verdict
        return entailed

    def _classified(self, texts: list[Any]) -> list[bool]:
        tokens = self._tokenizer(
            [premise for premise, _ in texts],
            [claim for _, claim in texts],
            truncation="longest_first",
            max_length=self._longest,
            padding=True,
            return_tensors="pt",
        ).to(self._device)
        likeliest = self._model(**tokens).logits.argmax(dim=-1).tolist()
        return [label == self._entailed for label in likeliest]

    def _written(self, texts: list[Any]) -> list[bool]:
        asked = [self._asked(*text) for text in texts]
        tokens = self._tokenizer(
            asked, truncation=True, max_length=self._longest, padding=True, return_tensors="pt"
        ).to(self._device)
        tokens.pop("token_type_ids", None)
        written = self._model.generate(**tokens, max_new_tokens=_WRITTEN, do_sample=False, num_beams=1)
        return [text.strip() == "1" for text in self._tokenizer.batch_decode(written, skip_special_tokens=True)]

    def _asked(self, premise: str, claim: str) -> str:
        """The input text. The statement comes last, so a long premise is cut first."""
        for _ in range(_CUTS):
            asked = f"premise: {premise} hypothesis: {claim}"
            tokens = len(self._tokenizer(asked, verbose=False).input_ids)
            if tokens <= self._longest or not premise:
                break
            premise = premise[: len(premise) * self._longest * 9 // (tokens * 10)]
        return asked


def _is_classifier(config: Any) -> bool:
    return any("SequenceClassification" in name for name in config.architectures or ())


def _entailed(name: str, labels: dict[int, str]) -> int:
    numbers = [number for number, label in labels.items() if str(label).lower().startswith("entail")]
    if len(numbers) != 1:
        names = ", ".join(map(str, labels.values()))[:200]
        raise MetricError(f"got model {name!r} with labels {names}, expected one that begins with 'entail'")
    return int(numbers[0])


def _readable(text: str) -> str:
    """The text without lone surrogates, which tokenizers reject."""
    return text.encode("utf-8", "replace").decode("utf-8")
