"""The papers' summaries against values worked out by hand, and the golden cases of circular evaluation."""

import io
import json
import math
from dataclasses import replace

import pytest
from made_results import CLASSES as CLASS_NAMES
from made_results import HELMET, answered, every_row, row
from made_results import helmet as made_helmet
from made_results import ruler as made_ruler
from processes import python
from rich.console import Console

from carrara.cli.tables import score_table
from carrara.scoring import PARTS
from carrara.scoring.facts import chance_of, numbers_of
from carrara.scoring.papers.helmet import ALCE_MODEL, PAPER, counting
from carrara.scoring.papers.michelangelo import cumulative_units, mean_tokens, stacked_weights, thresholds
from carrara.scoring.papers.needlebench import trace_units
from carrara.scoring.papers.ruler import CLASSES, TASKS
from carrara.scoring.papers.weights import base_variant, by_level, depth_levels, pairs
from carrara.scoring.report import means, score, summaries
from carrara.scoring.result import HeldConfig, RowScore, bucket_tokens


def scored(score, *words, **fields) -> RowScore:
    return replace(row(*words, **fields), score=score)


def values(rows, paper) -> dict[str, float]:
    return {value.name: value.value for value in summaries(rows)[paper].values}


# --- Michelangelo -----------------------------------------------------------------------------------------------------


def cumulative_rows(task="latent_list"):
    return [
        scored(1, task, "", "32k", 0, tokens=10_000, complexity=1),
        scored(0, task, "", "128k", 0, tokens=20_000, complexity=1),
        scored(1, task, "", "128k", 1, tokens=100_000, complexity=1),
        scored(0, task, "", "1M", 0, tokens=30_000, complexity=1),
        scored(1, task, "", "1M", 1, tokens=900_000, complexity=1),
        scored(None, task, "", "1M", 2, tokens=500_000, complexity=1),
    ]


def test_rows_weigh_by_the_stacked_subsets_that_cover_them():
    rows = cumulative_rows()
    assert list(stacked_weights(rows).values()) == [1 / 3, 1 / 3, 1 / 2, 1 / 3, 1, 1]
    two = [one for one in rows if one.bucket != "128k"]
    assert list(stacked_weights(two).values()) == [1 / 2, 1 / 2, 1, 1]


def test_the_cumulative_score_by_hand():
    rows = cumulative_rows()
    found = values(rows, "michelangelo")
    assert found["latent_list, cumulative at 32k"] == pytest.approx(1 / 3)
    # (1/3 + 1/2) / (3 x 1/3 + 1/2)
    assert found["latent_list, cumulative at 128k"] == pytest.approx((1 / 3 + 1 / 2) / 1.5)
    # No response counts 0: (1/3 + 1/2 + 1) / (1 + 1/2 + 2)
    assert found["latent_list, cumulative at 1M"] == pytest.approx((1 / 3 + 1 / 2 + 1) / 3.5)
    assert found["latent_list, cumulative at 12k"] == 1
    assert mean_tokens(rows, 131_072) == pytest.approx((10_000 / 3 + 20_000 / 3 + 30_000 / 3 + 100_000 / 2) / 1.5)
    assert sum(unit.weight for unit in cumulative_units(rows, 131_072)) == pytest.approx(1)


def test_the_mean_of_the_tasks_counts_each_once():
    rows = [*cumulative_rows(), scored(0, "idk", "", "32k", 0, tokens=9_000), *cumulative_rows("mrcr")]
    found = values(rows, "michelangelo")
    assert found["mean of 3 tasks at 32k"] == pytest.approx((1 / 3 + 1 / 3 + 0) / 3)


def test_mrcr_is_the_papers_with_one_and_two_needles_and_harder_ones_stand_apart():
    rows = [
        scored(score, "mrcr", variant, "32k", 0, tokens=9_000, metric="mrcr")
        for variant, score in (("1needle", 1), ("2needle", 1), ("4needle", 0), ("8needle", 0))
    ]
    found = values([*rows, scored(0, "idk", "", "32k", 0, tokens=9_000)], "michelangelo")
    assert found["mrcr, cumulative at 32k"] == 1 and found["mean of 2 tasks at 32k"] == 0.5
    assert found["mrcr 4-8 needles, cumulative at 32k"] == 0
    assert any("mrcr/paper (--task mrcr --metric)" in note for note in summaries(rows)["michelangelo"].notes)
    assert "mrcr, cumulative at 32k" not in values(rows[2:], "michelangelo")


def test_lengths_of_a_curve():
    rows = [scored(1, "idk", "", "32k", 0, tokens=3_000), scored(1, "idk", "", "32k", 1, tokens=32_000)]
    assert thresholds(rows) == [4_096, 6_144, 8_192, 12_288, 16_384, 24_576, 32_768]
    assert thresholds([replace(rows[1], bucket="128k")])[0] == 32_768


def test_idk_by_hand():
    rows = [scored(score, "idk", "", "32k", n, complexity=0) for n, score in enumerate((1, 1, 1, 1, 1, 1, 0))]
    rows += [scored(score, "idk", "", "32k", 7 + n, complexity=1) for n, score in enumerate((1, 0, 0))]
    found = values(rows, "michelangelo")
    assert found["idk, all rows"] == pytest.approx(0.7)
    assert found["idk, complexity 0 (the answer is absent)"] == pytest.approx(6 / 7)
    assert found["idk, complexity 1 (the answer is there)"] == pytest.approx(1 / 3)
    assert found["idk, balanced accuracy"] == pytest.approx((6 / 7 + 1 / 3) / 2)
    assert found["idk, always D"] == 0.7
    constant = next(one for one in summaries(rows)["michelangelo"].values if one.name == "idk, always D")
    assert constant.to_json()["interval_reason"] == "fixed by the rows" and constant.to_json()["apart"] is None
    # Always D: right where the answer is absent, half by balance.
    lazy = values([replace(one, score=float(one.complexity == 0)) for one in rows], "michelangelo")
    assert lazy["idk, all rows"] == pytest.approx(0.7) and lazy["idk, balanced accuracy"] == pytest.approx(0.5)


# --- NeedleBench ------------------------------------------------------------------------------------------------------


def needle(score, task, lang, depth, step=8, item=0, complexity=1, bucket="32k"):
    index = int(item * 100 + step * 11 + depth * 10)
    tokens = bucket_tokens(bucket) * step // 8 - 128
    return scored(
        score, task, lang, bucket, item, index, tokens=tokens, complexity=complexity, numbers={"depth": depth},
        reported=score,
    )  # fmt: skip


def test_needle_scores_are_means_of_means():
    rows = [
        *(needle(score, "single_needle", "en", depth) for score, depth in ((1, 0.0), (0, 0.5))),
        # A second length, of one depth: lengths count equally.
        needle(1, "single_needle", "en", 0.0, step=4),
        needle(0.2, "single_needle", "zh", 0.0),
    ]
    found = values(rows, "needlebench")
    assert found["single_needle 32k"] == pytest.approx(((0.5 + 1) / 2 + 0.2) / 2)
    assert found["single_needle_en 32k"] == pytest.approx(0.75)
    assert found["single_needle_en 32k, 32768 tokens, depth 0.5"] == 0
    assert found["single_needle_en 32k, 16384 tokens, depth 0"] == 1
    assert not [name for name in found if name.startswith("overall")]


def test_reasoning_counts_needles_equally_and_overall_weighs_tasks():
    rows = [
        needle(1, "single_needle", "en", 0.5),
        needle(0, "multi_needle", "en", 0.5, complexity=5),
        *(needle(1, "needle_reasoning", "en", 0.5, item=n, complexity=2) for n in range(3)),
        needle(0, "needle_reasoning", "en", 0.5, item=3, complexity=5),
    ]
    found = values(rows, "needlebench")
    assert found["needle_reasoning 32k"] == 0.5
    assert found["overall 32k"] == pytest.approx(0.4 * 1 + 0.3 * 0 + 0.3 * 0.5)


def test_needles_by_the_paper_s_formula_and_beside_it_by_the_rows_own_metric():
    rows = [replace(needle(score, "single_needle", "en", depth), reported=paper)
            for score, paper, depth in ((1, 1, 0.0), (0, 0.1, 0.5), (0, 1, 1.0), (None, None, 0.2))]  # fmt: skip
    summary = summaries(rows)["needlebench"]
    found = {one.name: one.value for one in summary.values}
    assert found["single_needle 32k"] == pytest.approx(2.1 / 4)
    assert found["single_needle 32k, by made"] == 0.25
    assert found["single_needle_en 32k, 32768 tokens, depth 0.5"] == pytest.approx(0.1)
    # A result of before: nothing under the paper's name, and why.
    summary = summaries([replace(row, reported=None) for row in rows])["needlebench"]
    assert [one.name for one in summary.values] == ["single_needle 32k, by made"]
    assert any("score again" in note for note in summary.notes)


def test_length_of_a_row_is_that_of_the_grid():
    assert [needle(1, "single_needle", "en", 0.5, step=n).length for n in (1, 5, 8)] == [4_096, 20_480, 32_768]
    assert row("idk", "", "4k", 0, tokens=1_000).length == 2_048
    assert row("idk", "", "1M", 0).length == 1 << 20
    assert RowScore("a", 1.0, "", bucket="odd").length == 0


def test_depths_as_asked_or_by_tenths():
    asked = [needle(1, "single_needle", "en", n / 10) for n in range(11)]
    assert sorted(depth_levels(asked).values()) == [n / 10 for n in range(11)]
    own = [needle(1, "single_needle", "en", n / 40, item=n) for n in range(40)]
    assert set(depth_levels(own).values()) == {n / 10 for n in range(11)}
    assert depth_levels([row("mrcr", "2needle", "32k", 0, depths=(0.1, 0.7))]) == {}


# --- ancestral trace --------------------------------------------------------------------------------------------------

# Golden cases: options in four rotations, the letters answered, the share right as the published evaluator has it.
CIRCULAR = [
    (["A", "D", "C", "B"], 1),
    (["A", "D", "C", "A"], 0),
    (["A", "A", "A", "A"], 0),
    (["A", "D", "C", "B", "A", "D", "C", "C"], 0.5),
    (["", "", "", ""], 0),
    (["B", "C", "D", "A"], 0),
]


@pytest.mark.parametrize(("letters", "expected"), CIRCULAR)
def test_rotations_are_right_only_together(letters, expected):
    rows = [
        scored(float(letter == "ADCB"[n % 4]), "ancestral_trace", "direct_en", "32k", n // 4, n, complexity=5)
        for n, letter in enumerate(letters)
    ]
    found = values(rows, "needlebench")
    assert found["ancestral_trace_direct_en 32k"] == expected
    assert found["ancestral_trace_direct_en 32k, 5 steps"] == expected


@pytest.mark.parametrize(
    ("right", "expected"),
    [({2: 100}, 1.0582010582010581), ({2: 100, 3: 90, 4: 80, 5: 50}, 5.502645502645502), ({}, 0)],
)
def test_the_task_score_of_the_paper(right, expected):
    rows = [
        scored(
            float(item < right.get(step, 0) // 10), "ancestral_trace", "direct_en", "32k", step * 10 + item,
            4 * (step * 10 + item) + turn, complexity=step,
        )
        for step in range(2, 20)
        for item in range(10)
        for turn in range(4)
    ]  # fmt: skip
    assert 100 * values(rows, "needlebench")["ancestral_trace_direct_en 32k"] == pytest.approx(expected, abs=1e-9)
    assert sum(unit.weight for unit in trace_units(rows)) == pytest.approx(1)


def test_overall_trace_is_the_mean_of_the_variants():
    rows = [
        scored(score, "ancestral_trace", variant, "32k", 0, turn, complexity=3)
        for variant, score in (("direct_en", 1), ("reasoned_en", 1), ("direct_zh", 0), ("reasoned_zh", 1))
        for turn in range(4)
    ]
    assert values(rows, "needlebench")["ancestral_trace 32k, overall (4 of 4 variants)"] == 0.75
    assert values(rows[:8], "needlebench")["ancestral_trace 32k, overall (2 of 4 variants)"] == 1


def test_a_constant_answer_scores_nothing_as_the_paper_reports_with_rotations_or_without():
    rows = [
        scored(float(turn == item % 4), "ancestral_trace", "direct_en", "32k", item, 4 * item + turn, complexity=3)
        for item in range(8)
        for turn in range(4)
    ]
    assert set(values(rows, "needlebench").values()) == {0}
    assert means(rows).overall == 0 and means([replace(one, score=1.0) for one in rows]).overall == 1
    # One order of each question, or some that a limit left: not what the paper asks, so no value.
    for some in (rows[::4], [one for one in rows if one.id[-2:] < "02"]):
        summary = summaries(some)["needlebench"]
        assert not summary.values and "circular = true" in summary.notes[-1]


# --- VerbatimEval and HELMET ------------------------------------------------------------------------------------------


def test_verbatim_curves_differences_and_average():
    rows = [
        *(scored(0.6, "numeric_sorting", "ascending", "32k", n, complexity=100) for n in range(2)),
        scored(0.2, "numeric_sorting", "ascending", "32k", 2, complexity=200),
        *(scored(0.9, "numeric_sorting", "verbatim", "32k", n, complexity=100) for n in range(2)),
        scored(0.8, "numeric_sorting", "verbatim", "32k", 2, complexity=200),
        scored(0.5, "entity_grouping", "world", "32k", 0, complexity=50),
    ]
    found = values(rows, "verbatimeval")
    assert found["numeric_sorting_ascending 32k, N = 100"] == pytest.approx(0.6)
    assert found["numeric_sorting_ascending 32k"] == pytest.approx((0.6 + 0.2) / 2)
    assert found["numeric_sorting, ascending less verbatim 32k"] == pytest.approx((-0.3 - 0.3 - 0.6) / 3)
    assert found["mean of tasks"] == pytest.approx(((0.4 + 0.85) / 2 + 0.5) / 2)


def test_variants_are_paired_on_the_same_item():
    variants = ["ascending", "descending", "verbatim", "dbpedia", "dbpedia_verbatim", "direct_en", "reasoned_en"]
    numeric = ["ascending", "descending", "verbatim"]
    assert [base_variant(one, numeric) for one in numeric] == ["verbatim", "verbatim", None]
    rest = variants[3:]
    assert [base_variant(one, rest) for one in rest] == ["dbpedia_verbatim", None, None, "direct_en"]
    assert base_variant("", [""]) is None and base_variant("reasoned_zh", rest) is None
    rows = [scored(1, "numeric_sorting", variant, "32k", n) for variant in ("ascending", "verbatim") for n in range(3)]
    (paired,) = pairs(rows[:-1]).values()
    assert [(pair.row.variant, pair.row.item[-1], pair.base.item[-1]) for pair in paired] == [
        ("ascending", "0", "0"),
        ("ascending", "1", "1"),
    ]


def test_many_values_of_n_are_taken_together_by_bucket():
    rows = [
        scored(1, "entity_grouping", "world", bucket, n, complexity=size + n)
        for bucket, size in (("32k", 400), ("128k", 1_600))
        for n in range(15)
    ]
    assert [(x, len(part)) for x, part in by_level(rows, "complexity")] == [(407, 15), (1_607, 15)]
    assert len(by_level(rows[:10], "complexity")) == 10


def one_of_each(score=1, bucket="32k"):
    """A row of every dataset of HELMET."""
    return [scored(score, task, name, bucket, 0) for task, names in PAPER.items() for name in names]


def test_helmet_has_twenty_one_datasets_in_seven_categories():
    sizes = {"rag": 4, "reranking": 1, "citations": 2, "long_document_qa": 3, "summarization": 2}
    sizes |= {"in_context_learning": 5, "synthetic_recall": 4}
    assert {task: len(names) for task, names in PAPER.items()} == sizes
    assert {task: sorted(names) for task, names in PAPER.items()} == {
        task: sorted(names) for task, names in HELMET.items()
    }


def test_helmet_means_and_what_does_not_count():
    tasks = {"reranking": "msmarco", "citations": "asqa", "long_document_qa": "infbench_qa"}
    tasks |= {"summarization": "multilexsum", "in_context_learning": "nlu"}
    rows = [scored(1, task, name, "32k", 0) for task, name in tasks.items()]
    rows += [scored(1, "rag", "nq", "32k", 0), *(scored(0, "rag", "popqa", "32k", n) for n in range(3))]
    rows += [scored(0, "synthetic_recall", "json_kv", "32k", 0), scored(1, "synthetic_recall", "vt", "32k", 0)]
    found = values(rows, "helmet")
    assert found["rag 32k"] == 0.5 and found["synthetic_recall 32k"] == 0
    assert found["overall 32k"] == pytest.approx((0.5 + 5 + 0) / 7)
    assert "overall 32k" not in values(rows[:-2], "helmet")
    told = summaries(rows)["helmet"].notes[1]
    assert told.startswith("Not of all the paper's datasets: citations 32k (1 of 2), ") and "rag 32k (2 of 4)" in told
    assert "reranking" not in told
    whole = one_of_each()
    assert values(whole, "helmet")["overall 32k"] == 1 and len(summaries(whole)["helmet"].notes) == 1


@pytest.mark.parametrize(
    ("task", "variant"),
    [
        ("rag", "own"),
        ("rag", "world_two_hop"),
        ("reranking", "world"),
        ("citations", "world_list"),
        ("summarization", "squality"),
        ("summarization", "qmsum"),
        ("long_document_qa", "world"),
        ("in_context_learning", "world"),
        ("synthetic_recall", "niah_multikey_2_hard"),
        ("synthetic_recall", "niah_single_1"),
        ("synthetic_recall", "qa_world"),
    ],
)
def test_other_datasets_are_in_no_mean(task, variant):
    rows = [*one_of_each(), scored(0, task, variant, "32k", 0)]
    found = values(rows, "helmet")
    assert found[f"{task} 32k"] == found["overall 32k"] == 1
    if task != "synthetic_recall":
        # RULER's other tasks stand in its own summary.
        assert found[f"{task} / {variant} 32k"] == 0
        assert summaries(rows)["helmet"].notes[-1] == f"Reported, and in no mean: {task} / {variant}."


def test_the_invented_world_counts_where_the_papers_datasets_are_not():
    world = {task: ("world",) for task in PAPER if task != "synthetic_recall"}
    world |= {"rag": ("world", "world_two_hop"), "synthetic_recall": PAPER["synthetic_recall"]}
    rows = [scored(1, task, name, "1M", 0) for task, names in world.items() for name in names]
    rows += [scored(0, "rag", "world_two_hop", "1M", n) for n in (1, 2)]
    assert values(rows, "helmet")["rag 1M"] == pytest.approx((1 + 1 / 3) / 2)
    assert values(rows, "helmet")["overall 1M"] == pytest.approx((6 + 2 / 3) / 7)
    told = summaries(rows)["helmet"].notes[1]
    assert "rag 1M (world)" in told and "synthetic_recall" not in told
    # In each bucket by itself: the paper's datasets end before 1M.
    rows += one_of_each(0, "128k")
    found = values(rows, "helmet")
    assert found["overall 128k"] == 0 and found["overall 1M"] == pytest.approx((6 + 2 / 3) / 7)
    assert [row.variant for row in counting([scored(1, "idk", "", "32k", 0), scored(1, "rag", "own", "32k", 0)])] == [
        ""
    ]


def test_six_positions_and_three_orders_are_one_question_each():
    rows = [row for row in one_of_each(0) if row.variant not in ("nq", "hotpotqa", "msmarco")]
    rows += [scored(float(n < 3), "rag", "nq", "32k", 0, n) for n in range(6)]
    rows += [scored(1, "rag", "nq", "32k", 1, 6)]
    rows += [scored(float(n == 0), "rag", "hotpotqa", "32k", 0, n) for n in range(3)]
    rows += [scored(0, "rag", "hotpotqa", "32k", 1, 3)]
    rows += [scored(0.6 * (n == 1), "reranking", "msmarco", "32k", 0, n) for n in range(3)]
    found = values(rows, "helmet")
    nq, hotpotqa, msmarco = (1 / 2 + 1) / 2, (1 / 3 + 0) / 2, 0.2
    assert found["rag / nq 32k"] == pytest.approx(nq) and found["rag / hotpotqa 32k"] == pytest.approx(hotpotqa)
    assert found["rag 32k"] == pytest.approx((nq + hotpotqa) / 4) and found["reranking 32k"] == pytest.approx(msmarco)
    assert found["overall 32k"] == pytest.approx(((nq + hotpotqa) / 4 + msmarco) / 7)
    # Rows of a question are drawn together: 2 + 2 + 1 questions and one of each of 18 other datasets.
    overall = next(one for one in summaries(rows)["helmet"].values if one.name == "overall 32k")
    assert overall.estimate.questions == 2 + 2 + 1 + 18


def test_what_no_model_judged_is_told():
    def judged(task, variant, metric, reason=""):
        return replace(scored(1, task, variant, "32k", 0), metric=metric, reason=reason)

    rows = [
        judged("long_document_qa", "narrativeqa", "judge/qa@some-model"),
        judged("long_document_qa", "infbench_qa", "rouge_l"),
        judged("long_document_qa", "world", "rouge_l", "rouge_l, no judge for judge/qa"),
        judged("summarization", "multilexsum", "rouge_l"),
        judged("summarization", "world", "summary_overlap"),
    ]
    notes = summaries(rows)["helmet"].notes
    assert "Judged by some-model: long_document_qa / narrativeqa." in notes
    told = "No model judged long_document_qa / world, summarization / multilexsum: scored by ROUGE-L."
    assert told in notes and "No model judged summarization / world: scored by summary_overlap." in notes
    found = values(rows, "helmet")
    assert "summarization 32k (judge: ROUGE-L, no model)" in found
    assert "summarization / world 32k (judge: summary_overlap, no model)" in found
    assert "long_document_qa 32k (judge: some-model)" in found and "long_document_qa / infbench_qa 32k" in found
    assert not any("judged" in note.lower() for note in summaries(rows[1:2])["helmet"].notes)


# --- RULER ------------------------------------------------------------------------------------------------------------


def of_ruler(score, names, bucket="32k", items=(0,)):
    return [scored(score, "synthetic_recall", name, bucket, item) for name in names for item in items]


def test_ruler_has_thirteen_tasks_in_four_classes():
    assert [len(names) for names in CLASSES.values()] == [8, 1, 2, 2] and len(set(TASKS)) == 13
    rows = [*of_ruler(1, TASKS[:-3]), *of_ruler(0, TASKS[-3:], items=(0, 1, 2))]
    found = values(rows, "ruler")
    assert found["mean 32k (13 of 13 tasks)"] == pytest.approx(10 / 13)
    assert found["retrieval 32k"] == found["multi-hop tracing 32k"] == 1
    assert found["aggregation 32k"] == 0.5 and found["question answering 32k"] == 0
    assert found["fwe 32k"] == 0
    few = values(of_ruler(1, ("vt", "cwe", "niah_single_1")), "ruler")
    assert few["mean 32k (3 of 13 tasks)"] == few["retrieval 32k (1 of 8)"] == few["aggregation 32k (1 of 2)"] == 1
    assert "question answering 32k" not in few


def test_ruler_is_not_told_of_what_helmet_counts_alone():
    rows = of_ruler(1, ("niah_multikey_2", "niah_multikey_3", "niah_multivalue", "json_kv"))
    assert list(summaries(rows)) == ["helmet"]
    assert list(summaries([*rows, *of_ruler(1, ("vt",))])) == ["helmet", "ruler"]
    assert list(summaries(of_ruler(1, ("vt",)))) == ["ruler"]


def test_made_results_of_both_releases_are_printed_whole():
    """What `carrara score` prints below its tables: HELMET's categories and overall, RULER's means and classes."""
    results = answered([*made_helmet(), *made_ruler()], "alpha-large", 0.9)
    # The three tasks that both count stand once.
    rows = {one["id"]: RowScore(**(one | {"depths": tuple(one["depths"])})) for one in results}
    found = summaries(rows.values())
    assert list(found) == ["helmet", "ruler"]
    headlines = {name: [one.name for one in made.values if one.is_headline] for name, made in found.items()}
    buckets = ("32k", "128k", "1M")
    assert headlines["helmet"] == [
        "synthetic_recall 4k",
        *(name for bucket in buckets for name in (f"overall {bucket}", *(f"{task} {bucket}" for task in PAPER))),
    ]
    means = [name for name in headlines["ruler"] if name.startswith("mean")]
    assert means == [f"mean {bucket} (13 of 13 tasks)" for bucket in ("4k", *buckets)]
    assert len(headlines["ruler"]) == 4 * (1 + 4 + 2)
    overall = {one.name: one.value for one in found["helmet"].values}
    for bucket in buckets:
        seven = [overall[f"{task} {bucket}"] for task in PAPER]
        assert overall[f"overall {bucket}"] == pytest.approx(sum(seven) / 7, abs=1e-9)
    table = json.loads(json.dumps(score_report(found)))
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(score_table(table))
    told = console.export_text()
    for name in (*headlines["helmet"], *headlines["ruler"]):
        assert f"{name} " in told, name
    assert "as helmet reports" in told and "as ruler reports" in told and "Effective length" in told


def score_report(found):
    """A report of nothing but papers, as `score_table` reads it."""
    report = score([{"id": "a", "task": "rag", "bucket": "32k", "metric": "subem", "answers": ["x"]}], {"a": "x"})
    return report.to_json() | {"papers": {name: made.to_json() for name, made in found.items()}}


def test_a_headline_that_averages_what_was_not_run_has_no_value():
    held = (
        *(HeldConfig("rag", name, "32k", 2) for name in PAPER["rag"]),
        HeldConfig("rag", "nq", "128k", 2, tokens=100_000),
    )
    rows = [scored(1, "rag", name, "32k", n) for name in PAPER["rag"][:3] for n in range(2)]
    found = summaries(rows, held)["helmet"]
    assert found.not_run == {"rag 32k": ("rag_hotpotqa_32k",)} and "rag 32k" not in {one.name for one in found.values}
    assert found.notes[0] == "Of 32k only; not run: 128k."
    assert values(rows, "helmet")["rag 32k"] == 1, "of a release that has no other dataset it is a mean as ever"
    whole = [*rows, *(scored(0, "rag", "hotpotqa", "32k", n) for n in range(2))]
    assert {one.name: one.value for one in summaries(whole, held)["helmet"].values}["rag 32k"] == 0.75
    # A limit leaves every config there: means are over what was asked, and say so.
    assert summaries(whole[:-1], held)["helmet"].notes[0] == "Over 7 of the 8 rows of these configs."


def test_a_stacked_subset_that_was_not_run_is_missed_where_it_has_shorter_rows():
    rows = [one for one in cumulative_rows() if one.bucket == "32k"]
    held = [HeldConfig("latent_list", "", "32k", 1), HeldConfig("latent_list", "", "128k", 2, tokens=20_000)]
    assert summaries(rows, held)["michelangelo"].not_run == {"latent_list, cumulative at 32k": ("latent_list_128k",)}
    full = [held[0], HeldConfig("latent_list", "", "128k", 2, tokens=120_000)]
    found = summaries(rows, full)["michelangelo"]
    assert not found.not_run and {one.name for one in found.values} >= {"latent_list, cumulative at 32k"}
    assert "latent_list, cumulative at 128k" not in {one.name for one in found.values}


def test_a_paired_trace_and_an_effective_length_need_what_they_rest_on():
    trace = [HeldConfig("ancestral_trace", f"direct_{lang}", "32k", 2, complexities=(2, 3)) for lang in ("en", "zh")]
    rows = [scored(1, "ancestral_trace", "direct_en", "32k", n // 4, n, complexity=2 + n // 4) for n in range(8)]
    found = summaries(rows, trace)["needlebench"]
    assert found.not_run == {"ancestral_trace 32k, overall (2 of 4 variants)": ("ancestral_trace_direct_zh_32k",)}
    assert {one.name: one.value for one in found.values}["ancestral_trace_direct_en 32k"] == 1
    whole = of_ruler(1, TASKS)
    told = [HeldConfig("synthetic_recall", variant, "32k", 1) for variant in TASKS]
    assert any("Effective length" in note for note in summaries(whole, told)["ruler"].notes)
    some = [one for one in whole if one.variant != "vt"]
    assert not any("Effective length" in note for note in summaries(some, told)["ruler"].notes)


def test_questions_on_the_world_count_where_the_real_ones_are_not():
    rows = [*of_ruler(1, TASKS), *of_ruler(0, ("qa_world",))]
    assert values(rows, "ruler")["mean 32k (13 of 13 tasks)"] == values(rows, "ruler")["question answering 32k"] == 1
    rows = [row for row in rows if row.variant not in ("qa_squad", "qa_hotpotqa")]
    found = values(rows, "ruler")
    assert found["mean 32k (12 of 13 tasks)"] == pytest.approx(11 / 12)
    assert found["question answering 32k (1 of 2)"] == 0
    assert (
        summaries(rows)["ruler"].notes[1] == "Of questions qa_world counts, in place of qa_squad and qa_hotpotqa: 32k."
    )


def test_hard_variants_stand_beside_the_plain_ones():
    rows = [*of_ruler(1, ("vt",), items=range(4)), *of_ruler(0.25, ("vt_hard",), items=range(4))]
    rows += [*of_ruler(1, ("cwe_hard",)), scored(0, "synthetic_recall", "vt_hard", "128k", 0)]
    found = values(rows, "ruler")
    assert found["vt_hard 32k"] == 0.25 and found["cwe_hard 32k"] == 1
    assert found["vt_hard less vt 32k"] == pytest.approx(-0.75)
    assert "cwe_hard less cwe 32k" not in found and "vt_hard less vt 128k" not in found
    assert found["mean 32k (1 of 13 tasks)"] == 1


def test_the_effective_length_is_the_largest_bucket_above_the_threshold():
    def told(**by_bucket):
        rows = [row for bucket, score in by_bucket.items() for row in of_ruler(score, TASKS, bucket)]
        return next((note for note in summaries(rows)["ruler"].notes if note.startswith("Effective length")), "")

    assert told(**{"4k": 1, "32k": 0.9, "128k": 0.5}).endswith("is above 85.6, Llama2-7B at 4k in the paper): 32k.")
    assert told(**{"4k": 0.8, "32k": 0.856}).endswith(": none of 4k, 32k.")
    world = [*of_ruler(1, TASKS[:-2]), *of_ruler(1, ("qa_world",))]
    assert summaries(world)["ruler"].notes[-1].endswith(": 32k.")
    assert not any("Effective" in note for note in summaries(of_ruler(1, TASKS[:-1]))["ruler"].notes)


def test_rag_positions_are_averaged_first():
    rows = [scored(float(n == 0), "rag", "nq", "32k", 0, n) for n in range(6)] + [scored(1, "rag", "nq", "32k", 1, 6)]
    assert values(rows, "helmet")["rag 32k"] == pytest.approx((1 / 6 + 1) / 2)


def test_citations_stand_in_parts_and_with_their_judge():
    parts = {"correctness": 0.5, "citation recall": 1.0, "citation precision": 0.0}
    rows = [
        replace(scored(0.5, "citations", "asqa", "32k", n), classes=parts, metric="citations@nli:judge")
        for n in range(3)
    ]
    rows.append(replace(scored(0, "citations", "asqa", "32k", 3), metric="citations@nli:judge"))
    found = values(rows, "helmet")
    # What is correct asks no judge; every other value names it.
    by = " (judge: nli:judge)"
    assert found[f"citations / asqa 32k{by}"] == found[f"citations 32k{by}"] == 3 / 8
    assert [found[f"citations / asqa 32k: {name}"] for name in ("correctness", f"citation recall{by}")] == [
        3 / 8,
        3 / 4,
    ]
    assert found[f"citations / asqa 32k: citation precision{by}"] == 0
    told = "Whether a passage supports a statement was judged by {}."
    notes = summaries(rows)["helmet"].notes
    assert notes[-2] == told.format("nli:judge") and notes[-1].startswith(
        f"ALCE's citation scores are by {ALCE_MODEL};"
    )
    lexical = [replace(rows[0], metric="citations"), replace(rows[1], metric="citations/str_em", item="9")]
    assert told.format("the lexical judge") in summaries(lexical)["helmet"].notes
    # No value of the lexical judge stands under ALCE's name alone.
    assert {name for name in values(lexical, "helmet") if "(judge: the lexical judge)" not in name} == {
        "citations / asqa 32k: correctness"
    }
    alce = [replace(one, metric=f"citations@nli:google/{ALCE_MODEL}@0123abcd") for one in rows]
    assert not any("ALCE's" in note for note in summaries(alce)["helmet"].notes)
    assert not any("citations" in name for name in values([scored(1, "rag", "nq", "32k", 0)], "helmet"))
    assert not any("judge" in note for note in summaries([scored(1, "rag", "nq", "32k", 0)])["helmet"].notes)


def test_no_paper_is_summarised_without_its_tasks():
    assert summaries([scored(1, "ruler", "", "32k", 0)]) == {}


# --- questions and reports --------------------------------------------------------------------------------------------


def test_an_instruction_leaves_the_question_the_same():
    same = [row("numeric_sorting", variant, "32k", 3).question for variant in ("ascending", "descending", "verbatim")]
    assert len(set(same)) == 1
    assert (
        row("entity_grouping", "world", "32k", 3).question == row("entity_grouping", "world_verbatim", "1M", 3).question
    )
    assert (
        row("ancestral_trace", "direct_en", "32k", 3).question
        == row("ancestral_trace", "reasoned_en", "32k", 3).question
    )
    assert row("rag", "nq", "32k", 3).question != row("rag", "popqa", "32k", 3).question
    assert row("mrcr", "1needle", "32k", 3).question != row("mrcr", "2needle", "32k", 3).question


def test_a_value_of_questions_drawn_whole_is_exact_where_all_is_right():
    rows = [replace(one, score=1.0) for one in every_row() if one.task == "single_needle" and one.bucket == "4k"]
    for value in summaries(rows)["needlebench"].values:
        assert value.value == 1.0
        assert value.estimate.interval_reason.endswith("too few") or value.estimate.interval[1] == 1.0


def test_what_a_row_takes_over_from_its_facts():
    facts = {"digits": 9, "depth": 0.3, "flag": True, "word": "x", "Odd": 1, "much": math.inf, "n": 10**400}
    assert numbers_of(facts) == {"digits": 9, "depth": 0.3}
    assert len(numbers_of({f"n{n}": n for n in range(40)})) == 16
    assert chance_of({"chance": [0.1, 2, "x", 1]}) == (0.1, 1.0)
    assert chance_of({"chance": 0.25}) == (0.25,) and chance_of({}) == () == chance_of({"chance": "no"})


def test_a_report_holds_the_summaries_and_the_parts_of_classes(monkeypatch):
    monkeypatch.setitem(PARTS, "needlebench/keywords", lambda response, _: {CLASS_NAMES[1]: 1.0, CLASS_NAMES[0]: 0.5})
    rows = [
        {
            "id": f"x/idk/32k/{n:05d}", "item": f"x/idk/{n:05d}", "task": "idk", "variant": "", "bucket": "32k",
            "metric": "needlebench/keywords", "answers": ["yes"], "complexity": n % 2, "prompt": "", "depths": [],
            "tokens": 30_000 + n, "max_output_tokens": 32,
            "facts": json.dumps({"digits": n, "chance": [0.5]} | ({"document": "book"} if n == 3 else {})),
        }
        for n in range(4)
    ]  # fmt: skip
    report = score(rows, {rows[0]["id"]: "yes"}, model="m", release="made@1.0.0", stream="s")
    table = report.to_json()
    assert (table["format"], table["version"], table["model"]) == ("carrara/result", 4, "m")
    summary = {value["name"]: value for value in table["papers"]["michelangelo"]["values"]}
    assert summary["idk, all rows"]["value"] == 0.25 and summary["idk, all rows"]["questions"] == 4
    assert table["scores"][0]["classes"] == {"Company": 0.5, "EducationalInstitution": 1.0}
    assert "classes" not in table["scores"][1] and table["scores"][1]["score"] is None
    assert [one.get("context", "") for one in table["scores"]] == ["", "", "", "book"]
    assert (table["scores"][3]["numbers"], table["scores"][3]["chance"]) == ({"digits": 3}, [0.5])


PROGRAM = """
import json, sys
from made_results import answered, michelangelo, needlebench
from carrara.scoring.report import summaries
from carrara.scoring.result import RowScore
tables = answered([*michelangelo(), *needlebench(["4k"])], "m", 0.8)
rows = [RowScore(**(table | {"depths": tuple(table["depths"])})) for table in tables]
found = summaries(rows[::-1] if sys.argv[1] == "1" else rows)
print(json.dumps({name: paper.to_json() for name, paper in found.items()}, sort_keys=True, allow_nan=False))
"""


def test_neither_process_nor_the_order_of_rows_changes_a_value():
    outputs = {python(PROGRAM, seed, PYTHONHASHSEED=seed) for seed in ("0", "1")}
    assert len(outputs) == 1
