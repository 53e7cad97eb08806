"""Entity grouping: sort a long list of names into 14 classes, or write it again as it stands (VerbatimEval).

N entities of a source are drawn without replacement, at least one of each of the 14 classes of the DBpedia ontology
data set. `dbpedia` shows bare titles joined by a comma and a space. `world` shows invented names, one a line, each with
a gloss of a few words that implies the class and names nothing. The answer has one line for each class. Prompt and
answer share the length: as many entities as fit with the answer and a margin of 5 %, or as many as the recipe gives.

Differs from the paper: the answer is lines instead of JSON (the scorer takes both). N follows from the length unless
the recipe gives it. Invented names are in no training set, and their glosses make the grouping computable; for
`dbpedia` people made it. `<source>_verbatim` has the entities of `<source>`, so that copying and grouping are compared
on the same material. Both have the same room for prompt and answer together, so the shorter instruction leaves a few
tokens more for its answer.
Must not change: unit j of an item, which depends only on the stream, the item's number, the source and j.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.task import Budget, Draft, Finding, Inputs, Item, Key, Slot, Task, Variant
from carrara.tasks.verbatimeval.entity_grouping.solver import read, solve
from carrara.tasks.verbatimeval.entity_grouping.supply import (
    ANSWER_PREFIX,
    CLASSES,
    HEADS,
    LABELS,
    TAILS,
    TWENTIETHS,
    EntitySupply,
    GroupingRequest,
    Layout,
    ListedEntity,
)

EntityCount = int | tuple[int, ...] | None
_MOST: Final = 1_000_000
_CORRECTIONS: Final = 3


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set: the number of entities (default: as many as fit), or several, balanced over the items."""

    count: EntityCount = None

    def __post_init__(self) -> None:
        for count in () if self.count is None else _several(self.count):
            if not CLASSES <= count <= _MOST:
                raise ValueError(f"count = {count}: expected {CLASSES} to {_MOST}")
        if self.count == ():
            raise ValueError("count = []: expected at least one number")


@dataclass(frozen=True, slots=True)
class Plan:
    """The request, the layout of the list, and the key of the entities; without `count` the length decides how many."""

    asked: GroupingRequest
    layout: Layout
    count: int | None
    entities: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's key: the same for a source and its `_verbatim`, which share a stream."""
    counts = None if params.count is None else _several(params.count)
    return Plan(
        asked="copy" if item.variant.endswith("_verbatim") else "group",
        layout="bare" if item.variant.startswith("dbpedia") else "glossed",
        count=None if counts is None else stream.child("counts").balanced(counts, item.index),
        entities=(*stream.key, item.index, "entities"),
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The list of as many entities as fit, or of as many as the recipe gives; then the rest stays free."""
    head, tail = HEADS[plan.asked, plan.layout], TAILS[plan.asked, plan.layout]
    own = _around(plan.asked, plan.layout, budget)
    # The longer wording and the longer answer count, so that both variants have the same entities.
    around = max(own, _around("copy" if plan.asked == "group" else "group", plan.layout, budget))
    # A line's last name is counted with a semicolon that it lacks; every line except the last ends with a newline.
    labels = sum(budget.count(f"{label}:") for label in LABELS.values()) - 1
    supply = EntitySupply(plan.entities, plan.layout, inputs.tables.entity_roll("en"), budget)
    room = TWENTIETHS * (slot.length - around) - (TWENTIETHS + 1) * labels
    for _ in range(_CORRECTIONS + 1):
        listed = supply.filling(room) if plan.count is None else supply.first(plan.count)
        given, golds = _shown(listed, plan.layout), {"group": _grouped(listed), "copy": _copied(listed)}
        prompt = head + given + tail
        output = -(-max(map(budget.count, golds.values())) * (TWENTIETHS + 1) // TWENTIETHS) + around - own
        over = budget.measure(prompt) + output - slot.length
        if over <= 0 or plan.count is not None:
            break
        # If counts do not add up (SentencePiece), the final count decides.
        room -= TWENTIETHS * over
    if over > 0:
        raise BudgetError(
            f"{len(listed)} entities and their answer take {slot.length + over} tokens; the row has {slot.length}",
            "use a larger bucket or fewer entities",
        )
    facts = {"n": len(listed), "classes": list(LABELS.values())}
    return Draft(
        prompt=prompt,
        answers=(golds[plan.asked],),
        complexity=len(listed),
        max_output_tokens=output,
        evidence=((len(head), len(head) + len(given)),),
        facts=facts if plan.asked == "group" else {"n": len(listed)},
    )


def audit(draft: Draft) -> Iterator[Finding]:
    """Check that the answer has every entity once, each class at least one, in list order within a class."""
    facts, gold = draft.facts, "\n".join(draft.answers)
    if (reading := read(draft.prompt)) is None:
        yield Finding("layout", "the prompt is not a list of names between its marks and the same thing asked twice")
        return
    asked, names = reading.asked, reading.names
    if asked != ("group" if "classes" in facts else "copy"):
        yield Finding("asked", f"the prompt asks to {asked}, the facts do not")
    if not len(names) == draft.complexity == facts["n"] >= CLASSES:
        yield Finding("count", f"{len(names)} listed, complexity {draft.complexity}, facts {facts['n']}")
    if len(set(names)) != len(names):
        yield Finding("duplicate", f"{len(names) - len(set(names))} names stand in the list again")
    run = "".join(names)
    if any(mark in run for mark in ",;\n") or any(name != name.strip() for name in names):
        yield Finding("name", "a name cannot be told from its neighbours")
    if [draft.prompt[start:end] for start, end in draft.evidence] != [reading.listed]:
        yield Finding("evidence", "the span is not the list")
    if asked == "copy":
        if gold.split(", ") != names:
            yield Finding("gold", "the answer is not the names of the list in their order")
        return
    lines = [line.partition(": ") for line in gold.split("\n")]
    if [label for label, _, _ in lines] != list(LABELS.values()) or facts.get("classes") != list(LABELS.values()):
        yield Finding("classes", "the answer does not have a line for each class, in the order of the prompt")
    groups = [line.split("; ") if line else [] for _, _, line in lines]
    if any(not group for group in groups):
        yield Finding("classes", "a class has no entity")
    if sorted(name for group in groups for name in group) != sorted(names):
        yield Finding("multiset", "the answer does not have every name of the list once")
    position = {name: number for number, name in enumerate(names)}
    if any(group != sorted(group, key=lambda name: position.get(name, -1)) for group in groups):
        yield Finding("gold", "the names of a class are not in list order")


def _several(count: int | tuple[int, ...]) -> tuple[int, ...]:
    return (count,) if isinstance(count, int) else count


def _around(asked: GroupingRequest, layout: Layout, budget: Budget) -> int:
    """Tokens of a wording without its list."""
    # The newline before the end mark belongs to the last line.
    return budget.count(HEADS[asked, layout]) + budget.count(TAILS[asked, layout].removeprefix("\n"))


def _shown(listed: Sequence[ListedEntity], layout: Layout) -> str:
    if layout == "bare":
        return ", ".join(entity.name for entity in listed)
    return "\n".join(f"{entity.name} ({entity.gloss})" for entity in listed)


def _grouped(listed: Sequence[ListedEntity]) -> str:
    groups: dict[str, list[str]] = {class_: [] for class_ in LABELS}
    for entity in listed:
        groups[entity.class_].append(entity.name)
    return "\n".join(f"{LABELS[class_]}: {'; '.join(names)}" for class_, names in groups.items())


def _copied(listed: Sequence[ListedEntity]) -> str:
    return ", ".join(entity.name for entity in listed)


def _guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Guess all names under one class, under random classes, in list order and shuffled."""
    if (reading := read(draft.prompt)) is None:
        return {}
    names, labels = reading.names, list(LABELS.values())
    dealt: dict[str, list[str]] = {label: [] for label in labels}
    for name in names:
        dealt[stream.choice(labels)].append(name)
    return {
        "the list as it stands": (", ".join(names),),
        "the list shuffled": (", ".join(stream.shuffled(names)),),
        "all under one class": (f"{labels[0]}: {'; '.join(names)}",),
        "any class": ("\n".join(f"{label}: {'; '.join(group)}" for label, group in dealt.items()),),
    }


def _view(draft: Draft) -> str:
    return "grouped" if "classes" in draft.facts else "copied"


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise, of both requests: their rows share their entities."""
    layout: Layout = "bare" if variant.startswith("dbpedia") else "glossed"
    heads = {f"introduction_{asked}": text for (asked, shown), text in HEADS.items() if shown == layout}
    return {**heads, **{f"request_{asked}": text for (asked, shown), text in TAILS.items() if shown == layout}}


TASK = Task(
    name="entity_grouping",
    benchmark="verbatimeval",
    paper="VerbatimEval (2025), entity grouping",
    asks="Sort a long list of names into 14 classes, or write it again exactly as it stands.",
    facts={
        "n": "names in the list",
        "classes": "the classes, where the names are to be sorted",
    },
    metrics=(
        "grouping/f1",
        "grouping/category_recall",
        "grouping/global_recall",
        "grouping/category_recall/paper",
        "grouping/global_recall/paper",
    ),
    sources=("world", "dbpedia"),
    variants={
        "world": Variant(source="world"),
        "world_verbatim": Variant("world", source="world"),
        # People sorted the titles of DBpedia.
        "dbpedia": Variant(source="dbpedia", solvable=False),
        "dbpedia_verbatim": Variant("dbpedia", source="dbpedia"),
    },
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    exact=False,
    unused=lambda params: 0 if params.count is None else None,
    guesses=_guesses,
    view=_view,
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
