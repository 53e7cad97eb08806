"""Variable tracking: chains in order and apart, every name once, lengths to the token, any chain as likely asked."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from recalled import objections, recall_draft, recall_maker, recall_plan, used

from carrara.context import Piece
from carrara.errors import BudgetError
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.task import plan_from_json, plan_json
from carrara.tasks.helmet.synthetic_recall import chains as recall_chains
from carrara.tasks.helmet.synthetic_recall.chains import SENTENCES, lay_out, noise
from carrara.tasks.helmet.synthetic_recall.chains_solver import solve
from carrara.tasks.helmet.synthetic_recall.task import TASK

VARIANTS = ("vt", "vt_hard")
ODD_LENGTHS = (4_096, 4_097, 4_101, 5_003, 8_192, 12_345, 32_768)
STATEMENT = re.compile(r"^VAR ([A-Z]{5}) = (?:VAR )?(\w{5})\.$", re.MULTILINE)


def statements(draft):
    return STATEMENT.findall(draft.prompt)


GOLDEN = {"vt": "0 80441 PLSRN BCCFC XDWMT CPKXP SSTRV", "vt_hard": "19 43778 QSGFZ BWHXS XNQKT SQRKX QQRZR"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_a_key_says_is_pinned(variant):
    plan = recall_plan(variant, 0)
    asked = plan.chains[plan.asked]
    assert f"{plan.asked} {asked.value} {' '.join(asked.names)}" == GOLDEN[variant]
    assert plan_from_json(recall_chains.Plan, plan_json(plan)) == plan


@pytest.mark.parametrize("tokenizer", ["o200k_base", pytest.param("cl100k_base", marks=pytest.mark.repeat)])
@pytest.mark.parametrize("variant", VARIANTS)
def test_lengths_are_filled_to_the_token(variant, tokenizer):
    for index, length in enumerate(ODD_LENGTHS):
        draft = recall_draft(variant, index, length, tokenizer)
        assert used(draft, tokenizer) == length and draft.max_output_tokens == 128
        assert objections(draft) == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_chain_stands_whole_and_in_order(variant):
    for index in range(12):
        plan, draft = recall_plan(variant, index), recall_draft(variant, index, 4_096)
        listed = statements(draft)
        assert len(listed) == 5 * len(plan.chains) and len(plan.chains) == (24 if variant == "vt_hard" else 1)
        places = {name: place for place, (name, _) in enumerate(listed)}
        for chain in plan.chains:
            assert [dict(listed)[name] for name in chain.names] == [str(chain.value), *chain.names[:-1]]
            assert all(places[a] < places[b] for a, b in pairwise(chain.names))
        # Nothing that looks like a name stands anywhere else.
        found = Counter(re.findall("[B-DF-HJ-NP-TV-XZ]{4,}", draft.prompt))
        assert found == Counter(part for pair in listed for part in pair if part.isalpha())
        assert draft.answers == plan.chains[plan.asked].names and draft.complexity == 4
        shown = [draft.prompt[start:end] for start, end in draft.evidence]
        assert [line.split()[1] for line in shown] == list(draft.answers)
        assert list(draft.depths) == sorted(draft.depths) and len(draft.depths) == 5


def test_statements_of_the_chains_are_mixed():
    # In nearly every row some other chain's statement stands between any two neighbours of the asked one.
    mixed = 0
    for index in range(20):
        names = [name for name, _ in statements(recall_draft("vt_hard", index, 4_096))]
        asked = [names.index(name) for name in recall_draft("vt_hard", index, 4_096).answers]
        mixed += sum(b - a > 1 for a, b in pairwise(asked))
    assert mixed > 0.9 * 4 * 20


def test_depths_are_those_of_the_keys():
    # What stands where is the plan's: the same in every bucket, to within a paragraph.
    for variant in VARIANTS:
        for index in range(4):
            small, large = (recall_draft(variant, index, length) for length in (8_192, 32_768))
            assert max(abs(a - b) for a, b in zip(small.depths, large.depths, strict=True)) < 0.05
            assert [pair for pair in statements(small) if pair] == statements(large)


@pytest.mark.repeat
def test_any_chain_is_asked_as_likely_as_the_next():
    asked = Counter(recall_plan("vt_hard", index).asked for index in range(720))
    assert len(asked) == 24 and max(asked.values()) < 55 and min(asked.values()) > 10
    # Nor does the order of the statements tell: the asked chain begins anywhere among them.
    ranks = []
    for index in range(40):
        draft = recall_draft("vt_hard", index, 4_096)
        firsts = [name for name, given in statements(draft) if given.isdigit()]
        ranks.append(firsts.index(draft.answers[0]))
    assert 8 < sum(ranks) / len(ranks) < 15 and len(set(ranks)) > 12


def test_cheap_strategies_do_not_pass_the_hard_variant():
    scores: dict[str, list[float]] = {}
    for index in range(10):
        draft = recall_draft("vt_hard", index, 4_096)
        row = {"answers": list(draft.answers), "prompt": draft.prompt}
        for name, responses in TASK.guesses(draft, Stream("guess", index)).items():
            scores.setdefault(name, []).append(
                sum(METRICS["ruler/all"](text, row) for text in responses) / len(responses)
            )
    mean = {name: sum(each) / len(each) for name, each in scores.items()}
    assert mean["every variable"] < 0.75 and mean["the variables set next"] < 0.35
    assert mean["any chain"] == pytest.approx(1 / 24)


@pytest.mark.parametrize("variant", VARIANTS)
def test_names_and_values_are_apart_in_five_hundred_plans(variant):
    for index in range(500):
        plan = recall_plan(variant, index)
        names = [name for chain in plan.chains for name in chain.names]
        assert len(set(names)) == len(names) and {len(name) for name in names} == {5}
        assert not set("".join(names)) & set("AEIOUY")
        values = [chain.value for chain in plan.chains]
        assert len(set(values)) == len(values) and all(10_000 <= value <= 99_999 for value in values)


def test_what_a_recipe_may_set():
    several = recall_draft("vt", 0, 4_096, chains=3, hops=6)
    assert objections(several) == [] and len(several.answers) == 7 and len(statements(several)) == 21
    assert used(several) == 4_096
    most = recall_draft("vt_hard", 0, 32_768, chains=16, hops=16)
    assert objections(most) == [] and len(statements(most)) == 39 * 17 and used(most) == 32_768
    assert len(plan_json(recall_plan("vt_hard", 0, chains=16, hops=16))) < 16_384
    one = recall_draft("vt", 0, 4_096, hops=1)
    assert objections(one) == [] and len(one.answers) == 2 and one.complexity == 1
    with pytest.raises(BudgetError):
        recall_draft("vt_hard", 0, 1_024)
    with pytest.raises(BudgetError):
        recall_draft("vt", 0, 128)


def test_noise_is_its_sentences_over_and_over():
    units = noise(100, recall_maker("vt").budget)
    text = "".join(SENTENCES)
    for start in range(12):
        for stop in range(start, 13):
            assert units.text(start, stop) == "".join(SENTENCES[place % 5] for place in range(start, stop))
    assert units.costs.sum() >= 100 and len(units.costs) == len(units.droppable)
    assert recall_maker("vt").tokenizer.count(text * 3) == 3 * units.costs[:5].sum()


class Paragraphs:
    """Filler of paragraphs of three sentences, whose costs are given."""

    def __init__(self, costs):
        self.costs = np.array(costs, dtype=np.int64)
        self.droppable = np.array([place % 3 == 1 for place in range(len(costs))])

    def text(self, start, stop):
        return "".join(f"({place})" + ("\n" if place % 3 == 2 else "") for place in range(start, stop))


def test_statements_stand_between_whole_paragraphs():
    stream = Stream("layout")
    for number in range(200):
        own = stream.child(number)
        units = Paragraphs((own.below_many(9, 300) + 3).tolist())
        depths = sorted(own.below(1_000) / 1_000 for _ in range(9))
        pieces = [Piece(f"<{place}>\n", depth) for place, depth in enumerate(depths)]
        room = 300 + own.below(1_200)
        laid = lay_out("head\n", "tail", units, pieces, room)
        assert laid.short == 0 and laid.filler_tokens == room
        lines = laid.prompt.split("\n")
        assert lines[0] == "head" and lines[-1] == "tail"
        assert [laid.prompt[start:end] for start, end in laid.spans] == [piece.text[:-1] for piece in pieces]
        kept = [int(place) for place in re.findall(r"\((\d+)\)", laid.prompt)]
        assert sum(int(units.costs[place]) for place in kept) == room and kept == sorted(kept)
        # Whole paragraphs but for inner sentences of the last ones.
        assert all(line.startswith("<") or re.fullmatch(r"(\(\d+\)){2,3}", line) for line in lines[1:-1])
        free = [place for place in range(kept[-1] + 1) if units.droppable[place]]
        assert set(range(kept[-1] + 1)) - set(kept) <= set(free[-32:])
        assert all(abs(a - b) < 60 / room for a, b in zip(laid.depths, depths, strict=True))
    with pytest.raises(BudgetError, match="are missing"):
        lay_out("head\n", "tail", Paragraphs([5] * 9), [], 100)


def test_the_solver_leaves_what_is_open():
    text = recall_draft("vt", 0, 4_096).prompt
    names = solve(text)
    assert len(names) == 5
    for damaged in (
        text[:-1],
        text + "\n",
        text[1:],
        text.replace("VAR ", "VAR  "),
        text.replace(f" {names[2]}.", " QQQQQ."),
    ):
        assert solve(damaged) == ()
    assert solve(text.replace(f"VAR {names[4]} = ", f"VAR {names[1]} = ")) == ()
    # A chain that ends early is shorter.
    cut = re.sub(f"VAR {names[4]} = .*\n\n", "", text)
    assert solve(cut) == names[:4]
