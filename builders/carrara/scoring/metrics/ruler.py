"""RULER (arXiv:2404.06654, section 3): which of a row's answers the response gives, and what it gives beside them.

`precise` counts the values that a response gives as its answer: what follows "Answer:", else the whole response if it
gives no more than is asked, else its last paragraph that gives enough. A value is whatever has the form of the answers
(so many digits, a UUID, a word of so many letters).
Right, in any order: the values one a line, numbered or with bullets, in one line, in sentences, as JSON or a table,
with their keys beside them, with separators in numbers, after any explanation. Where several keys are asked, each
value counts at its key if the response names the keys, else at its number or place.
Wrong: another value, a value that is denied ("not 1234567"), a value of another key. Every value beyond as many as are
asked takes one right one away, so that twice as many score 0. With no more, the score is the recall of the paper.

`every` is recall over the response, or over what follows "Answer:"; it matches whole words ignoring case, and scores
an echo of the prompt 0. `ruler/any` is `subem`. Those whose names end in /paper are the published ones and match
substrings, so that "1234567" is found in "112345678". RULER's clean the response with `printable`; HELMET's
(`ruler/recall/paper`) does not.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from carrara.scoring.facts import ScoredRow, facts_of
from carrara.scoring.metrics.short_answers import DENIED, decided
from carrara.scoring.responses.reading import entries
from carrara.text.fold import fold, is_echo, occurs, share_found

_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f]")
_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# A comma, space or apostrophe between groups of three digits.
_GROUPED: Final = re.compile(r"(?<![\d,.'])\d{1,3}(?:([, '])\d{3})(?:\1\d{3})*(?![\d]|[,.']\d)")
_VOWELS: Final = "aeiou"
# Words of sentences that have the form of the words of a list (`words.py`).
_ENGLISH: Final = frozenset(
    (
        *("became", "become", "before", "beside", "decide", "define", "denote", "divide", "figure", "future"),
        *("locate", "minute", "native", "nature", "notice", "relate", "remove", "repute", "secure", "unique"),
    )
)
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n")
_PLACE: Final = re.compile(r"[^\w\n]{0,8}([0-9]{1,2})[.):]")
# As much as stands between a denial and a value.
_NEAR: Final = 60


def precise(response: str, row: ScoredRow) -> float:
    """Return the share of the answers that the response gives, less one for each value too many (`ruler/precise`)."""
    golds = tuple(answer.casefold() for answer in row["answers"])
    if not golds or is_echo(response, row):
        return 0.0
    text, is_labelled = decided(response)
    text = text.casefold()
    form = _form(golds)
    if form is None:
        return _of_entries(text, golds)
    text = _decision(_GROUPED.sub(lambda number: re.sub("[, ']", "", number[0]), text), form, golds, is_labelled)
    given = list(dict.fromkeys(_values(text, form, golds)))
    keys = facts_of(row).get("asked")
    if isinstance(keys, list) and len(keys) == len(golds) > 1:
        at_keys = _at_keys(text, form, golds, [str(key).casefold() for key in keys])
        right = sum(at_keys.get(place) == gold for place, gold in enumerate(golds))
    else:
        right = sum(value in golds for value in given)
    return max(0, right - max(0, len(given) - len(golds))) / len(golds)


def every(response: str, row: ScoredRow) -> float:
    """Return the share of the row's answers in what follows "Answer:", or in the response (`ruler/all`)."""
    text, is_labelled = decided(response)
    return 0.0 if is_echo(response, row) else share_found(list(row["answers"]), text if is_labelled else response)


def every_paper(response: str, row: ScoredRow) -> float:
    """Return RULER's published recall: the share of the answers that are substrings, ignoring case."""
    return recall_paper(printable(response), row)


def either_paper(response: str, row: ScoredRow) -> float:
    """Return RULER's published score for questions: 1 if any answer is a substring, ignoring case."""
    text = printable(response).lower()
    return float(any(answer.lower() in text for answer in row["answers"]))


def recall_paper(response: str, row: ScoredRow) -> float:
    """Return HELMET's published recall: the share of the answers that are substrings, ignoring case."""
    answers, text = list(row["answers"]), response.lower()
    return sum(answer.lower() in text for answer in answers) / len(answers) if answers else 0.0


def printable(response: str) -> str:
    """Clean a response as RULER does: strip it, and turn control characters (TAB too) into line ends."""
    return _UNPRINTABLE.sub("\n", response.strip()).strip()


@lru_cache(maxsize=4)
def _form(golds: tuple[str, ...]) -> re.Pattern[str] | None:
    """The form of the answers, which must be the same for all: a UUID, digits, or letters; None if they have none."""
    if all(re.fullmatch(_UUID, gold) for gold in golds):
        return re.compile(rf"(?<![\w-]){_UUID}(?![\w-])")
    size = len(golds[0])
    if any(len(gold) != size for gold in golds):
        return None
    if all(gold.isascii() and gold.isdigit() for gold in golds):
        return re.compile(rf"(?<![\d.])\d{{{size}}}(?!\d)")
    if all(gold.isascii() and gold.isalpha() for gold in golds):
        shapes = {"".join("v" if letter in _VOWELS else "c" for letter in gold) for gold in golds}
        if len(shapes) == 1:
            # Without vowels "rhythm" would be one.
            consonants = "b-df-hj-np-tv-z" if "v" in (shape := shapes.pop()) else "b-df-hj-np-tv-xz"
            letters = shape.replace("v", f"[{_VOWELS}]").replace("c", f"[{consonants}]")
            return re.compile(rf"(?<![^\W_]){letters}(?![^\W_])")
    return None


def _values(text: str, form: re.Pattern[str], golds: Sequence[str]) -> Iterator[str]:
    """The values of a text that are not denied, in order."""
    for value in form.finditer(text):
        is_word = value[0] in _ENGLISH and value[0] not in golds
        if not is_word and not DENIED.search(text[max(0, value.start() - _NEAR) : value.start()]):
            yield value[0]


def _decision(text: str, form: re.Pattern[str], golds: Sequence[str], is_labelled: bool) -> str:
    """The part of a text that gives the answer: all of it if it gives no more than asked, else a paragraph."""
    if len(set(_values(text, form, golds))) <= len(golds):
        return text
    counted = ((part, len(set(_values(part, form, golds)))) for part in _PARAGRAPH.split(text))
    parts = [(part, count) for part, count in counted if count]
    if is_labelled:
        # Remarks stand behind the answer.
        return next((part for part, count in parts if count >= len(golds)), text)
    # Where no paragraph has other words, the whole is a list.
    is_told = any(any(map(str.isalpha, form.sub("", part))) for part, _ in parts)
    last, count = parts[-1]
    return last if is_told and count >= len(golds) else text


def _at_keys(text: str, form: re.Pattern[str], golds: Sequence[str], keys: Sequence[str]) -> dict[int, str]:
    """The value that a text gives for each key, by its place among the keys."""
    written = ("[- ]".join(map(re.escape, key.split("-"))) for key in keys)
    patterns = [re.compile(rf"(?<![^\W_]){key}(?![^\W_])") for key in written]
    placed: dict[int, str] = {}
    following = 0
    for line in text.splitlines():
        values = list(_values(line, form, golds))
        if not values:
            continue
        named = sorted((found.start(), at) for at, key in enumerate(patterns) if (found := key.search(line)))
        number = _PLACE.match(line)
        if named:
            places = [at for _, at in named] if len(named) == len(values) else []
        elif number and len(values) == 1:
            places = [int(number[1]) - 1]
        else:
            places = list(range(following, following + len(values)))
        following = places[-1] + 1 if places else following
        for place, value in zip(places, values, strict=False):
            placed.setdefault(place, value)
    return placed


def _of_entries(text: str, golds: Sequence[str]) -> float:
    """The score where the answers have no form of their own: by the items of the list that a text is."""
    items = [fold(entry.text) for entry in entries(text)]
    right = sum(any(occurs(fold(gold), item) for item in items) for gold in golds)
    return max(0, right - max(0, len(items) - len(golds))) / len(golds)
