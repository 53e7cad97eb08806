"""Damaged citations prompts: see `mutants`. Every one is tried in every variant."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from edits import edited

from carrara.task import Draft
from carrara.tasks.helmet.citations.solver import Numbered, read


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def changed(draft: Draft, start: int, end: int, text: str) -> Draft:
    """The draft with prompt[start:end] replaced, its spans and the end of its passages moved."""
    shift = len(text) - (end - start)
    low, high = draft.facts["body"]
    body = [low + shift if low >= end else low, high + shift if high >= end else high]
    return with_facts(edited(draft, start, end, text), body=body)


def passages(draft: Draft) -> tuple[Numbered, ...]:
    """The passages of the problem."""
    reading = read(draft.prompt)
    assert reading is not None
    return reading.asked.passages


def cited(draft: Draft) -> list[Numbered]:
    """The passages that the gold cites."""
    return [one for one in passages(draft) if (one.start, one.end) in draft.evidence]


def idle(draft: Draft) -> Numbered:
    """The first passage that supports nothing."""
    used = {number for numbers in draft.facts["support"] for number in numbers}
    return next(one for one in passages(draft) if one.number not in used)


def titled(draft: Draft, one: Numbered) -> tuple[int, int]:
    """Where a passage's title and text stand."""
    return one.start - len(one.title) - 1, one.end


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A cited passage is taken out with its number, or says what a passage of another item says."""
    theirs = idle(other)
    for one in cited(draft):
        start, end = titled(draft, one)
        yield changed(draft, start - len(f"[{one.number}] "), end + 2, "")
        yield changed(draft, start, end, f"{theirs.title}\n{theirs.text}")


def passages_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A cited passage and one that supports nothing trade places; the numbers stay in order."""
    one, two = sorted((cited(draft)[0], idle(draft)), key=lambda passage: passage.start)
    contents = [draft.prompt[slice(*titled(draft, passage))] for passage in (one, two)]
    yield changed(changed(draft, *titled(draft, two), contents[0]), *titled(draft, one), contents[1])


def passage_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A cited passage comes again at the end."""
    one, at = cited(draft)[0], draft.facts["body"][1]
    last = passages(draft)[-1].number + 1
    again = f"[{last}] {draft.prompt[slice(*titled(draft, one))]}\n\n"
    yield with_facts(changed(draft, at, at, again), passages=last)


def number_skipped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Passages are numbered with a gap, from 0, or two alike."""
    last = passages(draft)[-1]
    at = titled(draft, last)[0] - len(f"[{last.number}] ")
    for number in (last.number + 1, last.number - 1, 0):
        yield changed(draft, at, at + len(f"[{last.number}]"), f"[{number}]")


def answer_misspelt(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The only passage that states an answer says something else."""
    for names, numbers, inside in zip(
        *(draft.facts[key] for key in ("answers", "support", "evidence_inside")), strict=True
    ):
        if inside and len(numbers) == 1:
            one = passages(draft)[numbers[0] - 1]
            start, end = titled(draft, one)
            text = draft.prompt[start:end]
            for name in names:
                text = re.sub(re.escape(name), "Zzyx 7", text, flags=re.IGNORECASE)
            if text != draft.prompt[start:end]:
                yield changed(draft, start, end, text)


def gold_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold cites another passage, leaves an answer out, says one twice, or has them in another order."""
    (gold,) = draft.answers
    first = re.search(r"\[(\d+)\]", gold)
    assert first is not None
    yield replace(draft, answers=(gold.replace(first[0], f"[{idle(draft).number}]", 1),))
    yield replace(draft, answers=(gold[: first.start()].rstrip() + gold[first.end() :],))
    parts = re.findall(r"(?:, |^| )(.+?\[\d+\][.,]?)", gold)
    joint = " " if draft.facts["kind"] == "statements" else ", "
    parts = [part.rstrip(",") if joint == ", " else part for part in parts]
    yield replace(draft, answers=(joint.join([*parts, parts[0]]),))
    if len(parts) > 1:
        yield replace(draft, answers=(joint.join(parts[1:]),))


def facts_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The facts say another support, or that what is inside is not."""
    support, inside = draft.facts["support"], draft.facts["evidence_inside"]
    number = inside.index(True)
    for wrong in ([], [idle(draft).number], [0], [len(passages(draft)) + 1]):
        yield with_facts(draft, support=[*support[:number], wrong, *support[number + 1 :]])
    yield with_facts(draft, evidence_inside=[*inside[:number], False, *inside[number + 1 :]])
    yield replace(draft, complexity=draft.complexity + 1)
    yield with_facts(draft, support=support[1:])


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another item's question is asked of these passages: in the prompt, in the facts."""
    at = draft.facts["body"][1] + len("Question: ")
    yield edited(draft, at, len(draft.prompt) - 1, other.facts["question"])
    yield with_facts(draft, question=other.facts["question"])


def question_of_another_throughout(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another item's question is asked of these passages, and the facts agree."""
    at = draft.facts["body"][1] + len("Question: ")
    asked = edited(draft, at, len(draft.prompt) - 1, other.facts["question"])
    yield with_facts(asked, question=other.facts["question"])


def example_gives_away(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A worked example names an answer, shows a passage of the problem, or cites what it has not."""
    reading = read(draft.prompt)
    assert reading is not None and len(reading.examples) == 2
    one = reading.examples[0].passages[0]
    for name in draft.facts["accepted"][:1]:
        yield changed(draft, one.end, one.end, f" It was {name}.")
    yield changed(draft, one.start, one.end, idle(draft).text)
    answer = draft.prompt.index("Answer: ", one.end)
    mark = re.compile(r"\[\d+\]").search(draft.prompt, answer)
    assert mark is not None
    yield changed(draft, *mark.span(), "[77]")


CITATIONS = (
    evidence_removed,
    passages_exchanged,
    passage_doubled,
    number_skipped,
    answer_misspelt,
    gold_changed,
    facts_changed,
    question_of_another,
    question_of_another_throughout,
    example_gives_away,
)
# What only a solver sees.
UNSEEN_CITATIONS = (question_of_another_throughout,)
