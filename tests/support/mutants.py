"""Damaged drafts that several tasks share (TASKS section 0); a task's own stand in its test file.

A mutant shifts the spans behind its edit, so that it is found out by what it says and not by a span gone astray.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from carrara.task import Draft

Mutant = Callable[[Draft, Draft], Iterator[Draft]]


def edited(draft: Draft, start: int, end: int, text: str) -> Draft:
    """The draft with prompt[start:end] replaced and the spans behind it moved."""
    shift = len(text) - (end - start)
    evidence = tuple(
        (a + shift, b + shift) if a >= end else (a, b + shift) if a <= start and b >= end else (a, b)
        for a, b in draft.evidence
    )
    return replace(draft, prompt=draft.prompt[:start] + text + draft.prompt[end:], evidence=evidence)


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each piece of evidence is taken out, and its span points at what came to stand there."""
    for start, end in draft.evidence:
        yield edited(draft, start, end + 1, "")


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A needle stands a second time, with another name."""
    for (start, end), answer in zip(draft.evidence, draft.answers, strict=True):
        sentence = draft.prompt[start:end].replace(answer, other.answers[0])
        yield edited(draft, end, end, f" {sentence}")


def gold_in_filler(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The answer stands in a filler sentence too."""
    middle = draft.prompt.index("\n\n", len(draft.prompt) // 3)
    yield edited(draft, middle, middle, f" {draft.answers[0]}")


def filler_made_relevant(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A filler sentence becomes a second statement about what is asked."""
    sentence = draft.facts["reference"][0].replace(draft.answers[0], other.answers[-1])
    middle = draft.prompt.index("\n\n", len(draft.prompt) // 3)
    yield edited(draft, middle, middle, f" {sentence}")


def gold_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The recorded gold is that of another item."""
    if sorted(other.answers) != sorted(draft.answers):
        yield replace(draft, answers=other.answers)


def answers_reordered(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The ordinal is shifted: the answers stand for other questions."""
    if len(draft.answers) > 1:
        yield replace(draft, answers=(*draft.answers[1:], draft.answers[0]))


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The text around the filler, and so the question, is another item's."""
    ours, theirs = _tail(draft.prompt), _tail(other.prompt)
    if ours != theirs and other.answers != draft.answers:
        yield edited(draft, len(draft.prompt) - len(ours), len(draft.prompt), theirs)


def _tail(prompt: str) -> str:
    return prompt[prompt.rindex("[The text ends]" if "[The text ends]" in prompt else "【正文结束】") :]


# Of tasks that retrieve needles.
NEEDLES: tuple[Mutant, ...] = (
    evidence_removed,
    evidence_doubled,
    gold_in_filler,
    filler_made_relevant,
    gold_exchanged,
    answers_reordered,
    question_of_another,
)
