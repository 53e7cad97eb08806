"""Probes: shortcuts that might answer an ancestral trace without tracing anybody, and the options that each picks.

A probe gives every option a value and picks the greatest. It picks all options that share it, and a right one among k
counts 1 / k (`credit`), the expected score of a guess among them. The blind probes read statements and options but not
who is asked about: with the quartet each is right in one row of four by construction. The other probes also read the
asked name; their scores show how much tracing a topology needs.

Options are names. Questions of distance have no probes, for their options are numbers.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft
from carrara.tasks.needlebench.ancestral_trace.families import write_statements
from carrara.tasks.needlebench.ancestral_trace.material import AncestralPlan, other_families, problem_of
from carrara.tasks.needlebench.ancestral_trace.solver import ReadTie, read_prompt, read_ties


@dataclass(frozen=True)
class Scene:
    """A problem as a probe sees it: statements in the order of the prompt, options, and the asked person."""

    texts: Sequence[str]
    ties: Sequence[ReadTie]
    options: tuple[str, ...]
    asked: str

    @cached_property
    def mentions(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the statements that name a person."""
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        for number, tie in enumerate(self.ties):
            numbers[tie[0]].append(number)
            numbers[tie[1]].append(number)
        return numbers

    @cached_property
    def younger(self) -> Mapping[str, Sequence[str]]:
        """By person: the stated children and grandchildren."""
        people: defaultdict[str, list[str]] = defaultdict(list)
        for tie in self.ties:
            people[tie[1]].append(tie[0])
        return people

    @cached_property
    def elders(self) -> Mapping[str, Sequence[str]]:
        """By person: the stated parents and grandparents, in the order of the statements."""
        people: defaultdict[str, list[str]] = defaultdict(list)
        for tie in self.ties:
            people[tie[0]].append(tie[1])
        return people

    def named(self, person: str) -> Sequence[int]:
        """The numbers of the statements that name a person; () if none does."""
        return self.mentions.get(person, ())

    def reached(self, person: str, *steps: Mapping[str, Sequence[str]]) -> set[str]:
        """Everybody reachable from a person by the given steps, without that person."""
        reached = {person}
        todo = [person]
        while todo:
            current = todo.pop()
            for near in steps:
                for other in near.get(current, ()):
                    if other not in reached:
                        reached.add(other)
                        todo.append(other)
        return reached - {person}


Probe = Callable[[Scene, str], float]


def _lengths(scene: Scene, option: str) -> list[int]:
    return [len(scene.texts[number]) for number in scene.named(option)] or [0]


def _first_parent(scene: Scene, option: str) -> float:
    person, seen = scene.asked, {scene.asked}
    while (above := scene.elders.get(person)) and above[0] not in seen:
        person = above[0]
        seen.add(person)
    return person == option


def _distance(scene: Scene, option: str) -> float:
    pairs = [(number, other) for number in scene.named(option) for other in scene.named(scene.asked)]
    return -min((abs(number - other) for number, other in pairs), default=len(scene.ties))


def _surname(name: str) -> str:
    return name.rpartition(" ")[2] if " " in name else name[0]


BLIND: Final[Mapping[str, Probe]] = {
    "mentioned once": lambda scene, option: len(scene.named(option)) == 1,
    "mentioned least": lambda scene, option: -len(scene.named(option)),
    "mentioned most": lambda scene, option: len(scene.named(option)),
    "longest statement": lambda scene, option: max(_lengths(scene, option)),
    "shortest statement": lambda scene, option: -min(_lengths(scene, option)),
    "no parent": lambda scene, option: not scene.elders.get(option),
    "most children": lambda scene, option: len(scene.younger.get(option, ())),
    "most descendants": lambda scene, option: len(scene.reached(option, scene.younger)),
    "biggest family": lambda scene, option: len(scene.reached(option, scene.younger, scene.elders)),
    "smallest family": lambda scene, option: -len(scene.reached(option, scene.younger, scene.elders)),
    "first mention": lambda scene, option: -min(scene.named(option), default=len(scene.ties)),
    "last mention": lambda scene, option: max(scene.named(option), default=-1),
}
# They trace everybody above the asked person, which is the task: no shortcuts.
TRACING: Final[Mapping[str, Probe]] = {
    "same family": lambda scene, option: option in scene.reached(scene.asked, scene.younger, scene.elders),
    "a root upward": lambda scene, option: (
        option in scene.reached(scene.asked, scene.elders) and not scene.elders.get(option)
    ),
}
AWARE: Final[Mapping[str, Probe]] = {
    "always the first parent": _first_parent,
    "nearest in the text": _distance,
    "the same surname": lambda scene, option: _surname(option) == _surname(scene.asked),
    "a child of the same surname": lambda scene, option: any(
        _surname(child) == _surname(scene.asked) for child in scene.younger.get(option, ())
    ),
}


def picks(scene: Scene, probe: Probe) -> tuple[int, ...]:
    """The numbers of the options that a probe picks: one, or all that share the greatest value."""
    values = [probe(scene, option) for option in scene.options]
    return tuple(number for number, value in enumerate(values) if value == max(values))


def credit(scene: Scene, probe: Probe, gold: int) -> float:
    """How often a probe that guesses among its picks is right, in [0, 1]; `gold` is the number of the right option."""
    picked = picks(scene, probe)
    return 1 / len(picked) if gold in picked else 0.0


def read_scene(prompt: str) -> Scene | None:
    """The problem of a prompt; None if the prompt is not this task's, or asks for a distance."""
    problems = read_prompt(prompt)
    if not problems or problems[-1].question == "distance":
        return None
    problem = problems[-1]
    texts = prompt[problem.start : problem.end].splitlines(keepends=True)
    return Scene(texts, problem.ties, problem.options, problem.asked)


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """What each probe answers that does not trace; {} for a question of distance."""
    scene = read_scene(draft.prompt)
    if scene is None:
        return {}
    return {
        name: tuple(f"Answer: {chr(ord('A') + number)}" for number in picks(scene, probe))
        for name, probe in {**BLIND, **AWARE}.items()
    }


def planned_scene(plan: AncestralPlan, others: int = 0) -> tuple[Scene, int]:
    """The problem of a plan among `others` statements of other families, and the number of its right option.

    It needs no tokenizer, so a thousand plans take seconds. Raises ValueError for a plan whose steps the bucket
    decides, and for one that asks for a distance.
    """
    if plan.structure is None or plan.question == "distance":
        raise ValueError("probes want a plan with a number of steps and options that are names")
    problem = problem_of(plan, plan.structure)
    steps = plan.structure.high - plan.structure.low
    texts, keys = list(problem.statements.texts), problem.statements.order.tolist()
    if others:
        filler = write_statements(other_families(plan, plan.structure, steps), others)
        texts, keys = texts + filler.texts, keys + filler.order.tolist()
    texts = [text for _, text in sorted(zip(keys, texts, strict=True))]
    ties = read_ties("".join(texts), plan.lang)
    if ties is None:
        raise ValueError("a statement is in no known form")
    return Scene(texts, ties, problem.options, problem.people[0]), problem.gold
