"""What the kinds of synthetic recall have in common: what a recipe may set, and the four functions of a kind."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from carrara.stream import Stream
from carrara.task import Budget, Draft, Finding, Inputs, Item, Slot

# Tokens that an answer may take (TASKS section 0).
OUTPUT: Final = 128


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set; the defaults are the published tasks (HELMET; RULER, arXiv:2404.06654, appendix B).

    `positions`: rows of an item of json_kv, evenly from the first pair to the last. `distractors`: other keys of
    niah_multikey_1. `values`: of the key of niah_multivalue; `queries`: keys asked by niah_multiquery. `chains`, `hops`
    of variable tracking. `common`: the words asked of cwe, each `often` times, every other word `seldom` times;
    `alpha`: the Zipf exponent of fwe. `shots`: worked examples of json_kv alone.
    """

    positions: int = 6
    distractors: int = 3
    values: int = 4
    queries: int = 4
    chains: int = 1
    hops: int = 4
    common: int = 10
    often: int = 30
    seldom: int = 3
    alpha: float = 2.0
    shots: Literal[0, 2] = 2

    def __post_init__(self) -> None:
        bounds = {
            "positions": (1, 64),
            "distractors": (1, 16),
            "values": (2, 16),
            "queries": (2, 16),
            "chains": (1, 16),
            "hops": (1, 16),
            "common": (1, 32),
            "often": (2, 200),
            "seldom": (1, 100),
            "alpha": (1.5, 4.0),
        }
        for name, (least, most) in bounds.items():
            if not least <= (value := getattr(self, name)) <= most:
                raise ValueError(f"{name} = {value}: expected {least} to {most}")
        if self.seldom >= self.often:
            raise ValueError(f"seldom = {self.seldom}: expected fewer than often = {self.often}")


@dataclass(frozen=True, slots=True)
class RecallKind:
    """One kind of recall, of one variant or several: as of a task, and `solve` gives () for a prompt of another kind.

    `plan_type` is what `plan` gives: a frozen dataclass whose first field is `kind: Literal[...]`, its name.
    """

    plan_type: type[Any]
    plan: Callable[[Params, Item, Inputs, Stream], Any]
    render: Callable[[Any, Slot, Inputs, Budget], Draft]
    solve: Callable[[str], tuple[str, ...]]
    audit: Callable[[Draft], Iterator[Finding]]
    guesses: Callable[[Draft, Stream], dict[str, tuple[str, ...]]]
