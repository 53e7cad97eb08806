"""Inverts the world's templates: from a sentence about a subject to the values that it states.

A template must match a sentence to the letter: every list by one of its phrases, every value by words of its kind
(names by their forms and invented words, terms, days, figures), the subject by its name, a short form or a pronoun.
All matches are followed, so that an ambiguous sentence shows as one. This reader shares only the templates and the
material of names with what writes the texts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from carrara.world.language.class_texts import class_text
from carrara.world.language.grammar import Alternatives, Article, Mention, Phrase, PhrasePart, Pronoun, ValueField
from carrara.world.language.terms import terms
from carrara.world.names import words as material
from carrara.world.names.english import SECOND_GIVEN
from carrara.world.names.words import WordSet
from carrara.world.realm.schema import CLASSES, PERSONS, RELATIONS, EntityClass, Relation

# No value of the world is longer; the bound limits the cost of hostile text.
LONGEST: Final = 120


def _any(listed: str) -> str:
    """One of some words, as a pattern; "#" stands for a space within one."""
    return "(?:" + "|".join(re.escape(each.replace("#", " ")) for each in listed.split()) + ")"


def _titles() -> tuple[str, ...]:
    forms = []
    for form in material.TITLES:
        for slot, listed in material.TITLE_WORDS.items():
            form = form.replace(f"{{{slot}}}", _any(listed))
        forms.append(form.replace("{w}", "{a}").replace("{v}", "{b}") + r"\b")
    return tuple(forms)


_SECOND_GIVEN: Final = r"(?:" + "|".join(SECOND_GIVEN) + ")"
_VEHICLE: Final = rf"{{a}} {_any(material.VEHICLE)} [{material.VEHICLE_LETTERS}][1-9][0-9]{{2}}\b"
_WORK: Final = (_titles(), ("title",), ("title",))
_PERSON: Final = ((f"{{a}} {_SECOND_GIVEN} {{b}}",), ("male", "female"), ("surname",))
_SPECIES: Final = (("{a} {b}",), ("genus",), ("epithet",))
# By class: the patterns of its names, in which {a} and {b} are invented words of the two kinds of sets.
_FORMS: Final[dict[EntityClass, tuple[tuple[str, ...], tuple[WordSet, ...], tuple[WordSet, ...]]]] = {
    "company": (material.COMPANY, ("firm",), ("coin",)),
    "educational_institution": (material.SCHOOL, ("firm",), ("coin",)),
    "mean_of_transportation": ((_VEHICLE,), ("firm",), ("firm",)),
    "building": (material.BUILDING, ("firm",), ("coin",)),
    "natural_place": (
        (f"{_any(material.NATURAL_PLACE_COLOURED)} {{a}} {{b}}", *material.NATURAL_PLACE),
        ("wild",),
        ("coin",),
    ),
    "village": ((f"{_any(material.VILLAGE_DIRECTED)} {{a}} {{b}}", *material.VILLAGE), ("place",), ("coin",)),
    "animal": _SPECIES,
    "plant": _SPECIES,
    "album": _WORK,
    "film": _WORK,
    "written_work": _WORK,
    "artist": _PERSON,
    "athlete": _PERSON,
    "office_holder": _PERSON,
}
_MONTHS: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"  # a day: 3 March 1891
)
_DATE: Final = re.compile(rf"[1-9][0-9]? (?:{_MONTHS}) [1-9][0-9]{{2,3}}(?![\w,]*\d)")
_YEAR: Final = re.compile(r"[1-9][0-9]{2,3}(?![\d,]*\d)")
_NUMBER: Final = re.compile(r"(?:0|[1-9][0-9]{0,2}(?:,[0-9]{3}){0,4})(?![\d,]*\d)")
# The sentences of a template that the world writes have half as many characters; longer ones are not read.
_LONGEST_SENTENCE: Final = 1_200
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
# The values matched so far: relation, start, end.
_Values = tuple[tuple[str, int, int], ...]


def relation_of(class_: EntityClass, name: str) -> Relation:
    """The relation of a class by its name. Raises KeyError if there is none."""
    return _relations(class_)[name]


@cache
def _relations(class_: EntityClass) -> dict[str, Relation]:
    return {relation.name: relation for relation in RELATIONS[class_]}


def is_name(class_: EntityClass, text: str) -> bool:
    """Whether a text is a name that an entity of the class may have."""
    return len(text) <= LONGEST and len(text) in name_ends(class_, text, 0)


def is_surname(text: str) -> bool:
    """Whether a text is the surname of a person."""
    return _is_word(("surname",), text)


def is_region(text: str) -> bool:
    """Whether a text is the name of a region."""
    match = _REGION.fullmatch(text)
    return match is not None and _is_word(("realm",), match[1])


def name_ends(class_: EntityClass, text: str, at: int) -> Sequence[int]:
    """The indices at which a name of the class that begins at `at` may end: none, one or two."""
    ends = []
    for pattern, sets in _names(class_):
        match = pattern.match(text, at, at + LONGEST)
        if match and all(
            word is None or _is_word(known, word) for word, known in zip(match.groups(), sets, strict=True)
        ):
            ends.append(match.end())
    return ends


def value_ends(class_: EntityClass, relation: Relation, text: str, at: int) -> Sequence[int]:
    """The indices at which a value of a relation of the class that begins at `at` may end."""
    kind = relation.kind
    if kind == "entity":
        return name_ends(relation.targets[0], text, at)
    if kind == "alias":
        return name_ends(class_, text, at)
    if kind == "term":
        return [at + len(term) for term in terms(relation.terms, "en") if text.startswith(term, at)]
    pattern = _REGION if kind == "place" else _DATE if kind == "date" else _YEAR if kind == "year" else _NUMBER
    match = pattern.match(text, at, at + LONGEST)
    return (match.end(),) if match and (kind != "place" or is_region(match[0])) else ()


# What may be an invented word; the longest has a head of four letters, a middle of two and a tail of six.
_LETTERS: Final = r"([A-Z][a-z]{3,11})\b"
_REGION: Final = re.compile(f"{_SECOND_GIVEN} {_LETTERS}")
_EPITHET: Final = r"([a-z]{4,12})\b"


@cache
def _names(class_: EntityClass) -> tuple[tuple[re.Pattern[str], tuple[tuple[WordSet, ...], ...]], ...]:
    """Patterns of the names of a class and the sets of their words; within a pattern no form is a prefix of another."""
    forms, first, second = _FORMS[class_]
    longer = [form for form in forms if any(form.startswith(f"{other} ") for other in forms)]
    b = _EPITHET if second == ("epithet",) else _LETTERS
    patterns = []
    for group in ([form for form in forms if form not in longer], longer):
        if group:
            sets = tuple(first if gap == "{a}" else second for form in group for gap in re.findall(r"{[ab]}", form))
            wordings = "|".join(f"(?:{form.replace('{a}', _LETTERS).replace('{b}', b)})" for form in group)
            patterns.append((re.compile(wordings), sets))
    return tuple(patterns)


def _is_word(sets: tuple[WordSet, ...], word: str) -> bool:
    """Whether a text is an invented word of one of the sets: a head and, of the same region of sound, a tail."""
    return any(word[cut:] in _tails(word[:cut].capitalize(), sets) for cut in range(2, min(5, len(word))))


@cache
def _tails(head: str, sets: tuple[WordSet, ...]) -> frozenset[str]:
    """What may follow a head in a word of the sets; nothing if it is none."""
    found = set()
    for heads, tails in zip(material.HEADS, material.REGIONAL_TAILS, strict=True):
        if head in heads.split():
            for each in sets:
                own = (tails.get(each) or material.TAILS[each]).split()
                found |= {*own, *(middle + tail for middle in material.MIDDLES.split() for tail in own)}
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Stated:
    """A value that a passage states: the relation, the words, and their span in code points."""

    relation: str
    value: str
    start: int
    end: int


def stated(class_: EntityClass, relation: str, title: str, text: str, holding: str = "") -> tuple[Stated, ...]:
    """The values of a relation that a passage about `title` states, if that is an entity of the class.

    An ambiguous sentence gives all its values. Sentences without the words `holding` are left out.
    """
    statements: dict[Stated, None] = {}
    called = _called(class_, title)
    templates = [template for template in _templates(class_, relation) if template.sure in text]
    for count in sorted({template.sentences for template in templates}):
        for start, said in sentences(text, count):
            if holding not in said:
                continue
            fitting = [
                template.phrase for template in templates if template.sentences == count and template.sure in said
            ]
            # The first word of a sentence has a capital in any case.
            for spelled in (said, said[:1].lower() + said[1:]) if fitting else ():
                ways = _TemplateWays(class_, spelled, called)
                for name, first, end in (value for phrase in fitting for one in ways.through(phrase) for value in one):
                    if name == relation:
                        statements[Stated(relation, spelled[first:end], start + first, start + end)] = None
    return tuple(statements)


def is_about(class_: EntityClass, title: str, text: str) -> bool:
    """Whether no other class of such names has templates for more sentences of a passage."""
    rivals = [other for other in CLASSES if other != class_ and is_name(other, title)]
    return not rivals or _matched(class_, title, text) >= max(_matched(other, title, text) for other in rivals)


def _matched(class_: EntityClass, title: str, text: str) -> int:
    """How many sentences of a passage the templates of a class match."""
    called = _called(class_, title)
    templates = [template for template in _templates(class_) if template.sure in text]
    return sum(
        count
        for count in {template.sentences for template in templates}
        for _, said in sentences(text, count)
        if any(
            _TemplateWays(class_, spelled, called).through(template.phrase)
            for spelled in (said, said[:1].lower() + said[1:])
            for template in templates
            if template.sentences == count and template.sure in said
        )
    )


def sentences(text: str, count: int = 1) -> Iterator[tuple[int, str]]:
    """Every so many sentences of a passage that follow on one another, with their start; no value holds ". "."""
    starts = [0, *(found.end() for found in re.finditer(r"\. ", text))]
    ends = [*(start - 1 for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends[count - 1 :], strict=False):
        if start < end <= start + _LONGEST_SENTENCE:
            yield start, text[start:end]


@dataclass(frozen=True, slots=True)
class _FactTemplate:
    """A template: a literal that it always contains, how many sentences it is, and itself."""

    sure: str
    sentences: int
    phrase: Phrase


@cache
def _templates(class_: EntityClass, relation: str = "") -> tuple[_FactTemplate, ...]:
    """The templates that state a relation, alone or with others; without one, those of all relations."""
    return tuple(
        _template(template.phrase)
        for names, templates in class_text("en", class_).facts.items()
        if relation in names or not relation
        for template in templates
    )


def _template(phrase: Phrase) -> _FactTemplate:
    texts = [part for part in phrase if isinstance(part, str)]
    # The beginning, where the sentence has a capital, is not sure.
    sure = max((part for part in phrase[1:] if isinstance(part, str)), key=len)
    return _FactTemplate(sure, 1 + sum(text.count(". ") for text in texts), phrase)


@cache
def _short(class_: EntityClass) -> tuple[str, ...]:
    """The short forms of a subject that is not a person."""
    return () if class_ in PERSONS else tuple(f"the {noun}" for noun in class_text("en", class_).nouns)


def _called(class_: EntityClass, title: str) -> tuple[str, ...]:
    """What a subject may be called: its name, then a person's surname or a thing's short forms."""
    return (title, title.rpartition(" ")[2]) if class_ in PERSONS else (title, *_short(class_))


class _TemplateWays:
    """All matches of templates with one sentence."""

    __slots__ = ("_called", "_class", "_kept", "text")

    def __init__(self, class_: EntityClass, text: str, called: Sequence[str]) -> None:
        self.text = text
        self._class: EntityClass = class_
        self._called = called
        # The indices at which a choice that begins at an index may end.
        self._kept: dict[tuple[int, int], tuple[int, ...]] = {}

    def through(self, template: Phrase) -> list[_Values]:
        """The values of every match of the template with the whole sentence."""
        ways: list[tuple[int, _Values]] = [(0, ())]
        named = False
        for part in template:
            if isinstance(part, ValueField):
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

    def _step(self, part: PhrasePart, at: int) -> tuple[int, ...]:
        """The indices at which a part without a value or a mention may end."""
        if isinstance(part, str):
            return (at + len(part),) if self.text.startswith(part, at) else ()
        if isinstance(part, Article):
            return self._literal(("a ", "an ", "A ", "An "), at)
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
        ends: set[int] = set()
        for phrase in part.phrases:
            places = {at}
            for each in phrase:
                places = {end for start in places for end in self._step(each, start)}
                if not places:
                    break
            ends |= places
        return tuple(ends)

    def _literal(self, texts: Sequence[str], at: int) -> tuple[int, ...]:
        text = self.text
        return tuple([at + len(option) for option in texts if text.startswith(option, at)])
