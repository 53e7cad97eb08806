"""Passages: one aspect of one entity in a given number of words, with the span of every fact.

The facts come first, in about the order of the aspect; a sentence states one fact or more, and the first sentence names
the subject in full. Then a paragraph of the class's text goes on, as far as there is room: what it says agrees with
what the entity is (its subtype, its time, its states), and states no relation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from carrara.stream import Draws
from carrara.task import Lang
from carrara.world.language.class_texts import ClassText, SentenceTemplate
from carrara.world.language.grammar import Call, Person, Phrase, PhraseLists, Speller
from carrara.world.language.paragraphs import ClassParagraphs, TextParagraph

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
class Nature:
    """What an entity is, beside its facts, in one language: the same for all its passages.

    `seed` is an odd number of 64 bits that its class has in this world.
    """

    subtype: str
    traits: Mapping[str, str]
    variables: Mapping[str, Sequence[Phrase]]
    lists: PhraseLists
    seed: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """The paragraph, by its number in its aspect, that goes on with a passage, and how it makes its choices."""

    first: int
    turn: int


def deal(known: ClassParagraphs, aspect: str, natures: Sequence[Nature], number: int) -> list[Dealt]:
    """A paragraph for each entity of a class of realm `number`: one that fits and that the realm has least of.

    So a realm tells hardly anything twice; where a paragraph comes again, in this realm or the next, its turn is
    another one, and so is every word that it chooses.
    """
    count = len(known.by_aspect[aspect])
    uses = [0] * count
    # More than most paragraphs of a realm are taken: those of two realms then have no turn in common.
    turns = -(-3 * len(natures) // (2 * max(1, count)))
    dealt: list[Dealt] = []
    for slot, nature in enumerate(natures):
        fits = known.fitting(aspect, nature.subtype, nature.traits)
        start = (nature.seed >> 20) + slot * 89 + number * 55
        best, least = 0, len(natures)
        for step in range(count):
            index = (start + step) % count
            if fits[index] and uses[index] < least:
                best, least = index, uses[index]
                if not least:
                    break
        dealt.append(Dealt(best, turns * number + (uses[best] if count else 0)))
        if count:
            uses[best] += 1
    return dealt


def _following(
    known: ClassParagraphs, aspect: str, nature: Nature, dealt: Dealt
) -> Iterator[tuple[TextParagraph, int]]:
    """The paragraph that was dealt and then others that fit, each with its turn, no two of one topic."""
    all_ = known.by_aspect[aspect]
    fits = known.fitting(aspect, nature.subtype, nature.traits)
    topics: set[str] = set()
    for step in range(len(all_)):
        index = (dealt.first + step) % len(all_)
        if fits[index] and all_[index].topic not in topics:
            topics.add(all_[index].topic)
            yield all_[index], dealt.turn + step


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
    persons: frozenset[str],
    nature: Nature,
    dealt: Dealt,
) -> WrittenPassage:
    """A passage that states `values` (relation: as written) of the subject.

    `words` is the length to come near to (sentences are whole; the facts are stated even where they take more).
    `persons` names the relations whose value is a person: after one of these no pronoun follows, who could be either.
    """
    speller = Speller(draws, subject, values)
    sentences: list[tuple[str, list[tuple[str, int, int]]]] = []
    for template in _choose(text, draws, _order(draws, list(values))):
        before = sentences[-1][1] if sentences else []
        speller.call = _call(draws, template, subject, before, persons) if sentences else "name"
        sentences.append(speller.sentence(template.phrase))
    left = words * (CHARACTERS_A_WORD if lang == "zh" else 1) - sum(_length(written, lang) for written, _ in sentences)
    speller.call, speller.names_stay = ("short" if subject.unique else "name"), True
    speller.subject = replace(subject, name=subject.brief or subject.name)
    speller.own_lists = nature.lists
    for paragraph, turn in _following(text.paragraphs, aspect, nature, dealt):
        speller.begin(turn, nature.seed * paragraph.salt | 1)
        speller.variables = {
            **nature.variables,
            **{name: entries[speller.among(name, len(entries))] for name, entries in paragraph.variables.items()},
        }
        for index, wordings in enumerate(paragraph.sentences):
            written = speller.sentence(speller.wording(str(index), wordings))
            length = _length(written[0], lang)
            # The sentence that comes nearer to the length than what stands.
            if length > 2 * left:
                return _join(sentences, " " if lang == "en" else "")
            sentences.append(written)
            left -= length
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
