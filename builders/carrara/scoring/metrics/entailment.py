"""Judges: is a statement supported by the passages that it cites?

`lexical`, the default, needs no model: a statement is supported where it names an accepted answer and every answer
that it names is stated by a cited passage (`facts.support`); an item must be such a name, whole. It is blind to all
else that a statement says. The other judges are models of natural language inference, asked with the cited passages as
premise (`Title: ...` and a line of text each, joined by lines) and the statement as hypothesis:

- `nli:<model>`: a transformers model in this process (`entailment_local.py`), a folder or a commit of the Hub
  (`model_folder.py`);
- `http(s)://host:port/v1#<model>`: a language model behind an OpenAI-compatible endpoint (`carrara.llm.judges`).

A judge's name is part of its metric's: `citations@nli:<model>`. Verdicts are kept per premise and hypothesis while the
process lives; only the first 20 passages that a statement cites are read.

A judge in this process: a transformers model that was trained to tell entailment.

Two kinds are taken: a classifier of pairs with one label that begins with "entail" (the verdict is that it is the
likeliest), and a model that writes its verdict after `premise: ... hypothesis: ...`, "1" for entailed, as Google's
t5_xxl_true_nli_mixture does. Weights are read from safetensors alone (others are pickles: convert them), and a model
brings no code of its own. Too long a premise loses its end, never the statement. A GPU is used where there is one.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Protocol

from carrara.scoring.errors import MetricError
from carrara.scoring.metrics.citations_row import ITEMS, Cited
from carrara.scoring.model_folder import model_folder

BATCH: Final = 16
# Of a model that states no longest input.
LONGEST: Final = 4_096
_WRITTEN: Final = 10
_CUTS: Final = 8


class LocalModel:
    """A model by what `model_folder` takes."""

    def __init__(self, name: str) -> None:
        """Load it; MetricError where the library or the model is not here, or where it is of neither kind."""
        try:
            import torch
            import transformers
        except ImportError as error:
            raise MetricError(f"nli:{name} needs transformers and torch: pip install 'carrara[semantic]'") from error
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
        except Exception as error:  # The library raises its own, its transport's and the system's errors.
            told = f"{type(error).__name__}: {error}"
            raise MetricError(f"got model {name!r}, which cannot be loaded ({told})") from error
        self._model: Any = model.to(device).eval()
        self._device = device
        self._entailed = -1 if self._writes else _entailed(name, config.id2label)
        self._longest = LONGEST
        # One that writes has no last position; what its tokenizer says would cut the statement off.
        if not self._writes:
            places = min(self._tokenizer.model_max_length, getattr(config, "max_position_embeddings", None) or LONGEST)
            # Some models keep two places for themselves.
            self._longest = max(8, min(LONGEST, int(places)) - 2)

    def entails(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """A verdict a pair, in batches of texts that are about as long."""
        found = [False] * len(pairs)
        order = sorted(range(len(pairs)), key=lambda number: len(pairs[number][0]) + len(pairs[number][1]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            texts = [tuple(map(_readable, pairs[number])) for number in batch]
            with self._torch.inference_mode():
                verdicts = self._written(texts) if self._writes else self._classified(texts)
            for number, verdict in zip(batch, verdicts, strict=True):
                found[number] = verdict
        return found

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
        """The text that is judged; the statement stands last, so that a premise is cut before they are put together."""
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
    found = [number for number, label in labels.items() if str(label).lower().startswith("entail")]
    if len(found) != 1:
        told = ", ".join(map(str, labels.values()))[:200]
        raise MetricError(f"got model {name!r} with labels {told}, expected one that begins with 'entail'")
    return int(found[0])


def _readable(text: str) -> str:
    """The text without lone surrogates, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


MOST_PASSAGES: Final = 20
_MOST_KEPT: Final = 1_000_000

# Numbers of passages, in the order cited, and a statement without its citations.
Query = tuple[tuple[int, ...], str]


class Judge(Protocol):
    """Says which statements of a response are supported."""

    def verdicts(self, row: Cited, queries: Sequence[Query]) -> list[bool]:
        """One verdict a query. Raises JudgeError where none can be had."""


class Entailment(Protocol):
    """A model of natural language inference."""

    def entails(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Whether the first text of a pair, the premise, entails the second. Raises JudgeError."""


class Lexical:
    """The judge without a model."""

    def verdicts(self, row: Cited, queries: Sequence[Query]) -> list[bool]:
        """By the names alone."""
        return [_supports(row, frozenset(cited), text) for cited, text in queries]


class Table:
    """Verdicts that are known: by cited numbers, in order, and claim; all else is not supported."""

    def __init__(self, known: Mapping[Query, bool]) -> None:
        self._known = dict(known)

    def verdicts(self, row: Cited, queries: Sequence[Query]) -> list[bool]:
        """What the table says."""
        return [self._known.get((cited, row.claim(text)), False) for cited, text in queries]


class Passages:
    """A model, asked about the passages of the prompt."""

    def __init__(self, model: Entailment) -> None:
        self._model = model
        self._known: dict[bytes, bool] = {}

    def verdicts(self, row: Cited, queries: Sequence[Query]) -> list[bool]:
        """The model's verdicts; it is asked at once, and never twice the same."""
        pairs = [(premise(row, cited), row.claim(text)) for cited, text in queries]
        keys = [_key(pair) for pair in pairs]
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._known}
        if new:
            if len(self._known) + len(new) > _MOST_KEPT:
                asked = {key: self._known[key] for key in keys if key in self._known}
                self._known = asked
            self._known |= zip(new, self._model.entails(list(new.values())), strict=True)
        return [self._known[key] for key in keys]


def premise(row: Cited, numbers: Sequence[int]) -> str:
    """The passages of those numbers as one text."""
    passages = (row.passage(number) for number in numbers[:MOST_PASSAGES])
    return "\n".join(f"Title: {title}\n{text}" for title, text in passages)


# Models that other rooms bring, by how their names begin, so that scoring needs no client of theirs.
_PLUGGED: Final[dict[str, Callable[[str], Entailment]]] = {}


def plug_in(beginning: str, make: Callable[[str], Entailment]) -> None:
    """Let `make` load the model of every judge whose name begins so."""
    _PLUGGED[beginning] = make


@lru_cache(maxsize=4)
def judge(name: str) -> Judge:
    """The judge of a name: `nli:<model>` or an endpoint with `#<model>`; loaded or checked once.

    Raises MetricError for another name, and for a model that cannot be had.
    """
    if name.startswith("nli:"):
        return Passages(LocalModel(name.removeprefix("nli:")))
    for beginning, make in _PLUGGED.items():
        if name.startswith(beginning):
            return Passages(make(name))
    if name.startswith(("http://", "https://")):
        raise MetricError(
            f"got judge {name!r}, but nothing here speaks to endpoints: call carrara.llm.judges.plug_in() first"
        )
    raise MetricError(f"judge {name!r} is unknown, expected nli:<model> or http://host:port/v1#<model>")


def _supports(row: Cited, cited: frozenset[int], text: str) -> bool:
    """A name that several answers share is stated where one of them is."""
    if row.kind == ITEMS:
        named = [whole] if (whole := row.names.whole(text)) else []
    else:
        named = [one.answers for one in row.names.found(text)]
    return bool(named) and all(any(row.support[answer] & cited for answer in answers) for answers in named)


def _key(pair: tuple[str, str]) -> bytes:
    return hashlib.sha256("\0".join(pair).encode("utf-8", "surrogatepass")).digest()
