"""Damaged drafts of in-context learning: labels exchanged, examples lost or doubled, the text asked among them."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from edits import edited

from carrara.task import Draft

ASKED = "The text that has no label yet:\n\n"
_LABEL = re.compile(r"\nlabel: ([0-9]+)\n\n")


def blocks(draft: Draft) -> list[tuple[int, int, str, str]]:
    """Every example: where it starts, where its blank line ends, its text and its number."""
    start = draft.prompt.index("\n\n") + 2
    end = draft.prompt.rindex(ASKED)
    found = []
    for match in _LABEL.finditer(draft.prompt, start, end):
        found.append((start, match.end(), draft.prompt[start : match.start()], match[1]))
        start = match.end()
    return found


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def retold(draft: Draft, place: int, text: str, number: str) -> Draft:
    """The draft with another example at a place."""
    start, end, *_ = blocks(draft)[place]
    return edited(draft, start, end, f"{text}\nlabel: {number}\n\n")


def own(draft: Draft) -> list[int]:
    """The places of the examples of the asked label."""
    return [place for place, (*_, number) in enumerate(blocks(draft)) if number == draft.answers[0]]


def example_relabelled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example has the number of another label, or one that there is not: in the whole rounds and in the cut one."""
    shown, labels = blocks(draft), draft.facts["labels"]
    whole = draft.facts["rounds"] * labels
    for place in {0, whole // 2, own(draft)[0]}:
        *_, text, number = shown[place]
        yield retold(draft, place, text, str((int(number) + 1) % labels))
        yield retold(draft, place, text, str(labels))
    if len(shown) > whole + 1:
        yield retold(draft, len(shown) - 1, shown[-1][2], shown[-2][3])


def labels_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example of the asked label changes texts with its neighbour: the rounds stay whole."""
    shown = blocks(draft)
    for place in own(draft)[:2]:
        neighbour = place + 1 if place % draft.facts["labels"] + 1 < draft.facts["labels"] else place - 1
        if neighbour < len(shown):
            moved = retold(draft, place, shown[neighbour][2], shown[place][3])
            yield retold(moved, neighbour, shown[place][2], shown[neighbour][3])


def example_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example is missing: the first, the last, one of the asked label."""
    shown = blocks(draft)
    for place in {0, len(shown) - 1, own(draft)[0]}:
        start, end, *_ = shown[place]
        yield edited(draft, start, end, "")


def example_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example stands a second time: at the end, and in place of another one of its label, or of any label."""
    shown = blocks(draft)
    _, end, *_ = shown[-1]
    *_, text, number = shown[0]
    yield edited(draft, end, end, f"{text}\nlabel: {number}\n\n")
    again = [place for place, one in enumerate(shown) if one[3] == number][1:]
    for place in again[:1]:
        yield retold(draft, place, text, number)
    yield retold(draft, 1, text, shown[1][3])
    yield retold(draft, 1, text.upper() + "!", shown[1][3])


def question_among_examples(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The text that is asked stands among the examples of its label: as it is, and in other letters."""
    asked = draft.facts["question"]
    for text in (asked, asked.upper(), f"{asked}!"):
        yield retold(draft, own(draft)[0], text, draft.answers[0])


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, the record this one's."""
    end = len(draft.prompt) - 1
    if draft.facts["question"] != other.facts["question"]:
        yield edited(draft, end - len(draft.facts["question"]), end, other.facts["question"])


def question_and_record_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, in the record too: only a solver can tell."""
    if draft.facts["label"] != other.facts["label"]:
        for one in question_of_another(draft, other):
            yield with_facts(one, question=other.facts["question"])


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is another label."""
    for answer in {*other.answers, str((int(draft.answers[0]) + 1) % draft.facts["labels"])} - set(draft.answers):
        yield replace(draft, answers=(answer,))


def gold_and_evidence_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is another label, and the evidence its first example: only a solver can tell."""
    start, end, _, number = next(one for one in blocks(draft) if one[3] != draft.answers[0])
    yield replace(draft, answers=(number,), evidence=((start, end - 2),))


def gold_that_is_no_label(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is the name of the label, or a number that none has."""
    for answer in (str(draft.facts["labels"]), draft.facts["label"], f"0{draft.answers[0]}"):
        yield replace(draft, answers=(answer,))


def evidence_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The evidence is lost, or is an example of another label."""
    yield replace(draft, evidence=())
    start, end, *_ = next(one for one in blocks(draft) if one[3] != draft.answers[0])
    yield replace(draft, evidence=((start, end - 2),))


def record_wrong(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What the record counts is not what stands there."""
    for name in ("labels", "rounds", "examples", "distinct", "most"):
        yield with_facts(draft, **{name: draft.facts[name] + 1})


ICL = (
    example_relabelled,
    labels_exchanged,
    example_lost,
    example_doubled,
    question_among_examples,
    question_of_another,
    question_and_record_of_another,
    gold_of_another,
    gold_and_evidence_of_another,
    gold_that_is_no_label,
    evidence_moved,
    record_wrong,
)
# Of real texts nothing but people says which label a text has.
UNSEEN_ICL = (labels_exchanged, question_and_record_of_another, gold_and_evidence_of_another)
