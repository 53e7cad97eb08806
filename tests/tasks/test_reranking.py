import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import pytest
from cases import Case, Files, jsonl, separate
from listings import is_part, question_asked
from mutants import edited
from retrieved import Inputs
from variants import question_row

from carrara.errors import BudgetError
from carrara.making.proofs import wrong_responses
from carrara.making.row_maker import TokenBudget
from carrara.row import canonical_json
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.tables import Passage, Question
from carrara.task import Draft, Item, Query, Search, Slot, plan_from_json, plan_json, plan_stream
from carrara.tasks.helmet.passages import WORDS, excerpt, holding, holds
from carrara.tasks.helmet.reranking.solver import ListedPassage, read
from carrara.tasks.helmet.reranking.task import ORDERS, TASK, Params
from carrara.tokens import load_tokenizer
from carrara.world.world import World

# The variants of people's judgements on those of the world: what their rows are proven of needs no solver.
SEARCH = dict.fromkeys(TASK.variants, Search("one_hop", judged=True))
VARIANTS = tuple(TASK.variants)
ITEMS = 8


@cache
def inputs(stream: str = "retrieved/1") -> Inputs:
    return Inputs(SEARCH, stream)


@cache
def budget(encoding: str = "o200k_base") -> TokenBudget:
    return TokenBudget(load_tokenizer(encoding))


def planned(variant: str, item: int, params: Params | None = None, given=None, stream: str = "retrieved/1"):
    key = plan_stream(TASK, stream, variant)
    return TASK.plan(params or Params(), Item("reranking", variant, item), given or inputs(stream), key)


def made(
    variant: str,
    item: int,
    length: int = 4_096,
    placement: int = 0,
    encoding: str = "o200k_base",
    params: Params | None = None,
    stream: str = "retrieved/1",
    given=None,
) -> Draft:
    plan = planned(variant, item, params, given, stream)
    slot = Slot(Item("reranking", variant, item), "x", length, item, placement, length)
    return TASK.render(plan, slot, given or inputs(stream), budget(encoding))


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


def passage(number: int, length: int = 60) -> Passage:
    stream = Stream("passage", number)
    # Of many lengths, as passages are; a word is two tokens, " so" one.
    body = " ".join(
        stream.sample([f"word{place}" for place in range(900)], length + stream.below(40))
    ) + " so" * stream.below(8)
    return Passage(f"p{number}", f"Title {number}" if number % 2 else "", f"Number {number} says {body}.")


def graded_run(grades: dict[int, int], ranked: int = 400, zeros: bool = False) -> Given:
    judged = sorted(grades, key=lambda number: (-grades[number], number))
    gold = tuple(passage(number) for number in judged if grades[number] >= 1 or zeros)
    query = Query(
        Question("q", "", "What is said?", ()), gold, {f"p{number}": grade for number, grade in grades.items()}
    )
    pool = [
        Query(
            Question(f"d{number}", "", f"What is example {number}?", ()),
            tuple(passage(10_000 + 10 * number + place) for place in range(4)),
            {f"p{10_000 + 10 * number + place}": 3 - place for place in range(4)},
        )
        for number in range(6)
    ]
    return Given([query], pool, [passage(number) for number in range(5_000, 5_000 + ranked)])


# --- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.repeat
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_are_full_to_the_token_and_proven(variant, encoding):
    for item in range(ITEMS):
        for placement in range(ORDERS if item < 2 else 1):
            draft = made(variant, item, placement=placement, encoding=encoding)
            assert budget(encoding).measure(draft.prompt) + draft.max_output_tokens == 4_096
            assert not list(TASK.audit(draft))
            if TASK.solvable(variant, "world"):
                assert TASK.solve(draft.prompt) == draft.answers


@pytest.mark.repeat
def test_longer_rows_are_proven():
    for placement in range(ORDERS):
        draft = made("world", placement, 32_768, placement)
        assert budget().measure(draft.prompt) + draft.max_output_tokens == 32_768
        assert not list(TASK.audit(draft)) and TASK.solve(draft.prompt) == draft.answers


@pytest.mark.repeat
def test_the_same_item_gives_the_same_row_and_another_stream_another():
    again = Inputs(SEARCH, "retrieved/1")
    assert made("world", 1) == made("world", 1, given=again)
    ours, twin = made("world", 1), made("world", 1, stream="retrieved/2")
    assert not {one.text for one in listed(ours)} & {one.text for one in listed(twin)}
    assert not {one.id for one in listed(ours)} & {one.id for one in listed(made("world", 2))}


def test_a_plan_is_small_and_survives_json():
    plan = planned("world", 3)
    assert plan_from_json(TASK.plan_type, plan_json(plan)) == plan
    assert sum(plan.judged.values()) == len(inputs().retrieved("reranking", "world").queries[3].grades)
    with pytest.raises(ValueError, match="item 999"):
        planned("world", 999)


def test_gold_scores_one_and_wrong_rankings_less():
    metric = METRICS[TASK.metrics[0]]
    for item in range(ITEMS):
        draft, other = made("world", item), made("world", item + 1)
        assert metric(draft.answers[0], row(draft)) == 1
        for name, response in wrong_responses(draft.prompt, draft.answers, other.answers).items():
            assert metric(response, row(draft)) < 1, name


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.repeat
def test_every_mutant_is_objected_to(variant):
    tried = Counter()
    for item in range(4):
        draft, other = made(variant, item), made(variant, item + 1)
        for mutant in MUTANTS:
            if mutant in UNSEEN and not TASK.solvable(variant, "world"):
                tried[mutant.__name__] += 1
                continue
            for damaged in mutant(draft, other):
                tried[mutant.__name__] += 1
                solved = not TASK.solvable(variant, "world") or TASK.solve(damaged.prompt) == damaged.answers
                assert not solved or list(TASK.audit(damaged)), mutant.__name__
    assert set(tried) == {mutant.__name__ for mutant in MUTANTS}


# --- the deal ---------------------------------------------------------------------------------------------------------


def test_every_grade_has_up_to_a_quarter_and_the_rest_is_of_grade_0():
    given = graded_run({number: 1 + number % 3 for number in range(90)})
    draft = made("msmarco", 0, 8_192, given=given)
    counts, shown = draft.facts["counts"], len(listed(draft))
    assert sum(counts.values()) == shown
    for grade in "123":
        # A few of grade 0 are left out again, so that the length is met.
        assert abs(counts[grade] - shown / 4) <= 2
    scarce = made("msmarco", 0, 8_192, given=graded_run({0: 3, 1: 2, 2: 2, **dict.fromkeys(range(3, 80), 1)}))
    assert (scarce.facts["counts"]["3"], scarce.facts["counts"]["2"]) == (1, 2)
    assert abs(scarce.facts["counts"]["1"] - len(listed(scarce)) / 4) <= 2


def test_what_was_judged_0_comes_before_what_nobody_judged():
    zeros = dict.fromkeys(range(100, 104), 0)
    draft = made("msmarco", 0, 8_192, given=graded_run({0: 3, 1: 2, **zeros}, zeros=True))
    assert draft.facts["counts"]["0"] == 4 and draft.facts["counts"]["unjudged"] > 10
    ranked = graded_run({0: 3, 1: 2, 5_000: 0, 5_001: 0})
    assert made("msmarco", 0, 8_192, given=ranked).facts["counts"]["0"] == 2


def test_graded_passages_of_the_run_come_by_the_deal_alone():
    given = graded_run(dict.fromkeys(range(5_000, 5_040), 3))
    draft = made("msmarco", 0, 4_096, given=given)
    assert abs(draft.facts["counts"]["3"] - len(listed(draft)) / 4) <= 2


def test_copies_of_graded_passages_are_left_out():
    given = graded_run({0: 3, 1: 2})
    original = passage(0)
    near = replace(original, id="near", text=original.text.replace("says", "tells") + " More.")
    same = replace(original, id="same", title="Another title")
    given._ranked[:0] = [near, same, replace(passage(7_777), id="kept")]
    # Long enough that what the fit leaves out is further down.
    shown = {one.text for one in listed(made("msmarco", 0, 16_384, given=given))}
    assert near.text not in shown and passage(7_777).text in shown
    assert sum(one.text == original.text for one in listed(made("msmarco", 0, 16_384, given=given))) == 1


def test_a_topic_without_a_grade_of_two_is_refused():
    with pytest.raises(ValueError, match="grade 2"):
        made("msmarco", 0, given=graded_run({0: 1, 1: 1}))


def test_a_run_that_is_too_short_is_refused():
    with pytest.raises(BudgetError):
        made("msmarco", 0, 32_768, given=graded_run({0: 3, 1: 2}, ranked=30))


def test_no_question_lacks_examples():
    given = graded_run({0: 3, 1: 2})
    given.demonstrations = given.demonstrations[:1]
    with pytest.raises(ValueError, match="demonstrations can be shown"):
        made("msmarco", 0, given=given)
    draft = made("msmarco", 0, given=given, params=Params(shots=0))
    assert read(draft.prompt) is not None and len(read(draft.prompt)) == 1 and not list(TASK.audit(draft))


# --- laws -------------------------------------------------------------------------------------------------------------


def test_a_shorter_row_is_part_of_a_longer_one():
    for item in range(3):
        small, large = (listed(made("world", item, length)) for length in (8_192, 32_768))
        kept = [one.text for one in large if one.text in {each.text for each in small}]
        # In the same order and with the same IDs, but for the last units, which are chosen to fit.
        assert len(small) - len(kept) <= 24 and kept == [one.text for one in small if one.text in set(kept)]
        ids = {one.text: one.id for one in large}
        assert all(ids[one.text] == one.id for one in small if one.text in ids)


def test_orders_differ_and_passages_are_the_same():
    rows = [made("world", 2, 8_192, placement) for placement in range(ORDERS)]
    orders = [[one.text for one in listed(draft)] for draft in rows]
    assert len({tuple(order) for order in orders}) == ORDERS
    assert all(len(set(orders[0]) - set(order)) <= 8 for order in orders)
    ids = [{one.id for one in listed(draft)} for draft in rows]
    assert not ids[0] & ids[1]


def test_ids_and_places_tell_no_grade():
    places, larger = [], 0
    for item in range(ITEMS):
        for placement in range(ORDERS):
            draft = made("world", item, placement=placement)
            ids = [one.id for one in listed(draft)]
            best = draft.answers[0].split(" > ")[0]
            places.append(ids.index(best) / len(ids))
            larger += best > sorted(ids)[len(ids) // 2]
    assert 0.3 < sum(places) / len(places) < 0.7 and min(places) < 0.25 and max(places) > 0.75
    assert 4 <= larger <= len(places) - 4


def test_two_tokenizers_deal_the_same():
    ours, theirs = (listed(made("world", 4, 8_192, encoding=name)) for name in ("o200k_base", "cl100k_base"))
    ids = [{one.id: one.text for one in shown} for shown in (ours, theirs)]
    shared = ids[0].keys() & ids[1].keys()
    assert len(shared) > 0.6 * len(ours) and all(ids[0][id_] == ids[1][id_] for id_ in shared)


# --- reading ----------------------------------------------------------------------------------------------------------


def test_worked_examples_are_right_and_short():
    pool = {one.question.text: one for one in inputs().retrieved("reranking", "world").demonstrations}
    for item in range(ITEMS):
        problems = read(made("world", item).prompt)
        assert problems is not None and len(problems) == 3
        for example in problems[:2]:
            query = pool[example.question]
            titles = {one.id: one for one in example.passages}
            first = titles[example.ranking[0]]
            assert 3 <= len(example.passages) <= 4
            assert holds(first.text, [name for names in query.question.answers for name in names])
            assert all(len(one.text.split()) <= 2 * WORDS for one in example.passages)
            assert not holds(
                f"{example.question} {first.text}", json.loads(row(made("world", item))["facts"])["accepted"]
            )


def test_solvers_are_total():
    draft = made("world", 0)
    for text in ("", "\n\n", "ID: 123456\n", "\ud800", draft.prompt[::-1], draft.prompt[: len(draft.prompt) // 2]):
        assert TASK.solve(text) == ()
    stream = Stream("damage")
    for _ in range(60):
        start, end = sorted(stream.below(len(draft.prompt)) for _ in range(2))
        assert isinstance(TASK.solve(draft.prompt[:start] + draft.prompt[end:]), tuple)
    assert zero(draft).id not in draft.answers[0]


def test_guesses_are_rankings_of_the_row():
    draft = made("world", 0)
    found = TASK.guesses(draft, Stream("guess"))
    assert set(found) == {"order of appearance", "reverse order", "random order", "BM25"}
    ids = [one.id for one in listed(draft)]
    assert found["order of appearance"][0].split(" > ") == ids[:10]
    assert all(set(text.split(" > ")) <= set(ids) for texts in found.values() for text in texts)
    # The words of the question stand in the passages about what is asked about.
    assert METRICS[TASK.metrics[0]](found["BM25"][0], row(draft)) > 0.5


@pytest.mark.parametrize(
    ("text", "names", "held"),
    [
        ("It was Beyoncé’s song.", ["beyonce"], True),
        ("He sold 1,200 copies.", ["1200"], True),
        ("He sold 11,200 copies.", ["1200"], False),
        ("In 1972.", ["97"], False),
        ("the O'Connor house", ["O’Connor"], True),
        ("Parisian", ["Paris"], False),
        ("anything", ["?!", ""], False),
        ("\ud800", ["\ud800"], False),
    ],
)
def test_names_are_found_on_word_boundaries(text, names, held):
    assert holds(text, names) is held
    assert holding([text, ""], [names, []]) == [[0] if held else [], []]


def test_excerpts_keep_what_matters():
    text = "Nothing much is here. " * 10 + "Then St. Louis won the cup. " + "And more follows here. " * 10
    one = Passage("a", "Title", text.strip())
    short = excerpt(one, names=["st louis"])
    assert "St. Louis won" in short.text and len(short.text.split()) <= WORDS + 5
    assert excerpt(Passage("b", "", "one long sentence " * 80)).text == "one long sentence " * 80


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


def listed(draft: Draft) -> tuple[ListedPassage, ...]:
    """The passages of the problem."""
    problems = read(draft.prompt)
    assert problems is not None
    return problems[-1].passages


def block(draft: Draft, passage: ListedPassage) -> tuple[int, int]:
    """Where a passage's block stands, its blank line included."""
    return draft.prompt.rindex(f"ID: {passage.id}\n", 0, passage.start), passage.end + 2


def best(draft: Draft) -> list[ListedPassage]:
    """The passages of the best grade."""
    return [one for one in listed(draft) if (one.start, one.end) in draft.evidence]


def zero(draft: Draft) -> ListedPassage:
    """The first passage that is not graded."""
    return next(one for one in listed(draft) if one.id not in draft.facts["grades"])


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage of the best grade is taken out: alone, and with what the facts say of it."""
    for number, passage in enumerate(best(draft)):
        kept = [span for place, span in enumerate(draft.evidence) if place != number]
        fewer = replace(draft, evidence=tuple(kept), depths=draft.depths[: len(kept)])
        left = changed(fewer, *block(draft, passage), "")
        yield left
        grades = {id_: grade for id_, grade in draft.facts["grades"].items() if id_ != passage.id}
        yield with_facts(left, grades=grades)


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage of the best grade comes again at the end under another ID, counted as one that nobody judged."""
    start, end = block(draft, best(draft)[0])
    again = draft.prompt[start:end].replace(f"ID: {best(draft)[0].id}", "ID: 100000")
    at = draft.facts["body"][1]
    counts = {**draft.facts["counts"], "unjudged": draft.facts["counts"]["unjudged"] + 1}
    yield with_facts(changed(draft, at, at, again), counts=counts)


def texts_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The best passage and one of grade 0 trade places and keep their IDs."""
    one, two = sorted((best(draft)[0], zero(draft)), key=lambda passage: passage.start)

    def content(passage: ListedPassage) -> str:
        return (f"Title: {passage.title}\n" if passage.title else "") + passage.text

    def place(passage: ListedPassage) -> tuple[int, int]:
        return passage.end - len(content(passage)), passage.end

    damaged = changed(changed(draft, *place(two), content(one)), *place(one), content(two))
    # The spans are those of the IDs that are graded, as they were.
    ends = {passage.id: (passage.start, passage.end) for passage in listed(damaged)}
    yield replace(damaged, evidence=tuple(ends[passage.id] for passage in best(draft)))


def id_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage wears the ID of another one: both the same, and the two exchanged."""
    one, two = best(draft)[0], zero(draft)
    at = block(draft, two)[0] + len("ID: ")
    double = changed(draft, at, at + len(two.id), one.id)
    yield double
    at = block(draft, one)[0] + len("ID: ")
    yield changed(double, at, at + len(one.id), two.id)


def id_lengthened(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An ID has a digit more than the others."""
    at = block(draft, zero(draft))[0] + len("ID: ")
    yield changed(draft, at, at, "1")


def made_relevant(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage of grade 0 is about what is asked about."""
    title, text = best(draft)[0].title, zero(draft)
    if title and title in draft.facts["question"] and text.title:
        start = block(draft, text)[0]
        at = draft.prompt.index("Title: ", start) + len("Title: ")
        yield changed(draft, at, at + len(text.title), title)


def ranking_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two neighbours of the gold trade places; one is left out; one of grade 0 is added."""
    ids = draft.answers[0].split(" > ")
    for number in range(len(ids) - 1):
        swapped = [*ids[:number], ids[number + 1], ids[number], *ids[number + 2 :]]
        yield replace(draft, answers=(" > ".join(swapped),))
    yield replace(draft, answers=(" > ".join(ids[1:]),))
    yield replace(draft, answers=(" > ".join([zero(draft).id, *ids[1:]]),))


def grade_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The facts grade a passage otherwise, not at all, or one that is not there."""
    grades = draft.facts["grades"]
    first = next(iter(grades))
    yield with_facts(draft, grades={**grades, first: grades[first] % 3 + 1})
    yield with_facts(draft, grades={**grades, first: 0})
    yield with_facts(draft, grades={**grades, "100000": 1})
    yield with_facts(draft, grades={id_: grade for id_, grade in grades.items() if id_ != first})
    yield with_facts(draft, counts={**draft.facts["counts"], "0": draft.facts["counts"]["0"] + 1})


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another item's question is asked of these passages: in the prompt, in the facts."""
    at = draft.facts["body"][1] + len("Question: ")
    asked = edited(draft, at, at + len(draft.facts["question"]), other.facts["question"])
    if other.facts["question"] != draft.facts["question"]:
        yield asked
        yield with_facts(draft, question=other.facts["question"])


def question_of_another_throughout(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another item's question is asked of these passages, and the facts agree."""
    at = draft.facts["body"][1] + len("Question: ")
    if other.facts["question"] != draft.facts["question"]:
        asked = edited(draft, at, at + len(draft.facts["question"]), other.facts["question"])
        yield with_facts(asked, question=other.facts["question"])


def example_gives_away(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A worked example names the answer, ranks a passage that it has not, or shows one of the problem."""
    problems = read(draft.prompt)
    assert problems is not None and len(problems) == 3
    passage = problems[0].passages[0]
    for name in draft.facts["accepted"][:1]:
        yield changed(draft, passage.end, passage.end, f" It was {name}.")
    yield changed(draft, passage.start, passage.end, zero(draft).text)
    at = draft.prompt.index("Ranking: ", problems[0].passages[-1].end) + len("Ranking: ")
    yield changed(draft, at, at + 6, "100000")


MUTANTS = (
    evidence_removed,
    evidence_doubled,
    texts_exchanged,
    id_exchanged,
    id_lengthened,
    made_relevant,
    ranking_exchanged,
    grade_changed,
    question_of_another,
    question_of_another_throughout,
    example_gives_away,
)
# What only a solver sees.
UNSEEN = (texts_exchanged, made_relevant, question_of_another_throughout)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------


def own_tables() -> dict[str, str]:
    """A world's passages, questions and their grades as a user's own tables."""
    world = World("own/1")
    judged = list(world.judgements("en", 120))
    return {
        "passages.jsonl": jsonl(map(asdict, world.passages("en"))),
        "questions.jsonl": jsonl(question_row(question) for question, _ in judged),
        "judgements.jsonl": jsonl(asdict(judgement) for _, judgements in judged for judgement in judgements),
    }


CASE = Case(
    variants=separate("msmarco", "world", "own", metric="ndcg@10"),
    mutants=MUTANTS,
    unseen=UNSEEN,
    by_people=("msmarco", "own"),
    material=question_asked,
    part=is_part,
    files={"own": Files("tables", own_tables)},
)
