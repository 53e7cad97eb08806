"""Reads a rag prompt and, if its passages are the invented world's, answers its question.

It shares only the wording of the frame, which stands here, with what writes prompts. A prompt that is not exactly of
this task's form has no answer.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.tasks.helmet.world_reader.answers import answers
from carrara.world import latent

INTRODUCTION: Final = (
    "Below are passages from many articles, and after them a question. Answer it from the passages.\n\n"
)
EXAMPLES: Final = "First, two examples with only the passages that matter.\n\n"
EXAMPLE: Final = "Example {number}\n\n{passages}Question: {question}\nAnswer: {answer}\n\n"
PASSAGES: Final = "Here are the passages.\n\n"
TITLED: Final = "Title: {title}\n{text}\n\n"
UNTITLED: Final = "{text}\n\n"
TAIL: Final = (
    "The passages end here.\n\nQuestion: {question}\n\n"
    "Reply with one line of the form “Answer: ANSWER”, where ANSWER is the answer alone, as the passages write it: a "
    "name, a number, a date or a few words.\n"
)
ANSWER_PREFIX: Final = "Answer:"
_TITLE: Final = "Title: "
_LONGEST_QUESTION: Final = 4_000
_DAY: Final = re.compile(r"([0-9]{1,2}) ([A-Z][a-z]+) ([0-9]{1,4})")
_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_EXAMPLE: Final = re.compile(re.escape(EXAMPLE.split("{passages}")[0]).replace(r"\{number\}", "([12])"))


@dataclass(frozen=True, slots=True)
class RagReading:
    """The parts of a prompt: passages as (title, text), "" for no title; examples as (question, answer)."""

    examples: tuple[tuple[str, str], ...]
    passages: tuple[tuple[str, str], ...]
    question: str


def read_prompt(prompt: str) -> RagReading | None:
    """The parts of a prompt; None if it is not exactly of this task's form."""
    before, _, asked = TAIL.partition("{question}")
    at = prompt.rfind(before, -_LONGEST_QUESTION - len(before))
    if at < 0 or not prompt.startswith(INTRODUCTION) or not prompt.endswith(asked):
        return None
    question = prompt[at + len(before) : len(prompt) - len(asked)]
    body = prompt.find(PASSAGES, len(INTRODUCTION) - 1)
    if not question or "\n" in question or body < 0 or prompt.count(PASSAGES, 0, at) != 1:
        return None
    examples = _examples(prompt[len(INTRODUCTION) : body])
    passages = _blocks(prompt[body + len(PASSAGES) : at])
    if examples is None or not passages:
        return None
    return RagReading(examples, passages, question)


def solve_world(prompt: str) -> tuple[str, ...]:
    """The answer as the passages write it, and its other spellings; () unless they give exactly one."""
    if (reading := read_prompt(prompt)) is None:
        return ()
    hits = answers(reading.question, reading.passages)
    last = max((hit.hop for hit in hits), default=0)
    values = {hit.value for hit in hits if hit.hop == last}
    if not hits:
        values = set(of_kinds(reading.question, reading.passages))
    return spelled(values.pop()) if len(values) == 1 else ()


def of_kinds(question: str, passages: Sequence[tuple[str, str]]) -> list[str]:
    """The titles of the passages that fit a latent question; [] if it is no such question."""
    form = _form(latent.QUESTION["en"], [{kind: (kind,) for kind in kinds} for kinds in latent.KINDS["en"]])
    if (asked := form.fullmatch(question)) is None:
        return []
    fitting = [{"": kinds[asked[slot]]} for slot, kinds in zip(latent.SLOTS, latent.KINDS["en"], strict=True)]
    forms = [_form(wording, fitting) for wording in latent.NEEDLES["en"]]
    return [
        title
        for title, text in passages
        if any((said := form.fullmatch(text)) and said["name"] == title for form in forms)
    ]


def _form(wording: str, listed: Sequence[Mapping[str, Sequence[str]]]) -> re.Pattern[str]:
    """A wording with a choice of what is listed in each of its slots, and any name."""
    gaps = {
        slot: "|".join(re.escape(one) for many in kinds.values() for one in many)
        for slot, kinds in zip(latent.SLOTS, listed, strict=True)
    }
    gaps["name"] = "[^\n]{1,60}"
    pattern = re.escape(wording)
    for gap, inside in gaps.items():
        pattern = pattern.replace(re.escape(f"{{{gap}}}"), f"(?P<{gap}>{inside})")
    return re.compile(pattern)


def _examples(text: str) -> tuple[tuple[str, str], ...] | None:
    if not text:
        return ()
    if not text.startswith(EXAMPLES):
        return None
    _, *parts = _EXAMPLE.split(text[len(EXAMPLES) :])
    if text[len(EXAMPLES) :].partition("\n")[0] != "Example 1" or parts[::2] != ["1", "2"]:
        return None
    examples = []
    for part in parts[1::2]:
        held, mark, rest = part.rpartition("\n\nQuestion: ")
        question, middle, answer = rest.partition("\nAnswer: ")
        if not mark or not middle or not _blocks(held + "\n\n") or not answer.endswith("\n\n"):
            return None
        examples.append((question, answer[:-2]))
    return tuple(examples)


def _blocks(text: str) -> tuple[tuple[str, str], ...]:
    """The passages of a part of the prompt; () if one block is not a passage."""
    *blocks, rest = text.split("\n\n")
    if rest:
        return ()
    passages = []
    for block in blocks:
        first, line, second = block.partition("\n")
        titled = line == "\n" and first.startswith(_TITLE)
        if not block or (line and not titled) or "\n" in second:
            return ()
        passages.append((first[len(_TITLE) :], second) if titled else ("", block))
    return tuple(passages)


def spelled(value: str) -> tuple[str, ...]:
    """A value as a passage writes it, and other spellings of the same number or day."""
    if _GROUPED.fullmatch(value):
        return value, "".join(value.split(","))
    if (day := _DAY.fullmatch(value)) is not None:
        return value, f"{day[2]} {day[1]}, {day[3]}"
    return (value,)
