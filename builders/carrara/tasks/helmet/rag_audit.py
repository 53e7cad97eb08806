"""What is proven of a rag row whoever gave its gold: where the answer stands, and that it stands nowhere else."""

from collections.abc import Iterator, Sequence
from typing import Final

from carrara.task import Draft, Finding
from carrara.tasks.helmet.golds_audit import Listed, depths, elsewhere, listed, plain, sought, spans
from carrara.tasks.helmet.rag_templates import PASSAGES, TAIL

_LEAST: Final = 10


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
    found = listed(draft, blocks)
    if wrong := list(spans(draft, found, "passage")):
        yield from wrong
        return
    yield from _placed(draft, found)
    yield from depths(draft, found, "passage")
    yield from _answered(draft, blocks, found.golds)


def _passages(blocks: Sequence[str]) -> Iterator[Finding]:
    if len(set(blocks)) < len(blocks):
        yield Finding("passages", f"{len(blocks) - len(set(blocks))} of {len(blocks)} stand twice")
    for place, block in enumerate(blocks):
        text = block.rpartition("\n")[2]
        if sum(map(str.isalnum, text[: 10 * _LEAST])) < _LEAST:
            yield Finding("passages", f"passage {place} is nearly empty: {text[:80]!r}")


def _placed(draft: Draft, found: Listed) -> Iterator[Finding]:
    position, positions = draft.facts["position"]
    if len(found.golds) == 1 and positions > 1:
        wanted = position * (found.count - 1) / (positions - 1)
        if abs(found.golds[0] - wanted) > 1:
            yield Finding("position", f"gold is passage {found.golds[0]} of {found.count}; {wanted:.1f} is wanted")


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
    yield from elsewhere(names, parts)
