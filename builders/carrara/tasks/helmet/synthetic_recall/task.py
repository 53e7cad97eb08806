"""Synthetic recall: find made-up facts in a long text (HELMET, arXiv:2410.02694; RULER, arXiv:2404.06654).

The variants are HELMET's own (values of a JSON object by key) and RULER's thirteen: needles in a haystack, variable
tracking, common and frequent words, questions. Each kind has its own module; this one maps variants to kinds.

Differences from the papers: the wording is ours; every row fills its length; no key, value or word is ambiguous; the
needles are the same under every tokenizer; `_hard` variants close shortcuts that the published tasks leave open.
"""

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Any, Final

from carrara.stream import Stream
from carrara.task import Budget, Draft, Finding, Inputs, Item, Slot, Task, Variant
from carrara.tasks.helmet.synthetic_recall import chains as recall_chains
from carrara.tasks.helmet.synthetic_recall import coded_words as recall_words_coded
from carrara.tasks.helmet.synthetic_recall import needles as recall_needles
from carrara.tasks.helmet.synthetic_recall import pairs as recall_pairs
from carrara.tasks.helmet.synthetic_recall import questions as recall_questions
from carrara.tasks.helmet.synthetic_recall import words as recall_words
from carrara.tasks.helmet.synthetic_recall.kind import Params, RecallKind
from carrara.tasks.helmet.synthetic_recall.prompt import ANSWER_PREFIX, parts_of

KINDS: Final[Mapping[str, RecallKind]] = {
    "json_kv": recall_pairs.KIND,
    "niah_single_1": recall_needles.KIND,
    "niah_single_2": recall_needles.KIND,
    "niah_single_3": recall_needles.KIND,
    "niah_multikey_1": recall_needles.KIND,
    "niah_multikey_2": recall_needles.KIND,
    "niah_multikey_3": recall_needles.KIND,
    "niah_multivalue": recall_needles.KIND,
    "niah_multiquery": recall_needles.KIND,
    "qa_squad": recall_questions.KIND,
    "qa_hotpotqa": recall_questions.KIND,
    "qa_world": recall_questions.KIND,
    "vt": recall_chains.KIND,
    "vt_hard": recall_chains.KIND,
    "cwe": recall_words.KIND,
    "cwe_hard": recall_words.KIND,
    "fwe": recall_words_coded.KIND,
    "fwe_hard": recall_words_coded.KIND,
}
_ANY: Final = ("ruler/any", "ruler/all", "ruler/any/paper")


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Any:
    """Plan an item with the variant's kind."""
    return KINDS[item.variant].plan(params, item, inputs, stream)


def render(plan: Any, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """Render a slot's row with the variant's kind."""
    return KINDS[slot.item.variant].render(plan, slot, inputs, budget)


def solve(prompt: str) -> tuple[str, ...]:
    """Return the answers of the first kind that recognises the prompt; () if none does."""
    return next((answers for kind in dict.fromkeys(KINDS.values()) if (answers := kind.solve(prompt))), ())


def audit(draft: Draft) -> Iterator[Finding]:
    """Yield the findings of the draft's kind."""
    yield from KINDS[str(draft.facts["variant"])].audit(draft)


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Return the guesses of the draft's kind, by strategy."""
    return KINDS[str(draft.facts["variant"])].guesses(draft, stream)


TASK = Task(
    name="synthetic_recall",
    benchmark="helmet",
    paper="HELMET (arXiv:2410.02694), synthetic recall, with RULER (arXiv:2404.06654)",
    asks="Find made-up keys, values, chains or words again in a long text.",
    facts={
        "variant": "the row's variant",
        "key": "json_kv: the key asked for",
        "position": "json_kv: [which, of how many] positions the pair has, from 0",
        "depth": "json_kv: the wanted depth, where there is one position",
        "shots": "json_kv, vt, cwe: worked examples",
        "asked": "niah: the keys asked for; vt: the number of the chain asked about, from 0",
        "values": "niah: values of a key",
        "needles": "niah: key, value and wanted depth of each needle",
        "question": "qa: the question",
        "question_id": "qa: its id in the source",
        "accepted": "qa: the answers that count",
        "gold": "qa: ids of the gold passages",
        "gold_sha256": "qa: the sha256 of their texts",
        "wanted_depths": "qa: where they were to stand",
        "passages": "qa: passages in the prompt",
        "body": "qa: the code points of the prompt that they take: [start, end]",
        "chains": "vt: value and names of each chain",
        "often": "cwe: how often a word asked for stands",
        "decoys": "cwe_hard: words that stand nearly as often",
        "nearly": "cwe_hard: how often those stand",
        "seldom": "cwe: how often every other word stands",
        "alpha": "fwe: the exponent of the words' frequencies",
    },
    metrics=("ruler/precise", "ruler/all", "ruler/all/paper"),
    sources=("world", "squad", "hotpotqa"),
    variants={
        "json_kv": Variant(metrics=("subem", "subem/paper"), placements=lambda params: params.positions),
        "niah_single_1": Variant(),
        "niah_single_2": Variant(haystack="en"),
        "niah_single_3": Variant(haystack="en"),
        "niah_multikey_1": Variant(haystack="en"),
        "niah_multikey_2": Variant(),
        "niah_multikey_3": Variant(),
        "niah_multivalue": Variant(haystack="en"),
        "niah_multiquery": Variant(haystack="en"),
        # People asked and answered the questions of two.
        "qa_squad": Variant(metrics=_ANY, source="squad", solvable=False),
        "qa_hotpotqa": Variant(metrics=_ANY, source="hotpotqa", solvable=False),
        "qa_world": Variant(metrics=_ANY, source="world"),
        "vt": Variant(),
        "vt_hard": Variant(haystack="en"),
        "cwe": Variant(),
        "cwe_hard": Variant(),
        "fwe": Variant(),
        "fwe_hard": Variant(),
    },
    params=Params,
    # Any kind's plan; the first field tells them apart.
    plan_type=reduce(or_, dict.fromkeys(kind.plan_type for kind in KINDS.values())),
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    guesses=guesses,
    settled=lambda params, slot: {"complexity": 1} if slot.item.variant.startswith(("cwe", "fwe")) else {},
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts_of,
)
