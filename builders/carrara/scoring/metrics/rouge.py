"""ROUGE-L: how much of a reference's words a response holds in their order (Lin, 2004).

F1 of precision and recall of the longest common subsequence of words; of several references the best one counts. On
ASCII text it is what the field's library (rouge-score) gives without its stemmer, under which a cut word is the whole
one; a test compares the two. The library's words are of ASCII alone: here "Röntgen" is one word, the same as
"Rontgen", and a Chinese character is one. The subsequence is found by rapidfuzz, bit by bit: the library fills a table,
7 s for two texts of 30,000 characters. Of a response at most max(50,000, 8 x reference length) characters are read.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from rapidfuzz.distance import LCSseq

from carrara.scoring.facts import ScoredRow
from carrara.text.fold import CJK, WINDOW_PER_GOLD

SHORTEST_READ: Final = 50_000
_WORD: Final = re.compile(f"[{CJK}]|[^\\W_{CJK}]+")
_CHARACTER: Final = re.compile(f"[{CJK}]")


def rouge_l(response: str, row: ScoredRow) -> float:
    """The best F1 over the row's `answers`, in [0, 1]."""
    answers = [str(answer) for answer in row["answers"]]
    said = words(response[: max(SHORTEST_READ, WINDOW_PER_GOLD * max(map(len, answers), default=0))])
    return max((f1(words(answer), said) for answer in answers), default=0.0)


def words(text: str) -> list[str]:
    """The words that ROUGE compares: runs of letters and digits without case and accents, or one Chinese character."""
    # Character by character: to normalise a long run of combining marks as a whole takes quadratic time.
    strange = {
        ord(character): _plain(character)
        for character in set(text)
        if not character.isascii() and not _CHARACTER.match(character)
    }
    return _WORD.findall(text.translate(strange).lower() if strange else text.lower())


def f1(reference: Sequence[str], said: Sequence[str]) -> float:
    """F1 of the longest common subsequence of two lists of words."""
    if not reference or not said:
        return 0.0
    common = LCSseq.similarity(reference, said)
    return 2 * common / (len(reference) + len(said))


def _plain(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", character.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
