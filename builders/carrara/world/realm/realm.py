"""A realm: one country of the invented world, with all facts about its 1,000 entities.

All references of a realm stay inside it, and it is drawn from its number alone. So the first R realms form a closed
corpus, any entity costs the memory of one realm, and ten million entities are 10,000 realms. The values must not
change: a single moved draw changes every passage of every release that uses the world.
"""

from collections.abc import Sequence

from carrara.stream import Stream
from carrara.world.realm.draft import RealmDraft
from carrara.world.realm.firms_and_works import Firms, draw_vehicles, draw_works
from carrara.world.realm.lives import draw_fields, draw_lives, draw_posts
from carrara.world.realm.people import People
from carrara.world.realm.places import (
    draw_animals,
    draw_buildings,
    draw_natural_places,
    draw_plants,
    draw_schools,
    draw_villages,
)
from carrara.world.realm.schema import (
    CLASSES,
    PERSONS,
    REGIONS,
    RELATIONS,
    SIZES,
    Entity,
    EntityClass,
    FactValue,
    Gender,
    Reference,
    realm_of,
)

__all__ = ["REGIONS", "SIZES", "Entity", "FactValue", "Gender", "Realm", "Reference", "realm_of"]

# Of ten entities so many have another name.
_ALIASES = 4


class Realm:
    """Realm `index` of the world that `stream` writes; 20 to 40 ms to compute, so keep those in use."""

    __slots__ = ("_entities", "_inverses", "index")

    def __init__(self, stream: Stream, index: int) -> None:
        if index < 0:
            raise ValueError(f"realms are numbered from 0, got {index}")
        self.index = index
        draft = RealmDraft(stream.child("realm", index), index)
        people = People(draft)
        _fill(draft, people)
        genders: dict[Reference, Gender] = dict(zip(people.references, people.genders, strict=True))
        self._entities = {class_: _entities(draft, class_, genders) for class_ in CLASSES}
        self._inverses: dict[tuple[EntityClass, str], dict[Reference, tuple[Reference, ...]]] = {}

    def entity(self, reference: Reference) -> Entity:
        """The entity of a reference. KeyError if it lies in another realm."""
        realm, slot = divmod(reference.number, SIZES[reference.class_])
        if realm != self.index:
            raise KeyError(f"{reference} lies in realm {realm}, this is realm {self.index}")
        return self._entities[reference.class_][slot]

    def entities(self, class_: EntityClass) -> Sequence[Entity]:
        """All entities of a class in slot order: shape (SIZES[class_],)."""
        return self._entities[class_]

    def inverse(self, relation_class: EntityClass, relation: str, target: Reference) -> tuple[Reference, ...]:
        """The entities of the class whose relation is the target, in slot order. KeyError if there is no such relation.

        What a person's children, a director's films or a village's buildings are.
        """
        key = (relation_class, relation)
        if key not in self._inverses:
            self._inverses[key] = self._invert(relation_class, relation)
        return self._inverses[key].get(target, ())

    def _invert(self, class_: EntityClass, relation: str) -> dict[Reference, tuple[Reference, ...]]:
        if all(known.name != relation or known.kind != "entity" for known in RELATIONS[class_]):
            names = ", ".join(known.name for known in RELATIONS[class_] if known.kind == "entity")
            raise KeyError(f"{class_} has no relation {relation!r} to an entity; it has {names}")
        inverse: dict[Reference, list[Reference]] = {}
        for entity in self._entities[class_]:
            target = entity.facts.get(relation)
            if isinstance(target, Reference):
                inverse.setdefault(target, []).append(entity.reference)
        return {target: tuple(sources) for target, sources in inverse.items()}


def _fill(draft: RealmDraft, people: People) -> None:
    """Draw every column: each step uses what the ones before it settled."""
    regions = draw_villages(draft)
    schools_founded, seats = draw_schools(draft, people)
    draw_lives(draft, people, schools_founded)
    firms = Firms(draft, people)
    draw_natural_places(draft, people, regions)
    draw_plants(draft, people)
    draw_animals(draft, people)
    designed = draw_buildings(draft, people, seats, firms.founded)
    draw_vehicles(draft, people, firms)
    works = draw_works(draft, people, firms)
    for architect in designed:
        done = works[people.slots[architect]]
        done["building"] = done.get("building", 0) + 1
    draw_fields(draft, people, works)
    draw_posts(draft, people)
    for class_, size in SIZES.items():
        words = draft.words(class_, "also_known_as", size)
        draft.put(class_, "also_known_as", (True if word % 10 < _ALIASES else None for word in words))


def _entities(draft: RealmDraft, class_: EntityClass, genders: dict[Reference, Gender]) -> tuple[Entity, ...]:
    names = [relation.name for relation in RELATIONS[class_]]
    columns = draft.columns[class_]
    rows = zip(*(columns[name] for name in names), strict=True)
    people = class_ in PERSONS
    return tuple(
        Entity(
            reference,
            genders[reference] if people else "none",
            {name: value for name, value in zip(names, row, strict=True) if value is not None},
        )
        for reference, row in zip(draft.references[class_], rows, strict=True)
    )
