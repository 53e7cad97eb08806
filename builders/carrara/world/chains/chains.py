"""Chains of two to five facts about the invented world: a question that only all of them together answer.

A chain leads from an entity through others to the answer. Each step is a relation of the entity reached or, if it is
unique, a relation of another entity to it ("the film directed by ..."). Each fact is one sentence that names both ends
of its step; the question names only the first entity. So the answer is in one fact, every name between in two, and no
fact skips another. The chains of a realm all have the same number of facts and share no entity, so that no two chains
of a world have a name in common. Chain k is about the same entities in both languages.

Must not change: the chain of each number, and the order in which wordings are drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, overload

from carrara.stream import Draws
from carrara.tables import Derivation
from carrara.task import Lang
from carrara.world.chains import chinese as chains_zh
from carrara.world.chains import english as chains_en
from carrara.world.encyclopedia import Encyclopedia
from carrara.world.language.surface import STAND_INS
from carrara.world.realm.realm import Entity, Realm, Reference
from carrara.world.realm.schema import CLASSES, PERSONS, RELATIONS, EntityClass

HOPS: Final = (2, 3, 4, 5)
# Chains lie in realms of their own, beyond those of any corpus of ours, and within what Chinese names have room for.
FIRST_REALM: Final = 1_000
REALMS: Final = 10_000
CHAINS_A_REALM: Final = 8
WORDINGS: Final[dict[Lang, Mapping[str, Mapping[str, tuple[str, ...]]]]] = {
    "en": chains_en.WORDINGS,
    "zh": chains_zh.WORDINGS,
}
CALLED: Final[dict[Lang, Mapping[str, str]]] = {"en": chains_en.CALLED, "zh": chains_zh.CALLED}
# Steps of a Chinese question that lead to a phrase, before it draws breath.
_IN_ONE_BREATH: Final = 2

# Of a last step or one before it, onward or back.
_SECTIONS: Final = {
    (False, True): "of",
    (False, False): "back",
    (True, True): "asked",
    (True, False): "back_asked",
}


class ChainLink(NamedTuple):
    """From an entity to `to`: by its relation `wording` ("company founder"), or where not `onward` by that of `to`."""

    wording: str
    onward: bool
    to: Reference


class EntityChain(NamedTuple):
    """Where a chain starts and its steps."""

    start: Reference
    steps: tuple[ChainLink, ...]


class Chains(Sequence[Derivation]):
    """The derivations of a world in one language, of `hops` facts each; number k is had without those before it."""

    def __init__(self, encyclopedia: Encyclopedia, lang: Lang, hops: int) -> None:
        if hops not in HOPS:
            raise ValueError(f"no derivations of {hops} facts; there are {HOPS[0]} to {HOPS[-1]}")
        self._encyclopedia = encyclopedia
        self._lang: Lang = lang
        self._hops = hops
        self._chains = lru_cache(maxsize=4)(self._of_realm)

    def __len__(self) -> int:
        return REALMS // len(HOPS) * CHAINS_A_REALM

    @overload
    def __getitem__(self, index: int) -> Derivation: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Derivation]: ...

    def __getitem__(self, index: int | slice) -> Derivation | Sequence[Derivation]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"derivations of {self._hops} facts are numbered 0 to {len(self) - 1}, got {index}")
        return self._written(number, self.chain(number))

    def chain(self, number: int) -> EntityChain:
        """The entities and relations of derivation `number`."""
        block, position = divmod(number, CHAINS_A_REALM)
        return self._chains(FIRST_REALM + block * len(HOPS) + HOPS.index(self._hops))[position]

    def _of_realm(self, index: int) -> tuple[EntityChain, ...]:
        """The chains of a realm, drawn one after another from what those before have left."""
        realm = self._encyclopedia.realm(index)
        draws = Draws(self._encyclopedia.stream.child("chains", index))
        starts = draws.shuffled([entity.reference for class_ in CLASSES for entity in realm.entities(class_)])
        met: set[Reference] = set()
        chains: list[EntityChain] = []
        for start in starts:
            if len(chains) == CHAINS_A_REALM:
                break
            if start in met:
                continue
            if steps := _walk(realm, start, self._hops, met | {start}, draws):
                chains.append(EntityChain(start, steps))
                met |= {start, *(step.to for step in steps)}
        if len(chains) < CHAINS_A_REALM:
            raise ValueError(f"realm {index} has {len(chains)} chains of {self._hops} facts, not {CHAINS_A_REALM}")
        return tuple(chains)

    def _written(self, number: int, chain: EntityChain) -> Derivation:
        lang, encyclopedia, wordings = self._lang, self._encyclopedia, WORDINGS[self._lang]
        draws = Draws(encyclopedia.stream.child("chain", lang, self._hops, number))
        names = [encyclopedia.title(lang, reference) for reference in (chain.start, *(step.to for step in chain.steps))]
        facts = []
        for step, here, there in zip(chain.steps, names, names[1:], strict=False):
            a, b = (here, there) if step.onward else (there, here)
            facts.append(_capital(draws.choice(wordings[step.wording]["facts"]).format(a=a, b=b)))
        question = _asked(chain, CALLED[lang].get(chain.start.class_, "{x}").format(x=names[0]), lang, draws)
        end = chain.steps[-1].to
        # A title's bare name first: a response that leaves its marks out is right.
        bare = encyclopedia.name(lang, end)
        return Derivation(
            id=f"chain/{self._hops}/{number}",
            question=_capital(question),
            facts=tuple(facts),
            answers=tuple(dict.fromkeys((bare, *encyclopedia.called(lang, end)))),
            names=tuple(names),
        )


def steps_from(realm: Realm, entity: Entity) -> Iterator[ChainLink]:
    """Every step that a chain may take from an entity: its own relations, and others' that it has alone."""
    for name, value in entity.facts.items():
        key = wording_key(entity.reference.class_, name)
        if isinstance(value, Reference) and key in WORDINGS["en"]:
            yield ChainLink(key, True, value)
    incoming: dict[str, list[Reference]] = {}
    for class_ in CLASSES:
        for relation in RELATIONS[class_]:
            key = wording_key(class_, relation.name)
            if entity.reference.class_ in relation.targets and "back" in WORDINGS["en"].get(key, ()):
                incoming.setdefault(key, []).extend(realm.inverse(class_, relation.name, entity.reference))
    for key, references in incoming.items():
        if len(references) == 1:
            yield ChainLink(key, False, references[0])


def wording_key(class_: EntityClass, relation: str) -> str:
    """Where the wordings of a relation stand: the three classes of persons share those that all of them have."""
    shared = f"person {relation}"
    return shared if class_ in PERSONS and shared in WORDINGS["en"] else f"{class_} {relation}"


def _asked(chain: EntityChain, called: str, lang: Lang, draws: Draws) -> str:
    """The question of a chain whose first entity is called so."""
    here, clauses, deep = chain.start.class_, list[str](), 0
    for step in chain.steps:
        last = step is chain.steps[-1]
        choices = WORDINGS[lang][step.wording][_SECTIONS[last, step.onward]]
        if lang == "zh" and deep:
            # What goes around a phrase, or over many relations, is hard to read: then the entity reached is named anew.
            leading = tuple(wording for wording in choices if wording.startswith(("{x}", "离{x}")))
            if not leading or (deep == _IN_ONE_BREATH and not last):
                some, that = STAND_INS[here]
                clauses.append(f"{some}是{called}")
                called, deep = that, 0
            else:
                choices = leading
        called = draws.choice(choices).format(x=called)
        here, deep = step.to.class_, deep + 1
    opening, between, ask = chains_zh.BREATHS
    return f"{opening}{between.join(clauses)}{ask}{called}" if clauses else called


def _walk(realm: Realm, here: Reference, hops: int, met: set[Reference], draws: Draws) -> tuple[ChainLink, ...]:
    """A way of so many steps over entities not met before; () where there is none."""
    for step in draws.shuffled(list(steps_from(realm, realm.entity(here)))):
        if step.to in met:
            continue
        if hops == 1:
            return (step,)
        if rest := _walk(realm, step.to, hops - 1, met | {step.to}, draws):
            return (step, *rest)
    return ()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
