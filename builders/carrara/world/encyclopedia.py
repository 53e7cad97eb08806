"""The encyclopedia of one world: entities by number, the passages about them, and the roll of a corpus.

Realm after realm, each closed in itself: a corpus of the first R realms holds every entity that its passages name. Any
entity and any passage is written on its own, from the stream's key, in constant memory.

The roll gives name and gloss of any entity by its number, which counts as `World.entities` does: realm after realm,
class after class. Of a realm it draws nothing but who of its people is a woman, for that decides a given name, and it
keeps what was asked for: 62,000 entities take some 15 MB, and rows of a release draw from the same ones. All glosses of
a class are drawn in one go: a stream for each would cost as much as spelling them.

Must not change: names, passages, glosses and numbers.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.stream import Draws, Stream
from carrara.tables import EntityRow, Passage
from carrara.task import Lang
from carrara.world.language.class_texts import ClassText, class_text
from carrara.world.language.grammar import Person, Phrase, Speller
from carrara.world.language.paragraphs import period, plain
from carrara.world.language.surface import surface
from carrara.world.language.terms import terms
from carrara.world.names.names import FAMILY_CLASSES, WorldNames
from carrara.world.passages import Dealt, Nature, StatedFact, deal, write_passage
from carrara.world.realm.people import PEOPLE, classes_of_people, genders_of_people
from carrara.world.realm.realm import SIZES, Entity, FactValue, Realm, Reference, realm_of
from carrara.world.realm.schema import ASPECTS, CLASSES, PERSONS, RELATIONS, EntityClass, Relation

PASSAGES_A_REALM: Final = sum(SIZES[class_] * len(ASPECTS[class_]) for class_ in CLASSES)
ENTITIES_A_REALM: Final = sum(SIZES.values())
# Where in a realm the entities of each class begin.
_STARTS: Final = [0, *accumulate(SIZES[class_] for class_ in CLASSES)][:-1]
WORDS: Final = 100
# Draws of a gloss, a bound that no wording of [glosses] reaches.
GLOSS_WORDS: Final = 12
_NOBODY: Final = Person("")
# Titles stand in these marks in Chinese.
WORKS: Final[tuple[EntityClass, ...]] = ("album", "film", "written_work")
_PRONOUNS: Final[dict[tuple[Lang, str], tuple[str, str, str, str]]] = {
    ("en", "male"): ("he", "him", "his", "himself"),
    ("en", "female"): ("she", "her", "her", "herself"),
    ("en", "none"): ("it", "it", "its", "itself"),
    ("zh", "male"): ("他", "他", "他", "他自己"),
    ("zh", "female"): ("她", "她", "她", "她自己"),
    ("zh", "none"): ("它", "它", "它", "它自身"),
}
# Realms kept: references stay inside a realm, so that one at a time is enough for a walk over a corpus.
_REALMS_KEPT: Final = 4
_TITLES_KEPT: Final = 4_096
# Classes of a realm, in a language.
_NATURES_KEPT: Final = _REALMS_KEPT * len(CLASSES)
# States of an entity, a bound that no class reaches.
NATURE_WORDS: Final = 24
# The relation that says what an entity is within its class: the subtypes of its paragraphs are the terms of it.
KEYS: Final[Mapping[EntityClass, str]] = {
    "artist": "field",
    "athlete": "sport",
    "office_holder": "office",
    "company": "industry",
    "educational_institution": "specialty",
    "mean_of_transportation": "type",
    "building": "type",
    "natural_place": "type",
    "village": "product",
    "animal": "group",
    "plant": "group",
    "album": "genre",
    "film": "genre",
    "written_work": "genre",
}
# When a thing began; people begin when they are so many years old.
_BEGINNINGS: Final = ("founded", "introduced", "completed", "released", "published")
_GROWN: Final = 25


@dataclass(frozen=True, slots=True)
class WorldPassage:
    """A passage with what it states and of whom."""

    passage: Passage
    subject: Reference
    aspect: str
    stated: tuple[StatedFact, ...]


class Encyclopedia:
    """Entities, names and passages of the world of one stream."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.names = WorldNames(stream)
        self._titles = lru_cache(maxsize=_TITLES_KEPT)(self._title)
        self.realm = lru_cache(maxsize=_REALMS_KEPT)(lambda index: Realm(stream, index))
        self._natures = lru_cache(maxsize=_NATURES_KEPT)(self._natures_of)
        self._seed = cache(lambda lang, class_: stream.child("paragraphs", lang, class_).word() | 1)
        self._relations: dict[EntityClass, dict[str, Relation]] = {
            class_: {relation.name: relation for relation in RELATIONS[class_]} for class_ in CLASSES
        }
        self._persons = {
            class_: frozenset(known.name for known in RELATIONS[class_] if set(known.targets) & set(PERSONS))
            for class_ in CLASSES
        }

    def entity(self, reference: Reference) -> Entity:
        """The entity that a reference names."""
        return self.realm(realm_of(reference)).entity(reference)

    def entities(self, realms: Iterable[int]) -> Iterator[Entity]:
        """All entities of some realms, class by class."""
        for index in realms:
            for class_ in CLASSES:
                yield from self.realm(index).entities(class_)

    def name(self, lang: Lang, reference: Reference) -> str:
        """The bare name."""
        female = reference.class_ in PERSONS and self._female(reference)
        return self.names.name(lang, reference.class_, reference.number, female=female)

    def _female(self, reference: Reference) -> bool:
        return self.entity(reference).gender == "female"

    def alias(self, lang: Lang, reference: Reference) -> str | None:
        """The other name, bare; None for an entity that has none."""
        if "also_known_as" not in self.entity(reference).facts:
            return None
        return self.names.alias(lang, reference.class_, reference.number, female=self._female(reference))

    def title(self, lang: Lang, reference: Reference) -> str:
        """The name as a text writes it: titles of works in marks in Chinese."""
        return self._titles(lang, reference.class_, reference.number)

    def _title(self, lang: Lang, class_: EntityClass, number: int) -> str:
        return _marked(lang, class_, self.name(lang, Reference(class_, number)))

    def surname(self, lang: Lang, reference: Reference) -> str:
        """The surname of a person."""
        return self.names.surname(lang, reference.number // FAMILY_CLASSES[reference.class_])

    def written(self, lang: Lang, entity: Entity, relation: str) -> str:
        """The value of a relation as a text writes it."""
        reference, value = entity.reference, entity.facts[relation]
        if isinstance(value, Reference):
            return self.title(lang, value)
        own = relation == "also_known_as"
        named = self._relations[reference.class_][relation]
        text = surface(reference if own else value, named, lang, self.names, self._female)
        return _marked(lang, reference.class_, text) if own else text

    def accepted(self, lang: Lang, entity: Entity, relation: str) -> tuple[str, ...]:
        """Every accepted spelling of a value, the one that passages write first."""
        value = entity.facts[relation]
        first = self.written(lang, entity, relation)
        if isinstance(value, Reference):
            return self.called(lang, value)
        kind = self._relations[entity.reference.class_][relation].kind
        return tuple(dict.fromkeys((first, *_spellings(lang, kind, first, value))))

    def called(self, lang: Lang, reference: Reference) -> tuple[str, ...]:
        """Every accepted name of an entity, the one that passages write first."""
        bare = [self.name(lang, reference), self.alias(lang, reference)]
        marked = [_marked(lang, reference.class_, name) for name in bare if name]
        return tuple(dict.fromkeys((*marked, *(name for name in bare if name))))

    def subject(self, lang: Lang, entity: Entity) -> Person:
        """How a passage calls its subject."""
        reference = entity.reference
        name = self.title(lang, reference)
        pronouns = _PRONOUNS[lang, entity.gender]
        if reference.class_ in PERSONS:
            short = (self.surname(lang, reference),) if lang == "en" else ()
            return Person(name, short, pronouns, unique=bool(short))
        nouns = class_text(lang, reference.class_).nouns
        brief = self.names.short(lang, reference.class_, name)
        return Person(name, tuple(f"the {noun}" for noun in nouns) if lang == "en" else nouns, pronouns, brief=brief)

    def passage(self, lang: Lang, reference: Reference, aspect: str, words: int = WORDS) -> WorldPassage:
        """One passage; its id is `class:number/aspect`, its title the subject's name."""
        entity = self.entity(reference)
        text: ClassText = class_text(lang, reference.class_)
        values: Mapping[str, str] = {
            name: self.written(lang, entity, name) for name in ASPECTS[reference.class_][aspect] if name in entity.facts
        }
        draws = Draws(self.stream.child("passage", lang, reference.class_, reference.number, aspect))
        subject = self.subject(lang, entity)
        persons = self._persons[reference.class_]
        realm, slot = divmod(reference.number, SIZES[reference.class_])
        natures, dealt = self._natures(lang, reference.class_, realm)
        written = write_passage(
            text, lang, draws, subject, aspect, values, words, persons, natures[slot], dealt[aspect][slot]
        )
        title = subject.name.strip("《》")
        passage = Passage(f"{reference}/{aspect}", title, written.text)
        return WorldPassage(passage, reference, aspect, written.stated)

    def _natures_of(
        self, lang: Lang, class_: EntityClass, realm: int
    ) -> tuple[Sequence[Nature], Mapping[str, Sequence[Dealt]]]:
        """What the entities of a class of a realm are, and the paragraph of each for each aspect."""
        known = class_text(lang, class_).paragraphs
        natures = [self._nature(lang, entity) for entity in self.realm(realm).entities(class_)]
        return natures, {aspect: deal(known, aspect, natures, realm) for aspect in known.by_aspect}

    def _nature(self, lang: Lang, entity: Entity) -> Nature:
        reference, facts = entity.reference, entity.facts
        class_ = reference.class_
        text = class_text(lang, class_).paragraphs
        traits = {"gender": entity.gender, "has": " ".join(facts)}
        for relation in RELATIONS[class_]:
            value = facts.get(relation.name)
            if relation.kind == "term" and isinstance(value, int):
                traits[relation.name] = terms(relation.terms, lang)[value]
        if (year := _began(facts)) is not None:
            traits["period"] = period(year)
        subtype = traits.get(KEYS[class_], "")
        known = text.subtypes.get(subtype)
        draws = Draws(self.stream.child("nature", lang, class_, reference.number), NATURE_WORDS)
        variables: dict[str, Sequence[Phrase]] = {}
        for state in text.states:
            if state.name not in variables and all(
                condition.holds(known.tags if known else (), traits) for condition in state.conditions
            ):
                drawn = state.entries[draws.below(len(state.entries))]
                variables[state.name], traits[state.name] = drawn, plain(drawn[0])
        lists = known.lists if known else {}
        return Nature(subtype, traits, variables, lists, self._seed(lang, class_))

    def passages(self, lang: Lang, realms: Iterable[int], words: int = WORDS) -> Iterator[WorldPassage]:
        """All passages of some realms: entity after entity, aspect after aspect."""
        for entity in self.entities(realms):
            for aspect in self.aspects(entity):
                yield self.passage(lang, entity.reference, aspect, words)

    def aspects(self, entity: Entity) -> list[str]:
        """The aspects of an entity that state anything: its passages."""
        named = ASPECTS[entity.reference.class_].items()
        return [aspect for aspect, names in named if any(name in entity.facts for name in names)]

    def stating(self, reference: Reference, relation: str) -> list[str]:
        """The aspects whose passages state a relation of an entity."""
        return [aspect for aspect, names in ASPECTS[reference.class_].items() if relation in names]

    def gloss(self, lang: Lang, reference: Reference) -> str:
        """A few words that imply the class and name nothing."""
        class_, number = reference.class_, reference.number
        return self.spelled_gloss(lang, class_, self.gloss_words(lang, class_, number, 1)[0].tolist())

    def gloss_words(self, lang: Lang, class_: EntityClass, first: int, count: int) -> NDArray[np.uint64]:
        """The draws of the glosses of entities first .. first + count - 1 of a class: shape (count, GLOSS_WORDS)."""
        stream = self.stream.child("gloss", lang, class_)
        return stream.words(GLOSS_WORDS * first, GLOSS_WORDS * count).reshape(count, GLOSS_WORDS)

    def spelled_gloss(self, lang: Lang, class_: EntityClass, words: list[int]) -> str:
        """The gloss that its draws spell."""
        draws = Draws(self.stream)
        draws.words += words
        return Speller(draws, _NOBODY, {}).phrase(draws.choice(class_text(lang, class_).glosses))[0]

    def popularity(self, reference: Reference) -> int:
        """How often the entity is asked about: a Zipf law (the share of entities above x is 10 / x), 10 to 10^7."""
        word = self.stream.child("popularity", reference.class_, reference.number).word()
        return min(10**7, 10 * (1 << 64) // (word + 1))

    def row(self, lang: Lang, reference: Reference) -> EntityRow:
        """The entity as a row of the entity table."""
        name, alias = self.name(lang, reference), self.alias(lang, reference)
        return EntityRow(str(reference), name, (alias,) if alias else (), reference.class_, self.gloss(lang, reference))


def _began(facts: Mapping[str, FactValue]) -> int | None:
    """The year in which an entity began its life or its work; None for what has no beginning."""
    born = facts.get("birth_date")
    if isinstance(born, date):
        return born.year + _GROWN
    return next((year for name in _BEGINNINGS if isinstance(year := facts.get(name), int)), None)


def _marked(lang: Lang, class_: EntityClass, name: str) -> str:
    return f"《{name}》" if lang == "zh" and class_ in WORKS else name


def _spellings(lang: Lang, kind: str, written: str, value: FactValue) -> tuple[str, ...]:
    """Other ways in which readers write a date or a number."""
    if kind == "number":
        return (written.replace(",", ""),)
    if kind == "year" and lang == "zh":
        return (f"{value}年",)
    if kind == "date" and lang == "en":
        day, month, year = written.split(" ")
        return (f"{month} {day}, {year}",)
    return ()


class WorldRoll:
    """The entities of some realms by number, in one language."""

    def __init__(self, encyclopedia: Encyclopedia, realms: range, lang: Lang) -> None:
        self._encyclopedia, self._realms, self._lang = encyclopedia, realms, lang
        self._women = cache(self._women_of)
        self._words = cache(self._words_of)
        self._known: dict[int, tuple[str, str]] = {}

    @property
    def size(self) -> int:
        """How many entities there are."""
        return len(self._realms) * ENTITIES_A_REALM

    def class_of(self, number: int) -> str:
        """The class of an entity."""
        return CLASSES[bisect_right(_STARTS, number % ENTITIES_A_REALM) - 1]

    def named(self, numbers: Sequence[int]) -> list[tuple[str, str]]:
        """The name and the gloss of each entity; some 25 microseconds for one that was not asked for before."""
        known = self._known
        for number in numbers:
            if number not in known:
                known[number] = self._named(number)
        return [known[number] for number in numbers]

    def reference(self, number: int) -> Reference:
        """The reference of an entity. IndexError for a number that is not in range(size)."""
        if not 0 <= number < self.size:
            raise IndexError(f"a roll of {self.size} entities has no number {number}")
        realm, position = divmod(number, ENTITIES_A_REALM)
        rank = bisect_right(_STARTS, position) - 1
        class_ = CLASSES[rank]
        return Reference(class_, self._realms[realm] * SIZES[class_] + position - _STARTS[rank])

    def _named(self, number: int) -> tuple[str, str]:
        reference, known = self.reference(number), self._encyclopedia
        class_ = reference.class_
        realm, slot = divmod(reference.number, SIZES[class_])
        female = class_ in PERSONS and slot in self._women(realm)[class_]
        name = known.names.name(self._lang, class_, reference.number, female=female)
        words = self._words(class_)[reference.number - self._realms.start * SIZES[class_]]
        return name, known.spelled_gloss(self._lang, class_, words.tolist())

    def _words_of(self, class_: EntityClass) -> NDArray[np.uint64]:
        size = SIZES[class_]
        return self._encyclopedia.gloss_words(self._lang, class_, self._realms.start * size, len(self._realms) * size)

    def _women_of(self, realm: int) -> dict[EntityClass, frozenset[int]]:
        """Which artists, athletes and office holders of a realm are women."""
        words = self._encyclopedia.stream.child("realm", realm, "people", "class").words(0, PEOPLE).tolist()
        genders: dict[EntityClass, list[str]] = {class_: [] for class_ in PERSONS}
        for class_, gender in zip(classes_of_people(words), genders_of_people(), strict=True):
            genders[class_].append(gender)
        return {
            class_: frozenset(slot for slot, gender in enumerate(listed) if gender == "female")
            for class_, listed in genders.items()
        }
