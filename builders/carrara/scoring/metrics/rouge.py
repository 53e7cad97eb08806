"""Overlap with a reference: ROUGE-L (Lin, 2004), and how much a summary tells of what is known to have happened.

`rouge_l` tells how many of a reference's words a response contains in the same order: the F1 of the longest common
subsequence of words, with the best of several references. On ASCII text it equals the library rouge-score without its
stemmer; a test compares the two. The library knows only ASCII words: here "Röntgen" is one word, equal to "Rontgen",
and so is a Chinese character. rapidfuzz finds the subsequence with bit operations; the library fills a table, which
takes 7 s for two texts of 30,000 characters. At most max(50,000, 8 x reference length) characters of a response are
read.

Right, for a short answer: the reference alone, or behind "Answer:", whatever explanation stands before or after that
line; for a summary the reference alone, or behind "Summary:" or a line that introduces it. Each word beside the
reference's costs: of a reference of n words in a sentence of m, 2n / (n + m) is left. Another text of the same make may
get 0.5 and more.

`summary_overlap` is for summaries that no model judges. What people wrote is scored by ROUGE-L. Of the invented world's
documents the key points are known, and their sentences are all of one make: by ROUGE-L the summary of another meeting
gets 0.5, one with wrong votes, sums and dates 0.8, a true one in other words 0.6. So there it is the F1 of recall (the
share of the names and numbers of each key point that a sentence of the response has, with the next two if they tell no
other; 0 below a half of all or of the names) and precision (the share of the sentences with names or numbers that speak
of such a key point). What a key point says of its names in small letters counts as one of them, for 0.98 if two thirds
of its words stand there. A sentence that joins the right names and words wrongly is taken for right: to see that, a
judge must read it.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import LCSseq

from carrara.scoring.facts import ScoredRow, facts_of, text_fact, texts_fact
from carrara.scoring.metrics.short_answers import decided, own
from carrara.scoring.responses.reading import first_line, plain
from carrara.text.fold import CJK, WINDOW_PER_GOLD, is_echo
from carrara.text.sentences import Rules

SHORTEST_READ: Final = 50_000
_WORD: Final = re.compile(f"[{CJK}]|[^\\W_{CJK}]+")
_CHARACTER: Final = re.compile(f"[{CJK}]")
_LABEL: Final = re.compile(
    r"^[^\w\n]{0,16}(?:(?:the|my|here is the|final|short) ){0,2}(?:summary|answer)[^\w\n]{0,4}(?::|$)",
    re.IGNORECASE | re.MULTILINE,
)
# As the prompt's examples begin.
_NEXT: Final = re.compile(
    r"^[^\w\n]{0,8}(?:example [0-9]{1,4}\b|request ?:|\[?here stands)", re.IGNORECASE | re.MULTILINE
)


def rouge_l(response: str, row: ScoredRow) -> float:
    """Return the best F1 over the row's `answers`, in [0, 1], of the response or of what follows its label."""
    answers = [words(str(answer)) for answer in row["answers"]]
    longest = max((len(str(answer)) for answer in row["answers"]), default=0)
    texts = [*_summaries(own(response[: max(SHORTEST_READ, WINDOW_PER_GOLD * longest)]))]
    told, is_labelled = decided(response)
    if is_labelled:
        texts += [told, first_line(told)]
    readings = [words(text) for text in dict.fromkeys(texts)]
    return max((f1(answer, said) for answer in answers for said in readings), default=0.0)


def summary_overlap(response: str, row: ScoredRow) -> float:
    """Return the F1 of the world's key points by their names and numbers; ROUGE-L where people wrote the summary.

    Takes a summary of the world's key points as 1 in prose or in a list, in any order and other words, with surnames
    alone, with what introduces and closes it. Gives about 0 to the summary of another document and to an echo of the
    prompt, and takes its share for each key point that lacks, whose names or numbers are others, or that is too much.
    """
    facts = facts_of(row)
    points = texts_fact(facts, "key_points")[:_MOST] if text_fact(facts, "key_points_from") == _WORLD else []
    if not points:
        return rouge_l(response, row)
    *_, text = _summaries(plain(response[:SHORTEST_READ]))
    told = [_told(sentence) for sentence in _sentences(text)][:_MOST]
    if not told or is_echo(response, row):
        return 0.0
    known = [_particulars(point) for point in points]
    shares = _shares(known, told)
    held = frozenset().union(*(point.all for point, share in zip(known, shares, strict=True) if share))
    # Names in small letters are seen where they are known.
    speaking = [(len(one.words & held), len(one.named | (one.words & held))) for one in told]
    speaking = [(right, count) for right, count in speaking if count > 1]
    useful = sum(2 * right >= count for right, count in speaking)
    recall = sum(shares) / len(shares)
    precision = useful / len(speaking) if speaking else 0.0
    return 2 * recall * precision / (recall + precision) if recall and precision else 0.0


def judged_answer(response: str, row: ScoredRow) -> float:
    """Return ROUGE-L where no judge graded the answer: fluency (0 or 1) x correctness (0 to 3) / 3 (`carrara judge`).

    With `/paper` behind its name the judge's rubric is HELMET's, else ours.
    """
    return rouge_l(response, row)


def judged_summary(response: str, row: ScoredRow) -> float:
    """Return `summary_overlap` where no judge read it: fluency (0 or 1) x F1 of key points and supported sentences.

    With `/paper` behind its name the judge's rubric is HELMET's, else ours.
    """
    return summary_overlap(response, row)


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


def _summaries(text: str) -> Iterator[str]:
    """The ways to read a summary: all of it, without the line that introduces it, after its last label.

    What a base model adds as the next example belongs to none.
    """
    further = _NEXT.search(text)
    if further and text[: further.start()].strip():
        text = text[: further.start()]
    yield text
    head, _, rest = text.lstrip().partition("\n")
    if head.rstrip(" *_").endswith(":") and rest.strip():
        yield rest
    for label in reversed([*_LABEL.finditer(text)]):
        if rest := text[label.end() :].strip():
            yield rest
            break


# --- key points -------------------------------------------------------------------------------------------------------

_WORLD: Final = "world"
_MOST: Final = 300
# So many sentences may tell a key point together.
_TOGETHER: Final = 3
_HALF: Final = 0.5
# A paraphrase has this share of a key point's words in small letters.
_MOST_WORDS: Final = 2 / 3
# Of what such words are worth: a key point without its last words is not whole.
_ALMOST: Final = 0.98
_TOKEN: Final = re.compile(r"[^\W\d_][^\W\d_]*(?:[’'-][^\W\d_]+)*|[0-9]+(?:,[0-9]{3})*")
_POSSESSIVE: Final = re.compile(r"[’']s$")
_SENTENCES: Final = Rules()
_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_COUNTS: Final = {
    word: str(number)
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
            *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
        )
    )
}
# Capitalised, and no name.
_NO_NAMES: Final = frozenset(
    (
        *("the", "a", "an", "in", "on", "at", "of", "by", "with", "for", "to", "from", "and", "or", "but", "as", "it"),
        *("he", "she", "they", "his", "her", "their", "this", "that", "these", "those", "there", "here", "then"),
        *("after", "before", "when", "while", "later", "finally", "also", "both", "councillor", "councilor", "summary"),
        *("motion", "council", "chronicle", "minutes", "item", "key", "event", "events", "decision", "decisions"),
    )
)
# In small letters, and nothing that a key point says.
_SAYS_NOTHING: Final = frozenset(
    (
        *("with", "from", "were", "that", "this", "have", "been", "they", "them", "their", "when", "then", "than"),
        *("what", "which", "into", "over", "back", "between", "through", "named", "came", "sum"),
    )
)
_LONG_WORD: Final = 4
# "married" and "marriage" are one word.
_STEM: Final = 5


@dataclass(frozen=True, slots=True)
class _Told:
    """The words of a sentence, without case: those that are names or numbers (`named`), and the stems of all."""

    words: frozenset[str]
    named: frozenset[str]
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Particulars:
    """What a key point has: `each` name (of a full name the last word) and number, `all` their words, other stems."""

    each: tuple[str, ...]
    all: frozenset[str]
    stems: frozenset[str]


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for start, end in _SENTENCES.spans(line):
            yield line[start:end]


def _tokens(text: str) -> Iterator[tuple[str, bool, int, int]]:
    """Each word of a text, whether it is a name or a number, and where it stands."""
    for match in _TOKEN.finditer(text):
        word = _POSSESSIVE.sub("", match[0])
        low = word.casefold()
        if word[0].isdigit():
            yield word.replace(",", "").lstrip("0") or "0", True, match.start(), match.end()
        elif low in _COUNTS:
            yield _COUNTS[low], True, match.start(), match.end()
        else:
            is_name = word[0].isupper() and low not in _NO_NAMES
            yield low, is_name, match.start(), match.end()


def _told(sentence: str) -> _Told:
    tokens = [(word, is_named) for word, is_named, _, _ in _tokens(sentence)]
    if sentence.isupper():
        # Nothing tells its names from its other words.
        tokens = [(word, word[0].isdigit()) for word, _ in tokens]
    return _Told(
        frozenset(word for word, _ in tokens),
        frozenset(word for word, is_named in tokens if is_named),
        frozenset(word[:_STEM] for word, _ in tokens),
    )


def _particulars(point: str) -> _Particulars:
    each: list[str] = []
    every: set[str] = set()
    stems: set[str] = set()
    last = -1
    for word, is_named, start, end in _tokens(point):
        if not is_named:
            if len(word) >= _LONG_WORD and word not in _SAYS_NOTHING:
                stems.add(word[:_STEM])
            continue
        every.add(word)
        if word[0].isalpha() and last >= 0 and point[last:start] == " " and each[-1][0].isalpha():
            # Of a full name the last word is enough.
            each[-1] = word
        else:
            each.append(word)
        last = end
    return _Particulars(tuple(each), frozenset(every), frozenset(stems if len(stems) > 1 else ()))


def _shares(known: Sequence[_Particulars], told: Sequence[_Told]) -> list[float]:
    """The share of each key point's particulars that a sentence has, with the next ones that tell no other key point.

    0 below a half.
    """
    alone = [[_share(point, sentence.words, sentence.stems) for sentence in told] for point in known]
    owners = []
    for place in range(len(told)):
        best = max(range(len(known)), key=lambda number: alone[number][place])
        owners.append(best if alone[best][place] >= _HALF else None)
    shares = []
    for number, point in enumerate(known):
        share = max(alone[number])
        for start, sentence in enumerate(told):
            # What tells another key point lends this one no names: a torn sentence behind it would be whole.
            if owners[start] not in (None, number):
                continue
            words, stems = sentence.words, sentence.stems
            for place in range(start + 1, min(start + _TOGETHER, len(told))):
                if owners[place] not in (None, number):
                    break
                words, stems = words | told[place].words, stems | told[place].stems
                share = max(share, _share(point, words, stems))
        shares.append(share if share >= _HALF else 0.0)
    return shares


def _share(point: _Particulars, words: frozenset[str], stems: frozenset[str]) -> float:
    """The share of a key point's particulars; 0 without half of its names, whatever numbers agree."""
    names = [word for word in point.each if word[0].isalpha() and word not in _MONTHS]
    if 2 * sum(word in words for word in names) < len(names):
        return 0.0
    found: float = sum(word in words or _number_of(word) in words for word in point.each)
    count = len(point.each)
    if point.stems:
        part = len(point.stems & stems) / len(point.stems)
        found += 1 if part == 1 else max(part, _ALMOST) if part >= _MOST_WORDS else part
        count += 1
    return found / count if count else 0.0


def _number_of(word: str) -> str:
    """The number of a month; any other word as it is."""
    return str(_MONTHS.index(word) + 1) if word in _MONTHS else word
