"""Phrases compiled to be spelled fast, for long texts: chronicles, minutes, reports, articles.

`grammar.Speller` writes a passage about one subject and says where each value stands. A long text has many persons and
no subject, and takes thousands of draws: its phrases are compiled once, and spelled with bulk draws and no spans.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from carrara.stream import Draws, Stream
from carrara.world.language.grammar import Alternatives, Article, Capital, Mention, Phrase, PhrasePart, article, capital


class PhraseChoice(NamedTuple):
    """Phrases to choose from; a list has a number by which its used phrases are remembered, an inline choice -1."""

    number: int
    # A phrase that is text alone stands as text.
    phrases: tuple["str | Ops", ...]
    how_many: int
    # A bit for each phrase.
    full: int


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value of the caller."""

    name: str


@dataclass(frozen=True, slots=True)
class Mark:
    """What is done to the text behind: an article before it, or a capital."""

    article: bool


# A compiled phrase, in order.
Op = str | NamedValue | Mark | PhraseChoice
Ops = tuple[Op, ...]


def slots(values: Collection[str]) -> dict[str, Alternatives]:
    """Values as lists of their names, so that they may stand in lists too; `Compiler` makes values of them again."""
    return {name: Alternatives(name, ((name,),)) for name in values}


class Compiler:
    """Compiles phrases of the grammar; a list is compiled once.

    `values` are the names that stand for values, pronouns among them. Whoever calls keeps the lists, so that the id of
    each stays its own.
    """

    __slots__ = ("_lists", "_values")

    def __init__(self, values: Collection[str]) -> None:
        self._values = frozenset(values)
        self._lists: dict[int, PhraseChoice] = {}

    def phrase(self, phrase: Phrase) -> Ops:
        """The parts of a phrase in the form that `Scribe` spells; ValueError for a slot of a subject."""
        return tuple(self._part(part) for part in phrase)

    def _part(self, part: PhrasePart) -> Op:
        if isinstance(part, str):
            return part
        if isinstance(part, (Article, Capital)):
            return Mark(isinstance(part, Article))
        if isinstance(part, Mention):
            raise ValueError(f"got {{X}} as {part.form}, but these texts have no subject; write a value, as {{A}}")
        if part.name in self._values:
            return NamedValue(part.name)
        if not isinstance(part, Alternatives):
            raise ValueError(f"got {{{part.name}}}, which is no value of these texts; they have {sorted(self._values)}")
        if not part.name:
            return _chosen(-1, self._phrases(part))
        if id(part) not in self._lists:
            # Lists in the list take their numbers first.
            phrases = self._phrases(part)
            self._lists[id(part)] = _chosen(len(self._lists), phrases)
        return self._lists[id(part)]

    def _phrases(self, part: Alternatives) -> tuple[str | Ops, ...]:
        return tuple(_plain(self.phrase(phrase)) for phrase in part.phrases)


def _chosen(number: int, phrases: tuple[str | Ops, ...]) -> PhraseChoice:
    return PhraseChoice(number, phrases, len(phrases), (1 << len(phrases)) - 1)


def _plain(ops: Ops) -> str | Ops:
    """The phrase as text where it is text alone."""
    texts = [op for op in ops if isinstance(op, str)]
    return "".join(texts) if len(texts) == len(ops) else ops


class Scribe(Draws):
    """Spells the phrases of one text (a chapter, a unit): no phrase of a list twice until all were used.

    `values` may be changed between phrases.
    """

    __slots__ = ("_used", "values")

    def __init__(self, stream: Stream, values: Mapping[str, str], block: int) -> None:
        """`block` words are read at once, about as many as the text takes; another block gives another text."""
        super().__init__(stream, block)
        self.values = dict(values)
        # A bit for each used phrase, by the number of the list.
        self._used: dict[int, int] = {}

    def spelled(self, ops: Ops) -> str:
        """A phrase as it stands."""
        out: list[str] = []
        self._spell(ops, out)
        return "".join(out)

    def _spell(self, ops: Ops, out: list[str]) -> None:
        """Spell the parts into `out`; written out in one piece, since most of the time of a text is spent here.

        A call of `below` for each choice would cost about 4 % of that time.
        """
        words, values, append = self.words, self.values, out.append
        mark: Mark | None = None
        for part in ops:
            if isinstance(part, str):
                append(part)
                continue
            if isinstance(part, PhraseChoice):
                key, phrases, count, full = part
                number = words.pop() % count if words else self.below(count)
                if key >= 0:
                    used = self._used.get(key, 0)
                    while used >> number & 1:
                        number = (number + 1) % count
                    used |= 1 << number
                    self._used[key] = 0 if used == full else used
                chosen = phrases[number]
                if isinstance(chosen, str):
                    piece = chosen
                elif mark is None:
                    self._spell(chosen, out)
                    continue
                else:
                    piece = self.spelled(chosen)
            elif isinstance(part, NamedValue):
                piece = values[part.name]
            else:
                mark = part
                continue
            if mark is not None:
                piece = article(piece) + piece if mark.article else capital(piece)
                mark = None
            append(piece)
