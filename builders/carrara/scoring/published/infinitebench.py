"""InfiniteBench's scorers as published (arXiv:2402.13718, compute_scores.py), defects included.

The first number or letter counts, whatever follows; words are split at ten punctuation marks and white space; a name in
a dialogue is one word in capitals; in Chinese every character is a word, a letter or digit too. An empty response, on
which the published choice raises, scores 0.

`choice_helmet_paper` is choice as HELMET publishes it (infbench_choice), defects included: exact match after SQuAD's
normalisation. The response, or the text after "Answer:", must equal the letter or "B. text" without articles and
punctuation, so that "the" is correct if the answer is A, whose letter is an article; "b. text" anywhere in the response
is correct too. The corrected metric is `choice`.

All of them read the first 100,000 characters.
"""

import re
import string
from collections import Counter
from typing import Final

from carrara.scoring.facts import ScoredRow, first_answer
from carrara.scoring.metrics.short_answers import PAPER_READ, normalised, readings


def choice_helmet_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if the response is the letter of `answers[0]` or contains its option, as published; else 0."""
    letter, choices = first_answer(row), list(row.get("choices") or ())
    number = ord(letter) - ord("A") if len(letter) == 1 else len(choices)
    option = f"{letter}. {choices[number]}" if 0 <= number < len(choices) else letter
    golds = {normalised(letter), normalised(option)}
    if any(normalised(text) in golds for text in readings(response)):
        return 1.0
    return float(option != letter and option.lower() in response[:PAPER_READ].lower())


_NUMBER: Final = re.compile("[0-9]+")
_MARKS: Final = str.maketrans(dict.fromkeys("\n:\"'.,?!{}", " "))
# The published choice splits at all of these except the colon, which its prefixes contain.
_CHOICE_MARKS: Final = str.maketrans(dict.fromkeys("\n\"'.,?!{}", " "))
_SPACES: Final = re.compile(" {2,}")
_PREFIXES: Final = ("answer is:", "answer:", "answer is", "option is")
_LETTERS: Final = "ABCD"
# ASCII and Chinese punctuation as InfiniteBench and LongBench remove it: 《 is not among it.
CHINESE_MARKS: Final = frozenset(
    f"{string.punctuation}！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃"
    "》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏"
)


def passkey(response: str, row: ScoredRow) -> float:
    """Return 1 if the first number equals the answer, digit for digit."""
    match = _NUMBER.search(response[:PAPER_READ])
    return float(match is not None and match[0] == first_answer(row))


def kv_retrieval(response: str, row: ScoredRow) -> float:
    """Return 1 if the answer is a word of the response."""
    return float(first_answer(row) in response[:PAPER_READ].translate(_MARKS).split())


def dialogue(response: str, row: ScoredRow) -> float:
    """Return 1 if the first answer is a word of the response in capitals; an answer of two words never is."""
    return float(first_answer(row) in response[:PAPER_READ].translate(_MARKS).upper().split())


def choice(response: str, row: ScoredRow) -> float:
    """Return 1 if the first character, what follows "answer is", or the first letter alone names the option."""
    text, letter = response[:PAPER_READ], first_answer(row)
    choices = [str(option) for option in row.get("choices") or ()]
    number = ord(letter) - ord("A") if len(letter) == 1 else len(choices)
    labels = [*choices[number : number + 1], letter] if number >= 0 else [letter]
    if text[:1] and text[0] in _LETTERS:
        return float(text[0] in labels)
    text = _SPACES.sub(" ", text.translate(_CHOICE_MARKS))
    for prefix in _PREFIXES:
        if (at := text.find(prefix)) >= 0:
            # As published, one more character is skipped, normally a space.
            return float(text[at + len(prefix) + 1 :].startswith(tuple(labels)) and len(text) > at + len(prefix))
    return float(next((word in labels for word in text.split() if word in _LETTERS), False))


def qa(response: str, row: ScoredRow) -> float:
    """Return the best word F1 with an answer, after SQuAD's normalisation."""
    said = Counter(normalised(response[:PAPER_READ]).split())
    return max((f1(said, Counter(normalised(str(answer)).split())) for answer in row["answers"]), default=0.0)


def qa_zh(response: str, row: ScoredRow) -> float:
    """Return the best F1 over characters with an answer, without punctuation and white space (longbook_qa_chn)."""
    said = _characters(response[:PAPER_READ])
    return max((f1(said, _characters(str(answer))) for answer in row["answers"]), default=0.0)


def _characters(text: str) -> Counter[str]:
    return Counter(
        character for character in text.lower() if character not in CHINESE_MARKS and not character.isspace()
    )


def f1(said: Counter[str], gold: Counter[str]) -> float:
    """Return the F1 of two bags of words; 0 if they share none."""
    common = sum(min(count, said[word]) for word, count in gold.items())
    precision, recall = common / max(1, said.total()), common / max(1, gold.total())
    return 2 * precision * recall / (precision + recall) if common else 0.0
