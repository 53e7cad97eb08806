"""Metrics: tables of (response, gold, score), wrong answers below 1, any text in [0, 1], bounded time, light import."""

import json
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from processes import python

from carrara.scoring import METRICS, Score, score_response
from carrara.text.fold import fold, is_echo, occurs

SENTENCE = "The lantern of Varn lies under the old mill of Oskel."
FILLER = " ".join(f"On day {n} the keeper of gate {n * 7} counted {n * 3} boats and {n + 2} carts." for n in range(60))
NEEDLES = {
    "answers": ["Stardust Shard", "O'Connor", "月光石"],
    "facts": json.dumps({"reference": [SENTENCE]}),
    "prompt": f"{FILLER} {SENTENCE} Stardust Shard. O'Connor. 月光石. What is hidden?",
    "metric": "needlebench/keywords",
}
ROWS = {
    "needlebench": NEEDLES,
    "number": {"answers": ["-325"], "prompt": FILLER, "metric": "latent_list"},
    "list": {"answers": ["[1, -2, 325]"], "prompt": FILLER, "metric": "latent_list"},
    "verbatim": {"answers": ["100000001, 234567890, 345678901"], "prompt": FILLER, "metric": "verbatim/levenshtein"},
}


def keyword(response, *answers, **columns):
    return METRICS["needlebench/keywords"](response, {"answers": list(answers), **columns})


@pytest.mark.parametrize(
    ("response", "gold", "score"),
    [
        ("It is the Stardust Shard.", "Stardust Shard", 1),
        ("it is the STARDUST\nSHARD", "Stardust Shard", 1),
        ("Ｓｔａｒｄｕｓｔ Shard", "Stardust Shard", 1),
        ("Stardust Shards", "Stardust Shard", 0),
        ("AStardust Shard", "Stardust Shard", 0),
        ("Stardust Sha", "Stardust Shard", 0),
        ("I do not know", "no", 0),
        ("It happened in 1972.", "7", 0),
        ("1.7 km", "7", 0),
        ("1,500 people", "500", 0),
        ("500, 600", "500", 1),
        ("1953,1954", "1954", 1),
        ("O’Connor wrote it", "O'Connor", 1),
        ("O'CONNOR'S", "O’Connor", 1),
        ("Oʼconnor", "O`Connor", 1),
        ("OConnors", "O'Connor", 0),
        ("答案是月光石。", "月光石", 1),
        ("答案是月 光\n石。", "月光石", 1),
        ("答案是月光", "月光石", 0),
        ("答案是T1000号", "T1000", 1),
        ("答案是T10009号", "T1000", 0),
        ("他有GPS星图册", "GPS星图", 1),
        ("他有AGPS星图册", "GPS星图", 0),
        ("Straße", "STRASSE", 1),
        ("", "Stardust Shard", 0),
        ("anything", "", 0),
        ("anything", " ", 0),
    ],
)
def test_keywords(response, gold, score):
    assert keyword(response, gold) == score


def test_keywords_is_the_share_found_in_the_window():
    assert keyword("Lucky Clover; Stardust Shard", "Stardust Shard", "Lucky Clover", "Goodness Heart") == 2 / 3
    assert keyword("x " * 195 + "Lucky", "Lucky") == 1
    assert keyword("x " * 200 + "Lucky", "Lucky") == 0
    assert keyword("x " * 200 + "y" * 60, "y" * 60) == 1
    assert keyword("anything") == 0


def test_first_reads_the_first_asked_needle():
    row = {"answers": ["Stardust Shard", "Lucky Clover"]}
    assert METRICS["needlebench/first"]("Stardust shard", row) == 1
    assert METRICS["needlebench/first"]("Lucky Clover", row) == 0


def test_single_gives_a_fifth_of_the_similarity_without_the_keyword():
    row = {"answers": ["Varn"], "facts": json.dumps({"reference": [SENTENCE]})}
    single = METRICS["needlebench/single"]
    assert single("It is varn.", row) == 1
    assert 0.15 < single(SENTENCE.replace("Varn", "Marn"), row) < 0.2
    assert single("", row) == 0
    assert single("nothing", {"answers": ["Varn"]}) == 0


@pytest.mark.parametrize(
    ("response", "gold", "score"),
    [
        ("10", "10", 1),
        ("The answer is 10.", "10", 1),
        ("10.0", "10", 1),
        ('"10"', "10", 1),
        ("`+10`", "10", 1),
        ("0010", "10", 1),
        ("1,234", "1234", 1),
        ("−1,234", "-1234", 1),
        ("first 3, then -5", "-5", 1),
        ("3-5", "5", 1),
        ("3,14", "14", 1),
        ("9", "10", 0.9),
        ("25", "10", 0),
        ("-10", "10", 0),
        ("1", "0", 0),
        ("-0", "0", 1),
        ("True", "1", 0),
        ("False", "0", 0),
        ("a10", "10", 0),
        ("10th", "10", 0),
        ("答案是10个", "10", 1),
        ("１０", "10", 1),
        ("10.5", "10", 0),
        ("ten", "10", 1),
        ("", "10", 0),
        ("9" * 5000, "10", 0),
        ("-" + "9" * 5000, "-10", 0),
        ("0" * 300 + "10", "10", 1),
        ("[1, 2, 325]", "[1, 2, 325]", 1),
        ("It prints [1,2,325].", "[1, 2, 325]", 1),
        ("[9] and then [ 1, 2,\n325 ]", "[1, 2, 325]", 1),
        ("[1, 2, 325] as shown in [source]", "[1, 2, 325]", 1),
        ("[[1, 2, 325]]", "[1, 2, 325]", 1),
        ("[2, 1, 325]", "[1, 2, 325]", 0),
        ("[1, 2, 325] then [1]", "[1, 2, 325]", 0),
        ("1, 2, 325", "[1, 2, 325]", 1),
        # Where the value stands: a label, a box, a sentence that states it, the last number.
        ("2980 is the result of session 3.", "2980", 1),
        ("3427 (the value of min(a[3:4]))", "3427", 1),
        ("1,264,194", "1264194", 1),
        ("Answer: 1 264 194", "1264194", 1),
        ("Answer: 6\n\nThe list has 9 numbers after 5 operations.", "6", 1),
        ("So $\\boxed{\\text{6}}$, after 5 operations.", "6", 1),
        ("```\n6\n```", "6", 1),
        (">> min(a[2:5])\n6", "6", 1),
        ("2 + 3 + 5 = 10", "10", 1),
        ("The result of session 3 is 6. Session 1 gave 3, session 2 gave 2.", "6", 1),
        ("The final value printed is 6, because a[0] is 1.", "6", 1),
        ("The slice a[2:5] is [5, -3, 9]. Its minimum is minus 3.", "-3", 1),
        ("6\n\nSession 4\n>> a = [1, 2, 3, 4, 5, 6]\n>> len(a)\nAnswer: 7", "6", 1),
        ("The answer is not 10", "10", 0),
        ("10 or 70", "10", 0),
        ("It is either 70 or 10; I cannot tell.", "10", 0),
        ("It may have 2, 4 or 8 numbers after 10", "10", 0),
        ("session 10", "10", 0),
        ("1 2 325", "[1, 2, 325]", 1),
        ("Answer:\n- 1\n- 2\n- 325", "[1, 2, 325]", 1),
        ("The output is 1, 2 and 325.", "[1, 2, 325]", 1),
        ("The result is [1, 2, 325], taken from [0, 1, 2, 325].", "[1, 2, 325]", 1),
        ("[0, 1, 2, 325][1:4] = [1, 2, 325]", "[1, 2, 325]", 1),
        ("[1, 2, 325] or [1, 2]", "[1, 2]", 0),
        ("1, 2", "[1, 2, 325]", 0),
        ("[1, 2, '325']", "[1, 2, 325]", 0),
        ("[True, 2, 325]", "[1, 2, 325]", 0),
        ("[" + "9" * 5000 + "]", "[1]", 0),
        ("[]", "[]", 1),
        ("", "[]", 0),
        ("__import__('os')", "[]", 0),
    ],
)
def test_latent_list(response, gold, score):
    assert METRICS["latent_list"](response, {"answers": [gold]}) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(
    ("response", "gold", "score"),
    [
        ("10", "10", 1),
        ("True", "1", 1),
        ("False", "0", 1),
        ("The answer is 10", "10", 0),
        ("[1,2]", "[1, 2]", 0),
        ("9" * 5000, "9", 0),
        ("1,0", "10", 0),
    ],
)
def test_latent_list_paper_takes_the_value_as_given(response, gold, score):
    assert METRICS["latent_list/paper"](response, {"answers": [gold]}) == score


@pytest.mark.parametrize(
    ("response", "gold", "levenshtein", "indel"),
    [
        ("abc", "abc", 1, 1),
        ("\n abc ", "abc", 1, 1),
        (" abc ", " abc ", 1, 1),
        ("", "", 1, 1),
        ("", "abc", 0, 0),
        ("abd", "abc", 5 / 6, 4 / 6),
        ("数字一二三", "数字一二四", 0.9, 0.8),
        ("a" * 30_000, "a" * 10, 20 / 30_010, 20 / 30_010),
    ],
)
def test_verbatim(response, gold, levenshtein, indel):
    row = {"answers": [gold]}
    assert METRICS["verbatim/levenshtein"](response, row) == pytest.approx(levenshtein)
    assert METRICS["verbatim/indel"](response, row) == pytest.approx(indel)


def test_a_newline_at_the_end_costs_under_the_published_names_alone():
    row = {"answers": ["a" * 53]}
    for name in ("levenshtein", "indel"):
        assert METRICS[f"verbatim/{name}"]("a" * 53 + "\n", row) == 1
        assert METRICS[f"verbatim/{name}/paper"]("a" * 53 + "\n", row) == pytest.approx(106 / 107)
        assert METRICS[f"verbatim/{name}/paper"]("a" * 53, row) == 1


def test_the_read_bound_only_lowers_a_score():
    gold = "abcdefghij" * 1_000
    late = "x" * 12_500 + gold
    assert METRICS["verbatim/levenshtein"](late, {"answers": [gold]}) <= 20_000 / len(late + gold)


@pytest.mark.parametrize("kind", ROWS)
def test_gold_scores_1_and_wrong_answers_less(kind):
    row = ROWS[kind]
    gold = "; ".join(row["answers"])
    assert score_response(row, gold) == Score(1.0, row["metric"])
    for wrong in ("", row["prompt"], gold[: len(gold) * 9 // 10], "Moon Lantern [9] 17"):
        assert score_response(row, wrong).value < 1, wrong


def test_echo_of_the_prompt_is_no_answer():
    prompt = "The gate of Varn opens at noon. " * 2 + "Look for the Stardust Shard in it. What is hidden there today?"
    assert keyword(prompt, "Stardust Shard") == 1
    assert keyword(prompt, "Stardust Shard", prompt=prompt) == 0
    assert keyword("Look for the Stardust Shard in it. It is hidden.", "Stardust Shard", prompt=FILLER + prompt) == 1
    chinese = "从前有一座山山里有一座庙庙里藏着月光石请问藏着什么"
    assert keyword(chinese, "月光石", prompt=chinese) == 0
    assert keyword("庙里藏着月光石", "月光石", prompt=chinese) == 1


@pytest.mark.parametrize(("share", "echo"), [(0.1, False), (0.18, False), (0.25, True), (1.0, True)])
def test_echo_starts_at_a_fifth(share, echo):
    words = [f"word{n}" for n in range(1_000)]
    prompt = " ".join(words)
    assert is_echo(" ".join(words[-round(share * 1_000) :]), {"prompt": prompt}) is echo
    assert not is_echo("", {"prompt": prompt})
    assert not is_echo(prompt, {})
    assert is_echo("Where IS it", {"prompt": "where is it?"})


def test_fold_and_occurs_accept_lone_surrogates():
    assert fold("A\ud800 B") == "a\ud800 b"
    assert occurs("b", "a\ud800 b")


def test_no_response_is_none_and_an_unknown_metric_names_the_known():
    assert score_response(NEEDLES, None) == Score(None, "no response")
    with pytest.raises(ValueError, match=r"unknown metric 'nope': known: ancestral_trace/boxed/paper, choice"):
        score_response(NEEDLES, "x", "nope")
    assert score_response(NEEDLES, "O'Connor", "needlebench/first") == Score(0.0, "needlebench/first")


HOSTILE = st.text(
    st.one_of(st.characters(), st.sampled_from("[](),.-+0123456789 '’\n月光石eE_"), st.characters(categories=["Cs"])),
    max_size=80,
)


@settings(max_examples=300, deadline=None)
@given(HOSTILE)
def test_any_text_scores_in_the_unit_interval(response):
    for row in ROWS.values():
        for name, metric in METRICS.items():
            if name.startswith("latent_list") and row["metric"] != "latent_list":
                continue
            value = metric(response, row)
            assert isinstance(value, float), name
            assert 0 <= value <= 1, name


@pytest.mark.repeat
@pytest.mark.parametrize("name", METRICS)
def test_ten_megabytes_do_not_hang(name):
    row = ROWS["list" if name.startswith("latent_list") else "needlebench"]
    for unit in ("[", "1,", "111,", "月", "word ", "x", "-1"):
        start = time.monotonic()
        METRICS[name](unit * (10_000_000 // len(unit)), row)
        assert time.monotonic() - start < 10, unit


def test_the_echo_test_costs_what_the_response_costs():
    prompt = " ".join(f"w{n}" for n in range(600_000))
    start = time.monotonic()
    assert not is_echo("a short answer of more than eight words in all of it", {"prompt": prompt})
    assert time.monotonic() - start < 0.05


def test_the_import_is_light():
    code = "import sys; before = set(sys.modules); import carrara.scoring; print(*sorted(set(sys.modules) - before))"
    loaded = python(code).split()
    ours = {name for name in loaded if name.split(".")[0] == "carrara"} - {"carrara"}
    assert all(name.startswith(("carrara.scoring", "carrara.text")) for name in ours), ours
    # Cython's modules register themselves.
    outside = {name.split(".")[0] for name in loaded if not name.startswith(("_cython", "cython_runtime"))}
    assert outside - sys.stdlib_module_names - {"carrara"} <= {"rapidfuzz", "numpy"}
