"""The result file: what `carrara score --out` writes, what `carrara compare` and `carrara plot` read back.

JSON, one table:

- `format` = "carrara/result", `version` = 1. Another version is refused.
- `model`: the name of what was scored, 1 to 80 printing characters. `release`: `name@version`; `stream`: its stream.
- `metric`: by which other metric than the rows' own, or null.
- `scores`: one table a row, in the order of ids: `id`, `score` (a number in [0, 1], or null: no response, or no verdict
  on it), `reason` (the metric, or why there is none), `metric`, `item`, `task`, `variant`, `bucket`, `tokens`,
  `max_output_tokens`, `complexity`, `group`, `depths` (a list of numbers in [0, 1]); and where there are any: `numbers`
  (those at the top of the row's facts), `chance` (what guesses score on the row), `classes` (what each class got).
- `overall`, `tasks`, `configs`, `complexity`, `depths`: averages (`aggregate.Cell.to_json`); `papers`: the summaries
  that the papers report (`papers.py`); `missing`, `unjudged`, `unknown`, `duplicates`: ids with their number.
- `errata`, where known errors of the release were at hand (`carrara erratum`): their numbers, how many `rows` they are
  about, and whether these were `left_out` of the scores.

A result file that is read is hostile input. Only the first five keys are read, each with its type and its bounds, and
every average is made again from the rows: a file cannot say one thing in its rows and another in its averages.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from carrara.scoring.rows import (
    COLUMNS,
    FIELD,
    MAX_CHANCE,
    MAX_CLASSES,
    MAX_DEPTHS,
    MAX_NUMBERS,
    MAX_REASON,
    RowScore,
    bucket_tokens,
    is_number,
)

FORMAT: Final = "carrara/result"
VERSION: Final = 1
MAX_BYTES: Final = 256 << 20
MAX_ROWS: Final = 1_000_000
MAX_MODEL: Final = 80
_AGAIN: Final = "write it again: carrara score DIR responses.jsonl --out FILE"
_RELEASE: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}@[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}")
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class ResultError(ValueError):
    """A file that is no result: where, what was got, what was expected."""


@dataclass(frozen=True, slots=True)
class Result:
    """The scores of one model over the rows of one release, in the order of ids."""

    model: str
    release: str
    stream: str
    rows: tuple[RowScore, ...]


def is_model(name: str) -> bool:
    """Tell whether a model may be called so: 1 to 80 printing characters, with none but single spaces between."""
    return 0 < len(name) <= MAX_MODEL and name.isprintable() and name == " ".join(name.split())


def read_result(path: Path | str) -> Result:
    """Read a result file. Raises ResultError for anything but what the module says; OSError where none can be opened.

    At most 256 MiB and a million rows are read; a file takes about ten times its size in memory.
    """
    path = Path(path)
    table = _load(path)
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        raise ResultError(f"{path.name}: got no {FORMAT!r}, expected a result file; {_AGAIN}")
    if (version := table.get("version")) != VERSION or type(version) is not int:
        raise ResultError(f"{path.name}: got version {_shown(version)}, expected {VERSION}; {_AGAIN}")
    for key, (fits, expected) in _TOP.items():
        if not fits(table.get(key)):
            raise ResultError(f"{path.name}: got {key} = {_shown(table.get(key))}, expected {expected}; {_AGAIN}")
    rows = [_row(f"{path.name}, row {number}", row) for number, row in enumerate(table["scores"], start=1)]
    if len({row.id for row in rows}) != len(rows):
        raise ResultError(f"{path.name}: got a row id twice, expected every id once; {_AGAIN}")
    return Result(table["model"], table["release"], table["stream"], tuple(sorted(rows, key=lambda row: row.id)))


def _load(path: Path) -> Any:
    with path.open("rb") as stream:
        # A pipe or a device has no size to trust: what is read is bounded.
        if (size := os.fstat(stream.fileno()).st_size) > MAX_BYTES or len(
            raw := stream.read(MAX_BYTES + 1)
        ) > MAX_BYTES:
            raise ResultError(f"{path.name}: got {size:,} bytes or more, expected at most {MAX_BYTES:,}")
    try:
        table = json.loads(raw.decode(), object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{path.name}: got no readable JSON ({_shown(str(error))}); {_AGAIN}") from None
    return table


def _row(where: str, row: Any) -> RowScore:
    if not isinstance(row, dict):
        raise ResultError(f"{where}: got {_shown(row)}, expected a table; {_AGAIN}")
    for key, (fits, expected) in _ROW.items():
        if key not in row and key in COLUMNS:
            raise ResultError(f"{where}: got no {key}, expected {expected}; {_AGAIN}")
        if key in row and not fits(row[key]):
            raise ResultError(f"{where}: got {key} = {_shown(row[key])}, expected {expected}; {_AGAIN}")
    kept = {key: row[key] for key in _ROW if key in row}
    kept["depths"] = tuple(float(depth) for depth in kept["depths"])
    kept["chance"] = tuple(float(chance) for chance in kept.get("chance", ()))
    for key in ("numbers", "classes"):
        kept[key] = {name: kept[key][name] for name in sorted(kept.get(key, {}))}
    return RowScore(**kept)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key stands twice in one table")
    return table


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _shown(value: Any) -> str:
    text = ascii(value if not isinstance(value, (dict, list)) else type(value).__name__)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _is_text(value: Any, most: int) -> bool:
    return isinstance(value, str) and len(value) <= most and not any("\ud800" <= part <= "\udfff" for part in value)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 31


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1


def _is_shares(value: Any, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most and all(map(_is_share, value))


def _is_table(value: Any, most: int, key: Callable[[str], bool], fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and len(value) <= most and all(map(key, value)) and all(map(fits, value.values()))


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(_WORD.fullmatch(value))


_Rule = tuple[Callable[[Any], bool], str]
_COUNT: Final[_Rule] = (_is_count, "a whole number")
_TOP: Final[Mapping[str, _Rule]] = {
    "model": (lambda value: isinstance(value, str) and is_model(value), f"1 to {MAX_MODEL} printing characters"),
    "release": (lambda value: isinstance(value, str) and bool(_RELEASE.fullmatch(value)), "name@version"),
    "stream": (lambda value: _is_text(value, 20_000), "a text of at most 20,000 characters"),
    "scores": (lambda value: isinstance(value, list) and 0 < len(value) <= MAX_ROWS, f"a list of 1 to {MAX_ROWS} rows"),
}
_ROW: Final[Mapping[str, _Rule]] = {
    "id": (lambda value: _is_text(value, 400) and value != "", "a text of 1 to 400 characters"),
    "score": (lambda value: value is None or _is_share(value), "a number in [0, 1] or null"),
    **dict.fromkeys(("item", "group"), (lambda value: _is_text(value, 400), "a text of at most 400 characters")),
    "reason": (lambda value: isinstance(value, str) and len(value) <= MAX_REASON, f"a text of at most {MAX_REASON}"),
    # The name of a metric may hold the folder of a model.
    "metric": (lambda value: _is_text(value, 400), "the name of a metric"),
    "task": (_is_word, "the name of a task"),
    "variant": (lambda value: value == "" or _is_word(value), "the name of a variant, or nothing"),
    "bucket": (lambda value: isinstance(value, str) and bucket_tokens(value) > 0, "a bucket such as 32k or 1M"),
    **dict.fromkeys(("tokens", "max_output_tokens", "complexity"), _COUNT),
    "depths": (lambda value: _is_shares(value, MAX_DEPTHS), f"a list of at most {MAX_DEPTHS} numbers in [0, 1]"),
    "numbers": (
        lambda value: _is_table(value, MAX_NUMBERS, lambda name: bool(FIELD.fullmatch(name)), is_number),
        f"a table of at most {MAX_NUMBERS} numbers",
    ),
    "chance": (lambda value: _is_shares(value, MAX_CHANCE), f"a list of at most {MAX_CHANCE} numbers in [0, 1]"),
    "classes": (
        lambda value: _is_table(value, MAX_CLASSES, lambda name: 0 < len(name) <= 100, _is_share),
        f"a table of at most {MAX_CLASSES} numbers in [0, 1]",
    ),
}
