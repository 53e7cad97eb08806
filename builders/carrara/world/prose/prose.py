"""Filler prose in English and Chinese, written from a stream: the haystack where no real corpus is at hand.

Section j is a function of (stream key, language, j) alone. A section has a village, a season, a theme and three
persons; its paragraphs are scenes, its sentences templates with slots, each template at most once in a section.
No sentence comes twice in a stream: a sentence either carries a village's or a person's name, which a keyed
permutation gives to one section only, or it has so many free choices (`prose_templates.FREE_CHOICES`) that no
repetition is to be expected.

Must not change: a draw or a template that moves changes every section; golden digests in the tests pin them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from carrara.stream import Draws, Permutation, Stream
from carrara.tables import Lang
from carrara.world.language.prose_templates import (
    ProseLanguage,
    ProsePhrase,
    ProseTemplate,
    capital,
    material,
    phrase_lists,
)
from carrara.world.prose import chinese, chinese_words, english, english_words

T = TypeVar("T")

_SCENES: Final = ("weather", "talk", "past", "home", "walk", "yard", "theme")
# Where further sentences come from when a scene and the details are used up.
_SPARE: Final = ("yard", "walk", "home", "weather")
# Words drawn at once.
_DRAWN: Final = 1_344


@dataclass(frozen=True, slots=True)
class Section:
    """A titled stretch of prose: paragraphs of sentences, without white space at the ends of a sentence."""

    title: str
    paragraphs: tuple[tuple[str, ...], ...]


def section(stream: Stream, lang: Lang, index: int) -> Section:
    """Section `index` of the stream: 40 to 80 sentences in 6 to 12 paragraphs."""
    if index < 0:
        raise ValueError(f"a section has an index of 0 or more, got {index}")
    return _SectionWriter(MATERIAL[lang], stream.child(lang), index).section()


class _SectionWriter:
    """Writes one section."""

    __slots__ = ("below", "cast", "chain", "lists", "material", "pools", "previous", "recent", "theme")

    def __init__(self, material: ProseLanguage, stream: Stream, index: int) -> None:
        self.material = material
        self.below = Draws(stream.child(index), _DRAWN).below
        self.recent: dict[str, list[int]] = {}
        self.previous: frozenset[str] = frozenset()
        self.chain = 0
        self.theme = self._choice(material.themes)
        season = self._choice(self.theme.seasons)
        self.lists = material.lists[season]
        self.cast = self._people(stream, index)
        self.pools = {name: (list(first), list(body)) for name, (first, body) in material.scenes.items()}
        self.pools["theme"] = (list(self.theme.opening), list(self.theme.body))

    def section(self) -> Section:
        title = self._spell(self._choice(self.theme.titles), "")
        counts = self._counts()
        extra = list(_SCENES)
        while len(extra) > len(counts) - 5:
            extra.pop(self.below(len(extra)))
        # The theme's second paragraph stands wherever it falls among the others, never first or last.
        middle = [*extra, "theme"]
        for index in range(len(middle) - 1, 0, -1):
            other = self.below(index + 1)
            middle[index], middle[other] = middle[other], middle[index]
        scenes = ["place", "people", "theme", *middle, "closing"]
        return Section(title, tuple(self._paragraph(*pair) for pair in zip(scenes, counts, strict=True)))

    def _counts(self) -> list[int]:
        """Sentences per paragraph: 6 to 12 numbers from 3 to 11 whose sum is 40 to 80."""
        paragraphs = 6 + self.below(7)
        least, most = max(40, 5 * paragraphs), min(80, 8 * paragraphs)
        total = least + self.below(most - least + 1)
        counts = [(total + index) // paragraphs for index in range(paragraphs)]
        for index in range(paragraphs // 2):
            shift = self.below(5) - 2
            counts[index] += shift
            counts[-1 - index] -= shift
        return counts

    def _people(self, stream: Stream, index: int) -> dict[str, str]:
        """Fixed slots: villages and given names by permutation, the rest drawn."""
        material = self.material
        cast: dict[str, str] = {}
        places = _keyed(stream.child("places"), material.names.PLACE_NAMES, 2, index)
        cast["P"], cast["Q"] = (material.names.place_name(number) for number in places)
        cast["R"], cast["H"] = material.names.river_and_hill(self.below)
        roles = [self._choice(self.theme.roles)]
        while len(roles) < 3:
            role = self._choice(material.roles)
            if role not in roles:
                roles.append(role)
        for letter, number, role in zip(
            "ABC", _keyed(stream.child("names"), material.names.GIVEN_NAMES, 3, index), roles, strict=True
        ):
            cast |= material.names.person(number, role, letter, self.below)
        return cast

    def _paragraph(self, scene: str, count: int) -> tuple[str, ...]:
        self.previous, self.chain = frozenset(), 0
        templates: list[ProseTemplate] = []
        if scene == "people":
            templates += [self._choice(self.material.scenes[f"person_{letter}"][0]) for letter in "abc"]
        while len(templates) < count:
            opening, body = self.pools[scene]
            if not templates and opening:
                templates.append(self._take(opening))
            elif body and (scene in ("place", "people", "closing") or self.below(8)):
                templates.append(self._take(body))
            else:
                spare = (self.pools[name][1] for name in ("detail", *_SPARE))
                templates.append(self._take(next(pool for pool in spare if pool)))
        self._gather(templates, 3 if scene == "people" else 1)
        return tuple(self._sentence(template, index) for index, template in enumerate(templates))

    def _gather(self, templates: list[ProseTemplate], first: int) -> None:
        """Bring sentences about one person together, so that pronouns can follow names."""
        for index in range(first, len(templates) - 1):
            persons = templates[index - 1].persons
            if len(persons) != 1 or not self.below(4):
                continue
            for later in range(index + 1, len(templates)):
                if templates[later].persons == persons and templates[later].begins_with_person:
                    templates.insert(index, templates.pop(later))
                    break

    def _sentence(self, template: ProseTemplate, index: int) -> str:
        person = self._reference(template)
        opener = ""
        if template.connective and index and not self.below(3):
            opener = self._spell(self._draw("opener"), "") + self.material.comma
        self.previous = template.persons
        phrase = template.phrase if person == "n" or template.unnamed is None else template.unnamed
        return capital(opener + self._spell(phrase, person))

    def _reference(self, template: ProseTemplate) -> str:
        """How a person who opens the sentence is called: n (name), r (role) or he (pronoun)."""
        if not template.begins_with_person or template.unnamed is None:
            self.chain = 0
            return "n"
        if self.previous == template.persons and self.chain < 2 and self.below(4):
            self.chain += 1
            return "he"
        self.chain = 0
        return "n" if self.below(4) else "r"

    def _spell(self, phrase: ProsePhrase, person: str) -> str:
        out: list[str] = []
        for index, part in enumerate(phrase):
            if isinstance(part, str):
                out.append(part)
            elif part.kind == "person":
                out.append(self._person(part.name, person if index == 0 else "n"))
            else:
                name = part.name
                word = self.cast[name] if name in self.cast else self._spell(self._draw(name), "")
                if part.kind == "article":
                    word = ("an " if word[0] in "aeiou" else "a ") + word
                elif part.kind == "capital":
                    word = capital(word)
                out.append(word)
        return "".join(out)

    def _person(self, letter: str, form: str) -> str:
        if form == "he":
            return self.cast[{"A": "he", "B": "bhe", "C": "che"}[letter]]
        return self.cast[letter + form]

    def _draw(self, name: str) -> ProsePhrase:
        """A phrase of a list, not one of those drawn last from it."""
        phrases = self.lists[name]
        count = len(phrases)
        recent = self.recent.setdefault(name, [])
        number = self.below(count)
        while number in recent:
            number = (number + 1) % count
        recent.append(number)
        if len(recent) > min(8, count // 2):
            del recent[0]
        return phrases[number]

    def _choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def _take(self, pool: list[ProseTemplate]) -> ProseTemplate:
        return pool.pop(self.below(len(pool)))


def _keyed(stream: Stream, size: int, width: int, index: int) -> list[int]:
    """`width` numbers below `size` that belong to section `index` alone, until the numbers are used up."""
    numbers = (np.arange(width, dtype=np.int64) + width * index) % size
    return [int(number) for number in Permutation(stream, size).take(numbers)]


MATERIAL: Final[dict[Lang, ProseLanguage]] = {
    "en": material(
        english.SCENES,
        english_words.THEMES,
        phrase_lists(english_words.WORDS, english_words.JOBS, english_words.SEASONS),
        english,
        ", ",
    ),
    "zh": material(
        chinese.SCENES,
        chinese_words.THEMES,
        phrase_lists(chinese_words.WORDS, chinese_words.JOBS, chinese_words.SEASONS),
        chinese,
        "，",
    ),
}
