"""Objects to an ancestral trace that has no single right option, or whose options give themselves away.

The gold is found anew and otherwise than by the solver. Everybody points to one elder; pointers are doubled until they
show a root, generations summed on the way, and statements that no pointer follows (a second parent or grandparent) then
tie roots to each other: so everybody gets a birth generation in their family. By it the statements are sorted, and one
pass over them marks the people that the asked person can be traced to.
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

# Depths are by tokens; by characters a statement stands at most so much earlier or later.
_DEPTH_ERROR = 0.08


@dataclass(frozen=True, slots=True)
class Families:
    """`number` counts the people; `family` and `generation` are by that number, shape (n,); elder is more.

    `contradiction` says in words why there are no birth generations that fit all statements; "" where there are.
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
    """The families that statements (younger, elder, generations) make."""
    number: dict[str, int] = {}
    younger = np.array([number.setdefault(one, len(number)) for one, _, _ in ties], dtype=np.int64)
    elder = np.array([number.setdefault(other, len(number)) for _, other, _ in ties], dtype=np.int64)
    span = np.array([generations for _, _, generations in ties], dtype=np.int64)
    size = len(number)
    root, below = np.arange(size), np.zeros(size, dtype=np.int64)
    # Of several statements on one person the first is followed.
    _, first = np.unique(younger, return_index=True)
    root[younger[first]], below[younger[first]] = elder[first], span[first]
    for _ in range(size.bit_length() + 1):
        if (root[root] == root).all():
            break
        below, root = below + below[root], root[root]
    # In a circle pointers never rest, or come to rest on their own beginning.
    if (root[root] != root).any() or (root[younger] == younger).any():
        return Families(number, root, -below, "somebody is an ancestor of their own")
    followed = np.zeros(len(ties), dtype=np.bool_)
    followed[first] = True
    # A root's height over another's, wherever a statement that was not followed ties them.
    near: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    higher = span - below[younger] + below[elder]
    for tie in np.flatnonzero(~followed).tolist():
        one, other, height = int(root[younger[tie]]), int(root[elder[tie]]), int(higher[tie])
        near[one].append((other, height))
        near[other].append((one, -height))
    family, above = np.arange(size), np.zeros(size, dtype=np.int64)
    seen: set[int] = set()
    for start in near:
        todo = [] if start in seen else [start]
        seen.add(start)
        # The list grows while it is walked.
        for one in todo:
            for other, height in near[one]:
                wanted = int(above[one]) + height
                if other not in seen:
                    seen.add(other)
                    family[other], above[other] = start, wanted
                    todo.append(other)
                elif above[other] != wanted:
                    return Families(number, root, -below, "somebody is of two birth generations")
    return Families(number, family[root], above[root] - below, "")


def audit_trace(draft: Draft) -> Iterator[Finding]:
    """Statements that fit together, one right option, the gold; four options that nothing tells apart; the path."""
    problems = read_prompt(draft.prompt)
    if not problems:
        yield Finding("layout", "the prompt is not examples, statements, a question and options in the known wording")
        return
    for number, example in enumerate(problems[:-1], 1):
        if (right := answer(example)) != example.answer:
            yield Finding("example", f"example {number} says {example.answer}, its statements {right or 'nothing'}")
    problem = problems[-1]
    families = find_families([(younger, elder, form.generations) for younger, elder, form in problem.ties])
    yield from _names([*families.number, *(person for one in problems[:-1] for tie in one.ties for person in tie[:2])])
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
    # Sorted, a name stands right before the first one that it begins.
    for one, other in pairwise(sorted(set(people))):
        if other.startswith(one):
            yield Finding("names", f"{one!r} is the beginning of {other!r}")
            return


def _persons(ties: Sequence[ReadTie], chain: bool) -> Iterator[Finding]:
    """Nobody is a man and a woman, has two fathers, two mothers or more elders and younger ones than there can be."""
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
        # The side of a parent is told by the sex, whichever statement tells it.
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
    """How many generations away everybody stands to whom the asked person can be traced (or who to that person)."""
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
    """Four options that no count, no generation and no kind of mention tells apart."""
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
    """The evidence is the path, statement by statement from the asked person, and stands where it is said to."""
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
