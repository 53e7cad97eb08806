"""What is proven of a rag row whoever gave its gold: where the answer stands, and that it stands nowhere else.

Answers are found by words of this file's own making: not by the rules that filtered the run, nor by those that score.
"""

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from carrara.task import Draft, Finding
from carrara.tasks.helmet.rag_templates import PASSAGES, TAIL

_APOSTROPHES: Final = "‘’ʼ′`´＇"
# Each begins with the character that it is about: quick on a megabyte.
_INNER: Final = re.compile(r"'(?<=\w')(?![sS]\b)(?=\w)")
_THOUSANDS: Final = re.compile(r",(?<=[0-9],)(?=[0-9]{3}(?![0-9]))")
_NO_WORD: Final = re.compile(r"[^\w\n]+|_+")
_WORDS: Final = bytes(
    ord(char.lower()) if char.isalnum() or char == "\n" else ord(" ") for char in map(chr, range(128))
) + bytes(128)
_ARTICLES: Final = ("the ", "a ", "an ")
# Behind an article a shorter name may be any word: "The Who".
_LONG_NAME: Final = 7
_LEAST: Final = 10


def plain(text: str) -> str:
    """The words of a text in lower case between single spaces, a line break as a word that no name has."""
    if not text.isascii():
        # Not `translate`, which takes ten times as long on a megabyte; the world's texts are ASCII then.
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
    """What is looked for in a plain text to find one of some names: names without a leading article."""
    found = []
    for name in names:
        words = " ".join(plain(name).split())
        for article in _ARTICLES:
            rest = words.removeprefix(article)
            if rest != words and (" " in rest or len(rest) >= _LONG_NAME):
                words = rest
                break
        if words:
            found.append(f" {words} ")
    return list(dict.fromkeys(found))


def audit_row(draft: Draft) -> Iterator[Finding]:
    """The frame is this task's, the passages are whole and different, and the golds alone hold the answer."""
    facts, prompt = draft.facts, draft.prompt
    start, end = facts["body"]
    if not prompt[:start].endswith(PASSAGES) or prompt[end:] != TAIL.format(question=facts["question"]):
        yield Finding(
            "layout", f"the passages at {start}..{end} do not stand before the question {facts['question']!r}"
        )
        return
    *blocks, rest = prompt[start:end].split("\n\n")
    if rest or len(blocks) != facts["passages"]:
        yield Finding("layout", f"{len(blocks)} passages and {rest!r}, recorded {facts['passages']}")
        return
    yield from _passages(blocks)
    if "\ufffd" in prompt:
        yield Finding("damage", f"U+FFFD at {prompt.index(chr(0xFFFD))}")
    starts = [start]
    for block in blocks:
        starts.append(starts[-1] + len(block) + 2)
    places = [bisect_right(starts, one) - 1 for one, _ in draft.evidence]
    golds = len(draft.evidence)
    if not 1 <= golds == draft.complexity == len(draft.depths) == len(facts["gold"]) == len(set(places)):
        yield Finding("evidence", f"complexity {draft.complexity}, spans {draft.evidence}, gold {facts['gold']}")
        return
    for place, (first, last) in zip(places, draft.evidence, strict=True):
        if not start <= first < last or starts[place + 1] - 2 != last or prompt[first - 1] != "\n":
            yield Finding("evidence", f"{first}..{last} is not the text of passage {place}")
            return
    held = [hashlib.sha256(prompt[first:last].encode()).hexdigest() for first, last in draft.evidence]
    if held != facts["gold_sha256"]:
        yield Finding("evidence", f"{facts['gold']} are not in the prompt letter for letter")
    yield from _placed(draft, starts, places)
    yield from _answered(draft, blocks, places)


def _passages(blocks: Sequence[str]) -> Iterator[Finding]:
    if len(set(blocks)) < len(blocks):
        yield Finding("passages", f"{len(blocks) - len(set(blocks))} of {len(blocks)} stand twice")
    for place, block in enumerate(blocks):
        text = block.rpartition("\n")[2]
        if sum(map(str.isalnum, text[: 10 * _LEAST])) < _LEAST:
            yield Finding("passages", f"passage {place} is nearly empty: {text[:80]!r}")


def _placed(draft: Draft, starts: Sequence[int], places: Sequence[int]) -> Iterator[Finding]:
    count, (position, positions) = len(starts) - 1, draft.facts["position"]
    if len(places) == 1 and positions > 1:
        wanted = position * (count - 1) / (positions - 1)
        if abs(places[0] - wanted) > 1:
            yield Finding("position", f"gold is passage {places[0]} of {count}; {wanted:.1f} is wanted")
    length = starts[-1] - starts[0]
    for place, depth in zip(places, draft.depths, strict=True):
        share = (starts[place] - starts[0]) / length
        # Tokens and characters agree to within a passage, and one in twenty.
        if abs(depth - share) > max(0.05, 1 / count):
            yield Finding("position", f"passage {place} stands at {share:.3f} of the passages; depth says {depth}")


def _answered(draft: Draft, blocks: Sequence[str], places: Sequence[int]) -> Iterator[Finding]:
    facts, prompt = draft.facts, draft.prompt
    names = sought(facts["accepted"])
    unknown = [answer for answer in draft.answers if answer not in facts["accepted"]]
    if not names or unknown:
        yield Finding("gold", f"{unknown} not among the accepted names, or none of them has a word")
    golds = [plain(blocks[place]) for place in places]
    if not any(name in golds[-1] for name in names):
        yield Finding("evidence", f"the last gold passage holds none of {facts['accepted'][:5]}")
    written = sought(draft.answers[:1])
    if facts["world"] and not any(name in golds[-1] for name in written):
        yield Finding("evidence", f"the last gold passage does not hold {draft.answers[:1]}")
    others = [block for place, block in enumerate(blocks) if place not in set(places)]
    parts = {
        "the examples": prompt[: facts["body"][0]],
        "the question": facts["question"],
        "another passage": "\n".join(others),
    }
    for where, text in parts.items():
        line = plain(text)
        for name in names:
            if (at := line.find(name)) >= 0:
                yield Finding(
                    "answer elsewhere", f"{where} holds {name.strip()!r}: {line[max(0, at - 60) : at + 60]!r}"
                )
                break
