"""Short invented stories with stated attributes, unstated attributes, and values that belong to another person.

A story has a main person and a companion. Questions are about the main person: an attribute that the story states, or
one that it does not. For an unstated attribute, `elsewhere` is the companion's value if the story gives one; nothing in
the story rules out a value. English, for Michelangelo's IDK (arXiv:2409.12640).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from carrara.stream import Draws, Stream
from carrara.tables import Story, StoryAttribute
from carrara.world.language.grammar import (
    Person,
    Phrase,
    Speller,
    WordingLine,
    parse,
    read_lists,
    read_sections,
    split_top,
)
from carrara.world.names.names import WorldNames

# Attributes stated of the main person, and of the companion.
STATED: Final = (3, 5)
OF_COMPANION: Final = (3, 4)
WRONG: Final = 6
_PRONOUNS: Final = (("she", "her", "her", "herself"), ("he", "him", "his", "himself"))


@dataclass(frozen=True, slots=True)
class _StoryText:
    kinds: Mapping[str, tuple[str, ...]]
    sentences: Mapping[str, tuple[Phrase, ...]]
    questions: Mapping[str, tuple[Phrase, ...]]
    openings: tuple[Phrase, ...]
    companions: tuple[Phrase, ...]
    details: tuple[Phrase, ...]
    closings: tuple[Phrase, ...]


def story(stream: Stream, number: int) -> Story:
    """Story `number` of the world of a stream."""
    text, draws = _text(), Draws(stream.child("story", number))
    names = WorldNames(stream)
    main, companion = (names.person("en", "story", 2 * number + which) for which in (0, 1))
    kinds = draws.shuffled(list(text.kinds))
    stated = set(kinds[: STATED[0] + draws.below(STATED[1] - STATED[0] + 1)])
    # The companion's attributes are mostly others than the main person's: these are the ones that mislead.
    others = [kind for kind in kinds if kind not in stated]
    theirs = others[: OF_COMPANION[0] + draws.below(OF_COMPANION[1] - OF_COMPANION[0] + 1)]
    values = {kind: draws.choice(text.kinds[kind]) for kind in (*sorted(stated), *theirs)}
    spans: dict[str, tuple[int, int]] = {}
    details = draws.shuffled(text.details)
    sentences: list[str] = []
    at = 0

    # Once a pronoun has told the main person's gender, and the companion's is the other, "he" has one reader.
    is_plain = True

    def tell(speller: Speller, template: Phrase, call_name: bool) -> None:
        nonlocal at
        speller.call = "name" if call_name or not is_plain or draws.below(3) == 0 else "pronoun"
        sentence, span = speller.sentence(template)
        told.update(re.findall(r"\w+", sentence.lower()))
        for name, start, end in span:
            spans[name] = (at + start, at + end)
        sentences.append(sentence)
        at += len(sentence) + 1

    first, second = draws.shuffled(_PRONOUNS)
    told: set[str] = set()
    for name, pronouns, own, openings in (
        (main, first, draws.shuffled(sorted(stated)), text.openings),
        (companion, second, theirs, text.companions),
    ):
        # After the companion is named, no pronoun stands for the main person.
        is_plain = name == main or not told.isdisjoint(first)
        speller = Speller(draws, Person(name, (), pronouns), {**values, "A": main})
        tell(speller, draws.choice(openings), True)
        for index, kind in enumerate(own):
            tell(speller, draws.choice(text.sentences[kind]), index == 0)
            if details and draws.below(3) == 0:
                tell(speller, details.pop(), False)
    tell(Speller(draws, Person(main), {}), draws.choice(text.closings), True)
    joined = " ".join(sentences)
    attributes = tuple(
        _attribute(text, draws, main, kind, values, spans if kind in stated else {}, joined) for kind in kinds
    )
    return Story(joined, (main, companion), attributes)


def _attribute(
    text: _StoryText,
    draws: Draws,
    main: str,
    kind: str,
    values: Mapping[str, str],
    spans: Mapping[str, tuple[int, int]],
    whole: str,
) -> StoryAttribute:
    question, _ = Speller(draws, Person(main), {}).sentence(draws.choice(text.questions[kind]))
    # A value may stand in the story by chance, in another kind's words ("thunder").
    wrong = tuple(value for value in draws.shuffled(text.kinds[kind]) if value.lower() not in whole.lower())[:WRONG]
    if kind in spans:
        return StoryAttribute(kind, question, values[kind], None, wrong, *spans[kind])
    return StoryAttribute(kind, question, None, values.get(kind), wrong)


@cache
def _text() -> _StoryText:
    sections = read_sections("en", "stories")
    lists = read_lists(sections["lists"], {})
    kinds = {
        name: tuple(value.strip() for value in split_top(rest, "/"))
        for name, _, rest in (line.text.partition(":") for line in sections["kinds"])
    }
    sentences: dict[str, list[Phrase]] = {}
    kind = ""
    for line in sections["sentences"]:
        if line.text.startswith("@ "):
            kind = line.text.removeprefix("@ ")
            if kind not in kinds:
                raise ValueError(f"{line.where}: no kind {kind!r} in [kinds]")
            continue
        sentences.setdefault(kind, []).append(parse(line, lists.get, (kind,)))
    questions = {
        name: tuple(parse(WordingLine("en/stories.txt", text.strip()), lists.get) for text in split_top(rest, "/"))
        for name, _, rest in (line.text.partition(":") for line in sections["questions"])
    }

    def plain(section: str, *values: str) -> tuple[Phrase, ...]:
        return tuple(parse(line, lists.get, values) for line in sections[section])

    return _StoryText(
        kinds=kinds,
        sentences={name: tuple(phrases) for name, phrases in sentences.items()},
        questions=questions,
        openings=plain("openings"),
        companions=plain("companions", "A"),
        details=plain("details"),
        closings=plain("closings"),
    )
