"""The audit of rag rows from any source, and guesses that do not look for the answer.

The audit proves that the answer stands where the row says, and nowhere else. The guesses measure chance and cheap
search. `subem` reads only the beginning of a response, so a passage counts with its first 400 characters, two thirds.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.gold_checks import GoldBlocks, depths, elsewhere, listed, plain, sought, spans
from carrara.tasks.helmet.rag.solver import PASSAGES, TAIL, read_prompt
from carrara.world import latent

_LEAST: Final = 10
READ: Final = 400
# Words that begin sentences and name nothing.
_NO_NAMES: Final = frozenset(
    (
        *("The", "A", "An", "It", "Its", "He", "She", "His", "Her", "They", "Their", "In", "On", "At", "As", "Of"),
        *("For", "From", "With", "By", "And", "But", "Or", "This", "That", "These", "Those"),
    )
)
_NAME: Final = re.compile(r"[A-Z][\w’'-]*(?: [A-Z][\w’'-]*)*")
_WORD: Final = re.compile(r"\w+")


def audit_row(draft: Draft) -> Iterator[Finding]:
    """Check the frame, that passages are whole and different, and that only the golds contain the answer."""
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
    gold_blocks = listed(draft, blocks)
    if wrong := list(spans(draft, gold_blocks, "passage")):
        yield from wrong
        return
    yield from _placed(draft, gold_blocks)
    yield from depths(draft, gold_blocks, "passage")
    yield from _answered(draft, blocks, gold_blocks.golds)
    if _is_latent(draft):
        for index in gold_blocks.golds:
            text = blocks[index].removeprefix("Title: ")
            for answer in draft.answers:
                text = text.replace(answer, "")
            if shared := latent.overlap("en", facts["question"], text):
                yield Finding("overlap", f"question and evidence share {sorted(shared)}")


def _is_latent(draft: Draft) -> bool:
    return str(draft.facts["question_id"]).startswith("latent/")


def _passages(blocks: Sequence[str]) -> Iterator[Finding]:
    if len(set(blocks)) < len(blocks):
        yield Finding("passages", f"{len(blocks) - len(set(blocks))} of {len(blocks)} stand twice")
    for index, block in enumerate(blocks):
        text = block.rpartition("\n")[2]
        if sum(map(str.isalnum, text[: 10 * _LEAST])) < _LEAST:
            yield Finding("passages", f"passage {index} is nearly empty: {text[:80]!r}")


def _placed(draft: Draft, gold_blocks: GoldBlocks) -> Iterator[Finding]:
    position, positions = draft.facts["position"]
    if len(gold_blocks.golds) == 1 and positions > 1 and not _is_latent(draft):
        wanted = position * (gold_blocks.count - 1) / (positions - 1)
        if abs(gold_blocks.golds[0] - wanted) > 1:
            yield Finding(
                "position", f"gold is passage {gold_blocks.golds[0]} of {gold_blocks.count}; {wanted:.1f} is wanted"
            )


def _answered(draft: Draft, blocks: Sequence[str], places: Sequence[int]) -> Iterator[Finding]:
    facts, prompt = draft.facts, draft.prompt
    names = sought(facts["accepted"])
    unknown = [answer for answer in draft.answers if answer not in facts["accepted"]]
    if not names or unknown:
        yield Finding("gold", f"{unknown} not among the accepted names, or none of them has a word")
    golds = [plain(blocks[index]) for index in places]
    if not any(name in golds[-1] for name in names):
        yield Finding("evidence", f"the last gold passage holds none of {facts['accepted'][:5]}")
    written = sought(draft.answers[:1])
    if facts["world"] and not any(name in golds[-1] for name in written):
        yield Finding("evidence", f"the last gold passage does not hold {draft.answers[:1]}")
    others = [block for index, block in enumerate(blocks) if index not in set(places)]
    parts = {
        "the examples": prompt[: facts["body"][0]],
        "the question": facts["question"],
        "another passage": "\n".join(others),
    }
    yield from elsewhere(names, parts)


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Equally likely responses of each guesser."""
    reading = read_prompt(draft.prompt)
    if reading is None:
        return {}
    texts = [text for _, text in reading.passages]
    best = best_passage(reading.question, [f"{title} {text}" for title, text in reading.passages])
    return {
        "the passage that BM25 ranks first": (texts[best][:READ],),
        "the commonest name of that passage": (commonest_name([texts[best]], reading.question),),
        "the commonest name of all passages": (commonest_name(texts, reading.question),),
        "the first passage": tuple(text[:READ] for text in _first(draft, texts)),
        "any passage": tuple(text[:READ] for text in texts),
        "the title of the passage that BM25 ranks first": (reading.passages[best][0],),
        "no passage: the question again": (reading.question,),
        "no passage: an example's answer": tuple(answer for _, answer in reading.examples),
    }


def _first(draft: Draft, texts: Sequence[str]) -> list[str]:
    """The first passage of each row of the item: probes see only one row, in which a single gold may come first."""
    _, placements = draft.facts["position"]
    gold = [draft.prompt[start:end] for start, end in draft.evidence]
    if len(gold) > 1 or placements == 1 or _is_latent(draft):
        return [texts[0]]
    others = [text for text in texts if text not in gold]
    return [*gold, *others[:1] * (placements - 1)]


def best_passage(question: str, texts: Sequence[str]) -> int:
    """The number of the text that BM25 ranks first for a question, the first of equals."""
    import bm25s

    index = bm25s.BM25()
    index.index([_WORD.findall(text.lower()) for text in texts], show_progress=False)
    known = [word for word in _WORD.findall(question.lower()) if word in index.vocab_dict]
    return int(index.get_scores(known).argmax()) if known else 0


def commonest_name(texts: Sequence[str], question: str) -> str:
    """The capitalised phrase that stands in most texts and not in the question; "" for none, the first of equals."""
    counts: Counter[str] = Counter()
    for text in texts:
        phrases = dict.fromkeys(_NAME.findall(text))
        counts.update(name for name in phrases if name not in _NO_NAMES and name not in question)
    return counts.most_common(1)[0][0] if counts else ""
