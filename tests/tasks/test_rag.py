import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache, partial
from typing import Any

import pytest
from cases import Case, Files, jsonl, material_of, separate
from mutants import edited
from retrieved import DEMONSTRATIONS, Inputs, with_answer
from variants import question_row

from carrara.errors import SourceError
from carrara.making.proofs import prove, wrong_responses
from carrara.making.row_maker import TokenBudget
from carrara.row import Row, canonical_json
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.task import Draft, Item, Query, Slot, plan_from_json, plan_json, plan_stream
from carrara.tasks.helmet.gold_checks import plain, sought
from carrara.tasks.helmet.rag.checks import best_passage, commonest_name
from carrara.tasks.helmet.rag.solver import of_kinds, read_prompt
from carrara.tasks.helmet.rag.task import LATENT_TOKENS, TASK, TWO_GOLDS, Params
from carrara.tokens import load_tokenizer
from carrara.world.world import World

# Real variants on questions of the world: what their rows are proven of needs no solver.
_WORLD_KINDS = {"own": "one_hop", "hotpotqa": "bridge"}
SEARCH = {
    name: replace(variant.search, kind=_WORLD_KINDS.get(name, variant.search.kind))
    for name, variant in TASK.variants.items()
}
VARIANTS = ("world", "world_two_hop", "world_latent", "own", "hotpotqa")
ITEMS = 8


@cache
def inputs(stream: str = "retrieved/1") -> Inputs:
    return Inputs(SEARCH, stream)


@cache
def budget(encoding: str = "o200k_base") -> TokenBudget:
    return TokenBudget(load_tokenizer(encoding))


def planned(variant: str, item: int, params: Params | None = None, given=None, stream: str = "retrieved/1"):
    found = given or inputs(stream)
    key = plan_stream(TASK, stream, variant)
    return TASK.plan(params or Params(), Item("rag", variant, item), found, key)


def made(variant, item, length=4_096, placement=0, encoding="o200k_base", params=None, stream="retrieved/1") -> Draft:
    plan = planned(variant, item, params, stream=stream)
    slot = Slot(Item("rag", variant, item), "x", length, item, placement, length)
    return TASK.render(plan, slot, inputs(stream), budget(encoding))


def table(draft: Draft, encoding: str = "o200k_base") -> dict:
    row = Row(
        id="rag",
        item="rag",
        task="rag",
        variant="world",
        bucket="x",
        tokens=budget(encoding).measure(draft.prompt),
        max_output_tokens=draft.max_output_tokens,
        metric=TASK.metrics[0],
        answers=draft.answers,
        choices=(),
        complexity=draft.complexity,
        group="rag",
        depths=draft.depths,
        evidence=draft.evidence,
        facts=canonical_json(draft.facts),
        answer_prefix="Answer:",
        prompt=draft.prompt,
    )
    return row.to_arrow()


def findings(draft: Draft, variant: str, length: int, encoding: str = "o200k_base") -> list:
    slot = Slot(Item("rag", variant, 0), "x", length, 0, 0, length)
    row, count = table(draft, encoding), budget(encoding).count
    return list(prove(TASK, draft, row, slot, True, count, TASK.variants[variant].source))


def shown(draft: Draft) -> list[str]:
    return [draft.prompt[start:stop] for start, stop in blocks(draft)]


def others(draft: Draft) -> list[str]:
    """The passages but for the golds, in order."""
    held = set(golds(draft))
    return [block for place, block in enumerate(shown(draft)) if place not in held]


def is_part(some: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(one in rest for one in some)


# --- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.repeat
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_placement_is_proven_and_fills_its_length_to_the_token(variant, encoding):
    for item in range(ITEMS):
        for placement in range(TASK.placements(Params(), variant)):
            draft = made(variant, item, 4_096, placement, encoding)
            assert findings(draft, variant, 4_096, encoding) == []
            assert budget(encoding).measure(draft.prompt) == 4_096 - 64
    for placement in range(TASK.placements(Params(), variant)):
        draft = made(variant, 0, 32_768, placement, encoding)
        assert findings(draft, variant, 32_768, encoding) == []
        assert budget(encoding).measure(draft.prompt) == 32_768 - 64 and draft.facts["passages"] > 150


def test_one_gold_has_six_positions_and_two_have_three_orders():
    assert [TASK.placements(Params(), variant) for variant in TASK.variants] == [6, 6, 6, 3, 6, 3, 3, 6]
    assert TASK.placements(Params(positions=3, orders=5), "world") == 3
    assert TASK.placements(Params(positions=3, orders=5), "hotpotqa") == 5


@pytest.mark.parametrize("variant", ["world", "own"])
@pytest.mark.parametrize("length", [4_096, 32_768])
@pytest.mark.repeat
def test_the_gold_stands_evenly_from_first_to_last(variant, length):
    for item in range(3):
        drafts = [made(variant, item, length, placement) for placement in range(6)]
        count = drafts[0].facts["passages"]
        wanted = [int(placement * (count - 1) / 5 + 0.5) for placement in range(6)]
        assert [golds(draft) for draft in drafts] == [[place] for place in wanted]
        assert wanted[0] == 0 and wanted[5] == count - 1
        # The same passages, the others in the order of the search.
        assert len({tuple(others(draft)) for draft in drafts}) == 1
        for placement, draft in enumerate(drafts):
            kept = shown(draft)
            costs = [budget().count(block) for block in kept]
            assert draft.depths == (round(sum(costs[: wanted[placement]]) / sum(costs), 6),)
            (span,) = draft.evidence
            assert kept[wanted[placement]].endswith(f"\n{draft.prompt[span[0] : span[1]]}\n\n")


@pytest.mark.parametrize("variant", ["world_two_hop", pytest.param("hotpotqa", marks=pytest.mark.repeat)])
def test_two_golds_stand_in_three_orders_of_the_same_passages(variant):
    for item in range(3):
        drafts = [made(variant, item, 8_192, placement) for placement in range(3)]
        assert len({tuple(sorted(shown(draft))) for draft in drafts}) == 1
        assert len({tuple(shown(draft)) for draft in drafts}) == 3
        assert len({tuple(golds(draft)) for draft in drafts}) > 1
        assert all(draft.complexity == len(draft.evidence) == len(draft.depths) == 2 for draft in drafts)


@pytest.mark.parametrize(
    "variant", ["world", "world_two_hop", *(pytest.param(one, marks=pytest.mark.repeat) for one in ("hotpotqa", "own"))]
)
def test_a_smaller_row_is_part_of_a_larger_one_and_best_ranks_stay(variant):
    found = inputs().retrieved("rag", variant)
    for item in range(4):
        for placement in range(3):
            small, large = made(variant, item, 4_096, placement), made(variant, item, 32_768, placement)
            assert is_part(others(small), others(large))
            if variant in TWO_GOLDS:
                assert is_part(shown(small), shown(large))
            assert small.answers == large.answers and len(others(small)) > 10
        shown_first = [found.demonstrations[number] for number in planned(variant, item).demonstrations]
        demonstrated = {one.id for query in shown_first for one in query.gold}
        ranked = [one.text for one in found.ranked(item, 60) if one.id not in demonstrated]
        ranks = sorted(ranked.index(block.split("\n")[1]) for block in others(made(variant, item, 4_096)))
        # A few of the last ranks alone are left out.
        assert ranks[:8] == list(range(8)) and ranks[-1] < len(ranks) + 22


@pytest.mark.repeat
def test_another_tokenizer_and_another_length_ask_the_same():
    for variant in VARIANTS:
        for item in range(3):
            drafts = [made(variant, item), made(variant, item, 8_192), made(variant, item, encoding="cl100k_base")]
            told = [
                {name: draft.facts[name] for name in ("question", "question_id", "accepted", "gold", "gold_sha256")}
                for draft in drafts
            ]
            assert told[0] == told[1] == told[2]
            assert len({draft.answers for draft in drafts}) == 1
            assert len({draft.prompt[: draft.facts["body"][0]] for draft in drafts}) == 1


@pytest.mark.repeat
def test_rows_are_the_same_twice():
    for variant in VARIANTS:
        assert made(variant, 1, 4_096, 2) == made(variant, 1, 4_096, 2)


@pytest.mark.repeat
def test_a_twin_shares_nothing():
    ours, twin = ([made("world", item, stream=stream) for item in range(4)] for stream in ("retrieved/1", "twin/1"))
    assert not {one.facts["question"] for one in ours} & {one.facts["question"] for one in twin}
    assert not {block for one in ours for block in shown(one)} & {block for one in twin for block in shown(one)}


@pytest.mark.parametrize("variant", ["world", pytest.param("own", marks=pytest.mark.repeat)])
def test_a_row_says_what_its_metric_and_its_reader_need(variant):
    draft = made(variant, 3)
    facts = draft.facts
    start, end = facts["body"]
    assert draft.prompt[start:].startswith("Title: ") and draft.prompt[end - 2 : end] == "\n\n"
    assert facts["passages"] == len(shown(draft)) == draft.prompt[start:end].count("\n\n")
    assert draft.prompt[end:].split("\n")[2] == f"Question: {facts['question']}"
    assert draft.prompt.count("“Answer: ANSWER”") == draft.prompt.splitlines()[-1].count("“Answer: ANSWER”") == 1
    assert set(draft.answers) <= set(facts["accepted"])
    query = inputs().retrieved("rag", variant).queries[3]
    assert facts["question_id"] == query.question.id and set(query.question.answers[0]) <= set(facts["accepted"])


@pytest.mark.parametrize(
    "variant", ["world", *(pytest.param(one, marks=pytest.mark.repeat) for one in VARIANTS if one != "world")]
)
def test_the_gold_scores_and_wrong_answers_do_not(variant):
    drafts = [made(variant, item) for item in range(ITEMS)]
    for draft, other in zip(drafts, [*drafts[1:], drafts[0]], strict=True):
        row = table(draft)
        for answer in (*draft.answers, *draft.facts["accepted"]):
            assert METRICS["subem"](answer, row) == METRICS["subem"](f"It is {answer}.", row) == 1
        wrong = wrong_responses(draft.prompt, draft.answers, other.answers, draft.facts["accepted"])
        for name, response in wrong.items():
            assert METRICS["subem"](response, row) == 0, name


# --- plan -------------------------------------------------------------------------------------------------------------


def test_a_plan_is_small_and_survives_json():
    for variant in VARIANTS:
        for item in range(ITEMS):
            text = plan_json(planned(variant, item))
            assert plan_from_json(TASK.plan_type, text) == planned(variant, item)
            assert len(text) < 1_000


def test_demonstrations_are_two_drawn_by_key_and_no_items():
    found = inputs().retrieved("rag", "world")
    asked = {query.question.id for query in found.queries}
    drawn = [planned("world", item).demonstrations for item in range(40)]
    assert all(len(set(pair)) == 2 for pair in drawn)
    # Nearly all of the pool is drawn in forty items.
    assert len({number for pair in drawn for number in pair}) > 0.6 * DEMONSTRATIONS
    for pair in drawn:
        assert not {found.demonstrations[number].question.id for number in pair} & asked
    assert planned("world", 0, Params(shots=0)).demonstrations == ()
    draft = made("world", 0, params=Params(shots=0))
    assert findings(draft, "world", 4_096) == [] and "Example" not in draft.prompt[: draft.facts["body"][0]]


class Given:
    """A run whose item 0 is another question."""

    def __init__(self, query: Query) -> None:
        self.run = inputs().retrieved("rag", "world")
        self.queries = [query]
        self.demonstrations = self.run.demonstrations

    def retrieved(self, task: str, variant: str) -> "Given":
        return self


def test_no_demonstration_holds_the_answer_in_any_letters():
    query = inputs().retrieved("rag", "world").queries[0]
    first = planned("world", 0).demonstrations[0]
    shown_first = inputs().retrieved("rag", "world").demonstrations[first]
    word = max(re.findall(r"[a-z]{5,}", shown_first.gold[0].text), key=len)
    for name in (shown_first.question.answers[0][0], shown_first.gold[0].title.upper(), f"{word[:3]}-{word[3:]}"):
        given = Given(with_answer(query, name))
        assert first not in planned("world", 0, given=given).demonstrations
    with pytest.raises(SourceError, match="demonstrations hold no answer"):
        planned("world", 0, given=Given(with_answer(query, "th")))


def test_an_item_without_a_question_is_refused():
    with pytest.raises(SourceError, match="40 questions, the recipe asks for item 40"):
        planned("world", 40)


def test_golds_come_in_the_order_of_the_facts():
    run = inputs().retrieved("rag", "world_two_hop")
    turned = [replace(query, gold=query.gold[::-1]) for query in run.queries]

    class Turned:
        queries = turned
        demonstrations = run.demonstrations

        def retrieved(self, task: str, variant: str) -> "Turned":
            return self

    for item in range(ITEMS):
        plan = planned("world_two_hop", item)
        assert plan.gold == tuple(passage.id for passage in run.queries[item].gold)
        assert planned("world_two_hop", item, given=Turned()).gold == plan.gold


# --- solve, audit, guesses --------------------------------------------------------------------------------------------


def test_numbers_and_days_are_spelled_both_ways_and_solved():
    kinds = set()
    for variant in ("world", "world_two_hop"):
        for item in range(40):
            draft = made(variant, item)
            assert TASK.solve(draft.prompt) == draft.answers
            if re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+", draft.answers[0]):
                kinds.add("number")
                assert draft.answers == (draft.answers[0], draft.answers[0].replace(",", ""))
            elif found := re.fullmatch(r"(\d+) ([A-Z]\w+) (\d{4})", draft.answers[0]):
                kinds.add("day")
                assert draft.answers == (found[0], f"{found[2]} {found[1]}, {found[3]}")
            else:
                assert len(draft.answers) == 1
    assert kinds == {"number", "day"}


def test_a_solver_reads_nothing_but_this_prompt():
    draft = made("world", 0)
    reading = read_prompt(draft.prompt)
    assert reading is not None and len(reading.passages) == draft.facts["passages"] and len(reading.examples) == 2
    start, end = draft.facts["body"]
    for damaged in (
        "",
        "\n\n",
        draft.prompt[1:],
        draft.prompt[:-1],
        draft.prompt + "\n",
        draft.prompt.replace("Example 2", "Example 3"),
        draft.prompt[:start] + draft.prompt[end:],
        draft.prompt[:start] + "No title\nand a text\n\n" + draft.prompt[start:],
        draft.prompt[: end - 1] + draft.prompt[end:],
        draft.prompt.replace("The passages end here.", "The passages end here. Here are the passages.\n\n"),
    ):
        assert read_prompt(damaged) is None and TASK.solve(damaged) == ()


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_mutant_is_objected_to(variant):
    drafts = [made(variant, item, 4_096, item % 3) for item in range(ITEMS)]
    tried = dict.fromkeys((mutant.__name__ for mutant in MUTANTS), 0)
    for draft, other in zip(drafts, [*drafts[1:], drafts[0]], strict=True):
        for mutant in MUTANTS:
            if mutant in UNSEEN and not TASK.solvable(variant, TASK.variants[variant].source):
                continue
            for damaged in mutant(draft, other):
                tried[mutant.__name__] += 1
                wrong = TASK.solvable(variant, "") and TASK.solve(damaged.prompt) != damaged.answers
                assert wrong or list(TASK.audit(damaged)), mutant.__name__
    unseen = {mutant.__name__ for mutant in UNSEEN} if not TASK.solvable(variant, "") else set()
    assert {name for name, times in tried.items() if not times} == unseen


def test_what_the_audit_calls_a_name():
    line = plain("The Beatles’ 1,234 songs—“A-ha”; O’Neil’s 1953,1954\nCAFÉ ２０")
    for name in ("beatles", "The Beatles", "1,234", "1234", "a ha", "O'Neil", "café", "20", "O’NEIL’S"):
        assert any(one in line for one in sought([name])), name
    for name in ("beatle", "23", "34", "4 song", "1954 café", "The Who", "", "?!"):
        assert not any(one in line for one in sought([name])), name
    assert sought(["The Who"]) == [" the who "] and sought(["The Beatles"]) == [" beatles "]


def test_guesses_answer_from_the_beginning_of_passages():
    scores: dict[str, list[float]] = {}
    for item in range(40):
        draft = made("world", item, 4_096, item % 6)
        row = table(draft)
        found = TASK.guesses(draft, Stream("guesses", item))
        texts = [block.split("\n")[1] for block in shown(draft)]
        assert found["any passage"] == tuple(text[:400] for text in texts)
        # Gold in one row of six, whichever row is asked.
        start, end = draft.evidence[0]
        best = next(text for text in texts if text != draft.prompt[start:end])
        assert found["the first passage"] == (draft.prompt[start:end][:400], *[best[:400]] * 5)
        for name, responses in found.items():
            values = [METRICS["subem"](one, row) for one in responses]
            scores.setdefault(name, []).append(sum(values) / len(values))
    means = {name: sum(values) / len(values) for name, values in scores.items()}
    assert means["no passage: the question again"] == means["no passage: an example's answer"] == 0
    assert 0 < means["any passage"] < 0.1 and 0.1 < means["the first passage"] <= 1 / 6 + 1e-9
    # A search by words does find the article, and one of its three passages.
    assert 0.1 < means["the passage that BM25 ranks first"] < 0.7
    assert means["the commonest name of all passages"] < 0.1
    assert TASK.guesses(replace(made("world", 0), prompt="Hello"), Stream("guesses")) == {}


def test_the_best_passage_and_the_commonest_name():
    texts = ["Ada was born in Ulm.", "Bob likes sea bread.", "Bob and Ada sing."]
    assert best_passage("Who likes bread?", texts) == 1 and best_passage("?", texts) == 0
    assert commonest_name(texts, "Who is Bob?") == "Ada" and commonest_name(["nothing"], "") == ""


def test_no_word_leads_to_a_latent_passage_and_its_decoys_grow_with_the_length():
    for item in range(ITEMS):
        small, large = made("world_latent", item), made("world_latent", item, 32_768)
        assert small.facts["question"] == large.facts["question"] and is_part(shown(small), shown(large))
        for draft, length in ((small, 4_096), (large, 32_768)):
            assert of_kinds(draft.facts["question"], read_prompt(draft.prompt).passages) == list(draft.answers)
            forms = [block for block in shown(draft) if len(block) < 160]
            assert len(forms) >= length // LATENT_TOKENS + 1
    # A gold that says the question's own word.
    draft = made("world_latent", 0)
    start, end = draft.evidence[0]
    text = draft.prompt[start:end] + " Somebody."
    digest = [hashlib.sha256(text.encode()).hexdigest()]
    damaged = with_facts(changed(draft, start, end, text), gold_sha256=digest)
    damaged = replace(damaged, evidence=((start, start + len(text)),))
    assert [one.what for one in TASK.audit(damaged)] == ["overlap"]


def test_params_are_checked():
    for wrong in ({"shots": 1}, {"positions": 0}, {"orders": 65}):
        with pytest.raises(ValueError, match="expected"):
            Params(**wrong)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["world", "world_two_hop", "world_latent"])
def test_a_row_of_a_million_tokens_is_proven(variant):
    found = Inputs(SEARCH, "million/1", realms=4, count=4)
    plan = TASK.plan(Params(), Item("rag", variant, 0), found, plan_stream(TASK, "million/1", variant))
    slot = Slot(Item("rag", variant, 0), "1M", 1 << 20, 0, 1, 1 << 20)
    draft = TASK.render(plan, slot, found, budget())
    assert findings(draft, variant, 1 << 20) == []
    assert draft.facts["passages"] > 5_000 and json.dumps(draft.facts)


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


# A second given name is short; a village may be of three words too.
_PERSON = re.compile("[A-Z][a-z]+ [A-Z][a-z]{2,4} [A-Z][a-z]+")


def changed(draft: Draft, start: int, end: int, text: str, passages: int = 0) -> Draft:
    """The draft with prompt[start:end] replaced, its spans and those of its facts moved; so many passages more."""
    shift = len(text) - (end - start)
    low, high = draft.facts["body"]
    body = [low + shift if low >= end else low, high + shift if high >= end else high]
    return with_facts(edited(draft, start, end, text), body=body, passages=draft.facts["passages"] + passages)


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def blocks(draft: Draft) -> list[tuple[int, int]]:
    """Where each passage stands, its blank line included."""
    start, end = draft.facts["body"]
    found = []
    while start < end:
        stop = draft.prompt.index("\n\n", start) + 2
        found.append((start, stop))
        start = stop
    return found


def golds(draft: Draft) -> list[int]:
    """The places of the gold passages, in the order of the evidence."""
    return [[a <= start < b for a, b in blocks(draft)].index(True) for start, _ in draft.evidence]


def distractor(draft: Draft) -> tuple[int, int]:
    """A passage in the middle that is none of the golds."""
    kept, held = blocks(draft), set(golds(draft))
    return next(kept[at] for at in range(len(kept) // 2, len(kept)) if at not in held)


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each gold passage is taken out, and its span points at the text of the passage that came to stand there."""
    for number, place in enumerate(golds(draft)):
        start, stop = blocks(draft)[place]
        left = changed(draft, start, stop, "", -1)
        there = blocks(left)[min(place, len(blocks(left)) - 1)]
        text = left.prompt.index("\n", there[0]) + 1
        spans = list(left.evidence)
        spans[number] = (text, there[1] - 2)
        yield replace(left, evidence=tuple(spans))


def _people(draft: Draft) -> Iterator[str]:
    """The titles that are people's: their text calls them by the surname alone."""
    for start, stop in blocks(draft):
        title, _, text = draft.prompt[start:stop].removeprefix("Title: ").partition("\n")
        if _PERSON.fullmatch(title) and re.search(rf"(?<!{title.split()[1]} )\b{title.split()[2]}\b", text):
            yield title


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold passage stands a second time at the end, and gives another answer of the same kind."""
    place, answer = golds(draft)[-1], draft.answers[0]
    start, stop = blocks(draft)[place]
    if answer.replace(",", "").isdigit():
        another = str((int(answer[0]) + 4) % 9 + 1) + answer[1:]
    elif _PERSON.fullmatch(answer):
        another = next((name for name in _people(draft) if name != answer), "")
    elif draft.facts["question_id"].startswith("latent/"):
        another = "Other Name"
    else:
        another = ""
    again = draft.prompt[start:stop].replace(answer, another)
    if another and again != draft.prompt[start:stop] and another not in draft.prompt[start:stop]:
        end = draft.facts["body"][1]
        yield changed(draft, end, end, again, 1)


def answer_in_a_distractor(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each accepted name stands in another passage too: in its text, in its title, in other letters."""
    start, stop = distractor(draft)
    for name in draft.facts["accepted"]:
        yield changed(draft, stop - 2, stop - 2, f" {name}, it seems.")
        yield changed(draft, stop - 2, stop - 2, f" ({name.upper()}’s)")
        title = draft.prompt.index("\n", start)
        yield changed(draft, title, title, f" ({name})")


def answer_before_the_passages(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An accepted name stands in an example, or in the question."""
    name = draft.facts["accepted"][-1]
    at = draft.prompt.index("Answer: ") + len("Answer: ")
    yield changed(draft, at, at, f"{name} ")
    end = len(draft.prompt) - 1
    asked = f" Not {name}?"
    yield with_facts(changed(draft, end, end, asked), question=draft.facts["question"] + asked)


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, the record this one's."""
    end = len(draft.prompt) - 1
    if draft.facts["question"] != other.facts["question"]:
        yield changed(draft, end - len(draft.facts["question"]), end, other.facts["question"])


def question_and_record_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, in the record too: only a solver can tell."""
    for one in question_of_another(draft, other):
        yield with_facts(one, question=other.facts["question"])


def passage_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage stands twice."""
    start, stop = distractor(draft)
    end = draft.facts["body"][1]
    yield changed(draft, end, end, draft.prompt[start:stop], 1)


def passages_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A gold passage changes places with the one that is furthest from it."""
    for number, place in enumerate(golds(draft)):
        kept = blocks(draft)
        other_place = 0 if place >= len(kept) // 2 else len(kept) - 1
        if other_place in golds(draft):
            continue
        first, second = sorted((place, other_place))
        (a, b), (c, d) = kept[first], kept[second]
        prompt, shift = draft.prompt, (d - c) - (b - a)
        swapped = prompt[:a] + prompt[c:d] + prompt[b:c] + prompt[a:b] + prompt[d:]
        moved = []
        for at, (start, stop) in enumerate(draft.evidence):
            by = (c + shift - a if place == first else a - c) if at == number else shift if b <= start < c else 0
            moved.append((start + by, stop + by))
        yield replace(draft, prompt=swapped, evidence=tuple(moved))


def passage_spoiled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage is nearly empty, or holds a character that was lost."""
    start, stop = distractor(draft)
    text = draft.prompt.index("\n", start) + 1
    yield changed(draft, text, stop - 2, "See.")
    yield changed(draft, text, text, "\ufffd ")


def passage_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A passage is missing that the record counts."""
    start, stop = distractor(draft)
    yield changed(draft, start, stop, "")


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is that of another item."""
    if not set(draft.answers) & set(other.answers):
        yield replace(draft, answers=other.answers)
        yield with_facts(replace(draft, answers=other.answers), accepted=other.facts["accepted"])


MUTANTS = (
    evidence_removed,
    evidence_doubled,
    answer_in_a_distractor,
    answer_before_the_passages,
    question_of_another,
    question_and_record_of_another,
    passage_doubled,
    passages_swapped,
    passage_spoiled,
    passage_lost,
    gold_of_another,
)
# A second passage that says something else, and a question that other passages answer: only a solver notices.
UNSEEN = (evidence_doubled, question_and_record_of_another)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------


def own_tables() -> dict[str, str]:
    """A world's passages and questions of one hop as a user's own tables."""
    world = World("own/1")
    return {
        "passages.jsonl": jsonl(map(asdict, world.passages("en"))),
        "questions.jsonl": jsonl(map(question_row, world.questions("en", "one_hop", 120))),
    }


CASE = Case(
    variants=separate(
        "nq", "triviaqa", "popqa", "hotpotqa", "world", "world_two_hop", "world_latent", "own", metric="subem"
    ),
    mutants=MUTANTS,
    unseen=UNSEEN,
    by_people=("nq", "triviaqa", "popqa", "hotpotqa", "own"),
    material=partial(material_of, laid_out=("body", "passages")),
    files={"own": Files("tables", own_tables)},
)
