"""A frozen run for the tests of tasks: passages and questions of a small world, ranked by BM25, answers left out.

It does what a run's protocol says, with other means than the retrieval room: an index of this file's own making, and
answers found by their letters and digits alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import bm25s
import numpy as np

from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.tables import Passage, Question
from carrara.task import Query, Search
from carrara.world.world import World

REALMS = 2
DEMONSTRATIONS = 40
# An answer in so many of a hundred passages leaves too few without it.
COMMON = 1


def words(text: str) -> list[str]:
    """The words of a text as this file compares them: letters and digits, commas between digits left out."""
    return re.findall(r"[^\W_]+", re.sub(r"(?<=\d),(?=\d)", "", text.lower()))


@cache
def corpus(stream: str, realms: int = REALMS) -> "Corpus":
    """The corpus of a world, read once."""
    return Corpus(World(stream, realms))


class Corpus:
    """The passages of a world, their words, and an index of them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.passages = list(world.passages("en"))
        self.number = {passage.id: number for number, passage in enumerate(self.passages)}
        self.words = [f" {' '.join(words(f'{one.title} {one.text}'))} " for one in self.passages]

    @cached_property
    def index(self) -> bm25s.BM25:
        found = bm25s.BM25()
        found.index([text.split() for text in self.words], show_progress=False)
        return found

    def holding(self, names: Sequence[str]) -> set[int]:
        """The numbers of the passages that hold one of some names."""
        sought = [f" {' '.join(words(name))} " for name in names]
        return {number for number, text in enumerate(self.words) if any(name in text for name in sought)}

    def order(self, question: str) -> list[int]:
        """The numbers of all passages, best first."""
        known = [word for word in words(question) if word in self.index.vocab_dict]
        scores = self.index.get_scores(known) if known else np.zeros(len(self.passages))
        return np.argsort(-scores, kind="stable").tolist()


@dataclass(frozen=True, eq=False)
class Run:
    """What `Inputs.retrieved` gives, over a world."""

    corpus: Corpus
    queries: Sequence[Query]
    demonstrations: Sequence[Query]
    places_gold: bool
    _usable: dict[int, list[int]] = field(default_factory=dict)

    def ranked(self, item: int, count: int) -> Sequence[Passage]:
        """The best `count` passages, less gold and what holds an answer where rows place the gold."""
        if item not in self._usable:
            self._usable[item] = self._order(item)
        found = self._usable[item]
        if count > len(found):
            raise BudgetError(f"the run holds {len(found)} passages for item {item}; {count} are wanted")
        return [self.corpus.passages[number] for number in found[:count]]

    def _order(self, index: int) -> list[int]:
        query = self.queries[index]
        order = self.corpus.order(query.question.text)
        if not self.places_gold:
            return order
        barred = self.corpus.holding([name for group in query.question.answers for name in group])
        barred |= {self.corpus.number[passage.id] for passage in query.gold}
        return [number for number in order if number not in barred]


class Inputs:
    """Inputs of a task that reads nothing but its frozen run."""

    def __init__(
        self, search: Mapping[str, Search], stream: str = "retrieved/1", realms: int = REALMS, count: int = 40
    ) -> None:
        self.search, self.stream, self.realms, self.count = search, stream, realms, count

    def retrieved(self, task: str, variant: str) -> Run:
        """The run of a variant of the world."""
        return run(self.search[variant], variant, self.stream, self.realms, self.count)

    def haystack(self, *_: Any) -> Any:
        raise AssertionError("no haystack is read")

    @property
    def tables(self) -> Any:
        raise AssertionError("no tables are read")


_RUNS: dict[tuple[Any, ...], Run] = {}


def run(search: Search, variant: str, stream: str, realms: int, count: int) -> Run:
    """The run of a variant: `count` questions for items, and the demonstrations behind them."""
    key = (variant, search, stream, realms, count)
    if key not in _RUNS:
        _RUNS[key] = _run(search, variant, corpus(stream, realms), Stream(stream, "run", variant), count)
    return _RUNS[key]


def _run(search: Search, variant: str, corpus: Corpus, stream: Stream, count: int) -> Run:
    hops, kind = search.hops, search.kind
    found: list[Query] = []
    each = 8 * (count + DEMONSTRATIONS)
    if search.judged:
        pairs = [(question, list(judged)) for question, judged in corpus.world.judgements("en", each)]
    else:
        pairs = [(question, []) for question in corpus.world.questions("en", kind, each)]
    for place in stream.child("order").order(len(pairs)).tolist():
        question, judged = pairs[place]
        if hops is not None and question.hops != hops:
            continue
        if search.places_gold and not search.judged and not _is_fair(corpus, question):
            continue
        gold = _gold(corpus, question, hops or 1) if search.places_gold and not search.judged else ()
        if search.judged:
            graded = {one.passage: one.grade for one in judged}
            placed = sorted((-grade, id_) for id_, grade in graded.items() if grade >= 1)
            gold = tuple(corpus.passages[corpus.number[id_]] for _, id_ in placed)
            found.append(Query(question, gold, graded))
        elif gold is not None:
            found.append(Query(question, gold))
        if len(found) == count + DEMONSTRATIONS:
            break
    assert len(found) > count + 4, f"{len(found)} questions of {variant}"
    examples = found[count:]
    if not search.judged and not search.places_gold:
        examples = [replace(one, gold=_evidence(corpus, one.question)) for one in examples]
    return Run(corpus, found[:count], examples, search.places_gold)


def _evidence(corpus: Corpus, question: Question) -> tuple[Passage, ...]:
    """What a worked example of a task that takes its passages as they come is made of."""
    return tuple(corpus.passages[corpus.number[id_]] for id_ in dict.fromkeys(one.passage for one in question.evidence))


def _is_fair(corpus: Corpus, question: Question) -> bool:
    names = [name for group in question.answers for name in group]
    return all(len(name) > 2 for name in names) and len(corpus.holding(names)) <= len(corpus.passages) * COMMON / 100


def _gold(corpus: Corpus, question: Question, hops: int) -> tuple[Passage, ...] | None:
    """One passage that states the answer; of two hops, before it one that states the first fact and no answer."""
    names = [name for group in question.answers for name in group]
    holding = corpus.holding(names)
    stating = [corpus.number[one.passage] for one in question.evidence]
    if hops == 1:
        return (corpus.passages[stating[0]],)
    if stating[-1] not in holding or stating[0] in holding:
        return None
    return corpus.passages[stating[0]], corpus.passages[stating[-1]]


def with_answer(query: Query, *names: str) -> Query:
    """A query with other accepted names."""
    return replace(query, question=replace(query.question, answers=(names,)))
