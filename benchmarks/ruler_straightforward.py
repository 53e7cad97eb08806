"""Four of RULER's tasks made as plainly as can be: a prompt of n units, tokenised whole, n raised until it is over.

What a public generator does, written anew for the comparison alone: it raises n by a fixed step from one step on, takes
the last n that fits for all rows, and takes single rows that are over it again with a step less.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from carrara.stream import Stream
from carrara.world.prose import prose

OUTPUT = 128
STREAM = Stream("straightforward/1")
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_NOISE = ("The path is dry.", "The sky is wide.", "Birds go by.", "The gate is shut.", "Here we turn, and there again.")
_QUESTION = "\n\nWhat is the number of {key}? Reply with it alone.\nAnswer:"
_COMMON, _OFTEN, _SELDOM = 10, 30, 3
_HOPS = 4
# Rows with words of their own.
_ROWS = 16
# Trials of a search that are timed where there are more: the others cost what these do on average.
_TIMED = 8
_MOST_TRIALS = 64


@dataclass(frozen=True)
class Plain:
    """A task: `make(n, row)` gives the prompt of n units; a search raises n by `step`."""

    make: Callable[[int, int], str]
    step: int


def words(start: int, count: int) -> list[str]:
    """Made-up words, no two alike, of four syllables each (below number 16 million): consonant and vowel by number."""
    found = []
    for number in range(start, start + count):
        letters = ""
        number += 1 << 20
        while number:
            number, consonant = divmod(number, len(_CONSONANTS))
            number, vowel = divmod(number, len(_VOWELS))
            letters += _CONSONANTS[consonant] + _VOWELS[vowel]
        found.append(letters)
    return found


@cache
def _prose(sections: int) -> list[str]:
    found: list[str] = []
    for index in range(sections):
        section = prose.section(STREAM.child("prose"), "en", index)
        found += " ".join(" ".join(paragraph) for paragraph in section.paragraphs).split(" ")
    return found


def prose_words(count: int) -> list[str]:
    """The first words of a long text. It is written before anything is timed, as it is for the other side."""
    sections = 8
    while len(_prose(sections)) < count:
        sections *= 2
    return _prose(sections)[:count]


def needles(count: int, row: int) -> str:
    """Sentences that all give a number to a key, one of them asked for (niah_multikey_2)."""
    stream = STREAM.child("needles", row)
    keys = words(row % _ROWS * 1_000_000, count + 1)
    numbers = (1_000_000 + stream.below_many(9_000_000, count + 1)).tolist()
    lines = [f"The number of {key} is {number}." for key, number in zip(keys, numbers, strict=True)]
    asked = lines.pop(0)
    lines.insert(stream.below(count + 1), asked)
    return "Read these numbers.\n" + "\n".join(lines) + _QUESTION.format(key=keys[0])


def needle(count: int, row: int) -> str:
    """One such sentence between those of a long text of so many words (niah_single_2)."""
    stream = STREAM.child("needle", row)
    (key,) = words(row, 1)
    sentences = " ".join(prose_words(count)).split(". ")
    sentences.insert(stream.below(len(sentences) + 1), f"The number of {key} is {1_000_000 + stream.below(9_000_000)}")
    return "Read this text.\n" + ". ".join(sentences) + _QUESTION.format(key=key)


def common_words(count: int, row: int) -> str:
    """A numbered list of ten words many times and `count` others a few times (cwe)."""
    stream = STREAM.child("words", row)
    drawn = words(row % _ROWS * 1_000_000, _COMMON + count)
    listed = drawn[:_COMMON] * _OFTEN + drawn[_COMMON:] * _SELDOM
    order = stream.order(len(listed)).tolist()
    lines = " ".join(f"{number}. {listed[place]}" for number, place in enumerate(order, 1))
    return f"Read this list.\n{lines}\n\nWhich ten words are the commonest? Reply with them alone.\nAnswer:"


def chain(count: int, row: int) -> str:
    """A chain of assignments in `count` groups of sentences that say nothing (vt)."""
    stream = STREAM.child("chain", row)
    names = [one.upper() for one in words(row * 100, _HOPS + 1)]
    value = 10_000 + stream.below(90_000)
    lines = [" ".join(_NOISE)] * count
    for number, place in enumerate(sorted(stream.below(count + 1) for _ in names)):
        given = f"VAR {names[number - 1]}" if number else str(value)
        lines.insert(place + number, f"VAR {names[number]} = {given}")
    return "Follow the variables.\n" + "\n".join(lines) + f"\n\nWhich variables are {value}?\nAnswer:"


PLAIN = {
    "niah_multikey_2": Plain(needles, 25),
    "niah_single_2": Plain(needle, 500),
    "cwe": Plain(common_words, 10),
    "vt": Plain(chain, 10),
}


@dataclass(frozen=True)
class Searched:
    """How many units a length takes, and the seconds and trials that it took to find out.

    `estimated`: whether some trials alone were timed, and the rest taken to cost what they do on average.
    """

    units: int
    seconds: float
    trials: int
    estimated: bool


def search(plain: Plain, length: int, count: Callable[[str], int], clock: Callable[[], float]) -> Searched:
    """Raise n by steps until a prompt and its answer are over the length, and step back.

    Of a search of many trials the outcome is found by halving, and its cost from trials evenly between first and last.
    """

    def over(steps: int) -> bool:
        return count(plain.make(steps * plain.step, 0)) + OUTPUT > length

    steps, started = 1, clock()
    while steps <= _MOST_TRIALS and not over(steps):
        steps += 1
    if steps <= _MOST_TRIALS:
        return Searched(max(1, steps - 1) * plain.step, clock() - started, steps, False)
    low, high = _MOST_TRIALS, 2 * _MOST_TRIALS
    while not over(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if over(middle) else (middle, high)
    started = clock()
    for trial in range(_TIMED):
        over(max(1, (2 * trial + 1) * high // (2 * _TIMED)))
    return Searched(low * plain.step, (clock() - started) / _TIMED * high, high, True)


def row(plain: Plain, units: int, number: int, length: int, count: Callable[[str], int]) -> tuple[str, int]:
    """The prompt of row `number` and its tokens: of so many units, or of fewer where it is over the length."""
    while True:
        prompt = plain.make(units, number)
        if (tokens := count(prompt)) + OUTPUT <= length or units <= plain.step:
            return prompt, tokens
        units -= plain.step
