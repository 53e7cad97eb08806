"""Label: the class number that a response gives (HELMET, arXiv:2410.02694, in-context learning).

The forms of an answer are tried in this order, and the first that occurs decides:

1. a number alone on the first line, if the response continues like the prompt: an empty line and further texts;
2. lines that begin with `label: 57`, also bold, as a JSON field, with `=` or `is`; and lines that hold only a number;
3. `\\boxed{57}`;
4. "label 57", "the answer is 57", "class 57" anywhere;
5. a number anywhere.

All occurrences of that form must name the same label: "label: 57 or 58", or two lines with different labels, name none.
The last 65,536 characters are read, in linear time. `label/paper` is the published reader: the text after the first
"label:" on its line (else the first line) must be the number, apart from punctuation.
"""

import re
from collections.abc import Iterator
from typing import Final

from carrara.scoring.facts import ScoredRow, first_answer
from carrara.scoring.metrics.choice import READ, plain
from carrara.scoring.metrics.short_answers import PAPER_READ, normalised
from carrara.text.fold import is_echo

_NUMBER: Final = r"(?<![\w.,-])(-?[0-9]{1,9})(?![\w]|[.,][0-9])"
_IS: Final = r"[\"'”’_]{0,4}(?: (?:number|is|must be|should be|would be)){0,2} ?[:=]?\s{0,4}[\"'“(\[#]{0,4}"
_CONTINUED: Final = re.compile(rf"\s*{_NUMBER}[ .]*\n\s*\n\s*(?!(?:the )?label\b)[^\W\d]", re.IGNORECASE)
_FORMS: Final = (
    re.compile(
        rf"^[^\w\n]{{0,16}}(?:(?:(?:the|my|final) ){{0,2}}label{_IS}{_NUMBER}|{_NUMBER}[^\w\n]{{0,16}}$)",
        re.IGNORECASE | re.MULTILINE,
    ),
    re.compile(rf"\\boxed ?\{{ ?(?:\\[a-z]{{2,8}} ?\{{ ?)?(?:label:? ?)?{_NUMBER}", re.IGNORECASE),
    re.compile(rf"\b(?:label|answer|class|kind|category|number){_IS}{_NUMBER}", re.IGNORECASE),
    re.compile(_NUMBER),
)
# A second label after the first.
_OR: Final = re.compile(
    rf"[\"'”’)\]]{{0,4}} ?(?:,|/|;|&|\||or\b|and\b) ?(?:or |and )?(?:label:? ?)?{_NUMBER}", re.IGNORECASE
)
_REACH: Final = 40
_PAPER: Final = re.compile(r"label:([^\n]*)", re.IGNORECASE)


def label(response: str, row: ScoredRow) -> float:
    """Return 1 if the response gives the label of `answers[0]` and no other, else 0; an echo of the prompt scores 0."""
    value = float(read_label(response) == first_answer(row))
    # The echo test comes last: it is the only step that reads the prompt.
    return 0.0 if value and is_echo(response, row) else value


def read_label(response: str) -> str:
    """Return the label that a response gives, in digits; "" if it gives none or several."""
    text = plain(response)
    if match := _CONTINUED.match(text):
        return str(int(match[1]))
    for form in _FORMS:
        named: set[int] = set()
        # The plain text has no boxes.
        for number in _named(form, response[-READ:] if form is _FORMS[1] else text):
            named.add(number)
            if len(named) > 1:
                return ""
        if named:
            return str(named.pop())
    return ""


def label_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if the text after the first "label:" (else the first line) equals the answer, both normalised."""
    match = _PAPER.search(response[:PAPER_READ])
    text = (match[1] if match else response[:PAPER_READ].split("\n", 1)[0]).strip()
    text = text[6:] if text[:6].lower() == "label:" else text
    return float(any(normalised(text) == normalised(str(answer)) for answer in row["answers"]))


def _named(form: re.Pattern[str], text: str) -> Iterator[int]:
    for match in form.finditer(text):
        yield int(match[match.lastindex or 1])
        if another := _OR.match(text[match.end() : match.end() + _REACH]):
            yield int(another[1])
