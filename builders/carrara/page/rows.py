"""Which rows a page holds, and what of each: facts, evidence in its place, both ends of the prompt, sizes, digests.

All of it is bounded whatever a row holds (law 17), and what is left out is counted. Texts are made visible here, so
that the page's script shows them as they come.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from itertools import islice
from typing import TypedDict

from carrara.errors import ReleaseError
from carrara.release.reader import Release, config_of, digest_line_of, rows_at
from carrara.release.schema import shown
from carrara.row import ArrowRow, DigestLine, row_digest
from carrara.text.display import visible
from carrara.text.evidence import pieces

# Of each config, where nobody says how many; fewer where that were too many in all.
ROWS = 20
MOST_ROWS = 500
# What a page holds at most: a browser must open it.
MAX_ROWS = 20_000
MAX_CHARACTERS = 64_000_000
AROUND = 240
ENDS = 1_200
_MAX_SPAN = 1_600
_MAX_PIECES = 100
_PIECES_CHARACTERS = 60_000
_MAX_MARKS = 1_000
_MAX_LISTED = 12
_MAX_ITEM = 1_200
_MAX_FACTS = 6_000
_MAX_PARSED = 20_000
_MAX_FACT = 2_000
_MAX_PAIRS = 40
_MAX_NAME = 400
# 40503 / 2^16 is nearly the golden ratio's fractional part: no period of placements meets its steps.
_STEP, _SCALE = 40_503, 65_536

Chosen = dict[str, list[int]]
# A text, or of a long one its head, how many characters are left out, and its tail.
CutText = list[str | int]


class CutList(TypedDict):
    """The first texts of a list, and how many it has."""

    count: int
    first: list[CutText]


class PageFacts(TypedDict, total=False):
    """Facts as pairs of name and value with how many are `left` out, else as `text`."""

    text: CutText
    pairs: list[list[str | CutText]]
    left: int


class PagePiece(TypedDict):
    """A span of evidence with the text around it; `more`: whether there is more before and after."""

    start: int
    end: int
    depth: float | None
    before: str
    text: CutText
    after: str
    more: list[bool]


class PageEvidence(TypedDict):
    """The evidence of a row: its first pieces, where all of it stands (shares of the prompt), and how much there is."""

    count: int
    pieces: list[PagePiece]
    marks: list[list[float]]
    depths: int


class PageRow(TypedDict):
    """What a page holds of a row, as its script reads it."""

    id: str
    item: str
    task: str
    variant: str
    bucket: str
    metric: str
    group: str
    prefix: str
    tokens: int
    complexity: int
    room: int
    characters: int
    bytes: int
    sha256: str
    digest: str
    listed: bool
    answers: CutList
    choices: CutList
    facts: PageFacts
    evidence: PageEvidence
    head: list[str]
    tail: list[str]
    between: int


class PlacedRow(PageRow):
    """A row of a page, with the number of its config on the page and its index there."""

    config: int
    index: int


def rows_per_config(rows: Sequence[int]) -> int:
    """How many rows of each config a page holds by itself; `rows`: how many each config has."""
    fitting = (each for each in range(ROWS, 1, -1) if sum(min(each, count) for count in rows) <= MOST_ROWS)
    return next(fitting, 1)


def choose(release: Release, each: int, ids: Sequence[str] = ()) -> Chosen:
    """The indices of the rows of every config: `each` spread evenly, and those that are named by id."""
    chosen = {name: spread(int(facts.rows), each) for name, facts in release.configs.items()}
    for row_id in ids:
        config = config_of(release, row_id)
        chosen[config] = sorted({*chosen[config], int(row_id.rpartition("/")[2])})
    if (total := sum(map(len, chosen.values()))) > MAX_ROWS:
        raise ReleaseError(f"{total:,} rows for one page, expected at most {MAX_ROWS:,}", "Give a smaller --rows.")
    return chosen


def spread(rows: int, wanted: int) -> list[int]:
    """`wanted` of the indices below `rows`, one from each of as many equal parts, at no fixed distance."""
    if wanted >= rows:
        return list(range(rows))
    parts = [(place * rows // wanted, (place + 1) * rows // wanted) for place in range(wanted)]
    return [low + place * _STEP % _SCALE * (high - low) // _SCALE for place, (low, high) in enumerate(parts)]


def page_rows(release: Release, chosen: Chosen) -> list[PlacedRow]:
    """The rows as the page's script reads them, configs in the order of `chosen`. Reads their row groups alone."""
    found: list[PlacedRow] = []
    characters = 0
    for number, (config, indices) in enumerate(chosen.items()):
        for index, row in rows_at(release, config, indices):
            found.append({"config": number, "index": index, **page_row(row, _line(release, str(row["id"])))})
            characters += len(_json(found[-1]))
            if characters > MAX_CHARACTERS:
                told = f"over {MAX_CHARACTERS:,} characters of rows for one page (up to {shown(row['id'])})"
                raise ReleaseError(told, "Give a smaller --rows.")
    return found


def _line(release: Release, row_id: str) -> DigestLine | None:
    """A row's line in the release's list of digests; None where there is no such line."""
    try:
        return digest_line_of(release, row_id)
    except ReleaseError:
        return None


def page_row(row: ArrowRow, listed: DigestLine | None) -> PageRow:
    """What a page holds of a row (as Arrow returns it); `listed`: its line in the release's list of digests."""
    prompt = str(row["prompt"])
    encoded = prompt.encode()
    digest = _digest(row)
    whole = len(prompt) <= 2 * ENDS
    return {
        "id": visible(row["id"], _MAX_NAME),
        "item": visible(row["item"], _MAX_NAME),
        "task": visible(row["task"], _MAX_NAME),
        "variant": visible(row["variant"], _MAX_NAME),
        "bucket": visible(row["bucket"], _MAX_NAME),
        "metric": visible(row["metric"], _MAX_NAME),
        "group": visible(row["group"], _MAX_NAME),
        "prefix": visible(row["answer_prefix"], _MAX_ITEM),
        "tokens": int(row["tokens"]),
        "complexity": int(row["complexity"]),
        "room": int(row["max_output_tokens"]),
        "characters": len(prompt),
        "bytes": len(encoded),
        "sha256": hashlib.sha256(encoded).hexdigest(),
        "digest": digest,
        "listed": bool(digest) and listed == DigestLine(digest, str(row["id"])),
        "answers": _listed(row["answers"]),
        "choices": _listed(row["choices"]),
        "facts": _facts(str(row["facts"])),
        "evidence": _evidence(row, prompt),
        "head": [visible(prompt)] if whole else [visible(prompt[:ENDS])],
        "tail": [] if whole else [visible(prompt[-ENDS:])],
        "between": 0 if whole else len(prompt) - 2 * ENDS,
    }


def _digest(row: ArrowRow) -> str:
    try:
        return row_digest(row)
    # A depth that is no number: no build writes it.
    except ValueError:
        return ""


def _listed(values: Sequence[str]) -> CutList:
    return {"count": len(values), "first": [cut(str(value), _MAX_ITEM) for value in values[:_MAX_LISTED]]}


def cut(text: str, limit: int) -> CutText:
    """The text as [text], or where it is longer [its head, how many characters are left out, its tail]."""
    if len(text) <= limit:
        return [visible(text)]
    half = limit // 2
    return [visible(text[:half]), len(text) - 2 * half, visible(text[-half:])]


def _facts(facts: str) -> PageFacts:
    """Facts as pairs of name and value where they are a JSON table of a size to be read; else as they are."""
    try:
        value = json.loads(facts) if len(facts) <= _MAX_PARSED else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return {"text": cut(facts, _MAX_FACTS)}
    pairs: list[list[str | CutText]] = [
        [visible(name, _MAX_NAME), cut(_json(part), _MAX_FACT)] for name, part in value.items()
    ]
    return {"pairs": pairs[:_MAX_PAIRS], "left": max(0, len(pairs) - _MAX_PAIRS)}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _evidence(row: ArrowRow, prompt: str) -> PageEvidence:
    spans, depths = row["evidence"], row["depths"]
    found: list[PagePiece] = []
    used = 0
    for piece in islice(pieces(row, prompt, AROUND), _MAX_PIECES):
        used += 2 * AROUND + min(_MAX_SPAN, len(piece.text))
        if found and used > _PIECES_CHARACTERS:
            break
        found.append(
            {
                "start": piece.start,
                "end": piece.end,
                "depth": _depth(piece.depth),
                "before": visible(piece.before),
                "text": cut(piece.text, _MAX_SPAN) if piece.text else [],
                "after": visible(piece.after),
                "more": [piece.start > AROUND, piece.end + AROUND < len(prompt)],
            }
        )
    marks = [[_share(int(span["start"]), prompt), _share(int(span["end"]), prompt)] for span in spans[:_MAX_MARKS]]
    return {"count": len(spans), "pieces": found, "marks": marks, "depths": len(depths)}


def _share(place: int, prompt: str) -> float:
    return round(min(1.0, max(0.0, place / max(1, len(prompt)))), 5)


def _depth(depth: float) -> float | None:
    return round(depth, 5) if math.isfinite(depth) and abs(depth) < 1e6 else None
