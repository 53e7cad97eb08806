"""The row: what a user downloads. One schema for every task, and the canonical bytes that identify a row.

The column order, the types and the canonical bytes are frozen: a change of any of them changes the digest of every
row ever released.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

import pyarrow as pa

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("item", pa.string(), nullable=False),
        pa.field("task", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("bucket", pa.string(), nullable=False),
        pa.field("tokens", pa.int32(), nullable=False),
        pa.field("max_output_tokens", pa.int32(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),
        pa.field("answers", pa.list_(pa.string()), nullable=False),
        pa.field("choices", pa.list_(pa.string()), nullable=False),
        pa.field("complexity", pa.int32(), nullable=False),
        pa.field("group", pa.string(), nullable=False),
        pa.field("depths", pa.list_(pa.float64()), nullable=False),
        pa.field("evidence", pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64())])), nullable=False),
        pa.field("facts", pa.string(), nullable=False),
        pa.field("answer_prefix", pa.string(), nullable=False),
        pa.field("prompt", pa.large_string(), nullable=False),
    ]
)

_DIGEST_LINE = re.compile(r"([0-9a-f]{64})  ([!-~]{1,400})")


class Span(TypedDict):
    """A span of evidence as Arrow returns it: code points of the prompt."""

    start: int
    end: int


class ArrowRow(TypedDict):
    """A row as Arrow returns it, lists for tuples; one that was read for some columns holds those alone."""

    id: str
    item: str
    task: str
    variant: str
    bucket: str
    tokens: int
    max_output_tokens: int
    metric: str
    answers: list[str]
    choices: list[str]
    complexity: int
    group: str
    depths: list[float]
    evidence: list[Span]
    facts: str
    answer_prefix: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Row:
    """One item at one length, ready to send to a model. Columns as in SCHEMA."""

    id: str
    """`<benchmark>/<task>[_<variant>]/<bucket>/<index>`: what a response is given by."""
    item: str
    """`<benchmark>/<task>[_<variant>]/<index>`: the problem, the same in every bucket."""
    task: str
    """The task, such as `single_needle`."""
    variant: str
    """The variant of the task, such as `en`; "" where it has none."""
    bucket: str
    """The size class: `32k`, `128k`, `1M`."""
    tokens: int
    """Tokens of `prompt`, counted with the release's tokenizer."""
    max_output_tokens: int
    """Tokens that an answer may take; with `tokens` at most the bucket."""
    metric: str
    """The metric that scores a response."""
    answers: tuple[str, ...]
    """The accepted answers; none in a sealed release."""
    choices: tuple[str, ...]
    """The options that the prompt gives, if it gives any."""
    complexity: int
    """The task's own measure of difficulty: facts in a chain, items in a list."""
    group: str
    """Rows with the same group are one question, asked at several depths, lengths or in several orders."""
    depths: tuple[float, ...]
    """Where each piece of evidence stands, as a share of the context from 0 to 1."""
    evidence: tuple[tuple[int, int], ...]
    """Spans of the evidence as (start, end) in characters: `prompt[start:end]`."""
    facts: str
    """More about the row, as JSON; its fields are the task's own."""
    answer_prefix: str
    """Text that the model's turn begins with, where the paper has it; else ""."""
    prompt: str
    """What the model is sent."""

    def to_arrow(self) -> ArrowRow:
        """The row as Arrow returns it from `to_pylist`: lists for tuples, spans as structs."""
        return {
            "id": self.id,
            "item": self.item,
            "task": self.task,
            "variant": self.variant,
            "bucket": self.bucket,
            "tokens": self.tokens,
            "max_output_tokens": self.max_output_tokens,
            "metric": self.metric,
            "answers": list(self.answers),
            "choices": list(self.choices),
            "complexity": self.complexity,
            "group": self.group,
            "depths": list(self.depths),
            "evidence": [{"start": start, "end": end} for start, end in self.evidence],
            "facts": self.facts,
            "answer_prefix": self.answer_prefix,
            "prompt": self.prompt,
        }

    @classmethod
    def from_arrow(cls, row: ArrowRow) -> "Row":
        """The row that `to_arrow` gave."""
        columns: dict[str, Any] = dict(row)
        columns |= {name: tuple(columns[name]) for name in ("answers", "choices", "depths")}
        columns["evidence"] = tuple((span["start"], span["end"]) for span in row["evidence"])
        return cls(**columns)


def config_name(task: str, variant: str, bucket: str) -> str:
    """What `load_dataset` calls the set of rows of one task, variant and bucket."""
    return f"{task}_{variant}_{bucket}" if variant else f"{task}_{bucket}"


def canonical_bytes(row: ArrowRow) -> bytes:
    """The bytes that a row digest is taken of: compact JSON, sorted keys, the prompt as its sha256.

    Takes the row as Arrow returns it. Raises ValueError on NaN and on a column that SCHEMA does not know.
    """
    if set(row) != set(SCHEMA.names):
        raise ValueError(f"row columns {sorted(row)} are not the schema's {sorted(SCHEMA.names)}")
    prompt = "sha256:" + hashlib.sha256(row["prompt"].encode()).hexdigest()
    return json.dumps(
        {**row, "prompt": prompt}, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode()


class EvidencePart(NamedTuple):
    """One piece of evidence: its span in code points, its depth, the text itself and what stands around it."""

    start: int
    end: int
    depth: float
    before: str
    text: str
    after: str


def evidence_parts(row: ArrowRow, prompt: str, around: int) -> Iterator[EvidencePart]:
    """Every piece of a row's evidence, with so many characters of what stands around it."""
    spans, depths = row["evidence"], row["depths"]
    for number, span in enumerate(spans):
        # A span that points outside the prompt shows what is there: nothing.
        start = min(max(0, int(span["start"])), len(prompt))
        end = min(max(start, int(span["end"])), len(prompt))
        # A task may say the depth of more or fewer things than it has spans; then the place in the text counts.
        depth = float(depths[number]) if len(depths) == len(spans) else start / max(1, len(prompt))
        yield EvidencePart(
            int(span["start"]),
            int(span["end"]),
            depth,
            prompt[max(0, start - around) : start],
            prompt[start:end],
            prompt[end : end + around],
        )


def row_digest(row: ArrowRow) -> str:
    """The sha256 of the canonical bytes, in hexadecimal."""
    return hashlib.sha256(canonical_bytes(row)).hexdigest()


class DigestLine(NamedTuple):
    """One line of `digests/<config>.txt`, which `str` writes: the digest of a row and its id."""

    digest: str
    id: str

    def __str__(self) -> str:
        return f"{self.digest}  {self.id}"

    @classmethod
    def parse(cls, text: str) -> "DigestLine | None":
        """The line without its newline; None for a text that is no such line."""
        match = _DIGEST_LINE.fullmatch(text)
        return cls(match[1], match[2]) if match else None


def content_root(lines: Iterable[DigestLine]) -> str:
    """The identity of a config: sha256 of its digest file, one line `<row digest>  <id>` a row in slot order."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: the form in which `facts`, plans and manifests are hashed."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
