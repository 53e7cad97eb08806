"""Damaged reranking prompts: see `mutants`. Every one is tried in every variant."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from edits import edited

from carrara.task import Draft
from carrara.tasks.helmet.reranking.solver import Listed, read


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def changed(draft: Draft, start: int, end: int, text: str) -> Draft:
    """The draft with prompt[start:end] replaced, its spans and the end of its passages moved."""
    shift = len(text) - (end - start)
    low, high = draft.facts["body"]
    body = [low + shift if low >= end else low, high + shift if high >= end else high]
    return with_facts(edited(draft, start, end, text), body=body)


def listed(draft: Draft) -> tuple[Listed, ...]:
    """The passages of the problem."""
    problems = read(draft.prompt)
    assert problems is not None
    return problems[-1].passages


def block(draft: Draft, passage: Listed) -> tuple[int, int]:
    """Where a passage's block stands, its blank line included."""
    return draft.prompt.rindex(f"ID: {passage.id}\n", 0, passage.start), passage.end + 2


def best(draft: Draft) -> list[Listed]:
    """The passages of the best grade."""
    return [one for one in listed(draft) if (one.start, one.end) in draft.evidence]


def zero(draft: Draft) -> Listed:
    """The first passage that is not graded."""
    return next(one for one in listed(draft) if one.id not in draft.facts["grades"])


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage of the best grade is taken out: alone, and with what the facts say of it."""
    for number, passage in enumerate(best(draft)):
        kept = [span for place, span in enumerate(draft.evidence) if place != number]
        fewer = replace(draft, evidence=tuple(kept), depths=draft.depths[: len(kept)])
        left = changed(fewer, *block(draft, passage), "")
        yield left
        grades = {id_: grade for id_, grade in draft.facts["grades"].items() if id_ != passage.id}
        yield with_facts(left, grades=grades)


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage of the best grade comes again at the end under another ID, counted as one that nobody judged."""
    start, end = block(draft, best(draft)[0])
    again = draft.prompt[start:end].replace(f"ID: {best(draft)[0].id}", "ID: 100000")
    at = draft.facts["body"][1]
    counts = {**draft.facts["counts"], "unjudged": draft.facts["counts"]["unjudged"] + 1}
    yield with_facts(changed(draft, at, at, again), counts=counts)


def texts_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The best passage and one of grade 0 trade places and keep their IDs."""
    one, two = sorted((best(draft)[0], zero(draft)), key=lambda passage: passage.start)

    def content(passage: Listed) -> str:
        return (f"Title: {passage.title}\n" if passage.title else "") + passage.text

    def place(passage: Listed) -> tuple[int, int]:
        return passage.end - len(content(passage)), passage.end

    damaged = changed(changed(draft, *place(two), content(one)), *place(one), content(two))
    # The spans are those of the IDs that are graded, as they were.
    ends = {passage.id: (passage.start, passage.end) for passage in listed(damaged)}
    yield replace(damaged, evidence=tuple(ends[passage.id] for passage in best(draft)))


def id_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage wears the ID of another one: both the same, and the two exchanged."""
    one, two = best(draft)[0], zero(draft)
    at = block(draft, two)[0] + len("ID: ")
    double = changed(draft, at, at + len(two.id), one.id)
    yield double
    at = block(draft, one)[0] + len("ID: ")
    yield changed(double, at, at + len(one.id), two.id)


def id_lengthened(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An ID has a digit more than the others."""
    at = block(draft, zero(draft))[0] + len("ID: ")
    yield changed(draft, at, at, "1")


def made_relevant(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage of grade 0 is about what is asked about."""
    title, text = best(draft)[0].title, zero(draft)
    if title and text.title:
        start = block(draft, text)[0]
        at = draft.prompt.index("Title: ", start) + len("Title: ")
        yield changed(draft, at, at + len(text.title), title)


def ranking_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two neighbours of the gold trade places; one is left out; one of grade 0 is added."""
    ids = draft.answers[0].split(" > ")
    for number in range(len(ids) - 1):
        swapped = [*ids[:number], ids[number + 1], ids[number], *ids[number + 2 :]]
        yield replace(draft, answers=(" > ".join(swapped),))
    yield replace(draft, answers=(" > ".join(ids[1:]),))
    yield replace(draft, answers=(" > ".join([zero(draft).id, *ids[1:]]),))


def grade_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The facts grade a passage otherwise, not at all, or one that is not there."""
    grades = draft.facts["grades"]
    first = next(iter(grades))
    yield with_facts(draft, grades={**grades, first: grades[first] % 3 + 1})
    yield with_facts(draft, grades={**grades, first: 0})
    yield with_facts(draft, grades={**grades, "100000": 1})
    yield with_facts(draft, grades={id_: grade for id_, grade in grades.items() if id_ != first})
    yield with_facts(draft, counts={**draft.facts["counts"], "0": draft.facts["counts"]["0"] + 1})


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another item's question is asked of these passages: in the prompt, in the facts."""
    at = draft.facts["body"][1] + len("Question: ")
    asked = edited(draft, at, len(draft.prompt) - 1, other.facts["question"])
    if other.facts["question"] != draft.facts["question"]:
        yield asked
        yield with_facts(draft, question=other.facts["question"])


def question_of_another_throughout(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another item's question is asked of these passages, and the facts agree."""
    at = draft.facts["body"][1] + len("Question: ")
    if other.facts["question"] != draft.facts["question"]:
        asked = edited(draft, at, len(draft.prompt) - 1, other.facts["question"])
        yield with_facts(asked, question=other.facts["question"])


def example_gives_away(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A worked example names the answer, ranks a passage that it has not, or shows one of the problem."""
    problems = read(draft.prompt)
    assert problems is not None and len(problems) == 3
    passage = problems[0].passages[0]
    for name in draft.facts["accepted"][:1]:
        yield changed(draft, passage.end, passage.end, f" It was {name}.")
    yield changed(draft, passage.start, passage.end, zero(draft).text)
    at = draft.prompt.index("Ranking: ", problems[0].passages[-1].end) + len("Ranking: ")
    yield changed(draft, at, at + 6, "100000")


RERANKING = (
    evidence_removed,
    evidence_doubled,
    texts_exchanged,
    id_exchanged,
    id_lengthened,
    made_relevant,
    ranking_exchanged,
    grade_changed,
    question_of_another,
    question_of_another_throughout,
    example_gives_away,
)
# What only a solver sees.
UNSEEN_RERANKING = (texts_exchanged, made_relevant, question_of_another_throughout)
