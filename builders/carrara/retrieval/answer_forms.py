"""Normal forms of texts and answers, in which answers are searched for.

A normal form is a line of tokens separated by single spaces: letters and digits, and the point inside a decimal number.
It folds what writers vary (case, compatibility forms, accents of Latin and Greek, apostrophes, hyphens, thousands
separators, dotted abbreviations) and keeps what distinguishes names (й is not и, a dakuten is not an accent). A line
break becomes a token that no answer contains, so that no answer is found across title and text.

What has several usual spellings that no folding joins (dates, "seven" and 7, "Spider-Man" and "Spiderman") is spelled
out on the side of the answer. Raise VERSION with any change: tables in the cache are keyed by it.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final

VERSION: Final = f"1-{unicodedata.unidata_version}"
# The token of a line break.
BREAK: Final = "|"
ARTICLES: Final = ("a", "an", "the")
_APOSTROPHES: Final = "'`´\u02bb\u02bc\u2018\u2019\u201b\u2032\uff07"
# Marks that a writer may leave out: accents, Hebrew points, Arabic vowel signs.
_OPTIONAL: Final = ((0x300, 0x36F), (0x483, 0x487), (0x591, 0x5C7), (0x64B, 0x65F))
# Letters whose mark is no combining character.
_LETTERS: Final = {
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ħ": "h",
    "ı": "i",
    "ŧ": "t",
}
# Written without spaces: every character is a token.
_UNSPACED: Final = ("CJK", "HIRAGANA", "KATAKANA")
_SPECIAL: Final = {
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys(".,", None),
    **dict.fromkeys("\u00a0\u2009\u202f", "\u00a0"),
    "&": " and ",
    "%": " percent ",
    "\n": f" {BREAK} ",
    "\u200b": " ",
}
# A run longer than any script needs takes quadratic time to normalise; marks are no letters to `re`.
_MARKS: Final = re.compile(r"([^\w\s\x00-\x7f]{30})[^\w\s\x00-\x7f]+")
# Each pattern begins with the character that it is about: a scan for it costs a tenth of a look behind every letter.
# 1953,1954 is two numbers, 5,625 and 1 234 567 (spaces that do not break) are one.
_PARTED: Final = re.compile(r"[0-9]++(?:[,\u00a0][0-9]++)++")
_THOUSANDS: Final = re.compile(r"[0-9]{1,3}([,\u00a0])[0-9]{3}(?:\1[0-9]{3})*+")
# After a lone letter: the rest of "U.S.", "U.S.A" and "J.K.", or of "J. K."; not of both at once ("War I. T.S. Eliot")
# and not of "plan B. I".
_DOTTED: Final = re.compile(
    r"\.(?<=[^\w'.][^\W\d_]\.)(?:[^\W\d_](?:\.[^\W\d_])*+\b\.?"  # without spaces
    r"|(?: [^\W\d_]\.(?![^\W\d_]\b))++)"
)
# "Einstein's", "CEO'd", "L'Olympia": the rest is a token of its own, so that the name is found; O'Connor is one name.
_POSSESSIVE: Final = re.compile(r"'(?:(?<=\w')(?=(?:s|d|ll|re|ve)\b)|(?<=\b[ld]')(?=\w))")
_INNER: Final = re.compile(r"'(?<=\w')(?=\w)")
_POINT: Final = re.compile(r"\.(?!(?<=[0-9]\.)[0-9])")
_PLAIN: Final = str.maketrans(
    {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in "'.,|"}
    | {ord("`"): "'", ord("|"): " ", ord("\n"): BREAK}
)

_WORDS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS: Final = {word: str(number) for number, word in enumerate(_WORDS, 1)}
_NUMBERS.update({digits: word for word, digits in list(_NUMBERS.items())})
_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_NAMED: Final = {name[:3]: number for number, name in enumerate(_MONTHS, 1)}
_MONTH: Final = rf"(?P<month>{'|'.join(_MONTHS)}|{'|'.join(_NAMED)}|sept)"
_DAY, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>\d{3,4})"
_DATES: Final = tuple(
    re.compile(rf"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day )?(?:{form})")
    for form in (
        rf"(?:the )?{_DAY} (?:of )?{_MONTH}(?: {_YEAR})?",
        rf"{_MONTH} (?:the )?{_DAY}(?: {_YEAR})?",
        rf"{_MONTH} (?:of )?{_YEAR}",
        r"(?P<year>\d{4}) (?P<month>\d\d) (?P<day>\d\d)",
    )
)
# What an article must stay before: "The Who" is not "who".
_FUNCTION: Final = (
    "who what when where which why how it its that this these those he she they we you me him her us them his our your "
    "one all some any not and or of in on at by to for with from as is are was were be been has had have do did will "
    "would can could may if but so than then there here out up down over under after before more most other such only "
    "own same a an the i"
)


def normalise(text: str) -> str:
    """Return the normal form of a text, "" if nothing is left, in linear time."""
    if text.isascii():
        if "&" in text:
            text = text.replace("&", " and ")
        if "%" in text:
            text = text.replace("%", " percent ")
        text = text.lower().translate(_PLAIN)
        text = text.replace(BREAK, f" {BREAK} ") if BREAK in text else text
    else:
        text = unicodedata.normalize("NFC", _MARKS.sub(r"\1", text)).translate(_FOLD)
    if "," in text or "\u00a0" in text:
        text = _PARTED.sub(_joined, text).replace(",", " ")
    if "." in text:
        text = _POINT.sub(" ", _DOTTED.sub(_undotted, f" {text}"))
    if "'" in text:
        text = _INNER.sub("", _POSSESSIVE.sub(" ", text)).replace("'", " ")
    text = " ".join(text.split())
    return f" {text} ".replace(" per cent ", " percent ").strip() if "per cent" in text else text


@lru_cache(maxsize=16_384)
def spellings(answer: str) -> tuple[str, ...]:
    """Return the normal forms of an answer, its own first; () if only an article is left.

    A leading article is dropped: a text that contains the answer with it also contains the answer without it.
    """
    text = _without_article(" ".join(answer.split()))
    own = normalise(text)
    if not own or own in ARTICLES:
        return ()
    forms = [text]
    for respelled in _RESPELLINGS:
        forms += [other for form in forms if (other := respelled(form)) != form]
    forms_of_it = [own, *map(normalise, forms), *_dates(own)]
    if own in _NUMBERS:
        forms_of_it.append(_NUMBERS[own])
    return tuple(dict.fromkeys(filter(None, forms_of_it)))


def _joined(match: re.Match[str]) -> str:
    number = _THOUSANDS.fullmatch(match[0])
    return match[0].replace(number[1], "") if number else match[0]


def _undotted(match: re.Match[str]) -> str:
    return match[0].replace(".", "").replace(" ", "") + " " * match[0].endswith(".")


class _Fold(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _folded(chr(code))
        return folded


_FOLD: Final = _Fold()


def _folded(char: str) -> str:
    if char in _SPECIAL:
        return _SPECIAL[char] or char
    category = unicodedata.category(char)
    if category == "Cf":
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category[0] not in "LNM":
        return " "
    if unicodedata.name(char, "").startswith(_UNSPACED):
        return f" {unicodedata.normalize('NFKC', char)} "
    lower = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", char).casefold())
    return "".join(map(_unmarked, lower))


def _unmarked(char: str) -> str:
    """A lower-case letter without its accents, if it is Latin or Greek; other scripts' marks make other letters."""
    if char in _APOSTROPHES:
        return "'"
    if any(first <= ord(char) <= last for first, last in _OPTIONAL):
        return ""
    if unicodedata.category(char)[0] not in "LNM":
        return " "
    base = unicodedata.normalize("NFD", char)[0]
    if unicodedata.name(base, "").startswith(("LATIN", "GREEK")):
        return _LETTERS.get(base, base)
    return char


def _without_article(text: str) -> str:
    """Less a leading article that is a word of its own: not that of "A-ha", and not before a word like "who"."""
    first, _, rest = text.partition(" ")
    if first.lower() not in ARTICLES:
        return text
    left = normalise(rest)
    return text if left in _FUNCTION.split() or len(left) < 3 else rest


def _dates(own: str) -> list[str]:
    """Every usual spelling of a date, in its normal form; none of what is no date."""
    for form in _DATES:
        if match := form.fullmatch(own):
            parts = match.groupdict()
            month, day, year = parts["month"], parts.get("day"), parts.get("year")
            number = int(month) if month.isdigit() else _NAMED[month[:3]]
            if 1 <= number <= 12 and (day is None or 1 <= int(day) <= 31):
                return _date_forms(number, int(day) if day else 0, f" {year}" if year else "")
    return []


def _date_forms(number: int, day: int, year: str) -> list[str]:
    name = _MONTHS[number - 1]
    months = [name, name[:3], *["sept"] * (number == 9)]
    if not day:
        return [form for month in months for form in (f"{month}{year}", f"{month} of{year}")]
    ending = "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    forms = []
    for month in months:
        for written in dict.fromkeys((str(day), f"{day:02}", f"{day}{ending}")):
            forms += [f"{written} {month}{year}", f"{month} {written}{year}"]
        forms += [f"{day}{ending} of {month}{year}", f"{day} of {month}{year}", f"{month} the {day}{ending}{year}"]
    if len(year) == 5:
        forms.append(f"{year[1:]} {number:02} {day:02}")
    return forms


_JOINED_POSSESSIVE: Final = re.compile(rf"(?<=\w)[{_APOSTROPHES}][sS]\b")
_DECADE: Final = re.compile(r"\b(\d+0)s\b")
# Not "T-O", which would be "to".
_HYPHEN: Final = re.compile(r"(?<=\w)[-\u2010\u2011\u2012\u2013](?=[^\W\d]\w\w)")
_INITIAL: Final = re.compile(r"\b([A-Z])\.(?=[\s\w]|$)")
_SPACED: Final = re.compile(r"\b([A-Z]) (?=[A-Z]\b(?!\.))")
_LONG_VOWELS: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ø": "oe", "å": "aa"}
)
_ELISION: Final = re.compile(rf"(?<=\b[LlDd])[{_APOSTROPHES}](?=\w)")
# "Schindlers List", "Loreal", "1990's", "Spiderman", "J K Rowling" of "J.K. Rowling" and the other way, "Roentgen".
_RESPELLINGS: Final[tuple[Callable[[str], str], ...]] = (
    lambda text: _JOINED_POSSESSIVE.sub("s", text),
    lambda text: _ELISION.sub("", text),
    lambda text: _DECADE.sub(r"\1's", text),
    lambda text: _HYPHEN.sub("", text),
    lambda text: _INITIAL.sub(r"\1 ", text),
    lambda text: _SPACED.sub(r"\1", text),
    lambda text: unicodedata.normalize("NFC", _MARKS.sub(r"\1", text)).translate(_LONG_VOWELS),
)
