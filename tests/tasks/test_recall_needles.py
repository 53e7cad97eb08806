"""Synthetic recall by key: json_kv and RULER's eight needle tasks, their material, their lengths and their traps."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from mutants import edited

from carrara.errors import BudgetError, CarraraError, RecipeError
from carrara.making.row_maker import RowMaker, TokenBudget
from carrara.recipe.recipe import recipe_from_table
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.task import Draft, Item, Slot, plan_from_json, plan_json, plan_stream
from carrara.tasks.helmet.synthetic_recall import needles as recall_needles
from carrara.tasks.helmet.synthetic_recall import pairs as recall_pairs
from carrara.tasks.helmet.synthetic_recall.filler import uuids
from carrara.tasks.helmet.synthetic_recall.kind import Params
from carrara.tasks.helmet.synthetic_recall.needles_hay import (
    NUMBERS,
    NamePrices,
    RepeatedPhrase,
    drawn,
    supply,
    word_lists,
)
from carrara.tasks.helmet.synthetic_recall.needles_solver import read_prompt
from carrara.tasks.helmet.synthetic_recall.pairs_solver import read_prompt as read_pairs
from carrara.tasks.helmet.synthetic_recall.prompt import NEEDLE, SHAPES
from carrara.tasks.helmet.synthetic_recall.task import KINDS, TASK
from carrara.tokens import load_tokenizer

NEEDLES = tuple(SHAPES)
VARIANTS = ("json_kv", *NEEDLES)
REGISTERS = ("niah_multikey_2", "niah_multikey_3")
STREAM = "conformance/1"


@cache
def maker(variant: str, encoding: str = "o200k_base", stream: str = STREAM) -> RowMaker:
    cell = {"task": "synthetic_recall", "variants": [variant], "questions": 2}
    return RowMaker(
        recipe_from_table(
            {
                "name": "recall",
                "version": "1.0.0",
                "stream": stream,
                "tokenizer": encoding,
                "buckets": {"4k": 4_096},
                "cell": [cell],
            }
        ),
        None,
    )


def planned(variant: str, item: int, stream: str = STREAM, **params):
    return TASK.plan(
        Params(**params),
        Item(TASK.name, variant, item),
        maker(variant).inputs("world"),
        plan_stream(TASK, stream, variant),
    )


def made(variant, item=0, length=4_096, placement=0, encoding="o200k_base", stream=STREAM, **params) -> Draft:
    own = maker(variant, encoding, stream)
    slot = Slot(Item(TASK.name, variant, item), "x", length, item, placement, length)
    return TASK.render(planned(variant, item, stream, **params), slot, own.inputs("world"), own.budget)


def tokens(draft: Draft, encoding: str = "o200k_base") -> int:
    return maker("json_kv", encoding).tokenizer.count(draft.prompt)


def sound(draft: Draft) -> bool:
    return not list(TASK.audit(draft)) and TASK.solve(draft.prompt) == draft.answers


def row_of(draft: Draft) -> dict:
    return {"prompt": draft.prompt, "answers": list(draft.answers), "facts": json.dumps(draft.facts)}


def lines_of(draft: Draft) -> list[str]:
    """The units of a listing: pairs without their comma, or lines of a register."""
    if draft.facts["variant"] == "json_kv":
        reading = read_pairs(draft.prompt)
        return [f"{key} {value}" for key, value in reading.pairs]
    return [f"{key} {value}" for key, value in read_prompt(draft.prompt).needles]


# --- lengths ----------------------------------------------------------------------------------------------------------


@pytest.mark.repeat
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_length_is_filled_to_the_token(variant, encoding):
    for number, length in enumerate((2_500, 3_001, 4_096, 5_555, 8_192, 12_345)):
        for item in (number, number + 7):
            draft = made(variant, item, length, placement=number, encoding=encoding)
            assert tokens(draft, encoding) + draft.max_output_tokens == length, (item, length)
            assert sound(draft)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_does_not_fit_is_refused(variant):
    with pytest.raises(BudgetError):
        made(variant, length=180)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("variant", ["json_kv", *REGISTERS, "niah_single_1"])
def test_a_million_tokens_repeat_no_key_and_no_value(variant, encoding):
    draft = made(variant, 3, 1_048_576, placement=4, encoding=encoding)
    assert tokens(draft, encoding) + draft.max_output_tokens == 1_048_576 and sound(draft)
    if variant != "niah_single_1":
        parts = [part for line in lines_of(draft) for part in line.split()]
        assert len(set(parts)) == len(parts) > 40_000


# --- json_kv ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shots", [0, 2])
@pytest.mark.parametrize("placement", range(6))
def test_the_object_is_json_without_a_duplicate_and_the_pair_at_its_place(placement, shots):
    draft = made("json_kv", 2, 6_000, placement, shots=shots)
    start, end = draft.prompt.rindex("\n\n{\n") + 2, draft.prompt.rindex("\n}") + 2
    pairs = json.loads(draft.prompt[start:end], object_pairs_hook=list)
    keys, values = zip(*pairs, strict=True)
    assert len({*keys, *values}) == 2 * len(pairs) > 150
    last = len(pairs) - 1
    assert keys.index(draft.facts["key"]) in {int(placement * last / 5), int(placement * last / 5 + 0.5)}
    assert dict(pairs)[draft.facts["key"]] == draft.answers[0]
    assert draft.prompt.count('"\n}') == 1 + shots and draft.facts["position"] == [placement, 6]
    assert draft.prompt.count("\nAnswer: ") == shots
    assert sound(draft)


def test_both_ends_are_places():
    first, last = (read_pairs(made("json_kv", 1, placement=placement).prompt) for placement in (0, 5))
    key = first.key
    assert first.pairs[0][0] == key == last.pairs[-1][0]
    # The other pairs stand in the same order.
    assert first.pairs[1:] == last.pairs[:-1]


def test_a_single_position_spreads_over_items():
    places = []
    for item in range(12):
        draft = made("json_kv", item, 3_000, positions=1)
        assert sound(draft)
        places.append(draft.depths[0])
    gaps = [b - a for a, b in pairwise(sorted([0.0, *places, 1.0]))]
    assert max(gaps) < 0.2


def test_examples_are_short_of_their_own_and_ask_for_two_places():
    seen = Counter()
    for item in range(30):
        plan = planned("json_kv", item)
        one, two = plan.examples
        assert one.asked != two.asked and len(one.pairs) == len(two.pairs) == 4
        texts = [part for example in plan.examples for pair in example.pairs for part in (pair.key, pair.value)]
        assert len({*texts, plan.asked.key, plan.asked.value}) == 18
        seen.update((one.asked, two.asked))
    assert set(seen) == {0, 1, 2, 3}


def test_without_examples_the_material_is_the_same():
    bare, shown = made("json_kv", 3, 20_000, shots=0), made("json_kv", 3, 20_000)
    assert bare.answers == shown.answers and "Example" not in bare.prompt
    # What is left out to fit is among the last 256 pairs.
    assert lines_of(bare)[:140] == lines_of(shown)[:140]


# --- needles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", NEEDLES)
def test_a_variant_has_what_ruler_gives_it(variant):
    draft = made(variant, 4, 8_192)
    reading, shape = read_prompt(draft.prompt), SHAPES[variant]
    needles = {"niah_multikey_1": 4, "niah_multivalue": 4, "niah_multiquery": 4}.get(variant, 1)
    if variant in REGISTERS:
        assert len(reading.needles) > 80 and reading.exact
    else:
        assert len(reading.needles) == needles and not reading.exact
    assert len(draft.answers) == (4 if shape.asks != "one" else 1) == len(draft.evidence)
    assert len(reading.asked) == (4 if shape.asks == "each" else 1)
    assert len({key for key, _ in reading.needles}) == (1 if shape.asks == "all" else len(reading.needles))
    assert all(value.isdecimal() == (shape.values == "number") for _, value in reading.needles)
    for (start, end), answer in zip(draft.evidence, draft.answers, strict=True):
        assert answer in draft.prompt[start:end] and draft.prompt[start:end].startswith("Under ")


def test_values_of_one_key_are_answered_as_they_stand_and_queries_as_they_are_asked():
    orders = set()
    for item in range(12):
        draft = made("niah_multivalue", item)
        assert list(draft.evidence) == sorted(draft.evidence) and list(draft.depths) == sorted(draft.depths)
        draft = made("niah_multiquery", item)
        asked = draft.prompt[draft.prompt.rindex(" list under ") :]
        assert [key for key in draft.facts["asked"] if key in asked] == draft.facts["asked"]
        assert sorted(draft.facts["asked"], key=asked.index) == draft.facts["asked"]
        orders.add(tuple(np.argsort([start for start, _ in draft.evidence]).tolist()))
    # What is asked first does not stand first.
    assert len(orders) > 6


@pytest.mark.parametrize("variant", NEEDLES)
def test_depths_are_even_over_items(variant):
    items = 40
    plans = [planned(variant, item) for item in range(items)]
    depths = [[plan.needles[number].depth for number in plan.asked] for plan in plans]
    if SHAPES[variant].asks == "one":
        found = sorted(depth for (depth,) in depths)
        assert max(b - a for a, b in pairwise([0.0, *found, 1.0])) < 3 / items
    else:
        # One in each quarter, and over forty items each place of it twice.
        for row in depths:
            assert sorted(int(4 * depth) for depth in row) == [0, 1, 2, 3]
        assert set(Counter(depth for row in depths for depth in row).values()) == {2}
        # The distance of neighbours is not one number or two.
        assert len({round(sorted(row)[1] - sorted(row)[0], 4) for row in depths}) > 10


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.repeat
def test_items_share_no_key_and_no_value(variant):
    asked = []
    for item in range(400):
        plan = planned(variant, item)
        needles = [plan.asked] if variant == "json_kv" else plan.needles
        asked += [{needle.key for needle in needles}, {needle.value for needle in needles}]
    flat = [text for texts in asked for text in texts]
    assert len(set(flat)) == len(flat)


@pytest.mark.parametrize(
    ("variant", "params", "answers"),
    [
        ("niah_multikey_1", {"distractors": 16}, 1),
        ("niah_multivalue", {"values": 16}, 16),
        pytest.param("niah_multivalue", {"values": 2}, 2, marks=pytest.mark.repeat),
        pytest.param("niah_multiquery", {"queries": 16}, 16, marks=pytest.mark.repeat),
        ("niah_multiquery", {"queries": 2}, 2),
    ],
)
def test_a_recipe_sets_how_many(variant, params, answers):
    for item in range(4):
        draft = made(variant, item, **params)
        assert len(draft.answers) == answers and sound(draft)
        assert tokens(draft) + draft.max_output_tokens == 4_096
        assert METRICS["ruler/precise"]("\n".join(draft.answers), row_of(draft)) == 1
        assert 1.05 * maker(variant).tokenizer.count("\n".join(draft.answers)) <= draft.max_output_tokens
    assert len(draft.facts["needles"]) == (17 if variant == "niah_multikey_1" else answers)


@pytest.mark.parametrize(
    "params",
    [{"positions": 0}, {"distractors": 17}, {"values": 1}, {"queries": 17}, {"shots": 3}],
)
def test_a_recipe_cannot_set_everything(params):
    cell = {"task": "synthetic_recall", "variants": ["json_kv"], "questions": 2, "params": params}
    table = {"name": "recall", "version": "1.0.0", "stream": STREAM, "tokenizer": "o200k_base"}
    with pytest.raises(CarraraError):
        recipe_from_table({**table, "buckets": {"4k": 4_096}, "cell": [cell]})


def test_the_object_has_no_single_example():
    with pytest.raises(RecipeError, match="shots = 1 with json_kv"):
        made("json_kv", 0, 6_000, shots=1)


# --- keys, values, filler ---------------------------------------------------------------------------------------------


def test_no_name_is_part_of_another():
    adjectives, nouns = word_lists()
    # One name is part of another where its adjective ends the other's and its noun begins the other's.
    assert not [(a, b) for a in adjectives for b in adjectives if a != b and b.endswith(a)]
    assert not [(a, b) for a in nouns for b in nouns if a != b and b.startswith(a)]
    assert all(word.isascii() and word.islower() and word.isalpha() for word in (*adjectives, *nouns))
    # A register of a million tokens takes 84,500 under o200k_base and cl100k_base.
    assert supply("words") == len(adjectives) * len(nouns) > 200_000


def test_the_prose_holds_no_key_and_no_value():
    units = maker("niah_single_2").inputs("world").haystack("en", Stream("any"), 1_300_000, False)
    text = units.text(0, len(units.costs))
    adjectives, nouns = word_lists()
    pairs = {(a, b) for word in re.findall(r"[a-z]+(?:-[a-z]+)+", text) for a, b in pairwise(word.split("-"))}
    assert len(text) > 5_000_000 and len(pairs) > 20
    assert not [one for one in pairs if one[0].endswith(adjectives) and one[1].startswith(nouns)]
    # Its numbers have four digits at most, and a comma; those asked for have seven.
    assert not re.search(r"\d{5}|\d,\d{3},\d", text)


@pytest.mark.parametrize("form", ["words", "number", "uuid"])
def test_draws_are_unique_and_the_same_in_any_portion(form):
    stream = Stream("x", "keys")
    whole = drawn(stream, form, 0, 100_000)
    assert len(set(whole)) == len(whole)
    assert drawn(stream, form, 0, 10) + drawn(stream, form, 10, 500) + drawn(stream, form, 510, 1) == whole[:511]
    assert not set(whole[:1_000]) & set(drawn(Stream("y", "keys"), form, 0, 1_000)) or form == "words"
    assert form != "number" or {len(text) for text in whole} == {7}


def test_numbers_and_names_come_again_past_their_supply_and_not_before():
    stream = Stream("x", "keys")
    assert drawn(stream, "number", NUMBERS - 2, 4)[2:] == drawn(stream, "number", 0, 2)
    everything = drawn(stream, "words", 0, supply("words"))
    assert len(set(everything)) == supply("words")


def test_uuids_are_pinned_and_of_version_4():
    found = uuids(Stream("uuid", 1), 0, 4_000)
    assert found[:2] == ["da8fb546-347f-4055-86a9-118ad550506a", "2090e872-63f0-49b9-956e-84a91582be56"]
    assert uuids(Stream("uuid", 1), 3, 2) == found[3:5]
    assert {text[14] for text in found} == {"4"} and {text[19] for text in found} == {"8", "9", "a", "b"}
    # 250 of each digit are expected.
    for place in (0, 7, 9, 15, 20, 24, 35):
        counts = Counter(text[place] for text in found)
        assert len(counts) == 16 and max(counts.values()) < 330 and min(counts.values()) > 180


def test_the_phrase_gives_any_stretch_of_its_units():
    budget = TokenBudget(load_tokenizer("o200k_base"))
    phrase = RepeatedPhrase(500, budget)
    units = [phrase.text(number, number + 1) for number in range(30)]
    for start in range(12):
        for stop in range(start, 30):
            assert phrase.text(start, stop) == "".join(units[start:stop])
    assert len(phrase.costs) == len(phrase.droppable) and phrase.costs.sum() > 500
    assert budget.count(phrase.text(0, 30)) == phrase.costs[:30].sum()


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_a_register_priced_by_words_costs_what_it_is_counted_to_cost(encoding):
    budget = TokenBudget(load_tokenizer(encoding))
    keys, values = (drawn(Stream("x", name), form, 0, 5_000) for name, form in (("k", "words"), ("v", "number")))
    lines = [NEEDLE.format(key=key, value=value) + "\n" for key, value in zip(keys, values, strict=True)]
    prices = NamePrices(budget)
    assert (prices(lines[:256]) == budget.count_many(lines[:256])).all()
    assert (prices(lines[256:]) == budget.count_many(lines[256:])).all()
    counted: list[str] = []

    class Watched(TokenBudget):
        def count_many(self, texts):
            counted.extend(texts)
            return super().count_many(texts)

    watched = NamePrices(Watched(load_tokenizer(encoding)))
    watched(lines[:256])
    counted.clear()
    watched(lines[256:])
    assert counted == []


def test_a_register_is_counted_line_by_line_where_words_do_not_add_up():
    class Letters:
        """A tokenizer in which the number of a line changes what the line costs."""

        def count(self, text):
            return len(text) + text.count("7")

        def count_many(self, texts):
            return np.array([self.count(text) for text in texts])

        def measure(self, prompt):
            return self.count(prompt)

    keys, values = (drawn(Stream("x", name), form, 0, 600) for name, form in (("k", "words"), ("v", "number")))
    lines = [NEEDLE.format(key=key, value=value) + "\n" for key, value in zip(keys, values, strict=True)]
    prices = NamePrices(Letters())
    assert [*prices(lines[:256]), *prices(lines[256:])] == Letters().count_many(lines).tolist()


@pytest.mark.parametrize("variant", ["json_kv", *REGISTERS])
def test_a_smaller_row_is_a_subsequence_of_a_larger_one(variant):
    small, large = (lines_of(made(variant, 5, length, placement=2)) for length in (4_096, 30_000))
    rest = [line for line in large if line in set(small)]
    asked = made(variant, 5).answers[0]

    def without(lines):
        return [line for line in lines if not line.endswith(asked)]

    # What a larger row leaves out is among its last 256 lines.
    assert without(rest) == without(small) and len(large) > 5 * len(small)
    places = [
        next(at for at, line in enumerate(lines) if line.endswith(asked)) / len(lines) for lines in (small, large)
    ]
    assert abs(places[0] - places[1]) < 0.02


@pytest.mark.parametrize(
    "variant",
    ["niah_single_2", *(pytest.param(one, marks=pytest.mark.repeat) for one in VARIANTS if one != "niah_single_2")],
)
def test_another_tokenizer_says_the_same(variant):
    ours, theirs = made(variant, 2, 20_000), made(variant, 2, 20_000, encoding="cl100k_base")
    assert (ours.answers, ours.facts) == (theirs.answers, theirs.facts)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_twin_shares_no_material(variant):
    ours, twin = (planned(variant, 0, stream) for stream in (STREAM, "recall/2"))
    if variant == "json_kv":
        texts = [{part for pair in plan.examples[0].pairs for part in (pair.key, pair.value)} for plan in (ours, twin)]
    else:
        texts = [{part for needle in plan.needles for part in (needle.key, needle.value)} for plan in (ours, twin)]
    assert not texts[0] & texts[1]
    if variant in ("json_kv", *REGISTERS):
        values = [
            {line.split()[1] for line in lines_of(made(variant, 0, stream=name))} for name in (STREAM, "recall/2")
        ]
        assert not values[0] & values[1]


# --- solving, plans ---------------------------------------------------------------------------------------------------


def test_kinds_know_their_own_prompts_alone():
    for variant in VARIANTS:
        draft = made(variant, 1)
        for kind in (recall_pairs.KIND, recall_needles.KIND):
            assert kind.solve(draft.prompt) == (draft.answers if KINDS[variant] is kind else ())


def test_only_a_hint_says_that_needles_are_hidden():
    plain, hinted = (made("niah_single_2", hint=hint) for hint in (False, True))
    told = "One or more of its sentences have nothing to do with the rest"
    assert told in hinted.prompt and told not in plain.prompt and sound(hinted) and sound(plain)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_prompt_that_is_changed_at_its_frame_has_no_answer(variant):
    prompt = made(variant).prompt
    end = prompt.rindex(" ends here.")
    for damaged in (
        prompt[1:],
        prompt[:-1],
        prompt + " ",
        prompt.replace("Here is the", "This is the", 1)
        if variant != "json_kv"
        else prompt.replace("Here is", "This is"),
        prompt[:end] + " stops here." + prompt[end + len(" ends here.") :],
        prompt.replace("Reply with", "Answer with"),
    ):
        assert damaged != prompt and TASK.solve(damaged) == ()


def test_the_solver_reads_hostile_text_in_bounded_time():
    for text in ("Under a-b the register lists " * 60_000, '{\n"' * 400_000, "Here is the object.\n\n{\n" * 50_000):
        for variant in ("json_kv", "niah_single_2", "niah_multikey_2"):
            prompt = made(variant).prompt
            middle = len(prompt) // 2
            assert TASK.solve(prompt[:middle] + text + prompt[middle:]) in ((), made(variant).answers)


@pytest.mark.parametrize("variant", VARIANTS)
def test_plans_are_told_apart_when_read_back(variant):
    plan = planned(variant, 3)
    assert plan_from_json(TASK.plan_type, plan_json(plan)) == plan
    assert type(plan_from_json(TASK.plan_type, plan_json(plan))) is KINDS[variant].plan_type


# --- guessing ---------------------------------------------------------------------------------------------------------


def guessed(variant: str, items: int, length: int = 4_096, **params) -> dict[str, float]:
    """The mean score of every guesser over items, by the default metric."""
    sums: Counter[str] = Counter()
    for item in range(items):
        draft = made(variant, item, length, **params)
        for name, responses in TASK.guesses(draft, Stream("guesses", item)).items():
            scores = [METRICS[TASK.metric(variant)](text, row_of(draft)) for text in responses]
            sums[name] += sum(scores) / max(1, len(scores))
    return {name: total / items for name, total in sums.items()}


def test_guessers_of_pairs_score_what_chance_gives():
    found = guessed("json_kv", 12)
    assert found["the first value"] == found["the last value"] == pytest.approx(1 / 6)
    assert found.pop("any value") < 0.02
    assert {name for name, score in found.items() if score} == {"the first value", "the last value"}


@pytest.mark.parametrize("variant", [name for name in NEEDLES if "multi" in name])
@pytest.mark.repeat
def test_guessers_of_needles_score_what_chance_gives(variant):
    found = guessed(variant, 24)
    many = variant in REGISTERS
    if SHAPES[variant].asks == "one":
        assert found["the first values of the text"] <= (0.05 if many else 0.5)
        share = 1 / len(read_prompt(made(variant).prompt).needles)
        assert found["any value of the text"] == pytest.approx(share, rel=0.1)
        assert found["the value of a key that is like the one asked"] == 0
    else:
        # All needles are asked: a guesser that gives one value is right with one of four, at its own place alone.
        assert found["any value of the text"] == (0.25 if SHAPES[variant].asks == "all" else 1 / 16)
    assert found["the keys again"] == 0


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


_LINE = re.compile(r'"([0-9a-f-]{36})": "([0-9a-f-]{36})",?\n')
_NEEDLE = re.compile(r"Under ([a-z0-9-]+) the register lists ([a-z0-9-]+)\.")


def is_pairs(draft: Draft) -> bool:
    return draft.facts["variant"] == "json_kv"


def is_register(draft: Draft) -> bool:
    return draft.facts["variant"] in ("niah_multikey_2", "niah_multikey_3")


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def statements(draft: Draft) -> list[re.Match[str]]:
    """The pairs of the object, or the needles: of each its key and its value."""
    if is_pairs(draft):
        return list(_LINE.finditer(draft.prompt, draft.prompt.index("Here is the object.")))
    return list(_NEEDLE.finditer(draft.prompt))


def fillers(draft: Draft) -> list[re.Match[str]]:
    """Those that are not asked."""
    held = [start for start, _ in draft.evidence]
    return [one for one in statements(draft) if one.start() not in held]


def key_and_value(draft: Draft, number: int) -> tuple[str, str]:
    """What the evidence says."""
    start, end = draft.evidence[number]
    (found,) = [one for one in statements(draft) if start <= one.start() < end]
    return found[1], found[2]


def another(text: str) -> str:
    """A value of the same form that is another one."""
    digit = "8" if text[0] != "8" else "3"
    return digit + text[1:]


def evidence_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each pair or needle that is asked is taken out, with its line or its space."""
    for start, end in draft.evidence:
        after = 2 if draft.prompt[end] == "," else 1
        yield edited(draft, start, min(end + after, len(draft.prompt)), "")


def evidence_stated_again(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What is asked is stated again: the same, and with another value."""
    for number, (start, end) in enumerate(draft.evidence):
        _, value = key_and_value(draft, number)
        said = draft.prompt[start:end]
        joint = ",\n" if is_pairs(draft) else "\n" if is_register(draft) else " "
        for again in (said, said.replace(value, another(value)), said.replace(value, other.answers[0])):
            yield edited(draft, end, end, joint + again)
            yield edited(draft, start, start, again + joint)


def value_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The value in the text is another one; the record is as it was."""
    for number, (start, end) in enumerate(draft.evidence):
        _, value = key_and_value(draft, number)
        yield edited(draft, start, end, draft.prompt[start:end].replace(value, another(value)))


def key_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The key in the text is another one, so that nothing is listed under what is asked."""
    for number, (start, end) in enumerate(draft.evidence):
        key, _ = key_and_value(draft, number)
        yield edited(draft, start, end, draft.prompt[start:end].replace(key, another(key)))


def filler_given_the_key(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Filler is made relevant: another pair or needle gets the key that is asked."""
    found = fillers(draft)
    key, _ = key_and_value(draft, 0)
    for one in (found[0], found[-1]):
        yield edited(draft, one.start(1), one.end(1), key)


def gold_beside(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold stands in filler too: as another value, and in the text."""
    for one in fillers(draft)[:1]:
        yield edited(draft, one.start(2), one.end(2), draft.answers[0])
    if not is_pairs(draft):
        middle = draft.prompt.index("\n", len(draft.prompt) // 3)
        yield edited(draft, middle, middle, f" {draft.answers[0]}")
        yield edited(draft, middle, middle, f" It was number 1{draft.answers[-1]}2.")


def key_in_the_text(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The key stands in a sentence of another form."""
    if not is_pairs(draft):
        middle = draft.prompt.index("\n", len(draft.prompt) // 3)
        yield edited(draft, middle, middle, f" There was once talk of un{draft.facts['asked'][-1]}s.")


def filler_repeated(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A pair or needle that is not asked stands twice, or gets the key or the value of another such one."""
    found = fillers(draft)
    one, last = found[0], found[-1]
    yield edited(draft, one.start(1), one.end(1), last[1])
    yield edited(draft, one.start(2), one.end(2), last[2])
    text = one[0] if is_pairs(draft) else one[0] + ("\n" if is_register(draft) else " ")
    yield edited(draft, one.start(), one.start(), text)


def swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two values change places."""
    one = fillers(draft)[-1]
    _, value = key_and_value(draft, 0)
    first = edited(draft, one.start(2), one.end(2), value)
    start, end = first.evidence[0]
    yield edited(first, start, end, draft.prompt[slice(*draft.evidence[0])].replace(value, one[2]))


def moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What is asked stands at the other end of the text."""
    for number, (start, end) in enumerate(draft.evidence):
        said, prompt = draft.prompt[start:end], draft.prompt
        found = statements(draft)
        # The last line of an object has no comma: pairs change places with their neighbour only in the middle.
        if is_pairs(draft) or is_register(draft):
            place = next(at for at, one in enumerate(found) if one.start() == start)
            target = found[-4 if place < len(found) // 2 else 3]
            lines = [found[place], target]
            a, b = sorted(lines, key=lambda one: one.start())
            if a[0][-2:] == ",\n" or is_register(draft):
                text = prompt[: a.start()] + b[0] + prompt[a.end() : b.start()] + a[0] + prompt[b.end() :]
                at = text.index(said)
                yield replace(draft, prompt=text, evidence=((at, at + len(said)),))
            return
        low = prompt.index("\n\n", prompt.index("Here is the text.") + 40)
        high = prompt.rindex("\n\n", 0, len(prompt) - 700)
        target = high if start < len(prompt) // 2 else low
        text = prompt[:target] + f" {said}" + prompt[target:]
        old = start if start < target else start + len(said) + 1
        text = (
            text[: old - 1] + text[old + len(said) :] if text[old - 1] == " " else text[:old] + text[old + len(said) :]
        )
        spans = list(draft.evidence)
        at = text.index(said)
        spans[number] = (at, at + len(said))
        yield replace(draft, prompt=text, evidence=tuple(spans))


def record_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The record says another place, another depth, another number of things."""
    if is_pairs(draft):
        placement, positions = draft.facts["position"]
        yield with_facts(draft, position=[positions - 1 - placement, positions])
        yield with_facts(draft, shots=2 - draft.facts["shots"])
    if not is_pairs(draft):
        wrong = [[key, value, 1 - depth if abs(depth - 0.5) > 0.1 else 0.0] for key, value, depth in _needles(draft)]
        yield with_facts(draft, needles=wrong)
        yield with_facts(draft, needles=[*_needles(draft), ["no-such", "1234567", 0.5]])
        yield with_facts(draft, values=draft.facts["values"] + 1)
    wrong_depth = 1 - draft.depths[0] if abs(draft.depths[0] - 0.5) > 0.1 else 0.9
    yield replace(draft, depths=(wrong_depth, *draft.depths[1:]))
    yield replace(draft, complexity=2)


def _needles(draft: Draft) -> list[list[Any]]:
    return [list(one) for one in draft.facts["needles"]]


def another_key_asked(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another key is asked: one of the text, and one of no text, in the record too."""
    key = draft.facts["key"] if is_pairs(draft) else draft.facts["asked"][0]
    at = draft.prompt.rindex(key)
    keys = [one[1] for one in fillers(draft)[-1:]]
    keys.append(other.facts["key"] if is_pairs(draft) else other.facts["asked"][0])
    for new in keys:
        asked = edited(draft, at, at + len(key), new)
        yield asked
        if is_pairs(draft):
            yield with_facts(asked, key=new)
        else:
            yield with_facts(asked, asked=[new, *draft.facts["asked"][1:]])


def example_wrong(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example gives the value of another key, or asks what the row asks."""
    found = re.search(r"\nAnswer: (.{36})\n", draft.prompt)
    first = _LINE.search(draft.prompt)
    assert found and first
    yield edited(draft, found.start(1), found.end(1), another(found[1]))
    yield edited(draft, first.start(1), first.end(1), draft.facts["key"])
    yield edited(draft, first.start(2), first.end(2), draft.answers[0])


def layout_broken(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A line that is no pair, a needle of another wording, a character that was lost."""
    for one in fillers(draft)[:1]:
        yield edited(draft, one.start(), one.end(), one[0].upper())
        if is_pairs(draft):
            yield edited(draft, one.end() - 2, one.end() - 1, "")
    if not is_pairs(draft):
        middle = draft.prompt.index("\n", len(draft.prompt) // 3)
        yield edited(draft, middle, middle, " \ufffd")
    for number, (start, end) in enumerate(() if is_pairs(draft) else draft.evidence):
        _, value = key_and_value(draft, number)
        yield edited(draft, start, end, draft.prompt[start:end].replace(f"lists {value}", f"has {value}"))


def answers_in_another_order(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The answers stand for other questions."""
    yield replace(draft, answers=(*draft.answers[1:], draft.answers[0]))
    order = [*range(1, len(draft.evidence)), 0]
    yield replace(draft, evidence=tuple(draft.evidence[number] for number in order))


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is that of another item."""
    yield replace(draft, answers=other.answers)


_ALL = (
    evidence_lost,
    evidence_stated_again,
    value_changed,
    key_changed,
    gold_beside,
    moved,
    record_moved,
    another_key_asked,
    layout_broken,
    gold_of_another,
)
_OTHERS = (filler_given_the_key, filler_repeated, swapped)
MUTANTS = {
    "json_kv": (*_ALL, *_OTHERS, example_wrong),
    **{f"niah_single_{number}": (*_ALL, key_in_the_text) for number in (1, 2, 3)},
    **{f"niah_multikey_{number}": (*_ALL, *_OTHERS, key_in_the_text) for number in (1, 2, 3)},
    **{f"niah_{name}": (*_ALL, key_in_the_text, answers_in_another_order) for name in ("multivalue", "multiquery")},
}
