"""Reads a reranking prompt, and ranks its passages if the invented world's text says how they relate.

The prompt must be exactly what the templates give: one instruction, worked examples or none, the passages, one
question.
"""

import re
from dataclasses import dataclass
from typing import Final

from carrara.tasks.helmet.frame import between, problems
from carrara.tasks.helmet.reranking.prompt import (
    ASK,
    BEST,
    EXAMPLE,
    EXAMPLES,
    ID_LINE,
    INSTRUCTION,
    JOINT,
    QUESTION,
    RANKED,
    TASK_HEADING,
    TITLE_LINE,
    WORLD_INSTRUCTION,
)
from carrara.tasks.helmet.world_reader.answers import grades

_ID: Final = re.compile("[1-9][0-9]{5}")


@dataclass(frozen=True, slots=True)
class ListedPassage:
    """A passage as a prompt shows it; its text is [start:end] of the prompt."""

    id: str
    title: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RankingProblem:
    """A question with its passages in order; `ranking` as given, of a worked example. The passages begin at `start`."""

    question: str
    passages: tuple[ListedPassage, ...]
    ranking: tuple[str, ...]
    start: int
    end: int


def solve(prompt: str) -> tuple[str, ...]:
    """The graded IDs, best first, at most ten.

    () if the prompt is not exactly this task's, or its question is not the world's.
    """
    parts = read(prompt)
    if parts is None:
        return ()
    asked = parts[-1]
    relevance = grades(asked.question, [(passage.title, passage.text) for passage in asked.passages])
    best = sorted((number for number, grade in enumerate(relevance) if grade), key=lambda number: -relevance[number])
    return (JOINT.join(asked.passages[number].id for number in best[:BEST]),) if best else ()


def read(prompt: str) -> list[RankingProblem] | None:
    """The worked examples and the problem; None if the prompt is not exactly this task's."""
    instruction = next((text for text in (INSTRUCTION, WORLD_INSTRUCTION) if prompt.startswith(text)), None)
    if instruction is None:
        return None
    return problems(prompt, len(instruction), EXAMPLES, EXAMPLE, TASK_HEADING, _problem)


def _problem(prompt: str, start: int, example: bool) -> RankingProblem | None:
    """The problem that begins at `start`; None if there is none."""
    passages: list[ListedPassage] = []
    at = start
    while (block := _block(prompt, at)) is not None:
        passages.append(block)
        at = block.end + 2
    question = between(prompt, at, *QUESTION.split("{question}"))
    if question is None or not passages:
        return None
    end = at + len(QUESTION.format(question=question))
    ranking: list[str] = []
    if example:
        line = between(prompt, end, *RANKED.split("{ranking}"))
        if line is None:
            return None
        ranking = line.split(JOINT)
        end += len(RANKED.format(ranking=line))
    elif prompt.startswith(ASK, end):
        end += len(ASK)
    else:
        return None
    return RankingProblem(question, tuple(passages), tuple(ranking), start, end)


def _block(prompt: str, at: int) -> ListedPassage | None:
    """The passage whose block begins at `at` (ID, title if any, text, blank line); None if there is none."""
    id_ = between(prompt, at, *ID_LINE.split("{id}"))
    if id_ is None or not _ID.fullmatch(id_):
        return None
    at += len(ID_LINE.format(id=id_))
    title = between(prompt, at, *TITLE_LINE.split("{title}")) or ""
    at += len(TITLE_LINE.format(title=title)) if title else 0
    end = prompt.find("\n\n", at)
    text = prompt[at:end]
    return ListedPassage(id_, title, text, at, end) if text and end > 0 and "\n" not in text else None
