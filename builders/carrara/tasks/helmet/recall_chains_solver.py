"""The variables of a value, read from a variable-tracking prompt alone."""

import re
from dataclasses import dataclass

from carrara.tasks.helmet.recall_chains_templates import BEGIN, END, INTRODUCTION, QUESTION

_LINE = re.compile("^.*VAR .*$", re.MULTILINE)
_STATEMENT = re.compile(r"VAR ([A-Z]{5}) = (?:VAR ([A-Z]{5})|([1-9][0-9]{4}))\.")
_QUESTION = re.compile(re.escape(QUESTION).replace(re.escape("{value}"), "([1-9][0-9]{4})"))


@dataclass(frozen=True, slots=True)
class Statement:
    """A variable, what it is given (a number or another variable's name), and where that stands in the prompt."""

    name: str
    given: str
    start: int
    end: int


def solve(prompt: str) -> tuple[str, ...]:
    """The variables of the value asked for, from the top down.

    () where the prompt is no such text, and where a variable is given two values or that of one which has none yet.
    """
    if (read := read_statements(prompt)) is None:
        return ()
    statements, value = read
    values: dict[str, str] = {}
    for one in statements:
        given = one.given if one.given.isdigit() else values.get(one.given, "")
        if one.name in values or not given:
            return ()
        values[one.name] = given
    return tuple(name for name, given in values.items() if given == value)


def read_statements(prompt: str) -> tuple[list[Statement], str] | None:
    """All statements from the top down and the value asked for; None where the prompt is not exactly such a text."""
    end = prompt.rfind(END)
    if not prompt.startswith(INTRODUCTION + BEGIN) or end < 0:
        return None
    if (asked := _QUESTION.fullmatch(prompt, end + len(END))) is None:
        return None
    found = []
    for line in _LINE.finditer(prompt, len(INTRODUCTION + BEGIN), end):
        if (match := _STATEMENT.fullmatch(line[0])) is None:
            return None
        found.append(Statement(match[1], match[2] or match[3], *line.span()))
    return found, asked[1]
