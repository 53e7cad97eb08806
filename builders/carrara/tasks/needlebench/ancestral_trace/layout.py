"""Lays an ancestral trace out: examples, the problem's statements among those of other families, question and options.

Each statement has a sort key of its own, so a shorter row's statements are among a longer row's. `fill` chooses the
filler: statements are independent, so the last ones may be left out.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from carrara.context import Assembly, corrected, fill
from carrara.errors import BudgetError
from carrara.task import Budget, Draft, Inputs, Slot
from carrara.tasks.needlebench.ancestral_trace.families import NumberColumn, StatementFiller
from carrara.tasks.needlebench.ancestral_trace.material import (
    AncestralPlan,
    deep_structure,
    head_of,
    other_families,
    problem_of,
)
from carrara.tasks.needlebench.ancestral_trace.problem import WrittenProblem
from carrara.tasks.needlebench.ancestral_trace.prompt import END, HOW, LETTERS
from carrara.tasks.needlebench.ancestral_trace.structures import Structure

_DIRECT_OUTPUT: Final = 32
_REASONED_OUTPUT: Final = 256
_STEP_OUTPUT: Final = 64
# For lines as deep as fits: the tokens that small families fill, and the steps of these families.
_CLOSING: Final = 400
_CLOSING_STEPS: Final = 2
_GUESSES: Final = 6


def render_trace(plan: AncestralPlan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The problem among other families' statements, filled to the slot's length, options turned by the placement."""
    writer = _Writer(plan, slot, budget)
    laid = writer.families(plan.structure) if plan.structure else writer.deepest()
    if plan.alone:
        text = writer.lay_out(laid, 0)
    else:
        text = corrected(lambda aim: writer.lay_out(laid, aim), laid.room, slot.length - laid.output, budget)
    problem, steps = laid.problem, len(laid.problem.path)
    return Draft(
        prompt=text.prompt,
        answers=(LETTERS[problem.gold],),
        complexity=steps,
        max_output_tokens=laid.output,
        choices=problem.options,
        depths=text.depths,
        evidence=text.spans,
        facts={
            "steps": steps,
            "topology": plan.topology,
            "question": plan.question,
            "fill": "none" if plan.alone else "families" if plan.structure else "steps",
            "options": plan.options,
            "shots": plan.shots,
            "generations": problem.generations,
            "path": list(problem.people),
        },
    )


@dataclass(frozen=True, slots=True)
class _LaidProblem:
    """A problem with the text around it; `costs`: tokens of its statements; `room`: tokens left for filler."""

    problem: WrittenProblem
    tail: str
    costs: NumberColumn
    output: int
    room: int
    filler: StatementFiller


class _Writer:
    """Writes the row of a plan in a slot."""

    def __init__(self, plan: AncestralPlan, slot: Slot, budget: Budget) -> None:
        self.plan, self.slot, self.budget = plan, slot, budget
        self.known: dict[str, int] = {}
        self.head = head_of(plan)
        self.head_tokens = budget.count(self.head)

    def families(self, structure: Structure) -> _LaidProblem:
        """The plan's own group, with room for other families of its kind."""
        laid = self._problem(structure, structure.high - structure.low)
        if laid.room < 0:
            raise BudgetError(
                f"examples, {len(laid.problem.statements.texts)} statements, question and answer take "
                f"{self.slot.length - laid.room} tokens; the row has {self.slot.length}",
                "use a larger bucket, fewer steps or fewer shots",
            )
        return laid

    def deepest(self) -> _LaidProblem:
        """The group whose lines are as deep as fits, with some room for small families to close the gap."""
        steps = 8
        for _ in range(_GUESSES):
            laid = self._deep(steps)
            each = int(laid.costs.sum()) / steps + (_STEP_OUTPUT if self.plan.reasoned else 0)
            if (more := int((laid.room - _CLOSING) // each)) == 0:
                break
            steps = max(2, steps + more)
        while laid.room < _CLOSING // 2:
            if steps <= 2:
                raise BudgetError(
                    f"lines of two steps and what stands around them take more than {self.slot.length} tokens",
                    "use a larger bucket or fewer shots",
                )
            steps -= 1
            laid = self._deep(steps)
        return laid

    def _deep(self, steps: int) -> _LaidProblem:
        return self._problem(deep_structure(self.plan, steps), _CLOSING_STEPS)

    def _problem(self, structure: Structure, filler_steps: int) -> _LaidProblem:
        plan = self.plan
        problem = problem_of(plan, structure, self.slot.placement)
        output = _REASONED_OUTPUT + _STEP_OUTPUT * len(problem.path) if plan.reasoned else _DIRECT_OUTPUT
        tail = END[plan.lang] + problem.question + problem.choices + "\n" + HOW[plan.lang][plan.reasoned]
        costs = self._costs(problem.statements.texts)
        filler = StatementFiller(other_families(plan, structure, filler_steps), self.budget)
        room = self.slot.length - output - self.head_tokens - self.budget.count(tail) - int(costs.sum())
        return _LaidProblem(problem, tail, costs, output, room, filler)

    def _costs(self, texts: list[str]) -> NumberColumn:
        """Tokens of each text; a line that is tried at several depths is counted once."""
        new = [text for text in texts if text not in self.known]
        self.known.update(zip(new, self.budget.count_many(new).tolist(), strict=True))
        return np.array([self.known[text] for text in texts], dtype=np.int64)

    def lay_out(self, laid: _LaidProblem, room: int) -> Assembly:
        """The prompt with filler of `room` tokens, or less (`short`) if no choice of statements adds up."""
        filler = laid.filler
        filler.reach(room)
        filling = fill(filler.costs, room)
        kept = np.array(filling.kept, dtype=np.int64)
        own = laid.problem.statements
        costs = np.concatenate([laid.costs, filler.costs[kept]])
        texts = own.texts + [filler.texts[index] for index in kept.tolist()]
        order = np.concatenate([own.order, filler.order[kept]]).argsort(kind="stable")
        placed = [texts[index] for index in order.tolist()]
        # For statement i in the order: the characters and tokens before it.
        starts = np.cumsum([len(self.head), *map(len, placed)])
        before = np.concatenate([np.zeros(1, dtype=np.int64), costs[order].cumsum()])
        position_of = {index: at for at, index in enumerate(order.tolist()) if index < len(own.texts)}
        at = [position_of[number] for number in laid.problem.path]
        return Assembly(
            prompt="".join([self.head, *placed, laid.tail]),
            spans=tuple((int(starts[position]), int(starts[position + 1]) - 1) for position in at),
            depths=tuple(round(int(before[position]) / int(before[-1]), 6) for position in at),
            filler_tokens=filling.tokens,
            short=room - filling.tokens,
        )
