"""The interface of a kind of synthetic recall: its parameters and its functions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import UnionType
from typing import Any, Final, Literal

from carrara.stream import Stream
from carrara.task import Budget, Draft, Finding, Inputs, Item, Slot

# Tokens that an answer may take (TASKS section 0).
OUTPUT: Final = 128


@dataclass(frozen=True, slots=True)
class Params:
    """The parameters of a recipe; the defaults are the published tasks (HELMET; RULER, arXiv:2404.06654, appendix B).

    `positions`: rows of a json_kv item, evenly spaced from the first pair to the last. `distractors`: other keys in
    niah_multikey_1. `values`: values of the key in niah_multivalue; `queries`: keys asked for in niah_multiquery.
    `chains`, `hops`: of variable tracking. `common`: the number of words asked for in cwe, each `often` times, every
    other word `seldom` times; `alpha`: the Zipf exponent of fwe. `shots`: worked examples, of json_kv none or two; vt
    and cwe have one, as RULER's have, where it is 1. `hint`: the prompts of niah say, as the paper's do, that sentences
    are hidden in the text.
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
    shots: Literal[0, 1, 2] = 2
    hint: bool = False

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
    """One kind of recall with one or more variants; its functions are those of a task.

    `solve` returns () for a prompt of another kind. `plan_type` is the type of its plans: a frozen dataclass whose
    first field is `kind: Literal[...]`, the kind's name.
    """

    plan_type: type[Any] | UnionType
    plan: Callable[[Params, Item, Inputs, Stream], Any]
    render: Callable[[Any, Slot, Inputs, Budget], Draft]
    solve: Callable[[str], tuple[str, ...]]
    audit: Callable[[Draft], Iterator[Finding]]
    guesses: Callable[[Draft, Stream], dict[str, tuple[str, ...]]]
