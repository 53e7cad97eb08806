"""Statements in bulk: the people of groups and their names, the texts of groups, and endless other families as filler.

Every draw is a column: statement i of a key takes word i of the streams for wording and order; the sex and the side
take the word of a person, or of the person's place in the four lines where these are alike. So statement i does not
depend on the others, and a shorter row's statements are among a longer row's.

A surname goes from a father to his children: the people of one father's line (a clan) have one surname, their mothers
another. It helps no guess: the four lines of a chain or a tree have sexes and surnames alike, the options of a graph
are women of one surname. Names are made of those of the world. Person j and clan k of an item are known without the
others, and no two people of a row have one name: who have one given name have surnames of different parts of the
list. No name is a prefix of another: Chinese ones have three characters, none of which occurs in a statement's
wording.
Must not change: statement i of a key, group j of the filler, name j of a stream.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from math import lcm
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.stream import Permutation, Stream
from carrara.task import Budget, Lang
from carrara.tasks.needlebench.ancestral_trace.prompt import BETWEEN, CALLED, ELDER, PARENT, STATEMENTS, YOUNGER
from carrara.tasks.needlebench.ancestral_trace.structures import LINES, Structure
from carrara.world.names import characters
from carrara.world.names.english import SECOND_GIVEN, SOUNDS, word_space

# More people than a row of a million tokens has; and more than lie between two numbers of a clan.
BLOCK: Final = 1 << 17
_SPAN: Final = 1 << 10

_RESERVE: Final = 3_000
_FIRST_STATEMENTS: Final = 256
NumberColumn = NDArray[np.int64]


def person_names(
    stream: Stream, lang: Lang, item: int, people: NumberColumn, men: NDArray[np.bool_], clans: NumberColumn
) -> list[str]:
    """The distinct names of an item's people, shapes (n,): their numbers, whether each is a man, and their clans.

    A clan is the least number of its people. `stream` is the variant's, not the item's.
    """
    words = _words(lang)
    own = stream.child("names", item)
    drawn = [Permutation(own.child(sex), words.given).take(people % words.given) for sex in ("women", "men")]
    given = np.where(men, drawn[1], drawn[0])
    # People who share a given name are of different parts of the list of surnames.
    size = len(words.surnames) // words.parts
    part = clans // (words.given - _SPAN)
    surname = Permutation(own.child("surnames"), size).take(clans % size) * words.parts + part % words.parts
    both = zip(given.tolist(), men.tolist(), surname.tolist(), strict=True)
    if lang == "zh":
        return [words.surnames[last] + words.firsts[man][first] for first, man, last in both]
    seconds = Permutation(own.child("second"), len(SECOND_GIVEN)).take(people % len(SECOND_GIVEN)).tolist()
    return [
        f"{words.firsts[man][first]} {SECOND_GIVEN[second]} {words.surnames[last]}"
        for (first, man, last), second in zip(both, seconds, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Names:
    """Given names of women and of men, `given` of each, and surnames, every `parts`-th of which is of one part."""

    firsts: tuple[list[str], list[str]]
    surnames: list[str]
    given: int
    parts: int


@cache
def _words(lang: Lang) -> _Names:
    firsts, surnames = _chinese() if lang == "zh" else _english()
    given = min(map(len, firsts))
    return _Names(firsts, surnames, given, -(-BLOCK // (given - _SPAN)))


def _english() -> tuple[tuple[list[str], list[str]], list[str]]:
    women, men, surnames = (
        [word_space(name, sound)[number] for sound in range(SOUNDS) for number in range(word_space(name, sound).shorts)]
        for name in ("female", "male", "surname")
    )
    return (women, men), surnames


def _chinese() -> tuple[tuple[list[str], list[str]], list[str]]:
    worded = {letter for form in STATEMENTS["zh"] for text in form for letter in text}
    worded |= set(f"{ELDER['zh']}{YOUNGER['zh']}{CALLED['zh']}{PARENT['zh']}{BETWEEN['zh']}")
    first, *lasts, surnames = (
        [letter for letter in listed if letter not in worded]
        for listed in (
            characters.GIVEN_FIRST + characters.GIVEN_ONE["female"] + characters.GIVEN_ONE["male"],
            characters.GIVEN_LAST["female"],
            characters.GIVEN_LAST["male"],
            characters.SURNAMES,
        )
    )
    first = list(dict.fromkeys(first))
    women, men = ([a + b for a in first for b in last if a != b] for last in lasts)
    return (women, men), surnames


@dataclass(frozen=True, slots=True)
class StatementTable:
    """Statements of some groups, shape (m,) each; `partner`: the index of the younger person's other statement, or -1.

    `unlike`: pairs of people of different sex; nobody is second in two pairs, or first in one and second in another.
    `alike`: the four lines of all groups are alike, and so are their sexes, sides and surnames; if they are not, the
    four people of each group who may be options, shape (groups, LINES), are women and share a surname.
    """

    younger: NumberColumn
    elder: NumberColumn
    generations: NumberColumn
    partner: NumberColumn
    unlike: tuple[tuple[int, int], ...]
    people: int
    alike: bool
    options: NumberColumn


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements as written: shape (m,) each. A text ends with its newline; `order`: the sort key of each statement.

    `names`: the names of the people in the statements, by number. `told`: whether a statement says the elder's sex.
    """

    texts: list[str]
    order: NDArray[np.uint64]
    names: dict[int, str]
    men: NDArray[np.bool_]
    sides: NumberColumn
    told: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Namer:
    """Gives names to the people of an item: the variant's stream, its language and the item's number."""

    stream: Stream
    lang: Lang
    item: int


def statement_table(structures: Sequence[Structure]) -> StatementTable:
    """The statements of groups, one group after another; in each, step by step from the bottoms upwards."""
    rows: list[tuple[int, int, int]] = []
    partner: list[int] = []
    unlike: list[tuple[int, int]] = []
    options: list[list[int]] = []
    alike = True
    people = 0
    for structure in structures:
        alike &= len(set(structure.terms)) == 1 and all((a - b) % LINES == 0 for a, b, _ in structure.extras)
        # A path downwards begins at the second person of its line.
        options.append([people + structure.person(line, structure.low or structure.high) for line in range(LINES)])
        row_people = LINES * structure.stride
        main = [
            (structure.person(line, step), structure.person(line, step + 1), generations)
            for line, terms in enumerate(structure.terms)
            for step, generations in enumerate(terms)
        ]
        first: dict[int, int] = {}
        for younger, elder, generations in sorted([*main, *structure.extras], key=lambda tie: tie[0] // row_people):
            at = len(rows)
            other = first.setdefault(younger, at)
            partner.append(other if other < at else -1)
            if other < at:
                partner[other] = at
                if generations == rows[other][2] == 1:
                    unlike.append((rows[other][1], elder + people))
            rows.append((younger + people, elder + people, generations))
        people += structure.people
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    paired = np.array(partner, dtype=np.int64)
    last = np.array(options, dtype=np.int64)
    return StatementTable(columns[0], columns[1], columns[2], paired, tuple(unlike), people, alike, last)


@dataclass(frozen=True, slots=True)
class StatementSource:
    """The groups of a table, repeated without end, under a stream; their people are numbered from `first_person`."""

    table: StatementTable
    stream: Stream
    namer: Namer
    first_person: int


def write_statements(source: StatementSource, count: int) -> Statements:
    """The first `count` statements of a source."""
    table, stream, namer = source.table, source.stream, source.namer
    # Whole copies of the table, so that no statement depends on where the row ends.
    copies = -(-count // len(table.younger))

    def repeated(column: NumberColumn, step: int) -> NumberColumn:
        return (column + step * np.arange(copies, dtype=np.int64)[:, None]).ravel()

    younger, elder = repeated(table.younger, table.people), repeated(table.elder, table.people)
    generations = np.tile(table.generations, copies)
    partner = np.where(np.tile(table.partner, copies) >= 0, repeated(table.partner, len(table.younger)), -1)
    men = _sexes(table, stream.child("sexes"), copies)
    drawn = stream.child("sides").below_many(2, len(men))[younger // LINES * LINES if table.alike else younger]
    sides = _sides(drawn, men[elder], generations, partner)
    clans = _clans(table, younger, elder, men[elder] & ((generations == 1) | (sides == 0)), len(men))
    forms = _forms(namer.lang)
    draws = stream.child("wordings").below_many(forms.draws, len(younger))
    wordings = draws % forms.wordings[generations - 1]
    number = (forms.starts[generations - 1] + 8 * wordings + 4 * sides + 2 * men[elder] + men[younger])[:count]

    younger, elder = younger[:count], elder[:count]
    people = np.unique(np.concatenate([younger, elder]))
    first = source.first_person
    named = person_names(namer.stream, namer.lang, namer.item, people + first, men[people], clans[people] + first)
    names = dict(zip(people.tolist(), named, strict=True))
    elder_first = forms.elder_first[number]
    firsts, others = np.where(elder_first, elder, younger), np.where(elder_first, younger, elder)
    before, between, after = forms.before, forms.between, forms.after
    texts = [
        f"{before[form]}{names[first]}{between[form]}{names[other]}{after[form]}"
        for form, first, other in zip(number.tolist(), firsts.tolist(), others.tolist(), strict=True)
    ]
    return Statements(texts, stream.child("order").words(0, count), names, men, sides, forms.told[number])


def _sexes(table: StatementTable, stream: Stream, copies: int) -> NDArray[np.bool_]:
    """Whether each of the people of all copies is a man: shape (copies * table.people,)."""
    people = table.people
    if table.alike:
        men = np.repeat(stream.below_many(2, copies * people // LINES).astype(np.bool_), LINES)
    else:
        men = stream.below_many(2, copies * people).astype(np.bool_)
        options = set(table.options.ravel().tolist())
        for option in options:
            men[option::people] = False
        # The other parent of who has an option for a parent.
        for first, other in table.unlike:
            if other in options:
                men[first::people] = True
    for first, other in table.unlike:
        men[other::people] = ~men[first::people]
    return men


def _clans(
    table: StatementTable, younger: NumberColumn, elder: NumberColumn, fathers: NDArray[np.bool_], people: int
) -> NumberColumn:
    """The clan of everybody: shape (people,). `fathers`: whether a statement is about a father or a father's father."""
    root = np.arange(people)
    root[younger[fathers]] = elder[fathers]
    while (root[root] != root).any():
        root = root[root]
    least = np.full(people, people)
    np.minimum.at(least, root, np.arange(people))
    clans = least[root]
    if table.alike:
        return clans // LINES * LINES
    options = (table.options + table.people * np.arange(people // table.people)[:, None, None]).reshape(-1, LINES)
    same = np.arange(people)
    same[clans[options]] = clans[options].min(axis=1)[:, None]
    merged: NumberColumn = same[clans]
    return merged


def _sides(
    drawn: NumberColumn, men: NDArray[np.bool_], generations: NumberColumn, partner: NumberColumn
) -> NumberColumn:
    """The side of each statement (0: the father's): a parent's sex decides; a person's two statements take both sides.

    Shapes (m,); `men`: whether the elder is a man.
    """
    sides = np.where(generations == 1, 1 - men, drawn)
    (paired,) = np.nonzero((generations == 2) & (partner >= 0))
    others = partner[paired]
    # Of two grandparents, the later statement takes the side that the earlier one leaves.
    settled = (generations[others] == 1) | (others < paired)
    sides[paired[settled]] = 1 - sides[others[settled]]
    return sides


@dataclass(frozen=True, slots=True)
class _Forms:
    """Every form that a statement can take, by number: what stands before, between and after the two names.

    Form (generations, wording, side, sex of the elder, sex of the younger) has number starts[generations - 1] +
    8 wording + 4 side + 2 elder + younger.
    """

    before: list[str]
    between: list[str]
    after: list[str]
    elder_first: NDArray[np.bool_]
    told: NDArray[np.bool_]
    starts: NumberColumn
    wordings: NumberColumn
    draws: int


@cache
def _forms(lang: Lang) -> _Forms:
    parts: list[tuple[str, str, str, bool, bool]] = []
    starts = []
    for number, wordings in enumerate(STATEMENTS[lang]):
        starts.append(len(parts))
        for wording in wordings:
            tells = any(term in wording for term in ("{elder_term}", "{called}", "{parent}"))
            for code in range(8):
                side, elder, younger = code >> 2, code >> 1 & 1, code & 1
                text = wording.format(
                    elder="\n1",
                    younger="\n0",
                    elder_term=ELDER[lang][number][side][elder],
                    younger_term=YOUNGER[lang][number][side][younger],
                    called=CALLED[lang][number][side][elder],
                    parent=PARENT[lang][elder],
                    between=BETWEEN[lang][side],
                )
                before, between, after = text.split("\n")
                parts.append((before, between[1:], after[1:] + "\n", between[0] == "1", tells))
    befores, betweens, afters, elder_first, told = zip(*parts, strict=True)
    counts = [len(wordings) for wordings in STATEMENTS[lang]]
    return _Forms(
        list(befores),
        list(betweens),
        list(afters),
        np.array(elder_first, dtype=np.bool_),
        np.array(told, dtype=np.bool_),
        np.array(starts, dtype=np.int64),
        np.array(counts, dtype=np.int64),
        lcm(*counts),
    )


@dataclass(slots=True)
class StatementFiller:
    """Statements of a source, made on demand, and their costs in tokens."""

    source: StatementSource
    budget: Budget
    texts: list[str] = field(default_factory=list)
    order: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    costs: NumberColumn = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def reach(self, tokens: int) -> None:
        """Make statements until they cost at least `tokens` and the reserve."""
        while (missing := tokens + _RESERVE - int(self.costs.sum())) > 0:
            have = len(self.texts)
            more = int(1.02 * missing / float(self.costs.mean())) + 32 if have else _FIRST_STATEMENTS
            made = write_statements(self.source, have + more)
            costs = self.budget.count_many(made.texts[have:])
            self.texts, self.order = made.texts, made.order
            self.costs = np.append(self.costs, costs)
