"""Rows of the retrieval tasks for `benchmarks.scorers`, in their form and without a search: passages as they come."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from carrara.stream import Stream
from carrara.tables import Passage, Question
from carrara.world.world import World

# The beginnings of the names of metrics that read them.
FAMILIES = ("citations", "em/", "f1/", "mrr", "ndcg", "subem")
PASSAGES = 30
CANDIDATES = 2_000


def retrieved_rows(metric: str, items: int) -> list[dict[str, Any]]:
    """Rows that the metric reads, as many of each kind as `items`."""
    world = World("scorers/1", 1)
    passages = {one.id: one for one in islice(world.passages("en"), CANDIDATES)}
    if metric.startswith("citations"):
        kinds = (("ambiguous", "statements"), ("list", "items"))
        return [row for kind, written in kinds for row in islice(_cited(world, passages, kind, written), items)]
    rows = _ranked if metric.startswith(("ndcg", "mrr")) else _short
    return list(islice(rows(world, passages), items))


def _short(world: World, passages: dict[str, Passage]) -> Iterator[dict[str, Any]]:
    for question in world.questions("en", "one_hop", 200):
        shown = _shown(question, passages)
        prompt = "".join(f"Title: {one.title}\n{one.text}\n\n" for one in shown)
        names = list(question.answers[0])
        facts = {"question": question.text, "accepted": names, "body": [0, len(prompt)]}
        yield _row(question, f"{prompt}Question: {question.text}\nAnswer:", tuple(names[:1]), facts)


def _ranked(world: World, passages: dict[str, Passage]) -> Iterator[dict[str, Any]]:
    for question in world.questions("en", "one_hop", 200):
        shown, stream = _shown(question, passages), Stream("scorers", "ids", question.id)
        ids = [str(10_000 + 97 * place + stream.below(97)) for place in range(len(shown))]
        prompt = "".join(f"ID: {n}\nTitle: {one.title}\n{one.text}\n\n" for n, one in zip(ids, shown, strict=True))
        grades = {name: 1 + stream.below(3) for name in ids[1::3]}
        gold = " > ".join(sorted(grades, key=lambda name: -grades[name])[:10])
        facts = {"question": question.text, "grades": grades, "body": [0, len(prompt)]}
        yield _row(question, f"{prompt}Question: {question.text}\nRanking:", (gold,), facts)


def _cited(world: World, passages: dict[str, Passage], kind: str, written: str) -> Iterator[dict[str, Any]]:
    for question in world.questions("en", kind, 200):
        shown = _shown(question, passages)
        body = "".join(f"[{n}] {one.title}\n{one.text}\n\n" for n, one in enumerate(shown, start=1))
        answers = [list(names) for names in question.answers]
        support = [
            [n for n, one in enumerate(shown, start=1) if any(name in f"{one.title}\n{one.text}" for name in names)]
            for names in answers
        ]
        held = [(names[0], numbers[0]) for names, numbers in zip(answers, support, strict=True) if numbers]
        if not held:
            continue
        sentence = "It is {} [{}]." if written == "statements" else "{} [{}]"
        gold = (" " if written == "statements" else ", ").join(sentence.format(*one) for one in held)
        facts = {
            **{"question": question.text, "kind": written, "answers": answers, "support": support},
            **{"evidence_inside": [bool(numbers) for numbers in support], "body": [0, len(body)]},
        }
        yield _row(question, f"{body}Question: {question.text}\nAnswer:", (gold,), facts)


def _shown(question: Question, passages: dict[str, Passage]) -> Sequence[Passage]:
    """The question's evidence, where it is near, among other passages."""
    gold = [passages[each.passage] for each in question.evidence if each.passage in passages]
    stream = Stream("scorers", "passages", question.id)
    others = [list(passages.values())[stream.below(len(passages))] for _ in range(PASSAGES)]
    found = {one.id: one for one in [*gold, *others]}
    return stream.shuffled(list(found.values()))


def _row(question: Question, prompt: str, answers: tuple[str, ...], facts: dict[str, Any]) -> dict[str, Any]:
    return {"id": question.id, "prompt": prompt, "answers": list(answers), "choices": [], "facts": json.dumps(facts)}
