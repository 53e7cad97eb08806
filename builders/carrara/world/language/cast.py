"""How the persons of a text are called, and the values of its slots that speak of them.

{A} {A's}                          a person: in full at the first mention, then in short
{he:A} {him:A} {his:A} {himself:A} a pronoun; Chinese has one form, 他 or 她
{surname:A} {upper:A}              the surname; the short name in capitals
{O's}                              the possessive of any other value
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from carrara.task import Lang
from carrara.world.language.grammar import possessive

PersonGender = Literal["male", "female"]
_PRONOUNS: Final[Mapping[tuple[Lang, PersonGender], tuple[str, str, str, str]]] = {
    ("en", "male"): ("he", "him", "his", "himself"),
    ("en", "female"): ("she", "her", "her", "herself"),
    ("zh", "male"): ("他",) * 4,
    ("zh", "female"): ("她",) * 4,
}
_FORMS: Final = ("he", "him", "his", "himself")
PERSON_SLOT: Final = r"(?:he|him|his|himself|surname|upper):[A-Z]"


@dataclass(frozen=True, slots=True)
class Called:
    """How a person is called: in full and in short."""

    full: str
    short: str
    gender: PersonGender
    lang: Lang

    @property
    def surname(self) -> str:
        """The family name; a Chinese one is what is left of the full name before the given name."""
        if self.lang == "zh":
            return self.full[: 2 if len(self.full) == 4 else 1]
        return self.full.rpartition(" ")[2]

    def pronoun(self, form: str) -> str:
        """The pronoun that {he:A}, {him:A}, {his:A} or {himself:A} stands for."""
        return _PRONOUNS[self.lang, self.gender][_FORMS.index(form)]


class SlotNames:
    """The names of the slots that a caller fills, as a pattern: no list could hold all of them."""

    def __init__(self, pattern: str, examples: str) -> None:
        self._pattern = re.compile(f"{pattern}|{PERSON_SLOT}")
        self._examples = examples.split()

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._pattern.fullmatch(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._examples)

    def __len__(self) -> int:
        return len(self._examples)


class CastValues(dict[str, str]):
    """The values of a text's slots: those given, and what the persons of its letters make of the others."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.people: Mapping[str, Called] = {}
        # Who was named in full already.
        self.named: set[str] = set()
        # Whether every mention is in full.
        self.in_full = False

    def __missing__(self, name: str) -> str:
        if name.endswith("'s"):
            return possessive(self[name.removesuffix("'s")])
        if (person := self.people.get(name)) is not None:
            if self.in_full or person.full not in self.named:
                self.named.add(person.full)
                return person.full
            return person.short
        form, colon, letter = name.partition(":")
        if colon and (person := self.people.get(letter)) is not None:
            if form == "surname":
                return person.surname
            return person.short.upper() if form == "upper" else person.pronoun(form)
        raise KeyError(name)
