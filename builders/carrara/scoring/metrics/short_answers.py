"""Short answers: substring match, exact match and token F1 (HELMET, arXiv:2410.02694), with a safer normalisation.

`subem` looks for an accepted name as whole words in the window of the response, and scores an echo of the prompt 0. The
accepted names are the row's `answers` and the `accepted` of its facts; any one is correct.

Texts and names are compared as words, without case, width, punctuation and thousands separators. A name matches a run
of whole words: "7" is not found in "1972", nor "1.7" in "17". Words are read both cut at every mark ("Paris/London")
and joined over marks ("U.S.A.", "Spider-Man"), and both with and without articles ("Lord of the Rings"); digits are
never joined. SQuAD's normalisation removes all articles, and some names with them: here "A", "The" and "?!" match
nothing, "Vitamin A" keeps its A and "The Who" its article. Where one name contains another ("Paris Hilton", "Paris"),
only the longer one counts. Names and texts must always pass through the same `words`, and the cost must depend on the
text alone, not on the text times the names.

The metrics that end in /paper are the published ones, defects included: a gold that normalises to nothing is in every
response, "7" is in "1972", and both the response (its first 100,000 characters) and the text after "Answer:" are tried.
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
# A name like "The Who" keeps its article if only such words would be left.
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
# (joined over marks, without articles)
_WAYS: Final = ((False, False), (False, True), (True, False), (True, True))
_QUALIFIER: Final = re.compile(r"\s*\([^()]*\)\s*$")
# An A inside a name that is not an article: "Hepatitis A virus".
_LETTER_A: Final = re.compile(r"(?<=\S)\s+A(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Word:
    """A casefolded word and its span in the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Named:
    """A name at [start, end) of a text, and the indices of the answers that it may mean."""

    start: int
    end: int
    answers: frozenset[int]


def readable(text: str, most: int | None = None) -> str:
    """Return the text in NFKC with one kind of apostrophe and minus sign; spans refer to this text.

    `most` limits the characters, both before NFKC, which may turn one into eighteen, and after it.
    """
    return unicodedata.normalize("NFKC", text[:most].translate(APOSTROPHES)).replace("\u2212", "-")[:most]


def words(text: str, joined: bool) -> list[Word]:
    """Return the words of a readable text, cut at every mark, or `joined` over marks without white space."""
    cut = list(_cut(text))
    return _joined(cut, text) if joined else cut


class AcceptedNames:
    """The accepted names of a list of answers, indexed for search in texts.

    AcceptedNames([["Paris"], ["U.S.A.", "USA"]]).found("Paris, USA")  # two `Named`, of answers 0 and 1
    """

    def __init__(self, answers: Sequence[Iterable[str]]) -> None:
        # Way of reading -> first word -> number of words -> name -> indices of its answers.
        self._ways: dict[tuple[bool, bool], dict[str, dict[int, dict[tuple[str, ...], set[int]]]]] = {
            way: defaultdict(lambda: defaultdict(lambda: defaultdict(set))) for way in _WAYS
        }
        for number, names in enumerate(answers):
            for name in names:
                for way, form in _forms(readable(name)):
                    self._ways[way][form[0]][len(form)][form].add(number)

    def found(self, text: str) -> list[Named]:
        """Return the names in a readable text, in order, without those inside a longer name."""
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
        """Return the answers with a name that equals a readable text, with or without a final part in brackets."""
        return self._whole(text) or self._whole(_QUALIFIER.sub("", text))

    def _whole(self, text: str) -> frozenset[int]:
        numbers: set[int] = set()
        for way, form in _forms(text):
            numbers |= self._ways[way].get(form[0], {}).get(len(form), {}).get(form, set())
        return frozenset(numbers)


def _forms(name: str) -> Iterator[tuple[tuple[bool, bool], tuple[str, ...]]]:
    """Yield the ways (joined, without articles) to read a name, with its words; none for a name without words."""
    for joined in (False, True):
        whole = tuple(word.text for word in words(name, joined))
        first = next((at for at, word in enumerate(whole) if word not in ARTICLES), len(whole))
        bare = whole[first:]
        # A single letter would match inside "U.S.", which marks cut.
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
        # Marks do not join Chinese words.
        return False
    return not any(map(str.isspace, between))


def _longest(spans: dict[tuple[int, int], set[int]]) -> Iterator[Named]:
    """Yield the spans that lie in no longer one, in order, with their answers."""
    reach = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > reach:
            reach = end
            yield Named(start, end, frozenset(spans[start, end]))


# How much of a response the published metrics read; HELMET limits the output to 64 tokens.
PAPER_READ: Final = 100_000
_PUNCTUATION: Final = re.compile(f"[{re.escape(string.punctuation)}]+")
_ARTICLE: Final = re.compile(r"\b(?:a|an|the)\b")
_ANSWER: Final = re.compile(r"answer:([^\n]*)", re.IGNORECASE)
_MARK: Final = re.compile(r"(?:^|[.?!\n])[^\w\n]{0,8}(?:final )?(?:(answer)|question)[*_]{0,2}:", re.IGNORECASE)
_DECIDED: Final = frozenset(("yes", "no", "noanswer"))


def subem(response: str, row: ScoredRow) -> float:
    """Return 1 if an accepted name occurs in the window of the response, else 0.

    The window is the first max(400, 8 x length of the longest name) characters, since names are alternatives. In a
    window with "Answer:" only the text after the last one counts, up to the next "Question:".
    """
    names = accepted(row)
    longest = max(map(len, names), default=0)
    text = readable(response, max(SHORTEST_WINDOW, WINDOW_PER_GOLD * longest))
    if not any("answer" in name.lower() for name in names):
        text = _decided(text)
    return float(bool(AcceptedNames([names]).found(text)) and not is_echo(response, row))


def subem_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if an answer is a substring of the response or of its parsed answer, all normalised; else 0."""
    return _best(response, row, lambda gold, text: float(gold in text))


def em_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if the response or its parsed answer equals an answer, all normalised; else 0."""
    return _best(response, row, lambda gold, text: float(gold == text))


def f1_paper(response: str, row: ScoredRow) -> float:
    """Return the best word F1 of the response or its parsed answer with an answer, all normalised."""
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
    """Return all accepted names: `answers`, and `accepted` of the facts (a list or a list of lists)."""
    return [*dict.fromkeys([*_answers(row), *names_fact(facts_of(row), "accepted")])]


def normalised(text: str) -> str:
    """Normalise as SQuAD does: lower case, no ASCII punctuation, no articles, single spaces."""
    return " ".join(_ARTICLE.sub(" ", _PUNCTUATION.sub("", text.lower())).split())


def parsed(response: str) -> str:
    """Return the rest of the line after the first "Answer:", else the first line, without a second "Answer:"."""
    match = _ANSWER.search(response)
    text = (match[1] if match else response.split("\n", 1)[0]).strip()
    return text[7:].strip() if text[:7].lower() == "answer:" else text


def _decided(text: str) -> str:
    start, end = 0, len(text)
    for mark in _MARK.finditer(text):
        if not mark[1]:
            # The model goes on with another question.
            end = mark.start() + 1
            break
        start = mark.end()
    return text[start:end]


def _best(response: str, row: ScoredRow, score: Callable[[str, str], float]) -> float:
    golds = [*dict.fromkeys(map(normalised, _answers(row)))]
    texts = [*map(normalised, readings(response))]
    return max((score(gold, text) for gold in golds for text in texts), default=0.0)


def readings(response: str) -> Iterator[str]:
    """Yield the texts that the published metrics try: the response as far as it is read, and its parsed answer."""
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
