"""Writes a chapter of a chronicle: paragraphs of sentences, and the span of each fact."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.stream import Stream
from carrara.task import Lang
from carrara.world.documents.chronicle.kinds import KINDS
from carrara.world.documents.chronicle.plot import ChapterPlan, Event
from carrara.world.documents.chronicle.wordings import INTERLUDES, ChronicleText, Exchange, TurnTemplate
from carrara.world.language.fast_speller import Ops, Scribe
from carrara.world.language.grammar import capital

# Words drawn at once: a chapter takes about 2,000.
_BLOCK: Final = 1344
# The first letter of a sentence within a spoken line.
_INNER: Final = re.compile(r"(?<=[.?!] )[a-z]")
_CAST: Final = ("cast", "woman", "man", "goer", "owner")


@dataclass(frozen=True, slots=True)
class Called:
    """How a person is called: in full, in short, and by the pronouns (subject, object, possessive, reflexive)."""

    full: str
    short: str
    pronouns: tuple[str, str, str, str]


@dataclass(slots=True)
class ChapterDraft:
    """What is written of a chapter: paragraphs of sentences, and the sentence number of each fact."""

    paragraphs: list[list[str]]
    facts: dict[tuple[int, str], int]
    count: int = 0

    def paragraph(self) -> None:
        """Begin a paragraph."""
        self.paragraphs.append([])

    def add(self, sentence: str) -> int:
        """Write a sentence; its number in the chapter."""
        self.paragraphs[-1].append(sentence)
        self.count += 1
        return self.count - 1


class SceneWriter(Scribe):
    """Writes one chapter."""

    def __init__(
        self, text: ChronicleText, lang: Lang, stream: Stream, values: dict[str, str], called: Callable[[int], Called]
    ) -> None:
        super().__init__(stream, values, _BLOCK)
        self._text = text
        self._lang = lang
        self._called = called
        self._spent: dict[str, set[int]] = {}
        self._named: set[int] = set()
        self._cast: list[int] = []
        self.page = ChapterDraft([], {})
        self._talks: list[int] = []

    def chapter(
        self, plan: ChapterPlan, values: Callable[[Event], Mapping[str, str]], past: Sequence[Event]
    ) -> ChapterDraft:
        """The chapter of a plan; `values` spells an event's slots, `past` are earlier events that may be recalled."""
        self._cast = list(plan.cast)
        self._opening(plan)
        few = len(plan.events) < 5
        for event in plan.events:
            self._event(event, values(event))
            # A Chinese sentence takes less room than an English one.
            if self._lang == "zh" or self.below(4) or few:
                self._interlude(past, values)
        if self._text.exchanges and len(plan.events) < 4:
            self._interlude(past, values)
        self._scene(("close", "close", "close"), *self._pair())
        return self.page

    def _opening(self, plan: ChapterPlan) -> None:
        first, second = self._pair()
        self._scene(
            ("open", "air", "solo") if self._text.exchanges else ("open", "air", "air", "solo", "pair"), first, second
        )
        if plan.number == 0:
            for index, person in enumerate(self._cast):
                if index % 3 == 0:
                    self.page.paragraph()
                self._say("intro", person, self._other(person))

    def _pair(self) -> tuple[int, int]:
        person = self._cast[self.below(len(self._cast))]
        return person, self._other(person)

    def _other(self, person: int) -> int:
        index = self.below(len(self._cast))
        return self._cast[index] if self._cast[index] != person else self._cast[index - 1]

    def _event(self, event: Event, values: Mapping[str, str]) -> None:
        voices = [event.slots[letter] for letter, filling in KINDS[event.kind].slots if filling in _CAST]
        if event.kind in ("leave", "death"):
            voices = voices[1:]
        voices += [person for person in self._pair() if person not in voices]
        while len(voices) < 2:
            voices += [person for person in self._pair() if person not in voices]
        first, second = voices[:2]
        matched = bool(self._text.exchanges)
        self._scene(("lead",) if matched else ("lead", "pair", "solo"), first, second)
        self.page.paragraph()
        for index, fact in enumerate(KINDS[event.kind].facts):
            if index:
                self._say("between" if matched else ("after", "solo", "pair", "air")[self.below(4)], first, second)
            sentence = self._state(self._text.facts[event.kind, fact.name], values)
            self.page.facts[event.number, fact.name] = self.page.add(sentence)
        self._talk(event, values, first, second)
        self._scene(("after", "solo") if matched else ("after", "solo", "after")[: 2 + self.below(2)], first, second)

    def _interlude(self, past: Sequence[Event], values: Callable[[Event], Mapping[str, str]]) -> None:
        name = INTERLUDES[self.below(len(INTERLUDES))]
        first, second = self._pair()
        matched = bool(self._text.exchanges)
        self._scene(
            (name, "air", name, name) if matched else (name, name, name, "air", name, "solo", name), first, second
        )
        if past and not self.below(3):
            event = past[self.below(len(past))]
            slot = "O" if "O" in event.slots else "P"
            self.values[slot] = values(event)[slot]
            self._say("recall thing" if slot == "O" else "recall place", first, second)
        if matched:
            self._exchange("", first, second)
        else:
            self._dialogue(self._subject(), first, second, 2 + self.below(3))

    def _state(self, phrases: tuple[Ops, ...], values: Mapping[str, str]) -> str:
        kept, self.values = self.values, {**self.values, **values}
        sentence = capital(self.spelled(phrases[self.below(len(phrases))]))
        self.values = kept
        return sentence

    def line(self, phrases: Sequence[Ops], values: Mapping[str, str]) -> str:
        """A line of its own, a question or a title, with the values of an event."""
        return self._state(tuple(phrases), values)

    def _scene(self, names: Sequence[str], first: int, second: int) -> None:
        """A paragraph of sentences from these sections on two persons."""
        self.page.paragraph()
        last: tuple[str, ...] = ()
        chain = 0
        for name in names:
            turn = self._take(name)
            pronoun = turn.begins and last == ("A",) and chain < 2 and self.below(3) > 0
            chain = chain + 1 if pronoun else 0
            self._set(turn.lets)
            self.page.add(self._sentence(turn, first, second, pronoun))
            for further in turn.more:
                self.page.add(self._sentence(further, first, second, False))
            last = turn.unit[-1].persons

    def _say(self, name: str, first: int, second: int) -> None:
        turn = self._take(name)
        self._set(turn.lets)
        for sentence in turn.unit:
            self.page.add(self._sentence(sentence, first, second, False))

    def _set(self, lets: Sequence[tuple[str, Ops]]) -> None:
        """Spell the values that the sentences of a unit share."""
        for name, ops in lets:
            self.values[name] = self.spelled(ops)

    def _take(self, name: str) -> TurnTemplate:
        """A sentence of the section that the chapter has not had, as long as there is one."""
        turns = self._text.scenes[name]
        return turns[self._fresh(name, len(turns))]

    def _fresh(self, name: str, count: int) -> int:
        """A number of range(count) that this name has not had, until it has had all."""
        spent = self._spent.setdefault(name, set())
        if len(spent) == count:
            spent.clear()
        number = self.below(count)
        while number in spent:
            number = (number + 1) % count
        spent.add(number)
        return number

    def _sentence(self, turn: TurnTemplate, first: int, second: int, pronoun: bool) -> str:
        self._persons(turn.persons, first, second)
        if pronoun:
            self.values["A"] = self._called(first).pronouns[0]
        return capital(self.spelled(turn.ops))

    def _persons(self, letters: tuple[str, ...], first: int, second: int) -> None:
        """Set the names of A and B: in full where the chapter has not named them."""
        values = self.values
        for letter, person in (("A", first), ("B", second)):
            called = self._called(person)
            if letter not in letters:
                values[letter] = called.short
                continue
            values[letter] = called.short if person in self._named else called.full
            self._named.add(person)
        values["he"], values["him"], values["his"], values["himself"] = self._called(first).pronouns
        values["bhe"], values["bhim"], values["bhis"], values["bhimself"] = self._called(second).pronouns

    def _subject(self) -> tuple[tuple[Ops, ...], ...]:
        count = len(self._text.talks)
        number = self.below(count)
        while number in self._talks and len(self._talks) < count:
            number = (number + 1) % count
        self._talks.append(number)
        return self._text.talks[number]

    def _talk(self, event: Event, values: Mapping[str, str], first: int, second: int) -> None:
        kept = dict(self.values)
        self.values |= {letter: value for letter, value in values.items() if letter in "OPNTU"}
        if self._text.exchanges:
            self._exchange(event.kind, first, second)
            self.values = kept
            return
        remark = self._text.remarks[event.kind]
        self._dialogue((remark, *self._text.event_talk), first, second, 2 + self.below(2))
        self.values = kept
        if self.below(2):
            self._dialogue(self._subject(), first, second, 2 + self.below(3))

    def _dialogue(self, turns: Sequence[tuple[Ops, ...]], first: int, second: int, lines: int) -> None:
        """Turns of a talk, each a paragraph: the first asks or remarks, then they answer each other."""
        for index in range(lines):
            stage = index if index < 2 else 2 - index % 2
            speaker, hearer = (first, second) if index % 2 == 0 else (second, first)
            pool = turns[min(stage, 2)]
            number = self._fresh(f"talk {id(pool)}", len(pool))
            self._persons((), speaker, hearer)
            words = capital(self.spelled(pool[number]))
            self.page.paragraph()
            self._quote(words, speaker, hearer, index)

    def _exchange(self, kind: str, first: int, second: int) -> None:
        """A talk whose lines belong together, each a paragraph."""
        match: Sequence[Exchange] = self._text.exchanges[kind]
        exchange = match[self._fresh(f"exchange {kind}", len(match))]
        self._persons((), first, second)
        self._set(exchange.lets)
        index = 0
        for narrated, turn in exchange.lines:
            self.page.paragraph()
            if narrated:
                self.page.add(self._sentence(turn, first, second, False))
                continue
            speaker, hearer = (first, second) if index % 2 == 0 else (second, first)
            self._persons((), speaker, hearer)
            words = _INNER.sub(lambda match: match[0].upper(), capital(self.spelled(turn.ops)))
            self._quote(words, speaker, hearer, index, rich=turn.plain and words.count(" ") > 3)
            index += 1

    def _quote(self, words: str, speaker: int, hearer: int, index: int, rich: bool = False) -> None:
        first, _, second = (part.strip() for part in words.partition("~"))
        style = self.below(8)
        # A short line alone, or a plain one, would come again word for word.
        tagged = rich or (bool(self._text.exchanges) and words.count(" ") < 4)
        if not tagged and index > 1 and (style == 0 or (style < 4 and self._text.exchanges)):
            self.page.add(f"“{self._whole(first, second)}”")
            return
        self._persons(("A",), speaker, hearer)
        if style == 1 and not tagged:
            self.page.add(capital(self.spelled(self._pick(self._text.tags["beat"]))))
            self.page.add(f"“{self._whole(first, second)}”")
            return
        ending = (second or first)[-1]
        name = "asked" if ending in "?？" else "answered" if index % 2 else "said"
        tag = self.spelled(self._pick(self._text.tags[f"rich {name}" if rich else name]))
        if self._lang == "zh":
            self.page.add(self._chinese(first, second, tag, style))
        else:
            self.page.add(self._english(first, second, tag, style))

    def _whole(self, first: str, second: str) -> str:
        joint = "" if self._lang == "zh" else " "
        if second and first[-1] in ".?!。？！":
            second = capital(second)
        return f"{first}{joint}{second}" if second else first

    def _english(self, first: str, second: str, tag: str, style: int) -> str:
        if not second or style < 4:
            words = self._whole(first, second)
            return f"“{words[:-1]},” {tag}." if words[-1] == "." else f"“{words}” {tag}."
        if first[-1] in "?!":
            return f"“{first}” {tag}. “{capital(second)}”"
        if first[-1] == ".":
            return f"“{first[:-1]},” {tag}. “{capital(second)}”"
        return f"“{first.rstrip(',:;')},” {tag}{':' if first[-1] == ':' else ','} “{second}”"

    def _chinese(self, first: str, second: str, tag: str, style: int) -> str:
        if second and style > 4:
            if first[-1] in "。？！":
                return f"“{first}”{tag}，“{second}”"
            return f"“{first.rstrip('，：；')}，”{tag}，“{second}”"
        words = self._whole(first, second)
        return f"{tag}：“{words}”" if style < 4 else f"“{words}”{tag}。"

    def _pick(self, phrases: Sequence[Ops]) -> Ops:
        return phrases[self.below(len(phrases))]
