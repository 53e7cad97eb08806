"""That no gold of synthetic recall is ambiguous, over 500 plans of every variant, at a million tokens.

A plan names its material by keys, so that what a row of any length may hold is known without its text: more of it than
a million tokens take is made here and looked through. What the prose around needles holds, an audit proves row by row.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cases import Case, material_of, separate
from folders import CORPORA
from made_squad import made_squad
from tasks import test_recall_needles, test_recall_questions, test_recall_words

from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_table
from carrara.sources import open_source
from carrara.sources import tables as source_tables
from carrara.stream import Stream
from carrara.task import Item, plan_stream
from carrara.tasks.helmet.gold_checks import plain, sought
from carrara.tasks.helmet.synthetic_recall import chains as recall_chains_noise
from carrara.tasks.helmet.synthetic_recall import coded_words as recall_words_coded
from carrara.tasks.helmet.synthetic_recall import needles_solver as recall_needles_solver
from carrara.tasks.helmet.synthetic_recall import pairs_solver as recall_pairs_solver
from carrara.tasks.helmet.synthetic_recall import words as recall_words
from carrara.tasks.helmet.synthetic_recall.filler import occurrences, shares, uuids
from carrara.tasks.helmet.synthetic_recall.kind import Params
from carrara.tasks.helmet.synthetic_recall.needles_hay import PHRASE, drawn
from carrara.tasks.helmet.synthetic_recall.prompt import DOCUMENTS_INTRODUCTION, DOCUMENTS_TAIL, SHAPES
from carrara.tasks.helmet.synthetic_recall.questions import KIND_OF
from carrara.tasks.helmet.synthetic_recall.questions_corpus import CorpusPart, corpus_of
from carrara.tasks.helmet.synthetic_recall.questions_corpus import sought as forms_of
from carrara.tasks.helmet.synthetic_recall.task import KINDS, TASK
from carrara.world.world import World

STREAM = "recall plans/1"
TOKENS = 1 << 20
PLANS = 500
# Plans of a variant with a large material that are looked through where time is short.
FEW = 20
# No vocabulary writes a line of an object in fewer tokens, and a line of a register: names and numbers, or UUIDs.
PAIR_TOKENS, NAME_LINE_TOKENS, UUID_LINE_TOKENS = 40, 11, 40
LARGE = ("json_kv", "niah_multikey_2", "niah_multikey_3", "cwe", "cwe_hard", "qa_world", "qa_squad")
# Questions of the sample of HotpotQA that are asked, and realms that a row of a million tokens takes.
HOTPOTQA, WORLD_PARTS = 150, 2


@cache
def tables(variant: str) -> Any:
    """The tables of a variant's questions; of the others none."""
    if variant == "qa_squad":
        return made_squad(1_000)
    if variant == "qa_hotpotqa":
        return source_tables(open_source("hotpotqa", CORPORA))
    return World(STREAM, 62) if variant == "qa_world" else None


def planned(variant: str, item: int, params: Params | None = None) -> Any:
    inputs = SimpleNamespace(tables=tables(variant))
    return TASK.plan(params or Params(), Item(TASK.name, variant, item), inputs, plan_stream(TASK, STREAM, variant))


def repeated(names: Sequence[Any]) -> list[Any]:
    """Those that stand twice."""
    return [name for name, times in Counter(names).items() if times > 1] if len(set(names)) < len(names) else []


def parts_of_others(names: Sequence[str]) -> list[str]:
    """Those that are a part of another one."""
    return [one for one in names for other in names if one != other and one in other]


# --- what would be ambiguous, by kind ---------------------------------------------------------------------------------


def pairs(plan: Any, tokens: int) -> Iterator[str]:
    """json_kv: a key or a value that stands twice, in the object or in an example."""
    count = tokens // PAIR_TOKENS
    filler = [uuids(Stream(*plan.pairs).child(column), 0, count) for column in ("keys", "values")]
    shown = [(pair.key, pair.value) for example in plan.examples for pair in example.pairs]
    yield from map(str, repeated([plan.asked.key, plan.asked.value, *chain(*shown), *chain(*filler)]))


def needles(plan: Any, tokens: int) -> Iterator[str]:
    """NIAH: a key of two values that are not all asked, a value that stands twice, a name that is part of another."""
    shape = SHAPES[plan.variant]
    keys, values = ([getattr(needle, name) for needle in plan.needles] for name in ("key", "value"))
    asked = [plan.needles[number] for number in plan.asked]
    if shape.asks == "all":
        yield from () if len(set(keys)) == 1 and len(asked) == len(plan.needles) else keys
    else:
        yield from repeated(keys)
    yield from repeated(values)
    yield from parts_of_others([*dict.fromkeys(keys), *values])
    yield from repeated([needle.depth for needle in plan.needles])
    if shape.hay == "phrase":
        yield from (one for one in (*keys, *values) if any(one in sentence for sentence in PHRASE))
    elif shape.hay == "needles":
        count = tokens // (UUID_LINE_TOKENS if shape.keys == "uuid" else NAME_LINE_TOKENS)
        stream = Stream(*plan.filler)
        for column, form, own in (("keys", shape.keys, set(keys)), ("values", shape.values, set(values))):
            # A register leaves out what equals the row's own.
            yield from repeated([one for one in drawn(stream.child(column), form, 0, count) if one not in own])


def chains(plan: Any, tokens: int) -> Iterator[str]:
    """vt: two chains of one value, a variable that is set twice, a name that is part of another or of the noise."""
    names = [name for one in plan.chains for name in one.names]
    values = [str(one.value) for one in plan.chains]
    yield from map(str, repeated([*names, *values]))
    yield from parts_of_others([*names, *values])
    noise = "".join(recall_chains_noise.SENTENCES).upper()
    yield from (name for name in (*names, *values) if name in noise)
    if not 0 <= plan.asked < len(plan.chains) or len({len(one.names) for one in plan.chains}) != 1:
        yield f"chain {plan.asked} of {len(plan.chains)}"


def common_words(plan: Any, tokens: int) -> Iterator[str]:
    """cwe: a word that is two words, or one that stands as often as those that are asked."""
    numbers = recall_words.word_numbers(plan, tokens)
    if len(np.unique(numbers)) < len(numbers):
        yield f"{len(numbers) - len(np.unique(numbers))} words are two"
    if not plan.often > max(plan.nearly, plan.seldom):
        yield f"{plan.often} times, {plan.nearly}, {plan.seldom}"
    # All have one length: distinct words are no parts of each other.
    yield from (word for word in (*plan.common, *plan.decoys) if len(word) != 6)
    yield from repeated([*plan.common, *plan.decoys])


def coded_words(plan: Any, tokens: int) -> Iterator[str]:
    """fwe: a word that is two words, or counts of which the first four are not apart."""
    counts = recall_words_coded.counts(plan, tokens)
    found = list(counts.values())
    if tuple(counts)[: len(plan.asked)] != plan.asked:
        yield f"{tuple(counts)[:3]} are the first, asked are {plan.asked}"
    # Two equal words would be one entry; of one length, distinct words are no parts of each other.
    law = occurrences(shares(plan.alpha, plan.kind == "fwe_hard", tokens), tokens)
    if len(found) != len(law) or {len(word) for word in counts} != {6}:
        yield f"{len(found)} words"
    first, rest = found[: len(plan.asked) + 1], found[len(plan.asked) :]
    if len(rest) < 1 or not all(a > b for a, b in pairwise(first)) or max(rest) >= first[-2]:
        yield f"counts {found[:6]}"


@cache
def read(variant: str) -> list[tuple[CorpusPart, list[str]]]:
    """The parts of a corpus, each with its passages as an audit reads them; of the world what a million tokens take."""
    corpus = corpus_of(tables(variant), KIND_OF[variant])
    parts = [corpus.part(number) for number in range(WORLD_PARTS if variant == "qa_world" else 1)]
    return [(part, [plain(f"{one.title}\n{one.text}") for one in part.passages]) for part in parts if part]


def questions(plan: Any, variant: str) -> Iterator[str]:
    """Questions: an accepted name in the instruction, in the question, or in a passage that a row may take."""
    names, forms = sought(plan.accepted), forms_of(plan.accepted)
    told = plain(f"{DOCUMENTS_INTRODUCTION}\n{DOCUMENTS_TAIL.format(question=plan.question)}")
    yield from (name for name in names if name in told)
    held = False
    for part, texts in read(variant):
        for one, text, is_free in zip(part.passages, texts, part.without(forms), strict=True):
            if one.id == plan.gold[-1]:
                held = any(name in text for name in names)
            elif is_free and one.id not in plan.stated and any(name in text for name in names):
                yield f"{one.id} holds one of {plan.accepted}"
    if not held or len(set(plan.gold)) < len(plan.gold):
        yield f"{plan.gold} do not end with what holds {plan.accepted}"


AMBIGUITIES: dict[str, Callable[[Any, int], Iterator[str]]] = {
    "json_kv": pairs,
    **dict.fromkeys(SHAPES, needles),
    **dict.fromkeys(("vt", "vt_hard"), chains),
    **dict.fromkeys(("cwe", "cwe_hard"), common_words),
    **dict.fromkeys(("fwe", "fwe_hard"), coded_words),
    **{name: lambda plan, tokens, name=name: questions(plan, name) for name in KIND_OF},
}


def looked_through(variant: str, count: int) -> None:
    if variant == "qa_hotpotqa":
        if not (CORPORA / "hotpotqa").is_dir():
            pytest.skip("hotpotqa is not here: set CARRARA_SOURCES to the folder of real sources")
        count = min(count, HOTPOTQA)
    golds = []
    for item in range(count):
        plan = planned(variant, item)
        found = list(AMBIGUITIES[variant](plan, TOKENS))
        assert not found, (variant, item, found[:5])
        golds.append(plan)
    # No two items are one.
    assert len({str(plan) for plan in golds}) == count


def test_every_variant_has_its_ambiguities():
    assert set(AMBIGUITIES) == set(KINDS) and set(LARGE) < set(KINDS)


@pytest.mark.repeat
@pytest.mark.parametrize("variant", [name for name in KINDS if name not in LARGE])
def test_no_gold_of_five_hundred_rows_of_a_million_tokens_is_ambiguous(variant):
    looked_through(variant, PLANS)


@pytest.mark.repeat
@pytest.mark.parametrize("variant", LARGE)
def test_no_gold_of_a_few_rows_of_a_million_tokens_is_ambiguous(variant):
    looked_through(variant, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("variant", LARGE)
def test_no_gold_of_five_hundred_rows_of_large_material_is_ambiguous(variant):
    looked_through(variant, PLANS)


# --- what is looked through is what rows hold, and it is found where it is wrong --------------------------------------


def rendered(variant: str) -> tuple[Any, str]:
    """A plan and the prompt of its row."""
    recipe = recipe_from_table(
        {
            "name": "plans",
            "version": "1.0.0",
            "stream": STREAM,
            "tokenizer": "o200k_base",
            "buckets": {"16k": 16_384},
            "cell": [{"task": TASK.name, "variants": [variant], "questions": 1}],
        }
    )
    made = RowMaker(recipe, None)
    (config,) = recipe.configs()
    return made.plan(config, 0), made.make(config, config.slot(0)).row.prompt


def test_the_pairs_of_a_row_are_those_that_its_plan_names():
    plan, prompt = rendered("json_kv")
    reading = recall_pairs_solver.read_prompt(prompt)
    count = TOKENS // PAIR_TOKENS
    keys, values = (uuids(Stream(*plan.pairs).child(column), 0, count) for column in ("keys", "values"))
    known = {*zip(keys, values, strict=True), (plan.asked.key, plan.asked.value)}
    assert reading is not None and len(reading.pairs) > 100 and set(reading.pairs) <= known
    assert count > len(reading.pairs) * TOKENS / 16_384


@pytest.mark.parametrize("variant", ["niah_multikey_2", "niah_multikey_3"])
def test_the_lines_of_a_row_are_those_that_its_plan_names(variant):
    plan, prompt = rendered(variant)
    shape, reading = SHAPES[variant], recall_needles_solver.read_prompt(prompt)
    count = TOKENS // (UUID_LINE_TOKENS if shape.keys == "uuid" else NAME_LINE_TOKENS)
    keys, values = (
        set(drawn(Stream(*plan.filler).child(column), form, 0, count))
        for column, form in (("keys", shape.keys), ("values", shape.values))
    )
    assert reading is not None and len(reading.needles) > 100
    for key, value in reading.needles:
        assert key == plan.needles[0].key or (key in keys and value in values)
    assert count > len(reading.needles) * TOKENS / 16_384


@pytest.mark.parametrize("variant", ["cwe", "cwe_hard", "fwe", "fwe_hard"])
def test_the_words_of_a_row_are_those_that_its_plan_counts(variant):
    plan, prompt = rendered(variant)
    module = recall_words if variant.startswith("cwe") else recall_words_coded
    counts = module.counts(plan, TOKENS)
    found = Counter(word for word in prompt.split() if word in counts)
    assert len(found) > 50
    if variant.startswith("cwe"):
        asked = set(plan.common)
        # A word of the instruction may be one of them by its letters: none is common.
        assert all(found[word] == counts[word] for word in asked)
    else:
        asked = set(plan.asked)
        assert [word for word, _ in found.most_common(len(plan.asked))] == list(plan.asked)
    assert asked <= set(found)


def test_what_is_ambiguous_is_found():
    plan = planned("json_kv", 0)
    stream = Stream(*plan.pairs).child("keys")
    twice = replace(plan, asked=replace(plan.asked, key=uuids(stream, 20_000, 1)[0]))
    assert list(pairs(twice, TOKENS)) == [twice.asked.key]

    plan = planned("niah_multikey_1", 0)
    first, second, *rest = plan.needles
    for wrong in (replace(second, key=first.key), replace(second, value=first.value), replace(second, key="x")):
        assert list(needles(replace(plan, needles=(first, wrong, *rest)), TOKENS)) or wrong.key == "x"
    part = replace(second, key=first.key[1:])
    assert list(needles(replace(plan, needles=(first, part, *rest)), TOKENS)) == [part.key]
    plan = planned("niah_multivalue", 0)
    assert list(needles(replace(plan, asked=plan.asked[1:]), TOKENS))

    plan = planned("vt_hard", 0)
    one, other, *rest = plan.chains
    for wrong in (replace(other, value=one.value), replace(other, names=one.names), replace(other, names=("X",))):
        assert list(chains(replace(plan, chains=(one, wrong, *rest)), TOKENS))

    plan = planned("cwe_hard", 0)
    assert list(common_words(replace(plan, nearly=plan.often), TOKENS))
    assert list(common_words(replace(plan, decoys=plan.common), TOKENS))

    plan = planned("fwe", 0)
    assert list(coded_words(replace(plan, asked=plan.asked[::-1]), TOKENS))
    assert list(coded_words(plan, 4))

    plan = planned("qa_world", 0)
    assert list(questions(replace(plan, question=f"{plan.question} {plan.accepted[0]}"), "qa_world"))
    assert list(questions(replace(plan, gold=plan.gold * 2), "qa_world"))
    assert list(questions(replace(plan, accepted=("Nobody",)), "qa_world"))


# --- what the tests of all tasks have to know -------------------------------------------------------------------------

QUESTIONS = ("qa_squad", "qa_hotpotqa", "qa_world")

CASE = Case(
    variants={
        "json_kv": ("json_kv", "subem"),
        **separate(
            *test_recall_needles.MUTANTS.keys() - {"json_kv"}, *test_recall_words.MUTANTS, metric="ruler/precise"
        ),
        **separate(*QUESTIONS, metric="ruler/any"),
    },
    mutants={
        **test_recall_needles.MUTANTS,
        **dict.fromkeys(QUESTIONS, test_recall_questions.MUTANTS),
        **test_recall_words.MUTANTS,
    },
    unseen=test_recall_questions.UNSEEN,
    by_people=("squad", "hotpotqa"),
    material=partial(material_of, laid_out=("body", "passages")),
    reads=lambda variant: "tables" if variant in QUESTIONS else "",
)
