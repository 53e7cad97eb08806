"""Passages: one aspect of one entity in a given number of words, with the span of every fact.

Facts come in the order of the aspect, with neighbours sometimes swapped; a sentence states one fact or more. Sentences
without facts fill the passage to its length. The first sentence names the subject in full.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.stream import Draws
from carrara.task import Lang
from carrara.world.language.class_texts import ClassText, SentenceTemplate
from carrara.world.language.grammar import Call, Person, Speller

# Above this chance of an equal spelling the sentence carries a name. 100,000 passages use a template 400 times: two
# worlds then share 630 templates * 400^2 * 10^-10 = 0.01 sentences.
ALIKE: Final = 1e-10
# The same within a world: only subjects of one realm can share a name, 10^7 pairs of sentences in 200,000 passages.
REPEATS: Final = 1e-8
# Chinese characters that take the room of one English word (measured on parallel passages: 1.6 to 1.8).
CHARACTERS_A_WORD: Final = 1.7


@dataclass(frozen=True, slots=True)
class StatedFact:
    """One fact in a passage: the relation and where its value stands, in code points."""

    relation: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class WrittenPassage:
    """A passage's text and its facts in order."""

    text: str
    stated: tuple[StatedFact, ...]


def write_passage(
    text: ClassText,
    lang: Lang,
    draws: Draws,
    subject: Person,
    aspect: str,
    values: Mapping[str, str],
    words: int,
    persons: frozenset[str] = frozenset(),
) -> WrittenPassage:
    """A passage that states `values` (relation: as written) of the subject.

    `words` is the length to come near to (sentences are whole; the facts are stated even where they take more).
    `persons` names the relations whose value is a person: after one of these no pronoun follows, who could be either.
    """
    speller = Speller(draws, subject, values)
    chosen = _choose(text, draws, _order(draws, list(values)))
    wanted = words * CHARACTERS_A_WORD if lang == "zh" else words
    sentences: list[tuple[str, list[tuple[str, int, int]]]] = []
    details = list(text.details[aspect])
    written = 0.0
    # Details are dealt between the facts: how many are wanted is known only as the facts are spelled.
    room = max(0.0, wanted - len(chosen) * (26.0 if lang == "zh" else 16.0))
    for index, template in enumerate(chosen):
        before = sentences[-1][1] if sentences else []
        speller.call = "name" if index == 0 else _call(draws, template, subject, before, persons)
        sentences.append(speller.sentence(template.phrase))
        written += _length(sentences[-1][0], lang)
        left = len(chosen) - index - 1
        while details and written < wanted and (left == 0 or (room > 0 and draws.below(left + 2) == 0)):
            detail = details.pop(draws.below(len(details)))
            speller.call = _call(draws, detail, subject, sentences[-1][1], persons)
            sentences.append(speller.sentence(detail.phrase))
            length = _length(sentences[-1][0], lang)
            written += length
            room -= length
    return _join(sentences, " " if lang == "en" else "")


def _order(draws: Draws, names: list[str]) -> list[str]:
    index = 1
    while index < len(names) - 1:
        if draws.below(3) == 0:
            names[index], names[index + 1] = names[index + 1], names[index]
            index += 1
        index += 1
    return names


def _choose(text: ClassText, draws: Draws, names: Sequence[str]) -> list[SentenceTemplate]:
    """Templates that together state every name once, in about their order."""
    left = list(names)
    chosen: list[SentenceTemplate] = []
    while left:
        heads = text.starting(tuple(left))
        if not heads:
            raise ValueError(f"no wording states {left[0]!r} alone; add one under `@ {left[0]}`")
        # Joint wordings are fewer than single ones; each kind of joint gets the weight of its templates, twice.
        weights = [len(text.facts[head]) * (2 if len(head) > 1 else 1) for head in heads]
        number = draws.below(sum(weights))
        for head, weight in zip(heads, weights, strict=True):
            if number < weight:
                chosen.append(text.facts[head][number % len(text.facts[head])])
                left = [name for name in left if name not in head]
                break
            number -= weight
    return chosen


def _call(
    draws: Draws,
    template: SentenceTemplate,
    subject: Person,
    before: Sequence[tuple[str, int, int]],
    persons: frozenset[str],
) -> Call:
    """How a sentence after the first calls the subject: by something that no other subject is called, if need be."""
    number = draws.below(8)
    if template.alike > ALIKE or template.repeats > REPEATS:
        return "name" if number < 4 or not subject.unique else "short"
    if any(name in persons for name, _, _ in before):
        return "name" if number < 4 else "short"
    return "pronoun" if number < 4 else "short" if number < 7 else "name"


def _length(sentence: str, lang: Lang) -> int:
    return len(sentence) if lang == "zh" else sentence.count(" ") + 1


def _join(sentences: Sequence[tuple[str, list[tuple[str, int, int]]]], joint: str) -> WrittenPassage:
    stated: list[StatedFact] = []
    at = 0
    for text, spans in sentences:
        stated += [StatedFact(name, at + start, at + end) for name, start, end in spans]
        at += len(text) + len(joint)
    return WrittenPassage(joint.join(text for text, _ in sentences), tuple(stated))
