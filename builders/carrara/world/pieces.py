"""Short pieces of writing on request, for conversations in which the same request comes again and again (MRCR).

A key is a format, a topic and a style. Piece `number` of a key is a text of its own, known without the others: a
skeleton of the format that fits topic and style, spelled for it alone. `text/en/pieces/<name>.txt` hold the skeletons,
as `paragraphs.py` reads them:

    = poem lamplight | weather, plant | style: wistful, plain     a condition without a key is on the topic
    > The lamp is lit ...                                         `>` begins a paragraph or stanza, `-` a line

`_lists.txt` has the topics as [subtypes] with tags and lists of their own, and lists for all; a list `lead_playful` is
{lead} in that style. `_requests.txt` has the wordings of requests. The skeletons of a key come in random order, each
once before one comes again.

A text that two streams or two numbers of a key give alike is not ruled out, but none is known in millions. Must not
change: what is drawn, and the order of the draws.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from carrara.stream import Draws, Stream
from carrara.world.language.cast import Called, CastValues, PersonGender, SlotNames
from carrara.world.language.grammar import Person, Phrase, PhraseLists, Speller, file_names, parse, read_sections
from carrara.world.language.paragraphs import Subtype, TextParagraph, lists_ending, read_paragraphs
from carrara.world.language.surface import month
from carrara.world.names.names import WorldNames

FORMATS: Final[tuple[str, ...]] = (
    "poem",
    "riddle",
    "essay",
    "email",
    "play",
    "blog post",
    "story",
    "news item",
    "set of instructions",
    "diary entry",
    "speech",
    "letter",
    "song",
)
STYLES: Final[tuple[str, ...]] = (
    "plain",
    "solemn",
    "playful",
    "terse",
    "wistful",
    "formal",
    "chatty",
    "dramatic",
    "wry",
    "tender",
)
TOPICS: Final[tuple[str, ...]] = tuple(
    line.text.removeprefix("@ ").partition(":")[0].strip()
    for line in read_sections("en", "pieces/_lists")["subtypes"]
    if line.text.startswith("@ ")
)
# How the heads of skeletons write the formats of more than one word.
_HEADS: Final = {"set of instructions": "instructions"}
# A request without a style is answered in this one.
_DEFAULT: Final = "plain"
_LETTERS: Final = "ABC"
_GENDERS: Final[tuple[PersonGender, ...]] = ("male", "female")
_SLOTS: Final = SlotNames(r"[ABC](?:'s)?|town|topic|month|weekday", "A A's he:A upper:A town topic month weekday")
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# Numbers of names: far below what `WorldNames` has, and few pieces of a conversation share one.
_NAMES: Final = 100_000
# Spellings of a riddle that are tried: names and words of a topic may give its answer away.
_TRIES: Final = 200
# Words drawn at once: a piece takes about 200.
_BLOCK: Final = 252


@dataclass(frozen=True, slots=True)
class _Skeleton:
    """A skeleton, the lists of its style by style, and the topics that it fits."""

    text: TextParagraph
    lists: Mapping[str, PhraseLists]
    topics: Mapping[str, Subtype]


def request(stream: Stream, format: str, topic: str, style: str | None, number: int) -> str:
    """The wording of request `number` of a key, which it names; ValueError for an unknown key."""
    draws = Draws(stream.child("pieces", "request", format, topic, style or "", number))
    _check(format, topic, style)
    requests, manners = _requests()
    manner = ""
    if style is not None:
        manner = Speller(draws, Person(""), {"manner": style}).said(draws.choice(manners))
        manner = manner if manner.startswith(",") else f" {manner}"
    values = {"format": format, "topic": topic, "style": manner}
    return Speller(draws, Person(""), values).text(draws.choice(requests))


def piece(stream: Stream, format: str, topic: str, style: str | None, number: int) -> str:
    """Piece `number` of a key: 120 to 350 words in lines and paragraphs; ValueError for an unknown key."""
    _check(format, topic, style)
    key = stream.child("pieces", format, topic, style or "")
    style = style or _DEFAULT
    pool = _pool(format, topic, style)
    round_, rank = divmod(number, len(pool))
    skeleton = pool[int(key.child("order", round_).order(len(pool))[rank])]
    draws = Draws(key.child(number), _BLOCK)
    taboo = _taboo(topic) if format == "riddle" else None
    for _ in range(_TRIES):
        written = _written(stream, draws, skeleton, topic, style)
        if taboo is None or not taboo.search(written):
            return written
    raise ValueError(f"{skeleton.text.where}: every spelling names {topic!r}, which a riddle must not")


def _written(stream: Stream, draws: Draws, skeleton: _Skeleton, topic: str, style: str) -> str:
    values = CastValues(_values(stream, draws, topic))
    asked = {condition.key: condition for condition in skeleton.text.conditions}
    for letter in _LETTERS:
        fits = [one for one in _GENDERS if letter not in asked or asked[letter].holds((), {letter: one})]
        values.people = {**values.people, letter: _called(stream, draws, fits)}
    speller = Speller(draws, Person(""), values)
    speller.own_lists = {**skeleton.lists[style], **skeleton.topics[topic].lists}
    speller.variables = {name: draws.choice(entries) for name, entries in skeleton.text.variables.items()}
    written: list[str] = []
    for wordings, mark in zip(skeleton.text.sentences, skeleton.text.marks, strict=True):
        if written:
            written.append({">": "\n\n", "-": "\n", "+": " "}[mark])
        written.append(speller.text(draws.choice(wordings)))
    return "".join(written)


@cache
def _taboo(topic: str) -> re.Pattern[str]:
    """The topic in singular or plural, without its article."""
    stem = re.sub(r"^(?:an? |the )?(?:old )?|s$", "", topic)
    return re.compile(rf"\b{re.escape(stem)}(?:s|es)?\b", re.IGNORECASE)


def _values(stream: Stream, draws: Draws, topic: str) -> dict[str, str]:
    return {
        "topic": topic,
        "town": _names(stream.key).word("en", "pieces", draws.below(_NAMES)),
        "month": month(1 + draws.below(12), "en"),
        "weekday": draws.choice(_WEEKDAYS),
    }


def _called(stream: Stream, draws: Draws, genders: Sequence[PersonGender]) -> Called:
    gender = draws.choice(genders)
    name = _names(stream.key).person("en", "pieces", draws.below(_NAMES), female=gender == "female").split()[0]
    # Short names only: nobody signs a diary in full.
    return Called(name, name, gender, "en")


@lru_cache(maxsize=64)
def _names(key: tuple[str | int, ...]) -> WorldNames:
    return WorldNames(Stream(*key))


def _check(format: str, topic: str, style: str | None) -> None:
    for what, value, known in (("format", format, FORMATS), ("topic", topic, TOPICS), ("style", style, STYLES)):
        if value not in known and value is not None:
            raise ValueError(f"unknown {what}: got {value!r}, expected one of {', '.join(known)}")


@cache
def _requests() -> tuple[tuple[Phrase, ...], tuple[Phrase, ...]]:
    sections = read_sections("en", "pieces/_requests")
    requests = tuple(parse(line, lambda _: None, ("format", "topic", "style")) for line in sections["requests"])
    return requests, tuple(parse(line, lambda _: None, ("manner",)) for line in sections["style of a request"])


@lru_cache(maxsize=4_096)
def _pool(format: str, topic: str, style: str) -> tuple[_Skeleton, ...]:
    """The skeletons that fit a key."""
    fitting = []
    for skeleton in _skeletons()[format]:
        tags, traits = skeleton.topics[topic].tags, {"style": style}
        if all(condition.holds(tags, traits) for condition in skeleton.text.conditions):
            fitting.append(skeleton)
    if not fitting:
        raise ValueError(f"text/en/pieces: no {format} fits {topic!r} in the style {style!r}; write one")
    return tuple(fitting)


@cache
def _skeletons() -> Mapping[str, tuple[_Skeleton, ...]]:
    """All skeletons by format, in the order of the files; ValueError with file and line where a text is wrong."""
    heads = {_HEADS.get(format, format.replace(" ", "_")): format for format in FORMATS}
    shared = read_sections("en", "pieces/_lists")
    found: dict[str, list[_Skeleton]] = {format: [] for format in FORMATS}
    for name in file_names("en", "pieces"):
        own = read_sections("en", name)
        sections = {head: [*shared.get(head, ()), *own.get(head, ())] for head in {**shared, **own}}
        paragraphs, lists = read_paragraphs(
            sections, {}, tuple(heads), {"style": STYLES, **dict.fromkeys(_LETTERS, ("male", "female"))}, _SLOTS, STYLES
        )
        varying = {style: lists_ending(lists, STYLES, style) for style in STYLES}
        for head, known in paragraphs.by_aspect.items():
            found[heads[head]] += [_Skeleton(each, varying, paragraphs.subtypes) for each in known]
    return {format: tuple(skeletons) for format, skeletons in found.items()}
