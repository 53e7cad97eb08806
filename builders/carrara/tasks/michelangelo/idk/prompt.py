"""The wording of idk, which planner and solver share, and its filler: capital letters that spell no forbidden word.

Letter j is the letter drawn for j; if that letter would complete a forbidden word, the next letter of the alphabet that
completes none. It depends only on the letters before it, so a shorter row's filler is a prefix of a longer row's.
Must not change without a major version: the wording, and the letters that a stream and a list of words give.
"""

import re
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.stream import Stream

ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHORTEST: Final = 3
_WORD: Final = re.compile(rf"[A-Za-z]{{{SHORTEST},}}")
_STORIES: Final = {
    "even": (
        "Below are three short stories. Each stands within a run of capital letters, which mean nothing; then comes a "
        "question about its main person with four choices. Exactly one choice is right. "
    ),
    "top": (
        "Below are three short stories. After each one stands a run of capital letters, which mean nothing, and then a "
        "question about its main person with four choices. Exactly one choice is right. "
    ),
}
_HINT: Final = (
    "It is (D) wherever the story does not tell the answer: what it says of somebody else does not count, and guessing "
    "is wrong. "
)
_EXAMPLES: Final = "The first two questions come with their answers. Answer the third.\n\n"
# By the recipe's `depth` and `hint`.
INTRODUCTIONS: Final = {
    (depth, hint): stories + _HINT * hint + _EXAMPLES for depth, stories in _STORIES.items() for hint in (False, True)
}
STORY: Final = "Story {number}\n"
QUESTION: Final = "Question {number}: "
BLANK: Final = "\n\n"
LETTERS: Final = ("A", "B", "C", "D")
CHOICE: Final = "({letter}) "
UNKNOWN: Final = "I don't know"
ANSWER_PREFIX: Final = "Answer:"
CLOSING: Final = (
    "\nReply to question 3 with one line of the form “Answer: X”, where X is the letter of the right choice.\n"
)


def forbidden_words(texts: Iterable[str]) -> tuple[str, ...]:
    """The distinct words of three or more letters in the texts, in capitals and in alphabetical order."""
    return tuple(sorted({word.upper() for text in texts for word in _WORD.findall(text)}))


def draw_letters(stream: Stream, count: int, words: Sequence[str]) -> bytes:
    """The first `count` letters of a stream's filler, without spaces; they spell no word of `words`.

    Linear: a million letters and forty words take 0.2 s, a third of it for the draws.
    """
    letters = bytearray((stream.below_many(len(ALPHABET), count) + ord("A")).astype(np.uint8).tobytes())
    spelled = [word.encode() for word in words]
    longest = max(map(len, spelled), default=0)
    # Where drawn words end; a changed letter may complete another word further on.
    ends = [end for word in spelled for end in _ends(letters, word)]
    heapify(ends)
    while ends:
        at = heappop(ends)
        if not _completes(letters, at, spelled):
            continue
        # Some letter completes no word: no story has words enough to exclude all 26.
        for _ in ALPHABET:
            letters[at] = ord("A") + (letters[at] - ord("A") + 1) % len(ALPHABET)
            if not _completes(letters, at, spelled):
                break
        for later in range(at + 1, min(at + longest, count)):
            heappush(ends, later)
    return bytes(letters)


def spaced(letters: bytes) -> str:
    """The letters with a space between them."""
    out = np.full(max(0, 2 * len(letters) - 1), ord(" "), dtype=np.uint8)
    out[::2] = np.frombuffer(letters, dtype=np.uint8)
    return out.tobytes().decode("ascii")


def fitting(letters: bytes, costs: NDArray[np.int64], room: int) -> tuple[int, int]:
    """How many of the first letters fit into `room` tokens, and their cost; `costs`: tokens a letter, shape (26,)."""
    totals = costs[np.frombuffer(letters, dtype=np.uint8) - ord("A")].cumsum()
    number = int(np.searchsorted(totals, room, side="right"))
    return number, int(totals[number - 1]) if number else 0


def _ends(letters: bytearray, word: bytes) -> list[int]:
    """The index of the last letter of each occurrence of a word."""
    ends = []
    at = letters.find(word)
    while at >= 0:
        ends.append(at + len(word) - 1)
        at = letters.find(word, at + 1)
    return ends


def _completes(letters: bytearray, at: int, words: Sequence[bytes]) -> bool:
    """Whether the letter at `at` is the last of one of the words."""
    return any(letters.endswith(word, 0, at + 1) for word in words)
