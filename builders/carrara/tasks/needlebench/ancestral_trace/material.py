"""The texts of an ancestral-trace plan that no length changes: its problem, its examples and its other families.

People of an item are numbered: first those of the examples, with numbers reserved for all possible examples; then the
problem's; then those of the other families. So `shots` changes no name.
Must not change: any of the three for a plan.
"""

from dataclasses import dataclass
from typing import Final, Literal

from carrara.stream import Stream
from carrara.task import Key, Lang
from carrara.tasks.needlebench.ancestral_trace.families import Namer, StatementSource, statement_table
from carrara.tasks.needlebench.ancestral_trace.problem import LetteredQuestion, WrittenProblem, reasoning, write_problem
from carrara.tasks.needlebench.ancestral_trace.prompt import (
    ANSWER,
    BEGIN,
    END,
    EXAMPLE,
    EXAMPLES,
    INTRODUCTION,
    LETTERS,
    NUMBERS,
    PROBLEM,
    REASONING,
    TOLD,
    KinshipQuestion,
    Topology,
)
from carrara.tasks.needlebench.ancestral_trace.structures import LINES, Structure, draw_structure

MAX_SHOTS: Final = 8
# Steps of the examples, in turn; for questions of distance, the fewest possible.
_EXAMPLE_STEPS: Final = (2, 3)
_DISTANCE_STEPS: Final = 3
_EXAMPLE_PEOPLE: Final = 256
# Other families come in groups like the problem's, with so many structures in turn.
_STRUCTURES: Final = 8


@dataclass(frozen=True, slots=True)
class AncestralPlan:
    """What an ancestral trace decides before any text exists.

    `structure`: the group of four lines, None if the lines are as deep as fits; `alone`: no other families. `lines`:
    the line of each option before rotation; `gold`: the number of the right one. `names`: the stream key of the names
    of all items; `key`: the stream key of everything else.
    """

    lang: Lang
    reasoned: bool
    topology: Topology
    question: KinshipQuestion
    options: Literal["quartet", "paper"]
    shots: int
    structure: Structure | None
    alone: bool
    lines: tuple[int, ...]
    gold: int
    item: int
    key: Key
    names: Key


def problem_of(plan: AncestralPlan, structure: Structure, turn: int = 0) -> WrittenProblem:
    """The problem about a group, its options rotated by `turn` places."""
    asked = LetteredQuestion(plan.question, plan.lines, plan.gold, plan.options == "paper", turn)
    return write_problem(structure, asked, _stream(plan, "problem"), _namer(plan), MAX_SHOTS * _EXAMPLE_PEOPLE)


def other_families(plan: AncestralPlan, structure: Structure, steps: int) -> StatementSource:
    """Families like those of the problem, in groups whose paths have `steps` steps."""
    own = _stream(plan, "filler")
    structures = [
        draw_structure(own.child("structure", turn), plan.topology, plan.question, steps) for turn in range(_STRUCTURES)
    ]
    return StatementSource(
        statement_table(structures), own, _namer(plan), MAX_SHOTS * _EXAMPLE_PEOPLE + structure.people
    )


def deep_structure(plan: AncestralPlan, steps: int) -> Structure:
    """The group of a plan whose bucket decides the number of steps: a shorter group is a prefix of a longer one."""
    return draw_structure(_stream(plan, "structure"), plan.topology, plan.question, steps)


def head_of(plan: AncestralPlan) -> str:
    """The text before the problem's statements: the rules, and the examples with their answers."""
    lang, question = plan.lang, plan.question
    parts = [INTRODUCTION[lang], TOLD[lang][question]]
    if plan.shots:
        parts.append(EXAMPLES[lang][plan.shots > 1].format(count=NUMBERS[lang][plan.shots]))
    own = _stream(plan, "examples")
    for number in range(plan.shots):
        steps = _DISTANCE_STEPS if question == "distance" else _EXAMPLE_STEPS[number % len(_EXAMPLE_STEPS)]
        structure = draw_structure(own.child(number, "structure"), plan.topology, question, steps)
        lines = tuple(own.child(number, "lines").shuffled(range(LINES)))
        asked = LetteredQuestion(
            question, lines, own.child("gold").balanced(range(LINES), number), plan.options == "paper"
        )
        key = own.child(number, "problem")
        problem = write_problem(structure, asked, key, _namer(plan), number * _EXAMPLE_PEOPLE)
        parts += [EXAMPLE[lang].format(number=number + 1), BEGIN[lang], *problem.in_order, END[lang]]
        parts += [problem.question, problem.choices]
        if plan.reasoned:
            parts += [REASONING[lang], reasoning(structure, problem, asked, lang)]
        parts.append(ANSWER[lang].format(letter=LETTERS[problem.gold]))
    return "".join([*parts, PROBLEM[lang], BEGIN[lang]])


def _stream(plan: AncestralPlan, *key: str) -> Stream:
    return Stream(*plan.key, *key)


def _namer(plan: AncestralPlan) -> Namer:
    return Namer(Stream(*plan.names), plan.lang, plan.item)
