"""Numeric sorting: write a long list of numbers again, in ascending or descending order or as it stands (VerbatimEval).

N different integers of d digits, joined by a comma and a space. Prompt and answer share the length: N is the largest
with tokens(prompt) + max_output_tokens within it; the output has room for the answer and a margin of 5 %.

Differs from the paper: N follows from the length unless the recipe gives it; `verbatim` has the numbers of
`ascending`, so that copying and sorting are compared on the same material.
Must not change: number j of an item, which depends only on the stream, the item's number, d and j.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from carrara.errors import BudgetError
from carrara.stream import Permutation, Stream
from carrara.task import Budget, Draft, Finding, Inputs, Item, Key, Slot, Task, Variant

NumberOrder = Literal["ascending", "descending", "verbatim"]

ORDERS: Final[dict[NumberOrder, str]] = {
    "ascending": "sorted from the smallest to the largest",
    "descending": "sorted from the largest to the smallest",
    "verbatim": "in exactly the order in which they stand",
}
HEAD: Final = (
    "Below is a list of numbers. Write all of them again, {order}. Leave no number out, add none and change none.\n\n"
    "[The list begins]\n"
)
TAIL: Final = (
    "\n[The list ends]\n\nNow write the numbers {order}, joined by a comma and a space, on one line and with nothing "
    "else before or after them.\n"
)
JOINT: Final = ", "
ANSWER_PREFIX: Final = "Answer:"
_BEGIN: Final = HEAD[HEAD.index("\n\n") :]
_END: Final = TAIL[: TAIL.index("\n\n") + 2]
_CORRECTIONS: Final = 3
# Fewer may be in order by chance; ten are so in two of 3.6 million lists.
_FEWEST: Final = 10


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set: the digits of every number, and how many numbers (default: as many as fit).

    If these are lists, their pairs are balanced over the items.
    """

    digits: int | tuple[int, ...] = 9
    count: int | tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if () in (self.digits, self.count):
            raise ValueError("an empty list: expected at least one number")
        for digits, count in self.sizes():
            if not 5 <= digits <= 15:
                raise ValueError(f"digits = {digits}: expected 5 to 15")
            if count is not None and not _FEWEST <= count <= _supply(digits):
                raise ValueError(f"count = {count}: expected {_FEWEST} to {_supply(digits)}")

    def sizes(self) -> list[tuple[int, int | None]]:
        """Every pair of digits and count."""
        counts = self.count if isinstance(self.count, tuple) else (self.count,)
        return list(product(self.digits if isinstance(self.digits, tuple) else (self.digits,), counts))


@dataclass(frozen=True, slots=True)
class Plan:
    """The order asked for and the key of the numbers; without `count` the length decides how many."""

    order: NumberOrder
    digits: int
    count: int | None
    numbers: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's key: the same for `ascending` and `verbatim`, which share a stream."""
    order: NumberOrder = "verbatim"
    if item.variant == "ascending":
        order = "ascending"
    elif item.variant == "descending":
        order = "descending"
    digits, count = stream.child("sizes").balanced(params.sizes(), item.index)
    return Plan(order, digits, count, (*stream.key, item.index, "numbers"))


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The list of as many numbers as fit, or of as many as the recipe gives; then the rest of the length stays free."""
    order = ORDERS[plan.order]
    head, tail = HEAD.format(order=order), TAIL.format(order=order)
    # The longest of the three wordings, so that the orders of one item have the same numbers.
    fixed = max(
        budget.count(HEAD.format(order=words)) + budget.count(TAIL.format(order=words)) for words in ORDERS.values()
    )
    supply = _NumberSupply(plan, budget)
    n = supply.most(slot.length - fixed) if plan.count is None else supply.reach(plan.count)
    for _ in range(_CORRECTIONS + 1):
        if n < _FEWEST:
            raise BudgetError(
                f"{max(0, n)} numbers of {plan.digits} digits fit {slot.length} tokens with their answer; "
                f"expected at least {_FEWEST}",
                "use a larger bucket or fewer digits",
            )
        listed = supply.texts[:n]
        given, gold = JOINT.join(listed), JOINT.join(_arranged(listed, plan.order))
        prompt = head + given + tail
        output = _output_tokens(budget.count(gold))
        over = budget.measure(prompt) + output - slot.length
        if over <= 0 or plan.count is not None:
            break
        # If counts do not add up (SentencePiece), the final count decides.
        n -= max(1, -(-over // max(1, 2 * supply.cost)))
    if over > 0:
        raise BudgetError(
            f"{n} numbers of {plan.digits} digits and their answer take {slot.length + over} tokens; "
            f"the row has {slot.length}",
            "use a larger bucket, fewer numbers or fewer digits",
        )
    return Draft(
        prompt=prompt,
        answers=(gold,),
        complexity=n,
        max_output_tokens=output,
        evidence=((len(head), len(head) + len(given)),),
        facts={"n": n, "order": plan.order, "digits": plan.digits},
    )


def solve(prompt: str) -> tuple[str, ...]:
    """The numbers of the list in the order asked for; () if the prompt is not exactly this task's."""
    if (read := _read(prompt)) is None:
        return ()
    order, numbers = read
    if order != "verbatim":
        numbers = sorted(numbers, key=int, reverse=order == "descending")
    return (", ".join(numbers),)


def audit(draft: Draft) -> Iterator[Finding]:
    """Check that the answer has each number of the list once, in order, and that the list is not yet in that order."""
    facts = draft.facts
    if (read := _read(draft.prompt)) is None:
        yield Finding("layout", "the prompt is not a list of numbers between its marks and the same order asked twice")
        return
    order, numbers = read
    gold = draft.answers[0].split(", ") if draft.answers else []
    if order != facts["order"]:
        yield Finding("order", f"the prompt asks for {order}, the facts say {facts['order']}")
    if not len(numbers) == len(gold) == draft.complexity == facts["n"]:
        yield Finding("count", f"{len(numbers)} listed, {len(gold)} in the answer, complexity {draft.complexity}")
    if len(set(numbers)) != len(numbers):
        yield Finding("duplicate", f"{len(numbers) - len(set(numbers))} numbers stand in the list again")
    if sorted(numbers) != sorted(gold):
        yield Finding("multiset", "the answer does not have the numbers of the list")
    if any(len(number) != facts["digits"] for number in numbers):
        yield Finding("digits", f"a number of the list does not have {facts['digits']} digits")
    # All texts have one width, so their order is the order of the numbers.
    rising = all(a < b for a, b in pairwise(numbers))
    if rising or all(a > b for a, b in pairwise(numbers)):
        yield Finding("sorted", "the list is in order as it stands: copying would be sorting")
    ordered = {
        "ascending": all(a < b for a, b in pairwise(gold)),
        "descending": all(a > b for a, b in pairwise(gold)),
        "verbatim": gold == numbers,
    }
    if not ordered[order]:
        yield Finding("gold", f"the answer is not {order}")
    if [draft.prompt[start:end] for start, end in draft.evidence] != [", ".join(numbers)]:
        yield Finding("evidence", "the span is not the list")


def _supply(digits: int) -> int:
    return 9 * int(10 ** (digits - 1))


def _arranged(texts: list[str], order: NumberOrder) -> list[str]:
    # All texts have one width, so their order is the order of the numbers.
    return texts if order == "verbatim" else sorted(texts, reverse=order == "descending")


def _output_tokens(gold: int) -> int:
    return -(-gold * 21 // 20)


class _NumberSupply:
    """The numbers of an item as far as they are needed; number j is value j of a keyed permutation of the range."""

    def __init__(self, plan: Plan, budget: Budget) -> None:
        self._digits, self._budget = plan.digits, budget
        self._permutation = Permutation(Stream(*plan.numbers), _supply(plan.digits))
        self.texts: list[str] = []
        self._costs: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.cost = 0

    def reach(self, count: int) -> int:
        """Make the first `count` numbers; return `count`."""
        indices = np.arange(len(self.texts), count, dtype=np.int64)
        self.texts += map(str, (self._permutation.take(indices) + 10 ** (self._digits - 1)).tolist())
        return count

    def most(self, room: int) -> int:
        """How many numbers fit `room` twice, in the list and in the answer with its margin, by the sum of their costs.

        All but the first cost a joint too, in the answer as in the list: there is one joint less than numbers.
        """
        limit = self._permutation.size
        while True:
            size = len(self.texts)
            totals = self._costs.cumsum() - self._saved()
            spent = totals + (totals * 21 + 19) // 20
            if size and (spent[-1] > room or size == limit):
                break
            mean = float(self._costs.mean()) if size else 0.0
            more = max(64, int((room - int(spent[-1])) / (2.05 * mean) * 1.01) + 64) if size else 64
            self.reach(min(limit, size + more))
            fresh = [f"{JOINT}{text}" for text in self.texts[size:]]
            self._costs = np.append(self._costs, self._budget.count_many(fresh).astype(np.int64))
        if spent[-1] <= room:
            raise BudgetError(
                f"all {limit} numbers of {self._digits} digits take {int(spent[-1])} tokens; the row has {room}",
                "use more digits or a smaller bucket",
            )
        self.cost = int(self._costs.mean())
        return int(np.searchsorted(spent, room, side="right"))

    def _saved(self) -> int:
        if not self.texts:
            return 0
        return self._budget.count(f"{JOINT}{self.texts[0]}") - self._budget.count(self.texts[0])


def _read(prompt: str) -> tuple[NumberOrder, list[str]] | None:
    """The order asked for and the numbers listed; None if the prompt is not exactly this task's."""
    begin = prompt.find(_BEGIN) + len(_BEGIN)
    end = prompt.find(_END, begin)
    if begin < len(_BEGIN) or end < 0:
        return None
    listed = prompt[begin:end]
    if not re.fullmatch(r"[1-9][0-9]{0,17}(?:, [1-9][0-9]{0,17})*", listed):
        return None
    for order, words in ORDERS.items():
        if prompt[:begin] == HEAD.format(order=words) and prompt[end:] == TAIL.format(order=words):
            return order, listed.split(", ")
    return None


def _guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Guess the list as it stands, the list shuffled, and as many numbers at even steps, in the order asked for."""
    ((start, end),) = draft.evidence
    listed = draft.prompt[start:end].split(JOINT)
    least, count = int(10 ** (len(listed[0]) - 1)), len(listed)
    others = [str(least + 9 * least * (2 * place + 1) // (2 * count)) for place in range(count)]
    return {
        "the list as it stands": (JOINT.join(listed),),
        "the list shuffled": (JOINT.join(stream.shuffled(listed)),),
        "numbers at even steps": (JOINT.join(others[:: -1 if draft.facts["order"] == "descending" else 1]),),
    }


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise."""
    return {"introduction": HEAD, "request": TAIL}


TASK = Task(
    name="numeric_sorting",
    benchmark="verbatimeval",
    paper="VerbatimEval (2025), numeric sorting",
    asks="Write a long list of numbers again: ascending, descending, or exactly as it stands.",
    facts={
        "n": "numbers in the list",
        "order": "ascending, descending or verbatim",
        "digits": "digits of each number",
    },
    metrics=(
        "order/numbers",
        "verbatim/levenshtein",
        "verbatim/levenshtein/paper",
        "verbatim/indel",
        "verbatim/indel/paper",
        "verbatim/strict",
    ),
    sources=(),
    variants={"ascending": Variant(), "descending": Variant("ascending"), "verbatim": Variant("ascending")},
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    exact=False,
    unused=lambda params: 0 if params.count is None else None,
    guesses=_guesses,
    view=lambda draft: str(draft.facts["order"]),
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
