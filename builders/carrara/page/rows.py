"""Which rows a page holds, and what of each: answers, a model's response, evidence, both ends of the prompt, digests.

All of it is bounded whatever a row holds, and what is left out is counted. Texts are made visible here, so
that the page's script shows them as they come.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple, NotRequired, TypedDict

from carrara.errors import ReleaseError
from carrara.release.reader import Release, checked_rows_at, config_of, digest_line_of
from carrara.release.schema import shown
from carrara.row import ArrowRow, DigestLine, evidence_parts, row_digest
from carrara.scoring import Report
from carrara.scoring.result import RowScore
from carrara.text.display import visible

# Of each config, where nobody says how many; fewer where that were too many in all.
ROWS = 20
MOST_ROWS = 500
# Of a page with responses, whose reader looks for single answers.
ANSWERED_ROWS, MOST_ANSWERED = 100, 1_000
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
_MAX_RESPONSE = 4_000
_MAX_REASON = 400
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


class PageResponse(TypedDict):
    """A model's response: its ends, its length, its score (0 to 1, or None), the metric or why there is none, and
    whether it was cut.
    """

    text: CutText
    characters: int
    score: float | None
    verdict: Literal["right", "partly", "wrong", "missing"]
    reason: str


class ModelAnswers(NamedTuple):
    """What a model answered, by row id (None: nothing), and how that was scored."""

    texts: Mapping[str, str | None]
    report: Report


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
    response: NotRequired[PageResponse]


class PlacedRow(PageRow):
    """A row of a page, with the number of its config on the page and its index there."""

    config: int
    index: int


def rows_per_config(rows: Sequence[int], each: int = ROWS, most: int = MOST_ROWS) -> int:
    """How many rows of each config a page holds by itself: `each`, or fewer where all would be over `most`.

    `rows`: how many each config has.
    """
    fitting = (fewer for fewer in range(each, 1, -1) if sum(min(fewer, count) for count in rows) <= most)
    return next(fitting, 1)


def choose(release: Release, indices: Mapping[str, Sequence[int]], each: int, ids: Sequence[str] = ()) -> Chosen:
    """Of the indices of every config `each`, spread evenly, and those of the rows that are named by id."""
    chosen = {name: [own[place] for place in spread(len(own), each)] for name, own in indices.items()}
    for row_id in ids:
        config = config_of(release, row_id)
        chosen[config] = sorted({*chosen.get(config, ()), index_of(row_id)})
    if (total := sum(map(len, chosen.values()))) > MAX_ROWS:
        raise ReleaseError(
            f"got {total:,} rows for one page, expected at most {MAX_ROWS:,}", "Give a smaller --rows, or one --task."
        )
    return chosen


def index_of(row_id: str) -> int:
    """Where a row stands in its config: the last part of its id."""
    return int(row_id.rpartition("/")[2])


def spread(rows: int, wanted: int) -> list[int]:
    """`wanted` of the indices below `rows`, one from each of as many equal parts, at no fixed distance."""
    if wanted >= rows:
        return list(range(rows))
    parts = [(number * rows // wanted, (number + 1) * rows // wanted) for number in range(wanted)]
    return [low + number * _STEP % _SCALE * (high - low) // _SCALE for number, (low, high) in enumerate(parts)]


def page_rows(release: Release, chosen: Chosen, answered: ModelAnswers | None = None) -> list[PlacedRow]:
    """The rows as the page's script reads them, configs in the order of `chosen`. Reads their row groups alone."""
    scores = {score.id: score for score in answered.report.scores} if answered else {}
    held: list[PlacedRow] = []
    characters = 0
    for number, (config, indices) in enumerate(chosen.items()):
        for index, row in checked_rows_at(release, config, indices):
            row_id = str(row["id"])
            held.append({"config": number, "index": index, **page_row(row, _line(release, row_id))})
            if answered and row_id in scores:
                held[-1]["response"] = _response(answered.texts.get(row_id), scores[row_id])
            characters += len(_json(held[-1]))
            if characters > MAX_CHARACTERS:
                raise ReleaseError(
                    f"got over {MAX_CHARACTERS:,} characters of rows for a page (up to {shown(row_id)})",
                    "Give a smaller --rows, or one --task.",
                )
    return held


def _response(text: str | None, score: RowScore) -> PageResponse:
    verdict: Literal["right", "partly", "wrong", "missing"] = "partly"
    if score.score is None:
        verdict = "missing"
    elif score.score in {0, 1}:
        verdict = "right" if score.score else "wrong"
    endings = ["cut at the output limit"] * bool(score.cut) + ["still thinking at its end"] * bool(score.thinking)
    return {
        "text": [] if text is None else cut(text, _MAX_RESPONSE),
        "characters": len(text or ""),
        "score": score.score,
        "verdict": verdict,
        "reason": visible("; ".join((score.reason, *endings)), _MAX_REASON),
    }


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
    kept: list[PagePiece] = []
    used = 0
    for piece in islice(evidence_parts(row, prompt, AROUND), _MAX_PIECES):
        used += 2 * AROUND + min(_MAX_SPAN, len(piece.text))
        if kept and used > _PIECES_CHARACTERS:
            break
        kept.append(
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
    return {"count": len(spans), "pieces": kept, "marks": marks, "depths": len(depths)}


def _share(offset: int, prompt: str) -> float:
    return round(min(1.0, max(0.0, offset / max(1, len(prompt)))), 5)


def _depth(depth: float) -> float | None:
    return round(depth, 5) if math.isfinite(depth) and abs(depth) < 1e6 else None
