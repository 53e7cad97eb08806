"""The needle tasks: names that nothing else holds, whole needles where they are wanted, pairs that share material."""

import json
from bisect import bisect
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import chain, pairwise

import numpy as np
import pytest
from cases import Case, separate
from hypothesis import given
from hypothesis import strategies as st
from mutants import NEEDLES

from carrara.errors import BudgetError, RecipeError
from carrara.making.proofs import prove
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_table
from carrara.stream import Permutation, Stream
from carrara.task import Item, plan_stream
from carrara.tasks import TASKS
from carrara.tasks.needlebench.needles import facts
from carrara.tasks.needlebench.needles import prompt as templates
from carrara.tasks.needlebench.needles.facts import FACTS_PER_ITEM, draw_facts
from carrara.tasks.needlebench.needles.layout import needle_depths, output_tokens
from carrara.tasks.needlebench.needles.solver import solve_needles
from carrara.world import latent

LANGS = ("en", "zh")
BUCKETS = {"4k": 4_096, "8k": 8_192, "32k": 32_768}
STREAM = "conformance/1"
MANY = 200_000


@cache
def maker(task: str, lang: str, tokenizer: str = "o200k_base", **params) -> RowMaker:
    params = {key: list(value) if isinstance(value, tuple) else value for key, value in params.items()}
    return RowMaker(
        recipe_from_table(
            {
                "name": "needles",
                "version": "1.0.0",
                "stream": STREAM,
                "tokenizer": tokenizer,
                "buckets": BUCKETS,
                "cell": [{"task": task, "variants": [lang], "questions": 40, "params": params}],
            }
        ),
        None,
    )


def config(made: RowMaker, bucket: str):
    return next(one for one in made.recipe.configs() if one.bucket == bucket)


def made_row(made: RowMaker, bucket: str, item: int, placement: int = 0):
    one = config(made, bucket)
    return made.make(one, one.slot(item * one.placements + placement)).row


# --- facts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_no_two_of_many_names_or_places_are_equal(lang):
    stream = plan_stream(TASKS["single_needle"], STREAM, lang)
    values = Permutation(stream.child("names"), latent.names(lang)).take(np.arange(MANY))
    assert len({latent.name(value, lang) for value in values.tolist()}) == MANY
    # Two streams of a million places share hundreds of them at most.
    count = facts._places(lang)
    assert count > MANY**2 // 1_000
    places = {facts._place(number, lang) for number in range(0, count, count // MANY)}
    assert len(places) >= MANY
    # A place is no part of another one.
    assert {len(place.split()) if lang == "en" else len(place) for place in places} == {3 if lang == "en" else 6}


@pytest.mark.parametrize("lang", LANGS)
def test_facts_are_numbered_over_items_and_known_without_those_before(lang):
    stream = plan_stream(TASKS["multi_needle"], STREAM, lang)
    drawn = [draw_facts(stream, lang, item, FACTS_PER_ITEM) for item in range(30)]
    every = list(chain.from_iterable(drawn))
    assert len({fact.name for fact in every}) == len({fact.place for fact in every}) == 30 * FACTS_PER_ITEM
    for item in drawn:
        assert len({fact.object for fact in item}) == FACTS_PER_ITEM
    # Fewer facts of an item: the names and places of the first of them.
    few = draw_facts(stream, lang, 7, 3)
    assert [(fact.name, fact.place) for fact in few] == [(fact.name, fact.place) for fact in drawn[7][:3]]
    assert {fact.wording for fact in every} == set(range(len(templates.NEEDLES[lang])))
    for count in (0, FACTS_PER_ITEM + 1):
        with pytest.raises(ValueError, match="1 to 32"):
            draw_facts(stream, lang, 0, count)


def wording(lang: str) -> str:
    tables = (templates.NEEDLES, templates.INTRODUCTION, templates.HINT, templates.ASK, templates.ASKED_ABOVE)
    tables += (templates.DIRECT, templates.RECALL)
    single = (templates.QUESTION, templates.BEGIN, templates.END, templates.ANSWER_PREFIX)
    return "\n".join([*chain.from_iterable(table[lang] for table in tables), *(table[lang] for table in single)])


def test_no_english_name_or_place_stands_in_a_template():
    stream, said = plan_stream(TASKS["single_needle"], STREAM, "en"), wording("en").lower()
    materials, things = facts._OBJECTS["en"]
    words = {word for part in (*materials, *things, *facts._PLACE_KINDS["en"]) for word in part.lower().split()}
    names = Permutation(stream.child("names"), latent.names("en")).take(np.arange(20_000))
    for value in names.tolist():
        name = latent.name(value, "en")
        assert name.lower() not in said
        assert not {part.lower() for part in name.split()} & words
    for number in range(0, facts._places("en"), facts._places("en") // 20_000):
        assert facts._place(number, "en").split()[0].lower() not in said


@pytest.mark.parametrize("lang", LANGS)
def test_a_template_names_object_place_and_name_once(lang):
    for text in templates.NEEDLES[lang]:
        assert [text.count(f"{{{field}}}") for field in ("object", "place", "name")] == [1, 1, 1]
        assert text.endswith("{name}." if lang == "en" else "{name}。")
    assert len(set(templates.NEEDLES[lang])) == len(templates.NEEDLES[lang])
    for field in ("object", "place"):
        assert templates.QUESTION[lang].count(f"{{{field}}}") == 1
    # A line about one fact must not read as a line about another: no wording is part of another.
    parts = [text.split("{name}")[0] for text in templates.NEEDLES[lang]]
    assert not any(one in other for one in parts for other in parts if one != other)


# --- depths -----------------------------------------------------------------------------------------------------------


@given(st.integers(1, 20), st.floats(0, 1))
def test_needles_are_spaced_and_stay_inside(count, depth):
    depths, spacing = needle_depths(count, depth), min(0.1, 1 / count)
    assert len(depths) == count and depths == sorted(depths)
    assert depths[0] == pytest.approx(depth * (1 - spacing * (count - 1)))
    assert all(0 <= one <= 1 for one in depths)
    assert all(b - a == pytest.approx(spacing, abs=1e-9) for a, b in pairwise(depths))


@pytest.mark.parametrize("count", [1, 2, 5, 10, 11, 15, 20])
def test_the_first_needle_can_stand_at_the_top_and_the_last_at_the_end(count):
    assert needle_depths(count, 0)[0] == 0
    assert needle_depths(count, 1)[-1] == pytest.approx(1)
    assert needle_depths(1, 0.37) == [0.37]
    assert needle_depths(5, 0.5) == pytest.approx([0.3, 0.4, 0.5, 0.6, 0.7])
    assert needle_depths(20, 0) == pytest.approx([number / 20 for number in range(20)])
    # At 20 needles the first moves by a twentieth alone.
    assert needle_depths(20, 1)[0] == pytest.approx(0.05)


def test_room_for_the_answer_is_96_a_needle_and_64_up_to_1536():
    assert [output_tokens(count) for count in (1, 5, 15, 16, 20)] == [160, 544, 1_504, 1_536, 1_536]


def haystack_of(row, lang: str) -> tuple[str, list[tuple[int, int]]]:
    """The text between the marks without its needles, and for every needle where it stood in it."""
    begin = row.prompt.index(templates.BEGIN[lang]) + len(templates.BEGIN[lang])
    end = row.prompt.rindex(templates.END[lang])
    text, at, places = "", begin, []
    for start, stop in sorted(row.evidence):
        text += row.prompt[at:start]
        at = stop
        if row.prompt[at : at + 2] == "\n\n" and text.endswith("\n\n"):
            # A paragraph of its own.
            at += 2
        elif lang == "en":
            # The space that begins the needle.
            assert text.endswith((" ", "\n\n")) or not text, (text[-20:], row.prompt[stop : stop + 20])
            text = text.removesuffix(" ")
        places.append((len(text), start))
    return text + row.prompt[at:end], places


def longest_sentence(text: str, at: int, count, lang: str) -> int:
    """Tokens of the longer of the two sentences around a joint, generously: with what is quoted in them."""
    marks = ".!?…\n" if lang == "en" else "。！？…\n"
    ends, quoted = [0], 0
    for number, letter in enumerate(text):
        quoted += (letter == "“") - (letter == "”")
        if letter in marks and not quoted:
            ends.append(number + 1)
    ends.append(len(text))
    place = bisect(ends, at)
    around = ends[max(0, place - 6) : place + 6]
    return max(count(text[a:b]) for a, b in pairwise(around))


@pytest.mark.repeat
@pytest.mark.parametrize("bucket", list(BUCKETS))
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(("task", "tokenizer"), [("single_needle", "o200k_base"), ("single_needle", "cl100k_base")])
def test_the_needle_stands_where_it_is_wanted(task, tokenizer, lang, bucket):
    made = maker(task, lang, tokenizer, decoys=0)
    count = made.tokenizer.count
    for placement in range(11):
        row = made_row(made, bucket, placement % 3, placement)
        wanted = json.loads(row.facts)["depth"]
        assert wanted == placement / 10
        text, ((place, _),) = haystack_of(row, lang)
        achieved = count(text[:place]) / count(text)
        # Counted on the text alone, so a token or two may join otherwise at the cut.
        assert achieved == pytest.approx(row.depths[0], abs=4 / count(text))
        half = (longest_sentence(text, place, count, lang) / 2 + 4) / count(text)
        assert abs(row.depths[0] - wanted) <= half, (placement, row.depths, half)
        if placement == 0:
            assert row.depths == (0.0,)
        if placement == 10:
            assert row.depths == (1.0,)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("task", ["single_needle", "multi_needle"])
def test_needles_stand_between_whole_sentences(task, lang):
    made = maker(task, lang)
    ends = tuple(".!?…”’)\"'—" if lang == "en" else "。！？…”’）」』：；")
    for bucket in ("4k", "32k"):
        for placement in range(0, 11, 2):
            row = made_row(made, bucket, placement, placement)
            assert "\ufffd" not in row.prompt
            for answer, (start, stop) in zip(row.answers, row.evidence, strict=True):
                needle = row.prompt[start:stop]
                assert needle in json.loads(row.facts)["reference"] and answer in needle
                assert row.prompt.count(needle) == 1 and row.prompt.count(answer) == 1
                before, after = row.prompt[:start], row.prompt[stop:]
                # Two spaces, or a space at a line's beginning or end, would tell the needle from the text.
                if lang == "en":
                    assert before.endswith("\n\n") or (before[-1] == " " and not before[-2].isspace())
                    assert after.startswith("\n\n") or (after[0] == " " and not after[1].isspace())
                else:
                    assert not before.endswith(" ") and not after.startswith(" ")
                said = before.rstrip()
                assert said.endswith(ends) or before.endswith("\n\n"), before[-30:]


@pytest.mark.parametrize("lang", LANGS)
def test_the_text_around_the_needle_is_that_of_the_haystack(lang):
    """Whole sentences of the source: what stands beside a needle stands in another row of the item without it."""
    made = maker("single_needle", lang, decoys=0)
    text, _ = haystack_of(made_row(made, "32k", 2, 0), lang)
    for placement in (3, 5, 8):
        row = made_row(made, "4k", 2, placement)
        start, stop = row.evidence[0]
        left = row.prompt[:start].rstrip().split("\n\n")[-1].strip()
        right = row.prompt[stop:].lstrip().split("\n\n")[0].strip()
        assert left and right and (left in text or right in text)


# --- params -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", pytest.param("zh", marks=pytest.mark.repeat)])
@pytest.mark.parametrize("task", ["single_needle", pytest.param("multi_needle", marks=pytest.mark.repeat)])
@pytest.mark.parametrize("change", [{"question": "before"}, {"recall_step": False}, {"hint": True}])
def test_question_recall_step_and_hint_change_the_instruction_alone(task, lang, change):
    plain, changed = maker(task, lang, decoys=0), maker(task, lang, decoys=0, **change)
    for bucket, placement in (("4k", 5), ("32k", 3), ("32k", 10)):
        one, other = made_row(plain, bucket, 4, placement), made_row(changed, bucket, 4, placement)
        assert one.prompt != other.prompt and one.answers == other.answers and one.item == other.item
        ours, theirs = json.loads(one.facts), json.loads(other.facts)
        assert ours["needles"] == theirs["needles"] and ours["reference"] == theirs["reference"]
        assert ours["depth"] == theirs["depth"]
        count = plain.tokenizer.count
        text, places = haystack_of(one, lang)
        near = max(longest_sentence(text, place, count, lang) for place, _ in places) / count(text)
        for a, b in zip(one.depths, other.depths, strict=True):
            assert abs(a - b) <= near + 4 / count(text)
        # The same sections of the haystack in the same order, up to the last units, which are chosen to fit.
        theirs_text, _ = haystack_of(other, lang)
        shared = next((at for at, (a, b) in enumerate(zip(text, theirs_text, strict=False)) if a != b), len(text))
        if bucket == "32k":
            assert shared > len(text) / 3
        assert text[:200] == theirs_text[:200]


@pytest.mark.parametrize("lang", LANGS)
def test_a_question_before_the_text_stands_there_and_nowhere_else(lang):
    for task in ("single_needle", "multi_needle"):
        before, after = made_row(maker(task, lang, question="before"), "4k", 0), made_row(maker(task, lang), "4k", 0)
        for row, where in ((before, "before"), (after, "after")):
            begin, end = row.prompt.index(templates.BEGIN[lang]), row.prompt.index(templates.END[lang])
            for needle in json.loads(row.facts)["needles"]:
                question = templates.QUESTION[lang].format(object=needle["object"], place=needle["place"])
                assert row.prompt.count(question) == 1
                assert (row.prompt.index(question) < begin) == (where == "before")
                assert (row.prompt.index(question) > end) == (where == "after")
            assert json.loads(row.facts)["question"] == where
            assert solve_needles(row.prompt) == row.answers


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("task", ["single_needle", "multi_needle", "needle_reasoning"])
def test_the_form_of_the_answer_is_asked_once_in_the_last_line_and_only_a_hint_tips_off(task, lang):
    label, tip = ("Answer:", "nothing to do with the rest") if lang == "en" else ("答案：", "与上下文无关")
    for params in ({}, {"recall_step": False}, {"question": "before"}):
        prompt = made_row(maker(task, lang, **params), "4k", 1).prompt
        assert prompt.count(label) == 1 and label in prompt.splitlines()[-1] and prompt.endswith("\n")
        assert tip not in prompt
    told = made_row(maker(task, lang, hint=True, decoys=0), "4k", 1)
    assert tip in told.prompt and json.loads(told.facts)["hint"] is True
    assert TASKS[task].solve(told.prompt) == told.answers and told.answer_prefix == label


@pytest.mark.parametrize("task", ["single_needle", "multi_needle"])
def test_one_depth_is_spread_evenly_over_the_items(task):
    params = TASKS[task].params(depths=1)
    stream = plan_stream(TASKS[task], STREAM, "zh")
    depths = [TASKS[task].plan(params, Item(task, "zh", item), None, stream).even_depth for item in range(200)]
    for count in (20, 200):
        ordered = sorted(depths[:count])
        assert max(abs(depth - number / count) for number, depth in enumerate(ordered)) < 3 / count
    row = made_row(maker(task, "zh", depths=1), "32k", 3)
    assert json.loads(row.facts)["depth"] == round(depths[3], 6)
    assert TASKS[task].placements(params, "en") == 1


def test_buffer_is_kept_free_to_the_token():
    for buffer in (0, 1, 200, 3_000):
        row = made_row(maker("single_needle", "en", buffer=buffer), "8k", 0)
        assert row.tokens + row.max_output_tokens + buffer == 8_192


def test_a_haystack_that_runs_out_is_an_error_unless_it_may_repeat():
    long = {
        "name": "long",
        "version": "1.0.0",
        "stream": STREAM,
        "tokenizer": "o200k_base",
        "buckets": {"4M": 4 << 20},
        "cell": [{"task": "single_needle", "variants": ["en"], "questions": 1}],
    }
    made = RowMaker(recipe_from_table(long), None)
    with pytest.raises(BudgetError, match="are missing") as caught:
        made.make(made.recipe.configs()[0], made.recipe.configs()[0].slot(0))
    assert "repeat = true" in caught.value.hint


@pytest.mark.slow
def test_a_haystack_that_may_repeat_fills_two_million_tokens():
    long = {
        "name": "long",
        "version": "1.0.0",
        "stream": STREAM,
        "tokenizer": "o200k_base",
        "buckets": {"2M": 2 << 20},
        "cell": [{"task": "single_needle", "variants": ["en"], "questions": 1, "params": {"repeat": True}}],
    }
    made = RowMaker(recipe_from_table(long), None)
    row = made.make(made.recipe.configs()[0], made.recipe.configs()[0].slot(5)).row
    assert row.tokens + row.max_output_tokens == 2 << 20


# --- decoys -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("task", ["single_needle", "multi_needle"])
def test_decoys_say_the_same_of_others_so_that_being_named_again_tells_nothing(task, lang):
    made = maker(task, lang)
    for bucket in ("4k", "32k"):
        row = made_row(made, bucket, 3, 4)
        plan = made.plan(config(made, bucket), 3)
        decoys = facts.draw_decoys(plan, plan.decoy_count(len(row.answers), BUCKETS[bucket]))
        assert len(decoys) >= (12 if bucket == "32k" else 6) * len(row.answers)
        said = [decoy.sentence(lang) for decoy in decoys]
        assert all(row.prompt.count(sentence) == 1 for sentence in said)
        every = [*plan.facts, *decoys]
        assert len({(fact.object, fact.place) for fact in every}) == len({fact.name for fact in every}) == len(every)
        for part in ("object", "place"):
            stand = Counter(getattr(fact, part) for fact in every)
            assert max(stand.values()) == 3 and sum(3 - count for count in stand.values()) <= 2
        assert solve_needles(row.prompt) == row.answers


def test_a_short_text_is_not_all_decoys_and_a_long_one_has_more_of_them():
    plan = TASKS["multi_needle"].plan(
        TASKS["multi_needle"].params(needles=20), Item("multi_needle", "en", 0), None, Stream("count")
    )
    assert [plan.decoy_count(20, length) for length in (8_192, 32_768, 131_072, 1 << 20)] == [49, 240, 256, 2_048]
    assert replace(plan, decoys=0).decoy_count(20, 1 << 20) == 0


@pytest.mark.parametrize(("params", "says"), [({"decoys": 101}, "0 to 100"), ({"hint": True}, "lies")])
def test_decoys_without_number_or_against_a_hint_are_refused(params, says):
    with pytest.raises(RecipeError, match=says):
        maker.__wrapped__("single_needle", "en", **params)


# --- solver and audit -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_a_needle_of_every_wording_is_read_back(lang):
    stream = Stream("wordings")
    for wording_number in range(len(templates.NEEDLES[lang])):
        for item in range(20):
            fact = draw_facts(stream, lang, item, 1)[0]
            needle = templates.NEEDLES[lang][wording_number].format(
                object=fact.object, place=fact.place, name=fact.name
            )
            question = templates.QUESTION[lang].format(object=fact.object, place=fact.place)
            begin, end = templates.BEGIN[lang], templates.END[lang]
            for body in (needle, f"X. {needle} Y.", f"{needle}\n\nY"):
                assert solve_needles(f"{begin}{body}\n\n{end}{question}\n") == (fact.name,)
            assert solve_needles(f"{begin}{needle} {needle.replace(fact.name, 'Other')}\n\n{end}{question}\n") == ()
            assert solve_needles(f"{begin}Nothing.\n\n{end}{question}\n") == ()


@pytest.mark.parametrize("lang", LANGS)
def test_a_distant_second_statement_in_another_wording_is_objected_to(lang):
    made = maker("single_needle", lang)
    one = config(made, "4k")
    slot = one.slot(5)
    plan = made.plan(one, 0)
    draft = one.task.render(plan, slot, made.inputs("world"), made.budget)
    fact = plan.facts[0]
    for number in range(len(templates.NEEDLES[lang])):
        second = templates.NEEDLES[lang][number].format(object=fact.object, place=fact.place, name="Wrong Name")
        cut = draft.prompt.index(templates.END[lang])
        damaged = f"{draft.prompt[:cut]}{second}\n\n{draft.prompt[cut:]}"
        assert one.task.solve(damaged) != draft.answers
    row = made.make(one, slot).row.to_arrow()
    assert not list(prove(one.task, draft, row, slot, True, made.tokenizer.count))


# --- what the tests of all tasks have to know -------------------------------------------------------------------------

# --- latent needles ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_member_stands_under_one_kind_and_shares_no_word_with_any_question(lang):
    listed = [member for kinds in latent.KINDS[lang] for members in kinds.values() for member in members]
    assert len(listed) == len(set(listed)) > 80
    # A solver must not find one in another.
    assert not [(one, other) for one in listed for other in listed if one != other and one in other and lang == "zh"]
    blank = dict.fromkeys((*latent.SLOTS, "name"), "")
    frames = [wording.format(**blank) for wording in latent.NEEDLES[lang]]
    asked = latent.QUESTION[lang].format(**blank)
    for frame in frames:
        assert not latent.overlap(lang, asked, frame)
    for slot, kinds in enumerate(latent.KINDS[lang]):
        for kind, members in kinds.items():
            assert not any(latent.overlap(lang, kind, frame) for frame in frames), kind
            # What the other slots of the same needle may hold, and its own members.
            others = [
                each for place, slots in enumerate(latent.KINDS[lang]) if place != slot for each in slots.values()
            ]
            for member in chain(members, *others):
                assert not latent.overlap(lang, f"{kind} {asked}", member), (kind, member)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_one_sentence_alone_fits_a_latent_question_whatever_words_it_has(lang):
    made = maker("single_needle", f"latent_{lang}", depths=1)
    config = made.recipe.configs()[0]
    found = Counter()
    for index in range(30):
        row = made.make(config, config.slot(index))
        found.update({name: score.mean for name, score in row.record.probes.scores.items()})
        plan = made.plan(config, index)
        asked = latent.kinds_of(lang, plan.facts[0].said)
        alike = Counter(
            sum(map(str.__eq__, asked, latent.kinds_of(lang, decoy.said))) for decoy in facts.draw_decoys(plan, 40)
        )
        assert alike[2] >= 20 and not alike[3]
    # The words of the question lead to no more than one sentence in twenty.
    assert max(found.values()) <= 2, found


def test_a_second_sentence_that_fits_is_found():
    made = maker("single_needle", "latent_en", depths=1)
    config = made.recipe.configs()[0]
    draft, row = made._render(config, config.slot(0))
    said = made.plan(config, 0).facts[0].said
    other = said._replace(name="Other Name")
    assert solve_needles(row.prompt) == draft.answers
    for wording in range(len(latent.NEEDLES["en"])):
        sentence = latent.sentence("en", other, wording)
        assert solve_needles(row.prompt.replace("\n\n[The text ends]", f" {sentence}\n\n[The text ends]")) == ()


CASE = Case(
    variants=separate("en", "zh", "latent_en", "latent_zh", metric="needlebench/answer"),
    mutants=NEEDLES,
    # One needle has no order.
    absent=dict.fromkeys(("en", "zh", "latent_en", "latent_zh"), ("answers_reordered",)),
)
