"""One problem of an ancestral trace: its people and statements, its question, options and gold.

A group has four lines, and the question is about one of them. The four options are the answers to the same question
about each line, so that only the asked name shows which option is right.
Must not change: the problem of a stream.
"""

from dataclasses import dataclass
from itertools import pairwise

from carrara.stream import Stream
from carrara.task import Lang
from carrara.tasks.needlebench.ancestral_trace.families import (
    Namer,
    Statements,
    StatementSource,
    StatementTable,
    statement_table,
    write_statements,
)
from carrara.tasks.needlebench.ancestral_trace.prompt import (
    CONCLUSION,
    ELDER,
    GENERATIONS,
    LETTERS,
    NO_FURTHER,
    OPTION,
    OTHER_ROOT,
    QUESTIONS,
    STEP_DOWN,
    STEP_UP,
    STEP_UP_UNTOLD,
    YOUNGER,
    KinshipQuestion,
)
from carrara.tasks.needlebench.ancestral_trace.structures import LINES, Structure


@dataclass(frozen=True, slots=True)
class WrittenProblem:
    """A problem as written. `path`: its statements' numbers from the asked person to the gold."""

    statements: Statements
    path: tuple[int, ...]
    question: str
    options: tuple[str, ...]
    gold: int
    # The names along the path, from the asked person to the gold.
    people: tuple[str, ...]
    generations: int

    @property
    def choices(self) -> str:
        """The lines of the options."""
        return "".join(OPTION.format(letter=LETTERS[number], text=text) for number, text in enumerate(self.options))

    @property
    def in_order(self) -> list[str]:
        """The texts in the order in which they stand."""
        keys = self.statements.order
        return [self.statements.texts[number] for number in keys.argsort(kind="stable").tolist()]


@dataclass(frozen=True, slots=True)
class LetteredQuestion:
    """A question about a group, the line of each option in order, and the number of the right option.

    `paper`: the options are people of the asked line, as published. `turn`: by how many places the options are rotated.
    """

    question: KinshipQuestion
    lines: tuple[int, ...]
    gold: int
    paper: bool = False
    turn: int = 0

    @property
    def line(self) -> int:
        """The line that is asked about."""
        return self.lines[self.gold]


def write_problem(
    structure: Structure, asked: LetteredQuestion, stream: Stream, namer: Namer, first_person: int
) -> WrittenProblem:
    """The problem about a group under a key, its people numbered from `first_person`."""
    table = statement_table([structure])
    statements = write_statements(StatementSource(table, stream, namer, first_person), len(table.younger))
    names, line, question = statements.names, asked.line, asked.question
    people = [structure.person(line, step) for step in range(structure.low, structure.high + 1)]
    ties = {pair: number for number, pair in enumerate(zip(table.younger.tolist(), table.elder.tolist(), strict=True))}
    path = [ties[pair] for pair in pairwise(people)]
    if question == "descendant":
        people, path = people[::-1], path[::-1]
    generations = structure.generations(line)
    if question == "distance":
        options = [str(structure.generations(option_line)) for option_line in asked.lines]
    elif asked.paper:
        options = [names[person] for person in _of_one_line(structure, asked, stream.child("paper"))]
    else:
        step = structure.low if question == "descendant" else structure.high
        options = [names[structure.person(option_line, step)] for option_line in asked.lines]
    start, end = names[people[0]], names[people[-1]]
    return WrittenProblem(
        statements=statements,
        path=tuple(path),
        question=QUESTIONS[namer.lang][question].format(asked=start, other=end, count=generations),
        options=(*options[asked.turn :], *options[: asked.turn]),
        gold=(asked.gold - asked.turn) % LINES,
        people=tuple(names[person] for person in people),
        generations=generations,
    )


def _of_one_line(structure: Structure, asked: LetteredQuestion, stream: Stream) -> list[int]:
    """The root of the asked line and three people between its ends; if the line is too short, people of other lines."""
    inner = range(structure.low + 1, structure.high)
    own = [structure.person(asked.line, step) for step in inner]
    others = [structure.person(line, step) for step in inner for line in range(LINES) if line != asked.line]
    wrong = stream.child("own").sample(own, min(LINES - 1, len(own)))
    wrong += stream.child("other").sample(others, LINES - 1 - len(wrong))
    return [*wrong[: asked.gold], structure.person(asked.line, structure.high), *wrong[asked.gold :]]


def reasoning(structure: Structure, problem: WrittenProblem, asked: LetteredQuestion, lang: Lang) -> str:
    """The path of a problem to its answer, in sentences."""
    table, statements = statement_table([structure]), problem.statements
    names, men, start = statements.names, statements.men, problem.people[0]
    sentences = []
    away = 0
    for number in problem.path:
        younger, elder, generations = (
            int(column[number]) for column in (table.younger, table.elder, table.generations)
        )
        away += generations
        side = int(statements.sides[number])
        # Whether an elder is a man is said as far as the statement says it.
        step = STEP_DOWN if asked.question == "descendant" else STEP_UP if statements.told[number] else STEP_UP_UNTOLD
        sentences.append(
            step[lang].format(
                elder=names[elder],
                younger=names[younger],
                elder_term=ELDER[lang][generations - 1][side][int(men[elder])],
                younger_term=YOUNGER[lang][generations - 1][side][int(men[younger])],
                count=_count(lang, away),
                asked=start,
            )
        )
    if asked.question == "eldest":
        bottom, root = (structure.person(asked.line, step) for step in (structure.low, structure.high))
        sentences.append(NO_FURTHER[lang].format(elder=names[root]))
        for other, height in _roots(table, bottom):
            if other != root:
                words = OTHER_ROOT[lang].format(asked=start, elder=names[other], count=_count(lang, height))
                sentences.append(words)
    gold = problem.options[problem.gold]
    return "".join([*sentences, CONCLUSION[lang][asked.question].format(gold=gold)])


def _count(lang: Lang, generations: int) -> str:
    return GENERATIONS[lang][generations > 1].format(count=generations)


def _roots(table: StatementTable, bottom: int) -> list[tuple[int, int]]:
    """The people without elders to whom a bottom can be traced, and their heights in generations."""
    elders: dict[int, list[tuple[int, int]]] = {}
    columns = (table.younger.tolist(), table.elder.tolist(), table.generations.tolist())
    for younger, elder, generations in zip(*columns, strict=True):
        elders.setdefault(younger, []).append((elder, generations))
    heights = {bottom: 0}
    todo = [bottom]
    # The list grows during the loop.
    for person in todo:
        for elder, generations in elders.get(person, ()):
            if elder not in heights:
                heights[elder] = heights[person] + generations
                todo.append(elder)
    return [(person, height) for person, height in heights.items() if person not in elders]
