"""LongBench's scorers as published (arXiv:2308.14508, metrics.py), defects included.

The best of several answers counts. Defects that are kept: the score of numbers is the share that is correct, so "7 of
10" gets a half; ROUGE is that of the package `rouge`, over the sets of words that two sentences share in order (a full
stop inside a number ends a sentence), with 0.999999995 for equal texts; a class that is part of the right one is not
counted, unless it stands in the list of classes behind another such. One difference: on long sentences the package
exceeds its recursion limit and gives 0, this one does not.

Chinese F1 is over words; the published scorer segments them with jieba. With jieba installed, pass `jieba.lcut` as
`cut`. Without it, words are taken from the row's facts (`words`) and answers, longest first, and every other character
is a word. 20,000 characters are read, and as many words of the sentences as fill a table of 1,200,000 cells.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from carrara.scoring.facts import ScoredRow, facts_of, texts_fact
from carrara.scoring.published.infinitebench import CHINESE_MARKS, f1

READ: Final = 20_000
CELLS: Final = 1_200_000
_NUMBER: Final = re.compile(r"\d+")
_PARAGRAPH: Final = re.compile(r"(?:Paragraph |段落)(\d+)")
_RUN: Final = re.compile("[A-Za-z0-9]+|.", re.DOTALL)
_LONGEST_WORD: Final = 16
_EPSILON: Final = 1e-8

Cut = Callable[[str], Sequence[str]]


def f1_zh(response: str, row: ScoredRow, cut: Cut | None = None) -> float:
    """Return the best F1 over Chinese words with an answer; `cut` splits a text into words."""
    answers = _answers(row)
    if cut is None:
        cut = _lexicon([*answers, *texts_fact(facts_of(row), "words")])
    said = Counter(_words(response[:READ], cut))
    return max((f1(said, Counter(_words(answer, cut))) for answer in answers), default=0.0)


def retrieval(response: str, row: ScoredRow) -> float:
    """Return the share of the response's numbers that equal the number of the answer's paragraph."""
    paragraphs = [match[1] for answer in _answers(row) if (match := _PARAGRAPH.search(answer))]
    return _share(response, paragraphs)


def classification(response: str, row: ScoredRow) -> float:
    """Return 1 divided by how many classes the response names if the right one is among them, else 0 (metrics.py).

    The classes are the fact `classes`, or the row's choices.
    """
    classes = texts_fact(facts_of(row), "classes") or [str(choice) for choice in row.get("choices") or ()]
    text = response[:READ]
    return max((_of_class(text, answer, classes) for answer in _answers(row)), default=0.0)


def classification_first_line(response: str, row: ScoredRow) -> float:
    """Return `classification` of the first line: so eval.py reads the two datasets with classes, trec and lsht."""
    return classification(response.lstrip("\n").split("\n", 1)[0], row)


def _of_class(text: str, gold: str, classes: Sequence[str]) -> float:
    named = [name for name in classes if name in text]
    # As published, which removes from the list that it walks: what follows a removed one is passed over.
    place = 0
    while place < len(named):
        if named[place] in gold and named[place] != gold:
            del named[place]
        place += 1
    return 1 / len(named) if gold in named else 0.0


def count(response: str, row: ScoredRow) -> float:
    """Return the share of the response's numbers that equal the answer, digit for digit."""
    return _share(response, _answers(row))


def rouge(response: str, row: ScoredRow) -> float:
    """Return the best F1 of the words that the sentences of an answer and of the response share in order."""
    return max((_rouge(response[:READ], answer) for answer in _answers(row)), default=0.0)


def _answers(row: ScoredRow) -> list[str]:
    return [str(answer)[:READ] for answer in row["answers"]]


def _share(response: str, golds: Sequence[str]) -> float:
    numbers = Counter(_NUMBER.findall(response[:READ]))
    return max((numbers[gold] / numbers.total() for gold in golds), default=0.0) if numbers else 0.0


def _words(text: str, cut: Cut) -> Iterator[str]:
    """The words of a text in lower case, without punctuation and white space."""
    for word in cut(text):
        plain = "".join("".join(character for character in word.lower() if character not in CHINESE_MARKS).split())
        if plain:
            yield plain


def _lexicon(words: Sequence[str]) -> Cut:
    """A splitter by known words, longest first; other text becomes characters and runs of ASCII."""
    known = {word for word in words if 1 < len(word) <= _LONGEST_WORD}
    sizes = sorted({len(word) for word in known}, reverse=True)

    def cut(text: str) -> list[str]:
        pieces, at = [], 0
        while at < len(text):
            size = next((size for size in sizes if text[at : at + size] in known), 0)
            end = at + size if size else next(_RUN.finditer(text, at)).end()
            pieces.append(text[at:end])
            at = end
        return pieces

    return cut


def _rouge(response: str, answer: str) -> float:
    said, gold = _sentences(response), _sentences(answer)
    if not said or not gold:
        return 0.0
    said = _affordable(said, CELLS // max(1, sum(map(len, gold)) + len(gold)))
    every, wanted = {word for sentence in said for word in sentence}, {word for sentence in gold for word in sentence}
    shared: set[str] = set()
    for sentence in gold:
        for other in said:
            shared |= _in_order(sentence, other)
    precision, recall = len(shared) / len(every), len(shared) / len(wanted)
    return 2 * precision * recall / (precision + recall + _EPSILON)


def _sentences(text: str) -> list[list[str]]:
    """The words of each part between full stops; a part of white space is one empty word."""
    return [" ".join(part.split()).split(" ") for part in text.split(".") if part]


def _affordable(sentences: Sequence[list[str]], most: int) -> list[list[str]]:
    kept: list[list[str]] = []
    for words in sentences:
        if most <= 1 and kept:
            break
        kept.append(words[: max(1, most - 1)])
        most -= len(words) + 1
    return kept


def _in_order(first: Sequence[str], second: Sequence[str]) -> set[str]:
    """The words of the longest common subsequence; on ties the one that backtracks in `second` first."""
    if not set(first) & set(second):
        return set()
    table = [[0] * (len(second) + 1)]
    for word in first:
        above, row = table[-1], [0]
        for index, said in enumerate(second):
            row.append(above[index] + 1 if word == said else max(above[index + 1], row[-1]))
        table.append(row)
    common, i, j = set(), len(first), len(second)
    while i and j:
        if first[i - 1] == second[j - 1]:
            common.add(first[i - 1])
            i, j = i - 1, j - 1
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return common
