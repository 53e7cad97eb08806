import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from cases import Case, Files, Row, jsonl, separate
from folders import CORPORA
from mutants import edited
from variants import folder, own_sources

from carrara.errors import BudgetError, RecipeError, SourceError
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_table
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.tables import Document
from carrara.task import Draft, Item, plan_from_json, plan_json
from carrara.tasks.helmet.documents import deal, demonstrations, opening, units
from carrara.tasks.helmet.summarization.prompt import ENDED, SHOWN, WORDINGS
from carrara.tasks.helmet.summarization.task import EACH, KINDS, MOST, TASK, Params
from carrara.world.world import World

BUCKETS = {"4k": 4_096, "8k": 8_192, "32k": 32_768, "64k": 65_536, "128k": 131_072}
WRITTEN = ("multilexsum", "infbench_sum", "own")


@cache
def maker(variant: str, shots: int = 2, tokenizer: str = "o200k_base", sources: Path | None = None) -> RowMaker:
    recipe = recipe_from_table(
        {
            "name": "summaries",
            "version": "1.0.0",
            "stream": "summaries/1",
            "tokenizer": tokenizer,
            "buckets": BUCKETS,
            "cell": [{"task": "summarization", "variants": [variant], "questions": 8, "params": {"shots": shots}}],
            "source": own_sources("summarization", variant),
        }
    )
    return RowMaker(recipe, sources or folder("summarization", variant))


def made(variant: str, item: int, bucket: str = "4k", **options):
    found = maker(variant, **options)
    (config,) = (one for one in found.recipe.configs() if one.bucket == bucket)
    slot = config.slot(item)
    return TASK.render(found.plan(config, item), slot, found.inputs(config.source), found.budget)


def body(draft) -> str:
    return draft.prompt[slice(*draft.facts["body"])]


@pytest.mark.parametrize(
    "variant", ["world", *(pytest.param(one, marks=pytest.mark.repeat) for one in KINDS if one != "world")]
)
def test_the_summary_of_the_world_is_the_weightiest_of_what_is_shown(variant):
    world = World("summaries/1")
    for bucket in ("4k", "32k", "128k"):
        for item in range(2):
            draft = made(variant, item, bucket)
            whole = world.document("en", KINDS[variant][0], item, BUCKETS[bucket] // KINDS[variant][1] + 6)
            shown = body(draft)
            assert whole.text.startswith(shown) and len(whole.text) > len(shown)
            inside = [one for one in whole.key_points if one.evidence[1] <= len(shown)]
            count = min(MOST, max(3, BUCKETS[bucket] // EACH))
            wanted = sorted(sorted(inside, key=lambda one: -one.weight)[:count], key=lambda one: one.evidence)
            assert draft.facts["key_points"] == [one.text for one in wanted]
            start = draft.facts["body"][0]
            assert [(a - start, b - start) for a, b in draft.evidence] == [one.evidence for one in wanted]
            assert draft.answers[0].split() == " ".join(one.text for one in wanted).split()
            assert draft.facts["evidence_inside"] is True and draft.facts["key_points_from"] == "world"
            assert list(draft.depths) == sorted(draft.depths) and draft.depths[0] >= 0 and draft.depths[-1] < 1


@pytest.mark.parametrize("variant", KINDS)
def test_a_cut_falls_between_two_sentences(variant):
    world = World("summaries/1")
    for item in range(6):
        shown = body(made(variant, item))
        whole = world.document("en", KINDS[variant][0], item, 12)
        assert len(shown) in {end for _, end in whole.sentences}


@pytest.mark.parametrize("variant", KINDS)
def test_chronicles_and_minutes_are_those_of_the_items_and_examples_of_others(variant):
    found = maker(variant)
    config = found.recipe.configs()[0]
    count = found.inputs("world").tables.document_count("en", KINDS[variant][0])
    shown = set()
    for item in range(8):
        plan = found.plan(config, item)
        assert plan.document == item and len(set(plan.demonstrations)) == 2
        assert all(number >= count - (1 << 20) for number, _ in plan.demonstrations)
        shown.update(plan.demonstrations)
    assert len(shown) == 16


def test_the_prompt_states_the_length_of_the_references_and_ends_where_the_answer_begins():
    for variant in (*KINDS, *WRITTEN):
        for item in range(4):
            draft = made(variant, item)
            words = sum(len(one.split()) for one in draft.answers) / len(draft.answers)
            stated = int(
                re.search(r"Length: about (\d+) words\n\nReply in the form “Summary: [^\n]+\n$", draft.prompt)[1]
            )
            assert abs(stated - words) <= 5 and stated % 10 == 0
            noun = WORDINGS[variant].noun
            assert draft.prompt.count(SHOWN.format(noun=noun)) == draft.prompt.count(ENDED.format(noun=noun)) == 1


def test_two_examples_of_other_documents_or_none():
    for variant in (*KINDS, *WRITTEN):
        two, none = made(variant, 1), made(variant, 1, shots=0)
        assert two.prompt.count("\nExample ") == 2 and "Example" not in none.prompt[: none.facts["body"][0]]
        # Without them more of the document stands there.
        assert body(none).startswith(body(two)) and len(body(none)) > len(body(two))
        for summary in re.findall(r"\nSummary: (.{30})", two.prompt):
            assert summary not in two.answers[0]


def test_outputs_hold_the_summary_and_are_those_of_the_paper_at_least():
    for variant, least in (("multilexsum", 512), ("infbench_sum", 1_200), ("world", 64), ("own", 64)):
        for item in range(4):
            draft = made(variant, item)
            count = maker(variant).budget.count
            assert draft.max_output_tokens >= max(least, *(1.05 * count(one) for one in draft.answers))
            assert draft.max_output_tokens < 1.05 * max(map(count, draft.answers)) + 64 or (
                draft.max_output_tokens == least
            )


def test_the_reference_of_a_case_is_its_short_summary_and_the_long_one_is_kept():
    draft = made("multilexsum", 0)
    assert draft.answers[0] != draft.facts["long_summary"]
    assert draft.facts["long_summary"].startswith(draft.answers[0][:60])
    assert draft.facts["key_points_from"] == "sentences"
    assert "".join("".join(draft.facts["key_points"]).split()) == "".join(draft.answers[0].split())


def test_a_document_that_is_too_short_is_not_used():
    with pytest.raises(BudgetError, match="its row has room for"):
        made("own", 0, "64k")
    assert made("own", 0, "32k")


def test_a_short_document_is_shown_whole_where_the_recipe_says_so():
    found = maker("own")
    config = next(one for one in found.recipe.configs() if one.bucket == "64k")
    whole = replace(config, params=Params(short="whole"))
    plan = found.plan(whole, 0)
    assert plan_from_json(TASK.plan_type, plan_json(plan)) == plan
    row = found.make(whole, whole.slot(0)).row
    facts = json.loads(row.facts)
    start, end = facts["body"]
    assert end - start == facts["whole_characters"] and row.tokens < 65_536 // 2
    with pytest.raises(RecipeError, match="which fill every bucket"):
        TASK.plan(Params(short="whole"), Item("summarization", "world", 0), found.inputs("own"), Stream("s"))


def test_summaries_run_out():
    found = maker("own")
    config = found.recipe.configs()[0]
    with pytest.raises(SourceError, match="summaries, the recipe asks for item 1000"):
        found.plan(config, 1_000)


def test_a_worked_example_wants_documents_of_its_own():
    with pytest.raises(SourceError, match="1 documents are set apart"):
        demonstrations(deal(Few(3, examples=1), Stream("few"), lambda one: (-1,)), 2, Stream("few"))


class Few:
    """Documents of growing length: document n has 2 ** n characters; the first ones are for training."""

    def __init__(self, count: int, examples: int = 0) -> None:
        self._count, self._examples = count, examples

    def document_count(self, lang, kind):
        return self._count

    def document(self, lang, kind, number, size):
        part = "train" if number < self._examples else "test"
        return Document(str(number), part, "", "a" * (3 + 3 * 2 ** (number // 4)))


def test_the_longest_documents_come_first_in_rounds():
    dealt = deal(Few(40), Stream("order"), lambda one: range(3))
    apart = {document for document, _ in dealt.demonstrations}
    assert len(apart) == 5 and max(apart) < 20
    items = [document for document, _ in dealt.items]
    assert len(dealt.items) == 3 * 35 and len(set(dealt.items)) == 105 and not apart & set(items)
    # Eight documents of a class (of one length there are four), three rounds over them, each in the same order.
    for at in (0, 24):
        rounds = [items[at + 8 * turn : at + 8 * turn + 8] for turn in range(3)]
        assert rounds[0] == rounds[1] == rounds[2] and len(set(rounds[0])) == 8
        assert {number // 8 for number in rounds[0]} == {4 - at // 24}
    other = deal(Few(40), Stream("another order"), lambda one: range(3))
    assert other.items != dealt.items and [one[0] // 8 for one in other.items[:48]] == [one // 8 for one in items[:48]]
    # Where one thing is asked of each, lengths alone make the classes.
    once = [document for document, _ in deal(Few(40), Stream("order"), lambda one: (0,)).items]
    assert [number // 4 for number in once[:20]] == [9 - place // 4 for place in range(20)]
    # What nothing is asked of is neither.
    some = deal(Few(40), Stream("order"), lambda one: () if int(one.id) % 2 else (0,))
    assert {document % 2 for document, _ in (*some.items, *some.demonstrations)} == {0}


def test_what_is_set_apart_for_training_is_no_item():
    dealt = deal(Few(20, examples=6), Stream("order"), lambda one: (0, 1))
    assert {document for document, _ in dealt.demonstrations} == set(range(6))
    assert {document for document, _ in dealt.items} == set(range(6, 20))


def test_units_are_the_text_with_the_white_space_that_sentences_own():
    text = "Title\nOne is here. Two is there.\n\nThree.\n“Four?”"
    ends = [5, 18, 32, 40, 48]
    starts = [0, 6, 19, 34, 41]
    document = Document("d", "", "", text, tuple(zip(starts, ends, strict=True)))
    found = units(document, 10**6)
    assert "".join(found) == text
    assert found == ["Title\n", "One is here.", " Two is there.\n\n", "Three.\n", "“Four?”"]
    assert units(document, 10) == found[:2]
    budget = maker("world").budget
    sentences, costs = opening(document, 4, budget)
    assert sum(costs) > 4 and [budget.count(one) for one in sentences] == costs.tolist()


@pytest.mark.parametrize("variant", ["world", "multilexsum"])
def test_every_mutant_is_found_by_the_audit(variant):
    tried = set()
    for item in range(6):
        draft, other = made(variant, item), made(variant, item + 1)
        assert not list(TASK.audit(draft))
        for mutant in MUTANTS:
            found = [list(TASK.audit(damaged)) for damaged in mutant(draft, other)]
            assert all(found), mutant.__name__
            tried |= {mutant} if found else set()
    assert set(MUTANTS) - tried == (set() if variant == "world" else {name_changed})


def test_the_audit_sees_where_a_key_point_stands():
    draft = made("world", 2)
    (first, last), *others = draft.evidence
    shifted = replace(draft, evidence=((first + 1, last), *others))
    assert any("no whole sentence" in one.detail for one in TASK.audit(shifted))
    before = replace(draft, evidence=((3, 40), *others))
    assert any(one.what == "evidence" for one in TASK.audit(before))
    assert any(one.what == "evidence" for one in TASK.audit(replace(draft, evidence=tuple(others))))
    torn = replace(draft, prompt=draft.prompt.replace("a", "\ufffd", 1))
    assert {"damage", "layout"} & {one.what for one in TASK.audit(torn)}


def test_guesses_are_of_the_wanted_length_and_taken_from_the_text():
    for variant in ("world", "multilexsum"):
        draft = made(variant, 0, "32k")
        found = TASK.guesses(draft, Stream("guess"))
        assert set(found) == {"first sentences", "last sentences", "random sentences"}
        row = {"answers": draft.answers}
        for responses in found.values():
            for text in responses:
                assert 0.5 * draft.facts["words"] <= len(text.split()) <= draft.facts["words"] + 120
                assert 0 < METRICS["rouge_l"](text, row) < 0.6
        shown = " ".join(body(draft).split())
        assert shown.startswith(" ".join(found["first sentences"][0].split()))
        assert shown.endswith(" ".join(found["last sentences"][0].split()))


def test_another_tokenizer_cuts_elsewhere_and_says_the_same_up_to_there():
    for variant in KINDS:
        ours, theirs = made(variant, 1, "8k"), made(variant, 1, "8k", tokenizer="cl100k_base")
        shared = min(len(body(ours)), len(body(theirs)))
        assert body(ours)[:shared] == body(theirs)[:shared]


@pytest.mark.repeat
@pytest.mark.corpora
@pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")
class TestReal:
    def test_a_query_on_a_meeting_knows_where_it_is_answered(self):
        inside = set()
        for item in range(8):
            draft = made("qmsum", item, sources=CORPORA)
            if "evidence_inside" in draft.facts:
                inside.add(draft.facts["evidence_inside"])
                low, high = draft.facts["body"]
                assert all(low <= start < end <= high for start, end in draft.evidence)
                assert bool(draft.evidence) or not draft.facts["evidence_inside"]
        assert False in inside

    def test_a_story_has_four_references(self):
        for item in range(4):
            draft = made("squality", item, sources=CORPORA)
            assert len(draft.answers) == 4 and not list(TASK.audit(draft))
            assert METRICS["judge/summary"](draft.answers[3], {"answers": draft.answers}) == 1
            found = maker("squality", sources=CORPORA)
            plan = found.plan(found.recipe.configs()[0], item)
            tables = found.inputs("squality").tables
            assert tables.document("en", "", plan.document, 0).kind == "test"
            assert {tables.document("en", "", one, 0).kind for one, _ in plan.demonstrations} <= {"train", "validation"}


def test_facts_are_small_and_whole():
    for variant in (*KINDS, *WRITTEN):
        facts = made(variant, 0, "32k").facts
        assert len(json.dumps(facts)) < 32_000
        assert {"variant", "document", "body", "request", "words", "key_points", "key_points_from"} <= set(facts)


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


def damaged(draft: Draft, start: int, end: int, text: str) -> Draft:
    """The draft with prompt[start:end] of its document replaced, and the end of the document moved."""
    low, high = draft.facts["body"]
    moved = edited(draft, start, end, text)
    return replace(moved, facts={**draft.facts, "body": [low, high + len(text) - (end - start)]})


def _places(draft: Draft) -> tuple[tuple[int, int], ...]:
    """The evidence; where nobody knows it, a sentence in the middle of the document."""
    if draft.evidence:
        return draft.evidence
    low, high = draft.facts["body"]
    start = draft.prompt.index(". ", (low + high) // 2) + 2
    return ((start, draft.prompt.index(".", start) + 1),)


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What states a key point is taken out, and its span points at what came to stand there."""
    for start, end in _places(draft):
        yield damaged(draft, start, end + 1, "")


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What states a key point stands there a second time, of somebody else."""
    for start, end in _places(draft):
        said = draft.prompt[start:end]
        name = next((word for word in said.split() if word[:1].isalpha()), said)
        yield damaged(draft, end, end, " " + said.replace(name, "Brown"))


def name_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A key point names another person than the document; so does the summary."""
    if draft.facts["key_points_from"] == "world":
        for number, point in enumerate(draft.facts["key_points"]):
            name = next((word for word in point.split() if word.istitle() and word not in ("The", "With")), point)
            points = list(draft.facts["key_points"])
            points[number] = point.replace(name, "Brown")
            answers = (draft.answers[0].replace(point, points[number]),)
            yield replace(draft, answers=answers, facts={**draft.facts, "key_points": points})


def points_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two key points change places in the summary."""
    if len(draft.facts["key_points"]) < 2:
        return
    first, second, *rest = draft.facts["key_points"]
    swapped = draft.answers[0].replace(first, "\x00").replace(second, first).replace("\x00", second)
    yield replace(draft, answers=(swapped, *draft.answers[1:]))
    yield replace(draft, facts={**draft.facts, "key_points": [second, first, *rest]})


def point_dropped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The summary lacks a key point, or has one more."""
    points = draft.facts["key_points"]
    for number in range(len(points)):
        yield replace(draft, facts={**draft.facts, "key_points": points[:number] + points[number + 1 :]})
    yield replace(draft, facts={**draft.facts, "key_points": [*points, "Brown was there."]})


def gold_in_filler(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The summary stands in the document."""
    low, high = draft.facts["body"]
    middle = draft.prompt.index(" ", (low + high) // 2)
    yield damaged(draft, middle, middle, " " + draft.answers[0])


def request_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What stands behind the document is another item's."""
    ours, theirs = (one.prompt[one.facts["body"][1] :] for one in (draft, other))
    if ours != theirs:
        yield edited(draft, len(draft.prompt) - len(ours), len(draft.prompt), theirs)


def length_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The request states twice the length of the reference."""
    words = draft.facts["words"]
    at = draft.prompt.rindex(f"about {words} words")
    longer = edited(draft, at, at + len(f"about {words} words"), f"about {2 * words} words")
    yield replace(longer, facts={**draft.facts, "words": 2 * words})


def document_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The document is another item's."""
    low, high = other.facts["body"]
    # Two items may ask of one document.
    if draft.facts["document"] != other.facts["document"]:
        yield damaged(draft, *draft.facts["body"], other.prompt[low:high])


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The recorded summary is that of another item."""
    if draft.answers != other.answers:
        yield replace(draft, answers=other.answers)


MUTANTS = (
    evidence_removed,
    evidence_doubled,
    name_changed,
    points_swapped,
    point_dropped,
    gold_in_filler,
    request_of_another,
    length_doubled,
    document_of_another,
    gold_of_another,
)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------

# More than the items of a test; and so many short ones that two streams rarely draw the same two as examples.
LONG, SHORT = 11, 60
NAMES = ("multilexsum", "infbench_sum", "squality", "qmsum", "world", "world_meeting", "own")


@cache
def summarized() -> list[tuple[str, str, str]]:
    """Chronicles of the world and many short minutes: text, summary, and the summary's beginning."""
    world = World("variants")
    documents = [world.document("en", "chronicle", number, 19) for number in range(LONG)]
    documents += [world.document("en", "meeting", number, 3) for number in range(SHORT)]
    return [
        (document.text, document.summary, " ".join(document.summary.split()[: 20 + 7 * (number % 11)]) + ".")
        for number, document in enumerate(documents)
    ]


def a_case(number: int, text: str, summary: str, short: str) -> dict[str, Any]:
    return {"id": f"C{number}", "sources": text.split("\n\n"), "summary/long": summary, "summary/short": short}


def a_book(number: int, text: str, summary: str, short: str) -> dict[str, Any]:
    return {"id": number, "context": text, "input": "", "answer": [summary], "options": []}


def of_a_user(number: int, text: str, summary: str, short: str) -> dict[str, Any]:
    """One document is summarized, the next one asked about."""
    if number % 2:
        return {"text": text, "questions": [{"text": f"What is {number} about?", "answers": [short, summary]}]}
    return {"id": f"D{number}", "text": text, "summary": summary}


def written(name: str, form: Any) -> dict[str, str]:
    """The documents in the form of a source."""
    return {name: jsonl(form(number, *document) for number, document in enumerate(summarized()))}


def is_part(small: Row, large: Row) -> None:
    """A smaller row shows the beginning of the document that a larger one shows."""
    bodies = [row["prompt"][slice(*json.loads(row["facts"])["body"])] for row in (small, large)]
    assert bodies[1].startswith(bodies[0]) and len(bodies[1]) > 6 * len(bodies[0])


CASE = Case(
    variants=separate(*NAMES, metric="judge/summary"),
    mutants=MUTANTS,
    # Where names stand in people's summaries nobody can say.
    absent={name: ("name_changed",) for name in NAMES if not name.startswith("world")},
    by_people=TASK.sources,
    part=is_part,
    reads=lambda variant: "tables",
    files={
        "infbench_sum": Files("infbench", partial(written, "longbook_sum_eng.jsonl", a_book)),
        "multilexsum": Files("multilexsum", partial(written, "test.jsonl", a_case)),
        "own": Files("tables", partial(written, "documents.jsonl", of_a_user)),
    },
)
