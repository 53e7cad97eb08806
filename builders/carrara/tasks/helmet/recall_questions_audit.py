"""What is proven of a question among documents whoever gave its gold: where the answer stands, and nowhere else.

Answers are found by other words than those that chose the documents. The numbers before documents are no text: a year
may be one of them.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from carrara.task import Draft, Finding
from carrara.tasks.helmet.rag_audit import plain, sought
from carrara.tasks.helmet.recall_questions_templates import INTRODUCTION, NUMBER, TAIL

_LEAST: Final = 10
# Places by which a gold may stand off its depth.
_OFF: Final = 1.5
_SHOWN: Final = 60


def audit(draft: Draft) -> Iterator[Finding]:
    """The frame is this task's, the documents are whole and different, and the golds alone hold the answer."""
    facts, prompt = draft.facts, draft.prompt
    start, end = facts["body"]
    if prompt[:start] != INTRODUCTION or prompt[end:] != TAIL.format(question=facts["question"]):
        yield Finding("layout", f"the documents at {start}..{end} do not stand before {facts['question']!r}")
        return
    *blocks, rest = prompt[start:end].split("\n\n")
    if rest or len(blocks) != facts["passages"]:
        yield Finding("layout", f"{len(blocks)} documents and {rest!r}, recorded {facts['passages']}")
        return
    held = []
    for number, block in enumerate(blocks, 1):
        heading = NUMBER.format(number=number)
        held.append(block.removeprefix(heading))
        if held[-1] == block:
            yield Finding("layout", f"document {number} begins {block[:_SHOWN]!r}")
            return
    yield from _documents(held)
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
            yield Finding("evidence", f"{first}..{last} is not the text of document {place + 1}")
            return
    found = [hashlib.sha256(prompt[first:last].encode()).hexdigest() for first, last in draft.evidence]
    if found != facts["gold_sha256"]:
        yield Finding("evidence", f"{facts['gold']} are not in the prompt letter for letter")
    yield from _placed(draft, starts, places)
    yield from _answered(draft, held, places)


def _documents(held: Sequence[str]) -> Iterator[Finding]:
    if len(set(held)) < len(held):
        yield Finding("documents", f"{len(held) - len(set(held))} of {len(held)} stand twice")
    for number, block in enumerate(held, 1):
        text = block.rpartition("\n")[2]
        if block.count("\n") > 1 or sum(map(str.isalnum, text[: 10 * _LEAST])) < _LEAST:
            yield Finding("documents", f"document {number} is no title and text, or nearly empty: {block[:_SHOWN]!r}")


def _placed(draft: Draft, starts: Sequence[int], places: Sequence[int]) -> Iterator[Finding]:
    count, length = len(starts) - 1, starts[-1] - starts[0]
    others = count - len(places)
    for place, wanted, depth in zip(places, draft.facts["wanted_depths"], draft.depths, strict=True):
        if not 0 <= wanted < 1 or abs(place - wanted * (others + 1)) > len(places) - 1 + _OFF:
            yield Finding("position", f"document {place + 1} of {count} is gold; {wanted:.3f} of the way is wanted")
        share = (starts[place] - starts[0]) / length
        # Tokens and characters agree to within a document, and one in twenty.
        if abs(depth - share) > max(0.05, 1 / count):
            yield Finding("position", f"document {place + 1} stands at {share:.3f} of all; depth says {depth}")


def _answered(draft: Draft, held: Sequence[str], places: Sequence[int]) -> Iterator[Finding]:
    facts = draft.facts
    names = sought(facts["accepted"])
    unknown = [answer for answer in draft.answers if answer not in facts["accepted"]]
    if not names or unknown:
        yield Finding("gold", f"{unknown} not among the accepted names, or none of them has a word")
    last = plain(held[places[-1]])
    if not any(name in last for name in sought(draft.answers)):
        yield Finding("evidence", f"the last gold document holds none of {draft.answers[:5]}")
    golds = set(places)
    parts = {
        "the instruction": INTRODUCTION + TAIL.format(question=""),
        "the question": facts["question"],
        "another document": "\n".join(block for place, block in enumerate(held) if place not in golds),
    }
    for where, text in parts.items():
        line = plain(text)
        for name in names:
            if (at := line.find(name)) >= 0:
                shown = line[max(0, at - _SHOWN) : at + _SHOWN]
                yield Finding("answer elsewhere", f"{where} holds {name.strip()!r}: {shown!r}")
                break
