"""Latent List: the value of a view of a Python list (Michelangelo, arXiv 2409.12640, section 2.1).

A gold that starts with "[" is a printed list: the whole list must be equal. Any other gold is an integer t, and a
response p scores 1 - min(1, |p - t| / (|t| + 1e-10)), the paper's formula. Nothing is evaluated: numbers are found by
patterns, and no integer of more than 300 digits is built, since Python refuses to parse 5,000.

Where a response holds several numbers, the value is looked for in this order, and the first that is found counts:

1. after the last label "Answer:" (or "Result:", "The answer is"), first in its line;
2. in the last `\\boxed{}`;
3. in the last sentence about the answer, the result, the output or session 3 that states a number ("is 6", "= 6",
   "6 is the ..."), else in the last sentence that states one; sentences about sessions 1 and 2 alone are passed over;
4. the last number.

Numbers in brackets and code, ordinals, and those that count sessions, steps, lines, positions or operations are none.
A text that joins two numbers ("6 or 7") names none, nor does one of more than three different numbers that states
nothing: it thinks aloud.
"""

import re
from collections.abc import Callable
from typing import Final

from carrara.scoring.errors import RowError
from carrara.scoring.facts import ScoredRow, first_answer
from carrara.scoring.responses.reading import answer, boxed, first_line, plain
from carrara.text.fold import is_echo

EPSILON: Final = 1e-10
READ: Final = 65_536
MOST_DIGITS: Final = 300
ALOUD: Final = 3

_MINUS: Final = str.maketrans({"\u2212": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-"})
_NEGATIVE: Final = re.compile(r"\b(?:minus|negative) (?=[0-9])", re.IGNORECASE)
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_THOUSANDS: Final = re.compile(r"[0-9]{1,3}(?:[,_'][0-9]{3})+")
_SPACED: Final = re.compile(r"([+-]?[0-9]{1,3}(?: [0-9]{3}){1,9})\.?")
_WORDS: Final = {
    word: str(number)
    for tens, words in enumerate(
        (
            "zero one two three four five six seven eight nine",
            "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
        )
    )
    for number, word in enumerate(words.split(), 10 * tens)
}
_WORD: Final = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)

# Numbers that are no answer. Brackets stand in one another at most so deep.
_ASIDE: Final = re.compile(r"\([^()\[\]\n]*\)|\[[^()\[\]\n]*\]")
_NESTED: Final = 4
_PLACE: Final = re.compile(
    r"\b(?:sessions?|steps?|lines?|ind(?:ex|ices|exes)|positions?|places?|operations?|problems?|questions?|examples?)"
    r" (?:no\.? ?|number )?#?[0-9]{1,9}(?:(?:, ?| and | to |-)[0-9]{1,9}){0,9}",
    re.IGNORECASE,
)
_MARK: Final = re.compile(r"^\W{0,8}[0-9]{1,3}[.)] (?=[A-Za-z>])", re.MULTILINE)
# Where a response says all three, the reader makes a list of them.
_THIRD: Final = re.compile(r"1\. .*\n2\. .*\n3\. (.*)")
_FURTHER: Final = re.compile(r"^\W{0,4}session (?:[4-9]|[1-9][0-9])\W{0,3}$", re.IGNORECASE | re.MULTILINE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;\u3002])\s+|\n")
_EXAMPLES: Final = re.compile(r"\b(?:(?:session|example) [12]\b|(?:first|second) (?:two )?sessions?\b)", re.IGNORECASE)
_ASKED: Final = re.compile(
    r"\b(?:answers?|results?|outputs?|third|final|session 3)\b|\u7b54\u6848|\u7ed3\u679c", re.IGNORECASE
)

# A hyphen after a letter or a digit joins ("3-5", "step-4"); elsewhere it is a sign.
_FIGURE: Final = (
    r"(?:(?<![A-Za-z0-9_])[+-])?(?<![A-Za-z0-9_.])(?<![0-9][,'])[0-9](?:[0-9]|[.,_'](?=[0-9])){0,320}"
    r"(?![A-Za-z0-9_]|[.,][0-9])"
)
_SUM_FOLLOWS: Final = r"(?! ?[+*/\u00d7=<>] ?[-+\w(\[]| - ?[0-9])"
_SAYS: Final = (
    r"(?:\b(?:is|are|was|be|equals?|gives?|returns?|prints?|shows?|outputs?|yields?|becomes?|get|has|have|leaves?)\b"
    r"|[=:\uff1a\u2192\u21d2\u662f]|[-=]>)\s{0,4}"
    r"(?:(?:now|then|just|therefore|thus|so|exactly|simply|only|indeed|equal to|actually|still|also|of|to"
    r"|the (?:number|value|integer|list)|an? (?:total|sum|length|list) of)\b,? ?){0,3}"
)
_STATED: Final = re.compile(rf"{_SAYS}({_FIGURE}){_SUM_FOLLOWS}", re.IGNORECASE)
_NAMED: Final = re.compile(rf"({_FIGURE}) (?:is|was|would be|will be) (?:the|what|its|my|our|correct|right)\b", re.I)
_NUMBER: Final = re.compile(_FIGURE)
_ALONE: Final = re.compile(rf"[^\w+-]{{0,8}}{_FIGURE}\W{{0,8}}")
_NOT: Final = re.compile(rf"(?:\bnot|n't|\bnever)(?: [a-z]{{1,9}}){{0,2}} {_FIGURE}", re.IGNORECASE)
_BEGINS: Final = re.compile(rf"[^\w+-]{{0,8}}({_FIGURE}){_SUM_FOLLOWS}")
_OR: Final = re.compile(
    rf"(?:, ?{_FIGURE}){{0,4}},? ?(?:or|and|/)(?: maybe| perhaps| possibly| even)? ?{_FIGURE}", re.IGNORECASE
)

_LIST: Final = re.compile(r"\[([^\[\]]*)\](?!\[)")
_EITHER_LIST: Final = re.compile(r"\],? ?(?:or|/) ?(?:maybe |perhaps |possibly )?\[", re.IGNORECASE)
_NOT_LIST: Final = re.compile(rf"(?:\bnot|n't|\bnever)(?: [a-z]{{1,9}})? {_LIST.pattern}", re.IGNORECASE)
_STATED_LIST: Final = re.compile(rf"{_SAYS}{_LIST.pattern}", re.IGNORECASE)
_NAMED_LIST: Final = re.compile(rf"{_LIST.pattern} (?:is|was|would be) (?:the|what|its|my|our|correct|right)\b", re.I)
# Numbers alone: between commas, spaces or "and", or one a line.
_BARE: Final = re.compile(
    r"[-*\u2022( ]{0,4}([+-]?[0-9]{1,300}"
    r"(?:(?:[,;]? and |\n[-*\u2022] |[,;]\s{0,4}|\s{1,4})[+-]?[0-9]{1,300}){0,99})[\s.)]*"
)


def latent_list(response: str, row: ScoredRow) -> float:
    """Score the value that a response names (see above); an echo of the prompt scores 0.

    Right: "Answer: 6", "6 is the result of session 3.", "3427 (the value of min(a[3:4]))", "1,264,194", "minus 3",
    "six"; a list with or without brackets, in one line or one number a line, as long as it is whole. Wrong: another
    list; "6 or 7"; a bool. A wrong number scores by its distance, never 1. The last 65,536 characters are read.
    """
    gold = first_answer(row).strip()
    tail = response[-max(READ, 2 * len(gold)) :]
    if gold.startswith("["):
        found = _told(tail, _list_of, _list_among)
        value = float(found is not None and found == _items(gold[1:-1]))
    else:
        number = _told(tail, _number_of, _number_among)
        value = _closeness(number[0] if number else None, gold)
    # The echo test comes last: it is the only step that reads the prompt.
    return 0.0 if value and is_echo(response, row) else value


def latent_list_paper(response: str, row: ScoredRow) -> float:
    """Score the whole response as the value: a list must match exactly, a number scores by its distance.

    `True` counts as 1 and `False` as 0, as in Python.
    """
    gold = first_answer(row).strip()
    if gold.startswith("["):
        return float(response == gold)
    # A longer response cannot be an integer that scores, so it is not parsed.
    value = response[: READ + 1].strip()
    value = {"True": "1", "False": "0"}.get(value, value)
    return _closeness(value if len(response) <= READ and _INTEGER.fullmatch(value) else None, gold)


def _closeness(value: str | None, gold: str) -> float:
    if value is None:
        return 0.0
    value, gold = _canonical(value), _canonical(gold)
    if value == gold:
        return 1.0
    if max(len(value), len(gold)) > MOST_DIGITS:
        return 0.0
    if not _INTEGER.fullmatch(gold):
        raise RowError(f"got the answer {gold[:80]!a}, expected an integer or a list in brackets")
    wrong, right = int(value), int(gold)
    return 1.0 - min(1.0, abs(wrong - right) / (abs(right) + EPSILON))


def _canonical(number: str) -> str:
    digits = number.lstrip("+-").lstrip("0") or "0"
    return f"-{digits}" if number.startswith("-") and digits != "0" else digits


# What a text names: a list of integers (of one for a number), [] for none that is clear; None where it holds none.
_Named = list[str] | None


def _told(tail: str, of: Callable[[str], _Named], among: Callable[[str], _Named]) -> _Named:
    """The value that a response names. `of` reads an answer, `among` any text."""
    text = _NEGATIVE.sub("-", plain(tail).translate(_MINUS))
    # A base model goes on with a session of its own.
    if (further := _FURTHER.search(text)) and text[: further.start()].strip():
        text = text[: further.start()]
    if (label := answer(text)) is not None:
        if third := _THIRD.fullmatch(label):
            label = third[1]
        # A list may have one number a line.
        first = label if _BARE.fullmatch(label) else first_line(label)
        for part in (first, label):
            if (found := of(part)) is not None:
                return found
        return among(label)
    if (box := boxed(tail)) and (found := of(_NEGATIVE.sub("-", box.translate(_MINUS)))) is not None:
        return found
    return among(text)


# --- numbers ----------------------------------------------------------------------------------------------------------


def _number_of(text: str) -> _Named:
    """The number of an answer: the one that it begins with, else the one that it states, else its last."""
    if spaced := _SPACED.fullmatch(text.strip()):
        return [spaced[1].replace(" ", "")]
    text = _counted(text)
    if begins := _BEGINS.match(text):
        return _one(begins, text)
    return _stated(text) or _last(text)


def _number_among(text: str) -> _Named:
    whole = text.strip()
    if spaced := _SPACED.fullmatch(whole):
        return [spaced[1].replace(" ", "")]
    concluded = stated = None
    for sentence in _sentences(text):
        if (found := _stated(_counted(sentence))) is not None:
            stated = found
            concluded = found if _ASKED.search(sentence) else concluded
    if concluded is not None or stated is not None:
        return concluded if concluded is not None else stated
    text = _counted(text)
    if len({match[0] for match in _NUMBER.finditer(text)}) > ALOUD:
        return []
    return _last(text)


def _sentences(text: str) -> list[str]:
    """The sentences, less those about sessions 1 and 2 alone."""
    return [
        sentence
        for sentence in _SENTENCE_END.split(text)
        if not _EXAMPLES.search(sentence) or "session 3" in sentence.casefold()
    ]


def _counted(text: str) -> str:
    """A text without the numbers that are no answer, and with its number as digits if it has it in words."""
    if _ALONE.fullmatch(text):
        return text
    clear = _NOT.sub(" ", _MARK.sub("", _PLACE.sub(" ", text)))
    for _ in range(_NESTED):
        clear = _ASIDE.sub(" ", clear)
    if _NUMBER.search(clear):
        return clear
    return _WORD.sub(lambda word: _WORDS[word[0].lower()], clear)


def _stated(sentence: str) -> _Named:
    """The number that a sentence states: the first about the answer, the last of any other; None if it states none."""
    if named := _NAMED.search(sentence):
        return _one(named, sentence)
    asked = _ASKED.search(sentence)
    stated = [*_STATED.finditer(sentence, asked.end() if asked else 0)]
    return _one(stated[0 if asked else -1], sentence) if stated else None


def _last(text: str) -> _Named:
    """The last number of a text, [] if it is joined to another."""
    found: _Named = None
    joined = -1
    for match in _NUMBER.finditer(text):
        if (either := _OR.match(text, match.end())) is not None:
            joined = either.end()
        number = _integer(match[0])
        found = [number] if number and match.end() != joined else []
    return found


def _one(match: re.Match[str], text: str) -> list[str]:
    number = _integer(match[1])
    return [number] if number and not _OR.match(text, match.end(1)) else []


def _integer(figure: str) -> str:
    """The integer that a figure writes, the last where a comma parts two; "" for a fraction."""
    sign = "-" if figure.startswith("-") else ""
    head, dot, fraction = figure.lstrip("+-").rpartition(".")
    digits = head if dot and not fraction.strip("0") else figure.lstrip("+-")
    if "." in digits:
        return ""
    if _THOUSANDS.fullmatch(digits) or digits.isdigit():
        return sign + re.sub("[,_']", "", digits)
    return re.split("[,_']", digits)[-1]


# --- lists ------------------------------------------------------------------------------------------------------------


def _list_of(text: str) -> _Named:
    """The list of an answer: the one that it begins with, else the one that it states, else its last."""
    text = _joined(text)
    if _EITHER_LIST.search(text):
        return []
    if (begins := _LIST.match(text.lstrip(" \"'"))) and (items := _items(begins[1])) is not None:
        return items
    return _last_list(_STATED_LIST, text) or _last_list(_LIST, text) or _bare(text)


def _list_among(text: str) -> _Named:
    text = _joined(text)
    for sentence in reversed(_sentences(text)):
        if _ASKED.search(sentence):
            if _EITHER_LIST.search(sentence):
                return []
            for pattern in (_NAMED_LIST, _STATED_LIST):
                if (items := _last_list(pattern, sentence)) is not None:
                    return items
    if _EITHER_LIST.search(text):
        return []
    if (items := _last_list(_LIST, re.sub(r"\([^()\n]*\)", " ", text))) is not None:
        return items
    return _last_list(_LIST, text) or _bare(text) or _bare(re.split(r"[:=]|\b(?:is|are|prints?|shows?)\b", text)[-1])


def _joined(text: str) -> str:
    """The text with every list in one line, less those that it denies."""
    return _NOT_LIST.sub(" ", _LIST.sub(lambda match: " ".join(match[0].split()), text))


def _last_list(pattern: re.Pattern[str], text: str) -> list[str] | None:
    last = None
    for match in pattern.finditer(text):
        items = _items(match[1])
        if items is not None:
            last = items
    return last


def _bare(text: str) -> list[str] | None:
    numbers = _BARE.fullmatch(text.strip())
    return [_canonical(number) for number in _INTEGER.findall(numbers[1].replace("\n- ", "\n"))] if numbers else None


def _items(inside: str) -> list[str] | None:
    """Return the integers between two brackets in canonical form, or None for any other content."""
    if not inside.strip():
        return []
    items = [item.strip() for item in inside.split(",")]
    if not all(_INTEGER.fullmatch(item) for item in items):
        return None
    return [_canonical(item) for item in items]
