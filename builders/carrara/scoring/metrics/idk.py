"""IDK: the right choice of four, where (D) is "I don't know" (Michelangelo, arXiv:2409.12640, section 2.3).

A response is read as by `choice`. Beyond that free text counts as (D) where it says that the answer is not there, by a
bounded list of phrases in the first 400 characters. Conflicts: a letter in a decided form ("Answer: B") stands whatever
else is said; else a refusal that names just one of the other choices, by its letter or its text ("(B) is not
mentioned", "a goose, but the story does not say so"), is no answer at all.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from carrara.scoring.facts import first_answer
from carrara.scoring.metrics.choice import letters_apart, options_of, plain, read_option
from carrara.text.fold import is_echo, occurs, window

_REFUSAL: Final = re.compile(
    r"\b(?:not|\w{2,6}n't|can't|cannot|never) (?:\w+ ){0,2}?(?:(?:say|mention|state|specify|tell|know|give|reveal|"
    r"provide|contain|include|disclose|indicate|determine|infer|answer)s?|said|told|known|given|(?:mention|stat|specifi|reveal|"
    r"provid|contain|includ|disclos|indicat|determin|inferr|answer|describ)ed|determinable|clear)\b"
    r"|\bnothing (?:is|was|in) (?:\w+ ){0,4}?(?:said|told|mentioned|stated|says|tells|mentions|states)\b"
    r"|\bno (?:\w+ )?(?:information|mention|indication|answer|way to (?:know|tell))\b"
    r"|\b(?:not enough|insufficient|lacks?|without) (?:\w+ )?(?:information|context|details?)\b"
    r"|\bimpossible to (?:know|say|tell|determine|answer)\b"
    r"|\b(?:unknown|unspecified|unstated|undetermined|unanswerable|dunno)\b"
    r"|不知道|无法(?:确定|得知|判断|回答)|(?:没有|未)(?:被)?(?:提到|提及|说明|给出)"
)


def idk(response: str, row: Mapping[str, Any]) -> float:
    """Return 1 if the response names the choice of `answers[0]`, a refusal counting as the last one; else 0."""
    value = float(read_answer(response, row) == first_answer(row))
    return 0.0 if value and is_echo(response, row) else value


def read_answer(response: str, row: Mapping[str, Any]) -> str:
    """The letter that a response stands for, the empty string where it stands for none."""
    options, text = options_of(row), plain(response)
    if not options.letters:
        return ""
    unknown = options.letters[-1]
    read = read_option(text, options)
    told = window(response, ())
    if (read and (read.decided or read.letter == unknown)) or not _REFUSAL.search(told):
        return read.letter if read else ""
    named = set(letters_apart(text, options)) | {
        letter for letter, one in zip(options.letters, options.texts, strict=True) if occurs(one, told)
    }
    return "" if len(named - {unknown}) == 1 else unknown
