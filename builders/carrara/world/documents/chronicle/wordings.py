"""The wordings of chronicles, read from `text/<lang>/chronicle*.txt`, and the speller that draws from them fast.

    chronicle.txt           lists; [open] [air] [close] and the scenes: sentences on persons A and B at one place
    chronicle_talk.txt      [ask_x] [reply_x] [more_x]: turns of a talk on subject x; `~` is where "said A" may stand;
                            [exchange] and [talk kind]: whole talks, of no event and of an event of that kind
    chronicle_settings.txt  what the house of the chronicle is: lists with a letter for each setting
    chronicle_terms.txt     the terms that slots of events take, as many in every language (`kinds.TERMS`)
    chronicle_events.txt    [kind fact]: sentences that state a fact
    chronicle_asks.txt      [questions] [titles] [keys] [remarks]

A scene may be a unit of several sentences, a talk always is one: `x=phrase; y=phrase :: sentence // sentence` spells
the phrases first, and {x} and {y} are the same in all of its sentences. In a talk the lines are spoken by A and B in
turn; one that begins with `@` is told.

The lists of the filler prose (`english_words.py`, `chinese_words.py`) are at hand in all of them, those of a season in
that season's chapters.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from carrara.task import Lang
from carrara.world.documents.chronicle.kinds import KINDS, TERMS
from carrara.world.language.fast_speller import Compiler, NamedValue, Ops, PhraseChoice, slots
from carrara.world.language.grammar import Alternatives, WordingLine, parse, read_lists, read_sections, split_top
from carrara.world.prose import chinese_words, english_words

# Values of the caller, beside the slots of events.
VALUES: Final = (
    "town",
    "Q",
    "R",
    "house",
    "date",
    "A",
    "B",
    "C",
    "D",
    "S",
    "K",
    "O",
    "P",
    "N",
    "T",
    "U",
    "bhe",
    "bhim",
    "bhis",
    "bhimself",
    "x",
    "y",
    "z",
)
# Those of A.
_PRONOUNS: Final = ("he", "him", "his", "himself")
# The scenes between events, and the sections of `chronicle.txt` that are no scenes.
INTERLUDES: Final = ("work", "home", "walk", "folk")
# The values that a unit of sentences may set.
_SET: Final = ("x", "y", "z")
# A line with fewer spellings than this is plain.
_VARIED: Final = 400
_TAGS: Final = ("said", "asked", "answered", "beat")
_FILES: Final = ("chronicle", "chronicle_talk")


@dataclass(frozen=True, slots=True)
class TurnTemplate:
    """A sentence template and the persons in it, in order of appearance."""

    ops: Ops
    persons: tuple[str, ...]
    # The sentence begins with the person, so that a pronoun may stand there.
    begins: bool
    # Values to spell before the unit that begins here, and its further sentences.
    lets: tuple[tuple[str, Ops], ...] = ()
    more: tuple["TurnTemplate", ...] = ()
    # It is long and has few spellings: what tells of its speaker must vary.
    plain: bool = False

    @property
    def unit(self) -> tuple["TurnTemplate", ...]:
        """The sentences of the unit."""
        return (self, *self.more)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A talk whose lines belong together: values to spell before it, and lines, spoken or told."""

    lets: tuple[tuple[str, Ops], ...]
    lines: tuple[tuple[bool, TurnTemplate], ...]


@dataclass(frozen=True, slots=True)
class ChronicleText:
    """All wordings of one language, setting and season."""

    house: str
    scenes: Mapping[str, tuple[TurnTemplate, ...]]
    talks: tuple[tuple[tuple[Ops, ...], ...], ...]
    # The answers to a remark on an event; none where there are exchanges.
    event_talk: tuple[tuple[Ops, ...], ...]
    # By the kind of event; "" for those of no event.
    exchanges: Mapping[str, tuple[Exchange, ...]]
    tags: Mapping[str, tuple[Ops, ...]]
    facts: Mapping[tuple[str, str], tuple[Ops, ...]]
    questions: Mapping[tuple[str, str], tuple[Ops, ...]]
    titles: Mapping[str, tuple[Ops, ...]]
    keys: Mapping[str, Ops]
    # What is said of an event, to begin a talk.
    remarks: Mapping[str, tuple[Ops, ...]]
    terms: Mapping[str, tuple[str, ...]]


@cache
def chronicle_text(lang: Lang, setting: int, season: int) -> ChronicleText:
    """Read the wordings; ValueError with file and line where a text is wrong.

    `setting` is below `plot.SETTINGS`, `season` below 4, from spring.
    """
    lists = _lists(lang, setting, season)
    compiler = Compiler((*VALUES, *_PRONOUNS))

    def ops(line: WordingLine) -> Ops:
        return compiler.phrase(parse(line, lists.get, VALUES))

    main, talk = (_sections(lang, name) for name in _FILES)
    events, asks = _sections(lang, "chronicle_events"), _sections(lang, "chronicle_asks")
    tags = [name for name in main if name.removeprefix("rich ") in _TAGS]
    scenes = {
        name: tuple(_unit(line, ops) for line in lines) for name, lines in main.items() if name not in ("lists", *tags)
    }
    subjects = [name.removeprefix("ask_") for name in talk if name.startswith("ask_")]
    talks = tuple(
        tuple(tuple(ops(line) for line in talk[f"{turn}_{subject}"]) for turn in ("ask", "reply", "more"))
        for subject in subjects
    )
    facts: dict[tuple[str, str], tuple[Ops, ...]] = {}
    for name, kind in KINDS.items():
        for fact in kind.facts:
            head = f"{name} {fact.name}"
            if head not in events:
                raise ValueError(f"{lang}/chronicle_events.txt: no section [{head}]; add one")
            facts[name, fact.name] = tuple(_fact(line, ops(line), fact.answer + fact.with_) for line in events[head])
    return ChronicleText(
        house=_house(lang, setting),
        scenes=scenes,
        talks=talks,
        event_talk=tuple(tuple(ops(line) for line in talk.get(f"{turn}_event", [])) for turn in ("reply", "more")),
        exchanges=_exchanges(lang, talk, ops),
        tags={name: tuple(ops(line) for line in main[name]) for name in tags},
        facts=facts,
        questions={key: _split(ops, line) for key, line in _asked(lang, asks["questions"])},
        titles={name: _split(ops, line) for name, line in _headed(lang, asks["titles"], set(KINDS))},
        keys={name: ops(line) for name, line in _headed(lang, asks["keys"], set(KINDS))},
        remarks={name: _split(ops, line) for name, line in _headed(lang, asks["remarks"], set(KINDS))}
        if "remarks" in asks
        else {},
        terms=_terms(lang),
    )


@cache
def _sections(lang: Lang, name: str) -> Mapping[str, list[WordingLine]]:
    return read_sections(lang, name)


def _lists(lang: Lang, setting: int, season: int) -> dict[str, Alternatives]:
    """The lists of the filler prose, of the setting and of the chronicles' own files."""
    words = english_words if lang == "en" else chinese_words
    own = [line for name in (*_FILES, "chronicle_events") for line in _seasonal(_sections(lang, name)["lists"], season)]
    names = {line.text.partition(":")[0] for line in own}
    prose = _prose_lists(words.WORDS, words.JOBS, words.SEASONS[season])
    raw = [*own, *(line for line in prose if line.text.partition(":")[0] not in names)]
    letter = "abcdef"[setting]
    for line in _sections(lang, "chronicle_settings")["lists"]:
        name, _, rest = line.text.partition(":")
        base, _, which = name.rpartition("_")
        if which == letter and base != "house":
            raw.append(WordingLine(line.where, f"{base}:{rest}"))
    return read_lists(raw, slots(VALUES))


def _seasonal(lines: Sequence[WordingLine], season: int) -> Iterator[WordingLine]:
    """The lists of the season, `name_s1` to `name_s4` without the ending, and those of all seasons."""
    for line in lines:
        name, colon, rest = line.text.partition(":")
        base, mark, number = name.rpartition("_s")
        if not mark or not number.isdigit():
            yield line
        elif int(number) == season + 1:
            yield WordingLine(line.where, f"{base}{colon}{rest}")


def _house(lang: Lang, setting: int) -> str:
    lines = (line.text.partition(":") for line in _sections(lang, "chronicle_settings")["lists"])
    return next(rest.strip() for name, _, rest in lines if name == f"house_{'abcdef'[setting]}")


def _prose_lists(words: str, jobs: str, season: str) -> Iterator[WordingLine]:
    glue = re.compile(r"(?<=[\u2E80-\uFFEF])\n +")
    for entry in re.split(r"\n(?! )", words.strip()):
        entry = re.sub(r"\n +", " ", glue.sub("", entry))
        name, _, rest = entry.partition(": ")
        base, _, own = name.partition(".")
        if base == "opener" or base.startswith("named_") or (own and own != season):
            continue
        # A name alone in a list (the season) is no choice; a list wants two phrases.
        yield WordingLine(f"words: {name}", f"{base}: {rest}" if "/" in rest else f"{base}: {rest} / [{rest}|{rest}]")
    forms = [line.split(" / ") for line in jobs.strip().splitlines()]
    if forms:
        for index, name in enumerate(("do", "did", "ing")):
            yield WordingLine(f"jobs: {name}", f"{name}: " + " / ".join(f"{form[index]} {form[3]}" for form in forms))


def _terms(lang: Lang) -> dict[str, tuple[str, ...]]:
    lists: dict[str, tuple[str, ...]] = {}
    for line in _sections(lang, "chronicle_terms")["terms"]:
        name, _, rest = line.text.partition(":")
        terms = tuple(term.strip() for term in rest.split("/"))
        if TERMS.get(name) != len(terms) or len(set(terms)) != len(terms):
            raise ValueError(f"{line.where}: {len(set(terms))} terms of {name!r}, expected {TERMS.get(name)}")
        lists[name] = terms
    if missing := sorted(set(TERMS) - set(lists)):
        raise ValueError(f"{lang}/chronicle_terms.txt: no list {missing[0]!r}; add it")
    return lists


def _headed(lang: Lang, lines: Sequence[WordingLine], wanted: set[str]) -> Iterator[tuple[str, WordingLine]]:
    heads = [line.text.partition(":")[0] for line in lines]
    if sorted(heads) != sorted(wanted):
        wrong = sorted(set(heads) ^ wanted) or heads
        raise ValueError(f"{lang}/chronicle_asks.txt: {wrong[0]!r} is missing, or too much; there is one line for each")
    for line in lines:
        name, _, rest = line.text.partition(":")
        yield name, WordingLine(line.where, rest.strip())


def _asked(lang: Lang, lines: Sequence[WordingLine]) -> Iterator[tuple[tuple[str, str], WordingLine]]:
    wanted = {f"{name} {fact.name}" for name, kind in KINDS.items() for fact in kind.facts}
    wanted |= {f"{name} {joint.name}" for name, kind in KINDS.items() for joint in kind.joints}
    for head, line in _headed(lang, lines, wanted):
        name, _, asked = head.partition(" ")
        yield (name, asked), line


def _split(ops: Callable[[WordingLine], Ops], line: WordingLine) -> tuple[Ops, ...]:
    return tuple(ops(WordingLine(line.where, text.strip())) for text in split_top(line.text, "/"))


def _fact(line: WordingLine, ops: Ops, letters: str) -> Ops:
    """Every slot of the question and the answer stands outside of alternatives, or a choice could leave it out."""
    named = [part.name for part in ops if isinstance(part, NamedValue)]
    if missing := [letter for letter in letters if letter not in named]:
        raise ValueError(f"{line.where}: {{{missing[0]}}} is missing; the sentence states {', '.join(letters)}")
    return ops


def _exchanges(
    lang: Lang, talk: Mapping[str, list[WordingLine]], ops: Callable[[WordingLine], Ops]
) -> dict[str, tuple[Exchange, ...]]:
    """The exchanges of every kind of event and of none, or no exchange at all."""
    if "exchange" not in talk:
        return {}
    exchanges: dict[str, tuple[Exchange, ...]] = {}
    for name in ("", *KINDS):
        head = f"talk {name}" if name else "exchange"
        if head not in talk:
            raise ValueError(f"{lang}/chronicle_talk.txt: no section [{head}]; add one")
        exchanges[name] = tuple(_exchange(line, ops) for line in talk[head])
    return exchanges


def _exchange(line: WordingLine, ops: Callable[[WordingLine], Ops]) -> Exchange:
    lets, lines = _parts(line, ops)
    narrated = [entry.text.startswith("@") for entry in lines]
    turns = [_turn(ops(WordingLine(entry.where, entry.text.removeprefix("@").strip()))) for entry in lines]
    turns = [dataclasses.replace(turn, plain=_variety(turn.ops) < _VARIED) for turn in turns]
    return Exchange(lets, tuple(zip(narrated, turns, strict=True)))


def _variety(ops: Ops) -> float:
    """About how many spellings there are; a value that a unit sets has as many as a short list."""
    spellings = 1.0
    for part in ops:
        if isinstance(part, NamedValue) and part.name in _SET:
            spellings *= 30
        elif isinstance(part, PhraseChoice):
            spellings *= sum(1 if isinstance(phrase, str) else _variety(phrase) for phrase in part.phrases)
    return spellings


def _unit(line: WordingLine, ops: Callable[[WordingLine], Ops]) -> TurnTemplate:
    lets, lines = _parts(line, ops)
    first, *more = (_turn(ops(sentence)) for sentence in lines)
    return dataclasses.replace(first, lets=lets, more=tuple(more))


def _parts(
    line: WordingLine, ops: Callable[[WordingLine], Ops]
) -> tuple[tuple[tuple[str, Ops], ...], list[WordingLine]]:
    """The values that a unit sets, and its sentences."""
    head, mark, rest = line.text.partition(" :: ")
    if not mark:
        head, rest = "", line.text
    pairs = (pair.partition("=") for pair in head.split("; ") if pair)
    lets = tuple((name.strip(), ops(WordingLine(line.where, phrase.strip()))) for name, _, phrase in pairs)
    if wrong := [name for name, _ in lets if name not in _SET]:
        raise ValueError(f"{line.where}: cannot set {wrong[0]!r}; a unit sets {', '.join(_SET)}")
    return lets, [WordingLine(line.where, text.strip()) for text in rest.split("//")]


def _turn(ops: Ops) -> TurnTemplate:
    persons = tuple(dict.fromkeys(part.name for part in _named(ops) if part.name in ("A", "B")))
    first = ops[0]
    return TurnTemplate(
        ops, persons, isinstance(first, NamedValue) and first.name == "A" and str(ops[1])[:1] not in "’的"
    )


def _named(ops: Ops) -> Iterator[NamedValue]:
    for part in ops:
        if isinstance(part, NamedValue):
            yield part
        elif isinstance(part, PhraseChoice) and part.number < 0:
            for phrase in part.phrases:
                if not isinstance(phrase, str):
                    yield from _named(phrase)
