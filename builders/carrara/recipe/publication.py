"""Who publishes a release, when and where: a recipe's optional table [publication], for card-like metadata alone.

It decides no row, so no digest of one holds it; but it is part of the recipe, and so of its fingerprint, when given.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_URL = re.compile(r"https?://[A-Za-z0-9./_%?=&#:@+,~-]{1,500}")
_MAX_TEXT = 2_000
_MAX_CREATORS = 100


@dataclass(frozen=True, slots=True)
class Publication:
    """What a recipe says of its publication; empty where it says nothing. `date` is YYYY-MM-DD.

    Raises ValueError on a date that is none, a url that is no plain web address, a text of more than 2,000 characters.
    """

    date: str = ""
    creators: tuple[str, ...] = ()
    publisher: str = ""
    url: str = ""
    citation: str = ""
    contact: str = ""

    def __post_init__(self) -> None:
        if self.date and not _is_day(self.date):
            raise ValueError(f"date = {self.date[:80]!r}, expected a day like 2026-11-22")
        if self.url and not _URL.fullmatch(self.url):
            raise ValueError(f"url = {self.url[:80]!r}, expected a web address that begins with https://")
        if len(self.creators) > _MAX_CREATORS:
            raise ValueError(f"{len(self.creators)} creators, expected at most {_MAX_CREATORS}")
        for text in (*self.creators, self.publisher, self.citation, self.contact):
            if len(text) > _MAX_TEXT:
                raise ValueError(f"a text of {len(text)} characters, expected at most {_MAX_TEXT}")
        if not all(name.strip() for name in self.creators):
            raise ValueError("an empty name among creators, expected a person or an organization")

    def to_json(self) -> dict[str, str | list[str]]:
        """What was given, for the recipe's JSON."""
        given = {name: value for name, value in asdict(self).items() if value}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}

    def of_twin(self) -> "Publication | None":
        """The same people; a twin has a day, an address and a citation of its own."""
        return replace(self, date="", url="", citation="").if_any()

    def if_any(self) -> "Publication | None":
        """Itself, or nothing where it says nothing."""
        return self if self.to_json() else None


def publication_of(recipe: Mapping[str, object]) -> Publication:
    """The publication in a recipe's JSON that nobody vouches for. Raises ValueError or TypeError on what is none."""
    table = recipe.get("publication", {})
    if not isinstance(table, dict):
        raise TypeError(f"publication is a {type(table).__name__}, expected a table")
    creators = table.get("creators", [])
    texts = [*creators, *(value for key, value in table.items() if key != "creators")]
    if not isinstance(creators, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError("publication holds something else than texts")
    return Publication(**{**table, "creators": tuple(creators)})


def _is_day(text: str) -> bool:
    if not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
