"""A citations prompt and the response of an ideal model: their wording, and which passages state which answer.

For the invented world, the question's evidence says which passages state an answer. For real questions, a passage
supports every answer that it names. Planner and solver share only the wording.
Must not change without a major version: what supports an answer, the wording and order of the ideal response.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from carrara.tables import Passage, Question
from carrara.tasks.helmet.passages import holding, holds, words

AnswerKind = Literal["statements", "items"]

INSTRUCTION: Final[Mapping[AnswerKind, str]] = {
    "statements": (
        "Below are numbered passages, and after them a question that can be understood in several ways. Answer it for "
        "every meaning that the passages answer, and from the passages alone.\n\n"
    ),
    "items": (
        "Below are numbered passages, and after them a question that has several answers. Give every answer that the "
        "passages support, and no other.\n\n"
    ),
}
_BRACKETS: Final = "the number of a passage that supports it: [3], or [3][5] where it takes both.\n"
ASK: Final[Mapping[AnswerKind, str]] = {
    "statements": f"\nReply with one line: “Answer:”, then a sentence for each meaning, each with {_BRACKETS}",
    "items": f"\nReply with one line: “Answer:”, then the answers, separated by commas, each with {_BRACKETS}",
}
EXAMPLES: Final = "Two worked examples with a few short passages each come first.\n\n"
EXAMPLE: Final = "--- Example {number} ---\n\n"
TASK_HEADING: Final = "--- Your task ---\n\n"
NUMBER: Final = "[{number}]"
TITLED: Final = " {title}\n{text}\n\n"
UNTITLED: Final = "Untitled"
QUESTION: Final = "Question: {question}\n"
ANSWER_PREFIX: Final = "Answer:"
ANSWERED: Final = "Answer: {response}\n\n"

# How the ideal response states what it cites. If the answer is a person, the subject is not named, for it may be the
# answer to another reading, which this passage does not support.
STATEMENTS: Final[Mapping[str, str]] = {
    "birth_date": "{subject} was born on {answer}",
    "birth_place": "{subject} was born in {answer}",
    "death_date": "{subject} died on {answer}",
    "father": "The father of one of them was {answer}",
    "mother": "The mother of one of them was {answer}",
    "spouse": "One of them was married to {answer}",
    "married": "{subject} was married in {answer}",
    "education": "{subject} was educated at {answer}",
    "residence": "{subject} lived in {answer}",
    "style": "The style of {subject} is called {answer}",
    "teacher": "One of them was taught by {answer}",
    "first_exhibited": "{subject} first presented work to the public in {answer}",
    "award": "{subject} was given the {answer}",
    "award_year": "{subject} was given an award in {answer}",
    "took_office": "{subject} took office in {answer}",
    "left_office": "{subject} left office in {answer}",
    "successor": "One of them was succeeded by {answer}",
    "party": "{subject} was a member of the {answer}",
}
OTHER_STATEMENT: Final = "For one of them the answer is {answer}"
# For questions by people: the question of one reading, without its question mark.
READING: Final = "Asked “{question}”, the answer is {answer}"
PLAIN: Final = "One answer is {answer}"
CITED: Final = "{statement} [{number}]."
ITEM: Final = "{answer} [{number}]"


# Who is meant by "the essayist Traldufovar", "the harbour master of Flararenia": the calling and what follows it.
_MEANT: Final = re.compile(r"\bthe ((?:(?!the\b)[a-z’'-]+ )+?)(of )?([A-Z][a-z]+)")
# Sentence marks in a question would end the statement that quotes it.
_MARKS: Final = re.compile(r"[.?!…]+(?=[\s\"'”’)]|$)")
_ARTICLES: Final = frozenset(("a", "an", "the"))


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """An answer: the numbers (from 1) of the passages that state it, and whether it can be found in the passages.

    `subject`: the person of a reading of the world, if that name is a passage's title.
    """

    names: tuple[str, ...]
    support: tuple[int, ...]
    inside: bool
    subject: str = ""


def answered(question: Question, passages: Sequence[Passage], kind: AnswerKind, is_world: bool) -> list[StatedAnswer]:
    """Every answer to a question with its support among passages 1, 2, ..."""
    if not is_world:
        return _named(question, passages)
    return _readings(question, passages) if kind == "statements" else _listed(question, passages)


def response(question: Question, answers: Sequence[StatedAnswer], passages: Sequence[Passage], kind: AnswerKind) -> str:
    """The ideal response: every answer inside with the first passage that states it, in the order of these passages."""
    cited = sorted(
        (answer.support[0], answer.subject, number, _name(answer, passages[answer.support[0] - 1]))
        for number, answer in enumerate(answers)
        if answer.inside
    )
    if kind == "items":
        return ", ".join(ITEM.format(answer=name, number=first) for first, _, _, name in cited) + "."
    statements = [
        CITED.format(statement=_statement(question, answers, number, name), number=first)
        for first, _, number, name in cited
    ]
    return " ".join(statements)


def _named(question: Question, passages: Sequence[Passage]) -> list[StatedAnswer]:
    """Support by names alone, on word boundaries; a name that is only an article does not count."""
    groups = [[name for name in names if set(words(name).split()) - _ARTICLES] for names in question.answers]
    supports = holding([f"{passage.title}\n{passage.text}" for passage in passages], groups)
    return [
        StatedAnswer(names, tuple(number + 1 for number in numbers), bool(numbers))
        for names, numbers in zip(question.answers, supports, strict=True)
    ]


def _listed(question: Question, passages: Sequence[Passage]) -> list[StatedAnswer]:
    """Support of a list's entities: the evidence about each."""
    evidence = {span.passage for span in question.evidence}
    made = []
    for names in question.answers:
        support = tuple(
            number for number, passage in enumerate(passages, 1) if passage.id in evidence and passage.title in names
        )
        made.append(StatedAnswer(names, support, bool(support)))
    return made


def _readings(question: Question, passages: Sequence[Passage]) -> list[StatedAnswer]:
    """A reading counts as found if passages state its answer, and also that its person has the calling asked about."""
    made = []
    for names, reading in zip(question.answers, question.readings, strict=True):
        evidence = {span.passage for span in reading.evidence}
        support = tuple(number for number, passage in enumerate(passages, 1) if passage.id in evidence)
        titles = {passage.title for passage in passages if passage.title and passage.title in reading.text}
        subject = max(titles, key=lambda title: (len(title), title), default="")
        about = [passage.text for passage in passages if passage.title == subject]
        made.append(StatedAnswer(names, support, bool(support) and _is_meant(question.text, about), subject))
    return made


def _is_meant(question: str, texts: Sequence[str]) -> bool:
    """Whether texts about somebody contain the description by which the question names its subject."""
    meant = _MEANT.search(question)
    if meant is None:
        return False
    said = [meant[1].strip(), *([meant[3]] if meant[2] else [])]
    return all(any(holds(text, [what]) for text in texts) for what in said)


def _name(answer: StatedAnswer, passage: Passage) -> str:
    """The first accepted name that the cited passage contains."""
    text = f"{passage.title}\n{passage.text}"
    return next((name for name in answer.names if holds(text, [name])), answer.names[0])


def _statement(question: Question, answers: Sequence[StatedAnswer], number: int, name: str) -> str:
    subject = answers[number].subject
    if subject:
        relation = question.id.rpartition("/")[2]
        return STATEMENTS.get(relation, OTHER_STATEMENT).format(subject=subject, answer=name)
    if len(question.readings) != len(answers):
        return PLAIN.format(answer=name)
    asked = _MARKS.sub("", question.readings[number].text).strip()
    # Any other answer that it names would be a statement of that answer.
    others = [each for index, answer in enumerate(answers) if index != number for each in answer.names]
    if not asked or holds(asked, others):
        return PLAIN.format(answer=name)
    return READING.format(question=asked, answer=name)
