"""Guessers of long documents, who count and find names and read no sentence: for tables of chance.

They answer the world's rows, whose answers are names and sums; of a real document's row all that could be guessed from
the question and its options alone.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft
from carrara.tasks.helmet.long_document_solver import Reading, read_prompt

_NAME: Final = re.compile(r"[A-Z][a-z]{3,} [A-Z][a-z]{3,}")
_SUM: Final = re.compile(r"[0-9][0-9,]* marks")
_DAY: Final = re.compile(r"[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}")
_WORD: Final = re.compile(r"[A-Z][a-z]{3,}")


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Equally likely responses of each guesser."""
    reading = read_prompt(draft.prompt)
    if reading is None:
        return {}
    if reading.options:
        return _options(reading)
    found = {"no text: an example's answer": tuple(answer for _, answer in reading.examples)}
    if reading.form != "story":
        found |= _values(reading)
    return {name: responses for name, responses in found.items() if responses}


def _options(reading: Reading) -> dict[str, tuple[str, ...]]:
    text, near = reading.text, _nearness(reading)
    return {
        "the option that stands most often in the text": _best(reading, text.count),
        "the option that stands least often in the text": _best(reading, lambda option: -text.count(option)),
        "the option that stands first in the text": _best(reading, lambda option: -_where(text, option)),
        "the option nearest to where the question's names stand first": _best(reading, near),
        "the longest option": _best(reading, len),
    }


def _best(reading: Reading, score: Callable[[str], float]) -> tuple[str, ...]:
    """The letters of the options with the best score."""
    scores = [score(option) for option in reading.options]
    return tuple(f"Answer: {chr(ord('A') + number)}" for number, one in enumerate(scores) if one == max(scores))


def _where(text: str, option: str) -> int:
    return at if (at := text.find(option)) >= 0 else len(text)


def _nearness(reading: Reading) -> Callable[[str], float]:
    """How near to the first place of a name of the question an option stands, larger is nearer."""
    text = reading.text
    names = [name for name in _WORD.findall(reading.question) if name in text]
    at = min((text.find(name) for name in names), default=0)

    def near(option: str) -> float:
        after = text.find(option, at)
        before = text.rfind(option, 0, at)
        return -min([abs(one - at) for one in (after, before) if one >= 0], default=len(text))

    return near


def _values(reading: Reading) -> dict[str, tuple[str, ...]]:
    """A name, sum or day of the kind that the question's first words ask for."""
    asked = reading.question
    if re.search(r"[Hh]ow much|[Ww]hat sum|cost|stake|prize|price", asked):
        shape = _SUM
    elif asked.startswith("By what date"):
        shape = _DAY
    elif re.search(r"[Ww]here|[Tt]own|[Pp]lace", asked):
        shape = _WORD
    else:
        shape = _NAME
    text = reading.text
    known = [one for one in shape.findall(text) if one not in asked]
    if not known:
        return {}
    names = [name for name in _WORD.findall(asked)[1:] if name in text]
    at = min((text.find(name) for name in names), default=0)
    after = next((one[0] for one in shape.finditer(text, at) if one[0] not in asked), known[-1])
    return {
        "the name or sum that stands most often in the text": (Counter(known).most_common(1)[0][0],),
        "the last name or sum of the text": (known[-1],),
        "the next name or sum where the question's names stand first": (after,),
    }
