"""Short answers: substring match, exact match and token F1 (HELMET, arXiv:2410.02694), with a safer normalisation.

`subem` looks for an accepted name as whole words in what the response decides on. The accepted names are the row's
`answers` and the `accepted` of its facts; any one is correct.

Right: the name alone, in a sentence, in bold, in JSON, after "Answer:" wherever that stands (an explanation of any
length may come first), with a remark behind it. A date in any order ("20th of July, 1796", "1796-07-20"), a number with
or without separators ("1,264,194", "1 264 194"), up to twelve in words, with its unit written in full or short, and,
where it is the whole answer, without it; "&" or "and", "Ltd." or "Limited", "Co." or "Company".
Wrong: another name, part of a name, a name that is denied ("not X", "X is wrong"), two candidates ("X or Y", "X/Y", "X
and Y" as the whole answer), one name of a person in the name of another, a list of names of which one is right, an echo
of the prompt. "Paris, France" is right where the prompt speaks of both together, or not of the second.

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
from functools import lru_cache
from typing import Any, Final, NamedTuple

from carrara.scoring.facts import ScoredRow, facts_of, names_fact
from carrara.scoring.metrics.spellings import UNITS, number_of, ways
from carrara.scoring.responses.reading import answer, first_line, plain
from carrara.text.fold import APOSTROPHES, CJK, SHORTEST_WINDOW, WINDOW_PER_GOLD, is_echo

ARTICLES: Final = frozenset(("a", "an", "the"))
# A name like "The Who" keeps its article if only such words would be left.
_EMPTY: Final = frozenset(
    (
        *("who", "what", "when", "where", "why", "how", "which", "that", "this", "it", "is", "one", "if", "no"),
        *("in", "on", "of", "and", "or", "to", "as", "at", "by"),
    )
)
_WORD: Final = re.compile(rf"&|[{CJK}]|(?:(?<![\w)\]])-(?=[0-9]))?[^\W_{CJK}]+(?:(?<=[0-9])[.,](?=[0-9])[^\W_{CJK}]+)*")
_THOUSANDS: Final = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:[^0-9,][^,]*)?")
_CJK_CHARACTER: Final = re.compile(f"[{CJK}]")
_PART: Final = re.compile("[^,]+")
# Words that say the same; by whole words, so that "Co-op" stays.
_SAME: Final = {
    **{"ltd": "limited", "co": "company", "inc": "incorporated", "corp": "corporation", "bros": "brothers"},
    **{"st": "saint", "mt": "mount", "dr": "doctor", "jr": "junior", "sr": "senior"},
}
_AND: Final = "and"
# (joined over marks, without articles)
_WAYS: Final = ((False, False), (False, True), (True, False), (True, True))
_QUALIFIER: Final = re.compile(r"\s*\([^()]*\)\s*$")
# An A inside a name that is not an article: "Hepatitis A virus".
_LETTER_A: Final = re.compile(r"(?<=\S)\s+A(?:\s|$)")


class Word(NamedTuple):
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
            texts = [_SAME.get(word.text, word.text) for word in run]
            if starts.keys().isdisjoint(texts):
                continue
            for at, word in enumerate(run):
                for size, forms in starts.get(texts[at], {}).items():
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
        whole = tuple(_SAME.get(word.text, word.text) for word in words(name, joined))
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
        if word == "&":
            yield Word(_AND, start, match.end())
        elif "," not in word:
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
    # "AT&T" is "att" as well.
    texts = [word.text for word in parts if word.text != _AND or word.end - word.start > 1]
    return Word("".join(texts), parts[0].start, parts[-1].end)


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
_DECIDED: Final = frozenset(("yes", "no", "noanswer"))


def subem(response: str, row: ScoredRow) -> float:
    """Return 1 if the response decides on an accepted name, else 0.

    What it decides on is the line after the last "Answer:". Without one it is the window of the response, the first
    max(400, 8 x length of the longest name) characters, since names are alternatives, and its last line.
    """
    names = tuple(accepted(row))
    text = _decision(response, names, row)
    return float(bool(text) and _states(text, names, row) and not is_echo(response, row))


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


# --- what a response decides on ---------------------------------------------------------------------------------------

# A response is read this far from its beginning and from its end.
READ: Final = 50_000
# A base model goes on with a question of its own.
_FURTHER: Final = re.compile(r"^[^\w\n]{0,8}(?:question[ \d]{0,4}:|example \d{1,4}\b)", re.IGNORECASE | re.MULTILINE)


def own(text: str) -> str:
    """Return a text without a question behind an answer, and all that follows: a base model's own."""
    further = (match.start() for match in _FURTHER.finditer(text) if text[: match.start()].strip())
    return text[: next(further, len(text))]


def decided(response: str) -> tuple[str, bool]:
    """Return what a response says, as `plain` writes it, and False; what follows its last "Answer:", and True."""
    # Twice: NFKC may turn one character into eighteen.
    text = own(_ends(plain(_ends(response))))
    told = answer(text)
    return (text, False) if told is None else (told, True)


def _ends(text: str) -> str:
    return text if len(text) <= 2 * READ else f"{text[:READ]}\n{text[-READ:]}"


def _decision(response: str, names: Sequence[str], row: ScoredRow) -> str:
    """The lines on which a response decides, in NFKC with one kind of apostrophe."""
    most = max(SHORTEST_WINDOW, WINDOW_PER_GOLD * max(map(len, names), default=0))
    if any("answer" in name.lower() for name in names):
        return _signs(plain(response[:most]))
    text, is_labelled = decided(response)
    lines = [line for line in text.splitlines() if any(map(str.isalnum, line))]
    if is_labelled and not (len(lines) > 1 and all(map(_BULLET.match, lines[:2]))):
        # What is behind the line of the answer explains it.
        led = lines[0].rstrip().endswith(":") if len(lines) > 1 else False
        text = "\n".join(lines[: 1 + led])[:most]
        reason = _REASON.search(text)
        # What is behind a name, too: "Kemmering, because Varn is younger".
        return _signs(text[: reason.start()] if reason and _is_bare(text[: reason.start()]) else text)
    for concluded in _CONCLUSION.finditer(text):
        line = text[concluded.end() : concluded.end() + most].partition("\n")[0].strip()
        # A last sentence of a few words, too: "So it is bread."
        is_last = text[concluded.end() :].strip() == line and len(line.split()) <= _SHORT_ITEM
        if _is_bare(line) or (is_last and line.split()[0].lower() not in _NO_NAMES | _SMALL_WORDS):
            return _signs(line)
    last = lines[-1] if lines and len(text) > most >= len(lines[-1]) else ""
    return _signs(f"{text[:most]}\n{last}")


_REASON: Final = re.compile(r",? (?:because|since|which|who|as|while|although|though|but)\b|;", re.IGNORECASE)
_CONCLUSION: Final = re.compile(
    r"(?:^|[.!?] )(?:so|thus|hence|therefore),? (?:it|that|this) (?:is|was|must be|has to be) ",
    re.IGNORECASE | re.MULTILINE,
)


def _signs(text: str) -> str:
    """A text in the signs in which names are compared."""
    return _PERCENT.sub(" percent ", readable(text))


_PERCENT: Final = re.compile(r"(?<=\d) ?%")
# What stands before a name that is denied, and behind one; `_PARTICLE` may stand between.
_PARTICLE: Final = (
    r"(?:(?:the|an?|in|on|at|by|to|from|of|as|called|named|really|actually|was|is|be)[ \n]){0,3}[\"'(\[]{0,3}$"
)
DENIED: Final = re.compile(
    r"(?:\b(?:not|never|neither|nor|rather than|instead of|unlike|except(?: for)?|no longer)|n't)[ \n]"
    rf"{_PARTICLE}|(?:不是|并非|而非|不在)$",
    re.IGNORECASE,
)
_REJECTED: Final = re.compile(
    r"[\"')\]]{0,3} (?:is|was|are|were|would be|seems) (?:clearly |certainly )?"
    r"(?:wrong|incorrect|false|not (?:right|correct|true|it\b|the (?:right |correct )?answer))",
    re.IGNORECASE,
)
# Another candidate before a name, and behind one.
_OR_BEFORE: Final = re.compile(
    r"(?:\b(?:or|vs\.?|versus)[ \n](?:(?:maybe|perhaps|possibly|else|even|rather) )?"
    + _PARTICLE
    + r"|(?<=[^\W\d_])/ ?$"
    r"|\w / ?$|(?:或者?|还是)$)",
    re.IGNORECASE,
)
_OR_BEHIND: Final = re.compile(
    r"[\"')\]]{0,3}(?: \([^()\n]{0,80}\))?,?(?: (?:or|vs\.?|versus)\b"
    r"(?! (?:so|more|less|thereabouts|earlier|later|about|nearly|around)\b)| ?/ ?(?=\w)|或|还是)[ \n]{0,2}",
    re.IGNORECASE,
)
_ALSO: Final = re.compile(
    r"\b(?:(?:could|might|may) (?:also|just as well|equally)|alternatively|another (?:possibility|candidate|option))\b",
    re.IGNORECASE,
)
# As much as the patterns above may need.
_NEAR: Final = 120


def _states(text: str, names: tuple[str, ...], row: ScoredRow) -> bool:
    """Tell whether a text states an accepted name: not denied, and as the only candidate."""
    found = _index(names).found(text)
    kept = [
        one
        for one in found
        if not _is_denied(text, one) and not _has_rival(text, one, found) and not _is_of_another(text, one, names)
    ]
    if not kept or _ALSO.search(text):
        numbers = tuple(filter(None, (number_of(_signs(name).strip()) for name in names)))
        line = _LEAD.sub("", first_line(text).strip(" .!"), count=1)
        return bool(numbers and not found and _index(numbers).whole(line))
    return not _lists(text, found, row)


@lru_cache(maxsize=1_024)
def _index(names: tuple[str, ...]) -> AcceptedNames:
    plain_names = [_signs(plain(name)).strip() for name in names]
    return AcceptedNames([[form for name in plain_names for form in (name, *ways(name))]])


def _is_denied(text: str, one: Named) -> bool:
    return bool(DENIED.search(text[max(0, one.start - _NEAR) : one.start]) or _REJECTED.match(text, one.end))


# Words that stand with a capital before a name and are no part of it.
_NO_NAMES: Final = frozenset(
    (
        *("mr", "mrs", "ms", "miss", "dr", "sir", "lady", "lord", "councillor", "mayor", "captain", "king", "queen"),
        *("president", "professor", "saint", "father", "mother", "brother", "sister", "uncle", "aunt", "old", "young"),
        *("answer", "so", "then", "thus", "yes", "here", "it", "that", "this", "by", "for", "from", "with", "as"),
        *("was", "is", "but", "since", "because", "when", "while", "where", "who", "what", "passage", "document"),
    )
)


def _is_of_another(text: str, one: Named, names: Sequence[str]) -> bool:
    """Tell whether one word of a longer accepted name stands in the name of another: "Bo Oskel" for "Ann Oskel"."""
    word = text[one.start : one.end]
    longer = [set(name.split()) for name in names if " " in name and word in name.split()]
    if not longer:
        return False
    start = text.rfind("\n", 0, one.start) + 1
    before = re.search(r"(?:[A-Z][\w'-]* )*$", text[max(start, one.start - _NEAR) : one.start])
    behind = re.match(r"(?: [A-Z][\w'-]*)*", text[one.end : one.end + _NEAR])
    run = f"{before[0] if before else ''}{word}{behind[0] if behind else ''}".split()
    known = set().union(*(name.split() for name in names))
    others = [
        each for each in run if each not in known and each.lower().removesuffix("'s") not in _NO_NAMES | _SMALL_WORDS
    ]
    return bool(others) and not any(parts <= set(run) for parts in longer)


def _has_rival(text: str, one: Named, found: Sequence[Named]) -> bool:
    behind = _OR_BEHIND.match(text, one.end)
    if behind and not any(other.start - behind.end() in range(6) for other in found):
        return True
    before = _OR_BEFORE.search(text, max(0, one.start - _NEAR), one.start)
    return before is not None and not any(before.start() - other.end in range(4) for other in found)


# A list of names: a line with a mark, or lines and items that hold nothing but a name.
_BULLET: Final = re.compile(r"\s*(?:[-*+\u2022\u00b7]|\(?\d{1,3}[.)])\s+\S")
_REMARK: Final = re.compile(r"\([^()\n]{0,200}\)|\[[^\[\]\n]{0,200}\]")
_SOURCE: Final = re.compile(r"(?:passage|document|source|title|paragraph|text|chapter|section)s?\b", re.IGNORECASE)
_LEAD: Final = re.compile(
    r"\A(?:(?:it|this|that|they|he|she|these|those|(?:the )?(?:\w+ )?(?:answers?|names?|candidates?)) "
    r"(?:is|was|are|were|include)|both|either|in|on|at|by)[ :]\s*",
    re.IGNORECASE,
)
# Words in lower case, or beside a date, that make no further name.
_SMALL_WORDS: Final = frozenset(
    (
        *("a", "an", "and", "at", "de", "der", "di", "du", "in", "la", "le", "of", "on", "the", "to", "van", "von"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        *(word for units in UNITS for unit in units for word in unit.split()),
    )
)
_EDGES: Final = " .,;!\"'()[]"
# A line with a mark is an item of a list, if it is as short as this, in words.
_SHORT_ITEM: Final = 4
_LONG_NAME: Final = 6
_PAIR: Final = 2
_REMARKS: Final = frozenset(("near", "which", "not", "and", "or", "born", "located", "founded", "called", "according"))
_DASHES: Final = " -\u2013\u2014"
_HIDDEN: Final = "\0"
_JOINED: Final = re.compile(r"\band\b|&")
# Names that a prompt speaks of together stand within so many characters.
_TOGETHER: Final = 200
_PLACES: Final = 20
_ITEM: Final = re.compile(r"\s*(?:[;\n]|,(?!\d)|\band\b|&)\s*")


def _lists(text: str, found: Sequence[Named], row: ScoredRow) -> bool:
    """Tell whether a text is a list of names of which not all are accepted."""
    # Accepted names are hidden: a comma in one does not part it.
    ends = (0, *(one.end for one in found))
    starts = (*(one.start for one in found), len(text))
    hidden = _HIDDEN.join(text[end:start] for end, start in zip(ends, starts, strict=True))
    lines = [line for line in hidden.splitlines() if not all(map(_is_small, line.split()))]
    if len(lines) > 1:
        bare = [_HIDDEN in line for line in lines if _is_bare(line) or _is_short_item(line)]
        return any(bare) and not all(bare)
    line = _LEAD.sub("", _REMARK.sub(" ", "".join(lines)).strip(" .!\"'"), count=1)
    parts = [part for part in map(str.strip, _ITEM.split(line)) if part]
    given = [part for part in parts if _HIDDEN in part and part.strip(_HIDDEN).strip().lower() in ("", *ARTICLES)]
    if given and len(parts) - len(given) >= _PAIR and all(map(_is_candidate, parts)):
        return True
    others = [part.replace(_HIDDEN, " ").strip(_DASHES) for part in parts]
    others = [part for part in others if not all(map(_is_small, part.split()))]
    if not others or not _is_bare(line):
        return False
    if any(part[:1].isdigit() for part in others) or _JOINED.search(line) or len(others) > _PAIR:
        return True
    # "Paris, France" is one place; a name before the right one is another candidate.
    if (before := line.partition(_HIDDEN)[0]).strip(" ,;"):
        return any(mark in before for mark in ",;")
    prompt = str(row.get("prompt") or "")
    return others[0] in prompt and not _is_near(prompt, text[found[0].start : found[0].end], others[0])


def _is_near(prompt: str, name: str, other: str) -> bool:
    """Tell whether a prompt speaks of two names together, at one of the first places of the one."""
    at = -1
    for _ in range(_PLACES):
        if (at := prompt.find(name, at + 1)) < 0:
            return False
        if other in prompt[max(0, at - _TOGETHER) : at + len(name) + _TOGETHER]:
            return True
    return False


def _is_bare(line: str) -> bool:
    """Tell whether a line holds names or numbers alone."""
    if ":" in line or _SOURCE.match(line):
        return False
    words_ = re.split(r"[\s,]+", line)
    return all(
        _is_small(word) or not word.strip(_EDGES)[:1].islower() or any(map(str.isdigit, word)) for word in words_
    )


def _is_candidate(part: str) -> bool:
    """Tell whether a part of a line is short and begins as a name or a number does: no remark as "in the north"."""
    first, *others = part.split()
    return len(others) < _LONG_NAME and (first == "the" or first not in _NO_NAMES | _SMALL_WORDS | _REMARKS)


def _is_short_item(line: str) -> bool:
    return bool(_BULLET.match(line)) and len(line.split()) <= 1 + _SHORT_ITEM and ":" not in line


def _is_small(word: str) -> bool:
    """Tell whether a word is no part of a name: an article, a unit, a sign."""
    letters = "".join(filter(str.isalnum, word)).lower()
    return _HIDDEN not in word and (not letters or letters in _SMALL_WORDS)


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
