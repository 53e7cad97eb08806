"""Questions about the encyclopedia, with gold, evidence and the guarantee that no other passage states an answer.

A question asks for a relation of an entity. Its evidence is every passage that states it: the entity's aspects that
list the relation and, for a symmetric relation (spouse, twin village), those of the other entity. No two entities share
a name, so no other passage can state it. The questions of a realm follow a keyed order of its entities, at most one for
each starting entity, and need nothing outside the realm.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice
from typing import Final, Literal, get_args

from carrara.stream import Draws, Stream
from carrara.tables import Evidence, Judgement, Question
from carrara.task import Lang
from carrara.world.encyclopedia import Encyclopedia
from carrara.world.language.class_texts import class_text
from carrara.world.language.grammar import Person, Speller
from carrara.world.language.surface import STAND_INS
from carrara.world.realm.realm import Entity, FactValue, Reference, realm_of
from carrara.world.realm.schema import CLASSES, RELATIONS, EntityClass

QuestionKind = Literal["one_hop", "bridge", "comparison", "list", "ambiguous", "unanswerable"]
# The classes whose relation leads to an entity, for one list question.
Ways = Sequence[tuple[EntityClass, str]]
QUESTION_KINDS: Final[tuple[QuestionKind, ...]] = get_args(QuestionKind)
HOPS: Final = (2, 5)
# Answers of a list question.
LISTED: Final = (2, 8)
OPTIONS: Final = 4
# Readings of an ambiguous question, and at most so many questions of one group of readings.
READINGS: Final = (2, 6)
AMBIGUOUS: Final = 4
# Relations that hold both ways, and the relation that leads to the other side.
_BOTH_WAYS: Final = {"spouse": "spouse", "married": "spouse", "twin_village": "twin_village"}
# A Chinese question leads over so many entities in one breath; a longer one names the last of them anew.
_IN_ONE_BREATH: Final = 2
_TWO_BREATHS: Final = (
    "已知{some}是{phrase}，请问{question}",
    "若{some}是{phrase}，那么{question}",
    "{some}是{phrase}，{question}",
)
# Other entities of the class whose passages a judged question gets.
_OTHERS: Final = 12


class WorldQuestions:
    """The questions of one world in one language."""

    def __init__(self, encyclopedia: Encyclopedia, lang: Lang) -> None:
        self.encyclopedia = encyclopedia
        self.lang = lang

    def of(self, kind: QuestionKind, realms: Iterable[int], each: int) -> Iterator[Question]:
        """Up to `each` questions of a kind from each realm (fewer where a realm has no more)."""
        for realm in realms:
            yield from islice(self._realm(kind, realm), each)

    def about(self, reference: Reference) -> Iterator[Question]:
        """The one-hop question of every relation of an entity, and the list questions that it answers."""
        entity = self.encyclopedia.entity(reference)
        for name in entity.facts:
            yield self._one_hop(entity, name, Draws(self._key("about", reference).child(name)))
        for inverse, ways in _inverses(reference).items():
            if question := self._list(entity, inverse, ways, Draws(self._key("about", reference).child(inverse))):
                yield question

    def judgements(self, question: Question, reference: Reference, name: str) -> list[Judgement]:
        """Graded passages for a one-hop question about a relation of an entity.

        3: it states the answer; 2: another passage of the entity; 1: another one that names the entity or, where the
        answer is an entity, is about that one or names it (no other passage does); 0: the same relation of others of
        the class. The texts alone tell the grade of every passage of the corpus: what is not listed here has grade 0.
        """
        graded = {evidence.passage: 3 for evidence in question.evidence}
        realm = self.encyclopedia.realm(realm_of(reference))
        entity = realm.entity(reference)
        for passage in self._about(entity):
            graded.setdefault(passage, 2)
        answer = entity.facts[name]
        related = list(self._naming(reference))
        if isinstance(answer, Reference):
            related += [*self._about(realm.entity(answer)), *self._naming(answer)]
        for passage in related:
            graded.setdefault(passage, 1)
        draws = Draws(self._key("judged", reference).child(name))
        peers = [
            peer for peer in realm.entities(reference.class_) if peer.reference != reference and name in peer.facts
        ]
        aspects = self.encyclopedia.stating(reference, name)
        others = [
            passages
            for peer in draws.shuffled(peers)
            if (passages := [f"{peer.reference}/{aspect}" for aspect in aspects]) and not graded.keys() & set(passages)
        ]
        graded |= {passage: 0 for passages in others[:_OTHERS] for passage in passages}
        return [Judgement(question.id, passage, grade) for passage, grade in graded.items()]

    def judged(self, realms: Iterable[int], each: int) -> Iterator[tuple[Question, list[Judgement]]]:
        """One-hop questions with graded passages."""
        for question in self.of("one_hop", realms, each):
            subject, _, name = question.id.removeprefix("one_hop/").rpartition("/")
            yield question, self.judgements(question, Reference.parse(subject), name)

    def _about(self, entity: Entity) -> list[str]:
        """The passages about an entity."""
        return [f"{entity.reference}/{aspect}" for aspect in self.encyclopedia.aspects(entity)]

    def _naming(self, reference: Reference) -> Iterator[str]:
        """The passages about other entities that name an entity."""
        realm = self.encyclopedia.realm(realm_of(reference))
        for class_ in CLASSES:
            for relation in RELATIONS[class_]:
                if reference.class_ in relation.targets:
                    for namer in realm.inverse(class_, relation.name, reference):
                        for aspect in self.encyclopedia.stating(namer, relation.name):
                            yield f"{namer}/{aspect}"

    def _key(self, kind: str, reference: Reference) -> Stream:
        return self.encyclopedia.stream.child("question", kind, reference.class_, reference.number)

    def _realm(self, kind: QuestionKind, index: int) -> Iterator[Question]:
        entities = [entity_ for class_ in CLASSES for entity_ in self.encyclopedia.realm(index).entities(class_)]
        for position in self.encyclopedia.stream.child("question", kind, "order", index).order(len(entities)):
            entity = entities[int(position)]
            yield from self._questions(kind, entity, Draws(self._key(kind, entity.reference)))

    def _questions(self, kind: QuestionKind, entity: Entity, draws: Draws) -> Iterator[Question]:
        """The questions of a kind that begin at an entity: one, where there is any; of an ambiguous name a few."""
        if kind == "ambiguous":
            yield from self._ambiguous(entity, draws)
            return
        question: Question | None = None
        if kind == "one_hop":
            question = self._one_hop(entity, draws.choice(list(entity.facts)), draws)
        elif kind == "bridge":
            question = self._bridge(entity, HOPS[0] + draws.below(HOPS[1] - HOPS[0] + 1), draws)
        elif kind == "comparison":
            question = self._comparison(entity, draws)
        elif kind == "unanswerable":
            question = self._unanswerable(entity, draws)
        else:
            for inverse, ways in draws.shuffled(list(_inverses(entity.reference).items())):
                question = question or self._list(entity, inverse, ways, draws)
        if question is not None:
            yield question

    def _one_hop(self, entity: Entity, name: str, draws: Draws) -> Question:
        reference = entity.reference
        return Question(
            id=f"one_hop/{reference}/{name}",
            kind="one_hop",
            text=self._ask(entity, name, self.encyclopedia.title(self.lang, reference), draws),
            answers=(self.encyclopedia.accepted(self.lang, entity, name),),
            evidence=self._evidence(entity, name),
            popularity=self.encyclopedia.popularity(reference),
        )

    def _bridge(self, entity: Entity, hops: int, draws: Draws) -> Question | None:
        """A chain of relations, each step to an entity not met before; the last step to any value."""
        met, evidence = {entity.reference}, list[Evidence]()
        phrase, here = self.encyclopedia.title(self.lang, entity.reference), entity
        path: list[str] = []
        frame = "{question}"
        for step in range(hops - 1):
            text = class_text(self.lang, here.reference.class_)
            if self.lang == "zh" and step == _IN_ONE_BREATH:
                some, that = STAND_INS[here.reference.class_]
                frame = draws.choice(_TWO_BREATHS).format(some=some, phrase=phrase, question="{question}")
                phrase = that
            ways = [
                name
                for name, value in here.facts.items()
                if isinstance(value, Reference) and value not in met and name in text.phrases
            ]
            if not ways:
                return None
            name = draws.choice(ways)
            wordings = text.phrases[name]
            wording = draws.choice(wordings.of_phrase if step else wordings.of_name)
            phrase = Speller(draws, Person(phrase), {}).phrase(wording)[0]
            evidence += self._evidence(here, name)
            path.append(name)
            value = here.facts[name]
            assert isinstance(value, Reference)
            met.add(value)
            here = self.encyclopedia.entity(value)
        finals = [name for name, value in here.facts.items() if name != "also_known_as" and value not in met]
        if not finals:
            return None
        name = draws.choice(finals)
        return Question(
            id=f"bridge/{entity.reference}/{'/'.join([*path, name])}",
            kind="bridge",
            text=frame.format(question=self._ask(here, name, phrase, draws, phrase=True)),
            answers=(self.encyclopedia.accepted(self.lang, here, name),),
            evidence=(*evidence, *self._evidence(here, name)),
            hops=hops,
            popularity=self.encyclopedia.popularity(entity.reference),
        )

    def _comparison(self, entity: Entity, draws: Draws) -> Question | None:
        """Which of two entities of a class has the smaller or earlier value; never a tie."""
        asked = class_text(self.lang, entity.reference.class_).comparisons
        names = [name for name in entity.facts if name in asked]
        if not names:
            return None
        name = draws.choice(names)
        peers = [
            peer
            for peer in self.encyclopedia.realm(realm_of(entity.reference)).entities(entity.reference.class_)
            if name in peer.facts and peer.facts[name] != entity.facts[name]
        ]
        other = draws.choice(peers)
        pair = draws.shuffled([entity, other])
        least = min(pair, key=lambda peer: _size(peer.facts[name]))
        values = {
            letter: self.encyclopedia.title(self.lang, peer.reference) for letter, peer in zip("AB", pair, strict=True)
        }
        text, _ = Speller(draws, Person(""), values).sentence(draws.choice(asked[name]))
        return Question(
            id=f"comparison/{entity.reference}/{other.reference}/{name}",
            kind="comparison",
            text=text,
            answers=(self.encyclopedia.called(self.lang, least.reference),),
            evidence=(*self._evidence(entity, name), *self._evidence(other, name)),
            options=(values["A"], values["B"]),
            hops=2,
            popularity=self.encyclopedia.popularity(entity.reference),
        )

    def _list(self, entity: Entity, inverse: str, ways: Ways, draws: Draws) -> Question | None:
        """All entities that have this one as the value of a relation."""
        templates = class_text(self.lang, entity.reference.class_).inverses.get(inverse)
        realm = self.encyclopedia.realm(realm_of(entity.reference))
        listed = [
            (realm.entity(member), name)
            for class_, name in ways
            for member in realm.inverse(class_, name, entity.reference)
        ]
        if not templates or not LISTED[0] <= len(listed) <= LISTED[1]:
            return None
        title = self.encyclopedia.title(self.lang, entity.reference)
        text, _ = Speller(draws, Person(title), {}).sentence(draws.choice(templates))
        return Question(
            id=f"list/{entity.reference}/{inverse}",
            kind="list",
            text=text,
            answers=tuple(self.encyclopedia.called(self.lang, member.reference) for member, _ in listed),
            evidence=tuple(evidence for member, name in listed for evidence in self._evidence(member, name)),
            popularity=self.encyclopedia.popularity(entity.reference),
        )

    def _ambiguous(self, entity: Entity, draws: Draws) -> Iterator[Question]:
        """Questions that name an office and its region, or in English a calling and a surname, which several share.

        A Chinese surname is one character, which many families have: there it would leave readings out.
        """
        class_ = entity.reference.class_
        if class_ == "office_holder":
            calling, shared = "office", "region"
        elif class_ == "artist" and self.lang == "en":
            calling, shared = "field", "surname"
        else:
            return
        key = self._shared(entity, shared)
        same = [
            namesake
            for namesake in self.encyclopedia.realm(realm_of(entity.reference)).entities(class_)
            if namesake.facts.get(calling) == entity.facts[calling] and self._shared(namesake, shared) == key
        ]
        # The first of the group asks for all.
        if not READINGS[0] <= len(same) <= READINGS[1] or same[0].reference != entity.reference:
            return
        word = self.encyclopedia.written(self.lang, entity, calling)
        phrase = f"{key}的{word}" if self.lang == "zh" else f"the {word} {'of ' * (shared == 'region')}{key}"
        for name in draws.shuffled(list(entity.facts))[:AMBIGUOUS]:
            values = {str(namesake.facts.get(name)) for namesake in same}
            # Every reading has an answer of its own.
            if name in (calling, shared, "also_known_as") or len(values) < len(same) or "None" in values:
                continue
            readings = tuple(
                replace(
                    self._one_hop(namesake, name, Draws(self._key("reading", namesake.reference))),
                    id=f"reading/{namesake.reference}/{name}",
                )
                for namesake in same
            )
            yield Question(
                id=f"ambiguous/{entity.reference}/{name}",
                kind="ambiguous",
                text=self._ask(entity, name, phrase, draws),
                answers=tuple(reading.answers[0] for reading in readings),
                # Two readings may be married to each other: their passages state it of both.
                evidence=tuple(dict.fromkeys(evidence for reading in readings for evidence in reading.evidence)),
                popularity=self.encyclopedia.popularity(entity.reference),
                readings=readings,
            )

    def _shared(self, entity: Entity, name: str) -> str:
        if name == "surname":
            return self.encyclopedia.surname(self.lang, entity.reference)
        return self.encyclopedia.written(self.lang, entity, name)

    def _unanswerable(self, entity: Entity, draws: Draws) -> Question | None:
        """A relation that the entity lacks, with values that other entities of its class have."""
        class_ = entity.reference.class_
        lacking = [
            peer.name for peer in RELATIONS[class_] if peer.name not in entity.facts and peer.name != "also_known_as"
        ]
        if not lacking:
            return None
        name = draws.choice(lacking)
        peers = [
            peer for peer in self.encyclopedia.realm(realm_of(entity.reference)).entities(class_) if name in peer.facts
        ]
        options = list(
            dict.fromkeys(self.encyclopedia.written(self.lang, peer, name) for peer in draws.shuffled(peers))
        )[:OPTIONS]
        if len(options) < OPTIONS:
            return None
        return Question(
            id=f"unanswerable/{entity.reference}/{name}",
            kind="unanswerable",
            text=self._ask(entity, name, self.encyclopedia.title(self.lang, entity.reference), draws),
            answers=(),
            options=tuple(options),
            popularity=self.encyclopedia.popularity(entity.reference),
        )

    def _ask(self, entity: Entity, name: str, called: str, draws: Draws, *, phrase: bool = False) -> str:
        """The question for a relation of an entity that is called by its name, or by a phrase."""
        wordings = class_text(self.lang, entity.reference.class_).questions[name]
        wording = draws.choice(wordings.of_phrase if phrase else wordings.of_name)
        return Speller(draws, Person(called), {}).sentence(wording)[0]

    def _evidence(self, entity: Entity, name: str) -> tuple[Evidence, ...]:
        """Every passage that states a relation of an entity, with the place of the value."""
        evidence = list(self._stated(entity.reference, name))
        if (way := _BOTH_WAYS.get(name)) and isinstance(other := entity.facts.get(way), Reference):
            evidence += self._stated(other, name)
        return tuple(evidence)

    def _stated(self, reference: Reference, name: str) -> Iterator[Evidence]:
        for aspect in self.encyclopedia.stating(reference, name):
            written = self.encyclopedia.passage(self.lang, reference, aspect)
            for fact in written.stated:
                if fact.relation == name:
                    yield Evidence(written.passage.id, fact.start, fact.end)


def _inverses(reference: Reference) -> Mapping[str, Ways]:
    """The list questions about an entity: by name, the classes and relations that lead to it."""
    ways: dict[str, list[tuple[EntityClass, str]]] = {}
    for class_ in CLASSES:
        for relation in RELATIONS[class_]:
            if relation.inverse and reference.class_ in relation.targets:
                ways.setdefault(relation.inverse, []).append((class_, relation.name))
    return ways


def _size(value: FactValue) -> int:
    """What a year, a number or a day is compared by."""
    if isinstance(value, date):
        return value.toordinal()
    if not isinstance(value, int):
        raise TypeError(f"cannot compare {value!r}: give the relation no [comparisons]")
    return value
