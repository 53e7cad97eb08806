"""The paragraphs of one class in one language: what a passage says of its subject beside the facts.

`text/<lang>/paragraphs/<class>.txt` has these sections; `grammar.py` says what stands in a phrase.

    [groups]      `stone: grey granite / knapped flint`: a name for several terms, for conditions
    [subtypes]    `@ lighthouse: tower, coast` heads the lists of a term of `KEYS`, with its tags; each subtype has the
                  same lists
    [states]      `roof | tower: slate; slates / tile; tiles`: once for an entity; `;` parts fields of one entry
    [lists]       `mason: masons / slaters`: drawn afresh, as lists of `grammar.py` are
    [facts]       see `class_texts.py`
    [paragraphs]  `= structure stairs | tower | period: steam` heads a paragraph: its aspect, its topic and what must
                  hold; then variables of the paragraph, as states are written, and its sentences: `+` begins one, `>`
                  one in a paragraph of its own, `-` one in a line of its own, `~` is another wording of it. `!name`
                  before the wordings says that the sentence states the fact of that name. The last word of a head is
                  the topic.

A condition is a list of tags or subtypes of which one must hold (`tower, coast`, `not coast`), or a key and its values:
`period` (when the thing began, see PERIODS), `gender`, `has` (a relation that the entity must have), a term relation of
the class (terms or groups), or a state.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final

from carrara.world.language.grammar import (
    Alternatives,
    Phrase,
    PhraseLists,
    ValueField,
    WordingLine,
    parse,
    read_lists,
    salt,
    split_top,
)

PERIODS: Final = {"early": 1839, "steam": 1909, "electric": 1959, "modern": 9999}
_SLOT: Final = re.compile(r"\{([^{}]*)\}")
# What is so of an entity, for conditions: a key and its value.
Traits = Mapping[str, str]
Variables = Mapping[str, "tuple[tuple[Phrase, ...], ...]"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that must hold: `key` is empty for tags and subtypes."""

    key: str
    values: frozenset[str]
    negated: bool

    def holds(self, tags: Collection[str], traits: Traits) -> bool:
        """Whether it holds; what is not known of an entity holds."""
        if not self.key:
            return self.negated == self.values.isdisjoint(tags)
        value = traits.get(self.key)
        if self.key == "has":
            return self.negated != (value is not None and self.values <= set(value.split()))
        return value is None or (value in self.values) != self.negated


@dataclass(frozen=True, slots=True)
class Subtype:
    """A kind of things within a class: its tags, itself among them, and its own lists."""

    tags: frozenset[str]
    lists: Mapping[str, Alternatives]


@dataclass(frozen=True, slots=True)
class State:
    """What is drawn once for an entity: entries of fields that go together."""

    name: str
    conditions: tuple[Condition, ...]
    entries: tuple[tuple[Phrase, ...], ...]


@dataclass(frozen=True, eq=False)
class TextParagraph:
    """Connected sentences, each in one or more wordings; every beginning of it is complete.

    Its sentences are parsed when they are first asked for: those of all classes of a language take four seconds, and a
    small build shows few of them.
    """

    where: str
    aspect: str
    topic: str
    conditions: tuple[Condition, ...]
    variables: Variables
    # The wordings of each sentence as they are written, what parses one, and what names the slots of one.
    lines: tuple[tuple[WordingLine, ...], ...]
    parse: Callable[[WordingLine], Phrase]
    named: Callable[[str], Iterable[str]]
    # How each sentence begins (`+`, `>` or `-`), and the fact that it states, "" for none.
    marks: tuple[str, ...]
    facts: tuple[str, ...]
    # Odd, 32 bits, from its aspect and topic: the choices of two paragraphs have nothing to do with each other.
    salt: int

    @cached_property
    def sentences(self) -> tuple[tuple[Phrase, ...], ...]:
        """The wordings of each sentence; ValueError with file and line for one that is malformed."""
        return tuple(tuple(map(self.parse, wordings)) for wordings in self.lines)

    def slots(self) -> frozenset[str]:
        """The slots for the caller's values; without parsing a sentence."""
        entries = (entry for entries in self.variables.values() for entry in entries)
        told = (name for entry in entries for phrase in entry for name in _slots(phrase))
        return frozenset((*told, *(name for lines in self.lines for line in lines for name in self.named(line.text))))


@dataclass(frozen=True, slots=True)
class ClassParagraphs:
    """All paragraphs of a class in one language."""

    subtypes: Mapping[str, Subtype]
    states: tuple[State, ...]
    by_aspect: Mapping[str, tuple[TextParagraph, ...]]
    _fitting: dict[tuple[str, ...], tuple[bool, ...]] = field(default_factory=dict)
    _asked: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def fitting(self, aspect: str, subtype: str, traits: Traits) -> tuple[bool, ...]:
        """Whether the conditions of each paragraph of an aspect hold, in the order of the file."""
        asked = self._asked.get(aspect)
        if asked is None:
            names = {each.key for known in self.by_aspect.get(aspect, ()) for each in known.conditions if each.key}
            asked = self._asked[aspect] = tuple(sorted(names))
        key = (aspect, subtype, *(traits.get(name, "") for name in asked))
        kept = self._fitting.get(key)
        if kept is None:
            tags = self.subtypes[subtype].tags if subtype in self.subtypes else frozenset()
            kept = self._fitting[key] = tuple(
                all(condition.holds(tags, traits) for condition in known.conditions)
                for known in self.by_aspect.get(aspect, ())
            )
        return kept


def read_paragraphs(
    sections: Mapping[str, Sequence[WordingLine]],
    known: PhraseLists,
    aspects: Collection[str],
    conditions: Mapping[str, Collection[str]],
    values: Collection[str] = (),
    endings: Collection[str] = (),
) -> tuple[ClassParagraphs, PhraseLists]:
    """The paragraphs and the lists that the sections of a file (and of the files that it shares) hold.

    `known` are the lists of other files; `conditions` gives the values that each key of a condition can have; `values`
    are the slots that whoever writes the text fills in. Of a list `weather_spring`, where "spring" is one of `endings`,
    a template says `{weather}`: see `lists_ending`.
    ValueError with file and line for what is malformed.
    """
    named = (*known, *(line.text.partition(":")[0] for line in sections.get("lists", ())))
    own = {base for base, ending in map(_ending(endings), named) if ending}
    reader = _SectionReader(sections, known, conditions, values, own)
    by_aspect: dict[str, list[TextParagraph]] = {aspect: [] for aspect in aspects}
    for paragraph in reader.paragraphs():
        if paragraph.aspect not in by_aspect:
            raise ValueError(f"{paragraph.where}: no aspect {paragraph.aspect!r}; there are {', '.join(aspects)}")
        by_aspect[paragraph.aspect].append(paragraph)
    found = {aspect: tuple(paragraphs) for aspect, paragraphs in by_aspect.items()}
    return ClassParagraphs(reader.subtypes, reader.states, found), reader.lists


def lists_ending(lists: PhraseLists, endings: Collection[str], *taken: str) -> PhraseLists:
    """The lists with one of the endings that are taken, by what stands before it."""
    apart, wanted = _ending(endings), {each.replace(" ", "_") for each in taken}
    found = ((apart(name), phrases) for name, phrases in lists.items())
    return {base: phrases for (base, ending), phrases in found if ending in wanted}


def _ending(endings: Collection[str]) -> Callable[[str], tuple[str, str]]:
    """What takes a name apart: "weather_spring" into "weather" and "spring"; without an ending the second is ""."""
    suffixes = [f"_{ending.replace(' ', '_')}" for ending in endings]

    def apart(name: str) -> tuple[str, str]:
        suffix = next(filter(name.endswith, suffixes), "")
        return name.removesuffix(suffix), suffix[1:]

    return apart


class _SectionReader:
    """Reads the sections in the order in which they use each other's names."""

    def __init__(
        self,
        sections: Mapping[str, Sequence[WordingLine]],
        known: PhraseLists,
        conditions: Mapping[str, Collection[str]],
        values: Collection[str],
        own: Collection[str],
    ) -> None:
        self._lines = sections.get("paragraphs", ())
        self._keys = {key: set(values) for key, values in conditions.items()}
        self._groups = {
            line.text.partition(":")[0].strip(): tuple(map(str.strip, line.text.partition(":")[2].split("/")))
            for line in sections.get("groups", ())
        }
        kinds = list(_subtype_lines(sections.get("subtypes", ())))
        states = [_state_line(line) for line in sections.get("states", ())]
        self._values = values
        self._named = {line.text.partition(":")[0] for line in kinds[0][2]} if kinds else set()
        self._own = self._named.union(own)
        self._fields = {name: len(split_top(split_top(line.text, "/")[0], ";")) for name, _, line in states}
        self.lists = {**known, **read_lists(sections.get("lists", ()), known, self._fields, self._own, None, values)}
        self._slots_of_lists: dict[str, frozenset[str]] = {}
        self.subtypes = {name: self._subtype(name, tags, lines) for name, tags, lines in kinds}
        self.states = tuple(self._state(*state) for state in states)

    def _subtype(self, name: str, tags: frozenset[str], lines: Sequence[WordingLine]) -> Subtype:
        own = read_lists(lines, {}, self._fields, self._own, self.lists, self._values)
        if own.keys() != self._named:
            where = lines[0].where if lines else "[subtypes]"
            raise ValueError(f"{where}: {name!r} has the lists {sorted(own)}, the first subtype {sorted(self._named)}")
        return Subtype(tags, own)

    def _state(self, name: str, conditions: Sequence[str], line: WordingLine) -> State:
        entries = self._entries(name, line, {})
        if len(entries[0]) != self._fields[name]:
            raise ValueError(f"{line.where}: the state {name!r} has another number of fields elsewhere")
        held = self._conditions(line.where, conditions)
        self._keys.setdefault(name, set()).update(plain(entry[0]) for entry in entries)
        return State(name, held, entries)

    def paragraphs(self) -> Iterator[TextParagraph]:
        """The paragraphs in the order of the lines."""
        head: WordingLine | None = None
        held: list[WordingLine] = []
        for line in (*self._lines, WordingLine("", "= ")):
            if not line.text.startswith("="):
                held.append(line)
                continue
            if head is not None:
                yield self._paragraph(head, held)
            elif held:
                raise ValueError(f"{held[0].where}: got {held[0].text[:40]!r} before the first `= aspect topic`")
            head, held = line, []

    def _paragraph(self, head: WordingLine, lines: Sequence[WordingLine]) -> TextParagraph:
        title, *conditions = (part.strip() for part in head.text.removeprefix("=").split("|"))
        aspect, _, topic = title.rpartition(" ")
        if not aspect:
            raise ValueError(f"{head.where}: got {title!r}, expected `= aspect topic | conditions`")
        variables: dict[str, tuple[tuple[Phrase, ...], ...]] = {}
        fields: dict[str, int] = {}
        sentences: list[list[WordingLine]] = []
        marks: list[str] = []
        facts: list[str] = []
        for line in lines:
            mark, text = line.text[:2].strip(), line.text[2:].strip()
            if line.text[1:2] == " " and (mark in "+>-" or (mark == "~" and sentences)):
                fact, text = _stated(text)
                if mark != "~":
                    sentences.append([])
                    marks.append(mark)
                    facts.append(fact)
                elif fact != facts[-1]:
                    raise ValueError(f"{line.where}: states {fact!r}, the wording before it {facts[-1]!r}")
                sentences[-1].append(WordingLine(line.where, text))
            elif not sentences:
                name, colon, rest = line.text.partition(":")
                if not colon or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
                    raise ValueError(
                        f"{line.where}: got {line.text[:40]!r}, expected `name: entry / entry` or `+ sentence`"
                    )
                variables[name] = self._entries(name, WordingLine(line.where, rest), fields)
                fields[name] = len(variables[name][0])
            else:
                raise ValueError(f"{line.where}: got {line.text[:40]!r}, expected `+ sentence` or `~ other wording`")
        if not sentences:
            raise ValueError(f"{head.where}: a paragraph without sentences")
        return TextParagraph(
            head.where,
            aspect,
            topic,
            self._conditions(head.where, conditions),
            variables,
            tuple(map(tuple, sentences)),
            partial(self._parse, fields=fields),
            partial(self._slots_in, fields=fields),
            tuple(marks),
            tuple(facts),
            salt(title) | 1,
        )

    def _entries(self, name: str, line: WordingLine, fields: Mapping[str, int]) -> tuple[tuple[Phrase, ...], ...]:
        entries = tuple(
            tuple(self._parse(WordingLine(line.where, text.strip()), fields) for text in split_top(entry, ";"))
            for entry in split_top(line.text, "/")
        )
        if len({len(entry) for entry in entries}) > 1:
            raise ValueError(f"{line.where}: the entries of {name!r} have different numbers of fields")
        return entries

    def _parse(self, line: WordingLine, fields: Mapping[str, int]) -> Phrase:
        return parse(line, self.lists.get, self._values, {**self._fields, **fields}, self._own)

    def _slots_in(self, text: str, fields: Mapping[str, int]) -> Iterator[str]:
        for slot in _SLOT.findall(text):
            name = slot.replace("’", "'").removeprefix("a:").removeprefix("cap:")
            if name in self._values and name not in fields and name not in self._fields:
                yield name
            elif name in self.lists:
                if name not in self._slots_of_lists:
                    self._slots_of_lists[name] = frozenset(_slots((self.lists[name],)))
                yield from self._slots_of_lists[name]

    def _conditions(self, where: str, texts: Iterable[str]) -> tuple[Condition, ...]:
        return tuple(self._condition(where, text) for text in texts)

    def _condition(self, where: str, text: str) -> Condition:
        key, colon, rest = text.partition(":")
        key, rest = (key.strip(), rest) if colon else ("", text)
        values = [value.strip() for value in rest.split(",")]
        negated = values[0].startswith("not ")
        values = [value.removeprefix("not ").strip() for value in values]
        if key and key not in self._keys:
            raise ValueError(f"{where}: no condition on {key!r}; there are {', '.join(self._keys)}")
        values = [term for value in values for term in (self._groups.get(value, (value,)) if key else (value,))]
        known = self._keys[key] if key else {tag for kind in self.subtypes.values() for tag in kind.tags}
        if unknown := set(values) - known:
            raise ValueError(f"{where}: {key or 'the subtypes'} has no {sorted(unknown)}; there are {sorted(known)}")
        return Condition(key, frozenset(values), negated)


def _subtype_lines(lines: Iterable[WordingLine]) -> Iterator[tuple[str, frozenset[str], list[WordingLine]]]:
    """Each subtype with its tags and the lines under it."""
    found: list[tuple[str, frozenset[str], list[WordingLine]]] = []
    for line in lines:
        if line.text.startswith("@ "):
            name, *tags = (part.strip() for part in re.split("[:,]", line.text.removeprefix("@ ")))
            if any(name == known for known, _, _ in found):
                raise ValueError(f"{line.where}: the subtype {name!r} stands twice")
            found.append((name, frozenset((name, *filter(None, tags))), []))
        elif not found:
            raise ValueError(f"{line.where}: got {line.text[:40]!r} before the first `@ subtype: tags`")
        else:
            found[-1][2].append(line)
    return iter(found)


def _stated(text: str) -> tuple[str, str]:
    """The fact that a sentence states, if it is marked, and the rest."""
    if text.startswith("!"):
        fact, _, rest = text[1:].partition(" ")
        return fact, rest.strip()
    return "", text


def _state_line(line: WordingLine) -> tuple[str, list[str], WordingLine]:
    """The name of a state, its conditions and its entries."""
    head, _, entries = line.text.partition(":")
    name, *conditions = (part.strip() for part in head.split("|"))
    return name, conditions, WordingLine(line.where, entries)


def _slots(phrase: Phrase) -> Iterator[str]:
    for part in phrase:
        if isinstance(part, ValueField):
            yield part.name
        elif isinstance(part, Alternatives):
            for each in part.phrases:
                yield from _slots(each)


def plain(phrase: Phrase) -> str:
    """The literal text of a phrase."""
    return "".join(part for part in phrase if isinstance(part, str))


def period(year: int) -> str:
    """The period that a year lies in."""
    return next(name for name, last in PERIODS.items() if year <= last)
