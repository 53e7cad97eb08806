"""Checks of gold passages from any source: they stand where the row says, and the answer stands nowhere else.

This file finds answers by word rules of its own, not by the rules that chose the passages or by those that score.
"""

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.task import Draft, Finding

_APOSTROPHES: Final = "‘’ʼ′`´＇"
# Each pattern begins with the character that it removes: quick on a megabyte.
_INNER: Final = re.compile(r"'(?<=\w')(?![sS]\b)(?=\w)")
_THOUSANDS: Final = re.compile(r",(?<=[0-9],)(?=[0-9]{3}(?![0-9]))")
_NO_WORD: Final = re.compile(r"[^\w\n]+|_+")
_WORDS: Final = bytes(
    ord(char.lower()) if char.isalnum() or char == "\n" else ord(" ") for char in map(chr, range(128))
) + bytes(128)
_ARTICLES: Final = ("the ", "a ", "an ")
# After an article, a shorter name may be any word: "The Who".
_LONG_NAME: Final = 7
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class GoldBlocks:
    """Blocks of a prompt, each ended by an empty line: their starts (and the end of the last), and which are golds."""

    starts: list[int]
    golds: list[int]

    @property
    def count(self) -> int:
        """The number of blocks."""
        return len(self.starts) - 1

    def share(self, index: int) -> float:
        """The depth of a block's start among all blocks, in characters: 0 to 1."""
        return (self.starts[index] - self.starts[0]) / (self.starts[-1] - self.starts[0])


def listed(draft: Draft, blocks: Sequence[str]) -> GoldBlocks:
    """The positions of the body's blocks, and which of them contain the evidence."""
    starts = [draft.facts["body"][0]]
    for block in blocks:
        starts.append(starts[-1] + len(block) + 2)
    return GoldBlocks(starts, [bisect_right(starts, start) - 1 for start, _ in draft.evidence])


def spans(draft: Draft, blocks: GoldBlocks, what: str) -> Iterator[Finding]:
    """Check that each span of evidence is the last line of a block of its own, and exactly a gold."""
    facts, prompt = draft.facts, draft.prompt
    golds = len(draft.evidence)
    if not 1 <= golds == draft.complexity == len(draft.depths) == len(facts["gold"]) == len(set(blocks.golds)):
        yield Finding("evidence", f"complexity {draft.complexity}, spans {draft.evidence}, gold {facts['gold']}")
        return
    for gold, (first, last) in zip(blocks.golds, draft.evidence, strict=True):
        if not blocks.starts[0] <= first < last or blocks.starts[gold + 1] - 2 != last or prompt[first - 1] != "\n":
            yield Finding("evidence", f"{first}..{last} is not the text of {what} {gold + 1}")
            return
    held = [hashlib.sha256(prompt[first:last].encode()).hexdigest() for first, last in draft.evidence]
    if held != facts["gold_sha256"]:
        yield Finding("evidence", f"{facts['gold']} are not in the prompt letter for letter")


def depths(draft: Draft, blocks: GoldBlocks, what: str) -> Iterator[Finding]:
    """Check the depths of the golds: tokens and characters agree to within a block, or 5 %."""
    for gold, depth in zip(blocks.golds, draft.depths, strict=True):
        if abs(depth - (share := blocks.share(gold))) > max(0.05, 1 / blocks.count):
            yield Finding("position", f"{what} {gold + 1} stands at {share:.3f} of all; depth says {depth}")


def elsewhere(names: Sequence[str], parts: Mapping[str, str]) -> Iterator[Finding]:
    """Find the first name (in the form of `sought`) that each part of a prompt contains."""
    for where, text in parts.items():
        line = plain(text)
        for name in names:
            if (at := line.find(name)) >= 0:
                shown = line[max(0, at - _SHOWN) : at + _SHOWN]
                yield Finding("answer elsewhere", f"{where} holds {name.strip()!r}: {shown!r}")
                break


def plain(text: str) -> str:
    """The words of a text in lower case between single spaces; a line break becomes a word that no name has."""
    if not text.isascii():
        # Not `translate`: it takes ten times as long on a megabyte. The world's texts are ASCII afterwards.
        for mark in _APOSTROPHES:
            text = text.replace(mark, "'")
    text = _THOUSANDS.sub("", _INNER.sub("", text))
    if text.isascii():
        text = text.encode().translate(_WORDS).decode()
    else:
        text = _NO_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold())
    text = f" {text} ".replace("\n", " | ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def sought(names: Sequence[str]) -> list[str]:
    """The forms to look for in a plain text to find one of some names: the names without a leading article."""
    forms = []
    for name in names:
        words = " ".join(plain(name).split())
        for article in _ARTICLES:
            rest = words.removeprefix(article)
            if rest != words and (" " in rest or len(rest) >= _LONG_NAME):
                words = rest
                break
        if words:
            forms.append(f" {words} ")
    return list(dict.fromkeys(forms))
