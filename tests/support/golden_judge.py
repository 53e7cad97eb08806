"""The golden cases of HELMET's model judge as rows, responses and the verdicts of a judge."""

from typing import Any

from carrara.scoring import score_response
from carrara.scoring.judge.judge import QA, questions
from carrara.scoring.judge.rubrics import Verdict
from carrara.scoring.judge.verdicts import Judge, Verdicts

KEYS = {("narrativeqa", "gpt-4-score(0-100)"): 100, ("summ", "gpt-4-f1"): 1}
ROW = {"answers": ["A long summary."], "facts": {"question": "Who?", "key_points": ["one"], "long_summary": "Long."}}


def is_judged(case: dict[str, Any]) -> bool:
    """Whether a case is of the judge."""
    return (case["task"], case["metric"]) in KEYS


def published(case: dict[str, Any], name: str) -> float | None:
    """What verdicts as the case has them are worth, by a file's way from verdicts to scores."""
    extra, response = case["extra"], "A response."
    if name == QA:
        said = {"qa": Verdict(fluency=extra["fluency"], correctness=extra["correctness"])}
    else:
        said = {
            "fluency": Verdict(fluency=extra["fluency"]),
            "recall": _held(extra["recall_found"], extra["n_keypoints"]),
            "precision": _held(extra["precision_found"], extra["n_sentences"]),
        }
    judge = Judge("golden")
    known = {judge.key(question): said[question.kind] for question in questions(name, ROW, response)}
    return score_response(ROW, response, name, verdicts=Verdicts(judge, known)).value


def expected(case: dict[str, Any]) -> float:
    """What they must be worth, in [0, 1]."""
    return float(case["expected"]) / KEYS[case["task"], case["metric"]]


def _held(many: int, count: int) -> Verdict:
    return Verdict(held=(True,) * many + (False,) * (count - many))
