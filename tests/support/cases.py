"""What the tests that walk over all tasks have to know of one: it stands in the task's own test file, as `CASE`."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from mutants import Mutant

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Files:
    """Files of a source in its own form: the name of its reader, and their texts by name."""

    reader: str
    write: Callable[[], Mapping[str, str]]

    def pin(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """The table `[source.<name>]` of a recipe that names these files."""
        hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
        return {"reader": self.reader, "lang": "en", "licence": "CC0-1.0", "files": hashes}


def material_of(row: Row, laid_out: Iterable[str] = ()) -> Any:
    """What a row says, apart from how much filler stands around it and from the facts that follow from that."""
    facts = {name: value for name, value in json.loads(row["facts"]).items() if name not in set(laid_out)}
    return (row["answers"], row["choices"], row["complexity"], facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A task as its tests see it.

    `variants`: the closed list, each with its base and its default metric, frozen in every row. `mutants`: what solver
    or audit must object to, of all variants or by variant. `unseen`: those that nobody can notice where people gave the
    gold. `absent`: by variant, the names of those that it gives no occasion for. `by_people`: the sources whose gold
    people gave, so that no solver is asked for them. `material`: what a row says apart from filler. `part`: asserts
    that a smaller row's text is part of a larger one's, of a task whose amount is what fits; None where both say the
    same. `reads`: of a variant, what its plan reads of its source: "tables", "pieces" or nothing.
    `golden`: whether plans of real sources are golden too: they read nothing of them. `shares_answers`: whether a twin
    may have the same answers. `params`: by variant, what a recipe sets so that six items fit into 4k tokens. `files`:
    by source, files written for the tests where the source itself is not here. `few`: sources whose published sample
    has fewer questions than six items take.
    """

    variants: Mapping[str, tuple[str, str]]
    mutants: tuple[Mutant, ...] | Mapping[str, tuple[Mutant, ...]]
    unseen: tuple[Mutant, ...] = ()
    absent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by_people: tuple[str, ...] = ()
    material: Callable[[Row], Any] = material_of
    part: Callable[[Row, Row], None] | None = None
    reads: Callable[[str], str] = lambda variant: ""
    golden: bool = False
    shares_answers: bool = False
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    files: Mapping[str, Files] = field(default_factory=dict)
    few: tuple[str, ...] = ()

    def mutants_of(self, variant: str) -> tuple[Mutant, ...]:
        """The mutants that a variant must object to."""
        return self.mutants[variant] if isinstance(self.mutants, Mapping) else self.mutants


@cache
def case_of(task: str) -> Case:
    """What the test file of a task says of it: `CASE` of `tests/tasks/test_<task>.py`."""
    case = import_module(f"tasks.test_{task}").CASE
    assert isinstance(case, Case)
    return case


def separate(*names: str, metric: str) -> dict[str, tuple[str, str]]:
    """Variants that draw from streams of their own and have one default metric."""
    return {name: (name, metric) for name in names}


def jsonl(rows: Iterable[Any]) -> str:
    """Rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)
