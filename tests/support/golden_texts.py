"""The golden cases of long answers, choices and recall as rows: HELMET, RULER, InfiniteBench, LongBench."""

import json
from typing import Any

from carrara.scoring import METRICS
from carrara.scoring.metrics import ruler
from carrara.scoring.published import longbench

TASKS = {
    *("longqa_infbench_qa", "summ", "infbench_choice", "ruler", "ruler_helmet", "infinitebench", "longbench"),
}
# What is read of a summary for these, but not of the other cases of their task.
METRICS_ELSEWHERE = {("default_post_process", "rougeL_f1"), ("alce_asqa", "rougeLsum")}
LETTERS = "ABCD"
# As jieba 0.42.1 cuts the texts of the one case in Chinese.
CUT = {"北京是首都": ["北京", "是", "首都"], "北京": ["北京"]}


def is_ours(case: dict[str, Any]) -> bool:
    return case["task"] in TASKS or (case["task"], case["metric"]) in METRICS_ELSEWHERE


def pairs(case: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The responses and rows of a case: several for RULER's, which are batches."""
    prediction, references, metric = case["prediction"], case["references"], case["metric"]
    if case["task"] == "ruler" and isinstance(prediction, list):
        return [(text, {"answers": golds}) for text, golds in zip(prediction, references, strict=True)]
    if case["task"] == "infbench_choice":
        letter, option = references
        return [(prediction, choice_row(letter, option.partition(". ")[2]))]
    if metric == "get_score_one_longbook_choice_eng":
        text, letter = references
        return [(prediction, choice_row(letter, text))]
    if case["task"] == "alce_asqa":
        # The published scorer cuts by nltk; the case cuts at full stops.
        return [(lines(prediction), {"answers": [lines(text) for text in references]})]
    return [(prediction, {"answers": [references] if isinstance(references, str) else references})]


def choice_row(letter: str, text: str) -> dict[str, Any]:
    """A row of four options: the right one as the case has it."""
    others = iter(("a silver key", "an old map", "no one at all"))
    return {"answers": [letter], "choices": [text if one == letter else next(others) for one in LETTERS]}


def lines(text: str) -> str:
    return "\n".join(f"{part.strip()}." for part in text.split(".") if part.strip())


def published(case: dict[str, Any], name: str) -> float:
    """What the metric of a case gives: the mean of a batch."""
    if case["metric"] == "postprocess_pred":
        return float(ruler.printable(case["prediction"]) == case["expected"])
    if case["metric"] == "qa_f1_zh_score":
        [(response, row)] = pairs(case)
        listed = row | {"facts": json.dumps({"words": CUT[response]})}
        assert METRICS[name](response, listed) == longbench.f1_zh(response, row, lambda text: CUT[text])
        return METRICS[name](response, listed)
    found = [METRICS[name](response, row) for response, row in pairs(case)]
    return sum(found) / len(found)


def expected(case: dict[str, Any]) -> float:
    """What it must give; RULER's are rounded to two places of a hundred."""
    if case["metric"] == "postprocess_pred":
        return 1.0
    hundred = case["task"] == "alce_asqa" or "percent" in case["extra"].get("unit", "")
    return float(case["expected"]) / (100 if hundred else 1)


def sound(case: dict[str, Any], name: str) -> float:
    """What the sound metric gives."""
    found = [METRICS[name](response, row) for response, row in pairs(case)]
    return sum(found) / len(found)
