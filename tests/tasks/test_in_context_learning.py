"""In-context learning: rounds, exact fill, what repeats, which texts are asked, the solver of the world's intents."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from cases import Case, Files, jsonl, material_of, separate
from mutants import edited

from carrara.errors import BudgetError
from carrara.making.proofs import prove
from carrara.making.row_maker import TokenBudget
from carrara.row import Row, canonical_json
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.tables import LabelledText
from carrara.task import Draft, Item, Slot, plan_stream
from carrara.tasks.helmet.in_context_learning.material import drawn, folded, material
from carrara.tasks.helmet.in_context_learning.prompt import ASKED
from carrara.tasks.helmet.in_context_learning.solver import intents, is_of, read_prompt, solve
from carrara.tasks.helmet.in_context_learning.task import TASK, Params, notes
from carrara.tokens import load_tokenizer
from carrara.world.utterances import INTENTS, MIXED, utterances
from carrara.world.world import World

STREAM = "icl/1"
ONCE, AGAIN = Params(), Params(repeat=True)


WORDS = ("the", "house", "near", "a", "river", "has", "no", "door", "and", "we", "wait", "for", "rain", "while", "old")


class Made:
    """Tables of made-up texts: label l has `sizes[l]` examples and `tests[l]` tests, of some words each."""

    def __init__(self, sizes: list[int], tests: list[int]) -> None:
        self._sizes = {"demonstration": sizes, "test": tests}

    def labelled_texts(self, part):
        for label, size in enumerate(self._sizes[part]):
            for number in range(size):
                draws = Stream("icl texts", part, label, number)
                words = " ".join(draws.choice(WORDS) for _ in range(1 + draws.below(9)))
                yield LabelledText(f"{part}/{label}/{number}", f"{words} {part[0]}{label}x{number}", f"kind {label}")


@cache
def made(labels: int, each: int = 40, tests: int = 6) -> SimpleNamespace:
    return SimpleNamespace(tables=Made([each] * labels, [tests] * labels))


@cache
def world() -> SimpleNamespace:
    return SimpleNamespace(tables=World(STREAM))


@cache
def budget(encoding: str = "o200k_base") -> TokenBudget:
    return TokenBudget(load_tokenizer(encoding))


def draft(inputs, item=0, length=4_096, params=ONCE, variant="clinc150", stream=STREAM, encoding="o200k_base") -> Draft:
    it = Item("in_context_learning", variant, item)
    plan = TASK.plan(params, it, inputs, plan_stream(TASK, stream, variant))
    return TASK.render(plan, Slot(it, "x", length, item, 0, length), inputs, budget(encoding))


def row(one: Draft, encoding: str = "o200k_base") -> dict:
    return Row(
        *("in_context_learning", "x", "in_context_learning", "world", "x"),
        tokens=budget(encoding).measure(one.prompt),
        max_output_tokens=one.max_output_tokens,
        metric="label",
        answers=one.answers,
        choices=(),
        complexity=0,
        group="x",
        depths=(),
        evidence=one.evidence,
        facts=canonical_json(one.facts),
        answer_prefix="label:",
        prompt=one.prompt,
    ).to_arrow()


def findings(one: Draft, length: int, variant: str = "clinc150", encoding: str = "o200k_base") -> list:
    slot = Slot(Item("in_context_learning", variant, 0), "x", length, 0, 0, length)
    return list(prove(TASK, one, row(one, encoding), slot, True, budget(encoding).count, TASK.variants[variant].source))


def shown(one: Draft) -> list[tuple[str, int]]:
    return [(text, int(number)) for *_, text, number in blocks(one)]


def counts(one: Draft) -> Counter:
    return Counter(number for _, number in shown(one))


# --- rounds and fill --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["o200k_base", pytest.param("cl100k_base", marks=pytest.mark.repeat)])
@pytest.mark.parametrize(
    ("labels", "each"),
    [
        (2, 300),
        (50, 40),
        *(pytest.param(*case, marks=pytest.mark.repeat) for case in ((3, 200), (6, 86), (151, 100), (300, 9))),
    ],
)
def test_rows_fill_their_length_to_the_token_with_labels_equally_often(labels, each, encoding):
    for item in range(4):
        for length in (7_777, 8_192):
            one = draft(made(labels, each), item, length, AGAIN, encoding=encoding)
            assert findings(one, length, encoding=encoding) == []
            assert budget(encoding).measure(one.prompt) == length - 32
            found = counts(one)
            assert len(found) == labels and max(found.values()) - min(found.values()) <= 1
            assert one.facts["rounds"] == min(found.values()) and one.facts["examples"] == sum(found.values())


@pytest.mark.parametrize("length", range(4_096, 4_160))
def test_few_labels_fill_every_length(length):
    # With two labels a cut round alone has four sums: the last rounds' examples are chosen.
    one = draft(made(2, 300), 0, length)
    assert findings(one, length) == []


def test_every_round_has_each_label_once_in_an_order_of_its_own():
    one = draft(made(20), 0, 16_384, AGAIN)
    numbers = [number for _, number in shown(one)]
    rounds = [tuple(numbers[at : at + 20]) for at in range(0, len(numbers) - 19, 20)]
    assert len(rounds) == one.facts["rounds"] > 25 and {tuple(sorted(each)) for each in rounds} == {tuple(range(20))}
    assert len(set(rounds)) == len(rounds)


def test_a_smaller_row_is_the_beginning_of_a_larger_one_but_for_its_last_rounds():
    for labels in (3, 50):
        for item in range(3):
            small, large = (shown(draft(made(labels, 100), item, length, AGAIN)) for length in (8_192, 32_768))
            same = len(small) - 4 * labels
            assert small[:same] == large[:same] and same > len(small) / 2


def test_labels_mean_other_numbers_in_another_item_and_examples_come_in_another_order():
    held = material(made(50).tables)
    labels = {text: label for label, numbers in enumerate(held.of_class) for text in (held.texts[n] for n in numbers)}
    mapped = []
    for item in range(3):
        mapping = {labels[text]: number for text, number in shown(draft(made(50), item))}
        assert sorted(mapping.values()) == list(range(50))
        mapped.append([mapping[label] for label in range(50)])
    assert all(sum(a == b for a, b in zip(mapped[n], mapped[n - 1], strict=True)) < 10 for n in range(3))
    texts = [[text for text, _ in shown(draft(made(50), item))] for item in range(3)]
    assert not texts[0][0] == texts[1][0] == texts[2][0] and set(texts[0]) != set(texts[1])


def test_another_tokenizer_and_another_length_ask_the_same():
    told = [
        (one.answers, one.facts["question"], one.facts["label"], shown(one)[:50])
        for one in (draft(made(50), 3), draft(made(50), 3, 8_192), draft(made(50), 3, encoding="cl100k_base"))
    ]
    assert told[0] == told[1] == told[2]


def test_another_stream_draws_another_order():
    ours, twin = (shown(draft(made(50), 0, stream=stream)) for stream in ("icl/1", "icl/2"))
    assert not set(pairwise(ours)) & set(pairwise(twin))


# --- repetition -------------------------------------------------------------------------------------------------------


def test_a_source_that_is_used_up_is_told_and_repeats_only_where_it_may():
    small = SimpleNamespace(tables=Made([3, 40, 40], [2, 2, 2]))
    with pytest.raises(BudgetError, match=r"the source holds \d+ tokens .*label 'kind 0' has 3.*needed") as caught:
        draft(small)
    assert "repeat = true" in caught.value.hint
    one = draft(small, params=AGAIN)
    assert findings(one, 4_096) == []
    copies = Counter(text for text, _ in shown(one))
    assert max(copies.values()) == one.facts["most"] > 10 and len(copies) == one.facts["distinct"] == 83
    rare = [text for text, times in copies.items() if " d0x" in text]
    # A label starts again when all its examples are used: they stand equally often.
    assert len(rare) == 3 and max(copies[text] for text in rare) - min(copies[text] for text in rare) <= 1
    common = [times for text, times in copies.items() if " d1x" in text]
    assert len(common) == 40 and max(common) - min(common) <= 1
    again = [text for text, _ in shown(one) if " d0x" in text]
    assert len({tuple(again[at : at + 3]) for at in range(0, len(again) - 2, 3)}) > 1


def test_one_of_each_label_must_fit():
    with pytest.raises(BudgetError, match="one example of each of the 300 labels takes") as caught:
        draft(made(300), length=2_048)
    assert "larger bucket" in caught.value.hint
    with pytest.raises(BudgetError, match="instruction and text take"):
        draft(made(3), length=100)


def test_a_row_tells_its_examples():
    one = draft(made(6, 10), 0, 8_192, AGAIN)
    told = notes(one)
    assert list(told.values()) == [one.facts[name] for name in ("examples", "distinct", "most", "rounds")]
    assert told["examples that differ"] == 60 and told["most copies of one example"] >= 2


# --- what is asked ----------------------------------------------------------------------------------------------------


def test_tests_are_even_over_the_labels_and_none_is_asked_twice():
    held = material(Made([9, 9, 9, 9], [1, 5, 0, 3]))
    asked = [drawn(held, Stream("tests"), item) for item in range(9)]
    assert len({one.id for one in asked}) == 9
    labels = [one.label for one in asked]
    # A block asks once for each label that still has a text.
    assert sorted(labels[:3]) == ["kind 0", "kind 1", "kind 3"]
    assert [sorted(labels[at : at + 2]) for at in (3, 5)] == [["kind 1", "kind 3"]] * 2
    assert labels[7:] == ["kind 1"] * 2
    with pytest.raises(BudgetError, match="item 9 is asked for, the source has 9 texts"):
        drawn(held, Stream("tests"), 9)


def test_texts_that_would_spoil_a_row_are_left_out():
    texts = {
        "demonstration": [("one", "a"), ("One!", "a"), ("two", "a"), ("Two", "b"), ("three", "b"), ("four", "c")],
        "test": [("ONE", "a"), ("five", "b"), ("five?", "b"), ("six", "z"), ("two", "a")],
    }

    class Tables:
        def labelled_texts(self, part):
            return (LabelledText(f"{part}/{n}", text, label) for n, (text, label) in enumerate(texts[part]))

    held = material(Tables())
    assert held.texts == ("one", "three", "four") and held.classes == ("a", "b", "c")
    # Neither a copy of an example nor what has no label among them is asked; "two" is no example any more.
    assert {label: [one.text for one in kept] for label, kept in held.tests.items()} == {"a": ["two"], "b": ["five"]}


def test_too_few_labels_are_refused():
    with pytest.raises(BudgetError, match="the source has 1 labels"):
        draft(SimpleNamespace(tables=Made([9], [9])))


@pytest.mark.repeat
def test_the_text_asked_is_never_among_the_examples():
    for item in range(40):
        one = draft(world(), item, 8_192, variant="world")
        assert folded(one.facts["question"]) not in {folded(text) for text, _ in shown(one)}


# --- the world --------------------------------------------------------------------------------------------------------


@pytest.mark.repeat
def test_the_worlds_rows_are_solved():
    for item in range(60):
        length = 4_096 if item % 4 else 32_768
        one = draft(world(), item, length, variant="world")
        assert findings(one, length, "world") == []
        assert solve(one.prompt) == one.answers and METRICS["label"](f"label: {one.answers[0]}", row(one)) == 1


@pytest.mark.parametrize("part", ["test", "mixed test"])
def test_the_solver_reads_the_intent_of_every_utterance(part):
    stream = Stream("icl wording")
    for intent in MIXED if part == "mixed test" else range(len(INTENTS)):
        label = INTENTS[intent]
        for one in utterances(stream, intent, part)[:2]:
            assert intents(one.text) == {label} and is_of(label)(one.text), one.text
            assert not is_of(INTENTS[intent - 1])(one.text)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one", "two"])
def test_the_solver_reads_the_intents_of_all_tests(name):
    wrong = [
        (one.text, intents(one.text))
        for intent, label in enumerate(INTENTS)
        for one in utterances(Stream(name), intent, "test")[::4]
        if intents(one.text) != {label}
    ]
    assert wrong == []


@pytest.mark.parametrize("text", ["", "x", "I want to {core}.", "Please " * 2_000, "\ud800", "[a|b]", "What is FM ?"])
def test_other_texts_have_no_intent(text):
    assert intents(text) == frozenset()


def test_a_prompt_is_read_back():
    one = draft(world(), 1, variant="world")
    reading = read_prompt(one.prompt)
    assert reading is not None and reading.asked == one.facts["question"] and reading.last == 165
    assert list(zip(reading.texts, reading.numbers, strict=True)) == shown(one)
    assert one.prompt.endswith(f"\n\n{one.facts['question']}\n")
    spans = [one.prompt[start:end] for start, end in one.evidence]
    assert spans and all(span.endswith(f"\nlabel: {one.answers[0]}") for span in spans)
    for damaged in (one.prompt[1:], one.prompt[:-1], one.prompt.replace("label: ", "label ", 3), one.prompt + "x\n"):
        assert read_prompt(damaged) is None


@pytest.mark.repeat
def test_cheap_strategies_are_far_from_right():
    scores: Counter = Counter()
    for item in range(40):
        one = draft(world(), item, 8_192, variant="world")
        held = row(one)
        for name, responses in TASK.guesses(one, Stream("guesses")).items():
            scores[name] += sum(METRICS["label"](text, held) for text in responses) / len(responses) / 40
    assert scores["any label"] == pytest.approx(1 / 166)
    assert scores["a most frequent label"] < 0.03 and scores["the last example's label"] < 0.1
    # Words in common find many, as a bag of words does; they must not find nearly all.
    assert scores["the label of the example with most words in common"] < 0.85
    assert scores["the label whose examples have most words in common"] < 0.9


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


_LABEL = re.compile(r"\nlabel: ([0-9]+)\n\n")


def blocks(draft: Draft) -> list[tuple[int, int, str, str]]:
    """Every example: where it starts, where its blank line ends, its text and its number."""
    start = draft.prompt.index("\n\n") + 2
    end = draft.prompt.rindex(ASKED)
    found = []
    for match in _LABEL.finditer(draft.prompt, start, end):
        found.append((start, match.end(), draft.prompt[start : match.start()], match[1]))
        start = match.end()
    return found


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def retold(draft: Draft, place: int, text: str, number: str) -> Draft:
    """The draft with another example at a place."""
    start, end, *_ = blocks(draft)[place]
    return edited(draft, start, end, f"{text}\nlabel: {number}\n\n")


def own(draft: Draft) -> list[int]:
    """The places of the examples of the asked label."""
    return [place for place, (*_, number) in enumerate(blocks(draft)) if number == draft.answers[0]]


def example_relabelled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example has the number of another label, or one that there is not: in the whole rounds and in the cut one."""
    shown, labels = blocks(draft), draft.facts["labels"]
    whole = draft.facts["rounds"] * labels
    for place in {0, whole // 2, own(draft)[0]}:
        *_, text, number = shown[place]
        yield retold(draft, place, text, str((int(number) + 1) % labels))
        yield retold(draft, place, text, str(labels))
    if len(shown) > whole + 1:
        yield retold(draft, len(shown) - 1, shown[-1][2], shown[-2][3])


def labels_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example of the asked label changes texts with its neighbour: the rounds stay whole."""
    shown = blocks(draft)
    for place in own(draft)[:2]:
        neighbour = place + 1 if place % draft.facts["labels"] + 1 < draft.facts["labels"] else place - 1
        if neighbour < len(shown):
            moved = retold(draft, place, shown[neighbour][2], shown[place][3])
            yield retold(moved, neighbour, shown[place][2], shown[neighbour][3])


def example_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example is missing: the first, the last, one of the asked label."""
    shown = blocks(draft)
    for place in {0, len(shown) - 1, own(draft)[0]}:
        start, end, *_ = shown[place]
        yield edited(draft, start, end, "")


def example_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example stands a second time: at the end, and in place of another one of its label, or of any label."""
    shown = blocks(draft)
    _, end, *_ = shown[-1]
    *_, text, number = shown[0]
    yield edited(draft, end, end, f"{text}\nlabel: {number}\n\n")
    again = [place for place, one in enumerate(shown) if one[3] == number][1:]
    for place in again[:1]:
        yield retold(draft, place, text, number)
    yield retold(draft, 1, text, shown[1][3])
    yield retold(draft, 1, text.upper() + "!", shown[1][3])


def question_among_examples(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The text that is asked stands among the examples of its label: as it is, and in other letters."""
    asked = draft.facts["question"]
    for text in (asked, asked.upper(), f"{asked}!"):
        yield retold(draft, own(draft)[0], text, draft.answers[0])


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, the record this one's."""
    end = len(draft.prompt) - 1
    if draft.facts["question"] != other.facts["question"]:
        yield edited(draft, end - len(draft.facts["question"]), end, other.facts["question"])


def question_and_record_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, in the record too: only a solver can tell."""
    if draft.facts["label"] != other.facts["label"]:
        for one in question_of_another(draft, other):
            yield with_facts(one, question=other.facts["question"])


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is another label."""
    for answer in {*other.answers, str((int(draft.answers[0]) + 1) % draft.facts["labels"])} - set(draft.answers):
        yield replace(draft, answers=(answer,))


def gold_and_evidence_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is another label, and the evidence its first example: only a solver can tell."""
    start, end, _, number = next(one for one in blocks(draft) if one[3] != draft.answers[0])
    yield replace(draft, answers=(number,), evidence=((start, end - 2),))


def gold_that_is_no_label(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is the name of the label, or a number that none has."""
    for answer in (str(draft.facts["labels"]), draft.facts["label"], f"0{draft.answers[0]}"):
        yield replace(draft, answers=(answer,))


def evidence_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The evidence is lost, or is an example of another label."""
    yield replace(draft, evidence=())
    start, end, *_ = next(one for one in blocks(draft) if one[3] != draft.answers[0])
    yield replace(draft, evidence=((start, end - 2),))


def record_wrong(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What the record counts is not what stands there."""
    for name in ("labels", "rounds", "examples", "distinct", "most"):
        yield with_facts(draft, **{name: draft.facts[name] + 1})


MUTANTS = (
    example_relabelled,
    labels_exchanged,
    example_lost,
    example_doubled,
    question_among_examples,
    question_of_another,
    question_and_record_of_another,
    gold_of_another,
    gold_and_evidence_of_another,
    gold_that_is_no_label,
    evidence_moved,
    record_wrong,
)
# Of real texts nothing but people says which label a text has.
UNSEEN = (labels_exchanged, question_and_record_of_another, gold_and_evidence_of_another)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------

LABELLED = ("trec_coarse", "trec_fine", "banking77", "clinc150", "nlu", "own")


def labelled() -> dict[str, str]:
    """A seventh of the world's intents, with 110 examples and 20 tests each, as a user's own table."""
    return {
        "labelled.jsonl": jsonl(
            {"text": utterance.text, "label": utterance.label, "part": part}
            for intent in range(0, len(INTENTS), 7)
            for part in ("demonstration", "test")
            for utterance in utterances(Stream("own labelled"), intent, part)[:110]
        )
    }


CASE = Case(
    variants=separate(*LABELLED, "world", "world_mixed", metric="label"),
    mutants=MUTANTS,
    unseen=UNSEEN,
    by_people=LABELLED,
    material=partial(material_of, laid_out=("body", "examples", "distinct", "most", "rounds")),
    # Numbers of labels are the same in both.
    shares_answers=True,
    # Of a label that is used up (of trec_fine in 4k tokens) the examples come again.
    params={name: {"repeat": True} for name in LABELLED},
    files={"own": Files("tables", labelled)},
)
