"""The template language of the world's text files, and the writer that spells a template out.

A file of `text/<lang>/` has sections headed by `[name]`. `[lists]` holds `name: phrase / phrase` entries, an indented
line continues the entry before it; other sections hold one template a line. In any phrase or template stand

    {name}      a value that the caller gives, or a phrase of the list `name` (not one that the same text used already)
    {a:name}    the same after "a" or "an"; "a" right before a slot or a bracket does the same
    {cap:name}  the same with a capital
    {name2}     the second field of a variable (see `paragraphs.py`): of what one draw settled
    {n:3-40}    a number in figures, {n:100-900-50} in steps of 50; {w:3-40} the same in words
    [x|y|]      one of the alternatives, each with slots and alternatives of its own; the empty one is allowed
    {X} {Xo} {X's}     the subject as a subject, an object, a possessive: its name, a short form or a pronoun
    {he} {him} {his} {himself}   its pronoun, after it was named in the same sentence

Everything is read and checked once; a malformed file fails then, with file and line, and never while writing a text.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.resources import files
from typing import Final, Literal

from carrara.stream import Draws
from carrara.task import Lang

GrammaticalCase = Literal["subject", "object", "possessive"]
Call = Literal["name", "short", "pronoun"]
_FORMS: Final[dict[str, GrammaticalCase]] = {"X": "subject", "Xo": "object", "X's": "possessive"}
_PRONOUNS: Final = ("he", "him", "his", "himself")
# "a" or "A" as a word, right before a slot or a bracket.
_BARE_ARTICLE: Final = re.compile(r"(?:^|[\s(“—-])([Aa] )$")
_NUMBER: Final = re.compile(r"([nw]):(\d{1,6})-(\d{1,6})(?:-(\d{1,5}))?")
_FIELD: Final = re.compile(r"([a-z][a-z0-9_]*?)([2-9])")
_MOST_NUMBERS: Final = 10_000
# Any large odd number: parts the rounds of a choice.
_ROUND: Final = 0x9E3779B1
_UP_TO_TWENTY: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_TENS: Final = ["-", "-", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_DIGITS: Final = "零一二三四五六七八九"


@dataclass(frozen=True, slots=True)
class ValueField:
    """A slot for a value of the caller."""

    name: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A slot for the subject."""

    form: GrammaticalCase


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A slot for a pronoun of the subject."""

    name: str


@dataclass(frozen=True, slots=True)
class Article:
    """The article that the following text asks for; with a capital where the template wrote "A"."""

    capital: bool = False


@dataclass(frozen=True, slots=True)
class Capital:
    """The following text begins with a capital."""


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several phrases; a list of the file has a name, an inline choice has none.

    `texts` holds them as strings where none has a slot: most choices are of this kind, and cheap.
    """

    name: str
    phrases: tuple["Phrase", ...]
    # For choices in turn: how many inline choices of so many alternatives stand before it in its template.
    step: int = 0
    texts: tuple[str, ...] = field(init=False)
    count: int = field(init=False)
    # Drawn from what it says, for choices in turn.
    salt: int = field(init=False)

    def __post_init__(self) -> None:
        plain = all(isinstance(part, str) for phrase in self.phrases for part in phrase)
        texts = tuple("".join(map(str, phrase)) for phrase in self.phrases) if plain else ()
        object.__setattr__(self, "texts", texts)
        object.__setattr__(self, "count", len(self.phrases))
        object.__setattr__(self, "salt", salt(f"{self.name}{self.phrases}"))


@dataclass(frozen=True, slots=True)
class Variable:
    """A field of an entry that was drawn once for a whole text: see `Speller.variables`."""

    name: str
    index: int


@dataclass(frozen=True, slots=True)
class OwnList:
    """A list that the subject brings: see `Speller.own_lists`."""

    name: str


def salt(text: str) -> int:
    """A number of 32 bits that depends on a text alone."""
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big")


PhrasePart = str | ValueField | Mention | Pronoun | Article | Capital | Variable | OwnList | Alternatives
Phrase = tuple[PhrasePart, ...]
PhraseLists = Mapping[str, Alternatives]


@dataclass(frozen=True, slots=True)
class Person:
    """How a subject is called: the full name, short forms (a surname, "the film") and the pronouns."""

    name: str
    short: tuple[str, ...] = ()
    pronouns: tuple[str, str, str, str] = ("it", "it", "its", "itself")
    # Whether the short form is a name of its own (a surname), which few subjects of another world share.
    unique: bool = False
    # The name as a text may shorten it once it is given ("V. orbensis"); "" where there is no such form.
    brief: str = ""


class Speller:
    """Spells templates of one text: remembers what was used, and where each value came to stand."""

    __slots__ = (
        "_named",
        "_out",
        "_seed",
        "_turn",
        "_used",
        "_was",
        "_within",
        "_words",
        "below",
        "call",
        "names_stay",
        "own_lists",
        "subject",
        "values",
        "variables",
    )

    def __init__(self, draws: Draws, subject: Person, values: Mapping[str, str]) -> None:
        self.below = draws.below
        self._words = draws.words
        self.subject = subject
        self.values = values
        # The fields of each variable, and the lists that the subject brings: set by who writes a text with such slots.
        self.variables: Mapping[str, Sequence[Phrase]] = {}
        self.own_lists: Mapping[str, Alternatives] = {}
        # How the next sentence calls the subject at first: by name, by a short form or by pronoun.
        self.call: Call = "name"
        # Choices in turn, see `begin`.
        self._turn: int | None = None
        self._within = 0
        self._seed = 1
        # Whether {X} stays what `call` says behind the first mention in a sentence, where it becomes a pronoun
        # otherwise.
        self.names_stay = False
        self._used: dict[str, int] = {}
        self._out: list[str] = []
        self._named = False
        self._was: list[tuple[str, int]] = []

    def begin(self, turn: int | None, seed: int = 1) -> None:
        """Make choices in turn from here on, or draw them (None).

        A choice then is not drawn, but follows from the turn, from `seed` (odd, 64 bits) and from what there is to
        choose from: of n phrases, n successive turns from a multiple of n on take each once; of two neighbouring
        choices of n alternatives each, n * n turns give every pair once, of three n * n * n turns every triple. So a
        text that is told again shares hardly a run of words with its last tellings.
        """
        self._turn, self._seed = turn, seed
        self._within = turn or 0

    def among(self, name: str, count: int) -> int:
        """The number of what is taken in turn among `count`, for the choice called `name`."""
        turn = self._turn or 0
        return (((salt(name) + turn // (count * count) * _ROUND) * self._seed >> 32 & 0xFFFFFFFF) + turn) % count

    def wording(self, name: str, wordings: Sequence[Phrase]) -> Phrase:
        """One of the wordings of a sentence, in turn; its own choices then count the times that it was taken."""
        count = len(wordings)
        self._within = (self._turn or 0) // count
        return wordings[self.among(name, count)]

    def sentence(self, template: Phrase) -> tuple[str, list[tuple[str, int, int]]]:
        """The template spelled with a capital first letter, and (name, start, end) of every value in it."""
        text, spans = self.phrase(template)
        if not spans:
            text = with_articles(text)
        return capital(text), spans

    def text(self, template: Phrase) -> str:
        """The text of `sentence`, without the spans."""
        return capital(with_articles(self.said(template)))

    def said(self, template: Phrase) -> str:
        """The same with the first letter as it stands."""
        self._out, self._was, self._named = [], [], False
        self._spell(template)
        return "".join(self._out)

    def phrase(self, template: Phrase) -> tuple[str, list[tuple[str, int, int]]]:
        """The same with the first letter as it stands."""
        self._out, self._was, self._named = [], [], False
        self._spell(template)
        spans, at, piece = [], 0, 0
        for name, index in self._was:
            at += sum(map(len, self._out[piece:index]))
            spans.append((name, at, at + len(self._out[index])))
            piece = index
        return "".join(self._out), spans

    def _spell(self, phrase: Phrase) -> None:
        # Two thirds of the time of a passage: lists remember what was used as bits, and a word of the draws is taken
        # without a call where one is at hand.
        out, words, below, used = self._out, self._words, self.below, self._used
        turn, seed = None if self._turn is None else self._within, self._seed
        pending: Article | Capital | None = None
        start = 0
        for part in phrase:
            if isinstance(part, OwnList):
                part = self.own_lists[part.name]
            if isinstance(part, str):
                out.append(part)
            elif isinstance(part, Alternatives):
                count = part.count
                if turn is not None:
                    # The digits of the turn times 1, s, C(s, 2): of three neighbours every determinant is 1.
                    times, step = turn // count, part.step
                    often = times // count
                    shift = (part.salt + often // count * _ROUND) * seed >> 32 & 0xFFFFFFFF
                    number = (shift + turn + step * times + step * (step - 1) // 2 * often) % count
                else:
                    number = words.pop() % count if words else below(count)
                if part.name:
                    # No phrase twice until all were used.
                    seen = used.get(part.name, 0)
                    while seen >> number & 1:
                        number = (number + 1) % count
                    seen |= 1 << number
                    used[part.name] = 0 if seen == (1 << count) - 1 else seen
                if part.texts:
                    out.append(part.texts[number])
                else:
                    self._spell(part.phrases[number])
            elif isinstance(part, ValueField):
                self._was.append((part.name, len(out)))
                out.append(self.values[part.name])
            elif isinstance(part, Variable):
                self._spell(self.variables[part.name][part.index])
            elif isinstance(part, Mention):
                out.append(self._mention(part.form))
            elif isinstance(part, Pronoun):
                out.append(self.subject.pronouns[_PRONOUNS.index(part.name)])
            else:
                out.append("")
                pending, start = part, len(out)
                continue
            if pending is not None and self._mended(pending, start):
                pending = None

    def _mended(self, pending: Article | Capital, start: int) -> bool:
        """Write the article into the empty piece before `start`, or capitalise what stands from there, if anything."""
        for index in range(start, len(self._out)):
            if piece := self._out[index]:
                if isinstance(pending, Article):
                    self._out[start - 1] = capital(article(piece)) if pending.capital else article(piece)
                else:
                    self._out[index] = capital(piece)
                return True
        return False

    def _mention(self, form: GrammaticalCase) -> str:
        call = "pronoun" if self._named and not self.names_stay else self.call
        self._named = True
        subject = self.subject
        if call == "pronoun":
            return subject.pronouns[("subject", "object", "possessive").index(form)]
        name = subject.short[self.below(len(subject.short))] if call == "short" and subject.short else subject.name
        return possessive(name) if form == "possessive" else name


# "a useful", "a one-armed", "an hour": by sound; numbers that are spoken with a vowel: 8, 11, 18, 80.
_AN: Final = re.compile(
    r"(?!(?:[Uu]ni(?![mn])|[Uu]s[aeiu]|[Ee]u|[Oo]ne|[Oo]nce|[Uu]t[ei]))[AEIOUaeiou]|hour|honest|honou?r|heir|8|11\b|18\b"
)


# An article that stands at the end of one alternative, before another choice: it cannot know what follows.
_ARTICLE: Final = re.compile(r"(?:(?<![\w’-])a|(?:\A|(?<=[.?!:] )|(?<=[“(]))A)n? (?=[A-Za-z0-9])")


def with_articles(text: str) -> str:
    """The text with "a" or "an" as each following word asks for."""

    def mended(match: re.Match[str]) -> str:
        found = article(text[match.end() : match.end() + 8])
        return capital(found) if match[0][0] == "A" else found

    return _ARTICLE.sub(mended, text)


def article(text: str) -> str:
    """The article, with its space, that stands before a text."""
    return "an " if _AN.match(text) else "a "


def capital(text: str) -> str:
    """The text with a capital first letter, behind an opening quote too."""
    if text[:1] == "“":
        return "“" + text[1:2].upper() + text[2:]
    return text[:1].upper() + text[1:]


def possessive(name: str) -> str:
    """The English possessive of a name; a Chinese template writes 的 itself."""
    return f"{name}’" if name.endswith("s") else f"{name}’s"


@dataclass(frozen=True, slots=True)
class WordingLine:
    """A line of a section: where it stands, for messages, and what it says."""

    where: str
    text: str


def file_names(lang: Lang, folder: str) -> list[str]:
    """The names that `read_sections` takes of the files in `text/<lang>/<folder>`; not those that begin with "_"."""
    entries = files("carrara").joinpath("world", "text", lang, folder).iterdir()
    names = sorted(entry.name.removesuffix(".txt") for entry in entries if entry.name.endswith(".txt"))
    return [f"{folder}/{name}" for name in names if not name.startswith("_")]


def read_sections(lang: Lang, name: str) -> dict[str, list[WordingLine]]:
    """The sections of `text/<lang>/<name>.txt`; comment lines begin with "#"."""
    file = f"{lang}/{name}.txt"
    text = files("carrara").joinpath("world", "text", lang, f"{name}.txt").read_text(encoding="utf-8")
    sections: dict[str, list[WordingLine]] = {}
    current: list[WordingLine] | None = None
    for number, raw in enumerate(text.splitlines(), start=1):
        where = f"{file}:{number}"
        if not raw.strip() or raw.startswith("#"):
            continue
        if head := re.fullmatch(r"\[([a-z_ ]+)\]", raw):
            if head[1] in sections:
                raise ValueError(f"{where}: section [{head[1]}] stands twice; join them")
            current = sections[head[1]] = []
        elif current is None:
            raise ValueError(f"{where}: text before the first section; begin with [lists] or another head")
        elif raw.startswith(" "):
            if not current:
                raise ValueError(f"{where}: a continuation line with nothing to continue")
            glue = "" if lang == "zh" else " "
            current[-1] = WordingLine(current[-1].where, current[-1].text + glue + raw.strip())
        else:
            current.append(WordingLine(where, raw.strip()))
    return sections


def read_lists(
    lines: Iterable[WordingLine],
    known: PhraseLists,
    variables: Mapping[str, int] | None = None,
    own: Collection[str] = (),
    outer: PhraseLists | None = None,
    values: Collection[str] = (),
) -> dict[str, Alternatives]:
    """The lists of a file, which may use each other and the known ones, in any order but not in a circle.

    `variables`, `own` and `values` are as `parse` takes them; lists of `outer` may be used, and have the same names.
    """
    raw: dict[str, WordingLine] = {}
    for line in lines:
        name, colon, rest = line.text.partition(":")
        if not colon or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise ValueError(f"{line.where}: got {line.text[:40]!r}, expected `name: phrase / phrase`")
        if name in raw or name in known:
            raise ValueError(f"{line.where}: list {name!r} stands twice; give one another name")
        raw[name] = WordingLine(line.where, rest)
    done: dict[str, Alternatives] = {}
    open_: list[str] = []

    def resolve(name: str) -> Alternatives | None:
        if name in done or name in known:
            return done.get(name) or known[name]
        if name not in raw:
            return (outer or {}).get(name)
        if name in open_:
            raise ValueError(f"{raw[name].where}: lists go round in a circle: {' -> '.join([*open_, name])}")
        open_.append(name)
        texts = [WordingLine(raw[name].where, text) for text in _phrases(raw[name])]
        phrases = tuple(parse(text, resolve, values, variables, own) for text in texts)
        open_.pop()
        done[name] = Alternatives(name, phrases)
        return done[name]

    for name in raw:
        resolve(name)
    return done


def _phrases(line: WordingLine) -> list[str]:
    phrases = [text.strip() for text in split_top(line.text, "/")]
    if "" in phrases:
        raise ValueError(f"{line.where}: a list has no empty phrase, got {phrases[:3]}")
    if len(set(phrases)) != len(phrases):
        twice = sorted({text for text in phrases if phrases.count(text) > 1})
        raise ValueError(f"{line.where}: {twice[0]!r} stands twice in one list")
    return phrases


def split_top(text: str, mark: str) -> list[str]:
    """Split at a mark that stands outside of brackets."""
    parts, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter in "[{") - (letter in "]}")
        if letter == mark and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


def parse(
    line: WordingLine,
    lists: Callable[[str], Alternatives | None],
    values: Collection[str] = (),
    variables: Mapping[str, int] | None = None,
    own: Collection[str] = (),
) -> Phrase:
    """A template.

    `lists` finds a list by name, `values` are the names of the caller's values, `variables` how many fields each
    variable has, `own` the names of the lists that a subject brings.
    """

    before: dict[int, int] = {}

    def inside(text: str) -> Phrase:
        parts: list[PhrasePart] = []
        for token in _tokens(WordingLine(line.where, text)):
            last = parts[-1] if parts else None
            if token[0] in "{[" and isinstance(last, str) and (found := _BARE_ARTICLE.search(last)):
                parts[-1:] = [last[: found.start(1)]] * bool(last[: found.start(1)])
                parts.append(Article(found[1] == "A "))
            if token[0] == "{":
                parts += slot(token[1:-1])
            elif token[0] == "[":
                options = split_top(token[1:-1], "|")
                if len(options) < 2:
                    raise ValueError(f"{line.where}: {token} has one alternative; write it without brackets")
                step = before[len(options)] = before.get(len(options), -1) + 1
                parts.append(Alternatives("", tuple(inside(option) for option in options), step))
            else:
                parts.append(token)
        return tuple(parts)

    def slot(name: str) -> list[PhrasePart]:
        lead: list[PhrasePart] = []
        name = name.replace("’", "'")
        for mark, part in (("a:", Article()), ("cap:", Capital())):
            if name.startswith(mark):
                lead, name = [part], name.removeprefix(mark)
        if name in values and name not in known:
            return [*lead, ValueField(name)]
        if name in _FORMS and name not in known:
            return [*lead, Mention(_FORMS[name])]
        if name in _PRONOUNS:
            return [*lead, Pronoun(name)]
        if found := _NUMBER.fullmatch(name):
            return [*lead, _numbers(line.where, found)]
        base, index = (found[1], int(found[2]) - 1) if (found := _FIELD.fullmatch(name)) else (name, 0)
        if base in known:
            if index >= known[base]:
                raise ValueError(f"{line.where}: {base!r} has {known[base]} fields, got {{{name}}}")
            return [*lead, Variable(base, index)]
        if name in own:
            return [*lead, OwnList(name)]
        if (named := lists(name)) is not None:
            return [*lead, named]
        raise ValueError(
            f"{line.where}: no list and no value is called {name!r}; values here: {', '.join(values) or 'none'}"
        )

    known = variables or {}
    return inside(line.text)


def _numbers(where: str, slot: re.Match[str]) -> Alternatives:
    """The numbers that a slot may show."""
    form, low, high, step = slot[1], int(slot[2]), int(slot[3]), int(slot[4] or 1)
    numbers = range(low, high + 1, step)
    if not 2 <= len(numbers) <= _MOST_NUMBERS:
        raise ValueError(f"{where}: {slot[0]!r} has {len(numbers)} numbers, expected 2 to {_MOST_NUMBERS}")
    if form == "w" and high > 99:
        raise ValueError(f"{where}: {slot[0]!r} goes beyond 99; write {{n:...}} for figures")
    if where.startswith("zh"):
        spelled = [_in_chinese(number) if form == "w" else str(number) for number in numbers]
    else:
        spelled = [_in_english(number) if form == "w" else f"{number:,}" for number in numbers]
    return Alternatives("", tuple((text,) for text in spelled))


def _in_english(number: int) -> str:
    tens, ones = divmod(number, 10)
    if number <= 20:
        return _UP_TO_TWENTY[number]
    return _TENS[tens] + (f"-{_UP_TO_TWENTY[ones]}" if ones else "")


def _in_chinese(number: int) -> str:
    tens, ones = divmod(number, 10)
    if not tens:
        return _DIGITS[ones]
    return (_DIGITS[tens] if tens > 1 else "") + "十" + (_DIGITS[ones] if ones else "")


def _tokens(line: WordingLine) -> list[str]:
    """Text, {slots} and outermost [alternatives], in order."""
    tokens: list[str] = []
    text, start, index = line.text, 0, 0
    while index < len(text):
        if text[index] in "]}":
            raise ValueError(f"{line.where}: {text[index]!r} closes nothing in {text[:60]!r}")
        if text[index] not in "[{":
            index += 1
            continue
        if start < index:
            tokens.append(text[start:index])
        depth, start = 0, index
        while index < len(text):
            depth += (text[index] in "[{") - (text[index] in "]}")
            index += 1
            if depth == 0:
                break
        if depth:
            raise ValueError(f"{line.where}: a bracket stays open in {text[:60]!r}")
        tokens.append(text[start:index])
        start = index
    if start < len(text):
        tokens.append(text[start:])
    return tokens
