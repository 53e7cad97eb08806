import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from cases import Case, Files, jsonl, separate
from listings import is_part, question_asked
from mutants import edited
from retrieved import Inputs
from variants import question_row

from carrara.errors import BudgetError, ProofError
from carrara.making.proofs import wrong_responses
from carrara.making.row_maker import TokenBudget
from carrara.row import canonical_json
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.tables import Passage, Question
from carrara.task import Draft, Item, Query, Search, Slot, plan_from_json, plan_json, plan_stream
from carrara.tasks.helmet.citations.solver import Numbered, read
from carrara.tasks.helmet.citations.task import TASK, Params
from carrara.tokens import load_tokenizer
from carrara.world.world import World

# Variants of people's questions on those of the world: an answer is supported where it is named.
SEARCH = {name: variant.search for name, variant in TASK.variants.items()}
SEARCH |= {"asqa": Search("ambiguous"), "qampari": Search("list"), "own": Search("list")}
VARIANTS = tuple(TASK.variants)
# Of all variants, those of the code paths of the first as `repeat`.
ONE_OF_ALL = pytest.mark.parametrize(
    "variant", [VARIANTS[0], *(pytest.param(variant, marks=pytest.mark.repeat) for variant in VARIANTS[1:])]
)
ITEMS = 8


@cache
def inputs(stream: str = "retrieved/1") -> Inputs:
    return Inputs(SEARCH, stream)


@cache
def budget(encoding: str = "o200k_base") -> TokenBudget:
    return TokenBudget(load_tokenizer(encoding))


def planned(variant: str, item: int, params: Params | None = None, given=None, stream: str = "retrieved/1"):
    key = plan_stream(TASK, stream, variant)
    return TASK.plan(params or Params(), Item("citations", variant, item), given or inputs(stream), key)


def made(
    variant: str,
    item: int,
    length: int = 4_096,
    encoding: str = "o200k_base",
    params: Params | None = None,
    stream: str = "retrieved/1",
    given=None,
) -> Draft:
    plan = planned(variant, item, params, given, stream)
    slot = Slot(Item("citations", variant, item), "x", length, item, 0, length)
    return TASK.render(plan, slot, given or inputs(stream), budget(encoding))


@cache
def answerable(variant: str, stream: str = "retrieved/1", params: Params | None = None) -> list[int]:
    """The first items whose smallest row holds an answer."""
    found = []
    for item in range(4 * ITEMS):
        try:
            made(variant, item, stream=stream, params=params)
        except ProofError:
            continue
        found.append(item)
        if len(found) == ITEMS + 1:
            break
    return found


def row(draft: Draft) -> dict:
    return {"facts": canonical_json(draft.facts), "prompt": draft.prompt, "answers": list(draft.answers)}


class Given:
    """A run of passages written here."""

    def __init__(self, queries, demonstrations, ranked):
        self.queries, self.demonstrations, self._ranked = queries, demonstrations, ranked

    def retrieved(self, task, variant):
        return self

    def ranked(self, item, count):
        if count > len(self._ranked):
            raise BudgetError(f"the run holds {len(self._ranked)}")
        return self._ranked[:count]


def passage(number: int, said: str = "", length: int = 60) -> Passage:
    stream = Stream("passage", number)
    # Of many lengths, as passages are; a word is two tokens, " so" one.
    body = " ".join(
        stream.sample([f"word{place}" for place in range(900)], length + stream.below(40))
    ) + " so" * stream.below(8)
    return Passage(f"p{number}", f"Title {number}", f"It is told here that {said or 'nobody'} did. More {body}.")


def asked(text: str, answers: list[tuple[str, ...]], readings: list[str], ranked: list[Passage]) -> Given:
    question = Question(
        "q", "", text, tuple(answers), readings=tuple(Question("r", "", one, (answers[0],)) for one in readings)
    )
    pool = []
    for number in range(8):
        names = tuple((f"Person{number} {letter}",) for letter in "XY")
        told = tuple(Question("r", "", f"Who was {letter} of example {number}?", (names[0],)) for letter in "XY")
        pool.append(
            Query(
                Question(f"d{number}", "", f"Who did example {number}?", names, readings=told if readings else ()),
                tuple(passage(9_000 + 10 * number + place, name[0]) for place, name in enumerate(names)),
            )
        )
    return Given([Query(question)], pool, ranked)


# --- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.repeat
def test_rows_are_full_to_the_token_and_proven(variant):
    for item in answerable(variant)[:ITEMS]:
        for encoding in ("o200k_base", "cl100k_base"):
            try:
                draft = made(variant, item, encoding=encoding)
            except ProofError:
                continue
            assert budget(encoding).measure(draft.prompt) + draft.max_output_tokens == 4_096
            assert not list(TASK.audit(draft))
            if TASK.solvable(variant, "world"):
                assert TASK.solve(draft.prompt) == draft.answers
    assert len(answerable(variant)) == ITEMS + 1


@pytest.mark.parametrize(
    "variant", ["world_readings", *(pytest.param(one, marks=pytest.mark.repeat) for one in ("world_list", "qampari"))]
)
def test_longer_rows_are_proven(variant):
    item = answerable(variant)[0]
    draft = made(variant, item, 32_768)
    assert budget().measure(draft.prompt) + draft.max_output_tokens == 32_768
    assert not list(TASK.audit(draft))
    assert draft.complexity >= made(variant, item).complexity
    if TASK.solvable(variant, "world"):
        assert TASK.solve(draft.prompt) == draft.answers


@pytest.mark.repeat
def test_the_same_item_gives_the_same_row_and_another_stream_another():
    item = answerable("world_list")[0]
    assert made("world_list", item) == made("world_list", item, given=Inputs(SEARCH, "retrieved/1"))
    twin = made("world_list", answerable("world_list", "retrieved/2")[0], stream="retrieved/2")
    ours = made("world_list", item)
    assert not {one.text for one in passages(ours)} & {one.text for one in passages(twin)}


def test_a_plan_is_small_and_survives_json():
    plan = planned("world_readings", 0)
    assert plan_from_json(TASK.plan_type, plan_json(plan)) == plan
    with pytest.raises(ValueError, match="item 999"):
        planned("world_readings", 999)


@ONE_OF_ALL
def test_gold_scores_one_and_wrong_answers_less(variant):
    metric = METRICS[TASK.metrics[0]]
    items = answerable(variant)
    for item, another in pairwise(items):
        draft, other = made(variant, item), made(variant, another)
        assert metric(draft.answers[0], row(draft)) == 1
        for name, response in wrong_responses(draft.prompt, draft.answers, other.answers).items():
            assert metric(response, row(draft)) < 1, (name, response[:200])


@ONE_OF_ALL
def test_every_mutant_is_objected_to(variant):
    tried = Counter()
    items = answerable(variant)
    for item, another in pairwise(items[:5]):
        draft, other = made(variant, item), made(variant, another)
        for mutant in MUTANTS:
            if mutant in UNSEEN and not TASK.solvable(variant, "world"):
                tried[mutant.__name__] += 1
                continue
            for damaged in mutant(draft, other):
                tried[mutant.__name__] += 1
                solved = not TASK.solvable(variant, "world") or TASK.solve(damaged.prompt) == damaged.answers
                assert not solved or list(TASK.audit(damaged)), mutant.__name__
    assert set(tried) == {mutant.__name__ for mutant in MUTANTS}


# --- passages ---------------------------------------------------------------------------------------------------------


def test_passages_stand_as_they_rank_and_nothing_is_put_in():
    for variant in ("world_list", "world_readings"):
        item = answerable(variant)[1]
        shown = [one.text for one in passages(made(variant, item, 32_768))]
        ranked = [one.text for one in inputs().retrieved("citations", variant).ranked(item, len(shown) + 40)]
        assert [text for text in ranked if text in set(shown)] == shown
        # Left out are but a few of the last.
        assert shown[:100] == ranked[:100] and len(shown) > 150


def test_numbers_beyond_a_thousand_fill_a_row_to_the_token():
    ranked = [passage(number, "Ada Quill" if number == 3 else "", 20) for number in range(1_600)]
    given = asked("Who did it?", [("Ada Quill",)], [], ranked)
    draft = made("qampari", 0, 110_000, given=given, params=Params(shots=0))
    assert draft.facts["passages"] > 1_010
    assert budget().measure(draft.prompt) + draft.max_output_tokens == 110_000
    assert not list(TASK.audit(draft))


# --- answers ----------------------------------------------------------------------------------------------------------


def test_a_question_without_an_answer_in_its_row_is_refused():
    given = asked("Who did it?", [("Ada Quill",)], [], [passage(number) for number in range(80)])
    with pytest.raises(ProofError, match="no answer in the best"):
        made("qampari", 0, given=given)


def test_answers_of_real_questions_are_supported_where_they_are_named():
    ranked = [passage(number) for number in range(80)]
    ranked[2], ranked[5], ranked[7] = passage(2, "ADA QUILL"), passage(5, "Adamson"), passage(7, "Ben Orr")
    given = asked("Who did it?", [("A. Quill", "Ada Quill"), ("Adam",), ("Ben Orr",), ("The",)], [], ranked)
    draft = made("qampari", 0, 8_192, given=given)
    assert draft.facts["support"] == [[3], [], [8], []]
    assert draft.facts["evidence_inside"] == [True, False, True, False]
    # The name as the cited passage has it.
    assert draft.answers == ("Ada Quill [3], Ben Orr [8].",)
    assert draft.complexity == 2 and METRICS[TASK.metrics[0]](draft.answers[0], row(draft)) == 1


def test_statements_of_real_questions_quote_what_each_reading_asks():
    ranked = [passage(number) for number in range(80)]
    ranked[1], ranked[4] = passage(1, "Washington, D.C."), passage(4, "Ben Orr")
    readings = ["Where did Mr. Dale of the U.S. go?", "Whom did Dale, not Ben Orr, see?"]
    given = asked("Where?", [("Washington, D.C.",), ("Ben Orr",)], readings, ranked)
    draft = made("asqa", 0, 8_192, given=given)
    assert draft.answers[0].startswith("Asked “Where did Mr Dale of the U.S go”, the answer is Washington, D.C. [2].")
    assert METRICS[TASK.metrics[0]](draft.answers[0], row(draft)) == 1
    # A reading that names another answer is not quoted: its passage does not support that one.
    given = asked("Where?", [("Washington, D.C.",), ("Ben Orr",)], [readings[1], readings[0]], ranked)
    draft = made("asqa", 0, 8_192, given=given)
    assert draft.answers[0].startswith("One answer is Washington, D.C. [2].")
    assert METRICS[TASK.metrics[0]](draft.answers[0], row(draft)) == 1


def test_a_long_list_gets_the_output_that_it_needs():
    names = [f"Person of the Long Name Number {number}" for number in range(100, 200)]
    ranked = [passage(number, name, 30) for number, name in enumerate(names)]
    ranked += [passage(number, "", 30) for number in range(1_000, 1_400)]
    draft = made("qampari", 0, 32_768, given=asked("Who?", [(name,) for name in names], [], ranked))
    gold = budget().count(draft.answers[0])
    assert draft.complexity == 100 and draft.max_output_tokens >= 1.05 * gold > 512
    assert budget().measure(draft.prompt) + draft.max_output_tokens == 32_768
    assert not list(TASK.audit(draft))


def test_a_reading_is_inside_only_where_the_passages_say_that_it_is_one():
    for item in answerable("world_readings"):
        draft = made("world_readings", item, 8_192)
        titles = {one.title for one in passages(draft)}
        question = inputs().retrieved("citations", "world_readings").queries[item].question
        for reading, is_inside in zip(question.readings, draft.facts["evidence_inside"], strict=True):
            assert not is_inside or any(title in reading.text for title in titles)


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_worked_examples_are_right(variant):
    draft = made(variant, answerable(variant)[0])
    reading = read(draft.prompt)
    assert reading is not None and len(reading.examples) == 2
    pool = {one.question.text: one for one in inputs().retrieved("citations", variant).demonstrations}
    for example in reading.examples:
        names = [name for group in pool[example.question].question.answers for name in group]
        assert sum(name in example.response for name in names) >= 2
        assert len(example.passages) > example.response.count("[")
    without = Params(shots=0)
    none = made(variant, answerable(variant, params=without)[0], params=without)
    assert read(none.prompt) is not None and not read(none.prompt).examples and not list(TASK.audit(none))


def test_demonstrations_that_hold_an_answer_are_not_shown():
    ranked = [passage(3, "Person0 X"), *(passage(number) for number in range(100, 180))]
    given = asked("Who?", [("Person0 X",), ("Person1 Y",), ("Person2 X",)], [], ranked)
    plan = planned("qampari", 0, given=given)
    assert set(plan.demonstrations) <= {3, 4, 5, 6} and len(plan.demonstrations) == 2
    given.demonstrations = given.demonstrations[:3]
    with pytest.raises(ValueError, match="demonstrations can be shown"):
        planned("qampari", 0, given=given)


def test_solvers_are_total():
    draft = made("world_list", answerable("world_list")[0])
    for text in ("", "\n\n", "[1] a\nb\n\n", "\ud800", draft.prompt[::-1], draft.prompt[: len(draft.prompt) // 2]):
        assert TASK.solve(text) == ()
    stream = Stream("damage")
    for _ in range(60):
        start, end = sorted(stream.below(len(draft.prompt)) for _ in range(2))
        assert isinstance(TASK.solve(draft.prompt[:start] + draft.prompt[end:]), tuple)


def test_guesses_cite_the_first_passage_and_score_low():
    metric = METRICS[TASK.metrics[0]]
    scores: dict[str, list[float]] = {}
    for variant in ("world_list", "world_readings"):
        for item in answerable(variant):
            draft = made(variant, item)
            for name, texts in TASK.guesses(draft, Stream("guess")).items():
                assert all(text.endswith("[1].") for text in texts)
                scores.setdefault(name, []).append(metric(texts[0], row(draft)))
    assert set(scores) == {"the question's words", "first sentence", "most frequent phrase"}
    assert all(sum(values) / len(values) < 0.3 for values in scores.values())


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def changed(draft: Draft, start: int, end: int, text: str) -> Draft:
    """The draft with prompt[start:end] replaced, its spans and the end of its passages moved."""
    shift = len(text) - (end - start)
    low, high = draft.facts["body"]
    body = [low + shift if low >= end else low, high + shift if high >= end else high]
    return with_facts(edited(draft, start, end, text), body=body)


def passages(draft: Draft) -> tuple[Numbered, ...]:
    """The passages of the problem."""
    reading = read(draft.prompt)
    assert reading is not None
    return reading.asked.passages


def cited(draft: Draft) -> list[Numbered]:
    """The passages that the gold cites."""
    return [one for one in passages(draft) if (one.start, one.end) in draft.evidence]


def idle(draft: Draft) -> Numbered:
    """The first passage that supports nothing."""
    used = {number for numbers in draft.facts["support"] for number in numbers}
    return next(one for one in passages(draft) if one.number not in used)


def titled(draft: Draft, one: Numbered) -> tuple[int, int]:
    """Where a passage's title and text stand."""
    return one.start - len(one.title) - 1, one.end


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A cited passage is taken out with its number, or says what a passage of another item says."""
    theirs = idle(other)
    for one in cited(draft):
        start, end = titled(draft, one)
        yield changed(draft, start - len(f"[{one.number}] "), end + 2, "")
        # By chance the other item may show the very passage.
        if draft.prompt[start:end] != (instead := f"{theirs.title}\n{theirs.text}"):
            yield changed(draft, start, end, instead)


def passages_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A cited passage and one that supports nothing trade places; the numbers stay in order."""
    one, two = sorted((cited(draft)[0], idle(draft)), key=lambda passage: passage.start)
    contents = [draft.prompt[slice(*titled(draft, passage))] for passage in (one, two)]
    yield changed(changed(draft, *titled(draft, two), contents[0]), *titled(draft, one), contents[1])


def passage_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A cited passage comes again at the end."""
    one, at = cited(draft)[0], draft.facts["body"][1]
    last = passages(draft)[-1].number + 1
    again = f"[{last}] {draft.prompt[slice(*titled(draft, one))]}\n\n"
    yield with_facts(changed(draft, at, at, again), passages=last)


def number_skipped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Passages are numbered with a gap, from 0, or two alike."""
    last = passages(draft)[-1]
    at = titled(draft, last)[0] - len(f"[{last.number}] ")
    for number in (last.number + 1, last.number - 1, 0):
        yield changed(draft, at, at + len(f"[{last.number}]"), f"[{number}]")


def answer_misspelt(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The only passage that states an answer says something else."""
    for names, numbers, inside in zip(
        *(draft.facts[key] for key in ("answers", "support", "evidence_inside")), strict=True
    ):
        if inside and len(numbers) == 1:
            one = passages(draft)[numbers[0] - 1]
            start, end = titled(draft, one)
            text = draft.prompt[start:end]
            for name in names:
                text = re.sub(re.escape(name), "Zzyx 7", text, flags=re.IGNORECASE)
            if text != draft.prompt[start:end]:
                yield changed(draft, start, end, text)


def gold_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold cites another passage, leaves an answer out, says one twice, or has them in another order."""
    (gold,) = draft.answers
    first = re.search(r"\[(\d+)\]", gold)
    assert first is not None
    yield replace(draft, answers=(gold.replace(first[0], f"[{idle(draft).number}]", 1),))
    yield replace(draft, answers=(gold[: first.start()].rstrip() + gold[first.end() :],))
    parts = re.findall(r"(?:, |^| )(.+?\[\d+\][.,]?)", gold)
    joint = " " if draft.facts["kind"] == "statements" else ", "
    parts = [part.rstrip(",") if joint == ", " else part for part in parts]
    yield replace(draft, answers=(joint.join([*parts, parts[0]]),))
    if len(parts) > 1:
        yield replace(draft, answers=(joint.join(parts[1:]),))


def facts_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The facts say another support, or that what is inside is not."""
    support, inside = draft.facts["support"], draft.facts["evidence_inside"]
    number = inside.index(True)
    for wrong in ([], [idle(draft).number], [0], [len(passages(draft)) + 1]):
        yield with_facts(draft, support=[*support[:number], wrong, *support[number + 1 :]])
    yield with_facts(draft, evidence_inside=[*inside[:number], False, *inside[number + 1 :]])
    yield replace(draft, complexity=draft.complexity + 1)
    yield with_facts(draft, support=support[1:])


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another item's question is asked of these passages: in the prompt, in the facts."""
    at = draft.facts["body"][1] + len("Question: ")
    yield edited(draft, at, at + len(draft.facts["question"]), other.facts["question"])
    yield with_facts(draft, question=other.facts["question"])


def question_of_another_throughout(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another item's question is asked of these passages, and the facts agree."""
    at = draft.facts["body"][1] + len("Question: ")
    asked = edited(draft, at, at + len(draft.facts["question"]), other.facts["question"])
    yield with_facts(asked, question=other.facts["question"])


def example_gives_away(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A worked example names an answer, shows a passage of the problem, or cites what it has not."""
    reading = read(draft.prompt)
    assert reading is not None and len(reading.examples) == 2
    one = reading.examples[0].passages[0]
    for name in draft.facts["accepted"][:1]:
        yield changed(draft, one.end, one.end, f" It was {name}.")
    yield changed(draft, one.start, one.end, idle(draft).text)
    answer = draft.prompt.index("Answer: ", one.end)
    mark = re.compile(r"\[\d+\]").search(draft.prompt, answer)
    assert mark is not None
    yield changed(draft, *mark.span(), "[77]")


MUTANTS = (
    evidence_removed,
    passages_exchanged,
    passage_doubled,
    number_skipped,
    answer_misspelt,
    gold_changed,
    facts_changed,
    question_of_another,
    question_of_another_throughout,
    example_gives_away,
)
# What only a solver sees.
UNSEEN = (question_of_another_throughout,)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------


def own_tables() -> dict[str, str]:
    """A world's passages and questions of many answers as a user's own tables."""
    world = World("own/1")
    return {
        "passages.jsonl": jsonl(map(asdict, world.passages("en"))),
        "questions.jsonl": jsonl(map(question_row, world.questions("en", "list", 120))),
    }


CASE = Case(
    variants=separate("asqa", "qampari", "world_readings", "world_list", "own", metric="citations"),
    mutants=MUTANTS,
    unseen=UNSEEN,
    by_people=("asqa", "qampari", "own"),
    material=question_asked,
    part=is_part,
    files={"own": Files("tables", own_tables)},
    few=("asqa", "qampari"),
)
