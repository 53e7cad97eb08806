"""Reads a citations prompt, and answers it with citations if its question is the invented world's.

The prompt must be exactly what the templates give: one instruction, worked examples or none, passages numbered from 1
on, one question.
"""

import re
from dataclasses import dataclass
from functools import partial
from typing import Final

from carrara.tasks.helmet.citations.prompt import (
    ANSWERED,
    ASK,
    CITED,
    EXAMPLE,
    EXAMPLES,
    INSTRUCTION,
    ITEM,
    OTHER_STATEMENT,
    QUESTION,
    STATEMENTS,
    TASK_HEADING,
    AnswerKind,
)
from carrara.tasks.helmet.frame import between, problems
from carrara.tasks.helmet.world_reader.answers import FoundAnswer, answers
from carrara.tasks.helmet.world_reader.questions import ReadingsQuestion, read_question

_HEAD: Final = re.compile(r"\[([1-9][0-9]{0,8})\] ([^\n]+)\n")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A passage as a prompt shows it; its text is [start:end] of the prompt."""

    number: int
    title: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CitationProblem:
    """A question with its passages, which begin at `start`; `response`: the one of a worked example."""

    question: str
    passages: tuple[Numbered, ...]
    response: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CitationReading:
    """A whole prompt: the kind of answer that it asks for, its worked examples, and the problem."""

    kind: AnswerKind
    examples: tuple[CitationProblem, ...]
    asked: CitationProblem


def solve(prompt: str) -> tuple[str, ...]:
    """The ideal response; () if the prompt is not exactly this task's, or its question is not the world's."""
    reading = read(prompt)
    if reading is None:
        return ()
    asked = reading.asked
    hits = answers(asked.question, [(passage.title, passage.text) for passage in asked.passages])
    if not hits:
        return ()
    if reading.kind == "items":
        first: dict[str, int] = {}
        for hit in hits:
            first.setdefault(hit.value, hit.passage + 1)
        return (", ".join(ITEM.format(answer=name, number=number) for name, number in first.items()) + ".",)
    meant = [parsed for parsed in read_question(asked.question) if isinstance(parsed, ReadingsQuestion)]
    if len(meant) != 1:
        return ()
    return (_statements(hits, meant[0].relation),)


def _statements(hits: list[FoundAnswer], relation: str) -> str:
    first: dict[str, FoundAnswer] = {}
    for hit in sorted(hits, key=lambda hit: (hit.passage, hit.name)):
        first.setdefault(hit.name, hit)
    wording = STATEMENTS.get(relation, OTHER_STATEMENT)
    return " ".join(
        CITED.format(statement=wording.format(subject=hit.name, answer=hit.value), number=hit.passage + 1)
        for hit in first.values()
    )


def read(prompt: str) -> CitationReading | None:
    """The parts of a prompt; None if it is not exactly this task's."""
    kind: AnswerKind = "items" if prompt.startswith(INSTRUCTION["items"]) else "statements"
    if not prompt.startswith(INSTRUCTION[kind]):
        return None
    parts = problems(prompt, len(INSTRUCTION[kind]), EXAMPLES, EXAMPLE, TASK_HEADING, partial(_problem, ASK[kind]))
    return CitationReading(kind, tuple(parts[:-1]), parts[-1]) if parts is not None else None


def _problem(ask: str, prompt: str, start: int, example: bool) -> CitationProblem | None:
    """The problem that begins at `start` and ends with `ask`, or an example with its response; None if neither."""
    passages: list[Numbered] = []
    at = start
    while (head := _HEAD.match(prompt, at)) is not None:
        end = prompt.find("\n\n", head.end())
        if end < 0 or "\n" in (text := prompt[head.end() : end]) or not text:
            return None
        passages.append(Numbered(int(head[1]), head[2], text, head.end(), end))
        at = end + 2
    question = between(prompt, at, *QUESTION.split("{question}"))
    if (
        question is None
        or [passage.number for passage in passages] != list(range(1, len(passages) + 1))
        or not passages
    ):
        return None
    end = at + len(QUESTION.format(question=question))
    response = ""
    if example:
        line = between(prompt, end, *ANSWERED.split("{response}"))
        if line is None:
            return None
        response = line
        end += len(ANSWERED.format(response=response))
    elif prompt.startswith(ask, end):
        end += len(ask)
    else:
        return None
    return CitationProblem(question, tuple(passages), response, start, end)
