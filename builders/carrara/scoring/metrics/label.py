"""Label: the class number that a response gives (HELMET, arXiv:2410.02694, in-context learning).

The first of these that a response has decides:

1. `\\boxed{57}`, the last one;
2. lines of the requested form: "label: 57", "The answer is 57", also bold or as JSON, or a number alone. Those that the
   response begins with, unless it then corrects itself ("Wait, ..."): what follows is a model that goes on as the
   prompt does. Else those that it ends with: what stands before is thought aloud, and may quote examples;
3. "answer" in JSON;
4. a conclusion in a sentence, the last one: "so it belongs to class 57", "I would go with 57", "the label must be 57";
5. the last sentence that has a number, without what it sets apart ("unlike label 12").

A form that gives two labels ("label: 57 or 58", two lines one below the other) gives none. The last 65,536 characters
are read, in linear time. A label has no name in the prompt, so a name is no answer, even that of the right class.
`label/paper` is the published reader: the text after the first "label:" on its line (else the first line) must be the
number, apart from punctuation.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from carrara.scoring.facts import ScoredRow, first_answer
from carrara.scoring.metrics.short_answers import PAPER_READ, normalised
from carrara.scoring.responses.reading import answer, boxed, plain
from carrara.text.fold import is_echo

READ: Final = 1 << 16
_NUMBER: Final = r"(?<![\w.,-])(-?[0-9]{1,9})(?![\w]|[.,][0-9])"
_KIND: Final = r"(?:labels?|answer|class|category|kind|type|group|prediction|number)(?: (?:number|no\.?|id)| ?#)?"
_QUOTES: Final = "[\"'“”‘’(\\[#]{0,4}"
_IS: Final = r"(?:[-=]>|[:=→]|(?:is|was|are|must be|should be|would be|will be)\b ?:?)"
_NAMED: Final = rf"(?:(?:the )?{_KIND} ?:? ?)?{_QUOTES}{_NUMBER}"
_OF_TEXT: Final = (
    r"(?: (?:of|for|to) (?:the|this|that) (?:(?:last|final|given|new) )?(?:text|one|query|message|question|utterance))?"
)
_LINE: Final = re.compile(
    rf"[^\w\n]{{0,16}}(?:(?:(?:so|thus|hence|therefore|the|my|final|correct|right|best|predicted),? ){{0,4}}"
    rf"{_KIND}{_OF_TEXT}[\"'”’]{{0,4}} ?(?P<is>{_IS})?\s{{0,4}}{_NAMED}(?P<rest>[^\n]*)"
    rf"|{_NUMBER}[^\w\n]{{0,16}})\Z",
    re.IGNORECASE,
)
_ALONE: Final = re.compile(rf"(?:{_KIND} ?{_IS}? ?)?{_QUOTES}{_NUMBER}[^\w]{{0,8}}", re.IGNORECASE)
# A second label after the first.
_OR: Final = re.compile(
    rf"[\"'”’)\]]{{0,4}} ?(?:,|/|;|&|\||or\b|and\b) ?(?:or |and )?(?:(?:maybe|possibly|perhaps|else|even) )?"
    rf"(?:(?:the )?{_KIND} ?:? ?)?{_NUMBER}",
    re.IGNORECASE,
)
_EITHER: Final = re.compile(r"\W{0,4}\b(?:or|and)\b(?: (?:maybe|possibly|perhaps|that))?\W{0,4}", re.IGNORECASE)
_REACH: Final = 60
_CORRECTED: Final = re.compile(
    r"\W{0,8}(?:no\b|wait|actually|correction|sorry|hmm|oops|however|but\b|let me|on second|i made|that is wrong)",
    re.IGNORECASE,
)
_CONCLUDED: Final = re.compile(
    rf"\b(?:(?:{_KIND}{_OF_TEXT} ?{_IS}|belongs? (?:to|in)|falls? (?:under|into|in)|fits?(?: (?:under|into|in|with))?"
    r"|match(?:es)?|corresponds? to|go(?:es)? with|choose|pick|select|say|(?:assign(?:ed)?|give|gets?)(?: it| this)?"
    r"|(?:classif(?:y|ied)|labell?ed)(?: (?:it|this))?(?: as)?|(?:it|this|that|which)(?: text)?"
    r" (?:is|must be|should be|would be|has)"
    r"|so|thus|therefore|hence|but)"
    rf"(?: (?:to|as|in|under|into|with|for|of|the|a)){{0,4}}|[→⇒]|[-=]>) ?:? ?{_NAMED}",
    re.IGNORECASE,
)
# What a sentence sets apart from the label.
_APART: Final = re.compile(
    rf"\b(?:not|unlike|instead of|rather than|than|nor|versus|vs\.?|neither|excluding|excludes)"
    rf"(?: (?:to|in|of|with|the|a)){{0,4}} ?(?:{_KIND} ?)?{_NUMBER}",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n")
_ANY: Final = re.compile(_NUMBER)
_PAPER: Final = re.compile(r"label:([^\n]*)", re.IGNORECASE)


def label(response: str, row: ScoredRow) -> float:
    """Return 1 if the response gives the label of `answers[0]` and no other, else 0; an echo of the prompt scores 0.

    Takes "57", "label: 57", "**Label:** 57.", "The label is 57.", {"label": 57}, \\boxed{57}, an explanation that ends
    with one of them or with "so it belongs to class 57". Refuses two labels, a number with decimals or thousands, a
    class's name, and a number that is only compared with ("not 57").
    """
    value = float(read_label(response) == first_answer(row))
    # The echo test comes last: it is the only step that reads the prompt.
    return 0.0 if value and is_echo(response, row) else value


def read_label(response: str) -> str:
    """Return the label that a response gives, in digits; "" if it gives none or several."""
    tail = response[-READ:]
    if (inside := boxed(tail)) is not None and (number := _ALONE.fullmatch(inside)):
        return str(int(number[1]))
    text = plain(tail)
    lines = [line.strip() for line in text.splitlines() if any(map(str.isalnum, line))]
    given = [_of_line(line) for line in lines]
    if any(given):
        return _single(_decisive(lines, given))
    if (value := answer(text)) and (number := _ALONE.fullmatch(value)):
        return str(int(number[1]))
    if concluded := [*_CONCLUDED.finditer(text)]:
        *_, last = concluded
        before = concluded[-2] if len(concluded) > 1 else None
        if before and _EITHER.fullmatch(text[before.end() : last.start()]):
            return _single(int(one[1]) for one in (before, last))
        return _single(_with_others(last, 1, text))
    sentence = next((part for part in reversed(_SENTENCE.split(text)) if _ANY.search(part)), "")
    return _single(int(number) for number in _ANY.findall(_APART.sub(" ", sentence)))


def _of_line(line: str) -> list[int]:
    """The labels that a line of the requested form gives; none for any other line."""
    match = _LINE.match(line)
    if not match:
        return []
    if match["rest"] is None:
        return [int(match[match.lastindex or 1])]
    # "label 12 is about letters" speaks of a label.
    if not match["is"] and any(map(str.isalnum, match["rest"])) and not _OR.match(match["rest"]):
        return []
    return list(_with_others(match, 2, line))


def _decisive(lines: Sequence[str], given: Sequence[list[int]]) -> Iterator[int]:
    """The labels of the lines that a response begins with, or else of those that it ends with."""
    first = next((place for place, numbers in enumerate(given) if not numbers), len(given))
    if first and not (first < len(lines) and any(given[first:]) and _CORRECTED.match(lines[first])):
        return (number for numbers in given[:first] for number in numbers)
    last = max(place for place, numbers in enumerate(given) if numbers)
    start = last
    while start and given[start - 1]:
        start -= 1
    return (number for numbers in given[start : last + 1] for number in numbers)


def _with_others(match: re.Match[str], group: int, text: str) -> Iterator[int]:
    """The label in a group of a match, and the one that is named with it."""
    yield int(match[group])
    if another := _OR.match(text[match.end(group) : match.end(group) + _REACH]):
        yield int(another[1])


def _single(numbers: Iterator[int]) -> str:
    distinct = set(numbers)
    return str(distinct.pop()) if len(distinct) == 1 else ""


def label_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if the text after the first "label:" (else the first line) equals the answer, both normalised."""
    match = _PAPER.search(response[:PAPER_READ])
    text = (match[1] if match else response[:PAPER_READ].split("\n", 1)[0]).strip()
    text = text[6:] if text[:6].lower() == "label:" else text
    return float(any(normalised(text) == normalised(str(answer)) for answer in row["answers"]))
