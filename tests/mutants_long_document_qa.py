"""Damaged drafts of long_document_qa: evidence lost or contradicted, another gold, question, option, text or depth."""

import re
from collections.abc import Iterator
from dataclasses import replace

from edits import edited

from carrara.task import Draft

# Another value of each kind that answers have.
_VALUES = {
    r"[0-9][0-9,]* marks": "7,777 marks",
    r"[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}": "1 May 1701",
    r"[A-Z][a-z]+ [A-Z][a-z]+": "Wilhelmina Underhill",
    r"[A-Z][a-z]+": "Underhillsea",
}


def _moved(draft: Draft, start: int, end: int, text: str) -> Draft:
    """The draft with a piece of its text replaced, and the end of the text moved."""
    low, high = draft.facts["body"]
    facts = {**draft.facts, "body": [low, high + len(text) - (end - start)]}
    return replace(edited(draft, start, end, text), facts=facts)


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The sentence that answers is taken out, and its span points at what came to stand there."""
    for start, end in draft.evidence:
        left = _moved(draft, start, end + 1, "")
        yield replace(left, evidence=((start, left.prompt.index(".", start) + 1),))
    if not draft.evidence:
        # Of a real document nobody knows where the answer stands; that is not to be said then.
        start = draft.facts["body"][0]
        yield replace(draft, evidence=((start, draft.prompt.index(".", start) + 1),))


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A second sentence says the same of another value, right behind the evidence; of a real text, the end is lost."""
    for start, end in draft.evidence:
        sentence, answer = draft.prompt[start:end], _answer(draft)
        another = next(value for shape, value in _VALUES.items() if re.fullmatch(shape, answer))
        yield _moved(draft, end, end, f"\n{sentence.replace(answer, another)}")
    if not draft.evidence:
        high = draft.facts["body"][1]
        yield edited(draft, high - 40, high, "")


def _answer(draft: Draft) -> str:
    return draft.choices[ord(draft.answers[0]) - ord("A")] if draft.choices else draft.answers[0]


def answer_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is another one's: of the next item, of the next option."""
    if draft.choices:
        letter = chr(ord("A") + (ord(draft.answers[0]) - ord("A") + 1) % len(draft.choices))
        yield replace(draft, answers=(letter,))
    elif draft.answers != other.answers:
        yield replace(draft, answers=other.answers)


def form_missing(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An accepted form of the gold is missing, or one too many is there."""
    yield replace(draft, answers=draft.answers[1:] or ("Z",))
    yield replace(draft, answers=(*draft.answers, "Z"))


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question, with its options, is another item's."""
    ours, theirs = (one.prompt[one.facts["body"][1] :] for one in (draft, other))
    if ours != theirs:
        yield edited(draft, len(draft.prompt) - len(ours), len(draft.prompt), theirs)


def second_right_option(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another option is the right one too, in other case; an open question gets options."""
    right = _answer(draft)
    options = [one if one == right or number != 1 else right for number, one in enumerate(draft.choices)]
    if options and options.count(right) < 2:
        options = [right if one == right or number == 0 else one for number, one in enumerate(draft.choices)]
    options = options or [right, "none of these"]
    at = draft.facts["body"][1]
    tail = draft.prompt[at:]
    bare = tail[: tail.index("\n", tail.index("Question: ")) + 1]
    listed = "".join(f"{letter}. {one}\n" for letter, one in zip("ABCDEFGH", options, strict=False))
    shown = edited(draft, at, len(draft.prompt), bare + listed)
    yield replace(shown, choices=tuple(options), facts={**shown.facts, "options": options})


def text_damaged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The text ends in the middle, begins with a blank, or holds what replaces characters that could not be read."""
    low, high = draft.facts["body"]
    yield edited(draft, high - 30, high, "")
    yield _moved(draft, low, low, "\n")
    yield _moved(draft, (low + high) // 2, (low + high) // 2 + 1, "\ufffd")


def depth_shifted(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The evidence is said to stand elsewhere."""
    depth = draft.depths[0] if draft.depths else 0.0
    yield replace(draft, depths=((depth + 0.5) % 1,))
    if draft.depths:
        yield replace(draft, facts={**draft.facts, "depth": 1 - draft.facts["depth"] if abs(depth - 0.5) > 0.4 else -1})


LONG_DOCUMENTS = (
    evidence_removed,
    evidence_doubled,
    answer_of_another,
    form_missing,
    question_of_another,
    second_right_option,
    text_damaged,
    depth_shifted,
)
# Those that nobody can notice where people gave the gold.
UNSEEN_LONG_DOCUMENTS = (answer_of_another, form_missing)
