"""A row of the task `citations` as its metrics see it: its passages, and which of them state which answer.

Read from the row's facts: `answers` (the accepted names of each answer), `support` (for each the numbers of the
passages that state it), `evidence_inside` (which can be found), `kind` ("statements" or "items"), `question`, and
`body`: where in the prompt the passages stand, each `[n] title`, a line of text and an empty line, n = 1, 2, ...
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from carrara.scoring.facts import facts_of, flags_fact, groups_fact, numbers_fact, span_fact, text_fact
from carrara.scoring.metrics.short_answers import Names

ITEMS: Final = "items"
_NUMBER: Final = re.compile(r"\[([0-9]{1,9})\] ")


@dataclass(frozen=True, slots=True)
class Cited:
    """What a response to a row is held against. `count` is the number of passages; `inside` numbers answers from 0."""

    kind: str
    question: str
    answers: tuple[tuple[str, ...], ...]
    support: tuple[frozenset[int], ...]
    inside: frozenset[int]
    count: int
    names: Names = field(repr=False)
    _prompt: str = field(repr=False, default="")
    _body: tuple[int, int] = (0, 0)

    def passage(self, number: int) -> tuple[str, str]:
        """Title and text of a passage; both empty where the prompt does not hold it."""
        start, end = self._body
        head = f"[{number}] "
        at = start if self._prompt.startswith(head, start, end) else self._prompt.find(f"\n\n{head}", start, end) + 2
        if at < start + 2 and at != start:
            return "", ""
        stop = self._prompt.find("\n\n", at, end)
        title, _, text = self._prompt[at + len(head) : stop if stop >= 0 else end].partition("\n")
        return title.strip(), text.strip()

    def claim(self, text: str) -> str:
        """What a passage must say: a statement as it is, an item as an answer to the question."""
        return f"{self.question} {text}".strip() if self.kind == ITEMS else text


def cited(row: Mapping[str, Any]) -> Cited:
    """Read a row. What its facts lack is empty: then nothing is right."""
    facts = facts_of(row)
    answers = tuple(map(tuple, groups_fact(facts, "answers")))
    support = tuple(map(frozenset, numbers_fact(facts, "support")))
    support += (frozenset(),) * (len(answers) - len(support))
    flags = flags_fact(facts, "evidence_inside")
    inside = [bool(numbers) for numbers in support] if flags is None else flags
    prompt = str(row.get("prompt") or "")
    start, end = span_fact(facts, "body", (0, 0))
    last = max((number for numbers in support for number in numbers), default=0)
    return Cited(
        kind=text_fact(facts, "kind") or "statements",
        question=text_fact(facts, "question"),
        answers=answers,
        support=support,
        inside=frozenset(number for number, is_inside in enumerate(inside[: len(answers)]) if is_inside),
        count=_count(prompt, start, end) or last,
        names=Names(answers),
        _prompt=prompt,
        _body=(start, end),
    )


def _count(prompt: str, start: int, end: int) -> int:
    """The number of the last passage."""
    at = prompt.rfind("\n\n[", start, end)
    found = _NUMBER.match(prompt, at + 2 if at >= 0 else start, end)
    return int(found[1]) if found else 0
