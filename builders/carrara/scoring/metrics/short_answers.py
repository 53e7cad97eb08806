"""Short answers: substring and exact match, token F1 (HELMET, arXiv:2410.02694), by SQuAD's normalisation made safe.

`subem` looks for an accepted name as whole words in the window of the response, and marks an echo of the prompt 0. The
accepted names are the row's `answers` and, where its facts have them, `accepted`: any one is right.

A text and a name are words: without case, width and punctuation, numbers without the commas of their thousands. A name
is found as a run of whole words, so that neither "7" in "1972" nor "1.7" in "17" counts. Words are read twice, cut at
every mark ("Paris/London") and joined over marks ("U.S.A.", "Spider-Man"), and with and without articles ("Lord of the
Rings"); digits are never joined. SQuAD takes every article away and with it names: here "A", "The" and "?!" match
nothing, "Vitamin A" keeps its A and "The Who" its article. Where one name stands inside another's ("Paris" in "Paris
Hilton"), only the longer one is named there. What must not change: names and texts pass through the same `words`; the
cost is that of the text, not of the text times the names.

The metrics that end in /paper are the published ones, defects included: a gold that normalises to nothing is in every
response, "7" is in "1972", and both the response (its first 100,000 characters) and what stands behind "Answer:" are
tried.
"""

import re
import string
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from carrara.scoring.facts import ScoredRow, facts_of, names_fact
from carrara.text.fold import APOSTROPHES, CJK, SHORTEST_WINDOW, WINDOW_PER_GOLD, is_echo

ARTICLES: Final = frozenset(("a", "an", "the"))
# What is left of a name like "The Who" must be more than one of these.
_EMPTY: Final = frozenset(
    (
        *("who", "what", "when", "where", "why", "how", "which", "that", "this", "it", "is", "one", "if", "no"),
        *("in", "on", "of", "and", "or", "to", "as", "at", "by"),
    )
)
_WORD: Final = re.compile(rf"[{CJK}]|(?:(?<![\w)\]])-(?=[0-9]))?[^\W_{CJK}]+(?:(?<=[0-9])[.,](?=[0-9])[^\W_{CJK}]+)*")
_THOUSANDS: Final = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:[^0-9,][^,]*)?")
_CJK_CHARACTER: Final = re.compile(f"[{CJK}]")
_PART: Final = re.compile("[^,]+")
# Joined over marks or not, without articles or with them.
_WAYS: Final = ((False, False), (False, True), (True, False), (True, True))
_QUALIFIER: Final = re.compile(r"\s*\([^()]*\)\s*$")
# An A inside a name that is no article: "Hepatitis A virus".
_LETTER_A: Final = re.compile(r"(?<=\S)\s+A(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, casefolded, and where it stands in the text that it was read from."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Named:
    """A name found at [start, end) of a text: the answers (by number) that it may stand for."""

    start: int
    end: int
    answers: frozenset[int]


def readable(text: str, most: int | None = None) -> str:
    """The text in NFKC with one kind of apostrophe and of minus; positions that are told are positions in this.

    With `most`, so many characters of it: before NFKC, which may make eighteen of one, and after.
    """
    return unicodedata.normalize("NFKC", text[:most].translate(APOSTROPHES)).replace("\u2212", "-")[:most]


def words(text: str, joined: bool) -> list[Word]:
    """The words of a readable text, cut at every mark, or joined over marks that stand between no white space."""
    cut = list(_cut(text))
    return _joined(cut, text) if joined else cut


class AcceptedNames:
    """The accepted names of some answers, to be looked for in texts."""

    def __init__(self, answers: Sequence[Iterable[str]]) -> None:
        # By how words are read, then by first word: how many words a name has, and the names with whose they are.
        self._ways: dict[tuple[bool, bool], dict[str, dict[int, dict[tuple[str, ...], set[int]]]]] = {
            way: defaultdict(lambda: defaultdict(lambda: defaultdict(set))) for way in _WAYS
        }
        for number, names in enumerate(answers):
            for name in names:
                for way, form in _forms(readable(name)):
                    self._ways[way][form[0]][len(form)][form].add(number)

    def found(self, text: str) -> list[Named]:
        """Every name that stands in a readable text, in order; none that lies within a longer one of other answers."""
        spans: dict[tuple[int, int], set[int]] = defaultdict(set)
        for way, run in _read(text):
            starts = self._ways[way]
            texts = [word.text for word in run]
            for at, word in enumerate(run):
                for size, forms in starts.get(word.text, {}).items():
                    if at + size <= len(run) and (numbers := forms.get(tuple(texts[at : at + size]))):
                        spans[word.start, run[at + size - 1].end] |= numbers
        return list(_longest(spans))

    def whole(self, text: str) -> frozenset[int]:
        """The answers one of whose names a readable text is, as a whole; one in brackets at its end may be left out."""
        return self._whole(text) or self._whole(_QUALIFIER.sub("", text))

    def _whole(self, text: str) -> frozenset[int]:
        numbers: set[int] = set()
        for way, form in _forms(text):
            numbers |= self._ways[way].get(form[0], {}).get(len(form), {}).get(form, set())
        return frozenset(numbers)


def _forms(name: str) -> Iterator[tuple[tuple[bool, bool], tuple[str, ...]]]:
    """The ways (joined, without articles) to read a name, each with its words; none for a name without any."""
    for joined in (False, True):
        whole = tuple(word.text for word in words(name, joined))
        first = next((at for at, word in enumerate(whole) if word not in ARTICLES), len(whole))
        bare = whole[first:]
        # One letter is part of "U.S.", where marks cut.
        if not bare or (
            not joined and len(bare) == 1 and bare[0].isascii() and bare[0].isalpha() and len(bare[0]) == 1
        ):
            continue
        if first and all(word in _EMPTY for word in bare):
            yield (joined, False), whole
            continue
        yield (joined, False), bare
        if not _LETTER_A.search(name) and bare[-1] not in ARTICLES:
            yield (joined, True), tuple(word for word in bare if word not in ARTICLES)


def _read(text: str) -> Iterator[tuple[tuple[bool, bool], list[Word]]]:
    cut = words(text, joined=False)
    for joined, run in ((False, cut), (True, _joined(cut, text))):
        yield (joined, False), run
        yield (joined, True), [word for word in run if word.text not in ARTICLES]


def _cut(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        word, start = match[0].casefold(), match.start()
        if "," not in word:
            yield Word(word, start, match.end())
        elif _THOUSANDS.fullmatch(word):
            yield Word(word.replace(",", ""), start, match.end())
        else:
            # "1953,1954": a list of years.
            parts = _PART.finditer(match[0])
            yield from (Word(part[0].casefold(), start + part.start(), start + part.end()) for part in parts)


def _joined(cut: Sequence[Word], text: str) -> list[Word]:
    made: list[Word] = []
    parts: list[Word] = []
    for word in cut:
        if parts and not _joins(parts[-1], word, text):
            made.append(_merged(parts))
            parts = []
        parts.append(word)
    return [*made, _merged(parts)] if parts else made


def _merged(parts: Sequence[Word]) -> Word:
    if len(parts) == 1:
        return parts[0]
    return Word("".join([word.text for word in parts]), parts[0].start, parts[-1].end)


def _joins(before: Word, after: Word, text: str) -> bool:
    between = text[before.end : after.start]
    if between[:1].isspace() or (before.text[-1].isdigit() and after.text[0].isdigit()):
        return False
    if not (before.text.isascii() and after.text.isascii()) and any(
        map(_CJK_CHARACTER.match, (before.text, after.text))
    ):
        # Chinese is not cut into words by marks.
        return False
    return not any(map(str.isspace, between))


def _longest(spans: dict[tuple[int, int], set[int]]) -> Iterator[Named]:
    """Of spans with their answers those that lie in no longer one, in order; one of the same answers says no more."""
    reach = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > reach:
            reach = end
            yield Named(start, end, frozenset(spans[start, end]))


# The published metrics read so much of a response; its output is limited to 64 tokens.
PAPER_READ: Final = 100_000
_PUNCTUATION: Final = re.compile(f"[{re.escape(string.punctuation)}]+")
_ARTICLE: Final = re.compile(r"\b(?:a|an|the)\b")
_ANSWER: Final = re.compile(r"answer:([^\n]*)", re.IGNORECASE)
_MARK: Final = re.compile(r"(?:^|[.?!\n])[^\w\n]{0,8}(?:final )?(?:(answer)|question)[*_]{0,2}:", re.IGNORECASE)
_DECIDED: Final = frozenset(("yes", "no", "noanswer"))


def subem(response: str, row: ScoredRow) -> float:
    """Return 1 if an accepted name stands in the window of the response, else 0.

    The window is the first max(400, 8 x length of the longest name) characters: names are alternatives, not parts. In a
    window with "Answer:" only what stands behind counts; not behind one that follows a "Question:", which is no answer.
    """
    names = accepted(row)
    longest = max(map(len, names), default=0)
    text = readable(response, max(SHORTEST_WINDOW, WINDOW_PER_GOLD * longest))
    if not any("answer" in name.lower() for name in names):
        text = _decided(text)
    return float(bool(AcceptedNames([names]).found(text)) and not is_echo(response, row))


def subem_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if an answer is a substring of the response or of what is parsed from it, all normalised; else 0."""
    return _best(response, row, lambda gold, text: float(gold in text))


def em_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if the response, or what is parsed from it, equals an answer, both normalised; else 0."""
    return _best(response, row, lambda gold, text: float(gold == text))


def f1_paper(response: str, row: ScoredRow) -> float:
    """Return the best F1 over words of the response, or of what is parsed from it, with an answer, all normalised."""
    golds = [(gold, Counter(gold.split())) for gold in map(normalised, _answers(row))]
    best = 0.0
    for text in map(normalised, readings(response)):
        words = Counter(text.split())
        best = max(best, *(_f1(gold, parts, text, words) for gold, parts in golds), 0.0)
    return best


def subem_litm_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if an answer is a substring of the response's first line, both normalised (lost in the middle)."""
    text = normalised(response[:PAPER_READ].split("\n", 1)[0].strip())
    return float(any(gold in text for gold in map(normalised, _answers(row))))


def accepted(row: ScoredRow) -> list[str]:
    """The names of which any one is right: `answers`, and `accepted` of the facts, as a list or a list of lists."""
    return [*dict.fromkeys([*_answers(row), *names_fact(facts_of(row), "accepted")])]


def normalised(text: str) -> str:
    """SQuAD's normalisation: lower case, without ASCII punctuation, without articles, single spaces."""
    return " ".join(_ARTICLE.sub(" ", _PUNCTUATION.sub("", text.lower())).split())


def parsed(response: str) -> str:
    """What stands behind the first "Answer:" to the end of its line, else the first line; one more "Answer:" goes."""
    match = _ANSWER.search(response)
    text = (match[1] if match else response.split("\n", 1)[0]).strip()
    return text[7:].strip() if text[:7].lower() == "answer:" else text


def _decided(text: str) -> str:
    start, end = 0, len(text)
    for mark in _MARK.finditer(text):
        if not mark[1]:
            # A model that goes on with the next question.
            end = mark.start() + 1
            break
        start = mark.end()
    return text[start:end]


def _best(response: str, row: ScoredRow, score: Callable[[str, str], float]) -> float:
    golds = [*dict.fromkeys(map(normalised, _answers(row)))]
    texts = [*map(normalised, readings(response))]
    return max((score(gold, text) for gold in golds for text in texts), default=0.0)


def readings(response: str) -> Iterator[str]:
    """The texts that published metrics try: the response as far as it is read, and what is parsed from it."""
    yield (read := response[:PAPER_READ])
    if (answer := parsed(read)) != read:
        yield answer


def _answers(row: ScoredRow) -> list[str]:
    return [*_flat(row["answers"])]


def _flat(names: Iterable[Any]) -> Iterator[str]:
    for name in names:
        if isinstance(name, (list, tuple)):
            yield from map(str, name)
        else:
            yield str(name)


def _f1(gold: str, parts: Counter[str], text: str, words: Counter[str]) -> float:
    if gold != text and (gold in _DECIDED or text in _DECIDED):
        return 0.0
    common = sum(min(count, words[word]) for word, count in parts.items())
    precision, recall = common / max(1, words.total()), common / max(1, parts.total())
    return 2 * precision * recall / (precision + recall) if common else 0.0
