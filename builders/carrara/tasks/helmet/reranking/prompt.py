"""A reranking prompt: its wording, which planner and solver share, and which passages it holds in which order.

Graded passages are dealt in turn with those of grade 0 until the length is full. Each of the grades 3, 2 and 1 gets
every fourth place while it has passages. All other places are for grade 0: passages judged so, then the best of the
run. So a shorter prompt's passages are the first of a longer one's except for its last units. A passage of the run that
copies a graded one is left out, for it would count as irrelevant.
Must not change without a major version: the wording, the order of the deal, and what counts as a copy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.context import fill
from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.tables import Passage
from carrara.task import Budget, Query
from carrara.tasks.helmet.passages import BlockForm, Costs, PassageSupply, costs_of, is_sound, words

_GRADES: Final = (
    "Below are passages, each with an ID, and after them a question. Rank the passages by how well they answer the "
    "question. First come passages that state the answer; then other passages about the subject of the question; then "
)
# People graded by their own sense of what is related; in the invented world it is a matter of names.
INSTRUCTION: Final = _GRADES + "passages about something closely related to it; all others come last.\n\n"
WORLD_INSTRUCTION: Final = _GRADES + (
    "passages about something else that name this subject and, if the answer is a name, passages that are about the "
    "bearer of that name or mention it; all others come last.\n\n"
)
EXAMPLES: Final = "Two worked examples with a few short passages each come first.\n\n"
EXAMPLE: Final = "--- Example {number} ---\n\n"
TASK_HEADING: Final = "--- Your task ---\n\n"
ID_LINE: Final = "ID: {id}\n"
TITLE_LINE: Final = "Title: {title}\n"
QUESTION: Final = "Question: {question}\n"
ASK: Final = (
    "\nReply with one line of the form “Ranking: ID > ID > ID”: the IDs of the ten best passages, the best first.\n"
)
ANSWER_PREFIX: Final = "Ranking:"
RANKED: Final = "Ranking: {ranking}\n\n"
JOINT: Final = " > "
BEST: Final = 10
# IDs have six digits.
FIRST_ID: Final = 100_000
IDS: Final = 900_000


# Each grade gets one place in so many.
TURNS: Final = 4
# Tokens read beyond the wanted length: `fill` looks some twenty passages ahead.
_RESERVE: Final = 4_096
# A passage is a copy if half of its 16 evenly spread runs of 5 words occur in graded passages.
_RUNS: Final = 16
_RUN: Final = 5
# How many of the last passages may be left out, tried in turn: as few as suffice, so that those dealt first stay.
_WINDOWS: Final = (8, 12, 16, 32)
# Further passages to choose from if no choice among the last ones adds up.
_FURTHER: Final = 16


@dataclass(frozen=True, slots=True)
class DealtPassages:
    """Passages in the order of the deal, the ID of each, the tokens of each block with its ID: shape (n,).

    `graded`, shape (n,), tells those of grade 1 and more.
    """

    passages: tuple[Passage, ...]
    ids: tuple[str, ...]
    costs: Costs
    graded: NDArray[np.bool_]


@dataclass(slots=True)
class PassageDeal:
    """The passages of an item in the order of the deal, read as deep as a length needs.

    `ids(n)`: the IDs of the first n passages; `key` orders the passages of a grade. Raises ValueError if no passage of
    grade 2 or more can be shown.
    """

    query: Query
    ranked: Callable[[int], Sequence[Passage]]
    form: BlockForm
    ids: Callable[[int], Sequence[str]]
    budget: Budget
    key: Stream
    # The passages of the worked examples: neither they nor copies of them stand in the problem.
    shown: Sequence[Passage] = ()
    _queues: list[list[Passage]] = field(default_factory=list)
    _zeros: list[Passage] = field(default_factory=list)
    _supply: PassageSupply = field(init=False)
    _prices: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        grades = self.query.grades
        judged = [passage for passage in self.query.gold if passage.id in grades and is_sound(passage)]
        judged.sort(key=lambda passage: (-grades[passage.id], self.key.child(passage.id).word()))
        # Of passages with the same words, the best judged one stays.
        distinct = list({words(judgement.text): judgement for judgement in reversed(judged)}.values())[::-1]
        for grade in sorted({grades[passage.id] for passage in distinct}, reverse=True):
            here = [passage for passage in distinct if grades[passage.id] == grade]
            if grade >= 1:
                self._queues.append(here)
            else:
                self._zeros += here
        if not self._queues or grades[self._queues[0][0].id] < 2:
            raise ValueError(f"question {self.query.question.id} has no passage of grade 2 or more that can be shown")
        self._prices = dict(
            zip((passage.id for passage in distinct), costs_of(self.form, distinct, self.budget), strict=True)
        )
        barred = {passage.id for passage in (*judged, *self.shown)} | {
            id_ for id_, grade in grades.items() if grade >= 1
        }
        usable = _Usable(self.ranked, barred, [*self.shown, *(passage for queue in self._queues for passage in queue)])
        self._supply = PassageSupply(usable.first, self.form, self.budget)

    def reach(self, tokens: int) -> DealtPassages:
        """The deal up to a cost of `tokens` and a reserve. Raises BudgetError if the run is too short."""
        wanted = tokens - sum(self._prices.values())
        while True:
            try:
                self._supply.reach(max(1, wanted))
            except BudgetError:
                dealt = self._dealt()
                if int(dealt.costs.sum()) < tokens:
                    raise
                return dealt
            dealt = self._dealt()
            missing = tokens + _RESERVE - int(dealt.costs.sum())
            if missing <= 0:
                return dealt
            # Some graded passages have not had their turn yet.
            wanted = int(self._supply.costs.sum()) + missing

    def _dealt(self) -> DealtPassages:
        queues = [iter(queue) for queue in self._queues]
        zeros = iter([*self._zeros, *self._supply.passages])
        prices = self._prices | dict(
            zip((passage.id for passage in self._supply.passages), self._supply.costs.tolist(), strict=True)
        )
        turns = max(TURNS, len(queues) + 1)
        passages: list[Passage] = []
        graded: list[bool] = []
        while True:
            turn = len(passages) % turns
            passage = next(queues[turn], None) if turn < len(queues) else None
            graded.append(passage is not None)
            if passage is None and (passage := next(zeros, None)) is None:
                graded.pop()
                break
            passages.append(passage)
        ids = self.ids(len(passages))
        costs = np.array([prices[passage.id] for passage in passages], dtype=np.int64)
        costs += self.budget.count_many([ID_LINE.format(id=id_) for id_ in ids])
        return DealtPassages(tuple(passages), tuple(ids), costs, np.array(graded, dtype=np.bool_))


def fitting(dealt: DealtPassages, room: int) -> tuple[list[int], int]:
    """The numbers of the dealt passages that fill `room` tokens, and the tokens that they leave.

    A few of the last are left out: of grade 0 or, if that does not add up, any except the first passage.
    """
    numbers = np.arange(len(dealt.costs))
    tries = []
    stop = fill(dealt.costs, room).stop
    for window in _WINDOWS:
        tries.append(fill(dealt.costs, room, ~dealt.graded & (numbers >= max(1, stop - window)) & (numbers < stop)))
        if tries[-1].tokens == room:
            break
    else:
        for window in (*_WINDOWS[-1:], 2 * _WINDOWS[-1]):
            tries.append(fill(dealt.costs, room, numbers >= max(1, stop - window), further=_FURTHER))
            if tries[-1].tokens == room:
                break
    fitted = [filling for filling in tries if filling.tokens <= room]
    if not fitted:
        raise BudgetError(f"no passages fit into {room} tokens", "use a larger bucket, or shots = 0")
    best = max(fitted, key=lambda filling: filling.tokens)
    return best.kept, room - best.tokens


class _Usable:
    """The passages of a run that may stand in the prompt: neither graded nor copies of graded ones."""

    def __init__(self, ranked: Callable[[int], Sequence[Passage]], barred: set[str], graded: Sequence[Passage]) -> None:
        self._ranked, self._barred = ranked, barred
        self._known = {run for passage in graded for run in _runs(passage.text, every=True)}
        self._depth = 0
        self._kept: list[Passage] = []

    def first(self, count: int) -> Sequence[Passage]:
        """The best `count`. Raises BudgetError if the run does not have so many."""
        while len(self._kept) < count:
            depth = self._depth + count - len(self._kept)
            self._kept += filter(self._stays, self._ranked(depth)[self._depth : depth])
            self._depth = depth
        return self._kept[:count]

    def _stays(self, passage: Passage) -> bool:
        if passage.id in self._barred:
            return False
        runs = _runs(passage.text)
        return 2 * sum(run in self._known for run in runs) < max(1, len(runs))


def _runs(text: str, every: bool = False) -> list[tuple[str, ...]]:
    """Evenly spread runs of words of a text; all its words if it is too short for a run."""
    flat = text.casefold().split()
    last = len(flat) - _RUN
    starts = range(max(1, last + 1)) if every else sorted({last * number // (_RUNS - 1) for number in range(_RUNS)})
    return [tuple(flat[max(0, start) : max(0, start) + _RUN]) for start in starts]
