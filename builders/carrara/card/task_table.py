"""The table of tasks as Markdown: what `carrara list --table` prints and docs/ holds.

A row is the variants of a task that share the kind of their sources, buckets, default metric and proof. Made things and
the invented world fill every bucket; of a real source the table tells which buckets the recipes that come along ask.
Nothing is written by hand but the names of the benchmarks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from carrara.recipe.recipe import EMBEDDED, Recipe, load_recipe, recipe_folder
from carrara.task import Task
from carrara.tasks import TASKS

BENCHMARKS: Final = {
    "michelangelo": "Michelangelo",
    "needlebench": "NeedleBench",
    "verbatimeval": "VerbatimEval",
    "helmet": "HELMET",
}
COLUMNS: Final = ("task", "asks", "variants", "sources", "buckets", "default metric", "proof")
EVERY_BUCKET: Final = "any, to 1M"
YOURS: Final = "what yours fill"
UNASKED: Final = "what they fill"
NOTE: Final = (
    "Of real sources: the buckets that the recipes ask of them. Proof: a `solver` computes every row's answer from the "
    "prompt alone; an `audit` proves what can be proven of an answer that people gave."
)
_WORLD: Final = "world"
# Sources that a user brings, under these names.
_OWN: Final = frozenset(("own", "documents"))


@dataclass(slots=True)
class TaskLine:
    """A row of the table: variants and sources in the order of the task."""

    task: Task[Any, Any]
    buckets: str
    metric: str
    proof: str
    variants: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def cells(self, is_first: bool) -> Sequence[str]:
        """The texts of the row; name and question stand in the first row of a task alone."""
        task = self.task
        return (
            f"`{task.name}` ({BENCHMARKS[task.benchmark]})",
            task.asks if is_first else "",
            _code(self.variants),
            _code(self.sources),
            self.buckets,
            f"`{self.metric}`",
            self.proof,
        )


def markdown() -> str:
    """The table of all tasks, in their order, and what its words mean; with a line end."""
    recipes = [load_recipe(path) for path in sorted(recipe_folder().glob("*.toml"))]
    rows: list[Sequence[str]] = [COLUMNS, ("---",) * len(COLUMNS)]
    for task in TASKS.values():
        rows += [line.cells(number == 0) for number, line in enumerate(lines(task, recipes))]
    table = "".join("|".join(["", *(f" {cell} " if cell else " " for cell in row), "\n"]) for row in rows)
    return f"{table}\n{NOTE}\n"


def lines(task: Task[Any, Any], recipes: Sequence[Recipe]) -> list[TaskLine]:
    """The rows of one task; every variant is in at least one."""
    found: dict[tuple[str, str, str, str], TaskLine] = {}
    for variant in task.variants:
        for source in _sources(task, variant, recipes):
            kind = "" if not source else "own" if source in _OWN else _WORLD if source == _WORLD else "real"
            buckets = {"": EVERY_BUCKET, _WORLD: EVERY_BUCKET, "own": YOURS}.get(kind)
            if buckets is None:
                buckets = _asked(task, variant, source, recipes) or UNASKED
            proof = "solver" if task.solve and task.solvable(variant, source) else "audit"
            key = (kind, buckets, task.metric(variant), proof)
            line = found.setdefault(key, TaskLine(task, buckets, task.metric(variant), proof))
            line.variants += [variant] * (bool(variant) and variant not in line.variants)
            line.sources += [source] * (bool(source) and source not in line.sources)
    return list(found.values())


def _sources(task: Task[Any, Any], variant: str, recipes: Sequence[Recipe]) -> list[str]:
    """The sources of a variant: the one that it is bound to, else the task's that none is, and those of recipes."""
    if not task.sources:
        return [""]
    if bound := task.variants[variant].source:
        return [_named(bound)]
    taken = {known.source for known in task.variants.values()}
    # The first is what a recipe takes that names none.
    of_task = [_named(source) for source in task.sources if source not in taken or source == task.sources[0]]
    return list(dict.fromkeys([*of_task, *(source for source, _ in _cells(task, variant, recipes))]))


def _cells(task: Task[Any, Any], variant: str, recipes: Sequence[Recipe]) -> Iterator[tuple[str, dict[str, int]]]:
    """What recipes ask of a variant: the source of a cell, or what it stands for, and its buckets' sizes."""
    for recipe in recipes:
        for cell in recipe.cells:
            if cell.task == task.name and variant in cell.variants:
                source = task.variants[variant].source or cell.source
                yield _named(source), {bucket: recipe.buckets[bucket] for bucket in cell.buckets}


def _asked(task: Task[Any, Any], variant: str, source: str, recipes: Sequence[Recipe]) -> str:
    """The buckets that recipes ask of a variant from a source, the smallest first."""
    asked: dict[str, int] = {}
    for one, buckets in _cells(task, variant, recipes):
        asked |= buckets if one == source else {}
    return " ".join(sorted(asked, key=lambda bucket: asked[bucket]))


def _named(source: str) -> str:
    return _WORLD if source in EMBEDDED else source


def _code(names: Sequence[str]) -> str:
    return " ".join(f"`{name}`" for name in names)
