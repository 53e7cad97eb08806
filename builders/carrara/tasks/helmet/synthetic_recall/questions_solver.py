"""Reads a prompt of numbered documents back and, where they are the invented world's, answers its question.

Nothing that writes prompts is used here; the wording of the frame is all that both know. A prompt that is not exactly
of this form has no answer.
"""

from dataclasses import dataclass
from typing import Final

from carrara.tasks.helmet.rag.solver import spelled
from carrara.tasks.helmet.synthetic_recall.prompt import QUESTIONS_INTRODUCTION, QUESTIONS_NUMBER, QUESTIONS_TAIL
from carrara.tasks.helmet.world_reader.answers import answers

_LONGEST_QUESTION: Final = 4_000


@dataclass(frozen=True, slots=True)
class DocumentsReading:
    """A prompt taken apart: documents as (title, text), "" for no title."""

    documents: tuple[tuple[str, str], ...]
    question: str


def read_prompt(prompt: str) -> DocumentsReading | None:
    """The parts of a prompt; None where it is not exactly of this form."""
    before, _, asked = QUESTIONS_TAIL.partition("{question}")
    at = prompt.rfind(before, -_LONGEST_QUESTION - len(before))
    if at < 0 or not prompt.startswith(QUESTIONS_INTRODUCTION) or not prompt.endswith(asked):
        return None
    question = prompt[at + len(before) : len(prompt) - len(asked)]
    documents = _documents(prompt[len(QUESTIONS_INTRODUCTION) : at])
    if not question or "\n" in question or not documents:
        return None
    return DocumentsReading(documents, question)


def solve(prompt: str) -> tuple[str, ...]:
    """The answer as the documents write it, and its other spellings; () where they do not give exactly one."""
    if (reading := read_prompt(prompt)) is None:
        return ()
    values = {one.value for one in answers(reading.question, reading.documents)}
    return spelled(values.pop()) if len(values) == 1 else ()


def _documents(text: str) -> tuple[tuple[str, str], ...]:
    """The documents of a part of the prompt, numbered from 1; none where one of them is no document."""
    *blocks, rest = text.split("\n\n")
    if rest:
        return ()
    found = []
    for number, block in enumerate(blocks, 1):
        heading = QUESTIONS_NUMBER.format(number=number)
        lines = block[len(heading) :].split("\n")
        if not block.startswith(heading) or not 1 <= len(lines) <= 2 or not all(lines):
            return ()
        found.append((lines[0] if len(lines) == 2 else "", lines[-1]))
    return tuple(found)
