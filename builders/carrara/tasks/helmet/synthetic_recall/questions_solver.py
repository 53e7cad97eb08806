"""Parses a prompt of numbered documents, answers questions about the invented world, and audits rows.

It shares only the wording of the frame with the code that writes prompts. A prompt of another form has no answer. For
every source the audit proves where the answer is and that it is nowhere else, by other code than that which chose the
documents. The numbers of documents are not text: a year may be among them. `ruler/any` reads the beginning of a
response, so a guess consists of the first 400 characters of a document.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.gold_checks import GoldBlocks, depths, elsewhere, listed, plain, sought, spans
from carrara.tasks.helmet.rag.checks import READ, best_passage, commonest_name
from carrara.tasks.helmet.rag.solver import spelled
from carrara.tasks.helmet.synthetic_recall.prompt import DOCUMENT_NUMBER, DOCUMENTS_INTRODUCTION, DOCUMENTS_TAIL
from carrara.tasks.helmet.world_reader.answers import answers

_LONGEST_QUESTION: Final = 4_000
_LEAST: Final = 10
# Places by which a gold may stand off its depth.
_OFF: Final = 1.5
_SHOWN: Final = 60
# Documents that a guesser looks at.
_MOST: Final = 2_000


@dataclass(frozen=True, slots=True)
class DocumentsReading:
    """A parsed prompt: documents as (title, text), "" for no title."""

    documents: tuple[tuple[str, str], ...]
    question: str


def read_prompt(prompt: str) -> DocumentsReading | None:
    """Parse a prompt; None if it does not have exactly this form."""
    before, _, asked = DOCUMENTS_TAIL.partition("{question}")
    at = prompt.rfind(before, -_LONGEST_QUESTION - len(before))
    if at < 0 or not prompt.startswith(DOCUMENTS_INTRODUCTION) or not prompt.endswith(asked):
        return None
    question = prompt[at + len(before) : len(prompt) - len(asked)]
    documents = _documents(prompt[len(DOCUMENTS_INTRODUCTION) : at])
    if not question or "\n" in question or not documents:
        return None
    return DocumentsReading(documents, question)


def solve(prompt: str) -> tuple[str, ...]:
    """Return the answer as the documents spell it, and its other spellings; () unless there is exactly one."""
    if (reading := read_prompt(prompt)) is None:
        return ()
    values = {answer.value for answer in answers(reading.question, reading.documents)}
    return spelled(values.pop()) if len(values) == 1 else ()


def audit(draft: Draft) -> Iterator[Finding]:
    """Check the frame, that documents are whole and distinct, and that only the golds contain the answer."""
    facts, prompt = draft.facts, draft.prompt
    start, end = facts["body"]
    if prompt[:start] != DOCUMENTS_INTRODUCTION or prompt[end:] != DOCUMENTS_TAIL.format(question=facts["question"]):
        yield Finding("layout", f"the documents at {start}..{end} do not stand before {facts['question']!r}")
        return
    *blocks, rest = prompt[start:end].split("\n\n")
    if rest or len(blocks) != facts["passages"]:
        yield Finding("layout", f"{len(blocks)} documents and {rest!r}, recorded {facts['passages']}")
        return
    held = []
    for number, block in enumerate(blocks, 1):
        heading = DOCUMENT_NUMBER.format(number=number)
        held.append(block.removeprefix(heading))
        if held[-1] == block:
            yield Finding("layout", f"document {number} begins {block[:_SHOWN]!r}")
            return
    yield from _whole(held)
    if "\ufffd" in prompt:
        yield Finding("damage", f"U+FFFD at {prompt.index(chr(0xFFFD))}")
    gold_blocks = listed(draft, blocks)
    if wrong := list(spans(draft, gold_blocks, "document")):
        yield from wrong
        return
    yield from _placed(draft, gold_blocks)
    yield from depths(draft, gold_blocks, "document")
    yield from _answered(draft, held, gold_blocks.golds)


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Equally likely responses of each guesser."""
    reading = read_prompt(draft.prompt)
    if reading is None:
        return {}
    texts = [text for _, text in reading.documents[:_MOST]]
    best = best_passage(reading.question, [f"{title} {text}" for title, text in reading.documents[:_MOST]])
    return {
        "the document that BM25 ranks first": (texts[best][:READ],),
        "the commonest name of that document": (commonest_name([texts[best]], reading.question),),
        "the title of that document": (reading.documents[best][0],),
        "any document": tuple(text[:READ] for text in texts),
    }


def _documents(text: str) -> tuple[tuple[str, str], ...]:
    """The documents of a part of the prompt, numbered from 1; none where one of them is no document."""
    *blocks, rest = text.split("\n\n")
    if rest:
        return ()
    documents = []
    for number, block in enumerate(blocks, 1):
        heading = DOCUMENT_NUMBER.format(number=number)
        lines = block[len(heading) :].split("\n")
        if not block.startswith(heading) or not 1 <= len(lines) <= 2 or not all(lines):
            return ()
        documents.append((lines[0] if len(lines) == 2 else "", lines[-1]))
    return tuple(documents)


def _whole(held: Sequence[str]) -> Iterator[Finding]:
    if len(set(held)) < len(held):
        yield Finding("documents", f"{len(held) - len(set(held))} of {len(held)} stand twice")
    for number, block in enumerate(held, 1):
        text = block.rpartition("\n")[2]
        if block.count("\n") > 1 or sum(map(str.isalnum, text[: 10 * _LEAST])) < _LEAST:
            yield Finding("documents", f"document {number} is no title and text, or nearly empty: {block[:_SHOWN]!r}")


def _placed(draft: Draft, gold_blocks: GoldBlocks) -> Iterator[Finding]:
    golds, others = len(gold_blocks.golds), gold_blocks.count - len(gold_blocks.golds)
    for gold, wanted in zip(gold_blocks.golds, draft.facts["wanted_depths"], strict=True):
        if not 0 <= wanted < 1 or abs(gold - wanted * (others + 1)) > golds - 1 + _OFF:
            yield Finding(
                "position", f"document {gold + 1} of {gold_blocks.count} is gold; {wanted:.3f} of the way is wanted"
            )


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
        "the instruction": DOCUMENTS_INTRODUCTION + DOCUMENTS_TAIL.format(question=""),
        "the question": facts["question"],
        "another document": "\n".join(block for index, block in enumerate(held) if index not in golds),
    }
    yield from elsewhere(names, parts)
