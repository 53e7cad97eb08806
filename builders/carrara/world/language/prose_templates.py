"""Reads the texts of the prose modules into templates with slots, and counts their free choices.

A text is read once, when `prose.py` is imported; a malformed text fails there and not in a section.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

Below = Callable[[int], int]

# A template is used up to 700 times in 1.4M tokens, so 2.5 * 10^5 pairs: at 3 * 10^9 choices, all 390 templates
# together repeat at most one sentence in 30 such texts; most have far more choices, or a name.
FREE_CHOICES: Final = 3e9
_KEYED: Final = frozenset(("P", "Q", "An", "Af", "Bn", "Bf", "Cn", "Cf"))
_CAST: Final = _KEYED | frozenset(
    (
        "R",
        "H",
        "Ar",
        "Br",
        "Cr",
        "Arole",
        "Brole",
        "Crole",
        *(b + he for b in ("", "b", "c") for he in ("he", "his", "him")),
    )
)
_PERSONS: Final = frozenset(f"{letter}{form}" for letter in "ABC" for form in ("", "n", "f", "r"))
# A template with too few choices takes a phrase with a name for the first of these slots that it has.
_NAMED: Final = ("folk", "when", "subject", "spot", "time")


@dataclass(frozen=True, slots=True)
class ProseField:
    """A place in a template: a cast member or a draw from a list, as it is, with an article or with a capital."""

    kind: Literal["plain", "person", "article", "capital"]
    name: str


ProsePhrase = tuple[str | ProseField, ...]
ProseLists = dict[str, tuple[ProsePhrase, ...]]
Known = dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class ProseTemplate:
    """A sentence with slots."""

    phrase: ProsePhrase
    persons: frozenset[str]
    connective: bool
    # What to write when a role or a pronoun stands for the name; none if only the name makes the sentence unique.
    unnamed: ProsePhrase | None

    @property
    def begins_with_person(self) -> bool:
        """Whether a person opens the sentence, who may then be called by name, role or pronoun."""
        return isinstance(self.phrase[0], ProseField) and self.phrase[0].kind == "person"


@dataclass(frozen=True, slots=True)
class Theme:
    """What a section is about."""

    roles: tuple[str, ...]
    seasons: tuple[str, ...]
    titles: tuple[ProsePhrase, ...]
    opening: tuple[ProseTemplate, ...]
    body: tuple[ProseTemplate, ...]


class ProseNames(Protocol):
    """The names of one language: a module of this folder."""

    GIVEN_NAMES: int
    PLACE_NAMES: int

    def place_name(self, number: int) -> str:
        """Village `number` of PLACE_NAMES."""

    def person(self, number: int, role: str, letter: str, below: Below) -> dict[str, str]:
        """The slots of person `letter` with given name `number` of GIVEN_NAMES."""

    def river_and_hill(self, below: Below) -> tuple[str, str]:
        """The names of a river and a hill."""


@dataclass(frozen=True, slots=True)
class ProseLanguage:
    """All that one language needs."""

    lists: dict[str, ProseLists]  # by season
    scenes: dict[str, tuple[tuple[ProseTemplate, ...], tuple[ProseTemplate, ...]]]
    themes: tuple[Theme, ...]
    roles: tuple[str, ...]
    names: ProseNames
    comma: str


def capital(text: str) -> str:
    """The text with a capital first letter, behind an opening quote too."""
    if text[0] == "“":
        return "“" + text[1].upper() + text[2:]
    return text[0].upper() + text[1:]


def material(scenes: str, themes: str, lists: dict[str, ProseLists], names: ProseNames, comma: str) -> ProseLanguage:
    """Read the scenes and themes of one language."""
    known: Known = {season: {} for season in lists}

    def templates(lines: list[str], mark: str, seasons: Iterable[str]) -> tuple[ProseTemplate, ...]:
        return tuple(_template(line[2:], seasons, lists, known) for line in lines if line.startswith(mark))

    def theme(lines: list[str]) -> Theme:
        head = dict(line.split(": ", 1) for line in lines[:3])
        seasons = tuple(lists) if head["seasons"] == "any" else tuple(head["seasons"].split(" / "))
        titles = tuple(_phrase(title) for title in head["titles"].split(" / "))
        opening, body = templates(lines, "+ ", seasons), templates(lines, "- ", seasons)
        return Theme(tuple(head["roles"].split(" / ")), seasons, titles, opening, body)

    return ProseLanguage(
        lists=lists,
        scenes={
            name: (templates(lines, "+ ", lists), templates(lines, "- ", lists)) for name, lines in _blocks(scenes)
        },
        themes=tuple(theme(lines) for _, lines in _blocks(themes)),
        roles=tuple(str(phrase[0]) for phrase in next(iter(lists.values()))["role"]),
        names=names,
        comma=comma,
    )


def phrase_lists(text: str, jobs: str, seasons: Sequence[str]) -> dict[str, ProseLists]:
    """Read `name: phrase / phrase` entries, and jobs with three verb forms, into the lists of each season."""
    shared: ProseLists = {}
    own: dict[str, ProseLists] = {season: {} for season in seasons}
    # An indented line continues the entry before it.
    for entry in re.split(r"\n(?! )", text.strip()):
        name, _, rest = entry.partition(": ")
        base, _, season = name.partition(".")
        (own[season] if season else shared)[base] = tuple(_phrase(each) for each in re.split(r"\s*/\s*", _joined(rest)))
    forms = [line.split(" / ") for line in jobs.strip().splitlines()]
    if forms:
        for index, name in enumerate(("do", "did", "ing")):
            shared[name] = tuple(_phrase(f"{form[index]} {form[3]}") for form in forms)
    for name in [name for name in shared if name.startswith("named_")]:
        for letter in "ABC":
            shared[name + letter] = tuple(phrase for phrase in shared[name] if not _names(phrase, letter))
    return {season: shared | own[season] for season in seasons}


def _names(phrase: ProsePhrase, letter: str) -> bool:
    return any(isinstance(part, ProseField) and part.name == f"{letter}n" for part in phrase)


def _joined(text: str) -> str:
    """Continuation lines joined: with a space, but not behind a Chinese character or mark."""
    return re.sub(r"\n +", " ", re.sub(r"(?<=[\u2E80-\uFFEF])\n +", "", text))


def _blocks(text: str) -> Iterable[tuple[str, list[str]]]:
    for block in text.strip().removeprefix("# ").split("\n# "):
        name, *lines = _joined(block.strip()).splitlines()
        yield name, lines


def _phrase(text: str) -> ProsePhrase:
    parts: list[str | ProseField] = []
    for index, piece in enumerate(re.split(r"\{([^{}]+)\}", text)):
        if index % 2 == 0:
            if piece:
                parts.append(piece)
        elif piece in ("A", "B", "C"):
            parts.append(ProseField("person", piece))
        elif piece.startswith("a:"):
            parts.append(ProseField("article", piece[2:]))
        elif piece.endswith(":cap"):
            parts.append(ProseField("capital", piece[:-4]))
        else:
            parts.append(ProseField("plain", piece))
    return tuple(parts)


def _template(text: str, seasons: Iterable[str], lists: dict[str, ProseLists], known: Known) -> ProseTemplate:
    connective = text.startswith("~")
    phrase = _phrase(text.removeprefix("~"))
    persons = {part.name[0] for part in phrase if isinstance(part, ProseField) and part.name in _PERSONS}
    unnamed: ProsePhrase | None = phrase
    if max(_chances(phrase, lists[season], known[season]) for season in seasons) * FREE_CHOICES > 1:
        unnamed = _named(phrase, "".join(sorted(persons)))
        if not persons:
            if unnamed is None:
                raise ValueError(f"the template {text!r} has too few free choices and no slot out of {_NAMED}")
            phrase = unnamed
    return ProseTemplate(phrase, frozenset(persons), connective, unnamed)


def _named(phrase: ProsePhrase, persons: str) -> ProsePhrase | None:
    """The phrase with a name in one of its slots, not a name of `persons`, who are in the sentence already."""
    if len(persons) > 1:
        return None
    for name in _NAMED:
        for index, part in enumerate(phrase):
            if part == ProseField("plain", name):
                return (*phrase[:index], ProseField("plain", f"named_{name}{persons}"), *phrase[index + 1 :])
    return None


def _chances(phrase: ProsePhrase, lists: ProseLists, known: dict[str, float]) -> float:
    """Probability that two independent spellings of a phrase are equal; villages and persons' names never are."""
    chances = 1.0
    for part in phrase:
        if not isinstance(part, ProseField) or part.kind == "person":
            continue
        if part.name in _CAST:
            chances *= 0.0 if part.name in _KEYED else 1.0
            continue
        if part.name not in known:
            phrases = lists[part.name]
            known[part.name] = sum(_chances(each, lists, known) for each in phrases) / len(phrases) ** 2
        chances *= known[part.name]
    return chances
