"""Re-ranking: what is read as ids, gains, places of invented ids, prompt order; trec_eval as the reference."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrara.scoring import METRICS
from carrara.scoring.metrics.ranking import parse_rankings, read_ids, trec_order

IDS = [4512, 77, 3321, 908, 15, 6004, 230, 1187, 52, 701, 8, 4400, 999, 361]
GRADES = {"77": 3, "908": 3, "6004": 2, "230": 2, "8": 2, "361": 1, "52": 1, "4400": 1}
BODY = "".join(f"ID: {n}\nTitle: Gate {n}\nThe keeper of gate {n} counted {n * 3} boats.\n\n" for n in IDS)
DEMONSTRATION = "ID: 1\nTitle: A\nText.\n\nQuestion: Which?\nRanking: 1\n\n"
PROMPT = f"Rank the passages.\n\n{DEMONSTRATION}{BODY}Question: Which gate?\nRanking:"
START = PROMPT.index(BODY)
GOLD = "77 > 908 > 6004 > 230 > 8 > 52 > 4400 > 361"
ROW = {
    "answers": [GOLD],
    "prompt": PROMPT,
    "facts": json.dumps({"grades": GRADES, "body": [START, START + len(BODY)]}),
}


def ndcg(response, row=ROW):
    return METRICS["ndcg@10"](response, row)


@pytest.mark.parametrize(
    ("response", "ids"),
    [
        ("1 > 2 > 3", [1, 2, 3]),
        ("Ranking: 1 > 2 > 3", [1, 2, 3]),
        ("1>2>3", [1, 2, 3]),
        ("ID3 > ID4 > ID1", [3, 4, 1]),
        ("[ID: 3] > [ID: 1]", [3, 1]),
        ("**3** > **1**", [3, 1]),
        ("2, 1, 3", [2, 1, 3]),
        ("2; 1; 3", [2, 1, 3]),
        ("2 → 1 → 3", [2, 1, 3]),
        ("Passage 2, Passage 4 and Passage 6", [2, 4, 6]),
        ("4512\n3321", [4512, 3321]),
        ("1. 4512\n2. 3321\n3. 99", [4512, 3321, 99]),
        ("1) ID: 4512 (grade 3)\n2) ID: 3321 (grade 1)", [4512, 3321]),
        ("- 4512\n- 3321", [4512, 3321]),
        ("4512 - whales in 1995\n77 - dogs", [4512, 77]),
        ('{"ranking": [12, 13]}', [12, 13]),
        ("I read 100 passages. Ranking: 7 > 3", [7, 3]),
        ("I read 100 passages: 7 > 3", [7, 3]),
        ("1 > 2 >\n3 > 4", [1, 2, 3, 4]),
        ("3 > 1, 2 > 4 > 5", [3, 1, 2, 4, 5]),
        ("1 > 2 > 1 > 3", [1, 2, 3]),
        ("007 > 8", [7, 8]),
        ("１２ > ７", [12, 7]),
        ("1 > 2\n\nQuestion: Who?\nRanking: 7 > 8 > 9", [1, 2]),
        ("12", [12]),
        ("12 and so on", [12]),
        ("no number", []),
        ("", []),
    ],
)
def test_ids_as_models_write_them(response, ids):
    assert read_ids(response) == [str(number) for number in ids]


def test_scores():
    assert ndcg(GOLD) == 1
    assert ndcg(GOLD.replace(" > ", ", ")) == ndcg(GOLD.replace(" > ", "\n")) == 1
    assert ndcg("908 > 77 > 8 > 230 > 6004 > 361 > 4400 > 52") == 1
    assert ndcg("") == ndcg("none") == ndcg("5000 > 5001") == 0
    assert 0.2 < ndcg("77") < 0.5
    assert ndcg("77 > 77 > 77") == ndcg("77")
    # An invented id takes a place, as an irrelevant one does.
    assert ndcg("5000 > 77") == ndcg("15 > 77") < ndcg("77")
    # Past the tenth place nothing counts.
    assert ndcg("15 > 999 > 701 > 1187 > 4512 > 3321 > 11 > 12 > 13 > 14 > 77") == 0


LONG = ["291409", "271321", "717650", "391283", "184980", "544697", "146434", "304514"]
OTHERS = [str(number) for number in range(400_100, 400_120)]
TITLED = [f"The Harbour of 19{number}0" for number in range(8)]
RANKED = " > ".join(LONG)


@pytest.mark.parametrize(
    "response",
    [
        " > ".join(f"{id_} ({title})" for id_, title in zip(LONG, TITLED, strict=True)),
        " > ".join(f"{id_} states it in 1990" for id_ in LONG),
        "\n".join(
            f"{n}. **{id_}** – {title}, 1990" for n, (id_, title) in enumerate(zip(LONG, TITLED, strict=True), 1)
        ),
        "\n".join(f"Rank {n}: passage {id_}" for n, id_ in enumerate(LONG, 1)),
        "| Rank | ID | Title |\n|---|---|---|\n" + "\n".join(f"| {n} | {id_} | A |" for n, id_ in enumerate(LONG, 1)),
        f"First {LONG[0]} (it states the answer), then {', '.join(LONG[1:])}.",
        " ".join(LONG),
        json.dumps([{"rank": n, "id": id_, "year": 1990} for n, id_ in enumerate(LONG, 1)]),
        f"Candidates: {', '.join(OTHERS)}\n\n{RANKED}",
        f"400100 is of 1990, 291409 says when.\n\nRanking: {RANKED}\n\n291409 states the answer, 400100 does not.",
        f"Here are the passages, the best first:\n\n{RANKED} > {LONG[0]}\n\nI hope this helps!",
    ],
)
def test_long_ids_as_models_write_them(response):
    grades = dict(zip(LONG, [3, 2, 2, 2, 1, 1, 1, 1], strict=True))
    assert read_ids(response, grades) == LONG
    assert ndcg(response, {"answers": [RANKED], "facts": json.dumps({"grades": grades})}) == 1


def test_linear_gain():
    row = {"answers": ["1 > 2"], "facts": json.dumps({"grades": {"1": 3, "2": 2}})}
    assert ndcg("2 > 1", row) == pytest.approx((2 + 3 / 1.584962500721156) / (3 + 2 / 1.584962500721156))
    assert ndcg("1 > 2", {"answers": ["-"], "facts": json.dumps({"grades": {}})}) == 0
    assert ndcg("1 > 2", {"answers": ["-"]}) == 0


def test_the_prompt_order_is_no_ranking():
    order = " > ".join(map(str, IDS))
    assert METRICS["ndcg@10/paper"](order, ROW) > 0.5
    assert ndcg(order) == ndcg(" > ".join(map(str, IDS[:10]))) == ndcg("\n".join(map(str, IDS))) == 0
    assert ndcg(PROMPT) == 0 and ndcg(BODY) == 0
    # Two passages of the prompt's beginning are an answer.
    assert ndcg(" > ".join(map(str, IDS[:2]))) > 0
    # Where the prompt stands in the ideal order, that order is right.
    facts = json.dumps(
        {"grades": {str(n): 3 if at < 10 else 0 for at, n in enumerate(IDS)}, "body": [START, len(PROMPT)]}
    )
    assert ndcg(order, {**ROW, "facts": facts}) == 1


def test_wrong_answers():
    for wrong in ("", PROMPT, GOLD[: len(GOLD) * 9 // 10], "12 > 14 > 16", " > ".join(GRADES)[::-1]):
        assert ndcg(wrong) < 1, wrong


def test_trec_eval_agrees():
    trec = pytest.importorskip("pytrec_eval")
    evaluator = trec.RelevanceEvaluator({"q": GRADES}, {"ndcg_cut.1,10", "recip_rank"})
    for text in (GOLD, " > ".join(map(str, IDS)), "15 > 77 > 5000 > 361", "8", "3 > 4 > 52", "2, 1"):
        scores = parse_rankings(text)
        found = evaluator.evaluate({"q": scores})["q"]
        for name, theirs in (("ndcg@1", "ndcg_cut_1"), ("ndcg@10", "ndcg_cut_10"), ("mrr", "recip_rank")):
            assert METRICS[f"{name}/paper"](text, ROW) == pytest.approx(round(found[theirs], 5)), (text, name)
        if text.count(">"):
            ours = METRICS["ndcg@10"](text, {**ROW, "prompt": ""})
            assert ours == pytest.approx(found["ndcg_cut_10"], abs=1e-9)


def test_ties_are_broken_as_trec_eval_does():
    trec = pytest.importorskip("pytrec_eval")
    scores = {"10": 1.0, "9": 1.0, "100": 1.0, "2": 2.0}
    assert trec_order(scores) == ["2", "9", "100", "10"]
    for top in trec_order(scores)[1:]:
        found = trec.RelevanceEvaluator({"q": {top: 1}}, {"recip_rank"}).evaluate({"q": scores})["q"]["recip_rank"]
        assert found == pytest.approx(1 / (1 + trec_order(scores).index(top)))


@settings(max_examples=200, deadline=None)
@given(st.text(st.one_of(st.characters(), st.sampled_from("0123456789 >,\n[]ID:."), st.characters(categories=["Cs"]))))
def test_any_text(text):
    for name in ("ndcg@10", "ndcg@10/paper", "ndcg@1/paper", "mrr/paper"):
        assert 0 <= METRICS[name](text, ROW) <= 1


@pytest.mark.parametrize(
    "name", ["ndcg@10", *(pytest.param(name, marks=pytest.mark.repeat) for name in ("ndcg@10/paper", "mrr/paper"))]
)
def test_a_megabyte_is_fast(name):
    for unit in ("1 > ", "1, ", "9", "[", "ranking: 1 ", "1.", " ", "-", "\ufdfa", "1\n", "question: ", "id"):
        started = time.process_time()
        METRICS[name](unit * (1_000_000 // len(unit)), ROW)
        assert time.process_time() - started < 1, unit
