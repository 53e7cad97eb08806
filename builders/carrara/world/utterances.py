"""Short labelled utterances of an invented everyday world: 166 intents of 16 offices and shops, for many-shot learning.

An utterance is a frame around a core. The cores of an intent stand in `text/en/utterances_<domain>.txt`, one section
an intent, by their grammatical kind (below); the frames of each kind and the lists of all intents in
`text/en/utterances.txt`. A frame around a core is a shape; the phrases of its slots are the digits of a number in mixed
radix. A keyed permutation of all numbers of an intent gives its utterances, so that no two are equal and each is known
without the others. That two shapes never spell one text is a matter of the wording (no question of one intent begins
as a frame of another kind does) and of the tests.

    do      infinitive of what the writer wants to do: "report a lost card"
    please  infinitive of what the office should do: "block my card"
    fact    a statement: "my card has gone missing"
    ask     a direct question without its mark: "can a lost card be used"
    know    an indirect question: "whether a lost card can be used"
    note    words without a verb: "lost card"

A mixed text asks for its intent, in the frames of `asked_do` and the like, and says before it or behind it, in one of
`settled_do` and the like, that one or two other intents of the same office are settled. Words in common lead to any.

@p3, @w3 and @s3 in a text stand for a place, a word of a place, and a person's initial and surname; a stream has its
own for each number.

What must not change: the order of files, sections and phrases, since every number counts them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from math import gcd
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from carrara.stream import Permutation, Stream
from carrara.tables import LabelledPart, LabelledText
from carrara.world.language.grammar import (
    Alternatives,
    Article,
    Capital,
    Phrase,
    PhraseLists,
    ValueField,
    WordingLine,
    article,
    capital,
    parse,
    read_lists,
    read_sections,
)
from carrara.world.names.names import WorldNames

UtteranceKind = Literal["do", "please", "fact", "ask", "know", "note"]

DEMONSTRATIONS: Final = 600
TESTS: Final = 20
DOMAINS: Final = (
    "bank",
    "clinic",
    "farm_shop",
    "harbour",
    "housing",
    "kitchen",
    "library",
    "messenger",
    "museum",
    "post",
    "railway",
    "repair",
    "school",
    "theatre",
    "water",
    "weather",
)
# Words of an utterance, by construction: a shape that could leave these bounds is not used.
SHORTEST: Final = 4
LONGEST: Final = 22

# Places and surnames of a stream, and how a text names one.
_NAMED: Final = 40
_NAME: Final = re.compile(r"@[pws]\d+")
_KINDS: Final[tuple[UtteranceKind, ...]] = get_args(UtteranceKind)
# A core that says when leaves no room for a frame that says it too.
_TIMES: Final = frozenset({"past", "soon", "date", "since", "sundays", "schooldays", "hour"})
_FRAME_TIMES: Final = frozenset({"limit", "speed", "when"})
# Numbers of a shape in the permutation: half as many for every five quarters of a word
# more, or all where it has fewer: people write tersely. Steeper shares repeat more between streams.
_SHARE: Final = 1 << 21


@dataclass(frozen=True, slots=True)
class _Choice:
    """One of several trees; the numbers of tree i end at `ends[i]`."""

    trees: tuple["_Tree", ...]
    ends: tuple[int, ...]
    before: Article | Capital | None

    def spell(self, digit: int) -> str:
        """Spelling `digit`, with its article or capital."""
        index = bisect_right(self.ends, digit)
        text = self.trees[index].spell(digit - self.ends[index - 1] if index else digit)
        if isinstance(self.before, Article):
            text = article(text) + text
        large = self.before.capital if isinstance(self.before, Article) else self.before is not None
        return capital(text) if large else text


@dataclass(frozen=True, slots=True)
class _Tree:
    """All spellings of a phrase, numbered from 0 to `size` - 1."""

    parts: tuple[str | _Choice, ...]
    size: int
    # The fewest and the most spaces in a spelling.
    low: int
    high: int

    def spell(self, number: int) -> str:
        """Spelling `number` of range(size)."""
        out = []
        for part in self.parts:
            if isinstance(part, str):
                out.append(part)
                continue
            number, digit = divmod(number, part.ends[-1])
            out.append(part.spell(digit))
        return "".join(out)


@dataclass(frozen=True, slots=True)
class _Intent:
    """An intent: its shapes, and where the numbers of each end in the permutation."""

    label: str
    shapes: tuple[_Tree, ...]
    ends: tuple[int, ...]

    def spell(self, number: int, shifts: Mapping[int, int]) -> str:
        """The utterance at `number` of the permutation; `shifts` are words of the stream, one for a shape."""
        index = bisect_right(self.ends, number)
        shape = self.shapes[index]
        within = number - self.ends[index - 1] if index else number
        # A permutation of the shape's numbers that spreads the share in use over all of them.
        return shape.spell((within * _stride(shape.size) + shifts[index]) % shape.size)


@cache
def _stride(size: int) -> int:
    """A number near size / golden ratio that has no divisor in common with size."""
    stride = max(1, round(size * 0.6180339887498949))
    while gcd(stride, size) != 1:
        stride += 1
    return stride


class _Compiler:
    """Compiles frames and cores of one domain; what was compiled once is shared by all shapes.

    A list from which one part of a frame may take is taken for all parts after it, and the lists of the core for all
    parts of the frame: phrases that would take from it again are left out, so that nobody travels to two towns.
    """

    __slots__ = ("_choices", "_kept", "_names")

    def __init__(self) -> None:
        self._choices: dict[tuple[int, frozenset[str], Article | Capital | None], _Choice | None] = {}
        self._names: dict[int, frozenset[str]] = {}
        # The memory goes by the identity of objects, which must therefore live as long as it does.
        self._kept: list[Alternatives] = []

    def shapes(self, frames: Iterable[Phrase], cores: Iterable[Phrase], where: str) -> list[_Tree]:
        """Every frame around every core, as far as the bounds of length and the lists allow."""
        shapes = []
        for core in cores:
            tree = self._tree(core, None, frozenset(), where)
            taken = self._used(core)
            if taken & _TIMES:
                taken |= _FRAME_TIMES
            for frame in frames if tree is not None else ():
                shape = self._tree(frame, tree, taken, where)
                if shape is not None and shape.low + 1 >= SHORTEST and shape.high + 1 <= LONGEST:
                    shapes.append(shape)
        return shapes

    def _used(self, phrase: Phrase) -> frozenset[str]:
        """The names of all lists that a spelling of the phrase may take from."""
        names: frozenset[str] = frozenset()
        for part in phrase:
            if isinstance(part, Alternatives):
                if id(part) not in self._names:
                    self._kept.append(part)
                    own = frozenset({part.name} - {""})
                    self._names[id(part)] = own.union(*(self._used(option) for option in part.phrases))
                names |= self._names[id(part)]
        return names

    def _choice(
        self, part: Alternatives, taken: frozenset[str], before: Article | Capital | None, where: str
    ) -> _Choice | None:
        """The phrases of a list or an inline choice that take from no list in `taken`; None where none is left."""
        key = (id(part), taken & self._used((part,)), before)
        if key not in self._choices:
            subtrees = [] if part.name in taken else [self._tree(phrase, None, taken, where) for phrase in part.phrases]
            trees = tuple(tree for tree in subtrees if tree is not None)
            ends = tuple(accumulate(tree.size for tree in trees))
            self._choices[key] = _Choice(trees, ends, before) if trees else None
        return self._choices[key]

    def _tree(self, phrase: Phrase, core: _Tree | None, taken: frozenset[str], where: str) -> _Tree | None:
        parts: list[str | _Choice] = []
        low = high = 0
        size = 1
        pending: Article | Capital | None = None
        for part in phrase:
            if isinstance(part, str):
                parts.append(part)
                # A name has two words.
                spaces = part.count(" ") + part.count("@")
                low, high = low + spaces, high + spaces
                continue
            if isinstance(part, (Article, Capital)):
                pending = part
                continue
            choice: _Choice | None
            if isinstance(part, ValueField) and core is not None:
                choice = _Choice((core,), (core.size,), pending)
            elif isinstance(part, Alternatives):
                choice = self._choice(part, taken, pending, where)
                taken |= self._used((part,))
            else:
                raise ValueError(f"{where}: got {part}, expected text, lists, choices, {{a:}} and {{cap:}}")
            if choice is None:
                return None
            parts.append(choice)
            low, high = low + min(tree.low for tree in choice.trees), high + max(tree.high for tree in choice.trees)
            if isinstance(choice.before, Article):
                low, high = low + 1, high + 1
            size *= choice.ends[-1]
            pending = None
        return _Tree(tuple(parts), size, low, high)


def _share(shape: _Tree) -> int:
    """How many numbers a shape has in the permutation: short ones have more."""
    return min(shape.size, _SHARE >> (shape.low + shape.high) * 2 // 5)


_Form = Literal["", "asked_", "settled_"]


@cache
def _intents(form: _Form = "") -> tuple[_Intent, ...]:
    """All intents, in whole utterances or in sentences of mixed texts; ValueError with file and line for wrong text."""
    shared = read_sections("en", "utterances")
    lists = read_lists(shared["lists"], {})
    intents: list[_Intent] = []
    for domain in DOMAINS:
        sections = read_sections("en", f"utterances_{domain}")
        own: PhraseLists = {**lists, **read_lists(sections.pop("lists"), lists)}
        frames = {
            kind: [parse(line, own.get, ("core",)) for line in shared[form + kind]]
            for kind in _KINDS
            if form + kind in shared
        }
        compiler = _Compiler()
        intents += [_intent(label, lines, own, frames, compiler) for label, lines in sections.items()]
    labels = [intent.label for intent in intents]
    if len(set(labels)) != len(labels):
        twice = sorted({label for label in labels if labels.count(label) > 1})
        raise ValueError(f"utterances: the label {twice[0]!r} stands in two files; give one another name")
    return tuple(intents)


def _intent(
    label: str,
    lines: list[WordingLine],
    lists: PhraseLists,
    frames: Mapping[UtteranceKind, list[Phrase]],
    compiler: _Compiler,
) -> _Intent:
    cores = read_lists(lines, lists)
    if unknown := sorted(set(cores) - set(_KINDS)):
        raise ValueError(f"{lines[0].where}: [{label}] has {unknown[0]!r}, expected only {', '.join(_KINDS)}")
    shapes = [
        shape
        for kind in frames
        if kind in cores
        for shape in compiler.shapes(frames[kind], cores[kind].phrases, lines[0].where)
    ]
    ends = tuple(accumulate(_share(shape) for shape in shapes))
    return _Intent(label, tuple(shapes), ends)


# Read without the shapes, which take a second. By label: its domain.
_DOMAIN_OF: Final[Mapping[str, str]] = {
    label: domain for domain in DOMAINS for label in read_sections("en", f"utterances_{domain}") if label != "lists"
}
INTENTS: Final[tuple[str, ...]] = tuple(_DOMAIN_OF)
# The first four intents of each domain, by number: one mixed text of each fits into 4k tokens.
MIXED: Final[tuple[int, ...]] = tuple(
    INTENTS.index(label) for domain in DOMAINS for label in [of for of in INTENTS if _DOMAIN_OF[of] == domain][:4]
)


def space(intent: int) -> int:
    """How many utterances the intent has over all streams."""
    return sum(shape.size for shape in _intents()[intent].shapes)


def utterance(stream: Stream, intent: int, number: int, part: LabelledPart) -> LabelledText:
    """Utterance `number` of a part of an intent: a number of range(DEMONSTRATIONS) or range(TESTS)."""
    count = _count(part)
    if not 0 <= number < count:
        raise IndexError(f"a {part} has a number from 0 to {count - 1}, got {number}")
    return _spelled(stream, intent, part, range(number, number + 1))[0]


def utterances(stream: Stream, intent: int, part: LabelledPart) -> tuple[LabelledText, ...]:
    """All utterances of a part of an intent, in order: equal to those of `utterance`."""
    return _spelled(stream, intent, part, range(_count(part)))


def _count(part: LabelledPart) -> int:
    return DEMONSTRATIONS if part.endswith("demonstration") else TESTS


def _spelled(stream: Stream, intent: int, part: LabelledPart, numbers: range) -> tuple[LabelledText, ...]:
    label = INTENTS[intent]
    offset = 0 if part.endswith("demonstration") else DEMONSTRATIONS
    form: _Form = "asked_" if part.startswith("mixed") else ""
    texts = _sentences(stream, form, intent, np.array(numbers, dtype=np.int64) + offset)
    if form:
        texts = _with_settled(stream, intent, texts, offset + numbers.start)
    return tuple(
        LabelledText(f"{label}/{part}/{number}", text, label) for number, text in zip(numbers, texts, strict=True)
    )


def _sentences(stream: Stream, form: _Form, intent: int, numbers: NDArray[np.int64]) -> list[str]:
    """The sentences of a form and an intent at these numbers; where there are fewer, they begin again."""
    compiled = _intents(form)[intent]
    own = stream.child("utterances", *filter(None, [form]), compiled.label)
    places = Permutation(own, compiled.ends[-1]).take(numbers % compiled.ends[-1]).tolist()
    shifts = dict(enumerate(own.child("shifts").words(0, len(compiled.shapes)).tolist()))
    names = _names(stream.key)
    return [capital(_NAME.sub(lambda match: names[match[0]], compiled.spell(position, shifts))) for position in places]


def _with_settled(stream: Stream, intent: int, asked: list[str], first: int) -> list[str]:
    """Texts, from number `first` on, each among one or two sentences on settled matters of the same office."""
    label = INTENTS[intent]
    peers = [other for other in MIXED if _DOMAIN_OF[INTENTS[other]] == _DOMAIN_OF[label] and other != intent]
    # Of each text: which two others, which sentence of each, and where.
    words = stream.child("utterances", "settled", label).words(4 * first, 4 * len(asked)).reshape(-1, 4)
    pair = words[:, 0] % (len(peers) * (len(peers) - 1))
    which = np.stack([pair % len(peers), (pair % len(peers) + 1 + pair // len(peers)) % len(peers)], axis=1)
    settled = np.empty(which.shape, dtype=object)
    for place, peer in enumerate(peers):
        chosen = which == place
        settled[chosen] = _sentences(stream, "settled_", peer, (words[:, 1:3][chosen] >> 1).astype(np.int64))
    texts = []
    for text, others, where in zip(asked, settled.tolist(), (words[:, 3] % 8).tolist(), strict=True):
        # A quarter has one of the two.
        count, before = (1, where) if where < 2 else (2, where % 3)
        texts.append(" ".join([*others[:before], text, *others[before:count]]))
    return texts


@lru_cache(maxsize=8)
def _names(key: tuple[str | int, ...]) -> Mapping[str, str]:
    """What the numbered places and people (by an initial and the surname) are called in a stream."""
    names = WorldNames(Stream(*key))
    called = [names.word("en", "utterances place", number) for number in range(_NAMED)]
    # A surname alone is one of some 700: another stream would share one in twenty.
    people = (names.person("en", "utterances", number, female=False).split() for number in range(_NAMED))
    return {
        **{f"@p{number}": place for number, place in enumerate(called)},
        **{f"@w{number}": place.split()[-1] for number, place in enumerate(called)},
        **{f"@s{number}": f"{words[0][0]} {words[-1]}" for number, words in enumerate(people)},
    }
