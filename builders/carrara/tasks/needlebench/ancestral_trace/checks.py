"""The audit of ancestral traces: finds rows without a single right option, and options that give themselves away.

It derives the gold by another algorithm than the solver. Each person points to one elder; pointer doubling finds the
roots and sums the generations. Statements that no pointer follows (a second parent or grandparent) then tie roots to
each other, so that every person gets a birth generation in their family. Sorted by generation, the statements need one
pass to mark the people to whom the asked person can be traced.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from carrara.task import Draft, Finding
from carrara.tasks.needlebench.ancestral_trace.prompt import LETTERS
from carrara.tasks.needlebench.ancestral_trace.solver import ProblemReading, ReadTie, answer, read_prompt, read_ties

# Depths count tokens; counted in characters, a statement's depth differs by at most so much.
_DEPTH_ERROR = 0.08


@dataclass(frozen=True, slots=True)
class Families:
    """`number`: the index of each person; `family` and `generation`: by that index, shape (n,); elders have more.

    `contradiction`: why no birth generations fit all statements, in words; "" if they fit.
    """

    number: dict[str, int]
    family: NDArray[np.int64]
    generation: NDArray[np.int64]
    contradiction: str

    def family_of(self, person: str) -> int:
        """The number of a person's family."""
        return int(self.family[self.number[person]])

    def generation_of(self, person: str) -> int:
        """The birth generation of a person, counted within the family."""
        return int(self.generation[self.number[person]])

    def people_of(self, family: int) -> list[str]:
        """The people of a family."""
        people = list(self.number)
        return [people[number] for number in np.flatnonzero(self.family == family).tolist()]


def find_families(ties: Sequence[tuple[str, str, int]]) -> Families:
    """The families that follow from statements (younger, elder, generations)."""
    number: dict[str, int] = {}
    younger = np.array([number.setdefault(person, len(number)) for person, _, _ in ties], dtype=np.int64)
    elder = np.array([number.setdefault(other, len(number)) for _, other, _ in ties], dtype=np.int64)
    span = np.array([generations for _, _, generations in ties], dtype=np.int64)
    size = len(number)
    root, below = np.arange(size), np.zeros(size, dtype=np.int64)
    # If several statements name a person's elders, the pointer follows the first.
    _, first = np.unique(younger, return_index=True)
    root[younger[first]], below[younger[first]] = elder[first], span[first]
    for _ in range(size.bit_length() + 1):
        if (root[root] == root).all():
            break
        below, root = below + below[root], root[root]
    # In a cycle the pointers never settle, or settle on their own start.
    if (root[root] != root).any() or (root[younger] == younger).any():
        return Families(number, root, -below, "somebody is an ancestor of their own")
    followed = np.zeros(len(ties), dtype=np.bool_)
    followed[first] = True
    # The height of one root over another, from each statement that no pointer follows.
    near: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    higher = span - below[younger] + below[elder]
    for tie in np.flatnonzero(~followed).tolist():
        here, other, height = int(root[younger[tie]]), int(root[elder[tie]]), int(higher[tie])
        near[here].append((other, height))
        near[other].append((here, -height))
    family, above = np.arange(size), np.zeros(size, dtype=np.int64)
    seen: set[int] = set()
    for start in near:
        todo = [] if start in seen else [start]
        seen.add(start)
        # The list grows during the loop.
        for here in todo:
            for other, height in near[here]:
                wanted = int(above[here]) + height
                if other not in seen:
                    seen.add(other)
                    family[other], above[other] = start, wanted
                    todo.append(other)
                elif above[other] != wanted:
                    return Families(number, root, -below, "somebody is of two birth generations")
    return Families(number, family[root], above[root] - below, "")


def audit_trace(draft: Draft) -> Iterator[Finding]:
    """Check that statements agree, one option is right and the gold, nothing else marks it, and the path is right."""
    problems = read_prompt(draft.prompt)
    if not problems:
        yield Finding("layout", "the prompt is not examples, statements, a question and options in the known wording")
        return
    for number, example in enumerate(problems[:-1], 1):
        if (right := answer(example)) != example.answer:
            yield Finding("example", f"example {number} says {example.answer}, its statements {right or 'nothing'}")
    problem = problems[-1]
    families = find_families([(younger, elder, form.generations) for younger, elder, form in problem.ties])
    yield from _names(
        [*families.number, *(person for shown in problems[:-1] for tie in shown.ties for person in tie[:2])]
    )
    yield from _persons(problem.ties, draft.facts["topology"] == "chain")
    if families.contradiction:
        yield Finding("generations", families.contradiction)
        return
    if draft.choices != problem.options:
        yield Finding("options", f"recorded {draft.choices}, in the prompt {problem.options}")
    yield from _gold(draft, problem, families)
    if draft.facts["options"] == "quartet":
        yield from _quartet(draft, problem, families)
    yield from _path(draft, problem)


def _names(people: Iterable[str]) -> Iterator[Finding]:
    # In sorted order, a name stands directly before the first name that begins with it.
    for name, other in pairwise(sorted(set(people))):
        if other.startswith(name):
            yield Finding("names", f"{name!r} is the beginning of {other!r}")
            return


def _persons(ties: Sequence[ReadTie], chain: bool) -> Iterator[Finding]:
    """Check that nobody has two sexes, two fathers, two mothers, or too many elders or younger people."""
    men, women = (
        {
            *[elder for _, elder, form in ties if form.elder_sex == sex],
            *[younger for younger, _, form in ties if form.younger_sex == sex],
        }
        for sex in (1, 0)
    )
    for person in sorted(men & women)[:3]:
        yield Finding("sex", f"{person} is called a man and a woman")
    several = {person for person, count in Counter([tie[0] for tie in ties]).items() if count > 1}
    stated: dict[str, list[ReadTie]] = {person: [] for person in several}
    for tie in ties if several else ():
        if tie[0] in several:
            stated[tie[0]].append(tie)
    for person, own in sorted(stated.items()):
        if chain or len(own) > 2 or own[0][1] == own[1][1]:
            yield Finding("elders", f"{person} is tied to elders by {len(own)} statements")
            continue
        # A parent's side follows from the sex, whichever statement gives the sex.
        sides = {
            form.side if form.generations == 2 else 0 if elder in men else 1 if elder in women else None
            for _, elder, form in own
        }
        if len(sides) == 1 and None not in sides:
            yield Finding("sides", f"{person} has two elders on one side: {own[0][1]} and {own[1][1]}")
    if chain:
        for person, count in Counter([tie[1] for tie in ties]).items():
            if count > 1:
                yield Finding("chain", f"{person} is tied to younger people by {count} statements")


def _gold(draft: Draft, problem: ProblemReading, families: Families) -> Iterator[Finding]:
    if problem.asked not in families.number:
        yield Finding("gold", f"nothing is stated about {problem.asked}")
        return
    away = _traced(problem, families)
    if problem.question == "distance":
        golds = [str(away[problem.other])] if problem.other in away else []
    else:
        wanted = problem.count if problem.question != "eldest" else max(away.values())
        golds = [person for person, generations in away.items() if generations == wanted > 0]
    if len(golds) != 1:
        yield Finding("ambiguous", f"{len(golds)} people answer the question: {sorted(golds)[:4]}")
    elif problem.options.count(golds[0]) != 1 or (LETTERS[problem.options.index(golds[0])],) != draft.answers:
        yield Finding("gold", f"the answer is {golds[0]}, recorded {draft.answers} of {problem.options}")


def _traced(problem: ProblemReading, families: Families) -> dict[str, int]:
    """The distance in generations of everybody to whom the asked person traces back (or who traces back to them)."""
    generation = families.generation_of
    down = problem.question == "descendant"
    own = set(families.people_of(families.family_of(problem.asked)))
    ties = [(elder, younger) if down else (younger, elder) for younger, elder, _ in problem.ties if younger in own]
    ties.sort(key=lambda tie: generation(tie[0]), reverse=down)
    traced = {problem.asked}
    for near, far in ties:
        if near in traced:
            traced.add(far)
    return {person: abs(generation(person) - generation(problem.asked)) for person in sorted(traced)}


def _quartet(draft: Draft, problem: ProblemReading, families: Families) -> Iterator[Finding]:
    """Check that no count, generation or kind of mention distinguishes the four options."""
    options, question = problem.options, problem.question
    if len(set(options)) != len(LETTERS):
        yield Finding("options", f"an option stands twice: {options}")
        return
    if question == "distance":
        return
    if unknown := [option for option in options if option not in families.number]:
        yield Finding("options", f"nothing is stated about {unknown}")
        return
    younger = {tie[0] for tie in problem.ties}
    if question == "eldest" and not younger.isdisjoint(options):
        yield Finding("options", f"somebody's child is an option: {sorted(younger.intersection(options))}")
    own = [families.family_of(option) for option in options]
    if draft.facts["topology"] == "graph":
        people = families.people_of(own[0])
        wanted = len(LETTERS) * (draft.facts["steps"] + (1 if question == "eldest" else 2))
        if len(set(own)) != 1 or len(people) != wanted:
            yield Finding("quartet", f"the options are of {len(set(own))} families; the first has {len(people)} people")
        elif question == "eldest" and set(people) - younger != set(options):
            yield Finding("quartet", "the options are not the people of the family without elders")
        return
    if len(set(own)) != len(LETTERS):
        yield Finding("quartet", f"the options are of {len(set(own))} families, not of four")
        return
    members = [families.people_of(number) for number in own]
    everybody = {person for people in members for person in people}
    mentions = Counter([person for tie in problem.ties if tie[0] in everybody for person in tie[:2]])
    shapes = set()
    for option, people in zip(options, members, strict=True):
        zero = families.generation_of(option)
        shape = sorted((families.generation_of(person) - zero, mentions[person]) for person in people)
        shapes.add((mentions[option], *shape))
    if len(shapes) != 1:
        yield Finding("quartet", f"the families of the four options have {len(shapes)} shapes")


def _path(draft: Draft, problem: ProblemReading) -> Iterator[Finding]:
    """Check that the evidence is the path, statement by statement from the asked person, at the recorded depths."""
    facts, names = draft.facts, draft.facts["path"]
    if not len(draft.evidence) == len(draft.depths) == len(names) - 1 == facts["steps"] == draft.complexity:
        yield Finding(
            "evidence",
            f"{len(draft.evidence)} spans, {len(draft.depths)} depths, {len(names)} names, {facts['steps']} steps, "
            f"complexity {draft.complexity}",
        )
        return
    away = 0
    room = problem.end - problem.start
    for number, (start, stop) in enumerate(draft.evidence):
        inside = problem.start <= start < stop <= problem.end
        ties = read_ties(draft.prompt[start:stop] + "\n", problem.lang) if inside else None
        if not ties or len(ties) != 1:
            yield Finding("evidence", f"span {start}..{stop} holds no statement: {draft.prompt[start:stop][:80]!r}")
            return
        younger, elder, form = ties[0]
        away += form.generations
        pair = [elder, younger] if problem.question == "descendant" else [younger, elder]
        if names[number : number + 2] != pair:
            yield Finding("evidence", f"statement {number + 1} ties {pair}, not {names[number : number + 2]}")
        if abs(draft.depths[number] - (start - problem.start) / room) > _DEPTH_ERROR:
            yield Finding("depth", f"statement {number + 1} of the path is not at depth {draft.depths[number]}")
    if names[0] != problem.asked or away != facts["generations"]:
        yield Finding("evidence", f"the path begins with {names[0]}, over {away} generations of {facts['generations']}")
    gold = LETTERS.find(draft.answers[0]) if draft.answers else -1
    last = problem.other if problem.question == "distance" else problem.options[gold]
    if gold < 0 or names[-1] != last:
        yield Finding("evidence", f"the path ends with {names[-1]}, not with {last}")
