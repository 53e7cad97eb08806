"""Checked access to a row: columns by `check_row`, facts by one function for each type.

A row is a mapping with the columns of a release (DESIGN.md section 5). It is untrusted: a value of another type raises
RowError here, so that no metric has to check. What a valid row yields must not change: every score rests on it.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeGuard, cast

from carrara.scoring.errors import RowError
from carrara.text.json import strict_json

if TYPE_CHECKING:
    from typing_extensions import ReadOnly

# Bounds on what a result copies from a row.
MAX_NUMBERS: Final = 16
MAX_CHANCE: Final = 4_096
_BINS: Final = 10
FIELD: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
# A predicate for a value, and the words after "expected" in an error.
FormRule = tuple[Callable[[Any], bool], str]
# Untrusted: each fact is checked when it is read.
RowFacts = Mapping[str, object]
# No prompt is longer, and no passage has a larger number.
_MAX_PLACE: Final = 1 << 40


class ScoredRow(TypedDict, total=False):
    """A row that passed `check_row`. Any column may be missing."""

    id: "ReadOnly[str]"
    item: "ReadOnly[str]"
    task: "ReadOnly[str]"
    variant: "ReadOnly[str]"
    bucket: "ReadOnly[str]"
    tokens: "ReadOnly[int]"
    max_output_tokens: "ReadOnly[int]"
    metric: "ReadOnly[str]"
    answers: "ReadOnly[Sequence[str]]"
    choices: "ReadOnly[Sequence[str]]"
    complexity: "ReadOnly[int]"
    group: "ReadOnly[str]"
    depths: "ReadOnly[Sequence[float]]"
    facts: "ReadOnly[str | RowFacts]"
    prompt: "ReadOnly[str]"


def check_row(row: Mapping[str, object]) -> ScoredRow:
    """Return the row unchanged after checking the type of each column that it has. Raises RowError."""
    for name, (fits, expected) in _COLUMNS.items():
        value = row.get(name)
        if value is not None and not fits(value):
            raise RowError(f"got {name} = {_shown(value)}, expected {expected}")
    return cast(ScoredRow, row)


@contextmanager
def about(row: Mapping[str, object]) -> Iterator[None]:
    """Add the row's id to a RowError raised inside."""
    try:
        yield
    except RowError as error:
        raise RowError(error.message, error.row_id or str(row.get("id") or "")) from None


def facts_of(row: ScoredRow) -> RowFacts:
    """The facts of a row, parsed if they are JSON; a row made in code may hold a mapping."""
    facts = row.get("facts")
    if isinstance(facts, Mapping):
        return facts
    if facts is None or facts == "":
        return {}
    if not isinstance(facts, str):
        raise RowError(f"got facts = {_shown(facts)}, expected a JSON object")
    return _parsed(facts)


# A row's facts are asked for by its metric, its parts and its record, and again for each further sample.
@lru_cache(maxsize=2)
def _parsed(facts: str) -> RowFacts:
    try:
        loaded = strict_json(facts)
    except ValueError as error:
        raise RowError(f"got facts that are not JSON ({error}), expected a JSON object") from None
    if not isinstance(loaded, dict):
        raise RowError(f"got facts that are {_shown(loaded)}, expected a JSON object")
    return loaded


def first_answer(row: ScoredRow) -> str:
    """The first answer of a row. Raises RowError if it has none."""
    answers = row["answers"]
    if not answers:
        raise RowError("got no answers, expected at least one")
    return str(answers[0])


def text_fact(facts: RowFacts, name: str) -> str:
    """A fact that is a text; "" if it is missing."""
    return str(_fact(facts, name, "", _is_text, "a text"))


def number_fact(facts: RowFacts, name: str) -> float:
    """A fact that is a number; 0 if it is missing."""
    return float(_fact(facts, name, 0.0, is_number, "a number"))


def texts_fact(facts: RowFacts, name: str) -> list[str]:
    """A fact that is a list of texts; [] if it is missing."""
    return [*_fact(facts, name, [], _is_texts, "a list of texts")]


def groups_fact(facts: RowFacts, name: str) -> list[list[str]]:
    """A fact that is a list of lists of texts (the accepted names of each answer); [] if it is missing."""
    return [[*group] for group in _fact(facts, name, [], _is_list_of(_is_texts), "a list of lists of texts")]


def names_fact(facts: RowFacts, name: str) -> list[str]:
    """A fact that is a list of texts or of lists of texts, flattened; [] if it is missing."""
    fits = _is_list_of(lambda value: _is_text(value) or _is_texts(value))
    names = _fact(facts, name, [], fits, "a list of texts or of lists of texts")
    return [text for entry in names for text in ([entry] if isinstance(entry, str) else entry)]


def numbers_fact(facts: RowFacts, name: str) -> list[list[int]]:
    """A fact that is a list of lists of integers (the passages of each answer); [] if it is missing."""
    return [[*group] for group in _fact(facts, name, [], _is_list_of(_is_list_of(_is_place)), "lists of numbers")]


def grades_fact(facts: RowFacts, name: str) -> dict[str, float]:
    """A fact that maps names to numbers; {} if it is missing."""
    grades = _fact(
        facts,
        name,
        {},
        lambda value: isinstance(value, Mapping) and all(map(is_number, value.values())),
        "a table of numbers",
    )
    return {str(key): float(grade) for key, grade in grades.items()}


def span_fact(facts: RowFacts, name: str, default: tuple[int, int]) -> tuple[int, int]:
    """A fact that is a span of the prompt, [start, end) in code points."""

    def fits(value: Any) -> bool:
        return isinstance(value, (list, tuple)) and len(value) == 2 and all(map(_is_place, value))

    start, end = _fact(facts, name, default, fits, "a start and an end")
    return start, end


def flags_fact(facts: RowFacts, name: str) -> list[bool] | None:
    """A fact that is a list of true and false (or of 1 and 0); None if it is missing."""
    flags: Any = facts.get(name)
    if flags is not None and not _is_list_of(lambda flag: isinstance(flag, int))(flags):
        raise RowError(f"got the fact {name} = {_shown(flags)}, expected a list of true and false")
    return None if flags is None else [bool(flag) for flag in flags]


def numbers_of(facts: RowFacts) -> dict[str, float]:
    """The top-level numbers of a row's facts, sorted by name, at most sixteen."""
    numbers = {str(name): value for name, value in facts.items() if FIELD.fullmatch(str(name)) and is_number(value)}
    return {name: numbers[name] for name in sorted(numbers)[:MAX_NUMBERS]}


def chance_of(facts: RowFacts) -> tuple[float, ...]:
    """What guessing scores on a row, from `chance` in its facts: a number in [0, 1] or a list of them."""
    chance = facts.get("chance", ())
    values = chance if isinstance(chance, list) else [chance] if is_number(chance) else []
    return tuple(float(value) for value in values[:MAX_CHANCE] if is_number(value) and 0 <= value <= 1)


def is_number(value: Any) -> TypeGuard[float]:
    """Tell whether a value is a finite number of at most 1e15 in size, and not a bool."""
    return type(value) in {int, float} and abs(value) <= 1e15 and math.isfinite(value)


def _fact(facts: RowFacts, name: str, default: Any, fits: Callable[[Any], bool], expected: str) -> Any:
    """A fact that fits; `default` if it is missing, null or empty."""
    value = facts.get(name)
    if value is None or value == [] or value == "" or value == {}:
        return default
    if not fits(value):
        raise RowError(f"got the fact {name} = {_shown(value)}, expected {expected}")
    return value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_place(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MAX_PLACE


def _is_list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, (list, tuple)) and all(map(fits, value))


_is_texts: Final = _is_list_of(_is_text)
_TEXT: Final[FormRule] = (_is_text, "a text")
_COUNT: Final[FormRule] = (lambda value: type(value) is int and 0 <= value < 1 << 31, "a whole number")
_TEXTS: Final[FormRule] = (_is_texts, "a list of texts")
_COLUMNS: Final[Mapping[str, FormRule]] = {
    **dict.fromkeys(("id", "item", "task", "variant", "bucket", "group", "prompt"), _TEXT),
    **dict.fromkeys(("tokens", "max_output_tokens", "complexity"), _COUNT),
    **dict.fromkeys(("answers", "choices"), _TEXTS),
    "depths": (_is_list_of(is_number), "a list of numbers"),
}


def _shown(value: Any) -> str:
    """A value for an error message: short and escaped; of a list or table only its type."""
    if value is None:
        return "null"
    if isinstance(value, (list, tuple, Mapping)):
        return "a table" if isinstance(value, Mapping) else f"a list of {len(value)}"
    shown = ascii(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


def depth_bin(depths: Sequence[float] | None) -> int | None:
    """The tenth of the context in which a row's evidence stands on average; None without evidence."""
    kept = [float(depth) for depth in depths or () if math.isfinite(depth)]
    return min(_BINS - 1, max(0, math.floor(math.fsum(kept) / len(kept) * _BINS))) if kept else None


def depth_label(number: int) -> str:
    """The name of a tenth: 0 -> "0-10%"."""
    return f"{number * 100 // _BINS}-{(number + 1) * 100 // _BINS}%"
