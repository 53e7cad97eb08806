"""The scheme of a sealed release: its salts, commitments and withheld columns.

A commitment is sha256 over scheme, kind, name, salt and value; kind and name prevent exchanging two commitments. A salt
is HMAC-SHA256 of the release's secret key over scheme, kind and name: 32 bytes that cannot be guessed and hide the
value, however few values are possible. A published salt opens only its own commitment. Must not change: sealed releases
can be opened only by the scheme that sealed them.
"""

import hashlib
import hmac
from typing import Any, Final, Literal, TypedDict, TypeGuard

from carrara.row import ArrowRow, canonical_json

SCHEME: Final = "carrara-seal/1"
KEY_BYTES: Final = 32
# The columns that a sealed row leaves out; its `facts` hold the commitment.
WITHHELD: Final = ("answers", "complexity", "depths", "evidence", "facts")

Committed = Literal["row", "root", "plans", "source", "stream", "manifest"]


class Salts:
    """The salts of one sealed release, derived from its secret key."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"got a key of {len(key)} bytes, expected {KEY_BYTES}")
        self._key = key

    def salt(self, kind: Committed, name: str) -> str:
        """The salt of one commitment, in hexadecimal."""
        return hmac.new(self._key, canonical_json([SCHEME, kind, name]).encode(), hashlib.sha256).hexdigest()

    def commitment(self, kind: Committed, name: str, value: str) -> str:
        """The commitment to a value, in hexadecimal."""
        return commitment(kind, name, self.salt(kind, name), value)


def commitment(kind: Committed, name: str, salt: str, value: str) -> str:
    """The commitment to a value with a salt, in hexadecimal; the value of a row is its digest, over every column."""
    return hashlib.sha256(canonical_json([SCHEME, kind, name, salt, value]).encode()).hexdigest()


class Withheld(TypedDict):
    """The withheld columns of a row (`WITHHELD`) as JSON: evidence as pairs of start and end."""

    answers: list[str]
    complexity: int
    depths: list[float]
    evidence: list[list[int]]
    facts: str


def withheld(row: ArrowRow) -> Withheld:
    """The withheld columns of a row."""
    return {
        "answers": row["answers"],
        "complexity": row["complexity"],
        "depths": row["depths"],
        "evidence": [[span["start"], span["end"]] for span in row["evidence"]],
        "facts": row["facts"],
    }


def joined(row: ArrowRow, revealed: Withheld) -> ArrowRow:
    """A sealed row with its withheld columns put back, as Arrow returns it."""
    return {
        **row,
        "answers": revealed["answers"],
        "complexity": revealed["complexity"],
        "depths": revealed["depths"],
        "evidence": [{"start": start, "end": end} for start, end in revealed["evidence"]],
        "facts": revealed["facts"],
    }


def is_told(revealed: Any) -> TypeGuard[Withheld]:
    """Whether revealed columns have the types and sizes of a row's columns."""
    return (
        all(isinstance(revealed[name], list) for name in ("answers", "depths", "evidence"))
        and all(isinstance(answer, str) for answer in revealed["answers"])
        and all(isinstance(depth, float) for depth in revealed["depths"])
        and all(
            isinstance(span, list) and len(span) == 2 and all(_is_integer(end, 63) for end in span)
            for span in revealed["evidence"]
        )
        and _is_integer(revealed["complexity"], 31)
        and isinstance(revealed["facts"], str)
    )


def _is_integer(value: Any, bits: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << bits) <= value < 1 << bits
