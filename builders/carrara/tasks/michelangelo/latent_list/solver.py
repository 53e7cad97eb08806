"""Runs the sessions of latent_list: an interpreter of exactly this grammar, for the solver and the audit.

It uses neither `eval` nor anything that plans or renders. A line outside the grammar ends the run, as does a line on
which Python would fail. It is linear in the session: it refuses lists longer than any session needs.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

# A program of 24 operations makes a list of at most 30 numbers; a cancelling block adds two.
_LONGEST: Final = 64
_NUMBER: Final = r"(0|-?[1-9][0-9]{0,3})"
_PLACE: Final = r"(0|[1-9][0-9]?)"
_LINE: Final = re.compile(
    rf">> (?:a\.append\({_NUMBER}\)|a\.insert\({_PLACE}, {_NUMBER}\)|a\.pop\({_PLACE}?\)|a\.remove\({_NUMBER}\)"
    r'|a\.(?P<whole>sort|reverse)\(\)|print\("(?P<phrase>[A-Z][a-z ,]*\.)"\))'
)
_VIEW: Final = re.compile(rf">> (?:(print|sum|min|max)\(a\[{_PLACE}:{_PLACE}\]\)|(len)\(a\))")
_POP: Final = ">> a.pop("


@dataclass(frozen=True, slots=True)
class Look:
    """The last line of a session: what it shows of a[start:stop], or of the whole list for `len`."""

    view: str
    start: int
    stop: int


def read_look(line: str) -> Look | None:
    """The view that a line asks for; None if the line is not a view."""
    if not (match := _VIEW.fullmatch(line)):
        return None
    if match[4]:
        return Look("len", 0, 0)
    return Look(match[1], int(match[2]), int(match[3]))


def run_lines(values: Iterable[int], lines: Sequence[str]) -> list[int] | None:
    """The list after the lines; None if a line is outside the grammar or fails."""
    now = list(values)
    for line in lines:
        # The most frequent line: most of a session's filler consists of it.
        if line == ">> a.reverse()":
            now = now[::-1]
            continue
        if not (match := _LINE.fullmatch(line)):
            return None
        appended, position, inserted, popped, removed, whole, phrase = match.groups()
        if phrase:
            continue
        if appended:
            now = [*now, int(appended)]
        elif inserted:
            now[int(position) : int(position)] = [int(inserted)]
        elif removed:
            number = int(removed)
            if number not in now:
                return None
            del now[now.index(number)]
        elif whole:
            now = sorted(now)
        elif line.startswith(_POP):
            last = int(popped) if popped else len(now) - 1
            if not 0 <= last < len(now):
                return None
            del now[last]
        if len(now) > _LONGEST:
            return None
    return now


def show(look: Look, values: Sequence[int]) -> str | None:
    """What Python shows of the list, as text; None for the minimum or maximum of an empty slice."""
    if look.view == "len":
        return str(len(values))
    part = values[look.start : look.stop]
    if look.view == "print":
        return f"[{', '.join(map(str, part))}]"
    if look.view == "sum":
        return str(sum(part))
    ranked = sorted(part)
    if not ranked:
        return None
    return str(ranked[0] if look.view == "min" else ranked[-1])
