"""Multi-needle retrieval: the names of several objects, each stated once in a long text (NeedleBench, section 3.1).

Differs from the paper: every item has facts of its own; the order of the questions is drawn independently of the order
of the needles; needles are spaced so that they never pile up at the end; decoys stand among them (see single_needle).
Must not change: the facts of an item, which depend only on the stream, the variant and the item's number.
"""

from dataclasses import dataclass

from carrara.stream import Stream
from carrara.task import Inputs, Item, Task
from carrara.tasks.needlebench.needles.facts import NEEDLE_FACTS, NeedlePlan, needle_parts, plan_needles, render_needles
from carrara.tasks.needlebench.needles.layout import VARIANTS, LayoutParams, check_needles, settled
from carrara.tasks.needlebench.needles.prompt import ANSWER_PREFIX
from carrara.tasks.needlebench.needles.solver import audit_needles, guesses, solve_needles

MAX_NEEDLES = 20


@dataclass(frozen=True, slots=True)
class Params(LayoutParams):
    """What a recipe may set. `needles`: their number, or a list balanced over the items (the paper's 1 to 20)."""

    needles: int | tuple[int, ...] = 5

    def __post_init__(self) -> None:
        LayoutParams.__post_init__(self)
        check_needles(self.counts(), 1, MAX_NEEDLES)

    def counts(self) -> tuple[int, ...]:
        """The numbers of needles, balanced over the items."""
        return self.needles if isinstance(self.needles, tuple) else (self.needles,)


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> NeedlePlan:
    """The item's facts; they depend on neither length nor depth."""
    needles = stream.child("needles").balanced(params.counts(), item.index)
    return plan_needles(params, item, needles, stream)


TASK = Task(
    name="multi_needle",
    benchmark="needlebench",
    paper="NeedleBench (arXiv:2407.11963v1), section 3.1",
    asks="Find the sentences of a long text that each name an object, and give all the names.",
    facts=NEEDLE_FACTS,
    metrics=(
        "needlebench/answer",
        "needlebench/keywords",
        "needlebench/single",
        "needlebench/first",
        "needlebench/paper",
        "needlebench/keywords/paper",
        "needlebench/single/paper",
    ),
    sources=("world",),
    variants=VARIANTS,
    params=Params,
    plan_type=NeedlePlan,
    plan=plan,
    render=render_needles,
    solve=solve_needles,
    audit=audit_needles,
    guesses=guesses,
    settled=settled,
    unused=lambda params: params.buffer,
    answer_prefix=lambda params, variant: ANSWER_PREFIX["zh" if variant == "zh" else "en"],
    parts=needle_parts,
)
