"""Sentence arrangement: put the shuffled sentences of one text in order, or copy them as they stand (VerbatimEval).

The passage is the beginning of one document: an article of the invented world, a report, a paper, the transcript of a
meeting, or whatever a recipe pins. Prompt and answer share the length: the passage has the most sentences with
tokens(prompt) + max_output_tokens within it, or as many as the recipe gives. The answer has one sentence a line.

Differs from the paper: N follows from the length unless the recipe gives it. A few of the last sentences may be left
out to fill the row. The order of a world article follows from its days, hours and the entrances of its persons, so that
it can be computed. `<x>_verbatim` has the shuffled passage of `<x>`, so that copying and arranging are compared on the
same material. Must not change: which documents and sentences an item takes, and their shuffled order.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.tables import Lang
from carrara.task import Budget, Draft, Finding, Inputs, Item, Key, Slot, Task, Variant
from carrara.tasks.verbatimeval.sentence_arrangement import passage as sentence_passage
from carrara.tasks.verbatimeval.sentence_arrangement import solver as sentence_reading
from carrara.tasks.verbatimeval.sentence_arrangement.passage import (
    ANSWER_PREFIX,
    HEAD,
    ORDERS,
    TAIL,
    SentenceOrder,
    SentenceSupply,
)

_VERBATIM: Final = "_verbatim"
SOURCES: Final = ("world", "govreport", "qasper", "meetingbank", "wiki727k", "documents")
# Fewer may be in order by chance; ten are so in one of 3.6 million passages.
_FEWEST: Final = 10
_LETTERS: Final = re.compile(r"[^\W_]+")
_CORRECTIONS: Final = 3


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set.

    `count`: the least number of sentences (one number, or several, balanced over the items); up to
    `spread` more are drawn. Without it, as many as fit. `lang` is the language of the documents. With `repeat` a
    document may serve several items.
    """

    count: int | tuple[int, ...] | None = None
    spread: int = 100
    lang: Lang = "en"
    repeat: bool = False

    def __post_init__(self) -> None:
        for count in self.counts:
            if not _FEWEST <= count <= 1_000_000:
                raise ValueError(f"count = {count}: expected {_FEWEST} to 1000000")
        if self.count == () or not 0 <= self.spread <= 1_000_000:
            raise ValueError(f"count = {self.count}, spread = {self.spread}: expected one number each, of 0 or more")

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of `count`."""
        if self.count is None:
            return ()
        return self.count if isinstance(self.count, tuple) else (self.count,)


@dataclass(frozen=True, slots=True)
class Plan:
    """The order asked for, the keys of documents and shuffle, and the recipe's number of sentences (0: what fits)."""

    order: SentenceOrder
    kind: Literal["article", "text"]
    lang: Lang
    item: int
    repeat: bool
    least: int
    most: int
    documents: Key
    shuffle: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's keys: the same for `<x>` and `<x>_verbatim`, which share a stream."""
    base = item.variant.removesuffix(_VERBATIM)
    if base == "world" and params.lang != "en":
        raise ValueError(f"lang = {params.lang!r}: passages of the world are in English; leave it out")
    own = stream.child(item.index)
    least = stream.child("count").balanced(params.counts, item.index) if params.counts else 0
    return Plan(
        order="verbatim" if item.variant.endswith(_VERBATIM) else "text",
        kind="article" if base == "world" else "text",
        lang=params.lang,
        item=item.index,
        repeat=params.repeat,
        least=least,
        most=least + own.child("spread").below(params.spread + 1) if least else 0,
        documents=(*stream.key, "documents"),
        shuffle=(*own.key, "shuffle"),
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The passage of as many sentences as fit, or as many as the recipe gives; then the rest stays free."""
    words = ORDERS[plan.lang]
    head, tail = (text[plan.lang].format(order=words[plan.order]) for text in (HEAD, TAIL))
    own = budget.count(head) + budget.count(tail)
    # The longer of the two wordings, so that both orders of an item have the same passage.
    fixed = max(
        sum(budget.count(text[plan.lang].format(order=wording)) for text in (HEAD, TAIL)) for wording in words.values()
    )
    wanted = _lines_tokens(slot.length - fixed)

    def enough(supply: SentenceSupply) -> bool:
        if plan.least:
            return supply.reach(plan.least)
        return wanted > 0 and supply.reach_tokens(wanted) and supply.reach(_FEWEST)

    supply = sentence_passage.chosen(
        inputs.tables,
        plan.lang,
        plan.kind,
        plan.item,
        plan.documents,
        plan.repeat,
        budget,
        enough,
        f"{plan.least} sentences" if plan.least else f"sentences of {max(0, wanted)} tokens",
    )
    for _ in range(_CORRECTIONS + 1):
        passage = supply.first(plan.most) if plan.least else supply.filling(wanted)
        listed = sentence_passage.shuffled(passage, plan.shuffle)
        given = "\n".join(listed)
        prompt = f"{head}{given}\n{tail}"
        answers = passage.sentences if plan.order == "text" else tuple(listed)
        lines = gold = passage.tokens
        if budget.measure(prompt) != own + lines:
            # Counts do not add up (SentencePiece): count both orders, so that they have the same passage.
            lines, *golds = (budget.count(text) for text in (f"{given}\n", given, "\n".join(passage.sentences)))
            gold = max(golds)
        output = -(-gold * 21 // 20)
        over = fixed + lines + output - slot.length
        if plan.least or lines == passage.tokens or -slot.length // 500 <= over <= 0:
            break
        wanted -= over * 20 // 41 if over < 0 else over
    if over > 0 or len(answers) < _FEWEST:
        raise BudgetError(
            f"{len(answers)} sentences and their copy take {slot.length + over} tokens; the row has {slot.length} "
            f"and wants {_FEWEST} sentences at least",
            "use a larger bucket or fewer sentences",
        )
    return Draft(
        prompt=prompt,
        answers=answers,
        complexity=len(answers),
        max_output_tokens=output,
        evidence=((len(head), len(head) + len(given)),),
        facts={"n": len(answers), "order": plan.order, "document": passage.document},
    )


def solve(prompt: str) -> tuple[str, ...]:
    """The sentences in the order asked for; () if the prompt is not this task's or its text does not give the order."""
    if (read := sentence_reading.read(prompt)) is None:
        return ()
    return tuple(read.sentences) if read.order == "verbatim" else sentence_reading.in_order(read.sentences)


def audit(draft: Draft) -> Iterator[Finding]:
    """Check that the answer has each sentence of the passage once, and that the passage is not yet in that order."""
    facts = draft.facts
    if (read := sentence_reading.read(draft.prompt)) is None:
        yield Finding("layout", "the prompt is not sentences between their marks with the same order asked twice")
        return
    listed = list(read.sentences)
    if read.order != facts["order"]:
        yield Finding("order", f"the prompt asks for {read.order}, the facts say {facts['order']}")
    if not len(listed) == len(draft.answers) == draft.complexity == facts["n"]:
        yield Finding("count", f"{len(listed)} listed, {len(draft.answers)} answers, complexity {draft.complexity}")
    if sorted(listed) != sorted(draft.answers):
        yield Finding("multiset", "the answer does not have the sentences of the passage")
    plain = ["".join(_LETTERS.findall(sentence.casefold())) for sentence in listed]
    if len(set(plain)) != len(plain):
        yield Finding("duplicate", f"{len(plain) - len(set(plain))} sentences stand in the passage again")
    if "" in plain:
        yield Finding("empty", "a line of the passage has no letter or digit")
    if any(" ".join(sentence.split()) != sentence for sentence in listed):
        yield Finding("space", "a sentence has white space that an answer would not repeat")
    if read.order == "verbatim" and listed != list(draft.answers):
        yield Finding("gold", "the answer is not the passage as it stands")
    if read.order == "text" and listed == list(draft.answers):
        yield Finding("sorted", "the passage is in order as it stands: copying would be arranging")
    if [draft.prompt[start:end] for start, end in draft.evidence] != ["\n".join(listed)]:
        yield Finding("evidence", "the span is not the passage")


def _lines_tokens(room: int) -> int:
    """The most tokens of lines that fit into `room` twice: in the prompt, and in the answer with its margin."""
    lines = max(0, room * 20 // 41 - 1)
    while lines + 1 + -(-(lines + 1) * 21 // 20) <= room:
        lines += 1
    return lines


def _guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Guess the passage as it stands, and shuffled."""
    ((start, end),) = draft.evidence
    listed = draft.prompt[start:end].split("\n")
    return {
        "the passage as it stands": ("\n".join(listed),),
        "the passage shuffled": ("\n".join(stream.shuffled(listed)),),
    }


def _variants(name: str) -> dict[str, Variant]:
    """Both variants of a source; a cell of `documents` names any source, or pins one under that name."""
    source = "" if name == "documents" else name
    # The order of real texts is their authors' and cannot be computed; copying can always be solved.
    return {
        name: Variant(source=source, solvable=name == "world"),
        name + _VERBATIM: Variant(base=name, source=source),
    }


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise."""
    return {"introduction": HEAD[params.lang], "request": TAIL[params.lang]}


TASK = Task(
    name="sentence_arrangement",
    benchmark="verbatimeval",
    paper="VerbatimEval (2025), sentence arrangement",
    asks="Write the shuffled sentences of a text again: in the order of the text, or exactly as they stand.",
    facts={
        "n": "sentences",
        "order": "text or verbatim",
        "document": "the text's id in the source",
    },
    metrics=("order/lcs", "order/kendall", "verbatim/v", "verbatim/v/indel", "verbatim/v_lcs", "verbatim/strict"),
    sources=("documents", *SOURCES[:-1]),
    variants={name: variant for source in SOURCES for name, variant in _variants(source).items()},
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    exact=False,
    unused=lambda params: 0 if params.count is None else None,
    guesses=_guesses,
    view=lambda draft: str(draft.facts["order"]),
    answer_prefix=lambda params, variant: ANSWER_PREFIX[params.lang],
    parts=parts,
)
