"""The roll: entities of a corpus by number are those of the encyclopedia, glosses clear and names apart."""

import re

import pytest

from carrara.stream import Stream
from carrara.tables import ENTITY_CLASSES
from carrara.world.encyclopedia import GLOSS_WORDS
from carrara.world.language.class_texts import class_text
from carrara.world.language.grammar import Alternatives, Phrase
from carrara.world.realm.schema import CLASSES
from carrara.world.world import World

STREAM = "roll test/1"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_roll_is_the_encyclopedia(lang):
    world = World(STREAM, 2)
    for part in (world, world.only(1)):
        roll, rows = part.entity_roll(lang), list(part.entities(lang))
        assert roll.size == len(rows)
        assert roll.named(range(roll.size)) == [(row.name, row.gloss) for row in rows]
        assert [roll.class_of(number) for number in range(roll.size)] == [row.class_ for row in rows]
        assert [str(roll.reference(number)) for number in range(roll.size)] == [row.id for row in rows]


def test_an_entity_does_not_depend_on_what_was_asked_before():
    one, other = World(STREAM, 3).entity_roll("en"), World(STREAM, 3).entity_roll("en")
    numbers = Stream("numbers").order(3_000)[:200].tolist()
    found = one.named(numbers)
    assert other.named(numbers[::-1]) == found[::-1] and one.named(numbers) == found
    assert World(STREAM, 1).entity_roll("en").named([7]) == one.named([7])
    assert World("roll test/2", 1).entity_roll("en").named([7]) != one.named([7])
    assert World(STREAM).entity_roll("en") is not World(STREAM).entity_roll("en")
    world = World(STREAM)
    assert world.entity_roll("en") is world.entity_roll("en")


@pytest.mark.parametrize("number", [-1, 1_000])
def test_there_is_no_entity_beyond_the_corpus(number):
    with pytest.raises(IndexError, match="a roll of 1000 entities has no number"):
        World(STREAM).entity_roll("en").named([number])


def test_names_are_apart():
    roll = World(STREAM, 4).entity_roll("en")
    named = roll.named(range(roll.size))
    names = [name for name, _ in named]
    assert len(set(names)) == len(names)
    # No separator, no bracket, no name that is the beginning of another one.
    assert not [name for name in names if not re.fullmatch(r"[A-Za-z0-9&’ -]+", name)]
    assert not [one for one, other in zip(sorted(names), sorted(names)[1:], strict=False) if other.startswith(one)]
    assert not [gloss for _, gloss in named if re.search(r"[()\n;]", gloss)]
    assert {roll.class_of(number) for number in range(1_000)} == set(ENTITY_CLASSES)


def most_draws(phrase: Phrase) -> int:
    """The most draws that a template takes."""
    return sum(1 + max(map(most_draws, part.phrases)) for part in phrase if isinstance(part, Alternatives))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_gloss_takes_more_draws_than_it_has(lang):
    for class_ in CLASSES:
        assert 1 + max(map(most_draws, class_text(lang, class_).glosses)) <= GLOSS_WORDS
