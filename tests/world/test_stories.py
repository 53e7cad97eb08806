"""Stories: what they state, what they leave out, and what they give to somebody else."""

import hashlib
import re
from collections import Counter
from functools import cache

import pytest

from carrara.stream import Stream
from carrara.tables import Story
from carrara.world.stories import STATED, WRONG, story

STREAM = Stream("stories test")


@cache
def stories():
    return [story(STREAM, number) for number in range(300)]


GOLDEN = "4775cb23e0d4a980e25a3383f93f349c45efd6ab6b89976c21e574fa834d596b"


def sentences(one: Story) -> list[str]:
    return one.text.replace("? ", ". ").split(". ")


def test_a_story_stands_alone_and_no_two_are_alike():
    assert [story(STREAM, number) for number in (299, 7, 0)] == [stories()[299], stories()[7], stories()[0]]
    assert len({one.text for one in stories()}) == len({one.names for one in stories()}) == len(stories())
    assert not {one.text for one in stories()} & {story(Stream("another"), number).text for number in range(300)}


def test_text_is_pinned():
    assert hashlib.sha256("\n".join(one.text for one in stories()[:3]).encode()).hexdigest() == GOLDEN


def test_stated_values_stand_where_they_are_said_to():
    for one in stories():
        stated = [attribute for attribute in one.attributes if attribute.value is not None]
        assert STATED[0] <= len(stated) <= STATED[1]
        for attribute in stated:
            assert one.text[attribute.start : attribute.end].lower() == attribute.value.lower()
            assert attribute.elsewhere is None


def test_absent_attributes_are_absent_or_somebody_else_s():
    misleading = 0
    for one in stories():
        absent = [attribute for attribute in one.attributes if attribute.value is None]
        assert len(absent) >= 12
        for attribute in absent:
            if attribute.elsewhere:
                misleading += 1
                # The companion's: told after the companion is named, and only there.
                first = re.search(rf"\b{re.escape(attribute.elsewhere)}\b", one.text, re.IGNORECASE)
                assert first and first.start() > one.text.index(one.names[1])
        assert sum(attribute.elsewhere is not None for attribute in absent) >= 3
    assert misleading > 900


@pytest.mark.parametrize("number", range(0, 300, 20))
def test_wrong_values_are_nowhere_in_the_story(number):
    for attribute in stories()[number].attributes:
        assert len(set(attribute.wrong)) == len(attribute.wrong) >= min(WRONG, 5)
        assert attribute.value not in attribute.wrong and attribute.elsewhere not in attribute.wrong
        for value in attribute.wrong:
            assert value.lower() not in stories()[number].text.lower(), (attribute.kind, value)


def test_questions_name_the_main_person_and_no_value():
    for one in stories():
        for attribute in one.attributes:
            assert one.names[0] in attribute.question and one.names[1] not in attribute.question
            assert attribute.question.endswith("?") and "{" not in attribute.question
            for value in (attribute.value, attribute.elsewhere):
                assert value is None or value.lower() not in attribute.question.lower()


def test_kinds_and_values_are_spread():
    kinds = Counter(one.kind for s in stories() for one in s.attributes if one.value)
    assert len(kinds) == 20 and max(kinds.values()) < 2.2 * min(kinds.values())


def test_no_sentence_comes_twice_in_a_story():
    for one in stories():
        told = sentences(one)
        assert len(set(told)) == len(told)
        assert "  " not in one.text and not set("{}[]|") & set(one.text)
