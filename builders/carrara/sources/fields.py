"""Fields of a row that came from outside: the value in the wanted type, or an error that says where and what it is."""

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from carrara.errors import SourceError
from carrara.sources.document import tidy

Fields = Mapping[str, Any]
_HINT: Final = "Mend the row, or fetch the file again."
_SHOWN: Final = 60


def nearest(got: str, known: Iterable[str]) -> str:
    """` (nearest: ...)`, or nothing when no known name is close."""
    close = difflib.get_close_matches(got, list(known), n=3, cutoff=0.5)
    return f" (nearest: {', '.join(close)})" if close else ""


def shown(value: object) -> str:
    """A value for an error, cut short."""
    try:
        return repr(value)[:_SHOWN]
    except RecursionError:  # JSON of a depth that was read, and is too deep to print from here.
        return f"a {type(value).__name__} nested too deep"


def wrong(where: str, field: str, value: object, wanted: str, hint: str = _HINT) -> SourceError:
    """The error of a field whose value is not what was wanted."""
    return SourceError(f"{where}: {field} is {shown(value)}, expected {wanted}", hint)


def as_row(value: object, where: str) -> Fields:
    """A value that has to be an object."""
    if not isinstance(value, dict):
        raise SourceError(f"{where}: got {shown(value)}, expected an object with named fields", _HINT)
    return value


def text(row: Fields, field: str, where: str, default: str | None = None) -> str:
    """Text; a field that is absent or null is the default, where there is one."""
    value = row.get(field)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise wrong(where, field, value, "text")
    return value


def integer(row: Fields, field: str, where: str, default: int | None = None) -> int:
    """An integer, also written in digits."""
    value = row.get(field)
    if value is None and default is not None:
        return default
    if isinstance(value, str) and 0 < len(value) < 20 and value.isascii() and value.removeprefix("-").isdigit():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(where, field, value, "an integer")
    return value


def flag(row: Fields, field: str, where: str) -> bool:
    """True or false; false where the field is absent or null."""
    value = row.get(field)
    if value is not None and not isinstance(value, bool):
        raise wrong(where, field, value, "true or false")
    return bool(value)


def values(row: Fields, field: str, where: str) -> list[Any]:
    """A list; empty where the field is absent or null."""
    value = row.get(field)
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong(where, field, value, "a list")
    return value


def texts(row: Fields, field: str, where: str) -> list[str]:
    """A list of texts; empty where the field is absent or null."""
    return all_text(values(row, field, where), where, field)


def all_text(members: list[Any], where: str, field: str) -> list[str]:
    """The same list, whose members have to be texts."""
    for value in members:
        if not isinstance(value, str):
            raise wrong(where, field, value, "text in the list")
    return members


def rows(row: Fields, field: str, where: str) -> list[Fields]:
    """A list of objects; empty where the field is absent or null."""
    return [as_row(value, f"{where}, {field}[{number}]") for number, value in enumerate(values(row, field, where))]


def identifier(row: Fields, fields: Iterable[str], where: str) -> str:
    """The first of these fields that is there, as text; "" where none is."""
    for field in fields:
        if (value := row.get(field)) is not None:
            # Tidied: half of a surrogate pair could not be written anywhere.
            identity = "" if isinstance(value, bool) or not isinstance(value, str | int) else tidy(str(value))
            if not identity:
                raise wrong(where, field, value, "text or a number")
            return identity
    return ""


def only(row: Fields, known: Collection[str], where: str) -> None:
    """Refuses a field that is not known, and names the nearest."""
    for field in row:
        if field not in known:
            raise SourceError(
                f"{where}: unknown field {field[:_SHOWN]!r}{nearest(field[:_SHOWN], known)}",
                f"Known: {', '.join(known)}.",
            )
