"""Makes a frozen run: the questions of all items, their ranked passages, and which of these cannot be negatives.

Candidate questions are in a keyed order of their ids; an eighth is reserved for demonstrations, and unusable ones are
dropped and counted, so that more items only append to a run. The depth suffices for the largest bucket, measured in
bytes (`BYTES_A_TOKEN`), because a run does not depend on the tokenizer.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from carrara.engine.processes import Watch
from carrara.errors import SourceError
from carrara.retrieval.answers import AnswerTable, open_answers
from carrara.retrieval.corpus import PassageCorpus
from carrara.retrieval.negatives import excluded, golds, unusable
from carrara.retrieval.run import SCHEMA, Kept, RetrieverUsed, RunRecord, RunRequest, SearchedCorpus
from carrara.stream import Stream
from carrara.tables import Passage, Question
from carrara.task import Search

# Passages take more tokens than their bytes over this (English prose: 4.3 bytes a token; the world: 3.6).
BYTES_A_TOKEN: Final = 5
DEMONSTRATIONS: Final = 32
# One candidate in so many is kept for demonstrations.
_SHARE: Final = 8
# Further passages: a choice for the exact fit, and a substitute for gold and removed ones.
_RESERVE: Final = 96
# For a question without named gold: how many ranked passages are searched for its answers.
_LOOKED: Final = 100
_MOST_GOLD: Final = 24
# Such gold must be among the first: far down, a passage contains the name for other reasons than the question.
# So the smallest prompts of citations hold an answer, too.
_FIRST: Final = 16
_CHUNK: Final = 128


class Ranker(Protocol):
    """A retriever over one corpus."""

    @property
    def facts(self) -> RetrieverUsed:
        """Its name, and the fingerprint of what decides its ranking."""

    def rank(self, queries: Sequence[str], count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Passage numbers and scores, shape (queries, count), best first."""


@dataclass(slots=True)
class _Making:
    """A run in the making."""

    wanted: RunRequest
    search: Search
    corpus: PassageCorpus
    answers: AnswerTable
    ranker: Ranker
    dropped: Counter[str] = field(default_factory=Counter)
    removed: Counter[str] = field(default_factory=Counter)
    columns: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in SCHEMA.names})


Candidate = tuple[Question, Mapping[str, int]]


def make_run(
    wanted: RunRequest,
    search: Search,
    candidates: Sequence[Candidate],
    corpus: PassageCorpus,
    ranker: Ranker,
    watch: Watch,
) -> tuple[RunRecord, pa.Table]:
    """Return the record and the table of a run (see `run.write_run`). Raises SourceError if questions run out."""
    making = _Making(wanted, search, corpus, open_answers(corpus), ranker)
    stream = Stream(wanted.stream, "run", wanted.task, wanted.variant)
    keyed = [(stream.child("question", candidate[0].id).word(), candidate[0].id, candidate) for candidate in candidates]
    ordered = [candidate for _, _, candidate in sorted(keyed, key=lambda entry: entry[:2])]
    pools: dict[bool, list[Candidate]] = {False: [], True: []}
    for candidate in ordered:
        pools[stream.child("demonstration", candidate[0].id).below(_SHARE) == 0].append(candidate)
    queries: list[Kept] = []
    watch.start(wanted.name, wanted.items)
    depth = _depth(wanted.tokens, corpus)
    for kept, numbers, scores in _usable(making, pools[False], depth):
        _record(making, len(queries), kept, numbers, scores)
        queries.append(kept)
        watch.advance(wanted.name, 1, 0)
        if len(queries) == wanted.items:
            break
    demonstrations: list[Kept] = []
    for kept, _, _ in _usable(making, pools[True], min(_LOOKED, corpus.size)):
        demonstrations.append(kept)
        if len(demonstrations) == DEMONSTRATIONS:
            break
    if len(queries) < wanted.items or not demonstrations:
        reasons = ", ".join(f"{count} for {reason!r}" for reason, count in sorted(making.dropped.items())) or "none"
        raise SourceError(
            f"{wanted.name}: {len(queries)} questions and {len(demonstrations)} demonstrations of "
            f"{len(candidates)} candidates can be used, {wanted.items} are asked for; dropped: {reasons}",
            "ask fewer questions, or take a larger source (of the world: more realms)",
        )
    table = pa.table([pa.array(making.columns[name], SCHEMA.field(name).type) for name in SCHEMA.names], schema=SCHEMA)
    record = RunRecord(
        wanted=wanted,
        corpus=SearchedCorpus(name=corpus.name, digest=corpus.digest, passages=corpus.size),
        retriever=ranker.facts,
        candidates=len(candidates),
        dropped=dict(sorted(making.dropped.items())),
        removed=dict(sorted(making.removed.items())),
        queries=queries,
        demonstrations=demonstrations,
    )
    return record.with_digest(table), table


def _depth(tokens: int, corpus: PassageCorpus) -> int:
    mean = max(1, int(corpus.sizes.sum()) // corpus.size)
    return min(corpus.size, BYTES_A_TOKEN * tokens // mean * 5 // 4 + 2 * _RESERVE)


def _usable(
    making: _Making, pool: Sequence[Candidate], depth: int
) -> Iterator[tuple[Kept, NDArray[np.int64], NDArray[np.float32]]]:
    """The candidates that can be used, each with its gold and what is ranked for it."""
    search, corpus = making.search, making.corpus
    rest = iter(pool)
    ended = False
    while not ended:
        fit: list[Candidate] = []
        while len(fit) < _CHUNK and not ended:
            candidate = next(rest, None)
            if candidate is None:
                ended = True
            elif reason := unusable(candidate[0], making.answers, corpus, search, candidate[1]):
                making.dropped[reason] += 1
            else:
                fit.append(candidate)
        if not fit:
            return
        numbers, scores = making.ranker.rank([question.text for question, _ in fit], depth)
        for (question, grades), ranked, score in zip(fit, numbers, scores, strict=True):
            gold = _gold(making, question, grades, ranked)
            if not gold:
                making.dropped["no gold"] += 1
                continue
            # Gold that people named is gold wherever it ranks; a passage that happens to hold a name is not.
            named = search.judged or (search.places_gold and question.evidence)
            if not named and not set(gold) & set(ranked[:_FIRST].tolist()):
                making.dropped["gold ranked too low"] += 1
                continue
            if not named and search.places_gold and not _is_written(question, corpus.passage(gold[-1])):
                making.dropped["gold in another spelling"] += 1
                continue
            ids = tuple(corpus.passage(number).id for number in gold)
            yield Kept(question, ids, dict(grades) if grades else None), ranked, score


def _gold(making: _Making, question: Question, grades: Mapping[str, int], ranked: NDArray[np.int64]) -> tuple[int, ...]:
    corpus = making.corpus
    if making.search.judged:
        held = [(-grade, id_) for id_, grade in grades.items()]
        numbers = [corpus.number(id_) for _, id_ in sorted(held)]
        return tuple(number for number in numbers if number is not None)
    if making.search.places_gold:
        return golds(question, ranked.tolist(), making.answers, corpus, making.search.hops or 1)
    named = [corpus.number(evidence.passage) for evidence in question.evidence]
    if present := [number for number in dict.fromkeys(named) if number is not None]:
        return tuple(present[:_MOST_GOLD])
    holding = {int(number) for names in question.answers for number in making.answers.holding(names)}
    return tuple(int(number) for number in ranked[:_LOOKED] if int(number) in holding)[:_MOST_GOLD]


def _is_written(question: Question, passage: Passage) -> bool:
    """Whether a passage holds an accepted name as it is written: a spelling of it may mean something else."""
    text = f"{passage.title}\n{passage.text}".casefold()
    return any(name.casefold() in text for group in question.answers for name in group)


def _record(making: _Making, item: int, kept: Kept, numbers: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
    """The lines of an item: as deep as the largest bucket needs of those that are kept."""
    corpus = making.corpus
    gold = tuple(number for id_ in kept.gold if (number := corpus.number(id_)) is not None)
    if making.search.places_gold:
        reasons = list[str](excluded(numbers.tolist(), gold, kept.question, making.answers, corpus))
    else:
        reasons = [""] * len(numbers)
    left = np.array([reason == "" for reason in reasons])
    enough = np.cumsum(corpus.sizes[numbers] * left) >= BYTES_A_TOKEN * making.wanted.tokens
    stop = min(len(numbers), int(np.argmax(enough)) + _RESERVE) if enough.any() else len(numbers)
    making.removed.update(reason for reason in reasons[:stop] if reason)
    columns = making.columns
    columns["item"] += [item] * stop
    columns["question"] += [kept.question.id] * stop
    columns["rank"] += range(1, stop + 1)
    columns["passage"] += [passage.id for passage in corpus.take(numbers[:stop].tolist())]
    columns["score"] += scores[:stop].tolist()
    columns["reason"] += reasons[:stop]
