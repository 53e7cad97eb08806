"""Reading sentences: names, dates and numbers become marks, and cues of `cues.txt` tell which relation is stated.

Names are known from the titles of the corpus, terms from the questions' answers; nothing is known of how passages are
written. A sentence states a relation if it holds a cue of it and a value of its kind.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, permutations
from pathlib import Path

from carrara.tables import Passage

PERSONS = ("artist", "athlete", "office_holder")
# In a marked text: the subject, another known name, a name that is no title, a day, a year, a number.
SELF, NAME, STRANGE, DATE, YEAR, NUMBER = "~", "@", "¤", "†", "‡", "#"
MARK_OF = {"strange": STRANGE, "date": DATE, "year": YEAR, "number": NUMBER}
# Passages whose sentences are kept.
_KEPT = 20_000
# Sentences and relations of which it is kept whether one holds a cue of the other.
_CUED = 200_000
# Further from a cue than any mark of a sentence.
_NEVER = 10_000
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_END = {"en": re.compile(r"(?<=[.?!]) (?=[A-Z0-9“])"), "zh": re.compile(r"(?<=[。？！])(?![”」])")}
_WORD = {"en": re.compile(r"(?<![^\W_])[A-Z][^\W\d_]*"), "zh": re.compile(r"[\u3400-\u9fff]")}
_FIGURES = {
    "en": re.compile(rf"(?P<date>\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}})|(?P<year>\b\d{{4}}\b)|(?P<number>\d[\d,]*)"),
    "zh": re.compile(r"(?P<date>\d{4}年\d+月\d+日)|(?P<year>\d{4}(?=年))|(?P<number>\d+)"),
}


@dataclass(frozen=True, slots=True)
class Cue:
    """How a relation is recognised: what its value is, the words, whether a term of the relation is a cue itself."""

    kinds: tuple[str, ...]
    words: re.Pattern[str] | None
    term: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A name or figure in a marked text: which symbol, where in the marked text, where in the passage, its spelling."""

    symbol: str
    at: int
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage: its place, as it stands, with marks, and with marks in lower case."""

    start: int
    text: str
    cased: str
    marked: str
    marks: tuple[Mark, ...]

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def names(self, name: str) -> bool:
        """Whether another entity's name stands in it."""
        return any(mark.text == name for mark in self.marks)


@cache
def cues(lang: str) -> dict[str, Cue]:
    """`class.relation` -> its cue."""
    found = {}
    for line in (Path(__file__).parent / "cues.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("# "):
            name, kinds, english, chinese = (part.strip() for part in line.split(" | ")[:4])
            words = english if lang == "en" else chinese
            term = words == "=" or words.endswith("|=")
            words = words.removesuffix("=").removesuffix("|")
            spread = " ".join(PERSONS).join(kinds.split("person")).split()
            found[name] = Cue(tuple(spread), re.compile(words) if words else None, term)
    return found


@cache
def cue(lang: str, class_: str, relation: str) -> Cue | None:
    """The cue of a relation of a class; None for a class that has no such relation."""
    table = cues(lang)
    names = (f"{class_}.{relation}", f"person.{relation}" if class_ in PERSONS else "", f"*.{relation}")
    return next((table[name] for name in names if name in table), None)


@cache
def relations(class_: str) -> tuple[str, ...]:
    """The relations of a class."""
    owners = {class_, "*", "person" if class_ in PERSONS else class_}
    return tuple(name.partition(".")[2] for name in cues("en") if name.partition(".")[0] in owners)


def class_of(passage: str) -> str:
    """The class of a passage's subject, by its id."""
    return passage.partition(":")[0]


class Sentences:
    """The marked sentences of a corpus's passages."""

    def __init__(self, lang: str, passages: Iterable[Passage], others: Iterable[str]) -> None:
        """`others`: names that are no titles: what somebody is also called, and what regions are called."""
        self.lang = lang
        self.passages: dict[str, Passage] = {}
        self.by_title: dict[str, list[Passage]] = {}
        self._first: dict[str, tuple[int, ...]] = {}
        # By their first word.
        self._strange: dict[str, set[str]] = {}
        for name in others:
            self._strange.setdefault(self._first_word(name), set()).add(name)
        self._kept: dict[str, tuple[Sentence, ...]] = {}
        self.terms: dict[tuple[str, str], set[str]] = {}
        self._patterns: dict[tuple[str, str], re.Pattern[str]] = {}
        self._cued: dict[tuple[str, str, str], bool] = {}
        for passage in passages:
            self.add(passage)
        self._naming: dict[str, list[str]] = {}
        for passage in self.passages.values():
            self._index(passage)

    def add(self, passage: Passage) -> None:
        """Take in a passage without the names in it: these can be told when all titles are known."""
        assert passage.id not in self.passages, passage.id
        self.passages[passage.id] = passage
        mine = self.by_title.setdefault(passage.title, [])
        mine.append(passage)
        if len(mine) == 1:
            first = self._first_word(passage.title)
            lengths = {*self._first.get(first, ()), len(passage.title)}
            self._first[first] = tuple(sorted(lengths, reverse=True))

    def _first_word(self, name: str) -> str:
        first = _WORD[self.lang].match(name)
        assert first, name
        return first[0]

    def _index(self, passage: Passage) -> None:
        for name in {found for _, found in self._known(passage.text)} - {passage.title}:
            self._naming.setdefault(name, []).append(passage.id)

    def also(self, passage: Passage) -> None:
        """Take in one more passage, with the names in it."""
        self.add(passage)
        self._index(passage)

    def without(self, passage: Passage) -> None:
        """Undo `also`."""
        del self.passages[passage.id]
        self.by_title[passage.title].remove(passage)
        self._kept.pop(passage.id, None)
        for name in {found for _, found in self._known(passage.text)} - {passage.title}:
            self._naming[name].remove(passage.id)

    def naming(self, name: str) -> list[str]:
        """The ids of the passages about others in which a name stands."""
        return self._naming.get(name, [])

    def _known(self, text: str) -> Iterator[tuple[int, str]]:
        at = 0
        for word in _WORD[self.lang].finditer(text):
            if word.start() < at:
                continue
            name, other = self._title(text, word), self._other(text, word)
            # "Born at Hongtingpu": in Chinese a shorter name may seem to begin with the "at" before a longer one.
            inside = _WORD["zh"].finditer(text, word.start() + 1, word.start() + len(name)) if self.lang == "zh" else ()
            if len(name) > len(other) and all(len(self._title(text, later)) <= len(name) for later in inside):
                yield word.start(), name
                at = word.start() + len(name)
            else:
                at = word.start() + len(other)

    def _title(self, text: str, word: re.Match[str]) -> str:
        """The title that begins with a word of a text; "" if none does."""
        for length in self._first.get(word[0], ()):
            name = text[word.start() : word.start() + length]
            whole = self.lang == "zh" or not text[word.start() + length :][:1].isalpha()
            if whole and name in self.by_title:
                return name
        return ""

    def _other(self, text: str, word: re.Match[str]) -> str:
        """The name, no title, that begins with a word of a text; "" if none does."""
        names = (name for name in self._strange.get(word[0], ()) if text.startswith(name, word.start()))
        return max(names, key=len, default="")

    def learn(self, class_: str, relation: str, terms: Iterable[str]) -> None:
        """Remember terms of a relation."""
        known = self.terms.setdefault((class_, relation), set())
        for term in terms:
            if term not in known:
                known.add(term)
                self._patterns.pop((class_, relation), None)
                self._cued.clear()

    def of(self, passage: str) -> tuple[Sentence, ...]:
        """The sentences of a passage."""
        if passage not in self._kept:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[passage] = tuple(self._mark(self.passages[passage]))
        return self._kept[passage]

    def _mark(self, passage: Passage) -> Iterator[Sentence]:
        names = list(self._known(passage.text))
        at = 0
        for part in _END[self.lang].split(passage.text):
            start = passage.text.index(part, at)
            at = start + len(part)
            spans = [
                (where, where + len(name), SELF if name == passage.title else NAME)
                for where, name in names
                if start <= where < at
            ]
            spans += self._other_names(passage, start, at, spans)
            spans += self._figures(passage.text, start, at, spans)
            yield self._marked(passage.text, start, at, sorted(spans))

    def _other_names(
        self, passage: Passage, start: int, end: int, taken: list[tuple[int, int, str]]
    ) -> list[tuple[int, int, str]]:
        """Names that are no titles, and in English the subject's surname."""
        found: list[tuple[int, int, str]] = []
        taken_at = {where for one, other, _ in taken for where in range(one, other)}
        surname = passage.title.rsplit(" ", 1)[-1] if self.lang == "en" and class_of(passage.id) in PERSONS else ""
        at = start
        for word in _WORD[self.lang].finditer(passage.text, start, end):
            if word.start() < at or word.start() in taken_at:
                continue
            if other := self._other(passage.text, word):
                at = word.start() + len(other)
                found.append((word.start(), at, STRANGE))
            elif word[0] == surname:
                found.append((word.start(), word.end(), SELF))
        return found

    def _figures(
        self, text: str, start: int, end: int, taken: list[tuple[int, int, str]]
    ) -> Iterator[tuple[int, int, str]]:
        for figure in _FIGURES[self.lang].finditer(text, start, end):
            assert figure.lastgroup
            till = figure.end() - (figure[0].endswith(","))
            yield figure.start(), till, MARK_OF[figure.lastgroup]

    def _marked(self, text: str, start: int, end: int, spans: list[tuple[int, int, str]]) -> Sentence:
        out, marks, at, length = [], [], start, 0
        for one, other, symbol in spans:
            out += [text[at:one], symbol]
            length += one - at + 1
            marks.append(Mark(symbol, length - 1, one, text[one:other]))
            at = other
        out.append(text[at:end])
        marked = "".join(out)
        return Sentence(start, text[start:end], marked, marked.lower(), tuple(marks))

    def fits(self, mark: Mark, kinds: tuple[str, ...]) -> bool:
        """Whether a mark may be a value of one of the kinds."""
        if mark.symbol == NAME:
            return class_of(self.by_title[mark.text][0].id) in kinds
        return any(MARK_OF.get(kind) == mark.symbol for kind in kinds)

    def terms_in(self, sentence: Sentence, class_: str, relation: str) -> set[str]:
        """The terms of a relation that stand in a sentence."""
        known = self.terms.get((class_, relation))
        if not known:
            return set()
        if (class_, relation) not in self._patterns:
            # A sentence may begin with a term; a month is never "may".
            spelled = "|".join(
                f"[{term[0]}{term[0].upper()}]{re.escape(term[1:])}" for term in sorted(known, key=len, reverse=True)
            )
            pattern = rf"(?<![\w-])(?:{spelled})(?![\w-])" if self.lang == "en" else spelled
            self._patterns[class_, relation] = re.compile(pattern)
        return {found[0].lower() for found in self._patterns[class_, relation].finditer(sentence.cased)}

    def cued(self, sentence: Sentence, class_: str, relation: str) -> bool:
        """Whether a sentence holds a cue of a relation and, for a term, one of the relation's."""
        key = sentence.marked, class_, relation
        if key not in self._cued:
            if len(self._cued) >= _CUED:
                self._cued.clear()
            self._cued[key] = self._cues(sentence, class_, relation)
        return self._cued[key]

    def _cues(self, sentence: Sentence, class_: str, relation: str) -> bool:
        found = cue(self.lang, class_, relation)
        if not found:
            return False
        if "term" in found.kinds and not self.terms_in(sentence, class_, relation):
            return False
        return found.term or bool(found.words and found.words.search(sentence.marked))

    def values(self, sentence: Sentence, class_: str, relation: str) -> set[str]:
        """The names or figures that a sentence about an entity of the class gives as the value of a relation.

        Where it holds cues of several relations with such values, each value goes to the relation whose cue is near.
        """
        found = cue(self.lang, class_, relation)
        if not found or "term" in found.kinds or not self.cued(sentence, class_, relation):
            return set()
        rivals, kinds = [relation], set(found.kinds)
        for other in relations(class_):
            rival = cue(self.lang, class_, other)
            if (
                other != relation
                and rival
                and set(rival.kinds) & set(found.kinds)
                and self.cued(sentence, class_, other)
            ):
                rivals.append(other)
                kinds |= set(rival.kinds)
        fitting = [mark for mark in sentence.marks if self.fits(mark, tuple(kinds))]
        if len(rivals) == 1 or not fitting:
            return {mark.text for mark in fitting}
        far = {one: [self._far(sentence, class_, one, mark) for mark in fitting] for one in rivals}
        if len(fitting) < len(rivals):
            return {
                mark.text
                for place, mark in enumerate(fitting)
                if far[relation][place] == min(far[one][place] for one in rivals) and far[relation][place] < _NEVER
            }
        cued = [min(self._cues_at(sentence, class_, one), default=0) for one in rivals]

        def cost(order: tuple[int, ...]) -> tuple[int, int]:
            """How far values are from their cues; where that leaves it open, they come in the order of the cues."""
            pairs = sorted(zip(cued, order, strict=True))
            crossed = sum(one[1] > other[1] for one, other in pairwise(pairs))
            return sum(far[one][place] for one, place in zip(rivals, order, strict=True)), crossed

        best = min(permutations(range(len(fitting)), len(rivals)), key=cost)
        return {fitting[best[0]].text} if far[relation][best[0]] < _NEVER else set()

    def _cues_at(self, sentence: Sentence, class_: str, relation: str) -> list[int]:
        found = cue(self.lang, class_, relation)
        return [one.start() for one in found.words.finditer(sentence.marked)] if found and found.words else []

    def _far(self, sentence: Sentence, class_: str, relation: str, mark: Mark) -> int:
        """Characters between a mark and the nearest cue of a relation; _NEVER if it cannot be its value."""
        found = cue(self.lang, class_, relation)
        assert found and found.words
        if not self.fits(mark, found.kinds):
            return _NEVER
        return min(max(one.start() - mark.at, mark.at - one.end(), 0) for one in found.words.finditer(sentence.marked))

    def states(self, sentence: Sentence, class_: str, relation: str) -> bool:
        """Whether a sentence about an entity of the class states a relation: a cue of it and a value of its kind."""
        found = cue(self.lang, class_, relation)
        if found and "term" in found.kinds:
            return self.cued(sentence, class_, relation)
        return bool(self.values(sentence, class_, relation))
