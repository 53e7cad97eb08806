"""Which passages state which answer, and the response that an ideal model gives.

Of the invented world the question's evidence says it; of real questions a passage supports an answer that it names.
Must not change without a major version: what supports an answer, and the wording and order of the ideal response.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from carrara.tables import Passage, Question
from carrara.tasks.helmet.citations_templates import (
    CITED,
    ITEM,
    OTHER_STATEMENT,
    PLAIN,
    READING,
    STATEMENTS,
    Kind,
)
from carrara.tasks.helmet.naming import holding, holds, words

# Who is meant by "the essayist Traldufovar", "the harbour master of Flararenia": the calling and what follows it.
_MEANT: Final = re.compile(r"\bthe ((?:(?!the\b)[a-z’'-]+ )+?)(of )?([A-Z][a-z]+)")
# Sentence marks in a question would end the statement that quotes it.
_MARKS: Final = re.compile(r"[.?!…]+(?=[\s\"'”’)]|$)")
_ARTICLES: Final = frozenset(("a", "an", "the"))


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer: the numbers (from 1) of the passages that state it, and whether the passages let it be found.

    `subject`: of a reading of the world, whom it is about, where a passage has the name as its title.
    """

    names: tuple[str, ...]
    support: tuple[int, ...]
    inside: bool
    subject: str = ""


def answered(question: Question, passages: Sequence[Passage], kind: Kind, is_world: bool) -> list[Answered]:
    """Every answer of a question with its support among passages 1, 2, ..."""
    if not is_world:
        return _named(question, passages)
    return _readings(question, passages) if kind == "statements" else _listed(question, passages)


def response(question: Question, answers: Sequence[Answered], passages: Sequence[Passage], kind: Kind) -> str:
    """The ideal response: every answer inside with the first passage that states it, in the order of these passages."""
    found = sorted(
        (one.support[0], one.subject, number, _name(one, passages[one.support[0] - 1]))
        for number, one in enumerate(answers)
        if one.inside
    )
    if kind == "items":
        return ", ".join(ITEM.format(answer=name, number=first) for first, _, _, name in found) + "."
    statements = [
        CITED.format(statement=_statement(question, answers, number, name), number=first)
        for first, _, number, name in found
    ]
    return " ".join(statements)


def _named(question: Question, passages: Sequence[Passage]) -> list[Answered]:
    """By the names alone, on word boundaries; a name of nothing but an article is none."""
    groups = [[name for name in names if set(words(name).split()) - _ARTICLES] for names in question.answers]
    found = holding([f"{one.title}\n{one.text}" for one in passages], groups)
    return [
        Answered(names, tuple(number + 1 for number in numbers), bool(numbers))
        for names, numbers in zip(question.answers, found, strict=True)
    ]


def _listed(question: Question, passages: Sequence[Passage]) -> list[Answered]:
    """An entity of a list is stated by the evidence that is about it."""
    evidence = {one.passage for one in question.evidence}
    made = []
    for names in question.answers:
        support = tuple(number for number, one in enumerate(passages, 1) if one.id in evidence and one.title in names)
        made.append(Answered(names, support, bool(support)))
    return made


def _readings(question: Question, passages: Sequence[Passage]) -> list[Answered]:
    """A reading is found where its answer is stated, and where passages say that it is one: who has the calling."""
    made = []
    for names, reading in zip(question.answers, question.readings, strict=True):
        evidence = {one.passage for one in reading.evidence}
        support = tuple(number for number, one in enumerate(passages, 1) if one.id in evidence)
        titles = {one.title for one in passages if one.title and one.title in reading.text}
        subject = max(titles, key=lambda title: (len(title), title), default="")
        about = [one.text for one in passages if one.title == subject]
        made.append(Answered(names, support, bool(support) and _is_meant(question.text, about), subject))
    return made


def _is_meant(question: str, texts: Sequence[str]) -> bool:
    """Whether texts about somebody say what the question calls its subject by."""
    meant = _MEANT.search(question)
    if meant is None:
        return False
    said = [meant[1].strip(), *([meant[3]] if meant[2] else [])]
    return all(any(holds(text, [what]) for text in texts) for what in said)


def _name(one: Answered, passage: Passage) -> str:
    """The first accepted name that the cited passage holds."""
    text = f"{passage.title}\n{passage.text}"
    return next((name for name in one.names if holds(text, [name])), one.names[0])


def _statement(question: Question, answers: Sequence[Answered], number: int, name: str) -> str:
    subject = answers[number].subject
    if subject:
        relation = question.id.rpartition("/")[2]
        return STATEMENTS.get(relation, OTHER_STATEMENT).format(subject=subject, answer=name)
    if len(question.readings) != len(answers):
        return PLAIN.format(answer=name)
    asked = _MARKS.sub("", question.readings[number].text).strip()
    # What it names besides would be a statement of another answer.
    others = [each for place, one in enumerate(answers) if place != number for each in one.names]
    if not asked or holds(asked, others):
        return PLAIN.format(answer=name)
    return READING.format(question=asked, answer=name)
