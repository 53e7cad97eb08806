"""What a person is shown: text made safe for a terminal, names nearest to an unknown one, short numbers."""

import difflib
import unicodedata
from collections.abc import Iterable
from typing import Any

_LISTED = 12


def visible(text: Any, limit: int | None = None) -> str:
    """The text with everything that a terminal would obey, or not show, written out; line breaks stay.

    Control characters become their pictures (␛), others that do not print (bidi overrides, zero-width and
    unassigned characters, lone surrogates) `<U+202E>`.
    """
    full = str(text)
    cut = full if limit is None or len(full) <= limit else f"{full[:limit]}…"
    return cut if cut.isascii() and cut.isprintable() else "".join(map(_visible, cut))


def _visible(character: str) -> str:
    number = ord(character)
    if character == "\n" or character == " " or unicodedata.category(character) not in _HIDDEN:
        return character
    if number < 0x20:
        return chr(0x2400 + number)
    return "␡" if number == 0x7F else f"<U+{number:04X}>"


_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def nearest(name: str, known: Iterable[str]) -> str:
    """Which of the known names are meant by one that is not known, as a hint: the closest three, else the first twelve.

    >>> nearest("32K", ["32k", "128k", "1M"])
    "did you mean '32k'? Known: 32k, 128k, 1M"
    """
    names = list(dict.fromkeys(known))
    listed = ", ".join(names[:_LISTED]) + (f", … ({len(names)} in all)" if len(names) > _LISTED else "")
    folded = {known.casefold(): known for known in reversed(names)}
    wanted = name.casefold()[:200]
    close = difflib.get_close_matches(wanted, folded, n=3, cutoff=0.6)
    close = [wanted] if wanted in folded else [*close, *(one for one in folded if wanted and one.startswith(wanted))]
    if not close:
        return f"known: {listed or 'none'}"
    meant = " or ".join(repr(folded[one]) for one in list(dict.fromkeys(close))[:3])
    # Of a long list the first names say nothing: those that are near do.
    return f"did you mean {meant}?" + (f" Known: {listed}" if len(names) <= _LISTED else "")


def count(number: float) -> str:
    """Tokens or rows for a person: 950, 32.8k, 1.05M, 12.3G (thousands, not 1024)."""
    for scale, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        # From here on three digits round up to the next unit.
        if number >= scale * 0.9995:
            return f"{number / scale:.3g}{unit}" if number < scale * 999.5 else f"{number / scale:,.0f}{unit}"
    return f"{number:.0f}"


def size(number: float) -> str:
    """Bytes for a person: 950 B, 1.2 kB, 34 MB (thousands)."""
    short = count(number)
    return f"{short} B" if short[-1].isdigit() else f"{short[:-1]} {short[-1]}B"
