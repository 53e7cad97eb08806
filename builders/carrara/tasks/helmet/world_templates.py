"""Turns the world's templates back: of a sentence about a subject, the values that it states.

A sentence is read where a template spells it letter for letter: every list by one of its phrases, every value by words
of its kind, the subject by its name, a short form or a pronoun. All ways are followed, so that what could be read in
two ways is seen to be. Nothing that writes is used here: the templates are the only thing in common with it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from carrara.tasks.helmet.world_values import relation_of, value_ends
from carrara.world.grammar import Alternatives, Article, Mention, Part, Phrase, Pronoun, Value
from carrara.world.schema import PERSONS, Class
from carrara.world.texts import class_text

# The world's longest sentence has half as many letters; what is longer is not read.
LONGEST: Final = 1_200
# Ways to read the beginning of a sentence; the world's have one or two.
_WAYS: Final = 64
_PRONOUNS: Final = {
    "subject": ("he", "she", "it"),
    "object": ("him", "her", "it"),
    "possessive": ("his", "her", "its"),
    "he": ("he", "she", "it"),
    "him": ("him", "her", "it"),
    "his": ("his", "her", "its"),
    "himself": ("himself", "herself", "itself"),
}


@dataclass(frozen=True, slots=True)
class Stated:
    """A value that a passage states: the relation, the words, and where they stand, in code points."""

    relation: str
    value: str
    start: int
    end: int


def stated(class_: Class, relation: str, title: str, text: str, holding: str = "") -> tuple[Stated, ...]:
    """What a passage about `title` states as a relation of it, if that is an entity of the class.

    Of a sentence that can be read in two ways all values are given. `holding` leaves out sentences without these words.
    """
    found: dict[Stated, None] = {}
    called = _called(class_, title)
    templates = [one for one in _templates(class_, relation) if one[0] in text]
    for start, sentence in sentences(text) if templates else ():
        if holding not in sentence:
            continue
        fitting = [template for sure, template in templates if sure in sentence]
        # A sentence begins with a capital, whatever its first word is.
        for spelled in (sentence, sentence[:1].lower() + sentence[1:]) if fitting else ():
            ways = _Ways(class_, spelled, called)
            for one in (one for template in fitting for values in ways.through(template) for one in values):
                if one[0] == relation:
                    found[Stated(relation, spelled[one[1] : one[2]], start + one[1], start + one[2])] = None
    return tuple(found)


def is_about(class_: Class, title: str, text: str) -> bool:
    """Whether templates of the class spell a whole passage: entities of several classes have names of one kind."""
    called = _called(class_, title)
    return all(
        any(
            _Ways(class_, spelled, called).through(template)
            for spelled in (sentence, sentence[:1].lower() + sentence[1:])
            for sure, template in _sentences(class_)
            if sure in sentence
        )
        for _, sentence in sentences(text)
    )


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a passage, with where they start; no full stop stands within one."""
    start = 0
    while start < len(text):
        end = text.find(". ", start)
        end = len(text) if end < 0 else end + 1
        if end - start <= LONGEST:
            yield start, text[start:end]
        start = end + 1


@cache
def _templates(class_: Class, relation: str) -> tuple[tuple[str, Phrase], ...]:
    """The templates that state a relation, alone or with others, each with words that it surely writes."""
    facts = class_text("en", class_).facts
    return tuple(_sure(one.phrase) for names, found in facts.items() if relation in names for one in found)


@cache
def _sentences(class_: Class) -> tuple[tuple[str, Phrase], ...]:
    """The same of all sentences of a class, those that state nothing included."""
    text = class_text("en", class_)
    found = [one.phrase for templates in (*text.facts.values(), *text.details.values()) for one in templates]
    return tuple(_sure(one) for one in {id(one): one for one in found}.values())


def _sure(template: Phrase) -> tuple[str, Phrase]:
    # Not of its beginning, where the sentence has a capital.
    return max((part for part in template[1:] if isinstance(part, str)), key=len), template


@cache
def _short(class_: Class) -> tuple[str, ...]:
    """The short forms of a subject that is no person."""
    return () if class_ in PERSONS else tuple(f"the {noun}" for noun in class_text("en", class_).nouns)


def _called(class_: Class, title: str) -> tuple[str, ...]:
    """What a subject may be called: its name first; a person by the surname too."""
    return (title, title.rpartition(" ")[2]) if class_ in PERSONS else (title, *_short(class_))


# The values met so far: relation, start, end.
_Values = tuple[tuple[str, int, int], ...]


class _Ways:
    """All ways through templates that spell one sentence."""

    __slots__ = ("_called", "_class", "_kept", "text")

    def __init__(self, class_: Class, text: str, called: Sequence[str]) -> None:
        self.text = text
        self._class: Class = class_
        self._called = called
        # Where a choice that begins at a place may end.
        self._kept: dict[tuple[int, int], tuple[int, ...]] = {}

    def through(self, template: Phrase) -> list[_Values]:
        """The values of every way in which the template spells the whole sentence."""
        ways: list[tuple[int, _Values]] = [(0, ())]
        named = False
        for part in template:
            if isinstance(part, Value):
                relation = relation_of(self._class, part.name)
                ways = [
                    (end, (*values, (part.name, at, end)))
                    for at, values in ways
                    for end in value_ends(self._class, relation, self.text, at)
                ]
            elif isinstance(part, Mention):
                ways = [(end, values) for at, values in ways for end in self._mention(part, at, named)]
                named = True
            else:
                ways = [(end, values) for at, values in ways for end in self._step(part, at)]
            if not ways or len(ways) > _WAYS:
                return []
        return [values for at, values in ways if at == len(self.text)]

    def _mention(self, part: Mention, at: int, named: bool) -> Iterator[int]:
        if not named:
            for name in self._called:
                if self.text.startswith(name, at):
                    end = at + len(name)
                    if part.form != "possessive":
                        yield end
                    elif self.text.startswith(mark := "’" if name.endswith("s") else "’s", end):
                        yield end + len(mark)
        yield from self._literal(_PRONOUNS[part.form], at)

    def _step(self, part: Part, at: int) -> tuple[int, ...]:
        """Where a part that holds no value and names nothing may end."""
        if isinstance(part, str):
            return (at + len(part),) if self.text.startswith(part, at) else ()
        if isinstance(part, Article):
            return self._literal(("a ", "an "), at)
        if isinstance(part, Pronoun):
            return self._literal(_PRONOUNS[part.name], at)
        if not isinstance(part, Alternatives):
            return ()
        key = id(part), at
        if (kept := self._kept.get(key)) is None:
            kept = self._kept[key] = self._choice(part, at)
        return kept

    def _choice(self, part: Alternatives, at: int) -> tuple[int, ...]:
        if part.texts:
            return self._literal(part.texts, at)
        found: set[int] = set()
        for phrase in part.phrases:
            places = {at}
            for each in phrase:
                places = {end for place in places for end in self._step(each, place)}
                if not places:
                    break
            found |= places
        return tuple(found)

    def _literal(self, texts: Sequence[str], at: int) -> tuple[int, ...]:
        text = self.text
        return tuple([at + len(one) for one in texts if text.startswith(one, at)])
