"""mrcr: balance, spread, the mix of fillers, finite banks, exact fit, and a conversation of its own for every row."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from cases import Case, separate
from rapidfuzz.distance import Indel

from carrara.errors import BudgetError, RecipeError, SourceError
from carrara.making.row_maker import TokenBudget
from carrara.recipe.recipe import recipe_from_table
from carrara.row import canonical_json
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.tables import PieceKey
from carrara.task import Draft, Item, Slot, plan_json, plan_stream
from carrara.tasks.michelangelo.mrcr.filler import GROUPS, TurnDeal, group_keys
from carrara.tasks.michelangelo.mrcr.prompt import EXAMPLES, REMARKS
from carrara.tasks.michelangelo.mrcr.solver import guesses, names_key, read_conversation
from carrara.tasks.michelangelo.mrcr.task import ALIKE, NEEDLES, TASK, Params
from carrara.tokens import load_tokenizer
from carrara.world.pieces import FORMATS, STYLES, TOPICS
from carrara.world.world import World

VARIANTS = tuple(NEEDLES)


@dataclass
class Tables:
    bank: object

    def pieces(self):
        return self.bank


@dataclass
class Inputs:
    tables: Tables


WORLD = Inputs(World("golden/1"))
LENGTHS = {2_049: "4k", 3_072: "4k", 4_096: "4k", 8_192: "8k", 32_768: "32k", 1 << 20: "1M"}


@cache
def make_plan(variant, index, stream="golden/1"):
    item = Item("mrcr", variant, index)
    return TASK.plan(Params(), item, Inputs(World(stream)), plan_stream(TASK, stream, variant))


def make(variant, index, length, tokenizer="o200k_base", inputs=WORLD, plan=None) -> Draft:
    slot = Slot(Item("mrcr", variant, index), LENGTHS[length], length, index, 0, length)
    return TASK.render(plan or make_plan(variant, index), slot, inputs, TokenBudget(load_tokenizer(tokenizer)))


def row_of(draft: Draft):
    return {"answers": list(draft.answers), "prompt": draft.prompt, "facts": canonical_json(draft.facts)}


def turns(draft: Draft):
    """The third conversation's (request, piece) pairs."""
    body = draft.prompt.partition("\nConversation 3\n\nUser:")[2].rpartition("\n\nUser:")[0]
    return [tuple(turn.split("\nModel: ", 1)) for turn in body.split("\n\nUser:")]


def sound(draft: Draft):
    return not list(TASK.audit(draft)) and TASK.solve(draft.prompt) == draft.answers


# --- plans ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_ordinals_formats_and_styles_are_balanced(variant):
    plans = [make_plan(variant, index) for index in range(104)]
    count = NEEDLES[variant]
    assert Counter(plan.ordinal for plan in plans) == dict.fromkeys(range(1, count + 1), 104 // count)
    assert set(Counter(plan.asked.format for plan in plans).values()) == {104 // len(FORMATS)}
    assert Counter(bool(plan.asked.style) for plan in plans) == {True: 52, False: 52}
    assert len({plan.asked for plan in plans}) > 90


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_asked_piece_stands_everywhere_alike_for_every_ordinal(variant):
    """Kolmogorov's distance from the uniform: of 200 independent points it is 0.096 or more in one case of twenty."""
    plans = [make_plan(variant, index) for index in range(200)]
    depths = np.array([plan.depths[plan.ordinal - 1] for plan in plans])
    assert distance(1 - depths) < 0.03
    for ordinal in range(1, NEEDLES[variant] + 1):
        own = np.array([depth for depth, plan in zip(depths, plans, strict=True) if plan.ordinal == ordinal])
        assert distance(1 - own) < 2.5 / len(own), ordinal
    blocks = depths[: 200 // NEEDLES[variant] * NEEDLES[variant]].reshape(-1, NEEDLES[variant])
    steps = np.sort(blocks, axis=1)
    assert np.abs(np.diff(steps, axis=1) - 1 / NEEDLES[variant]).max(initial=0) < 1e-5


def distance(points):
    points = np.sort(points)
    steps = np.arange(len(points) + 1) / len(points)
    return max((steps[1:] - points).max(), (points - steps[:-1]).max())


@pytest.mark.parametrize("variant", VARIANTS)
def test_needles_are_in_order_and_spread_before_and_behind_the_asked_one(variant):
    for index in range(60):
        plan = make_plan(variant, index)
        assert list(plan.depths) == sorted(plan.depths) and plan.depths[0] >= 0 and plan.depths[-1] < 1
        asked, behind = plan.depths[plan.ordinal - 1], len(plan.depths) - plan.ordinal
        for place in range(plan.ordinal - 1):
            low, high = (asked * step / (plan.ordinal - 1) for step in (place, place + 1))
            assert low - 1e-6 <= plan.depths[place] <= high + 1e-6
        for place in range(behind):
            low, high = (asked + (1 - asked) * step / behind for step in (place, place + 1))
            assert low - 1e-6 <= plan.depths[plan.ordinal + place] <= high + 1e-6


def test_plans_are_small_and_their_strings_differ():
    plans = [make_plan(variant, index) for variant in VARIANTS for index in range(60)]
    assert max(len(plan_json(plan)) for plan in plans) < 1_000
    assert len({plan.string for plan in plans}) == len(plans)
    assert all(re.fullmatch("[A-Za-z0-9]{12}", plan.string) for plan in plans)


def test_no_number_of_a_key_is_in_two_items():
    """The numbers of an item are a stretch of their own, of whichever variant; a row of 1M takes under 5,000 of all."""
    firsts = sorted(make_plan(variant, index).first for variant in VARIANTS for index in range(50))
    assert min(np.diff(firsts)) == 65_537
    bank = World("golden/1").pieces()
    assert bank.count(PieceKey("poem", "tides")) > 4 * 1_000_000 * 65_537


# --- fillers ----------------------------------------------------------------------------------------------------------


def deal_of(plan, bank, count):
    deal = TurnDeal(
        Stream(*plan.stream).child("filler"), bank, group_keys(plan.asked, bank.keys()), plan.mix, plan.first
    )
    return deal.take(count)


def group_of(asked, key):
    if key.format == asked.format:
        return "both" if key.topic == asked.topic else "format"
    return "topic" if key.topic == asked.topic else "neither"


@pytest.mark.parametrize(("index", "style"), [(0, False), (1, True)])
def test_fillers_overlap_the_asked_key_in_the_stated_mix(index, style):
    plans = [make_plan("2needle", number) for number in (2 * index, 2 * index + 1, 2 * index + 4, 2 * index + 5)]
    bank = World("golden/1").pieces()
    for plan in plans:
        dealt = [key for key, _ in deal_of(plan, bank, 4_000)]
        share = Counter(group_of(plan.asked, key) for key in dealt)
        parts = dict(zip(GROUPS, plan.mix, strict=True))
        if not plan.asked.style:
            parts["both"] = 0
        for name, part in parts.items():
            assert share[name] / 4_000 == pytest.approx(part / sum(parts.values()), abs=0.03), name
        assert plan.asked not in dealt
        assert all(key.style not in ("", plan.asked.style) for key in dealt if group_of(plan.asked, key) == "both")


def test_a_unit_depends_on_its_number_alone():
    plan, bank = make_plan("4needle", 3), World("golden/1").pieces()
    whole = deal_of(plan, bank, 500)
    groups = group_keys(plan.asked, bank.keys())
    deal = TurnDeal(Stream(*plan.stream).child("filler"), bank, groups, plan.mix, plan.first)
    assert [unit for count in (1, 7, 92, 400) for unit in deal.take(count)] == whole
    assert len(set(whole)) == len(whole)


def test_a_longer_row_holds_the_turns_of_a_shorter_one_but_its_last():
    for variant, index in (("1needle", 0), ("2needle", 3), ("4needle", 5)):
        told = []
        for length in (4_096, 8_192, 32_768):
            draft = make(variant, index, length)
            needles = [draft.prompt[start:end] for start, end in draft.evidence]
            told.append([piece for _, piece in turns(draft) if piece not in needles])
        for short, long in pairwise(told):
            assert [piece for piece in long if piece in short] == [piece for piece in short if piece in long]
            # The last 32 units are what `fill` chooses from.
            assert len(set(short) - set(long)) <= 6


def test_transcripts_share_no_piece():
    seen: dict[str, tuple] = {}
    for variant in VARIANTS:
        for index in range(12):
            for _, piece in turns(make(variant, index, 8_192)):
                assert seen.setdefault(piece, (variant, index)) == (variant, index)


# --- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.repeat
@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_are_solved_full_and_alike_by_no_more_than_stated(variant):
    count = NEEDLES[variant]
    before_question = 0
    for index in range(40):
        draft = make(variant, index, 4_096)
        assert sound(draft)
        tokens = load_tokenizer("o200k_base").count(draft.prompt)
        assert tokens + draft.max_output_tokens == 4_096
        key, said = draft.facts["key"], turns(draft)
        # As the world words its requests.
        named = re.compile(rf" {key['format']} about {key['topic']}\b")
        style = f" {key['style']} style" if key["style"] else ""
        asked = [number for number, (request, _) in enumerate(said) if named.search(request) and style in request]
        assert len(asked) == count == draft.complexity
        pieces = [said[number][1] for number in asked]
        assert draft.answers[0] == draft.facts["string"] + pieces[draft.facts["ordinal"] - 1]
        assert [draft.prompt[start:end] for start, end in draft.evidence] == pieces
        assert max((Indel.normalized_similarity(*two) for two in combinations(pieces, 2)), default=0) <= ALIKE
        assert len({piece for _, piece in said}) == len(said)
        assert list(draft.depths) == sorted(draft.depths)
        before_question += asked[-1] == len(said) - 1
    assert before_question < 40


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_two_hundred_rows_are_solved(variant):
    assert all(sound(make(variant, index, 4_096)) for index in range(200))


@pytest.mark.repeat
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_turn_before_the_question_is_seldom_an_asked_one(variant):
    last = 0
    for index in range(24):
        draft = make(variant, index, 32_768)
        last += draft.evidence[-1][1] + 2 == draft.prompt.rindex("\n\nUser:") + 2
    assert last <= 3


@pytest.mark.parametrize(
    ("variant", "length"),
    [
        ("2needle", 2_049),
        *(pytest.param(*case, marks=pytest.mark.repeat) for case in (("1needle", 2_049), ("4needle", 3_072))),
    ],
)
@pytest.mark.parametrize("tokenizer", ["o200k_base", pytest.param("cl100k_base", marks=pytest.mark.repeat)])
def test_short_prompts_are_filled_to_the_token(variant, length, tokenizer):
    for index in range(25):
        draft = make(variant, index, length, tokenizer)
        assert sound(draft)
        assert load_tokenizer(tokenizer).count(draft.prompt) + draft.max_output_tokens == length


@pytest.mark.parametrize(("variant", "floor"), [("1needle", 2_048), ("4needle", 3_072), ("8needle", 4_095)])
def test_cumulative_lengths_begin_where_the_needles_fit(variant, floor):
    cell = {"task": "mrcr", "variants": [variant], "questions": 400, "lengths": "cumulative"}
    table = {"name": "long", "version": "1.0.0", "stream": "long/1", "tokenizer": "o200k_base", "cell": [cell]}
    (config,) = recipe_from_table({**table, "buckets": {"32k": 32_768}}).configs()
    lengths = sorted(config.slot(index).length for index in range(400))
    assert floor < lengths[0] < floor + 200 and lengths[-1] > 32_600
    with pytest.raises(RecipeError, match=f"cumulative lengths begin at {floor} tokens"):
        recipe_from_table({**table, "buckets": {"2k": 2_048}})


def test_remarks_stand_before_requests_and_never_first():
    said = 0
    for index in range(40):
        for number, (request, _) in enumerate(turns(make("8needle", index, 4_096))):
            remarks = [remark for remark in REMARKS if f" {remark}" in request]
            assert not (remarks and number == 0)
            said += len(remarks)
    assert said > 20
    told = turns(make("2needle", 1, 32_768))
    assert not [remark for remark in REMARKS for request, _ in told if f" {remark} " in request]


def test_examples_and_remarks_name_no_key_of_the_world():
    for format_, topic, *pieces in EXAMPLES:
        assert format_ not in FORMATS and topic not in TOPICS
        assert all(len(piece) < 60 for piece in pieces)
    words = {*FORMATS, *TOPICS, *STYLES}
    for remark in REMARKS:
        assert not [word for word in words if re.search(rf"\b{word}\b", remark, re.IGNORECASE)], remark


def test_a_prompt_that_holds_the_needles_only_just_is_refused_with_what_is_missing():
    with pytest.raises(BudgetError, match="8 pieces of the asked key and the question take"):
        make("8needle", 0, 2_049)


@pytest.mark.parametrize("mix", [(0, 0, 0, 0), (0, 0, 1, 0), (-1, 1, 1, 1), (1_000, 1, 0, 0)])
def test_a_mix_that_could_give_nothing_is_refused(mix):
    with pytest.raises(ValueError, match="expected four parts"):
        Params(mix)


# --- other banks ------------------------------------------------------------------------------------------------------


@dataclass
class Bank:
    """A finite bank: `counts` pieces of each key, in words of its own."""

    counts: dict[PieceKey, int]
    wording: str = "One {format} on the theme of {topic}{style} would please me."

    def keys(self):
        return list(self.counts)

    def count(self, key):
        return self.counts[key]

    def request(self, key, number):
        assert 0 <= number < self.counts[key]
        style = f", {key.style} as ever," if key.style else ""
        return self.wording.format(format=key.format, topic=key.topic, style=style)

    def piece(self, key, number):
        draws = Stream("bank", key.format, key.topic, key.style, number)
        return " ".join(f"w{draws.below(10**6)}" for _ in range(40)) + "."


def bank(count, formats=("haiku", "ode", "memo"), topics=("rain", "rain boots", "smoke"), styles=("", "a ship’s log")):
    return Bank({PieceKey(*key): count for key in ((f, t, s) for f in formats for t in topics for s in styles)})


def plan_in(own, variant, index):
    item = Item("mrcr", variant, index)
    return TASK.plan(Params(), item, Inputs(Tables(own)), plan_stream(TASK, "bank/1", variant))


@pytest.mark.parametrize(
    "variant", [VARIANTS[-1], *(pytest.param(variant, marks=pytest.mark.repeat) for variant in VARIANTS[:-1])]
)
def test_a_finite_bank_serves_and_repeats_nothing(variant):
    own = bank(9)
    for index in range(30):
        draft = make(variant, index, 8_192, inputs=Inputs(Tables(own)), plan=plan_in(own, variant, index))
        assert sound(draft)
        assert load_tokenizer("o200k_base").count(draft.prompt) + draft.max_output_tokens == 8_192


def test_a_finite_bank_is_dealt_out_whole_and_no_further():
    own = bank(9)
    for index in range(12):
        plan = plan_in(own, "4needle", index)
        dealt = deal_of(plan, own, 1_000)
        assert len(set(dealt)) == len(dealt)
        groups = [key for group in group_keys(plan.asked, own.keys()) for key in group]
        assert Counter(key for key, _ in dealt) == dict.fromkeys(groups, 9)


def test_a_bank_that_is_too_small_says_how_much_is_missing():
    own = bank(9)
    with pytest.raises(BudgetError, match=r"the bank's pieces take \d+ tokens .* are missing"):
        make("1needle", 0, 32_768, inputs=Inputs(Tables(own)), plan=plan_in(own, "1needle", 0))
    with pytest.raises(SourceError, match="no key of the bank has 8 pieces; the most that one has is 7"):
        plan_in(bank(7), "8needle", 0)


def test_the_asked_key_has_pieces_enough_whatever_the_others_have():
    own = bank(1)
    own.counts[PieceKey("ode", "smoke")] = 8
    assert {plan_in(own, "8needle", index).asked for index in range(20)} == {PieceKey("ode", "smoke")}


def test_keys_that_the_question_could_not_name_are_not_asked():
    odd = [
        PieceKey("note about", "rain"),
        PieceKey("letter about letters", "rain"),
        PieceKey("first draft", "rain"),
        PieceKey("ode", "rain", "rhyme in prose"),
        PieceKey("ode", "life in a village style"),
        PieceKey("", "rain"),
        PieceKey("ode", "rain\nsnow"),
    ]
    own = Bank(dict.fromkeys([*odd[1:], PieceKey("ode", "life in a village")], 3))
    assert {plan_in(own, "2needle", index).asked for index in range(30)} == {PieceKey("ode", "life in a village")}


def test_a_key_whose_words_name_the_asked_one_is_no_filler():
    asked = PieceKey("ode", "rain")
    others = [
        PieceKey("ode", "rain boots"),
        PieceKey("sad ode", "rain"),
        PieceKey("memo", "an ode"),
        PieceKey("ode", "sun"),
    ]
    kept = [key for group in group_keys(asked, [asked, *others]) for key in group]
    assert kept == [PieceKey("ode", "sun"), PieceKey("memo", "an ode")]


def test_requests_that_do_not_name_their_key_and_pieces_that_are_alike_are_found():
    vague = replace(bank(9), wording="Another one on {topic}, please{style}.")
    drafts = [make("2needle", 0, 4_096, inputs=Inputs(Tables(vague)), plan=plan_in(vague, "2needle", 0))]
    assert {one.what for one in TASK.audit(drafts[0])} == {"needles"}

    class Alike(Bank):
        def piece(self, key, number):
            return super().piece(key, 0) + f" {number}"

    same = Alike(bank(9).counts)
    draft = make("2needle", 0, 4_096, inputs=Inputs(Tables(same)), plan=plan_in(same, "2needle", 0))
    assert {one.what for one in TASK.audit(draft)} == {"alike"}


# --- solver and chance ------------------------------------------------------------------------------------------------


def test_the_question_is_read_back_as_it_was_asked():
    for variant in VARIANTS:
        for index in range(12):
            plan, draft = make_plan(variant, index), make(variant, index, 4_096)
            request = read_conversation(draft.prompt).request
            assert (request.format, request.topic, request.style) == (
                plan.asked.format,
                plan.asked.topic,
                plan.asked.style,
            )
            assert request.ordinal == (plan.ordinal if NEEDLES[variant] > 1 else 0)
            assert request.string == plan.string


def test_a_key_is_named_by_whole_words_in_any_case_and_order():
    request = read_conversation(make("2needle", 0, 4_096).prompt).request
    said = f"On {request.topic.upper()}: {request.style}, a {request.format}!"
    assert names_key(request, said)
    assert not names_key(request, said.replace(request.topic.upper(), f"un{request.topic}"))


def test_guessers_begin_rightly_and_repeat_pieces():
    draft = make("2needle", 1, 8_192)
    given = guesses(draft, Stream("unused"))
    said, string, key = turns(draft), draft.facts["string"], draft.facts["key"]
    assert given["any piece"] == tuple(string + piece for _, piece in said)
    assert given["the last piece"] == (string + said[-1][1],)
    words = [rf"\b{key['format']} about ", rf" about {key['topic']}\b"]
    near = [piece for request, piece in said if any(re.search(word, request) for word in words)]
    assert given["any piece of the topic or the format"] == tuple(string + piece for piece in near)
    assert 1 < len(near) < len(said)
    scores = [METRICS["mrcr"](response, row_of(draft)) for response in given["any piece"]]
    assert scores.count(1.0) == 1


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


_TURN = "\n\nUser: "
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def _edited(draft: Draft, start: int, end: int, text: str) -> Draft:
    """The draft with prompt[start:end] replaced and the spans behind it moved."""
    shift = len(text) - (end - start)
    evidence = tuple((a + shift, b + shift) if a >= end else (a, b) for a, b in draft.evidence)
    return replace(draft, prompt=draft.prompt[:start] + text + draft.prompt[end:], evidence=evidence)


def _turn(draft: Draft, number: int) -> tuple[int, int]:
    """Where needle `number` stands with its request, from "User:" to the blank line behind it."""
    start, end = draft.evidence[number]
    return draft.prompt.rindex("User:", 0, start), end + 2


def _filler(draft: Draft) -> tuple[int, int, int]:
    """A turn of another key: where its request begins, where that ends, where its piece ends; (0, 0, 0) for none."""
    at = draft.prompt.index("\nConversation 3\n\n") + len("\nConversation 3\n")
    last = draft.prompt.rindex(_TURN)
    while at < last:
        end = draft.prompt.index(_TURN, at + 1)
        middle = draft.prompt.index("\nModel: ", at)
        if (middle + len("\nModel: "), end) not in draft.evidence:
            return draft.prompt.index("User: ", at) + len("User: "), middle, end
        at = end
    return 0, 0, 0


def needle_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A needle is taken out with its request, in the text alone and in what is recorded too."""
    for number in range(len(draft.evidence)):
        start, end = _turn(draft, number)
        kept = [span for place, span in enumerate(draft.evidence) if place != number]
        yield _edited(draft, start, end, "")
        fewer = _edited(replace(draft, evidence=tuple(kept)), start, end, "")
        yield replace(fewer, complexity=len(kept), depths=draft.depths[: len(kept)])


def needle_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A needle comes a second time; another piece answers its request once more."""
    start, end = _turn(draft, 0)
    turn = draft.prompt[start:end]
    theirs = other.prompt[slice(*other.evidence[0])]
    yield _edited(draft, end, end, turn)
    yield _edited(draft, end, end, turn.replace(draft.prompt[slice(*draft.evidence[0])], theirs))


def ordinal_shifted(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question asks for another of the pieces, or for the second of one."""
    at = draft.prompt.rindex("word for word the ") + len("word for word the ")
    now = _ORDINALS[draft.facts["ordinal"] - 1] + " " if len(draft.evidence) > 1 else ""
    for ordinal in (*_ORDINALS, ""):
        named = f"{ordinal} " if ordinal else ""
        if named != now and not (len(draft.evidence) == 1 and ordinal == "first"):
            yield _edited(draft, at, at + len(now), named)


def needles_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The asked piece changes places with another piece, a needle's or not."""
    asked = draft.evidence[draft.facts["ordinal"] - 1]
    others = [span for span in draft.evidence if span != asked]
    _, middle, end = _filler(draft)
    others += [(middle + len("\nModel: "), end)] * bool(end)
    for span in others[:3]:
        one, two = sorted((asked, span))
        first, second = draft.prompt[slice(*one)], draft.prompt[slice(*two)]
        # Back to front, so that the first span stays where it is.
        yield _edited(_edited(draft, *two, first), *one, second)


def needle_altered(draft: Draft, other: Draft) -> Iterator[Draft]:
    """One word of the asked piece is another, in the text alone and in the gold alone."""
    start, end = draft.evidence[draft.facts["ordinal"] - 1]
    at = draft.prompt.index(" ", start + (end - start) // 2)
    yield _edited(draft, at, at, " otherwise")
    yield replace(draft, answers=(draft.answers[0].replace(" ", " otherwise ", 1),))


def key_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The request of a needle asks for another topic."""
    topic = draft.facts["key"]["topic"]
    for start, _ in draft.evidence:
        at = draft.prompt.rindex(topic, 0, start)
        yield _edited(draft, at, at + len(topic), "marmalade")


def filler_made_relevant(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The request of another piece becomes one for the asked key."""
    start, end, _ = _filler(draft)
    first, _ = _turn(draft, 0)
    request = draft.prompt[first + len("User: ") : draft.prompt.index("\nModel: ", first)]
    if end:
        yield _edited(draft, start, end, request)


def gold_in_filler(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The asked piece stands inside another piece too; the string as well."""
    _, _, end = _filler(draft)
    if end:
        yield _edited(draft, end, end, "\n" + draft.answers[0][12:])
        yield _edited(draft, end, end, " " + draft.answers[0][:12])


def string_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question names another string."""
    at = draft.prompt.rindex(draft.answers[0][:12])
    yield _edited(draft, at, at + 12, other.answers[0][:12])


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The last turn is another item's."""
    yield _edited(draft, draft.prompt.rindex(_TURN), len(draft.prompt), other.prompt[other.prompt.rindex(_TURN) :])


def gold_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The recorded gold is that of another item."""
    yield replace(draft, answers=other.answers)


MUTANTS = (
    needle_removed,
    needle_doubled,
    ordinal_shifted,
    needles_swapped,
    needle_altered,
    key_changed,
    filler_made_relevant,
    gold_in_filler,
    string_changed,
    question_of_another,
    gold_exchanged,
)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------

CASE = Case(
    variants=separate("1needle", "2needle", "4needle", "8needle", metric="mrcr"),
    mutants=MUTANTS,
    reads=lambda variant: "pieces",
)
