"""Text of recipes and sources made safe for Markdown, HTML and YAML, and numbers as a card prints them.

What comes out stands on one line and starts no markup, whatever went in.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

# A longer text is cut: a card is read by people, and a hostile manifest is bounded.
MAX_TEXT = 2_000
_MARKUP = re.compile(r"[\\`*_\[\]|~]")
_PLAIN_CODE = re.compile(r"[A-Za-z0-9 ./:@+=,_\"'()\[\]{}-]+")
_URL = re.compile(r"https?://[A-Za-z0-9./_%?=&#:@+,~-]{1,500}")


class Markdown(str):
    """Text that is Markdown already: made by functions of this module, of nothing but escaped texts."""

    __slots__ = ()


def one_line(text: Any, limit: int = MAX_TEXT) -> str:
    """The text on one line: white space joined, control, direction and private characters left out."""
    cut = str(text)[: limit + 1]
    kept = "".join(" " if character.isspace() else character for character in cut if _printable(character))
    line = " ".join(kept.split())
    return line if len(cut) <= limit else f"{line[:limit]}…"


def escape(text: Any) -> str:
    """One line that Markdown shows as it is, in a paragraph, a list item or a cell of a table."""
    line = _entity(one_line(text), "&<>$")
    return _MARKUP.sub(lambda match: f"\\{match[0]}", line)


def code(text: Any) -> str:
    """One line as code. Backticks cannot be escaped inside backticks, so odd text goes into HTML, as entities."""
    line = one_line(text)
    if _PLAIN_CODE.fullmatch(line):
        return f"`{line}`"
    return (
        "<code>"
        + "".join(_entity(part) if part.isascii() and not part.isalnum() else part for part in line)
        + "</code>"
    )


def link(url: Any) -> str:
    """A link, if it is a plain web address; else its text."""
    line = one_line(url)
    return f"<{line}>" if _URL.fullmatch(line) else escape(line)


def quoted(text: Any) -> str:
    """A double-quoted YAML scalar, which is also a JSON and a Python string."""
    return json.dumps(one_line(text), ensure_ascii=False)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Lines of a Markdown table; cells are escaped already. `right`: columns that are set flush right."""
    rule = ["---:" if column in right else "---" for column in range(len(header))]
    return [f"| {' | '.join(cells)} |" for cells in (header, rule, *rows)]


def fenced(text: str, language: str) -> Markdown:
    """Lines as a block of code, between more backticks than the text has in a row; no control characters."""
    lines = ["".join(filter(_printable, line)) for line in text.splitlines()]
    fence = "`" * max(3, 1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=0))
    return Markdown("\n".join([f"{fence}{language}", *lines, fence]))


def number(value: float) -> str:
    """A number with thousands separated, rounded to a whole."""
    return f"{round(value):,}"


def percent(share: float) -> str:
    """A share in per cent, cut (not rounded) after two places: what is below 100 % never shows as 100 %."""
    return f"{int(share * 10_000) / 100:g} %"


def _printable(character: str) -> bool:
    return character.isspace() or unicodedata.category(character)[0] != "C"


def _entity(text: str, which: str = "") -> str:
    return "".join(f"&#{ord(part)};" if not which or part in which else part for part in text)
