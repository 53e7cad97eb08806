"""Solves variable-tracking prompts from their text, audits rows, and guesses without following chains."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.synthetic_recall.prompt import (
    ANSWER_PREFIX,
    BEGIN,
    END,
    INTRODUCTION,
    QUESTION,
    SOLVED,
    WORKED,
)

_LINE = re.compile("^.*VAR .*$", re.MULTILINE)
_STATEMENT = re.compile(r"VAR ([A-Z]{5}) = (?:VAR ([A-Z]{5})|([1-9][0-9]{4}))\.")
_QUESTION = re.compile(re.escape(QUESTION).replace(re.escape("{value}"), "([1-9][0-9]{4})"))
# Whatever a name could be a part of, in small letters too.
_RUN: Final = re.compile("[b-df-hj-np-tv-xz]{5,}", re.IGNORECASE)
_NAME: Final = re.compile("[B-DF-HJ-NP-TV-XZ]{5}")


@dataclass(frozen=True, slots=True)
class VariableStatement:
    """A variable, its assigned value (a number or another variable's name), and the span of the statement."""

    name: str
    given: str
    start: int
    end: int


def behind_example(prompt: str) -> int:
    """Where the task itself begins: behind the worked example, if there is one."""
    return prompt.find(SOLVED) + len(SOLVED) if prompt.startswith(WORKED) and SOLVED in prompt else 0


def shown_example(prompt: str) -> tuple[str, tuple[str, ...]] | None:
    """The worked example of a prompt: its own prompt, and the answers below it; None without one."""
    if not (end := behind_example(prompt)):
        return None
    shown, _, listed = prompt[len(WORKED) : end - len(SOLVED)].rpartition(ANSWER_PREFIX)
    return shown, tuple(line.partition(". ")[2] for line in listed.strip().splitlines())


def solve(prompt: str) -> tuple[str, ...]:
    """Return the variables with the value asked for, in order of appearance.

    () if the prompt has another form, or if a variable gets two values or the value of one that has none yet.
    """
    if (read := read_statements(prompt)) is None:
        return ()
    statements, value = read
    values: dict[str, str] = {}
    for statement in statements:
        given = statement.given if statement.given.isdigit() else values.get(statement.given, "")
        if statement.name in values or not given:
            return ()
        values[statement.name] = given
    return tuple(name for name, given in values.items() if given == value)


def read_statements(prompt: str) -> tuple[list[VariableStatement], str] | None:
    """Return all statements in order and the value asked for; None if the prompt does not have exactly this form."""
    end, begin = prompt.rfind(END), behind_example(prompt)
    if not prompt.startswith(INTRODUCTION + BEGIN, begin) or end < begin:
        return None
    if (asked := _QUESTION.fullmatch(prompt, end + len(END))) is None:
        return None
    statements = []
    for line in _LINE.finditer(prompt, begin + len(INTRODUCTION + BEGIN), end):
        if (match := _STATEMENT.fullmatch(line[0])) is None:
            return None
        statements.append(VariableStatement(match[1], match[2] or match[3], *line.span()))
    return statements, asked[1]


def audit(draft: Draft) -> Iterator[Finding]:
    """Check that the statements are those of the recorded chains, each once, in order, with no name elsewhere."""
    if (read := read_statements(draft.prompt)) is None:
        yield Finding("layout", "the prompt is not a text with statements and a question about a value")
        return
    statements, value = read
    example = shown_example(draft.prompt)
    if bool(example) != bool(draft.facts.get("shots")) or (example and solve(example[0]) != example[1]):
        yield Finding("example", "the worked example is missing, not told, or not solved as it says")
    chains = draft.facts["chains"]
    asked = chains[draft.facts["asked"]]
    names = [name for chain in chains for name in chain["names"]]
    if value != str(asked["value"]) or list(draft.answers) != asked["names"]:
        yield Finding("gold", f"{value} is asked; the record has {asked} and the answers {draft.answers}")
    if len(set(names)) != len(names) or not all(map(_NAME.fullmatch, names)):
        yield Finding("names", "two variables have one name, or a name is not five consonants")
    if len({chain["value"] for chain in chains}) != len(chains):
        yield Finding("values", "two chains have one value")
    wanted = {}
    for chain in chains:
        wanted[chain["names"][0]] = str(chain["value"])
        wanted |= {name: other for other, name in pairwise(chain["names"])}
    stated = {statement.name: statement.given for statement in statements}
    if stated != wanted or len(statements) != len(wanted):
        yield Finding("statements", f"{len(statements)} statements are not the {len(wanted)} of the record")
    starts = {statement.name: statement.start for statement in statements}
    if any(starts.get(other, 0) > starts.get(name, 0) for chain in chains for other, name in pairwise(chain["names"])):
        yield Finding("order", "a variable is given the value of a later one")
    # The names of an example are others.
    yield from _elsewhere(draft.prompt, names, Counter([*stated, *stated.values()]))
    spans = [(statement.start, statement.end) for statement in statements if statement.name in set(asked["names"])]
    if list(draft.evidence) != spans or not len(spans) == len(draft.depths) == draft.complexity + 1:
        yield Finding("evidence", "the spans are not the statements of the asked chain")
    if list(draft.depths) != sorted(draft.depths):
        yield Finding("evidence", f"the depths {draft.depths} do not grow")


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Guess all variables, those assigned right after the value, or any one chain."""
    statements, value = read_statements(draft.prompt) or ([], "")
    names = [statement.name for statement in statements]
    first = next((index for index, statement in enumerate(statements) if statement.given == value), 0)
    return {
        "every variable": ("\n".join(names),),
        "the variables set next": ("\n".join(names[first : first + len(draft.answers)]),),
        "any chain": tuple("\n".join(chain["names"]) for chain in draft.facts["chains"]),
    }


def _elsewhere(prompt: str, names: list[str], stated: Counter[str]) -> Iterator[Finding]:
    """Names that stand in the prompt more often than in its statements, in a longer word too."""
    known = set(names)
    runs = Counter(_RUN.findall(prompt))
    for run, times in runs.items():
        held = {run[at : at + 5].upper() for at in range(len(run) - 4)} & known
        if held and (run not in known or times != stated[run]):
            yield Finding("names", f"{sorted(held)} stand {times} times as {run!r}; statements: {stated[run]}")
