"""Splits a prompt into worked examples and a problem of the same form; the solvers of lists share it."""

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

_MOST_EXAMPLES: Final = 9


class PromptPart(Protocol):
    """A worked example or the problem; it ends at `end`."""

    @property
    def end(self) -> int:
        """The index at which the next part begins."""


PartT = TypeVar("PartT", bound=PromptPart)
# From (prompt, index, whether an example): the part that begins at the index; None if there is none.
PartReader = Callable[[str, int, bool], PartT | None]


def problems(
    prompt: str, at: int, examples: str, example: str, task: str, read: PartReader[PartT]
) -> list[PartT] | None:
    """The worked examples from `at` on, each under its numbered heading `example`, and the problem, which is last.

    `examples` comes before the first, `task` before the problem; None if the prompt does not match exactly.
    """
    parts: list[PartT] = []
    if prompt.startswith(examples, at):
        at += len(examples)
        while len(parts) < _MOST_EXAMPLES and prompt.startswith(heading := example.format(number=len(parts) + 1), at):
            part = read(prompt, at + len(heading), True)
            if part is None:
                return None
            parts.append(part)
            at = part.end
    if not prompt.startswith(task, at):
        return None
    asked = read(prompt, at + len(task), False)
    return [*parts, asked] if asked is not None and asked.end == len(prompt) else None


def between(prompt: str, at: int, before: str, after: str) -> str | None:
    """The text from `at` between two fixed texts, on one line; None if they are not there."""
    if not prompt.startswith(before, at):
        return None
    start = at + len(before)
    end = prompt.find(after, start)
    return prompt[start:end] if end >= 0 and "\n" not in prompt[start:end] else None
