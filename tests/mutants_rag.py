"""Damaged drafts of rag: evidence lost, doubled or moved, answers where none may stand, another question."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from edits import edited

from carrara.task import Draft

_PERSON = re.compile("[A-Z][a-z]+ [A-Z][a-z]+")


def changed(draft: Draft, start: int, end: int, text: str, passages: int = 0) -> Draft:
    """The draft with prompt[start:end] replaced, its spans and those of its facts moved; so many passages more."""
    shift = len(text) - (end - start)
    low, high = draft.facts["body"]
    body = [low + shift if low >= end else low, high + shift if high >= end else high]
    return with_facts(edited(draft, start, end, text), body=body, passages=draft.facts["passages"] + passages)


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def blocks(draft: Draft) -> list[tuple[int, int]]:
    """Where each passage stands, its blank line included."""
    start, end = draft.facts["body"]
    found = []
    while start < end:
        stop = draft.prompt.index("\n\n", start) + 2
        found.append((start, stop))
        start = stop
    return found


def golds(draft: Draft) -> list[int]:
    """The places of the gold passages, in the order of the evidence."""
    return [[a <= start < b for a, b in blocks(draft)].index(True) for start, _ in draft.evidence]


def distractor(draft: Draft) -> tuple[int, int]:
    """A passage in the middle that is none of the golds."""
    kept, held = blocks(draft), set(golds(draft))
    return next(kept[at] for at in range(len(kept) // 2, len(kept)) if at not in held)


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each gold passage is taken out, and its span points at the text of the passage that came to stand there."""
    for number, place in enumerate(golds(draft)):
        start, stop = blocks(draft)[place]
        left = changed(draft, start, stop, "", -1)
        there = blocks(left)[min(place, len(blocks(left)) - 1)]
        text = left.prompt.index("\n", there[0]) + 1
        spans = list(left.evidence)
        spans[number] = (text, there[1] - 2)
        yield replace(left, evidence=tuple(spans))


def _people(draft: Draft) -> Iterator[str]:
    """The titles that are people's: their text calls them by the surname alone."""
    for start, stop in blocks(draft):
        title, _, text = draft.prompt[start:stop].removeprefix("Title: ").partition("\n")
        if _PERSON.fullmatch(title) and re.search(rf"(?<!{title.split()[0]} )\b{title.split()[1]}\b", text):
            yield title


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold passage stands a second time at the end, and gives another answer of the same kind."""
    place, answer = golds(draft)[-1], draft.answers[0]
    start, stop = blocks(draft)[place]
    if answer.replace(",", "").isdigit():
        another = str((int(answer[0]) + 4) % 9 + 1) + answer[1:]
    elif _PERSON.fullmatch(answer):
        another = next((name for name in _people(draft) if name != answer), "")
    else:
        another = ""
    again = draft.prompt[start:stop].replace(answer, another)
    if another and again != draft.prompt[start:stop] and another not in draft.prompt[start:stop]:
        end = draft.facts["body"][1]
        yield changed(draft, end, end, again, 1)


def answer_in_a_distractor(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each accepted name stands in another passage too: in its text, in its title, in other letters."""
    start, stop = distractor(draft)
    for name in draft.facts["accepted"]:
        yield changed(draft, stop - 2, stop - 2, f" {name}, it seems.")
        yield changed(draft, stop - 2, stop - 2, f" ({name.upper()}’s)")
        title = draft.prompt.index("\n", start)
        yield changed(draft, title, title, f" ({name})")


def answer_before_the_passages(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An accepted name stands in an example, or in the question."""
    name = draft.facts["accepted"][-1]
    at = draft.prompt.index("Answer: ") + len("Answer: ")
    yield changed(draft, at, at, f"{name} ")
    end = len(draft.prompt) - 1
    asked = f" Not {name}?"
    yield with_facts(changed(draft, end, end, asked), question=draft.facts["question"] + asked)


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, the record this one's."""
    end = len(draft.prompt) - 1
    if draft.facts["question"] != other.facts["question"]:
        yield changed(draft, end - len(draft.facts["question"]), end, other.facts["question"])


def question_and_record_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, in the record too: only a solver can tell."""
    for one in question_of_another(draft, other):
        yield with_facts(one, question=other.facts["question"])


def passage_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage stands twice."""
    start, stop = distractor(draft)
    end = draft.facts["body"][1]
    yield changed(draft, end, end, draft.prompt[start:stop], 1)


def passages_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A gold passage changes places with the one that is furthest from it."""
    for number, place in enumerate(golds(draft)):
        kept = blocks(draft)
        other_place = 0 if place >= len(kept) // 2 else len(kept) - 1
        if other_place in golds(draft):
            continue
        first, second = sorted((place, other_place))
        (a, b), (c, d) = kept[first], kept[second]
        prompt, shift = draft.prompt, (d - c) - (b - a)
        swapped = prompt[:a] + prompt[c:d] + prompt[b:c] + prompt[a:b] + prompt[d:]
        moved = []
        for at, (start, stop) in enumerate(draft.evidence):
            by = (c + shift - a if place == first else a - c) if at == number else shift if b <= start < c else 0
            moved.append((start + by, stop + by))
        yield replace(draft, prompt=swapped, evidence=tuple(moved))


def passage_spoiled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage is nearly empty, or holds a character that was lost."""
    start, stop = distractor(draft)
    text = draft.prompt.index("\n", start) + 1
    yield changed(draft, text, stop - 2, "See.")
    yield changed(draft, text, text, "\ufffd ")


def passage_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage is missing that the record counts."""
    start, stop = distractor(draft)
    yield changed(draft, start, stop, "")


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is that of another item."""
    if not set(draft.answers) & set(other.answers):
        yield replace(draft, answers=other.answers)
        yield with_facts(replace(draft, answers=other.answers), accepted=other.facts["accepted"])


RAG = (
    evidence_removed,
    evidence_doubled,
    answer_in_a_distractor,
    answer_before_the_passages,
    question_of_another,
    question_and_record_of_another,
    passage_doubled,
    passages_swapped,
    passage_spoiled,
    passage_lost,
    gold_of_another,
)
# A second passage that says something else, and a question that other passages answer: only a solver notices.
UNSEEN_RAG = (evidence_doubled, question_and_record_of_another)
