"""The audit of citations prompts: finds those in which a wrong answer could score or a right one lose; and guesses.

The guesses do not read the passages; tables of chance have their scores.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.citations.prompt import CITED, ITEM
from carrara.tasks.helmet.citations.solver import CitationProblem, CitationReading, read
from carrara.tasks.helmet.passages import holds, words

_CITATION: Final = re.compile(r" \[[0-9]{1,9}\](?=[.,])")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")
_PHRASE: Final = re.compile(r"(?:[A-Z][\w’'-]+)(?: [A-Z][\w’'-]+)+")


def audit(draft: Draft) -> Iterator[Finding]:
    """Check that passages, answers, support, gold and spans agree with the prompt, and examples give nothing away."""
    reading = read(draft.prompt)
    if reading is None:
        yield Finding("layout", "the prompt is not worked examples, passages numbered from 1 on, and a question")
        return
    asked, facts = reading.asked, draft.facts
    if asked.question != facts["question"] or reading.kind != facts["kind"]:
        yield Finding("question", f"the prompt asks {asked.question!r} for {reading.kind}, the facts differ")
    end = asked.passages[-1].end + 2
    if [asked.start, end] != list(facts["body"]) or len(asked.passages) != facts["passages"]:
        yield Finding("body", f"{len(asked.passages)} passages at {asked.start}..{end}: {facts['body']}")
    texts = [passage.text.casefold() for passage in asked.passages]
    if len(set(texts)) != len(texts):
        yield Finding("passage twice", f"{len(texts) - len(set(texts))} passages say what another one says")
    if "\ufffd" in draft.prompt:
        yield Finding("cut character", "the prompt holds U+FFFD")
    yield from _supported(draft, asked)
    yield from _cited(draft, asked)
    yield from _examples(draft, reading)


def _supported(draft: Draft, asked: CitationProblem) -> Iterator[Finding]:
    answers, support = draft.facts["answers"], draft.facts["support"]
    inside = draft.facts["evidence_inside"]
    if not len(answers) == len(support) == len(inside) or not any(inside):
        yield Finding("answers", f"{len(answers)} answers, {len(support)} with support, {sum(inside)} inside")
        return
    if draft.complexity != sum(inside):
        yield Finding("answers", f"complexity {draft.complexity}; {sum(inside)} answers are inside")
    if draft.facts["accepted"] != list(dict.fromkeys(name for names in answers for name in names)):
        yield Finding("answers", "the accepted names are not those of the answers")
    for names, numbers, is_inside in zip(answers, support, inside, strict=True):
        if is_inside and not numbers:
            yield Finding("support", f"{names[0]!r} is inside, and no passage states it")
        if numbers != sorted(set(numbers)) or any(not 1 <= number <= len(asked.passages) for number in numbers):
            yield Finding("support", f"passages {numbers[:5]} of {len(asked.passages)} state {names[0]!r}")
            continue
        for number in numbers:
            passage = asked.passages[number - 1]
            if not holds(f"{passage.title}\n{passage.text}", names):
                yield Finding("support", f"passage {number} does not name {names[0]!r}")


def _cited(draft: Draft, asked: CitationProblem) -> Iterator[Finding]:
    """Check that the gold cites a supporting passage for every answer inside, and that these are the evidence."""
    facts = draft.facts
    inside = [
        (names, numbers)
        for names, numbers, is_inside in zip(facts["answers"], facts["support"], facts["evidence_inside"], strict=False)
        if is_inside and numbers
    ]
    gold = draft.answers[0] if len(draft.answers) == 1 else ""
    for names, numbers in inside:
        if not any(ITEM.format(answer=name, number=numbers[0]) in gold for name in names):
            yield Finding("gold", f"the gold does not say {names[0]!r} of passage {numbers[0]}")
    if len(_CITATION.findall(gold)) != len(inside) or not gold.endswith("]."):
        yield Finding("gold", f"the gold has {len(_CITATION.findall(gold))} citations for {len(inside)} answers")
    cited = sorted({numbers[0] for _, numbers in inside if numbers[0] <= len(asked.passages)})
    spans = [(asked.passages[number - 1].start, asked.passages[number - 1].end) for number in cited]
    if list(draft.evidence) != spans or len(draft.depths) != len(spans):
        yield Finding("evidence", f"spans {list(draft.evidence)[:3]}, but the cited passages stand at {spans[:3]}")


def _examples(draft: Draft, reading: CitationReading) -> Iterator[Finding]:
    shown = {passage.text.casefold() for passage in reading.asked.passages}
    for number, example in enumerate(reading.examples, 1):
        parts = [
            example.question,
            example.response,
            *(f"{passage.title}\n{passage.text}" for passage in example.passages),
        ]
        if words(example.question) == words(reading.asked.question):
            yield Finding("example", f"example {number} asks the question itself")
        if any(passage.text.casefold() in shown for passage in example.passages):
            yield Finding("example", f"example {number} shows a passage of the problem")
        if holds("\n".join(parts), draft.facts["accepted"]):
            yield Finding("answer in an example", f"example {number} holds an answer of the question")
        cited = {int(mark.strip(" []")) for mark in _CITATION.findall(example.response)}
        if not cited or not cited <= {passage.number for passage in example.passages}:
            yield Finding("example", f"example {number} cites {sorted(cited)} of {len(example.passages)} passages")


def guesses(draft: Draft, stream: Stream) -> Mapping[str, tuple[str, ...]]:
    """By name: the question, the first sentence of the first passage, the most frequent capitalised phrase."""
    reading = read(draft.prompt)
    if reading is None:
        return {}
    asked = reading.asked
    said = {"the question's words": asked.question.rstrip("?")}
    said["first sentence"] = _SENTENCE.split(asked.passages[0].text)[0].rstrip(".")
    phrases = Counter(
        phrase for passage in asked.passages for phrase in _PHRASE.findall(f"{passage.title}\n{passage.text}")
    )
    if phrases:
        # Of equally frequent phrases, the first in the alphabet.
        said["most frequent phrase"] = min(phrases, key=lambda phrase: (-phrases[phrase], phrase))
    return {name: (CITED.format(statement=text, number=1),) for name, text in said.items()}
