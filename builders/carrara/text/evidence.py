"""The evidence of a row, each piece with what stands around it."""

from collections.abc import Iterator
from typing import NamedTuple, TypedDict

AROUND = 200


class EvidenceSpan(TypedDict):
    """A span of a prompt in code points, [start, end)."""

    start: int
    end: int


class EvidenceRow(TypedDict):
    """The columns that are read of a row as Arrow returns it."""

    evidence: list[EvidenceSpan]
    depths: list[float]


class EvidencePart(NamedTuple):
    """One piece of evidence: its span in code points, its depth, the text itself and what stands around it."""

    start: int
    end: int
    depth: float
    before: str
    text: str
    after: str


def pieces(row: EvidenceRow, prompt: str, around: int = AROUND) -> Iterator[EvidencePart]:
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
