"""Golden cases: published scorers reproduced, every golden metric mapped, no defect in a default."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import golden_helmet
import golden_judge
import golden_texts
import pytest
from folders import ROOT

from carrara.scoring import METRICS

REPOSITORY = ROOT
GOLDEN = Path(os.environ.get("CARRARA_GOLDEN", REPOSITORY.parent / "shared" / "golden"))
FILES = ("needle_metrics.json", "helmet_metrics.json")
TABLES = tomllib.loads((REPOSITORY / "builders/carrara/scoring/golden.toml").read_text(encoding="utf-8"))
MAPPED: dict[str, str] = TABLES["mapped"]
PENDING: dict[str, str] = TABLES["pending"]

# The published scorer is wrong here, as the case's note says: (metric, the start of the note) -> the sound default.
DEFECTS = {
    ("levenshtein_keyword_v1", "case differs"): "needlebench/single",
    ("levenshtein_keyword_v1", "substring inside a longer word"): "needlebench/single",
    ("keyword_fraction_v1", 'substring: "no" is inside'): "needlebench/keywords",
    ("keyword_fraction_v1", "case-insensitive"): "needlebench/keywords",
    ("latent_list_approx", "spaces matter"): "latent_list",
    ("category_recall", "everything in every category"): "grouping/category_recall",
    ("category_recall", "leading space"): "grouping/category_recall",
    ("global_recall", "everything in every category"): "grouping/f1",
    ("global_recall", "one entity in the wrong category"): "grouping/f1",
}


def cases() -> list[dict[str, Any]]:
    if not GOLDEN.is_dir():
        return []
    return [case for name in FILES for case in json.loads((GOLDEN / name).read_text(encoding="utf-8"))]


CASES = cases()
needs_golden = pytest.mark.skipif(not CASES, reason=f"no golden files at {GOLDEN}; set CARRARA_GOLDEN to their folder")


def key(case: dict[str, Any]) -> str:
    return f"{case['task']}:{case['metric']}"


def title(case: dict[str, Any]) -> str:
    return f"{case['metric']}-{note(case)[:40]}"


def note(case: dict[str, Any]) -> str:
    return case["extra"].get("note") or case.get("note", "")


def row_of(metric: str, reference: Any) -> dict[str, Any]:
    """Turn a golden reference into the columns that the metric reads."""
    if isinstance(reference, dict):
        lines = (f"{label}: {'; '.join(names)}" for label, names in reference.items())
        return {"answers": ["\n".join(lines)], "facts": json.dumps({"classes": list(reference)})}
    if isinstance(reference, list):
        return {"answers": reference}
    if metric == "keyword_fraction_v1":
        return {"answers": [reference.split("*")[1]]}
    if metric == "parallel_recall":
        return {"answers": reference.split("#")[0].split("*")}
    if metric in {"levenshtein_keyword_v1", "keyword_v2"}:
        sentence, keyword = reference.split("*")
        return {"answers": [keyword], "facts": json.dumps({"reference": [sentence]})}
    if metric == "atc_v2_boxed_exact":
        return {"answers": ["A"], "choices": [reference]}
    return {"answers": [reference]}


def text_of(prediction: Any) -> str:
    """A prediction as a response: groups as JSON, sentences as lines."""
    if isinstance(prediction, list):
        return "\n".join(prediction)
    return json.dumps(prediction) if isinstance(prediction, dict) else str(prediction)


# A string for the cases that compare texts alone, and so have none: it stands before both.
STRING = "aB3dE6gH9jK2"


def mrcr_case(case: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A response and a row of a case of MRCR."""
    prediction, reference = case["prediction"] or "", case["reference"]
    if case["metric"].startswith("difflib"):
        return STRING + prediction, {"answers": [STRING + reference]}
    string = case["extra"].get("random_string_to_prepend")
    return prediction, {"answers": [reference], "facts": json.dumps({"string": string} if string else {})}


def value_of(case: dict[str, Any], name: str) -> float:
    if golden_texts.is_ours(case):
        return golden_texts.published(case, name)
    if case["task"] in golden_helmet.TASKS:
        return golden_helmet.published(case, name)
    if case["task"] == "mrcr":
        return METRICS[name](*mrcr_case(case))
    predictions, references = case["prediction"], case["reference"]
    if not case["extra"].get("aggregate"):
        predictions, references = [predictions], [references]
    choices = list(case["extra"].get("options", {}))
    if isinstance(case["extra"].get("options"), dict):
        choices = list(case["extra"]["options"].values())
    if case["metric"] == "opencompass_first_option_postprocess":
        # A parser: what it finds is the gold of a row, and where it finds nothing no gold scores.
        references = [case["expected"] or "A"]
    scores = [
        METRICS[name](text_of(prediction), {"choices": choices} | row_of(case["metric"], reference))
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    return sum(scores) / len(scores)


@needs_golden
def test_every_golden_metric_is_mapped_once_and_no_other():
    tables = [set(MAPPED), set(PENDING), set(TABLES["elsewhere"])]
    assert set.union(*tables) == {key(case) for case in CASES}
    assert sum(map(len, tables)) == len(set.union(*tables))


def test_mapped_metrics_exist_and_pending_ones_do_not_yet():
    assert sorted(set(MAPPED.values()) - set(METRICS)) == []
    assert sorted(set(PENDING.values()) & set(METRICS)) == [], "move these from [pending] to [mapped]"


@needs_golden
@pytest.mark.parametrize("case", [case for case in CASES if key(case) in MAPPED], ids=title)
def test_case(case):
    name = MAPPED[key(case)]
    if case["extra"].get("use_trim"):
        name = "needlebench/single/trim/paper"
    if golden_judge.is_judged(case):
        assert golden_judge.published(case, name) == pytest.approx(golden_judge.expected(case), abs=1e-9)
        return
    value = value_of(case, name)
    if golden_texts.is_ours(case):
        assert value == pytest.approx(golden_texts.expected(case), abs=1e-4 if case["task"] == "ruler" else 1e-9)
        return
    if case["task"] in golden_helmet.TASKS:
        assert value == pytest.approx(golden_helmet.expected(case), abs=1e-9)
        return
    if case["expected"] is None:
        assert value == 1.0, "undefined in the paper: two empty texts are equal"
        return
    if isinstance(case["expected"], str):
        assert value == bool(case["expected"])
        return
    if case["metric"] == "category_recall_sum_as_printed":
        value *= len(case["reference"])
    hundred = "0-100" in case["extra"]["source"] or case["metric"] in {
        "keyword_v2",
        "keyword_fraction_v1",
        "parallel_recall",
        "atc_v2_boxed_exact",
    }
    assert value == pytest.approx(case["expected"] / (100 if hundred else 1), abs=1e-9)


@needs_golden
@pytest.mark.parametrize(("metric", "note"), DEFECTS)
def test_the_default_differs_where_the_published_scorer_is_wrong(metric, note):
    [case] = [c for c in CASES if c["metric"] == metric and c["extra"].get("note", "").startswith(note)]
    published = value_of(case, MAPPED[key(case)])
    assert abs(value_of(case, DEFECTS[metric, note]) - published) > 0.05


# Of HELMET: the case, the sound metric, what the published one gives, what the sound one gives. The notes say why.
HELMET_DEFECTS = [
    ("qa/substring_exact_match/002", "subem", 1, 0),  # gold "The"
    ("qa/substring_exact_match/003", "subem", 1, 0),  # gold "A"
    ("qa/substring_exact_match/004", "subem", 1, 0),  # gold "?!"
    ("qa/substring_exact_match/006", "subem", 1, 0),  # "7" in 1972
    ("qa/substring_exact_match/012", "subem", 0, 1),  # full-width digits
    ("qa/substring_exact_match/014", "subem", 0, 1),  # "5 million" for "five million"
    ("qa/substring_exact_match/015", "subem", 1, 0),  # "either London or Paris"
    ("default_post_process/substring_exact_match/045", "subem", 1, 0),  # two answers, one behind "Answer:"
    ("litm/best_subspan_em/186", "subem", 1, 0),  # an empty gold
    ("icl/accuracy(exact_match)/052", "label", 1, 0),  # two labels
    ("icl/accuracy(exact_match)/053", "label", 0, 1),  # the number on the next line
    ("icl/accuracy(exact_match)/058", "label", 0, 1),  # what the label means behind it
    ("rerank/NDCG@10/069", "ndcg@10", 0.46928, 0.91340),  # commas
    ("rerank/NDCG@10/075", "ndcg@10", 0, 1),  # a long number beats the ranking
    ("alce/citation_rec/216", "citations/recall", 1, 0),  # [0] is no passage
    ("alce_asqa/str_em/145", "citations/str_em", 0.5, 0),  # gold "A" in an empty response
    ("alce_qampari/qampari_rec_top5/157", "citations/str_em", 1, 0.5),  # five of ten answers are not all
    ("alce_qampari/qampari_rec/168", "citations/str_em", 0, 1),  # "Lonely Road (novel)"
    ("alce_qampari/qampari_prec/171", "citations/correctness", 1 / 3, 1),  # "Washington, D.C."
    ("alce_qampari/qampari_rec/172", "citations/str_em", 0.5, 1),
    ("alce_qampari/qampari_f1_top5/174", "citations/correctness", 0.4, 1),
    ("alce_qampari/qampari_prec/179", "citations/correctness", 0, 1),  # one a line
    ("alce_qampari_pipeline/qampari_prec/231", "citations/correctness", 0, 1),
    ("alce_qampari_pipeline/qampari_rec_top5/232", "citations/str_em", 0, 1),
    ("alce_qampari_pipeline/qampari_rec_top5/234", "citations/str_em", 0, 1),  # numbered
    ("infbench_choice/exact_match(accuracy)/088", "choice", 1, 0),  # "the", where the answer is A
    ("ruler/string_match_all/095", "ruler/all", 1, 0),  # a longer number holds the gold
    ("longqa_infbench_qa/rougeL_f1/035", "rouge_l", 0, 1),  # "Röntgen" is one word
]


@needs_golden
@pytest.mark.parametrize(("name", "metric", "published", "sound"), HELMET_DEFECTS)
def test_the_sound_metric_of_helmet_differs(name, metric, published, sound):
    [case] = [one for one in CASES if one.get("id") == name]
    assert value_of(case, MAPPED[key(case)]) == pytest.approx(published, abs=1e-5)
    assert _sound(case, metric) == pytest.approx(sound, abs=1e-5)


def _sound(case: dict[str, Any], metric: str) -> float:
    return (golden_texts if golden_texts.is_ours(case) else golden_helmet).sound(case, metric)


SOUND_TEXTS = {"exact_match(accuracy)": "choice", "string_match_all": "ruler/all", "string_match_part": "ruler/any"}


@needs_golden
@pytest.mark.parametrize(
    "case",
    [
        case
        for case in CASES
        if case["task"] in {"infbench_choice", "ruler", "ruler_helmet"}
        and case["metric"] in SOUND_TEXTS.keys() | {"ruler_recall"}
        and case["id"] not in {name for name, *_ in HELMET_DEFECTS}
    ],
    ids=title,
)
def test_elsewhere_the_sound_choice_and_recall_agree(case):
    found = golden_texts.sound(case, SOUND_TEXTS.get(case["metric"], "ruler/all"))
    assert found == pytest.approx(golden_texts.expected(case), abs=1e-4)


@needs_golden
@pytest.mark.parametrize(
    "case",
    [
        case
        for case in CASES
        if case["task"] in golden_helmet.TASKS - {"rerank_scores"}
        and case["metric"] in {"substring_exact_match", "best_subspan_em", "NDCG@10", "citation_rec", "citation_prec"}
        and case["id"] not in {name for name, *_ in HELMET_DEFECTS}
        # Other conventions, no defects: five-digit rounding, hyphens of a UUID.
        and case["id"] not in {"json_kv/substring_exact_match/107"}
    ],
    ids=title,
)
def test_elsewhere_the_sound_metric_agrees(case):
    metric = {"NDCG@10": "ndcg@10", "citation_rec": "citations/recall", "citation_prec": "citations/precision"}
    found = golden_helmet.sound(case, metric.get(case["metric"], "subem"))
    assert found == pytest.approx(golden_helmet.expected(case), abs=1e-5)
