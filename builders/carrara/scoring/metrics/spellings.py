"""How else a date, a number or a measure may be written: what `subem` takes beside a name as it stands.

A date in any order, the day with or without "th" and "of", the month in full, in three letters or as a number; of two
numbers up to twelve either may be the month. A number with spaces or points for its commas, from two to twelve in words
or digits. A measure with its unit in full or short.
"""

import re
from collections.abc import Iterator
from typing import Final

_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_MONTH: Final = "|".join((*_MONTHS, *(f"{name[:3]}\\.?" for name in _MONTHS)))
_DATES: Final = (
    re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH}),? (?P<year>\d{{3,4}})", re.IGNORECASE),
    re.compile(rf"(?P<month>{_MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{3,4}})", re.IGNORECASE),
    re.compile(r"(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})"),
)
# From two on: "one" is a word of many sentences.
_COUNTED: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# In the plural: "8,849 metre" is what is left of a cut answer.
UNITS: Final = (
    ("metres", "meters", "m"),
    ("kilometres", "kilometers", "km"),
    ("centimetres", "centimeters", "cm"),
    ("square kilometres", "square kilometers", "sq km", "km2"),
    ("kilograms", "kilogrammes", "kg"),
    ("hectares", "ha"),
    ("miles", "mi"),
    ("feet", "ft"),
    ("percent", "per cent"),
    ("marks",),
)
_MEASURE: Final = re.compile(
    rf"(?P<number>-?\d[\d,.]*) ?(?P<unit>{'|'.join(unit for units in UNITS for unit in units)})", re.IGNORECASE
)
# A gold that ends with such a one may be cut down to its number.
_SHORT_UNIT: Final = 2
_WHOLE: Final = re.compile(r"\d{1,3}(?:,\d{3})+|\d{4,15}")


def ways(name: str) -> Iterator[str]:
    """Yield other ways to write a name that is a date, a number or a measure, "percent" for "%"."""
    if date := next((match for date in _DATES if (match := date.fullmatch(name))), None):
        yield from _dated(date)
        return
    number, _, rest = name.partition(" ")
    for other in _counted(number):
        yield f"{other} {rest}".strip()
    if measure := _MEASURE.fullmatch(name):
        units = next(units for units in UNITS if measure["unit"].lower() in units)
        for other in (measure["number"], *_counted(measure["number"])):
            yield from (f"{other} {unit}" for unit in units)
            yield f"{other}{units[-1]}"


def number_of(name: str) -> str:
    """Return the number of a measure whose unit is written in full; "" for any other name."""
    measure = _MEASURE.fullmatch(name)
    return measure["number"] if measure and len(measure["unit"]) > _SHORT_UNIT else ""


def _counted(number: str) -> Iterator[str]:
    """Yield other ways to write a number."""
    if number.lower() in _COUNTED:
        yield str(_COUNTED.index(number.lower()) + 2)
    elif number.isascii() and number.isdigit() and len(number) <= 2 and 2 <= int(number) <= len(_COUNTED) + 1:
        yield _COUNTED[int(number) - 2]
    elif _WHOLE.fullmatch(number):
        parts = f"{int(number.replace(',', '')):,}"
        yield parts.replace(",", " ")
        # "5.600" may be five and six tenths.
        if parts.count(",") > 1:
            yield parts.replace(",", ".")


def _dated(date: re.Match[str]) -> Iterator[str]:
    day, year, given = int(date["day"]), date["year"], date.groupdict()
    month = int(given["number"]) if "number" in given else _month(date["month"])
    if not 1 <= month <= 12:
        return
    nth = f"{day}{'th' if day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
    full = _MONTHS[month - 1]
    for name in (full, full[:3]):
        for number in (str(day), f"{day:02}", nth):
            yield from (f"{number} {name} {year}", f"{name} {number} {year}", f"{year} {name} {number}")
        yield from (f"{nth} of {name} {year}", f"{nth} day of {name} {year}")
    for first, second in ((f"{day:02}", f"{month:02}"), (str(day), str(month))):
        yield from (f"{year} {second} {first}", f"{first} {second} {year}", f"{second} {first} {year}")
        yield f"{first}.{second}.{year}"
        yield f"{year}年{second}月{first}日"


def _month(name: str) -> int:
    return [month[:3].lower() for month in _MONTHS].index(name[:3].lower()) + 1
