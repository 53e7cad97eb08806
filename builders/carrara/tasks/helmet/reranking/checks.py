"""The audit of reranking prompts: finds those in which a wrong ranking could score or a right one lose; and guesses.

The guesses do not read the passages, or only count words; tables of chance have their scores.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.passages import holds, words
from carrara.tasks.helmet.reranking.prompt import BEST, JOINT
from carrara.tasks.helmet.reranking.solver import ListedPassage, RankingProblem, read

_RANDOM: Final = 8


def audit(draft: Draft) -> Iterator[Finding]:
    """Check that IDs, texts, grades, gold and spans agree with the prompt, and that examples give nothing away."""
    problems = read(draft.prompt)
    if problems is None:
        yield Finding("layout", "the prompt is not worked examples, passages and a question")
        return
    *examples, asked = problems
    facts = draft.facts
    if asked.question != facts["question"]:
        yield Finding("question", f"the prompt asks {asked.question!r}, the facts say {facts['question']!r}")
    if [asked.start, asked.passages[-1].end + 2] != list(facts["body"]):
        yield Finding("body", f"the passages stand at {asked.start}..{asked.passages[-1].end + 2}: {facts['body']}")
    yield from _identity(problems)
    yield from _graded(draft, asked)
    yield from _gold(draft, asked)
    for number, example in enumerate(examples, 1):
        yield from _example(number, example, draft, asked)


def _identity(problems: list[RankingProblem]) -> Iterator[Finding]:
    ids = [passage.id for problem in problems for passage in problem.passages]
    if len(set(ids)) != len(ids):
        yield Finding("ids", f"{len(ids) - len(set(ids))} passages have the ID of another")
    if len({len(id_) for id_ in ids}) != 1:
        yield Finding("ids", "IDs are not of one length")
    asked = problems[-1]
    texts = [passage.text.casefold() for passage in asked.passages]
    if len(set(texts)) != len(texts):
        yield Finding("passage twice", f"{len(texts) - len(set(texts))} passages say what another one says")
    if "\ufffd" in asked.question or any("\ufffd" in passage.text for passage in asked.passages):
        yield Finding("cut character", "the prompt holds U+FFFD")


def _graded(draft: Draft, asked: RankingProblem) -> Iterator[Finding]:
    grades, counts = draft.facts["grades"], draft.facts["counts"]
    shown = {passage.id: passage for passage in asked.passages}
    if strange := sorted(set(grades) - set(shown)):
        yield Finding("grades", f"no passage of the prompt has the ID {strange[0]}")
    if any(not isinstance(grade, int) or grade < 1 for grade in grades.values()):
        yield Finding("grades", f"grades {sorted(set(grades.values()))}: only those of 1 and more are told")
    if set(draft.facts["passages"]) != set(grades):
        yield Finding("grades", "the graded passages are not those whose names are told")
    graded = {str(grade): list(grades.values()).count(grade) for grade in set(grades.values())}
    rest = len(shown) - len(grades)
    if {key: count for key, count in counts.items() if key not in ("0", "unjudged")} != graded:
        yield Finding("counts", f"{counts} for grades {graded}")
    elif counts.get("0", 0) + counts.get("unjudged", 0) != rest or min(counts.values()) < 0:
        yield Finding("counts", f"{counts}, but {rest} passages have no grade of 1 or more")
    best = max(grades.values(), default=0)
    if best < 2:
        yield Finding("grades", f"the best passage has grade {best}")
    spans = [(passage.start, passage.end) for passage in asked.passages if grades.get(passage.id) == best]
    if list(draft.evidence) != spans or len(draft.depths) != len(spans):
        yield Finding("evidence", f"spans {list(draft.evidence)[:3]}, but passages of grade {best} at {spans[:3]}")
    if any(depth > other for depth, other in pairwise(draft.depths)):
        yield Finding("evidence", "depths are not in the order of the passages")


def _gold(draft: Draft, asked: RankingProblem) -> Iterator[Finding]:
    grades = draft.facts["grades"]
    ids = [passage.id for passage in asked.passages if passage.id in grades]
    wanted = sorted(ids, key=lambda id_: -grades[id_])[:BEST]
    if draft.answers != (JOINT.join(wanted),):
        yield Finding("gold", f"{draft.answers} is not the ranking by grade, {JOINT.join(wanted)}")


def _example(number: int, example: RankingProblem, draft: Draft, asked: RankingProblem) -> Iterator[Finding]:
    ids = [passage.id for passage in example.passages]
    if sorted(example.ranking) != sorted(ids):
        yield Finding("example", f"example {number} ranks {example.ranking}, and shows {ids}")
    if words(example.question) == words(asked.question):
        yield Finding("example", f"example {number} asks the question itself")
    # An example may show an excerpt of a passage.
    shown = {passage.text.casefold() for passage in asked.passages}
    said = "\n".join([example.question, *(f"{passage.title}\n{passage.text}" for passage in example.passages)])
    if any(passage.text.casefold() in shown for passage in example.passages):
        yield Finding("example", f"example {number} shows a passage of the problem")
    if holds(said, draft.facts["accepted"]):
        yield Finding("answer in an example", f"example {number} holds one of {draft.facts['accepted'][:3]}")


def guesses(draft: Draft, stream: Stream) -> Mapping[str, tuple[str, ...]]:
    """By name: the order of the passages, its reverse, random orders, and BM25's ranking."""
    problems = read(draft.prompt)
    if problems is None:
        return {}
    asked = problems[-1]
    ids = [passage.id for passage in asked.passages]
    drawn = [stream.child("ranking", number).sample(ids, min(BEST, len(ids))) for number in range(_RANDOM)]
    return {
        "order of appearance": (_ranking(ids),),
        "reverse order": (_ranking(ids[::-1]),),
        "random order": tuple(map(_ranking, drawn)),
        "BM25": (_ranking(_by_words(asked.question, asked.passages)),),
    }


def _ranking(ids: Sequence[str]) -> str:
    return JOINT.join(ids[:BEST])


def _by_words(question: str, passages: Sequence[ListedPassage]) -> list[str]:
    """The IDs of the passages, ranked by BM25 over these passages; ties in the order of the prompt."""
    import bm25s

    index = bm25s.BM25()
    index.index([words(f"{passage.title}\n{passage.text}").split() for passage in passages], show_progress=False)
    known = [word for word in words(question).split() if word in index.vocab_dict]
    scores = index.get_scores(known) if known else np.zeros(len(passages))
    return [passages[number].id for number in np.argsort(-scores, kind="stable").tolist()]
