"""Damaged drafts of questions among documents: evidence lost or doubled, answers elsewhere, another question.

A mutant numbers the documents anew, so that it is found out by what they say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from carrara.task import Draft

_NUMBER = re.compile(r"Document [0-9]+:\n")
_PERSON = re.compile("[A-Z][a-z]+ [A-Z][a-z]+")


class Document(NamedTuple):
    """A document without its number: title and text, and which gold it is (-1: none)."""

    text: str
    gold: int


def documents(draft: Draft) -> list[Document]:
    """The documents of a draft, in order."""
    at, end = draft.facts["body"]
    found = []
    while at < end:
        stop = draft.prompt.index("\n\n", at) + 2
        text = draft.prompt[at:stop]
        gold = next((number for number, (start, _) in enumerate(draft.evidence) if at <= start < stop), -1)
        found.append(Document(text[_NUMBER.match(text).end() : -2], gold))
        at = stop
    return found


def rebuilt(draft: Draft, kept: Sequence[Document], question: str | None = None, **facts: Any) -> Draft:
    """The draft with these documents, numbered from 1, its spans where the golds stand; of a lost one as they were."""
    start, end = draft.facts["body"]
    asked = draft.facts["question"]
    tail = draft.prompt[end:] if question is None else draft.prompt[end:].replace(asked, question)
    spans, prompt = list(draft.evidence), draft.prompt[:start]
    for number, one in enumerate(kept, 1):
        prompt += f"Document {number}:\n{one.text}"
        if one.gold >= 0:
            spans[one.gold] = (len(prompt) - len(one.text.rpartition("\n")[2]), len(prompt))
        prompt += "\n\n"
    told = {"body": [start, len(prompt)], "passages": len(kept), **facts}
    return replace(draft, prompt=prompt + tail, evidence=tuple(spans), facts={**draft.facts, **told})


def distractor(kept: Sequence[Document]) -> int:
    """The number of a document in the middle that is no gold."""
    return next(at for at in range(len(kept) // 2, len(kept)) if kept[at].gold < 0)


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each gold document is taken out; its span points at the text of the one that came to stand there."""
    kept = documents(draft)
    for gold in range(len(draft.evidence)):
        place = [one.gold for one in kept].index(gold)
        left = [one for one in kept if one.gold != gold]
        near = next(at for at in (min(place, len(left) - 1), *range(len(left))) if left[at].gold < 0)
        left[near] = Document(left[near].text, gold)
        yield rebuilt(draft, left)


def _people(kept: Sequence[Document]) -> Iterator[str]:
    """The titles that are people's: their text calls them by the surname alone."""
    for one in kept:
        title, _, text = one.text.partition("\n")
        if _PERSON.fullmatch(title) and re.search(rf"(?<!{title.split()[0]} )\b{title.split()[1]}\b", text):
            yield title


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold document stands a second time at the end, and gives another answer of the same kind."""
    kept, answer = documents(draft), draft.answers[0]
    gold = next(one.text for one in kept if one.gold == len(draft.evidence) - 1)
    title, _, text = gold.rpartition("\n")
    if answer.replace(",", "").isdigit():
        another = str((int(answer[0]) + 4) % 9 + 1) + answer[1:]
    elif _PERSON.fullmatch(answer):
        another = next((name for name in _people(kept) if name not in gold), "")
    else:
        another = ""
    again = text.replace(answer, another)
    if another and again != text and title != answer:
        yield rebuilt(draft, [*kept, Document(f"{title}\n{again}" if title else again, -1)])


def answer_in_a_distractor(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each accepted name stands in another document too: in its text, in its title, in other letters."""
    kept = documents(draft)
    at = distractor(kept)
    title, _, text = kept[at].text.rpartition("\n")
    for name in draft.facts["accepted"]:
        for damaged in (
            f"{title}\n{text} {name}, it seems.",
            f"{title}\n({name.upper()}’s) {text}",
            f"{title} ({name})\n{text}",
        ):
            yield rebuilt(draft, [*kept[:at], Document(damaged.lstrip("\n"), -1), *kept[at + 1 :]])


def answer_in_the_question(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An accepted name stands in the question."""
    asked = f"{draft.facts['question']} Not {draft.facts['accepted'][-1]}?"
    damaged = rebuilt(draft, documents(draft), question=asked)
    yield replace(damaged, facts={**damaged.facts, "question": asked})


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, the record this one's."""
    if draft.facts["question"] != other.facts["question"]:
        yield rebuilt(draft, documents(draft), question=other.facts["question"])


def question_and_record_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, in the record too: only a solver can tell."""
    for one in question_of_another(draft, other):
        yield replace(one, facts={**one.facts, "question": other.facts["question"]})


def document_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A document stands twice."""
    kept = documents(draft)
    yield rebuilt(draft, [*kept, kept[distractor(kept)]])


def document_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A document is missing that the record counts."""
    kept = documents(draft)
    left = [one for at, one in enumerate(kept) if at != distractor(kept)]
    yield rebuilt(draft, left, passages=len(kept))


def document_numbered_wrongly(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A number is left out."""
    last = f"Document {draft.facts['passages']}:\n"
    at = draft.prompt.rindex(last)
    changed = f"Document {draft.facts['passages'] + 1}:\n"
    if len(changed) == len(last):
        yield replace(draft, prompt=draft.prompt[:at] + changed + draft.prompt[at + len(last) :])


def gold_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each gold document stands at the end that is further from it."""
    kept = documents(draft)
    for gold in range(len(draft.evidence)):
        place = [one.gold for one in kept].index(gold)
        left = [one for one in kept if one.gold != gold]
        yield rebuilt(draft, [kept[place], *left] if place >= len(kept) // 2 else [*left, kept[place]])


def document_spoiled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A document is nearly empty, or holds a character that was lost."""
    kept = documents(draft)
    at = distractor(kept)
    title, _, text = kept[at].text.rpartition("\n")
    for damaged in (f"{title}\nSee.", f"{title}\n\ufffd {text}"):
        yield rebuilt(draft, [*kept[:at], Document(damaged.lstrip("\n"), -1), *kept[at + 1 :]])


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is that of another item."""
    if not set(draft.answers) & set(other.answers):
        yield replace(draft, answers=other.answers)
        yield replace(draft, answers=other.answers, facts={**draft.facts, "accepted": other.facts["accepted"]})


RECALL_QUESTIONS = (
    evidence_removed,
    evidence_doubled,
    answer_in_a_distractor,
    answer_in_the_question,
    question_of_another,
    question_and_record_of_another,
    document_doubled,
    document_lost,
    document_numbered_wrongly,
    gold_moved,
    document_spoiled,
    gold_of_another,
)
# A second document that says something else, and a question that other documents answer: only a solver notices.
UNSEEN_RECALL_QUESTIONS = (evidence_doubled, question_and_record_of_another)
