"""Selects usable questions, the gold passages of a row, and the ranked passages that cannot be negatives.

There is no accepted answer in a distractor, and no gold that is found by luck. A question is dropped as a whole and
for a reason that a card counts; nothing is mended, since an answer made smaller would mark right responses wrong.

A near-duplicate of a gold passage is no negative, whether or not it holds the answer: it says nearly the same. Two
texts are compared by shared shingles of five words, measured on 25,706 real passages (Wikipedia in 100-word windows and
in articles, NQ's gold) and on MS MARCO's hits. A window of the same article shifted by half, and another copy of the
article, share 40 shingles or more and at least half of the shorter text. Texts of one template about two subjects
(villages of a district, brothers in a dynasty) share up to 85 % of a short text but rarely 40 shingles, and they are
wanted: they are the hard negatives. So 347 of 364 pairs found in a quarter of the passages have one title; with 30
shingles 36 of 387 have two, with 0.3 of the text most are templates. A short copy is found by the second rule, 95 % of
its shingles inside the other. No two passages of the invented world share a fifth.

Must not change: reasons and thresholds decide which rows a frozen run makes.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from carrara.retrieval.answers import AnswerTable, holds, spellings
from carrara.retrieval.corpus import PassageCorpus
from carrara.tables import Question
from carrara.task import Search

SHINGLE: Final = 5
# Of the shorter text: the share and the number of shingles that a shifted window has in common, the share of a copy.
SHARED, SHINGLES, COPIED = 0.5, 40, 0.95
# Words are UTF-8: bytes are parted at punctuation four times as fast as a pattern parts letters.
_PARTED: Final = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))
_TYPOGRAPHIC: Final = tuple(mark.encode() for mark in "\u00a0\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2212")
_Shingles = set[tuple[bytes, ...]]
_RUN: Final = bytes([1] * SHINGLE)
Reason = Literal[
    "",
    "no gold",
    "yes or no",
    "short answer",
    "common answer",
    "answer in the question",
    "other hops",
    "too popular",
    "no grade of 2 or more",
    "gold not in the corpus",
]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)
# Of the corpus; in one of fewer than 1,000 passages the evidence alone may be more.
COMMON, FEW = 0.01, 10
# Characters of a spelling below which a response holds it by luck.
SHORT: Final = 3
RELEVANT: Final = 2
_YES_OR_NO: Final = {"yes", "no"}


def accepted(question: Question) -> tuple[tuple[str, ...], ...]:
    """Return the accepted names of each answer, without those that normalise to nothing (emoji, a lone article)."""
    return tuple(tuple(name for name in group if spellings(name)) for group in question.answers)


def unusable(
    question: Question,
    table: AnswerTable,
    corpus: PassageCorpus,
    search: Search,
    grades: Mapping[str, int] | None = None,
) -> Reason:
    """Return the reason for dropping a question, or "".

    `grades`, by passage id, are those of a judged question. Judged questions need a relevant passage in the corpus and
    answers that tell something. Where rows place no gold, every answer needs a name; where they do, names must tell
    something and gold passages must be there:

    - "yes or no", and "short answer": any name of fewer than three characters, or only an article. The other names do
      not help: left in, "W" or "3" is right by luck; left out, a model that says "US" is wrong.
    - "common answer": more than 1 % of the corpus holds it; "answer in the question": who copies it is right.
    - "gold not in the corpus": passages are named, but (of some hop) none is there; "no gold": none is named and none
      holds an answer, or those named do not (of several hops: none of them).
    """
    if search.popularity is not None and question.popularity >= search.popularity:
        return "too popular"
    if search.judged:
        relevant = (id_ for id_, grade in (grades or {}).items() if grade >= RELEVANT)
        if not any(corpus.number(id_) is not None for id_ in relevant):
            return "no grade of 2 or more"
        # Of a question with an answer: no worked example may hold it, and "12" would be in every one.
        return _easily_found(question, table, corpus)
    if search.hops not in (None, question.hops):
        return "other hops"
    groups = accepted(question)
    if not groups:
        return "no gold"
    if not all(groups):
        return "short answer"
    if not search.places_gold:
        return ""
    if any({name.strip(" .").lower() for name in group} <= _YES_OR_NO for group in groups):
        return "yes or no"
    if reason := _easily_found(question, table, corpus):
        return reason
    if holds(question.text, _names(question)):
        return "answer in the question"
    if golds(question, (), table, corpus, search.hops or 1):
        return ""
    missing = any(corpus.number(evidence.passage) is None for evidence in question.evidence)
    return "gold not in the corpus" if missing else "no gold"


def golds(
    question: Question, ranked: Sequence[int], table: AnswerTable, corpus: PassageCorpus, hops: int = 1
) -> tuple[int, ...]:
    """The numbers of the passages that a row places, one a hop in their order; () where there are none.

    Of one hop: the best ranked of the evidence that holds an answer, or without evidence of the whole corpus. Of two:
    the best ranked passage that states the answer, and the best ranked other one that leads there. Passages that
    `ranked` lacks come after those that it has, in the order of the evidence.
    """
    steps = _steps(question, corpus, _held(question, table), hops)
    rank = {int(number): index for index, number in enumerate(ranked)}
    chosen: list[int] = []
    # The answer's passage is chosen first: it may be one of those that lead there, but then another must.
    for numbers in reversed(steps):
        free = [number for number in numbers if number not in chosen]
        if not free:
            return ()
        chosen.append(min(free, key=lambda number: rank.get(number, len(rank))))
    return tuple(reversed(chosen))


def excluded(
    ranked: Sequence[int], golds: Sequence[int], question: Question, table: AnswerTable, corpus: PassageCorpus
) -> list[Literal["", "gold", "answer", "duplicate"]]:
    """Return for each ranked passage why it cannot be a negative, or "": it is gold, has an answer, or repeats gold.

    A passage repeats gold if it is a near-duplicate of its text, or evidence that is not placed (another passage of the
    first hop).
    """
    held, placed = set(_held(question, table)), set(golds)
    evidence = set(_numbers(question, corpus))
    texts = [passage.text for passage in corpus.take([int(number) for number in ranked])]
    near = near_duplicates([corpus.passage(number).text for number in golds], texts)
    reasons: list[Literal["", "gold", "answer", "duplicate"]] = []
    for number, same in zip(map(int, ranked), near.tolist(), strict=True):
        if number in placed:
            reasons.append("gold")
        elif number in held:
            reasons.append("answer")
        else:
            reasons.append("duplicate" if same or number in evidence else "")
    return reasons


def _easily_found(question: Question, table: AnswerTable, corpus: PassageCorpus) -> Reason:
    if any(_short(name) for group in question.answers for name in group):
        return "short answer"
    return "common answer" if len(_held(question, table)) > max(COMMON * corpus.size, FEW) else ""


def _names(question: Question) -> list[str]:
    return [name for group in question.answers for name in group]


def _held(question: Question, table: AnswerTable) -> list[int]:
    """The passages that hold an accepted name, as numbers in order."""
    numbers: list[int] = table.holding(_names(question)).tolist()
    return numbers


def _short(name: str) -> bool:
    """Whether a name, or a spelling of it, is so short that it is found by luck; emoji are never found and may stay."""
    forms = spellings(name)
    if not forms:
        return any(char.isalnum() for char in name)
    return min(map(len, forms)) < SHORT


def _numbers(question: Question, corpus: PassageCorpus) -> list[int]:
    """The passages of the evidence that the corpus has, each once, in the evidence's order."""
    numbers = (corpus.number(evidence.passage) for evidence in question.evidence)
    return list(dict.fromkeys(number for number in numbers if number is not None))


def _steps(question: Question, corpus: PassageCorpus, held: Iterable[int], hops: int) -> tuple[list[int], ...]:
    """The passages that may serve as the gold of each hop; an empty list where there is none.

    Of more than one hop, evidence that names a passage a hop is taken as it is, where one of them holds an answer.
    Else of two: evidence comes in the order of the hops, so that it is of the last from the first value on which is the
    answer; there the other side of a relation that holds both ways states something else and is left out.
    """
    answering = set(held)
    numbers = _numbers(question, corpus)
    if hops == 1:
        return ([number for number in numbers if number in answering] if question.evidence else sorted(answering),)
    if len(numbers) == hops:
        return tuple([number] for number in numbers) if answering.intersection(numbers) else ([],)
    if hops > 2:
        return ([],)
    first: list[int] = []
    last: list[int] = []
    names = _names(question)
    for evidence in question.evidence:
        number = corpus.number(evidence.passage)
        if number is None:
            continue
        if number in answering and holds(corpus.passage(number).text[evidence.start : evidence.end], names):
            last.append(number)
        elif not last:
            first.append(number)
    return first, last


def near_duplicates(gold: Sequence[str], texts: Sequence[str]) -> NDArray[np.bool_]:
    """Return for each text whether it is a near-duplicate of a gold text: shape (len(texts),).

    Compares words alone, without case and punctuation; texts of fewer than five words are duplicates if equal.
    """
    wanted = [(words, _shingles(words)) for words in map(_words, gold)]
    known = {word for words, _ in wanted for word in words}
    duplicates = np.zeros(len(texts), np.bool_)
    for index, text in enumerate(texts):
        words = _words(text)
        # Most texts have no five words of the gold's in a row: one pass settles them (a tenth of the time).
        if len(words) < SHINGLE or _RUN in bytes(map(known.__contains__, words)):
            shingles = _shingles(words)
            duplicates[index] = any(_near(words, shingles, *target) for target in wanted)
    return duplicates


def _near(words: list[bytes], shingles: _Shingles, gold_words: list[bytes], gold: _Shingles) -> bool:
    if not shingles or not gold:
        return words == gold_words
    shared, shorter = len(shingles & gold), min(len(shingles), len(gold))
    return shared >= COPIED * shorter or (shared >= SHINGLES and shared >= SHARED * shorter)


def _words(text: str) -> list[bytes]:
    line = text.casefold().encode(errors="surrogatepass")
    if not text.isascii():
        for mark in _TYPOGRAPHIC:
            line = line.replace(mark, b" ")
    return line.translate(_PARTED).split()


def _shingles(words: list[bytes]) -> _Shingles:
    return set(zip(*(words[start:] for start in range(SHINGLE)), strict=False))
