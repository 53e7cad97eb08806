"""Latent List: what a view of a Python list shows after a long session (Michelangelo, arXiv:2409.12640, section 2.1).

A list starts as [1, 2, 3, 4, 5, 6]. A few lines of the session change it, spread evenly among many that do not: prints
of a phrase, even numbers of reverses, and blocks that cancel themselves on any list.

Differs from the paper: wording and phrases are ours. A program is drawn again until leaving out any one operation
changes what is shown, and it never restores an earlier list. Slices lie within the list, and the length is asked of
the whole list, so that no slice bound gives the answer away. Views and complexities are balanced jointly. The prompt
is filled exactly to its length.
Must not change: the program of an item, and filler unit j; both depend only on the stream and the item's number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from carrara.context import Assembly, corrected, fill
from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.task import Budget, Draft, Finding, Inputs, Item, Key, Slot, Task, Variant
from carrara.tasks.michelangelo.latent_list.filler import OperationFiller, PricedFiller
from carrara.tasks.michelangelo.latent_list.program import (
    START,
    Operation,
    Program,
    View,
    draw_program,
    guesses,
    model_chance,
)
from carrara.tasks.michelangelo.latent_list.solver import Look, read_look, run_lines, show

VIEWS: Final[tuple[View, ...]] = ("print", "sum", "min", "max", "len")
INTRODUCTION: Final = (
    "Three Python sessions follow. Each works on one list, a: its lines, marked >>, run from top to bottom, and the "
    "last line shows {shown}. The first two come with their answers. Work out the answer of the third.\n\n"
)
SHOWN: Final[dict[View, str]] = {
    "print": "a slice of the list",
    "sum": "the sum of a slice of the list",
    "min": "the smallest number in a slice of the list",
    "max": "the largest number in a slice of the list",
    "len": "the length of the list",
}
SESSION: Final = "Session {number}\n"
ANSWER_PREFIX: Final = "Answer:"
RESULT: Final = ANSWER_PREFIX + " {result}\n\n"
QUESTION: Final = "\nWhat does the last line of session 3 show? Reply with one line of the form “Answer: {form}\n"
_NUMBER: Final = "NUMBER”, where NUMBER is one whole number."
FORM: Final[dict[View, str]] = {
    "print": "LIST”, where LIST is in square brackets, as Python prints it.",
    "sum": _NUMBER,
    "min": _NUMBER,
    "max": _NUMBER,
    "len": _NUMBER,
}
START_LINE: Final = ">> a = [1, 2, 3, 4, 5, 6]\n"
_EXAMPLE_OPERATIONS: Final = 3
# Room for a sentence around a number; a list has room for itself and the label twice.
_OUTPUT: Final = 32
# Outside the range of every session's numbers, and in an order that a sort or a reverse would change.
_PROBE: Final = [20_000, 30_000, 10_000]


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set: the numbers of relevant operations, and the views; both are balanced over the items."""

    complexities: tuple[int, ...] = (1, 5, 20)
    views: tuple[View, ...] = VIEWS

    def __post_init__(self) -> None:
        if not self.complexities or not all(1 <= count <= 24 for count in self.complexities):
            raise ValueError(f"complexities = {list(self.complexities)}: expected numbers from 1 to 24")
        if not self.views or any(view not in VIEWS for view in self.views):
            raise ValueError(f"views = {list(self.views)}: expected some of {', '.join(VIEWS)}")
        for name, values in (("complexities", self.complexities), ("views", self.views)):
            if len(set(values)) != len(values):
                raise ValueError(f"{name} = {list(values)}: expected each once")


@dataclass(frozen=True, slots=True)
class Plan:
    """The program asked about, the programs of the two worked examples, and the key of the filler."""

    problem: Program
    examples: tuple[Program, Program]
    filler: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's programs. Raises RecipeError if no program of the complexity qualifies."""
    cells = tuple(product(params.views, params.complexities))
    view, count = stream.child("view and complexity").balanced(cells, item.index)
    own = stream.child(item.index)
    return Plan(
        problem=draw_program(own.child("problem"), view, count),
        examples=(
            draw_program(own.child("example", 1), view, _EXAMPLE_OPERATIONS),
            draw_program(own.child("example", 2), view, _EXAMPLE_OPERATIONS),
        ),
        filler=(*own.key, "filler"),
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The session, with operation k of n at depth (k + 1/2) / n among filler that fills the slot's length.

    `fill`, not `assemble`: lines are independent, so the last units may be dropped wherever the operations stand. With
    twenty operations in 2k to 8k tokens `assemble` drops units of the widest gap, at depths from 3 % on (`fill`: never
    before 70 % at 2k, 94 % at 8k), and a shorter row's filler would not be a prefix of a longer row's.
    """
    problem, stream = plan.problem, Stream(*plan.filler)
    gold = _text(problem.value)
    output = max(_OUTPUT, 2 * budget.count(gold)) if problem.view == "print" else _OUTPUT
    head, tail = _head(plan, stream), _view_line(problem) + QUESTION.format(form=FORM[problem.view])
    lines = [_line(operation) for operation in problem.operations]
    wanted = slot.length - output
    fixed = budget.count(head) + budget.count(tail) + sum(int(cost) for cost in budget.count_many(lines))
    units = PricedFiller(stream.child("problem"), budget)

    def lay_out(aim: int) -> Assembly:
        if aim < 0:
            raise BudgetError(
                f"the examples, {len(lines)} operations and the question take {fixed} tokens; the prompt has {wanted}",
                "use a larger bucket or a smaller complexity",
            )
        return _lay_out(head, tail, lines, units, aim)

    laid = corrected(lay_out, wanted - fixed, wanted, budget)
    return Draft(
        prompt=laid.prompt,
        answers=(gold,),
        complexity=len(lines),
        max_output_tokens=output,
        depths=laid.depths,
        evidence=laid.spans,
        facts={
            "view": problem.view,
            "slice": [problem.start, problem.stop] if problem.stop else [],
            "operations": [line.removeprefix(">> ").rstrip("\n") for line in lines],
            "length": problem.length,
        },
    )


def solve(prompt: str) -> tuple[str, ...]:
    """The result of session 3, run line by line; () if a line is outside the grammar or Python would fail on it."""
    sessions = _sessions(prompt)
    if sessions is None or (shown := _run(sessions[2])) is None:
        return ()
    return (shown,)


def audit(draft: Draft) -> Iterator[Finding]:
    """Check that each operation counts, no stretch of filler changes the list, and the examples are right."""
    view, operations = draft.facts["view"], draft.facts["operations"]
    gold = draft.answers[0] if draft.answers else ""
    if not re.fullmatch(r"\[-?[0-9]{1,4}(, -?[0-9]{1,4})*\]" if view == "print" else r"-?[0-9]{1,6}", gold):
        yield Finding("gold", f"{gold!r} is not in the form of view {view}")
    if not draft.complexity == len(operations) == len(draft.evidence) == len(draft.depths):
        yield Finding(
            "evidence",
            f"complexity {draft.complexity}, {len(operations)} operations, {len(draft.evidence)} spans, "
            f"{len(draft.depths)} depths",
        )
    held = [draft.prompt[start:end] for start, end in draft.evidence]
    if held != [f">> {operation}" for operation in operations] or list(draft.evidence) != sorted(draft.evidence):
        yield Finding("evidence", f"the spans hold {held}, not {operations} in order")
    sessions = _sessions(draft.prompt)
    if sessions is None:
        yield Finding("layout", "the prompt is not two sessions with results, a third, and its question")
        return
    if [session.look.view for session in sessions] != [view] * 3:
        yield Finding("view", f"the sessions show {[session.look.view for session in sessions]}, not {view} each time")
    for number, session in enumerate(sessions[:2], 1):
        if (shown := _run(session)) != session.result:
            yield Finding("example", f"session {number} shows {shown}, its result says {session.result}")
    asked = sessions[2]
    if view != "len" and not (0 <= asked.look.start < asked.look.stop <= draft.facts["length"]):
        yield Finding("slice", f"[{asked.look.start}:{asked.look.stop}] of a list of {draft.facts['length']}")
    yield from _irrelevant(held, asked, gold)
    yield from _disturbing(draft, asked)


# --- render -----------------------------------------------------------------------------------------------------------


def _head(plan: Plan, stream: Stream) -> str:
    parts = [INTRODUCTION.format(shown=SHOWN[plan.problem.view])]
    for number, example in enumerate(plan.examples, 1):
        fillers = OperationFiller(stream.child("example", number)).take(len(example.operations))
        parts += [SESSION.format(number=number), START_LINE]
        for filler, operation in zip(fillers, example.operations, strict=True):
            parts += [filler, _line(operation)]
        parts += [_view_line(example), RESULT.format(result=_text(example.value))]
    return "".join([*parts, SESSION.format(number=3), START_LINE])


def _line(operation: Operation) -> str:
    return f">> a.{operation.name}({', '.join(map(str, operation.arguments))})\n"


def _view_line(program: Program) -> str:
    return f">> {program.view}(a{f'[{program.start}:{program.stop}]' if program.stop else ''})\n"


def _text(value: int | tuple[int, ...]) -> str:
    return str(value if isinstance(value, int) else list(value))


def _lay_out(head: str, tail: str, lines: Sequence[str], units: PricedFiller, room: int) -> Assembly:
    """Filler of `room` tokens (less if no choice of units adds up) with line k of n at depth (k + 1/2) / n."""
    units.reach(room)
    filling = fill(units.costs, room)
    kept = filling.kept
    before = np.concatenate([np.zeros(1, dtype=np.int64), units.costs[kept].cumsum()])
    parts, spans, depths = [head], [], []
    length, at = len(head), 0
    for number, line in enumerate(lines):
        depth = (number + 0.5) / len(lines) * filling.tokens
        joint = int(np.searchsorted(before, depth))
        if joint and depth - before[joint - 1] <= before[joint] - depth:
            joint -= 1
        stretch = "".join(units.texts[index] for index in kept[at:joint])
        parts += [stretch, line]
        spans.append((length + len(stretch), length + len(stretch) + len(line) - 1))
        length, at = spans[-1][1] + 1, joint
        depths.append(round(int(before[joint]) / filling.tokens, 6) if filling.tokens else 0.0)
    parts += [*(units.texts[index] for index in kept[at:]), tail]
    return Assembly("".join(parts), tuple(spans), tuple(depths), filling.tokens, room - filling.tokens)


# --- solve and audit --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Session:
    """A session as read: its lines, without the first and the last, are [begin:end] of the prompt."""

    begin: int
    end: int
    lines: list[str]
    look: Look
    result: str


def _sessions(prompt: str) -> list[_Session] | None:
    """The two examples and the session asked about; None if the layout is not exactly this task's."""
    sessions = []
    end = 0
    for number in (1, 2, 3):
        title = "\n" + SESSION.format(number=number) + START_LINE
        begin = prompt.find(title, max(0, end - 1)) + len(title)
        end = prompt.find("\n\n", begin)
        if prompt.count(title) != 1 or begin < len(title) or end < 0:
            return None
        result, last = "", end
        if number < 3:
            last = prompt.rfind("\n", begin, end)
            before, _, result = prompt[last + 1 : end].partition(" ")
            if last < 0 or before != ANSWER_PREFIX:
                return None
        asked = prompt.rfind("\n", begin - 1, last) + 1
        if (look := read_look(prompt[asked:last])) is None:
            return None
        sessions.append(_Session(begin, asked, prompt[begin:asked].splitlines(), look, result))
        end += 2
    form = FORM["print" if sessions[2].look.view == "print" else "len"]
    return sessions if prompt[end - 1 :] == QUESTION.format(form=form) else None


def _run(session: _Session) -> str | None:
    values = run_lines(START, session.lines)
    return None if values is None else show(session.look, values)


def _irrelevant(held: list[str], asked: _Session, gold: str) -> Iterator[Finding]:
    """Check that the operations alone give the gold, and that they do not with any one left out."""
    if (values := run_lines(START, held)) is None or show(asked.look, values) != gold:
        yield Finding("gold", f"the operations alone do not give {gold}")
    for number, line in enumerate(held):
        values = run_lines(START, held[:number] + held[number + 1 :])
        if values is not None and show(asked.look, values) == gold:
            yield Finding("irrelevant operation", f"without {line!r} the session shows {gold} all the same")


def _disturbing(draft: Draft, asked: _Session) -> Iterator[Finding]:
    """Check that the filler between two operations leaves a probe list as it was."""
    at = asked.begin
    for start, end in [*draft.evidence, (asked.end, asked.end)]:
        if run_lines(_PROBE, draft.prompt[at:start].splitlines()) != _PROBE:
            yield Finding("relevant filler", f"the lines at {at}..{start} change the list")
        at = end + 1


def _chance(view: str, complexity: int) -> dict[str, float]:
    chances: dict[str, float] = {}
    for known in VIEWS:
        if known == view:
            chances["the paper's random model against itself"] = model_chance(
                Stream("chance", view, complexity), known, complexity
            )
    return chances


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise."""
    return {"introduction": INTRODUCTION, "session": SESSION, "request": QUESTION}


TASK = Task(
    name="latent_list",
    benchmark="michelangelo",
    paper="Michelangelo (arXiv:2409.12640), section 2.1",
    asks="Follow a Python list through a long session and say what a view of it shows at the end.",
    facts={
        "view": "what is asked of the list: print, sum, min, max or len",
        "slice": "[start, stop] of the slice that is asked about; empty for len",
        "operations": "the operations that count, in their order, as Python",
        "length": "elements of the list at the end",
    },
    metrics=("latent_list", "latent_list/paper"),
    sources=(),
    variants={"": Variant()},
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    guesses=lambda draft, stream: {"random model": guesses(stream, draft.facts["view"], draft.complexity)},
    chance=_chance,
    view=lambda draft: str(draft.facts["view"]),
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
