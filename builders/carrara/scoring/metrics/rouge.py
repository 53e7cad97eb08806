"""ROUGE-L: how many of a reference's words a response contains in the same order (Lin, 2004).

The score is the F1 of the longest common subsequence of words, with the best of several references. On ASCII text it
equals the library rouge-score without its stemmer; a test compares the two. The library knows only ASCII words: here
"Röntgen" is one word, equal to "Rontgen", and so is a Chinese character. rapidfuzz finds the subsequence with bit
operations; the library fills a table, which takes 7 s for two texts of 30,000 characters. At most
max(50,000, 8 x reference length) characters of a response are read.

Right, for a short answer: the reference alone, or behind "Answer:", whatever explanation stands before or after that
line. Each word beside the reference's costs: of a reference of n words in a sentence of m, 2n / (n + m) is left.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from rapidfuzz.distance import LCSseq

from carrara.scoring.facts import ScoredRow
from carrara.scoring.metrics.short_answers import decided, own
from carrara.scoring.responses.reading import first_line
from carrara.text.fold import CJK, WINDOW_PER_GOLD

SHORTEST_READ: Final = 50_000
_WORD: Final = re.compile(f"[{CJK}]|[^\\W_{CJK}]+")
_CHARACTER: Final = re.compile(f"[{CJK}]")


def rouge_l(response: str, row: ScoredRow) -> float:
    """Return the best F1 over the row's `answers`, in [0, 1], of the response or of what follows its "Answer:"."""
    answers = [words(str(answer)) for answer in row["answers"]]
    longest = max((len(str(answer)) for answer in row["answers"]), default=0)
    texts = [own(response[: max(SHORTEST_READ, WINDOW_PER_GOLD * longest)])]
    told, is_labelled = decided(response)
    if is_labelled:
        texts += [told, first_line(told)]
    readings = [words(text) for text in dict.fromkeys(texts)]
    return max((f1(answer, said) for answer in answers for said in readings), default=0.0)


def words(text: str) -> list[str]:
    """Return the words: runs of letters and digits without case and accents, or single Chinese characters."""
    # Character by character: normalising a long run of combining marks at once takes quadratic time.
    strange = {
        ord(character): _plain(character)
        for character in set(text)
        if not character.isascii() and not _CHARACTER.match(character)
    }
    return _WORD.findall(text.translate(strange).lower() if strange else text.lower())


def f1(reference: Sequence[str], said: Sequence[str]) -> float:
    """Return the F1 of the longest common subsequence of two lists of words."""
    if not reference or not said:
        return 0.0
    common = LCSseq.similarity(reference, said)
    return 2 * common / (len(reference) + len(said))


def _plain(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", character.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
