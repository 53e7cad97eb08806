"""Lists of texts as Python writes them, `['a', "b's"]`, read without evaluating anything and in linear time."""

import re
from typing import Final

_TEXT: Final = re.compile(r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)\"""", re.DOTALL)
_COMMA: Final = re.compile(r"\s*+(,\s*+)?")
_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_PLAIN: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def texts(literal: str) -> list[str]:
    """The texts of a list. Raises ValueError that says at which character the list stops being one."""
    literal = literal.strip()
    if not literal.startswith("["):
        raise ValueError("expected [ at character 0")
    found: list[str] = []
    at = len(literal) - len(literal[1:].lstrip())
    comma = True
    while literal[at : at + 1] != "]":
        text = _TEXT.match(literal, at)
        if text is None or not comma:
            raise ValueError(f"expected a text in quotation marks, a comma or ] at character {at}")
        found.append(_unescaped(text[1] if text[1] is not None else text[2], at))
        gap = _COMMA.match(literal, text.end())
        assert gap is not None  # It matches nothing, too.
        comma, at = gap[1] is not None, gap.end()
    if at + 1 != len(literal):
        raise ValueError(f"expected nothing after ] at character {at}")
    return found


def _unescaped(text: str, at: int) -> str:
    def plain(found: re.Match[str]) -> str:
        code = found[1]
        if len(code) > 1:
            number = int(code[1:], 16)
            if number > 0x10FFFF:
                raise ValueError(f"no character {code!r} in the text at character {at}")
            return chr(number)
        if code not in _PLAIN:
            raise ValueError(f"unknown escape {found[0]!r} in the text at character {at}")
        return _PLAIN[code]

    return _ESCAPE.sub(plain, text) if "\\" in text else text
